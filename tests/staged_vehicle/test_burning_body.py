"""A burning vehicle in the multibody engine: propellant that is switched, against bodies made anew at each fill."""

import numpy as np
import pytest
import scipy.linalg as la
from vehicle_models import launcher, refused

import interstage as ist
from interstage.staged_vehicle.integrals import damping_matrix

FILL = {
    "grain": 19_800.0,
    "lox": 12e3,
    "lh2": 1e3,
}  # at hundredths of a tank damping is found, and not interpolated


@pytest.fixture(scope="module")
def v():
    return launcher()


@pytest.fixture(scope="module")
def shapes(v):
    return v.shapes(below_hz=12.0, levels=3, attach=[("first", 1, "yz")])


def with_nozzle(mb, shapes, strut=False):
    """Add a nozzle on a gimbal, and a payload on a strut that closes a loop."""
    foot, nose = shapes.node_id("first", 1), shapes.node_id("upper", 9)
    gimbal = ist.Universal(("y", "z"), stiffness=3e6, damping=1e4)
    mb.add_body(
        "nozzle", mass=800.0, com=[-1, 0, 0], inertia=[300.0] * 3, parent="launcher", at=foot, joint=gimbal
    )
    mb.add_body("bob", mass=50.0, com=[0, 1, 0], parent="launcher", at=nose, joint=ist.Revolute("z"))
    if strut:
        mb.close(
            "strut", ("nozzle", [2.5, 0, 0]), ("launcher", shapes.node_id("first", 2)), joint=ist.Slot("x")
        )
    return mb.compile()


def both(v, shapes, more, order=2, damping=0.01):
    """Return the system with tanks at a fill, one made anew there, and T of η = T y."""
    mb = v.multibody(shapes, damping=damping, order=order)
    burning = more(mb, shapes)
    for name, mass in FILL.items():
        burning.propellant[name] = mass
    mb = ist.Multibody("anew", gravity=v.gravity)
    component = v.component(shapes, FILL)
    mb.add_body("launcher", component=component, joint=ist.Free(), damping=damping, order=order)
    one = shapes.integrals(FILL)
    return burning, more(mb, shapes), la.eigh(one.K, one.G)[1]


def same_states(burning, anew, T, seed=1):
    """Return states of both that are one motion, and the map of velocities from the second to the first."""
    rng = np.random.default_rng(seed)
    x, y = burning.state(), anew.state()
    x.q[:] += 1e-3 * rng.normal(size=len(x.q))
    x.v[:] = rng.normal(size=len(x.v))
    where = burning.layout["launcher"]
    q = x["launcher"].quaternion
    q /= np.linalg.norm(q)
    y.q[:], y.v[:] = x.q, x.v
    y.q[where.eta], y.v[where.etadot] = (
        np.linalg.solve(T, x.q[where.eta]),
        np.linalg.solve(T, x.v[where.etadot]),
    )
    S = np.eye(len(x.v))
    S[where.etadot, where.etadot] = T
    return x, y, S


def bare(mb, shapes):
    return mb.compile()


@pytest.mark.kernels
@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize("more", [bare, with_nozzle])
def test_switched_propellant_is_a_body_made_anew(v, shapes, more, order):
    """Accelerations, forces, mass matrix, energy, momentum and centre of mass, with and without bodies on its nodes."""
    burning, anew, T = both(v, shapes, more, order)
    x, y, S = same_states(burning, anew, T)
    found, wanted = burning.forward_dynamics(x), S @ anew.forward_dynamics(y)
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())
    scale = np.abs(burning.mass_matrix(x) @ found).max()
    np.testing.assert_allclose(burning.inverse_dynamics(x, found), 0.0, atol=1e-12 * scale)
    M, other = burning.mass_matrix(x), anew.mass_matrix(y)
    np.testing.assert_allclose(S.T @ M @ S, other, atol=1e-12 * np.abs(other).max())
    assert burning.energy(x) == pytest.approx(anew.energy(y), rel=1e-12)
    np.testing.assert_allclose(burning.momentum(x), anew.momentum(y), rtol=1e-11, atol=1e-6)
    np.testing.assert_allclose(burning.center_of_mass(x), anew.center_of_mass(y), rtol=1e-12, atol=1e-12)


