"""From a NASTRAN deck to a component: deck, finite-element model, matrices of the free coordinates, modes.

Components of simple structures by way of their decks.

Single results of a deck's elements as functions of the motion.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from interstage.calls import CallError
from interstage.component.build import MOST_NODES, Assembled, build_component, turned_child
from interstage.component.checks import with_precision
from interstage.component.component import NO_SHAPES, UNATTACHED, ChildBody, Component, MatrixSet
from interstage.component.from_nastran.deck_common import (
    ReferenceFrame,
    as_deck,
    bare_model,
    check_lumped,
    check_points,
    deck_aset,
    deck_damping,
    deck_moving,
    direct_matrices,
    grid_turns,
    lumped_inside,
    lumped_points,
    provenance,
    refuse_rings,
    with_matrices,
)
from interstage.component.from_nastran.lumped import child_bodies
from interstage.component.integrals import rigid_motion
from interstage.component.interface import merged
from interstage.component.options import ElementResult, ReductionOptions
from interstage.component.unit_loads import Recoverer, Stiffener
from interstage.errors import InputError, ModelError, did_you_mean, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.elements.block import OutputOptions
from interstage.fem.geometric import projected_stiffness
from interstage.fem.model import FEModel
from interstage.fem.recovery import ElementTables, Recovery, Table
from interstage.fem.reduction import ReducedModel
from interstage.fem.requests import BUCKLING, deck_request, method_missing, modes_case
from interstage.fem.sets import SetCards
from interstage.fem.solutions import subcase_constraints
from interstage.linalg.eigen_request import EigenRequest
from interstage.nastran import Deck, deck_from_text
from interstage.nastran.builders import beam_deck, cylinder_deck, plate_deck
from interstage.output import write_text

if TYPE_CHECKING:
    from interstage.component.component import Component


def component_from_deck(
    deck: Deck | str | os.PathLike[str],
    options: ReductionOptions,
    *,
    allow_outside: bool = False,
    matrices: Callable[[int], Mapping[str, sp.csr_matrix]] | None = None,
) -> Component:
    """Build a component from a deck, constraints and rigid elements applied; arguments as in `Component.from_deck`.

    matrices : number of dofs -> K, M, B and K4 of the g-set, from another program; those of the deck otherwise
    """
    deck = as_deck(deck, allow_outside)
    fe = FEModel.from_deck(deck)
    refuse_rings(fe)
    check_lumped(fe, options.separate_lumped)
    bare = bare_model(fe)
    kept = bare if options.separate_lumped is True else bare_model(fe, options.separate_lumped)
    direct = direct_matrices(deck)
    if matrices is not None:
        given = matrices(fe.grids.n_dof)
        (fe, bare), (_, kept) = with_matrices(fe, bare, given), with_matrices(fe, kept, given)
    case = modes_case(fe, options.subcase)
    children: list[ChildBody] = []
    if options.separate_lumped:
        constraints = subcase_constraints(fe, case, SetCards())
        children = child_bodies(fe, bare, constraints, options.separate_lumped)
    _refuse_preload(fe)
    check_points(fe, "rvdof", options.rvdof or {})
    check_points(fe, "aset", options.aset or {})
    check_points(fe, "geometric_stiffness or load_grids", dict.fromkeys(options.load_nodes, 0))
    aset = dict(options.aset) if options.aset is not None else deck_aset(fe, case)
    reduced = _reduce(fe, kept.M_gg, case, aset)
    frame = ReferenceFrame.of(fe, options)
    model = _assembled(fe, kept, bare, reduced, frame, options)
    if options.aset is None:
        model.moving = deck_moving(fe, case)
    if children and options.add_lumped_to_aset:
        aset = merged(aset, _carriers(model, children))
    _refuse_floating(children)
    request = None if options.n_modes is not None else _wanted(fe, case)
    options = options.with_changes(aset=aset, name=options.name or Path(deck.name).stem)
    if options.geometric_stiffness is None:
        options = options.with_changes(load_grids=_default_grids(options, children))
    component = build_component(model, options, request)
    stiff = _without_shapes(model, children, options)
    if stiff:
        component.provenance[NO_SHAPES] = ", ".join(stiff)
    if loose := _unattached(fe, case):
        component.provenance[UNATTACHED] = ", ".join(map(str, loose))
    said = provenance(deck, _said(options, frame.reference, case, request))
    if component.geometric_stiffness is not None:
        said["geometric_stiffness"] = f"spin, grids {component.geometric_stiffness.nodes.tolist()}"
    more: dict[str, Any] = frame.fields()
    if options.keep_matrices:
        more["gset"], more["fset"] = _matrix_sets(fe, kept.M_gg, reduced)
    component = component.with_changes(
        child_bodies=[turned_child(body, frame.origin, frame.R) for body in children],
        lumped_inside=lumped_inside(kept, frame),
        bgpdt=np.column_stack([fe.grids.id, fe.grids.cp, fe.grids.cd, fe.grids.xyz]).astype(float),
        notes=[*([] if request is None else method_missing(fe, case)), *reduced.notes, *component.notes],
        provenance={**said, **component.provenance},
        **more,
    )
    return with_precision(component, direct if matrices is None else {**direct, **given})


def _default_grids(options: ReductionOptions, children: list[ChildBody]) -> list[int]:
    """Return the load grids of geometric stiffness that was not asked for: those of child bodies too, where few."""
    on = {body.node or body.grid for body in children if not body.carrier}
    few = len(on.union(options.load_nodes)) <= MOST_NODES
    return sorted(on.union(options.load_grids)) if few else list(options.load_grids)


def _refuse_preload(fe: FEModel) -> None:
    """Refuse STATSUB in a deck for modes: a component is made of the unloaded structure."""
    loaded = [one.id for one in fe.case.subcases if "STATSUB" in one.requests]
    if loaded and fe.sol not in BUCKLING:
        raise ModelError(
            f"subcase {loaded[0]} asks for modes under a preload (STATSUB), which a component cannot hold",
            where=fe.source,
            hint="remove STATSUB; 'interstage modes' gives the frequencies under load",
        )


def _reduce(fe: FEModel, M_gg: Any, case: SubcaseSelections | None, aset: Mapping[int, int]) -> ReducedModel:
    """Apply rigid elements, MPC, SPC and AUTOSPC; the interface is exempt from AUTOSPC."""
    constraints = subcase_constraints(fe, case, SetCards())
    rows = fe.grids.find(np.array(list(aset), dtype=np.int64))
    interface = [fe.grids.dof[r] + int(c) - 1 for r, value in zip(rows, aset.values()) for c in str(value)]
    free = np.setdiff1d(np.array(interface, dtype=np.int64), constraints.spc)
    constraints.cards = SetCards(b=np.setdiff1d(free, constraints.equations.dependent))
    reduced = ReducedModel(fe.K_gg, M_gg, fe.grids, constraints)
    reduced.require_mass()
    return reduced


def _assembled(
    fe: FEModel,
    kept: FEModel,
    bare: FEModel,
    reduced: ReducedModel,
    frame: ReferenceFrame,
    options: ReductionOptions,
) -> Assembled:
    """Sets, matrices and maps of the reduced model in component axes.

    kept, bare : the model without the lumped bodies that are taken out, and without any
    """
    grids = fe.grids
    Q = grid_turns(fe, frame.R)
    positions = frame.positions(grids.xyz)
    f = reduced.sets.f
    empty = _empty(reduced.K_ff) & _empty(reduced.M_ff)
    keep = np.flatnonzero(~empty)
    notes = []
    if empty.any():
        notes.append(f"{np.count_nonzero(empty)} degrees of freedom without stiffness and mass were held")
    place = np.full(grids.n_dof, -1, dtype=np.int64)
    place[f[keep]] = np.arange(len(keep))
    T = sp.csr_matrix(reduced.dependence.T_gn)[:, reduced.sets.within("f", "n")[keep]]
    M_c = (Q @ kept.M_gg @ Q.T).tocsr()
    points, words = lumped_points(kept, bare, frame.R, Q)

    def to_f(A):
        return None if A is None or not A.nnz else sp.csr_matrix(reduced.to_f(A))[keep][:, keep]

    viscous, structural, said = deck_damping(fe, fe.K_gg, _some(fe.B_gg), _some(fe.K4_gg))
    T_gf, M_ff = (Q @ T).tocsr(), sp.csr_matrix(reduced.M_ff)[keep][:, keep]
    return Assembled(
        node_ids=grids.id,
        positions=positions,
        M_gg=M_c,
        K_ff=sp.csr_matrix(reduced.K_ff)[keep][:, keep],
        M_ff=M_ff,
        T_gf=T_gf,
        M_other=M_ff - T_gf.T @ M_c @ T_gf if len(grids.spoint) else None,
        f_row=place[grids.dof[:, None] + np.arange(6)],
        B_ff=to_f(viscous),
        K4_ff=to_f(structural),
        rigid_f=(Q.T @ rigid_motion(positions))[f[keep]],
        R_node=frame.node_axes(grids.R_basic_cd),
        points=points,
        geometric=_stiffener(fe, Q),
        recoverer=element_rows(fe, T, options.results),
        notes=notes + words + said,
    )


def _stiffener(fe: FEModel, Q: sp.csr_matrix) -> Stiffener:
    """Return the geometric stiffness of the elements under displacements in component axes."""

    return lambda u, shapes: projected_stiffness(fe, Q.T @ u, Q.T @ shapes, "full")


def _some(A: Any) -> Any:
    return A if A.nnz else None


def _empty(A: Any) -> np.ndarray:
    return np.asarray(abs(A).sum(axis=1)).ravel() == 0


def _refuse_floating(children: list[ChildBody]) -> None:
    """Refuse lumped bodies that turn about another point than their grid: without them that is a mechanism."""
    for body in children:
        if not body.node and not body.carrier and body.joint_axes is None and body.joint != "ball":
            continue  # held in a way that is not a joint: said when it is hung
        if not body.node and not body.carrier:
            raise ModelError(
                f"{body.name} cannot be taken out: its {body.connection.upper()} leaves it a {body.joint.split()[0]} "
                "joint away from its own grid, which moves without resistance when the mass is gone",
                where=f"grid {body.grid}",
                hint="make it the dependent grid of the rigid element, or leave the mass in: a list of CONM2 ids "
                "(--lumped 301,302) takes those alone out",
            )


def _carriers(model: Assembled, children: list[ChildBody]) -> dict[int, int]:
    """Interface that the child bodies need: the free coordinates on which the motion of their grids depends.

    A grid that carries a body by itself is in it with all its free components: with some of them it would be a hinge.
    """
    found: dict[int, set[int]] = {}
    for motions in _dependence(model, children):
        nodes = {node for node, _ in motions}
        if len(nodes) == 1:
            (node,) = nodes
            motions = [(node, c) for c in range(6) if model.f_row[node, c] >= 0]
        for node, c in motions:
            found.setdefault(int(model.node_ids[node]), set()).add(c + 1)
    return {grid: int("".join(str(c) for c in sorted(values))) for grid, values in sorted(found.items())}


def _dependence(model: Assembled, children: list[ChildBody]) -> list[list[tuple[int, int]]]:
    """Return for each child body the free coordinates (node row, component) on which the motion of its grid depends."""
    owner = {
        int(row): (node, c) for node, rows in enumerate(model.f_row) for c, row in enumerate(rows) if row >= 0
    }
    out = []
    for body in children:
        at = int(np.searchsorted(model.node_ids, body.grid))
        columns = np.unique(model.T_gf[6 * at : 6 * at + 6].indices)
        out.append([owner[int(column)] for column in columns if int(column) in owner])
    return out


def _without_shapes(model: Assembled, children: list[ChildBody], options: ReductionOptions) -> list[str]:
    """Names of the child bodies for whose loads there are neither interface coordinates nor residual vectors."""
    loaded = {grid for one in options.loads for grid in one}
    known = {*(options.aset or {}), *(options.rvdof or {}), *loaded}
    out = []
    for body, motions in zip(children, _dependence(model, children)):
        carriers = {int(model.node_ids[node]) for node, _ in motions}
        if not body.carrier and body.grid not in known and body.node not in known and not carriers <= known:
            out.append(body.name)
    return out


def _unattached(fe: FEModel, case: SubcaseSelections | None) -> list[int]:
    """Return the grids that no element, mass or constraint touches."""
    grids, equations = fe.grids, subcase_constraints(fe, case, SetCards()).equations
    touched = np.zeros(grids.n_dof, dtype=bool)
    for matrix in (fe.K_gg, fe.M_gg, _some(fe.B_gg)):
        if matrix is not None:
            touched |= matrix.diagonal() != 0
    touched[equations.dof] = touched[equations.dependent] = True
    attached = touched[grids.dof[:, None] + np.arange(6)].any(axis=1)
    return [int(one) for one in grids.id[~attached]]


def _wanted(fe: FEModel, case: SubcaseSelections | None) -> EigenRequest:
    """The deck's request for modes; without one the caller must say how many."""
    request = deck_request(fe, case)
    if request is None:
        raise InputError(
            "the number of modes is not known",
            where=fe.source,
            hint="give n_modes, or METHOD and EIGRL in the deck",
        )
    return request


