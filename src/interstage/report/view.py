"""The page of `interstage view`: a log replayed in 3-D, with charts that share its time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from interstage.errors import InputError, known_names
from interstage.fem import FEModel
from interstage.files import LOG, file_kind
from interstage.multibody import Multibody, System
from interstage.multibody.types import Node
from interstage.report.document import Report, Section
from interstage.report.figures import HINT, Curve, Panel, lines_figure, thinned
from interstage.report.forces import acting, arrows_of, happened, surround
from interstage.report.replay import Replay, Stretch, replay_of, stretches_of
from interstage.simulation import Log, Phase

MOST_CHARTS, MOST_CURVES = 8, 6


def view_file(
    path: str | Path,
    *,
    vehicle: str | Path | None = None,
    decks: Sequence[str | Path] = (),
    ports: Sequence[str] = (),
    arrows: Mapping[str, tuple[str, Node, str]] | None = None,
) -> Report:
    """Return the page of a log file.

    vehicle : multibody file, of logs that do not hold their vehicle (those that earlier versions saved)
    decks : of flexible bodies, to draw their elements;  ports : names and patterns of charts, default: the first ones
    arrows : {port: (body, node, frame)}, vectors drawn at places, in the axes of "node" or "world"
    """
    kind = file_kind(path)
    if kind is not LOG:
        raise InputError(
            "only logs are viewed", where=str(path), got=f"a {kind.words}", hint="interstage report"
        )
    log = Log.load(path)
    if not isinstance(log.system, System):
        log.phases = _on_vehicle(log, vehicle, str(path))
    return view_of(log, Path(path).name, decks=decks, ports=ports, arrows=arrows)


def view_of(
    log: Log,
    source: str = "a run",
    *,
    decks: Sequence[str | Path] = (),
    ports: Sequence[str] = (),
    arrows: Mapping[str, tuple[str, Node, str]] | None = None,
) -> Report:
    """Return the page of a log that was just flown; see `view_file`."""
    return _page(source, decks, log, ports, arrows or {})


def _on_vehicle(log: Log, vehicle: str | Path | None, where: str) -> list[Phase]:
    """Return the phases of a log with the vehicle of another file."""
    if vehicle is None:
        raise InputError(
            "this log does not hold its vehicle",
            where=where,
            hint="name its multibody file: --vehicle FILE, or run again: log files of this version keep it",
        )
    system = Multibody.load(vehicle).compile()
    for phase in log.phases:
        if phase.q.shape[1] != system.nq or phase.v.shape[1] != system.nv:
            raise InputError(
                "the log is of another vehicle",
                where=str(vehicle),
                expected=f"{phase.q.shape[1]} coordinates and {phase.v.shape[1]} velocities",
                got=f"{system.nq} and {system.nv}",
            )
    return [Phase(system, phase.t, phase.q, phase.v) for phase in log.phases]


def _page(
    source: str,
    decks: Sequence[str | Path],
    log: Log,
    ports: Sequence[str],
    arrows: Mapping[str, tuple[str, Node, str]],
) -> Report:
    replay, stretches = flight_replay(log, decks, arrows), stretches_of(log)
    logged, bodies = sum(len(one.t) for one in stretches), len({body.name for body in replay.bodies})
    extent = f"{replay.t[-1] - replay.t[0]:.6g} s, {bodies} {'body' if bodies == 1 else 'bodies'}"
    times = f"{len(replay.t)} of the {logged} times logged"
    report = Report(log.name, f"A flight replayed, from {source}: {extent}, {times}.", "Flight in 3-D")
    add_replay(report.section("flight", "Flight", ""), replay)
    charts = report.section("charts", "Charts", "What was logged beside it.")
    if not (ports or log.written()):
        _paths(charts, stretches)
    else:
        t = log.t[thinned(len(log.t), 2000)]
        add_charts(charts, t, port_panels(log, ports, t))
    _recovered(charts, log)
    return report


def flight_replay(
    log: Log,
    decks: Sequence[str | Path] = (),
    arrows: Mapping[str, tuple[str, Node, str]] | None = None,
) -> Replay:
    """Return the replay of a log, with what acts on the vehicle, or with the arrows that are wanted."""
    drawn = arrows_of(arrows, log) if arrows else acting(log)
    replay = replay_of(stretches_of(log), [model_of_deck(deck) for deck in decks], drawn)
    surround(replay, log)
    replay.events = happened(log)
    return replay


def add_replay(section: Section, replay: Replay, title: str = "Replay", words: str = "") -> None:
    """Add a replay to a report, with words on what is seen."""
    figure = replay.figure()
    said = [words] if words else []
    if figure["gain"]:
        said.append("Colours tell how far a structure is bent, which is drawn larger than it is.")
    if figure["arrows"]:
        said.append("Arrows are what acts: a force ends where it acts.")
    said.append("Drag to look from elsewhere, click into a chart to go to its time.")
    section.figure(title, " ".join(said), figure)


def model_of_deck(deck: str | Path) -> FEModel:
    """Return the finite-element model of a deck."""
    from interstage.nastran import read_deck

    return FEModel.from_deck(read_deck(deck))


def port_panels(log: Log, ports: Sequence[str], t: np.ndarray) -> list[Panel]:
    """Return charts of ports at times (m,): those that fit names and patterns, or the first ones."""
    written = log.written()
    for pattern in ports:
        if not any(fnmatchcase(one.name, pattern) for one in written):
            raise InputError(
                f"the log has no port '{pattern}'", hint=known_names([one.name for one in written])
            )
    series = (
        [one for one in written if any(fnmatchcase(one.name, p) for p in ports)]
        if ports
        else written[:MOST_CHARTS]
    )
    panels = []
    for one in series:
        columns = one.at(t).reshape(len(t), -1)[:, :MOST_CURVES]
        names = [one.name] if columns.shape[1] == 1 else [str(k) for k in range(columns.shape[1])]
        unit = "" if one.unit == "1" else one.unit
        panels.append(Panel(one.name, unit, [Curve(n, v) for n, v in zip(names, columns.T)], unit))
    return panels


def _recovered(section: Section, log: Log) -> None:
    """Add charts of forces and stresses that components recover, from modal coordinates alone."""
    panels, t = [], np.zeros(0)
    for body in dict.fromkeys(name for phase in log.phases for name in phase.system.bodies):
        having = [phase for phase in log.having(body) if len(phase.t)]
        component = having[0].system.model.spec(body).component if having else None
        if component is None or component.recovery is None or len(having) != len(log.phases):
            continue
        keep = thinned(len(log.t), 2000)
        t = log.t[keep]
        for name in component.recovery.names[:MOST_CHARTS]:
            values = np.concatenate([phase.recovered(body, name, residual=False) for phase in having])[keep]
            panels.append(Panel(f"{name}, {body}", "", [Curve(name, values)]))
    if panels:
        words = "Forces and stresses that components recover, of the modes alone."
        figure = {**lines_figure(t, "time, s", panels), "clock": True}
        section.figure("Recovered", words, figure, HINT)


def _paths(section: Section, stretches: Sequence[Stretch]) -> None:
    """Add charts of where the bodies of a log of states went."""
    kept = [thinned(len(one.t), 500) for one in stretches]
    thin = [Stretch(one.system, one.t[k], one.q[k], one.v[k]) for one, k in zip(stretches, kept)]
    states = [(one.system, x) for one in thin for x in one.states()]
    unit, panels = thin[0].system.model.units.get("length", ""), []
    for body in list(thin[0].system.bodies)[:MOST_CHARTS]:
        away = np.full(3, np.nan)
        place = np.array([one.position(x, body) if body in one.bodies else away for one, x in states])
        panels.append(Panel(f"Position of {body}", unit, [Curve(a, v) for a, v in zip("xyz", place.T)], unit))
    add_charts(section, np.concatenate([one.t for one in thin]), panels)


def add_charts(section: Section, t: np.ndarray, panels: Sequence[Panel]) -> None:
    """Add charts over the time of a replay."""
    figure = {**lines_figure(t, "time, s", panels), "clock": True}
    section.figure("Over time", "The line is the time of the replay.", figure, HINT)
