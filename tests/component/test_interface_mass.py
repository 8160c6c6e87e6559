"""Effective interface mass against effective masses of clamped modes and against the mass on the interface itself."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import ModelError
from interstage.nastran import deck_from_text

LUMPS = ((1, 3.0), (2, 2.0), (3, 4.0), (4, 1.5), (5, 2.5))


def frame(held=""):
    """An L-shaped frame of bars with lumped bodies on its grids."""
    places = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.2), (2.0, 1.0, 0.4), (2.0, 2.0, 0.0))
    bulk = "".join(f"GRID,{i + 1},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(places))
    bulk += "".join(f"CBAR,{i},1,{i},{i + 1},0.,0.,1.\n" for i in range(1, 5))
    bulk += "PBAR,1,1,1.-3,2.-7,3.-7,4.-7\nMAT1,1,7.+10,,.3\nEIGRL,1,,,24\n"
    bulk += "".join(f"CONM2,{10 + i},{i},,{m}\n,.1,,.12,,,.15\n" for i, m in LUMPS)
    return deck_from_text(f"SOL 103\nCEND\nMETHOD = 1\n{held}BEGIN BULK\n{bulk}SPC1,1,123456,1\nENDDATA\n")


def test_one_grid_has_the_effective_masses_of_clamped_modes():
    found = ist.Component.from_deck(frame(), 24, aset={1: 123456}).craig_bampton.interface_mass()
    modes = ist.normal_modes(ist.FEModel.from_deck(frame("SPC = 1\n")), n_modes=24)
    wanted = modes.participation([0.0, 0.0, 0.0]).effective_mass
    np.testing.assert_allclose(found.frequencies_hz, modes.frequencies_hz, rtol=1e-9)
    got = np.diagonal(found.masses, axis1=1, axis2=2)
    np.testing.assert_allclose(got, wanted, atol=1e-9 * wanted.max())
    # all modes: the rest is what sits on the clamped grid
    np.testing.assert_allclose(found.rest, np.diag([3.0, 3.0, 3.0, 0.1, 0.12, 0.15]), atol=1e-9)


def test_two_grids_share_out_all_but_what_they_carry():
    component = ist.Component.from_deck(frame(), 18, aset={1: 123456, 5: 123456})
    found = component.craig_bampton.interface_mass()
    own = np.diag([3.0, 3.0, 3.0, 0.1, 0.12, 0.15, 2.5, 2.5, 2.5, 0.1, 0.12, 0.15])
    np.testing.assert_allclose(found.rest, own, atol=1e-9)
    whole = found.rest + found.masses.sum(axis=0)
    np.testing.assert_allclose(whole, component.craig_bampton.mass[:12, :12], atol=1e-12 * whole.max())
    left = np.trace(np.linalg.solve(whole, own)) / 12
    assert found.share.sum() == pytest.approx(1.0 - left, rel=1e-9)
    assert np.all(found.share >= 0.0) and "cumulative" in repr(found)


def test_an_interface_without_mass_is_refused():
    massless = ist.Component.from_deck(frame(), 18, aset={1: 123456}).craig_bampton
    massless.mass[:, 3] = massless.mass[3] = 0.0
    with pytest.raises(ModelError, match="coordinates without mass"):
        massless.interface_mass()
