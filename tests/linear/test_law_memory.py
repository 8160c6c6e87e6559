"""What laws remember is part of sampled models, wherever in their objects it is; what cannot be followed is refused.

The loop is ẋ = (u - x)/τ with u held for T, and a PI law: i⁺ = i + T (r - x), u = kp (r - x) + ki i⁺. By hand, with
φ = exp(-T/τ), [x; i]⁺ = [φ - (1 - φ)(kp + ki T), (1 - φ) ki; -T, 1] [x; i].
"""

from __future__ import annotations

import functools
from collections import deque, namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError

T, TAU, KP, KI = 0.1, 0.4, 2.0, 9.0
PHI = np.exp(-T / TAU)
TRUTH = np.linalg.eigvals([[PHI - (1 - PHI) * (KP + KI * T), (1 - PHI) * KI], [-T, 1.0]])


class Lag(ist.Device):
    tau = ist.Parameter("s")
    u, y, x = ist.In("1"), ist.Out("1"), ist.ContinuousState("1")

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = (d.u - d.x) / d.tau


def loop(law, *others) -> ist.Assembly:
    made = ist.Assembly("loop").add("plant", Lag(tau=TAU)).add("law", law, every=T, out={"u": "1"})
    made.wire({"plant.y": "law.y", "law.u": "plant.u"})
    for k, other in enumerate(others):
        made.add(f"other{k}", other, every=T, out={"v": "1"}).wire({"plant.y": f"other{k}.y"})
    return made


def poles(law) -> np.ndarray:
    return np.asarray(ist.linearize(loop(law), None, sampled=True).poles())


def pi(y, i):
    i = i + T * (1.0 - y)
    return KP * (1.0 - y) + KI * i, i


class Attribute:
    def __init__(self, start=0.0):
        self.i = start

    def __call__(self, t, y):
        u, self.i = pi(y, self.i)
        return u

    def method(self, t, y):
        return self(t, y)


class Slots:
    __slots__ = ("i",)

    def __init__(self):
        self.i = 0.0

    def __call__(self, t, y):
        u, self.i = pi(y, self.i)
        return u


class Items:
    """Memory is an item of something."""

    def __init__(self, memory, key):
        self.memory, self.key = memory, key

    def __call__(self, t, y):
        u, self.memory[self.key] = pi(y, self.memory[self.key])
        return u


Pair = namedtuple("Pair", "count i")


class Tuples:
    def __init__(self):
        self.memory = ("PI", Pair(3, 0.0))

    def __call__(self, t, y):
        u, i = pi(y, self.memory[1].i)
        self.memory = (self.memory[0], Pair(3, i))
        return u


@dataclass
class Inner:
    i: float = 0.0
    table: list = field(default_factory=lambda: [1.0, 2.0])


class Nested:
    """Memory is an attribute of an object in a dictionary in a list; beside it parameters and words."""

    def __init__(self, inner=None):
        self.parts = [{"name": "PI", "inner": inner or Inner()}, 4]

    def __call__(self, t, y):
        inner = self.parts[0]["inner"]
        u, inner.i = pi(y, inner.i)
        return u


class Replaced:
    """A new object every time."""

    def __init__(self):
        self.inner = SimpleNamespace(i=0.0)

    def __call__(self, t, y):
        u, i = pi(y, self.inner.i)
        self.inner = SimpleNamespace(i=i)
        return u


class Window:
    """The sum of a deque that always holds as much: i is its last, the others are what it was before."""

    def __init__(self):
        self.past = deque([0.0] * 3, maxlen=3)

    def __call__(self, t, y):
        u, i = pi(y, self.past[-1])
        self.past.append(i)
        return u


class Logged(Attribute):
    """Keeps a list that grows, and does not read it."""

    def __init__(self):
        super().__init__()
        self.history = []

    def __call__(self, t, y):
        self.history.append(float(np.real(y)))
        return super().__call__(t, y)


def marked(t, y):
    u, marked.i = pi(y, marked.i)
    return u


marked.i = 0.0
LAWS = {
    "float": Attribute,
    "integer at first": lambda: Attribute(0),
    "numpy number": lambda: Attribute(np.float64(0.0)),
    "method": lambda: Attribute().method,
    "slots": Slots,
    "list": lambda: Items([7, 0.0], 1),
    "dictionary": lambda: Items({"i": 0.0, "name": "PI"}, "i"),
    "array": lambda: Items(np.zeros(2), 1),
    "array of objects": lambda: Items(np.array([0.0, 0], dtype=object), 0),
    "deque": lambda: Items(deque([0.0], maxlen=1), 0),
    "tuples": Tuples,
    "nested": Nested,
    "replaced": Replaced,
    "window": Window,
    "with a log": Logged,
    "function": lambda: marked,
}


