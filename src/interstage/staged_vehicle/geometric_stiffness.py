"""Geometric stiffness of a vehicle at any fill: thrust, joints and spin, balanced by the inertia of the mass of now.

Static stresses are linear in the loads, and the geometric stiffness Kg of the elements is linear in the stresses. With
p a unit load at a node and the fill m, the load that stresses a free vehicle is

    p̂ = p - M(m) S a,    a = M_rr(m)⁻¹ Sᵀp,        Kg(p̂) = Kg(p) - Σ_j a_j Kg(M(m) S_j)

S being the six rigid motions. M is a sum over the dry structure and levels of tanks, and so are the six R_j = ΦᵀKgΦ of
-M S_j and the six P_k of the products of the spin, -M[ω×(ω×l)]: what flies is numbers, as all integrals are, and
nothing is solved in flight. Every static solution is balanced by the mass of the reference fill, which drops out of
every sum that is balanced by itself, and has the stiffness of that fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from interstage.component.build import MOST_MB
from interstage.component.component import GeometricStiffness
from interstage.component.integrals import ModalIntegrals, rigid_motion
from interstage.component.unit_loads import NEGLIGIBLE, spin_motion
from interstage.errors import ModelError
from interstage.linalg.refine import held_response
from interstage.multibody.propellant_mass import TankLoads
from interstage.staged_vehicle.reduced_basis import ReducedBasis
from interstage.staged_vehicle.stack import CoupledStructure, row_picker

Place = tuple[str, int]
MOST_PLACES = 64  # nodes up to which loads at every one of them are known where nothing was asked for


@dataclass(frozen=True)
class LoadPlaces:
    """Places where loads act: `stiff` change the stiffness, `known` are let act without (what flows in pipes)."""

    stiff: tuple[Place, ...]
    known: tuple[Place, ...] = ()

    def among(self, stages: Iterable[str]) -> LoadPlaces:
        """Return those of some stages."""
        own = set(stages)
        return LoadPlaces(*(tuple(p for p in some if p[0] in own) for some in (self.stiff, self.known)))


@dataclass(frozen=True, eq=False)
class LoadStiffness:
    """How loads change the stiffness of n shapes and three rotations about the origin, m = n + 3, at any fill.

    places, load : (stage, node) or None for the spin, and 1 to 6, T1 T2 T3 R1 R2 R3 or the products of the spin
    arm (k, 6) : [t; f] about the origin of unit loads at nodes;  own (k, m, m) : of these, nothing for the spin
    base (12, m, m), levels (L, 12, m, m) : R and P of the dry structure and of each level
    base_arm (6, 6), level_arm (L, 6, 6) : Sᵀp of the products of the spin
    known : all places where loads may act
    """

    n: int
    places: tuple[Place | None, ...]
    load: np.ndarray
    arm: np.ndarray
    own: np.ndarray
    base: np.ndarray
    levels: np.ndarray
    base_arm: np.ndarray
    level_arm: np.ndarray
    known: tuple[Place, ...]

    @classmethod
    def of(cls, shapes: ReducedBasis, given: LoadPlaces) -> LoadStiffness:
        """Find static solutions of all loads, and their geometric stiffness; loads without effect are left out."""
        stack = shapes.stack
        if (why := unknown_stresses(stack)) is not None:
            raise why
        nodes = list(dict.fromkeys(given.stiff))
        rows = [6 * shapes.row(*place) + c for place in nodes for c in range(6)]
        points = np.asarray(stack.V[rows].T.toarray())
        masses = [stack.M_g]
        for tank in stack.tanks.values():
            P = row_picker(tank.rows, stack.M_g.shape[0])
            masses += [P.T @ M @ P for M in tank.M]
        motions = np.hstack([-rigid_motion(stack.positions), spin_motion(stack.positions)])
        inertia = [np.asarray(stack.V.T @ (M @ motions)) for M in masses]
        whole = _reduced(shapes, np.hstack([points, *inertia]))
        k = points.shape[1]
        sums = whole[k:].reshape(len(masses), 12, *whole.shape[1:])
        arms = np.array([(stack.rigid.T @ one[:, 6:]).T for one in inertia])
        spin = np.zeros((6, *whole.shape[1:]))
        found = cls(
            len(shapes),
            (*(None for _ in range(6)), *(place for place in nodes for _ in range(6))),
            np.tile(np.arange(1, 7), 1 + len(nodes)),
            np.vstack([np.zeros((6, 6)), (stack.rigid.T @ points).T]),
            np.concatenate([spin, whole[:k]]),
            sums[0],
            sums[1:],
            arms[0],
            arms[1:],
            tuple(dict.fromkeys([*nodes, *given.known])),
        )
        return found._without_negligible(shapes)

    def at(self, weights: np.ndarray, one: ModalIntegrals) -> np.ndarray:
        """Return the stiffness (k, m, m) of the loads, balanced at a fill.

        weights (L,) : of the levels;  one : integrals there
        """
        R = self.base + np.einsum("l,ljab->jab", weights, self.levels)
        arms = self.base_arm + np.einsum("l,lkj->kj", weights, self.level_arm)
        spin = np.array([place is None for place in self.places], dtype=bool)
        arm, K = self.arm.copy(), self.own.copy()
        arm[spin], K[spin] = arms[self.load[spin] - 1], R[5 + self.load[spin]]
        return K + np.einsum("kj,jab->kab", np.linalg.solve(one.rigid_mass, arm.T).T, R[:6])

    def record(
        self, shapes: ReducedBasis, K: np.ndarray, T: np.ndarray, ids: np.ndarray
    ) -> GeometricStiffness:
        """Return what a component in modes Φ T knows, K (k, m, m) as `at` gives it and ids (N,) of the nodes."""
        n, S = self.n, np.zeros((self.n + 3, T.shape[1] + 3))
        S[:n, : T.shape[1]], S[n:, T.shape[1] :] = T, np.eye(3)
        K, n = S.T @ K @ S, T.shape[1]
        K = 0.5 * (K + K.transpose(0, 2, 1))
        known = np.sort([ids[shapes.row(*place)] for place in self.known]).astype(np.int64)
        return GeometricStiffness(self._loads(shapes, ids), known, K[:, :n, :n], K[:, :n, n:], K[:, n:, n:])

    def tank_loads(self, shapes: ReducedBasis, ids: np.ndarray) -> TankLoads:
        """Return the unit loads as the engine takes them."""
        return TankLoads(self._loads(shapes, ids), self.arm, self.own[:, : self.n, : self.n])

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Return R, P and Sᵀp as the engine takes them, of the dry structure (p,) and of the levels (L, p)."""
        n, L = self.n, len(self.levels)
        base = np.concatenate([self.base[:, :n, :n].ravel(), self.base_arm.ravel()])
        return base, np.hstack([self.levels[:, :, :n, :n].reshape(L, -1), self.level_arm.reshape(L, -1)])

    def _loads(self, shapes: ReducedBasis, ids: np.ndarray) -> np.ndarray:
        rows = [0 if place is None else ids[shapes.row(*place)] for place in self.places]
        return np.column_stack([rows, self.load]).astype(np.int64).reshape(-1, 2)

    def _without_negligible(self, shapes: ReducedBasis) -> LoadStiffness:
        """Leave out loads whose |K_rs|/(ω_r ω_s) are below 1e-9 of the largest of their kind, full to empty."""
        n, size = self.n, np.zeros(len(self.load))
        omega = 2.0 * np.pi * shapes.frequencies_hz
        for part in (1.0, 0.5, 0.0):
            fill = shapes.stack.filled(part, list(shapes.stack.tanks))
            K = self.at(shapes.partition.weights(fill), shapes.integrals(fill))[:, :n, :n]
            size = np.maximum(size, np.abs(K / np.outer(omega, omega)).max(axis=(1, 2), initial=0.0))
        kind = np.where([place is None for place in self.places], 0, np.where(self.load <= 3, 1, 2))
        largest = np.array([size[kind == k].max(initial=0.0) for k in range(3)])
        keep = np.flatnonzero(size > NEGLIGIBLE * largest[kind])
        return LoadStiffness(
            n,
            tuple(self.places[k] for k in keep),
            self.load[keep],
            self.arm[keep],
            self.own[keep],
            self.base,
            self.levels,
            self.base_arm,
            self.level_arm,
            self.known,
        )


