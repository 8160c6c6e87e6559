"""A flexible missile with a gimballed engine in linear Newtonian form, about an accelerating, pre-loaded state.

The second opinion for the launch-vehicle cases: numpy alone, nothing of the multibody engine. Newton's second law is
written for every lumped mass of the missile and for the engine, in axes of the missile's frame at zero rates:

    r̈_i = a + α × ρ_i + γ_i η̈,      ρ_i = l_i + γ_i η                    (every mass)
    a_g = a + α × p + γ_g η̈,         p = l_g + γ_g η                      (gimbal)
    ω̇_E = α + Jλ η̈ + R_g (e_y δ̈_p + R_y(δ_p) e_z δ̈_y),   R_g = exp(θ), θ = λ_g η,  Jλ = J_l(θ) λ_g
    F = f_T - m_E (a_g + ω̇_E × d),    T = -(I_E ω̇_E + m_E d × (a_g + ω̇_E × d))        (of the engine on the missile)

and summed over the missile: forces, moments about the frame's origin, and work on each mode,

    Σ m r̈ = F;    Σ m ρ × r̈ + J_ρ α + F_ρ η̈ = p × F + T
    Σ m γ_r · r̈ + F_ρ,rᵀ α + (G_ρ η̈)_r + c_r η̇_r + k_r η_r = γ_g,r · F + (Jλ)_rᵀ T

with the rotary inertia of the lumps (J_ρ, F_ρ, G_ρ) as constants. The thrust f_T = R_g R_y R_z e_x T acts in the
gimbal and turns with the engine; the actuators give the part of -T along the gimbal axes. At zero rates every term
with a product of rates vanishes to first order. What is left, and makes the state matrix, are the loads of the
steady state turned or displaced by the perturbation: thrust and engine weight (m_E d × a) that follow gimbal
slope and engine, inertia loads m r̈0 of masses displaced by γ δη, gimbal axes that turn under a steady engine
acceleration, and the rotation vector's Jacobian under the steady gimbal moment. Each is written out below. With
`Missile.stiffening` the loads of the gimbal also change the modal stiffness, by (Σ [T; F]_k K_k) η (`rods`).

Perturbations are rows over z = [δa, δα, δη̈, δδ̈ | δη, δδ]; `Rows` picks them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """Return [a]× (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]], dtype=np.asarray(a).dtype)


def _coefficients(s: np.ndarray) -> tuple:
    """Return a2, a3 and their derivatives by s = θ·θ, series for small angles."""
    return 0.5 - s / 24 + s**2 / 720, 1 / 6 - s / 120 + s**2 / 5040, -1 / 24 + s / 360, -1 / 120 + s / 2520


def turn(theta: np.ndarray) -> np.ndarray:
    """Return exp([θ]×) (3, 3) for a small rotation vector."""
    a2, a3, _, _ = _coefficients(theta @ theta)
    t = cross_matrix(theta)
    return np.eye(3) + (1.0 - (theta @ theta) * a3) * t + a2 * t @ t


def slope(theta: np.ndarray) -> np.ndarray:
    """Return the left Jacobian J_l (3, 3): angular velocity J_l θ̇ in the axes that θ turns from."""
    a2, a3, _, _ = _coefficients(theta @ theta)
    t = cross_matrix(theta)
    return np.eye(3) + a2 * t + a3 * t @ t


