"""The flat vectors of a plan for one number type, and its functions as addresses on rows of addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.jit import COMPILED
from interstage.multibody import State
from interstage.system.ahead import FORESEEN_FIELDS, Ahead, Foreseen, Sheet, Upcoming, read_row
from interstage.system.assembly import Part
from interstage.system.device import Device, View, record_fields
from interstage.system.law import Law
from interstage.system.loop_arrays import PlainTapes
from interstage.system.order import Entry
from interstage.system.plan import Plan

if COMPILED:
    from interstage.compiled import SLOTS, Callback, Record, address

    _FORESEEN = Record("Foreseen", FORESEEN_FIELDS)


def _record(cls: type[Device]) -> Record:
    """Return the record of a class of devices."""
    letters = [(name, "i" if kind == "n" else "w", axes) for name, kind, axes in record_fields(cls)]
    return Record(f"Device{cls.__module__}.{cls.__qualname__}", letters)


def compile_function(cls: type[Device], name: str, dtype: Any) -> int:
    """Compile a function of a class of devices for a number type, or load it from disk; return its address."""
    return address(cls.functions[name], (_record(cls), "d"), np.dtype(dtype))


def _fields(part: Part) -> tuple[tuple[str, str, int], ...]:
    """Return the fields of the record of a part; a law has none."""
    return () if isinstance(part.what, Law) else record_fields(type(part.what))


def _nowhere() -> State:
    """Stand for what says where the stage stands, until something runs the tapes."""
    raise NotImplementedError


class Tapes:
    """Vectors p, s, z, Z, w, n of a plan, and what runs on them.

    dtype : float or complex;  ideal : without noise and quantizers;  interpret : run the texts as Python
    flag : (1,) not zero after a Python device raised; `check` raises that
    """

    def __init__(self, plan: Plan, dtype: Any = float, ideal: bool = False, interpret: bool = False):
        self.plan, self.dtype, self.interpret = plan, np.dtype(dtype), interpret or not COMPILED
        self.ideal = ideal
        self.vectors = {kind: plan.initial[kind].astype(self.dtype) for kind in "pszw"}
        self.vectors["n"] = plan.initial["n"].copy()
        self.vectors["Z"] = np.zeros_like(self.vectors["z"])
        self.flag = np.zeros(1, dtype=np.int64)
        self.error: BaseException | None = None
        if ideal:
            for part in plan.parts:
                self.array(f"{part.path}.ideal")[...] = 1
        self.leave()
        self._kept: list[Any] = []
        self._plain = None if COMPILED else PlainTapes()
        self._rows: dict[int, np.ndarray] = {}
        self._foreseen: list[Foreseen] = []

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
        """Raise what a Python device raised."""
        error, self.error = self.error, None
        self.flag[0] = 0
        if error is not None:
            raise error

    def tape(self, entries: Sequence[Entry]) -> tuple[np.ndarray, np.ndarray]:
        """Return addresses of functions and of their rows."""
        found = [self._entry(entry) for entry in entries]
        table = np.array(found, dtype=np.int64).reshape(-1, 2)
        return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])

    def _entry(self, entry: Entry) -> tuple[int, int]:
        part = self.plan.parts[entry.part]
        if isinstance(part.what, Ahead):
            return self._ahead(part.path, part.what)
        if isinstance(part.what, Law):
            return self._python(self._law(part.path, part.what))
        function = part.what.functions[entry.function]
        if self.interpret:
            record = self.view(part)
            return self._python(lambda t: function(record, t))
        return self._compiled(part.path, type(part.what), entry.function), self._row(entry.part).ctypes.data

    def _ahead(self, path: str, what: Ahead) -> tuple[int, int]:
        """Return address and row of what is known ahead."""
        slots = {name: self.plan.slots[f"{path}.{name}"] for name in what.outs}
        where = {name: np.arange(one.start, one.start + one.size) for name, one in slots.items()}
        sheet = Sheet(self.vectors["s"], where, lambda t: self.upcoming(t), lambda: self.state())
        tell = what.teller(sheet)
        if not isinstance(tell, Foreseen):
            return self._python(lambda t: tell(t) if t == t else None)  # it remembers nothing to forget
        self._foreseen.append(tell)
        asked = self._python(tell)
        if self.interpret:
            return asked
        tell.ask[0] = asked[0]
        return address(read_row, (_FORESEEN, "d"), self.dtype), tell.row.ctypes.data

    def _python(self, function: Callable[[float], None]) -> tuple[int, int]:
        """Return address and row of a Python function of time."""

        def guarded(t: float) -> None:
            if self.flag[0] != 0:
                return
            try:
                function(t)
            except BaseException as error:
                self.error = error
                self.flag[0] = 1

        if self._plain is not None:
            return self._plain.add(guarded), self._plain.row
        made = Callback(lambda row, t: guarded(t), "nd")
        self._kept.append(made)
        return int(made.address or 0), 0

    def _compiled(self, path: str, cls: type[Device], name: str) -> int:
        try:
            return compile_function(cls, name, self.dtype)
        except Exception as err:  # whatever the compiler says
            lines = [
                line for line in str(err).splitlines() if line.strip() and not line.startswith("Failed in")
            ]
            raise InputError(
                f"{cls.__name__}.{name} cannot be compiled",
                where=f"device '{path}'",
                got=" ".join(lines[:3])[:300],
                hint="use numbers, arrays and np. functions; or add it as a plain Python function",
            ) from err

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
            answer = law.answer(t, given)
            for name, array in outs:
                value = law.checked(name, answer[name], array.shape, t)
                if value.dtype.kind == "c" and array.dtype.kind != "c":
                    raise InputError(f"{law.where}.{name} at t = {t:.9g} is complex", got=repr(answer[name]))
                array[...] = value

        return run
