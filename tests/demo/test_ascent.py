"""The ascent: margins against closed forms, and the first seconds of a flight of a stick with Heron's gimbals."""

import numpy as np
import pytest
from ascent_stick import stick

import interstage as ist
from interstage.demo import ascent, heron
from interstage.demo.ascent import frequencies, margins_of
from interstage.demo.ascent_vehicle import STATIONS, row_of_elements, wanted

F = frequencies(1e-3, 20.0, [5.0], 6000)
S = 2j * np.pi * F


@pytest.fixture(scope="module")
def ready() -> ascent.Ascent:
    return ascent.prepare(stick())


def test_margins_of_an_integrator_with_a_delay():
    """L = k e^(-sT)/s: one at k/2π Hz with 90° - kT, -180° at 1/4T Hz with 20 log(π/2kT)."""
    k, T = 1.0, 0.4
    found = margins_of(F, k / S * np.exp(-S * T), 3.0)
    assert found.phase_deg == pytest.approx(90.0 - np.degrees(k * T), abs=0.01)
    assert found.phase_hz == pytest.approx(k / (2 * np.pi), rel=1e-3)
    assert found.gain_db == pytest.approx(20.0 * np.log10(np.pi / (2 * k * T)), abs=0.01)
    assert found.gain_hz == pytest.approx(0.25 / T, rel=1e-3)
    assert found.less_db == np.inf and found.bending_deg == np.inf and found.holds


def test_margins_downwards_of_a_loop_that_needs_its_gain():
    """L = k (s + a)²/s³ is at -180° where tan⁻¹(ω/a) = 45°: ω = a, L = -2k/a."""
    k, a = 3.0, 0.5
    found = margins_of(F, k * (S + a) ** 2 / S**3, 3.0)
    assert found.less_db == pytest.approx(20.0 * np.log10(2 * k / a), abs=0.01)


def test_bending_is_held_by_gain_or_by_phase():
    """A mode of peak g/2ζ beside an integrator: below one it is held by gain, above by its phase, if that is well."""
    w, zeta = 2 * np.pi * 5.0, 0.005
    for gain, held in ((2e-3, True), (2e-2, True), (-2e-2, False)):
        mode = gain * S * w / (S**2 + 2 * zeta * w * S + w**2)
        found = margins_of(F, 0.3 / S * np.exp(-0.02 * S) + mode, 2.0)
        assert found.bending_hz == pytest.approx(5.0, rel=0.01)
        assert found.bending_db == pytest.approx(-20.0 * np.log10(abs(gain) / (2 * zeta)), abs=0.5)
        assert found.holds == held
        assert (found.bending_deg == np.inf) == (abs(gain) < 2 * zeta)


def test_stations_are_rows_of_the_deck():
    from interstage.demo.heron_deck import heron_deck

    lines = {
        line[8:16].strip(): line for line in heron_deck().splitlines() if line.startswith(("CQUAD4", "CBAR"))
    }
    rows = {name: what for name, what in wanted().items() if "wall" in name}
    assert len(rows) == len(STATIONS) * heron.AROUND
    assert all(lines[str(what[1])].startswith("CQUAD4") and what[2] == "my" for what in rows.values())
    assert row_of_elements(0.1) == 0 and row_of_elements(3.1) == 6
    for name, what in wanted().items():
        if name.endswith("raceway"):
            assert lines[str(what[2])].startswith("CBAR")


def test_the_design_turns_the_vehicle_as_its_masses_say(ready):
    """Angular acceleration a radian: T r/I with r from the gimbals to the centre of mass, I of the whole vehicle."""
    system = ready.system
    whole = system.mass_properties(system.state())
    c = whole.com
    pitch = heron.THRUST * c[0] / whole.inertia[1, 1]
    E = ready.design.effectiveness
    # the engine's own swing and bending under thrust are the rest
    np.testing.assert_allclose(E[1, ::2], pitch, rtol=0.1)
    assert np.abs(E[1, 1::2]).max() < 0.01 * pitch
    assert np.linalg.matrix_rank(E) == 3
    rigid = ready.design.rigid
    push = len(heron.ENGINES) * heron.THRUST / whole.mass
    row = rigid.states.index("gps.velocity[2]")
    assert rigid.A[row, 1] == pytest.approx(-push, rel=1e-3)


def test_the_first_seconds_follow_the_reference(ready):
    log = ready.fly(until=6.0)
    system, last = ready.system, log.state()
    gap = system.mass_properties(last).com - log["guidance.position"][-1]
    assert np.linalg.norm(gap) < 0.5
    error = ist.attitude_error(log["imu.attitude"][-1], log["guidance.attitude"][-1])
    assert np.degrees(np.abs(error).max()) < 0.2
    angles = np.hstack([log[f"pod{k}.tvc.angle"] for k in range(1, 5)])
    assert np.degrees(np.abs(angles).max()) < 3.0
    push = len(heron.ENGINES) * heron.THRUST / system.mass_properties(last).mass - 9.79
    assert log["earth.altitude"][-1] == pytest.approx(29.5 + 0.5 * push * 36.0, rel=2e-3)
