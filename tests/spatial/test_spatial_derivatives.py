"""Every kernel of spatial vectors and inertia has the slope by complex step that analysis gives.

The analytic slopes are the product rule on numpy's matrices, perturbation theory for principal axes, and
share no code with the kernels. Tolerance and reason: `check_slope`.
"""

from __future__ import annotations

import numpy as np
import pytest
from spatial_helpers import STEP, Cases, check_slope, exp_rotation, hat, point_cloud, public_kernels, writes

from interstage.spatial import inertia_kernels, motion

pytestmark = pytest.mark.kernels

CASES = Cases()
case = CASES.add


def motion_of(R, p):
    return np.block([[R, np.zeros((3, 3))], [hat(p) @ R, R]])


def motion_of_slope(R, p, dR, dp):
    return np.block([[dR, np.zeros((3, 3))], [hat(dp) @ R + hat(p) @ dR, dR]])


def turned(X):
    """Blocks of a motion matrix in the places of a force matrix."""
    return np.block([[X[:3, :3], X[3:, :3]], [np.zeros((3, 3)), X[:3, :3]]])


def inverse_motion_slope(R, p, V, dR, dp, dV):
    """ω_B = Rᵀω, v_B = Rᵀ(v − p×ω), by the product rule."""
    u, du = V[3:] - np.cross(p, V[:3]), dV[3:] - np.cross(dp, V[:3]) - np.cross(p, dV[:3])
    return np.r_[dR.T @ V[:3] + R.T @ dV[:3], dR.T @ u + R.T @ du]


def inverse_force_slope(R, p, F, dR, dp, dF):
    slope = inverse_motion_slope(R, p, np.r_[F[3:], F[:3]], dR, dp, np.r_[dF[3:], dF[:3]])
    return np.r_[slope[3:], slope[:3]]


def cross_of(V):
    return np.block([[hat(V[:3]), np.zeros((3, 3))], [hat(V[3:]), hat(V[:3])]])


def add_motion_cases():
    g = np.random.default_rng(20)
    R, p, V, F = exp_rotation(g.normal(size=3)), g.normal(size=3), g.normal(size=6), g.normal(size=6)
    case(
        "transform_motion",
        writes(motion.transform_motion, 6),
        [R, p, V],
        lambda R, p, V, dR, dp, dV: motion_of_slope(R, p, dR, dp) @ V + motion_of(R, p) @ dV,
    )
    case(
        "transform_force",
        writes(motion.transform_force, 6),
        [R, p, F],
        lambda R, p, F, dR, dp, dF: turned(motion_of_slope(R, p, dR, dp)) @ F + turned(motion_of(R, p)) @ dF,
    )
    case(
        "transform_motion_inverse",
        writes(motion.transform_motion_inverse, 6),
        [R, p, V],
        inverse_motion_slope,
    )
    case("transform_force_inverse", writes(motion.transform_force_inverse, 6), [R, p, F], inverse_force_slope)
    case("motion_matrix", writes(motion.motion_matrix, (6, 6)), [R, p], motion_of_slope)
    case(
        "force_matrix",
        writes(motion.force_matrix, (6, 6)),
        [R, p],
        lambda R, p, dR, dp: turned(motion_of_slope(R, p, dR, dp)),
    )
    case(
        "cross_motion",
        writes(motion.cross_motion, 6),
        [V, F],
        lambda V, U, dV, dU: cross_of(dV) @ U + cross_of(V) @ dU,
    )
    case(
        "cross_force",
        writes(motion.cross_force, 6),
        [V, F],
        lambda V, F, dV, dF: -cross_of(dV).T @ F - cross_of(V).T @ dF,
    )
    case("crm", writes(motion.crm, (6, 6)), [V], lambda V, dV: cross_of(dV))
    case("crf", writes(motion.crf, (6, 6)), [V], lambda V, dV: -cross_of(dV).T)


def steiner(m, d):
    return m * (d @ d * np.eye(3) - np.outer(d, d))


def steiner_slope(m, d, dm, dd):
    return steiner(dm, d) + m * (2 * (d @ dd) * np.eye(3) - np.outer(d, dd) - np.outer(dd, d))


def about_slope(m, c, I, p, dm, dc, dI, dp):
    return dI + steiner_slope(m, c - p, dm, dc - dp)


def about_com_slope(m, c, J, p, dm, dc, dJ, dp):
    return dJ - steiner_slope(m, c - p, dm, dc - dp)


def spatial_slope(m, c, I, dm, dc, dI):
    first = hat(dm * c + m * dc)
    return np.block([[dI + steiner_slope(m, c, dm, dc), first], [first.T, dm * np.eye(3)]])


def spatial_of(m, c, I):
    return np.block([[I + steiner(m, c), m * hat(c)], [m * hat(c).T, m * np.eye(3)]])


def momentum_slope(m, c, I, V, dm, dc, dI, dV):
    return spatial_slope(m, c, I, dm, dc, dI) @ V + spatial_of(m, c, I) @ dV


def transformed_slope(R, p, M, dR, dp, dM):
    X, dX = turned(motion_of(R, p)), turned(motion_of_slope(R, p, dR, dp))
    return symmetric(dX @ M @ X.T + X @ dM @ X.T + X @ M @ dX.T)


