"""Slosh as shapes of a flexible body, and hung on flexible bodies: the same poles and motion as masses on springs."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError
from interstage.nastran import deck_from_text

A, TANK, MIDDLE, LAST = 12.0, dev.CylinderSlosh(1.5, 2.0, 4000.0, n=2), 3, 5


def shell(slosh: str = "") -> ist.Deck:
    """A rigid shell of one grid."""
    bulk = "GRID,1,,0.,0.,0.\nCONM2,1,1,,300.\n,100.,,100.,,,100.\n"
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}{slosh}ENDDATA\n")


def beam(slosh: str = "") -> ist.Deck:
    """A free beam of four bars along x that carries a tank at its middle."""
    bulk = "".join(f"GRID,{i + 1},,{2.5 * i},0.,0.\n" for i in range(5))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(4))
    bulk += "PBAR,1,1,.05,2.-3,2.-3,4.-3\nMAT1,1,7.+10,,0.3,2700.\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,20.\n,5.,,5.,,,5.\n" for i in range(1, 6))
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}{slosh}ENDDATA\n")


def cards(grid: int, bottom: list[float], **more: float) -> str:
    return dev.slosh_cards(TANK, grid=grid, bottom=bottom, first=5001, acceleration=A, **more)


def poles_of(system: ist.System, below: float) -> np.ndarray:
    """Return poles of oscillations below a frequency, sorted."""
    found = np.asarray(ist.linearize(system, system.state()).poles())
    return np.array(sorted(found[(found.imag > 0.5) & (found.imag < below)], key=lambda p: p.imag))


def rigid(shapes: bool, damping: float = 0.0) -> ist.System:
    mb = ist.Multibody("tank")
    if shapes:
        made = ist.Component.from_deck(shell(cards(1, [0.5, 0, 0], damping=damping)), 4, aset={})
        mb.add_body("shell", component=made, node=1, joint=ist.Free())
    else:
        mb.add_body("shell", mass=300.0, inertia=[100, 100, 100], joint=ist.Free())
        given = {"kind": "spring", "acceleration": A, "damping": damping}
        dev.add_slosh(mb, "lox", TANK, parent="shell", bottom=[0.5, 0, 0], **given)
    return mb.compile()


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_poles_are_those_of_masses_on_springs(damping):
    """On a free rigid shell; what is left is the thin inertia of hung masses, 1e-9 of theirs."""
    shapes, hung = poles_of(rigid(True, damping), 60.0), poles_of(rigid(False, damping), 60.0)
    assert len(shapes) == 4 and shapes == pytest.approx(hung, rel=2e-8)
    if damping:
        assert (shapes.real < 0.0).all()


def flexible(kind: str, n_modes: int) -> ist.System:
    mb = ist.Multibody("stage")
    if kind == "shapes":
        made = ist.Component.from_deck(beam(cards(MIDDLE, [4.0, 0, 0])), n_modes, aset={})
        mb.add_body("core", component=made, node=1, joint=ist.Free())
    else:
        made = ist.Component.from_deck(beam(), n_modes, aset={})
        mb.add_body("core", component=made, node=1, joint=ist.Free())
        given = {"parent": "core", "node": MIDDLE, "bottom": [-1.0, 0, 0], "kind": kind, "acceleration": A}
        assert dev.add_slosh(mb, "lox", TANK, **given)[-1] == "lox rigid"
    return mb.compile()


def test_a_flexible_stage_has_the_same_poles_either_way():
    """All 24 modes of the beam with hung masses, all 28 of beam and fluid: the same coordinates, the same poles."""
    hung, shapes = poles_of(flexible("spring", 24), 1e3), poles_of(flexible("shapes", 28), 1e3)
    assert len(hung) == len(shapes) > 8 and shapes == pytest.approx(hung, rel=1e-7)


def test_pendulums_on_a_flexible_stage_under_thrust():
    """A stage that is held at its middle under gravity: pendulums swing at √(a/L), and with them the springs."""
    for kind in ("pendulum", "spring"):
        mb = ist.Multibody("stage", gravity=[-A, 0, 0])
        made = ist.Component.from_deck(beam(), 6, aset={MIDDLE: 123456})
        mb.add_body("core", component=made, node=MIDDLE, joint=ist.Locked())
        given = {"parent": "core", "node": MIDDLE, "bottom": [-1.0, 0, 0], "kind": kind, "acceleration": A}
        dev.add_slosh(mb, "lox", TANK, **given)
        system = mb.compile()
        found = poles_of(system, 60.0)
        for wave in TANK.waves:
            assert np.sum(np.abs(found.imag - wave.frequency(A)) < 1e-6 * wave.frequency(A)) == 2


def test_a_run_goes_the_same_way():
    """A push and a turn in space, nonlinear: place and attitude of the shell; thin inertia of hung masses is 1e-9."""
    found = []
    for shapes in (True, False):
        system = rigid(shapes)
        x = system.state()
        x["shell"].velocity[:3] = [0.05, 0.1, -0.08]
        wrench = [0, 200.0, 0, 50.0, 900.0, -400.0]
        push = [ist.Wrench("shell", wrench, node=1 if shapes else None, frame="body")]
        log = ist.simulate(system, x, until=5, step="1 ms", log_step=1, forces=push)
        found.append(np.hstack([log.position("shell", 1 if shapes else None), log["shell"].q[:, :4]]))
    assert np.ptp(found[0][:, 1]) > 0.5 and found[0] == pytest.approx(found[1], abs=1e-7)


def test_mass_and_balance_are_those_of_the_fluid():
    shapes, hung = rigid(True), rigid(False)
    one, two = shapes.mass_properties(shapes.state()), hung.mass_properties(hung.state())
    assert one.mass == pytest.approx(4300.0) and one.com == pytest.approx(two.com, abs=1e-9)
    assert one.inertia == pytest.approx(two.inertia, rel=1e-7, abs=1e-4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bottom": [0, 0]}, "bottom is no point"),
        ({"acceleration": 0.0}, "slosh_cards needs an acceleration"),
        ({"first": 0}, "first is an id"),
        ({"damping": float("nan")}, "damping a ratio"),
        ({"grid": 10}, "has an id of the new grids"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        dev.slosh_cards(TANK, **{"grid": 1, "bottom": [0, 0, 0], "first": 10, "acceleration": A, **given})


@pytest.mark.parametrize(
    "fluid",
    [
        cards(MIDDLE, [4.0, 0, 0]),
        f"CONM2,950,{MIDDLE},,4000.\n",
        "".join(f"GRID,{80 + i},,{4.5 + 0.5 * i},0.,0.\nRBE2,{80 + i},3,123456,{80 + i}\n" for i in range(3))
        + "".join(f"CONM2,{980 + i},{80 + i},,1330.\n" for i in range(3)),
    ],
    ids=["waves in the modes", "one lump", "three lumps"],
)
def test_a_fluid_that_the_component_has_is_refused(fluid):
    """Waves in the modes, or frozen propellant as lumped masses, and the same fluid hung on top of them."""
    made = ist.Component.from_deck(beam(fluid), 20, aset={}, geometric_stiffness=False)
    given = {"parent": "core", "node": MIDDLE, "bottom": [-1.0, 0, 0], "kind": "spring", "acceleration": A}
    mb = ist.Multibody("stage")
    mb.add_body("core", component=made, node=1, joint=ist.Free())
    with pytest.raises(InputError, match="twice"):
        dev.add_slosh(mb, "lox", TANK, **given)
    light = dev.CylinderSlosh(1.5, 2.0, 400.0)  # a small one beside it is no better
    with pytest.raises(InputError, match=r"twice.*check=False"):
        dev.add_slosh(mb, "lox", light, **given)
    dev.add_slosh(mb, "lox", light, **given, check=False)
    empty = ist.Multibody("stage")
    empty.add_body("core", component=made, node=1, joint=ist.Free())
    dev.add_slosh(empty, "lox", TANK, **{**given, "node": LAST, "bottom": [0.5, 0, 0]})


def test_a_fluid_that_hangs_there_already_is_refused():
    """The lumped mass was taken out, and is hung on as it was before its fluid is."""
    text = f"CONM2,950,{MIDDLE},,4000.\n"
    made = ist.Component.from_deck(beam(text), 20, aset={}, rvdof={MIDDLE: 123456}, separate_lumped=[950])
    given = {"parent": "core", "node": MIDDLE, "bottom": [-1.0, 0, 0], "kind": "spring", "acceleration": A}
    mb = ist.Multibody("stage")
    mb.add_body("core", component=made, node=1, joint=ist.Free())
    alone = ist.Multibody("stage")
    alone.add_body("core", component=made, node=1, joint=ist.Free())
    dev.add_slosh(alone, "lox", TANK, **given)
    mb.add_lumped("core")
    with pytest.raises(InputError, match=r"twice.*core.CONM2_950"):
        dev.add_slosh(mb, "lox", TANK, **given)


@pytest.mark.parametrize("lumps", [1, 3])
def test_lumped_masses_of_a_fluid_that_hangs_are_refused(lumps):
    """The fluid first, its frozen propellant after it, in one lump or in three of which none alone is the fluid."""
    text = "".join(
        f"GRID,{80 + i},,{4.5 + 0.5 * i},0.,0.\nRBE2,{80 + i},3,123456,{80 + i}\n" for i in range(lumps)
    )
    text += "".join(f"CONM2,{980 + i},{80 + i},,{4000.0 / lumps}\n" for i in range(lumps))
    ids = [980 + i for i in range(lumps)]
    made = ist.Component.from_deck(beam(text), 20, aset={}, rvdof={MIDDLE: 123456}, separate_lumped=ids)
    given = {"parent": "core", "node": MIDDLE, "bottom": [-1.0, 0, 0], "kind": "spring", "acceleration": A}
    mb = ist.Multibody("stage")
    mb.add_body("core", component=made, node=1, joint=ist.Free())
    dev.add_slosh(mb, "lox", TANK, **given)
    before = list(mb.bodies)
    with pytest.raises(InputError, match=r"fluid 'lox', 4000, hangs on body 'core' already.*twice"):
        mb.add_lumped("core")
    assert mb.bodies == before  # none of them stays
    with pytest.raises(InputError, match="twice"):
        dev.add_slosh(mb, "lox again", TANK, **given)
    mb.add_body("box", parent="core", at=MIDDLE, mass=50.0, inertia=[1.0] * 3)  # a part, no propellant
    free = ist.Multibody("stage")
    free.add_body("core", component=made, node=1, joint=ist.Free())
    dev.add_slosh(free, "lox", TANK, **given, check=False)
    free.add_lumped("core")
