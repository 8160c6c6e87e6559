"""Calls whose arguments do not fit are refused in words that users wrote, with what they may have meant."""

import inspect

import numpy as np
import pytest

import interstage as ist
from interstage.calls import CallError, named_arguments
from interstage.errors import InputError

EYE = np.eye(6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ist.Component.from_deck("a.bdf", nmodes=3),
            r"^Component.from_deck has no argument 'nmodes'; did you mean n_modes",
        ),
        (
            lambda: ist.Component.from_matrices(EYE, EYE, {1: [0, 0, 0]}),
            r"^Component.from_matrices needs n_modes=$",
        ),
        (
            lambda: ist.Component.from_deck("a.bdf", 3, 4),
            r"takes 2 arguments \(deck, n_modes\) .*got 3; name",
        ),
        (lambda: ist.Component.from_deck("a.bdf", deck="b.bdf"), "is given 'deck' twice"),
        (lambda: ist.Component.from_deck(), "^Component.from_deck needs deck=$"),
        (
            lambda: ist.Multibody("a").add_body("b", masses=1.0),
            "^Multibody.add_body has no argument 'masses'; .*mass",
        ),
        (lambda: ist.Multibody("a").add_body(), "^Multibody.add_body needs name=$"),
        (
            lambda: ist.Revolute("z", stifness=1.0),
            "^Revolute has no argument 'stifness'; did you mean stiffness$",
        ),
        (lambda: ist.Free(damp=1.0), "^Free has no argument 'damp'; did you mean damping$"),
        (lambda: ist.Screw("z", pich=1.0), "^Screw has no argument 'pich'; did you mean pitch"),
        (lambda: ist.Ball(1.0, 2.0, 3.0, False, 5), r"^Ball takes 4 arguments .*got 5$"),
        (
            lambda: ist.simulate(None, None, untill=3),
            "^simulate has no argument 'untill'; did you mean until$",
        ),
        (
            lambda: ist.linearize(None, None, input=[]),
            "^linearize has no argument 'input'; did you mean inputs$",
        ),
        (
            lambda: ist.Multibody("a", gravty=[0, 0, 0]),
            "^Multibody has no argument 'gravty'; did you mean gravity$",
        ),
        (lambda: ist.Assembly("a", vehicl=None), "^Assembly has no argument 'vehicl'; did you mean vehicle$"),
        (
            lambda: ist.Assembly("a").add("m", None, evry="1 s"),
            "^Assembly.add has no argument 'evry'; did you mean every",
        ),
        (lambda: ist.NodeRate("bus", nod=1), "^NodeRate has no argument 'nod'; did you mean node"),
        (lambda: ist.JointForce(), "^JointForce needs body="),
        (lambda: ist.LinearModel(EYE, EYE, EYE), "^LinearModel needs D=$"),
        (lambda: ist.Wrench("bus", wrenches=[0]), "^Wrench has no argument 'wrenches'; did you mean wrench$"),
        (lambda: ist.trim(None, wrench={}), "^trim has no argument 'wrench'; known: system, x, forces"),
    ],
)
def test_what_does_not_fit_is_named(call, words):
    with pytest.raises(CallError, match=words) as found:
        call()
    assert isinstance(found.value, TypeError) and isinstance(found.value, InputError)
    assert found.value.__cause__ is None
    assert "Constructors" not in str(found.value) and "OneAxis" not in str(found.value)


def test_errors_of_the_function_itself_are_left_alone():
    @named_arguments
    def count(x):
        return len(x)

    assert count([1, 2]) == 2
    with pytest.raises(TypeError, match="has no len") as found:
        count(3)
    assert not isinstance(found.value, CallError)


def test_arguments_without_names_are_left_to_python():
    @named_arguments
    def few(a, /, *rest, **more):
        return a, rest, more

    assert few(1, 2, a=3) == (1, (2,), {"a": 3})
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        few(b=2)


def test_signatures_are_those_of_the_functions():
    """For help, editors and the reference pages."""
    assert list(inspect.signature(ist.Component.from_deck).parameters)[:2] == ["deck", "n_modes"]
    assert next(iter(inspect.signature(ist.Revolute).parameters)) == "axis"
    assert (
        ist.simulate.__doc__.startswith("Integrate")
        and ist.simulate.__module__ == "interstage.simulation.simulate"
    )


