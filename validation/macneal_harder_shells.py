"""Shell elements on the problems of MacNeal and Harder (1985): beams, roof, hemisphere, plates.

Meshes, loads and theory are those of R. H. MacNeal and R. L. Harder, A proposed standard set of problems to
test finite element accuracy, Finite Elements in Analysis and Design 1 (1985) 3-20. Triangles cut each
quadrilateral along a diagonal; elements with mid-side nodes have half as many cells a side, so that the
nodes are the same. `published` is what a commercial code reports for the same kind of element and mesh:
Altair OptiStruct's verification manual (OS-V:0700, 0710, 0720, 0730).

    python -m validation macneal_harder_shells
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from interstage.fem.elements.laminate import ShellSection, section_table
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad8 import Quad8Block
from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock
from interstage.fem.elements.shell_common import grid_normals
from interstage.fem.elements.tria3 import Tria3Block
from interstage.fem.elements.tria6 import Tria6Block
from validation import ratios
from validation.study import Study

_FAMILIES = {
    "QUAD4": Quad4Block,
    "TRIA3": Tria3Block,
    "QUADR": QuadRBlock,
    "TRIAR": TriaRBlock,
    "QUAD8": Quad8Block,
    "TRIA6": Tria6Block,
}
_CURVED = ("QUAD8", "TRIA6")


@dataclass
class Mesh:
    """Cells of a surface: `step` (n, 2) lattice positions in cells, `xyz` (n, 3), `nodes` the elements."""

    kind: str
    counts: tuple[int, int]
    step: np.ndarray
    xyz: np.ndarray
    nodes: np.ndarray

    def on(self, axis: int, value: float) -> np.ndarray:
        """Nodes on the lattice line axis = value."""
        return np.flatnonzero(self.step[:, axis] == value)

    def at(self, u: float, v: float) -> int:
        """The node at a lattice position."""
        return int(np.flatnonzero((self.step[:, 0] == u) & (self.step[:, 1] == v))[0])


def mesh(kind: str, counts: tuple[int, int], place: Callable, straight: bool = False) -> Mesh:
    """Cut a lattice into elements; `place` maps lattice positions (n, 2) to points (n, 3).

    With `straight` mid-side nodes lie halfway between the ends of their side, else where `place` puts them.
    """
    family = _FAMILIES[kind]
    index: dict[tuple[int, int], int] = {}
    rows, ends = [], []
    cuts = ((0, 1, 2, 3),) if family.corners == 4 else ((0, 1, 2), (0, 2, 3))
    for i, j in np.ndindex(*counts):
        square = [(2 * i, 2 * j), (2 * i + 2, 2 * j), (2 * i + 2, 2 * j + 2), (2 * i, 2 * j + 2)]
        for cut in cuts:
            corners = [square[k] for k in cut]
            row = [index.setdefault(key, len(index)) for key in corners]
            if kind in _CURVED:
                for a, b in zip(corners, corners[1:] + corners[:1]):
                    key = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
                    row.append(index.setdefault(key, len(index)))
                    ends.append((row[-1], index[a], index[b]))
            rows.append(row)
    step, xyz = ratios.placed(index, place, straight, ends)
    return Mesh(kind, counts, step, xyz, np.array(rows))


def plate_section(E: float, nu: float, t: float):
    """A homogeneous isotropic section."""
    Q = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    shear = 5 / 6 * E / 2 / (1 + nu) * t * np.eye(2)
    return section_table(
        [ShellSection(A=Q * t, D=Q * t**3 / 12, shear=shear, mass=t, thickness=t, isotropic=True)]
    )


def elements(grid: Mesh, E: float, nu: float, t: float):
    """The block of the mesh, with shell normals where the family has them; its mass per area is t."""
    n = len(grid.nodes)
    section = plate_section(E, nu, t)
    zeros = np.zeros(n, dtype=np.int64)
    block = _FAMILIES[grid.kind](grid.kind, np.arange(n), grid.nodes, grid.xyz, section, zeros)
    if grid.kind not in _CURVED:
        block.normals = grid_normals([block], len(grid.xyz), 20.0)
    return block


def pressure(block) -> np.ndarray:
    """Areas of influence (n_grids,) of a unit load per area, consistent with the shape functions."""
    mass = block.mass(slice(None), True)[:, ::6, ::6].sum(axis=2)
    total = np.bincount(block.nodes.ravel(), mass.ravel(), minlength=len(block.xyz))
    return total / block.sections.mass[0]


def solve(block, fixed: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Displacements (n, 6) for `fixed` (n, 6) bool and forces (n, 6), basic axes."""
    K = block.stiffness(slice(None))
    dof = (6 * block.nodes[:, :, None] + np.arange(6)).reshape(len(K), -1)
    i, j = np.repeat(dof, dof.shape[1], axis=1).ravel(), np.tile(dof, dof.shape[1]).ravel()
    n = 6 * len(block.xyz)
    A = sp.csc_matrix((K.ravel(), (i, j)), shape=(n, n))
    # CQUAD8 and CTRIA6 have no stiffness of drilling: in a flat mesh AUTOSPC holds what nothing resists
    turns = A.diagonal().reshape(-1, 6)[:, 3:]
    loose = np.hstack([np.zeros_like(turns, dtype=bool), turns < 1e-9 * turns.max()])
    free = np.flatnonzero(~(fixed | loose).ravel())
    u = np.zeros(n)
    u[free] = spsolve(A[free][:, free], force.ravel()[free])
    return u.reshape(-1, 6)


