"""Feed mutated decks to the reader: whatever the bytes, only clean errors may come out.

    python tests/nastran/fuzz_reader.py [N] [SEED] [FOLDER] [--models]

--models builds the finite-element model of each deck that is read too.
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
from interstage.fem.thermal import free_expansion
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
    """SOL 111
CEND
METHOD = 1
SPC = 1
DLOAD = 5
FREQ = 7
TSTEP = 8
SDAMPING = 6
NSM = 3
TEMPERATURE(LOAD) = 9
LOAD = 4
BEGIN BULK
EIGRL,1,,,2
GRID,1
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,1.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
,,4 5
PBAR,1,1,.1,.2,.3,.4
CQUAD4,2,2,1,2,3,4
PSHELL,2,1,.1,1
PCOMP,3,,,,,20.
,1,.01,30.,,1,.02,-30.
CTRIA3,3,3,1,2,3
MAT1,1,7.+10,,.33,2700.,1.-5,20.
CGAP,4,4,1,3,0.,0.,1.
PGAP,4,0.,,1.+5,,,.2
GENEL,5,,3,1,4,1
,K,2.,-1.,3.
RJOINT,6,2,5
BNDFIX1,123,3
NSM1,3,PSHELL,2.,2
NSML,3,ELEMENT,1,4.
TEMPD,9,50.
TEMP,9,1,40.
TEMPP1,9,2,40.,3.
,3
TEMPRB,9,1,30.,31.,1.,2.,0.,0.
PLOAD1,4,1,FY,FR,0.,1.,1.,2.
RLOAD1,5,12,.01,,13
TLOAD2,15,12,,,0.,1.,2.,30.
DAREA,12,3,3,2.
TABLED1,13
,0.,1.,10.,2.,ENDT
TABDMP1,6,CRIT
,0.,.01,100.,.01,ENDT
FREQ1,7,1.,1.,5
FREQ4,7,1.,50.,.1,3
TSTEP,8,10,.01,1
SPC1,1,1 2 3 4 5 6,1,4
PARAM,AUTOMSET,YES
DEBUG,193,1
ENDDATA
""",
    """SOL 103
CEND
METHOD = 1
SPC = 1
TEMPERATURE(LOAD) = 7
SUBCASE 1
 SUPER = 1
SUBCASE 2
 SUPER = 0
 LOADSET = 30
BEGIN BULK
EIGRL,1,,,5
GRID,41,,1.,0.,0.
GRID,42,,1.,1.,0.
GRID,43,,2.,0.,0.
CBAR,900,1,41,42,0.,0.,1.
PBAR,1,1,.001,2.-6,3.-6,4.-6
MAT1,1,7.+10,,.3,2700.,2.3-5
TEMPD,7,20.
SEBULK,1,PRIMARY,,AUTO,1.-4
SEBULK,7,REPEAT,1
SECONCT,1,0,.1,NO
,2,41,3,42
SEBNDRY,1,0,2,3
SEEXCLD,1,ALL,5
SELOC,7,2,3,1,41,42,43
SEBULK,8,MIRROR,1
SEMPLN,8,PLANE,41,42,43
BEGIN SUPER=1
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,0.,0.,1.
GRID,6,,1.,0.,1.
GRID,7,,1.,1.,1.
GRID,8,,0.,1.,1.
GRID,9,,2.,0.,.5
GRID,10,,2.,1.,.5
GRID,11,,1.,0.,.5
GRID,12,,1.,1.,.5
CHEXA,1,1,1,2,3,4,5,6
,7,8
PCOMPS,1,0,13,,,20.,.01
,1,1,.1,0.
,2,1,.2,45.
CQUAD4,2,2,11,9,10,12
PSHELL,2,1,.1,1,,1
RSSCON,3,ELEM,2,1
RSSCON,4,GRID,11,6,2
MAT1,1,7.+10,,.3,2700.
CBUSH,5,5,9,10,,,,0
PBUSH,5,K,1.+6,1.+6
,,T,1.-5,20.,.5
TEMPD,7,20.
TEMP,7,1,90.
TEMPP1,7,2,40.,3.
NSML1,3,PSHELL,2.,2
SPC1,1,123,1,4,5,8
ENDDATA
""",
    """SOL 101
