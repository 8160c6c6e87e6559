"""Devices: small classes with declared fields and functions of a record.

    class Tank(ist.Device):
        area, drain = ist.Parameter("m^2", 2.0), ist.Parameter("1/s", 0.1)
        inflow, level = ist.In("m^3/s"), ist.Out("m")
        volume = ist.ContinuousState("m^3", initial=1.0)

        def outputs(d, t):
            d.level = d.volume / d.area

        def rates(d, t):
            d.volumedot = d.inflow - d.drain * d.volume

`outputs` writes outputs at every instant, `rates` the derivatives of states, `sample` runs every period and changes
outputs, discrete states and integers. `switch` runs where a `ZeroCrossing` crosses
zero. The text is plain: it runs interpreted, and compiled for real and for complex
numbers. For complex ones use `np.`, not `math.`; branch on `.real`; no abs, max, clip.

Every record also has `d.period` (s), `d.tick` (number of the sample), `d.seed` and `d.stream` (keys of `noise`) and
`d.ideal` (1 where noise and quantizers shall be left out, as for derivatives).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.declarations import (
    ContinuousState,
    DiscreteState,
    Field,
    In,
    IntegerState,
    InternalLoad,
    JointRef,
    Limit,
    Look,
    Out,
    Parameter,
    Push,
    Site,
    Sites,
    Store,
    Value,
    ZeroCrossing,
    numbers,
    shaped,
)
from interstage.simulation.plant.feedthrough import Uses, dependence, uses_of

if TYPE_CHECKING:
    from interstage.multibody import System


FUNCTIONS = ("outputs", "rates", "sample", "switch")


@named_arguments
class Device:
    """A part of an assembly; derive from it and declare fields. Arguments are parameters and initial states by name.

    every : period of `sample`, as in "5 ms"; offset : time of its first sample
    delay : how much later others see what it sampled, beside delays of wires
    """

    fields: Mapping[str, Field] = MappingProxyType({})
    functions: Mapping[str, Callable[..., None]] = MappingProxyType({})
    uses: Mapping[str, Uses] = MappingProxyType({})
    places: Mapping[str, Site | JointRef | InternalLoad | Store] = MappingProxyType({})
    follow: Callable[[str], frozenset[str]] | None = None  # fields that what `outputs` writes depends on
    stands_for: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # {argument: the fields that it says}
    derived: tuple[str, ...] = ()  # parameters that follow from others where they are not given
    ends: Mapping[str, str] = MappingProxyType({})  # {output: how far a table was exceeded: what that means}
    share_of: Mapping[str, str] = MappingProxyType(
        {}
    )  # {output of `ends`: output of which it must be 1 % to count}
    settles = False  # whether `switch` also runs at the beginning of a run
    stamp = ""  # of a discrete state that holds the time of the last sample
    increments: Mapping[str, str] = MappingProxyType(
        {}
    )  # states that samples read from a mark on: {state: mark}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__module__.startswith("interstage.") and "__init__" in vars(cls):
            cls.__init__ = named_arguments(cls.__init__)  # type: ignore[method-assign]
        declared = {n: v for base in reversed(cls.__mro__) for n, v in vars(base).items()}
        fields = {n: v for n, v in declared.items() if isinstance(v, Field)}
        cls.places = MappingProxyType(
            {n: v for n, v in declared.items() if isinstance(v, Site | JointRef | InternalLoad | Store)}
        )
        cls.functions = MappingProxyType(
            {n: declared[n] for n in FUNCTIONS if callable(declared.get(n)) and n in declared}
        )
        cls.fields = MappingProxyType(fields)
        cls.uses = MappingProxyType({n: uses_of(f) for n, f in cls.functions.items()})
        outputs = cls.functions.get("outputs")
        cls.follow = None if outputs is None or cls.uses["outputs"].all else dependence(outputs)
        check_names(cls, dir(Device))
        check_texts(cls)

    def __init__(
        self, *, every: Period | None = None, offset: Period = 0, delay: Period = 0, **values: Value
    ):
        self.every = None if every is None else period_of(every, f"{type(self).__name__}, every")
        self.offset = period_of(offset, f"{type(self).__name__}, offset", zero=True)
        self.delay = period_of(delay, f"{type(self).__name__}, delay", zero=True)
        if self.delay and "sample" not in self.functions:
            raise InputError(
                f"{type(self).__name__} is continuous: only what is sampled can be delayed", where="delay"
            )
        self._at: dict[str, Any] = {name: values.pop(name) for name in self.places if name in values}
        self._given: dict[str, Value] = {}
        self._values: dict[str, np.ndarray] = {}
        self._sizes: dict[str, int] = {}
        for name, place in self.places.items():
            if isinstance(place, Sites):
                self._sizes[place.size] = len(
                    _place_list(type(self).__name__, name, self._at.setdefault(name, [None]))
                )
        self.set(**values)
        self._finish()

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values of fields, and sizes by name, that arguments mean; a device with shorter ways overrides it."""
        return values

    def place_of(self, name: str) -> object:
        """Return the place that was given for a `Site` (None: the first body), or the body of a `JointRef`."""
        return self._at.get(name)

    def longest_step(self) -> float:
        """Return how long adaptive steps may be that cannot miss what the device does between samples, s.

        0 : that is not known, and a run needs max_step
        """
        return np.inf

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of the device at an instant; one that saturates, sticks or has play overrides it.

        d : the record, as functions of the device see it, after a sample and with signals of the instant
        """
        return []

    def check_period(self, period: float) -> None:
        """Refuse a period of samples (s) that the device cannot have; one that minds overrides it."""

    def jumps(self, period: float) -> tuple[float, ...]:
        """Return the times after each sample, below its period (s), at which what the device says may jump."""
        return ()

    def run_switch(self, record: RecordView, t: float, crossing: str = "") -> None:
        """Run `switch`; a third argument of it is the name of what crosses zero, "" where nothing does."""
        function = self.functions["switch"]
        function(record, t, *[crossing][: function.__code__.co_argcount - 2])

    of_roots = False  # gravity that it says acts on bodies that hang on nothing, and on what they carry

    def bound(self, vehicle: System) -> Device:
        """Return the device as it is on a vehicle: this one, unless it takes places or numbers from the vehicle."""
        return self

    def also_at(self, bodies: Sequence[str]) -> Device:
        """Return the device, on its vehicle, that reckons with bodies which may hang on nothing later.

        bodies : names as the device has them, of bodies that may leave what carries them or are not there yet
        """
        return self

    def elsewhere(self, place: object) -> Device:
        """Return a copy for what is around another vehicle: the places that it finds by itself are there."""
        at = {
            name: [place] if isinstance(one, Sites) else place
            for name, one in self.places.items()
            if isinstance(one, Site) and one.root
        }
        return self.moved(at)

    def moved(self, places: Mapping[str, object], **values: Value) -> Self:
        """Return a copy at other places, {name of a `Site`: place, of `Sites`: list}, with other values."""
        for name in places:
            if name not in self.places:
                raise InputError(
                    f"{type(self).__name__} has no place '{name}'", hint=did_you_mean(name, self.places)
                )
        made = copy(self)
        made._at = self._at | dict(places)
        owners = {n: self.places[n] for n in places}
        lists = {n: one for n, one in places.items() if isinstance(one, list | tuple)}
        sizes = {one.size: len(lists[n]) for n, one in owners.items() if isinstance(one, Sites)}
        made._sizes = {**self._sizes, **sizes}
        made.set(**values)
        made._finish()
        return made

    @property
    def companions(self) -> Mapping[str, Device]:
        """Devices that come along, {name: device}: "air" brings "air_gusts"."""
        return {}

    def set(self, **values: Value) -> Device:
        """Give parameters, initial states and defaults of inputs other values; returns the device.

        Arguments are those of the class. What follows from them (a static friction that was not given, directions of
        length one) follows again, and what cannot be is refused, the device left as it was.
        """
        given = self._with(values)
        found = self.shorthands(dict(given))
        named = {n for field in self.fields.values() for n in field.shape if isinstance(n, str)}
        sizes = {n: _size(found.pop(n), f"{type(self).__name__}, {n}") for n in sorted(named & found.keys())}
        for n, size in sizes.items():
            if self._sizes.setdefault(n, size) != size:
                raise InputError(
                    f"the size '{n}' of {type(self).__name__} is {self._sizes[n]} for good", got=f"{size}"
                )
        arrays = {name: self._array(name, value) for name, value in found.items()}
        for name, array in arrays.items():
            if array.ndim == len(self.fields[name].shape):
                for n, known in zip(array.shape, self.fields[name].shape):
                    if isinstance(known, str):
                        self._sizes.setdefault(known, n)
        self._given, self._values = given, arrays
        return self

    def following(
        self, values: Mapping[str, Value], now: Mapping[str, np.ndarray], period: float | None = None
    ) -> dict[str, np.ndarray | np.generic]:
        """Return the fields of a device that is given other parameters: those, and what follows from them.

        They are what the device would have if it had been made with these values, so that `set=` of a run and a
        dispersed number mean the same.

        values : parameters by name;  now : values of fields at the point from which a run starts, which stay
        period : of its samples (s)
        """
        other = copy(self)
        other._sizes = dict(self._sizes)
        other.set(**values)
        if period:
            other.check_period(period)
        return {
            name: other.value_of(name)
            for name, array in other._values.items()
            if name in values
            or (name not in now and not np.array_equal(array, self._values.get(name, np.nan)))
        }

    def _with(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return what was given so far with new arguments in the place of those that say the same."""
        given = dict(self._given)
        for name, fields in self.stands_for.items():
            twice = [n for n in fields if n in values]
            if name in values and twice:
                both = f"{name}= and {twice[0]}="
                raise InputError(f"{both} of {type(self).__name__} say the same", hint="give one of them")
            if name in values:
                given = {n: v for n, v in given.items() if n not in fields}
            elif twice and name in given:
                parts = given.pop(name)
                if isinstance(parts, tuple | list | np.ndarray):  # what it said besides stays
                    given |= {n: part for n, part in zip(fields, parts) if n not in values}
        return {**given, **values}

    def _array(self, name: str, value: Value) -> np.ndarray:
        """Return the checked numbers of a field, in its unit."""
        field = self.fields.get(name)
        if field is None:
            known = [*self.fields, *self.places, *self.stands_for]
            raise InputError(f"{type(self).__name__} has no '{name}'", hint=did_you_mean(name, known))
        where = f"{type(self).__name__}.{name}"
        if isinstance(field, Look):
            raise InputError("the vehicle fills this input", where=where)
        array = numbers(value, field.unit, where)
        if field.kind == "n" and (array != np.rint(array)).any():
            raise InputError("not whole numbers", where=where, got=repr(value))
        if isinstance(field, Parameter):
            field.check(array, where)
        return array

    def _finish(self) -> None:
        """Refuse what is missing or does not fit."""
        name = type(self).__name__
        for field in self.fields.values():
            for n in field.shape:
                if isinstance(n, str) and n not in self._sizes:
                    raise InputError(
                        f"the size '{n}' of {name}.{field.name} is not known", hint=f"give {name}({n}=…)"
                    )
        missing = {}
        for key, place in self.places.items():
            if key not in self._at and not (isinstance(place, Site) and place.root):
                missing[key] = "a place of the vehicle"
        for field in self.fields.values():
            needed = isinstance(field, Parameter) and field.value is None and field.name not in self.derived
            if needed and field.name not in self._values:
                missing[field.name] = f"in {field.unit or 'numbers'}"
        if missing:
            raise InputError(
                f"{name} needs {', '.join(f'{key}=' for key in missing)}",
                expected="; ".join(
                    f"{key} {words}" if len(missing) > 1 else words for key, words in missing.items()
                ),
                where=name,
            )
        for field in self.fields.values():
            self.value_of(field.name)

    def _field(self, name: str) -> Field:
        if name not in self.fields:
            raise InputError(
                f"{type(self).__name__} has no field '{name}'", hint=did_you_mean(name, self.fields)
            )
        return self.fields[name]

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Return the shape of a field, sizes by name resolved."""
        return tuple(self._sizes[n] if isinstance(n, str) else int(n) for n in self._field(name).shape)

    def is_set(self, name: str) -> bool:
        """Return whether a field was given a value: defaults of the class do not count."""
        return name in self._values

    def is_given(self, name: str) -> bool:
        """Return whether a field has a value: inputs without default have none."""
        return name in self._values or self._field(name).value is not None

    def value_of(self, name: str) -> np.ndarray | np.generic:
        """Return a parameter, the initial value of a state or output, or the default of an input, in its unit."""
        field = self._field(name)
        value = self._values.get(name, field.value)
        full = shaped(0.0 if value is None else value, self.shape_of(name), f"{type(self).__name__}.{name}")
        return full if full.ndim else full[()]

    def __repr__(self) -> str:
        given = ", ".join(f"{n}={v.tolist()}" for n, v in self._values.items())
        return f"{type(self).__name__}({given})"

    def __str__(self) -> str:
        from interstage.simulation.plant.assembly_text import device_text

        return device_text(self)


def _place_list(device: str, name: str, given: object) -> list | tuple:
    """Return several places, or say that a list is needed."""
    if not isinstance(given, list | tuple) or not given:
        raise InputError(
            f"{device} needs a list of places for {name}=",
            expected='as in [("core", 4), ("core", 9)]',
            got=repr(given),
        )
    return given


def read(cls: type[Device], function: str) -> frozenset[str]:
    """Return the inputs that a function reads."""
    uses = cls.uses.get(function)
    if uses is None:
        return frozenset()
    ins = frozenset(name for name, field in cls.fields.items() if isinstance(field, In))
    return ins if uses.all else ins & uses.reads


def feeds(cls: type[Device], out: str) -> frozenset[str]:
    """Return the inputs that an output depends on at once; all that `outputs` reads where that cannot be told."""
    everything = read(cls, "outputs")
    return everything if cls.follow is None else everything & cls.follow(out)


def record_fields(cls: type[Device]) -> tuple[tuple[str, str, int], ...]:
    """Return (name, kind, number of axes) of every field of the record: kinds p s z Z w n; Z are derivatives."""
    found = []
    for name, field in {**cls.fields, **built_in()}.items():
        found.append((name, field.kind, len(field.shape)))
        if field.kind == "z":
            found.append((f"{name}dot", "Z", len(field.shape)))
    return tuple(found)


class RecordView:
    """The record for interpreted code: arrays by name; fields without size are numbers."""

    __slots__ = ("_arrays",)

    def __init__(self, arrays: dict[str, np.ndarray]):
        object.__setattr__(self, "_arrays", arrays)

    def __getattr__(self, name: str) -> Any:
        array = self._arrays[name]
        return array if array.ndim else array[()]

    def __setattr__(self, name: str, value: Any) -> None:
        array, given = self._arrays[name], np.shape(value)
        if array.ndim or given:
            raise InputError(
                f"what is written to 'd.{name}' does not fit",
                expected=f"{array.size} numbers by d.{name}[:] = …" if array.ndim else "one number",
                got=f"shape {given}",
            )
        array[...] = value


def _size(value: object, where: str) -> int:
    """Return a number of rows: whole, at least 1."""
    if not isinstance(value, int | float | np.integer | np.floating) or value < 1 or float(value) % 1 != 0:
        raise InputError(f"{where} is a number of rows", expected="1 or more", got=repr(value))
    return int(value)


BUILT_IN = ("tick", "seed", "stream", "ideal")
# what each function may write
WRITES = {
    "outputs": (Out,),
    "rates": (),
    "sample": (Out, DiscreteState, IntegerState),
    "switch": (ContinuousState, DiscreteState, IntegerState),
}


def built_in() -> dict[str, Field]:
    """Return the fields that every record has."""
    fields: dict[str, Field] = {"period": Parameter("s", 0.0)}
    fields |= {name: IntegerState() for name in BUILT_IN}
    for name, field in fields.items():
        field.name = name
    return fields


def check_names(cls: type[Device], own: Iterable[str]) -> None:
    """Refuse fields that would hide others, or what every device has of its own."""
    taken = {*own, "every", "offset", "delay", "period", *BUILT_IN}
    dots = {f"{name}dot" for name, field in cls.fields.items() if isinstance(field, ContinuousState)}
    for name, field in cls.fields.items():
        if name in taken or name.startswith("_"):
            raise InputError(
                f"a field of {cls.__name__} cannot be called '{name}'", hint="choose another name"
            )
        if name in dots:
            raise InputError(
                f"{cls.__name__}.{name} is the derivative of a state", hint="choose another name"
            )
        if isinstance(field, Look | Push) and field.owner not in cls.places.values():
            raise InputError(
                f"{cls.__name__}.{name} belongs to no place of the class",
                hint="declare it as at = ist.Site()",
            )


def check_texts(cls: type[Device]) -> None:
    """Refuse functions that name what is not declared, or write what they must not."""
    states = [name for name, field in cls.fields.items() if isinstance(field, ContinuousState)]
    dots = {f"{name}dot" for name in states}
    known = {**cls.fields, **built_in(), **dict.fromkeys(dots)}
    for function, uses in cls.uses.items():
        where = f"{cls.__name__}.{function}"
        _check_kind(cls.functions[function], where, function)
        if "print" in cls.functions[function].__code__.co_names:
            raise InputError(
                "texts of devices are compiled and cannot print",
                where=where,
                hint="log the port, or write a law: add(name, function)",
            )
        for name in sorted(uses.reads | uses.writes):
            if name not in known:
                raise InputError(f"'{name}' is not declared", where=where, hint=did_you_mean(name, known))
        for name in sorted(uses.writes):
            field = cls.fields.get(name)
            if isinstance(field, In):
                raise InputError(f"'{name}' is an input: another device writes it", where=where)
            allowed = name in dots if function == "rates" else isinstance(field, WRITES[function])
            if not allowed:
                kind = type(field).__name__ if field else "derivative" if name in dots else "built-in field"
                raise InputError(f"{function} cannot write '{name}'", where=where, got=f"a {kind}")
        _check_sizes(cls, function)
    if states and "rates" not in cls.functions:
        raise InputError(f"{cls.__name__} has states, but no function rates(d, t)", got=", ".join(states))
    crossings = [name for name, field in cls.fields.items() if isinstance(field, ZeroCrossing)]
    if bool(crossings) != ("switch" in cls.functions):
        said = f"has crossings ({', '.join(crossings)}), but no function switch(d, t)"
        raise InputError(
            f"{cls.__name__} {said if crossings else 'has a function switch, but no ZeroCrossing'}"
        )
    _check_writers(cls)


def _check_kind(function: Callable, where: str, name: str) -> None:
    """Refuse generators, coroutines, and functions whose arguments are not a record and a time."""
    if not hasattr(function, "__code__"):
        raise InputError(
            "functions of devices are plain functions",
            where=where,
            expected=f"def {name}(d, t):",
            got=type(function).__name__,
        )
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise InputError(
            "functions of devices run to their end at every call: they cannot yield or wait", where=where
        )
    asked = list(inspect.signature(function).parameters.values())
    places = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in asked)
    if places != len(asked) or places not in ((2, 3) if name == "switch" else (2,)):
        wanted = f"{name}(d, t) or {name}(d, t, crossing)" if name == "switch" else f"{name}(d, t)"
        raise InputError(
            "functions of devices take a record and a time",
            where=where,
            expected=wanted,
            got=f"{name}{inspect.signature(function)}",
        )


def _check_sizes(cls: type[Device], function: str) -> None:
    """Refuse `d.x = …` of a field with a size: a record is written in place."""
    for name in sorted(cls.uses[function].whole):
        field = cls.fields.get(name) or cls.fields.get(name.removesuffix("dot"))
        if field is not None and field.shape:
            size = " x ".join(map(str, field.shape))
            raise InputError(
                f"'{name}' has a size and is written element by element",
                where=f"{cls.__name__}.{function}",
                expected=f"{size} numbers, as in d.{name}[:] = …",
                got=f"d.{name} = …",
            )


def _check_writers(cls: type[Device]) -> None:
    """Refuse outputs that nobody writes, or two functions."""
    for name, field in cls.fields.items():
        if not isinstance(field, Out):
            continue
        by = [f for f in ("outputs", "sample") if f in cls.uses and name in written(cls, f)]
        if len(by) > 1:
            raise InputError(
                f"{cls.__name__}.{name} is written by outputs and by sample", hint="one may write it"
            )
        if not by:
            raise InputError(f"no function of {cls.__name__} writes its output '{name}'")


def written(cls: type[Device], function: str) -> frozenset[str]:
    """Return the outputs that a function writes; one that hands its record on writes those that no other does."""
    uses = cls.uses.get(function)
    if uses is None:
        return frozenset()
    outs = {name for name, field in cls.fields.items() if isinstance(field, Out)}
    found = outs & (uses.writes | uses.reads)
    other = cls.uses.get("sample" if function == "outputs" else "outputs")
    if other is not None:
        found -= {name for name in outs & other.writes if name not in uses.writes}
    if uses.all:
        found |= outs if other is None else outs - other.writes
    return frozenset(found)
