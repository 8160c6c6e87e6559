"""Solids from cards, layered ones included.

What readers of solids share: grids named twice, elements inside out, axes of materials.

PCOMPS of a deck: plies of CHEXA.

CHEXA, CPENTA, CTETRA, CPYRAM with PSOLID, CHEXA with PCOMPS: from cards to solid element blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from interstage.errors import DeckError, known_names
from interstage.fem.coordinates import BASIC
from interstage.fem.elements.hexa import (
    CENTRE,
    HEXA8,
    HEXA20,
    LayeredBlock,
    hexa8_recovery,
    hexa8_stiffness,
    reduced_shear_recovery,
    reduced_shear_stiffness,
)
from interstage.fem.elements.penta import PENTA6, PENTA15, penta6_recovery, penta6_stiffness
from interstage.fem.elements.pyramid import PYRAM5, PYRAM13
from interstage.fem.elements.solid_common import (
    SolidBlock,
    SolidShape,
    element_axes,
    plain_recovery,
    plain_stiffness,
    rotate_material,
)
from interstage.fem.elements.tetra import TETRA4, TETRA10
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.materials import Solid
from interstage.nastran import CardTable


def check_nodes(ctx: Context, table: CardTable, nodes: np.ndarray) -> None:
    """Refuse elements that name a grid twice."""
    ordered = np.sort(nodes, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if twice.any():
        i = int(np.argmax(twice.any(axis=1)))
        grid = ctx.grids.id[ordered[i, 1:][twice[i]][0]]
        raise table.error(
            i,
            f"{table.name} {table.integer(1)[i]} names grid {grid} twice",
            hint="use CPENTA, CPYRAM or CTETRA for a collapsed brick",
        )


def material_axes(ctx: Context, shape: SolidShape, xyz: np.ndarray, cordm: int) -> np.ndarray:
    """Axes (n, 3, 3) of the material system of elements xyz (n, k, 3); -1 is the element's own."""
    if cordm == -1:
        return element_axes(shape, xyz)
    centroid = xyz[:, : shape.n_corner].mean(axis=1)
    return ctx.coordinates.axes(np.full(len(centroid), cordm), centroid)


def check_jacobians(table: CardTable, rows: np.ndarray, block: SolidBlock) -> None:
    """Refuse elements that are turned inside out, flat or folded."""
    det = block.jacobians()
    lowest, highest = det.min(axis=1), det.max(axis=1)
    # a length of the element, cubed, is the scale below which a determinant is a zero
    size = np.ptp(block.xyz, axis=1).max(axis=1) ** 3
    bad = lowest <= 1e-12 * size
    if not bad.any():
        return
    i = int(np.argmax(bad))
    if highest[i] < -1e-12 * size[i]:
        hint = "its nodes run the wrong way round: exchange the first face with the opposite one"
        if block.name in ("CTETRA", "CPYRAM"):
            hint = "its nodes run the wrong way round: reverse the order of the base nodes"
        what = "is inside out (negative Jacobian)"
    elif highest[i] <= 1e-12 * size[i]:
        what, hint = "has no volume", "look for coincident or coplanar grids"
    else:
        what, hint = (
            "is folded (a Jacobian changes sign)",
            "look for crossed edges or a misplaced mid-edge grid",
        )
    raise table.error(int(rows[i]), f"{block.name} {block.eid[i]} {what}", hint=hint)


STACKED = 0.7  # least cosine between the stack and an edge direction of the brick


@dataclass(frozen=True)
class SolidPlies:
    """One PCOMPS: axes `ply` and `stack` (0, 1, 2) of the system `cordm`, plies from below."""

    cordm: int
    ply: int
    stack: int
    fractions: np.ndarray
    materials: list[Solid]
    angles: np.ndarray
    ge: float


