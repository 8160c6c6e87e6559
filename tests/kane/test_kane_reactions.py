"""Forces across joints: equilibrium of every body, the engine's own, and hand values of a static chain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kane_models import along_motion, beam, vehicle

from interstage.errors import ModelError
from interstage.kane import Kane
from interstage.multibody import Locked, Multibody


def _about_origin(wrench, x):
    return np.concatenate([wrench[:3] + np.cross(x, wrench[3:]), wrench[3:]])


def _loads_on_bodies(k, mb, q, v, forces):
    """Return {body: wrench about the world's origin} of gravity and of the loads, from positions alone."""
    out = {}
    for i, spec in enumerate(mb.specs):
        body, place = k.parameters.bodies[i], k.layout.places[i]
        m = k.motion(q, v, spec.name)
        center = m.x + m.R @ (body.mp + body.E @ q[slice(*place.eta)]) / body.mass
        out[spec.name] = _about_origin(np.concatenate([np.zeros(3), body.mass * mb.gravity]), center)
    for key, wrench in forces.items():
        name, node = (key, None) if isinstance(key, str) else key
        out[name] = out[name] + _about_origin(wrench, k.motion(q, v, name, node).x)
    return out


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_every_body_is_in_equilibrium(seed):
    """Reaction on the body, less those on its children, weight and loads: the rate of its momentum.

    The rate comes from a complex step through the momenta, without any acceleration formula.
    """
    mb, system, x, tau, forces = vehicle(seed)
    assume(system.nv > 0)
    k, q, v = Kane(mb, like=system), x.q, x.v
    vdot = k.accelerations(q, v, tau, forces)
    found = k.reactions(q, v, vdot, forces)
    total = _loads_on_bodies(k, mb, q, v, forces)
    for name, wrench in found.items():
        total[name] = total[name] + _about_origin(wrench, k.motion(q, v, name).x)
    for spec in mb.specs:
        if spec.parent is not None:
            at = k.motion(q, v, spec.name).x
            total[spec.parent] = total[spec.parent] - _about_origin(found[spec.name], at)
    change = along_motion(k.body_momenta, k, q, v, vdot)
    scale = max(abs(_about_origin(w, k.motion(q, v, n).x)).max() for n, w in found.items()) + 1.0
    for name in found:
        np.testing.assert_allclose(total[name], change[name], rtol=0, atol=1e-10 * scale)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_reactions_equal_the_engine(seed):
    mb, system, x, tau, forces = vehicle(seed)
    assume(system.nv > 0)
    try:
        vdot = system.forward_dynamics(x, forces=forces, tau=tau)
    except ModelError:
        assume(False)
    want = system.reactions(x, vdot, forces)
    got = Kane(mb, like=system).reactions(x.q, x.v, vdot, forces)
    scale = max(abs(w).max() for w in want.values()) + 1.0
    for name, wrench in want.items():
        np.testing.assert_allclose(got[name], wrench, rtol=0, atol=1e-10 * scale)


def _at_rest(k, forces):
    """Return q at which nothing accelerates: Newton on f(q) = 0, slopes by complex steps."""
    q, v = k.nominal()
    for _ in range(8):
        f = -k.bias(q, v, forces)
        slope = np.stack([np.imag(-k.bias(q + 1e-30j * e, v, forces)) / 1e-30 for e in np.eye(k.nq)], axis=1)
        q = q - np.linalg.solve(slope, f)
    return q


def test_static_chain_has_the_reactions_of_the_handbook():
    """Two cantilevers in line, complete bases: shear, moment and deflection of one beam of twice the length.

    P at the tip and weight w = ρAg across: M(0) = -2PL - 2wL², M(L) = -PL - wL²/2, tip P(2L)³/3EI + w(2L)⁴/8EI.
    """
    L, E, width, rho, g, P = 1.0, 2e9, 0.05, 1000.0, 1e-6, 1e-5
    I, w = width**4 / 12, rho * width**2 * g
    # a complete basis of two elements; Hermite beams are exact under end loads and uniform loads
    part = beam(n_elements=2, n_modes=12, length=L, E=E, width=width, rho=rho)
    mb = Multibody("chain", gravity=[0, 0, -g])
    mb.add_body("a", component=part, node=1, joint=Locked(), order=2)
    mb.add_body("b", component=part, node=1, parent="a", at=3, joint=Locked(), order=2)
    k = Kane(mb)
    forces = {("b", 3): [0, 0, 0, 0, 0, -P]}
    q = _at_rest(k, forces)
    still = np.zeros(k.nv)
    found = k.reactions(q, still, still, forces)
    # deflections of 1e-8 of the length leave the arms as they are
    np.testing.assert_allclose(found["a"][3:], [0, 0, P + 2 * w * L], rtol=0, atol=1e-10 * P)
    np.testing.assert_allclose(found["a"][:3], [0, -2 * P * L - 2 * w * L**2, 0], rtol=0, atol=1e-10 * P)
    np.testing.assert_allclose(found["b"][3:], [0, 0, P + w * L], rtol=0, atol=1e-10 * P)
    np.testing.assert_allclose(found["b"][:3], [0, -P * L - w * L**2 / 2, 0], rtol=0, atol=1e-10 * P)
    tip = k.motion(q, still, "b", 3).x[2]
    assert tip == pytest.approx(-P * (2 * L) ** 3 / (3 * E * I) - w * (2 * L) ** 4 / (8 * E * I), rel=1e-8)


def test_spinning_beam_pulls_on_its_hub():
    """A stiff rod turning at Ω: its hub holds m Ω² L/2 inwards, and nothing across."""
    part = beam(n_elements=4, n_modes=6, E=1e16)
    mb = Multibody("spinner")
    from interstage.multibody import Revolute

    mb.add_body("rod", component=part, node=1, joint=Revolute("z"))
    k = Kane(mb)
    q, v = k.nominal()
    v[0] = 3.0
    found = k.reactions(q, v, np.zeros(k.nv))["rod"]
    np.testing.assert_allclose(found[3:], [-part.mass * 9.0 * 0.5, 0, 0], rtol=0, atol=1e-9)
