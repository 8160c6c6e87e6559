"""Assemblies whose vehicle changes on the way: against runs of the vehicle alone, closed forms, and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam
from scipy.integrate import solve_ivp

import interstage as ist
from interstage import devices as dev
from interstage.devices.fields import oblate_gravity
from interstage.errors import InputError, SolverError

BEAM = beam(n_elements=5, n_modes=3, E=2e8)
TIP = int(BEAM.node_ids[-1])
# the same steps by the same method: nothing but the order of sums may differ
SAME = {"rtol": 0.0, "atol": 1e-12}
METHODS = [{"step": 0.01}, {"step": 0.01, "method": "ros3"}]
METHODS += [{"method": name} for name in ("dopri5", "dop853", "radau")]


class Thrust(ist.Device):
    """A force that turns with its place."""

    at = ist.Site()
    push, size = at.force("node"), ist.Parameter("N", 5.0)
    velocity, speed = at.velocity("node"), ist.Out("m/s")

    def outputs(d, t):
        d.push[0], d.push[1], d.push[2] = d.size, 0.0, 0.0
        d.speed = d.velocity[0]


class Motor(ist.Device):
    """A torque that does not change, and what its joint shows."""

    joint = ist.JointRef()
    angle, torque, size = joint.coordinate(), joint.force(), ist.Parameter("N*m", 0.3)

    def outputs(d, t):
        d.torque = d.size


def arms():
    """A free bus with a flexible boom and two arms that turn, moving."""
    mb = ist.Multibody("arms")
    mb.add_body("bus", mass=20.0, inertia=[5, 6, 7], joint=ist.Free())
    mb.add_body("boom", component=BEAM, parent="bus", at=[0.5, 0, 0])
    arm = {"mass": 2.0, "com": [0.2, 0, 0], "inertia": [0.1, 0.2, 0.2]}
    mb.add_body("arm", **arm, parent="bus", at=[-1, 0, 0], joint=ist.Revolute("z"))
    hand = {"mass": 1.0, "com": [0, 0.1, 0], "inertia": [0.1] * 3}
    mb.add_body("hand", **hand, parent="arm", at=[0.5, 0, 0], joint=ist.Revolute("y"))
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:] = [0.1, -0.2, 0.3, 1.0, 0.0, -0.5]
    x["arm"].v[:], x["hand"].v[:] = 0.7, -0.4
    return system, x


def unlock(t, system, x):
    system.set_joint_mode("hand", "free")


CHANGES = [
    ist.Event(at=0.1, action=ist.SetJointMode("hand", "locked"), name="lock"),
    ist.Event(at=0.3, action=ist.Detach("arm"), name="leave"),
    ist.Event(at=0.5, action=unlock, name="unlock"),
    ist.Event(at=0.7, action=[ist.Reattach("hand", ("boom", TIP), snap=True)], name="move"),
    ist.Event(at=0.8, action=ist.RemoveBody("arm"), name="forget"),
]


def momentum_lost(log):
    """Return the greatest change of momentum before the last change of the vehicle."""
    kept = np.concatenate([phase.sums for phase in log.phases[:-1]])[:, 3:]
    return np.abs(kept - kept[0]).max()


@pytest.mark.parametrize("options", METHODS, ids=str)
def test_a_vehicle_that_changes_flies_as_it_does_alone(options):
    """Locked, detached, unlocked, docked elsewhere, removed: states, phases, momentum and energy are the same."""
    system, x = arms()
    adaptive = {} if "step" in options else {"rtol": 1e-10, "atol": 1e-10}
    alone = ist.simulate(system, x, 1.0, events=CHANGES, **options, **adaptive)
    log = ist.simulate(ist.Assembly("arms", vehicle=system), x, 1.0, events=CHANGES, **options, **adaptive)
    assert [str(e) for e in log.events] == [str(e) for e in alone.events] and len(log.phases) == 6
    for ours, theirs in zip(log.phases, alone.phases):
        assert ours.system.bodies == theirs.system.bodies
        if "step" in options:
            np.testing.assert_allclose(ours.t, theirs.t, atol=1e-12)
        # adaptive steps begin with other first steps: both are as exact as their tolerance
        close = SAME if "step" in options else {"rtol": 0.0, "atol": 1e-7}
        np.testing.assert_allclose(ours.q[-1], theirs.q[-1], **close)
        np.testing.assert_allclose(ours.v[-1], theirs.v[-1], **close)
    for ours, theirs in zip(log.events, alone.events):
        np.testing.assert_allclose(ours.energy_loss, theirs.energy_loss, atol=1e-7)
        if ours.name != "forget":
            np.testing.assert_allclose(ours.momentum_after, ours.momentum_before, rtol=1e-11)
    # what is removed takes its momentum with it; until then steps keep it as well as their order, three or more, does
    lost = momentum_lost(log)
    if "step" in options:
        half = {**options, "step": options["step"] / 2}
        finer = momentum_lost(ist.simulate(system, x, 1.0, events=CHANGES, **half))
        assert lost > 6.0 * finer and finer < 1e-5
    else:
        assert lost < 1e-5
    assert system.bodies == ["bus", "boom", "arm", "hand"] and system.joint_mode("hand") == "free"


def test_devices_go_with_the_body_that_leaves_and_samples_keep_their_ticks():
    system, x = arms()
    leave = [ist.Event(at=0.305, action=ist.Detach("arm"), name="leave")]
    made = ist.Assembly("arms", vehicle=system)
    made.add("jet", Thrust(at=("hand", [0.1, 0, 0]))).add("boom", Thrust(at=("boom", TIP), size=2.0))
    made.add("clock", lambda t, speed: speed, every="40 ms", out={"seen": "m/s"})
    made.wire({"jet.speed": "clock.speed"})
    log = ist.simulate(made, x, 1.0, step="5 ms", events=leave)
    push = [
        ist.Wrench("hand", [0, 0, 0, 5.0, 0, 0], [0.1, 0, 0], "node"),
        ist.Wrench("boom", [0, 0, 0, 2.0, 0, 0], TIP, "node"),
    ]
    alone = ist.simulate(system, x, 1.0, 0.005, forces=push, events=leave)
    for ours, theirs in zip(log.phases, alone.phases):
        np.testing.assert_allclose(ours.q[-1], theirs.q[-1], **SAME)
    assert log.times("clock.seen") == pytest.approx([0.04 * k for k in range(26)], abs=1e-12)
    # what the law saw is the speed there, also after its body has left
    jet = log.velocity("hand", [0.1, 0, 0], frame="body")
    rows = [int(np.argmin(abs(log.t - t))) for t in log.times("clock.seen")]
    np.testing.assert_allclose(log["clock.seen"], jet[rows, 3], atol=1e-12)


def test_a_motor_drives_its_joint_as_long_as_that_is_free():
    """Locked, it does nothing; unlocked, it goes on; when the arm has left there is no joint, and its angle is held."""
    system, x = arms()
    events = [
        ist.Event(at=0.2, action=ist.SetJointMode("arm", "locked")),
        ist.Event(at=0.4, action=ist.SetJointMode("arm", "free")),
        ist.Event(at=0.5, action=ist.SetJointMode("arm", "prescribed")),
        ist.Event(at=0.6, action=ist.SetJointMode("arm", "free")),
        ist.Event(at=0.8, action=ist.Detach("arm")),
    ]
    made = ist.Assembly("arms", vehicle=system).add("motor", Motor(joint="arm"))
    log = ist.simulate(made, x, 1.0, step="10 ms", events=events)
    tau = np.zeros(system.nv)
    tau[system.layout["arm"].v] = 0.3
    alone = ist.simulate(system, x, 1.0, 0.01, tau=tau, events=events)
    assert len(log.phases) == len(alone.phases) == 6
    for ours, theirs in zip(log.phases, alone.phases):
        np.testing.assert_allclose(ours.v[-1], theirs.v[-1], **SAME)
    np.testing.assert_allclose(log["motor.angle"][log.t >= 0.8 + 1e-9], log.phases[4]["arm"].q[-1, 0], rtol=0)


def test_loads_of_an_operating_point_follow_names():
    system, x = arms()
    tau = np.zeros(system.nv)
    tau[system.layout["hand"].v] = 0.2
    loads = ist.Loads.of(system, {("boom", TIP): [0, 0, 0, 0, 3.0, 0], "arm": [0, 0, 0, 1.0, 0, 0]}, tau)
    point = ist.OperatingPoint(x, loads, np.zeros(system.nv), system.settings)
    events = [ist.Event(at=0.5, action=ist.Detach("arm")), ist.Event(at=0.7, action=ist.RemoveBody("arm"))]
    log = ist.simulate(ist.Assembly("arms", vehicle=system), point, 1.0, step="10 ms", events=events)
    alone = ist.simulate(system, point, 1.0, 0.01, events=events)
    np.testing.assert_allclose(log.phases[-1].q[-1], alone.phases[-1].q[-1], **SAME)
    assert [force.body for force in log.end.loads.forces] == ["boom"]


class Spring(ist.Device):
    """A spring at a joint that slides, without stop."""

    joint = ist.JointRef("m")
    stroke, force = joint.coordinate(), joint.force()
    k, length = ist.Parameter("N/m", 400.0), ist.Parameter("m", 0.1)

    def outputs(d, t):
        d.force = d.k * (d.length - d.stroke)


def test_separation_springs():
    """Released from 0.1 m, two masses leave each other at the end of the stroke with √(k/μ) 0.1 m."""
    mb = ist.Multibody("stages")
    mb.add_body("upper", mass=3.0, inertia=np.eye(3), joint=ist.Free())
    mb.add_body("lower", mass=6.0, inertia=np.eye(3), parent="upper", joint=ist.Prismatic("x"))
    system = mb.compile()
    system.set_joint_mode("lower", "locked")
    made = ist.Assembly("stages", vehicle=system).add("spring", Spring(joint="lower"))
    events = [
        ist.Event(at=0.25, action=ist.SetJointMode("lower", "free"), name="release"),
        ist.Event("spring.stroke", ist.Detach("lower"), level=0.1, direction=1, name="apart"),
    ]
    log = ist.simulate(made, None, 1.0, step="1 ms", events=events)
    rate = np.sqrt(400.0 / 2.0)
    # a quarter of a period; RK4 at 0.014 of a radian a step is exact to 1e-9 of it
    assert log.events[1].t == pytest.approx(0.25 + 0.5 * np.pi / rate, abs=1e-8)
    apart = log.velocity("lower")[-1, 3] - log.velocity("upper")[-1, 3]
    assert apart == pytest.approx(0.1 * rate, rel=1e-8)
    assert log.velocity("upper")[-1, 3] == pytest.approx(-2.0 / 3.0 * 0.1 * rate, rel=1e-8)
    np.testing.assert_allclose(log.momentum, 0.0, atol=1e-12)
    assert log["spring.stroke"][-1] == pytest.approx(0.1, abs=1e-8)


def test_a_stage_that_leaves_falls_in_the_field_of_its_own_place():
    """After separation each body flies as a point under J2 does by itself (scipy's integration of it)."""
    mb = ist.Multibody("stack")
    mb.add_body("upper", mass=100.0, inertia=[1, 2, 3], joint=ist.Free())
    mb.add_body("lower", mass=300.0, inertia=[10, 20, 30], parent="upper", at=[-2, 0, 0])
    system = mb.compile()
    made = ist.Assembly("orbit", vehicle=system).add("earth", dev.Earth(gravity="J2"))
    x = system.state()
    x["upper"].position[:], x["upper"].velocity[3:] = [7e6, 0, 0], [0, 7500.0, 100.0]

    def kick(t, system, x):
        x["upper"].velocity[3] += 3.0
        x["lower"].velocity[3] -= 1.0

    apart = ist.Event(at=100.0, action=[ist.Detach("lower"), kick], name="separation")
    log = ist.simulate(made, x, 900.0, step="1 s", events=[apart])
    earth, phase = dev.Earth(gravity="J2"), log.phases[1]
    mu, radius, J2 = float(earth.mu), float(earth.radius), float(earth.J2)

    def fall(t, y):
        return np.r_[y[3:], oblate_gravity(mu, radius, J2, (0.0, 0.0, 1.0), tuple(y[:3]))]

    for body in ("upper", "lower"):
        first = np.r_[phase[body].position[0], phase.system.velocity(phase.state(0), body)[3:]]
        truth = solve_ivp(fall, (100, 900), first, method="DOP853", rtol=1e-12, atol=1e-8)
        # steps of one second in an orbit of 6000 s: 1e-6 m; the field of the other body would differ by 100 m
        np.testing.assert_allclose(phase[body].position[-1], truth.y[:3, -1], atol=2e-5)


def test_closures_open_and_shut():
    def four_bars():
        mb = ist.Multibody("bars", gravity=[0, -9.81, 0])
        rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1] * 3, "joint": ist.Revolute("z")}
        mb.add_body("crank", **rod)
        mb.add_body("rod", **rod, parent="crank", at=[1, 0, 0])
        mb.close("pin", ("rod", [1, 0, 0]), (None, [1.2, 0.5, 0]), joint=ist.Ball())
        return mb.compile()

    def let_go(t, system, x):
        system.open_closure("pin")

    system = four_bars()
    x = system.assemble(system.state([1.0, -1.5]))
    system.drop_redundant(x)  # the ball also holds what cannot move: the third direction
    events = [ist.Event(at=0.2, action=let_go, name="open")]
    log = ist.simulate(ist.Assembly("bars", vehicle=system), x, 0.5, step="2 ms", events=events)
    alone = ist.simulate(system, x, 0.5, 0.002, events=events)
    np.testing.assert_allclose(log.q, alone.q, **SAME)
    assert log.system.settings.opened == frozenset({"pin"}) and not log.phases[0].system.settings.opened


