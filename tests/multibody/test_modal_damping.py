"""Damping that is given comes out: ratios of modes as the body is hung, in whatever coordinates the engine works."""

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from interstage.nastran.builders import beam_deck
from interstage.staged_vehicle import simulate_free_flight

RATIO = 0.007


def ratios(system, body="boom"):
    """Return frequencies and damping ratios of the elastic modes, ascending."""
    poles = np.linalg.eigvals(ist.linearize(system, system.state()).A)
    poles = poles[poles.imag > 1.0]
    poles = poles[np.argsort(np.abs(poles))]
    return np.abs(poles) / (2.0 * np.pi), -poles.real / np.abs(poles)


def component(ratio=0.0, aset=1):
    c = beam(aset=aset)
    return ist.Component(**{**c.__dict__, "damping_ratio": np.full(c.n_modes, ratio)}) if ratio else c


@pytest.mark.parametrize("node", [1, 4, 7])
def test_free_body_has_the_ratio_whatever_node_it_is_held_by(node):
    """1e-7: rates of the lowest modes come out of an eigenproblem with frequencies up to 1e3 times theirs."""
    mb = ist.Multibody()
    mb.add_body("boom", component=beam(), node=node, joint=ist.Free(), damping=RATIO)
    _, found = ratios(mb.compile())
    assert len(found) == 8
    np.testing.assert_allclose(found, RATIO, rtol=1e-7)


def test_held_body_has_the_ratio_of_its_held_modes():
    mb = ist.Multibody()
    mb.add_body("boom", component=beam(), node=1, joint=ist.Locked(), damping=RATIO)
    _, found = ratios(mb.compile())
    np.testing.assert_allclose(found, RATIO, rtol=1e-7)


def test_damping_of_the_file_does_not_depend_on_the_node():
    """The component's own damping is a property of the structure: poles are those about its reference point."""
    found = []
    for node in (1, 4, 7):
        mb = ist.Multibody()
        mb.add_body("boom", component=component(RATIO), node=node, joint=ist.Free())
        found.append(ratios(mb.compile())[1])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-6)


@pytest.mark.parametrize("joint", [ist.Free(), ist.Revolute("z")])
def test_inverse_dynamics_and_kane_have_the_same_damping(joint):
    mb = ist.Multibody()
    mb.add_body("boom", component=beam(), node=4, joint=joint, damping=RATIO)
    system = mb.compile()
    x = system.state()
    x.v[:] = np.random.default_rng(1).normal(size=system.nv)
    vdot = system.forward_dynamics(x)
    tau = system.inverse_dynamics(x, vdot)
    np.testing.assert_allclose(tau, 0.0, atol=1e-10 * np.abs(system.mass_matrix(x) @ vdot).max())
    other = ist.Kane(mb, like=system).accelerations(x.q, x.v)
    np.testing.assert_allclose(other, vdot, rtol=1e-8, atol=1e-9 * np.abs(vdot).max())


def test_more_than_critical_damping_is_warned_of_everywhere():
    """5 is meant as percent: of a mounted body, of a vehicle that burns, of its flight alone, ranking, and of slosh."""
    made = ist.Component.beam(6.0, diameter=0.1, n_modes=4, aset={1: 123456}, elements=6)
    v = ist.StagedVehicle("v")
    v.add(ist.Stage.from_deck(deck_from_text(beam_deck(6.0, diameter=0.5, elements=6)), "only"))
    shapes = v.shapes(n_modes=2, levels=1)
    tank, rigid = dev.CylinderSlosh(1.5, 2.0, 400.0), ist.Multibody("m")
    rigid.add_body("hull", mass=10.0, inertia=[1.0] * 3, joint=ist.Free())
    where = {"parent": "hull", "bottom": [0, 0, 0], "acceleration": 9.0}
    for call in (
        lambda: ist.Multibody("m").add_body("b", component=made, node=1, damping=5),
        lambda: ist.Multibody("m").add_body("b", component=made, node=1, damping=[0.01, 0.01, 0.01, 1.5]),
        lambda: v.multibody(shapes, damping=5),
        lambda: v.multibody(shapes, damping=lambda hz: 5.0),
        lambda: simulate_free_flight(shapes, until=0.01, step=1e-3, damping=5),
        lambda: v.ranking(("only", 1, "y"), ("only", 7, 6), below_hz=10.0, damping=5),
        lambda: dev.add_slosh(rigid, "f", tank, damping=5, **where),
    ):
        with pytest.warns(ist.FidelityWarning, match="more than critical"):
            call()
