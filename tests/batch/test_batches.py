"""Samples of batches beside vehicles built with their numbers, one by one, and flown by `simulate`."""

from __future__ import annotations

import multibody_models as models
import numpy as np
import pytest
from closure_models import four_bar, pinned
from scipy import stats

import interstage as ist
from interstage.errors import InputError
from interstage.studies.outputs import REDUCTIONS

STEPS = 1000
ALIKE = 1e-10  # after 1,000 steps: sums may be reordered between two compilations of one kernel


def satellite(hinge=30.0, damper=0.2, panel=1.0):
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=100.0, inertia=[80, 80, 90], joint=ist.Free())
    mb.add_body(
        "panel",
        mass=8.0 * panel,
        com=[1.5, 0, 0],
        inertia=np.array([0.1, 6.0, 6.0]) * panel,
        parent="bus",
        at=[0.5, 0, 0],
        joint=ist.Revolute("z", stiffness=hinge, damping=damper),
    )
    return mb.compile()


def boom(stiffness=1.0, ratio=0.01, tip=1.0, mass=1.0):
    """A flexible arm with a mass on its tip; modal damping 2ζω stays as it is when ζ goes with 1/√stiffness."""
    K, M, nodes = models.beam_matrices(4, E=2e8)
    arm = ist.Component.from_matrices(stiffness * K, mass * M, nodes=nodes, aset={1: 123456}, n_modes=4)
    mb = ist.Multibody("boom", gravity=[0, 0, -9.81])
    mb.add_body("arm", component=arm, node=1, joint=ist.Revolute("y"), damping=ratio)
    mb.add_body("tip", mass=2.0 * tip, inertia=0.01 * tip * np.ones(3), parent="arm", at=5)
    return mb.compile()


def started(system, **entries):
    x = system.state()
    for name, values in entries.items():
        x[name].q[:] = values
    return x


def far(a, b):
    """Return the largest difference of two arrays of one sample, beside the size of the second."""
    return np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)


@pytest.mark.kernels
def test_a_sample_is_the_vehicle_that_has_its_numbers():
    system = satellite()
    x0 = started(system, panel=0.1)
    log = ist.simulate_batch(
        system,
        x0,
        until=0.05,
        step=1e-2,
        samples=3,
        disperse={
            "stiffness.panel": stats.uniform(0.5, 1.0),
            "damping.panel.joint": stats.uniform(0.5, 1.0),
            "mass.panel": stats.uniform(0.5, 1.0),
            "v.bus.wz": stats.norm(0.0, 0.3),
            "q.panel.angle": stats.norm(0.2, 0.1),
        },
        outputs=["q.panel.angle", "final v.bus.wz", "final q.bus.quaternion3"],
    )
    for k in range(3):
        row = log.design.row(k)
        changed = satellite(30 * row["stiffness.panel"], 0.2 * row["damping.panel.joint"], row["mass.panel"])
        x = started(changed, panel=row["q.panel.angle"])
        x["bus"].v[2] = row["v.bus.wz"]
        single = ist.simulate(changed, x, until=0.05, step=1e-2)
        assert far(log["q.panel.angle"][k], single["panel"].q[:, 0]) < ALIKE
        assert far(log["final v.bus.wz"][k], single["bus"].v[-1, 2]) < ALIKE
        assert far(log["final q.bus.quaternion3"][k], single["bus"].q[-1, 3]) < ALIKE


@pytest.mark.parametrize("method", ["rk4", "ros3"])
def test_flexible_bodies_after_a_thousand_steps(method):
    system = boom()
    rng = np.random.default_rng(1)
    factor, tip, damping = rng.uniform(0.6, 1.4, (3, 4))
    log = ist.simulate_batch(
        system,
        started(system, arm=0.3),
        until=STEPS * 2e-4,
        step=2e-4,
        method=method,
        samples=4,
        disperse={"stiffness.arm.modes": factor, "mass.tip": tip, "damping.arm": damping},
        outputs=["q.arm.angle", "final v.arm.eta2"],
        log_step=0.02,
        threads=2,
    )
    for k in range(4):
        changed = boom(factor[k], 0.01 * damping[k] / np.sqrt(factor[k]), tip[k])
        single = ist.simulate(
            changed,
            started(changed, arm=0.3),
            until=STEPS * 2e-4,
            step=2e-4,
            log_step=0.02,
            method=method,
        )
        # the modes of another structure are known to 1e-9 (an eigenproblem), and so is the motion
        assert far(log["q.arm.angle"][k], single["arm"].q[:, 0]) < 1e-8
        again = log.sample(k)
        assert far(log["q.arm.angle"][k], again["arm"].q[:, 0]) < ALIKE
        assert (
            abs(log["final v.arm.eta2"][k] - again["arm"].etadot[-1, 1])
            < ALIKE * np.abs(again["arm"].etadot).max()
        )


