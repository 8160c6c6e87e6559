"""Runs that are broken off, for tests of what goes on from there."""

from __future__ import annotations

import pytest

import interstage as ist


class Asserting(ist.Device):
    """Asserts in `rates`; here, where pytest leaves the text as it is."""

    limit, x, y = ist.Parameter("s", 1.0), ist.ContinuousState("1", initial=1.0), ist.Out()

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        assert t < d.limit
        d.xdot = -d.x


def broken_off(flight, path, every, saves):
    """Run a flight with checkpoints beside a log, and break it off after some of them; return their times."""
    flight.write_to(path, every)
    save, times = flight.save, []

    def save_and_stop():
        times.append(flight.t)
        save()
        if len(times) == saves:
            raise KeyboardInterrupt

    flight.save = save_and_stop
    with pytest.raises(KeyboardInterrupt):
        flight.run()
    return times
