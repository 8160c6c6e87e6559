"""Mass properties of grids (GPWG) and modal participation.

Grid point weight generator: mass, centre of gravity and inertia from an assembled mass matrix.

    M0 = Sᵀ M_gg S,  S (n_dof, 6) the rigid-body motion of all grids about a reference point, in CD axes

Directional masses are treated as in NASTRAN: each axis has its own mass and centre of gravity, in axes that
make the mass matrix diagonal (the basic ones unless directional scalar masses couple them). Mass on the grids of
axisymmetric elements is that of rings about the z axis, whose centres lie on it.

Effective mass: how much of a structure each mode moves when its supports move as one.

    Γ = Φᵀ M S / m,   M_eff = m Γ²,   S (n_dof, 6) rigid motion about a point, m the generalized masses

Over all modes of a held structure M_eff adds up to the rigid mass diag(Sᵀ M S) less what stands on held dofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.rigid_elements import rigid_modes
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.spatial import RigidInertia


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a model in the mass units of its matrix.

    Attributes
    ----------
    mass : total mass (mean of the three directional masses)
    cg : (3,) centre of gravity in basic axes, from the basic origin
    inertia_about_cg : (3, 3) inertia tensor, basic axes (products with the tensor's sign, -Σ m x y)
    inertia_about_reference : (3, 3) inertia tensor about the reference point
    M0 : (6, 6) rigid-body mass matrix about the reference point
    reference : (3,) reference point in basic axes
    S : (3, 3) axes of the directional masses, columns in basic axes
    mass_xyz : (3,) masses along the axes S
    cg_xyz : (3, 3) row i: centre of gravity of the mass along axis i, from the reference point, in axes S
    IS : (3, 3) NASTRAN's I(S) in axes S: the tensor with its products' sign changed
    principal : (3,) principal inertias about the centre of gravity, ascending
    Q : (3, 3) principal axes as columns, in axes S
    """

    mass: float
    cg: np.ndarray
    inertia_about_cg: np.ndarray
    inertia_about_reference: np.ndarray
    M0: np.ndarray
    reference: np.ndarray
    S: np.ndarray
    mass_xyz: np.ndarray
    cg_xyz: np.ndarray
    IS: np.ndarray
    principal: np.ndarray
    Q: np.ndarray

    @property
    def rigid(self) -> RigidInertia:
        """The model as one rigid body, basic frame: `rigid.I_BBcm_B` is about the centre of mass."""
        from interstage.spatial import RigidInertia

        return RigidInertia(self.mass, self.cg, self.inertia_about_cg)

    @property
    def shown_cg(self) -> np.ndarray:
        """`cg` for people: what is rounding against the radius of gyration and the other coordinates is zero."""
        size = np.sqrt(max(self.principal[-1], 0.0) / self.mass) if self.mass > 0.0 else 0.0
        return without_noise(self.cg, size)

    @property
    def principal_axes(self) -> np.ndarray:
        """Principal axes as columns in basic axes."""
        return self.S @ self.Q

    def __str__(self) -> str:
        def vector(v: np.ndarray) -> str:
            return "  ".join(f"{x: .6e}" for x in v)

        lines = [f"mass               {self.mass: .6e}"]
        if not np.allclose(self.mass_xyz, self.mass, rtol=1e-6):
            lines.append(f"mass by axis       {vector(self.mass_xyz)}")
        lines.append(f"centre of gravity  {vector(self.shown_cg)}")
        for i, row in enumerate(without_noise(self.inertia_about_cg)):
            lines.append(f"{'inertia about cg' if i == 0 else '':<19}{vector(row)}")
        lines.append(f"principal          {vector(self.principal)}")
        return "\n".join(lines)


def without_noise(values: ArrayLike, scale: float = 0.0) -> np.ndarray:
    """Return values with zeros for those below 1e-12 of the largest, or of `scale`: sums of rounding errors.

    >>> without_noise([2.0, -1e-17, -0.0])
    array([2., 0., 0.])
    """
    values = np.asarray(values, dtype=float)
    return np.where(np.abs(values) > 1e-12 * max(np.abs(values).max(initial=0.0), scale), values, 0.0)


