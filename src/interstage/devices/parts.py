"""Bricks of devices: limits and friction that carry complex numbers, axes, pairs of arguments.

Branches look at real parts; what is limited has a slope of zero, as it should.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.simulation.plant.declarations import Value, numbers
from interstage.spatial import Rotation
from interstage.units import quantity, split_quantity, unit


@kernel
def limited(x, limit):
    """Return x, not beyond ±limit; a limit of zero is none."""
    if limit.real > 0.0:
        if x.real > limit.real:
            return limit + 0.0 * x
        if x.real < -limit.real:
            return -limit + 0.0 * x
    return x


@kernel
def sign_near(x, width):
    """Return the sign of x, smooth within ±width: tanh(x / width)."""
    y = x / width
    if y.real > 18.0:
        return 1.0 + 0.0 * y
    if y.real < -18.0:
        return -1.0 + 0.0 * y
    return np.tanh(y)


@kernel
def near_limit(x, push, limit):
    """Return the share of a push that is left near a limit of ±|x|: it falls to zero over the last hundredth.

    A push that leads away from the limit is left whole; a limit of zero is none.
    """
    one = 1.0 + 0.0 * x
    if limit.real <= 0.0 or (x * push).real <= 0.0:
        return one
    room = (limit - x if x.real > 0.0 else limit + x) / (0.01 * limit)
    if room.real >= 1.0:
        return one
    return room if room.real > 0.0 else 0.0 * one


@kernel
def rounded(x, step):
    """Return the whole multiple of a step that is nearest to x; a step of zero rounds nothing."""
    if step.real > 0.0:
        return step * np.rint((x / step).real)
    return x


@kernel
def between(x, y, at):
    """Return a table y over increasing x, straight between its points, its end values outside."""
    k = 0
    while k < len(x) - 2 and at.real >= x[k + 1].real:
        k += 1
    u = (at - x[k]) / (x[k + 1] - x[k])
    if u.real < 0.0:
        u = 0.0 * u
    elif u.real > 1.0:
        u = 1.0 + 0.0 * u
    return y[k] + u * (y[k + 1] - y[k])


@kernel
def turned_back(q, x, out):
    """Write R(q)ᵀ x (3,) of a unit quaternion: a vector in the axes that q has turned; `out` is not x."""
    w, a, b, c = q[0], -q[1], -q[2], -q[3]
    u, v, s = 2.0 * (b * x[2] - c * x[1]), 2.0 * (c * x[0] - a * x[2]), 2.0 * (a * x[1] - b * x[0])
    out[0] = x[0] + w * u + b * s - c * v
    out[1] = x[1] + w * v + c * u - a * s
    out[2] = x[2] + w * s + a * v - b * u


def unit_vector(value: Value, where: str) -> np.ndarray:
    """Return a direction (3,) of length one."""
    x = numbers(value, "", where)
    length = float(np.sqrt((x * x).sum())) if x.shape == (3,) else 0.0
    if length == 0.0:
        raise InputError(f"{where} is no direction", expected="three numbers, not all zero", got=repr(value))
    return x / length


def quaternion_of(value: object, where: str) -> np.ndarray:
    """Return the unit quaternion (4,) of a `Rotation`, a matrix (3, 3) or a quaternion."""
    if isinstance(value, Rotation):
        return value.quaternion
    x = numbers(value, "", where)  # type: ignore[arg-type]
    if x.shape == (3, 3):
        return Rotation.from_matrix(x).quaternion
    if x.shape != (4,) or not (x @ x) > 0.0:
        raise InputError(
            f"{where} is no attitude", expected="a Rotation, a matrix or a quaternion", got=repr(value)
        )
    return x / np.sqrt(x @ x)


def side_of(axis: np.ndarray) -> np.ndarray:
    """Return a direction (3,) across an axis: of the next coordinate axis, cyclic, as far as it is across."""
    start = np.roll(np.eye(3)[int(np.argmax(np.abs(axis)))], 1)
    side = start - axis * (axis @ start)
    return side / np.sqrt(side @ side)


def with_directions(
    values: dict[str, Value], name: str, axis: str, side: str, default: Sequence[float]
) -> dict[str, Value]:
    """Return values with an axis and a direction across it, both of length one."""
    a = unit_vector(values.get(axis, default), f"{name}.{axis}")
    b = unit_vector(values.get(side, side_of(a)), f"{name}.{side}")
    across = unit_vector(b - a * (a @ b), f"{name}.{side} across its {axis}")
    return {**values, axis: a, side: across}


def pair(value: object, names: tuple[str, ...], where: str) -> dict[str, Value]:
    """Return {name: value} of an argument that gives several at once, or the first alone."""
    given: list = list(value) if isinstance(value, tuple | list | np.ndarray) else [value]
    if not 0 < len(given) <= len(names):
        raise InputError(f"{where} does not fit", expected=f"({', '.join(names)})", got=repr(value))
    return dict(zip(names, given))


def whole(value: Value, where: str) -> Value:
    """Return a value that is a whole number, or refuse it."""
    if (numbers(value, "", where) % 1.0).any():
        raise InputError(f"{where} is a whole number", got=repr(value))
    return value


def hertz(value: Value, where: str) -> Value:
    """Return a frequency in Hz; strings may say rad/s."""
    if isinstance(value, str) and unit(split_quantity(value, where)[1]).same_kind(unit("rad/s")):
        return quantity(value, "rad/s", where) / (2.0 * np.pi)
    return value