def pendulum(length=1.0, kick=0.0):
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -length], joint=ist.Revolute("x", damping=0.1))
    return mb.compile()


def test_a_law_with_states_and_limits_is_that_of_single_runs():
    system = pendulum()
    law = ist.LinearController(
        ["q.arm.angle", "v.arm.angle"],
        ["tau.arm.angle", ist.Wrench("arm", [0, 0, 0, 0, 1.0, 0], node=(0, 0, -1.0), frame="body")],
        A=[[1.0]],
        B=[[0.02, 0.0]],
        C=[[4.0], [0.5]],
        D=[[30.0, 8.0], [2.0, 0.0]],
        reference=[0.4, 0.0],
        limits=[6.0, 1.5],
        every="20 ms",
        names=["torque", "push"],
    )
    log = ist.simulate_batch(
        system,
        system.state(),
        until=2,
        step="2 ms",
        samples=5,
        disperse={"gain.torque": stats.uniform(0.5, 1.0), "law.reference[0]": stats.norm(0.4, 0.1)},
        control=law,
        outputs=["q.arm.angle", "peak law.push", "max law.torque"],
        log_step="20 ms",
    )
    for k in range(5):
        row = log.design.row(k)
        gain, aim, memory = row["gain.torque"], row["law.reference[0]"], [0.0]

        def control(t, x):
            e = np.array([aim - x.q[0], -x.v[0]])  # noqa: B023
            torque = gain * (4.0 * memory[0] + 30.0 * e[0] + 8.0 * e[1])  # noqa: B023
            push = 0.5 * memory[0] + 2.0 * e[0]  # noqa: B023
            memory[0] += 0.02 * e[0]  # noqa: B023
            force = [0, 0, 0, 0, np.clip(push, -1.5, 1.5), 0]
            return {"tau": [np.clip(torque, -6, 6)], "forces": {("arm", (0, 0, -1.0), "body"): force}}

        single = ist.simulate(
            system, system.state(), until=2, step=2e-3, control=control, control_step=0.02, log_step=0.02
        )
        assert far(log["q.arm.angle"][k], single["arm"].q[:, 0]) < ALIKE
    assert log["max law.torque"].max() == 6.0


def test_samples_stop_where_their_condition_is_crossed():
    system = pendulum()
    x = started(system, arm=1.0)
    log = ist.simulate_batch(
        system,
        x,
        until=3,
        step=0.01,
        samples=3,
        disperse={"damping": [1.0, 500.0, 5000.0]},
        stop=["q.arm.angle < 0.5", "v.arm.angle < -0.5"],
        outputs=["final q.arm.angle", "final v.arm.angle", "mean q.arm.angle", "q.arm.angle"],
    )
    assert log.stopped == {0: "v.arm.angle < -0.5", 1: "q.arm.angle < 0.5"}
    assert log.end[2] == 3.0
    for k in range(3):
        single = log.sample(k)
        assert abs(log.end[k] - single.t[-1]) < 1e-10
        assert abs(log["final q.arm.angle"][k] - single["arm"].q[-1, 0]) < 1e-10
        mean = REDUCTIONS["mean"](single["arm"].q[:, 0], single.t)
        assert abs(log["mean q.arm.angle"][k] - mean) < 1e-10
        there = np.isfinite(log["q.arm.angle"][k])
        assert there.sum() == np.floor(log.end[k] / 0.01 + 1e-9) + 1
    assert log["final v.arm.angle"][0] == pytest.approx(-0.5, abs=1e-11)
    assert log["final q.arm.angle"][1] == pytest.approx(0.5, abs=1e-11)


