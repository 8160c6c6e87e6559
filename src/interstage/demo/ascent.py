"""Heron flies from the pad to T+300 s along a reference, as the launch vehicle of the NESC report, D.2.

Four engines on prescribed universal joints (ideal actuators), a core whose modes were made without them (EOTM), mass as
the deck has it throughout: the report's model has one fill of its tanks, and so has this one. No air. Gains of least
cost come from the linear model of the assembly: attitude, rate, and place and speed across the thrust, from the
reference; filters keep them out of the bending; the angular acceleration that is asked for goes to the eight gimbal
angles by least squares. What is along the thrust is not controlled: engines run at full thrust, as the reference has.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from interstage.component import Component
from interstage.demo import heron
from interstage.demo.ascent_reference import Leg, Reference, Target, pitch_program
from interstage.demo.vehicle import AXES, CORE, heron_vehicle
from interstage.devices import GPS, IMU, TVC, Allocation, Earth, Engine, LowPass, Notch
from interstage.linear import LinearModel, linearize, lqr, trim
from interstage.multibody import State, System, Universal
from interstage.system import Assembly, quaternion, rotation_error, simulate
from interstage.system.log.simulation_log import FlightLog

SITE, HEADING = (28.6, -80.6), "90 deg"
UNTIL, PERIOD, STEP, LOG_STEP = 300.0, 0.02, "5 ms", 0.1  # s
TARGET = Target(altitude=230e3, path=10.0)
RISE, LOAD = 10.0, 2500.0  # s straight up; Pa rad of q·α, had it air
LIMIT, SERVO_HZ = "6 deg", 12.0  # of a gimbal, and how fast it follows its command
# weights of least cost: attitude, rate, place and speed across the thrust, beside angular accelerations
WEIGHTS = np.array([0.30] * 3 + [0.20] * 3 + [8e-8] * 2 + [0.0] * 2)
NOTCHES = ("2.5 Hz", 0.05, 0.9)  # first bending: frequency, depth, width
ROLL_OFF = "1.6 Hz"
MARGINS_FROM_HZ = 1.0  # loops are rigid motion below, bending above
POINTS = (10.0, 60.0, 120.0, 180.0, 240.0, 290.0)  # s, of linear models
GIMBALS, DEMAND = "pod*.gimbal", "allocation.demand"
SENSED = {
    "imu.attitude": "fsw.attitude",
    "imu.rate": "fsw.rate",
    "gps.position": "fsw.position",
    "gps.velocity": "fsw.velocity",
    "guidance.attitude": "fsw.commanded",
    "guidance.rate": "fsw.turning",
    "guidance.position": "fsw.place",
    "guidance.velocity": "fsw.moving",
}


def ascent_vehicle(component: Component | str | Path) -> System:
    """Return Heron with its engines on universal joints that devices move."""
    return heron_vehicle(component, gimbal=Universal(AXES))


def earth() -> Earth:
    """Return the Earth with Heron's pad; the world has x up and z to the east."""
    return Earth(gravity="J2", site=SITE, heading=HEADING)


def reference_for(system: System) -> Reference:
    """Return the trajectory of a point mass that weighs as much as the vehicle, from where its centre of mass is."""
    whole = system.mass_properties(system.state())
    legs = [Leg(UNTIL, len(heron.ENGINES) * heron.THRUST)]
    return pitch_program(
        float(whole.mass), legs, earth(), TARGET, start=whole.com, q_alpha=LOAD, rise=RISE, knots=12
    )


def pod(name: str) -> Assembly:
    """Return an engine at full thrust with its gimbal."""
    a = Assembly()
    a.add("engine", Engine(body=name, thrust=heron.THRUST))
    a.add("tvc", TVC(joint=name, bandwidth=SERVO_HZ, damping=0.7, limit=LIMIT))
    return a.expose(gimbal="tvc.command", angle="tvc.angle")


def airframe(system: System, reference: Reference) -> Assembly:
    """Return vehicle, Earth, sensors, guidance and engines; no software yet."""
    flight = Assembly("ascent", vehicle=system)
    flight.add("earth", earth())
    flight.add("imu", IMU(at=(CORE, heron.FORWARD_GYRO), every=PERIOD))
    flight.add("gps", GPS(at=(CORE, heron.FORWARD_GYRO)), every=PERIOD)
    flight.add("guidance", reference.device())
    for k, name in enumerate(heron.ENGINES, 1):
        flight.add(f"pod{k}", pod(name))
    return flight


@dataclass(frozen=True)
class Design:
    """What the software knows.

    K (3, 10) : gains of attitude, rate (3 each), place and speed across the thrust (2 each)
    effectiveness (3, 8) : angular acceleration a radian of gimbal;  balance (3,) : what keeps the vehicle from turning
    arm (3,) : from the centre of mass to the IMU, body axes;  tilt (3,) : of the body, that its thrust is where x was
    """

    K: np.ndarray
    effectiveness: np.ndarray
    balance: np.ndarray
    arm: np.ndarray
    tilt: np.ndarray
    rigid: LinearModel


