"""No argument is dropped: each one is refused where it means nothing, and changes something where it means something.

Every function that takes a vehicle or an assembly is walked by its signature. An argument that nobody reads cannot be
wrong: each gets something that nothing can be made of, which must be refused. Those that take anything, flags and
names, have a value below whose effect is seen. A new argument is tried without a change here.
"""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InterstageError


class Nonsense:
    """Neither number nor name, cannot be called or counted, and no file."""

    def __repr__(self):
        return "nonsense"


class Push(ist.Device):
    joint = ist.JointRef("rad")
    command = ist.In("N*m", default=0.0)
    torque = joint.force()

    def outputs(d, t):
        d.torque = d.command


@pytest.fixture(scope="module")
def arm():
    mb = ist.Multibody("arm")
    mb.add_body("arm", mass=2.0, com=[0.1, 0, 0], inertia=[1, 1, 2], joint=ist.Revolute("z", stiffness=3.0))
    return mb.compile()


def flight(arm) -> ist.Assembly:
    made = ist.Assembly("flight", vehicle=arm).add("push", Push(joint="arm"))
    return made.add("see", dev.Encoder(joint="arm", counts=4096, every="20 ms"))


FUNCTIONS = {
    ("trim", "vehicle"): lambda arm, **k: ist.trim(arm, arm.state(), **k),
    ("trim", "assembly"): lambda arm, **k: ist.trim(flight(arm), arm.state(), **k),
    ("linearize", "vehicle"): lambda arm, **k: ist.linearize(arm, arm.state(), **k),
    ("linearize", "assembly"): lambda arm, **k: ist.linearize(flight(arm), arm.state(), **k),
    ("linearize", "sampled"): lambda arm, **k: ist.linearize(
        flight(arm), arm.state(), **{"sampled": True} | k
    ),
    ("simulate", "vehicle"): lambda arm, **k: ist.simulate(
        arm, arm.state(), **{"until": 0.02, "step": 0.01} | k
    ),
    ("simulate", "assembly"): lambda arm, **k: ist.simulate(
        flight(arm), arm.state(), **{"until": 0.02, "step": 0.01} | k
    ),
}
TAKEN = {"trim": ("system", "x"), "linearize": ("system", "x0"), "simulate": ("system", "x")}

# what takes anything, or does nothing that is seen in a run of two steps: (value, what must be true of the result)
SEEN = {
    ("linearize", "name"): ("other", lambda model: model.name == "other"),
    ("simulate", "progress"): (False, lambda log: True),  # shown on terminals alone
}
FLAGS = {
    ("linearize", "richardson"): "complex steps leave nothing to extrapolate",
    ("linearize", "sampled"): None,  # of a vehicle it is refused, of an assembly it gives another model
    ("simulate", "dense"): None,
}


def test_every_function_of_vehicles_and_assemblies_is_walked():
    known = {name for name, _ in FUNCTIONS}
    known |= {"uncertain", "export_flight"}  # tests/linear/test_uncertainty.py, tests/native/test_native.py
    for name in dir(ist):
        function = getattr(ist, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters.values()), None)
            said = str(first.annotation) if first is not None else ""
            if "System" in said and "Assembly" in said:
                assert name in known, f"{name} takes vehicles and assemblies: let FUNCTIONS have both"


@pytest.mark.parametrize("name, kind", FUNCTIONS)
def test_no_argument_is_dropped(arm, name, kind):
    call, dropped = FUNCTIONS[name, kind], []
    for argument in inspect.signature(getattr(ist, name)).parameters:
        if argument in TAKEN[name] or (name, argument) in FLAGS:
            continue
        if (name, argument) in SEEN:
            value, seen = SEEN[name, argument]
            assert seen(call(arm, **{argument: value})), argument
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(arm, **{argument: Nonsense()})
        except InterstageError:
            continue
        dropped.append(argument)
    assert not dropped


def test_flags(arm):
    made, x = flight(arm), arm.state([0.3])
    for system in (arm, made):
        with pytest.raises(InterstageError, match="leave nothing to extrapolate"):
            ist.linearize(system, x, richardson=True)
    with pytest.raises(InterstageError, match="belong to assemblies"):
        ist.linearize(arm, x, sampled=True)
    assert ist.linearize(made, x, sampled=True).dt == pytest.approx(0.02)
    for system in (arm, made):
        log = ist.simulate(system, x, until=0.1, method="dopri5", dense=True, progress=False)
        t = 0.5 * (log.t[1] + log.t[2])  # between two rows
        omega = np.sqrt(3.0 / 2.02)
        assert log.at(t)["arm"].q[0] == pytest.approx(0.3 * np.cos(omega * t), abs=1e-8)


