"""A flexible vehicle that burns its propellant: stages, tanks, constant shapes over changing mass."""

from interstage.vehicle.integrals import Integrals, Partition
from interstage.vehicle.reference import BurnLog, Load, fly
from interstage.vehicle.shapes import Shapes, ShapesReport
from interstage.vehicle.stack import Modes, Stack
from interstage.vehicle.stage import Stage
from interstage.vehicle.vehicle import Vehicle

__all__ = [
    "BurnLog",
    "Integrals",
    "Load",
    "Modes",
    "Partition",
    "Shapes",
    "ShapesReport",
    "Stack",
    "Stage",
    "Vehicle",
    "fly",
]
