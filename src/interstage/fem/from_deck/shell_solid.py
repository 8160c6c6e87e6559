"""RSSCON: grids of shells between the two faces of solids, as constraint equations.

A grid S of a shell lies on the line from grid A to grid B of a solid, which spans its thickness, d = x_A - x_B. The
line stays straight: S moves with it, and turns with it about the two axes across it,

    u_S = s u_A + (1 - s) u_B,    e·θ_S = e·(d × (u_A - u_B)) / |d|²  for e across d,

s the place of S on the line. The turn about the line is left to the shell.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.constraints import Equations, equations, join
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import grid_row
from interstage.fem.grids import Grids
from interstage.nastran import CardTable

OFF_LINE = 0.05  # of the thickness, by which a grid of a shell may lie beside the line
_SHELLS = {"CQUAD4": 4, "CTRIA3": 3, "CQUADR": 4, "CTRIAR": 3, "CQUAD8": 4, "CTRIA6": 3}
_EDGES = {
    "CHEXA": ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
    "CPENTA": ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    "CTETRA": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
}


def rsscon(ctx: Context, table: CardTable, i: int, joined: set[tuple[int, int, int]]) -> Equations:
    """Equations of one RSSCON: RBID, TYPE, then GS, GA, GB of grids or shell and solid of elements, in turn.

    joined : grid rows (S, A, B) that cards before it join, as neighbours of elements do; its own are added
    """
    row = table.row(i) + [None] * 8
    kind, values = row[1] or "ELEM", row[2:8]
    if kind == "GRID":
        groups = [values[k : k + 3] for k in (0, 3) if any(v is not None for v in values[k : k + 3])]
        triples = [tuple(grid_row(ctx, table, i, value) for value in group) for group in groups]
    elif kind == "ELEM":
        pairs = [values[k : k + 2] for k in (0, 2, 4) if any(v is not None for v in values[k : k + 2])]
        triples = [triple for shell, solid in pairs for triple in _of_elements(ctx, table, i, shell, solid)]
    else:
        raise table.error(i, "TYPE of this RSSCON is not known", "GRID or ELEM", str(kind))
    if not triples:
        raise table.error(i, "RSSCON connects nothing")
    alike = dict.fromkeys((s, min(a, b), max(a, b)) for s, a, b in triples)
    new = [triple for triple in alike if triple not in joined]
    joined.update(new)
    return join([_straight(ctx.grids, table, i, *triple) for triple in new])


def _corners(
    ctx: Context, table: CardTable, i: int, eid: object, names: tuple[str, ...]
) -> tuple[str, list[int]]:
    """Name of an element and grid rows of its fields."""
    for name in names:
        cards = ctx.deck.cards(name)
        at = np.flatnonzero(cards.is_integer(1) & (cards.integer(1, -1) == eid)) if len(cards) else ()
        if len(at):
            return name, [
                grid_row(ctx, table, i, value)
                for value in cards.row(int(at[0]))[2:10]
                if isinstance(value, int)
            ]
    raise table.error(
        i, f"RSSCON refers to element {eid}, which is not in the deck", expected=" or ".join(names)
    )


def _of_elements(
    ctx: Context, table: CardTable, i: int, shell: object, solid: object
) -> list[tuple[int, int, int]]:
    """(S, A, B) of the corners of a shell that lie on edges of a solid."""
    name, corners = _corners(ctx, table, i, shell, tuple(_SHELLS))
    corners = corners[: _SHELLS[name]]
    name, nodes = _corners(ctx, table, i, solid, tuple(_EDGES))
    x, out = ctx.grids.xyz, []
    for s in corners:
        for a, b in _EDGES[name]:
            d, r = x[nodes[a]] - x[nodes[b]], x[s] - x[nodes[b]]
            length = np.linalg.norm(d)
            t = r @ d / length**2
            if 0.0 < t < 1.0 and np.linalg.norm(r - t * d) <= OFF_LINE * length:
                out.append((s, nodes[a], nodes[b]))
                break
    if len(out) < 2:
        raise table.error(
            i,
            f"fewer than two grids of shell {shell} lie on edges of solid {solid}",
            hint="name the grids themselves: RSSCON, id, GRID, shell grid, solid grid, solid grid",
        )
    return out


def _straight(grids: Grids, table: CardTable, i: int, s: int, a: int, b: int) -> Equations:
    """Three equations of motion and two of turning of grid row s between rows a and b."""
    x = grids.xyz
    d = x[a] - x[b]
    length = float(np.linalg.norm(d))
    if length == 0.0:
        raise table.error(i, "two grids of the solid of this RSSCON are at one place")
    place = float((x[s] - x[b]) @ d) / length**2
    R = grids.R_basic_cd
    name = f"RSSCON {table.row(i)[0]}"
    dofs = np.concatenate([grids.dof[k] + np.arange(3) for k in (s, a, b)])
    own = R[s].T
    motion = np.concatenate([np.eye(3), -place * own @ R[a], -(1.0 - place) * own @ R[b]], axis=1)
    out = [equations(np.zeros(9), dofs, line, [dofs[k]], name) for k, line in enumerate(motion)]
    # θ across the line: the CD axis of S nearest to it stays free
    n = d / length
    turn = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]]) / length  # n × u / |d|
    free = int(np.argmax(np.abs(own @ n)))
    turning = grids.dof[s] + 3 + np.arange(3)
    for k in (j for j in range(3) if j != free):
        # component k of θ less its part along the line: e = axis k - (axis k · n)/(free axis · n) free axis
        e = R[s][:, k] - (R[s][:, k] @ n) / (R[s][:, free] @ n) * R[s][:, free]
        line = np.concatenate([own @ e, -(e @ turn) @ R[a], (e @ turn) @ R[b]])
        columns = np.concatenate([turning, dofs[3:]])
        used = np.abs(line) > 1e-14 * np.abs(line).max()
        out.append(equations(np.zeros(int(used.sum())), columns[used], line[used], [turning[k]], name))
    return join(out)
