"""What a pulse does while the vehicle pitches over: the nonlinear flight beside linear models that change with time.

Poles are not for such a time. Axes that turn at ω = 0.95°/s couple the place across the thrust with that along it (two
more, real poles of about ω) and yaw with roll, whose poles are 0.1 1/s apart and damped by 0.8: sums of few damped
oscillations then fit the run to 0.2 % with poles that are off by a tenth and more. The response itself is no matter of
opinion: the model of a frame in axes that turn with the vehicle,

    x(k + 1) = T(k + 1)ᵀ A T(k) x(k) + T(k + 1)ᵀ B u(k)        T: place and speed from body axes to those of the world

goes in a straight line from that of the begin to that of the end, and gets the pulse that the run got.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage.demo import ascent
from interstage.demo.ascent import Ascent
from interstage.demo.vehicle import CORE
from validation.ascent_runs import AXES, FRAME_STEP, SMOOTH_S, Ringing, ringing, smooth

AT, SECONDS = 60.0, 14.0  # s
OUTPUTS = ("roll_off.y", "imu.rate", "imu.attitude", "gps.position", "gps.velocity")


class Frame(NamedTuple):
    """Matrices of a frame in body axes; outputs are the demand and changes of rate, angle, place and speed, 3 each."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


def frame(ready: Ascent, x: ist.ContinuousState) -> Frame:
    """Return the model of a frame about a state of the flight."""
    model = ist.linearize(
        ready.flight, x, inputs=[ascent.DEMAND], outputs=list(OUTPUTS), sampled=True, step=FRAME_STEP,
        velocity_axes="world",
    )  # fmt: skip
    turn = Rotation.from_quat(x[CORE].quaternion, scalar_first=True).as_matrix()
    later = turn @ Rotation.from_rotvec(x[CORE].velocity[:3] * ascent.PERIOD).as_matrix()
    now, then = np.eye(len(model.A)), np.eye(len(model.A))
    for names in (("x", "y", "z"), ("vx", "vy", "vz")):
        rows = [model.states.index(f"{CORE}.{name}") for name in names]
        now[np.ix_(rows, rows)], then[np.ix_(rows, rows)] = turn, later
    s, a, b, c = x[CORE].quaternion
    angle = 2.0 * np.array([[-a, s, c, -b], [-b, -c, s, a], [-c, b, -a, s]])  # of a change of the quaternion

    def seen(M: np.ndarray) -> np.ndarray:
        return np.vstack([M[:6], angle @ M[6:10], turn.T @ M[10:13], turn.T @ M[13:16]])

    return Frame(then.T @ model.A @ now, then.T @ model.B, seen(model.C @ now), seen(model.D))


def respond(first: Frame, last: Frame, rung: Ringing) -> np.ndarray:
    """Return outputs (n, 15) of models between two frames to the pulse of a run, the loop closed besides."""
    x, out = np.zeros(len(first.A)), []
    for t, pulse in zip(rung.t, rung.demand):
        A, B, C, D = (a + t / SECONDS * (b - a) for a, b in zip(first, last))
        u = pulse if pulse.any() else C[:3] @ x
        out.append(C @ x + D @ u)
        x = A @ x + B @ u
    return np.array(out)


def apart(ready: Ascent) -> dict[str, float]:
    """Return differences of run and model without bending, of the peak of the run, by name."""
    rung = ringing(ready, AT, SECONDS + SMOOTH_S)
    end = ist.simulate(
        ready.flight, rung.begin, start=AT, until=AT + SECONDS, step=ascent.STEP, method="ros2", log_step=10.0
    ).state()
    y = respond(frame(ready, rung.begin), frame(ready, end), rung)
    inside = (rung.t > 1.0) & (rung.t < SECONDS)
    found = {}
    across = {"pitch": 2, "yaw": 1}  # axis of the place that an angle moves the vehicle along
    for k, axis in enumerate(AXES):
        signals = {"angle": (rung.angle[:, k], y[:, 6 + k]), "rate": (rung.rate[:, k], y[:, 3 + k])}
        if axis in across:
            j = across[axis]
            signals["place"] = rung.place[:, j], y[:, 9 + j]
            signals["speed"] = rung.speed[:, j], y[:, 12 + j]
        for name, pair in signals.items():
            run, model = (smooth(one)[inside] for one in pair)
            found[f"{name} in {axis}"] = float(np.abs(run - model).max() / np.abs(run).max())
    return found
