"""Bricks of devices: limits and friction that carry complex numbers, axes, pairs of arguments.

Branches look at real parts; what is limited has a slope of zero, as it should.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.system.ports import Value, numbers


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


def unit_vector(value: Value, where: str) -> np.ndarray:
    """Return a direction (3,) of length one."""
    x = numbers(value, "", where)
    length = float(np.sqrt((x * x).sum())) if x.shape == (3,) else 0.0
    if length == 0.0:
        raise InputError(f"{where} is no direction", expected="three numbers, not all zero", got=repr(value))
    return x / length


def side_of(axis: np.ndarray) -> np.ndarray:
    """Return a direction (3,) across an axis: of the next coordinate axis, cyclic, as far as it is across."""
    start = np.roll(np.eye(3)[int(np.argmax(np.abs(axis)))], 1)
    side = start - axis * (axis @ start)
    return side / np.sqrt(side @ side)


def pair(value: object, names: tuple[str, ...], where: str) -> dict[str, Value]:
    """Return {name: value} of an argument that gives several at once, or the first alone."""
    given: list = list(value) if isinstance(value, tuple | list | np.ndarray) else [value]
    if not 0 < len(given) <= len(names):
        raise InputError(f"{where} does not fit", expected=f"({', '.join(names)})", got=repr(value))
    return dict(zip(names, given))
