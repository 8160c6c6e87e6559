"""Block diagrams: nothing lies on anything else, wires lead from pin to pin, and the picture says what is wired."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.report.diagram import diagram_svg
from interstage.report.diagram_layout import sheet_of
from interstage.simulation.plant.assembly_text import blocks_of


class Two(ist.Device):
    a, b = ist.In(default=0.0), ist.In(default=0.0)
    x, y = ist.Out(), ist.Out("m/s")

    def outputs(d, t):
        d.x = d.a
        d.y = d.b


class Seer(ist.Device):
    at = ist.Site()
    omega, push = at.rate(), at.force()
    rate = ist.Out("rad/s", 3)

    def outputs(d, t):
        d.push[:] = 0.0

    def sample(d, t):
        d.rate[:] = d.omega


def random_assembly(rng, n, nested):
    """Return members wired at random, loops among them; some are groups with members of their own."""
    flight = ist.Assembly("random")
    for k in range(n):
        if nested and k % 3 == 1:
            group = ist.Assembly().add("p", Two()).add("q", Two()).add("alone", Two()).wire({"p.x": "q.a"})
            if k % 2:
                group.wire({"q.x": "p.b"})
            flight.add(
                f"m{k}",
                group.expose(a="p.a", b="q.b", x="q.x", y="q.y") if k % 2 else group.expose(a="p.a", b="q.b"),
            )
        else:
            flight.add(f"m{k}", Two())
    ins = [f"m{k}.{p}" for k in range(n) for p in "ab"]
    for target in ins:
        if rng.random() < 0.75:
            k = rng.integers(n)
            group = isinstance(flight.members()[f"m{k}"], ist.Assembly)
            deep = group and not k % 2
            source = f"m{k}.q.x" if deep else f"m{k}.x"
            try:
                flight.wire({source: target})
            except ist.InterstageError:
                continue
    return flight


def segments(route):
    return list(zip(route.points, route.points[1:]))


def check(sheet):
    """Assert that boxes are apart, and that wires are straight, and run beside boxes and beside each other."""
    for i, a in enumerate(sheet.boxes):
        assert a.x >= -0.5 and a.x + a.w <= sheet.width + 0.5 and a.y + a.h <= sheet.height + 0.5
        for b in sheet.boxes[:i]:
            assert a.x + a.w < b.x or b.x + b.w < a.x or a.y + a.h < b.y or b.y + b.h < a.y, (a.name, b.name)
        if a.sheet is not None:
            check(a.sheet)
    for route in sheet.routes:
        for (x0, y0), (x1, y1) in segments(route):
            assert x0 == x1 or y0 == y1
            for box in sheet.boxes:  # not through a box
                inside = min(x0, x1) < box.x + box.w - 1 and max(x0, x1) > box.x + 1
                assert not (inside and min(y0, y1) < box.y + box.h - 1 and max(y0, y1) > box.y + 1), box.name


def overlapping(sheet):
    """Return pairs of wires of different outputs that lie on each other over more than a few points."""
    found = []
    lines = [(route.net, *sorted(ends)) for route in sheet.routes if route.net[0] for ends in segments(route)]
    for k, (net, (x0, y0), (x1, y1)) in enumerate(lines):
        for other, (p0, q0), (p1, q1) in lines[:k]:
            across = y0 == y1 == q0 == q1 and min(x1, p1) - max(x0, p0) > 6.0
            along = x0 == x1 == p0 == p1 and min(y1, q1) - max(y0, q0) > 6.0
            if net != other and (across or along):
                found.append((net, other))
    return found + [pair for box in sheet.boxes if box.sheet is not None for pair in overlapping(box.sheet)]


@pytest.mark.parametrize("seed", range(24))
def test_wires_of_different_outputs_do_not_lie_on_each_other(seed):
    rng = np.random.default_rng(100 + seed)
    flight = random_assembly(rng, int(rng.integers(2, 12)), bool(seed % 2))
    assert not overlapping(sheet_of(blocks_of(flight)))


@pytest.mark.parametrize("seed", range(24))
def test_nothing_lies_on_anything_else(seed):
    rng = np.random.default_rng(seed)
    flight = random_assembly(rng, int(rng.integers(2, 12)), bool(seed % 2))
    check(sheet_of(blocks_of(flight)))
    ElementTree.fromstring(diagram_svg(flight))


def test_wires_lead_from_pin_to_pin():
    flight = ist.Assembly("chain").add("a", Two()).add("b", Two()).add("c", Two())
    flight.wire({"a.x": ["b.a", "c.b"], "b.x": "c.a", "c.x": "a.a"})
    sheet = sheet_of(blocks_of(flight))
    where = {}
    for box in sheet.boxes:
        for pin in box.pins.values():
            where[f"{box.name}.{pin.name}"] = (box.x + (box.w if pin.side == "out" else 0.0), box.y + pin.y)
    ends = {(route.points[0], route.points[-1]) for route in sheet.routes}
    for source, target in (("a.x", "b.a"), ("b.x", "c.a"), ("c.x", "a.a")):
        assert (where[source], where[target]) in ends
    assert any(end == where["c.b"] for _, end in ends) and any(start == where["a.x"] for start, _ in ends)
    order = sorted(sheet.boxes, key=lambda box: box.x)
    assert [box.name for box in order] == ["a", "b", "c"]


def test_the_picture_names_members_ports_units_rates_and_the_vehicle(tmp_path):
    mb = ist.Multibody("bus <1>")
    mb.add_body("bus", mass=2.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    flight = ist.Assembly("flight & all", vehicle=mb.compile()).add("gyro", Seer(at="bus"), every="5 ms")
    group = ist.Assembly().add("inner", Two()).expose(gimbal="inner.a")
    flight.add("pod", group).add("law", lambda t, rate: rate[0], every="1/3 s", out={"u": "1"})
    flight.wire({"gyro.rate": "law.rate"}).wire({"law.u": "pod.gimbal"}, delay="1/3 s")
    picture = flight.diagram(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture
    assert vars(ist.Assembly)["_repr_svg_"](flight) == picture  # notebooks ask for it
    text = "".join(ElementTree.fromstring(picture).itertext())
    for word in ("flight & all", "bus <1>", "gyro", "every 5 ms", "every 1/3 s", "rate[3]", "rad/s", "gimbal", "Python",
                 "rate of bus", "force of bus", "after 1/3 s", "pod", "inner"):  # fmt: skip
        assert word in text, word


def test_the_report_of_a_flight_shows_it_from_its_file(tmp_path):
    from interstage.report.sources import report_file

    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=2.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    flight = ist.Assembly("seen", vehicle=mb.compile()).add("gyro", Seer(at="bus"), every="50 ms")
    flight.add("law", lambda t, rate: rate[0], every="1/4 s", out={"u": "1"}).wire({"gyro.rate": "law.rate"})
    log = ist.simulate(flight, None, until=1, step="20 ms", log=tmp_path / "seen.h5")
    assert ist.load(tmp_path / "seen.h5").diagram() == log.diagram()
    report = report_file(tmp_path / "seen.h5")
    page = report.html()
    assert [s.id for s in report.sections] == ["flight", "diagram", "ports", "bodies", "about"]
    assert "Block diagram of seen" in page and len(report.figures) == 4


def test_a_flight_without_devices_has_no_empty_sections(tmp_path):
    from interstage.report.sources import report_file

    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=2.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    ist.simulate(
        ist.Assembly("drift", vehicle=mb.compile()), None, until=1, step="20 ms", log=tmp_path / "a.h5"
    )
    report = report_file(tmp_path / "a.h5")
    assert [s.id for s in report.sections] == ["flight", "bodies", "about"]
    page = report.html()
    assert (
        "A run of a vehicle alone" in page and "Ports and states" not in page and "Block diagram" not in page
    )


def test_the_command_writes_the_page_of_a_flight(tmp_path):
    flight = ist.Assembly("loop").add("a", Two()).add("b", Two()).wire({"a.x": "b.a"})
    ist.simulate(flight, None, until=1, step="0.1 s", log=tmp_path / "loop.h5")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "loop.h5")])
    assert done.exit_code == 0 and "Block diagram of loop" in (tmp_path / "loop.html").read_text(
        encoding="utf-8"
    )


class Everywhere(ist.Device):
    at, spots = ist.Site(root=True), ist.Sites(root=True)
    r, w = at.position(), spots.rate()
    y = ist.Out("m", 3)

    def outputs(d, t):
        d.y[:] = d.r + d.w[0]


def test_places_that_need_not_be_given_are_the_vehicle():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=1.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    flight = ist.Assembly("a", vehicle=mb.compile()).add("it", Everywhere())
    flight.add("two", Everywhere(spots=[("bus", [0, 0, 1]), "bus"]))
    for text in (flight.diagram(), str(flight), str(Everywhere())):
        assert "None" not in text and "position of the vehicle" in text and "rate of the vehicle" in text
    assert "rate of bus point and 1 more" in flight.diagram()


def test_delays_of_members_and_of_wires_are_written():
    flight = ist.Assembly("late").add("a", lambda t: t, every="10 ms", out={"y": "s"}, delay="5 ms")
    flight.add("b", lambda t, u: u, every="20 ms", out={"y": "s"}).wire({"a.y": "b.u"}, delay="3 ms")
    picture = flight.diagram()
    assert "seen 5 ms later" in picture and "after 3 ms" in picture


def test_a_diagram_is_not_written_under_the_name_of_another_picture(tmp_path):
    flight = ist.Assembly("a").add("two", Two())
    for name in ("x.svg", "X.SVG", "x"):
        flight.diagram(tmp_path / name)
    for name in ("x.png", "x.pdf"):
        with pytest.raises(
            ist.InterstageError, match=r"a diagram is written as SVG .*; expected a name as 'x.svg'"
        ):
            flight.diagram(tmp_path / name)
        assert not (tmp_path / name).exists()
