"""`ist.tune` against closed forms, python-control, finite differences, and flights that contain what was tuned."""

from __future__ import annotations

import json

import control
import device_library
import numpy as np
import pytest
from device_library import Rail, Ruler

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError
from interstage.linear.tuning import LoopSearch

ALL = [
    ist.GainMargin(6.0),
    ist.PhaseMargin(30.0),
    ist.DelayMargin(0.1),
    ist.ModulusMargin(0.5),
    ist.DiskMargin(0.5),
    ist.GainStabilized(-6.0, band=(0.3, 3.0)),
    ist.PhaseStabilized(40.0, band=(0.3, 3.0)),
    ist.Crossover(0.1, 0.5),
]


def coupled(inputs, dt):
    A = np.array([[0, 1, 0, 0], [-1, -0.2, 0.1, 0], [0, 0, 0, 1], [0.2, 0, -30, -0.1]])
    B, C = np.array([[0, 0], [1, 0.2], [0, 0], [0.1, 1]]), np.array([[1, 0.3, 0.2, 0.1], [0.1, 0, 2, 1.0]])
    made = ist.LinearModel(A, B[:, :inputs], C, np.zeros((2, inputs)))
    return made if dt is None else made.discretize(dt)


@pytest.mark.parametrize("dt", [None, 0.05])
@pytest.mark.parametrize("inputs", [1, 2])
def test_derivatives_of_violations_and_poles_are_those_of_differences(inputs, dt):
    """Every goal, every kind of block; two channels, and two sensors that lead to one input."""
    blocks = {
        "notch": ist.tunable(dev.Notch, at="y1", frequency=(0.5, 2.0), depth=(0.05, 0.5), width=(0.3, 1.0)),
        "lead": ist.tunable(dev.LeadLag, at="y2", zero=(0.1, 1.0), pole=(1.0, 5.0)),
        "low": ist.tunable(dev.LowPass, frequency=(2.0, 8.0), damping=(0.4, 1.0)),
        "gain": ist.tunable("gain", gain=(0.5, 3.0)),
        "pid": ist.tunable(dev.PID, at="y1", kp=(0.5, 2.0), ki=(0.1, 1.0), kd=(0.1, 1.0), lag=0.1),
    }
    search = LoopSearch(ist.LinearModelSet([coupled(inputs, dt)]), blocks, ALL)
    x, h = np.full(11, 0.43), 1e-6
    r, dr = search.violations(x)
    s, ds = search.stability(x, slopes=True)
    assert len(r) > 15 and len(s) > 0 and np.abs(dr).max() > 0.1
    for j in range(11):
        step = h * np.eye(11)[j]
        for f, at in ((search.violations, dr), (lambda x: search.stability(x, slopes=False), ds)):
            differences = (f(x + step)[0] - f(x - step)[0]) / (2 * h)
            assert at[:, j] == pytest.approx(differences, rel=1e-6, abs=1e-6)


def test_a_lead_on_a_double_integrator_has_its_greatest_phase():
    """Zero and pole a factor of 20 apart: asin(19/21) at the geometric mean, where the gain is ω²/√20."""
    plant = ist.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    lead = ist.tunable(dev.LeadLag, zero=0.05, pole=1.0, gain=(0.01, 0.02, 10.0))
    tuned = ist.tune(plant, {"lead": lead}, ist.PhaseMargin(70.0), starts=1)
    w = 2 * np.pi * np.sqrt(0.05)
    row = tuned.after.rows[0]
    assert row.value == pytest.approx(np.degrees(np.arcsin(19 / 21)), abs=7e-4)  # 1e-5 of 70 deg
    assert row.frequency_hz == pytest.approx(np.sqrt(0.05), rel=1e-2)  # where the phase is flat
    assert tuned.values["lead.gain"] == pytest.approx(w**2 / np.sqrt(20), rel=1e-2)
    assert not tuned.passed and "NOT ALL REQUIREMENTS HOLD" in str(tuned)  # 64.8 deg is all there is
    assert tuned.after.binding.requirement == ist.PhaseMargin(70.0)
    assert tuned.before.rows[0].value < 50.0


