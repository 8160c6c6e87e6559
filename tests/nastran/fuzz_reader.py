"""Feed mutated decks to the reader: whatever the bytes, only clean errors may come out.

    python tests/nastran/fuzz_reader.py [N] [SEED] [FOLDER] [--models] [--solve]

--models builds the finite-element model of each deck that is read too, --solve asks it for statics, modes, responses.
FOLDER holds more decks (*.bdf, *.dat, *.inc, *.blk) to start from.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from interstage import FEModel
from interstage.errors import InterstageError
from interstage.fem.response import frequency_response, transient_response
from interstage.fem.solutions import normal_modes, static_subcases
from interstage.fem.thermal import free_expansion
from interstage.nastran import deck_from_text, expand_ids
from interstage.nastran.cards import SUPPORTED

sys.path.insert(0, str(Path(__file__).parent))
from fuzz_seeds import SEEDS, made_deck

WORDS = """
    $ , * + = ' THRU BY EXCEPT 999999999999999999999999 1.e999 - 1.2.3 ENDDATA CEND =,*(1),= +A1 *A1 1-5 GRID
    GRID* ( ) SOL PARAM \u00e9 SECONCT SELOC CSUPER PCOMPS RSSCON SUPER=1 RBE1 NSML1 T
    CBEND CBEAM3 PBCOMP CTRIAX6 CWELD CFAST PARTPAT ELEMID
"""
SPLICES = [word.encode("latin-1") for word in WORDS.split()]
SPLICES += [b"\t", b"\n", b"\r", b"\x00", b"\xff", b"\x0c", b"        ", b"INCLUDE 'x'", b"BEGIN BULK"]
SPLICES += [b"BEGIN SUPER=1", b"SUBCASE 1"]
# What a field may hold in place of what it ought to
VALUES = b"0 1 2 3 5 11 -1 -3 7 99999999 100000000 0. 1. -1. .5 1.+300 -1.+300 1.-300 123456 0123".split()
VALUES += b"NAN THRU YES ALL A".split()
VALUES += [b"", b"=", b"*(1)", b"1 2 3"]
FIELD = 9


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Damage a deck in a few places; in half of the decks fields alone, so that their cards are reached."""
    out = bytearray(data)
    kinds = range(9) if rng.random() < 0.5 else (FIELD,)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        kind = rng.choice(kinds)
        if kind == 0 and out:
            out[at % len(out)] = rng.randrange(256)
        elif kind == 1:
            del out[at : at + rng.choice((1, 2, 8, 40))]
        elif kind == 2:
            out[at:at] = rng.choice(SPLICES)
        elif kind == 3:
            piece = rng.choice(SPLICES)
            out[at : at + len(piece)] = piece
        elif kind == 4:
            out[at:at] = out[at : at + rng.choice((1, 8, 16, 72, 160))]
        elif kind == 5:
            lines = bytes(out).split(b"\n")
            rng.shuffle(lines)
            out = bytearray(b"\n".join(lines))
        elif kind == 6:
            other = rng.choice(others)
            cut = rng.randrange(len(other) + 1)
            out[at:] = other[cut : cut + 4000]
        elif kind == 7:
            out[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 8, 80))))
        elif kind == FIELD:
            lines = bytes(out).split(b"\n")
            k = rng.randrange(len(lines))
            fields = lines[k].split(b",")
            fields[rng.randrange(min(1, len(fields) - 1), len(fields))] = rng.choice(VALUES)
            lines[k] = b",".join(fields)
            out = bytearray(b"\n".join(lines))
        else:
            lines = bytes(out).split(b"\n")
            k, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[k], lines[j] = lines[j], lines[k]
            out = bytearray(b"\n".join(lines))
    return bytes(out)


