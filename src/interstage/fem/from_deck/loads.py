"""Loads from cards: forces, pressures, loads along lines.

Loads between the ends of bars, beams and curved beams of a deck: PLOAD1.

Pressures of a deck: PLOAD4 on shells and faces of solids, PLOAD2 on shells, PLOAD on grids.

Static loads of a deck: forces, moments, pressures, gravity, rotation, combinations, enforced motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from interstage.fem.elements.bar import LineBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.curved_beam import CurvedBeamBlock, gauss_unit
from interstage.fem.elements.line_common import rigid_arm
from interstage.fem.elements.solid_common import SolidBlock
from interstage.fem.elements.span import SpanLoads, end_loads
from interstage.fem.followers import Follower
from interstage.fem.from_deck.axisymmetric import read_old_side_pressures, read_side_pressures
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.dmig import read_loads as read_direct_loads
from interstage.fem.from_deck.temperature import read_temperatures
from interstage.fem.loads import Gravity, SpinLoad, StaticLoadSets, face_loads, to_cd
from interstage.nastran import CardTable
from interstage.nastran.cards import topologies
from interstage.reading import is_whole

_SCALES = ("LE", "FR", "LEPR", "FRPR")


def read_span_loads(ctx: Context, blocks: list[ElementBlock], loads: StaticLoadSets) -> None:
    """PLOAD1: SID, EID, TYPE, SCALE, X1, P1, X2, P2 on CBAR and CBEAM."""
    table = ctx.deck.cards("PLOAD1")
    if not len(table):
        return
    eid, found = table.integer(2), np.zeros(len(table), dtype=bool)
    for number, block in enumerate(blocks):
        if not isinstance(block, LineBlock):
            continue
        order = np.argsort(block.eid)
        at = order[np.minimum(np.searchsorted(block.eid[order], eid), len(order) - 1)]
        here = block.eid[at] == eid
        found |= here
        if here.any():
            _place(ctx, table.select(here), block, number, at[here], loads)
    found |= _read_curved(ctx, table, blocks, loads)
    if not found.all():
        i = int(np.argmin(found))
        raise table.error(
            i, f"PLOAD1 refers to element {eid[i]}, which is no CBAR, CBEAM or CBEND of the deck"
        )


def _read_curved(
    ctx: Context, table: CardTable, blocks: list[ElementBlock], loads: StaticLoadSets
) -> np.ndarray:
    """Loads in basic axes over the whole of CBEND; which cards (n,) they are.

    Motions of the curve for motions of its ends are those of loads at the ends, so that ∫ Nᵀ p ds are the forces that
    hold the ends (Betti).
    """
    eid, found = table.integer(2), np.zeros(len(table), dtype=bool)
    for block in (one for one in blocks if isinstance(one, CurvedBeamBlock) and len(one.spans) == 1):
        for row, number in enumerate(block.eid.tolist()):
            for i in np.flatnonzero(eid == number).tolist():
                found[i] = True
                _place_curved(ctx, table, i, block, row, loads)
        if found.any():
            ctx.notes.append(f"PLOAD1 on {block.name}: section forces leave out what acts between the ends")
    return found


def _place_curved(
    ctx: Context, table: CardTable, i: int, block: CurvedBeamBlock, row: int, loads: StaticLoadSets
) -> None:
    span = block.spans[0][row : row + 1]
    length = float(span.ds.sum())
    word, scale = str(table.word(3)[i]), str(table.word(4, "LE")[i])
    whole = 1.0 if scale == "FR" else length
    first, last = float(table.real(5)[i]), float(table.real(7, np.nan)[i])
    if word not in ("FX", "FY", "FZ", "MX", "MY", "MZ") or scale not in ("LE", "FR") or first != 0.0:
        last = np.nan
    if not abs(last - whole) <= 1e-3 * whole:
        raise table.error(
            i,
            f"PLOAD1 on {block.name} {block.eid[row]} is not supported",
            expected="FX to MZ in basic axes over the whole length, SCALE LE or FR",
            got=f"{word}, {scale}, {first:g} to {last:g}",
        )
    p1, p2 = float(table.real(6)[i]), float(table.real(8, 0.0)[i])
    points, _ = gauss_unit(span.ds.shape[1])
    component = 3 * (word[0] == "M") + "XYZ".index(word[1])
    motion = span.motions()[0][0, :, component]  # (p, 12)
    ends = (span.ds[0] * (p1 + (p2 - p1) * points)) @ motion
    target = loads.set(int(table.integer(1)[i]))
    for node in (0, 1):
        f = rigid_arm(block.arms[row : row + 1, node])[0].T @ ends[6 * node : 6 * node + 6]
        grid = block.nodes[row : row + 1, node]
        for at in (0, 3):
            target.dof.append(ctx.grids.dof[grid] + at + np.arange(3))
            target.value.append(to_cd(ctx.grids, grid, f[None, at : at + 3])[0])


def _place(
    ctx: Context, table: CardTable, block: LineBlock, number: int, row: np.ndarray, loads: StaticLoadSets
) -> None:
    """Add the loads of cards on the bars `row` of a block."""
    local = end_loads(block, _loads(table, block, row))
    geometry = block.geometry[row]
    nodal = np.einsum("nij,ni->nj", geometry.end_motion(), local)
    sid = table.integer(1)
    for one in np.unique(sid):
        which = np.flatnonzero(sid == one)
        target = loads.set(int(one))
        held = target.spans.setdefault(number, np.zeros((len(block), 12)))
        np.add.at(held, row[which], local[which])
        for first in (0, 3, 6, 9):
            grid = block.nodes[row[which], first // 6]
            target.dof.append((ctx.grids.dof[grid][:, None] + first % 6 + np.arange(3)).ravel())
            target.value.append(to_cd(ctx.grids, grid, nodal[which, first : first + 3]).ravel())


def _loads(table: CardTable, block: LineBlock, row: np.ndarray) -> SpanLoads:
    """Places and sizes in element axes; a blank X2 makes a load at a point."""
    geometry = block.geometry[row]
    scale, kind = table.word(4, "LE"), table.word(3)
    first, last = table.real(5), table.real(7, np.nan)
    p1, p2 = table.real(6), table.real(8, 0.0)
    point = np.isnan(last) | (last == first)
    vectors = np.zeros((len(table), 6))
    for i, word in enumerate(kind):
        if scale[i] not in _SCALES:
            raise table.error(i, "SCALE of this PLOAD1 is not known", "LE, FR, LEPR or FRPR", str(scale[i]))
        if (
            len(word) not in (2, 3)
            or word[0] not in "FM"
            or word[1] not in "XYZ"
            or word[2:] not in ("", "E")
        ):
            raise table.error(
                i, "TYPE of this PLOAD1 is not known", "FX, FY, FZ, MX, ..., FXE, ...", str(word)
            )
        along = np.eye(3)["XYZ".index(word[1])]
        if not word.endswith("E"):
            along = geometry.R[i].T @ along
            if scale[i].endswith("PR") and not point[i]:  # not of a force at a point, nor in element axes
                along = along * np.sqrt(max(1.0 - along[0] ** 2, 0.0))
        at = 0 if word[0] == "F" else 3
        vectors[i, at : at + 3] = along
    last = np.where(point, first, last)
    length = np.where(np.char.startswith(scale.astype(str), "FR"), geometry.length, 1.0)
    start, stop = first * length, last * length
    bad = (start < 0.0) | (stop < start) | (stop > geometry.length * (1.0 + 1e-6))
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(
            i,
            "the load of this PLOAD1 is not on the bar",
            "0 <= X1 <= X2 <= length",
            f"{first[i]:g} to {last[i]:g}",
        )
    stop = np.minimum(stop, geometry.length)
    return SpanLoads(row, start, stop, p1[:, None] * vectors, np.where(point, p1, p2)[:, None] * vectors)


_SHELLS = topologies("shell", "panel")


@dataclass(frozen=True)
class _Face:
    """A loaded face: grid rows of corners in order and of mid-edge nodes (-1: none), corner pressures."""

    sid: int
    corners: tuple[int, ...]
    middle: tuple[int, ...]
    pressure: tuple[float, ...]
    system: int = 0
    vector: tuple[float, float, float] | None = None


def read_pressures(ctx: Context, blocks: list[ElementBlock], loads: StaticLoadSets) -> None:
    """Add PLOAD4, PLOAD2 and PLOAD cards to their load sets."""
    if not any(len(ctx.deck.cards(name)) for name in ("PLOAD4", "PLOAD2", "PLOAD")):
        return
    elements = _Elements(blocks)
    faces = _pload4(ctx, elements) + _pload2(ctx, elements) + _pload(ctx)
    groups: dict[tuple, list[_Face]] = {}
    for face in faces:
        key = (face.sid, tuple(one >= 0 for one in face.middle), face.system, face.vector)
        groups.setdefault(key, []).append(face)
    for (sid, present, system, vector), group in groups.items():
        middle = np.array(present)
        rows = np.array([face.corners + tuple(m for m in face.middle if m >= 0) for face in group])
        pressure = np.array([face.pressure for face in group])
        direction = None if vector is None else partial(_direction, ctx, system, np.array(vector))
        forces = face_loads(ctx.grids.xyz[rows], pressure, middle, direction).reshape(-1, 3)
        target = loads.set(sid)
        if vector is None:
            pressed = partial(face_loads, pressure=pressure, middle=middle)
            target.followers.append(Follower(rows, rows, 0, pressed))
        rows = rows.ravel()
        target.dof.append((ctx.grids.dof[rows][:, None] + np.arange(3)).ravel())
        target.value.append(to_cd(ctx.grids, rows, forces).ravel())


def _direction(ctx: Context, system: int, vector: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Unit vectors (n, 3) in basic axes of a direction given in a coordinate system, at points (n, 3)."""
    axes = ctx.coordinates.axes(np.full(len(points), system), points)
    return axes @ (vector / np.linalg.norm(vector))


