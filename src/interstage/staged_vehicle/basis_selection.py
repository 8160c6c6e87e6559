"""Choose constant shapes for a whole burn, and say how far they are from the modes at every fill.

Modes of all levels are scaled to unit strain energy, φ/ω, and their singular value decomposition is taken in the
metric of K, which does not know of fills nor of rigid motions: a singular vector left out with a residual r of a mode
costs about ½ r² of its frequency. The number of vectors that are kept follows from a certificate: at every fill of a
finer grid, the Rayleigh-Ritz modes of [S Φ] are compared with the modes of the whole structure, frequency by
frequency and, for modes that lie close together, by the subspace that they span.

Rank modes of a vehicle over its burn by what passes through them from an actuator to a sensor.

From a force f at one node to the motion y of another, a mode φ of unit modal mass answers by

    y / f = c b / (ω² - Ω² + 2 i ζ ω Ω),   b = φ at the actuator,  c = φ at the sensor,

whose peak is |c b| / (2 ζ ω²) for displacements, ω times that for rates. Modes that neither the actuator moves nor the
sensor sees are the last ones to keep: the choice by transfer functions that the ARTEMIS paper leaves for later work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.staged_vehicle.stack import CoupledStructure, FreeModes

CLUSTER = 1e-2  # relative distance of frequencies below which modes are compared as one subspace
EQUAL = 1e-4  # relative distance of frequencies of one mode in two planes
INDEPENDENT = 1e-6  # singular values, relative to the largest, that are more than rounding


@dataclass(frozen=True, eq=False)
class Fill:
    """One fill at which shapes are certified: what is needed of the whole structure, in terms of candidate vectors U.

    part : 0 (empty) to 1 (full);  propellant : {tank: mass}
    modes : of the whole structure;  asked : how many of them are to be met
    G, K, P, W : U' M U, U' K U, S' M U with S of unit mass, φ' M U
    """

    part: float
    propellant: dict[str, float]
    modes: FreeModes
    asked: int
    G: np.ndarray
    K: np.ndarray
    P: np.ndarray
    W: np.ndarray


@dataclass(frozen=True, eq=False)
class RitzModes:
    """Rayleigh-Ritz modes beside those of the whole structure at one fill.

    frequencies_hz, exact_hz : (k,);  frequency_error : f/f_exact - 1;  mac : (k,) of the subspace of near modes
    condition : of the modal mass G
    """

    part: float
    propellant: dict[str, float]
    frequencies_hz: np.ndarray
    exact_hz: np.ndarray
    frequency_error: np.ndarray
    mac: np.ndarray
    condition: float

    @property
    def worst(self) -> float:
        """The larger of the frequency error and of 1 - MAC, over all modes."""
        return max(
            float(np.abs(self.frequency_error).max(initial=0.0)), float((1.0 - self.mac).max(initial=0.0))
        )


def strain_vectors(K: sp.csr_matrix, X: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return U (nq, r), U' K U = 1, of the singular vectors of X beside `kept` (nq, a), and singular values (r,).

    kept : vectors with kept' K kept = 1
    """
    X = X - kept @ (kept.T @ (K @ X))
    for _ in range(2):  # the second pass mends what the squares of the first have lost
        gram = X.T @ (K @ X)
        squares, Y = la.eigh((gram + gram.T) / 2)
        squares, Y = squares[::-1], Y[:, ::-1]
        used = squares > (INDEPENDENT * np.sqrt(max(squares[0], 1e-300))) ** 2
        values = np.sqrt(squares[used])
        U = X @ (Y[:, used] / values)
        U = U - kept @ (kept.T @ (K @ U))
        X = U * values
    return U, values


