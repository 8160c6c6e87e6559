"""Hexahedra, layered ones included.

CHEXA: the eight-node brick with 21 enhanced strains and the 20-node serendipity brick.

Eight nodes: enhanced assumed strains after Simo and Rifai (1990) with the 21 modes

    ε_ξξ : ξ, ξη, ξζ      (and cyclic)
    γ_ξη : ξ, η, ξζ, ηζ   (and cyclic)

in natural components at the centre, turned by J0 and scaled by j0/j; the modes are condensed in the
element. On a parallelepiped it equals the 18-parameter hybrid brick of Pian and Tong. It reproduces the
CHEXA of Nastran to round-off there.

Eight nodes with PSOLID IN TWO (reduced shear, no bubble functions): normal strains of the displacements, and shear
strains in element axes that vary only along the natural axis across their plane, γ_xy(ζ), γ_yz(ξ), γ_zx(η), as means
over that plane. A brick of MSC Nastran in cantilever bending agrees to the seven digits that are printed.

Twenty nodes (any mid-edge node may be absent): serendipity functions, 3x3x3 Gauss points for all
terms, shear strains in element axes projected onto the trilinear functions (reduced shear). Nastran's own
matrix is not known to us; the element passes patch tests and has six zero eigenvalues.

CHEXA with PCOMPS: bricks of plies, each integrated with its own moduli.

The brick is that of eight nodes with enhanced strains; points are 2x2 across and two in each ply along the stack.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from interstage.errors import ModelError
from interstage.fem.elements.block import Heat
from interstage.fem.elements.solid_common import (
    PAIRS,
    VOIGT,
    SolidBlock,
    SolidShape,
    cartesian_gradients,
    derivatives,
    element_axes,
    gauss,
    product_rule,
    rotate_material,
    rotate_matrix,
    strain_matrix,
    stresses_of_local,
)
from interstage.fem.elements.solid_common_kernels import (
    add_products,
    condense,
    contract,
    gradients,
    mass_integrals,
)
from interstage.jit import kernel

CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
    dtype=float,
)
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4))
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
CENTRE = CORNERS.T / 8.0


def linear_functions(points: np.ndarray) -> np.ndarray:
    """Trilinear functions (p, 8)."""
    return np.prod(1.0 + points[:, None, :] * CORNERS, axis=2) / 8.0


def serendipity_functions(points: np.ndarray) -> np.ndarray:
    """Twenty-node serendipity functions (p, 20)."""
    along = points[:, None, :] * CORNERS
    corner = np.prod(1.0 + along, axis=2) * (along.sum(axis=2) - 2.0) / 8.0
    middle = np.array([(CORNERS[a] + CORNERS[b]) / 2.0 for a, b in EDGES])
    factor = np.where(middle == 0.0, 1.0 - points[:, None, :] ** 2, 1.0 + points[:, None, :] * middle)
    return np.concatenate([corner, np.prod(factor, axis=2) / 4.0], axis=1)


_POINTS_2 = product_rule(gauss(2), gauss(2), gauss(2))
_POINTS_3 = product_rule(gauss(3), gauss(3), gauss(3))

_OUTPUT = {"places": np.concatenate([np.zeros((1, 3)), CORNERS]), "corner_functions": linear_functions}
HEXA8 = SolidShape("CHEXA", 8, (), linear_functions, *_POINTS_2, *_POINTS_2, CENTRE, FACES, **_OUTPUT)
_SMOOTHED = _OUTPUT | {"smooth": linear_functions}
HEXA20 = SolidShape(
    "CHEXA", 8, EDGES, serendipity_functions, *_POINTS_3, *_POINTS_3, CENTRE, FACES, **_SMOOTHED
)

# natural strain component (order of VOIGT) and monomial of each enhanced mode;
# monomials: 0 ξ, 1 η, 2 ζ, 3 ξη, 4 ηζ, 5 ζξ
_MODES = np.array(
    [(0, 0), (0, 3), (0, 5), (1, 1), (1, 4), (1, 3), (2, 2), (2, 5), (2, 4)]
    + [(3, 0), (3, 1), (3, 5), (3, 4), (4, 1), (4, 2), (4, 3), (4, 5), (5, 2), (5, 0), (5, 4), (5, 3)]
)
_DN = np.ascontiguousarray(HEXA8.tables((True,) * 8)[1])


def _monomials(points: np.ndarray) -> np.ndarray:
    """ξ, η, ζ, ξη, ηζ, ζξ (p, 6)."""
    x, y, z = points.T
    return np.column_stack([points, x * y, y * z, z * x])


_MONOMIALS = _monomials(_POINTS_2[0])


@kernel
def _strain_transform(x, centre, G, T):
    """Write T (6, 6), natural strain modes to Cartesian strains: ε = J0⁻ᵀ ε_nat J0⁻¹; return j0."""
    j0 = gradients(x, centre, G)
    inverse = np.zeros((3, 3))  # dξ_a/dx_i = Σ_n ξ_a(n) ∂N_n/∂x_i, since ξ_a is interpolated exactly
    for a in range(3):
        for i in range(3):
            for n in range(8):
                inverse[a, i] += 8.0 * centre[a, n] * G[i, n]
    first = (0, 1, 2, 0, 1, 2)
    second = (0, 1, 2, 1, 2, 0)
    for row in range(6):
        i, j = first[row], second[row]
        scale = 1.0 if row < 3 else 2.0
        for column in range(6):
            a, b = first[column], second[column]
            if column < 3:
                T[row, column] = scale * inverse[a, i] * inverse[a, j]
            else:
                T[row, column] = 0.5 * scale * (inverse[a, i] * inverse[b, j] + inverse[b, i] * inverse[a, j])
    return j0


@kernel
def _enhanced(xyz, C, dN, centre, monomials, modes, voigt, K):
    """Write K (n, 24, 24) of enhanced bricks.

    Each mode is one monomial in one natural strain component, so that with the integrals of monomials
    times gradients P and of monomial pairs S, the blocks of the enhanced system are products with
    T0ᵀ C and T0ᵀ C T0, formed once an element.
    """
    G, P, Q, D = np.empty((3, 8)), np.empty((6, 3, 8)), np.empty((8, 8, 9)), np.empty((9, 9))
    T, TC, TCT, S = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    A, L = np.empty((21, 21)), np.empty((21, 24))
    for e in range(xyz.shape[0]):
        x = xyz[e]
        j0 = _strain_transform(x, centre, G, T)
        Q[:] = 0.0
        S[:] = 0.0
        P[:] = 0.0
        for p in range(8):
            det = gradients(x, dN[p], G)
            add_products(G, det, Q)
            ratio = j0 * j0 / det
            for a in range(6):
                f = ratio * monomials[p, a]
                for b in range(6):
                    S[a, b] += f * monomials[p, b]
                f = j0 * monomials[p, a]
                for i in range(3):
                    for n in range(8):
                        P[a, i, n] += f * G[i, n]
        contract(Q, C[e], voigt, D, K[e])
        for a in range(6):
            for b in range(6):
                s = 0.0
                for c in range(6):
                    s += T[c, a] * C[e, c, b]
                TC[a, b] = s
        for a in range(6):
            for b in range(6):
                s = 0.0
                for c in range(6):
                    s += TC[a, c] * T[c, b]
                TCT[a, b] = s
        for a in range(21):
            component, power = modes[a, 0], modes[a, 1]
            for b in range(21):
                A[a, b] = TCT[component, modes[b, 0]] * S[power, modes[b, 1]]
            for n in range(8):
                for c in range(3):
                    s = 0.0
                    for i in range(3):
                        s += TC[component, voigt[c, i]] * P[power, i, n]
                    L[a, 3 * n + c] = s
        condense(A, L, K[e])


def hexa8_stiffness(xyz: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Stiffness (n, 24, 24) of eight-node bricks xyz (n, 8, 3) with moduli C (n, 6, 6), all in basic axes."""
    K = np.empty((len(xyz), 24, 24))
    _enhanced(xyz, C, _DN, CENTRE, _MONOMIALS, _MODES, VOIGT, K)
    return K


