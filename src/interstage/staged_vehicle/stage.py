"""A stage: a dry structure and the tanks or grains in it, as matrices of its nodes.

Stages and levels of propellant from decks: matrices of grids in basic axes, dependence as the deck has it.

A stage without a deck: a thin cylinder with columns of propellant on its axis.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.checks import digits_of
from interstage.component.from_matrices import Matrix, symmetric_matrix
from interstage.component.from_nastran.deck import element_rows
from interstage.component.from_nastran.deck_common import as_deck, direct_matrices, grid_turns
from interstage.component.integrals import rigid_motion
from interstage.component.interface import components_of
from interstage.component.options import ElementResult
from interstage.component.unit_loads import Recoverer, projected
from interstage.errors import InputError, ModelError, did_you_mean, shown
from interstage.fem.geometric import projected_stiffness
from interstage.fem.model import FEModel
from interstage.fem.reduction import ReducedModel
from interstage.fem.requests import modes_case
from interstage.fem.sets import SetCards
from interstage.fem.solutions import subcase_constraints
from interstage.nastran import Deck, deck_from_text
from interstage.nastran.builders import ON_AXIS, cylinder_deck, ring_stations
from interstage.output import write_text
from interstage.spatial.checks import as_array
from interstage.staged_vehicle.interfaces import GAP, whole
from interstage.staged_vehicle.propellant_levels import WEIGHT, Levels, check_labels, check_mass

DeckLike: TypeAlias = Deck | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class DeckMatrices:
    """Matrices of a deck: nodes {id: xyz}, K and M (6N, 6N), six components a grid in basic axes, and its model.

    digits : what the matrices show of their precision that the deck gives as numbers, by name
    """

    fe: FEModel
    nodes: dict[int, np.ndarray]
    K: sp.csr_matrix
    M: sp.csr_matrix
    Q: sp.csr_matrix
    digits: dict[str, str]

    def free(self) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Return T (6N, nf), motion of the grids from the free coordinates (rigid elements, MPC and SPC applied), and
        the pick (nf, 6N) of these coordinates from motion of the grids.
        """
        fe = self.fe
        constraints = subcase_constraints(fe, modes_case(fe, None), SetCards())
        reduced = ReducedModel(fe.K_gg, fe.M_gg, fe.grids, constraints)
        T = self.Q @ sp.csr_matrix(reduced.dependence.T_gn)[:, reduced.sets.within("f", "n")]
        return T.tocsr(), self.Q.T.tocsr()[reduced.sets.f]

    def stressed(self, u: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """Return the geometric stiffness ΦᵀKgΦ (k, m, m) of the elements under displacements (6N, k), basic axes."""
        return projected_stiffness(self.fe, self.Q.T @ u, self.Q.T @ shapes, "full")[0]

    def results(self, wanted: Mapping[str, ElementResult]) -> Recoverer | None:
        """Return results of elements as functions of displacements (6N, k), basic axes; None where none are wanted."""
        return element_rows(self.fe, sp.csr_matrix(self.Q.T), wanted)


def deck_matrices(deck: DeckLike) -> DeckMatrices:
    """Return the matrices of a deck."""
    deck = as_deck(deck, allow_outside=False)
    fe = FEModel.from_deck(deck)
    scalar = fe.grids.spoint_dof
    if len(scalar) and (fe.K_gg[scalar].nnz or fe.M_gg[scalar].nnz):
        raise ModelError(
            "a stage is made of grids: its deck has scalar points with stiffness or mass",
            where=f"{fe.source}, scalar point {fe.grids.spoint[0]}",
            hint="put them on grids",
        )
    Q = grid_turns(fe, np.eye(3))
    nodes = {int(i): xyz for i, xyz in zip(fe.grids.id, fe.grids.xyz)}
    digits = {name: digits_of(matrix) for name, matrix in direct_matrices(deck).items()}
    return DeckMatrices(fe, nodes, (Q @ fe.K_gg @ Q.T).tocsr(), (Q @ fe.M_gg @ Q.T).tocsr(), Q, digits)


Nodes: TypeAlias = Mapping[int, ArrayLike]
Level: TypeAlias = Matrix | tuple[Matrix, Matrix] | DeckLike
Stressed: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Displacements (6N, k) of the nodes of a stage and shapes Φ (6N, m) -> ΦᵀKgΦ (k, m, m) of the stresses of each."""
Results: TypeAlias = Callable[[Mapping[str, ElementResult]], Recoverer | None]
"""Results of elements -> these as functions of the displacements of a deck's grids."""


@named_arguments
class Stage:
    """A dry structure with tanks.

    Parameters
    ----------
    name : name of the stage in its vehicle
    K, M : (6N, 6N) stiffness and mass of the dry structure, sparse or dense; six components a node in the order
        T1 T2 T3 R1 R2 R3, nodes in the order of `nodes`, one set of axes for all
    nodes : {id: position}
    geometric : geometric stiffness (6N, 6N) of the stresses of displacements (6N,), in the order of K; without it loads
        leave the stiffness of the stage as it is, and `geometric_stiffness` of a vehicle is refused

    >>> from interstage.fem import lumped_beam
    >>> K, M, nodes = lumped_beam(10.0, 5, EA=1e7, GJ=1e4, EI=3e3, mass=[2, 2, 2, 0.1, 0.1, 0.1])
    >>> stage = Stage("first", K=K, M=M, nodes=nodes)
    >>> stage.add_tank("grain", levels={0.0: 0 * M, 12.0: M}, nodes=range(1, 7))
    >>> stage
    <Stage 'first': 6 nodes, mass 12, tank 'grain' 0 to 12>
    """

    def __init__(
        self,
        name: str,
        *,
        K: Matrix,
        M: Matrix,
        nodes: Nodes,
        geometric: Callable[[np.ndarray], Matrix] | None = None,
    ):
        self.name = name
        self.nodes = _checked_nodes(nodes, f"stage '{name}'")
        size = 6 * len(self.nodes)
        self.K = symmetric_matrix(K, size, f"the stiffness of stage '{name}'", "six components a node")
        self.M = symmetric_matrix(M, size, f"the mass of stage '{name}'", "six components a node")
        check_mass(self.M, self.rigid()[:, 3:], f"stage '{name}'")
        # what the matrices given show of their precision, by name
        self.digits = {f"K of stage '{name}'": digits_of(K), f"M of stage '{name}'": digits_of(M)}
        self.tanks: dict[str, Levels] = {}
        self._T: sp.csr_matrix | None = None
        self._pick: sp.csr_matrix | None = None
        self._riders: dict[int, int] = {}
        self._stressed: Stressed | None = None
        self._results: Results | None = None
        if geometric is not None:
            self._stressed = lambda u, shapes: projected(map(geometric, u.T), shapes)
        self._dry = size

    @classmethod
    def from_deck(cls, deck: Deck | str | os.PathLike[str], name: str | None = None) -> Stage:
        """Make a stage of a deck: its grids in basic axes, rigid elements and MPC as they are.

        name : default: that of its file

        What the deck holds to ground (SPC) is refused when a vehicle is made: a vehicle is free.
        """
        found = deck_matrices(deck)
        stage = cls(name or Path(str(found.fe.source)).stem, K=found.K, M=found.M, nodes=found.nodes)
        stage.digits = found.digits
        stage._T, stage._pick = found.free()
        stage._stressed = found.stressed
        stage._results = found.results
        return stage

    @classmethod
    def cylinder(
        cls,
        name: str,
        length: float,
        radius: float,
        thickness: float,
        *,
        tanks: Mapping[str, Sequence[float]],
        levels: int = 5,
        deck: str | os.PathLike[str] | None = None,
        **options: object,
    ) -> Stage:
        """Make a stage without a deck: a thin cylinder along +x with columns of propellant on its axis. SI units.

        Nodes 1 and 2 are the centers of the rigid end rings, at x = 0 and x = length: places for joins, engines and
        payload. Propellant at a height moves with the mean motion of the wall there; it adds no stiffness and no
        inertia in roll, and it does not slosh.

        Parameters
        ----------
        length, radius, thickness : of the cylinder, of the middle of its wall, and of the wall, m
        tanks : {name: (bottom, top, mass)} along x, m, and the propellant of the full tank, kg
        levels : number of fills at which mass matrices are made, from empty to full
        deck : file to which the deck of the dry structure is written, to look at and change (default: none)
        options : `material`, `elements`, `frames` and `stations`, as in `interstage.nastran.builders.cylinder_deck`
        """

        return cylinder_stage(name, length, radius, thickness, tanks, levels, deck, options)

    @property
    def stressed(self) -> Stressed | None:
        """Geometric stiffness of the dry structure from displacements of all nodes, None where it is not known."""
        known, own = self._stressed, self._dry
        return None if known is None else lambda u, shapes: known(u[:own], shapes[:own])

    def results(self, wanted: Mapping[str, ElementResult]) -> Recoverer | None:
        """Return results of elements as functions of displacements (6N, k) of all nodes, None where none are wanted."""
        if not wanted:
            return None
        found = None if self._results is None else self._results(wanted)
        if found is None:
            raise ModelError(
                f"stage '{self.name}' has no elements whose forces are known",
                where=f"recover, '{next(iter(wanted))}'",
                hint="make it from a deck",
            )
        return Recoverer(found.names, found.quantities, lambda u: found.rows(u[: self._dry]))

    def add_tank(
        self,
        name: str,
        *,
        levels: Mapping[float, Level],
        nodes: Sequence[int] | Nodes | None = None,
        dofs: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """Add a tank or a grain by its matrices at levels of propellant.

        Parameters
        ----------
        name : of the tank; its propellant has this name in the vehicle
        levels : {mass of the propellant: M, (M, K) or a deck}; between them matrices are interpolated linearly. A level
            that does not weigh its label is refused
        nodes : ids of nodes of the stage that the matrices are of, six components each (default: all nodes, or the
            grids of the decks); {id: position} where the tank has nodes of its own, which its stiffness must hold
        dofs : (node, component 1 to 6) of each row, in place of `nodes`
        """
        if name in self.tanks:
            raise InputError(f"there is a tank '{name}' already", where=f"stage '{self.name}'")
        before, digits = (self.nodes, self.K, self.M), dict(self.digits)
        try:
            self.tanks[name] = tank = self._tank(name, levels, nodes, dofs)
            self._check_carried(tank)
        except BaseException:  # a tank that is refused leaves nothing behind
            self.nodes, self.K, self.M = before
            self.digits = digits
            self.tanks.pop(name, None)
            raise

    def _tank(
        self,
        name: str,
        levels: Mapping[float, Level],
        nodes: Sequence[int] | Nodes | None,
        dofs: Sequence[tuple[int, int]] | None,
    ) -> Levels:
        """Return the levels of a tank, with its own nodes added to those of the stage."""
        masses = check_labels(name, levels)
        found = [self._level(name, mass, one) for mass, one in zip(masses, levels.values())]
        if nodes is None and dofs is None:
            nodes = next((of_deck for _, _, of_deck in found if of_deck is not None), list(self.nodes))
        rows = self._rows(name, nodes, dofs)
        if len(np.unique(rows)) != len(rows):
            twice = int(np.flatnonzero(np.bincount(rows) > 1)[0])
            raise InputError(
                f"node {list(self.nodes)[twice // 6]} is named twice",
                where=f"tank '{name}'",
                expected="a row of the matrices for each component once",
            )
        M, K = [], []
        for mass, (m, k, of_deck) in zip(masses, found):
            where = f"tank '{name}', level {mass:g}"
            if of_deck is not None:
                m, k = self._placed(m, k, of_deck, rows, where)
            M.append(symmetric_matrix(m, len(rows), f"the mass of {where}", "a row for each component"))
            if k is not None:
                K.append(
                    symmetric_matrix(k, len(rows), f"the stiffness of {where}", "a row for each component")
                )
        if all(of_deck is None for _, _, of_deck in found):
            for k, letter in enumerate("MK"):
                short = (digits_of(one[k]) for one in found)
                self.digits[f"{letter} of tank '{name}'"] = next((one for one in short if one), "")
        if K and len(K) != len(M):
            raise InputError(
                "some levels have a stiffness and some have none",
                where=f"tank '{name}'",
                expected="M for all levels, or (M, K) for all",
            )
        order = np.argsort(masses)
        stiff = tuple(K[i] for i in order) if K else ()
        tank = Levels(name, masses[order], tuple(M[i] for i in order), stiff, rows)
        tank.check_weight(self.rigid()[rows, 3:])
        return tank

    @property
    def ids(self) -> np.ndarray:
        """Ids (N,) of the nodes, in their order."""
        return np.array(list(self.nodes), dtype=np.int64)

    @property
    def positions(self) -> np.ndarray:
        """Positions (N, 3) of the nodes."""
        return np.array(list(self.nodes.values())).reshape(-1, 3)

    @property
    def mass(self) -> float:
        """Mass of the dry structure."""
        S = self.rigid()[:, 3:]
        return float(np.trace(S.T @ (self.M @ S)) / 3.0)

    def rigid(self, at: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the motion (6N, 6) of the nodes under [w; v] of the origin, with the stage moved by `at`."""
        return rigid_motion(self.positions + as_array(at, (3,), "at"))

    def free(self) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Return T (6N, nf), motion of the nodes from free coordinates, and the pick (nf, 6N) of these.

        Of arrays, every component that has stiffness or mass is free; of a deck, what its cards leave free. Nodes that
        ride on others (`add_riders`) slide across x and follow them else.
        """
        T, pick = self._free()
        if not self._riders:
            return T, pick
        follow = sp.identity(T.shape[0], format="lil")
        held: list[int] = []
        for node, carrier in self._riders.items():
            row, own = 6 * self.row_of(node, self.name), 6 * self.row_of(carrier, self.name)
            _, y, z = self.nodes[node] - self.nodes[carrier]
            for c in (0, 3, 4, 5):
                follow[row + c, row + c] = 0.0
                follow[row + c, own + c] = 1.0
            follow[row, own + 4], follow[row, own + 5] = z, -y
            held += [row + c for c in (0, 3, 4, 5)]
        keep = np.flatnonzero(~np.isin(pick.indices, held))
        return sp.csr_matrix((follow.tocsr() @ T)[:, keep]), sp.csr_matrix(pick[keep])

    def add_riders(self, nodes: dict[int, np.ndarray], carrier: int) -> None:
        """Add nodes that slide across x on a node that carries them: along and about x they follow it."""
        where = f"stage '{self.name}'"
        self.row_of(whole(carrier, where), where)
        checked = _checked_nodes(nodes, where)
        self._add_nodes(checked, where)
        self._riders |= dict.fromkeys(checked, carrier)

    def _free(self) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Return T and the pick of these without riders."""
        if self._T is not None and self._pick is not None:
            more = 6 * len(self.nodes) - self._T.shape[0]  # nodes of tanks
            return (
                sp.block_diag([self._T, sp.identity(more)], format="csr"),
                sp.block_diag([self._pick, sp.identity(more)], format="csr"),
            )
        size = abs(self.K).max() if self.K.nnz else 0.0
        used = np.asarray(abs(self.K).sum(axis=1)).ravel() > 1e-14 * size
        used |= np.asarray(abs(self.M).sum(axis=1)).ravel() > 0.0
        for tank in self.tanks.values():
            for A in (*tank.M, *tank.K):
                used[tank.rows] |= np.asarray(abs(A).sum(axis=1)).ravel() > 0.0
        T = sp.identity(len(used), format="csr")[:, np.flatnonzero(used)].tocsr()
        return T, T.T.tocsr()

    def row_of(self, node: int, where: str) -> int:
        """Return the place of a node among the nodes."""
        if node not in self.nodes:
            raise InputError(
                f"stage '{self.name}' has no node {node}", where=where, hint=did_you_mean(node, self.nodes)
            )
        return list(self.nodes).index(node)

    def _level(
        self, name: str, mass: float, level: Level
    ) -> tuple[Matrix, Matrix | None, dict[int, np.ndarray] | None]:
        """Return mass and stiffness of a level as given, and the nodes of its deck where it is one."""
        if isinstance(level, Deck | str | os.PathLike):
            found = deck_matrices(level)
            self.digits |= found.digits
            return found.M, found.K if found.K.nnz else None, found.nodes
        if isinstance(level, tuple) and len(level) == 2:
            return level[0], level[1], None
        if not sp.issparse(level) and np.ndim(level) != 2:
            raise InputError(
                "a level is not usable",
                where=f"tank '{name}', level {mass:g}",
                expected="a mass matrix, (mass, stiffness), or a deck",
                got=shown(level),
            )
        return level, None, None

    def _rows(
        self, name: str, nodes: Sequence[int] | Nodes | None, dofs: Sequence[tuple[int, int]] | None
    ) -> np.ndarray:
        where = f"tank '{name}'"
        if dofs is not None:
            if nodes is not None:
                raise InputError("give nodes or dofs, not both", where=where)
            return np.array(
                [6 * self.row_of(whole(i, where), where) + components_of(c, where)[0] for i, c in dofs],
                dtype=np.int64,
            )
        if isinstance(nodes, Mapping):
            self._add_nodes(_checked_nodes(nodes, where), where)
        first = np.array([6 * self.row_of(whole(i, where), where) for i in nodes or ()], dtype=np.int64)
        return (first[:, None] + np.arange(6)).ravel()

    def _add_nodes(self, nodes: dict[int, np.ndarray], where: str) -> None:
        """Add nodes of a tank; those that are there must be where they are."""
        size = max((float(np.abs(xyz).max()) for xyz in (self.nodes | nodes).values()), default=0.0)
        for i, xyz in nodes.items():
            gap = float(np.linalg.norm(self.nodes.get(i, xyz) - xyz))
            if gap > GAP * size:
                raise InputError(
                    f"node {i} of the tank is not where node {i} of the stage is",
                    where=where,
                    got=f"a gap of {gap:g}",
                )
        new = {i: xyz for i, xyz in nodes.items() if i not in self.nodes}
        empty = sp.csr_matrix((6 * len(new), 6 * len(new)))
        self.K = sp.block_diag([self.K, empty], format="csr")
        self.M = sp.block_diag([self.M, empty], format="csr")
        self.nodes = self.nodes | new

    def _placed(
        self, M: Matrix, K: Matrix | None, nodes: dict[int, np.ndarray], rows: np.ndarray, where: str
    ) -> tuple[Matrix, Matrix | None]:
        """Return matrices of the grids of a deck in the rows of the tank."""
        at = {int(row): i for i, row in enumerate(rows)}
        first = [6 * self.row_of(i, where) for i in nodes]
        wanted = (np.array(first)[:, None] + np.arange(6)).ravel()
        if any(int(row) not in at for row in wanted):
            raise InputError("a level has grids that the other levels, or `nodes`, do not have", where=where)
        columns = np.array([at[int(row)] for row in wanted])
        shape = (len(wanted), len(rows))
        P = sp.csr_matrix((np.ones(len(wanted)), (np.arange(len(wanted)), columns)), shape=shape)
        return (P.T @ M @ P), None if K is None else (P.T @ K @ P)

    def _check_carried(self, tank: Levels) -> None:
        """Refuse propellant on components that the structure does not carry."""
        T, pick = self.free()
        move = (T @ (pick @ self.rigid()[:, 3:]))[tank.rows]
        full = tank.M[-1]
        lost = np.abs(move.T @ (full @ move) - tank.masses[-1] * np.eye(3)).max()
        if lost > 10.0 * WEIGHT * max(float(tank.masses[-1]), 1e-300):
            part = f"{lost:g} of {tank.masses[-1]:g} would be lost"
            raise ModelError(
                "propellant hangs on components that the structure holds to ground or does not carry",
                where=f"stage '{self.name}', tank '{tank.name}'",
                got=part,
                hint="take away SPC, or hang the propellant on nodes that have stiffness",
            )

    def __repr__(self) -> str:
        tanks = "".join(f", tank '{t.name}' {t.masses[0]:g} to {t.masses[-1]:g}" for t in self.tanks.values())
        return f"<Stage '{self.name}': {len(self.nodes)} nodes, mass {self.mass:g}{tanks}>"


def _checked_nodes(nodes: object, where: str) -> dict[int, np.ndarray]:
    if not isinstance(nodes, Mapping) or not nodes:
        raise InputError("nodes are not usable", where=where, expected="{id: position}", got=shown(nodes))
    return {whole(i, where): as_array(xyz, (3,), f"{where}, node {i}") for i, xyz in nodes.items()}


DEFAULT_ELEMENTS = (16, 24)


def cylinder_stage(
    name: str,
    length: float,
    radius: float,
    thickness: float,
    tanks: Mapping[str, Sequence[float]],
    levels: int,
    deck: str | os.PathLike[str] | None,
    options: dict[str, Any],
) -> Stage:
    """Return the stage; arguments as in `Stage.cylinder`."""
    columns = {tank: _column(tank, given, length) for tank, given in tanks.items()}
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        raise InputError("Stage.cylinder: levels must be an integer of at least 2", got=shown(levels))
    stations = [*options.pop("stations", ()), *(x for column in columns.values() for x in column[:2])]
    elements = options.get("elements", DEFAULT_ELEMENTS)
    text = cylinder_deck(length, radius, thickness, stations=stations, axis=True, **options)
    stage = Stage.from_deck(
        deck_from_text(text) if deck is None else write_text(deck, text, what="deck"), name=name
    )
    rings = ring_stations(length, elements[0], stations)
    nodes = [1, *(ON_AXIS + k for k in range(2, len(rings))), 2]
    for tank, (bottom, top, mass) in columns.items():
        part = np.linspace(0.0, 1.0, levels)
        filled = {
            float(mass * p): column_mass(rings, bottom, bottom + p * (top - bottom), float(mass * p))
            for p in part
        }
        stage.add_tank(tank, levels=filled, nodes=nodes)
    return stage


def column_mass(x: np.ndarray, bottom: float, surface: float, mass: float) -> sp.csr_matrix:
    """Return the mass matrix (6n, 6n) of a column of liquid, at nodes on its axis.

    Mass goes to the nodes by ∫ ρA N_i dx with N_i linear between them: mass and center of mass are those of the column.

    x (n,) : nodes on the axis, ascending, among them the bottom; bottom, surface : of the liquid, m; mass : kg
    """
    share = np.zeros(len(x))
    if mass > 0.0:
        for i in range(len(x) - 1):
            a, b = max(x[i], bottom), min(x[i + 1], surface)
            if b > a:
                upper = (0.5 * (a + b) - x[i]) / (x[i + 1] - x[i])
                share[[i, i + 1]] += mass * (b - a) / (surface - bottom) * np.array([1.0 - upper, upper])
    return sp.csr_matrix(sp.diags(np.kron(share, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])))


def _column(tank: str, given: Sequence[float], length: float) -> tuple[float, float, float]:
    """Return bottom, top and mass of a tank, checked."""
    try:
        bottom, top, mass = (float(number) for number in given)
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            f"tank '{tank}' must be three numbers",
            expected="bottom in m, top in m, mass in kg",
            got=shown(given),
        ) from None
    if not 0.0 <= bottom < top <= length:
        raise InputError(
            f"tank '{tank}' must lie inside the cylinder, its bottom below its top",
            expected=f"0 to {length:g} m",
            got=f"bottom {bottom:g} m, top {top:g} m",
        )
    if not (np.isfinite(mass) and mass > 0.0):
        raise InputError(f"tank '{tank}': mass must be positive", got=f"{mass:g} kg")
    return bottom, top, mass
