"""The demo's vehicle: its deck weighs what it should, its flight is what mechanics says (a small run of the whole)."""

import numpy as np
import pytest

from interstage import FEModel, linearize, read_deck, trim
from interstage.demo import flight as flights
from interstage.demo import heron
from interstage.demo.heron_deck import heron_deck
from interstage.demo.pipeline import STEPS, Settings, run_demo
from interstage.demo.shapes import fe_motions, heron_geometry, mode_names, vehicle_motions
from interstage.demo.vehicle import CORE
from interstage.report.drawings import mac_matrix

MODES, SECONDS = 9, 4.0


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    said = []
    made = run_demo(
        tmp_path_factory.mktemp("demo"),
        lambda done, total, words: said.append((done, total, words)),
        Settings(component_modes=24, shown_modes=MODES, seconds=SECONDS, ascent=2.0),
    )
    assert [words for *_, words in said] == [*STEPS, "done"]
    return made


def test_deck_is_plain_nastran():
    """Fields of eight columns, no line longer than 72, numbers of all elements unique."""
    text = heron_deck()
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120 and all(len(line) <= 72 for line in lines if not line.startswith("$"))
    elements = [
        line[8:16].strip() for line in lines if line.startswith(("CQUAD4", "CBAR", "CTRIA3", "CBEAM"))
    ]
    assert len(elements) == len(set(elements)) > 3000


def test_deck_weighs_what_its_parts_weigh(made):
    """Lumped and propellant masses are exact; frames, stringers and fairing weigh about as much as the core's walls."""
    fe = FEModel.from_deck(read_deck(made.files["deck"]))
    lumped = 4 * heron.ENGINE_MASS + heron.PAYLOAD_MASS
    propellant = sum(mass for *_, mass in heron.PROPELLANT)
    weight = fe.mass_properties()
    dry = weight.mass - lumped - propellant
    walls = sum(
        np.pi * (s.r0 + s.r1) * np.hypot(s.x1 - s.x0, s.r1 - s.r0) * s.thickness * 2700.0 for s in heron.CORE
    )
    assert 1.5 * walls < dry < 3.0 * walls
    assert abs(weight.cg[1]) < 1e-9 and 0.0 < weight.cg[2] < 0.05, (
        "the raceway pulls the centre of mass to +z"
    )
    assert made.component.mass == pytest.approx(weight.mass - lumped, rel=1e-9)
    assert made.system.mass_properties(made.system.state()).mass == pytest.approx(weight.mass, rel=1e-9)


def test_multibody_rings_as_the_finite_elements_do(made):
    """24 fixed-interface modes: bending within 0.1 %, all nine within 1 %, and the shapes are the same."""
    errors = made.frequency_errors(MODES)
    assert np.abs(errors[:4]).max() < 1e-3 and np.abs(errors).max() < 1e-2
    assert np.all(errors > -1e-7), "a reduced basis cannot be softer than the whole model"
    pick = slice(6, 6 + MODES)
    ours = vehicle_motions(made.locked, made.locked_modes.shapes[:, pick], CORE)
    theirs = fe_motions(made.fe, made.fe_modes)[:, :, pick]
    mass = np.repeat(made.fe.M_gg.diagonal()[made.fe.grids.dof], 3)
    mac = mac_matrix(ours[:, :3].reshape(-1, MODES), theirs[:, :3].reshape(-1, MODES), mass)
    assert np.diag(mac).min() > 0.99
    # translations alone: the rotary inertia of payload and engines is what keeps them from being orthogonal
    assert np.abs(mac - np.diag(np.diag(mac))).max() < 0.1
    names = mode_names(heron_geometry(made.fe), ours, mass[::3])
    assert names[:2] == ["first yaw bending", "first pitch bending"] and "first torsion" in names


def test_decorations_move_rigidly_with_their_grids(made):
    geometry = heron_geometry(made.fe)
    motion = np.zeros((geometry.n_grids, 6))
    row = int(np.searchsorted(geometry.ids, heron.GIMBAL_GRIDS[0]))
    motion[row] = [0.1, 0, 0, 0, 0, 1e-3]
    u = geometry.displacement(motion)
    engine = geometry.decorations[0]
    part = u[engine.start : engine.start + len(engine.points)]
    arm = engine.points - geometry.points[row]
    assert part == pytest.approx([0.1, 0, 0] + 1e-3 * np.column_stack([-arm[:, 1], arm[:, 0], 0 * arm[:, 0]]))


