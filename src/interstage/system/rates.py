"""How fast a flight may change where it stands: eigenvalues of ∂ẏ/∂y, y = [q; v; z] with the states z of devices.

Small motions are those that the vehicle is free to make: δv along N, the null space of the closures' Jacobian among
joints that are neither locked nor known as functions of time, δq along the rates that such velocities mean. Of more
than `MOST` states the fastest modes of bodies are held: what devices do to the others is nearly the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from interstage.errors import InterstageError
from interstage.multibody import State
from interstage.multibody.closing import jacobian as closure_jacobian
from interstage.multibody.prescribed import FREE
from interstage.system.law import Law
from interstage.system.methods import Compiled

if TYPE_CHECKING:
    from interstage.system.flight import Flight

MOST = 200  # states that are looked at
DIFFERENCE, FAR = 1e-6, 1e-9  # step of differences, and beside a size from which that is more
OWN = 0.3  # share of |λ| that forces of devices make, from which it is theirs


@dataclass
class Stand:
    """Where a flight stands, or stood at a row of its log: time, vehicle, vectors of devices."""

    t: float
    q: np.ndarray
    v: np.ndarray
    vectors: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, flight: Flight) -> Stand:
        """Return where a flight stands."""
        vectors = {kind: vector.copy() for kind, vector in flight.loop.tapes.vectors.items()}
        return cls(flight.t, flight.q.copy(), flight.v.copy(), vectors)


class Rates:
    """How fast a flight may change at a stand: eigenvalues λ (n,) of J, ∂ẏ/∂y along small motions.

    D : (len(y), n), small motions as columns
    """

    def __init__(self, flight: Flight, at: Stand, D: np.ndarray, J: np.ndarray):
        self.flight, self.at, self.D, self.J = flight, at, D, J
        self.values = np.linalg.eigvals(J)
        self._vectors: tuple[np.ndarray, np.ndarray] | None = None
        self._bare: np.ndarray | None = None

    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return left and right eigenvectors, columns."""
        if self._vectors is None:
            self.values, left, right = scipy.linalg.eig(self.J, left=True)
            self._vectors = left, right
        return self._vectors

    def of_devices(self, k: int) -> bool:
        """Return whether devices make an eigenvalue: by their states, or by what they do to the vehicle."""
        left, right = self.vectors()
        if self._bare is None:
            self._bare = _without_devices(self.flight, self.at, self.D, self.J)
        # by left vectors, not by the inverse of the right ones: a free body has fewer vectors than eigenvalues of zero
        row = left[:, k].conj()
        share = abs(row @ ((self.J - self._bare) @ right[:, k]))
        return bool(share > OWN * abs(self.values[k] * (row @ right[:, k])))

    def name(self, k: int) -> str:
        """Return the coordinate, velocity or field of a device that moves most."""
        layout, plan = self.flight.system.layout, self.flight.plan
        names = [c.name for c in (*layout.coordinates(), *layout.velocities())]
        found = [""] * len(self.at.vectors["z"])
        for name, slot in plan.slots.items():
            if slot.kind == "z":
                found[slot.start : slot.start + slot.size] = [name] * slot.size
        return [*names, *found][int(np.argmax(np.abs(self.D @ self.vectors()[1][:, k])))]


def can_be_asked(flight: Flight) -> bool:
    """Return whether the right-hand side may be asked beside the run: laws that remember are not."""
    plan = flight.plan
    laws = any(isinstance(plan.parts[e.part].what, Law) for e in (*plan.before, *plan.after))
    return not laws and not flight.loop.without and isinstance(flight.method, Compiled)


def rates_of(flight: Flight, at: Stand | None = None) -> Rates | None:
    """Return how fast a flight may change at a stand, that of now; None where that cannot be found."""
    if not can_be_asked(flight):
        return None
    at = Stand.of(flight) if at is None else at
    D = _small_motions(flight, at)
    if D.shape[1] == 0:
        return None
    J = _slopes(flight, at, D)
    return None if J is None else Rates(flight, at, D, J)


def are_too_many(flight: Flight) -> bool:
    """Return whether a vehicle has so many joints that what devices do to it is not looked at."""
    modes = np.isin(np.arange(flight.system.nv), _modes(flight))
    joints = int(np.count_nonzero(_moving(flight) & ~modes))
    return 2 * joints + len(flight.plan.initial["z"]) > MOST