def read_plies(ctx: Context, used: np.ndarray) -> dict[int, SolidPlies]:
    """The PCOMPS in `used` by id: PID, CORDM, PSDIR, SB, NB, TREF, GE, then lines of GPLYID, MID, T, THETA."""
    table = ctx.deck.cards("PCOMPS")
    out: dict[int, SolidPlies] = {}
    for i in range(len(table)):
        row = table.row(i) + [None] * 8
        if row[0] not in used:
            continue
        cordm = 0 if row[1] is None else row[1]
        if not isinstance(cordm, int) or cordm < -1 or (cordm > 0 and cordm not in ctx.coordinates):
            raise table.error(
                i, f"PCOMPS {row[0]} refers to a material coordinate system that is not in the deck"
            )
        digits = str(13 if row[2] is None else row[2])
        if len(digits) != 2 or not set(digits) <= set("123") or digits[0] == digits[1]:
            raise table.error(i, "PSDIR of this PCOMPS is not possible", "two different axes, as 13", digits)
        lines = [
            (row[k : k + 4] + [None] * 4)[:4] for k in range(8, len(row), 8) if row[k + 1 : k + 2] != [None]
        ]
        lines = [line for line in lines if line[1] is not None]
        thickness = [line[2] for line in lines]
        if not lines or not all(isinstance(t, int | float) and t > 0.0 for t in thickness):
            raise table.error(i, f"PCOMPS {row[0]} needs plies with a material and a thickness")
        if not all(line[3] is None or isinstance(line[3], int | float) for line in lines):
            raise table.error(i, f"an angle of PCOMPS {row[0]} is not a number")
        materials = [_material(ctx, table, i, line[1]) for line in lines]
        angles = np.array([float(line[3] or 0.0) for line in lines])
        if row[1] is None and not all(one.isotropic for one in materials):
            ctx.notes.append(
                f"PCOMPS {row[0]} ({table.where(i)}) has no CORDM: its plies lie in the basic system, as in NX Nastran"
            )
        fractions = np.array(thickness, dtype=float) / np.sum(thickness)
        ge = float(row[6]) if isinstance(row[6], int | float) else 0.0
        out[row[0]] = SolidPlies(
            cordm, int(digits[0]) - 1, int(digits[1]) - 1, fractions, materials, angles, ge
        )
    return out


def _material(ctx: Context, table: CardTable, i: int, mid: object) -> Solid:
    if not isinstance(mid, int):
        raise table.error(i, "a material of this PCOMPS is missing", got=repr(mid))
    try:
        return ctx.materials.solid(mid)
    except DeckError as error:
        if ctx.materials.kind(mid) in ("MAT1", "MAT9"):
            raise
        raise table.error(i, f"{table.label(i)}: {error.what}", got=error.got) from None


def read_layered(
    ctx: Context, table: CardTable, pid: np.ndarray, known: dict[int, SolidPlies]
) -> list[LayeredBlock]:
    """Blocks of bricks with plies, one for each property."""
    if not len(table):
        return []
    if table.name != "CHEXA" or (table.width > 10).any():
        i = 0 if table.name != "CHEXA" else int(np.argmax(table.width > 10))
        raise table.error(
            i,
            f"{table.label(i)} refers to PCOMPS {pid[i]}: plies are supported in CHEXA of eight grids alone",
            hint="use CHEXA without mid-edge grids",
        )
    nodes = np.column_stack([ctx.rows(table, 3 + k) for k in range(8)])
    check_nodes(ctx, table, nodes)
    blocks = []
    for one in np.unique(pid).tolist():
        rows, p = np.flatnonzero(pid == one), known[one]
        xyz = ctx.grids.xyz[nodes[rows]]
        axes = material_axes(ctx, HEXA8, xyz, p.cordm)
        axis, upward = _stack(table, rows, xyz, axes[:, :, p.stack])
        moduli = np.stack([_turned(m, axes, p, angle) for m, angle in zip(p.materials, p.angles)], axis=1)
        densities = np.array([m.rho for m in p.materials])
        ge = np.full(len(rows), p.ge)
        block = LayeredBlock(
            table.integer(1)[rows], nodes[rows], xyz, densities, ge, p.fractions, moduli, axis, upward
        )
        if any(np.any(m.alpha) for m in p.materials):
            block.expansion = np.broadcast_to(
                np.eye(3), (len(rows), 3, 3)
            )  # so that temperatures are refused
        check_jacobians(table, rows, block)
        blocks.append(block)
    return blocks