def test_events_at_times_come_before_samples_and_at_the_start():
    order = []

    def law(t):
        order.append(("law", t))
        return t

    def noted(name):
        return lambda t, system, x: order.append((name, t))

    events = [
        ist.Event(at=1.0, action=noted("at a tick")),
        ist.Event(at=0.0, action=noted("start")),
        ist.Event(at=0.75001, action=noted("between")),
        ist.Event(at=2.0, action=noted("end")),
        ist.Event(at=3.0, action=noted("never")),
    ]
    made = ist.Assembly("clock").add("law", law, every="0.5 s", out={"t": "s"})
    log = ist.simulate(made, None, 2.0, step="0.2 s", events=events)
    assert order == [
        ("start", 0.0), ("law", 0.0), ("law", 0.5), ("between", 0.75001), ("at a tick", 1.0), ("law", 1.0),
        ("law", 1.5), ("end", 2.0), ("law", 2.0),
    ]  # fmt: skip
    # rows are those of steps and of events, each once
    assert np.all(np.diff(log.t) > 0.0) and 0.75001 in log.t and len(log.phases) == 1
    stop = ist.Event(at=0.3, action="stop")
    assert ist.simulate(made, None, 2.0, step="0.2 s", events=[stop]).t[-1] == 0.3
    assert len(ist.simulate(made, None, 2.0, events=[ist.Event(at=0.0, action="stop")]).t) == 1
    with pytest.raises(InputError, match="lies before the start of the run"):
        ist.simulate(made, None, 2.0, start=1, events=[stop])


