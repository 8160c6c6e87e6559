"""Small, large and free field, comments, tabs and all continuation forms."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.errors import DeckError
from interstage.nastran import deck_from_text, mixed


def rows(text: str, name: str) -> list[list]:
    return list(deck_from_text(text, strict=False).cards(name).rows())


GRID = [7, None, 1.5, -2.0, 3e-4, 5]


@pytest.mark.parametrize(
    "text",
    [
        "GRID           7             1.5     -2.    3.-4       5",
        "grid    7               1.5     -2.     3.-4    5",
        "GRID,7,,1.5,-2.,3.-4,5",
        "GRID, 7 , , 1.5 ,-2. , 3.-4 , 5 $ comment, with, commas",
        "GRID\t7\t\t1.5\t-2.\t3.-4\t5",
        "GRID    ,7,,1.5,-2.,3.-4,5",
        " GRID   7               1.5     -2.     3.-4    5",
        "GRID*                  7                             1.5             -2.\n"
        "*                   3.-4               5",
        "GRID*                  7                             1.5             -2.*G7\n"
        "*G7                 3.-4               5",
        "GRID*,7,,1.5,-2.\n*,3.-4,5",
        "GRID*,7,,1.5,-2.,*A\n*A,3.-4,5",
        "GRID           7             1.5     -2.    3.-4       5                                extra, text",
        "GRID           7             1.5     -2.    3.-4       5                00000010",
        "$ first\n\nGRID           7             1.5     -2.    3.-4       5\r\n$ last\n",
        "GRID,7,,0.15E1,-0.0000000000000000002D19,0.000300000000000000000,5",
        "GRID           7             1.5     -2.    3.-4       5$ caf\xe9",
    ],
)
def test_every_format_gives_the_same_grid(text):
    assert rows(text, "GRID") == [GRID]


CBAR = [1, 2, 3, 4, 0.0, 0.0, 1.0, None, 45, None, 0.5]
HEAD = "CBAR           1       2       3       4      0.      0.      1."
TAIL = "      45              .5"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n        {TAIL}",
        f"{HEAD}\n+       {TAIL}",
        f"{HEAD}        +\n+       {TAIL}",
        f"{HEAD}        +B1\n+B1     {TAIL}",
        f"{HEAD}        +B1\n$ in between\n\n+B1     {TAIL}",
        f"{HEAD}        +B1\n+B1,45,,.5",
        f"{HEAD}\n,45,,.5",
        f"{HEAD}\n*                     45                              .5",
        "CBAR,1,2,3,4,0.,0.,1.\n,45,,.5",
        "CBAR,1,2,3,4,0.,0.,1.,,+\n+,45,,.5",
        "CBAR,1,2,3,4,0.,0.,1.,+\n+,45,,.5",
        "CBAR,1,2,3,4,0.,0.,1.,,+Q\n+Q,45,,.5",
        "CBAR,1,2,3,4,0.,0.,1.\n+,45,,.5",
        f"CBAR,1,2,3,4,0.,0.,1.\n        {TAIL}",
        "CBAR*                  1               2               3               4\n"
        "*                     0.              0.              1.\n"
        f"        {TAIL}",
        "CBAR*,1,2,3,4\n*,0.,0.,1.\n*,45,,.5",
        # out of sequence
        f"+B1     {TAIL}\n{HEAD}        +B1"[len(f"+B1     {TAIL}\n") :] + f"\nGRID,1\n+B1     {TAIL}",
        f"{HEAD}        +B1\nGRID           1                                                        +B2\n"
        f"+B1     {TAIL}\n+B2",
    ],
)
def test_every_continuation_gives_the_same_bar(text):
    assert rows(text, "CBAR") == [CBAR]


def test_continuations_out_of_sequence_may_stand_anywhere_behind_other_cards():
    text = "\n".join(
        [
            "GRID,1",
            "RBE2           1       2  123456       3       4       5       6       7+R1",
            "RBE2          11      12  123456      13      14      15      16      17+S1",
            "+S2           26      27",
            "+R1            8       9      10      11      12      13      14      15+R2",
            "+S1           18      19      20      21      22      23      24      25+S2",
            "+R2           16",
        ]
    )
    first, second = rows(text, "RBE2")
    assert first == [1, 2, 123456, *range(3, 17)]
    assert second == [11, 12, 123456, *range(13, 28)]


def test_single_large_line_before_a_small_line_fills_eight_fields():
    """Large-field lines come in pairs; a missing second one is blank."""
    text = "PBEAM*                 1               2              3.              4.\n             5."
    assert rows(text, "PBEAM") == [[1, 2, 3.0, 4.0, None, None, None, None, 5.0]]


def test_blank_continuation_counts_its_eight_fields():
    text = "PBEAM,1,2,3.\n+\n+,7.\n"
    assert rows(text, "PBEAM") == [[1, 2, 3.0] + [None] * 13 + [7.0]]


def test_columns_have_types_defaults_and_widths():
    deck = deck_from_text("GRID,1,,1,2.5\nGRID,2,3,0.\nGRID,3\n", strict=False)
    table = deck.cards("grid")
    assert table.name == "GRID" and len(table) == 3
    assert table.integer(1).tolist() == [1, 2, 3] and table.integer(1).dtype == np.int64
    assert table.integer(2, 0).tolist() == [0, 3, 0]
    assert table.real(3, 9.0).tolist() == [1.0, 0.0, 9.0]
    assert table.real(4, 0.0).tolist() == [2.5, 0.0, 0.0]
    assert table.width.tolist() == [4, 3, 1]
    assert table.blank(2).tolist() == [True, False, True]
    assert table.is_integer(3).tolist() == [True, False, False]
    assert table.is_real(3).tolist() == [False, True, False]
    assert table.real(30, 1.0).tolist() == [1.0, 1.0, 1.0]
    assert table.select(np.array([False, True, True])).integer(1).tolist() == [2, 3]
    assert table.select([2, 0]).row(0) == [3]
    assert table.where(1) == "text, line 2"
    assert table.unique_ids().tolist() == [1, 2, 3]
    assert len(deck.cards("CQUAD4")) == 0 and deck.cards("CQUAD4").real(3).shape == (0,)


def test_words_are_upper_case():
    table = deck_from_text("EIGR,1,mgiv\nEIGR,2\n").cards("EIGR")
    assert table.word(2, "LAN").tolist() == ["MGIV", "LAN"]
    assert table.is_word(2).tolist() == [True, False]


@pytest.mark.parametrize(
    ("method", "j", "what", "wanted"),
    [
        ("integer", 2, "field 3 is missing", "expected an integer"),
        ("real", 3, "field 4 is not a number", "expected a real number, got 'ABC'"),
        ("integer", 4, "field 5 has the wrong type", "expected an integer, got '2.5'"),
        ("word", 4, "field 5 has the wrong type", "expected a word, got '2.5'"),
        ("integer", 9, "field 2 of continuation 1 is missing", "expected an integer"),
    ],
)
def test_wrong_fields_are_named(method, j, what, wanted):
    table = deck_from_text("GRID,1,,ABC,2.5").cards("GRID")
    with pytest.raises(DeckError) as caught:
        getattr(table, method)(j)
    assert str(caught.value) == f"GRID 1: {what} (text, line 1: 'GRID,1,,ABC,2.5'); {wanted}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("+       1.0\nGRID,1\n", "a continuation line comes before any card"),
        ("GRID,1,,,,,,,,+A\n+B,1\n", "no card asks for this continuation"),
        ("GRID,1,,,,,,,,+A\nGRID,2,,,,,,,,+A\nGRID,3\n+A,1\n", "several cards ask for this continuation"),
        ("GRID,1,,,,,,,,+A\nGRID,2\n+A,1\nGRID,3\n+A,2\n", "two continuations have the same identifier"),
        (
            "GRID,1\n+A,,,,,,,,,+B\nGRID,2\n+B,,,,,,,,,+A\n",
            "continuation lines refer to each other in a circle",
        ),
        ("ABCDEFGHI,1\n", "the card's name is longer than eight characters"),
    ],
)
def test_bad_lines_are_named(text, message):
    with pytest.raises(DeckError, match=f"^{message.replace('(', '.').replace(')', '.')}") as caught:
        deck_from_text(text)
    assert caught.value.line is not None and caught.value.image


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("SPC1,1,123,1,2,3,4,5,6,7,8", "SPC1,1,123,1,2,3,4,5,6\n,7,8"),
        ("SPC1,1,123,1,2,3,4,5,6,+,7,8,9 $ x,y", "SPC1,1,123,1,2,3,4,5,6\n,7,8,9"),
        ("SPC1*,1,123,1,2,3,4,5,6", "SPC1*,1,123,1,2\n*,3,4,5,6"),
        (
            "GRID,9\nSPC1,1,123,1,2,3,4,5,6,7,8\nSPC1,2,3,4",
            "GRID,9\nSPC1,1,123,1,2,3,4,5,6\n,7,8\nSPC1,2,3,4",
        ),
        ("SPC1,1,123,1,2,3,4,5,6,7,8\n,9", "SPC1,1,123,1,2,3,4,5,6\n,7,8\n,9"),
    ],
)
def test_free_field_lines_run_on(long, short):
    """A line with more data fields than it has goes on by itself (Quick Reference Guide, automatic continuation)."""
    assert rows(long, "SPC1") == rows(short, "SPC1")


def test_lines_behind_one_that_runs_on_keep_their_numbers():
    with pytest.raises(DeckError, match=r"text, line 3"):
        deck_from_text("GRID,1\nSPC1,1,123,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\nFOO,1\n")


def test_a_comma_beyond_the_tenth_column_is_text():
    """Equations and labels of cards that only other solutions use, in small field."""
    deck = deck_from_text(
        "GRID,1\nDEQATN  41      AVG(R1,R2,R3) = (R1+R2+R3)/3.0\n        + MAX(R1,R2)\n"
        "MONPNT1 WING            Left wing, all loads\n        123456  WING    0       0.0     0.0     0.0\nGRID,2\n"
    )
    assert deck.ignored == {"DEQATN": 1, "MONPNT1": 1}
    assert deck.cards("GRID").integer(1).tolist() == [1, 2]


@pytest.mark.parametrize(
    "line", ["CBUSH   10211,  10010,  1,    2", "GRID      ,1,,2.", "PARAM     ,WTMASS,2."]
)
def test_a_comma_out_of_place_is_not_read_past(line):
    with pytest.raises(DeckError, match="line 1"):
        deck_from_text(line + "\n")


def test_mixed_lines_are_found_across_blocks_as_one_by_one(monkeypatch):
    """Lines of mixed fields are written anew alike, looked at one by one or in a sweep over blocks of bytes."""
    rng = np.random.default_rng(1)
    pieces = [b"MAT1,1  7.+10,,.3", b"MAT1    1       3.+7,           .3", b"GRID,1,,0.", b"", b"$ a, b  c"]
    pieces += [b"CQUAD4  1       1       1       2       3       4", b"MAT1,1,3.+7,,.3   +M1"]
    changed = 0
    for _ in range(200):
        data = b"\n".join(pieces[k] for k in rng.integers(0, len(pieces), int(rng.integers(0, 40))))
        monkeypatch.setattr(mixed, "FEW", 10**6)
        wanted = mixed.separated(data)
        monkeypatch.setattr(mixed, "FEW", 0)
        monkeypatch.setattr(mixed, "BLOCK", int(rng.integers(1, 200)))
        assert mixed.separated(data) == wanted
        changed += wanted != data
    assert changed > 100
