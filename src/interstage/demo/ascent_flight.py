"""Heron's ascent, closed loop, from lift-off to T + 300 s: the assembly with its software, start and events.

    flight = ascent()                      # or ascent(thrust=1.02, wind=1.3, seed=7): dispersions
    log = flight.fly()

The plan (reference, linear models, design) is that of the vehicle as it was thought, whatever is dispersed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from interstage.demo import ascent_control as control
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_points as points
from interstage.demo import ascent_vehicle as av
from interstage.demo.ascent_control import AscentComputer, AscentPlan, AscentSoftware
from interstage.demo.ascent_reference import Reference
from interstage.devices import GPS
from interstage.linear import trim
from interstage.multibody import State
from interstage.simulation import Log, simulate
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.run.events import Event
from interstage.spatial.functions import matrix_from_quaternion

STEP, METHOD, ROWS = "4 ms", "ros2", "20 ms"
OUT = {
    "gimbal": "rad[8]", "gimbal2": "rad[2]", "jets": "s[2]", "throttle": "", "throttle2": "", "error": "rad[3]",
    "demand": "rad/s^2[3]",
}  # fmt: skip


@cache
def thought() -> tuple[Reference, ap.Stack, list[points.Point]]:
    """Return reference, vehicle and linear models as they were thought."""
    flown, stack = points.reference(), ap.Stack.of()
    return flown, stack, points.points(stack, flown)


@cache
def plan(filtered: bool = True) -> AscentPlan:
    """Return what the software knows; `filtered` False: designed as for a rigid vehicle."""
    flown, _, at = thought()
    lever = np.array([(one.t, one.lever) for one in at])
    return AscentPlan(*control.design(at, filtered=filtered), flown, lever, points.separation(flown))


@dataclass(eq=False)
class StagedAscent:
    """A flight that can begin: assembly, its software, state on the pad, events, and the vehicle."""

    assembly: Assembly
    software: AscentSoftware | AscentComputer
    start: State
    events: list[Event]
    stack: ap.Stack
    plan: AscentPlan

    def fly(self, until: float = points.UNTIL, **options: object) -> Log:
        """Fly from lift-off, with software that remembers no flight before."""
        if isinstance(self.software, AscentSoftware):
            self.software.forget()
        given: dict[str, object] = {
            "step": STEP,
            "method": METHOD,
            "log_step": ROWS,
            "progress": False,
            **options,
        }
        return simulate(self.assembly, self.start, until=until, events=self.events, **given)  # type: ignore[arg-type]


def away(one: StagedAscent, log: Log, every: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return times and how far the centre of mass is from its reference (n, 3), world axes, every so many rows."""
    t, place, flown = [], [], one.plan.reference
    for phase in log.phases:
        rows = slice(None, None, every)
        nose = np.array([matrix_from_quaternion(q)[:, 0] for q in phase[av.NAME].quaternion[rows]])
        ahead = np.array([one.plan.ahead(now) for now in phase.t[rows]])
        t.append(phase.t[rows])
        place.append(phase.position(av.NAME, av.INERTIAL)[rows] - ahead[:, None] * nose)
    when = np.concatenate(t)
    wanted = np.column_stack([np.interp(when, flown.t, flown[name]) for name in "xyz"])
    return when, np.vstack(place) - wanted


def add_software(
    flight: Assembly, known: AscentPlan, compiled: bool = False
) -> AscentSoftware | AscentComputer:
    """Add guidance, navigation and software (`compiled`: as a device), wire them, and return the software."""
    flight.add("guidance", known.reference.device())
    flight.add(
        "gps", GPS(at=(av.NAME, av.INERTIAL), every=ap.FRAME, noise=3.0, velocity_noise=0.05, drift=5.0)
    )
    software = AscentComputer.of(known) if compiled else AscentSoftware(known)
    flight.add("fsw", software, every=ap.FRAME, out=None if compiled else OUT)
    flight.wire({"imu.attitude": "fsw.attitude", "imu.rate": "fsw.rate", "gps.position": "fsw.position"})
    flight.wire(
        {"gps.velocity": "fsw.velocity", "guidance.attitude": "fsw.commanded", "guidance.rate": "fsw.turning"}
    )
    flight.wire(
        {"guidance.position": "fsw.place", "guidance.velocity": "fsw.speed", "guidance.throttle": "fsw.level"}
    )
    flight.wire({"fsw.gimbal2": "upper_tvc.command", "fsw.throttle2": "engine5.throttle"})
    flight.wire({"fsw.jets[0]": ["jet1.width", "jet3.width"], "fsw.jets[1]": ["jet2.width", "jet4.width"]})
    flight.wire(
        {"cluster.feeding": "fsw.feeds", "fsw.throttle": "cluster.throttle", "fsw.gimbal": "tvc?.command"}
    )
    return software


def ascent(
    *,
    mass: float = 1.0,
    stiffness: float = 1.0,
    damping: float = 1.0,
    thrust: float = 1.0,
    wind: float = 1.0,
    seed: int | None = 1,
    filtered: bool = True,
    compiled: bool = False,
) -> StagedAscent:
    """Return a flight that begins on the pad.

    mass, stiffness, damping, thrust, wind : factors of dry mass, walls, ratios of modes, thrust and flow, wind
    seed : of turbulence and sensors; None: no turbulence and no gust;  filtered : False flies the design for a rigid
        vehicle;  compiled : software as a device, for flights without Python
    """
    known = plan(filtered)
    factors = (mass, stiffness, damping)
    stack = thought()[1] if factors == (1.0, 1.0, 1.0) else ap.Stack.of(*factors)
    flight = Assembly("ascent", vehicle=stack.system(), seed=seed or 0)
    ap.surroundings(flight, wind, seed)
    ap.add_first(flight, thrust)
    ap.add_upper(flight, thrust)
    ap.add_jets(flight)
    held = {"*tvc*.command": 0.0, "engine5.throttle": 0.0, "jet*.width": 0.0, "cluster.throttle": ap.NOMINAL}
    start = trim(flight, "hold-down", set=held)
    software = add_software(flight, known, compiled)
    return StagedAscent(flight, software, start, [stack.staging()], stack, known)
