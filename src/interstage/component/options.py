"""Options of a reduction: one value, checked where it is made, that every constructor hands on; results of elements to
recover, by type, element, column and place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.damping import checked_damping
from interstage.component.interface import checked_grids
from interstage.component.rigid_body_modes import RIGID_THRESHOLD_HZ
from interstage.component.units import labelled_units
from interstage.errors import InputError, known_names, shown

Grids: TypeAlias = Mapping[int, int]
Damping: TypeAlias = float | ArrayLike | Mapping[float, float]
Units: TypeAlias = Mapping[str, str] | str
Wanted: TypeAlias = Mapping[str, Sequence[str | int | None]]

MASSLESS = ("add", "error")
_SWITCHES = (
    "modal_integrals",
    "rotary_integrals",
    "inertia_relief",
    "add_lumped_to_aset",
    "keep_matrices",
)


@named_arguments
@dataclass(frozen=True, kw_only=True)
class ReductionOptions:
    """Options of the reduction of a structure to a component.

    n_modes : flexible modes of a free body; fixed-interface modes with an interface. None: the modes that the
        deck's EIGRL or EIGR asks for
    aset : interface, grid -> components such as 123456; {}: a free body; None: what the deck says
    rvdof : grid -> components whose unit loads get residual vectors
    loads : load patterns that get residual vectors, each grid -> up to six forces and moments, component axes
    inertia_relief : residual vectors of unit accelerations too
    damping : ratio, ratios (one a mode), or table of (Hz, ratio), besides what the structure itself has
    modal_integrals, rotary_integrals : first and second order integrals; those of rotary nodes
    geometric_stiffness : modal geometric stiffness of the spin and of unit loads at the grids of aset, rvdof and loads,
        or at these grids besides; None: where it can be made and is not large
    recover : name -> result of an element that gets a recovery row, as in ("CBAR", 1, "bending_moment_a1")
    load_grids : grids besides those of aset, rvdof and loads whose loads geometric stiffness and recovery know
    separate_lumped : take every CONM2, or those with these ids, out and list them among the child bodies
    add_lumped_to_aset : put what carries the child bodies into the interface
    csid : coordinate system whose axes become the component's
    grdpnt : grid of the reference point; 0: the basic origin; None: what the deck says
    subcase : whose SPC, MPC and METHOD hold; None: the first that asks for modes
    rigid_threshold_hz : modes below it count as rigid; those that geometry or strain energy show to be rigid are
        taken out in any case
    massless : "add" gives interface motions without mass a small inertia and notes it; "error" refuses them
    keep_matrices : keep the g-set and f-set matrices for the file
    name : of the component; None: that of the deck
    units : of the structure, as in "SI" or "t-mm-s"; None: not known
    """

    n_modes: int | None = None
    aset: Grids | None = None
    rvdof: Grids | None = None
    loads: Sequence[Mapping[int, ArrayLike]] = ()
    damping: Damping | None = None
    modal_integrals: bool = True
    rotary_integrals: bool = False
    inertia_relief: bool = False
    geometric_stiffness: bool | Sequence[int] | None = None
    recover: Wanted | None = None
    load_grids: Sequence[int] = ()
    separate_lumped: bool | Sequence[int] = False
    add_lumped_to_aset: bool = False
    csid: int = 0
    grdpnt: int | None = None
    subcase: int | None = None
    rigid_threshold_hz: float = RIGID_THRESHOLD_HZ
    massless: str = "add"
    keep_matrices: bool = False
    name: str | None = None
    units: Units | None = None

    def __post_init__(self) -> None:
        for what in ("n_modes", "csid", "grdpnt", "subcase"):
            self._set(what, _whole(what, getattr(self, what)))
        for what in ("aset", "rvdof"):
            value = getattr(self, what)
            self._set(what, None if value is None else checked_grids(what, value))
        self._set("loads", _patterns(self.loads))
        self._set("damping", checked_damping(self.damping))
        self._set("units", labelled_units(self.units))
        if self.geometric_stiffness is not None:
            self._set("geometric_stiffness", _nodes("geometric_stiffness", self.geometric_stiffness))
        self._set("separate_lumped", _lumped(self.separate_lumped))
        self._set("load_grids", _nodes("load_grids", self.load_grids, switch=False))
        self._set("recover", None if self.recover is None else _wanted_results(self.recover))
        self._check_words()

    def _set(self, what: str, value: object) -> None:
        object.__setattr__(self, what, value)

    def _check_words(self) -> None:
        for what in _SWITCHES:
            if not isinstance(getattr(self, what), bool | np.bool_):
                raise InputError(
                    f"{what} is a switch",
                    where=what,
                    expected="True or False",
                    got=shown(getattr(self, what)),
                )
        if self.rotary_integrals and not self.modal_integrals:
            raise InputError(
                "integrals of rotary nodes come with those of first and second order",
                where="rotary_integrals",
                hint="set modal_integrals too",
            )
        if not (isinstance(self.massless, str) and self.massless in MASSLESS):
            raise InputError(
                "massless is not known",
                where="massless",
                got=shown(self.massless),
                hint=known_names(MASSLESS),
            )
        if self.name is not None and not (isinstance(self.name, str) and self.name):
            raise InputError(
                "a component needs a name", where="name", expected="a text", got=shown(self.name)
            )
        try:
            threshold = float(self.rigid_threshold_hz)
        except (TypeError, ValueError, RuntimeWarning):
            threshold = np.nan
        if not 0.0 <= threshold < np.inf:
            raise InputError(
                "the rigid-mode threshold must be a number >= 0",
                where="rigid_threshold_hz",
                got=shown(self.rigid_threshold_hz),
            )

    @property
    def stiffens(self) -> bool:
        """Whether geometric stiffness is asked for, and not just made where it can be."""
        return self.geometric_stiffness is not None and self.geometric_stiffness is not False

    @property
    def results(self) -> dict[str, ElementResult]:
        """Results of elements that get recovery rows, by name."""
        return {name: ElementResult.of(name, one) for name, one in (self.recover or {}).items()}

    @property
    def load_nodes(self) -> list[int]:
        """Grids whose unit loads geometric stiffness and recovery know."""
        asked = self.geometric_stiffness
        named = () if asked is None or isinstance(asked, bool) else asked
        loaded = [grid for one in self.loads for grid in one]
        return sorted({*(self.aset or {}), *(self.rvdof or {}), *loaded, *named, *self.load_grids})

    def with_changes(self, **changes: object) -> ReductionOptions:
        """Copy the options with some of them replaced, checked again."""
        return replace(self, **changes)  # type: ignore[arg-type]


def _whole(what: str, value: object) -> int | None:
    if value is None:
        return None
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError, RuntimeWarning):
        number = -1
    if number < 0 or number != value or isinstance(value, bool | np.bool_):
        words = "the number of modes" if what == "n_modes" else what
        raise InputError(f"{words} must be a whole number >= 0", where=what, got=shown(value))
    return number


def _lumped(value: object) -> bool | tuple[int, ...]:
    """Return a switch, or ids of CONM2; an empty list is none of them."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        given = list(value)  # type: ignore[call-overload]
        ids = tuple(int(one) for one in given)
        if any(number != one or number < 1 for number, one in zip(ids, given)):
            raise ValueError
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            "separate_lumped must be True, False or a list of CONM2 ids",
            where="separate_lumped",
            expected="e.g. [301, 302]",
            got=shown(value),
        ) from None
    return ids or False


