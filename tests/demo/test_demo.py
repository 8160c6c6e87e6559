"""The demo's vehicle: its deck weighs what it should, its flight is what mechanics says (a small run of the whole)."""

import numpy as np
import pytest
from browser import Page, launcher

from interstage import FEModel, linearize, read_deck, trim
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_vehicle as av
from interstage.demo import flight as flights
from interstage.demo import heron
from interstage.demo.compose_ascent import arrows, ascent_replay
from interstage.demo.heron_deck import heron_deck
from interstage.demo.pipeline import STEPS, DemoSettings, run_demo
from interstage.demo.shapes import fe_motions, heron_geometry, mode_names, vehicle_motions
from interstage.demo.vehicle import CORE
from interstage.report.drawings import mac_matrix

MODES, SECONDS, ASCENT = 9, 4.0, 206.0  # the first stage leaves at 203 s


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    said = []
    made = run_demo(
        tmp_path_factory.mktemp("demo"),
        lambda done, total, words: said.append((done, total, words)),
        DemoSettings(component_modes=24, shown_modes=MODES, seconds=SECONDS, ascent=ASCENT),
    )
    assert [words for *_, words in said] == [*STEPS, "done"]
    return made


def test_deck_is_plain_nastran():
    """Fields of eight columns, no line longer than 72, numbers of all elements unique."""
    text = heron_deck()
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120 and all(len(line) <= 72 for line in lines if not line.startswith("$"))
    elements = [
        line[8:16].strip() for line in lines if line.startswith(("CQUAD4", "CBAR", "CTRIA3", "CBEAM"))
    ]
    assert len(elements) == len(set(elements)) > 3000


def test_deck_weighs_what_its_parts_weigh(made):
    """Lumped and propellant masses are exact; frames, stringers and fairing weigh about as much as the core's walls."""
    fe = FEModel.from_deck(read_deck(made.files["deck"]))
    lumped = 4 * heron.ENGINE_MASS + heron.PAYLOAD_MASS
    propellant = sum(mass for *_, mass in heron.PROPELLANT)
    weight = fe.mass_properties()
    dry = weight.mass - lumped - propellant
    walls = sum(
        np.pi * (s.r0 + s.r1) * np.hypot(s.x1 - s.x0, s.r1 - s.r0) * s.thickness * 2700.0 for s in heron.CORE
    )
    assert 1.5 * walls < dry < 3.0 * walls
    assert abs(weight.cg[1]) < 1e-9 and 0.0 < weight.cg[2] < 0.05, (
        "the raceway pulls the centre of mass to +z"
    )
    assert made.component.mass == pytest.approx(weight.mass - lumped, rel=1e-9)
    assert made.system.mass_properties(made.system.state()).mass == pytest.approx(weight.mass, rel=1e-9)


def test_multibody_rings_as_the_finite_elements_do(made):
    """24 fixed-interface modes: bending within 0.1 %, all nine within 1 %, and the shapes are the same."""
    errors = made.frequency_errors(MODES)
    assert np.abs(errors[:4]).max() < 1e-3 and np.abs(errors).max() < 1e-2
    assert np.all(errors > -1e-7), "a reduced basis cannot be softer than the whole model"
    pick = slice(6, 6 + MODES)
    ours = vehicle_motions(made.locked, made.locked_modes.shapes[:, pick], CORE)
    theirs = fe_motions(made.fe, made.fe_modes)[:, :, pick]
    mass = np.repeat(made.fe.M_gg.diagonal()[made.fe.grids.dof], 3)
    mac = mac_matrix(ours[:, :3].reshape(-1, MODES), theirs[:, :3].reshape(-1, MODES), mass)
    assert np.diag(mac).min() > 0.99
    # translations alone: the rotary inertia of payload and engines is what keeps them from being orthogonal
    assert np.abs(mac - np.diag(np.diag(mac))).max() < 0.1
    names = mode_names(heron_geometry(made.fe), ours, mass[::3])
    assert names[:2] == ["first yaw bending", "first pitch bending"] and "first torsion" in names


