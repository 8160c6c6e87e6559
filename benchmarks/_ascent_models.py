"""A launch vehicle with its devices, as a load for the time loop: its controller is untuned and weak."""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage.simulation.plant.noise import normal

MODES, ELEMENTS, LENGTH = 38, 40, 60.0
STEP, IMU, SOFTWARE = "2.5 ms", "5 ms", "20 ms"
PODS = (1, 2, 3, 4)


class Servo(ist.Device):
    """A gimbal of two axes: τ = k (x - q) - c q̇, x of second order."""

    joint = ist.JointRef("rad", 2)
    stiffness, damping = ist.Parameter("N*m/rad", 2e6), ist.Parameter("N*m*s/rad", 4e4)
    bandwidth, command = ist.Parameter("rad/s", 40.0), ist.In("rad", 2)
    q, qdot, torque = joint.coordinate(), joint.rate(), joint.force()
    angle = ist.Out("rad", 2)
    x, v = ist.ContinuousState("rad", 2), ist.ContinuousState("rad/s", 2)

    def outputs(d, t):
        for k in range(2):
            d.angle[k] = d.q[k]
            d.torque[k] = d.stiffness * (d.x[k] - d.q[k]) - d.damping * d.qdot[k]

    def rates(d, t):
        w = d.bandwidth
        for k in range(2):
            d.xdot[k] = d.v[k]
            d.vdot[k] = w * w * (d.command[k] - d.x[k]) - 1.4 * w * d.v[k]


class Engine(ist.Device):
    """Thrust with a lag and the pressure of the air."""

    at = ist.Site()
    most, area, lag = ist.Parameter("N", 1.6e6), ist.Parameter("m^2", 0.7), ist.Parameter("s", 0.5)
    throttle, pressure = ist.In("", default=1.0), ist.In("Pa")
    force, thrust = at.force("body"), ist.ContinuousState("N")

    def outputs(d, t):
        d.force[0] = d.thrust - d.area * d.pressure

    def rates(d, t):
        d.thrustdot = (d.throttle * d.most - d.thrust) / d.lag


class Air(ist.Device):
    """Exponential atmosphere."""

    at = ist.Site()
    r = at.position()
    pressure, density = ist.Out("Pa"), ist.Out("kg/m^3")

    def outputs(d, t):
        f = np.exp(-d.r[0] / 7200.0)
        d.pressure = 101325.0 * f
        d.density = 1.225 * f


class Gust(ist.Device):
    """Wind across in three axes, a filter of first order that follows a wave."""

    tau, speed = ist.Parameter("s", 2.0), ist.Parameter("m/s", 5.0)
    wind, w = ist.Out("m/s", 3), ist.ContinuousState("m/s", 3)

    def outputs(d, t):
        for k in range(3):
            d.wind[k] = d.w[k]

    def rates(d, t):
        for k in range(3):
            d.wdot[k] = (d.speed * np.sin(0.7 * t + k) - d.w[k]) / d.tau


class Drag(ist.Device):
    """Quadratic drag at a node."""

    at = ist.Site()
    area, density, wind = ist.Parameter("m^2", 2.0), ist.In("kg/m^3"), ist.In("m/s", 3)
    v, force = at.velocity("world"), at.force("world")

    def outputs(d, t):
        x, y, z = d.v[0] - d.wind[0], d.v[1] - d.wind[1], d.v[2] - d.wind[2]
        k = -0.5 * d.density * d.area * np.sqrt(x * x + y * y + z * z + 1e-6)
        d.force[0], d.force[1], d.force[2] = k * x, k * y, k * z


class Field(ist.Device):
    """Gravity that falls with height."""

    at = ist.Site()
    r, g = at.position(), at.gravity()

    def outputs(d, t):
        s = 6378e3 / (6378e3 + d.r[0])
        d.g[0] = -9.81 * s * s


class Inertial(ist.Device):
    """Rate with noise, angle, and acceleration at a node."""

    at = ist.Site()
    sigma = ist.Parameter("rad/s", 1e-5)
    omega, a = at.rate("node"), at.acceleration("node")
    rate, angle, acceleration = ist.Out("rad/s", 3), ist.Out("rad", 3), ist.Out("m/s^2", 3)
    total = ist.DiscreteState("rad", 3)

    def sample(d, t):
        for k in range(3):
            w = d.omega[k]
            if d.ideal == 0:
                w += d.sigma * normal(d.seed, d.stream, d.tick, k)
            d.total[k] += w * d.period
            d.rate[k], d.angle[k], d.acceleration[k] = w, d.total[k], d.a[k]


def autopilot(t, rate, angle):
    """Flight software at 50 Hz: proportional and derivative, the same to all engines."""
    pitch = 0.02 * angle[1] + 0.05 * rate[1]
    yaw = 0.02 * angle[2] + 0.05 * rate[2]
    return {"gimbal": np.tile([pitch, yaw], len(PODS))}


def core():
    """Return a beam of 38 modes, clamped nowhere, as a component."""
    from interstage.component import Component
    from interstage.fem import lumped_beam

    each = 5.0e5 / (ELEMENTS + 1)
    mass = np.tile(each * np.array([1, 1, 1, 4.0, 2.2, 2.2]), (ELEMENTS + 1, 1))
    K, M, nodes = lumped_beam(LENGTH, ELEMENTS, EA=2.4e10, GJ=3.0e10, EI=6.0e10, mass=mass)
    return Component.from_matrices(K, M, nodes, n_modes=MODES, aset={}, damping=0.01)


def vehicle():
    """Return the core with four gimballed engines at its aft end."""
    mb = ist.Multibody("ascent")
    mb.add_body("core", component=core(), joint=ist.Free())
    for k in PODS:
        mass = {"mass": 3000.0, "com": [-1.5, 0, 0], "inertia": [900.0, 2500.0, 2500.0]}
        joint = ist.Universal("yz")
        mb.add_body(f"engine{k}", **mass, parent="core", at=1, joint=joint)
    return mb.compile()


def ascent(system, software: object = autopilot, every: str = SOFTWARE) -> ist.Assembly:
    """Return the flight: sixteen devices, and the software if it is given."""
    made = ist.Assembly("ascent", vehicle=system)
    made.add("gravity", Field(at="core")).add("air", Air(at="core")).add("gust", Gust(w=[0, 0, 0]))
    for k, node in enumerate((5, 15, 25, 40)):
        made.add(f"drag{k + 1}", Drag(at=("core", node)))
    for k in PODS:
        made.add(f"engine{k}", Engine(at=f"engine{k}", thrust=1.6e6)).add(
            f"servo{k}", Servo(joint=f"engine{k}")
        )
    made.add("imu", Inertial(at=("core", 31)), every=IMU)
    made.wire({"air.pressure": "engine*.pressure", "air.density": "drag*.density", "gust.wind": "drag*.wind"})
    if software is not None:
        made.add("fsw", software, every=every, out={"gimbal": "rad[8]"})
        made.wire({"imu.rate": "fsw.rate", "imu.angle": "fsw.angle", "fsw.gimbal": "servo*.command"})
    return made
