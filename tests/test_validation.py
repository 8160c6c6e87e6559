"""The quick studies of `make validate` hold, and a study that fails says so."""

import dataclasses
import importlib
import re
import sys

import pytest

from validation.study import (
    DOCS,
    HERE,
    LOOSE,
    NOISE,
    NUMBER,
    RESULT,
    ROUNDING,
    ROUNDS,
    Row,
    Study,
    page_rows,
    reason_of,
    table_of,
    without_letter,
)

QUICK = ("beams", "linearization_errors", "macneal_harder_shells", "macneal_harder_solids")


@pytest.mark.parametrize("name", QUICK)
def test_study_holds(name):
    result = importlib.import_module(f"validation.{name}").study()
    assert result.rows
    assert [row for row in result.rows if not row.passed] == []
    if sys.platform == "linux":  # as every night; elsewhere other libraries round
        assert result.changed() == []


def test_every_study_of_the_nightly_run_can_be_called_and_has_its_page():
    """`python -m validation --check` calls each without arguments, and compares it with its page."""
    import inspect

    from validation.__main__ import studies

    for name in studies():
        given = inspect.signature(importlib.import_module(f"validation.{name}").study).parameters.values()
        assert not [one.name for one in given if one.default is one.empty], name
    assert set(studies()) == {page.stem for page in DOCS.glob("*.md")}


def test_a_broken_comparison_fails_its_study(tmp_path):
    good = Row("a", "f", "1", "1", 0.0, 1e-6)
    bad = Row("b", "f", "1", "2", 1.0, 1e-6)
    assert Study("s", "S", "", [good]).passed
    assert not Study("s", "S", "", [good, bad]).passed
    assert "| b | f | 1 | 2 |" in Study("s", "S", "", [bad]).write(tmp_path).read_text()


