"""How long compiling takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.event import install_timer


@contextmanager
def compiling_timed(add: Callable[[float], None]) -> Iterator[None]:
    """Tell `add` the seconds of every compilation of a kernel that this process makes inside."""
    with install_timer("numba:compile", add):
        yield
