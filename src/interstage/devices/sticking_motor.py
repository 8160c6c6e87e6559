"""A geared motor whose rotor sticks and slips: dry friction decided by events, as in `stick_slip`.

    slips, θ̇ ≠ 0 :   J θ̈ = u - c sgn θ̇ - b θ̇ - τ/N
    sticks, θ̇ = 0 :  as long as |u - τ/N| ≤ s

Torque u, gear torque τ and ratio N are those of `Motor`. Under a load that friction holds the rotor stands still to the
last bit, and where it turns round it does so at once or after a stop, as the load says.
"""

from __future__ import annotations

from interstage.devices.friction import with_static
from interstage.devices.motor import Motor, motor_torque
from interstage.system.device import View
from interstage.system.limits import Limit, state_of
from interstage.system.ports import Crossing, Integer, Out, Parameter, Value


class StickingMotor(Motor):
    """A geared motor with dry friction that sticks.

    friction : (Coulomb, viscous);  static : what breaks the rotor loose, as large as Coulomb's where it is not given
    way : -1 or 1 where the rotor slips, 0 where it sticks;  load : u - τ/N;  the rest as `Motor`, without its `stick`
    """

    settles = True
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    derived = ("static",)
    load, way = Out("N*m"), Integer()
    stops, slips = Crossing("rad/s", direction=-1), Crossing("N*m", direction=-1)

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of friction, and static friction."""
        return with_static(type(self), super().shorthands(values))

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the limit of torque, and whether the rotor sticks."""
        stuck = f"sticks: it stands still below {d.static:.4g} N*m"
        return super().limits_at(d, t) + ([state_of("rotor", stuck)] if d.way == 0 else [])

    def outputs(d, t):
        d.torque = d.stiffness * (d.turned / d.ratio - d.q) + d.damping * (d.speed / d.ratio - d.rate)
        d.on_joint = d.torque
        d.load = motor_torque(d.command, d.speed, d.max_torque, d.no_load_speed) - d.torque / d.ratio
        d.stops = d.way * d.speed
        d.slips = d.static + 0.0 * d.load
        if d.way == 0:
            d.slips = d.static - (d.load if d.load.real > 0.0 else -d.load)

    def rates(d, t):
        d.turneddot = d.speed
        d.speeddot = 0.0 * d.speed
        if d.way != 0:
            d.speeddot = (d.load - d.way * d.coulomb - d.viscous * d.speed) / d.inertia

    def switch(d, t):
        if d.way != 0 and d.stops.real <= 0.0:
            d.way = 0
            d.speed = 0.0
        elif d.speed.real != 0.0:  # the beginning of a run
            d.way = 1 if d.speed.real > 0.0 else -1
        if d.way == 0 and (d.load.real >= d.static.real or -d.load.real >= d.static.real):
            d.way = 1 if d.load.real > 0.0 else -1
