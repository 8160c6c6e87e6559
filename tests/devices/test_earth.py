"""The Earth against two-body motion, oblate precession, librations in closed form, geodesy and the calendar."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import interstage as ist
from interstage import devices as dev
from interstage.devices.ephemeris import earth_axes, sun_and_moon
from interstage.errors import InputError

MU, R, J2 = 3.986004418e14, 6378137.0, np.sqrt(5.0) * 4.84165143790815e-4


def satellite(inertia=(10.0, 12.0, 8.0)):
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=100.0, com=[0.2, 0, 0.1], inertia=list(inertia), joint=ist.Free())
    return mb.compile()


def in_orbit(system, earth, attitude=(1, 0, 0, 0), rate=(0, 0, 0), **elements):
    """Return a state whose centre of mass is on an orbit."""
    position, velocity = earth.orbit(**elements)
    x = system.state()
    q = np.asarray(attitude, dtype=float)
    c, w = np.array([0.2, 0, 0.1]), np.asarray(rate, dtype=float)
    x["bus"].quaternion[:] = q
    x["bus"].position[:] = position - ist.quaternion.rotate(q, c)
    x["bus"].velocity[:3] = w
    x["bus"].velocity[3:] = ist.quaternion.rotate(ist.quaternion.inverse(q), velocity) - np.cross(w, c)
    return x


def center_of_mass(log):
    return log["earth.position"] + np.array(
        [ist.quaternion.rotate(q, [0.2, 0, 0.1]) for q in log["bus"].quaternion]
    )


def test_an_orbit_closes_and_keeps_its_energy():
    system, earth = satellite(), dev.Earth(gravity="central")
    period, e = 6000, 0.12
    a = (MU * (period / (2 * np.pi)) ** 2) ** (1 / 3)
    x = in_orbit(system, earth, rate=(0.001, 0, 0.002), a=a, e=e, i=0.7, raan=1.0, periapsis=0.4, anomaly=0.3)
    made = ist.Assembly("orbit", vehicle=system).add("earth", earth)
    log = ist.simulate(made, x, until=period, step=5, log_step=60)
    com = center_of_mass(log)
    # RK4, a step of 0.3 degrees: 5e-10 of the radius an orbit
    assert np.abs(com[-1] - com[0]).max() < 0.05
    velocity = np.gradient(com, log.t, axis=0, edge_order=2)
    h = np.cross(com, velocity)[5:-5]
    assert h / np.linalg.norm(h, axis=1)[:, None] == pytest.approx(
        np.tile(h[0] / np.linalg.norm(h[0]), (len(h), 1)), abs=1e-4
    )
    r = np.linalg.norm(com, axis=1)
    assert r.min() == pytest.approx(a * (1 - e), rel=2e-4) and r.max() == pytest.approx(a * (1 + e), rel=2e-4)
    start = np.r_[earth.orbit(a=a, e=e, i=0.7, raan=1.0, periapsis=0.4, anomaly=0.3)]

    def two_bodies(t, y):
        return [*y[3:], *(-MU * y[:3] / np.linalg.norm(y[:3]) ** 3)]

    kepler = solve_ivp(two_bodies, (0, period), start, rtol=1e-12, atol=1e-6, t_eval=log.t)
    assert com == pytest.approx(kepler.y[:3].T, abs=0.05)


def test_the_oblate_earth_turns_the_plane_of_an_orbit():
    """Secular rate of the node -3/2 n J2 (R/p)² cos i, first order in J2: 1e-3 of it are second order."""
    system, earth = satellite(), dev.Earth()
    a, i = 7.0e6, np.radians(51.6)
    n = np.sqrt(MU / a**3)
    x = in_orbit(system, earth, a=a, i=i, raan=0.5)
    made = ist.Assembly("orbit", vehicle=system).add("earth", earth)
    log = ist.simulate(
        made, x, until=86400, step=20, log_step=20, keep=["earth.velocity", "earth.ground", "earth.position"]
    )
    h = np.cross(log["earth.position"], log["earth.velocity"] + log["earth.ground"])
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    slope = np.polyfit(log.t, node, 1)[0]
    assert slope == pytest.approx(-1.5 * n * J2 * (R / a) ** 2 * np.cos(i), rel=5e-3)
    assert slope * 86400 == pytest.approx(np.radians(-4.47), abs=2e-3)


def test_gravity_is_the_gradient_of_its_potential():
    """Complex steps of U = μ/r [1 - J2 (R/r)² (3u² - 1)/2], the pole tilted."""
    from interstage.devices.fields import gradient_torque, oblate_gradient, oblate_gravity

    rng = np.random.default_rng(4)
    pole = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    r = np.array([5.1e6, -3.0e6, 4.2e6])

    def potential(x):
        s = np.sqrt(x @ x)
        return MU / s * (1.0 - J2 * (R / s) ** 2 * 0.5 * (3.0 * (x @ pole / s) ** 2 - 1.0))

    step = 1e-20j
    slope = [potential(r + step * e).imag / 1e-20 for e in np.eye(3)]
    g = np.array(oblate_gravity(MU, R, J2, pole, r))
    assert g == pytest.approx(np.array(slope), rel=1e-13)
    G = np.array([np.imag(oblate_gravity(MU, R, J2, pole, r + step * e)) / 1e-20 for e in np.eye(3)]).T
    e, rr, rp, pp = oblate_gradient(MU, R, J2, pole, r)
    a = r / np.linalg.norm(r)
    both = np.outer(a, pole) + np.outer(pole, a)
    tensor = e * np.eye(3) + rr * np.outer(a, a) + rp * both + pp * np.outer(pole, pole)
    assert tensor == pytest.approx(G, rel=1e-10, abs=1e-17)
    # the torque of points of mass in the linear field
    points, masses = rng.normal(size=(7, 3)), rng.uniform(1, 2, size=7)
    points -= masses @ points / masses.sum()
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points))
    torque = sum(m * np.cross(p, G @ p) for m, p in zip(masses, points))
    found = gradient_torque(oblate_gradient(MU, R, J2, pole, r), a, pole, inertia)
    assert np.array(found) == pytest.approx(torque, rel=1e-9, abs=1e-18)


def level_flight(inertia, tilt, periods):
    """Return the angles about axes along track (x), normal (y) and down (z) of a satellite let go a little tilted."""
    system, earth = satellite(inertia), dev.Earth(gravity="central", gravity_gradient=True)
    T = 6000
    n = 2 * np.pi / T
    a = (MU / n**2) ** (1 / 3)
    level = np.array([[0, 0, -1.0], [1, 0, 0], [0, -1, 0]])  # x along track, y against the normal, z down
    q0 = ist.quaternion.rotate_by(np.roll(_quaternion(level), 0), tilt)
    rate = ist.quaternion.rotate(
        ist.quaternion.inverse(ist.quaternion.rotate_by([1, 0, 0, 0], tilt)), [0, -n, 0]
    )
    x = in_orbit(system, earth, attitude=q0, rate=rate, a=a)
    made = ist.Assembly("orbit", vehicle=system).add("earth", earth)
    log = ist.simulate(made, x, until=periods * T, step=10, log_step=30)
    angles = []
    for t, q in zip(log.t, log["bus"].quaternion):
        turned = (
            np.array([[np.cos(n * t), -np.sin(n * t), 0], [np.sin(n * t), np.cos(n * t), 0], [0, 0, 1]])
            @ level
        )
        angles.append(ist.attitude_error(q, _quaternion(turned)))
    return n, log.t, np.array(angles)


def _quaternion(R):
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


def test_pitch_libration_is_that_of_the_closed_equation():
    """θ̈ = -(3/2) n² (Ix - Iz)/Iy sin 2θ, 0.4 rad and more."""
    Ix, Iy, Iz = 12.0, 14.0, 4.0
    n, t, angles = level_flight((Ix, Iy, Iz), [0, 0.4, 0], 2)

    def slope(s, y):
        return [y[1], -1.5 * n * n * (Ix - Iz) / Iy * np.sin(2 * y[0])]

    pendulum = solve_ivp(slope, (0, t[-1]), [0.4, 0.0], t_eval=t, rtol=1e-11, atol=1e-13)
    assert angles[:, 1] == pytest.approx(
        pendulum.y[0], abs=5e-8
    )  # RK4; products of v = 7.5 km/s leave no trace
    assert np.abs(angles[:, [0, 2]]).max() < 1e-9


def test_roll_and_yaw_librate_at_their_two_frequencies():
    """s⁴ + (1 + 3kx + kx kz) n² s² + 4 n⁴ kx kz = 0, kx = (Iy - Iz)/Ix, kz = (Iy - Ix)/Iz (Hughes 1986, 9.2)."""
    Ix, Iy, Iz = 12.0, 14.0, 4.0
    n, t, angles = level_flight((Ix, Iy, Iz), [1e-3, 0, -5e-4], 3)
    kx, kz = (Iy - Iz) / Ix, (Iy - Ix) / Iz
    w = np.sqrt(-np.roots([1.0, 1.0 + 3.0 * kx + kx * kz, 4.0 * kx * kz])) * n
    basis = np.column_stack([f(k * t) for k in w for f in (np.cos, np.sin)])
    for axis in (0, 2):
        fit, *_ = np.linalg.lstsq(basis, angles[:, axis], rcond=None)
        assert np.abs(basis @ fit - angles[:, axis]).max() < 2e-6  # of 1e-3: second order in the angle
    off = np.column_stack([f(1.01 * k * t) for k in w for f in (np.cos, np.sin)])
    fit, *_ = np.linalg.lstsq(off, angles[:, 0], rcond=None)
    assert np.abs(off @ fit - angles[:, 0]).max() > 2e-5  # 1 % of frequency would be seen


def test_bodies_of_a_vehicle_feel_the_field_where_they_are():
    """Two points on a rod, as two bodies, move as one body of their inertia."""
    apart, masses = 40.0, (3.0, 5.0)
    one, two = ist.Multibody("one"), ist.Multibody("two")
    c = apart * masses[1] / sum(masses)
    J = 1e-3 + masses[0] * c**2 + masses[1] * (apart - c) ** 2
    one.add_body("bus", mass=8.0, com=[c, 0, 0], inertia=[1e-3, J, J], joint=ist.Free())
    two.add_body("bus", mass=3.0, inertia=[5e-4] * 3, joint=ist.Free())
    two.add_body("end", mass=5.0, inertia=[5e-4] * 3, parent="bus", at=[apart, 0, 0], joint=ist.Locked())
    turns = []
    for mb in (one, two):
        system = mb.compile()
        x = system.state()
        x["bus"].position[:], x["bus"].quaternion[:] = (
            [7e6, 1e5, 2e5],
            ist.quaternion.rotate_by([1, 0, 0, 0], [0.1, 0.5, 0.4]),
        )
        made = ist.Assembly("rod", vehicle=system).add("earth", dev.Earth(gravity_gradient=True))
        log = ist.simulate(made, x, until=60, step=1)
        turns.append(log["bus"].quaternion[-1])
    # the difference is third order: (40 m/7,000 km)² of the gradient
    assert np.linalg.norm(turns[0] - ist.quaternion.rotate_by([1, 0, 0, 0], [0.1, 0.5, 0.4])) > 1e-4
    assert turns[1] == pytest.approx(turns[0], abs=2e-8)


def test_a_site_stands_where_it_is_and_moves_with_the_ground():
    system = satellite()
    earth = dev.Earth(site=(28.6, "-80.6 deg", 100.0), heading="90 deg")
    x = system.state()
    made = ist.Assembly("pad", vehicle=system).add("earth", earth)
    v = earth.ground_velocity([0, 0, 0])
    N = R / np.sqrt(1 - 0.00669437999013 * np.sin(np.radians(28.6)) ** 2)
    assert v == pytest.approx([0, 0, 7.292115e-5 * (N + 100) * np.cos(np.radians(28.6))], abs=1e-6)
    x["bus"].velocity[3:] = v
    log = ist.simulate(made, x, until=10, step=0.1)
    assert np.degrees([log["earth.latitude"][0], log["earth.longitude"][0]]) == pytest.approx(
        [28.6, -80.6], abs=1e-9
    )
    assert (
        log["earth.altitude"][0] == pytest.approx(100.0, abs=1e-6)
        and np.abs(log["earth.velocity"][0]).max() < 1e-9
    )
    assert log["earth.up"][0] == pytest.approx([1, 0, 0], abs=1e-12) and log["earth.east"][
        0
    ] == pytest.approx([0, 0, 1], abs=1e-12)
    # what falls beside the pad falls with normal gravity (Somigliana; harmonics above J2 are 1e-5 of it)
    s2 = np.sin(np.radians(28.6)) ** 2
    normal = 9.7803253359 * (1 + 0.00193185265241 * s2) / np.sqrt(1 - 0.00669437999013 * s2) - 3.086e-6 * 100
    fall = np.polyfit(log.t[:30], log["earth.altitude"][:30], 2)[0]
    assert -2 * fall == pytest.approx(normal, rel=3e-5)


def test_places_and_longitudes_turn_with_the_earth():
    system, earth = satellite(), dev.Earth(gravity="central", epoch="2030-06-01T06:00:00")
    x = system.state()
    x["bus"].position[:] = earth.place_above(-35.0, 149.0, "600 km", t=500.0)
    made = ist.Assembly("x", vehicle=system).add("earth", earth)
    log = ist.simulate(made, x, until=501, step=0.5, start=500)
    assert np.degrees([log["earth.latitude"][0], log["earth.longitude"][0]]) == pytest.approx(
        [-35.0, 149.0], abs=1e-9
    )
    assert log["earth.altitude"][0] == pytest.approx(6e5, abs=1e-6)


def test_the_sky_is_that_of_the_calendar():
    # sidereal time at 2000-01-01 12:00 is 18.697374558 h (UT1; UTC is 0.355 s from it, 5 arcsec; equinox of date, 20)
    axes = earth_axes("2000-01-01T12:00:00")
    assert np.degrees(np.arctan2(axes[1, 0], axes[0, 0])) % 360 == pytest.approx(18.697374558 * 15, abs=0.01)
    # the equinox of 2030-03-20 13:52 UTC, seen from the equator of date
    sun = sun_and_moon("2030-03-20T13:52:00", np.zeros(1))[0][0, :3]
    pole = earth_axes("2030-03-20T13:52:00")[:, 2]
    assert np.degrees(np.arcsin(sun @ pole / np.linalg.norm(sun))) == pytest.approx(0.0, abs=0.01)
    # the total eclipse of 2024-04-08, greatest at 18:17 UTC, the axis of the shadow 0.343 radii from the centre
    sun, moon = (found[0, :3] for found in sun_and_moon("2024-04-08T18:17:00", np.zeros(1)))
    along = sun / np.linalg.norm(sun)
    assert np.linalg.norm(moon - (moon @ along) * along) / R == pytest.approx(0.343, abs=0.03)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"gravity": "flat"}, "unknown gravity"),
        ({"site": (128.6, 0)}, "not a latitude and a longitude"),
        ({"site": (28.6,)}, "a site is a latitude and a longitude"),
        ({"epoch": "yesterday"}, "not a date"),
        ({"epoch": "2030-13-41"}, "not a date"),
        ({"mu": -1.0}, "Earth.mu must be above 0.0"),
        ({"site": (0, 0), "heading": "1 m"}, "the units do not fit"),
    ],
)
def test_earths_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        dev.Earth(**arguments)


def test_orbits_take_quantities():
    earth = dev.Earth()
    given = earth.orbit("7000 km", 0.1, "28.5 deg", raan="1 rad", periapsis="10 deg", anomaly="90 deg")
    bare = earth.orbit(7e6, 0.1, np.radians(28.5), 1.0, np.radians(10), np.pi / 2)
    assert np.ravel(given) == pytest.approx(np.ravel(bare), rel=1e-14)
    with pytest.raises(InputError, match=r"the units do not fit \(Earth.orbit, i\)"):
        earth.orbit(7e6, i="3 m")


@pytest.mark.parametrize("site", ["KSC", 5, (28.6,), (28.6, -80.6, 0, 0)])
def test_sites_are_pairs(site):
    with pytest.raises(InputError, match="a site is a latitude and a longitude"):
        dev.Earth(site=site)


def test_open_orbits_are_refused():
    with pytest.raises(InputError, match="not an ellipse"):
        dev.Earth().orbit(a=7e6, e=1.2)


@pytest.mark.parametrize("gradient", [False, True])
def test_every_vehicle_of_an_assembly_feels_the_field_where_it_is(gradient):
    """Two circular orbits keep their radii and rates √(μ/r³); RK4 of 10 s leaves (nh)⁵ per step, below 1e-8."""

    def ball(mass):
        mb = ist.Multibody("ball")
        mb.add_body("bus", mass=mass, inertia=[10, 10, 10], joint=ist.Free())
        return mb.compile()

    earth = dev.Earth("central", gravity_gradient=gradient)
    both = ist.Assembly("two").add("a", ball(50.0)).add("b", ball(80.0)).add("earth", earth)
    both.add("acc", dev.Accelerometer(at="b.bus"), every="100 s")
    x, radii = both.state(), {"a": 7e6, "b": 9e6}
    for name, r in radii.items():
        x[f"{name}.bus"].position[:], x[f"{name}.bus"].v[3:] = earth.orbit(r)
    log = ist.simulate(both, x, until=3000, step="10 s")
    for name, r in radii.items():
        angle = 3000.0 * np.sqrt(float(earth.mu) / r**3)
        expected = r * np.array([np.cos(angle), np.sin(angle), 0.0])
        assert np.abs(log[f"{name}.bus"].position[-1] - expected).max() < 1e-8 * r
    assert np.abs(log["acc.acceleration"]).max() < 1e-9
