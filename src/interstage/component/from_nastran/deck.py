"""From a NASTRAN deck to a component: the door that joins `fem` (matrices) and `modes` (the record)."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.build import (
    Assembled,
    build_component,
    check_grids,
    check_mapping,
    merged_aset,
    turned_child,
)
from interstage.component.from_nastran.lumped_cards import child_bodies
from interstage.component.integrals import PointMasses, point_masses, rigid_motion
from interstage.component.record import ChildBody, Component, MatrixSet
from interstage.component.rigid import RIGID_THRESHOLD_HZ
from interstage.errors import InputError, ModelError, known_names
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.from_deck.geometry import read_geometry
from interstage.fem.model import FEModel
from interstage.fem.reduction import ReducedModel
from interstage.fem.requests import BUCKLING, deck_request, modes_case
from interstage.fem.sets import SetCards
from interstage.fem.solutions import subcase_constraints
from interstage.linalg.eigen_request import EigenRequest
from interstage.nastran import Deck, read_deck


def component_from_deck(
    deck: Deck | str | os.PathLike,
    n_modes: int | None = None,
    *,
    aset: Mapping[int, int] | None = None,
    rvdof: Mapping[int, int] | None = None,
    loads: Sequence[Mapping[int, Any]] = (),
    modal_integrals: bool = True,
    rotary_integrals: bool = False,
    inertia_relief: bool = False,
    separate_lumped: bool = False,
    add_lumped_to_aset: bool = False,
    csid: int = 0,
    grdpnt: int | None = None,
    damping: Any = None,
    subcase: int | None = None,
    rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
    massless: str = "add",
    keep_matrices: bool = False,
    name: str | None = None,
    units: Mapping[str, str] | str | None = None,
    allow_outside: bool = False,
) -> Component:
    """Build a component from a deck: constraints and rigid elements applied, mass taken apart.

    Parameters
    ----------
    deck : path or Deck
    n_modes : flexible modes of a free body; fixed-interface modes with an interface. Default: the modes that the
        deck's EIGRL or EIGR asks for, with its V1, V2 and ND as `normal_modes` reads them; of a free body the
        rigid ones among them are taken out
    aset : interface, grid -> components such as 123456. Default: the deck's ASET, BSET and SUPORT;
        {} for a free body whatever the deck says
    loads : load patterns that get residual vectors, each grid -> up to six forces and moments, component axes
    rvdof : grid -> components whose unit loads get residual vectors; inertia_relief: those of unit
        accelerations
    modal_integrals, rotary_integrals : first and second order integrals; those of rotary nodes
    separate_lumped : take every CONM2 out and list it among the child bodies
    add_lumped_to_aset : put what carries the child bodies into the interface
    csid : coordinate system whose axes become the component's
    grdpnt : grid of the reference point. Default: PARAM GRDPNT of the deck, else the basic origin
    damping : ratio, ratios, or table of (Hz, ratio), besides the deck's own matrices and PARAM G
    subcase : whose SPC, MPC and METHOD hold (default, as in `normal_modes`: the first that asks for modes)
    rigid_threshold_hz : modes below it count as rigid; those that geometry or strain energy show to be rigid are
        taken out in any case
    massless : "add" gives interface motions without mass a small inertia and notes it; "error" refuses them
    keep_matrices : keep the g-set and f-set matrices for the file
    units : of the deck, as in "SI" or "t-mm-s"; a deck does not tell (default: not known)
    """
    if not isinstance(deck, Deck):
        deck = read_deck(deck, allow_outside=allow_outside)
    fe = FEModel.from_deck(deck)
    children: list[ChildBody] = child_bodies(fe, deck) if separate_lumped else []
    bare = bare_model(fe)
    M_gg = bare.M_gg if separate_lumped else fe.M_gg
    case = modes_case(fe, subcase)
    _refuse_preload(fe)
    given = aset is not None
    rvdof = check_points(fe, "rvdof", rvdof)
    aset = check_points(fe, "aset", aset) if given else deck_aset(fe, case)
    reduced = _reduce(fe, M_gg, case, aset)
    coordinates, _ = read_geometry(deck)
    R = deck_axes(coordinates, csid)
    reference, origin = reference_point(fe, grdpnt)
    model = _assembled(fe, M_gg, bare, reduced, R, origin, separate_lumped)
    if children and add_lumped_to_aset:
        aset = merged_aset(aset, _carriers(model, children))
    request = None if n_modes is not None else _wanted(fe, case)
    component = build_component(
        model,
        n_modes=n_modes or 0,
        request=request,
        aset=aset,
        rvdof=rvdof,
        loads=loads,
        damping=damping,
        modal_integrals=modal_integrals,
        rotary=rotary_integrals,
        inertia_relief=inertia_relief,
        rigid_threshold_hz=rigid_threshold_hz,
        massless=massless,
        name=name or Path(deck.name).stem,
        units=units,
    )
    component.reference_node, component.reference_position = reference, origin
    component.axes, component.csid = R, csid
    component.child_bodies = [turned_child(body, origin, R) for body in children]
    component.coordinates = {cid: (s.origin, s.R) for cid, s in coordinates.systems.items() if cid}
    component.bgpdt = _bgpdt(fe, deck)
    component.notes = list(reduced.notes) + component.notes
    wanted = str(n_modes) if request is None else f"of the deck: {request}"
    options = _options(wanted, aset, rvdof, csid, reference, separate_lumped)
    options |= {"subcase": str(case.id) if case else "none", "rigid_threshold_hz": f"{rigid_threshold_hz:g}"}
    component.provenance = {**provenance(deck, options), **component.provenance}
    if keep_matrices:
        component.gset, component.fset = _matrix_sets(fe, M_gg, reduced)
    return component


def _refuse_preload(fe: FEModel) -> None:
    """Refuse STATSUB in a deck for modes: a component is made of the unloaded structure."""
    loaded = [one.id for one in fe.case.subcases if "STATSUB" in one.requests]
    if loaded and fe.sol not in BUCKLING:
        raise ModelError(
            f"subcase {loaded[0]} asks for modes under a preload (STATSUB), which a component cannot hold",
            where=fe.source,
            hint="remove STATSUB; 'interstage modes' gives the frequencies under load",
        )


def check_points(fe: FEModel, what: str, wanted: Mapping[int, int] | None) -> dict[int, int]:
    """Check a dictionary of grids and components; a scalar point is no place for it and is refused by name."""
    check_mapping(what, wanted)
    scalar = [point for point in wanted or {} if int(point) in fe.grids.spoint]
    if scalar:
        raise _scalar_point(fe, what, scalar)
    return check_grids(what, wanted, fe.grids.id)


def _scalar_point(fe: FEModel, what: str, points: Sequence[int]) -> ModelError:
    named = ", ".join(str(point) for point in points[:6])
    return ModelError(
        f"{what} names scalar points: the interface of a component is made of grids",
        where=f"{fe.source}, scalar point {named}"
        + (f" and {len(points) - 6} more" if len(points) > 6 else ""),
        hint="give the interface by its grids (aset=, --aset): the scalar points stay inside, in the modes",
    )


def deck_aset(fe: FEModel, case) -> dict[int, int]:
    """Interface of the deck's own cards: ASET, BSET, CSET and SUPORT dofs of grids.

    Scalar points without stiffness and mass are places for modal coordinates and are left out; others are refused.
    """
    cards = fe.set_cards(case)
    dofs = np.unique(np.concatenate([cards.a, cards.b, cards.c, cards.r])).astype(np.int64)
    scalar = np.isin(dofs, fe.grids.spoint_dof)
    used = [i for i in dofs[scalar] if fe.K_gg[[i]].nnz or fe.M_gg[[i]].nnz]
    if used:
        raise _scalar_point(
            fe, "ASET, BSET, CSET or SUPORT", fe.grids.spoint[np.isin(fe.grids.spoint_dof, used)]
        )
    dofs = dofs[~scalar]
    row = np.searchsorted(fe.grids.dof, dofs, side="right") - 1
    out: dict[int, str] = {}
    for r, c in zip(row, dofs - fe.grids.dof[row]):
        grid = int(fe.grids.id[r])
        out[grid] = out.get(grid, "") + str(c + 1)
    return {grid: int(text) for grid, text in out.items()}


def _reduce(fe: FEModel, M_gg: Any, case, aset: Mapping[int, int]) -> ReducedModel:
    """Apply rigid elements, MPC, SPC and AUTOSPC; the interface is exempt from AUTOSPC."""
    constraints = subcase_constraints(fe, case, SetCards())
    rows = fe.grids.find(np.array(list(aset), dtype=np.int64))
    interface = [fe.grids.dof[r] + int(c) - 1 for r, value in zip(rows, aset.values()) for c in str(value)]
    free = np.setdiff1d(np.array(interface, dtype=np.int64), constraints.spc)
    constraints.cards = SetCards(b=np.setdiff1d(free, constraints.equations.dependent))
    reduced = ReducedModel(fe.K_gg, M_gg, fe.grids, constraints)
    reduced.require_mass()
    return reduced


def deck_axes(coordinates, csid: int) -> np.ndarray:
    system = coordinates[csid]
    if system.kind != "R":
        raise InputError(
            "the component's axes must be those of a rectangular coordinate system",
            where=f"csid {csid}",
            hint=known_names([c for c, s in coordinates.systems.items() if s.kind == "R"]),
        )
    return np.array(system.R)


def reference_point(fe: FEModel, grdpnt: int | None) -> tuple[int, np.ndarray]:
    if grdpnt is None:
        value = fe.params.get("GRDPNT", 0)
        grdpnt = value if isinstance(value, int) and value > 0 and fe.grids.find(value) >= 0 else 0
    if grdpnt == 0:
        return 0, np.zeros(3)
    check_grids("grdpnt", {grdpnt: 123}, fe.grids.id)
    return int(grdpnt), fe.grids.xyz[int(fe.grids.find(grdpnt))].copy()


def _turns(fe: FEModel, R: np.ndarray) -> sp.csr_matrix:
    """Matrix (6N, g): motion of grids in component axes from g-set motion in CD axes."""
    n = len(fe.grids)
    blocks = np.einsum("ba,nbc->nac", R, fe.grids.R_basic_cd)
    rows = np.arange(6 * n).reshape(n, 2, 3)
    columns = fe.grids.dof[:, None, None] + np.arange(6).reshape(2, 3)
    i = np.broadcast_to(rows[:, :, :, None], (n, 2, 3, 3))
    j = np.broadcast_to(columns[:, :, None, :], (n, 2, 3, 3))
    values = np.broadcast_to(blocks[:, None], (n, 2, 3, 3))
    Q = sp.coo_matrix((values.ravel(), (i.ravel(), j.ravel())), shape=(6 * n, fe.grids.n_dof)).tocsr()
    Q.eliminate_zeros()
    return Q


def _assembled(fe, M_gg, bare, reduced, R, origin, separate_lumped) -> Assembled:
    """Sets, matrices and maps of the reduced model in component axes."""
    grids = fe.grids
    Q = _turns(fe, R)
    positions = (grids.xyz - origin) @ R
    f = reduced.sets.f
    empty = _empty(reduced.K_ff) & _empty(reduced.M_ff)
    keep = np.flatnonzero(~empty)
    notes = []
    if empty.any():
        notes.append(f"{np.count_nonzero(empty)} degrees of freedom without stiffness and mass were held")
    place = np.full(grids.n_dof, -1, dtype=np.int64)
    place[f[keep]] = np.arange(len(keep))
    T = sp.csr_matrix(reduced.dependence.T_gn)[:, reduced.sets.within("f", "n")[keep]]
    M_c = (Q @ M_gg @ Q.T).tocsr()
    points, words = lumped_points(fe, bare, R, Q, with_conm2=not separate_lumped)

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
        R_node=np.einsum("ba,nbc->nac", R, grids.R_basic_cd),
        points=points,
        notes=notes + words + said,
    )


def deck_damping(fe: FEModel, K: Any, B: Any, K4: Any) -> tuple[Any, Any, list[str]]:
    """Return viscous and structural damping with PARAM G, W3 and W4, and what is to be said of them.

    B + K4/W4 + (G/W3) K are viscous where W4 or W3 is given, as in NASTRAN's transient solutions; where they are not,
    K4 + G K is structural. K, B, K4 : matrices of one set, None for zero
    """
    G, W3, W4 = (float(fe.parameter(name, 0.0)) for name in ("G", "W3", "W4"))
    notes = []

    def plus(A: Any, more: Any) -> Any:
        return more if A is None else A + more

    if K4 is not None and W4 > 0.0:
        B, K4 = plus(B, K4 / W4), None
        notes.append(f"PARAM W4: structural damping of elements is viscous, K4/W4 with W4 = {W4:g} rad/s")
    if G and W3 > 0.0:
        B = plus(B, (G / W3) * K)
        notes.append(
            f"PARAM W3: the damping of PARAM G is viscous, G K/W3 with G = {G:g} and W3 = {W3:g} rad/s"
        )
    elif G:
        K4 = plus(K4, G * K)
    return B, K4, notes


def _some(A: Any) -> Any:
    return A if A.nnz else None


def _empty(A: Any) -> np.ndarray:
    return np.asarray(abs(A).sum(axis=1)).ravel() == 0


def bare_model(fe: FEModel) -> FEModel:
    """The model without its CONM2."""
    return replace(fe, blocks=[b for b in fe.blocks if not isinstance(b, PointMassBlock)])


def lumped_points(
    fe: FEModel, bare: FEModel, R: np.ndarray, Q: Any = None, with_conm2: bool = True
) -> tuple[PointMasses, list[str]]:
    """Point masses in component axes: of the grids, and every CONM2 at its own centre of gravity."""
    Q = _turns(fe, R) if Q is None else Q
    parts, notes = point_masses((Q @ bare.M_gg @ Q.T).tocsr(), len(fe.grids))
    mass, row, offset = [parts.mass], [parts.row], [parts.offset]
    for block in fe.blocks if with_conm2 else ():
        if isinstance(block, PointMassBlock):
            mass.append(block.point_mass * fe.wtmass)
            row.append(block.nodes[:, 0])
            offset.append(block.offset @ R)
    mass = np.concatenate(mass)
    used = mass != 0
    return PointMasses(mass[used], np.concatenate(row)[used], np.concatenate(offset)[used]), notes


def _carriers(model: Assembled, children: list[ChildBody]) -> dict[int, int]:
    """Interface that the child bodies need: the free coordinates on which the motion of their grids
    depends.
    """
    owner = {
        int(row): (node, c) for node, rows in enumerate(model.f_row) for c, row in enumerate(rows) if row >= 0
    }
    found: dict[int, set[int]] = {}
    for body in children:
        at = int(np.searchsorted(model.node_ids, body.grid))
        for column in np.unique(model.T_gf[6 * at : 6 * at + 6].indices):
            if int(column) in owner:
                node, c = owner[int(column)]
                found.setdefault(int(model.node_ids[node]), set()).add(c + 1)
    return {grid: int("".join(str(c) for c in sorted(values))) for grid, values in sorted(found.items())}


def _wanted(fe: FEModel, case) -> EigenRequest:
    """The deck's request for modes; without one the caller must say how many."""
    request = deck_request(fe, case)
    if request is None:
        raise InputError(
            "the number of modes is not known",
            where=fe.source,
            hint="give n_modes (--modes), or METHOD and EIGRL in the deck",
        )
    return request


