"""Types of what users give by name: places on bodies, and tables of what acts there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

Key = TypeVar("Key", covariant=True)
Value = TypeVar("Value", covariant=True)


class Table(Protocol[Key, Value]):
    """A dictionary that is only read: one of narrower keys or values is one too."""

    def __iter__(self) -> Iterator[Key]: ...

    def __len__(self) -> int: ...

    def items(self) -> Iterable[tuple[Key, Value]]:
        """Return the pairs of keys and values."""
        ...

    def values(self) -> Collection[Value]:
        """Return the values in the order of the keys."""
        ...


Node: TypeAlias = int | np.integer | Sequence[float] | np.ndarray | None
"""A place on a body: a node of a flexible one, a point (3,) of a rigid one, None for the origin of its frame."""

Place: TypeAlias = str | tuple[str, Node]
"""A body, or a body and a place on it."""

Target: TypeAlias = str | tuple[str | None, Node] | None
"""Where a body is to be attached: a parent, a place on one, or (None) the ground."""

SiteKey: TypeAlias = tuple[int, int | tuple[float, ...]]
"""The number of a body, and a node or (for ends of closures) a point of it."""

Rates: TypeAlias = Table[str, ArrayLike]
"""Rates or accelerations of joints by body."""
