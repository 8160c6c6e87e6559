"""Arguments, beside places, of a device of the shelf for tests of all of them; one that needs none is not listed.

Inputs without a default are held at random numbers. Choose arguments at which every branch that matters is taken.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from software_examples import SOFTWARE

FIELD = str(Path(__file__).with_name("small_field.gfc"))
# a planet so small that differences of places above it keep their digits
SMALL_PLANET = {"radius": 20.0, "mu": 4000.0, "spin": 0.03, "flattening": 0.1}

WIND = {"altitude": [0.0, 1e3, 5e3, 2e4], "north": [1.0, 3.0, 5.0, 4.0], "east": [-2.0, 0.0, 3.0, 20.0]}
FLIGHT = {
    "time": [0.0, 0.2, 0.5, 1.0, 2.0],
    "x": [0.0, 1.0, 4.0, 9.0, 20.0],
    "pitch": [0.0, 0.1, 0.15, 0.4, 0.7],
    "throttle": [1.0, 1.0, 0.7, 0.7, 0.9],
    "flow": [3.0, 2.0, 1.0, 0.5, 0.2],
}

SIX = np.diag([3.0, 4.0, 5.0, 20.0, 30.0, 40.0]) + 0.5

EXAMPLES: dict[str, list[dict[str, object]]] = {
    **SOFTWARE,
    "Backlash": [{"gap": 0.2, "stiffness": 30.0, "damping": 0.4}, {"gap": 20.0, "stiffness": 30.0}],
    "Bushing": [{"stiffness": SIX, "damping": 0.1 * SIX, "rest": [0.1, 0.2, -0.1, 0.3, 0.1, 0.0]}],
    "Cable": [{"stiffness": 40.0, "damping": 0.3, "length": 0.1}, {"stiffness": 40.0, "length": 50.0}],
    "LuGreFriction": [
        {"coulomb": 0.5, "static": 0.8, "stribeck": 0.2, "viscous": 0.1, "stiffness": 3.0, "damping": 0.2}
    ],
    "PrismaticFriction": [{"coulomb": 0.5, "stiffness": 3.0, "stribeck": 0.1, "damping": 0.2, "bend": 0.1}],
    "StickSlipMotor": [
        {
            "inertia": 1e-3,
            "ratio": 5.0,
            "stiffness": 10.0,
            "damping": 2.0,
            "friction": (1e-3, 1e-4),
            "way": 1,
        },
        {
            "inertia": 1e-3,
            "stiffness": 10.0,
            "coulomb": 0.3,
            "static": 0.4,
            "max_torque": 0.2,
            "command": 0.3,
        },
    ],
    "StictionReactionWheel": [
        {
            "axis": [1, 2, -1],
            "inertia": 0.05,
            "friction": (2e-3, 1e-4),
            "static": 3e-3,
            "bristle_stiffness": 4.0,
            "bristle_damping": 0.1,
            "imbalance": (1e-3, 2e-4),
            "stribeck": 3.0,
        }
    ],
    "StickSlip": [
        {"coulomb": 0.5, "static": 0.8, "stribeck": 0.2, "viscous": 0.1, "way": 1},
        {"coulomb": 0.5, "way": -1},
        {"coulomb": 0.5, "held": 1},
    ],
    "PrismaticStickSlip": [{"coulomb": 0.5, "static": 0.6, "way": -1}],
    "Gear": [
        {"ratio": -3.0, "stiffness": 20.0, "damping": 0.1},
        {"stiffness": 20.0, "gap": 0.1},
    ],
    "GroundContact": [
        {"radius": 5.0, "stiffness": 40.0, "restitution": (0.5, 2.0), "friction": 0.3, "slip": 0.1},
        {"radius": 0.0, "point": [0, 0, 9.0], "normal": [0, 1, 9], "stiffness": 40.0, "power": 1.5},
    ],
    "PlaneContact": [
        {"radius": 5.0, "stiffness": 40.0, "friction": 0.3, "dissipation": 0.1, "slip": 0.1},
        {"normal": [0, 0, -1], "radius": 5.0, "stiffness": 40.0, "power": 1.5},
    ],
    "PrismaticStop": [{"stiffness": 30.0, "low": -0.1, "high": -0.01, "restitution": (0.4, "1 m/s")}],
    "SphereContact": [
        {
            "radius_a": 1.0,
            "radius_b": 3.0,
            "stiffness": 40.0,
            "friction": 0.3,
            "dissipation": 0.1,
            "slip": 0.1,
        }
    ],
    "Spring": [{"stiffness": 40.0, "damping": 0.3, "length": 0.5}],
    "JointStop": [
        {"stiffness": 30.0, "low": -0.1, "high": -0.01, "restitution": (0.4, 1.0)},
        {"stiffness": 30.0},
    ],
    "NonlinearSpring": [
        {"force": ([-1, 0, 1, 3], [-2, 0, 1, 9]), "drag": ([-1, 0, 1], [-0.3, 0, 0.1]), "length": 0.2},
        {"force": ([-0.2, 0, 0.1], [-2, 0, 1])},
    ],
    "Accelerometer": [
        {"lever": [0.1, -0.2, 0.3], "mount": [1, 2, 0, 1], "bias_stability": 1e-3, "counter": (1e-4, 12)},
        {"velocity_random_walk": 1e-3, "acceleration_random_walk": 1e-3, "ramp": 0.1, "quantization": 1e-4},
    ],
    "Atmosphere": [
        {"altitude": 2000.0, "wind": WIND},
        {"altitude": 15000.0, "ground": [3.0, 100.0, 7.0], "gust": [1.0, 2.0, 3.0]},
        {"altitude": 80000.0},
    ],
    "Earth": [
        {
            "gravity": "J2",
            "gravity_gradient": True,
            "site": (28.6, -80.6),
            "heading": "90 deg",
            **SMALL_PLANET,
        },
        {"gravity": "central", "center": [-20.0, 3.0, 5.0], **SMALL_PLANET},
        {"gravity": "uniform", **SMALL_PLANET},
        {
            "gravity": FIELD,
            "center": [-20.0, 3.0, 5.0],
            "gravity_gradient": True,
            "spin": 0.03,
            "radius": 20.0,
        },
    ],
    "ReferenceTrajectory": [{"source": FLIGHT}],
    "Encoder": [{"counts": 4096, "noise": "1 mrad"}],
    "Engine": [
        {"thrust": 100.0, "flow": 0.03, "exit_area": 1e-3, "pressure": 2e4, "level": 0.6, "throttle": 0.7},
        {
            "thrust": 100.0,
            "burn": ([0, 1, 2], [0.2, 1.0, 0.5]),
            "curve": ([0, 0.5, 1], [0, 0.3, 1]),
            "throttle": 0.4,
            "idle": 0.1,
            "start": 0.5,
            "level": 0.03,
            "misalignment": ["0.5 deg", "-0.3 deg"],
            "pressure": 2e4,
            "exit_area": 1e-3,
        },
    ],
    "Gyro": [
        {"mount": [1, 2, 0, 1], "scale_factor": [1e-3, 0, 0], "bias_stability": 1e-3, "counter": (1e-4, 12)},
        {"angle_random_walk": 1e-3, "rate_random_walk": 1e-3, "rate_ramp": 0.1, "angle_white_noise": 1e-4},
    ],
    "ReactionWheel": [
        {
            "axis": [1, 2, -1],
            "inertia": 0.05,
            "friction": (2e-3, 1e-4),
            "imbalance": (1e-3, 2e-4),
            "speed": 40.0,
        },
        {"inertia": 0.05, "max_torque": 0.2, "torque": 0.3, "max_speed": 20.0, "speed": 19.9},
    ],
    "TVC": [
        {"command": [0.1, -0.2], "limit": "8 deg"},
        {"command": [0.3, -0.02], "bandwidth": "20 rad/s", "rate_limit": 0.5},
    ],
    "CMG": [{"gimbal": [1, 1, 0], "momentum": 3.0, "inertia": 0.1, "command": 0.2, "rate": 0.4}],
    "GPS": [{"noise": "2 m", "velocity_noise": 0.1, "drift": "5 m"}],
    "LineOfSight": [{"rotation": np.linspace(-1.0, 2.0, 18).reshape(3, 6), "translation": 0.3}],
    "HydraulicTVC": [{"rod_stiffness": 50.0, "fluid_stiffness": 80.0, "damping": 2.0, "load_spring": 3.0}],
    "UnloadedHydraulicTVC": [
        {"rod_stiffness": 50.0, "fluid_stiffness": 80.0, "inertia": 2.0, "rate_limit": 0.5, "max_torque": 1.0}
    ],
    "MagneticField": [
        {
            "epoch": "2027-03-01",
            "from_center": [3.0e6, -4.0e6, 5.0e6],
            "latitude": 0.7,
            "longitude": -2.0,
            "north": [0.8, 0.6, 0.0],
            "east": [-0.6, 0.8, 0.0],
            "up": [0.0, 0.0, 1.0],
        }
    ],
    "MagneticTorquer": [{"dipole": [3.0, -12.0, 4.0], "limit": 10.0, "field": [0.3, -0.2, 0.4]}],
    "Magnetometer": [{"field": [0.3, -0.2, 0.4], "mount": [1, 2, 0, 1], "noise": 1e-3, "step": 1e-4}],
    "Motor": [
        {"inertia": 1e-3, "ratio": 50.0, "stiffness": 1e3, "damping": 2.0, "friction": (1e-3, 1e-4)},
        {
            "inertia": 1e-3,
            "stiffness": 10.0,
            "max_torque": 0.5,
            "no_load_speed": 40.0,
            "speed": 20.0,
            "command": 3.0,
        },
    ],
    "LoadCell": [{"scale_factor": 0.1, "bias": 0.2, "noise": 0.1, "step": 0.01}],
    "StrainGauge": [{"modulus": 1e6, "scale_factor": 0.1, "bias": 1e-3, "noise": 1e-4, "step": 1e-5}],
    "StarTracker": [{"noise": "2 arcsec", "mount": [1, 2, 0, 1], "bias": 1e-3}],
    "SunSensor": [{"sun": [0.3, 0.2, 0.9], "field_of_view": 3.0, "noise": 1e-3, "step": 1e-4}],
    "EventThruster": [
        {"thrust": 10.0, "width": 0.006, "rise": 0.02, "valve_delay": 0.29},
        {"thrust": 10.0, "width": 0.006, "resolution": 0.001, "valve_open": 1},
    ],
    "Thruster": [
        {"thrust": 10.0, "width": 0.006, "rise": 0.02, "valve_delay": 0.29},
        {"thrust": 10.0, "width": 0.006, "resolution": 0.001, "valve_delay": 0.29},
    ],
}
