"""One flexible body against Lagrange's equations written another way: complex steps of the kinetic energy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from multibody_models import beam, beam_matrices, random_state

from interstage.multibody import Free, Locked, Multibody, Revolute

H = 1e-30


def _skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _mass_matrix(c, eta, order):
    """Return M(η) (6 + n, 6 + n) straight from the integrals of a component about its own reference point."""
    n = c.n_modes
    J, F = c.inertia.astype(complex), c.F0.astype(complex)
    mp = c.mass * c.com + c.E @ eta
    if order == 0:  # inertia about the centre of mass is constant, and so is the modal momentum about it
        J = J + c.mass * _skew(c.com) @ _skew(c.com) - _skew(mp) @ _skew(mp) / c.mass
        F = F + _skew(c.E @ eta / c.mass) @ c.E
    if order >= 1:
        J = J + np.einsum("rij,r->ij", c.J1 + c.J1.transpose(0, 2, 1), eta)
        F = F + np.einsum("ris,r->is", c.F1, eta)
    if order >= 2:
        J = J + np.einsum("rsij,r,s->ij", c.J2, eta, eta)
    M = np.zeros((6 + n, 6 + n), complex)
    M[:3, :3], M[3:6, 3:6], M[6:, 6:] = 0.5 * (J + J.T), c.mass * np.eye(3), c.G0
    M[:3, 3:6], M[3:6, :3] = _skew(mp), _skew(mp).T
    M[:3, 6:], M[3:6, 6:] = F, c.E
    M[6:, :6] = M[:6, 6:].T
    return M


def _lagrange(c, eta, u, order):
    """Return the forces M u̇ + b less M u̇: Boltzmann-Hamel equations with all slopes by complex step."""
    n = c.n_modes
    w, v, etadot = u[:3], u[3:6], u[6:]
    M = _mass_matrix(c, eta, order)
    Mdot = _mass_matrix(c, eta + 1j * H * etadot, order).imag / H
    p = (M @ u).real
    b = Mdot @ u
    b[:3] += np.cross(w, p[:3]) + np.cross(v, p[3:6])
    b[3:6] += np.cross(w, p[3:6])
    for r in range(n):
        e = eta.astype(complex)
        e[r] += 1j * H
        b[6 + r] -= 0.5 * (u @ _mass_matrix(c, e, order) @ u).imag / H
    return b, M.real


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("lumped", [False, True])
def test_equations_of_a_free_body(order, lumped):
    c = beam(n_elements=5, n_modes=7, aset=None, bend=0.5, lumped=lumped, tip_mass=0.5)
    mb = Multibody("one")
    mb.add_body("body", component=c, joint=Free(), order=order)
    system = mb.compile()
    x = random_state(system, np.random.default_rng(order), deflection=0.004)
    u = np.concatenate([x["body"].v, x["body"].etadot])
    b, M = _lagrange(c, x["body"].eta, u, order)
    b[6:] += (2 * np.pi * c.frequencies_hz) ** 2 * x["body"].eta
    np.testing.assert_allclose(system.mass_matrix(x), M, atol=1e-12 * abs(M).max())
    np.testing.assert_allclose(system.bias(x), b, rtol=0, atol=1e-12 * abs(b).max())


def test_order_two_is_the_motion_of_point_masses():
    """A lumped mesh: kinetic energy ½Σm|ṙ|² of the masses at R(l + γη), plus the rotary part, which stays as it is."""
    c = beam(n_elements=5, n_modes=6, aset=None, bend=0.5, lumped=True)
    _, M, _ = beam_matrices(5, bend=0.5, lumped=True)
    m = M.diagonal().reshape(-1, 6)[:, 0]
    mb = Multibody("one")
    mb.add_body("body", component=c, joint=Free(), order=2)
    system = mb.compile()
    still = system.state()
    x = random_state(system, np.random.default_rng(0), deflection=0.02)
    energies = []
    for state in (x, system.state(still.q, x.v)):
        w, v = state["body"].v[:3], state["body"].v[3:]
        r = c.node_positions + c.gamma @ state["body"].eta
        rate = v + np.cross(w, r) + c.gamma @ state["body"].etadot
        energies.append(0.5 * m @ (rate**2).sum(axis=1))
    rotary = system.energies(system.state(still.q, x.v)).kinetic - energies[1]
    assert system.energies(x).kinetic == pytest.approx(energies[0] + rotary, rel=1e-12)


def test_pinned_beam_against_a_symbolic_model():
    """A pinned lumped beam in a plane: sympy derives the equations of its point masses from the Lagrangian."""
    sympy = pytest.importorskip("sympy")
    c = beam(n_elements=3, n_modes=4, aset=1, lumped=True)
    mb = Multibody("pinned", gravity=[0.0, -9.81, 0.0])
    mb.add_body("beam", component=c, joint=Revolute("z"), n_modes=2)
    system = mb.compile()
    flex = system.flexes[0]
    _, M, _ = beam_matrices(3, lumped=True)
    m = M.diagonal().reshape(-1, 6)[:, 0]
    t = sympy.symbols("t")
    q = [sympy.Function(name)(t) for name in ("a", "e", "f")]
    a, eta = q[0], sympy.Matrix(q[1:])
    R = sympy.Matrix([[sympy.cos(a), -sympy.sin(a), 0], [sympy.sin(a), sympy.cos(a), 0], [0, 0, 1]])
    T = V = 0
    for k in range(len(m)):
        r = R * (sympy.Matrix(flex.l[k]) + sympy.Matrix(flex.gamma[k]) * eta)
        rate = r.diff(t)
        T += m[k] * (rate.T * rate)[0] / 2
        V += m[k] * 9.81 * r[1]
    # what the masses do not have: rotary inertia, constant in these coordinates (Jzz, F0z, unit modal mass)
    points = [sum(m[k] * (flex.l[k] @ flex.l[k]) for k in range(len(m)))]
    qd = sympy.Matrix(q).diff(t)
    full = np.zeros((3, 3))
    full[0, 0] = flex.integrals.inertia[2, 2]
    full[0, 1:] = full[1:, 0] = flex.integrals.F0[2]
    full[1:, 1:] = np.eye(2)
    lumped = np.zeros((3, 3))
    lumped[0, 0] = points[0]
    cross = np.einsum("k,ki,kjr->ijr", m, flex.l, flex.gamma)
    lumped[0, 1:] = lumped[1:, 0] = cross[0, 1] - cross[1, 0]
    lumped[1:, 1:] = np.einsum("k,kir,kis->rs", m, flex.gamma, flex.gamma)
    T += (qd.T * sympy.Matrix(full - lumped) * qd)[0] / 2
    V += sum(flex.stiffness[r] * q[1 + r] ** 2 for r in range(2)) / 2
    L = T - V
    equations = sympy.Matrix([L.diff(x.diff(t)).diff(t) - L.diff(x) for x in q])
    x = random_state(system, np.random.default_rng(4), deflection=0.02)
    second, first = {}, {}
    acc = sympy.symbols("u0:3")
    for k in range(3):
        second[q[k].diff(t, 2)] = acc[k]
        first[q[k].diff(t)] = x.v[k]
    values = {q[k]: x.q[k] for k in range(3)}
    residual = equations.subs(second).subs(first).subs(values)
    A = np.array(residual.jacobian(acc), dtype=float)
    b = np.array(residual.subs(dict.fromkeys(acc, 0)), dtype=float).ravel()
    expected = -np.linalg.solve(A, b)
    np.testing.assert_allclose(
        system.forward_dynamics(x), expected, rtol=1e-10, atol=1e-10 * abs(expected).max()
    )


def test_order_one_says_when_it_loses_definiteness():
    from interstage.errors import ModelError

    c = beam(n_elements=5, n_modes=7, aset=None)
    mb = Multibody("one")
    mb.add_body("body", component=c, joint=Free(), order=1)
    system = mb.compile()
    x = system.state()
    x["body"].eta[:] = 0.3
    with pytest.raises(ModelError, match="order=2"):
        system.forward_dynamics(x)


def test_order_one_warns_where_accelerations_can_still_be_had():
    """A clamped beam has no hinge that could fail: its own mass matrix tells."""
    from interstage.errors import FidelityWarning

    # order, masses, deflection, warnings: coarse consistent masses have more modal mass as points than as modes
    cases = (
        (1, True, 0.001, 0),
        (1, True, 0.3, 1),
        (2, True, 0.3, 0),
        (2, False, 0.001, 0),
        (2, False, 0.3, 1),
    )
    for order, lumped, factor, expected in cases:
        arm = beam(n_elements=5, n_modes=7, lumped=lumped)
        mb = Multibody("clamped")
        mb.add_body("arm", component=arm, joint=Locked(), order=order)
        mb.add_body("tip", mass=5.0, inertia=np.eye(3), parent="arm", at=6, joint=Locked())
        system = mb.compile()
        x = system.state()
        x["arm"].eta[:] = factor
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert np.isfinite(system.forward_dynamics(x)).all()
        assert len(found) == expected
        free = Multibody("alone")
        free.add_body("arm", component=arm, joint=Free(), order=order)
        alone = free.compile()
        y = alone.state()
        y["arm"].eta[:] = factor
        definite = np.linalg.eigvalsh(alone.mass_matrix(y))[0] > 0.0
        assert definite == (expected == 0)  # the mass matrix of the body itself says the same
        if expected:
            assert issubclass(found[0].category, FidelityWarning)
            assert "arm" in str(found[0].message)


def test_spin_bends_the_beam_only_with_integrals():
    """A spinning bent beam: without integrals no centrifugal force on the modes, with them ½ω²∂J/∂η."""
    c = beam(n_elements=5, n_modes=7, aset=None, bend=0.5, lumped=True)
    for order in (0, 2):
        mb = Multibody("one")
        mb.add_body("body", component=c, joint=Free(), order=order)
        system = mb.compile()
        x = system.state()
        w = np.array([0.0, 0.0, np.deg2rad(5.0)])
        x["body"].velocity[:3] = w
        x["body"].velocity[3:] = -np.cross(w, c.com)  # about the centre of mass
        pull = system.forward_dynamics(x)[6:]
        if order == 0:
            np.testing.assert_allclose(pull, 0.0, atol=1e-15)
        else:
            # Σ m ω² (l - com)·γ in the plane
            A = 0.5 * np.trace(c.J1, axis1=1, axis2=2)[:, None, None] * np.eye(3) - c.J1
            expected = w[2] ** 2 * (A[:, 0, 0] + A[:, 1, 1] - c.com[:2] @ c.E[:2])
            np.testing.assert_allclose(pull, expected, rtol=1e-6, atol=1e-9)
