"""Engines in the modes against engines out of the modes: a small launch vehicle with four engines (NESC report, D.2).

A stage of beams with a cruciform thrust frame carries four engines, lumped bodies of 2.4 t hung below gimbals. The
finite-element model with the engines held is the truth up to 11 Hz. Two multibody models hang the same engines on
held gimbals: one on modes made without the engines (EOTM), one on modes made with them (EITM), where the engines'
rigid-body properties were taken off the body but their share in the modes was left, so that they count twice
(NASA/TM-2020-5008164, Figure D.2.5). All modes below 11 Hz are kept in both. The figure of that report shows the first
to be much nearer.

Two further models show how each may be mended: EOTM with the gimbals in the interface (normalized component modes),
and EITM with the engines taken out of the modal mass as well, which gives back the truth.

    python -m validation engines_in_modes
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validation.study import ROUNDS, Row, Study

CUTOFF_HZ = 11.0
LENGTH, STATIONS = 50.0, 26
MASS_PER_LENGTH = 1500.0  # kg/m with propellant
ARM = 2.6  # m from the axis to a gimbal
GIMBALS = (101, 102, 103, 104)
FIXED = 90  # fixed-interface modes where the gimbals are in the interface
ENGINE = {"mass": 2400.0, "com": (-1.5, 0.08, -0.05), "inertia": (1100.0, 3200.0, 3300.0)}


def stage_deck(engines: bool) -> str:
    """Return the deck of the stage along x, gimbals at x = 0, with or without the engines held."""
    lines = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.0+10,2.7+10,,0.", "PBAR,1,1,.03,.012,.0104,.012"]
    lines += ["PBAR,2,1,.06,4.0-3,4.0-3,5.0-3", "PBAR,3,1,.03,1.5-3,1.5-3,2.0-3"]
    for k, x in enumerate(np.linspace(1.5, 1.5 + LENGTH, STATIONS)):
        lines.append(f"GRID,{k + 1},0,{x:.6f},0.,0.,0")
        lump = MASS_PER_LENGTH * LENGTH / (STATIONS - 1) * (0.5 if k in (0, STATIONS - 1) else 1.0)
        lump *= 1.0 + 0.25 * np.sin(5.0 * k / STATIONS)
        # propellant sits a little off the axis at some stations
        y, z = 0.15 * np.sin(0.9 * k), 0.1 * np.cos(1.7 * k)
        lines.append(f"CONM2,{201 + k},{k + 1},0,{lump:.6f},0.,{y:.6f},{z:.6f}")
        lines.append(f",{2.1 * lump:.4f},0.,{1.2 * lump:.4f},0.,0.,{1.1 * lump:.4f}")
        if k:
            lines.append(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.")
    for k, gimbal in enumerate(GIMBALS):
        angle = 0.5 * np.pi * k + 0.25 * np.pi
        y, z = ARM * np.cos(angle), ARM * np.sin(angle)
        lines.append(f"GRID,{110 + k},0,1.5,{0.5 * y:.9f},{0.5 * z:.9f},0")
        lines.append(f"GRID,{gimbal},0,0.,{y:.9f},{z:.9f},0")
        lines.append(f"CBAR,{60 + k},2,1,{110 + k},1.,0.,0.")
        lines.append(f"CBAR,{70 + k},2,{110 + k},{gimbal},1.,0.,0.")
        lines.append(f"CBAR,{80 + k},3,2,{gimbal},0.,1.,1.")
        for grid, mass in ((110 + k, 150.0), (gimbal, 260.0)):
            lines += [f"CONM2,{300 + grid},{grid},0,{mass}", ",40.,0.,40.,0.,0.,40."]
    if engines:
        a, b, c = ENGINE["inertia"]
        x, y, z = ENGINE["com"]
        for gimbal in GIMBALS:
            lines += [
                f"CONM2,{700 + gimbal},{gimbal},0,{ENGINE['mass']},{x},{y},{z}",
                f",{a},0.,{b},0.,0.,{c}",
            ]
    return "\n".join([*lines, "ENDDATA"])


def truth() -> tuple[np.ndarray, np.ndarray]:
    """Return elastic frequencies of the single model below the cutoff, and shapes (3N, n), translations of grids."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    model = FEModel.from_deck(deck_from_text(stage_deck(True)))
    modes = normal_modes(model, n_modes=80)
    hz = modes.frequencies_hz[6:]
    n = int((hz < CUTOFF_HZ).sum())
    shapes = np.asarray(modes.shapes).reshape(len(model.grids.id), 6, -1)[:, :3, 6 : 6 + n]
    return hz[:n], shapes.reshape(-1, n)


