"""Interstage: from finite elements to guidance and control.

Public names are loaded on first use, so that `import interstage` is quick and brings in no more
than what a script needs.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# public name -> module that defines it
_PUBLIC = {
    "InterstageError": "interstage.errors",
    "read_deck": "interstage.nastran",
    "FEModel": "interstage.fem",
    "normal_modes": "interstage.fem",
    "static": "interstage.fem",
    "Rotation": "interstage.spatial",
}

__all__ = sorted([*_PUBLIC, "__version__"])


def __getattr__(name: str):
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(
        f"module 'interstage' has no attribute {name!r}; known: {', '.join(sorted(_PUBLIC))}"
    )


def __dir__():
    return __all__
