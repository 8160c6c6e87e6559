"""Observatories that point, once more by hand: modes of the deck, wheels and isolators as matrices, the law as sums.

Nothing here is multibody or a device: free modes of the finite elements (unit modal mass) with what hangs on them,

    M ẍ + C ẋ + K x = Σ tᵀ(h a × t ẋ - ḣ a) + loads,     ḣ = u - b Ω,     Ω = h/J - a·t ẋ

x has the amplitudes of modes and, on isolators, turn and displacement of each wheel; t x is the turn of a wheel. An
imbalance is a pair of states that turn with the rotor. The software is sampled: a frame is exact (matrix exponential),
and its gyro has the mean rate of the frame before.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag, expm

from interstage.fem import FEModel, normal_modes
from interstage.nastran import deck_from_text
from validation.pointing import (
    ARCSEC,
    DAMPING,
    ISOLATED,
    PERIOD,
    ROLL_OFF,
    THRUSTERS,
    Craft,
    across,
    thruster_node,
    thruster_units,
)


def crossing(a: np.ndarray) -> np.ndarray:
    """Return [a]× (3, 3)."""
    return np.cross(np.eye(3), -a).T


class Elements:
    """Free modes of a deck: how they displace and turn a grid."""

    def __init__(self, text: str, elastic: int):
        self.fe = FEModel.from_deck(deck_from_text(text))
        found = normal_modes(self.fe, n_modes=6 + elastic)
        self.shapes, self.omega = found.shapes, 2.0 * np.pi * np.asarray(found.frequencies_hz)
        self.omega[:6] = 0.0

    def place(self, grid: int) -> np.ndarray:
        """Return where a grid is."""
        return np.asarray(self.fe.grids.xyz)[self._row(grid)]

    def at(self, grid: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows of displacement and of turn (3, n) at a grid."""
        rows = self.shapes[self.fe.grids.dof[self._row(grid)] + np.arange(6)]
        return rows[:3], rows[3:]

    def _row(self, grid: int) -> int:
        return int(np.flatnonzero(np.asarray(self.fe.grids.id) == grid)[0])


