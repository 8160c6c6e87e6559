"""Beams of the papers behind this toolkit, and of the theory books, beside the built-in solver.

SimpleBeam is the run deck of the NESC report (NASA/TM-2020-5008164, C.2), the long beam is that of the FModal paper
(App. C, 101 grids), the tank beam that of the ARTEMIS paper (Tables 1-5).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from validation.study import Row, Study

SIMPLE_BEAM = Path(__file__).resolve().parents[1] / "examples" / "decks" / "SimpleBeam.dat"
SIMPLE_BEAM_HZ = (0.764, 0.764, 2.054, 2.054)
ARTEMIS_HZ = {
    0.0: (3.295551, 6.188647, 9.068079, 11.25814, 12.62832),
    1.0: (1.798136, 4.347146, 7.326610, 10.15644, 12.27924),
}


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


def bernoulli_free_hz(n: int, length: float = 9.0) -> np.ndarray:
    """Free-free bending frequencies of the long beam in both planes, ascending: f = (βL)² √(EI/ρA) / 2πL²."""
    from scipy.optimize import brentq

    roots = []
    for k in range(1, n + 1):
        middle = (k + 0.5) * np.pi
        roots.append(brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), middle - 0.3, middle + 0.3, xtol=1e-13))
    planes = [np.sqrt(2e9 * I / (8000.0 * 0.02)) for I in (6.6666667e-05, 1.6666667e-05)]
    return np.sort([r**2 * c / (2 * np.pi * length**2) for r in roots for c in planes])


def study() -> Study:
    """Frequencies of the three beams."""
    from interstage import FEModel, normal_modes, read_deck
    from interstage.nastran import deck_from_text

    out = Study("beams", "Beams of the papers and of theory", __doc__)
    found = normal_modes(FEModel.from_deck(read_deck(SIMPLE_BEAM))).frequencies_hz[6:10]
    for k, wanted in enumerate(SIMPLE_BEAM_HZ):
        # three printed decimals, and conventions of shear and rotary inertia that differ between versions
        out.rows.append(_row("SimpleBeam", f"mode {k + 1}, Hz", wanted, found[k], 5e-4, "lumped mass"))
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


def _row(case: str, quantity: str, wanted: float, got: float, tolerance: float, note: str) -> Row:
    return Row(case, quantity, f"{wanted:.7g}", f"{got:.7g}", abs(got / wanted - 1.0), tolerance, note)
