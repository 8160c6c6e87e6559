"""What all components of a deck share: interface, frame, damping, point masses, provenance."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.component import LumpedInside
from interstage.component.integrals import PointMasses, point_masses
from interstage.component.interface import check_grids
from interstage.component.options import ReductionOptions
from interstage.errors import InputError, ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.elements.axisymmetric import AxisymmetricBlock
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.model import FEModel
from interstage.nastran import Deck, read_deck
from interstage.output import is_file


def as_deck(deck: Deck | str | os.PathLike[str], allow_outside: bool) -> Deck:
    """Return a deck, read if it is a path."""
    return deck if isinstance(deck, Deck) else read_deck(Path(deck), allow_outside=allow_outside)


def deck_mass(deck: Deck | str | os.PathLike[str]) -> float:
    """Return the mass of a deck's structure, in consistent units (WTMASS applied)."""
    fe = FEModel.from_deck(as_deck(deck, allow_outside=False))
    return fe.mass_properties().mass * fe.wtmass


# the interface --------------------------------------------------------------------------------------------


def check_points(fe: FEModel, what: str, wanted: Mapping[int, int]) -> None:
    """Refuse what is no grid of the model; a scalar point is no place for an interface and is refused by name."""
    scalar = [point for point in wanted if point in fe.grids.spoint]
    if scalar:
        raise _scalar_point(fe, what, scalar)
    check_grids(what, wanted, fe.grids.id)


def _scalar_point(fe: FEModel, what: str, points: Sequence[int]) -> ModelError:
    named = ", ".join(str(point) for point in points[:6])
    return ModelError(
        f"{what} names scalar points: the interface of a component is made of grids",
        where=f"{fe.source}, scalar point {named}"
        + (f" and {len(points) - 6} more" if len(points) > 6 else ""),
        hint="give the interface by its grids in aset: the scalar points stay inside, in the modes",
    )


def deck_aset(fe: FEModel, case: SubcaseSelections | None) -> dict[int, int]:
    """Interface of the deck's own cards: ASET, BSET, CSET and SUPORT dofs of grids.

    Scalar points without stiffness and mass are places for modal coordinates and are left out; others are refused.
    """
    cards = fe.set_cards(case)
    dofs = np.unique(np.concatenate([cards.a, cards.b, cards.c, cards.r])).astype(np.int64)
    scalar = np.isin(dofs, fe.grids.spoint_dof)
    used = [i for i in dofs[scalar] if fe.K_gg[[i]].nnz or fe.M_gg[[i]].nnz]
    if used:
        raise _scalar_point(
            fe, "ASET, BSET, CSET or SUPORT", fe.grids.spoint[np.isin(fe.grids.spoint_dof, used)].tolist()
        )
    return _by_grid(fe, dofs[~scalar])


def deck_moving(fe: FEModel, case: SubcaseSelections | None) -> dict[int, int]:
    """Part of the deck's interface that moves in component modes (Quick Reference Guide, BSET and CSET)."""
    cards = fe.set_cards(case)
    named = np.unique(np.concatenate([cards.a, cards.b, cards.c]))
    dofs = np.setdiff1d(named, cards.held()).astype(np.int64)
    return _by_grid(fe, dofs[~np.isin(dofs, fe.grids.spoint_dof)])


def _by_grid(fe: FEModel, dofs: np.ndarray) -> dict[int, int]:
    """Dofs of grids as grid -> components."""
    row = np.searchsorted(fe.grids.dof, dofs, side="right") - 1
    out: dict[int, str] = {}
    for r, c in zip(row, dofs - fe.grids.dof[row]):
        grid = int(fe.grids.id[r])
        out[grid] = out.get(grid, "") + str(c + 1)
    return {grid: int(text) for grid, text in out.items()}


