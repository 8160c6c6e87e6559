"""Controllers: PID, phase plane, control allocation.

PID controller from sample to sample, each axis by itself, with limits and an integral that does not wind up.

u = kp e + I + kd D,                          e = wanted - measured
I⁺ = I + ki T (e + e⁻)/2                      trapezoidal; held where u is at its limit and e would drive it further
D⁺ = [(2τ - T) D - 2 (y - y⁻)]/(2τ + T)       of the measurement y, through a lag τ; τ = 0: -(y - y⁻)/T
D = -rate                                     where a measured rate is used

Phase-plane logic of thrusters: on or off by attitude error and rate, each axis by itself.

    s = e + ω|ω|/2α       where a full thrust of angular acceleration α would bring the error to rest
    fire against s where |s| > deadband, and on until |s| < (1 - hysteresis) deadband; against ω where |ω| > rate_limit

(Bryson, Control of Spacecraft and Aircraft, 1994, ch. 7.) Outside the dead zone it is the time-optimal law.

Allocation of a demand to actuators with limits: bounded least squares.

    min  |W (E u - c)|² + ε |u - u0|²,      low ≤ u ≤ high

E (m, n) what each actuator gives, c (m,) the demand; ε, small beside E, chooses among equals the least effort. Within
its limits u = u0 + E⁺(c - E u0); otherwise an active set finds the minimum: free actuators by Cholesky, those at a
limit let go where that lowers the cost (BVLS: Stark and Parker, Computational Statistics 10, 1995, 129). method="pinv"
scales u - u0 = E⁺(c - E u0) back as a whole to the first limit instead, so that the direction is kept.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.devices.clipping import clipped
from interstage.errors import InputError, shown
from interstage.jit import kernel
from interstage.linear.sections import TransferSection
from interstage.simulation.plant.declarations import (
    ANY,
    DiscreteState,
    In,
    IntegerState,
    Limit,
    Out,
    Parameter,
    Value,
    state_of,
    within,
)
from interstage.simulation.plant.device import Device, RecordView

UNLIMITED = 1e300


def pid_section(kp: Any, ki: Any, kd: Any, lag: Any) -> tuple[Any, ...]:
    """Return ω0 = 0 (no warping) and b2, b1, b0, a2, a1, a0 from error to command, without limits, with a lag."""
    return 0.0, kp * lag + kd, kp + ki * lag, ki, lag, 1.0, 0.0


class PID(Device):
    """Command u (n,) of a wanted and a measured value; see the module.

    kp, ki, kd : gains, one or n each;  lag : τ of the derivative;  limit : of each command, ±
    rated : use the input `rate` instead of differences of `measured`
    """

    kp = Parameter("", 0.0, size="n")
    ki = Parameter("1/s", 0.0, size="n", least=0.0)
    kd = Parameter("s", 0.0, size="n")
    lag = Parameter("s", 0.0, least=0.0)
    section = TransferSection(("kp", "ki", "kd", "lag"), pid_section)
    limit = Parameter("", UNLIMITED, size="n", above=0.0)
    rated = IntegerState()
    wanted = In(ANY, "n", default=0.0)
    measured = In(ANY, "n")
    rate = In(ANY, "n", default=0.0)
    u = Out(ANY, "n")
    integral = DiscreteState("", "n")
    before = DiscreteState("", ("n", 2))
    slope = DiscreteState("1/s", "n")
    begun = IntegerState()

    def __init__(self, *, n: int = 1, rated: bool = False, **values: Value):
        values |= {"n": n, "rated": int(rated)}
        super().__init__(**cast("dict[str, Any]", values))

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of the commands."""
        most = [(k, float(limit)) for k, limit in enumerate(d.limit) if limit < UNLIMITED]
        return [one for k, limit in most for one in within(f"u[{k}]", d.u[k], limit)]

    def sample(d, t):
        T = d.period
        for i in range(len(d.u)):
            e, y = d.wanted[i] - d.measured[i], d.measured[i]
            if d.begun == 0 and d.ideal == 0:
                d.before[i, 0] = e
                d.before[i, 1] = y
            if d.rated == 1:
                slope = -d.rate[i]
            else:
                slope = ((2.0 * d.lag - T) * d.slope[i] - 2.0 * (y - d.before[i, 1])) / (2.0 * d.lag + T)
            if d.rated == 0 and d.lag.real == 0.0:
                slope = -(y - d.before[i, 1]) / T
            step = 0.5 * d.ki[i] * T * (e + d.before[i, 0])
            free = d.kp[i] * e + d.integral[i] + step + d.kd[i] * slope
            u = clipped(free, -d.limit[i], d.limit[i])
            if (free - u).real * e.real > 0.0:
                step = 0.0 * step
            d.integral[i] += step
            d.u[i] = clipped(d.kp[i] * e + d.integral[i] + d.kd[i] * slope, -d.limit[i], d.limit[i])
            d.slope[i] = slope
            d.before[i, 0] = e
            d.before[i, 1] = y
        d.begun = 1


