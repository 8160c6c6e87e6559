"""A flexible vehicle that burns its propellant: stages, tanks, constant shapes over changing mass."""

from interstage._renamed import former_names
from interstage.component import ModalIntegrals
from interstage.vehicle.basis_selection import Ranking
from interstage.vehicle.free_flight import BurnLog, FreeFlightState, NodalLoad, simulate_free_flight
from interstage.vehicle.integrals import Partition
from interstage.vehicle.propellant_devices import Manifold, PipeFlow, PropellantTank, Valve
from interstage.vehicle.reduced_basis import BasisReport, ReducedBasis
from interstage.vehicle.stack import CoupledStructure, FreeModes
from interstage.vehicle.stage import Stage
from interstage.vehicle.staging import SeparatedPart, split
from interstage.vehicle.vehicle import StagedVehicle

__all__ = [
    "BasisReport",
    "BurnLog",
    "CoupledStructure",
    "FreeFlightState",
    "FreeModes",
    "Manifold",
    "ModalIntegrals",
    "NodalLoad",
    "Partition",
    "PipeFlow",
    "PropellantTank",
    "Ranking",
    "ReducedBasis",
    "SeparatedPart",
    "Stage",
    "StagedVehicle",
    "Valve",
    "simulate_free_flight",
    "split",
]

__getattr__ = former_names(__name__)
