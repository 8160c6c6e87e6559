"""The classical method of Runge and Kutta; it needs h below 2.8/ω_max of the fastest mode."""

from __future__ import annotations

from interstage.system.methods.explicit import Explicit

RK4 = Explicit(
    "rk4",
    order=4,
    turn=0.2,
    A=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
)
