"""Mutated and random decks give clean errors, quickly."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.nastran import deck_from_text
from validation import nastran_decks

sys.path.insert(0, str(Path(__file__).parent))
from fuzz_reader import corpus_of, exercise, fuzz

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "nastran"


def test_two_thousand_mutated_decks():
    """Seeded; the corpus is the module's own decks, those of the Nastran study and, where installed, published ones."""
    corpus = [nastran_decks.deck_text(case).encode()[:20_000] for case in nastran_decks.DECKS]
    outcomes = fuzz(2000, seed=11, corpus=corpus + (corpus_of(REFERENCE) if REFERENCE.exists() else []))
    assert sum(outcomes.values()) == 2000 and outcomes["refused"] > 100


@settings(max_examples=300)
@given(st.binary(max_size=400))
def test_arbitrary_bytes(data):
    exercise(data)


@settings(max_examples=200)
@given(st.text(alphabet="GRID*+,$=\t\n 0123456789.-EA'", max_size=400))
def test_deck_like_text(text):
    exercise(text.encode())


def test_large_lines_and_many_lines_stay_linear():
    """A megabyte of each of the awkward characters is read or refused within seconds."""
    begin = time.perf_counter()
    for piece in (
        ",",
        "$",
        "\n",
        "*",
        "+\n",
        " ",
        "\t\n",
        "GRID,1\n+,",
        "+A\n",
        "INCLUDE",
        "(",
        "A,\n",
        "=\n",
        "BEGIN",
    ):
        for head in ("", "SOL 101\nCEND\n", "GRID,1\n"):
            exercise((head + piece * (200_000 // len(piece))).encode())
    subcases = "".join(f"SUBCASE {k}\n" for k in range(20_001))
    commands = "".join(f"A{k} = 1\n" for k in range(20_000))
    for header in (subcases, commands, commands + subcases):
        assert exercise(f"SOL 101\nCEND\n{header}BEGIN BULK\nGRID,1\n".encode()) == "refused"
    assert time.perf_counter() - begin < 30


def test_text_with_lone_surrogates():
    deck_from_text("$ \ud800\nGRID,1\n")