def test_forces_are_factors_and_a_closed_form_holds():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=4.0, joint=ist.Prismatic("x"))
    system = mb.compile()
    push, pull = np.array([1.0, 2.0, 0.0]), np.array([1.0, 0.5, 3.0])
    acting = {
        "forces": {"cart": [0, 0, 0, 8.0, 0, 0]},
        "tau": [2.0],
        "disperse": {"force.cart": push, "tau": pull},
    }
    log = ist.simulate_batch(system, system.state(), until=1, step=0.1, samples=3, **acting)
    # constant acceleration: RK4 is exact for polynomials of degree four
    a = (8.0 * push + 2.0 * pull) / 4.0
    assert log["final q.cart.travel"] == pytest.approx(0.5 * a, rel=1e-13)
    assert log["final v.cart.travel"] == pytest.approx(a, rel=1e-13)


def test_a_force_from_a_table_has_its_closed_form():
    """A ramp to 8 N in half a second, then held: the acceleration is linear between steps, where RK4 is exact."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=4.0, joint=ist.Prismatic("x"))
    system, scale = mb.compile(), np.array([1.0, 2.0, 0.0])
    ramp = [0.0, 0.5], [[0.0] * 6, [0, 0, 0, 8.0, 0, 0]]
    acting = {"forces": {"cart": ramp}, "tau": [2.0], "disperse": {"force.cart": scale}}
    log = ist.simulate_batch(system, system.state(), until=1, step=0.1, samples=3, **acting)
    v = scale * 2.0 * (0.25 + 0.5) + 0.5
    x = scale * 2.0 * (0.5**2 / 6 + 0.25 * 0.5 + 0.5**2 / 2) + 0.25
    assert log["final v.cart.travel"] == pytest.approx(v, rel=1e-13)
    assert log["final q.cart.travel"] == pytest.approx(x, rel=1e-13)


THRUST = (
    [0.0, 0.013, 0.3, 0.8],
    [[0] * 6, [0, 0, 0, 9.0, 3.0, 0], [0, 0, 0, 9.0, 1.0, 0], [0, 0, 0, 0, 0, 1.0]],
)
MOTOR = ([0.1, 0.5], [0.0, 2.0])


def gust(t):
    return [0, 0, 0, 0, 2.0 + np.sin(9.0 * t), 4.0 if 0.2003 < t < 0.4003 else 0.0]  # between stages


@pytest.mark.parametrize("method", ["rk4", "ros3"])
def test_loads_in_time_are_those_of_single_runs(method):
    """Thrust by a table, a gust by a function and a motor by a table, each with a scale, beneath a law."""
    system, given = satellite(), {"until": 1.0, "step": 2e-3, "log_step": 0.02, "method": method}
    gain = [[6.0, 3.0]]
    law = ist.LinearController(["q.panel.angle", "v.panel.angle"], ["tau.panel.angle"], D=gain, every="20 ms")
    tip = (1.0, 0.2, 0.0)
    forces = [ist.Wrench("bus", THRUST, frame="body"), ist.Wrench("panel", gust, node=tip)]
    acting = {"forces": forces, "tau": {"panel": MOTOR}, "control": law}
    names = "force[0]", "force.panel.(1, 0.2, 0)", "tau.panel.angle"
    table = np.random.default_rng(3).uniform(0.5, 1.5, (3, 3))
    outputs = ["q.panel.angle", "v.bus.vy", "v.bus.wz"]
    log = ist.simulate_batch(
        system,
        system.state(),
        samples=3,
        disperse=dict(zip(names, table)),
        outputs=outputs,
        **acting,
        **given,
    )
    for k in range(3):
        thrust, wind, motor = table[:, k]
        forces = {
            ("bus", None, "body"): (THRUST[0], thrust * np.array(THRUST[1])),
            ("panel", tip): lambda t: wind * np.array(gust(t)),  # noqa: B023
        }

        def control(t, x):
            push = -gain[0][0] * x["panel"].q[0] - gain[0][1] * x["panel"].v[0]
            return {"tau": {"panel": lambda t: push + motor * np.interp(t, *MOTOR)}}  # noqa: B023

        single = ist.simulate(
            system, system.state(), forces=forces, control=control, control_step=0.02, **given
        )
        again = log.sample(k)
        for name, rows in zip(
            outputs, (single["panel"].q[:, 0], single["bus"].v[:, 4], single["bus"].v[:, 2])
        ):
            assert far(log[name][k], rows) < ALIKE
        assert far(again["panel"].q[:, 0], single["panel"].q[:, 0]) < ALIKE


@pytest.mark.parametrize("edges", [(-1.0, 0.004), (0.0565, 1.0), (0.053, 0.057)], ids=str)
@pytest.mark.parametrize("method", ["rk4", "dopri5", "ros2", "ros3"])
def test_pulses_whose_edges_are_ends_of_steps_have_their_impulse(method, edges):
    """m Δv = F · width and I Δω = T · width, to rounding; a table with rows on and beside the edges is no harm."""
    mb = ist.Multibody("b")
    mb.add_body("b", mass=2.0, inertia=np.eye(3), joint=ist.Free())
    mb.add_body("wheel", mass=1.0, inertia=[3.0, 3.0, 3.0], joint=ist.Revolute("z"))
    system, (begin, end) = mb.compile(), edges
    width = min(end, 0.1) - max(begin, 0.0)
    log = ist.simulate_batch(
        system,
        system.state(),
        until=0.1,
        step=5e-4,
        samples=2,
        method=method,
        device="cpu",
        forces=[
            ist.Wrench("b", lambda t: [0, 0, 0, 0, 500.0 if begin <= t < end else 0.0, 0]),
            ist.Wrench(
                "b", ([0.0, 0.004, 0.0041, 0.053], [[0, 0, 0, 0, 0, f] for f in (1.0, 3.0, 0.0, 0.0)])
            ),
        ],
        tau={"wheel": lambda t: 70.0 if begin < t <= end else 0.0},
        disperse={"force": [1.0, 3.0]},
        outputs=["final v.b.vy", "final v.wheel.angle"],
    )
    assert log["final v.b.vy"] == pytest.approx(500.0 * width / 2.0 * np.array([1.0, 3.0]), rel=1e-12)
    assert log["final v.wheel.angle"] == pytest.approx(70.0 * width / 3.0, rel=1e-12)


@pytest.mark.kernels
def test_loads_in_time_with_a_condition():
    """Loads by tables are themselves between steps too, where a condition is crossed."""
    system = pendulum()
    log = ist.simulate_batch(
        system,
        system.state(),
        until=0.1,
        step=0.01,
        samples=2,
        forces={("arm", (0, 0, -1.0)): ([0.0, 0.033, 0.1], [[0] * 6, [0, 0, 0, 0, 30.0, 0], [0] * 6])},
        tau=([0.0, 0.05], [[0.0], [8.0]]),
        disperse={"force": [1.0, 0.8], "tau": [1.0, 2.0]},
        stop="v.arm.angle > 0.3",
    )
    assert len(log.stopped) == 2
    for k in range(2):
        single = log.sample(k)
        assert abs(log.end[k] - single.t[-1]) < 1e-10
        assert abs(log["final q.arm.angle"][k] - single["arm"].q[-1, 0]) < 1e-10


def test_a_sample_that_fails_is_marked_and_the_others_go_on():
    system = satellite()
    log = ist.simulate_batch(
        system,
        started(system, panel=0.1),
        until=4,
        step=0.02,
        samples=3,
        disperse={"stiffness.panel": [1.0, 1e6, 1.2]},
        outputs=["q.panel.angle", "final q.panel.angle"],
    )
    assert log.failed.tolist() == [False, True, False]
    assert "not finite" in log.errors[1] and list(log.errors) == [1]
    assert np.isnan(log["final q.panel.angle"][1]) and 0.0 < log.end[1] < 4.0
    assert np.isfinite(log["q.panel.angle"][[0, 2]]).all()
    alone = ist.simulate_batch(
        system, started(system, panel=0.1), until=4, step=0.02, samples=1, disperse={"stiffness.panel": [1.2]}
    )
    assert alone["final q.panel.angle"][0] == log["final q.panel.angle"][2]
    with pytest.raises(ist.InterstageError, match="infinity"):
        log.sample(1)
    assert log.study.errors == log.errors


def test_closed_loops_and_order_of_threads():
    system = four_bar()
    x = pinned(system, speed=1.0)
    system.drop_redundant(x)
    given = {"until": 0.2, "step": 2e-3, "samples": 7, "disperse": {"mass": stats.uniform(0.5, 1.0)}}
    one = ist.simulate_batch(system, x, threads=1, **given)
    two = ist.simulate_batch(system, x, threads=2, **given)
    for name in one.names:
        assert np.array_equal(one[name], two[name])
    last = one.sample(6)
    got = np.array([one[f"final v.{c.name}"][6] for c in system.layout.velocities()])
    assert far(got, last.v[-1]) < ALIKE


def run_one(row):
    system = satellite(30.0 * row["stiffness.panel"])
    x = started(system, panel=row["q.panel.angle"])
    return ist.simulate(system, x, until=1, step=0.01)


def test_statistics_are_those_of_a_study_with_the_same_seed():
    dispersions = {"stiffness.panel": stats.norm(1.0, 0.1), "q.panel.angle": stats.norm(0.1, 0.02)}
    study = ist.monte_carlo(
        run_one,
        dispersions,
        runs=12,
        seed=5,
        workers=0,
        outputs={
            "rms q.panel.angle": lambda log: REDUCTIONS["rms"](log["panel"].q[:, 0], log.t),
            "min v.panel.angle": lambda log: log["panel"].v[:, 0].min(),
        },
    )
    system = satellite()
    log = ist.simulate_batch(
        system,
        system.state(),
        until=1,
        step=0.01,
        samples=12,
        seed=5,
        disperse=dispersions,
        outputs=["rms q.panel.angle", "min v.panel.angle"],
    )
    assert np.array_equal(log.design.values, study.design.values)
    for name in log.names:
        assert far(log[name], study[name]) < ALIKE
        assert log.study.percentile(name, 90).value == pytest.approx(
            study.percentile(name, 90).value, rel=1e-9
        )
    assert "12 samples" in str(log) and "rms q.panel.angle" in str(log)


def test_attitudes_are_brought_to_unit_length():
    system = satellite()
    log = ist.simulate_batch(
        system, system.state(), until=0.1, step=0.01, samples=2, disperse={"q.bus.quaternion1": [0.5, -0.2]}
    )
    turned = np.stack([log[f"final q.bus.quaternion{k}"] for k in range(4)])
    assert np.linalg.norm(turned, axis=0) == pytest.approx(1.0, abs=1e-14)
    assert turned[1] / turned[0] == pytest.approx([0.5, -0.2], rel=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"samples": 0}, "no number of samples"),
        ({"device": "gpu"}, "no device 'gpu'"),
        ({"method": "dop853"}, "steps of its own"),
        ({"disperse": {"stifness.panel": [1.0, 1.0]}}, "nothing called 'stifness.panel'.*stiffness.panel"),
        ({"disperse": {"stiffness.bus": [1.0, 1.0]}}, "is zero"),
        ({"disperse": {"mass.panel": [1.0, -1.0]}}, "above zero"),
        ({"disperse": {"mass.panel": [1.0]}}, "one for each run"),
        ({"outputs": ["largest q.panel.angle"]}, "no way to reduce.*final, max"),
        ({"outputs": ["final q.pannel.angle"]}, "q.panel.angle"),
        ({"stop": "panel > 1"}, "nothing called 'panel'"),
        ({"stop": "q.panel.angle"}, "cannot be read"),
        ({"control": lambda t, x: None}, "linear"),
        ({"tau": lambda t, system: np.zeros(7)}, "asks for the vehicle"),
        ({"tau": {"panel": lambda t, system: 0.0}}, "asks for the vehicle.*panel"),
        ({"tau": lambda t: [t] * 7, "until": 1e5}, "MiB.*tables"),
        ({"forces": {"bus": [0] * 6}, "disperse": {"force[1]": [1.0, 1.0]}}, "nothing called 'force"),
        ({"until": 0.015}, "whole number of steps"),
        ({"log_step": 0.03}, "whole number of log_step"),
        ({"samples": 10**9, "outputs": "q.panel.angle"}, "GiB"),
    ],
)
def test_mistakes_are_answered_in_words(change, words):
    system = satellite()
    given = {"until": 0.1, "step": 0.01, "samples": 2} | change
    with pytest.raises(InputError, match=words):
        ist.simulate_batch(system, system.state(), **given)


def test_the_mass_of_a_flexible_body_is_that_of_a_component_built_with_it():
    system, factors = boom(), [0.5, 1.0, 1.7]
    given = {"until": 0.1, "step": 2e-4, "log_step": 0.01}
    rates = [f"final v.arm.eta{r}" for r in range(1, 5)]
    log = ist.simulate_batch(
        system,
        started(system, arm=0.3),
        samples=3,
        disperse={"mass": factors},
        outputs=["q.arm.angle", *rates],
        **given,
    )
    for k, s in enumerate(factors):
        # damping stays as it is: 2 ζ ω m, and ζ goes with the root of 1/m
        changed = boom(ratio=0.01 / np.sqrt(s), tip=s, mass=s)
        single = ist.simulate(changed, started(changed, arm=0.3), **given)
        # the modes of another structure are known to 1e-9 (an eigenproblem), those of one frequency as a pair
        assert far(log["q.arm.angle"][k], single["arm"].q[:, 0]) < 1e-8
        size = np.linalg.norm([log[name][k] for name in rates])
        assert size == pytest.approx(np.linalg.norm(single["arm"].etadot[-1]), rel=1e-6)
        assert far(log["q.arm.angle"][k], log.sample(k)["arm"].q[:, 0]) < ALIKE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"D": [[1.0]]}, "D does not fit"),
        ({"limits": (1.0, -1.0)}, "above the upper"),
        ({"reference": [1.0, 2.0, 3.0]}, "reference does not fit"),
        ({"names": ["a", "b"]}, "names of outputs"),
    ],
)
def test_laws_that_do_not_fit(change, words):
    given = {"measures": ["q.arm.angle", "v.arm.angle"], "acts": "tau.arm.angle", "D": [[1.0, 2.0]]} | change
    with pytest.raises(InputError, match=words):
        ist.LinearController(**given)


@pytest.mark.parametrize("stop", [(), ("q.panel.angle < -0.0412345",)])
def test_reductions_mean_the_same_in_batches_runs_and_studies(stop):
    """All of them of a damped swing that decays around 0.02 rad, also where it ends between two rows.

    Closed form: q̈ = -2ζω q̇ - ω² (q - c), exact at every instant; "mean" and "rms" of it by the trapezoidal rule.
    """
    mb = ist.Multibody("swing")
    mb.add_body("panel", mass=1.0, inertia=[1, 1, 2.0], joint=ist.Revolute("z", stiffness=18.0, damping=0.6))
    system = mb.compile()
    x = system.state()
    x["panel"].q[:] = 0.1
    given = {"until": 2.0, "step": 1e-3, "tau": [18.0 * 0.02]}
    texts = [f"{word} q.panel.angle" for word in REDUCTIONS]
    batch = ist.simulate_batch(system, x, samples=2, outputs=texts, stop=stop, log_step=0.05, **given)
    log = batch.sample(1)
    assert (log.t[-1] < 1.9) == bool(stop)
    w, z = 3.0, 0.6 / (2 * 3.0 * 2.0)
    wd = w * np.sqrt(1 - z**2)
    exact = 0.02 + 0.08 * np.exp(-z * w * log.t) * (np.cos(wd * log.t) + z * w / wd * np.sin(wd * log.t))
    np.testing.assert_allclose(log["panel"].q[:, 0], exact, atol=1e-10)

    def flown(row):
        low = ist.Event(lambda t, x: x["panel"].q[0] + 0.0412345, "stop", direction=-1, tolerance=1e-12)
        events = [low] if stop else []
        flight = ist.Assembly("swing", vehicle=system).add("eye", Eye(joint="panel"))
        return ist.simulate(flight, x, log_step=0.05, method="rk4", events=events, **given)

    study = ist.monte_carlo(
        flown, {"q.panel.angle": [0.1]}, runs=1, workers=0,
        outputs={text: text.replace("q.panel.angle", "eye.angle") for text in texts},
    )  # fmt: skip
    for word, text in zip(REDUCTIONS, texts):
        wanted = REDUCTIONS[word](exact, log.t)
        for got in (batch[text][0], REDUCTIONS[word](log["panel"].q[:, 0], log.t), study[text][0]):
            assert got == pytest.approx(wanted, abs=1e-9), word


class Eye(ist.Device):
    """What a joint shows."""

    joint = ist.JointRef()
    q, angle = joint.coordinate(), ist.Out("rad")

    def outputs(d, t):
        d.angle = d.q


def test_rms_and_mean_are_over_time():
    """A free oscillator of 1 rad/s over a quarter period: mean 2/π, rms √½; the trapezoid is h²/12 off."""
    mb = ist.Multibody("swing")
    mb.add_body("bob", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z", stiffness=1.0))
    system = mb.compile()
    x = system.state()
    x["bob"].q[:] = 1.0
    n = 50
    log = ist.simulate_batch(
        system, x, until=np.pi / 2, step=np.pi / 2 / n, samples=1,
        outputs=["rms q.bob.angle", "mean q.bob.angle", "q.bob.angle"], device="cpu",
    )  # fmt: skip
    h = np.pi / 2 / n
    assert log["rms q.bob.angle"][0] == pytest.approx(np.sqrt(0.5), abs=0.2 * h**2)
    assert log["mean q.bob.angle"][0] == pytest.approx(2 / np.pi, abs=0.2 * h**2)
    rows = log["q.bob.angle"][0]
    assert log["rms q.bob.angle"][0] == pytest.approx(
        REDUCTIONS["rms"](rows, h * np.arange(n + 1)), rel=1e-12
    )


def spinner(left=1.0, right=1.0, stiffening=None, once=False):
    """A hub that spins with two booms of one component, heavier by factors, each pushed at its tip and along itself."""
    made = {}

    def component(s):
        if not once or s not in made:
            made[s] = ist.Component.beam(
                4.0, width=0.06, height=0.04, n_modes=4, aset={1: 123456}, elements=6, load_grids=[7],
                material=(7e10, 0.33, 2700.0 * s),
            )  # fmt: skip
        return made[s]

    mb = ist.Multibody("spinner")
    mb.add_body("hub", mass=30.0, inertia=[5.0] * 3, joint=ist.Revolute("z"))
    for name, s, turn in (("left", left, 0.0), ("right", right, 180.0)):
        mb.add_body(
            name, component=component(s), node=1, parent="hub", at=[0.2 * np.cos(np.radians(turn)), 0, 0],
            rotation=ist.Rotation.from_axis_angle([0, 0, 1], turn, degrees=True),
            joint=ist.Revolute("y", stiffness=40.0), stiffening=stiffening,
        )  # fmt: skip
    return mb.compile()


@pytest.mark.parametrize("names", [["mass.left"], ["mass.left", "mass.right"], ["mass"]])
def test_the_mass_of_flexible_bodies_that_loads_stiffen(names):
    """Booms of one component, each with a factor on its mass, are those of components that are made so heavy.

    Two bodies share a component: a factor on one leaves the other alone. Limit as above: modes of another structure.
    """
    factor = [0.7, 1.6]
    system = spinner(once=True)
    push = [ist.Wrench(b, [0.0, 0.0, 0.0, -150.0, 0.0, 3.0], node=7, frame="body") for b in ("left", "right")]
    how = {"until": 0.4, "step": 1e-4, "log_step": 0.1}
    x0 = system.state()
    x0["hub"].v[:] = 4.0
    disperse = dict.fromkeys(names, factor) | (
        {"mass.hub": [1 / f for f in factor]} if names == ["mass"] else {}
    )
    outputs = ["q.left.angle", "q.right.angle", "q.hub.angle"]
    log = ist.simulate_batch(system, x0, samples=2, disperse=disperse, outputs=outputs, forces=push, **how)
    for k, s in enumerate(factor):
        changed = spinner(s, s if len(names) == 2 or names == ["mass"] else 1.0)
        x = changed.state()
        x["hub"].v[:] = 4.0
        single = ist.simulate(changed, x, forces=push, **how)
        for body in ("left", "right", "hub"):
            assert far(log[f"q.{body}.angle"][k], single[body].q[:, 0]) < 1e-7
    plain = spinner(factor[0], factor[0], stiffening=False)
    x = plain.state()
    x["hub"].v[:] = 4.0
    assert far(log["q.left.angle"][0], ist.simulate(plain, x, forces=push, **how)["left"].q[:, 0]) > 1e-3


def test_the_mass_of_a_body_with_tanks_is_no_one_factor():
    from staged_vehicle.vehicle_models import bar_rocket

    v = bar_rocket()
    system = v.multibody(v.shapes(n_modes=4, levels=2, error=1.0)).compile()
    with pytest.raises(
        ist.InterstageError, match="has tanks: its mass is that of its structure and of propellant"
    ):
        ist.simulate_batch(
            system, system.state(), until=0.01, step=1e-3, samples=1, disperse={"mass.rocket": [1.1]},
            outputs=["final v.rocket.vx"],
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["function", "table", "both"])
def test_samples_from_a_point_of_a_log_go_on_at_its_time(kind):
    """A mass of 2 kg, m v = ∫ F dt of a force that jumps at the end of a step; points keep the time of their run."""
    mb = ist.Multibody("mass")
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    jump = (np.array([0.0, np.nextafter(0.7, 0.0), 0.7, 2.0]), np.zeros((4, 6)))  # at an end of a step
    jump[1][:2, 5], jump[1][2:, 5] = 3.0, 5.0
    table = ist.Wrench("m", jump, frame="world")
    forces = {
        "table": [table],
        "function": [ist.Wrench("m", lambda t: [0, 0, 0, 0, 0, 3.0 if t < 0.7 else 5.0], frame="world")],
    }
    forces["both"] = forces["table"] + forces["function"]
    along = ist.simulate(system, system.state(), until=1.0, step=1e-2, forces=forces[kind])
    point = along.point(0.5)
    names = {"function": ["force[0]"], "table": ["force[0]"], "both": ["force[0]", "force[1]"]}[kind]
    batch = ist.simulate_batch(
        system,
        point,
        until=1.0,
        step=1e-2,
        samples=2,
        forces=forces[kind],
        disperse={name: np.array([1.0, 2.0]) for name in names},
        outputs=["v.m.vz", "final v.m.vz", "mean v.m.vz"],
        stop="v.m.vz > 5.5",
    )
    many = len(names)
    assert batch.t[0] == 0.5 and batch.t[-1] == 1.0
    begin, rest = 3.0 * 0.5 / 2.0 * many, (3.0 * 0.2 + 5.0 * 0.3) / 2.0 * many
    assert batch["v.m.vz"][0, -1] == pytest.approx(begin + rest, rel=1e-12) == along["m"].v[-1, 5]
    ends = begin + 2.0 * rest
    if ends > 5.5:
        crossed = 1.0 - (ends - 5.5) / (2.0 * many * 5.0 / 2.0)
        assert batch.end[1] == pytest.approx(crossed, abs=1e-10)
    else:
        assert batch["final v.m.vz"][1] == pytest.approx(ends, rel=1e-12)
        assert batch.end[1] == 1.0
    mean = begin + many * (3.0 * (0.5 * 0.2**2 + 0.2 * 0.3) + 5.0 * 0.5 * 0.3**2) / 2.0 / 0.5
    assert batch["mean v.m.vz"][0] == pytest.approx(mean, rel=1e-12)  # rows at the jump: trapezoids are exact
    for k in range(2):
        one = batch.sample(k)
        assert one.t[0] == 0.5 and one.t[-1] == pytest.approx(batch.end[k], abs=1e-10)
        assert one["m"].v[-1, 5] == pytest.approx(batch["final v.m.vz"][k], rel=1e-12)
    with pytest.raises(InputError, match="the samples end before they start"):
        ist.simulate_batch(system, point, until=0.4, step=1e-2, samples=1, forces=forces[kind])


def test_batches_say_what_their_point_does_not_hold():
    system = satellite()
    law = {"bus": lambda t: (100.0 - 9.0 * t, [0, 0, 0], np.diag([80.0, 80, 90]))}
    log = ist.simulate(system, started(system, panel=0.1), until=0.1, step=1e-2, mass=law)
    with pytest.warns(ist.FidelityWarning, match=r"a batch takes none.*mass= for bus"):
        ist.simulate_batch(system, log.point(0.05), until=0.1, step=1e-2, samples=1)
    pushed = ist.simulate(
        system, started(system), until=0.1, step=1e-2, forces={("bus", (0, 0, 0)): [0, 0, 0, 0, 0, 9.0]}
    )
    with pytest.warns(ist.FidelityWarning, match="brings its loads along: forces"):
        ist.simulate_batch(system, pushed.state(5), until=0.1, step=1e-2, samples=1)