class _Elements:
    """Elements that can carry pressure, by id."""

    def __init__(self, blocks: list[ElementBlock]):
        self.blocks = [b for b in blocks if isinstance(b, SolidBlock) or b.name in _SHELLS]
        eid = [b.eid for b in self.blocks]
        self._eid = np.concatenate(eid) if eid else np.zeros(0, dtype=np.int64)
        where = [(k, i) for k, b in enumerate(self.blocks) for i in range(len(b))]
        self._where = np.array(where, dtype=np.int64).reshape(-1, 2)
        order = np.argsort(self._eid, kind="stable")
        self._eid, self._where = self._eid[order], self._where[order]

    def between(self, first: int, last: int) -> list[tuple[ElementBlock, int]]:
        """Block and row of the elements with ids from first to last."""
        low, high = np.searchsorted(self._eid, [first, last + 1])
        return [(self.blocks[k], int(i)) for k, i in self._where[low:high]]


def _shell_face(block: ElementBlock, i: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Corners and mid-edge nodes of a shell."""
    n = _SHELLS[block.name].corners
    nodes = tuple(block.nodes[i].tolist())
    return nodes[:n], (nodes[n : 2 * n] + (-1,) * n)[:n]


def _solid_face(
    ctx: Context, table: CardTable, card: int, block: SolidBlock, i: int, g1: int, g34: int | None
):
    """Corners from G1 on, in the sense whose right-hand normal points inward, and mid-edge nodes, of a face.

    CHEXA, quadrilateral faces of CPENTA and CPYRAM: G1 and G3 on a diagonal. Triangles of CPENTA: G1 alone.
    CTETRA: G1 on the face, G4 off it. Triangles of CPYRAM: G1 and G3 on the edge they share with the base.
    """
    shape = block.shape
    nodes = np.full(shape.n_nodes, -1)
    nodes[list(block.present)] = block.nodes[i]
    ids = ctx.grids.id[nodes[: shape.n_corner]].tolist()

    def fail(what: str, hint: str):
        return table.error(card, f"PLOAD4 on {block.name} {block.eid[i]}: {what}", hint=hint)

    for grid in (g1, g34):
        if grid is not None and grid not in ids:
            raise fail(f"grid {grid} is not a corner of the element", f"corners are {ids}")
    if g1 is None:
        raise fail("no face is given", "put a corner of the face in field 8 (G1)")
    a, b = ids.index(g1), None if g34 is None else ids.index(g34)
    face = next((f for f in shape.faces if _matches(block.name, f, a, b)), None)
    if face is None:
        raise fail(f"G1 = {g1} and G3/G4 = {g34} do not name a face", _FACE_RULES[block.name])
    face = tuple(reversed(face))
    start = face.index(a)
    face = face[start:] + face[:start]
    middle = []
    for p, q in zip(face, face[1:] + face[:1]):
        edge = next((k for k, pair in enumerate(shape.edges) if set(pair) == {p, q}), None)
        middle.append(-1 if edge is None else int(nodes[shape.n_corner + edge]))
    return tuple(int(nodes[k]) for k in face), tuple(middle)


_FACE_RULES = {
    "CHEXA": "G1 and G3 must be opposite corners of one face",
    "CPENTA": "G1 and G3 must be opposite corners of a quadrilateral face; for a triangle leave G3 blank",
    "CTETRA": "G1 must be on the face and G4 the corner that is not on it",
    "CPYRAM": "G1 and G3 must be opposite corners of the base, or the base corners of a triangle",
}


def _matches(name: str, face: tuple[int, ...], a: int, b: int | None) -> bool:
    """Whether corner a (G1) and corner b (G3 or G4, None if blank) name this face."""
    if a not in face:
        return False
    if name == "CTETRA":
        return b is not None and b != a and b not in face
    if len(face) == 4:
        if b is None:
            return name == "CPYRAM"
        return b in face and (face.index(a) - face.index(b)) % 4 == 2
    if name == "CPYRAM":
        return b in face and a != b and 4 not in (a, b)
    return b is None


def _pload4(ctx: Context, elements: _Elements) -> list[_Face]:
    """PLOAD4: SID, EID, P1-P4, G1 | THRU, G3/G4 | EID2, CID, N1-N3, SORL, LDIR."""
    table = ctx.deck.cards("PLOAD4")
    cid = table.integer(9, 0)
    ctx.check_systems(table, cid)
    faces = []
    for i, sid in enumerate(table.integer(1).tolist()):
        row = table.row(i) + [None] * 14
        eid, g1, g34 = row[1], row[6], row[7]
        p = [row[2] if one is None else one for one in row[2:6]]
        if not all(isinstance(one, int | float) for one in p) or not isinstance(eid, int):
            raise table.error(i, "PLOAD4 needs an element and a pressure")
        vector = tuple(0.0 if one is None else one for one in row[9:12])
        if not all(isinstance(one, int | float) for one in vector):
            raise table.error(i, "PLOAD4 has a word where a direction belongs")
        if row[12] not in (None, "SURF") or row[13] not in (None, "NORM"):
            raise table.error(i, "PLOAD4 along edges (SORL, LDIR) is not supported", expected="SURF, NORM")
        last = eid
        if g1 == "THRU":
            if not isinstance(g34, int) or g34 < eid:
                raise table.error(i, "PLOAD4 THRU needs a last element id that is not below the first")
            last, g1, g34 = g34, None, None
        if not all(one is None or isinstance(one, int) for one in (g1, g34)):
            raise table.error(i, "PLOAD4 needs grid ids, or THRU and an element id, in fields 8 and 9")
        found = elements.between(eid, last)
        if not found:
            raise table.error(i, f"PLOAD4 acts on element {eid}, which is no shell or solid of the deck")
        for block, k in found:
            if isinstance(block, SolidBlock):
                corners, middle = _solid_face(ctx, table, i, block, k, g1 or None, g34 or None)
            else:
                corners, middle = _shell_face(block, k)
            pressure = tuple(float(one) for one in p[: len(corners)])
            if isinstance(block, SolidBlock):
                # P1 at G1, the others by the right-hand rule about the outward normal; corners run the other way
                pressure = pressure[:1] + pressure[:0:-1]
            along = tuple(float(one) for one in vector) if any(vector) else None
            faces.append(_Face(sid, corners, middle, pressure, int(cid[i]), along))
    return faces


def _pload2(ctx: Context, elements: _Elements) -> list[_Face]:
    """PLOAD2: SID, P, EID1, EID2, ... or EID1 THRU EID2, on shells."""
    table = ctx.deck.cards("PLOAD2")
    faces = []
    for i, sid in enumerate(table.integer(1).tolist()):
        row = table.row(i) + [None] * 5
        p, names = row[1], [one for one in row[2:] if one is not None]
        if not isinstance(p, int | float) or not names:
            raise table.error(i, "PLOAD2 needs a pressure and elements")
        if "THRU" in names:
            if len(names) != 3 or names[1] != "THRU" or not isinstance(names[2], int):
                raise table.error(i, "PLOAD2 needs EID1 THRU EID2")
            ranges = [(names[0], names[2])]
        else:
            ranges = [(one, one) for one in names]
        for first, last in ranges:
            found = elements.between(first, last) if isinstance(first, int) else []
            found = [(block, k) for block, k in found if not isinstance(block, SolidBlock)]
            if not found:
                raise table.error(i, f"PLOAD2 acts on element {first}, which is no shell of the deck")
            for block, k in found:
                corners, middle = _shell_face(block, k)
                faces.append(_Face(sid, corners, middle, (float(p),) * len(corners)))
    return faces


def _pload(ctx: Context) -> list[_Face]:
    """PLOAD: SID, P, G1, G2, G3, G4; G4 blank for a triangle."""
    table = ctx.deck.cards("PLOAD")
    if not len(table):
        return []
    corners = np.column_stack([ctx.rows(table, j, optional=j == 6) for j in (3, 4, 5, 6)])
    pressure, sid = table.real(2), table.integer(1)
    faces = []
    for i in range(len(table)):
        nodes = tuple(int(one) for one in corners[i] if one >= 0)
        faces.append(_Face(int(sid[i]), nodes, (-1,) * len(nodes), (float(pressure[i]),) * len(nodes)))
    return faces


# loads that LOAD can select and that are not supported: an error once they are selected
_REFUSED = (
    "PLOAD3",
    "ACCEL",
    "ACCEL1",
    "CLOAD",
    "FORCEAX",
    "PRESAX",
    "RFORCE1",
    "RFORCE2",
)


def read_loads(ctx: Context, blocks: list[ElementBlock]) -> StaticLoadSets:
    """Return the load sets of a deck; `blocks` are its elements, on which pressures act."""
    loads = StaticLoadSets(ctx.grids)
    _read_forces(ctx, loads)
    _read_scalar_loads(ctx, loads)
    read_pressures(ctx, blocks, loads)
    read_side_pressures(ctx, blocks, loads)
    read_old_side_pressures(ctx, blocks, loads)
    _read_gravity(ctx, loads)
    _read_rotation(ctx, loads)
    _read_enforced(ctx, loads)
    read_span_loads(ctx, blocks, loads)
    loads.temperatures = read_temperatures(ctx)
    _read_combinations(ctx, loads)
    loads.direct = read_direct_loads(ctx)
    for name in _REFUSED:
        table = ctx.deck.cards(name)
        for i, sid in enumerate(table.integer(1).tolist()):
            one = loads.set(sid)
            if one.refused is None:
                one.refused = table.error(i, f"load set {sid} holds a {name}, which is not supported")
    return loads


def _read_forces(ctx: Context, loads: StaticLoadSets) -> None:
    """FORCE, MOMENT (vector in CID), FORCE1, MOMENT1 (along G1-G2), FORCE2, MOMENT2 (G1-G2 x G3-G4)."""
    xyz = ctx.grids.xyz
    for name in ("FORCE", "MOMENT"):
        first = 3 if name == "MOMENT" else 0
        table = ctx.deck.cards(name)
        if len(table):
            rows = ctx.rows(table, 2)
            n = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)]) * table.real(4)[:, None]
            axes = ctx.axes(table, 3, xyz[rows])
            _add(loads, table, rows, first, np.einsum("nij,nj->ni", axes, n))
        _read_lines(ctx, loads, ctx.deck.cards(name + "1"), first, "G1 and G2 coincide")
        _read_lines(ctx, loads, ctx.deck.cards(name + "2"), first, "G1-G2 and G3-G4 are parallel")


def _read_lines(ctx: Context, loads: StaticLoadSets, table: CardTable, first: int, fault: str) -> None:
    """Loads along G1-G2, or normal to G1-G2 and G3-G4; they follow these grids."""
    if not len(table):
        return
    names = (4, 5, 6, 7) if table.name.endswith("2") else (4, 5)
    at = np.column_stack([ctx.rows(table, j) for j in names])
    size, sid, on = table.real(3), table.integer(1), ctx.rows(table, 2)
    none = np.linalg.norm(_line(ctx.grids.xyz[at]), axis=1) == 0.0
    if none.any():
        raise table.error(int(np.argmax(none)), f"{table.name} has no direction: {fault}")
    _add(loads, table, on, first, _along(size, ctx.grids.xyz[at])[:, 0])
    for one in np.unique(sid):
        which = sid == one
        follower = Follower(at[which], on[which, None], first, partial(_along, size[which]))
        loads.set(one).followers.append(follower)


def _line(x: np.ndarray) -> np.ndarray:
    """Return G1-G2 (n, 3) of two grids, its cross product with G3-G4 of four."""
    along = x[:, 1] - x[:, 0]
    return along if x.shape[1] == 2 else np.cross(along, x[:, 3] - x[:, 2])


def _along(size: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return vectors (n, 1, 3) of given sizes along the lines of grids at x (n, k, 3), real or complex."""
    line = _line(x)
    return (size / np.sqrt(np.sum(line**2, axis=1)))[:, None, None] * line[:, None]


def _add(loads: StaticLoadSets, table: CardTable, rows: np.ndarray, first: int, vectors: np.ndarray) -> None:
    """Add vectors (n, 3) in basic axes at grid rows, as forces (first = 0) or moments (first = 3)."""
    dof = loads.grids.dof[rows][:, None] + first + np.arange(3)
    value = to_cd(loads.grids, rows, vectors)
    sid = table.integer(1)
    for one in np.unique(sid):
        target, which = loads.set(one), sid == one
        target.dof.append(dof[which].ravel())
        target.value.append(value[which].ravel())


def _read_scalar_loads(ctx: Context, loads: StaticLoadSets) -> None:
    """SLOAD: SID, S1, F1, S2, F2, S3, F3; on a grid it acts along T1."""
    table = ctx.deck.cards("SLOAD")
    for i, sid in enumerate(table.integer(1).tolist()):
        row = table.row(i)
        if len(row) < 3 or len(row) % 2 == 0:
            raise table.error(i, "SLOAD needs pairs of a scalar point and a load")
        target = loads.set(sid)
        for point, value in zip(row[1::2], row[2::2]):
            if point is None and value is None:
                continue
            dof = ctx.grids.dof_of(point, 1) if isinstance(point, int) else -1
            if dof < 0:
                raise table.error(i, "SLOAD refers to a point that is not in the deck", got=str(point))
            if isinstance(value, str) or value is None:
                raise table.error(i, "SLOAD has no number where a load belongs", got=str(value))
            target.dof.append(np.array([dof]))
            target.value.append(np.array([float(value)]))


def _read_gravity(ctx: Context, loads: StaticLoadSets) -> None:
    """GRAV: SID, CID, A, N1, N2, N3. Components are along the system's rectangular axes."""
    table = ctx.deck.cards("GRAV")
    if not len(table):
        return
    n = np.column_stack([table.real(j, 0.0) for j in (4, 5, 6)]) * table.real(3)[:, None]
    cid = table.integer(2, 0)
    ctx.check_systems(table, cid)
    for i, sid in enumerate(table.integer(1)):
        loads.set(sid).fields.append(Gravity(ctx.coordinates.systems[int(cid[i])].R @ n[i]))


def _read_rotation(ctx: Context, loads: StaticLoadSets) -> None:
    """RFORCE: SID, G, CID, A, R1, R2, R3, METHOD, RACC, MB, IDRF; A and RACC in revolutions."""
    table = ctx.deck.cards("RFORCE")
    if not len(table):
        return
    rows = ctx.rows(table, 2, optional=True)
    cid, method = table.integer(3, 0), table.integer(8, 1)
    ctx.check_systems(table, cid)
    vector = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)])
    speed, growth = table.real(4, 0.0), table.real(9, 0.0)
    for i, sid in enumerate(table.integer(1)):
        if method[i] not in (1, 2):
            raise table.error(i, "METHOD of RFORCE must be 1 or 2", got=str(method[i]))
        if not vector[i].any() and (speed[i] or growth[i]):
            raise table.error(i, "RFORCE has no axis: R1, R2, R3 are all zero")
        if not table.blank(11)[i] and table.integer(11, 0)[i] != 0:
            raise table.error(i, "RFORCE for a part of the model (IDRF) is not supported")
        axis = 2.0 * np.pi * (ctx.coordinates.systems[int(cid[i])].R @ vector[i])
        point = ctx.grids.xyz[rows[i]] if rows[i] >= 0 else np.zeros(3)
        loads.set(sid).fields.append(SpinLoad(point, speed[i] * axis, growth[i] * axis))


