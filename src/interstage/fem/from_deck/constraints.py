"""Constraints and set cards of a deck: SPC, MPC, ASET and their relatives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from interstage.errors import ModelError, known_names
from interstage.fem.constraints import Equations, equations, join
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import list_dofs, point_dofs
from interstage.fem.sets import SetCards
from interstage.nastran import CardTable


@dataclass
class ConstraintCards:
    """Constraint sets of a deck by id.

    Attributes
    ----------
    permanent : (k,) dofs constrained on GRID cards (PS)
    spc_sets : SPC and SPC1 sets: dofs and enforced values
    mpc_sets : MPC sets
    spc_add, mpc_add : ids that SPCADD and MPCADD sets combine
    cards : dofs of ASET, BSET, CSET, QSET, OMIT, SUPORT and USET
    suport1_sets : dofs of SUPORT1 sets
    """

    permanent: np.ndarray
    spc_sets: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    mpc_sets: dict[int, Equations] = field(default_factory=dict)
    spc_add: dict[int, list[int]] = field(default_factory=dict)
    mpc_add: dict[int, list[int]] = field(default_factory=dict)
    cards: SetCards = field(default_factory=SetCards)
    suport1_sets: dict[int, np.ndarray] = field(default_factory=dict)

    def spc(self, set_id: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Dofs and enforced values of a selected set, permanent constraints included; None: only those."""
        parts = [(self.permanent, np.zeros(len(self.permanent)))]
        parts += _selected(set_id, self.spc_sets, self.spc_add, "SPC")
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def mpc(self, set_id: int | None = None) -> Equations:
        """Equations of a selected set; None, or a set that is not in the deck: none."""
        if set_id not in self.mpc_sets and set_id not in self.mpc_add:
            return Equations()
        return join(_selected(set_id, self.mpc_sets, self.mpc_add, "MPC"))

    def set_cards(self, suport1: int | None = None) -> SetCards:
        """Set cards with the SUPORT1 set that a subcase selects."""
        if not suport1:
            return self.cards
        extra = _selected(suport1, self.suport1_sets, {}, "SUPORT1")
        c = self.cards
        return SetCards(c.a, c.b, c.c, c.q, c.o, np.union1d(c.r, extra[0]).astype(np.int64), c.user)


def _selected(set_id, sets: dict, additions: dict, name: str) -> list:
    """Members of a set: those that its SPCADD or MPCADD names, or the set itself."""
    if set_id is None or set_id == 0:
        return []
    out = []
    for sid in additions.get(set_id, [set_id]):
        if sid not in sets:
            via = f" (through {name}ADD {set_id})" if set_id in additions else ""
            raise ModelError(
                f"{name} set {sid} is selected but is not in the deck{via}",
                where=f"case control {name} = {set_id}",
                hint=known_names(sorted({*sets, *additions})),
            )
        out.append(sets[sid])
    return out


def read_constraints(ctx: Context) -> ConstraintCards:
    """Read all constraint and set cards."""
    row, component = np.nonzero(ctx.grids.ps)
    out = ConstraintCards(permanent=ctx.grids.dof[row] + component)
    out.spc_sets = _read_spc(ctx)
    out.mpc_sets = _read_mpc(ctx)
    out.spc_add = _read_add(ctx, "SPCADD")
    out.mpc_add = _read_add(ctx, "MPCADD")
    for name, additions, sets in (("SPC", out.spc_add, out.spc_sets), ("MPC", out.mpc_add, out.mpc_sets)):
        _leave_out_absent(ctx, name, additions, sets)
    chosen = {case.mpc for case in ctx.deck.case.subcases if case.mpc}
    absent = sorted(chosen - out.mpc_sets.keys() - out.mpc_add.keys())
    if absent:
        ctx.notes.append(f"MPC set {absent[0]} is selected and not in the deck: it holds no equations")
    sets = {
        name: _read_set(ctx, *cards)
        for name, cards in {
            "a": ("ASET", "ASET1"),
            "b": ("BSET", "BSET1", "BNDFIX", "BNDFIX1"),
            "c": ("CSET", "CSET1", "BNDFREE", "BNDFRE1"),
            "q": ("QSET", "QSET1"),
            "o": ("OMIT", "OMIT1"),
            "r": ("SUPORT",),
        }.items()
    }
    out.cards = SetCards(**sets, user=_read_user_sets(ctx))
    out.suport1_sets = _read_suport1(ctx)
    return out


def _leave_out_absent(ctx: Context, name: str, additions: dict[int, list[int]], sets: dict) -> None:
    """Drop members of SPCADD or MPCADD that are not in the deck, as Nastran does, unless none remains."""
    used = {getattr(case, name.lower()) for case in ctx.deck.case.subcases}
    for set_id, members in additions.items():
        there = [one for one in members if one in sets]
        if not there or len(there) == len(members):
            continue
        if set_id in used:
            absent = ", ".join(str(one) for one in members if one not in sets)
            ctx.notes.append(
                f"{name}ADD {set_id} names {name} set {absent}, not in the deck: left out, as in Nastran"
            )
        additions[set_id] = there


