"""The report of a log: what ran as a block diagram, ports and bodies over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from interstage.multibody import System
from interstage.report.document import Node, Report, Section, versions
from interstage.report.figures import HINT, Curve, Panel, lines_figure, thinned
from interstage.report.view import add_replay, flight_replay
from interstage.simulation import Phase
from interstage.simulation.log.log import Log
from interstage.simulation.log.series import Series

MOST_CURVES = 6  # of one chart
MOST_PANELS = 40


def log_report(log: Log, source: str, decks: Sequence[str | Path] = ()) -> Report:
    """Return the report of a log; decks : of its flexible bodies, to draw their elements."""
    devices, known = not log.contents.alone, isinstance(log.system, System)
    what = "of devices and software around a vehicle" if devices else "of a vehicle alone"
    shown = "what is wired to what, and every port over time" if devices else "how its bodies moved"
    report = Report(log.name, f"A run {what}, from the file {source}: {shown}.", "Simulation log")
    report.fact("Duration", f"{np.ptp(log.t) if len(log.t) else 0.0:.6g}", "s")
    report.fact("Rows", f"{len(log.t)}")
    if log.written():
        report.fact("Ports and states", f"{len(log.written())}")
    if log.system.nv:
        report.fact("Bodies", f"{len(log.system.bodies)}", "", f"{log.system.nv} velocities")
    if log.events:
        report.fact("Events", f"{len(log.events)}")
    if len(log.t) > 1 and known and log.phases[0].system.bodies:
        section = report.section("flight", "Flight", "The vehicle as it flew; charts show the same time.")
        add_replay(section, flight_replay(log, decks))
    if devices:
        _diagram(report, log)
    if len(log.t) > 1:
        if log.written():
            _ports(report, log)
        _bodies(report, log, known)
    else:
        _instant(report, log)
    _about(report, log, source)
    return report


def _diagram(report: Report, log: Log) -> None:
    if not log.tree:
        return
    section = report.section("diagram", "Diagram", "Members and wires, as signals flow from left to right.")
    section.card(
        "Block diagram",
        "Bars have the colours of rates, dashed frames are Python, diamonds are what is seen of the vehicle and what "
        "acts on it. A ring is a port that nothing is wired to.",
        f'<div class="scroll">{log.diagram()}</div>',
    )


def _ports(report: Report, log: Log) -> None:
    section = report.section("ports", "Ports", "What devices and software said, member by member.")
    members: dict[str, list[Series]] = {}
    for one in log.written():
        members.setdefault(one.name.rpartition(".")[0], []).append(one)
    shown = 0
    for member, ports in members.items():
        if shown >= MOST_PANELS:
            break
        shown += len(ports)
        _charts(section, member, ports, log.t)
    if shown < len(log.written()):
        rest = f"{len(log.written()) - shown} ports are in the file and not drawn here."
        section.bullets("More", "What was left out.", [rest])


def _charts(section: Section, title: str, ports: list[Series], t: np.ndarray) -> None:
    """Add the charts of one member; what is sampled holds between samples."""
    keep = thinned(len(t))
    panels = []
    for one in ports:
        columns = one.at(t[keep]).reshape(len(t[keep]), -1)[:, :MOST_CURVES]
        names = list("xyz") if columns.shape[1] == 3 else [str(k) for k in range(columns.shape[1])]
        names = [one.name.rpartition(".")[2]] if columns.shape[1] == 1 else names
        curves = [Curve(name, values) for name, values in zip(names, columns.T)]
        unit = "" if one.unit == "1" else one.unit
        panels.append(Panel(one.name.rpartition(".")[2], unit, curves, unit))
    sampled = [one for one in ports if one.held]
    said = f"{len(sampled[0].t)} samples." if sampled else "Continuous."
    figure = {**lines_figure(t[keep], "time, s", panels), "clock": True}
    section.figure(title, f"Outputs and states of '{title}'. {said}", figure, HINT)


def _bodies(report: Report, log: Log, known: bool) -> None:
    """Add charts of joints and modes, and of places in the world where the vehicle is known."""
    bodies = list(dict.fromkeys(body for phase in log.phases for body in phase.system.bodies))
    if not bodies:
        return
    section = report.section(
        "bodies", "Bodies", "How bodies moved on their joints, bent, and went in the world."
    )
    keep = thinned(len(log.t), 1000)
    length = log.phases[0].system.model.units.get("length", "m")
    for body in bodies:
        panels = _joint_panels(log, body, keep)
        if known:
            place, spin = _in_the_world(log, body)
            panels += [
                Panel("Position in the world", length, [Curve(a, v[keep]) for a, v in zip("xyz", place.T)], length),
                Panel("Angular velocity in the world", "rad/s", [Curve(a, v[keep]) for a, v in zip("xyz", spin.T)],
                      "rad/s"),
            ]  # fmt: skip
        if panels:
            words = f"How '{body}' moved, and its modes that moved most."
            section.figure(body, words, {**lines_figure(log.t[keep], "time, s", panels), "clock": True}, HINT)


def _in_the_world(log: Log, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Return position and angular velocity (m, 3) of a body, NaN while it is not there."""
    place, spin, start = np.full((len(log.t), 3), np.nan), np.full((len(log.t), 3), np.nan), 0
    for phase in log.phases:
        rows = slice(start, start + len(phase))
        start = rows.stop
        if body in phase.system.layout:
            place[rows] = phase.position(body)
            for k in range(len(phase)):
                spin[rows.start + k] = phase.system.velocity(phase.bare(k), body)[:3]
    return place, spin


