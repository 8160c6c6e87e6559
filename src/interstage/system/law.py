"""Plain Python as a device: a function (or an object with `__call__`) whose arguments are ports.

    def law(t, rate, attitude):
        return {"gimbal": -K @ np.r_[attitude, rate]}

The first argument is time, every other one an input; what it returns goes to the outputs that were declared for it. An
object keeps its memory in its attributes. One with a true attribute `outside` acts on the world outside of the model
(hardware, another process, another tool's unit): only runs call it, and its method `begin()`, where it has one, is
called before every run. Trims and linear models leave it alone: its outputs are held.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError, SolverError, did_you_mean, raised
from interstage.system.ports import Field, Hinge, In, Out, Place

if TYPE_CHECKING:
    from interstage.multibody import System

_DECLARED = re.compile(r"(.*?)(?:\[\s*(\d+)\s*\])?\s*")


def declared(text: str, where: str) -> tuple[str, int | None]:
    """Return unit and size of a declaration as "rad[8]" or "N*m"; without a size it is one number.

    >>> declared("rad[8]", "fsw.gimbal"), declared("N*m", "fsw.torque")
    (('rad', 8), ('N*m', None))
    """
    match = _DECLARED.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InputError(
            "not a declaration of a port", where=where, expected='as in "rad[8]"', got=repr(text)
        )
    return match[1].strip(), None if match[2] is None else int(match[2])


class Law:
    """A Python function as a device.

    out : {port: "unit[size]"} that it returns, in a dictionary or, where it is one port, alone
    inputs : {argument: "unit[size]"} where units and sizes of arguments shall be checked
    """

    places: Mapping[str, Place | Hinge] = MappingProxyType({})

    def __init__(
        self,
        function: Callable[..., object],
        out: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
        where: str = "law",
    ):
        self.function, self.where = function, where
        arguments = _arguments(function, where)
        self.fields: dict[str, Field] = {}
        self.sized: set[str] = set()
        for name in inputs or {}:
            if name not in arguments:
                raise InputError(
                    f"{where} has no argument '{name}'",
                    hint=did_you_mean(name, arguments) if arguments else None,
                )
        self.defaults = {
            name for name, default in arguments.items() if default is not inspect.Parameter.empty
        }
        for name in arguments:
            text, size = declared((inputs or {}).get(name, ""), f"{where}.{name}")
            self.fields[name] = In(text, size)
            if name in (inputs or {}):
                self.sized.add(name)
        self.ins = tuple(arguments)
        for name, what in (out or {}).items():
            if name in self.fields:
                raise InputError(f"{where} has an argument and an output '{name}'")
            self.fields[name] = Out(*declared(what, f"{where}.{name}"))
        self.outs = tuple(out or {})
        for name, field in self.fields.items():
            field.name = name

    @property
    def owner(self) -> object:
        """The object that is called, or whose method is."""
        return getattr(self.function, "__self__", self.function)

    @property
    def outside(self) -> bool:
        """Whether it acts on the world outside of the model, so that only runs may call it."""
        return getattr(self.owner, "outside", False) is True

    def begin(self) -> None:
        """Let what is outside of the model know that a run begins."""
        begin = getattr(self.owner, "begin", None) if self.outside else None
        if callable(begin):
            begin()

    def bound(self, vehicle: System) -> Law:
        """Return the law as it is on a vehicle: this one, unless it touches the vehicle."""
        return self

    def place_of(self, name: str) -> object:
        """Return the place that was given for one of `places`."""
        raise InputError(f"{self.where} touches no vehicle", got=name)

    def shape_of(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a port; None for an argument that takes whatever is wired to it."""
        if name in self.outs or name in self.sized:
            return tuple(int(n) for n in self.fields[name].shape)
        return None

    def answer(self, t: float, arguments: Mapping[str, object]) -> dict[str, object]:
        """Call the function and return what it says by output, or say in a sentence what is wrong with that."""
        try:
            found = self.function(t, **arguments)
        except Exception as err:
            raise SolverError(f"{self.where} failed at t = {t:.9g}", got=raised(err)) from err
        if isinstance(found, Mapping):
            for name in found:
                if name not in self.outs:
                    raise InputError(
                        f"{self.where} returned '{name}' at t = {t:.9g}, which is not among its outputs",
                        hint=did_you_mean(name, self.outs),
                    )
            missing = [name for name in self.outs if name not in found]
            if missing:
                raise InputError(f"{self.where} did not return '{missing[0]}' at t = {t:.9g}")
            return dict(found)
        if len(self.outs) == 1 and found is not None:
            return {self.outs[0]: found}
        if not self.outs and found is None:
            return {}
        words = "a dictionary with " + ", ".join(self.outs) if self.outs else "nothing"
        got = "nothing" if found is None else type(found).__name__
        raise InputError(f"{self.where} returned {got} at t = {t:.9g}", expected=words)

    def checked(self, name: str, value: object, shape: tuple[int, ...], t: float) -> np.ndarray:
        """Return one answer as an array of its shape, finite; complex numbers stay complex."""
        array = np.asarray(value)
        where = f"{self.where}.{name}"
        if array.dtype.kind not in "iufcb":
            raise InputError(f"{where} at t = {t:.9g} is not a number", got=repr(value))
        if array.shape != shape and not (array.size == 1 and shape in ((), (1,))):
            words = f"{shape[0]} numbers" if shape else "one number"
            raise InputError(
                f"{where} at t = {t:.9g} has the wrong size", expected=words, got=f"shape {array.shape}"
            )
        if not np.isfinite(array).all():
            raise InputError(f"{where} at t = {t:.9g} is not finite", got=np.array2string(array, threshold=8))
        return array.reshape(shape)

    def __repr__(self) -> str:
        return f"{getattr(self.function, '__name__', type(self.function).__name__)}({', '.join(self.ins)})"


def law_of(
    what: Callable[..., object], out: Mapping[str, str] | None, inputs: Mapping[str, str] | None, where: str
) -> Law:
    """Return a function as a device; an object may declare its ports itself, in attributes `out` and `inputs`."""
    own = {name: getattr(what, name, None) for name in ("out", "inputs")}
    if out is None and isinstance(own["out"], Mapping):
        out = own["out"]
    if inputs is None and isinstance(own["inputs"], Mapping):
        inputs = own["inputs"]
    for name, given in (("out", out), ("inputs", inputs)):
        if given is not None and not isinstance(given, Mapping):
            raise InputError(
                f"{name} of {where} cannot be read",
                expected='{port: unit}, as in {"u": "N*m[3]"}',
                got=repr(given),
            )
    return Law(what, out, inputs, where)


def _arguments(function: Callable[..., object], where: str) -> dict[str, Any]:
    """Return the arguments after time, each with its default."""
    if not callable(function):
        raise InputError(
            f"{where} is no device",
            expected="a Device, an Assembly, a function or an object that can be called",
            got=type(function).__name__,
        )
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if (
        not parameters
        or any(p.kind not in plain for p in parameters)
        or parameters[0].name not in ("t", "time")
    ):
        raise InputError(
            f"{where}: a law is called with the time and its inputs by name",
            expected="as in def law(t, rate)",
        )
    return {p.name: p.default for p in parameters[1:]}
