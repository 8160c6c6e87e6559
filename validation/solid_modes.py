"""Second-order tetrahedra: frequencies of a block and of a plate, refined, with lumped and with coupled mass.

The block has faces that slide, u·n = 0 without shear: plane waves of elasticity fit it exactly, shear waves among them
with f = (c_s / 2) √((l/a)² + (m/b)² + (n/c)²), c_s = √(G/ρ), and pressure waves with c_p. The plate is simply
supported, a tenth as thick as long, in three dimensions: Srinivas, Joga Rao and Rao, J. Sound Vib. 12 (1970), 187.

    python -m validation solid_modes
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from interstage.fem.elements.solid_common import SolidBlock
from interstage.linalg.eigen import eigenmodes
from validation.macneal_harder_solids import Mesh, mesh
from validation.study import Row, Study

E, NU, RHO = 1.0, 0.3, 1.0
G = E / 2 / (1 + NU)
BLOCK = (1.0, 1.3, 1.7)
THICKNESS = 0.1
PLATE = {"(1,1)": 0.0931, "(1,2)": 0.2226, "(2,2)": 0.3421}  # ω h √(ρ/G), ν = 0.3, h/a = 0.1


def frequencies(grid: Mesh, held: np.ndarray, coupled: bool, count: int) -> np.ndarray:
    """Lowest frequencies, rad per unit time, of a mesh with `held` (n, 3) dofs."""
    C = np.diag([2 * G] * 3 + [G] * 3)
    C[:3, :3] += E * NU / (1 + NU) / (1 - 2 * NU)
    n = len(grid.nodes)
    block = SolidBlock(
        grid.shape,
        np.arange(1, n + 1),
        grid.nodes,
        np.ascontiguousarray(grid.xyz[grid.nodes]),
        np.repeat(C[None], n, axis=0),
        np.full(n, RHO),
    )
    dof = (3 * grid.nodes[:, :, None] + np.arange(3)).reshape(n, -1)
    i, j = np.repeat(dof, dof.shape[1], axis=1).ravel(), np.tile(dof, dof.shape[1]).ravel()
    free = np.flatnonzero(~held.ravel())
    K, M = (
        sp.csc_matrix((part.ravel(), (i, j)), shape=(3 * len(grid.xyz),) * 2).tocsr()[free][:, free]
        for part in (block.stiffness(slice(0, n)), block.mass(slice(0, n), coupled))
    )
    return 2 * np.pi * eigenmodes(K, M, count).frequencies_hz


def sliding_block(n: int, coupled: bool) -> np.ndarray:
    """Lowest six frequencies of the block, n bricks along its shortest side, relative to plane waves, less one."""
    grid = mesh("TETRA10", (n, n, n), lambda step: step * np.array(BLOCK) / n)
    held = np.zeros(grid.xyz.shape, dtype=bool)
    for axis in range(3):
        held[np.concatenate([grid.on(axis, 0), grid.on(axis, n)]), axis] = True
    wanted = []
    waves = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    for wave in waves[1:]:
        k = np.pi * np.linalg.norm(wave / np.array(BLOCK))
        # one shear wave with two indices, two with three; none along one axis
        shear = max(np.count_nonzero(wave) - 1, 0)
        wanted += [k * np.sqrt(G / RHO)] * shear
        wanted.append(k * np.sqrt(E * (1 - NU) / (1 + NU) / (1 - 2 * NU) / RHO))
    wanted = np.sort(wanted)[:6]
    return frequencies(grid, held, coupled, 6) / wanted - 1.0


def supported_plate(n: int, coupled: bool) -> np.ndarray:
    """Frequencies (1,1), (1,2), (2,2) of the plate, n x n bricks and two through the thickness, less one."""
    grid = mesh("TETRA10", (n, n, 2), lambda step: step * np.array([1 / n, 1 / n, THICKNESS / 2]))
    held = np.zeros(grid.xyz.shape, dtype=bool)
    for axis in (0, 1):
        edge = np.concatenate([grid.on(axis, 0), grid.on(axis, n)])
        held[edge, 1 - axis] = held[edge, 2] = True
    # the plane modes of the plate come between: take bending by its order, (1,2) and (2,1) are the second and third
    found = frequencies(grid, held, coupled, 8) * THICKNESS * np.sqrt(RHO / G)
    wanted = np.array(list(PLATE.values()))
    nearest = np.array([found[np.argmin(np.abs(found / one - 1.0))] for one in wanted])
    return nearest / wanted - 1.0


# case: function, refinements, largest error allowed on each mesh with lumped and with coupled mass
CASES: dict[str, tuple[Callable[[int, bool], np.ndarray], tuple[int, ...], tuple[tuple[float, ...], ...]]] = {
    "sliding block": (sliding_block, (2, 3, 4), ((0.1, 0.05, 0.03), (0.06, 0.02, 0.01))),
    "supported plate": (supported_plate, (4, 6, 8), ((0.1, 0.05, 0.03), (0.1, 0.06, 0.03))),
}
COARSE = "error of the mesh as seen, with a third of room; coarse ones are to show how it falls"
# order of the error in the size of elements that theory gives, and how far from it two meshes this coarse may be
ORDERS = {False: (2.0, 0.3), True: (4.0, 1.0)}


def study() -> Study:
    """The table as a study."""
    rows = []
    for name, (case, meshes, limits) in CASES.items():
        for coupled in (False, True):
            kind = "coupled" if coupled else "lumped (HRZ)"
            found = []
            for n, limit in zip(meshes, limits[int(coupled)]):
                error = case(n, coupled)
                worst = float(np.abs(error).max())
                signed = f"{error.min():+.2%} to {error.max():+.2%}"
                rows.append(
                    Row(
                        name,
                        f"{kind} mass, {n} bricks a side",
                        "exact",
                        signed,
                        worst,
                        limit,
                        "",
                        COARSE,
                        True,
                    )
                )
                found.append(worst)
            if case is sliding_block:
                order = float(np.log(found[-2] / found[-1]) / np.log(meshes[-1] / meshes[-2]))
                wanted, room = ORDERS[coupled]
                label = f"{kind} mass, order of the error"
                rows.append(Row(name, label, f"{wanted:g}", f"{order:.2f}", abs(order - wanted), room))
    about = (
        "Each brick is cut into six CTETRA of ten nodes. Lumped mass is the diagonal of the coupled one, scaled to the "
        "whole mass of the element (HRZ); coupled mass is integrated exactly. Lumped mass costs two orders: coupled "
        "mass is the better choice for second-order tetrahedra."
    )
    return Study("solid_modes", "Frequencies of second-order tetrahedra", about, rows)


if __name__ == "__main__":
    print(study().markdown())
