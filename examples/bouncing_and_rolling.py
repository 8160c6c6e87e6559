"""A ball that bounces, slides and comes to roll; a slack cable, gears with play, and a mass that sticks and slips.

python examples/bouncing_and_rolling.py

Contact, cables, gears and friction are devices of the shelf. Draws into bouncing_and_rolling.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, ORANGE, dress, new_figure

RADIUS, MASS = 0.1, 2.0


def ball_run() -> tuple[ist.System, ist.Log]:
    """Throw a ball forwards onto the ground."""
    mb = ist.Multibody("ball", gravity=[0, 0, -9.81])
    mb.add_body("ball", mass=MASS, inertia=[0.4 * MASS * RADIUS**2] * 3, joint=ist.Free())
    system = mb.compile()
    ground = dev.GroundContact(
        at="ball", radius=RADIUS, stiffness=2e5, restitution=(0.6, "3 m/s"), friction=0.05, slip=0.01
    )
    flight = ist.Assembly("thrown", vehicle=system).add("ground", ground)
    x = system.state()
    x["ball"].position[2], x["ball"].v[3] = 0.6, 2.0
    return system, ist.simulate(flight, x, until=3.5, step="0.1 ms")


def cable_run() -> ist.Log:
    """Drop a load on a cable that is slack at first."""
    mb = ist.Multibody("load", gravity=[-9.81, 0, 0])
    mb.add_body("post", mass=1.0, inertia=[1, 1, 1], joint=ist.Locked())
    mb.add_body("load", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    system = mb.compile()
    cable = dev.Cable(a="post", b="load", stiffness=600.0, damping=3.0, length=0.8)
    return ist.simulate(ist.Assembly("hung", vehicle=system).add("cable", cable), None, until=6, step="1 ms")


def gear_run() -> ist.Log:
    """Let one gear drive another through the play of their teeth."""
    mb = ist.Multibody("gears")
    for name, inertia in (("pinion", 0.5), ("wheel", 2.0)):
        mb.add_body(name, mass=1.0, inertia=[1, 1, inertia], joint=ist.Revolute("z"))
    system = mb.compile()
    gear = dev.Gear(a="pinion", b="wheel", ratio=3.0, stiffness=400.0, damping=1.0, gap=0.2)
    x = system.state()
    x["pinion"].v[:] = 1.0
    return ist.simulate(ist.Assembly("gears", vehicle=system).add("teeth", gear), x, until=3, step="0.5 ms")


class Pull(ist.Device):
    """A spring to a point that moves on with constant speed."""

    joint = ist.JointRef("m")
    stiffness, speed = ist.Parameter("N/m", 8.0), ist.Parameter("m/s", 0.1)
    x, force = joint.coordinate(), joint.force()

    def outputs(d, t):
        d.force = d.stiffness * (d.speed * t - d.x)


def friction_run() -> ist.Log:
    """Pull a mass by a spring over a rough floor."""
    mb = ist.Multibody("mass")
    mb.add_body("mass", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    system = mb.compile()
    rough = dev.PrismaticFriction(joint="mass", coulomb=1.0, static=1.5, stiffness=2e4, damping=140.0)
    pulled = ist.Assembly("pulled", vehicle=system).add("pull", Pull(joint="mass")).add("floor", rough)
    return ist.simulate(pulled, None, until=12, step="0.1 ms", log_step="10 ms")


def main() -> None:
    """Run them, draw them, and print how the ball ends."""
    system, ball = ball_run()
    rows = range(0, len(ball.t), 50)
    speed = np.array([system.velocity(ball.state(k), "ball", frame="world") for k in rows])
    cable, gear, rough = cable_run(), gear_run(), friction_run()

    figure = new_figure(14.0, 3.2)
    high, along, hung, teeth, floor = figure.subplots(1, 5)
    high.plot(ball.t, ball["ball"].position[:, 2], color=BLUE)
    dress(high, "time, s", "height of the centre, m", "a ball bounces")
    along.plot(ball.t[rows], speed[:, 3], color=BLUE, label="speed")
    along.plot(ball.t[rows], RADIUS * speed[:, 1], color=ORANGE, label="radius x spin")
    dress(along, "time, s", "m/s", "it comes to roll", True)
    hung.plot(cable.t, cable["cable.pull"], color=BLUE)
    dress(hung, "time, s", "tension, N", "a slack cable")
    teeth.plot(gear.t, gear["pinion"].v[:, 0], color=BLUE, label="pinion")
    teeth.plot(gear.t, 3.0 * gear["wheel"].v[:, 0], color=ORANGE, label="3 x wheel")
    dress(teeth, "time, s", "rad/s", "gears with play", True)
    floor.plot(rough.t, rough["mass"].v[:, 0], color=BLUE)
    dress(floor, "time, s", "m/s", "stick and slip")
    figure.savefig("bouncing_and_rolling.png", dpi=110)

    print(f"the ball rolls with {speed[-1, 3]:.4f} m/s, its spin gives {RADIUS * speed[-1, 1]:.4f} m/s")
    # whatever happened on the way, angular momentum about a point of the ground gives 5/7 of the speed
    assert abs(speed[-1, 3] - 5 / 7 * 2.0) < 1e-3
    assert abs(speed[-1, 3] - RADIUS * speed[-1, 1]) < 1e-3
    assert cable["cable.pull"].min() == 0.0
    assert rough["mass"].v[:, 0].max() > 0.2 and np.mean(np.abs(rough["mass"].v[:, 0]) < 1e-3) > 0.2


if __name__ == "__main__":
    main()
