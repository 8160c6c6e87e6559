"""Sections of shells: homogeneous (PSHELL) and layered (PCOMP, PCOMPG).

Layers are stacked from the bottom surface z0 upwards along the element normal. With Q_k the plane-stress
stiffness of layer k in material axes of the element,

    A = Σ Q_k (z_{k+1} − z_k),  B = ½ Σ Q_k (z²_{k+1} − z²_k),  D = ⅓ Σ Q_k (z³_{k+1} − z³_k).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from interstage.fem.elements.shell_common import Sections
from interstage.fem.elements.shell_recovery import LaminatePlies, ShellOutput


@dataclass
class ShellSection:
    """One shell section in material axes.

    A, B, D : (3, 3) membrane, coupling and bending stiffness (N = A ε + B κ, M = B ε + D κ)
    shear : (2, 2) transverse shear stiffness, or None for no transverse shear flexibility
    mass : mass per area of the thickness; nsm : non-structural mass per area
    thickness : total thickness
    ge : structural damping
    isotropic : the matrices are the same in all axes
    fibres : distances of the fibres whose stresses are asked for; None for half the thickness of an element
    inertia : 12I/t³
    layered, plies : a laminate, and what its ply stresses need (None if they are not known)
    expansion : (6, 2) free membrane strains and curvatures of unit mean temperature and of a unit gradient
    tref : temperature at which it is free of stress
    """

    A: np.ndarray
    D: np.ndarray
    shear: np.ndarray | None
    mass: float
    thickness: float
    nsm: float = 0.0
    B: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    ge: float = 0.0
    isotropic: bool = False
    fibres: tuple[float, float] | None = None
    inertia: float = 1.0
    layered: bool = False
    plies: LaminatePlies | None = None
    expansion: np.ndarray = field(default_factory=lambda: np.zeros((6, 2)))
    tref: float = 0.0


def output_table(sections: list[ShellSection]) -> ShellOutput:
    """Stack what the output of shells needs."""
    return ShellOutput(
        z=np.array([(np.nan, np.nan) if s.fibres is None else s.fibres for s in sections]).reshape(-1, 2),
        inertia=np.array([s.inertia for s in sections], dtype=float),
        plies=[s.plies for s in sections],
        layered=np.array([s.layered for s in sections], dtype=bool),
    )


def section_table(sections: list[ShellSection]) -> Sections:
    """Stack sections into the arrays that the kernels use."""
    m = len(sections)
    A, B, D = (np.array([getattr(s, k) for s in sections], dtype=float).reshape(m, 3, 3) for k in "ABD")
    flexibility, shear = np.zeros((m, 2, 2)), np.zeros((m, 2, 2))
    for k, section in enumerate(sections):
        if section.shear is not None and np.any(section.shear):
            shear[k] = section.shear
            flexibility[k] = np.linalg.inv(section.shear)
    return Sections(
        A=A,
        B=B,
        D=D,
        shear=shear,
        shear_flexibility=flexibility,
        rigid_shear=~shear.any(axis=(1, 2)),
        mass=np.array([s.mass + s.nsm for s in sections], dtype=float),
        mass_of_thickness=np.array([s.mass for s in sections], dtype=float),
        thickness=np.array([s.thickness for s in sections], dtype=float),
        isotropic=np.array([s.isotropic for s in sections], dtype=bool),
        coupled=B.any(axis=(1, 2)),
    )


def turned(Q: np.ndarray, angle_deg: float) -> np.ndarray:
    """Plane stiffness (3,3) of a layer whose x axis is at `angle_deg` from the material axis."""
    R = _plane_turn(angle_deg)
    return R.T @ Q @ R


def _plane_turn(angle_deg: float) -> np.ndarray:
    """Strains (3,) in axes at `angle_deg` from strains in laminate axes, engineering shear: (3, 3)."""
    c, s = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    return np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])


def turned_shear(G: np.ndarray, angle_deg: float) -> np.ndarray:
    """Transverse shear moduli (2,2) of a layer whose x axis is at `angle_deg` from the material axis."""
    c, s = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    r = np.array([[c, s], [-s, c]])
    return r.T @ G @ r


def layer_heights(thickness: np.ndarray, z0: float | None) -> np.ndarray:
    """Interfaces z (n+1,) from the bottom; z0 None puts the reference plane at mid-thickness."""
    total = float(np.sum(thickness))
    bottom = -0.5 * total if z0 is None else z0
    return bottom + np.concatenate([[0.0], np.cumsum(thickness)])


def laminate_stiffness(Q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B, D (3,3) of layers Q (n,3,3) between heights z (n+1,)."""
    A = np.einsum("kij,k->ij", Q, np.diff(z))
    B = np.einsum("kij,k->ij", Q, np.diff(z**2)) / 2.0
    D = np.einsum("kij,k->ij", Q, np.diff(z**3)) / 3.0
    return A, B, D


