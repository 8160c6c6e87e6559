"""Nodes that turn with their inertia: the whole field of nodes, rotors with discs, Kane, complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import beam_matrices, random_inertia, random_state, random_tree
from scipy.spatial.transform import Rotation as R
from test_slopes import NO_WRENCHES, assert_near, stepped

import interstage as ist
from interstage.errors import InputError
from interstage.kane import Kane
from interstage.multibody.dynamics_derivatives import force_slopes
from interstage.nastran import deck_from_text


def turning(n_elements=4, n_modes=6, aset=1, name="turning", size=1.0, arm=0.0, **options):
    """A bent beam whose nodes carry bodies with inertia of their own, `arm` beside the node; and its mass matrix."""
    rng = np.random.default_rng(7)
    K, M, nodes = beam_matrices(n_elements, lumped=True, bend=0.3, **options)
    for j in range(n_elements + 1):
        m, _, J = random_inertia(rng)
        o, at = arm * rng.normal(size=3), slice(6 * j, 6 * j + 6)
        S = np.block([[np.eye(3), -cross(o)], [np.zeros((3, 3)), np.eye(3)]])
        body = np.zeros((6, 6))
        body[:3, :3], body[3:, 3:] = m * np.eye(3), size * J
        M[at, at] += S.T @ body @ S
    interface = None if aset is None else {aset: 123456}
    component = ist.Component.from_matrices(
        K, M, nodes, n_modes=n_modes, aset=interface, name=name, rotary_integrals=True
    )
    return component, M


def cross(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


COMPONENTS = [turning()[0], turning(3, 5, aset=3, name="arms", arm=0.1)[0], turning(3, 4, 4, "flat", 3.0)[0]]


def nodal(component, M, flex, x):
    """Kinetic energy and momentum [h; p] about the origin of the frame, body axes, of nodes turned by exp(λη)."""
    w, v, eta, rate = x
    T, h, p = 0.0, np.zeros(3), np.zeros(3)
    for j in range(component.n_nodes):
        block = M[6 * j : 6 * j + 6, 6 * j : 6 * j + 6]
        m = block[0, 0]
        o = np.array([block[1, 5], block[2, 3], block[0, 4]]) / m
        J = block[3:, 3:] + m * cross(o) @ cross(o)
        theta, turn_rate = flex.lam[j] @ eta, flex.lam[j] @ rate
        g = flex.gamma[j] - cross(o) @ flex.lam[j]  # arms lean, they do not shorten
        place = flex.l[j] + o + g @ eta
        speed = v + np.cross(w, place) + g @ rate
        turn = R.from_rotvec(theta).as_matrix()
        own = w + left_jacobian(theta) @ turn_rate
        spin = turn @ J @ turn.T @ own
        T += 0.5 * m * speed @ speed + 0.5 * own @ spin
        h += np.cross(place, m * speed) + spin
        p += m * speed
    return T, np.concatenate([h, p])


def left_jacobian(theta):
    """1 + [θ]/2 + [θ]²/6 + ..., to rounding for the angles here."""
    out = term = np.eye(3)
    for k in range(2, 14):
        term = term @ cross(theta) / k
        out = out + term
    return out


@pytest.mark.parametrize("node", [None, 3])
def test_field_of_all_nodes_to_second_order(node):
    """Energy and momentum differ from those of the nodes by third order in η and η̇ alone; without turns by first."""
    component, M = turning(aset=None if node is None else node, arm=0.1)
    rng = np.random.default_rng(3)
    w, v = rng.normal(size=3), rng.normal(size=3)
    for rotary, order in ((True, 3.0), (False, 1.0)):
        mb = ist.Multibody("one")
        mb.add_body("one", component=component, node=node, joint=ist.Free(), rotary=rotary)
        system = mb.compile()
        flex, n = system.flexes[0], system.flexes[0].n_modes
        eta = rng.normal(size=n) / np.abs(flex.lam).max()
        rate = rng.normal(size=n) / np.abs(flex.lam).max()
        errors = []
        for size in (1e-1, 1e-2):
            x = system.state()
            x["one"].v[:] = np.concatenate([w, v])
            x["one"].eta[:], x["one"].etadot[:] = size * eta, size * rate
            T, h = nodal(component, M, flex, (w, v, size * eta, size * rate))
            ours = system.momentum(x)
            errors.append([abs(system.energies(x)[0] - T), np.abs(ours[:3] - h[:3]).max()])
            np.testing.assert_allclose(ours[3:], h[3:], rtol=1e-12)
        slope = np.log10(np.array(errors[0]) / errors[1])
        assert np.all(np.abs(slope - order) < 0.25), (rotary, slope, errors)


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_engine_equals_kane(seed):
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, int(rng.integers(2, 6)), components=COMPONENTS)
    system = mb.compile()
    x = random_state(system, rng, deflection=3e-3)
    if not system.nv:
        return
    tau = rng.normal(size=system.nv)
    kane = Kane(mb, like=system)
    M, f = kane.equations(x.q, x.v, tau, {})
    found = system.forward_dynamics(x, tau=tau)
    assert abs(M @ found - f).max() <= 1e-11 * (abs(M) @ abs(found) + abs(f)).max()
    np.testing.assert_allclose(system.mass_matrix(x), M, atol=1e-12 * np.abs(M).max(), rtol=0.0)
    assert system.energy(x) == pytest.approx(kane.energy(x.q, x.v), rel=1e-11)
    np.testing.assert_allclose(system.inverse_dynamics(x, found), tau, atol=1e-9 * np.abs(M @ found).max())


@pytest.mark.kernels
@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_slopes(seed):
    rng = np.random.default_rng(seed)
    system = random_tree(rng, int(rng.integers(2, 5)), components=COMPONENTS).compile()
    x = random_state(system, rng, deflection=3e-3)
    if not system.nv:
        return
    vdot = rng.normal(size=system.nv)
    found = force_slopes(system, x, vdot, NO_WRENCHES, NO_WRENCHES)
    truth = stepped(system, x, lambda y, a: system.inverse_dynamics(y, vdot + a))
    springs = np.diag(system.tree.v_stiffness)
    size = np.abs(truth - [springs, 0.0 * springs, 0.0 * springs]).max()
    assert_near(found.q, truth[0], size + 1e-3 * springs.max(), 1e-12)
    assert_near(found.v, truth[1], size, 1e-13)


def test_energy_and_momentum_are_conserved():
    """A tumbling body without loads: RK4 keeps what it starts with, by the fourth power of the step."""
    mb = ist.Multibody("tumbling")
    mb.add_body("one", component=COMPONENTS[2], node=4, joint=ist.Free(), rotary=True, damping=0.0)
    system = mb.compile()
    x = system.state()
    x["one"].v[:] = [3.0, 2.0, -1.0, 0.1, 0.2, 0.3]
    x["one"].eta[:] = 1e-2
    log = ist.simulate(system, x, until=0.05, step=2e-5, log_step=0.01)
    h = [system.momentum(system.state(q, v)) for q, v in zip(log.q, log.v)]
    assert np.ptp(log.energy) < 1e-8 * abs(log.energy[0])
    assert np.ptp(h, axis=0).max() < 1e-8 * np.abs(h[0]).max()


YOUNG, INERTIA = 2e11, 3e-9
DISC = 2.0, 0.02, 0.012  # mass, polar and diametral inertia


def shaft(stations, discs):
    """Deck of a shaft along x, nearly without mass, with discs (mass, polar, diametral) on some of its grids."""
    bulk = "".join(f"GRID,{i + 1},,{s:.6f},0.,0.\n" for i, s in enumerate(stations))
    bulk += "".join(f"CBAR,{i},1,{i},{i + 1},0.,1.,0.\n" for i in range(1, len(stations)))
    bulk += f"PBAR,1,1,1.-4,{INERTIA},{INERTIA},{2 * INERTIA}\nMAT1,1,{YOUNG},,0.3\n"
    for i in range(1, len(stations) + 1):
        m, Ip, Id = discs.get(i, (1e-3, 1e-7, 1e-7))
        bulk += f"CONM2,{100 + i},{i},,{m}\n,{Ip},,{Id},,,{Id}\n"
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")


def rotor_poles(system, speed):
    x = system.state()
    x["rotor"].v[:] = speed
    return ist.linearize(system, ist.trim(system, x), inputs=[], outputs=[]).poles()


def whirl(system, speed):
    """Frequencies (rad/s) in the rotating frame that a driven rotor has, rising."""
    found = rotor_poles(system, speed)
    assert np.abs(found.real).max() < 1e-5 * np.abs(found).max()
    return np.sort(found.imag[found.imag > 1e-3])


def rotor(deck, n_modes, **options):
    component = ist.Component.from_deck(deck, n_modes, aset={1: 123456}, rotary_integrals=True)
    mb = ist.Multibody("rotor")
    mb.add_body("rotor", component=component, joint=ist.Revolute("x", prescribed=True), **options)
    return mb.compile()


def test_overhung_disc_whirls_as_the_closed_form():
    """(12EI/L³ - mω²)(4EI/L - I_d ω² + I_p Ωω) = (6EI/L²)², forward whirl ω > 0; ω - Ω on the shaft."""
    L, (m, Ip, Id) = 0.5, DISC
    system, EI = rotor(shaft([0.0, L], {1: (1.0, 0.1, 0.1), 2: DISC}), 6, rotary=True), YOUNG * INERTIA
    points = rotor(shaft([0.0, L], {1: (1.0, 0.1, 0.1), 2: DISC}), 6, rotary=False)
    for speed in (0.0, 100.0, 400.0):
        a, b = np.poly1d([-m, 0.0, 12 * EI / L**3]), np.poly1d([-Id, Ip * speed, 4 * EI / L])
        omega = (a * b - (6 * EI / L**2) ** 2).roots.real
        found = whirl(system, speed)
        for one in np.abs(omega - speed):
            assert np.abs(found / one - 1.0).min() < 1e-9, (speed, one, found)
    # the inertia of nodes that are points does not turn with them: they flutter where the disc is stable
    assert rotor_poles(points, 400.0).real.max() > 50.0


def test_shaft_with_discs_whirls_as_the_finite_element_rotor():
    """K - ω²M + Ωω I_p in the complex plane y + iz of the standing frame, all grids, against 30 modes of one body."""
    deck = shaft(np.linspace(0.0, 0.8, 9), {4: DISC, 7: (1.0, 0.03, 0.015), 9: (0.5, 0.002, 0.0011)})
    fe, speed = ist.FEModel.from_deck(deck), 300.0
    plane = np.ravel([[6 * i + 1, 6 * i + 5] for i in range(1, 9)])
    K, M = (matrix.toarray()[np.ix_(plane, plane)] for matrix in (fe.K_gg, fe.M_gg))
    polar = np.diag(np.ravel([[0.0, fe.M_gg.toarray()[6 * i + 3, 6 * i + 3]] for i in range(1, 9)]))
    n, inverse = len(K), np.linalg.inv(M)
    companion = np.block([[np.zeros((n, n)), np.eye(n)], [inverse @ K, speed * inverse @ polar]])
    omega = np.linalg.eigvals(companion).real
    found = whirl(rotor(deck, 40, rotary=True), speed)
    for one in np.sort(np.abs(omega - speed))[:8]:
        assert np.abs(found / one - 1.0).min() < 1e-7, (one, found[:10])


def test_what_it_needs_is_said():
    deck = shaft([0.0, 0.5], {1: (1.0, 0.1, 0.1), 2: DISC})
    points = ist.Component.from_deck(deck, 6, aset={1: 123456})
    mb = ist.Multibody("rotor")
    with pytest.raises(InputError, match="nodes that turn need their integrals"):
        mb.add_body("rotor", component=points, rotary=True)
    with pytest.raises(InputError, match="nodes that turn need their integrals"):
        mb.add_body("rotor", component=COMPONENTS[0], order=0, rotary=True)
    with pytest.raises(InputError, match="rigid body has no nodes"):
        mb.add_body("rotor", mass=1.0, rotary=True)


def test_it_is_kept_in_files_and_changes_of_the_tree(tmp_path):
    mb = ist.Multibody("two")
    mb.add_body("one", component=COMPONENTS[0], node=1, joint=ist.Free(), rotary=True)
    mb.add_body("tip", component=COMPONENTS[1], node=3, parent="one", at=5, rotary=True)
    mb.save(tmp_path / "two.h5")
    again = ist.Multibody.load(tmp_path / "two.h5")
    assert [spec.rotary for spec in again.specs] == [True, True]
    system = again.compile()
    x = random_state(system, np.random.default_rng(2))
    apart, y = system.detach("tip", x)
    assert sum(apart.energies(y)[:1]) == pytest.approx(sum(system.energies(x)[:1]), rel=1e-9)
