"""Long runs with few logged rows stay small."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


def stone():
    mb = ist.Multibody("stone", gravity=[0, 0, -10.0])
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    return system, system.state()


def kept(**options):
    """Return the bytes that a log holds, and the log."""
    system, x = stone()
    ist.simulate(system, x, **{**options, "until": 2.0 * options.get("log_step", 1.0)})
    tracemalloc.start()
    try:
        log = ist.simulate(system, x, **options)
        return tracemalloc.get_traced_memory()[0], log
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "answer",
    [
        lambda t: np.array([0, 0, 0, np.sin(t), 0, 0]),
        lambda t: {"forces": {"stone": [0, 0, 0, 0, 0, np.sin(t)]}},
    ],
)
def test_commands_between_logged_rows_are_forgotten(answer):
    options = {"step": 1e-3, "control": lambda t, x: answer(t)}
    short, _ = kept(until=2.0, log_step=0.5, **options)
    size, log = kept(until=8.0, log_step=2.0, **options)
    # as many rows, of six thousand more samples: a command kept is over 100 bytes a sample, and what the interpreter
    # keeps for itself (free lists, some 100 kB) does not grow
    assert size - short < 200_000
    force = np.sin(log.t)
    if isinstance(answer(0.0), dict):
        np.testing.assert_allclose(log.accelerations[:-1, 5], -10.0 + 0.5 * force[:-1], atol=1e-9)
    else:
        np.testing.assert_allclose(log.accelerations[:-1, 3], 0.5 * force[:-1], atol=1e-9)


def test_dense_output_is_kept_where_it_is_wanted():
    options = {"until": 40.0, "max_step": 0.1}
    whole, log = kept(**options)
    size, short = kept(log_step=20.0, **options)
    asked, dense = kept(log_step=20.0, dense=True, **options)
    assert size < 0.1 * whole and asked > 0.5 * whole
    assert short.info["steps"] == log.info["steps"]
    np.testing.assert_allclose(dense.at(3.3).q, log.at(3.3).q, atol=1e-12)
    with pytest.raises(InputError, match=r"not kept.*dense=True"):
        short.at(3.3)
