"""Two beams in the engine, one finite-element model of both: frequencies and mode shapes.

The component is the single-length beam of the FModal paper (App. C: 101 grids on 9 m, coupled mass), written to
one file with all 600 of its fixed-interface modes. That file makes two beams locked in line and at 45 degrees,
pinned together, a double-length cantilever, and a free beam with a lumped mass and without it. The reference is
our finite-element solver on one deck of the whole structure. Errors are absolute, over the first 20 elastic
modes (shapes: the first six, all components of all grids, each mode scaled to a largest translation of one).
The paper prints 5e-6 Hz and 6e-6 for the cantilever, 5e-6 Hz and 5e-6 for the lumped mass.

    python -m validation two_beams
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from validation.beams import Comparison, long_beam_cards
from validation.study import ROUNDS, Row, Study

GRIDS, LENGTH = 101, 9.0
FIRST = 1001  # first grid of the second beam
HZ_TOLERANCE = 1e-7  # complete basis: what remains is rounding
PAPER_HZ = 5e-6
CUT_OFF = {
    (True, False): 5e-2,
    (True, True): 2e-2,
    (False, False): 1e-4,
    (False, True): 2e-7,
}  # Hz: alone, many modes
PAPER_SHAPES = {"cantilever": 6e-6, "lumped mass": 5e-6}
MODES, SHAPES = 20, 6
KEPT = (7, 12, 20, 35, 60, 100, 200)
LUMP = {"mass": 300.0, "com": (0.1, 0.2, -0.15), "inertia": (20.0, 30.0, 40.0), "grid": 76}


def second_beam(angle: float, hinge: bool) -> list[str]:
    """Return cards of a second beam from grid 101, turned by `angle` about z, locked or hinged about z."""
    c, s = np.cos(angle), np.sin(angle)
    ids = [FIRST + k if k or hinge else GRIDS for k in range(GRIDS)]
    lines = []
    for k, grid in enumerate(ids):
        if grid != GRIDS:
            x = LENGTH * k / (GRIDS - 1)
            lines += [f"GRID*,{grid},0,{LENGTH + c * x:.16e},{s * x:.16e}", "*,0.,0"]
    for k in range(GRIDS - 1):
        lines += [f"CBEAM*,{2000 + k},50002,{ids[k]},{ids[k + 1]}", f"*,{-s:.16e},{c:.16e},0."]
    if hinge:
        lines.append(f"RBE2,5000,{GRIDS},12345,{FIRST}")
    return lines


def whole_deck(*extra: str, clamp: bool = False) -> str:
    """Return one deck of the first beam and more cards, grid 1 held where asked."""
    lines = long_beam_cards()
    if clamp:
        lines.insert(2, "SPC = 1")
        lines.append("SPC1,1,123456,1")
    return "\n".join([*lines, *extra, "ENDDATA"])


def lump_cards() -> list[str]:
    """Return the CONM2 of the lumped mass."""
    x, y, z = LUMP["com"]
    a, b, c = LUMP["inertia"]
    return [f"CONM2,9000,{LUMP['grid']},0,{LUMP['mass']},{x},{y},{z}", f",{a},0.,{b},0.,0.,{c}"]


def fe_modes(deck: str, skip: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grid ids, elastic frequencies and shapes (grids, 6, modes), T1 T2 T3 R1 R2 R3, of one deck."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(deck))
    modes = normal_modes(fe, n_modes=skip + MODES)
    shapes = modes.shapes[:, skip:].reshape(len(fe.grids.id), 6, -1)
    return fe.grids.id, modes.frequencies_hz[skip : skip + MODES], shapes


def shape_difference(system, modes, skip: int, ids: np.ndarray, reference: np.ndarray) -> float:
    """Return the Frobenius norm of the difference of the first mode shapes, each scaled to largest one."""
    ours = np.empty((len(ids), 6, SHAPES))
    for k, grid in enumerate(ids):
        body, node = ("second", int(grid) - FIRST + 1) if grid >= FIRST else ("first", int(grid))
        motion = modes.at(body, node)[:, skip : skip + SHAPES]
        ours[k, :3], ours[k, 3:] = motion[3:], motion[:3]
    total = 0.0
    for r in range(SHAPES):
        a, b = ours[:, :, r], reference[:, :, r]
        top = np.unravel_index(np.argmax(np.abs(b[:, :3])), b[:, :3].shape)
        total += np.sum((a / a[top] - b / b[top]) ** 2)
    return float(np.sqrt(total))


def vehicle(component, root, joint=None, angle: float = 0.0, lump: bool = False, **options):
    """Return the compiled system: first beam on `root`, then a second one on `joint`, or the lumped mass."""
    from interstage.multibody import Locked, Multibody
    from interstage.spatial import Rotation

    mb = Multibody("beams")
    mb.add_body("first", component=component, node=1, joint=root, **options)
    if joint is not None:
        R = Rotation.from_axis_angle([0, 0, 1], angle).matrix
        mb.add_body(
            "second",
            component=component,
            node=1,
            parent="first",
            at=GRIDS,
            joint=joint,
            rotation=R,
            **options,
        )
    if lump:
        mb.add_body(
            "lump",
            mass=LUMP["mass"],
            com=LUMP["com"],
            inertia=np.diag(LUMP["inertia"]),
            parent="first",
            at=LUMP["grid"],
            joint=Locked(),
        )
    return mb.compile()


def compare(system, x, deck: str, rigid: int, shapes: bool = False) -> Comparison:
    """Compare the modes of the system at state x with those of one deck; `rigid` modes are left out."""
    ids, hz, phi = fe_modes(deck, rigid)
    modes = system.modes(x)
    out = Comparison(hz, modes.frequencies_hz[rigid : rigid + MODES])
    if shapes:
        out.shapes = shape_difference(system, modes, rigid, ids, phi)
    return out


def cases(component, quick: bool = False) -> dict[str, Comparison]:
    """Return every comparison with the complete basis, by name (quick: pinned at 45 degrees and the cantilever)."""
    from interstage.multibody import Free, Locked, Revolute

    out, angles = {}, (45,) if quick else (0, 45)
    for degrees in () if quick else angles:
        angle = np.deg2rad(degrees)
        system = vehicle(component, Free(), Locked(), angle)
        deck = whole_deck(*second_beam(angle, hinge=False))
        out[f"locked at {degrees} deg"] = compare(system, system.state(), deck, 6)
    system = vehicle(component, Free(), Revolute("z"))
    for degrees in angles:
        angle = np.deg2rad(degrees)
        x = system.state()
        x["second"].q[:] = angle
        deck = whole_deck(*second_beam(angle, hinge=True))
        out[f"pinned, turned to {degrees} deg"] = compare(system, x, deck, 7)
    system = vehicle(component, Locked(), Locked())
    deck = whole_deck(*second_beam(0.0, hinge=False), clamp=True)
    out["double-length cantilever"] = compare(system, system.state(), deck, 0, shapes=True)
    if quick:
        return out
    system = vehicle(component, Free(), lump=True)
    out["free beam with lumped mass"] = compare(
        system, system.state(), whole_deck(*lump_cards()), 6, shapes=True
    )
    system = vehicle(component, Free())
    out["free beam, mass detached"] = compare(system, system.state(), whole_deck(), 6, shapes=True)
    return out


def truncation() -> dict[str, tuple[list[int], list[float]]]:
    """Return modes a beam and error over the first ten elastic modes, for three ways to make the component."""
    from interstage import Component
    from interstage.multibody import Free, Locked
    from interstage.nastran import deck_from_text

    deck = deck_from_text(whole_deck())
    angle = np.pi / 4
    reference = fe_modes(whole_deck(*second_beam(angle, hinge=False)), 6)[1][:10]
    ways = {
        "interface at the inboard grid": ({1: 123456}, None),
        "the same, residual vectors at the outboard grid": ({1: 123456}, {GRIDS: 123456}),
        "interface at both ends": ({1: 123456, GRIDS: 123456}, None),
    }
    out = {}
    for name, (aset, rvdof) in ways.items():
        found = ([], [])
        for kept in KEPT:
            c = Component.from_deck(deck, n_modes=kept, aset=aset, rvdof=rvdof, modal_integrals=False)
            hz = vehicle(c, Free(), Locked(), angle).modes().frequencies_hz[6:16]
            found[0].append(c.n_modes)
            found[1].append(float(np.abs(hz - reference).max()))
        out[name] = found
    return out


def complete_component():
    """Return the beam with all its fixed-interface modes, by way of a component file."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    made = Component.from_deck(
        deck_from_text(whole_deck()),
        n_modes=6 * (GRIDS - 1),
        aset={1: 123456},
        modal_integrals=False,
        name="beam",
    )
    with tempfile.TemporaryDirectory() as folder:
        made.save(Path(folder) / "beam.h5")
        return Component.load(Path(folder) / "beam.h5")