def line_load(grid: Mesh, axis: int, value: float) -> np.ndarray:
    """Weights (n,) of a unit force spread evenly over a lattice line."""
    nodes = grid.on(axis, value)
    order = nodes[np.argsort(grid.step[nodes, 1 - axis])]
    weight = np.zeros(len(grid.xyz))
    if grid.kind in _CURVED:
        for a in range(0, len(order) - 2, 2):
            weight[order[a : a + 3]] += np.array([1, 4, 1]) / 6
    else:
        for a in range(len(order) - 1):
            weight[order[a : a + 2]] += 0.5
    return weight / weight.sum()


def straight_beam(kind: str, form: str) -> dict[str, tuple[float, float]]:
    """Cantilever 6 x 0.2 x 0.1, six elements (regular, trapezoid, parallelogram): {load: (theory, ours)}."""

    def place(step):
        x, y = step.T
        slope = {"regular": 0.0, "trapezoid": np.where(x % 2 == 1, 1.0, -1.0), "parallelogram": 1.0}
        shift = slope[form] * np.where((x == 0) | (x == 6), 0.0, 1.0) * (y - 0.5) * 0.2
        return np.column_stack([x + shift, 0.2 * y - 0.1, 0 * x])

    grid = mesh(kind, (6, 1), place, straight=True)
    block = elements(grid, 1e7, 0.3, 0.1)
    tip, weight = grid.on(0, 6), line_load(grid, 0, 6)
    fixed = np.zeros((len(grid.xyz), 6), dtype=bool)
    fixed[grid.on(0, 0)] = True
    twist = np.zeros((len(grid.xyz), 6))
    twist[tip, 2] = np.sign(grid.xyz[tip, 1]) / 0.2
    loads = {
        "extension": (3e-5, np.outer(weight, np.eye(6)[0]), lambda u: u[tip, 0].mean()),
        "in-plane shear": (0.1081, np.outer(weight, np.eye(6)[1]), lambda u: u[tip, 1].mean()),
        "out-of-plane shear": (0.4321, np.outer(weight, np.eye(6)[2]), lambda u: u[tip, 2].mean()),
        "twist": (0.03208, twist, lambda u: np.polyfit(grid.xyz[tip, 1], u[tip, 2], 1)[0]),
    }
    return {
        name: (theory, measure(solve(block, fixed, force)))
        for name, (theory, force, measure) in loads.items()
    }


