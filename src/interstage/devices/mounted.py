"""What sensors on a node share: a place, and the attitude of their own axes there."""

from __future__ import annotations

from interstage.devices.parts import quaternion_of
from interstage.simulation.plant.declarations import Parameter, Site, Value
from interstage.simulation.plant.device import Device


class Mounted(Device):
    """A sensor at a place;  mount : attitude of its axes on the node, a rotation, matrix or quaternion."""

    at = Site()
    mount = Parameter("", [1.0, 0.0, 0.0, 0.0])

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the mount as a quaternion."""
        if "mount" not in values:
            return values
        return {**values, "mount": quaternion_of(values["mount"], f"{type(self).__name__}.mount")}
