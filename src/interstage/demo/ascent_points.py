"""Linear models of the ascent at six times on its reference, and that reference.

At each time the vehicle stands on the reference with the propellant of that time, trimmed under its thrust; its linear
model leads from gimbal commands (and widths of jets) to attitude and mean rate of the inertial unit, from one frame of
the software to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_vehicle as av
from interstage.demo.ascent_reference import AxialForce, Leg, Reference, Target, pitch_program
from interstage.devices import Earth
from interstage.linear import LinearModel, linearize, trim
from interstage.multibody import State
from interstage.simulation import quaternion
from interstage.simulation.plant.assembly import Assembly
from interstage.spatial.functions import matrix_from_quaternion

TIMES = (10.0, 40.0, 73.0, 125.0, 190.0, 250.0)  # s, the last one of the upper stage
UNTIL = 300.0
BUCKET = (48.0, 84.0), 0.83  # s, and level of the throttle while the air presses most
MOST = 4.0 * 9.80665  # m/s² of the first stage, by throttling
COAST = 1.5  # s between the stages
TARGET = Target(190e3, 10.0)
Q_ALPHA = 1500.0  # Pa rad of the programme
COUPLES = np.array(
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1.0]]
)  # jets 1 and 3, 2 and 4
AXES = ("roll", "pitch", "yaw")


def legs() -> tuple[float, list[Leg]]:
    """Return the mass at lift-off and the legs of the flight: thrust, acceleration at most, coast, upper stage."""
    thrust, flow = 4.0 * ap.THRUST, 4.0 * ap.THRUST / ap.EXHAUST
    engines = 4.0 * av.heron.ENGINE_MASS
    liquid = sum(av.LIQUID[tank][3] for tank in av.FEEDS)
    spent = av.DRY["first"] + engines + av.RESIDUAL * liquid
    rest = (
        av.DRY["upper"]
        + av.DRY["fairing"]
        + av.heron.PAYLOAD_MASS
        + av.NOZZLE2["mass"]
        + av.LIQUID["upper"][3]
    )
    mass = spent + rest + (1.0 - av.RESIDUAL) * liquid
    one = {"thrust": thrust, "flow": flow, "exit_area": 4.0 * ap.EXIT_AREA}
    turn, end, n = ap.NOMINAL * thrust / MOST, spent + rest, 12
    (begin, last), level = BUCKET
    saved = (last - begin) * (ap.NOMINAL - level) / ap.NOMINAL
    later = (mass - turn) / (ap.NOMINAL * flow) + saved - last
    spans = ((begin, ap.NOMINAL), (last - begin, level), (later, ap.NOMINAL))
    out = [Leg(span, throttle=k, **one) for span, k in spans]
    part = ap.EXHAUST / MOST * np.log(turn / end) / n
    edges = turn * np.exp(-MOST / ap.EXHAUST * part * np.arange(n + 1))
    out += [Leg(part, throttle=float((a - b) / part / flow), **one) for a, b in pairwise(edges)]
    out.append(
        Leg(COAST, 0.0, throttle=out[-1].throttle, drop=spent)
    )  # engines that still have a rest stay as they are
    left = UNTIL - sum(leg.duration for leg in out)
    return mass, [*out, Leg(left, ap.THRUST2, ap.THRUST2 / ap.EXHAUST2, throttle=ap.NOMINAL)]


@cache
def reference() -> Reference:
    """Return the trajectory to follow."""
    mass, flown = legs()
    earth = Earth(gravity="J2", site=ap.SITE, heading=ap.HEADING)
    drag = AxialForce(ap.AREA, ap.MACH.tolist(), ap.AXIAL.tolist())
    return pitch_program(mass, flown, earth, TARGET, start=(15.0, 0.0, 0.0), drag=drag, q_alpha=Q_ALPHA)


@dataclass(frozen=True, eq=False)
class Point:
    """The vehicle at a time of flight.

    model : from commands to attitude (3,) as rotation vector in body axes and mean rate (3,), frame by frame
    effect (3, m) : angular acceleration of the rigid vehicle by a command;  bending : Hz, lowest two in pitch
    lever : how far the inertial unit is ahead of the centre of mass
    """

    t: float
    model: LinearModel
    effect: np.ndarray
    bending: tuple[float, float]
    lever: float

    @property
    def upper(self) -> bool:
        """Whether the first stage has left."""
        return self.effect.shape[1] == 4


def points(stack: ap.Stack, flown: Reference, *, thrust: float = 1.0, wind: float = 1.0,
           times: Sequence[float] = TIMES) -> list[Point]:  # fmt: skip
    """Return linear models at times of the reference; the last one is that of the upper stage."""
    return [point(stack, flown, t, thrust, wind) for t in times]


def burnt(flown: Reference, t: float) -> dict[str, float]:
    """Return the propellant by tank at a time of the reference."""
    mass = float(np.interp(t, flown.t, flown["mass"]))
    full = {tank: av.LIQUID[tank][3] for tank in av.LIQUID}
    if t > separation(flown):
        dry = av.DRY["upper"] + av.DRY["fairing"] + av.heron.PAYLOAD_MASS + av.NOZZLE2["mass"]
        return {"upper": mass - dry}
    gone = flown["mass"][0] - mass
    return {
        tank: max(full[tank] - share * gone, av.RESIDUAL * full[tank]) for tank, share in av.FEEDS.items()
    }


def separation(flown: Reference) -> float:
    """Return the time at which the reference drops the first stage."""
    return float(flown.t[int(np.argmin(np.diff(flown["mass"]))) + 1])


def standing(assembly: Assembly, flown: Reference, t: float) -> State:
    """Return the vehicle on its reference: its centre of mass there, nose as programmed."""
    system = assembly.vehicle
    assert system is not None
    x = system.state()
    place, speed = (
        np.array([np.interp(t, flown.t, row) for row in rows.T]) for rows in (flown.position, flown.velocity)
    )
    q = quaternion.rotate_by([1.0, 0.0, 0.0, 0.0], [0.0, float(np.interp(t, flown.t, flown["pitch"])), 0.0])
    R = matrix_from_quaternion(q)
    com = system.mass_properties(x).com
    x[av.NAME].quaternion[:] = q
    x[av.NAME].position[:] = place - R @ com
    x[av.NAME].velocity[3:] = R.T @ speed
    return x


def point(stack: ap.Stack, flown: Reference, t: float, thrust: float = 1.0, wind: float = 1.0) -> Point:
    """Return the vehicle at one time."""
    upper = t > separation(flown)
    left = burnt(flown, t)
    system = stack.upper(left) if upper else stack.system(left)
    flight = Assembly("point", vehicle=system)
    ap.surroundings(flight, wind)
    level = float(np.interp(t, flown.t, flown["throttle"]))
    ap.add_upper(flight, thrust, level if upper else 0.0)
    held: dict[str, float] = {"*tvc*.command": 0.0, "engine5.throttle": level if upper else 0.0}
    inputs = ["upper_tvc.command"]
    if upper:
        ap.add_jets(flight)
        held["jet*.width"] = 0.0
        inputs += ["jet1.width", "jet2.width", "jet3.width", "jet4.width"]
    else:
        ap.add_first(flight, thrust)
        held["cluster.throttle"] = level
        inputs = [f"tvc{k}.command" for k in range(1, 5)]
    x = trim(flight, standing(flight, flown, t), set=held)
    outputs = ["imu.attitude", "imu.rate"]
    slow = linearize(flight, x, inputs=inputs, outputs=outputs)
    if upper:
        model = linearize(flight, x, inputs=inputs, outputs=outputs, sampled=True, step="2.5 ms")
    else:
        model = slow.discretize(ap.FRAME)
    model = _turning(model, quaternion.rotate_by(x[av.NAME].quaternion, np.zeros(3)))
    if upper:  # couples
        model.B = model.B @ COUPLES
        model.D = model.D @ COUPLES
    effect = slow.effectiveness("imu.rate", below_hz=0.4)
    if upper:
        nose = matrix_from_quaternion(x[av.NAME].quaternion)[:, 0]
        roll = 2.0 * ap.JET * 1.3 / (nose @ system.mass_properties(x).inertia @ nose) / ap.FRAME
        effect = np.hstack([effect[:, :2], np.array([[roll, -roll], [0.0, 0.0], [0.0, 0.0]])])
    com = system.mass_properties(system.state()).com[0]
    return Point(t, model, effect, bending(slow), float(av.UPPER[av.INERTIAL] - com))


def bending(model: LinearModel) -> tuple[float, float]:
    """Return the lowest two frequencies (Hz) of bending: poles in pairs, hardly damped."""
    found = np.asarray(model.poles())
    hz = np.sort(np.abs(found[(found.imag > 3.0) & (-found.real < 0.05 * np.abs(found))])) / (2.0 * np.pi)
    first = hz[0]
    return float(first), float(hz[hz > 1.3 * first][0])


def _turning(model: LinearModel, q: np.ndarray) -> LinearModel:
    """Return the model with the attitude as a rotation vector, and as rate what a gyro says: its change in a frame."""
    w, x, y, z = q
    back = 2.0 * np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    C, D = back @ model.C[:4], back @ model.D[:4]
    n, T = len(model.A), model.dt
    # memory of the attitude before: rate = (θ - θ₋)/T
    A = np.block([[model.A, np.zeros((n, 3))], [C, np.zeros((3, 3))]])
    B = np.vstack([model.B, D])
    C2 = np.block([[C, np.zeros((3, 3))], [C / T, -np.eye(3) / T]])
    D2 = np.vstack([D, D / T])
    return LinearModel(A, B, C2, D2, [*model.states, *(f"before.{axis}" for axis in AXES)], model.inputs,
                        [f"{what}.{axis}" for what in ("attitude", "rate") for axis in AXES], dt=T)  # fmt: skip
