"""Modal integrals of a burning vehicle as sums: the dry structure, and every tank between two of its levels.

With constant shapes all integrals are linear in the mass matrix, so that integrals of interpolated matrices are
interpolated integrals,

    I(m) = I_dry + Σ_k [(1 - w_k) I_k + w_k I_k+1],

and no matrix of the structure is touched in flight. First and second order come from point masses, as in components
(NESC report, Eq. E.3.1): A_r = Σ m l γ_r', B_rs = Σ m γ_r γ_s'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.component.integrals import (
    PointIntegrals,
    PointMasses,
    point_integrals,
    point_masses,
    rigid_motion,
)
from interstage.errors import InputError
from interstage.multibody.tanks import level_weights
from interstage.vehicle.kernels import packed_size, weigh
from interstage.vehicle.stack import Stack, row_picker


@named_arguments
@dataclass(frozen=True, eq=False)
class Integrals:
    """Integrals of n shapes at one fill, vehicle axes about the vehicle's origin.

    mass;  first (3,) = ∫ l dm;  inertia (3, 3) about the origin
    E (3, n), F0 (3, n), G (n, n) : S_v' M Φ, S_w' M Φ, Φ' M Φ;  K (n, n) : Φ' K Φ
    A (3, 3, n), B (3, 3, n, n) : Σ m l γ_r', Σ m γ_r γ_s' of the point masses
    pm_mass, pm_c (3,), pm_S2 (3, 3), pm_E (3, n) : Σ m, Σ m l, Σ m l l', Σ m γ of the point masses
    """

    mass: float
    first: np.ndarray
    inertia: np.ndarray
    E: np.ndarray
    F0: np.ndarray
    G: np.ndarray
    K: np.ndarray
    A: np.ndarray
    B: np.ndarray
    pm_mass: float
    pm_c: np.ndarray
    pm_S2: np.ndarray
    pm_E: np.ndarray

    @property
    def com(self) -> np.ndarray:
        """Centre of mass (3,) of the undeformed vehicle."""
        return self.first / self.mass

    def packed(self) -> np.ndarray:
        """Return all numbers as one vector, in the order of the fields."""
        return np.concatenate([np.ravel(value) for value in vars(self).values()])

    @classmethod
    def unpacked(cls, numbers: np.ndarray, n: int) -> Integrals:
        """Return integrals of n shapes from one vector."""
        shapes = [
            (),
            (3,),
            (3, 3),
            (3, n),
            (3, n),
            (n, n),
            (n, n),
            (3, 3, n),
            (3, 3, n, n),
            (),
            (3,),
            (3, 3),
            (3, n),
        ]
        sizes = [int(np.prod(shape)) for shape in shapes]
        if np.shape(numbers) != (sum(sizes),):
            raise InputError(
                f"not the integrals of {n} shapes",
                expected=f"{sum(sizes)} numbers",
                got=f"shape {np.shape(numbers)}",
            )
        out, start = [], 0
        for shape, size in zip(shapes, sizes):
            part = numbers[start : start + size]
            out.append(part.reshape(shape) if shape else float(part[0]))
            start += size
        return cls(*out)  # type: ignore[arg-type]


@named_arguments
@dataclass(frozen=True, eq=False)
class Partition:
    """Integrals of a vehicle as functions of its propellant: what flies in place of matrices.

    tanks : names, in the order of `masses`;  base : (p,) packed integrals of what does not burn
    first : (T + 1,) where the levels of each tank start;  level_mass : (L,);  level_values : (L, p)
    """

    n: int
    tanks: tuple[str, ...]
    base: np.ndarray
    first: np.ndarray
    level_mass: np.ndarray
    level_values: np.ndarray

    @classmethod
    def of(cls, stack: Stack, Phi: np.ndarray, nodes: np.ndarray) -> Partition:
        """Take the integrals of the dry structure and of every level of every tank.

        Phi : (nq, n) shapes in coordinates, nodes : (6N, n) the same at the nodes
        """
        n = Phi.shape[1]
        base = _integrals(stack.M_g, Phi.T @ (stack.dry[0] @ Phi), stack.positions, nodes).packed()
        first, masses, values = [0], [], []
        for tank in stack.tanks.values():
            P = row_picker(tank.rows, stack.M_g.shape[0])
            own = nodes[tank.rows]
            for k, M in enumerate(tank.M):
                K = own.T @ (tank.K[k] @ own) if tank.K else np.zeros((n, n))
                found = _integrals(sp.csr_matrix(P.T @ M @ P), K, stack.positions, nodes)
                values.append(found.packed())
                masses.append(float(tank.masses[k]))
            first.append(len(masses))
        return cls(
            n,
            tuple(stack.tanks),
            base,
            np.array(first, dtype=np.int64),
            np.array(masses),
            np.array(values).reshape(len(masses), packed_size(n)),
        )

    def settled(self, burning: tuple[str, ...], propellant: Mapping[str, float]) -> Partition:
        """Return the same with tanks that do not burn added to what is constant."""
        still = [name for name in self.tanks if name not in burning]
        out = self.base.copy()
        keep, first = [], [0]
        for i, name in enumerate(self.tanks):
            rows = np.arange(self.first[i], self.first[i + 1])
            if name in still:
                one = Partition(
                    self.n,
                    (name,),
                    out,
                    np.array([0, len(rows)]),
                    self.level_mass[rows],
                    self.level_values[rows],
                )
                out = one.packed(np.array([propellant[name]]))
            else:
                keep.append(rows)
                first.append(first[-1] + len(rows))
        chosen = np.concatenate([np.zeros(0, dtype=np.int64), *keep])
        burn = tuple(name for name in self.tanks if name not in still)
        return Partition(
            self.n,
            burn,
            out,
            np.array(first, dtype=np.int64),
            self.level_mass[chosen],
            self.level_values[chosen],
        )

    def weights(self, propellant: Mapping[str, float]) -> np.ndarray:
        """Return the weights (L,) of the levels for {tank: mass}."""
        masses = np.array([propellant[name] for name in self.tanks], dtype=float)
        return level_weights(self.first, self.level_mass, masses)

    def packed(self, masses: np.ndarray) -> np.ndarray:
        """Return packed integrals (p,) for masses (T,) of the tanks; masses beyond the levels count as the nearest."""
        out = np.empty_like(self.base)
        weigh(self.base, self.first, self.level_mass, self.level_values, np.asarray(masses, dtype=float), out)
        return out

    def at(self, propellant: Mapping[str, float]) -> Integrals:
        """Return the integrals for {tank: mass}."""
        masses = np.array([propellant[name] for name in self.tanks], dtype=float)
        return Integrals.unpacked(self.packed(masses), self.n)


def _integrals(M: sp.csr_matrix, K: np.ndarray, positions: np.ndarray, nodes: np.ndarray) -> Integrals:
    """Return the integrals of one mass matrix (6N, 6N) with shapes (6N, n)."""
    S = rigid_motion(positions)
    MS, MPhi = M @ S, M @ nodes
    rigid, mixed = S.T @ MS, S.T @ MPhi
    moment = rigid[:3, 3:]
    first = (
        np.array([moment[2, 1] - moment[1, 2], moment[0, 2] - moment[2, 0], moment[1, 0] - moment[0, 1]]) / 2
    )
    points, _ = point_masses(M, len(positions))
    shapes = nodes.reshape(len(positions), 6, -1)
    p = _point_moments(points, positions, shapes)
    G = nodes.T @ MPhi
    return Integrals(
        float(np.trace(rigid[3:, 3:]) / 3),
        first,
        (rigid[:3, :3] + rigid[:3, :3].T) / 2,
        mixed[3:],
        mixed[:3],
        (G + G.T) / 2,
        (K + K.T) / 2,
        np.einsum("rab->abr", _moment(p.J1)),
        np.einsum("rsba->abrs", _moment(p.J2)),
        p.mass,
        p.c,
        p.S2,
        p.E,
    )


def _moment(J: np.ndarray) -> np.ndarray:
    """Return the second moments A of inertias J = tr(A) 1 - A."""
    return np.einsum("...aa->...", J)[..., None, None] / 2 * np.eye(3) - J


def _point_moments(points: PointMasses, positions: np.ndarray, shapes: np.ndarray) -> PointIntegrals:
    if not len(points.mass):  # point_integrals of nothing
        points = PointMasses(np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros((1, 3)))
    return point_integrals(points, positions, shapes[:, :3], shapes[:, 3:])
