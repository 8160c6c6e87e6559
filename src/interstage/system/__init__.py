"""Vehicles in time: devices and wires around them, integrators in compiled loops, events, logs by name."""

from interstage.system import quaternion
from interstage.system.ahead import MassHistory
from interstage.system.assembly import Assembly
from interstage.system.checkpoint import resume
from interstage.system.device import Device
from interstage.system.events import (
    Attach,
    Detach,
    Event,
    EventRecord,
    Reattach,
    Remove,
    ReplaceComponent,
    ReplaceJoint,
    Switch,
)
from interstage.system.faults import Fault
from interstage.system.histories import Motion
from interstage.system.limits import Limit
from interstage.system.log import Log
from interstage.system.log_file import LogFile
from interstage.system.methods import METHODS, Method
from interstage.system.phases import Phase
from interstage.system.ports import (
    Crossing,
    Discrete,
    Hinge,
    In,
    Inside,
    Integer,
    Out,
    Parameter,
    Place,
    Places,
    State,
)
from interstage.system.quaternion import rotation_error
from interstage.system.simulate import simulate
from interstage.system.udp import UDP

__all__ = [
    "METHODS",
    "UDP",
    "Assembly",
    "Attach",
    "Crossing",
    "Detach",
    "Device",
    "Discrete",
    "Event",
    "EventRecord",
    "Fault",
    "Hinge",
    "In",
    "Inside",
    "Integer",
    "Limit",
    "Log",
    "LogFile",
    "MassHistory",
    "Method",
    "Motion",
    "Out",
    "Parameter",
    "Phase",
    "Place",
    "Places",
    "Reattach",
    "Remove",
    "ReplaceComponent",
    "ReplaceJoint",
    "State",
    "Switch",
    "quaternion",
    "resume",
    "rotation_error",
    "simulate",
]
