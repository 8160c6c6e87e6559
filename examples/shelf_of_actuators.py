"""Actuators of the shelf, each doing what it is for: wheel, engine, gimbals, thruster, gyro, motor, magnetic torquer.

Eight small runs, one picture. What each shows is compared with a number that can be written down: the tail-off of an
engine, the impulse of pulses, the turn that a control moment gyro gives.

    python examples/shelf_of_actuators.py

Draws shelf_of_actuators.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure


def body(joint: object, inertia: float = 2.0) -> ist.System:
    """Return one body on a joint."""
    mb = ist.Multibody("body")
    mb.add_body("body", mass=10.0, inertia=[inertia] * 3, joint=joint)
    return mb.compile()


def run(vehicle: ist.System, device: ist.Device, until: float, step: str = "1 ms", **law: object):
    """Run one device, its input of the law's name given as a function of time."""
    made = ist.Assembly("shelf", vehicle=vehicle).add("it", device)
    for port, (function, unit) in law.items():
        made.add(f"law_{port}", function, every="20 ms", out={"y": unit}).wire(
            {f"law_{port}.y": f"it.{port}"}
        )
    return ist.simulate(made, None, until=until, step=step)


def main() -> None:
    """Run the devices, draw, and compare."""
    figure = new_figure(13.0, 6.0)
    panels = figure.subplots(2, 4)
    free, hinge = body(ist.Free()), body(ist.Revolute("z"))

    wheel = dev.ReactionWheel(at="body", inertia=0.05, max_torque=0.2, friction=(4e-3, 2e-4))
    log = run(free, wheel, 40, "10 ms", torque=(lambda t: 0.2 if t < 15 else 0.0, "N*m"))
    panels[0, 0].plot(log.t, log["it.speed"], color=BLUE)
    dress(panels[0, 0], "time, s", "rad/s", "ReactionWheel: run-up, coast-down")

    shaking = dev.ReactionWheel(at="body", inertia=0.05, imbalance=(2e-5, 0.0), speed=2 * np.pi * 30.0)
    log = run(free, shaking, 2)
    size = 2.0 * np.abs(np.fft.rfft(log["it.on_force"][:-1, 0])) / 2000
    f = np.fft.rfftfreq(2000, 1e-3)
    panels[0, 1].semilogy(f[f < 100], size[f < 100] + 1e-9, color=ORANGE)
    dress(panels[0, 1], "frequency, Hz", "force, N", "ReactionWheel: imbalance at 30 Hz")
    line = 2e-5 * (2 * np.pi * 30.0) ** 2

    lags = {"start": 0.6, "stop": 0.25, "lag": 0.15, "idle": 0.5}
    engine = dev.Engine(body="body", thrust="90 kN", exit_area=0.1, pressure="1 atm", **lags)
    log = run(
        body(ist.Locked()), engine, 8, throttle=(lambda t: (1.0 if t < 3 else 0.65) if t < 5 else 0.0, "1")
    )
    panels[0, 2].plot(log.t, log["it.net"] / 1e3, color=BLUE)
    dress(panels[0, 2], "time, s", "thrust, kN", "Engine: start, throttle, tail-off")
    after = log.t >= 5.0
    tail = np.trapezoid(log["it.level"][after], log.t[after]) * 90e3

    nozzle = body(ist.Revolute("y"), 60.0)
    step = {"command": [np.radians(5.0)], "axes": 1}
    stiff = dev.TVC(joint="body", bandwidth="6 Hz", rate_limit="30 deg/s", **step)
    springs = {"rod_stiffness": 4e6, "fluid_stiffness": 2e6, "damping": 6e3}
    soft = dev.HydraulicTVC(joint="body", bandwidth="6 Hz", **springs, **step)
    for device, color in ((stiff, BLUE), (soft, ORANGE)):
        log = run(nozzle, device, 1.0)
        panels[0, 3].plot(log.t, np.degrees(log["it.angle"][:, 0]), color=color, label=type(device).__name__)
    dress(panels[0, 3], "time, s", "angle, deg", "Gimbals: a step of 5 deg", legend=True)

    jet = dev.Thruster(
        at="body", thrust="8 N", rise="8 ms", valve_delay="10 ms", min_on="15 ms", every="100 ms"
    )
    widths = [0.05, 0.02, 0.01, 0.1, 0.1, 0.03, 0.0]
    made = ist.Assembly("jet", vehicle=free).add("it", jet)
    made.add("law", lambda t: widths[min(round(t / 0.1), 6)], every="100 ms", out={"w": "s"})
    made.wire({"law.w": "it.width"})
    log = ist.simulate(made, None, until=0.8, step="0.5 ms")
    panels[1, 0].plot(log.t, 8.0 * log["it.level"], color=BLUE)
    dress(panels[1, 0], "time, s", "thrust, N", "Thruster: pulses; 10 ms is too short")
    impulse = 10.0 * np.linalg.norm(log["body"].velocity[-1, 3:])

    gyro = dev.CMG(at="body", gimbal=[1, 0, 0], spin=[0, 1, 0], momentum=1.5, max_rate=0.5)
    log = run(hinge, gyro, 12, "10 ms", command=(lambda t: 0.5 if t < 6 else -0.5, "rad/s"))
    panels[1, 1].plot(log.t, np.degrees(log["it.angle"]), color=GREY, label="gimbal, deg")
    panels[1, 1].plot(log.t, np.degrees(log["body"].v[:, 0]), color=ORANGE, label="body, deg/s")
    dress(panels[1, 1], "time, s", "", "CMG: a turn and back", legend=True)
    turn = log["body"].v[:, 0] + 1.5 / 2.0 * np.sin(log["it.angle"])

    limits = {"max_torque": 0.5, "no_load_speed": 150.0}
    motor = dev.Motor(joint="body", inertia=2e-3, ratio=30.0, stiffness=2e3, damping=8.0, **limits)
    log = run(hinge, motor, 2, command=(lambda t: 0.5 if t < 1 else -0.5, "N*m"))
    panels[1, 2].plot(log.t, log["it.speed"] / 30.0, color=GREY, label="rotor / 30")
    panels[1, 2].plot(log.t, log["body"].v[:, 0], color=ORANGE, label="joint")
    dress(panels[1, 2], "time, s", "rad/s", "Motor with gear", legend=True)

    rods = dev.MagneticTorquer(at="body", dipole=[0, 8.0, 0], limit=5.0, field=[0, 0, 3e-2])
    log = run(free, rods, 30, "10 ms")
    panels[1, 3].plot(log.t, log["it.torque"][:, 0] * 1e3, color=BLUE)
    dress(panels[1, 3], "time, s", "torque, mN m", "MagneticTorquer in a field")

    figure.savefig("shelf_of_actuators.png", dpi=110)
    print(f"imbalance line {size.max():.6f} N, U Ω² {line:.6f} N")
    print(f"tail-off {tail:.1f} N s, level x thrust x 0.25 s {0.65 * 90e3 * 0.25:.1f} N s")
    print(f"pulses {impulse:.6f} N s, thrust x widths {8.0 * 0.3:.6f} N s")
    assert abs(size.max() / line - 1.0) < 1e-3
    assert abs(tail / (0.65 * 90e3 * 0.25) - 1.0) < 1e-3
    assert abs(impulse - 8.0 * 0.3) < 1e-6
    assert np.abs(turn).max() < 1e-6  # I ω + h sin δ stays zero


if __name__ == "__main__":
    main()
