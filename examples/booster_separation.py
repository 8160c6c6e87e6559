"""Two boosters burn out, leave a flexible core one after the other, and a lander docks on the core.

Boosters are bodies of their own on a node of the core: their mass burns as a function of time, they leave when they are
empty, one a little late, and the core goes on with the modes that it has without them. At the end a small ship
docks on the nose: momentum is conserved, the energy of the impact is lost.

    python examples/booster_separation.py

Draws mass, bending of the core and frequencies into booster_separation.png.
"""

from __future__ import annotations

import numpy as np
from gimballed_engine import NODES, airframe

import interstage as ist
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

DRY, PROPELLANT, BURN = 2000.0, 6000.0, 4.0
LEAVE = {"left": 4.0, "right": 4.3}
THRUST = 150e3
STEP = 2e-3


def booster(t: float) -> tuple[float, list[float], np.ndarray]:
    """Return mass, centre of mass and inertia of a booster as a function of time: a cylinder that empties."""
    m = DRY + PROPELLANT * max(0.0, 1.0 - t / BURN)
    return m, [4.0, 0.0, 0.0], m * np.diag([0.5, 5.3, 5.3])


def vehicle() -> ist.System:
    """Return core, boosters at its aft end, and a ship that waits ahead."""
    mb = ist.Multibody("launcher")
    mb.add_body("core", component=airframe(), joint=ist.Free(), damping=0.01)
    for name, y in (("left", 2.5), ("right", -2.5)):
        mass, com, inertia = booster(0.0)
        # the booster's frame is 2.5 m beside the core; it is held at the core's second node
        mb.add_body(name, mass=mass, com=com, inertia=inertia, parent="core", at=2, port=[0.0, -y, 0.0])
    mb.add_body("ship", mass=1500.0, inertia=[800.0, 900.0, 900.0], joint=ist.Free())
    return mb.compile()


def main() -> None:
    """Burn, separate, dock."""
    system = vehicle()
    x = system.state()
    x["ship"].position[:] = [135.0, 0.05, 0.0]

    def thrust(t, x):
        """Push along each burning booster's axis, at its frame."""
        burning = LEAVE if t < BURN - 1e-9 else ()
        return {"forces": {name: [0.0, 0.0, 0.0, THRUST, 0.0, 0.0] for name in burning}}

    def match(t, system, x):
        """Bring the ship to the core's speed but for two metres a second, by its own engine."""
        x["ship"].velocity[3] = system.velocity(x, "core")[3] - 2.0
        return x

    def gap(t, x, system):
        nose = system.position(x, "core", NODES)
        return x["ship"].position[0] - nose[0] - 1.0

    events = [ist.Event(at=t, action=ist.Detach(name), name=f"{name} leaves") for name, t in LEAVE.items()]
    events.append(ist.Event(at=6.0, action=match, name="ship burns"))
    events.append(ist.Event(gap, ist.Attach("ship", ("core", NODES)), name="ship docks"))
    mass = dict.fromkeys(LEAVE, booster)
    log = ist.simulate(
        system,
        x,
        14.0,
        STEP,
        method="ros2",
        mass=mass,
        control=thrust,
        frame="body",
        control_step=0.02,
        events=events,
        log_step=0.02,
    )
    for event in log.events:
        size = np.abs(event.momentum_before).max()
        change = np.abs(event.momentum_after - event.momentum_before).max() / size
        print(
            f"t = {event.t:7.4f} s  {event.name:12s} momentum kept to {change:.0e}, lost {event.energy_loss:.1f} J"
        )
    print("first bending mode of the core's tree at each phase, Hz")
    for phase in log.phases:
        print(f"  from {phase.t[0]:6.3f} s: {bending(phase):.4f}")
    draw(log)

    assert [event.name for event in log.events] == ["left leaves", "right leaves", "ship burns", "ship docks"]
    for event in (log.events[0], log.events[1], log.events[3]):
        size = np.abs(event.momentum_before).max()
        assert np.abs(event.momentum_after - event.momentum_before).max() < 1e-12 * size
    assert log.events[3].energy_loss > 0.0
    assert bending(log.phases[2]) > bending(log.phases[0])


def bending(phase) -> float:
    """Return the lowest elastic frequency of a phase at its beginning, Hz."""
    found = phase.system_at(0).modes(phase.system.state(phase.q[0])).frequencies_hz
    return float(found[found > 0.1][0])


def draw(log: ist.Log) -> None:
    """Draw masses, the core's bending and the distance to the ship."""
    figure = new_figure(7.5, 6.5)
    top, middle, low = figure.subplots(3, 1, sharex=True)
    for name, color in (("left", BLUE), ("right", ORANGE)):
        mass = np.concatenate([phase.inertia[name][:, 0] for phase in log.phases])
        top.plot(log.t, mass / 1e3, color=color, label=f"{name} booster")
    middle.plot(log.t, log["core"].eta[:, 0], color=BLUE, label="first mode")
    middle.plot(log.t, log["core"].eta[:, 1], color=ORANGE, label="second mode")
    low.plot(log.t, np.linalg.norm(log.position("ship") - log.position("core", NODES), axis=1), color="k")
    for axis in (top, middle, low):
        for event in log.events:
            axis.axvline(event.t, color=GREY, lw=0.8)
    dress(top, "", "mass, t", "Boosters leave, a ship docks (grey: events)", legend=True)
    dress(middle, "", "modal coordinate", legend=True)
    dress(low, "time, s", "ship to nose, m")
    figure.savefig("booster_separation.png", dpi=110)


if __name__ == "__main__":
    main()