def test_decorations_move_rigidly_with_their_grids(made):
    geometry = heron_geometry(made.fe)
    motion = np.zeros((geometry.n_grids, 6))
    row = int(np.searchsorted(geometry.ids, heron.GIMBAL_GRIDS[0]))
    motion[row] = [0.1, 0, 0, 0, 0, 1e-3]
    u = geometry.displacement(motion)
    engine = geometry.decorations[0]
    part = u[engine.start : engine.start + len(engine.points)]
    arm = engine.points - geometry.points[row]
    assert part == pytest.approx([0.1, 0, 0] + 1e-3 * np.column_stack([-arm[:, 1], arm[:, 0], 0 * arm[:, 0]]))


def test_trim_is_newtons_law(made):
    """The whole accelerates by thrust over mass, does not turn, and nothing vibrates (relative to 20 m/s²: 1e-8)."""
    vdot, where = made.x0.vdot, made.system.layout[CORE]
    x = made.system.state(made.x0.q, made.x0.v)
    a = made.system.acceleration(x, vdot, CORE)
    assert a[3] == pytest.approx(4 * heron.THRUST / made.weight.mass, rel=1e-4)
    assert np.abs(vdot[where.etadot]).max() < 1e-6 and np.abs(a[:3]).max() < 1e-7
    torque, center = np.zeros(3), made.system.center_of_mass(x)
    for name in heron.ENGINES:
        thrust = heron.THRUST * made.system.rotation(x, name)[:, 0]
        torque += np.cross(made.system.position(x, name) - center, thrust)
    assert np.abs(torque).max() < 1e-8 * heron.THRUST * made.weight.cg[0], (
        "thrust passes through the centre of mass"
    )
    angles = [made.x0[name].q[0] for name in heron.ENGINES]
    assert np.ptp(angles) < 1e-12 and 1e-4 < abs(angles[0]) < 2e-3


def test_thrust_softens_bending(made):
    """Engines locked, under thrust that follows them: the whole finite-element model with geometric stiffness and
    turning loads has 2.4418 and 2.5307 Hz (2.4487 and 2.5374 Hz at rest; 2.556 Hz were found without the stiffness).
    """
    forces = {(name, None, "body"): flights.THRUST for name in heron.ENGINES}
    x0 = trim(made.locked, made.locked.state(), forces=forces)
    poles = np.asarray(linearize(made.locked, x0, inputs=[], outputs=[]).poles())
    hz = np.sort(np.abs(poles[poles.imag > 1.0])) / (2.0 * np.pi)
    np.testing.assert_allclose(hz[:2], [2.4418, 2.5307], rtol=1e-3)
    assert hz[0] < made.locked_modes.frequencies_hz[6]


def test_flight_is_that_of_a_rigid_body_plus_ringing(made):
    """Pitch rate at the end of the first half against I ω̇ = T δ L; afterwards the vehicle points elsewhere, at rest."""
    flight = made.flight
    lever = made.weight.cg[0]
    inertia = made.weight.inertia_about_cg[1, 1]
    impulse = 4 * heron.THRUST * lever * np.sum(np.deg2rad(flight.command_deg[:200])) * flights.LOG
    rate = np.rad2deg(impulse / inertia)
    middle = (flight.t > 1.9) & (flight.t < 2.2)
    mean = 0.5 * (flight.forward_deg_s + flight.aft_deg_s)[middle].max()
    assert mean == pytest.approx(rate, rel=0.12), "bending lets the gyros differ from the rigid body"
    assert abs(flight.forward_deg_s[-50:].mean()) < 0.1 and flight.pitch_deg[-1] > 2.0


def test_linear_model_follows_the_nonlinear_vehicle(made):
    """Pitch rate within 3 % of its peak over the run: angles stay below four degrees."""
    flight = made.flight
    difference = np.abs(flight.linear_deg_s - flight.forward_deg_s).max()
    assert difference < 0.03 * np.abs(flight.forward_deg_s).max()