def _nodes(what: str, value: object, switch: bool = True) -> bool | tuple[int, ...]:
    if switch and isinstance(value, bool | np.bool_):
        return bool(value)
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return tuple(checked_grids(what, dict.fromkeys(value, 123456)))  # type: ignore[call-overload]
    except TypeError:
        raise InputError(
            f"{what} is not usable",
            where=what,
            expected=f"{'True, False or ' if switch else ''}grids, as in [1, 52]",
            got=shown(value),
        ) from None


def _wanted_results(recover: object) -> dict[str, ElementResult]:
    """Results of elements by name."""
    if not isinstance(recover, Mapping):
        words = 'name: result, as in {"root moment": ("CBAR", 1, "bending_moment_a1")}'
        raise InputError("recover is not usable", where="recover", expected=words, got=shown(recover))
    return {checked_name(name): ElementResult.of(name, one) for name, one in recover.items()}


def _patterns(loads: object) -> tuple[dict[int, np.ndarray], ...]:
    """Load patterns, each grid -> six forces and moments."""
    if isinstance(loads, Mapping | str) or not isinstance(loads, Iterable) or np.ndim(loads) == 0:  # type: ignore[arg-type]
        raise InputError(
            "loads are not usable",
            where="loads",
            expected="a list of patterns, as in [{9: [0, 0, 1]}]",
            got=shown(loads),
        )
    return tuple(_pattern(one) for one in loads)


