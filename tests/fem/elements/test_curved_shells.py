"""CQUAD8 and CTRIA6: patch tests, rigid motions, missing mid-side nodes, a thin plate, mass."""

import numpy as np
import pytest
import shell_patches as patches

from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad8 import Quad8Block
from interstage.fem.elements.tria3 import Tria3Block
from interstage.fem.elements.tria6 import Tria6Block

ALL = slice(None)
FAMILIES = [Quad8Block, Tria6Block]


def curved_element(family, seed=2):
    """One element with random corners and curved sides."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0, 0], [1, 0.1, 0], [1.2, 0.9, 0], [-0.1, 1.1, 0]])[: family.corners]
    x, cells = patches.with_midsides(
        corners + 0.1 * rng.normal(size=corners.shape), [np.arange(family.corners)]
    )
    x[family.corners :] += 0.03 * rng.normal(size=(family.corners, 3))
    return x, cells


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("field", [patches.linear_field, patches.curvature_field])
@pytest.mark.parametrize("t", [0.001, 0.05])
def test_patch(family, field, t):
    """Constant strain and curvature are exact with straight sides."""
    assert patches.patch_error_of(family, field, t) < 1e-6


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_rigid_motions_and_rotations_about_normals_and_no_other(family, offset):
    x, cells = curved_element(family)
    K = family("S", [1], cells, x, patches.isotropic(t=0.05), [0], offset=np.array([offset])).stiffness(ALL)[
        0
    ]
    values = np.linalg.eigvalsh(K)
    assert np.abs(K @ patches.rigid_motions(x)).max() < 1e-12 * np.abs(K).max()
    # beside six rigid motions those about the normals at the nodes
    free = 6 + 2 * family.corners
    assert values[free - 1] < 1e-12 * values[-1] and values[free] > 1e-9 * values[-1]
    np.testing.assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_missing_midside_node_leaves_the_side_straight(family):
    """A missing node means: its motion is the mean of its corners (kinematics), its rows are empty."""
    x, cells = curved_element(family)
    c = family.corners
    x[c] = 0.5 * (x[0] + x[1])
    cells[0, c] = -1
    K = family("S", [1], cells, x, patches.isotropic(t=0.05), [0]).stiffness(ALL)[0]
    rows = 6 * c + np.arange(6)
    assert not np.any(K[rows]) and not np.any(K[:, rows])
    present = np.setdiff1d(np.arange(len(K)), rows)
    rigid = patches.rigid_motions(x)[present]
    assert np.abs(K[np.ix_(present, present)] @ rigid).max() < 1e-13 * np.abs(K).max()
    free = 6 + 2 * c - 1
    values = np.linalg.eigvalsh(K[np.ix_(present, present)])
    assert values[free] > 1e-9 * values[-1] > 1e3 * np.abs(values[free - 1])


@pytest.mark.parametrize(("family", "flat"), [(Quad8Block, Quad4Block), (Tria6Block, Tria3Block)])
def test_without_midside_nodes_it_is_the_flat_element(family, flat):
    x = np.array([[0, 0, 0], [1, 0.1, 0.1], [1.2, 0.9, 0], [-0.1, 1.1, 0.1]])[: family.corners]
    c = family.corners
    cells = np.array([[*range(c), *[-1] * c]])
    block = family("S", [1], cells, x, patches.isotropic(t=0.05), [0])
    same = flat("F", [1], cells[:, :c], x, patches.isotropic(t=0.05), [0])
    np.testing.assert_array_equal(block.stiffness(ALL)[0][: 6 * c, : 6 * c], same.stiffness(ALL)[0])
    np.testing.assert_array_equal(block.mass(ALL, False)[0][: 6 * c, : 6 * c], same.mass(ALL, False)[0])


@pytest.mark.parametrize(("family", "tolerance"), [(Quad8Block, 0.01), (Tria6Block, 0.01)])
def test_thin_clamped_plate_does_not_lock(family, tolerance):
    """Clamped square a = 2, t = 1e-4, uniform load: w = 0.00126 q a⁴/D at the centre (Timoshenko)."""
    n = 4
    x = np.array([[i / n, j / n, 0.0] for i in range(n + 1) for j in range(n + 1)])
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    cells = np.column_stack([first, first + n + 1, first + n + 2, first + 1])
    x, cells = patches.with_midsides(x, cells if family is Quad8Block else patches.triangles(cells))
    E, t = 1.092e7, 1e-4
    block = family(
        "S", np.arange(len(cells)), cells, x, patches.isotropic(E=E, nu=0.3, t=t), np.zeros(len(cells), int)
    )
    K = patches.assemble(block, len(x))
    fixed = np.zeros((len(x), 6), dtype=bool)
    fixed[:, [0, 1, 5]] = True
    fixed[x[:, 0] == 0, 4] = True
    fixed[x[:, 1] == 0, 3] = True
    fixed[(x[:, 0] == 1) | (x[:, 1] == 1)] = True
    area = block.mass(ALL, True)[:, ::6, ::6].sum(axis=2) / t
    force = np.zeros((len(x), 6))
    force[:, 2] = np.bincount(cells.ravel(), area.ravel(), minlength=len(x))
    free = ~fixed.ravel()
    u = np.zeros(6 * len(x))
    u[free] = np.linalg.solve(K[np.ix_(free, free)], force.ravel()[free])
    D = E * t**3 / 12 / (1 - 0.09)
    assert u[2] == pytest.approx(0.00126532 * 16 / D, rel=tolerance)


@pytest.mark.parametrize("family", FAMILIES)
def test_lumped_mass_is_positive_and_complete(family):
    x, cells = curved_element(family)
    block = family("S", [1], cells, x, patches.isotropic(t=0.05, rho=3.0), [0])
    lumped, coupled = block.mass(ALL, False)[0], block.mass(ALL, True)[0]
    assert np.all(np.diag(lumped)[0::6] > 0)
    assert np.trace(lumped) / 3 == pytest.approx(coupled[::6, ::6].sum(), rel=1e-12)
