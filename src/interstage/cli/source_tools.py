"""`interstage validate` and `interstage bench`: studies and measurements that live in a source checkout."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType


def source_package(name: str, what: str) -> ModuleType:
    """Import a package of the source checkout (validation, benchmarks); without a checkout, one sentence."""
    from interstage.errors import FileError

    for root in (Path(__file__).resolve().parents[3], Path.cwd()):
        if (root / name / "__main__.py").is_file() and (root / "src" / "interstage").is_dir():
            sys.path.insert(0, str(root))
            return import_module(f"{name}.__main__")
    raise FileError(
        f"{what} are part of the source, not of the installed package",
        where=f"folder '{name}'",
        hint="clone the repository and run the command in it",
    )


def check_names(what: str, names: list[str], known: list[str]) -> list[str]:
    """Return the names that were asked for, all where there are none; an unknown one lists the known."""
    from interstage.errors import InputError, known_names

    for name in names:
        if name not in known:
            raise InputError(f"there is no {what} '{name}'", hint=known_names(known, limit=40))
    return names or known
