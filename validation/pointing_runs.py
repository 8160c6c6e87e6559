"""Runs of the study `observatory_pointing`: slews, fine pointing beside its linear model, the book, sweeps of speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_simpson

import interstage as ist
from interstage.report.plots import settling_time, windowed_rms
from validation import pointing
from validation.pointing import (
    ARCSEC,
    ISOLATED,
    PERIOD,
    SPREAD,
    STEP,
    THRUSTERS,
    Craft,
)
from validation.pointing_by_hand import ByHand

WINDOW, WITHIN = 10.0, 0.1  # s, arcsec
AFTER, HANDOVER = 100.0, 40.0  # s after the slew: end of the run, and when thrusters take over
FINE, BOOK, LONG = 40.0, 30.0, 1e6  # s: of fine pointing, of the book; a time long after the slew
HELD = {"fsw.off_star": np.zeros(3), "fsw.off_rate": np.zeros(3)}


def speeds_of(craft: Craft, architecture: str) -> np.ndarray:
    """Return the speeds (4,) of the wheels before and after the slew."""
    return np.zeros(4) if architecture == THRUSTERS else craft.bias * SPREAD


def sight(craft: Craft, directions: np.ndarray) -> np.ndarray:
    """Return how far lines of sight (m, 3) are from the target, arcsec (m, 2); small changes of them too."""
    R = ist.Rotation.from_quaternion(pointing.target(craft.slew, LONG)).matrix
    return (directions @ R)[:, :2] / ARCSEC


def at_target(craft: Craft, system: ist.System) -> ist.ContinuousState:
    """Return the telescope at rest on its target."""
    x = system.state()
    x["bus"].quaternion[:] = pointing.target(craft.slew, LONG)
    return x


@dataclass
class Flown:
    """A slew: times, line of sight (m, 2) in arcsec, wheel speeds (m, 4), when it settled after the slew's end."""

    t: np.ndarray
    error: np.ndarray
    speeds: np.ndarray
    settled: float

    def jitter(self) -> float:
        """Return the root mean square of the last window, arcsec."""
        return float(windowed_rms(self.t[:-1], self.error[:-1], WINDOW)[1][-1])


def slew(craft: Craft, architecture: str, system: ist.System) -> Flown:
    """Fly the slew and the pointing after it."""
    until = craft.slew + AFTER
    noise = pointing.Noise(1, round(until / PERIOD) + 2, len(craft.fe.THRUSTERS))
    handover = craft.slew + HANDOVER if architecture == THRUSTERS else np.inf
    speeds = speeds_of(craft, architecture)
    sc = pointing.observatory(
        craft, architecture, system, speeds=speeds, begin=0.0, noise=noise, handover=handover
    )
    keep = ["sight.direction", "rw*.speed"]
    log = ist.simulate(
        sc, system.state(), until=until, step="5 ms", log_step=PERIOD, keep=keep, progress=False
    )
    error = sight(craft, log["sight.direction"])
    turned = np.stack([log[f"rw{k + 1}.speed"] for k in range(4)], axis=1)
    return Flown(log.t, error, turned, settling_time(log.t, error, WITHIN, WINDOW) - craft.slew)


