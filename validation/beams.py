"""Beams of the papers behind this toolkit, and of the theory books, beside the built-in solver.

SimpleBeam is the run deck of the NESC report (NASA/TM-2020-5008164, C.2), the long beam is that of the FModal paper
(App. C, 101 grids), the tank beam that of the ARTEMIS paper (Tables 1-5).

*The second frequency of SimpleBeam.* The report prints 2.054 Hz. The deck asks for lumped mass and shear factors of
5/6 and then has [2.0533 Hz](beams.md "SimpleBeam :: second frequency, K 0.83333, Hz :: ours"), which would print as
2.053; without shear it has [2.0556 Hz](beams.md "SimpleBeam :: second frequency, K 0, Hz :: ours"). Shear lowers this
mode by more than the first, because shorter waves have more shear beside their bending: to first order by
(EI/2KAG) ∫φ‴²/∫φ″² of the frequency. Two readings print as 2.054: shear factors of one
([2.0537 Hz](beams.md "SimpleBeam :: second frequency, K 1, Hz :: ours"), the default of a blank field), and no shear
but rotary inertia at the grids ([2.0540 Hz](beams.md "SimpleBeam :: second frequency, K 0, rotary, Hz :: ours")),
which versions of NASTRAN differ in; the three decimals do not tell them apart. The mass matters far more: the same beam
with its mass spread out has [2.186 Hz](beams.md "SimpleBeam :: second frequency, mass spread out, Hz :: reference")
without shear, so that nine elements with mass at ten points are
[6 %](beams.md "SimpleBeam :: second frequency, mass spread out, Hz :: error") low. The rows below hold each variant
against textbook matrices of one plane, assembled here without the toolkit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from validation.study import ROUNDS, Row, Study

SIMPLE_BEAM = Path(__file__).resolve().parents[1] / "examples" / "decks" / "SimpleBeam.dat"
SIMPLE_BEAM_HZ = (0.764, 0.764, 2.054, 2.054)
ARTEMIS_HZ = {
    0.0: (3.295551, 6.188647, 9.068079, 11.25814, 12.62832),
    1.0: (1.798136, 4.347146, 7.326610, 10.15644, 12.27924),
}


LONG_BEAM_EI = (2e9 * 6.6666667e-05, 2e9 * 1.6666667e-05)


@dataclass
class Comparison:
    """Frequencies of a finite-element model and of the engine, Hz, and the difference of their first shapes."""

    reference: np.ndarray
    ours: np.ndarray
    shapes: float = np.nan

    @property
    def error(self) -> float:
        """Largest absolute difference, Hz."""
        return float(np.abs(self.ours - self.reference).max())


def artemis_deck(propellant: float) -> str:
    """The five-element beam of the ARTEMIS paper, Tables 1 and 2; feet, slugs, seconds."""
    area = np.pi * (0.5 / 12.0) ** 2
    lines = ["PARAM,COUPMASS,1", "MAT1,1,1.44+9,,.334,5."]
    lines.append(f"PBEAM,1,1,{area:.14e},2.367-6,2.367-6,,4.735-6")
    for k in range(6):
        lines.append(f"GRID,{k + 1},,{2.0 * k},0.,0.")
        lines.append(f"CONM2,{11 + k},{k + 1},0,{propellant}")
        lines.append(",0.,0.,1.,0.,0.,1.")
    lines += [f"CBEAM,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 6)]
    return "\n".join(lines)


def long_beam_deck(n_grids: int = 101, length: float = 9.0, coupled: bool = False) -> str:
    """The single-length beam of the FModal paper, App. C: 101 grids on 9 m, shear factors zero."""
    lines = ["SOL 103", "CEND", "BEGIN BULK", f"PARAM,COUPMASS,{1 if coupled else -1}"]
    lines.append("MAT1,1,2.000+9,775193798.449612,,8000.0,12.000-6,21.85000,0.0")
    zeros = ",0.,0.,0.,0.,0.,0.,0.,0."
    lines.append("PBEAM,50002,1,2.000E-02,6.6666667E-05,1.6666667E-05,0.,8.3333333E-05,0.")
    lines += [zeros] * 3
    for k in range(n_grids):
        lines.append(f"GRID,{k + 1},0,{length * k / (n_grids - 1):.8e},0.,0.,0")
    for k in range(1, n_grids):
        lines.append(f"CBEAM,{k + 10},50002,{k},{k + 1},0.,1.,0.")
        lines.append(",0,0,0.,0.,0.,0.,0.,0.")
    return "\n".join([*lines, "ENDDATA"])


def long_beam_cards(n_grids: int = 101) -> list[str]:
    """The lines of the long beam with coupled mass, without ENDDATA, so that more can be added."""
    return long_beam_deck(n_grids, coupled=True).split("\n")[:-1]


def bernoulli_free_hz(n: int, length: float = 9.0, bending=LONG_BEAM_EI, mass: float = 160.0) -> np.ndarray:
    """Free-free bending frequencies in both planes, ascending: f = (βL)² √(EI/ρA) / 2πL².

    bending : EI of both planes, or of one that counts twice; mass : ρA
    """
    from scipy.optimize import brentq

    roots = []
    for k in range(1, n + 1):
        middle = (k + 0.5) * np.pi
        roots.append(brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), middle - 0.3, middle + 0.3, xtol=1e-13))
    planes = np.sqrt(np.broadcast_to(bending, 2) / mass)
    return np.sort([r**2 * c / (2 * np.pi * length**2) for r in roots for c in planes])


def lumped_beam_hz(shear_factor: float, rotary: bool, n: int = 9) -> np.ndarray:
    """First three bending frequencies of SimpleBeam in one plane, by textbook matrices and dense algebra.

    Timoshenko's element with φ = 12EI/KAGh² (φ = 0: no shear), half of ρAh and, with `rotary`, of ρIh at each end.
    """
    import scipy.linalg as la

    E, nu, A, I, rho, h = 2e9, 0.29, 1.5625e-2, 2.0345e-5, 8000.0, 9.0 / n
    phi = 12 * E * I / (shear_factor * A * E / (2 * (1 + nu)) * h**2) if shear_factor else 0.0
    own, other = (4 + phi) * h**2, (2 - phi) * h**2
    element = np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, own, -6 * h, other],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, other, -6 * h, own],
        ]
    )
    K, mass = np.zeros((2 * n + 2, 2 * n + 2)), np.zeros(2 * n + 2)
    for e in range(n):
        K[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += E * I / ((1 + phi) * h**3) * element
        mass[2 * e : 2 * e + 4] += 0.5 * rho * h * np.array([A, I, A, I])
    if not rotary:  # rotations have no mass: condense them
        w, r = np.arange(0, 2 * n + 2, 2), np.arange(1, 2 * n + 2, 2)
        K = K[np.ix_(w, w)] - K[np.ix_(w, r)] @ np.linalg.solve(K[np.ix_(r, r)], K[np.ix_(r, w)])
        mass = mass[w]
    values = la.eigh(K, np.diag(mass), eigvals_only=True, subset_by_index=[2, 4])
    return np.sqrt(values) / (2 * np.pi)


def simple_beam_variants() -> list[Row]:
    """The second frequency of SimpleBeam with and without shear and rotary inertia, and with its mass spread out."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    text, rows = SIMPLE_BEAM.read_text(), []
    for factors, rotary, note in (
        ("8.3333E-01", False, "shear factors 5/6, as the deck says"),
        ("0.0", False, "no shear"),
        ("1.0", False, "shear factors 1: prints as 2.054"),
        ("8.3333E-01", True, "shear factors 5/6, rotary inertia"),
        ("0.0", True, "no shear, rotary inertia: prints as 2.054"),
    ):
        fe = FEModel.from_deck(deck_from_text(text.replace("8.3333E-01", factors)), rotary_inertia=rotary)
        found = normal_modes(fe, n_modes=10).frequencies_hz[8]
        wanted = lumped_beam_hz(float(factors), rotary)[1]
        name = f"second frequency, K {float(factors):.5g}{', rotary' if rotary else ''}, Hz"
        rows.append(_row("SimpleBeam", name, wanted, found, 1e-11, note, ROUNDS, True))
    spread = bernoulli_free_hz(2, bending=2e9 * 2.0345e-5, mass=8000.0 * 1.5625e-2)[2]
    lumped = lumped_beam_hz(0.0, False)[1]
    rows.append(
        _row("SimpleBeam", "second frequency, mass spread out, Hz", spread, lumped, None, "theory, no shear",
             "not judged: what nine lumps of mass in place of a spread one cost")
    )  # fmt: skip
    return rows


