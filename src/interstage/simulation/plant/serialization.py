"""Objects as text and arrays, and code by name: what files of runs hold, never code itself.

Functions and classes by name: files hold names and fingerprints of code, never code.

A name is "module:qualified.name". Text of a file never chooses what is imported: a name is looked up in the script that
runs and among the modules that are there, and leads only to code of the program that asks (`Program`). A fingerprint
covers the source, and the numbers, arrays, words, functions and classes of its own module that the source names: with
the same fingerprint the code does the same.

Objects as text and arrays, without code: an assembly in a log, what laws remember in a checkpoint.

A value is JSON where it can be. Everything else is a table with one key that says what it is:

    {"array": name}               a dataset of that name     {"list": [...]}, {"dict": [[key, value], ...]}
    {"object": k}                 the k-th object            {"fraction": "1/3"}, {"float": "nan"}
    {"function": name, ...}       code by its name           {"system": k}   the k-th vehicle
    {"method": name, "of": ...}   a method of an object      {"class": name, ...}

An object is the name of its class and its attributes; no method of it is called when it is made again. What is one
object stays one. Code is that of the program which asks, and held against its fingerprint (`code_names.Program`).
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import json
import math
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path, PurePath
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from interstage._renamed import current_name, first_name
from interstage.copies import attributes_of, slots_of_class
from interstage.errors import FileError, InputError, raised
from interstage.multibody import System
from interstage.simulation.plant.declarations import Field, InternalLoad, JointRef, Site, Store
from interstage.simulation.plant.device import Device
from interstage.spatial import Rotation

MAIN = "__main__"
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
SEPARATOR = ":"
OWNERS = Site | JointRef | InternalLoad | Store  # of what a class declares, as fields are


# modules of this package whose classes a file may name: what assemblies, events and loads are made of. Others write
# files, open sockets or load the binaries of units, with attributes of the file
REVIVED = (
    "interstage.component.component", "interstage.component.integrals", "interstage.component.interface",
    "interstage.component.options", "interstage.demo.ascent", "interstage.demo.ascent_control",
    "interstage.demo.ascent_flight", "interstage.demo.ascent_plant", "interstage.demo.ascent_reference",
    "interstage.demo.flight", "interstage.devices", "interstage.linear.model", "interstage.mass",
    "interstage.multibody", "interstage.simulation.plant", "interstage.simulation.run.applied_loads",
    "interstage.simulation.run.events", "interstage.spatial", "interstage.staged_vehicle", "interstage.units",
)  # fmt: skip


class NoName(Exception):
    """Code that another process could not find by a name, said in a clause."""


def name_of(code: FunctionType | type) -> str:
    """Return the name of a function or class, or say why there is none that leads back to it."""
    module, name = code.__module__, code.__qualname__
    if "<lambda>" in name:
        raise NoName("a lambda has no name")
    if "<locals>" in name or getattr(code, "__closure__", None):
        raise NoName(f"'{code.__name__}' is defined inside a function")
    if _inside(sys.modules.get(module), name) is not code:
        raise NoName(f"'{name}' is not what module '{module}' has under this name")
    if module == MAIN:
        script = getattr(sys.modules[MAIN], "__file__", None)
        module += f"({Path(script).stem})" if script else ""
    return f"{module}{SEPARATOR}{name}"


class Program:
    """The code that a file may name: of the program that opens it, and nothing else.

    That is its script, modules that it has imported, and those in `modules`, which are imported here. Modules of
    Python's library and of installed packages are none of it unless they are among `modules`. Of this package classes
    of `REVIVED` may be named, and no functions. Nothing with `__del__` is: that would run by itself.
    imports : whatever is named is imported, where the file is a program itself (an exported unit)
    """

    def __init__(self, modules: Sequence[str] = (), imports: bool = False):
        self.modules, self.imports = (modules,) if isinstance(modules, str) else tuple(modules), imports
        for name in self.modules:
            try:
                import_module(name)
            except Exception as err:  # whatever a module does when it is imported
                raise InputError(
                    "the module cannot be imported",
                    where=f"modules, {name!r}",
                    got=raised(err),
                ) from err

    def code(self, name: str, source: str | None) -> FunctionType | type:
        """Return code that a file names, as it was then."""
        name = current_name(name)
        module = name.partition(SEPARATOR)[0]
        if self.imports and not module.startswith(MAIN):
            try:
                import_module(module)
            except Exception as err:
                raise NoName(f"module '{module}' cannot be imported ({raised(err)})") from None
        code = code_of(name)
        own = code.__module__  # where it is really from
        if not (self.imports or self._has(own, isinstance(code, type))):
            what = "a function" if isinstance(code, FunctionType) else "a class"
            raise NoName(
                f"'{name}' is {what} of module '{own}', which is not of the program that resumes; "
                f"name the module if you trust it: modules=['{own}']"
            )
        if isinstance(code, type) and hasattr(code, "__del__"):
            raise NoName(f"'{name}' has __del__, which would run by itself")
        if source is not None and fingerprint(code) != source:
            raise NoName(f"'{name}' has changed")
        return code

    def _has(self, module: str, is_class: bool) -> bool:
        if any(module == one or module.startswith(f"{one}.") for one in self.modules):
            return True
        top = module.partition(".")[0]
        if top == "interstage":
            return is_class and any(module == one or module.startswith(f"{one}.") for one in REVIVED)
        return module == MAIN or not (top in sys.stdlib_module_names or _installed(sys.modules.get(module)))


def _installed(module: ModuleType | None) -> bool:
    """Return whether a module is of Python's library or of an installed package."""
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return module is None or getattr(module, "__spec__", None) is not None
    path = Path(file)
    library = Path(sysconfig.get_path("stdlib"))
    return bool({"site-packages", "dist-packages"} & set(path.parts)) or library in path.parents


