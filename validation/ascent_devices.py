"""What surrounds and moves the vehicles of the ascents, written anew and set beside what the logs have.

A factor of two in gravity, thrust, an actuator, a sensor or a gust breaks a row: laws hide such things, since they
steer towards the reference with what they have, and their gains come from the same models.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import interp1d
from scipy.signal import lsim
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage.demo import ascent, heron
from interstage.demo import ascent_plant as ap
from interstage.demo.vehicle import CORE
from validation.ascent_runs import SMOOTH_S, Ringing
from validation.heron_truth import AXES, PAD, World, gravity
from validation.study import Row

GIMBAL = ([0.0, -1.0, 0.0], [0.0, 0.0, -1.0])  # axes of a universal joint
TIMES = np.array([0.0, 100.0, 200.0, 300.0])  # s
SPEED = 0.05  # m/s, of 4600: engines between rows of the log
TURNED = 0.1  # of the rate: engines that turn push the body the other way, and bending takes part
SERVO = 0.06  # of the largest angle: steps of 5 ms of ROS2
WIND = 0.35  # of sigma: three sigma of chance for some fifty independent seconds


def path_rows(ready: ascent.Ascent, log: ist.Log) -> list[Row]:
    """The velocity of the center of mass by scipy: gravity of its own, thrust of engines along their axes as flown."""
    whole = ready.system.mass_properties(ready.system.state())
    mass, t = float(whole.mass), log.t
    some = np.append(np.arange(0, len(t) - 1, 5), len(t) - 1)
    states = [log.state(int(k)) for k in some]
    pushes = [sum(ready.system.rotation(x, name)[:, 0] for name in heron.ENGINES) for x in states]
    push, com = interp1d(t[some], np.array(pushes), axis=0), ready.system.mass_properties(states[0]).com
    rows = np.searchsorted(t, TIMES - 1e-6)
    v = log.momentum[rows, 3:] / mass

    def rate(now: float, y: np.ndarray) -> np.ndarray:
        thrust = heron.THRUST * push(min(now, t[-1]))
        return np.concatenate([y[3:], gravity(AXES @ (PAD + y[:3]), World()) + thrust / mass])

    found = solve_ivp(
        rate, (TIMES[0], TIMES[-1]), [*com, *v[0]], rtol=1e-8, atol=1e-5, t_eval=TIMES, max_step=0.5
    ).y.T[:, 3:]
    why = (
        "bending and what gimbals do between rows of the log; gravity, thrust or mass off by 1e-4 would show"
    )
    return [
        Row("by hand", f"velocity at T+{one:.0f} s, m/s", f"{np.linalg.norm(b):.2f}", f"{np.linalg.norm(a):.2f}",
            float(np.linalg.norm(a - b)), SPEED, "axes of engines as flown", why, True)
        for one, a, b in zip(TIMES[1:], v[1:], found[1:])
    ]  # fmt: skip


def direction(first: float, second: float) -> np.ndarray:
    """Return the direction of thrust of an engine on a gimbal, body axes."""
    turns = [Rotation.from_rotvec(angle * np.array(axis)) for angle, axis in zip((first, second), GIMBAL)]
    return (turns[0] * turns[1]).as_matrix()[:, 0]


def pulse_rows(ready: ascent.Ascent, rung: Ringing) -> list[Row]:
    """What gimbals do to the rigid vehicle, the servo of a gimbal, and sensors, in the run with a pulse."""
    whole = ready.system.mass_properties(rung.begin)
    places = [ready.system.position(rung.begin, name) - whole.com for name in heron.ENGINES]
    turn = Rotation.from_quat(rung.begin[CORE].quaternion, scalar_first=True).as_matrix()
    arms, inertia = np.array(places) @ turn, turn.T @ whole.inertia @ turn
    steps = np.array([
        sum(np.cross(arm, heron.THRUST * (direction(*b) - direction(*a))) for arm, a, b in zip(arms, one, two))
        for one, two in zip(rung.angles[0], rung.angles[1])
    ])  # fmt: skip
    rate = np.cumsum(np.linalg.solve(inertia, steps.T).T, axis=0) * ascent.PERIOD
    inside = (rung.t > SMOOTH_S) & (rung.t < 4.0)
    kernel = np.hanning(round(SMOOTH_S / ascent.PERIOD) + 2)[1:-1]
    rows = []
    for k, axis in enumerate(("roll", "pitch", "yaw")):
        hand, run = (np.convolve(y[:, k], kernel / kernel.sum(), "same")[inside] for y in (rate, rung.rate))
        error = float(np.abs(hand - run).max() / np.abs(run).max())
        words = f"{np.abs(hand).max():.2e}", f"{np.abs(run).max():.2e}"
        rows.append(
            Row("by hand", f"{axis} rate after a pulse at 120 s, rad/s", *words, error, TURNED,
                "torques of four engines over the inertia of the rigid vehicle, largest difference to 4 s, of the peak",
                "inertia of engines that turn, and bending", True)
        )  # fmt: skip
    w, command, angle = 2.0 * np.pi * ascent.SERVO_HZ, rung.commands - rung.commands[0], rung.angles[1][:, 0]
    servo = ([w * w], [1.0, 1.4 * w, w * w])
    fine = np.arange(0.0, rung.t[-1] - rung.t[0], 1e-3)
    held = command[np.minimum((fine / ascent.PERIOD + 1e-9).astype(int), len(command) - 1)]
    for k, axis in enumerate(("pitch", "yaw")):
        y = np.interp(rung.t - rung.t[0], fine, lsim(servo, held[:, k], fine)[1])
        moved = angle[:, k] - angle[0, k]
        error = float(np.abs(y - moved).max() / np.abs(moved).max())
        words = f"{np.degrees(np.abs(y).max()):.4f}", f"{np.degrees(np.abs(moved).max()):.4f}"
        rows.append(
            Row("by hand", f"gimbal of engine 1 in {axis} after the pulse, deg", *words, error, SERVO,
                f"second order of {ascent.SERVO_HZ:g} Hz by scipy, of the peak", "steps of 5 ms", True)
        )  # fmt: skip
    return rows


def valve_rows(log: ist.Log, case: str, limit: float) -> list[Row]:
    """The valve of a hydraulic actuator by scipy, from the command and the angle of the log; and its fastest."""
    inertia = heron.engine_gimbal_inertia()
    k = inertia * (2.0 * np.pi * 10.0) ** 2
    rod, fluid = 2.5 * k, k / 0.6
    t, t0 = log.times("tvc1.valve"), log.times("tvc1.command")
    q, command = interp1d(t, log["tvc1.angle"], axis=0), log["tvc1.command"]
    known, error = log["tvc1.valve"], 0.0
    for axis in (0, 1):

        def rate(now: float, y: np.ndarray, axis: int = axis) -> np.ndarray:
            wanted = command[max(int(np.searchsorted(t0, now + 1e-9)) - 1, 0), axis]
            spring = (y - q(now)[axis]) * rod / (rod + fluid)
            return np.clip(2.0 * np.pi * 4.0 * (wanted - y + spring), -ap.RATE_LIMIT, ap.RATE_LIMIT)

        found = solve_ivp(
            rate, (t[0], t[-1]), known[:1, axis], t_eval=t, max_step=ap.FRAME / 2, rtol=1e-6, atol=1e-9
        ).y[0]
        error = max(error, float(np.abs(found - known[:, axis]).max()))
    size = float(np.abs(known).max())
    note = "from commands and angles of the log, by scipy; of the largest"
    fastest = float(np.degrees(np.abs(log["tvc1.moving"]).max()))
    return [
        Row(case, "valve of the actuator of engine 1", "", f"{np.degrees(size):.3f} deg", error / size, limit, note,
            "angles between rows of the log", True),
        Row(case, "fastest valve, deg/s", f"{np.degrees(ap.RATE_LIMIT):.1f}", f"{fastest:.2f}",
            abs(fastest / np.degrees(ap.RATE_LIMIT) - 1.0), 1e-12, "the limit cycle is at the limit of rate"),
    ]  # fmt: skip


def gust_rows(log: ist.Log) -> list[Row]:
    """Gust and turbulence beside what they are made of."""
    t, gust = log.times("air_gusts2.gust"), log["air_gusts2.gust"]
    part = np.clip((t - ap.GUST["start"]) / ap.GUST["duration"], 0.0, 1.0)
    wanted = 0.5 * (1.0 - np.cos(2.0 * np.pi * part))[:, None] * np.array(ap.GUST["amplitude"])
    most = float(np.linalg.norm(wanted, axis=1).max())
    rows = [
        Row("by hand", "gust, most, m/s", f"{most:.3f}", f"{np.linalg.norm(gust, axis=1).max():.3f}",
            float(np.abs(gust - wanted).max() / most), 1e-12, "one minus cosine"),
    ]  # fmt: skip
    for name in ("along", "right", "down"):
        when = log.times(f"air_gusts.{name}")
        y = log[f"air_gusts.{name}"][(when > 20.0) & (when < 150.0)]
        size, sigma = float(np.sqrt(np.mean(y**2))), ap.TURBULENCE["sigma"]
        rows.append(
            Row("by hand", f"turbulence {name}, rms of T + 20 to 150 s, m/s", f"{sigma:.2f}", f"{size:.2f}",
                abs(size / sigma - 1.0), WIND, "", "three sigma of chance for some fifty independent seconds", True)
        )  # fmt: skip
    return rows


def sensor_rows(log: ist.Log, body: str) -> list[Row]:
    """A rate sensor beside the motion of the body, of the first phase: the largest difference of means of a second."""
    first = log.phases[0]
    t = log.times("imu.rate")
    rate, t = log["imu.rate"][t <= first.t[-1]], t[t <= first.t[-1]]
    true = interp1d(first.t, first[body].velocity[:, :3], axis=0, fill_value="extrapolate")(t)
    n = 50
    mean = [
        np.apply_along_axis(lambda y: np.convolve(y, np.ones(n) / n, "valid"), 0, one) for one in (rate, true)
    ]
    error = float(np.abs(mean[0] - mean[1]).max() / np.abs(mean[1]).max())
    words = f"{np.degrees(np.abs(mean[1]).max()):.3f}", f"{np.degrees(np.abs(mean[0]).max()):.3f}"
    return [
        Row("by hand", "rate of the inertial unit, most, deg/s", *words, error, 0.05,
            "means of a second beside those of the body, of the largest", "bending between sensor and frame", True)
    ]  # fmt: skip
