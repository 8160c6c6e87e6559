"""Heron flies from the pad to T+300 s along a reference, as the launch vehicle of the NESC report, D.2.

Four engines on prescribed universal joints (ideal actuators), a core whose modes were made without them (EOTM), mass as
the deck has it throughout: the report's model has one fill of its tanks, and so has this one. No air. Gains of least
cost come from the linear model of the assembly: attitude, rate, and place and speed across the thrust, from the
reference; filters keep them out of the bending; the angular acceleration that is asked for goes to the eight gimbal
angles by least squares. What is along the thrust is not controlled: engines run at full thrust, as the reference has.

Margins of a loop that steers a flexible vehicle: rigid motion below a frequency, bending above.

The loop of each axis is opened at the angular acceleration that is asked for, the other axes closed:

    l_i = L_ii - L_io (1 + L_oo)⁻¹ L_oi        of L (3, 3) with the sign of negative feedback

Rigid motion has a gain margin to either side (at every crossing of -180° the gain is that far from one) and a phase
margin (at every crossing of one). Bending is gain-stabilized where it stays below one by the gain margin, and
phase-stabilized where it does not but is far from ±180°.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.component import Component
from interstage.demo import heron
from interstage.demo.ascent_reference import Leg, Reference, Target, pitch_program
from interstage.demo.vehicle import AXES, CORE, heron_vehicle
from interstage.devices import GPS, IMU, TVC, ControlAllocation, Earth, Engine, LowPass, Notch
from interstage.errors import InputError
from interstage.linear import LinearModel, linearize, lqr, trim
from interstage.multibody import State, System, Universal
from interstage.simulation import Assembly, attitude_error, quaternion, simulate
from interstage.simulation.log.log import Log

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
class ControlDesign:
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


def design_for(flight: Assembly) -> ControlDesign:
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
    return ControlDesign(
        K=lqr(rigid, Q=np.diag(WEIGHTS), R=np.eye(3), every=PERIOD),
        effectiveness=effect,
        balance=effect @ gimbals,
        arm=system.position(point, CORE, heron.FORWARD_GYRO) - com,
        tilt=np.array([0.0, thrust[2], -thrust[1]]) / thrust[0],
        rigid=rigid,
    )


class Autopilot:
    """Flight software: angular acceleration that leads back to the reference, and the one that the reference has."""

    def __init__(self, design: ControlDesign):
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
        wanted = quaternion.rotate_by(commanded, know.tilt)
        back = quaternion.inverse(wanted)
        off = quaternion.rotate(back, position - place) - know.arm
        drift = quaternion.rotate(back, velocity - moving) - np.cross(turning, know.arm)
        error = np.concatenate([attitude_error(attitude, wanted), rate - turning, off[1:], drift[1:]])
        return {"demand": know.balance + np.array([0.0, 1.0, 0.0]) * swing - know.K @ error}


def with_software(flight: Assembly, design: ControlDesign, others: tuple[str, ...]) -> Assembly:
    """Add software, filters and the allocation to an airframe, and wire them; others : of the reference's columns."""
    hz, depth, width = NOTCHES
    flight.add("fsw", Autopilot(design), every=PERIOD, out={"demand": "rad/s^2[3]"})
    flight.add("notch", Notch(hz, depth=depth, width=width, n=3, every=PERIOD))
    flight.add("roll_off", LowPass(ROLL_OFF, n=3, every=PERIOD))
    limit = np.radians(float(LIMIT.split()[0]))
    spread = ControlAllocation(design.effectiveness, low=-limit, high=limit)
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
    design: ControlDesign
    flight: Assembly
    x0: State

    def fly(self, until: float = UNTIL, log: str | Path | None = None) -> Log:
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


def fly(component: Component | str | Path, until: float = UNTIL, log: str | Path | None = None) -> Log:
    """Prepare and fly in one call."""
    return prepare(component).fly(until, log)


GAIN_DB, PHASE_DEG = 6.0, 30.0  # what is asked for


