"""What is on a stage that leaves goes with it: devices, loads and results at its nodes, with and without tanks.

The truth is the structure itself: all dofs of the beams under the same forces, by the matrix exponential.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import interstage as ist
from interstage import devices as dev
from interstage.fem import lumped_beam

LOWER = lumped_beam(8.0, 2, EA=4e7, GJ=1e7, EI=3e7, mass=[300.0, 300.0, 300.0, 40.0, 40.0, 40.0])
UPPER = lumped_beam(6.0, 2, EA=3e7, GJ=1e7, EI=2e7, mass=[100.0, 100.0, 100.0, 20.0, 20.0, 20.0])
STAGED, END, FORCE = 0.1, 0.3, 20.0  # small enough that turns are linear


def stack(tanks=()):
    """Two stages of three nodes along x; `tanks` names those that have propellant, all of whose mass is 30 kg."""
    v = ist.StagedVehicle("v")
    for name, (K, M, nodes), at in (("first", LOWER, 0.0), ("upper", UPPER, 8.0)):
        stage = ist.Stage(name, K=K, M=M, nodes=nodes)
        if name in tanks:
            full = np.diag(np.tile([10.0, 10.0, 10.0, 0.0, 0.0, 0.0], 3))
            stage.add_tank(f"of {name}", levels={0.0: 0.0 * full, 30.0: full})
        v.add(stage, at=[at, 0.0, 0.0])
    v.join("sep", ("first", 3), ("upper", 1))
    return v


def all_modes(v):
    """Every flexible shape of a vehicle: nothing is left out."""
    n = v.stack().K_g.shape[0] - 6 * (len(v.stages) - 1) - 6
    return v.shapes(n_modes=n, error=1.0, levels=2, reference=1.0)


@pytest.fixture(scope="module")
def parts():
    v = stack()
    return v, all_modes(v), all_modes(v.without("first")), all_modes(v.without("upper"))


def moved(K, M, f, y, h):
    """Return (u, u̇) of a structure after h under constant forces, from y."""
    n = len(K)
    A = np.zeros((2 * n + 1, 2 * n + 1))
    A[:n, n : 2 * n], A[n : 2 * n, :n] = np.eye(n), -np.linalg.solve(M, K)
    A[n : 2 * n, -1] = np.linalg.solve(M, f)
    return (expm(A * h) @ np.append(y, 1.0))[:-1]


def structure(force):
    """Return (u, u̇) of the lower stage at the end: pushed at its foot, as a part of the stack and then alone."""
    (K1, M1, _), (K2, M2, _) = LOWER, UPPER
    K, M, f = np.zeros((30, 30)), np.zeros((30, 30)), np.zeros(30)
    for one, two, at in ((K1, M1, slice(0, 18)), (K2, M2, slice(12, 30))):
        K[at, at] += one
        M[at, at] += two
    f[:3] = force
    y = moved(K, M, f, np.zeros(60), STAGED)
    return moved(K1, M1, f[:18], np.concatenate([y[:18], y[30:48]]), END - STAGED)


class Push(ist.Device):
    """A constant force in world axes."""

    at = ist.Site()
    force = ist.Parameter("N", [0.0, 0.0, 0.0])
    f = at.force("world")
    rate, seen = at.rate("world"), ist.Out("rad/s", 3)

    def outputs(d, t):
        for i in range(3):
            d.f[i] = d.force[i]
            d.seen[i] = d.rate[i]


def flown(parts, how, force, soft=True):
    v, shapes, after, spent = parts
    system = v.multibody(shapes).compile()
    foot = ("v", shapes.node_id("first", 1))
    drop = v.staging("sep", when=STAGED, shapes=after, spent=spent if soft else "rigid")
    given = {"until": END, "step": 5e-4, "method": "rk4", "log_step": 0.1, "events": [drop]}
    if how == "load":
        return ist.simulate(system, system.state(), forces={foot: [0.0, 0.0, 0.0, *force]}, **given), foot[1]
    flight = ist.Assembly("flight", vehicle=system).add("retro", Push(at=foot, force=force))
    return ist.simulate(flight, system.state(), **given), foot[1]


@pytest.mark.parametrize("how", ["device", "load"])
def test_a_force_on_what_leaves_moves_what_leaves(parts, how):
    """Axial and lateral push at the foot, stack and stage without tanks: full structure, with its linear turns.

    RK4 at 0.5 ms resolves modes to 200 Hz to 1e-5; the stage turns by 0.06 mrad.
    """
    log, foot = flown(parts, how, [-0.5 * FORCE, 0.2 * FORCE, 0.0])
    truth = structure([-0.5 * FORCE, 0.2 * FORCE, 0.0])
    phase = log.phases[-1]
    way = phase.position("first", foot)[-1]
    np.testing.assert_allclose(way, truth[:3], atol=1e-4 * np.abs(truth[:3]).max())
    speed = phase.system.velocity(phase.state(-1), "first", foot)
    np.testing.assert_allclose(speed[3:], truth[18:21], atol=2e-3 * np.abs(truth[18:21]).max())
    if how == "device":  # what it sees went with it
        np.testing.assert_allclose(
            log["retro.seen"][-1], truth[21:24], atol=2e-3 * np.abs(truth[21:24]).max()
        )
    assert "without a place" not in str(log.events[0])


def test_a_rigid_stage_feels_the_force_at_its_node(parts):
    """What leaves as a rigid body: f/m and the moment of the push about its center of mass, in closed form."""
    force = np.array([-0.5 * FORCE, 0.2 * FORCE, 0.0])
    log, _ = flown(parts, "device", force, soft=False)
    phase = log.phases[-1]
    mass, inertia = 900.0, 600.0 * 4.0**2 + 3 * 40.0
    begin, end = (phase.system.momentum(phase.state(k)) for k in (0, -1))
    np.testing.assert_allclose(end[3:] - begin[3:], force * (END - STAGED), rtol=1e-9, atol=1e-12)
    first = phase["first"].velocity
    spin = -4.0 * force[1] / inertia * (END - STAGED)
    assert first[-1, 2] - first[0, 2] == pytest.approx(spin, rel=1e-3)  # modes that ring at the cut
    com = [4.0, 0.0, 0.0]
    speeds = [phase.system.velocity(phase.state(k), "first", com)[3:] for k in (0, -1)]
    np.testing.assert_allclose(speeds[1] - speeds[0], force / mass * (END - STAGED), rtol=1e-2, atol=1e-9)


@pytest.mark.parametrize("tanks", [(), ("first",), ("upper",)])
@pytest.mark.parametrize("soft", [True, False])
def test_stages_without_tanks_fly(tanks, soft):
    """Whatever has tanks, the stack is cut, momentum is kept, and modes are damped as asked."""
    v = stack(tanks)
    shapes, after = all_modes(v), all_modes(v.without("first"))
    spent = all_modes(v.without("upper")) if soft else "rigid"
    system = v.multibody(shapes, damping=lambda hz: 0.01 + 1e-4 * hz).compile()
    drop = v.staging("sep", when=0.01, shapes=after, spent=spent, damping=0.02)
    x = system.state()
    x["v"].velocity[:] = [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]
    flight = ist.Assembly("flight", vehicle=system)
    log = ist.simulate(flight, x, until=0.02, step=1e-3, method="ros2", events=[drop])
    record = log.events[0]
    np.testing.assert_allclose(record.momentum_after, record.momentum_before, rtol=1e-9, atol=1e-9)
    assert log.phases[-1].system.bodies == ["v", "first"]
    both = ist.linearize(system, system.state())
    poles = both.poles()
    found = poles[poles.imag > 1.0]
    hz = np.abs(found) / (2 * np.pi)
    np.testing.assert_allclose(-found.real / np.abs(found), 0.01 + 1e-4 * hz, rtol=2e-3)


def test_a_run_with_a_retro_engine_goes_on(parts, tmp_path):
    """Resumed after the cut, the engine on what has left pushes it as it does in the unbroken run, bit for bit."""

    def made():
        v, shapes, after, _ = parts
        system = v.multibody(shapes).compile()
        flight = ist.Assembly("flight", vehicle=system)
        foot = ("v", shapes.node_id("first", 1))
        flight.add("retro", dev.Engine(body=foot, axis=[-1, 0, 0], thrust=FORCE, level=1.0))
        return flight, system.state(), [v.staging("sep", when=0.02, shapes=after)]

    flight, x, events = made()
    given = {"step": 1e-3, "method": "ros2", "log_step": 0.01}
    whole = ist.simulate(flight, x, until=0.08, events=events, **given)
    flight, x, events = made()
    ist.simulate(flight, x, until=0.05, events=events, log=tmp_path / "a.h5", checkpoint="0.04 s", **given)
    flight, _, events = made()
    log = ist.resume(tmp_path / "a.ckpt.h5", flight, until=0.08, events=events)
    np.testing.assert_array_equal(log.phases[-1].v, whole.phases[-1].v)
    # the engine comes up at once; modes ring by some percent
    speed = -FORCE * (0.02 / 1200.0 + 0.06 / 900.0)
    assert whole.phases[-1]["first"].velocity[-1, 3] == pytest.approx(speed, rel=0.1)


def test_what_loses_its_node_says_so():
    """Another component without the node: the run warns, and the record of the event names what acts on nothing."""
    K, M, nodes = UPPER
    fine = ist.Component.from_matrices(K, M, nodes, n_modes=3, aset={1: 123456})
    K, M, nodes = lumped_beam(6.0, 1, EA=3e7, GJ=1e7, EI=2e7, mass=[150.0, 150.0, 150.0, 20.0, 20.0, 20.0])
    coarse = ist.Component.from_matrices(K, M, nodes, n_modes=3, aset={1: 123456})
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=100.0, inertia=[10, 10, 10], joint=ist.Free())
    mb.add_body("boom", component=fine, node=1, parent="bus", at=[0, 0, 0])
    system = mb.compile()
    flight = ist.Assembly("flight", vehicle=system).add("push", Push(at=("boom", 3), force=[0, 1, 0]))
    change = ist.Event(at=0.01, action=ist.ReplaceComponent("boom", coarse))
    with pytest.warns(ist.FidelityWarning, match=r"lost the place of push.rate, push.f at t = 0.01 s"):
        log = ist.simulate(flight, system.state(), until=0.02, step=1e-3, events=[change])
    assert log.events[0].what.endswith("without a place: push.rate, push.f")


@pytest.mark.parametrize("soft", [True, False])
def test_bodies_on_both_parts_keep_what_cannot_change(soft):
    """Nozzles on both parts, some propellant, few shapes, 7 km/s: center of mass and momentum of all, before and after.

    The moment about the center of mass is kept to what nodes jump by beside the arms of what hangs on them: 1e-5.
    """
    v = stack(("first", "upper"))
    shapes = v.shapes(n_modes=4, error=1.0, levels=2)
    after = v.without("first").shapes(n_modes=2, error=1.0, levels=2)
    spent = v.without("upper").shapes(n_modes=2, error=1.0, levels=2) if soft else "rigid"
    mb = v.multibody(shapes, propellant={"of first": 3.0, "of upper": 25.0})
    hung = {"mass": 50.0, "com": [-0.4, 0.1, 0], "inertia": [3, 4, 5], "parent": "v"}
    mb.add_body("nozzle", at=shapes.node_id("first", 1), joint=ist.Universal("yz"), **hung)
    mb.add_body("probe", at=shapes.node_id("upper", 3), joint=ist.Ball(), **hung)
    mb.add_body("lump", mass=30.0, inertia=[1, 1, 1], parent="nozzle", at=[-0.5, 0, 0], joint=ist.Locked())
    system, rng = mb.compile(), np.random.default_rng(0)
    x = system.state()
    x["v"].eta[:] = 0.01 * rng.normal(size=len(shapes))
    x["v"].etadot[:] = 0.1 * rng.normal(size=len(shapes))
    x["v"].velocity[:] = [0.05, 0.1, -0.1, 7000.0, 1000.0, -500.0]
    x["nozzle"].q[:], x["nozzle"].v[:] = [0.1, -0.2], [0.3, 0.4]
    new, y = v.staging("sep", when=1.0, shapes=after, spent=spent).action.apply(0.0, system, x)
    assert y["first"].velocity.any()
    center, there = system.mass_properties(x).com, new.mass_properties(y).com
    np.testing.assert_allclose(there, center, atol=1e-12)
    before, now = system.momentum(x, center), new.momentum(y, center)
    np.testing.assert_allclose(now[3:], before[3:], rtol=1e-14)
    np.testing.assert_allclose(now[:3], before[:3], atol=1e-5 * np.abs(before[:3]).max())


def test_nodes_keep_their_ids_through_every_staging():
    """Four stages whose nodes have the same numbers, cut twice: each place is seen, and pushed, where it is."""
    names = ["s1", "s2", "s3", "s4"]
    v = ist.StagedVehicle("v")
    K, M, nodes = lumped_beam(2.0, 1, EA=4e5, GJ=1e4, EI=3e4, mass=[3.0, 3.0, 3.0, 0.4, 0.4, 0.4])
    for k, name in enumerate(names):
        v.add(ist.Stage(name, K=K, M=M, nodes=nodes), at=[2.0 * k, 0.0, 0.0])
    for k in range(3):
        v.join(f"j{k}", (names[k], 2), (names[k + 1], 1))
    parts = [v, v.without("s1"), v.without("s1").without("s2")]
    whole, upper, last = (one.shapes(n_modes=3, error=1.0, levels=2) for one in parts)
    assert upper.node_id("s3", 2) == last.node_id("s3", 2) == whole.node_id("s3", 2) == 3_000_002
    flight = ist.Assembly("flight", vehicle=v.multibody(whole).compile())
    for name in names:
        push = [0.0, 5.0 if name == "s3" else 0.0, 0.0]
        flight.add(name, Push(at=("v", whole.node_id(name, 2)), force=push))
    drops = [
        one.staging(f"j{k}", when=0.01 * (k + 1), shapes=after, before=before)
        for k, (one, before, after) in enumerate([(v, whole, upper), (parts[1], upper, last)])
    ]
    log = ist.simulate(flight, flight.vehicle.state(), 0.05, 1e-3, method="ros2", events=drops)
    assert all("without a place" not in str(event) for event in log.events)
    system, x = log.phases[-1].system, log.phases[-1].state(-1)
    assert system.bodies == ["v", "s2", "s1"]
    places = {
        "s3": ("v", 3_000_002),
        "s4": ("v", 4_000_002),
        "s1": ("s1", [2.0, 0, 0]),
        "s2": ("s2", [4.0, 0, 0]),
    }
    for name, place in places.items():
        np.testing.assert_allclose(log[f"{name}.seen"][-1], system.velocity(x, *place)[:3], atol=1e-12)
    # the push is on the third stage: its moment about the origin is 6 m x 5 N, all the way (places move by some mm)
    torque = system.momentum(x) / 0.05
    np.testing.assert_allclose(torque, [0, 0, 30.0, 0, 5.0, 0], atol=0.02)


def test_a_body_of_other_shapes_is_not_cut():
    """As many shapes of the same vehicle, asked for after those of the body: without before= these would be taken."""
    v = stack()
    own = v.shapes(n_modes=4, error=1.0, levels=2)
    after = v.without("first").shapes(n_modes=2, error=1.0, levels=2)
    turned = v.shapes(vectors=np.flip(own.q, axis=1) @ np.diag([1.0, 2.0, 3.0, 4.0]), certify=2, n_modes=2)
    system = v.multibody(own).compile()
    v.multibody(turned)
    drop = v.staging("sep", when=0.001, shapes=after)
    with pytest.raises(ist.InterstageError, match="give before="):
        ist.simulate(system, system.state(), 0.002, 1e-3, method="ros2", events=[drop])
