"""What goes wrong is called what it is: no numbers, no attitude, gimbal lock, missing inertia."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

from interstage.errors import InputError, InterstageError, ModelError
from interstage.multibody import Ball, Free, Gimbal, Locked, Multibody, Revolute
from interstage.simulation import simulate

BEAM = beam(4, 3)


def vehicle(joint=None):
    mb = Multibody("vehicle", gravity=[0, 0, -9.8])
    mb.add_body("bus", mass=9.0, inertia=[1, 2, 3], joint=Free())
    joint = joint or Revolute("z")
    mb.add_body(
        "arm", mass=1.0, com=[0.1, 0.2, 0.3], inertia=[1, 2, 2.5], parent="bus", at=[1, 0, 0], joint=joint
    )
    mb.add_body("beam", component=BEAM, parent="arm", at=[1, 0, 0], joint=Revolute("y"))
    return mb.compile()


def questions(system, x):
    """Return all that can be asked of a state."""
    still = np.zeros(system.nv)
    return {
        "forward": lambda: system.forward_dynamics(x),
        "inverse": lambda: system.inverse_dynamics(x, still),
        "bias": lambda: system.bias(x),
        "reactions": lambda: system.reactions(x, still),
        "energy": lambda: system.energy(x),
        "momentum": lambda: system.momentum(x),
        "fixed steps": lambda: simulate(system, x, 0.002, 0.001),
        "adaptive steps": lambda: simulate(system, x, 0.002),
        "changes": lambda: system.detach("beam", x),
    }


@pytest.mark.parametrize("bad", (np.nan, np.inf))
def test_states_that_are_no_numbers_are_named(bad):
    """The entry is named, with body and coordinate, whatever is asked."""
    system = vehicle()
    system.forward_dynamics(system.state())  # from here on the quick way
    for which, k, name in (
        ("q", 2, "bus.quaternion2"),
        ("q", 7, "arm.angle"),
        ("q", 9, "beam.eta1"),
        ("v", 4, "bus.vy"),
        ("v", 6, "arm.angle"),
        ("v", 10, "beam.eta3"),
    ):
        x = system.state()
        getattr(x, which)[k] = bad
        for asked, ask in questions(system, x).items():
            with pytest.raises(InputError) as said:
                ask()
            assert f"{which}[{k}] ({name}) is {bad}" in str(said.value), asked


@pytest.mark.parametrize("bad", (np.nan, np.inf, -np.inf))
def test_forces_and_accelerations_that_are_no_numbers_are_named(bad):
    system, driven = vehicle(), vehicle(Revolute("z", prescribed=True))
    x, y = system.state(), driven.state()
    forward, inverse = system.forward_dynamics, system.inverse_dynamics
    for k, name in ((0, "bus.wx"), (6, "arm.angle"), (7, "beam.angle"), (9, "beam.eta2")):
        load = np.zeros(system.nv)
        load[k] = bad
        for ask, *given in (
            (forward, x, None, load),
            (forward, x, None, load.tolist()),
            (forward, x, {"bus": np.zeros(6)}, load),
            (driven.forward_dynamics, y, None, load.tolist()),
            (forward, x.copy(np.complex128), None, load.astype(complex)),
        ):
            with pytest.raises(InputError, match=rf"tau\[{k}\] \({name}\)"):
                ask(*given)
        for ask, *given in (
            (inverse, x, load),
            (system.reactions, x, load),
            (inverse, x, load.tolist()),
        ):
            with pytest.raises(InputError, match=rf"vdot\[{k}\] \({name}\)"):
                ask(*given)
        # nothing is left behind
        assert np.isfinite(forward(x)).all()
    with pytest.raises(InputError, match="'arm'"):
        driven.forward_dynamics(driven.state(), accelerations={"arm": bad})
    for place in ("bus", ("beam", 3)):
        with pytest.raises(InputError, match="force on"):
            system.forward_dynamics(system.state(), {place: [0, 0, bad, 0, 0, 0]})


@pytest.mark.parametrize("joint", (Ball(), Free()))
def test_a_quaternion_without_length_is_no_attitude(joint):
    system = vehicle(joint)
    x = system.state()
    x["arm"].quaternion[:] = 0.0
    for asked, ask in questions(system, x).items():
        with pytest.raises(InputError, match="quaternion of body 'arm' is no attitude"):
            ask()
        assert asked


def test_gimbal_lock_is_called_gimbal_lock():
    system = vehicle(Gimbal("xyz"))
    for angle in (np.pi / 2, -np.pi / 2, 3 * np.pi / 2):
        x = system.state()
        x["arm"].q[:] = 0.3, angle, 0.1
        with pytest.raises(ModelError, match="Gimbal joint of body 'arm' is locked"):
            system.forward_dynamics(x)
    x["arm"].q[1] = np.pi / 2 - 0.01
    assert np.isfinite(system.forward_dynamics(x)).all()


def test_missing_inertia_is_still_missing_inertia():
    mb = Multibody("none")
    mb.add_body("bus", mass=1.0, inertia=[1, 1, 1])
    with pytest.raises(ModelError, match="no inertia that its Revolute joint could move"):
        mb.add_body("ghost", mass=0.0, parent="bus", joint=Revolute("z"))
        mb.compile()


def test_controls_that_are_no_numbers():
    system = vehicle()
    x = system.state()
    for law in (
        lambda t, x: np.full(system.nv, np.nan),
        lambda t, x: {"tau": np.full(system.nv, np.inf)},
        lambda t, x: {"forces": {"bus": [0, 0, 0, 0, np.nan, 0]}},
    ):
        with pytest.raises(InterstageError, match="not finite"):
            simulate(system, x, 0.002, 0.001, control=law)


def square(joint):
    """Return a plane four-bar closed at two pins, of which the second is dependent in part on the first."""
    mb = Multibody("bars", gravity=[0, -9.81, 0])
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]}
    mb.add_body("crank", **rod, joint=Revolute("z"))
    mb.add_body("coupler", **rod, parent="crank", at=[1, 0, 0], joint=Revolute("z"))
    mb.add_body("rocker", **rod, at=[1, 0, 0], joint=Revolute("z"))
    mb.add_body("plate", **rod, parent="rocker", at=[1, 0, 0], joint=Locked())
    mb.close("pin", ("coupler", [1, 0, 0]), ("rocker", [1, 0, 0]), joint=joint)
    mb.close("twin", ("coupler", [1, 0, 0]), ("plate", [0, 0, 0]), joint=Ball())
    system = mb.compile()
    x = system.state()
    x["crank"].q[:], x["coupler"].q[:], x["rocker"].q[:] = 1.0, -1.0, 1.0
    return system, system.assemble(x, fixed=["crank"])


def test_rows_left_out_stay_left_out_when_closures_open_and_close():
    """A plane loop has three rows too many in its pin, and its twin says nothing new as long as the pin holds."""
    system, x = square(Revolute("z"))
    dropped = system.drop_redundant(x)
    assert {name for name, _ in dropped} == {"pin", "twin"}
    names, forces = system.closure_names(), system.forward_dynamics(x)
    for _ in range(2):
        system.open_closure("pin")
        # without the pin its twin holds by itself
        assert ("twin", "travel along x") in system.closure_names()
        system.close_closure("pin")
        assert system.closure_names() == names
        np.testing.assert_allclose(system.forward_dynamics(x), forces, rtol=1e-12)
        system.open_closure("twin")
        system.close_closure("twin")
        assert system.closure_names() == names
    # dropped again while one is open: what waits for it is not forgotten
    system.open_closure("pin")
    system.drop_redundant(x)
    np.testing.assert_allclose(system.forward_dynamics(x), forces, rtol=1e-9)
    system.close_closure("pin")
    system.drop_redundant(x)
    assert system.closure_names() == names
    # copies and changed vehicles know too
    system.open_closure("pin")
    other = system.with_settings()
    other.close_closure("pin")
    assert other.closure_names() == names
