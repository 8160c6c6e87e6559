"""Geometric stiffness of bodies under the loads that they carry: Kane, published beams, whole FE models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la
from beams import BARS, LENGTH, PULL, UNIT, straight
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import beam, random_state, random_tree

import interstage as ist
from interstage.component.component import GeometricStiffness
from interstage.errors import ModelError
from interstage.fem import geometric_stiffness
from interstage.kane import Kane


def stiffened(component, rng, size=0.1):
    """The component with a made-up geometric stiffness of spin and of loads at all nodes, some without effect."""
    load = np.array([(node, k) for node in (0, *component.node_ids) for k in range(1, 7)])
    load = load[rng.random(len(load)) < 0.8]
    omega = 2 * np.pi * component.frequencies_hz
    K = (
        rng.normal(size=(len(load), component.n_modes, component.n_modes))
        * np.sqrt(np.outer(omega, omega))
        * size
    )
    KR, RR = (
        rng.normal(size=(len(load), component.n_modes, 3)) * size,
        rng.normal(size=(len(load), 3, 3)) * size,
    )
    K, RR = K + K.transpose(0, 2, 1), RR + RR.transpose(0, 2, 1)
    return component.with_changes(geometric_stiffness=GeometricStiffness(load, component.node_ids, K, KR, RR))


MADE_UP = [
    stiffened(beam(), np.random.default_rng(1)),
    stiffened(beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent"), np.random.default_rng(2)),
    stiffened(beam(lumped=True, n_modes=6, tip_mass=1.0, name="lumped"), np.random.default_rng(3)),
]


def made_up(seed, components=MADE_UP):
    """A random tree of such bodies, its state and loads."""
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, int(rng.integers(2, 7)), components=components)
    system = mb.compile()
    x = random_state(system, rng, deflection=2e-4)
    forces = {}
    for spec in mb.specs:
        if spec.component is not None and rng.random() < 0.5:
            forces[spec.name, int(rng.choice(spec.component.node_ids))] = rng.normal(size=6)
    return mb, system, x, rng.normal(size=system.nv), forces


@pytest.mark.kernels
@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_engine_equals_kane(seed):
    mb, system, x, tau, forces = made_up(seed)
    if not system.nv:
        return
    kane, vdot = Kane(mb, like=system), system.forward_dynamics(x, forces=forces, tau=tau)
    ours, wanted = system.energy(x, forces=forces, tau=tau), kane.energy(x.q, x.v, tau=tau, forces=forces)
    assert ours == pytest.approx(wanted, abs=1e-10 * sum(abs(e) for e in system.energies(x)))
    M, f = kane.equations(x.q, x.v, tau, forces)
    assert abs(M @ vdot - f).max() <= 1e-10 * (abs(M) @ abs(vdot) + abs(f)).max()
    back = system.inverse_dynamics(x, vdot, forces)
    assert abs(back - tau).max() <= 1e-9 * (abs(M) @ abs(vdot) + abs(f)).max()


@pytest.fixture(scope="module")
def blade():
    return ist.Component.from_deck(straight(True, 64), 26, aset={1: 123456}, geometric_stiffness=True)


def on_hub(blade, **options):
    """The blade on a hub that is driven about z."""
    mb = ist.Multibody("rotor")
    mb.add_body("hub", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z", prescribed=True))
    mb.add_body("blade", component=blade, parent="hub", joint=ist.Locked(), **options)
    return mb.compile()


def poles(system, x, **loads):
    """Frequencies (rising) and largest growth at the trimmed state, in units of the beam."""
    found = ist.linearize(system, ist.trim(system, x, **loads), inputs=[], outputs=[]).poles() / UNIT
    found = found[found.imag > 0.1]
    return np.sort(found.imag), found.real.max(initial=0.0)


# flapping of a rotating cantilever without hub radius, first two modes by Ω (Wright et al., J. Appl. Mech. 49, 1982)
FLAP = {
    0: (3.5160, 22.0345), 1: (3.6817, 22.1810), 2: (4.1373, 22.6149), 3: (4.7973, 23.3203), 4: (5.5850, 24.2734),
    6: (7.3604, 26.8091), 8: (9.2568, 29.9954), 10: (11.2023, 33.6404), 12: (13.1702, 37.6031),
}  # fmt: skip


def test_rotating_cantilever(blade):
    """Flapping as published, lagging ω² = flapping² - Ω²."""
    system = on_hub(blade)
    for speed, published in FLAP.items():
        x = system.state()
        x["hub"].v[:] = speed * UNIT
        found, _ = poles(system, x)
        lag = np.sqrt(np.array(published) ** 2 - speed**2)
        for one in (*published, *lag):
            assert np.abs(found / one - 1.0).min() < 2e-4, (speed, one, found[:4])


@pytest.mark.parametrize("degrees", [0, 30, 60, 90])
def test_setting_angle(degrees):
    """A blade four times as stiff one way, turned about its axis: whole FE with Kg, centrifugal and Coriolis terms."""
    deck, speed, n = straight(n=20, wide=4.0), 6.0 * UNIT, 20
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    blade = ist.Component.from_deck(deck, 26, aset={1: 123456}, geometric_stiffness=True)
    system = on_hub(blade, rotation=turn)
    x = system.state()
    x["hub"].v[:] = speed
    fe = ist.FEModel.from_deck(deck)
    K, M, f = fe.K_gg.toarray(), fe.M_gg.toarray(), np.arange(6, 6 * n + 6)
    w = speed * turn.T[:, 2]
    W = np.kron(np.eye(2 * n + 2), [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    W[np.arange(6 * n + 6) % 6 > 2] = 0.0  # grids have next to no rotary inertia
    place = np.zeros((n + 1, 6))
    place[:, :3] = fe.grids.xyz
    u = np.zeros(len(K))
    u[f] = la.solve(K[np.ix_(f, f)], (-M @ W @ W @ place.ravel())[f])
    stiff = (K + geometric_stiffness(fe, u, "full")[0].toarray() + M @ W @ W)[np.ix_(f, f)]
    M, G = M[np.ix_(f, f)], 2.0 * (M @ W)[np.ix_(f, f)]
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros_like(M), np.eye(len(M))], [-inverse @ stiff, -inverse @ G]])
    truth = np.linalg.eigvals(A).imag / UNIT
    found = poles(system, x)[0]
    for one in np.sort(truth[truth > 0.1])[:4]:
        assert np.abs(found / one - 1.0).min() < 2e-4, (degrees, one, found[:5])


def spun_up(bodies, stiffening, speed=6.0, end=15.0):
    """Deflection of the tip at times, in a hub's axes, of a beam cut into bodies, spun up smoothly in `end` seconds."""
    n = 24 // bodies
    ends = {1: 123456} if bodies == 1 else {1: 123456, n + 1: 123456}
    part = straight(n=n, length=10.0 / bodies, section=(4e-4, 2e-7), density=3000.0)
    c = ist.Component.from_deck(part, 10 if bodies == 1 else 6, aset=ends, geometric_stiffness=stiffening)
    mb = ist.Multibody("spin-up")
    mb.add_body("hub", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z", prescribed=True))
    for k in range(bodies):
        mb.add_body(f"b{k}", component=c, node=1, parent=f"b{k - 1}" if k else "hub", at=n + 1 if k else None)
    k = 2.0 * np.pi / end
    motion = ist.PrescribedMotion(
        angle=lambda t: speed / end * (0.5 * t * t + (np.cos(k * t) - 1.0) / k**2),
        rate=lambda t: speed / end * (t - np.sin(k * t) / k),
        acceleration=lambda t: speed / end * (1.0 - np.cos(k * t)),
    )
    system = mb.compile()
    log = ist.simulate(
        system, system.state(), end, 2.5e-3, method="ros2", motions={"hub": motion}, log_step=0.25
    )
    tip, angle = log.position(f"b{bodies - 1}", n + 1), log["hub"].q[:, 0]
    return np.cos(angle) * tip[:, 1] - np.sin(angle) * tip[:, 0]


def test_spin_up():
    """Kane, Ryan and Banerjee's beam (1987) as one body, against chains of 8 and 12 bodies without the term, whose
    error falls with the square of their number; without the term one body is thrown out.
    """
    few, many, one = spun_up(8, False), spun_up(12, False), spun_up(1, True)
    chain = many + (many - few) / (12**2 / 8**2 - 1.0)
    at = slice(20, 36)  # around the largest deflection, 6 % of the length
    np.testing.assert_allclose(one[at], chain[at], atol=0.01 * np.abs(chain).max())
    assert -0.60 < chain.min() < -0.55 and abs(spun_up(1, False)[45]) > 2.0


def test_switched_off_it_is_the_body_without(blade):
    bare = blade.with_changes(geometric_stiffness=None)
    one, two, three = on_hub(blade, stiffening=False), on_hub(bare), on_hub(blade)
    x = random_state(two, np.random.default_rng(1), deflection=1e-4)
    other = [system.forward_dynamics(system.state(x.q, x.v)) for system in (one, two, three)]
    assert np.array_equal(other[0], other[1]) and not np.allclose(other[1], other[2])


def whole_model(push):
    """Frequencies of the free lumped beam pushed at its first grid along that grid's own x axis: eigenvalues of FE."""
    fe = ist.FEModel.from_deck(straight())
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    S = np.zeros((BARS + 1, 6, 6))
    for j in range(3):
        S[:, :3, j], S[:, j, 3 + j], S[:, 3 + j, j] = np.cross(np.eye(3)[j], fe.grids.xyz), 1.0, 1.0
    S, p = S.reshape(-1, 6), np.zeros(len(K))
    p[0] = push
    u = la.lstsq(K, p - M @ S @ np.linalg.solve(S.T @ M @ S, S.T @ p), cond=1e-13)[0]
    whole = K + geometric_stiffness(fe, u, "full")[0].toarray()
    whole[1, 5] -= push  # the push turns with its grid
    whole[2, 4] += push
    squares = la.eigvals(whole, M) / UNIT**2
    return np.sort(np.sqrt(squares[squares.real > 1.0]).real)[::2]


@pytest.fixture(scope="module")
def pushed():
    """The free lumped beam with its frame nowhere, at either end and in the middle."""
    c = ist.Component.from_deck(straight(), 24, aset={}, geometric_stiffness=[1, BARS // 2 + 1, BARS + 1])
    systems = []
    for node in (None, 1, BARS // 2 + 1, BARS + 1):
        mb = ist.Multibody("pushed")
        mb.add_body("beam", component=c, node=node, joint=ist.Free())
        systems.append(mb.compile())
    return systems


def test_follower_thrust_for_every_frame(pushed):
    for push in (1.0, 10.0):
        wanted = whole_model(push * PULL)[:2]
        for system in pushed:
            force = {("beam", 1): [0, 0, 0, push * PULL, 0, 0]}
            found, growth = poles(system, system.state(), forces=force, frame="node")
            np.testing.assert_allclose(found[[0, 2]], wanted, rtol=1e-4)
            assert growth < 1e-6


def test_flutter_under_follower_thrust(pushed):
    """Two frequencies meet at 109.9 EI/L² (Beal 1965); this mesh of lumped masses has 109.4."""
    for system in pushed[:2]:
        growths = [
            poles(system, system.state(), forces={("beam", 1): [0, 0, 0, push * PULL, 0, 0]}, frame="node")[1]
            for push in (108.8, 111.0)
        ]
        assert growths[0] < 1e-6 and growths[1] > 0.1


def test_column_at_the_euler_load(blade):
    """A cantilever under a dead load at its tip: ω² falls to zero at π²EI/4L²."""
    tip = ist.Component.from_deck(
        straight(coupled=True), 26, aset={1: 123456}, rvdof={BARS + 1: 123456}, geometric_stiffness=True
    )
    mb = ist.Multibody("column")
    mb.add_body("column", component=tip, joint=ist.Locked())
    system, euler = mb.compile(), np.pi**2 / 4.0 * PULL

    def first(load):
        x0 = ist.trim(system, system.state(), forces={("column", BARS + 1): [0, 0, 0, -load, 0, 0]})
        found = ist.linearize(system, x0, inputs=[], outputs=[]).poles()
        return np.min((found**2).real * -1.0)

    still = first(0.0)
    assert abs(first(euler)) < 1e-3 * still
    assert first(0.99 * euler) > 5e-3 * still and first(1.01 * euler) < -5e-3 * still


def test_what_it_does_not_know_is_refused_where_a_body_insists(blade):
    mb = ist.Multibody("rotor")
    mb.add_body("blade", component=blade, node=5, joint=ist.Revolute("z"), stiffening=True)
    with pytest.raises(ModelError, match="does not know loads at node 5"):
        mb.compile()
    system = on_hub(blade, stiffening=True)
    with pytest.raises(ModelError, match="does not know loads at node 7"):
        system.forward_dynamics(system.state(), forces={("blade", 7): np.ones(6)})
    mb = ist.Multibody("loop")
    mb.add_body("blade", component=blade, joint=ist.Locked(), stiffening=True)
    mb.close("tip", ("blade", BARS + 1), (None, [LENGTH, 0, 0]))
    with pytest.raises(ModelError, match=f"does not know loads at node {BARS + 1}"):
        mb.compile()


@pytest.mark.parametrize("tip", [0.02, 0.1])
def test_freely_hinged_blade(blade, tip):
    """The force of the hinge is all of the blade's own making: many passes, and Kane's answer."""
    mb = ist.Multibody("hinged")
    mb.add_body("blade", component=blade, joint=ist.Revolute("z"))
    system = mb.compile()
    x, shape = system.state(), system.flexible("blade").gamma[-1, 1]
    first = int(np.argmax(np.abs(shape[:2])))
    x["blade"].v[:1], x["blade"].eta[first] = 6.0 * UNIT, tip * LENGTH / shape[first]
    vdot = system.forward_dynamics(x)
    M, f = Kane(mb, like=system).equations(x.q, x.v)
    assert abs(M @ vdot - f).max() <= 1e-9 * (abs(M) @ abs(vdot) + abs(f)).max()


@pytest.mark.parametrize("seed", [55, 7, 21])
def test_loads_so_strong_that_passes_grow(seed):
    """Loads of a stiffness so large that a pass changes more than the last one did: Kane's answer, found at once."""
    strong = [stiffened(c, np.random.default_rng(k), 2.0) for k, c in enumerate(MADE_UP)]
    mb, system, x, tau, forces = made_up(seed, strong)
    vdot = system.forward_dynamics(x, forces=forces, tau=tau)
    M, f = Kane(mb, like=system).equations(x.q, x.v, tau, forces)
    assert abs(M @ vdot - f).max() <= 1e-9 * (abs(M) @ abs(vdot) + abs(f)).max()


@pytest.fixture(scope="module")
def short():
    """A blade of few modes, for runs."""
    c = ist.Component.from_deck(straight(True, 16), 6, aset={1: 123456}, geometric_stiffness=True)
    return c, c.gamma[-1]


def flapping(short, tip, speed=6.0, **hub):
    """Run of a spinning blade on a hub, bent out of the plane of its spin at the start."""
    mb = ist.Multibody("flapping")
    mb.add_body("hub", mass=1.0, inertia=np.eye(3) * 1e5, joint=ist.Revolute("z", **hub))
    mb.add_body("blade", component=short[0], parent="hub", joint=ist.Locked())
    system = mb.compile()
    x, shape = system.state(), system.flexible("blade").gamma[-1, 2]
    x["hub"].v[:], x["blade"].eta[0] = speed * UNIT, tip * LENGTH / shape[0]
    assert abs(shape[0]) > 0.1
    return ist.simulate(system, x, 3.0, method="dop853", rtol=1e-10, atol=1e-12, log_step=0.02)


def test_energy_is_conserved_to_third_order(short):
    """Free spin of a heavy hub: without the energy of loads the sum moves by it, with it by terms of third order."""
    moved = []
    for tip in (0.01, 0.02):
        log = flapping(short, tip)
        without = log.energy - log.geometric
        assert np.ptp(without) == pytest.approx(np.ptp(log.geometric), rel=5e-3)
        assert np.ptp(log.geometric) > 1.5 * log.strain.max()
        moved.append(np.ptp(log.energy) / np.ptp(log.geometric))
    assert moved[0] < 2e-3 and moved[1] == pytest.approx(2.0 * moved[0], rel=0.1)


def test_energy_of_a_driven_spin(short):
    """A motor that holds the rate does work; what it does not do is in the energy, loads included."""
    log = flapping(short, 0.01, prescribed=True)
    rate = log["hub"].v[:, 0]
    power = log.torque("hub")[:, 0] * rate
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(log.t))])
    kept = log.energy - work
    assert np.ptp(kept) < 0.02 * np.ptp(log.geometric)


def test_energy_under_a_dead_load():
    """A column that stands under a dead load swings: the load's work on the shortened column is in the energy."""
    tip = ist.Component.from_deck(
        straight(coupled=True, n=16), 6, aset={1: 123456}, rvdof={17: 123456}, geometric_stiffness=True
    )
    mb = ist.Multibody("column")
    mb.add_body("column", component=tip, joint=ist.Locked())
    system = mb.compile()
    force = np.array([0, 0, 0, -0.5 * np.pi**2 / 4.0 * PULL, 0, 0])
    point = ist.trim(system, system.state(), forces={("column", 17): force})
    x = system.state(point.q, point.v)
    shape = system.flexible("column").gamma[-1, 1]
    first = int(np.argmax(np.abs(shape[:2])))
    x["column"].eta[first] += 1e-3 * LENGTH / shape[first]
    log = ist.simulate(
        system, x, 1.0, method="dop853", rtol=1e-10, atol=1e-13, log_step=0.01, forces={("column", 17): force}
    )
    work = (log.position("column", 17) - log.position("column", 17)[0]) @ force[3:]
    kept = log.energy - work
    assert np.ptp(log.energy - log.geometric) > 0.9 * np.ptp(log.geometric) > 0.0
    assert np.ptp(kept) < 1e-3 * np.ptp(log.geometric)


def test_momentum_is_conserved(blade):
    """The term acts on modes alone: along the motion of a free vehicle momentum does not change."""
    mb = ist.Multibody("free")
    mb.add_body("bus", mass=40.0, inertia=[9.0, 8.0, 7.0], joint=ist.Free())
    mb.add_body("blade", component=blade, parent="bus", at=[0.3, 0.1, 0.0], joint=ist.Revolute("y"))
    system = mb.compile()
    x = random_state(system, np.random.default_rng(4), deflection=1e-3)
    vdot, h = system.forward_dynamics(x), 1e-30
    z = system.state(x.q + 1j * h * system.rates(x), x.v + 1j * h * vdot)
    size = np.abs(system.mass_matrix(x) @ vdot).max()
    assert np.abs(system.momentum(z).imag / h).max() < 1e-9 * size


def test_derivatives_settle_by_themselves():
    """An engine on a joint pushes a straight core: no bending, but derivatives of it, which are small numbers."""
    core = ist.Component.from_deck(straight(), 12, aset={}, rvdof={1: 123456}, geometric_stiffness=True)
    found = {}
    for joint, body in (
        (ist.Locked(), "engine"),
        (ist.Universal(["y", "z"], stiffness=1e4), "engine"),
        (None, "core"),
    ):
        mb = ist.Multibody("pushed")
        mb.add_body("core", component=core, node=1, joint=ist.Free())
        if joint is not None:
            mb.add_body("engine", mass=1e-3, inertia=[1e-6] * 3, parent="core", at=1, joint=joint)
        system = mb.compile()
        force = {(body, None, "body"): [0, 0, 0, 10.0 * PULL, 0, 0]}
        x0 = ist.trim(system, system.state(), forces=force)
        exact = ist.linearize(system, x0, inputs=[], outputs=[])
        other = ist.linearize(system, x0, inputs=[], outputs=[], method="central-4")
        np.testing.assert_allclose(exact.A, other.A, atol=1e-6 * np.abs(exact.A).max())
        hz = np.sort(exact.poles().imag / UNIT)
        found[type(joint).__name__] = hz[hz > 5.0][0]
    # the bare body is held to the whole model above; a light engine changes little
    assert found["Locked"] == pytest.approx(found["NoneType"], rel=1e-4)
    assert found["Universal"] == pytest.approx(found["NoneType"], rel=1e-3)


def test_kestrel_under_thrust():
    """300 kN that follows the structure: 2.892 Hz whatever node carries the frame; without the term 2.93 to 3.13 Hz."""
    deck = Path(__file__).parents[2] / "examples" / "decks" / "kestrel.bdf"
    core = ist.Component.from_deck(deck, 18, aset={}, rvdof={1: 123456, 13: 123456}, geometric_stiffness=[7])
    found = {True: [], False: []}
    for stiffening in found:
        for node in (None, 1, 7, 13):
            mb = ist.Multibody("kestrel")
            mb.add_body("core", component=core, node=node, joint=ist.Free(), stiffening=stiffening)
            system = mb.compile()
            force = {("core", 1): [0, 0, 0, 3e5, 0, 0]}
            hz = poles(system, system.state(), forces=force, frame="node")[0] * UNIT / (2.0 * np.pi)
            found[stiffening].append(hz[hz > 1.0][0])
    np.testing.assert_allclose(found[True], 2.892, rtol=5e-4)
    assert min(found[False]) > 2.92 and max(found[False]) > 3.1