class _Strains:
    """Strains of eight-node bricks xyz (n, 8, 3) at any points: of the displacements, and of the enhanced modes."""

    def __init__(self, xyz: np.ndarray):
        J0 = np.einsum("an,eni->eai", CENTRE, xyz)
        inverse, self._j0 = np.linalg.inv(J0), np.linalg.det(J0)
        first, second = np.array(PAIRS).T
        # natural strain modes to Cartesian strains, ε = J0⁻ᵀ ε_nat J0⁻¹ with engineering shears
        a, b = inverse[:, first], inverse[:, second]
        T = 0.5 * (a[:, :, first] * b[:, :, second] + a[:, :, second] * b[:, :, first])
        self._xyz, self._T = xyz, T * np.where(first == second, 1.0, 2.0)[:, None]

    def at(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """B (n, p, 6, 24), enhanced modes (n, p, 6, 21) and Jacobian determinants (n, p) at parent points (p, 3)."""
        G, det = cartesian_gradients(self._xyz, HEXA8.gradients_at((True,) * 8, points))
        modes = self._T[:, None, :, _MODES[:, 0]] * _monomials(points)[:, None, _MODES[:, 1]]
        return strain_matrix(G), modes * (self._j0[:, None] / det)[:, :, None, None], det


def _inner(B: np.ndarray, Ba: np.ndarray, CBa: np.ndarray) -> np.ndarray:
    """Enhanced modes (n, 21, 24) that go with unit displacements, from weighted stresses CBa of the modes."""
    A = np.einsum("epij,epik->ejk", Ba, CBa, optimize=True)
    L = np.einsum("epij,epik->ejk", CBa, B, optimize=True)
    return -np.linalg.pinv(A, rcond=1e-13, hermitian=True) @ L


def hexa8_recovery(xyz: np.ndarray, C: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Stresses (n, 6 points, 24) of eight-node bricks at parent points, enhanced strains included."""
    strains = _Strains(xyz)
    B, Ba, det = strains.at(_POINTS_2[0])
    inside = _inner(B, Ba, C[:, None] @ Ba * det[:, :, None, None])
    B, Ba, _ = strains.at(points)
    return (C[:, None] @ (B + Ba @ inside[:, None])).reshape(len(xyz), -1, 24)


_ACROSS = ((3, 2), (4, 0), (5, 1))  # shear strain, and the natural axis across its plane


def _reduced_strains(x: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strains of bricks x (n, 8, 3) in element axes with reduced shear: at the integration points (n, 8, 6, 24) with
    their Jacobian determinants (n, 8), and at parent points (p, 3): (n, p, 6, 24).
    """
    at = _POINTS_2[0]
    G, det = cartesian_gradients(x, HEXA8.gradients_at((True,) * 8, at))
    inside = strain_matrix(G)
    B = strain_matrix(cartesian_gradients(x, HEXA8.gradients_at((True,) * 8, points))[0])
    for row, axis in _ACROSS:
        levels = []
        for level in (at[:, axis] < 0.0, at[:, axis] > 0.0):
            w = det[:, level] / det[:, level].sum(axis=1, keepdims=True)
            levels.append(np.einsum("ep,epk->ek", w, inside[:, level, row]))
            inside[:, level, row] = levels[-1][:, None]
        along = (0.5 + 0.5 * np.sqrt(3.0) * points[:, axis])[:, None]
        B[:, :, row] = levels[0][:, None] + along * (levels[1] - levels[0])[:, None]
    return inside, det, B


def reduced_shear_stiffness(xyz: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Stiffness (n, 24, 24) of bricks xyz (n, 8, 3) with reduced shear and without inner modes, in basic axes."""
    K = np.empty((len(xyz), 24, 24))
    for first in range(0, len(xyz), CHUNK):
        part = slice(first, first + CHUNK)
        R = element_axes(HEXA8, xyz[part])
        B, det, _ = _reduced_strains(xyz[part] @ R, np.zeros((0, 3)))
        CB = rotate_material(C[part], R.transpose(0, 2, 1))[:, None] @ B * det[:, :, None, None]
        K[part] = rotate_matrix(np.einsum("epij,epik->ejk", B, CB, optimize=True), R)
    return K


def reduced_shear_recovery(xyz: np.ndarray, C: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Stresses (n, 6 points, 24) of such bricks at parent points."""
    R = element_axes(HEXA8, xyz)
    return stresses_of_local(_reduced_strains(xyz @ R, points)[2], C, R)


def layered_stiffness(xyz: np.ndarray, C: np.ndarray, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Stiffness (n, 24, 24) of bricks with moduli C (n, p, 6, 6) of their own at points (p, 3) of weights (p,)."""
    B, Ba, det = _Strains(xyz).at(points)
    w = (det * weights)[:, :, None, None]
    full = B + Ba @ _inner(B, Ba, C @ Ba * w)[:, None]
    return np.einsum("epij,epik->ejk", full, C @ full * w, optimize=True)


CHUNK = 256  # elements whose strains are held at once


def ply_points(fractions: np.ndarray, axis: int, upward: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (p, 3), weights (p,) and ply of each point (p,) of plies with thickness `fractions` (k,), sum 1.

    axis : natural coordinate 0, 1 or 2 along which they are stacked; upward : in the order in which it grows
    """
    x, w = gauss(2)
    order = np.arange(len(fractions)) if upward else np.arange(len(fractions))[::-1]
    top = -1.0 + 2.0 * np.cumsum(fractions[order])
    middle, half = top - fractions[order], fractions[order]
    points, weights, plies = [], [], []
    for m, h, ply in zip(middle, half, order):
        for along, w_along in zip(m + h * x, h * w):
            for a, w_a in zip(x, w):
                for b, w_b in zip(x, w):
                    points.append(np.insert([a, b], axis, along))
                    weights.append(w_along * w_a * w_b)
                    plies.append(ply)
    return np.array(points), np.array(weights), np.array(plies)


class LayeredBlock(SolidBlock):
    """Bricks of one PCOMPS.

    Attributes
    ----------
    fractions : (k,) thickness of plies, sum 1;  plies : (n, k, 6, 6) their moduli in basic axes
    densities : (k,) of the plies: each has its mass where it is
    axis, upward : (n,) natural coordinate along which each element is stacked, and whether with it or against it
    """

    def __init__(self, eid, nodes, xyz, densities, ge, fractions, plies, axis, upward):
        mean = np.einsum("k,nkij->nij", fractions, plies)
        super().__init__(HEXA8, eid, nodes, xyz, mean, np.full(len(eid), fractions @ densities), ge)
        self.densities = densities
        self.fractions, self.plies, self.axis, self.upward = fractions, plies, axis, upward

    def _stacks(self, rows: slice) -> Iterator[tuple[np.ndarray, np.ndarray, tuple]]:
        """Places in `rows`, elements and `ply_points` of a few elements at a time that are stacked alike."""
        which = np.arange(len(self))[rows]
        for axis in range(3):
            for upward in (False, True):
                here = np.flatnonzero((self.axis[which] == axis) & (self.upward[which] == upward))
                for first in range(0, len(here), CHUNK):
                    part = here[first : first + CHUNK]
                    yield part, which[part], ply_points(self.fractions, axis, upward)

    def stiffness(self, rows: slice) -> np.ndarray:
        out = np.empty((len(self.eid[rows]), 24, 24))
        for at, elements, (points, weights, ply) in self._stacks(rows):
            out[at] = layered_stiffness(self.xyz[elements], self.plies[elements][:, ply], points, weights)
        return out

    def nodal_mass(self, rows: slice) -> np.ndarray:
        out = np.empty((len(self.eid[rows]), 8, 8))
        for at, elements, (points, weights, ply) in self._stacks(rows):
            part = np.empty((len(at), 8, 8))
            N, dN = derivatives(HEXA8.functions, points)
            mass_integrals(self.xyz[elements], N, dN, weights * self.densities[ply], part)
            out[at] = part
        return out

    def recovery(self, rows: slice) -> None:
        """No stresses: they differ from ply to ply."""

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        raise ModelError(
            "temperatures of solids with plies (PCOMPS) are not supported",
            where=f"CHEXA {self.eid[0]}",
            hint="leave TEMPERATURE out of case control, or model each ply with solids of its own",
        )
