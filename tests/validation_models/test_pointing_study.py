"""The pointing study in short: the barrel with few modes, a few seconds of each kind of run."""

from dataclasses import replace

import numpy as np
import pytest

from validation import pointing
from validation.observatory_pointing import TOLERANCE_BOOK, TOLERANCE_RMS, TWO
from validation.pointing_runs import Shaken, at_speed, book, fine

SHORT = replace(TWO, n_modes=12)


@pytest.fixture(scope="module")
def systems():
    return {architecture: SHORT.system(architecture) for architecture in pointing.ARCHITECTURES}


@pytest.mark.parametrize("architecture", [pointing.WHEELS, pointing.THRUSTERS])
def test_fine_pointing_is_that_of_the_linear_frame(systems, architecture):
    """Run and model have the same noise; what they differ by is curvature and the wheels' changes of speed."""
    found = fine(SHORT, architecture, systems[architecture], until=10.0)
    ratio, between = found.apart()
    assert ratio < 0.1 * TOLERANCE_RMS
    assert between < TOLERANCE_RMS
    assert found.largest < 1.0


@pytest.mark.parametrize("architecture", pointing.ARCHITECTURES)
def test_books_close(systems, architecture):
    closed = book(SHORT, architecture, systems[architecture], until=8.0)
    assert np.abs(closed.energy).max() < TOLERANCE_BOOK * closed.exchanged
    assert max(closed.angular, closed.linear) < TOLERANCE_BOOK


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