def test_every_row_of_the_pages_has_a_limit_or_says_why_not():
    """Limits that are far above the error have their reason on the page; rows without one say that nothing is held."""
    bare, loose, pages = [], [], sorted(DOCS.glob("*.md"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for case, quantity, _, _, error, limit, *_ in table_of(text):
            why, number = reason_of(limit, text), without_letter(limit).removesuffix(" *")
            name = f"{page.stem}: {case}, {quantity}"
            if number == "—":
                bare += [name] if "not judged" not in why else []
            elif float(number) > LOOSE * max(float(error), ROUNDING) and not why:
                loose.append(f"{name}: {error} held to {number}")
    assert len(pages) > 30
    assert not bare
    assert not loose


def test_a_row_without_a_limit_says_why():
    with pytest.raises(ValueError, match="must say why"):
        Row("a", "f", "1", "1", 0.0, None)
    page = Study("s", "S", "", [Row("a", "f", "1", "1", 0.0, None, why="not judged: a count")]).markdown()
    assert "| — (a) |" in page
    assert "- (a) not judged: a count" in page
    assert "*" not in page
    marked = Study("s", "S", "", [Row("a", "f", "1", "1", 0.0, 1e-3, after=True)]).markdown()
    assert "| 1e-03 * |" in marked
    assert "set after the figure was seen" in marked


def test_limits_are_printed_with_their_digits(tmp_path):
    """A page that says 1 for a limit of 1.1 or 1.4 would not change with it."""
    rows = [
        Row("a", f"f{k}", "", "", 0.5, limit) for k, limit in enumerate((1.0, 1.1, 2500.0, 0.125, 3 * 0.1))
    ]
    assert [row.limit for row in rows] == ["1e+00", "1.1e+00", "2.5e+03", "1.25e-01", "3e-01"]
    Study("s", "S", "", rows[:1]).write(tmp_path)
    looser = Study("s", "S", "", [Row("a", "f0", "", "", 0.5, 1.4)])
    assert looser.changed(tmp_path) == ["a, f0: limit 1.4e+00, 1e+00 on the page"]


def test_a_limit_that_is_far_above_rounding_is_not_called_rounding():
    with pytest.raises(ValueError, match="none of rounding"):
        Row("a", "f", "1", "1", 0.0, 1e-4, why=ROUNDS)


def test_a_page_that_would_change_is_seen(tmp_path, monkeypatch, capsys):
    """Planted changes: of an error, of a figure whose error stays zero, of a limit, of rows."""
    import validation.__main__ as command
    import validation.beams

    margin = Row("roll", "margin, dB", "6", "14.8, 9.7", 0.0, 0.0)
    error = Row("beam", "mode, Hz", "1.25000", "1.25001", 8e-6, 1e-5)
    place = Row("flight", "place at the end, m", "0", "16.4", 16.4, 1000.0)
    coarse = Row("beam, distorted", "tip, m", "0.1081", "0.0682", 0.37, 0.5, why="grade D")
    jitter = Row("telescope", "jitter, arcsec", "", "9.13e-04", 9.13e-4, 0.1, why="a requirement")
    for row, ours, off in (
        (coarse, "0.1364", 0.262),
        (jitter, "1.83e-03", 1.83e-3),
    ):  # twice as much, within limits
        Study("twice", "S", "", [row]).write(tmp_path, drop_rows=True)
        assert Study("twice", "S", "", [row]).changed(tmp_path) == []
        twice = dataclasses.replace(row, ours=ours, error=off)
        assert twice.passed
        assert Study("twice", "S", "", [twice]).changed(tmp_path)
    study = Study("beams", "S", "", [margin, error, place])
    study.write(tmp_path)
    assert study.changed(tmp_path) == []
    rounded = Row("beam", "mode, by hand", "1.25000", "1.25000", 4e-15, 1e-11, why=ROUNDS)
    other = dataclasses.replace(rounded, error=8e-12)  # as another machine rounds
    Study("rounded", "S", "", [rounded]).write(tmp_path)
    assert Study("rounded", "S", "", [other]).changed(tmp_path) == []
    assert len(Study("rounded", "S", "", [dataclasses.replace(rounded, error=2e-11)]).changed(tmp_path)) == 1
    assert len(Study("rounded", "S", "", [dataclasses.replace(other, ours="1.27000")]).changed(tmp_path)) == 1
    tiny = Row("beam", "tip, m", "0", "4.4e-18", 4.4e-18, 1e-14)  # zero, as this machine rounds
    Study("tiny", "S", "", [tiny]).write(tmp_path)
    assert (
        Study("tiny", "S", "", [dataclasses.replace(tiny, ours="1.5e-17", error=1.5e-17)]).changed(tmp_path)
        == []
    )
    noisy = [dataclasses.replace(margin, ours="14.9, 9.6"), dataclasses.replace(error, error=1e-5), place]
    assert Study("beams", "S", "", noisy).changed(tmp_path) == []
    planted = [
        [margin, dataclasses.replace(error, error=8e-5), place],
        [margin, dataclasses.replace(error, error=8e-7), place],
        [dataclasses.replace(margin, ours="14.8, 8.7"), error, place],
        [dataclasses.replace(margin, reference="3"), error, place],
        [margin, dataclasses.replace(error, ours="1.26001"), place],
        [margin, dataclasses.replace(error, tolerance=1e-3), place],
        [margin, dataclasses.replace(error, after=True), place],
        [margin, place],
        [margin, error, error, place],
        [margin, error, dataclasses.replace(place, ours="32.8", error=32.8)],  # twice as far
        [margin, error, dataclasses.replace(place, ours="8.2", error=8.2)],
    ]
    for one in planted:
        seen = [
            words for words in Study("beams", "S", "", one).changed(tmp_path) if "above or below" not in words
        ]
        assert len({words.split(": ")[0] for words in seen}) == 1, (
            one
        )  # one row, by its error, its figure, or both
    monkeypatch.setattr(Study.changed, "__defaults__", (tmp_path,))
    monkeypatch.setattr("sys.argv", ["validation", "beams", "--check"])
    monkeypatch.setattr(validation.beams, "study", lambda: study)
    assert command.main() == 0
    monkeypatch.setattr(validation.beams, "study", lambda: Study("beams", "S", "", planted[2]))
    assert command.main() == 1
    assert (
        "beams: the page would change: roll, margin, dB: 14.8, 8.7, 14.8, 9.7 on the page"
        in capsys.readouterr().out
    )


def study_of(page) -> Study:
    """Return the study that a committed page tells of."""
    text = page.read_text(encoding="utf-8")
    title, about = text[2 : text.index("\n| case |")].split("\n", 1)
    images = dict.fromkeys(re.findall(r"^!\[.*\]\((.*)\)$", text[text.index("\n| case |") :], re.MULTILINE))
    return Study(page.stem, title, about.strip(), rows_of(text), pictures=images)


def rows_of(text: str) -> list[Row]:
    """Return the rows of a committed page."""
    out = []
    for case, quantity, reference, ours, error, limit, *note in table_of(text):
        number, why = without_letter(limit), reason_of(limit, text).partition(") ")[2]
        held = None if number == "—" else float(number.removesuffix(" *"))
        words = " ".join(note).strip(" |")
        out.append(
            Row(case, quantity, reference, ours, float(error), held, words, why, number.endswith(" *"))
        )
    return out


def with_factor(row: Row, at: int, factor: float) -> Row | None:
    """Return a row whose number `at` of what we found is `factor` times as large, None where that says nothing.

    That is where there is no such number, where it is zero, as small as its last digit, or an error beside its limit.
    """
    found = [m for m in NUMBER.finditer(row.ours) if not row.ours[m.end() :].startswith("/")]
    if row.rounds or at >= len(found):
        return None
    place, text = found[at], found[at][0]
    value, decimals = abs(float(text)), len(text.split("e")[0].partition(".")[2])
    new = f"{factor * float(text):.{decimals}{'e' if 'e' in text else 'f'}}"
    is_error = abs(value - row.error) <= row.error / 3.0
    brief = len(text.split("e")[0].replace(".", "").lstrip("+-0")) <= 2
    small = row.error < RESULT and brief and value <= NOISE * row.error
    few = "e" not in text and decimals and value < 2.5 * 10.0**-decimals
    if value == 0.0 or small or few:
        return None
    ours = row.ours[: place.start()] + new + row.ours[place.end() :]
    if "worst" in row.note and row.tolerance is not None and row.error < RESULT:
        # at a place that may be another one elsewhere: the limit says that they are equal
        reference = float(NUMBER.findall(row.reference)[at])
        whole = abs(reference) if row.quantity.endswith("relative") else 1.0
        assert abs(float(new) - reference) > row.tolerance * whole
        return None
    return dataclasses.replace(row, ours=ours, error=row.error * (factor if is_error else 1.0))


def beside_with_factor(row: Row, column: str, at: int, factor: float) -> Row | None:
    """Return a row whose number `at` of a reference or a note is `factor` times as large, None where it says nothing.

    That is where there is no such number, it is zero or as small as its last digit, of rounding, or of one machine.
    """
    cell = getattr(row, column)
    found = list(NUMBER.finditer(cell.split(HERE)[0]))
    if at >= len(found) or (row.error < RESULT and "worst" in row.note) or (row.rounds and column == "note"):
        return None
    place, text = found[at], found[at][0]
    decimals = len(text.split("e")[0].partition(".")[2])
    unit = 10.0 ** (int((text.split("e") + ["0"])[1]) - decimals) if set(".e") & set(text) else 0.0
    if abs(float(text)) < max(RESULT, 3.5 * unit):
        return None
    new = f"{factor * float(text):.{decimals}{'e' if 'e' in text else 'f'}}"
    if float(new) == float(text):
        return None
    return dataclasses.replace(row, **{column: cell[: place.start()] + new + cell[place.end() :]})


def error_with_factor(row: Row, at: int, factor: float) -> Row | None:
    """Return a row whose error is `factor` times as large, None where it is small enough for rounding."""
    return None if row.rounds or row.error < RESULT else dataclasses.replace(row, error=factor * row.error)


PLANTS = [
    ("ours", with_factor, 1500),
    ("error", error_with_factor, 900),
    ("reference", lambda row, at, factor: beside_with_factor(row, "reference", at, factor), 500),
    ("note", lambda row, at, factor: beside_with_factor(row, "note", at, factor), 500),
]


@pytest.mark.parametrize("column, plant, least", PLANTS, ids=[one[0] for one in PLANTS])
def test_a_factor_of_two_in_any_figure_of_a_page_is_seen(column, plant, least):
    """Planted in each printed number and error of each page: its limit breaks, or `--check` tells of the row."""
    planted, passed = 0, []
    for page in sorted(DOCS.glob("*.md")):
        true = study_of(page)
        assert true.changed() == []
        for at in range(max(len(NUMBER.findall(str(getattr(row, column)))) for row in true.rows)):
            for factor in (2.0, 0.5):
                changed = [plant(row, at, factor) for row in true.rows]
                both = [new or row for new, row in zip(changed, true.rows)]
                told = dataclasses.replace(true, rows=both).changed()
                for row in filter(None, changed):
                    planted, name = planted + 1, f"{row.case}, {row.quantity}: "
                    if row.passed and not any(words.startswith(name) for words in told):
                        passed.append(f"{page.stem}: {name}{getattr(row, column)}")
    assert planted > least
    assert not passed, "\n".join(passed)


def test_prose_of_a_page_is_that_of_its_study(tmp_path):
    """What stands above and below the table is compared too, but for where lines break."""
    row = Row("a", "f", "1", "1", 0.0, 1e-3, "2.5 s apart", "three sigma")
    study = Study("s", "S", "It takes 5 s\nand no more.", [row])
    study.write(tmp_path)
    assert dataclasses.replace(study, about="It takes 5 s and\nno more.").changed(tmp_path) == []
    said = "what is said above or below its table"
    assert dataclasses.replace(study, about="It takes 6 s\nand no more.").changed(tmp_path) == [said]
    assert dataclasses.replace(study, rows=[dataclasses.replace(row, why="two sigma")]).changed(tmp_path) == [
        said
    ]
    for note in ("5.1 s apart", "2.5 s away", ""):
        assert (
            len(dataclasses.replace(study, rows=[dataclasses.replace(row, note=note)]).changed(tmp_path)) == 1
        )


def test_figures_above_the_tables_are_those_of_the_sources():
    """A page of a study or benchmark says no number in its prose that its module does not."""
    for kind in ("validation", "benchmarks"):
        for page in sorted((DOCS.parent / kind).glob("*.md")):
            text = page.read_text(encoding="utf-8").split("\n| case |")[0].split("```text")[0]
            source = DOCS.parents[1] / kind / f"{page.stem}.py"
            if page.stem == "mutants":
                source = DOCS.parents[1] / "tests/fuzz/mutants.py"
            known = source.read_text(encoding="utf-8").replace(",", "")
            if kind == "benchmarks":
                text = re.sub(r"^Measured beside other work: .*$", "", text, flags=re.MULTILINE)
            numbers = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?", text.replace(",", "")))
            given = {"ascent_margins": {"99.5", "95"}}.get(page.stem, set())  # a bound of 600 runs
            missing = [
                n for n in numbers - given if not re.search(rf"(?<![\w.]){re.escape(n)}(?![\d])", known)
            ]
            assert not missing, f"{kind}/{page.name} says {', '.join(sorted(missing))}"


def rows(*cases: str) -> list[Row]:
    return [Row(case, "f", "1", "1", 0.0, 1e-6) for case in cases]


def test_a_run_that_lacks_rows_leaves_the_page_and_its_pictures(tmp_path):
    """Rows that were not run, and rows that this version of the study does not have, keep their page."""
    drawn = []
    full = Study("s", "S", "", rows("a", "b"), pictures={"s.png": lambda path: drawn.append(path.name)})
    page = full.write(tmp_path).read_text()
    assert drawn == ["s.png"]
    assert page_rows(page) == [("a", "f"), ("b", "f")]

    fewer = Study("s", "S", "", rows("a"), pictures=full.pictures)
    assert fewer.missing(tmp_path) == ["b, f"]
    assert fewer.write(tmp_path).read_text() == page
    left_out = Study("s", "S", "", rows("a", "b"), left_out=["b after 2 s: no jax"], pictures=full.pictures)
    assert left_out.write(tmp_path, drop_rows=True).read_text() == page
    skipped = Study("s", "S", "", skipped="no data", pictures=full.pictures)
    assert skipped.write(tmp_path, drop_rows=True).read_text() == page
    assert drawn == ["s.png"]

    assert page_rows(fewer.write(tmp_path, drop_rows=True).read_text()) == [("a", "f")]
    more = Study("s", "S", "", rows("a", "c"))
    assert page_rows(more.write(tmp_path).read_text()) == [("a", "f"), ("c", "f")]


def test_the_command_says_which_page_it_left(tmp_path, monkeypatch, capsys):
    import validation.__main__ as command
    import validation.beams
    import validation.study

    monkeypatch.setattr(validation.study.Study.write, "__defaults__", (tmp_path, False))
    monkeypatch.setattr(validation.study.Study.missing, "__defaults__", (tmp_path,))
    monkeypatch.setattr(validation.beams, "study", lambda: Study("beams", "B", "", rows("a", "b")))
    monkeypatch.setattr("sys.argv", ["validation", "beams", "--write"])
    assert command.main() == 0
    monkeypatch.setattr(validation.beams, "study", lambda: Study("beams", "B", "", rows("a")))
    assert command.main() == 0
    assert "beams.md is left as it was: this run lacks b, f" in capsys.readouterr().out
    assert len(page_rows((tmp_path / "beams.md").read_text())) == 2


def test_a_benchmark_without_its_peers_leaves_the_page(tmp_path):
    from benchmarks.__main__ import write_page

    full = "ours 1 s\nPinocchio 2 s\nExudyn 3 s"
    assert write_page("chains", "Measure chains.", full, tmp_path) == []
    page = (tmp_path / "chains.md").read_text()
    for output in (
        "ours 1 s\nPinocchio 2 s",
        "ours 1 s\nPinocchio 2 s\nExudyn is not installed: no comparison",
    ):
        assert write_page("chains", "Measure chains.", output, tmp_path) == ["Exudyn"]
        assert (tmp_path / "chains.md").read_text() == page
    assert write_page("chains", "Measure chains.", full.replace("3 s", "not installed"), tmp_path)
    assert (tmp_path / "chains.md").read_text() == page
    assert write_page("chains", "Measure chains.", full.replace("3 s", "4 s"), tmp_path) == []
    assert "Exudyn 4 s" in (tmp_path / "chains.md").read_text()


def test_a_ratio_that_is_no_longer_so_fails_its_benchmark(tmp_path, monkeypatch, capsys):
    import benchmarks.__main__ as command

    monkeypatch.setattr(command, "DOCS", tmp_path)
    told = {"ratio": "0.49"}
    fake = type(
        "m", (), {"__doc__": "Chains.", "main": lambda _: print(f"  5   1.0 / 2.0 = {told['ratio']}")}
    )
    monkeypatch.setattr(command.importlib, "import_module", lambda _: fake)
    monkeypatch.setattr(command, "benchmarks", lambda: ["chains"])
    monkeypatch.setattr(sys, "argv", ["benchmarks", "chains", "--write"])
    monkeypatch.setattr(command.os, "getloadavg", lambda: (9.0, 0.0, 0.0), raising=False)
    assert command.main() == 0
    assert "Measured beside other work: 9.0 processes on" in (tmp_path / "chains.md").read_text()
    told["ratio"] = "0.60"  # noise
    monkeypatch.setattr(sys, "argv", ["benchmarks", "chains", "--check"])
    assert command.main() == 0
    told["ratio"] = "1.20"
    assert command.main() == 1
    assert (
        "chains: the page would change: 5 1.0 / 2.0 = 0.49: now 5 1.0 / 2.0 = 1.20" in capsys.readouterr().out
    )
    monkeypatch.setattr(fake, "main", lambda _: print("nothing"))
    assert command.main() == 1
    (tmp_path / "chains.md").unlink()
    assert command.main() == 1
    assert "chains: the page would change: there is no page" in capsys.readouterr().out
    monkeypatch.setattr(command, "WITHOUT_PAGE", {"chains": "it needs a GPU"})
    assert command.main() == 0
    assert "chains: not compared with a page: it needs a GPU" in capsys.readouterr().out


def test_every_benchmark_has_its_page_or_says_why_not():
    from benchmarks.__main__ import DOCS, WITHOUT_PAGE, benchmarks

    there = {page.stem for page in DOCS.glob("*.md")} - {"mutants"}  # by `make mutants`
    assert there | set(WITHOUT_PAGE) == set(benchmarks())
    assert not there & set(WITHOUT_PAGE)


def pages_of_benchmarks():
    from benchmarks.__main__ import DOCS

    return [pytest.param(page, id=page.stem) for page in sorted(DOCS.glob("*.md")) if page.stem != "mutants"]


@pytest.mark.parametrize("page", pages_of_benchmarks())
def test_a_page_of_a_benchmark_sees_one_figure_that_moved(page):
    """Every page is compared: all as on a machine a little slower is noise, one figure seven times as large is not."""
    from benchmarks._changes import BESIDE, changed, lines

    text = page.read_text(encoding="utf-8")
    output = re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    assert lines(output)
    assert changed(output, text) == []
    number = re.compile(r"(?<![\w.,])\d+\.\d+(?![\d.e])")

    def longer(m: re.Match, factor: float) -> str:
        return f"{factor * float(m[0]):.{len(m[0].partition('.')[2])}f}".rjust(len(m[0]))

    assert changed(number.sub(lambda m: longer(m, 1.5), output), text) == []
    if BESIDE in text:
        return  # times of a loaded machine: only their ratios are held, as below
    rows = output.splitlines()
    moved = [k for k, row in enumerate(rows) if any(float(n) > 0.1 for n in number.findall(row))]
    for k in moved[:3]:
        at = next(m for m in number.finditer(rows[k]) if float(m[0]) > 0.1)
        one = [*rows[:k], rows[k][: at.start()] + longer(at, 7.0) + rows[k][at.end() :], *rows[k + 1 :]]
        assert len(changed("\n".join(one), text)) == 1, rows[k]


def test_times_of_another_machine_are_no_change_and_those_of_another_program_are():
    from benchmarks._changes import BESIDE, changed

    page = "```text\n  N   ours, us   peer, us   ratio\n{}\nreal time 40.0x\n```"
    table = page.format("\n".join(f"{n:3d} {1.0 * n:10.1f} {4.0 * n:10.1f} {4.0:7.1f}" for n in (5, 9, 20)))

    def run(*rows, real):
        head = "  N   ours, us   peer, us   ratio"
        lines = [f"{n:3d} {a:10.1f} {b:10.1f} {b / a:7.1f}" for n, a, b in rows]
        return "\n".join([head, *lines, f"real time {real}x"])

    assert changed(run((5, 17.5, 70.0), (9, 31.5, 126.0), (20, 70.0, 280.0), real=11.4), table) == []
    whole = changed(run((5, 25.0, 100.0), (9, 45.0, 180.0), (20, 100.0, 400.0), real=8.0), table)
    assert whole == ["its figures are 5 times those of the page, which no machine explains"]
    slow = changed(run((5, 5.0, 20.0), (9, 21.0, 36.0), (20, 20.0, 80.0), real=40.0), table)
    assert slow == ["9 9.0 36.0 4.0: now 9 21.0 36.0 1.7"]  # a ratio, though no time moved by three
    growth = "5 1.0\n9 4.0\ngrowth: exponent 0.94, dense 1.96"
    more = growth.replace("0.94", "1.94")
    assert changed(more, growth) == [
        "growth: exponent 0.94, dense 1.96: now growth: exponent 1.94, dense 1.96"
    ]
    loaded = f"{BESIDE}: 9.0 processes on 2 cores.\n{table}"
    assert changed(run((5, 0.5, 2.0), (9, 0.9, 3.6), (20, 2.0, 8.0), real=400.0), loaded) == []
    assert len(changed(run((5, 0.5, 2.0), (9, 0.9, 8.0), (20, 2.0, 8.0), real=400.0), loaded)) == 1
