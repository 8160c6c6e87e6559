"""Unbalanced wheels: beside rotors as bodies whose mass is off the axis, and the momentum that imbalance brings in."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import interstage as ist
from interstage import devices as dev

MASS, J, ACROSS, SPEED = 3.0, 0.06, 0.035, 80.0  # of the rotor: mass, about and across its axis, rad/s
AT = np.array([0.4, 0.3, -0.2])  # of the wheel on the box
AXIS, SIDE = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([2.0, 1.0, -2.0]) / 3.0
TURNED = np.column_stack([SIDE, np.cross(AXIS, SIDE), AXIS])


def box(joint, static=0.0, dynamic=0.0, spin=J):
    """A box with a rotor: its centre of mass off the axis, and turned in its bearing (I_yz)."""
    mb = ist.Multibody("box and rotor")
    mb.add_body("box", mass=50.0, com=[0.1, -0.05, 0.02], inertia=[20.0, 24.0, 30.0], joint=ist.Free())
    inertia = np.array([[ACROSS, 0.0, 0.0], [0.0, ACROSS, dynamic], [0.0, dynamic, spin]])
    mb.add_body(
        "rotor", mass=MASS, com=[static / MASS, 0.0, 0.0], inertia=inertia, parent="box", at=AT, rotation=TURNED,
        joint=joint,
    )  # fmt: skip
    return mb.compile()


def flown(static, dynamic, turning=(0.0, 0.0, 0.0), until=1.0, step="0.25 ms"):
    """The box with a wheel at constant speed."""
    held = box(ist.Locked(), spin=0.0)
    x = held.state()
    x["box"].velocity[:3] = turning
    momentum = J * (SPEED + AXIS @ turning)
    wheel = dev.ReactionWheel(
        at=("box", AT), axis=AXIS, side=SIDE, inertia=J, imbalance=(static, dynamic), momentum=momentum
    )
    made = ist.Assembly("wheel", vehicle=held).add("wheel", wheel)
    return held, ist.simulate(made, x, until=until, step=step, log_step="1 ms", progress=False)


@pytest.mark.parametrize(("static", "dynamic"), [(2e-4, 0.0), (0.0, 5e-5), (2e-4, 5e-5)])
def test_imbalance_is_a_rotor_whose_mass_is_off_its_axis(static, dynamic):
    """Force outwards and torque, amplitude and phase; what is left is of second order in the imbalance."""

    def apart(part):
        whole = box(ist.Revolute("z"), part * static, part * dynamic)
        x = whole.state()
        x["rotor"].v[:] = SPEED
        run = {"until": 1.0, "step": 2.5e-4, "method": "rk4"}
        body = ist.simulate(whole, x, **run)["box"].velocity
        wheel = flown(part * static, part * dynamic)[1]["box"].velocity
        shaken = np.abs(body).max(axis=0)
        return np.abs(body[::4] - wheel).max() / shaken.max()

    assert apart(1.0) < 1e-4
    assert apart(0.25) < 0.26 * apart(1.0)


def around(system, log):
    """Return axes (m, 3, 3) of the box, and where the wheel is, in the world."""
    turned = np.array([system.rotation(log.state(k), "box") for k in range(len(log.t))])
    return turned, log.position("box", AT)


def total(log, turned):
    """Return the momentum [h; p] (m, 6) of box and rotor, without what imbalance adds."""
    out = log.momentum.copy()
    out[:, :3] += log["wheel.momentum"][:, None] * (turned @ AXIS)
    return out


def test_momentum_and_energy_change_by_impulse_and_work_of_imbalance():
    """The load of an imbalance comes from outside: ∫[r × F + T; F] dt and ∫(F·v + T·ω) dt, summed by hand."""
    static, dynamic = 3e-3, 2e-3
    system, log = flown(static, dynamic, turning=(0.02, -0.01, 0.03), until=3.0)
    turned, place = around(system, log)
    angle, square = log["wheel.angle"][:, None], (log["wheel.momentum"][:, None] / J) ** 2
    out = square * np.einsum(
        "mij,mj->mi", turned, np.cos(angle) * SIDE + np.sin(angle) * np.cross(AXIS, SIDE)
    )
    force, torque = static * out, dynamic * out
    velocity = log.velocity("box", AT)
    power = (force * velocity[:, 3:]).sum(axis=1) + (torque * velocity[:, :3]).sum(axis=1)
    rates = np.column_stack([np.cross(place, force) + torque, force, power])
    whole = make_interp_spline(log.t, rates, k=7).antiderivative()
    came = whole(log.t) - whole(log.t[0])
    momentum, energy = total(log, turned), log.energy + 0.5 * log["wheel.momentum"] ** 2 / J
    changed = np.column_stack([momentum - momentum[0], energy - energy[0]])
    assert np.abs(changed - came)[:, :6].max() < 1e-9 * np.abs(changed[:, :6]).max()
    assert np.abs(changed - came)[:, 6].max() < 1e-9 * np.ptp(energy)
    assert (np.abs(changed).max(axis=0)[:6] > 1e-2).all()


def test_momentum_that_comes_in_is_that_of_the_unbalanced_rotor():
    """p = U_s Ω e_θ, h = U_d Ω e_θ + r × p: kept with it at constant speed, to the turning of the box over that of the
    rotor; it swings by U_d Ω, which a sum without it lacks.
    """
    static, dynamic = 3e-5, 2e-5
    system, log = flown(static, dynamic)
    turned, place = around(system, log)
    angle = log["wheel.angle"][:, None]
    ahead = np.einsum("mij,mj->mi", turned, -np.sin(angle) * SIDE + np.cos(angle) * np.cross(AXIS, SIDE))
    p = static * SPEED * ahead
    hidden = np.column_stack([np.cross(place, p) + dynamic * SPEED * ahead, p])
    swings = np.ptp(total(log, turned), axis=0)
    rest = np.ptp(total(log, turned) + hidden, axis=0)
    assert (rest < 2e-5 * swings).all()
    alone = flown(0.0, dynamic)
    lacks = total(alone[1], around(*alone)[0])[:, :3]
    most = np.linalg.norm(lacks - lacks[0], axis=1).max()
    assert most == pytest.approx(2.0 * dynamic * SPEED, rel=1e-4)
