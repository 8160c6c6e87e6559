"""Flights of a burning vehicle in the engine: propellant as states, events of tanks, staging in the run."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from vehicle_models import beam_vehicle, launcher, refused

import interstage as ist
from interstage import devices as dev
from interstage.devices.fields import oblate_gravity
from interstage.report.burning import burning_report
from interstage.staged_vehicle import PipeFlow, PropellantTank, simulate_free_flight, split
from interstage.staged_vehicle.free_flight import FreeFlightState, upstream
from interstage.staged_vehicle.kernels import momentum

FLOW = 4.0


@pytest.fixture(scope="module")
def shapes():
    return beam_vehicle().shapes(n_modes=4, levels=3)


def beam_flight(shapes, pipe=False, **given):
    """Return the beam with its tank in an assembly, its start and the name of its body."""
    system = beam_vehicle().multibody(shapes, **given).compile()
    body = system.bodies[0]
    flight = ist.Assembly("burn", vehicle=system)
    flight.add("tank", PropellantTank(of="propellant", flow=FLOW))
    if pipe:
        rows = [shapes.row("beam", k) for k in range(6, 0, -1)]
        at = [(body, shapes.node_id("beam", k)) for k in range(6, 0, -1)]
        share = np.append(upstream(shapes, "propellant", rows), 0.0)
        flight.add("pipe", PipeFlow(at=at, share=share))
        flight.wire({"tank.loss": "pipe.flow"})
    return flight, system, body


def start(system, shapes, speed=0.0):
    rng = np.random.default_rng(2)
    n = len(shapes)
    x = system.state()
    one = x[system.bodies[0]]
    one.eta[:] = 1e-3 * rng.normal(size=n)
    one.velocity[:] = [0.05, -0.1, 0.08, speed, 0.5, 0.2]
    one.etadot[:] = 1e-2 * rng.normal(size=n)
    return x


@pytest.mark.parametrize("pipe", [False, True])
def test_a_flight_is_that_of_the_vehicle_alone(shapes, pipe):
    """The run with the tank as a state against dense equations with masses at mid-step; both of second order."""
    flight, system, body = beam_flight(shapes, pipe)
    x = start(system, shapes)
    log = ist.simulate(flight, x, until=1.0, step=1e-3, method="rk4", log_step=0.1)
    path = {"propellant": [("beam", k) for k in range(6, 0, -1)]} if pipe else None
    one = x[body]
    wanted = simulate_free_flight(
        shapes,
        until=1.0,
        step=1e-3,
        flow={"propellant": FLOW},
        path=path,
        velocity=one.velocity,
        eta=one.eta,
        etadot=one.etadot,
        every=100,
    )
    np.testing.assert_allclose(log.propellant["propellant"], wanted.propellant["propellant"], rtol=1e-12)
    np.testing.assert_allclose(log[body].eta, wanted.eta, atol=1e-5 * np.abs(wanted.eta).max())
    np.testing.assert_allclose(log[body].position, wanted.position, atol=1e-7)


def test_momentum_and_what_was_left_behind(shapes):
    """P, H of the run and ∫ -Ṁu dt of the slopes of its integrals, by Simpson over the rows: error of RK4."""
    flight, system, body = beam_flight(shapes)
    log = ist.simulate(flight, start(system, shapes, 600.0), until=0.5, step=5e-4, method="rk4")
    n, part = len(shapes), shapes.partition
    at = int(part.first[0])
    slope = (part.level_values[at + 1] - part.level_values[at]) / (
        part.level_mass[at + 1] - part.level_mass[at]
    )
    rates = []
    for k in range(len(log.t)):
        one = log[body]
        u = np.concatenate([one.velocity[k], one.etadot[k]])
        out, work = np.empty(6 + n), (np.empty((3, 3, n)), np.empty((3, 3, n)))
        momentum(n, 2, slope, one.eta[k], u, *work, np.empty((6 + n, 6 + n)), np.empty(6 + n), out)
        R = ist.Rotation.from_quaternion(one.quaternion[k]).matrix
        l = R @ out[3:6]
        rates.append(FLOW * np.concatenate([R @ out[:3] + np.cross(one.position[k], l), l]))
    change = log.momentum[-1] + simpson(rates, 5e-4) - log.momentum[0]
    assert np.abs(change).max() < 1e-10 * np.abs(log.momentum[0]).max()


def simpson(rows, h):
    """Return the integral over an even number of steps h."""
    weights = np.ones(len(rows))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    return h / 3.0 * weights @ np.array(rows)


def test_momentum_with_what_leaves_at_the_exit(shapes):
    """With the pipe all that leaves does so at node 1: P, H of the run, of what flows, and ∫ g [r_e x v_e; v_e] dt.

    What flows has Σ g [r_a x r_b; r_b - r_a] beside the structure. Simpson over the rows: error of RK4.
    """
    flight, system, body = beam_flight(shapes, pipe=True)
    log = ist.simulate(flight, start(system, shapes, 600.0), until=0.5, step=5e-4, method="rk4")
    share = FLOW * upstream(shapes, "propellant", [shapes.row("beam", k) for k in range(6, 0, -1)])
    path = [log.position(body, shapes.node_id("beam", k)) for k in range(6, 0, -1)]

    def flowing(k):
        ends = [(g, a[k], b[k]) for g, a, b in zip(share, path, path[1:])]
        return sum(g * np.concatenate([np.cross(a, b), b - a]) for g, a, b in ends)

    foot = shapes.node_id("beam", 1)
    speeds = [system.velocity(log.state(k), body, foot)[3:] for k in range(len(log.t))]
    rates = [FLOW * np.concatenate([np.cross(r, v), v]) for r, v in zip(path[-1], speeds)]
    change = log.momentum[-1] + flowing(-1) + simpson(rates, 5e-4) - log.momentum[0] - flowing(0)
    assert np.abs(change).max() < 1e-10 * np.abs(log.momentum[0]).max()
    assert np.abs(flowing(0)).max() > 1e-3 * np.abs(log.momentum[0]).max()


def test_same_answer_at_rest_and_at_600(shapes):
    found = []
    for speed in (0.0, 600.0):
        flight, system, body = beam_flight(shapes, pipe=True)
        x = start(system, shapes)
        x[body].velocity[:3] = 0.0
        x[body].velocity[3] += speed
        log = ist.simulate(flight, x, until=0.5, step=1e-3, method="ros2", log_step=0.1)
        found.append(log[body].eta)
    np.testing.assert_allclose(found[1], found[0], atol=1e-8 * np.abs(found[0]).max())


def test_a_tank_runs_empty_at_its_time(shapes):
    """6 slug at 4 a second: empty at 1.5 s whatever the step, and nothing leaves after."""
    v = beam_vehicle()
    flight, system, _ = beam_flight(shapes)
    x = start(system, shapes)
    empty = v.empty("propellant", member="tank")
    log = ist.simulate(flight, x, until=1.75, step=7e-3, method="ros2", events=[empty])
    assert log.events[0].t == pytest.approx(1.5, abs=1e-6)
    assert log.propellant["propellant"][-1] == 0.0
    late = log.t > 1.51
    np.testing.assert_array_equal(log["tank.loss"][late], 0.0)
    back = ist.simulate(flight, x, until=0.014, step=7e-3, method="ros2", set={"tank.flow": -FLOW})
    np.testing.assert_array_equal(back.propellant["propellant"], 6.0)  # tanks do not fill
    assert "did you mean propellant" in refused(lambda: v.empty("propelant"))


def test_resumed_flights_go_on_with_their_propellant(shapes, tmp_path):
    """A run that ends and goes on: bit for bit the unbroken one, with the assembly and with that of its file."""
    given = {"step": 1e-3, "method": "rk4"}

    def made():
        flight, system, _ = beam_flight(shapes, pipe=True, damping=0.01)
        return flight, start(system, shapes)

    flight, x = made()
    whole = ist.simulate(flight, x, until=0.2, **given)
    for name, again in (("a", True), ("b", False)):
        flight, x = made()
        ist.simulate(flight, x, until=0.1, log=tmp_path / f"{name}.h5", checkpoint="0.07 s", **given)
        log = ist.resume(tmp_path / f"{name}.ckpt.h5", made()[0] if again else None, until=0.2)
        np.testing.assert_array_equal(log.q, whole.q)
        np.testing.assert_array_equal(log.v, whole.v)
        np.testing.assert_array_equal(log.propellant["propellant"], whole.propellant["propellant"])
    saved = ist.load(tmp_path / "a.h5")
    np.testing.assert_array_equal(saved.propellant["propellant"], whole.propellant["propellant"])
    np.testing.assert_allclose(saved.momentum, whole.momentum, rtol=1e-13)


def test_staging_in_a_run():
    """The stack is cut at a time: every node keeps its velocity as far as the new shapes hold it, both parts fly on."""
    v = launcher()
    shapes = v.shapes(below_hz=12.0, levels=3, burning=["grain"])
    after = v.without("first").shapes(below_hz=30.0, levels=3)
    mb = v.multibody(shapes, propellant={"grain": 30e3}, damping=0.01)
    foot, middle = shapes.node_id("first", 1), shapes.node_id("upper", 3)
    gimbal = ist.Universal(("y", "z"), stiffness=3e6, damping=1e4)
    mb.add_body(
        "nozzle", mass=800.0, com=[-1, 0, 0], inertia=[300.0] * 3, parent="launcher", at=foot, joint=gimbal
    )
    mb.add_body("bob", mass=50.0, com=[0, 1, 0], parent="launcher", at=middle, joint=ist.Revolute("z"))
    system = mb.compile()
    flight = ist.Assembly("ascent", vehicle=system)
    flight.add("grain", PropellantTank(of="grain"))
    flight.add("srm", dev.Engine(body="nozzle", thrust=3e6, flow=1200.0, level=1.0))
    flight.add("gyro", dev.Gyro(at=("launcher", shapes.node_id("upper", 9)), every="10 ms"))
    flight.wire({"srm.mass_flow": "grain.flow"})
    staging = v.staging("separation", when=0.3, shapes=after, damping=0.02)
    x = system.state()
    x["nozzle"].q[:] = [0.02, -0.01]
    log = ist.simulate(flight, x, until=0.5, step=1e-3, method="ros2", log_step=0.01, events=[staging])
    change = log.phases[1].system.change
    scale = np.abs(change.momentum_before).max()
    # projections in the metric of the mass of a part, with the bodies that hang on it, keep momentum; its moment
    # changes by what the places of these jump by
    np.testing.assert_allclose(change.momentum_after[3:], change.momentum_before[3:], atol=1e-12 * scale)
    jumps = change.shift * np.linalg.norm(change.momentum_before[3:])
    assert np.linalg.norm(change.momentum_after[:3] - change.momentum_before[:3]) < 0.1 * jumps
    assert {"launcher", "first", "nozzle", "bob"} == set(log.phases[1].system.bodies)
    parent = {spec.name: spec.parent for spec in log.phases[1].system.model.specs}
    assert parent == {"launcher": None, "first": None, "nozzle": "first", "bob": "launcher"}
    parts = staging.action.parts
    assert parts["launcher"].jump < 1e-4 and parts["first"].jump < 1e-3
    page = burning_report(log, "launcher", [shapes, after], [staging.action]).html()
    for part in parts.values():
        assert part.name in page and f"{part.jump:.3g}" in page and f"{part.strain[0]:.6g}" in page
    assert f"{len(shapes)} / {len(after)}" in page
    assert "2 sets" in refused(lambda: burning_report(log, "launcher", [shapes], [staging.action]))
    before, fall = log.phases[0].state(-1), log.phases[1]
    one = before["launcher"]
    state = FreeFlightState(
        one.position,
        one.quaternion,
        one.velocity,
        one.eta,
        one.etadot,
        {tank: float(rows[-1]) for tank, rows in log.phases[0].propellant.items()}
        | {"lox": 20e3, "lh2": 4e3},
    )
    wanted = split(shapes, state, {"upper": after})["upper"].state
    np.testing.assert_allclose(fall["launcher"].eta[0], wanted.eta, atol=1e-12)
    # what has left is pushed on, what stays falls
    assert fall["first"].velocity[-1, 3] > fall["launcher"].velocity[-1, 3]
    assert fall["launcher"].velocity[-1, 3] - fall["launcher"].velocity[0, 3] == pytest.approx(
        -9.81 * 0.2, abs=0.2
    )
    assert np.isnan(log.propellant["grain"][-1]) or log.propellant["grain"][-1] > 0.0


@pytest.mark.parametrize("cut", [0.03, 0.08])
def test_resumed_flights_are_staged(cut, tmp_path):
    """Broken before and after the stack is cut in two: bit for bit the unbroken run."""
    v = launcher()
    shapes = v.shapes(n_modes=3, levels=2, error=1.0, burning=["grain"])
    after = v.without("first").shapes(n_modes=2, levels=2, error=1.0)

    def made():
        system = v.multibody(shapes, propellant={"grain": 30e3}, damping=0.01).compile()
        flight = ist.Assembly("ascent", vehicle=system)
        flight.add("grain", PropellantTank(of="grain"))
        foot = ("launcher", shapes.node_id("first", 1))
        flight.add("srm", dev.Engine(body=foot, thrust=3e6, flow=1200.0, level=1.0))
        flight.wire({"srm.mass_flow": "grain.flow"})
        drop = v.staging("separation", when=0.05, shapes=after, damping=0.02)
        return flight, system.state(), [drop]

    given = {"step": 1e-3, "method": "ros2", "log_step": 0.01}
    flight, x, events = made()
    whole = ist.simulate(flight, x, until=0.12, events=events, **given)
    flight, x, events = made()
    ist.simulate(
        flight, x, until=cut, events=events, log=tmp_path / "a.h5", checkpoint=f"{cut / 2:g} s", **given
    )
    flight, _, events = made()
    log = ist.resume(tmp_path / "a.ckpt.h5", flight, until=0.12, events=events)
    assert len(log.phases) == len(whole.phases) == 2
    for one, other in zip(log.phases, whole.phases):
        np.testing.assert_array_equal(one.q, other.q)
        np.testing.assert_array_equal(one.v, other.v)
    np.testing.assert_array_equal(log.propellant["grain"], whole.propellant["grain"])


@pytest.mark.parametrize("site", [None, (28.6, -80.6)])
def test_what_has_left_falls_in_the_field_of_the_earth(site, tmp_path):
    """The spent stage, a body that was not there at the start, flies as a point under J2 does (scipy's integration);
    a run that goes on after the staging has it fall as well.
    """
    v = launcher()
    shapes = v.shapes(n_modes=3, levels=2, error=1.0, burning=["grain"])
    after = v.without("first").shapes(n_modes=2, levels=2, error=1.0)
    system = v.multibody(shapes, propellant={"grain": 30e3}, damping=0.01).compile()
    earth = dev.Earth(gravity="J2", site=site)
    flight = ist.Assembly("fall", vehicle=system).add("earth", earth).add("grain", PropellantTank(of="grain"))
    drop = v.staging("separation", when=1.0, shapes=after, damping=0.02)
    x = system.state()
    x["launcher"].position[:] = [7e6, 0, 0] if site is None else [2e5, 0, 0]
    x["launcher"].velocity[:] = [0, 0, 1e-3, 0, 7500.0, 100.0]
    given = {"step": 0.02, "method": "ros2", "log_step": 0.5}
    log = ist.simulate(
        flight, x, until=30.0, events=[drop], log=tmp_path / "fall.h5", checkpoint="20 s", **given
    )
    phase = log.phases[1]
    com = phase.system.model.spec("first").inertia.com
    place, axes, center = log.position("first", com), np.asarray(earth.axes), np.asarray(earth.center)
    mu, radius, J2 = float(earth.mu), float(earth.radius), float(earth.J2)
    pole = tuple(axes[:, 2])

    def fall(t, y):
        return np.r_[y[3:], oblate_gravity(mu, radius, J2, pole, tuple(y[:3] - center))]

    begin = phase.system.velocity(phase.state(0), "first", com)[3:]
    truth = solve_ivp(fall, (1.0, 30.0), np.r_[place[0], begin], method="DOP853", rtol=1e-12, atol=1e-9)
    # the field makes 3.4 km of way in 29 s; steps of 0.02 s some tenths of a millimetre
    np.testing.assert_allclose(place[-1], truth.y[:3, -1], atol=2e-3)
    again = ist.resume(tmp_path / "fall.ckpt.h5", flight, until=30.0, events=[drop])
    np.testing.assert_array_equal(again.phases[-1].q[-1], phase.q[-1])


def test_stagings_that_cannot_be_meant():
    v = launcher()
    shapes = v.shapes(n_modes=2, levels=2, error=1.0)
    after = v.without("first").shapes(n_modes=2, levels=2, error=1.0)
    assert "give before=" in refused(lambda: v.staging("separation", when=1.0, shapes=after))
    v.multibody(shapes)
    assert "did you mean separation" in refused(lambda: v.staging("seperation", when=1.0, shapes=after))
    assert "shapes are not usable" in refused(lambda: v.staging("separation", when=1.0, shapes=None))
    assert "not a quantity" in refused(lambda: v.staging("separation", when="now", shapes=after))
    assert "some stages of the vehicle" in refused(lambda: v.staging("separation", when=1.0, shapes=shapes))
    assert '"rigid"' in refused(lambda: v.staging("separation", when=1.0, shapes=after, spent="soft"))


@pytest.mark.parametrize("pipe", [False, True])
def test_ros2_weighs_once_a_step_and_is_of_second_order(shapes, pipe):
    """Integrals at mid-step: against RK4 with masses of every stage, errors fall by four with half the step."""
    found = []
    for method, step in (("rk4", 1e-3), ("ros2", 4e-3), ("ros2", 2e-3)):
        flight, system, body = beam_flight(shapes, pipe)
        log = ist.simulate(flight, start(system, shapes), until=0.4, step=step, method=method, log_step=0.4)
        found.append(np.concatenate([log[body].eta[-1], log[body].velocity[-1]]))
    coarse, fine = (np.linalg.norm(one - found[0]) for one in found[1:])
    assert coarse < 0.05 * np.linalg.norm(found[0])
    assert 3.5 < coarse / fine < 4.6


def test_closures_go_with_their_part():
    """A nozzle held by a strut leaves with its stage, closed as before; a strut across the cut is refused."""
    v = launcher()
    shapes = v.shapes(n_modes=3, levels=2, error=1.0, burning=["grain"])
    after = v.without("first").shapes(n_modes=2, levels=2, error=1.0)

    def made(nodes):
        mb = v.multibody(shapes, propellant={"grain": 30e3})
        gimbal = ist.Universal(("y", "z"))
        foot = shapes.node_id(*nodes[0])
        nozzle = {"mass": 800.0, "com": [-1, 0, 0], "inertia": [300.0] * 3}
        mb.add_body("nozzle", parent="launcher", at=foot, joint=gimbal, **nozzle)
        place = ("nozzle", [2.5, 0, 0]) if len(nodes) == 2 else ("launcher", shapes.node_id(*nodes[2]))
        mb.close("strut", place, ("launcher", shapes.node_id(*nodes[1])), joint=ist.Slot("x"))
        return mb.compile()

    system = made([("first", 1), ("first", 2)])
    x = system.state()
    x.v[:] = system.project(x).v
    action = v.staging("separation", when=1.0, shapes=after).action
    cut, y = action.apply(1.0, system, x)
    assert [body for body, _ in cut.model.closures[0].ends] == ["nozzle", "first"]
    cut.check_closed(y)
    force = np.array([0.0, 0.0, 0.0, 0.0, 5e3, 0.0])
    # rigid stage, nozzle and strut are one body across the strut's slot: they move as the stage alone does there
    vdot = cut.forward_dynamics(y, forces={("first", (0.0, 0.0, 0.0)): force})
    held = vdot[cut.layout["nozzle"].v]
    assert np.abs(held).max() < 1e-9 * np.abs(vdot).max()
    across = made([("first", 1), ("upper", 3), ("first", 2)])
    assert "what stays to what leaves" in refused(lambda: action.apply(1.0, across, across.state()))
