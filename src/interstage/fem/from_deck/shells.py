"""Shell elements of a deck: CQUAD4, CTRIA3, CQUADR, CTRIAR, CQUAD8, CTRIA6 and CSHEAR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad8 import Quad8Block
from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock
from interstage.fem.elements.shear_panel import ShearPanelBlock
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.fem.elements.snorm import grid_normals
from interstage.fem.elements.tria3 import Tria3Block
from interstage.fem.elements.tria6 import Tria6Block
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import property_ids
from interstage.fem.from_deck.shell_properties import ShellProperties, shear_panel_properties
from interstage.nastran import CardTable

# sine of the smallest angle between the sides at a corner: below it the corner is flat
FLAT = 1e-6


@dataclass(frozen=True)
class _Layout:
    """Data fields of a shell card: numbers of grids, places of THETA/MCID, ZOFFS, TFLAG and T1."""

    block: type
    corners: int
    nodes: int
    theta: int
    zoffs: int
    tflag: int
    thickness: int


LAYOUTS = {
    "CQUAD4": _Layout(Quad4Block, 4, 4, 7, 8, 10, 11),
    "CQUADR": _Layout(QuadRBlock, 4, 4, 7, 8, 10, 11),
    "CTRIA3": _Layout(Tria3Block, 3, 3, 6, 7, 10, 11),
    "CTRIAR": _Layout(TriaRBlock, 3, 3, 6, 7, 10, 11),
    "CQUAD8": _Layout(Quad8Block, 4, 8, 15, 16, 17, 11),
    "CTRIA6": _Layout(Tria6Block, 3, 6, 9, 10, 14, 11),
}
WITH_NORMALS = ("CQUAD4", "CTRIA3", "CQUADR", "CTRIAR")


def read(ctx: Context, k6rot: float = 100.0, snorm_deg: float = 20.0) -> list[ElementBlock]:
    """All shell elements of a deck, one block a card name, with common shell normals.

    k6rot : PARAM K6ROT; snorm_deg : PARAM SNORM (degrees, 0 turns shell normals off)
    """
    properties = ShellProperties(ctx)
    tables = {name: ctx.deck.cards(name) for name in LAYOUTS}
    tables = {name: table for name, table in tables.items() if len(table)}
    section = {name: properties.find(table, property_ids(table)) for name, table in tables.items()}
    blocks = [_block(ctx, table, section[name], properties, k6rot) for name, table in tables.items()]
    for block in blocks:
        if isinstance(block, CurvedShellBlock):
            _check_curved(tables[block.name], block)
    smooth = [block for block in blocks if block.name in WITH_NORMALS]
    if smooth:
        normals = grid_normals(smooth, len(ctx.grids), snorm_deg)
        _given_normals(ctx, normals)
        for block in smooth:
            block.normals = normals
    panels = _shear_panels(ctx)
    return blocks + ([panels] if panels is not None else [])


def _block(
    ctx: Context, table: CardTable, section, properties: ShellProperties, k6rot: float
) -> ElementBlock:
    layout = LAYOUTS[table.name]
    nodes = [ctx.rows(table, 3 + k, optional=k >= layout.corners) for k in range(layout.nodes)]
    nodes = np.column_stack(nodes)
    check_corners(ctx, table, nodes[:, : layout.corners])
    sections = properties.table()
    corners = nodes[:, : layout.corners]
    block = layout.block(
        table.name,
        table.integer(1),
        nodes,
        ctx.grids.xyz,
        sections,
        section,
        axis=_material_axis(ctx, table, corners, layout.theta, sections.isotropic[section]),
        offset=table.real(layout.zoffs, 0.0),
        taper=_taper(table, section, properties, layout),
        k6rot=k6rot,
        ge=properties.ge()[section],
        output=properties.output(),
    )
    block.expansion, block.reference_temperature = (value[section] for value in properties.thermal())
    return block


def check_corners(ctx: Context, table: CardTable, corners: np.ndarray) -> None:
    """Refuse elements with a repeated grid, no area, or an interior angle of 180 degrees or more."""
    ordered = np.sort(corners, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        i = int(np.argmax(twice))
        raise table.error(i, f"{table.name} {table.integer(1)[i]} uses a grid twice")
    x = ctx.grids.xyz[corners]
    after, before = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    normal = np.cross(after, before)
    if corners.shape[1] == 4:
        mean = np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1])
        sizes = np.linalg.norm(x[:, 2] - x[:, 0], axis=1) * np.linalg.norm(x[:, 3] - x[:, 1], axis=1)
    else:
        mean = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        sizes = np.linalg.norm(after, axis=2).max(axis=1) ** 2
    area = np.linalg.norm(mean, axis=1)
    flat = ~(area > FLAT * sizes)
    if flat.any():
        i = int(np.argmax(flat))
        raise table.error(
            i,
            f"{table.name} {table.integer(1)[i]} has no area",
            hint="its corners lie on a line, coincide or cross over",
        )
    sine = np.einsum("ijk,ik->ij", normal, mean / area[:, None])
    sine /= np.linalg.norm(after, axis=2) * np.linalg.norm(before, axis=2)
    bad = ~(sine > FLAT) | ~np.isfinite(sine)  # a side may be too short to have a length
    if bad.any():
        i, corner = np.argwhere(bad)[0]
        grid = ctx.grids.id[corners[i, corner]]
        raise table.error(
            int(i),
            f"{table.name} {table.integer(1)[i]} has an interior angle of 180 degrees or more at grid {grid}",
            hint="order the corners around the element, or split it into triangles",
        )


def _check_curved(table: CardTable, block: CurvedShellBlock) -> None:
    """Refuse elements whose surface folds back on itself (misplaced mid-side nodes)."""
    area = block.area_vectors()
    size = np.linalg.norm(area, axis=2)
    mean = area.mean(axis=1)
    bad = ~(np.einsum("nqk,nk->nq", area, mean) > FLAT * size * np.linalg.norm(mean, axis=1)[:, None]).all(
        axis=1
    )
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(
            i,
            f"{table.name} {block.eid[i]} is folded (negative Jacobian)",
            hint="a mid-side grid is out of place or the grids are in the wrong order",
        )


def _material_axis(
    ctx: Context, table: CardTable, corners: np.ndarray, field: int, isotropic: np.ndarray
) -> np.ndarray:
    """Material x axis (n,3), basic: side 1-2 turned by THETA, or the x axis of MCID at the centre.

    An MCID whose x axis is normal to the element gives no direction: side 1-2 stays, with a note unless the section is
    isotropic (n,).
    """
    x = ctx.grids.xyz[corners]
    normal = np.cross(x[:, 2] - x[:, 0], x[:, -1] - x[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    side = x[:, 1] - x[:, 0]
    side -= np.einsum("ij,ij->i", side, normal)[:, None] * normal
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    system = table.is_integer(field)
    theta = np.deg2rad(np.where(system, 0.0, table.real(field, 0.0)))[:, None]
    axis = np.cos(theta) * side + np.sin(theta) * np.cross(normal, side)
    if system.any():
        cards = table.select(system)
        turned = ctx.axes(cards, field, x[system].mean(axis=1))[:, :, 0]
        along = turned - np.einsum("ij,ij->i", turned, normal[system])[:, None] * normal[system]
        size = np.linalg.norm(along, axis=1)
        lost = size < FLAT
        matters = np.flatnonzero(lost & ~isotropic[system])
        if len(matters):
            more = f" and {len(matters) - 1} more" if len(matters) > 1 else ""
            ctx.notes.append(
                f"the x axis of MCID is normal to {cards.label(int(matters[0]))}{more}: "
                "its material lies along side 1-2"
            )
        axis[np.flatnonzero(system)[~lost]] = along[~lost] / size[~lost, None]
    return axis


def _taper(table: CardTable, section: np.ndarray, properties: ShellProperties, layout: _Layout) -> np.ndarray:
    """Corner thickness divided by section thickness (n, corners). Laminates keep their own thickness."""
    flag = table.integer(layout.tflag, 0)
    wrong = (flag != 0) & (flag != 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise table.error(i, "TFLAG is not possible", expected="0 or 1", got=str(flag[i]))
    thickness, blank = properties.thickness()[section], properties.blank_thickness()[section]
    layered = properties.layered()[section]
    taper = np.ones((len(table), layout.corners))
    for k in range(layout.corners):
        j = layout.thickness + k
        value = table.real(j, 0.0)
        given = (value != 0.0) & ~layered  # as in NASTRAN, a zero is a blank
        if given.any():
            bad = given & ~(value > 0.0)
            if bad.any():
                i = int(np.argmax(bad))
                raise table.error(
                    i, f"T{k + 1} of this {table.name} is not possible", "a positive value", f"{value[i]:g}"
                )
            ratio = np.where(flag == 1, value, value / thickness)
            taper[given, k] = ratio[given]
        missing = blank & ((value == 0.0) | (flag == 1))
        if missing.any():
            i = int(np.argmax(missing))
            raise table.error(
                i,
                f"{table.name} {table.integer(1)[i]} has no thickness",
                hint=f"give T on its PSHELL or T1 to T{layout.corners} on the element",
            )
    return taper


def _given_normals(ctx: Context, normals: np.ndarray) -> None:
    """Overwrite shell normals with those of SNORM cards."""
    table = ctx.deck.cards("SNORM")
    if not len(table):
        return
    rows = ctx.rows(table, 1)
    axes = ctx.axes(table, 2, ctx.grids.xyz[rows])
    vector = np.column_stack([table.real(3, 0.0), table.real(4, 0.0), table.real(5, 1.0)])
    size = np.linalg.norm(vector, axis=1)
    if (size == 0.0).any():
        raise table.error(int(np.argmax(size == 0.0)), "the normal of this SNORM is zero")
    normals[rows] = np.einsum("nij,nj->ni", axes, vector / size[:, None])


def _shear_panels(ctx: Context) -> ShearPanelBlock | None:
    table = ctx.deck.cards("CSHEAR")
    if not len(table):
        return None
    nodes = np.column_stack([ctx.rows(table, 3 + k) for k in range(4)])
    check_corners(ctx, table, nodes)
    E, G, nu, rho, ge, t, nsm, f1, f2 = shear_panel_properties(ctx, table, property_ids(table))
    return ShearPanelBlock(
        table.integer(1), nodes, ctx.grids.xyz, E=E, G=G, nu=nu, t=t, f1=f1, f2=f2, mass=rho * t + nsm, ge=ge
    )
