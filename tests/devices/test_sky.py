"""Sun and moon between the rows of their tables, sunlight and thin air on plates, the shadow of the Earth."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.devices.ephemeris import sun_and_moon
from interstage.devices.surface_forces import AU, PRESSURE, SUN_RADIUS, lit_part
from interstage.errors import InputError

R = 6378137.0


def satellite(mass=100.0):
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=mass, inertia=[10, 10, 10], joint=ist.Free())
    return mb.compile()


def said(device, name, **state):
    """Return force and torque of a device on a still satellite."""
    system = satellite()
    x = system.state()
    for key, value in state.items():
        getattr(x["bus"], key)[:] = value
    log = ist.simulate(ist.Assembly("x", vehicle=system).add(name, device), x, until="1 ms", step="1 ms")
    return log[f"{name}.force"][0], log[f"{name}.torque"][0]


def test_tables_of_the_sky_are_pyerfa_between_their_rows():
    made = ist.Assembly("x").add("sky", dev.Ephemeris("2030-01-01T00:00:00", days=3))
    log = ist.simulate(made, None, until=200_000, step=10_000, log_step=10_000)
    sun, moon = sun_and_moon("2030-01-01T00:00:00", log.t)
    assert np.abs(log["sky.moon"] - moon[:, :3]).max() < 20.0  # (ωh)⁴/384 of 4e8 m
    assert np.abs(log["sky.sun"] - sun[:, :3]).max() < 20.0
    assert np.linalg.norm(log["sky.sun"][0]) / AU == pytest.approx(0.9833, abs=2e-4)  # perihelion


def test_the_sky_turns_with_a_site():
    """At local noon of an equinox on the equator the sun stands overhead: x up."""
    earth = dev.Earth(site=(0.0, 0.0), epoch="2030-03-20T12:07:30", gravity="central")
    system = satellite()
    made = (
        ist.Assembly("x", vehicle=system)
        .add("earth", earth)
        .add("sky", dev.Ephemeris("2030-03-20T12:07:30", days=1))
    )
    log = ist.simulate(made, system.state(), until=1, step=1)
    sun = log["sky.sun"][0] / np.linalg.norm(log["sky.sun"][0])
    assert np.degrees(np.arccos(sun[0])) < 0.1  # equation of time -7.5 min, UT1


def test_plates_in_the_light_are_pushed_as_the_closed_form_says():
    sun = {"sun": [AU, 0, 0], "from_center": [0, 0, 1e9]}
    far = np.array([AU, 0, -1e9])
    s, p = far / np.linalg.norm(far), PRESSURE * AU**2 / (far @ far)
    n = np.array([np.cos(0.4), np.sin(0.4), 0])
    c = n @ s
    plate = {"at": "bus", "normals": [n], "areas": [2.0], "centers": [[0, 0, 3.0]], **sun}
    for mirrored, scattered, want in (
        (0.0, 0.0, -p * 2 * c * s),
        (1.0, 0.0, -2 * p * 2 * c * c * n),
        (0.0, 1.0, -p * 2 * c * (s + 2 / 3 * n)),
    ):
        force, torque = said(
            dev.SolarRadiationPressure(mirrored=mirrored, scattered=scattered, **plate), "light"
        )
        assert force == pytest.approx(want, rel=1e-12, abs=1e-20)
        assert torque == pytest.approx(np.cross([0, 0, 3.0], want), rel=1e-12, abs=1e-20)
    dark, _ = said(dev.SolarRadiationPressure(**plate | {"normals": [-n]}), "light")
    assert np.abs(dark).max() == 0.0
    back, _ = said(dev.SolarRadiationPressure(**plate | {"normals": [-n]}, both=1), "light")
    assert back == pytest.approx(-p * 2 * c * s, rel=1e-12, abs=1e-20)


def ball(k=400):
    """Return normals and areas (Fibonacci) of a ball of radius 1 m."""
    i = np.arange(k) + 0.5
    z, turn = 1 - 2 * i / k, np.pi * (1 + np.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z]), np.full(k, 4 * np.pi / k)


def test_a_ball_of_plates_is_a_ball():
    """Black and mirror balls: p π r²; white: p π r² (1 + 4/9)."""
    normals, areas = ball()
    common = {"at": "bus", "normals": normals, "areas": areas, "sun": [AU, 0, 0], "from_center": [0, 1e7, 0]}
    for mirrored, scattered, factor in ((0, 0, 1.0), (1, 0, 1.0), (0, 1, 13 / 9)):
        force, _ = said(dev.SolarRadiationPressure(mirrored=mirrored, scattered=scattered, **common), "light")
        assert force[0] == pytest.approx(-PRESSURE * np.pi * factor, rel=0.02)  # 400 plates


def test_the_shadow_has_the_shape_of_two_disks():
    """Umbra, penumbra, light: by rays from points of the sun's disk that the Earth hides or not."""
    rng = np.random.default_rng(1)
    sun = np.array([AU, 0, 0])
    assert lit_part(np.array([-7e6, 0, 0]), sun, R) == 0.0
    assert (
        lit_part(np.array([7e6, 0, 0]), sun, R) == 1.0 and lit_part(np.array([-7e6, 7e6, 0]), sun, R) == 1.0
    )
    radius, turn = SUN_RADIUS * np.sqrt(rng.uniform(size=200_000)), rng.uniform(0, 2 * np.pi, 200_000)
    points = np.column_stack([np.full(200_000, AU), radius * np.cos(turn), radius * np.sin(turn)])
    # the sun is a ball: its disk as seen is that of its limb, 1 + 1e-5 of its radius
    for x, y in ((-7e6, R - 20e3), (-7e6, R), (-7e6, R + 15e3), (-4.2e7, R - 100e3), (-4.2e7, R + 120e3)):
        r = np.array([x, y, 0.0])
        ray = points - r
        s = -(ray @ r) / np.sum(ray * ray, axis=1)
        nearest = np.linalg.norm(r + np.clip(s, 0, 1)[:, None] * ray, axis=1)
        # disks in a plane: 1e-3 for a shadow as wide as this; rays: 1/√n
        assert lit_part(r, sun, R) == pytest.approx(np.mean(nearest > R), abs=6e-3)
    # far out the Earth is smaller than the sun: a ring is left
    assert lit_part(np.array([-2e9, 0, 0]), sun, R) == pytest.approx(
        1 - (R / 2e9) ** 2 / (SUN_RADIUS / (AU + 2e9)) ** 2, rel=1e-5
    )  # tangents are not angles


