"""A flexible vehicle that burns its propellant: stages, tanks, constant shapes over changing mass."""

from interstage._renamed import former_names
from interstage.component import ModalIntegrals
from interstage.vehicle.basis_selection import Ranking
from interstage.vehicle.free_flight import BurnLog, FreeFlightState, Load, fly
from interstage.vehicle.integrals import Partition
from interstage.vehicle.propellant_devices import Manifold, PipeFlow, Tank, Valve
from interstage.vehicle.reduced_basis import Shapes, ShapesReport
from interstage.vehicle.stack import CoupledStructure, FreeModes
from interstage.vehicle.stage import Stage
from interstage.vehicle.staging import SeparatedPart, split
from interstage.vehicle.vehicle import StagedVehicle

__all__ = [
    "BurnLog",
    "CoupledStructure",
    "FreeFlightState",
    "FreeModes",
    "Load",
    "Manifold",
    "ModalIntegrals",
    "Partition",
    "PipeFlow",
    "Ranking",
    "SeparatedPart",
    "Shapes",
    "ShapesReport",
    "Stage",
    "StagedVehicle",
    "Tank",
    "Valve",
    "fly",
    "split",
]

__getattr__ = former_names(__name__)
