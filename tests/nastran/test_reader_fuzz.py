"""Mutated and random decks give clean errors, quickly."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from interstage.nastran.cards import CARDS, SUPPORTED, of_kind
from validation import nastran_decks

sys.path.insert(0, str(Path(__file__).parent))
from fuzz_reader import corpus_of, exercise, fuzz
from fuzz_seeds import SEEDS, made_deck

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "nastran"


def test_a_thousand_mutated_decks():
    """Seeded; the corpus is the module's own decks, those of the Nastran study and, where installed, published ones."""
    corpus = [nastran_decks.deck_text(case).encode()[:20_000] for case in nastran_decks.DECKS]
    outcomes = fuzz(1000, seed=11, corpus=corpus + (corpus_of(REFERENCE) if REFERENCE.exists() else []))
    assert sum(outcomes.values()) == 1000 and outcomes["refused"] > 50


@pytest.mark.parametrize("kind", sorted({CARDS[name].kind for name in SUPPORTED}))
def test_cards_made_from_their_declarations(kind):
    """Fields that are declared have their types; whatever stands in the others, errors are clean."""
    rng = random.Random(5)
    for name in sorted(of_kind(kind)):
        for _ in range(4):
            text = made_deck(rng, [name])
            assert exercise(text.encode(), models=True)
            try:
                deck_from_text(text)
            except DeckError as error:
                assert "is an integer where NASTRAN wants a real number" not in str(error), text


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("GRID,12,,1.,1.,.5", "GRID,12,,1.,-1.+99,.5"),
        ("GRID,10,,2.,1.,.5", "GRID,10,,2.,1.-300,.5"),
        ("MAT1,1,7.+10,,.33,2700.", "MAT1,1,7.+10,,.33,1.-300"),
        ("EIGRL,1,,,2", "EIGRL,1,,1.+100,2"),
        ("PSHELL,2,1,.1,1", "PSHELL,2,1,1.+100,1"),
        (",.6,.6,.1", ",.6,.6,-1.+100"),
        ("RLOAD1,5,12", "RLOAD1,,12"),
        ("MAT1,1,7.+10,,.3,2700.\nBEGIN SUPER=3", "MAT1,1,1.-300,,.3,2700.\nBEGIN SUPER=3"),
        ("MAT1,1,7.+10,,.33,2700.", "MAT1,1,1.+100,,.33,2700."),
    ],
)
def test_numbers_that_leave_the_range_of_numbers(right, wrong):
    """What mutations found once: models of these decks are refused, or solved in numbers."""
    text = next(text for text in SEEDS if right in text)
    assert exercise(text.replace(right, wrong).encode(), solve=True).split()[0] in ("model", "solved")


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
