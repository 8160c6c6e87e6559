"""Conditions that end a sample: a coordinate or velocity that passes a level."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interstage.batch.law import places_of
from interstage.errors import InputError, shown
from interstage.multibody import State, System
from interstage.system import Event

_TEXT = re.compile(r"\s*(\S+)\s*(<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class Stop:
    """A condition: y[at] rises above the level (sign 1) or falls below it (sign -1)."""

    text: str
    at: int
    level: float
    sign: float

    @classmethod
    def of(cls, text: object, system: System) -> Stop:
        """Read "q.arm.angle > 0.5" or "v.bus.wx < 0"."""
        match = _TEXT.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise InputError(
                "a condition cannot be read",
                where="stop",
                expected='as in "q.arm.angle > 0.5"',
                got=shown(text),
            )
        (at,) = places_of(system, [match[1]], "stop")
        return cls(text.strip(), at, float(match[3]), 1.0 if match[2] == ">" else -1.0)  # type: ignore[attr-defined]

    def event(self, nq: int) -> Event:
        """Return it as an event of `simulate`."""

        def height(t: float, x: State) -> float:
            value = x.q[self.at] if self.at < nq else x.v[self.at - nq]
            return self.sign * (value - self.level)

        return Event(height, "stop", direction=1, tolerance=1e-12, name=self.text)


def stops_of(texts: Sequence[str] | str, system: System) -> tuple[Stop, ...]:
    """Return conditions from their texts."""
    return tuple(Stop.of(text, system) for text in ([texts] if isinstance(texts, str) else texts))
