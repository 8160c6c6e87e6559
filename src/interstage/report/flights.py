"""The report of a flight: what flew as a block diagram, ports and bodies over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from interstage.report.document import Node, Report, Section, versions
from interstage.report.figures import HINT, Curve, Panel, lines_figure, thinned
from interstage.report.replay import stretches_of
from interstage.report.view import add_replay, flight_replay
from interstage.system.log.log import Series
from interstage.system.log.simulation_log import FlightLog

MOST_CURVES = 6  # of one chart
MOST_PANELS = 40


def flight_report(log: FlightLog, source: str, decks: Sequence[str | Path] = ()) -> Report:
    """Return the report of the log of a flight; decks : of its flexible bodies, to draw their elements."""
    devices = bool(log.written())
    what = "of devices and software around a vehicle" if devices else "of a vehicle alone"
    shown = "what is wired to what, and every port over time" if devices else "how its bodies moved"
    report = Report(log.name, f"A flight {what}, from the file {source}: {shown}.", "Flight")
    report.fact("Duration", f"{np.ptp(log.t) if len(log.t) else 0.0:.6g}", "s")
    report.fact("Rows", f"{len(log.t)}")
    if devices:
        report.fact("Ports and states", f"{len(log.written())}")
    if log.system.nv:
        report.fact("Bodies", f"{len(log.system.bodies)}", "", f"{log.system.nv} velocities")
    if log.events:
        report.fact("Events", f"{len(log.events)}")
    if len(log.t) > 1 and log.phases[0].system.bodies:
        section = report.section("flight", "Flight", "The vehicle as it flew; charts show the same time.")
        add_replay(section, flight_replay(stretches_of(log), log, decks))
    if devices:
        _diagram(report, log)
    if len(log.t) > 1:
        if devices:
            _ports(report, log)
        _bodies(report, log)
    _about(report, log, source)
    return report


def _diagram(report: Report, log: FlightLog) -> None:
    if not log.tree:
        return
    section = report.section("diagram", "Diagram", "Members and wires, as signals flow from left to right.")
    section.card(
        "Block diagram",
        "Bars have the colours of rates, dashed frames are Python, diamonds are what is seen of the vehicle and what "
        "acts on it. A ring is a port that nothing is wired to.",
        f'<div class="scroll">{log.diagram()}</div>',
    )


def _ports(report: Report, log: FlightLog) -> None:
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


def _bodies(report: Report, log: FlightLog) -> None:
    if not log.system.nv:
        return
    section = report.section("bodies", "Bodies", "Where the bodies went and how they turned, in the world.")
    for body in dict.fromkeys(body for phase in log.phases for body in phase.system.bodies):
        having = log.having(body)
        t = np.concatenate([phase.t for phase in having])
        keep = thinned(len(t), 1000)
        spin = log.velocity(body)[keep, :3]
        place = log.position(body)[keep]
        panels = [
            Panel("Position", "m", [Curve(a, v) for a, v in zip("xyz", place.T)], "m"),
            Panel("Angular velocity", "rad/s", [Curve(a, v) for a, v in zip("xyz", spin.T)], "rad/s"),
        ]
        modes = [phase[body].eta for phase in having]
        same = len({eta.shape[1] for eta in modes}) == 1
        eta = np.concatenate(modes)[keep] if same else np.zeros((0, 0))
        most = np.argsort(-np.ptp(eta, axis=0))[:4] if eta.size else []
        if len(most):
            panels.append(
                Panel("Modal coordinates", "", [Curve(f"mode {k + 1}", eta[:, k]) for k in sorted(most)])
            )
        section.figure(
            body,
            f"The frame of '{body}', and its modes that move most.",
            {**lines_figure(t[keep], "time, s", panels), "clock": True},
        )


def _about(report: Report, log: FlightLog, source: str) -> None:
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
        section.pairs("Provenance", "File and versions.", {"file": source, **versions()})
