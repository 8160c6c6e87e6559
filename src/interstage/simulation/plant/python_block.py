"""Plain Python as a device, and what it remembers between its calls.

Plain Python as a device: a function (or an object with `__call__`) whose arguments are ports.

    def law(t, rate, attitude):
        return {"gimbal": -K @ np.r_[attitude, rate]}

The first argument is time, every other one an input; what it returns goes to the outputs that were declared for it. An
object keeps its memory in its attributes. One with a true attribute `outside` acts on the world outside of the model
(hardware, another process, another tool's unit): only runs call it, and its method `begin()`, where it has one, is
called before every run. Trims and linear models leave it alone: its outputs are held.

What laws in Python remember between their calls: attributes of the objects that they are, defaults of arguments.

What a law keeps elsewhere (in a closure, in a global of its module) is not copied; that a run has changed it is seen
(`RunMemory`), so that the next run of the same law says that it is no repetition.
"""

from __future__ import annotations

import dis
import inspect
import re
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from inspect import signature
from itertools import pairwise
from threading import Lock, get_ident
from types import (
    FunctionType,
    MappingProxyType,
    MethodType,
)
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.copies import Copies, attributes_of
from interstage.errors import FidelityWarning, InputError, SolverError, caller_level, did_you_mean, raised
from interstage.multibody import System
from interstage.simulation.plant.declarations import Field, In, JointRef, Out, Site
from interstage.simulation.plant.serialization import memory_of, plain_object, put_attributes

if TYPE_CHECKING:
    from interstage.simulation.plant.plan import ExecutionPlan


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


class Called:
    """A Python function that runs call: a law, or the control of a vehicle alone."""

    def __init__(self, function: Callable[..., object]):
        self.function = function

    @property
    def owner(self) -> object:
        """The object that is called, or whose method is."""
        return getattr(self.function, "__self__", self.function)

    @property
    def outside(self) -> bool:
        """Whether it acts on the world outside of the model, so that only runs may call it."""
        return getattr(self.owner, "outside", False) is True


class Law(Called):
    """A Python function as a device.

    out : {port: "unit[size]"} that it returns, in a dictionary or, where it is one port, alone
    inputs : {argument: "unit[size]"} where units and sizes of arguments shall be checked
    """

    places: Mapping[str, Site | JointRef] = MappingProxyType({})

    def __init__(
        self,
        function: Callable[..., object],
        out: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
        where: str = "law",
    ):
        super().__init__(function)
        self.where = where
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


MOST = 1_000_000  # values that all copies of what laws remember may have: some hundred megabytes
_FLYING: dict[int, list[int]] = {}  # threads that fly a law, by the number of the object that it is
_FLYING_LOCK = Lock()


def laws_of(plan: ExecutionPlan) -> dict[str, Law]:
    """Return the laws by their full names."""
    return {part.path: part.what for part in plan.parts if isinstance(part.what, Law)}


def _function(law: Called) -> Any:
    """Return the function that a law calls: its own, or that of a class."""
    called = (
        law.function if isinstance(law.function, FunctionType | MethodType) else type(law.function).__call__
    )
    return getattr(called, "__func__", called)


def _defaults(law: Called) -> dict[str, Any]:
    """Return defaults of arguments that can change, by name: a law may remember in them."""
    found = {}
    function = _function(law)
    if isinstance(function, FunctionType):
        for name, one in signature(function).parameters.items():
            fixed = None | bool | int | float | complex | str | bytes | tuple | type | np.generic
            if (
                one.default is not one.empty
                and not isinstance(one.default, fixed)
                and not callable(one.default)
            ):
                found[name] = one.default
    return found


def hides(law: Law) -> bool:
    """Return whether a law writes enclosed or global variables: what it remembers there is not seen here."""
    function = _function(law)
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    return any(
        one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
        or (one.opname in ("STORE_DEREF", "DELETE_DEREF") and one.argval in code.co_freevars)
        for one in dis.get_instructions(code)
    )


def _put_defaults(law: Law, held: Mapping[str, Any]) -> None:
    """Let arguments have these defaults."""
    function = _function(law)
    for name in held.keys() & (function.__kwdefaults__ or {}).keys():
        function.__kwdefaults__[name] = held[name]
    if function.__defaults__:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount][-len(function.__defaults__) :]
        function.__defaults__ = tuple(held.get(n, v) for n, v in zip(names, function.__defaults__))


def remembered(laws: Mapping[str, Law]) -> dict[str, dict[str, Any]]:
    """Return what laws remember by their names: in attributes, and ("name()") in defaults of arguments.

    The values are those of the laws themselves, not copies.
    """
    found = {path: memory_of(law.owner) for path, law in laws.items()}
    found |= {f"{path}()": _defaults(law) for path, law in laws.items()}
    return {name: held for name, held in found.items() if held}


