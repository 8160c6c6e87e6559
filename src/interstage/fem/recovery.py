"""Forces, stresses, energies and force balance of elements from displacements or modes.

Every family gives a linear operator from the motion of its grids to its results (`ElementBlock.recovery`) and makes
its tables of them; here motions are gathered, blocks are joined and tables are sorted by element.
Nothing is computed before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.fem.case import CaseSelections
from interstage.fem.elements.block import ElementBlock, OutputOptions, ResultRows
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.spatial.checks import as_array

CHUNK = 4096  # elements whose operators are held at once
COMPONENTS = ("t1", "t2", "t3", "r1", "r2", "r3")
STRAIN_ENERGY = ("strain_energy", "percent", "strain_energy_density")
CORNER_WORDS = {"CORNER", "BILIN", "CUBIC", "SGAGE"}


@named_arguments
@dataclass(frozen=True)
class Table:
    """Results of the elements of one type.

    columns : names of the columns, as pyNastran prints them
    element_ids : (r,)
    node_ids : (r,) grid of a corner or end, 0 for the centre, or the ply; None where results have no place
    values : (r, columns) of a static solution, (modes, r, columns) of modes
    """

    columns: tuple[str, ...]
    element_ids: np.ndarray
    node_ids: np.ndarray | None
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.element_ids)

    def column(self, name: str) -> np.ndarray:
        """One column, (r,) or (modes, r)."""
        if name not in self.columns:
            raise InputError(f"there is no column {name!r}", hint=known_names(self.columns))
        return self.values[..., self.columns.index(name)]


@named_arguments
@dataclass(frozen=True)
class GridTable:
    """Six components at every grid in its CD system: constraint forces, loads.

    node_ids : (n,); values : (n, 6), or (modes, n, 6)
    """

    columns: tuple[str, ...]
    node_ids: np.ndarray
    values: np.ndarray

    def __getitem__(self, grid_id: int) -> np.ndarray:
        at = np.flatnonzero(self.node_ids == grid_id)
        if not len(at):
            raise InputError(f"grid {grid_id} is not in the model", hint=known_names(self.node_ids))
        return self.values[..., at[0], :]


def grid_table(grids: Grids, values: np.ndarray) -> GridTable:
    """Table of a g-set vector (n_dof,) or of columns (n_dof, k)."""
    picked = values[grids.dof[:, None] + np.arange(6)]
    return GridTable(COMPONENTS, grids.id, picked if values.ndim == 1 else np.moveaxis(picked, -1, 0))


def output_options(case: CaseSelections | None) -> OutputOptions:
    """Corner output and kind of equivalent stress that case control asks for.

    The brackets of STRESS rule; without STRESS those of STRAIN, then of FORCE. A STRAIN without FIBER asks for strain
    and curvature of shells.
    """
    subcases = case.subcases if case is not None else []
    strain = [one.options["STRAIN"] for one in subcases if "STRAIN" in one.options]
    curvature = bool(strain) and "FIBER" not in strain[0].replace(",", " ").split()
    for name in ("STRESS", "ELSTRESS", "STRAIN", "FORCE", "ELFORCE"):
        options = [one.options[name] for one in subcases if name in one.options]
        if options:
            words = set(options[0].replace(",", " ").split())
            return OutputOptions(bool(words & CORNER_WORDS), bool(words & {"SHEAR", "MAXS"}), curvature)
    return OutputOptions()


class ElementTables(Mapping):
    """Tables by element type, each computed when it is taken.

    left_out : number of elements by type that carry load but have no results here, e.g. {"CQUADR": 12}
    """

    def __init__(
        self,
        sources: dict[str, list[Callable[[], list[ResultRows]]]],
        finish: Callable,
        left_out: dict[str, int] | None = None,
    ):
        self._sources, self._finish, self.left_out = sources, finish, left_out or {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._sources:
            known = known_names(self._sources)
            if name in self.left_out:
                raise InputError(f"results of {name} are not recovered", hint=known)
            raise InputError(f"there are no results of {name}", hint=known)
        rows = [one for source in self._sources[name] for one in source() if one.name == name]
        return self._finish(rows)

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        without = f"; none of {', '.join(self.left_out)}" if self.left_out else ""
        return f"tables of {', '.join(self._sources) or 'no elements'}{without}"


@named_arguments
class Recovery:
    """What follows from displacements: element forces, stresses, strain energies, grid point forces.

    Parameters
    ----------
    fe : the model
    u : (n_dof,) or (n_dof, k) on the g-set, each grid in its CD system
    options : corner output and kind of equivalent stress; the deck's requests by default
    free : number of a block -> motions (n, m) with which its elements are free of stress (thermal expansion)
    heat : number of a block -> change of temperature and gradient (n, 2), for plies that expand unlike each other
    spans : number of a block of bars -> end loads (n, 12), element axes, of what acts between their ends
    given : number of a block -> results (n, r, k) that do not follow from u alone, as of dampers
    """

    def __init__(
        self,
        fe: FEModel,
        u: np.ndarray,
        options: OutputOptions | None = None,
        free: Mapping[int, np.ndarray] | None = None,
        spans: Mapping[int, np.ndarray] | None = None,
        heat: Mapping[int, np.ndarray] | None = None,
        given: Mapping[int, np.ndarray] | None = None,
    ):
        self.fe, self.single = fe, u.ndim == 1
        self._free = {id(fe.blocks[k]): value for k, value in (free or {}).items()}
        self._heat = {id(fe.blocks[k]): value for k, value in (heat or {}).items()}
        self._spans = {id(fe.blocks[k]): value for k, value in (spans or {}).items()}
        self._given = {id(fe.blocks[k]): value for k, value in (given or {}).items()}
        self.u = u[:, None] if self.single else u
        self.options = options or output_options(fe.case)

    @cached_property
    def _basic(self) -> np.ndarray:
        """Motion (grids + 1, 6, k) in basic axes; the last row is ground."""
        grids = self.fe.grids
        u = self.u[grids.dof[:, None] + np.arange(6)]
        out = np.zeros((len(grids) + 1, 6, self.u.shape[1]))
        out[:-1, :3] = grids.R_basic_cd @ u[:, :3]
        out[:-1, 3:] = grids.R_basic_cd @ u[:, 3:]
        return out

    def motion(self, block: ElementBlock, rows: slice) -> np.ndarray:
        """Element motion (n, m, k) in basic axes."""
        nodes = block.nodes[rows]
        return self._basic[nodes, : block.dofs_per_node].reshape(len(nodes), -1, self.u.shape[1])

    def strained(self, block: ElementBlock, rows: slice) -> np.ndarray:
        """Element motion (n, m, k) less the one in which elements are free of stress."""
        motion = self.motion(block, rows)
        return motion - self._free[id(block)][rows][:, :, None] if id(block) in self._free else motion

    def results(self, block: ElementBlock) -> np.ndarray:
        """Results (n, r, k) of all elements of a block."""
        if id(block) in self._given:
            return self._given[id(block)]
        out = np.zeros((0, 0, self.u.shape[1]))
        for rows in _chunks(len(block)):
            part = block.recovery(rows) @ self.strained(block, rows)
            if id(block) in self._spans:
                part -= self._spans[id(block)][rows][:, :, None]
            if not len(out):
                out = np.empty((len(block), *part.shape[1:]))
            out[rows] = part
        return out

    @property
    def forces(self) -> ElementTables:
        """Element forces by type."""
        return self._tables("force_tables", "spring_force")

    @property
    def stresses(self) -> ElementTables:
        """Element stresses by type; laminates by ply under a name of their own."""
        return self._tables("stress_tables", "spring_stress")

    @property
    def strains(self) -> ElementTables:
        """Elastic strains by type: of bars, beams, and fibres of homogeneous shells."""
        return self._tables("strain_tables", None)

    def _tables(self, method: str, spring_column: str | None) -> ElementTables:
        sources: dict[str, list] = {}
        left_out: dict[str, int] = {}
        for block in self.fe.blocks:
            operator = block.recovery(slice(0, 1)) if len(block) else None
            if operator is None:
                if len(block) and block.stiffness(slice(0, 1)) is not None:
                    left_out[block.name] = left_out.get(block.name, 0) + len(block)
                continue
            make = getattr(block, method)
            nothing = np.zeros((len(block), operator.shape[1], 0))
            names = dict.fromkeys(one.name for one in make(nothing, self.options))
            if not names:
                left_out[block.name] = left_out.get(block.name, 0) + len(block)
            for name in names:
                sources.setdefault(name, []).append(
                    lambda block=block, make=make: make(
                        self.results(block), self.options._replace(heat=self._heat.get(id(block)))
                    )
                )
        for springs in self.fe.springs if spring_column is not None else ():
            sources.setdefault(springs.name, []).append(
                lambda springs=springs: [self._spring_rows(springs, spring_column)]
            )
        return ElementTables(sources, self._finish, left_out)

    def _spring_rows(self, springs, column: str | None) -> ResultRows:
        assert column is not None
        values = springs.forces(self.u)
        if column == "spring_stress":
            values = springs.S[:, None] * values
        return ResultRows(springs.name, (column,), springs.eid, values.T[:, :, None])

    def _finish(self, rows: list[ResultRows]) -> Table:
        """One table of the rows of several blocks, sorted by element; the order within an element is kept."""
        eid = np.concatenate([one.eid for one in rows])
        order = np.argsort(eid, kind="stable")
        values = rows[0].values if len(rows) == 1 else np.concatenate([one.values for one in rows], axis=1)
        if (eid[1:] < eid[:-1]).any():
            values = values[:, order]
        nodes = None
        if rows[0].layers is not None:
            nodes = np.concatenate([one.layers for one in rows])[order]
        elif rows[0].nodes is not None:
            at = np.concatenate([one.nodes for one in rows])[order]
            nodes = np.where(at < 0, 0, self.fe.grids.id[at])
        return Table(rows[0].columns, eid[order], nodes, values[0] if self.single else values)

    @property
    def strain_energy(self) -> ElementTables:
        """Strain energy ½ uᵀ k u of each element, its share of the model's in percent, and its density."""
        sources: dict[str, list] = {}
        for block in self.fe.blocks:
            if len(block) and block.stiffness(slice(0, 1)) is not None:
                sources.setdefault(block.name, []).append(lambda block=block: [self._energy_rows(block)])
        for springs in self.fe.springs:
            sources.setdefault(springs.name, []).append(
                lambda springs=springs: [
                    self._energy_table(springs.name, springs.eid, self._of_springs(springs))
                ]
            )
        return ElementTables(sources, self._finish)

    def kinetic_energy(self, eigenvalues: np.ndarray) -> ElementTables:
        """Kinetic energy ½ω² uᵀ m u of each element, its share in percent, and its density; eigenvalues ω² (k,)."""
        fe = self.fe
        total = 0.5 * eigenvalues * np.einsum("ik,ik->k", self.u, fe.M_gg @ self.u)
        columns = ("kinetic_energy", "percent", "kinetic_energy_density")

        def rows(block: ElementBlock) -> ResultRows:
            parts = []
            for part in _chunks(len(block)):
                u = self.motion(block, part)
                force = fe.wtmass * np.asarray(block.mass(part, fe.coupled_mass)) @ u
                parts.append(0.5 * eigenvalues * np.einsum("eik,eik->ek", u, force))
            return _energy_rows(block.name, block.eid, np.concatenate(parts), total, _sizes(block), columns)

        sources: dict[str, list] = {}
        for block in fe.blocks:
            if len(block) and block.mass(slice(0, 1), fe.coupled_mass) is not None:
                sources.setdefault(block.name, []).append(lambda block=block: [rows(block)])
        return ElementTables(sources, self._finish)

    @cached_property
    def total_energy(self) -> np.ndarray:
        """Strain energy of the model (k,), that of expansion without stress left out."""
        whole = 0.5 * np.einsum("ik,ik->k", self.u, self.fe.K_gg @ self.u)
        for block in self.fe.blocks:
            if id(block) not in self._free:
                continue
            for rows in _chunks(len(block)):
                u, K = self.motion(block, rows), block.stiffness(rows)
                e = self.strained(block, rows)
                whole += 0.5 * (np.einsum("eik,eik->k", e, K @ e) - np.einsum("eik,eik->k", u, K @ u))
        return whole

    def _of_springs(self, springs) -> np.ndarray:
        force = springs.forces(self.u)
        return 0.5 * force**2 / np.where(springs.k == 0.0, 1.0, springs.k)[:, None]

    def _energy_rows(self, block: ElementBlock) -> ResultRows:
        energy = np.concatenate(
            [
                0.5 * np.einsum("eik,eik->ek", self.strained(block, rows), self._nodal(block, rows))
                for rows in _chunks(len(block))
            ]
        )
        return self._energy_table(block.name, block.eid, energy, _sizes(block))

    def _energy_table(self, name, eid, energy, size=None) -> ResultRows:
        return _energy_rows(name, eid, energy, self.total_energy, size, STRAIN_ENERGY)

    def _nodal(self, block: ElementBlock, rows: slice) -> np.ndarray:
        """Forces (n, m, k) that hold the elements in their motion, basic axes."""
        return block.stiffness(rows) @ self.strained(block, rows)


