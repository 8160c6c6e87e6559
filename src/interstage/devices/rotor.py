"""What driven rotors share: their inertia, the motor's largest torque, and friction.

drag = coulomb sgn v + viscous v        at the speed v; the sign is smooth within ±stick
"""

from __future__ import annotations

from types import MappingProxyType

from interstage.devices.parts import pair, sign_near
from interstage.jit import kernel
from interstage.system.device import Device
from interstage.system.ports import Parameter, Value


@kernel
def drag_at(speed, coulomb, viscous, stick):
    """Return the friction of a rotor, against its motion."""
    return coulomb * sign_near(speed, stick) + viscous * speed


class Rotor(Device):
    """A rotor with friction behind a motor.

    inertia : about its axis;  max_torque : of the motor, 0 is no limit
    friction : (Coulomb, viscous), also as coulomb and viscous, smooth within ±stick
    """

    inertia = Parameter("kg*m^2", above=0.0)
    max_torque = Parameter("N*m", 0.0, least=0.0)
    coulomb, viscous = Parameter("N*m", 0.0, least=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    stick = Parameter("rad/s", 0.1, above=0.0)
    stands_for = MappingProxyType({"friction": ("coulomb", "viscous")})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of friction."""
        found = dict(values)
        if "friction" in found:
            given = found.pop("friction")
            found |= pair(given, self.stands_for["friction"], f"{type(self).__name__}.friction")
        return found