def study(quick: bool = False) -> Study:
    """Every case with the complete basis, and what fewer modes cost (quick: two cases)."""
    out = Study("two_beams", "Two beams against one finite-element model", _about())
    found = cases(complete_component(), quick)
    for name, item in found.items():
        # the finite-element frequencies themselves carry rounding of a few 1e-8 Hz
        want, got = _some(item.reference), _some(item.ours)
        paper = PAPER_HZ if name in ("double-length cantilever", "free beam with lumped mass") else None
        note = f"paper: {paper:.0e} Hz" if paper else ""
        out.rows.append(
            Row(name, f"{MODES} frequencies, Hz", want, got, item.error, HZ_TOLERANCE, note, ROUNDS)
        )
        if np.isfinite(item.shapes):
            limit = PAPER_SHAPES["cantilever" if "cantilever" in name else "lumped mass"]
            note = "" if "detached" in name else f"paper: {limit:.0e}"
            out.rows.append(
                Row(
                    name,
                    f"shape matrix, {SHAPES} modes",
                    "one FE model",
                    "engine",
                    item.shapes,
                    limit,
                    note,
                    ROUNDS,
                )
            )
    if quick:
        return out
    kept = truncation()
    straight, bent = found["locked at 0 deg"], found["locked at 45 deg"]
    ratio, wanted = bent.ours[0] / straight.ours[0], bent.reference[0] / straight.reference[0]
    out.rows.append(
        Row(
            "45 deg against 0 deg", "ratio of the first frequencies", f"{wanted:.9f}", f"{ratio:.9f}",
            abs(ratio - wanted), 1e-6, 'paper: "nearly doubled"'
        )
    )  # fmt: skip
    complete = float(np.abs(bent.ours[:10] - bent.reference[:10]).max())
    for name, (n, errors) in kept.items():
        for modes, error in zip(n, errors):
            if modes in (35, 41, 200, 206):
                what = f"10 frequencies, Hz, {modes} modes a beam"
                limit = CUT_OFF[name == "interface at the inboard grid", modes > 100]
                why = "error of modes that are cut off, as seen"
                out.rows.append(
                    Row("locked at 45 deg", what, "one FE model", "engine", error, limit, name, why, True)
                )
    kept["interface at the inboard grid"][0].append(6 * (GRIDS - 1))
    kept["interface at the inboard grid"][1].append(complete)
    out.pictures["two_beams.png"] = lambda path: draw(found, kept, path)
    return out


