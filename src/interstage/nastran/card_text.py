"""Write bulk data entries as text, in fields of eight or sixteen columns."""

from __future__ import annotations

Field = float | int | str | None


def card(name: str, *fields: Field, width: int | None = None) -> str:
    """Format a bulk data entry with its continuations; lines are joined by newlines, without one at the end.

    Parameters
    ----------
    name : of the entry
    fields : numbers, words, or None for a blank field
    width : columns of a field, 8 or 16. Default: 8 where every number keeps all of its digits there, else 16

    >>> print(card("GRID", 7, None, 0.1, 2.0, 1e-3))
    GRID    7               0.1     2.      0.001
    >>> print(card("PARAM", "WTMASS", 1 / 386.0886))
    PARAM*  WTMASS          0.00259007906475
    """
    if width is None:
        width = 8 if all(len(_text(field)) <= 8 for field in fields) else 16
    words = [_text(field, width) for field in fields]
    per_line = 64 // width
    lines = [words[i : i + per_line] for i in range(0, len(words), per_line)] or [[]]
    heads = [name + "*" * (width == 16)] + ["*" * (width == 16)] * (len(lines) - 1)
    return "\n".join(
        (f"{head:<8}" + "".join(f"{word:<{width}}" for word in line)).rstrip()
        for head, line in zip(heads, lines)
    )


def _text(value: Field, columns: int = 24) -> str:
    """Write a field in so many columns or fewer, a real number with as many of its digits as they hold.

    >>> _text(2700.0, 8), _text(7.6e10, 8), _text(0.0055, 8), _text(12, 8), _text(-1e-5 / 3, 16)
    ('2700.', '7.6+10', '0.0055', '12', '-3.33333333333-6')
    """
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    exact = next(digits for digits in range(1, 18) if float(f"{value:.{digits}g}") == value)
    for digits in range(max(exact, 7), 0, -1):
        text = f"{value:.{digits}g}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = f"{mantissa if '.' in mantissa else mantissa + '.'}{int(exponent):+d}"
        elif "." not in text:
            text += "."
        if len(text) <= columns:
            return text
    raise ValueError(f"{value!r} does not fit a field of {columns} columns")
