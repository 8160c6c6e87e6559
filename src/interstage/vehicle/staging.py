"""Cut one flexible vehicle in two: every node keeps its place and its velocity, as far as the new shapes can hold them.

What a part has at its nodes before the cut is projected in the metric of its own mass onto [S Φ] of the part. The
rigid part of the fit of places is a finite move of the new frame, found by iteration; velocities are projected at the
deformed places. Release does no work: the strain of the parts stays and rings, and what the projection of velocities
loses, ½ r'Mr ≥ 0, is the part of the motion that the shapes cannot hold. Momentum is kept, and its moment about any
point that stands still: rigid motions are in the span, and a spin makes up for the places that have moved.
Attachment shapes of the interface hold the strain that the thrust has left there; free modes hold little of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.component.integrals import rigid_motion
from interstage.errors import InputError, SolverError, shown
from interstage.spatial.functions import (
    matrix_from_quaternion,
    matrix_from_rotvec,
    quaternion_from_matrix,
    rotvec_from_matrix,
)
from interstage.vehicle.burn_log import BodyState
from interstage.vehicle.shapes import Shapes
from interstage.vehicle.stack import Stack, row_picker
from interstage.vehicle.vehicle import Vehicle


@dataclass(frozen=True, eq=False)
class Part:
    """A part after the cut: its state, and what the cut has changed of it.

    jump : largest distance between a node before and after;  kinetic, strain : energies (before, after)
    momentum (2, 6) : [h; l] about the world's origin, before and after, world axes
    """

    name: str
    state: BodyState
    jump: float
    kinetic: tuple[float, float]
    strain: tuple[float, float]
    momentum: np.ndarray

    def __str__(self) -> str:
        change = self.momentum[1] - self.momentum[0]
        return (
            f"{self.name}: jump {self.jump:.3g}, kinetic energy {self.kinetic[0]:.6g} -> {self.kinetic[1]:.6g}, "
            f"strain energy {self.strain[0]:.6g} -> {self.strain[1]:.6g}, momentum changes by "
            f"{np.linalg.norm(change[3:]):.2g}, its moment by {np.linalg.norm(change[:3]):.2g}"
        )


@named_arguments
def split(shapes: Shapes, state: BodyState, parts: Mapping[str, Shapes | Vehicle]) -> dict[str, Part]:
    """Split a vehicle into parts.

    Parameters
    ----------
    shapes : of the vehicle before the cut
    state : of it at that moment
    parts : {name: shapes of the part}, flexible, or {name: the part as a vehicle}, rigid from now on; nodes of a part
        are found by stage and id, and the parts together need not be all of the vehicle
    """
    out = {}
    for name, part in parts.items():
        if isinstance(part, Shapes):
            stack, Phi = part.stack, part.nodes
        elif isinstance(part, Vehicle):
            stack = part.stack()
            Phi = np.zeros((6 * len(stack.places), 0))
        else:
            raise InputError(
                "a part is not usable",
                where=f"part '{name}'",
                expected="its shapes, or a vehicle",
                got=shown(part),
            )
        out[name] = _projected(name, shapes, state, stack, Phi)
    return out


def _projected(name: str, shapes: Shapes, state: BodyState, stack: Stack, Phi: np.ndarray) -> Part:
    """Project places and velocities of the nodes of a part onto its rigid motions and shapes."""
    index = {place: i for i, place in enumerate(shapes.stack.places)}
    missing = [place for place in stack.places if place not in index]
    if missing:
        raise InputError(
            "a part has a node that the vehicle does not have",
            where=f"part '{name}', stage '{missing[0][0]}', node {missing[0][1]}",
        )
    rows = np.array([index[place] for place in stack.places])
    old = shapes.nodes.reshape(-1, 6, len(shapes))[rows]
    move, rate = old @ state.eta, old @ state.etadot  # (N, 6)
    places = shapes.stack.positions[rows] + move[:, :3]
    turns = np.array([matrix_from_rotvec(turn) for turn in move[:, 3:]])
    fill = {tank: state.propellant[tank] for tank in stack.tanks}
    M, K = stack.node_mass(fill), _node_stiffness(stack, fill)
    d, R, eta, u = _fit_places(name, stack, Phi, M, places, turns)
    w, v = state.velocity[:3], state.velocity[3:]
    speed = np.hstack([v + np.cross(w, places) + rate[:, :3], w + rate[:, 3:]]).reshape(-1, 2, 3) @ R
    speed = speed.reshape(-1)
    there = stack.positions + (Phi @ eta).reshape(-1, 6)[:, :3]
    S, S_now = rigid_motion(there), rigid_motion(stack.positions + u.reshape(-1, 6)[:, :3])
    found = _least(M, np.hstack([S, Phi]), speed)
    # places that the shapes cannot hold have moved: the least change of the motion that keeps its moment as well
    short = S_now.T @ (M @ speed) - S.T @ (M @ (np.hstack([S, Phi]) @ found))
    found[:6] += np.linalg.solve(S.T @ (M @ S), short)
    after = np.hstack([S, Phi]) @ found
    R_N = matrix_from_quaternion(state.quaternion)
    position = state.position + R_N @ d
    new = BodyState(position, quaternion_from_matrix(R_N @ R), found[:6], eta, found[6:], {**fill})
    gap = (u - Phi @ eta).reshape(-1, 6)[:, :3]
    momenta = np.array([_momentum(s, M, one, position, R_N @ R) for s, one in ((S_now, speed), (S, after))])
    return Part(
        name,
        new,
        float(np.linalg.norm(gap, axis=1).max()),
        (float(speed @ (M @ speed)) / 2, float(after @ (M @ after)) / 2),
        (float(u @ (K @ u)) / 2, float(eta @ (Phi.T @ (K @ (Phi @ eta)))) / 2),
        momenta,
    )


def _fit_places(
    name: str, stack: Stack, Phi: np.ndarray, M: sp.csr_matrix, places: np.ndarray, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return where the frame goes (d, R in the old frame), η, and the displacements (6N,) as seen from there."""
    S = rigid_motion(stack.positions)
    basis = np.hstack([S, Phi])
    size = max(float(np.ptp(stack.positions, axis=0).max()), 1e-300)
    d, R = np.zeros(3), np.eye(3)
    for _ in range(50):
        travel = (places - d) @ R - stack.positions
        turn = np.array([rotvec_from_matrix(R.T @ one) for one in turns])
        u = np.hstack([travel, turn]).reshape(-1)
        found = _least(M, basis, u)
        if np.abs(found[3:6]).max() + size * np.abs(found[:3]).max() < 1e-14 * size:
            return d, R, found[6:], u
        d = d + R @ found[3:6]
        R = R @ matrix_from_rotvec(found[:3])
    raise SolverError(
        "the frame of a part was not found", where=f"part '{name}'", hint="look at the shapes before the cut"
    )


def _least(M: sp.csr_matrix, basis: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the coefficients that bring a basis nearest to u in the metric of M."""
    MB = M @ basis
    gram = basis.T @ MB
    s = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    return s * np.linalg.solve(gram * np.outer(s, s), s * (MB.T @ u))


def _node_stiffness(stack: Stack, fill: Mapping[str, float]) -> sp.csr_matrix:
    K = stack.K_g
    for name, tank in stack.tanks.items():
        if tank.K:
            P = row_picker(tank.rows, K.shape[0])
            K = K + P.T @ tank.between(tank.K, fill[name]) @ P
    return sp.csr_matrix(K)


def _momentum(
    S: np.ndarray, M: sp.csr_matrix, speed: np.ndarray, position: np.ndarray, R: np.ndarray
) -> np.ndarray:
    """Return [h; l] about the world's origin of node velocities, world axes."""
    h, l = np.split(S.T @ (M @ speed), 2)
    return np.concatenate([R @ h + np.cross(position, R @ l), R @ l])
