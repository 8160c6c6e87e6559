"""The mass tree: mass properties of parts and assemblies through attach, detach, reattach and depletion.

After JEOD's Mass Body model. Theory: docs/theory/mass.md.
"""

from interstage.mass.body import MassBody
from interstage.mass.fill import CylinderFill, FillTable, SolidGrain, SphereFill
from interstage.mass.orientation import Orientation
from interstage.mass.point import MassPoint, MassProperties, PointState
from interstage.mass.relative import relative_state, relative_states
from interstage.mass.tank import Tank
from interstage.mass.text import print_tree, rigid_properties, tree_text

__all__ = [
    "CylinderFill",
    "FillTable",
    "MassBody",
    "MassPoint",
    "MassProperties",
    "Orientation",
    "PointState",
    "SolidGrain",
    "SphereFill",
    "Tank",
    "print_tree",
    "relative_state",
    "relative_states",
    "rigid_properties",
    "tree_text",
]