def _said(
    options: ReductionOptions, reference: int, case: SubcaseSelections | None, request: EigenRequest | None
) -> dict[str, str]:
    """Options of a run as strings, for the provenance of the file."""

    def text(entry: Mapping[int, int] | None) -> str:
        return ",".join(f"{grid}:{value}" for grid, value in sorted((entry or {}).items()))

    aset = options.aset or {}
    return {
        "n_modes": str(options.n_modes) if request is None else f"of the deck: {request}",
        "aset": text(aset) if len(aset) < 200 else f"{len(aset)} grids",
        "rvdof": text(options.rvdof),
        "csid": str(options.csid),
        "grdpnt": str(reference),
        "separate_lumped": str(options.separate_lumped),
        "subcase": str(case.id) if case else "none",
        "geometric_stiffness": "no",
        "recover": "; ".join(f"{name}: {' '.join(map(str, one))}" for name, one in options.results.items()),
        "rigid_threshold_hz": f"{options.rigid_threshold_hz:g}",
    }


def _matrix_sets(fe: FEModel, M_gg: Any, reduced: ReducedModel) -> tuple[MatrixSet, MatrixSet]:
    grids = fe.grids
    uset = np.zeros((grids.n_dof, 2), dtype=np.int64)
    at = grids.dof[:, None] + np.arange(6)
    uset[at, 0], uset[at, 1] = grids.id[:, None], np.arange(1, 7)
    uset[grids.spoint_dof, 0] = grids.spoint
    B, K4, _ = deck_damping(fe, fe.K_gg, _some(fe.B_gg), _some(fe.K4_gg))
    g = MatrixSet(M_gg, fe.K_gg, uset, B, K4)
    down = reduced.to_f
    f = MatrixSet(
        reduced.M_ff,
        reduced.K_ff,
        uset[reduced.sets.f],
        None if B is None else down(B),
        None if K4 is None else down(K4),
    )
    return g, f