def test_with_zero_and_pole_free_the_lead_opens_to_the_ends_of_its_ranges():
    plant = ist.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    lead = ist.tunable(
        dev.LeadLag, zero=("0.05 Hz", "0.15 Hz", "0.3 Hz"), pole=(0.4, 0.6, 1.0), gain=(0.01, 0.1, 10.0)
    )
    tuned = ist.tune(plant, {"lead": lead}, [ist.PhaseMargin(50.0), ist.ModulusMargin(0.5)], starts=2)
    assert tuned.passed and set(tuned.at_ends) >= {"lead.zero"}
    L = tuned.loops[0].to_control()
    _, pm, sm, *_ = control.stability_margins(L)
    assert pm == pytest.approx(tuned.after.rows[0].value, rel=1e-6)
    assert sm == pytest.approx(tuned.after.rows[1].value, rel=1e-4)


@pytest.mark.parametrize("dt", [None, 0.02])
def test_a_notch_takes_a_mode_down_to_the_ratio_of_its_dampings(dt):
    """A light mode of peak 8 alone: at its frequency the notch leaves depth/width of it."""
    w, zeta = 2 * np.pi * 3.0, 1e-4
    mode = ist.LinearModel([[0, 1], [-(w**2), -2 * zeta * w]], [[0], [1]], [[0, 16 * zeta * w]], [[0]])
    mode = mode if dt is None else mode.discretize(dt)
    notch = ist.tunable(dev.Notch, frequency=("2 Hz", "2.3 Hz", "5 Hz"), depth=0.05, width=0.5)
    tuned = ist.tune(mode, {"notch": notch}, ist.GainStabilized(-6.0, band=(1.0, 20.0)), starts=1)
    peak = ist.check_requirements(mode, ist.GainStabilized(-6.0, band=(1.0, 20.0))).rows[0].value
    assert peak == pytest.approx(20 * np.log10(8.0 * np.sinc(3.0 * (dt or 0.0))), abs=2e-3)  # held inputs
    assert tuned.after.rows[0].value == pytest.approx(peak - 20.0, abs=0.05)
    assert tuned.values["notch.frequency"] == pytest.approx(3.0, rel=2e-3)
    H = tuned.compensator.frequency_response([3.0])[0, 0, 0]
    assert abs(H) == pytest.approx(0.1, rel=1e-3)


def flexible(stiffness, dt=0.02):
    """A rigid body with a PD law and a mode of 2 Hz that the sensor sees with the other sign."""
    w = 2 * np.pi * 2.0 * np.sqrt(stiffness)
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 3] = 1.0
    A[3, 2:] = -(w**2), -0.01 * w
    C = [[0.4, 0.6, -0.24, -0.36]]
    return ist.LinearModel(A, [[0], [1], [0], [1.0]], C, [[0]]).discretize(dt)


