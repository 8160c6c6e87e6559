"""What the solver reads of case control: nothing here knows where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class SubcaseSelections(Protocol):
    """Requests of one subcase: the sets it selects (None: none), its kind of analysis, other commands as text."""

    id: int
    spc: int | None
    mpc: int | None
    load: int | None
    method: int | None
    suport1: int | None
    analysis: str | None

    @property
    def requests(self) -> Mapping[str, str]:
        """Other commands by name."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """What stood in brackets behind those commands."""
        ...


class CaseSelections(Protocol):
    """The subcases of a deck."""

    @property
    def subcases(self) -> Sequence[SubcaseSelections]:
        """At least one."""
        ...
