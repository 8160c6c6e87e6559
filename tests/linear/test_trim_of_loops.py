"""Trims of loops with samples: the vehicle, continuous states and what samples keep come to rest together.

The vehicle is a mass of 2 kg on a spring of k = 3 N/m. A loop that asks for the place w with the gain K rests at
K w / (k + K), one with an integrator at w, with the integral k w; a delay changes neither.
"""

from __future__ import annotations

from array import array
from collections import deque

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError, SolverError

SPRING, WANTED = 3.0, 0.3


class Push(ist.Device):
    """A force on the slide."""

    joint = ist.JointRef("m")
    command = ist.In("N")
    force = joint.force()

    def outputs(d, t):
        d.force = d.command


class See(ist.Device):
    """The place of the slide, sampled."""

    joint = ist.JointRef("m")
    q = joint.coordinate()
    place = ist.Out("m")

    def sample(d, t):
        d.place = d.q


class Proportional:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, t, x):
        return self.gain * (WANTED - x)


class Integral:
    """A gain of one, and an integrator; `gain` is a number among its attributes that no sample changes."""

    def __init__(self, gain):
        self.sum, self.gain = 0.0, gain

    def __call__(self, t, x):
        self.sum += 0.02 * self.gain * (WANTED - x)
        return WANTED - x + self.sum


class Hidden:
    """The same, its memory where nobody looks for numbers."""

    def __init__(self):
        self.held = array("d", [0.0])

    def __call__(self, t, x):
        self.held[0] += 0.04 * (WANTED - x)
        return WANTED - x + self.held[0]


@pytest.fixture(scope="module")
def slide():
    mb = ist.Multibody("slide")
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=SPRING, damping=0.1))
    return mb.compile()


@pytest.fixture(scope="module")
def cart():
    mb = ist.Multibody("cart")
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    return mb.compile()


def loop_of(vehicle, law, delay=None):
    made = ist.Assembly("loop", vehicle=vehicle).add("push", Push(joint="m"))
    made.add("see", See(joint="m"), every="20 ms").add("law", law, every="20 ms", out={"u": "N"})
    return made.wire({"see.place": "law.x"}).wire({"law.u": "push.command"}, delay=delay)


def with_pid(vehicle, delay=None, **values):
    made = ist.Assembly("loop", vehicle=vehicle).add("push", Push(joint="m"))
    made.add("see", See(joint="m"), every="20 ms").add("pid", dev.PID(every="20 ms", **values))
    return made.wire({"see.place": "pid.measured"}).wire({"pid.u": "push.command"}, delay=delay)


@pytest.mark.parametrize("gain", [0.5, 1.04, 2.9, 3.1, 10.0, 1e4])
def test_a_proportional_loop_rests_whatever_its_gain(slide, gain):
    """Asking the samples again and again would diverge from K = k on, and does not say where a stable loop rests."""
    x = slide.state([0.1])
    x0 = ist.trim(loop_of(slide, Proportional(gain)), x)
    assert x0["m"].q[0] == pytest.approx(gain * WANTED / (SPRING + gain), rel=1e-12)  # linear: to round-off


@pytest.mark.parametrize("delay", [None, "3 samples"])
@pytest.mark.parametrize("gain", [0.1, 2.0, 10.0])
def test_a_law_with_an_integrator_rests_where_its_input_vanishes(slide, gain, delay):
    law = Integral(gain)
    made = loop_of(slide, law, delay)
    x0 = ist.trim(made, slide.state([0.1]))
    assert x0["m"].q[0] == pytest.approx(WANTED, rel=1e-12)
    assert x0.memory == {"law": {"sum": pytest.approx(SPRING * WANTED, rel=1e-12)}}  # the gain is none
    assert law.sum == 0.0  # the law itself is as it was
    assert "law.sum" in x0.report.unknowns and not x0.report.drifting
    model = ist.linearize(made, x0, sampled=True)
    assert law.sum == 0.0 and model.operating_point["q"] == pytest.approx([WANTED], rel=1e-12)
    log = ist.simulate(made, x0.copy(), until=1, step="5 ms", progress=False)
    assert np.abs(log["m"].q - WANTED).max() < 1e-12


class Keeps:
    """An integral wherever `place` has it: an attribute, list, dictionary, deque, object, tuple, array."""

    def __init__(self, held, read, write):
        self.held, self.again, self.read, self.write = held, held, read, write
        self.count, self.seen = 0, []

    def __call__(self, t, x):
        self.count += 1
        self.seen.append(x)
        self.write(self, self.read(self) + 0.04 * (WANTED - x))
        return WANTED - x + self.read(self)


