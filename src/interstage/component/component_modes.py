"""Bases for one component: free-free modes, Craig-Bampton, normalized component modes.

Names follow the NASTRAN sets: b interface (physical) coordinates, o interior, q modal. The f-set is what the
constraints of the model leave free. Source: NESC report, App. A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.component.rigid_body_modes import RIGID_THRESHOLD_HZ, rigid_motions, split
from interstage.errors import ModelError
from interstage.linalg.eigen import EigenResult, requested_modes
from interstage.linalg.eigen_request import EigenRequest
from interstage.linalg.refine import (
    RefinedFactor,
    factored_eigen,
    flexible_eigenvalues,
    rayleigh_ritz,
    residual_vectors,
    static_response,
)

REDUCED_STRAIN = 1e-9  # forces of rigid motion, relative, in a reduced stiffness matrix
# Kinetic energy, relative, of a mode that is static motion of the interface but for rounding.
STATIC_SHARE = 1e-10
# Mass of a motion, relative to that of its parts, which is rounding: 1e-12 would leave modes normalized to 3e-5, where
# component files ask for 1e-5.
NO_MASS = 1e-11
MASSLESS_RATIO = 30.0  # how far above the highest mode an interface motion without mass is put


@dataclass
class Reduction:
    """Craig-Bampton basis `u_o = Psi_ob u_b + Phi_oq q` and the matrices in `[u_b; q]` (Eq. A.2.2, A.2.8).

    b, o : rows of the f-set; frequencies_hz (nq,): fixed-interface modes, then residual vectors
    size_bb : magnitudes that were summed into the interface stiffness, the measure of its rounding
    """

    b: np.ndarray
    o: np.ndarray
    Psi_ob: np.ndarray
    Phi_oq: np.ndarray
    frequencies_hz: np.ndarray
    n_residual: int
    mass: np.ndarray
    stiffness: np.ndarray
    viscous: np.ndarray | None = None
    structural: np.ndarray | None = None
    size_bb: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    notes: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)

    def expand(self, x: np.ndarray) -> np.ndarray:
        """Recover f-set motion (nf, k) from Craig-Bampton coordinates (nb + nq, k)."""
        nb = len(self.b)
        u = np.empty((nb + len(self.o), x.shape[1]))
        u[self.b] = x[:nb]
        u[self.o] = self.Psi_ob @ x[:nb]
        u[self.o] += self.Phi_oq @ x[nb:]
        return u


@dataclass
class Basis:
    """Flexible modes of the f-set, mass-normalized and stiffness-diagonal, and what was taken out.

    shapes (nf, n), frequencies_hz (n,), rigid_hz: frequencies of the rigid modes that were removed
    evidence : what the eigensolver verified, for the provenance of a component
    """

    shapes: np.ndarray
    frequencies_hz: np.ndarray
    rigid_hz: np.ndarray
    residual: np.ndarray
    reduction: Reduction | None = None
    notes: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)


def frequency_hz(eigenvalues: np.ndarray) -> np.ndarray:
    """Frequencies of squared circular frequencies; a negative one keeps its sign."""
    return np.sign(eigenvalues) * np.sqrt(np.abs(eigenvalues)) / (2 * np.pi)


def free_modes(
    K: Any,
    M: Any,
    n_modes: int,
    *,
    request: EigenRequest | None = None,
    threshold_hz: float = RIGID_THRESHOLD_HZ,
    n_rigid: int = 6,
    rigid: np.ndarray | None = None,
    loads: np.ndarray | None = None,
    describe: Callable[[int], str] = "equation {}".format,
) -> Basis:
    """Compute the lowest flexible modes of `K x = w2 M x` (Eq. A.1.4) and residual vectors for `loads`.

    n_modes : flexible modes wanted; n_rigid : rigid modes to expect below them
    request : the modes of this range and number instead, rigid ones counted
    rigid : (nf, k) rigid motions by geometry; those that strain nothing are rigid modes
    loads : (nf, p) load patterns of residual vectors
    describe : names coordinate i in messages
    """
    motions = rigid_motions(K, M, rigid)
    n_more = max(n_rigid, motions.shape[1])
    while True:
        found = _eigen(K, M, request or EigenRequest(count=n_modes + n_more))
        hz, V, out, notes = split(
            found.frequencies_hz, found.vectors, K, M, motions, threshold_hz, rigid=rigid
        )
        short = request is None and np.count_nonzero(~out) < n_modes and len(hz) == n_modes + n_more
        if not short:
            break
        n_more = int(np.count_nonzero(out)) + 6  # mechanisms beside the rigid motions
    if request is not None:
        n_modes = int(np.count_nonzero(~out))
    notes = found.notes + notes
    shapes, flexible = V[:, ~out][:, :n_modes], hz[~out][:n_modes]
    if len(flexible) < n_modes:
        notes.append(f"{n_modes} flexible modes asked, the model has {len(flexible)}")
    flags = np.zeros(len(flexible), dtype=bool)
    if loads is not None and loads.shape[1]:
        if len(flexible):
            response = static_response(K, M, M @ shapes, V[:, out], None, describe)
            flexible = frequency_hz(flexible_eigenvalues(shapes, M, response))
        R, hz_R, words = residual_vectors(K, M, shapes, loads, rigid=V[:, out], describe=describe)
        shapes, flexible = np.hstack([shapes, R]), np.concatenate([flexible, hz_R])
        flags = np.concatenate([flags, np.ones(len(hz_R), dtype=bool)])
        notes += words
    return Basis(shapes, flexible, hz[out], flags, notes=notes, evidence=_evidence(found))


def _eigen(K: Any, M: Any, request: EigenRequest) -> EigenResult:
    """The modes of a request, mass-normalized."""
    return requested_modes(K, M, request)


def _evidence(found: EigenResult) -> dict[str, str]:
    """What the eigensolver verified, as text for the provenance of a component."""
    return {
        "modes_residual": f"{found.residuals.max(initial=0.0):.1e}",
        "modes_counted": "yes" if found.sturm_checked else "no: pivots could not be counted",
    }


def craig_bampton(
    K: Any,
    M: Any,
    b: np.ndarray,
    n_modes: int,
    *,
    B: Any = None,
    K4: Any = None,
    loads: np.ndarray | None = None,
    request: EigenRequest | None = None,
    free: np.ndarray | None = None,
    describe: Callable[[int], str] = "equation {}".format,
) -> Reduction:
    """Reduce to interface coordinates b and n_modes fixed-interface modes (Eq. A.2.2 to A.2.8).

    Psi_ob = -K_oo^-1 K_ob,  K_oo phi = w2 M_oo phi. Residual vectors for `loads` (nf, p), taken on the
    o-set with the interface held, follow the modes. With a request its range and number decide instead of n_modes.
    free : places in b of coordinates that move in the modes (NASTRAN's c-set); what these modes add to Psi_ob is kept
    describe : names coordinate i in messages
    """
    n = K.shape[0]
    b = np.asarray(b, dtype=np.int64)
    o = np.setdiff1d(np.arange(n), b)
    K_oo, M_oo, K_ob = (_part(A, r, c) for A, r, c in ((K, o, o), (M, o, o), (K, o, b)))
    Psi = np.zeros((0, len(b)))
    values, Phi = np.zeros(0), np.zeros((len(o), 0))
    notes: list[str] = []
    factor, evidence = None, {}
    if len(o):
        factor = RefinedFactor(K_oo, lambda i: describe(int(o[i])))
        Psi = -factor.solve(_dense(K_ob))
        if (n_modes or request) and np.any(M_oo.diagonal() > 0) and free is not None and len(free):
            found, Phi = _modes_beside(K, M, o, b[free], Psi[:, free], n_modes, request)
            values, Phi = rayleigh_ritz(K_oo, M_oo, Phi)
            notes, evidence = list(found.notes), _evidence(found)
        elif (n_modes or request) and np.any(M_oo.diagonal() > 0):
            found = _eigen(K_oo, M_oo, request or EigenRequest(count=n_modes))
            values, Phi = found.eigenvalues, found.vectors
            notes, evidence = list(found.notes), _evidence(found)
            if len(values):
                values = flexible_eigenvalues(Phi, M_oo, factor.solve(M_oo @ Phi))
    if request is None and len(values) < n_modes:
        beside = " beside static motion of the interface" if free is not None and len(free) else ""
        notes.append(f"{n_modes} fixed-interface modes asked, the model has {len(values)}{beside}")
    hz = frequency_hz(values)
    n_residual = 0
    if loads is not None and loads.shape[1] and len(o):
        R, hz_R, words = residual_vectors(K_oo, M_oo, Phi, loads[o], factor=factor)
        Phi, hz, n_residual = np.hstack([Phi, R]), np.concatenate([hz, hz_R]), len(hz_R)
        notes += words
    cb = Reduction(b, o, Psi, Phi, hz, n_residual, np.zeros(0), np.zeros(0), notes=notes)
    cb.evidence = evidence
    _reduce(cb, K, M, B, K4)
    return cb


def _modes_beside(
    K: Any,
    M: Any,
    o: np.ndarray,
    c: np.ndarray,
    Psi_oc: np.ndarray,
    n_modes: int,
    request: EigenRequest | None,
) -> tuple[EigenResult, np.ndarray]:
    """Modes in which c moves with the interior, less the static motion that c brings with it (no, n).

    Modes that are such motion alone, as those of a rigid body, add nothing and are left out.
    """
    both = np.concatenate([o, c])
    found = _eigen(_part(K, both, both), _part(M, both, both), request or EigenRequest(count=n_modes + 6))
    Phi = found.vectors[: len(o)] - Psi_oc @ found.vectors[len(o) :]
    more = np.einsum("ij,ij->j", Phi, _part(M, o, o) @ Phi) > STATIC_SHARE
    Phi = Phi[:, more] if request else Phi[:, more][:, :n_modes]
    m = Phi.T @ (_part(M, o, o) @ Phi)
    weight, Y = la.eigh((m + m.T) / 2)
    return found, Phi @ Y[:, weight > STATIC_SHARE]


def _reduce(cb: Reduction, K: Any, M: Any, B: Any, K4: Any) -> None:
    """Fill in the reduced matrices; the known zeros and the identity are set, not computed."""
    b, o, nb, nq = cb.b, cb.o, len(cb.b), len(cb.frequencies_hz)
    K_bb = _dense(_part(K, b, b)) + _part(K, b, o) @ cb.Psi_ob
    cb.size_bb = abs(_dense(_part(K, b, b))) + abs(_part(K, b, o)) @ np.abs(cb.Psi_ob)
    cb.stiffness = np.zeros((nb + nq, nb + nq))
    cb.stiffness[:nb, :nb] = (K_bb + K_bb.T) / 2
    cb.stiffness[nb:, nb:] = np.diag((2 * np.pi * cb.frequencies_hz) ** 2)
    M_ob, M_oo = _part(M, o, b), _part(M, o, o)
    h = M_ob + M_oo @ cb.Psi_ob if not sp.issparse(M_ob) else M_ob.toarray() + M_oo @ cb.Psi_ob
    M_bb = _dense(_part(M, b, b)) + M_ob.T @ cb.Psi_ob + cb.Psi_ob.T @ h
    cb.mass = np.eye(nb + nq)
    cb.mass[:nb, :nb] = (M_bb + M_bb.T) / 2
    cb.mass[nb:, :nb] = cb.Phi_oq.T @ h
    cb.mass[:nb, nb:] = cb.mass[nb:, :nb].T
    for name, A in (("viscous", B), ("structural", K4)):
        if A is not None:
            T = cb.expand(np.eye(nb + nq))
            reduced = T.T @ (A @ T)
            setattr(cb, name, (reduced + reduced.T) / 2)


def normalized_modes(
    cb: Reduction,
    *,
    threshold_hz: float = RIGID_THRESHOLD_HZ,
    rigid_b: np.ndarray | None = None,
    motions: np.ndarray | None = None,
    names: list[str] | None = None,
) -> Basis:
    """Diagonalize the Craig-Bampton system and take its rigid modes out (Eq. A.2.9 to A.2.15).

    Every flexible mode is kept: whoever wants fewer asks for fewer fixed-interface modes, because a basis
    that is cut after normalization can no longer be held at its interface.

    rigid_b : (nb, k) rigid motions of the interface by geometry
    motions : (nb, c) those of them that strain nothing, where the whole model has been asked
    names : names of the interface coordinates, for messages
    """
    nb = len(cb.b)
    k, m = cb.stiffness, cb.mass
    V, stiff, massless = _mass_split(cb)
    if stiff.shape[1]:
        raise massless_error(massless_rows(cb), names)
    values, X = _reduced_eigen(cb, V)
    size = np.abs(k)
    size[:nb, :nb] = np.maximum(cb.size_bb, size[:nb, :nb])
    Z = _reduced_motions(cb, motions, rigid_b, size)
    rigid = None if rigid_b is None else np.vstack([rigid_b, np.zeros((len(k) - nb, rigid_b.shape[1]))])
    hz, X, out, notes = split(frequency_hz(values), X, k, m, Z, threshold_hz, size, rigid, massless.shape[1])
    removed = np.concatenate([np.zeros(massless.shape[1]), hz[out]])
    X = X[:, ~out]
    flags = np.zeros(X.shape[1], dtype=bool)
    if cb.n_residual:
        share = np.sum(X[len(k) - cb.n_residual :] ** 2, axis=0)
        flags[np.argsort(-share, kind="stable")[: cb.n_residual]] = True
    shapes, notes = cb.expand(X), cb.notes + notes
    return Basis(shapes, hz[~out], removed, flags, reduction=cb, notes=notes, evidence=cb.evidence)


def _reduced_motions(cb: Reduction, motions, rigid_b, size: np.ndarray) -> np.ndarray:
    """Rigid motions without strain in Craig-Bampton coordinates, orthonormal in their mass; modes take no part."""
    nb, n = len(cb.b), len(cb.mass)
    Z = np.zeros((n, 0))
    if motions is not None:
        Z = np.vstack([motions, np.zeros((n - nb, motions.shape[1]))])
    elif rigid_b is not None:
        # the matrix may be that of another program, with single precision behind it
        b = rigid_motions(cb.stiffness[:nb, :nb], cb.mass[:nb, :nb], rigid_b, REDUCED_STRAIN, size[:nb, :nb])
        Z = np.vstack([b, np.zeros((n - nb, b.shape[1]))])
    if not Z.shape[1]:
        return Z
    weight, Y = la.eigh(Z.T @ cb.mass @ Z)
    return Z @ (Y / np.sqrt(weight))


def _stiffness_root(cb: Reduction) -> np.ndarray:
    """Return F with F'F the reduced stiffness: a root of the interface block, the frequencies of the modes."""
    nb = len(cb.b)
    k = cb.stiffness
    F = np.zeros_like(k)
    F[nb:, nb:] = np.sqrt(np.maximum(k[nb:, nb:], 0.0))
    if nb:
        size = np.diag(cb.size_bb)
        scale = np.sqrt(np.where(size > 0, size, 1.0))
        values, U = la.eigh(k[:nb, :nb] / scale[:, None] / scale[None, :])
        if values[0] < -1e-9 * max(values[-1], 1e-12):
            return np.zeros((0, 0))
        F[:nb, :nb] = np.sqrt(np.where(values > 1e-14, values, 0.0))[:, None] * (U.T * scale)
    return F


def _reduced_eigen(cb: Reduction, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Modes of the reduced system in the span of V: by singular values, or directly where K is indefinite."""
    F, m = _stiffness_root(cb), V.T @ cb.mass @ V
    if F.size or not cb.stiffness.size:
        values, Y = factored_eigen(F @ V, m)
        return values, V @ Y
    return rayleigh_ritz(cb.stiffness, cb.mass, V)


def _mass_split(cb: Reduction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split Craig-Bampton motions into those with mass V, and those without that strain (Z) or do not."""
    k, m, nb = cb.stiffness, cb.mass, len(cb.b)
    diagonal = np.diag(m).copy()
    floor = 1e-14 * diagonal.max(initial=0.0)
    scale = 1 / np.sqrt(np.where(diagonal > floor, diagonal, 1.0))
    values, U = la.eigh(m * scale[:, None] * scale[None, :])
    void = values < NO_MASS * values[-1]
    none = np.zeros((len(m), 0))
    if not void.any():
        return np.eye(len(m)), none, none
    Z = scale[:, None] * U[:, void]
    size = np.abs(k)
    size[:nb, :nb] = cb.size_bb
    bound = np.max(np.einsum("ij,ij->j", np.abs(Z), size @ np.abs(Z)))
    strain, Y = la.eigh(Z.T @ k @ Z)
    stiff = np.abs(strain) > 1e-9 * bound
    return scale[:, None] * U[:, ~void], Z @ Y[:, stiff], Z @ Y[:, ~stiff]


def massless_rows(cb: Reduction) -> np.ndarray:
    """Find the interface coordinates (rows of b) that take part in motions with stiffness and without
    mass.
    """
    _, Z, _ = _mass_split(cb)
    if not Z.shape[1]:
        return np.zeros(0, dtype=np.int64)
    share = np.abs(Z[: len(cb.b)]) * np.sqrt(np.diag(cb.size_bb))[:, None]
    share = np.max(share / np.maximum(share.max(axis=0), 1e-300), axis=1)
    return np.flatnonzero(share > 1e-3)


def small_inertia(cb: Reduction, rows: np.ndarray) -> float:
    """Choose the inertia that puts the massless motions far above all others.

    k / (MASSLESS_RATIO w_max)^2, with the stiffness k of a motion that moves the coordinates `rows` by one.
    """
    V, Z, _ = _mass_split(cb)
    top = np.max(_reduced_eigen(cb, V)[0], initial=0.0)
    amplitude = np.sum(Z[rows] ** 2, axis=0)
    moved = amplitude > 1e-6 * amplitude.max(initial=0.0)
    k = np.max(np.einsum("ij,ij->j", Z, cb.stiffness @ Z)[moved] / amplitude[moved])
    # not below what can be told from nothing beside the inertia of the body about the same coordinate
    floor = 1e-10 * np.max(np.diag(cb.mass)[rows])
    return float(max(k / (MASSLESS_RATIO**2 * top), floor)) if top > 0 else float(k)


def _cover(cb: Reduction, some: np.ndarray, rows: np.ndarray) -> bool:
    """Say whether every massless motion moves `some` of the rows noticeably."""
    _, Z, _ = _mass_split(cb)
    share = (
        np.abs(Z)
        * np.sqrt(np.maximum(np.append(np.diag(cb.size_bb), np.zeros(len(Z) - len(cb.b))), 0))[:, None]
    )
    return bool(np.all(share[some].max(axis=0) > 1e-2 * share[rows].max(axis=0)))


def added_inertia(
    cb: Reduction, rows: np.ndarray, coordinates: list[tuple[int, int]]
) -> tuple[dict[tuple[int, int], float], str]:
    """Choose small inertias for the grids whose interface motions have no mass.

    The same on all three axes of a grid, so that it does not depend on them.

    coordinates : (grid, component 0-5) of the interface coordinates
    Returns {(grid, 0 for translations or 3 for rotations): value} and a sentence about it.
    """
    part = np.array([c // 3 * 3 for _, c in coordinates])
    turning = rows[part[rows] == 3]
    if len(turning) and len(turning) < len(rows) and _cover(cb, turning, rows):
        rows = turning
    weight = {p: small_inertia(cb, rows[part[rows] == p]) for p in (0, 3) if np.any(part[rows] == p)}
    chosen = {(coordinates[i][0], int(part[i])): weight[int(part[i])] for i in rows}
    kind = {0: "mass", 3: "rotary inertia"}
    amount = ", ".join(f"{kind[p]} {value:.3g}" for p, value in weight.items())
    where = ", ".join(str(grid) for grid in sorted({grid for grid, _ in chosen})[:8])
    return chosen, f"interface motions without mass: a small {amount} was added at grids {where}"


def inertia_effect(added: np.ndarray, shapes: np.ndarray, frequencies_hz: np.ndarray) -> str:
    """Say how far small inertias change frequencies: δω/ω = ½ Σ δm φ² of modes with unit modal mass.

    added (nb,) at the interface coordinates, shapes (nb, n) of the modes there
    """
    change = 0.5 * added @ shapes**2
    own = change > 0.05  # modes that live on the inertia
    first = f"; modes from {frequencies_hz[own].min():.3g} Hz on are its own" if own.any() else ""
    if own.all():
        return first
    others = np.where(own, 0.0, change)
    r = int(others.argmax())
    return (
        f", which lowers frequencies by up to {others[r]:.1g} of them (at {frequencies_hz[r]:.3g} Hz){first}"
    )


def massless_error(rows: np.ndarray, names: list[str] | None) -> ModelError:
    """Make the error for interface motions without mass."""
    label = [names[i] if names else f"coordinate {i}" for i in rows]
    return ModelError(
        "the interface has motions without mass, whose frequencies are infinite",
        where=", ".join(label[:6]) + (f" and {len(label) - 6} more" if len(label) > 6 else ""),
        hint="give those grids a small rotary inertia (CONM2), use coupled mass (PARAM,COUPMASS,1), "
        "or leave the components out of the aset",
    )


def _part(A: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    return A[rows][:, columns]


def _dense(A: Any) -> np.ndarray:
    return A.toarray() if sp.issparse(A) else np.asarray(A)
