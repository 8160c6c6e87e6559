"""What laws, conditions and actions see, and what becomes of what they change."""

from __future__ import annotations

import contextlib
import threading
import warnings

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FidelityWarning, InputError, SolverError
from interstage.simulation import simulate

METHODS = [{"step": 1e-2}, {"step": 1e-2, "method": "ros2"}, {}]


def train():
    """Return two carts on one line, the second hooked to the first."""
    mb = ist.Multibody("train")
    mb.add_body("engine", mass=3.0, inertia=[1, 1, 1], joint=ist.Free())
    mb.add_body("car", mass=1.0, inertia=[1, 1, 1], parent="engine", at=[-1, 0, 0])
    return mb.compile()


def slider(stiffness=0.0):
    mb = ist.Multibody("slider")
    mb.add_body("a", mass=2.0, joint=ist.Prismatic("x", stiffness=stiffness))
    return mb.compile()


@pytest.mark.parametrize("options", METHODS)
def test_an_action_may_change_the_state_in_place(options):
    system = slider()
    x = system.state(v=[1.0])

    def stop(t, system, x):
        x["a"].v[:] = 0.0

    log = simulate(system, x, 2.0, events=[ist.Event(at=0.5, action=stop)], **options)
    assert log.state()["a"].q[0] == pytest.approx(0.5, abs=1e-9)
    assert log.events[0].energy_loss == pytest.approx(1.0)
    # a returned state comes first, and one after the other each sees what the last one did
    log = simulate(
        system,
        x,
        2.0,
        events=[ist.Event(at=0.5, action=[stop, lambda t, s, x: s.state(x.q + 1.0, x.v + 2.0)])],
        **options,
    )
    assert log.state()["a"].q[0] == pytest.approx(1.5 + 3.0, abs=1e-9)

    # in place in state and system at once
    def lighten(t, system, x):
        system.set_mass("a", 1.0)
        x["a"].v[:] *= 2.0

    log = simulate(system, x, 1.0, events=[ist.Event(at=0.5, action=lighten)], **options)
    assert log.events[0].energy_before == 1.0 and log.events[0].energy_after == 2.0
    assert log.state()["a"].q[0] == pytest.approx(1.5, abs=1e-9)


@pytest.mark.parametrize("options", METHODS)
def test_a_condition_cannot_change_the_run(options):
    """Conditions may use their state as scratch: each has a copy."""
    system = slider(8.0)
    x = system.state([1.0])
    kept = []

    def scribble(t, x):
        kept.append((t, x, x.q.copy()))
        x.q[:], x.v[:] = 7.0, -3.0
        return 1.0

    plain = simulate(system, x, 1.0, **options)
    events = [ist.Event(scribble, None, name="a"), ist.Event(lambda t, x: x["a"].q[0] - 20.0, None)]
    seen = simulate(system, x, 1.0, events=events, **options)
    assert np.array_equal(plain.state().q, seen.state().q) and not seen.events
    assert all(np.all(state.q == 7.0) for _, state, _ in kept)  # what was kept stays as it was left
    for t, _, q in kept:
        assert q[0] == pytest.approx(np.cos(2.0 * t), abs=1e-4 if options.get("method") else 1e-6)


def test_a_law_and_a_mass_history_cannot_change_the_run():
    system = slider(8.0)
    x = system.state([1.0])

    def law(t, x):
        x.q[:] = 5.0

    def mass(t, x):
        x.v[:] = 5.0
        return 2.0, [0.0, 0.0, 0.0]

    plain = simulate(system, x, 1.0, 1e-2)
    assert np.array_equal(plain.q, simulate(system, x, 1.0, 1e-2, control=law).q)
    assert np.allclose(plain.q, simulate(system, x, 1.0, 1e-2, mass={"a": mass}).q, atol=1e-15)