def test_no_oscillation_grows(made):
    poles = made.lin.poles()
    moving = np.abs(np.asarray(poles)) > 0.1
    assert np.asarray(poles).real[moving].max() < 0.0


def test_files_are_there_and_small(made):
    assert all(path.is_file() for path in made.files.values())
    assert made.files["report"].stat().st_size < 15e6
    html = made.files["report"].read_text()
    for words in (
        "Heron",
        "first pitch bending",
        "Modal assurance",
        "Bodies and joints",
        "engine 4",
        "Wall times",
        "Margins of the pitch loop",
        "staging",
        "numba",
    ):
        assert words in html
    assert not [p for p in made.folder.iterdir() if p.suffix == ".part"]


def test_the_ascent_holds_its_limits_and_drops_its_stage(made):
    """Attitude within 2°, 5° in the gust; gimbals free of their stops; the spent stage falls behind, and falls."""
    log = made.ascent_log
    t, error = log.times("fsw.error"), np.degrees(np.linalg.norm(log["fsw.error"], axis=1))
    gust = (t >= ap.GUST["start"]) & (t <= ap.GUST["start"] + ap.GUST["duration"] + 2.0)
    assert error[gust].max() < 5.0 and error[~gust].max() < 2.0
    assert all(np.abs(log[f"tvc{k}.angle"]).max() < 0.9 * ap.LIMIT for k in range(1, 5))
    whole, rest = log.phases
    assert rest.t[0] == pytest.approx(203.0, abs=1.5) and "first" not in whole.system.bodies
    last = (log.times("fsw.throttle") > 195.0) & (log.times("fsw.throttle") < rest.t[0])
    assert log["fsw.throttle"][last].max() < 0.5, "engines end as they burnt"
    up = log["earth.up"][-1]
    x, y = rest.state(-1), rest.state(0)
    v = [rest.system.velocity(state, "first")[3:] @ up for state in (y, x)]
    altitude = log["earth.altitude"][-1]
    g = 3.986e14 / (6.378e6 + altitude) ** 2
    # engines of the stage that leaves still push a little for some tenths of a second
    assert v[1] - v[0] == pytest.approx(-g * (rest.t[-1] - rest.t[0]), rel=0.02)
    nose = rest.system.rotation(x, av.NAME)[:, 0]
    assert (rest.position(av.NAME, av.RING)[-1] - rest.position("first", [33.5, 0, 0])[-1]) @ nose > 3.0


def test_gusts_are_drawn_as_one(made):
    """Turbulence, drawn 50 times a second, and the gust, at rows of the log: their sum at times that both have."""
    log = made.ascent_log
    (one,) = (each for each in arrows(log) if each.kind == "gust")
    parts = [log.series(name) for name in ("air_gusts.gust", "air_gusts2.gust")]
    t = np.arange(66.0, 70.0, 0.5)
    rows = [[int(np.argmin(np.abs(each.t - now))) for now in t] for each in (one, *parts)]
    wanted = sum(each.columns[k] for each, k in zip(parts, rows[1:]))
    np.testing.assert_allclose(one.values[rows[0]], wanted, atol=1e-9)
    assert np.linalg.norm(wanted, axis=1).max() > 8.0


def test_walls_of_the_replay_go_with_the_nodes_of_the_stages(made):
    """Rings around a node of the axis: their middle is where the vehicle has the node, bent as it is."""
    log = made.ascent_log
    replay = ascent_replay(log)
    k = len(replay.t) // 3
    x = log.phases[0].state(int(np.searchsorted(log.phases[0].t, replay.t[k])))
    whole = replay.bodies[0]
    R, p = log.phases[0].system.rotation(x, av.NAME), log.phases[0].system.position(x, av.NAME)
    points = p + (whole.points + whole.shapes @ whole.eta[k]) @ R.T
    for station, node in ((3.0, 3), (13.0, 8), (28.5, 14), (39.5, 105)):
        at = np.abs(whole.points[:, 0] - whole.points[0, 0] - station) < 1e-9
        middle, true = points[at].mean(axis=0), log.phases[0].system.position(x, av.NAME, node)
        np.testing.assert_allclose(middle, true, atol=1e-4)  # shapes that move nothing are left out