def laminate_shear(Q: np.ndarray, G: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Transverse shear stiffness (2,2), force per length, from the equilibrium stresses of beam bending.

    In each direction r = x, y the layers are beams with uniaxial moduli E_k. With the neutral height
    z̄ = Σ E_k t_k z_k / Σ E_k t_k, EI about it and the first moment q(z) = ∫ E (z̄ − z) dz from the bottom,
    complementary energy gives

        flexibility[r, c] = Σ_k (G_k⁻¹)[r, c] ∫_k q_r² dz / EI_r²

    and the stiffness is its inverse, made symmetric. One isotropic layer gives 5/6 G t.
    Source: NASTRAN's generation of PSHELL data from PCOMP (NASTRAN Theoretical Manual; routine TA1CPS of
    NASTRAN-95).

    Q : (n,3,3) layer stiffness without Poisson coupling, in laminate axes (see `uniaxial`)
    G : (n,2,2) transverse shear moduli in laminate axes; z : (n+1,) heights
    """
    flexibility = np.zeros((2, 2))
    compliance = np.linalg.inv(G)
    z_low, t = z[:-1], np.diff(z)
    for r in range(2):
        E = Q[:, r, r]
        neutral = np.sum(E * t * (z_low + t / 2.0)) / np.sum(E * t)
        low, high = z_low - neutral, z[1:] - neutral
        EI = np.sum(E * (high**3 - low**3)) / 3.0
        # q(s) = q0 − E (low s + s²/2), s from the bottom of the layer
        q0 = np.concatenate([[0.0], np.cumsum(-E * (low * t + t * t / 2.0))[:-1]])
        integral = (
            q0**2 * t
            - 2.0 * q0 * E * (low * t**2 / 2.0 + t**3 / 6.0)
            + E**2 * (low**2 * t**3 / 3.0 + low * t**4 / 4.0 + t**5 / 20.0)
        )
        flexibility[r] = np.einsum("k,kc->c", integral, compliance[:, r, :]) / EI**2
    stiffness = np.linalg.inv(flexibility)
    return 0.5 * (stiffness + stiffness.T)


def interlaminar_shear(Q: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Transverse shear stress (n, 2) at the top of each layer for unit V_x, V_y.

    q(z)/EI as in `laminate_shear`, but with the layer stiffness Q (n,3,3) in laminate axes as it is, Poisson coupling
    included: so Nastran's ply stresses have it (NX 2306, six plies at 0, ±45 and 90 degrees, to 6e-8).
    """
    out = np.zeros((len(Q), 2))
    z_low, t = z[:-1], np.diff(z)
    for r in range(2):
        E = Q[:, r, r]
        neutral = np.sum(E * t * (z_low + t / 2.0)) / np.sum(E * t)
        low, high = z_low - neutral, z[1:] - neutral
        out[:, r] = np.cumsum(-E * (low * t + t * t / 2.0)) / (np.sum(E * (high**3 - low**3)) / 3.0)
    out[-1] = 0.0  # a free surface, where the sum leaves round-off
    return out


