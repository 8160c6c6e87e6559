"""Stages coupled into one structure: matrices of the remaining coordinates, dry and with every level of propellant.

    u = T x,  x = S q,  V = T S;   K = V' K_g V,   M(m) = V' M_g V + Σ_k V_k' M_k(m_k) V_k

V does not depend on mass. A vehicle is free: its six rigid motions must be among those of q, without strain.

Substructure coupling: coordinates of all stages from those that remain, u = S q.

Constraint equations C u = 0 (coincident components, rigid links, any linear relation) are collected; rows are
normalized, and columns of rotations are divided by a length, so that all numbers are of one kind. QR with column
pivoting then picks the dependent coordinates, C P = Q [R11 R12], and u_d = -R11⁻¹ R12 u_i. Equations that say what
others say show as a lack of rank and are dropped. (R. R. Craig, Structural Dynamics, 1981, ch. 19, with the choice of
dependents left to the pivots.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from interstage.calls import named_arguments
from interstage.component.checks import precision_words
from interstage.errors import InputError, ModelError, did_you_mean, shown
from interstage.linalg.eigen import eigenmodes
from interstage.staged_vehicle.interfaces import Join
from interstage.staged_vehicle.propellant_levels import Levels
from interstage.staged_vehicle.stage import Stage, Stressed

STRAIN = 1e-6  # of |K| |u|: forces that a rigid motion may call up by rounding in the matrices


@dataclass(frozen=True, eq=False)
class FreeModes:
    """Flexible modes of a free vehicle at one fill: frequencies (k,) Hz, shapes (nq, k) of unit modal mass."""

    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def __repr__(self) -> str:
        hz = self.frequencies_hz
        shown_hz = ", ".join(f"{one:.4g}" for one in hz[:6]) + (", ..." if len(hz) > 6 else "")
        return f"<Modes: {len(hz)} flexible modes, {shown_hz} Hz>"


@named_arguments
@dataclass(frozen=True, eq=False)
class CoupledStructure:
    """A coupled structure.

    places : (stage, node) of the nodes;  positions : (N, 3);  ids : (N,) of the nodes in a component
    K_g, M_g : (6N, 6N) dry matrices;  V : (6N, nq) node motion from coordinates
    rigid : (nq, 6) of [w; v] of the origin
    tanks : levels by name, with rows of the whole vehicle
    stressed : geometric stiffness of each stage from its displacements, where it is known
    precision : which matrices have less than double precision, in words; "" where none has
    """

    places: list[tuple[str, int]]
    positions: np.ndarray
    ids: np.ndarray
    K_g: sp.csr_matrix
    M_g: sp.csr_matrix
    V: sp.csr_matrix
    rigid: np.ndarray
    tanks: dict[str, Levels]
    coupling: Coupling
    stressed: dict[str, Stressed | None]
    precision: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        stages: Mapping[str, Stage],
        at: Mapping[str, np.ndarray],
        joins: Sequence[Join],
        numbered: Mapping[str, Stage] | None = None,
    ) -> CoupledStructure:
        """Couple stages at their places by the equations of their joins.

        numbered : stages whose order numbers the nodes, those that were taken away among them (default: `stages`)
        """
        if not stages:
            raise ModelError("a vehicle without stages", where=f"vehicle '{name}'", hint="add stages")
        first: dict[str, int] = {}
        tanks: dict[str, Levels] = {}
        places: list[tuple[str, int]] = []
        for stage in stages.values():
            first[stage.name] = 6 * len(places)
            places += [(stage.name, int(i)) for i in stage.ids]
            for tank in stage.tanks.values():
                if tank.name in tanks:
                    raise InputError(
                        f"there are two tanks '{tank.name}'",
                        where=f"stage '{stage.name}'",
                        hint="name one anew",
                    )
                rows = tank.rows + first[stage.name]
                tanks[tank.name] = replace(tank, rows=rows)
        free = [stage.free() for stage in stages.values()]
        T = sp.block_diag([one for one, _ in free], format="csr")
        pick = sp.block_diag([one for _, one in free], format="csr")
        S_g = np.vstack([stage.rigid(at[stage.name]) for stage in stages.values()])
        C = _equations(stages, first, T.shape[0], joins, S_g)
        if C.shape[0]:
            angles = pick.indices[pick.indptr[:-1]] % 6 >= 3
            lever = max(join.lever for join in joins)
            found = couple(sp.csr_matrix(C @ T), angles, lever if lever > 0.0 else 1.0)
        else:
            found = uncoupled(T.shape[1])
        stack = cls(
            places,
            np.vstack([stage.positions + at[stage.name] for stage in stages.values()]),
            _ids(stages, stages if numbered is None else numbered),
            sp.block_diag([stage.K for stage in stages.values()], format="csr"),
            sp.block_diag([stage.M for stage in stages.values()], format="csr"),
            sp.csr_matrix(T @ found.S),
            (pick @ S_g)[found.independent],
            tanks,
            found,
            {stage.name: stage.stressed for stage in stages.values()},
            precision_words({k: v for stage in stages.values() for k, v in stage.digits.items()}),
        )
        _check_free(stack, name)
        _check_connected(stack, name, list(stages))
        return stack

    # matrices ---------------------------------------------------------------------------------------------

    @cached_property
    def dry(self) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Stiffness and mass (nq, nq) of the dry vehicle."""
        return sp.csr_matrix(self.V.T @ self.K_g @ self.V), sp.csr_matrix(self.V.T @ self.M_g @ self.V)

    @cached_property
    def _coupled(self) -> dict[str, Levels]:
        """Levels of the tanks as matrices (nq, nq)."""
        out = {}
        for name, tank in self.tanks.items():
            v = self.V[tank.rows]
            M, K = (tuple(sp.csr_matrix(v.T @ A @ v) for A in part) for part in (tank.M, tank.K))
            out[name] = Levels(name, tank.masses, M, K, np.arange(self.V.shape[1]))
        return out

    def stiffness(self, propellant: Mapping[str, float]) -> sp.csr_matrix:
        """Return K (nq, nq) with given propellant."""
        tanks = ((tank, propellant[name]) for name, tank in self._coupled.items() if tank.K)
        return sum((tank.between(tank.K, mass) for tank, mass in tanks), start=self.dry[0])

    def mass(self, propellant: Mapping[str, float]) -> sp.csr_matrix:
        """Return M (nq, nq) with given propellant."""
        tanks = ((tank, propellant[name]) for name, tank in self._coupled.items())
        return sum((tank.between(tank.M, mass) for tank, mass in tanks), start=self.dry[1])

    def node_mass(self, propellant: Mapping[str, float]) -> sp.csr_matrix:
        """Return M (6N, 6N) of the node components with given propellant."""
        M = self.M_g
        for name, tank in self.tanks.items():
            P = row_picker(tank.rows, M.shape[0])
            M = M + P.T @ tank.between(tank.M, propellant[name]) @ P
        return sp.csr_matrix(M)

    def stages_of_rows(self) -> Iterator[tuple[np.ndarray, Stressed | None]]:
        """Yield the rows (6N_s,) of the nodes of each stage, and its geometric stiffness."""
        owner = np.repeat([list(self.stressed).index(stage) for stage, _ in self.places], 6)
        for k, known in enumerate(self.stressed.values()):
            yield np.flatnonzero(owner == k), known

    # fills ------------------------------------------------------------------------------------------------

    def propellant(self, given: object) -> dict[str, float]:
        """Return the propellant of every tank from {tank: mass} (others full), or from a part 0 to 1 of all of them."""
        full = {name: float(tank.masses[-1]) for name, tank in self.tanks.items()}
        if given is None:
            return full
        if isinstance(given, Mapping):
            for name in given:
                if name not in full:
                    raise InputError(
                        f"there is no tank '{name}'", where="propellant", hint=did_you_mean(name, full)
                    )
            out = full | {str(name): _number(mass, name) for name, mass in given.items()}
            for name, mass in out.items():
                self.tanks[name].interval(mass)
            return out
        if isinstance(given, bool) or not isinstance(given, (int, float, np.integer, np.floating)):
            raise InputError(
                "the propellant is not usable",
                where="propellant",
                expected="{tank: mass}, or a part 0 (empty) to 1 (full) of all",
                got=shown(given),
            )
        return self.filled(float(given), list(full))

    def filled(self, part: float, burning: Sequence[str]) -> dict[str, float]:
        """Return the propellant with some tanks at a part between their lowest and highest level, others full."""
        if not 0.0 <= part <= 1.0:
            raise InputError("a fill is not usable", expected="0 (empty) to 1 (full)", got=shown(part))
        out = {}
        for name, tank in self.tanks.items():
            low, high = float(tank.masses[0]), float(tank.masses[-1])
            out[name] = low + part * (high - low) if name in burning else high
        return out

    # modes ------------------------------------------------------------------------------------------------

    def modes(
        self, propellant: Mapping[str, float], n_modes: int | None = None, below_hz: float | None = None
    ) -> FreeModes:
        """Return flexible modes of the free vehicle: the lowest n_modes, or all below a frequency."""
        K, M = self.stiffness(propellant), self.mass(propellant)
        if n_modes is not None:
            n_modes = min(n_modes + 6, K.shape[0])
        found = eigenmodes(K, M, n_modes=n_modes, f_max=below_hz)
        rigid = self.rigid_basis(M)
        part = np.sum((rigid.T @ (M @ found.vectors)) ** 2, axis=0)
        flexible = part < 0.5
        hz, shapes = found.frequencies_hz[flexible], found.vectors[:, flexible]
        loose = hz < 1e-4 * max(float(hz.max(initial=0.0)), 1e-30)
        if loose.any():
            at = int(np.abs(self.V @ shapes[:, 0]).argmax())
            raise ModelError(
                "the vehicle has a motion without strain beside its six rigid ones",
                where="stage '{}', node {}".format(*self.places[at // 6]),
                got=f"{hz[loose][0]:.3g} Hz",
                hint="join the stages by more components, or hold the part that is loose",
            )
        shapes = shapes - rigid @ (rigid.T @ (M @ shapes))  # rigid parts from rounding
        return FreeModes(hz, shapes)

    def rigid_basis(self, M: sp.csr_matrix) -> np.ndarray:
        """Return rigid motions (nq, 6) with S' M S = 1."""
        M_rr = self.rigid.T @ (M @ self.rigid)
        scale = np.sqrt(np.maximum(np.diag(M_rr), 0.0))
        if scale.min() <= 1e-9 * scale.max() or np.linalg.cond(M_rr / np.outer(scale, scale)) > 1e14:
            axis = "xyz"[int(np.argmin(scale[:3]))]
            raise ModelError(
                "the vehicle has no inertia about an axis",
                where=f"axis {axis}",
                hint="give nodes some inertia about it: a beam model often has none in roll",
            )
        L = np.linalg.cholesky(M_rr / np.outer(scale, scale))
        return np.linalg.solve(L, (self.rigid / scale).T).T


def check_wanted(n_modes: int | None, below_hz: float | None, where: str) -> None:
    """Refuse counts of modes and frequencies that cannot be meant."""
    if n_modes is not None and (
        isinstance(n_modes, bool) or not isinstance(n_modes, (int, np.integer)) or n_modes < 1
    ):
        raise InputError("n_modes counts modes", where=where, expected="1 or more", got=shown(n_modes))
    if below_hz is not None and not (
        isinstance(below_hz, (int, float, np.integer, np.floating)) and 0.0 < below_hz < np.inf
    ):
        raise InputError("below_hz must be positive", where=where, expected="Hz", got=shown(below_hz))


def _number(mass: object, name: object) -> float:
    try:
        return float(mass)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError("a mass is no number", where=f"tank '{name}'", got=shown(mass)) from None


def row_picker(rows: np.ndarray, n: int) -> sp.csr_matrix:
    """Return P (r, n) that picks rows of a vector (n,)."""
    return sp.csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), n))


