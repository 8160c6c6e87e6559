"""Complex-step models against exact ones: sympy's derivatives, closed formulas, an implicit four-bar in 40 digits.

Tolerance 1e-12 of the largest entry of each matrix unless said otherwise: round-off of double precision.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.linalg import eigvals
from symbolic_linear import assert_model, g, lagrange, model, second_derivative

import interstage as ist
from interstage.linear.chart import skew

GRAVITY = [0.0, 0.0, -9.81]
M_CART, M_ARM, LENGTH, J_ARM = 2.0, 1.25, 0.75, 0.125  # exact in binary


def cart_pendulum(prescribed=False):
    mb = ist.Multibody("cart", gravity=GRAVITY)
    mb.add_body("cart", mass=M_CART, joint=ist.Prismatic("x", damping=0.5, prescribed=prescribed))
    mb.add_body(
        "arm",
        mass=M_ARM,
        com=[0, 0, -LENGTH],
        inertia=[J_ARM] * 3,
        parent="cart",
        joint=ist.Revolute("y", stiffness=3.0, rest=0.25),
    )
    return mb.compile()


TIP = [0.0, 0.0, -2 * LENGTH]
OUTPUTS = [
    ist.JointAngle("arm"),
    ist.JointRate("arm"),
    ist.NodePosition("arm", TIP, "xz", name="tip"),
    ist.NodeAcceleration("arm", TIP, "xz", specific_force=True, name="felt"),
]


def symbolic_cart(cart_acceleration=None):
    """Return mechanism, inputs and outputs; a positive angle about y turns z towards x."""
    x, a, F, tau = sp.symbols("x a F tau")
    l, m = sp.Rational(3, 4), sp.Rational(5, 4)

    def kinetic(q, r):
        vx, vz = r[0] - l * sp.cos(q[1]) * r[1], l * sp.sin(q[1]) * r[1]
        return r[0] ** 2 + m * (vx**2 + vz**2) / 2 + sp.Rational(1, 16) * r[1] ** 2

    def potential(q):
        return -m * g * l * sp.cos(q[1]) + sp.Rational(3, 2) * (q[1] - sp.Rational(1, 4)) ** 2

    found = lagrange([x, a], kinetic, potential, lambda q, r: [F - r[0] / 2, tau])
    if cart_acceleration is not None:
        found.M[0, 0], found.M[0, 1], found.f[0] = 1, 0, cart_acceleration
    px, pz = x - 2 * l * sp.sin(a), -2 * l * sp.cos(a)
    ax, az = second_derivative(px, found), second_derivative(pz, found) + g
    felt = [sp.cos(a) * ax - sp.sin(a) * az, sp.sin(a) * ax + sp.cos(a) * az]
    return found, (F, tau), [a, found.r[1], px, pz, *felt]


def test_cart_and_pendulum_moving_against_sympy():
    cart, u, y = symbolic_cart()
    point = {cart.q[0]: 0.5, cart.q[1]: 0.75, cart.r[0]: -0.375, cart.r[1]: 1.5, u[0]: 0.0, u[1]: 0.25}
    system = cart_pendulum()
    x = system.state([0.5, 0.75], [-0.375, 1.5])
    lin = ist.linearize(system, x, [ist.JointForce("cart"), ist.JointForce("arm")], OUTPUTS, tau=[0.0, 0.25])
    assert lin.states == ["cart.travel", "arm.angle", "cart.travel_rate", "arm.angle_rate"]
    assert lin.outputs[2:] == ["tip.x", "tip.z", "felt.x", "felt.z"]
    assert_model(lin, *model(cart, u, y, point))


def test_prescribed_cart_against_sympy():
    wanted = sp.Symbol("wanted")
    cart, u, y = symbolic_cart(wanted)
    point = {cart.q[0]: 0.5, cart.q[1]: 0.75, cart.r[0]: -0.375, cart.r[1]: 1.5, u[1]: 0.0, wanted: 2.0}
    system = cart_pendulum(prescribed=True)
    x = system.state([0.5, 0.75], [-0.375, 1.5])
    inputs = [ist.JointAcceleration("cart"), ist.JointForce("arm")]
    lin = ist.linearize(system, x, inputs, OUTPUTS, accelerations={"cart": 2.0})
    assert_model(lin, *model(cart, (wanted, u[1]), y, point))
    # angle and rate of the prescribed joint stay states: a double integrator
    assert np.array_equal(lin.A[[0, 2]], [[0, 0, 1, 0], [0, 0, 0, 0]])
    assert np.array_equal(lin.B[2], [1, 0])


def test_locked_joint_leaves_no_states():
    system = cart_pendulum()
    system.set_joint_mode("cart", "locked")
    lin = ist.linearize(system, system.state([0.5, 0.25], [0.0, 0.0]), [ist.JointForce("arm")])
    assert lin.states == ["arm.angle", "arm.angle_rate"]
    inertia = J_ARM + M_ARM * LENGTH**2
    exact = -(3.0 + M_ARM * 9.81 * LENGTH * np.cos(0.25)) / inertia
    assert lin.A[1, 0] == pytest.approx(exact, rel=1e-14)


def test_double_pendulum_against_sympy():
    a, b, ta, tb = sp.symbols("a b ta tb")

    def kinetic(q, r):
        # rods of length 1 and 1/2, point masses 2 and 1 at the ends, own inertia 1/8 and 1/16
        vx = [sp.cos(q[0]) * r[0], sp.sin(q[0]) * r[0]]
        w = r[0] + r[1]
        v2 = [vx[0] + sp.cos(q[0] + q[1]) * w / 2, vx[1] + sp.sin(q[0] + q[1]) * w / 2]
        return r[0] ** 2 * (1 + sp.Rational(1, 16)) + (v2[0] ** 2 + v2[1] ** 2) / 2 + w**2 / 32

    def potential(q):
        return -g * (3 * sp.cos(q[0]) + sp.cos(q[0] + q[1]) / 2)

    arms = lagrange([a, b], kinetic, potential, lambda q, r: [ta, tb])
    point = {a: 0.375, b: -1.25, arms.r[0]: 0.75, arms.r[1]: 2.5, ta: 0.0, tb: 0.0}
    mb = ist.Multibody("double", gravity=GRAVITY)
    mb.add_body("upper", mass=2.0, com=[0, 0, -1], inertia=[0.125] * 3, joint=ist.Revolute("-y"))
    mb.add_body(
        "lower",
        mass=1.0,
        com=[0, 0, -0.5],
        inertia=[0.0625] * 3,
        parent="upper",
        at=[0, 0, -1],
        joint=ist.Revolute("-y"),
    )
    system = mb.compile()
    x = system.state([0.375, -1.25], [0.75, 2.5])
    inputs = [ist.JointForce("upper"), ist.JointForce("lower")]
    lin = ist.linearize(system, x, inputs, [ist.JointAngle("upper"), ist.NodeRate("lower", axis="-y")])
    assert_model(lin, *model(arms, (ta, tb), [a, arms.r[0] + arms.r[1]], point))


def test_heavy_top_on_a_quaternion_against_small_rotations():
    """Euler's equations with R = R0 (I + [δθ]), differentiated by sympy."""
    J, m, c = np.diag([0.5, 0.5, 0.25]), 2.0, np.array([0.0, 0.0, 0.75])
    mb = ist.Multibody("top", gravity=GRAVITY)
    J_com = J - m * (c @ c * np.eye(3) - np.outer(c, c))
    mb.add_body("top", mass=m, com=c, inertia=J_com + 1.25 * np.diag([1, 1, 0.0]), joint=ist.Ball())
    J = J + 1.25 * np.diag([1, 1, 0.0])
    system = mb.compile()
    q0 = np.array([0.5, -0.5, 0.1, 0.7])
    q0 /= np.linalg.norm(q0)
    w0 = np.array([0.25, -0.5, 8.0])
    x = system.state(q0, w0)
    R0 = system.rotation(x, "top")
    th, w = sp.Matrix(sp.symbols("t0:3")), sp.Matrix(sp.symbols("w0:3"))
    hat = sp.Matrix(3, 3, lambda i, j: sum(sp.LeviCivita(i, k, j) * th[k] for k in range(3)))
    R = sp.Matrix(R0) * (sp.eye(3) + hat)
    gravity = R.T * sp.Matrix([0, 0, -g])
    torque = sp.Matrix(m * c).cross(gravity)
    acc = sp.Matrix(np.linalg.inv(J)) * (torque - w.cross(sp.Matrix(J) * w))
    rate = w - sp.Matrix(w0).cross(th)
    f = [*rate, *acc]
    point = {**dict.fromkeys(th, 0.0), **dict(zip(w, w0.tolist()))}
    A = np.array(sp.Matrix(f).jacobian([*th, *w]).evalf(subs=point).tolist(), dtype=float)
    lin = ist.linearize(
        system, x, [ist.NodeTorque("top", axis="x")], [ist.NodeRate("top"), ist.NodeAttitude("top")]
    )
    assert lin.states == ["top.rx", "top.ry", "top.rz", "top.wx", "top.wy", "top.wz"]
    assert np.abs(lin.A - A).max() < 1e-12 * np.abs(A).max()
    assert np.abs(lin.B[3:, 0] - np.linalg.inv(J)[:, 0]).max() < 1e-13
    # attitude in the world is R0 δθ
    assert np.abs(lin.C[3:, :3] - R0).max() < 1e-14


