"""Compliant contact against closed forms: restitution, flights of a ball, friction, rolling, momentum, scales."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import interstage as ist
from interstage import devices as dev
from interstage.devices.contact import dissipation_for
from interstage.errors import InputError

G = 10.0


def restitution(d):
    """Return e with d (1 + e) = ln((1 + d)/(1 - d e)), d = a u."""
    return brentq(lambda e: d * (1 + e) - np.log((1 + d) / (1 - d * e)), 1e-9, min(1.0, 1 / d) - 1e-12)


def ball(mass=2.0, radius=0.1, gravity=G):
    mb = ist.Multibody("ball", gravity=[0, 0, -gravity])
    mb.add_body("ball", mass=mass, inertia=np.full(3, 0.4 * mass * radius**2), joint=ist.Free())
    return mb.compile()


@pytest.fixture(scope="module")
def falling():
    return ball()


@pytest.fixture(scope="module")
def floating():
    """Two balls of 2 and 3 kg without gravity."""
    mb = ist.Multibody("balls")
    for name, mass, radius in (("a", 2.0, 0.1), ("b", 3.0, 0.2)):
        mb.add_body(name, mass=mass, inertia=np.full(3, 0.4 * mass * radius**2), joint=ist.Free())
    return mb.compile()


def dropped(system, height, **given):
    x = system.state()
    x["ball"].position[2] = height
    contact = dev.GroundContact(at="ball", **given)
    return ist.Assembly("drop", vehicle=system).add("ground", contact), x


def world(system, log, body, k=-1):
    """Return [ω; v] (6,) of a body in world axes."""
    return system.velocity(log.state(k), body, frame="world")


def test_a_ball_bounces_and_comes_to_rest(falling):
    """Flights of 2u/g with u ← e(u) u at each impact, then rest at the depth of the weight.

    The ground is so stiff that an impact takes 1 ms; gravity acts in it too, which changes u by about g times that.
    """
    k, a = 2e7, dissipation_for(0.7, 5.0)
    made, x = dropped(falling, 1.25 + 0.1, radius=0.1, stiffness=k, dissipation=a)
    log = ist.simulate(made, x, until=3.0, step="1/50000 s")
    touching = log["ground.depth"] > 0
    begins = log.t[np.flatnonzero(~touching[:-1] & touching[1:])]
    ends = log.t[np.flatnonzero(touching[:-1] & ~touching[1:])]
    u, flights = 5.0, []
    for _ in range(4):
        u *= restitution(a * u)
        flights.append(2 * u / G)
    assert begins[0] == pytest.approx(0.5, abs=1e-4)
    assert begins[1:5] - ends[:4] == pytest.approx(flights, rel=2e-3)


def test_a_ball_rests_at_the_depth_of_its_weight(falling):
    made, x = dropped(falling, 0.12, radius=0.1, stiffness=4e3, restitution=(0.3, 0.5))
    log = ist.simulate(made, x, until=12, step="1 ms")
    assert log["ground.depth"][-1] == pytest.approx(2.0 * G / 4e3, abs=1e-9)
    assert log["ground.normal_force"][-1] == pytest.approx(20.0, abs=1e-5)


@pytest.mark.parametrize("power", [1.0, 1.5])
@pytest.mark.parametrize(("mass", "stiffness", "speed"), [(2.0, 1e5, 1.0), (0.5, 1e5, 1.0), (2.0, 4e6, 3.0)])
def test_restitution_depends_on_the_speed_alone(power, mass, stiffness, speed):
    """e by the equation, whatever mass, stiffness and power are: the scale of the energy lost is that of a u."""
    system, a = ball(mass, gravity=0.0), 0.4
    made, x = dropped(system, 0.11, radius=0.1, stiffness=stiffness, power=power, dissipation=a)
    x["ball"].v[5] = -speed
    log = ist.simulate(made, x, until=0.3, step="1/50000 s")
    assert log["ball"].v[-1, 5] == pytest.approx(restitution(a * speed) * speed, rel=2e-5)


def test_energy_lost_scales_with_the_square_of_the_speed():
    """At the same a u all impacts are one: energies go with u², times with u^((1-p)/(1+p)), depths with u^(2/(1+p))."""
    system, power, found = ball(gravity=0.0), 1.5, []
    for s in (1.0, 4.0):
        made, x = dropped(system, 0.1, radius=0.1, stiffness=1e6, power=power, dissipation=0.3 / s)
        x["ball"].v[5] = -s
        stretch = s ** ((1 - power) / (1 + power))
        log = ist.simulate(made, x, until=0.02, step="1/200000 s")
        lost = 1 - (log["ball"].v[-1, 5] / s) ** 2
        touched = np.sum(log["ground.depth"] > 0) / 2e5 / stretch
        found.append((lost, touched, log["ground.depth"].max() / s ** (2 / (1 + power))))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    assert found[0][1] == pytest.approx(found[1][1], abs=2e-5)  # steps
    assert found[0][2] == pytest.approx(found[1][2], rel=1e-5)


def test_a_sliding_ball_comes_to_roll(falling):
    """Friction slows it and spins it up until it rolls, at 5/7 of its speed after 2u/(7 μ g); then it rolls on."""
    mu, u, k = 0.3, 2.1, 1e5
    made, x = dropped(falling, 0.1 - 20 / k, radius=0.1, stiffness=k, dissipation=0.1, friction=mu, slip=1e-3)
    x["ball"].v[3] = u
    log = ist.simulate(made, x, until=0.6, step="1/20000 s")
    meets = 2 * u / (7 * mu * G)
    k = int(0.9 * meets * 20000)
    # friction is μN (1 - slip²/2v²) while it slides
    assert world(falling, log, "ball", k)[3] == pytest.approx(u - mu * G * log.t[k], abs=1e-5)
    end = world(falling, log, "ball")
    assert end[3] == pytest.approx(5 / 7 * u, abs=1e-5) and end[1] * 0.1 == pytest.approx(end[3], abs=1e-5)


@pytest.mark.parametrize("slope", [0.2, 0.6])
def test_a_point_on_a_slope_creeps_or_slides(slope):
    """tan β = 0.2 < μ: it creeps with slip tan β/√(μ² - tan² β); 0.6: it slides with g (sin β - μ cos β)."""
    mb = ist.Multibody("block", gravity=[0, 0, -G])
    mb.add_body("block", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system, mu, slip, k = mb.compile(), 0.4, 1e-3, 1e5
    angle = np.arctan(slope)
    n, down = np.array([np.sin(angle), 0, np.cos(angle)]), np.array([np.cos(angle), 0, -np.sin(angle)])
    contact = dev.GroundContact(at="block", normal=n, stiffness=k, dissipation=5.0, friction=mu, slip=slip)
    made = ist.Assembly("slope", vehicle=system).add("it", contact)
    x = system.state()
    x["block"].position[:] = -2.0 * G * np.cos(angle) / k * n
    log = ist.simulate(made, x, until=0.5, step="1/10000 s")
    v = log.v[-1, 3:] @ down
    if slope < mu:
        assert v == pytest.approx(slip * slope / np.sqrt(mu**2 - slope**2), rel=1e-6)
    else:
        # while friction is viscous it gains less than slip μ/(tan β - μ)
        assert v == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)) * 0.5, abs=2 * slip)


@pytest.mark.parametrize(("friction", "speed"), [(0.0, 0.0), (0.4, 3.0), (0.4, -3.0), (0.8, 3.0)])
def test_a_rod_that_slides_on_its_end_is_the_rigid_one(friction, speed):
    """A leaning rod, its end on the floor: θ against the rigid equation, far from Painlevé's friction of 4/3.

    N (1 + 3 cos θ (cos θ + μ s sin θ)) = m (g - l θ̇² sin θ), I θ̈ = -l N (cos θ + μ s sin θ), s the way the end slides.
    """
    m, l, lean = 2.0, 0.5, 1.0
    mb = ist.Multibody("rod", gravity=[0, 0, -G])
    inertia = m * l**2 / 3
    mb.add_body("rod", mass=m, inertia=[1e-3 * inertia, inertia, inertia], joint=ist.Free())
    system, k = mb.compile(), 1e6
    end = dev.GroundContact(
        at=("rod", [-l, 0, 0]), stiffness=k, dissipation=0.5, friction=friction, slip=1e-3
    )
    made = ist.Assembly("rod", vehicle=system).add("end", end)
    x = system.state()
    s = np.sign(speed)
    first = m * G / (1 + 3 * np.cos(lean) * (np.cos(lean) + friction * s * np.sin(lean)))
    x["rod"].quaternion[:] = ist.Rotation.from_axis_angle([0, 1, 0], -lean).quaternion
    x["rod"].position[2] = l * np.sin(lean) - first / k
    x["rod"].v[3:] = [speed * np.cos(lean), 0, -speed * np.sin(lean)]
    log = ist.simulate(made, x, until=0.3, step="0.02 ms", log_step="10 ms")

    def slope(t, y):
        c, sn = np.cos(y[0]), np.sin(y[0])
        N = m * (G - l * y[1] ** 2 * sn) / (1 + 3 * c * (c + friction * s * sn))
        return [y[1], -l * N * (c + friction * s * sn) / inertia]

    exact = solve_ivp(slope, (0, 0.3), [lean, 0.0], rtol=1e-10, atol=1e-12, t_eval=log.t).y[0]
    found = [np.arcsin(system.rotation(log.state(i), "rod")[2, 0]) for i in range(len(log.t))]
    assert exact[-1] < 0.8 * lean
    assert found == pytest.approx(exact, abs=2e-4)  # the end presses in by 2e-5 m and rings


def momenta(system, log):
    return [system.momentum(log.state(k)) for k in (0, -1)]


def test_two_balls_collide(floating):
    """Head on: both momenta are kept, and the relative speed is e of what it was."""
    a = 0.4
    made = ist.Assembly("balls", vehicle=floating)
    made.add("it", dev.SphereContact(a="a", b="b", radius_a=0.1, radius_b=0.2, stiffness=1e6, dissipation=a))
    x = floating.state()
    x["a"].position[:], x["b"].position[:] = [-0.4, 0, 0], [0.2, 0, 0]
    x["a"].v[3], x["b"].v[3] = 2.0, -1.0
    log = ist.simulate(made, x, until=0.4, step="1/50000 s")
    e = restitution(3.0 * a)
    assert log["b"].v[-1, 3] - log["a"].v[-1, 3] == pytest.approx(3.0 * e, rel=2e-5)
    first, last = momenta(floating, log)
    assert last == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("kind", ["spheres", "plane"])
def test_oblique_impacts_with_friction_keep_all_momenta_and_lose_energy(floating, kind):
    made = ist.Assembly("balls", vehicle=floating)
    given = {"stiffness": 1e5, "dissipation": 0.2, "friction": 0.4, "slip": 0.1}
    if kind == "spheres":
        made.add("it", dev.SphereContact(a="a", b="b", radius_a=0.1, radius_b=0.2, **given))
    else:
        plane = ("b", [-0.2, 0.1, 0.0])
        made.add("it", dev.PlaneContact(at="a", plane=plane, normal=[-1, 0, 0], radius=0.1, **given))
    x = floating.state()
    x["a"].position[:], x["b"].position[:] = [-0.4, 0.1, 0.05], [0.2, 0, 0]
    x.v[:] = [1, -2, 3, 2.0, 0.1, 0.2, -0.5, 0.3, 0.2, -1.0, 0.1, 0.0]
    log = ist.simulate(made, x, until=0.4, step="1/20000 s")
    assert log["it.normal_force"].max() > 100.0 and log["it.depth"][-1] < 0.0
    first, last = momenta(floating, log)
    assert last == pytest.approx(first, abs=1e-9)  # RK4 of velocities in body axes
    assert floating.energy(log.state(-1)) < floating.energy(log.state(0)) - 0.1


def test_a_plane_of_a_heavy_body_is_the_ground():
    """A ball on a slab of 1e9 kg bounces as on the ground."""
    mb = ist.Multibody("slab")
    mb.add_body("slab", mass=1e9, inertia=[1e9, 1e9, 1e9], joint=ist.Free())
    mb.add_body("ball", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    given = {"radius": 0.1, "stiffness": 1e5, "restitution": (0.6, 1.0), "friction": 0.2, "slip": 0.01}
    x = system.state()
    x["ball"].position[2] = 0.2
    x["ball"].v[:] = [0, 1, 0, 0.5, 0, -1.0]
    plane = ist.Assembly("one", vehicle=system).add("it", dev.PlaneContact(at="ball", plane="slab", **given))
    ground = ist.Assembly("two", vehicle=system).add("it", dev.GroundContact(at="ball", **given))
    one, two = (ist.simulate(made, x, until=0.5, step="1/10000 s") for made in (plane, ground))
    ends = [world(system, log, "ball") for log in (one, two)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    assert ends[1][5] == pytest.approx(0.6, rel=1e-4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"stiffness": "1 kN/m", "power": 1.5}, r"the units do not fit .*; expected N/m\^1.5"),
        ({"stiffness": 0.0}, "GroundContact.stiffness must be above 0"),
        ({"stiffness": 1.0, "radius": -1.0}, "GroundContact.radius must be at least 0"),
        ({"stiffness": 1.0, "normal": [0, 0, 0]}, "GroundContact.normal is no direction"),
        ({"stiffness": 1.0, "restitution": (0.0, 1.0)}, "a restitution is above 0 and at most 1"),
        ({"stiffness": 1.0, "restitution": (0.5, "1 s")}, "the units do not fit"),
        ({"stiffness": 1.0, "friction": -0.1}, "GroundContact.friction must be at least 0"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        dev.GroundContact(at="ball", **given)


def test_stiffness_has_the_unit_of_its_power():
    assert dev.GroundContact(at="ball", stiffness="12 N/mm").stiffness == pytest.approx(12e3, rel=1e-14)
    hertz = dev.GroundContact(at="ball", stiffness="1 kN/mm^1.5", power=1.5)
    assert hertz.stiffness == pytest.approx(1e3 * 1e3**1.5, rel=1e-14)
