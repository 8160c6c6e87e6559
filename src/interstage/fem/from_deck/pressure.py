"""Pressures of a deck: PLOAD4 on shells and faces of solids, PLOAD2 on shells, PLOAD on grids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.solid_common import SolidBlock
from interstage.fem.followers import Follower
from interstage.fem.from_deck.context import Context
from interstage.fem.loads import Loads, face_loads, to_cd
from interstage.nastran import CardTable

_SHELL_CORNERS = {
    "CQUAD4": 4,
    "CQUADR": 4,
    "CQUAD8": 4,
    "CSHEAR": 4,
    "CTRIA3": 3,
    "CTRIAR": 3,
    "CTRIA6": 3,
}


@dataclass(frozen=True)
class _Face:
    """A loaded face: grid rows of corners in order and of mid-edge nodes (-1: none), corner pressures."""

    sid: int
    corners: tuple[int, ...]
    middle: tuple[int, ...]
    pressure: tuple[float, ...]
    system: int = 0
    vector: tuple[float, float, float] | None = None


def read_pressures(ctx: Context, blocks: list[ElementBlock], loads: Loads) -> None:
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
        self.blocks = [b for b in blocks if isinstance(b, SolidBlock) or b.name in _SHELL_CORNERS]
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
    n = _SHELL_CORNERS[block.name]
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
