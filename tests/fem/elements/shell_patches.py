"""Small meshes and a dense solver for the tests of shell elements."""

import numpy as np

from interstage.fem.elements.laminate import Layer, ShellSection, laminate_section, section_table
from interstage.fem.elements.shell_curved import CurvedShellBlock

# MacNeal and Harder, Finite Elements in Analysis and Design 1 (1985) 3-20, figure 4
PATCH_XY = np.array(
    [[0, 0], [0.24, 0], [0.24, 0.12], [0, 0.12], [0.04, 0.02], [0.18, 0.03], [0.16, 0.08], [0.08, 0.08]]
)
PATCH_QUADS = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])


def isotropic(E=1e6, nu=0.25, t=0.001, rho=1.0, factor=5 / 6):
    """Sections with one isotropic plate."""
    Q = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    G = E / 2 / (1 + nu)
    return section_table(
        [
            ShellSection(
                A=Q * t,
                D=Q * t**3 / 12,
                shear=factor * G * t * np.eye(2),
                mass=rho * t,
                thickness=t,
                isotropic=True,
            )
        ]
    )


def triangles(quads):
    """Two triangles for each quadrilateral."""
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def with_midsides(xyz, cells):
    """Add a node at the middle of every side: new positions and cells (n, 2·corners)."""
    xyz, found, rows = list(map(np.asarray, xyz)), {}, []
    for cell in cells:
        middle = []
        for a, b in zip(cell, np.roll(cell, -1)):
            key = (min(a, b), max(a, b))
            if key not in found:
                found[key] = len(xyz)
                xyz.append(0.5 * (xyz[a] + xyz[b]))
            middle.append(found[key])
        rows.append([*cell, *middle])
    return np.array(xyz), np.array(rows)


def rotation(seed=3):
    """A random proper rotation."""
    R, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return R * np.sign(np.linalg.det(R))


def rigid_motions(x):
    """Six rigid-body motions (6n, 6) of points x (n, 3)."""
    R = np.zeros((6 * len(x), 6))
    for i, p in enumerate(x):
        R[6 * i : 6 * i + 3, :3] = R[6 * i + 3 : 6 * i + 6, 3:] = np.eye(3)
        R[6 * i : 6 * i + 3, 3:] = np.array([[0, p[2], -p[1]], [-p[2], 0, p[0]], [p[1], -p[0], 0]])
    return R


def assemble(block, n_grids):
    """Dense stiffness (6n, 6n) of a block."""
    K = np.zeros((6 * n_grids, 6 * n_grids))
    for nodes, k in zip(block.nodes, block.stiffness(slice(None))):
        dof = (6 * nodes[:, None] + np.arange(6)).ravel()
        K[np.ix_(dof, dof)] += k
    return K


def linear_field(x):
    """Constant membrane strain on points x (n,3) in the plane z = 0: displacements (n, 6)."""
    u = np.zeros((len(x), 6))
    u[:, 0] = 1e-3 * (x[:, 0] + 0.5 * x[:, 1])
    u[:, 1] = 1e-3 * (x[:, 1] + 0.9 * x[:, 0])
    u[:, 5] = 0.5 * 1e-3 * (0.9 - 0.5)
    return u


def curvature_field(x):
    """Constant curvature w = (x² + xy + y²)/2 on points in the plane z = 0, rotations w,y and −w,x."""
    u = np.zeros((len(x), 6))
    u[:, 2] = 1e-3 * (x[:, 0] ** 2 + x[:, 0] * x[:, 1] + x[:, 1] ** 2) / 2
    u[:, 3] = 1e-3 * (x[:, 0] / 2 + x[:, 1])
    u[:, 4] = -1e-3 * (x[:, 0] + x[:, 1] / 2)
    return u


def patch_error(make_block, x, field, R=None):
    """Largest error of the inner nodes, relative to the field, when the rim follows it exactly.

    make_block : function of positions; x (n,3) flat patch 0.24 by 0.12; R turns the whole problem.
    """
    R = np.eye(3) if R is None else R
    u = field(x)
    u = np.concatenate([u[:, :3] @ R.T, u[:, 3:] @ R.T], axis=1)
    block = make_block(x @ R.T)
    K = assemble(block, len(x))
    drill = np.zeros_like(K)
    if isinstance(
        block, CurvedShellBlock
    ):  # rotations about the normal have no stiffness: they follow the field
        for i in range(len(x)):
            at = 6 * i + np.arange(3, 6)
            drill[np.ix_(at, at)] = np.outer(R[:, 2], R[:, 2]) * np.abs(K[np.ix_(at, at)]).max()
    edge = (x[:, 0] < 1e-9) | (x[:, 0] > 0.24 - 1e-9) | (x[:, 1] < 1e-9) | (x[:, 1] > 0.12 - 1e-9)
    known = np.repeat(edge, 6)
    free = ~known
    rhs = (drill @ u.ravel())[free] - K[np.ix_(free, known)] @ u.ravel()[known]
    got = np.linalg.solve((K + drill)[np.ix_(free, free)], rhs)
    return np.abs(got - u.ravel()[free]).max() / np.abs(u).max()


def patch_error_of(family, field, t):
    """Error of the distorted patch in a turned position, made of elements of one family and thickness t."""
    x = np.column_stack([PATCH_XY, np.zeros(8)])
    cells = PATCH_QUADS if family.corners == 4 else triangles(PATCH_QUADS)
    if issubclass(family, CurvedShellBlock):
        x, cells = with_midsides(x, cells)
    n = len(cells)

    def make(X):
        return family("S", np.arange(n), cells, X, isotropic(t=t), np.zeros(n, int))

    return patch_error(make, x, field, rotation())


def rigid_motion_check(K, x, least):
    """Assert that K has the six rigid motions of points x (n, 3) and no other motion without energy."""
    assert np.abs(K @ rigid_motions(x)).max() < 1e-13 * np.abs(K).max()
    values = np.linalg.eigvalsh(K)
    assert values[6] > least * values[-1] > 1e4 * abs(values[5])


def offset_error(one, x):
    """Difference of a plate moved by ZOFFS and a laminate with Z0 moved as much, relative, without drilling.

    one : function of corners, sections and options of a block to the block of one element
    """
    layer = Layer(isotropic(t=1.0).A[0], np.eye(2) * 4e5, 1.0, 0.01)
    plain, moved = (section_table([laminate_section([layer], **z)]) for z in ({}, {"z0": -0.005 + 0.02}))
    K = one(x, plain, offset=np.array([0.02]), k6rot=0.0).stiffness(slice(None))[0]
    other = one(x, moved, k6rot=0.0).stiffness(slice(None))[0]
    return np.abs(K - other).max() / np.abs(K).max()
