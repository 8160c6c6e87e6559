"""Numbers as NASTRAN writes them, correctly rounded."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interstage.nastran.numbers import BAD, BLANK, INTEGER, REAL, WORD, parse_bytes, parse_text


def parse(fields: list[str], width: int) -> tuple[np.ndarray, np.ndarray]:
    raw = "".join(f.ljust(width) for f in fields).encode("latin-1")
    return parse_bytes(np.frombuffer(raw, np.uint8).reshape(-1, width))


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("", BLANK, 0),
        ("12", INTEGER, 12),
        ("-7", INTEGER, -7),
        ("+3", INTEGER, 3),
        ("  42", INTEGER, 42),
        ("7.-4", REAL, 7e-4),
        ("1.5+3", REAL, 1.5e3),
        ("2.D5", REAL, 2e5),
        ("1.E-3", REAL, 1e-3),
        (".5", REAL, 0.5),
        ("-.5-2", REAL, -0.5e-2),
        ("1.", REAL, 1.0),
        ("- 1.5", REAL, -1.5),
        ("1.5 E-3", REAL, 1.5e-3),
        ("1.5 -3", REAL, 1.5e-3),
        ("1E5", REAL, 1e5),
        ("1.5-300", REAL, 1.5e-300),
        ("YES", WORD, 0),
        ("E5", WORD, 0),
        (".", BAD, 0),
        ("+", BAD, 0),
        ("1.2.3", BAD, 0),
        ("1 2", BAD, 0),
        ("1-5", BAD, 0),
        ("1.E", BAD, 0),
        ("12A", BAD, 0),
        ("1.+999", BAD, 0),
        ("1.+100", REAL, 1e100),
        ("-1.1+100", BAD, 0),
    ],
)
def test_fields_are_read_as_nastran_reads_them(text, kind, value):
    for width in (8, 16):
        kinds, numbers = parse([text], width)
        assert kinds[0] == kind
        if kind == INTEGER:
            assert numbers[0] == value
        if kind == REAL:
            assert numbers.view(np.float64)[0] == value
    assert parse_text(text)[0] == kind


def python_value(text: str) -> float:
    return float(
        re.sub(r"(?<=[0-9.])[ED]?([+-]?[0-9]+)$", r"e\1", text) if re.search(r"[ED]|.[+-]", text) else text
    )


def test_reals_are_correctly_rounded():
    """Every real equals Python's float of the same digits (which rounds correctly), in 8 and 16 columns."""
    rng = random.Random(5)
    for width in (8, 16):
        fields = []
        while len(fields) < 20_000:
            digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, width - 2)))
            cut = rng.randint(0, len(digits))
            text = rng.choice(("", "-", "+")) + digits[:cut] + "." + digits[cut:]
            if rng.random() < 0.5:
                text += rng.choice(("+", "-", "E", "D", "E-", "D+")) + str(
                    rng.randint(0, rng.choice((9, 30, 80)))
                )
            if len(text) <= width:
                fields.append(text)
        kinds, numbers = parse(fields, width)
        expected = np.array([python_value(f) for f in fields])
        finite = np.isfinite(expected)
        assert np.array_equal(kinds == REAL, finite)
        assert np.array_equal(numbers.view(np.float64)[finite], expected[finite])


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_sixteen_column_reals(value):
    text = f"{value:.8E}"
    assert parse_text(text) == (REAL, float(text))


@given(st.text(alphabet="0123456789.+-ED XY", max_size=16))
def test_fast_and_slow_readers_agree(text):
    kinds, numbers = parse([text], 16)
    kind, value = parse_text(text)
    assert kinds[0] == kind
    if kind == INTEGER:
        assert numbers[0] == value
    if kind == REAL:
        assert numbers.view(np.float64)[0] == value
