"""Gauges inside flexible bodies: FE statics, recovery of the vehicle, linear models, laws that use them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError, ModelError
from interstage.nastran import deck_from_text

LENGTH, AREA, INERTIA, YOUNG, RHO, BARS = 4.0, 1e-3, 1e-7, 7e10, 2700.0, 8
TIP, MIDDLE, FIBRE = BARS + 1, BARS // 2 + 1, 0.02
WANTED = {
    "root moment": ("CBAR", 1, "bending_moment_a1"),
    "middle shear": ("CBAR", MIDDLE, "shear1"),
    "fibre": ("CBAR", 1, "s1a"),
    "torque": ("CBAR", 2, "torque"),
}


def deck(held: str = "", young: float = YOUNG) -> ist.Deck:
    bulk = "".join(f"GRID,{i + 1},,{LENGTH * i / BARS:.8f},0.,0.\n" for i in range(BARS + 1))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(BARS))
    bulk += f"PBAR,1,1,{AREA},{INERTIA},{INERTIA},{2 * INERTIA}\n,{FIBRE},.01\nMAT1,1,{young},,0.3,{RHO}\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,0.\n,1.e-3,,1.e-3,,,1.e-3\n" for i in range(1, BARS + 2))
    case = "SPC = 1\nLOAD = 1\n" if held else ""
    return deck_from_text(f"SOL 101\nCEND\n{case}BEGIN BULK\n{bulk}{held}ENDDATA\n")


@pytest.fixture(scope="module")
def beam() -> ist.Component:
    return ist.Component.from_deck(deck(), 6, aset={}, load_grids=[1, MIDDLE, TIP], recover=WANTED)


class Wrench(ist.Device):
    """A force and a torque that follow the node, and a force in the world at another place."""

    at, other = ist.Site(), ist.Site()
    level = ist.In("", default=1.0)
    force, torque, pull = at.force(), at.torque("body"), other.force("world")

    def outputs(d, t):
        for i in range(3):
            d.force[i] = d.level * (0.3, 2.0, -1.0)[i]
            d.torque[i] = d.level * (0.5, -0.2, 0.1)[i]
            d.pull[i] = d.level * (-0.4, 0.6, 0.8)[i]


class Probe(ist.Device):
    """All that is asked for, at every instant."""

    at, joint = ist.InternalLoad(), ist.JointRef()
    full, modal, held = at.result(), at.result(residual=False), joint.reaction()
    a, b, c = ist.Out("?"), ist.Out("?"), ist.Out("N*m")

    def outputs(d, t):
        d.a = d.full
        d.b = d.modal
        d.c = d.held


class Inside(ist.Device):
    """A result inside a body, at every instant."""

    at = ist.InternalLoad()
    result, load = at.result(), ist.Out("?")

    def outputs(d, t):
        d.load = d.result


class Swing(ist.Device):
    """A force in the world that swings."""

    at = ist.Site()
    f = at.force("world")

    def outputs(d, t):
        d.f[0], d.f[1], d.f[2] = 0.3, 2.0 * np.cos(20.0 * t), -1.0


def machine(beam: ist.Component, closed: bool = False) -> ist.System:
    """A bus, a driven hinge, the beam on it, an arm on a spring at its tip; and a slot on the bus for its middle."""
    mb = ist.Multibody("machine", gravity=[0.0, -2.0, 1.0])
    mb.add_body("bus", mass=20.0, inertia=[3, 4, 5], joint=ist.Free())
    mb.add_body(
        "beam", component=beam, node=1, parent="bus", at=[1, 0, 0], joint=ist.Revolute("z", prescribed=True)
    )
    mb.add_body(
        "arm", mass=1.0, com=[0.3, 0, 0], parent="beam", at=TIP, joint=ist.Revolute("y", stiffness=5.0)
    )
    if closed:
        mb.close("rod", ("beam", MIDDLE), ("bus", [1 + LENGTH / 2, 0.0, 0.0]), joint=ist.Slot("x"))
    return mb.compile()


@pytest.mark.parametrize("closed", [False, True], ids=["tree", "loop"])
def test_every_load_counts_as_in_the_recovery_of_the_vehicle(beam, closed):
    """Spin, gravity, a driven hinge, a child, wrenches in all axes and a closure against `System.recovered`."""
    system = machine(beam, closed)
    made = ist.Assembly("all", vehicle=system).add("push", Wrench(at=("beam", TIP), other=("beam", MIDDLE)))
    for k, name in enumerate(WANTED):
        made.add(f"g{k}", Probe(at=("beam", name), joint="beam"))
    x = system.state()
    x["bus"].velocity[:] = [0.3, -0.2, 0.4, 0.1, 0.2, 0.3]
    if not closed:
        x["beam"].v[0], x["beam"].eta[:] = 0.2, 1e-3
        x["arm"].q[:] = 0.3
    log = ist.simulate(made, x, until=0.02, step="0.2 ms", log_step="10 ms")
    for k in (0, 1, 2):
        state = log.state(k)
        forces = [
            ist.Wrench("beam", [0.0, 0.0, 0.0, 0.3, 2.0, -1.0], node=TIP, frame="node"),
            ist.Wrench("beam", [0.5, -0.2, 0.1, 0.0, 0.0, 0.0], node=TIP, frame="body"),
            ist.Wrench("beam", [0.0, 0.0, 0.0, -0.4, 0.6, 0.8], node=MIDDLE),
        ]
        vdot = system.forward_dynamics(state, forces=forces)
        true = system.recovered(state, "beam", vdot, forces=forces)
        modal = system.recovered(state, "beam", vdot, residual=False)
        held = system.drive_forces(state, vdot, forces=forces)
        for n, name in enumerate(WANTED):
            assert log[f"g{n}.a"][k] == pytest.approx(true[name], rel=1e-9, abs=1e-9), name
            assert log[f"g{n}.b"][k] == pytest.approx(modal[name], rel=1e-9, abs=1e-9), name
            assert log.recovered("beam", name)[k] == pytest.approx(true[name], rel=1e-9, abs=1e-9), name
        assert log["g0.c"][k] == pytest.approx(held[system.layout["beam"].v.start], rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(log.accelerations[k], vdot, rtol=1e-9, atol=1e-9)
        assert log.torque("beam")[k, 0] == pytest.approx(log["g0.c"][k], rel=1e-9, abs=1e-9)


def cantilever(beam: ist.Component) -> ist.System:
    mb = ist.Multibody("cantilever")
    mb.add_body("beam", component=beam, node=1, joint=ist.Locked())
    return mb.compile()


class Tip(ist.Device):
    at, level = ist.Site(), ist.In("N", default=1.0)
    force = at.force("world")

    def outputs(d, t):
        for i in range(3):
            d.force[i] = d.level * (0.0, 1.0, 0.0)[i]


def test_static_strain_of_the_finite_element_model(beam):
    """Under a force at the tip: ε = σ/E of the FE statics, and -PLc/EI."""
    system, P = cantilever(beam), 1e-4
    made = ist.Assembly("still", vehicle=system).add("tip", Tip(at=("beam", TIP), level=P))
    made.add("gauge", dev.StrainGauge(at=("beam", "fibre"), modulus=YOUNG, every="1 s"))
    made.add("load", dev.LoadCell(at=("beam", "root moment"), every="1 s"))
    x0 = ist.trim(made, system.state())
    log = ist.simulate(made, x0, until=1, step="10 ms", method="ros2")
    fe = ist.static(ist.FEModel.from_deck(deck(f"SPC1,1,123456,1\nFORCE,1,{TIP},,{P},0.,1.,0.\n")))
    stress = fe.stresses["CBAR"].column("s1a")[0]
    # the closed form has no shear, as PBAR without K1; the rest is rounding of the FE solution
    assert stress / YOUNG == pytest.approx(-P * LENGTH * FIBRE / (YOUNG * INERTIA), rel=1e-8)
    assert log["gauge.strain"][-1] == pytest.approx(stress / YOUNG, rel=1e-7)
    assert log["load.reading"][-1] == pytest.approx(P * LENGTH, rel=1e-7)


def test_logs_recover_what_samples_pushed_with(beam, tmp_path):
    """Levels that software holds, before and after a kick, against `System.recovered` under the level of then."""
    system = cantilever(beam)
    made = ist.Assembly("held", vehicle=system).add("tip", Tip(at=("beam", TIP)))
    made.add("law", lambda t: {"level": np.cos(40.0 * t)}, every="4 ms", out={"level": "N"})
    made.wire({"law.level": "tip.level"})

    def slow(t, system, x):
        x["beam"].etadot[:] *= 0.5
        return x

    kick = ist.Event(at=0.011, action=slow)
    path = tmp_path / "held.h5"
    log = ist.simulate(made, system.state(), until=0.02, step="1 ms", events=[kick], log=path)
    assert len(log.phases) == 2
    moment = log.recovered("beam", "root moment")
    for k, t in enumerate(log.t):
        level = np.cos(40.0 * 4e-3 * np.floor(t / 4e-3 + 1e-9))
        push = {("beam", TIP): [0.0, 0.0, 0.0, 0.0, level, 0.0]}
        x = log.state(k)
        true = system.recovered(x, "beam", system.forward_dynamics(x, forces=push), forces=push)
        assert moment[k] == pytest.approx(true["root moment"], rel=1e-9, abs=1e-9), t
    with pytest.raises(InputError, match="the log does not have what acted"):
        ist.load(path).recovered("beam", "root moment")
    modal = ist.load(path).recovered("beam", "root moment", residual=False)
    np.testing.assert_array_equal(modal, log.recovered("beam", "root moment", residual=False))
    few = ist.simulate(made, system.state(), until=0.01, step="1 ms", keep=["law.level"])
    with pytest.raises(InputError, match=r"the log does not have what 'tip\.force' said"):
        few.recovered("beam", "root moment")


@pytest.mark.parametrize("what", ["component", "mass", "detach", "joint"])
def test_gauges_follow_changes_of_the_vehicle(beam, what):
    """Another beam with its results in another order, another mass at the tip, none, a stiffer joint; a bus that burns.

    After each, gauges and logs are `System.recovered` of the vehicle that is there, under its own loads.
    """
    soft = ist.Component.from_deck(
        deck(young=YOUNG / 3.0),
        5,
        aset={},
        load_grids=[1, MIDDLE, TIP],
        recover=dict(reversed(list(WANTED.items()))),
    )

    def heavier(t, system, x):
        system.set_mass("arm", 3.0, [0.1, 0.0, 0.0], [0.1, 0.2, 0.2])

    actions = {
        "component": ist.ReplaceComponent("beam", soft),
        "mass": heavier,
        "detach": ist.Detach("arm"),
        "joint": ist.ReplaceJoint("arm", ist.Revolute("y", stiffness=500.0)),
    }
    mb = ist.Multibody("machine", gravity=[0.0, -2.0, 1.0])
    mb.add_body("bus", mass=20.0, inertia=[3, 4, 5], joint=ist.Free())
    root = ist.Revolute("z", stiffness=30.0)
    mb.add_body("beam", component=beam, node=1, parent="bus", at=[1, 0, 0], joint=root)
    arm = {"mass": 1.0, "com": [0.3, 0, 0], "inertia": [0.1, 0.2, 0.2], "parent": "beam", "at": TIP}
    mb.add_body("arm", joint=ist.Revolute("y", stiffness=5.0), **arm)
    system = mb.compile()
    made = ist.Assembly("m", vehicle=system).add("push", Swing(at=("beam", TIP)))
    made.add("root", Inside(at=("beam", "root moment"))).add("fibre", Inside(at=("beam", "fibre")))
    made.add("gauge", dev.StrainGauge(at=("beam", "fibre"), modulus=YOUNG, every="5 ms"))
    x = system.state()
    x["beam"].q[:], x["arm"].q[:], x["bus"].velocity[:3] = 0.1, 0.2, [0.1, 0.3, 0.5]
    burning = {"bus": lambda t: (20.0 - 3.0 * t, [0.05 * t, 0.0, 0.0], [3, 4, 5])}
    change = [ist.Event(at=0.02, action=actions[what])]
    run = {"until": 0.04, "step": "0.5 ms", "log_step": "5 ms"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ist.FidelityWarning)
        log = ist.simulate(made, x, events=change, mass=burning, **run)
    assert len(log.phases) == 2 and len(log.t) == 10
    found = {name: log[f"{name.split()[0]}.load"] for name in ("root moment", "fibre")}
    for name, values in found.items():
        np.testing.assert_allclose(log.recovered("beam", name), values, rtol=1e-12)
    size = {name: np.abs(values).max() for name, values in found.items()}
    for k, t in enumerate(log.t):
        point = log.point(k)
        push = {("beam", TIP): [0.0, 0.0, 0.0, 0.3, 2.0 * np.cos(20.0 * t), -1.0]}
        vdot = point.system.forward_dynamics(point, forces=push)
        true = point.system.recovered(point, "beam", vdot, forces=push)
        for name, values in found.items():
            assert values[k] == pytest.approx(true[name], abs=1e-11 * size[name]), (name, t)
    strain = log.series("gauge.strain")
    rows = np.searchsorted(log.t, strain.t, side="right") - 1
    np.testing.assert_allclose(strain.values * YOUNG, found["fibre"][rows], atol=1e-11 * size["fibre"])


@pytest.fixture(scope="module")
def mast(beam) -> ist.System:
    """The beam on a sprung hinge."""
    mb = ist.Multibody("mast")
    mb.add_body("beam", component=beam, node=1, joint=ist.Revolute("z", stiffness=300.0, damping=1.0))
    return mb.compile()


def test_a_linear_model_has_the_gain_of_the_recovered_output(mast):
    """Force at the tip to the gauge, against `ist.RecoveredLoad` of the vehicle alone; the modes alone say less."""
    made = ist.Assembly("linear", vehicle=mast).add("tip", Tip(at=("beam", TIP)))
    made.add("probe", Probe(at=("beam", "root moment"), joint="beam"))
    lin = ist.linearize(made, mast.state(), inputs="tip.level", outputs=["probe.a", "probe.b"])
    plain = ist.linearize(
        mast,
        mast.state(),
        inputs=[ist.NodeForce("beam", TIP, "y")],
        outputs=[
            ist.RecoveredLoad("beam", "root moment"),
            ist.RecoveredLoad("beam", "root moment", residual=False, name="m"),
        ],
    )
    for hz in (0.01, 1.0, 20.0):
        gain, true = lin.frequency_response([hz])[0][:, 0], plain.frequency_response([hz])[0][:, 0]
        assert gain == pytest.approx(true, rel=1e-9)
    static = lin.frequency_response([1e-6])[0][:, 0].real
    assert static[0] == pytest.approx(LENGTH, rel=1e-5) and abs(static[1] / LENGTH - 1) > 0.05


class Relief(ist.Device):
    """A torque at the hinge that follows what the gauge says through a lag."""

    joint = ist.JointRef()
    gain, lag = ist.Parameter("", 0.5), ist.Parameter("s", 0.1)
    reading, torque = ist.In("N*m"), joint.force()
    held = ist.Out("N*m")

    def sample(d, t):
        d.held += d.period / d.lag * (d.gain * d.reading - d.held)

    def outputs(d, t):
        d.torque = d.held


def test_a_law_damps_the_mast_by_its_gauge(mast):
    """Root moment fed back through a lag: the run goes as the sampled linear model of the loop says, better damped."""
    made = ist.Assembly("loop", vehicle=mast)
    made.add("gauge", dev.LoadCell(at=("beam", "root moment"), every="2 ms"))
    made.add("law", Relief(joint="beam"), every="2 ms").wire({"gauge.reading": "law.reading"})
    lin = ist.linearize(made, mast.state(), sampled=True, step="0.1 ms")
    x = mast.state()
    x["beam"].q[:] = 1e-5
    log = ist.simulate(made, x, until=1.0, step="0.1 ms", log_step="2 ms")
    path, k = [np.zeros(len(lin.states))], lin.states.index("beam.angle")
    path[0][k] = 1e-5
    for _ in range(500):
        path.append(lin.A @ path[-1])
    assert np.abs(log["beam"].q[:, 0] - np.array(path)[:, k]).max() < 1e-4 * 1e-5
    free = ist.linearize(mast, mast.state()).poles()
    slow = min(free[free.imag > 0.0], key=abs)
    found = np.log(lin.poles() + 0j) / 2e-3
    near = found[np.argmin(np.abs(found - slow))]
    assert near.real < 2.0 * slow.real


def test_errors_of_a_gauge(mast):
    """Scale, bias, noise of the seed, and steps of a converter."""
    made = ist.Assembly("still", vehicle=mast, seed=4)
    clean = {"at": ("beam", "fibre"), "modulus": YOUNG, "every": "1 ms"}
    made.add("noisy", dev.StrainGauge(**clean, bias=1e-6, noise=1e-7))
    made.add("coarse", dev.StrainGauge(**clean, bias=1.26e-6, step=1e-7))
    log = ist.simulate(made, mast.state(), until=2.0, step="1 ms")
    read = log["noisy.strain"]
    assert read.mean() == pytest.approx(1e-6, abs=4e-7 / np.sqrt(2000)) and read.std() == pytest.approx(
        1e-7, rel=0.07
    )
    assert log["coarse.strain"] == pytest.approx(1.3e-6, abs=1e-18)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (
            {"at": ("beam", "root moment")},
            InputError,
            r"'g.stress' does not fit the result 'root moment'.*expected Pa",
        ),
        ({"at": ("beam", "shear")}, InputError, r"'g.stress' has no place.*no result 'shear'.*root moment"),
        ({"at": ("boom", "fibre")}, InputError, r"'g.stress' has no place.*'boom'"),
        ({"at": "beam"}, InputError, r"'g.stress' is inside no body; expected \(body, result\)"),
    ],
)
def test_what_cannot_be_gauged_is_said(mast, given, kind, said):
    made = ist.Assembly("x", vehicle=mast).add("g", dev.StrainGauge(modulus=YOUNG, every="1 ms", **given))
    with pytest.raises(kind, match=said):
        ist.simulate(made, mast.state(), until=0.01, step="1 ms")


def test_a_force_that_the_recovery_does_not_know_is_refused(mast):
    made = ist.Assembly("x", vehicle=mast).add("tip", Tip(at=("beam", 3)))
    made.add("g", dev.LoadCell(at=("beam", "root moment"), every="1 ms"))
    with pytest.raises(ModelError, match=r"'g.load' cannot be said.*does not know loads at node 3"):
        ist.simulate(made, mast.state(), until=0.01, step="1 ms")


def test_a_modulus_is_positive():
    with pytest.raises(InputError, match=r"StrainGauge.modulus must be above 0"):
        dev.StrainGauge(at=("beam", "fibre"), modulus=-1.0)
