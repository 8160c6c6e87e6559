"""Solid elements on the problems of MacNeal and Harder (1985): beams, thick cylinder, plate, roof.

Each case is meshed with bricks as in the paper; wedges and tetrahedra are the same bricks cut in two and in
six. `published` is what a commercial code reports for the same element and mesh: HEX8 and HEX20 of Altair
OptiStruct's verification manual (OS-V:0700, 0710, 0720).

    python -m validation macneal_harder_solids
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from interstage.fem.elements.hexa import HEXA8, HEXA20, hexa8_stiffness
from interstage.fem.elements.penta import PENTA6, penta6_stiffness
from interstage.fem.elements.solid_common import SolidShape, shape_stiffness
from interstage.fem.elements.tetra import TETRA10
from interstage.fem.loads import face_loads
from validation import ratios
from validation.study import Study

_CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
_CUTS = {
    "HEXA8": (HEXA8, ((0, 1, 2, 3, 4, 5, 6, 7),)),
    "HEXA20": (HEXA20, ((0, 1, 2, 3, 4, 5, 6, 7),)),
    "PENTA6": (PENTA6, ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))),
    "TETRA10": (
        TETRA10,
        ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)),
    ),
}
_SPECIAL = {"HEXA8": hexa8_stiffness, "PENTA6": penta6_stiffness}


@dataclass
class Mesh:
    """A block of nx x ny x nz bricks, cut into elements of one kind.

    `step` (n, 3) are the lattice positions of the nodes (in bricks), `xyz` their coordinates, `nodes` the
    elements.
    """

    kind: str
    shape: SolidShape
    step: np.ndarray
    xyz: np.ndarray
    nodes: np.ndarray

    def on(self, axis: int, value: float) -> np.ndarray:
        """Nodes of the lattice plane axis = value."""
        return np.flatnonzero(self.step[:, axis] == value)

    def traction(self, axis: int, value: float, direction: Callable) -> np.ndarray:
        """Consistent forces (n, 3) of a traction `direction(points)` on the lattice plane axis = value."""
        force = np.zeros_like(self.xyz)
        corner_count = self.shape.n_corner
        pairs = {frozenset(pair): corner_count + k for k, pair in enumerate(self.shape.edges)}
        for element in self.nodes:
            for face in self.shape.faces:
                if (self.step[element[list(face)], axis] != value).any():
                    continue
                local = list(face)
                if pairs:
                    local += [pairs[frozenset(pair)] for pair in zip(face, face[1:] + face[:1])]
                rows = element[local]
                middle = np.full(len(face), bool(pairs))
                load = face_loads(self.xyz[rows][None], np.ones((1, len(face))), middle, direction)
                force[rows] += load[0]
        return force


def mesh(kind: str, counts: tuple[int, int, int], place: Callable, straight: bool = False) -> Mesh:
    """Cut a lattice of bricks into elements; `place` maps lattice positions (n, 3) to coordinates.

    With `straight` mid-edge nodes lie halfway between the ends of their edge, else where `place` puts them.
    """
    shape, cuts = _CUTS[kind]
    index: dict[tuple, int] = {}
    ends: list[tuple[int, int]] = []
    rows = []
    for brick in np.ndindex(*counts):
        for cut in cuts:
            corners = [tuple(2 * (np.array(brick) + _CUBE[k])) for k in cut]
            row = [index.setdefault(key, len(index)) for key in corners]
            for a, b in shape.edges:
                key = tuple((np.array(corners[a]) + corners[b]) // 2)
                if key not in index:
                    index[key] = len(index)
                    ends.append((index[key], row[a], row[b]))
                row.append(index[key])
            rows.append(row)
    step, xyz = ratios.placed(index, place, straight, ends)
    return Mesh(kind, shape, step, xyz, np.array(rows))


def solve(mesh: Mesh, E: float, nu: float, fixed: np.ndarray, force: np.ndarray, frames=None) -> np.ndarray:
    """Displacements (n, 3) for `fixed` (n, 3) bool and forces (n, 3), all in axes `frames` where given."""
    mu = E / 2 / (1 + nu)
    C = np.diag([2 * mu] * 3 + [mu] * 3)
    C[:3, :3] += E * nu / (1 + nu) / (1 - 2 * nu)
    xyz = np.ascontiguousarray(mesh.xyz[mesh.nodes])
    moduli = np.repeat(C[None], len(xyz), axis=0)
    if mesh.kind in _SPECIAL:
        K = _SPECIAL[mesh.kind](xyz, moduli)
    else:
        K = shape_stiffness(mesh.shape, (True,) * mesh.shape.n_nodes, xyz, moduli)
    dof = (3 * mesh.nodes[:, :, None] + np.arange(3)).reshape(len(xyz), -1)
    i, j = np.repeat(dof, dof.shape[1], axis=1).ravel(), np.tile(dof, dof.shape[1]).ravel()
    n = 3 * len(mesh.xyz)
    A = sp.csc_matrix((K.ravel(), (i, j)), shape=(n, n))
    if frames is not None:
        T = sp.block_diag(list(frames), format="csc")
        A = (T.T @ A @ T).tocsc()
    free = np.flatnonzero(~fixed.ravel())
    u = np.zeros(n)
    u[free] = spsolve(A[free][:, free], force.ravel()[free])
    return u.reshape(-1, 3)


def constant(vector) -> Callable:
    """A uniform traction."""
    return lambda points: np.broadcast_to(np.asarray(vector, dtype=float), points.shape)


def straight_beam(kind: str, form: str) -> dict[str, tuple[float, float]]:
    """Cantilever 6 x 0.2 x 0.1, six bricks (regular, trapezoid, parallelogram): {load: (theory, ours)}."""

    def place(step):
        x, y, z = step.T
        slope = {"regular": 0.0, "trapezoid": np.where(x % 2 == 1, 1.0, -1.0), "parallelogram": 1.0}
        shift = slope[form] * np.where((x == 0) | (x == 6), 0.0, 1.0) * (y - 0.5) * 0.2
        return np.column_stack([x + shift, 0.2 * y - 0.1, 0.1 * z - 0.05])

    grid = mesh(kind, (6, 1, 1), place, straight=True)
    fixed = np.zeros(grid.xyz.shape, dtype=bool)
    fixed[grid.on(0, 0)] = True
    tip = grid.on(0, 6)
    area = 0.02
    polar = 0.1 * 0.2**3 / 12 + 0.2 * 0.1**3 / 12
    twist = lambda p: np.column_stack([0 * p[:, 0], -p[:, 2], p[:, 1]]) / polar  # noqa: E731
    loads = {
        "extension": (3e-5, constant([1 / area, 0, 0]), lambda u: u[tip, 0].mean()),
        "in-plane shear": (0.1081, constant([0, 1 / area, 0]), lambda u: u[tip, 1].mean()),
        "out-of-plane shear": (0.4321, constant([0, 0, 1 / area]), lambda u: u[tip, 2].mean()),
        "twist": (0.03208, twist, lambda u: np.polyfit(grid.xyz[tip, 1], u[tip, 2], 1)[0]),
    }
    out = {}
    for name, (theory, traction, measure) in loads.items():
        u = solve(grid, 1e7, 0.3, fixed, grid.traction(0, 6, traction))
        out[name] = (theory, measure(u))
    return out


def curved_beam(kind: str) -> dict[str, tuple[float, float]]:
    """Quarter circle 4.12 < r < 4.32, 0.1 thick, six bricks, unit load at the tip."""

    def place(step):
        angle, r = np.pi / 2 * (1 - step[:, 0] / 6), 4.12 + 0.2 * step[:, 1]
        return np.column_stack([r * np.cos(angle), r * np.sin(angle), 0.1 * step[:, 2]])

    grid = mesh(kind, (6, 1, 1), place)
    fixed = np.zeros(grid.xyz.shape, dtype=bool)
    fixed[grid.on(0, 0)] = True
    tip, out = grid.on(0, 6), {}
    for name, theory, axis in (("in-plane shear", 0.08734, 0), ("out-of-plane shear", 0.5022, 2)):
        u = solve(grid, 1e7, 0.25, fixed, grid.traction(0, 6, constant(np.eye(3)[axis] / 0.02)))
        out[name] = (theory, u[tip, axis].mean())
    return out


def twisted_beam(kind: str) -> dict[str, tuple[float, float]]:
    """Cantilever 12 x 1.1 x 0.32 twisted by 90 degrees, 12 x 2 bricks, unit load at the tip."""

    def place(step):
        angle, a, b = np.pi / 2 * step[:, 0] / 12, 1.1 * (step[:, 1] / 2 - 0.5), 0.32 * (step[:, 2] - 0.5)
        c, s = np.cos(angle), np.sin(angle)
        return np.column_stack([step[:, 0], a * c - b * s, a * s + b * c])

    grid = mesh(kind, (12, 2, 1), place)
    fixed = np.zeros(grid.xyz.shape, dtype=bool)
    fixed[grid.on(0, 0)] = True
    tip, out = grid.on(0, 12), {}
    # the width of the tip lies along z
    for name, theory, axis in (("in-plane shear", 0.005424, 2), ("out-of-plane shear", 0.001754, 1)):
        u = solve(grid, 29e6, 0.22, fixed, grid.traction(0, 12, constant(np.eye(3)[axis] / (1.1 * 0.32))))
        out[name] = (theory, u[tip, axis].mean())
    return out


def cylinder(kind: str) -> dict[str, tuple[float, float]]:
    """Thick-walled cylinder 3 < r < 9 in plane strain, a wedge of 10 degrees, pressure 1 inside."""
    radii = np.array([3.0, 3.5, 4.2, 5.2, 6.75, 9.0])

    def place(step):
        r = np.interp(step[:, 0], np.arange(6), radii)
        angle = np.radians(10.0) * step[:, 1]
        return np.column_stack([r * np.cos(angle), r * np.sin(angle), step[:, 2]])

    grid = mesh(kind, (5, 1, 1), place)
    angle = np.arctan2(grid.xyz[:, 1], grid.xyz[:, 0])
    c, s, zero = np.cos(angle), np.sin(angle), 0 * angle
    frames = np.array([[c, -s, zero], [s, c, zero], [zero, zero, zero + 1]]).transpose(2, 0, 1)
    fixed = np.zeros(grid.xyz.shape, dtype=bool)
    fixed[:, 2] = True
    fixed[np.concatenate([grid.on(1, 0), grid.on(1, 1)]), 1] = True
    outward = lambda p: p * [1, 1, 0] / np.hypot(p[:, 0], p[:, 1])[:, None]  # noqa: E731
    force = np.einsum("nij,ni->nj", frames, grid.traction(0, 0, outward))
    out, inside = {}, grid.on(0, 0)
    for nu in (0.49, 0.499, 0.4999):
        theory = (1 + nu) * 9.0 / (1000.0 * 72.0) * (81.0 / 3.0 + (1 - 2 * nu) * 3.0)
        u = solve(grid, 1000.0, nu, fixed, force, frames)
        out[f"nu = {nu}"] = (theory, u[inside, 0].mean())
    return out


def plate(kind: str) -> dict[str, tuple[float, float]]:
    """Plate 2 x 2 x 0.01 under uniform pressure, 8 x 8 bricks on a quarter; deflection of the centre."""
    grid = mesh(kind, (8, 8, 1), lambda s: s * [1 / 8, 1 / 8, 0.01])
    force = grid.traction(2, 1, constant([0, 0, 1e-4]))
    out = {}
    for name, theory in (("simply supported", 4.062e-6), ("clamped", 1.26e-6)):
        fixed = np.zeros(grid.xyz.shape, dtype=bool)
        for axis in (0, 1):
            fixed[grid.on(axis, 0), axis] = True  # symmetry
            fixed[grid.on(axis, 8), 2] = True
            if name == "clamped":
                fixed[grid.on(axis, 8)] = True
        u = solve(grid, 1.7472e7, 0.3, fixed, force)
        centre = (grid.step[:, 0] == 0) & (grid.step[:, 1] == 0)
        out[name] = (theory, u[centre, 2].mean())
    return out


def roof(kind: str) -> dict[str, tuple[float, float]]:
    """Scordelis-Lo roof, 8 x 8 bricks on a quarter: vertical deflection in the middle of the free edge."""

    def place(step):
        angle, r = np.radians(40.0) * step[:, 1] / 8, 24.875 + 0.25 * step[:, 2]
        return np.column_stack([25.0 * step[:, 0] / 8, r * np.sin(angle), r * np.cos(angle)])

    grid = mesh(kind, (8, 8, 1), place)
    fixed = np.zeros(grid.xyz.shape, dtype=bool)
    fixed[grid.on(0, 0), 0] = True
    fixed[grid.on(1, 0), 1] = True
    fixed[np.ix_(grid.on(0, 8), [1, 2])] = True  # diaphragm
    load = constant([0, 0, -45.0])
    u = solve(grid, 4.32e8, 0.0, fixed, grid.traction(2, 0, load) + grid.traction(2, 1, load))
    edge = (grid.step[:, 0] == 0) & (grid.step[:, 1] == 8)
    return {"own weight": (0.3024, -u[edge, 2].mean())}


_CASES = {
    **ratios.beam_cases(straight_beam, curved_beam, twisted_beam),
    "thick cylinder": cylinder,
    "square plate": plate,
    "Scordelis-Lo roof": roof,
}
_BEAM = ratios.BEAM_LOADS


def _bricks(linear: tuple[float, ...], quadratic: tuple[float, ...], loads=_BEAM) -> dict:
    return {"HEXA8": dict(zip(loads, linear)), "HEXA20": dict(zip(loads, quadratic))}


_PUBLISHED = {
    "straight beam, regular": _bricks((0.988, 0.978, 0.973, 0.892), (1.008, 0.992, 0.992, 0.905)),
    "straight beam, trapezoid": _bricks((1.010, 0.047, 0.030, 0.563), (1.008, 0.902, 0.950, 0.905)),
    "straight beam, parallelogram": _bricks((1.012, 0.624, 0.529, 0.820), (1.008, 0.976, 0.977, 0.905)),
    "curved beam": _bricks((0.880, 0.820), (1.009, 0.946), _BEAM[1:3]),
    "twisted beam": _bricks((0.986, 1.005), (1.017, 1.052), _BEAM[1:3]),
}
# largest departure of the ratio from 1 for elements that are fit for the problem; else the grade for each load
_LIMITS: dict[str, dict[str, float | str]] = {
    "straight beam, regular": {"HEXA8": 0.1, "HEXA20": 0.1, "TETRA10": 0.12, "PENTA6": "AFBD"},
    "straight beam, trapezoid": {"HEXA8": "AFFB", "HEXA20": "ACBB", "PENTA6": "AFBD", "TETRA10": "ABBC"},
    "straight beam, parallelogram": {"HEXA8": "ADDB", "HEXA20": "ABBB", "PENTA6": "AFBD", "TETRA10": "ABBC"},
    "curved beam": {"HEXA8": "CC", "HEXA20": "CB", "PENTA6": "FC", "TETRA10": "BC"},
    "twisted beam": {"HEXA8": 0.02, "HEXA20": 0.02, "TETRA10": 0.02, "PENTA6": "BC"},
    "thick cylinder": {"HEXA8": 0.02, "TETRA10": 0.02, "HEXA20": "AAC", "PENTA6": "CCC"},
    "square plate": {"HEXA8": 0.01, "HEXA20": 0.03, "PENTA6": "BC", "TETRA10": "BC"},
    "Scordelis-Lo roof": {"HEXA8": 0.02, "HEXA20": 0.02, "PENTA6": "D", "TETRA10": "B"},
}


def study() -> Study:
    """The table as a study."""
    about = ("brick and mesh", "bricks are meant to show weaknesses")
    return ratios.study_of("solids", about, _CASES, _CUTS, _PUBLISHED, _LIMITS)


if __name__ == "__main__":
    print(study().markdown())
