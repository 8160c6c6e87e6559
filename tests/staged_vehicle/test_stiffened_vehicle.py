"""Geometric stiffness of a burning vehicle: thrust that its changing inertia balances, against the whole structure."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
from vehicle_models import FIRST, THRUST, UPPER, bar_rocket, bars, grain, refused

import interstage as ist
from interstage import devices as dev
from interstage.fem.geometric import geometric_stiffness
from interstage.fem.model import FEModel
from interstage.kane import Kane
from interstage.staged_vehicle import NodalLoad, PropellantTank, simulate_free_flight


@pytest.fixture(scope="module")
def v():
    return bar_rocket()


@pytest.fixture(scope="module")
def shapes(v):
    return v.shapes(below_hz=35.0, levels=3, error=1e-3, attach=["separation", ("first", 1)])


def whole_model(fill):
    """Frequencies (k,), Hz, of the dense model of the stack under thrust at its foot that follows the node.

    One stage of bars after the other, joined by hand; the load is balanced by the inertia of the fill, solved without
    any support, and its stresses stiffen the elements; the thrust turns with its node.
    """
    decks = bars(*FIRST, 0.04, 12e3), bars(*UPPER, 0.02, 5e3)
    models = [FEModel.from_deck(deck) for deck in decks]
    sizes = [model.K_gg.shape[0] for model in models]
    both = np.zeros((sum(sizes), sum(sizes) - 6))
    both[: sizes[0], : sizes[0]] = np.eye(sizes[0])
    both[sizes[0] :, sizes[0] - 6 :] = np.eye(sizes[1])
    K, M = (la.block_diag(*(getattr(one, name).toarray() for one in models)) for name in ("K_gg", "M_gg"))
    s = fill["grain"] / 60e3
    low, high = np.floor(4 * s) / 4, np.ceil(4 * s) / 4
    w = 0.0 if low == high else (s - low) / (high - low)
    M[: sizes[0], : sizes[0]] += (1 - w) * grain(13, 60e3 * low, 0.4 + 0.6 * low) + w * grain(
        13, 60e3 * high, 0.4 + 0.6 * high
    )
    M[sizes[0] : sizes[0] + 30, sizes[0] : sizes[0] + 30] += grain(5, fill["lox"], 1.0)
    K, M = both.T @ K @ both, both.T @ M @ both
    x = np.unique(np.concatenate([models[0].grids.xyz[:, 0], FIRST[0] + models[1].grids.xyz[:, 0]]))
    S = np.zeros((len(x), 6, 6))
    for j in range(3):
        S[:, j, j], S[:, 3 + j, 3 + j] = 1.0, 1.0
    S[:, 1, 5], S[:, 2, 4] = x, -x
    S = S.reshape(-1, 6)
    p = np.zeros(len(K))
    p[0] = THRUST
    p -= M @ S @ np.linalg.solve(S.T @ M @ S, S.T @ p)
    u = both @ la.lstsq(K, p, cond=1e-13)[0]
    Kg = la.block_diag(
        *(
            geometric_stiffness(one, part, "full")[0].toarray()
            for one, part in zip(models, np.split(u, [sizes[0]]))
        )
    )
    follower = np.zeros_like(K)
    follower[1, 5], follower[2, 4] = THRUST, -THRUST
    rates = la.eigvals(np.linalg.solve(M, K + both.T @ Kg @ both - follower))
    return np.sort(np.sqrt(np.maximum(rates.real, 0.0))) / (2 * np.pi)


FILLS = [{"grain": 60e3, "lox": 20e3}, {"grain": 22_440.0, "lox": 20e3}, {"grain": 0.0, "lox": 20e3}]


def flying(system, shapes):
    """Return the vehicle with its thrust, as a linear model about its trim."""
    flight = ist.Assembly("up", vehicle=system)
    flight.add(
        "main", dev.Engine(body=("rocket", shapes.node_id("first", 1)), thrust=THRUST, flow=2000.0, level=1.0)
    )
    return ist.linearize(flight, ist.trim(flight), inputs=[], outputs=[])


def bending(model):
    hz = np.sort(np.abs(model.poles().imag)) / (2 * np.pi)
    return np.unique(np.round(hz[hz > 0.2], 7))


@pytest.mark.parametrize("fill", FILLS)
def test_prestressed_modes_of_the_whole_stack(v, shapes, fill):
    """The first three bending modes, an eleventh of the buckling load away from it, full to empty, by default.

    1e-4: the vehicle bends about its compressed shape, finite elements about the one on paper.
    """
    system = v.multibody(shapes, propellant=fill).compile()
    found, wanted = bending(flying(system, shapes)), whole_model(fill)
    wanted = wanted[wanted > 0.2]
    np.testing.assert_allclose(found[:3], wanted[:6:2], rtol=1e-4)
    np.testing.assert_allclose(wanted[:6:2], wanted[1:6:2], rtol=1e-8)
    declined = v.multibody(shapes, propellant=fill, geometric_stiffness=False).compile()
    with pytest.warns(ist.FidelityWarning, match="without geometric stiffness.*StagedVehicle.multibody"):
        without = bending(flying(declined, shapes))
    assert without[0] > 1.07 * found[0]


def test_every_frame_has_the_same_poles(v, shapes):
    """Made anew at a fill and carried by the frame of any node: thrust and compression belong together.

    1e-4: compression, 2e-4 of the length, moves the nodes that carry frames. Without stiffness they are far apart.
    """
    fill, found = FILLS[1], []
    wanted = bending(flying(v.multibody(shapes, propellant=fill).compile(), shapes))
    component = v.component(shapes, fill)
    for node, stiffening in ((("first", 1), True), (("upper", 9), True), (("upper", 9), False)):
        mb = ist.Multibody("anew")
        given = {"node": shapes.node_id(*node), "stiffening": stiffening}
        mb.add_body("rocket", component=component, joint=ist.Free(), **given)
        found.append(bending(flying(mb.compile(), shapes)))
    np.testing.assert_allclose(found[0][:4], wanted[:4], rtol=1e-4)
    np.testing.assert_allclose(found[1][:4], wanted[:4], rtol=1e-4)
    assert found[2][0] > 1.1 * wanted[0]


@pytest.fixture(scope="module")
def few(v):
    return v.shapes(n_modes=6, levels=2, error=1.0, attach=[("first", 1, "yz")])


def hung(mb, shapes, strut=False):
    """A nozzle on its gimbal at the foot and a payload at the nose; a strut holds the nozzle to a node."""
    foot, nose = shapes.node_id("first", 1), shapes.node_id("upper", 9)
    gimbal = ist.Universal(("y", "z"), stiffness=3e6, damping=1e4)
    nozzle = {"mass": 800.0, "com": [-1, 0, 0], "inertia": [300.0] * 3}
    mb.add_body("nozzle", parent="rocket", at=foot, joint=gimbal, **nozzle)
    mb.add_body("bob", mass=50.0, com=[0, 1, 0], parent="rocket", at=nose, joint=ist.Revolute("z"))
    if strut:
        mb.close(
            "strut", ("nozzle", [2.5, 0, 0]), ("rocket", shapes.node_id("first", 2)), joint=ist.Slot("x")
        )
    return mb


PLACES = [("first", 2), ("first", 5), ("upper", 9)]
FILL = {"grain": 22_440.0, "lox": 11_960.0}  # stiffness is found at thousandths of a tank


@pytest.mark.kernels
@pytest.mark.parametrize("strut", [False, True])
def test_switched_propellant_is_a_body_made_anew(v, few, strut):
    """Accelerations, forces, energy and slopes, spinning and pushed, with forces across joints and in a loop."""
    burning = hung(v.multibody(few, geometric_stiffness=PLACES), few, strut).compile()
    for name, mass in FILL.items():
        burning.propellant[name] = mass
    mb = ist.Multibody("anew")
    component = v.component(few, FILL, geometric_stiffness=PLACES)
    mb.add_body("rocket", component=component, joint=ist.Free())
    anew = hung(mb, few, strut).compile()
    one = few.integrals(FILL)
    T = la.eigh(one.K, one.G)[1]
    rng = np.random.default_rng(3)
    x, y = burning.state(), anew.state()
    y["rocket"].eta[:] = rng.normal(size=len(T)) * 0.3
    y.v[:] = 0.3 * rng.normal(size=len(y.v))
    x.v[:] = y.v
    x["rocket"].eta[:], x["rocket"].etadot[:] = T @ y["rocket"].eta, T @ y["rocket"].etadot
    S = np.eye(len(x.v))
    S[x.layout["rocket"].etadot, x.layout["rocket"].etadot] = T
    forces = {("rocket", few.node_id("first", 5)): np.array([1e4, 2e4, -1e4, 3e6, 1e6, -2e6])}
    found, wanted = burning.forward_dynamics(x, forces=forces), S @ anew.forward_dynamics(y, forces=forces)
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
    plain = hung(v.multibody(few, propellant=FILL, geometric_stiffness=False), few, strut).compile()
    assert np.abs(plain.forward_dynamics(x, forces=forces) - found).max() > 5e-4 * np.abs(found).max()
    if strut:
        return
    tau = burning.inverse_dynamics(x, found, forces=forces)
    np.testing.assert_allclose(tau, 0.0, atol=1e-10 * np.abs(burning.mass_matrix(x) @ found).max())
    assert burning.energy(x, forces=forces) == pytest.approx(anew.energy(y, forces=forces), rel=1e-10)
    kane = Kane(mb, like=anew)
    M, f = kane.equations(y.q, y.v, np.zeros(len(y.v)), forces)
    second = S @ np.linalg.solve(M, f)
    np.testing.assert_allclose(found, second, atol=1e-8 * np.abs(second).max())


@pytest.mark.parametrize("flow", [0.0, 900.0])
def test_the_vehicle_alone_is_stiffened_as_in_the_engine(v, few, flow):
    """Spin, thrust that follows its node and a force of the world, by dense equations and by the engine.

    While propellant burns the one takes it at mid-step, the other finds stiffness at thousandths of a tank.
    """
    system = v.multibody(few, propellant=FILL, geometric_stiffness=PLACES).compile()
    flight = ist.Assembly("up", vehicle=system)
    foot = ("rocket", few.node_id("first", 1))
    flight.add("main", dev.Engine(body=foot, thrust=THRUST, flow=flow, level=1.0))
    flight.add("grain", PropellantTank(of="grain"))
    flight.wire({"main.mass_flow": "grain.flow"})
    x = system.state()
    eta = 0.1 * np.random.default_rng(6).normal(size=len(few))
    x["rocket"].eta[:], x["rocket"].velocity[:] = eta, [0.1, -0.3, 0.4, 50.0, 1.0, 0.0]
    wanted = ist.simulate(flight, x, until=0.2, step=5e-4, method="rk4", log_step=0.1)["rocket"].eta[-1]
    found = [
        simulate_free_flight(
            few, until=0.2, step=5e-4, loads=[NodalLoad(("first", 1), [1, 0, 0], THRUST, "follower")], eta=eta,
            velocity=[0.1, -0.3, 0.4, 50.0, 1.0, 0.0], propellant=FILL, flow={"grain": flow} if flow else None,
            geometric_stiffness=stiff,
        ).eta[-1]
        for stiff in (None, False)
    ]  # fmt: skip
    size = np.abs(wanted).max()
    np.testing.assert_allclose(found[0], wanted, atol=(1e-5 if flow else 1e-9) * size)
    assert np.abs(found[1] - wanted).max() > 1e-3 * size


def by_node(stiff):
    """Return its matrices in the order of nodes, which ids of a part and of the whole share."""
    return stiff.K[np.lexsort(stiff.load.T[::-1])]


def test_both_parts_keep_it_when_stages_part(v, few):
    """After the cut each part knows the loads at its own nodes, as one that is made of it alone."""
    v.multibody(few)
    after = v.without("first").shapes(n_modes=4, levels=2, error=1.0)
    spent = v.without("upper").shapes(n_modes=4, levels=2, error=1.0)
    system = v.multibody(few, geometric_stiffness=PLACES).compile()
    action = v.staging("separation", when=1.0, shapes=after, spent=spent).action
    cut, _ = action.apply(1.0, system, system.state())
    for part, own, places in (("rocket", after, [("upper", 9)]), ("first", spent, PLACES[:2])):
        found = cut.model.spec(part).component.geometric_stiffness
        alone = v.without("first" if part == "rocket" else "upper")
        wanted = alone.multibody(own, geometric_stiffness=places).specs[0].component.geometric_stiffness
        np.testing.assert_allclose(by_node(found), by_node(wanted), atol=1e-9 * np.abs(wanted.K).max())
        more = [("upper", 1)] if part == "rocket" else [("first", 1), ("first", 13)]  # engine and join
        assert found.nodes.tolist() == sorted(few.node_id(*p) for p in [*places, *more])


def test_parts_are_stiffened_by_default(v, few):
    """Each part has, at a node of its own, the stiffness of a vehicle that was made of its stages alone."""
    after = v.without("first").shapes(n_modes=4, levels=2, error=1.0)
    spent = v.without("upper").shapes(n_modes=4, levels=2, error=1.0)
    system = v.multibody(few).compile()
    cut, _ = v.staging("separation", when=1.0, shapes=after, spent=spent).action.apply(
        1.0, system, system.state()
    )
    for part, own in (("rocket", after), ("first", spent)):
        alone = v.without("first" if part == "rocket" else "upper").multibody(own).specs[0].component
        found, wanted = cut.model.spec(part).component.geometric_stiffness, alone.geometric_stiffness
        assert len(found.nodes) == len(own.stack.places)
        np.testing.assert_allclose(by_node(found), by_node(wanted), atol=1e-9 * np.abs(wanted.K).max())
    declined = v.multibody(few, geometric_stiffness=False).compile()
    cut, _ = v.staging("separation", when=1.0, shapes=after).action.apply(1.0, declined, declined.state())
    assert cut.model.spec("rocket").component.geometric_stiffness is None


@pytest.fixture(scope="module")
def plain():
    """The rocket from the matrices of its stages: what stresses its elements have is not known."""
    v, like = ist.StagedVehicle("rocket"), bar_rocket()
    for name, at in (("first", [0.0, 0.0, 0.0]), ("upper", [FIRST[0], 0.0, 0.0])):
        of = like.stages[name]
        v.add(ist.Stage(name, K=of.K, M=of.M, nodes=of.nodes), at=at)
    v.join("separation", ("first", 13), ("upper", 1))
    v.stages["first"].add_tank("grain", levels={60e3 * s: grain(13, 60e3 * s) for s in (0.0, 1.0)})
    v.add_engine("main", at=("first", 1), feeds={"grain": 1.0}, flow=2000.0, thrust=THRUST)
    return v, v.shapes(n_modes=6, levels=2, error=1.0, attach=[("first", 1, "x")])


def test_thrust_on_a_stage_of_matrices_is_warned_of(plain):
    """In linear models, in a flight, and of the vehicle alone; a thrust of a hundredth is not."""
    v, shapes = plain
    system = v.multibody(shapes).compile()
    words = "carries .* without geometric stiffness.*make its stages from decks"
    with pytest.warns(ist.FidelityWarning, match=words):
        flying(system, shapes)
    with pytest.warns(ist.FidelityWarning, match=words):
        ist.simulate(v.assembly(system), system.state(), until=0.05, step=1e-3)
    load = NodalLoad(("first", 1), [1, 0, 0], THRUST, "follower")
    with pytest.warns(ist.FidelityWarning, match=words) as found:
        simulate_free_flight(shapes, until=0.01, step=1e-3, loads=[load])
    hz = float(str(found[0].message).split("its mode of ")[1].split(" Hz")[0])
    assert hz == pytest.approx(shapes.frequencies_hz[0], rel=1e-3)  # four digits are printed
    with warnings.catch_warnings():
        warnings.simplefilter("error", ist.FidelityWarning)
        simulate_free_flight(shapes, until=0.01, step=1e-3, loads=[replace(load, size=0.01 * THRUST)])


def test_rockets_side_by_side():
    """Four times Young's modulus under four times the thrust: four times every ω², whichever was described first."""
    rockets = {s: bar_rocket(7e10 * s) for s in (1.0, 4.0)}
    shapes = {s: one.shapes(n_modes=6, levels=1, error=0.1) for s, one in rockets.items()}
    thrust, rates = 2e7, {}
    for s in (1.0, 4.0, 1.0):
        c = rockets[s].component(shapes[s], propellant=FILLS[1])
        g = c.geometric_stiffness
        own = (g.load == (shapes[s].node_id("first", 1), 1)).all(axis=1)
        still = (2 * np.pi * c.frequencies_hz) ** 2
        found = la.eigvalsh(np.diag(still) + s * thrust * g.K[own][0])
        assert found[0] < 0.8 * still[0]
        np.testing.assert_array_equal(found, rates.setdefault(s, found))
    np.testing.assert_allclose(rates[4.0], 4.0 * rates[1.0], rtol=1e-8)


