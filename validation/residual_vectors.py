"""Static response with residual vectors: a cantilever (FModal paper, section 5), and NX Nastran's vectors."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from validation import nastran_decks
from validation.study import Row, Study


def beam_deck(n: int = 101, length: float = 9.0) -> str:
    """The single-length beam of the FModal paper, App. C: 101 grids along x from 0 to 9 m."""
    return "\n".join(
        [
            "SOL 103",
            "CEND",
            "BEGIN BULK",
            "PARAM,COUPMASS,1",
            *[f"GRID,{i + 1},0,{length * i / (n - 1):.8f},0.0,0.0,0" for i in range(n)],
            *[f"CBEAM,{11 + i},50002,{i + 1},{i + 2},0.,1.,0." for i in range(n - 1)],
            "MAT1,1,2.000+9,775193798.449612,,8000.0,12.000-6,21.85,0.0",
            "PBEAM,50002,1,2.000E-02,6.6666667E-05,1.6666667E-05,0.,8.3333333E-05,0.",
            "ENDDATA",
            "",
        ]
    )


def tip_response(component, tip: int, direction: int) -> float:
    """Deflection of the tip under a unit force there, body held at its interface, in modal coordinates."""
    c = component

    def motion(grid):
        row = c.node_row(grid)
        l = c.node_positions[row]
        lx = np.array([[0, -l[2], l[1]], [l[2], 0, -l[0]], [-l[1], l[0], 0]])
        return np.block([[-lx, np.eye(3), c.gamma[row]], [np.eye(3), np.zeros((3, 3)), c.lam[row]]])

    w = 2 * np.pi * c.frequencies_hz
    scale = np.concatenate([np.ones(6), 1 / w])
    held = np.vstack([motion(grid) for grid in c.aset])
    Z = la.null_space(held * scale)
    load = (motion(tip)[direction] * scale) @ Z
    return float(load @ la.solve((Z[6:].T @ Z[6:]), load, assume_a="pos"))


ROUNDING = (1e-12, 1e-10, 1e-10)  # along x, y, z: bending is 1e4 times as flexible as the axis


def cantilever_rows() -> list[Row]:
    """17 modes against 10 modes and 7 residual vectors against the whole model."""
    from interstage.component import Component
    from interstage.nastran import deck_from_text

    deck = deck_from_text(beam_deck())
    tip = 101
    L, E, G, A, I1, I2 = 9.0, 2.0e9, 775193798.449612, 2.0e-2, 6.6666667e-5, 1.6666667e-5
    # beam elements are exact at their nodes, so that the whole model has the deflections of beam theory
    exact = {0: L / (E * A), 1: L**3 / (3 * E * I1) + L / (G * A), 2: L**3 / (3 * E * I2) + L / (G * A)}
    plain = Component.from_deck(deck, 17, aset={1: 123456})
    rich = Component.from_deck(deck, 10, aset={1: 123456}, rvdof={tip: 123456, 51: 3})
    rows = []
    for direction, name in ((2, "force along z"), (1, "force along y"), (0, "force along x")):
        want = exact[direction]
        for label, component, limit, why in (
            ("17 modes", plain, None, "not judged: what modes alone miss"),
            (
                "10 modes + 7 residual vectors",
                rich,
                ROUNDING[direction],
                "rounding of solutions for the whole model",
            ),
        ):
            got = tip_response(component, tip, direction)
            rows.append(
                Row(
                    f"cantilever, {name}",
                    label,
                    f"{want:.9e} m",
                    f"{got:.9e} m",
                    abs(got / want - 1),
                    limit,
                    "",
                    why,
                )
            )
    return rows


def nastran_rows() -> list[Row]:
    """Frequencies of the residual vectors of NX Nastran 9.1 for the same truss, loads and inertia relief."""
    from interstage.component import Component

    a, b = [1.5, -1.5, 2.0], [-1.5, 10.0, -2.0]
    loads = [{13: a, 21: b}, {12: a, 20: b}, {13: a, 20: b}]
    held = {3: 123456, 11: 123456, 19: 123456, 27: 123456}
    rows = []
    for case, options in (
        ("craig_bampton_inboard", {"n_modes": 3, "loads": loads}),
        ("craig_bampton_inboard_350hz", {"n_modes": 54}),
    ):
        component = Component.from_deck(nastran_decks.read(case), aset=held, inertia_relief=True, **options)
        first = options["n_modes"]
        want = np.sqrt(nastran_decks.figures(case)["modal_stiffness"][first:]) / (2 * np.pi)
        got = component.craig_bampton.frequencies_hz[first : first + len(want)]
        error = float(np.abs(got / want - 1).max())
        rows.append(
            Row(case, f"{len(want)} residual frequencies, Hz", f"{want[0]:.6g} ... {want[-1]:.6g}",
                f"{got[0]:.6g} ... {got[-1]:.6g}", error, 1e-6)
        )  # fmt: skip
    return rows


def study() -> Study:
    """Run the study."""
    rows = cantilever_rows() + nastran_rows()
    return Study(
        name="residual_vectors",
        title="Residual vectors",
        about="Tip deflection of the cantilever of the FModal paper (101 grids, held at grid 1) under a unit force "
        "at its tip: the whole model, 17 fixed-interface modes, and 10 modes with 7 residual vectors. Below, "
        "residual vectors of NX Nastran 9.1 (applied loads and inertia relief) beside ours.",
        rows=rows,
    )