DECKS: dict[str, Callable[..., str]] = {"beam": beam_deck, "plate": plate_deck, "cylinder": cylinder_deck}


def built(
    kind: Any,
    name: str,
    sizes: tuple[float, ...],
    path: str | os.PathLike[str] | None,
    n_modes: int,
    options: dict[str, Any],
) -> Component:
    """Write the deck of a structure and reduce it; arguments as in `Component.beam` and its like.

    kind : the class Component;  name : beam, plate or cylinder
    """
    builder = DECKS[name]
    of_deck, of_reduction = (
        {one.name for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY}
        for function in (builder, kind.from_deck)
    )
    for word in options:
        if word not in of_deck | of_reduction:
            raise CallError(
                f"Component.{name} has no argument '{word}'", hint=did_you_mean(word, of_deck | of_reduction)
            )
    text = builder(*sizes, **{word: value for word, value in options.items() if word in of_deck})
    asked = {"name": name, "units": "SI"} | {w: v for w, v in options.items() if w not in of_deck}
    if path is not None:
        return kind.from_deck(write_text(path, text, what="deck"), n_modes, **asked)
    deck = deck_from_text(text)
    deck.name = name
    return kind.from_deck(deck, n_modes, **asked)


SHELL_FORCES = {"mx", "my", "mxy", "tx", "ty"}
SHELLS = ("CQUAD", "CTRIA")


