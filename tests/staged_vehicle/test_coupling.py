"""Stages coupled by equations: one structure from its parts, and what does not fit is refused."""

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from vehicle_models import artemis_stage, first_stage, launcher, refused, upper_stage

from interstage import InterstageError, Stage, StagedVehicle
from interstage.fem import lumped_beam
from interstage.staged_vehicle.stack import couple

BEAM = {"EA": 4e6, "GJ": 2e4, "EI": (3e3, 2e3)}
LUMP = np.array([2.0, 2.0, 2.0, 0.1, 0.1, 0.1])


def dense_hz(K, M, n):
    values = la.eigh(np.asarray(K), np.asarray(M), eigvals_only=True)
    return np.sqrt(np.maximum(values, 0.0))[6 : 6 + n] / (2 * np.pi)


def halves(first: float, nodes: int) -> tuple[StagedVehicle, np.ndarray, np.ndarray]:
    """A beam cut in two at its middle, half of a lump on either side, and the whole beam."""
    whole = np.broadcast_to(LUMP, (2 * nodes - 1, 6))
    K, M, _ = lumped_beam(2.0 * (nodes - 1), 2 * nodes - 2, mass=whole, **BEAM)
    parts = []
    for name in ("a", "b"):
        mass = np.broadcast_to(LUMP, (nodes, 6)).copy()
        mass[-1 if name == "a" else 0] *= 0.5
        k, m, places = lumped_beam(nodes - 1.0, nodes - 1, mass=mass, **BEAM)
        parts.append(Stage(name, K=k, M=m, nodes=places))
    v = StagedVehicle("cut")
    v.add(parts[0])
    v.add(parts[1], at=[nodes - 1.0, 0.0, 0.0])
    return v, K, M


def test_two_halves_are_the_whole_beam():
    v, K, M = halves(0.5, 6)
    v.join("middle", ("a", 6), ("b", 1))
    assert v.stack().V.shape == (72, 66)
    np.testing.assert_allclose(v.modes(n_modes=12).frequencies_hz, dense_hz(K, M, 12), rtol=1e-9)


def test_equations_said_twice_are_dropped():
    v, K, M = halves(0.5, 6)
    v.join("middle", ("a", 6), ("b", 1))
    v.join("again", ("b", 1), ("a", 6), components=123)
    v.join("one more", equations=[{("a", 6, 1): 5.0, ("b", 1, 1): -5.0}])
    stack = v.stack()
    assert stack.coupling.dropped == 4
    np.testing.assert_allclose(v.modes(n_modes=8).frequencies_hz, dense_hz(K, M, 8), rtol=1e-9)


def test_a_rigid_link_is_the_offset_of_a_mass():
    """A body on a rigid arm r: its matrix at the node of the beam is that of a mass with an offset."""
    K, M, nodes = lumped_beam(5.0, 5, mass=LUMP, **BEAM)
    r = np.array([0.4, -0.3, 0.2])
    body = Stage(
        "body", K=np.zeros((6, 6)), M=np.diag([7.0, 7.0, 7.0, 0.5, 0.6, 0.7]), nodes={1: nodes[6] + r}
    )
    v = StagedVehicle("v")
    v.add(Stage("beam", K=K, M=M, nodes=nodes))
    v.add(body)
    v.join("arm", ("beam", 6), ("body", 1), rigid=True)
    skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    move = np.block([[np.eye(3), -skew], [np.zeros((3, 3)), np.eye(3)]])
    M[30:36, 30:36] += move.T @ np.diag([7.0, 7.0, 7.0, 0.5, 0.6, 0.7]) @ move
    np.testing.assert_allclose(v.modes(n_modes=10).frequencies_hz, dense_hz(K, M, 10), rtol=1e-8)


def test_dependents_are_those_that_keep_numbers_small():
    """In scaled coordinates no entry of S is above one for a link of any lever, also where it is said 10 times."""
    rng = np.random.default_rng(1)
    for lever in (0.03, 1.0, 30.0):
        C = np.zeros((6, 12))
        C[:, :6], C[:, 6:] = np.eye(6), -np.eye(6)
        C[0, 10], C[1, 9] = -lever, lever  # the arm along z
        angles = np.tile([False] * 3 + [True] * 3, 2)
        found = couple(sp.csr_matrix(np.vstack([C, rng.normal(size=(4, 6)) @ C])), angles, lever)
        assert (len(found.dependent), found.dropped) == (6, 4)
        scale = np.where(angles, lever, 1.0)
        S = found.S.toarray() * scale[:, None] / scale[found.independent]
        assert np.abs(S).max() < 1.0 + 1e-12
        assert np.abs(C @ found.S.toarray()).max() < 1e-13 * max(lever, 1.0)


def test_coupled_mass_and_rigid_motions():
    """Rigid motions of the coupled structure weigh as its parts do, and strain nothing."""
    v = launcher()
    stack = v.stack()
    fill = stack.propellant({"grain": 20e3, "lox": 12e3})
    M = stack.mass(fill)
    rigid = stack.rigid.T @ (M @ stack.rigid)
    assert rigid[3, 3] == pytest.approx(12e3 + 5e3 + 20e3 + 12e3 + 4e3, rel=1e-12)
    S = stack.V @ stack.rigid
    np.testing.assert_allclose(rigid, S.T @ (stack.node_mass(fill) @ S), rtol=1e-11, atol=1e-6)
    assert np.abs(stack.dry[0] @ stack.rigid).max() < 1e-9 * abs(stack.dry[0]).max() * 50.0


