"""Calls with arguments that a function does not have, or without those it needs, as sentences.

Python names the class that holds the code ("Constructors.from_deck() got an unexpected keyword argument"), which
users never wrote. `named_arguments` says what they wrote, and the argument that they may have meant. Where a call
fails with an error of Python's own, and an argument is not what its declaration says (a number for a state, text for
a number, a ragged list), that argument is named; with arguments as declared the error stays as it is: it is a fault
of ours. A complex number that would lose its imaginary part is refused, too.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

from interstage.errors import InputError, InterstageError, called_inside, did_you_mean, out_of_memory, shown

# numpy only warns where a complex number becomes a real one
warnings.filterwarnings("error", "Casting complex values to real", RuntimeWarning, r"interstage\.")

# what a name in a declaration means, where it is not the name of a class; None: numbers in an array
_PLAIN: dict[str, tuple[type, ...] | None] = {
    "None": (type(None),),
    "str": (str,),
    "bool": (bool,),
    "bytes": (bytes,),
    "int": (int,),
    "float": (int, float),
    "complex": (int, float, complex),
    "Path": (str, os.PathLike),
    "PathLike": (str, os.PathLike),
    "Mapping": (Mapping,),
    "dict": (dict,),
    "Period": (int, float, str),
    "type": (type,),
    "ArrayLike": None,
    "ndarray": None,
}
_LISTS = ("Sequence", "Iterable", "Collection", "list", "tuple", "set")
# methods that are compiled, or that run at every step
_NOT_CALLED_BY_USERS = ("outputs", "rates", "sample", "switch")

# arguments by which a call needs less memory, and how
_SAVINGS = {
    "log_step": "fewer rows by log_step=",
    "keep": "fewer signals by keep=",
    "dense": "dense=False",
    "samples": "fewer samples at once",
    "runs": "fewer runs",
    "outputs": "fewer outputs",
    "inputs": "fewer inputs",
    "f_hz": "fewer frequencies",
    "n_modes": "fewer modes",
    "times": "fewer times",
}

NEEDED: Any = type("Needed", (), {"__repr__": lambda self: "NEEDED"})()
"""Default of an argument that must be given, in functions under `quick`."""

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])


class CallError(InputError, TypeError):
    """A call whose arguments do not fit the function: a TypeError too, as Python's own."""


def named_arguments(function: Wrapped) -> Wrapped:
    """Return a function, or a class with its `__init__`, whose calls are refused in words when arguments do not fit.

    A call that fits costs one call more. Of a class its public methods are taken too.

    >>> @named_arguments
    ... def fly(vehicle, *, until): ...
    >>> fly("kestrel", untill=3.0)
    Traceback (most recent call last):
    interstage.calls.CallError: fly has no argument 'untill'; did you mean until
    """
    return cast(Wrapped, _class(function) if isinstance(function, type) else _function(function))


