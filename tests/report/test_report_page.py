"""The page as text: complete, safe, and nothing in it that asks for a network."""

import base64
import json
import re

import numpy as np
import pytest

from interstage.errors import FileError, InputError
from interstage.output import make_folder, write_text
from interstage.report.document import Node, Report, asset
from interstage.report.figures import Curve, Panel, bode_figure, lines_figure, pack, pack_index, thinned

NASTY = '</script><script>alert("x")</script> & <b>'


def values(packed):
    return np.frombuffer(base64.b64decode(packed["d"]), dtype="<" + packed["t"])


@pytest.fixture
def page():
    report = Report(f"A {NASTY}", "A lead.", "Test")
    report.fact("Mass", NASTY, "kg")
    section = report.section("one", "First", "A sentence.")
    section.table("Table", "Numbers.", ("name", "value"), [(NASTY, 1.5)])
    section.tree("Tree", "Bodies.", [Node("root", NASTY, [Node("leaf")])])
    section.pairs("Pairs", "Names.", {NASTY: 3})
    section.bullets("List", "Words.", [NASTY])
    t = np.linspace(0.0, 1.0, 11)
    section.figure(
        "Chart", "A line.", lines_figure(t, "time, s", [Panel("p", "m", [Curve(NASTY, t**2)])]), hint=NASTY
    )
    return report


def test_text_cannot_become_markup(page):
    html = page.html()
    assert "<script>alert" not in html
    data = re.search(r'<script type="application/json" id="interstage-data">(.*?)</script>', html, re.S)
    figures = json.loads(data.group(1))["figures"]
    (figure,) = figures.values()
    assert figure["panels"][0]["series"][0]["label"] == NASTY
    # two of our own: the data and the script
    assert html.count("</script>") == 2


def test_page_asks_for_nothing(page):
    html = page.html()
    assert "default-src 'none'" in html
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", html.split("<script>")[0])
    assert "@import" not in asset("report.css") and "url(" not in asset("report.css")


def test_licences_travel_with_the_page(page):
    html = page.html()
    for words in ("three.js", "uPlot", "Leon Sorokin", "Permission is hereby granted"):
        assert words in html
    assert "MIT" in asset("report.js")[:200]


def test_every_figure_needs_a_sentence():
    section = Report("t", "l").section("s", "S")
    with pytest.raises(InputError, match="needs a sentence"):
        section.table("No words", "", ("a",), [(1,)])


def test_curves_keep_their_values_and_gaps():
    t = np.array([0.0, 0.5, 1.0])
    figure = lines_figure(t, "t", [Panel("p", "", [Curve("c", [1.0, np.nan, -2.5])])])
    assert np.array_equal(values(figure["x"]), t)
    assert np.array_equal(
        values(figure["panels"][0]["series"][0]["values"]), [1.0, np.nan, -2.5], equal_nan=True
    )
    with pytest.raises(InputError, match="does not fit its axis"):
        lines_figure(t, "t", [Panel("p", "", [Curve("c", [1.0])])])
    with pytest.raises(InputError, match="at least two"):
        lines_figure([0.0], "t", [])


def test_bode_is_decibels_and_unwrapped_degrees():
    """A double integrator times a lag: -40 dB a decade, phase from -180 down to -270 degrees without a jump."""
    f = np.geomspace(0.01, 100.0, 200)
    s = 2j * np.pi * f
    figure = bode_figure(f, [Curve("H", 1.0 / (s**2 * (1.0 + s)))])
    magnitude, phase = values(figure["series"][0]["magnitude"]), values(figure["series"][0]["phase"])
    assert magnitude[0] == pytest.approx(-40.0 * np.log10(2 * np.pi * 0.01), abs=0.02)  # lag still small
    assert abs(phase[0]) == pytest.approx(180.0, abs=4.0)
    assert phase[-1] - phase[0] == pytest.approx(-86.4, abs=0.5)
    assert np.abs(np.diff(phase)).max() < 3.0


def test_rounding_is_drawn_as_zero():
    """Curves of 1e-18 m would fill a chart of their own; beside real ones they are left as they are."""
    t, noise = np.linspace(0.0, 1.0, 5), 1e-18 * np.array([1.0, -2.0, 0.5, 1.0, -1.0])
    still, moving = lines_figure(
        t,
        "time, s",
        [
            Panel("a", "m", [Curve("x", noise), Curve("y", -noise)]),
            Panel("b", "m", [Curve("x", noise), Curve("y", t)]),
        ],
    )["panels"]
    zero = values(still["series"][0]["values"])
    assert np.array_equal(zero, np.zeros(5)) and np.array_equal(values(still["series"][1]["values"]), zero)
    assert values(moving["series"][0]["values"])[1] == np.float32(-2e-18)


def test_responses_that_are_rounding_are_said_to_be_zero():
    """A curve 300 dB below the others, and a chart of nothing else; a steep one beside them is kept whole."""
    f = np.geomspace(0.01, 1000.0, 6)
    steep = 1.0 / (1j * f / 0.01) ** 4  # 400 dB in five decades
    curves = [Curve("steep", steep), Curve("noise", 1e-17 * np.ones(6))]
    one, two = bode_figure(f, curves)["series"]
    assert one["label"] == "steep" and two["label"] == "noise (zero)"
    np.testing.assert_allclose(values(one["magnitude"])[[0, -1]], [0.0, -400.0], atol=1e-3)
    assert np.isnan(values(two["magnitude"])).all() and np.isnan(values(two["phase"])).all()
    alone = bode_figure(f, [Curve("a", 1e-17 * np.ones(6)), Curve("b", np.zeros(6))])["series"]
    assert [c["label"] for c in alone] == ["a (zero)", "b (zero)"]


def test_packing():
    assert pack_index([0, 65535])["t"] == "u2" and pack_index([0, 65536])["t"] == "u4"
    assert np.array_equal(values(pack([1.5, -2.0], "f4")), [1.5, -2.0])
    assert len(range(10_001)[thinned(10_001, 4000)]) <= 4000


def test_a_long_chain_of_bodies_is_a_tree():
    node = Node("last")
    for k in range(3000):
        node = Node(f"body {k}", "", [node])
    page = node.html()
    assert page.count("<li>") == page.count("</li>") == 3001 and page.startswith("<li><details open>")
    assert page.index("body 2999") < page.index("body 0<") < page.index("last")


def test_file_is_whole_or_not_there(tmp_path, monkeypatch):
    path = write_text(tmp_path / "a.html", "first")
    monkeypatch.setattr("os.fsync", _full_disk)
    with pytest.raises(FileError, match="the disk is full"):
        write_text(path, "second")
    assert path.read_text() == "first"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


def _full_disk(_handle):
    raise OSError(28, "No space left on device")


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="does not exist"):
        write_text(tmp_path / "no" / "a.html", "x")
    with pytest.raises(FileError, match="a folder of that name"):
        write_text(tmp_path, "x")
    with pytest.raises(FileError, match="cannot be made"):
        make_folder(tmp_path / "file" / "sub")
    with pytest.raises(FileError, match="cannot be written"):
        write_text("/proc/interstage.html", "x")