class Inner:
    def __init__(self):
        self.sum = [0.0]


def write_item(key):
    return lambda law, value: law.held.__setitem__(key, value)


PLACES = {
    "integer": (0, lambda law: law.held, lambda law, value: setattr(law, "held", value)),
    "list": ([0.0], lambda law: law.held[0], write_item(0)),
    "integer in a list": ([0], lambda law: law.held[0], write_item(0)),
    "dict": ({"sum": 0.0}, lambda law: law.held["sum"], write_item("sum")),
    "deque": (
        deque([0.0, 0.0], maxlen=2),
        lambda law: law.held[-1],
        lambda law, value: law.held.append(value),
    ),
    "object": (
        Inner(),
        lambda law: law.held.sum[0],
        lambda law, value: law.held.sum.__setitem__(0, value),
    ),
    "tuple": ((0.0, 1), lambda law: law.held[0], lambda law, value: setattr(law, "held", (value, 1))),
    "array in a list": (
        [np.zeros(1)],
        lambda law: law.held[0][0],
        lambda law, value: law.held.__setitem__(0, np.array([value])),
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_integrals_of_laws_are_solved_for_wherever_they_are_kept(slide, place):
    held, read, write = PLACES[place]
    law = Keeps(held, read, write)
    made = loop_of(slide, law)
    x0 = ist.trim(made, slide.state([0.1]))
    assert x0["m"].q[0] == pytest.approx(WANTED, rel=1e-12)
    assert read(law) == 0.0 and law.count == 0 and not law.seen  # the law itself is as it was
    log = ist.simulate(made, x0, until=1, step="5 ms", progress=False)
    assert np.abs(log["m"].q - WANTED).max() < 1e-12
    assert read(law) == pytest.approx(SPRING * WANTED, rel=1e-12)
    if place not in ("integer", "tuple"):
        assert law.again is law.held  # what is shared stays shared


def test_complex_points_of_assemblies_are_refused(slide):
    x, made = slide.state(), loop_of(slide, Proportional(1.0))
    for q, v in ((x.q.astype(complex), x.v.astype(complex)), (x.q, x.v.astype(complex))):
        for door in (ist.linearize, ist.trim):
            with pytest.raises(InputError, match="must be real"):
                door(made, type(x)(x.layout, q, v))


@pytest.mark.parametrize("delay", [None, "3 samples"])
def test_a_device_with_an_integrator_rests_and_the_run_stays_there(slide, delay):
    made = with_pid(slide, delay, kp=1.0, ki=2.0)
    x0 = ist.trim(made, slide.state(), set={"pid.wanted": [WANTED]})
    assert x0["m"].q[0] == pytest.approx(WANTED, rel=1e-12)
    assert x0.values["pid.integral"] == pytest.approx([SPRING * WANTED], rel=1e-12)
    log = ist.simulate(made, x0, until=5, step="10 ms", progress=False)
    assert np.abs(log["m"].q - WANTED).max() < 1e-12


def test_a_limited_integrator_rests_at_its_limit(slide):
    """0.5 N at most: the integral does not wind up, and the spring holds the mass at 1/6 m."""
    x0 = ist.trim(with_pid(slide, kp=1.0, ki=2.0, limit=0.5), slide.state(), set={"pid.wanted": [WANTED]})
    assert x0["m"].q[0] == pytest.approx(0.5 / SPRING, rel=1e-12)


def test_memory_that_cannot_be_solved_for_is_found_out_by_flying(slide):
    with pytest.raises(
        SolverError, match=r"flown for one frame, the point does not stay .*law\.u by"
    ) as found:
        ist.trim(loop_of(slide, Hidden()), slide.state([0.1]))
    # one sample adds 0.04 (w - q), where q = (w + 0.04 w)/(k + 1.04): 0.446 N a second
    q = 1.04 * WANTED / (SPRING + 1.04)
    assert f"{0.04 * (WANTED - q) / 0.02:.3g} a second" in str(found.value)


def test_memory_behind_a_delay_longer_than_the_frame_is_found_out(slide):
    """Three samples of delay: in the frame that is flown nothing has come to the slide yet, and it would stay."""
    made = (
        ist.Assembly("x", vehicle=slide).add("push", Push(joint="m")).add("see", See(joint="m"), every=0.02)
    )
    made.add("law", Hidden(), every=0.02, delay=0.06, out={"u": "N"})
    made.wire({"see.place": "law.x", "law.u": "push.command"})
    with pytest.raises(SolverError, match=r"after a delay drifts \('law\.u'\)") as found:
        ist.trim(made, slide.state([0.1]))
    # the gain of one and one sample of the integral act, as without the delay
    q = 1.04 * WANTED / (SPRING + 1.04)
    assert f"{0.04 * (WANTED - q) / 0.02:.3g} a second" in str(found.value)


def test_an_integrator_that_nothing_brings_to_rest_is_refused_by_name():
    """What is seen stands still and what is pushed is another slide: the integral of the error grows by ki w a second.

    Where it pushes nothing the point is steady, and the report says what drifts.
    """
    mb = ist.Multibody("two")
    mb.add_body("seen", mass=1.0, inertia=[1, 1, 1], joint=ist.Prismatic("y"))
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=SPRING))
    two = mb.compile()
    made = (
        ist.Assembly("two", vehicle=two)
        .add("push", Push(joint="m"))
        .add("see", See(joint="seen"), every="20 ms")
    )
    made.add("pid", dev.PID(every="20 ms", kp=1.0, ki=2.0)).wire({"see.place": "pid.measured"})
    given = {"pid.wanted": [WANTED]}
    x0 = ist.trim(made, two.state(), set={**given, "push.command": 1.5})
    assert x0["m"].q[0] == pytest.approx(0.5, rel=1e-12)
    assert x0.report.drifting["pid.integral[0]"] == pytest.approx(2.0 * WANTED, rel=1e-12)
    made.wire({"pid.u": "push.command"})
    with pytest.raises(
        SolverError, match=r"what is sampled drifts \('pid.integral\[0\]'\); got 0.6 a second"
    ):
        ist.trim(made, two.state(), set=given)


