"""Names that are loaded on first use: a package lists them in the stub beside its `__init__`, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module

from interstage._renamed import new_name, warn_renamed


def listed(file: str) -> dict[str, str]:
    """Return {name: module that has it} as the stub of a package lists them, for checkers and for us alike.

    file : the `__file__` of the package; its stub has a line `from module import name as name` for each
    """
    with open(file + "i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in lines}


def door(package: str, names: dict[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: it loads a name when it is asked for, once."""

    def load(name: str) -> object:
        if name in names:
            value = getattr(import_module(names[name]), name)
            vars(sys.modules[package])[name] = value
            return value
        new = new_name(package, name)
        if new in names:
            warn_renamed(f"{package}.{name}", new, 3)
            return load(new)
        # what inspects code asks every module for many private names
        near = [] if name.startswith("_") else get_close_matches(name, names)
        hint = f"did you mean {', '.join(near)}" if near else f"known: {', '.join(sorted(names))}"
        raise AttributeError(f"module '{package}' has no attribute {name!r}; {hint}")

    return load