def test_the_system_that_laws_and_conditions_see_is_their_own():
    system = slider(8.0)
    x = system.state([1.0])

    def heavier(t, x, system):
        system.set_mass("a", 50.0)
        system.set_joint_mode("a", "locked")
        return None

    plain = simulate(system, x, 1.0, 1e-2)
    events = [ist.Event(lambda t, x, system: heavier(t, x, system) or 1.0, None)]
    for options in ({"control": heavier}, {"events": events}):
        assert np.array_equal(plain.q, simulate(system, x, 1.0, 1e-2, **options).q)
    assert system.joint_mode("a") == "free" and np.array_equal(plain.q, simulate(system, x, 1.0, 1e-2).q)


def test_what_a_law_does_not_mention_stays():
    """One rule for forces, tau and accelerations: as last commanded, and before that as given."""
    mb = ist.Multibody("two")
    mb.add_body("a", mass=2.0, joint=ist.Prismatic("x"))
    mb.add_body("b", mass=4.0, joint=ist.Prismatic("x"))
    mb.add_body("c", mass=1.0, joint=ist.Prismatic("x", prescribed=True))
    system = mb.compile()
    answers = {
        0: None,
        1: {"tau": [2.0, 0, 0]},
        2: {"forces": {"b": [0, 0, 0, 8.0, 0, 0]}},
        3: {"accelerations": {"c": 3.0}},
        4: [6.0, 0, 0],
        5: {"forces": {}},
        6: {"accelerations": {}},
        7: {"tau": np.zeros(3)},
    }
    log = simulate(
        system,
        system.state(),
        8.0,
        1.0,
        forces={"b": [0, 0, 0, 4.0, 0, 0]},
        tau=[4.0, 0.0, 0.0],
        control=lambda t, x: answers[round(t)],
    )
    a, b, c = log.accelerations[:-1].T
    np.testing.assert_allclose(a, [2, 1, 1, 1, 3, 3, 3, 0], atol=1e-13)
    np.testing.assert_allclose(b, [1, 1, 2, 2, 2, 0, 0, 0], atol=1e-13)
    np.testing.assert_allclose(c, [0, 0, 0, 3, 3, 3, 0, 0], atol=1e-13)
    np.testing.assert_allclose(np.diff(log.v, axis=0), log.accelerations[:-1], atol=1e-13)


def test_a_function_of_time_stays_where_a_law_commands_forces():
    system = slider()
    log = simulate(
        system,
        system.state(),
        1.0,
        1e-2,
        tau=lambda t: [2.0 * t],
        control=lambda t, x: {"forces": {"a": [0, 0, 0, 2.0, 0, 0]}},
    )
    assert log.state()["a"].v[0] == pytest.approx(0.5 + 1.0, rel=1e-12)


def test_a_law_follows_a_detach():
    """A law of three arguments has the system as it is: it keeps both parts at their places after they separate."""
    system = train()
    seen = []

    def law(t, x, system):
        names = [b for b in system.bodies if system.model.spec(b).parent is None]
        seen.append((round(t, 9), tuple(names)))
        tau = np.zeros(system.nv)
        for name in names:
            tau[system.layout[name].v][3] = -4.0 * x[name].position[0] - 4.0 * x[name].velocity[3]
        return tau

    x = system.state()
    x["engine"].position[0] = 1.0
    events = [ist.Event(at=0.55, action=ist.Detach("car"))]
    log = simulate(system, x, 30.0, 1e-2, control=law, control_step=0.1, events=events)
    assert seen[0] == (0.0, ("engine",)) and (0.55, ("engine", "car")) in seen
    end = log.state()
    assert abs(end["engine"].position[0]) < 1e-6 and abs(end["car"].position[0]) < 1e-6


def test_commands_follow_names_through_a_detach():
    """What was commanded before goes on after a separation where the law says nothing more."""
    system = train()
    push = {"car": [0, 0, 0, 2.0, 0, 0]}

    def law(t, x):
        return {"forces": push} if t < 0.1 else None

    events = [ist.Event(at=0.5, action=ist.Detach("car"))]
    log = simulate(system, system.state(), 1.0, 1e-2, control=law, control_step=0.1, events=events)
    np.testing.assert_allclose(log.phases[0].accelerations[:, 3], 0.5, atol=1e-12)
    after = log.phases[1]
    car = after.system.velocity_names().index("car.vx")
    np.testing.assert_allclose(after.accelerations[:, car], 2.0, atol=1e-12)
    np.testing.assert_allclose(after.accelerations[:, 3], 0.0, atol=1e-12)