def test_of_a_vehicle_that_moves_the_report_says_what_drifts(cart):
    """Nothing holds the cart: its place is no unknown, and the integral drifts while the cart accelerates."""
    x = cart.state([0.1], [0.2])
    x0 = ist.trim(with_pid(cart, kp=1.0, ki=2.0), x, set={"pid.wanted": [WANTED]})
    assert x0["m"].q[0] == 0.1 and x0["m"].v[0] == 0.2
    # one sample from rest adds ki T (e + 0)/2 to the integral, the next one ki T e
    assert x0.report.drifting["pid.integral[0]"] == pytest.approx(2.0 * (WANTED - 0.1), rel=1e-12)
    assert "still drifting" in str(x0.report) and "an equilibrium" not in str(x0.report)


@pytest.mark.parametrize(("digits", "rests"), [(10, True), (3, False)])
def test_a_coordinate_that_is_no_unknown_stands_still_to_rounded_digits(digits, rests):
    """A pendulum turned upright by π of ten digits falls with 1e-11 of g: it stands, and the integral is found.

    With three digits it falls, and integrals of a vehicle that moves are left as they are.
    """
    mb = ist.Multibody("slide", gravity=[0.0, 0.0, -9.81])
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=SPRING, damping=0.1))
    mb.add_body("p", mass=1.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.1], joint=ist.Revolute("y"))
    system = mb.compile()
    x = system.state()
    x["p"].q[:] = round(np.pi, digits)
    x0 = ist.trim(loop_of(system, Integral(2.0)), x, unknowns=["m"])
    assert 1e-11 < abs(system.forward_dynamics(x)[1]) < 1e-2
    assert bool(abs(x0["m"].q[0] / WANTED - 1.0) < 1e-9) is rests


def test_the_angle_of_a_rotor_turns_and_a_spacecraft_is_trimmed():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[2, 3, 4], joint=ist.Free())
    bus = mb.compile()
    made = ist.Assembly("bus", vehicle=bus).add("wheel", dev.ReactionWheel(at="bus", inertia=0.1, speed=50.0))
    x0 = ist.trim(made, bus.state())
    assert x0.report.drifting == {"wheel.angle": pytest.approx(50.0)}


# loads, residuals ---------------------------------------------------------------------------------


