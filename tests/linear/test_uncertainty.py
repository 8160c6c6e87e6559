"""Uncertain models: derivatives, bounds of mu, worst margins; by closed forms, samples and vehicles really changed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from device_library import Lag, Rail, Ruler
from multibody_models import beam
from scipy.linalg import solve_continuous_are

import interstage as ist
from interstage.errors import FidelityWarning, InputError
from interstage.linear.lft import closed_matrix
from interstage.linear.sensitivity import closed_matrices
from interstage.linear.structured_singular_value import DeltaBlock, lower_bound, upper_bound

pytestmark = pytest.mark.filterwarnings("ignore::interstage.errors.FidelityWarning")


def two_masses(k, m1=1.0, m2=1.0):
    """The plant of Wie and Bernstein: a force on the first mass, the place of the second."""
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-k / m1, k / m1, 0, 0], [k / m2, -k / m2, 0, 0.0]])
    return A, np.array([[0], [0], [1 / m1], [0]]), np.array([[0.0, 1, 0, 0]])


def regulator():
    A, B, C = two_masses(1.0)
    X = solve_continuous_are(A, B, np.diag([1e-3, 1, 0, 0]), [[0.2]])
    K = B.T @ X / 0.2
    shake = np.array([[0.0], [0], [1], [-1]])
    Y = solve_continuous_are(A.T, C.T, B @ B.T + 1e-3 * np.eye(4) + 0.3 * shake @ shake.T, [[1e-2]])
    L = Y @ C.T / 1e-2
    return A - B @ K - L @ C, L, K


A_C, B_C, C_C = regulator()


def loop_of(k, m1=1.0, m2=1.0):
    """Return the loop of the two masses with a regulator that was made for k = 1."""
    A, B, C = two_masses(k, m1, m2)
    zero = np.zeros((4, 4))
    return ist.LinearModel(
        np.block([[A, zero], [B_C @ C, A_C]]), np.vstack([B, 0 * B]), np.hstack([0 * C, C_C]), [[0]]
    )


def is_stable(k, m1=1.0, m2=1.0):
    """Tell by the roots of the characteristic polynomial, from numerators and denominators."""
    plant = np.array([m1 * m2, 0.0, (m1 + m2) * k, 0.0, 0.0])  # y = k u/(m1 m2 s^4 + (m1 + m2) k s^2)
    law = np.poly(A_C)
    numerator = np.poly(A_C - B_C @ C_C) - law  # det(s - A + B C) = den + num
    return np.roots(np.polyadd(np.polymul(plant, law), k * numerator)).real.max() < 0.0


def edge(low, high):
    """Return the k between a stable and an unstable one at which stability is lost."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_stable(middle) else (low, middle)
    return high


# structured singular values -----------------------------------------------------------------------------


def test_mu_of_a_matrix_of_rank_one_is_known():
    """Of M = a bᵀ with complex δ: Σ |a_i b_i|. With real δ and real a b alike; mixed lies between samples and bound."""
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=4) + 1j * rng.normal(size=4) for _ in range(2))
    known = float(np.abs(a * b).sum())
    blocks = [DeltaBlock(str(k), 1, real=False) for k in range(4)]
    up, low = upper_bound(np.outer(a, b), blocks)[0], lower_bound(np.outer(a, b), blocks)[0]
    assert low <= known * (1 + 1e-9) and known <= up * (1 + 1e-9)
    assert up == pytest.approx(known, rel=2e-3) and low == pytest.approx(known, rel=2e-2)
    real = np.outer(a.real, b.real)
    blocks = [DeltaBlock(str(k), 1) for k in range(4)]
    known = float(np.abs(a.real * b.real).sum())
    assert upper_bound(real, blocks)[0] == pytest.approx(known, rel=2e-3)
    assert lower_bound(real, blocks)[0] == pytest.approx(known, rel=2e-2)