def test_a_function_of_time_may_ask_for_the_system():
    system = train()

    def thrust(t, system):
        tau = np.zeros(system.nv)
        tau[system.velocity_names().index("engine.vx")] = 8.0
        return tau

    events = [ist.Event(at=0.5, action=ist.Detach("car"))]
    for options in METHODS:
        log = simulate(system, system.state(), 1.0, tau=thrust, events=events, **options)
        assert log.state()["engine"].velocity[3] == pytest.approx(0.5 * 2.0 + 0.5 * 8.0 / 3.0, rel=1e-9)
        np.testing.assert_allclose(log.phases[1].accelerations[:, 3], 8.0 / 3.0, rtol=1e-9)
    with pytest.raises(
        InputError, match=r"tau at t = 0.5 does not fit.*expected 12.*got 6.*tau\(t, system\)"
    ):
        simulate(system, system.state(), 1.0, 1e-2, tau=lambda t: np.zeros(6), events=events)


def test_loads_that_are_not_numbers_are_refused_in_words():
    system = slider()
    x = system.state()
    for words, options in (
        (r"forces cannot be read.*function.*control", {"forces": lambda t: {}}),
        (r"force on .*'a'.* at t = 0.*6 finite numbers", {"forces": {"a": lambda t: np.zeros(5)}}),
        (r"force on .*'a'.*failed at t = 0.*ZeroDivisionError", {"forces": {"a": lambda t: 1 / t}}),
        (r"accelerations cannot be read", {"accelerations": lambda t: {}}),
        (r"not an array of numbers.*tau of 'a'", {"tau": {"a": "fast"}}),
        (r"no body 'b'", {"tau": {"b": 1.0}}),
        (r"not an array of numbers.*tau", {"tau": "fast"}),
        (r"tau.*argument", {"tau": lambda: [0.0]}),
        (r"tau at t = 0", {"tau": lambda t: None}),
        (r"control law failed at t = 0.*TypeError", {"control": lambda t: [0.0]}),
        (r"control law.*t = 0.*not an array of numbers", {"control": lambda t, x: "left"}),
        (r"control law.*t = 0.*forces", {"control": lambda t, x: {"forces": [1.0, 2.0]}}),
        (r"control law.*t = 0.*no body 'b'", {"control": lambda t, x: {"forces": {"b": np.zeros(6)}}}),
        (r"control law.*t = 0.*not prescribed", {"control": lambda t, x: {"accelerations": {"a": 1.0}}}),
    ):
        with pytest.raises((InputError, SolverError), match=words):
            simulate(system, x, 1.0, 0.1, **options)


@pytest.mark.parametrize("number", [2.0 + 1.0j, [2.0j], np.array([2.0 + 0.0j])])
def test_complex_loads_of_real_states_are_refused(number):
    """Numpy would drop what is imaginary; with a complex state it counts."""
    system = slider()
    x = system.state()
    doors = (
        lambda tau: simulate(system, x, 1.0, 0.1, tau=tau),
        lambda tau: ist.simulate_batch(system, x, 1.0, 0.1, samples=2, tau=tau),
        lambda tau: ist.Loads.of(system, tau=tau).at(0.0, system),
    )
    for door in doors:
        for tau in ({"a": number}, {"a": lambda t: number}, lambda t: number, lambda t: {"a": number}):
            with pytest.raises((InputError, SolverError), match=r"tau.* real") as caught:
                door(tau)
            assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"tau.* real"):
        system.forward_dynamics(x, tau={"a": number})
    moved = system.forward_dynamics(x.copy(np.complex128), tau={"a": number})
    np.testing.assert_array_equal(moved, np.reshape(number, 1) / 2.0)


