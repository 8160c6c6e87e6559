"""Interstage: from finite elements to guidance and control.

Public names are loaded on first use, so that `import interstage` is quick and brings in no more
than what a script needs.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# public name -> module that defines it
_PUBLIC = {
    name: module
    for module, names in {
        "interstage.errors": ("FidelityWarning", "InterstageError", "LockWarning", "MotionWarning"),
        "interstage.files": ("load",),
        "interstage.spatial": ("RigidInertia", "Rotation"),
        "interstage.nastran": ("read_deck",),
        "interstage.fem": ("FEModel", "buckling", "normal_modes", "static"),
        "interstage.component": ("Component",),
        "interstage.mass": (
            "CylinderFill",
            "FillTable",
            "MassBody",
            "Orientation",
            "SolidGrain",
            "SphereFill",
            "Tank",
            "print_tree",
            "relative_state",
            "relative_states",
            "rigid_properties",
        ),
        "interstage.multibody": (
            "Ball",
            "Cylindrical",
            "Free",
            "Gimbal",
            "Locked",
            "Multibody",
            "OperatingPoint",
            "Planar",
            "Prismatic",
            "Revolute",
            "Screw",
            "System",
            "Universal",
        ),
        "interstage.multibody.dynbody": ("DynBody",),
        "interstage.kane": ("Kane",),
        "interstage.linear": (
            "Expression",
            "JointAcceleration",
            "JointAngle",
            "JointForce",
            "JointRate",
            "LinearModel",
            "ModalCoordinate",
            "ModalForce",
            "NodeAcceleration",
            "NodeAngularAcceleration",
            "NodeAttitude",
            "NodeForce",
            "NodePosition",
            "NodeRate",
            "NodeTorque",
            "NodeVelocity",
            "Reaction",
            "linearize",
            "mac",
            "sweep_modes",
            "track_modes",
            "trim",
        ),
        "interstage.system": (
            "Assembly",
            "Attach",
            "Detach",
            "Device",
            "Discrete",
            "Event",
            "Hinge",
            "In",
            "Integer",
            "Log",
            "Motion",
            "Out",
            "Parameter",
            "Place",
            "Reattach",
            "Remove",
            "ReplaceComponent",
            "ReplaceJoint",
            "State",
            "Switch",
            "simulate",
        ),
    }.items()
    for name in names
}

__all__ = sorted([*_PUBLIC, "__version__"])


def __getattr__(name: str):
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(
        f"module 'interstage' has no attribute {name!r}; known: {', '.join(sorted(_PUBLIC))}"
    )


def __dir__():
    return __all__
