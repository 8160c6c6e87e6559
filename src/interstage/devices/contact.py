"""Compliant contact of points and spheres: they may press into each other a little.

With the depth δ > 0 along the normal n and its rate δ̇ (Hunt and Crossley 1975), and the velocity v of the sphere's
surface beside the other one across the normal,

    N = k δᵖ (1 + a δ̇) ≥ 0,       F = N n - μ N v / √(v·v + slip²)

A body that hits with the speed u leaves with e u, whatever its mass, k and p are:

    a u (1 + e) = ln((1 + a u) / (1 - a u e))

(the integral of v dv/(1 + a v) over the contact is zero; Marhefka and Orin 1999). restitution=(e, u) finds a. Below
`slip` friction is viscous: a body on a slope creeps with slip·tan β/√(μ² - tan² β) where tan β < μ. Forces act on both
bodies at one point, equal and opposite.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from interstage.devices.parts import unit_vector
from interstage.devices.springs import axes_of
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.multibody.kernels.algebra import add, cross, dot, scale, sub, turn
from interstage.simulation.plant.declarations import Out, Parameter, Site, Value, numbers
from interstage.simulation.plant.device import Device


@kernel
def pressed(depth, rate, stiffness, dissipation, power):
    """Return N = k δᵖ (1 + a δ̇) where δ > 0 and that is positive, else 0."""
    f = 1.0 + dissipation * rate
    if depth.real <= 0.0 or f.real <= 0.0:
        return 0.0 * (depth + f)
    if power == 1.0:
        return stiffness * depth * f
    return stiffness * depth**power * f


@kernel
def touching(depth, n, v, stiffness, dissipation, power, friction, slip):
    """Return N and the force on a body that presses against a normal n with the velocity v of its surface."""
    along = dot(v, n)
    N = pressed(depth, -along, stiffness, dissipation, power)
    across = sub(v, scale(along, n))
    rub = friction * N / np.sqrt(dot(across, across) + slip * slip)
    return N, sub(scale(N, n), scale(rub, across))


@kernel
def push_at(f, arm, force, torque):
    """Write a force (3,) and its torque (3,) about a place, `arm` from the place to where it acts."""
    m = cross(arm, f)
    for i in range(3):
        force[i], torque[i] = f[i], m[i]


def dissipation_for(e: float, speed: float) -> float:
    """Return a with a u (1 + e) = ln((1 + a u)/(1 - a u e)): what hits with the speed u leaves with e u.

    >>> round(dissipation_for(0.5, 1.0), 6)
    1.432751
    """
    if not 0.0 < e <= 1.0 or not speed > 0.0:
        raise InputError(
            "a restitution is above 0 and at most 1, at a speed above 0", got=f"({e:g}, {speed:g})"
        )
    if e == 1.0:
        return 0.0
    from scipy.optimize import brentq

    def off(d: float) -> float:
        return d * (1.0 + e) - float(np.log1p(d) - np.log1p(-d * e))

    # zero at zero and positive beyond, up to the pole at d e = 1
    low, high = 1e-8, (1.0 - 1e-15) / e
    return float(brentq(off, low, high, xtol=1e-15)) / speed if off(low) > 0.0 else 1.5 * (1.0 - e) / speed


def dissipation_of(
    values: dict[str, Value], unit: str, where: str, limits: tuple[str, str] | None = None
) -> dict[str, Value]:
    """Return values with the dissipation of the argument `restitution`, (e, speed), and limits in order."""
    found = dict(values)
    if "restitution" in found:
        given = found.pop("restitution")
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError(
                f"{where}.restitution is a pair (e, speed) instead of dissipation", got=repr(given)[:60]
            )
        e = float(numbers(given[0], "", f"{where}.restitution"))  # type: ignore[arg-type]
        found["dissipation"] = dissipation_for(e, float(numbers(given[1], unit, f"{where}.restitution")))  # type: ignore[arg-type]
    if limits is not None and limits[0] in found and limits[1] in found:
        low, high = (numbers(found[name], unit.removesuffix("/s"), f"{where}.{name}") for name in limits)
        if not np.all(low < high):
            raise InputError(
                f"{where}.{limits[0]} must be below {where}.{limits[1]}", got=f"{low} and {high}"
            )
    return found


class Contact:
    """What contacts have in common: the law of the normal force, friction, and what they say."""

    stiffness, power = Parameter("", above=0.0), Parameter("", 1.0, least=1.0)
    dissipation = Parameter("s/m", 0.0, least=0.0)
    friction, slip = Parameter("", 0.0, least=0.0), Parameter("m/s", 1e-3, above=0.0)
    depth, normal_force = Out("m"), Out("N")

    stands_for: Mapping[str, tuple[str, ...]] = MappingProxyType({"restitution": ("dissipation",)})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return a normal of length one, and the dissipation of a restitution."""
        where = type(self).__name__
        found = dissipation_of(values, "m/s", where)
        if isinstance(found.get("stiffness"), str):
            power = float(numbers(found.get("power", 1.0), "", f"{where}.power"))
            found["stiffness"] = numbers(found["stiffness"], f"N/m^{power:g}", f"{where}.stiffness")
        if "normal" in found:
            found["normal"] = unit_vector(found["normal"], f"{where}.normal")
        return found