def symmetric(M):
    return 0.5 * (M + M.T)


def sum_slope(m1, c1, I1, m2, c2, I2, dm1, dc1, dI1, dm2, dc2, dI2):
    m, dm = m1 + m2, dm1 + dm2
    com = (m1 * c1 + m2 * c2) / m
    dcom = (dm1 * c1 + m1 * dc1 + dm2 * c2 + m2 * dc2 - dm * com) / m
    dI = (
        dI1
        + dI2
        + steiner_slope(m1, c1 - com, dm1, dc1 - dcom)
        + steiner_slope(m2, c2 - com, dm2, dc2 - dcom)
    )
    return np.r_[dm, dcom, dI.ravel()]


def rest_slope(m, c, I, m1, c1, I1, dm, dc, dI, dm1, dc1, dI1):
    m2, dm2 = m - m1, dm - dm1
    c2 = (m * c - m1 * c1) / m2
    dc2 = (dm * c + m * dc - dm1 * c1 - m1 * dc1 - dm2 * c2) / m2
    dI2 = dI - dI1 - steiner_slope(m1, c1 - c, dm1, dc1 - dc) - steiner_slope(m2, c2 - c, dm2, dc2 - dc)
    return np.r_[dm2, dc2, dI2.ravel()]


def combined(kernel):
    """(mass, com, inertia) in one flat array."""

    def function(*args):
        dtype = np.result_type(float, *args)
        com, inertia = np.empty(3, dtype), np.empty((3, 3), dtype)
        mass = kernel(*[a[()] if a.ndim == 0 else a for a in args], com, inertia)
        return np.r_[mass, com, inertia.ravel()]

    return function


def principal(I):
    work, moments, axes = np.empty_like(I), np.empty(3, I.dtype), np.empty_like(I)
    inertia_kernels.principal_inertia(I, work, moments, axes)
    return np.vstack([moments, axes])


def principal_slope(I, dI):
    real = principal(I)
    m, A = real[0], real[1:]
    D = A.T @ symmetric(dI) @ A
    gaps = m[None, :] - m[:, None] + np.eye(3)
    turn = np.where(np.eye(3) == 1, 0.0, D / gaps)
    return np.vstack([np.diag(D), A @ turn])


def add_inertia_cases():
    g = np.random.default_rng(20)
    m, c, I = point_cloud(g.uniform(0.5, 2, 5), g.normal(size=(5, 3)))
    m2, c2, I2 = point_cloud(g.uniform(0.1, 0.3, 5), g.normal(size=(5, 3)))
    R, p, V = exp_rotation(g.normal(size=3)), g.normal(size=3), g.normal(size=6)
    k = inertia_kernels
    case("inertia_about_point", writes(k.inertia_about_point, (3, 3)), [m, c, I, p], about_slope)
    case("inertia_about_com", writes(k.inertia_about_com, (3, 3)), [m, c, I, p], about_com_slope)
    case("inertia_matrix", writes(k.inertia_matrix, (6, 6)), [m, c, I], spatial_slope)
    case("inertia_momentum", writes(k.inertia_momentum, 6), [m, c, I, V], momentum_slope)

    def transformed(R, p, M):
        return writes(k.transform_inertia, (6, 6))(R, p, symmetric(M))

    def shifted(p, M):
        out = symmetric(M)
        k.shift_inertia(p, out)
        return out

    M = g.normal(size=(6, 6))
    case(
        "transform_inertia",
        transformed,
        [R, p, M @ M.T],
        lambda R, p, M, dR, dp, dM: transformed_slope(R, p, symmetric(M), dR, dp, symmetric(dM)),
    )
    case(
        "shift_inertia",
        shifted,
        [p, M @ M.T],
        lambda p, M, dp, dM: transformed_slope(np.eye(3), p, symmetric(M), 0 * M[:3, :3], dp, symmetric(dM)),
    )
    case("add_inertia", combined(k.add_inertia), [m, c, I, m2, c2, I2], sum_slope)
    case("remove_inertia", combined(k.remove_inertia), [m, c, I, m2, c2, I2], rest_slope)
    case("principal_inertia", principal, [I], principal_slope)
    case("principal_inertia", principal, [np.diag([3.0, 1.0, 2.0])], principal_slope, "[diagonal]")


add_motion_cases()
add_inertia_cases()


@pytest.mark.parametrize("entry", CASES.entries, ids=CASES.names())
def test_complex_step_slope_is_the_analytic_one(entry):
    check_slope(entry)


def test_every_kernel_has_its_slope_checked():
    missing = public_kernels(motion, inertia_kernels) - CASES.covered()
    assert not missing, f"kernels without a case in this file: {sorted(missing)}"


def test_kernels_take_real_matrices_with_complex_vectors():
    """Frames are often constants while the state carries the step."""
    g = np.random.default_rng(20)
    R, p, V = exp_rotation(g.normal(size=3)), g.normal(size=3), g.normal(size=6) + 1j * STEP
    out = np.empty(6, complex)
    motion.transform_motion(R, p, V, out)
    np.testing.assert_allclose(out.imag / STEP, motion_of(R, p) @ np.ones(6), rtol=1e-14)