def _tip_loads(grid: Mesh, block, last: int, loads) -> dict[str, tuple[float, float]]:
    fixed = np.zeros((len(grid.xyz), 6), dtype=bool)
    fixed[grid.on(0, 0)] = True
    tip, weight, out = grid.on(0, last), line_load(grid, 0, last), {}
    for name, theory, axis in loads:
        u = solve(block, fixed, np.outer(weight, np.eye(6)[axis]))
        out[name] = (theory, u[tip, axis].mean())
    return out


def curved_beam(kind: str) -> dict[str, tuple[float, float]]:
    """Quarter circle 4.12 < r < 4.32, 0.1 thick, six elements, unit load at the tip."""

    def place(step):
        angle, r = np.pi / 2 * (1 - step[:, 0] / 6), 4.12 + 0.2 * step[:, 1]
        return np.column_stack([r * np.cos(angle), r * np.sin(angle), 0 * r])

    grid = mesh(kind, (6, 1), place)
    block = elements(grid, 1e7, 0.25, 0.1)
    return _tip_loads(grid, block, 6, (("in-plane shear", 0.08734, 0), ("out-of-plane shear", 0.5022, 2)))


def twisted_beam(kind: str) -> dict[str, tuple[float, float]]:
    """Cantilever 12 x 1.1 x 0.32 twisted by 90 degrees, 12 x 2 elements, unit load at the tip."""

    def place(step):
        angle, a = np.pi / 2 * step[:, 0] / 12, 1.1 * (step[:, 1] / 2 - 0.5)
        return np.column_stack([step[:, 0], a * np.cos(angle), a * np.sin(angle)])

    grid = mesh(kind, (12, 2), place)
    block = elements(grid, 29e6, 0.22, 0.32)
    # the width of the tip lies along z
    return _tip_loads(grid, block, 12, (("in-plane shear", 0.005424, 2), ("out-of-plane shear", 0.001754, 1)))


def roof(kind: str, n: int = 8) -> dict[str, tuple[float, float]]:
    """Scordelis-Lo roof, n x n cells on a quarter: vertical deflection in the middle of the free edge."""
    cells = n // 2 if kind in _CURVED else n

    def place(step):
        angle = np.radians(40.0) * step[:, 1] / cells
        return np.column_stack([25.0 * step[:, 0] / cells, 25.0 * np.sin(angle), 25.0 * np.cos(angle)])

    grid = mesh(kind, (cells, cells), place)
    block = elements(grid, 4.32e8, 0.0, 0.25)
    fixed = np.zeros((len(grid.xyz), 6), dtype=bool)
    fixed[np.ix_(grid.on(0, 0), [0, 4, 5])] = True
    fixed[np.ix_(grid.on(1, 0), [1, 3, 5])] = True
    fixed[np.ix_(grid.on(0, cells), [1, 2])] = True  # diaphragm
    u = solve(block, fixed, np.outer(-90.0 * pressure(block), np.eye(6)[2]))
    return {"own weight": (0.3024, -u[grid.at(0, cells), 2])}


def hemisphere(kind: str, n: int = 8) -> dict[str, tuple[float, float]]:
    """Hemisphere with an 18-degree hole, radius 10, t 0.04, n x n cells on a quarter, opposite unit loads."""
    cells = n // 2 if kind in _CURVED else n

    def place(step):
        around, up = np.pi / 2 * step[:, 0] / cells, np.radians(72.0) * step[:, 1] / cells
        return 10.0 * np.column_stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])

    grid = mesh(kind, (cells, cells), place)
    block = elements(grid, 6.825e7, 0.3, 0.04)
    fixed = np.zeros((len(grid.xyz), 6), dtype=bool)
    fixed[np.ix_(grid.on(0, 0), [1, 3, 5])] = True
    fixed[np.ix_(grid.on(0, cells), [0, 4, 5])] = True
    a, b = grid.at(0, 0), grid.at(cells, 0)
    fixed[a, 2] = True
    force = np.zeros((len(grid.xyz), 6))
    force[a, 0], force[b, 1] = 1.0, -1.0
    return {"radial loads": (0.0940, solve(block, fixed, force)[a, 0])}


