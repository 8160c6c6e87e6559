"""A force between places of two bodies as a device: a spring against the closed form of two masses."""

import numpy as np
import pytest

import interstage as ist

K, LENGTH, PULLED = 40.0, 1.0, 0.1
MASSES = {"a": 2.0, "b": 3.0}
OMEGA = np.sqrt(K * (1.0 / 2.0 + 1.0 / 3.0))  # of the reduced mass


class Spring(ist.Device):
    """Pulls two places together: k (s - length) along the line between them."""

    a, b = ist.Site(), ist.Site()
    k, length = ist.Parameter("N/m", K), ist.Parameter("m", LENGTH)
    at_a, at_b = a.position(), b.position()
    on_a, on_b = a.force("world"), b.force("world")
    stretch = ist.Out("m")

    def outputs(d, t):
        line = d.at_b - d.at_a
        s = np.sqrt(line[0] * line[0] + line[1] * line[1] + line[2] * line[2])
        d.stretch = s - d.length
        for i in range(3):
            d.on_a[i] = d.k * d.stretch * line[i] / s
            d.on_b[i] = -d.on_a[i]


@pytest.fixture(scope="module")
def pair():
    """Two free bodies and the spring between their centres of mass, which are away from their origins."""
    mb = ist.Multibody("pair")
    for name, mass in MASSES.items():
        mb.add_body(name, mass=mass, com=[0, 0.3, 0], inertia=[1, 2, 1.5], joint=ist.Free())
    vehicle = mb.compile()
    x = vehicle.state()
    x["b"].position[:] = [LENGTH + PULLED, 0, 0]
    spring = Spring(a=("a", [0, 0.3, 0]), b=("b", [0, 0.3, 0]))
    return ist.Assembly("pair", vehicle=vehicle).add("spring", spring), x


def test_two_masses_on_a_spring(pair):
    """They swing about their common centre with the frequency of the reduced mass, and do not turn."""
    assembly, x = pair
    log = ist.simulate(assembly, x, 1.0, 1e-3)
    along = {name: log[name].position[:, 0] for name in MASSES}
    apart = along["b"] - along["a"]
    assert apart == pytest.approx(LENGTH + PULLED * np.cos(OMEGA * log.t), abs=1e-10)  # rk4 leaves 4e-12
    centre = sum(MASSES[name] * values for name, values in along.items())
    assert centre == pytest.approx(np.full(len(log.t), centre[0]), abs=1e-13)
    assert np.abs(log["b"].quaternion[:, 1:]).max() < 1e-13


def test_its_linear_model_rings_at_that_frequency(pair):
    assembly, x = pair
    rest = x.copy()
    rest["b"].position[:] = [LENGTH, 0, 0]
    poles = np.asarray(ist.linearize(assembly, rest, outputs=["spring.stretch"]).poles())
    # the line alone has stiffness: everything else drifts
    size = np.sort(np.abs(poles))
    assert size[-2:] == pytest.approx([OMEGA, OMEGA], rel=1e-9)
    assert size[-3] < 1e-4
