"""Shells and their properties from cards.

Sections of shells from PSHELL, PCOMP and PCOMPG cards.

Shell elements of a deck: CQUAD4, CTRIA3, CQUADR, CTRIAR, CQUAD8, CTRIA6 and CSHEAR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.laminate import (
    Layer,
    ShellSection,
    laminate_section,
    output_table,
    section_table,
)
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad8 import Quad8Block
from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock
from interstage.fem.elements.shear_panel import ShearPanelBlock
from interstage.fem.elements.shell_common import Sections, grid_normals
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.fem.elements.shell_recovery import ShellOutput
from interstage.fem.elements.tria3 import Tria3Block
from interstage.fem.elements.tria6 import Tria6Block
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import find_properties, property_ids
from interstage.fem.from_deck.materials import Plane
from interstage.nastran import CardTable

LAM_OPTIONS = ("", "SYM", "MEM", "BEND", "SMEAR", "SMCORE")


class ShellProperties:
    """Shell sections of a deck, made when an element first refers to them."""

    def __init__(self, ctx: Context):
        self.ctx = ctx
        self.sources = [ctx.deck.cards(name) for name in ("PSHELL", "PCOMP", "PCOMPG")]
        self._index: dict[tuple[int, int], int] = {}
        self._sections: list[ShellSection] = []
        self._blank_thickness: list[bool] = []
        self._layered: list[bool] = []

    def find(self, table: CardTable, pid: np.ndarray) -> np.ndarray:
        """Section rows (n,) of the properties `pid` (n,) of the elements in `table`."""
        source, row = find_properties(table, pid, self.sources)
        starts = np.cumsum([0, *map(len, self.sources)])
        place = starts[source] + row
        out = np.zeros(starts[-1], dtype=np.int64)
        for one in np.flatnonzero(np.bincount(place, minlength=len(out))):
            s = int(np.searchsorted(starts, one, side="right")) - 1
            out[one] = self._row(s, int(one - starts[s]))
        return out[place]

    def table(self) -> Sections:
        """All sections found so far, as arrays."""
        return section_table(self._sections)

    def output(self) -> ShellOutput:
        """What the output of these sections needs."""
        return output_table(self._sections)

    def ge(self) -> np.ndarray:
        """Structural damping of each section."""
        return np.array([section.ge for section in self._sections])

    def thermal(self) -> tuple[np.ndarray, np.ndarray]:
        """Free strains (m, 6, 2) and reference temperature (m,) of each section."""
        strains = np.array([section.expansion for section in self._sections]).reshape(-1, 6, 2)
        return strains, np.array([section.tref for section in self._sections])

    def thickness(self) -> np.ndarray:
        """Thickness of each section."""
        return np.array([section.thickness for section in self._sections])

    def blank_thickness(self) -> np.ndarray:
        """Where T is blank: the section stands for unit thickness and the elements must give theirs."""
        return np.array(self._blank_thickness, dtype=bool)

    def layered(self) -> np.ndarray:
        """Where the section is a laminate, for which corner thicknesses do not count."""
        return np.array(self._layered, dtype=bool)

    def _row(self, source: int, row: int) -> int:
        if (source, row) not in self._index:
            table = self.sources[source]
            blank = False
            if table.name == "PSHELL":
                section, blank = pshell_section(self.ctx, table, row)
            else:
                section = layered_section(self.ctx, table, row)
            self._index[source, row] = len(self._sections)
            self._sections.append(section)
            self._blank_thickness.append(blank)
            self._layered.append(table.name != "PSHELL")
        return self._index[source, row]


def plane_material(ctx: Context, table: CardTable, i: int, mid, name: str) -> Plane:
    """Plane material of a property card, with errors that name the card."""
    if not isinstance(mid, int) or mid <= 0:
        raise table.error(i, f"{name} of this {table.name} is not a material id", got=repr(mid))
    kind = ctx.materials.kind(mid)
    if kind is None:
        raise table.error(
            i, f"{name} of this {table.name} refers to material {mid}, which is not in the deck"
        )
    if kind not in ("MAT1", "MAT2", "MAT8"):
        raise table.error(
            i, f"material {mid} cannot be used in a shell", expected="MAT1, MAT2 or MAT8", got=kind
        )
    return ctx.materials.plane(mid)


def _real(table: CardTable, i: int, value, name: str, default: float | None) -> float | None:
    if value is None:
        return default
    if isinstance(value, str):
        raise table.error(i, f"{name} of this {table.name} is not a number", got=repr(value))
    return float(value)


def pshell_section(ctx: Context, table: CardTable, i: int) -> tuple[ShellSection, bool]:
    """Section of PSHELL card i, and whether its T is blank (then it is made for unit thickness).

    MID1 membrane, MID2 bending (−1: plane strain, membrane only), MID3 transverse shear (blank: no
    shear flexibility), MID4 coupling. With NASTRAN's ε = ε₀ − zχ the coupling is B = −T² G4.
    """
    row = table.row(i) + [None] * 20
    # as in NASTRAN, a material or thickness of zero is a blank
    mid1, mid2, mid3, mid4 = (None if row[k] == 0 else row[k] for k in (1, 3, 5, 10))
    t = _real(table, i, None if row[2] == 0 else row[2], "T", None)
    blank = t is None
    if not blank and not t > 0.0:
        raise table.error(i, "the thickness T of this PSHELL is not possible", "a positive value", f"{t:g}")
    t = 1.0 if blank else t
    inertia = _real(table, i, row[4], "12I/T**3", 1.0)
    ratio = _real(table, i, row[6], "TS/T", 5.0 / 6.0)
    nsm = _real(table, i, row[7], "NSM", 0.0)
    if mid1 is None and mid2 in (None, -1):
        raise table.error(i, "this PSHELL has neither MID1 nor MID2")

    zero = np.zeros((3, 3))
    A, B, D, shear = zero, zero, zero, None
    used = []
    if mid2 == -1:
        used.append(plane_material(ctx, table, i, mid1, "MID1"))
        A = _plane_strain(ctx, table, i, mid1) * t
    elif mid1 is not None:
        used.append(plane_material(ctx, table, i, mid1, "MID1"))
        A = used[-1].Q * t
    kinds = [ctx.materials.kind(mid1)] if mid1 is not None else []
    if mid2 not in (None, -1):
        used.append(plane_material(ctx, table, i, mid2, "MID2"))
        kinds.append(ctx.materials.kind(mid2))
        D = used[-1].Q * inertia * t**3 / 12.0
        if mid3 is not None:
            material = plane_material(ctx, table, i, mid3, "MID3")
            kinds.append(ctx.materials.kind(mid3))
            # a MAT2 in the place of MID3 gives its G11, G12, G22 as transverse shear moduli
            moduli = material.Q[:2, :2] if kinds[-1] == "MAT2" else material.G2
            shear = None if moduli is None else moduli * ratio * t
        if mid4 is not None:
            B = -plane_material(ctx, table, i, mid4, "MID4").Q * t**2
            kinds.append(ctx.materials.kind(mid4))
    if not np.any(A) and not np.any(D):
        raise table.error(i, "this PSHELL has no stiffness", hint="check E and G of its materials")
    fibres = [_real(table, i, row[k], name, None) for k, name in ((8, "Z1"), (9, "Z2"))]
    if not blank:
        fibres = [half if z is None else z for z, half in zip(fibres, (-t / 2.0, t / 2.0))]
    section = ShellSection(
        A=A,
        D=D,
        B=B,
        shear=shear,
        mass=used[0].rho * t,
        thickness=t,
        nsm=nsm,
        ge=used[0].ge,
        isotropic=all(kind == "MAT1" for kind in kinds),
        fibres=None if None in fibres else tuple(fibres),
        inertia=inertia,
        tref=used[0].tref,
    )
    if mid1 is not None:
        section.expansion[:3, 0] = used[0].alpha
    if mid2 not in (None, -1):
        section.expansion[3:, 1] = used[-1].alpha
    return section, blank


def _plane_strain(ctx: Context, table: CardTable, i: int, mid: int) -> np.ndarray:
    if ctx.materials.kind(mid) != "MAT1":
        raise table.error(i, "plane strain (MID2 = -1) needs a MAT1", got=str(ctx.materials.kind(mid)))
    iso = ctx.materials.isotropic(np.array([mid]), table.select(np.array([i])))
    E, nu = float(iso.E[0]), float(iso.nu[0])
    c = E / ((1.0 + nu) * (1.0 - 2.0 * nu))
    return c * np.array([[1.0 - nu, nu, 0.0], [nu, 1.0 - nu, 0.0], [0.0, 0.0, (1.0 - 2.0 * nu) / 2.0]])


def layered_section(ctx: Context, table: CardTable, i: int) -> ShellSection:
    """Section of PCOMP or PCOMPG card i."""
    row = table.row(i) + [None] * 8
    z0 = _real(table, i, row[1], "Z0", None)
    nsm = _real(table, i, row[2], "NSM", 0.0)
    ge = _real(table, i, row[6], "GE", 0.0)
    option = row[7] or ""
    if option not in LAM_OPTIONS:
        known = ", ".join(one for one in LAM_OPTIONS if one)
        raise table.error(
            i, f"LAM of this {table.name} is not known", expected=f"blank or {known}", got=str(option)
        )
    if table.name == "PCOMPG" and option == "SYM":
        raise table.error(i, "LAM of a PCOMPG cannot be SYM")
    layers = _layers(ctx, table, i, row)
    if not layers:
        raise table.error(i, f"this {table.name} has no plies")
    if option == "SMCORE" and len(layers) < 2:
        raise table.error(i, "SMCORE needs face plies and a core ply")
    try:
        section = laminate_section(layers, z0, option, nsm, ge)
        section.tref = _real(table, i, row[5], "TREF", 0.0) or 0.0
        return section
    except np.linalg.LinAlgError:
        raise table.error(i, f"the plies of this {table.name} give a singular stiffness") from None


def _layers(ctx: Context, table: CardTable, i: int, row: list) -> list[Layer]:
    """Plies from bottom to top; a blank MID or T repeats the ply before, a group of four blanks is no ply."""
    step, skip = (4, 0) if table.name == "PCOMP" else (8, 1)
    row = row + [None] * step
    layers, mid, t = [], None, None
    for start in range(8, int(table.width[i]), step):
        group = row[start + skip : start + skip + 4]
        if all(value is None for value in group) and (skip == 0 or row[start] is None):
            continue
        number = len(layers) + 1
        mid = mid if group[0] is None else group[0]
        t = _real(table, i, group[1], f"T{number}", t)
        if t is None or not t > 0.0:
            raise table.error(i, f"ply {number} of this {table.name} has no thickness")
        material = plane_material(ctx, table, i, mid, f"MID{number}")
        angle = _real(table, i, group[2], f"THETA{number}", 0.0)
        label = row[start] if skip and isinstance(row[start], int) else 0
        layers.append(Layer(material.Q, material.G2, material.rho, t, angle, material.alpha, label))
    return layers


def shear_panel_properties(ctx: Context, table: CardTable, pid: np.ndarray):
    """PSHEAR data (n,) for the elements in `table`: MAT1 values, T, NSM, F1, F2."""
    source = ctx.deck.cards("PSHEAR")
    _, row = find_properties(table, pid, [source])
    used, back = np.unique(row, return_inverse=True)
    cards = source.select(used)
    t = cards.real(3, 0.0)
    if (t <= 0.0).any():
        raise cards.error(int(np.argmax(t <= 0.0)), "this PSHEAR has no thickness T")
    iso = ctx.materials.isotropic(cards.integer(2), cards)
    if (iso.G <= 0.0).any():
        raise cards.error(int(np.argmax(iso.G <= 0.0)), "the material of this PSHEAR has no shear modulus G")
    columns = (
        iso.E,
        iso.G,
        iso.nu,
        iso.rho,
        iso.ge,
        t,
        cards.real(4, 0.0),
        cards.real(5, 0.0),
        cards.real(6, 0.0),
    )
    return [column[back] for column in columns]


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