@pytest.mark.kernels
def test_closures_hold_a_body_that_burns(v, shapes):
    """A strut from the gimbal to the structure: accelerations and the force in it."""
    burning, anew, T = both(v, shapes, lambda mb, s: with_nozzle(mb, s, strut=True))
    x, y, S = same_states(burning, anew, T)
    found, wanted = burning.forward_dynamics(x), S @ anew.forward_dynamics(y)
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_damping_is_that_of_the_current_mass(v, shapes):
    """ζ of frequency at the fill of now, the frame free."""
    ratio = lambda hz: 0.005 + 0.001 * hz  # noqa: E731
    system = v.multibody(shapes, damping=ratio).compile()
    for name, mass in FILL.items():
        system.propellant[name] = mass
    C = system.damping_matrix()[6:, 6:]
    wanted = damping_matrix(shapes.integrals(FILL), ratio)
    np.testing.assert_allclose(C, wanted, atol=1e-9 * np.abs(wanted).max())


def test_linear_models_at_frozen_masses(v, shapes):
    """A, B, C, D by two methods, of the one and of the other: the same transfer functions."""
    burning, anew, _ = both(v, shapes, with_nozzle)
    foot, nose = shapes.node_id("first", 1), shapes.node_id("upper", 9)
    given = {
        "inputs": [ist.JointForce("nozzle"), ist.NodeForce("launcher", foot, "y")],
        "outputs": [ist.NodeRate("launcher", nose), ist.NodeAcceleration("launcher", nose)],
    }
    f = np.array([0.3, 2.1, 5.0])
    wanted = ist.linearize(anew, anew.state(), **given).frequency_response(f)
    for method in ("complex-step", "central-4"):
        found = ist.linearize(burning, burning.state(), method=method, **given).frequency_response(f)
        np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())


def test_views_have_propellant_of_their_own(v, shapes):
    """Masses are settings: a copy keeps its own, in turn on the same scratch."""
    one = v.multibody(shapes).compile()
    two = one.with_settings()
    two.propellant["grain"] = 0.0
    x = one.state()
    x["launcher"].eta[:] = 1e-3
    full, empty = one.forward_dynamics(x), two.forward_dynamics(x)
    assert np.abs(full - empty).max() > 1e-3 * np.abs(full).max()
    for _ in range(2):
        np.testing.assert_array_equal(one.forward_dynamics(x), full)
        np.testing.assert_array_equal(two.forward_dynamics(x), empty)
    assert one.mass_properties(x).mass - two.mass_properties(x).mass == pytest.approx(60e3)


def test_settings_are_alike_where_propellant_is(v, shapes):
    """Looking changes no settings, other propellant does, and who takes such a point is told."""
    one = v.multibody(shapes, propellant=FILL).compile()
    two = one.with_settings()
    two.forward_dynamics(two.state())
    assert one.settings == two.settings
    two.propellant["lox"] = 11e3
    assert one.settings != two.settings
    point = ist.trim(two, two.state())
    with pytest.warns(UserWarning, match="tank 2 holds 11000 there and 12000 in the system"):
        ist.linearize(one, point, inputs=[], outputs=[])


def test_refusals(v, shapes):
    system = v.multibody(shapes).compile()
    assert "did you mean grain" in refused(lambda: system.propellant.__setitem__("grian", 1.0))
    assert "expected 0 to 60000" in refused(lambda: system.propellant.__setitem__("grain", 6e6))
    spec = v.multibody(shapes).specs[0]
    mb = ist.Multibody("held")
    mb.add_body(
        "a", component=spec.component, node=shapes.node_id("first", 1), joint=ist.Locked(), tanks=spec.tanks
    )
    assert "Free one about its own reference point" in refused(mb.compile)
    assert "tanks belong to a flexible body" in refused(lambda: mb.add_body("b", mass=1.0, tanks=spec.tanks))


def test_a_description_with_tanks_is_saved(v, shapes, tmp_path):
    mb = v.multibody(shapes, propellant=FILL, damping=0.01)
    mb.save(tmp_path / "v.h5")
    one, two = mb.compile(), ist.Multibody.load(tmp_path / "v.h5").compile()
    x = one.state()
    x["launcher"].eta[:], x["launcher"].etadot[:] = 1e-3, 1e-2
    np.testing.assert_array_equal(one.forward_dynamics(x), two.forward_dynamics(x))
    assert dict(two.propellant) == FILL
