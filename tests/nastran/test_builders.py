"""Decks of simple structures against closed forms, and the components and stages made from them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FidelityWarning, InputError
from interstage.nastran import deck_from_text
from interstage.nastran.builders import (
    ON_AXIS,
    beam_deck,
    cylinder_deck,
    material_of,
    plate_deck,
    ring_stations,
)
from interstage.nastran.card_text import card

FREE_BEAM = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])  # roots of cos x cosh x = 1
CLAMPED_BEAM = np.array([1.875104068711961, 4.694091132974175])  # roots of cos x cosh x = -1


def elastic(text: str, n: int) -> np.ndarray:
    return ist.normal_modes(ist.FEModel.from_deck(deck_from_text(text)), n_modes=n + 6).frequencies_hz[6:]


@pytest.mark.parametrize("value", [1 / 3, -1e-5 / 3, 7.6e10, 123456.789012345, 2.5, 1e-300, -0.001])
def test_a_real_number_is_read_back_with_the_digits_of_its_field(value):
    (back,) = deck_from_text(card("GRID", 1, None, value, 0.0, 0.0)).cards("GRID").real(3)
    assert back == pytest.approx(value, rel=1e-10)


def test_beam_of_given_stiffness_bends_in_both_planes_as_euler_and_bernoulli_say():
    length, EI, m = 12.0, (5e4, 2e5), 3.0
    found = elastic(beam_deck(length, EI=EI, EA=1e8, GJ=2e6, mass_per_length=m), 5)
    truth = [FREE_BEAM**2 / (2 * np.pi * length**2) * np.sqrt(one / m) for one in EI]
    assert np.allclose(found, np.sort(np.concatenate(truth))[:5], rtol=1e-4)  # (βh)^4/1440 of consistent mass


def test_beam_of_given_stiffness_turns_and_stretches():
    length, EA, GJ, m = 2.0, 1e6, 4e6, 3.0
    found = elastic(beam_deck(length, EI=4e6, EA=EA, GJ=GJ, mass_per_length=m, elements=40), 2)
    A, E = EA / 71.7e9, 71.7e9
    polar = m / A * 2 * 4e6 / E  # of the section, about its axis
    for truth in (np.sqrt(EA / m) / (2 * length), np.sqrt(GJ / polar) / (2 * length)):
        assert np.abs(found / truth - 1).min() < 1e-3  # lumped twist, (π/80)²/6


@pytest.mark.parametrize(
    ("section", "A", "I"),
    [
        ({"diameter": 0.06}, np.pi * 0.03**2, [np.pi / 4 * 0.03**4] * 2),
        (
            {"diameter": 0.06, "wall": 0.002},
            np.pi * (0.03**2 - 0.028**2),
            [np.pi / 4 * (0.03**4 - 0.028**4)] * 2,
        ),
        ({"width": 0.03, "height": 0.05}, 0.0015, [0.05 * 0.03**3 / 12, 0.03 * 0.05**3 / 12]),
        (
            {"width": 0.03, "height": 0.05, "wall": 0.002},
            0.0015 - 0.026 * 0.046,
            [(0.05 * 0.03**3 - 0.046 * 0.026**3) / 12, (0.03 * 0.05**3 - 0.026 * 0.046**3) / 12],
        ),
    ],
)
def test_sections_have_the_area_and_bending_of_their_dimensions(section, A, I):
    length, steel = 40.0, material_of("steel")
    text = beam_deck(length, material="steel", **section)
    mass = ist.FEModel.from_deck(deck_from_text(text)).mass_properties(grdpnt=0).mass
    assert mass == pytest.approx(steel.rho * A * length, rel=1e-9)
    truth = FREE_BEAM[0] ** 2 / (2 * np.pi * length**2) * np.sqrt(steel.E * np.sort(I) / (steel.rho * A))
    assert np.allclose(np.sort(elastic(text, 2)), truth, rtol=3e-4)  # slender: shear takes (r/L)² of it


def test_width_of_a_bar_lies_along_y():
    text = beam_deck(10.0, width=0.2, height=0.02, elements=10)
    static = text.replace("SOL 103", "SOL 101").replace("METHOD = 1", "SPC = 1\nLOAD = 1")
    static = static.replace("ENDDATA", "SPC1,1,123456,1\nFORCE,1,11,,1.,0.,1.,1.\nENDDATA")
    _, y, z = ist.static(ist.FEModel.from_deck(deck_from_text(static)))[11][:3]
    assert z / y == pytest.approx(100.0, rel=1e-3)


def test_plate_held_at_its_root_is_a_wide_cantilever():
    length, width, h = 2.0, 0.1, 0.004
    plate = ist.Component.plate(
        length, width, h, elements=(40, 2), material=(70e9, 0.0, 2700.0), aset={1: 123456}, n_modes=2
    )
    assert plate.mass == pytest.approx(2700.0 * length * width * h, rel=1e-12)
    truth = CLAMPED_BEAM**2 / (2 * np.pi * length**2) * np.sqrt(70e9 * h**2 / 12 / 2700.0)
    assert np.allclose(plate.craig_bampton.frequencies_hz, truth, rtol=2e-3)  # lumped mass, 40 elements


def test_cylinder_stretches_as_a_rod_and_weighs_its_wall():
    length, radius, h = 8.0, 0.5, 0.002
    text = cylinder_deck(length, radius, h, elements=(24, 24), material=(70e9, 0.0, 2700.0))
    fe = ist.FEModel.from_deck(deck_from_text(text))
    around = 2 * 24 * radius * np.sin(np.pi / 24)  # the polygon
    assert fe.mass_properties(grdpnt=0).mass == pytest.approx(2700.0 * around * h * length, rel=1e-9)
    static = text.replace("SOL 103", "SOL 101").replace("METHOD = 1", "SPC = 1\nLOAD = 1")
    static = static.replace("ENDDATA", "SPC1,1,123456,1\nFORCE,1,2,,1.,1.,0.,0.\nENDDATA")
    stretch = ist.static(ist.FEModel.from_deck(deck_from_text(static)))[2][0]
    assert stretch == pytest.approx(length / (70e9 * around * h), rel=1e-3)


def test_stage_with_tanks_has_the_modes_of_a_deck_with_the_same_liquid():
    tanks = {"lox": (2, 9.0, 30e3), "rp1": (11.0, 16.0, 12e3)}
    stage = ist.Stage.cylinder("core", 20.0, 1.5, 0.006, tanks=tanks, levels=3, elements=(6, 8))
    vehicle = ist.StagedVehicle("v")
    vehicle.add(stage)
    found = vehicle.modes({"lox": 15e3, "rp1": 12e3}, n_modes=4).frequencies_hz
    stations = [2.0, 9.0, 11.0, 16.0]
    x = ring_stations(20.0, 6, stations)
    mass = np.zeros(len(x))
    for bottom, surface, m in ((2.0, 5.5, 15e3), (11.0, 16.0, 12e3)):
        fine = np.linspace(bottom, surface, 20001)
        fine = 0.5 * (fine[1:] + fine[:-1])
        for i in range(len(x)):
            mass[i] += m * np.interp(fine, x, np.eye(len(x))[i]).mean()
    grids = [1, *(ON_AXIS + k for k in range(2, len(x))), 2]
    liquid = [card("CONM2", 9000 + g, g, None, float(m)) for g, m in zip(grids, mass) if m > 0.0]
    text = cylinder_deck(20.0, 1.5, 0.006, stations=stations, axis=True, elements=(6, 8))
    truth = elastic(text.replace("ENDDATA", "\n".join([*liquid, "ENDDATA"])), 4)
    assert np.allclose(found, truth, rtol=1e-6)


def test_the_deck_of_a_component_is_a_file_that_makes_it_again(tmp_path):
    path = tmp_path / "boom.bdf"
    boom = ist.Component.beam(6.0, diameter=0.1, wall=0.002, n_modes=4, aset={1: 123456}, deck=path)
    again = ist.Component.from_deck(path, n_modes=4, aset={1: 123456})
    assert np.array_equal(boom.frequencies_hz, again.frequencies_hz)
    assert boom.provenance["deck_sha256"] == again.provenance["deck_sha256"]
    assert boom.name == "beam"


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: ist.Component.beam(-1.0, diameter=0.1), "length must be a positive number; got -1"),
        (lambda: ist.Component.beam(3.0), "needs one cross section"),
        (lambda: ist.Component.beam(3.0, diameter=0.1, width=0.2), "one cross section.*got diameter, width"),
        (lambda: ist.Component.beam(3.0, EI=3.0), "got no EA, no GJ, no mass_per_length"),
        (lambda: ist.Component.beam(3.0, diameter=0.1, wall=0.06), "wall must be less than half"),
        (lambda: ist.Component.beam(3.0, diameter=0.1, material="alu"), "unknown material 'alu'"),
        (lambda: ist.Component.beam(3.0, diameter=0.1, material=(1e9, 0.5, 1.0)), "Poisson"),
        (lambda: ist.Component.beam(3.0, diametre=0.1), "no argument 'diametre'; did you mean diameter"),
        (lambda: plate_deck(1.0, 1.0, 0.01, root="center", elements=(4, 3)), "even number of elements"),
        (lambda: cylinder_deck(1.0, 1.0, 0.01, elements=(4, 200)), "6 to 99"),
        (lambda: cylinder_deck(1.0, 1.0, 0.01, stations=[2.0]), "stations must lie on the cylinder"),
        (lambda: ist.Stage.cylinder("s", 4.0, 1.0, 0.01, tanks={"a": (3, 2, 1)}), "must lie inside"),
        (lambda: ist.Stage.cylinder("s", 4.0, 1.0, 0.01, tanks={"a": 3}), "must be three numbers"),
    ],
)
def test_what_cannot_be_built_is_refused(build, says):
    with pytest.raises(ist.InterstageError, match=says):
        build()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            lambda: cylinder_deck(10.0, 1.0, 1.2),
            "the thickness, 1.2 m, is 1.2 times the radius: that is no cylinder",
        ),
        (
            lambda: plate_deck(2.0, 1.0, 0.6),
            "the thickness, 0.6 m, is 0.6 times the shorter side: that is no plate",
        ),
        (
            lambda: beam_deck(1.0, diameter=1.5),
            "the diameter, 1.5 m, is 1.5 times the length: that is no beam",
        ),
        (lambda: beam_deck(1e9, diameter=10.0), "length is in m; expected 1e-06 to 100000 m, got 1e"),
        (lambda: plate_deck(1.0, 1.0, 1e-9), "thickness is in m"),
    ],
)
def test_sizes_that_cannot_be_meant_are_refused(made, said):
    with pytest.raises(InputError, match=said):
        made()


def test_bodies_that_are_thick_for_their_theory_are_warned_of():
    for made in (
        lambda: cylinder_deck(10.0, 1.0, 0.3),
        lambda: plate_deck(2.0, 1.0, 0.3),
        lambda: beam_deck(1.0, width=0.6, height=0.1),
    ):
        with pytest.warns(FidelityWarning, match="so thick"):
            made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cylinder_deck(10.0, 1.0, 0.1), plate_deck(2.0, 1.0, 0.1), beam_deck(1.0, width=0.3, height=0.1)


@pytest.mark.parametrize("n_modes", [4, 12])
def test_the_inertia_of_a_beam_in_torsion_is_that_of_its_section(n_modes):
    """ρ (I₁ + I₂) L about its axis, whatever modes are asked for."""
    width, height, length = 0.1, 0.05, 6.0
    made = ist.Component.beam(
        length, width=width, height=height, n_modes=n_modes, aset={1: 123456}, material=(7e10, 0.33, 2700.0)
    )
    polar = width * height * (width**2 + height**2) / 12.0
    assert made.inertia[0, 0] == pytest.approx(2700.0 * polar * length, rel=1e-9)
