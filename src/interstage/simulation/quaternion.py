"""Quaternions for flight software: how an attitude moves, and how far it is from another.

q = [w, x, y, z], scalar first, of x_world = R(q) x_body; products follow those of matrices. Rotation vectors are in
body axes. All functions take complex numbers too, for derivatives.

>>> rotate_by([1, 0, 0, 0], [0, 0, 0.2]).round(6)
array([0.995004, 0.      , 0.      , 0.099833])
>>> attitude_error(rotate_by([1, 0, 0, 0], [0, 0, 0.2]), [1, 0, 0, 0]).round(12)
array([0. , 0. , 0.2])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.errors import InputError
from interstage.spatial.functions import with_output, written_by
from interstage.spatial.quaternion import (
    quaternion_conjugate,
    quaternion_multiply,
    quaternion_normalize,
    quaternion_rotate,
    quaternion_step,
    quaternion_to_rotvec,
)


def _numbers(value: ArrayLike, size: int, name: str) -> np.ndarray:
    """Return `size` numbers, real or complex; a quaternion is not zero."""
    try:
        array = np.asarray(value)
        array = np.ascontiguousarray(array, dtype=complex if np.iscomplexobj(array) else float)
    except (TypeError, ValueError, RuntimeWarning):
        array = np.zeros(0)
    if array.shape != (size,):
        raise InputError(f"{name} has a wrong size", expected=f"{size} numbers", got=repr(value)[:60])
    if size == 4 and not np.any(array):
        raise InputError(f"{name} is zero: no attitude", expected="a quaternion, scalar first")
    return array


def rotate_by(q: ArrayLike, angle: ArrayLike) -> np.ndarray:
    """Return q turned by a rotation vector (3,) in body axes, rad: q exp(δ), of length 1."""
    out = written_by(quaternion_step, 4, _numbers(q, 4, "q"), _numbers(angle, 3, "angle"))
    quaternion_normalize(out, out)
    return out


def propagate(q: ArrayLike, rate: ArrayLike, dt: float) -> np.ndarray:
    """Return the attitude after dt seconds at a constant angular velocity (3,) in body axes, rad/s: exact."""
    return rotate_by(q, _numbers(rate, 3, "rate") * dt)


def attitude_error(q: ArrayLike, commanded: ArrayLike) -> np.ndarray:
    """Return how far an attitude is ahead of another: log(commanded⁻¹ q) (3,), rad, body axes, at most π long.

    rotate_by(q, -attitude_error(q, commanded)) is `commanded`, and a law steers by -K @ error.
    """
    p, c, out = with_output(3, _numbers(q, 4, "q"), _numbers(commanded, 4, "commanded"))
    back = np.empty(4, dtype=p.dtype)
    quaternion_conjugate(c, back)
    quaternion_multiply(back, p, back)
    quaternion_to_rotvec(back, out)
    return out


def product(p: ArrayLike, q: ArrayLike) -> np.ndarray:
    """Return p q (4,): q_NC = q_NB q_BC."""
    return written_by(quaternion_multiply, 4, _numbers(p, 4, "p"), _numbers(q, 4, "q"))


def inverse(q: ArrayLike) -> np.ndarray:
    """Return the quaternion (4,) of the inverse rotation, of length 1."""
    out = written_by(quaternion_conjugate, 4, _numbers(q, 4, "q"))
    quaternion_normalize(out, out)
    return out


def rotate(q: ArrayLike, x: ArrayLike) -> np.ndarray:
    """Return R(q) x (3,): a vector in body axes as the world has it."""
    return written_by(quaternion_rotate, 3, _numbers(q, 4, "q"), _numbers(x, 3, "x"))


__getattr__ = former_names(__name__)
