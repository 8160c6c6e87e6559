"""CTRIAX6: rings of triangular section about the z axis, three to six nodes.

The section lies in the xz plane of the basic system, x = r. Motion is that of the meridian plane: u along x, w along z,
with the strains

    ε_r = u,r   ε_θ = u/r   ε_z = w,z   γ_zr = u,z + w,r

Matrices are those of the whole ring, ∫ 2π r dA, so that loads on a grid are those on its whole circle.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import ModelError
from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows, by_element
from interstage.fem.elements.penta import seven_points

EDGES = ((0, 1), (1, 2), (2, 0))
PLACES = np.array([[1.0 / 3.0, 1.0 / 3.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
COLUMNS = ("radial", "azimuthal", "axial", "shear", "max_principal", "max_shear", "von_mises")
STRAINS = (0, 1, 2, 5)  # of xx yy zz xy yz zx: yy is around the axis
_AREA, _SHARES = seven_points()
POINTS, WEIGHTS = _AREA[:, 1:], 0.5 * _SHARES
AXIS = 1e-9  # radius, of the size of the element, below which a place is on the axis


def functions(points: np.ndarray, present: tuple[bool, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (p, k) and parent gradients (p, 2, k); an absent mid-side node is the mean of its ends."""
    r, s = points.T
    L = np.stack([1.0 - r - s, r, s], axis=1)
    dL = np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    N = np.concatenate([L, np.zeros((len(L), 3))], axis=1)
    dN = np.concatenate([np.broadcast_to(dL, (len(L), 2, 3)), np.zeros((len(L), 2, 3))], axis=2)
    for edge, (a, b) in enumerate(EDGES):
        if present[3 + edge]:
            N[:, 3 + edge] = 4.0 * L[:, a] * L[:, b]
            dN[:, :, 3 + edge] = 4.0 * (L[:, a, None] * dL[:, b] + L[:, b, None] * dL[:, a])
            for corner in (a, b):
                N[:, corner] -= 0.5 * N[:, 3 + edge]
                dN[:, :, corner] -= 0.5 * dN[:, :, 3 + edge]
    here = list(np.flatnonzero(present))
    return N[:, here], dN[:, :, here]


