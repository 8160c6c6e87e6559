"""A linear filter of any order, exact for inputs that are held, or by the bilinear map.

ẋ = A x + B u, y = C x + D u   →   x⁺ = Φ x + Γ u,  Φ = exp(AT),  Γ = ∫₀ᵀ exp(As) ds B          ("zoh")
                                   bilinear: s = (2/T)(1 - z⁻¹)/(1 + z⁻¹)                          ("tustin")
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.linear.model import LinearModel
from interstage.system.device import Device
from interstage.system.ports import ANY, Discrete, In, Out, Parameter, Value
from interstage.system.ticks import Period, period_of


@kernel
def put_sum(A, x, B, u, out):
    """Write A x + B u."""
    for i in range(len(out)):
        s = 0.0 * A[0, 0]
        for j in range(len(x)):
            s += A[i, j] * x[j]
        for j in range(len(u)):
            s += B[i, j] * u[j]
        out[i] = s


class LinearFilter(Device):
    """Samples of a continuous filter, given as a `LinearModel`, as (A, B, C, D), or as (numerator, denominator) in s.

    A sampled `LinearModel` is the filter itself, x⁺ = A x + B u.

    every : period, as in "10 ms"; of a sampled model its `dt`, and may be left out
    method : "zoh" (exact for held inputs) or "tustin"; not of a sampled model
    """

    phi = Parameter("", size=("n", "n"))
    gamma = Parameter("", size=("n", "m"))
    c = Parameter("", size=("p", "n"))
    through = Parameter("", size=("p", "m"))
    u = In(ANY, "m")
    y = Out(ANY, "p")
    x = Discrete("", "n")
    next = Discrete("", "n")

    def __init__(
        self,
        system: LinearModel | Sequence[ArrayLike],
        *,
        every: Period | None = None,
        method: str | None = None,
        **values: Value,
    ):
        if method not in (None, "zoh", "tustin"):
            raise InputError(
                "unknown method", where="LinearFilter", expected="zoh or tustin", got=repr(method)
            )
        model = _model(system)
        if model.dt is not None:
            every = _period_of_samples(model.dt, every, method)
        elif every is None:
            raise InputError("a continuous filter needs a period", where="LinearFilter", expected="every=")
        else:
            T = float(period_of(every, "LinearFilter, every"))
            model = model.discretize(T, method or "zoh")
        values |= {"phi": model.A, "gamma": model.B, "c": model.C, "through": model.D}
        super().__init__(every=every, **cast("dict[str, Any]", values))

    def sample(d, t):
        put_sum(d.c, d.x, d.through, d.u, d.y)
        put_sum(d.phi, d.x, d.gamma, d.u, d.next)
        for i in range(len(d.x)):
            d.x[i] = d.next[i]


def _model(system: LinearModel | Sequence[ArrayLike]) -> LinearModel:
    """Return what was given as a model."""
    if isinstance(system, LinearModel):
        model = system
    else:
        try:
            arrays = [np.asarray(part, dtype=float) for part in system]
            if len(arrays) == 2:
                arrays = list(scipy.signal.tf2ss(*arrays))
            if len(arrays) != 4:
                raise ValueError("one model, two polynomials or four matrices are needed")
            A, B, C, D = (np.atleast_2d(array) for array in arrays)
            model = LinearModel(A, B, C, D)
        except (TypeError, ValueError) as err:
            raise InputError("not a linear filter", where="LinearFilter", got=str(err)[:100]) from None
    if model.n_states == 0:
        raise InputError(
            "a filter without states is a gain", where="LinearFilter", hint="scale the wire's source"
        )
    return model


def _period_of_samples(dt: float, every: Period | None, method: str | None) -> Fraction:
    """Return the period of a sampled model, which nothing that is given may contradict."""
    period = period_of(dt, "LinearFilter, dt of the model")
    if every is not None and period_of(every, "LinearFilter, every") != period:
        raise InputError(
            "a sampled filter keeps its sample time",
            where="LinearFilter, every",
            expected=f"{dt:g} s, or nothing",
            got=str(every),
        )
    if method is not None:
        raise InputError("the filter is sampled already", where="LinearFilter, method", hint="leave it out")
    return period