def test_places_of_a_vehicle_of_many_nodes():
    """Of more than 64 nodes, engines and what shapes are attached to are known, and thrust elsewhere is warned of."""
    v = ist.StagedVehicle("rocket")
    v.add(ist.Stage.from_deck(bars(30.0, 70, 0.004, 12e3), "first"))
    v.stages["first"].add_tank("grain", levels={s: grain(71, s) for s in (0.0, 5e3)})
    v.add_engine("main", at=("first", 1), flow=10.0, thrust=1e6, feeds={"grain": 1.0})
    shapes = v.shapes(n_modes=4, levels=1, attach=[("first", 71)])
    mb = v.multibody(shapes)
    assert mb.specs[0].component.geometric_stiffness.nodes.tolist() == [1, 71]
    system = mb.compile()
    push = {("rocket", 40): np.array([0.0, 0.0, 0.0, 1e6, 0.0, 0.0])}
    with pytest.warns(ist.FidelityWarning, match=r"does not know \(40\)"):
        ist.simulate(system, system.state(), until=0.01, step=1e-3, forces=push)


def test_a_description_is_saved_with_it(v, few, tmp_path):
    mb = v.multibody(few, propellant=FILL, geometric_stiffness=True)
    mb.save(tmp_path / "v.h5")
    one, two = mb.compile(), ist.Multibody.load(tmp_path / "v.h5").compile()
    x = one.state()
    x["rocket"].eta[:], x.v[:] = 0.1, 0.3
    np.testing.assert_array_equal(one.forward_dynamics(x), two.forward_dynamics(x))


def test_refusals(v, few):
    assert "does not know loads at node" in refused(
        lambda: hung(v.multibody(few, geometric_stiffness=True), few).compile()
    )
    assert "no node 99" in refused(lambda: v.multibody(few, geometric_stiffness=[("first", 99)]))
    plain = ist.StagedVehicle("plain")
    core = v.stages["first"]
    plain.add(ist.Stage("first", K=core.K, M=core.M, nodes=core.nodes))
    own = plain.shapes(n_modes=2, levels=1)
    assert "stage 'first' has no elements" in refused(lambda: plain.multibody(own, geometric_stiffness=True))
    soft = ist.Stage.from_deck(bars(*FIRST, 0.04, 12e3), "first")
    levels = {m: (grain(13, m), 1e-3 * m * core.K) for m in (0.0, 60e3)}
    soft.add_tank("grain", levels=levels)
    plain = ist.StagedVehicle("plain")
    plain.add(soft)
    own = plain.shapes(n_modes=2, levels=1)
    assert "a stiffness of its own" in refused(lambda: plain.multibody(own, geometric_stiffness=True))
