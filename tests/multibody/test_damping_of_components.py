"""Damping of a deck or of matrices, in bodies held in any way, against poles of the full finite-element model.

Truth is the quadratic eigenproblem (λ²M + λB + K)u = 0 of the whole mesh, or the complex one of structural damping,
K + iK4, both held as the body is.
"""

import numpy as np
import pytest
import scipy.linalg as la
from multibody_models import beam_matrices

import interstage as ist
from interstage.nastran import deck_from_text

N = 7
NODES = {"free": None, "root": 1, "middle": 4, "tip": 7}


def damper(first, second, c, component=1):
    """Return a viscous matrix: c between two nodes (0: ground) along a component."""
    B = np.zeros((6 * N, 6 * N))
    v = np.zeros(6 * N)
    for node, sign in ((first, 1.0), (second, -1.0)):
        if node:
            v[6 * (node - 1) + component] += sign
    B += c * np.outer(v, v)
    return B


def free_rows(node):
    return np.setdiff1d(np.arange(6 * N), [] if node is None else 6 * (node - 1) + np.arange(6))


def poles_of(A, second=1.0):
    """Return the oscillating poles by size; `second`: what a second is in the units of A."""
    poles = np.linalg.eigvals(A) / second
    poles = poles[poles.imag > 1.0]
    return poles[np.argsort(np.abs(poles))]


def fe_poles(K, M, B, node):
    """Return the poles of the mesh with a node clamped (None: free), oscillating ones by size."""
    f = np.ix_(free_rows(node), free_rows(node))
    n = len(free_rows(node))
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-la.solve(M[f], K[f]), -la.solve(M[f], B[f])]])
    return poles_of(A)


def body_poles(component, node, *, at=None, second=1.0, **options):
    """Return the poles of one body, Locked at a node of the ground or Free, described about the node `at`."""
    mb = ist.Multibody()
    if node is None:
        mb.add_body("boom", component=component, node=at, joint=ist.Free(), **options)
    else:
        mb.add_body("boom", component=component, node=node, joint=ist.Locked(), **options)
    system = mb.compile()
    return poles_of(ist.linearize(system, system.state()).A, second)


def component(B=None, K4=None, aset=None, n_modes=6 * N - 6, **options):
    """Return a component, by default with all modes of the mesh, so that it holds under any boundary."""
    K, M, nodes = beam_matrices(N - 1)
    aset = None if aset is None else {aset: 123456}
    return ist.Component.from_matrices(K, M, nodes, n_modes=n_modes, aset=aset, B=B, K4=K4, **options)


def modes_for(held):
    """All modes where a node is clamped; a free body must not give all of its inertia to its modes."""
    return 24 if held == "free" else 6 * N - 6


def few(poles, k=6):
    return poles[:k]


@pytest.mark.parametrize("aset", [None, 1])
@pytest.mark.parametrize("held", ["root", "middle", "tip", "free"])
def test_an_internal_damper_is_the_same_matrix_under_every_boundary(aset, held):
    K, M, _ = beam_matrices(N - 1)
    B = damper(3, 6, 60.0) + damper(2, 5, 20.0, component=2)
    c = component(B, aset=aset, n_modes=modes_for(held))
    expected = fe_poles(K, M, B, NODES[held])
    found = body_poles(c, NODES[held], at=4)
    assert max(-few(expected).real / abs(few(expected))) > 0.005
    np.testing.assert_allclose(few(found), few(expected), rtol=1e-6 if held != "free" else 2e-3)


def test_a_cantilever_with_one_strong_damper_is_that_of_the_mesh():
    """A third of critical in the first mode, far from modal: the whole matrix counts, not its diagonal in any modes."""
    K, M, _ = beam_matrices(N - 1)
    B = damper(3, 7, 150.0)
    expected = fe_poles(K, M, B, 1)
    expected = expected[:2][np.argmin(expected[:2].real)]
    assert -expected.real / abs(expected) > 0.25
    found = body_poles(component(B), 1)
    assert min(abs(found - expected)) < 1e-6 * abs(expected)


@pytest.mark.parametrize("held", NODES)
@pytest.mark.parametrize("aset", [None, 1])
def test_uniform_structural_damping_gives_half_its_factor_under_every_boundary(held, aset):
    K, *_ = beam_matrices(N - 1)
    c = component(K4=0.04 * K, aset=aset, n_modes=modes_for(held))
    for at in (4, 1) if held == "free" else (None,):
        found = body_poles(c, NODES[held], at=at)
        np.testing.assert_allclose(-found.real / abs(found), 0.02, rtol=1e-6)


@pytest.mark.parametrize("held", NODES)
def test_one_ratio_of_a_component_is_that_of_the_body_under_every_boundary(held):
    found = body_poles(component(damping=0.013, n_modes=24), NODES[held], at=4)
    np.testing.assert_allclose(-found.real / abs(found), 0.013, rtol=1e-6)


