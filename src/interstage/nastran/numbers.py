"""Turn text fields into numbers, many at once, as NASTRAN reads them.

A field is blank, an integer (`12`), a real (`1.5`, `7.-4`, `1.5+3`, `2.D5`), a word (starts with a letter)
or bad. Blanks are allowed around a number, behind its sign and before its exponent (`- 1.5 E-3`), but not
between digits: `1 2` is more likely two fields out of line than the number 12. One table-driven automaton
runs over the columns of all fields together:

    value = sign * mantissa * 10**(exponent - digits after the point)

With mantissa < 2**53 and a power of ten within 1e22 both factors are exact doubles, so one multiplication
or division rounds correctly (Clinger 1990); anything else goes through Python's own `float`.
"""

from __future__ import annotations

import numpy as np

BLANK, INTEGER, REAL, WORD, BAD = range(5)
LARGEST = 1e100  # real number of a deck: products of three of them are numbers still

_CHUNK = 32768  # fields at a time, so that the working arrays stay in the cache

# States of the automaton.
(
    _START,
    _SIGN,
    _INT,
    _POINT,
    _BARE,
    _EXP,
    _EXPSIGN,
    _EXPDIGIT,
    _INTGAP,
    _REALGAP,
    _EXPGAP,
    _FRAC,
    _FAIL,
    _TEXT,
) = range(14)


def _transitions() -> np.ndarray:
    """Table of the next state by state * 256 + byte; letters are upper case already."""
    table = np.full((14, 256), _FAIL, np.uint8)
    digits, signs, exps = np.arange(48, 58), [43, 45], [ord("E"), ord("D")]
    space, point = 32, 46
    table[_START, space] = _START
    table[_START, signs] = _SIGN
    table[_SIGN, space] = _SIGN
    for state in (_START, _SIGN, _INT):
        table[state, digits] = _INT
    for state in (_START, _SIGN):
        table[state, point] = _BARE
    table[_INT, point] = _POINT
    table[_BARE, space] = _BARE
    for state in (_POINT, _BARE, _FRAC):
        table[state, digits] = _FRAC
    for state in (_POINT, _FRAC, _REALGAP):
        table[state, signs] = _EXPSIGN
        table[state, exps] = _EXP
        table[state, space] = _REALGAP
    for state in (_INT, _INTGAP):
        table[state, exps] = _EXP
        table[state, space] = _INTGAP
    table[_EXP, space] = _EXP
    table[_EXP, signs] = _EXPSIGN
    table[_EXPSIGN, space] = _EXPSIGN
    for state in (_EXP, _EXPSIGN, _EXPDIGIT):
        table[state, digits] = _EXPDIGIT
    table[[_EXPDIGIT, _EXPGAP], space] = _EXPGAP
    table[_START, np.arange(65, 91)] = _TEXT
    table[_TEXT, :] = _TEXT
    return table.ravel()


_NEXT = _transitions()
_KIND = np.full(14, BAD, np.uint8)
_KIND[_START] = BLANK
_KIND[[_INT, _INTGAP]] = INTEGER
_KIND[[_POINT, _FRAC, _REALGAP, _EXPDIGIT, _EXPGAP]] = REAL
_KIND[_TEXT] = WORD
_TEN = 10.0 ** np.arange(23)


