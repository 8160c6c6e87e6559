"""CPENTA: the six-node wedge with an assumed transverse shear field, and the 15-node wedge.

Six nodes, in element axes (z from face 1-2-3 to face 4-5-6), 3x2 points:

- εx, εy, εz, γxy are those of the compatible displacements;
- γxz, γyz are constant along ζ: γ = g0 + κ Σ_i (1 − 3 L_i) t_i, with t_i the unit tangent of the mid-plane
  edge opposite corner i, such that t_i·γ equals the compatible strain at the three mid-edges at ζ = 0;
- three internal displacements, u and v with 1 − (r² + s²) and w with 1 − ζ², add to εx, εy, γxy and εz only;
  their gradients are taken with J0 and scaled by j0/j.

(r, s) are the coordinates of an equilateral parent triangle on the unit circle, side 1-2 along r. This
reproduces the CPENTA of Nastran to round-off on prisms. Linear displacements give exact strains on any
shape; but the assumed shear does not keep ∫γ dV, so that nodal forces of constant γxz, γyz are not those
of the compatible element. This shows in Nastran's own matrices too: with a transverse shear stress the
patch test holds only where wedges pair up symmetrically; σx, σy, σz, τxy pass on any prisms.

Fifteen nodes (any mid-edge node may be absent): serendipity functions, 7x3 points, shear strains projected
onto (1, r, s) x (1, ζ). Nastran's own matrix is not known to us.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.solid_common import (
    SolidShape,
    cartesian_gradients,
    element_axes,
    gauss,
    rotate_material,
    rotate_matrix,
    strain_matrix,
    stresses_of_local,
)
from interstage.fem.elements.solid_common_kernels import condense, gradients
from interstage.jit import kernel

_H = np.sqrt(3.0) / 2.0
TRIANGLE = np.array([[-_H, -0.5], [_H, -0.5], [0.0, 1.0]])
_AREA = 3.0 * _H / 2.0
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3))
FACES = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))


def area_coordinates(points: np.ndarray) -> np.ndarray:
    """L_i = 1/3 + 2/3 (r, s)·V_i (p, 3)."""
    return 1.0 / 3.0 + points[:, :2] @ TRIANGLE.T * (2.0 / 3.0)


def linear_functions(points: np.ndarray) -> np.ndarray:
    """Six-node functions (p, 6)."""
    L, z = area_coordinates(points), points[:, 2:]
    return np.concatenate([L * (1.0 - z), L * (1.0 + z)], axis=1) / 2.0


def serendipity_functions(points: np.ndarray) -> np.ndarray:
    """Fifteen-node functions (p, 15)."""
    L, z = area_coordinates(points), points[:, 2:]
    bubble = 1.0 - z**2
    edge = 2.0 * L * np.roll(L, -1, axis=1)
    bottom, top = 1.0 - z, 1.0 + z
    return np.concatenate(
        [
            L * ((2.0 * L - 1.0) * bottom - bubble) / 2.0,
            L * ((2.0 * L - 1.0) * top - bubble) / 2.0,
            edge * bottom,
            L * bubble,
            edge * top,
        ],
        axis=1,
    )


def _wedge_rule(area: np.ndarray, area_weights: np.ndarray, n: int):
    """Points (r, s, ζ) and weights from a triangle rule in area coordinates and n Gauss points along ζ."""
    z, wz = gauss(n)
    rs = np.repeat(area @ TRIANGLE, n, axis=0)
    points = np.column_stack([rs, np.tile(z, len(area))])
    return points, np.outer(area_weights * _AREA, wz).ravel()


def seven_points():
    """Radon's triangle rule of degree 5."""
    root = np.sqrt(15.0)
    rows, weights = [(1 / 3, 1 / 3, 1 / 3)], [9 / 40]
    for a, w in (((6 - root) / 21, (155 - root) / 1200), ((6 + root) / 21, (155 + root) / 1200)):
        rows += [(1 - 2 * a, a, a), (a, 1 - 2 * a, a), (a, a, 1 - 2 * a)]
        weights += [w] * 3
    return np.array(rows), np.array(weights)


def _smooth(points: np.ndarray) -> np.ndarray:
    plane = np.column_stack([np.ones(len(points)), points[:, 0], points[:, 1]])
    return np.concatenate([plane, plane * points[:, 2:]], axis=1)


_THREE = np.full((3, 3), 1.0 / 6.0) + np.eye(3) / 2.0
_POINTS_6 = _wedge_rule(_THREE, np.full(3, 1.0 / 3.0), 2)
_POINTS_21 = _wedge_rule(*seven_points(), 3)
CENTRE = np.concatenate(
    [np.tile(TRIANGLE.T / 3.0, 2), [[-1.0 / 6.0] * 3 + [1.0 / 6.0] * 3]], axis=0
)  # gradients of the six functions at r = s = ζ = 0