def slope_change(theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return D (3, 3) with d(J_l(θ) x) = D dθ at constant x."""
    a2, a3, b2, b3 = _coefficients(theta @ theta)
    t, c = cross_matrix(theta), cross_matrix(x)
    tx = np.cross(theta, x)
    grow = np.outer(b2 * tx + b3 * np.cross(theta, tx), 2.0 * theta)
    return -a2 * c - a3 * (cross_matrix(tx) + t @ c) + grow


@dataclass
class Place:
    """A node: position l (3,), translation gamma (3, n) and rotation lam (3, n) of the modes."""

    l: np.ndarray
    gamma: np.ndarray
    lam: np.ndarray


@dataclass
class Missile:
    """Lumped masses m (P,) at l (P, 3) that move by gamma (P, 3, n), rotary constants, modal k and c, two places.

    stiffening (6, n, n) : change of the modal stiffness with moments and forces [T; F] in the gimbal (`rods`)
    """

    m: np.ndarray
    l: np.ndarray
    gamma: np.ndarray
    J: np.ndarray
    F: np.ndarray
    G: np.ndarray
    k: np.ndarray
    c: np.ndarray
    gimbal: Place
    sensor: Place
    stiffening: np.ndarray

    @property
    def n(self) -> int:
        """Number of modes."""
        return len(self.k)


@dataclass
class Engine:
    """Mass, centre of mass (3,) from the gimbal, inertia (3, 3) about it, thrust along +x through the gimbal."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray
    thrust: float


def missile(lumps, positions, gamma, lam, frequencies_hz, damping, gimbal: int, sensor: int) -> Missile:
    """Return the missile of its lumps and modes of unit modal mass.

    lumps : row (P,) of the node that carries each, mass (P,), offset (P, 3), inertia (P, 3, 3) about its own centre
    positions (N, 3), gamma, lam (N, 3, n) : nodes;  gimbal, sensor : rows of their nodes
    """
    row, m, o, rotary = lumps
    tilde = np.array([cross_matrix(x) for x in o])
    turning = lam[row]
    w = 2.0 * np.pi * np.asarray(frequencies_hz)
    return Missile(
        m=m,
        l=positions[row] + o,
        gamma=gamma[row] - tilde @ turning,
        J=rotary.sum(axis=0),
        F=(rotary @ turning).sum(axis=0),
        G=np.einsum("pir,pij,pjs->rs", turning, rotary, turning),
        k=w**2,
        c=2.0 * damping * w,
        gimbal=Place(positions[gimbal], gamma[gimbal], lam[gimbal]),
        sensor=Place(positions[sensor], gamma[sensor], lam[sensor]),
        stiffening=np.zeros((6, len(w), len(w))),
    )


@dataclass
class Steady:
    """The state linearized about: accelerations a, alpha (3,), etadd (n,), delta (2,) and deformation eta (n,).

    The engine stands straight and every rate is zero; delta holds engine accelerations about pitch and yaw axes.
    """

    a: np.ndarray
    alpha: np.ndarray
    etadd: np.ndarray
    delta: np.ndarray
    eta: np.ndarray


class Rows:
    """Pick parts of z = [δa, δα, δη̈, δδ̈ | δη, δδ]: each part is a matrix over z."""

    def __init__(self, n: int):
        eye = np.eye(8 + n + n + 2)
        self.a, self.alpha, self.etadd, self.delta_dd = eye[:3], eye[3:6], eye[6 : 6 + n], eye[6 + n : 8 + n]
        self.eta, self.delta = eye[8 + n : 8 + 2 * n], eye[8 + 2 * n :]


@dataclass
class Loads:
    """What the engine gives the missile, steady (3,) and perturbed (3, nz): force F, moment T, and the gimbal axes."""

    F: np.ndarray
    T: np.ndarray
    dF: np.ndarray
    dT: np.ndarray
    dphi: np.ndarray
    dwork: np.ndarray
    axes: np.ndarray
    daxes: np.ndarray


def engine_loads(body: Missile, engine: Engine, s: Steady) -> Loads:
    """Return steady and perturbed loads of the engine on the gimbal; the place of every tail-wags-dog term."""
    rows, g = Rows(body.n), body.gimbal
    theta = g.lam @ s.eta
    R, Jl = turn(theta), slope(theta)
    p, axes = g.l + g.gamma @ s.eta, R[:, 1:].T
    # steady state
    a_g = s.a + np.cross(s.alpha, p) + g.gamma @ s.etadd
    relative = s.delta @ axes
    w = s.alpha + Jl @ (g.lam @ s.etadd) + relative
    d, inertia = R @ engine.com, R @ engine.inertia @ R.T
    a_e = a_g + np.cross(w, d)
    thrust = engine.thrust * R[:, 0]
    F = thrust - engine.mass * a_e
    T = -(inertia @ w + engine.mass * np.cross(d, a_e))
    # perturbation: gimbal node turns by dphi, the engine by dturn
    x = cross_matrix
    dphi = Jl @ g.lam @ rows.eta
    dturn = dphi + axes.T @ rows.delta
    da_g = rows.a - x(p) @ rows.alpha + g.gamma @ rows.etadd + x(s.alpha) @ g.gamma @ rows.eta
    # the yaw axis is carried by pitch: e_y × e_z = e_x
    dcarried = np.outer(R[:, 0], rows.delta[0])
    dw = rows.alpha + Jl @ g.lam @ rows.etadd + axes.T @ rows.delta_dd
    dw += slope_change(theta, g.lam @ s.etadd) @ g.lam @ rows.eta - x(relative) @ dphi + s.delta[1] * dcarried
    dd = -x(d) @ dturn
    da_e = da_g - x(d) @ dw + x(w) @ dd
    dF = -x(thrust) @ dturn - engine.mass * da_e
    dspin = inertia @ dw - x(inertia @ w) @ dturn + inertia @ x(w) @ dturn
    dT = -(dspin + engine.mass * (x(d) @ da_e - x(a_e) @ dd))
    # the steady moment works on modes by (J_l λ)ᵀT, and J_l changes with the slope
    change = np.array([T @ slope_change(theta, column) for column in g.lam.T]).reshape(-1, 3)
    dwork = change @ g.lam @ rows.eta
    daxes = np.stack([-x(axes[0]) @ dphi, -x(axes[1]) @ dphi + dcarried])
    return Loads(F, T, dF, dT, dphi, dwork, axes, daxes)


def balance(body: Missile, engine: Engine, s: Steady) -> tuple[np.ndarray, np.ndarray]:
    """Return the residual (8 + n,) of force, moment, modes, gimbal torques, and its rows over z.

    The residual of the gimbal rows is the torque that the actuators must give.
    """
    rows, g = Rows(body.n), body.gimbal
    on = engine_loads(body, engine, s)
    x = cross_matrix
    m = body.m[:, None]
    rho = body.l + body.gamma @ s.eta
    pull = m * (s.a + np.cross(s.alpha, rho) + body.gamma @ s.etadd)
    p = g.l + g.gamma @ s.eta
    turned = slope(g.lam @ s.eta) @ g.lam
    force = pull.sum(axis=0) - on.F
    moment = np.cross(rho, pull).sum(axis=0) + body.J @ s.alpha + body.F @ s.etadd - np.cross(p, on.F) - on.T
    modes = np.einsum("pir,pi->r", body.gamma, pull) + body.F.T @ s.alpha + body.G @ s.etadd + body.k * s.eta
    modes -= g.gamma.T @ on.F + turned.T @ on.T
    # the loads of the gimbal, carried through the missile, stiffen and soften it
    carried, soft = np.concatenate([on.T, on.F]), body.stiffening @ s.eta
    modes += carried @ soft
    # accelerations of the masses, perturbed (P, 3, nz)
    tilde = np.array([x(r) for r in rho])
    dpull = rows.a - tilde @ rows.alpha + body.gamma @ rows.etadd + x(s.alpha) @ body.gamma @ rows.eta
    dpull *= body.m[:, None, None]
    dforce = dpull.sum(axis=0) - on.dF
    displaced = np.einsum("pij,pjr->ir", np.array([x(f) for f in pull]), body.gamma)
    dmoment = (tilde @ dpull).sum(axis=0) - displaced @ rows.eta + body.J @ rows.alpha + body.F @ rows.etadd
    dmoment += x(on.F) @ g.gamma @ rows.eta - x(p) @ on.dF - on.dT
    dmodes = np.einsum("pir,piz->rz", body.gamma, dpull) + body.F.T @ rows.alpha + body.G @ rows.etadd
    dmodes += body.k[:, None] * rows.eta - g.gamma.T @ on.dF - turned.T @ on.dT - on.dwork
    dmodes += np.tensordot(carried, body.stiffening, 1) @ rows.eta + soft.T @ np.vstack([on.dT, on.dF])
    torque = -on.axes @ on.T
    dtorque = -on.axes @ on.dT - np.einsum("kiz,i->kz", on.daxes, on.T)
    return np.concatenate([force, moment, modes, torque]), np.vstack([dforce, dmoment, dmodes, dtorque])


def steady(body: Missile, engine: Engine, free: tuple[bool, bool], deformed: bool = True) -> Steady:
    """Return the state under thrust: modes at rest (deformed), or the instant of ignition (not deformed).

    free : whether pitch and yaw gimbals are frictionless, or held
    """
    n = body.n
    z = np.zeros(8 + n + n + 2)
    unknown = np.r_[
        0:6, (8 + n + np.arange(n)) if deformed else (6 + np.arange(n)), 6 + n + np.flatnonzero(free)
    ]
    held = np.r_[0 : 6 + n, 6 + n + np.flatnonzero(free)]
    for _ in range(20):
        s = steady_of(z, n)
        residual, rows = balance(body, engine, s)
        step = np.linalg.solve(rows[np.ix_(held, unknown)], -residual[held])
        z[unknown] += step
        if np.abs(step).max() <= 1e-15 * np.abs(z).max():
            break
    return steady_of(z, n)


def steady_of(z: np.ndarray, n: int) -> Steady:
    return Steady(z[:3], z[3:6], z[6 : 6 + n], z[6 + n : 8 + n], z[8 + n : 8 + 2 * n])


OUTPUTS = ("roll rate", "pitch rate", "yaw rate", "x acceleration", "y acceleration", "z acceleration",
           "pitch gimbal angle", "yaw gimbal angle")  # fmt: skip


def response(body: Missile, engine: Engine, s: Steady, free, axis: int, f_hz: np.ndarray) -> np.ndarray:
    """Return the response (8, nf) of `OUTPUTS` to the input of a gimbal axis (0 pitch, 1 yaw).

    The input is a torque where the axis is free, an angular acceleration where it is held. In second order form,
    with W = [a, α, η̈, δ̈] and rows (M, K) of `balance`: (M + C/s + K/s²) W = u.
    """
    n = body.n
    rows = balance(body, engine, s)[1]
    size = 8 + n
    M, K = rows[:, :size].copy(), np.zeros((size, size))
    K[:, 6:] = rows[:, size:]
    C = np.zeros((size, size))
    C[6 : 6 + n, 6 : 6 + n] = np.diag(body.c)
    for k in range(2):
        if not free[k]:
            M[6 + n + k], K[6 + n + k] = np.eye(size)[6 + n + k], 0.0
    u = np.eye(size)[6 + n + axis]
    lap = 2j * np.pi * np.asarray(f_hz)[:, None, None]
    W = np.linalg.solve(M + C / lap + K / lap**2, np.broadcast_to(u[:, None], (len(f_hz), size, 1)))[..., 0].T
    for k in range(2):
        if not free[k]:
            W[6 + n + k] = float(k == axis)  # exactly: no round-off of the solve
    lap = lap[:, 0, 0]
    eta = W[6 : 6 + n] / lap**2
    place = body.sensor
    theta = place.lam @ s.eta
    R, turned = turn(theta), slope(theta) @ place.lam
    p = place.l + place.gamma @ s.eta
    rate = R.T @ (W[3:6] + turned @ W[6 : 6 + n]) / lap
    a0 = s.a + np.cross(s.alpha, p) + place.gamma @ s.etadd
    acceleration = W[:3] - cross_matrix(p) @ W[3:6] + place.gamma @ W[6 : 6 + n]
    acceleration += cross_matrix(s.alpha) @ place.gamma @ eta + cross_matrix(a0) @ turned @ eta
    return np.vstack([rate, R.T @ acceleration, W[6 + n :] / lap**2])


def poles(body: Missile, engine: Engine, s: Steady, free) -> np.ndarray:
    """Return the poles of modes and free gimbals (those of the rigid motion, at zero, left out)."""
    n = body.n
    rows = balance(body, engine, s)[1]
    size = 8 + n
    keep = np.r_[0 : 6 + n, 6 + n + np.flatnonzero(free)]
    moving = np.r_[6 : 6 + n, 6 + n + np.flatnonzero(free)]
    inverse = np.linalg.inv(rows[np.ix_(keep, keep)])[6:]
    K = inverse @ rows[np.ix_(keep, size - 6 + moving)]
    C = np.zeros((len(keep), len(moving)))
    C[6 : 6 + n, :n] = np.diag(body.c)
    k = len(moving)
    return np.linalg.eigvals(np.block([[np.zeros((k, k)), np.eye(k)], [-K, -inverse @ C]]))
