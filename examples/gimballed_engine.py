"""An engine on a gimbal, its load torque loop open and closed.

With the loop open the actuator holds the engine on its command whatever torque that takes: the gimbal's motion is
prescribed, the torque is a result. With the loop closed the actuator gives a torque and the engine does what the
airframe lets it. One vehicle makes both, by a switch of the joint.

    python examples/gimballed_engine.py

Draws command, torque and the answer of the airframe into gimballed_engine.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage.fem import lumped_beam
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

NODES, LENGTH, EI, MASS = 11, 30.0, 2e9, 40e3
UNTIL, STEP = 6.0, 2e-3


def airframe() -> ist.Component:
    """Return a stage 30 m long along x as masses on bending springs, with room for a gimbal at its first node."""
    mass = [MASS / NODES] * 3 + [2e4] * 3
    K, M, nodes = lumped_beam(LENGTH, NODES - 1, EA=2e9, GJ=1e9, EI=EI, mass=mass)
    return ist.Component.from_matrices(K, M, nodes, n_modes=8, aset={1: 123456}, name="airframe")


def vehicle() -> ist.System:
    """Return airframe and engine; the gimbal turns about z."""
    mb = ist.Multibody("stage")
    mb.add_body("airframe", component=airframe(), joint=ist.Free(), damping=0.005)
    mb.add_body(
        "engine",
        mass=3500.0,
        com=[-1.6, 0, 0],
        inertia=[2000.0, 5000.0, 5000.0],
        parent="airframe",
        at=1,
        joint=ist.Revolute("z"),
    )
    return mb.compile()


def command(t: float) -> complex:
    """Return the gimbal command (rad): two degrees over and back, smooth (complex times give its rates)."""
    s = t / 2.0
    return np.deg2rad(2.0) * (64.0 * s**3 * (1.0 - s) ** 3 if np.real(t) < 2.0 else 0.0 * s)


def main() -> None:
    """Follow the command, replay its torque, and let the engine go."""
    system = vehicle()
    x = system.state()
    hz = {}
    for mode in ("locked", "free"):
        system.set_joint_mode("engine", mode)
        found = system.modes().frequencies_hz
        hz[mode] = found[found > 0.1]
    print(
        f"bending in the gimbal's plane, load torque open   {hz['locked'][1]:.4f} Hz (engine fixed to the airframe)"
    )
    print(
        f"                               load torque closed {hz['free'][1]:.4f} Hz (engine on a free gimbal)"
    )

    run = {"step": STEP, "method": "ros2"}
    opened = ist.simulate(system, x, UNTIL, motions={"engine": ist.PrescribedMotion(angle=command)}, **run)
    torque = opened.torque("engine")[:, 0]
    print(f"largest torque that the command needs {np.abs(torque).max():.1f} N m")

    # the same torque on a free gimbal: the engine follows the same path, as long as nobody disturbs it
    gimbal = system.layout["engine"].v.start

    def drive(t: float) -> np.ndarray:
        tau = np.zeros(system.nv)
        tau[gimbal] = np.interp(t, opened.t, torque)
        return tau

    closed = ist.simulate(system, x, UNTIL, tau=drive, **run)
    apart = np.abs(closed["engine"].q - opened["engine"].q).max()
    print(f"difference of the two paths           {np.rad2deg(apart):.1e} deg")

    # the loop closes at 1 s without any torque: the engine goes on by itself
    let_go = ist.Event(at=1.0, action=ist.SetJointMode("engine", "free"), name="loop closed")
    motion = {"engine": ist.PrescribedMotion(angle=command)}
    loose = ist.simulate(system, x, UNTIL, motions=motion, events=[let_go], **run)
    print(f"engine let go at 1 s, angle at the end {np.rad2deg(loose['engine'].q[-1, 0]):.2f} deg")
    draw(opened, closed, loose)

    assert hz["locked"][1] < hz["free"][1]
    assert apart < 1e-4
    drift = np.abs(opened.momentum - opened.momentum[0]).max()
    assert drift < 1e-3 * np.abs(torque).max()  # the drive acts inside the vehicle


def draw(opened: ist.Log, closed: ist.Log, loose: ist.Log) -> None:
    """Draw gimbal angle, torque, and the rate of the airframe's nose."""
    figure = new_figure(7.5, 6.5)
    top, middle, low = figure.subplots(3, 1, sharex=True)
    for log, color, style, label in (
        (opened, BLUE, "-", "load torque open: command followed"),
        (closed, ORANGE, "--", "closed: the same torque applied"),
        (loose, GREY, "-", "loop closed at 1 s, no torque"),
    ):
        top.plot(log.t, np.rad2deg(log["engine"].q[:, 0]), color=color, ls=style, label=label)
        middle.plot(log.t, log.torque("engine")[:, 0] / 1e3, color=color, ls=style)
        low.plot(log.t, np.rad2deg(log["airframe"].v[:, 2]), color=color, ls=style)
    dress(top, "", "gimbal, deg", "An engine on a gimbal", legend=True)
    dress(middle, "", "torque, kN m")
    dress(low, "time, s", "rate at the gimbal, deg/s")
    figure.savefig("gimballed_engine.png", dpi=110)


if __name__ == "__main__":
    main()