@dataclass(frozen=True)
class Margins:
    """Margins of one loop: gain (dB) upwards and downwards, phase (deg), at which Hz, and those of bending.

    bending_db : the highest peak of bending is this far below one (negative: above)
    bending_deg : how far from ±180° bending is wherever it is not that small; infinite where it always is
    """

    gain_db: float
    gain_hz: float
    less_db: float
    phase_deg: float
    phase_hz: float
    bending_db: float
    bending_hz: float
    bending_deg: float

    @property
    def holds(self) -> bool:
        """Whether the loop has what is asked for."""
        rigid = min(self.gain_db, self.less_db) >= GAIN_DB and self.phase_deg >= PHASE_DEG
        return rigid and (self.bending_db >= GAIN_DB or self.bending_deg >= PHASE_DEG)


def frequencies(low_hz: float, high_hz: float, modes_hz: ArrayLike = (), n: int = 1500) -> np.ndarray:
    """Return frequencies (n + …,) between two, closer about lightly damped modes."""
    around = [f * (1.0 + w) for f in np.ravel(modes_hz) for w in np.linspace(-0.03, 0.03, 121)]
    found = np.concatenate([np.geomspace(low_hz, high_hz, n), around])
    return np.unique(found[(found >= low_hz) & (found <= high_hz)])


def open_loops(
    flight: Assembly, point: State, demand: str, sent: str, step: float | str | None = None
) -> LinearModel:
    """Return the sampled model from a demand (m,), its wire cut, to what is sent there: -L for negative feedback."""
    return linearize(
        flight, point, inputs=[demand], outputs=[sent], sampled=True, step=step, velocity_axes="world"
    )


def each_axis(model: LinearModel, f_hz: np.ndarray) -> np.ndarray:
    """Return open loops (m, nf) with the sign of negative feedback, each axis opened, the others closed."""
    L = -np.asarray(model.frequency_response(f_hz))
    m = L.shape[1]
    found = np.empty((m, len(f_hz)), dtype=complex)
    for i in range(m):
        o = [k for k in range(m) if k != i]
        rest = np.linalg.solve(np.eye(m - 1) + L[:, o][:, :, o], L[:, o, i][:, :, None])
        found[i] = L[:, i, i] - (L[:, i, o][:, None, :] @ rest)[:, 0, 0]
    return found


def margins_of(f_hz: np.ndarray, loop: np.ndarray, bending_from_hz: float) -> Margins:
    """Return the margins of one open loop (nf,), negative feedback."""
    if not f_hz[0] < bending_from_hz < f_hz[-1]:
        raise InputError(
            "bending begins outside the frequencies", where="margins_of", got=f"{bending_from_hz:g} Hz"
        )
    gain, phase = 20.0 * np.log10(np.abs(loop)), np.degrees(np.unwrap(np.angle(loop)))
    rigid = f_hz < bending_from_hz
    up, less, at = np.inf, np.inf, np.nan
    # phase is -180° + a whole turn
    for hz, size in _crossings(f_hz[rigid], (phase[rigid] + 180.0) / 360.0, gain[rigid]):
        if size < 0.0 and -size < up:
            up, at = -size, hz
        less = min(less, size) if size >= 0.0 else less
    turns = [(abs(_from_critical(angle)), hz) for hz, angle in _zeros(f_hz[rigid], gain[rigid], phase[rigid])]
    least, where = min(turns, default=(np.inf, np.nan))
    peak = int(np.argmax(np.where(rigid, -np.inf, gain)))
    bends = np.abs(_from_critical(phase[~rigid & (gain > -GAIN_DB)]))
    return Margins(
        up, at, less, least, where, -gain[peak], float(f_hz[peak]), float(bends.min(initial=np.inf))
    )


def _from_critical(angle: np.ndarray) -> np.ndarray:
    """Return angles less the nearest of ±180°, ±540°, ..."""
    return (angle % 360.0) - 180.0


def _zeros(f: np.ndarray, y: np.ndarray, other: np.ndarray) -> list[tuple[float, float]]:
    """Return frequencies at which y changes sign, and the other there."""
    k = np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0)
    part = y[k] / (y[k] - y[k + 1])
    return list(zip(f[k] + part * (f[k + 1] - f[k]), other[k] + part * (other[k + 1] - other[k])))


def _crossings(f: np.ndarray, turns: np.ndarray, gain: np.ndarray) -> list[tuple[float, float]]:
    """Return frequencies at which a number of turns passes a whole one, and the gain there."""
    found = []
    for n in range(int(np.floor(turns.min())), int(np.ceil(turns.max())) + 1):
        found += _zeros(f, turns - n, gain)
    return found
