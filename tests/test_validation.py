"""The quick studies of `make validate` hold, and a study that fails says so."""

import importlib

import pytest

from validation.study import (
    DOCS,
    LOOSE,
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


def test_a_limit_that_is_far_above_rounding_is_not_called_rounding():
    with pytest.raises(ValueError, match="none of rounding"):
        Row("a", "f", "1", "1", 0.0, 1e-6, why=ROUNDS)


def test_a_page_that_would_change_is_seen(tmp_path, monkeypatch, capsys):
    """Planted changes: of an error, of a figure whose error stays zero, of a limit, of rows."""
    import dataclasses

    import validation.__main__ as command
    import validation.beams

    margin = Row("roll", "margin, dB", "6", "14.8, 9.7", 0.0, 0.0)
    error = Row("beam", "mode, Hz", "1.25000", "1.25001", 8e-6, 1e-5)
    place = Row("flight", "place at the end, m", "0", "16.4", 16.4, 1000.0)
    study = Study("beams", "S", "", [margin, error, place])
    study.write(tmp_path)
    assert study.changed(tmp_path) == []
    rounded = Row("beam", "mode, by hand", "1.25000", "1.25000", 4e-15, 1e-11, why=ROUNDS)
    other = dataclasses.replace(rounded, error=8e-12)  # as another machine rounds
    Study("rounded", "S", "", [rounded]).write(tmp_path)
    assert Study("rounded", "S", "", [other]).changed(tmp_path) == []
    assert len(Study("rounded", "S", "", [dataclasses.replace(rounded, error=2e-11)]).changed(tmp_path)) == 1
    assert len(Study("rounded", "S", "", [dataclasses.replace(other, ours="1.27000")]).changed(tmp_path)) == 1
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
        assert len(Study("beams", "S", "", one).changed(tmp_path)) == 1, one
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
    import sys

    import benchmarks.__main__ as command

    monkeypatch.setattr(command, "DOCS", tmp_path)
    told = {"ratio": "0.49"}
    fake = type(
        "m", (), {"__doc__": "Chains.", "main": lambda _: print(f"  5   1.0 / 2.0 = {told['ratio']}")}
    )
    monkeypatch.setattr(command.importlib, "import_module", lambda _: fake)
    monkeypatch.setattr(command, "benchmarks", lambda: ["chains"])
    monkeypatch.setattr(sys, "argv", ["benchmarks", "chains", "--write", "--check"])
    assert command.main() == 0
    told["ratio"] = "0.60"  # noise
    monkeypatch.setattr(sys, "argv", ["benchmarks", "chains", "--check"])
    assert command.main() == 0
    told["ratio"] = "1.20"
    assert command.main() == 1
    assert "chains: the page would change: 5 1.0 / 2.0 = 0.49: now 1.2" in capsys.readouterr().out
    monkeypatch.setattr(fake, "main", lambda _: print("nothing"))
    assert command.main() == 1
