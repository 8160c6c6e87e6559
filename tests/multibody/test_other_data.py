"""Other data for a body that bends: center of mass, momentum about a fixed point and energy before and after."""

import numpy as np
import pytest

import interstage as ist
from interstage.fem import lumped_beam

K, M, NODES = lumped_beam(4.0, 6, EA=2e4, GJ=80.0, EI=(150.0, 90.0), mass=[0.4, 0.4, 0.4, 0.01, 0.01, 0.01])


def beam(n_modes, **how):
    return ist.Component.from_matrices(K, M, NODES, n_modes=n_modes, aset={1: 123456}, **how)


@pytest.fixture(scope="module")
def bent():
    """A bus with a beam that is bent and swings, fast and far from the origin."""
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=20.0, inertia=[3, 4, 5], joint=ist.Free())
    mb.add_body("beam", component=beam(8), node=1, parent="bus", at=[0.5, 0, 0])
    system = mb.compile()
    rng, x = np.random.default_rng(3), system.state()
    x["bus"].position[:] = [300.0, -200.0, 100.0]
    x["bus"].velocity[:] = [0.1, -0.2, 0.3, 500.0, 100.0, -200.0]
    x["beam"].eta[:], x["beam"].etadot[:] = 0.05 * rng.normal(size=8), 0.3 * rng.normal(size=8)
    return system, x


def points(system, x):
    """Return mass, place and velocity of every lump: the sums below use nothing of the engine's."""
    rows = [(20.0, system.position(x, "bus", [0, 0, 0]), system.velocity(x, "bus", [0, 0, 0])[3:])]
    rows += [(0.4, system.position(x, "beam", k), system.velocity(x, "beam", k)[3:]) for k in NODES]
    return rows


def test_center_and_momentum_stay(bent):
    """Three modes for eight: Σ m r and Σ m v of all lumps stay, moment about the origin as the engine has it.

    Lumps of the beam have 0.01 of inertia, which is not in the sums.
    """
    system, x = bent
    with pytest.warns(ist.FidelityWarning, match="nodes jump by up to"):
        new, y = system.replace_component("beam", beam(3), x)
    sums = [
        (sum(m * r for m, r, _ in points(*one)), sum(m * v for m, _, v in points(*one)))
        for one in ((system, x), (new, y))
    ]
    np.testing.assert_allclose(sums[1][0], sums[0][0], rtol=1e-12)
    np.testing.assert_allclose(sums[1][1], sums[0][1], rtol=1e-12)
    before, after = system.momentum(x), new.momentum(y)
    np.testing.assert_allclose(after, before, rtol=1e-11)
    about = [one.momentum(z, np.array([310.0, -190.0, 90.0]))[:3] for one, z in ((system, x), (new, y))]
    np.testing.assert_allclose(about[1], about[0], rtol=1e-9)
    assert new.energies(y).kinetic <= system.energies(x).kinetic * (1 + 1e-13)
    assert new.change.shift > 1e-3 and "nodes jump by up to" in str(new.change)


def test_modes_that_hold_all_change_nothing(bent):
    """The same modes in another order of choice: nothing moves, no warning."""
    system, x = bent
    new, y = system.replace_component("beam", beam(12), x)
    assert new.change.shift < 1e-9
    assert new.energy(y) == pytest.approx(system.energy(x), rel=1e-9)


def test_the_same_however_fast(bent):
    """What a change does to the vehicle does not depend on where it is and how fast it flies."""
    system, x = bent
    rest = x.copy()
    rest["bus"].position[:], rest["bus"].velocity[3:] = 0.0, 0.0
    with pytest.warns(ist.FidelityWarning):
        _, y = system.replace_component("beam", beam(3), x)
        _, z = system.replace_component("beam", beam(3), rest)
    np.testing.assert_allclose(y["bus"].velocity[:3], z["bus"].velocity[:3], rtol=1e-9)
    np.testing.assert_allclose(y["beam"].etadot, z["beam"].etadot, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        y["bus"].position - x["bus"].position, z["bus"].position, rtol=1e-6, atol=1e-10
    )


def test_a_run_says_the_jump(bent):
    system, x = bent
    change = ist.Event(at=0.01, action=ist.ReplaceComponent("beam", beam(3)))
    with pytest.warns(ist.FidelityWarning, match="other data of 'beam'"):
        log = ist.simulate(system, x, until=0.02, step=1e-3, events=[change])
    assert "nodes jump by up to" in log.events[0].what
    np.testing.assert_allclose(log.events[0].momentum_after, log.events[0].momentum_before, rtol=1e-10)