class AxisymmetricBlock(ElementBlock):
    """Rings of triangular section with the same mid-side nodes present.

    Stiffness by seven points; lumped mass by row sums ∫ ρ N 2πr dA, with mid-side nodes the diagonal of the coupled
    mass scaled to the mass of the ring. The turn about the axis (T2) has mass and no stiffness.

    Parameters
    ----------
    nodes : (n, k) corners, then the mid-side nodes that are present
    xz : (n, k, 2) radius and height of the nodes
    C : (n, 6, 6) moduli in basic axes at y = 0, order xx yy zz xy yz zx
    rho : (n,) density
    present : which of the six nodes are there
    """

    dofs_per_node = 3

    def __init__(self, eid, nodes, xz, C, rho, ge, present: tuple[bool, ...]):
        super().__init__("CTRIAX6", eid, nodes, ge)
        self.xz, self.C, self.rho = (np.asarray(one, dtype=float) for one in (xz, C, rho))
        self.present = present

    @property
    def corner_count(self) -> int:
        return 3

    def jacobians(self) -> np.ndarray:
        """Determinants (n, p) at the integration points, of one sign in a sound element."""
        _, dN = functions(POINTS, self.present)
        return np.linalg.det(np.einsum("pak,eki->epai", dN, self.xz))

    def volumes(self) -> np.ndarray:
        """Volumes (n,) of the rings."""
        return self._weights(slice(None))[0].sum(axis=1)

    def _weights(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Volume 2πr dA (n, p) of the integration points and shape functions there (p, k)."""
        N, dN = functions(POINTS, self.present)
        xz = self.xz[rows]
        det = np.abs(np.linalg.det(np.einsum("pak,eki->epai", dN, xz)))
        return 2.0 * np.pi * (xz[:, :, 0] @ N.T) * det * WEIGHTS, N

    def strains(self, rows: slice, points: np.ndarray) -> np.ndarray:
        """Strains (n, p, 4, 3k) ε_r, ε_θ, ε_z, γ_zr at parent points; on the axis ε_θ is ε_r."""
        N, dN = functions(points, self.present)
        xz = self.xz[rows]
        G = np.linalg.inv(np.einsum("pak,eki->epai", dN, xz)) @ dN
        r = xz[:, :, 0] @ N.T
        on_axis = r <= AXIS * np.abs(xz).max(axis=(1, 2))[:, None]
        B = np.zeros((*r.shape, 4, 3 * N.shape[1]))
        B[:, :, 0, 0::3] = B[:, :, 3, 2::3] = G[:, :, 0]
        B[:, :, 2, 2::3] = B[:, :, 3, 0::3] = G[:, :, 1]
        around = N / np.where(on_axis, 1.0, r)[..., None]
        B[:, :, 1, 0::3] = np.where(on_axis[..., None], G[:, :, 0], around)
        return B

    def _moduli(self, rows: slice) -> np.ndarray:
        return self.C[rows][:, STRAINS][:, :, STRAINS]

    def stiffness(self, rows: slice) -> np.ndarray:
        volume, _ = self._weights(rows)
        B = self.strains(rows, POINTS)
        return np.einsum("ep,epsa,est,eptb->eab", volume, B, self._moduli(rows), B, optimize=True)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        if not self.rho.any():
            return None
        volume, N = self._weights(rows)
        nodal = self.rho[rows][:, None, None] * np.einsum("ep,pa,pb->eab", volume, N, N)
        k = nodal.shape[1]
        if not coupled:
            diagonal = nodal.sum(axis=2)
            if k > 3:
                total = diagonal.sum(axis=1, keepdims=True)
                diagonal = np.einsum("eaa->ea", nodal)
                diagonal = diagonal * total / diagonal.sum(axis=1, keepdims=True)
            nodal = diagonal[:, :, None] * np.eye(k)
        out = np.zeros((len(nodal), 3 * k, 3 * k))
        for axis in range(3):
            out[:, axis::3, axis::3] = nodal
        return out

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """Motion (n, 3k) whose forces are those of the temperature that the grids interpolate.

        The mean gives u = α_r T r, w = α_z T z without stress; what differs from it loads the ring with
        f = ∫ BᵀCε T dV and K u = f, no motion along the axis.
        """
        ar, around, az = (self.expansion[:, i, i] for i in range(3))
        if (ar != around).any():
            i = int(np.argmax(ar != around))
            raise ModelError(
                f"the material of CTRIAX6 {self.eid[i]} expands unlike along the radius and around the axis, which is "
                "not supported"
            )
        n, k = self.xz.shape[:2]
        u = np.zeros((n, k, 3))
        u[:, :, 0], u[:, :, 2] = ((a * heat.mean)[:, None] * self.xz[:, :, i] for i, a in ((0, ar), (1, az)))
        T = heat.nodes.copy()
        for at, edge in enumerate(np.flatnonzero(self.present[3:])):
            a, b = EDGES[edge]
            T[:, 3 + at] = np.where(np.isnan(T[:, 3 + at]), 0.5 * (T[:, a] + T[:, b]), T[:, 3 + at])
        T -= heat.mean[:, None]
        out = u.reshape(n, -1)
        if np.abs(T).max(initial=0.0) == 0.0:
            return out
        every = slice(None)
        volume, N = self._weights(every)
        strain = np.stack([ar, around, az, np.zeros(n)], axis=1)
        stress = np.einsum("est,et->es", self._moduli(every), strain)
        f = np.einsum(
            "ep,epsa,es->ea", volume * (T @ N.T), self.strains(every, POINTS), stress, optimize=True
        )
        K = self.stiffness(every)
        hold = np.einsum("eii->e", K)[:, None, None] * np.kron(
            np.full((k, k), 1.0 / k), np.diag([0.0, 0.0, 1.0])
        )
        plane = np.array([i for i in range(3 * k) if i % 3 != 1])
        grid = np.ix_(range(n), plane, plane)
        out[:, plane] += np.linalg.solve((K + hold)[grid], f[:, plane, None])[:, :, 0]
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """Stresses σ_r, σ_θ, σ_z, τ_zr at the centre and the corners, (n, 16, 3k)."""
        B = self.strains(rows, PLACES)
        return (self._moduli(rows)[:, None] @ B).reshape(len(B), -1, B.shape[-1])

    def stress_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Stresses with the largest principal value, the largest shear and the von Mises stress."""
        s = results.reshape(len(self), len(PLACES), 4, results.shape[-1])
        r, around, z, shear = (s[:, :, i] for i in range(4))
        mean, half = 0.5 * (r + z), np.hypot(0.5 * (r - z), shear)
        principal = np.stack([mean + half, mean - half, around])
        high, low = principal.max(axis=0), principal.min(axis=0)
        mises = np.sqrt(0.5 * ((r - around) ** 2 + (around - z) ** 2 + (z - r) ** 2) + 3.0 * shear**2)
        values = np.stack([r, around, z, shear, high, 0.5 * (high - low), mises], axis=2)
        nodes = np.column_stack([np.full(len(self), -1), self.nodes[:, :3]]).ravel()
        table = by_element(values.reshape(len(self) * len(PLACES), len(COLUMNS), s.shape[-1]))
        return [ResultRows(self.name, COLUMNS, np.repeat(self.eid, len(PLACES)), table, nodes)]
