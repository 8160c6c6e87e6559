"""Limits of devices at a point: where one is active, a linear model there is not that of small commands.

A device that saturates, sticks, or has play or a dead zone returns its limits at an instant (`Device.limits_at`), as
`Limit` objects. `linearize` names those that are active, in a warning and in the notes of the model; between the others
the model holds.
"""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """A quantity of a device with the range in which the device responds to it.

    what : its name, as in "command[0]";  value : at the instant;  low, high : ends of the range
    unit : of these;  words : what holds where the limit is active

    >>> Limit("command", 0.3, -0.1, 0.1, "rad").active, str(Limit("command", 0.3, -0.1, 0.1, "rad"))
    (True, 'command = 0.3 rad is not within ±0.1 rad')
    """

    what: str
    value: float
    low: float
    high: float
    unit: str = ""
    words: str = ""

    @property
    def active(self) -> bool:
        """Whether the value is not inside the range."""
        return not self.low < self.value < self.high

    @property
    def range(self) -> str:
        """The range in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.low == -self.high:
            return f"±{self.high:.4g}{unit}"
        return f"{self.low:.4g} to {self.high:.4g}{unit}"

    def __str__(self) -> str:
        if self.words:
            return f"{self.what} {self.words}"
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.what} = {self.value:.4g}{unit} is not within {self.range}"


def within(what: str, value: float, limit: float, unit: str = "", words: str = "") -> list[Limit]:
    """Return the limit ±limit of a value; none where the limit is zero, which means that there is none."""
    return [Limit(what, float(value), -float(limit), float(limit), unit, words)] if limit > 0.0 else []


def state_of(what: str, words: str) -> Limit:
    """Return a limit that is active: something sticks, or is inside its play."""
    return Limit(what, 0.0, 0.0, 0.0, "", words)
