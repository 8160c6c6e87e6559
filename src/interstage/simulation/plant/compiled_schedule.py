"""The functions of a plan as compiled code: vectors, addresses, and what is said of those that do not compile.

The flat vectors of a plan for one number type, and its functions as addresses on rows of addresses.

Why a function of a device cannot be compiled: the line, and the cause in one sentence.

The compiler writes pages about its own insides. `refusal` takes from them the line of the source and what is wrong
there, in the words of Python; the pages stay in `__context__`, and `NUMBA_FULL_TRACEBACKS=1` shows them.

Which devices were asked beyond the ends of their tables, and whether those that have a date agree.
"""

from __future__ import annotations

import ast
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from interstage.errors import (
    FidelityWarning,
    InputError,
    InterstageError,
    SolverError,
    caller_level,
    did_you_mean,
    raised,
)
from interstage.jit import COMPILED, COMPILER_FOLDER, compiler_pages_wanted
from interstage.multibody import State, System
from interstage.simulation.plant.assembly import Member
from interstage.simulation.plant.coupled_arrays import WELL, PlainTapes
from interstage.simulation.plant.device import Device, RecordView, record_fields
from interstage.simulation.plant.execution_order import Entry
from interstage.simulation.plant.feedthrough import lines_where, source_lines
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import (
    FORESEEN_FIELDS,
    Ahead,
    Foreseen,
    PrescribedTable,
    Upcoming,
    read_row,
)
from interstage.simulation.plant.python_block import Law

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


def _fields(part: Member) -> tuple[tuple[str, str, int], ...]:
    """Return the fields of the record of a part; a law has none."""
    return () if isinstance(part.what, Law) else record_fields(type(part.what))


def _nowhere() -> State:
    """Stand for what says where the stage stands, until something runs the tapes."""
    raise NotImplementedError


def failure(part: Member, function: str, t: float, error: Exception) -> InterstageError:
    """Return what to say of a function of a device that raised."""
    kind = InputError if isinstance(error, InputError) else SolverError
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == function]
    where = f"{type(part.what).__name__}.{function}" + (f", line {lines[-1]}" if lines else "")
    words = str(error) if isinstance(error, InterstageError) else raised(error)
    return kind(f"device '{part.path}' failed at t = {t:.9g}", where=where, got=words)


class Tapes:
    """Vectors p, s, z, Z, w, n of a plan, and what runs on them.

    dtype : float or complex;  ideal : without noise and quantizers;  interpret : run the texts as Python
    flag, failed_at : (3,) and (1,) as in `coupled_arrays`, set where a function raised; `check` raises that
    """

    def __init__(self, plan: ExecutionPlan, dtype: Any = float, ideal: bool = False, interpret: bool = False):
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
        self._devices: dict[
            tuple[int, int], tuple[Member, str]
        ] = {}  # with their function, by address and row
        self._plain = None if COMPILED else PlainTapes()
        self.rows: dict[int, np.ndarray] = {}
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

    def view(self, part: Member) -> RecordView:
        """Return the record of a device for interpreted code."""
        names = [name for name, _, _ in _fields(part)]
        return RecordView({name: self.array(f"{part.path}.{name}") for name in names})

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

    def _interpreted(self, part: Member, function: str, t: float, error: Exception) -> Exception:
        """Return what a device raises as plain Python, on copies: it knows lines and indices, where it is the same."""
        if error.__traceback__ is not None:
            return error
        names = [name for name, _, _ in _fields(part)]
        copies = RecordView({name: self.array(f"{part.path}.{name}").copy() for name in names})
        try:
            with np.errstate(all="ignore"):
                part.what.functions[function](copies, t)  # type: ignore[union-attr]
        except Exception as again:
            return again if type(again) is type(error) else error
        return error

    def switch(self, part: Member, t: float, crossing: str = "") -> None:
        """Run the function `switch` of a device."""
        assert isinstance(part.what, Device)
        try:
            part.what.run_switch(self.view(part), t, crossing)
        except Exception as error:
            raise failure(part, "switch", t, error) from error

    def switch_of(self, part: Member) -> tuple[int, np.ndarray]:
        """Return the address of the compiled function `switch` of a device, and its row."""
        assert isinstance(part.what, Device)
        code = self._compiled(part.path, type(part.what), "switch")
        return code, self._row(self.plan.parts.index(part))

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

    def _ahead(self, part: Member, what: Ahead) -> tuple[int, int]:
        """Return address and row of what is known ahead."""
        slots = {name: self.plan.slots[f"{part.path}.{name}"] for name in what.outs}
        body = part.scope + what.body
        vehicle = self.vehicle
        origin = None if vehicle is None or body not in vehicle.bodies else vehicle.model.spec(body).offset
        where = {name: np.arange(one.start, one.start + one.size) for name, one in slots.items()}
        sheet = PrescribedTable(
            self.vectors["s"], where, lambda t: self.upcoming(t), lambda: self.state(), origin
        )
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
        if k not in self.rows:
            part = self.plan.parts[k]
            row = []
            for name, _, _ in _fields(part):
                array = self.array(f"{part.path}.{name}")
                row += [array.ctypes.data, *array.shape, *[0] * (SLOTS - 1 - array.ndim)]
            self.rows[k] = np.array(row, dtype=np.int64)
        return self.rows[k]

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


