"""Discs on shafts that spin: with the inertia of nodes the closed form, without it a warning."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FidelityWarning
from interstage.fem import lumped_beam
from interstage.multibody.fidelity import spin_notes
from interstage.nastran import deck_from_text

LENGTH, EI, MASS, ACROSS, ALONG = 1.0, 140.0, 5.0, 0.05, 0.09


def component(**options):
    """A massless cantilever shaft along x with a disc at its tip."""
    grids = "".join(f"GRID,{k + 1},,{LENGTH * k / 3:.9f},0.,0.\n" for k in range(4))
    bars = "".join(f"CBAR,{k + 1},1,{k + 1},{k + 2},0.,1.,0.\n" for k in range(3))
    disc = f"CONM2,101,4,0,{MASS},,,,,+\n+,{ALONG},,{ACROSS},,,{ACROSS}\n"
    small = "".join(f"CONM2,{200 + k},{k},0,1.-6,,,,,+\n+,1.-9,,1.-9,,,1.-9\n" for k in (2, 3))
    text = "SOL 103\nCEND\nBEGIN BULK\nPBAR,1,1,1.-4,2.-9,2.-9,4.-9\nMAT1,1,7.+10,,.33,1.-3\n"
    deck = deck_from_text(text + grids + bars + disc + small)
    # only the bending of the disc is looked at: no geometric stiffness, which is second order in the spin here
    return ist.Component.from_deck(deck, n_modes=8, aset={1: 123456}, rvdof={4: 123456}, **options)


def spinning(c, omega, **options):
    mb = ist.Multibody("rotor")
    mb.add_body("hub", mass=1e6, inertia=[1e9] * 3, joint=ist.Revolute("x"))
    shaft = mb.add_body("shaft", component=c, node=1, parent="hub", at=[0, 0, 0], **options)
    system = mb.compile()
    x = system.state()
    x["hub"].v[:] = omega
    return system, x, shaft


def rotor(omega):
    """Frequencies (rad/s) in the rotating frame of a disc on a cantilever, from M w'' - i G w' + K w = 0 of w = y + iz.

    With w = [deflection, slope]: K = EI/L³ [[12, -6L], [-6L, 4L²]], G = [0, J_axial Ω]; in the rotating frame -Ω.
    """
    K = EI / LENGTH**3 * np.array([[12.0, -6.0 * LENGTH], [-6.0 * LENGTH, 4.0 * LENGTH**2]])
    M, G = np.diag([MASS, ACROSS]), np.diag([0.0, -1j * ALONG * omega])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, G)]])
    return np.sort(np.abs(np.linalg.eigvals(A).imag - omega))


@pytest.mark.parametrize("omega", [5.0, 20.0])
def test_a_component_with_rotary_integrals_uses_them(omega):
    """The overhung disc does not flutter, and has the frequencies of the closed form."""
    system, x, shaft = spinning(component(rotary_integrals=True), omega)
    assert shaft.rotary
    with warnings.catch_warnings():
        warnings.simplefilter("error", FidelityWarning)
        lin = ist.linearize(system, x)
    poles = lin.poles()
    rates = np.asarray(poles.imag)
    found = [rates[np.abs(rates - one).argmin()] for one in rotor(omega)]  # torsion lies between
    # springs of the shaft carry no inertia but the 1e-6 kg of its inner grids
    np.testing.assert_allclose(found, rotor(omega), rtol=2e-6)
    assert poles.real.max() < 1e-6


def test_nodes_that_move_as_points_in_a_spin_are_said():
    """Without the integrals the model is warned of, and its notes say so; at rest nothing is missing."""
    system, x, shaft = spinning(component(), 20.0)
    assert not shaft.rotary
    with pytest.warns(FidelityWarning, match="'shaft' spins at 20 rad/s.*rotary inertia of nodes"):
        lin = ist.linearize(system, x)
    assert any("rotary inertia of nodes" in note for note in lin.notes)
    with pytest.warns(FidelityWarning, match="rotary inertia of nodes"):
        ist.simulate(system, x, until=1e-3, step=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FidelityWarning)
        ist.linearize(system, system.state())


def panel(spins, axis, inertia, **options):
    """A panel of seven lumps with rotary inertia, clamped to a heavy hub that spins."""
    K, M, nodes = lumped_beam(4.0, 6, EA=1e6, GJ=200.0, EI=(3e3, 3e3), mass=[20.0 / 7] * 3 + list(inertia))
    c = ist.Component.from_matrices(K, M, nodes, n_modes=10, aset={1: 123456}, name="panel", **options)
    mb = ist.Multibody("turning")
    mb.add_body("hub", mass=1e6, inertia=[1e9] * 3, joint=ist.Revolute(axis))
    mb.add_body("panel", component=c, node=1, parent="hub", at=[0, 0, 0])
    system = mb.compile()
    x = system.state()
    x["hub"].v[:] = spins
    return system, x


def rates_of(system, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FidelityWarning)
        return np.sort(np.abs(ist.linearize(system, x).poles().imag))[::2][1:]


@pytest.mark.parametrize(
    "spins, axis, inertia",
    [(2.0, "y", (0.9, 0.5, 0.5)), (2.0, "z", (0.6, 0.05, 0.6)), (4.0, "y", (0.9, 0.5, 0.5))],
)
def test_the_change_that_is_named_is_that_of_the_inertia_that_turns(spins, axis, inertia):
    """Percents of the note beside poles with and without rotary integrals; a fifth for what the spin does to points."""
    system, x = panel(spins, axis, inertia)
    note = next(one for one in spin_notes(system, x) if "rotary inertia of nodes" in one)
    said = float(re.search(r"about ([\d.]+) % of the frequency", note)[1])
    without, wanted = rates_of(system, x), rates_of(*panel(spins, axis, inertia, rotary_integrals=True))
    assert said == pytest.approx(100.0 * np.abs(without / wanted - 1.0).max(), rel=0.2)
    hz = float(re.search(r"mode at ([\d.]+) Hz", note)[1])
    at_rest = rates_of(system, system.state()) / (2.0 * np.pi)
    assert np.abs(at_rest / hz - 1.0).min() < 1e-3  # four digits are printed


@pytest.mark.parametrize("spins, axis", [(2.0, "x"), (0.05, "z"), (0.05, "y")])
def test_inertia_that_does_not_matter_is_not_warned_of(spins, axis):
    """Torsion is all rotary inertia: about the axis of the spin it has no moment, in a slow spin one of 2nd order."""
    inertia = (0.6, 0.3, 0.3)
    system, x = panel(spins, axis, inertia)
    assert not [note for note in spin_notes(system, x) if "rotary inertia" in note]
    without, wanted = rates_of(system, x), rates_of(*panel(spins, axis, inertia, rotary_integrals=True))
    np.testing.assert_allclose(without, wanted, rtol=0.01)  # what a warning begins at


def test_all_of_a_mode_is_a_hundred_percent():
    note = next(one for one in spin_notes(*panel(4.0, "y", (0.9, 0.5, 0.5))) if "rotary" in one)
    assert "100 % of its mode" in note


def test_order_zero_in_a_spin_is_said():
    c = component().without_integrals()
    system, x, shaft = spinning(c, 5.0)
    assert shaft.order == 0
    with pytest.warns(FidelityWarning, match=r"'shaft' spins at 5 rad/s with order 0.*order 2"):
        ist.linearize(system, x)


def blade(**options):
    """A blade of 6 m on a driven hinge at its root, and its bending unit of spin √(EI/mL³), rad/s."""
    c = ist.Component.beam(6.0, width=0.1, height=0.05, n_modes=6, aset={1: 123456}, elements=10, **options)
    mb = ist.Multibody("blade")
    mb.add_body("blade", component=c, node=1, joint=ist.Revolute("z"))
    return mb.compile(), np.sqrt(7e10 * 0.1 * 0.05**3 / 12.0 / (c.mass * 6.0**3))


@pytest.mark.parametrize("known", [False, True])
def test_tension_of_spin_that_stiffness_does_not_know_is_named(known):
    """At Ω = 3 √(EI/mL³) flapping is 1.36 times that at rest (Wright: 4.797 beside 3.516), not so without."""
    system, unit = blade() if known else blade(geometric_stiffness=False)
    words = "without geometric stiffness: the tension of its spin"

    def seen(call):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call()
        return [str(w.message) for w in found if words in str(w.message)]

    x = system.state()
    x["blade"].v[:] = 3.0 * unit
    notes = seen(lambda: ist.linearize(system, x))
    assert len(notes) == (0 if known else 1)
    for note in notes:  # the first mode of the blade by itself, free: 22.37 √(EI/mL³)
        hz = float(note.split("its mode of ")[1].split(" Hz")[0])
        assert 2.0 * np.pi * hz == pytest.approx(22.37 * unit, rel=0.02)  # ten bars
    fast = ist.PrescribedMotion(angle=lambda t: 20.0 * unit * t**2)
    system.set_joint_mode("blade", "prescribed")
    # at rest at first: what the end of the run has counts as well
    up = seen(
        lambda: ist.simulate(
            system, system.state(), until=0.1, step=1e-3, method="ros2", motions={"blade": fast}
        )
    )
    assert len(up) == (0 if known else 1)
    x["blade"].v[:] = 0.1 * unit
    assert not seen(lambda: ist.linearize(system, x))


def test_masses_on_springs_that_spin_do_not_bend():
    """Slosh as shapes has no elements that tension would stiffen."""
    cards = dev.slosh_cards(
        dev.CylinderSlosh(1.5, 2.0, 4000.0), grid=1, bottom=[0.5, 0, 0], first=101, acceleration=12.0
    )
    bulk = "GRID,1,,0.,0.,0.\nCONM2,1,1,,300.\n,100.,,100.,,,100.\n"
    c = ist.Component.from_deck(
        deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}{cards}ENDDATA\n"), 2, aset={}
    )
    mb = ist.Multibody("tank")
    mb.add_body("shell", component=c, node=1, joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["shell"].velocity[:3] = [0.0, 0.0, 3.0]
    assert not [note for note in spin_notes(system, x) if "tension" in note]
    push = {("shell", 1): [0.0, 0.0, 0.0, 1e5, 0.0, 0.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("error", FidelityWarning)
        ist.simulate(system, system.state(), until=1e-3, step=1e-3, forces=push)
