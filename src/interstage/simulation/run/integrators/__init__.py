"""Integration methods, one file each, and the list of those that `simulate` knows by name."""

from interstage.errors import InputError
from interstage.simulation.run.integrators.base import (
    BDF,
    DOP853,
    LSODA,
    RADAU,
    RK45,
    CompiledMethod,
    Library,
    Method,
)
from interstage.simulation.run.integrators.explicit import DOPRI5, RK4, Explicit
from interstage.simulation.run.integrators.rosenbrock import ROS2, ROS3, WMethod

METHODS = {m.name: m for m in (RK4, ROS2, ROS3, DOPRI5, DOP853, RK45, RADAU, BDF, LSODA)}

__all__ = ["METHODS", "CompiledMethod", "Explicit", "Library", "Method", "WMethod", "method_of"]


def method_of(method: str | Method) -> Method:
    """Return a method given by name or as an object."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str) or method not in METHODS:
        raise InputError("unknown method", where="method", expected=", ".join(METHODS), got=repr(method))
    return METHODS[method]
