"""What Kane refuses, in a sentence; names and nominal states."""

from __future__ import annotations

import numpy as np
import pytest
from kane_models import BENT, beam

from interstage.errors import InputError, ModelError
from interstage.kane import Kane
from interstage.multibody import Free, Multibody, Revolute


@pytest.fixture
def pair():
    mb = Multibody("pair")
    mb.add_body("bus", mass=1.0, inertia=np.eye(3), joint=Free())
    mb.add_body("boom", component=BENT, node=3, parent="bus", joint=Revolute("z"))
    return mb


def test_nominal_state_and_order_of_coordinates(pair):
    k, system = Kane(pair), pair.compile()
    q, v = k.nominal()
    np.testing.assert_array_equal(q, system.state().q)
    np.testing.assert_array_equal(v, system.state().v)
    assert (k.nq, k.nv, k.bodies) == (system.nq, system.nv, system.bodies)
    assert len(k.body_frequencies_hz("bus")) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda k, q, v: k.accelerations(q[1:], v), "q has a wrong shape"),
        (lambda k, q, v: k.accelerations(q, v, tau=[1.0]), "tau has a wrong shape"),
        (
            lambda k, q, v: k.accelerations(q, v, forces={"wing": np.ones(6)}),
            "no body 'wing'; known: bus, boom",
        ),
        (lambda k, q, v: k.accelerations(q, v, forces={("boom", 77): np.ones(6)}), "node 77 is not in the"),
        (
            lambda k, q, v: k.accelerations(q, v, forces={("boom", (0, 0, 1)): np.ones(6)}),
            "has nodes, not points",
        ),
        (lambda k, q, v: k.accelerations(q, v, accelerations={"boom": 1.0}), "is not prescribed"),
        (lambda k, q, v: k.accelerations(q, v, accelerations={"wing": 1.0}), "no body 'wing'"),
        (lambda k, q, v: k.accelerations(q, v, frame="moon"), "world, body, node"),
        (lambda k, q, v: k.motion(q, v, "wing"), "no body 'wing'"),
    ],
)
def test_wrong_questions_are_answered_in_a_sentence(pair, call, words):
    k = Kane(pair)
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        call(k, *k.nominal())


def test_wrong_descriptions(pair):
    with pytest.raises(InputError, match="start from a description"):
        Kane(pair.compile())
    with pytest.raises(InputError, match="at least one body"):
        Kane(Multibody("nothing"))
    other = Multibody("other")
    other.add_body("bus", mass=1.0, inertia=np.eye(3))
    with pytest.raises(InputError, match="another vehicle"):
        Kane(pair, like=other.compile())
    bare = beam(n_elements=2, n_modes=3).without_integrals()
    mb = Multibody("bare")
    mb.add_body("a", component=bare, node=1, order=2)
    with pytest.raises(InputError, match="needs modal integrals"):
        Kane(mb)


def test_modes_that_cannot_be_held(pair):
    from interstage.kane.layout import held_modes

    G = np.array([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ModelError, match="not independent"):
        held_modes(np.array([1.0, 2.0]), G, "thin")


def test_loops_are_refused(pair):
    pair.close("loop", ("bus", [1.0, 0, 0]), ("boom", 5))
    with pytest.raises(ModelError, match="is for trees"):
        Kane(pair)
