"""Tools of the study of the ascent: poles fitted to a ring-down, and the deck without its engines."""

import numpy as np
import pytest

from interstage.demo import heron
from interstage.demo.heron_deck import heron_deck
from validation.ascent_models import without_engines
from validation.ascent_runs import fitted


def test_poles_are_found_in_a_sum_of_damped_oscillations():
    known = np.array([-0.82 + 0.53j, -0.07 + 0.07j])
    t = np.arange(2.0, 14.0, 0.1)
    rng = np.random.default_rng(5)
    amplitude = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))
    y = (np.exp(np.outer(t, known)) @ amplitude).real
    found = fitted(t, y, [1.1 * s for s in known])
    assert found == pytest.approx(known, rel=1e-6)
    noisy = y + 1e-4 * np.abs(y).max(axis=0) * rng.normal(size=y.shape)
    assert fitted(t, noisy, [1.1 * s for s in known]) == pytest.approx(known, rel=0.02)


def test_the_deck_without_engines_lacks_their_masses_alone():
    lines = heron_deck().splitlines()
    kept = without_engines(heron_deck()).splitlines()
    gone = [line for line in lines if line not in kept and not line.startswith(" ")]
    assert [int(line[16:24]) for line in gone] == list(heron.ENGINE_GRIDS)
    assert all(line.startswith("CONM2") for line in gone)
    assert len(lines) - len(kept) == 2 * len(gone)  # each goes on in a second line
