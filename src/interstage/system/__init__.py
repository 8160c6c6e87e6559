"""Vehicles in time: devices and wires around them, integrators in compiled loops, events, logs by name."""

from interstage._renamed import former_names
from interstage.system import quaternion
from interstage.system.log.log import Log
from interstage.system.log.phases import Phase
from interstage.system.plant.assembly import Assembly
from interstage.system.plant.declarations import (
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
from interstage.system.plant.device import Device
from interstage.system.plant.faults import Fault
from interstage.system.plant.prescribed_inputs import MassHistory
from interstage.system.plant.prescribed_motion import PrescribedMotion
from interstage.system.quaternion import attitude_error
from interstage.system.run.checkpoint import resume
from interstage.system.run.events import (
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
from interstage.system.run.integrators import METHODS, Method
from interstage.system.run.real_time import UDP
from interstage.system.simulate import simulate

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
