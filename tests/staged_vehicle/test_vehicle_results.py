"""Forces of elements in a burning vehicle: closed forms of bars, under thrust at trim, and through a staging."""

import numpy as np
import pytest
from vehicle_models import FIRST, THRUST, UPPER, bar_rocket, first_stage, refused

import interstage as ist
from interstage import devices as dev

WANTED = {f"axial {k}": ("first", "CBAR", k, "axial") for k in (1, 6, 12)}
WANTED |= {"bend": ("upper", "CBAR", 3, "bending_moment_a1"), "pull": ("upper", "CBAR", 3, "axial")}


@pytest.fixture(scope="module")
def v():
    made = bar_rocket()
    made.recover(WANTED)
    return made


@pytest.fixture(scope="module")
def shapes(v):
    return v.shapes(n_modes=6, levels=2, error=1.0, attach=[("first", 1)])


def test_forces_in_bars_are_those_of_the_motion_of_their_ends(v, shapes):
    """Euler's bar by hand at any fill: N = EA/L (u_b - u_a), M_a1 = -EI/L² (6 (v_a - v_b) + L (4 θ_a + 2 θ_b))."""
    system = v.multibody(shapes, propellant={"grain": 12_345.0}).compile()
    x = system.state()
    x["rocket"].eta[:] = np.random.default_rng(1).normal(size=len(shapes))
    found = system.recovered(x, "rocket", vdot=system.forward_dynamics(x))
    a, b = ((shapes.nodes @ x["rocket"].eta).reshape(-1, 6)[shapes.row("upper", node)] for node in (3, 4))
    L, E = UPPER[0] / UPPER[1], 7e10
    bend = -E * 0.02 / L**2 * (6 * (a[1] - b[1]) + L * (4 * a[5] + 2 * b[5]))
    assert found["bend"] == pytest.approx(bend, rel=1e-9)
    assert found["pull"] == pytest.approx(E * 0.4 / L * (b[0] - a[0]), rel=1e-9)
    frozen = v.component(shapes, {"grain": 12_345.0}).recovery
    assert frozen.names == list(found) and np.isfinite(frozen.inertia).all()


def test_bars_carry_what_is_above_them(v, shapes):
    """Thrust at trim, at the fill of the attachment shapes: N = -thrust x mass above / mass, whatever the shapes."""
    system = v.multibody(shapes, propellant=shapes.reference).compile()
    flight = ist.Assembly("up", vehicle=system)
    foot = ("rocket", shapes.node_id("first", 1))
    flight.add("main", dev.Engine(body=foot, thrust=THRUST, level=1.0))
    x = ist.trim(flight)
    found = system.recovered(x, "rocket", residual=False)
    S = np.tile(np.eye(6)[0], len(shapes.stack.places))
    M = shapes.stack.node_mass(shapes.reference)
    mass = (M @ S).reshape(-1, 6)[:, 0]
    order = shapes.stack.positions[:, 0]
    for k in (1, 6, 12):
        above = mass[order > (k - 0.5) * FIRST[0] / FIRST[1]].sum()
        assert found[f"axial {k}"] == pytest.approx(-THRUST * above / mass.sum(), rel=1e-7)


def test_each_part_keeps_its_own(v, shapes):
    """After a cut the upper stage gives back what its elements had, as far as its shapes hold the motion."""
    system = v.multibody(shapes).compile()
    x = system.state()
    x["rocket"].eta[:] = 1e-3 * np.random.default_rng(2).normal(size=len(shapes))
    before = system.recovered(x, "rocket", residual=False)
    after = v.without("first").shapes(below_hz=1e4, levels=1)  # all that its bars can do
    action = v.staging("separation", when=1.0, shapes=after, before=shapes).action
    cut, y = action.apply(1.0, system, x)
    now = cut.recovered(y, "rocket", residual=False)
    assert set(now) == {"bend", "pull"}
    size = max(abs(before["bend"]), abs(before["pull"]))
    for name, value in now.items():
        assert value == pytest.approx(before[name], abs=1e-4 * size)  # the frame turns by a finite angle


def test_refusals(v):
    w = bar_rocket()
    assert "did you mean upper" in refused(lambda: w.recover({"a": ("uper", "CBAR", 1, "axial")}))
    assert "CBAR 99 is not in the model" in refused(lambda: w.recover({"a": ("upper", "CBAR", 99, "axial")}))
    assert 'as in ("first"' in refused(lambda: w.recover({"a": 3}))
    assert "stage, type" in refused(lambda: w.recover(3))
    plain = ist.StagedVehicle("plain")
    plain.add(first_stage())
    assert "make it from a deck" in refused(lambda: plain.recover({"a": ("first", "CBAR", 1, "axial")}))
