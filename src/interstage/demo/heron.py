"""Heron: the dimensions, masses and numbering of the demo's launch vehicle (SI units, x forward from the gimbal plane).

Heron is invented. Its figures are those of a medium two-stage launcher about a minute into flight: 50 m long, 3.7 m
wide, four engines, tanks partly empty. Nothing here is data of a real vehicle.

            aft skirt  fuel tank  intertank  oxidizer tank  forward skirt  interstage  upper stage  fairing
    x, m    0 ........ 3 ........ 13 ....... 15.5 ......... 28.5 ......... 30.5 ...... 33.5 ....... 39.5 ... 50
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

AROUND = 32  # grids on every ring


@dataclass(frozen=True)
class ShellOfRevolution:
    """A shell of revolution: axial range, radii, elements along it, property number, wall."""

    name: str
    x0: float
    x1: float
    r0: float
    r1: float
    elements: int
    pid: int
    thickness: float
    frame_every: int = 0  # a ring frame on every k-th ring
    stringer_every: int = 0  # a stringer on every k-th meridian


CORE = (
    ShellOfRevolution("aft skirt", 0.0, 3.0, 1.85, 1.85, 6, 1, 0.006, 1, 2),
    ShellOfRevolution("fuel tank", 3.0, 13.0, 1.85, 1.85, 20, 2, 0.0055, 2, 0),
    ShellOfRevolution("intertank", 13.0, 15.5, 1.85, 1.85, 5, 3, 0.0045, 1, 2),
    ShellOfRevolution("oxidizer tank", 15.5, 28.5, 1.85, 1.85, 26, 4, 0.005, 2, 0),
    ShellOfRevolution("forward skirt", 28.5, 30.5, 1.85, 1.85, 4, 5, 0.0045, 1, 2),
    ShellOfRevolution("interstage", 30.5, 33.5, 1.85, 1.30, 6, 6, 0.0045, 1, 2),
    ShellOfRevolution("upper stage", 33.5, 39.5, 1.30, 1.30, 12, 7, 0.004, 2, 0),
)
FAIRING = (
    ShellOfRevolution("fairing", 39.5, 40.5, 1.30, 1.75, 2, 8, 0.006, 1, 0),
    ShellOfRevolution("fairing", 40.5, 45.5, 1.75, 1.75, 10, 8, 0.006, 2, 0),
    ShellOfRevolution("fairing", 45.5, 49.5, 1.75, 0.35, 8, 8, 0.006, 2, 0),
)
ADAPTER = (ShellOfRevolution("payload adapter", 39.5, 41.0, 1.30, 0.50, 3, 9, 0.006, 1, 0),)
NOSE_TIP = 49.85  # m, the fairing is closed by triangles

# propellant: name, bottom and surface of the liquid on the axis, mass
PROPELLANT = (
    ("fuel", 3.0, 8.5, 47.0e3),
    ("oxidizer", 15.5, 24.0, 103.0e3),
    ("upper stage propellant", 33.5, 37.0, 9.0e3),
)

# cable raceway along the +z side of the core, kg/m besides its own metal
RACEWAY_MERIDIAN, RACEWAY_MASS = 8, 30.0

# engines: gimbal grids on a circle about the axis, in the plane x = 0
ENGINES = ("engine 1", "engine 2", "engine 3", "engine 4")
ENGINE_RADIUS, ENGINE_ANGLES_DEG = 1.05, (45.0, 135.0, 225.0, 315.0)
ENGINE_MASS, ENGINE_CG = 1100.0, 0.90  # kg; m behind the gimbal
ENGINE_INERTIA = (260.0, 720.0, 720.0)  # kg m2 about the cg
ENGINE_NOZZLE = ((0.0, 0.16), (0.25, 0.30), (0.75, 0.28), (1.0, 0.18), (1.4, 0.42), (2.0, 0.66), (2.6, 0.80))
THRUST = 0.9e6  # N an engine
ACTUATOR_HZ, ACTUATOR_DAMPING = 9.0, 0.5  # engine on its actuators, gimbal held

PAYLOAD_MASS, PAYLOAD_INERTIA = 3500.0, (2600.0, 3100.0, 3100.0)
PAYLOAD_X = (41.0, 42.8)  # payload beam, from the adapter to the payload's centre of mass

GIMBAL_GRIDS = (30001, 30002, 30003, 30004)
ENGINE_GRIDS = (31001, 31002, 31003, 31004)
PAYLOAD_GRID, PAYLOAD_FOOT = 40005, 40001
FORWARD_GYRO, AFT_GYRO = 50001, 50002  # sensor platforms on the axis
FORWARD_GYRO_X, AFT_GYRO_X = 29.5, 2.0
TIP_GRID = 60001
CENTER_LINE = 20000  # propellant grids are numbered from here

# element numbers tell the parts apart
PARTS = {
    "tanks and skirts": (10001, 19999),
    "fairing": (20001, 24999),
    "payload and adapter": (25001, 29999),
    "frames and stringers": (30001, 39999),
    "thrust structure": (40001, 44999),
    "cable raceway": (45001, 49999),
}
PROPELLANT_ELEMENTS = (50001, 59999)


def engine_position(k: int) -> np.ndarray:
    """Return the gimbal point (3,) of engine k = 0 to 3."""
    angle = np.deg2rad(ENGINE_ANGLES_DEG[k])
    return np.array([0.0, ENGINE_RADIUS * np.cos(angle), ENGINE_RADIUS * np.sin(angle)])


def engine_gimbal_inertia() -> float:
    """Return the inertia of an engine about a lateral axis through its gimbal."""
    return ENGINE_INERTIA[1] + ENGINE_MASS * ENGINE_CG**2


def actuator_stiffness() -> float:
    """Return the rotational stiffness of the actuators at a gimbal, N m/rad: I (2π f)²."""
    return engine_gimbal_inertia() * (2.0 * np.pi * ACTUATOR_HZ) ** 2


def actuator_damping() -> float:
    """Return the rotational damping of the actuators at a gimbal, N m s/rad: 2 ζ I 2π f."""
    return 2.0 * ACTUATOR_DAMPING * engine_gimbal_inertia() * 2.0 * np.pi * ACTUATOR_HZ