def quick(function: Wrapped) -> Wrapped:
    """Mark a method that runs in a microsecond, and calls `blame` itself where it fails: it has no guard around it.

    It ends with `*more: Never, **wrong: Never`, for what it does not have, and `NEEDED` is the default of what it
    needs; its signature says neither.
    """
    known = inspect.signature(function)
    own = [p for p in known.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    own = [p.replace(default=p.empty) if p.default is NEEDED else p for p in own]
    function.__signature__ = known.replace(parameters=own)  # type: ignore[attr-defined]
    function.named_arguments = True  # type: ignore[attr-defined]
    return function


def blame(function: Callable[..., Any], values: Mapping[str, Any], error: Exception | None = None) -> None:
    """Raise what is wrong with the arguments of a function under `quick`; return where nothing is.

    values : its `locals()`, with all arguments as they were given;  error : what came of them, None: nothing yet
    """
    asked = list(inspect.signature(function).parameters)
    owner, *asked = asked
    given = {name: values[name] for name in asked if values[name] is not NEEDED}
    if len(given) < len(asked) or values["more"] or values["wrong"]:
        if values["more"]:
            refused = _refusal(function, (values[owner], *given.values(), *values["more"]), {}, False)
        else:
            refused = _refusal(function, (values[owner],), {**given, **values["wrong"]}, False)
        if refused is not None:
            raise refused from None
    if error is None or isinstance(error, InterstageError):
        return
    try:
        refused = _misfit(function, (values[owner], *given.values()), {}, False, error)
    except Exception:  # of an object that cannot even be looked at
        return
    if refused is not None:
        raise refused from error


def _class(kind: type) -> type:
    """Take `__init__`, the public methods that a class itself has, and its brackets."""
    if "__init__" in vars(kind):
        kind.__init__ = _function(kind.__init__)  # type: ignore[misc]
    for name, held in list(vars(kind).items()):
        if (name.startswith("_") and name != "__getitem__") or name in _NOT_CALLED_BY_USERS:
            continue
        if inspect.isfunction(held):
            setattr(kind, name, _function(held))
        elif isinstance(held, classmethod | staticmethod) and inspect.isfunction(held.__func__):
            setattr(kind, name, type(held)(_function(held.__func__, alone=isinstance(held, staticmethod))))
    return kind


def _function(function: Callable[..., Any], alone: bool = False) -> Callable[..., Any]:
    """Return the function with a guard around it; alone : it is in a class, but has no owner as first argument."""
    if getattr(function, "named_arguments", False):
        return function

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except InterstageError:
            raise
        except MemoryError as error:
            if called_inside():  # the call of the user speaks, not this one
                raise
            traceback.clear_frames(error.__traceback__)  # which hold what was allocated
            raise out_of_memory(error, f"for {_name(function, given, alone)}", _savings(function)) from error
        except Exception as error:
            # one frame: the call itself was refused, nothing of the function has run
            inside = error.__traceback__ is None or error.__traceback__.tb_next is not None
            if inside:
                try:
                    refused = _misfit(function, given, named, alone, error)
                except Exception:  # of an object that cannot even be looked at
                    refused = None
            else:
                refused = _refusal(function, given, named, alone) if isinstance(error, TypeError) else None
            if refused is None:
                raise
            raised = error if inside else None
        raise refused from raised

    called.named_arguments = True  # type: ignore[attr-defined]
    return called


def _refusal(
    function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], alone: bool
) -> CallError | None:
    """Say why a call does not fit; None of functions whose arguments are not all named, for which Python speaks."""
    asked = inspect.signature(function).parameters
    if any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in asked.values()):
        return None
    of_class = _has_owner(function, given, alone)
    name = _name(function, given, alone)
    places = [p.name for p in asked.values() if p.kind is not p.KEYWORD_ONLY][of_class:]
    words = [p.name for p in asked.values()][of_class:]
    values = len(given) - of_class
    for word in named:
        if word not in words:
            return CallError(f"{name} has no argument '{word}'", hint=did_you_mean(word, words))
    if values > len(places):
        several = f"{len(places)} arguments ({', '.join(places)})" if len(places) > 1 else "one argument"
        return CallError(
            f"{name} takes {several if places else 'no arguments'} without a name",
            got=str(values),
            hint=f"name the others, as in {words[-1]}=" if len(words) > len(places) else None,
        )
    for word in places[:values]:
        if word in named:
            return CallError(f"{name} is given '{word}' twice", hint="by its place and by its name; keep one")
    missing = [
        p.name
        for p in list(asked.values())[of_class:]
        if p.default is p.empty and p.name not in named and p.name not in places[:values]
    ]
    return CallError(f"{name} needs {', '.join(f'{word}=' for word in missing)}") if missing else None


