"""Actuators that give way: static stiffness, poles, and what an airframe with engines in its modes shows of them."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Motor

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from validation.engines_in_modes import ENGINE, GIMBALS, stage_deck

ROD, FLUID, LOAD, C, I = 4e6, 2.5e6, 3e5, 2e4, 900.0
SPRINGS = {
    "rod_stiffness": ROD,
    "fluid_stiffness": FLUID,
    "load_spring": LOAD,
    "damping": C,
    "bandwidth": "5 Hz",
}


@pytest.fixture(scope="module")
def nozzle():
    mb = ist.Multibody("nozzle")
    mb.add_body("nozzle", mass=1.0, inertia=[I, I, I], joint=ist.Revolute("y"))
    return mb.compile()


# the linear actuator with its engine, states q, q̇, y, written down by hand
K, G = ROD * FLUID / (ROD + FLUID), 2 * np.pi * 5.0
VALVE = np.array([-G * K / FLUID, 0.0, -G * (1.0 - K / FLUID)])
MATRIX = np.array([[0.0, 1.0, 0.0], (np.array([-K - LOAD, -C, K]) + C * VALVE) / I, VALVE])


@pytest.mark.parametrize("unloaded", [False, True])
def test_poles_are_those_of_servo_springs_and_engine(nozzle, unloaded):
    """A nozzle on a base that stands: broken or closed, the load-torque loop carries nothing."""
    drive = dev.UnloadedHydraulicTVC if unloaded else dev.HydraulicTVC
    more = {"inertia": I} if unloaded else {}
    made = ist.Assembly("x", vehicle=nozzle).add("a", drive(joint="nozzle", axes=1, **SPRINGS, **more))
    lin = ist.linearize(made, nozzle.state(), inputs="a.command", set={"a.command": [0.0]})
    found, exact = (sorted(p, key=lambda s: s.imag) for p in (lin.poles(), np.linalg.eigvals(MATRIX)))
    assert found == pytest.approx(exact, rel=1e-9)


def test_a_steady_load_meets_the_rod_alone(nozzle):
    """q (1 + k_load/k_rod) = command + T/k_rod: the servo makes up for its fluid."""
    made = ist.Assembly("x", vehicle=nozzle).add("a", dev.HydraulicTVC(joint="nozzle", axes=1, **SPRINGS))
    made.add("load", Motor(joint="nozzle"))
    log = ist.simulate(made, None, until=5, step="1 ms", set={"a.command": [0.02], "load.command": "5e4 N*m"})
    assert log["nozzle"].q[-1, 0] == pytest.approx((0.02 + 5e4 / ROD) / (1.0 + LOAD / ROD), rel=1e-9)


def test_rate_and_torque_are_limited(nozzle):
    limits = {"rate_limit": "10 deg/s", "limit": "6 deg", "command": [0.5]}
    soft = {**SPRINGS, "damping": 5e4, "load_spring": 0.0}
    made = ist.Assembly("x", vehicle=nozzle).add(
        "a", dev.HydraulicTVC(joint="nozzle", axes=1, **soft, **limits)
    )
    log = ist.simulate(made, None, until=3, step="1 ms")
    middle = (log.t > 0.2) & (log.t < 0.4)
    assert log["nozzle"].v[middle, 0] == pytest.approx(np.radians(10.0), rel=0.02)
    assert log["a.angle"][-1, 0] == pytest.approx(np.radians(6.0), rel=1e-6)
    weak = dev.HydraulicTVC(joint="nozzle", axes=1, max_torque="900 N*m", command=[0.1], **soft)
    log = ist.simulate(ist.Assembly("x", vehicle=nozzle).add("a", weak), None, until=0.3, step="1 ms")
    assert np.abs(log["a.torque"]).max() == pytest.approx(900.0)


def hinged_deck(stiffness):
    """The stage with its engines on grids of their own that turn about y and z on soft springs."""
    lines = stage_deck(False).split("\n")[:-1]
    grids = {int(line.split(",")[1]): line.split(",") for line in lines if line.startswith("GRID")}
    (a, b, c), (x, y, z) = ENGINE["inertia"], ENGINE["com"]
    for g in GIMBALS:
        lines.append(f"GRID,{400 + g},0,{','.join(grids[g][3:6])},0")
        lines.append(f"RBE2,{900 + g},{g},1234,{400 + g}")
        lines += [f"CELAS2,{500 + 2 * g + j},{stiffness},{g},{5 + j},{400 + g},{5 + j}" for j in range(2)]
        lines += [f"CONM2,{700 + g},{400 + g},0,{ENGINE['mass']},{x},{y},{z}", f",{a},0.,{b},0.,0.,{c}"]
    return "\n".join([*lines, "ENDDATA"])


def fe_frequencies(text, first, count):
    model = ist.FEModel.from_deck(deck_from_text(text))
    return ist.normal_modes(model, n_modes=first + count).frequencies_hz[first:]


@pytest.fixture(scope="module")
def airframe():
    """A stage made with its engines in the modes, and the same engines taken out and hung on gimbals."""
    deck = deck_from_text(stage_deck(True))
    part = ist.Component.from_deck(
        deck, n_modes=40, rvdof=dict.fromkeys(GIMBALS, 123456), modal_integrals=False, name="stage"
    )
    for gimbal in GIMBALS:
        part = part.without_rigid(gimbal, ENGINE["mass"], ENGINE["inertia"], ENGINE["com"])
    mb = ist.Multibody("airframe")
    mb.add_body("stage", component=part, joint=ist.Free())
    for k, gimbal in enumerate(GIMBALS):
        mb.add_body(f"engine{k}", parent="stage", at=gimbal, joint=ist.Universal("yz"), **ENGINE)
    return mb.compile()


def elastic(airframe, actuator):
    """Return the frequencies of stage and engines under four actuators, above 0.05 Hz."""
    made = ist.Assembly("airframe", vehicle=airframe)
    for k in range(4):
        made.add(f"tvc{k}", actuator(f"engine{k}"))
    lin = ist.linearize(made, airframe.state(), inputs="tvc*.command", set={"tvc*.command": [0.0, 0.0]})
    found = np.linalg.eigvals(lin.A)
    return np.sort(found.imag[(found.imag > 0.3) & (abs(found.real) < 1e-3)]) / (2 * np.pi)


def test_with_the_load_torque_loop_open_the_modes_with_engines_come_back(airframe):
    """A rigid gimbal (NESC report, F.4): the frequencies of the finite elements with their engines held."""
    found = elastic(airframe, lambda joint: dev.TVC(joint=joint, bandwidth="200 Hz", damping=1.5))
    truth = fe_frequencies(stage_deck(True), 6, 18)
    assert found[:18] == pytest.approx(truth, rel=1e-7)


def test_with_the_load_torque_loop_closed_the_engines_leave_the_modes(airframe):
    """Actuators without torque: the frequencies of the model without engines in its modes, higher all (F.4).

    The truth is one finite-element model with engines that turn freely on their gimbals; 40 modes with residual vectors
    at the gimbals leave 2e-6.
    """
    soft = {"rod_stiffness": 20.0, "fluid_stiffness": 20.0}
    found = elastic(airframe, lambda joint: dev.HydraulicTVC(joint=joint, bandwidth="1e-6 Hz", **soft))
    truth = fe_frequencies(hinged_deck(10.0), 14, 18)
    assert found[:18] == pytest.approx(truth, rel=1e-5)
    assert (found[:10] > 1.03 * fe_frequencies(stage_deck(True), 6, 10)).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"fluid_stiffness": 1}, "HydraulicTVC needs rod_stiffness="),
        ({"rod_stiffness": -1, "fluid_stiffness": 1}, "HydraulicTVC.rod_stiffness must be above 0.0"),
        (
            {"rod_stiffness": 1, "fluid_stiffness": 1, "damping": -1},
            "HydraulicTVC.damping must be at least 0.0",
        ),
    ],
)
def test_actuators_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.HydraulicTVC(joint="nozzle", **arguments)
