"""Rigid elements from cards, shell-to-solid connectors included.

RSSCON: grids of shells between the two faces of solids, as constraint equations.

A grid S of a shell lies on the line from grid A to grid B of a solid, which spans its thickness, d = x_A - x_B. The
line stays straight: S moves with it, and turns with it about the two axes across it,

    u_S = s u_A + (1 - s) u_B,    e·θ_S = e·(d × (u_A - u_B)) / |d|²  for e across d,

s the place of S on the line. The turn about the line is left to the shell. A mid-edge grid of a shell lies between
mid-edge nodes of two edges of a face of the solid: it moves and turns with the surface of that face, u = Σ N_k u_k, as
a run of MSC Nastran has it,

    θ = - n × ∇(n·u) + ½ n (n·∇ × u),   ∇ in the face, n its normal.

Rigid elements of a deck: RBE1, RBE2, RBE3, RBAR, RROD, RJOINT, RTRPLT, RSSCON, CRIGD1, CRIGD2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import block_diag

from interstage.errors import ModelError
from interstage.fem.constraints import Equations, equations, join
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import components, grid_row
from interstage.fem.grids import Grids
from interstage.fem.loads import face_functions
from interstage.fem.rigid_elements import RigidLink, rbe2, rbe3, rigid_body, rrod
from interstage.nastran import CardTable
from interstage.nastran.cards import CARDS, columns, topologies
from interstage.nastran.ids import expand_ids

OFF_LINE = 0.05  # of the thickness, by which a grid of a shell may lie beside the line
_SHELLS, _SOLIDS = topologies("shell"), topologies("solid")
ALONG = 0.5  # cosine between the normal of a shell and the line of a solid, at least
# grid rows S, A, B, and for a mid-edge grid the corners and mid-edge nodes of the face that it lies on
_Joint = tuple[int, int, int, tuple[list[int], list[int | None]] | None]


def rsscon(ctx: Context, table: CardTable, i: int, joined: set[tuple[int, int, int]]) -> Equations:
    """Equations of one RSSCON: RBID, TYPE, then GS, GA, GB of grids or shell and solid of elements, in turn.

    joined : grid rows (S, A, B) that cards before it join, as neighbours of elements do; its own are added
    """
    row = table.row(i) + [None] * 8
    kind, values = row[1] or "ELEM", row[2:8]
    if kind == "GRID":
        groups = [values[k : k + 3] for k in (0, 3) if any(v is not None for v in values[k : k + 3])]
        triples = [(*(grid_row(ctx, table, i, value) for value in group), None) for group in groups]
    elif kind == "ELEM":
        pairs = [values[k : k + 2] for k in (0, 2, 4) if any(v is not None for v in values[k : k + 2])]
        triples = [triple for shell, solid in pairs for triple in _of_elements(ctx, table, i, shell, solid)]
    else:
        raise table.error(i, "TYPE of this RSSCON is not known", "GRID or ELEM", str(kind))
    if not triples:
        raise table.error(i, "RSSCON connects nothing")
    alike = {(s, min(a, b), max(a, b)): (s, a, b, face) for s, a, b, face in triples}
    new = [one for key, one in alike.items() if key not in joined]
    joined.update(alike)
    return join(
        [
            _straight(ctx.grids, table, i, s, a, b)
            if face is None
            else _on_face(ctx.grids, table, i, s, a, b, face)
            for s, a, b, face in new
        ]
    )


def _mid_lines(
    name: str, nodes: list[int | None]
) -> list[tuple[int, int, tuple[list[int], list[int | None]]]]:
    """Mid-edge nodes of two opposite edges of a face of four corners: both, and the face (corners, mid-edge nodes).

    The first edge of the face is that of the first node, the third that of the second.
    """
    solid = _SOLIDS[name]
    mid_edge = zip(solid.edges, nodes[solid.corners :])
    middle = {frozenset(edge): node for edge, node in mid_edge if node is not None}
    out = []
    for one in (face for face in solid.faces if len(face) == 4):
        for turn in (0, 1):
            face = [*one[turn:], *one[:turn]]
            sides = [middle.get(frozenset((face[k], face[(k + 1) % 4]))) for k in range(4)]
            if sides[0] is not None and sides[2] is not None:
                out.append((sides[0], sides[2], ([nodes[k] for k in face], sides)))
    return out


def _corners(
    ctx: Context, table: CardTable, i: int, eid: object, names: tuple[str, ...]
) -> tuple[str, list[int | None]]:
    """Name of an element and grid rows of its fields, None where a mid-edge grid is left out."""
    for name in names:
        cards = ctx.deck.cards(name)
        at = np.flatnonzero(cards.is_integer(1) & (cards.integer(1, -1) == eid)) if len(cards) else ()
        if len(at):
            return name, [
                grid_row(ctx, table, i, value) if isinstance(value, int) and value else None
                for value in cards.row(int(at[0]))[2 : max(columns(CARDS[name].grids, 99))]
            ]
    raise table.error(
        i, f"RSSCON refers to element {eid}, which is not in the deck", expected=" or ".join(names)
    )


def _of_elements(ctx: Context, table: CardTable, i: int, shell: object, solid: object) -> list[_Joint]:
    """(S, A, B, face) of the grids of a shell that lie on lines of a solid: of those the one nearest to its normal."""
    name, grids = _corners(ctx, table, i, shell, tuple(_SHELLS))
    count = _SHELLS[name].corners
    name, nodes = _corners(ctx, table, i, solid, tuple(_SOLIDS))
    x, out = ctx.grids.xyz, []
    lines = [(nodes[a], nodes[b], None) for a, b in _SOLIDS[name].edges] + _mid_lines(name, nodes)
    normal = np.cross(x[grids[2]] - x[grids[0]], x[grids[3 if count == 4 else 0]] - x[grids[1]])
    for s in (one for one in grids if one is not None):
        found = []
        for a, b, face in lines:
            d, r = x[a] - x[b], x[s] - x[b]
            length = np.linalg.norm(d)
            t = r @ d / length**2
            inside = -OFF_LINE <= t <= 1.0 + OFF_LINE
            if inside and np.linalg.norm(r - t * d) <= OFF_LINE * length:
                found.append((abs(d @ normal) / length, a, b, face))
        best = max(found, key=lambda one: one[0], default=None)
        if best is not None and best[0] > ALONG * np.linalg.norm(normal):
            out.append((s, *best[1:]))
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
    if s in (a, b):  # it moves with the line already, and turns alone
        motion = motion[:0]
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


def _on_face(grids: Grids, table: CardTable, i: int, s: int, a: int, b: int, face) -> Equations:
    """Six equations of grid row s that moves and turns with a face, on the line of its mid-edge nodes a and b."""
    corners, sides = face
    middle = np.array([side is not None for side in sides])
    rows = [*corners, *(side for side in sides if side is not None)]
    x = grids.xyz
    d = x[b] - x[a]
    place = np.array([[0.0, 2.0 * float((x[s] - x[a]) @ d) / float(d @ d) - 1.0]])
    N = np.concatenate(face_functions(place, 4, middle.astype(float)), axis=1)[0]
    slopes = np.empty((2, len(rows)))
    for axis in range(2):
        shifted = place.astype(complex)
        shifted[:, axis] += 1e-30j
        slopes[axis] = (
            np.concatenate(face_functions(shifted, 4, middle.astype(float)), axis=1)[0].imag / 1e-30
        )
    tangents = slopes @ x[rows]
    n = np.cross(*tangents)
    if not np.linalg.norm(n) > 0.0:
        raise table.error(i, "a face of the solid of this RSSCON has no area")
    n /= np.linalg.norm(n)
    gradient = np.linalg.pinv(tangents) @ slopes  # (3, k), in the face
    turn = np.concatenate(
        [-np.outer(np.cross(n, g), n) + 0.5 * np.outer(n, np.cross(n, g)) for g in gradient.T], axis=1
    )
    own, R = grids.R_basic_cd[s].T, grids.R_basic_cd
    motion = np.concatenate([weight * np.eye(3) for weight in N], axis=1)
    to_basic = block_diag(*(R[row] for row in rows))
    dofs = np.concatenate([grids.dof[row] + np.arange(3) for row in rows])
    out = []
    for first, part in ((0, motion), (3, turn)):
        if first == 0 and s in (a, b):  # it moves with the face already, and turns alone
            continue
        lines = own @ part @ to_basic
        for k, line in enumerate(lines):
            used = np.abs(line) > 1e-12 * np.abs(lines).max()
            mine = grids.dof[s] + first + k
            columns, values = np.append(dofs[used], mine), np.append(-line[used], 1.0)
            out.append(
                equations(np.zeros(len(columns)), columns, values, [mine], f"RSSCON {table.row(i)[0]}")
            )
    return join(out)


ALL = np.arange(6)
COINCIDENT = 1e-6  # of the size of the coordinates
Found = tuple[Equations, RigidLink | None]


def read_rigid(ctx: Context) -> tuple[Equations, list[RigidLink]]:
    """Return the constraint equations of all rigid elements, each with the name of its element, and what they link."""
    parts: list[Equations] = []
    links: list[RigidLink] = []
    joined: set[tuple[int, int, int]] = set()
    readers: dict[str, Callable[[Context, CardTable, int], Found]] = {
        "RBE2": _rbe2,
        "RBE3": _rbe3,
        "RBAR": _rbar,
        "RBE1": _rbe1,
        "RROD": _rrod,
        "RJOINT": _rjoint,
        "RTRPLT": _rtrplt,
        "CRIGD1": _crigd1,
        "CRIGD2": _crigd2,
        "RSSCON": lambda ctx, table, i: (rsscon(ctx, table, i, joined), None),
    }
    for name, reader in readers.items():
        table = ctx.deck.cards(name)
        if len(table):
            table.unique_ids()
        for i in range(len(table)):
            try:
                equations, link = reader(ctx, table, i)
            except ModelError as error:
                raise table.error(i, error.what, error.expected, error.got, error.hint) from None
            parts.append(equations)
            links += [link] if link else []
    return join(parts), links


def _digits(components: np.ndarray) -> str:
    return "".join(str(c + 1) for c in sorted(components))


def _rows_of(ctx: Context, table: CardTable, i: int, values) -> np.ndarray:
    ids = expand_ids(values, lambda *a, **k: table.error(i, *a, **k))
    rows = ctx.grids.find(ids)
    if not len(ids) or (rows < 0).any():
        missing = int(ids[np.argmax(rows < 0)]) if len(ids) else None
        return np.array([grid_row(ctx, table, i, missing)])
    return rows


def _drop_alpha(row: list) -> list:
    """Fields without the reals at the end: thermal expansion coefficient and reference temperature."""
    row = [value for value in row if value is not None]
    while row and (isinstance(row[-1], float) or row[-1] in ("ALPHA", "TREF")):
        row.pop()
    return row


def _rbe2(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i) + [None] * 3
    independent = grid_row(ctx, table, i, row[1])
    chosen = components(table, i, row[2])
    dependents = _rows_of(ctx, table, i, _drop_alpha(row[3:]))
    if not len(chosen):
        raise table.error(i, "RBE2 makes no component dependent", "digits 1 to 6")
    if independent in dependents:
        raise table.error(i, f"RBE2 has grid {row[1]} both independent and dependent")
    link = RigidLink("rbe2", row[1], ctx.grids.id[dependents], _digits(chosen))
    return rbe2(ctx.grids, row[0], independent, dependents, chosen), link


def _rbe3(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i) + [None] * 4
    reference = grid_row(ctx, table, i, row[2])
    refc = components(table, i, row[3], "REFC")
    if not len(refc):
        raise table.error(i, "RBE3 makes no component of its reference grid dependent", "digits 1 to 6")
    rest = [value for value in row[4:] if value is not None]
    stop = min((k for k, value in enumerate(rest) if value in ("UM", "ALPHA", "TREF")), default=len(rest))
    rows, comps, weights, carriers = _weighted(ctx, table, i, rest[:stop])
    dependents = None
    if "UM" in rest:
        pairs = _drop_alpha(rest[rest.index("UM") + 1 :])
        if "ALPHA" in pairs:
            pairs = pairs[: pairs.index("ALPHA")]
        dependents = _point_components(ctx, table, i, pairs)
    link = RigidLink("rbe3", row[2], ctx.grids.id[carriers[0]], _digits(refc), carriers[1])
    return rbe3(ctx.grids, row[0], reference, refc, rows, comps, weights, dependents), link


def _weighted(ctx: Context, table: CardTable, i: int, values: list):
    """Independent dofs of an RBE3 and its grids with their weights: groups of weight (a real), components, grids."""
    starts = [k for k, value in enumerate(values) if isinstance(value, float)]
    if not starts or starts[0] != 0:
        raise table.error(i, "RBE3 must start its lists with a real weight", got=repr(values[:1]))
    rows, comps, weights, grids, shares = [], [], [], [], []
    for first, last in zip(starts, [*starts[1:], len(values)]):
        group = values[first:last]
        chosen = components(table, i, group[1] if len(group) > 1 else None)
        members = _rows_of(ctx, table, i, group[2:])
        if not len(chosen):
            raise table.error(i, "a weight of this RBE3 has no components", "digits 1 to 6")
        rows.append(np.repeat(members, len(chosen)))
        comps.append(np.tile(chosen, len(members)))
        weights.append(np.full(len(members) * len(chosen), group[0]))
        grids.append(members)
        shares.append(np.full(len(members), group[0]))
    carriers = np.concatenate(grids), np.concatenate(shares)
    return np.concatenate(rows), np.concatenate(comps), np.concatenate(weights), carriers


def _point_components(ctx: Context, table: CardTable, i: int, values: list) -> list[tuple[int, int]]:
    """(grid row, component) of a list of pairs id, digits."""
    if len(values) % 2:
        raise table.error(i, f"the dofs of this {table.name} are not pairs of grid and components")
    out = []
    for point, digits in zip(values[::2], values[1::2]):
        row = grid_row(ctx, table, i, point)
        out += [(row, int(c)) for c in components(table, i, digits)]
    return out


def _rbar(ctx: Context, table: CardTable, i: int) -> Found:
    row = (table.row(i) + [None] * 7)[:7]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    cna, cnb, cma, cmb = (components(table, i, value) for value in row[3:7])
    independent = [(a, int(c)) for c in cna] + [(b, int(c)) for c in cnb]
    held = next((one for one in (cmb, cma) if len(one)), ALL)
    link = RigidLink("rbar", row[1], np.array([row[2]]), _digits(held))
    if not len(cma) and not len(cmb):
        cma, cmb = np.setdiff1d(ALL, cna), np.setdiff1d(ALL, cnb)
    dependent = [(a, int(c)) for c in cma] + [(b, int(c)) for c in cmb]
    _check_apart(table, i, independent, dependent)
    return rigid_body(ctx.grids, f"RBAR {row[0]}", independent, dependent), link


def _rtrplt(ctx: Context, table: CardTable, i: int) -> Found:
    """RTRPLT: EID, GA, GB, GC, CNA, CNB, CNC, and on its continuation CMA, CMB, CMC (blank: all others)."""
    row = table.row(i) + [None] * 11
    rows = [grid_row(ctx, table, i, value) for value in row[1:4]]
    given = [components(table, i, value) for value in row[4:7]]
    taken = [components(table, i, value) for value in row[8:11]]
    if not any(map(len, taken)):
        taken = [np.setdiff1d(ALL, one) for one in given]
    independent, dependent = ([(g, int(c)) for g, cs in zip(rows, one) for c in cs] for one in (given, taken))
    _check_apart(table, i, independent, dependent)
    held = _digits(np.unique([c for _, c in dependent]))
    link = RigidLink("rbe1", row[1], np.array(row[2:4]), held)
    return rigid_body(ctx.grids, f"RTRPLT {row[0]}", independent, dependent), link


def _crigd1(ctx: Context, table: CardTable, i: int) -> Found:
    """CRIGD1 of NASTRAN-95: EID, IG, and grids all of whose components follow it."""
    row = table.row(i) + [None] * 2
    independent = grid_row(ctx, table, i, row[1])
    dependents = _rows_of(ctx, table, i, [value for value in row[2:] if value is not None])
    if independent in dependents:
        raise table.error(i, f"CRIGD1 has grid {row[1]} both independent and dependent")
    equations = rbe2(ctx.grids, row[0], independent, dependents, ALL)
    equations.names = [f"CRIGD1 {row[0]}"]
    return equations, RigidLink("rbe2", row[1], ctx.grids.id[dependents], _digits(ALL))


def _crigd2(ctx: Context, table: CardTable, i: int) -> Found:
    """CRIGD2 of NASTRAN-95: EID, IG, and pairs of a grid and its components that follow it."""
    row = table.row(i) + [None] * 2
    independent = grid_row(ctx, table, i, row[1])
    dependent = _point_components(ctx, table, i, [value for value in row[2:] if value is not None])
    of_ig = [(independent, int(c)) for c in ALL]
    _check_apart(table, i, of_ig, dependent)
    held = _digits(np.unique([c for _, c in dependent]))
    others = ctx.grids.id[list(dict.fromkeys(one for one, _ in dependent))]
    equations = rigid_body(ctx.grids, f"CRIGD2 {row[0]}", of_ig, dependent)
    return equations, RigidLink("rbe1", row[1], others, held)


def _rbe1(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i)
    values = _drop_alpha(row[1:])
    if "UM" not in values:
        raise table.error(i, "RBE1 has no dependent dofs", "UM before the dependent grids")
    split = values.index("UM")
    independent = _point_components(ctx, table, i, values[:split])
    dependent = _point_components(ctx, table, i, values[split + 1 :])
    _check_apart(table, i, independent, dependent)
    rows = list(dict.fromkeys(row for row, _ in (*independent, *dependent)))
    held = _digits(np.unique([c for _, c in dependent]))
    link = RigidLink("rbe1", int(ctx.grids.id[rows[0]]), ctx.grids.id[rows[1:]], held)
    return rigid_body(ctx.grids, f"RBE1 {row[0]}", independent, dependent), link


def _rrod(ctx: Context, table: CardTable, i: int) -> Found:
    row = (table.row(i) + [None] * 5)[:5]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    cma, cmb = components(table, i, row[3]), components(table, i, row[4])
    if len(cma) + len(cmb) != 1 or max([*cma, *cmb]) > 2:
        raise table.error(i, "RROD needs exactly one dependent translation", "one digit 1 to 3 in CMA or CMB")
    return rrod(ctx.grids, row[0], a, b, a if len(cma) else b, int([*cma, *cmb][0])), None


def _rjoint(ctx: Context, table: CardTable, i: int) -> Found:
    """RJOINT: EID, GA, GB, CB: components CB of GB (all if blank) move with GA, at the same place."""
    row = (table.row(i) + [None] * 4)[:4]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    chosen = components(table, i, row[3]) if row[3] is not None else ALL
    apart = np.linalg.norm(ctx.grids.xyz[b] - ctx.grids.xyz[a])
    if apart > COINCIDENT * np.abs(ctx.grids.xyz[[a, b]]).max():
        raise table.error(
            i, "the grids of this RJOINT are not at one place", got=f"{apart:g} apart", hint="use RBAR"
        )
    equations = rbe2(ctx.grids, row[0], a, [b], chosen)
    equations.names = [f"RJOINT {row[0]}"]
    return equations, RigidLink("rbar", row[1], np.array([row[2]]), _digits(chosen))


def _check_apart(table: CardTable, i: int, independent: list, dependent: list) -> None:
    if set(independent) & set(dependent):
        raise table.error(i, f"{table.name} has a dof both independent and dependent")
    if not dependent:
        raise table.error(i, f"{table.name} has no dependent dofs")