def test_bounds_of_repeated_real_scalars_hold_the_truth():
    """det(I - M Δ) = 0 of two repeated reals is solved by brute force: for each ratio of δ the real eigenvalues."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        M = rng.normal(size=(4, 4))
        M[:2, 2:] *= 0.3
        blocks = [DeltaBlock("a", 2), DeltaBlock("b", 2)]
        truth = 0.0
        for x in np.linspace(-1, 1, 4001):
            for d in ((1.0, x), (x, 1.0)):
                values = np.linalg.eigvals(M * np.repeat(d, 2))
                real = values[np.abs(values.imag) < 1e-9].real
                truth = max(truth, np.abs(real).max(initial=0.0))
        up, low = upper_bound(M, blocks)[0], lower_bound(M, blocks)[0]
        assert low <= truth * (1 + 1e-3) and truth <= up * (1 + 1e-9)
        assert low >= 0.9 * truth


# functions ----------------------------------------------------------------------------------------------


def test_derivatives_of_poles_are_closed_forms():
    def plant(k, m):
        return ist.LinearModel([[0, 1], [-k / m, -0.2 / m]], [[0], [1 / m]], [[1, 0]], [[0]])

    u = ist.uncertain(plant, parameters={"k": (3.0, 4.0, 5.0), "m": (1.0, 2.0, 3.0)})
    s = u.sensitivities()
    m, c = 2.0, 0.2
    for pole, by_k, by_m in zip(s.poles, s.pole("k"), s.pole("m")):
        slope = 2 * m * pole + c  # of m s² + c s + k = 0
        assert by_k == pytest.approx(-1.0 / slope, rel=1e-9)
        assert by_m == pytest.approx(-(pole**2) / slope, rel=1e-7)
    assert not s.margins and max(s.errors.values()) < 1e-8


def test_the_range_of_k_of_the_benchmark():
    """Affine in k: guaranteed and reached enclose the edge of stability, which the polynomial gives exactly."""
    assert is_stable(1.0) and not is_stable(0.5) and not is_stable(1.6)
    truth = min(edge(1.0, 1.6) - 1.0, 1.0 - edge(1.0, 0.5)) / 0.2
    u = ist.uncertain(loop_of, parameters={"k": (0.8, 1.0, 1.2)}, loop=True)
    found = u.robustness()
    assert u.lft.error < 1e-9 and u.lft.blocks == {"k": 1}
    assert found.guaranteed <= truth <= found.reached * (1 + 1e-6)
    assert found.gap < 0.03 and found.reached == pytest.approx(truth, rel=1e-4)
    assert found.exact == pytest.approx(truth, rel=1e-3)
    assert not is_stable(1.0 + 1.001 * (found.values["k"] - 1.0))
    assert "stable for every box below" in str(found)


def test_three_parameters_of_the_benchmark():
    box = {"k": (0.94, 1.0, 1.06), "m1": (0.97, 1.0, 1.03), "m2": (0.97, 1.0, 1.03)}
    u = ist.uncertain(loop_of, parameters=box, loop=True)
    assert [axis.power for axis in u.lft.axes] == [1.0, -1.0, -1.0]  # A is affine in k, 1/m1 and 1/m2
    w = u.worst_margins()
    sampled = [case.margins() for case in u.sample(12, seed=2)]
    nominal = u.model.margins()
    for kind in ("gain_db", "phase_deg", "delay_s", "modulus", "disk"):
        worst = getattr(w, kind)
        assert worst <= min(getattr(one, kind) for one in sampled) < getattr(nominal, kind)
    for row in w.rows:
        assert not row.guaranteed > row.worst  # nan where there is no bound
    low = w.row("modulus")
    assert low.worst == pytest.approx(loop_of(**low.values).margins().modulus, rel=1e-9)
    assert low.guaranteed > 0.9 * low.worst
    assert "guaranteed by mu" in str(w)
    bounds = u.mu([0.1, 0.178, 0.3])
    assert (bounds.lower <= bounds.upper).all() and (bounds.gap >= 0.0).all()
    # nothing in a box that mu allows is unstable, at any frequency
    found = u.robustness()
    rng = np.random.default_rng(0)
    for delta in found.guaranteed * rng.uniform(-1, 1, (400, 3)):
        assert np.linalg.eigvals(closed_matrix(u.lft.at(delta), True)).real.max() < 0.0
    delta = found.reached * 1.001 * u.lft.deltas(found.values) / np.abs(u.lft.deltas(found.values)).max()
    assert np.linalg.eigvals(closed_matrix(u.lft.at(delta), True)).real.max() > 0.0


def test_a_case_that_is_unstable_has_no_margin():
    u = ist.uncertain(loop_of, parameters={"k": (0.5, 1.0, 1.6)}, loop=True)
    w = u.worst_margins()
    assert not w.stable and w.modulus == 0.0 and w.gain_db == 0.0
    assert not is_stable(**w.row("modulus").values)
    assert "UNSTABLE" in str(w)


def test_a_loop_that_rolls_off_fast_has_margins_soon():
    """Six poles more than zeros: the search went far beyond them in ever shorter intervals, and did not end."""
    poles = -np.geomspace(0.5, 8.0, 6)
    A = np.diag(poles) + np.diag(np.ones(5), 1)
    B, C = np.zeros((6, 1)), np.zeros((1, 6))
    B[-1], C[0, 0] = 1.0, 0.5 * np.prod(-poles)
    m = ist.LinearModel(A, B, C, [[0]]).margins()
    w = 2 * np.pi * m.rows[0].frequency_hz
    L = 0.5 * np.prod(-poles) / np.prod(1j * w - poles)
    assert abs(L.imag) < 1e-9 and m.gain_db == pytest.approx(-20 * np.log10(abs(L)), rel=1e-9)


# vehicles -----------------------------------------------------------------------------------------------


def mast_on_cart(stiffness=20.0, mass=0.3):
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    joint = ist.Prismatic("x", stiffness=stiffness, damping=0.05)
    mb.add_body("mast", mass=mass, inertia=0.01 * np.eye(3), parent="cart", joint=joint)
    return mb.compile()


def flight_of(vehicle, tau=0.05, every="50 ms"):
    made = ist.Assembly("pd", vehicle=vehicle).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every=every)
    made.add("law", lambda t, x, v: -3.0 * x - 2.0 * v, every=every, out={"u": "N"})
    made.add("lag", Lag(tau=tau))
    return made.wire(
        {"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "lag.u", "lag.y": "rail.command"}
    )


RANGES = {"stiffness.mast": 0.2, "mass.mast": 0.1, "lag.tau": (0.03, 0.08)}


@pytest.fixture(scope="module")
def sampled_loop():
    vehicle = mast_on_cart()
    return ist.uncertain(flight_of(vehicle), vehicle.state(), RANGES)


def test_the_loop_is_found_and_stays_sampled(sampled_loop):
    assert sampled_loop.model.inputs == ["lag.u"] and sampled_loop.model.dt == 0.05


def test_derivatives_are_those_of_vehicles_really_changed(sampled_loop):
    """Central differences of margins and poles of flights that are built anew with other numbers."""
    s = sampled_loop.sensitivities()

    def loop(stiffness=1.0, mass=1.0, tau=0.05):
        vehicle = mast_on_cart(20.0 * stiffness, 0.3 * mass)
        return ist.open_loop(flight_of(vehicle, tau), vehicle.state(), at="lag.u")

    for name, argument, nominal in (
        ("stiffness.mast", "stiffness", 1.0),
        ("mass.mast", "mass", 1.0),
        ("lag.tau", "tau", 0.05),
    ):
        h = 1e-4 * nominal
        a, b = (loop(**{argument: nominal + sign * h}) for sign in (1, -1))
        for kind, of in (
            ("gain", "gain_db"),
            ("phase", "phase_deg"),
            ("delay", "delay_s"),
            ("modulus", "modulus"),
        ):
            change = (getattr(a.margins(), of) - getattr(b.margins(), of)) / (2 * h)
            assert s.worst(kind).derivative[name] == pytest.approx(change, rel=1e-4), (name, kind)
        for pole, rate in zip(s.poles, s.pole(name)):
            near = [
                z[np.abs(z - pole).argmin()]
                for z in (np.linalg.eigvals(closed_matrix(one, True)) for one in (a, b))
            ]
            assert rate == pytest.approx((near[0] - near[1]) / (2 * h), rel=1e-3, abs=1e-7)
    assert "change for half of the range" in str(s)


def test_its_worst_case_flies(sampled_loop):
    u = sampled_loop
    w = u.worst_margins(guaranteed=False)
    row = w.row("modulus")
    case = u.at(row.values)
    assert case.margins().modulus == pytest.approx(row.worst, rel=1e-9)
    built = mast_on_cart(20.0 * row.values["stiffness.mast"], 0.3 * row.values["mass.mast"])
    tau = row.values["lag.tau"]
    again = ist.open_loop(flight_of(built, tau), built.state(), at="lag.u")
    assert again.margins().modulus == pytest.approx(row.worst, rel=1e-6)
    x = case.flight.state()
    x["cart"].q[:] = 0.1
    log = ist.simulate(case.flight, x, until=2.0, step="10 ms", set=case.set)
    y = built.state()
    y["cart"].q[:] = 0.1
    other = ist.simulate(flight_of(built, tau), y, until=2.0, step="10 ms")
    assert log["sensor.place"] == pytest.approx(other["sensor.place"], abs=1e-9)


def test_the_log_of_a_changed_vehicle_is_of_the_changed_one(sampled_loop, tmp_path):
    case = sampled_loop.at({"stiffness.mast": 1.2, "mass.mast": 0.9})
    log = ist.simulate(
        case.flight, case.flight.state(), until=0.1, step="10 ms", log=str(tmp_path / "log.h5")
    )
    built = mast_on_cart(24.0, 0.27)
    x = built.state(q=[0.1, 0.2])
    for one in (log.system, ist.load(tmp_path / "log.h5").system):
        assert one.forward_dynamics(one.state(x.q)) == pytest.approx(built.forward_dynamics(x), rel=1e-12)


def test_a_copy_of_a_changed_vehicle_is_changed(sampled_loop):
    vehicle = sampled_loop.at({"stiffness.mast": 1.2, "mass.mast": 0.9}).flight.vehicle
    copy, built = pickle.loads(pickle.dumps(vehicle)), mast_on_cart(24.0, 0.27)
    x = built.state(q=[0.1, 0.2])
    expected = built.forward_dynamics(x)
    for one in (vehicle, copy):
        assert one.forward_dynamics(one.state(x.q)) == pytest.approx(expected, rel=1e-12)


def test_vehicles_of_several_and_nested_assemblies():
    """The second vehicle alone changes; its name goes before those of its bodies."""
    first, second = mast_on_cart(), mast_on_cart()
    both = ist.Assembly("both").add("a", flight_of(first)).add("b", flight_of(second))
    x = both.state()
    u = ist.uncertain(both, x, {"stiffness.b.mast": 0.2}, at="b.lag.u")
    built = mast_on_cart(24.0)
    expected = ist.open_loop(flight_of(built), built.state(), at="lag.u").margins().modulus
    case = u.at({"stiffness.b.mast": 1.2})
    assert case.margins().modulus == pytest.approx(expected, rel=1e-9)
    assert case.flight.vehicle.model is both.vehicle.model
    with pytest.raises(InputError, match="changes nothing"):
        ist.uncertain(both, x, {"stiffness.a.mast": 0.2}, at="b.lag.u")


def flexible(E=2e9, rho=1000.0, damping=0.0):
    """A bus with a beam on a hinge."""
    mb = ist.Multibody("bus and beam")
    mb.add_body("bus", mass=3.0, com=[0, 0, 0.1], inertia=[0.4, 0.5, 0.6], joint=ist.Free())
    hinge = ist.Revolute("z", stiffness=30.0)
    component = beam(4, 4, E=E, rho=rho)
    mb.add_body(
        "beam", component=component, node=1, parent="bus", at=[0.2, 0, 0], joint=hinge, damping=damping
    )
    return mb.compile()


PORTS = {
    "inputs": [ist.NodeForce("beam", 5, "y"), ist.NodeTorque("bus", None, "z")],
    "outputs": [ist.NodePosition("beam", 5), ist.NodeRate("beam", 3), ist.NodeAcceleration("beam", 4)],
}
FREQUENCIES = np.array([0.3, 1.7, 6.0, 33.0])


@pytest.mark.parametrize(
    "values, changed",
    [
        ({"mass.beam": 0.8}, {"rho": 800.0}),
        ({"stiffness.beam.modes": 1.3}, {"E": 2.6e9}),
        ({"frequency.beam.modes": 1.1}, {"E": 1.21 * 2e9}),
        ({"stiffness.beam.modes": 0.8, "mass.beam": 1.2}, {"E": 1.6e9, "rho": 1200.0}),
    ],
    ids=str,
)
def test_a_flexible_vehicle_at_other_values_is_one_of_another_structure(values, changed):
    """Nodes that are seen for the first time on the changed vehicle have the shapes of its mass too."""
    damping = 0.01 if "frequency.beam.modes" in values else 0.0
    vehicle, built = flexible(damping=damping), flexible(damping=damping, **changed)
    u = ist.uncertain(vehicle, vehicle.state(), dict.fromkeys(values, 0.4), **PORTS)
    found = u.at(values).model.frequency_response(FREQUENCIES)
    expected = ist.linearize(built, built.state(), **PORTS).frequency_response(FREQUENCIES)
    nominal = u.model.frequency_response(FREQUENCIES)
    assert np.abs(nominal - expected).max() > 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10 * np.abs(expected).max())


def test_poles_of_a_flexible_vehicle_move_as_those_of_another_structure():
    vehicle = flexible()
    u = ist.uncertain(vehicle, vehicle.state(), {"stiffness.beam.modes": 0.1, "mass.beam": 0.1}, **PORTS)
    s = u.sensitivities()
    h = 1e-4
    for name, key, nominal in (("stiffness.beam.modes", "E", 2e9), ("mass.beam", "rho", 1000.0)):
        ends = [flexible(**{key: nominal * (1 + sign * h)}) for sign in (1, -1)]
        high, low = (
            np.sort(np.linalg.eigvals(ist.linearize(one, one.state(), **PORTS).A).imag)[-5:] for one in ends
        )
        order = np.argsort(s.poles.imag)[-5:]
        np.testing.assert_allclose(s.pole(name)[order].imag, (high - low) / (2 * h), rtol=1e-5)
    assert u.lft.measure == "poles" and "poles within" in str(u)


def test_a_point_keeps_its_masses_and_factors_multiply_them():
    vehicle = mast_on_cart()
    x = ist.trim(vehicle, vehicle.state())
    ports = {"inputs": [ist.JointForce("cart")], "outputs": [ist.JointRate("cart")]}
    u = ist.uncertain(vehicle, x, {"mass.mast": 0.1}, **ports)
    case = u.at({"mass.mast": 1.1})
    assert case.point.settings.body_inertia[1, 0] == pytest.approx(0.33)
    built = mast_on_cart(mass=0.33)
    expected = ist.linearize(built, built.state(), **ports)
    assert np.sort_complex(np.linalg.eigvals(case.model.A)) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(expected.A)), abs=1e-9
    )


def test_the_derivative_of_the_mass_matrix():
    """dM/dt along a motion is that of differences; of a pendulum on a cart M has m l cos q, and its derivative."""
    vehicle = flexible()
    rng = np.random.default_rng(0)
    x = vehicle.state()
    x.v[:] = 0.3 * rng.normal(size=vehicle.nv)
    x["beam"].q[:], x["beam"].eta[:] = 0.4, 0.01 * rng.normal(size=4)
    dM = vehicle.mass_matrix_derivative(x)
    ends = [vehicle.mass_matrix(vehicle.state(x.q + s * vehicle.rates(x))) for s in (1e-5, -1e-5)]
    expected = (ends[0] - ends[1]) / 2e-5
    np.testing.assert_allclose(np.einsum("kij,k->ij", dM, x.v), expected, atol=1e-9 * np.abs(expected).max())
    mb = ist.Multibody("pendulum on a cart")
    mb.add_body("cart", mass=2.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    mb.add_body("bob", mass=0.5, com=[0, -1.5, 0], inertia=np.eye(3), parent="cart", joint=ist.Revolute("z"))
    system = mb.compile()
    dM = system.mass_matrix_derivative(system.state(q=[0.3, 0.7]))
    assert dM[1, 0, 1] == pytest.approx(-0.5 * 1.5 * np.sin(0.7), rel=1e-14)
    assert np.abs(dM[0]).max() == 0.0 and dM[1, 1, 1] == pytest.approx(0.0, abs=1e-15)


# refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"stiffnes.mast": 0.1}, "did you mean stiffness"),
        ({"stiffness.mats": 0.1}, "did you mean stiffness.mast"),
        ({"stiffness.cart": 0.1}, "zero: a factor does not change it"),
        ({"stiffness.mast": 0.0}, "half range"),
        ({"stiffness.mast": (1.1, 1.2)}, "does not hold its nominal value"),
        ({"stiffness.mast": "10 %"}, "relative half range or"),
        ({"mass.mast": 1.5}, "above zero"),
        ({"lag.tua": 0.1}, "did you mean lag.tau"),
        ({"lag.tau": (1.0, 1.5)}, "give values, not factors"),
        ({}, "must map names to ranges"),
    ],
    ids=str,
)
def test_what_cannot_be_uncertain(parameters, message):
    vehicle = mast_on_cart()
    with pytest.raises(InputError, match=message):
        ist.uncertain(flight_of(vehicle), vehicle.state(), parameters)


def test_margins_of_a_model_that_is_no_loop():
    vehicle = mast_on_cart()
    ports = {"inputs": [ist.JointForce("cart")], "outputs": [ist.JointRate("cart")]}
    u = ist.uncertain(vehicle, vehicle.state(), {"stiffness.mast": 0.2}, **ports)
    with pytest.raises(InputError, match="is no loop"):
        u.worst_margins()
    assert not u.sensitivities().margins


def test_a_box_that_is_not_affine_is_said():
    def plant(k):
        return ist.LinearModel([[0, 1], [-(k**3) - np.exp(3.0 * k), -0.2]], [[0], [1]], [[1, 0]], [[0]])

    u = ist.uncertain(plant, parameters={"k": (0.5, 2.0)})
    with pytest.warns(FidelityWarning, match="not affine in its parameters"):
        assert u.lft.error > 0.05


def test_matrices_of_a_closed_loop_move_as_their_differences_do():
    """S = (I + L)⁻¹ and its derivative along a move of A, B, C and D of L, beside central differences."""
    rng = np.random.default_rng(4)
    sizes = (3, 3), (3, 2), (2, 3), (2, 2)
    at, move = ([rng.normal(size=size) for size in sizes] for _ in range(2))
    (_, (found,)), h = closed_matrices(tuple(at), [tuple(move)]), 1e-5
    ends = [closed_matrices(tuple(a + s * h * d for a, d in zip(at, move)), [])[0] for s in (1.0, -1.0)]
    for one, more, less in zip(found, *ends):
        np.testing.assert_allclose(one, (more - less) / (2.0 * h), rtol=1e-6, atol=1e-7)
