"""Propellant between its levels: linear in mass, never lighter or heavier than its label."""

import numpy as np
import pytest
from vehicle_models import artemis_stage, first_stage, grain, refused, rigid_end_deck, upper_stage

import interstage as ist
from interstage import InterstageError, Stage, StagedVehicle
from interstage.component.integrals import rigid_motion
from interstage.fem import lumped_beam
from interstage.nastran import deck_from_text


def a_stage(**more) -> Stage:
    K, M, nodes = lumped_beam(4.0, 4, EA=1e6, GJ=1e3, EI=1e3, mass=[1, 1, 1, 0.1, 0.1, 0.1])
    return Stage("s", K=K, M=M, nodes=nodes, **more)


def test_mass_first_moment_and_inertia_are_linear_between_levels():
    """Weights that do not depend on the data: what is linear in M is linear in the mass of the propellant."""
    stage = first_stage(levels=5)
    tank = stage.tanks["grain"]
    S = rigid_motion(stage.positions)
    low, high = (S.T @ (tank.M[k] @ S) for k in (2, 3))
    for w in (0.0, 0.3, 1.0):
        mass = (1 - w) * 30e3 + w * 45e3
        M = tank.between(tank.M, mass)
        found = S.T @ (M @ S)
        assert found[3, 3] == pytest.approx(mass, rel=1e-14)
        np.testing.assert_allclose(found, (1 - w) * low + w * high, rtol=1e-13, atol=1e-9)


def test_between_levels_no_matrix_is_indefinite():
    tank = first_stage(levels=5).tanks["grain"]
    for mass in np.linspace(0.0, 60e3, 41):
        assert np.linalg.eigvalsh(tank.between(tank.M, mass).toarray())[0] >= 0.0


def test_a_level_that_does_not_weigh_its_label_is_refused():
    with pytest.raises(InterstageError, match=r"does not weigh .* level 5.* got 4, 4, 4 along"):
        a_stage().add_tank("t", levels={0.0: grain(5, 0.0), 5.0: grain(5, 4.0)})
    # with the dry structure in the matrix
    stage = a_stage()
    with pytest.raises(InterstageError, match="dry structure belongs to the stage"):
        stage.add_tank("t", levels={5.0: stage.M + grain(5, 5.0)})


def test_a_mass_beyond_the_levels_is_refused():
    v = StagedVehicle("v")
    v.add(artemis_stage())
    with pytest.raises(InterstageError, match=r"not within the levels .* expected 0 to 6, got 7"):
        v.modes({"propellant": 7.0}, n_modes=2)
    with pytest.raises(InterstageError, match="did you mean propellant"):
        v.modes({"propelant": 1.0}, n_modes=2)


@pytest.mark.parametrize(
    "levels, words",
    [
        ({}, "labelled by the mass"),
        ({-1.0: grain(5, 0.0)}, "labelled by the mass"),
        ({"full": grain(5, 0.0)}, "labelled by the mass"),
        ({1.0: 3.0}, "a level is not usable"),
        ({1.0: np.eye(7)}, "does not fit the nodes"),
        ({0.0: grain(5, 0.0), 1.0: (grain(5, 1.0), np.zeros((30, 30)))}, "some levels have a stiffness"),
        ({1.0: grain(5, 1.0) + np.triu(np.ones((30, 30)), 1)}, "not symmetric"),
    ],
)
def test_refusals(levels, words):
    assert words in refused(lambda: a_stage().add_tank("t", levels=levels))


def test_rows_by_nodes_and_by_dofs_are_the_same_tank():
    one, other = a_stage(), a_stage()
    one.add_tank("t", levels={4.0: grain(2, 4.0)}, nodes=[4, 2])
    dofs = [(node, c) for node in (4, 2) for c in range(1, 7)]
    other.add_tank("t", levels={4.0: grain(2, 4.0)}, dofs=dofs)
    np.testing.assert_array_equal(one.tanks["t"].rows, other.tanks["t"].rows)
    with pytest.raises(InterstageError, match="no node 9"):
        one.add_tank("u", levels={4.0: grain(1, 4.0)}, nodes=[9])