def plate(kind: str, length: float, clamped: bool, n: int = 8) -> dict[str, tuple[float, float]]:
    """Plate 2 x 2·length, t 0.0001, n x n cells on a quarter; deflection of the centre."""
    cells = n // 2 if kind in _CURVED else n
    grid = mesh(
        kind, (cells, cells), lambda s: np.column_stack([s[:, 0], s[:, 1] * length, 0 * s[:, 0]]) / cells
    )
    block = elements(grid, 1.7472e7, 0.3, 1e-4)
    fixed = np.zeros((len(grid.xyz), 6), dtype=bool)
    fixed[:, [0, 1, 5]] = True
    fixed[grid.on(0, 0), 4] = True
    fixed[grid.on(1, 0), 3] = True
    edges = [2, 3, 4] if clamped else [2]
    fixed[np.ix_(np.concatenate([grid.on(0, cells), grid.on(1, cells)]), edges)] = True
    if not clamped:
        fixed[grid.on(0, cells), 3] = True
        fixed[grid.on(1, cells), 4] = True
    theory = {
        (1.0, False): (4.062, 11.60),
        (5.0, False): (12.97, 16.96),
        (1.0, True): (1.26, 5.60),
        (5.0, True): (2.56, 7.23),
    }[length, clamped]
    uniform = solve(block, fixed, np.outer(1e-4 * pressure(block), np.eye(6)[2]))
    force = np.zeros((len(grid.xyz), 6))
    centre = grid.at(0, 0)
    force[centre, 2] = 4e-4 / 4
    point = solve(block, fixed, force)
    return {"pressure": (theory[0], uniform[centre, 2]), "point load": (theory[1], point[centre, 2])}


_CASES = {
    **ratios.beam_cases(straight_beam, curved_beam, twisted_beam),
    "Scordelis-Lo roof": roof,
    "hemisphere with hole": hemisphere,
    "square plate, simple supports": lambda kind: plate(kind, 1.0, False),
    "square plate, clamped": lambda kind: plate(kind, 1.0, True),
    "plate 1:5, simple supports": lambda kind: plate(kind, 5.0, False),
    "plate 1:5, clamped": lambda kind: plate(kind, 5.0, True),
}


_BEAM = ratios.BEAM_LOADS


def _by_kind(quad4, tria3, quad8, tria6, loads=_BEAM) -> dict[str, dict[str, float]]:
    """Published ratios by element and load."""
    values = zip(("QUAD4", "TRIA3", "QUAD8", "TRIA6"), (quad4, tria3, quad8, tria6))
    return {kind: dict(zip(loads, row)) for kind, row in values}