def test_one_filter_holds_a_whole_set_of_models(tmp_path):
    """Unstable bending in all of 7 vehicles with ±20 % of stiffness; what is found is checked from scratch."""
    models = ist.LinearModelSet(
        [flexible(k) for k in np.linspace(0.8, 1.2, 7)], np.linspace(0.8, 1.2, 7), "stiffness"
    )
    assert not models.margins().stable.any()
    goals = [ist.GainMargin(6.0), ist.PhaseMargin(30.0), ist.GainStabilized(-6.0, band=(1.0, 25.0))]
    knobs = {
        "notch": ist.tunable(
            dev.Notch, frequency=("1 Hz", "1.5 Hz", "4 Hz"), depth=(0.01, 1.0), width=(0.05, 1.0)
        ),
        "low": ist.tunable(dev.LowPass, frequency=("2 Hz", "20 Hz")),
    }
    tuned = ist.tune(models, knobs, goals, starts=2)
    assert tuned.passed and not tuned.before.passed and np.isnan(tuned.before.rows[0].value)
    loops = [control.series(model.to_control(), tuned.compensator.to_control()) for model in models]
    for k, loop in enumerate(loops):
        assert np.abs(control.feedback(loop, 1).poles()).max() < 1.0
        f = np.geomspace(1.0, 24.9, 4000)
        assert (
            20 * np.log10(np.abs(loop(np.exp(2j * np.pi * f * 0.02)))).max()
            <= tuned.after.rows[2].value + 1e-6
        )
        for row in tuned.loops[k].margins().rows:
            L = loop(np.exp(2j * np.pi * row.frequency_hz * 0.02))
            turned = 10 ** (row.value / 20) if row.kind == "gain" else np.exp(-1j * np.deg2rad(row.value))
            assert L * turned == pytest.approx(-1.0, abs=1e-6)
    assert tuned.values["notch.frequency"] == pytest.approx(2.0, rel=0.1)
    tuned.save(tmp_path / "tuned.json")
    told = json.loads((tmp_path / "tuned.json").read_text())
    assert told["passed"] and told["values"] == tuned.values and told["devices"]["low"] == "LowPass"
    assert told["before"]["rows"][0]["value"] is None


def test_blended_sensors_cancel_a_mode():
    """Two gyros see a mode as 1 and -3: with weights 3 to 1 it is not seen at all."""
    w = 2 * np.pi * 1.0
    A = [[-0.05, 0, 0], [0, 0, 1], [0, -(w**2), -0.004 * w]]
    both = ist.LinearModel(
        A, [[1], [0], [1]], [[1, 0, 0.3], [1, 0, -0.9]], np.zeros((2, 1)), outputs=["fore", "aft"]
    )
    knobs = {name: ist.tunable("gain", at=name, gain=(0.0, 0.5, 1.0)) for name in both.outputs}
    goals = [ist.Crossover(0.07, 0.2), ist.GainStabilized(-10.0, band=(0.5, 5.0))]
    tuned = ist.tune(both, knobs, goals, starts=2)
    ratio = tuned.values["fore.gain"] / tuned.values["aft.gain"]
    assert tuned.passed and not tuned.before.passed
    assert ratio == pytest.approx(3.0, rel=0.1) and len(tuned.loops[0].outputs) == 1


BLOCKS = {
    "notch": (dev.Notch, {"frequency": 2.0, "depth": 0.05, "width": 0.6}),
    "low pass": (dev.LowPass, {"frequency": 3.0, "damping": 0.5, "order": 2}),
    "low pass 1": (dev.LowPass, {"frequency": 3.0, "order": 1}),
    "lead": (dev.LeadLag, {"zero": 0.3, "pole": 4.0, "gain": 2.0}),
    "pid": (dev.PID, {"kp": 2.0, "ki": 0.7, "kd": 0.4, "lag": 0.06}),
    "pd": (dev.PID, {"kp": 2.0, "kd": 0.4, "lag": 0.06}),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_the_device_of_the_library(name):
    """The compensator, its response and the sampled linear model of the device are one transfer function."""
    kind, values = BLOCKS[name]
    made = ist.Assembly("one").add("device", kind(every="20 ms", **values))
    port, sign = ("device.measured", -1.0) if kind is dev.PID else ("device.u", 1.0)
    out = "device.u" if kind is dev.PID else "device.y"
    f = np.array([0.05, 0.7, 2.0, 7.0, 20.0])
    device = sign * ist.linearize(made, None, inputs=port, outputs=out, sampled=True).frequency_response(f)
    plain = ist.LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), [[1.0]], dt=0.02)
    search = LoopSearch(ist.LinearModelSet([plain]), {"it": ist.tunable(kind, **values)}, ALL)
    x = np.zeros(0)
    assert search.compensator(x).frequency_response(f) == pytest.approx(device, rel=1e-8)
    k, _, _ = search.compensators(x, np.exp(2j * np.pi * f * 0.02))
    assert k[0] == pytest.approx(device[:, 0, 0], rel=1e-8)


