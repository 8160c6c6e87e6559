"""Compare a multibody system with the finite-element model of the whole: mass, frequencies and mode shapes.

The deck has the joints at certain angles, rigid; the system is put to the same angles with these joints locked. Shapes
are compared at the grids that bodies share with the deck by their ids, in translations and (with a thousandth of the
size of the vehicle as arm, so that they count where nothing else moves: torsion of sticks) rotations of basic axes,

    MAC_ij = (a_iᵀ b_j)² / (a_iᵀ a_i  b_jᵀ b_j)

and modes are paired by it, best first. Where frequencies are close together their shapes mix, so that modes of the same
frequency are judged by their subspace: MAC of a mode is its part in the space of all modes of the other model within
`cluster` of its frequency.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError
from interstage.fem import FEModel, normal_modes
from interstage.multibody import System
from interstage.multibody.state import State
from interstage.nastran import Deck, read_deck

FIT = 1e-3  # of the size of the vehicle: how far a node may lie from its grid
ARM = 1e-3  # of the size of the vehicle: what rotations of grids are multiplied by


@dataclass(frozen=True)
class ModelComparison:
    """A multibody system compared with a deck.

    Attributes
    ----------
    frequencies_hz : (n, 2) of the system and of the deck, elastic modes of the deck in ascending order; nan where the
        system has no mode like it
    error : (n,) relative difference of the frequencies
    mac : (n,) modal assurance criterion of each pair, 0 to 1
    mass : (2,) of the system and of the deck
    grids : number of grids at which shapes were compared
    free : bodies below others whose joints were left free
    tolerance, mac_least : what a pass asks for
    """

    frequencies_hz: np.ndarray
    error: np.ndarray
    mac: np.ndarray
    mass: np.ndarray
    grids: int
    tolerance: float
    mac_least: float
    mass_tolerance: float
    free: tuple[str, ...] = ()

    @property
    def mass_error(self) -> float:
        """Relative difference of the masses."""
        return float(abs(self.mass[0] / self.mass[1] - 1.0))

    @property
    def failures(self) -> list[str]:
        """What keeps the comparison from passing, a sentence each."""
        out = []
        if self.mass_error > self.mass_tolerance:
            out.append(f"mass {self.mass[0]:.6g}, deck {self.mass[1]:.6g}")
        lost = []
        for k, (error, mac) in enumerate(zip(self.error, self.mac), start=1):
            if np.isnan(error):
                lost.append(str(k))
                continue
            if not error <= self.tolerance:
                out.append(f"mode {k}: frequency {100 * error:.3g} % off")
            if not mac >= self.mac_least:
                out.append(f"mode {k}: MAC {mac:.4f}")
        if lost:
            out.append(
                f"mode{'s'[: len(lost) > 1]} {', '.join(lost)} of the deck: the system has no mode like it"
            )
        if out and self.free:
            out.append(
                f"joints of {', '.join(self.free)} are free: joints={{...}} holds those that the deck has rigid"
            )
        return out

    @property
    def passed(self) -> bool:
        """Whether mass, every frequency and every shape are within tolerance."""
        return not self.failures

    def __repr__(self) -> str:
        head = f"{'pass' if self.passed else 'FAIL'}: {len(self.error)} modes, shapes at {self.grids} grids"
        lines = [
            f"{head}, frequencies within {100 * self.tolerance:g} %, MAC {self.mac_least:g} or more",
            f"mass {self.mass[0]:.6g}, deck {self.mass[1]:.6g}",
            "mode   system, Hz     deck, Hz   error, %     MAC",
        ]
        for k, ((ours, theirs), error, mac) in enumerate(
            zip(self.frequencies_hz, self.error, self.mac), start=1
        ):
            if np.isnan(ours):
                lines.append(f"{k:4d} {'-':>12} {theirs:12.5f} {'-':>10} {'-':>7}")
            else:
                lines.append(f"{k:4d} {ours:12.5f} {theirs:12.5f} {100 * error:10.4f} {mac:7.4f}")
        return "\n".join([*lines, *(f"- {one}" for one in self.failures)])


@named_arguments
def compare(
    system: System,
    deck: Deck | str | os.PathLike[str],
    *,
    joints: Mapping[str, ArrayLike] | None = None,
    n_modes: int = 10,
    tolerance: float = 0.01,
    mac: float = 0.95,
    mass_tolerance: float = 1e-6,
    cluster: float = 0.01,
) -> ModelComparison:
    """Compare a multibody system with a deck of the whole vehicle: mass, frequencies, mode shapes.

    Parameters
    ----------
    system : the multibody system; node names of its flexible bodies are grid ids of the deck
    deck : path or Deck of the whole, in the units of the system
    joints : {body: coordinates} of the joints that the deck has rigid; they are held there (default: all joints are as
        the system has them, at their zero positions)
    n_modes : elastic modes of the deck that are compared
    tolerance : largest relative difference of a frequency
    mac : least MAC of a pair of shapes
    mass_tolerance : largest relative difference of the masses
    cluster : relative distance within which frequencies count as equal, and their shapes as one space

    Returns
    -------
    ModelComparison
        Its `passed` says whether everything is within tolerance; printed, it is a table.
    """
    fe = FEModel.from_deck(deck if isinstance(deck, Deck) else read_deck(Path(deck)))
    held = dict(joints or {})
    x = _posed(system, held)
    before = {body: system.joint_mode(body) for body in held}
    try:
        for body in held:
            system.set_joint_mode(body, "locked")
        modes = system.modes(x)
    finally:
        for body, mode in before.items():
            system.set_joint_mode(body, mode)
    places = _shared(system, fe)
    R = _fitted(system, x, fe, places)
    found = normal_modes(fe, n_modes=n_modes + 6)
    # rigid beside what the deck was asked for: the highest modes of the system, of its static shapes, are far above
    rigid_hz = 1e-5 * np.abs(found.frequencies_hz).max(initial=0.0)
    flexible = modes.frequencies_hz > rigid_hz
    ours_hz = modes.frequencies_hz[flexible]
    arm = ARM * float(np.ptp(fe.grids.xyz, axis=0).max(initial=0.0))
    moved = [system.jacobians(x, body, grids) @ modes.shapes for body, grids in places.items()]
    ours = np.concatenate([_stacked(R @ one[:, 3:], R @ one[:, :3], arm) for one in moved])[:, flexible]
    elastic = np.flatnonzero(found.frequencies_hz > rigid_hz)[:n_modes]
    theirs_hz, theirs = found.frequencies_hz[elastic], _basic(fe, found.shapes, places, arm)[:, elastic]
    pairs = _paired(ours_hz, ours, theirs_hz, theirs, cluster)
    hz = np.array([[np.nan if i < 0 else ours_hz[i], f] for (i, _), f in zip(pairs, theirs_hz)]).reshape(
        -1, 2
    )
    return ModelComparison(
        frequencies_hz=hz,
        error=np.abs(hz[:, 0] / hz[:, 1] - 1.0),
        mac=np.array([value for _, value in pairs]),
        mass=np.array([system.mass_properties(x).mass, fe.mass_properties().mass * fe.wtmass]),
        grids=sum(map(len, places.values())),
        tolerance=tolerance,
        mac_least=mac,
        mass_tolerance=mass_tolerance,
        free=tuple(
            spec.name
            for spec in system.model.specs
            if spec.parent is not None
            and spec.name not in held
            and not system.held[x.layout[spec.name].v].all()
        ),
    )


def _posed(system: System, joints: Mapping[str, ArrayLike]) -> State:
    """Return the nominal state with joints at given coordinates."""
    x = system.state()
    for body, value in joints.items():
        own = x[body].q
        given = np.atleast_1d(np.asarray(value, dtype=float))
        if given.shape != own.shape:
            raise InputError(
                f"compare: joint of '{body}' does not take these coordinates",
                expected=f"{len(own)} number(s)",
                got=f"{value!r}",
            )
        own[:] = given
    return x


def _shared(system: System, fe: FEModel) -> dict[str, list[int]]:
    """Return the grids of each flexible body that the deck has too, each grid once."""
    seen: set[int] = set()
    out: dict[str, list[int]] = {}
    known = {int(one) for one in fe.grids.id}
    for spec in system.model.specs:
        if spec.component is not None:
            left = known - seen - spec.component.unattached_nodes
            own = [int(one) for one in spec.component.node_ids if int(one) in left]
            if own:
                out[spec.name] = own
                seen |= set(own)
    if not out:
        raise ModelError(
            "compare: no node of a flexible body is a grid of the deck",
            where=str(fe.source),
            hint="bodies and deck are compared at grids of the same id: extract components from the deck of the whole",
        )
    return out


def _fitted(system: System, x: State, fe: FEModel, places: Mapping[str, list[int]]) -> np.ndarray:
    """Return R (3, 3), x_basic = R x_world, that puts the nodes of the system on the grids of the deck.

    Nodes that do not come to lie on their grids are an error: the joints or the places of bodies are not the deck's.
    """
    world = np.concatenate([system.positions(x, body, grids) for body, grids in places.items()])
    ids = np.concatenate(list(places.values()))
    basic = fe.grids.xyz[fe.grids.find(ids)]
    size = max(float(np.ptp(basic, axis=0).max()), float(np.ptp(world, axis=0).max()), 1e-300)

    def left(R: np.ndarray) -> np.ndarray:
        moved = (world - world.mean(axis=0)) @ R.T
        return np.linalg.norm(moved - (basic - basic.mean(axis=0)), axis=1)

    R = np.eye(3)
    if left(R).max() > 1e-6 * size:
        U, _, Vt = np.linalg.svd((basic - basic.mean(axis=0)).T @ (world - world.mean(axis=0)))
        R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    off = left(R)
    if off.max() > FIT * size:
        at = int(np.argmax(off))
        raise ModelError(
            "compare: the bodies do not lie where the deck has them",
            where=f"grid {ids[at]}",
            got=f"{off[at]:.4g} apart",
            hint="give the joint coordinates of the deck (joints=), and look at `at` and `rotation` of the bodies",
        )
    return R


def _basic(fe: FEModel, shapes: np.ndarray, places: Mapping[str, list[int]], arm: float) -> np.ndarray:
    """Return motions (6k, m) of the grids in the deck's modes, basic axes."""
    rows = fe.grids.find(np.concatenate(list(places.values())))
    own = shapes[fe.grids.dof[rows][:, None] + np.arange(6)]
    R = fe.grids.R_basic_cd[rows]
    return _stacked(R @ own[:, :3], R @ own[:, 3:], arm)


