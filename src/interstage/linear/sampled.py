"""`SampledModel`: the former name of a `LinearModel` with a sample time."""

from __future__ import annotations

from typing import Any

from interstage.linear.model import LinearModel

_PLACE_OF_DT = 19  # among the arguments


class _Sampled(type):
    """Makes a `LinearModel` when called; one with a sample time is an instance."""

    def __call__(cls, *given: Any, **named: Any) -> LinearModel:
        if len(given) <= _PLACE_OF_DT:
            named.setdefault("dt", 1.0)
        return LinearModel(*given, **named)

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, LinearModel) and other.dt is not None


class SampledModel(metaclass=_Sampled):
    """`LinearModel(A, B, C, D, dt=...)`, with `dt` = 1 s where it is not said.

    >>> SampledModel([[0.5]], [[1.0]], [[1.0]], [[0.0]], dt=0.1)
    <LinearModel 'linear model': 1 states, 1 inputs, 1 outputs, every 0.1 s>
    """