def _pattern(pattern: Mapping[int, ArrayLike]) -> dict[int, np.ndarray]:
    """A load pattern: grid -> six forces and moments."""
    if not isinstance(pattern, Mapping):
        raise InputError(
            "a load pattern is not usable",
            where="loads",
            expected="grid: forces and moments, as in {9: [0, 0, 1]}",
            got=shown(pattern),
        )
    checked_grids("loads", dict.fromkeys(pattern, 123456))
    out = {}
    for grid, values in pattern.items():
        try:
            numbers = np.atleast_1d(np.asarray(values, dtype=float))
        except (TypeError, ValueError, RuntimeWarning):
            numbers = np.full(1, np.nan)
        if numbers.ndim != 1 or len(numbers) > 6 or not np.isfinite(numbers).all():
            raise InputError(
                "a load is not usable",
                where=f"loads, grid {grid}",
                expected="up to six forces and moments",
                got=shown(values),
            )
        out[int(grid)] = np.append(numbers, np.zeros(6 - len(numbers)))
    return out


TABLES = ("forces", "stresses")
FORM = '(type, element, column), as in ("CBAR", 1, "bending_moment_a1"); then grid or ply, then fibre'


class ElementResult(NamedTuple):
    """One number of the tables of forces and stresses.

    table : "forces" or "stresses"; "" is where the column is, forces first
    node : grid of a corner or end, ply of a laminate, 0 for the centre; None: the only place, or the centre
    fibre : 1 or 2 where a place has two rows
    """

    table: str
    kind: str
    element: int
    column: str
    node: int | None = None
    fibre: int | None = None

    @classmethod
    def of(cls, name: object, given: object) -> ElementResult:
        """Read (type, element, column[, node[, fibre]]), the name of its table in front where that is not clear.

        >>> ElementResult.of("", ("stresses", "CQUAD4", 7, "oxx", 0, 2))
        ElementResult(table='stresses', kind='CQUAD4', element=7, column='oxx', node=0, fibre=2)
        """
        if isinstance(given, cls):
            return given
        parts = list(given) if isinstance(given, list | tuple) else []
        table = parts.pop(0) if parts and parts[0] in TABLES else ""
        if 3 <= len(parts) <= 5:
            kind, element, column, *more = parts
            texts = isinstance(kind, str) and isinstance(column, str)
            numbers = [element, *(one for one in more if one is not None)]
            if texts and all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in numbers):
                return cls(table, kind, int(element), column, *(None if k is None else int(k) for k in more))
        raise InputError(
            f"the result '{name}' is not usable", where="recover", expected=FORM, got=shown(given)
        )


def checked_name(name: object) -> str:
    """Return a name that a row can have: text of one line."""
    if not isinstance(name, str) or not name.strip() or len(name.splitlines()) != 1:
        raise InputError("a recovered result needs a name of one line", where="recover", got=shown(name))
    return name
