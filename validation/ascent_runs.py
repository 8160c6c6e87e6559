"""Runs of the ascent that its study looks at: the flight, linear models at six times, and how it rings down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

import interstage as ist
from interstage.demo import ascent, heron
from interstage.demo.ascent import Ascent, Margins, each_axis, frequencies, margins_of, open_loops
from interstage.demo.ascent_vehicle import STATIONS, moments
from interstage.demo.heron_deck import heron_deck
from interstage.demo.vehicle import CORE
from interstage.fem import FEModel
from interstage.nastran import deck_from_text
from interstage.simulation.log.log import Log
from validation.heron_loads import slope

AXES = ("roll", "pitch", "yaw")
FRAME_STEP = "0.4 ms"  # of RK4 inside a frame
LOW_HZ, HIGH_HZ = 0.003, 24.9
QUIET = 200.0  # s, at which nothing vibrates any more
RING_AT, RING_FOR, PULSE = 120.0, 60.0, (0.002, 0.004, 0.004)  # s, s, rad/s² for 0.2 s
SMOOTH_S, RIGID_WINDOW, BENDING_WINDOW = 1.6, (2.6, 14.0), (8.0, 40.0)  # s


@dataclass
class Flown:
    """The flight: times (n,), errors of place (n, 3), world axes, and attitude (n, 3), gimbals, IMU, modes.

    moments, loads : of stations, (n, 2) that walls carry, and (2,) of all above at QUIET, N m about y and z
    """

    t: np.ndarray
    place: np.ndarray
    attitude: np.ndarray
    gimbals: np.ndarray
    rates: np.ndarray
    modes: np.ndarray
    moments: dict[float, np.ndarray]
    loads: dict[float, np.ndarray]
    log: Log


def flown(ready: Ascent) -> Flown:
    """Fly to T+300 s."""
    log = ready.fly()
    t, system = log.t, ready.system
    com = np.array([system.mass_properties(log.state(k)).com for k in range(len(log))])
    at = np.searchsorted(log.times("imu.attitude"), t - 1e-9)
    seen = zip(log["imu.attitude"][at], log["guidance.attitude"])
    angles = [log[f"pod{k}.tvc.angle"] for k in range(1, 5)]
    return Flown(
        t,
        com - log["guidance.position"],
        np.degrees([ist.attitude_error(*pair) for pair in seen]),
        np.degrees(np.hstack(angles)),
        np.degrees(log["imu.rate"][at]),
        log["core"].eta,
        {x: moments(log, x) for x in STATIONS},
        {x: loads_above(ready, log, x) for x in STATIONS},
        log,
    )


def loads_above(ready: Ascent, log: Log, x: float) -> np.ndarray:
    """Return the moments (2,) of all above a station about its middle at QUIET, N m: weight less inertia, as bent.

    M = Σ (r - c) × m (g - a) - J α over the grids of the finite-element model, body axes; nothing vibrates
    """
    fe, system = FEModel.from_deck(deck_from_text(heron_deck())), ready.system
    k, core = int(np.searchsorted(log.t, QUIET - 1e-6)), log[CORE]
    rates = slope(core.velocity, float(log.t[1] - log.t[0]))[k]
    r = fe.grids.xyz - np.array([heron.FORWARD_GYRO_X, 0.0, 0.0]) + system.flexible(CORE).gamma @ core.eta[k]
    w, v = core.velocity[k, :3], core.velocity[k, 3:]
    a = rates[3:] + np.cross(w, v) + np.cross(rates[:3], r) + np.cross(w, np.cross(w, r))
    turn = ist.Rotation.from_quaternion(core.quaternion[k]).matrix
    motion = np.zeros((fe.M_gg.shape[0] // 6, 6))
    motion[:, :3], motion[:, 3:] = turn.T @ log["earth.pull"][k].reshape(3) - a, -rates[:3]
    loads = (fe.M_gg @ motion.ravel()).reshape(-1, 6)
    wall = np.hypot(fe.grids.xyz[:, 1], fe.grids.xyz[:, 2]) > 1.0
    beside = np.abs(fe.grids.xyz[:, 0] - x)
    arm = r - r[wall & (beside < beside[wall].min() + 1e-6)].mean(axis=0)
    above = fe.grids.xyz[:, 0] > x
    return (np.cross(arm, loads[:, :3]) + loads[:, 3:])[above].sum(axis=0)[1:]


@dataclass
class Point:
    """A linear model at a time of flight: open loops (3, nf) over frequencies, margins, poles of the closed loop."""

    t: float
    f_hz: np.ndarray
    loops: np.ndarray
    margins: list[Margins]
    poles: np.ndarray


def points(ready: Ascent, times: tuple[float, ...]) -> list[Point]:
    """Linearize on the way, loops opened at the demand."""
    found, x, now, f = [], ready.x0, 0.0, np.zeros(0)
    for t in times:
        x = ist.simulate(
            ready.flight, x, start=now, until=t, step=ascent.STEP, method="ros2", log_step=10.0
        ).state()
        now = t
        model = open_loops(ready.flight, x, ascent.DEMAND, "roll_off.y", FRAME_STEP)
        f = f if len(f) else frequencies(LOW_HZ, HIGH_HZ, bending(model.A))
        loops = each_axis(model, f)
        z = np.linalg.eigvals(model.A + model.B @ model.C)
        poles = np.log(z[np.abs(z) > 1e-6].astype(complex)) / ascent.PERIOD
        margins = [margins_of(f, loop, ascent.MARGINS_FROM_HZ) for loop in loops]
        found.append(Point(t, f, loops, margins, poles))
    return found


def bending(A: np.ndarray) -> np.ndarray:
    """Return frequencies, Hz, of lightly damped poles of a frame."""
    z = np.linalg.eigvals(A)
    s = np.log(z[np.abs(z) > 1e-6].astype(complex)) / ascent.PERIOD
    return s.imag[(s.imag > 3.0) & (-s.real < 0.05 * np.abs(s))] / (2.0 * np.pi)


@dataclass
class Ringing:
    """What a pulse does to the nonlinear flight: times after it, changes of angle, rate, place, speed (body axes).

    begin : state at the first time;  demand : (n, 3) change of the demand while it is overridden, zero elsewhere
    angles : (2, n, 4, 2) of gimbals at the times, without and with the pulse;  commands : (n, 2) of the first with it
    """

    begin: ist.ContinuousState
    t: np.ndarray
    demand: np.ndarray
    angle: np.ndarray
    rate: np.ndarray
    place: np.ndarray
    speed: np.ndarray
    angles: np.ndarray
    commands: np.ndarray


def ringing(ready: Ascent, at: float = RING_AT, seconds: float = RING_FOR) -> Ringing:
    """Fly on from a time twice, once with a pulse of the demand, and return the differences."""
    x = ist.simulate(ready.flight, ready.x0, until=at, step=ascent.STEP, method="ros2", log_step=10.0).state()
    pulse = ist.Fault(ascent.DEMAND, value=ready.design.balance + PULSE, start=at + 0.5, stop=at + 0.7)
    runs = [
        ist.simulate(
            ready.flight, x, start=at, until=at + seconds, step=ascent.STEP, method="ros2", log_step=ascent.PERIOD,
            faults=faults,
        )
        for faults in ([], [pulse])
    ]  # fmt: skip
    still, rung = runs
    q = still["imu.attitude"]

    def in_body(name: str) -> np.ndarray:
        return np.array(
            [
                ist.quaternion.rotate(ist.quaternion.inverse(each), d)
                for each, d in zip(q, rung[name] - still[name])
            ]
        )

    angle = np.array([ist.attitude_error(*pair) for pair in zip(rung["imu.attitude"], q)])
    t = still.times("imu.rate") - at
    rate = rung["imu.rate"] - still["imu.rate"]
    forced = (t > 0.5 - 1e-6) & (t < 0.7 - 1e-6)
    demand = np.where(forced[:, None], rung[ascent.DEMAND] - still[ascent.DEMAND], 0.0)
    pods = range(1, len(heron.ENGINES) + 1)
    angles = [[one.series(f"pod{k}.tvc.angle").at(t + at) for k in pods] for one in runs]
    commands = rung.series("pod1.tvc.command").at(t + at)
    moved = in_body("gps.position"), in_body("gps.velocity")
    return Ringing(x, t, demand, angle, rate, *moved, np.array(angles).transpose(0, 2, 1, 3), commands)


def fitted(t: np.ndarray, signals: np.ndarray, first: list[complex]) -> np.ndarray:
    """Return poles (n,) of damped oscillations whose sum is nearest to signals (nt, m), amplitudes by least squares.

    What is fitted are the poles alone (variable projection); `first` is where they begin.
    """
    y, t = signals / np.abs(signals).max(axis=0), t - t[0]

    def rest(p: np.ndarray) -> np.ndarray:
        waves = [np.exp(a * t) * wave(b * t) for a, b in p.reshape(-1, 2) for wave in (np.cos, np.sin)]
        basis = np.array(waves).T
        return (basis @ np.linalg.lstsq(basis, y, rcond=None)[0] - y).ravel()

    start = np.array([[s.real, s.imag] for s in first]).ravel()
    p = least_squares(rest, start, x_scale=np.abs(start), xtol=1e-13, ftol=1e-13).x
    return p[::2] + 1j * np.abs(p[1::2])


def smooth(y: np.ndarray) -> np.ndarray:
    """Return a signal seen through a window that leaves no bending."""
    kernel = np.hanning(round(SMOOTH_S / ascent.PERIOD) + 2)[1:-1]
    return np.convolve(y, kernel / kernel.sum(), "same")


def rung_down(rung: Ringing, poles: np.ndarray) -> dict[str, tuple[complex, complex]]:
    """Return poles by name: of the linear model, and fitted to the nonlinear run from values 10 % off.

    Rigid motion is seen through a window that leaves no bending; such a filter moves no pole.
    """
    half = round(SMOOTH_S / ascent.PERIOD) // 2

    def nearest(s: complex) -> complex:
        upper = poles[poles.imag > 1e-3]
        return complex(upper[np.argmin(np.abs(upper - s))])

    inside = (rung.t > RIGID_WINDOW[0]) & (rung.t < RIGID_WINDOW[1])
    inside[:half] = inside[-half:] = False
    found = {}
    off = 1.1
    for axis, side, (turn, path) in ((1, 2, ("pitch", "place in pitch")), (2, 1, ("yaw", "place in yaw"))):
        columns = (rung.angle[:, axis], rung.rate[:, axis], rung.speed[:, side], rung.place[:, side])
        y = np.column_stack([smooth(c)[inside] for c in columns])[::5]
        known = [nearest(-0.82 + 0.53j), nearest(-0.072 + 0.072j)]
        fit = fitted(rung.t[inside][::5], y, [off * s for s in known])
        found |= {turn: (known[0], fit[0]), path: (known[1], fit[1])}
    y = np.column_stack([smooth(c)[inside] for c in (rung.angle[:, 0], rung.rate[:, 0])])[::5]
    known = [nearest(-0.754 + 0.559j)]
    found["roll"] = known[0], fitted(rung.t[inside][::5], y, [off * known[0]])[0]
    late = (rung.t > BENDING_WINDOW[0]) & (rung.t < BENDING_WINDOW[1])
    lowest = sorted(
        poles[(poles.imag > 14.0) & (poles.imag < 17.0) & (poles.real > -0.3)], key=lambda s: s.imag
    )
    for name, axis, s in (("first bending, yaw", 2, lowest[0]), ("first bending, pitch", 1, lowest[1])):
        slow = smooth(rung.rate[:, axis])
        y = (rung.rate[:, axis] - slow)[late][:, None]
        found[name] = complex(s), fitted(rung.t[late], y, [complex(1.1 * s.real, s.imag)])[0]
    return found
