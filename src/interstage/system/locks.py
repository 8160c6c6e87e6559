"""Gimbals that pass near lock in fixed steps too long for it: each is warned of once."""

from __future__ import annotations

import warnings

import numpy as np

from interstage.errors import LockWarning, caller_level
from interstage.multibody import System
from interstage.multibody.diagnosis import near_lock
from interstage.system.kernels.stretch import NEAR_LOCK


class Locks:
    """Gimbals near lock of one run.

    most : how far one may turn in a step;  passed : {body: time} of those that passed near lock
    """

    def __init__(self, most: float):
        self.most, self.passed = most, dict[str, float]()

    def note(self, system: System, h: float, near: np.ndarray) -> None:
        """Warn of gimbals that went too far in a step of h.

        near : (2, gimbals) the farthest that each went in a step near lock, and when
        """
        for i, far, t in zip(system.tree.gimbals, *near):
            name = system.bodies[i]
            if far <= self.most or name in self.passed or system.joint_mode(name) != "free":
                continue
            self.passed[name] = float(t)
            shorter = f"steps below {self.most * h / far:.1g}" if far < 100.0 else "much smaller steps"
            warnings.warn(
                f"the Gimbal joint of body '{name}' passes near lock at t = {t:.6g}: it turns {far:.2g}"
                f" radians in a step of {h:g}, energy is not kept; use {shorter}, an adaptive method or a Ball joint",
                LockWarning,
                stacklevel=caller_level(),
            )

    def hint(self, system: System, q: np.ndarray, v: np.ndarray, h: float) -> str:
        """Return what to do where a run went to infinity by gimbals near lock, "" where none are."""
        spun = [system.bodies[i] for i in system.tree.gimbals]
        spun = [b for b in spun if not h * np.abs(v[system.layout[b].v]).max() < 1.0]
        locked = list(self.passed) or near_lock(system, q, NEAR_LOCK) or spun
        named = ", ".join(f"{body!r}" for body in locked)
        return f"gimbal lock of {named}: use a Ball joint, or a smaller step" if locked else ""
