"""Look up the figures that README and docs quote in the committed pages of studies and benchmarks.

A quoted figure is a link whose title is its key:

    [16 m](docs/validation/heron_ascent.md "flight :: position at T + 300 s, m :: ours")

Key of a study: case, quantity and column of one row. A `*` stands for any text; where several rows or numbers are
meant, the column is followed by what is taken of them: `least`, `largest` (by size) or `count` (of rows).
Key of a benchmark: the first cells of a row and the head of a column, as in "99856 :: 30 modes s"; or a line of its
output with `{}` for the number and `…` for anything between. Where several are alike, the heading of its block and `>`
come first.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"(?<![\w.^])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\])")
QUOTE = re.compile(r'\[([^\]]*)\]\(([^)"\s]*\.md)\s+"([^"]*)"\)')
REDUCTIONS = ("least", "largest", "count")


@dataclass(frozen=True)
class Quote:
    """A figure as written, the page that it is of, and where on it."""

    text: str
    page: Path
    key: str


def quotes(text: str, folder: Path) -> list[Quote]:
    """Return the quoted figures of a text whose links are relative to a folder."""
    return [Quote(m[1], (folder / m[2]).resolve(), " ".join(m[3].split())) for m in QUOTE.finditer(text)]


def plain(text: str) -> str:
    """Return a text without quoted figures and targets of links: what is left are figures that nothing vouches for.

    >>> plain('to [3e-7](a.md "x :: y :: error") in [7 of 8](b.md) of 12')
    'to  in 7 of 8 of 12'
    """
    return re.sub(r"!?\[([^\]]*)\]\([^)\"\s]*\)", r"\1", re.sub(r"\[[^\]]*\]\([^)\"]*\"[^\"]*\"\)", "", text))


def value(text: str) -> float:
    return float(text.replace(",", ""))


def digits(text: str) -> int:
    """Significant digits of a written number; zeros at the end of a whole number do not count.

    >>> [digits(text) for text in ("589,000", "0.26", "3e-7", "2.10", "100")]
    [3, 2, 1, 3, 1]
    """
    mantissa = text.replace(",", "").lstrip("+-").split("e")[0]
    if "." not in mantissa:
        mantissa = mantissa.rstrip("0")
    return max(1, len(mantissa.replace(".", "").lstrip("0")))


def rounds_to(found: float, text: str, bound: bool = False) -> bool:
    """Say whether a number of a page is written `text`: rounded to nearest or, if it is an error, upward."""
    wanted = value(text)
    if found == wanted or found == 0.0:
        return found == wanted
    unit = 10.0 ** (math.floor(math.log10(abs(found))) + 1 - digits(text))
    whole = math.ceil(found / unit * (1.0 - 1e-12)) if bound else round(found / unit)
    return math.isclose(whole * unit, wanted, rel_tol=1e-9)


def _pattern(text: str) -> re.Pattern:
    return re.compile(".*".join(map(re.escape, text.strip().split("*"))))


def _of_study(page: str, key: str) -> list[float]:
    """Return the numbers that a key of a study means, one unless it says what is taken of several."""
    case, quantity, *rest = (part.strip() for part in key.split(" :: "))
    column, *how = rest[0].split() if len(rest) == 1 else ("",)
    table = [line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("|")]
    head = [cell.strip(" |") for cell in table[0]] if table else []
    if len(head) == 1:
        head = [cell.strip() for cell in head[0].split("|")]
    if column not in head or [h for h in how if h not in REDUCTIONS] or len(how) > 1:
        raise LookupError(f"key '{key}' is not 'case :: quantity :: column' of {', '.join(head)}")
    at = head.index(column)
    found = [
        row
        for row in ([cell.strip() for cell in row] for row in table[2:])
        if _pattern(case).fullmatch(row[0]) and _pattern(quantity).fullmatch(row[1])
    ]
    if how == ["count"]:
        return [float(len(found))]
    if not how and len(found) != 1:
        raise LookupError(f"key '{key}' means {len(found)} rows")
    numbers = [value(n) for row in found for n in NUMBER.findall(row[at])]
    if not numbers or (not how and len(numbers) != 1):
        raise LookupError(f"key '{key}' means {len(numbers)} numbers")
    if how:
        numbers = [(min if how == ["least"] else max)(numbers, key=abs)]
    return numbers


def _of_columns(lines: list[str], row: str, column: str) -> float:
    """Return the number in the first row below a head that begins with some cells; cells are two blanks apart."""
    cut = [re.split(r"\s{2,}", line) for line in lines]
    heads = [k for k, cells in enumerate(cut) if column in cells]
    if not heads:
        raise LookupError(f"no column '{column}'")
    at = cut[heads[0]].index(column)
    for cells in cut[heads[0] + 1 :]:
        if " ".join(cells).startswith(f"{row} ") and at < len(cells):
            return value(NUMBER.findall(cells[at].rstrip("x"))[0])
    raise LookupError(f"no row '{row}' below '{column}'")


def _of_benchmark(page: str, key: str) -> list[float]:
    """Return the number that a key of a benchmark means."""
    heading, _, line = key.rpartition(" > ")
    lines = [
        one.strip()
        for block in re.findall(r"```text\n(.*?)```", page, re.DOTALL)
        for one in block.splitlines()
    ]
    if heading:
        begins = [k for k, one in enumerate(lines) if one.startswith(heading)]
        if len(begins) != 1:
            raise LookupError(f"key '{key}' means {len(begins)} headings")
        lines = lines[begins[0] + 1 :]
    if " :: " in line:
        return [_of_columns(lines, *line.split(" :: "))]
    number = r"([-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)"
    parts = [re.escape(part).replace(r"\{\}", number).replace(r"\ ", r"\s+") for part in line.split("…")]
    form = re.compile(r"\s*" + ".*?".join(part.strip() for part in parts))
    found = [m for m in map(form.match, lines) if m]
    if line.count("{}") != 1 or not found or (len(found) > 1 and not heading):
        raise LookupError(f"key '{key}' means {len(found)} lines")
    return [value(found[0][1])]


def looked_up(quote: Quote) -> float:
    """Return the number that a quoted figure stands for."""
    page = quote.page.read_text(encoding="utf-8")
    of = _of_study if quote.page.parent.name == "validation" else _of_benchmark
    return of(page, quote.key)[0]


def fault(quote: Quote) -> str | None:
    """Return what is wrong with a quoted figure, None where it is that of its page."""
    written = NUMBER.findall(quote.text)
    if len(written) != 1:
        return f"'{quote.text}' has {len(written)} numbers"
    if not quote.page.exists():
        return f"there is no page {quote.page.name}"
    try:
        found = looked_up(quote)
    except LookupError as error:
        return f"{quote.page.name}: {error}"
    if "%" in quote.text:
        found *= 100.0
    bound = " error" in f" {quote.key.rsplit(' :: ', 1)[-1]}"
    if not rounds_to(found, written[0], bound):
        return f"{quote.page.name} has {found:g} where '{quote.text}' is written ({quote.key})"
    return None
