"""Rigid parts taken out of components: what went in comes out; parts that are not there are refused."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FidelityWarning, InputError, ModelError
from interstage.nastran import deck_from_text
from validation.engines_in_modes import ENGINE, GIMBALS, stage_deck


@pytest.fixture(scope="module")
def whole():
    return ist.Component.from_deck(deck_from_text(stage_deck(True)), n_modes=12, damping=0.01, name="stage")


def test_parts_go_back_as_bodies(whole):
    """Taken out and locked on again, the free body is what it was: frequencies, mass properties, damping."""
    part = whole
    for gimbal in GIMBALS:
        part = part.without_rigid(gimbal, ENGINE["mass"], ENGINE["inertia"], ENGINE["com"])
    mb = ist.Multibody("again")
    mb.add_body("stage", component=part, joint=ist.Free())
    for gimbal in GIMBALS:
        mb.add_body(f"engine{gimbal}", parent="stage", at=gimbal, joint=ist.Locked(), **ENGINE)
    again = mb.compile()
    assert again.modes().frequencies_hz[6:] == pytest.approx(whole.frequencies_hz, rel=1e-9)
    found = again.mass_properties(again.state())
    assert found.mass == pytest.approx(whole.mass, rel=1e-12)
    poles = ist.linearize(again, again.state()).poles()
    damping = [-p.real / abs(p) for p in poles if abs(p.imag) > 1.0]
    assert damping == pytest.approx([0.01] * len(damping), rel=1e-6)


def test_integrals_lose_what_the_part_put_in():
    """A point mass taken out and hung on again accelerates the deformed, spinning body as it did inside.

    Without geometric stiffness: of loads inside a body it leaves Coriolis and modal accelerations out, of joints not.
    """
    text = stage_deck(True).replace("ENDDATA", f"CONM2,990,{GIMBALS[0]},,55.\nENDDATA")
    whole = ist.Component.from_deck(deck_from_text(text), n_modes=8, name="stage", geometric_stiffness=False)
    part = whole.without_rigid(GIMBALS[0], 55.0, np.zeros((3, 3)))
    assert part.has_integrals and "CONM2_990" not in part.lumped_inside.names
    assert [body.name for body in part.child_bodies] == ["CONM2_990"]
    found = []
    for component in (whole, part):
        mb = ist.Multibody("spinning")
        mb.add_body("stage", component=component, joint=ist.Free())
        mb.add_lumped("stage")
        system = mb.compile()
        x = system.state()
        rng = np.random.default_rng(1)
        # the same deformation in the modes of either body
        eta = rng.normal(size=whole.n_modes) * 0.05 / (2 * np.pi * whole.frequencies_hz)
        rates = rng.normal(size=whole.n_modes) * 0.05
        found.append(_accelerations(system, x, whole, eta, rates))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9 * np.abs(found[0]).max())


def _accelerations(system, x, whole, eta, rates):
    """Accelerations of nodes of a spinning stage that has the shape and the rates of the modes of `whole`."""
    nodes = whole.node_ids[[2, 11, 20]]
    body = "stage"
    wanted = np.concatenate([whole.gamma[whole.node_row(n)] @ np.c_[eta, rates] for n in whole.node_ids])
    columns = []
    for k in range(len(x[body].eta)):
        y = system.state()
        y[body].eta[k] = 1.0
        p = [
            system.position(y, body, int(n)) - system.position(system.state(), body, int(n))
            for n in whole.node_ids
        ]
        columns.append(np.concatenate(p))
    fit = np.linalg.lstsq(np.array(columns).T, wanted, rcond=None)[0]
    x[body].eta[:] = fit[:, 0]
    x.v[:6] = [0.3, 0.4, -0.5, 0.1, 0.2, 0.3]
    x.v[6:] = fit[:, 1]
    vdot = system.forward_dynamics(x)
    return np.concatenate([system.acceleration(x, vdot, body, int(n)) for n in nodes])


def test_without_rigid_says_which_integrals_it_drops(whole):
    with pytest.warns(ist.errors.FidelityWarning, match="first and second order were dropped .* order 0"):
        twice = whole.without_rigid(GIMBALS[0], 100.0, np.zeros((3, 3)), modes=False)
    assert not twice.has_integrals and any("were dropped with the rigid part" in note for note in twice.notes)


def test_a_part_without_inertia_and_offset_is_a_point(whole):
    a = whole.without_rigid(GIMBALS[0], 100.0, np.zeros((3, 3)))
    b = whole.without_rigid(GIMBALS[0], 100.0, [0, 0, 0], offset=[0, 0, 0])
    np.testing.assert_array_equal(a.G0, b.G0)
    assert whole.mass - a.mass == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((9999, 1.0, [1, 1, 1]), InputError, "node 9999 is not in the component"),
        ((101, -1.0, [1, 1, 1]), InputError, "the part has no mass that could leave"),
        ((101, 1e9, [1, 1, 1]), InputError, "the part has no mass that could leave"),
        ((101, 1.0, [1, 1]), InputError, "inertia or offset of the part does not fit"),
        ((101, 7e4, [1e7, 1e7, 1e7]), ModelError, "the modes do not carry this part"),
    ],
)
def test_parts_that_are_not_there_are_refused(whole, arguments, error, said):
    with pytest.raises(error, match=said):
        whole.without_rigid(*arguments)


RESULTS = {"frame": ("CBAR", 80, "axial"), "tank": ("CBAR", 1, "bending_moment_a1")}


BLOCK = {
    "mass": 260.0,
    "com": (0.0, 0.0, 0.0),
    "inertia": (40.0, 40.0, 40.0),
}  # on each gimbal, without engines


def loaded(engines):
    """The stage with what its loads do, at the gimbals and at the nose."""
    return ist.Component.from_deck(
        deck_from_text(stage_deck(engines)),
        n_modes=30,
        name="stage",
        geometric_stiffness=[*GIMBALS, 26],
        load_grids=[*GIMBALS, 26],
        recover=RESULTS,
        damping=0.0,
    )


def both(whole, part, **options):
    """The stage alone, and with its parts taken out and locked on again."""
    rest = whole
    for gimbal in GIMBALS:
        rest = rest.without_rigid(gimbal, part["mass"], part["inertia"], part["com"])
    systems = []
    for component in (whole, rest):
        mb = ist.Multibody("stage")
        mb.add_body("stage", component=component, joint=ist.Free(), **options)
        for gimbal in GIMBALS if component is rest else ():
            mb.add_body(f"part{gimbal}", parent="stage", at=gimbal, joint=ist.Locked(), **part)
        systems.append(mb.compile())
    return systems


def test_recovered_results_without_parts():
    """Results of a deformed stage that is pushed are those of the stage with its engines in: loads, η and η̈."""
    stage = loaded(True)
    whole, again = both(stage, ENGINE, order=0, stiffening=False)
    forces = {("stage", 26): [3e3, -2e4, 1e4, -2e5, 3e5, 1e5], ("stage", 101): [0, 0, 0, 4e5, 1e5, 0]}
    x, y = whole.state(), again.state()
    eta = np.random.default_rng(1).normal(size=30) / stage.frequencies_hz**2
    x["stage"].eta[:] = 0.1 * eta
    y["stage"].eta[:] = np.linalg.solve(again.flexes[0].T, x["stage"].eta)
    ours, wanted = (s.recovered(z, "stage", forces=forces) for s, z in ((again, y), (whole, x)))
    rest = whole.recovered(whole.state(), "stage", forces=forces)
    for name in RESULTS:
        # arms of the engines turn with their nodes, those of the whole stage do not: 3e-5 of the results here
        assert ours[name] == pytest.approx(wanted[name], rel=5e-5), name
        assert abs(ours[name] - rest[name]) > 5e-4 * abs(rest[name])
    still = [s.recovered(s.state(), "stage", forces=forces) for s in (again, whole)]
    for name in RESULTS:
        assert still[0][name] == pytest.approx(still[1][name], rel=1e-9), name


def test_geometric_stiffness_without_parts():
    """Pushed at the nose the stage with its blocks locked on has the frequencies of the whole one."""
    stage, found = loaded(False), []
    for stiffening in (False, True):
        for system in both(stage, BLOCK, order=0, stiffening=stiffening):
            x = ist.trim(system, system.state(), forces={("stage", 26): [0, 0, 0, -2e6, 0, 0]}, frame="node")
            poles = ist.linearize(system, x, inputs=[], outputs=[]).poles()
            found.append(np.sort(poles.imag[poles.imag > 0.5])[:8])
    soft, soft_again, whole, again = found
    np.testing.assert_allclose(soft_again, soft, rtol=1e-6)
    np.testing.assert_allclose(again - soft_again, whole - soft, rtol=1e-3, atol=1e-6)
    assert np.abs(whole / soft - 1.0).max() > 1e-2


def test_parts_at_nodes_without_loads_lose_geometric_stiffness_and_are_refused_with_recovery():
    deck, part = deck_from_text(stage_deck(True)), (ENGINE["mass"], ENGINE["inertia"], ENGINE["com"])
    made = ist.Component.from_deck(deck, n_modes=6, name="stage")
    assert made.geometric_stiffness is not None
    with pytest.warns(
        FidelityWarning, match=rf"geometric stiffness was dropped.*load_grids=\[{GIMBALS[0]}\]"
    ):
        rest = made.without_rigid(GIMBALS[0], *part)
    assert rest.geometric_stiffness is None and any("was dropped" in note for note in rest.notes)
    made = ist.Component.from_deck(deck, n_modes=6, name="stage", recover={"root": ("CBAR", 1, "axial")})
    with pytest.raises(InputError, match="were found with the part in the body"):
        made.without_rigid(GIMBALS[0], *part)
