"""Figures that README and docs quote are those of the committed tables, each bound to a row and column of its page.

README, docs/studies.md, docs/speed.md and CHANGELOG.md name no measured figure but as a link with its key
(`quoted_figures`). Sizes and settings may stand in the open where a key of the same item has them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interstage.nastran.cards import SUPPORTED
from quoted_figures import NUMBER, QUOTE, ROOT, Quote, fault, looked_up, plain, quotes, rounds_to, value

README = (ROOT / "README.md").read_text(encoding="utf-8")
STUDIES = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
SPEED = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SOURCES = {"README.md": README, "docs/studies.md": STUDIES, "docs/speed.md": SPEED, "CHANGELOG.md": CHANGES}
PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts
}
EVERY = [
    pytest.param(quote, id=f"{source}: {quote.text}, {quote.page.stem}")
    for source, text in (SOURCES | PAGES).items()
    for quote in quotes(text, (ROOT / source).parent)
]
# a figure of accuracy, of speed or of size, in digits or in words, as opposed to a version or a count
UNITS = (
    r"times|fold|cards a second|µs|us\b|ms\b|s\b|(?:micro|milli)?seconds?\b|minutes?\b|min\b|hours?\b|%|per ?cent|dB|"
    r"[kMG]B\b|digits|decimals|°|deg|arcsec|[kM]?Hz|[km]?m/s|[km]?m\b|[kM]?N\b|rad\b"
)
PARTS = (
    "twice|half|third|quarters?|fifth|tenth|hundredth|thousandth|two|three|four|five|six|seven|eight|nine|ten|twenty|"
    "hundreds?|thousands?"
)
WORDS = (
    r"times? (?:as|quick|fast|slow|less|more|small|large)|of what|of the time|the time|less time|faster|slower|quicker|"
    r"smaller|as (?:fast|quick|much|many|long)"
)
MEASURED = re.compile(
    rf"(?<![\w.])(\d[\d,]*(?:\.\d+)?e[-+]?\d+|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d[\d,]*(?:\.\d+)?(?=\s*(?:{UNITS}))|"
    rf"\b(?:{PARTS})\b(?=[^.;:]{{0,25}}\b(?:{WORDS})|\s+times\b))"
)
COUNTED = re.compile(rf"({NUMBER.pattern}),?\s+([a-z]{{4,}})")  # how many of what
# what is no result: by page, settings that code has, and the rule by which studies are compared with their pages
GIVEN = {
    # its script is run, `test_docs_pages`
    "README.md": [r"2\.891 Hz", r"2\.923 Hz", "moves to twice its frequency has about twice the ratio"],
    "docs/studies.md": ["half a per cent", "half as much again"],  # `validation.study`
    "docs/speed.md": ["a factor of two"],
    "CHANGELOG.md": [
        r'"10 ms"',
        r"T\+300 s",
        "software at 50 Hz",
        "committed together twice a second",
        "above 16 MB",
        "vehicles in kilometers took gaps a thousand times larger",
        "above 86 km",
        "at 0 Hz",
        "margins at six times",
    ],
    "docs/howto/articulate_and_linearize.md": ["from 1 % of a pole on"],
    "docs/howto/bring_a_robot.md": ["grid 10, 9 m out"],
    "docs/howto/bring_your_own_deck.md": [r"3\.93013 Hz"],  # printed above it
    "docs/howto/burn_propellant.md": [r"2\.4 MN over its lag of 2 ms"],
    "docs/howto/close_loops.md": ["hinged 3 m below", "grid 5, 4 m out", "20 N on the tip"],
    "docs/howto/fly_a_batch.md": [r"turns by 0\.1 rad", "1,000 rows would be 64 GB", "burns for 8 s"],
    "docs/howto/jitter_budget.md": [r"Above 0\.5 Hz"],
    "docs/howto/loads_in_the_structure.md": [r"The factor 18\.2 is Euler's\s+of 18\.2 kN"],
    "docs/howto/look_at_the_report.md": ["at six times of flight", r"T\+300 s", "600 times of a flight"],
    "docs/howto/real_time.md": [r"an angle of 0\.2 rad", "the last 200 µs"],
    "docs/howto/restart_a_run.md": ["that of 8 s now"],
    "docs/howto/run_many_times.md": [
        r"turns by 0\.1 rad",
        r"tasks take 0\.2 s",
        r"of about 0\.2 s for up to a hundred workers, and of 2 ms for each worker above, 2 s for a thousand",
    ],
    "docs/howto/tune_over_a_flight.md": ["down to 2 kg in 40 s", "differ by 10 %"],
    "docs/howto/wire_an_assembly.md": ["1/3 s, 1/7 s and 20 ms"],
    "docs/howto/write_a_controller.md": [
        r"With 1\.02 times the gain of the upper margin the loop is unstable, with 0\.98 times",
        "at six times of flight",
        "50 times a second",
        "a staging and 300 s",
    ],
    "docs/howto/write_a_device.md": ['"20 ms"', "a sample 2 ms after"],
    "docs/theory/components.md": ["10⁻⁴ Hz"],
    "docs/theory/line_elements.md": [
        r"is 0\.2 % too small for a taper of\s+of 1 to 4, 2 % for 1 to 10 and 25 % for 1 to 100"
    ],
    "docs/theory/shell_elements.md": ["20 degrees by default"],
    "docs/theory/structures.md": ["up to 23 % away from ours"],  # what is not settled
    "docs/component_file.md": ["more than 24 grids or 64 MB", "below 1e-9 of the largest of their kind"],
    "docs/reference/simulation.md": ["from 0.1 to 400 Hz", "a middle angle of 90 degrees"],
    "docs/shelf.md": ["below 2\\.8 m·slip", "NRLMSIS at 3,000 km", "above 86 km", "is above 1 % of the"],
}
# pages whose figures are those of an example that tests run, or of what the tests of a theory hold
ELSEWHERE = re.compile(
    r"docs/(?:validation|benchmarks|tutorial)|docs/theory/(?:integration|multibody|recovery)\b"
)


def section(text: str, heading: str) -> list[str]:
    """Return the items of a section."""
    return re.split(r"\n- ", text[text.index(heading) :].split("\n## ")[0])[1:]


def items() -> list[str]:
    """Return what README and the page of studies say of results, item by item."""
    listed = [line[2:] for line in STUDIES.splitlines() if line.startswith("- ")]
    return section(README, "## Why believe it") + section(README, "## How fast") + listed


def without_key(text: str, keys: str) -> list[str]:
    """Return numbers of a text that its keys do not have, or have with another one before the same word.

    >>> without_key("20 frequencies of 20 modes in 3 s", "10 frequencies, 20 modes")
    ['3', '20 frequencies']
    """
    known = {value(n) for n in NUMBER.findall(keys)}
    counted = [(m[2], value(m[1])) for m in COUNTED.finditer(keys)]
    text = plain(text).replace("T+", "T + ")
    found = [n for n in NUMBER.findall(text) if value(n) not in known]
    of = {word: {n for w, n in counted if w == word} for word, _ in counted}
    return found + [m[0] for m in COUNTED.finditer(text) if value(m[1]) not in of.get(m[2], {value(m[1])})]


@pytest.mark.parametrize("quote", EVERY)
def test_quoted_figures_are_those_of_their_rows(quote):
    assert fault(quote) is None


@pytest.mark.parametrize("item", items(), ids=lambda item: item[:40])
def test_no_figure_stands_without_its_key(item):
    keys = " ".join(m[3] for m in QUOTE.finditer(item))
    assert not without_key(item, keys), f"{' '.join(item.split())}"


def measured(page: str, text: str) -> list[str]:
    """Return what a text measures without a key, some words of it each time; not what is given."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "", text)
    prose = plain(" ".join(line.strip() for line in text.splitlines() if not line.startswith("|")))
    for given in GIVEN.get(page, []):
        prose, found = re.subn(given, "", prose)
        assert found, f"{page} does not say '{given}'"
    return [prose[max(0, m.start() - 40) : m.end() + 10] for m in MEASURED.finditer(prose)]


