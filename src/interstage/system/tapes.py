"""The flat vectors of a plan for one number type, and its functions as addresses on rows of addresses."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from interstage.errors import InputError, InterstageError, SolverError, raised
from interstage.jit import COMPILED, compiler_pages_wanted
from interstage.multibody import State, System
from interstage.system.ahead import FORESEEN_FIELDS, Ahead, Foreseen, Sheet, Upcoming, read_row
from interstage.system.assembly import Part
from interstage.system.device import Device, View, record_fields
from interstage.system.law import Law
from interstage.system.loop_arrays import WELL, PlainTapes
from interstage.system.order import Entry
from interstage.system.plan import Plan
from interstage.system.uncompiled import refusal

if COMPILED:
    from interstage.compiled import SLOTS, Record, address, called, taken_error

    _FORESEEN = Record("Foreseen", FORESEEN_FIELDS)


def _record(cls: type[Device]) -> Record:
    """Return the record of a class of devices."""
    letters = [(name, "i" if kind == "n" else "w", axes) for name, kind, axes in record_fields(cls)]
    return Record(f"Device{cls.__module__}.{cls.__qualname__}", letters)


def compile_function(cls: type[Device], name: str, dtype: Any) -> int:
    """Compile a function of a class of devices for a number type, or load it from disk; return its address."""
    return address(cls.functions[name], (_record(cls), "d"), np.dtype(dtype), "status", checked=True)


def _fields(part: Part) -> tuple[tuple[str, str, int], ...]:
    """Return the fields of the record of a part; a law has none."""
    return () if isinstance(part.what, Law) else record_fields(type(part.what))


def _nowhere() -> State:
    """Stand for what says where the stage stands, until something runs the tapes."""
    raise NotImplementedError


def failure(part: Part, function: str, t: float, error: Exception) -> InterstageError:
    """Return what to say of a function of a device that raised."""
    kind = InputError if isinstance(error, InputError) else SolverError
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == function]
    where = f"{type(part.what).__name__}.{function}" + (f", line {lines[-1]}" if lines else "")
    words = str(error) if isinstance(error, InterstageError) else raised(error)
    return kind(f"device '{part.path}' failed at t = {t:.9g}", where=where, got=words)


class Tapes:
    """Vectors p, s, z, Z, w, n of a plan, and what runs on them.

    dtype : float or complex;  ideal : without noise and quantizers;  interpret : run the texts as Python
    flag, failed_at : (3,) and (1,) as in `loop_arrays`, set where a function raised; `check` raises that
    """

    def __init__(self, plan: Plan, dtype: Any = float, ideal: bool = False, interpret: bool = False):
        self.plan, self.dtype, self.interpret = plan, np.dtype(dtype), interpret or not COMPILED
        self.ideal = ideal
        self.vectors = {kind: plan.initial[kind].astype(self.dtype) for kind in "pszw"}
        self.vectors["n"] = plan.initial["n"].copy()
        self.vectors["Z"] = np.zeros_like(self.vectors["z"])
        self.flag, self.failed_at = np.zeros(3, dtype=np.int64), np.zeros(1)
        self.error: BaseException | None = None
        if ideal:
            for part in plan.parts:
                self.array(f"{part.path}.ideal")[...] = 1
        self.leave()
        self.noting: Callable[[], None] | None = None  # called before every call of a law
        self._kept: list[Any] = []
        self._devices: dict[tuple[int, int], tuple[Part, str]] = {}  # with their function, by address and row
        self._plain = None if COMPILED else PlainTapes()
        self._rows: dict[int, np.ndarray] = {}
        self._foreseen: list[Foreseen] = []
        self.vehicle: System | None = None  # what devices are on now

    def run_by(self, upcoming: Upcoming, state: Callable[[], State]) -> None:
        """Know times that will be asked for, and where the stage stands, from whoever runs the tapes."""
        self.upcoming, self.state = upcoming, state

    def leave(self) -> None:
        """Know nobody who runs the tapes."""
        self.run_by(lambda t: np.array([t]), _nowhere)

    def forget(self) -> None:
        """Ask functions of time anew: whoever acted since then may have changed what they read."""
        for one in self._foreseen:
            one.forget()

    def array(self, name: str) -> np.ndarray:
        """Return the numbers of a field by its full name, a view."""
        slot = self.plan.slots[name]
        return self.vectors[slot.kind][slot.where].reshape(slot.shape)

    def view(self, part: Part) -> View:
        """Return the record of a device for interpreted code."""
        names = [name for name, _, _ in _fields(part)]
        return View({name: self.array(f"{part.path}.{name}") for name in names})

    def check(self) -> None:
        """Raise what a function of a tape raised; an exception of a device with its name and the time."""
        if self.flag[0] == 0:
            return
        error, self.error = taken_error() if self._plain is None else self.error, None
        device = self._devices.get((int(self.flag[1]), int(self.flag[2])))
        self.flag[:] = 0
        if error is None:  # a second interrupt came before the first was kept
            raise KeyboardInterrupt
        if device is None or not isinstance(error, Exception):
            raise error
        part, function = device
        t = float(self.failed_at[0])
        raise failure(part, function, t, self._interpreted(part, function, t, error)) from error

    def _interpreted(self, part: Part, function: str, t: float, error: Exception) -> Exception:
        """Return what a device raises as plain Python, on copies: it knows lines and indices, where it is the same."""
        if error.__traceback__ is not None:
            return error
        names = [name for name, _, _ in _fields(part)]
        copies = View({name: self.array(f"{part.path}.{name}").copy() for name in names})
        try:
            with np.errstate(all="ignore"):
                part.what.functions[function](copies, t)  # type: ignore[union-attr]
        except Exception as again:
            return again if type(again) is type(error) else error
        return error

    def switch(self, part: Part, t: float, crossing: str = "") -> None:
        """Run the function `switch` of a device."""
        assert isinstance(part.what, Device)
        try:
            part.what.run_switch(self.view(part), t, crossing)
        except Exception as error:
            raise failure(part, "switch", t, error) from error

    def tape(self, entries: Sequence[Entry]) -> tuple[np.ndarray, np.ndarray]:
        """Return addresses of functions and of their rows."""
        found = [self._entry(entry) for entry in entries]
        table = np.array(found, dtype=np.int64).reshape(-1, 2)
        return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])

    def _entry(self, entry: Entry) -> tuple[int, int]:
        part = self.plan.parts[entry.part]
        if isinstance(part.what, Ahead):
            return self._ahead(part, part.what)
        if isinstance(part.what, Law):
            return self._python(self._law(part.path, part.what))
        function = part.what.functions[entry.function]
        if self.interpret:
            record = self.view(part)
            found = self._python(lambda t: function(record, t))
        else:
            made = self._compiled(part.path, type(part.what), entry.function)
            found = made, self._row(entry.part).ctypes.data
        self._devices[found] = part, entry.function
        return found

    def _ahead(self, part: Part, what: Ahead) -> tuple[int, int]:
        """Return address and row of what is known ahead."""
        slots = {name: self.plan.slots[f"{part.path}.{name}"] for name in what.outs}
        body = part.scope + what.body
        vehicle = self.vehicle
        origin = None if vehicle is None or body not in vehicle.bodies else vehicle.model.spec(body).offset
        where = {name: np.arange(one.start, one.start + one.size) for name, one in slots.items()}
        sheet = Sheet(self.vectors["s"], where, lambda t: self.upcoming(t), lambda: self.state(), origin)
        tell = what.teller(sheet)
        if not isinstance(tell, Foreseen):
            return self._python(lambda t: tell(t) if t == t else None)  # it remembers nothing to forget
        self._foreseen.append(tell)
        asked = self._python(tell)
        if self.interpret:
            return asked
        tell.ask[:] = asked
        return address(read_row, (_FORESEEN, "d"), self.dtype, "int64"), tell.row.ctypes.data

    def _python(self, function: Callable[[float], None]) -> tuple[int, int]:
        """Return address and row of a Python function of time."""

        if self._plain is not None:
            return self._plain.add(lambda t: self._guarded(function, t)), self._plain.row
        self._kept.append(function)  # its number is what it is called by
        return address(called, "nd", np.dtype(float), "int64"), id(function)

    def _guarded(self, function: Callable[[float], None], t: float) -> int:
        """Call a function as compiled code does; return the status."""
        try:
            function(t)
        except BaseException as error:
            self.error = error
            return 0
        return WELL

    def _compiled(self, path: str, cls: type[Device], name: str) -> int:
        try:
            return compile_function(cls, name, self.dtype)
        except Exception as err:  # whatever the compiler says, which stays in `__context__`
            refused = refusal(cls.functions[name], f"{cls.__name__}.{name}", path, err)  # type: ignore[arg-type]
            raise refused from (err if compiler_pages_wanted() else None)

    def _row(self, k: int) -> np.ndarray:
        """Return the row of addresses and lengths of a part's record."""
        if k not in self._rows:
            part = self.plan.parts[k]
            row = []
            for name, _, _ in _fields(part):
                array = self.array(f"{part.path}.{name}")
                row += [array.ctypes.data, *array.shape, *[0] * (SLOTS - 1 - array.ndim)]
            self._rows[k] = np.array(row, dtype=np.int64)
        return self._rows[k]

    def _law(self, path: str, law: Law) -> Callable[[float], None]:
        """Return a function of time that calls a law on copies of its inputs and writes what it answers."""
        if self.ideal and law.outside:  # only runs may call it: what it says is held
            return lambda t: None
        slots = self.plan.slots
        ins = [(name, self.array(f"{path}.{name}")) for name in law.ins if f"{path}.{name}" in slots]
        outs = [(name, self.array(f"{path}.{name}")) for name in law.outs]

        def run(t: float) -> None:
            given = {name: array.copy() if array.ndim else array.item() for name, array in ins}
            if self.noting is not None:
                self.noting()
            answer = law.answer(t, given)
            for name, array in outs:
                value = law.checked(name, answer[name], array.shape, t)
                if value.dtype.kind == "c" and array.dtype.kind != "c":
                    raise InputError(f"{law.where}.{name} at t = {t:.9g} is complex", got=repr(answer[name]))
                array[...] = value

        return run