def rigid_body_matrix(grids: Grids, point: ArrayLike) -> sp.csr_array:
    """Rigid-body motion (n_dof, 6) of the g-set about a point of basic axes; zero at scalar points."""
    blocks = rigid_modes(grids, np.arange(len(grids)), as_array(point, (3,), "the point"))
    i = np.repeat((grids.dof[:, None] + np.arange(6)).ravel(), 6)
    j = np.tile(np.arange(6), 6 * len(grids))
    return sp.csr_array((blocks.ravel(), (i, j)), shape=(grids.n_dof, 6))


def grid_point_weight(
    M_gg: sp.csr_matrix,
    grids: Grids,
    reference: int | ArrayLike | None = None,
    rings: np.ndarray | None = None,
) -> MassProperties:
    """Compute mass properties.

    Parameters
    ----------
    M_gg : (n_dof, n_dof) mass matrix in CD axes, in the units wanted (NASTRAN prints them before WTMASS)
    reference : None or 0 for the basic origin, a grid id (PARAM GRDPNT), or a point (3,) in basic axes
    rings : (grids,) which grids stand for whole circles about the z axis of the basic system
    """
    point = _reference_point(grids, reference)
    M = sp.csr_array(M_gg)
    S = rigid_body_matrix(grids, point).toarray()
    around = np.zeros((6, 6))
    if rings is not None and rings.any():
        dofs = (grids.dof[rings][:, None] + np.arange(6)).ravel()
        around = _ring_matrix(M[dofs][:, dofs], grids.xyz[rings], S[dofs, 2], point)
        S[dofs] = 0.0
    M0 = S.T @ (M @ S)
    M0 = 0.5 * (M0 + M0.T) + around
    axes = _mass_axes(M0[:3, :3])
    turned = _turned(M0, axes)
    mass, cg = _directional(turned)
    IS = _inertia_s(turned, mass, cg)
    tensor = np.diag(np.diag(IS)) * 2.0 - IS
    principal, Q = np.linalg.eigh(tensor)
    if np.linalg.det(Q) < 0:
        Q[:, 0] *= -1.0
    # off the diagonal of cg_xyz each coordinate is seen by the masses along the two other axes
    centre = np.array([_mean_of(cg[[j for j in range(3) if j != i], i], mass, i) for i in range(3)])
    return MassProperties(
        mass=float(mass.mean()),
        cg=point + axes @ centre,
        inertia_about_cg=axes @ tensor @ axes.T,
        inertia_about_reference=M0[3:, 3:],
        M0=M0,
        reference=point,
        S=axes,
        mass_xyz=mass,
        cg_xyz=cg,
        IS=IS,
        principal=principal,
        Q=Q,
    )


