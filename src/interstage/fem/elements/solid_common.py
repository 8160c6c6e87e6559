"""What solid elements share, with recovery of stresses.

Stresses and geometric stiffness of solids.

The results of a solid are six stresses (xx yy zz xy yz zx, basic axes) at its centre and at its corners: strains of
the element's own field (enhanced or assumed strains included) taken there, times the moduli. Geometric
stiffness takes stresses at the integration points, interpolated from the corners:

    NASTRAN: Π = ½ ∫ ωᵀ (tr σ 1 - σ) ω dV,  ω = ½ curl u;      full: Π = ½ ∫ σ_ij u_k,i u_k,j dV

What all solid elements share: frames, material rotation, quadrature, isoparametric stiffness and mass.

A family describes itself by a `SolidShape` (corners, edges, shape functions, quadrature) and gives a
stiffness function; `SolidBlock` does the rest. Strains are in the order xx yy zz xy yz zx with
engineering shears; gradients of N nodes are arrays G (3, N), G[i, n] = dN_n/dx_i.

Mid-edge nodes may be left out one by one. A node m that is absent from the edge a-b is interpolated,
u_m = (u_a + u_b)/2, so that N_a and N_b each take half of N_m: the transition elements of the
serendipity family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows
from interstage.fem.elements.solid_common_kernels import (
    determinants,
    isoparametric_stiffness,
    mass_integrals,
    smoothed_shear_stiffness,
)

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
COLUMNS = ("oxx", "oyy", "ozz", "txy", "tyz", "txz", "omax", "omid", "omin")


def cartesian_gradients(xyz: np.ndarray, dN: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients (n, p, 3, k) and Jacobian determinants (n, p) from parent gradients dN (p, 3, k)."""
    J = np.einsum("pan,eni->epai", dN, xyz)
    return np.linalg.inv(J) @ dN, np.linalg.det(J)


def strain_matrix(G: np.ndarray) -> np.ndarray:
    """Strains (..., 6, 3k) of displacements with gradients G (..., 3, k)."""
    k = G.shape[-1]
    B = np.zeros((*G.shape[:-2], 6, 3 * k))
    for row, (i, j) in enumerate(PAIRS):
        B[..., row, i::3] = G[..., j, :]
        if i != j:
            B[..., row, j::3] = G[..., i, :]
    return B


def stress_turn(R: np.ndarray) -> np.ndarray:
    """(n, 6, 6) that turns stress vectors from axes A to B, x_B = R x_A: σ_B = R σ_A Rᵀ."""
    Q = np.empty((len(R), 6, 6))
    for row, (i, j) in enumerate(PAIRS):
        for column, (a, b) in enumerate(PAIRS):
            Q[:, row, column] = R[:, i, a] * R[:, j, b]
            if a != b:
                Q[:, row, column] += R[:, i, b] * R[:, j, a]
    return Q


