"""Functions and classes by name: files hold names and fingerprints of code, never code.

A name is "module:qualified.name". Text of a file never chooses what is imported: a name is looked up in the script that
runs and among the modules that are there, and leads only to code of the program that asks (`Program`). A fingerprint
covers the source, and the numbers, arrays, words, functions and classes of its own module that the source names: with
the same fingerprint the code does the same.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from interstage._renamed import current_name
from interstage.errors import InputError, raised
from interstage.system.ports import Field, Hinge, Inside, Place, Store

MAIN = "__main__"
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
SEPARATOR = ":"
OWNERS = Place | Hinge | Inside | Store  # of what a class declares, as fields are


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
    may be named, and no functions. Nothing with `__del__` is: that would run by itself.
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
            return is_class
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
    yield code.__qualname__.encode()
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
        yield f"{name}: {type(value).__name__}".encode()
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
