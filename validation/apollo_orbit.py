"""The Apollo sequence in orbit: a mass tree that comes apart and docks while it falls around the Earth.

Bodies, points and the order of events are those of `apollo_stack` (JEOD's SIM_Apollo), now as a multibody vehicle in a
circular orbit at 185 km: an assembly with `Earth` (central field, gravity gradient on every body) and timed events. It
coasts for minutes between events; the lunar module docks one second after it has left, as in JEOD, so that the pieces
are still near each other. Booked at every event: linear momentum, angular momentum about the Earth's centre,
kinetic and orbital energy of all pieces. Truth: they do not change where something leaves; docking keeps the momenta,
the common centre of mass and loses as much energy as the one rigid body of these momenta lacks (worked out with
numpy from the states before); between events every piece keeps its orbital energy and its angular momentum, and its
centre of mass goes as a point mass by scipy does.

    python -m validation apollo_orbit
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import interstage as ist
from interstage import devices as dev
from validation.apollo_stack import FT, LB, PARTS, POINTS, stack
from validation.study import Row, Study

MU, RADIUS, RATE = 3.986004418e14, 6378137.0 + 185e3, [0.01, 0.02, -0.015]  # rad/s
PARENTS = {"CM": None, "SM": "CM", "S3": "SM", "LM": "S3", "DM": "LM", "S2": "S3", "S1": "S2", "LES": "CM"}
# s; None: it leaves, otherwise where it docks
EVENTS = (
    (300.0, "first stage off", "S1", None),
    (600.0, "second stage off", "S2", None),
    (900.0, "escape tower off", "LES", None),
    (1500.0, "third stage off", "S3", None),
    (1501.0, "LM off the third stage", "LM", None),
    (1502.0, "LM docks with CM", "LM", "CM"),
    (3000.0, "LM undocks", "LM", None),
    (3001.0, "descent stage off", "DM", None),
    (3002.0, "LM docks with CM again", "LM", "CM"),
    (4200.0, "LM leaves", "LM", None),
    (4800.0, "service module off", "SM", None),
)
END = 5400.0


@dataclass(frozen=True)
class Piece:
    """One free piece: its parts, mass, centre of mass and its velocity, spin momentum and inertia about it, world."""

    parts: tuple[str, ...]
    mass: float
    com: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    inertia: np.ndarray

    @property
    def angular(self) -> np.ndarray:
        """Angular momentum about the centre of the Earth."""
        return self.spin + self.mass * np.cross(self.com, self.velocity)

    @property
    def kinetic(self) -> float:
        """Kinetic energy."""
        turning = 0.5 * self.spin @ np.linalg.solve(self.inertia, self.spin)
        return float(0.5 * self.mass * self.velocity @ self.velocity + turning)

    @property
    def potential(self) -> float:
        """Energy in the central field, to second order of the size of the piece."""
        r = np.linalg.norm(self.com)
        n = self.com / r
        spread = np.trace(self.inertia) - 3.0 * n @ self.inertia @ n
        return float(-MU * self.mass / r - 0.5 * MU / r**3 * spread)


def vehicle() -> tuple[ist.System, np.ndarray]:
    """Return the launch stack as a tree of rigid bodies, and its centre of mass in the frame of the CM."""
    bodies = stack()
    cm = bodies["CM"]
    cm.set_state([0, 0, 0], [0, 0, 0], rate=[0, 0, 0])
    at = {name: cm.state(bodies[name]) for name in PARTS}
    mb = ist.Multibody("apollo")
    for name, parent in PARENTS.items():
        mass, com, along, across, _ = PARTS[name]
        moments = LB * FT**2 * np.array([along, across, across], dtype=float)
        where: dict = {"joint": ist.Free()}
        if parent is not None:
            R = at[parent].rotation.matrix
            arm = R.T @ (at[name].position - at[parent].position)
            where = {
                "parent": parent,
                "at": arm,
                "rotation": R.T @ at[name].rotation.matrix,
                "joint": ist.Locked(),
            }
        mb.add_body(
            name, mass=LB * mass, com=[FT * com, 0, 0], inertia=np.diag(moments), check=False, **where
        )
    return mb.compile(), cm.state(cm.composite).position


def docking() -> ist.Attach:
    """Return how the LM docks: its port in that of the CM, axes as JEOD turns them."""
    bodies = stack()
    for name in ("LM", "LES"):
        bodies[name].detach()
    bodies["CM"].set_state([0, 0, 0], [0, 0, 0], rate=[0, 0, 0])
    bodies["LM"].attach_to(bodies["CM"], point="LM docking port", parent_point="CM docking port")
    R = bodies["CM"].state(bodies["LM"]).rotation.matrix
    port, place = (FT * POINTS[key][0] for key in (("LM", "LM docking port"), ("CM", "CM docking port")))
    return ist.Attach("LM", ("CM", [place, 0, 0]), rotation=R, port=[port, 0, 0], snap=True)


@cache
def fly() -> ist.Log:
    """Fly the sequence."""
    system, com = vehicle()
    x = system.state()
    speed = np.sqrt(MU / RADIUS)
    position = np.array([RADIUS, 0.0, 0.0])
    x["CM"].q[4:] = position - com
    x["CM"].velocity[:] = [*RATE, *(np.array([0.0, speed, 0.0]) - np.cross(RATE, com))]
    made = ist.Assembly("apollo", vehicle=system)
    made.add("earth", dev.Earth(gravity="central", gravity_gradient=True))
    events = [
        ist.Event(at=t, action=ist.Detach(body) if dock is None else docking(), name=what)
        for t, what, body, dock in EVENTS
    ]
    return ist.simulate(made, x, until=END, step="0.1 s", log_step="20 s", events=events)


def pieces(phase: ist.Phase, k: int) -> dict[str, Piece]:
    """Return the free pieces of a phase of the log at a row, by their first body."""
    system, x = phase.system, phase.state(k)
    root = {}
    for spec in system.model.specs:
        root[spec.name] = spec.name if spec.parent is None else root[spec.parent]
    found = {}
    for first in dict.fromkeys(root.values()):
        parts = tuple(name for name in root if root[name] == first)
        motions = [_part(system, x, name) for name in parts]
        mass = sum(m for m, *_ in motions)
        com = sum(m * r for m, r, *_ in motions) / mass
        velocity = sum(m * v for m, _, v, *_ in motions) / mass
        spin, inertia = np.zeros(3), np.zeros((3, 3))
        for m, r, v, h, I in motions:
            a = r - com
            spin = spin + h + m * np.cross(a, v - velocity)
            inertia = inertia + I + m * (a @ a * np.eye(3) - np.outer(a, a))
        found[first] = Piece(parts, mass, com, velocity, spin, inertia)
    return found


def _part(system: ist.System, x: ist.ContinuousState, name: str):
    """Return mass, place and velocity of the centre of mass, spin momentum and inertia of one body, world axes."""
    mass, com, along, across, _ = PARTS[name]
    R, p = system.rotation(x, name), system.position(x, name)
    twist = system.jacobian(x, name) @ x.v
    arm = R @ [FT * com, 0, 0]
    I = LB * FT**2 * R @ np.diag([along, across, across]).astype(float) @ R.T
    w = twist[:3]
    return LB * mass, p + arm, twist[3:] + np.cross(w, arm), I @ w, I


def _sums(found: dict[str, Piece]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return momentum, angular momentum about the Earth's centre and orbital energy of all pieces."""
    p = sum(piece.mass * piece.velocity for piece in found.values())
    h = sum(piece.angular for piece in found.values())
    return p, h, sum(piece.kinetic + piece.potential for piece in found.values())