def test_trim_is_newtons_law(made):
    """The whole accelerates by thrust over mass, does not turn, and nothing vibrates (relative to 20 m/s²: 1e-8)."""
    vdot, where = made.x0.vdot, made.system.layout[CORE]
    x = made.system.state(made.x0.q, made.x0.v)
    a = made.system.acceleration(x, vdot, CORE)
    assert a[3] == pytest.approx(4 * heron.THRUST / made.weight.mass, rel=1e-4)
    assert np.abs(vdot[where.etadot]).max() < 1e-6 and np.abs(a[:3]).max() < 1e-7
    torque, center = np.zeros(3), made.system.center_of_mass(x)
    for name in heron.ENGINES:
        thrust = heron.THRUST * made.system.rotation(x, name)[:, 0]
        torque += np.cross(made.system.position(x, name) - center, thrust)
    assert np.abs(torque).max() < 1e-8 * heron.THRUST * made.weight.cg[0], (
        "thrust passes through the centre of mass"
    )
    angles = [made.x0[name].q[0] for name in heron.ENGINES]
    assert np.ptp(angles) < 1e-12 and 1e-4 < abs(angles[0]) < 2e-3


def test_thrust_softens_bending(made):
    """Engines locked, under thrust that follows them: the whole finite-element model with geometric stiffness and
    turning loads has 2.4418 and 2.5307 Hz (2.4487 and 2.5374 Hz at rest; 2.556 Hz were found without the stiffness).
    """
    forces = {(name, None, "body"): flights.THRUST for name in heron.ENGINES}
    x0 = trim(made.locked, made.locked.state(), forces=forces)
    poles = np.asarray(linearize(made.locked, x0, inputs=[], outputs=[]).poles())
    hz = np.sort(np.abs(poles[poles.imag > 1.0])) / (2.0 * np.pi)
    np.testing.assert_allclose(hz[:2], [2.4418, 2.5307], rtol=1e-3)
    assert hz[0] < made.locked_modes.frequencies_hz[6]


def test_flight_is_that_of_a_rigid_body_plus_ringing(made):
    """Pitch rate at the end of the first half against I ω̇ = T δ L; afterwards the vehicle points elsewhere, at rest."""
    flight = made.flight
    lever = made.weight.cg[0]
    inertia = made.weight.inertia_about_cg[1, 1]
    impulse = 4 * heron.THRUST * lever * np.sum(np.deg2rad(flight.command_deg[:200])) * flights.LOG
    rate = np.rad2deg(impulse / inertia)
    middle = (flight.t > 1.9) & (flight.t < 2.2)
    mean = 0.5 * (flight.forward_deg_s + flight.aft_deg_s)[middle].max()
    assert mean == pytest.approx(rate, rel=0.12), "bending lets the gyros differ from the rigid body"
    assert abs(flight.forward_deg_s[-50:].mean()) < 0.1 and flight.pitch_deg[-1] > 2.0


def test_linear_model_follows_the_nonlinear_vehicle(made):
    """Pitch rate within 3 % of its peak over the run: angles stay below four degrees."""
    flight = made.flight
    difference = np.abs(flight.linear_deg_s - flight.forward_deg_s).max()
    assert difference < 0.03 * np.abs(flight.forward_deg_s).max()


def test_no_oscillation_grows(made):
    poles = made.lin.poles()
    moving = np.abs(np.asarray(poles)) > 0.1
    assert np.asarray(poles).real[moving].max() < 0.0


def test_files_are_there_and_small(made):
    assert all(path.is_file() for path in made.files.values())
    assert made.files["report"].stat().st_size < 15e6
    html = made.files["report"].read_text()
    for words in (
        "Heron",
        "first pitch bending",
        "Modal assurance",
        "Bodies and joints",
        "engine 4",
        "Wall times",
        "numba",
    ):
        assert words in html
    assert not [p for p in made.folder.iterdir() if p.suffix == ".part"]
