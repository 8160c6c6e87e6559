"""Second-order sections: the transfer function of a filter or controller by its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TransferSection:
    """H(s) = (b2 s² + b1 s + b0)/(a2 s² + a1 s + a0) of a device by its parameters, which may be complex.

    parameters : their names, in the order of arguments
    coefficients : returns ω0, then b2, b1, b0, a2, a1, a0; samples are those of the bilinear map that is exact at ω0,
        of that without warping where it is zero
    """

    parameters: tuple[str, ...]
    coefficients: Callable[..., tuple[Any, ...]]

    def of(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """Return ω0 and the coefficients of values by name, without compiling what is a kernel."""
        plain = getattr(self.coefficients, "py_func", self.coefficients)
        return tuple(plain(*(values[name] for name in self.parameters)))