def attachment_vectors(
    K: sp.csr_matrix, M: sp.csr_matrix, S: np.ndarray, loads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return displacements (nq, p) under unit loads balanced by inertia, orthonormal in K, and their sizes.

    K u = f - M S S' f,  S' M u = 0,  with S' M S = 1: the inertia-relief attachment modes of the loads (nq, p).
    """
    if not loads.shape[1]:
        return np.zeros((K.shape[0], 0)), np.zeros(0)
    MS = M @ S
    scale = abs(K).max() / max(float(np.abs(MS).max()), 1e-300)
    held = np.flatnonzero(K.diagonal() <= 1e-14 * K.diagonal().max())
    more = sp.csr_matrix((np.full(len(held), K.diagonal().max()), (held, held)), shape=K.shape)
    system = sp.block_array([[K + more, scale * MS], [scale * MS.T, None]], format="csc")
    f = loads - MS @ (S.T @ loads)
    u = spla.splu(system).solve(np.vstack([f, np.zeros((6, f.shape[1]))]))[: K.shape[0]]
    energy = np.sqrt(np.maximum(np.einsum("ij,ij->j", u, K @ u), 1e-300))
    return strain_vectors(K, u / energy, np.zeros((K.shape[0], 0)))


def seen_at(
    stack: CoupledStructure,
    part: float,
    propellant: dict[str, float],
    modes: FreeModes,
    U: np.ndarray,
    asked: int | None = None,
) -> Fill:
    """Return what a fill needs of the whole structure to try any number of the vectors U."""
    M, K = stack.mass(propellant), stack.stiffness(propellant)
    MU = M @ U
    S = stack.rigid_basis(M)
    asked = len(modes.frequencies_hz) if asked is None else asked
    return Fill(part, propellant, modes, asked, U.T @ MU, U.T @ (K @ U), S.T @ MU, modes.shapes.T @ MU)


def ritz(fill: Fill, chosen: np.ndarray | slice) -> RitzModes:
    """Compare Rayleigh-Ritz modes of [S U] with those of the whole structure, for some of the vectors U.

    K y = λ (G - P'P) y
    """
    G, K, P, W = (
        fill.G[chosen][:, chosen],
        fill.K[chosen][:, chosen],
        fill.P[:, chosen],
        fill.W[:, chosen],
    )
    effective = G - P.T @ P
    # θ = 1/λ with K as the metric, which is well conditioned where the mass of a vector is lost in rounding
    s = 1.0 / np.sqrt(np.diag(K))
    theta, Y = la.eigh((effective + effective.T) / 2 * np.outer(s, s), (K + K.T) / 2 * np.outer(s, s))
    theta, Y = theta[::-1], Y[:, ::-1]
    real = theta > 1e-14 * theta[0]
    values, Y = 1.0 / theta[real], Y[:, real] / np.sqrt(theta[real])
    exact = fill.modes.frequencies_hz
    k = min(len(exact), len(values))
    hz = np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi)
    if k < len(exact):  # fewer shapes than modes: what is missing is infinitely wrong
        hz = np.concatenate([hz, np.full(len(exact) - k, np.inf)])
    mac = _subspace_mac(exact, W @ (s[:, None] * Y))
    n = min(len(exact), fill.asked)
    hz, exact, mac = hz[:n], exact[:n], mac[:n]
    return RitzModes(fill.part, fill.propellant, hz, exact, hz / exact - 1.0, mac, float(np.linalg.cond(G)))


def _subspace_mac(exact_hz: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Return for every mode the smallest squared cosine between the subspaces of its cluster: σ_min²(Φ_c' M Ψ_c)."""
    n = len(exact_hz)
    out = np.zeros(n)
    start = 0
    while start < n:
        end = start + 1
        while end < n and exact_hz[end] < exact_hz[end - 1] * (1.0 + CLUSTER):
            end += 1
        block = overlap[start:end, start:end]
        if block.shape[0] == block.shape[1]:
            out[start:end] = np.linalg.svd(block, compute_uv=False)[-1] ** 2
        start = end
    return out


def fewest(fills: Sequence[Fill], first: int, values: np.ndarray, error: float) -> int | None:
    """Return the smallest number of vectors, `first` of them always there, that is within an error at every fill.

    values : singular values of the others; equal ones (two planes of one mode) are taken together. None: not even all
    """

    def worst(n: int) -> float:
        return max(ritz(fill, slice(0, first + n)).worst for fill in fills)

    low, high = 0, len(values)  # nested subspaces: more vectors are never worse in frequency
    if worst(high) > error:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if worst(middle) <= error else (middle, high)
    while high < len(values) and values[high] > (1.0 - 1e-6) * values[high - 1]:
        high += 1
    return first + high


def canonical(
    K: sp.csr_matrix, M: sp.csr_matrix, S: np.ndarray, U: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return shapes of the span of U without rigid part, with Φ' M Φ = 1 and Φ' K Φ = ω², and ω (n,).

    S : rigid motions with S' M S = 1. Vectors of U that others contain are refused by their number (ValueError)
    """
    U = U - S @ (S.T @ (M @ U))
    G, KU = U.T @ (M @ U), U.T @ (K @ U)
    s = 1.0 / np.sqrt(np.maximum(np.diag(G), 1e-300))
    if np.linalg.eigvalsh(G * np.outer(s, s))[0] < 1e-12:
        raise ValueError
    values, Y = la.eigh((KU + KU.T) / 2 * np.outer(s, s), (G + G.T) / 2 * np.outer(s, s))
    Phi = U @ (s[:, None] * Y)
    Phi = Phi - S @ (S.T @ (M @ Phi))
    return Phi, np.sqrt(np.maximum(values, 0.0))


def stacked(modes: Sequence[FreeModes]) -> np.ndarray:
    """Return the modes of several fills side by side, scaled to unit strain energy, φ/ω."""
    return np.hstack([one.shapes / (2 * np.pi * one.frequencies_hz) for one in modes])


def parts_of(levels: int) -> np.ndarray:
    """Return fills (levels,) from full to empty."""
    return np.linspace(1.0, 0.0, levels)


def fills_of(
    stack: CoupledStructure, parts: np.ndarray, burning: Sequence[str]
) -> list[tuple[float, dict[str, float]]]:
    """Return parts and the propellant at each, the burning tanks together."""
    return [(float(part), stack.filled(float(part), burning)) for part in parts]


@named_arguments
@dataclass(frozen=True, eq=False)
class Ranking:
    """Peak gains of modes at some fills.

    parts : (F,) fills;  modes : at each;  gains : (k,) at each, of rate per force
    """

    stack: CoupledStructure
    parts: np.ndarray
    modes: list[FreeModes]
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

        gain : 0 to 1, of the largest gain over all fills; for `StagedVehicle.shapes(vectors=...)`
        """
        if not 0.0 < gain <= 1.0:
            raise InputError("gain is a part of the largest gain", expected="0 to 1", got=f"{gain:g}")
        limit = gain * max(float(one.max(initial=0.0)) for one in self.gains)
        kept = [
            FreeModes(modes.frequencies_hz[one >= limit], modes.shapes[:, one >= limit])
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
    stack: CoupledStructure,
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


def _turned(modes: FreeModes, b: np.ndarray) -> FreeModes:
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
    return FreeModes(hz, shapes)