def test_thin_air_drags_plates_as_the_closed_form_says():
    n = np.array([np.cos(0.3), 0, np.sin(0.3)])
    v = np.array([100.0, 20.0, 0])
    device = dev.FreeMolecularDrag(
        at="bus",
        normals=[n, -n],
        areas=[2.0, 5.0],
        centers=[[1, 0, 0], [0, 0, 0]],
        density=1e-3,
        coefficient=2.1,
        air=[0, 20.0, 0],
    )
    force, torque = said(device, "drag", velocity=[0, 0, 0, *v])
    want = -0.5e-3 * 2.1 * 2.0 * 100.0 * np.cos(0.3) * np.array([100.0, 0, 0])
    assert force == pytest.approx(want, rel=1e-12, abs=1e-15) and torque == pytest.approx(
        np.cross([1, 0, 0], want), abs=1e-12
    )


def test_drag_lowers_an_orbit():
    """ȧ = -ρ (Cd A/m) √(μ a) of a circular orbit, a ball in air that does not turn."""
    earth, system = dev.Earth(gravity="central"), satellite(50.0)
    position, velocity = earth.orbit(a=6.7e6)
    x = system.state()
    x["bus"].position[:], x["bus"].velocity[3:] = position, velocity
    normals, areas = ball(100)
    rho = 1e-9
    made = ist.Assembly("x", vehicle=system).add("earth", earth)
    made.add(
        "drag",
        dev.FreeMolecularDrag(
            at="bus", normals=normals, areas=areas, density=rho, coefficient=2.0, air=[0, 0, 0]
        ),
    )
    log = ist.simulate(made, x, until=5400, step=5, log_step=300)
    r, v = log["earth.position"], log["earth.velocity"] + log["earth.ground"]
    a = 1 / (2 / np.linalg.norm(r, axis=1) - np.sum(v * v, axis=1) / 3.986004418e14)
    # the mean of (n·v̂)⁺ over a ball makes A = π r², 2 % with 100 plates
    assert np.polyfit(log.t, a, 1)[0] == pytest.approx(
        -rho * 2.0 * np.pi / 50.0 * np.sqrt(3.986004418e14 * 6.7e6), rel=0.03
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dev.Ephemeris("2030-01-01", days=-1), "days must be between"),
        (lambda: dev.Ephemeris("soon"), "not a date"),
        (lambda: dev.SolarRadiationPressure(at="bus", areas=[1.0]), "SolarRadiationPressure needs normals="),
        (lambda: dev.SolarRadiationPressure(at="bus", normals=[[0, 0, 0]], areas=[1.0]), "has no normal"),
        (
            lambda: dev.SolarRadiationPressure(
                at="bus", normals=[[1, 0, 0]], areas=[1.0], mirrored=0.7, scattered=0.7
            ),
            "more light than",
        ),
        (
            lambda: dev.FreeMolecularDrag(at="bus", normals=[[1, 0, 0]], areas=[-1.0]),
            "FreeMolecularDrag.areas must be above 0.0",
        ),
        (
            lambda: dev.FreeMolecularDrag(at="bus", normals=[[1, 0, 0]], areas=[1.0, 2.0]),
            "the size does not fit",
        ),
    ],
)
def test_skies_and_plates_that_cannot_be_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
