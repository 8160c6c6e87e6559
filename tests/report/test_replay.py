"""Replays: drawn points are where the engine says they are, and the page works in a real browser."""

import base64
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import Page, launcher

import interstage as ist
from interstage.cli.view import arrow_of
from interstage.errors import InputError
from interstage.fem import FEModel, lumped_beam
from interstage.report.meshes import neighbours
from interstage.report.replay import replay_of, stretches_of
from interstage.report.view import flight_replay, view_file, view_of

CANVAS = "[data-kind=replay] canvas"
DECK = """SOL 103
CEND
BEGIN BULK
MAT1,1,7.0+10,,0.3,2700.
PBAR,1,1,1.-3,2.-7,3.-7,4.-7
,.05,0.,-.05,0.,0.,.04,0.,-.04
""" + "\n".join(
    [f"GRID,{k},,{0.5 * k},0.,0." for k in range(9)][1:]
    + ["GRID,9,,0.,0.,0."]
    + [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 8)]
    + [
        "CBAR,8,1,9,1,0.,1.,0.",
        "GRID,10,,2.,0.5,0.",
        "RBE2,30,4,123456,10",
        "CONM2,20,5,0,2.0",
        ",0.5,0.,0.5,0.,0.,0.5",
        "ENDDATA",
    ]
)
STRESSES = ("axial", *(f"s{k}{end}" for end in "ab" for k in (1, 2, 3, 4)))


class Push(ist.Device):
    """A force that turns."""

    at = ist.Site()
    force = ist.Out("N", 3)
    on = at.force("node")

    def outputs(d, t):
        d.force[1], d.force[2] = 3.0 * np.cos(t), 3.0 * np.sin(t)
        for i in range(3):
            d.on[i] = d.force[i]


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """A beam that bends, an arm on a hinge and a second vehicle, flown into a file."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "beam.bdf").write_text(DECK)
    wanted = {f"{k} {c}": ("stresses", "CBAR", k, c) for k in (4, 5) for c in STRESSES}
    beam = ist.Component.from_deck(
        folder / "beam.bdf", n_modes=4, aset={}, name="beam", recover=wanted, load_grids=[8], units="SI"
    )
    mb = ist.Multibody("beam and arm", units="SI")
    mb.add_body("beam", component=beam, joint=ist.Free(), damping=0.01)
    mb.add_body(
        "arm",
        mass=3.0,
        com=[0.4, 0, 0],
        inertia=[0.1, 0.2, 0.2],
        parent="beam",
        at=8,
        joint=ist.Revolute("z"),
    )
    mb.add_body("other", mass=20.0, inertia=[2.0, 3.0, 4.0], joint=ist.Free())
    mb.save(folder / "vehicle.h5")
    system = mb.compile()
    x = system.state()
    x["beam"].velocity[:] = [0.1, 0.2, 0.3, 1.0, 0.5, 0.0]
    x["beam"].etadot[:] = 0.05
    x["other"].position[:] = [0.0, 3.0, 0.0]
    flight = ist.Assembly("two", vehicle=system).add("push", Push(at=("beam", 8)))
    log = ist.simulate(flight, x, until=4, step="10 ms", log=folder / "flight.h5")
    return folder, log


def test_drawn_points_are_where_the_engine_has_them(flown):
    """Grids of the deck; without it rings around them, whose centres they are."""
    folder, log = flown
    replay = replay_of(stretches_of(log), [FEModel.from_deck(folder / "beam.bdf")])
    rings = replay_of(stretches_of(log)).world
    assert len(replay.t) == len(log.t)
    for k in (0, 150, 400):
        x = log.state(k)
        beam, arm, other = replay.world(k)
        nodes = np.array([log.system.position(x, "beam", n) for n in range(1, 11)])
        np.testing.assert_allclose(beam, nodes, atol=1e-12)
        tube = rings(k)[0].reshape(9, -1, 3).mean(axis=1)
        np.testing.assert_allclose(tube, nodes[[8, *range(8)]], atol=1e-9)
        np.testing.assert_allclose(
            arm[-2:], [log.system.position(x, "arm", p) for p in ([0, 0, 0], [0.4, 0, 0])], atol=1e-12
        )
        np.testing.assert_allclose(other[:8].mean(axis=0), x["other"].position, atol=1e-12)


def test_what_hangs_on_a_structure_goes_with_its_bending(flown):
    """The arm's frame is at the node that carries it and turns with it, drawn forty times as bent as it is."""
    _, log = flown
    replay = replay_of(stretches_of(log))
    k, gain = 150, 40.0
    x = log.state(k)
    eta, flex = x["beam"].eta, log.system.flexible("beam")
    row = log.system.model.spec("beam").component.node_row(8)
    (R, p), (Ra, pa), _ = replay.frames(k, gain)
    np.testing.assert_allclose(pa, p + R @ (flex.l[row] + gain * flex.gamma[row] @ eta), atol=1e-12)
    hinge = ist.Rotation.from_axis_angle([0, 0, 1], float(x["arm"].q[0])).matrix
    node = ist.Rotation.from_rotation_vector(gain * flex.lam[row] @ eta).matrix
    np.testing.assert_allclose(Ra, R @ node @ hinge, atol=1e-12)


