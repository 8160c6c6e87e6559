"""A ball in a straight slot: closed forms, Kane's equations, energy, a point on a line as a closure, names, units."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam, random_rotation, random_state, random_tree

import interstage as ist
from interstage.errors import InputError
from interstage.kane import Kane

BEAM = beam(n_elements=3, n_modes=4)
JOINTS = [
    ist.Slot("y"),
    ist.Slot([1.0, 2.0, -1.0], stiffness=3.0, damping=0.2, rest=0.1),
    ist.Revolute("x"),
    ist.Free(),
]
TURNS = ["bead.rx", "bead.ry", "bead.rz"]


def bead(**options):
    """Return a body whose centre of mass rides in a slot along (1, 2, 2)/3 of the ground."""
    mb = ist.Multibody("bead", gravity=[0, 0, -9.0], units="SI")
    joint = ist.Slot([1, 2, 2], **options)
    mb.add_body("bead", mass=2.0, inertia=[0.1, 0.2, 0.3], joint=joint)
    return mb


def test_a_bead_slides_and_turns_by_itself():
    """Along the slot m s̈ = m g·a - k (s - rest) - c ṡ; about its centre of mass Euler's equations."""
    system = bead(stiffness=5.0, rest=0.2, damping=0.7).compile()
    x = system.state()
    x["bead"].quaternion[:] = np.array([0.5, -0.1, 0.7, 0.3]) / np.sqrt(0.84)
    x["bead"].q[4], x["bead"].v[:] = 0.6, [1.0, -2.0, 0.5, 0.3]
    J, w = np.array([0.1, 0.2, 0.3]), x["bead"].angular_velocity
    expected = [*(-np.cross(w, J * w) / J), -9.0 * 2 / 3 - (5.0 * 0.4 + 0.7 * 0.3) / 2.0]
    assert np.abs(system.forward_dynamics(x) - expected).max() < 1e-13
    assert system.position(x, "bead") == pytest.approx([0.2, 0.4, 0.4], abs=1e-15)
    assert system.energies(x).strain == pytest.approx(0.5 * 5.0 * 0.4**2, rel=1e-14)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(6))
def test_engine_and_kane_agree(seed):
    """Random trees with flexible bodies: accelerations, rates and energy; inverse after forward is the identity."""
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, 4, joints=JOINTS, components=[BEAM])
    system = mb.compile()
    x, tau = random_state(system, rng, deflection=0.001), rng.normal(size=system.nv)
    kane, vdot = Kane(mb, like=system), system.forward_dynamics(x, tau=tau)
    size = 1.0 + np.abs(vdot).max()
    assert np.abs(kane.accelerations(x.q, x.v, tau) - vdot).max() < 1e-9 * size
    assert np.abs(system.inverse_dynamics(x, vdot) - tau).max() < 1e-9 * size
    assert kane.rates(x.q, x.v) == pytest.approx(system.rates(x), abs=1e-13)
    assert kane.energy(x.q, x.v) == pytest.approx(sum(system.energies(x)), rel=1e-12)


def test_subspace_is_the_slope_of_the_pose():
    """H by central differences of the pose along each velocity, and the fit gives the coordinates back."""
    joint, h, rng = JOINTS[1], 1e-6, np.random.default_rng(3)
    q = np.append(rng.normal(size=4), 0.7)
    q[:4] /= np.linalg.norm(q[:4])
    system = ist.Multibody("one")
    system.add_body("one", mass=1.0, inertia=[1, 1, 1], joint=joint)
    system = system.compile()
    R, p = joint.pose(q)
    for k, v in enumerate(np.eye(4)):
        rate = system.rates(system.state(q, v))
        (Ra, pa), (Rb, pb) = (joint.pose(q + s * h * rate) for s in (1.0, -1.0))
        spin = R.T @ (Ra - Rb) / (2 * h)
        slope = [spin[2, 1], spin[0, 2], spin[1, 0], *(R.T @ (pa - pb) / (2 * h))]
        assert np.abs(joint.subspace(q)[:, k] - slope).max() < 1e-9
    assert np.abs(np.abs(joint.fit(R, p)[:4] @ q[:4]) - 1.0) < 1e-14 and joint.fit(R, p)[4] == pytest.approx(
        0.7
    )