def _ring_matrix(M, xyz: np.ndarray, lift: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Rigid-body mass matrix (6, 6) about a point of circles of mass through grids at xyz (k, 3).

    m = ∫dm, c = ∫z dm/m on the axis, I_zz = ∫r² dm, I_xx = I_yy = ½∫r² dm + ∫(z - c)² dm; `lift` (6k,) is the
    motion of the grids by one along z, which tells mass from the matrix.
    """
    mass = float(lift @ (M @ lift))
    if not mass:
        return np.zeros((6, 6))
    centre = np.array([0.0, 0.0, float((lift * np.repeat(xyz[:, 2], 6)) @ (M @ lift)) / mass])
    radius, height = (lift * np.repeat(one, 6) for one in (xyz[:, 0], xyz[:, 2] - centre[2]))
    polar, along = float(radius @ (M @ radius)), float(height @ (M @ height))
    arm = centre - point
    cross = np.cross(np.eye(3), arm)  # cross @ v = arm × v
    inertia = np.diag([0.5 * polar + along, 0.5 * polar + along, polar]) - mass * cross @ cross
    return np.block([[mass * np.eye(3), -mass * cross], [mass * cross, inertia]])


def _reference_point(grids: Grids, reference: int | ArrayLike | None) -> np.ndarray:
    if reference is None:
        return np.zeros(3)
    if np.ndim(reference) == 1:
        return np.asarray(reference, dtype=float)
    if reference == 0:
        return np.zeros(3)
    row = int(grids.find(reference))
    if row < 0:
        raise InputError("the reference grid is not in the model", where="GRDPNT", got=str(reference))
    return grids.xyz[row].copy()


def _mass_axes(M_tt: np.ndarray) -> np.ndarray:
    """Axes in which the translational mass is diagonal: basic ones unless directions are coupled."""
    off = np.abs(M_tt - np.diag(np.diag(M_tt))).max()
    if off <= 1e-3 * np.abs(np.diag(M_tt)).max():
        return np.eye(3)
    _, V = np.linalg.eigh(M_tt)
    # order and sign the axes to stay as near to the basic ones as they can
    order = [int(np.argmax(np.abs(V[0])))]
    rest = [j for j in range(3) if j not in order]
    order += rest if abs(V[1, rest[0]]) >= abs(V[1, rest[1]]) else rest[::-1]
    V = V[:, order]
    V = V * np.where(np.diag(V) < 0.0, -1.0, 1.0)
    if np.linalg.det(V) < 0:
        V[:, 2] *= -1.0
    return V


def _turned(M0: np.ndarray, axes: np.ndarray) -> np.ndarray:
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = axes
    return T.T @ M0 @ T


def _directional(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masses (3,) and centres of gravity (3, 3) of the mass along each axis; zero where there is no mass."""
    mass = np.diag(M)[:3].copy()
    t = M[:3, 3:]
    moment = np.array(
        [[t[0, 0], -t[0, 2], t[0, 1]], [t[1, 2], t[1, 1], -t[1, 0]], [-t[2, 1], t[2, 0], t[2, 2]]]
    )
    return mass, moment / np.where(mass == 0.0, 1.0, mass)[:, None]


def _inertia_s(M: np.ndarray, mass: np.ndarray, cg: np.ndarray) -> np.ndarray:
    """NASTRAN's I(S) about the centre of gravity: moments, and products +Σ m x y."""
    r = M[3:, 3:]
    out = np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, i] = r[i, i] - mass[j] * cg[j, k] ** 2 - mass[k] * cg[k, j] ** 2
        # the product of axes j and k is seen by the mass along i
        out[j, k] = out[k, j] = -r[j, k] - mass[i] * cg[i, j] * cg[i, k]
    return out


def _mean_of(pair: np.ndarray, mass: np.ndarray, i: int) -> float:
    weight = mass[[j for j in range(3) if j != i]]
    return float(pair @ weight / weight.sum()) if weight.sum() > 0.0 else 0.0


@dataclass(frozen=True)
class Participation:
    """Participation of modes in rigid motion T1 T2 T3 R1 R2 R3 about a point, basic axes.

    factors : (k, 6) Γ
    effective_mass : (k, 6) masses and moments of inertia, in consistent units (times WTMASS)
    total : (6,) of the whole structure
    """

    factors: np.ndarray
    effective_mass: np.ndarray
    total: np.ndarray

    @property
    def fraction(self) -> np.ndarray:
        """Effective mass over the total (k, 6); zero where there is no mass."""
        return self.effective_mass / np.where(self.total > 0.0, self.total, np.inf)

    @property
    def cumulative(self) -> np.ndarray:
        """Fractions summed from the first mode on (k, 6)."""
        return np.cumsum(self.fraction, axis=0)


def participation(
    fe: FEModel, shapes: np.ndarray, generalized_mass: np.ndarray, about: ArrayLike | None = None
) -> Participation:
    """Participation of modes `shapes` (n_dof, k) in rigid motion about a point (the basic origin by default)."""
    S = rigid_body_matrix(fe.grids, np.zeros(3) if about is None else about)
    MS = fe.M_gg @ S.toarray()
    # a mode of only rounding error in mass (a massless mechanism) moves nothing
    m = np.where(generalized_mass > 0.0, generalized_mass, np.inf)[:, None]
    L = shapes.T @ MS
    return Participation(L / m, L**2 / m, np.einsum("ij,ij->j", S.toarray(), MS))
