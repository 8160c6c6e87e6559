"""Heron in flight without its software: Earth, air, tanks, engines, gimbals, sensors, all from the shelf.

    ascent(…)      the assembly from lift-off on, and what its staging needs
    cluster(…)     four engines on two tanks: a valve for all, flows added up

Dispersions are factors beside 1: mass of what is dry, stiffness of walls, damping, thrust (and flow) of the engines,
wind; `seed` draws turbulence and errors of sensors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage import devices as dev
from interstage.demo import ascent_vehicle as av
from interstage.demo import heron
from interstage.multibody import Multibody, System, Universal
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import In, Out
from interstage.simulation.plant.device import Device
from interstage.simulation.run.events import Event
from interstage.staged_vehicle import PipeFlow, PropellantTank, ReducedBasis, StagedVehicle

SITE, HEADING = (28.6, -80.6), "90 deg"
FRAME = 0.02  # s, of the software
THRUST, EXIT_AREA, EXHAUST = (
    1.06e6,
    1.0,
    3050.0,
)  # N in vacuum at full level, m², m/s: 0.9 MN at sea level at 0.943
THRUST2, EXHAUST2 = 170.0e3, 3383.0
NOMINAL = 0.9434  # level of the programme: the rest is for guidance
TAIL_OFF, SPENT = (
    "0.12 s",
    0.004,
)  # time constant of engines that are shut; level at which the stage is dropped
LIMIT, LIMIT2, RATE_LIMIT = np.radians(6.0), np.radians(5.0), np.radians(15.0)
JET, PULSE = 50.0, 0.004  # N of a roll jet, s: pulses are whole multiples, which is a dead band of half of it
MACH = np.array([0.0, 0.6, 0.9, 1.1, 1.4, 2.0, 3.0, 6.0])
AXIAL = np.array([0.28, 0.29, 0.40, 0.58, 0.52, 0.42, 0.33, 0.26])
ANGLE = np.radians([0.0, 4.0, 10.0, 20.0, 45.0, 90.0, 180.0])
AREA = np.pi * 1.85**2
# normal-force slopes of slender bodies, 2ΔS/S: nose, boat tail of the fairing, flare of the interstage, and some along
# the body; shares of the axial force
NORMAL = {"upper": {109: 1.1, 107: 0.69, 105: -0.80}, "first": {16: 1.01, 10: 0.25, 4: 0.15}}
SHARES = {"upper": {109: 0.5, 107: 0.1, 105: 0.1}, "first": {16: 0.1, 10: 0.1, 4: 0.1}}
WIND = {
    "altitude": [0, 2e3, 6e3, 10e3, 12e3, 16e3, 20e3, 30e3, 60e3],
    "north": [1, 2, 4, 6, 6, 4, 2, 0, 0],
    "east": [3, 6, 15, 26, 28, 16, 8, 4, 0],
}
GUST = {"amplitude": [0.0, 4.0, 8.0], "start": 66.0, "duration": 4.0}
TURBULENCE = {"sigma": 1.5}
GYRO = {  # the nine terms
    "angle_random_walk": "0.005 deg/sqrt(h)",
    "rate_random_walk": "0.02 deg/h/sqrt(h)",
    "bias_stability": "0.01 deg/h",
    "rate_ramp": "0.001 deg/h/s",
    "angle_white_noise": "1e-7 rad",
    "quantization": "1e-7 rad",
    "counter": ("2e-7 rad", 32),
    "scale_factor": [50e-6, -30e-6, 40e-6],
    "misalignment": [20e-6, -40e-6, 30e-6],
}


class EngineCluster(Device):
    """Four engines on two tanks: one valve for all while both tanks feed; what they take, together.

    throttle : wanted;  feeds (2,) : 1 while a tank has something;  flows (4,) of the engines
    valve : for the engines;  feeding : 1 while there is something;  flow : out of the tanks
    """

    throttle = In("", default=NOMINAL)
    feeds = In("", 2, default=[1.0, 1.0])
    flows = In("kg/s", 4)
    valve, feeding, flow = Out(""), Out(""), Out("kg/s")

    def outputs(d, t):
        d.feeding = d.feeds[0] * d.feeds[1]
        d.valve = d.throttle * d.feeds[0] * d.feeds[1]
        d.flow = d.flows[0] + d.flows[1] + d.flows[2] + d.flows[3]


@dataclass(eq=False)
class Stack:
    """The vehicle of a flight: stages, shapes before and after the staging, ratio of damping."""

    v: StagedVehicle
    shapes: ReducedBasis
    after: ReducedBasis
    damping: float

    @classmethod
    def of(cls, mass: float = 1.0, stiffness: float = 1.0, damping: float = 1.0) -> Stack:
        """Return the vehicle; factors of dry mass, stiffness and damping."""
        v = av.heron_stages(mass, stiffness)
        return cls(v, *av.both_shapes(v), damping * av.DAMPING)

    def system(self, propellant: dict[str, float] | None = None) -> System:
        """Return the stack, compiled: four engines and the one of the upper stage on gimbals."""
        mb = self.v.multibody(self.shapes, propellant=propellant, damping=av.damped(self.damping))
        for k, node in enumerate(av.GIMBALS, 1):
            _engine(
                mb, f"engine{k}", node, heron.ENGINE_MASS, [-heron.ENGINE_CG, 0.0, 0.0], heron.ENGINE_INERTIA
            )
        _upper_engine(mb)
        return mb.compile()

    def upper(self, propellant: dict[str, float] | None = None) -> System:
        """Return the upper stage alone, compiled."""
        mb = self.v.without("first").multibody(
            self.after, propellant=propellant, damping=av.damped(self.damping)
        )
        _upper_engine(mb)
        return mb.compile()

    def staging(self) -> Event:
        """Return the event that drops the first stage as the thrust of its engines has died."""
        spent = Event("engine1.level", direction=-1, level=SPENT, once=True)
        drop = self.v.staging(
            "separation", when=spent, shapes=self.after, before=self.shapes, damping=av.damped(self.damping)
        )
        return replace(drop, name="staging")


def _engine(mb: Multibody, name: str, node: int, mass: float, com: list[float], inertia) -> None:
    mb.add_body(
        name, mass=mass, com=com, inertia=list(inertia), parent=av.NAME, at=node, joint=Universal(("y", "z"))
    )


def _upper_engine(mb: Multibody) -> None:
    one = av.NOZZLE2
    _engine(mb, "engine5", av.RING, one["mass"], one["com"], one["inertia"])


def gimbal(body: str, inertia: float, limit: float) -> dev.HydraulicTVC:
    """Return the actuator of an engine: its load moves it, 10 Hz where valve and airframe stand still."""
    k = inertia * (2.0 * np.pi * 10.0) ** 2
    return dev.HydraulicTVC(
        joint=body, bandwidth="4 Hz", rod_stiffness=2.5 * k, fluid_stiffness=k / 0.6, damping=0.6 * inertia * 62.8,
        limit=limit, rate_limit=RATE_LIMIT,
    )  # fmt: skip


def coefficients(stage: str) -> dict[str, object]:
    """Return tables of the air forces on a stage."""
    axial = AXIAL[:, None, None] * np.cos(ANGLE)[:, None] * np.array(list(SHARES[stage].values()))
    normal = np.ones((len(MACH), 1, 1)) * np.sin(ANGLE)[:, None] * np.array(list(NORMAL[stage].values()))
    normal[:, -1] = 0.0
    return {"mach": MACH, "angle": ANGLE, "axial": axial, "normal": normal, "area": AREA}


def surroundings(flight: Assembly, wind: float = 1.0, seed: int | None = None) -> None:
    """Add the Earth and the air; a seed brings turbulence and the gust."""
    flight.add("earth", dev.Earth(gravity="J2", site=SITE, heading=HEADING))
    profile = {
        name: column if name == "altitude" else [wind * w for w in column] for name, column in WIND.items()
    }
    gusts = [] if seed is None else [dev.DrydenTurbulence(seed=seed, **TURBULENCE), dev.DiscreteGust(**GUST)]
    flight.add("air", dev.Atmosphere("US76", wind=profile, gusts=gusts))


def add_upper(flight: Assembly, thrust: float = 1.0, level: float = 0.0) -> None:
    """Add what the upper stage has: tank, engine, gimbal, air forces, inertial unit."""
    flow = THRUST2 / EXHAUST2
    flight.add("aero_upper", dev.Aero(coefficients("upper"), body=av.NAME, nodes=list(NORMAL["upper"])))
    flight.add("upper", PropellantTank(of="upper"))
    flight.add("engine5", dev.Engine(body="engine5", thrust=thrust * THRUST2, flow=thrust * flow, start="0.4 s",
                                     lag="0.2 s", stop=TAIL_OFF, idle=0.5, level=level))  # fmt: skip
    flight.add("upper_tvc", gimbal("engine5", 60.0 + 250.0 * 0.36, LIMIT2))
    flight.wire({"engine5.mass_flow": "upper.flow"})
    accelerometer = {"velocity_random_walk": "0.02 m/s/sqrt(h)"}
    flight.add("imu", dev.IMU(at=(av.NAME, av.INERTIAL), every=FRAME, **GYRO, accelerometer=accelerometer))


def add_jets(flight: Assembly) -> None:
    """Add four jets that turn the upper stage about its axis, in two couples: 1 and 3, 2 and 4.

    Pulses begin and end where steps of 4 ms do, and have their whole impulse; noise of sensors asks for none.
    """
    sides = list(av.JETS)
    for k, (node, push) in enumerate(
        [(sides[0], 1.0), (sides[0], -1.0), (sides[1], -1.0), (sides[1], 1.0)], 1
    ):
        one = {"axis": [0.0, 0.0, push], "thrust": JET, "resolution": PULSE}
        flight.add(f"jet{k}", dev.Thruster(at=(av.NAME, node), every=FRAME, **one))


def add_first(flight: Assembly, thrust: float = 1.0) -> None:
    """Add what the first stage has: tanks with pipes, four engines with gimbals, air forces."""
    flow = THRUST / EXHAUST
    flight.add("aero_first", dev.Aero(coefficients("first"), body=av.NAME, nodes=list(NORMAL["first"])))
    flight.add("cluster", EngineCluster())
    for tank, share in av.FEEDS.items():
        flight.add(tank, PropellantTank(of=tank, share=share))
        pipe = {"fuel": (3, 2, 1), "lox": (9, 6, 3, 1)}[tank]
        flight.add(f"{tank}_pipe", PipeFlow(at=[(av.NAME, node) for node in pipe]))
        flight.wire({"cluster.flow": f"{tank}.flow", f"{tank}.loss": f"{tank}_pipe.flow"})
    flight.wire({"fuel.feeds": "cluster.feeds[0]", "lox.feeds": "cluster.feeds[1]"})
    for k in range(1, 5):
        one = {"thrust": thrust * THRUST, "flow": thrust * flow, "exit_area": EXIT_AREA, "level": NOMINAL}
        flight.add(f"engine{k}", dev.Engine(body=f"engine{k}", lag="0.2 s", stop=TAIL_OFF, **one))
        flight.add(f"tvc{k}", gimbal(f"engine{k}", heron.engine_gimbal_inertia(), LIMIT))
    flight.wire({"cluster.valve": [f"engine{k}.throttle" for k in range(1, 5)]})
    flight.wire({f"engine{k}.mass_flow": f"cluster.flows[{k - 1}]" for k in range(1, 5)})
