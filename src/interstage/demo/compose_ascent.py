"""The pages of the ascent in the demo's report, with its replay.

What the two stages look like in a replay: walls as shells of revolution around the nodes of their sticks.

The ascent in the demo's report: the flight replayed, its design, and what became of it in time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_vehicle as av
from interstage.demo import heron, words
from interstage.demo.ascent_flight import away
from interstage.demo.pipeline import DemoResult
from interstage.demo.shapes import SLICES, revolved
from interstage.multibody import System
from interstage.report.document import Report, Section
from interstage.report.figures import HINT, Curve, Panel, lines_figure, thinned
from interstage.report.forces import acting, happened, surround
from interstage.report.meshes import BodyMesh
from interstage.report.replay import Arrow, Looks, Replay, replay_of, stretches_of
from interstage.report.scene import ElementPart, triangles_and_edges
from interstage.report.view import add_replay
from interstage.simulation.log.log import Log

CUT = av.UPPER[av.RING]  # m, where the stages part
RINGS = 1.0  # m between rings of points at most
SMALL = 1.2  # of the nozzle of the upper stage, beside those of the first


def profile(first: bool) -> list[tuple[float, float]]:
    """Return stations and radii of the wall of a stage, from the bottom up."""
    found: list[tuple[float, float]] = []
    for section in (*heron.CORE, *heron.FAIRING):
        if (section.x1 <= CUT) is first:
            count = max(1, int(np.ceil((section.x1 - section.x0) / RINGS)))
            x = np.linspace(section.x0, section.x1, count + 1)
            radius = section.r0 + (section.r1 - section.r0) * (x - section.x0) / (section.x1 - section.x0)
            found += zip(x.tolist(), radius.tolist())
    return found if first else [*found, (heron.NOSE_TIP, 0.0)]


def walls(first: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (P, 3) of a stage in the axes of the vehicle, triangles, and edges where its sections meet."""
    stations = profile(first)
    points, quads = revolved(stations, np.zeros(3))
    ends = {x for part in (*heron.CORE, *heron.FAIRING) for x in (part.x0, part.x1)}
    around = np.arange(SLICES)
    edges = [
        np.column_stack([k * SLICES + around, k * SLICES + (around + 1) % SLICES])
        for k, (x, _) in enumerate(stations)
        if x in ends
    ]
    return points, triangles_and_edges(quads)[0], np.concatenate(edges)


def spent() -> BodyMesh:
    """Return the first stage once it has left; it does not bend."""
    points, triangles, edges = walls(True)
    return BodyMesh(points, [ElementPart("first stage", triangles, edges)], np.zeros((len(points), 3, 0)))


def bent(system: System) -> BodyMesh:
    """Return the stages that a vehicle still has; points go with the place of the axis that they are around."""
    flex = system.flexible(av.NAME)
    assert flex is not None
    whole = 1 in flex.node_ids
    points, parts = np.zeros((0, 3)), []
    for name, first in [("first stage", True)] * whole + [("upper stage", False)]:
        more, triangles, edges = walls(first)
        parts.append(ElementPart(name, triangles + len(points), edges + len(points)))
        points = np.concatenate([points, more])
    axis = (av.FIRST | {node: x for node, x in av.UPPER.items() if x > CUT}) if whole else av.UPPER
    rows, x = np.searchsorted(flex.node_ids, list(axis)), np.array(list(axis.values()))
    k = np.clip(np.searchsorted(x, points[:, 0], "right") - 1, 0, len(x) - 2)
    part = np.clip((points[:, 0] - x[k]) / (x[k + 1] - x[k]), 0.0, 1.0)[:, None, None]
    gamma, lam = (
        (1.0 - part) * shape[rows[k]] + part * shape[rows[k + 1]] for shape in (flex.gamma, flex.lam)
    )
    beside = points * [0.0, 1.0, 1.0]
    shapes = gamma + np.cross(lam, beside[:, :, None], axis=1)
    return BodyMesh(points + flex.l[rows[0]] - [x[0], 0.0, 0.0], parts, shapes)