@pytest.mark.parametrize("held", NODES)
def test_ratios_of_a_description_are_of_the_body_as_mounted_and_replace_the_component_s(held):
    K, *_ = beam_matrices(N - 1)
    c = component(B=damper(3, 6, 60.0) + damper(2, 0, 9.0), K4=0.04 * K, n_modes=20)
    ratios = np.linspace(0.001, 0.02, 20)
    found = body_poles(c, NODES[held], at=4, damping=ratios)
    # a pair of equal frequencies may come out in either order
    np.testing.assert_allclose(np.sort(-found.real / abs(found)), ratios, rtol=1e-5)


@pytest.mark.parametrize("given", [{}, {"damping": 0.02}])
def test_a_free_joint_that_is_locked_holds_the_body(given):
    """On a pad and in flight: half of a uniform factor, or the ratio given, in both; in all algorithms alike."""
    K, *_ = beam_matrices(N - 1)
    mb = ist.Multibody()
    mb.add_body("boom", component=component(K4=0.04 * K, n_modes=20), node=1, joint=ist.Free(), **given)
    flying = mb.compile()
    pad = flying.with_settings()
    pad.set_joint_mode("boom", "locked")
    let_go = pad.with_settings()
    let_go.set_joint_mode("boom", "free")
    rng = np.random.default_rng(2)
    for system in (flying, pad, let_go):
        found = poles_of(ist.linearize(system, system.state()).A)
        np.testing.assert_allclose(-found.real / abs(found), 0.02, rtol=1e-6)
        x = system.state()
        x["boom"].etadot[:] = 1e-3 * rng.normal(size=20)
        if system is not pad:
            x["boom"].v[:] = 1e-3 * rng.normal(size=6)
        vdot = system.forward_dynamics(x)
        force = system.inverse_dynamics(x, vdot)
        assert np.abs(force[6:]).max() < 1e-9 * np.abs(vdot).max()
        # power of what resists: all that is lost without gravity and springs at rest
        free = system.inverse_dynamics(x, np.zeros(system.nv)) @ x.v
        assert free == pytest.approx(x.v @ system.damping_matrix(x) @ x.v, rel=1e-3)
    assert np.abs(pad.damping_matrix() - flying.damping_matrix()).max() > 0.0
    np.testing.assert_array_equal(let_go.damping_matrix(), flying.damping_matrix())


@pytest.mark.parametrize("held", ["root", "tip", "free"])
def test_structural_damping_of_a_part_is_that_of_the_complex_stiffness(held):
    """Half of the beam damped: ratio of a mode by K + iK4, λ² = -(1 + iη)ω², to the second order in η."""
    K, M, _ = beam_matrices(N - 1)
    K4 = np.zeros_like(K)
    K4[18:, 18:] = beam_matrices(3, length=0.5)[0]
    K4 *= 0.05
    f = np.ix_(free_rows(NODES[held]), free_rows(NODES[held]))
    squares = la.eigvals(K[f] + 1j * K4[f], M[f])
    squares = squares[np.argsort(squares.real)]
    squares = squares[squares.real > 10.0][:6]
    eta = np.sort(squares.imag / squares.real)
    found = body_poles(component(K4=K4, n_modes=modes_for(held)), NODES[held], at=4)[:6]
    np.testing.assert_allclose(np.sort(-found.real / abs(found)), 0.5 * eta, rtol=2e-2)


def test_dampers_to_ground_brake_a_free_body():
    """Poles of the free mesh with dampers to ground, rigid ones included; the frame may sit at any node."""
    K, M, _ = beam_matrices(N - 1)
    B = damper(2, 0, 3.0) + damper(7, 0, 5.0) + damper(5, 0, 2.0, component=2) + damper(1, 4, 30.0)
    n = 6 * N
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-la.solve(M, K), -la.solve(M, B)]])
    truth = np.linalg.eigvals(A)
    slow = np.sort(truth.real[(abs(truth.imag) < 1e-3) & (truth.real < -1e-3) & (abs(truth) < 100.0)])
    assert len(slow) == 3  # rigid motions across the beam
    c = component(B, n_modes=24)
    assert c.ground_damping.shape == (6, 6 + c.n_modes)
    for at in (None, 4, 7):
        mb = ist.Multibody()
        mb.add_body("boom", component=c, node=at, joint=ist.Free())
        system = mb.compile()
        found = np.linalg.eigvals(ist.linearize(system, system.state()).A)
        braked = np.sort(found.real[(abs(found.imag) < 1e-3) & (found.real < -1e-3) & (abs(found) < 100.0)])
        np.testing.assert_allclose(braked, slow, rtol=1e-4)
        np.testing.assert_allclose(few(poles_of(ist.linearize(system, system.state()).A)),
                                   few(fe_poles(K, M, B, None)), rtol=2e-3)  # fmt: skip