def test_colours_are_stresses_that_the_component_recovers(flown):
    """Of bars the largest of |axial ± bending| at points of both ends, from recovery rows; a grid has their mean."""
    folder, log = flown
    replay = replay_of(stretches_of(log), [FEModel.from_deck(folder / "beam.bdf")])
    beam = replay.bodies[0]
    bars = []
    for k in (4, 5):
        part = {c: log.recovered("beam", f"{k} {c}", residual=False) for c in STRESSES}
        fibres = [part["axial"] + part[c] for c in STRESSES[1:]]
        bars.append(np.abs([part["axial"], *fibres]).max(axis=0))
    at = log.system.model.spec("beam").component.node_row(5)
    want = 0.5 * (bars[0] + bars[1])
    np.testing.assert_allclose(beam.stress[:, at], want, rtol=1e-9, atol=1e-9 * want.max())
    assert want.max() > 1e3  # Pa: it bends
    assert [part.name for part in beam.parts] == ["CBAR", "RBE2"] and beam.parts[1].thin


def test_stages_have_looks_of_their_own_and_forces_their_arrows(tmp_path):
    """A stack that is cut: one body of all nodes before, two after; one has the old name and another look."""
    K, M, nodes = lumped_beam(4.0, 4, EA=1e6, GJ=1e4, EI=1e4, mass=[1.0] * 6)
    v = ist.StagedVehicle("stack", gravity=[-9.81, 0, 0])
    for name, at in (("low", 0.0), ("top", 4.0)):
        stage = ist.Stage(name, K=K, M=M, nodes=nodes)
        stage.add_tank(f"{name}_tank", levels={0.0: 0 * M, 5.0: M})
        v.add(stage, at=[at, 0, 0])
    v.join("cut", ("low", 5), ("top", 1))
    v.add_engine("motor", at=("low", 1), feeds={"low_tank": 1.0}, thrust=300.0, flow=0.5)
    shapes = v.shapes(n_modes=3, levels=2, attach=["cut"])
    after = v.without("low").shapes(n_modes=2, levels=2)
    system = v.multibody(shapes).compile()
    drop = v.staging("cut", when=ist.Event(at=0.05), shapes=after)
    log = ist.simulate(v.assembly(system), system.state(), until=0.1, step=0.01, method="ros2", events=[drop])
    replay = flight_replay(log)
    names = [body.name for body in replay.bodies]
    assert names.count("stack") == 2 and "low" in names
    whole, rest = (body for body in replay.bodies if body.name == "stack")
    k = int(np.searchsorted(replay.t, 0.05, "right")) - 1
    assert whole.there(0) and not rest.there(0) and rest.there(k) and not whole.there(k)
    thrust = next(one for one in replay.arrows if one.arrow.name == "motor.push")
    assert thrust.arrow.head and thrust.arrow.kind == "Engine force"
    np.testing.assert_allclose(thrust.vectors[1], [log["motor.push"][1, 0], 0, 0], atol=1e-9)
    np.testing.assert_allclose(replay.up, [1, 0, 0])


