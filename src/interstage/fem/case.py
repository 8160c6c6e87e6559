"""What the solver reads of case control: nothing here knows where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Subcase(Protocol):
    """Requests of one subcase: the sets it selects (None: none), its kind of analysis, other commands as text."""

    @property
    def id(self) -> int:
        """Number of the subcase."""
        ...

    @property
    def spc(self) -> int | None:
        """Set of single-point constraints."""
        ...

    @property
    def mpc(self) -> int | None:
        """Set of multipoint constraints."""
        ...

    @property
    def load(self) -> int | None:
        """Set of loads."""
        ...

    @property
    def method(self) -> int | None:
        """Set of the eigenvalue request."""
        ...

    @property
    def suport1(self) -> int | None:
        """Set of supports."""
        ...

    @property
    def analysis(self) -> str | None:
        """Kind of analysis, as in "MODES"."""
        ...

    @property
    def requests(self) -> Mapping[str, str]:
        """Other commands by name."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """What stood in brackets behind those commands."""
        ...


class CaseControl(Protocol):
    """The subcases of a deck."""

    @property
    def subcases(self) -> Sequence[Subcase]:
        """At least one."""
        ...