def study() -> Study:
    """Frequencies of the three beams."""
    from interstage import FEModel, normal_modes, read_deck
    from interstage.nastran import deck_from_text

    out = Study("beams", "Beams of the papers and of theory", __doc__)
    found = normal_modes(FEModel.from_deck(read_deck(SIMPLE_BEAM))).frequencies_hz[6:10]
    for k, wanted in enumerate(SIMPLE_BEAM_HZ):
        # three printed decimals; shear and rotary inertia: see above
        out.rows.append(_row("SimpleBeam", f"mode {k + 1}, Hz", wanted, found[k], 5e-4, "lumped mass"))
    out.rows += simple_beam_variants()
    for propellant, expected in ARTEMIS_HZ.items():
        fe = FEModel.from_deck(deck_from_text(artemis_deck(propellant)))
        modes = normal_modes(fe, n_modes=30)
        bending = _bending(modes, fe)
        name = f"ARTEMIS beam, {'full' if propellant else 'empty'}"
        for k, wanted in enumerate(expected):
            # seven printed digits
            out.rows.append(
                _row(name, f"bending mode {k + 1}, Hz", wanted, bending[2 * k], 1e-6, "coupled mass")
            )
    fe = FEModel.from_deck(deck_from_text(long_beam_deck(coupled=True)))
    found = normal_modes(fe, n_modes=16).frequencies_hz[6:14]
    for k, wanted in enumerate(bernoulli_free_hz(5)[:8]):
        # Hermite elements with consistent mass: error of order (βh)^4/720 of the eigenvalue
        out.rows.append(
            _row("101-grid beam", f"mode {k + 1}, Hz", wanted, found[k], 1e-6, "theory, no shear")
        )
    return out


def _bending(modes, fe) -> np.ndarray:
    """Frequencies of modes that bend (no axial motion, no twist), rigid ones left out."""
    keep = []
    for k, frequency in enumerate(modes.frequencies_hz):
        phi = modes.shapes[:, k].reshape(-1, 6)
        sideways = np.abs(phi[:, [1, 2, 4, 5]]).max()
        if frequency > 1e-2 and np.abs(phi[:, [0, 3]]).max() < 1e-3 * sideways:
            keep.append(frequency)
    return np.array(keep)


def _row(case: str, quantity: str, wanted: float, got: float, tolerance: float | None, note: str,
         why: str = "", after: bool = False) -> Row:  # fmt: skip
    cells = f"{wanted:.7g}", f"{got:.7g}", abs(got / wanted - 1.0), tolerance, note, why, after
    return Row(case, quantity, *cells)
