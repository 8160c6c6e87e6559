"""Accelerations of one beam against equations of motion derived by computer algebra.

A bent beam of five grids with an offset lumped mass (four elastic modes of the deck's matrices, found by a dense
solver here) is free, clamped or pinned, in gravity. Sympy writes the positions of its point masses in Euler
angles, takes velocities by differentiation, truncates the kinetic energy at order 0, 1 or 2 in the deformation
(0: without modal integrals), adds the rotary inertia of the finite-element mass matrix, and derives Lagrange's
equations. Nothing of the engine is in that model. Both give accelerations at random states: large rotations,
rates of 1 rad/s, deflections of some per cent of the length (order 1 loses a definite mass matrix at larger ones).
The NESC report (7.2) prints agreement within 1e-8 for its own pair of models.

    python -m validation symbolic_beams
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.linalg as la

from validation.study import Row, Study

MODES, STATES = 4, 10
GRAVITY = np.array([0.7, -1.1, -9.3])
TOLERANCE = 1e-10  # of the largest acceleration at the state; the paper's is 1e-8
TIP = 5
LUMP = {"grid": 4, "mass": 0.8, "offset": np.array([0.03, -0.08, 0.05]), "inertia": (0.004, 0.006, 0.005)}
POINTS = np.array([[0.0, 0.0, 0.0], [0.5, 0.05, 0.0], [1.0, 0.15, 0.05], [1.4, 0.35, 0.1], [1.7, 0.6, 0.2]])


def deck() -> str:
    """Return the bent beam, lumped mass; small lumped inertia on every grid."""
    o, (a, b, c) = LUMP["offset"], LUMP["inertia"]
    lines = ["SOL 103", "CEND", "BEGIN BULK", "PARAM,COUPMASS,-1", "MAT1,1,2.0+9,,0.3,1500."]
    lines.append("PBAR,1,1,1.6-3,3.0-7,1.5-7,3.2-7")
    for k, (x, y, z) in enumerate(POINTS):
        lines += [
            f"GRID,{k + 1},0,{x},{y},{z},0",
            f"CONM2,{101 + k},{k + 1},0,0.",
            ",2.-3,0.,3.-3,0.,0.,4.-3",
        ]
    lines += [f"CBAR,{k},1,{k},{k + 1},0.,0.,1." for k in range(1, len(POINTS))]
    lines += [f"CONM2,201,{LUMP['grid']},0,{LUMP['mass']},{o[0]},{o[1]},{o[2]}", f",{a},0.,{b},0.,0.,{c}"]
    return "\n".join([*lines, "ENDDATA"])


@dataclass(frozen=True)
class Beam:
    """What the symbolic model knows: point masses m at l moving with g (3, n), the matrix `rest` of what they lack."""

    m: np.ndarray
    l: np.ndarray
    g: np.ndarray
    rest: np.ndarray
    squares: np.ndarray
    shapes: np.ndarray


@cache
def beam(held: bool) -> Beam:
    """Return modes of the free beam, or of the beam held at grid 1, from the matrices of the deck."""
    from interstage import FEModel
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(deck()))
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    keep = np.arange(6 if held else 0, len(K))
    squares, phi = la.eigh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)])
    chosen = slice(0, MODES) if held else slice(6, 6 + MODES)
    shapes = np.zeros((len(K), MODES))
    shapes[keep] = phi[:, chosen]
    nodes = shapes.reshape(-1, 6, MODES)
    m = M.diagonal().reshape(-1, 6)[:, 0].copy()
    row, o = LUMP["grid"] - 1, LUMP["offset"]
    m[row] -= LUMP["mass"]
    m = np.append(m, LUMP["mass"])
    l = np.vstack([POINTS, POINTS[row] + o])
    g = np.concatenate([nodes[:, :3], (nodes[row, :3] + np.cross(nodes[row, 3:], o, axisa=0, axisc=0))[None]])
    rigid = np.zeros((len(K), 6))
    for k, p in enumerate(POINTS):
        rigid[6 * k : 6 * k + 3, :3], rigid[6 * k : 6 * k + 3, 3:] = -_cross(p), np.eye(3)
        rigid[6 * k + 3 : 6 * k + 6, :3] = np.eye(3)
    basis = np.hstack([rigid, shapes])
    full = basis.T @ M @ basis
    motions = np.concatenate([np.array([np.hstack([-_cross(p), np.eye(3)]) for p in l]), g], axis=2)
    points = np.einsum("k,kia,kib->ab", m, motions, motions)
    return Beam(m, l, g, full - points, squares[chosen], shapes)


def _cross(a: np.ndarray) -> np.ndarray:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


class Symbolic:
    """Lagrange's equations of the beam on a support: "free", "clamped" or "pinned" (about z), at an order.

    Coordinates q: position and three Euler angles (z, y, x) where free, the angle about z where pinned; then η.
    The kinetic energy is a function of body rates u = [ω; v; η̇] = W(q) q̇ and of η, so that

        d/dt ∂T/∂q̇ = d/dt (Wᵀ T_u),   ∂T/∂q = (∂u/∂q)ᵀ T_u + T_η

    with every partial derivative taken by sympy.
    """

    def __init__(self, support: str, order: int):
        self.support, held = support, support != "free"
        self.beam = beam(held)
        self._kinematics, self._slope, self.n = kinematics(support)
        self._energy = kinetic_energy(held, order)

    def solve(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return R, p, body rates u and their derivatives at a state."""
        R, p, u, W, Wd, u_q = (np.array(item, dtype=float) for item in self._kinematics(q, qd))
        u, p, eta, etad = u.ravel(), p.ravel(), q[-MODES:], qd[-MODES:]
        T_u, T_uu, T_ue, T_e = (np.array(item, dtype=float) for item in self._energy(u, eta))
        T_u = T_u.ravel()
        force = Wd.T @ T_u + W.T @ (T_uu @ Wd @ qd + T_ue @ etad) - u_q.T @ T_u + np.array(self._slope(q))
        force[-MODES:] -= T_e.ravel()
        qdd = -np.linalg.solve(W.T @ T_uu @ W, force)
        return R, p, u, W @ qdd + Wd @ qd


