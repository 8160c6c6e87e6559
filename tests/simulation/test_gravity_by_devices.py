"""Gravity that devices say: against the uniform gravity of the vehicle itself, and against Kepler's motion."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Accelerometer
from multibody_models import beam

import interstage as ist
from interstage.errors import SolverError

DOWN = np.array([0.3, -0.2, -9.81])


class Field(ist.Device):
    """A point mass at the origin, or a uniform field."""

    at = ist.Site(root=True)
    here = at.position()
    pull = at.gravity()
    mu = ist.Parameter("m^3/s^2", 0.0)
    uniform = ist.Parameter("m/s^2", [0.0, 0.0, 0.0])

    def outputs(d, t):
        r2 = 1e-100 + d.here[0] * d.here[0] + d.here[1] * d.here[1] + d.here[2] * d.here[2]
        for k in range(3):
            d.pull[k] = d.uniform[k] - d.mu / (r2 * np.sqrt(r2)) * d.here[k]


def observatory(gravity=(0.0, 0.0, 0.0)):
    """Return a flexible beam in free motion with a rigid arm on its tip."""
    component, tip = beam(4, 6), 5
    mb = ist.Multibody("observatory", gravity=gravity)
    mb.add_body("beam", component=component, node=1, joint=ist.Free())
    arm = {"mass": 2.0, "com": [0.5, 0.1, 0], "inertia": [0.2, 0.3, 0.4]}
    mb.add_body("arm", **arm, parent="beam", at=tip, joint=ist.Universal("yz"))
    return mb.compile()


def started(system):
    x = system.state()
    x.v[:] = 0.1 * np.random.default_rng(3).normal(size=len(x.v))
    return x


def test_a_uniform_field_of_a_device_is_the_gravity_of_the_vehicle():
    own, bare = observatory(DOWN), observatory()
    by_device = ist.Assembly("by device", vehicle=bare).add("field", Field(uniform=DOWN))
    by_device.add("felt", Accelerometer(at=("arm", [1.0, 0, 0]), gravity=0.0))
    itself = ist.Assembly("itself", vehicle=own).add(
        "felt", Accelerometer(at=("arm", [1.0, 0, 0]), gravity=0.0)
    )
    a = ist.simulate(itself, started(own), until="2 ms", step="10 us")
    b = ist.simulate(by_device, started(bare), until="2 ms", step="10 us")
    # the same terms in the same order: rounding of the rotation to body axes alone
    assert np.abs(a.q - b.q).max() < 1e-13 and np.abs(a["felt.felt"] - b["felt.felt"]).max() < 1e-9
    # the vehicle keeps its own gravity
    x = bare.state()
    assert not bare.forward_dynamics(x).any()


def test_gravity_of_a_branch_is_that_of_its_bodies():
    mb = ist.Multibody("pair", gravity=[0, 0, -1.0])
    for name in ("near", "far"):
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Free())
    mb.add_body("moon", mass=0.5, inertia=np.eye(3), parent="far", at=[1, 0, 0], joint=ist.Revolute("z"))
    pair = ist.Assembly("pair", vehicle=mb.compile())
    pair.add("field", Field(at="far", uniform=[2.0, 0, 0])).add("more", Field(at="far", uniform=[1.0, 0, 0]))
    log = ist.simulate(pair, None, until=1, step="10 ms")
    assert log["near"].position[-1] == pytest.approx([0, 0, -0.5], abs=1e-12)
    assert log["far"].position[-1] == pytest.approx([1.5, 0, 0], abs=1e-12)


def test_an_orbit_in_the_field_of_a_point_mass_is_keplers():
    mb = ist.Multibody("orbiter")
    mb.add_body("bus", mass=3.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    system = mb.compile()
    orbit = ist.Assembly("orbit", vehicle=system).add("earth", Field(mu=1.0))
    x = system.state()
    x.q[4:7], x.v[3:6] = [1.0, 0, 0], [0, 1.2, 0]
    a = 1.0 / (2.0 - 1.2**2)
    period = 2.0 * np.pi * a**1.5
    log = ist.simulate(orbit, x, until=40, step="1/50 s")
    r = log["bus"].position
    # the plane turns nothing: the equation of the ellipse, and after one period it is where it was
    e = 1.2**2 - 1.0
    angle = np.arctan2(r[:, 1], r[:, 0])
    assert np.linalg.norm(r, axis=1) == pytest.approx(1.44 / (1.0 + e * np.cos(angle)), abs=1e-6)
    k = int(period // 0.02)
    near = [np.interp(period, log.t[k : k + 2], r[k : k + 2, axis]) for axis in range(3)]
    assert near == pytest.approx([1.0, 0, 0], abs=1e-4)  # straight between two rows


def test_the_gradient_of_the_field_is_in_the_linear_model():
    mb = ist.Multibody("orbiter")
    mb.add_body("bus", mass=3.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    system = mb.compile()
    orbit = ist.Assembly("orbit", vehicle=system).add("earth", Field(mu=8.0))
    x = system.state()
    x.q[4:7] = [2.0, 0, 0]
    A = ist.linearize(orbit, x, inputs=[], outputs=["earth.pull"]).A
    # d(-mu r/r³): 2 mu/r³ along, -mu/r³ across
    assert A[9:12, 3:6] == pytest.approx(np.diag([2.0, -1.0, -1.0]), abs=1e-12)


def test_gravity_that_is_no_number_is_named():
    system = observatory()
    broken = ist.Assembly("broken", vehicle=system).add("field", Field(mu=1e300))
    x = system.state()
    x.q[4:7] = [1e-60, 0, 0]
    with pytest.raises(SolverError, match=r"'field.pull' is not finite at t = 0"):
        ist.simulate(broken, x, until="1 ms", step="1 ms")
