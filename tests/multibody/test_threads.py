"""One compiled system in several threads: every answer is that of a lone caller."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from multibody_models import beam, random_state, random_tree

import interstage as ist
from interstage.simulation import simulate

CALLS = 20_000


@cache
def _vehicle():
    """Return a rigid arm of five bodies and ten states of it."""
    mb = ist.Multibody("arm", gravity=[0.0, 0.0, -9.81])
    for k in range(5):
        mb.add_body(
            f"b{k}",
            mass=1.0 + k,
            com=[0.4, 0.1, 0.0],
            inertia=[0.1, 0.2, 0.25],
            parent=f"b{k - 1}" if k else None,
            at=[1.0, 0.0, 0.0],
            joint=ist.Revolute("zyx"[k % 3]),
        )
    system = mb.compile()
    rng = np.random.default_rng(3)
    return system, [system.state(*rng.normal(size=(2, 5))) for _ in range(10)]


def _differences(ask, states, calls: int, threads: int = 2) -> int:
    """Return how many answers given to threads at once are not those given to one caller before."""
    expected = [np.array(ask(x)) for x in states]

    def work(start: int) -> int:
        wrong = 0
        for k in range(start, start + calls):
            j = k % len(states)
            wrong += not np.array_equal(ask(states[j]), expected[j])
        return wrong

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, range(0, 3 * threads, 3)))


def test_accelerations_in_two_threads_are_those_of_one():
    system, states = _vehicle()
    assert _differences(system.forward_dynamics, states, CALLS) == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda s, x: s.inverse_dynamics(x, x.q),
        lambda s, x: s.mass_matrix(x),
        lambda s, x: s.energies(x),
        lambda s, x: s.momentum(x),
        lambda s, x: s.position(x, "b4"),
        lambda s, x: s.forward_dynamics(x, forces={"b4": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}),
        lambda s, x: s.forward_dynamics(x.copy(complex)),
        lambda s, x: np.concatenate(list(s.reactions(x, x.q).values())),
        lambda s, x: s.mass_properties(x).inertia,
    ],
)
def test_every_question_may_be_asked_by_two_threads(ask):
    system, states = _vehicle()
    assert _differences(lambda x: ask(system, x), states, 1_500) == 0


def test_runs_and_linear_models_in_two_threads():
    system, states = _vehicle()
    law = lambda t, x: {"tau": -x.v}  # noqa: E731
    for run in (
        lambda x: simulate(system, x, 0.02, 0.001).q,
        lambda x: simulate(system, x, 0.02, 0.001, method="ros2", control=law).q,
        lambda x: ist.linearize(system, x, tau=system.bias(x)).A,
    ):
        assert _differences(run, states, 40) == 0


def test_a_flexible_vehicle_in_two_threads():
    rng = np.random.default_rng(0)
    system = random_tree(rng, 6, components=[beam()], orders=(2,)).compile()
    states = [random_state(system, rng) for _ in range(6)]
    assert _differences(system.forward_dynamics, states, 2_000) == 0
    assert _differences(lambda x: system.inverse_dynamics(x, x.v), states, 2_000) == 0


def test_threads_with_settings_of_their_own_do_not_meet():
    system, states = _vehicle()

    def work(mass: float) -> float:
        view = system.with_settings()
        view.set_mass("b0", mass, [0.4, 0.1, 0.0], [0.1, 0.2, 0.25])
        total = [view.mass_properties(states[k % 10]).mass for k in range(400)]
        return float(np.ptp(total)), total[0]

    with ThreadPoolExecutor(4) as pool:
        for mass, (spread, total) in zip((1.0, 20.0, 30.0, 40.0), pool.map(work, (1.0, 20.0, 30.0, 40.0))):
            assert spread < 1e-12 and total == pytest.approx(mass + 14.0)
    assert system.mass_properties(states[0]).mass == pytest.approx(15.0)