def test_dampers_to_ground_of_a_moving_body_in_every_formulation():
    """Forward, inverse, Kane, power and the damping matrix tell the same forces; momentum falls by them."""
    B = damper(2, 0, 3.0) + damper(7, 0, 5.0) + damper(5, 0, 2.0, component=2) + damper(1, 4, 30.0)
    c = component(B, n_modes=12)
    mb = ist.Multibody(gravity=[0.0, 0.0, -9.81])
    mb.add_body("bus", mass=20.0, inertia=np.diag([2.0, 3.0, 4.0]), joint=ist.Free())
    mb.add_body("boom", component=c, node=3, parent="bus", at=[0.3, 0.1, 0.0], joint=ist.Revolute("y"))
    system = mb.compile()
    x = system.state()
    rng = np.random.default_rng(2)
    x.v[:] = rng.normal(size=system.nv)
    x["boom"].q[:] = 0.4
    vdot = system.forward_dynamics(x)
    np.testing.assert_allclose(system.inverse_dynamics(x, vdot), 0.0, atol=1e-9 * abs(vdot).max())
    kane = ist.Kane(mb, like=system)
    np.testing.assert_allclose(kane.accelerations(x.q, x.v), vdot, rtol=1e-8, atol=1e-9 * abs(vdot).max())
    step = 1e-30
    z = x.copy(complex)
    z.q += 1j * step * system.rates(x)
    z.v += 1j * step * vdot
    power = complex(system.energy(z)).imag / step
    np.testing.assert_allclose(power, -x.v @ system.damping_matrix(x) @ x.v, rtol=1e-9)
    assert power < 0.0


def test_a_spring_to_ground_makes_the_ground_the_frame():
    """A mesh on springs to ground has no rigid modes: dampers beside the springs move with the body frame, too."""
    K, M, nodes = beam_matrices(N - 1)
    K[:6, :6] += 1e5 * np.eye(6)
    B = np.zeros_like(K)
    B[:6, :6] = 20.0 * np.eye(6)
    c = ist.Component.from_matrices(K, M, nodes, n_modes=30, B=B)
    assert c.ground_damping is None
    assert any("frame of the body" in note for note in c.notes)
    n = 6 * N
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-la.solve(M, K), -la.solve(M, B)]])
    mb = ist.Multibody()
    mb.add_body("boom", component=c, joint=ist.Free())
    system = mb.compile()
    system.set_joint_mode("boom", "locked")
    found = poles_of(ist.linearize(system, system.state()).A)
    np.testing.assert_allclose(few(found), few(poles_of(A)), rtol=2e-3)


@pytest.mark.parametrize("units", [("t", "mm", "s"), ("slinch", "in", "s"), ("g", "cm", "ms")])
def test_damping_survives_units_and_files(tmp_path, units):
    K, *_ = beam_matrices(N - 1)
    B = damper(2, 0, 3.0) + damper(3, 6, 60.0)
    c = component(B, K4=0.03 * K, n_modes=20, damping=0.004, units={"mass": "kg", "length": "m", "time": "s"})
    c.save(tmp_path / "boom.h5")
    there = ist.Component.load(
        tmp_path / "boom.h5", units=dict(zip(("mass", "length", "time"), units, strict=True))
    )
    back = ist.Component.load(tmp_path / "boom.h5")
    second = 1e-3 if units[2] == "ms" else 1.0
    for node in (None, 1):
        expected = body_poles(c, node, at=4)
        np.testing.assert_allclose(body_poles(back, node, at=4), expected, rtol=1e-9)
        np.testing.assert_allclose(body_poles(there, node, at=4, second=second), expected, rtol=1e-6)


DECK = """SOL 103
CEND
BEGIN BULK
PARAM,COUPMASS,1
{params}
MAT1,1,7.+10,,.3,2700.{ge}
PBAR,1,1,4.-4,1.3-8,1.3-8,2.6-8
{bulk}
ENDDATA
"""


def deck(params="", ge="", bulk=""):
    lines = [f"GRID,{k},,{0.25 * (k - 1)},0.,0." for k in range(1, 8)]
    lines += [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, 7)]
    lines += [f"CONM2,{100 + k},{k},,.05\n,1.-4,,1.-4,,,1.-4" for k in range(1, 8)]
    return deck_from_text(DECK.format(params=params, ge=ge, bulk="\n".join([*lines, bulk])))


def deck_poles(source, node):
    fe = ist.FEModel.from_deck(source)
    K, M, B = fe.K_gg.toarray(), fe.M_gg.toarray(), fe.B_gg.toarray()
    return fe_poles(K, M, B, node)


