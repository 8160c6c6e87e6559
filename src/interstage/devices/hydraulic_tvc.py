"""A hydraulic actuator on a gimbal that gives way under load: the load-torque loop is closed.

Of each axis, in angles of the engine, with the valve's position y, the piston's x, and the engine's q,

    ẏ = gain (command - x), not beyond ±rate_limit,    x = y - τ_s / k_fluid
    τ_s = k (y - q),   1/k = 1/k_rod + 1/k_fluid
    τ = τ_s + c (ẏ - q̇), not beyond ±max_torque,       torque on the joint = τ - k_load q

Rod stiffness and compressibility of the fluid are springs in series, the load spring (flex seal, ducts) works on the
joint itself. The servo feels its piston: a steady load T moves the engine by T / k_rod, whatever the fluid does.

`HydraulicTVC` acts on a free joint: the airframe moves the engine against the actuator, as far as it gives way (K_LT =
1). `UnloadedHydraulicTVC` is the same actuator with the loop broken (K_LT = 0): its engine is an inertia that feels
nothing else, J q̈ = τ - k_load q, and the joint is prescribed to move so.

Source: NESC report NASA/TM-2020-5008164, F.4 and Figure F.4.1 (a simplex actuator; its equations are written out here).
"""

from __future__ import annotations

import numpy as np

from interstage.devices.parts import hertz, limited
from interstage.jit import kernel
from interstage.system.device import Device
from interstage.system.ports import Hinge, In, Out, Parameter, State, Value

_TURN = 2.0 * np.pi


@kernel
def servo(springs, limits, command, y, q, rate, moved, torque):
    """Write the valve's rates ẏ and the actuator's torques τ of all axes.

    springs : gain, k_rod, k_fluid, c;  limits : of command, rate and torque
    """
    gain, rod, fluid, damping = springs
    limit, rate_limit, max_torque = limits
    for k in range(len(q)):
        spring = (y[k] - q[k]) * rod * fluid / (rod + fluid)
        moved[k] = limited(gain * (limited(command[k], limit) - y[k] + spring / fluid), rate_limit)
        torque[k] = limited(spring + damping * (moved[k] - rate[k]), max_torque)


def _in_hertz(values: dict[str, Value], name: str) -> dict[str, Value]:
    found: dict[str, Value] = {"axes": 2, **values}
    if "bandwidth" in found:
        found["bandwidth"] = hertz(found["bandwidth"], f"{name}.bandwidth")
    return found


class HydraulicTVC(Device):
    """A gimbal actuator with springs inside; the vehicle's loads move the engine.

    joint : body on a `Universal` joint, or on a `Revolute` with axes=1
    bandwidth : of the servo, gain = 2π bandwidth;  limit : of the command, rate_limit, max_torque : 0 is none
    rod_stiffness, fluid_stiffness, load_spring, damping : at the joint
    command : angles that are wanted;  angle : as they are;  torque : of the actuator;  valve, moving : y and ẏ
    """

    joint = Hinge("rad", "axes")
    bandwidth = Parameter("Hz", 6.0, above=0.0)
    rod_stiffness = Parameter("N*m/rad", above=0.0)
    fluid_stiffness = Parameter("N*m/rad", above=0.0)
    load_spring = Parameter("N*m/rad", 0.0, least=0.0)
    damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    limit = Parameter("rad", 0.0, least=0.0)
    rate_limit = Parameter("rad/s", 0.0, least=0.0)
    max_torque = Parameter("N*m", 0.0, least=0.0)
    command = In("rad", "axes")
    q = joint.coordinate()
    rate = joint.rate()
    angle = Out("rad", "axes")
    torque = Out("N*m", "axes")
    moving = Out("rad/s", "axes")
    on_joint = joint.force()
    valve = State("rad", "axes")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: two axes unless said otherwise, a bandwidth in Hz or rad/s."""
        return _in_hertz(values, "HydraulicTVC")

    def outputs(d, t):
        springs = (_TURN * d.bandwidth, d.rod_stiffness, d.fluid_stiffness, d.damping)
        servo(
            springs,
            (d.limit, d.rate_limit, d.max_torque),
            d.command,
            d.valve,
            d.q,
            d.rate,
            d.moving,
            d.torque,
        )
        for k in range(len(d.q)):
            d.angle[k] = d.q[k]
            d.on_joint[k] = d.torque[k] - d.load_spring * d.q[k]

    def rates(d, t):
        for k in range(len(d.q)):
            d.valvedot[k] = d.moving[k]


class UnloadedHydraulicTVC(HydraulicTVC):
    """The same actuator with its load-torque loop broken: it moves the joint as if nothing but its engine were there.

    inertia : of the engine about the gimbal's axes
    """

    inertia = Parameter("kg*m^2", above=0.0)
    on_joint = HydraulicTVC.joint.motion()

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field."""
        return _in_hertz(values, "UnloadedHydraulicTVC")

    def outputs(d, t):
        springs = (_TURN * d.bandwidth, d.rod_stiffness, d.fluid_stiffness, d.damping)
        servo(
            springs,
            (d.limit, d.rate_limit, d.max_torque),
            d.command,
            d.valve,
            d.q,
            d.rate,
            d.moving,
            d.torque,
        )
        for k in range(len(d.q)):
            d.angle[k] = d.q[k]
            d.on_joint[k] = (d.torque[k] - d.load_spring * d.q[k]) / d.inertia
