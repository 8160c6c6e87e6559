"""Transposition and docking in orbit: a stage leaves with a lander, which leaves it and docks at the nose of the ship.

Three rigid pieces around the Earth: command and service module with the third stage behind, the lunar module inside the
stage. Events at times let the stage go, let the lander go and dock it with its other end to the nose of the ship; all
the while each piece falls in the field of the Earth. Momentum and orbital energy are booked at every event: what
leaves takes nothing away, docking keeps both momenta and loses the energy of the relative motion.

    python examples/transposition_and_docking.py

Draws transposition_and_docking.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

MU, RADIUS = 3.986004418e14, 6378137.0 + 185e3
# name: mass (kg), centre of mass along x (m), moments along and across (kg m²)
PARTS = {
    "ship": (30300.0, 5.0, 53e3, 156e3),
    "stage": (14000.0, -8.0, 80e3, 350e3),
    "lander": (14500.0, -2.0, 37e3, 22e3),
}
RATE = [0.004, 0.01, -0.006]  # rad/s


def stack() -> ist.System:
    """Return the ship with the stage behind it and the lander inside the stage; frames sit where the ship ends."""
    mb = ist.Multibody("stack")
    for name, (mass, com, along, across) in PARTS.items():
        parent = {"ship": None, "stage": "ship", "lander": "stage"}[name]
        joint = ist.Free() if parent is None else ist.Locked()
        where = {} if parent is None else {"parent": parent, "at": [0, 0, 0]}
        mb.add_body(name, mass=mass, com=[com, 0, 0], inertia=[along, across, across], joint=joint, **where)
    return mb.compile()


def in_orbit(system: ist.System) -> ist.ContinuousState:
    """Return the stack on a circular orbit at 185 km, turning slowly."""
    x = system.state()
    com = system.mass_properties(x).com
    x["ship"].q[4:] = np.array([RADIUS, 0, 0]) - com
    x["ship"].velocity[:] = [*RATE, *(np.array([0, np.sqrt(MU / RADIUS), 0]) - np.cross(RATE, com))]
    return x


def fly() -> ist.Log:
    """Fly half an orbit with the sequence in it."""
    system = stack()
    made = ist.Assembly("in orbit", vehicle=system)
    made.add("earth", dev.Earth(gravity="central", gravity_gradient=True))
    turned = np.diag([-1.0, 1.0, -1.0])  # the lander comes with its roof first
    dock = ist.Attach("lander", ("ship", [11.0, 0, 0]), rotation=turned, port=[0.5, 0, 0], snap=True)
    events = [
        ist.Event(at=300.0, action=ist.Detach("stage"), name="stage off"),
        ist.Event(at=301.0, action=ist.Detach("lander"), name="lander off the stage"),
        ist.Event(at=302.0, action=dock, name="lander docks"),
    ]
    return ist.simulate(made, in_orbit(system), until=2700, step="0.1 s", log_step="10 s", events=events)


def book(phase: ist.Phase, k: int) -> tuple[np.ndarray, float]:
    """Return [h; p] about the Earth's centre and the orbital energy of all bodies at a row of a phase."""
    system, x = phase.system, phase.state(k)
    fall = sum(
        -MU * mass / np.linalg.norm(system.position(x, name, [com, 0, 0]))
        for name, (mass, com, *_) in PARTS.items()
    )
    return system.momentum(x), system.energies(x).kinetic + fall


def _between(phase: ist.Phase, name: str) -> np.ndarray:
    """Return the distances (m,) of centres of mass of a body and the ship."""
    one, other = (phase.position(body, [PARTS[body][1], 0, 0]) for body in (name, "ship"))
    return np.linalg.norm(one - other, axis=1)


def main() -> None:
    """Fly, draw, and look into the book."""
    log = fly()
    figure = new_figure(9.0, 3.6)
    left, right = figure.subplots(1, 2)
    for name, color in (("stage", GREY), ("lander", ORANGE)):
        gap = [_between(phase, name) for phase in log.phases]
        t = np.concatenate([p.t for p in log.phases])
        left.semilogy(t, np.concatenate(gap), color=color, label=name)
    left.axvline(300.0, color=GREY, linewidth=0.5)
    dress(left, "time, s", "m", "Distance of centres of mass from the ship", legend=True)
    E0 = book(log.phases[0], 0)[1]
    for phase in log.phases:
        drift = [(book(phase, k)[1] - E0) / abs(E0) for k in range(len(phase.t))]
        right.plot(phase.t, np.array(drift) * 1e12, color=BLUE)
    dress(right, "time, s", "1e-12", "Orbital energy of all, relative change")
    figure.savefig("transposition_and_docking.png", dpi=110)

    for before, after, event in zip(log.phases[:-1], log.phases[1:], log.events):
        (h0, E0), (h1, E1) = book(before, -1), book(after, 0)
        change = np.linalg.norm(h1[3:] - h0[3:]) / np.linalg.norm(h0[3:])
        turning = np.linalg.norm(h1[:3] - h0[:3]) / np.linalg.norm(h0[:3])
        words = f"momenta change by {max(change, turning):.0e}, energy by {E1 - E0:.2f} J"
        print(f"t = {event.t:5.0f} s {event.name:21} {words}")
        assert max(change, turning) < 1e-14 and abs(E1 - E0) < (1.0 if event.name != "lander docks" else 1e4)


if __name__ == "__main__":
    main()
