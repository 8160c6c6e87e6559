"""Units as strings: "rad/s", "N*m", "deg/sqrt(h)", "0.9 MN"; one table for ports, quantities and files.

A unit is a factor to SI and powers of seven dimensions. An angle is a dimension of its own: `rad/s` and `Hz` (1/s) are
not the same, and `deg` is a `rad` times π/180. Inside the toolkit numbers are SI; strings are read at the border.

    unit      = ["/"] factor { ("*" | "·" | "/" | " ") factor }        left to right: deg/h/sqrt(s) is deg/(h·√s)
    factor    = (name | "1" | "(" unit ")" | "sqrt(" unit ")") [ ("^" | "**") power ]
    quantity  = number [unit]
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, shown

__all__ = ["Unit", "check_unit", "quantity", "split_quantity", "unit"]

DIMENSIONS = ("kg", "m", "s", "rad", "K", "A", "mol")
_NONE = (0.0,) * len(DIMENSIONS)


@named_arguments
@dataclass(frozen=True)
class Unit:
    """A unit: `factor` times SI, powers (7,) of kg, m, s, rad, K, A, mol."""

    factor: float
    powers: tuple[float, ...] = _NONE

    def __mul__(self, other: Unit) -> Unit:
        if not isinstance(other, Unit):
            return NotImplemented
        return Unit(self.factor * other.factor, tuple(a + b for a, b in zip(self.powers, other.powers)))

    def __truediv__(self, other: Unit) -> Unit:
        if not isinstance(other, Unit):
            return NotImplemented
        return Unit(self.factor / other.factor, tuple(a - b for a, b in zip(self.powers, other.powers)))

    def __pow__(self, power: float) -> Unit:
        return Unit(self.factor**power, tuple(power * a for a in self.powers))

    def same_kind(self, other: Unit) -> bool:
        """Return whether two units measure the same quantity.

        >>> unit("deg/s").same_kind(unit("rpm")), unit("Hz").same_kind(unit("rad/s"))
        (True, False)
        """
        return self.powers == other.powers

    @property
    def si(self) -> str:
        """The SI unit of the same quantity, as text.

        >>> unit("lbf*ft").si
        'kg*m^2/s^2'
        """
        over = [_power(name, p) for name, p in zip(DIMENSIONS, self.powers) if p > 0]
        under = [_power(name, -p) for name, p in zip(DIMENSIONS, self.powers) if p < 0]
        return ("*".join(over) or "1") + "".join(f"/{name}" for name in under)


def _power(name: str, p: float) -> str:
    return name if p == 1.0 else f"{name}^{p:g}"


def _base(name: str) -> Unit:
    return Unit(1.0, tuple(float(name == d) for d in DIMENSIONS))


_POUND, _STANDARD_G, _FOOT, _INCH = 0.45359237, 9.80665, 0.3048, 0.0254
_KG, _M, _S, _RAD, _K, _A, _MOL = (_base(name) for name in DIMENSIONS)
_N = _KG * _M / _S / _S
_J, _PA = _N * _M, _N / _M / _M
_W, _ONE = _J / _S, Unit(1.0)


def _times(factor: float, unit: Unit) -> Unit:
    return Unit(factor * unit.factor, unit.powers)


# units that take the prefixes below
_PREFIXED = {
    "g": _times(1e-3, _KG),
    "m": _M,
    "s": _S,
    "rad": _RAD,
    "K": _K,
    "A": _A,
    "mol": _MOL,
    "Hz": _ONE / _S,
    "N": _N,
    "J": _J,
    "W": _W,
    "Pa": _PA,
    "V": _W / _A,
    "C": _A * _S,
    "T": _KG / _S / _S / _A,
    "bar": _times(1e5, _PA),
    "arcsec": _times(math.pi / 648000.0, _RAD),
}
_PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}
_PLAIN = {
    "t": _times(1e3, _KG),
    "lbm": _times(_POUND, _KG),
    # what 1 lbf accelerates by 1 ft/s^2, or by 1 in/s^2
    "slug": _times(_POUND * _STANDARD_G / _FOOT, _KG),
    "slinch": _times(_POUND * _STANDARD_G / _INCH, _KG),
    "in": _times(_INCH, _M),
    "ft": _times(_FOOT, _M),
    "mi": _times(5280.0 * _FOOT, _M),
    "nmi": _times(1852.0, _M),
    "au": _times(149597870700.0, _M),
    "min": _times(60.0, _S),
    "h": _times(3600.0, _S),
    "day": _times(86400.0, _S),
    "deg": _times(math.pi / 180.0, _RAD),
    "arcmin": _times(math.pi / 10800.0, _RAD),
    "rev": _times(2.0 * math.pi, _RAD),
    "rpm": _times(math.pi / 30.0, _RAD / _S),
    "sr": _RAD * _RAD,
    "lbf": _times(_POUND * _STANDARD_G, _N),
    "psi": _times(_POUND * _STANDARD_G / _INCH**2, _PA),
    "psf": _times(_POUND * _STANDARD_G / _FOOT**2, _PA),
    "atm": _times(101325.0, _PA),
    "kn": _times(1852.0 / 3600.0, _M / _S),
    "gn": _times(_STANDARD_G, _M / _S / _S),
    "ppm": Unit(1e-6),
    "percent": Unit(1e-2),
    "%": Unit(1e-2),
}
UNITS: Mapping[str, Unit] = {
    **_PREFIXED,
    "kg": _KG,
    **{
        prefix + name: _times(size, unit)
        for name, unit in _PREFIXED.items()
        for prefix, size in _PREFIXES.items()
        if prefix + name != "kg"
    },
    **_PLAIN,
}
# words that are no units here, and what is written in their stead
_SPOKEN = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("inch", "inches"), "in"),
    **dict.fromkeys(("knot", "knots", "kts"), "kn"),
    **dict.fromkeys(("newton", "newtons"), "N"),
    "Nm": "N*m",
}

_TOKEN = re.compile(r"\s*(sqrt\s*\(|[A-Za-zµ%]+|\*\*|[*·/^()]|[-+]?\d+(?:\.\d*)?)\s*")
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s*/\s*(\d+)(?=\s))?")


@named_arguments
def unit(text: str) -> Unit:
    """Read a unit; "" and "1" are plain numbers.

    >>> unit("deg/sqrt(h)").si, unit("kN").factor
    ('rad/s^0.5', 1000.0)
    """
    if not isinstance(text, str):
        raise InputError("a unit is a string", expected='as in "rad/s"', got=shown(text))
    return parsed(text)


@lru_cache(maxsize=4096)
def parsed(text: str) -> Unit:
    """Return the unit that a text is; it is kept for the next time."""
    if not text.strip():
        return _ONE
    tokens = _tokens(text)
    if tokens[0] == "/":
        tokens.insert(0, "1")
    found, at = _product(tokens, 0, text)
    if at < len(tokens):
        raise _unread(text, tokens[at])
    return found


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unread(text, text[at:].strip())
        tokens.append(match[1])
        at = match.end()
    return tokens


def _unread(text: str, rest: str) -> InputError:
    return InputError(
        f"the unit {text!r} cannot be read", where=f"at {rest!r}", expected='as in "N*m" or "deg/sqrt(h)"'
    )


def _product(tokens: list[str], at: int, text: str) -> tuple[Unit, int]:
    """Return the product that begins at a token, and where it ends."""
    found, at = _factor(tokens, at, text)
    while at < len(tokens) and tokens[at] != ")":
        divides = tokens[at] == "/"
        if divides or tokens[at] in "*·":
            at += 1
        more, at = _factor(tokens, at, text)
        found = found / more if divides else found * more
    return found, at


def _factor(tokens: list[str], at: int, text: str) -> tuple[Unit, int]:
    """Return a name, a number 1 or a bracket with its power, and where it ends."""
    if at >= len(tokens):
        raise _unread(text, "its end")
    token = tokens[at]
    if token[-1] == "(":
        found, at = _product(tokens, at + 1, text)
        if at >= len(tokens):
            raise _unread(text, "a bracket that is not closed")
        found = found**0.5 if token != "(" else found
    elif token in UNITS:
        found = UNITS[token]
    elif token == "1":
        found = _ONE
    elif token[0].isalpha() or token[0] == "µ":
        raise InputError(
            f"there is no unit {token!r}",
            where=None if token == text.strip() else repr(text),
            hint=f"did you mean {_SPOKEN[token]}" if token in _SPOKEN else did_you_mean(token, UNITS),
        )
    else:
        raise _unread(text, token)
    at += 1
    if at < len(tokens) and tokens[at] in ("^", "**"):
        return _raised(found, tokens, at + 1, text)
    return found, at


def _raised(found: Unit, tokens: list[str], at: int, text: str) -> tuple[Unit, int]:
    try:
        power = float(tokens[at])
    except (IndexError, ValueError):
        raise _unread(text, "its power") from None
    return found**power, at + 1


@named_arguments
def check_unit(given: str, wanted: str, where: str) -> float:
    """Return the factor from one unit to another of the same quantity, or refuse, as in Hz where rad/s is wanted.

    >>> round(check_unit("ft", "m", "port"), 4)
    0.3048
    """
    a, b = unit(given), unit(wanted)
    if not a.same_kind(b):
        raise InputError(
            "the units do not fit",
            where=where,
            expected=f"{wanted or '1'} ({b.si})",
            got=f"{given or '1'} ({a.si})",
            hint=_forgotten_angle(a, b),
        )
    return 1.0 if a.factor == b.factor else a.factor / b.factor


def _forgotten_angle(a: Unit, b: Unit) -> str | None:
    angle = DIMENSIONS.index("rad")
    alike = all(p == q for k, (p, q) in enumerate(zip(a.powers, b.powers)) if k != angle)
    return "an angle is a dimension: 1 Hz is 2π rad/s" if alike else None


@named_arguments
def quantity(value: str | float, wanted: str, where: str = "quantity") -> float:
    """Return a number in the unit `wanted`: numbers are in it already, strings say theirs.

    >>> quantity("0.9 MN", "N"), quantity(5, "m"), round(quantity("180 deg", "rad"), 6)
    (900000.0, 5.0, 3.141593)
    """
    if isinstance(value, str):
        number, text = split_quantity(value, where)
        return number * check_unit(text, wanted, where)
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            "not a quantity", where=where, expected=f'a number or a string as "1 {wanted}"', got=repr(value)
        ) from None


@named_arguments
def split_quantity(text: str, where: str = "quantity") -> tuple[float, str]:
    """Return number and unit of a quantity as text; a number may be a fraction.

    >>> split_quantity("5 ms"), split_quantity("1/3 s")
    ((5.0, 'ms'), (0.3333333333333333, 's'))
    """
    match = _NUMBER.match(text)
    if match is None:
        raise InputError("not a quantity", where=where, expected='as in "0.9 MN" or "5 ms"', got=repr(text))
    number = float(match[1]) if match[2] is None else float(match[1]) / float(match[2])
    return number, text[match.end() :].strip()
