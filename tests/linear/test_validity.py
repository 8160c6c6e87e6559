"""Linear models say how far they hold: at active limits of devices, and where the structure is out of balance."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FidelityWarning

GIMBAL = {"joint": "engine", "bandwidth": "6 Hz", "limit": "6 deg", "rate_limit": "10 deg/s"}


@pytest.fixture(scope="module")
def vehicle():
    """A free body, with a gimbal and a hinge on it."""
    mb = ist.Multibody("v")
    mb.add_body("core", mass=100.0, inertia=[20, 40, 40], joint=ist.Free())
    on = {"mass": 5.0, "com": [-0.5, 0, 0], "inertia": [1, 2, 2], "parent": "core"}
    mb.add_body("engine", at=[-5, 0, 0], joint=ist.Universal(("y", "z")), **on)
    mb.add_body("arm", at=[1, 0, 0], joint=ist.Revolute("z"), **on)
    mb.add_body("slide", at=[2, 0, 0], joint=ist.Prismatic("z"), **on)
    return mb.compile()


def said(call) -> tuple[ist.LinearModel, str]:
    """Return a model and what it was warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    return found, "; ".join(str(w.message) for w in seen if issubclass(w.category, FidelityWarning))


@pytest.mark.parametrize("sampled", [False, True])
def test_a_rate_limit_that_is_active_is_named(vehicle, sampled):
    """3° ahead of a gimbal of 6 Hz ask for ω/2ζ 3° = 81 deg/s, where it has 10: the angle does not see the command."""
    made = ist.Assembly("gimbal", vehicle=vehicle).add("tvc", dev.TVC(**GIMBAL))
    made.add("gyro", dev.Gyro(at="core", every="20 ms"))

    def model(command):
        return ist.linearize(
            made, vehicle.state(), "tvc.command", "tvc.angle", set={"tvc.command": command}, sampled=sampled
        )

    far, words = said(lambda: model([np.deg2rad(3.0), 0.0]))
    asked = np.deg2rad(3.0) * np.pi * 6.0 / 0.7
    active = f"'tvc' (TVC): rate asked of axis 0 = {asked:.4g} rad/s is not within ±0.1745 rad/s"
    assert f"1 active limit, where a device does not respond as within them: {active}" in words
    assert f"at an active limit: {active}" in far.notes and active in str(far)
    assert not far.B[:, 0].any() and far.B[:, 1].any()
    near, words = said(lambda: model([0.001, 0.0]))
    assert words == "" and near.B[:, 0].any()
    assert "holds for tvc.command[0] = 0.001 within ±0.1047 rad" in near.notes[0]


@pytest.mark.parametrize("sampled", [False, True])
def test_the_print_shows_the_point_and_how_far_it_holds(vehicle, tmp_path, sampled):
    """A ramp of 0.02 rad/s, flown: time, command and angle of the row that was asked, also from files and of a part."""
    made = ist.Assembly("gimbal", vehicle=vehicle).add("tvc", dev.TVC(**GIMBAL))
    made.add("gyro", dev.Gyro(at="core", every="20 ms"))
    made.add("ramp", lambda t: [0.02 * t, 0.0], out={"y": "rad[2]"}).wire({"ramp.y": "tvc.command"})
    log = ist.simulate(made, vehicle.state(), until=2.0, step="10 ms", log_step="0.5 s")
    model = ist.linearize(made, log.point(3), "tvc.command", "tvc.angle", sampled=sampled)
    angle = log["tvc.angle"][3, 0]
    # second order behind a ramp: late by 2 ζ/ω, ζ = 0.7, less what has died away
    assert angle == pytest.approx(0.02 * (1.5 - 2 * 0.7 / (12 * np.pi)), rel=1e-6)
    seen = f"angle[0] = {angle:.4g} rad, other inputs and outputs 0"
    wanted = f"  point    t = 1.5 s, moving, tvc.command[0] = 0.03 rad, tvc.{seen}\n"
    assert wanted in str(model)
    assert "  note     holds for tvc.command[0] = 0.03 within ±0.1047 rad" in str(model)
    for kind in ("h5", "mat", "npz"):
        model.save(tmp_path / f"model.{kind}")
        assert str(ist.load(tmp_path / f"model.{kind}")) == str(model)
    part = model.select(inputs=[1], outputs=["tvc.angle[0]"])
    assert f"moving, tvc.{seen}" in str(part) and "command[0] =" not in str(part).split("note")[0]
    later = ist.linearize(made, log.point(4), "tvc.command", "tvc.angle", sampled=sampled)
    assert "t = 2 s, moving, tvc.command[0] = 0.04 rad" in str(later)
    # a vehicle alone, at rest and along the flight
    assert "  point    at rest\n" in str(ist.linearize(vehicle, vehicle.state())) + "\n"
    seen = ist.linearize(log.system, log.point(3), outputs=[ist.JointAngle("engine")])
    assert f"point    t = 1.5 s, moving, engine.joint_angle.angle1 = {angle:.4g} rad" in str(seen)
    assert "point" not in str(ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]]))