@contextmanager
def flown(laws: Mapping[str, Law]) -> Iterator[None]:
    """Note that laws fly; warn where one that remembers does so in another thread: both runs change its memory."""
    me = get_ident()
    paths = {id(law.owner): path for path, law in laws.items() if memory_of(law.owner) or hides(law)}
    with _FLYING_LOCK:
        shared = [path for key, path in paths.items() if any(one != me for one in _FLYING.get(key, ()))]
        for key in paths:
            _FLYING.setdefault(key, []).append(me)
    try:
        if shared:
            warnings.warn(
                f"'{shared[0]}' flies in two threads at once, and is one object: what it remembers is mixed between "
                "the runs; build an assembly, with laws of its own, for each thread",
                FidelityWarning,
                stacklevel=caller_level(),
            )
        yield
    finally:
        with _FLYING_LOCK:
            for key in paths:
                _FLYING[key].remove(me)
                if not _FLYING[key]:
                    del _FLYING[key]


def remember(laws: Mapping[str, Law], held: Mapping[str, Mapping[str, Any]]) -> None:
    """Let laws remember what `remembered` returned; the values become their own."""
    for name, values in held.items():
        if name in laws:
            put_attributes(laws[name].owner, values)
        else:
            _put_defaults(laws[name.removesuffix("()")], values)


APPENDING = ("append", "extend", "appendleft", "write", "writerow")  # methods that only put something there
LOOKED_AT = 200_000  # values that are looked at to see whether a run has changed what a law remembers
_LEFT: dict[int, tuple[Callable[[], object], float, dict[str, bytes]]] = {}  # by the number of the object


class RunMemory:
    """What runs leave in laws: the next run of the same objects begins with it, and is no repetition of the first.

    laws : by name;  start : time at which a run begins
    """

    def __init__(self, laws: Mapping[str, Called], start: float):
        self.laws = {path: law for path, law in laws.items() if not law.outside}
        self._before = {path: _prints(law) for path, law in self.laws.items()}
        self._kept: dict[str, list[str]] = {}
        for path, law in self.laws.items():
            here, end, left = _LEFT.get(id(law.owner), (None, start, {}))
            if here is None or here() is not law.owner or abs(end - start) <= 1e-9 * (1.0 + abs(end)):
                continue  # nothing is known, or it goes on where that one has ended
            self._kept[path] = [name for name, one in left.items() if self._before[path].get(name) == one]

    def tell(self, paths: Sequence[str], given: Mapping[str, Container[str]]) -> None:
        """Warn of what an earlier run has left in some laws;  given : names of what was put into a law for this one."""
        for path in paths:
            left = [name for name in self._kept.get(path, ()) if name not in given.get(path, ())]
            if left:
                some = ", ".join(left[:4]) + (", ..." if len(left) > 4 else "")
                warnings.warn(
                    f"'{path}' begins with what an earlier run has left in it ({some}), so that this run is no "
                    "repetition of that one; build the assembly with a new law, set it back before the run, or begin "
                    "at log.point(0), which has what the law remembered there",
                    FidelityWarning,
                    stacklevel=caller_level(),
                )

    def leave(self, end: float) -> None:
        """Note what the run has changed, at its end."""
        for path, law in self.laws.items():
            was, now, owner = self._before[path], _prints(law), law.owner
            kept = self._kept.get(path, ())
            changed = {name: one for name, one in now.items() if name in kept or was.get(name) != one}
            number = id(owner)
            if not changed:
                _LEFT.pop(number, None)
                continue
            try:
                here: Callable[[], object] = weakref.ref(owner, partial(_forget, number))
            except TypeError:
                here = partial(_itself, owner)
            _LEFT[number] = here, end, changed


def _itself(value: object) -> object:
    return value


def _forget(number: int, gone: object) -> None:
    _LEFT.pop(number, None)


def _prints(law: Called) -> dict[str, bytes]:
    """Return a fingerprint of each thing that a law may remember in: attributes, defaults, enclosed and global names.

    What it only writes, as a list of what it has seen, is left out.
    """
    held: dict[str, Any] = {**memory_of(law.owner), **_defaults(law)}
    if isinstance(law.owner, partial):
        held |= {f"argument {k + 1}": one for k, one in enumerate(law.owner.args)} | law.owner.keywords
    function = law.owner.func if isinstance(law.owner, partial) else _function(law)
    if isinstance(function, FunctionType):
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            if name != "__class__":
                held[name] = _content(cell)
        names = [one for one in code.co_names if one in function.__globals__]
        held |= {name: function.__globals__[name] for name in names}
    written = _only_written(law.owner, function)
    return {name: Fingerprint().of(value) for name, value in held.items() if name not in written}


