"""The pointing study in short: the barrel with few modes, a few seconds of each kind of run."""

from dataclasses import replace

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from validation import pointing
from validation.observatory_pointing import TOLERANCE_BOOK, TOLERANCE_RMS, TWO
from validation.pointing_runs import Shaken, at_speed, book, fine, sweep

SHORT = replace(TWO, n_modes=12)


@pytest.fixture(scope="module")
def systems():
    return {architecture: SHORT.system(architecture) for architecture in pointing.ARCHITECTURES}


@pytest.mark.parametrize("architecture", pointing.ARCHITECTURES)
def test_fine_pointing_is_that_of_the_linear_frame(systems, architecture):
    """Run and model have the same noise; what they differ by is curvature and the wheels' changes of speed."""
    found = fine(SHORT, architecture, systems[architecture], until=10.0)
    ratio, between = found.apart()
    assert ratio < 0.1 * TOLERANCE_RMS
    assert between < TOLERANCE_RMS
    assert found.largest < 1.0
    run, model = found.off()
    assert run < 0.1 * TOLERANCE_RMS
    assert model < 2e-4, "modes of the deck, and frames by matrix exponentials"


@pytest.mark.parametrize("architecture", [pointing.WHEELS, pointing.ISOLATED])
def test_sweeps_are_those_of_the_matrices_by_hand(systems, architecture):
    """Gyroscopic torques split modes; isolators add 24 of their own."""
    found = sweep(Shaken(SHORT, architecture, systems[architecture]), np.linspace(5.0, 90.0, 12), 3)
    assert len(found.modes[0]) == SHORT.n_modes + (24 if architecture == pointing.ISOLATED else 0)
    assert found.off[0] < 1e-6
    assert found.off[1] < 1e-8


def test_an_isolator_of_two_bodies_passes_what_its_springs_say():
    """Two masses on a spring and a damper: x₁/F₂ = (k + cs) / (m₁ m₂ s⁴ + (m₁ + m₂)(c s + k) s²)."""
    first, second, k, c, hz = 900.0, 60.0, 9500.0, 151.0, np.geomspace(0.2, 30.0, 40)
    mb = ist.Multibody("two masses")
    mb.add_body("bus", mass=first, inertia=[300.0] * 3, joint=ist.Free())
    mb.add_body("wheel", mass=second, inertia=[11.0] * 3, parent="bus", joint=ist.Free())
    sc = ist.Assembly("isolator", vehicle=mb.compile())
    six = {"stiffness": np.full(6, k), "damping": np.full(6, c)}
    sc.add("isolator", dev.Bushing(a="bus", b="wheel", **six)).add("push", pointing.Probe(at="wheel"))
    sc.add("seen", Seen(at="bus"))
    model = ist.linearize(sc, sc.vehicle.state(), ["push.force"], ["seen.place"])
    s = 2j * np.pi * hz
    wanted = (k + c * s) / (first * second * s**4 + (first + second) * (c * s + k) * s**2)
    for axis in range(3):
        np.testing.assert_allclose(model.frequency_response(hz)[:, axis, axis], wanted, rtol=1e-7)


class Seen(ist.Device):
    """Where a place is."""

    at = ist.Site()
    p = at.position()
    place = ist.Out("m", 3)

    def outputs(d, t):
        for i in range(3):
            d.place[i] = d.p[i]


@pytest.mark.parametrize("architecture", pointing.ARCHITECTURES)
def test_books_close(systems, architecture):
    """With imbalance and dampers on; what imbalance brings in is far above the gap."""
    closed = book(SHORT, architecture, systems[architecture], until=8.0)
    assert np.abs(closed.energy).max() < TOLERANCE_BOOK * closed.exchanged
    assert max(closed.angular, closed.linear) < TOLERANCE_BOOK
    if architecture != pointing.THRUSTERS:
        assert closed.shaken[:3].min() > SHORT.imbalance[1] * SHORT.bias
        assert closed.shaken[3:].min() > SHORT.imbalance[0] * SHORT.bias


def test_a_swept_wheel_shakes_as_it_does_in_flight(systems):
    """At a mode of 9.9 Hz and 0.5 % damping 20 s leave 0.2 % of the start."""
    shaken, system = Shaken(SHORT, pointing.WHEELS, systems[pointing.WHEELS]), systems[pointing.WHEELS]
    speed = 2.0 * np.pi * SHORT.components[True].frequencies_hz[10]
    assert at_speed(SHORT, pointing.WHEELS, system, speed, 30.0) == pytest.approx(
        shaken.jitter(speed), rel=0.01
    )


def test_structure_without_rotors_lacks_their_mass():
    with_them, without = SHORT.components[True], SHORT.components[False]
    assert with_them.mass - without.mass == pytest.approx(4 * SHORT.fe.ROTOR_MASS, rel=1e-9)
