"""The report in a real browser: every figure draws, modes and animation work, nothing on the console or the network."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from browser import Page, launcher

from interstage.report.document import Node, Report
from interstage.report.drawings import mac_matrix, mac_svg, poles_svg
from interstage.report.figures import Curve, Panel, bode_figure, lines_figure
from interstage.report.scene import Scene, SceneMode, part_of_elements

CANVAS = "[data-kind=scene] canvas"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A small report with every kind of figure: a tube of 8 by 12 quads and its sinusoidal shapes."""
    around, along = 12, 9
    a = 2.0 * np.pi * np.arange(around) / around
    x = np.linspace(0.0, 8.0, along)
    points = np.array([[xi, np.cos(ai), np.sin(ai)] for xi in x for ai in a])
    quads = np.array(
        [
            [
                i * around + j,
                i * around + (j + 1) % around,
                (i + 1) * around + (j + 1) % around,
                (i + 1) * around + j,
            ]
            for i in range(along - 1)
            for j in range(around)
        ]
    )
    bars = np.array([[i * around, (i + 1) * around] for i in range(along - 1)])
    shapes = []
    for k in range(1, 5):
        u = np.zeros_like(points)
        u[:, 2] = np.sin(k * np.pi * points[:, 0] / 8.0)
        shapes.append(SceneMode(f"{k * k:.3f} Hz", u, f"shape {k}"))
    shapes[1].stress = 7.5e6 * points[:, 0]
    parts = [part_of_elements("walls", [("CQUAD4", quads)]), part_of_elements("stringer", [("CBAR", bars)])]
    report = Report("Tube", "A tube that rings.", "Test")
    report.fact("Mass", "12", "kg")
    modes = report.section("modes", "Modes", "How it rings.")
    modes.figure("Shapes", "Pick one.", Scene(points, parts, shapes).figure())
    flat = np.array([s.displacement.ravel() for s in shapes]).T
    modes.card(
        "MAC", "All alike.", mac_svg(mac_matrix(flat, flat), list("1234"), list("1234"), "ours", "theirs")
    )
    control = report.section("control", "Control", "How it answers.")
    f = np.geomspace(1e-4, 10.0, 300)
    s = 2j * np.pi * f
    control.figure("Bode", "A response.", bode_figure(f, [Curve("H", 1.0 / (s * s + 0.1 * s + 1.0))]))
    control.card("Poles", "Two.", poles_svg(np.array([-0.05 + 1j, -0.05 - 1j])))
    t = np.linspace(0.0, 20.0, 500)
    panels = [
        Panel(
            "Angle", "deg", [Curve("command", np.sign(t - 5.0)), Curve("angle", np.cos(t), dashed=True)], "°"
        ),
        Panel("Rate", "deg/s", [Curve("rate", np.sin(t))], "°/s"),
    ]
    control.figure("Histories", "In time.", lines_figure(t, "time, s", panels))
    control.tree("Tree", "Bodies.", [Node("root", "free", [Node("leaf", "locked")])])
    with control.pair():
        steps = [("Normal modes of the finite-element model", "12345.6"), ("Linear model", "0.1")]
        control.table("Wall times", "How long it took.", ("step", "s"), steps)
        heads = ("mode", "FE, Hz", "multibody, Hz", "difference", "what")
        wide = [(str(k), f"{k / 7:.4f}", f"{k / 7:.4f}", "-1.2e-05", "engine and tank") for k in range(3)]
        control.table("Modes", "Side by side.", heads, wide, text=(4,))
    return report.save(tmp_path_factory.mktemp("report") / "tube.html")


@pytest.fixture(scope="module")
def launch():
    with launcher() as found:
        yield found


@pytest.fixture(scope="module")
def chromium(launch):
    return launch()


@pytest.fixture
def opened(chromium, path):
    """The report, still: readers who ask for less motion get no animation until they press play."""
    size = {"width": 1100, "height": 800}
    with Page(chromium, path, viewport=size, color_scheme="light", reduced_motion="reduce") as page:
        yield page


def settled(opened):
    """The picture once two shots in a row are alike: a slow machine draws late."""
    last = shot(opened)
    for _ in range(100):
        opened.page.wait_for_timeout(100)
        now = shot(opened)
        if np.array_equal(now, last):
            return now
        last = now
    raise AssertionError("a paused picture must not change")


def still_frames(opened):
    """Number of frames drawn once no more are drawn for 0.3 s."""
    last = frames(opened)
    for _ in range(40):
        opened.page.wait_for_timeout(300)
        now = frames(opened)
        if now == last:
            return now
        last = now
    raise AssertionError("a paused scene must not draw")


