"""Aerodynamic forces in closed form: a vane, a terminal velocity, trim, bending under distributed loads."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import interstage as ist
from examples.pitch_autopilot import stage_deck
from interstage import devices as dev
from interstage.errors import InterstageError
from interstage.nastran import deck_from_text

ANGLE = np.linspace(0.0, np.pi, 37)
MACH = np.array([0.0, 0.5, 1.0, 2.0])
RHO, SOUND = 1.2, 340.0


def coefficients(axial=0.4, slope=3.0):
    """Return CA = axial cos α, CN = slope α (so that tables are exact) at every Mach number."""
    one = np.ones((len(MACH), 1))
    drag, lift = axial * one * np.cos(ANGLE), slope * one * ANGLE
    return {"mach": MACH, "angle": ANGLE, "axial": drag, "normal": lift, "area": 0.5}


def vane(wind, stiffness=0.0):
    """Return a vane on a hinge about z at the origin, its place of force 2 m behind, in a wind along -x."""
    mb = ist.Multibody("vane")
    mb.add_body(
        "vane",
        mass=3.0,
        com=[-1.0, 0, 0],
        inertia=[0.1, 2.0, 2.0],
        joint=ist.Revolute("z", stiffness=stiffness),
    )
    system = mb.compile()
    made = ist.Assembly("wind", vehicle=system)
    made.add(
        "aero",
        dev.Aero(
            coefficients(), body="vane", nodes=[[-2.0, 0, 0]], density=RHO, sound=SOUND, air=[-wind, 0, 0]
        ),
    )
    return made, system


def test_a_vane_swings_at_its_frequency_and_is_damped_by_the_air():
    """J ω² = q S CNα l; the tail's own speed changes its angle: damping q S CNα l²/V, and none by the axial force."""
    wind, l, J = 30.0, 2.0, 2.0 + 3.0
    made, system = vane(wind)
    lin = ist.linearize(made, system.state())
    q = 0.5 * RHO * wind**2
    K, C = q * 0.5 * 3.0 * l, q * 0.5 * (3.0 + 0.4) * l * l / wind - q * 0.5 * 0.4 * l * l / wind
    assert pytest.approx(np.array([[0, 1], [-K / J, -C / J]]), rel=1e-9) == lin.A


def test_trim_is_where_spring_and_air_agree():
    """k θ0 = moments: a spring that wants 0 about x holds against the wind from 20° to the side."""
    mb = ist.Multibody("vane")
    mb.add_body(
        "vane", mass=3.0, com=[-1.0, 0, 0], inertia=[0.1, 2.0, 2.0], joint=ist.Revolute("z", stiffness=200.0)
    )
    system = mb.compile()
    wind, side, l = 30.0, np.radians(20.0), 2.0
    air = [-wind * np.cos(side), -wind * np.sin(side), 0.0]
    made = ist.Assembly("wind", vehicle=system)
    made.add(
        "aero", dev.Aero(coefficients(), body="vane", nodes=[[-2.0, 0, 0]], density=RHO, sound=SOUND, air=air)
    )
    x = ist.trim(made, system.state())
    theta = x["vane"].q[0]
    lift = 0.5 * RHO * wind**2 * 0.5 * 3.0 * l
    assert theta == pytest.approx(lift * side / (200.0 + lift), rel=1e-9)


