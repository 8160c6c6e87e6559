"""Springs, dampers and bushings between nodes.

Springs and dampers along the line between two places.

With s = |p_b - p_a| and its rate ṡ, the force that pulls the places together is

    Spring       f = k (s - length) + c ṡ
    NonlinearSpring  f = F(s - length) + G(ṡ),   tables with smooth slopes, continued straight beyond their ends
    Cable        f = k (s - length) + c (ṡ - winding)   where s > length and that is positive, else 0

It acts on both, equal and opposite, so that momentum is kept. Places that coincide pull each other nowhere.

A bushing: six springs and dampers between two places, coupled as a matrix says.

In the axes of place a, with p = R_aᵀ(p_b - p_a) and the rotation vector θ of R_aᵀ R_b,

    e = [θ - θ0; p - p0],   [m; f] = -K e - C [ω_b - ω_a; ṗ],   force on b = f,   torque on b = J_l(θ)⁻ᵀ m

and on a the opposite at the same point: -f with the torque -J_l⁻ᵀ m - p × f. The spring has the potential
½ eᵀ K e exactly, at large angles too: θ̇ = J_l⁻¹ (ω_b - ω_a). The order of six numbers is rotations, then translations.
"""

from __future__ import annotations

import numpy as np

from interstage._renamed import former_names
from interstage.devices.tables import look_up, slopes_of
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.multibody.kernels.algebra import add, cross, polynomial_of_skew, scale, sub, turn, turn_back
from interstage.simulation.plant.declarations import In, Limit, Out, Parameter, Site, Value, numbers, state_of
from interstage.simulation.plant.device import Device, RecordView
from interstage.spatial.quaternion import quaternion_to_rotvec
from interstage.spatial.rotvec import jacobian_coefficients


@kernel
def line_between(p_a, p_b, v_a, v_b):
    """Return distance, its rate, and the direction (three numbers) from a to b."""
    x, y, z = p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2]
    s = np.sqrt(x * x + y * y + z * z)
    if s.real > 0.0:
        x, y, z = x / s, y / s, z / s
    rate = x * (v_b[0] - v_a[0]) + y * (v_b[1] - v_a[1]) + z * (v_b[2] - v_a[2])
    return s, rate, x, y, z


@kernel
def pull_together(f, x, y, z, on_a, on_b):
    """Write a force along a direction on a, and the opposite on b."""
    on_a[0], on_a[1], on_a[2] = f * x, f * y, f * z
    on_b[0], on_b[1], on_b[2] = -f * x, -f * y, -f * z


@kernel
def straight_beyond(x, y, slope, at):
    """Return a table (n, 1) at a value; beyond its ends it goes on with its last slope."""
    n = len(x) - 1
    if at.real < x[0].real:
        return y[0, 0] + slope[0, 0] * (at - x[0])
    if at.real > x[n].real:
        return y[n, 0] + slope[n, 0] * (at - x[n])
    return look_up(x, y, slope, 0, at)


class Line:
    """What springs and cables have in common: two places and the line between them."""

    a, b = Site(), Site()
    p_a, p_b = a.position(), b.position()
    v_a, v_b = a.velocity("world"), b.velocity("world")
    stretch, pull = Out("m"), Out("N")
    on_a, on_b = a.force("world"), b.force("world")


class Spring(Line, Device):
    """A linear spring with a damper between two places.

    a, b : places;  stiffness, damping : along the line between them;  length : where the spring is at rest
    stretch : s - length;  pull : the force, positive where it pulls the places together
    """

    stiffness = Parameter("N/m", least=0.0)
    damping = Parameter("N*s/m", 0.0, least=0.0)
    length = Parameter("m", 0.0, least=0.0)

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        d.pull = d.stiffness * d.stretch + d.damping * rate
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)


class NonlinearSpring(Line, Device):
    """A spring and a damper by tables between two places.

    a, b : places;  length : from which the stretch counts
    force : (stretches, forces), increasing stretches;  drag : (rates, forces), increasing rates; none by default
    """

    length = Parameter("m", 0.0, least=0.0)
    stretches = Parameter("m", size="n", increasing=True)
    forces, force_slopes = Parameter("N", size=("n", 1)), Parameter("N/m", size=("n", 1))
    speeds = Parameter("m/s", size="m", increasing=True)
    drags, drag_slopes = Parameter("N", size=("m", 1)), Parameter("N*s/m", size=("m", 1))

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return tables with their slopes of the arguments `force` and `drag`."""
        found = dict(values)
        if "force" not in found:
            raise InputError("NonlinearSpring needs force=(stretches, forces)")
        tables = (
            ("force", ("stretches", "forces", "force_slopes"), ("m", "N")),
            ("drag", ("speeds", "drags", "drag_slopes"), ("m/s", "N")),
        )
        for name, fields, units in tables:
            given = found.pop(name, ([-1.0, 1.0], [0.0, 0.0]))
            where = f"NonlinearSpring.{name}"
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise InputError(f"{where} is a pair of rows", got=repr(given)[:60])
            x, y = (numbers(row, unit, where) for row, unit in zip(given, units))
            if x.ndim != 1 or x.shape != y.shape or len(x) < 2 or not (np.diff(x) > 0.0).all():
                raise InputError(
                    f"{where} is no table",
                    expected="two rows of equal length, the first one increasing",
                    got=f"{x.shape} and {y.shape}" if x.shape != y.shape else np.array2string(x, threshold=6),
                )
            found |= {fields[0]: x, fields[1]: y[:, None], fields[2]: slopes_of(x, y[:, None])}
        return found

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        d.pull = straight_beyond(d.stretches, d.forces, d.force_slopes, d.stretch)
        d.pull += straight_beyond(d.speeds, d.drags, d.drag_slopes, rate)
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)


class Cable(Line, Device):
    """A cable between two places: it pulls where it is taut and never pushes; a winch changes its length.

    a, b : places;  stiffness, damping : of the taut cable
    length : input, of the unstretched cable;  winding : input, the rate of the length
    """

    stiffness = Parameter("N/m", above=0.0)
    damping = Parameter("N*s/m", 0.0, least=0.0)
    length, winding = In("m", default=1.0), In("m/s", default=0.0)

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return whether the cable is slack."""
        return [state_of("cable", "is slack: it pulls nothing")] if d.pull == 0.0 else []

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        f = d.stiffness * d.stretch + d.damping * (rate - d.winding)
        d.pull = f if d.stretch.real > 0.0 and f.real > 0.0 else 0.0 * f
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)


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

    a, b = Site(), Site()
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


__getattr__ = former_names(__name__)