@cache
def kinematics(support: str):
    """Return functions of the state: R, p, u, W, Ẇ, ∂u/∂q, and slope of the potential; number of coordinates."""
    import sympy as sy

    names = {"free": "x y z a b c", "pinned": "a", "clamped": ""}[support].split()
    q = [sy.Symbol(n) for n in names] + [sy.Symbol(f"e{r}") for r in range(MODES)]
    qd = [sy.Symbol(f"{s.name}d") for s in q]
    eta, rates = sy.Matrix(q[-MODES:]), sy.Matrix(qd)
    R, p = sy.eye(3), sy.zeros(3, 1)
    if support == "free":
        R = sy.rot_ccw_axis3(q[3]) * sy.rot_ccw_axis2(q[4]) * sy.rot_ccw_axis1(q[5])
        p = sy.Matrix(q[:3])
    elif support == "pinned":
        R = sy.rot_ccw_axis3(q[0])
    spin = R.T * _derivative(R, q, rates)
    w = [spin[2, 1], spin[0, 2], spin[1, 0]]
    u = sy.Matrix([*w, *(R.T * _derivative(p, q, rates)), *qd[-MODES:]])
    W = u.jacobian(rates)
    motion = sy.lambdify([q, qd], [R, p, u, W, _derivative(W, q, rates), u.jacobian(q)], "numpy", cse=True)
    found = beam(support != "free")
    V = sum(k * e**2 for k, e in zip(found.squares.tolist(), eta)) / 2
    for m, l, g in zip(found.m.tolist(), found.l.tolist(), found.g):
        V -= m * (p + R * (sy.Matrix(l) + sy.Matrix(g.tolist()) * eta)).dot(sy.Matrix(GRAVITY.tolist()))
    return motion, sy.lambdify([q], [sy.diff(V, item) for item in q], "numpy", cse=True), len(q)


@cache
def kinetic_energy(held: bool, order: int):
    """Return T_u, T_uu, T_uη and T_η, functions of u and η, of the kinetic energy up to `order` in η.

    At order 0 what the deformation does is that of the whole mass m at the centre of mass, which moves by δ = Eη/m:
    T = T0 + ℓ·(ω×δ) + ½m|ω×δ|² with ℓ = ∂T0/∂v.
    """
    import sympy as sy

    found, eta = beam(held), sy.Matrix(sy.symbols(f"e0:{MODES}"))
    u = sy.Matrix(sy.symbols(f"u0:{6 + MODES}"))
    w, v, etad = u[:3, 0], u[3:6, 0], u[6:, 0]
    T = (u.T * sy.Matrix(found.rest.tolist()) * u)[0] / 2
    for m, l, g in zip(found.m.tolist(), found.l.tolist(), found.g):
        shape = sy.Matrix(g.tolist())
        still = v + w.cross(sy.Matrix(l)) + shape * etad
        moved = w.cross(shape * eta)
        parts = (still.dot(still) / 2, still.dot(moved), moved.dot(moved) / 2)
        T += m * sum(parts[: order + 1])
    if order == 0:
        push = sy.Matrix([T]).jacobian(v).T
        mass, shift = push.jacobian(v)[0, 0], push.jacobian(etad) * eta
        moved = w.cross(shift) / mass
        T += push.dot(moved) + mass * moved.dot(moved) / 2
    T = sy.Poly(T, *u, *eta).as_expr()
    T_u = sy.Matrix([T]).jacobian(u).T
    out = [T_u, T_u.jacobian(u), T_u.jacobian(eta), sy.Matrix([T]).jacobian(eta)]
    return sy.lambdify([list(u), list(eta)], out, "numpy", cse=True)


