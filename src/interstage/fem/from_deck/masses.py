"""Point masses and nonstructural mass from cards.

Concentrated masses of a deck: CONM1, CONM2.

Non-structural mass that case control selects: NSM, NSM1, NSML, NSML1, NSMADD.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from interstage.fem.elements.bar import BarBlock
from interstage.fem.elements.beam import BeamBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.line_common import transform, turn
from interstage.fem.elements.point_mass import GeneralMassBlock, PointMassBlock
from interstage.fem.elements.rod import RodBlock
from interstage.fem.elements.shell_common import ShellBlock
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import defaults_of, property_ids
from interstage.nastran import CardTable, expand_ids
from interstage.nastran.cards import CARDS


def read(ctx: Context) -> list[ElementBlock]:
    """All concentrated masses of a deck."""
    readers = (_conm2, _conm1)
    return [block for block in (one(ctx) for one in readers) if block is not None]


def _conm2(ctx: Context) -> PointMassBlock | None:
    """CONM2: offsets and inertia in the axes of CID at the grid; CID = -1: place in basic coordinates."""
    table = ctx.deck.cards("CONM2")
    if not len(table):
        return None
    rows = ctx.rows(table, 2)
    at = ctx.grids.xyz[rows]
    cid = table.integer(3, 0)
    absolute = cid == -1
    R = _axes(ctx, table, np.where(absolute, 0, cid), at)
    given = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)])
    offset = np.where(absolute[:, None], given - at, np.einsum("nij,nj->ni", R, given))
    i11, i21, i22, i31, i32, i33 = (table.real(j, 0.0) for j in range(9, 15))
    # the card holds the products of inertia; the tensor has their negatives
    tensor = np.stack([i11, -i21, -i31, -i21, i22, -i32, -i31, -i32, i33], axis=1).reshape(-1, 3, 3)
    inertia = R @ tensor @ R.transpose(0, 2, 1)
    return PointMassBlock(table.unique_ids(), rows, table.real(4, 0.0), offset, inertia)


def _conm1(ctx: Context) -> GeneralMassBlock | None:
    """CONM1: the lower triangle of a 6 by 6 matrix by rows, in the axes of CID at the grid."""
    table = ctx.deck.cards("CONM1")
    if not len(table):
        return None
    rows = ctx.rows(table, 2)
    R = _axes(ctx, table, table.integer(3, 0), ctx.grids.xyz[rows])
    matrix = np.zeros((len(table), 6, 6))
    for k, (p, q) in enumerate(zip(*np.tril_indices(6))):
        matrix[:, p, q] = matrix[:, q, p] = table.real(4 + k, 0.0)
    return GeneralMassBlock(table.unique_ids(), rows, transform(matrix, turn(R)))


def _axes(ctx: Context, table: CardTable, cid: np.ndarray, at: np.ndarray) -> np.ndarray:
    ctx.check_systems(table, cid)
    return ctx.coordinates.axes(cid, at)


# property or element entry that a card names -> elements
_ELEMENTS: dict[str, tuple[str, ...]] = {}
for _card in CARDS.values():
    for _entry in (_card.properties or (_card.name,)) if _card.distributed_mass else ():
        _ELEMENTS[_entry] = (*_ELEMENTS.get(_entry, ()), _card.name)


def add_mass(ctx: Context, blocks: list[ElementBlock]) -> None:
    """Add the selected non-structural mass to elements, by length or area (NSM, NSM1) or spread out (NSML, NSML1)."""
    chosen = {case.nsm for case in ctx.deck.case.subcases} - {None}
    if not chosen:
        return
    if len(chosen) > 1 or any(case.nsm is None for case in ctx.deck.case.subcases):
        ctx.notes.append(f"NSM = {min(chosen)} holds for all subcases")
    sets = _members(ctx, min(chosen))
    added = [np.zeros(len(block)) for block in blocks]
    found: set[int] = set()
    for name in ("NSM", "NSM1", "NSML", "NSML1"):
        table = ctx.deck.cards(name)
        if not len(table):
            continue
        for i in np.flatnonzero(np.isin(table.integer(1), sets)).tolist():
            found.add(int(table.integer(1)[i]))
            for kind, ids, value in _entries(table, i):
                _spread(ctx, table, i, blocks, added, kind, ids, value, name.startswith("NSML"))
    absent = [sid for sid in sets if sid not in found]
    if absent:
        ctx.notes.append(f"NSM set {absent[0]} is selected and not in the deck: it adds no mass")
    for block, value in zip(blocks, added):
        if value.any():
            _give(block, value)


def _members(ctx: Context, sid: int) -> list[int]:
    table = ctx.deck.cards("NSMADD")
    for row in table.rows():
        if row[:1] == [sid]:
            return [one for one in row[1:] if isinstance(one, int)]
    return [sid]


def _entries(table: CardTable, i: int) -> list[tuple[str, list | None, float]]:
    """(entry, ids or None for all, value) of a card: pairs of id and value (NSM, NSML), one value and a list (...1)."""
    row = table.row(i) + [None] * 5
    kind = str(row[1])
    if kind != "ELEMENT" and kind not in _ELEMENTS:
        known = ", ".join([*_ELEMENTS, "ELEMENT"])
        raise table.error(i, f"{table.name} names an entry that has no non-structural mass here", known, kind)
    if table.name.endswith("1"):
        ids = [one for one in row[3:] if one is not None]
        value = row[2]
        if not isinstance(value, int | float):
            raise table.error(i, f"{table.name} has no mass", got=repr(value))
        return [(kind, None if ids == ["ALL"] else ids, float(value))]
    out = []
    for number, value in zip(row[2::2], row[3::2]):
        if number is None and value is None:
            continue
        if not isinstance(number, int) or not isinstance(value, int | float):
            raise table.error(i, f"{table.name} needs pairs of an id and a mass", got=f"{number}, {value}")
        out.append((kind, [number], float(value)))
    return out


def _spread(ctx, table, i, blocks, added, kind, ids, value, lumped: bool) -> None:
    """Add a value by length or area to the elements meant, or spread it over all of them."""
    places = []
    for block, target in zip(blocks, added):
        if kind != "ELEMENT" and block.name not in _ELEMENTS[kind]:
            continue
        if not isinstance(block, ShellBlock | RodBlock | BarBlock | BeamBlock):
            continue
        number = block.eid
        if kind not in ("ELEMENT", "CONROD"):
            cards = ctx.deck.cards(block.name)
            order = np.argsort(cards.integer(1))
            pid = property_ids(cards, defaults_of(ctx.deck, block.name))
            number = pid[order][np.searchsorted(cards.integer(1)[order], block.eid)]
            ours = ctx.deck.cards(kind).integer(1)
            number = np.where(np.isin(number, ours), number, -1)
        which = number >= 0
        if ids is not None:
            wanted = expand_ids(ids, partial(table.error, i), within=np.unique(number[number >= 0]))
            which &= np.isin(number, wanted)
        if which.any():
            places.append((target, which, block))
    if not places:
        ctx.notes.append(
            f"{table.name} in {table.where(i)} names no element that takes its mass: it adds none"
        )
    if lumped and len({isinstance(block, ShellBlock) for _, _, block in places}) > 1:
        raise table.error(
            i,
            f"{table.name} spreads one mass over plates and lines, which have areas and lengths",
            hint="give plates and lines cards of their own",
        )
    total = sum(float(_sizes(block)[which].sum()) for _, which, block in places)
    for target, which, _ in places:
        target[which] += value / total if lumped else value


def _sizes(block: ElementBlock) -> np.ndarray:
    """Lengths or areas (n,)."""
    if isinstance(block, ShellBlock):
        x = block.positions()[:, : block.corners]
        if block.corners == 3:
            return 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
        return 0.5 * np.linalg.norm(np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]), axis=1)
    return block.length if isinstance(block, RodBlock) else block.geometry.length


def _give(block: ElementBlock, value: np.ndarray) -> None:
    """Add mass by length or area (n,) to the elements of a block."""
    if isinstance(block, RodBlock):
        block.total_mass = block.total_mass + value * block.length
    elif isinstance(block, BarBlock):
        block.section = replace(block.section, mass_per_length=block.section.mass_per_length + value)
    elif isinstance(block, BeamBlock):
        pairs, block.which = np.unique(np.column_stack([block.which, value]), axis=0, return_inverse=True)
        block.which = block.which.ravel()
        block.take_sections(
            [replace(block.sections[int(k)], nsm=block.sections[int(k)].nsm + more) for k, more in pairs]
        )
    elif isinstance(block, ShellBlock):
        pairs, index = np.unique(np.column_stack([block.section, value]), axis=0, return_inverse=True)
        old = pairs[:, 0].astype(np.int64)
        picked = {name: getattr(block.sections, name)[old] for name in block.sections._fields}
        picked["mass"] = picked["mass"] + pairs[:, 1]
        block.sections = type(block.sections)(**picked)
        block.output = block.output.select(old)
        block.section = np.ascontiguousarray(index.ravel(), dtype=np.int64)