CEND
SPC = 1
LOAD = 1
TEMPERATURE(LOAD) = 9
BEGIN BULK
GRID,1,,2.,0.,0.
GRID,2,,0.,2.,0.
GRID,3,,1.5,1.5,0.
GRID,4,,0.,0.,0.
GRID,5,,3.,0.,0.
GRID,6,,3.,0.,1.
GRID,7,,3.,0.,.5
GRID,8,,2.,0.,.3
GRID,9,,0.,2.,.3
GRID,10,,0.,0.,.3
CBEND,1,1,1,2,4,,,1
PBEND,1,1,.1,.2,.3,.4,2.,90.
,.1,0.,-.1,0.,0.,.1,0.,-.1
,.5,.5,1.,0.,0.,.01
CBEND,2,2,1,2,0.,1.,0.,2
PBEND,2,1,2,.1,.01,1.+5,2.
CBEAM3,3,3,1,2,3,0.,0.,1.
,.1,0.,0.,.1,0.,0.,.1,0.
PBEAM3,3,1,.1,.2,.3,,.4,1.
,.1,0.,-.1,0.,0.,.1,0.,-.1
,YES,,.1
CBEAM,4,4,1,2,0.,0.,1.
PBCOMP,4,1,.1,,,,.2,1.
,1.,1.,,,,,1
,.1,.2,.25,2
CTRIAX6,5,3,1,,5,7,6,
,10.
MAT3,3,1.+10,2.+10,3.+10,.1,.1,.1,2700.
,,,1.+10,1.-5,1.-5,1.-5
PLOADX1,1,5,1.,2.,1,5,30.
CTRIA3,6,6,1,2,4
CTRIA3,7,7,8,9,10
PSHELL,6,1,.1,1,,1
PSHELL,7,1,.1,1,,1
GRID,20,,.5,.5,.1
CWELD,8,8,20,ELEMID
,6,7
CWELD,9,8,20,GRIDID,,,,TT
,1,2,4
,8,9,10
CWELD,10,8,,PARTPAT
,6,7
,.6,.6,.1
CWELD,11,8,,ALIGN,1,8
PWELD,8,1,.1,,,,,SPOT
CFAST,12,9,PROP,6,7,20
CFAST,13,9,ELEM,6,7,,1,8
PFAST,9,.1,0,1,1.+6,1.+6,1.+6,1.
,1.,1.,.1,.01
MAT1,1,7.+10,,.33,2700.,1.-5,20.
MAT1,2,2.+11,,.3,7800.
TEMPD,9,50.
TEMP,9,5,40.
SPC1,1,123456,4,10
FORCE,1,2,,1.,0.,1.,0.
ENDDATA
""",
]
WORDS = """
    $ , * + = ' THRU BY EXCEPT 999999999999999999999999 1.e999 - 1.2.3 ENDDATA CEND =,*(1),= +A1 *A1 1-5 GRID
    GRID* ( ) SOL PARAM \u00e9 SECONCT SELOC CSUPER PCOMPS RSSCON SUPER=1 RBE1 NSML1 T
    CBEND CBEAM3 PBCOMP CTRIAX6 CWELD CFAST PARTPAT ELEMID
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


def exercise(data: bytes, models: bool = False) -> str:
    """Read the bytes as a deck and look at every card (and build its model); returns what came of it."""
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
    return build(deck) if models else outcome


def build(deck) -> str:
    """Make the model of a small deck, with everything that waits for a solution."""
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
    return "model built"


def fuzz(n: int, seed: int = 0, corpus: list[bytes] | None = None, models: bool = False) -> Counter:
    """Read `n` mutated decks; anything but an InterstageError is raised. Returns counts of the outcomes."""
    rng = random.Random(seed)
    corpus = [text.encode() for text in SEEDS] + list(corpus or [])
    outcomes: Counter = Counter()
    for k in range(n):
        data = mutate(rng, rng.choice(corpus), corpus)
        try:
            outcomes[exercise(data, models)] += 1
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
    with_models = "--models" in sys.argv
    sys.argv = [one for one in sys.argv if one != "--models"]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    more = corpus_of(Path(sys.argv[3])) if len(sys.argv) > 3 else []
    begin = time.perf_counter()
    result = fuzz(count, start, more, with_models)
    print(f"{count} mutated decks, seed {start}: {dict(result)}, {time.perf_counter() - begin:.0f} s")