def _instant(report: Report, log: Log) -> None:
    """Add what can be said of a log of one row or none: numbers where charts would have one point."""
    rows = [
        (one.name, "", "", f"{c[-1]:.6g} {one.unit}") for one in log.columns() for c in [one.values] if len(c)
    ]
    for phase in log.phases:
        if len(phase.t):
            for name in phase.system.bodies:
                for (title, unit), label, values in _joint_curves(phase, name):
                    rows.append((name, title, label, f"{values[0]:.6g} {unit}"))
    said = "The log holds one instant, so that there is nothing to draw."
    section = report.section("bodies", "Bodies", said)
    if not rows:
        section.bullets("No states", "The run ended before its first state.", ["The log is empty."])
        return
    at = f"Every quantity at the time {log.t[0]:.6g} s." if len(log.t) else "Every quantity."
    section.table("State", at, ("", "", "", "value"), rows, text=(0, 1, 2))


def _joint_panels(log: Log, name: str, keep: slice) -> list[Panel]:
    """Return charts of a body over all phases; curves have gaps where a phase does not have them."""
    found: dict[tuple[str, str], dict[str, np.ndarray]] = {}
    m, start = len(log.t), 0
    for phase in log.phases:
        rows = slice(start, start + len(phase.t))
        start = rows.stop
        if name not in phase.system.layout:
            continue
        for place, label, values in _joint_curves(phase, name):
            found.setdefault(place, {}).setdefault(label, np.full(m, np.nan))[rows] = values
    return [
        Panel(title, unit, [Curve(label, values[keep]) for label, values in curves.items()], unit)
        for (title, unit), curves in found.items()
    ]


def _joint_curves(phase: Phase, name: str) -> list[tuple[tuple[str, str], str, np.ndarray]]:
    """Return ((title of the chart, unit), label, values) of one body in one phase, by the kinds of its coordinates."""
    units, body, where = phase.system.model.units, phase[name], phase.system.layout[name]
    length = units.get("length", "length")
    out: list[tuple[tuple[str, str], str, np.ndarray]] = []
    for c, values in zip(where.joint.coordinates, body.q.T):
        if c.kind == "angle":
            out.append((("Joint angle", "rad"), c.name, values))
        elif c.kind == "length" and c.name.startswith("position"):
            out.append((("Position", length), "xyz"[int(c.name[-1])], values))
        elif c.kind == "length":
            out.append((("Joint travel", length), c.name, values))
        elif not c.kind:
            out.append((("Joint", ""), c.name, values))
    if any(c.kind == "quaternion" for c in where.joint.coordinates):
        turning = [(c, values) for c, values in zip(where.joint.velocities, body.v.T) if c.kind == "angle"]
        rate = "Angular rate", f"rad/{units.get('time', 's')}"
        out += [(rate, c.name[-1], values) for c, values in turning]
    most = np.argsort(-np.ptp(body.eta, axis=0))[:4] if body.eta.size else np.zeros(0, int)
    return out + [(("Modal coordinates", ""), f"mode {k + 1}", body.eta[:, k]) for k in sorted(most)]


def _about(report: Report, log: Log, source: str) -> None:
    section = report.section("about", "About", "What happened, and how the run was made.")
    specs = log.system.model.specs
    nodes = {spec.name: Node(spec.name, type(spec.joint).__name__.lower()) for spec in specs}
    for spec in specs:
        if spec.parent is not None:
            nodes[spec.parent].children.append(nodes[spec.name])
    with section.pair():
        section.bullets(
            "Events", "What happened on the way.", [str(e) for e in log.events] or ["Nothing was noted."]
        )
        if log.system.nv:
            roots = [nodes[spec.name] for spec in specs if spec.parent is None]
            section.tree("Vehicle tree", "Each body hangs on the one above it.", roots)
        section.pairs("Provenance", "Method and versions.", {**log.info, "file": source, **versions()})
