"""An engine that rigid elements hold at several grids: taken out, hung on again, modes of the whole."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import Component, FEModel, normal_modes
from interstage.nastran import deck_from_text

HEAD = "SOL 103\nCEND\nMETHOD=1\nBEGIN BULK\nEIGRL,1,,,40\nMAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.02,1,,1\n"
ENGINE = "GRID,100,,.75,.6,.4\nCONM2,200,100,,50.,.1,.05,.02\n,3.,.1,4.,.2,.3,5.\n"
# name: (cards, connection, joint, grids that carry it)
LINKS = {
    "RBE2": ("RBE2,300,100,123456,11,12,21,22\n", "rbe2", "locked", [11, 12, 21, 22]),
    "RBE2 of translations": ("RBE2,300,100,123,11,12,21,22\n", "rbe2", "locked", [11, 12, 21, 22]),
    "RBE3": ("RBE3,300,,100,123456,1.,123,11,12,\n,21,22\n", "rbe3", "locked", [11, 12, 21, 22]),
    "RBE3 of two weights": (
        "RBE3,300,,100,123456,1.,123,11,12,\n,2.,123,21,22\n",
        "rbe3",
        "locked",
        [11, 12, 21, 22],
    ),
    "RBE1": ("RBE1,300,11,123,12,3,21,23\n,UM,100,123456\n", "rbe1", "locked", [11, 12, 21]),
}


def plate():
    """Three by two plates of half a metre."""
    out = "".join(f"GRID,{10 * i + j + 1},,{0.5 * i},{0.5 * j},0.\n" for i in range(4) for j in range(3))
    for k, (i, j) in enumerate((i, j) for i in range(3) for j in range(2)):
        a, b = 10 * i + j + 1, 10 * (i + 1) + j + 1
        out += f"CQUAD4,{k + 1},1,{a},{b},{b + 1},{a + 1}\n"
    return out


@pytest.mark.parametrize("in_interface", [False, True])
@pytest.mark.parametrize("name", LINKS)
def test_engine_hung_on_again_gives_the_modes_of_the_whole(name, in_interface):
    cards, connection, joint, carriers = LINKS[name]
    deck = deck_from_text(HEAD + plate() + ENGINE + cards)
    whole = normal_modes(FEModel.from_deck(deck), n_modes=24).frequencies_hz
    core = Component.from_deck(deck, 400, separate_lumped=True, add_lumped_to_aset=in_interface)
    (engine,) = core.child_bodies
    assert (engine.connection, engine.joint) == (connection, joint)
    assert sorted(engine.parent_grids.tolist()) == carriers
    if engine.weights is not None:
        np.testing.assert_allclose(engine.weights, [1.0, 1.0] + ([2.0] * 2 if "two" in name else [1.0] * 2))
    mb = ist.Multibody(name)
    mb.add_body("core", component=core, joint=ist.Free(), node=11)
    if in_interface:
        mb.add_lumped("core")
    else:
        with pytest.warns(ist.errors.FidelityWarning, match="no static shapes .* CONM2_200"):
            mb.add_lumped("core")
    ours = mb.compile().modes().frequencies_hz
    # all modes of the bare structure are kept, so that nothing is lost but rounding
    np.testing.assert_allclose(ours[6:24], whole[6:24], rtol=1e-8)


FREE = HEAD + "PARAM,AUTOSPC,NO\n"
SECOND = "GRID,101,,.9,.7,.6\nCONM2,201,101,,20.,.3,.05,.02\n,1.,,1.,,,1.\n"
TILTED = "CORD2R,7,,0.,0.,0.,0.3,.2,1.\n,1.,.5,.1\n" + ENGINE.replace(".75,.6,.4", ".75,.6,.4,7")
# name: (cards, [(joint, node, carrier)])
JOINTS = {
    "RBAR of translations": (ENGINE + "RBAR,300,12,100,123456,,,123\n", [("ball", 100, "")]),
    "RBAR without R2": (ENGINE + "RBAR,300,12,100,123456,,,12346\n", [("revolute y", 100, "")]),
    "RBAR in a tilted system": (
        TILTED + "RBAR,300,12,100,123456,,,12346\n",
        [("revolute (-0.443, 0.8953, -0.04615)", 100, "")],
    ),
    "RBAR without R1 and R2": (ENGINE + "RBAR,300,12,100,123456,,,1236\n", [("universal x y", 100, "")]),
    "RBAR without T1": (ENGINE + "RBAR,300,12,100,123456,,,23456\n", [("prismatic x", 100, "")]),
    "RBE2 of translations, child dependent": (ENGINE + "RBE2,300,12,123,100\n", [("ball", 100, "")]),
    "RBE3 of translations": (
        ENGINE + "RBE3,300,,100,123,1.,123,11,12,\n,21,22\n",
        [("ball", 100, "")],
    ),
    "RBAR on the grid of an RBE3": (
        ENGINE
        + "GRID,150,,.6,.6,.2\nRBE3,300,,150,123456,1.,123,11,12,\n,21,22\nRBAR,301,150,100,123456,,,123\n",
        [("ball", 100, "")],
    ),
    "two masses on one ball joint": (
        ENGINE + "CONM2,201,100,,20.,.3,.05,.02\n,1.,,1.,,,1.\nRBAR,300,12,100,123456,,,123\n",
        [("ball", 100, ""), ("locked", 100, "CONM2_200")],
    ),
    "locked to one on a ball joint": (
        ENGINE + SECOND + "RBAR,300,12,100,123456,,,123\nRBAR,301,100,101,123456,,,123456\n",
        [("ball", 100, ""), ("locked", 101, "CONM2_200")],
    ),
    "ball joint on a ball joint": (
        ENGINE + SECOND + "RBAR,300,12,100,123456,,,123\nRBAR,301,100,101,123456,,,123\n",
        [("ball", 100, ""), ("ball", 101, "CONM2_200")],
    ),
    "ball joint on a locked one": (
        ENGINE + SECOND + "RBE2,300,12,123456,100\nRBAR,301,100,101,123456,,,123\n",
        [("locked", 12, ""), ("ball", 101, "")],
    ),
    "point mass on a ball joint": (
        "GRID,100,,.75,.6,.4\nCONM2,200,100,,50.\nRBAR,300,12,100,123456,,,123\n",
        [("locked", 100, "")],
    ),
}


def hung(core, **options):
    """Bending frequencies of a component with its child bodies, lowest first."""
    mb = ist.Multibody("hung")
    mb.add_body("core", component=core, joint=ist.Free(), node=1)
    mb.add_lumped("core", **options)
    hz = mb.compile().modes().frequencies_hz
    return hz[hz > 1e-2]


@pytest.mark.parametrize("name", JOINTS)
def test_the_joint_of_the_deck(name):
    """Lumped bodies on the joints that their rigid elements leave them: modes of the whole finite-element model."""
    cards, expected = JOINTS[name]
    deck = deck_from_text(FREE + plate() + cards)
    whole = normal_modes(FEModel.from_deck(deck), n_modes=24).frequencies_hz
    whole = whole[whole > 1e-2][:10]
    core = Component.from_deck(deck, 400, separate_lumped=True, add_lumped_to_aset=True)
    assert [(one.joint, one.node, one.carrier) for one in core.child_bodies] == expected
    # the small inertia that massless interface rotations get shifts by up to 1e-7
    np.testing.assert_allclose(hung(core)[:10], whole, rtol=1e-6)


class HingeSpring(ist.Device):
    """A spring in a hinge."""

    joint = ist.JointRef()
    angle, torque = joint.coordinate(), joint.force()

    def outputs(d, t):
        d.torque = -1e6 * d.angle


def test_a_joint_of_the_deck_that_takes_moments_needs_a_node_that_turns():
    """Grid 100 has no rotation in the core: locked, driven or sprung there, the engine would hold on to the frame."""
    deck = deck_from_text(FREE + plate() + JOINTS["RBAR of translations"][0])
    core = Component.from_deck(deck, 400, separate_lumped=True, add_lumped_to_aset=True)
    mb = ist.Multibody("held")
    mb.add_body("core", component=core, joint=ist.Free(), node=1)
    mb.add_lumped("core")
    system = mb.compile()
    for mode in ("locked", "prescribed"):
        with pytest.raises(ist.errors.ModelError, match=r"node 100 .* not rigid enough .* no rotation"):
            system.set_joint_mode("core.CONM2_200", mode)
    assert system.joint_mode("core.CONM2_200") == "free"
    for given in ({"stiffness": 1e3}, {"damping": 5.0}, {"prescribed": True}):
        with pytest.raises(ist.errors.ModelError, match="not rigid enough to hinge: it has no rotation"):
            hung(core, joints={"CONM2_200": ist.Ball(**given)})
    hinged = deck_from_text(FREE + plate() + ENGINE + "RBE2,300,12,12346,100\n")
    mb = ist.Multibody("driven")
    core = Component.from_deck(hinged, 400, separate_lumped=True, add_lumped_to_aset=True)
    mb.add_body("core", component=core, joint=ist.Free(), node=1)
    mb.add_lumped("core")
    flight = ist.Assembly("driven", vehicle=mb.compile()).add("spring", HingeSpring(joint="core.CONM2_200"))
    with pytest.raises(ist.errors.ModelError, match="no rotation"):
        ist.linearize(flight, flight.state())


@pytest.mark.parametrize("link", ["RBAR,300,100,12,123456,,,123\n", "RBE2,300,100,123,12,22\n"])
def test_a_joint_away_from_the_grid_of_the_mass_is_refused(link):
    """The independent grid turns about the dependent ones: with its mass taken out it would be a mechanism."""
    deck = deck_from_text(FREE + plate() + ENGINE + link)
    with pytest.raises(
        ist.errors.ModelError, match=r"CONM2_200 cannot be taken out.*dependent grid.*grid 100|grid 100.*list"
    ):
        Component.from_deck(deck, 40, separate_lumped=True)
    assert Component.from_deck(deck, 4).lumped_inside.names == ["CONM2_200"]


def test_a_mass_that_is_held_by_no_joint_is_refused():
    """An RROD holds a distance: five motions are left, which is none of the joints."""
    cards = ENGINE + "RROD,300,12,100,,3\n"
    core = Component.from_deck(deck_from_text(FREE + plate() + cards), 10, separate_lumped=True)
    with pytest.raises(
        ist.errors.InputError, match=r"CONM2_200.*no node of the component moves as that joint"
    ):
        hung(core)


def test_units_and_files_keep_the_joint(tmp_path):
    """A deck in t-mm-s, saved, loaded and converted to SI has the frequencies of the deck in SI."""
    cards = ENGINE + SECOND + "RBAR,300,12,100,123456,,,123\nRBAR,301,100,101,123456,,,123456\n"
    core = Component.from_deck(
        deck_from_text(FREE + plate() + cards), 30, separate_lumped=True, add_lumped_to_aset=True, units="SI"
    )
    mm = core.with_changes(units="SI")
    mm.save(tmp_path / "core.h5")
    mm = Component.load(tmp_path / "core.h5", units="t-mm-s")
    np.testing.assert_allclose(mm.child_bodies[0].joint_position, [750.0, 600.0, 400.0])
    assert mm.child_bodies[1].carrier == "CONM2_200"
    np.testing.assert_allclose(hung(mm), hung(core), rtol=1e-7)


def test_a_list_chooses_which():
    """Some leave the body, the others stay in its modes and are declared there."""
    cards = ENGINE + SECOND + "RBE2,300,12,123456,100\nRBE2,301,22,123456,101\n"
    deck = deck_from_text(HEAD + plate() + cards)
    whole = normal_modes(FEModel.from_deck(deck), n_modes=18).frequencies_hz
    core = Component.from_deck(deck, 400, separate_lumped=[201], add_lumped_to_aset=True)
    assert [one.name for one in core.child_bodies] == ["CONM2_201"]
    assert core.lumped_inside.names == ["CONM2_200"]
    np.testing.assert_allclose(core.lumped_inside.position, [[0.85, 0.65, 0.42]])
    np.testing.assert_allclose(hung(core)[:10], whole[6:16], rtol=1e-6)
    both = Component.from_deck(deck, 400, separate_lumped=True, add_lumped_to_aset=True)
    np.testing.assert_allclose(hung(both, children=["CONM2_201", "CONM2_200"])[:10], whole[6:16], rtol=1e-6)
    lighter = hung(both, children="CONM2_201")
    assert lighter[0] > 1.001 * whole[6]
    gimbal = hung(both, joints={"CONM2_200": ist.Universal("xy", stiffness=1e8)})
    np.testing.assert_allclose(gimbal[:6], whole[6:12], rtol=1e-3)  # a gimbal 1e4 times as stiff as the plate
    with pytest.raises(ist.errors.InputError, match=r"no child body 'CONM2_9'.*CONM2_200"):
        hung(both, children=["CONM2_9"])
    with pytest.raises(ist.errors.InputError, match=r"CONM2 9, which is not in the deck.*200"):
        Component.from_deck(deck, 10, separate_lumped=[9])
    with pytest.raises(ist.errors.InputError, match="separate_lumped must be"):
        Component.from_deck(deck, 10, separate_lumped="200")


def test_a_child_does_not_come_without_its_carrier():
    cards, _ = JOINTS["locked to one on a ball joint"]
    core = Component.from_deck(
        deck_from_text(FREE + plate() + cards), 10, separate_lumped=True, add_lumped_to_aset=True
    )
    with pytest.raises(ist.errors.InputError, match="carried by 'CONM2_200'"):
        hung(core, children=["CONM2_201"])


def test_one_body_is_not_hung_twice(tmp_path):
    """A mass in the modes, or one that hangs already, is refused; another mass, or check=False, is not."""
    deck = deck_from_text(HEAD + plate() + ENGINE + "RBE2,300,12,123456,100\n")
    engine = {"mass": 50.0, "com": [0.1, 0.05, 0.02], "inertia": [3.0, 4.0, 5.0], "parent": "core", "at": 100}
    Component.from_deck(deck, 20, aset={12: 123456}).save(tmp_path / "inside.h5")
    mb = ist.Multibody("inside")
    mb.add_body("core", component=tmp_path / "inside.h5", joint=ist.Free())
    with pytest.raises(ist.errors.InputError, match=r"in its modes already: CONM2_200 at grid 100, mass 50"):
        mb.add_body("engine", **engine)
    arm = [0.35, 0.15, 0.42]  # the same body, described from the grid that carries it
    with pytest.raises(ist.errors.InputError, match="count twice"):
        mb.add_body("engine", **(engine | {"at": 12, "com": arm}))
    mb.add_body("other", **(engine | {"mass": 51.0}))
    mb.add_body("second", **engine, check=False)
    out = Component.from_deck(deck, 20, separate_lumped=True, add_lumped_to_aset=True)
    mb = ist.Multibody("out")
    mb.add_body("core", component=out, joint=ist.Free())
    mb.add_body("engine", **engine)
    with pytest.raises(ist.errors.InputError, match="hangs on body 'core' already, as 'engine'"):
        mb.add_lumped("core")


@pytest.mark.parametrize("arm", [True, False])
def test_equations_that_resist_rigid_motion_are_told_of(arm):
    """The engine moves as grid 12 does: u = u12 + θ12 × d, d = (0.25, 0.1, 0.4); without θ12 × d rotation is held."""
    levers = {1: [(5, 0.4), (6, -0.1)], 2: [(4, -0.4), (6, 0.25)], 3: [(4, 0.1), (5, -0.25)]}
    cards = ""
    for c in range(1, 7):
        cards += f"MPC,9,100,{c},-1.,12,{c},1.\n"
        for one, d in levers.get(c, []) if arm else []:
            cards = (
                cards.rstrip("\n") + f"\n,,12,{one},{d}" + "\n"
                if cards.endswith("1.\n")
                else cards.rstrip("\n") + f",12,{one},{d}\n"
            )
    deck = deck_from_text(FREE.replace("METHOD=1", "METHOD=1\nMPC=9") + plate() + ENGINE + cards)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        Component.from_deck(deck, 40, separate_lumped=True)
    told = [str(w.message) for w in seen if "resists rigid motion" in str(w.message)]
    assert len(told) == (0 if arm else 1) and all("grid 100" in one for one in told)
