"""Integration methods, one file each, and the list of those that `simulate` knows by name."""

from interstage.errors import InputError
from interstage.system.methods.base import Compiled, Library, Method
from interstage.system.methods.dopri5 import DOPRI5
from interstage.system.methods.explicit import Explicit
from interstage.system.methods.library import BDF, DOP853, LSODA, RADAU, RK45
from interstage.system.methods.rk4 import RK4
from interstage.system.methods.ros2 import ROS2
from interstage.system.methods.ros3 import ROS3
from interstage.system.methods.wmethod import WMethod

METHODS = {m.name: m for m in (RK4, ROS2, ROS3, DOPRI5, DOP853, RK45, RADAU, BDF, LSODA)}

__all__ = ["METHODS", "Compiled", "Explicit", "Library", "Method", "WMethod", "method_of"]


def method_of(method: str | Method) -> Method:
    """Return a method given by name or as an object."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str) or method not in METHODS:
        raise InputError("unknown method", where="method", expected=", ".join(METHODS), got=repr(method))
    return METHODS[method]
