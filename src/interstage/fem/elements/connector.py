"""CWELD and CFAST: six springs between two points that move with patches of plates.

The motion of a point is interpolated from the translations of the grids of its patch, u = P u_grids (6, 6k); the
springs stand half way between both points, to which they are joined by rigid arms, as those of a CBUSH.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import cross_matrix, rigid_arm, turn

BAR_FORCES = (
    *(f"bending_moment_{end}{plane}" for end in "ab" for plane in (1, 2)), "shear1", "shear2", "axial", "torque",
)  # fmt: skip
FORCES = ("fx", "fy", "fz", "mx", "my", "mz")


class ConnectorBlock(ElementBlock):
    """Connectors of any number of grids.

    Parameters
    ----------
    nodes : (n, k) grid rows of both patches, -1 where there are fewer
    relative : (n, 6, 6k) motion of the second point less that of the first at the springs, element axes, of motions of
        the grids in basic axes
    springs : (n, 6) stiffness in element axes
    shares : (n, k) mass on the translations of each grid
    lengths : (n,) between the points, of welds alone: their forces are shown as those of bars
    """

    def __init__(self, name: str, eid, nodes, relative, springs, shares, ge, lengths=None):
        super().__init__(name, eid, nodes, ge)
        self.lengths = lengths
        self.relative, self.springs, self.shares = (
            np.asarray(one, dtype=float) for one in (relative, springs, shares)
        )

    def stiffness(self, rows: slice) -> np.ndarray:
        T = self.relative[rows]
        return np.einsum("nia,ni,nib->nab", T, self.springs[rows], T, optimize=True)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        """Half the mass at each point, shared among the grids by interpolation, lumped and coupled alike."""
        if not self.shares.any():
            return None
        share = self.shares[rows]
        out = np.zeros((len(share), 6 * share.shape[1], 6 * share.shape[1]))
        for node in range(share.shape[1]):
            for i in range(3):
                out[:, 6 * node + i, 6 * node + i] = share[:, node]
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """Forces and moments of the springs in element axes, (n, 6, 6k)."""
        return self.springs[rows][:, :, None] * self.relative[rows]

    def force_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        if self.lengths is None:
            return [ResultRows(self.name, FORCES, self.eid, by_element(results))]
        axial, V1, V2, torque, my, mz = results.swapaxes(0, 1)
        half = 0.5 * self.lengths.reshape(-1, *[1] * (V1.ndim - 1))
        # moments about the middle of both planes, carried to the ends by shear
        ends = [mz + half * V1, half * V2 - my, mz - half * V1, -my - half * V2]
        return [
            ResultRows(
                self.name, BAR_FORCES, self.eid, by_element(np.stack([*ends, V1, V2, axial, torque], axis=1))
            )
        ]


def corner_functions(place: np.ndarray, corners: int) -> tuple[np.ndarray, np.ndarray]:
    """Linear functions (k,) of three or four corners and their gradients (2, k) at a place (2,) of the parent."""
    a, b = place
    if corners == 3:
        return np.array([1.0 - a - b, a, b]), np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    signs = np.array([[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]])
    x, y = 1.0 + signs[0] * a, 1.0 + signs[1] * b
    return 0.25 * x * y, 0.25 * np.stack([signs[0] * y, signs[1] * x])


def nearest_place(xyz: np.ndarray, point: np.ndarray) -> tuple[np.ndarray, float]:
    """Place (2,) in the parent of the point of a patch with corners xyz (3 or 4, 3) that is nearest to `point`.

    The second result is how far outside the patch the foot of the perpendicular is, in units of the parent.
    """
    corners = len(xyz)
    place = np.full(2, 1.0 / 3.0) if corners == 3 else np.zeros(2)
    for _ in range(30):
        N, dN = corner_functions(place, corners)
        step = np.linalg.lstsq((dN @ xyz).T, point - N @ xyz, rcond=None)[0]
        place = np.clip(place + step, -3.0, 3.0)
        if np.abs(step).max() < 1e-14:
            break
    if corners == 4:
        outside = float(np.maximum(np.abs(place) - 1.0, 0.0).max())
    else:
        outside = float(max(0.0, -place.min(), place.sum() - 1.0))
    return (place, outside) if outside == 0.0 else (_nearest_on_edges(xyz, point), outside)


def _nearest_on_edges(xyz: np.ndarray, point: np.ndarray) -> np.ndarray:
    parent = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    if len(xyz) == 4:
        parent = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    best, place = np.inf, parent[0]
    for i in range(len(xyz)):
        j = (i + 1) % len(xyz)
        along = xyz[j] - xyz[i]
        t = float(np.clip((point - xyz[i]) @ along / (along @ along), 0.0, 1.0))
        distance = float(np.linalg.norm(point - xyz[i] - t * along))
        if distance < best:
            best, place = distance, (1.0 - t) * parent[i] + t * parent[j]
    return place


def surface_motion(xyz: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Motion (6, 3k) of a place of a patch for translations of its corners xyz (k, 3).

    The place moves with the interpolated surface and turns with its tangents, δa = θ × a for both of them (in the mean
    where they do not agree), so that rigid motion is exact.
    """
    N, dN = corner_functions(place, len(xyz))
    one = np.eye(3)
    tangents = -cross_matrix(dN @ xyz).reshape(6, 3)
    return np.concatenate([np.kron(N, one), np.linalg.pinv(tangents) @ np.kron(dN, one)])


def mean_motion(arms: np.ndarray) -> np.ndarray:
    """Motion (6, 3k) of a point for translations of k points at `arms` (k, 3) from it: the mean of least squares."""
    S = np.concatenate([np.broadcast_to(np.eye(3), (len(arms), 3, 3)), -cross_matrix(arms)], axis=2)
    return np.linalg.pinv(S.reshape(-1, 6))


def relative_motion(R: np.ndarray, first: np.ndarray, second: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """(6, 6k) from the motions first (6, 6k) and second of two points that are `arm` (3,) apart, axes R (3, 3)."""
    half = rigid_arm(np.stack([0.5 * arm, -0.5 * arm]))
    return turn(R[None])[0] @ (half[1] @ second - half[0] @ first)