def design_for(flight: Assembly) -> Design:
    """Return gains of least cost on the rigid motion of the linear model under thrust, gimbals set to turn nothing."""
    system = flight.vehicle
    assert system is not None
    outputs = ["imu.attitude", "imu.rate", "imu.acceleration", "gps.position", "gps.velocity"]
    turning = np.asarray(trim(flight).vdot)[system.layout[CORE].v][:3]
    gimbals = np.zeros(2 * len(heron.ENGINES))
    for _ in range(2):  # the second about where the first leads
        set_to = {f"pod{k + 1}.gimbal": pair for k, pair in enumerate(gimbals.reshape(-1, 2))}
        point = trim(flight, set=set_to)
        lin = linearize(flight, point, inputs=[GIMBALS], outputs=outputs, velocity_axes="world")
        effect = lin.effectiveness("imu.rate")
        gimbals = -np.linalg.pinv(effect) @ turning
    across = {name: [f"gps.{name}[1]", f"gps.{name}[2]"] for name in ("position", "velocity")}
    rigid = lin.rigid(attitude="imu.attitude", rate="imu.rate", **across)
    thrust = lin.operating_point["y"][lin.output_places("imu.acceleration")]
    com = system.mass_properties(point).com
    return Design(
        K=lqr(rigid, Q=np.diag(WEIGHTS), R=np.eye(3), every=PERIOD),
        effectiveness=effect,
        balance=effect @ gimbals,
        arm=system.position(point, CORE, heron.FORWARD_GYRO) - com,
        tilt=np.array([0.0, thrust[2], -thrust[1]]) / thrust[0],
        rigid=rigid,
    )


class Autopilot:
    """Flight software: angular acceleration that leads back to the reference, and the one that the reference has."""

    def __init__(self, design: Design):
        self.design = design

    def __call__(
        self,
        t: float,
        attitude: np.ndarray,
        rate: np.ndarray,
        position: np.ndarray,
        velocity: np.ndarray,
        commanded: np.ndarray,
        turning: np.ndarray,
        place: np.ndarray,
        moving: np.ndarray,
        swing: np.ndarray,
    ) -> dict[str, np.ndarray]:
        know = self.design
        wanted = quaternion.turn(commanded, know.tilt)
        back = quaternion.inverse(wanted)
        off = quaternion.rotate(back, position - place) - know.arm
        drift = quaternion.rotate(back, velocity - moving) - np.cross(turning, know.arm)
        error = np.concatenate([rotation_error(attitude, wanted), rate - turning, off[1:], drift[1:]])
        return {"demand": know.balance + np.array([0.0, 1.0, 0.0]) * swing - know.K @ error}


def with_software(flight: Assembly, design: Design, others: tuple[str, ...]) -> Assembly:
    """Add software, filters and the allocation to an airframe, and wire them; others : of the reference's columns."""
    hz, depth, width = NOTCHES
    flight.add("fsw", Autopilot(design), every=PERIOD, out={"demand": "rad/s^2[3]"})
    flight.add("notch", Notch(hz, depth=depth, width=width, n=3, every=PERIOD))
    flight.add("roll_off", LowPass(ROLL_OFF, n=3, every=PERIOD))
    limit = np.radians(float(LIMIT.split()[0]))
    spread = Allocation(design.effectiveness, low=-limit, high=limit)
    flight.add("allocation", spread, every=PERIOD)
    through = {
        "fsw.demand": "notch.u",
        "notch.y": "roll_off.u",
        "roll_off.y": DEMAND,
        "allocation.u": GIMBALS,
    }
    swing = f"guidance.other[{others.index('pitchdd')}]"
    return flight.wire({**SENSED, swing: "fsw.swing", **through})


@dataclass
class Ascent:
    """A flight that is ready: vehicle, reference, design, assembly with its software, and where it starts."""

    system: System
    reference: Reference
    design: Design
    flight: Assembly
    x0: State

    def fly(self, until: float = UNTIL, log: str | Path | None = None) -> FlightLog:
        """Fly from the pad."""
        return simulate(
            self.flight, self.x0, until=until, step=STEP, method="ros2", log=log, log_step=LOG_STEP
        )


def prepare(component: Component | str | Path) -> Ascent:
    """Return the flight of a core: trim on the pad with the engines running, design, software."""
    system = ascent_vehicle(component)
    reference = reference_for(system)
    design = design_for(airframe(system, reference))
    flight = with_software(airframe(system, reference), design, reference.device().names)
    return Ascent(system, reference, design, flight, trim(flight, "hold-down"))


def fly(component: Component | str | Path, until: float = UNTIL, log: str | Path | None = None) -> FlightLog:
    """Prepare and fly in one call."""
    return prepare(component).fly(until, log)
