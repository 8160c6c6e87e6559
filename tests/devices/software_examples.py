"""Arguments of the software blocks of the shelf for the tests of all devices."""

from __future__ import annotations

import numpy as np

E = np.array([[1.0, 0.5, -0.3, 0.2], [0.1, -0.8, 0.6, 0.4]])
SOFTWARE: dict[str, list[dict[str, object]]] = {
    "Allocation": [
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
    "PhasePlane": [{"deadband": 0.1, "acceleration": 0.5, "n": 2}],
}