def _equations(
    stages: Mapping[str, Stage], first: Mapping[str, int], n: int, joins: Sequence[Join], S_g: np.ndarray
) -> sp.csr_matrix:
    """Return C (m, 6N) of all joins; equations that a rigid motion of the whole breaks are refused.

    An equation may strain by STRAIN of its terms times what they multiply: 1 in a move, the size of the vehicle in
    a turn. Coefficients of turns are lengths, and are weighed as such, so that the answer is the same in all units.
    """
    rows, columns, values = [], [], []
    size = float(np.abs(S_g[:, :3]).reshape(-1, 6, 3)[:, :3].max(initial=0.0)) or 1.0
    limit = STRAIN * np.repeat([size, 1.0], 3)
    count = 0
    for join in joins:
        for equation in join.equations:
            at = [
                first[stage] + 6 * stages[stage].row_of(node, f"join '{join.name}'") + c
                for stage, node, c in equation
            ]
            terms = np.array(list(equation.values()))
            turns = np.array([c >= 3 for _, _, c in equation])
            strain = np.abs(terms @ S_g[at])
            excess = strain / (limit * np.abs(np.where(turns, terms / size, terms)).max())
            k = int(excess.argmax())
            if excess[k] > 1.0:
                axis = f"{'turns about' if k < 3 else 'moves along'} {'xyz'[k % 3]}"
                raise ModelError(
                    "a join strains when the whole vehicle moves as a rigid body",
                    where=f"join '{join.name}'",
                    expected="a relation that every rigid motion fulfils",
                    got=f"{strain[k]:g} as the vehicle {axis}",
                    hint="add the lever terms, or join with rigid=True",
                )
            rows += [count] * len(at)
            columns += at
            values += terms.tolist()
            count += 1
    return sp.csr_matrix((values, (rows, columns)), shape=(count, n))


