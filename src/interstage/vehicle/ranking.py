"""Rank modes of a vehicle over its burn by what passes through them from an actuator to a sensor.

From a force f at one node to the motion y of another, a mode φ of unit modal mass answers by

    y / f = c b / (ω² - Ω² + 2 i ζ ω Ω),   b = φ at the actuator,  c = φ at the sensor,

whose peak is |c b| / (2 ζ ω²) for displacements, ω times that for rates. Modes that neither the actuator moves nor the
sensor sees are the last ones to keep: the choice by transfer functions that the ARTEMIS paper leaves for later work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.vehicle.selection import EQUAL, parts_of, stacked, strain_vectors
from interstage.vehicle.stack import Modes, Stack


@named_arguments
@dataclass(frozen=True, eq=False)
class Ranking:
    """Peak gains of modes at some fills.

    parts : (F,) fills;  modes : at each;  gains : (k,) at each, of rate per force
    """

    stack: Stack
    parts: np.ndarray
    modes: list[Modes]
    gains: list[np.ndarray]

    def table(self) -> list[tuple[float, int, float, float]]:
        """Return a row for each fill and mode, the largest gain of a fill first: fill, mode, Hz, peak gain."""
        rows = []
        for part, modes, gains in zip(self.parts, self.modes, self.gains):
            rows += [
                (float(part), int(k) + 1, float(modes.frequencies_hz[k]), float(gains[k]))
                for k in np.argsort(-gains, kind="stable")
            ]
        return rows

    def vectors(self, gain: float) -> np.ndarray:
        """Return independent vectors (nq, n) that span the modes whose gain is at least a part of the largest one.

        gain : 0 to 1, of the largest gain over all fills; for `Vehicle.shapes(vectors=...)`
        """
        if not 0.0 < gain <= 1.0:
            raise InputError("gain is a part of the largest gain", expected="0 to 1", got=f"{gain:g}")
        limit = gain * max(float(one.max(initial=0.0)) for one in self.gains)
        kept = [
            Modes(modes.frequencies_hz[one >= limit], modes.shapes[:, one >= limit])
            for modes, one in zip(self.modes, self.gains)
        ]
        X = stacked(kept)
        K = self.stack.stiffness(self.stack.propellant(0.5))
        U, values = strain_vectors(K, X, np.zeros((X.shape[0], 0)))
        return U[:, values > VISIBLE * values[0]]

    def __str__(self) -> str:
        lines = [" fill  mode         Hz  peak gain"]
        lines += [f"{part:5.3f}  {mode:4d}  {hz:9.4f}  {gain:9.2e}" for part, mode, hz, gain in self.table()]
        return "\n".join(lines)


VISIBLE = 3e-2  # of the largest singular value: half its square is what the frequency of a mode may lose


def rank(
    stack: Stack,
    b: np.ndarray,
    c: np.ndarray,
    below_hz: float,
    levels: int,
    damping: float,
    burning: list[str],
) -> Ranking:
    """Rank modes below a frequency at some fills.

    b, c : (nq,) unit force of the actuator, and unit reading of the sensor
    """
    parts = parts_of(levels)
    found = [stack.modes(stack.filled(float(part), burning), below_hz=below_hz) for part in parts]
    modes = [_turned(one, b) for one in found]
    gains = [
        np.abs((b @ one.shapes) * (c @ one.shapes)) / (2 * damping * 2 * np.pi * one.frequencies_hz)
        for one in modes
    ]
    return Ranking(stack, parts, modes, gains)


def _turned(modes: Modes, b: np.ndarray) -> Modes:
    """Turn modes of one frequency so that the actuator moves the first of them alone: their planes are arbitrary."""
    shapes, hz = modes.shapes.copy(), modes.frequencies_hz
    start = 0
    for end in range(1, len(hz) + 1):
        if end < len(hz) and hz[end] < hz[start] * (1.0 + EQUAL):
            continue
        if end - start > 1:
            Q, _ = np.linalg.qr((b @ shapes[:, start:end])[:, None], mode="complete")
            shapes[:, start:end] = shapes[:, start:end] @ Q
        start = end
    return Modes(hz, shapes)
