"""Devices and vehicles of the benchmarks of flights."""

from __future__ import annotations

import numpy as np

import interstage as ist
from benchmarks import _flight_peers as data
from interstage import devices as dev


class Wheel(ist.Device):
    """A balanced wheel: h = J (Ω + a·ω), ḣ = u; on the body -u a - ω × h a."""

    at = ist.Site()
    axis = ist.Parameter("", size=3)
    command = ist.In("N*m", default=0.0)
    omega, torque = at.rate("body"), at.torque("body")
    h = ist.ContinuousState("N*m*s")

    def outputs(d, t):
        a, w, u, h = d.axis, d.omega, d.command, d.h
        d.torque[0] = -u * a[0] - h * (w[1] * a[2] - w[2] * a[1])
        d.torque[1] = -u * a[1] - h * (w[2] * a[0] - w[0] * a[2])
        d.torque[2] = -u * a[2] - h * (w[0] * a[1] - w[1] * a[0])

    def rates(d, t):
        d.hdot = d.command


class PointMass(ist.Device):
    """Gravity of a point mass at the origin."""

    at = ist.Site()
    mu = ist.Parameter("m^3/s^2", data.MU)
    r, g = at.position(), at.gravity()

    def outputs(d, t):
        s = d.r[0] * d.r[0] + d.r[1] * d.r[1] + d.r[2] * d.r[2]
        k = d.mu / (s * np.sqrt(s))
        for i in range(3):
            d.g[i] = -k * d.r[i]


class Navigator(ist.Device):
    """Attitude and body rate, sampled."""

    at = ist.Site()
    now, omega = at.attitude(), at.rate("body")
    attitude, rate = ist.Out("", 4), ist.Out("rad/s", 3)

    def sample(d, t):
        d.attitude[:] = d.now
        d.rate[:] = d.omega


class Pointing(ist.Device):
    """Torques of the wheels K σ + P ω, by modified Rodrigues parameters."""

    gain, damping = ist.Parameter("N*m", data.GAIN), ist.Parameter("N*m*s/rad", data.DAMPING)
    attitude, rate = ist.In("", 4), ist.In("rad/s", 3)
    torque = ist.Out("N*m", 3)

    def sample(d, t):
        sign = 1.0 if d.attitude[0].real >= 0.0 else -1.0
        for k in range(3):
            sigma = sign * d.attitude[k + 1] / (1.0 + sign * d.attitude[0])
            d.torque[k] = d.gain * sigma + d.damping * d.rate[k]


def pointing(t, attitude, rate):
    """Return the torques of `Pointing` by the function in Python that Drake and MuJoCo call too."""
    return -data.law(attitude, rate)


def idle(t, attitude, rate):
    """A law in Python that does nothing."""
    return data.NOTHING[:3]


def spacecraft(law: object = Pointing, shelf: bool = False):
    """Return the assembly of the spacecraft with three wheels and where it starts.

    law : `Pointing`, compiled; a function in Python; or None
    shelf : wheels of the shelf, with limits, friction and imbalance that are zero here
    """
    mb = ist.Multibody("spacecraft")
    mb.add_body("hub", mass=data.MASS, inertia=np.diag(data.INERTIA - data.WHEEL), joint=ist.Free())
    vehicle = mb.compile()
    made = ist.Assembly("spacecraft", vehicle=vehicle).add("earth", PointMass(at="hub"))
    for k, axis in enumerate(np.eye(3)):
        h = data.WHEEL * (data.SPEEDS[k] + data.RATE[k])
        wheel = dev.ReactionWheel(at="hub", axis=axis, inertia=data.WHEEL, momentum=h)
        made.add(f"rw{k + 1}", wheel if shelf else Wheel(at="hub", axis=axis, h=h))
    made.add("nav", Navigator(at="hub"), every=data.FRAME)
    if law is Pointing:
        made.add("law", Pointing(), every=data.FRAME)
    elif law is not None:
        made.add("law", law, every=data.FRAME, out={"torque": "N*m[3]"})
    if law is not None:
        made.wire({"nav.attitude": "law.attitude", "nav.rate": "law.rate"})
        made.wire({"law.torque": "rw*.torque" if shelf else "rw*.command"})
    x, q = vehicle.state(), data.quaternion(data.SIGMA)
    x.q[:4], x.q[4:] = q, data.POSITION
    x.v[:3], x.v[3:] = data.RATE, data.turned(q * [1, -1, -1, -1], data.VELOCITY)
    return made, x


def spacecraft_end(log) -> list[float]:
    """Return the end of a run as the peers say it."""
    q, v = log.q[-1], log.v[-1]
    h = [log[f"rw{k}.h"][-1] for k in (1, 2, 3)]
    speeds = np.array(h) / data.WHEEL - v[:3]
    return [*q[4:], *data.turned(q[:4], v[3:]), *np.copysign(1.0, q[0]) * q[:4], *v[:3], *speeds]


def wings(size: int):
    """Return a hub with two wings of hinged panels and where it starts."""
    mb = ist.Multibody("wings")
    mb.add_body("hub", mass=data.HUB_MASS, inertia=np.diag(data.HUB_INERTIA), joint=ist.Free())
    hinge = ist.Revolute("y", stiffness=data.STIFFNESS, damping=data.FRICTION)
    for side in data.SIDES:
        for k in range(size):
            place = {"parent": f"p{side}{k - 1}" if k else "hub"}
            at = [side * (2 * data.HALF if k else data.ROOT), 0, 0]
            mass = {"mass": data.PANEL_MASS, "com": [side * data.HALF, 0, 0], "inertia": data.PANEL_INERTIA}
            mb.add_body(f"p{side}{k}", **mass, **place, at=at, joint=hinge)
    vehicle = mb.compile()
    x = vehicle.state()
    x.q[7:], x.v[:3] = data.BENT, data.HUB_RATE
    return vehicle, x


def wings_end(log) -> list[float]:
    """Return the end of a run as the peers say it."""
    q, n = log.q[-1], (log.q.shape[1] - 7) // 2
    return [*np.copysign(1.0, q[0]) * q[:4], *log.v[-1][:3], q[6 + n], q[-1]]