_CORNERS = np.column_stack([np.tile(TRIANGLE, (2, 1)), [-1.0] * 3 + [1.0] * 3])
_OUTPUT = {"places": np.concatenate([np.zeros((1, 3)), _CORNERS]), "corner_functions": linear_functions}
PENTA6 = SolidShape("CPENTA", 6, (), linear_functions, *_POINTS_6, *_POINTS_6, CENTRE, FACES, **_OUTPUT)
_SMOOTHED = _OUTPUT | {"smooth": _smooth}
PENTA15 = SolidShape(
    "CPENTA", 6, EDGES, serendipity_functions, *_POINTS_21, *_POINTS_21, CENTRE, FACES, **_SMOOTHED
)

_DN = PENTA6.tables((True,) * 6)[1]
_MIDDLE = (TRIANGLE[[1, 2, 0]] + TRIANGLE[[2, 0, 1]]) / 2.0  # mid-edge opposite each corner
_DN_MIDDLE = SolidShape(
    "", 6, (), linear_functions, np.column_stack([_MIDDLE, np.zeros(3)]), np.ones(3), None, None, CENTRE, ()
).tables((True,) * 6)[1]


@kernel
def _shear_parameters(x, dN_middle, G, tangent, P):
    """Write unit tangents (3, 2) of the mid-plane edges and P (3, 18): rows g0x, g0y, κ of the shear."""
    A = np.empty((3, 3))
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        tx = x[b, 0] + x[b + 3, 0] - x[a, 0] - x[a + 3, 0]
        ty = x[b, 1] + x[b + 3, 1] - x[a, 1] - x[a + 3, 1]
        length = np.sqrt(tx * tx + ty * ty)
        tangent[i, 0], tangent[i, 1] = tx / length, ty / length
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        tx, ty = tangent[i, 0], tangent[i, 1]
        # 1 - 3 L is 1 at the opposite corner's coordinate and -1/2 at the two ends' coordinates
        fx = tangent[i, 0] - 0.5 * (tangent[a, 0] + tangent[b, 0])
        fy = tangent[i, 1] - 0.5 * (tangent[a, 1] + tangent[b, 1])
        A[i, 0], A[i, 1], A[i, 2] = tx, ty, tx * fx + ty * fy
        gradients(x, dN_middle[i], G)
        for n in range(6):
            P[i, 3 * n] = tx * G[2, n]
            P[i, 3 * n + 1] = ty * G[2, n]
            P[i, 3 * n + 2] = tx * G[0, n] + ty * G[1, n]
    P[:] = np.linalg.solve(A, P)


@kernel(forceinline=True)
def _strain_rows(G, P, tangent, centre, r, s, B):
    """Write B (6, 18) at a point: gradients G (3, 6) of the functions, shear from its parameters P (3, 18)."""
    fx = fy = 0.0
    for i in range(3):
        # 1 - 3 L_i = -2 (r, s)·V_i, V_i from the gradients at the centre
        f = -6.0 * (centre[0, i] * r + centre[1, i] * s)
        fx += f * tangent[i, 0]
        fy += f * tangent[i, 1]
    for n in range(6):
        c = 3 * n
        B[0, c] = G[0, n]
        B[1, c + 1] = G[1, n]
        B[2, c + 2] = G[2, n]
        B[3, c] = G[1, n]
        B[3, c + 1] = G[0, n]
    for c in range(18):
        B[4, c] = P[1, c] + fy * P[2, c]
        B[5, c] = P[0, c] + fx * P[2, c]


@kernel(forceinline=True)
def _inner_rows(inverse, r, s, z, B):
    """Write B (6, 3) of the three inner displacements 1 - r² - s², 1 - ζ² at a point, from -2 (r, s, ζ) scaled."""
    gx = r * inverse[0, 0] + s * inverse[1, 0]
    gy = r * inverse[0, 1] + s * inverse[1, 1]
    B[:] = 0.0
    B[0, 0] = gx
    B[3, 0] = gy
    B[1, 1] = gy
    B[3, 1] = gx
    B[2, 2] = z * inverse[2, 2]


@kernel(forceinline=True)
def _add_point(w, C, B, Ba, CB, Ke, Kau, Kaa):
    """Add w BᵀCB of a point to the upper triangle of Ke (18, 18), and the parts of the inner displacements."""
    for i in range(6):
        for c in range(18):
            t = 0.0
            for k in range(6):
                t += C[i, k] * B[k, c]
            CB[i, c] = w * t
    for i in range(6):
        for a in range(18):
            f = B[i, a]
            for c in range(a, 18):
                Ke[a, c] += f * CB[i, c]
        for a in range(3):
            f = Ba[i, a]
            if f != 0.0:
                for c in range(18):
                    Kau[a, c] += f * CB[i, c]
                for k in range(6):
                    for c in range(3):
                        Kaa[a, c] += w * f * C[i, k] * Ba[k, c]


