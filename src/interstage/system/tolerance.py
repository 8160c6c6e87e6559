"""What an error of a step is measured by: sizes and floors of the entries of y = [q; v], by their kind.

    quaternions, angles         size one: an angle does not become less certain by growing
    lengths, positions          size of the largest number of the kind in the joint
    angular, linear velocities  the same
    modes η of a body           size of its largest η;  floor atol √m, so that deflections are held to about atol
    rates η̇ of a body           size of its largest η̇;  floor atol √m max(1, ω) of the mode

Elsewhere the floor is atol, in the units of the number. What is prescribed has no error.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody import System
from interstage.multibody.joints.motions import ANGLE, LENGTH, MODAL
from interstage.system.kernels.stretch import Tolerance


def tolerance_of(system: System, atol: float, known: np.ndarray) -> Tolerance:
    """Return groups and floors for a system; known : entries of y that are written, not integrated."""
    numbers: dict[tuple[str, str, str], int] = {}
    group: list[int] = []
    for letter, sized in (("q", (LENGTH, MODAL)), ("v", (ANGLE, LENGTH, MODAL))):
        for name, where in system.layout.items():
            for entry in where.coordinates() if letter == "q" else where.rates():
                key = (letter, name, entry.kind)
                group.append(numbers.setdefault(key, len(numbers)) if entry.kind in sized else -1)
    floor = np.full(len(group), atol)
    for name, where in system.layout.items():
        if where.n_modes:
            root = np.sqrt(system.settings.body_inertia[system.body(name), 0])
            floor[where.eta] *= root
            rate = slice(system.nq + where.etadot.start, system.nq + where.etadot.stop)
            floor[rate] *= root * np.maximum(1.0, np.sqrt(system.tree.v_stiffness[where.etadot]))
    floor[known] = np.inf
    return Tolerance(np.array(group, dtype=np.int64), floor, np.zeros(len(numbers)))


def first_step(system: System) -> float:
    """Return a step that a method may try first: a part of the fastest oscillation of modes and joint springs."""
    return min(1e-3, 0.1 / (float(np.sqrt(system.tree.v_stiffness.max(initial=0.0))) + 1e-30))