@dataclass
class Fine:
    """Fine pointing: times, line of sight (m, 2) in arcsec of run, linear model and matrices by hand; states, |z|."""

    t: np.ndarray
    error: np.ndarray
    linear: np.ndarray
    by_hand: np.ndarray
    states: int
    largest: float

    def rms(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the root mean squares by windows, of the run and of the model."""
        run, model = (windowed_rms(self.t[:-1], y[:-1], WINDOW)[1] for y in (self.error, self.linear))
        return run, model

    def apart(self) -> tuple[float, float]:
        """Return how far run and model are apart: of two root mean squares, and of the difference; worst window."""
        run, model = self.rms()
        return float(np.abs(run / model - 1.0).max()), self._between(self.error, self.linear)

    def off(self) -> tuple[float, float]:
        """Return how far run and model are from the matrices by hand: root mean square of the difference, relative."""
        return self._between(self.error, self.by_hand), self._between(self.linear, self.by_hand)

    def _between(self, one: np.ndarray, other: np.ndarray) -> float:
        """Return the root mean square of a difference, of that of the other; the worst window."""
        size = [windowed_rms(self.t[:-1], y[:-1], WINDOW)[1] for y in (one - other, other)]
        return float((size[0] / size[1]).max())


def fine(craft: Craft, architecture: str, system: ist.System, until: float = FINE) -> Fine:
    """Point from rest with all noise, by the nonlinear run and by the linear model of a frame."""
    x, speeds = at_target(craft, system), speeds_of(craft, architecture)
    rows = round(until / PERIOD) + 1
    noise = pointing.Noise(3, rows + 1, len(craft.fe.THRUSTERS))
    handover = 0.0 if architecture == THRUSTERS else np.inf
    how = {"speeds": speeds, "begin": LONG, "handover": handover}
    sc = pointing.observatory(craft, architecture, system, noise=noise, **how)
    log = ist.simulate(
        sc, x, until=until, step=STEP, log_step=PERIOD, keep=["sight.direction"], progress=False
    )
    bare = pointing.observatory(craft, architecture, system, noise=None, shakers=bool(speeds.any()), **how)
    inputs = ["fsw.off_star", "fsw.off_rate", *(["mt*.hiss"] if architecture == THRUSTERS else [])]
    model = ist.linearize(bare, x, inputs, ["sight.direction"], set=HELD, sampled=True, step=STEP)
    begin = np.array([float(name.startswith("shaker") and name.endswith(".c")) for name in model.states])
    turn_exactly(model, speeds)
    linear = model.time_response(noise.rows[:rows, : len(model.inputs)], begin)
    thought, upright = system.mass_properties(system.state()), ByHand(craft, architecture)
    by_hand = upright.pointed(speeds, thought.inertia, thought.com, noise.rows[:rows])
    seen = sight(craft, log["sight.direction"]), sight(craft, linear), by_hand
    return Fine(log.t, *seen, len(begin), largest(model))


def turn_exactly(model: ist.LinearModel, speeds: np.ndarray) -> None:
    """Let imbalances turn by ΩT in a frame, without the error of the steps inside it that would add up."""
    for k, speed in enumerate(speeds if speeds.any() else ()):
        at = [model.states.index(f"shaker{k + 1}.{name}") for name in "cs"]
        cos, sin = np.cos(speed * PERIOD), np.sin(speed * PERIOD)
        model.A[np.ix_(at, at)] = [[cos, -sin], [sin, cos]]


def largest(model: ist.LinearModel) -> float:
    """Return the largest |z| of a frame beside those of integrals that stand (positions, angles and momenta)."""
    size = np.abs(np.asarray(model.poles()))
    return float(size[np.abs(size - 1.0) > 1e-9].max())


@dataclass
class Book:
    """Gaps of energy and momentum over a stretch of the slew, what was exchanged, the largest impulse of imbalance."""

    t: np.ndarray
    energy: np.ndarray
    exchanged: float
    own: float
    angular: float
    linear: float
    shaken: np.ndarray


def book(craft: Craft, architecture: str, system: ist.System, until: float = BOOK) -> Book:
    """Fly a stretch of the slew (of pointing, with thrusters) and close the books.

    Imbalance acts from outside: its work and impulse are metered, as are dampers of isolators.
    """
    thrusters = architecture == THRUSTERS
    begin, handover = (LONG, 0.0) if thrusters else (0.1 * craft.slew, np.inf)
    noise = pointing.Noise(2, round(until / PERIOD) + 2, len(craft.fe.THRUSTERS))
    sc = pointing.observatory(
        craft, architecture, system, speeds=speeds_of(craft, architecture), begin=begin, noise=noise,
        handover=handover,
    )  # fmt: skip
    static, dynamic = craft.imbalance
    for k, axis in enumerate(craft.fe.WHEEL_AXES):
        at = craft.place(architecture, k)
        turns = {"axis": axis, "side": pointing.across(axis), "static": static, "dynamic": dynamic}
        sc.add(f"meter{k + 1}", pointing.Meter(at=at, **turns))
        if architecture == ISOLATED:
            six = craft.bushing(k)["damping"]
            sc.add(f"heat{k + 1}", pointing.Heat(a=("bus", craft.fe.WHEELS[k]), b=at, damping=six))
        sc.wire({f"rw{k + 1}.{port}": f"meter{k + 1}.{port}" for port in ("speed", "drag")})
    sc.wire({"fsw.torque": "meter*.torque"})
    x = at_target(craft, system) if thrusters else system.state()
    if thrusters:  # something to do: a rate of 0.1 arcsec a second
        x["bus"].velocity[:3] = 0.1 * ARCSEC * pointing.AXIS
    log = ist.simulate(sc, x, until=until, step="1.25 ms", log_step="2.5 ms", progress=False)
    momenta = np.stack([log[f"rw{k + 1}.momentum"] for k in range(4)], axis=1)
    spin = 0.5 * (momenta**2).sum(axis=1) / craft.fe.SPIN_INERTIA
    work = sum(log[f"meter{k + 1}.work"] + log[f"meter{k + 1}.shaken"] for k in range(4))
    shaken = sum(log[f"meter{k + 1}.impulse"] for k in range(4))
    D = np.diag(system.damping_matrix())
    lost = integral(log.t, (log.v**2) @ D)
    if architecture == ISOLATED:
        lost = lost + sum(log[f"heat{k + 1}.lost"] for k in range(4))
    own = log.energy + springs(craft, architecture, log)
    total = log.momentum.copy()
    for k in range(4):
        total[:, :3] += momenta[:, [k]] * log[f"meter{k + 1}.along"]
    pushed, pushes = impulse(craft, log) if thrusters else (np.zeros((len(log.t), 6)), np.zeros(len(log.t)))
    gap = own - own[0] + spin - spin[0] - work + lost - pushes
    change = total - total[0] - pushed - shaken
    moved = [np.abs(log.momentum[:, cut] - log.momentum[0, cut]).max() for cut in (slice(3), slice(3, 6))]
    # without thrusters the centre of mass hardly moves: what the parts move by as they turn about it
    carried = system.mass_properties(x).mass * np.linalg.norm(log["bus"].velocity[:, 3:6], axis=1).max()
    scale = (
        max(np.ptp(spin), np.ptp(own)),
        max(moved[0], 0.0 if thrusters else np.abs(momenta - momenta[0]).max()),
        moved[1] if thrusters else carried,
    )
    return Book(
        log.t, gap, scale[0], float(np.ptp(own)), float(np.abs(change[:, :3]).max() / scale[1]),
        float(np.abs(change[:, 3:]).max() / scale[2]), np.abs(shaken).max(axis=0),
    )  # fmt: skip


def integral(t: np.ndarray, y: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """Return the integral of y (m, ...) from the first row on, by Simpson's rule within each frame of the software.

    held (m, k) : of y (m, k, n), factors that each frame has from its first row
    """
    n = round(PERIOD / (t[1] - t[0]))
    out = np.zeros(y.shape if held is None else (len(t), y.shape[2]))
    for k in range(0, len(t) - 1, n):
        part = slice(k, k + n + 1)
        rows = y[part] if held is None else np.einsum("k,mkn->mn", held[k], y[part])
        out[part] = out[k] + cumulative_simpson(rows, x=t[part], axis=0, initial=0.0)
    return out


def springs(craft: Craft, architecture: str, log: ist.Log) -> np.ndarray:
    """Return the energy (m,) of the isolators."""
    out = np.zeros(len(log.t))
    for k in range(4 if architecture == ISOLATED else 0):
        six = np.hstack([log[f"isolator{k + 1}.angle"], log[f"isolator{k + 1}.apart"]])
        out += 0.5 * (six**2) @ craft.bushing(k)["stiffness"]
    return out


def impulse(craft: Craft, log: ist.Log) -> tuple[np.ndarray, np.ndarray]:
    """Return the impulse [h; p] (m, 6) about the origin of the world and the work (m,) of the thrusters.

    A thrust is held over a frame of the software: the row at its end already has the next one.
    """
    names = [f"mt{k + 1:02d}" for k in range(len(craft.fe.THRUSTERS))]
    where = {
        node: (log.position("bus", node), log.velocity("bus", node)[:, 3:])
        for node in craft.fe.THRUSTER_NODES
    }
    each = []
    for k, name in enumerate(names):
        place, velocity = where[pointing.thruster_node(craft.fe, k)]
        along = log[f"{name}.along"]
        power = (along * velocity).sum(axis=1)
        each.append(np.column_stack([np.cross(place, along), along, power]))
    of_newton = np.stack(each, axis=1)
    thrust = np.stack([log[f"{name}.thrust"] for name in names], axis=1)
    found = integral(log.t, of_newton, thrust)
    return found[:, :6], found[:, 6]


@dataclass
class Sweep:
    """Over speeds (n,) of the first wheel in rad/s: jitter (n,) in arcsec; frequencies of modes at some speeds.

    off : how far jitter and frequencies at some speeds are from the matrices by hand, relative
    """

    speeds: np.ndarray
    jitter: np.ndarray
    some: np.ndarray
    modes: list[np.ndarray]
    off: tuple[float, float]


class Shaken:
    """The plant without software, linear: from loads at the wheels to their rates and the line of sight."""

    def __init__(self, craft: Craft, architecture: str, system: ist.System):
        self.craft, self.architecture = craft, architecture
        sc = pointing.observatory(
            craft, architecture, system, speeds=np.zeros(4), begin=LONG, noise=None, software=False
        )
        for k in range(4):
            sc.add(f"probe{k + 1}", pointing.Probe(at=craft.place(architecture, k)))
        inputs = [f"probe{k + 1}.{what}" for k in range(4) for what in ("force", "torque")]
        outputs = [f"probe{k + 1}.turning" for k in range(4)] + ["sight.direction"]
        self.model = ist.linearize(sc, at_target(craft, system), inputs, outputs, set={"rw*.torque": 0.0})

    def spinning(self, speeds: np.ndarray) -> np.ndarray:
        """Return A with the gyroscopic torques h a × ω of wheels at speeds (4,)."""
        A, B, C = self.model.A.copy(), self.model.B, self.model.C
        for k, axis in enumerate(self.craft.fe.WHEEL_AXES):
            h = self.craft.fe.SPIN_INERTIA * speeds[k]
            cross = np.cross(np.eye(3), -axis).T  # [a]×
            A += B[:, 6 * k + 3 : 6 * k + 6] @ (h * cross) @ C[3 * k : 3 * k + 3]
        return A

    def jitter(self, speed: float) -> float:
        """Return the root mean square of the line of sight, arcsec; wheels 1 to 3 turn together, the fourth apart."""
        speeds = speed * SPREAD
        A = self.spinning(speeds)
        R = ist.Rotation.from_quaternion(pointing.target(self.craft.slew, LONG)).matrix
        C = (R.T @ self.model.C[12:])[:2]
        square = 0.0
        for wheels in ((0, 1, 2), (3,)):
            load = sum(self._load(k, speeds[k]) for k in wheels)
            s = 1j * speeds[wheels[0]]
            square += 0.5 * float((np.abs(C @ np.linalg.solve(s * np.eye(len(A)) - A, load)) ** 2).sum())
        return np.sqrt(square) / ARCSEC

    def _load(self, k: int, speed: float) -> np.ndarray:
        """Return B times the turning force and torque of wheel k, whose real part is e₁ cos Ωt + e₂ sin Ωt."""
        axis = self.craft.fe.WHEEL_AXES[k]
        side = pointing.across(axis)
        turning = (side - 1j * np.cross(axis, side)) * speed**2
        static, dynamic = self.craft.imbalance
        return self.model.B[:, 6 * k : 6 * k + 6] @ np.concatenate([static * turning, dynamic * turning])


def sweep(shaken: Shaken, speeds: np.ndarray, every: int) -> Sweep:
    """Return jitter over speeds, and frequencies of the modes (Hz) at every so many of them."""
    by_hand, some, modes = ByHand(shaken.craft, shaken.architecture), speeds[::every], []
    jitter = np.array([shaken.jitter(s) for s in speeds])
    shook, rang = np.zeros(len(some)), np.zeros(len(some))
    for k, speed in enumerate(some):
        values = np.linalg.eigvals(shaken.spinning(speed * SPREAD))
        modes.append(np.sort(np.abs(values[values.imag > 0.1])) / (2.0 * np.pi))
        shook[k] = np.abs(jitter[::every][k] / by_hand.jitter(speed * SPREAD) - 1.0)
        rang[k] = np.abs(modes[k] / by_hand.frequencies(speed * SPREAD) - 1.0).max()
    return Sweep(speeds, jitter, some, modes, (float(shook.max()), float(rang.max())))


def at_speed(craft: Craft, architecture: str, system: ist.System, speed: float, until: float = 40.0) -> float:
    """Return the jitter of the last window of a nonlinear run without noise, wheels at a speed, arcsec."""
    rows = pointing.Noise(0, round(until / PERIOD) + 2, len(craft.fe.THRUSTERS))
    rows.rows[:] = 0.0
    sc = pointing.observatory(craft, architecture, system, speeds=speed * SPREAD, begin=LONG, noise=rows)
    run = {"until": until, "step": STEP, "log_step": STEP, "keep": ["sight.direction"], "progress": False}
    log = ist.simulate(sc, at_target(craft, system), **run)
    y = sight(craft, log["sight.direction"])[-round(WINDOW / 0.0025) :]
    return float(np.sqrt(((y - y.mean(axis=0)) ** 2).sum(axis=1).mean()))
