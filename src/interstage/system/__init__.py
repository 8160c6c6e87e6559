"""Vehicles in time: integrators in compiled loops, events, prescribed motions, logs by name."""

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
from interstage.system.histories import Motion
from interstage.system.log import Log, Phase
from interstage.system.log_file import LogFile
from interstage.system.simulate import simulate

__all__ = [
    "Attach",
    "Detach",
    "Event",
    "EventRecord",
    "Log",
    "LogFile",
    "Motion",
    "Phase",
    "Reattach",
    "Remove",
    "ReplaceComponent",
    "ReplaceJoint",
    "Switch",
    "simulate",
]