def exercise(data: bytes, models: bool = False, solve: bool = False) -> str:
    """Read the bytes as a deck and look at every card (build its model, solve it); returns what came of it."""
    try:
        deck = deck_from_text(data.decode("utf-8", "surrogateescape"))
    except InterstageError as fault:
        assert str(fault) and "\n" not in str(fault)
        return "refused"
    repr(deck)
    outcome = "read"
    for name in deck.counts:
        table = deck.cards(name)
        for j in (1, 3, 9):
            for method in (table.integer, table.real, table.word):
                try:
                    method(j)
                except InterstageError:
                    outcome = "fields refused"
        for i in range(min(len(table), 5)):
            with suppress(InterstageError):
                expand_ids(table.row(i), partial(table.error, i), limit=100_000)
        table.where(0)
    return build(deck, solve) if models or solve else outcome


def build(deck, solve: bool) -> str:
    """Make the model of a small deck, with everything that waits for a solution, and solve it."""
    if sum(deck.counts.values()) > 500:
        return "read"
    try:
        with np.errstate(all="ignore"):
            fe = FEModel.from_deck(deck)
            if fe.grids.n_dof > 3000:
                return "read"
            fe.K_gg, fe.M_gg, fe.B_gg, fe.K4_gg  # noqa: B018
            fe.loads.check()
            for case in fe.case.subcases[:2]:
                free_expansion(fe, case)
                if case.load:
                    fe.loads.vector(case.load, fe.M_gg)
    except InterstageError as fault:
        assert str(fault) and "\n" not in str(fault)
        return "model refused"
    return solved(fe) if solve else "model built"


def solved(fe: FEModel) -> str:
    """Ask a model for everything; numbers that come out are finite, and what does not come out is one sentence."""
    asked = [
        lambda: [u.displacement for u in static_subcases(fe)],
        lambda: [normal_modes(fe, n_modes=3).frequencies_hz],
        lambda: [frequency_response(fe).displacement],
        lambda: [frequency_response(fe, [1.0, 7.0], modal=True).displacement],
        lambda: [transient_response(fe).displacement],
    ]
    came = 0
    for ask in asked:
        try:
            with np.errstate(all="ignore"):
                found = ask()
        except InterstageError as fault:
            assert str(fault) and "\n" not in str(fault)
            continue
        assert all(np.isfinite(values).all() for values in found)
        came += 1
    return f"solved {came} ways"


def fuzz(
    n: int, seed: int = 0, corpus: list[bytes] | None = None, models: bool = False, solve: bool = False
) -> Counter:
    """Read `n` mutated decks; anything but an InterstageError is raised. Returns counts of the outcomes."""
    rng = random.Random(seed)
    corpus = [text.encode() for text in SEEDS] + list(corpus or [])
    names = sorted(SUPPORTED)
    outcomes: Counter = Counter()
    for k in range(n):
        if rng.random() < 0.2:
            data = made_deck(rng, rng.sample(names, rng.choice((1, 2, 4)))).encode()
        else:
            data = mutate(rng, rng.choice(corpus), corpus)
        try:
            outcomes[exercise(data, models, solve)] += 1
        except Exception:
            print(f"deck {k} of seed {seed}:", data[:3000], file=sys.stderr)
            raise
        if (k + 1) % 10_000 == 0:
            print(f"{k + 1} decks: {dict(outcomes)}", file=sys.stderr, flush=True)
    return outcomes


def corpus_of(folder: Path) -> list[bytes]:
    """Decks below a folder, INCLUDE lines taken out so that they are read alone."""
    files = [p for p in sorted(folder.rglob("*")) if p.suffix in (".bdf", ".dat", ".inc", ".blk")]
    return [
        b"\n".join(
            line for line in p.read_bytes().split(b"\n") if not line.strip().upper().startswith(b"INCLUDE")
        )
        for p in files
    ]


if __name__ == "__main__":
    with_models, with_solutions = "--models" in sys.argv, "--solve" in sys.argv
    sys.argv = [one for one in sys.argv if one not in ("--models", "--solve")]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    more = corpus_of(Path(sys.argv[3])) if len(sys.argv) > 3 else []
    begin = time.perf_counter()
    result = fuzz(count, start, more, with_models, with_solutions)
    print(f"{count} mutated decks, seed {start}: {dict(result)}, {time.perf_counter() - begin:.0f} s")