def _bgpdt(fe: FEModel, deck: Deck) -> np.ndarray:
    table = deck.cards("GRID")
    grdset = deck.cards("GRDSET")
    default = int(grdset.integer(2, 0)[0]) if len(grdset) else 0
    cp = dict(zip(table.integer(1).tolist(), table.integer(2, default).tolist()))
    column = [cp.get(int(grid), 0) for grid in fe.grids.id]
    return np.column_stack([fe.grids.id, column, fe.grids.cd, fe.grids.xyz]).astype(float)


def _options(n_modes: str, aset, rvdof, csid, grdpnt, separate_lumped) -> dict[str, str]:
    """Options of a run as strings, for the provenance of the file."""

    def text(entry):
        return ",".join(f"{grid}:{value}" for grid, value in sorted((entry or {}).items()))

    return {
        "n_modes": n_modes,
        "aset": text(aset) if len(aset or {}) < 200 else f"{len(aset)} grids",
        "rvdof": text(rvdof),
        "csid": str(csid),
        "grdpnt": str(grdpnt),
        "separate_lumped": str(bool(separate_lumped)),
    }


def provenance(deck: Deck, options: dict[str, str]) -> dict[str, str]:
    import scipy

    from interstage import __version__
    from interstage.linalg.factor import backend_name

    digest = hashlib.sha256()
    for file in deck.files:
        path = Path(file)
        if path.is_file():
            digest.update(path.read_bytes())
    return {
        "source": "deck",
        "deck": deck.name,
        "deck_sha256": digest.hexdigest(),
        "files": ", ".join(Path(file).name for file in deck.files),
        "solver": f"interstage {__version__}, {backend_name()}",
        "versions": f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}",
        **{f"option_{key}": value for key, value in options.items()},
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
