"""Figures in README and CHANGELOG are those of the committed tables.

A sentence of README that ends in a link to a study or a benchmark may hold only figures of that page, rounded to the
digits that are written (errors may be rounded up); a figure of accuracy or speed in CHANGELOG must be on one of them.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    p.relative_to(ROOT).as_posix(): p
    for d in ("validation", "benchmarks")
    for p in (ROOT / "docs" / d).glob("*.md")
}
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w]*\])")
LINK = re.compile(r"\[[^\]]*\]\((docs/[^)]*\.md)\)")
COUNTS = dict(
    zip(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        range(2, 13),
        strict=True,
    )
)
# a figure of accuracy or of speed, as opposed to a size or a version
MEASURED = re.compile(
    r"(?<![\w.])(\d[\d,]*(?:\.\d+)?e[-+]?\d+|\d[\d,]*(?:\.\d+)?(?=\s*(?:times|cards a second|µs|us\b|ms\b|s\b|%|dB)))"
)


def value(text: str) -> float:
    return float(text.replace(",", ""))


def digits(text: str) -> int:
    """Significant digits of a written number; zeros at the end of a whole number do not count.

    >>> [digits(text) for text in ("589,000", "0.26", "3e-7", "2.10", "100")]
    [3, 2, 1, 3, 1]
    """
    mantissa = text.replace(",", "").split("e")[0]
    if "." not in mantissa:
        mantissa = mantissa.rstrip("0")
    return max(1, len(mantissa.replace(".", "").lstrip("0")))


def rounds_to(found: float, text: str) -> bool:
    """Say whether a number of a page is written `text`, rounded to nearest or, if it is an error, upward."""
    wanted, n = value(text), digits(text)
    if found == wanted:
        return True
    if found == 0.0:
        return False
    unit = 10.0 ** (math.floor(math.log10(abs(found))) + 1 - n)
    nearest = math.isclose(round(found / unit) * unit, wanted, rel_tol=1e-9)
    return nearest or ("e-" in text and math.isclose(math.ceil(found / unit) * unit, wanted, rel_tol=1e-9))


def on_page(text: str, page: Path) -> bool:
    """Say whether a figure stands among what a page measured; one like 3e-7 must be an error in the table of a study.

    Numbers of the text around a table or an output are none: nobody measured them.
    """
    content = page.read_text(encoding="utf-8")
    if page.parent.name == "validation":  # what was compared, not what the page says of it
        rows = [line.split("|") for line in content.splitlines() if line.startswith("|")]
        column = [cell.strip() for cell in rows[0]].index("error")
        content = " ".join(row[column] if "e-" in text else " ".join(row) for row in rows[2:])
    else:
        content = " ".join(re.findall(r"```text\n(.*?)```", content, re.DOTALL))
    return any(rounds_to(value(found), text) for found in NUMBER.findall(content))


def claims() -> list[tuple[str, str]]:
    """Pieces of README that end in a link to a page of figures: (text, page)."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    out = []
    for section in ("## Why believe it", "## How fast"):
        body = text[text.index(section) :].split("\n## ")[0]
        for bullet in re.split(r"\n- ", body)[1:]:
            begin = 0
            for link in LINK.finditer(bullet):
                out.append((bullet[begin : link.start()], link[1]))
                begin = link.end()
            assert not NUMBER.search(bullet[begin:]), f"figures without a page: {bullet[begin:].strip()}"
    return out


@pytest.mark.parametrize(("text", "page"), claims())
def test_figures_of_readme_are_on_the_page_they_link(text, page):
    missing = [figure for figure in NUMBER.findall(text) if not on_page(figure, PAGES[page])]
    assert not missing, f"{page} has no figure {', '.join(missing)}: {' '.join(text.split())}"


def studies() -> list[tuple[str, str]]:
    """What the page of the studies says of each: (text, page)."""
    text = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    return [(re.sub(r"\[[^\]]*\]\([^)]*\)", "", line), link) for line in lines
            for link in re.findall(r"\((validation/[^)]*\.md)\)", line)]  # fmt: skip


def test_every_study_has_its_sentence():
    there = sorted(f"validation/{p.name}" for p in (ROOT / "docs" / "validation").glob("*.md"))
    assert sorted(page for _, page in studies()) == there


@pytest.mark.parametrize(("text", "page"), studies())
def test_figures_of_the_studies_page_are_those_of_the_studies(text, page):
    # what is named by a number, as grids and times, is no figure: those with a point or a power are
    figures = [n for n in NUMBER.findall(text) if "." in n or "e-" in n]
    missing = [n for n in figures if not on_page(n, PAGES[f"docs/{page}"])]
    assert not missing, f"{page} has no figure {', '.join(missing)}"


def test_readme_counts_and_bounds_of_the_nastran_table():
    """The number of models, and bounds that hold for every row they speak of."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    rows = [line.split("|")[1:-1] for line in PAGES["docs/validation/nastran_reference.md"].read_text().splitlines()
            if line.startswith("|")][2:]  # fmt: skip
    errors = [float(row[4]) for row in rows if "frequencies, Hz" in row[1]]
    said = re.search(r"frequencies of (\w+) models to (\S+?),", text)
    assert COUNTS[said[1]] == len(errors)
    assert max(errors) <= value(said[2])
    matrix = next(float(row[4]) for row in rows if row[1].strip() == "K_gg")
    assert matrix <= value(re.search(r"agrees with a commercial Nastran's own to (\S+?);", text)[1])


def test_measured_figures_of_the_changelog_are_on_a_page():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    missing = [
        m[1] for m in MEASURED.finditer(text) if not any(on_page(m[1], page) for page in PAGES.values())
    ]
    assert not missing, f"no table of docs/validation or docs/benchmarks has {', '.join(missing)}"


def test_the_rule_sees_wrong_figures():
    page = PAGES["docs/benchmarks/deck_reading.md"]
    assert on_page("589,000", page) and on_page("11", page)
    assert not on_page("588,000", page) and not on_page("500,000", page) and not on_page("13", page)
    study = PAGES["docs/validation/nastran_reference.md"]
    assert not on_page("1e-3", study)
    assert rounds_to(3.4e-7, "4e-7") and rounds_to(3.4e-7, "3e-7") and not rounds_to(3.4e-7, "5e-7")
    assert MEASURED.findall("in 42 s, 11 times, to 3e-7, 25 grids, 1.1.0") == ["42", "11", "3e-7"]
