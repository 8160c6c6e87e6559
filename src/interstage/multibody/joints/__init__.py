"""Joints: what a body may do with respect to its parent; one file for each kind.

A joint frame F sits on the parent (at a point or node, turned by `rotation`); the child's frame C coincides
with F at zero coordinates. Axes are given in C, "x", "y", "z", "-z" or any vector. Coordinates q and
velocities v of each joint (angles in radians, lengths in the units of the model):

    Locked       none
    Revolute     angle about the axis
    Prismatic    travel along the axis
    Screw        angle about the axis; the child travels `pitch` along it each turn
    Cylindrical  angle about, then travel along the axis
    Universal    angles about two axes, the second carried by the first
    Gimbal       angles about three axes, each carried by the one before
    Ball         quaternion (scalar first); v is the angular velocity in C
    Slot         quaternion; travel along the axis; v is the angular velocity in C, then the rate of travel
    Planar       travel along two directions in the plane, angle about its normal
    Free         quaternion, position of C in F; v is [ω; v], both in C

`stiffness`, `damping` and `rest` make a spring and a damper along the coordinates: one number, or one for
each. A ball joint's spring is isotropic with torque k sin φ, φ the turn from its rest, a quaternion (4,) or Rotation; a
free joint has no spring.
`prescribed=True` makes the motion of a joint an input: its accelerations are given, the forces that they need
are a result.
"""

from interstage.errors import InputError
from interstage.multibody.joints.ball import Ball
from interstage.multibody.joints.base import SPRING, Axis, Joint, unit_axis
from interstage.multibody.joints.cylindrical import Cylindrical
from interstage.multibody.joints.elementary_motions import Coordinate
from interstage.multibody.joints.free import Free
from interstage.multibody.joints.gimbal import Gimbal
from interstage.multibody.joints.locked import Locked
from interstage.multibody.joints.planar import Planar
from interstage.multibody.joints.prismatic import Prismatic
from interstage.multibody.joints.revolute import Revolute
from interstage.multibody.joints.screw import Screw
from interstage.multibody.joints.slot import Slot
from interstage.multibody.joints.universal import Universal

KNOWN = (Locked, Revolute, Prismatic, Screw, Cylindrical, Universal, Gimbal, Ball, Slot, Planar, Free)

__all__ = [
    "KNOWN",
    "SPRING",
    "Axis",
    "Ball",
    "Coordinate",
    "Cylindrical",
    "Free",
    "Gimbal",
    "Joint",
    "Locked",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Slot",
    "Universal",
    "as_joint",
    "unit_axis",
]


def as_joint(joint: object, where: str) -> Joint:
    """Return a joint that the engine knows, or say what is wrong with it."""
    if not isinstance(joint, KNOWN) or [k.kind for k in KNOWN if isinstance(joint, k)] != [joint.kind]:
        raise InputError(
            "not a joint", where=where, expected=", ".join(k.__name__ for k in KNOWN), got=repr(joint)
        )
    for name in SPRING:
        joint.spread(name)
    return joint