def _read_enforced(ctx: Context, loads: StaticLoadSets) -> None:
    """SPCD: SID, G1, C1, D1, G2, C2, D2."""
    table = ctx.deck.cards("SPCD")
    for i in range(len(table)):
        row = table.row(i) + [None] * 7
        target = loads.set(int(table.integer(1)[i]))
        for point, components, value in (row[1:4], row[4:7]):
            if point is None:
                continue
            if isinstance(value, str):
                raise table.error(i, "SPCD has a word where a displacement belongs", got=value)
            for digit in str(0 if components is None else components):
                known = isinstance(point, int) and is_whole(digit)
                dof = ctx.grids.dof_of(point, int(digit)) if known else -1
                if dof < 0:
                    raise table.error(
                        i,
                        "SPCD refers to a degree of freedom that is not there",
                        got=f"{point} component {digit}",
                    )
                if dof in target.enforced:
                    raise table.error(i, f"SPCD gives {ctx.grids.name_of(dof)} a displacement twice")
                target.enforced[dof] = 0.0 if value is None else float(value)


def _read_combinations(ctx: Context, loads: StaticLoadSets) -> None:
    """LOAD: SID, S, S1, L1, S2, L2, ..."""
    table = ctx.deck.cards("LOAD")
    for i, sid in enumerate(table.unique_ids().tolist()):
        row = table.row(i)
        # SPCD are selected by the number itself, beside a LOAD card of that number
        if sid in loads.sets and not loads.sets[sid].only_enforced:
            raise table.error(i, f"load set {sid} is both a LOAD and a set of loads", hint="renumber one")
        pairs = row[2:] + [None] * (len(row) % 2)
        scale = row[1] if len(row) > 1 else None
        if not isinstance(scale, int | float):
            raise table.error(i, "LOAD needs an overall factor in field 3")
        parts = []
        for factor, other in zip(pairs[::2], pairs[1::2]):
            if factor is None and other is None:
                continue
            if not isinstance(factor, int | float) or not isinstance(other, int):
                raise table.error(i, "LOAD needs pairs of a factor and a load set", got=f"{factor}, {other}")
            parts.append((float(scale) * float(factor), other))
        if not parts:
            raise table.error(i, f"LOAD {sid} combines no load set")
        loads.combinations[sid] = parts
