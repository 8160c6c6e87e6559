"""Magnetic torquers along three axes: a dipole in the field of `MagneticField`, or one that is wired.

torque = m × Rᵀ B_world,    m = the command within ±limit, and the residual dipole
"""

from __future__ import annotations

from interstage.devices.parts import limited, turned_back
from interstage.system.device import Device, View
from interstage.system.limits import Limit, within
from interstage.system.ports import In, Out, Parameter, Place


class MagneticTorquer(Device):
    """Torque of a dipole at a place, node axes.

    at : place;  limit : of each axis, 0 is none;  residual (3,) : dipole that is always there
    dipole : what is commanded;  field : in the world, that of `MagneticField` unless it is wired
    """

    at = Place()
    limit = Parameter("A*m^2", 0.0, least=0.0)
    residual = Parameter("A*m^2", [0.0, 0.0, 0.0])
    true_attitude = at.attitude()
    dipole = In("A*m^2", 3)
    field = In("T", 3, ambient="magnetic field")
    here = Out("T", 3)
    torque = at.torque("node")

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the limits of the dipole."""
        return [one for k in range(3) for one in within(f"dipole[{k}]", d.dipole[k], d.limit, "A*m^2")]

    def outputs(d, t):
        turned_back(d.true_attitude, d.field, d.here)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            m = limited(d.dipole[j], d.limit) + d.residual[j]
            n = limited(d.dipole[k], d.limit) + d.residual[k]
            d.torque[i] = m * d.here[k] - n * d.here[j]
