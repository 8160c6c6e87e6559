"""Runs, linear models and checkpoints from points of a log behind a change of the vehicle, and before first samples.

The truth is the run itself, bit for bit, and vehicles that are described from the start as the change has left them.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import interstage as ist
from interstage.fem import lumped_beam

STEP, CUT, THEN, END = "2 ms", 0.212, 0.312, 0.5  # s: no sample of 50 ms falls on the cut or on the point


def boom(softer: float) -> ist.Component:
    K, M, nodes = lumped_beam(
        8.0, 3, EA=4e7 / softer, GJ=3e5 / softer, EI=2e5 / softer, mass=[6.0] * 3 + [0.1] * 3
    )
    return ist.Component.from_matrices(K, M, nodes, n_modes=4, aset={1: 123456}, name="boom")


@pytest.fixture(scope="module")
def booms() -> tuple[ist.Component, ist.Component]:
    """Two booms with as many modes, the second one five times softer."""
    return boom(1.0), boom(5.0)


class Servo(ist.Device):
    """Sampled: what it says between its samples is held."""

    joint = ist.JointRef()
    angle, rate, torque = joint.coordinate(), joint.rate(), joint.force()
    more = ist.In("N*m", default=0.0)

    def sample(d, t):
        d.torque = -40.0 * d.angle - 30.0 * d.rate + 5.0 * np.sin(9.0 * t) + 3.0 + d.more


class Look(ist.Device):
    at = ist.Site()
    rate, seen = at.rate("node"), ist.Out("rad/s", 3)
    torque, push = ist.In("N*m", default=0.0), at.torque("node")

    def outputs(d, t):
        for i in range(3):
            d.seen[i] = d.rate[i]
            d.push[i] = 0.0 * t
        d.push[2] = d.torque


def flown(booms, component=0, hinge=None, pod=(0.0, 0.0, 1.0), apart=False, servo=False):
    """Return an assembly of a bus, a boom on a hinge, with a servo or without, and a pod; and a state in motion."""
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=100.0, com=[0.1, 0, 0], inertia=[80, 80, 90], joint=ist.Free())
    hinge = hinge or ist.Revolute("z", stiffness=100.0, damping=1.0)
    mb.add_body(
        "boom", component=booms[component], node=1, parent="bus", at=[1, 0, 0], joint=hinge, damping=0.01
    )
    if apart:
        mb.add_body("pod", mass=20.0, inertia=[1, 1, 1], joint=ist.Free())
    else:
        mb.add_body("pod", mass=20.0, inertia=[1, 1, 1], parent="bus", at=pod)
    made = ist.Assembly("flight", vehicle=mb.compile())
    made.add("look", Look(at="bus"))
    if servo:
        made.add("servo", Servo(joint="boom"), every="50 ms")
    x = made.vehicle.state()
    x["boom"].q[:], x["bus"].velocity[:3] = 0.05, [0.1, 0.2, 0.3]
    return made, x


def _moved():
    return ist.Reattach("pod", ("bus", [0.0, 2.0, 0.0]), rotation=np.eye(3), snap=True)


SOFT, HINGE = {"component": 1}, {"hinge": ist.Revolute("z", stiffness=900.0)}
CHANGES = {
    "component": (lambda booms: ist.ReplaceComponent("boom", booms[1]), SOFT),
    "joint": (lambda _: ist.ReplaceJoint("boom", ist.Revolute("z", stiffness=900.0)), HINGE),
    "place": (lambda _: _moved(), {"pod": (0.0, 2.0, 0.0)}),
    "body": (lambda _: ist.Detach("pod"), {"apart": True}),
}


@pytest.fixture(scope="module", params=CHANGES)
def changed(request, booms, tmp_path_factory):
    """Return what changed, the log of a run through it, the same from its file, and the vehicle as described so."""
    action, described = CHANGES[request.param]
    path = tmp_path_factory.mktemp("changed") / "run.h5"
    made, x = flown(booms)
    event = ist.Event(at=CUT, action=action(booms))
    log = ist.simulate(made, x, until=END, step=STEP, events=[event], log=path)
    return log, ist.load(path), flown(booms, **described)[0]


def test_a_run_goes_on_with_the_vehicle_of_its_point(booms, changed):
    """Bit for bit, from memory and from the file, though the vehicle before has the same bodies and sizes."""
    log, loaded, _ = changed
    for one in (log, loaded):
        rest = ist.simulate(flown(booms)[0], one.point(THEN), until=END, step=STEP)
        np.testing.assert_array_equal(rest.phases[-1].v[-1], log.phases[-1].v[-1])
        np.testing.assert_array_equal(rest.phases[-1].q[-1], log.phases[-1].q[-1])


@pytest.mark.filterwarnings("ignore::interstage.FidelityWarning")  # the point moves
def test_a_linear_model_is_of_the_vehicle_of_its_point(booms, changed):
    """Response from a torque to the rate, that of a vehicle described so from the start at the same state.

    Compared are complex steps of the same equations: rounding, times the condition of the modes.
    """
    log, loaded, described = changed
    f_hz = np.array([0.3, 2.0, 9.0])
    for one in (log, loaded):
        point = one.point(THEN)
        like = described.vehicle.state(point.q, point.v)
        ports = {"inputs": ["look.torque"], "outputs": ["look.seen"]}
        found = ist.linearize(flown(booms)[0], point, **ports).frequency_response(f_hz)
        wanted = ist.linearize(described, like, **ports).frequency_response(f_hz)
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7 * np.abs(wanted).max())


def test_another_vehicle_of_the_run_refuses_the_point(booms, changed):
    """`point.system` is the vehicle there: neither the first nor the last one of the log stands in for it."""
    log, loaded, described = changed
    for one in (log, loaded):
        behind, before = one.point(THEN), one.point(0.1)
        wanted = described.vehicle.modes(described.vehicle.state(behind.q, behind.v)).frequencies_hz[-4:]
        np.testing.assert_allclose(behind.system.modes(behind).frequencies_hz[-4:], wanted, rtol=1e-9)
        for system, point in ((one.phases[0].system, behind), (one.phases[-1].system, before)):
            with pytest.raises(ist.InterstageError, match="does not belong to this system"):
                system.modes(point)
            with pytest.raises(ist.InterstageError, match="does not belong to this system"):
                ist.simulate(system, point, until=END, step=STEP)
    own = flown(booms)[0].vehicle  # described again: the first one, but behind the change
    with pytest.raises(ist.InterstageError, match="does not belong to this system"):
        own.mass_properties(loaded.point(THEN))


def test_a_vehicle_that_was_weighed_and_switched_is_the_same(booms):
    """Masses that change and a joint that is locked make no other vehicle: the one described takes the point."""
    made, x = flown(booms)
    lock = ist.Event(at=CUT, action=ist.SetJointMode("boom", "locked"))
    given = {"step": STEP, "mass": {"pod": lambda t: (20.0 - 10.0 * t, [0, 0, 0], [1, 1, 1])}}
    log = ist.simulate(made.vehicle, x, until=END, events=[lock], **given)
    point, copied = log.point(THEN), pickle.loads(pickle.dumps(log))
    for one in (point, copy.deepcopy(point), copied.point(THEN)):
        assert made.vehicle.mass_properties(one).mass == pytest.approx(144.0 - 10.0 * THEN, rel=1e-12)
        rest = ist.simulate(made.vehicle, one, until=END, **given)
        np.testing.assert_array_equal(rest.phases[-1].v[-1], log.phases[-1].v[-1])


def test_logs_from_files_travel(changed):
    """A log that was read from its file goes to another process, and its points are of the same vehicles there."""
    _, loaded, _ = changed
    there = pickle.loads(pickle.dumps(loaded))
    for t in (0.1, THEN):
        point, other = loaded.point(t), there.point(t)
        assert point.run.changed == other.run.changed == (t > CUT)
        np.testing.assert_array_equal(
            other.system.modes(other).frequencies_hz, point.system.modes(point).frequencies_hz
        )


def test_forces_act_on_the_vehicle_of_the_point(booms, changed):
    """A force that is given with a point behind the change: its impulse, whatever the vehicle is by then."""
    log, _, _ = changed
    made, push = flown(booms)[0], np.array([3.0, -2.0, 1.0])
    for force in (0.0, 1.0):
        rest = ist.simulate(
            made, log.point(THEN), until=END, step=STEP, forces={"bus": [0, 0, 0, *(force * push)]}
        )
        gained = rest.momentum[-1, 3:] - rest.momentum[0, 3:]
        np.testing.assert_allclose(gained, force * push * (END - THEN), atol=1e-7)  # RK4


def test_what_is_sampled_holds_in_logs_that_go_on(booms):
    """Accelerations, joint forces and points of a run from between two samples, of a servo that holds its torque."""
    made, x = flown(booms, servo=True)
    log = ist.simulate(made, x, until=END, step=STEP)
    rest = ist.simulate(flown(booms, servo=True)[0], log.point(THEN), until=END, step=STEP)
    first = len(log.t) - len(rest.t)
    np.testing.assert_array_equal(rest.accelerations, log.accelerations[first:])
    short = ist.simulate(
        flown(booms, servo=True)[0], log.point(THEN), until=THEN + 0.006, step=STEP
    )  # no sample at all
    np.testing.assert_array_equal(short.accelerations, log.accelerations[first : first + 4])
    between = log.point(THEN + 0.001)  # flown to from the row before
    tau = np.zeros(made.vehicle.nv)
    tau[made.vehicle.layout["boom"].v.start] = log["servo.torque"][6]  # that of 0.3 s
    wanted = made.vehicle.forward_dynamics(between, tau=tau)
    np.testing.assert_allclose(between.vdot, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    assert np.array_equal(copy.deepcopy(between).vdot, between.vdot)


@pytest.mark.parametrize("begin", [0.112, THEN], ids=["before", "behind"])
def test_a_run_from_a_point_is_resumed(booms, begin, tmp_path):
    """From its checkpoint bit for bit; its first rows are whole points still, with what was held there."""
    made, x = flown(booms, servo=True)
    release = ist.Event(at=CUT, action=ist.Detach("pod"), name="release")
    log = ist.simulate(made, x, until=END, step=STEP, events=[release])
    events = [release] if begin < CUT else []
    path = tmp_path / "rest.h5"
    given = {"until": END, "step": STEP, "events": events}
    ist.simulate(flown(booms, servo=True)[0], log.point(begin), log=path, checkpoint="0.15 s", **given)
    again = ist.resume(path.with_suffix(".ckpt.h5"), flown(booms, servo=True)[0], events=events)
    np.testing.assert_array_equal(again.phases[-1].v[-1], log.phases[-1].v[-1])
    first = len(log.t) - len(again.t)
    np.testing.assert_array_equal(again.phases[0].accelerations[:3], _accelerations(log, first, 3))
    for one in (again, ist.load(path)):
        rest = ist.simulate(flown(booms, servo=True)[0], one.point(2), **given)  # before its first sample
        np.testing.assert_array_equal(rest.phases[-1].v[-1], log.phases[-1].v[-1])


def _accelerations(log, first, count):
    for phase in log.phases:
        if first < len(phase.t):
            return phase.accelerations[first : first + count]
        first -= len(phase.t)
    raise AssertionError
