"""The Apollo stack through its mission: JEOD's SIM_Apollo (test Mass_10) and what JEOD prints.

Bodies leave the stack, dock and leave again at one event a second. Mass data, points and order of events
are those of the simulation `sims/SIM_Apollo` of NASA's JEOD 5 (github.com/nasa/jeod); the references are the
composite properties in its result files, printed with six decimals. The stack turns and moves, each free
piece is integrated as one rigid body, and momentum is compared across each event. (The moments given for the
command module break the triangle inequality, 6632 > 2723 + 2723 kg m2; they are taken as they are.)

    python -m validation apollo_stack
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from interstage.mass import Orientation
from interstage.multibody.dynbody import DynBody
from validation.study import Row, Study

LB, FT = 0.45359237, 0.3048
STEP, RATE = 0.05, [0.02, 0.05, -0.03]  # s, rad/s
TURNED = Orientation.eigen_rotation([0, 0, 1], 180, degrees=True)

# name: mass lb, centre of mass ft along x, moments lb ft2 along and across, body axes turned half about z
PARTS = {
    "LES": (9200, 16.25, 5566, 205231, True),
    "CM": (12807, 8.7, 157372, 64624, True),
    "SM": (54064, 12.3, 1107231, 1235227, False),
    "LM": (10582, 5.45, 259259, 155822, True),
    "DM": (25640, 5.0, 628180, 367506, True),
    "S3": (274171, 30.65, 16138048, 29532558, False),
    "S2": (1083480, 40.75, 147488715, 223676545, False),
    "S1": (5031023, 69.0, 684848006, 2338482378, False),
}
# body, point: place ft along x, turned half about z
POINTS = {
    ("LES", "CM interface"): (0.0, True),
    ("CM", "SM interface"): (11.6, False),
    ("CM", "CM docking port"): (4.0, True),
    ("SM", "Stage 3 interface"): (-20.9, True),
    ("SM", "CM interface"): (24.6, False),
    ("LM", "LM docking port"): (10.9, False),
    ("LM", "Descent Module interface"): (0.0, True),
    ("LM", "Stage 3 interface"): (-10.0, True),
    ("DM", "Ascent Module interface"): (0.0, False),
    ("S3", "Stage 2 interface"): (0.0, True),
    ("S3", "LEM/SM/CM interface"): (61.3, False),
    ("S2", "Stage 1 interface"): (0.0, True),
    ("S2", "Stage 3 interface"): (81.5, False),
    ("S1", "Stage 2 interface"): (138.0, False),
}
LAUNCH = (
    ("DM", "Ascent Module interface", "LM", "Descent Module interface"),
    ("SM", "CM interface", "CM", "SM interface"),
    ("S3", "LEM/SM/CM interface", "SM", "Stage 3 interface"),
    ("LM", "Stage 3 interface", "S3", "LEM/SM/CM interface"),
    ("S2", "Stage 3 interface", "S3", "Stage 2 interface"),
    ("S1", "Stage 2 interface", "S2", "Stage 1 interface"),
    ("LES", "CM interface", "CM", "CM docking port"),
)
DOCK = ("LM docking port", "CM", "CM docking port")
# time s, what happens (the report's number), body, docking or None; then what JEOD prints: which body's
# composite, mass kg, centre of mass m along x, moments kg m2 along and across (after 3, 6 and 9: the
# composite of command and service module, which JEOD prints in Return.out)
EVENTS = (
    (
        1.0,
        "1 first stage off",
        "S1",
        None,
        ("CM", 666755.382727, 41.326935, 6986171.645772, 121504202.367733),
    ),
    (2.0, "2 second stage off", "S2", None, ("CM", 175297.121680, 21.191717, 770980.958078, 15658399.302914)),
    (3.0, "escape tower off", "LES", None, ("CM", 171124.071876, 21.799554, 770746.406226, 12993888.231119)),
    (4.0, "3 third stage off", "S3", None, ("CM", 30332.175374, 6.397425, 53290.509645, 155585.166307)),
    (5.0, "4 LM off the third stage", "LM", None, ("LM", 16430.022826, 1.564070, 37396.777162, 22117.019135)),
    (6.0, "5 LM docks with CM", "LM", DOCK, ("CM", 46762.198200, 3.960276, 90687.286806, 690474.288622)),
    (7.0, "6 LM undocks", "LM", None, ("CM", 30332.175374, 6.397425, 53290.509645, 155585.166307)),
    (8.0, "7 descent stage off", "DM", None, ("LM", 4799.914459, 1.661160, 10925.202803, 6566.356235)),
    (9.0, "8 LM docks with CM", "LM", DOCK, ("CM", 35132.089834, 5.462995, 64215.712448, 356002.121199)),
    (10.0, "9 LM leaves", "LM", None, ("CM", 30332.175374, 6.397425, 53290.509645, 155585.166307)),
    (11.0, "service module off", "SM", None, ("CM", 5809.157483, 2.651760, 6631.673406, 2723.262475)),
)
PRELAUNCH = ("CM", 2948789.028822, 72.772950, 35845742.016135, 1072008536.967501)
END = 12.0


@dataclass
class Flight:
    """What the simulation recorded: errors at each event, and histories of the command module's tree."""

    events: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    time: list[float] = field(default_factory=list)
    mass: list[float] = field(default_factory=list)
    moments: list[np.ndarray] = field(default_factory=list)
    drift: dict[str, float] = field(default_factory=dict)