def test_phases_are_in_the_file(tmp_path):
    system, x = arms()
    made = ist.Assembly("arms", vehicle=system).add("motor", Motor(joint="arm"))
    log = ist.simulate(made, x, 1.0, step="10 ms", events=CHANGES, log=tmp_path / "arms.h5")
    back = ist.load(tmp_path / "arms.h5")
    assert [p.system.bodies for p in back.phases] == [p.system.bodies for p in log.phases]
    for ours, theirs in zip(back.phases, log.phases):
        assert np.array_equal(ours.q, theirs.q) and np.array_equal(ours.v, theirs.v)
        assert ours.system.settings == theirs.system.settings
    assert np.array_equal(back["motor.angle"], log["motor.angle"])
    np.testing.assert_allclose(back.momentum, log.momentum, atol=1e-12)
    assert np.array_equal(back.position("hand"), log.position("hand"))
    back.save(tmp_path / "plain.h5")
    assert len(ist.load(tmp_path / "plain.h5").t) == len(log.t)


def test_a_joint_of_several_axes_cannot_be_turned_round():
    mb = ist.Multibody("pair")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=ist.Free())
    mb.add_body("b", mass=1.0, inertia=np.eye(3), parent="a", at=[1, 0, 0], joint=ist.Universal("yz"))
    mb.add_body("post", mass=1.0, inertia=np.eye(3))
    system = mb.compile()

    class Drive(ist.Device):
        joint = ist.JointRef(size=2)
        torque = joint.force()

        def outputs(d, t):
            d.torque[0] = 0.1

    made = ist.Assembly("pair", vehicle=system).add("drive", Drive(joint="b"))
    x = system.state()
    x["a"].position[0] = 1.0
    dock = ist.Event(at=0.1, action=ist.Attach("b", "post", snap=True), name="dock")
    with pytest.raises(SolverError, match="joint of body 'b' was turned round"):
        ist.simulate(made, x, 1.0, events=[dock])