# the frame ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReferenceFrame:
    """Axes and reference point of a component, and the systems of its deck.

    R : (3,3) x_basic = R @ x_component; origin : (3,) reference point, basic axes; reference : its grid, 0 for a point
    """

    R: np.ndarray
    origin: np.ndarray
    reference: int
    csid: int
    systems: dict[int, tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, fe: FEModel, options: ReductionOptions) -> ReferenceFrame:
        """Return the frame that options name in a deck's own geometry."""
        chosen = fe.coordinates[options.csid]
        if chosen.kind != "R":
            raise InputError(
                "the component's axes must be those of a rectangular coordinate system",
                where=f"csid {options.csid}",
                hint=known_names([c for c, s in fe.coordinates.systems.items() if s.kind == "R"]),
            )
        reference, origin = _reference_point(fe, options.grdpnt)
        systems = {cid: (s.origin, s.R) for cid, s in fe.coordinates.systems.items() if cid}
        return cls(np.array(chosen.R), origin, reference, options.csid, systems)

    def positions(self, xyz: np.ndarray) -> np.ndarray:
        """Return points (n,3) of basic axes from the reference point, in component axes."""
        return (xyz - self.origin) @ self.R

    def node_axes(self, R_basic_cd: np.ndarray) -> np.ndarray:
        """Return output axes (n,3,3) of grids, x_component = R @ x_node."""
        return np.einsum("ba,nbc->nac", self.R, R_basic_cd)

    def fields(self) -> dict[str, Any]:
        """Return what a component keeps of its frame."""
        return {
            "reference_node": self.reference,
            "reference_position": self.origin,
            "axes": self.R,
            "csid": self.csid,
            "coordinates": self.systems,
        }


def _reference_point(fe: FEModel, grdpnt: int | None) -> tuple[int, np.ndarray]:
    if grdpnt is None:
        value = fe.params.get("GRDPNT", 0)
        grdpnt = value if isinstance(value, int) and value > 0 and fe.grids.find(value) >= 0 else 0
    if grdpnt == 0:
        return 0, np.zeros(3)
    check_grids("grdpnt", {grdpnt: 123}, fe.grids.id)
    return grdpnt, fe.grids.xyz[int(fe.grids.find(grdpnt))].copy()


def grid_turns(fe: FEModel, R: np.ndarray) -> sp.csr_matrix:
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


# damping and mass -----------------------------------------------------------------------------------------


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


def refuse_rings(fe: FEModel) -> None:
    """Refuse rings: x of an axisymmetric model is a radius, so that it is no body that moves in space."""
    if any(isinstance(block, AxisymmetricBlock) for block in fe.blocks):
        raise ModelError(
            "CTRIAX6 makes an axisymmetric model, whose x is a radius: it is no body that moves in space",
            where=fe.source,
            hint="model the part with shells or solids; 'interstage modes' and 'static' solve the rings",
        )


def bare_model(fe: FEModel, chosen: bool | Sequence[int] = True) -> FEModel:
    """The model without its CONM2, or without those whose ids are chosen."""
    if chosen is False:
        return fe
    blocks = []
    for block in fe.blocks:
        if not isinstance(block, PointMassBlock):
            blocks.append(block)
        elif chosen is not True:
            kept = ~np.isin(block.eid, chosen)
            parts = (block.eid, block.nodes, block.point_mass, block.offset, block.inertia)
            blocks += [PointMassBlock(*(part[kept] for part in parts))] if kept.any() else []
    return replace(fe, blocks=blocks)


def check_lumped(fe: FEModel, chosen: bool | Sequence[int]) -> None:
    """Refuse ids that no CONM2 of the deck has."""
    if isinstance(chosen, bool):
        return
    known = [int(eid) for block in fe.blocks if isinstance(block, PointMassBlock) for eid in block.eid]
    unknown = [eid for eid in chosen if eid not in known]
    if unknown:
        raise InputError(
            f"separate_lumped names CONM2 {unknown[0]}, which is not in the deck",
            where=fe.source,
            hint=known_names(known),
        )