def _relative(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(a))


APART = 1e-8  # of spin and energy, and m
FAR = "rounding: the pieces are 6.6e6 m from the Earth's center, where doubles are 1e-9 m apart; ten of these, over 1 m"


def _changes(what: str, before: dict[str, Piece], after: dict[str, Piece], dock: bool) -> list[Row]:
    """Return the book of one event."""
    (p0, h0, E0), (p1, h1, E1) = _sums(before), _sums(after)
    rows = [
        Row(what, "linear momentum of all", "before", "after", _relative(p0, p1), 1e-14),
        Row(what, "angular momentum of all about the Earth", "before", "after", _relative(h0, h1), 1e-14),
    ]
    if not dock:
        rows.append(Row(what, "orbital energy of all", "before", "after", abs(E1 / E0 - 1.0), 1e-14))
        return rows
    one, two, both = before["CM"], before["LM"], after["CM"]
    mass = one.mass + two.mass
    com = (one.mass * one.com + two.mass * two.com) / mass
    r, v, reduced = two.com - one.com, two.velocity - one.velocity, one.mass * two.mass / mass
    H = one.spin + two.spin + reduced * np.cross(r, v)
    kept = 0.5 * H @ np.linalg.solve(both.inertia, H)
    had = 0.5 * reduced * v @ v + sum(0.5 * x.spin @ np.linalg.solve(x.inertia, x.spin) for x in (one, two))
    has = 0.5 * both.spin @ np.linalg.solve(both.inertia, both.spin)
    rows += [
        Row(
            what,
            "spin momentum of the pair, N m s",
            f"{np.linalg.norm(H):.3f}",
            f"{np.linalg.norm(both.spin):.3f}",
            _relative(H, both.spin),
            APART,
            why=FAR,
            after=True,
        ),
        Row(what, "common centre of mass, m", "before", "after", float(np.linalg.norm(both.com - com)), APART,
            why=FAR, after=True),
        Row(
            what,
            "energy lost inside the pair, J",
            f"{had - kept:.4f}",
            f"{had - has:.4f}",
            abs(has - kept) / had,
            APART,
            "the move to the port counts too",
            FAR,
            True,
        ),
    ]  # fmt: skip
    return rows


