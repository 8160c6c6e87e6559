"""The ascent with everything on: linear models, design, margins, and the first seconds of the flight."""

import numpy as np
import pytest

from interstage.demo import ascent_control as control
from interstage.demo import ascent_flight as ascents
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_points as points
from interstage.demo import ascent_vehicle as av
from interstage.demo.ascent_control import AscentSoftware
from interstage.simulation import Assembly, quaternion
from interstage.simulation.plant.compiled_schedule import Tapes
from interstage.simulation.plant.plan import planned
from validation.heron_runs import by_hand

AT = 3.0  # s, of the comparison


@pytest.fixture(scope="module")
def flown():
    """The first seconds without turbulence: flight, log, and its end."""
    one = ascents.ascent(seed=None)
    return one, one.fly(until=AT)


def test_a_flight_flown_again_is_the_same(flown):
    """Software forgets the flight before: what it integrated, its filters, its tilt."""
    one, log = flown
    again = one.fly(until=0.2)
    for name in ("fsw.error", "fsw.demand", "tvc1.angle"):
        np.testing.assert_array_equal(again[name], log[name][: len(again[name])])


def test_the_compiled_software_says_what_that_in_python_says():
    """At any time, in any attitude, through the end of the first stage: the same commands from the same memory."""
    plan, rng = ascents.plan(), np.random.default_rng(3)
    law, computer = AscentSoftware(plan), control.AscentComputer.of(plan)
    tapes = Tapes(planned(Assembly("software").add("fsw", computer, every=ap.FRAME)))
    seen = tapes.view(tapes.plan.parts[0])
    for t in np.arange(0.0, 300.0, 2.5):
        at = rng.normal(size=4)
        attitude = quaternion.rotate_by(at / np.linalg.norm(at), 0.02 * rng.normal(size=3))
        vectors = {
            name: rng.normal(size=3) for name in ("rate", "position", "velocity", "turning", "place", "speed")
        }
        given = {"attitude": attitude, "commanded": at / np.linalg.norm(at), **vectors, "level": 0.9}
        given["feeds"] = float(t < 150.0)
        for name, value in given.items():
            tapes.array(f"fsw.{name}")[...] = value
        said = law(float(t), **{name: np.asarray(value)[()] for name, value in given.items()})
        computer.functions["sample"](seen, float(t))
        for name, value in said.items():
            scale = 1e-9 + np.abs(value).max()
            np.testing.assert_allclose(tapes.array(f"fsw.{name}"), value, rtol=0.0, atol=1e-12 * scale)


def test_vehicle_weighs_what_the_programme_says():
    mass, legs = points.legs()
    v = av.heron_stages()
    structure = sum(s.mass + sum(float(t.masses[-1]) for t in s.tanks.values()) for s in v.stages.values())
    engines = 4 * av.heron.ENGINE_MASS + av.NOZZLE2["mass"]
    assert structure + engines == pytest.approx(mass, rel=1e-7)  # cards have seven digits
    assert sum(leg.duration for leg in legs) == pytest.approx(points.UNTIL)


def test_bending_of_the_stick_is_that_of_the_shells():
    """Of the deck of shells, whose raceway parts the planes: 2.449 and 2.537 Hz, 6.428 and 6.588 Hz."""
    hz = av.heron_stages().modes({"fuel": 47e3, "lox": 103e3, "upper": 9e3}, n_modes=4).frequencies_hz
    np.testing.assert_allclose(hz[:2], 2.493, rtol=0.01)
    np.testing.assert_allclose(
        hz[2:], 6.508, rtol=0.05
    )  # its engines hang on gimbals, and are not in these modes


def test_margins_hold_where_the_flight_begins_and_ends():
    _, _, at = ascents.thought()
    plan = ascents.plan()
    for one in (at[0], at[-1]):
        found = control.margins_of(one, plan.upper if one.upper else plan.first)
        assert all(each.holds for each in found), found


def test_margins_are_finer_than_the_frequencies():
    """L = k e^(-sT)/s: 90° - kT where it is one, 20 log(π/2kT) at -180°; a frequency apart is 0.06° and 0.02 dB."""
    hz, k, T = np.geomspace(0.01, 25.0, 3000), 1.0, 0.4
    s = 2j * np.pi * hz
    found = control.margins_from(hz, k / s * np.exp(-s * T), 0.0, "pitch", 3.0)
    assert found.phase == pytest.approx(90.0 - np.degrees(k * T), abs=1e-4)
    assert found.gain == pytest.approx(20.0 * np.log10(np.pi / (2.0 * k * T)), abs=1e-4)


def test_a_design_for_a_rigid_vehicle_is_unstable_in_bending():
    _, _, at = ascents.thought()
    for filtered, stable in ((True, True), (False, False)):
        schedule = ascents.plan(filtered).first
        z = np.asarray(control.closed_loop(at[2], schedule).poles())
        bending = z[np.abs(np.angle(z)) > 2 * np.pi * 1.5 * ap.FRAME]  # above 1.5 Hz
        assert bool(np.abs(bending).max() < 1.0) is stable


def test_law_model_is_that_of_the_software():
    """Attitude law, integral and filters of the software, sample by sample, beside their matrices."""
    plan, t, rng = ascents.plan(), 55.0, np.random.default_rng(1)
    law, model = AscentSoftware(plan), control.law_model(plan.first, t)
    seen = rng.standard_normal((50, 6))
    said = np.array([law.control(t, row[:3], row[3:], True)[0] for row in seen])
    np.testing.assert_allclose(said, -model.time_response(seen), rtol=1e-10, atol=1e-12)


def test_allocation_is_that_of_the_rigid_vehicle():
    """Gimbals for an angular acceleration give it, by torques and inertia of the rigid vehicle, within 2 %: bending."""
    for one in ascents.thought()[2]:
        if not one.upper:
            given = by_hand(one.t) @ np.linalg.pinv(one.effect)
            np.testing.assert_allclose(given, np.eye(3), atol=0.02)


def test_first_seconds_follow_the_programme(flown):
    one, log = flown
    assert np.degrees(np.abs(log["fsw.error"])).max() < 0.1
    assert np.degrees(np.abs(log["tvc1.angle"])).max() < 0.2
    went = log["gps.position"][-1] - log["gps.position"][0]
    reference = one.plan.reference
    wanted = [np.interp(AT, reference.t, reference[name]) - reference[name][0] for name in "xyz"]
    assert np.abs(went - wanted).max() < 25.0  # the receiver has 3 m of noise and 5 m of drift
    burnt = log.propellant["fuel"][0] - log.propellant["fuel"][-1]
    assert burnt == pytest.approx(AT * 4 * ap.THRUST / ap.EXHAUST * ap.NOMINAL * av.FEEDS["fuel"], rel=5e-3)
