"""Forces and stresses recovered inside bodies: whole FE models, reactions of the engine, linear models, trim."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

import interstage as ist
from interstage.errors import InputError, ModelError
from interstage.fem.recovery import Recovery
from interstage.nastran import deck_from_text

LENGTH, AREA, INERTIA, YOUNG, RHO, BARS = 10.0, 1e-2, 1e-6, 7e10, 2700.0, 20
FIRST = 3.516 * np.sqrt(YOUNG * INERTIA / (RHO * AREA * LENGTH**4))  # of the cantilever, rad/s
TIP = BARS + 1
WANTED = {
    "root moment": ("CBAR", 1, "bending_moment_a1"),
    "root shear": ("CBAR", 1, "shear1"),
    "middle moment": ("CBAR", BARS // 2 + 1, "bending_moment_a1"),
    "pull": ("CBAR", 5, "axial"),
    "root stress": ("CBAR", 1, "s1a"),
}


def beam():
    """A uniform beam along x with point masses, and a little inertia of its grids."""
    bulk = "".join(f"GRID,{i + 1},,{LENGTH * i / BARS:.8f},0.,0.\n" for i in range(BARS + 1))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(BARS))
    bulk += f"PBAR,1,1,{AREA},{INERTIA},{INERTIA},{2 * INERTIA}\n,.02,.01\nMAT1,1,{YOUNG},,0.3,{RHO}\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,0.\n,1.e-3,,1.e-6,,,1.e-6\n" for i in range(1, BARS + 2))
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")


def component(n_modes, aset=None):
    return ist.Component.from_deck(beam(), n_modes, aset=aset or {}, load_grids=[1, TIP], recover=WANTED)


def cantilever(n_modes, aset=None):
    mb = ist.Multibody("cantilever")
    mb.add_body("beam", component=component(n_modes, aset), node=1, joint=ist.Locked())
    return mb.compile()


ROOT = {1: 123456}
PUSH = 1e-6  # so small that loads of second order are nothing
SPEED = 0.3 * FIRST


def pushed(t):
    return [0.0, 0.0, 0.0, 0.0, PUSH * np.sin(SPEED * t), 0.0]


def whole_model(t):
    """Results of the clamped FE model from rest under the push at its tip, all of its modes."""
    fe = ist.FEModel.from_deck(beam())
    K, M, f = fe.K_gg.toarray(), fe.M_gg.toarray(), np.arange(6, 6 * TIP)
    squares, V = la.eigh(K[np.ix_(f, f)], M[np.ix_(f, f)])
    w, force = np.sqrt(squares)[:, None], PUSH * V[6 * BARS - 5][:, None]
    u = np.zeros((len(K), len(t)))
    u[f] = V @ (force * (np.sin(SPEED * t) - SPEED / w * np.sin(w * t)) / (w**2 - SPEED**2))
    found = Recovery(fe, u)
    bars, stress = found.forces["CBAR"], found.stresses["CBAR"]
    return {
        name: (stress if column.startswith("s1") else bars).column(column)[:, element - 1]
        for name, (_, element, column) in WANTED.items()
    }


@pytest.fixture(scope="module")
def runs():
    """Runs of the cantilever with 4 and 8 fixed-interface modes."""
    force = [ist.Wrench("beam", pushed, node=TIP)]
    return {
        n: ist.simulate(system, system.state(), until=16.0, step=4e-3, log_step=0.16, forces=force)
        for n, system in ((n, cantilever(n, ROOT)) for n in (4, 8))
    }


def test_time_histories_against_the_whole_model(runs):
    """Moments to 1e-3 with two bending modes a plane, 1.5e-4 with four; mode displacement is thirty times off."""
    truth = whole_model(runs[4].t)
    bounds = {"root moment": (1.5e-3, 3e-4), "middle moment": (6e-4, 1.5e-4), "root shear": (1.2e-2, 4e-3)}
    bounds["root stress"] = bounds["root moment"]
    for name, limits in bounds.items():
        size = np.abs(truth[name]).max()
        for log, limit in zip(runs.values(), limits):
            assert np.abs(log.recovered("beam", name) - truth[name]).max() < limit * size, name
        modal = runs[4].recovered("beam", name, residual=False)
        assert np.abs(modal - truth[name]).max() > 10 * limits[0] * size


def test_root_loads_are_the_reactions_of_the_engine(runs):
    """The root grid stands still: its bar carries what the joint exerts, whatever the number of modes."""
    system, force = cantilever(12), [ist.Wrench("beam", pushed, node=TIP)]
    free = ist.simulate(system, system.state(), until=0.2, step=1e-4, log_step=0.02, forces=force)
    for log in (free, *runs.values()):
        system, vdot = log.system, log.accelerations
        loads = [log.operating_point(k).loads for k in range(len(log))]
        wrench = np.array(
            [
                system.reactions(log.state(k), vdot[k], forces=loads[k], frame="body")["beam"]
                for k in range(len(log))
            ]
        )
        for name, column in (("root moment", 2), ("root shear", 4)):
            carried = log.recovered("beam", name)
            np.testing.assert_allclose(carried, -wrench[:, column], atol=1e-8 * np.abs(carried).max())


class Pushing(ist.Device):
    """The push as a device."""

    at = ist.Site()
    force = at.force("world")

    def outputs(d, t):
        d.force[1] = PUSH * np.sin(SPEED * t)


def test_flights_recover_the_reactions_of_the_engine(runs):
    """What devices pushed with is read from the log: the root carries the reaction that the engine finds, to 1e-8."""
    system = cantilever(8, ROOT)
    flight = ist.Assembly("test", vehicle=system).add("push", Pushing(at=("beam", TIP)))
    log = ist.simulate(flight, system.state(), until=16.0, step=4e-3, log_step=0.16)
    np.testing.assert_allclose(log.q, runs[8].q, rtol=0, atol=1e-10 * np.abs(log.q).max())
    for k, t in enumerate(log.t):
        x, push = log.state(k), {("beam", TIP): pushed(t)}
        vdot = system.forward_dynamics(x, forces=push)
        np.testing.assert_allclose(log.accelerations[k], vdot, rtol=0, atol=1e-12 * PUSH)
        wrench = system.reactions(x, vdot, forces=push, frame="body")["beam"]
        for name, column in (("root moment", 2), ("root shear", 4)):
            carried = log.recovered("beam", name)
            assert carried[k] == pytest.approx(-wrench[column], abs=1e-8 * np.abs(carried).max())
    modal = log.recovered("beam", "root moment", residual=False)
    np.testing.assert_allclose(modal, runs[8].recovered("beam", "root moment", residual=False), atol=1e-15)


def test_static_loads_in_closed_form():
    """M = P(L - x), N = P of a cantilever, by modes of the free body: all of it the static answer to the loads."""
    system = cantilever(8)
    x0 = ist.trim(system, system.state(), forces={("beam", TIP): [0, 0, 0, 3 * PUSH, PUSH, 0]})
    found = system.recovered(x0, "beam")
    wanted = {"root moment": LENGTH, "middle moment": LENGTH / 2, "root shear": 1.0, "pull": 3.0}
    wanted["root stress"] = -LENGTH * 0.02 / INERTIA
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value * PUSH, rel=1e-6)
    assert abs(system.recovered(x0, "beam", residual=False)["root moment"]) < 0.1 * LENGTH * PUSH


def test_spin_and_a_mass_at_a_port():
    """N = ρA Ω²(L² - x²)/2 + m Ω² L of a blade with a mass at its tip."""
    spin, mass = 1e-3, 5.0
    mb = ist.Multibody("rotor")
    mb.add_body("beam", component=component(6, ROOT), node=1, joint=ist.Revolute("z", prescribed=True))
    mb.add_body("tip", mass=mass, parent="beam", at=TIP, joint=ist.Locked())
    system = mb.compile()
    x = system.state()
    x["beam"].v[:1] = spin
    x0 = ist.trim(system, x)
    at = LENGTH * 4 / BARS  # lumped masses: half of each bar at its ends
    rest = sum((LENGTH * i / BARS) * (1.0 if i < BARS else 0.5) for i in range(5, BARS + 1))
    wanted = spin**2 * (RHO * AREA * LENGTH / BARS * rest + mass * LENGTH)
    assert at < LENGTH and system.recovered(x0, "beam")["pull"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("aset", [{}, ROOT])
def test_a_linear_model_recovers(aset):
    """Gain of a force at the tip of a free beam to the moment inside it, against the whole FE model."""
    mb = ist.Multibody("free")
    mb.add_body("beam", component=component(12, aset), node=1, joint=ist.Free())
    system = mb.compile()
    lin = ist.linearize(
        system,
        system.state(),
        inputs=[ist.NodeForce("beam", TIP, "y")],
        outputs=[
            ist.RecoveredLoad("beam", "middle moment"),
            ist.RecoveredLoad("beam", "root stress", name="gauge"),
        ],
    )
    assert lin.outputs == ["beam.middle moment", "gauge"]
    fe = ist.FEModel.from_deck(beam())
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    p = np.zeros(len(K))
    p[6 * BARS + 1] = 1.0
    for ratio in (0.1, 0.3):
        w = ratio * 22.373 / 3.516 * FIRST
        u = la.solve(K - w**2 * M, p, assume_a="sym")
        wanted = Recovery(fe, u).forces["CBAR"].column("bending_moment_a1")[BARS // 2]
        gain = lin.frequency_response([w / (2 * np.pi)])[0]
        assert abs(gain[0, 0] - wanted) < 1e-4 * abs(wanted)
    assert lin.output_units == ["mass length^2/s^2", "mass/(length s^2)"]


def test_loops_count_among_the_loads():
    """A propped cantilever, the prop a closure: M = wL²/8 at the root, less 1/n² of it with masses at n + 1 grids."""
    mb = ist.Multibody("propped", gravity=[0.0, -1e-5, 0.0])
    mb.add_body("beam", component=component(10, {1: 123456, TIP: 2}), node=1, joint=ist.Locked())
    mb.close("prop", ("beam", TIP), (None, [LENGTH, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    system.drop_redundant(system.state())  # no modes along x and z
    x0 = ist.trim(system, system.state())
    w = RHO * AREA * 1e-5
    found = system.recovered(x0, "beam", system.forward_dynamics(x0))
    assert abs(found["root moment"]) == pytest.approx(w * LENGTH**2 / 8 * (1 - BARS**-2), rel=1e-6)


def test_units_modes_and_files(tmp_path):
    """What is recovered does not depend on units; fewer modes leave the static answer as it is."""
    c = component(8).with_changes(units="SI")
    c.save(tmp_path / "beam.h5")
    values = []
    for units, modes in (("SI", None), ("t-mm-s", None), ("SI", 4)):
        mb = ist.Multibody("cantilever", units=units)
        other = ist.Component.load(tmp_path / "beam.h5", units=units)
        other = other if modes is None else other.keep_modes(slice(modes))
        mb.add_body("beam", component=other, node=1, joint=ist.Locked())
        system = mb.compile()
        x0 = ist.trim(system, system.state(), forces={("beam", TIP): [0, 0, 0, 0, PUSH, 0]})  # N is t mm/s²
        found = system.recovered(x0, "beam")
        length = 1.0 if units == "SI" else 1e-3
        values.append([found["root moment"] * length, found["root stress"] / length**2, found["root shear"]])
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)
    np.testing.assert_allclose(values[2], values[0], rtol=1e-6)


def test_what_is_not_there_is_said():
    system = cantilever(4, ROOT)
    x = system.state()
    with pytest.raises(InputError, match=r"no recovered 'moment'.*root moment"):
        ist.linearize(system, x, inputs=[], outputs=[ist.RecoveredLoad("beam", "moment")])
    with pytest.raises(ModelError, match=r"does not know loads at node 7.*load_grids"):
        system.recovered(x, "beam", forces={("beam", 7): np.ones(6)})
    assert system.recovered(x, "beam", forces={("beam", 7): np.ones(6)}, residual=False)
    mb = ist.Multibody("rigid")
    mb.add_body("bus", mass=1.0, inertia=[1, 1, 1])
    rigid = mb.compile()
    with pytest.raises(InputError, match="nothing to recover"):
        rigid.recovered(rigid.state(), "bus")