@pytest.mark.parametrize("which", LAWS)
def test_memory_is_found_wherever_it_is(which):
    """The poles by hand; others, of a window that shifts, are at zero. Differences of 1e-6 leave 1e-9 of them."""
    found = poles(LAWS[which]())
    assert np.abs(found[:2][np.argsort(found[:2])] - np.sort(TRUTH)).max() < 1e-7
    assert np.abs(found[2:]).max(initial=0.0) < 1e-5
    assert which == "window" or len(found) == 2


def test_a_law_is_left_as_it_was_found_and_so_are_its_objects():
    inner = Inner(0.25)
    law = Nested(inner)
    ist.linearize(loop(law), None, sampled=True)
    assert law.parts[0]["inner"] is inner and inner == Inner(0.25)


def test_two_laws_that_share_an_object_share_it_in_the_model():
    """The second law integrates into the same number: i⁺ = i + T (1 - y) + 0.5 T (1 - y), one state."""
    inner = Inner()

    def other(t, y):
        other.shared.i = other.shared.i + 0.5 * T * (1.0 - y)
        return 0.0 * y

    other.shared = inner
    model = ist.linearize(loop(Nested(inner), other), None, sampled=True)
    by_hand = np.linalg.eigvals([[PHI - (1 - PHI) * (KP + KI * T), (1 - PHI) * KI], [-1.5 * T, 1.0]])
    assert model.n_states == 2
    assert np.abs(np.sort_complex(np.asarray(model.poles())) - np.sort_complex(by_hand)).max() < 1e-7


def enclosed():
    i = 0.0

    def law(t, y):
        nonlocal i
        u, i = pi(y, i)
        return u

    return law


MEMORY = [0.0]


def with_global(t, y):
    u, MEMORY[0] = pi(y, MEMORY[0])
    return u


def given(memory, t, y):
    u, memory[0] = pi(y, memory[0])
    return u


def with_default(t, y=0.0, *, memory=MEMORY):
    return given(memory, t, y)


class Generated:
    def __init__(self):
        self.steps = self.run()
        next(self.steps)

    def run(self):
        i = u = 0.0
        while True:
            y = yield u
            u, i = pi(y, i)

    def __call__(self, t, y):
        return self.steps.send(y)


class Holds:
    def __init__(self, function):
        self.function = function

    def __call__(self, t, y):
        return self.function(t, y)


HIDDEN = {
    "enclosed": (enclosed, "'i', which it encloses"),
    "enclosed, in an object": (lambda: Holds(enclosed()), "'i', which it encloses"),
    "global": (lambda: with_global, "the global 'MEMORY'"),
    "partial": (lambda: functools.partial(given, [0.0]), "an argument of functools.partial"),
    "generator": (Generated, "the generator 'run'"),
}


@pytest.mark.parametrize("which", HIDDEN)
def test_hidden_memory_is_named_and_refused(which):
    make, words = HIDDEN[which]
    law = make()
    with pytest.raises(InputError, match="remembers something outside of its attributes") as caught:
        ist.linearize(loop(law), None, sampled=True)
    assert words in str(caught.value) and "law" in str(caught.value)
    assert MEMORY == [0.0]
    if which == "enclosed":
        assert law.__closure__[0].cell_contents == 0.0


class Late:
    """Remembers from its first sample on."""

    def __init__(self):
        self.i = None

    def __call__(self, t, y):
        u, self.i = pi(y, 0.0 if self.i is None else self.i)
        return u


class Growing:
    def __init__(self):
        self.all = []

    def __call__(self, t, y):
        self.all.append(T * (1.0 - y))
        return KP * (1.0 - y) + KI * sum(self.all)


@pytest.mark.parametrize("law", [Late, Growing])
def test_memory_that_is_not_there_at_the_point_is_refused(law):
    with pytest.raises(InputError, match="is not there yet at the point, or grows"):
        poles(law())


def test_a_continuous_model_of_a_sampled_loop_says_that_it_is_open(tmp_path):
    """A sampled law that destabilizes: the continuous model is the plant alone and says so, also from a file."""
    flight = (
        ist.Assembly("loop")
        .add("plant", Lag(tau=1.0))
        .add("law", lambda t, y: 30.0 * y, every="50 ms", out={"u": "1"})
    )
    flight.wire({"plant.y": "law.y", "law.u": "plant.u"})
    model = ist.linearize(flight, None)
    assert np.asarray(model.poles()).real == pytest.approx([-1.0])
    assert model.method["held"] == "law" and "'law' (every 0.05 s)" in model.notes[0]
    assert "note     held, not in the loop: 'law'" in str(model)
    model.save(tmp_path / "model.h5")
    assert ist.load(tmp_path / "model.h5").notes == model.notes
    whole = ist.linearize(flight, None, sampled=True)
    phi = np.exp(-0.05)
    assert np.asarray(whole.poles()).real == pytest.approx([phi + 30.0 * (1.0 - phi)], rel=1e-9)
    assert not any("held, not in the loop" in note for note in whole.notes)
    # with the wire cut nothing is open that could be closed
    assert not ist.linearize(flight, None, inputs="plant.u").notes
