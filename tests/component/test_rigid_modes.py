"""Rigid modes are told from flexible ones by geometry and strain energy, whatever units, place and mesh."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage.component import Component
from interstage.component.rigid_body_modes import rigid_motions, split
from interstage.errors import InputError, ModelError
from interstage.nastran import deck_from_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import _eigen_models as models

# length, Young's modulus and density of aluminium in three systems of units
UNITS = {
    "kg-m": (1.0, "7.+10", "2700."),
    "t-mm": (1000.0, "70000.", "2.7-9"),
    "slinch-in": (1 / 0.0254, "1.015E7", "2.526E-4"),
}


def plate(units: str = "kg-m", offset=(0.0, 0.0, 0.0), coupled: int = -1, **options) -> str:
    """The free plate of the benchmarks in other units, moved."""
    length, E, rho = UNITS[units]
    out = []
    for line in models.plate(13, 11, **options).splitlines():
        f = line.split(",")
        if f[0] == "GRID" and len(f) > 5:
            f[3:6] = [f"{float(x) * length + o * length:.9f}" for x, o in zip(f[3:6], offset)]
        elif f[0] == "MAT1":
            f[2], f[5] = E, rho
        elif f[0] == "PSHELL":
            f[3] = f"{0.006 * length:.6f}"
        out.append(",".join(f))
    return "\n".join(out).replace("COUPMASS,-1", f"COUPMASS,{coupled}") + "\n"


@pytest.mark.parametrize("coupled", [-1, 1])
@pytest.mark.parametrize("units", list(UNITS))
@pytest.mark.parametrize("aset", [{}, {1: 123456}, {1: 123456, 143: 123}])
def test_six_rigid_modes_in_all_units(units, coupled, aset):
    c = Component.from_deck(deck_from_text(plate(units, coupled=coupled)), 8, aset=aset)
    assert c.n_rigid == 6
    assert c.frequencies_hz[0] == pytest.approx(21.6, rel=0.02)


@pytest.mark.parametrize("far", [1e3, 1e5])
def test_body_far_from_its_reference_point(far):
    c = Component.from_deck(deck_from_text(plate(offset=(far, 2 * far, -far / 2))), 6, aset={1: 123456})
    assert c.n_rigid == 6 and c.frequencies_hz[0] > 20.0


@pytest.mark.parametrize("aset", [None, {1: 123456}])
def test_spacecraft_of_shells_on_a_corner_and_on_suport(aset):
    text = models.spacecraft(8, extra=("SUPORT,1,123456",))
    c = Component.from_deck(deck_from_text(text), 12, aset=aset)
    assert c.aset == {1: 123456}
    assert c.n_rigid == 6 and c.frequencies_hz[0] > 0.1
    mb = ist.Multibody()
    mb.add_body("craft", component=c)
    assert mb.compile().body_frequencies_hz("craft")[0] > 0.1


@pytest.mark.parametrize("mount", [5e-2, 1.0])
def test_soft_mount_is_no_rigid_mode(mount):
    # four corners, a spring each in T1 to T3: the translations have f = √(4k/m) / 2π; held by nothing else
    c = Component.from_deck(deck_from_text(plate(mount=mount)), 8, aset={})
    assert c.n_rigid == 0
    mass = 0.9 * 0.006 * 2700.0
    assert c.frequencies_hz[0] == pytest.approx(np.sqrt(4 * mount / mass) / (2 * np.pi), rel=1e-3)
    held = Component.from_deck(deck_from_text(plate(mount=mount)), 8, aset={1: 123456})
    assert held.n_rigid == 0 and held.frequencies_hz[0] == pytest.approx(c.frequencies_hz[0], rel=1e-2)


def test_motions_that_stay_free_are_counted():
    # springs across the plate alone leave two translations and the turn about its normal
    springs = [
        line
        for line in plate(mount=100.0).splitlines()
        if not line.startswith("CELAS2") or line.endswith(",3")
    ]
    c = Component.from_deck(deck_from_text("\n".join(springs) + "\n"), 8, aset={})
    assert c.n_rigid == 3 and c.frequencies_hz[0] > 0.3


def hinged(pins: str = "") -> str:
    """Two free beams in a row along x; `pins` releases rotations where they meet."""
    bars = [f"CBAR,{i},1,{i},{i + 1},0.,0.,1." + (f"\n,,{pins}" if i == 4 else "") for i in range(1, 9)]
    return "\n".join(
        ["SOL 103", "CEND", "METHOD = 1", "BEGIN BULK", "EIGRL,1,,,12", "PARAM,COUPMASS,1"]
        + [f"GRID,{i},,{0.25 * (i - 1)},0.,0." for i in range(1, 10)]
        + bars
        + ["PBAR,1,1,1.-3,2.-7,3.-7,4.-7", "MAT1,1,7.+10,,.3,2700.", "ENDDATA", ""]
    )


def test_mechanism_is_taken_out_with_the_rigid_modes():
    whole = Component.from_deck(deck_from_text(hinged()), 6, aset={})
    assert whole.n_rigid == 5  # a bar has no inertia about its own axis
    c = Component.from_deck(deck_from_text(hinged("5")), 6, aset={})
    assert c.n_rigid == 6
    assert any("very soft mode" in note for note in c.notes)
    assert c.frequencies_hz[0] > 1.0


def test_threshold_is_named_and_does_what_it_says():
    text = plate(mount=1.0)
    c = Component.from_deck(deck_from_text(text), 8, aset={}, rigid_threshold_hz=0.5)
    assert c.n_rigid == 6
    assert any("threshold 0.5 Hz: rigid_threshold_hz, --rigid-threshold" in note for note in c.notes)
    assert c.provenance["option_rigid_threshold_hz"] == "0.5"
    with pytest.raises(InputError, match="threshold"):
        Component.from_deck(deck_from_text(text), 8, aset={}, rigid_threshold_hz=-1.0)


def test_lonely_low_mode_is_mentioned():
    one = [
        line
        for line in plate(mount=1e-3).splitlines()
        if not line.startswith("CELAS2") or line.endswith(",1,3")
    ]
    c = Component.from_deck(deck_from_text("\n".join(one) + "\n"), 8, aset={}, rigid_threshold_hz=1e-9)
    assert any("far below the next" in note and "rigid_threshold_hz" in note for note in c.notes)


def test_negative_stiffness_is_an_error_with_advice():
    text = plate().replace("ENDDATA", "CELAS2,95001,-50.,1,3\nENDDATA")
    with pytest.raises(ModelError, match=r"negative stiffness.*rigid_threshold_hz"):
        Component.from_deck(deck_from_text(text), 8, aset={})


def test_soft_mode_mixed_with_rigid_ones_is_parted():
    # two unit masses, a spring so soft that rounding mixes its mode with the rigid one
    K, M = 1e-17 * np.array([[1.0, -1.0], [-1.0, 1.0]]) + 0.0, np.eye(2)
    turned = np.array([[0.8, 0.6], [0.6, -0.8]])
    motions = rigid_motions(K, M, np.ones((2, 1)))
    assert np.allclose(np.abs(motions), np.sqrt(0.5))
    hz, X, out, _ = split(np.zeros(2), turned, K, M, motions, 0.0)
    assert out.tolist() == [True, False]
    assert np.allclose(np.abs(X), np.sqrt(0.5))
    assert hz[1] == pytest.approx(np.sqrt(2e-17) / (2 * np.pi))


def test_rigid_mode_of_a_foreign_file_gets_advice_that_helps():
    """A component with a translation among its modes cannot be held; the error says which mode and what to do."""
    c = Component.from_deck(deck_from_text(plate()), 4, aset={})
    n = c.n_modes + 1
    gamma, lam = np.zeros((c.n_nodes, 3, n)), np.zeros((c.n_nodes, 3, n))
    gamma[:, :, 1:], lam[:, :, 1:] = c.gamma, c.lam
    gamma[:, 0, 0] = 1.0 / np.sqrt(c.mass)
    E, F0, G0 = np.zeros((3, n)), np.zeros((3, n)), np.eye(n)
    E[:, 1:], F0[:, 1:], E[0, 0] = c.E, c.F0, np.sqrt(c.mass)
    F0[:, 0] = np.sqrt(c.mass) * np.cross(c.com, [1.0, 0.0, 0.0])
    spoilt = c.without_integrals().with_changes(
        gamma=gamma, lam=lam, E=E, F0=F0, G0=G0, frequencies_hz=np.append(2e-4, c.frequencies_hz),
        damping_ratio=np.zeros(n), residual_vector=np.zeros(n, dtype=bool),
        pm_E=None, geometric_stiffness=None,
    )  # fmt: skip
    mb = ist.Multibody()
    mb.add_body("panel", component=spoilt, node=1, order=0, check=False)
    with pytest.raises(ModelError, match=r"0\.0002 Hz looks like a rigid mode.*rigid_threshold_hz"):
        mb.compile()


def test_plate_on_one_rigid_element_has_no_mechanism():
    """Stiffness that cancels inside a rigid element rounds away a rigid motion's rest; it is no mechanism."""
    deck = """SOL 103
CEND
METHOD=1
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
EIGRL,1,,,10
GRID,100,,.5,.5,0.
CQUAD4,1,1,1,2,3,4
RBE2,2,100,123456,1,2,3,4
GRID,101,,.5,3.,0.
GRID,102,,.5,6.,0.
CBAR,3,3,100,101,1.,0.,0.
CBAR,4,3,101,102,1.,0.,0.
PBARL,3,1,,TUBE
,.03,.027
CONM2,5,102,,5.,0.,0.,0.
,1.,,1.,,,1.
PSHELL,1,1,.01,1,,1
MAT1,1,7.+10,,.33,2700.
ENDDATA
"""
    c = Component.from_deck(deck_from_text(deck), n_modes=4)
    assert any(note.startswith("6 rigid modes removed") for note in c.notes)
    assert not any("mechanism" in note for note in c.notes)