def _about() -> str:
    return __doc__.split("\n\n")[1].strip()


def _some(values: np.ndarray) -> str:
    return f"{values[0]:.8f}, {values[1]:.8f} ... {values[-1]:.8f}"


def draw(found: dict[str, Comparison], kept: dict[str, tuple[list[int], list[float]]], path: Path) -> None:
    """Draw error against modes kept, and errors mode by mode with the complete basis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    for (name, (n, errors)), mark, color in zip(kept.items(), "osD", ("#1f4e79", "#c55a11", "#548235")):
        left.loglog(n, errors, marker=mark, color=color, label=name)
    left.axhline(HZ_TOLERANCE, color="0.5", ls="--", lw=1)
    left.text(7.2, 1.3 * HZ_TOLERANCE, "1e-7 Hz", color="0.4", fontsize=8)
    left.set(ylim=(1e-10, 1.0), xlabel="modes a beam", title="Two beams locked at 45°: modes kept")
    left.set_ylabel("largest error of the first ten frequencies, Hz")
    left.legend(frameon=False, fontsize=9, loc="lower left")
    for name, item in found.items():
        errors = np.maximum(np.abs(item.ours - item.reference), 1e-13)
        right.semilogy(item.reference, errors, ".-", lw=0.8, label=name)
    right.axhline(PAPER_HZ, color="0.5", ls="--", lw=1)
    right.text(0.1, 1.3 * PAPER_HZ, "the paper's 5e-6 Hz", color="0.4", fontsize=8)
    right.set(ylim=(1e-13, 1e-4), xlabel="frequency, Hz", ylabel="error, Hz")
    right.set_title("Complete basis: one component file, seven structures")
    right.legend(frameon=False, fontsize=8, ncols=2, loc="lower right")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=130)
    plt.close(figure)
