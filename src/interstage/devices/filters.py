"""Filters: biquad, lead-lag, low-pass, notch, and any linear model.

Second-order filters from sample to sample: the bilinear map of a transfer function, exact at one frequency.

    H(s) = (b2 s² + b1 s + b0)/(a2 s² + a1 s + a0),   s = k (1 - z⁻¹)/(1 + z⁻¹),   k = ω0/tan(ω0 T/2)

(Tustin with prewarping: H(jω0) of the samples is that of the filter; Franklin, Powell, Workman, Digital Control, 1998,
6.1). The state is that of the transposed direct form II.

Lead-lag compensator.

H = gain (1 + s/ω_z)/(1 + s/ω_p),    ω = 2π frequency; lead where zero < pole; kept at √(ω_z ω_p) by the samples

Low-pass filter of first or second order.

order 1: H = ω/(s + ω)      order 2: H = ω²/(s² + 2ζωs + ω²),    ω = 2π frequency, kept exactly by the samples

Notch filter: takes a band around a frequency out.

H = (s² + 2 ζ_z ω s + ω²)/(s² + 2 ζ_p ω s + ω²),    ω = 2π frequency;   at ω H = ζ_z/ζ_p, kept by the samples

A linear filter of any order, exact for inputs that are held, or by the bilinear map.

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
from interstage.linear.sections import TransferSection
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.declarations import (
    ANY,
    DiscreteState,
    In,
    IntegerState,
    Out,
    Parameter,
    Value,
)
from interstage.simulation.plant.device import Device


@kernel
def tustin(w0, T, b2, b1, b0, a2, a1, a0):
    """Return B0, B1, B2, A1, A2 of the samples, A0 = 1."""
    k = w0 / np.tan(0.5 * w0 * T)
    kk = k * k
    scale = 1.0 / (a2 * kk + a1 * k + a0)
    return (
        scale * (b2 * kk + b1 * k + b0),
        scale * 2.0 * (b0 - b2 * kk),
        scale * (b2 * kk - b1 * k + b0),
        scale * 2.0 * (a0 - a2 * kk),
        scale * (a2 * kk - a1 * k + a0),
    )


@kernel
def first_order_tustin(w0, T, b1, b0, a1, a0):
    """Return the same five of a filter of first order: B2 = A2 = 0, without a common factor 1 + z⁻¹."""
    k = w0 / np.tan(0.5 * w0 * T)
    scale = 1.0 / (a1 * k + a0)
    return scale * (b0 + b1 * k), scale * (b0 - b1 * k), 0.0 * scale, scale * (a0 - a1 * k), 0.0 * scale


@kernel
def lead_lag_section(zero, pole, gain):
    """Return ω0 and b2, b1, b0, a2, a1, a0 of a lead-lag compensator."""
    wz, wp = 2.0 * np.pi * zero, 2.0 * np.pi * pole
    return np.sqrt(wz * wp), 0.0, gain / wz, gain, 0.0, 1.0 / wp, 1.0


@kernel
def notch_section(frequency, depth, width):
    """Return ω0 and b2, b1, b0, a2, a1, a0 of a notch filter."""
    w = 2.0 * np.pi * frequency
    return w, 1.0, 2.0 * depth * w, w * w, 1.0, 2.0 * width * w, w * w


@kernel
def first_order_section(frequency):
    """Return ω0 and b2, b1, b0, a2, a1, a0 of a low-pass filter of first order."""
    w = 2.0 * np.pi * frequency
    return w, 0.0, 0.0, w, 0.0, 1.0, w


@kernel
def second_order_section(frequency, damping):
    """Return ω0 and b2, b1, b0, a2, a1, a0 of a low-pass filter of second order."""
    w = 2.0 * np.pi * frequency
    return w, 0.0, 0.0, w * w, 1.0, 2.0 * damping * w, w * w


def low_pass_section(frequency: Any, damping: Any, order: Any) -> tuple[Any, ...]:
    """Return ω0 and b2, b1, b0, a2, a1, a0 of a low-pass filter of either order."""
    plain = [getattr(one, "py_func", one) for one in (first_order_section, second_order_section)]
    return plain[0](frequency) if order == 1 else plain[1](frequency, damping)


@kernel
def run_biquad(c, u, y, state, settle):
    """Write the next sample of every channel; with `settle` as if the input had been there for ever.

    c : B0, B1, B2, A1, A2;  u, y (n,);  state (n, 2)
    """
    for i in range(len(y)):
        if settle:
            level = (c[0] + c[1] + c[2]) / (1.0 + c[3] + c[4]) * u[i]
            state[i, 1] = c[2] * u[i] - c[4] * level
            state[i, 0] = c[1] * u[i] - c[3] * level + state[i, 1]
        y[i] = c[0] * u[i] + state[i, 0]
        state[i, 0] = c[1] * u[i] - c[3] * y[i] + state[i, 1]
        state[i, 1] = c[2] * u[i] - c[4] * y[i]


class _KeptAtAFrequency(Device):
    """A filter whose samples are exact at one frequency, which they have to show."""

    kept_frequency = "frequency"  # what it is called

    def kept_hz(self) -> float:
        """Return the frequency (Hz) at which samples are exact."""
        return float(self.value_of("frequency"))

    def check_period(self, period: float) -> None:
        """Refuse a frequency that the samples cannot show."""
        T = float(period_of(period, "period"))
        if self.kept_hz() * T >= 0.5:
            raise InputError(
                f"{self.kept_frequency} is not below half the sampling rate",
                where=type(self).__name__,
                expected=f"below {0.5 / T:g} Hz",
                got=f"{self.kept_hz():g} Hz",
            )

    def _check(self) -> None:
        """Refuse it where the period is known."""
        if self.every is not None:
            self.check_period(float(self.every))


class LeadLag(_KeptAtAFrequency):
    """Samples u (n,) with phase added (lead) or gain taken (lag) around √(zero·pole).

    zero, pole : frequencies of the corners, "1 Hz";  gain : at zero frequency
    """

    kept_frequency = "√(zero·pole)"
    zero = Parameter("Hz", above=0.0)
    pole = Parameter("Hz", above=0.0)
    gain = Parameter("", 1.0)
    section = TransferSection(("zero", "pole", "gain"), lead_lag_section)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = DiscreteState("", ("n", 2))
    begun = IntegerState()

    def __init__(self, zero: float | str, pole: float | str, *, n: int = 1, **values: Value):
        values |= {"zero": zero, "pole": pole, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        self._check()

    def kept_hz(self) -> float:
        """Return the frequency (Hz) at which samples are exact."""
        return float(np.sqrt(float(self.value_of("zero")) * float(self.value_of("pole"))))

    def sample(d, t):
        w, _, b1, b0, _, a1, a0 = lead_lag_section(d.zero, d.pole, d.gain)
        c = first_order_tustin(w, d.period, b1, b0, a1, a0)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1


class LowPass(_KeptAtAFrequency):
    """Samples u (n,) without what is faster than a frequency.

    frequency : corner, "5 Hz";  order : 1 or 2;  damping : of order 2;  n : number of channels
    """

    frequency = Parameter("Hz", above=0.0)
    damping = Parameter("", 0.7071067811865476, above=0.0)
    order = IntegerState(initial=2)
    section = TransferSection(("frequency", "damping", "order"), low_pass_section)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = DiscreteState("", ("n", 2))
    begun = IntegerState()

    def __init__(self, frequency: float | str, *, order: int = 2, n: int = 1, **values: Value):
        if order not in (1, 2):
            raise InputError("a low-pass filter has order 1 or 2", where="LowPass", got=repr(order))
        values |= {"frequency": frequency, "order": order, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        self._check()

    def sample(d, t):
        if d.order == 1:
            w, _, b1, b0, _, a1, a0 = first_order_section(d.frequency)
            c = first_order_tustin(w, d.period, b1, b0, a1, a0)
        else:
            w, b2, b1, b0, a2, a1, a0 = second_order_section(d.frequency, d.damping)
            c = tustin(w, d.period, b2, b1, b0, a2, a1, a0)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1


class Notch(_KeptAtAFrequency):
    """Samples u (n,) without a band around a frequency.

    depth : damping ζ_z of the zeros, 0 takes the line out entirely;  width : damping ζ_p of the poles
    """

    frequency = Parameter("Hz", above=0.0)
    depth = Parameter("", 0.0, least=0.0)
    width = Parameter("", 0.5, above=0.0)
    section = TransferSection(("frequency", "depth", "width"), notch_section)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = DiscreteState("", ("n", 2))
    begun = IntegerState()

    def __init__(self, frequency: float | str, *, n: int = 1, **values: Value):
        values |= {"frequency": frequency, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        self._check()

    def sample(d, t):
        w, b2, b1, b0, a2, a1, a0 = notch_section(d.frequency, d.depth, d.width)
        c = tustin(w, d.period, b2, b1, b0, a2, a1, a0)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1


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
    x = DiscreteState("", "n")
    next = DiscreteState("", "n")

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
        except (TypeError, ValueError, RuntimeWarning) as err:
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