@pytest.mark.parametrize("params, ge", [("PARAM,G,.04", ""), ("", ",,,.04"), ("PARAM,G,.03", ",,,.01")])
@pytest.mark.parametrize("held", NODES)
def test_uniform_damping_of_a_deck(params, ge, held):
    c = ist.Component.from_deck(deck(params, ge), n_modes=20, aset={})
    found = body_poles(c, NODES[held], at=2)[:8]
    np.testing.assert_allclose(-found.real / abs(found), 0.02, rtol=1e-6)


@pytest.mark.parametrize("held", ["root", "tip", "free"])
@pytest.mark.parametrize("card", ["CDAMP2,50,4.,3,2,6,2", "CBUSH,50,50,3,7,,,,0\nPBUSH,50,B,,9.,4."])
def test_dampers_of_a_deck(card, held):
    source = deck(bulk=card)
    c = ist.Component.from_deck(source, n_modes=36 if held != "free" else 24, aset={1: 123456})
    expected, found = deck_poles(source, NODES[held]), body_poles(c, NODES[held], at=4)
    assert max(-few(expected, 4).real / abs(few(expected, 4))) > 1e-3
    np.testing.assert_allclose(few(found, 4), few(expected, 4), rtol=3e-3)


def test_a_damper_of_a_deck_to_ground_brakes_the_free_body():
    source = deck(bulk="CDAMP2,50,40.,7,2")
    c = ist.Component.from_deck(source, n_modes=24, aset={})
    np.testing.assert_allclose(few(body_poles(c, None, at=1), 4), few(deck_poles(source, None), 4), rtol=3e-3)
    assert any("ground" in note for note in c.notes)


def test_parameters_w3_and_w4_make_structural_damping_viscous_at_one_frequency():
    """NASTRAN's transient solutions: B + G/W3 K + K4/W4. At ω = W the ratio is half the factor."""
    fe = ist.FEModel.from_deck(deck())
    omega = abs(fe_poles(fe.K_gg.toarray(), fe.M_gg.toarray(), 0.0 * fe.K_gg.toarray(), 1)[0])
    for params, ge, name in (
        (f"PARAM,G,.04\nPARAM,W3,{omega:.6g}", "", "W3"),
        (f"PARAM,W4,{omega:.6g}", ",,,.04", "W4"),
    ):
        c = ist.Component.from_deck(deck(params, ge), n_modes=36, aset={})
        assert c.structural is None and any(name in note for note in c.notes)
        found = body_poles(c, 1)
        np.testing.assert_allclose(-found[0].real / abs(found[0]), 0.02, rtol=1e-3)
        np.testing.assert_allclose(-found[4].real / abs(found[4]), 0.02 * abs(found[4]) / omega, rtol=1e-2)


HINGES = [
    ist.Revolute("y"),
    ist.Revolute("z", stiffness=1e-3),
    ist.Universal("yz"),
    ist.Gimbal("xyz"),
    ist.Ball(),
    ist.Cylindrical("x"),
    ist.Prismatic("y"),
    ist.Planar("z"),
    ist.Screw("x", pitch=0.3),
]


@pytest.mark.parametrize("joint", HINGES, ids=lambda joint: type(joint).__name__)
def test_uniform_structural_damping_on_every_joint(joint):
    """Half of the factor in every mode that strains the body, whether its joint moves or is locked; Kane alike."""
    K, *_ = beam_matrices(N - 1)
    mb = ist.Multibody()
    mb.add_body("boom", component=component(K4=0.04 * K, n_modes=12), node=1, joint=joint)
    system = mb.compile()
    held, driven = system.with_settings(), system.with_settings()
    held.set_joint_mode("boom", "locked")
    driven.set_joint_mode("boom", "prescribed")
    for view in (system, held, driven):
        found = poles_of(ist.linearize(view, view.state()).A)
        assert len(found) == 12
        np.testing.assert_allclose(-found.real / abs(found), 0.02, rtol=1e-5)
    rng = np.random.default_rng(5)
    x = system.state()
    x["boom"].etadot[:] = 1e-3 * rng.normal(size=12)
    ours = system.forward_dynamics(x)
    kane = ist.Kane(mb, like=system).accelerations(x.q, x.v)
    np.testing.assert_allclose(kane, ours, rtol=1e-8, atol=1e-9 * np.abs(ours).max())


def test_driven_and_stiffly_sprung_joints_hold_the_body():
    K, *_ = beam_matrices(N - 1)
    for joint in (ist.Revolute("y", prescribed=True), ist.Revolute("y", stiffness=1e9)):
        mb = ist.Multibody()
        mb.add_body("boom", component=component(K4=0.04 * K, n_modes=12), node=1, joint=joint)
        system = mb.compile()
        found = poles_of(ist.linearize(system, system.state()).A)
        np.testing.assert_allclose(few(-found.real / abs(found)), 0.02, rtol=1e-3)