@kernel
def _wedge(xyz, C, dN, dN_middle, points, weights, centre, bubbles, K):
    """Write K (n, 18, 18) of six-node wedges in element axes; xyz and C in element axes too."""
    G, P, tangent = np.empty((3, 6)), np.empty((3, 18)), np.empty((3, 2))
    B, Ba, CB = np.empty((6, 6, 18)), np.empty((6, 3)), np.empty((6, 18))
    w, inverse = np.empty(6), np.empty((3, 3))
    Kaa, Kau = np.empty((3, 3)), np.empty((3, 18))
    for e in range(xyz.shape[0]):
        x, Ke = xyz[e], K[e]
        _shear_parameters(x, dN_middle, G, tangent, P)
        j0 = gradients(x, centre, G)
        for a in range(3):  # dξ_a/dx_i from the corner values of r, s, ζ
            for i in range(3):
                s = 0.0
                for n in range(6):
                    s += (3.0 if a < 2 else 6.0) * centre[a, n] * G[i, n]
                inverse[a, i] = s
        B[:] = 0.0
        for p in range(6):
            w[p] = weights[p] * gradients(x, dN[p], G)
            _strain_rows(G, P, tangent, centre, points[p, 0], points[p, 1], B[p])
        Kaa[:] = 0.0
        Kau[:] = 0.0
        Ke[:] = 0.0
        for p in range(6):
            scale = j0 * weights[p] / w[p]
            r, s, z = -2.0 * points[p, 0] * scale, -2.0 * points[p, 1] * scale, -2.0 * points[p, 2] * scale
            _inner_rows(inverse, r, s, z, Ba)
            _add_point(w[p], C[e], B[p], Ba, CB, Ke, Kau, Kaa)
        for a in range(18):
            for c in range(a):
                Ke[a, c] = Ke[c, a]
        if bubbles:
            condense(Kaa, Kau, Ke)


def penta6_stiffness(xyz: np.ndarray, C: np.ndarray, bubbles: bool = True) -> np.ndarray:
    """Stiffness (n, 18, 18) of six-node wedges xyz (n, 6, 3) with moduli C (n, 6, 6), all in basic axes.

    bubbles : with the internal displacements, Nastran's default; without them PSOLID IN TWO
    """
    R = element_axes(PENTA6, xyz)
    K = np.empty((len(xyz), 18, 18))
    local = np.ascontiguousarray(xyz @ R)
    _wedge(local, rotate_material(C, R.transpose(0, 2, 1)), _DN, _DN_MIDDLE, *_POINTS_6, CENTRE, bubbles, K)
    return rotate_matrix(K, R)


def _assumed_shear(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit tangents (n, 3, 2) of the mid-plane edges and parameters (n, 3, 18) of the shear, element axes."""
    middle = x[:, :3, :2] + x[:, 3:, :2]
    tangent = np.roll(middle, -2, axis=1) - np.roll(middle, -1, axis=1)
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
    around = tangent - 0.5 * (np.roll(tangent, -1, axis=1) + np.roll(tangent, -2, axis=1))
    A = np.concatenate([tangent, np.einsum("eik,eik->ei", tangent, around)[:, :, None]], axis=2)
    B = strain_matrix(cartesian_gradients(x, _DN_MIDDLE)[0])
    edge = tangent[:, :, :1] * B[:, :, 5] + tangent[:, :, 1:] * B[:, :, 4]
    return tangent, np.linalg.solve(A, edge)


def penta6_recovery(xyz: np.ndarray, C: np.ndarray, at: np.ndarray, bubbles: bool = True) -> np.ndarray:
    """Stresses (n, 6 points, 18) of six-node wedges at parent points `at`, assumed strains included."""
    R = element_axes(PENTA6, xyz)
    x = xyz @ R
    tangent, P = _assumed_shear(x)
    inverse = np.linalg.inv(np.einsum("an,eni->eai", CENTRE, x))
    j0 = 1.0 / np.linalg.det(inverse)

    def strains(points, dN):
        G, det = cartesian_gradients(x, dN)
        B = strain_matrix(G)
        f = np.einsum("pi,eik->epk", -2.0 * points[:, :2] @ TRIANGLE.T, tangent)
        B[:, :, 5] = P[:, None, 0] + f[:, :, :1] * P[:, None, 2]
        B[:, :, 4] = P[:, None, 1] + f[:, :, 1:] * P[:, None, 2]
        slope = -2.0 * points * (j0[:, None] / det)[:, :, None]
        plane = np.einsum("epa,eia->epi", slope[:, :, :2], inverse[:, :2, :2])
        Ba = np.zeros((*B.shape[:2], 6, 3))
        Ba[:, :, 0, 0] = Ba[:, :, 3, 1] = plane[:, :, 0]
        Ba[:, :, 3, 0] = Ba[:, :, 1, 1] = plane[:, :, 1]
        Ba[:, :, 2, 2] = slope[:, :, 2] * inverse[:, None, 2, 2]
        return B, Ba, det

    C_local = rotate_material(C, R.transpose(0, 2, 1))
    points, weights = _POINTS_6
    B, Ba, det = strains(points, _DN)
    CBa = C_local[:, None] @ Ba * (weights * det)[:, :, None, None]
    A = np.einsum("epij,epik->ejk", Ba, CBa)
    L = np.einsum("epij,epik->ejk", CBa, B)
    inside = -np.linalg.pinv(A, rcond=1e-13, hermitian=True) @ L
    B, Ba, _ = strains(at, PENTA6.gradients_at((True,) * 6, at))
    if not bubbles:
        return stresses_of_local(B, C, R)
    return stresses_of_local(B + Ba @ inside[:, None], C, R)
