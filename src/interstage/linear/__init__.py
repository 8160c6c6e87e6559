"""Linear models for control design: trim, linearize, respond, export."""

from interstage._renamed import former_names
from interstage.linear.design import TrackedModes, lqr, mac, sweep_modes, track_modes
from interstage.linear.differences import jacobian
from interstage.linear.inputs import JointAcceleration, JointForce, ModalForce, NodeForce, NodeTorque
from interstage.linear.jitter import JitterBudget, WheelDisturbance, jitter, wheel_sweep
from interstage.linear.linearize import linearize
from interstage.linear.loops import open_loop
from interstage.linear.margins import LoopMargins, MarginRow, Margins, margins
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet, MarginsSet, PolesSet
from interstage.linear.newton import Trim, TrimReport
from interstage.linear.operating_points import Points, points
from interstage.linear.outputs import (
    CenterOfMass,
    CustomOutput,
    JointAngle,
    JointRate,
    JointReaction,
    ModalCoordinate,
    NodeAcceleration,
    NodeAngularAcceleration,
    NodeAttitude,
    NodePosition,
    NodeRate,
    NodeVelocity,
    RecoveredLoad,
)
from interstage.linear.reduction import ModalGains
from interstage.linear.requirements import (
    Crossover,
    DelayMargin,
    DiskMargin,
    GainMargin,
    GainStabilized,
    ModulusMargin,
    PhaseMargin,
    PhaseStabilized,
    Requirement,
    RequirementRow,
    RequirementTable,
    check_requirements,
)
from interstage.linear.sensitivity import Sensitivities
from interstage.linear.trim import trim
from interstage.linear.tuning import TunableBlock, Tuned, tunable, tune
from interstage.linear.uncertainty import Uncertain, uncertain

__all__ = [
    "CenterOfMass",
    "Crossover",
    "CustomOutput",
    "DelayMargin",
    "DiskMargin",
    "GainMargin",
    "GainStabilized",
    "JitterBudget",
    "JointAcceleration",
    "JointAngle",
    "JointForce",
    "JointRate",
    "JointReaction",
    "LinearModel",
    "LinearModelSet",
    "LoopMargins",
    "MarginRow",
    "Margins",
    "MarginsSet",
    "ModalCoordinate",
    "ModalForce",
    "ModalGains",
    "ModulusMargin",
    "NodeAcceleration",
    "NodeAngularAcceleration",
    "NodeAttitude",
    "NodeForce",
    "NodePosition",
    "NodeRate",
    "NodeTorque",
    "NodeVelocity",
    "PhaseMargin",
    "PhaseStabilized",
    "Points",
    "PolesSet",
    "RecoveredLoad",
    "Requirement",
    "RequirementRow",
    "RequirementTable",
    "Sensitivities",
    "TrackedModes",
    "Trim",
    "TrimReport",
    "TunableBlock",
    "Tuned",
    "Uncertain",
    "WheelDisturbance",
    "check_requirements",
    "jacobian",
    "jitter",
    "linearize",
    "lqr",
    "mac",
    "margins",
    "open_loop",
    "points",
    "sweep_modes",
    "track_modes",
    "trim",
    "tunable",
    "tune",
    "uncertain",
    "wheel_sweep",
]

__getattr__ = former_names(__name__)