def element_rows(fe: FEModel, T_gf: sp.csr_matrix, wanted: Mapping[str, ElementResult]) -> Recoverer | None:
    """Return wanted results as functions of free coordinates (nf, k), T_gf (n_dof, nf); None where there are none."""
    if not wanted:
        return None
    still = Recovery(fe, np.zeros((fe.grids.n_dof, 1)), OutputOptions(corners=True))
    places = {name: _place(still, name, one) for name, one in wanted.items()}
    units = [_quantity(fe, table, wanted[name]) for name, (table, _, _) in places.items()]

    def rows(u: np.ndarray) -> np.ndarray:
        found = Recovery(fe, np.asarray(T_gf @ u), still.options)
        made: dict[tuple[str, str], Table] = {}
        out = np.empty((len(places), u.shape[1]))
        for k, (name, (table, row, column)) in enumerate(places.items()):
            key = table, wanted[name].kind
            if key not in made:
                made[key] = _tables(found, table)[key[1]]
            out[k] = made[key].values[:, row, column]
        return out

    return Recoverer(list(wanted), units, rows)


def _tables(recovery: Recovery, table: str) -> ElementTables:
    return recovery.forces if table == "forces" else recovery.stresses


def _place(still: Recovery, name: str, one: ElementResult) -> tuple[str, int, int]:
    """Return table, row and column of a result."""
    where = f"recover, '{name}'"
    tables = [one.table] if one.table else ["forces", "stresses"]
    having = [table for table in tables if one.kind in _tables(still, table)]
    if not having:
        known = {kind for table in tables for kind in _tables(still, table)}
        raise InputError(f"there are no results of {one.kind}", where=where, hint=known_names(known))
    found = {table: _tables(still, table)[one.kind] for table in having}
    table = next((t for t in having if one.column in found[t].columns), having[0])
    shown = found[table]
    if one.column not in shown.columns:
        columns = [column for each in found.values() for column in each.columns]
        raise InputError(f"there is no column '{one.column}'", where=where, hint=known_names(columns))
    rows = np.flatnonzero(shown.element_ids == one.element)
    if not len(rows):
        raise InputError(
            f"{one.kind} {one.element} is not in the model", where=where, hint=known_names(shown.element_ids)
        )
    return table, _row(shown, rows, one, where), shown.columns.index(one.column)


