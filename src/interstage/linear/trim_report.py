"""What a trim did, in numbers and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from interstage.multibody.api import System


@dataclass(frozen=True)
class TrimReport:
    """What a trim did: unknowns and their values, residuals before and after, what still accelerates or drifts.

    drifting : {discrete or continuous state of a device, or memory of a law: rate}
    """

    unknowns: list[str]
    values: np.ndarray
    residuals: list[str]
    before: np.ndarray
    after: np.ndarray
    iterations: int
    condition: float
    accelerating: dict[str, float] = field(default_factory=dict)
    drifting: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"trimmed {len(self.unknowns)} unknowns in {self.iterations} iterations: largest residual"
            f" {np.abs(self.before).max(initial=0.0):.3g} -> {np.abs(self.after).max(initial=0.0):.3g}"
        ]
        shown = sorted(zip(self.unknowns, self.values), key=lambda pair: -abs(pair[1]))[:8]
        lines += [f"  {name:<24} {value: .6g}" for name, value in shown]
        if len(self.unknowns) > 8:
            lines.append(f"  and {len(self.unknowns) - 8} smaller")
        if self.accelerating:
            lines.append("still accelerating:")
            lines += [f"  {name:<24} {value: .6g}" for name, value in list(self.accelerating.items())[:12]]
        if self.drifting:
            lines.append("still drifting, in a second:")
            lines += [f"  {name:<24} {value: .6g}" for name, value in list(self.drifting.items())[:12]]
        if not (self.accelerating or self.drifting):
            lines.append("nothing accelerates: an equilibrium")
        return "\n".join(lines)


def accelerating(system: System, vdot: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """Return {name: v̇} of what is not at rest, largest first; after : residuals that a trim left."""
    floor = max(
        1e-9 * float(np.abs(vdot).max(initial=0.0)), 10.0 * float(np.abs(after).max(initial=0.0)), 1e-12
    )
    names = system.velocity_names()
    order = np.argsort(-np.abs(vdot), kind="stable")
    return {names[k]: float(vdot[k]) for k in order if abs(vdot[k]) > floor}
