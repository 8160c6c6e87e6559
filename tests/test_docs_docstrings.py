"""Sections of docstrings name parameters and attributes that exist, and reach the reference pages as they are."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_spec = importlib.util.spec_from_file_location("docstrings", ROOT / "docs" / "docstrings.py")
docstrings = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(docstrings)


def parameters(function: ast.FunctionDef) -> set[str]:
    a = function.args
    more = [one for one in (a.vararg, a.kwarg) if one is not None]
    return {one.arg for one in (*a.posonlyargs, *a.args, *a.kwonlyargs, *more)}


def members(node: ast.ClassDef) -> set[str]:
    """Parameters of the constructor, fields, methods and what is set on self."""
    out = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            out |= {part.name} | (parameters(part) if part.name in ("__init__", "__new__") else set())
    stored = (n for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return out | {n.attr for n in stored if isinstance(n.value, ast.Name) and n.value.id == "self"}


@cache
def sources() -> dict[Path, list[ast.AST]]:
    """Functions and classes of every file."""
    files = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "src").rglob("*.py"))
    }
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {path: [n for n in ast.walk(tree) if isinstance(n, kinds)] for path, tree in files.items()}


def keywords(function: ast.FunctionDef, records: dict[str, set[str]]) -> set[str]:
    """Names that `**how: Unpack[Record]` takes: the fields of the record."""
    kind = function.args.kwarg.annotation if function.args.kwarg is not None else None
    return records[ast.unparse(kind.slice).split(".")[-1]] if isinstance(kind, ast.Subscript) else set()


def typed_dictionaries() -> dict[str, set[str]]:
    classes = (n for nodes in sources().values() for n in nodes if isinstance(n, ast.ClassDef))
    return {n.name: members(n) for n in classes if "TypedDict" in map(ast.unparse, n.bases)}


def test_sections_name_what_exists():
    wrong, seen, records = [], 0, typed_dictionaries()
    for path, nodes in sources().items():
        for node in nodes:
            called = isinstance(node, ast.FunctionDef)
            known = parameters(node) | keywords(node, records) if called else members(node)
            for entry in docstrings.entries(ast.get_docstring(node) or ""):
                seen += 1
                wrong += [f"{path.name} {node.name}: {n}" for n in entry.names if n.lstrip("*") not in known]
    assert seen > 250
    assert not wrong, "\n".join(wrong)


def test_an_entry_with_shapes_keeps_its_names():
    entry = docstrings.entry("mass, com (3,), inertia (3, 3) : of a rigid body; about com")
    assert entry.names == {"mass": "", "com": "(3,)", "inertia": "(3, 3)"}
    assert entry.words == "of a rigid body; about com"
    assert docstrings.entry("Source: NASTRAN's manual") is None
    assert docstrings.entry("Any units that fit together will do : SI") is None
    with pytest.raises(ValueError, match="is no entry"):
        docstrings.entries("Words.\n\nParameters\n----------\nmass (of a rigid body) is in kg\n")


def test_a_section_becomes_a_list_and_ends_at_a_blank_line():
    text = """Add a body.

    Parameters
    ----------
    mass, com (3,) : of a rigid body;
        com from the body frame
    joint : how it moves

    Any units will do; SI unless said otherwise.

    >>> mb.add_body("arm", mass=2.0)
    """
    plain = [line.removeprefix("    ") for line in text.splitlines()]
    lines = [docstrings.marked(line) for line in docstrings.listed(plain)]
    assert "**Parameters**" in lines
    at = lines.index("- **mass**, **com** (3,) : of a rigid body;")
    assert lines[at + 1 : at + 3] == ["  com from the body frame", "- **joint** : how it moves"]
    assert "Any units will do; SI unless said otherwise." in lines
    assert not any("----" in line for line in lines)
    assert sum(line.startswith("- ") for line in lines) == 2


# joints and the actuators that move them; a finite-element model and a body of the mass tree; margins that the
# demo reads off curves
NAMED_TWICE = {"Gimbal", "MassProperties", "Margins"}


def test_a_public_class_name_means_one_thing():
    """Private ones may repeat, and the names above, for the reason given."""
    where: dict[str, set[str]] = {}
    for path, nodes in sources().items():
        for node in nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, set()).add(path.as_posix())
    assert {name for name, paths in where.items() if len(paths) > 1} == NAMED_TWICE
