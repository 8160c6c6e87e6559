"""PCOMPS of a deck: plies of CHEXA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.errors import DeckError
from interstage.fem.elements.hexa import CENTRE, HEXA8
from interstage.fem.elements.layered import LayeredBlock
from interstage.fem.elements.solid_common import rotate_material
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.materials import Solid
from interstage.fem.from_deck.solid_checks import check_jacobians, check_nodes, material_axes
from interstage.nastran import CardTable

STACKED = 0.7  # least cosine between the stack and an edge direction of the brick


@dataclass(frozen=True)
class Plies:
    """One PCOMPS: axes `ply` and `stack` (0, 1, 2) of the system `cordm`, plies from below."""

    cordm: int
    ply: int
    stack: int
    fractions: np.ndarray
    materials: list[Solid]
    angles: np.ndarray
    ge: float


def read_plies(ctx: Context, used: np.ndarray) -> dict[int, Plies]:
    """The PCOMPS in `used` by id: PID, CORDM, PSDIR, SB, NB, TREF, GE, then lines of GPLYID, MID, T, THETA."""
    table = ctx.deck.cards("PCOMPS")
    out: dict[int, Plies] = {}
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
        out[row[0]] = Plies(cordm, int(digits[0]) - 1, int(digits[1]) - 1, fractions, materials, angles, ge)
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
    ctx: Context, table: CardTable, pid: np.ndarray, known: dict[int, Plies]
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


def _turned(material: Solid, axes: np.ndarray, p: Plies, angle: float) -> np.ndarray:
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