def test_a_tank_with_a_node_of_its_own_is_a_mass_on_its_spring():
    """A bob of 2 on a spring of 50 along y beside node 3: with a heavy stage, ω² = k/m (1 + m/m_stage)."""
    K, M, nodes = lumped_beam(4.0, 4, EA=1e9, GJ=1e9, EI=1e9, mass=[1e3, 1e3, 1e3, 1e3, 1e3, 1e3])
    stage = Stage("s", K=K, M=M, nodes=nodes)
    k = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.diag([1e9, 50.0, 1e9, 1e9, 1e9, 1e9]))
    m = np.diag([0.0] * 6 + [2.0] * 3 + [0.1] * 3)
    stage.add_tank("bob", levels={2.0: (m, k)}, nodes={3: nodes[3], 103: nodes[3]})
    v = StagedVehicle("v")
    v.add(stage)
    found = v.modes(n_modes=1).frequencies_hz[0]
    assert found == pytest.approx(np.sqrt(50.0 / 2.0 * (1 + 2.0 / 5e3)) / (2 * np.pi), rel=1e-6)


def test_levels_and_stages_from_decks():
    """A stage with a rigid element, its propellant on the dependent grid: frequencies of the deck with that mass."""
    from interstage import FEModel, normal_modes

    stage = Stage.from_deck(rigid_end_deck(), name="deck")
    text = "GRID,4,,2.5,0.,0.\nCONM2,1,4,,{m}\n,{i},,{i},,,{i}\n"
    empty = deck_from_text(text.format(m="0.", i="0."))
    full = deck_from_text(text.format(m="4.", i="0.8"))
    stage.add_tank("t", levels={0.0: empty, 4.0: full})
    v = StagedVehicle("v")
    v.add(stage)
    from vehicle_models import RIGID_END

    both = RIGID_END + "CONM2,19,4,,2.\n,.4,,.4,,,.4\n"
    wanted = normal_modes(FEModel.from_deck(deck_from_text(both)), n_modes=10).frequencies_hz[6:]
    np.testing.assert_allclose(v.modes({"t": 2.0}, n_modes=4).frequencies_hz, wanted, rtol=1e-9)


def test_a_deck_that_is_held_is_refused():
    from vehicle_models import RIGID_END

    v = StagedVehicle("v")
    v.add(
        Stage.from_deck(
            deck_from_text(RIGID_END.replace("GRID,1,,0.,0.,0.", "GRID,1,,0.,0.,0.,,3")), name="d"
        )
    )
    with pytest.raises(InterstageError, match=r"not free|held"):
        v.stack()


def test_two_tanks_of_one_name_are_refused_whenever_they_came():
    v = StagedVehicle("v")
    stage = upper_stage()
    v.add(first_stage())
    v.add(stage, at=[30.0, 0.0, 0.0])
    v.join("separation", ("first", 13), ("upper", 1))
    stage.add_tank("grain", levels={0.0: grain(9, 0.0), 1e3: grain(9, 1e3)})
    with pytest.raises(InterstageError, match="there are two tanks 'grain'"):
        v.shapes(n_modes=2, levels=3, error=0.5)


def test_a_structure_weighs_the_same_along_each_axis():
    K, M, nodes = lumped_beam(4.0, 4, EA=1e6, GJ=1e3, EI=1e3, mass=[1, 2, 1, 0.1, 0.1, 0.1])
    assert "got 5, 10, 5 along x, y, z" in refused(lambda: Stage("s", K=K, M=M, nodes=nodes))
    K, M, nodes = lumped_beam(4.0, 4, EA=1e6, GJ=1e3, EI=1e3, mass=[-1, -1, -1, 0.1, 0.1, 0.1])
    assert "a mass is negative" in refused(lambda: Stage("s", K=K, M=M, nodes=nodes))
    uneven = np.diag([-1.0] * 3 + [0.0] * 3 + [6.0] * 3 + [0.0] * 21)
    assert "a mass is negative" in refused(lambda: a_stage().add_tank("t", levels={5.0: uneven}))


def test_a_tank_that_is_refused_leaves_nothing_behind():
    stage = a_stage()
    loose = {91: [2.0, 1.0, 0.0]}  # a node that nothing holds, and whose level weighs something else
    assert "does not weigh" in refused(
        lambda: stage.add_tank("t", levels={0: np.zeros((6, 6)), 3: np.eye(6)}, nodes=loose)
    )
    assert len(stage.nodes) == 5 and stage.K.shape == stage.M.shape == (30, 30) and not stage.tanks
    assert "{mass: matrix}" in refused(lambda: stage.add_tank("t", levels=[1, 2]))


