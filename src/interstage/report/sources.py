"""Reports of files: a component, a linear model, a simulation log, the log of a flight, a study."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.files import COMPONENT, LINEAR, LINEAR_SET, LOG, STUDY, file_kind, is_deck
from interstage.output import is_file, is_folder
from interstage.report.document import Node, Report, Section, versions
from interstage.report.drawings import SHOWN_DB, gains_svg, poles_svg
from interstage.report.figures import HINT, Curve, Panel, bode_figure, lines_figure
from interstage.report.flights import log_report
from interstage.report.scene import ElementPart, Scene, SceneMode, parts_of_model
from interstage.simulation.log.log import Log
from interstage.studies.study import SUMMARY, Study

if TYPE_CHECKING:
    from interstage.linear import LinearModel, LinearModelSet

MOST_SHAPES = 30
MOST_POINTS = 40000
MOST_CHANNELS = 6
MOST_MODES = 24
POLES_SENTENCE = (
    "Every dot is a way to vibrate: height is its frequency, distance from zero how quickly it dies out; left of zero "
    "it would grow."
)
SAMPLED_SENTENCE = " The model is sampled: frequency and damping are those of ln(z)/dt."


def report_file(path: str | Path, deck: str | Path | None = None) -> Report:
    """Return the report of a file, of the folder of a study, or of what a NASTRAN deck asks for.

    deck : NASTRAN deck of a component or of a body of a flight, whose elements are drawn; without it grids are
    """
    path = Path(path)
    path = path / SUMMARY if is_folder(path) and is_file(path / SUMMARY) else path
    if is_deck(path) and deck is None:
        return import_module("interstage.report.decks").deck_report(path)
    kind = file_kind(path)
    if deck is not None and kind not in (COMPONENT, LOG):
        raise InputError("a deck goes with a component or a log", where=str(path), got=f"a {kind.words}")
    reports = {COMPONENT: component_report, LINEAR: linear_report, LINEAR_SET: model_set_report}
    if kind is STUDY:
        return import_module("interstage.report.studies").study_report(
            Study.load(path)
        )  # draws by matplotlib
    if kind is LOG:
        return log_report(Log.load(path), path.name, () if deck is None else (deck,))
    made = reports.get(kind)
    if made is None:
        raise InputError(
            f"there is no report of a {kind.words}", where=str(path), hint="interstage info shows it"
        )
    return made(kind.load(path), path.name, *([deck] if kind is COMPONENT else []))


# component ----------------------------------------------------------------------------------------------


def component_report(c: Any, source: str, deck: str | Path | None = None) -> Report:
    """Return the report of a component."""
    unit = c.units
    report = Report(
        c.name, f"One flexible body: its modes, mass and what it carries, as the component file {source} holds them.",
        "Component",
    )  # fmt: skip
    report.fact("Mass", f"{c.mass:.6g}", unit.get("mass", ""))
    report.fact("Grids", f"{c.n_nodes}")
    report.fact("Modes", f"{c.n_modes}", "", f"{int(np.sum(c.residual_vector))} of them residual vectors")
    if c.n_modes:
        report.fact("First frequency", f"{c.frequencies_hz[0]:.4g}", "Hz")
    if c.n_modes and c.n_nodes:
        _component_shapes(report, c, deck)
    _component_mass(report, c)
    _component_about(report, c, source)
    return report


def _component_shapes(report: Report, c: Any, deck: str | Path | None) -> None:
    count = min(c.n_modes, MOST_SHAPES)
    parts, rows, how = component_parts(c, deck)
    gamma = np.asarray(c.gamma[:, :, :count])[rows]
    shapes = [SceneMode(f"{c.frequencies_hz[k]:.4g} Hz", gamma[:, :, k]) for k in range(count)]
    section = report.section("modes", "Modes", "The patterns in which the body can vibrate on its own.")
    held = f"normalized component modes, {len(c.aset)} interface grids" if c.aset else "free body"
    section.figure(
        "Mode shapes",
        "Pick a mode: the body moves as it would vibrate, greatly exaggerated, and colour shows how far each place "
        f"moves ({held}). {how}",
        Scene(np.asarray(c.node_positions)[rows], parts, shapes).figure(),
    )  # fmt: skip
    kind = ["residual vector" if r else "mode" for r in c.residual_vector]
    section.table(
        "Frequencies",
        "How often a second each pattern goes back and forth, and how quickly it dies out.",
        ("", "kind", "Hz", "damping, %"),
        [
            (k + 1, kind[k], f"{c.frequencies_hz[k]:.5g}", f"{100 * c.damping_ratio[k]:.3g}")
            for k in range(c.n_modes)
        ],
        text=(1,),
        tall=True,
    )


def component_parts(c: Any, deck: str | Path | None) -> tuple[list[ElementPart], np.ndarray, str]:
    """Return parts, the rows of nodes that are drawn, and a sentence about how."""
    if deck is None:
        step = max(1, -(-c.n_nodes // MOST_POINTS))
        rows = np.arange(0, c.n_nodes, step)
        note = "The file holds grids, not elements: dots are drawn; name the deck to see its elements."
        return [ElementPart("grids", dots=np.arange(len(rows)))], rows, note
    from interstage.fem import FEModel
    from interstage.nastran import read_deck

    fe = FEModel.from_deck(read_deck(deck))
    ids = np.asarray(c.node_ids)
    at = np.minimum(np.searchsorted(ids, fe.grids.id), len(ids) - 1)
    rows = np.where(ids[at] == fe.grids.id, at, -1)
    parts = parts_of_model(fe, rows)
    if not parts:
        raise InputError("the deck has no element whose grids are in the component", where=str(deck))
    return parts, np.arange(len(ids)), f"Elements are those of {Path(deck).name}."


def _component_mass(report: Report, c: Any) -> None:
    section = report.section(
        "mass", "Mass", "What the body weighs, and the bodies that were taken out of it."
    )
    J, unit = np.asarray(c.inertia), c.units
    length, kg = unit.get("length", "length"), unit.get("mass", "mass")
    with section.pair():
        section.pairs(
            "Mass properties",
            "Mass, centre of mass from the reference point, inertia about the reference point.",
            {
                "mass": f"{c.mass:.9g} {kg}",
                "centre of mass": ", ".join(f"{v:.6g}" for v in c.com) + f" {length}",
                **{f"inertia {n}": f"{v:.6g} {kg} {length}²" for n, v in zip(("xx", "yy", "zz"), np.diag(J))},
            },
        )
        children = [
            Node(b.name, f"{b.mass:.6g} {kg} at grid {b.grid}, {b.connection}, {b.joint}")
            for b in c.child_bodies
        ]
        carried = "Lumped bodies that are attached to it again in a vehicle."
        if not children:
            carried = "Nothing was taken out of this body."
        section.tree("Body tree", carried, [Node(c.name, f"flexible, {c.n_modes} modes", children)])


def _component_about(report: Report, c: Any, source: str) -> None:
    section = report.section("about", "About", "Where the numbers come from.")
    integrals = "all orders" if c.has_integrals else "zero order"
    with section.pair():
        notes = c.notes or ["The file has no notes."]
        section.bullets("What was assumed", "Notes that were written with the component.", notes)
        section.pairs(
            "Provenance",
            "With these the file can be made again.",
            {"file": source, "modal integrals": integrals, **c.provenance, **versions()},
        )


# linear model -------------------------------------------------------------------------------------------


def linear_report(lin: Any, source: str) -> Report:
    """Return the report of a linear model."""
    report = Report(
        lin.name,
        f"A linear model for control design, from the file {source}: its poles, and how outputs answer inputs.",
        "Linear model",
    )  # fmt: skip
    poles = lin.poles()
    fastest, unstable = _pole_facts(poles)
    report.fact("States", f"{lin.n_states}")
    report.fact("Inputs", f"{len(lin.inputs)}")
    report.fact("Outputs", f"{len(lin.outputs)}")
    report.fact("Unstable poles", f"{unstable}", "", "integrators not counted")
    if lin.dt is not None:
        report.fact("Sample time", f"{lin.dt:g}", "s", "a map from one sample to the next")
    _linear_response(report, lin, poles, fastest)
    section = report.section("poles", "Poles", "The ways in which the model moves by itself.")
    with section.pair():
        section.card(
            "Poles",
            POLES_SENTENCE if lin.dt is None else POLES_SENTENCE + SAMPLED_SENTENCE,
            poles_svg(poles.continuous[np.isfinite(poles.continuous)]),
        )
        rows = [(f"{f:.5g}", f"{100 * d:.3g}", count) for _, f, d, count in poles.rows()]
        section.table(
            "Table of poles",
            "The same in numbers; conjugate poles share a row.",
            ("Hz", "damping, %", "poles"),
            rows[:400],
            text=(),
            tall=True,
        )
    _modes_in_channels(section, lin)
    _linear_about(report, lin, source)
    return report


def _modes_in_channels(section: Section, lin: LinearModel) -> None:
    """Add which modes each channel sees, the strongest of them; nothing where there are none, or no channels."""
    inputs, outputs = lin.inputs[:MOST_CHANNELS], lin.outputs[:MOST_CHANNELS]
    title = "Modes in channels"
    try:
        found = lin.select(inputs, outputs).modal_gains()
    except SolverError as error:
        section.bullets(title, "The modes that each output sees could not be told apart.", [str(error)])
        return
    kept = np.sort(found.ranked("gain")[:MOST_MODES])
    if not (len(kept) and inputs and outputs):
        return
    gains = found.gains[kept].transpose(0, 2, 1).reshape(len(kept), -1)
    ways = [f"{i} → {o}" for i in inputs for o in outputs]
    units = [_per(o, i) for i in lin.input_units[: len(inputs)] for o in lin.output_units[: len(outputs)]]
    section.card(
        title,
        "Every row is a mode, every column a way from an input to an output: the fuller the colour, the stronger the "
        f"mode rings there. The strongest of a column has full colour, one that is {SHOWN_DB:.0f} dB weaker is blank.",
        gains_svg(gains, [f"{f:.4g} Hz" for f in found.frequencies_hz[kept]], ways, units),
    )


def _per(above: str, below: str) -> str:
    """Return the unit of a quotient.

    >>> _per("rad", "N m"), _per("m", "N"), _per("m", "")
    ('rad/(N m)', 'm/N', 'm')
    """
    below = f"({below})" if set(below) & set(" /·") else below
    return f"{above or 1}/{below}" if below else above


def _pole_facts(poles: Any) -> tuple[float, int]:
    values = poles.continuous[np.isfinite(poles.continuous)]
    hz, damping = poles.frequency_hz, poles.damping
    size = np.abs(values)
    small = 1e-5 * max(1.0, float(size.max(initial=0.0)) ** 0.5)
    moving = size > small
    # heavily damped poles answer far beyond what rings; charts end where the ringing ends
    finite = np.isfinite(poles.continuous)
    ringing = moving & (values.imag > 0.0) & (damping[finite] < 0.7)
    fastest = float(hz[finite][ringing if ringing.any() else moving].max(initial=1.0))
    return fastest, poles.growing


def _linear_response(report: Report, lin: Any, poles: Any, fastest: float) -> None:
    if not (lin.inputs and lin.outputs):
        return
    moving = poles.frequency_hz[np.isfinite(poles.continuous) & (np.abs(poles.continuous) > 1e-4)]
    low = 10 ** np.floor(np.log10(max(1e-4, 0.2 * float(moving.min(initial=fastest)))))
    # samples tell nothing beyond half of their frequency
    high = 2.0 * fastest if lin.dt is None else 0.5 / lin.dt
    f = np.geomspace(min(low, 0.1 * high), high, 900)
    near = moving[:, None] * (1.0 + np.linspace(-0.02, 0.02, 9))
    f = np.unique(np.concatenate([f, near.ravel()[: 9 * 150]]))
    f = f[f <= high]
    outputs = lin.outputs[:MOST_CHANNELS]
    section = report.section(
        "response", "Response", "How each output answers an input that swings at one frequency."
    )
    for name in lin.inputs[:MOST_CHANNELS]:
        H = lin.frequency_response(f, [name], outputs)[:, :, 0]
        section.figure(
            f"From {name}",
            "Upper chart: how strongly the outputs respond at each frequency; peaks are modes. Lower chart: how far "
            "they lag behind.",
            bode_figure(f, [Curve(out, H[:, k]) for k, out in enumerate(outputs) if np.any(H[:, k])] or
                        [Curve(outputs[0], H[:, 0] + 1e-300)]),
            HINT,
        )  # fmt: skip


def _linear_about(report: Report, lin: Any, source: str) -> None:
    section = report.section("about", "About", "What goes in and out, and where the model comes from.")
    with section.pair():
        rows = [
            ("input", n, u) for n, u in zip(lin.inputs, lin.input_units)
        ] + [("output", n, u) for n, u in zip(lin.outputs, lin.output_units)]  # fmt: skip
        section.table(
            "Channels",
            "Names and units of what goes in and out.",
            ("", "name", "unit"),
            rows,
            text=(0, 1),
            tall=True,
        )
        mass = lin.mass_properties or {}
        words = {f"mass, {k}": np.array2string(np.asarray(v), precision=6) for k, v in mass.items()}
        how = {k: str(v) for k, v in (lin.method or {}).items()}
        how |= {f"note {k + 1}": note for k, note in enumerate(lin.notes)}
        section.pairs("Provenance", "How the model was made.", {"file": source, **how, **words, **versions()})
    if not rows:
        raise InputError("the linear model has no channels", where=source)


# set of linear models -----------------------------------------------------------------------------------


def model_set_report(models: LinearModelSet, source: str) -> Report:
    """Return the report of a set of linear models: poles, and margins where they are loops, over the set."""
    report = Report(
        models.name,
        f"Linear models over {models.over}, from the file {source}: how poles and margins change from one to the next.",
        "Set of linear models",
    )
    poles = models.poles()
    report.fact("Models", f"{len(models)}")
    report.fact("Inputs", f"{len(models.inputs)}")
    report.fact("Outputs", f"{len(models.outputs)}")
    report.fact(
        "Unstable models", f"{poles.verdicts.count('unstable')}", "", "poles on the border not counted"
    )
    section = report.section("poles", "Poles", "The ways in which the models move by themselves.")
    swings = np.where(poles.poles.imag > 1e-9 * np.abs(poles.poles), 1.0, np.nan)
    kept = np.flatnonzero(np.isfinite(swings).any(axis=0))[:MOST_MODES]
    order = np.argsort(models.values, kind="stable")
    x = models.values[order]
    if len(models) > 1 and len(kept):
        hz, damping = (swings * poles.frequency_hz)[order], (swings * 100.0 * poles.damping)[order]
        names = [f"pole {k + 1}" for k in range(len(kept))]
        panels = [
            Panel(title, label, [Curve(name, values[:, k]) for name, k in zip(names, kept)], unit, 0.0)
            for title, label, values, unit in (
                ("Frequency", "Hz", hz, "Hz"),
                ("Damping", "%", damping, "%"),
            )
        ]
        section.figure(
            "Poles over the set",
            "Each line follows one oscillation; damping below zero grows.",
            lines_figure(x, models.over, panels),
            HINT,
        )
    rows = [(f"{value:.6g}", verdict) for value, verdict in zip(models.values, poles.verdicts)]
    section.table(
        "Verdicts", "Whether each model is stable.", (models.over, "poles"), rows, text=(1,), tall=True
    )
    if len(models.inputs) == len(models.outputs) > 0:
        _set_margins(report, models)
    return report


def _set_margins(report: Report, models: LinearModelSet) -> None:
    section = report.section(
        "margins",
        "Margins",
        "The models as loops: how far gain and phase may change before they are unstable.",
    )
    found = models.margins()
    rows = []
    for value, one in zip(models.values, found):
        numbers = (one.gain_up_db, one.gain_down_db, one.phase_deg, one.delay_s, one.modulus, one.disk)
        rows.append((f"{value:.6g}", *(f"{v:.4g}" if one.stable else "unstable" for v in numbers)))
    heads = (
        models.over,
        "gain up, dB",
        "gain down, dB",
        "phase, deg",
        "delay, s",
        "modulus",
        "disk margin",
    )
    section.table("Worst margins", "The least of each model.", heads, rows, text=(), tall=True)
