"""Run an external NASTRAN: write its deck, start it without a shell, find its errors, read what it wrote.

A run either reduces the structure to a Craig-Bampton model with NASTRAN's own EXTSEOUT command, which MSC and NX know
alike, or writes the matrices of the g-set by a DMAP alter, in the words of MSC or NX, and the reduction is made here
(free-free modes, interfaces, residual vectors, lumped bodies, G- and F-set). Both write FModal_<name>.op4; the deck's
geometry and point masses are read here.

What of a deck goes into the deck of an external run: executive and case control that matter, all bulk data but some.

Cards are found as the reader of decks finds them: a name may stand behind blanks, and a continuation belongs to the
card that asks for its identifier, wherever it stands.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp

from interstage.errors import FileError, InputError, SolverError
from interstage.nastran import Deck, Subcase, read_op4
from interstage.nastran.op4 import SparseMatrix
from interstage.output import is_file, make_folder, write_text
from interstage.reading import LARGE, is_whole, read_bytes

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
    if len(words) % 2 or not all(is_whole(word) for word in words):
        raise FileError("the EXTRN entry is not a list of grids and components", where=str(path))
    return {int(grid): int(c) for grid, c in zip(words[::2], words[1::2]) if int(c)}


OP4_UNIT = 57
_DROPPED_PARAM = ("POST", "GRDPNT", "EXTOUT", "FIXEDB")
# executive statements that go before the run's own ASSIGN, and those that go behind SOL
_FILE_STATEMENTS = ("NASTRAN", "ASSIGN")
_EXECUTIVE = ("DIAG", "TIME", "GEOMCHECK", "MODEL_CHECK")
_REPLACED_EXECUTIVE = ("SOL", "CEND", "ID", "APP", "ECHOON", "ECHOOFF")
# commands that change the structure or its damping, besides the sets that a subcase has as fields
_REQUESTS = ("SDAMP", "SDAMPING", "DAMPING", "HYBRID", "AUTOSPC", "RIGID")
_TEMPERATURES = ("INIT", "MATE", "BOTH")
# commands for output and for what the run itself asks for: nothing is lost without them
_OUTPUT = (
    "ECHO", "ECHOON", "ECHOOFF", "LINE", "MAXLINES", "PAGE", "DISP", "VECT", "PRES", "VELO", "ACCE", "STRE", "ELST",
    "STRA", "FORC", "ELFO", "SPCF", "MPCF", "GPFO", "GPST", "GPSD", "GPKE", "ESE", "EKE", "EDE", "OLOA", "OUTPUT",
    "XYPLOT", "MEFF", "EXTSEOUT", "RESVEC", "RVDOF", "SVEC", "SUPER", "MODES", "SEALL", "LABEL", "OTIME", "OFREQ",
    "THER", "FLUX", "MODALKE", "MODALSE", "STRFIELD", "SURFACE", "VOLUME",
    "WEIGHTCHECK", "GROUNDCHECK", "ELSUM", "BEGIN",
)  # fmt: skip


def kept_executive(deck: Deck) -> tuple[list[str], list[str]]:
    """Statements of the executive section that the run keeps: those before its ASSIGN, and those behind SOL.

    An ASSIGN of the unit that the run writes to is left out.
    """
    first, behind = [], []
    for word, line in _executive(deck):
        if word in _FILE_STATEMENTS and not (
            word == "ASSIGN" and re.search(rf"UNIT\s*=\s*{OP4_UNIT}\b", line)
        ):
            first.append(line)
        elif word in _EXECUTIVE:
            behind.append(line)
    return first, behind


def dropped_statements(deck: Deck, case: Subcase | None = None) -> list[str]:
    """Executive statements and case control of a deck that an external run leaves out, output requests aside."""
    kept = (*_FILE_STATEMENTS, *_EXECUTIVE, *_REPLACED_EXECUTIVE)
    gone = [word for word, _ in _executive(deck) if word not in kept]
    case = case or deck.case.subcases[0]
    gone += [name for name in case.requests if not (_is_kept(name) or name.upper().startswith(_OUTPUT))]
    return list(dict.fromkeys(gone))


def _executive(deck: Deck) -> list[tuple[str, str]]:
    """First word and text of each statement before CEND, continued lines joined; [] where there is no CEND."""
    lines = [line.split("$")[0].rstrip() for line in deck.text().splitlines()]
    end = next((k for k, line in enumerate(lines) if line.strip().upper() == "CEND"), 0)
    out: list[tuple[str, str]] = []
    more = False
    for line in lines[:end]:
        if not line.strip():
            continue
        if more:
            word, text = out[-1]
            out[-1] = word, f"{text}\n{line}"
        else:
            out.append((re.split(r"[\s,=(]", line.strip().upper(), maxsplit=1)[0], line))
        more = line.endswith(",")
    return out


def _is_kept(name: str) -> bool:
    if name.upper().startswith("TEMP"):
        return "(" not in name or name.partition("(")[2].upper().startswith(_TEMPERATURES)
    return name.upper() in _REQUESTS


def kept_case(deck: Deck, case: Subcase | None, supported: bool = True) -> list[str]:
    """Case control that changes the structure: sets, parameters, temperatures, damping, direct matrices."""
    case = case or deck.case.subcases[0]
    lines = [f"TITLE = {case.title}"] if case.title else []
    chosen = {
        "SPC": case.spc,
        "MPC": case.mpc,
        "NSM": case.nsm,
        "SUPORT1": case.suport1 if supported else None,
    }
    lines += [f"{name} = {number}" for name, number in chosen.items() if number is not None]
    for name, asked in case.requests.items():
        if _is_kept(name):
            option = case.options.get(name, "")
            written = name if "(" in name or not option else f"{name}({option})"
            lines.append(f"{written} = {asked}" if asked else written)
    params = {**deck.case.params, **case.params}
    for name, value in params.items():
        if name == "AUTOSPC" and "AUTOSPC" in case.requests:
            continue
        values = value if isinstance(value, tuple) else (value,)
        lines += [",".join(["PARAM", name, *map(str, values)])] if name not in _DROPPED_PARAM else []
    for name in ("K2GG", "M2GG", "B2GG", "K42GG"):
        matrices = {one: case.factors.get((name, one)) for one in getattr(case, name.lower())}
        parts = [one if factor is None else f"{factor!r}*{one}" for one, factor in matrices.items()]
        lines += [f"{name} = {', '.join(parts)}"] if parts else []
    return lines


class _Line:
    """A line of bulk data: its name and first field, or the identifier of the line that it continues."""

    def __init__(self, text: str):
        body = text.split("$")[0].expandtabs(8).rstrip()
        self.text = text
        free = "," in body[:10]
        parts = [part.strip().upper() for part in body.split(",")] if free else []
        first = parts[0] if free else body[:8].strip().upper()
        self.empty = not body.strip()
        self.continues = not first or first[0] in "+*="
        self.asked = first[1:].strip() if first[:1] in ("+", "*") else ""
        self.name = first.rstrip("*")
        self.field = (
            parts[1] if len(parts) > 1 else body[8:24].strip().upper().split(" ")[0] if not free else ""
        )
        tail = body[72:80].strip().upper() if not free else parts[9] if len(parts) > 9 else parts[-1]
        self.tail = tail[1:] if tail[:1] in ("+", "*") else "" if free and len(parts) <= 9 else tail


def kept_bulk(deck: Deck, dropped: Sequence[str]) -> list[str]:
    """Lines of the bulk data without the cards `dropped` that the run replaces, with their continuations."""
    lines = deck.text().splitlines()
    words = (line.split("$")[0].split()[:1] for line in lines)
    begin = next((k for k, word in enumerate(words) if word and word[0].upper() == "BEGIN"), -1)
    found = [one for one in map(_Line, lines[begin + 1 :]) if not one.empty]
    gone = [
        not one.continues and (one.name in dropped or (one.name == "PARAM" and one.field in _DROPPED_PARAM))
        for one in found
    ]
    tails = {one.tail: k for k, one in enumerate(found) if one.tail}
    changed = True
    while changed:  # a continuation may stand before the line that it continues
        changed = False
        for k, one in enumerate(found):
            if one.continues:
                parent = tails.get(one.asked, k - 1) if one.asked else k - 1
                if parent >= 0 and gone[parent] != gone[k]:
                    gone[k], changed = gone[parent], True
    return [one.text for one, left_out in zip(found, gone) if not left_out]
