"""Which fields the fields that a function writes depend on, from its syntax tree.

    def outputs(d, t):
        d.x = d.gain * d.u        # x depends on u, y on v:
        d.y = d.x0 + d.v          # two channels in one function

Names are followed without regard to their order: a field depends on all that any assignment to it names, on what that
depends on, and on the conditions around it. Where a text does more than can be followed, there is no answer, and every
field that it writes may depend on all that it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from interstage.system.syntax import tree_of

# functions of numpy that change none of their arguments, with so many arguments at most
_PURE = dict.fromkeys(
    [
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "rint",
        "floor",
        "ceil",
        "sign",
    ],
    1,
)
_PURE |= dict.fromkeys(["isfinite", "zeros", "ones", "eye", "abs", "array"], 1)
_PURE |= dict.fromkeys(["arctan2", "hypot", "power", "maximum", "minimum", "dot", "cross", "outer"], 2)
_PLAIN = ("range", "abs", "min", "max", "float", "int", "complex", "round", "bool")
_SIZES = ("shape", "size", "ndim")
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)  # what never is a part of another array
_JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Assert)


class _Lost(Exception):
    """A text that does more than can be followed."""


def _is_pure(call: ast.Call) -> bool:
    """Return whether a call leaves its arguments as they are and returns something new."""
    f = call.func
    if call.keywords:
        return False
    if isinstance(f, ast.Name):
        return f.id in _PLAIN
    return (
        isinstance(f, ast.Attribute)
        and isinstance(f.value, ast.Name)
        and f.value.id in ("np", "numpy")
        and len(call.args) <= _PURE.get(f.attr, 0)
    )


def _pairs(s: ast.Assign) -> list[tuple[ast.AST, ast.AST]]:
    """Return what an assignment gives to what; `a, b = x, y` are two."""
    found: list[tuple[ast.AST, ast.AST]] = []
    for target in s.targets:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(s.value, ast.Tuple)
            and len(target.elts) == len(s.value.elts)
        ):
            found += zip(target.elts, s.value.elts)
        else:
            found.append((target, s.value))
    return found


class _Names:
    """The names in a text: locals as they are, fields of the record with a dot before them."""

    def __init__(self, record: str):
        self.record = record
        self.on: dict[str, set[str]] = {}  # what each name depends on
        self.shared: list[tuple[str, set[str]]] = []  # a local, and what it may be a part of
        self.changed: set[str] = set()  # locals whose elements are written
        self.tests: set[str] = set()
        self.jumps = False

    def of(self, node: ast.AST) -> set[str]:
        """Return the names whose numbers an expression uses; sizes of arrays are known beforehand."""
        if isinstance(node, ast.Lambda | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise _Lost
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            return set()
        if isinstance(node, ast.Attribute):
            if node.attr in _SIZES:
                return set()
            if isinstance(node.value, ast.Name) and node.value.id == self.record:
                return {f".{node.attr}"}
        if isinstance(node, ast.Name):
            if node.id == self.record:
                raise _Lost
            return {node.id}
        found: set[str] = set()
        for child in ast.iter_child_nodes(node):
            found |= self.of(child)
        return found

    def note(self, name: str, names: set[str]) -> None:
        """Note that a name depends on others."""
        self.on.setdefault(name, set()).update(names)

    def bind(self, target: ast.AST, value: ast.AST, names: set[str]) -> None:
        """Note an assignment of something that depends on names."""
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self.bind(one, value, names)
        elif isinstance(target, ast.Name):
            self.note(target.id, names)
            if not isinstance(value, _FRESH) and not (isinstance(value, ast.Call) and _is_pure(value)):
                self.shared.append((target.id, self.of(value)))
        elif isinstance(target, ast.Attribute | ast.Subscript):
            index = self.of(target.slice) if isinstance(target, ast.Subscript) else set()
            for name in self.of(target if isinstance(target, ast.Attribute) else target.value):
                self.note(name, names | index)
                self.changed.add(name)
        else:
            raise _Lost

    def calls(self, node: ast.AST, around: set[str]) -> None:
        """Note what calls may write: each of their arguments may come to depend on all."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and not _is_pure(call):
                names = set().union(*(self.of(a) for a in (*call.args, *(k.value for k in call.keywords))))
                if isinstance(call.func, ast.Attribute):
                    names |= self.of(call.func.value)
                for name in names:
                    self.note(name, names | around)
                    self.changed.add(name)

    def walk(self, body: list[ast.stmt], around: set[str]) -> None:
        """Note what statements do; `around`: the names in the conditions above them."""
        for s in body:
            if isinstance(s, ast.If | ast.While | ast.For):
                test = s.iter if isinstance(s, ast.For) else s.test
                self.calls(test, around)
                inner = around | self.of(test)
                self.tests |= inner
                if isinstance(s, ast.For):
                    self.bind(s.target, test, inner)
                self.walk(s.body, inner)
                self.walk(s.orelse, inner)
                continue
            self.calls(s, around)
            if isinstance(s, ast.Assign):
                for target, value in _pairs(s):
                    self.bind(target, value, self.of(value) | around)
            elif isinstance(s, ast.AugAssign):
                names = self.of(s.value) | around
                self.bind(s.target, s.value, names)
                if isinstance(s.target, ast.Name):
                    self.changed.add(s.target.id)
            elif isinstance(s, ast.AnnAssign) and s.value is not None:
                self.bind(s.target, s.value, self.of(s.value) | around)
            elif isinstance(s, _JUMPS):
                self.jumps = True
            elif not isinstance(s, ast.Expr | ast.Pass):
                raise _Lost

    def close(self) -> None:
        """Let what is changed through another name depend on what that does."""
        known = -1
        while known != len(self.changed):
            known = len(self.changed)
            for name, parts in self.shared:
                if name in self.changed:
                    self.changed |= parts
        for name, parts in self.shared:
            if name in self.changed:
                for part in parts:
                    self.note(part, {name})

    def reached(self, field: str) -> frozenset[str]:
        """Return the fields that one depends on."""
        todo = [f".{field}", *(self.tests if self.jumps else ())]
        found: set[str] = set()
        while todo:
            name = todo.pop()
            new = self.on.get(name, set()) - found
            found |= new
            todo += new
        if self.jumps:
            found |= self.tests
        return frozenset(name[1:] for name in found if name.startswith("."))


def dependence(function: Callable) -> Callable[[str], frozenset[str]] | None:
    """Return the fields that each written field of a function's record depends on, or None where that is not known.

    >>> found = dependence(_example)
    >>> sorted(found("y")), sorted(found("z"))
    (['u'], ['v', 'x'])
    """
    tree = tree_of(function)
    if tree is None:
        return None
    arguments = [*tree.args.posonlyargs, *tree.args.args]
    names = _Names(arguments[0].arg if arguments else "")
    try:
        names.walk(tree.body, set())
    except _Lost:
        return None
    names.close()
    return names.reached


def _example(d, t):
    d.y = 2.0 * d.u
    if d.x > t:
        d.z = d.v