def _only_written(owner: object, function: object) -> set[str]:
    """Return the names that a law calls to append to alone."""
    cls = () if isinstance(owner, FunctionType | partial) else type(owner).__mro__
    found = [one for base in cls for one in vars(base).values() if isinstance(one, FunctionType)]
    found += [function] if isinstance(function, FunctionType) else []
    writes: set[str] = set()
    reads: set[str] = set()
    for one in found:
        steps = [] if one.__name__ == "__init__" else list(dis.get_instructions(one))
        for step, then in pairwise(steps):
            if step.opname.startswith("LOAD_") and isinstance(step.argval, str):
                (writes if then.argval in APPENDING else reads).add(step.argval)
    return writes - reads


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


class Fingerprint:
    """Tells whether plain Python objects hold the same as before; of code, and of objects of libraries, nothing."""

    def __init__(self) -> None:
        self._hash, self._count, self._seen = blake2b(digest_size=16), 0, dict[int, int]()

    def of(self, value: object) -> bytes:
        """Return the fingerprint of a value: of equal ones it is the same."""
        self._add(value)
        return self._hash.digest()

    def _add(self, value: Any) -> None:
        self._count += 1
        if self._count > LOOKED_AT:
            return
        if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
            self._hash.update(f"{type(value).__name__}:{value!r};".encode(errors="replace"))
            return
        if id(value) in self._seen:
            self._hash.update(b"seen;")
            return
        self._seen[id(value)] = 1
        self._hash.update(f"{type(value).__name__}(".encode())
        if isinstance(value, np.ndarray) and value.dtype.kind != "O":
            self._count += value.size // 100
            if self._count <= LOOKED_AT:
                self._hash.update(
                    f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
                )
        elif isinstance(value, dict):
            for key, one in value.items():
                self._add(key)
                self._add(one)
        elif isinstance(value, list | tuple | deque):
            for one in value:
                self._add(one)
        elif isinstance(value, set | frozenset):
            self._hash.update(repr(sorted(map(repr, value))).encode(errors="replace"))
        elif isinstance(value, np.random.Generator):
            self._add(value.bit_generator.state)
        elif plain_object(value) and not type(value).__module__.startswith(("interstage.", "numpy", "scipy")):
            for name, one in attributes_of(value).items():
                self._add(name)
                self._add(one)
        self._hash.update(b")")


class Memories:
    """What laws remembered at the rows of a log: copies before the calls that come after new rows.

    rows : tells how many rows there are by now
    parameters : those that are set by now, by full name; copies have them under the name ""
    """

    def __init__(self, laws: Mapping[str, Law], rows: Callable[[], int]):
        self.laws, self.rows = laws, rows
        self.owners = {path: law.owner for path, law in laws.items()}
        self.defaults = {f"{path}()": held for path, law in laws.items() if (held := _defaults(law))}
        self.until: list[int] = []  # rows before this one have the copy of the same number
        self.copies: list[dict[str, dict[str, Any]]] = []
        self.count, self.seen, self.over = 0, 0, False
        self.told = 0  # copies that were asked for by `new`
        self.parameters: dict[str, np.ndarray] = {}

    def __getstate__(self) -> dict[str, object]:
        # laws do not travel: what they remembered at rows does
        return {**self.__dict__, "laws": {}, "owners": {}, "defaults": {}, "rows": int}

    def now(self) -> dict[str, dict[str, Any]]:
        """Return a copy of what laws remember now; raises what cannot be copied."""
        held = {path: memory for path, owner in self.owners.items() if (memory := memory_of(owner))}
        copies = Copies()
        found = copies.of({**held, **self.defaults}) if held or self.defaults else {}
        self.count += copies.count
        return found

    def note(self) -> None:
        """Keep what laws remember, where rows were logged since the last time; before a call of one."""
        rows = self.rows()
        if self.over or rows <= self.seen:
            return
        self.seen = rows
        try:
            self.copies.append(self.now() | ({"": self.parameters} if self.parameters else {}))
            self.until.append(rows)
        except Exception:  # whatever their own copying says
            self.over = True
        self.over |= self.count > MOST

    def new(self) -> Iterator[tuple[int, dict[str, dict[str, Any]]]]:
        """Yield what was kept since the last time: rows before which it holds, and what laws remembered."""
        yield from zip(self.until[self.told :], self.copies[self.told :])
        self.told = len(self.copies)

    def all(self) -> Iterator[tuple[int, dict[str, dict[str, Any]]]]:
        """Yield all that was kept, as `new`."""
        yield from zip(self.until, self.copies)

    def at(self, k: int) -> dict[str, dict[str, Any]] | None:
        """Return what laws remembered at row k; None where that was not kept."""
        j = int(np.searchsorted(self.until, k, "right"))
        return self.copies[j] if j < len(self.copies) else None
