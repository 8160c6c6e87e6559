"""Small devices for tests: every kind of field and function, each with a law that can be written down."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.plant.noise import normal
from interstage.simulation.plant.plan import planned


def bus_and(name, mass, com, inertia):
    """Return a free bus, 10 kg, under gravity along -z, with a second body on a hinge about its z axis."""
    mb = ist.Multibody(f"bus and {name}", gravity=[0, 0, -9.80665])
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    mb.add_body(name, mass=mass, com=com, inertia=inertia, parent="bus", joint=ist.Revolute("z"))
    return mb.compile()


def cart(mass=2.0, **joint):
    """Return a mass on a rail: without a spring a double integrator, which RK4 integrates exactly."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=mass, inertia=np.eye(3), joint=ist.Prismatic("x", **joint))
    return mb.compile()


def assert_loop_through_the_vehicle(made, *legs):
    """Assert that an assembly is refused, and that the error names every leg of the loop."""
    with pytest.raises(InputError, match="it goes through the vehicle") as err:
        planned(made)
    for words in legs:
        assert words in str(err.value)


class Servomotor(ist.Device):
    """A motor with an encoder."""

    joint = ist.JointRef("rad")
    angle, rate, torque = joint.coordinate(), joint.rate(), joint.force()
    command, seen, speed = ist.In("N*m"), ist.Out("rad"), ist.Out("rad/s")

    def outputs(d, t):
        d.torque = d.command
        d.seen = d.angle
        d.speed = d.rate


class Lag(ist.Device):
    """First-order lag, numbers only."""

    tau = ist.Parameter("s", 0.5)
    u = ist.In("N")
    y = ist.Out("N")
    x = ist.ContinuousState("N")

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = (d.u - d.x) / d.tau


class Servo(ist.Device):
    """Second-order servo of two axes with a smooth limit of its rate."""

    bandwidth = ist.Parameter("rad/s", 40.0)
    damping = ist.Parameter("", 0.7)
    limit = ist.Parameter("rad/s", 2.0)
    command = ist.In("rad", 2)
    angle = ist.Out("rad", 2)
    x = ist.ContinuousState("rad", 2, initial=[0.1, -0.2])
    rate = ist.ContinuousState("rad/s", 2)

    def outputs(d, t):
        d.angle[:] = d.x

    def rates(d, t):
        for k in range(2):
            d.xdot[k] = d.limit * np.tanh(d.rate[k] / d.limit)
            d.ratedot[k] = (
                d.bandwidth**2 * (d.command[k] - d.x[k]) - 2.0 * d.damping * d.bandwidth * d.rate[k]
            )


class Gain(ist.Device):
    """y = k u + b cos(ωt): feedthrough, and explicit time."""

    k = ist.Parameter("", 2.0)
    b = ist.Parameter("", 0.0)
    w = ist.Parameter("rad/s", 1.0)
    u = ist.In()
    y = ist.Out()

    def outputs(d, t):
        d.y = d.k * d.u + d.b * np.cos(d.w * t)


class Degrees(ist.Device):
    """Two angles, as they are and as they were at the last sample."""

    u = ist.In("deg", 2)
    y, held = ist.Out("deg", 2), ist.Out("deg", 2)

    def outputs(d, t):
        d.y[:] = d.u

    def sample(d, t):
        d.held[:] = d.u


class StateSpace(ist.Device):
    """ẋ = A x + B u, y = C x, of any size."""

    A = ist.Parameter("1/s", size=("n", "n"))
    B = ist.Parameter("", size=("n", "m"))
    C = ist.Parameter("", size=("p", "n"))
    u = ist.In("", "m")
    y = ist.Out("", "p")
    x = ist.ContinuousState("", "n")

    def outputs(d, t):
        for i in range(len(d.y)):
            d.y[i] = 0.0
            for j in range(len(d.x)):
                d.y[i] += d.C[i, j] * d.x[j]

    def rates(d, t):
        for i in range(len(d.x)):
            d.xdot[i] = 0.0
            for j in range(len(d.x)):
                d.xdot[i] += d.A[i, j] * d.x[j]
            for j in range(len(d.u)):
                d.xdot[i] += d.B[i, j] * d.u[j]


class Counter(ist.Device):
    """Counts its samples and says when each was; a whole number that no derivative sees."""

    count = ist.IntegerState()
    n = ist.Out()
    at = ist.Out("s")

    def sample(d, t):
        d.count += 1
        d.n = d.count
        d.at = t


class DiscretePID(ist.Device):
    """u = kp e + ki Σ e T + kd (e - e⁻)/T."""

    kp = ist.Parameter("", 1.0)
    ki = ist.Parameter("1/s", 0.0)
    kd = ist.Parameter("s", 0.0)
    wanted = ist.In("", default=0.0)
    seen = ist.In()
    u = ist.Out()
    total = ist.DiscreteState("s")
    last = ist.DiscreteState()

    def sample(d, t):
        e = d.wanted - d.seen
        d.total += e * d.period
        d.u = d.kp * e + d.ki * d.total + d.kd * (e - d.last) / d.period
        d.last = e


