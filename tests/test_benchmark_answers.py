"""Benchmarks against peers end where the answers differ, whatever the times are."""

import numpy as np
import pytest

from benchmarks import flights, multibody


@pytest.mark.parametrize("which", range(3))
def test_a_chain_whose_answers_differ_from_those_of_pinocchio_is_not_timed(which):
    rng = np.random.default_rng(2)
    theirs = [rng.normal(size=4), rng.normal(size=4), rng.normal(size=(4, 4))]
    ours = [one.copy() for one in theirs]
    ours[which].flat[2] += 4e-11 * np.abs(theirs[which]).max()
    assert multibody.apart(ours, theirs) == pytest.approx(4e-11, rel=1e-4)
    ours[which].flat[2] += 8e-11 * np.abs(theirs[which]).max()
    with pytest.raises(SystemExit, match="differ from Pinocchio's by 1e-10"):
        multibody.apart(ours, theirs)
    ours[which].flat[2] = np.nan
    with pytest.raises(SystemExit):
        multibody.apart(ours, theirs)


@pytest.mark.parametrize("entry", [1, 5, 6, 12, 15])  # position, velocity, attitude, rate, wheels
def test_a_flight_that_ends_elsewhere_than_the_flight_of_a_peer_is_not_timed(entry):
    end = [1e6, 7e6, 3e6, 1e3, 5e3, 6e3, 0.7, 0.1, 0.5, 0.5, 1e-3, 1e-2, 3e-2, 10.0, 20.0, 30.0]
    other = list(end)
    other[entry] *= 1.0 + 5e-5
    assert flights.agreed(end, other, "spacecraft", "a peer") == pytest.approx(5e-5, rel=1e-6)
    other[entry] *= 1.0 + 1e-4
    with pytest.raises(SystemExit, match="a peer ends 2e-04 from ours"):
        flights.agreed(end, other, "spacecraft", "a peer")


def test_the_law_in_python_is_that_of_the_compiled_device_and_is_called_each_frame():
    models = flights.models
    seen = []

    def law(t, attitude, rate):
        seen.append(t)
        return models.pointing(t, attitude, rate)

    made, x = models.spacecraft(law)
    plain = models.spacecraft_end(flights.flown(made, x, 2.0))
    made, _ = models.spacecraft()
    assert flights.difference(models.spacecraft_end(flights.flown(made, x, 2.0)), plain, "spacecraft") < 1e-14
    assert np.allclose(np.diff(sorted(set(seen))), flights.data.FRAME)
    assert len(set(seen)) >= 20