def lumped_inside(fe: FEModel, frame: ReferenceFrame) -> LumpedInside | None:
    """Return the CONM2 of a model, in component axes; None where there are none."""
    blocks = [block for block in fe.blocks if isinstance(block, PointMassBlock)]
    if not sum(len(block.eid) for block in blocks):
        return None
    row = np.concatenate([block.nodes[:, 0] for block in blocks])
    offset = np.concatenate([block.offset for block in blocks])
    inertia = np.concatenate([block.inertia for block in blocks]) * fe.wtmass
    return LumpedInside(
        names=[f"CONM2_{eid}" for block in blocks for eid in block.eid],
        grid=fe.grids.id[row].astype(np.int64),
        mass=np.concatenate([block.point_mass for block in blocks]) * fe.wtmass,
        position=frame.positions(fe.grids.xyz[row] + offset),
        inertia=np.einsum("ba,nbc,cd->nad", frame.R, inertia, frame.R),
    )


def with_matrices(fe: FEModel, bare: FEModel, given: Mapping[str, sp.csr_matrix]) -> tuple[FEModel, FEModel]:
    """The model and the one without its CONM2 with matrices of another program, K, M, B and K4 of the g-set.

    What CONM2 weigh is as the deck has it: M_bare = M - (M_own - M_own,bare), what cancels to rounding removed.
    """
    lumped = (fe.M_gg - bare.M_gg).tocsr()
    rest = (given["M"] - lumped).tocsr()
    size = abs(given["M"]).tocoo()
    noise = sp.csr_matrix((1e-13 * size.data, (size.row, size.col)), shape=rest.shape)
    kept = rest.multiply(abs(rest) > noise).tocsr()
    kept.eliminate_zeros()
    out = []
    for model, M in ((fe, given["M"]), (bare, kept)):
        one = copy(model)
        one.__dict__.update(K_gg=given["K"], M_gg=M, B_gg=given["B"], K4_gg=given["K4"])
        out.append(one)
    return out[0], out[1]


def lumped_points(fe: FEModel, bare: FEModel, R: np.ndarray, Q: Any = None) -> tuple[PointMasses, list[str]]:
    """Point masses in component axes: of the grids, and every CONM2 of `fe` at its own centre of gravity.

    bare : the model without any CONM2
    """
    Q = grid_turns(fe, R) if Q is None else Q
    parts, notes = point_masses((Q @ bare.M_gg @ Q.T).tocsr(), len(fe.grids))
    mass, row, offset = [parts.mass], [parts.row], [parts.offset]
    for block in fe.blocks:
        if isinstance(block, PointMassBlock):
            mass.append(block.point_mass * fe.wtmass)
            row.append(block.nodes[:, 0])
            offset.append(block.offset @ R)
    masses = np.concatenate(mass)
    used = masses != 0
    return PointMasses(masses[used], np.concatenate(row)[used], np.concatenate(offset)[used]), notes


def direct_matrices(deck: Deck) -> dict[str, np.ndarray]:
    """Return the numbers of the matrices that case control or files add to the structure, by name, as written."""
    case = deck.case.subcases[0]
    wanted = [*case.k2gg, *case.m2gg, *case.b2gg, *case.k42gg]
    found: dict[str, list[float]] = {name: [] for name in wanted}
    table = deck.cards("DMIG")
    for i in range(len(table) if wanted else 0):
        row = table.row(i)
        if row and str(row[0]) in found and row[1] != 0:
            found[str(row[0])] += [float(v) for v in row[6::4] if isinstance(v, int | float)]
    given = {one.name: one.values.ravel() for one in deck.given}
    return given | {f"DMIG {name}": np.array(values) for name, values in found.items()}


# where it comes from --------------------------------------------------------------------------------------


def provenance(deck: Deck, options: dict[str, str]) -> dict[str, str]:
    """Return what a component was made from and by, as text for its file."""
    import scipy

    from interstage import __version__
    from interstage.linalg.factor import backend_name

    digest = hashlib.sha256()
    for file in deck.files:
        path = Path(file)
        if is_file(path):
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