def stack() -> dict[str, DynBody]:
    """Return the bodies of the stack, attached as at launch, at rest."""
    bodies = {}
    for name, (mass, com, along, across, turned) in PARTS.items():
        moments = LB * FT**2 * np.array([along, across, across], dtype=float)
        bodies[name] = DynBody(
            name, LB * mass, [FT * com, 0, 0], moments, orientation=TURNED if turned else None, check=False
        )
    for (name, point), (place, turned) in POINTS.items():
        bodies[name].add_point(point, [FT * place, 0, 0], TURNED if turned else None)
    for name, point, parent, parent_point in LAUNCH:
        bodies[name].attach_to(bodies[parent], point=point, parent_point=parent_point)
    return bodies


def fly() -> Flight:
    """Fly the sequence: free motion of every piece between events, one event a second."""
    bodies = stack()
    cm = bodies["CM"]
    cm.set_state([0, 0, 0], [30.0, -10.0, 20.0], rate=RATE)
    out = Flight()
    start = _momentum(bodies)
    out.events.append(("launch stack", _compare(bodies, PRELAUNCH)))
    t = 0.0
    for time, what, name, dock, reference in (*EVENTS, (END, "end", None, None, None)):
        for k in range(round((time - t) / STEP)):
            _record(out, t + k * STEP, cm)
            for root in _roots(bodies):
                root.step(STEP)
        t = time
        _record(out, t, cm)
        if name is None:
            break
        before = _momentum(bodies)
        if dock is None:
            bodies[name].detach()
        else:
            bodies[name].attach_to(bodies[dock[1]], point=dock[0], parent_point=dock[2])
        after = _momentum(bodies)
        out.events.append((what, _compare(bodies, reference) | _change(before, after)))
        _record(out, t, cm)
    out.drift = _change(start, _momentum(bodies))
    return out


def _roots(bodies: dict[str, DynBody]) -> list[DynBody]:
    return [body for body in bodies.values() if body.parent is None]


def _momentum(bodies: dict[str, DynBody]) -> np.ndarray:
    """Momentum [h; p] of everything about the common centre of mass."""
    totals = [(root, root.composite) for root in _roots(bodies)]
    common = sum(total.mass * root.state(total).position for root, total in totals)
    common = common / sum(total.mass for _, total in totals)
    return sum(root.momentum(about=common) for root, _ in totals)


