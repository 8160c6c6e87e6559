"""Thrust vector control: ideal, second-order and hydraulic gimbal actuators.

What actuators of a gimbal share: the joint, a servo's bandwidth, limits of angle and rate, the command.

Thrust vector control: an actuator that moves a gimbal as commanded, whatever load it meets.

    q̈ = 2ζω (r - q̇),    r = ω/(2ζ) (command - q), not beyond ±rate_limit,    ω = 2π bandwidth

is the second order ω² (command - q) - 2ζω q̇ while the rate is below its limit, and does not pass the limit. The
command is held within ±limit. The joint is prescribed: the drive gives what torque is needed, and the vehicle feels it
(an ideal source of position; load-torque loop open, K_LT = 0, of the NESC report NASA/TM-2020-5008164, F.4). An
actuator that yields is `HydraulicTVC`.

A hydraulic actuator on a gimbal that gives way under load: the load-torque loop is closed.

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
from interstage.simulation.plant.declarations import (
    ContinuousState,
    In,
    JointRef,
    Limit,
    Out,
    Parameter,
    Value,
    within,
)
from interstage.simulation.plant.device import Device, RecordView


class Gimbal(Device):
    """An actuator on a `Universal` joint, or on a `Revolute` with axes=1.

    bandwidth : "6 Hz" or "40 rad/s";  limit : of the command, rate_limit : of the rate, 0 is none
    """

    joint = JointRef("rad", "axes")
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


_TURN = 2.0 * np.pi


class TVC(Gimbal):
    """A gimbal driven as a second-order system with limits; its joint becomes prescribed.

    joint : body on a `Universal` joint, or on a `Revolute` with axes=1
    bandwidth : natural frequency, "6 Hz" or "40 rad/s";  damping : ζ
    limit : of the command, 0 is none;  rate_limit : of the gimbal's rate, 0 is none
    command : angles that are wanted;  angle : as they are
    """

    damping = Parameter("", 0.7, above=0.0)
    angle = Out("rad", "axes")
    drive = Gimbal.joint.motion()

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of command and rate."""
        found = []
        for k, q in enumerate(d.q):
            wanted = limited(d.command[k], d.limit)
            rate = 0.5 * _TURN * d.bandwidth / d.damping * (wanted - q)
            found += within(f"command[{k}]", d.command[k], d.limit, "rad")
            found += within(f"rate asked of axis {k}", rate, d.rate_limit, "rad/s")
        return found

    def outputs(d, t):
        w = _TURN * d.bandwidth
        for k in range(len(d.q)):
            d.angle[k] = d.q[k]
            wanted = limited(d.command[k], d.limit)
            r = limited(0.5 * w / d.damping * (wanted - d.q[k]), d.rate_limit)
            d.drive[k] = 2.0 * d.damping * w * (r - d.rate[k])


@kernel
def servo(springs, bandwidth, limits, command, y, q, rate, moved, torque, on_joint):
    """Write the valve's rates ẏ, the actuator's torques τ and the torques τ - k_load q on the joint of all axes.

    springs : k_rod, k_fluid, c, k_load;  limits : of command, rate and torque
    """
    rod, fluid, damping, load = springs
    limit, rate_limit, max_torque = limits
    gain = _TURN * bandwidth
    for k in range(len(q)):
        spring = (y[k] - q[k]) * rod * fluid / (rod + fluid)
        moved[k] = limited(gain * (limited(command[k], limit) - y[k] + spring / fluid), rate_limit)
        torque[k] = limited(spring + damping * (moved[k] - rate[k]), max_torque)
        on_joint[k] = torque[k] - load * q[k]


class HydraulicTVC(Gimbal):
    """A gimbal actuator with springs inside; the vehicle's loads move the engine.

    joint : body on a `Universal` joint, or on a `Revolute` with axes=1
    bandwidth : of the servo, gain = 2π bandwidth;  limit : of the command, rate_limit, max_torque : 0 is none
    rod_stiffness, fluid_stiffness, load_spring, damping : at the joint
    command : angles that are wanted;  angle : as they are;  torque : of the actuator;  valve, moving : y and ẏ
    """

    rod_stiffness, fluid_stiffness = Parameter("N*m/rad", above=0.0), Parameter("N*m/rad", above=0.0)
    load_spring = Parameter("N*m/rad", 0.0, least=0.0)
    damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    max_torque = Parameter("N*m", 0.0, least=0.0)
    angle, torque, moving = Out("rad", "axes"), Out("N*m", "axes"), Out("rad/s", "axes")
    on_joint = Gimbal.joint.force()
    valve = ContinuousState("rad", "axes")

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of command, valve and torque."""
        found, rod, fluid = list[Limit](), d.rod_stiffness, d.fluid_stiffness
        for k, q in enumerate(d.q):
            spring = (d.valve[k] - q) * rod * fluid / (rod + fluid)
            moved = _TURN * d.bandwidth * (limited(d.command[k], d.limit) - d.valve[k] + spring / fluid)
            torque = spring + d.damping * (limited(moved, d.rate_limit) - d.rate[k])
            found += within(f"command[{k}]", d.command[k], d.limit, "rad")
            found += within(f"rate asked of axis {k}", moved, d.rate_limit, "rad/s")
            found += within(f"torque asked of axis {k}", torque, d.max_torque, "N*m")
        return found

    def outputs(d, t):
        springs = (d.rod_stiffness, d.fluid_stiffness, d.damping, d.load_spring)
        limits = (d.limit, d.rate_limit, d.max_torque)
        servo(springs, d.bandwidth, limits, d.command, d.valve, d.q, d.rate, d.moving, d.torque, d.on_joint)
        d.angle[:] = d.q

    def rates(d, t):
        d.valvedot[:] = d.moving


class UnloadedHydraulicTVC(HydraulicTVC):
    """The same actuator with its load-torque loop broken: it moves the joint as if nothing but its engine were there.

    inertia : of the engine about the gimbal's axes
    """

    inertia = Parameter("kg*m^2", above=0.0)
    on_joint = Gimbal.joint.motion()

    def outputs(d, t):
        springs = (d.rod_stiffness, d.fluid_stiffness, d.damping, d.load_spring)
        limits = (d.limit, d.rate_limit, d.max_torque)
        servo(springs, d.bandwidth, limits, d.command, d.valve, d.q, d.rate, d.moving, d.torque, d.on_joint)
        d.angle[:] = d.q
        for k in range(len(d.q)):
            d.on_joint[k] /= d.inertia
