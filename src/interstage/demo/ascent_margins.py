"""Margins of a loop that steers a flexible vehicle: rigid motion below a frequency, bending above.

The loop of each axis is opened at the angular acceleration that is asked for, the other axes closed:

    l_i = L_ii - L_io (1 + L_oo)⁻¹ L_oi        of L (3, 3) with the sign of negative feedback

Rigid motion has a gain margin to either side (at every crossing of -180° the gain is that far from one) and a phase
margin (at every crossing of one). Bending is gain-stabilized where it stays below one by the gain margin, and
phase-stabilized where it does not but is far from ±180°.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.linear import LinearModel, linearize
from interstage.multibody import State
from interstage.system import Assembly

GAIN_DB, PHASE_DEG = 6.0, 30.0  # what is asked for


@dataclass(frozen=True)
class Margins:
    """Margins of one loop: gain (dB) upwards and downwards, phase (deg), at which Hz, and those of bending.

    bending_db : the highest peak of bending is this far below one (negative: above)
    bending_deg : how far from ±180° bending is wherever it is not that small; infinite where it always is
    """

    gain_db: float
    gain_hz: float
    less_db: float
    phase_deg: float
    phase_hz: float
    bending_db: float
    bending_hz: float
    bending_deg: float

    @property
    def holds(self) -> bool:
        """Whether the loop has what is asked for."""
        rigid = min(self.gain_db, self.less_db) >= GAIN_DB and self.phase_deg >= PHASE_DEG
        return rigid and (self.bending_db >= GAIN_DB or self.bending_deg >= PHASE_DEG)


def frequencies(low_hz: float, high_hz: float, modes_hz: ArrayLike = (), n: int = 1500) -> np.ndarray:
    """Return frequencies (n + …,) between two, closer about lightly damped modes."""
    around = [f * (1.0 + w) for f in np.ravel(modes_hz) for w in np.linspace(-0.03, 0.03, 121)]
    found = np.concatenate([np.geomspace(low_hz, high_hz, n), around])
    return np.unique(found[(found >= low_hz) & (found <= high_hz)])


def open_loops(
    flight: Assembly, point: State, demand: str, sent: str, step: float | str | None = None
) -> LinearModel:
    """Return the sampled model from a demand (m,), its wire cut, to what is sent there: -L for negative feedback."""
    return linearize(
        flight, point, inputs=[demand], outputs=[sent], sampled=True, step=step, velocity_axes="world"
    )


def each_axis(model: LinearModel, f_hz: np.ndarray) -> np.ndarray:
    """Return open loops (m, nf) with the sign of negative feedback, each axis opened, the others closed."""
    L = -np.asarray(model.frequency_response(f_hz))
    m = L.shape[1]
    found = np.empty((m, len(f_hz)), dtype=complex)
    for i in range(m):
        o = [k for k in range(m) if k != i]
        rest = np.linalg.solve(np.eye(m - 1) + L[:, o][:, :, o], L[:, o, i][:, :, None])
        found[i] = L[:, i, i] - (L[:, i, o][:, None, :] @ rest)[:, 0, 0]
    return found


def margins_of(f_hz: np.ndarray, loop: np.ndarray, bending_from_hz: float) -> Margins:
    """Return the margins of one open loop (nf,), negative feedback."""
    if not f_hz[0] < bending_from_hz < f_hz[-1]:
        raise InputError(
            "bending begins outside the frequencies", where="margins_of", got=f"{bending_from_hz:g} Hz"
        )
    gain, phase = 20.0 * np.log10(np.abs(loop)), np.degrees(np.unwrap(np.angle(loop)))
    rigid = f_hz < bending_from_hz
    up, less, at = np.inf, np.inf, np.nan
    # phase is -180° + a whole turn
    for hz, size in _crossings(f_hz[rigid], (phase[rigid] + 180.0) / 360.0, gain[rigid]):
        if size < 0.0 and -size < up:
            up, at = -size, hz
        less = min(less, size) if size >= 0.0 else less
    turns = [(abs(_from_critical(angle)), hz) for hz, angle in _zeros(f_hz[rigid], gain[rigid], phase[rigid])]
    least, where = min(turns, default=(np.inf, np.nan))
    peak = int(np.argmax(np.where(rigid, -np.inf, gain)))
    bends = np.abs(_from_critical(phase[~rigid & (gain > -GAIN_DB)]))
    return Margins(
        up, at, less, least, where, -gain[peak], float(f_hz[peak]), float(bends.min(initial=np.inf))
    )


def _from_critical(angle: np.ndarray) -> np.ndarray:
    """Return angles less the nearest of ±180°, ±540°, ..."""
    return (angle % 360.0) - 180.0


def _zeros(f: np.ndarray, y: np.ndarray, other: np.ndarray) -> list[tuple[float, float]]:
    """Return frequencies at which y changes sign, and the other there."""
    k = np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0)
    part = y[k] / (y[k] - y[k + 1])
    return list(zip(f[k] + part * (f[k + 1] - f[k]), other[k] + part * (other[k + 1] - other[k])))


def _crossings(f: np.ndarray, turns: np.ndarray, gain: np.ndarray) -> list[tuple[float, float]]:
    """Return frequencies at which a number of turns passes a whole one, and the gain there."""
    found = []
    for n in range(int(np.floor(turns.min())), int(np.ceil(turns.max())) + 1):
        found += _zeros(f, turns - n, gain)
    return found