def _change(before: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """Return the change of momentum, relative to its size."""
    parts = {"angular momentum": slice(0, 3), "linear momentum": slice(3, 6)}
    return {
        name: float(np.linalg.norm(after[part] - before[part]) / np.linalg.norm(before[part]))
        for name, part in parts.items()
    }


def _record(out: Flight, t: float, cm: DynBody) -> None:
    total = cm.composite
    out.time.append(t)
    out.mass.append(total.mass)
    out.moments.append(np.diag(total.inertia).copy())


def _compare(bodies: dict[str, DynBody], reference: tuple) -> dict[str, float]:
    """Return differences from what JEOD prints, each relative to the printed value (or to that of a zero)."""
    name, mass, com, along, across = reference
    total = bodies[name].composite
    wanted = np.diag([along, across, across])
    return {
        "mass": abs(total.mass - mass) / mass,
        "centre of mass": float(np.abs(total.position - [com, 0, 0]).max() / com),
        "inertia": float(np.abs(total.inertia - wanted).max() / max(along, across)),
        "value mass": total.mass,
        "value centre of mass": float(total.position[0]),
        "value inertia": float(total.inertia[1, 1]),
    }


# JEOD prints six decimals: half a unit of the last on centres of mass of 1.6 m and more is 3e-7
PRINTED = {"mass": 1e-9, "centre of mass": 4e-7, "inertia": 1e-9}
DIGITS = "JEOD's files print six decimals, of the lightest piece and its least inertia nine digits and more"
MOMENTUM_TOLERANCE = 1e-12
DRIFT_TOLERANCE = 1e-9  # Runge-Kutta steps of 0.05 s


def study() -> Study:
    """One row for each event and quantity."""
    out = Study("apollo_stack", "Apollo: the mass tree through a mission", __doc__.split("\n\n")[1].strip())
    flight = fly()
    references = [("launch stack", PRELAUNCH)] + [(event[1], event[4]) for event in EVENTS]
    for (what, errors), (_, (name, mass, com, _, across)) in zip(flight.events, references):
        values = {"mass": mass, "centre of mass": com, "inertia": across}
        for key, limit in PRINTED.items():
            unit = {"mass": "kg", "centre of mass": "x, m", "inertia": "across, kg m2"}[key]
            ours = f"{errors['value ' + key]:.6f}"
            out.rows.append(
                Row(
                    what,
                    f"{key} of {name}, {unit}",
                    f"{values[key]:.6f}",
                    ours,
                    errors[key],
                    limit,
                    why=DIGITS,
                )
            )
        for key in ("linear momentum", "angular momentum"):
            if key in errors:
                out.rows.append(
                    Row(what, f"{key} of all", "before", "after", errors[key], MOMENTUM_TOLERANCE)
                )
    for key, error in flight.drift.items():
        out.rows.append(Row("12 s of flight", f"{key} of all", "start", "end", error, DRIFT_TOLERANCE))
    out.pictures["apollo_stack.png"] = _picture(flight)
    return out


def _picture(flight: Flight):
    """Return a function that draws mass and inertia of the command module's tree against time into a file."""

    def draw(path: Path) -> None:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        time, moments = np.array(flight.time), np.array(flight.moments)
        figure, (upper, lower) = plt.subplots(2, 1, figsize=(9, 7), sharex=True, layout="constrained")
        upper.semilogy(time, flight.mass, color="#1f4e79", lw=2)
        upper.set_ylim(3e3, 6e8)  # room for the names of the events
        upper.set_ylabel("mass of the CM's tree, kg")
        lower.semilogy(time, moments[:, 0], color="#c55a11", lw=2, label="along the axis")
        lower.semilogy(time, moments[:, 1], color="#1f4e79", lw=2, label="across")
        lower.set_ylabel("moments about the centre of mass, kg m²")
        lower.set_xlabel("time, s")
        lower.legend(loc="upper right", frameon=False)
        for when, what, *_ in EVENTS:
            for axes in (upper, lower):
                axes.axvline(when, color="0.75", lw=0.8, zorder=0)
            upper.text(
                when + 0.08,
                0.97,
                what,
                rotation=90,
                va="top",
                fontsize=8,
                transform=upper.get_xaxis_transform(),
            )
        upper.set_title("Apollo stack through its mission (numbers: events of JEOD's test Mass_10)")
        figure.savefig(path, dpi=130)
        plt.close(figure)

    return draw