def _stacked(move: np.ndarray, turn: np.ndarray, arm: float) -> np.ndarray:
    """Return translations (k, 3, m) and rotations times a length, grid by grid (6k, m)."""
    both = np.concatenate([move, arm * turn], axis=1)
    return both.reshape(-1, both.shape[-1])


def _paired(
    ours_hz: np.ndarray, ours: np.ndarray, theirs_hz: np.ndarray, theirs: np.ndarray, cluster: float
) -> list[tuple[int, float]]:
    """Return for each mode of the deck the mode of the system that is most like it, and the MAC; (-1, 0) for none.

    Modes within `cluster` of a frequency count as one space, in which shapes of equal frequencies may be mixed anyhow.
    """
    if not len(ours_hz):
        return [(-1, 0.0)] * len(theirs_hz)
    unit = ours / np.linalg.norm(ours, axis=0)
    whole = theirs / np.linalg.norm(theirs, axis=0)
    likeness = (unit.T @ whole) ** 2
    out: list[tuple[int, float]] = [(-1, 0.0)] * len(theirs_hz)
    spaces = []
    for j, hz in enumerate(theirs_hz):
        best = int(np.argmax(likeness[:, j]))
        near = np.flatnonzero(np.abs(ours_hz - ours_hz[best]) <= cluster * hz)
        Q, _ = np.linalg.qr(unit[:, near])
        spaces.append((float(np.sum((Q.T @ whole[:, j]) ** 2)), near))
    free = set(range(len(ours_hz)))
    for j in sorted(range(len(theirs_hz)), key=lambda j: (-round(spaces[j][0], 6), theirs_hz[j])):
        mac, near = spaces[j]
        left = [i for i in near.tolist() if i in free]
        if left:
            i = min(left, key=lambda i: abs(ours_hz[i] - theirs_hz[j]))
            free.discard(i)
            out[j] = (i, mac)
    return out
