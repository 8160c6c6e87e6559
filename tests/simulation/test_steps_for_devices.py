"""Steps of runs that follow what forces of devices let swing: closed forms of two carts on a spring."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FidelityWarning


@pytest.fixture(scope="module")
def carts():
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    return mb.compile()


def on_a_spring(carts, hertz, zeta=0.0):
    w = 2 * np.pi * hertz
    spring = dev.Spring(a="a", b="b", stiffness=0.5 * w**2, damping=zeta * w, length=1.0)
    return ist.Assembly("x", vehicle=carts).add("k", spring)


def size(log):
    """Return the amplitude of the stretch over the last swings, beside that at the start."""
    stretch = log["b"].q[:, 0] - log["a"].q[:, 0] - 1.0
    return np.abs(stretch[log.t > log.t[-1] - 0.2]).max() / abs(stretch[0])


@pytest.mark.parametrize("hertz", [20.0, 100.0])
def test_an_undamped_spring_keeps_its_swing_where_nobody_chose_the_steps(carts, hertz):
    made, x = on_a_spring(carts, hertz), carts.state(q=[0.0, 1.001])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made, x, until=2)
    # 1 % is aimed at; rows are steps, which miss the peaks by (hω)²/8
    assert size(log) == pytest.approx(1.0, abs=0.03)
    assert log.info["step"] < 0.01


@pytest.mark.parametrize(("method", "words"), [("rk4", r"they take 9\d.* % of it"), ("ros2", "it grows")])
def test_steps_that_damp_or_raise_a_swing_are_told(carts, method, words):
    made, x = on_a_spring(carts, 20.0), carts.state(q=[0.0, 1.001])
    with pytest.warns(FidelityWarning, match=f"what devices let swing at 20 Hz .*: {words}") as told:
        ist.simulate(made, x, until=2, step="10 ms", method=method)
    below = float(str(told[0].message).split("below ")[1].split(" s")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made, x, until=2, step=below, method=method)
    assert size(log) == pytest.approx(1.0, abs=0.03)


def test_a_swing_with_more_damping_than_steps_take_is_not_told_of(carts):
    """2 % of critical damping: steps of 4 ms (hω = 0.5) take 2e-4 of it a radian."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ist.simulate(on_a_spring(carts, 20.0, 0.02), carts.state(q=[0.0, 1.001]), until=2, step="4 ms")