def test_a_motion_without_inertia_is_named():
    """Bars along a line have no inertia in roll once the lumped bodies at their ends are separated."""
    grids = [f"GRID,{k + 1},,{1.5 * k},0.,0." for k in range(9)]
    bars = [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 9)]
    lumps = ["CONM2,100,1,,200.,-.5,0.,0.\n,20.,,40.,,,40.", "CONM2,101,9,,300.\n,50.,,60.,,,60."]
    cards = ["MAT1,1,7.+10,,.33,2700.", "PBAR,1,1,.02,4.-3,4.-3,8.-3", *grids, *bars, *lumps]
    deck = deck_from_text("\n".join(["SOL 103", "CEND", "BEGIN BULK", *cards, "ENDDATA"]))
    with pytest.raises(ModelError, match=r"component 4.*no inertia, as the roll of bars.*CONM2"):
        Component.from_deck(deck, n_modes=8, separate_lumped=True, rvdof={1: 123456, 9: 123456})


def stick(units: str, turned: tuple[int, ...]) -> str:
    """Six bars along x with lumped masses on their axis; some grids have axes of their own."""
    length, E, rho = UNITS[units]
    axes = f"{0.3 * length},{-0.2 * length},{length}\n,{length},{0.4 * length},0."
    lines = [f"CORD2R,5,,0.,0.,0.,{axes}"]
    for k in range(7):
        lines.append(f"GRID,{k + 1},,{0.5 * k * length},0.,0.,{5 if k + 1 in turned else ''}")
    area, inertia = 2e-3 * length**2, 2e-6 * length**4
    lines.append(f"MAT1,1,{E},,.3,{rho}\nPBAR,1,1,{area:.5e},{inertia:.5e},{inertia:.5e},{inertia:.5e}")
    return "\n".join(lines + [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 7)])


@pytest.mark.parametrize("units", list(UNITS))
def test_a_roll_without_inertia_is_rigid(units):
    """A stick rolls with the small inertia that its interface is given: rigid, whatever axes its grids are told in.

    Frequencies do not depend on these axes; what is compared is rounding beside the highest mode, 1e5 Hz.
    """
    found = []
    for turned in ((), (4, 7), (2, 3, 6)):
        c = Component.from_deck(deck_from_text(stick(units, turned)), 60, aset={1: 123456})
        assert c.n_rigid == 6
        found.append(c.frequencies_hz)
        mb = ist.Multibody("stick")
        mb.add_body("stick", component=c, node=1, joint=ist.Revolute("y"))
        assert mb.compile().nv == 1 + len(c.frequencies_hz)
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-6)
