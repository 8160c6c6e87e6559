"""Flexible multibody dynamics of trees at linear cost.

`Multibody` describes a vehicle by names; `compile()` gives a `System` with the algorithms; a `State` holds
coordinates and velocities. Equations: docs/theory/multibody.md.
"""

from interstage._renamed import former_names
from interstage.multibody.impulse import Change
from interstage.multibody.joints import (
    Ball,
    Cylindrical,
    Free,
    Gimbal,
    Joint,
    Locked,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Slot,
    Universal,
)
from interstage.multibody.loads import Loads, Wrench
from interstage.multibody.model import Multibody
from interstage.multibody.operating_point import OperatingPoint
from interstage.multibody.state import State
from interstage.multibody.system import System

__all__ = [
    "Ball",
    "Change",
    "Cylindrical",
    "Free",
    "Gimbal",
    "Joint",
    "Loads",
    "Locked",
    "Multibody",
    "OperatingPoint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Slot",
    "State",
    "System",
    "Universal",
    "Wrench",
]

__getattr__ = former_names(__name__)
