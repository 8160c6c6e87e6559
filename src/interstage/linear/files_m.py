"""Linear models as MATLAB scripts: run the file, and A, B, C, D, names and (with a control toolbox) `sys` are there.

For Simulink: a State-Space block with A, B, C, D, or an LTI System block with `sys`. Octave runs the file too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from interstage.output import write_text


def write(tree: dict[str, Any], path: Path) -> None:
    """Write a script, with every digit."""
    rate = "x(k+1)" if tree["dt"] else "x'"
    lines = [
        f"% {_line(tree['NAME'])}: {rate} = A x + B u, y = C x + D u",
        f"% written by Interstage {tree['INTERSTAGE_VERSION']}",
    ]
    lines += [f"% {_line(note)}" for note in tree["notes"]]
    lines += [f"{letter} = {_matrix(np.asarray(tree[letter]))};" for letter in "ABCD"]
    lines.append(f"Ts = {tree['dt']!r}; % seconds from one sample to the next, 0: continuous time")
    for what in ("state", "input", "output"):
        for part in ("names", "units"):
            lines.append(f"{what}_{part} = {_cell(tree[f'{what}_{part}'])};")
    lines += [
        "if exist('ss', 'file') || exist('ss', 'builtin')",
        "  sys = ss(A, B, C, D, Ts, 'StateName', state_names, 'InputName', input_names, 'OutputName', output_names);",
        "end",
        "",
    ]
    write_text(path, "\n".join(lines), "linear-model file")


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _matrix(M: np.ndarray) -> str:
    """Return a matrix row by row; one without rows or columns keeps its size."""
    if not M.size:
        return f"zeros({M.shape[0]}, {M.shape[1]})"
    rows = [" ".join(repr(float(v)) for v in row) for row in M]
    return "[\n  " + "\n  ".join(rows) + "\n]"


def _cell(texts: list[str]) -> str:
    return "{" + "; ".join("'" + _line(text).replace("'", "''") + "'" for text in texts) + "}"