def ply_output(layers: list[Layer], z: np.ndarray, A, B, D, free: np.ndarray) -> LaminatePlies:
    """What the stresses of plies need; z (n+1,) heights of their surfaces, free (6, 2) as of `free_strains`.

    In a laminate that expands freely a ply has σ = Q (ε + z κ - α T) with T = 1, or T = z.
    """
    angle = np.deg2rad([layer.angle_deg for layer in layers])
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros(len(layers))
    turn = np.array(
        [[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]]
    ).transpose(2, 0, 1)
    in_laminate = np.array([turned(layer.Q, layer.angle_deg) for layer in layers])
    stiffness = np.block([[A, B], [B, D]])
    middle = 0.5 * (z[:-1] + z[1:]) + zero
    strain = free[None, :3] + middle[:, None, None] * free[None, 3:]
    own = np.array([layer.alpha for layer in layers])[:, :, None] * np.stack([zero + 1.0, middle], 1)[:, None]
    Q = np.array([layer.Q for layer in layers])
    return LaminatePlies(
        compliance=np.linalg.pinv(stiffness, rcond=1e-14, hermitian=True),
        Q=Q,
        turn=turn,
        z=middle,
        shear=interlaminar_shear(in_laminate, z),
        unlike=Q @ (turn @ strain - own),
        labels=np.array([layer.label or k + 1 for k, layer in enumerate(layers)]),
    )


def uniaxial(Q: np.ndarray) -> np.ndarray:
    """Layer stiffness (3,3) in its own axes with Poisson's ratio set to zero: diag(E1, E2, G12)."""
    factor = 1.0 - Q[0, 1] * Q[1, 0] / (Q[0, 0] * Q[1, 1])
    return np.diag([Q[0, 0] * factor, Q[1, 1] * factor, Q[2, 2]])


@dataclass
class Layer:
    """One layer in its own axes: plane-stress stiffness Q (3,3), transverse shear moduli G2 (2,2) or None.

    alpha : (3,) strains of unit temperature, engineering shear; label : global id of the ply, 0 for its number
    """

    Q: np.ndarray
    G2: np.ndarray | None
    rho: float
    thickness: float
    angle_deg: float = 0.0
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(3))
    label: int = 0

    def thermal_stress(self) -> np.ndarray:
        """Stress (3,) that holds the layer at unit temperature, in the axes of the laminate: Rᵀ Q α."""
        return _plane_turn(self.angle_deg).T @ self.Q @ self.alpha


def free_strains(layers: list[Layer], z: np.ndarray, A, B, D, smeared: bool) -> np.ndarray:
    """Membrane strains and curvatures (6, 2) of a free laminate at unit mean temperature and unit gradient.

    [ε; κ] = [A B; B D]⁻¹ [N; M] with N, M = ∫ Q α (1, z) dz for T = 1, and ∫ Q α (z, z²) dz for T = z. Smeared layers
    have no place: N = Q̄ α t and M = Q̄ α t³/12.
    """
    held = np.array([layer.thermal_stress() for layer in layers])
    n, m, mm = (np.diff(z**k) @ held / k for k in (1, 2, 3))
    if smeared:
        m, mm = 0.0 * m, n * (z[-1] - z[0]) ** 2 / 12.0
    loads = np.block([[n[:, None], m[:, None]], [m[:, None], mm[:, None]]])
    return np.linalg.pinv(np.block([[A, B], [B, D]]), rcond=1e-14, hermitian=True) @ loads