def _energy_rows(name, eid, energy, total, size, columns) -> ResultRows:
    """Rows of energies (n, k): value, percent of the total (k,), value over the size (n,) where it is known."""
    density = np.full_like(energy, np.nan) if size is None else energy / size[:, None]
    share = 100.0 * energy / np.where(total == 0.0, 1.0, total)
    return ResultRows(name, columns, eid, np.stack([energy, share, density], axis=2).transpose(1, 0, 2))


def _chunks(n: int) -> list[slice]:
    return [slice(a, min(a + CHUNK, n)) for a in range(0, n, CHUNK)] or [slice(0, 0)]


def _sizes(block: ElementBlock) -> np.ndarray | None:
    """Volume of solids, for the density of energy; None where a block does not know it."""
    return block.volumes() if hasattr(block, "volumes") else None


@dataclass(frozen=True)
class GridPointForces:
    """Forces on grids by what exerts them; at every grid they add up to zero.

    grid_ids, element_ids (0 if no element), origins : (r,) ; columns f1 ... m3 ; values (r, 6) or (k, r, 6), CD axes
    """

    grid_ids: np.ndarray
    element_ids: np.ndarray
    origins: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...] = ("f1", "f2", "f3", "m1", "m2", "m3")


def grid_point_forces(recovery: Recovery, **others: np.ndarray) -> GridPointForces:
    """Balance of forces at grids from elements and `others`, g-set vectors by origin (APP_LOAD=..., F_OF_SPC=...)."""
    fe, k = recovery.fe, recovery.u.shape[1]
    grids = fe.grids
    ids, elements, origins, values = [], [], [], []

    def add(rows, eid, origin, value):
        ids.append(grids.id[rows])
        elements.append(eid)
        origins.append(np.full(len(rows), origin, dtype=object))
        values.append(value)

    for origin, vector in others.items():
        value = (vector[:, None] if vector.ndim == 1 else vector)[grids.dof[:, None] + np.arange(6)]
        rows = np.flatnonzero(value.any(axis=(1, 2)))
        add(rows, np.zeros(len(rows), dtype=np.int64), origin.replace("_", "-"), value[rows])
    for block in fe.blocks:
        if not len(block) or block.stiffness(slice(0, 1)) is None:
            continue
        for part in _chunks(len(block)):
            nodes = block.nodes[part]
            force = -recovery._nodal(block, part).reshape(*nodes.shape, block.dofs_per_node, k)
            value = np.zeros((*nodes.shape, 6, k))
            value[:, :, : block.dofs_per_node] = force
            here = nodes >= 0
            rows = nodes[here]
            value = value[here]
            R = grids.R_basic_cd[rows].transpose(0, 2, 1)
            value = np.concatenate([R @ value[:, :3], R @ value[:, 3:]], axis=1)
            eid = np.broadcast_to(block.eid[part, None], nodes.shape)[here]
            add(rows, eid, block.name[1:], value)
    for springs in fe.springs:
        force = springs.forces(recovery.u)
        for dof, sign in ((springs.a, -1.0), (springs.b, 1.0)):
            row = np.searchsorted(grids.dof, dof, side="right") - 1
            on = np.flatnonzero((dof >= 0) & (row >= 0) & (dof < grids.dof[row] + 6))
            value = np.zeros((len(on), 6, k))
            value[np.arange(len(on)), dof[on] - grids.dof[row[on]]] = sign * force[on]
            add(row[on], springs.eid[on], springs.name[1:], value)
    grid, eid = np.concatenate(ids), np.concatenate(elements)
    order = np.lexsort((eid, grid))
    stacked = np.concatenate(values)[order].transpose(2, 0, 1)
    return GridPointForces(
        grid[order], eid[order], np.concatenate(origins)[order], stacked[0] if recovery.single else stacked
    )


