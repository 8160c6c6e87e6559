"""One family of errors for the whole toolkit.

Every message answers four questions in this order: what is wrong, where, what was expected and
what was found, and what to do about it. Only the parts that are given are printed:

>>> str(InterstageError("the inertia is not physical", where="body 'bus'",
...                     expected="Ixx + Iyy >= Izz", got="1 + 1 < 3", hint="check the axes"))
"the inertia is not physical (body 'bus'); expected Ixx + Iyy >= Izz, got 1 + 1 < 3; check the axes"
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
from collections.abc import Iterable
from typing import TypeAlias

from interstage._renamed import former_names

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
Words: TypeAlias = str | None
"""A part of a message that is not always there."""


class InterstageError(Exception):
    """Anything that the user can mend: bad input, a bad file, a model that cannot be solved.

    Parameters
    ----------
    what : the fault, one clause without a full stop
    where : file and line, card, body, node or argument name
    expected, got : what the code wanted and what it found
    hint : what to do
    """

    def __init__(
        self, what: str, *, where: Words = None, expected: Words = None, got: Words = None, hint: Words = None
    ):
        self.what, self.where, self.expected, self.got, self.hint = what, where, expected, got, hint
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        text = self.what if self.where is None else f"{self.what} ({self.where})"
        wanted = [f"expected {self.expected}"] if self.expected is not None else []
        wanted += [f"got {self.got}"] if self.got is not None else []
        parts = [text] + ([", ".join(wanted)] if wanted else []) + ([self.hint] if self.hint else [])
        return re.sub(r"\s*\n\s*", " ", "; ".join(parts))  # arrays are written on several lines


class InputError(InterstageError):
    """An argument with a wrong value, shape or name."""


class DeckError(InterstageError):
    """A NASTRAN deck that cannot be read or means something impossible.

    `file`, `line` and `image` (the card as written, first line) are kept as attributes.
    """

    def __init__(
        self,
        what: str,
        *,
        file: Words = None,
        line: int | None = None,
        image: Words = None,
        expected: Words = None,
        got: Words = None,
        hint: Words = None,
    ):
        self.file, self.line, self.image = file, line, image
        place = file if line is None else f"{file or 'deck'}, line {line}"
        if image is not None:
            place = f"{place}: {image.rstrip()!r}" if place else repr(image.rstrip())
        super().__init__(what, where=place, expected=expected, got=got, hint=hint)


class ModelError(InterstageError):
    """A structure or vehicle that is described correctly but cannot be: mechanisms, cycles, massless parts."""


class SolverError(InterstageError):
    """A numerical method that did not reach its answer."""


class OutOfMemoryError(InterstageError, MemoryError):
    """Memory that does not suffice for what was asked: a MemoryError too, as Python's own."""


class FidelityWarning(UserWarning):
    """Results are given, but the model is used beyond what its fidelity can bear."""


class MotionWarning(UserWarning):
    """A motion is followed as given, but its parts contradict each other."""


class GimbalLockWarning(UserWarning):
    """A joint passes so near to where its axes fall in line that its motion is not accurate."""


class FileError(InterstageError):
    """A file that is missing, damaged, foreign, from a newer version, or cannot be written."""


class InertiaError(InputError):
    """Mass properties that no rigid body can have."""


def called_inside() -> bool:
    """Return whether the function that asks was called by code of the toolkit, not of the user."""
    frame = inspect.currentframe()
    for _ in range(2):
        frame = None if frame is None else frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_PACKAGE)


def caller_level() -> int:
    """Return the `stacklevel` of a warning that names the line of the user's program, however deep we are."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def shown(value: object, limit: int = 80) -> str:
    """Write a value that was given, whatever it is, on one line and cut where it is long.

    >>> shown({"aset": [1,
    ...                 2]})
    "{'aset': [1, 2]}"
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of an object whose own repr fails
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 4] + " ..."


def percent(part: float) -> str:
    """Return a part of one in percent, as words use it: 0.37 %, 8.5 %, 100 %."""
    return f"{100.0 * part:.0f} %" if abs(part) >= 0.0995 else f"{100.0 * part:.2g} %"


def raised(error: BaseException, limit: int = 300) -> str:
    """Write what a function of the user raised, on one line and cut where it is long; whatever its text does.

    >>> raised(ValueError("no such\\n  gain")), raised(AssertionError())
    ('ValueError: no such gain', 'AssertionError')
    """
    try:
        text = " ".join(str(error).split())
    except Exception:  # of an exception whose own text fails
        text = ""
    words = f"{type(error).__name__}: {text}".removesuffix(": ")
    return words if len(words) <= limit else words[: limit - 4] + " ..."


def out_of_memory(error: MemoryError, what: str, hint: Words = None) -> OutOfMemoryError:
    """Return what to say of memory that does not suffice: how much was asked for in one piece, where that is known.

    what : what it was for, after "there is not enough memory"

    >>> str(out_of_memory(MemoryError("Unable to allocate 8.0 TiB for an array"), "for linearize", "ask for less"))
    'there is not enough memory for linearize; got none for a piece of 8.0 TiB; ask for less'
    """
    asked = re.search(r"allocate (\S+ \w+) ", str(error))
    piece = None if asked is None else f"none for a piece of {asked[1]}"
    return OutOfMemoryError(f"there is not enough memory {what}", got=piece, hint=hint)


def known_names(names: Iterable[object], limit: int = 12) -> str:
    """Say which names exist, for the hint of a failed look-up.

    >>> known_names(["bus", "panel"])
    'known: bus, panel'
    >>> known_names([])
    'none are defined'
    """
    known = list(dict.fromkeys(str(name) for name in names))
    if not known:
        return "none are defined"
    more = f" and {len(known) - limit} more" if len(known) > limit else ""
    return "known: " + ", ".join(known[:limit]) + more


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """Say which names are like one that does not exist, or which there are, for the hint of a failed look-up.

    >>> did_you_mean("imu.rat", ["imu.rate", "fsw.rate", "air.density"])
    'did you mean imu.rate'
    >>> did_you_mean("x", ["bus", "panel"])
    'known: bus, panel'
    """
    names = list(dict.fromkeys(str(n) for n in names))
    lower: dict[str, str] = {}
    for known in map(str, names):
        lower.setdefault(known.lower(), known)
    near = difflib.get_close_matches(str(name).lower(), lower, n=3, cutoff=0.6)
    return f"did you mean {', '.join(lower[n] for n in near)}" if near else known_names(names)


__getattr__ = former_names(__name__)
