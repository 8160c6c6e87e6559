"""Springs, tables, cables and bushings between places, against closed forms, energy, momentum and a dense solve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import gamma

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

MASSES = {"a": 2.0, "b": 3.0}
REDUCED = 1.2


@pytest.fixture(scope="module")
def pair():
    """Two free bodies."""
    mb = ist.Multibody("pair")
    for name, mass in MASSES.items():
        mb.add_body(name, mass=mass, inertia=[1.0, 2.0, 1.5], joint=ist.Free())
    return mb.compile()


@pytest.fixture(scope="module")
def cart():
    """A mass on a rail beside a post."""
    mb = ist.Multibody("cart", gravity=[-10.0, 0, 0])
    mb.add_body("post", mass=1.0, inertia=[1, 1, 1], joint=ist.Locked())
    mb.add_body("cart", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    return mb.compile()


def apart(log):
    return log["b"].position[:, 0] - log["a"].position[:, 0]


def between(pair, device, distance, speed=0.0):
    x = pair.state()
    x["b"].position[:] = [distance, 0, 0]
    x["b"].v[3] = speed
    return ist.Assembly("pair", vehicle=pair).add("it", device), x


def test_a_spring_with_damper_swings_as_two_masses_do(pair):
    k, c, length, stretched = 40.0, 1.5, 1.0, 0.1
    spring = dev.Spring(a="a", b="b", stiffness=k, damping=c, length=length)
    made, x = between(pair, spring, length + stretched)
    log = ist.simulate(made, x, until=2, step="1 ms")
    sigma = c / (2 * REDUCED)
    w = np.sqrt(k / REDUCED - sigma**2)
    exact = stretched * np.exp(-sigma * log.t) * (np.cos(w * log.t) + sigma / w * np.sin(w * log.t))
    assert apart(log) - length == pytest.approx(exact, abs=1e-11)
    assert log["it.stretch"] == pytest.approx(exact, abs=1e-11)


def test_a_table_of_cubes_has_the_period_of_the_quartic_potential(pair):
    """μ ẍ = -k x³ from rest at A: T = √(8π) Γ(5/4)/Γ(3/4) · 2 √(μ/k)/A; the table's cubes are off by h³."""
    k, A, length = 40.0, 0.5, 2.0
    x = np.linspace(-0.6, 0.6, 1201)
    made, start = between(
        pair, dev.NonlinearSpring(a="a", b="b", force=(x, k * x**3), length=length), length + A
    )
    log = ist.simulate(made, start, until=6, step="1 ms")
    y = apart(log) - length
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    times = log.t[up] - y[up] * (log.t[up + 1] - log.t[up]) / (y[up + 1] - y[up])
    exact = 4 * np.sqrt(2 * REDUCED / k) / A * np.sqrt(np.pi) * gamma(1.25) / gamma(0.75)
    assert np.diff(times) == pytest.approx(exact, rel=1e-5)


def test_a_table_goes_on_straight_and_drags_as_its_table_says(pair):
    made, x = between(pair, dev.NonlinearSpring(a="a", b="b", force=([0, 0.1], [0, 3.0]), length=1.0), 1.4)
    straight, _ = between(pair, dev.Spring(a="a", b="b", stiffness=30.0, length=1.0), 1.4)
    one, two = (ist.simulate(m, x, until=1, step="1 ms") for m in (made, straight))
    assert apart(one) == pytest.approx(apart(two), abs=1e-13)
    table = dev.NonlinearSpring(a="a", b="b", force=([0, 1], [0, 0]), drag=([-2, 0, 2], [-3, 0, 1]))
    made, x = between(pair, table, 1.0, speed=1.0)
    log = ist.simulate(made, x, until=0.01, step="1 ms")
    assert log["it.pull"][0] == pytest.approx(0.5 + 0.125, rel=0.3) and log["it.pull"][0] > 0


def test_a_cable_is_slack_until_it_is_taut(cart):
    """Dropped from where it hangs, a mass falls L freely, swings on the cable, and comes back: times in closed form."""
    k, m, g, L = 4000.0, 2.0, 10.0, 0.8
    made = ist.Assembly("hung", vehicle=cart).add(
        "cable", dev.Cable(a="post", b="cart", stiffness=k, length=L)
    )
    log = ist.simulate(made, cart.state(), until=1.2, step="1/8000 s")
    w, v, sag = np.sqrt(k / m), np.sqrt(2 * g * L), m * g / k
    lowest = L + sag + np.sqrt(sag**2 + (v / w) ** 2)
    taut = 2 * (np.pi - np.arctan2(v / w, sag)) / w  # x - sag = -sag cos wt + v/w sin wt, there and back
    x = -log["cart"].q[:, 0]
    # steps of 1/8000 s do not meet the instants at which the cable tightens: h² ẍ
    assert x.max() == pytest.approx(lowest, abs=2e-5)
    fall = v / g
    tight = log.t[log["cable.pull"] > 0]
    assert tight[0] == pytest.approx(fall, abs=2e-4)
    assert tight[-1] == pytest.approx(fall + taut, abs=3e-4)
    assert log["cable.pull"].min() == 0.0
    assert x[-1] == pytest.approx(L - v * (1.2 - fall - taut) + 5 * (1.2 - fall - taut) ** 2, abs=2e-4)


