"""Time as whole numbers: periods are rationals, a tick is their greatest common divisor, t = tick·num/den.

A sample falls on its offset (zero unless said) and every period after it; nothing drifts, and periods as 1/3, 1/7 and
0.02 s meet exactly where they should.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from interstage.errors import InputError, shown
from interstage.units import unit

Period = str | float | int | Fraction
_TIME = re.compile(
    r"\s*([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?|[-+]?\.\d+(?:[eE][-+]?\d+)?)(?:\s*/\s*(\d+))?\s*(.*?)\s*"
)
_SAMPLES = re.compile(r"\s*(\d+)\s*samples?\s*")
# seconds in each unit of time, exactly
_EXACT = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
}
_EXACT |= {"s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "day": Fraction(86400)}
_RATES = {"Hz": Fraction(1), "kHz": Fraction(1000), "mHz": Fraction(1, 1000)}
SHORT = 10**6  # denominators up to this are taken for what a float was meant to be
NEAR = 1e-6  # a fraction this near to a float, relative, may be what was meant
ON_TICK = 1e-6  # a time this near to a tick, in ticks, is on it
SAME_TIME = 1e-12  # times this near to each other, relative, are one
LONG = 2**22  # numerators of steps: far ahead in time they are still counted in whole numbers
SHORTEST, LONGEST = Fraction(1, 10**15), 10**15  # s
MOST = 2**62  # ticks of a run


def period_of(value: Period, where: str = "period", zero: bool = False) -> Fraction:
    """Return a time in seconds, exactly: "5 ms", "1/3 s", "50 Hz", a fraction, or a float that is a short one.

    >>> period_of("5 ms"), period_of(0.02), period_of("1/7 s"), period_of("50 Hz")
    (Fraction(1, 200), Fraction(1, 50), Fraction(1, 7), Fraction(1, 50))
    """
    if isinstance(value, str):
        found = _of_text(value, where)
    elif isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        try:
            found = period_of(float(value), where, zero)
        except (TypeError, ValueError, RuntimeWarning):
            raise _unread(value, where) from None
    elif isinstance(value, float):
        found = _of_float(value, where)
    else:
        found = Fraction(value)
    if found < 0 or (found == 0 and not zero):
        words = "a time that is not negative" if zero else "a positive time"
        raise InputError(f"{where} must be {words}", got=str(value))
    if found and not SHORTEST <= found <= LONGEST:
        raise InputError(f"{where} must be between 1e-15 s and 1e15 s", got=shown(value))
    return found


def time_of(value: Period, where: str = "time") -> Fraction:
    """Return a positive time that need not fall on a tick: as `period_of`, and floats of any length by their digits.

    >>> time_of(1e-9, "until"), time_of("20 ms")
    (Fraction(1, 1000000000), Fraction(1, 50))
    """
    if isinstance(value, float) and math.isfinite(value) and float(_short(value)) != value:
        value = Fraction(repr(float(value)))
    return period_of(value, where)


def instant_of(t: float) -> Fraction:
    """Return a time of a run, as a short fraction where it is one."""
    return _short(t) if float(_short(t)) == t else Fraction(t)


def on_ticks(time: Fraction) -> bool:
    """Tell if a time is short enough for a clock to count to it."""
    return time.denominator <= SHORT


def step_of(value: Period, where: str = "step") -> Fraction:
    """Return a positive time with which no other has to meet: as `period_of`, and floats of any length.

    Fractions are as short as counting needs, and within 1e-13 of a second-long step.

    >>> step_of(0.01), abs(float(step_of(2**-0.5)) - 2**-0.5) < 1e-13
    (Fraction(1, 100), True)
    """
    odd = isinstance(value, float) and math.isfinite(value) and value > 0.0 and float(_short(value)) != value
    found = Fraction(value) if odd else period_of(value, where)
    return found if found.numerator <= LONG else found.limit_denominator(max(1, int(LONG / found)))


def delay_of(value: Period, period: Fraction | None) -> Fraction:
    """Return a delay in seconds: a time, or so many samples of something with a period.

    >>> delay_of("50 ms", None), delay_of("3 samples", Fraction(1, 7))
    (Fraction(1, 20), Fraction(3, 7))
    """
    match = _SAMPLES.fullmatch(value) if isinstance(value, str) else None
    if match is None or period is None:
        return period_of(value, "delay", zero=True)
    return int(match[1]) * period


def count(total: float, part: float, what: str) -> int:
    """Return how many parts make the total, or say that they do not."""
    n = round(total / part)
    if n < 1 or abs(n * part - total) > 1e-6 * part:
        raise InputError(
            f"{what} is not a whole number of steps", expected=f"a multiple of {part:g}", got=f"{total:g}"
        )
    return n


def _unread(value: object, where: str) -> InputError:
    return InputError(f"{where} is not a time", expected='as in "5 ms", "50 Hz" or 0.005', got=repr(value))


def _of_text(text: str, where: str) -> Fraction:
    match = _TIME.fullmatch(text)
    if match is None:
        raise _unread(text, where)
    number = Fraction(match[1]) / int(match[2] or 1)
    name = match[3] or "s"
    if name in _EXACT:
        return number * _EXACT[name]
    if name in _RATES and number != 0:
        return 1 / (number * _RATES[name])
    if unit(name).same_kind(unit("s")):
        return number * _of_float(unit(name).factor, where)
    raise _unread(text, where)


@lru_cache(maxsize=256)
def _short(value: float) -> Fraction:
    """Return the short fraction that is nearest to a number."""
    return Fraction(value).limit_denominator(SHORT)


def _of_float(value: float, where: str) -> Fraction:
    if not math.isfinite(value):
        raise _unread(value, where)
    short = _short(value)
    if float(short) != value:
        near = abs(float(short) - value) < NEAR * abs(value)
        raise InputError(
            f"{where} is no short fraction of a second",
            got=repr(value),
            hint=f'say "{short if near else value} s" if that is meant',
        )
    return short


@dataclass(frozen=True)
class Clock:
    """Ticks of num/den seconds."""

    num: int
    den: int

    @classmethod
    def of(cls, times: Iterable[Fraction]) -> Clock:
        """Return the coarsest clock on whose ticks all times fall; one second where there are none.

        >>> Clock.of([Fraction(1, 3), Fraction(1, 7), Fraction(1, 50)])
        Clock(num=1, den=1050)
        """
        num, den, times = 0, 1, list(times)
        for time in times:
            den = math.lcm(den, time.denominator)
        for time in times:
            num = math.gcd(num, time.numerator * (den // time.denominator))
        tick = Fraction(num, den) if num else Fraction(1)
        return cls(tick.numerator, tick.denominator)

    @property
    def tick(self) -> Fraction:
        """Seconds of a tick."""
        return Fraction(self.num, self.den)

    def ticks(self, time: Fraction, where: str = "time") -> int:
        """Return how many ticks a time is; it must be a whole number of them."""
        count = time / self.tick
        if count.denominator != 1:
            raise InputError(
                f"{where} falls on no tick", expected=f"a multiple of {self.tick} s", got=f"{time} s"
            )
        if count > MOST:
            raise InputError(f"{where} has too many ticks", expected=f"ticks longer than {self.tick} s")
        return int(count)

    def seconds(self, ticks: int) -> float:
        """Return the time of a tick, rounded once."""
        return float(Fraction(ticks * self.num, self.den))

    def last(self, t: float) -> int:
        """Return the last tick at a time or before it.

        >>> Clock(1, 10).last(0.3), Clock(1, 10).last(0.39)
        (3, 3)
        """
        return math.floor(t * self.den / self.num + ON_TICK)