class ByHand:
    """A telescope of one architecture as matrices of the second order."""

    def __init__(self, craft: Craft, architecture: str):
        self.craft, self.architecture = craft, architecture
        isolated, fe = architecture == ISOLATED, craft.fe
        self.elements = Elements(fe.observatory_deck(rotors=not isolated), craft.n_modes)
        w = self.elements.omega
        self.M, self.C, self.K = np.eye(len(w)), np.diag(2.0 * DAMPING * w), np.diag(w**2)
        if isolated:
            self._hang()
        self.wheels = [self._wheel(k, isolated) for k in range(4)]

    def _hang(self) -> None:
        """Hang wheels on isolators: six springs and dampers each, one frequency, 10 % of critical damping."""
        fe, n, w = self.craft.fe, len(self.M), 2.0 * np.pi * self.craft.isolator
        six = np.array([fe.TRANSVERSE] * 3 + [fe.ROTOR_MASS] * 3)
        for axis in fe.WHEEL_AXES:  # what does not spin has a tenth about the axis
            inertia = fe.TRANSVERSE * (np.eye(3) - 0.9 * np.outer(axis, axis))
            self.M = block_diag(self.M, inertia, fe.ROTOR_MASS * np.eye(3))
        grown = len(self.M) - n
        self.C, self.K = (block_diag(one, np.zeros((grown, grown))) for one in (self.C, self.K))
        for k, grid in enumerate(fe.WHEELS):
            moved, turned = self.elements.at(grid)
            apart = np.zeros((6, len(self.M)))
            apart[:3, :n], apart[3:, :n] = -turned, -moved
            apart[:, n + 6 * k : n + 6 * k + 6] = np.eye(6)
            self.K += apart.T @ np.diag(six * w * w) @ apart
            self.C += apart.T @ np.diag(0.2 * six * w) @ apart

    def _wheel(self, k: int, isolated: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return rows of displacement and of turn (3, n) of a wheel."""
        if not isolated:
            return self.elements.at(self.craft.fe.WHEELS[k])
        begin, whole = len(self.elements.omega) + 6 * k, np.eye(len(self.M))
        return whole[begin + 3 : begin + 6], whole[begin : begin + 3]

    def wide(self, rows: np.ndarray) -> np.ndarray:
        """Return rows of the modes as rows of everything."""
        return np.pad(rows, ((0, 0), (0, len(self.M) - rows.shape[1])))

    def sight(self) -> np.ndarray:
        """Return how x moves the line of sight (2, n), arcsec: turn of the first mirror, and the second beside it."""
        (tilt, shift), fe = self.craft.optics, self.craft.fe
        (u, turn), (v, other) = self.elements.at(fe.BORESIGHT), self.elements.at(fe.SECONDARY)
        arm = self.elements.place(fe.SECONDARY) - self.elements.place(fe.BORESIGHT)
        moved, beside = v - u - np.cross(turn, arm[:, None], axis=0), other - turn
        rows = [turn[1] + tilt * beside[1] + shift * moved[0], -turn[0] - tilt * beside[0] + shift * moved[1]]
        return self.wide(np.array(rows)) / ARCSEC

    def damping(self, speeds: np.ndarray) -> np.ndarray:
        """Return C with the gyroscopic torques of wheels at speeds (4,)."""
        out = self.C.copy()
        for (_, turned), axis, speed in zip(self.wheels, self.craft.fe.WHEEL_AXES, speeds):
            out -= turned.T @ (self.craft.fe.SPIN_INERTIA * speed * crossing(axis)) @ turned
        return out

    def frequencies(self, speeds: np.ndarray) -> np.ndarray:
        """Return frequencies of the modes, Hz, wheels at speeds (4,), no software."""
        s = np.linalg.eigvals(self._first_order(speeds))
        return np.sort(np.abs(s[s.imag > 0.1])) / (2.0 * np.pi)

    def _first_order(self, speeds: np.ndarray) -> np.ndarray:
        n = len(self.M)
        below = -np.linalg.solve(self.M, np.hstack([self.K, self.damping(speeds)]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), below])

    def load(self, k: int, speed: float) -> np.ndarray:
        """Return loads (n, 2) of the imbalance of wheel k, that of the cosine of its angle and that of the sine."""
        axis, (moved, turned), (static, dynamic) = (
            self.craft.fe.WHEEL_AXES[k],
            self.wheels[k],
            self.craft.imbalance,
        )
        sides = np.column_stack([across(axis), np.cross(axis, across(axis))])
        return speed**2 * (static * moved + dynamic * turned).T @ sides

    def jitter(self, speeds: np.ndarray) -> float:
        """Return the root mean square of the line of sight, arcsec, wheels at speeds, no software; equal ones add."""
        C, square = self.damping(speeds), 0.0
        for speed in np.unique(speeds):
            both = sum(self.load(int(k), speed) for k in np.flatnonzero(speeds == speed))
            x = np.linalg.solve(self.K - speed**2 * self.M + 1j * speed * C, both @ [1.0, -1.0j])
            square += 0.5 * float((np.abs(self.sight() @ x) ** 2).sum())
        return float(np.sqrt(square))

    def spins(self) -> np.ndarray:
        """Return speeds of the wheels (4, m) beside those of the start, of the states of a frame."""
        fe, n = self.craft.fe, len(self.M)
        turning = -np.array([axis @ turned for axis, (_, turned) in zip(fe.WHEEL_AXES, self.wheels)])
        return np.hstack([np.zeros((4, n)), turning, np.eye(4) / fe.SPIN_INERTIA, np.zeros((4, 8))])

    def frame(self, speeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return F (m, m) and G (m, 4 + thrusters) of a frame in which torques and thrusts are held, wheels at speeds.

        The states are x, ẋ, momenta of the wheels beside those of the start, and cosine and sine of their angles.
        """
        fe, n = self.craft.fe, len(self.M)
        rates, momenta, spins = slice(n, 2 * n), slice(2 * n, 2 * n + 4), self.spins()
        pushes = [
            self.elements.at(thruster_node(fe, k))[0].T @ unit for k, unit in enumerate(thruster_units(fe))
        ]
        twists = np.column_stack([turned.T @ axis for axis, (_, turned) in zip(fe.WHEEL_AXES, self.wheels)])
        size = 2 * n + 12
        A, B = np.zeros((size, size)), np.zeros((size, 4 + len(pushes)))
        A[: 2 * n, : 2 * n] = self._first_order(speeds)
        A[rates] += np.linalg.solve(self.M, twists @ (fe.VISCOUS * spins))
        A[momenta] = -fe.VISCOUS * spins
        for k, speed in enumerate(speeds):
            turns = slice(2 * n + 4 + 2 * k, 2 * n + 6 + 2 * k)
            A[rates, turns] = np.linalg.solve(self.M, self.load(k, speed))
            A[turns, turns] = speed * np.array([[0.0, -1.0], [1.0, 0.0]])
        B[rates] = np.linalg.solve(self.M, np.hstack([-twists, self.wide(np.array(pushes)).T]))
        B[momenta, :4] = np.eye(4)
        both = expm(PERIOD * np.vstack([np.hstack([A, B]), np.zeros((B.shape[1], size + B.shape[1]))]))
        return both[:size, :size], both[:size, size:]

    def pointed(
        self, speeds: np.ndarray, inertia: np.ndarray, com: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """Return the line of sight (m, 2), arcsec, at the samples of closed-loop pointing from rest, by rows of noise.

        inertia (3, 3), com (3,) : what the software thinks;  noise (m, 6 + n) : of star tracker, gyro and thrusters
        """
        fe, n, w = self.craft.fe, len(self.M), self.craft.bandwidth
        (F, G), spins, sight = self.frame(speeds), self.spins(), self.sight()
        looks, units = self.wide(self.elements.at(fe.IMU)[1]), thruster_units(fe)
        arms = [self.elements.place(thruster_node(fe, k)) - com for k in range(len(units))]
        push = np.linalg.pinv(np.vstack([units.T, np.cross(arms, units).T]))[:, 3:] @ inertia
        share = np.linalg.pinv(fe.WHEEL_AXES.T) @ inertia
        slow, x = 1.0 - np.exp(-ROLL_OFF * w * PERIOD), np.zeros(len(F))
        x[2 * n + 4 :: 2] = 1.0
        before = total = first = second = np.zeros(3)
        out = []
        for row in noise:
            out.append(sight @ x[:n])
            seen = looks @ x[:n]
            error, rate = seen + row[:3], (seen - before) / PERIOD + row[3:6]
            wanted = -w * w * error - 1.6 * w * rate - 0.1 * w**3 * total
            before, total = seen, total + PERIOD * error
            first = first + slow * (wanted - first)
            second = second + slow * (first - second)
            held = fe.VISCOUS * (spins @ x)
            if self.architecture == THRUSTERS:
                u = np.concatenate([held, push @ second + row[6:]])
            else:
                u = np.concatenate([held - share @ second, np.zeros(len(units))])
            x = F @ x + G @ u
        return np.array(out)