def _coasts(phases: list[ist.Phase]) -> list[Row]:
    """Return what every piece keeps between events, and how far its centre of mass is from a point mass."""
    energy, angular, away = 0.0, 0.0, 0.0
    for phase in phases:
        begin, end = pieces(phase, 0), pieces(phase, -1)
        for name, piece in begin.items():
            last = end[name]
            energy = max(
                energy, abs((last.kinetic + last.potential) / (piece.kinetic + piece.potential) - 1.0)
            )
            angular = max(angular, _relative(piece.angular, last.angular))
            span = (phase.t[0], phase.t[-1])
            fall = lambda t, y: [*y[3:], *(-MU * y[:3] / np.linalg.norm(y[:3]) ** 3)]  # noqa: E731
            start = np.concatenate([piece.com, piece.velocity])
            exact = solve_ivp(fall, span, start, method="DOP853", rtol=1e-12, atol=1e-6)
            away = max(away, float(np.linalg.norm(exact.y[:3, -1] - last.com)))
    return [
        Row("coasts", "orbital energy of every piece", "start", "end", energy, 1e-11),
        Row(
            "coasts",
            "angular momentum of every piece about the Earth",
            "start",
            "end",
            angular,
            1e-10,
            "the force of second order of its size is left out",
        ),
        Row("coasts", "centre of mass of every piece, m", "point mass by scipy", "multibody", away, 1e-3),
    ]


def study() -> Study:
    """One row for each event and quantity, and the coasts."""
    out = Study("apollo_orbit", "Apollo: the sequence in orbit", __doc__.split("\n\n")[1].strip())
    log = fly()
    for a, b, (_, what, _, dock) in zip(log.phases[:-1], log.phases[1:], EVENTS):
        out.rows += _changes(what, pieces(a, -1), pieces(b, 0), dock is not None)
    out.rows += _coasts(log.phases)
    out.pictures["apollo_orbit.png"] = _picture(log)
    return out


def _picture(log: ist.Log):
    """Return a function that draws how far the pieces are from the command module."""

    def draw(path: Path) -> None:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
        for k, name in enumerate(n for n in PARTS if n != "CM"):
            t, away = [], []
            for phase in log.phases:
                gap = phase.position(name) - phase.position("CM")
                t += [*phase.t, np.nan]
                away += [*np.linalg.norm(gap, axis=1), np.nan]
            axes.semilogy(t, away, color=f"C{k}", label=name)
        words = {1500.0: "third stage off, LM docks", 3000.0: "LM undocks, leaves its stage, docks"}
        for when, what, *_ in EVENTS:
            axes.axvline(when, color="0.8", lw=0.8, zorder=0)
            if when % 100.0 == 0.0:
                place = {"va": "top", "transform": axes.get_xaxis_transform()}
                axes.text(when + 15, 0.98, words.get(when, what), rotation=90, fontsize=7, **place)
        axes.set(xlabel="time, s", ylabel="distance from the command module, m", ylim=(1, 1e7))
        axes.set_title(
            "Apollo sequence in an orbit of 185 km: pieces that leave, and the lunar module that docks"
        )
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(path, dpi=110)
        plt.close(figure)

    return draw
