"""Vehicles in time: devices and wires around them, integrators in compiled loops, events, logs by name."""

from interstage._renamed import former_names
from interstage.simulation import quaternion
from interstage.simulation.log.log import Log
from interstage.simulation.log.phases import Phase
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import (
    ContinuousState,
    DiscreteState,
    In,
    IntegerState,
    InternalLoad,
    JointRef,
    Limit,
    Out,
    Parameter,
    Site,
    Sites,
    ZeroCrossing,
)
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.faults import Fault
from interstage.simulation.plant.prescribed_inputs import MassHistory
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.quaternion import attitude_error
from interstage.simulation.run.checkpoint import resume
from interstage.simulation.run.events import (
    Attach,
    Detach,
    Event,
    EventRecord,
    Reattach,
    RemoveBody,
    ReplaceComponent,
    ReplaceJoint,
    SetJointMode,
)
from interstage.simulation.run.integrators import METHODS, Method
from interstage.simulation.run.real_time import UDP
from interstage.simulation.simulate import simulate

__all__ = [
    "METHODS",
    "UDP",
    "Assembly",
    "Attach",
    "ContinuousState",
    "Detach",
    "Device",
    "DiscreteState",
    "Event",
    "EventRecord",
    "Fault",
    "In",
    "IntegerState",
    "InternalLoad",
    "JointRef",
    "Limit",
    "Log",
    "MassHistory",
    "Method",
    "Out",
    "Parameter",
    "Phase",
    "PrescribedMotion",
    "Reattach",
    "RemoveBody",
    "ReplaceComponent",
    "ReplaceJoint",
    "SetJointMode",
    "Site",
    "Sites",
    "ZeroCrossing",
    "attitude_error",
    "quaternion",
    "resume",
    "simulate",
]

__getattr__ = former_names(__name__)
