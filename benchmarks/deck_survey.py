"""Survey of decks: how many are read and solved, and why the others are not.

    python -m benchmarks deck_survey -- FOLDER ... [--seconds 60] [--list]

Every file below the folders that has a case control section (CEND, or SOL with BEGIN BULK) is a deck of its own; what
it INCLUDEs is read with it. SOL 101 is solved by statics, 105 by buckling, anything else by modes. Without folders the
reference decks beside the checkout are taken: examples of pyNastran, pyYeti and NASTRAN-CoFE whose results tests know.
"""

from __future__ import annotations

import argparse
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from interstage.cli.random_tables import selected_here
from interstage.cli.response import IN_TIME
from interstage.errors import InterstageError
from interstage.fem import (
    FEModel,
    buckling,
    complex_modes,
    frequency_response,
    normal_modes,
    random_response,
    static_subcases,
    transient_response,
)
from interstage.nastran import read_deck
from interstage.nastran.parameters import COMPLEX

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"
STATICS, BUCKLING = (1, 24, 61, 101), (5, 65, 105)
IN_FREQUENCY = (8, 11, 26, 30, 68, 71, 108, 111)
SUFFIXES = (".bdf", ".dat", ".nas", ".inp", ".fem", ".ecd")
_HEAD = re.compile(rb"^\s*(CEND|BEGIN\b)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """One deck: how far it came ("solved", "read", "refused"), why not further, the seconds it took and its kind."""

    path: Path
    outcome: str
    reason: str = ""
    seconds: float = 0.0
    kind: str = "not read"


def decks(folders: list[Path]) -> list[Path]:
    """Files below folders that have a case control section."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if (
                path.is_file()
                and path.suffix.lower() in SUFFIXES
                and _HEAD.search(path.read_bytes()[:1_000_000])
            ):
                found.append(path)
    return found


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop what takes longer, as far as the interpreter is asked (not inside a factorization)."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def reason(error: Exception) -> str:
    """The kind of a refusal: its words without names, places and numbers.

    >>> reason(InterstageError("CFAST 17 is not supported", where="a.bdf, line 3"))
    'CFAST # is not supported'
    """
    if not isinstance(error, InterstageError):
        return "takes too long" if isinstance(error, TimeoutError) else f"fault of the program: {error!r}"
    return re.sub(r"\b\d[\d.+-]*\b", "#", re.sub(r"'[^']*'", "'...'", error.what))


def solution(sol: int | None) -> str:
    """What a solution sequence asks for, in words."""
    for kind, numbers in (
        ("statics", STATICS),
        ("buckling", BUCKLING),
        ("response in frequency", IN_FREQUENCY),
        ("response in time", IN_TIME),
        ("complex modes", COMPLEX),
    ):
        if sol in numbers:
            return kind
    return "modes"


def solve(fe: FEModel, kind: str) -> None:
    """Solve a model as its deck asks."""
    if kind == "response in frequency":
        (random_response if selected_here(fe, None) else frequency_response)(fe)
        return
    {
        "statics": static_subcases,
        "buckling": buckling,
        "response in time": transient_response,
        "complex modes": complex_modes,
        "modes": normal_modes,
    }[kind](fe)


def survey(path: Path, seconds: float) -> Row:
    """Read and solve one deck."""
    start, outcome, why, kind = time.perf_counter(), "refused", "", "not read"
    try:
        with at_most(seconds):
            deck = read_deck(path)
            kind = solution(deck.sol)
            fe = FEModel.from_deck(deck)
            outcome = "read"
            solve(fe, kind)
            outcome = "solved"
    except Exception as error:  # whatever it is, the survey goes on and counts it
        why = reason(error)
    return Row(path, outcome, why, time.perf_counter() - start, kind)


def main(argv: list[str] | None = None) -> list[Row]:
    """Print the table; returns a row for each deck."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="most time for one deck")
    parser.add_argument("--list", action="store_true", help="name every deck that is not solved")
    options = parser.parse_args(argv)
    folders = options.folders or ([REFERENCE] if REFERENCE.is_dir() else [])
    rows = [survey(path, options.seconds) for path in decks(folders)]
    if not rows:
        print("no decks: give folders behind --")
        return rows
    outcome = Counter(row.outcome for row in rows)
    read = outcome["read"] + outcome["solved"]
    print(f"{len(rows)} decks: {read} read ({read / len(rows):.0%}), {outcome['solved']} solved ", end="")
    print(f"({outcome['solved'] / len(rows):.0%}), {outcome['refused']} refused")
    print(
        f"{sum(row.seconds for row in rows):.1f} s together, {max(row.seconds for row in rows):.1f} s the slowest\n"
    )
    print("| solution | decks | read | solved |\n|---|---|---|---|")
    for kind in sorted({row.kind for row in rows}):
        here = Counter(row.outcome for row in rows if row.kind == kind)
        print(f"| {kind} | {here.total()} | {here['read'] + here['solved']} | {here['solved']} |")
    print()
    for name, words in (("refused", "not read"), ("read", "read and not solved")):
        reasons = Counter(row.reason for row in rows if row.outcome == name)
        if reasons:
            print(f"| {words}, because | decks |\n|---|---|")
            for why, count in reasons.most_common():
                print(f"| {why} | {count} |")
            print()
    if options.list:
        for row in rows:
            if row.outcome != "solved":
                print(f"{row.path}: {row.outcome}, {row.reason}")
    return rows


if __name__ == "__main__":
    main()
