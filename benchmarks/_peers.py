"""Where the peers of the benchmarks are installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def peer_python(package: str) -> str | None:
    """Interpreter that has a package: that of the peers' environment (`make bench` makes it), else this one."""
    peers = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"
    if peers.exists():
        found = subprocess.run([str(peers), "-c", f"import {package}"], capture_output=True, check=False)
        if found.returncode == 0:
            return str(peers)
    return sys.executable if find_spec(package) else None