def shot(opened, selector=CANVAS):
    """Return the pixels of an element."""
    image = pytest.importorskip("PIL.Image")
    raw = opened.page.locator(selector).first.screenshot()
    return np.asarray(image.open(io.BytesIO(raw)).convert("RGB")).astype(int)


def frames(opened):
    return int(opened.page.locator(CANVAS).get_attribute("data-frames"))


def test_every_figure_draws(opened):
    drawn = opened.drawn()
    assert len(drawn) == 3 and set(drawn.values()) == {"true"}
    for kind, panels in (("bode", 2), ("lines", 2)):
        canvases = opened.page.locator(f"[data-kind={kind}] canvas")
        assert canvases.count() == panels
        ink = opened.page.eval_on_selector_all(
            f"[data-kind={kind}] canvas",
            """all => all.map(c => {
                const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })""",
        )
        assert min(ink) > 500
    assert opened.page.locator("svg.figure .cell").count() == 16
    assert opened.page.locator("svg.figure .dot").count() == 1
    opened.assert_clean()


def coloured(page, selector):
    """Return for each canvas how many pixels have a colour: lines of curves, not grid or words."""
    return page.eval_on_selector_all(
        selector,
        """all => all.map(c => {
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0;
            for (let i = 0; i < d.length; i += 4)
                n += d[i + 3] > 100 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60;
            return n; })""",
    )


def test_curves_with_gaps_are_drawn(chromium, tmp_path):
    """A body that leaves has no joint afterwards, and no place of its own before: half a curve each, none is blank."""
    t = np.linspace(0.0, 2.0, 400)
    first, second = np.where(t < 1.0, np.sin(t), np.nan), np.where(t < 1.0, np.nan, t)
    lost = np.where(t < 1.0, np.cos(t), np.inf)
    curves = {"whole": np.cos(t), "first": first, "second": second, "lost": lost}
    panels = [Panel(name, "m", [Curve(name, values, color=0)], "m") for name, values in curves.items()]
    report = Report("Stages", "Two of them.", "Test")
    report.section("time", "Time", "In time.").figure(
        "Histories", "Gaps.", lines_figure(t, "time, s", panels)
    )
    with Page(chromium, report.save(tmp_path / "gaps.html"), viewport={"width": 1100, "height": 800}) as page:
        whole, *halves = coloured(page.page, "[data-kind=lines] canvas")
        assert whole > 1000
        assert min(halves) > 0.3 * whole and max(halves) < 0.8 * whole
        page.assert_clean()


def test_curves_that_do_not_move_lie_in_the_middle_of_their_axis(chromium, tmp_path):
    """All zeros: from -1 to 1; a constant: a tenth of it to both sides."""
    t = np.linspace(0.0, 2.0, 50)
    panels = [Panel(f"{c}", "m", [Curve("c", np.full(50, c))]) for c in (0.0, 20.0)]
    report = Report("Still", "Nothing moves.", "Test")
    report.section("time", "Time", "In time.").figure("Still", "Two.", lines_figure(t, "time, s", panels))
    with Page(chromium, report.save(tmp_path / "still.html"), viewport={"width": 900, "height": 700}) as page:
        with page.page.expect_download() as waiting:
            page.page.locator(".save button", has_text="SVG").click()
        labels = re.findall(r'text-anchor="end">([^<]*)<', Path(waiting.value.path()).read_text())
        values = [float(label.replace("−", "-")) for label in labels]
        assert {-1.0, 0.0, 1.0, 18.0, 20.0, 22.0} <= set(values) and max(values) == 22.0
        page.assert_clean()


def test_animation_runs_and_pauses(opened):
    opened.page.evaluate("document.querySelector('[data-kind=scene]').scrollIntoView()")
    still = still_frames(opened)
    opened.page.click(".play")
    for _ in range(100):  # the page's policy forbids waiting by a function in it
        if frames(opened) > still + 2:
            break
        opened.page.wait_for_timeout(100)
    assert frames(opened) > still + 2
    assert opened.page.locator(CANVAS).get_attribute("data-playing") == "true"
    opened.page.click(".play")
    still_frames(opened)
    opened.assert_clean()