VISIBLE = """() => {
  const stage = document.querySelector('[data-kind=replay]').stage;
  const arrows = stage.arrows.all.map((one, i) => [stage.figure.arrows[i].kind, one.thing.visible]);
  const bodies = stage.bodies.filter((one) => one.group.visible);
  return {
    bodies: bodies.map((one) => one.name),
    places: Object.fromEntries(bodies.map((one) => [one.name, one.group.position.toArray()])),
    arrows: [...new Set(arrows.filter(([, seen]) => seen).map(([kind]) => kind))],
    time: stage.now,
  };
}"""


# places in the picture, from -1 to 1
IN_PICTURE = """() => {
  const stage = document.querySelector('[data-kind=replay]').stage;
  const { camera, ground, dot } = stage;
  camera.updateMatrixWorld();
  const at = (place) => place.clone().project(camera).toArray().slice(0, 2);
  return { vehicle: at(stage.followed(stage.row()[0]).group.position), pad: at(ground.position), dot: dot.visible };
}"""


def test_the_flight_in_a_browser(made):
    """Thrust, air, wind and gust are drawn; the stage leaves where its button leads; cameras and charts follow."""
    with launcher() as launch, Page(launch(), made.files["report"], reduced_motion="reduce") as opened:
        page = opened.page
        page.locator("[data-kind=replay]").scroll_into_view_if_needed()
        page.wait_for_selector("[data-kind=replay] canvas[data-frames]", timeout=120_000)
        assert set(opened.drawn().values()) == {"true"}

        def at(time):
            page.eval_on_selector(
                "[data-kind=replay] input.time",
                f"i => {{ i.step = 'any'; i.value = {time}; i.dispatchEvent(new Event('input')) }}",
            )
            page.wait_for_function(
                "t => Math.abs(document.querySelector('[data-kind=replay] canvas').dataset.time - t) < 0.01",
                arg=time,
                timeout=60_000,
            )
            return page.evaluate(VISIBLE)

        gust = at(68.0)
        assert set(gust["arrows"]) == {"thrust", "force of the air", "wind", "gust"}
        assert "heron" in gust["bodies"] and "first" not in gust["bodies"]
        buttons = page.locator("[data-kind=replay] .event")
        assert [words.split(",")[0] for words in buttons.all_inner_texts()] == ["gust", "staging"]
        buttons.nth(1).click()
        drop = page.evaluate(VISIBLE)["time"]
        assert drop == pytest.approx(made.ascent_log.phases[1].t[0])
        assert float(page.get_attribute(".now", "data-time")) == pytest.approx(drop, abs=1e-3)
        near, far = at(drop + 0.5), at(205.5)
        gaps = [
            np.linalg.norm(np.subtract(one["places"]["first"], one["places"]["heron"])) for one in (near, far)
        ]
        assert {"heron", "first"} <= set(far["bodies"]) and gaps[1] > gaps[0] + 2.0
        assert "thrust of the upper stage" in far["arrows"]
        for name in ("fixed", "chase"):
            page.click(f"[data-kind=replay] [data-camera={name}]")
            page.wait_for_selector(f"[data-kind=replay] canvas[data-camera={name}]")
            shown = [at(time) and page.evaluate(IN_PICTURE) for time in (1.0, 30.0, 205.0)]
            assert all(np.abs(one["vehicle"]).max() < 1.0 for one in shown)
            if name == "fixed":
                assert all(np.abs(one["pad"]).max() < 1.0 for one in shown)
                assert [one["dot"] for one in shown] == [False, True, True]
        opened.assert_clean()