def test_a_node_is_named_once():
    K, M, nodes = lumped_beam(10.0, 5, EA=1e7, GJ=1e4, EI=3e3, mass=[2, 2, 2, 0.1, 0.1, 0.1])
    stage = Stage("s", K=K, M=M, nodes=nodes)
    text = refused(lambda: stage.add_tank("g", levels={0.0: 0 * M, 12.0: M}, nodes=[1, 1, 2, 3, 4, 5]))
    assert "node 1 is named twice" in text


@pytest.mark.parametrize(("off", "allowed"), [(5e-7, True), (2e-6, False)])
def test_levels_may_be_off_their_labels_by_what_decks_print(off, allowed):
    """A millionth of the heaviest level, whatever that weighs."""
    for mass in (1e-3, 4.0, 6e4):
        levels = {0.5 * mass: grain(5, 0.5 * mass), mass: (1.0 + off) * grain(5, mass)}
        if allowed:
            a_stage().add_tank("t", levels=levels)
        else:
            assert "weigh what its label says" in refused(
                lambda levels=levels: a_stage().add_tank("t", levels=levels)
            )


@pytest.mark.parametrize("which", ["K", "M", "tank", "deck", ""])
def test_short_numbers_of_stages_are_noted_in_all_that_is_made_of_them(which):
    """Structure or propellant in single precision, or a DMIG of six digits: vehicle, part, component, linear model."""
    K, M, nodes = lumped_beam(
        5.0, 6, EA=1e6 / 3, GJ=1e3 / 7, EI=1e3 / 3, mass=[1 / 3, 1 / 3, 1 / 3, 0.01, 0.01, 0.01]
    )
    rough = np.random.default_rng(2).uniform(0.9, 1.1, 7)  # of nodes: numbers that differ
    M = M * np.kron(rough, np.ones(6))[:, None]
    given = {"K": K, "M": M}
    if which in given:
        given[which] = given[which].astype("f4")
    stage = Stage("first", **given, nodes=nodes)
    words = f"single precision in {which} of stage 'first'"
    full = np.diag(np.kron(rough / rough.sum() * 5.0, [1, 1, 1, 0.01, 0.01, 0.01]))
    full[:] *= 5.0 / full[::6, ::6].sum()
    levels = {0.0: 0.0 * full, 5.0: full}
    if which == "tank":
        levels = {mass: one.astype("f4") for mass, one in levels.items()}
        words = "single precision in M of tank 'fuel'"
    stage.add_tank("fuel", levels=levels)
    upper = Stage("upper", K=K, M=M, nodes=nodes)
    if which == "deck":
        text = "SOL 103\nCEND\nM2GG = MX\nBEGIN BULK\n"
        text += "MAT1,1,7.+10,,.3,2700.\nPBAR,1,1,.4,1.-4,1.-4,2.-4\nDMIG,MX,0,6,1\n"
        text += "".join(f"GRID,{k},,{k - 1}.,0.,0.\n" for k in range(1, 8))
        text += "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 7))
        for k, value in enumerate(2.0 + np.random.default_rng(0).random(18)):  # rotary inertia
            grid, c = 1 + k // 3, 4 + k % 3
            text += f"DMIG*   MX{grid:22d}{c:16d}\n*{grid:23d}{c:16d}{value:16.5E}\n"
        upper = Stage.from_deck(deck_from_text(text), name="upper")
        words = "6 decimal digits in DMIG MX"
    v = StagedVehicle("v")
    v.add(stage)
    v.add(upper, at=[5.0, 0.0, 0.0])
    v.join("sep", ("first", 7), ("upper", min(upper.nodes)))
    shapes = v.shapes(n_modes=3, levels=2, error=1.0)
    mb = v.multibody(shapes)
    system = mb.compile()
    for notes in (mb.notes, v.component(shapes).notes, ist.linearize(system, system.state()).notes):
        assert any(words in note for note in notes) == bool(which), notes
    part = v.without("first" if which == "deck" else "upper")
    assert any(
        words in note for note in part.multibody(part.shapes(n_modes=2, levels=2, error=1.0)).notes
    ) == bool(which)
    other = v.without("upper" if which == "deck" else "first")
    assert other.multibody(other.shapes(n_modes=2, levels=2, error=1.0)).notes == []