def code_of(name: str) -> FunctionType | type:
    """Return the function or class of a name, among the modules that are there."""
    module, _, inner = current_name(name).partition(SEPARATOR)
    script = module.removeprefix(f"{MAIN}(").removesuffix(")") if module.startswith(MAIN) else ""
    names = [MAIN, script] if script else [module, MAIN]
    for one in names:
        found = _inside(sys.modules.get(one), inner)
        if isinstance(found, FunctionType | type):
            return found
    where = f"the script '{script}'" if script else f"module '{module}'"
    if script or module == MAIN:
        raise NoName(f"'{inner}' of {where} is not in the script that runs")
    if module in sys.modules:
        raise NoName(f"there is no '{inner}' in {where}")
    raise NoName(
        f"{where} is not imported; import it first, or name it if you trust it: modules=['{module}']"
    )


def _inside(module: ModuleType | None, name: str) -> object:
    found: object = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return getattr(found, "py_func", found)


def fingerprint(code: FunctionType | type) -> str:
    """Return a digest of code: its source, and what the source names in its own module."""
    digest = hashlib.sha256()
    for piece in _pieces(code, set()):
        digest.update(piece + b"\0")
    return digest.hexdigest()[:32]


def _pieces(code: FunctionType | type, seen: set[int]) -> Iterator[bytes]:
    """Walk through code and what it names."""
    if id(code) in seen:
        return
    seen.add(id(code))
    yield first_name(code).encode()
    if isinstance(code, type):
        for base in code.__bases__:
            if not base.__module__.startswith(("interstage", "builtins")):
                yield from _pieces(base, seen)
        for name, value in vars(code).items():
            yield from _attribute(name, value, seen)
        return
    yield _source(code)
    scope = code.__globals__
    for name in _named(code.__code__):
        value = scope.get(name)
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType | type):
            if value.__module__ == code.__module__:
                yield from _pieces(value, seen)
        else:
            yield from _value(name, value)


def _attribute(name: str, value: object, seen: set[int]) -> Iterator[bytes]:
    """Walk through what a class has under a name: a function, a declared field, a number."""
    value = getattr(value, "__func__", getattr(value, "fget", value))
    if isinstance(value, FunctionType):
        yield from _pieces(value, seen)
    elif isinstance(value, Field | OWNERS):
        yield f"{name}: {first_name(type(value))}".encode()
        for key, inner in sorted(vars(value).items()):
            yield from _value(key, inner.name if isinstance(inner, OWNERS) else inner)
    elif not name.startswith("__"):
        yield from _value(name, value)