class GroundContact(Contact, Device):
    """A point or a sphere of the vehicle on a plane that stands still in the world.

    at : point, or centre of the sphere;  radius : 0 is a point;  point, normal (3,) : of the plane, world axes
    stiffness : k, in N/mᵖ;  dissipation : a, or restitution=(e, speed);  power : p, 1.5 is Hertz's
    friction : μ;  slip : speed below which friction is viscous
    depth : δ, negative above the ground;  normal_force : N
    """

    at = Site()
    radius = Parameter("m", 0.0, least=0.0)
    point, normal = Parameter("m", [0.0, 0.0, 0.0]), Parameter("", [0.0, 0.0, 1.0])
    p, v, w = at.position(), at.velocity("world"), at.rate("world")
    force, torque = at.force("world"), at.torque("world")

    def outputs(d, t):
        n = (d.normal[0], d.normal[1], d.normal[2])
        d.depth = d.radius - dot(n, sub(d.p, d.point))
        arm = scale(-d.radius, n)
        d.normal_force, f = touching(
            d.depth,
            n,
            add(d.v, cross(d.w, arm)),
            d.stiffness,
            d.dissipation,
            d.power.real,
            d.friction,
            d.slip,
        )
        push_at(f, arm, d.force, d.torque)


class PlaneContact(Contact, Device):
    """A point or a sphere of one body on a plane of another.

    at : point, or centre of the sphere;  plane : a place in the plane;  normal (3,) : in the axes of its node
    Other arguments are those of `GroundContact`.
    """

    at, plane = Site(), Site()
    radius, normal = Parameter("m", 0.0, least=0.0), Parameter("", [0.0, 0.0, 1.0])
    p, v, w = at.position(), at.velocity("world"), at.rate("world")
    p_b, v_b, w_b, q_b = plane.position(), plane.velocity("world"), plane.rate("world"), plane.attitude()
    force, torque = at.force("world"), at.torque("world")
    force_b, torque_b = plane.force("world"), plane.torque("world")

    def outputs(d, t):
        n, r = turn(axes_of(d.q_b), d.normal), sub(d.p, d.p_b)
        d.depth = d.radius - dot(n, r)
        arm = scale(-d.radius, n)
        arm_b = add(r, arm)
        v = sub(add(d.v, cross(d.w, arm)), add(d.v_b, cross(d.w_b, arm_b)))
        d.normal_force, f = touching(
            d.depth, n, v, d.stiffness, d.dissipation, d.power.real, d.friction, d.slip
        )
        push_at(f, arm, d.force, d.torque)
        push_at(scale(-1.0, f), arm_b, d.force_b, d.torque_b)


class SphereContact(Contact, Device):
    """Two spheres, or a point and a sphere, of two bodies.

    a, b : centres;  radius_a, radius_b : not both 0. Other arguments are those of `GroundContact`.
    """

    a, b = Site(), Site()
    radius_a, radius_b = Parameter("m", 0.0, least=0.0), Parameter("m", above=0.0)
    p_a, v_a, w_a = a.position(), a.velocity("world"), a.rate("world")
    p_b, v_b, w_b = b.position(), b.velocity("world"), b.rate("world")
    force_a, torque_a = a.force("world"), a.torque("world")
    force_b, torque_b = b.force("world"), b.torque("world")

    def outputs(d, t):
        n = sub(d.p_a, d.p_b)
        s = np.sqrt(dot(n, n))
        if s.real > 0.0:
            n = scale(1.0 / s, n)
        d.depth = d.radius_a + d.radius_b - s
        # half way between the surfaces
        arm_a, arm_b = scale(0.5 * d.depth - d.radius_a, n), scale(d.radius_b - 0.5 * d.depth, n)
        v = sub(add(d.v_a, cross(d.w_a, arm_a)), add(d.v_b, cross(d.w_b, arm_b)))
        d.normal_force, f = touching(
            d.depth, n, v, d.stiffness, d.dissipation, d.power.real, d.friction, d.slip
        )
        push_at(f, arm_a, d.force_a, d.torque_a)
        push_at(scale(-1.0, f), arm_b, d.force_b, d.torque_b)