def turn_columns(operator: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Operator (n, r, 3k) on basic components from one on components in axes R (n, 3, 3), x_basic = R x."""
    n, r, m = operator.shape
    turned = operator.reshape(n, r, m // 3, 3) @ R.transpose(0, 2, 1)[:, None]
    return turned.reshape(n, r, m)


def smoothed_strains(xyz, gauss, weights, places, smooth_gauss, smooth_places) -> np.ndarray:
    """Strains (n, p, 6, 3k) at places, shear projected onto the smooth functions (see `smoothed_shear_stiffness`).

    gauss, places : parent gradients (q, 3, k) and (p, 3, k); smooth_* : functions (q, s) and (p, s)
    """
    G, det = cartesian_gradients(xyz, gauss)
    w = weights * det
    M = np.einsum("eq,qa,qb->eab", w, smooth_gauss, smooth_gauss)
    mean = np.einsum("eq,qa,eqin->eain", w, smooth_gauss, G)
    n, s = M.shape[:2]
    beta = np.linalg.solve(M, mean.reshape(n, s, -1)).reshape(mean.shape)
    B = strain_matrix(cartesian_gradients(xyz, places)[0])
    B[:, :, 3:] = strain_matrix(np.einsum("pa,eain->epin", smooth_places, beta))[:, :, 3:]
    return B


def stress_rows(block, results: np.ndarray, max_shear: bool) -> list[ResultRows]:
    """Stresses with principal values at the centre and the corners; results (n, 6 places, k)."""
    n, k = len(block), results.shape[2]
    places = results.shape[1] // 6
    s = results.reshape(n, places, 6, k)
    if block.output_axes is not None:
        s = np.einsum("nij,npjk->npik", stress_turn(block.output_axes.transpose(0, 2, 1)), s)
    s = s.transpose(3, 0, 1, 2).reshape(k, n * places, 6)
    tensor = np.empty((*s.shape[:2], 3, 3))
    for row, (i, j) in enumerate(PAIRS):
        tensor[..., i, j] = tensor[..., j, i] = s[..., row]
    principal = np.linalg.eigvalsh(tensor)[..., ::-1]
    a, b, c = np.moveaxis(principal, -1, 0)
    last = np.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2))
    if max_shear:  # of solids Nastran means the octahedral shear stress
        last *= np.sqrt(2.0) / 3.0
    values = np.concatenate([s, principal, last[..., None]], axis=-1)
    nodes = np.column_stack([np.full((n, 1), -1), block.nodes[:, : places - 1]]).ravel()
    columns = (*COLUMNS, "max_shear" if max_shear else "von_mises")
    return [ResultRows(block.name, columns, np.repeat(block.eid, places), values, nodes)]


def geometric_stiffness(xyz, dN, weights, corner_functions, results, full: bool) -> np.ndarray:
    """Geometric stiffness (n, 3k, 3k) from results (n, 6 (1 + corners)); corner_functions (p, corners)."""
    n, k = xyz.shape[:2]
    G, det = cartesian_gradients(xyz, dN)
    w = weights * det
    corner = results.reshape(n, -1, 6)[:, 1:]
    s = np.einsum("pc,ecs->eps", corner_functions, corner)
    sigma = np.empty((*s.shape[:2], 3, 3))
    for row, (i, j) in enumerate(PAIRS):
        sigma[..., i, j] = sigma[..., j, i] = s[..., row]
    out = np.zeros((n, k, 3, k, 3))
    if full:
        scalar = np.einsum("ep,epia,epij,epjb->eab", w, G, sigma, G, optimize=True)
        for axis in range(3):
            out[:, :, axis, :, axis] = scalar
        return out.reshape(n, 3 * k, 3 * k)
    S = np.einsum("epii->ep", sigma)[..., None, None] * np.eye(3) - sigma
    W = np.zeros((*G.shape[:2], 3, k, 3))  # ω = ½ g × u
    for i, j, m in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        W[:, :, i, :, m] = 0.5 * G[:, :, j]
        W[:, :, i, :, j] = -0.5 * G[:, :, m]
    W = W.reshape(n, len(dN), 3, 3 * k)
    return np.einsum("ep,epia,epij,epjb->eab", w, W, S, W, optimize=True)


# row of the strain vector that holds the pair (i, j) of axes
VOIGT = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])
THERMAL_CHUNK = 512  # elements of uneven temperature whose stress operators are held at once


@dataclass(frozen=True, eq=False)
class SolidShape:
    """Geometry of one solid family: its nodes, shape functions and quadrature.

    Attributes
    ----------
    name : the card
    n_corner : number of corner nodes
    edges : corner pairs, in the order in which mid-edge nodes follow the corners; empty for a linear element
    functions : parent points (p, 3), real or complex -> shape functions (p, k), polynomials
    points, weights : quadrature of the stiffness
    mass_points, mass_weights : quadrature of the coupled mass
    centre : (3, n_corner) gradients of the corner functions at the centre, in the parent whose polar
        rotation onto the element gives the element axes
    faces : corner indices of each face, in order around it
    smooth : parent points (p, 3) -> functions (p, s) onto which shear strains are projected, or None
    places : (1 + n_corner, 3) parent points of stress output: the centre, then the corners
    corner_functions : parent points -> linear functions (p, n_corner) of the corners
    """

    name: str
    n_corner: int
    edges: tuple[tuple[int, int], ...]
    functions: Callable
    points: np.ndarray
    weights: np.ndarray
    mass_points: np.ndarray
    mass_weights: np.ndarray
    centre: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    smooth: Callable | None = None
    places: np.ndarray | None = None
    corner_functions: Callable | None = None

    @property
    def n_nodes(self) -> int:
        return self.n_corner + len(self.edges)

    @lru_cache(maxsize=256)  # noqa: B019 - shapes are module constants
    def tables(self, present: tuple[bool, ...], mass: bool = False):
        """Shape functions (p, k), parent gradients (p, 3, k), weights (p,) for the nodes that are present."""
        points = self.mass_points if mass else self.points
        weights = self.mass_weights if mass else self.weights
        N, dN = derivatives(self.functions, points)
        T = self.collapse(present)
        return (
            np.ascontiguousarray(N @ T),
            np.ascontiguousarray(dN @ T),
            np.ascontiguousarray(weights, dtype=float),
        )

    def gradients_at(self, present: tuple[bool, ...], points: np.ndarray) -> np.ndarray:
        """Parent gradients (p, 3, k) at parent points (p, 3)."""
        return derivatives(self.functions, points)[1] @ self.collapse(present)

    def collapse(self, present: tuple[bool, ...]) -> np.ndarray:
        """Matrix (all nodes, present nodes) that spreads absent mid-edge nodes over the edge's ends."""
        T = np.eye(self.n_nodes)
        for edge, (a, b) in enumerate(self.edges):
            node = self.n_corner + edge
            if not present[node]:
                T[node, node] = 0.0
                T[node, [a, b]] = 0.5
        return T[:, list(np.flatnonzero(present))]


def derivatives(functions: Callable, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (p, k) and their parent gradients (p, 3, k) by complex steps, exact to round-off."""
    step = 1e-30
    N = np.asarray(functions(points), dtype=float)
    dN = np.empty((len(points), 3, N.shape[1]))
    for axis in range(3):
        shifted = points.astype(complex)
        shifted[:, axis] += 1j * step
        dN[:, axis] = functions(shifted).imag / step
    return N, dN


def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre points and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(n)


def product_rule(*rules) -> tuple[np.ndarray, np.ndarray]:
    """Tensor product of three one-dimensional rules (points, weights), last axis fastest."""
    points = np.stack(np.meshgrid(*(rule[0] for rule in rules), indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", *(rule[1] for rule in rules)).ravel()
    return points, weights


def element_axes(shape: SolidShape, xyz: np.ndarray) -> np.ndarray:
    """Element axes (n, 3, 3), columns in basic axes: the polar rotation of the Jacobian at the centre.

    Checked against the element systems in which Nastran writes the stiffness of CPENTA and CTETRA.
    """
    J = np.einsum("an,eni->eia", shape.centre, xyz[:, : shape.n_corner])
    U, _, Vt = np.linalg.svd(J)
    # a reflection (inverted element) is reported elsewhere; here it must not spoil the frame
    U[:, :, 2] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    return U @ Vt


def rotate_material(C: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Stiffness (n, 6, 6) in axes B from (n, 6, 6) in axes A, with x_B = R @ x_A.

    C_B = Q C_A Qᵀ, where Q turns stress vectors: σ_B = R σ_A Rᵀ.
    """
    Q = stress_turn(R)
    return Q @ C @ Q.transpose(0, 2, 1)


def rotate_matrix(K: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Element matrix (n, 3k, 3k) in basic axes from a symmetric one in axes R (n, 3, 3), x_basic = R @ x."""
    n, m = len(K), K.shape[1] // 3
    turned = np.matmul(R[:, None], K.reshape(n, m, 3, 3 * m)).reshape(n, 3 * m, m, 3)
    turned = np.matmul(turned, R.transpose(0, 2, 1)[:, None]).reshape(n, 3 * m, 3 * m)
    return (turned + turned.transpose(0, 2, 1)) / 2.0


def plain_stiffness(
    shape: SolidShape, present: tuple[bool, ...], xyz: np.ndarray, C: np.ndarray
) -> np.ndarray:
    """Standard isoparametric stiffness (n, 3k, 3k), arguments as in `shape_stiffness`."""
    _, dN, weights = shape.tables(present)
    K = np.empty((len(xyz), 3 * xyz.shape[1], 3 * xyz.shape[1]))
    isoparametric_stiffness(xyz, C, dN, weights, VOIGT, K)
    return K


def shape_stiffness(
    shape: SolidShape, present: tuple[bool, ...], xyz: np.ndarray, C: np.ndarray
) -> np.ndarray:
    """Stiffness (n, 3k, 3k) of elements xyz (n, k, 3) with moduli C (n, 6, 6), all in basic axes.

    Isoparametric, with the shear strains projected where the shape says so.
    """
    if shape.smooth is None:
        return plain_stiffness(shape, present, xyz, C)
    _, dN, weights = shape.tables(present)
    K = np.empty((len(xyz), 3 * xyz.shape[1], 3 * xyz.shape[1]))
    R = element_axes(shape, xyz)
    local = np.ascontiguousarray(xyz @ R)
    C_local = rotate_material(C, R.transpose(0, 2, 1))
    smooth = np.ascontiguousarray(shape.smooth(shape.points))
    smoothed_shear_stiffness(local, C_local, dN, weights, smooth, VOIGT, K)
    return rotate_matrix(K, R)


def plain_recovery(
    shape: SolidShape, present: tuple[bool, ...], xyz: np.ndarray, C: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Stresses (n, 6 points, 3k) of the standard isoparametric element at parent points, basic axes."""
    B = strain_matrix(cartesian_gradients(xyz, shape.gradients_at(present, points))[0])
    return (C[:, None] @ B).reshape(len(xyz), -1, B.shape[-1])


def shape_recovery(
    shape: SolidShape, present: tuple[bool, ...], xyz: np.ndarray, C: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Stresses (n, 6 points, 3k) of the element of `shape_stiffness` at parent points, basic axes."""
    if shape.smooth is None:
        return plain_recovery(shape, present, xyz, C, points)
    _, dN, weights = shape.tables(present)
    R = element_axes(shape, xyz)
    smooth, at_points = shape.smooth(shape.points), shape.smooth(points)
    B = smoothed_strains(xyz @ R, dN, weights, shape.gradients_at(present, points), smooth, at_points)
    return stresses_of_local(B, C, R)


def stresses_of_local(B: np.ndarray, C: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Stresses (n, 6 places, m) in basic axes from strains B (n, places, 6, m) in element axes R, moduli C basic."""
    C_local = rotate_material(C, R.transpose(0, 2, 1))
    stress = stress_turn(R)[:, None] @ (C_local[:, None] @ B)
    return turn_columns(stress.reshape(len(B), -1, B.shape[-1]), R)


class SolidBlock(ElementBlock):
    """Solid elements of one shape with the same mid-edge nodes present.

    Parameters
    ----------
    shape : the family
    eid : (n,) element ids
    nodes : (n, k) grid rows of the nodes that are present, corners first
    xyz : (n, k, 3) their positions in basic axes
    C : (n, 6, 6) moduli in basic axes, order xx yy zz xy yz zx
    rho : (n,) density
    present : which nodes of the full element are there; all by default
    stiffness : function (xyz, C) -> K that replaces the isoparametric stiffness of the shape
    recovery : function (xyz, C, parent points) -> stresses (n, 6 points, 3k) of that element
    output_axes : (n, 3, 3) axes as columns in which stresses are asked for; basic by default
    """

    dofs_per_node = 3

    def __init__(
        self,
        shape: SolidShape,
        eid,
        nodes,
        xyz,
        C,
        rho,
        ge=None,
        present=None,
        stiffness=None,
        recovery=None,
        output_axes=None,
    ):
        super().__init__(shape.name, eid, nodes, ge)
        self.shape = shape
        self.xyz = np.ascontiguousarray(xyz, dtype=float)
        self.C = np.ascontiguousarray(C, dtype=float)
        self.rho = np.asarray(rho, dtype=float)
        self.present = (True,) * shape.n_nodes if present is None else tuple(bool(p) for p in present)
        self._stiffness, self._recovery = stiffness, recovery
        self.output_axes = output_axes

    def jacobians(self) -> np.ndarray:
        """Jacobian determinants (n, p) at the quadrature points; positive for a sound element."""
        _, dN, _ = self.shape.tables(self.present)
        det = np.empty((len(self), len(dN)))
        determinants(self.xyz, dN, det)
        return det

    def volumes(self) -> np.ndarray:
        """Volumes (n,)."""
        return self.jacobians() @ self.shape.weights

    def stiffness(self, rows: slice) -> np.ndarray:
        return self._element_stiffness(self.xyz[rows], self.C[rows])

    def _element_stiffness(self, xyz: np.ndarray, C: np.ndarray) -> np.ndarray:
        if self._stiffness is not None:
            return self._stiffness(xyz, C)
        return shape_stiffness(self.shape, self.present, xyz, C)

    @property
    def corner_count(self) -> int:
        return self.shape.n_corner

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """Motion (n, 3k) whose element forces are those of the temperature that the grids interpolate.

        The mean ΔT gives u = ε ΔT x; what differs from it at the grids, T = Σ N_a T_a, loads the element with
        f = ∫ B' C ε T dV, B with its assumed strains, and K u = f with no motion as a rigid body.
        """
        x = self.xyz - self.xyz.mean(axis=1, keepdims=True)
        u = heat.mean[:, None, None] * np.einsum("nij,nkj->nki", self.expansion, x)
        u = u.reshape(len(self), -1)
        if self.nodes.shape[1] == 4:  # of constant strain: the mean is all that acts
            return u
        T = self._node_temperatures(heat)
        rounding = 1e-14 * np.abs(T).max(axis=1)
        T = T - heat.mean[:, None]
        uneven = np.flatnonzero(np.abs(T).max(axis=1) > rounding)
        for first in range(0, len(uneven), THERMAL_CHUNK):
            which = uneven[first : first + THERMAL_CHUNK]
            u[which] += self._uneven_motion(which, T[which], x[which])
        return u

    def _node_temperatures(self, heat: Heat) -> np.ndarray:
        """Temperatures (n, k) of the nodes; a mid-edge node without one has the mean of the ends of its edge."""
        T, column = heat.nodes.copy(), self.shape.n_corner
        for edge, (a, b) in enumerate(self.shape.edges):
            if self.present[self.shape.n_corner + edge]:
                T[:, column] = np.where(np.isnan(T[:, column]), 0.5 * (T[:, a] + T[:, b]), T[:, column])
                column += 1
        return T

    def _uneven_motion(self, which: np.ndarray, T: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Motion (m, 3k) of elements `which` under temperatures T (m, k) of their nodes at x (m, k, 3)."""
        xyz, C = self.xyz[which], self.C[which]
        N, _, weights = self.shape.tables(self.present)
        det = np.empty((len(which), len(weights)))
        determinants(xyz, self.shape.tables(self.present)[1], det)
        strain = np.stack(
            [self.expansion[which][:, i, j] * (1.0 if i == j else 2.0) for i, j in PAIRS], axis=1
        )
        amount = (T @ N.T) * det * weights
        stress = self._stresses(xyz, C, self.shape.points).reshape(len(which), len(weights), 6, -1)
        f = np.einsum("ep,es,epsm->em", amount, strain, stress, optimize=True)
        K = self._element_stiffness(xyz, C)
        size = np.sqrt(np.mean(x**2, axis=(1, 2)))
        rigid = np.zeros((*x.shape, 6))
        rigid[:, :, [0, 1, 2], [0, 1, 2]] = 1.0
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            rigid[:, :, i, 3 + k], rigid[:, :, j, 3 + k] = (
                -x[:, :, j] / size[:, None],
                x[:, :, i] / size[:, None],
            )
        rigid = rigid.reshape(len(which), -1, 6)
        hold = np.einsum("eii->e", K) / K.shape[1]
        return np.linalg.solve(K + hold[:, None, None] * (rigid @ rigid.transpose(0, 2, 1)), f[:, :, None])[
            :, :, 0
        ]

    def recovery(self, rows: slice) -> np.ndarray | None:
        """Stresses at the centre and the corners in basic axes, (n, 6 places, 3k)."""
        if self._stiffness is not None and self._recovery is None:
            return None
        return self._stresses(self.xyz[rows], self.C[rows], self.shape.places)

    def _stresses(self, xyz: np.ndarray, C: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Stresses (n, 6 points, 3k) at parent points."""
        if self._recovery is not None:
            return self._recovery(xyz, C, points)
        return shape_recovery(self.shape, self.present, xyz, C, points)

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        return stress_rows(self, results, options.max_shear)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        _, dN, weights = self.shape.tables(self.present)
        functions = self.shape.corner_functions(self.shape.points)
        return geometric_stiffness(self.xyz[rows], dN, weights, functions, results, full)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        """Mass (n, 3k, 3k): consistent if `coupled`, else lumped.

        Lumping of elements without mid-edge nodes is by row sums ∫ρN dV. With mid-edge nodes row sums go
        negative at corners, so there the diagonal of the consistent mass is scaled to the total (HRZ).
        """
        if not self.rho.any():
            return None
        nodal = self.nodal_mass(rows)
        n, k = nodal.shape[:2]
        if not coupled:
            diagonal = nodal.sum(axis=2)
            if k > self.shape.n_corner:
                total = diagonal.sum(axis=1, keepdims=True)
                diagonal = np.einsum("eaa->ea", nodal)
                diagonal = diagonal * total / diagonal.sum(axis=1, keepdims=True)
            nodal = diagonal[:, :, None] * np.eye(k)
        M = np.zeros((n, 3 * k, 3 * k))
        for axis in range(3):
            M[:, axis::3, axis::3] = nodal
        return M

    def nodal_mass(self, rows: slice) -> np.ndarray:
        """∫ρ N_a N_b dV (n, k, k)."""
        xyz = self.xyz[rows]
        nodal = np.empty((len(xyz), xyz.shape[1], xyz.shape[1]))
        N, dN, weights = self.shape.tables(self.present, True)
        mass_integrals(xyz, N, dN, weights, nodal)
        return nodal * self.rho[rows][:, None, None]