def test_loads_act_beside_devices_in_trims_models_and_runs(slide):
    """10 N against the spring: 10/3 m; of a place that a closed loop holds with K = 20 N/m, 10/23 m."""
    force = {"m": [0, 0, 0, 10.0, 0, 0]}
    made = ist.Assembly("pushed", vehicle=slide).add("push", Push(joint="m"))
    still = {"push.command": 0.0}
    for given in ({"forces": force}, {"tau": [10.0]}, {"forces": {"m": force["m"]}, "frame": "body"}):
        x0 = ist.trim(made, slide.state(), set=still, **given)
        assert x0["m"].q[0] == pytest.approx(10.0 / SPRING, rel=1e-12)
        log = ist.simulate(made, x0, until=1, step="10 ms", progress=False)
        assert np.abs(log["m"].q - 10.0 / SPRING).max() < 1e-12
        run = ist.simulate(made, slide.state(), until=1, step="10 ms", set=still, progress=False, **given)
        alone = ist.simulate(slide, slide.state(), until=1, step="10 ms", **given)
        np.testing.assert_allclose(run["m"].q, alone["m"].q, rtol=0, atol=1e-13)
        assert run["m"].q[-1, 0] > 1.0
    x0 = ist.trim(loop_of(slide, lambda t, x: -20.0 * x), slide.state(), forces=force)
    assert x0["m"].q[0] == pytest.approx(10.0 / 23.0, rel=1e-12)


def test_a_linear_model_of_an_assembly_feels_the_loads_given():
    """A pendulum that a force of 8 N along the world's z holds up: the frequency is √((9.81 m - 8) l / J)."""
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("bob", mass=1.0, com=[0, 0, -0.5], inertia=[0.01] * 3, joint=ist.Revolute("x"))
    system = mb.compile()
    made = ist.Assembly("p", vehicle=system).add(
        "m", dev.LuGreFriction(joint="bob", coulomb=1e-9, stiffness=1e-9)
    )
    up = {("bob", (0, 0, -0.5)): [0, 0, 0, 0, 0, 8.0]}
    for options in ({}, {"frame": "body"}):
        found = np.abs(ist.linearize(made, system.state(), forces=up, **options).poles().imag).max()
        held = 8.0 if not options else 0.0  # one that follows the body turns with it, and does nothing
        assert found == pytest.approx(np.sqrt((9.81 - held) * 0.5 / 0.26), rel=1e-6)


def test_residuals_of_an_assembly(slide):
    """The place from which the spring accelerates the mass with 1 m/s²: -2/3 m."""
    made = ist.Assembly("pushed", vehicle=slide).add("push", Push(joint="m"))
    given = {"set": {"push.command": 0.0}}
    x0 = ist.trim(made, slide.state(), residuals=[lambda s, x, vdot: vdot[0] - 1.0], **given)
    assert x0["m"].q[0] == pytest.approx(-2.0 / SPRING, rel=1e-12)
    assert ist.trim(made, slide.state([0.4]), residuals=["m.travel"], **given)["m"].q[0] == pytest.approx(
        0, abs=1e-12
    )
    with pytest.raises(InputError, match="no coordinate 'arm'"):
        ist.trim(made, slide.state(), residuals=["arm"], **given)
    with pytest.raises(InputError, match="unknowns and residuals are coordinates of a vehicle"):
        ist.trim(
            ist.Assembly("none").add("lag", dev.LowPass(frequency=1.0, every="10 ms")),
            None,
            residuals=["arm"],
        )


@pytest.mark.parametrize("gravity", [0.0, -2.0])
@pytest.mark.parametrize("late", [None, "51 ms"])
@pytest.mark.parametrize("q", [0.1, 0.3])
def test_a_loop_rests_where_round_off_is_all_that_changes(gravity, late, q):
    """An integral of the place rests where that is zero, behind a delay of its sensor too, and it sees 0 there."""

    class Sum:
        def __init__(self):
            self.sum, self.seen = 0.0, [0.0, 0.0]

        def __call__(self, t, x):
            self.sum += 0.02 * x
            self.seen = [self.seen[1], float(x)]
            return -x - 0.5 * self.sum - 0.1 * self.seen[0]

    mb = ist.Multibody("slides", gravity=[gravity, 0, 0])
    for name, more in (("m", {}), ("n", {"parent": "m"})):
        mb.add_body(
            name, mass=1.0, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=10.0, damping=0.3), **more
        )
    slides = mb.compile()
    made = ist.Assembly("loop", vehicle=slides).add("push", Push(joint="m"))
    made.add("see", See(joint="m"), every="10 ms", delay=late or 0).add(
        "law", Sum(), every="20 ms", out={"u": "N"}
    )
    made.wire({"see.place": "law.x"}).wire({"law.u": "push.command"}, delay="9 ms")
    x0 = ist.trim(made, slides.state([q, q]))
    assert np.abs(x0.q - [0.0, gravity / 10.0]).max() < 1e-12 and not x0.report.drifting
    assert x0.memory["law"]["sum"] == pytest.approx(4.0 * gravity, abs=1e-12)