def stage_looks() -> Looks:
    """Return what the bodies of an ascent look like: stages, the spent one, and nozzles."""
    found: Looks = {av.NAME: bent, "first": spent()}
    for k in range(1, 6):
        scale = SMALL if k == 5 else 1.0
        points, quads = revolved([(-scale * x, scale * r) for x, r in heron.ENGINE_NOZZLE], np.zeros(3))
        part = ElementPart(f"engine {k}", *triangles_and_edges(quads))
        found[f"engine{k}"] = BodyMesh(points, [part], np.zeros((len(points), 3, 0)))
    return found


AXES = ("roll", "pitch", "yaw")
WORLD = ("up", "south", "east")  # the axes of the world on the pad
KINDS = {"Engine force": "thrust", "Aero force": "force of the air", "wind": "wind", "gust": "gust"}
NOSE, UPPER = max(av.UPPER), f"engine{1 + len(heron.ENGINES)}"  # node; engine of the upper stage


def add_ascent(report: Report, made: DemoResult) -> None:
    """Add the section."""
    log = made.ascent_log
    section = report.section("ascent", "Ascent", words.ASCENT)
    add_replay(section, ascent_replay(log), "The flight", words.REPLAY)
    _charts(section, made)
    with section.pair():
        _margins(section, made)
        _arrival(section, made)


def arrows(log: Log) -> list[Arrow]:
    """Return thrust, forces of the air, wind and gusts; wind and gusts blow where the inertial unit sits."""
    out = []
    for one in acting(log):
        if one.kind in KINDS:
            node = av.INERTIAL if one.kind in ("wind", "gust") else one.node
            kind = KINDS[one.kind] if one.body != UPPER else f"{KINDS[one.kind]} of the upper stage"
            out.append(replace(one, kind=kind, node=node))
    return out


def ascent_replay(log: Log) -> Replay:
    """Return the flight in 3-D: stages with their walls, arrows of what acts, the staging to go to."""
    replay = replay_of(stretches_of(log), (), arrows(log), looks=stage_looks())
    surround(replay, log)
    replay.events = happened(log)
    height = ap.GUST["start"] + 0.5 * ap.GUST["duration"]  # it rises and falls as 1 - cos
    if log.phases[0].t[-1] > height:
        replay.events.insert(0, (height, "gust"))
    return replay


def nose(log: Log) -> np.ndarray:
    """Return how far the nose tip is bent aside (n, 2) at all rows of a log, m, body axes y and z."""
    parts = []
    for phase in log.phases:
        flex = phase.system.flexible(av.NAME)
        assert flex is not None
        parts.append(phase[av.NAME].eta @ flex.gamma[int(np.searchsorted(flex.node_ids, NOSE)), 1:].T)
    return np.vstack(parts)


