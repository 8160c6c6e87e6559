"""What a function of a record reads and writes, from its syntax tree (or, without a source, from its bytecode).

`d.x` on the right is a read, `d.x = …` and `d.x[k] = …` are writes, `d.x += …` is both. A `d` that is handed on
(`helper(d)`) may read and write everything.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from interstage.system.bytecode import effects


@dataclass(frozen=True)
class Uses:
    """Names of the fields that a function reads and writes; `all` where it hands its record on or has no source.

    whole : those that it writes as `d.x = …`, not element by element
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    all: bool = False
    whole: frozenset[str] = frozenset()


class _Found:
    """What is done to the fields of one name, while a tree is walked."""

    def __init__(self, record: str):
        self.record = record
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.whole: set[str] = set()
        self.all = False

    def field(self, node: ast.AST) -> str | None:
        """Return the name of `d.name`, None for anything else."""
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == self.record
        ):
            return node.attr
        return None

    def walk(self, node: ast.AST) -> None:
        """Note what a part of the tree does."""
        if isinstance(node, ast.AugAssign):
            target = node.target.value if isinstance(node.target, ast.Subscript) else node.target
            if (name := self.field(target)) is not None:
                self.reads.add(name)
        if isinstance(node, ast.Attribute) and (name := self.field(node)) is not None:
            for found in (self.reads,) if isinstance(node.ctx, ast.Load) else (self.writes, self.whole):
                found.add(name)
            return
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            name = self.field(node.value)
            if name is not None:
                self.writes.add(name)
                self.walk(node.slice)
                return
        if isinstance(node, ast.Name) and node.id == self.record:
            self.all = True
        for child in ast.iter_child_nodes(node):
            self.walk(child)


@lru_cache(maxsize=4)  # a text is looked at more than once when its class is made
def tree_of(function: Callable) -> ast.FunctionDef | None:
    """Return the syntax tree of a function, None where it has no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) else None


def source_lines(function: Callable) -> tuple[int, list[str]]:
    """Return the number of the first line of a function, and its lines; none where it has no source."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function.__code__.co_firstlineno, []
    return first, lines


def lines_where(function: Callable, holds: Callable[[ast.AST], bool]) -> list[int]:
    """Return the numbers of the lines, rising, of the parts of a function for which something holds."""
    tree = tree_of(function)
    found = [] if tree is None else [node.lineno for node in ast.walk(tree) if holds(node)]  # type: ignore[attr-defined]
    return sorted(source_lines(function)[0] + line - 1 for line in found)


def uses_of(function: Callable) -> Uses:
    """Return what a function reads and writes of its first argument.

    >>> uses_of(_example)
    Uses(reads=frozenset({'gain'}), writes=frozenset({'y'}), all=False, whole=frozenset())
    """
    tree = tree_of(function)
    if tree is None:
        return uses_of_code(function)
    arguments = [*tree.args.posonlyargs, *tree.args.args]
    found = _Found(arguments[0].arg if arguments else "")
    for statement in tree.body:
        found.walk(statement)
    return Uses(frozenset(found.reads), frozenset(found.writes), found.all, frozenset(found.whole))


def uses_of_code(function: Callable) -> Uses:
    """Return the same from the bytecode: functions that were typed in, or came from `exec`, have no source."""
    code = getattr(function, "__code__", None)
    if code is None:
        return Uses(all=True)
    reads, writes, whole, handed_on = effects(code)
    return Uses(frozenset(reads), frozenset(writes), handed_on, frozenset(whole))


def _example(d, t):
    d.y[0] = d.gain * t