def test_the_box_of_a_rigid_body_has_its_inertia(flown):
    _, log = flown
    other = replay_of(stretches_of(log)).bodies[2]
    a, b, c = np.sort(np.ptp(other.points[:8], axis=0))
    want = np.sort(
        [20.0 / 12.0 * (a * a + b * b), 20.0 / 12.0 * (a * a + c * c), 20.0 / 12.0 * (b * b + c * c)]
    )
    np.testing.assert_allclose(want, [2.0, 3.0, 4.0], rtol=1e-12)


def test_grids_are_joined_by_the_shortest_tree():
    """The tree of scipy has the same length."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist

    points = np.random.default_rng(3).standard_normal((60, 3))
    pairs = neighbours(points)
    length = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1).sum()
    assert length == pytest.approx(minimum_spanning_tree(cdist(points, points)).sum(), rel=1e-12)


def test_logs_that_cannot_be_drawn_are_refused_in_words(flown, tmp_path):
    folder, log = flown
    log_of_states = ist.simulate(log.system, log.state(0), until=0.1, step=0.01)
    log_of_states.save(tmp_path / "states.h5")
    pages = [view_file(tmp_path / "states.h5")]
    archive = Path(__file__).parents[1] / "migration" / "interstage-0.1.0.zip"
    with zipfile.ZipFile(archive) as files:
        files.extractall(tmp_path)
    with pytest.raises(InputError, match="does not hold its vehicle"):
        view_file(tmp_path / "log.h5")
    with pytest.raises(InputError, match="of another vehicle"):
        view_file(tmp_path / "log.h5", vehicle=tmp_path / "multibody.h5")
    arm = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    arm.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    arm.save(tmp_path / "arm.h5")
    pages.append(view_file(tmp_path / "log.h5", vehicle=tmp_path / "arm.h5"))
    for page in pages:
        assert {figure["kind"] for figure in page.figures.values()} == {"replay", "lines"}
    with pytest.raises(InputError, match="only logs"):
        view_file(folder / "vehicle.h5")
    with pytest.raises(InputError, match="no body 'wing'"):
        view_of(log, arrows={"push.force": ("wing", None, "node")})
    with pytest.raises(InputError, match="no port 'gyro"):
        view_of(log, ports=["gyro.*"])
    with pytest.raises(InputError, match="cannot be read"):
        arrow_of("push.force")


def test_a_rigid_vehicle_alone_has_paths_and_no_bending(tmp_path):
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    ist.simulate(system, system.state(), until=0.1, step=0.01, log=tmp_path / "stone.h5")
    page = view_file(tmp_path / "stone.h5")
    replay, lines = (
        next(f for f in page.figures.values() if f["kind"] == kind) for kind in ("replay", "lines")
    )
    assert replay["gain"] == 0.0 and lines["clock"]
    text = page.save(tmp_path / "stone.html").read_text(encoding="utf-8")
    assert "Position of stone" in text and "Colours tell" not in text


def test_charts_of_a_log_of_states_have_its_units_and_all_its_phases(tmp_path):
    mb = ist.Multibody("small", units="t-mm-s")
    mb.add_body("a", mass=1.0, inertia=[1e3, 2e3, 2e3], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["a"].velocity[3] = 100.0
    log = ist.simulate(system, x, until=1.0, step=0.01)
    (phase,) = log.phases
    halves = [replace(phase, t=phase.t[k], q=phase.q[k], v=phase.v[k]) for k in (slice(51), slice(50, None))]
    log.phases = halves
    page = view_of(log)
    (lines,) = (figure for figure in page.figures.values() if figure["kind"] == "lines")
    assert [panel["unit"] for panel in lines["panels"]] == ["mm"]
    t = np.frombuffer(base64.b64decode(lines["x"]["d"]), "<f8")
    place = np.frombuffer(base64.b64decode(lines["panels"][0]["series"][0]["values"]["d"]), "<f4")
    np.testing.assert_allclose(place, 100.0 * t, atol=1e-4)  # single numbers
    assert t[-1] == pytest.approx(1.0)


@pytest.fixture(scope="module")
def page_of(flown):
    folder, _ = flown
    arrows = {"push.force": ("beam", 8, "node")}
    page = view_file(folder / "flight.h5", decks=[folder / "beam.bdf"], arrows=arrows)
    return page.save(folder / "flight.html")


SEEN_INSIDE = """() => {
  const stage = document.querySelector('[data-kind=replay]').stage;
  const [box, { thing }] = [stage.bodies[2], stage.arrows.all[0]];
  const drawn = (shown) => {
    thing.position.copy(box.group.position);
    thing.scale.setScalar(0.5 * box.radius);
    thing.visible = shown;
    stage.renderer.render(stage.scene, stage.camera);
    return stage.canvas.toDataURL();
  };
  return drawn(true) !== drawn(false);
}"""  # an arrow in the middle of a box


def test_replay_in_a_browser(flown, page_of):
    """Slider, cameras, colours, charts and play work, bodies are where Python has them; no word, no request."""
    replay = replay_of(stretches_of(flown[1]), [FEModel.from_deck(flown[0] / "beam.bdf")])
    with launcher() as launch, Page(launch(), page_of, viewport={"width": 900, "height": 900}) as opened:
        page = opened.page
        assert set(opened.drawn().values()) == {"true"}

        def shown(name: str = "time") -> float:
            return float(page.get_attribute(CANVAS, f"data-{name}") or 0.0)

        def until(true) -> None:
            """Wait until something holds, at most half a minute: software GL on a busy machine is slow."""
            for _ in range(600):
                if true():
                    return
                page.wait_for_timeout(50)
            raise AssertionError("it never came true")

        until(lambda: shown("frames") > 0)
        page.eval_on_selector(
            "input.bending",
            "i => { i.step = 'any'; i.max = 340; i.value = 340; i.dispatchEvent(new Event('input')) }",
        )
        until(lambda: page.inner_text(".replay .reading span") == "bending × 340")
        first = page.eval_on_selector(CANVAS, "c => c.toDataURL()")
        page.eval_on_selector(
            "input.time", "i => { i.step = 'any'; i.value = 2.5; i.dispatchEvent(new Event('input')) }"
        )
        until(lambda: abs(shown() - 2.5) < 0.01)
        assert page.eval_on_selector(CANVAS, "c => c.toDataURL()") != first
        assert float(page.get_attribute(".now", "data-time")) == pytest.approx(2.5, abs=0.01)
        seen = page.evaluate(
            """() => document.querySelector('[data-kind=replay]').stage.bodies.map((body) => [
                ...body.group.position.toArray(), ...body.group.quaternion.toArray()])"""
        )
        (_, origin), *frames = replay.frames(250, 340.0)
        for row, (R, p) in zip(seen[1:], frames):  # beside the first body
            np.testing.assert_allclose(np.subtract(row[:3], seen[0][:3]), p - origin, atol=1e-6)
            x, y, z, w = row[3:]
            np.testing.assert_allclose(ist.Rotation.from_quaternion([w, x, y, z]).matrix, R, atol=1e-6)
        first = page.eval_on_selector(CANVAS, "c => c.toDataURL()")
        page.select_option(".coloured", "stress")
        page.wait_for_selector(f"{CANVAS}[data-coloured=stress]")
        until(lambda: page.eval_on_selector(CANVAS, "c => c.toDataURL()") != first)
        assert page.inner_text(".replay .scale span:last-child").endswith("Pa")
        page.click("[data-camera=fixed]")
        page.wait_for_selector(f"{CANVAS}[data-camera=fixed]")
        page.click("[data-camera=chase]")
        over = page.locator(".u-over").first
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 20)
        clicked = float(page.get_attribute(".now", "data-time"))
        assert clicked == pytest.approx(1.0, abs=0.1)
        page.locator(CANVAS).scroll_into_view_if_needed()
        until(lambda: shown() == pytest.approx(clicked))
        page.click("[data-kind=replay] .play")
        until(lambda: shown() > clicked + 0.05)
        page.click("[data-kind=replay] .play")
        assert page.evaluate(SEEN_INSIDE)
        page.click("#theme")
        ink = "document.querySelector('[data-kind=replay]').stage.path.material.uniforms.ink.value.g"
        assert page.evaluate(ink) > 0.5  # of 1: the ink of surfaces is as dark as a dark sky
        opened.assert_clean()
