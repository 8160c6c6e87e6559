"""Interstage: from finite elements to guidance and control.

Public names are loaded on first use, so that `import interstage` is quick and brings in no more
than what a script needs.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"


def _public_names() -> dict[str, str]:
    """Return {name: module that has it} as the stub beside this file lists them, for checkers and for us alike."""
    with open(__file__ + "i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in lines}


_PUBLIC = _public_names()

__all__ = sorted([*_PUBLIC, "__version__"])


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(
        f"module 'interstage' has no attribute {name!r}; known: {', '.join(sorted(_PUBLIC))}"
    )


def __dir__() -> list[str]:
    return __all__
