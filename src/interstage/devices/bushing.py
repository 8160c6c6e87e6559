"""A bushing: six springs and dampers between two places, coupled as a matrix says.

In the axes of place a, with p = R_aᵀ(p_b - p_a) and the rotation vector θ of R_aᵀ R_b,

    e = [θ - θ0; p - p0],   [m; f] = -K e - C [ω_b - ω_a; ṗ],   force on b = f,   torque on b = J_l(θ)⁻ᵀ m

and on a the opposite at the same point: -f with the torque -J_l⁻ᵀ m - p × f. The spring has the potential
½ eᵀ K e exactly, at large angles too: θ̇ = J_l⁻¹ (ω_b - ω_a). The order of six numbers is rotations, then translations.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.multibody.kernels.small import add, cross, polynomial_of_skew, scale, sub, turn, turn_back
from interstage.spatial.quaternion import quaternion_to_rotvec
from interstage.spatial.rotvec import jacobian_coefficients
from interstage.system.device import Device
from interstage.system.ports import Out, Parameter, Place, Value, numbers


@kernel
def relative_quaternion(a, b):
    """Return a⁻¹ b of unit quaternions."""
    v, u = (-a[1], -a[2], -a[3]), (b[1], b[2], b[3])
    x = add(add(scale(a[0], u), scale(b[0], v)), cross(v, u))
    return (a[0] * b[0] - v[0] * u[0] - v[1] * u[1] - v[2] * u[2], x[0], x[1], x[2])


@kernel
def axes_of(q):
    """Return R (nine numbers) of a unit quaternion: I + 2 w [v]× + 2 [v]×²."""
    return polynomial_of_skew((q[1], q[2], q[3]), 2.0 * q[0], 2.0 + 0.0 * q[0])


@kernel
def six_of(K, i, x, y):
    """Return row i of K (6, 6) times [x; y]."""
    s = K[i, 0] * x[0] + K[i, 1] * x[1] + K[i, 2] * x[2]
    return s + K[i, 3] * y[0] + K[i, 4] * y[1] + K[i, 5] * y[2]


@kernel
def torque_of_rotvec(theta, m):
    """Return J_l(θ)⁻ᵀ m = m + ½ θ×m - b2/(2 a2) θ×(θ×m), the torque that does the work of m on θ̇."""
    a2, _, b2, _ = jacobian_coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    x = cross(theta, m)
    return add(add(m, scale(0.5, x)), scale(-0.5 * b2 / a2, cross(theta, x)))


class Bushing(Device):
    """Six springs and dampers between two places, in the axes of place a.

    a, b : places;  stiffness, damping : (6, 6), or (6,) on the diagonal; first of rotations, then of translations, SI
    rest : [θ0; p0] (6,), where no spring is stretched
    angle, apart : θ and p;  torque, force : on b, in the axes of a
    """

    a, b = Place(), Place()
    stiffness = Parameter("", size=(6, 6))
    damping = Parameter("", np.zeros((6, 6)))
    rest = Parameter("", [0.0] * 6)
    p_a, p_b, q_a, q_b = a.position(), b.position(), a.attitude(), b.attitude()
    v_a, v_b, w_a, w_b = a.velocity("world"), b.velocity("world"), a.rate("world"), b.rate("world")
    angle, apart, torque, force = Out("rad", 3), Out("m", 3), Out("N*m", 3), Out("N", 3)
    on_a, on_b = a.force("world"), b.force("world")
    torque_on_a, torque_on_b = a.torque("world"), b.torque("world")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return matrices of rows that are diagonals; they are symmetric and have no negative eigenvalue."""
        found = dict(values)
        for name in ("stiffness", "damping"):
            if name not in found:
                continue
            K = numbers(found[name], "", f"Bushing.{name}")
            K = np.diag(K) if K.shape == (6,) else K
            if K.shape != (6, 6) or np.abs(K - K.T).max() > 1e-9 * np.abs(K).max():
                raise InputError(f"Bushing.{name} must be symmetric", expected="6 or 6 x 6 numbers")
            if np.linalg.eigvalsh(K).min() < -1e-9 * np.abs(K).max():
                least = np.linalg.eigvalsh(K).min()
                raise InputError(f"Bushing.{name} has a negative eigenvalue", got=f"{least:g}")
            found[name] = K
        return found

    def outputs(d, t):
        R, r = axes_of(d.q_a), sub(d.p_b, d.p_a)
        p = turn_back(R, r)
        # velocity of b beside a that turns
        moving = turn_back(R, sub(sub(d.v_b, d.v_a), cross(d.w_a, r)))
        turning = turn_back(R, sub(d.w_b, d.w_a))
        quaternion_to_rotvec(relative_quaternion(d.q_a, d.q_b), d.angle)
        off = sub(d.angle, (d.rest[0], d.rest[1], d.rest[2]))
        away = sub(p, (d.rest[3], d.rest[4], d.rest[5]))
        for i in range(3):
            d.apart[i] = p[i]
            d.torque[i] = -six_of(d.stiffness, i, off, away)
            d.force[i] = -six_of(d.stiffness, 3 + i, off, away) - six_of(d.damping, 3 + i, turning, moving)
        m = torque_of_rotvec((d.angle[0], d.angle[1], d.angle[2]), (d.torque[0], d.torque[1], d.torque[2]))
        for i in range(3):
            # dampers turn with ω itself
            d.torque[i] = m[i] - six_of(d.damping, i, turning, moving)
        f, m = turn(R, d.force), turn(R, d.torque)
        arm = cross(r, f)
        for i in range(3):
            d.on_b[i], d.on_a[i] = f[i], -f[i]
            d.torque_on_b[i], d.torque_on_a[i] = m[i], -m[i] - arm[i]