# honored ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spinning():
    """A free body with an arm on a spring, which turns and moves."""
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[2, 3, 4], joint=ist.Free())
    mb.add_body(
        "arm",
        mass=2.0,
        com=[0.5, 0, 0],
        inertia=[0.1, 0.2, 0.2],
        parent="bus",
        at=[0.3, 0, 0],
        joint=ist.Revolute("z", stiffness=50.0, damping=0.1),
    )
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:] = [0.1, 0.2, -0.3, 1.0, 2.0, 3.0]
    x["bus"].quaternion[:] = [0.8, 0.0, 0.6, 0.0]
    return system, x


FORCES = {"bus": [0.1, 0, 0, 3.0, 0, -1.0]}
OPTIONS = [
    {"position_axes": "body"},
    {"velocity_axes": "world"},
    {"position_axes": "body", "velocity_axes": "world"},
    {"forces": FORCES},
    {"forces": FORCES, "frame": "body"},
    {"tau": {"arm": [2.0]}},
    {"method": "central-4"},
    {"method": "central-2", "step": 1e-4},
    {"method": "central-2", "richardson": True},
    {"reference": ("arm", [0.5, 0, 0])},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_an_assembly_that_adds_nothing_has_the_model_of_its_vehicle(spinning, options):
    """With every argument: derivatives of the vehicle are those of inverse dynamics, of the assembly steps."""
    system, x = spinning
    made = ist.Assembly("flight", vehicle=system).add("push", Push(joint="arm"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the state is not in balance
        alone, whole = ist.linearize(system, x, **options), ist.linearize(made, x, **options)
    assert whole.states == alone.states
    # differences of second order with a step of 1e-4 are good to 1e-8 of terms of size ten
    np.testing.assert_allclose(whole.A, alone.A, rtol=0, atol=1e-6 if "step" in options else 1e-9)
    if "reference" in options:
        for name, value in alone.mass_properties.items():
            np.testing.assert_allclose(whole.mass_properties[name], value, rtol=1e-12, atol=1e-12)
    for name, value in options.items():
        if name in ("method", "richardson"):
            assert whole.method[name] == value


def test_axes_of_positions_hold_in_sampled_models(spinning):
    """In a frame of T the map is e^{AT} of the model in continuous time, whose states are in the same axes.

    About a state that turns the axes of the end are turned from those of the start: it is at rest here.
    """
    from scipy.linalg import expm

    system, _ = spinning
    x = system.state()
    x["bus"].quaternion[:] = [0.8, 0.0, 0.6, 0.0]
    made = ist.Assembly("flight", vehicle=system).add("push", Push(joint="arm"))
    made.add("see", dev.Encoder(joint="arm", counts=4096, every="20 ms"))
    for axes in ("parent", "body"):
        whole = ist.linearize(made, x, sampled=True, position_axes=axes)
        alone = ist.linearize(system, x, position_axes=axes)
        n = len(alone.states)
        assert whole.states[:n] == alone.states
        np.testing.assert_allclose(whole.A[:n, :n], expm(0.02 * alone.A), rtol=0, atol=1e-8)


def test_independent_coordinates_of_an_assembly_with_a_loop():
    """A bar of four parts: either crank may be the one that is kept."""
    mb = ist.Multibody("bars")
    mb.add_body("a", mass=1.0, com=[0, 0.5, 0], inertia=[0.1] * 3, joint=ist.Revolute("z", stiffness=9.0))
    mb.add_body("b", mass=1.0, com=[0, 0.5, 0], inertia=[0.1] * 3, at=[1.0, 0, 0], joint=ist.Revolute("z"))
    mb.add_body(
        "rod",
        mass=1.0,
        com=[0.5, 0, 0],
        inertia=[0.1] * 3,
        parent="a",
        at=[0, 1.0, 0],
        joint=ist.Revolute("z"),
    )
    mb.close("pin", ("rod", [1.0, 0, 0]), ("b", [0, 1.0, 0]), joint=ist.Ball())
    system = mb.compile()
    system.drop_redundant(system.state())
    made = ist.Assembly("bars", vehicle=system).add("push", Push(joint="a"))
    x = system.state()
    for kept in ("a", "b"):
        model = ist.linearize(made, x, independent=[kept])
        assert model.states == [f"{kept}.angle", f"{kept}.angle_rate"]
        np.testing.assert_allclose(model.A, ist.linearize(system, x, independent=[kept]).A, atol=1e-9)
    with pytest.raises(InterstageError, match="no coordinate 'crank'"):
        ist.linearize(made, x, independent=["crank"])


def test_axes_of_forces_that_are_not_there_are_refused(arm):
    for call in FUNCTIONS.values():
        with pytest.raises(InterstageError, match="gives the axes of forces=, and no forces are given"):
            call(arm, frame="body")


def test_control_step_without_a_law_is_refused(arm):
    for kind in ("vehicle", "assembly"):
        with pytest.raises(InterstageError, match="control_step is the period of control="):
            FUNCTIONS["simulate", kind](arm, control_step="10 ms")
