"""Call the kernels with fresh outputs: `b_from_a(a)` returns what the kernel `a_to_b(a, b)` writes.

For scripts and tests. Arguments are anything numpy takes as real or complex numbers; the result is complex
where an argument is. Frames and units are those of the kernels.

>>> import numpy as np
>>> matrix_from_rotvec([0, 0, np.pi / 2]).round(12) + 0.0
array([[ 0., -1.,  0.],
       [ 1.,  0.,  0.],
       [ 0.,  0.,  1.]])
>>> left_jacobian([0.0, 0.0, 0.0]).diagonal()
array([1., 1., 1.])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.spatial import euler, inertia_kernels, motion, quaternion, rotvec

AXES = {"x": 0, "y": 1, "z": 2}


def euler_axes(sequence: str) -> tuple[int, int, int]:
    """Return the axis numbers of a sequence such as "xyz" or "ZXZ" (letter case has no meaning).

    >>> euler_axes("zxz")
    (2, 0, 2)
    """
    letters = sequence.lower() if isinstance(sequence, str) else ""
    if len(letters) != 3 or any(letter not in AXES for letter in letters):
        raise InputError(
            "not a sequence of Euler angles", expected="three of the letters x, y, z", got=repr(sequence)
        )
    if letters[0] == letters[1] or letters[1] == letters[2]:
        raise InputError(
            "an Euler sequence turns about the same axis twice in a row",
            expected="neighbouring letters that differ, such as 'xyz' or 'zxz'",
            got=repr(sequence),
        )
    return AXES[letters[0]], AXES[letters[1]], AXES[letters[2]]


def with_output(shape: int | tuple[int, ...], *values: ArrayLike) -> list[np.ndarray]:
    """Return the inputs as contiguous arrays of one dtype, and an empty output of that dtype."""
    arrays = [np.asarray(value) for value in values]
    dtype = complex if any(np.iscomplexobj(array) for array in arrays) else float
    return [np.asarray(array, dtype=dtype, order="C") for array in arrays] + [np.empty(shape, dtype=dtype)]


def written_by(kernel: Callable[..., None], shape: int | tuple[int, ...], *values: ArrayLike) -> np.ndarray:
    """Return what a kernel f(*values, out) writes to an output of a shape."""
    arrays = with_output(shape, *values)
    kernel(*arrays)
    return arrays[-1]


def skew_matrix(a: ArrayLike) -> np.ndarray:
    """Return [a]× (3, 3), [a]× b = a×b. Not by a kernel: every first result would wait for it."""
    x, y, z = np.asarray(a)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def matrix_from_rotvec(theta: ArrayLike) -> np.ndarray:
    """Return exp([θ]×) (3, 3)."""
    return written_by(rotvec.rotvec_to_matrix, (3, 3), theta)


def matrix_from_quaternion(q: ArrayLike) -> np.ndarray:
    """Return R(q/|q|) (3, 3) of a scalar-first quaternion."""
    return written_by(quaternion.quaternion_to_matrix, (3, 3), q)


def matrix_from_euler(sequence: str, angles: ArrayLike) -> np.ndarray:
    """Return R_i(a) R_j(b) R_k(c) (3, 3) of intrinsic angles (3,) in radians."""
    angles, R = with_output((3, 3), angles)
    euler.euler_to_matrix(*euler_axes(sequence), angles, R)
    return R


def matrix_from_axis_angle(axis: ArrayLike, angle: float | complex) -> np.ndarray:
    """Return the turn (3, 3) by an angle in radians about a unit axis (3,)."""
    n, turn, R = with_output((3, 3), axis, angle)
    rotvec.axis_angle_to_matrix(n, turn[()], R)
    return R


def quaternion_from_rotvec(theta: ArrayLike) -> np.ndarray:
    """Return the unit quaternion (4,) of a rotation vector."""
    return written_by(quaternion.rotvec_to_quaternion, 4, theta)


def quaternion_from_matrix(R: ArrayLike) -> np.ndarray:
    """Return the unit quaternion (4,) of a rotation matrix, w >= 0."""
    return written_by(quaternion.matrix_to_quaternion, 4, R)


def quaternion_product(p: ArrayLike, q: ArrayLike) -> np.ndarray:
    """Return p q (4,)."""
    return written_by(quaternion.quaternion_multiply, 4, p, q)


def rotvec_from_matrix(R: ArrayLike) -> np.ndarray:
    """Return log R (3,), at most π long."""
    return written_by(quaternion.matrix_to_rotvec, 3, R)


def rotvec_from_quaternion(q: ArrayLike) -> np.ndarray:
    """Return the rotation vector (3,) of q/|q|, at most π long."""
    return written_by(quaternion.quaternion_to_rotvec, 3, q)


def euler_from_matrix(sequence: str, R: ArrayLike) -> np.ndarray:
    """Return the intrinsic angles (3,) in radians of a rotation matrix."""
    R, angles = with_output(3, R)
    euler.matrix_to_euler(*euler_axes(sequence), R, angles)
    return angles


def left_jacobian(theta: ArrayLike) -> np.ndarray:
    """Return J_l(θ) (3, 3): ω = J_l θ̇."""
    return written_by(rotvec.rotvec_jacobian, (3, 3), theta)


def left_jacobian_inverse(theta: ArrayLike) -> np.ndarray:
    """Return J_l(θ)⁻¹ (3, 3)."""
    return written_by(rotvec.rotvec_jacobian_inverse, (3, 3), theta)


def left_jacobian_bias(theta: ArrayLike, thetadot: ArrayLike) -> np.ndarray:
    """Return J̇_l θ̇ (3,)."""
    return written_by(rotvec.rotvec_bias, 3, theta, thetadot)


def motion_transform(R: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Return X (6, 6), V_A = X V_B, of R_AB and p_AB."""
    return written_by(motion.motion_matrix, (6, 6), R, p)


def force_transform(R: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Return X (6, 6), F_A = X F_B, of R_AB and p_AB."""
    return written_by(motion.force_matrix, (6, 6), R, p)


def cross_motion_matrix(V: ArrayLike) -> np.ndarray:
    """Return crm(V) (6, 6)."""
    return written_by(motion.crm, (6, 6), V)


def cross_force_matrix(V: ArrayLike) -> np.ndarray:
    """Return crf(V) (6, 6)."""
    return written_by(motion.crf, (6, 6), V)


def spatial_inertia(mass: float, com: ArrayLike, I_com: ArrayLike) -> np.ndarray:
    """Return the spatial inertia (6, 6) about the frame's origin."""
    m, c, J, M = with_output((6, 6), mass, com, I_com)
    inertia_kernels.inertia_matrix(m[()], c, J, M)
    return M