def resultant(
    grids: Grids, forces: np.ndarray, about: ArrayLike | None = None, rings: np.ndarray | None = None
) -> np.ndarray:
    """Force and moment (6,) or (6, k) in basic axes, about a point, of g-set forces (n_dof,) or (n_dof, k).

    On grids that are `rings` (grids,) about the z axis forces along the radius are in balance around it; those along z
    act on the axis, and those around it are a moment about it.
    """
    f = forces[grids.dof[:, None] + np.arange(6)].reshape(len(grids), 6, -1)
    force, moment = grids.R_basic_cd @ f[:, :3], grids.R_basic_cd @ f[:, 3:]
    place = grids.xyz
    if rings is not None and rings.any():
        moment[rings, :2] = 0.0
        moment[rings, 2] = place[rings, :1] * force[rings, 1]
        force[rings, :2] = 0.0
        place = np.where(rings[:, None], place * [0.0, 0.0, 1.0], place)
    arm = place - (0.0 if about is None else as_array(about, (3,), "about"))
    moment = moment + np.cross(arm[:, :, None], force, axis=1)
    out = np.concatenate([force.sum(axis=0), moment.sum(axis=0)])
    return out[:, 0] if forces.ndim == 1 else out


@dataclass(kw_only=True)
class Recovered:
    """Results that follow from the displacements a solution holds in `recovery`.

    Attributes
    ----------
    notes : sentences about constraints and choices
    spc_forces : (n_dof,) or (n_dof, modes) forces of single-point constraints on the g-set
    recovery : element results of the displacements or shapes
    """

    grids: Grids
    spc_forces: np.ndarray = field(repr=False)
    notes: list[str] = field(default_factory=list)
    recovery: Recovery | None = field(default=None, repr=False)

    @property
    def spcforces(self) -> GridTable:
        """Forces of single-point constraints at every grid in its CD system, values (grids, 6) or (modes, grids, 6)."""
        return grid_table(self.grids, self.spc_forces)

    def _recovery(self) -> Recovery:
        if self.recovery is None:
            raise InputError("this result was not made from a model, so that it has no element results")
        return self.recovery

    @property
    def forces(self) -> ElementTables:
        """Element forces by type, e.g. `forces["CBAR"]`."""
        return self._recovery().forces

    @property
    def stresses(self) -> ElementTables:
        """Element stresses by type, e.g. `stresses["CQUAD4"]`."""
        return self._recovery().stresses

    @property
    def strains(self) -> ElementTables:
        """Elastic strains of bars, beams and homogeneous shells by type, e.g. `strains["CQUAD4"]`."""
        return self._recovery().strains

    @property
    def strain_energy(self) -> ElementTables:
        """Strain energy by element type."""
        return self._recovery().strain_energy
