"""What a bulk data entry is: one `CardSpec` holds all facts of it that do not depend on a deck.

Fields are data fields: the first after the card's name is 1. A listing of fields is written `3-5` (from, to), `9+` (all
from 9 on) or `4/8` (4, 12, 20 ...).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

STATUSES = ("supported", "ignored", "refused if used", "refused if selected", "refused")
# elements by what they look like; connectors join parts and are drawn thin
FAMILIES = ("line", "connector", "shell", "panel", "ring", "solid", "scalar", "point", "general")


@dataclass(frozen=True)
class ResultCodes:
    """Numbers of an element type in op2 files, and words of a record of results for one element.

    number : element type
    center : type of records with results at the center alone, where it is another one (0: `number`)
    corner : type of records with results at the center and the corners (0: none)
    ply : type of records with results of plies (0: none)
    force_words, stress_words : words for one element (0: files have no place for them)
    """

    number: int
    center: int = 0
    corner: int = 0
    ply: int = 0
    force_words: int = 0
    stress_words: int = 0


@dataclass(frozen=True)
class Topology:
    """Corners of an element, in the order of its grid fields, and what lies between them.

    edges : pairs of corners, in the order of the mid-edge grids; faces : corners around each face
    """

    corners: int
    edges: tuple[tuple[int, int], ...] = ()
    faces: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class CardSpec:
    """Facts of one bulk data entry.

    name : card name
    kind : "element", "mass", "rigid", "property", "material", "load", "dynamic" (used by responses and complex modes
        alone), "model" (other parts of the structure and its solution), or the subject of a card that is not supported
    status : "supported"; "ignored" (listed once); "refused if used" (a property, if a supported element refers to it);
        "refused if selected" (by a command of case control); "refused"
    honored, limits : what is done with a supported card, and what is not, as the documentation says
    fields : number of data fields that it has; 0 for cards without end, as lists
    reals, not_negative : fields of real numbers; those of them that may not be negative
    components : fields that list components
    ids, ids_with : fields that hold identification numbers; the card that it shares its numbers with
    two_a_card : fields 5 to 8 are a second element
    grids : fields of grids and scalar points that it connects
    properties, defaults : property cards that field 2 may refer to; the card that has a default for it
    oriented : field 5 is a grid, or the first component of a vector
    distributed_mass : NSM cards may add to its mass
    named : fields by the names that design variables use
    family : what an element looks like, one of `FAMILIES`; topology : of shells and solids
    results : numbers of its results in op2 files
    users : elements that could refer to a property that is not supported
    selected_by : command of case control that a "refused if selected" card needs
    refusal : what a message says after the name of a refused card, and what to do instead
    """

    name: str
    kind: str
    status: str = "supported"
    honored: str = ""
    limits: str = ""
    fields: int = 0
    reals: str = ""
    not_negative: str = ""
    components: str = ""
    ids: tuple[int, ...] = (1,)
    ids_with: str = ""
    two_a_card: bool = False
    grids: str = ""
    properties: tuple[str, ...] = ()
    defaults: str = ""
    oriented: bool = False
    distributed_mass: bool = False
    named: dict[str, int] = field(default_factory=dict)
    family: str = ""
    topology: Topology | None = None
    results: ResultCodes | None = None
    users: tuple[str, ...] = ()
    selected_by: str = ""
    refusal: tuple[str, str] | None = None

    @property
    def supported(self) -> bool:
        """Whether a model uses the card."""
        return self.status == "supported"


def columns(listing: str, width: int) -> Iterator[int]:
    """Data fields of a listing, up to a width.

    >>> list(columns("2-4,6,10/4", 20)), list(columns("9+", 11))
    ([2, 3, 4, 6, 10, 14, 18], [9, 10, 11])
    """
    for part in listing.split(",") if listing else ():
        if part.endswith("+"):
            yield from range(int(part[:-1]), width + 1)
        elif "/" in part:
            first, step = part.split("/")
            yield from range(int(first), width + 1, int(step))
        else:
            first, _, last = part.partition("-")
            yield from range(int(first), min(int(last or first), width) + 1)


def alike(names: str, kind: str, **facts: Any) -> list[CardSpec]:
    """Cards that differ in their names alone."""
    return [CardSpec(name, kind, **facts) for name in names.split()]


def described(honored: str, limits: str, *cards: CardSpec) -> list[CardSpec]:
    """Cards that share a row of the documentation."""
    return [replace(card, honored=honored, limits=limits) for card in cards]
