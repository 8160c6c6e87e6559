"""Tables with smooth slopes: cubic pieces through points, C¹, monotone where the points are (Fritsch and Carlson 1980).

    y(x) = (1+2u)(1-u)² y_k + u(1-u)² h s_k + u²(3-2u) y_{k+1} + u²(u-1) h s_{k+1},   u = (x - x_k)/h

Slopes s are made once (scipy's PCHIP); outside the table the end value holds. A device says how far outside it was
asked in an output `beyond` (`farthest`), of which runs and linear models warn once (`Device.ends`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage.errors import FileError, InputError
from interstage.jit import kernel
from interstage.output import as_path
from interstage.reading import csv_rows, read_text
from interstage.units import unit

_NAMED = re.compile(r"(.*?)[\[(]\s*(.*?)\s*[\])]\s*")


@kernel
def interval(x, at):
    """Return k with x_k <= at < x_{k+1} of an increasing table x, by halving; ends belong to the outer intervals."""
    low, high = 0, len(x) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle].real <= at.real:
            low = middle
        else:
            high = middle
    return low


@kernel
def hermite(u, h, y0, y1, s0, s1):
    """Return the cubic through y0, y1 with slopes s0, s1 over an interval of length h, at u in 0 to 1."""
    v = 1.0 - u
    return (
        (1.0 + 2.0 * u) * v * v * y0 + u * v * v * h * s0 + u * u * (3.0 - 2.0 * u) * y1 - u * u * v * h * s1
    )


@kernel
def place_in(x, at):
    """Return interval, its length and the place 0 to 1 in it; outside the table 0 or 1, as constants."""
    k = interval(x, at)
    h = x[k + 1] - x[k]
    u = (at - x[k]) / h
    if u.real < 0.0:
        u = 0.0 * u
    elif u.real > 1.0:
        u = 0.0 * u + 1.0
    return k, h, u


@kernel
def look_up(x, y, s, column, at):
    """Return column `column` of a table y (n, m) with slopes s at a value of x (n,)."""
    k, h, u = place_in(x, at)
    return hermite(u, h, y[k, column], y[k + 1, column], s[k, column], s[k + 1, column])


@kernel
def look_up_slope(x, y, s, column, at):
    """Return the slope by x of column `column` of a table; 0 outside of it."""
    k, h, u = place_in(x, at)
    if at.real < x[0].real or at.real > x[len(x) - 1].real:
        return 0.0 * h
    rise = 6.0 * u * (1.0 - u) * (y[k + 1, column] - y[k, column]) / h
    return rise + (1.0 - u) * (1.0 - 3.0 * u) * s[k, column] + u * (3.0 * u - 2.0) * s[k + 1, column]


@kernel
def farthest(low, high, at, before):
    """Return the larger of `before` and how far a value is outside of low to high, by more than 1e-9 of their span."""
    out = low - at if at.real < low.real else at - high
    if out.real > before.real and out.real > 1e-9 * (high - low).real:
        return out + 0.0 * before
    return before + 0.0 * out


def smooth_slopes_of(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Return slopes (n, m) of the cubic spline through a table: curvature is continuous too, but it may overshoot."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return slopes_of(x, y) if len(x) < 3 else scipy.interpolate.CubicSpline(x, y, axis=0).derivative()(x)


def slopes_of(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Return slopes (n, m) of a table y (n, m) over x (n,) that keep it monotone between points."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) == 1:
        return np.zeros_like(y)
    if len(x) == 2:
        return np.repeat(np.diff(y, axis=0) / np.diff(x)[:, None], 2, axis=0)
    return scipy.interpolate.PchipInterpolator(x, y, axis=0).derivative()(x)


def named_columns(
    columns: Mapping[str, np.ndarray],
    where: str,
    units: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> dict[str, np.ndarray]:
    """Return columns in SI by their plain names; names may have a unit, as in "altitude (km)".

    units : of names without one, where they are not those of SI;  kinds : units of the same kind, by plain name
    """
    found: dict[str, np.ndarray] = {}
    for text, numbers in columns.items():
        match = _NAMED.fullmatch(text)
        name, said = (match[1].strip(), match[2]) if match else (text, (units or {}).get(text, ""))
        wanted = (kinds or {}).get(name)
        if match and wanted is not None and not unit(said).same_kind(unit(wanted)):
            raise InputError(
                f"the column '{name}' of {where} has a unit of another kind",
                expected=f"as {wanted}" if wanted else "a plain number",
                got=said,
            )
        if name not in (kinds or {}) and name.lower() in (kinds or {}):
            raise InputError(f"{where} has a column '{name}'", hint=f"did you mean {name.lower()}")
        if name in found:
            raise InputError(f"{where} has the column '{name}' twice")
        found[name] = unit(said).factor * numbers
    return found


def read_table(
    path: str | Path,
    first: str,
    known: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> dict[str, np.ndarray]:
    """Return the columns of a CSV file by the names of its first line, the column `first` increasing.

    Names may have a unit, as in "altitude (km)"; numbers are returned in SI. Lines that begin with # are left out.
    known : names that may be there; none: any;  units : of names without one, where they are not those of SI
    kinds : units of the same kind as those that the file says, by name; of other names any will do
    """
    file = as_path(path, "table")
    try:
        lines = [line for line in read_text(file, "table").splitlines() if line.strip()]
        rows = csv_rows((line for line in lines if not line.lstrip().startswith("#")), "table", file)
    except FileError as err:
        raise InputError(f"the table '{file.name}' cannot be read", got=str(err)) from None
    if len(rows) < 3:
        raise InputError(
            f"the table '{file.name}' is too short",
            expected="a line of names and two rows of numbers or more",
        )
    names = [name.strip() for name in rows[0]]
    try:
        numbers = np.array([[float(cell) for cell in row] for row in rows[1:]])
        if numbers.shape[1] != len(names) or not np.isfinite(numbers).all():
            raise ValueError("rows of other lengths, or numbers that are not finite")
    except ValueError as err:
        raise InputError(f"the table '{file.name}' is not a table of numbers", got=str(err)) from None
    if len(set(names)) != len(names):
        raise InputError(f"the table '{file.name}' has a column twice", got=", ".join(names))
    found = named_columns(dict(zip(names, numbers.T)), f"'{file.name}'", units, kinds)
    if first not in found:
        raise InputError(
            f"the table '{file.name}' has no column '{first}'",
            got=", ".join(found),
            hint="its first line names columns",
        )
    strange = [name for name in found if known and name not in known]
    if strange:
        raise InputError(
            f"the table '{file.name}' has an unknown column '{strange[0]}'", expected=", ".join(known)
        )
    if not (np.diff(found[first]) > 0.0).all():
        raise InputError(f"the column '{first}' of '{file.name}' does not increase")
    return found