def _misfit(
    function: Callable[..., Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
    alone: bool,
    error: Exception,
) -> CallError | None:
    """Name an argument that is not what its declaration says; None where all are, or it cannot be told."""
    try:
        signature = inspect.signature(function)
        values = signature.bind(*given, **named).arguments
    except (TypeError, ValueError):
        return None
    name = _name(function, given, alone)
    given_values = [
        (word, value, _text(signature.parameters[word].annotation))
        for word, value in values.items()
        if _is_declared(signature.parameters[word], value)
    ]
    is_lost = type(error).__name__ == "ComplexWarning"
    wrong = [one for one in given_values if is_lost and _is_complex(one[1])]
    if is_lost and not wrong:
        return CallError(f"{name} needs real numbers", got="complex ones", hint="give their real parts")
    wrong = wrong or [one for one in given_values if not _is_fitting(one[2], one[1], function.__globals__)]
    # lists are taken for arrays nearly everywhere: one is to blame only where nothing else is
    wrong = wrong or [
        one for one in given_values if one[2].endswith("ndarray") and not hasattr(one[1], "dtype")
    ]
    # and complex numbers for real ones
    wrong = wrong or [one for one in given_values if _is_complex(one[1])]
    if not wrong:
        return None
    word, value, declared = wrong[0]
    wanted = " or ".join(one if "[" in one else one.rpartition(".")[2] for one in _alternatives(declared))
    beyond = ", beyond 64 bits" if isinstance(value, int) and abs(value) >= 2**63 else ""
    return CallError(
        f"{name}: {word} must be {'real, ' if is_lost else ''}{wanted}",
        got=f"{shown(value)} ({type(value).__name__}{beyond})",
    )


def _is_complex(value: object) -> bool:
    """Return whether a value is complex, or holds what is."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return any(_is_complex(one) for one in value)
    return isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c"


def _is_declared(parameter: inspect.Parameter, value: object) -> bool:
    """Return whether an argument was given, alone under its name, and says what it takes."""
    several = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    default = parameter.default is value and value is not ...
    return not several and not default and parameter.annotation is not parameter.empty


def _split(text: str, at: str) -> list[str]:
    """Return the parts of a declaration between bars or commas outside of brackets."""
    found, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == at and depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
    return [*found, text[start:].strip()]


def _alternatives(text: str) -> list[str]:
    return _split(text, "|")


def _is_fitting(declared: str, value: object, scope: Mapping[str, Any]) -> bool:
    """Return whether a value is what a declaration says; one that cannot even be looked at is not."""
    try:
        return _fits_any(declared, value, scope)
    except Exception:
        return False


def _fits_any(declared: str, value: object, scope: Mapping[str, Any]) -> bool:
    """Return whether a value is what a declaration says; what cannot be told fits.

    scope : the names that the module of the declaration knows
    """
    return any(_fits(one, value, scope) for one in _alternatives(declared))


def _fits(declared: str, value: object, scope: Mapping[str, Any]) -> bool:
    word, _, inner = declared.partition("[")
    word = word.rpartition(".")[2]
    parts = _split(inner.rstrip()[:-1], ",") if inner else []
    if word in ("Any", "Self", "Hashable"):
        return True
    if word == "Callable":
        return callable(value)
    if word == "dtype":
        return "dtype" in (kind.__name__ for kind in type(value).__mro__)
    if word == "Literal":
        return shown(value) in (part.replace('"', "'") for part in parts)
    if word in _LISTS:
        return _is_list(word, parts, value, scope)
    if word in _PLAIN:
        return _is_plain(word, value) and (word not in ("Mapping", "dict") or _is_table(parts, value, scope))
    if word in ("Union", "Optional"):
        return (word == "Optional" and value is None) or any(_fits_any(one, value, scope) for one in parts)
    known = scope.get(word, _for_checkers(scope.get("__name__", "")).get(word))
    module = declared.partition("[")[0].rpartition(".")[0]
    known = getattr(scope.get(module, sys.modules.get(module)), word, known)  # sp.csr_matrix
    known = getattr(builtins, word, None) if known is None else known
    if isinstance(known, type):
        asked = {*vars(known), *getattr(known, "__annotations__", ())}
        if Protocol in known.__bases__:
            return all(hasattr(value, name) for name in asked if not name.startswith("_"))
        return isinstance(value, known)
    return known is None or _fits_any(_text(known), value, scope)


def _text(declared: object) -> str:
    """Return a declaration as it is written; in some modules they are objects."""
    return declared if isinstance(declared, str) else inspect.formatannotation(declared)


@functools.cache
def _for_checkers(module: str) -> dict[str, Any]:
    """Return {name: what it means} of what a module imports for checkers of types alone, as far as it is loaded."""
    try:
        lines = ast.parse(inspect.getsource(sys.modules[module])).body
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    checked = [line for line in lines if isinstance(line, ast.If) and "TYPE_CHECKING" in ast.dump(line.test)]
    imports = [line for block in checked for line in block.body if isinstance(line, ast.ImportFrom)]
    return {
        name.asname or name.name: getattr(sys.modules.get(line.module or ""), name.name, None)
        for line in imports
        for name in line.names
    }


def _is_plain(word: str, value: object) -> bool:
    kinds = _PLAIN[word]
    if kinds is None:
        return _is_numbers(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return False  # Python has such numbers, arrays have not
    dtype = getattr(value, "dtype", None)  # a number in an array is one; a text in an array has no letters
    scalar = getattr(dtype, "kind", "") in ("b", "i", "u", "f", "c") and getattr(value, "shape", None) == ()
    plain = value.item() if scalar else value  # type: ignore[attr-defined]
    flag = isinstance(plain, bool) and word in ("int", "float", "complex", "Period")
    return isinstance(plain, kinds) and not flag


def _is_list(word: str, parts: list[str], value: Any, scope: Mapping[str, Any]) -> bool:
    """Return whether a value is a list (not a text, not a table) of what stands in the brackets."""
    if isinstance(value, str | bytes | Mapping | type) or not hasattr(value, "__iter__"):
        return False
    if not hasattr(value, "__len__") or not hasattr(value, "__getitem__"):
        return word in ("Iterable", "Collection", "set")
    if getattr(value, "shape", None) == ():
        return False
    if not parts or (word == "tuple" and parts[-1] != "..." and len(parts) != len(value)):
        return not parts
    of_each = parts if word == "tuple" and parts[-1] != "..." else [parts[0]] * len(value)
    return all(_fits_any(part, one, scope) for part, one in zip(of_each, value, strict=True))


def _is_table(parts: list[str], value: Any, scope: Mapping[str, Any]) -> bool:
    """Return whether keys and values of a table are what stands in the brackets."""
    if len(parts) != 2:
        return True
    return all(_fits_any(parts[0], k, scope) and _fits_any(parts[1], v, scope) for k, v in value.items())


def _is_numbers(value: object) -> bool:
    """Return whether a value is an array of numbers, or makes one: a list whose rows are equally long."""
    import numpy as np

    try:
        return bool(np.asarray(value).dtype.kind in "biufc")
    except Exception:  # of an object that only looks like a list
        return False


def _name(function: Callable[..., Any], given: tuple[Any, ...], alone: bool) -> str:
    """Return how users write what they called."""
    return _said(function, given[0]) if _has_owner(function, given, alone) else function.__name__


def _savings(function: Callable[..., Any]) -> str:
    """Say how a call of a function would need less memory."""
    words = [_SAVINGS[name] for name in inspect.signature(function).parameters if name in _SAVINGS]
    return f"ask for less: {', '.join(words)}" if words else "ask for less, or for parts of it one by one"


def _has_owner(function: Callable[..., Any], given: tuple[Any, ...], alone: bool) -> bool:
    """Return whether the first argument is the object or class that a method belongs to."""
    in_class = "." in function.__qualname__ and "<locals>" not in function.__qualname__
    return in_class and bool(given) and not alone


def _said(function: Callable[..., Any], owner: object) -> str:
    """Return how users write a method: with the class they know, whichever one holds its code."""
    kind = owner if isinstance(owner, type) else type(owner)
    words = {"__init__": "", "__getitem__": "[...]"}
    return kind.__name__ + words.get(function.__name__, f".{function.__name__}")