_PUBLISHED = {
    "straight beam, regular": _by_kind(
        (1.0, 0.992, 0.981, 0.941),
        (1.0, 0.032, 0.973, 1.072),
        (1.006, 1.0, 1.016, 0.953),
        (1.006, 0.994, 1.001, 0.95),
    ),
    "straight beam, trapezoid": _by_kind(
        (1.0, 0.173, 0.964, 0.869),
        (1.0, 0.019, 0.965, 1.175),
        (1.005, 0.981, 1.015, 0.95),
        (1.006, 0.972, 0.999, 0.947),
    ),
    "straight beam, parallelogram": _by_kind(
        (1.0, 0.712, 0.981, 0.905),
        (1.0, 0.012, 0.955, 0.931),
        (1.008, 0.999, 1.015, 0.937),
        (1.005, 0.962, 0.995, 0.982),
    ),
    "curved beam": _by_kind((0.952, 0.955), (0.025, 0.950), (1.015, 0.984), (1.005, 0.961), _BEAM[1:3]),
    "twisted beam": _by_kind((0.992, 0.988), (0.984, 0.839), (1.062, 1.014), (1.215, 1.161), _BEAM[1:3]),
    "Scordelis-Lo roof": _by_kind((1.020,), (0.886,), (1.116,), (1.063,), ("own weight",)),
}
# largest departure of the ratio from 1 for elements that are fit for the problem; else the grade for each load
# QUAD8 and TRIA6 follow Nastran's runs, which show no stiffness of drilling: twist of the regular beam with QUAD8 is
# 0.950 of theory, and the twisted beam with TRIA6 1.04 (0.953 and 0.997 before)
_LIMITS: dict[str, dict[str, float | str]] = {
    "straight beam, regular": {
        **{"QUAD4": 0.05, "QUAD8": 0.06, "TRIA6": 0.06},
        **{"TRIA3": "AFBC", "QUADR": "ABAB", "TRIAR": "AFBC"},
    },
    "straight beam, trapezoid": {
        **{"QUAD8": 0.05, "TRIA6": 0.06},
        **{"QUAD4": "AFAB", "TRIA3": "AFBF", "QUADR": "ADAB", "TRIAR": "AFBF"},
    },
    "straight beam, parallelogram": {
        **{"QUAD8": 0.05, "TRIA6": 0.06},
        **{"QUAD4": "ADAB", "TRIA3": "AFBB", "QUADR": "ACAB", "TRIAR": "AFBB"},
    },
    "curved beam": {
        **{"QUAD8": 0.06, "TRIA6": 0.06},
        **{"QUAD4": "CB", "TRIA3": "FA", "QUADR": "BB", "TRIAR": "FA"},
    },
    "twisted beam": {
        **{"QUAD4": 0.02, "QUADR": 0.02, "QUAD8": 0.01, "TRIA6": 0.05},
        **{"TRIA3": "BC", "TRIAR": "BB"},
    },
    "Scordelis-Lo roof": {
        **{"QUAD4": 0.02, "QUADR": 0.02, "QUAD8": 0.02, "TRIA6": 0.02},
        **{"TRIA3": "C", "TRIAR": "B"},
    },
    "hemisphere with hole": {
        **{"QUAD4": 0.02, "TRIA3": 0.02, "QUAD8": 0.12, "TRIA6": 0.12},
        **{"QUADR": "D", "TRIAR": "F"},
    },
    "square plate, simple supports": {
        **{"QUAD4": 0.02, "TRIA3": 0.02, "QUAD8": 0.02, "TRIA6": 0.03},
        **{"QUADR": "AA", "TRIAR": "AA"},
    },
    "square plate, clamped": {
        **{"QUAD4": 0.03, "TRIA3": 0.03, "QUAD8": 0.02, "TRIA6": 0.02},
        **{"QUADR": "BA", "TRIAR": "AA"},
    },
    "plate 1:5, simple supports": {
        **{"QUAD4": 0.02, "TRIA3": 0.02},
        **{"QUADR": "AA", "TRIAR": "AA", "QUAD8": "AC", "TRIA6": "AC"},
    },
    "plate 1:5, clamped": {
        **{"QUAD4": 0.03, "TRIA3": 0.05},
        **{"QUADR": "AA", "TRIAR": "BA", "QUAD8": "BD", "TRIA6": "BD"},
    },
}


def study() -> Study:
    """The table as a study."""
    weak = "elements are meant to show weaknesses: flat triangles and trapezoids are stiff in their plane"
    about = ("kind of element and mesh", weak)
    return ratios.study_of("shells", about, _CASES, _FAMILIES, _PUBLISHED, _LIMITS)


if __name__ == "__main__":
    print(study().markdown())