def _value(name: str, value: object) -> Iterator[bytes]:
    if isinstance(value, bool | int | float | complex | str | tuple | np.generic):
        yield f"{name}={value!r}".encode()
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU":
        yield f"{name}={value.dtype.str}{value.shape}".encode() + value.tobytes()


@lru_cache(maxsize=4096)
def _source(function: FunctionType) -> bytes:
    """Return the source of a function; of one that was typed in, or run from a text, what it was compiled to."""
    if function.__name__ == "<lambda>":  # its lines are those of all that stands around it
        return b"".join(_of_bytecode(function.__code__))
    try:
        return inspect.getsource(function).encode()
    except (OSError, TypeError):
        return b"".join(_of_bytecode(function.__code__))


@lru_cache(maxsize=4096)
def _named(code: CodeType) -> list[str]:
    """Return the names, sorted, that code and functions inside it look up in its module; attributes are none."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in GLOBAL}
    inside = [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return sorted(found.union(*map(_named, inside)))


def _of_bytecode(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars)).encode()
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _of_bytecode(value)
        elif isinstance(value, frozenset):
            yield repr(sorted(map(repr, value))).encode()
        else:
            yield repr(value).encode()


def function_inside(function: object) -> tuple[FunctionType, object | None] | None:
    """Return a function and what it is bound to (None: nothing); None for anything else.

    >>> function_inside(len) is None
    True
    """
    if isinstance(function, partial):
        raise NoName("a partial function has no name")
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        return function.__func__, function.__self__
    function = getattr(function, "py_func", function)
    return (function, None) if isinstance(function, FunctionType) else None


def refused(reason: str, where: str) -> InputError:
    """Make the error for an assembly that a file alone cannot bring back."""
    return InputError(
        f"the assembly cannot be made again from its file: {reason}",
        where=where,
        hint="build it as before and give it: ist.resume(path, assembly)",
    )


PLAIN = (str, bool, int, float)
CONTAINERS = (list, set, dict, MappingProxyType)
NOT_HELD = (ModuleType, BuiltinFunctionType)
_FRACTION = re.compile(r"-?\d{1,400}(/\d{1,400})?")


class Describer:
    """Turns values into what JSON and arrays hold.

    arrays : datasets by name;  objects : described ones, by number;  systems : vehicles, by number
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.objects: list[dict[str, Any] | None] = []
        self.systems: list[System] = []
        self._seen: dict[
            int, tuple[dict[str, Any], object, int]
        ] = {}  # the object lives as long as its number
        self._prints: dict[int, tuple[str, object]] = {}

    def _print(self, code: FunctionType | type) -> str:
        """Return the fingerprint of code, found once for all objects of a class."""
        if id(code) not in self._prints:
            self._prints[id(code)] = fingerprint(code), code
        return self._prints[id(code)][0]

    def text(self, value: object, where: str = "") -> str:
        """Return a value with all that it holds as JSON."""
        top = self.value(value, where)
        return json.dumps({"value": top, "objects": self.objects}, allow_nan=False)

    def value(self, value: object, where: str) -> Any:
        """Return one value as JSON; `where` names its arrays and appears in refusals."""
        if value is None or type(value) in PLAIN:
            return {"float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value
        if type(value) in (tuple, frozenset):
            return {type(value).__name__: self._items(value, where)}
        if isinstance(value, Fraction):
            return {"fraction": str(value)}
        if isinstance(value, complex) and type(value) is complex:
            return {"complex": [self.value(value.real, where), self.value(value.imag, where)]}
        if isinstance(value, PurePath):
            return {"path": str(value)}
        if isinstance(value, Rotation):
            return {"rotation": value.matrix.tolist()}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf" and np.isfinite(value):
            return {"number": [value.dtype.str, value.item()]}
        return self._shared(value, where)

    def _items(self, value: Any, where: str) -> list[Any]:
        return [self.value(item, f"{where}.{k}") for k, item in enumerate(value)]

    def _shared(self, value: object, where: str) -> dict[str, Any]:
        """Return what refers to something that may be met again."""
        key = id(value)
        if key not in self._seen:
            made: dict[str, Any] = {}
            self._seen[key] = made, value, len(self._seen)
            made |= self._new(value, where)
            return made
        made, _, number = self._seen[key]
        if type(value) in CONTAINERS:
            made.setdefault("number", number)
            return {"same": made["number"]}
        return made

    def _new(self, value: object, where: str) -> dict[str, Any]:
        if type(value) in (list, set):
            return {type(value).__name__: self._items(value, where)}
        if type(value) in (dict, MappingProxyType):
            pairs = [[self.value(k, where), self.value(v, f"{where}.{k}")] for k, v in value.items()]  # type: ignore[attr-defined]
            return {"dict": pairs}
        if type(value) is np.ndarray and value.dtype.kind in "biufc":
            name = where if where not in self.arrays else f"{where} {len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name, "shape": list(value.shape)}
        if isinstance(value, System):
            self.systems.append(value)
            return {"system": len(self.systems) - 1}
        if isinstance(value, type):
            return {"class": name_of(value), "source": self._print(value)}
        inside = function_inside(value)
        if inside is not None:
            function, owner = inside
            if owner is not None:
                return {"method": function.__name__, "of": self.value(owner, where)}
            held = {k: self.value(v, f"{where}.{k}") for k, v in vars(function).items() if k != "__wrapped__"}
            return {"function": name_of(function), "source": self._print(function), "attributes": held}
        if isinstance(value, NOT_HELD) or not plain_object(value):
            raise NoName(f"{where or 'it'} is a {type(value).__name__}, which is not kept")
        number = len(self.objects)
        self.objects.append(None)
        cls = type(value)
        made: dict[str, Any] = {"class": name_of(cls), "attributes": {}}
        if not cls.__module__.startswith("interstage.") or issubclass(cls, Device):
            made["source"] = self._print(cls)
        self.objects[number] = made
        for name, inner in attributes_of(value).items():
            made["attributes"][name] = self.value(inner, f"{where}.{name}" if where else name)
        return {"object": number}


def memory_of(owner: object) -> dict[str, Any]:
    """Return what an object remembers for a law.

    Laws of this package that are of the world outside (pacing, a partner) have slots alone, and nothing to keep.
    """
    outside = type(owner).__module__.startswith("interstage.") and not hasattr(owner, "__dict__")
    return {} if outside else attributes_of(owner)


def put_attributes(value: object, held: Mapping[str, Any]) -> None:
    """Let an object have these attributes, and no others."""
    slots = slots_of_class(type(value))
    for name in slots:
        if name in held:
            object.__setattr__(value, name, held[name])
        elif hasattr(value, name):
            object.__delattr__(value, name)
    if hasattr(value, "__dict__"):
        vars(value).clear()
        vars(value).update({name: inner for name, inner in held.items() if name not in slots})


def plain_object(value: object) -> bool:
    """Return whether an object is no more than its attributes."""
    return (
        type(value) is not object
        and type(value).__new__ is object.__new__
        and type(value).__reduce__ is object.__reduce__
    )


class Restorer:
    """Makes values again of what a `Describer` wrote.

    array : returns the dataset of a name;  systems : the vehicles, by number;  program : whose code may be named
    """

    def __init__(
        self, array: Callable[[str], np.ndarray], systems: list[System], program: Program | None = None
    ):
        self.array, self.systems, self.program = array, systems, program or Program()
        self._objects: list[dict[str, Any]] = []
        self._made: dict[tuple[str, object], Any] = {}

    def value(self, text: str) -> Any:
        """Return the value of a text; code that is not there, is not trusted, or is another now, is a `NoName`."""
        try:
            found = json.loads(text)
            self._objects = found["objects"]
            return self._value(found["value"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as err:
            raise FileError(f"what the file describes does not hold together: {err}") from err

    def _value(self, found: Any) -> Any:
        if not isinstance(found, Mapping):
            return found
        return getattr(self, f"_{next(iter(found))}_in")(found)

    def _noted(self, found: Any, made: Any) -> Any:
        """Return a container that may be met again, before it is filled."""
        if "number" in found:
            self._made["same", found["number"]] = made
        return made

    def _list_in(self, found: Any) -> list:
        made = self._noted(found, [])
        made.extend(map(self._value, found["list"]))
        return made

    def _set_in(self, found: Any) -> set:
        made = self._noted(found, set[Any]())
        made.update(map(self._value, found["set"]))
        return made

    def _dict_in(self, found: Any) -> dict:
        made = self._noted(found, {})
        made.update((self._value(key), self._value(value)) for key, value in found["dict"])
        return made

    def _same_in(self, found: Any) -> Any:
        return self._made["same", found["same"]]

    def _float_in(self, found: Any) -> float:
        return float(found["float"])

    def _tuple_in(self, found: Any) -> tuple:
        return tuple(self._value(item) for item in found["tuple"])

    def _frozenset_in(self, found: Any) -> frozenset:
        return frozenset(self._value(item) for item in found["frozenset"])

    def _fraction_in(self, found: Any) -> Fraction:
        if not _FRACTION.fullmatch(found["fraction"]):
            raise ValueError("no fraction")
        return Fraction(found["fraction"])

    def _complex_in(self, found: Any) -> complex:
        return complex(*(self._value(part) for part in found["complex"]))

    def _path_in(self, found: Any) -> PurePath:
        return PurePath(found["path"])

    def _array_in(self, found: Any) -> np.ndarray:
        name = found["array"]
        return self._once("array", name, lambda: np.array(self.array(name)).reshape(found["shape"]))

    def _number_in(self, found: Any) -> np.generic:
        kind, value = found["number"]
        if np.dtype(kind).kind not in "biuf" or not isinstance(value, int | float):
            raise ValueError("no number")
        return np.dtype(kind).type(value)

    def _rotation_in(self, found: Any) -> Rotation:
        return Rotation.exact(np.array(found["rotation"]))

    def _system_in(self, found: Any) -> System:
        return self.systems[found["system"]]

    def _class_in(self, found: Any) -> type:
        code = self.program.code(found["class"], found.get("source"))
        if not isinstance(code, type):
            raise NoName(f"'{found['class']}' is no class")
        return code

    def _function_in(self, found: Any) -> FunctionType:
        code = self.program.code(found["function"], found["source"])
        if not isinstance(code, FunctionType):
            raise NoName(f"'{found['function']}' is no function")
        vars(code).update(
            {_plain_name(name): self._value(inner) for name, inner in found["attributes"].items()}
        )
        return code

    def _method_in(self, found: Any) -> Callable[..., object]:
        owner, name = self._value(found["of"]), found["method"]
        function = inspect.getattr_static(type(owner), name, None)
        if "object" not in found["of"] or not isinstance(function, FunctionType):
            raise NoName(f"'{name}' is no method of an object")
        return MethodType(function, owner)

    def _object_in(self, found: Any) -> object:
        number = found["object"]
        if ("object", number) in self._made:
            return self._made["object", number]
        what = self._objects[number]
        cls = self._class_in(what)
        made: object = object.__new__(cls)
        self._made["object", number] = made
        slots = slots_of_class(cls)
        for name, inner in what["attributes"].items():
            if name in slots:
                object.__setattr__(made, name, self._value(inner))
            else:  # past properties of the class, which would run
                vars(made)[_plain_name(name)] = self._value(inner)
        return made

    def _once(self, kind: str, key: object, make: Callable[[], Any]) -> Any:
        if (kind, key) not in self._made:
            self._made[kind, key] = make()
        return self._made[kind, key]


def _plain_name(name: str) -> str:
    """Return the name of an attribute; those that Python itself looks up are refused."""
    if name.startswith("__") and name.endswith("__"):
        raise ValueError(f"'{name}' is no attribute of a value")
    return name
