"""Modal integrals of a burning vehicle as sums: the dry structure, and every tank between two of its levels.

With constant shapes all integrals are linear in the mass matrix, so that integrals of interpolated matrices are
interpolated integrals,

    I(m) = I_dry + Σ_k [(1 - w_k) I_k + w_k I_k+1],

and no matrix of the structure is touched in flight. First and second order come from point masses, as in components
(NESC report, Eq. E.3.1): A_r = Σ m l γ_r', B_rs = Σ m γ_r γ_s'.

Damping of a burning vehicle by definition at the current mass.

    C = M_e Ψ diag(2 ζ ω) Ψ' M_e,   K Ψ = M_e Ψ ω²,  Ψ' M_e Ψ = 1,   M_e = G - M_ηr M_rr⁻¹ M_rη

so that every mode of the free vehicle has the ratio that is asked for, whatever the fill. A diagonal of shapes that are
not modes gives other ratios. ζ is a number or a function of the frequency: modes change their order over a burn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.component.damping import warn_overcritical
from interstage.component.integrals import ModalIntegrals, mass_products, point_integrals, point_masses
from interstage.errors import InputError, shown
from interstage.multibody.propellant_mass import level_weights
from interstage.staged_vehicle.kernels import packed_size, weigh
from interstage.staged_vehicle.stack import CoupledStructure, row_picker


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
    def of(cls, stack: CoupledStructure, Phi: np.ndarray, nodes: np.ndarray) -> Partition:
        """Take the integrals of the dry structure and of every level of every tank.

        Phi : (nq, n) shapes in coordinates, nodes : (6N, n) the same at the nodes
        """
        n = Phi.shape[1]
        base = _integrals(stack.M_g, Phi.T @ (stack.dry[0] @ Phi), stack.positions, nodes).pack()
        first, masses, values = [0], [], []
        for tank in stack.tanks.values():
            P = row_picker(tank.rows, stack.M_g.shape[0])
            own = nodes[tank.rows]
            for k, M in enumerate(tank.M):
                K = own.T @ (tank.K[k] @ own) if tank.K else np.zeros((n, n))
                found = _integrals(sp.csr_matrix(P.T @ M @ P), K, stack.positions, nodes)
                values.append(found.pack())
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

    def at(self, propellant: Mapping[str, float]) -> ModalIntegrals:
        """Return the integrals for {tank: mass}."""
        masses = np.array([propellant[name] for name in self.tanks], dtype=float)
        return ModalIntegrals.unpack(self.packed(masses), self.n)


def _integrals(M: sp.csr_matrix, K: np.ndarray, positions: np.ndarray, nodes: np.ndarray) -> ModalIntegrals:
    """Return the integrals of one mass matrix (6N, 6N) with shapes (6N, n)."""
    points, _ = point_masses(M, len(positions))
    shapes = nodes.reshape(len(positions), 6, -1)
    own = point_integrals(points, positions, shapes[:, :3], shapes[:, 3:])
    return ModalIntegrals.of(*mass_products(M, positions, nodes), K, own)


Ratio: TypeAlias = float | Callable[[float], float]


def damping_matrix(one: ModalIntegrals, ratio: Ratio) -> np.ndarray:
    """Return C (n, n) that gives every free mode at this fill its damping ratio."""
    M_e = one.effective_mass
    values, Psi = la.eigh(one.K, (M_e + M_e.T) / 2)
    omega = np.sqrt(np.maximum(values, 0.0))
    zeta = np.array([ratio_at(ratio, w / (2 * np.pi)) for w in omega])
    MPsi = M_e @ Psi
    return (MPsi * (2.0 * zeta * omega)) @ MPsi.T


def ratio_at(ratio: Ratio, hz: float) -> float:
    """Return a damping ratio at a frequency."""
    value = float(ratio(hz) if callable(ratio) else ratio)
    where = "damping" if not callable(ratio) else f"damping at {hz:.4g} Hz"
    if not value >= 0.0:
        raise InputError(
            "a damping ratio is not usable", where=where, expected="0 or more, as in 0.005", got=shown(value)
        )
    warn_overcritical(value, where)
    return value
