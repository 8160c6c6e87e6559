"""Arguments of software blocks and of what surrounds a vehicle for the tests of all devices."""

from __future__ import annotations

import numpy as np

E = np.array([[1.0, 0.5, -0.3, 0.2], [0.1, -0.8, 0.6, 0.4]])
MACH, ANGLE = np.array([0.0, 0.02, 0.05, 0.2]), np.array([0.0, 0.4, 1.0, 3.2])
COEFFICIENTS = {
    "mach": MACH,
    "angle": ANGLE,
    "axial": 0.3 + MACH[:, None] + 0.1 * ANGLE**2,
    "normal": (2.0 + 5.0 * MACH[:, None]) * np.sin(ANGLE),
    "area": 0.7,
}
AIR = {"density": 1.2, "sound": 20.0, "air": [0.5, -1.0, 2.0]}
PLATES = {"normals": [[1, 0, 0], [0, 1, 2]], "centers": [[1, 0, 0], [0, 2, 0]], "areas": [2.0, 3.0]}
SOFTWARE: dict[str, list[dict[str, object]]] = {
    "FreeMolecularDrag": [
        {**PLATES, "density": 0.1, "air": [3.0, -5.0, 1.0]},
        {**PLATES, "density": 0.1, "both": 1},
    ],
    "SolarRadiationPressure": [
        {
            **PLATES,
            "mirrored": 0.3,
            "scattered": 0.4,
            "sun": [8e9, 5e9, 3e9],
            "from_center": [7e6, 1e6, 0.0],
            "both": 1,
        },
        # the edge of the shadow
        {**PLATES, "mirrored": 0.3, "sun": [1.496e11, 0.0, 0.0], "from_center": [-7e6, 6.36e6, 0.0]},
    ],
    "Ephemeris": [{"epoch": "2030-01-01T00:00:00", "days": 1.0}],
    "Aero": [
        {"source": COEFFICIENTS, "at": [("bus", [0.2, 0.3, -0.1]), "arm", ("bus", [0.5, 0.0, 0.2])], **AIR},
        {"source": COEFFICIENTS, "body": "bus", "nodes": [[0.1, 0.2, 0.3]], **AIR},
    ],
    "DrydenTurbulence": [
        {"seed": 3, "altitude": 150.0, "velocity": [30.0, 40.0, 0.0]},
        {"altitude": 450.0, "velocity": [0.0, 0.0, 70.0]},
        {"altitude": 5000.0, "every": "50 ms"},
        {"altitude": 0.0, "velocity": [0.0, 0.1, 0.0], "up": [1.0, 0.0, 0.0]},
    ],
    "DiscreteGust": [{"amplitude": [1.0, 2.0, 3.0], "duration": "0.8 s"}],
    "ControlAllocation": [
        {"effectiveness": E, "low": -0.4, "high": 0.5, "demand": [1.0, -0.6]},
        {"effectiveness": E, "low": -0.4, "high": 0.5, "demand": [1.0, -0.6], "method": "pinv"},
        {"effectiveness": E, "preferred": 0.1, "demand": [1.0, -0.6]},
    ],
    "LeadLag": [{"zero": "2 Hz", "pole": "9 Hz", "gain": 1.5, "n": 2}],
    "LinearFilter": [
        {"system": ([1.0, 3.0], [1.0, 2.0, 40.0]), "every": "10 ms"},
        {"system": ([1.0, 3.0], [1.0, 2.0, 40.0]), "every": "10 ms", "method": "tustin"},
    ],
    "LowPass": [{"frequency": "5 Hz", "n": 2}, {"frequency": "5 Hz", "order": 1}],
    "Notch": [{"frequency": "5 Hz", "depth": 0.02, "n": 2}],
    "PID": [
        {"kp": 2.0, "ki": 0.5, "kd": 0.3, "lag": "20 ms", "n": 3},
        {"kp": 2.0, "ki": 0.5, "kd": 0.3, "n": 2, "limit": 0.1},
        {"kp": 2.0, "kd": 0.3, "n": 2, "rated": True},
    ],
    "PhasePlaneController": [{"deadband": 0.1, "acceleration": 0.5, "n": 2}],
}
