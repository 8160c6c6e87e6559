"""A flexible vehicle that burns its propellant: stages, tanks, constant shapes over changing mass."""

from interstage._renamed import former_names
from interstage.component import ModalIntegrals
from interstage.staged_vehicle.basis_selection import Ranking
from interstage.staged_vehicle.free_flight import BurnLog, FreeFlightState, NodalLoad, simulate_free_flight
from interstage.staged_vehicle.integrals import Partition
from interstage.staged_vehicle.propellant_devices import Manifold, PipeFlow, PropellantTank, Valve
from interstage.staged_vehicle.reduced_basis import BasisReport, ReducedBasis
from interstage.staged_vehicle.stack import CoupledStructure, FreeModes
from interstage.staged_vehicle.stage import Stage
from interstage.staged_vehicle.staging import SeparatedPart, split
from interstage.staged_vehicle.vehicle import StagedVehicle

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