def test_modes_of_the_vehicle_itself_are_not_told_of():
    """Its own springs are known: W-methods bear them, and explicit ones say where they do not."""
    mb = ist.Multibody("one")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=(40 * np.pi) ** 2))
    made = ist.Assembly("x", vehicle=mb.compile())
    made.add("t", dev.Engine(body="a", thrust=0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ist.simulate(made, None, until=1, step="10 ms", method="ros2", set={"t.throttle": 1.0})


def test_runs_of_too_many_steps_are_refused(carts):
    with pytest.raises(
        ist.InterstageError, match=r"needs steps of .* more than 1e\+07 of them.*method='radau'"
    ):
        ist.simulate(on_a_spring(carts, 1e5), carts.state(q=[0.0, 1.001]), until=100)


def hydraulic_engine():
    """Return an engine on a valve whose loop grows, a state beside its rest, and what is commanded."""
    mb = ist.Multibody("v")
    mb.add_body("core", mass=5000.0, inertia=[2000, 40000, 40000], joint=ist.Free())
    engine = {"mass": 100.0, "com": [-0.5, 0, 0], "inertia": [10, 20, 20]}
    mb.add_body("engine", parent="core", at=[-5, 0, 0], joint=ist.Universal(("y", "z")), **engine)
    system = mb.compile()
    given = {"bandwidth": "6 Hz", "rod_stiffness": 4e6, "fluid_stiffness": 2e6, "damping": 200.0}
    made = ist.Assembly("t", vehicle=system).add("tvc", dev.HydraulicTVC(joint="engine", **given))
    x = system.state()
    x["engine"].q[:] = [1e-6, 0]
    return made, x, {"tvc.command": [0.0, 0.0]}


def test_an_unstable_hydraulic_engine_grows_in_runs_whose_steps_nobody_chose():
    """Its continuous model grows; steps of 10 ms would hide it."""
    made, x, command = hydraulic_engine()
    rate = ist.linearize(made, made.vehicle.state(), set=command).poles().real.max()
    log = ist.simulate(made, x, until=1, set=command)
    q = np.abs(log["engine"].q[:, 0])
    early, late = (q[(log.t > t) & (log.t <= t + 0.1)].max() for t in (0.4, 0.9))
    assert rate > 5.0
    assert np.log(late / early) / 0.5 == pytest.approx(rate, rel=0.03)


def test_free_bodies_on_a_spring_are_told_of():
    """A free body has fewer eigenvectors than eigenvalues of zero; 1 kg and 1 kg on k: ω² = 2k."""
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Free())
    system, w = mb.compile(), 2 * np.pi * 20.0
    made = ist.Assembly("x", vehicle=system)
    made.add("k", dev.Spring(a="a", b="b", stiffness=0.5 * w**2, damping=0.0, length=1.0))
    x = system.state()
    x["b"].position[:] = [1.001, 0, 0]
    with pytest.warns(FidelityWarning, match="what devices let swing at 20 Hz"):
        ist.simulate(made, x, until=2, step="10 ms")


@pytest.mark.parametrize("sampled", [False, True])
def test_what_grows_too_slowly_in_given_steps_is_told(sampled):
    """A sampled gyro beside it changes nothing; the growth of a run with the step that is told is that of the pole."""
    made, x, command = hydraulic_engine()
    if sampled:
        made.add("gyro", dev.Gyro(at="core", every="20 ms"))
    with pytest.warns(FidelityWarning, match=r"grow e-fold in 0\.10\d s .* 0\.4\d* times what it") as told:
        ist.simulate(made, x, until=1, step="5 ms", set=command)
    below = float(str(told[0].message).split("below ")[1].split(" s")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        short = ist.simulate(made, x, until=1, step=below, set=command)
        exact = ist.simulate(made, x, until=1, method="dop853", log_step=0.01, set=command)
    late = [np.abs(log["engine"].q[log.t > 0.9, 0]).max() for log in (short, exact)]
    assert late[0] == pytest.approx(late[1], rel=0.05)


def test_joints_that_follow_a_motion_and_closures_hide_no_swing():
    """Cart b is tied to a free body of 1 kg: ω² = k (1/1 + 1/2); a joint beside them follows a motion."""
    mb = ist.Multibody("tied")
    mb.add_body("c", mass=1.0, inertia=np.eye(3), joint=ist.Free())
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    mb.add_body("wheel", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z"))
    mb.close("tie", ("b", [0, 0, 0]), ("c", [0, 0, 0]), joint=ist.Locked())
    system = mb.compile()
    made, x = on_a_spring(system, 20.0), system.state()
    x["b"].q[:] = x["c"].position[0] = 1.001
    with pytest.warns(FidelityWarning, match=r"swing at 17\.3 Hz"):
        ist.simulate(made, x, until=0.5, step="10 ms", motions={"wheel": ist.PrescribedMotion(angle=np.sin)})


def test_vehicles_with_too_many_joints_to_look_at_say_so():
    mb = ist.Multibody("many")
    for k in range(101):
        mb.add_body(f"b{k}", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    made = ist.Assembly("x", vehicle=mb.compile())
    made.add("k", dev.Spring(a="b0", b="b1", stiffness=1e4, damping=0.0, length=1.0))
    with pytest.warns(FidelityWarning, match="short enough for what devices let swing is not known"):
        ist.simulate(made, None, until=0.02, step="10 ms")


@pytest.mark.parametrize(("step", "keep"), [(None, None), ("10 ms", None), ("10 ms", [])])
@pytest.mark.parametrize(("stiffness", "hertz"), [(1e5, 50.3), (1e6, 159)])
def test_a_stop_that_is_hit_on_the_way_is_told_of(step, keep, stiffness, hertz):
    """1 kg at 1 m/s: the softer stop is hit and left within one step, and throws it back 2.3 times as fast."""
    mb = ist.Multibody("one")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    system = mb.compile()
    stop = dev.PrismaticStop(joint="a", low=-1.0, high=0.1, stiffness=stiffness)
    made = ist.Assembly("x", vehicle=system).add("stop", stop)
    words = rf"swing at {hertz} Hz \('a.travel'\): it grows.* at t = "
    with pytest.warns(FidelityWarning, match=words) as told:
        ist.simulate(made, system.state(v=[1.0]), until=0.2, step=step, keep=keep)
    below = float(str(told[0].message).split("below ")[1].split(" s")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made, system.state(v=[1.0]), until=0.2, step=below)
    assert log["a"].v[-1, 0] == pytest.approx(-1.0, abs=0.05)


def test_lags_between_samples_that_steps_do_not_follow_are_told_of():
    """τ = 5 ms in one step of RK4 of 10 ms: 1 - 2 + 2 - 4/3 + 2/3 = 1/3 is left, of e⁻² = 0.135."""

    class Lag(ist.Device):
        u, x, y = ist.In("", default=1.0), ist.ContinuousState(""), ist.Out("")

        def outputs(d, t):
            d.y = d.x

        def rates(d, t):
            d.xdot = (d.u - d.x) / 5e-3

    made = ist.Assembly("x").add("lag", Lag()).add("law", lambda t, y: -y, every="10 ms", out={"u": "1"})
    made.wire({"lag.y": "law.y", "law.u": "lag.u"})
    with pytest.warns(FidelityWarning, match=r"'lag.x'.* leave 0\.333 of it, of 0\.135 that should be left"):
        ist.simulate(made, None, until=0.1, step="10 ms")
    # x' = e⁻² x + (1 - e⁻²) u with u = -x; in steps that nobody chose 1 % is aimed at
    log = ist.simulate(made, None, until=0.1, set={"lag.x": 1.0})
    assert log["lag.y"][log.t == 0.01] == pytest.approx(2 * np.exp(-2.0) - 1, abs=0.02)
