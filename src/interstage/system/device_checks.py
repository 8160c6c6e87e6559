"""What a class of devices must be, looked at when it is made: names of fields, and what its functions do with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from interstage.errors import InputError, did_you_mean
from interstage.system.ports import Crossing, Discrete, Field, In, Integer, Look, Out, Parameter, Push, State

if TYPE_CHECKING:
    from interstage.system.device import Device

BUILT_IN = ("tick", "seed", "stream", "ideal")
# what each function may write
WRITES = {
    "outputs": (Out,),
    "rates": (),
    "sample": (Out, Discrete, Integer),
    "switch": (State, Discrete, Integer),
}


def built_in() -> dict[str, Field]:
    """Return the fields that every record has."""
    fields: dict[str, Field] = {"period": Parameter("s", 0.0)}
    fields |= {name: Integer() for name in BUILT_IN}
    for name, field in fields.items():
        field.name = name
    return fields


def check_names(cls: type[Device], own: Iterable[str]) -> None:
    """Refuse fields that would hide others, or what every device has of its own."""
    taken = {*own, "every", "offset", "delay", "period", *BUILT_IN}
    dots = {f"{name}dot" for name, field in cls.fields.items() if isinstance(field, State)}
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
                hint="declare it as at = ist.Place()",
            )


def check_texts(cls: type[Device]) -> None:
    """Refuse functions that name what is not declared, or write what they must not."""
    states = [name for name, field in cls.fields.items() if isinstance(field, State)]
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
    crossings = [name for name, field in cls.fields.items() if isinstance(field, Crossing)]
    if bool(crossings) != ("switch" in cls.functions):
        said = f"has crossings ({', '.join(crossings)}), but no function switch(d, t)"
        raise InputError(f"{cls.__name__} {said if crossings else 'has a function switch, but no Crossing'}")
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