def _small_motions(flight: Flight, at: Stand) -> np.ndarray:
    """Return small motions of the vehicle and changes of z, as columns of y; z alone where joints are too many."""
    system, nz = flight.system, len(at.vectors["z"])
    nq, nv = system.nq, system.nv
    kept = np.flatnonzero(_moving(flight))
    stiff = system.tree.v_stiffness[kept] * np.isin(kept, _modes(flight))
    over = len(kept) - (MOST - nz) // 2
    if over > 0:
        held = np.argsort(-stiff, kind="stable")[:over]
        kept = np.delete(kept, held) if (stiff[held] > 0.0).all() else kept[:0]
    V = np.zeros((nv, len(kept)))
    V[kept, np.arange(len(kept))] = 1.0
    if system.n_closure and len(kept):
        G = closure_jacobian(system, State(system.layout, at.q, at.v))
        V = V @ scipy.linalg.null_space(G[:, kept], rcond=1e-9)
    Q = np.zeros((nq, V.shape[1]))
    for column, v in zip(Q.T, V.T):
        qdot = np.empty(nq)
        system.engine.rates(at.q, np.ascontiguousarray(v), qdot)
        column[:] = qdot
    return scipy.linalg.block_diag(Q, V, np.eye(nz))


def _moving(flight: Flight) -> np.ndarray:
    """Return a mask (nv,) of velocities that are neither locked nor prescribed nor known as functions of time."""
    system, known = flight.system, flight.loop.loop.known_to
    moving = np.ones(system.nv, dtype=bool)
    moving[known[(known >= system.nq) & (known < system.nq + system.nv)] - system.nq] = False
    for i in np.flatnonzero(system.settings.joint_mode != FREE):
        first = int(system.tree.joint_v[i])
        moving[first : first + int(system.tree.joint_nv[i])] = False
    return moving


def _modes(flight: Flight) -> np.ndarray:
    """Return the places of modal rates in v."""
    places = [np.arange(w.etadot.start, w.etadot.stop) for _, w in flight.system.layout.items()]
    return np.concatenate([np.zeros(0, dtype=np.int64), *places])


def _slopes(flight: Flight, at: Stand, D: np.ndarray) -> np.ndarray | None:
    """Return ∂ẏ/∂y along small motions (n, n), nothing changed; None where it cannot be found."""
    nq, nv = flight.system.nq, flight.system.nv

    def rates(y: np.ndarray) -> np.ndarray:
        moved = Stand(at.t, y[:nq], y[nq : nq + nv], {**at.vectors, "z": y[nq + nv :]})
        return asked(flight, moved)[0]

    found = _differences(rates, np.concatenate([at.q, at.v, at.vectors["z"]]), D)
    return _along(D, found, nq) if np.isfinite(found).all() else None


def asked(flight: Flight, at: Stand) -> tuple[np.ndarray, np.ndarray]:
    """Return ẏ and all signals at a stand, nothing changed; ẏ is no number where it cannot be found."""
    tapes, nq, nv = flight.loop.tapes, flight.system.nq, flight.system.nv
    now = {kind: vector.copy() for kind, vector in tapes.vectors.items()}
    qdot, vdot = np.empty(nq), np.empty(nv)
    try:
        for kind, vector in at.vectors.items():
            tapes.vectors[kind][:] = vector
        status = flight.loop.right_side(at.q.copy(), at.v.copy(), at.t, qdot, vdot)
        rates = np.concatenate([qdot, vdot, tapes.vectors["Z"]])
        return np.full(len(rates), np.nan) if status != 0 else rates, tapes.vectors["s"].copy()
    finally:
        for kind, vector in now.items():
            tapes.vectors[kind][:] = vector


def _along(D: np.ndarray, found: np.ndarray, nq: int) -> np.ndarray:
    """Return the parts of slopes (len(y), n) along small motions."""
    m = int(np.count_nonzero(D[:nq].any(axis=0)))
    if m == 0:
        return D.T @ found
    back = np.linalg.pinv(D[:nq, :m])
    return np.vstack([back @ found[:nq], D[nq:, m:].T @ found[nq:]])


def _differences(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Return ∂f/∂y along the columns of D."""
    base, columns = f(y), []
    for way in D.T:
        far = float(np.abs(y[way != 0.0]).max(initial=0.0))
        h = max(DIFFERENCE, FAR * far)
        columns.append((f(y + h * way) - base) / h)
    return np.array(columns).T


def _without_devices(flight: Flight, at: Stand, D: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return J of the vehicle alone: states of devices do not change, and push nothing."""
    system, nq, nv = flight.system, flight.system.nq, flight.system.nv
    m = int(np.count_nonzero(D[:nq].any(axis=0)))
    bare = J.copy()  # rates of coordinates are those of the vehicle
    bare[m:] = 0.0

    def rates(y: np.ndarray) -> np.ndarray:
        return system.forward_dynamics(State(system.layout, y[:nq], y[nq:]))

    if m:
        try:
            found = _differences(rates, np.concatenate([at.q, at.v]), D[: nq + nv, : 2 * m])
            bare[m : 2 * m, : 2 * m] = D[nq : nq + nv, m : 2 * m].T @ found
        except InterstageError:  # what the vehicle does alone is not known: it is laid to devices
            pass
    return bare
