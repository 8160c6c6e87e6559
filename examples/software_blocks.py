"""Look at the software blocks of the shelf: filters, PID with limits, phase plane, allocation.

Filters are sampled at 100 Hz; their responses are those of linear models of the blocks as they run, beside the
continuous filters that they stand for. A PID drives a cart to its mark with a force that is limited, a phase plane
fires thrusters, and an allocation shares a demand that grows beyond what its actuators can give.

    python examples/software_blocks.py

Draws them into software_blocks.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, COLORS, GREY, ORANGE, dress, new_figure

W = 2 * np.pi * 8.0


class Push(ist.Device):
    """Force on a cart, and where it is."""

    joint = ist.JointRef("m")
    force, at, speed = joint.force(), joint.coordinate(), joint.rate()
    command = ist.In("N")
    place, rate = ist.Out("m"), ist.Out("m/s")

    def outputs(d, t):
        d.force = d.command
        d.place = d.at
        d.rate = d.speed


class Turn(ist.Device):
    """Torque of thrusters about a hinge: 20 N m or none."""

    joint = ist.JointRef()
    torque, at, speed = joint.force(), joint.coordinate(), joint.rate()
    fire = ist.In("", 1)
    angle, rate = ist.Out("rad", 1), ist.Out("rad/s", 1)

    def outputs(d, t):
        d.torque = 20.0 * d.fire[0]
        d.angle[0] = d.at
        d.rate[0] = d.speed


def response(device: ist.Device, f: np.ndarray) -> np.ndarray:
    """Return the response of a block as it runs, every 10 ms."""
    made = ist.Assembly("block").add("block", device, every="10 ms")
    lin = ist.linearize(made, None, inputs="block.u", outputs="block.y", sampled=True)
    return lin.frequency_response(f)[:, 0, 0]


def cart_run() -> ist.Log:
    """Drive a cart of 2 kg to 1 m with at most 1 N."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    system = mb.compile()
    made = ist.Assembly("cart", vehicle=system).add("cart", Push(joint="cart"))
    made.add("pid", dev.PID(kp=4.0, ki=0.6, kd=5.0, lag="50 ms", limit=1.0, wanted=[1.0]), every="20 ms")
    made.wire({"cart.place": "pid.measured", "pid.u": "cart.command"})
    return ist.simulate(made, None, until=12, step="20 ms")


def thruster_run() -> ist.Log:
    """Bring 200 kg m² from 6 degrees into a band of half a degree."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=100.0, inertia=[100, 100, 200], joint=ist.Revolute("z"))
    system = mb.compile()
    made = ist.Assembly("thrusters", vehicle=system).add("axis", Turn(joint="bus"))
    made.add(
        "logic",
        dev.PhasePlaneController(deadband="0.5 deg", acceleration=0.1, hysteresis=0.4, n=1),
        every="10 ms",
    )
    made.wire({"axis.angle": "logic.error", "axis.rate": "logic.rate", "logic.fire": "axis.fire"})
    return ist.simulate(made, system.state(q=[np.radians(6.0)]), until=40, step="10 ms")


def shared(demands: np.ndarray) -> np.ndarray:
    """Return what four actuators of ±0.5 are told for growing demands of torque about two axes."""
    E = np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 0.6, -0.6]])
    made = ist.Assembly("allocation").add("all", dev.ControlAllocation(E, low=-0.5, high=0.5), every=1)
    made.add("demand", lambda t: demands[int(t)] * np.array([1.0, 0.35]), every=1, out={"c": "1[2]"})
    made.wire({"demand.c": "all.demand"})
    log = ist.simulate(made, None, until=len(demands) - 1, step=1)
    return np.column_stack([log["all.u"], (log["all.u"] @ E.T)[:, 0]])


def main() -> None:
    """Run the blocks, draw them, and check a figure of each."""
    f = np.geomspace(0.5, 45.0, 200)
    s = 2j * np.pi * f
    filters = {
        "low pass": (dev.LowPass("8 Hz"), W**2 / (s**2 + np.sqrt(2) * W * s + W**2)),
        "notch": (
            dev.Notch("8 Hz", depth=0.05, width=0.5),
            (s**2 + 0.1 * W * s + W**2) / (s**2 + W * s + W**2),
        ),
        "lead": (dev.LeadLag("4 Hz", "16 Hz"), (1 + 2 * s / W) / (1 + 0.5 * s / W)),
    }
    cart, jets = cart_run(), thruster_run()
    demands = np.linspace(0.0, 3.0, 31)
    table = shared(demands)

    figure = new_figure(11.0, 6.0)
    (bode, pid), (plane, allocation) = figure.subplots(2, 2)
    for color, (name, (device, continuous)) in zip(COLORS, filters.items()):
        bode.semilogx(f, 20 * np.log10(np.abs(response(device, f))), color=color, label=f"{name}, 100 Hz")
        bode.semilogx(f, 20 * np.log10(np.abs(continuous)), color=color, ls=":")
    bode.set_ylim(-35, 15)
    dress(bode, "frequency, Hz", "dB", "filters, exact at 8 Hz (dotted: continuous)", True)
    pid.plot(cart.t, cart["cart.place"], color=BLUE, label="place, m")
    pid.step(cart.times("pid.u"), cart["pid.u"].ravel(), color=ORANGE, label="command, N")
    dress(pid, "time, s", "", "PID with a limit of 1 N", True)
    plane.plot(np.degrees(jets["axis.angle"].ravel()), np.degrees(jets["axis.rate"].ravel()), color=BLUE)
    plane.axvspan(-0.5, 0.5, color=GREY, alpha=0.2)
    dress(plane, "error, deg", "rate, deg/s", "phase plane and its band")
    for k in range(4):
        allocation.plot(demands, table[:, k], color=COLORS[k], label=f"u{k + 1}")
    allocation.plot(demands, table[:, 4], color=GREY, ls="--", label="given about axis 1")
    dress(allocation, "demand about axis 1", "", "allocation at its limits", True)
    figure.savefig("software_blocks.png", dpi=110)

    at = response(filters["notch"][0], np.array([8.0]))[0]
    print(f"the notch leaves {abs(at):.4f} at 8 Hz; the cart stops at {cart['cart.place'][-1]:.3f} m")
    print(f"the error stays within {np.degrees(np.abs(jets['axis.angle'].ravel()[2000:]).max()):.2f} deg")
    assert abs(abs(at) - 0.1) < 1e-9
    assert abs(cart["cart.place"][-1] - 1.0) < 0.1 and np.abs(cart["pid.u"]).max() <= 1.0
    assert np.degrees(np.abs(jets["axis.angle"].ravel()[2000:]).max()) < 0.55
    assert np.abs(table[:, :4]).max() <= 0.5 + 1e-12


if __name__ == "__main__":
    main()