def test_a_flight_with_the_tuned_devices_has_the_margins_that_were_promised():
    """A cart with a slow law: the filters go between law and rail, and the loop is opened before the first."""
    cart = device_library.cart(2.0)

    def flight(filters):
        made = ist.Assembly("pd", vehicle=cart).add("rail", Rail(joint="cart"))
        made.add("sensor", Ruler(joint="cart"), every="50 ms")
        made.add("law", lambda t, x, v: -3.0 * x - 2.0 * v, every="50 ms", out={"u": "N[1]"})
        made.wire({"sensor.place": "law.x", "sensor.speed": "law.v"})
        last = "law.u"
        for name, device in filters.items():
            made.add(name, device).wire({last: f"{name}.u"})
            last = f"{name}.y"
        made.wire({f"{last}[0]": "rail.command"})
        return made

    loop = ist.open_loop(flight({}), cart.state(), at="rail.command")
    knobs = {
        "lead": ist.tunable(dev.LeadLag, zero=("0.1 Hz", "2 Hz"), pole=("2 Hz", "8 Hz"), gain=(0.1, 4.0)),
        "low": ist.tunable(dev.LowPass, frequency=("4 Hz", "9 Hz")),
    }
    goals = [ist.GainMargin(8.0), ist.PhaseMargin(50.0), ist.Crossover(0.15, 0.6)]
    tuned = ist.tune(loop, knobs, goals, starts=2)
    assert tuned.passed
    again = ist.open_loop(flight(tuned.devices()), cart.state(), at="lead.u")
    f = np.array([0.05, 0.3, 1.0, 4.0, 9.0])
    assert again.dt == loop.dt
    assert again.frequency_response(f) == pytest.approx(tuned.loops[0].frequency_response(f), rel=1e-8)
    table = ist.check_requirements(again, goals)
    assert table.passed
    for one, promised in zip(table.rows, tuned.after.rows):
        assert one.value == pytest.approx(promised.value, rel=1e-6)


def loop():
    return ist.LinearModel([[0, 1], [0, -1]], [[0], [1]], [[1, 0]], [[0]])


GOAL = ist.GainMargin(6.0)
REFUSED = {
    "knobs must map names to blocks": lambda: ist.tune(loop(), [1.0], GOAL),
    "knob 'k' must be a block or a range": lambda: ist.tune(loop(), {"k": 3.0}, GOAL),
    "there is no output 'gyro'": lambda: ist.tune(
        loop(), {"k": ist.tunable("gain", at="gyro", gain=(1, 2))}, GOAL
    ),
    "no number of any knob has a range": lambda: ist.tune(loop(), {"k": ist.tunable("gain")}, GOAL),
    "goals must be a list of requirements": lambda: ist.tune(loop(), {"k": (1.0, 2.0)}, []),
    "starts must be a whole number": lambda: ist.tune(loop(), {"k": (1.0, 2.0)}, GOAL, starts=0),
    "in rising order": lambda: ist.tunable(dev.Notch, frequency=(3.0, 2.0)),
    "has no number 'freq' to tune": lambda: ist.tunable(dev.Notch, freq=(2.0, 3.0)),
    "Notch needs frequency=": lambda: ist.tunable(dev.Notch, width=0.5),
    "device must be a filter or controller": lambda: ist.tunable(dev.TVC, gain=(1.0, 2.0)),
    "a pure derivative cannot be built": lambda: ist.tune(
        loop(), {"pid": ist.tunable(dev.PID, kp=(1.0, 2.0), kd=0.1)}, GOAL
    ),
    "models must be loops": lambda: ist.tune(
        ist.LinearModel([[-1.0]], [[1.0, 1.0]], [[1.0]], [[0.0, 0.0]]), {"k": (1.0, 2.0)}, GOAL
    ),
    "the loops are in continuous time": lambda: ist.tune(loop(), {"k": (1.0, 2.0)}, GOAL, starts=1).devices(),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_tuned_is_refused(words):
    with pytest.raises(InputError, match=words):
        REFUSED[words]()