_HINT = "use numbers, arrays and np. functions; or add it as a plain Python function"
_PLACE = re.compile(r"\b(?:at|from) (\S[^\n]*?) \((\d+)\)")
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "and_": "&", "or_": "|", "xor": "^", "eq": "==",
    "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "contains": "in", "neg": "-",
}  # fmt: skip
_ORDER = ("lt", "le", "gt", "ge")
# what Python has and the compiler has not, by what it calls it
_FEATURES = (
    ("yield in a closure", "a generator expression is not supported", "write a loop, or a list in brackets"),
    ("exception_match", "except with a kind of exception is not supported", "branch on what may go wrong"),
    ("context manager", "with is not supported", None),
    ("format spec in f-strings", "an f-string with a format is not supported", None),
    ("IMPORT_", "import inside a function is not supported", "import at the top of the module"),
    ("MATCH_", "match with the shape of a value is not supported", "write if and elif"),
    ("STORE_GLOBAL", "a global variable cannot be changed", "declare a DiscreteState"),
    ("closure with a freevar", "a function inside the function is not supported", None),
    ("del ", "del is not supported", None),
)


def refusal(function: FunctionType, owner: str, path: str, error: Exception) -> InputError:
    """Return what to say of a function of a device that the compiler refused.

    owner : what users call it, as in "Wheel.outputs";  path : of the device in its assembly
    """
    foreign = isinstance(error, MemoryError | OSError)  # nothing is wrong with the text
    cause, hint = (raised(error), "") if foreign else _cause(str(error), function)
    return InputError(
        f"{owner} cannot be compiled: {cause}",
        where=", ".join([f"device '{path}'", *_places(function, error)]),
        hint=_HINT if hint is None else hint,
    )


def _places(function: FunctionType, error: Exception) -> list[str]:
    """Return the line of the function, with its text, and before it the one of a kernel that it calls."""
    own, text = function.__code__.co_filename, str(error)
    first, lines = source_lines(function)
    found = [
        (file, int(line)) for file, line in _PLACE.findall(text) if COMPILER_FOLDER not in Path(file).parents
    ]
    loc = getattr(error, "loc", None)
    found += [] if loc is None else [(str(loc.filename), int(loc.line))]
    found = [(own, line) for line in _lines_of_names(function, text)] + found
    inside = [line for file, line in found if file == own and first <= line < first + len(lines)]
    places = []
    if found and (found[0][0] != own or found[0][1] not in inside) and Path(found[0][0]).suffix == ".py":
        places = [f"{Path(found[0][0]).name}, line {found[0][1]}"]
    line = inside[0] if inside else function.__code__.co_firstlineno
    words = lines[line - first].strip() if inside else ""
    if len(words) > 80:
        words = words[:76] + " ..."
    return [*places, f"{Path(own).name}, line {line}" + (f": {words}" if words else "")]


def _lines_of_names(function: FunctionType, text: str) -> list[int]:
    """Return the line of what the compiler names without a line, or with that of the end of a branch."""
    if found := re.search(r"Cannot unify .* for '(\w+)", text):
        name = found[1]
        return lines_where(
            function, lambda n: isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        )[-1:]
    if found := re.search(r"^module '[\w.]+' has no attribute '(\w+)'|NameError: name '(\w+)'", text):
        name = found[1] or found[2]
        return lines_where(function, lambda n: name in _names(n))[:1]
    return lines_where(function, lambda n: isinstance(n, ast.With))[:1] if "context manager" in text else []