def test_terminal_velocity():
    mb = ist.Multibody("dart", gravity=[-9.80665, 0, 0])
    mb.add_body("dart", mass=40.0, com=[0, 0, 0], inertia=[1, 9, 9], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["dart"].quaternion[:] = [0, 0, 1, 0]  # nose down
    x["dart"].velocity[3] = 60.0
    made = ist.Assembly("fall", vehicle=system)
    made.add("aero", dev.Aero(coefficients(), body="dart", nodes=[[0, 0, 0]], density=RHO, sound=SOUND))
    log = ist.simulate(made, x, until=60, step="20 ms")
    assert log["aero.air_speed"][-1] == pytest.approx(
        np.sqrt(2 * 40.0 * 9.80665 / (RHO * 0.5 * 0.4)), rel=1e-6
    )
    assert log["aero.mach"][-1] == pytest.approx(log["aero.air_speed"][-1] / SOUND)


def test_tables_are_smooth_in_both_directions():
    """Values at the points, one slope on both sides of a border of cells."""
    from interstage.devices.aero import look_up_both, table_of
    from interstage.devices.tables import place_in

    rng = np.random.default_rng(2)
    x, y, values = np.array([0.0, 1.0, 3.0, 4.0]), np.array([0.0, 0.5, 2.0]), rng.normal(size=(4, 3, 2))
    table = table_of(x, y, values)

    def f(a, b):
        return look_up_both(x, y, table, 1, (place_in(x, a), place_in(y, b)))

    for i in range(4):
        for j in range(3):
            assert f(x[i], y[j]) == pytest.approx(values[i, j, 1], abs=1e-14)
    h = 1e-30j
    for a, b, da, db in ((1.0, 0.3, 1, 0), (3.0, 1.7, 1, 0), (0.4, 0.5, 0, 1), (3.6, 0.5, 0, 1)):
        below, above = (f(a + s * da + h * da, b + s * db + h * db).imag / 1e-30 for s in (-1e-9, 1e-9))
        assert above == pytest.approx(below, abs=1e-7)


def test_forces_at_nodes_bend_the_structure():
    """A free beam in a steady side wind moves and bends as it does under the same forces at its nodes."""
    stage = ist.Component.from_deck(
        deck_from_text(stage_deck()), n_modes=8, aset={}, damping=0.01, name="stage"
    )
    mb = ist.Multibody("stage")
    mb.add_body("stage", component=stage, joint=ist.Free())
    system = mb.compile()
    nodes, share = (3, 11, 19), np.array([0.2, 0.3, 0.5])
    x = system.state()
    x["stage"].velocity[3:] = [200.0, 10.0, 0.0]
    made = ist.Assembly("ascent", vehicle=system)
    made.add(
        "aero", dev.Aero(coefficients(), body="stage", nodes=nodes, shares=share, density=RHO, sound=SOUND)
    )
    log = ist.simulate(made, x, until="1 ms", step="1 ms", keep=["aero.force"])
    force = log["aero.force"][0].reshape(-1, 3)
    V = np.hypot(200.0, 10.0)
    q = 0.5 * RHO * V * V * 0.5
    cos = 200.0 / V
    want = -q * share[:, None] * np.array([0.4 * cos, 3.0 * np.arctan2(10.0, 200.0), 0.0])
    assert force == pytest.approx(want, rel=5e-4, abs=1e-9)  # the cosine is that of a table
    same = {("stage", node): [0, 0, 0, *f] for node, f in zip(nodes, force)}
    plain = ist.simulate(system, x, until=1e-3, step=1e-3, forces=same)
    moved, wanted = log["stage"].etadot[-1], plain["stage"].etadot[-1]
    assert np.abs(wanted).max() > 1e-3 and moved == pytest.approx(
        wanted, rel=5e-3, abs=1e-7
    )  # forces change in 1 ms


def test_files_hold_coefficients(tmp_path):
    with h5py.File(tmp_path / "aero.h5", "w") as f:
        for name, value in coefficients().items():
            f[name] = value
    device = dev.Aero(tmp_path / "aero.h5", body="core", nodes=(4, 10))
    assert device.area == 0.5 and device.shape_of("axial") == (4 * 4 * 37, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"area": -1.0}, "Aero.area must be above 0.0"),
        ({"mach": [0.0, 1.0]}, "the table 'axial' does not fit"),
        ({"mach": [0.0, 1.0, 0.5, 2.0]}, "must be increasing"),
        ({"angle": ANGLE + 0.1}, "angles from 0"),
        ({"normal": np.ones((4, 37))}, "not zero at zero angle"),
        ({"axial": None}, "have no 'axial'"),
    ],
)
def test_coefficients_that_cannot_be_are_refused(change, words):
    table = {name: value for name, value in (coefficients() | change).items() if value is not None}
    with pytest.raises(InterstageError, match=words):
        dev.Aero(table, body="core", nodes=(1,))


def test_aero_needs_places():
    with pytest.raises(InterstageError, match="needs body= and nodes="):
        dev.Aero(coefficients())