class NoisyGyro(ist.Device):
    """The angular rate at a place, sampled, with white noise and a quantizer; ideal: neither."""

    at = ist.Site()
    sigma = ist.Parameter("rad/s", 1e-3)
    step = ist.Parameter("rad/s", 1e-4)
    omega = at.rate()
    rate = ist.Out("rad/s", 3)

    def sample(d, t):
        for k in range(3):
            if d.ideal == 1:
                d.rate[k] = d.omega[k]
            else:
                noisy = d.omega[k] + d.sigma * normal(d.seed, d.stream, d.tick, k)
                d.rate[k] = d.step * np.rint(noisy.real / d.step)


class IntegratingGyro(ist.Device):
    """Mean rate over a period: a state that is integrated, read and kept by samples."""

    at = ist.Site()
    omega = at.rate("body")
    theta = ist.ContinuousState("rad", 3)
    before = ist.DiscreteState("rad", 3)
    rate = ist.Out("rad/s", 3)

    def rates(d, t):
        d.thetadot[:] = d.omega

    def sample(d, t):
        for k in range(3):
            d.rate[k] = (d.theta[k] - d.before[k]) / d.period
            d.before[k] = d.theta[k]


class Accelerometer(ist.Device):
    """The acceleration at a place less gravity along z of the world, at every instant."""

    at = ist.Site()
    gravity = ist.Parameter("m/s^2", 9.80665)
    total = at.acceleration("world")
    felt = ist.Out("m/s^2", 3)

    def outputs(d, t):
        d.felt[0] = d.total[0]
        d.felt[1] = d.total[1]
        d.felt[2] = d.total[2] + d.gravity


class Thruster(ist.Device):
    """A force along x of a place."""

    at = ist.Site()
    throttle = ist.In()
    thrust = ist.Parameter("N", 10.0)
    push = at.force("node")

    def outputs(d, t):
        d.push[0] = d.throttle * d.thrust
        d.push[1] = 0.0
        d.push[2] = 0.0


class Drag(ist.Device):
    """A force and a torque against velocity and rate, body axes."""

    at = ist.Site()
    c = ist.Parameter("N*s/m", 0.3)
    k = ist.Parameter("N*m*s/rad", 0.2)
    velocity = at.velocity("body")
    rate = at.rate("body")
    force = at.force("body")
    torque = at.torque("body")

    def outputs(d, t):
        d.force[:] = -d.c * d.velocity
        d.torque[:] = -d.k * d.rate


class Wrench(ist.Device):
    """A force and a torque at a place, body axes."""

    at = ist.Site()
    force, torque = ist.In("N", 3, default=0.0), ist.In("N*m", 3, default=0.0)
    push, turn = at.force("body"), at.torque("body")

    def outputs(d, t):
        d.push[:] = d.force
        d.turn[:] = d.torque


class Rail(ist.Device):
    """A force on a slide, and where it is."""

    joint = ist.JointRef("m")
    command, force = ist.In("N"), joint.force()
    x, place = joint.coordinate(), ist.Out("m")

    def outputs(d, t):
        d.force = d.command
        d.place = d.x


class Ruler(ist.Device):
    """Place and speed of a slide, sampled; noise on the place."""

    joint = ist.JointRef("m")
    sigma = ist.Parameter("m", 0.0)
    x, v = joint.coordinate(), joint.rate()
    place, speed = ist.Out("m"), ist.Out("m/s")

    def sample(d, t):
        d.place = d.x
        if d.ideal == 0:
            d.place += d.sigma * normal(d.seed, d.stream, d.tick, 0)
        d.speed = d.v


class Pull(ist.Device):
    """A spring to a point that moves on with constant speed."""

    joint = ist.JointRef("m")
    stiffness, speed = ist.Parameter("N/m", 80.0), ist.Parameter("m/s", 0.1)
    x, force = joint.coordinate(), joint.force()
    stretch = ist.Out("m")

    def outputs(d, t):
        d.stretch = d.speed * t - d.x
        d.force = d.stiffness * d.stretch


class Motor(ist.Device):
    """A torque on a joint of one axis: command, and a spring and damper of its own."""

    joint = ist.JointRef()
    stiffness = ist.Parameter("N*m/rad", 0.0)
    damping = ist.Parameter("N*m*s/rad", 0.0)
    command = ist.In("N*m", default=0.0)
    angle = joint.coordinate()
    rate = joint.rate()
    torque = joint.force()

    def outputs(d, t):
        d.torque = d.command - d.stiffness * d.angle - d.damping * d.rate


class Encoder(ist.Device):
    """Angle and rate of a joint of one axis, sampled."""

    joint = ist.JointRef()
    now, speed = joint.coordinate(), joint.rate()
    angle, rate = ist.Out("rad"), ist.Out("rad/s")

    def sample(d, t):
        d.angle = d.now
        d.rate = d.speed