def _names(node: ast.AST) -> tuple[object, object]:
    return getattr(node, "id", None), getattr(node, "attr", None)


def _cause(text: str, function: FunctionType) -> tuple[str, str | None]:
    """Return what is wrong, in one clause, and what to do (None: nothing in particular)."""
    for mark, words, hint in _FEATURES:
        if mark in text:
            return words, hint
    for pattern, said in _KNOWN:
        if found := re.search(pattern, text):
            return said(found, function)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    return (lines or ["the compiler does not say why"])[0].rstrip(".")[:200], None


def _type_changes(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    first, second = map(_kind, (found[1], found[2]))
    name = found[3].partition(".")[0]
    subject = "what it returns" if name.startswith("$") else f"'{name}'"
    return f"{subject} is {first} in one branch and {second} in another", "give it one type in all branches"


def _no_attribute(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    return f"{_kind(found[2])} has no attribute '{found[1]}' in compiled code", None


def _no_name_in_module(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    known = [name for name in dir(sys.modules.get(found[1])) if not name.startswith("_")]
    return f"module '{found[1]}' has no attribute '{found[2]}'", did_you_mean(found[2], known)


def _no_such_name(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    known = [*function.__code__.co_varnames, *(n for n in function.__globals__ if not n.startswith("_"))]
    return f"the name '{found[1]}' is not defined", did_you_mean(found[1], known)


def _object_outside(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    name, kind = found[1], found[2].rpartition(".")[2]
    if kind in ("function", "method"):
        return (
            f"'{name}' is a plain Python function",
            f"compile it too: put @interstage.jit.kernel before def {name}",
        )
    kind = "class" if kind == "type" else kind
    return f"'{name}' is a {kind}, which compiled code cannot read", "declare its numbers as a Parameter"


def _written(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    target = re.search(r'lowering "\((\w+)\)\.(\w+) = ', found.string)
    where = f"{target[1]}.{target[2]}" if target else "what is written"
    return f"{where} is {_kind(found[2])}, and is given {_kind(found[1])}", None


def _returned(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    return f"it returns {_kind(found[1])}", "write to the record; functions of devices return nothing"


def _record_write(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    return found[0], None


def _no_implementation(found: re.Match, function: FunctionType) -> tuple[str, str | None]:
    """Say what is called with which arguments."""
    name, given = found[1], [_kind(one) for one in _split(found[2])]
    if name in _ORDER and "a complex number" in given:
        return (
            "complex numbers have no order",
            "branch on .real: derivatives run the text with complex numbers",
        )
    if name == "setitem" and len(given) == 3:
        return f"{given[0]} cannot take {given[2]} at {_index(_split(found[2])[1])}", None
    if name in ("getitem", "static_getitem") and len(given) == 2:
        return f"{given[0]} cannot be read at {_index(_split(found[2])[1])}", None
    if name in _OPERATORS and len(given) == 2:
        return f"{given[0]} {_OPERATORS[name]} {given[1]} is not supported", None
    return f"{name} cannot be called with ({', '.join(given)})", None


def _index(kind: str) -> str:
    """Return an index in words."""
    if kind.startswith(("Tuple", "UniTuple")):
        inner = kind[kind.index("(") + 1 : -1]
        several = re.search(r"x (\d+)$", inner)
        return f"{several[1] if several else len(_split(inner))} indices"
    return (
        "a slice"
        if kind.startswith("slice")
        else "one index"
        if "int" in kind
        else f"an index that is {_kind(kind)}"
    )


def _split(text: str) -> list[str]:
    """Return what stands between commas outside of brackets."""
    found, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
    return [one for one in (*found, text[start:].strip()) if one]


def _kind(text: str) -> str:
    """Return a type as users would say it.

    >>> _kind("array(float64, 2d, C)"), _kind("Literal[str](high)"), _kind("none")
    ('an array of 2 axes', "the text 'high'", 'None')
    """
    text = text.strip()
    if "=" in text and re.match(r"\w+=", text):
        name, _, inner = text.partition("=")
        return f"{name}= {_kind(inner)}"
    if found := re.match(r"(?:readonly )?array\((\w+), (\d+)d", text):
        return f"an array of {found[2]} axes" if found[2] != "1" else "a vector"
    if found := re.match(r"Literal\[(\w+)\]\((.*)\)$", text):
        return f"the text '{found[2]}'" if found[1] == "str" else f"the number {found[2]}"
    for start, words in _KINDS:
        if text.startswith(start):
            return words
    return text[:60]


_KINDS = (
    ("float", "a number"),
    ("complex", "a complex number"),
    ("bool", "a flag"),
    ("int", "a whole number"),
    ("uint", "a whole number"),
    ("none", "None"),
    ("unicode_type", "a text"),
    ("UniTuple", "a tuple"),
    ("Tuple", "a tuple"),
    ("list", "a list"),
    ("reflected list", "a list"),
    ("LiteralList", "a list"),
    ("DictType", "a dict"),
    ("LiteralStrKey", "a dict"),
    ("Module", "a module"),
    ("slice", "a slice"),
    ("Device", "the record"),
    ("type(CPUDispatcher", "a function"),
)

_Said = Callable[[re.Match, FunctionType], tuple[str, str | None]]
_KNOWN: tuple[tuple[str, _Said], ...] = (
    (r"Cannot unify (.+) and (.+) for '([^']+)'", _type_changes),
    (r"Unknown attribute '(\w+)' of type (.+)", _no_attribute),
    (r"module '([\w.]+)' has no attribute '(\w+)'", _no_name_in_module),
    (r"NameError: name '(\w+)' is not defined", _no_such_name),
    (r"Untyped global name '(\w+)'.*Cannot determine Numba type of <class '([\w.]+)'>", _object_outside),
    (r"No conversion from (.+) to none for '\$", _returned),
    (r"Cannot cast (.+) to ([^:\n]+)", _written),
    (r"\S+ is (?:an array: write .*|one number, and is given an array \(\d+-d\))", _record_write),
    (r">>> ([^\W_][\w.]*)\((.*)\)", _no_implementation),
)


SHARE = 0.01  # of the largest of a run, below which what is held beyond a table does not matter
SAME_S, DAY = 1e-3, 86400.0  # epochs this near are one


def warn_beyond(tapes: Tapes) -> None:
    """Say once of each table how far beyond its ends it was asked (`Device.ends`), and what is held there."""
    for part in tapes.plan.parts:
        what = part.what
        if not isinstance(what, Device):
            continue
        for name, words in what.ends.items():
            far = float(tapes.array(f"{part.path}.{name}").real)
            of = what.share_of.get(name)
            if far > (0.0 if of is None else SHARE * float(tapes.array(f"{part.path}.{of}").real)):
                measured = f"{far:.4g} {what.fields[name].unit}"
                how = f"at up to {measured}" if of else f"by up to {measured}"
                warnings.warn(
                    f"'{part.path}' ({type(what).__name__}) was used beyond its table, {how}: {words}",
                    FidelityWarning,
                    stacklevel=caller_level(),
                )


def check_epochs(parts: Sequence[Member]) -> None:
    """Refuse devices whose t = 0 is on different dates, and a dated sky over a site whose Earth has no date.

    A device with a date has `epoch`, its text (or None), and `date`, two parts of a Julian date
    """
    dated: list[tuple[str, Any]] = [(p.path, p.what) for p in parts if hasattr(p.what, "epoch")]
    known = [(path, one) for path, one in dated if one.epoch is not None]
    for path, one in known[1:]:
        first, other = known[0]
        apart = abs(other.date[0] - one.date[0] + (other.date[1] - one.date[1])) * DAY
        if apart > SAME_S:
            raise InputError(
                f"'{first}' and '{path}' have different epochs",
                got=f"{other.epoch} and {one.epoch}, {apart:.6g} s apart",
                hint="t = 0 is one date: give both the same",
            )
    for path, one in dated:
        if known and one.epoch is None and getattr(one, "on_ground", False):
            raise InputError(
                f"'{path}' stands at a site, but has no epoch: how '{known[0][0]}' is turned above it is not known",
                hint=f"give it epoch={known[0][1].epoch!r}",
            )
