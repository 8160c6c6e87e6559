"""Geared electric motors on joints.

An electric motor with a gear on a joint: a rotor of its own behind a train that gives way.

With rotor angle θ, ratio N, and the joint's coordinate q the gear carries

    τ = k (θ/N - q) + c (θ̇/N - q̇)        to the joint,
    J θ̈ = u - coulomb sgn θ̇ - viscous θ̇ - τ/N

The motor's torque u is the command, not beyond ± max_torque (1 - |θ̇|/no_load_speed) in the direction of motion. Seen
from the joint the rotor has the inertia N² J. Its gyroscopic torque is left out.

A geared motor whose rotor sticks and slips: dry friction decided by events, as in `stick_slip`.

    slips, θ̇ ≠ 0 :   J θ̈ = u - c sgn θ̇ - b θ̇ - τ/N
    sticks, θ̇ = 0 :  as long as |u - τ/N| ≤ s

Torque u, gear torque τ and ratio N are those of `Motor`. Under a load that friction holds the rotor stands still to the
last bit, and where it turns round it does so at once or after a stop, as the load says.
"""

from __future__ import annotations

from interstage._renamed import former_names
from interstage.devices.joint_friction import with_static
from interstage.devices.momentum_devices import Rotor, drag_at
from interstage.devices.parts import limited
from interstage.jit import kernel
from interstage.simulation.plant.declarations import (
    ContinuousState,
    In,
    IntegerState,
    JointRef,
    Limit,
    Out,
    Parameter,
    Value,
    ZeroCrossing,
    state_of,
    within,
)
from interstage.simulation.plant.device import RecordView


@kernel
def motor_torque(command, speed, max_torque, no_load_speed):
    """Return what a motor gives: the command, within what it has at its speed."""
    motor = limited(command, max_torque)
    if no_load_speed.real > 0.0 and (motor * speed).real > 0.0:
        most = speed / no_load_speed
        room = 1.0 - (most if most.real > 0.0 else -most)
        motor = limited(motor, max_torque * room) if room.real > 0.0 else 0.0 * motor
    return motor


class Motor(Rotor):
    """A geared motor on a joint with one axis.

    joint : body;  inertia : of the rotor;  ratio : turns of the rotor for one of the joint
    stiffness, damping : of the gear train, at the joint;  max_torque, no_load_speed : of the motor, 0 is no limit
    friction : (Coulomb, viscous) at the rotor, also as coulomb and viscous, smooth within ±stick
    command : torque of the motor;  torque : at the joint;  speed : of the rotor;  turned : its angle
    """

    joint = JointRef()
    ratio = Parameter("", 1.0, above=0.0)
    stiffness = Parameter("N*m/rad", above=0.0)
    damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    no_load_speed = Parameter("rad/s", 0.0, least=0.0)
    command = In("N*m")
    q = joint.coordinate()
    rate = joint.rate()
    torque = Out("N*m")
    on_joint = joint.force()
    turned = ContinuousState("rad")
    speed = ContinuousState("rad/s")

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limit of torque, at the speed of the rotor."""
        most = d.max_torque
        if d.no_load_speed > 0.0 and d.command * d.speed > 0.0:
            share = 1.0 - abs(d.speed) / d.no_load_speed
            if share <= 0.0:
                return [state_of("rotor", "turns at its no-load speed: the command does nothing")]
            most = d.max_torque * share
        return within("command", d.command, most, "N*m")

    def outputs(d, t):
        d.torque = d.stiffness * (d.turned / d.ratio - d.q) + d.damping * (d.speed / d.ratio - d.rate)
        d.on_joint = d.torque

    def rates(d, t):
        motor = motor_torque(d.command, d.speed, d.max_torque, d.no_load_speed)
        drag = drag_at(d.speed, d.coulomb, d.viscous, d.stick)
        d.turneddot = d.speed
        d.speeddot = (motor - drag - d.torque / d.ratio) / d.inertia


class StickSlipMotor(Motor):
    """A geared motor with dry friction that sticks.

    friction : (Coulomb, viscous);  static : what breaks the rotor loose, as large as Coulomb's where it is not given
    way : -1 or 1 where the rotor slips, 0 where it sticks;  load : u - τ/N;  the rest as `Motor`, without its `stick`
    """

    settles = True
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    derived = ("static",)
    load, way = Out("N*m"), IntegerState()
    stops, slips = ZeroCrossing("rad/s", direction=-1), ZeroCrossing("N*m", direction=-1)

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of friction, and static friction."""
        return with_static(type(self), super().shorthands(values))

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
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


__getattr__ = former_names(__name__)
