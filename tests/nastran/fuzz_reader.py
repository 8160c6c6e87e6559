"""Feed mutated decks to the reader: whatever the bytes, only clean errors may come out.

    python tests/nastran/fuzz_reader.py [N] [SEED] [FOLDER]

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

from interstage.errors import InterstageError
from interstage.nastran import deck_from_text, expand_ids

SEEDS = [
    """SOL 103
CEND
TITLE = a beam
METHOD = 1
SPC = 2
SET 1 = 1,2,
 3 THRU 7
K2GG = KA, 2.0*KB
SUBCASE 1
 LOAD = 3
SUBCASE 2
 LOAD = 4
BEGIN BULK
PARAM,POST,-1
PARAM   WTMASS  .00259
EIGRL          1                      10
GRID           1              0.      0.      0.
GRID,2,,1.5,7.-4,2.D5
GRID*                  3                              1.              2.
*                     3.
CBAR           1       1       1       2      0.      0.      1.        +A1
+A1                           .1      0.      0.      .1
PBAR,1,1,.1,.2,.3,.4
MAT1,1,7.+10,,.33,2700.
SPC1,2,123456,1,THRU,3
RBE2,9,1,123456,2,3,+
+,4,5
ENDDATA
""",
    """$ bulk only
GRID\t1\t\t0.\t1.\t2.
CORD2R* 5,0,0.,0.
*,0.,0.,0.,1.
*,1.,0.,0.
CHEXA          1       1       1       2       3       4       5       6+X
GRDSET,,,,,,,456
+X             7       8
SPOINT,100,THRU,110
PLOAD4,1,1,1.5,,,,THRU,9
MPC,1,1,1,1.0,2,1,-1.0
,,3,1,.5
""",
]
WORDS = """
    $ , * + = ' THRU BY EXCEPT 999999999999999999999999 1.e999 - 1.2.3 ENDDATA CEND =,*(1),= +A1 *A1 1-5 GRID
    GRID* ( ) SOL PARAM \u00e9
"""
SPLICES = [word.encode("latin-1") for word in WORDS.split()]
SPLICES += [b"\t", b"\n", b"\r", b"\x00", b"\xff", b"\x0c", b"        ", b"INCLUDE 'x'", b"BEGIN BULK"]
SPLICES += [b"BEGIN SUPER=1", b"SUBCASE 1"]


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Damage a deck in a few places."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(9)
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
        else:
            lines = bytes(out).split(b"\n")
            k, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[k], lines[j] = lines[j], lines[k]
            out = bytearray(b"\n".join(lines))
    return bytes(out)


def exercise(data: bytes) -> str:
    """Read the bytes as a deck and look at every card; returns what came of it."""
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
    return outcome


def fuzz(n: int, seed: int = 0, corpus: list[bytes] | None = None) -> Counter:
    """Read `n` mutated decks; anything but an InterstageError is raised. Returns counts of the outcomes."""
    rng = random.Random(seed)
    corpus = [text.encode() for text in SEEDS] + list(corpus or [])
    outcomes: Counter = Counter()
    for k in range(n):
        data = mutate(rng, rng.choice(corpus), corpus)
        try:
            outcomes[exercise(data)] += 1
        except Exception:
            print(f"deck {k} of seed {seed}:", data[:3000], file=sys.stderr)
            raise
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
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    more = corpus_of(Path(sys.argv[3])) if len(sys.argv) > 3 else []
    begin = time.perf_counter()
    result = fuzz(count, start, more)
    print(f"{count} mutated decks, seed {start}: {dict(result)}, {time.perf_counter() - begin:.0f} s")