@pytest.mark.parametrize("options", [{"step": 0.05}, {"step": 0.05, "method": "ros3"}, {"method": "dopri5"}])
def test_functions_of_time_are_asked_anew_after_laws_and_actions(options):
    # what a function reads jumps at t = 0.5: x = x0 + v0 s + a s²/2, which every method takes exactly
    system, given = slider(), []

    def force(t):
        return [given[-1]]

    def reverse(t, *_):
        given.append(2.0 if t < 0.49 else -4.0)

    fallen = 0.5 * 0.25 + 0.5 * 0.5 - 0.5 * 2.0 * 0.25
    given[:] = [2.0]
    log = simulate(system, system.state(), 1.0, tau=force, control=reverse, control_step=0.25, **options)
    assert log.q[-1] == pytest.approx(fallen, abs=1e-12)
    given[:] = [2.0]
    reversing = ist.Event(at=0.5, action=reverse)
    log = simulate(system, system.state(), 1.0, tau=force, events=[reversing], **options)
    assert log.q[-1] == pytest.approx(fallen, abs=1e-12)
    # and motions and masses: twice the mass falls half as far
    given[:] = [1.0]
    motion = ist.PrescribedMotion(acceleration=lambda t: given[-1] / 2.0)
    doubled = [1.0 / 2.0, 2.0 / 2.0]
    log = simulate(
        system, system.state(), 1.0, motions={"a": motion},
        events=[ist.Event(at=0.5, action=lambda *_: given.append(2.0))], **options,
    )  # fmt: skip
    assert log.v[-1] == pytest.approx(0.5 * sum(doubled), abs=1e-12)
    given[:] = [2.0]
    log = simulate(
        system, system.state(), 1.0, tau=[2.0], mass={"a": lambda t: (given[-1], [0, 0, 0], np.zeros((3, 3)))},
        events=[ist.Event(at=0.5, action=lambda *_: given.append(4.0))], **options,
    )  # fmt: skip
    assert log.v[-1] == pytest.approx(0.5 + 0.25, abs=1e-12)


@pytest.mark.parametrize("options", METHODS)
def test_the_log_has_the_loads_that_acted_at_each_row(options):
    """A law changes its torque at 0.3 s, between rows, and at 0.5 s, at one: rows have what acted from then on."""
    system = slider()

    def law(t, x):
        return {"tau": [4.0 if t < 0.3 - 1e-9 else -1.0 if t < 0.5 - 1e-9 else 6.0]}

    log = simulate(system, system.state(), 0.8, control=law, control_step=0.1, log_step=0.25, **options)
    wanted = np.where(log.t < 0.3 - 1e-9, 4.0, np.where(log.t < 0.5 - 1e-9, -1.0, 6.0))
    assert set(wanted) == {4.0, 6.0} or set(wanted) == {4.0, -1.0, 6.0}
    np.testing.assert_allclose(log.accelerations[:, 0], wanted / 2.0, rtol=1e-12)
    for k, force in enumerate(wanted):
        assert log.operating_point(k).loads.vector(system)[0] == force


BOTH = threading.Barrier(2, timeout=30.0)


class Counting:
    """Remembers how often it was called; waits once until two runs have called it."""

    def __init__(self):
        self.calls = 0

    def __call__(self, t):
        self.calls += 1
        if t == 0.0:
            BOTH.wait()
        return float(self.calls)