def test_energy_and_momentum_are_kept():
    """A bent body in a slot of a tumbling hub, with a spring: nothing outside acts."""
    mb = ist.Multibody("pair")
    mb.add_body("hub", mass=5.0, inertia=[1, 2, 2.5], joint=ist.Free())
    body = {"mass": 1.0, "com": [0.2, 0.1, 0.3], "inertia": [0.2, 0.1, 0.3]}
    place = {"parent": "hub", "at": [0.5, 0, 0], "rotation": random_rotation(np.random.default_rng(1))}
    mb.add_body("rider", **body, **place, joint=ist.Slot("y", stiffness=4.0))
    system = mb.compile()
    x = system.state(v=np.random.default_rng(2).normal(size=system.nv))
    log = ist.simulate(system, x, until=3.0, rtol=1e-11, atol=1e-12)
    end = log.phases[-1].state(-1)
    assert sum(system.energies(end)) == pytest.approx(sum(system.energies(x)), rel=1e-9)
    assert np.abs(system.momentum(end) - system.momentum(x)).max() < 1e-8
    assert abs(end["rider"].q[4]) > 0.05


def test_a_scotch_yoke():
    """A crank pin in the slot of a yoke: x = r cos θ, (J + m r² sin² θ) θ̈ = -m r² sin θ cos θ θ̇²."""
    r, m, J = 0.4, 3.0, 0.25
    mb = ist.Multibody("yoke")
    mb.add_body("crank", mass=1.0, inertia=[J, J, J], joint=ist.Revolute("z"))
    mb.add_body("yoke", mass=m, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    mb.close("pin", ("yoke", [0, 0, 0]), ("crank", [r, 0, 0]), joint=ist.Slot("y"))
    system = mb.compile()
    assert [row for _, row in system.closure_names()] == ["travel along z", "travel along x"]
    x = system.state()
    x["crank"].q[:], x["crank"].v[:] = 0.8, 2.0
    x = system.assemble(x, fixed=["crank"])
    system.drop_redundant(x)  # nothing moves along z
    s, c = np.sin(0.8), np.cos(0.8)
    assert x["yoke"].q[0] == pytest.approx(r * c, abs=1e-12)
    assert x["yoke"].v[0] == pytest.approx(-2.0 * r * s, abs=1e-12)
    expected = -m * r**2 * s * c * 4.0 / (J + m * r**2 * s**2)
    assert system.forward_dynamics(x)[0] == pytest.approx(expected, rel=1e-11)


def test_joint_and_closure_hold_the_same():
    """A free body whose point is kept on a line by a closure moves as one that rides in the slot."""
    frame = random_rotation(np.random.default_rng(4))
    body = {"mass": 1.5, "com": [0.1, -0.2, 0.3], "inertia": [0.3, 0.4, 0.5]}
    systems = []
    for joint in (ist.Slot("x"), ist.Free()):
        mb = ist.Multibody("rider", gravity=[0, 1.0, -9.0])
        mb.add_body("rider", **body, at=[1.0, 2.0, 3.0], rotation=frame, joint=joint)
        if joint.is_free:
            ends = ("ground", [1.0, 2.0, 3.0]), ("rider", [0, 0, 0])
            mb.close("line", *ends, joint=ist.Slot("x"), rotation=frame)
        systems.append(mb.compile())
    riding, kept = systems
    x, y = riding.state(), kept.state()
    x["rider"].quaternion[:] = y["rider"].quaternion[:] = np.array([0.1, 0.7, -0.5, 0.5])
    x["rider"].q[4], x["rider"].v[:] = 0.6, [0.4, -1.0, 0.7, 0.9]
    y["rider"].position[:] = [0.6, 0, 0]
    y["rider"].v[:] = riding.model.specs[0].joint.subspace(x.q) @ x.v
    a, b = (s.acceleration(z, s.forward_dynamics(z), "rider") for s, z in ((riding, x), (kept, y)))
    assert np.abs(a - b).max() < 1e-11


def test_linear_model_has_names_kinds_and_the_frequency():
    """Small turns about the body's axes and the travel; the spring along the slot gives √(k/m)."""
    system = bead(stiffness=8.0).compile()
    trimmed = ist.trim(system, system.state(), unknowns=["bead.travel"])
    outputs = [ist.JointAngle("bead"), ist.JointRate("bead")]
    lin = ist.linearize(system, trimmed, inputs=[ist.JointForce("bead")], outputs=outputs)
    assert lin.states == [*TURNS, "bead.travel", "bead.wx", "bead.wy", "bead.wz", "bead.travel_rate"]
    assert lin.state_units == ["rad"] * 3 + ["m"] + ["rad/s"] * 3 + ["m/s"]
    assert lin.input_units == ["N m"] * 3 + ["N"] and lin.output_units == lin.state_units
    assert np.abs(np.linalg.eigvals(lin.A).imag).max() == pytest.approx(2.0, rel=1e-12)
    assert pytest.approx(np.eye(8), abs=1e-12) == lin.C


def test_what_a_slot_refuses():
    with pytest.raises(InputError, match="belongs to its travel"):
        bead(stiffness=[1.0, 1.0, 1.0, 1.0])
    with pytest.raises(InputError, match="cannot be turned round"):
        ist.Slot("x").reversed(np.eye(3), "here")
