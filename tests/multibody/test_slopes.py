"""Slopes of inverse and forward dynamics against complex steps through the engine, over random trees.

The engine itself is held against Kane, closed forms and peers elsewhere. A complex step has no difference in it: both
sides are exact but for round-off, which the largest entries carry (springs of modes: 1e7 times what is looked at).
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import JOINTS, beam, random_state, random_tree
from test_stiffening import MADE_UP

import interstage as ist
from interstage.linear.chart import Chart
from interstage.multibody.dynamics_derivatives import force_slopes
from interstage.multibody.loads import Loads, wrench_rows

STEP = 1e-40
BEAMS = [
    beam(),
    beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent"),
    beam(lumped=True, n_modes=6, tip_mass=1.0, name="lumped"),
]
SLOT = ist.Slot([0.3, 1.0, -0.2])
NO_WRENCHES = np.zeros(0, dtype=np.int64), np.zeros((0, 10))


def some_loads(mb, system, rng):
    """Return wrenches on bodies and nodes, in axes of the world, of the body and of the node."""
    forces = []
    for spec in mb.specs:
        for frame in ("world", "body", "node"):
            if rng.random() < 0.4:
                nodes = [None] if spec.component is None else [None, *spec.component.node_ids]
                forces.append(
                    ist.Wrench(spec.name, rng.normal(size=6), nodes[rng.integers(len(nodes))], frame)
                )
    return Loads.of(system, forces, None, None, "world")


def made(seed, components, deflection, joints=(*JOINTS, SLOT), most=6):
    """Return a random vehicle, some joints of it held, a state, its loads and accelerations."""
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, int(rng.integers(2, most)), joints=list(joints), components=components)
    system = mb.compile()
    for spec in mb.specs:
        if spec.joint.nv and rng.random() < 0.3:
            system.set_joint_mode(spec.name, str(rng.choice(["prescribed", "locked"])))
    x = random_state(system, rng, deflection=deflection)
    return system, x, some_loads(mb, system, rng), rng


def stepped(system, x, f):
    """Return ∂f/∂δq along the axes of the joints, ∂f/∂v and ∂f/∂a of f(state, a) at a = 0 by complex steps."""
    chart, nv = Chart(system, x), system.nv
    along = chart.tangent() @ chart.kinematics()[1]  # G turns velocities into rates of δq, and is orthogonal
    found = np.empty((3, nv, nv))
    for k in range(nv):
        unit = 1j * STEP * np.eye(nv)[k]
        still = np.zeros(nv, complex)
        states = [(x.q + along @ unit, x.v + still, still), (x.q + still[:1].sum(), x.v + unit, still)]
        states.append((x.q + 0j, x.v + still, unit))
        for kind, (q, v, a) in enumerate(states):
            found[kind, :, k] = f(system.state(q, v), a).imag / STEP
    return found


def assert_near(found, truth, size, tolerance):
    """Compare all entries to a size."""
    assert np.abs(found - truth).max(initial=0.0) <= tolerance * size


@pytest.mark.kernels
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([(), BEAMS, MADE_UP]))
def test_forces_of_inverse_dynamics(seed, components):
    system, x, loads, rng = made(seed, components, 2e-4 if components is MADE_UP else 3e-3, most=5)
    if not system.nv:
        return
    vdot = rng.normal(size=system.nv)
    found = force_slopes(system, x, vdot, loads.rows(system), NO_WRENCHES)
    truth = stepped(system, x, lambda y, a: system.inverse_dynamics(y, vdot + a, forces=loads))
    springs = np.diag(system.tree.v_stiffness)
    size = np.abs(truth - [springs, 0.0 * springs, 0.0 * springs]).max()
    assert_near(found.q, truth[0], size + 1e-3 * springs.max(), 1e-12)
    assert_near(found.v, truth[1], size, 1e-13)
    mass = found.mass if found.stiffening is None else found.mass + found.stiffening
    assert_near(mass, truth[2], np.abs(mass).max(), 1e-13)
    assert_near(found.mass, system.mass_matrix(x), np.abs(mass).max(), 1e-13)
    free = ~system.held
    own = np.ix_(free, free)
    # by the condition of M: light tips beside heavy trees
    condition = np.linalg.cond(found.mass[own]) if free.any() else 1.0
    assert_near(found.inverse[own] @ found.mass[own], np.eye(free.sum()), condition, 1e-14)
    assert not found.inverse[~free].any()


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([(), BEAMS, MADE_UP]))
def test_unit_wrenches(seed, components):
    system, x, loads, rng = made(seed, components, 2e-4, most=5)
    units = loads.forces
    if not system.nv or not units:
        return
    vdot = rng.normal(size=system.nv)
    found = force_slopes(system, x, vdot, loads.rows(system), wrench_rows(system, units)).inputs
    for k, force in enumerate(units):
        more = loads.plus(Loads((force,), np.zeros(system.nv), {}), 1j * STEP)
        truth = system.inverse_dynamics(x.copy(np.complex128), vdot + 0j, forces=more).imag / STEP
        # Jᵀf, with what geometric stiffness makes of it
        np.testing.assert_allclose(found[:, k], truth, atol=1e-13 * np.abs(truth).max(), rtol=0.0)


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([(), BEAMS, MADE_UP]))
def test_accelerations_of_forward_dynamics(seed, components):
    system, x, loads, rng = made(seed, components, 2e-4)
    if not system.nv:
        return
    tau = np.where(system.held, 0.0, rng.normal(size=system.nv))
    vdot = system.forward_dynamics(x, forces=loads, tau=tau)
    found = force_slopes(system, x, vdot, loads.rows(system), NO_WRENCHES)
    truth = stepped(system, x, lambda y, a: system.forward_dynamics(y, forces=loads, tau=tau))
    # settling of geometric stiffness ends at 1e-12 of the largest force
    for slope, exact in zip((found.q, found.v), truth):
        assert_near(found.solved(slope), exact, np.abs(truth).max(), 1e-9)
