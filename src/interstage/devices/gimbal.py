"""What actuators of a gimbal share: the joint, a servo's bandwidth, limits of angle and rate, the command."""

from __future__ import annotations

from interstage.devices.parts import hertz
from interstage.system.device import Device
from interstage.system.ports import Hinge, In, Parameter, Value


class Gimbal(Device):
    """An actuator on a `Universal` joint, or on a `Revolute` with axes=1.

    bandwidth : "6 Hz" or "40 rad/s";  limit : of the command, rate_limit : of the rate, 0 is none
    """

    joint = Hinge("rad", "axes")
    bandwidth = Parameter("Hz", 6.0, above=0.0)
    limit = Parameter("rad", 0.0, least=0.0)
    rate_limit = Parameter("rad/s", 0.0, least=0.0)
    command = In("rad", "axes")
    q = joint.coordinate()
    rate = joint.rate()

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: two axes unless said otherwise, a bandwidth in Hz or rad/s."""
        found: dict[str, Value] = {"axes": 2, **values}
        if "bandwidth" in found:
            found["bandwidth"] = hertz(found["bandwidth"], f"{type(self).__name__}.bandwidth")
        return found