def test_names_that_do_not_exist():
    with pytest.raises(AttributeError, match=r"no attribute 'simulat'; did you mean simulate"):
        _ = ist.simulat
    last = max(ist.__all__)
    with pytest.raises(AttributeError, match=rf"no attribute 'zzz'; known: Assembly, .*, trim, .*{last}$"):
        _ = ist.zzz


@pytest.fixture(scope="module")
def bus():
    mb = ist.Multibody("a")
    mb.add_body("bus", mass=2.0, inertia=np.eye(3), joint=ist.Free())
    return mb.compile()


@pytest.mark.parametrize(
    ("forces", "words"),
    [
        (
            {"bus": [1, 2, 3]},
            r"wrong shape \(force on body 'bus'\); expected 6 finite numbers: torque, then force, ",
        ),
        (
            [ist.Wrench("bus", [1, 2, 3], node=[0, 0, 1])],
            r"\(force on body 'bus', point \[0, 0, 1\]\).*\[0, 0, 0, fx, fy, fz\] is a force alone",
        ),
        ({("bus", 7): np.ones(6)}, r"the rigid body 'bus' has points, not nodes; expected a point .*got 7"),
        ({"bus": "up"}, r"not an array of numbers \(force on body 'bus'\).*torque, then force"),
        ({"bus": lambda t: [t] * 6}, "the force on body 'bus' is a function of time"),
    ],
)
def test_forces_that_are_no_wrenches(bus, forces, words):
    with pytest.raises(InputError, match=words):
        bus.forward_dynamics(bus.state(), forces=forces)


def test_places_in_words():
    assert ist.Wrench("panel", np.ones(6), node=57).place == ("panel", 57)
    with pytest.raises(InputError, match=r"\(force on body 'panel', node 57\); expected 6 finite numbers"):
        _ = ist.Wrench("panel", [1.0], node=57).numbers


def test_forces_of_dynamic_bodies():
    body = ist.DynBody("bus", mass=2.0, inertia=np.eye(3))
    body.add_point("dock", position=[1.0, 0, 0])
    with pytest.raises(InputError, match=r"\(force on body 'bus', at 'dock'\).*torque, then force"):
        body.acceleration({"dock": [1.0, 2.0, 3.0]})


# calls of a microsecond, which have no guard around them ------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, x: s.forward_dynamics(), "^System.forward_dynamics needs x=$"),
        (
            lambda s, x: s.forward_dynamics(x, force={}),
            "^System.forward_dynamics has no argument 'force'; did you mean forces, frame$",
        ),
        (
            lambda s, x: s.forward_dynamics(x, None, None, None, "world", False, 7),
            r"^System.forward_dynamics takes 6 arguments \(x, forces, .*got 7$",
        ),
        (lambda s, x: s.inverse_dynamics(x), "^System.inverse_dynamics needs vdot=$"),
        (lambda s, x: s.inverse_dynamics(x, vdt=[0] * 6), "has no argument 'vdt'; did you mean vdot"),
        (
            lambda s, x: s.inverse_dynamics(3.0, [0] * 6),
            "System.inverse_dynamics: x must be State; got 3.0 .float.",
        ),
        (lambda s, x: s.mass_matrix("x"), "System.mass_matrix: x must be State; got 'x' .str."),
        (lambda s, x: s.mass_matrix(), "^System.mass_matrix needs x=$"),
        (lambda s, x: s.mass_matrix(x, 1), "^System.mass_matrix takes one argument without a name; got 2$"),
        (lambda s, x: s.bias(), "^System.bias needs x=$"),
        (lambda s, x: s.bias(x, tau=3), "^System.bias has no argument 'tau'"),
        (lambda s, x: s.bias(None), "System.inverse_dynamics: x must be State; got None"),
    ],
)
def test_quick_calls_say_the_same(bus, call, words):
    with pytest.raises(InputError, match=words):
        call(bus, bus.state())


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "bias", "mass_matrix"])
def test_quick_calls_have_no_guard_around_them(name):
    method = getattr(ist.System, name)
    assert not hasattr(method, "__wrapped__")
    asked = inspect.signature(method).parameters
    assert asked["x"].default is inspect.Parameter.empty
    assert not {"more", "wrong"} & set(asked)