def _row(table: Table, rows: np.ndarray, one: ElementResult, where: str) -> int:
    """Return the row of a result among those of its element."""
    if table.node_ids is not None:
        nodes = table.node_ids[rows]
        node = one.node if one.node is not None or len(set(nodes.tolist())) > 1 else int(nodes[0])
        if node is None and 0 in nodes:
            node = 0
        if node is None or node not in nodes:
            raise InputError(
                f"the place of the result on {one.kind} {one.element} is not clear",
                where=where,
                expected=f"one of {sorted(set(nodes.tolist()))} after the column",
                got=f"{one.node}",
            )
        rows = rows[nodes == node]
    elif one.node is not None:
        raise InputError(f"results of {one.kind} have no places", where=where, got=f"{one.node}")
    fibre = one.fibre if one.fibre is not None or len(rows) > 1 else 1
    if fibre is None or not 1 <= fibre <= len(rows):
        raise InputError(
            f"the fibre of the result on {one.kind} {one.element} is not clear",
            where=where,
            expected=f"1 to {len(rows)} after the place",
            got=f"{one.fibre}",
        )
    return int(rows[fibre - 1])


def _quantity(fe: FEModel, table: str, one: ElementResult) -> str:
    """Return what a result is, as `stored.QUANTITIES` has it."""
    column = one.column
    if column.endswith("_displacement"):
        return "displacement"
    if column.endswith("_strain"):
        return "strain"
    if table == "stresses":
        return "stress"
    if one.kind.startswith(SHELLS):
        return "force per length" if column in SHELL_FORCES else "moment per length"
    if one.kind == "CSHEAR" and column.startswith("shear"):
        return "force per length"  # flows along the edges
    if column == "spring_force":
        return _spring(fe, one)
    turning = "moment" in column or column in ("torque", "torsion", "mx", "my", "mz") or "_torque" in column
    return "moment" if turning else "force"


def _spring(fe: FEModel, one: ElementResult) -> str:
    """Return whether a scalar spring pulls or turns, by the component at its ends."""
    grids = fe.grids
    for springs in fe.springs:
        for dof in np.concatenate(
            [springs.a[springs.eid == one.element], springs.b[springs.eid == one.element]]
        ):
            row = int(np.searchsorted(grids.dof, dof, side="right")) - 1
            if springs.name == one.kind and dof >= 0 and row >= 0 and dof < grids.dof[row] + 6:
                return "force" if dof - grids.dof[row] < 3 else "moment"
    return "force"
