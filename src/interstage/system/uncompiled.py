"""Why a function of a device cannot be compiled: the line, and the cause in one sentence.

The compiler writes pages about its own insides. `refusal` takes from them the line of the source and what is wrong
there, in the words of Python; the pages stay in `__context__`, and `NUMBA_FULL_TRACEBACKS=1` shows them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

from interstage.errors import InputError, did_you_mean, raised
from interstage.jit import COMPILER_FOLDER
from interstage.system.syntax import lines_where, source_lines

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
    ("STORE_GLOBAL", "a global variable cannot be changed", "declare a Discrete"),
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