def test_a_winch_winds_a_cable(cart):
    made = ist.Assembly("winch", vehicle=cart)
    made.add("cable", dev.Cable(a="post", b="cart", stiffness=4e3, damping=120.0))
    made.add("winch", lambda t: {"length": 2.0 - 0.3 * t, "speed": -0.3}, out={"length": "m", "speed": "m/s"})
    made.wire({"winch.length": "cable.length", "winch.speed": "cable.winding"})
    log = ist.simulate(made, cart.state(q=[-2.005]), until=4, step="1 ms")
    assert -log["cart"].q[-1, 0] == pytest.approx(2.0 - 1.2 + 0.005, abs=1e-9)
    assert log["cable.pull"][-1] == pytest.approx(20.0, abs=1e-6)


# bushing --------------------------------------------------------------------------------------------


def stiff(seed=3):
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(6, 6))
    D = np.diag([1.0, 1.0, 1.0, 5.0, 5.0, 5.0])
    return D @ (L @ L.T + 6 * np.eye(6)) @ D


def test_a_bushing_rings_as_its_matrix_says(pair):
    """Frequencies of two bodies, places away from their centres, against a dense solve of 12 small motions."""
    K, l_a, l_b = stiff(), np.array([0.3, 0.1, -0.2]), np.array([-0.4, 0.2, 0.1])
    made = ist.Assembly("two", vehicle=pair)
    made.add("it", dev.Bushing(a=("a", l_a.tolist()), b=("b", l_b.tolist()), stiffness=K))
    x = pair.state()
    x["b"].position[:] = l_a - l_b
    poles = np.asarray(ist.linearize(made, x).poles())

    def skew(r):
        return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    # e = [θ_b - θ_a; u_b + θ_b×l_b - u_a - θ_a×l_a] of [θ_a, u_a, θ_b, u_b]; the places coincide
    I, O = np.eye(3), np.zeros((3, 3))
    J = np.block([[-I, O, I, O], [skew(l_a), -I, -skew(l_b), I]])
    M = np.diag([1.0, 2.0, 1.5, 2, 2, 2, 1.0, 2.0, 1.5, 3, 3, 3])
    exact = np.sqrt(eigh(J.T @ K @ J, M, eigvals_only=True)[6:])
    found = np.sort(np.abs(poles.imag[poles.imag > 1e-3]))
    assert found == pytest.approx(exact, rel=1e-9)


def kinetic(system, log, k):
    """Return kinetic energy, and momentum about the origin (6,), of two free rigid bodies."""
    energy, momentum = 0.0, np.zeros(6)
    for name, mass in MASSES.items():
        v, q = log[name].v[k], log[name].quaternion[k]
        R = ist.Rotation.from_quaternion(q).matrix
        J = np.array([1.0, 2.0, 1.5])
        energy += 0.5 * v[:3] @ (J * v[:3]) + 0.5 * mass * v[3:] @ v[3:]
        p = mass * R @ v[3:]
        momentum += np.concatenate([R @ (J * v[:3]) + np.cross(log[name].position[k], p), p])
    return energy, momentum


def test_a_bushing_keeps_energy_and_momentum_at_large_angles(pair):
    K = stiff()
    made = ist.Assembly("two", vehicle=pair)
    made.add("it", dev.Bushing(a=("a", [0.3, 0.1, -0.2]), b=("b", [-0.4, 0.2, 0.1]), stiffness=K))
    x = pair.state()
    x["b"].position[:] = [0.9, 0.2, -0.5]
    x["b"].quaternion[:] = ist.Rotation.from_axis_angle([1, 2, -1], 1.2).quaternion
    x.v[:] = 0.4 * np.random.default_rng(1).normal(size=12)
    log = ist.simulate(made, x, until=2, step="1/4000 s")
    rest = np.hstack([log["it.angle"], log["it.apart"]])
    total = [kinetic(pair, log, k)[0] + 0.5 * rest[k] @ K @ rest[k] for k in range(0, len(log.t), 400)]
    assert np.abs(log["it.angle"]).max() > 0.9
    assert total == pytest.approx(np.full(len(total), total[0]), rel=1e-9)  # RK4 at the stiffest pair
    first, last = kinetic(pair, log, 0)[1], kinetic(pair, log, -1)[1]
    assert last == pytest.approx(first, abs=1e-9)


def test_a_damped_bushing_comes_to_rest_where_it_should(pair):
    rest = [0.0, 0.0, 0.3, 0.5, 0.0, 0.0]
    made = ist.Assembly("two", vehicle=pair)
    made.add("it", dev.Bushing(a="a", b="b", stiffness=[9.0] * 6, damping=[6.0] * 6, rest=rest))
    log = ist.simulate(made, pair.state(), until=30, step="5 ms")
    assert np.hstack([log["it.angle"][-1], log["it.apart"][-1]]) == pytest.approx(rest, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dev.Spring(a="a", b="b", stiffness=-1.0), "Spring.stiffness must be at least 0"),
        (lambda: dev.Cable(a="a", b="b", stiffness=0.0), "Cable.stiffness must be above 0"),
        (lambda: dev.NonlinearSpring(a="a", b="b"), "NonlinearSpring needs force"),
        (
            lambda: dev.NonlinearSpring(a="a", b="b", force=([0, 0], [1, 2])),
            "NonlinearSpring.force is no table",
        ),
        (
            lambda: dev.NonlinearSpring(a="a", b="b", force=([0, 1], [1, 2, 3])),
            "NonlinearSpring.force is no table",
        ),
        (lambda: dev.NonlinearSpring(a="a", b="b", force=3.0), "NonlinearSpring.force is a pair of rows"),
        (lambda: dev.Bushing(a="a", b="b", stiffness=np.triu(np.ones((6, 6)))), "must be symmetric"),
        (lambda: dev.Bushing(a="a", b="b", stiffness=[-1.0] * 6), "has a negative eigenvalue"),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