class PhasePlaneController(Device):
    """Commands -1, 0, 1 for each axis (n,) of error and rate; see the module.

    deadband : of the error;  acceleration : α of the thrusters;  rate_limit : beyond it the rate is taken down
    """

    deadband = Parameter("rad", above=0.0)
    acceleration = Parameter("rad/s^2", above=0.0)
    rate_limit = Parameter("rad/s", 1e9, above=0.0)
    hysteresis = Parameter("", 0.1, least=0.0, most=1.0)
    error = In("rad", "n")
    rate = In("rad/s", "n")
    fire = Out("", "n")
    mode = IntegerState("n")

    def __init__(self, *, n: int = 3, **values: Value):
        super().__init__(**cast("dict[str, Any]", values | {"n": n}))

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return that an on-off law has no derivative."""
        return [state_of("law", "is on or off: it has no linear model, and what it fires is held")]

    def sample(d, t):
        for i in range(len(d.fire)):
            w = d.rate[i].real
            size = w if w > 0.0 else -w
            s = d.error[i].real + 0.5 * w * size / d.acceleration.real
            edge = d.deadband.real
            if d.mode[i] != 0:
                edge = (1.0 - d.hysteresis.real) * edge
            d.mode[i] = 0
            if s > edge:
                d.mode[i] = -1
            elif s < -edge:
                d.mode[i] = 1
            if w > d.rate_limit.real:
                d.mode[i] = -1
            elif w < -d.rate_limit.real:
                d.mode[i] = 1
            d.fire[i] = float(d.mode[i])


EFFORT = 1e-9  # ε beside the largest eigenvalue of EᵀW²E


@kernel
def solve_free(H, g, fixed, u, L, x):
    """Write to x the minimizer of uᵀHu/2 - gᵀu over actuators that are not fixed, the others at u; scratch L (n, n)."""
    n = len(g)
    for i in range(n):
        x[i] = u[i]
    for i in range(n):
        if fixed[i] != 0:
            continue
        rest = g[i]
        for j in range(n):
            if fixed[j] != 0:
                rest -= H[i, j] * u[j]
        x[i] = rest
        for j in range(i + 1):
            if fixed[j] != 0:
                continue
            s = H[i, j]
            for k in range(j):
                if fixed[k] == 0:
                    s -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    for i in range(n):
        if fixed[i] == 0:
            for k in range(i):
                if fixed[k] == 0:
                    x[i] -= L[i, k] * x[k]
            x[i] /= L[i, i]
    for back in range(n):
        i = n - 1 - back
        if fixed[i] == 0:
            for k in range(i + 1, n):
                if fixed[k] == 0:
                    x[i] -= L[k, i] * x[k]
            x[i] /= L[i, i]


@kernel
def bounded(H, g, low, high, fixed, u, L, x):
    """Write to u the minimizer of uᵀHu/2 - gᵀu within limits; `fixed` (n,): -1 and 1 at a limit, 0 free."""
    n = len(g)
    for i in range(n):
        fixed[i] = 0
        u[i] = 0.5 * (low[i] + high[i]) if low[i].real > -1e299 and high[i].real < 1e299 else 0.0 * g[i]
    for _ in range(20 * n):
        solve_free(H, g, fixed, u, L, x)
        # as far as the first limit
        way, hit = 1.0 + 0.0 * x[0], -1
        for i in range(n):
            if fixed[i] == 0:
                edge = high[i] if x[i].real > high[i].real else low[i]
                if x[i].real > high[i].real or x[i].real < low[i].real:
                    part = (edge - u[i]) / (x[i] - u[i])
                    if part.real < way.real:
                        way, hit = part, i
        for i in range(n):
            if fixed[i] == 0:
                u[i] = u[i] + way * (x[i] - u[i])
        if hit >= 0:
            fixed[hit] = 1 if x[hit].real > high[hit].real else -1
            u[hit] = (high[hit] if fixed[hit] == 1 else low[hit]) + 0.0 * x[hit]
            continue
        # let the one go whose limit costs most
        worst, gone = 0.0, -1
        for i in range(n):
            if fixed[i] != 0:
                slope = -g[i]
                for j in range(n):
                    slope += H[i, j] * u[j]
                gain = slope.real * fixed[i]
                if gain > worst + 1e-12 * H[i, i].real:
                    worst, gone = gain, i
        if gone < 0:
            return
        fixed[gone] = 0


class ControlAllocation(Device):
    """Commands u (n,) of actuators for a demand (m,); see the module.

    effectiveness : E (m, n);  low, high : limits, one or n each;  preferred : u0;  weights : of the demands
    method : "least squares" or "pinv"
    """

    effectiveness = Parameter("", size=("m", "n"))
    inverse = Parameter("", size=("n", "m"))
    hessian = Parameter("", size=("n", "n"))
    gradient = Parameter("", size=("n", "m"))
    low = Parameter("", -UNLIMITED, size="n")
    high = Parameter("", UNLIMITED, size="n")
    preferred = Parameter("", 0.0, size="n")
    effort = Parameter("", 0.0)
    scaled = IntegerState()
    demand = In(ANY, "m")
    u = Out(ANY, "n")
    right, trial = DiscreteState("", "n"), DiscreteState("", "n")
    factor = DiscreteState("", ("n", "n"))
    fixed = IntegerState("n")

    def __init__(
        self,
        effectiveness: ArrayLike,
        *,
        weights: ArrayLike = 1.0,
        method: str = "least squares",
        **values: Value,
    ):
        E = np.atleast_2d(np.asarray(effectiveness, dtype=float))
        if E.ndim != 2 or not np.isfinite(E).all() or not np.any(E):
            raise InputError(
                "not an effectiveness", where="ControlAllocation", expected="a matrix (m, n) of numbers"
            )
        if method not in ("least squares", "pinv"):
            raise InputError(
                "unknown method",
                where="ControlAllocation",
                expected="least squares or pinv",
                got=repr(method),
            )
        w = np.asarray(weights, dtype=float)
        if w.shape not in ((), (1,), (len(E),)) or not (w > 0.0).all():
            raise InputError(
                "weights must be positive",
                where="ControlAllocation",
                expected=f"one number, or {len(E)}",
                got=shown(weights),
            )
        w = np.broadcast_to(w, (len(E),))
        square = E.T @ np.diag(w**2) @ E
        effort = EFFORT * float(np.linalg.eigvalsh(square).max())
        inverse = np.linalg.pinv(w[:, None] * E) * w
        values |= {"effectiveness": E, "inverse": inverse, "scaled": int(method == "pinv")}
        values |= {"hessian": square + effort * np.eye(len(square)), "gradient": E.T * w**2, "effort": effort}
        super().__init__(**cast("dict[str, Any]", values))
        if not ((self.low < self.preferred) & (self.preferred < self.high)).all():
            raise InputError("preferred commands are not within their limits", where="ControlAllocation")

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of the commands."""
        ends = [(k, float(d.low[k]), float(d.high[k])) for k in range(len(d.u))]
        some = [(k, low, high) for k, low, high in ends if low > -UNLIMITED or high < UNLIMITED]
        return [Limit(f"u[{k}]", float(d.u[k]), low, high) for k, low, high in some]

    def sample(d, t):
        n, m = len(d.u), len(d.demand)
        way = 1.0 + 0.0 * d.demand[0]
        for i in range(n):
            s = 0.0 * d.demand[0]
            for j in range(m):
                rest = d.demand[j]
                for k in range(n):
                    rest -= d.effectiveness[j, k] * d.preferred[k]
                s += d.inverse[i, j] * rest
            d.trial[i] = s
            edge = (d.high[i] if s.real > 0.0 else d.low[i]) - d.preferred[i]
            if s.real != 0.0 and (s / edge).real * way.real > 1.0:
                way = edge / s
        for i in range(n):
            d.u[i] = d.preferred[i] + way * d.trial[i]
        if way.real < 1.0 and d.scaled == 0:
            for i in range(n):
                s = d.effort * d.preferred[i]
                for j in range(m):
                    s += d.gradient[i, j] * d.demand[j]
                d.right[i] = s
            bounded(d.hessian, d.right, d.low, d.high, d.fixed, d.u, d.factor, d.trial)


__getattr__ = former_names(__name__)
