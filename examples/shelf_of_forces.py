"""Forces of the shelf and what feels them: springs, stops, contact, dry friction, gauges, slosh, the magnetic field.

Twelve small runs, one picture: forces between places and in joints, rotors that stick, an actuator with and without the
load of its engine, gauges on a beam, fluid as shapes of a body. Numbers that can be written down are asserted.

    python examples/shelf_of_forces.py

Draws shelf_of_forces.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from interstage.report.plots import BLUE, GREEN, GREY, ORANGE, dress, new_figure


def bodies(*parts: tuple[str, object], mass: float = 1.0) -> ist.System:
    """Return bodies on joints of their own, each on the ground."""
    mb = ist.Multibody("bench")
    for name, joint in parts:
        mb.add_body(name, mass=mass, inertia=[0.5] * 3, joint=joint)
    return mb.compile()


def run(vehicle: ist.System, devices: dict[str, ist.Device], x=None, until=2.0, step="1 ms", wires=None):
    """Run devices on a vehicle."""
    made = ist.Assembly("shelf", vehicle=vehicle)
    for name, device in devices.items():
        made.add(name, device)
    return ist.simulate(made.wire(wires) if wires else made, x, until=until, step=step)


class Pull(ist.Device):
    """A spring of 8 N/m to a point that moves on with 0.1 m/s."""

    joint = ist.JointRef("m")
    x, force = joint.coordinate(), joint.force()

    def outputs(d, t):
        d.force = 8.0 * (0.1 * t - d.x)


class Ramp(ist.Device):
    """A torque that falls through zero."""

    torque = ist.Out("N*m")

    def outputs(d, t):
        d.torque = 0.5 - 0.05 * t


def springs(axes) -> None:
    """Draw a linear spring and one by a table."""
    for device, color in (
        (dev.Spring(a="ball", b="wall", stiffness=40.0, length=1.0), BLUE),
        (
            dev.NonlinearSpring(
                a="ball", b="wall", force=([-0.4, -0.1, 0, 0.1, 0.4], [-90, -1, 0, 1, 90]), length=1.0
            ),
            ORANGE,
        ),
    ):
        mb = ist.Multibody("ball")
        mb.add_body("ball", mass=1.0, inertia=[0.1] * 3, joint=ist.Prismatic("x"))
        mb.add_body("wall", mass=1.0, at=[1.0, 0, 0], joint=ist.Locked())
        system = mb.compile()
        log = run(system, {"it": device}, system.state(q=[0.3]), until=4)
        axes.plot(log.t, log["ball"].q[:, 0], color=color, label=type(device).__name__)
    dress(axes, "time, s", "m", "Spring, NonlinearSpring", legend=True)


def bushing(axes) -> None:
    """Draw a body that rings on a bushing."""
    mb = ist.Multibody("body")
    mb.add_body("base", mass=1.0, joint=ist.Locked())
    mb.add_body("body", mass=1.0, inertia=[0.5, 0.6, 0.7], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["body"].q[4:] = [0.05, -0.03, 0.02]
    stiffness = np.diag([3.0, 4.0, 5.0, 60.0, 90.0, 120.0])
    stiffness[4, 0] = stiffness[0, 4] = 4.0
    log = run(
        system, {"it": dev.Bushing(a="base", b="body", stiffness=stiffness, damping=0.01 * stiffness)}, x, 6
    )
    axes.plot(log.t, log["it.apart"] * 1e3, linewidth=0.9)
    dress(axes, "time, s", "mm", "Bushing: a push along x turns it too")


def limits(axes) -> None:
    """Draw a hinge with play, and stops of a hinge and a slide."""
    system = bodies(("play", ist.Revolute("z")), ("stop", ist.Revolute("z")), ("slide", ist.Prismatic("x")))
    devices = {
        "play": dev.Backlash(joint="play", gap=0.2, stiffness=400.0),
        "stop": dev.JointStop(joint="stop", low=-0.1, high=0.1, stiffness=2e3, restitution=(0.6, 1.0)),
        "slide": dev.PrismaticStop(joint="slide", low=-0.1, high=0.1, stiffness=4e3, restitution=(0.3, 1.0)),
    }
    log = run(system, devices, system.state(v=[0.4, 0.4, 0.4]), 4, "0.2 ms")
    for name, color, words in (
        ("play", BLUE, "Backlash"),
        ("stop", ORANGE, "Stop"),
        ("slide", GREEN, "PrismaticStop"),
    ):
        axes.plot(log.t, log[name].q[:, 0], color=color, label=words)
    dress(axes, "time, s", "rad, m", "Play and stops", legend=True)


def contact(axes) -> None:
    """Draw balls that meet each other and a floor that is a body."""
    mb = ist.Multibody("balls")
    for name, at in (("a", 0.0), ("b", 1.0)):
        mb.add_body(name, mass=1.0, inertia=[0.01] * 3, at=[at, 0, 0.5], joint=ist.Prismatic("x"))
    mb.add_body("floor", mass=1e3, inertia=[1e3] * 3, joint=ist.Locked())
    mb.add_body("drop", mass=1.0, inertia=[0.01] * 3, at=[0, 0, 0.6], joint=ist.Prismatic("z"))
    system = mb.compile()
    x = system.state()
    x["a"].v[:], x["drop"].v[:] = 1.0, -1.0
    devices = {
        "meet": dev.SphereContact(a="a", b="b", radius_a=0.1, radius_b=0.1, stiffness=2e4),
        "floor": dev.PlaneContact(at="drop", plane="floor", radius=0.1, normal=[0, 0, 1], stiffness=2e4),
    }
    log = run(system, devices, x, 2, "0.1 ms")
    axes.plot(log.t, log["a"].q[:, 0], color=BLUE, label="SphereContact, first")
    axes.plot(log.t, 1.0 + log["b"].q[:, 0], color=GREY, label="second")
    axes.plot(log.t, 0.6 + log["drop"].q[:, 0], color=ORANGE, label="PlaneContact")
    dress(axes, "time, s", "m", "Balls meet, a ball meets a floor", legend=True)
    assert abs(log["b"].v[-1, 0] - 1.0) < 1e-3 and abs(log["drop"].v[-1, 0] - 1.0) < 1e-3


def friction(axes) -> None:
    """Draw a mass that is pulled by a spring, by bristles and by events."""
    system = bodies(("slide", ist.Prismatic("x")), mass=2.0)
    given = {"joint": "slide", "coulomb": 1.0, "static": 1.5}
    bristles = dev.PrismaticFriction(**given, stiffness=1e4, damping=100.0, stribeck=0.01)
    exact = dev.PrismaticStickSlip(**given)
    for device, color, step in ((bristles, GREY, "0.2 ms"), (exact, BLUE, "5 ms")):
        log = run(system, {"pull": Pull(joint="slide"), "it": device}, None, 10, step)
        axes.plot(log.t, log["slide"].v[:, 0], color=color, label=type(device).__name__, linewidth=1.0)
    dress(axes, "time, s", "m/s", "A mass pulled by a spring", legend=True)
    hinge = bodies(("slide", ist.Revolute("z")))
    turning = [
        dev.LuGreFriction(joint="slide", coulomb=1.0, stiffness=1e3, damping=5.0),
        dev.StickSlip(joint="slide", coulomb=1.0),
    ]
    ends = [run(hinge, {"it": d}, hinge.state(v=[1.0]), 3)["slide"].v[-1, 0] for d in turning]
    begins = [event.t for event in log.events if event.name == "it.slips"]
    slip = (2 * np.pi - 2 * np.arctan(0.0625 * 2.0 / 0.1)) / 2.0
    assert abs(np.diff(begins)[0] - slip - 1.25) < 1e-6 and abs(ends[0]) < 1e-3 and ends[1] == 0.0


def rotors(axes) -> None:
    """Draw a motor and a wheel whose torque falls through zero."""
    system = bodies(("arm", ist.Locked()), ("hinge", ist.Revolute("z")), mass=1e6)
    given = {"inertia": 0.02, "coulomb": 0.3, "static": 0.4}
    motor = dev.StickSlipMotor(joint="hinge", stiffness=1e-18, **given)
    wheel = dev.StictionReactionWheel(
        at="arm", stribeck=0.02, bristle_stiffness=200.0, bristle_damping=1.0, **given
    )
    wires = {"ramp.torque": ["motor.command", "wheel.torque"]}
    log = run(system, {"ramp": Ramp(), "motor": motor, "wheel": wheel}, None, 24, "5 ms", wires)
    axes.plot(log.t, log["motor.speed"], color=BLUE, label="StickSlipMotor")
    axes.plot(log.t, log["wheel.speed"], color=ORANGE, linestyle="--", label="StictionReactionWheel")
    dress(axes, "time, s", "rad/s", "A torque falls through zero", legend=True)
    assert abs(next(e.t for e in log.events if e.name == "motor.slips") - 18.0) < 1e-6


def hydraulics(axes) -> None:
    """Draw the steps of a nozzle by a hydraulic actuator with and without the torque of its load."""
    given = {
        "rod_stiffness": 4e6,
        "fluid_stiffness": 3e6,
        "damping": 8e3,
        "bandwidth": "5 Hz",
        "command": [0.05],
    }
    for device, color in (
        (dev.HydraulicTVC(joint="nozzle", axes=1, **given), BLUE),
        (dev.UnloadedHydraulicTVC(joint="nozzle", axes=1, inertia=150.0, **given), ORANGE),
    ):
        mb = ist.Multibody("nozzle")
        soft = ist.Revolute("y", stiffness=1e6, damping=2e3)
        mb.add_body("frame", mass=300.0, inertia=[400.0] * 3, joint=soft)
        on = {"parent": "frame", "at": [-1.0, 0, 0]}
        mb.add_body(
            "nozzle", mass=100.0, com=[-0.5, 0, 0], inertia=[125.0] * 3, joint=ist.Revolute("y"), **on
        )
        log = run(mb.compile(), {"it": device}, None, 0.6)
        axes.plot(log.t, log["nozzle"].q[:, 0], color=color, label=type(device).__name__)
    dress(axes, "time, s", "rad", "Hydraulic TVC on a soft frame: a step", legend=True)


def gauges(axes) -> None:
    """Draw strain and moment at the root of a beam that is let go."""
    bulk = "".join(f"GRID,{i + 1},,{0.5 * i},0.,0.\n" for i in range(9))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(8))
    bulk += "PBAR,1,1,1.-3,1.-7,1.-7,2.-7\n,.02,.01\nMAT1,1,7.+10,,0.3,2700.\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,0.\n,1.e-3,,1.e-3,,,1.e-3\n" for i in range(1, 10))
    deck = deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")
    wanted = {"moment": ("CBAR", 1, "bending_moment_a1"), "fibre": ("CBAR", 1, "s1a")}
    mb = ist.Multibody("beam")
    beam = ist.Component.from_deck(deck, 4, aset={1: 123456}, load_grids=[9], recover=wanted)
    mb.add_body("beam", component=beam, node=1, joint=ist.Locked(), damping=0.01)
    system = mb.compile()
    x = ist.trim(system, system.state(), forces={("beam", 9): [0, 0, 0, 0, 20.0, 0]})
    devices = {
        "strain": dev.StrainGauge(at=("beam", "fibre"), modulus=7e10, noise=2e-6, every="4 ms"),
        "load": dev.LoadCell(at=("beam", "moment"), every="4 ms"),
    }
    log = run(system, devices, system.state(x.q, x.v), 1.0, "0.2 ms")
    axes.plot(
        log.times("strain.strain"),
        log["strain.strain"] * 1e6,
        ".",
        color=GREY,
        markersize=2,
        label="StrainGauge",
    )
    axes.plot(
        log.times("load.reading"),
        -log["load.reading"] * 0.02 / (7e10 * 1e-7) * 1e6,
        color=ORANGE,
        label="LoadCell",
        linewidth=0.9,
    )
    dress(axes, "time, s", "µm/m", "Root of a beam that is let go", legend=True)


def magnetic(axes) -> None:
    """Draw the field along one orbit of 500 km, whole and of the dipole."""
    radius, mu = 6878137.0, 3.986004418e14
    mb = ist.Multibody("satellite")
    mb.add_body("satellite", mass=10.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["satellite"].q[4:] = [radius, 0, 0]
    x["satellite"].velocity[3:] = np.sqrt(mu / radius) * np.array([0, 0.2, np.sqrt(0.96)])
    for degree, color in ((1, GREY), (13, BLUE)):
        devices = {
            "earth": dev.Earth(gravity="central"),
            "field": dev.MagneticField("2025-06-01", degree=degree),
        }
        log = run(system, devices, x, 5600, "10 s")
        axes.plot(
            log.t / 60,
            np.linalg.norm(log["field.field"], axis=1) * 1e6,
            color=color,
            label=f"degree {degree}",
        )
    dress(axes, "time, min", "µT", "MagneticField along an orbit", legend=True)


def slosh(axes) -> None:
    """Draw a push of a tank with fluid as shapes and as masses that are hung, and how spheres slosh by fill."""
    tank = dev.CylinderSlosh(1.5, 2.0, 4000.0)
    cards = dev.slosh_cards(tank, grid=1, bottom=[0.5, 0, 0], first=101, acceleration=12.0)
    bulk = "GRID,1,,0.,0.,0.\nCONM2,1,1,,300.\n,100.,,100.,,,100.\n"
    deck = deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}{cards}ENDDATA\n")
    shapes, hung = ist.Multibody("shapes"), ist.Multibody("hung")
    shapes.add_body("shell", component=ist.Component.from_deck(deck, 2, aset={}), node=1, joint=ist.Free())
    hung.add_body("shell", mass=300.0, inertia=[100.0] * 3, joint=ist.Free())
    dev.add_slosh(hung, "lox", tank, parent="shell", bottom=[0.5, 0, 0], kind="spring", acceleration=12.0)
    ends = []
    for mb, style in ((shapes, "-"), (hung, "--")):
        system = mb.compile()
        push = [ist.Wrench("shell", [0, 0, 0, 0, 500.0, 0], node=1 if mb is shapes else None, frame="body")]
        log = ist.simulate(system, system.state(), until=6, step="2 ms", log_step="20 ms", forces=push)
        axes.plot(log.t, log["shell"].v[:, 4], linestyle=style, label="as shapes" if mb is shapes else "hung")
        ends.append(log["shell"].v[-1, 4])
    dress(axes, "time, s", "m/s", "slosh_cards, add_slosh: a push", legend=True)
    assert abs(ends[0] / ends[1] - 1.0) < 1e-6


def spheres(axes) -> None:
    """Draw the first wave of a sphere by its fill."""
    fills = np.linspace(0.1, 0.9, 9)
    waves = [dev.SphereSlosh(radius=1.0, fill=f, mass=1.0).waves[0] for f in fills]
    axes.plot(fills, [1.0 / wave.length for wave in waves], color=BLUE, label="ω²R/a")
    axes.plot(fills, [wave.share for wave in waves], color=ORANGE, label="share of the fluid")
    dress(axes, "depth over diameter", "", "SphereSlosh: first wave", legend=True)


def filters(axes) -> None:
    """Draw the step of a filter given by matrices, and a pulse of a thruster whose edges lie on no step."""
    system = bodies(("cart", ist.Prismatic("x")))
    jet = dev.EventThruster(at="cart", thrust=1.0, width=0.237, valve_delay=0.113, every=1)
    log = ist.simulate(ist.Assembly("jet", vehicle=system).add("it", jet), None, until=0.8, step="50 ms")
    axes.plot(log.t, log["it.level"], color=ORANGE, label="EventThruster")
    assert abs(log["cart"].v[-1, 0] - 0.237) < 1e-8
    A, B = np.array([[0.0, 1.0], [-400.0, -8.0]]), np.array([[0.0], [400.0]])
    it = dev.LinearFilter((A, B, [[1.0, 0.0]], [[0.0]]), every="20 ms", u=[1.0])
    log = ist.simulate(ist.Assembly("filter").add("it", it), None, until=1.0, step="20 ms")
    axes.step(log.times("it.y"), log["it.y"][:, 0], color=BLUE, where="post", label="LinearFilter")
    dress(axes, "time, s", "", "A filter steps, a thruster pulses", legend=True)


def main() -> None:
    """Run, draw, and compare."""
    figure = new_figure(14.0, 9.0)
    drawn = (
        springs,
        bushing,
        limits,
        contact,
        friction,
        rotors,
        hydraulics,
        gauges,
        magnetic,
        slosh,
        spheres,
        filters,
    )
    for axes, draw in zip(figure.subplots(3, 4).ravel(), drawn):
        draw(axes)
    figure.savefig("shelf_of_forces.png", dpi=110)
    print(
        f"{len(drawn)} panels drawn; times of stick and slip, speeds after impacts and slosh are as they should be"
    )


if __name__ == "__main__":
    main()
