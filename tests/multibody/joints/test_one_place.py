"""Kinds of joints are told apart in their own files and kernels alone, by the syntax tree."""

from __future__ import annotations

import ast
from pathlib import Path

import interstage
from interstage.multibody.joints import KNOWN
from interstage.multibody.kernels import joints as kernels

ROOM = Path(interstage.__file__).parent
OWN = ("multibody/joints/", "multibody/kernels/")
CLASSES = {kind.__name__ for kind in KNOWN}
NUMBERS = {kind.__name__.upper() for kind in KNOWN}


def switches(tree: ast.Module, joints: set[str]) -> list[str]:
    """Return the places of a module that ask for a kind: isinstance with a joint class, or a name as words."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            asked = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.Compare):
            parts = [n for side in (node.left, *node.comparators) for n in ast.walk(side)]
            asked = {n.value for n in parts if isinstance(n, ast.Constant)}
        else:
            continue
        if asked & joints:
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_no_other_module_asks_for_the_kind_of_a_joint():
    found = {}
    for path in sorted(ROOM.rglob("*.py")):
        name = path.relative_to(ROOM).as_posix()
        if not name.startswith(OWN):
            tree = ast.parse(path.read_text())
            if asked := switches(tree, CLASSES):
                found[name] = asked
            numbers = {
                alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module == kernels.__name__
                for alias in node.names
            }
            assert not numbers & NUMBERS, f"{name} imports numbers of kinds"
    assert not found


def test_every_kind_has_a_number_of_its_own():
    numbers = [kind.kind for kind in KNOWN]
    assert sorted(numbers) == list(range(len(KNOWN)))
    assert all(kind.kind == getattr(kernels, kind.__name__.upper()) for kind in KNOWN)
