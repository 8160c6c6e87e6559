"""Joints whose motion devices say stand, in a trim, where their drives want them."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev

COMMAND = np.deg2rad([10.0, -4.0])


def engine(**limits) -> ist.Assembly:
    mb = ist.Multibody("stage")
    mb.add_body("bus", mass=1e4, inertia=[1e4] * 3, joint=ist.Free())
    bell = {"mass": 100.0, "com": [-1, 0, 0], "inertia": [10, 80, 80]}
    mb.add_body("bell", **bell, parent="bus", at=[-3, 0, 0], joint=ist.Universal("yz"))
    return ist.Assembly("gimballed", vehicle=mb.compile()).add("tvc", dev.TVC(joint="bell", **limits))


@pytest.mark.parametrize("start", [None, "hold-down"])
@pytest.mark.parametrize("limits", [{}, {"rate_limit": "20 deg/s"}])
def test_a_gimbal_is_where_it_is_commanded_and_stays_there(start, limits):
    made = engine(**limits)
    x0 = ist.trim(made, start, set={"tvc.command": COMMAND})
    # Newton's method ends at round-off of a linear drive
    np.testing.assert_allclose(x0["bell"].q, COMMAND, atol=1e-14)
    assert np.abs(x0["bell"].v).max() == 0.0
    log = ist.simulate(made, x0, until=0.2, step="5 ms")
    np.testing.assert_allclose(log["tvc.angle"], np.tile(COMMAND, (len(log.t), 1)), atol=1e-14)


def test_a_limit_of_the_command_holds():
    x0 = ist.trim(engine(limit="6 deg"), set={"tvc.command": COMMAND})
    np.testing.assert_allclose(x0["bell"].q, [np.deg2rad(6.0), COMMAND[1]], atol=1e-14)


def test_named_unknowns_are_the_only_ones():
    x0 = ist.trim(engine(), unknowns=[], set={"tvc.command": COMMAND})
    assert np.abs(x0["bell"].q).max() == 0.0
