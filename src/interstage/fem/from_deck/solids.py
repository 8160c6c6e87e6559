"""CHEXA, CPENTA, CTETRA, CPYRAM with PSOLID, CHEXA with PCOMPS: from cards to solid element blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from interstage.errors import DeckError, known_names
from interstage.fem.coordinates import BASIC
from interstage.fem.elements.hexa import HEXA8, HEXA20, hexa8_recovery, hexa8_stiffness
from interstage.fem.elements.penta import PENTA6, PENTA15, penta6_recovery, penta6_stiffness
from interstage.fem.elements.pyramid import PYRAM5, PYRAM13
from interstage.fem.elements.solid_common import (
    Shape,
    SolidBlock,
    plain_recovery,
    plain_stiffness,
    rotate_material,
)
from interstage.fem.elements.tetra import TETRA4, TETRA10
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.layered import read_layered, read_plies
from interstage.fem.from_deck.materials import Solid
from interstage.fem.from_deck.solid_checks import check_jacobians, check_nodes, material_axes
from interstage.nastran import CardTable

DEFAULT, STANDARD, NO_BUBBLES = 0, 1, 2
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


@dataclass(frozen=True)
class _Property:
    """One PSOLID: material and its system, and the integration (DEFAULT, STANDARD or NO_BUBBLES)."""

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


def _read_family(ctx, table: CardTable, properties, linear: Shape, full: Shape, special) -> list[SolidBlock]:
    """Blocks of one card name, elements grouped by the mid-edge nodes that are present and by integration."""
    n_corner, n_nodes = full.n_corner, full.n_nodes
    nodes = np.column_stack([ctx.rows(table, 3 + k, optional=k >= n_corner) for k in range(n_nodes)])
    _check_width(table, n_nodes)
    check_nodes(ctx, table, nodes)
    if table.name == "CPENTA":
        nodes = _right_handed(ctx, table, nodes)
    pid = _property_ids(ctx, table, properties)
    rule = np.array([properties[one].integration for one in pid])
    pattern = (nodes[:, n_corner:] >= 0) @ (1 << np.arange(n_nodes - n_corner)) * 3 + rule
    blocks = []
    for one in np.unique(pattern):
        rows = np.flatnonzero(pattern == one)
        present = tuple((nodes[rows[0]] >= 0).tolist())
        shape = full if any(present[n_corner:]) else linear
        present = present[: shape.n_nodes]
        use = nodes[np.ix_(rows, np.flatnonzero(present))]
        stiffness, recovery = special if shape is linear else (None, None)
        if one % 3 == NO_BUBBLES and table.name == "CPENTA" and shape is linear:
            stiffness, recovery = (partial(f, bubbles=False) for f in special)
        elif one % 3 == NO_BUBBLES:
            _note_integration(ctx, table, properties, pid[rows])
        elif one % 3 == STANDARD:
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


def _note_integration(
    ctx: Context, table: CardTable, properties: dict[int, _Property], pid: np.ndarray
) -> None:
    """Say which PSOLID ask for an integration that elements of this card do not have."""
    names = sorted({int(p) for p in pid if properties[int(p)].integration == NO_BUBBLES})
    ctx.notes.append(
        f"{table.name}: IN TWO with ISOP REDUCED of PSOLID {', '.join(map(str, names))} is treated as the default "
        "integration (reduced shear, bubble functions for linear elements)"
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


def _moduli(ctx: Context, shape: Shape, xyz: np.ndarray, pid: np.ndarray, properties: dict[int, _Property]):
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
    ctx: Context, shape: Shape, xyz: np.ndarray, pid: np.ndarray, properties: dict[int, _Property]
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


def _output_axes(ctx: Context, shape: Shape, xyz, pid, properties) -> np.ndarray | None:
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
    if rule == "TWO":
        return NO_BUBBLES
    if isop == "FULL" or rule in ("THREE", "GAUSS"):
        ctx.notes.append(
            f"PSOLID {pid} ({table.where(i)}): IN {rule or 'blank'} with ISOP {isop} is treated as the "
            "default integration (reduced shear, bubble functions for linear elements)"
        )
    return DEFAULT
