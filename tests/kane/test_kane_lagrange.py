"""Kane's velocity terms from the mass matrix alone: Lagrange's equations and the balance of power by complex steps."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kane_models import JOINTS, along_motion, vehicle
from scipy.linalg import block_diag

from interstage.kane import Kane

PLAIN = [joint for joint in JOINTS if joint.linear]
H = 1e-30


def _slopes(function, q):
    """Return the gradient of a scalar function by complex steps."""
    return np.array([np.imag(function(q + 1j * H * e)) / H for e in np.eye(len(q))])


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_bias_is_lagranges(seed):
    """b = Ṁv - ∂T/∂q + ∂U/∂q + C v where q̇ = v, at every order: nothing was transcribed."""
    mb, system, x, _, _ = vehicle(seed, joints=PLAIN)
    assume(0 < system.nv < 45)
    k, q, v = Kane(mb, like=system), x.q, x.v
    Mdot_v = np.imag(k.mass_matrix(q + 1j * H * v) @ v) / H

    def lagrangian(z):  # T - U
        kinetic = 0.5 * v @ k.mass_matrix(z) @ v
        return kinetic - (k.energy(z, np.zeros(k.nv)))

    dampers = block_diag(
        *(part for b in k.parameters.bodies for part in (np.diag(b.damper), b.damping[6:, 6:]))
    )
    want = Mdot_v - _slopes(lagrangian, q) + dampers @ v
    np.testing.assert_allclose(k.bias(q, v), want, rtol=0, atol=1e-11 * abs(want).max())


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_power_balances_at_every_order(seed):
    """dE/dt along the motion is the power of tau and loads less that of dampers, with quaternion joints too."""
    mb, system, x, tau, forces = vehicle(seed)
    assume(system.nv > 0)
    k, q, v = Kane(mb, like=system), x.q, x.v
    vdot = k.accelerations(q, v, tau, forces)
    dampers = block_diag(
        *(part for b in k.parameters.bodies for part in (np.diag(b.damper), b.damping[6:, 6:]))
    )
    power = tau @ v - v @ dampers @ v
    for key, wrench in forces.items():
        m = k.motion(q, v, *((key,) if isinstance(key, str) else key))
        power += np.concatenate([m.w, m.u]) @ wrench
    M, f = k.equations(q, v, tau, forces)
    scale = abs(M @ vdot) @ abs(v) + abs(f) @ abs(v)
    assert abs(along_motion(k.energy, k, q, v, vdot) - power) <= 1e-10 * scale


def test_momentum_of_a_free_vehicle_is_kept():
    mb, system, x, _, _ = vehicle(3, gravity=(0.0, 0.0, 0.0), joints=[JOINTS[1]])
    # everything hangs on a free root
    from interstage.multibody import Free

    for spec in mb.specs:
        if spec.parent is None:
            spec.joint = Free()
    system = mb.compile()
    x = system.state()
    rng = np.random.default_rng(0)
    x.v[:] = rng.normal(size=system.nv)
    k = Kane(mb, like=system)
    vdot = k.accelerations(x.q, x.v)
    change = along_motion(k.momentum, k, x.q, x.v, vdot)
    assert abs(change).max() <= 1e-11 * abs(k.equations(x.q, x.v)[1]).max()