def _pairs(table: CardTable, i: int, first: int) -> list[tuple]:
    """(point, component) pairs from data field `first` (counted from 1) on; blank pairs are skipped."""
    row = table.row(i)[first - 1 :]
    row += [None] * (len(row) % 2)
    return [(p, c) for p, c in zip(row[::2], row[1::2]) if p is not None or c is not None]


def _read_spc(ctx: Context) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    parts: dict[int, list] = {}
    table = ctx.deck.cards("SPC")
    ids = table.integer(1)
    for i in range(len(table)):
        row = table.row(i) + [None] * 7
        for point, component, value in (row[1:4], row[4:7]):
            if point is None and component is None:
                continue
            dofs = point_dofs(ctx, table, i, point, component)
            if isinstance(value, str):
                raise table.error(i, "the enforced displacement of this SPC is not a number", got=value)
            parts.setdefault(int(ids[i]), []).append((dofs, np.full(len(dofs), float(value or 0.0))))
    table = ctx.deck.cards("SPC1")
    ids = table.integer(1)
    for i in range(len(table)):
        row = table.row(i) + [None] * 2
        dofs = list_dofs(ctx, table, i, row[1], row[2:])
        parts.setdefault(int(ids[i]), []).append((dofs, np.zeros(len(dofs))))
    return {
        sid: (np.concatenate([p[0] for p in part]), np.concatenate([p[1] for p in part]))
        for sid, part in parts.items()
    }


def _read_mpc(ctx: Context) -> dict[int, Equations]:
    parts: dict[int, list[Equations]] = {}
    table = ctx.deck.cards("MPC")
    ids = table.integer(1)
    for i in range(len(table)):
        sid = int(ids[i])
        number = len(parts.get(sid, [])) + 1
        parts.setdefault(sid, []).append(_one_mpc(ctx, table, i, f"MPC set {sid}, equation {number}"))
    return {sid: join(part) for sid, part in parts.items()}


def _one_mpc(ctx: Context, table: CardTable, i: int, name: str) -> Equations:
    """One equation: terms (point, component, factor), two a line; the first one is dependent."""
    row = table.row(i)
    row += [None] * (-len(row) % 8)
    dofs, values = [], []
    for line in range(0, len(row), 8):
        for first in (line + 1, line + 4):
            point, component, value = row[first : first + 3]
            if point is None and component is None and value is None:
                continue
            dof = point_dofs(ctx, table, i, point, component)
            if len(dof) != 1:
                raise table.error(i, "a term of this MPC has more than one component", got=str(component))
            if not isinstance(value, (int, float)):
                raise table.error(i, "a factor of this MPC is missing or not a number", "a real", repr(value))
            dofs.append(int(dof[0]))
            values.append(float(value))
    if not dofs or values[0] == 0.0:
        raise table.error(i, "the dependent dof of this MPC has no factor", "a first factor that is not zero")
    return equations(np.zeros(len(dofs)), dofs, values, dofs[:1], f"{name} ({table.where(i)})")


def _read_add(ctx: Context, name: str) -> dict[int, list[int]]:
    out: dict[int, list[int]] = {}
    table = ctx.deck.cards(name)
    ids = table.integer(1)
    for i in range(len(table)):
        members = [m for m in table.row(i)[1:] if m is not None]
        if not members or not all(isinstance(m, int) for m in members):
            raise table.error(i, f"{name} must list set ids")
        out.setdefault(int(ids[i]), []).extend(members)
    return {sid: list(dict.fromkeys(members)) for sid, members in out.items()}


def _read_set(ctx: Context, *names: str) -> np.ndarray:
    """Dofs of pair cards (ID1, C1, ID2, C2, ...) and of list cards, whose names end in 1 (C, ID1, ID2, ...)."""
    parts = [np.zeros(0, dtype=np.int64)]
    for name in names:
        table = ctx.deck.cards(name)
        for i in range(len(table)):
            if name.endswith("1"):
                row = table.row(i) + [None]
                parts.append(list_dofs(ctx, table, i, row[0], row[1:]))
            else:
                parts += [point_dofs(ctx, table, i, point, c) for point, c in _pairs(table, i, 1)]
    return np.unique(np.concatenate(parts))


def _read_user_sets(ctx: Context) -> dict[str, np.ndarray]:
    parts: dict[str, list[np.ndarray]] = {}
    table = ctx.deck.cards("USET")
    for i in range(len(table)):
        name = str(table.row(i)[0])
        parts.setdefault(name, []).extend(point_dofs(ctx, table, i, p, c) for p, c in _pairs(table, i, 2))
    table = ctx.deck.cards("USET1")
    for i in range(len(table)):
        row = table.row(i) + [None] * 2
        parts.setdefault(str(row[0]), []).append(list_dofs(ctx, table, i, row[1], row[2:]))
    return {name: np.unique(np.concatenate(part)) for name, part in parts.items() if part}


def _read_suport1(ctx: Context) -> dict[int, np.ndarray]:
    parts: dict[int, list[np.ndarray]] = {}
    table = ctx.deck.cards("SUPORT1")
    ids = table.integer(1)
    for i in range(len(table)):
        dofs = [point_dofs(ctx, table, i, p, c) for p, c in _pairs(table, i, 2)]
        parts.setdefault(int(ids[i]), []).extend(dofs)
    return {sid: np.unique(np.concatenate(part)) for sid, part in parts.items() if part}