def laminate_section(
    layers: list[Layer], z0: float | None = None, option: str = "", nsm: float = 0.0, ge: float = 0.0
) -> ShellSection:
    """Section of a laminate, bottom layer first.

    option : PCOMP's LAM: "" all plies, "SYM" half of the plies given, "MEM" membrane only, "BEND" bending
        only, "SMEAR" stacking ignored (D = A t²/12, no transverse shear flexibility), "SMCORE" the last ply
        is the core and the others are smeared into two equal faces.
    z0 : height of the bottom surface above the grids (None: mid-plane on the grids).
    """
    if option == "SYM":
        layers = layers + layers[::-1]
    mass = sum(layer.rho * layer.thickness for layer in layers)
    if option == "SMCORE":
        layers = _smeared_faces(layers)
    t = np.array([layer.thickness for layer in layers])
    total = float(t.sum())
    Q = np.array([turned(layer.Q, layer.angle_deg) for layer in layers])
    z = layer_heights(t, z0 if option not in ("SMEAR", "BEND", "MEM") else None)
    A, B, D = laminate_stiffness(Q, z)
    shear = _shear_of(layers, z)
    nothing = np.zeros((3, 3))
    # a coupling that is only round-off would cost the slow path of the kernels
    if np.abs(B).max() <= 1e-12 * np.abs(A).max() * total:
        B = nothing
    if option == "MEM":
        B, D, shear = nothing, nothing, None
    elif option == "BEND":
        A, B = nothing, nothing
    elif option == "SMEAR":
        B, D, shear = nothing, A * total**2 / 12.0, None
    isotropic = all(_is_isotropic(layer) for layer in layers)
    # smeared plies have no place in the thickness, so no stresses of their own
    free = free_strains(layers, z, A, B, D, option == "SMEAR")
    plies = None if option in ("SMEAR", "SMCORE") else ply_output(layers, z, A, B, D, free)
    return ShellSection(
        A=A,
        D=D,
        shear=shear,
        mass=mass,
        thickness=total,
        nsm=nsm,
        B=B,
        ge=ge,
        isotropic=isotropic,
        layered=True,
        plies=plies,
        expansion=free,
    )


def _smeared_faces(layers: list[Layer]) -> list[Layer]:
    """Two equal faces of the smeared first layers about the core, which is the last one."""
    faces, core = layers[:-1], layers[-1]
    t = np.array([layer.thickness for layer in faces])
    Q = np.einsum("kij,k->ij", np.array([turned(layer.Q, layer.angle_deg) for layer in faces]), t) / t.sum()
    G2 = None
    if all(layer.G2 is not None for layer in faces):
        turned_G = np.array([turned_shear(layer.G2, layer.angle_deg) for layer in faces])
        G2 = np.einsum("kij,k->ij", turned_G, t) / t.sum()
    rho = sum(layer.rho * layer.thickness for layer in faces) / t.sum()
    held = np.array([layer.thermal_stress() for layer in faces])
    alpha = np.linalg.pinv(Q) @ (t @ held / t.sum())
    face = Layer(Q, G2, rho, float(t.sum()) / 2.0, alpha=alpha)
    return [face, core, face]


def _shear_of(layers: list[Layer], z: np.ndarray) -> np.ndarray | None:
    if any(layer.G2 is None for layer in layers):
        return None
    E = np.array([turned(uniaxial(layer.Q), layer.angle_deg) for layer in layers])
    G = np.array([turned_shear(layer.G2, layer.angle_deg) for layer in layers])
    return laminate_shear(E, G, z)


def _is_isotropic(layer: Layer) -> bool:
    Q, G = layer.Q, layer.G2
    plane = np.array(
        [[Q[0, 0], Q[0, 1], 0.0], [Q[0, 1], Q[0, 0], 0.0], [0.0, 0.0, (Q[0, 0] - Q[0, 1]) / 2.0]]
    )
    same = np.allclose(Q, plane, rtol=1e-13, atol=1e-13 * Q[0, 0])
    return same and (G is None or (G[0, 1] == 0.0 and G[0, 0] == G[1, 1]))