def stage(engines: bool, n_modes: int, aset=None):
    """Return the component of the stage."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    deck = deck_from_text(stage_deck(engines))
    return Component.from_deck(deck, n_modes=n_modes, aset=aset or {}, modal_integrals=False, name="stage")


def below_cutoff(engines: bool) -> int:
    """Return how many elastic modes of a stage lie below the cutoff."""
    return int((stage(engines, 60).frequencies_hz < CUTOFF_HZ).sum())


def system_modes(record, n: int, node: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the first n elastic frequencies of stage and four held engines, and their shapes (3N, n)."""
    from interstage.multibody import Free, Locked, Multibody

    mb = Multibody("vehicle")
    mb.add_body("stage", component=record, node=node, joint=Free())
    for k, gimbal in enumerate(GIMBALS):
        mb.add_body(f"engine{k + 1}", parent="stage", at=gimbal, joint=Locked(), **ENGINE)
    system = mb.compile()
    x, modes = system.state(), system.modes()
    J = np.vstack([system.jacobian(x, "stage", int(k))[3:] for k in record.node_ids])
    return modes.frequencies_hz[6 : 6 + n], J @ modes.shapes[:, 6 : 6 + n]


@dataclass
class Outcome:
    """The truth, and frequencies of each model."""

    truth: np.ndarray
    models: dict[str, np.ndarray]
    modes: dict[str, int]
    true_shapes: np.ndarray
    shapes: dict[str, np.ndarray]


def run() -> Outcome:
    """Compute the truth and the four models."""
    true_hz, true_shapes = truth()
    n = len(true_hz)
    out, inside = below_cutoff(False), below_cutoff(True)
    part = {"mass": ENGINE["mass"], "inertia": np.diag(ENGINE["inertia"]), "offset": ENGINE["com"]}
    double = mended = stage(True, inside)
    for gimbal in GIMBALS:
        double = double.without_rigid(gimbal, **part, modes=False)
        mended = mended.without_rigid(gimbal, **part)
    interface = stage(False, FIXED, dict.fromkeys(GIMBALS, 123456))
    records = {"EITM": double, "EOTM": stage(False, out), "EOTM, gimbals in the interface": interface}
    records["EITM, engines out of the modal mass"] = mended
    found = {
        name: system_modes(record, n, GIMBALS[0] if record is interface else None)
        for name, record in records.items()
    }
    return Outcome(
        true_hz,
        {name: hz for name, (hz, _) in found.items()},
        {name: record.n_modes for name, record in records.items()},
        true_shapes,
        {name: shapes for name, (_, shapes) in found.items()},
    )


WAY = "not judged: the error of this way of making modes, which the study is about; the last row holds their ratio"
WHYS = {1e-3: "what modes above those that are kept would add", 1e-11: ROUNDS}


def study() -> Study:
    """Put errors of both kinds of modes side by side."""
    about = __doc__.rsplit("\n\n", 1)[0].split("\n\n", 1)[1].strip()
    out = Study("engines_in_modes", "Engines in the modes, engines out of the modes", about)
    found = run()
    worst, shared = {}, min(found.modes["EOTM"], len(found.truth))
    for name, hz in found.models.items():
        k = min(len(hz), len(found.truth))
        error = np.abs(hz[:k] - found.truth[:k])
        worst[name] = float(error[:shared].max())
        limit = {"EOTM, gimbals in the interface": 1e-3, "EITM, engines out of the modal mass": 1e-11}.get(
            name
        )
        text = [", ".join(f"{f:.5f}" for f in (*values[:2], values[k - 1])) for values in (found.truth, hz)]
        out.rows.append(
            Row(f"{name}, {found.modes[name]} modes", f"{k} frequencies below 11 Hz, Hz", *text, float(error.max()),
                limit, f"median error {np.median(error):.1e} Hz", WAY if limit is None else WHYS[limit],
                limit is not None)
        )  # fmt: skip
    ratio = worst["EOTM"] / worst["EITM"]
    out.rows.append(
        Row(
            "EOTM over EITM",
            f"largest error of the first {shared} modes, ratio",
            "< 1",
            f"{ratio:.3f}",
            ratio,
            0.5,
            "Figure D.2.5: EOTM nearer",
        )
    )
    out.pictures["engines_in_modes.png"] = lambda path: draw(found).savefig(path, dpi=120)
    out.pictures["engines_in_modes_mac.png"] = lambda path: draw_mac(found).savefig(path, dpi=110)
    return out


def draw(found: Outcome):
    """Draw frequencies of the truth and errors of the models, as Figure D.2.5."""
    from interstage.report.plots import frequency_errors

    n = len(found.truth)
    errors = {name: hz[:n] - found.truth[: len(hz[:n])] for name, hz in found.models.items()}
    return frequency_errors(
        found.truth, errors, title="Stage with four engines held, modes below 11 Hz (Figure D.2.5)"
    )


def draw_mac(found: Outcome):
    """Draw how far modes of the model with engines in its modes are those of the truth."""
    from interstage.linear import mac
    from interstage.report import plots

    return plots.mac(
        mac(found.true_shapes, found.shapes["EITM"]),
        rows_hz=found.truth,
        columns_hz=found.models["EITM"],
        row_label="single finite-element model",
        column_label="EITM, engines counted twice",
        title="Modal assurance, translations of all grids",
    )