def _charts(section: Section, made: DemoResult) -> None:
    log = made.ascent_log
    keep = thinned(len(log.t), 1500)
    t = log.t[keep]
    when, off = away(made.ascent, log, 1)
    aside = np.column_stack([np.interp(t, when, column) for column in off.T])

    def seen(port: str, scale: float = 1.0) -> np.ndarray:
        return scale * np.asarray(log.series(port).at(t))

    engines = range(1, 2 + len(heron.ENGINES))
    names = {k: f"tvc{k}.angle" if k <= len(heron.ENGINES) else "upper_tvc.angle" for k in engines}
    angles = {f"engine {k}": np.rad2deg(seen(port)) for k, port in names.items()}
    thrust = {f"engine {k}": seen(f"engine{k}.push", 1e-3)[:, 0] for k in (1, 5)}
    blown = {one.kind: one for one in arrows(log) if one.kind in ("wind", "gust")}
    wind = {
        kind: one.values[np.searchsorted(one.t, t).clip(0, len(one.t) - 1)] for kind, one in blown.items()
    }
    panels = [
        Panel("Altitude", "km", [Curve("altitude", seen("earth.altitude", 1e-3))], "km"),
        Panel(
            "Speed over the ground",
            "m/s",
            [Curve("speed", np.linalg.norm(seen("earth.velocity"), axis=1))],
            "m/s",
        ),
        Panel(
            "Wind and gusts, eastwards",
            "m/s",
            [Curve(kind, rows[:, 2]) for kind, rows in wind.items()],
            "m/s",
        ),
        Panel("Dynamic pressure", "kPa", [Curve("q", seen("aero_upper.dynamic_pressure", 1e-3))], "kPa"),
        Panel("Thrust", "kN", [Curve(name, rows) for name, rows in thrust.items()], "kN"),
        Panel(
            "Propellant", "t", [Curve(tank, 1e-3 * left[keep]) for tank, left in log.propellant.items()], "t"
        ),
        Panel("Away from the reference", "m", [Curve(a, v) for a, v in zip(WORLD, aside.T)], "m"),
        Panel(
            "Attitude error",
            "deg",
            [Curve(a, v) for a, v in zip(AXES, np.rad2deg(seen("fsw.error")).T)],
            "°",
        ),
        Panel(
            "Rates of the IMU",
            "deg/s",
            [Curve(a, v) for a, v in zip(AXES, np.rad2deg(seen("imu.rate")).T)],
            "°/s",
        ),
        Panel("Gimbals, pitch", "deg", [Curve(name, rows[:, 0]) for name, rows in angles.items()], "°"),
        Panel("Gimbals, yaw", "deg", [Curve(name, rows[:, 1]) for name, rows in angles.items()], "°"),
        Panel(
            "Nose tip, bent aside", "mm", [Curve(a, v) for a, v in zip("yz", 1e3 * nose(log)[keep].T)], "mm"
        ),
    ]
    section.figure(
        "In time", words.ASCENT_CHARTS, {**lines_figure(t, "time, s", panels), "clock": True}, HINT
    )


def _margins(section: Section, made: DemoResult) -> None:
    """Add the margins of the pitch loop at the times of the linear models."""
    rows = [
        (
            f"{point.t:.0f}",
            f"{point.bending[0]:.2f}",
            f"{pitch.gain:.1f}",
            f"{pitch.phase:.0f}",
            f"{pitch.peak:.1f}",
        )
        for point, loops in made.margins
        for pitch in [loops[1]]
    ]
    heads = ("T+, s", "bending, Hz", "gain, dB", "phase, °", "peak, dB")
    section.table("Margins of the pitch loop", words.MARGINS, heads, rows)


def _arrival(section: Section, made: DemoResult) -> None:
    log = made.ascent_log
    error = np.rad2deg(np.linalg.norm(log["fsw.error"], axis=1))
    angle = np.rad2deg(max(np.abs(log[f"tvc{k}.angle"]).max() for k in range(1, 1 + len(heron.ENGINES))))
    facts = {
        "Altitude": f"{log['earth.altitude'][-1] / 1e3:.1f} km",
        "Speed over the ground": f"{np.linalg.norm(log['earth.velocity'][-1]):.0f} m/s",
        "Away from the reference": f"{np.linalg.norm(away(made.ascent, log, 1)[1][-1]):.0f} m",
        "Largest attitude error": f"{error.max():.2f}°",
        "Largest gimbal angle": f"{angle:.2f}° of {np.rad2deg(ap.LIMIT):.0f}°",
    }
    if len(log.phases) > 1:
        last = log.phases[-1]
        apart = np.linalg.norm(last[av.NAME].position[-1] - last["first"].position[-1])
        facts |= {
            "Staging": f"{last.t[0]:.1f} s",
            "Spent stage at the end": f"{apart / 1e3:.1f} km away, falling",
        }
    section.pairs("Where it came to", f"At T+{log.t[-1]:.0f} s.", facts)