@lru_cache(maxsize=4)
def load_stiffness(shapes: ReducedBasis, given: LoadPlaces) -> LoadStiffness:
    """Do `LoadStiffness.of`, once for the shapes and places of a vehicle that is described again."""
    return LoadStiffness.of(shapes, given)


def load_places(paths: Sequence[tuple[Place, Sequence[Place]]], more: Sequence[Place]) -> LoadPlaces:
    """Return the places of engines, each with the path of its propellant, and of other loads."""
    stiff = [at for at, _ in paths] + list(more)
    return LoadPlaces(tuple(dict.fromkeys(stiff)), tuple(place for _, path in paths for place in path))


def default_stiffness(shapes: ReducedBasis, given: LoadPlaces) -> LoadStiffness | None:
    """Return how loads change the stiffness where nothing was asked for, None where stresses are unknown or too large.

    Loads are known at given places, at those that shapes were attached to, and at all nodes of a vehicle of few.
    """
    if unknown_stresses(shapes.stack) is not None:
        return None
    stiff = dict.fromkeys([*given.stiff, *shapes.attached])
    every = list(dict.fromkeys([*stiff, *shapes.stack.places]))
    places = every if len(every) <= MOST_PLACES else list(stiff)
    levels = sum(len(tank.masses) for tank in shapes.stack.tanks.values())
    numbers = (6 * len(places) + 12 * (1 + levels)) * len(shapes) ** 2
    return (
        load_stiffness(shapes, LoadPlaces(tuple(places), given.known)) if 8e-6 * numbers <= MOST_MB else None
    )


def unknown_stresses(stack: CoupledStructure) -> ModelError | None:
    """Return the error of stages whose stresses are not known, and of tanks that carry loads beside the structure."""
    for name, known in stack.stressed.items():
        if known is None:
            return ModelError(
                f"stage '{name}' has no elements whose stresses change its stiffness",
                where="geometric_stiffness",
                hint="make it from a deck, or give Stage(..., geometric=) a function of displacements",
            )
    for tank in stack.tanks.values():
        if tank.K and not tank.waves:
            return ModelError(
                f"tank '{tank.name}' carries loads by a stiffness of its own, whose stresses are not known",
                where="geometric_stiffness",
                hint="put what carries loads into the stage, and propellant that hangs on it into the tank",
            )
    return None


def _reduced(shapes: ReducedBasis, P: np.ndarray) -> np.ndarray:
    """Return ΦᵀKgΦ (k, m, m) of loads (nq, k), balanced at the reference fill, Φ the shapes and three rotations."""
    stack = shapes.stack
    K, M = stack.stiffness(shapes.reference), stack.mass(shapes.reference)
    V = stack.rigid_basis(M)
    u = stack.V @ held_response(K, P - M @ (V @ (V.T @ P)), stack.rigid)
    both = np.hstack([shapes.nodes, rigid_motion(stack.positions)[:, :3]])
    out = np.zeros((P.shape[1], both.shape[1], both.shape[1]))
    for rows, known in stack.stages_of_rows():
        if known is not None:
            out += known(u[rows], both[rows])
    return out
