"""What the functions of a device read and write, and which outputs depend on which inputs.

What a function does to the fields of its first argument, read from its bytecode.

The stack is followed with marks: where the record lies, and where one of its fields. A field that anything takes from
the stack is read, unless it is what `d.x[k] = …` stores into.

What a function of a record reads and writes, from its syntax tree (or, without a source, from its bytecode).

`d.x` on the right is a read, `d.x = …` and `d.x[k] = …` are writes, `d.x += …` is both. A `d` that is handed on
(`helper(d)`) may read and write everything.

Which fields the fields that a function writes depend on, from its syntax tree.

    def outputs(d, t):
        d.x = d.gain * d.u        # x depends on u, y on v:
        d.y = d.x0 + d.v          # two channels in one function

Names are followed without regard to their order: a field depends on all that any assignment to it names, on what that
depends on, and on the conditions around it. Where a text does more than can be followed, there is no answer, and every
field that it writes may depend on all that it reads.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

_RECORD = ("", True)
_OTHER = ("", False)
Mark = tuple[str, bool]  # a field by name, or the record, or something else
_PUSH_NOTHING = {
    "POP_TOP",
    "RETURN_VALUE",
    "STORE_NAME",
    "STORE_GLOBAL",
    "STORE_DEREF",
    "STORE_FAST",
    "PRECALL",
}
_TOUCH_NOTHING = {"RESUME", "NOP", "CACHE", "KW_NAMES", "MAKE_CELL", "COPY_FREE_VARS", "EXTENDED_ARG"}


class _Machine:
    """The stack while the instructions are gone through once, in order."""

    def __init__(self, record: str):
        self.record = record
        self.stack: list[Mark] = []
        self.at: dict[int, list[Mark]] = {}  # stacks where jumps lead to
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.whole: set[str] = set()
        self.handed_on = False

    def pop(self, n: int = 1, taken: bool = True) -> list[Mark]:
        """Take marks from the stack; what is taken is read."""
        marks = [self.stack.pop() if self.stack else _OTHER for _ in range(n)]
        for name, record in marks if taken else ():
            self.handed_on |= record
            if name:
                self.reads.add(name)
        return marks

    def store_into(self, mark: Mark) -> None:
        """Note what `d.x[k] = …` stores into."""
        self.handed_on |= mark[1]
        if mark[0]:
            self.writes.add(mark[0])

    def join(self, other: list[Mark], dead: bool) -> None:
        """Go on where a jump led to: with its stack if there is no other way here, else what differs is read."""
        if dead:
            self.stack = list(other)
            return
        for (name, record), here in zip(other, self.stack):
            if (name, record) != here:
                self.handed_on |= record
                self.reads |= {name} if name else set()

    def step(self, ins: dis.Instruction) -> None:
        """Follow one instruction."""
        op, stack, arg = ins.opname, self.stack, ins.arg or 0
        if op.startswith("LOAD_FAST"):
            names = ins.argval if isinstance(ins.argval, tuple) else (ins.argval,)
            stack.extend(_RECORD if name == self.record else _OTHER for name in names)
        elif op in ("LOAD_ATTR", "LOAD_METHOD"):
            (mark,) = self.pop(taken=False)
            if mark == _RECORD:
                stack.append((ins.argval, False))
            else:
                stack.append(mark)
                self.pop()
                stack.append(_OTHER)
            stack.extend([_OTHER] * dis.stack_effect(ins.opcode, ins.arg))
        elif op == "STORE_ATTR":
            (owner,) = self.pop(taken=False)
            self.pop()
            if owner == _RECORD:
                self.writes.add(ins.argval)
                self.whole.add(ins.argval)
        elif op in ("STORE_SUBSCR", "STORE_SLICE"):
            self.pop(1 if op == "STORE_SUBSCR" else 2)
            self.store_into(self.pop(taken=False)[0])
            self.pop()
        elif op == "COPY":
            stack.append(stack[-arg] if len(stack) >= arg else _OTHER)
        elif op == "SWAP":
            if len(stack) >= arg:
                stack[-1], stack[-arg] = stack[-arg], stack[-1]
        else:
            self.plain(ins)

    def plain(self, ins: dis.Instruction) -> None:
        """Follow an instruction that only takes and gives."""
        op = ins.opname
        effect = dis.stack_effect(ins.opcode, ins.arg, jump=False)
        if op in _TOUCH_NOTHING or (effect == 0 and "JUMP" in op):
            return
        if op.startswith("UNPACK"):
            self.pop()
            self.stack.extend([_OTHER] * (effect + 1))
        elif effect > 0:
            self.stack.extend([_OTHER] * effect)
        elif op in _PUSH_NOTHING or "JUMP" in op:
            self.pop(-effect)
        else:
            self.pop(1 - effect)
            self.stack.append(_OTHER)


def effects(code: CodeType) -> tuple[set[str], set[str], set[str], bool]:
    """Return the fields of the first argument that code reads, writes, and writes whole (`d.x = …`).

    Last, whether it hands the record on.
    """
    machine = _Machine(code.co_varnames[0] if code.co_argcount else "")
    dead = False
    for ins in dis.get_instructions(code):
        if ins.offset in machine.at:
            machine.join(machine.at[ins.offset], dead)
            dead = False
        machine.step(ins)
        if ins.opcode in dis.hasjrel or ins.opcode in dis.hasjabs:
            left = machine.stack[:-2] if ins.opname == "FOR_ITER" else machine.stack
            machine.at.setdefault(ins.argval, list(left))
            dead = ins.opname in (
                "JUMP_FORWARD",
                "JUMP_BACKWARD",
                "JUMP_ABSOLUTE",
                "JUMP_BACKWARD_NO_INTERRUPT",
            )
        elif ins.opname in ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS"):
            dead = True
    inner = [c for c in code.co_consts if isinstance(c, CodeType) and machine.record in c.co_freevars]
    return machine.reads, machine.writes, machine.whole, machine.handed_on or bool(inner)


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

    >>> found = dependence(_dependence_example)
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


def _dependence_example(d, t):
    d.y = 2.0 * d.u
    if d.x > t:
        d.z = d.v
