"""Run an external NASTRAN: write its deck, start it without a shell, find its errors, read what it wrote.

A run either reduces the structure to a Craig-Bampton model with NASTRAN's own EXTSEOUT command, which MSC and NX know
alike, or writes the matrices of the g-set by a DMAP alter, in the words of MSC or NX, and the reduction is made here
(free-free modes, interfaces, residual vectors, lumped bodies, G- and F-set). Both write FModal_<name>.op4; the deck's
geometry and point masses are read here.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp

from interstage.component.from_nastran.run_text import OP4_UNIT, kept_bulk, kept_case, kept_executive
from interstage.errors import FileError, InputError, SolverError
from interstage.nastran import Deck, Subcase, read_op4
from interstage.nastran.op4 import SparseMatrix
from interstage.output import is_file, make_folder, write_text
from interstage.reading import LARGE, read_bytes

SEID = 1
_REPLACED = ("EIGRL", "EIGR", "ENDDATA", "RVDOF", "RVDOF1")
# sets of the deck, in whose place come those of the run: a dof may be in one of them only
_SETS = tuple(
    f"{name}{k}" for name in ("ASET", "BSET", "CSET", "QSET", "OMIT", "SUPORT", "BNDFIX") for k in ("", "1")
)
_SETS += ("BNDFREE", "BNDFRE1", "SPOINT")


Dialect = Literal["msc", "nx"]
# Where the matrices of the g-set are at hand: after the modes in the sequence of MSC, where they are assembled in NX.
_ALTERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "msc": (("COMPILE SEMODES SOUIN=MSCSOU NOLIST NOREF $", "ALTER 'STRAIN ENERGY' $"), ("ENDALTER $",)),
    "nx": (("MALTER 'MALTER:(KGG, BGG, MGG, K4GG, PG)' $",), ()),
}
G_MATRICES = {"K": "KGG", "M": "MGG", "B": "BGG", "K4": "K4GG"}


@dataclass
class Run:
    """Files of one external run."""

    folder: Path
    deck: Path
    op4: Path
    f06: Path
    version: str = "unknown"
    alters: bool = False
    notes: tuple[str, ...] = ()


def run_deck(
    deck: Deck,
    n_modes: int,
    aset: Mapping[int, int],
    rvdof: Mapping[int, int],
    first_q: int,
    op4: str,
    case: Subcase | None = None,
    moving: Mapping[int, int] | None = None,
) -> str:
    """Write the run as one deck: SOL 103, EXTSEOUT of a Craig-Bampton model, all INCLUDEs in place.

    first_q : id of the first modal scalar point, above all ids of the deck
    case : the subcase whose constraints hold, the first by default
    moving : part of the interface that moves in the modes (CSET)
    """
    first, executive = kept_executive(deck)
    lines = [
        *first,
        f"ASSIGN OUTPUT4='{op4}',UNIT={OP4_UNIT},DELETE",
        "SOL 103",
        *executive,
        "CEND",
        *kept_case(deck, case, supported=False),
        "METHOD = 990001",
        "DISPLACEMENT(PLOT) = ALL",
        "RESVEC(NOINRL,NOAPPL,NODAMP) = YES" if rvdof else "RESVEC = NO",
        f"EXTSEOUT(ASMBULK,EXTBULK,EXTID={SEID},MATOP4={OP4_UNIT})",
        "BEGIN BULK",
        "PARAM,POST,-1",
        f"EIGRL,990001,,,{n_modes},,,,MASS",
    ]
    count = n_modes + sum(len(str(value)) for value in rvdof.values())
    last = first_q + count - 1
    lines += [f"SPOINT,{first_q},THRU,{last}", f"QSET1,0,{first_q},THRU,{last}"]
    for grid, value in sorted(aset.items()):
        free = str((moving or {}).get(grid, ""))
        kept = "".join(c for c in str(value) if c not in free)
        lines += [f"{name},{part},{grid}" for name, part in (("BSET1", kept), ("CSET1", free)) if part]
    lines += [f"RVDOF1,{value},{grid}" for grid, value in sorted(rvdof.items())]
    return "\n".join([*lines, *kept_bulk(deck, _REPLACED + _SETS), "ENDDATA", ""])


def alter(dialect: Dialect) -> list[str]:
    """DMAP lines of the executive section that write the matrices of the g-set to the op4 file, sparse."""
    if dialect not in _ALTERS:
        raise InputError("this dialect of NASTRAN is not known", expected="'msc' or 'nx'", got=repr(dialect))
    first, last = _ALTERS[dialect]
    writing = [f"OUTPUT4 {name}//0/-{OP4_UNIT}/2/TRUE $" for name in G_MATRICES.values()]
    return [*first, *writing, *last]


def matrix_run_deck(deck: Deck, n_modes: int, op4: str, dialect: Dialect, case: Subcase | None = None) -> str:
    """Write the run as one deck: SOL 103 with the alter of a dialect, INCLUDEs in place; `case` as in `run_deck`."""
    first, executive = kept_executive(deck)
    lines = [
        *first,
        f"ASSIGN OUTPUT4='{op4}',UNIT={OP4_UNIT},FORM=UNFORMATTED,DELETE",
        "SOL 103",
        *executive,
        *alter(dialect),
        "CEND",
        *kept_case(deck, case),
        "METHOD = 990001",
        "DISPLACEMENT(PLOT) = ALL",
        "RESVEC = NO",
        "BEGIN BULK",
        "PARAM,POST,-1",
        f"EIGRL,990001,,,{n_modes},,,,MASS",
    ]
    return "\n".join([*lines, *kept_bulk(deck, _REPLACED), "ENDDATA", ""])


def read_g_matrices(path: Path, n_dof: int) -> dict[str, sp.csr_matrix]:
    """Read K, M, B and K4 (n_dof, n_dof) of the g-set from the op4 file of an alter; those that are absent are zero."""
    found = read_op4(path)
    out = {}
    for key, name in G_MATRICES.items():
        if name not in found:
            if key in ("K", "M"):
                raise FileError(
                    f"the op4 file lacks the matrix {name}",
                    where=str(path),
                    hint="did the alter fit this version? Look into the f06, and try the other dialect",
                )
            out[key] = sp.csr_matrix((n_dof, n_dof))
            continue
        one = found[name]
        if isinstance(one, SparseMatrix):
            matrix = sp.coo_matrix((one.value, (one.row, one.column)), shape=one.shape).tocsr()
        else:
            matrix = sp.csr_matrix(one)
        if matrix.shape != (n_dof, n_dof):
            raise InputError(
                f"{name} of the op4 file does not fit the deck",
                where=str(path),
                expected=f"{n_dof} rows, six a grid and one a scalar point",
                got=f"{matrix.shape[0]} by {matrix.shape[1]}",
            )
        if np.iscomplexobj(matrix) or not np.isfinite(matrix.data).all():
            raise FileError(f"{name} of the op4 file is complex or not finite", where=str(path))
        out[key] = matrix
    return out


def run_nastran(executable: str | Path, text: str, name: str, folder: Path, timeout_s: float) -> Run:
    """Write the deck into `folder`, run the executable there, and check what it says.

    The executable is started as `executable deck.dat scr=yes bat=no old=no` by an argument list, without a
    shell.
    """
    program = Path(executable)
    if not is_file(program):
        raise FileError(
            "the NASTRAN executable was not found", where=str(executable), hint="set executable_path"
        )
    make_folder(folder)
    run = Run(folder, folder / f"{name}.dat", folder / f"FModal_{name}.op4", folder / f"{name}.f06")
    for old in (run.op4, run.f06):
        old.unlink(missing_ok=True)
    write_text(run.deck, text, what="deck")
    command = [str(program.resolve()), run.deck.name, "scr=yes", "bat=no", "old=no"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise SolverError(
            f"NASTRAN did not end within {timeout_s:g} s", where=str(run.deck), hint="raise timeout_s"
        ) from None
    except OSError as error:
        raise FileError(
            "the NASTRAN executable cannot be started", where=str(program), got=str(error.strerror)
        ) from None
    fatal = fatal_messages(run.f06)
    if fatal:
        raise SolverError(
            "NASTRAN stopped with a fatal message", where=str(run.f06), got="; ".join(fatal[:3])
        )
    if done.returncode != 0:
        raise SolverError(
            "NASTRAN ended with an error", where=str(run.deck), got=f"exit status {done.returncode}"
        )
    if not run.op4.is_file():
        raise SolverError(
            "NASTRAN wrote no matrices", where=str(run.op4), hint=f"look into {run.f06.name} for the reason"
        )
    run.version = _version(run.f06)
    return run


def fatal_messages(f06: Path) -> list[str]:
    """Return the FATAL messages of an f06 file, each as one line with what follows it."""
    if not f06.is_file():
        return []
    out = []
    lines = f06.read_text(encoding="utf-8", errors="replace").splitlines()
    for k, line in enumerate(lines):
        if re.search(r"\*\*\*.*FATAL", line):
            following = [part.strip() for part in lines[k + 1 : k + 3] if part.strip() and "***" not in part]
            out.append(" ".join([line.strip(" *0"), *following])[:240])
    return out


def _version(f06: Path) -> str:
    if f06.is_file():
        text = f06.read_text(encoding="utf-8", errors="replace")[:20000]
        found = re.search(r"(?:MSC|NX|SIMCENTER|MD)[ .]*NASTRAN[^\n]{0,60}", text)
        if found:
            return " ".join(found.group().split())
    return "unknown"


def punched_interface(path: str | Path) -> dict[int, int]:
    """Read the interface of an external superelement from the EXTRN entry of its punch file (EXTBULK).

    Grids with components 1-6; the modal scalar points have component 0 and are left out.
    """
    lines = read_bytes(path, "punch file", LARGE).decode("utf-8", errors="replace").splitlines()
    start = next((k for k, line in enumerate(lines) if line[:8].strip() == "EXTRN"), None)
    if start is None:
        raise FileError(
            "the punch file has no EXTRN entry", where=str(path), hint="it must come from EXTSEOUT"
        )
    words: list[str] = []
    for k, line in enumerate(lines[start:]):
        if k and (line.startswith("$") or line[:8].strip().strip("+*")):
            break
        words += [line[i : i + 8].strip() for i in range(8, min(len(line), 72), 8)]
    words = [word for word in words if word]
    if len(words) % 2 or not all(word.isdigit() for word in words):
        raise FileError("the EXTRN entry is not a list of grids and components", where=str(path))
    return {int(grid): int(c) for grid, c in zip(words[::2], words[1::2]) if int(c)}
