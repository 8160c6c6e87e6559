"""What hangs on ports of a flexible body, against dense equations: heavy children, true ranks, complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

from interstage.multibody import Ball, Free, Locked, Multibody, Prismatic, Revolute, Universal

pytestmark = pytest.mark.kernels
KINDS = {
    "locked": Locked(),
    "revolute": Revolute("y"),
    "universal": Universal("yz"),
    "ball": Ball(),
    "prismatic": Prismatic([1.0, 2.0, -1.0]),
}


def _vehicle(joint, heavy=1.0, children=3):
    """Return a free beam with some children on its nodes, `heavy` times as massive, and a state in motion."""
    mb = Multibody("vehicle", gravity=[0.0, 0.0, -9.81])
    mb.add_body("hull", component=beam(n_elements=6, n_modes=12), node=1, joint=Free())
    for k in range(children):
        mass = {"mass": 2.0 * heavy, "com": [0.1, 0.02, -0.3], "inertia": heavy * np.array([0.1, 0.2, 0.15])}
        mb.add_body(f"child {k}", parent="hull", at=7 - 2 * k, joint=joint, **mass)
    system = mb.compile()
    rng = np.random.default_rng(3)
    x = system.state()
    x.v[:] = 0.1 * rng.normal(size=system.nv)
    x.q[7 : 7 + 12] = 1e-3 * rng.normal(size=12)
    return system, x, rng.normal(size=system.nv)


def _dense(system, x, tau):
    """Return M and v̇ of M v̇ + b = tau, M scaled, refined with residuals in long numbers."""
    M, b = system.mass_matrix(x), system.bias(x)
    d = np.sqrt(np.diag(M))
    scaled, right, vdot = M / np.outer(d, d), tau - b, np.zeros(len(d))
    for _ in range(4):
        rest = right.astype(np.longdouble) - M.astype(np.longdouble) @ vdot.astype(np.longdouble)
        vdot = vdot + np.linalg.solve(scaled, (rest / d).astype(float)) / d
    return M, vdot


@pytest.mark.parametrize("heavy", [1.0, 1e4])
@pytest.mark.parametrize("kind", KINDS)
def test_children_agree_with_dense_equations(kind, heavy):
    """Energy norm of the error: what M itself, rounded, leaves to a dense solution is some 1e-16 of its condition."""
    system, x, tau = _vehicle(KINDS[kind], heavy)
    vdot = system.forward_dynamics(x, tau=tau)
    M, wanted = _dense(system, x, tau)
    error = np.sqrt((vdot - wanted) @ M @ (vdot - wanted) / (wanted @ M @ wanted))
    assert error < 1e-15 * np.linalg.cond(M)
    # another algorithm, which solves nothing: forces to the digits of their parts
    parts = np.abs(M) @ np.abs(vdot) + np.abs(system.bias(x))
    assert np.abs((system.inverse_dynamics(x, vdot) - tau) / parts).max() < (1e-14 if heavy == 1.0 else 1e-11)


@pytest.mark.parametrize(
    ("kind", "rank"), [("locked", 6), ("revolute", 5), ("universal", 4), ("ball", 3), ("prismatic", 5)]
)
def test_rank_is_that_of_the_hinge(kind, rank):
    """A hinge leaves no inertia along its own motion, however heavy its child."""
    for heavy in (1e-3, 1.0, 1e6):
        system, x, tau = _vehicle(KINDS[kind], heavy, children=1)
        vdot = np.empty(system.nv)
        with system.engine.borrow(np.dtype(float)) as scratch:
            assert scratch.forward(x.q, x.v, tau, np.zeros(0, dtype=np.int64), np.zeros((0, 6)), vdot) == 0
            assert scratch.work.port_order[0, 6] == rank


def test_point_mass_on_two_hinges():
    """A point mass at the end of a massless rod on two hinges: one direction is left, along the rod."""
    mb = Multibody("vehicle", gravity=[0.0, 0.0, -9.81])
    mb.add_body("hull", component=beam(n_elements=6, n_modes=12), node=1, joint=Free())
    mb.add_body(
        "bob",
        mass=3.0,
        com=[0.0, 0.0, -0.5],
        inertia=np.zeros((3, 3)),
        parent="hull",
        at=7,
        joint=Universal("xy"),
    )
    system = mb.compile()
    x = system.state()
    x.v[:] = 0.1
    vdot, tau = np.empty(system.nv), np.zeros(system.nv)
    with system.engine.borrow(np.dtype(float)) as scratch:
        assert scratch.forward(x.q, x.v, tau, np.zeros(0, dtype=np.int64), np.zeros((0, 6)), vdot) == 0
        assert scratch.work.port_order[0, 6] == 1
    M, wanted = _dense(system, x, tau)
    error = np.sqrt((vdot - wanted) @ M @ (vdot - wanted) / (wanted @ M @ wanted))
    assert error < 1e-15 * np.linalg.cond(M)


@pytest.mark.parametrize("kind", ["locked", "revolute", "universal", "ball"])
def test_complex_steps_pass_the_ports(kind):
    """Slopes of forward dynamics by complex step against central differences, along a random direction."""
    system, x, tau = _vehicle(KINDS[kind], 10.0)
    rng = np.random.default_rng(5)
    dq, dv = rng.normal(size=system.nq), rng.normal(size=system.nv)
    dq[7 : 7 + 12] *= 1e-3  # the size of deflections
    dq[:4] -= x.q[:4] * (x.q[:4] @ dq[:4])

    def moved(h, dtype=float):
        y = x.copy(dtype)
        y.q[:] += h * dq
        y.v[:] += h * dv
        return system.forward_dynamics(y, tau=tau)

    slope, h = moved(1e-30j, complex).imag / 1e-30, 1e-6
    numerical = (moved(h) - moved(-h)) / (2 * h)
    # rounding of the difference leaves some 1e-6
    assert np.abs(slope - numerical).max() < 1e-5 * np.abs(numerical).max()