def _in_two_threads(flights):
    logs: list[object] = [None, None]

    def fly(k):
        logs[k] = simulate(flights[k], None, until=0.5, step="0.1 s")

    threads = [threading.Thread(target=fly, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [log["law.n"] for log in logs]


def _counted():
    return ist.Assembly("counting").add("law", Counting(), every="0.1 s", out={"n": ""})


def test_a_law_that_remembers_is_told_of_in_two_threads():
    """One object in two runs counts the calls of both, which is said; one for each run counts its own."""
    one = _counted()
    with pytest.warns(FidelityWarning, match="'law' flies in two threads at once"):
        found = _in_two_threads([one, one])
    assert max(n.max() for n in found) > 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = _in_two_threads([_counted(), _counted()])
    for n in found:
        np.testing.assert_array_equal(n, np.arange(1.0, 7.0))


def test_a_linear_model_beside_a_run_in_another_thread_is_told_of():
    """Both call the one law, and both put its memory back: a run inside of which another thread linearizes it."""
    heard = []

    class Asking:
        def __init__(self):
            self.n = 0.0

        def __call__(self, t):
            self.n += 1.0
            if self.n == 2.0 and not heard:
                with warnings.catch_warnings(record=True) as words:
                    warnings.simplefilter("always")
                    other = threading.Thread(target=linearize)
                    other.start()
                    other.join()
                heard.extend(str(one.message) for one in words)
            return self.n

    made = ist.Assembly("counting").add("law", Asking(), every="0.1 s", out={"n": ""})

    def linearize():
        with contextlib.suppress(ist.InterstageError):
            ist.linearize(made, None, sampled=True)

    ist.simulate(made, None, until=0.5, step="0.1 s")
    assert any("'law' flies in two threads at once" in one for one in heard)


def integrating(kept):
    """Return a law that integrates; kept : where it has its integral."""
    rows, enclosed = [], {"sum": 0.0}

    class Integrator:
        def __init__(self):
            self.sum, self.rows = 0.0, []

        def __call__(self, t, x):
            self.sum += x - 1.0
            self.rows.append(t)  # what a law writes alone, it does not remember
            return -x - 0.1 * self.sum

    def outside(t, x):
        enclosed["sum"] += x - 1.0
        rows.append(t)
        return -x - 0.1 * enclosed["sum"]

    def default(t, x, memory=[0.0]):  # noqa: B006
        memory[0] += x - 1.0
        return -x - 0.1 * memory[0]

    def forgets(t, x):
        rows.append(t)
        return -x

    return {"attribute": Integrator(), "closure": outside, "default": default, "nothing": forgets}[kept]


def pushed_by(law):
    class Slide(ist.Device):
        joint = ist.JointRef("m")
        command, force = ist.In("N"), joint.force()
        travel, x = joint.coordinate(), ist.Out("m")

        def outputs(d, t):
            d.force = d.command
            d.x = d.travel

    made = ist.Assembly("f", vehicle=slider()).add("slide", Slide(joint="a"))
    made.add("law", law, every="10 ms", out={"u": "N"})
    return made.wire({"slide.x": "law.x", "law.u": "slide.command"})


@pytest.mark.parametrize(
    ("kept", "named"), [("attribute", "sum"), ("closure", "enclosed"), ("default", "memory")]
)
def test_a_run_that_begins_with_what_another_left_in_a_law_says_so(kept, named):
    run = {"until": 0.5, "step": "10 ms", "progress": False}
    law = integrating(kept)
    words = rf"'law' begins with what an earlier run has left in it \({named}\)"
    first = simulate(pushed_by(law), None, **run)
    for _ in range(2):  # of another assembly with the same law, too
        with pytest.warns(FidelityWarning, match=words):
            again = simulate(pushed_by(law), None, **run)
        assert again["a"].q[-1] != first["a"].q[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(pushed_by(law), again.state(), start=0.5, until=0.6, step="10 ms")  # it goes on
        simulate(pushed_by(integrating("nothing")), None, **run)
        if kept == "attribute":
            flight = pushed_by(law)
            same = simulate(flight, first.point(0), **run)
            first.point(0.205)  # flown to: the law has its memory back
            law.sum = 0.0
            for one in (same, simulate(flight, None, **run)):
                assert np.array_equal(one["a"].q, first["a"].q)
    if kept == "attribute":
        with pytest.warns(FidelityWarning, match=words):
            simulate(flight, None, **run)


def test_a_control_law_that_remembers_another_run_is_told_of():
    class Counting:
        calls = 0

        def __call__(self, t, x):
            self.calls += 1
            return [float(self.calls)]

    law = Counting()
    system = slider()
    log = simulate(system, system.state(), 0.1, 1e-2, control=law)
    for x in (system.state(), log.state(5)):
        with pytest.warns(FidelityWarning, match=r"'control' begins with .* \(calls\)"):
            simulate(system, x, 0.2, 1e-2, control=law)
