"""Doors that Python calls by the array: what they refuse, what they leave behind, threads that share them."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from multibody_models import beam, random_state, random_tree

import interstage as ist
from interstage import jit
from interstage.errors import InputError

by_address = pytest.mark.skipif(not jit.COMPILED, reason="records by address are not in use in this job")


def _arm(n=5, inertia=0.2):
    mb = ist.Multibody("arm", gravity=[0.0, 0.0, -9.81])
    for k in range(n):
        place = {"parent": f"b{k - 1}" if k else None, "at": [1.0, 0.0, 0.0]}
        mb.add_body(
            f"b{k}", mass=1.0, com=[0.5, 0, 0], inertia=[0.1, inertia, 0.2], joint=ist.Revolute("y"), **place
        )
    system = mb.compile()
    return system, system.state(*np.random.default_rng(1).normal(size=(2, n)))


class Counted(np.ndarray):
    """A subclass, whose objects the doors do not know."""


ALIKE = {
    "list": list,
    "every other": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "big endian": lambda x: x.astype(">f8"),
    "subclass": lambda x: x.view(Counted),
    "read only": lambda x: np.frombuffer(x.tobytes()),
    "not aligned": lambda x: np.frombuffer(b"1" + x.tobytes(), dtype="f8", offset=1, count=len(x)),
    "column": lambda x: np.asfortranarray(np.stack([x, x]))[0],
}


@pytest.mark.parametrize("kind", ALIKE)
def test_vectors_of_every_kind_give_the_same_bits(kind):
    system, x = _arm()
    given = np.random.default_rng(2).normal(size=5)
    for ask in (lambda u: system.forward_dynamics(x, tau=u), lambda u: system.inverse_dynamics(x, u)):
        wanted = ask(given)
        for _ in range(2):  # through the door once it is open
            np.testing.assert_array_equal(ask(ALIKE[kind](given)), wanted)


@pytest.mark.parametrize(
    "wrong", [np.zeros(4), np.zeros(6), np.zeros((5, 1)), np.zeros(5, dtype=complex), "tau", None]
)
def test_what_does_not_fit_is_refused_in_words(wrong):
    system, x = _arm()
    for _ in range(2):
        with pytest.raises((InputError, TypeError, ValueError)):
            system.inverse_dynamics(x, wrong)
        if wrong is not None:
            with pytest.raises((InputError, TypeError, ValueError)):
                system.forward_dynamics(x, tau=wrong)
        system.inverse_dynamics(x, np.zeros(5))
        system.forward_dynamics(x)


def test_integers_are_numbers():
    system, x = _arm()
    system.inverse_dynamics(x, np.zeros(5))
    np.testing.assert_array_equal(
        system.inverse_dynamics(x, np.arange(5)), system.inverse_dynamics(x, np.arange(5.0))
    )


def test_a_state_of_another_vehicle_does_not_pass():
    (system, x), (_, other) = _arm(5), _arm(6)
    system.forward_dynamics(x), system.mass_matrix(x), system.inverse_dynamics(x, x.v)
    for ask in (system.forward_dynamics, system.mass_matrix, lambda y: system.inverse_dynamics(y, x.v)):
        with pytest.raises(InputError, match="does not belong"):
            ask(other)


@by_address
def test_failures_are_told_as_without_a_door():
    system, x = _arm()
    system.forward_dynamics(x), system.inverse_dynamics(x, x.v)
    x.q[2] = np.nan
    for _ in range(2):
        with pytest.raises(InputError):
            system.forward_dynamics(x)
        with pytest.raises(InputError):
            system.inverse_dynamics(x, x.v)
        with pytest.raises(InputError):
            system.mass_matrix(x)


@by_address
def test_answers_belong_to_the_caller_and_nothing_is_left_behind():
    system, x = _arm()
    tau, bad = np.ones(5), x.copy()
    bad.q[0] = np.inf
    door = system.engine.door("forward")
    made = door(x.qv, tau)
    assert sys.getrefcount(made) == 2 and made.flags.owndata and made.flags.writeable
    counts = [sys.getrefcount(o) for o in (tau, x.qv, np.dtype(float), np.ndarray)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            door(x.qv, tau), door(x.qv, 1), door(bad.qv, tau), door()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 2000  # an array of five would be 160 bytes a call
    after = [sys.getrefcount(o) for o in (tau, x.qv, np.dtype(float), np.ndarray)]
    assert np.abs(np.subtract(after, counts)).max() < 10


def test_large_vehicles_let_other_threads_work():
    """Above 64 bodies and modes the lock of the interpreter is free meanwhile; answers stay those of one caller."""
    rng = np.random.default_rng(0)
    system = random_tree(rng, 12, components=[beam()], orders=(2,)).compile()
    assert system.tree.sizes[0] + system.tree.sizes[5] > 64
    states = [random_state(system, rng) for _ in range(4)]
    asks = (system.forward_dynamics, lambda x: system.inverse_dynamics(x, x.v), system.mass_matrix)
    wanted = [[ask(x) for x in states] for ask in asks]
    gate = threading.Barrier(3)

    def work(ask, expected):
        gate.wait()
        return all(np.array_equal(ask(states[k % 4]), expected[k % 4]) for k in range(300))

    with ThreadPoolExecutor(3) as pool:
        for ask, expected in zip(asks, wanted):
            assert all(pool.map(work, [ask] * 3, [expected] * 3))


@by_address
def test_threads_that_call_first_share_one_scratch():
    """Doors are opened by several threads at once: each leads to scratch that stays where it is."""
    _, x = _arm()
    wanted = _arm()[0].forward_dynamics(x)
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            system, x = _arm()
            asks = (
                system.forward_dynamics,
                system.mass_matrix,
                lambda x, s=system: s.inverse_dynamics(x, x.v),
            )
            gate = threading.Barrier(6)
            with ThreadPoolExecutor(6) as pool:
                list(pool.map(lambda ask, x=x, gate=gate: (gate.wait(), ask(x)), asks * 2))
            doors = [system.engine.door(name) for name in ("forward", "inverse", "mass_matrix")]
            assert len({int(door.__self__[0]) for door in doors}) == 1
            np.testing.assert_array_equal(system.forward_dynamics(x), wanted)
    finally:
        sys.setswitchinterval(switching)


@by_address
def test_a_door_keeps_what_it_leads_to():
    """A thread may be in a door while another asks for a new place, which makes another engine."""
    system, x = _arm()
    wanted, tau = system.forward_dynamics(x), np.zeros(5)
    engine = system.engine
    door, gone, scratch = engine.door("forward"), weakref.ref(engine), engine.take(float)
    home = scratch.home
    engine.give(scratch)
    left = len(home)
    del engine, system, scratch
    gc.collect()
    assert gone() is None
    np.testing.assert_array_equal(door(x.qv, tau), wanted)
    assert len(home) == left  # what the door uses is lent to nobody
    del door
    gc.collect()
    assert len(home) == left + 1
