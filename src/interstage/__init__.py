"""Interstage: from finite elements to guidance and control.

Public names are loaded on first use, so that `import interstage` is quick and brings in no more
than what a script needs.
"""

from __future__ import annotations

from interstage import _renamed
from interstage.lazy import door, listed

__version__ = "0.1.0"

_renamed.install()
_PUBLIC = listed(__file__)
__all__ = sorted([*_PUBLIC, "__version__"])
__getattr__ = door(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return __all__
