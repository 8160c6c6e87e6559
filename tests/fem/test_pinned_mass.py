"""Pin flags with coupled mass: the mass of a released end follows its motion."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.fem import FEModel, normal_modes
from interstage.nastran import deck_from_text


def jointed(pinned: bool, elements: int = 4, coupled: int = 1, kind: str = "CBAR") -> FEModel:
    """Beam held at both ends with a hinge about y and z in the middle: by pin flags, or by two grids and an MPC."""
    n = 2 * elements
    middle = elements + 1
    lines = [
        "SOL 103",
        "CEND",
        "SPC = 1",
        *([] if pinned else ["MPC = 1"]),
        "BEGIN BULK",
        f"PARAM,COUPMASS,{coupled}",
    ]
    lines += ["MAT1,1,7.+10,,.3,2700.", "SPC1,1,4,2,THRU,20"]
    lines += ["PBAR,1,1,1.-4,1.-9,2.-9,3.-9" if kind == "CBAR" else "PBEAM,1,1,1.-4,1.-9,2.-9,0.,3.-9"]
    lines += [f"GRID,{i + 1},,{i / n:.8f},0.,0." for i in range(n + 1)]
    for i in range(1, n + 1):
        a = 50 if i == middle and not pinned else i
        lines.append(f"{kind},{i},1,{a},{i + 1},0.,0.,1.")
        if i == middle and pinned:
            lines.append(",56")
    if not pinned:
        lines += [
            "GRID,50,,.5,0.,0.",
            *[f"MPC,1,50,{c},1.,{middle},{c},-1." for c in (1, 2, 3)],
            "SPC1,1,4,50",
        ]
    lines = [line.replace("SPC1,1,4,2,THRU,20", f"SPC1,1,4,2,THRU,{n}") for line in lines]
    lines += [f"SPC1,1,123456,1,{n + 1}", "ENDDATA", ""]
    return FEModel.from_deck(deck_from_text("\n".join(lines)))


@pytest.mark.parametrize("kind", ["CBAR", "CBEAM"])
def test_pinned_bar_has_the_modes_of_two_grids_with_a_joint(kind):
    # halves are clamped-pinned to each other: the released rotation has only the inertia of its own end
    for elements, error in ((4, 3e-3), (16, 1e-5)):
        pinned = normal_modes(jointed(True, elements, kind=kind), 6).frequencies_hz
        split = normal_modes(jointed(False, elements, kind=kind), 6).frequencies_hz
        assert np.allclose(pinned[:4], split[:4], rtol=error)


def test_hinge_in_a_held_beam_against_the_closed_form():
    # symmetric modes hinge freely: each half is clamped-free, (βL) = 1.8751041 with L = 1/2
    fe = jointed(True, 12)
    EI, mu = 7e10 * 1e-9, 2700.0 * 1e-4
    exact = (1.875104068711961 / 0.5) ** 2 * np.sqrt(EI / mu) / (2 * np.pi)
    assert normal_modes(fe, 1).frequencies_hz[0] == pytest.approx(exact, rel=1e-5)


def test_rigid_mass_and_lumped_mass_stay():
    for coupled in (-1, 1):
        fe = jointed(True, coupled=coupled)
        g = np.zeros(fe.grids.n_dof)
        g[fe.grids.dof + 1] = 1.0
        assert g @ (fe.M_gg @ g) == pytest.approx(2700.0 * 1e-4, rel=1e-12)
    lumped = jointed(True, coupled=-1).M_gg
    assert lumped.nnz == np.count_nonzero(lumped.diagonal())


def test_cbeam_says_that_it_is_a_choice():
    assert any("CBEAM pin flags" in note for note in normal_modes(jointed(True, kind="CBEAM"), 1).notes)
    assert not any("pin flags" in note for note in normal_modes(jointed(True), 1).notes)
