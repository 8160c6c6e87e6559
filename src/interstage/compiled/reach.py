"""What a kernel calls, and what else its compiled code depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType

import numpy as np
from numba.core.dispatcher import Dispatcher

from interstage.compiled.emitted import Emitted


def _names(code: CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


@cache
def _named_by(function: FunctionType) -> tuple[tuple[str, object], ...]:
    """Return a word for everything that a function names outside of itself, with its value."""
    return tuple((f"{name} {_word_of(value)}", value) for name, value in _outside(function))


def _outside(function: FunctionType) -> Iterator[tuple[str, object]]:
    """Yield name and value of what a function names outside of itself."""
    names = _names(function.__code__)
    for name in sorted(names):
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            for inner in sorted(names & vars(value).keys()):
                yield f"{name}.{inner}", vars(value)[inner]
        elif value is not None:
            yield name, value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents


def reach(root: Callable, through_stages: bool) -> tuple[list[FunctionType], list[Emitted], set[str]]:
    """Return kernels that a kernel calls (itself first), stages, and a word for all else that its code depends on."""
    first = _behind(root) or getattr(root, "py_func", root)
    functions, stages, words = {first: None}, {}, set()
    if _behind(root):
        stages[root] = None
    todo = [first]
    while todo:
        for word, value in _named_by(todo.pop()):
            behind = _behind(value)
            if behind:
                stages[value] = None
            words.add(word)
            called = value.py_func if isinstance(value, Dispatcher) else behind if through_stages else None
            if called and called not in functions:
                functions[called] = None
                todo.append(called)
    return list(functions), list(stages), words


def _behind(value: object) -> FunctionType | None:
    """Return the kernel of a stage, None of anything else."""
    return value.function if isinstance(value, Emitted) else None


def _word_of(value: object) -> str:
    """Return what compiled code may depend on in a value that it names."""
    if isinstance(value, Emitted):
        return value.key
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_word_of, value))})"
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(value)
    return type(value).__name__