def test_mode_selector_changes_the_shape(opened):
    opened.page.evaluate("document.querySelector('[data-kind=scene]').scrollIntoView()")
    first = settled(opened)
    # colours of the measure are far from the grey of the stage: the structure is there
    spread = first.max(axis=2) - first.min(axis=2)
    assert (spread > 60).mean() > 0.02
    opened.page.click(".modes button:nth-child(3)")
    changed = settled(opened)
    assert opened.page.locator(CANVAS).get_attribute("data-mode") == "2"
    assert "9.000 Hz" in opened.page.inner_text(".reading")
    assert (np.abs(changed - first).max(axis=2) > 30).mean() > 0.005
    opened.page.keyboard.press("ArrowDown")
    assert opened.page.locator(CANVAS).get_attribute("data-mode") == "3"
    opened.assert_clean()


def test_colours_of_stresses(opened):
    """Stresses that grow along the tube: its end is red, where motion is none; a shape without them shows motion."""
    opened.page.evaluate("document.querySelector('[data-kind=scene]').scrollIntoView()")
    canvas, ends = opened.page.locator(CANVAS), opened.page.locator(".scale span")
    opened.page.click(".modes button:nth-child(2)")
    moved = settled(opened)
    assert ends.all_inner_texts() == ["still", "largest motion"]
    opened.page.select_option("select.coloured", "stress")
    stressed = settled(opened)
    assert canvas.get_attribute("data-coloured") == "stress"
    assert ends.all_inner_texts() == ["0", "stress 6.00e7"]
    above = slice(0, int(0.85 * len(moved)))  # the measure of colours is below
    red = [((one[above, :, 0] - one[above, :, 2]) > 120).nonzero()[1] for one in (moved, stressed)]
    assert np.ptp(red[0]) > 2.0 * np.ptp(red[1]) > 0.0
    opened.page.click(".modes button:nth-child(1)")
    assert canvas.get_attribute("data-coloured") == "displacement"
    assert ends.all_inner_texts() == ["still", "largest motion"]
    opened.assert_clean()


def test_parts_hide_and_view_turns(opened):
    opened.page.evaluate("document.querySelector('[data-kind=scene]').scrollIntoView()")
    before = settled(opened)
    opened.page.click(".chip:has-text('walls')")
    hidden = settled(opened)
    assert (np.abs(hidden - before).max(axis=2) > 30).mean() > 0.02
    opened.page.click(".chip:has-text('walls')")
    box = opened.page.locator(CANVAS).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + 120, y + 60, steps=4)
    opened.page.mouse.up()
    assert (np.abs(settled(opened) - before).max(axis=2) > 30).mean() > 0.01
    opened.assert_clean()


def test_hover_reads_values(opened):
    chart = opened.page.locator("[data-kind=bode] .u-over").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    opened.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 40)
    opened.page.wait_for_timeout(150)
    legend = opened.page.locator("[data-kind=bode] .u-legend").first.inner_text()
    assert "dB" in legend
    # the middle of a logarithmic axis that begins at 1e-4 Hz is read as a number, not as 0
    assert "0.0" in legend and "frequency, Hz" in legend
    labels = opened.page.locator("[data-kind=bode] .u-legend").nth(1).inner_text()
    assert "°" in labels  # the charts share their cursor
    mark = opened.page.locator("svg.figure .cell").nth(5)
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert "1.0000" in opened.page.inner_text(".tip")
    opened.assert_clean()


def test_dark_and_light(opened):
    page = opened.page
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    before = shot(opened, "[data-kind=lines] canvas")
    page.click("#theme")
    page.wait_for_timeout(200)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    after = shot(opened, "[data-kind=lines] canvas")
    assert before.mean() > 200 > 80 > after.mean(), "charts are drawn again in the colours of the theme"
    opened.assert_clean()


def test_phone(chromium, path):
    """On a phone nothing is wider than the screen and every figure draws."""
    size = {"width": 390, "height": 844}
    with Page(
        chromium, path, viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce"
    ) as opened:
        assert set(opened.drawn().values()) == {"true"}
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
        # no table is wider than what it stands in, and the last column is seen whole
        widths = opened.page.eval_on_selector_all(
            ".scroll > table", "all => all.map(t => [t.scrollWidth, t.parentElement.clientWidth])"
        )
        assert len(widths) == 2 and all(table <= box <= 390 for table, box in widths)
        opened.assert_clean()