ARM, SLIDE, CORE = {"joint": "arm"}, {"joint": "slide"}, {"at": "core"}
AXIS = {**GIMBAL, "joint": "engine"}
HYDRAULIC = {**GIMBAL, "rod_stiffness": 4e6, "fluid_stiffness": 2e6}
ROTOR = {"inertia": 0.1}
GEARED = {**ARM, "inertia": 1e-3, "ratio": 5.0, "stiffness": 1e4}
DRY = {"coulomb": 0.5, "stiffness": 30.0}
# device, values that are set, coordinates and rates of the joints; the first is inside its limits, the second is not
CASES = {
    "TVC": (dev.TVC(**GIMBAL), {"command": [0.001, 0]}, {"command": [0.2, 0]}, "command[0] = 0.2 rad"),
    "HydraulicTVC": (
        dev.HydraulicTVC(**HYDRAULIC, max_torque=1e5),
        {"command": [0.001, 0]},
        {"command": [0.2, 0]},
        "command[0] = 0.2 rad",
    ),
    "ReactionWheel": (
        dev.ReactionWheel(**CORE, **ROTOR, max_torque=0.2, max_speed=100.0, speed=99.5),
        {"torque": -0.1},
        {"torque": 0.1},
        "speed = 99.5 rad/s",
    ),
    "torque of a wheel": (
        dev.ReactionWheel(**CORE, **ROTOR, max_torque=0.2),
        {"torque": 0.1},
        {"torque": -0.3},
        "torque = -0.3 N*m is not within ±0.2 N*m",
    ),
    "Motor": (dev.Motor(**GEARED, max_torque=2.0), {"command": 1.0}, {"command": 2.5}, "command = 2.5 N*m"),
    "Motor at half of its no-load speed": (
        dev.Motor(**GEARED, max_torque=2.0, no_load_speed=200.0, speed=100.0),
        {"command": 0.9},
        {"command": 1.1},
        "command = 1.1 N*m is not within ±1 N*m",
    ),
    "CMG": (dev.CMG(**CORE, momentum=5.0, max_rate=1.0), {"command": 0.5}, {"command": 1.5}, "command = 1.5"),
    "MagneticTorquer": (
        dev.MagneticTorquer(**CORE, limit=10.0),
        {"dipole": [1, 2, 3], "field": [1e-5, 0, 0]},
        {"dipole": [1, 20, 3], "field": [1e-5, 0, 0]},
        "dipole[1] = 20 A*m^2",
    ),
    "Thruster": (
        dev.Thruster(**CORE, thrust=10.0, min_on=0.01, every="100 ms"),
        {"width": 0.05},
        {"width": 0.2},
        "width = 0.2 s is not within 0.01 to 0.1 s",
    ),
    "PID": (
        dev.PID(kp=1.0, limit=0.5, every="20 ms"),
        {"measured": [0.1]},
        {"measured": [2.0]},
        "u[0] = -0.5 is not within ±0.5",
    ),
    "ControlAllocation": (
        dev.ControlAllocation([[1.0, 1.0]], low=-1.0, high=1.0, every="20 ms"),
        {"demand": [1.0]},
        {"demand": [4.0]},
        "u[0] = 1 is not within ±1",
    ),
    "StickSlipMotor": (
        dev.StickSlipMotor(**GEARED, friction=(0.5, 0.0), speed=1.0, way=1),
        {"command": 0.0},
        {"command": 0.0, "speed": 0.0, "way": 0},
        "rotor sticks: it stands still below 0.5 N*m",
    ),
    "Engine": (
        dev.Engine(body="engine", thrust=1e4, exit_area=0.1, level=1.0),
        {"throttle": 1.0, "pressure": 1e3},
        {"throttle": 1.0, "pressure": 2e5},
        "nozzle does not flow full",
    ),
    "LuGreFriction": (
        dev.LuGreFriction(**ARM, **DRY),
        {"rate": 0.3},
        {"rate": 0.0},
        "joint sticks: bristles hold it as a spring",
    ),
    "PrismaticFriction": (
        dev.PrismaticFriction(**SLIDE, **DRY),
        {"rate": 0.3},
        {"rate": 0.0},
        "joint sticks",
    ),
    "StickSlip": (
        dev.StickSlip(**ARM, coulomb=0.5),
        {"rate": 0.3},
        {"rate": 0.0},
        "joint sticks: it is locked below 0.5 N*m",
    ),
    "JointStop": (
        dev.JointStop(**ARM, low=-0.5, high=0.5, stiffness=100.0),
        {"q": 0.1},
        {"q": 0.6},
        "joint = 0.6 rad is not within ±0.5 rad",
    ),
    "PrismaticStop": (
        dev.PrismaticStop(**SLIDE, low=-0.5, high=1.5, stiffness=100.0),
        {"q": 0.1},
        {"q": -0.6},
        "joint = -0.6 m is not within -0.5 to 1.5 m",
    ),
    "Backlash": (dev.Backlash(**ARM, gap=0.2, stiffness=30.0), {"q": 0.15}, {"q": 0.05}, "inside its play"),
    "StictionReactionWheel": (
        dev.StictionReactionWheel(**CORE, **ROTOR, friction=(0.01, 0.0), speed=3.0),
        {"torque": 0.0},
        {"torque": 0.0, "momentum": 0.0},
        "bearing sticks",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_limited_stuck_or_in_its_play_is_named(vehicle, name):
    device, inside, outside, words = CASES[name]
    made = ist.Assembly("one", vehicle=vehicle).add("d", device)
    body = {"slide": "slide"}.get(str(device.place_of("joint")) if "joint" in device.places else "", "arm")
    for values, active in ((inside, False), (outside, True)):
        x = vehicle.state()
        x[body].q[:], x[body].v[:] = values.get("q", 0.0), values.get("rate", 0.0)
        given = {f"d.{port}": value for port, value in values.items() if port not in ("q", "rate")}
        model, warned = said(lambda x=x, given=given: ist.linearize(made, x, set=given))
        assert (f"'d' ({type(device).__name__}): " in warned and words in warned) is active, warned
        assert any(note.startswith("at an active limit") for note in model.notes) is active


LIMITED = {
    "limit",
    "rate_limit",
    "max_torque",
    "max_rate",
    "max_speed",
    "min_on",
    "gap",
    "coulomb",
    "deadband",
    "high",
}


def test_every_device_with_a_limit_says_when_it_is_active():
    """A device of the shelf with a parameter of this kind has `limits_at` of its own."""
    smooth = {"Rotor"}  # what driven rotors share, and no device
    for name in dev.__all__:
        cls = getattr(dev, name)
        if isinstance(cls, type) and issubclass(cls, ist.Device) and name not in smooth:
            own = {n for n, field in cls.fields.items() if isinstance(field, ist.Parameter)} & LIMITED
            assert not own or cls.limits_at is not ist.Device.limits_at, f"{name}: {own}"


# balance ------------------------------------------------------------------------------------------


def arm_on_a_spring(joint=None):
    """An arm under gravity: k = 10 N m/rad, m g l = 5 N m, J = 0.5 kg m² about the hinge, level where it is zero."""
    mb = ist.Multibody("arm", gravity=[0, 0, -10.0])
    held = joint or ist.Revolute("y", stiffness=10.0)
    mb.add_body("arm", mass=1.0, com=[0.5, 0, 0], inertia=[0.1, 0.25, 0.25], joint=held)
    return mb.compile()


def rest() -> float:
    """The angle at which the arm rests, 10 q = 5 cos q, by Newton's method."""
    q = 0.4
    for _ in range(20):
        q -= (10.0 * q - 5.0 * np.cos(q)) / (10.0 + 5.0 * np.sin(q))
    return q


@pytest.mark.parametrize("assembly", [False, True])
def test_a_spring_that_has_not_taken_up_its_load_is_named_with_the_poles(assembly):
    """Level, the arm has a pole of √(k/J); at rest √((k + m g l sin q)/J), 9 % more, as the note says beforehand."""
    system = arm_on_a_spring()
    made = ist.Assembly("arm", vehicle=system).add("see", dev.Encoder(joint="arm", every="20 ms"))
    what = made if assembly else system
    level, words = said(lambda: ist.linearize(what, system.state()))
    q = rest()
    # one step of Newton's method from the level goes to 5/10
    now = np.sqrt((10.0 + 5.0 * np.sin(0.5)) / 0.5)
    assert f"arm.angle by 0.5), which moves a pole of {np.sqrt(20.0):.4g} rad/s to {now:.4g} rad/s" in words
    assert "out of balance" in level.notes[-1] and "ist.trim" in words
    x0 = ist.trim(what, system.state())
    assert x0["arm"].q[0] == pytest.approx(q, rel=1e-9)
    still, words = said(lambda: ist.linearize(what, x0))
    assert words == "" and not any("balance" in note for note in still.notes)
    assert np.abs(still.poles().imag).max() == pytest.approx(
        np.sqrt((10.0 + 5.0 * np.sin(q)) / 0.5), rel=1e-9
    )


def test_a_small_imbalance_is_noted_without_a_warning():
    system = arm_on_a_spring()
    near = system.state([rest() + 1e-3])
    model, words = said(lambda: ist.linearize(system, near))
    assert words == "" and "out of balance" in model.notes[0] and "arm.angle by -0.001)" in model.notes[0]


def test_a_vehicle_that_accelerates_is_in_balance_and_so_is_a_joint_without_a_spring():
    falling = arm_on_a_spring(ist.Free())
    model, words = said(lambda: ist.linearize(falling, falling.state()))
    assert words == "" and model.notes == () and model.operating_point["vdot"].any()
    swinging = arm_on_a_spring(ist.Revolute("y"))
    model, words = said(lambda: ist.linearize(swinging, swinging.state()))
    assert words == "" and model.notes == ()


def test_a_closed_loop_at_rest_is_in_balance_and_one_that_is_bent_is_not():
    """A beam that hangs on a ball, held by a closure: round-off is no acceleration."""
    c = ist.Component.beam(6.0, width=0.1, height=0.05, n_modes=4, aset={}, elements=10)
    mb = ist.Multibody("hung", gravity=[0.2, 0, 0])
    mb.add_body("beam", component=c, joint=ist.Free())
    mb.close("pin", ("ground", [1.8, 0, 0]), ("beam", 4), joint=ist.Ball())
    system = mb.compile()
    x = ist.trim(system, system.assemble(system.state()))
    assert "out of balance" not in said(lambda: ist.linearize(system, x))[1]
    bent = x.copy()
    bent["beam"].eta[0] += 1e-3
    assert "out of balance" in said(lambda: ist.linearize(system, system.assemble(bent)))[1]