def _derivative(expression, q, rates):
    """Return the time derivative of a matrix of functions of q."""
    return sum((expression.diff(item) * rate for item, rate in zip(q, rates)), 0 * expression)


def engine(support: str, order: int, integrals: bool = True):
    """Return the same beam in the engine."""
    from interstage import Component
    from interstage.multibody import Free, Locked, Multibody, Revolute
    from interstage.nastran import deck_from_text

    aset = {} if support == "free" else {1: 123456}
    # the energies of the symbolic model, as the paper's, know no stress under loads
    component = Component.from_deck(
        deck_from_text(deck()),
        n_modes=MODES,
        aset=aset,
        modal_integrals=integrals,
        massless="error",
        geometric_stiffness=False,
    )
    joint = {"free": Free(), "clamped": Locked(), "pinned": Revolute("z")}[support]
    mb = Multibody("one beam", gravity=GRAVITY)
    mb.add_body("beam", component=component, joint=joint, order=order)
    return mb.compile()


def signs(system, model: Symbolic) -> np.ndarray:
    """Return +1 or -1 for each mode: whether the engine's has the sign of ours, seen at the tip."""
    from_engine = system.jacobian(system.state(), "beam", TIP)[3:, -MODES:]
    ours = model.beam.shapes.reshape(-1, 6, MODES)[TIP - 1, :3]
    return np.sign(np.sum(from_engine * ours, axis=0))


def compare(support: str, order: int, integrals: bool = True) -> tuple[float, float, float]:
    """Return the largest difference of accelerations over random states: relative, absolute, largest value."""
    from interstage.spatial import Rotation

    model, system = Symbolic(support, order), engine(support, order, integrals)
    turn = signs(system, model)
    rng = np.random.default_rng(7)
    relative = absolute = largest = 0.0
    for _ in range(STATES):
        q, qd = rng.uniform(-1.2, 1.2, model.n), rng.normal(size=model.n)
        q[-MODES:] = 0.01 * rng.normal(size=MODES)
        qd[-MODES:] = 0.1 * rng.normal(size=MODES)
        R, p, u, expected = model.solve(q, qd)
        x = system.state()
        body = x["beam"]
        body.eta[:], body.etadot[:] = turn * q[-MODES:], turn * qd[-MODES:]
        if support == "free":
            body.quaternion[:] = Rotation.of(R).quaternion
            body.position[:], body.velocity[:] = p, u[:6]
        elif support == "pinned":
            body.q[:], body.v[:] = q[0], qd[0]
            expected = np.concatenate([expected[2:3], expected[6:]])
        else:
            expected = expected[6:]
        expected[-MODES:] *= turn
        difference = float(np.abs(system.forward_dynamics(x) - expected).max())
        size = float(np.abs(expected).max())
        absolute, largest = max(absolute, difference), max(largest, size)
        relative = max(relative, difference / size)
    return relative, absolute, largest


def study(quick: bool = False) -> Study:
    """Free, clamped and pinned beam at every order, and from a component without integrals.

    quick: clamped and pinned only, without integrals and with all of them.
    """
    out = Study("symbolic_beams", "One beam against computer algebra", __doc__.split("\n\n")[1].strip())
    cases = ((0, False), (2, True)) if quick else ((0, False), (0, True), (1, True), (2, True))
    for support in ("clamped", "pinned") if quick else ("free", "clamped", "pinned"):
        for order, integrals in cases:
            relative, absolute, largest = compare(support, order, integrals)
            data = "with integrals" if integrals else "no integrals in the component"
            out.rows.append(
                Row(f"{support} beam, order {order}", f"accelerations at {STATES} states", "Lagrange, sympy",
                    f"largest {largest:.4g}", relative, TOLERANCE, f"{data}; absolute {absolute:.1e}; paper: 1e-8")
            )  # fmt: skip
    return out