def test_wide_tables_fit_a_phone(chromium, tmp_path):
    """Rows of many columns become lists with names; nothing scrolls sideways."""
    report = Report("Wide", "A table of eight columns.", "Test")
    section = report.section("levels", "Levels", "Numbers.")
    names = ("output", "mean", "deviation", "least", "0.135 %", "50 %", "99.865 %", "largest")
    section.table(
        "Levels", "Of one output.", names, [("peak", *(f"{0.1234567 * k:.6f}" for k in range(1, 8)))]
    )
    f = np.geomspace(0.01, 2000.0, 50)
    section.figure("Bode", "A gain.", bode_figure(f, [Curve("G", 1.0 / (1.0 + 1j * f))]))
    path = tmp_path / "wide.html"
    report.save(path)
    cells = "all => all.map(e => [e.getBoundingClientRect().right, getComputedStyle(e, '::before').content])"
    for width in (390, 1200):
        with Page(
            chromium, path, viewport={"width": width, "height": 844}, reduced_motion="reduce"
        ) as opened:
            assert set(opened.drawn().values()) == {"true"}
            found = opened.page.eval_on_selector_all(".scroll td", cells)
            assert len(found) == 8 and all(right <= width for right, _ in found)
            shown = [name.strip('"') for _, name in found]
            assert shown == (list(names) if width == 390 else ["none"] * 8)
            box = opened.page.eval_on_selector(".scroll", "e => [e.scrollWidth, e.clientWidth]")
            assert box[0] <= box[1]
            opened.assert_clean()


def test_animation_starts_by_itself(chromium, path):
    with Page(chromium, path, viewport={"width": 600, "height": 700}) as opened:
        assert opened.page.locator(CANVAS).get_attribute("data-playing") == "true"
        opened.assert_clean()


def test_without_webgl_the_other_figures_work(launch, path):
    with Page(launch(gl=False), path, viewport={"width": 1000, "height": 800}) as opened:
        assert sorted(opened.drawn().values()) == ["failed", "true", "true"]
        assert "WebGL" in opened.page.inner_text("[data-kind=scene]")
        assert opened.requests == [opened.url]


def test_charts_are_saved_and_zoomed(chromium, path):
    """The numbers of the chart are in the CSV; a narrow zoom keeps its labels; keys are dashed as lines are."""
    with Page(chromium, path, viewport={"width": 1000, "height": 900}, reduced_motion="reduce") as opened:
        page, saved = opened.page, {}
        assert page.locator(".save").count() == 4  # two charts, two drawings
        for name in ("CSV", "SVG", "PNG"):
            with page.expect_download() as waiting:
                page.locator("[data-kind=bode] .save button", has_text=name).click()
            saved[name] = Path(waiting.value.path()).read_bytes()
            assert waiting.value.suggested_filename.endswith(name.lower())
        rows = saved["CSV"].decode().splitlines()
        table = np.array([[float(v) for v in row.split(",")] for row in rows[1:]])
        s = 2j * np.pi * table[:, 0]
        gain = 20.0 * np.log10(np.abs(1.0 / (s * s + 0.1 * s + 1.0)))
        np.testing.assert_allclose(table[:, 1], gain, atol=1e-4)  # charts hold single precision
        assert saved["SVG"].startswith(b"<svg") and b"<path" in saved["SVG"]
        assert saved["PNG"].startswith(b"\x89PNG")
        drawn = {}
        for name in ("CSV", "SVG", "PNG"):
            with page.expect_download() as waiting:
                page.locator("svg[aria-label*=poles] + .save button", has_text=name).click()
            drawn[name] = Path(waiting.value.path()).read_bytes()
        head, row = drawn["CSV"].decode().splitlines()
        assert head.startswith('"frequency, Hz",damping ratio')
        np.testing.assert_allclose([float(v) for v in row.split(",")][2:], [-0.05, 1.0])
        # a drawing by itself has its colours in it, and no rules of the page
        assert (
            b"fill:rgb" in drawn["SVG"] and b"xmlns" in drawn["SVG"] and drawn["PNG"].startswith(b"\x89PNG")
        )
        with page.expect_download() as waiting:
            page.locator("svg[aria-label*=assurance] + .save button", has_text="CSV").click()
        cells = Path(waiting.value.path()).read_text().splitlines()
        assert cells[0] == "ours,theirs,MAC" and len(cells) == 17 and abs(float(cells[1][4:]) - 1) < 1e-12
        styles = page.eval_on_selector_all(
            "[data-kind=lines] .u-marker", "all => all.map(e => getComputedStyle(e).borderTopStyle)"
        )
        assert "dashed" in styles and "solid" in styles

        over = page.locator("[data-kind=bode] .u-over").nth(1)
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        page.mouse.move(box["x"] + 0.50 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.52 * box["width"], box["y"] + 44, steps=4)
        page.mouse.up()
        page.wait_for_timeout(200)
        with page.expect_download() as waiting:
            page.locator("[data-kind=bode] .save button", has_text="SVG").click()
        zoomed = Path(waiting.value.path()).read_text()
        assert zoomed.count('text-anchor="middle">0.') >= 3