def test_nodes_that_do_not_meet_are_refused_with_their_gap():
    v = StagedVehicle("v")
    v.add(first_stage())
    v.add(upper_stage(), at=[30.25, 0.0, 0.0])
    with pytest.raises(
        InterstageError, match=r"do not meet .*node 13 of 'first'.* got a gap of 0.25; move a stage"
    ):
        v.join("separation", ("first", 13), ("upper", 1))
    v.join("separation", ("first", 13), ("upper", 1), rigid=True)
    assert len(v.modes(n_modes=2).frequencies_hz) == 2


def test_a_loose_stage_and_a_loose_hinge_are_refused():
    v, _, _ = halves(0.5, 4)
    with pytest.raises(InterstageError, match="'b' is joined to nothing"):
        v.stack()
    v.join("ball", ("a", 4), ("b", 1), components=123)
    with pytest.raises(InterstageError, match="motion without strain beside its six rigid ones"):
        v.modes(n_modes=4)


def test_relations_that_a_rigid_motion_breaks_are_refused():
    v, _, _ = halves(0.5, 4)
    v.join("bad", equations=[{("a", 4, 2): 1.0, ("b", 2, 2): -1.0}])
    with pytest.raises(
        InterstageError, match=r"strains when the whole vehicle moves.*as the vehicle turns about z"
    ):
        v.stack()


def test_names_that_are_wrong_are_refused():
    v = launcher()
    assert "did you mean first" in refused(lambda: v.join("j", ("frist", 1), ("upper", 1)))
    assert "has no node 99" in refused(lambda: v.join("j", ("first", 99), ("upper", 1)))
    assert "there is a join 'separation'" in refused(lambda: v.join("separation", ("first", 1), ("upper", 1)))
    assert "a side of a join" in refused(lambda: v.join("j", "first", ("upper", 1)))
    assert "different numbers of nodes" in refused(lambda: v.join("j", ("first", [1, 2]), ("upper", 1)))
    assert "a relation of a join" in refused(lambda: v.join("j", equations=[3]))
    assert "there is a stage 'first'" in refused(lambda: v.add(first_stage()))
    assert "not a stage" in refused(lambda: v.add("first"))
    other = artemis_stage()
    other.tanks["lox"] = other.tanks.pop("propellant")
    assert "two stages have a tank 'lox'" in refused(lambda: v.add(other))
    assert "without stages" in refused(lambda: StagedVehicle("none").stack())


def test_a_vehicle_says_its_mass_with_full_tanks():
    """12 t and 5 t dry, 60 t of grain, 20 t of oxygen and 4 t of hydrogen."""
    assert (
        repr(launcher()) == "<StagedVehicle 'launcher': stages first, upper; joins separation; mass 101000>"
    )


# meters and kilograms in the unit
UNITS = {"kg-m-s": (1.0, 1.0), "kg-km-s": (1.0, 1e-3), "t-mm-s": (1e-3, 1e3)}


def cut_beam(units: str) -> StagedVehicle:
    """Return two beams of 3 m, end to end, in some units."""
    m, L = UNITS[units]
    mass = LUMP * m * np.repeat([1.0, L**2], 3)
    force, moment = m * L, m * L**3  # of a newton, and of one times a square meter
    stiff = {"EA": 4e6 * force, "GJ": 2e4 * moment, "EI": (3e3 * moment, 2e3 * moment)}
    v = StagedVehicle("cut")
    for k, name in enumerate("ab"):
        K, M, nodes = lumped_beam(3.0 * L, 3, mass=np.broadcast_to(mass, (4, 6)), **stiff)
        v.add(Stage(name, K=K, M=M, nodes=nodes), at=[3.0 * k * L, 0.0, 0.0])
    return v


@pytest.mark.parametrize("units", UNITS)
def test_strain_of_joins_is_judged_alike_in_every_unit(units):
    """Coefficients that differ by 1e-4, or a lever that is 0.1 mm short on 6 m, are refused; by 1e-8 they pass."""
    _, L = UNITS[units]
    for wrong, too_far in ((1e-8, False), (1e-4, True)):
        by_gain, by_lever = cut_beam(units), cut_beam(units)
        by_gain.join("gain", equations=[{("a", 4, 1): 1.0, ("b", 1, 1): -1.0 - wrong}])
        by_lever.join(
            "lever", equations=[{("a", 3, 2): 1.0, ("a", 3, 6): (1.0 - wrong) * L, ("b", 1, 2): -1.0}]
        )
        for v, how in ((by_gain, "moves along x"), (by_lever, "turns about z")):
            if too_far:
                with pytest.raises(InterstageError, match=f"strains when the whole.*as the vehicle {how}"):
                    v.stack()
            else:
                with pytest.raises(InterstageError, match=r"motion without strain|joined"):
                    v.modes(n_modes=2)


@pytest.mark.parametrize("units", UNITS)
def test_nodes_of_a_tank_meet_those_of_the_stage_alike_in_every_unit(units):
    _, L = UNITS[units]
    for gap, too_far in ((1e-6, False), (1e-4, True)):
        stage = cut_beam(units).stages["a"]
        nodes = {1: [0.0, gap * L, 0.0], 2: [1.0 * L, 0.0, 0.0]}
        levels = {0.0: np.zeros((12, 12))}
        if too_far:
            with pytest.raises(
                InterstageError, match="node 1 of the tank is not where node 1 of the stage is"
            ):
                stage.add_tank("grain", levels=levels, nodes=nodes)
        else:
            stage.add_tank("grain", levels=levels, nodes=nodes)
