"""A device that cannot be compiled: the device, the function, the line and the cause, without pages of the compiler."""

import inspect
import re

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.jit import COMPILED, kernel
from interstage.simulation.plant.compiled_schedule import Tapes
from interstage.simulation.plant.plan import planned

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
TABLE = {"a": 1.0}


def plain(x):
    return x


@kernel
def deep(x):
    return x.nowhere


def generator_expression(d, t):
    d.y = sum(k * t for k in range(3))


def context(d, t):
    d.y = t
    with open("x"):
        d.y = 1.0


def caught(d, t):
    try:
        d.y = t
    except ValueError:
        d.y = 0.0


def imported(d, t):
    import scipy  # noqa: F401

    d.y = t


def changing(d, t):
    a = 1.0
    if t > 1.0:
        a = "late"
    d.y = t if a else 0.0


def attribute(d, t):
    d.y = t
    d.v[:] = d.v.turned()


def numpy_name(d, t):
    d.y = np.sine(t)


def undefined(d, t):
    d.y = t * gian  # noqa: F821


def table(d, t):
    d.y = TABLE["a"]


def helper(d, t):
    d.y = plain(t)


def inside(d, t):
    d.y = deep(t)


def shape(d, t):
    d.y = 0.0
    d.v[0] = np.zeros(3)


def axes(d, t):
    d.y = d.v[0, 1]


def number(d, t):
    d.y = np.zeros(3)


def text(d, t):
    d.y = "high"


def returned(d, t):
    d.y = t
    return 3.0


def arguments(d, t):
    d.y = np.linalg.solve(np.eye(3), t)


# function: the line after its first, what is said of it
WORDS = {
    generator_expression: (1, "a generator expression is not supported"),
    context: (2, "with is not supported"),
    caught: (3, "except with a kind of exception is not supported"),
    imported: (1, "import inside a function is not supported"),
    changing: (3, "'a' is a number in one branch and the text 'late' in another"),
    attribute: (2, "a vector has no attribute 'turned' in compiled code"),
    numpy_name: (1, "module 'numpy' has no attribute 'sine'.*did you mean"),
    undefined: (1, "the name 'gian' is not defined"),
    table: (1, "'TABLE' is a dict, which compiled code cannot read"),
    helper: (1, "'plain' is a plain Python function.*put @interstage.jit.kernel before def plain"),
    inside: (1, "a number has no attribute 'nowhere' in compiled code .*, line \\d+, test_"),
    shape: (2, "a vector cannot take a vector at one index"),
    axes: (1, "a vector cannot be read at 2 indices"),
    number: (1, "d.y is one number, and is given an array"),
    text: (1, "d.y is a number, and is given the text 'high'"),
    returned: (2, "it returns a number.*functions of devices return nothing"),
    arguments: (1, r"solve cannot be called with \(an array of 2 axes, a number\)"),
}


def refused(function, dtype=float):
    """Return the error that a device with this function brings."""
    members = {"y": ist.Out(), "v": ist.DiscreteState(size=3), "sample": function}
    device = type("Wrong", (ist.Device,), members)(every="1 s")
    plan = planned(ist.Assembly("x").add("part", device))
    with pytest.raises(InputError) as caught_:
        Tapes(plan, dtype).tape(plan.sampled)
    return caught_.value


@pytest.mark.parametrize("function", WORDS, ids=lambda f: f.__name__)
def test_line_and_cause_are_one_sentence(function):
    after, words = WORDS[function]
    error = refused(function)
    first = inspect.getsourcelines(function)[1]
    assert str(error).startswith("Wrong.sample cannot be compiled: ")
    assert "device 'part'" in error.where and f"test_uncompiled.py, line {first + after}: " in error.where
    assert re.search(words, str(error))
    assert "\n" not in str(error) and len(str(error)) < 400
    assert not any(mark in str(error) for mark in ("numba", "Numba", "float64", "nopython", "lowering"))


def test_the_pages_of_the_compiler_are_kept_but_not_shown(monkeypatch):
    error = refused(text)
    assert error.__cause__ is None and error.__suppress_context__
    assert "float64" in str(error.__context__)
    monkeypatch.setattr("numba.config.FULL_TRACEBACKS", 1)
    assert "float64" in str(refused(text).__cause__)


def test_complex_numbers_have_no_order():
    def ordered(d, t):
        d.y = 1.0 if d.v[0] > 0 else 0.0

    error = refused(ordered, complex)
    assert re.search(r"complex numbers have no order .*branch on \.real", str(error))


WRONG_KINDS = {
    "a generator": ("def sample(d, t):\n    yield t", "cannot yield or wait"),
    "a coroutine": ("async def sample(d, t):\n    d.y = t", "cannot yield or wait"),
    "no time": ("def sample(d):\n    d.y = 1.0", r"expected sample\(d, t\), got sample\(d\)"),
    "one more": ("def sample(d, t, k=3):\n    d.y = t", r"got sample\(d, t, k=3\)"),
    "static": ("@staticmethod\ndef sample(d, t):\n    d.y = t", "are plain functions .*got staticmethod"),
}


@pytest.mark.parametrize("what", WRONG_KINDS)
def test_functions_that_are_of_another_kind_are_refused_with_their_class(what):
    """A generator once brought the process down when it was compiled."""
    source, words = WRONG_KINDS[what]
    scope = {}
    exec(source, scope)
    with pytest.raises(InputError, match=words):
        type("Wrong", (ist.Device,), {"y": ist.Out(), "sample": scope["sample"]})