@pytest.mark.parametrize("page", [page for page in SOURCES | PAGES if not ELSEWHERE.match(page)])
def test_nothing_is_measured_outside_of_the_lists_and_tables(page):
    """What introduces them, what is said of limits and what changed have no figures of accuracy or speed."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for item in items():
        text = text.replace(item, "")
    assert measured(page, text) == []


def test_columns_of_now_on_the_speed_page_are_quoted():
    rows = [line.split("|") for line in SPEED.splitlines() if line.startswith("|")][2:]
    assert rows
    for row in rows:
        assert len(row) == 5, f"a column that no page holds: {row}"
        assert not NUMBER.search(plain(row[2])), f"figures without a key: {row[2].strip()}"
        assert not without_key(row[1], " ".join(m[3] for m in QUOTE.finditer(row[2]))), row[1].strip()
        assert QUOTE.search(row[2])


def test_one_machine_is_behind_the_table_of_the_speed_page():
    """Times of one table are those of one processor."""
    table = "\n".join(line for line in SPEED.splitlines() if line.startswith("|"))
    pages = {quote.page for quote in quotes(table, ROOT / "docs")}
    machines = {page.stem: page.read_text(encoding="utf-8").rstrip().rsplit("; ", 1)[-1] for page in pages}
    assert len(machines) > 3
    assert len(set(machines.values())) == 1, machines


def test_the_readme_says_how_many_cards_are_read():
    said = re.search(r"over (\d+) cards", README)
    assert said and int(said[1]) < len(SUPPORTED) < 2 * int(said[1])


def test_every_study_has_its_sentence():
    there = sorted(f"validation/{p.name}" for p in (ROOT / "docs" / "validation").glob("*.md"))
    items = [line for line in STUDIES.splitlines() if line.startswith("- ")]
    linked = {page for line in items for page in re.findall(r"\((validation/[^)\s]*\.md)\)", line)}
    assert sorted(linked) == there


def test_a_wrong_figure_is_seen(tmp_path):
    folder = tmp_path / "validation"
    folder.mkdir()
    page = folder / "beam.md"
    page.write_text(
        "| case | quantity | reference | ours | error | tolerance | note |\n|---|---|---|---|---|---|---|\n"
        "| flight | position, m | 1 | 16.4 | 1.6e-03 | 1e+03 | 21 at most |\n"
        "| a | 3 modes, Hz | 1 | 2.0, -7.1, 3.0 | 2.1e-08 | 1e-07 |  |\n"
        "| b | 3 modes, Hz | 1 | 4.0 | 1.1e-08 | 1e-07 |  |\n"
    )
    right = [
        ("16 m", "flight :: position, m :: ours"),
        ("2e-3", "flight :: position, m :: error"),
        ("0.2 %", "flight :: position, m :: error"),
        ("3e-8", "* :: 3 modes, Hz :: error largest"),
        ("2e-8", "* :: 3 modes, Hz :: error least"),
        ("-7.1", "a :: 3 modes, Hz :: ours largest"),
        ("2", "* :: 3 modes, Hz :: error count"),
    ]
    assert [fault(Quote(text, page, key)) for text, key in right] == [None] * len(right)
    wrong = [
        ("21 m", "flight :: position, m :: ours"),  # stands elsewhere in the row
        ("15 m", "flight :: position, m :: ours"),
        ("17 m", "flight :: position, m :: ours"),  # figures are not rounded upward
        ("16 m", "flight :: position, m :: error"),
        ("16 m", "flight :: position :: ours"),  # no such row
        ("16 m", "flight :: position, m :: most"),  # no such column
        ("3e-8", "* :: 3 modes, Hz :: error"),  # two rows
        ("2.0", "a :: 3 modes, Hz :: ours"),  # three numbers
        ("16 to 17 m", "flight :: position, m :: ours"),
    ]
    assert all(fault(Quote(text, page, key)) for text, key in wrong)


def test_lines_of_benchmarks_are_found_by_their_words(tmp_path):
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    page = folder / "speed.md"
    page.write_text(
        "9.9 µs is said here\n```text\nrigid\n  detach   3.93 ms\n  N   5   1.0 /  1.9 = 0.49\n"
        "flexible\n  detach   8.45 ms\n```\n"
    )
    assert looked_up(Quote("", page, "rigid > detach {} ms")) == 3.93
    assert looked_up(Quote("", page, "flexible > detach {}")) == 8.45
    assert looked_up(Quote("", page, "N 5 … = {}")) == 0.49
    for text, key in (("4.0", "detach {} ms"), ("9.9", "{} µs"), ("4", "flexible > detach {}")):
        assert fault(Quote(text, page, key))


def test_rounding_is_to_the_digits_that_are_written():
    assert rounds_to(3.4e-7, "3e-7") and not rounds_to(3.4e-7, "4e-7")
    # an error is never said to be smaller than it is
    assert rounds_to(3.4e-7, "4e-7", bound=True) and not rounds_to(3.4e-7, "3e-7", bound=True)
    assert rounds_to(588_837, "589,000") and not rounds_to(588_837, "588,000")
    assert not rounds_to(3.4e-7, "5e-7", bound=True)


def test_a_link_without_a_key_is_left_out_of_figures():
    assert [q.text for q in quotes('[a](x.md) [5 s](y.md "k {}")', Path("."))] == ["5 s"]
