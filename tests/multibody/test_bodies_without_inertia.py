"""Straight bars have no inertia about their axis: said as it is where it matters, not called a deformation."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FidelityWarning, ModelError
from interstage.nastran import deck_from_text


def bar(coupled):
    lines = [
        "SOL 103",
        "CEND",
        "BEGIN BULK",
        f"PARAM,COUPMASS,{1 if coupled else -1}",
        "MAT1,1,7.+10,,.3,2700.",
    ]
    lines += ["PBAR,1,1,4.-4,1.3-8,1.3-8,2.6-8"]
    lines += [f"GRID,{k},,{0.25 * (k - 1)},0.,0." for k in range(1, 8)]
    lines += [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 7)]
    return ist.Component.from_deck(
        deck_from_text("\n".join([*lines, "ENDDATA"])), n_modes=8, aset={1: 123456}
    )


def alone(coupled, joint, **options):
    mb = ist.Multibody()
    mb.add_body("bar", component=bar(coupled), joint=joint, **options)
    return mb


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("coupled", [True, False])
@pytest.mark.parametrize("joint", [ist.Locked(), ist.Revolute("z")])
def test_an_undeformed_straight_bar_is_not_called_deformed(order, coupled, joint):
    c = bar(coupled)
    assert abs(c.inertia[0, 0]) < 1e-12 * np.trace(c.inertia)
    mb = ist.Multibody()
    mb.add_body("bar", component=c, joint=joint, order=order)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system = mb.compile()
        x = system.state()
        vdot = system.forward_dynamics(x, forces={("bar", 7): [0, 0, 0, 0, 1.0, 0]})
    M = system.mass_matrix(x)
    load = system.jacobian(x, "bar", 7)[4]
    np.testing.assert_allclose(vdot, np.linalg.solve(M, load), rtol=1e-8, atol=1e-8 * abs(vdot).max())


def test_a_bar_bent_too_far_at_order_one_is_still_warned_of():
    system = alone(True, ist.Locked(), order=1).compile()
    x = system.state()
    x["bar"].eta[:] = 0.1
    with pytest.warns(FidelityWarning, match=r"too large.*order=1 leaves out.*use order=2"):
        system.forward_dynamics(x)
    for made in (system, ist.Assembly("bar", vehicle=system)):
        with pytest.warns(FidelityWarning, match=r"too large.*order=1 leaves out.*use order=2"):
            ist.simulate(made, x, 1e-6, 1e-6)


def test_what_nothing_holds_back_is_named():
    with pytest.raises(ModelError, match=r"no inertia about an axis.*\[1.0, 0.0, 0.0\].*CONM2"):
        alone(True, ist.Free()).compile()
    with pytest.raises(ModelError, match=r"no inertia that its Revolute.*undeformed"):
        alone(False, ist.Revolute("x")).compile()


def test_integrals_beyond_all_numbers_are_one_sentence():
    """Their squares overflow, of which no eigenvalues can be had."""
    heavy = ist.Component.from_deck(
        Path(__file__).parents[2] / "examples" / "decks" / "kestrel.bdf", n_modes=4
    )
    heavy = heavy.with_changes(F0=np.full(heavy.F0.shape, 1e300))
    mb = ist.Multibody()
    mb.add_body("bar", component=heavy, joint=ist.Free())
    with warnings.catch_warnings(), pytest.raises(ModelError, match="residual mass"):
        warnings.simplefilter("error", RuntimeWarning)
        mb.compile()