def parse_bytes(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Read fields given as bytes.

    Parameters
    ----------
    columns : (m, w) uint8, one field a row, w <= 18, padded with blanks, upper case

    Returns
    -------
    kind : (m,) uint8, one of BLANK, INTEGER, REAL, WORD, BAD
    number : (m,) int64; an integer's value, or the bits of a real (view as float64)
    """
    count = len(columns)
    kind = np.zeros(count, np.uint8)
    number = np.zeros(count, np.int64)
    for start in range(0, count, _CHUNK):
        part = slice(start, min(start + _CHUNK, count))
        kind[part], number[part] = _parse_chunk(columns[part])
    return kind, number


def _parse_chunk(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run the automaton over the columns of one chunk."""
    columns = np.ascontiguousarray(rows.T)
    count = columns.shape[1]
    state = np.zeros(count, np.uint16)
    mantissa = np.zeros(count, np.int64)
    fraction = np.zeros(count, np.int16)
    exponent = np.zeros(count, np.int64)
    minus = np.zeros(count, bool)
    expminus = np.zeros(count, bool)
    for byte in columns:
        state = _NEXT[(state << 8) | byte].astype(np.uint16)
        frac = state == _FRAC
        digit = byte.astype(np.int64) - 48
        mantissa = np.where(frac | (state == _INT), mantissa * 10 + digit, mantissa)
        fraction += frac
        in_exp = state == _EXPDIGIT
        if in_exp.any():
            exponent = np.where(in_exp, exponent * 10 + digit, exponent)
        hyphen = byte == 45
        if hyphen.any():
            minus |= hyphen & (state == _SIGN)
            expminus |= hyphen & (state == _EXPSIGN)
    kind = _KIND[state]
    np.negative(mantissa, out=mantissa, where=minus)
    number = mantissa.copy()
    real = np.flatnonzero(kind == REAL)
    if len(real):
        kind[real], number[real] = _reals(
            rows,
            real,
            mantissa[real],
            np.where(expminus, -exponent, exponent)[real] - fraction[real],
            minus[real],
        )
    return kind, number


def _reals(
    rows: np.ndarray, real: np.ndarray, mantissa: np.ndarray, power: np.ndarray, minus: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Correctly rounded values of the fields `real`; those out of the exact range one by one."""
    scale = _TEN[np.minimum(np.abs(power), 22)]
    value = mantissa.astype(np.float64)
    value = np.where(power < 0, value / scale, value * scale)
    np.copysign(value, -1.0, out=value, where=minus)
    kind = np.full(len(real), REAL, np.uint8)
    for k in np.flatnonzero((np.abs(mantissa) > 2**53) | (np.abs(power) > 22)):
        kind[k], value[k] = parse_text(rows[real[k]].tobytes().decode("latin-1"))
    return kind, value.view(np.int64)


def parse_text(text: str) -> tuple[int, int | float]:
    """Read one field the slow way: (kind, value). Also for free fields longer than the fast path takes.

    >>> parse_text("7.-4"), parse_text("2.D5"), parse_text("-.5-2"), parse_text("12"), parse_text("1.2.3")
    ((2, 0.0007), (2, 200000.0), (2, -0.005), (1, 12), (4, 0))
    """
    kind = _kind_of(text)
    if kind == INTEGER:
        whole = int(text.replace(" ", "")) if len(text.strip()) < 19 else 1 << 63
        return (INTEGER, whole) if abs(whole) < 1 << 63 else (BAD, 0)
    if kind == REAL:
        value = float(_python_real(text))
        return (REAL, value) if abs(value) <= LARGEST else (BAD, 0)
    return kind, 0


def is_real(text: str) -> bool:
    """Say whether a field is written as a real number, however large.

    >>> is_real("1.+300"), is_real("1.+"), is_real("7")
    (True, False, False)
    """
    return _kind_of(text) == REAL


def _kind_of(text: str) -> int:
    state = _START
    for char in text:
        code = ord(char)
        state = int(_NEXT[state * 256 + code]) if code < 256 else (_TEXT if state == _TEXT else _FAIL)
    return int(_KIND[state])


def _python_real(text: str) -> str:
    """Spell a NASTRAN real as Python does: `7.-4` is 7.e-4, `2.D5` is 2.e5."""
    text = text.replace(" ", "").upper().replace("D", "E")
    if "E" not in text:
        for k in range(len(text) - 1, 0, -1):
            if text[k] in "+-":
                return text[:k] + "E" + text[k:]
    return text