@pytest.mark.parametrize("factor, stable", [(1.02, True), (0.98, False)])
def test_sleeping_top_is_stable_above_its_critical_spin(factor, stable):
    """(J3 Ω)² > 4 J1 m g l (Lagrange's top, upright)."""
    J1, J3, m, l = 1.5, 0.25, 2.0, 0.5
    mb = ist.Multibody("top", gravity=GRAVITY)
    mb.add_body("top", mass=m, com=[0, 0, l], inertia=[J1 - m * l**2, J1 - m * l**2, J3], joint=ist.Ball())
    system = mb.compile()
    spin = factor * np.sqrt(4 * J1 * m * 9.81 * l) / J3
    lin = ist.linearize(system, system.state(v=[0, 0, spin]))
    grows = lin.poles().real.max()
    assert (grows < 1e-6) == stable
    if not stable:
        # tilt in the world: J1 s² - i J3 Ω s - m g l = 0
        s = np.roots([J1, -1j * J3 * spin, -m * 9.81 * l])
        assert grows == pytest.approx(s.real.max(), rel=1e-9)


@pytest.mark.parametrize("axes", ["parent", "body"])
def test_free_body_with_forces_that_stand_and_follow(axes):
    """A world force turns in body axes by [Rᵀf]×/m; thrust does not. Positions by the kinematics of the chart."""
    rng = np.random.default_rng(4)
    mb = ist.Multibody("free")
    mb.add_body("b", mass=2.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    system = mb.compile()
    q = rng.normal(size=4)
    x = system.state(np.concatenate([q / np.linalg.norm(q), [1.0, 2.0, 3.0]]), rng.normal(size=6))
    R, w0, v0 = system.rotation(x, "b"), x.v[:3], x.v[3:]
    f = np.array([3.0, -1.0, 2.0])
    follow = ist.linearize(system, x, forces={"b": [0, 0, 0, *f]}, frame="body", position_axes=axes)
    stand = ist.linearize(system, x, forces={("b", None, "world"): [0, 0, 0, *f]}, position_axes=axes)
    assert np.abs(follow.A[9:, :3]).max() < 1e-14
    assert np.abs(stand.A[9:, :3] - skew(R.T @ f) / 2.0).max() < 1e-14
    assert np.abs(stand.A[9:, 9:] + skew(w0)).max() < 1e-14
    turn = np.eye(3) if axes == "body" else R
    assert np.abs(stand.A[3:6, :3] + turn @ skew(v0)).max() < 1e-14
    assert np.abs(stand.A[3:6, 9:] - turn).max() < 1e-14
    assert np.abs(stand.A[3:6, 3:6] + (skew(w0) if axes == "body" else 0)).max() < 1e-14


def four_bar():
    mb = ist.Multibody("four-bar", gravity=GRAVITY)
    common = {"joint": ist.Revolute("-y")}
    mb.add_body(
        "crank", mass=1.0, com=[0.25, 0, 0], inertia=[0.02] * 3, joint=ist.Revolute("-y", damping=0.1)
    )
    mb.add_body(
        "coupler", mass=2.0, com=[0.75, 0, 0.1], inertia=[0.3] * 3, parent="crank", at=[0.5, 0, 0], **common
    )
    mb.add_body(
        "rocker", mass=1.5, com=[0.5, 0, 0], inertia=[0.1] * 3, parent="coupler", at=[1.5, 0, 0], **common
    )
    mb.close("pin", ("rocker", [1.0, 0, 0]), (None, [1.5, 0, 0]), joint=ist.Revolute("-y"))
    return mb.compile()


def exact_four_bar(a0, r0, guess=(1.0, -2.5)):
    """Return A (2, 2) of the crank's angle and rate and the coupler's slope, in 40 digits.

    One coordinate: T = ½ m(a) ȧ², V(a); ä = (-½ m' ȧ² - V' - c ȧ)/m. Angles b, c of the others follow from the loop.
    """
    mpmath.mp.dps = 40
    mp = mpmath

    def close(a, guess):
        def loop(b, c):
            x = mp.cos(a) / 2 + 1.5 * mp.cos(a + b) + mp.cos(a + b + c)
            z = mp.sin(a) / 2 + 1.5 * mp.sin(a + b) + mp.sin(a + b + c)
            return [x - 1.5, z]

        return mp.findroot(loop, guess)

    start = close(mp.mpf(a0), tuple(mp.mpf(a) for a in guess))

    def places(a):
        b, c = close(a, (start[0], start[1]))
        A, AB, ABC = a, a + b, a + b + c
        crank = (mp.cos(A) / 4, mp.sin(A) / 4)
        joint = (mp.cos(A) / 2, mp.sin(A) / 2)
        off = mp.mpf(0.1)
        coupler = (
            joint[0] + 0.75 * mp.cos(AB) - off * mp.sin(AB),
            joint[1] + 0.75 * mp.sin(AB) + off * mp.cos(AB),
        )
        knee = (joint[0] + 1.5 * mp.cos(AB), joint[1] + 1.5 * mp.sin(AB))
        rocker = (knee[0] + mp.cos(ABC) / 2, knee[1] + mp.sin(ABC) / 2)
        return [*crank, A, *coupler, AB, *rocker, ABC]

    weight = [1.0, 1.0, 0.02, 2.0, 2.0, 0.3, 1.5, 1.5, 0.1]

    def mass(a):
        h = mp.mpf(10) ** -12
        up, down = places(a + h), places(a - h)
        up2, down2 = places(a + 2 * h), places(a - 2 * h)
        slope = [(8 * (p - q) - (P - Q)) / (12 * h) for p, q, P, Q in zip(up, down, up2, down2)]
        return mp.fsum(mp.mpf(w) * s**2 for w, s in zip(weight, slope))

    def potential(a):
        p = places(a)
        return mp.mpf("9.81") * (p[1] + 2 * p[4] + 1.5 * p[7])

    def slope_of(f, a, h):
        h = mp.mpf(h)
        return (8 * (f(a + h) - f(a - h)) - (f(a + 2 * h) - f(a - 2 * h))) / (12 * h)

    def acceleration(a, r):
        return (-slope_of(mass, a, 1e-7) * r**2 / 2 - slope_of(potential, a, 1e-7) - mp.mpf(0.1) * r) / mass(
            a
        )

    a0, r0 = mp.mpf(a0), mp.mpf(r0)
    da = slope_of(lambda a: acceleration(a, r0), a0, 1e-4)
    dr = (acceleration(a0, r0 + 1) - acceleration(a0, r0 - 1)) / 2  # quadratic in r: exact
    return np.array([[0, 1], [float(da), float(dr)]]), [float(start[0]), float(start[1])]


@pytest.mark.parametrize("rate", [0.0, 2.0])
def test_four_bar_on_the_tangent_space_of_its_closure(rate):
    system = four_bar()
    A, (b, c) = exact_four_bar(0.9, rate)
    x = system.state([0.9, b, c], [rate, 0.0, 0.0])
    system.drop_redundant(x)
    x = system.assemble(x, fixed=["crank"])
    lin = ist.linearize(system, x, [ist.JointForce("crank")], independent=["crank"])
    assert lin.states == ["crank.angle", "crank.angle_rate"]
    assert np.abs(lin.A - A).max() < 1e-11 * np.abs(A).max()


def test_equilibrium_of_a_four_bar_by_trim():
    """At rest a loop has the same poles in every choice of coordinates."""
    system = four_bar()
    _, (b, c) = exact_four_bar(0.9, 0.0)
    x = system.state([0.9, b, c])
    system.drop_redundant(x)
    x0 = ist.trim(system, system.assemble(x, fixed=["crank"]))
    assert not x0.report.accelerating
    assert np.abs(system.closure_error(x0)).max() < 1e-12
    poles = [
        np.sort_complex(np.asarray(ist.linearize(system, x0, independent=[n]).poles())) for n in system.bodies
    ]
    for other in poles[1:]:
        assert np.abs(other - poles[0]).max() < 1e-10 * np.abs(poles[0]).max()
    A, _ = exact_four_bar(x0.q[0], 0.0, guess=x0.q[1:])
    assert np.abs(np.sort_complex(eigvals(A)) - poles[0]).max() < 1e-9 * np.abs(poles[0]).max()