def _turned(material: Solid, axes: np.ndarray, p: SolidPlies, angle: float) -> np.ndarray:
    """Moduli (n, 6, 6) in basic axes of a ply at an angle in degrees from the ply axis, about the stack."""
    along, stack = axes[:, :, p.ply], axes[:, :, p.stack]
    across = np.cross(stack, along)
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    x = c * along + s * across
    frame = np.stack([x, np.cross(stack, x), stack], axis=2)
    return rotate_material(np.broadcast_to(material.C, (len(axes), 6, 6)), frame)


def _stack(
    table: CardTable, rows: np.ndarray, xyz: np.ndarray, stack: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Natural coordinate (n,) along which each brick is stacked, and whether with it (n,)."""
    J = np.einsum("an,eni->eai", CENTRE, xyz)
    cosines = np.einsum("eai,ei->ea", J / np.linalg.norm(J, axis=2, keepdims=True), stack)
    axis = np.argmax(np.abs(cosines), axis=1)
    best = cosines[np.arange(len(axis)), axis]
    if (np.abs(best) < STACKED).any():
        i = int(np.argmax(np.abs(best) < STACKED))
        raise table.error(
            int(rows[i]),
            f"no edge of {table.label(int(rows[i]))} runs along the stack of its plies",
            expected="an edge within 45 degrees of the stack",
            hint="look at CORDM and PSDIR of its PCOMPS",
        )
    return axis, best > 0.0


DEFAULT, STANDARD, NO_BUBBLES, NO_BUBBLES_THREE = 0, 1, 2, 3
LEFT_HANDED = np.array(
    [3, 4, 5, 0, 1, 2, 12, 13, 14, 9, 10, 11, 6, 7, 8]
)  # nodes of a CPENTA, faces exchanged

# card: shape without and with mid-edge nodes, stiffness and recovery of a linear element that is not isoparametric
_FAMILIES = {
    "CHEXA": (HEXA8, HEXA20, (hexa8_stiffness, hexa8_recovery)),
    "CPENTA": (PENTA6, PENTA15, (penta6_stiffness, penta6_recovery)),
    "CTETRA": (TETRA4, TETRA10, (None, None)),
    "CPYRAM": (PYRAM5, PYRAM13, (None, None)),
}
# the same of linear elements with reduced shear and without bubble functions (PSOLID IN TWO and THREE)
_NO_BUBBLES = {
    "CHEXA": (reduced_shear_stiffness, reduced_shear_recovery),
    "CPENTA": tuple(partial(f, bubbles=False) for f in (penta6_stiffness, penta6_recovery)),
    "CTETRA": (None, None),  # its strains are constant
}


@dataclass(frozen=True)
class _Property:
    """One PSOLID: material and its system, and the integration (DEFAULT, STANDARD, NO_BUBBLES, NO_BUBBLES_THREE)."""

    material: Solid
    cordm: int
    integration: int


def read(ctx: Context) -> list[SolidBlock]:
    """Return the solid elements of a deck, one block for each family and pattern of mid-edge nodes."""
    blocks: list[SolidBlock] = []
    tables = {name: ctx.deck.cards(name) for name in _FAMILIES}
    if not any(len(table) for table in tables.values()):
        return blocks
    used = np.unique(np.concatenate([_pids(table) for table in tables.values()]))
    properties, layered = _read_properties(ctx, used), read_plies(ctx, used)
    for name, table in tables.items():
        if not len(table):
            continue
        table.unique_ids()
        plies = np.isin(_pids(table), list(layered))
        blocks += read_layered(ctx, table.select(plies), _pids(table)[plies], layered)
        if not plies.all():
            blocks += _read_family(ctx, table.select(~plies), properties, *_FAMILIES[name])
    _note_mass(ctx, blocks)
    return blocks


def _note_mass(ctx: Context, blocks: list[SolidBlock]) -> None:
    """Say what the lumped mass of mid-edge nodes is, which no data of NASTRAN settles."""
    coupled = ctx.params.get("COUPMASS", -1)
    curved = sorted({block.name for block in blocks if block.shape.n_nodes > block.shape.n_corner})
    if curved and not (isinstance(coupled, int) and coupled > 0):
        ctx.notes.append(
            f"{', '.join(curved)} with mid-edge nodes: lumped mass is the diagonal of the coupled mass scaled to the "
            "mass of the element; PARAM COUPMASS 1 converges faster"
        )


def _read_family(
    ctx, table: CardTable, properties, linear: SolidShape, full: SolidShape, special
) -> list[SolidBlock]:
    """Blocks of one card name, elements grouped by the mid-edge nodes that are present and by integration."""
    n_corner, n_nodes = full.n_corner, full.n_nodes
    nodes = np.column_stack([ctx.rows(table, 3 + k, optional=k >= n_corner) for k in range(n_nodes)])
    _check_width(table, n_nodes)
    check_nodes(ctx, table, nodes)
    if table.name == "CPENTA":
        nodes = _right_handed(ctx, table, nodes)
    pid = _property_ids(ctx, table, properties)
    rule = np.array([properties[one].integration for one in pid])
    pattern = (nodes[:, n_corner:] >= 0) @ (1 << np.arange(n_nodes - n_corner)) * 4 + rule
    blocks = []
    for one in np.unique(pattern):
        rows = np.flatnonzero(pattern == one)
        present = tuple((nodes[rows[0]] >= 0).tolist())
        shape = full if any(present[n_corner:]) else linear
        present = present[: shape.n_nodes]
        use = nodes[np.ix_(rows, np.flatnonzero(present))]
        stiffness, recovery = special if shape is linear else (None, None)
        integration = one % 4
        if integration in (NO_BUBBLES, NO_BUBBLES_THREE) and shape is linear and table.name in _NO_BUBBLES:
            stiffness, recovery = _NO_BUBBLES[table.name]
            if integration == NO_BUBBLES_THREE and stiffness is not None:
                _note_points(ctx, table, properties, pid[rows])
        elif integration == NO_BUBBLES or (integration == NO_BUBBLES_THREE and shape is linear):
            _note_integration(ctx, table, properties, pid[rows], integration)
        elif integration == STANDARD:
            stiffness = partial(plain_stiffness, shape, present)
            recovery = partial(plain_recovery, shape, present)
        xyz = ctx.grids.xyz[use]
        C, rho, ge = _moduli(ctx, shape, xyz, pid[rows], properties)
        axes = _output_axes(ctx, shape, xyz, pid[rows], properties)
        block = SolidBlock(
            shape, table.integer(1)[rows], use, xyz, C, rho, ge, present, stiffness, recovery, axes
        )
        block.expansion, block.reference_temperature = _expansion(ctx, shape, xyz, pid[rows], properties)
        check_jacobians(table, rows, block)
        blocks.append(block)
    return blocks


def _right_handed(ctx: Context, table: CardTable, nodes: np.ndarray) -> np.ndarray:
    """Wedges whose second face is on the wrong side of the first with these exchanged, as Nastran takes them."""
    x = ctx.grids.xyz[nodes[:, :6]]
    normal = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    up = x[:, 3:].mean(axis=1) - x[:, :3].mean(axis=1)
    left = np.flatnonzero(np.einsum("ni,ni->n", normal, up) < 0.0)
    if not len(left):
        return nodes
    nodes = nodes.copy()
    nodes[left] = nodes[left][:, LEFT_HANDED]
    names = ", ".join(str(e) for e in table.integer(1)[left][:5]) + (", ..." if len(left) > 5 else "")
    ctx.notes.append(f"CPENTA {names}: numbered left-handed, taken with their faces exchanged, as in Nastran")
    return nodes


def _asking(properties: dict[int, _Property], pid: np.ndarray, integration: int) -> str:
    """Numbers of the PSOLID in `pid` that ask for an integration."""
    return ", ".join(
        str(p) for p in sorted({int(p) for p in pid}) if properties[p].integration == integration
    )


def _note_integration(
    ctx: Context, table: CardTable, properties: dict[int, _Property], pid: np.ndarray, integration: int
) -> None:
    """Say which PSOLID ask for an integration that elements of this card do not have."""
    rule = "TWO" if integration == NO_BUBBLES else "THREE"
    ctx.notes.append(
        f"{table.name}: IN {rule} with ISOP REDUCED of PSOLID {_asking(properties, pid, integration)} is treated as "
        "the default integration (reduced shear, bubble functions for linear elements)"
    )


def _note_points(ctx: Context, table: CardTable, properties: dict[int, _Property], pid: np.ndarray) -> None:
    """Say that elements which ask for three points along each axis have two."""
    ctx.notes.append(
        f"{table.name}: IN THREE of PSOLID {_asking(properties, pid, NO_BUBBLES_THREE)} is integrated as IN TWO, "
        "which is the same for parallelepipeds"
    )


def _check_width(table: CardTable, n_nodes: int) -> None:
    """Refuse cards with more fields than the family has nodes."""
    wide = table.width > n_nodes + 2
    if wide.any():
        i = int(np.argmax(wide))
        raise table.error(
            i,
            f"{table.name} has too many fields",
            expected=f"at most {n_nodes} grids",
            got=str(table.width[i] - 2),
        )


def _pids(table: CardTable) -> np.ndarray:
    return np.where(table.blank(2), table.integer(1), table.integer(2, 0))


def _property_ids(ctx: Context, table: CardTable, properties: dict[int, _Property]) -> np.ndarray:
    """Property ids (n,), each a PSOLID; a blank PID is the element id."""
    pid = _pids(table)
    for one in np.unique(pid).tolist():
        if one not in properties:
            i = int(np.argmax(pid == one))
            other = next((name for name in ("PLSOLID", "PSHELL", "PCOMP") if _has(ctx, name, one)), None)
            raise table.error(
                i,
                f"{table.name} {table.integer(1)[i]} needs a PSOLID with id {one}",
                got="no such property" if other is None else other,
                hint="PSOLID " + known_names(sorted(ctx.deck.cards("PSOLID").integer(1).tolist())),
            )
    return pid


def _has(ctx: Context, name: str, pid: int) -> bool:
    table = ctx.deck.cards(name)
    return len(table) > 0 and bool((table.integer(1) == pid).any())


def _moduli(
    ctx: Context, shape: SolidShape, xyz: np.ndarray, pid: np.ndarray, properties: dict[int, _Property]
):
    """Moduli (n, 6, 6) in basic axes, density (n,) and structural damping (n,) of elements xyz (n, k, 3)."""
    C, rho, ge = np.empty((len(pid), 6, 6)), np.empty(len(pid)), np.empty(len(pid))
    for one in np.unique(pid):
        which, p = pid == one, properties[int(one)]
        C[which], rho[which], ge[which] = p.material.C, p.material.rho, p.material.ge
        if p.material.isotropic or _is_basic(ctx, p.cordm):
            continue
        C[which] = rotate_material(C[which], material_axes(ctx, shape, xyz[which], p.cordm))
    return C, rho, ge


def _expansion(
    ctx: Context, shape: SolidShape, xyz: np.ndarray, pid: np.ndarray, properties: dict[int, _Property]
):
    """Strain tensors of unit temperature (n, 3, 3) in basic axes and reference temperatures (n,)."""
    strain, tref = np.zeros((len(pid), 3, 3)), np.zeros(len(pid))
    for one in np.unique(pid):
        which, p = pid == one, properties[int(one)]
        tref[which] = p.material.tref
        xx, yy, zz, xy, yz, zx = p.material.alpha
        tensor = np.array([[xx, xy / 2, zx / 2], [xy / 2, yy, yz / 2], [zx / 2, yz / 2, zz]])
        axes = np.eye(3)
        if not (p.material.isotropic or _is_basic(ctx, p.cordm)):
            axes = material_axes(ctx, shape, xyz[which], p.cordm)
        strain[which] = axes @ tensor @ np.swapaxes(axes, -1, -2)
    return strain, tref


def _is_basic(ctx: Context, cordm: int) -> bool:
    """Whether a system has the axes of the model; that of number 0 of a part that was moved has not."""
    return cordm == 0 and ctx.coordinates[0] is BASIC


def _output_axes(ctx: Context, shape: SolidShape, xyz, pid, properties) -> np.ndarray | None:
    """Axes (n, 3, 3) in which stresses are printed: the material system, or None if all are basic."""
    if all(_is_basic(ctx, properties[int(one)].cordm) for one in np.unique(pid)):
        return None
    out = np.broadcast_to(np.eye(3), (len(pid), 3, 3)).copy()
    for one in np.unique(pid):
        which, cordm = pid == one, properties[int(one)].cordm
        if not _is_basic(ctx, cordm):
            out[which] = material_axes(ctx, shape, xyz[which], cordm)
    return out


def _read_properties(ctx: Context, used: np.ndarray) -> dict[int, _Property]:
    """The PSOLID in `used` by id, with MAT1 or MAT9; an integration that is not done so is said in a note."""
    table = ctx.deck.cards("PSOLID")
    out: dict[int, _Property] = {}
    table = table.select(np.isin(table.unique_ids(), used))
    for i in range(len(table)):
        row = table.row(i) + [None] * 8
        pid, mid, cordm, rule, _, isop, fctn = row[:7]
        if not isinstance(mid, int):
            raise table.error(i, "PSOLID needs a material id in field 3")
        if fctn not in (None, "SMECH"):
            raise table.error(
                i,
                f"PSOLID {pid}: only structural solids are supported",
                expected="FCTN SMECH or blank",
                got=str(fctn),
            )
        cordm = 0 if cordm is None else cordm
        if not isinstance(cordm, int) or (cordm > 0 and cordm not in ctx.coordinates.systems) or cordm < -1:
            raise table.error(
                i, f"PSOLID {pid} refers to a material coordinate system that is not in the deck"
            )
        try:
            material = ctx.materials.solid(mid)
        except DeckError as error:
            if ctx.materials.kind(mid) in ("MAT1", "MAT9"):
                raise  # the fault is in the material card, which the message names
            raise table.error(i, f"PSOLID {pid}: {error.what}", got=error.got) from None
        out[pid] = _Property(material, cordm, _integration(ctx, table, i, pid, rule, isop))
    return out


def _integration(ctx: Context, table: CardTable, i: int, pid: int, rule, isop) -> int:
    """What IN and ISOP ask for: the standard isoparametric element, reduced shear without bubbles, or the default."""
    names = {None: "", 0: "BUBBLE", 1: "GAUSS", 2: "TWO", 3: "THREE"}
    rule = names.get(rule, rule)
    isop = {None: "REDUCED", 0: "REDUCED", 1: "FULL"}.get(isop, isop)
    if rule not in names.values() or isop not in ("REDUCED", "FULL"):
        raise table.error(
            i,
            f"PSOLID {pid}: unknown integration",
            expected="IN BUBBLE, TWO, THREE (0, 2, 3) and ISOP REDUCED or FULL (0, 1)",
            got=f"IN {rule or 'blank'}, ISOP {isop}",
        )
    if isop == "FULL" and rule in ("TWO", "THREE"):
        return STANDARD
    if rule == "TWO" and isop == "REDUCED":
        return NO_BUBBLES
    if rule == "THREE":
        return NO_BUBBLES_THREE
    if isop == "FULL" or rule == "GAUSS":
        ctx.notes.append(
            f"PSOLID {pid} ({table.where(i)}): IN {rule or 'blank'} with ISOP {isop} is treated as the "
            "default integration (reduced shear, bubble functions for linear elements)"
        )
    return DEFAULT
