"""What functions of users raise: always one line, whatever the text of the exception does."""

import numpy as np
import pytest
from scipy import stats

import interstage as ist
from interstage.errors import raised


class Silent(Exception):
    """An exception whose text fails, as of classes that forget their arguments."""

    def __str__(self):
        raise RuntimeError("no text")


KINDS = {"silent": Silent(), "lines": ValueError("one\n  two"), "long": ValueError("x" * 10**5)}
WORDS = {"silent": "Silent$", "lines": "ValueError: one two$", "long": r"ValueError: x+ \.\.\.$"}


def failing(kind):
    def law(t):
        if t >= 0.02:
            raise KINDS[kind]
        return 1.0

    return law


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_one_line(kind):
    assert "\n" not in raised(KINDS[kind]) and len(raised(KINDS[kind])) <= 300
    flight = ist.Assembly("a").add("law", failing(kind), every="10 ms", out={"u": "1"})
    with pytest.raises(ist.InterstageError, match=rf"'law' failed at t = 0.02; got {WORDS[kind]}") as caught:
        ist.simulate(flight, None, until=0.05, progress=False)
    assert caught.value.__cause__ is KINDS[kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "where", ["forces", "tau", "condition", "action", "mass", "build", "outputs", "derived"]
)
def test_so_it_is_wherever_functions_of_users_are_called(where, kind):
    mb = ist.Multibody("m")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system, fail = mb.compile(), failing(kind)
    given = {
        "forces": {"forces": {"a": lambda t: fail(t) * np.zeros(6)}},
        "tau": {"tau": lambda t: fail(t) * np.zeros(6)},
        "condition": {"events": [ist.Event(condition=lambda t, x: fail(t))]},
        "action": {"events": [ist.Event(at=0.02, action=lambda t, system, x: fail(t))]},
        "mass": {"mass": {"a": lambda t: ist.RigidInertia(fail(t), [0, 0, 0], np.eye(3))}},
    }
    study = {"runs": 2, "workers": 0, "progress": False}
    if where == "derived":
        with pytest.raises(ist.InterstageError, match="cannot be derived"):
            ist.monte_carlo(lambda row: {"y": 1.0}, {"a": stats.norm(), "b": lambda row: fail(1.0)}, **study)
    elif where in ("build", "outputs"):
        build = (lambda row: fail(row.number)) if where == "build" else (lambda row: {"y": 1.0})
        outputs = {"q": lambda found: fail(1.0)} if where == "outputs" else None
        found = ist.monte_carlo(build, {"a": stats.norm()}, outputs=outputs, **study)
        assert all("\n" not in words and len(words) < 400 for words in found.errors.values())
        assert found.errors[1].startswith(type(KINDS[kind]).__name__)
    else:
        with pytest.raises(ist.InterstageError) as caught:
            ist.simulate(system, system.state(), until=0.05, step=0.01, progress=False, **given[where])
        assert "t = 0.02" in str(caught.value) or "t = " in str(caught.value)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