def _ids(stages: Mapping[str, Stage], numbered: Mapping[str, Stage]) -> np.ndarray:
    """Return the ids (N,) of nodes in a component: their own, or a million times the number of the stage more."""
    own = np.concatenate([stage.ids for stage in numbered.values()])
    step = 0 if len(np.unique(own)) == len(own) else 1_000_000
    first = {name: step * (1 + k) for k, name in enumerate(numbered)}
    return np.concatenate([stage.ids.astype(np.int64) + first[name] for name, stage in stages.items()])


def _check_free(stack: CoupledStructure, name: str) -> None:
    """Refuse a structure that is held, or that its own stiffness keeps from moving as a rigid body."""
    full = stack.propellant(None)
    for K in (stack.dry[0], stack.stiffness(full)):
        force, size = np.abs(K @ stack.rigid), abs(K) @ np.abs(stack.rigid)
        ratio = force.max(axis=0) / np.maximum(size.max(axis=0), 1e-300)
        if ratio.max() > STRAIN:
            motion = int(ratio.argmax())
            at = int(np.abs(stack.V @ (force[:, motion])).argmax())
            axis = f"{'turning about' if motion < 3 else 'moving along'} {'xyz'[motion % 3]}"
            raise ModelError(
                "the structure is not free: a rigid motion strains it",
                where="vehicle '{}', stage '{}', node {}".format(name, *stack.places[at // 6]),
                got=f"{ratio.max():.2g} of the forces of its elements, {axis}",
                hint="a vehicle flies: take SPC and springs to ground out of its decks",
            )
    S = stack.V @ stack.rigid
    moved = stack.rigid.T @ (stack.dry[1] @ stack.rigid)
    whole = S.T @ (stack.M_g @ S)
    if np.abs(moved - whole).max() > STRAIN * np.abs(whole).max():
        raise ModelError("mass hangs on components that are held", where=f"vehicle '{name}'")


def _check_connected(stack: CoupledStructure, name: str, stages: list[str]) -> None:
    """Refuse stages that nothing joins to the others."""
    from scipy.sparse.csgraph import connected_components

    if len(stages) == 1:
        return
    pattern = abs(stack.V) @ abs(stack.V).T
    _, label = connected_components(pattern + abs(stack.K_g), directed=False)
    used = np.asarray(abs(stack.K_g).sum(axis=1)).ravel() > 0.0
    owner = np.repeat([stages.index(stage) for stage, _ in stack.places], 6)
    main = label[np.flatnonzero(used & (owner == 0))[0]] if np.any(used & (owner == 0)) else label[0]
    for i, stage in enumerate(stages):
        own = label[used & (owner == i)]
        if len(own) and not np.any(own == main):
            raise ModelError(
                f"stage '{stage}' is joined to nothing",
                where=f"vehicle '{name}'",
                hint=f'v.join("name", ("{stages[0]}", node), ("{stage}", node))',
            )


RANK = 1e-10  # of the largest pivot: what is smaller is an equation said twice


@dataclass(frozen=True, eq=False)
class Coupling:
    """S (n, nq) of u = S q;  independent (nq,) and dependent (m,) coordinates.

    dropped : number of equations that said nothing new
    """

    S: sp.csr_matrix
    independent: np.ndarray
    dependent: np.ndarray
    dropped: int


def couple(C: sp.csr_matrix, rotation: np.ndarray, length: float) -> Coupling:
    """Solve constraint equations C u = 0 for dependent coordinates.

    C : (m, n) sparse; rotation : (n,) whether a coordinate is an angle; length : that angles are multiplied by
    """
    n = C.shape[1]
    unit = np.where(rotation, 1.0 / length, 1.0)  # u = unit * scaled
    C = sp.csr_matrix(C @ sp.diags(unit))
    size = np.sqrt(np.asarray(C.multiply(C).sum(axis=1)).ravel())
    C = sp.diags(1.0 / np.where(size > 0.0, size, 1.0)) @ C
    C = sp.csr_matrix(C)
    C.eliminate_zeros()
    rows, columns, values, dependent = [], [], [], []
    for equations, occurring in _blocks(C):
        dense = C[equations][:, occurring].toarray()
        R, pivots = la.qr(dense, mode="r", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0]))
        d, i = occurring[pivots[:rank]], occurring[pivots[rank:]]
        G = -la.solve_triangular(R[:rank, :rank], R[:rank, rank:])
        G[np.abs(G) < 1e-14] = 0.0
        dependent.append(d)
        at = np.nonzero(G)
        rows.append(d[at[0]])
        columns.append(i[at[1]])
        values.append(G[at] * unit[d[at[0]]] / unit[i[at[1]]])
    m = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *dependent]))
    independent = np.setdiff1d(np.arange(n), m)
    G_all = sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (n, n))
    own = sp.diags(np.isin(np.arange(n), independent).astype(float))
    S = sp.csr_matrix(own + G_all)[:, independent]
    return Coupling(S.tocsr(), independent, m, C.shape[0] - len(m))


def uncoupled(n: int) -> Coupling:
    """Return the coupling of coordinates without equations."""
    return Coupling(sp.identity(n, format="csr"), np.arange(n), np.zeros(0, dtype=np.int64), 0)


def _blocks(C: sp.csr_matrix) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return equations and coordinates of each set that is connected by equations."""
    m = C.shape[0]
    graph = sp.block_array([[None, C], [C.T, None]])
    _, label = connected_components(graph, directed=False)
    out = []
    for one in np.unique(label[:m]):
        columns = np.flatnonzero(label[m:] == one)
        if len(columns):
            out.append((np.flatnonzero(label[:m] == one), columns))
    return out
