"""Small rigid systems beside sympy's KanesMethod."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.kane import Kane
from interstage.multibody import Free, Multibody, Prismatic, Revolute, Universal

sm = pytest.importorskip("sympy", reason="sympy is needed for the symbolic reference")
me = pytest.importorskip("sympy.physics.mechanics")

INERTIA = ((0.3, 0.02, -0.01), (0.02, 0.4, 0.03), (-0.01, 0.03, 0.5))
COM = (0.2, -0.1, 0.3)


def _body(name, frame, origin, mass, com, J):
    """Return a sympy body with its centre of mass at `com` from `origin`, in the axes of `frame`."""
    center = origin.locatenew(f"{name}_cm", sum(c * e for c, e in zip(com, frame)))
    dyadic = me.inertia(frame, J[0][0], J[1][1], J[2][2], J[0][1], J[1][2], J[0][2])
    return me.RigidBody(name, center, frame, mass, (dyadic, center))


def _solved(method, bodies, loads, symbols):
    """Return a function of numbers that gives v̇ of sympy's equations."""
    method.kanes_equations(bodies, loads)
    return sm.lambdify([symbols], [method.mass_matrix, method.forcing], "numpy", cse=True)


def test_cart_and_two_arms():
    """Prismatic along x, revolute about y, revolute about x of the arm, full inertias, gravity."""
    q, u = me.dynamicsymbols("q:3"), me.dynamicsymbols("u:3")
    N, g = me.ReferenceFrame("N"), 9.81
    A, B = N.orientnew("A", "Axis", [q[1], N.y]), None
    A.set_ang_vel(N, u[1] * N.y)
    B = A.orientnew("B", "Axis", [q[2], A.x])
    B.set_ang_vel(A, u[2] * A.x)
    O = me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q[0] * N.x)
    P.set_vel(N, u[0] * N.x)
    Q = P.locatenew("Q", 0.5 * A.x - 0.7 * A.z)
    Q.v2pt_theory(P, N, A)
    cart = me.Particle("cart", P, 2.0)
    bodies, loads = [cart], [(P, -2.0 * g * N.z)]
    for name, frame, origin, mass in (("a", A, P, 1.3), ("b", B, Q, 0.8)):
        body = _body(name, frame, origin, mass, COM, INERTIA)
        body.masscenter.v2pt_theory(origin, N, frame)
        bodies.append(body)
        loads.append((body.masscenter, -mass * g * N.z))
    method = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[qi.diff() - ui for qi, ui in zip(q, u)])
    reference = _solved(method, bodies, loads, [*q, *u])
    mb = Multibody("cart", gravity=[0, 0, -g])
    mb.add_body("cart", mass=2.0, joint=Prismatic("x"))
    mb.add_body("a", mass=1.3, com=COM, inertia=INERTIA, parent="cart", joint=Revolute("y"))
    mb.add_body("b", mass=0.8, com=COM, inertia=INERTIA, parent="a", at=[0.5, 0, -0.7], joint=Revolute("x"))
    k = Kane(mb)
    for seed in range(5):
        z = np.random.default_rng(seed).normal(size=6)
        M, f = reference(z)
        ours_M, ours_f = k.equations(z[:3], z[3:])
        np.testing.assert_allclose(ours_M, M, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours_f, np.ravel(f), rtol=0, atol=1e-12 * (1 + abs(f).max()))
        want = np.linalg.solve(M, np.ravel(f))
        np.testing.assert_allclose(k.accelerations(z[:3], z[3:]), want, rtol=1e-11, atol=1e-11)


def test_free_body_with_a_universal_appendage():
    """Quasi-velocities: [ω; v] of the bus in its own axes, and a boom on a universal joint."""
    w, s, p = me.dynamicsymbols("w:3"), me.dynamicsymbols("s:3"), me.dynamicsymbols("p:2")
    r, x = me.dynamicsymbols("r:2"), me.dynamicsymbols("x:3")
    e = me.dynamicsymbols("e:3")
    N = me.ReferenceFrame("N")
    # the attitude does not enter without gravity: any coordinates will do for sympy
    A = N.orientnew("A", "Body", list(e), "123")
    kinematic = list(A.ang_vel_in(N).to_matrix(A) - sm.Matrix(w))
    A.set_ang_vel(N, sum(wi * ei for wi, ei in zip(w, A)))
    C = A.orientnew("C", "Axis", [p[0], A.x])
    C.set_ang_vel(A, r[0] * A.x)
    B = C.orientnew("B", "Axis", [p[1], C.y])
    B.set_ang_vel(C, r[1] * C.y)
    O = me.Point("O")
    O.set_vel(N, sum(si * ei for si, ei in zip(s, A)))
    Q = O.locatenew("Q", 0.4 * A.x + 0.1 * A.y - 0.2 * A.z)
    Q.v2pt_theory(O, N, A)
    bodies = []
    for name, frame, origin, mass in (("bus", A, O, 4.0), ("boom", B, Q, 0.9)):
        body = _body(name, frame, origin, mass, COM, INERTIA)
        body.masscenter.v2pt_theory(origin, N, frame)
        bodies.append(body)
    world = O.vel(N).to_matrix(N)
    kd = kinematic + [xi.diff() - vi for xi, vi in zip(x, world)] + [pi.diff() - ri for pi, ri in zip(p, r)]
    u = [*w, *s, *r]
    method = me.KanesMethod(N, q_ind=[*e, *x, *p], u_ind=u, kd_eqs=kd)
    reference = _solved(method, bodies, [], [*e, *x, *p, *u])
    mb = Multibody("bus")
    mb.add_body("bus", mass=4.0, com=COM, inertia=INERTIA, joint=Free())
    mb.add_body(
        "boom", mass=0.9, com=COM, inertia=INERTIA, parent="bus", at=[0.4, 0.1, -0.2], joint=Universal("xy")
    )
    k = Kane(mb)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        angles, u = rng.normal(size=2), rng.normal(size=8)
        M, f = reference(np.concatenate([[0.3, 0.2, -0.4], np.zeros(3), angles, u]))
        q = np.concatenate([rng.normal(size=7), angles])
        ours_M, ours_f = k.equations(q, u)
        np.testing.assert_allclose(ours_M, M, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours_f, np.ravel(f), rtol=0, atol=1e-12 * (1 + abs(f).max()))
        want = np.linalg.solve(M, np.ravel(f))
        np.testing.assert_allclose(k.accelerations(q, u), want, rtol=1e-11, atol=1e-11)
