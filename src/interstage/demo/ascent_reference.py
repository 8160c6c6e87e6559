"""A reference trajectory to follow: the best pitch programme of a point mass with thrust, in columns as those of POST.

In the world of an `Earth` with a site (x up, z along the heading) the nose points along (cos p, 0, -sin p), p the pitch
angle, zero on the pad and negative ahead:

    ṙ = v,   v̇ = [(k F - p_air A_e) e(p) - q S CA(M) e(p)]/m + g(r),   ṁ = -k ṁ_full

Pitch is zero while the vehicle rises, then a cubic spline through knots. Knots are found that end with the most speed
at a wanted height and angle of the path (sequential quadratic programming, slopes by differences; a small cost on kinks
keeps the programme smooth where it hardly matters); where there is air, with q·α below a limit on the way. One kernel
integrates by Runge-Kutta's fourth order, steps ending where legs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import interpolate, optimize

from interstage.devices.atmosphere import sound_and_viscosity, standard_air
from interstage.devices.earth import FIELD, Earth
from interstage.devices.fields import cross3, dot3, geodetic, oblate_gravity
from interstage.devices.tables import look_up, read_table, slopes_of
from interstage.devices.trajectory import KINDS, ReferenceTrajectory
from interstage.errors import InputError, SolverError
from interstage.jit import kernel
from interstage.output import write_text

COARSE, FINE = 1.0, 0.125  # s, of the search and of the table
SCALE, SMOOTH = 1e3, 0.02  # m/s of the objective; cost of second differences of the knots, rad², beside it
UNITS = {
    "time": "s", "x": "m", "y": "m", "z": "m", "vx": "m/s", "vy": "m/s", "vz": "m/s", "yaw": "deg", "pitch": "deg",
    "roll": "deg", "throttle": "", "mass": "kg", "thrust": "N", "gdalt": "m", "veli": "m/s", "gammai": "deg",
    "velr": "m/s", "gammar": "deg", "mach": "", "dynp": "Pa", "alpha": "deg", "pitchdd": "rad/s^2",
}  # fmt: skip


@dataclass(frozen=True)
class Leg:
    """A part of the flight: seconds, vacuum thrust (N), flow (kg/s; 0 keeps the mass), what is dropped at its end (kg).

    exit_area : m², by which the pressure of the air lowers the thrust;  throttle : of thrust and flow
    """

    duration: float
    thrust: float
    flow: float = 0.0
    exit_area: float = 0.0
    throttle: float = 1.0
    drop: float = 0.0


@dataclass(frozen=True)
class AxialForce:
    """Drag along the body: area (m²), and coefficients by Mach number."""

    area: float
    mach: Sequence[float]
    coefficient: Sequence[float]


@dataclass(frozen=True)
class Target:
    """Where the trajectory ends: height (m) above the ellipsoid, angle of the inertial path above the horizon (deg)."""

    altitude: float
    path: float = 0.0


@dataclass
class Reference:
    """A trajectory by columns of SI units: those that `ReferenceTrajectory` reads, and others by names of POST.

    mass, thrust; gdalt (height above the ellipsoid); veli, gammai (inertial speed and angle of the path above the
    horizon), velr, gammar (against the rotating Earth); mach, dynp (½ρV²), alpha (nose off the flow); and pitchdd, the
    acceleration of the pitch angle
    """

    columns: dict[str, np.ndarray]

    @property
    def t(self) -> np.ndarray:
        """Return times (n,)."""
        return self.columns["time"]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    @property
    def position(self) -> np.ndarray:
        """Return places of the mass (n, 3), world axes."""
        return np.column_stack([self.columns[name] for name in "xyz"])

    @property
    def velocity(self) -> np.ndarray:
        """Return velocities (n, 3), world axes."""
        return np.column_stack([self.columns[f"v{name}"] for name in "xyz"])

    def device(self) -> ReferenceTrajectory:
        """Return the trajectory as the device that guides a flight."""
        return ReferenceTrajectory(self.columns)

    def save(self, path: str | Path) -> Path:
        """Write a CSV file, whole or not at all."""
        factor = {name: np.degrees(1.0) if UNITS[name] == "deg" else 1.0 for name in self.columns}
        head = ",".join(f"{name} ({UNITS[name]})" if UNITS[name] else name for name in self.columns)
        table = np.column_stack([factor[name] * column for name, column in self.columns.items()])
        rows = [",".join(f"{value:.12g}" for value in row) for row in table]
        return write_text(path, "\n".join([head, *rows, ""]), what="trajectory")

    @classmethod
    def load(cls, path: str | Path) -> Reference:
        """Read a file of `save`."""
        return cls(read_table(path, "time", known=tuple(UNITS), kinds=KINDS))


@kernel
def slope(earth, drag, state, pitch, thrust, flow, area, out):
    """Write what a state changes by, (7,) from (7,): place, velocity, mass; return height, density, Mach number.

    earth : mu, radius, J2, flattening, spin, axes (3, 3), center (3,);  drag : area, Mach numbers, table, slopes
    """
    mu, radius, J2, flattening, spin, axes, center = earth
    wide, machs, table, slopes = drag
    r = (state[0] - center[0], state[1] - center[1], state[2] - center[2])
    pole = (axes[0, 2], axes[1, 2], axes[2, 2])
    ahead = (np.cos(pitch), 0.0, -np.sin(pitch))
    fixed = (dot3(axes[:, 0], r), dot3(axes[:, 1], r), dot3(pole, r))
    height = geodetic(radius, flattening, fixed[0], fixed[1], fixed[2])[3]
    density, pressure, temperature = standard_air(height)
    ground = cross3(pole, r)
    w = (state[3] - spin * ground[0], state[4] - spin * ground[1], state[5] - spin * ground[2])
    square = dot3(w, w)
    mach = np.sqrt(square) / sound_and_viscosity(temperature)[0]
    force = thrust - pressure * area
    if wide > 0.0:
        force -= 0.5 * density * square * wide * look_up(machs, table, slopes, 0, mach)
    g = oblate_gravity(mu, radius, J2, pole, r)
    for i in range(3):
        out[i] = state[3 + i]
        out[3 + i] = force / state[6] * ahead[i] + g[i]
    out[6] = -flow
    return height, density, mach, w


@kernel
def climb(earth, drag, steps, pitches, start, out):
    """Integrate from a state (7,): rows of out (n + 1, 7) are the states at the ends of steps.

    steps (n, 6) : length, thrust, flow, exit area, mass dropped at the end, throttle
    pitches (n, 3) : at begin, middle and end of each
    """
    y, now, rate, gain = start.copy(), start.copy(), np.zeros(7), np.zeros(7)
    out[0] = y
    for n in range(len(steps)):
        h, thrust, flow, area, drop, _ = steps[n]
        for i in range(7):
            now[i], gain[i] = y[i], 0.0
        for stage in range(4):
            slope(earth, drag, now, pitches[n, (stage + 1) // 2], thrust, flow, area, rate)
            weight, ahead = (1.0 if stage in (0, 3) else 2.0), (1.0 if stage == 2 else 0.5)
            for i in range(7):
                gain[i] += weight * rate[i]
                now[i] = y[i] + ahead * h * rate[i]
        for i in range(7):
            y[i] += h / 6.0 * gain[i]
        y[6] -= drop
        out[n + 1] = y


@kernel
def look_around(earth, drag, states, pitches, out):
    """Write height, inertial speed and path, relative speed and path, Mach number, ½ρV², angle of attack (n, 8)."""
    axes, center, spent = earth[5], earth[6], np.zeros(7)
    for n in range(len(states)):
        y, pitch = states[n], pitches[n]
        height, density, mach, w = slope(earth, drag, y, pitch, 0.0, 0.0, 0.0, spent)
        r = (y[0] - center[0], y[1] - center[1], y[2] - center[2])
        x, z = dot3(axes[:, 0], r), dot3(axes[:, 2], r)
        sine, cosine, longitude, _ = geodetic(earth[1], earth[3], x, dot3(axes[:, 1], r), z)
        out[n, 0] = height
        for k in range(2):
            v = (y[3], y[4], y[5]) if k == 0 else w
            size = np.sqrt(dot3(v, v))
            rise = 0.0
            for i in range(3):
                level = np.cos(longitude) * axes[i, 0] + np.sin(longitude) * axes[i, 1]
                rise += v[i] * (cosine * level + sine * axes[i, 2])
            out[n, 1 + 2 * k] = size
            out[n, 2 + 2 * k] = np.arcsin(min(max(rise / max(size, 1e-9), -1.0), 1.0))
        ahead = (np.cos(pitch), 0.0, -np.sin(pitch))
        side = cross3(ahead, w)
        out[n, 5], out[n, 6] = mach, 0.5 * density * dot3(w, w)
        out[n, 7] = np.arctan2(np.sqrt(dot3(side, side)), dot3(ahead, w))


class Climb:
    """A point mass that climbs: legs, Earth, drag and where it starts; `fly` follows a pitch programme.

    start : place (3,) of the mass in the world at t = 0, moving with the ground
    """

    def __init__(
        self,
        mass: float,
        legs: Sequence[Leg],
        earth: Earth,
        start: ArrayLike = (0.0, 0.0, 0.0),
        drag: AxialForce | None = None,
    ):
        if int(earth.model) != FIELD:
            raise InputError(
                "a reference needs a field of gravity",
                where="Climb",
                expected='Earth("J2") or Earth("central")',
            )
        if not legs or mass <= sum(leg.duration * leg.throttle * leg.flow + leg.drop for leg in legs):
            raise InputError("the legs leave no mass", where="Climb", got=f"{mass:g} kg, {len(legs)} legs")
        self.legs, self.mass = tuple(legs), float(mass)
        names = ("mu", "radius", "J2", "flattening", "spin")
        self.earth = (
            *(float(getattr(earth, name)) for name in names),
            np.array(earth.axes),
            np.array(earth.center),
        )
        found = drag or AxialForce(0.0, (0.0, 1.0), (0.0, 0.0))
        machs, table = (
            np.asarray(found.mach, dtype=float),
            np.asarray(found.coefficient, dtype=float)[:, None],
        )
        self.drag = (float(found.area), machs, table, slopes_of(machs, table))
        place = np.asarray(start, dtype=float)
        self.start = np.concatenate([place, earth.ground_velocity(place), [self.mass]])
        self.until = sum(leg.duration for leg in self.legs)

    def steps(self, longest: float) -> tuple[np.ndarray, np.ndarray]:
        """Return times (n + 1,) and steps (n, 6) of equal length within each leg, none above `longest`."""
        rows = []
        for leg in self.legs:
            n = max(1, int(np.ceil(leg.duration / longest - 1e-9)))
            k = leg.throttle
            part = (leg.duration / n, k * leg.thrust, k * leg.flow, leg.exit_area)
            rows += [(*part, 0.0, k)] * (n - 1) + [(*part, leg.drop, k)]
        table = np.array(rows)
        return np.concatenate([[0.0], np.cumsum(table[:, 0])]), table

    def fly(self, pitch: Pitch, longest: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return times (n,), states (n, 7) and what `look_around` says (n, 8) of a programme."""
        t, steps = self.steps(longest)
        out, seen = np.empty((len(t), 7)), np.empty((len(t), 8))
        at = pitch(t)
        climb(self.earth, self.drag, steps, np.column_stack([at[:-1], pitch(t[:-1] + 0.5 * steps[:, 0]), at[1:]]),
              self.start, out)  # fmt: skip
        look_around(self.earth, self.drag, out, at, seen)
        return t, out, seen


class Pitch:
    """Pitch angle (rad) over time: zero until `rise`, then a cubic spline through knots, with no kink between."""

    def __init__(self, rise: float, until: float, knots: ArrayLike):
        self.rise = rise
        values = np.concatenate([[0.0], np.asarray(knots, dtype=float)])
        self.spline = interpolate.CubicSpline(
            np.linspace(rise, until, len(values)), values, bc_type=((1, 0.0), (2, 0.0))
        )

    def __call__(self, t: ArrayLike) -> np.ndarray:
        return self._later(np.asarray(t, dtype=float), 0)

    def acceleration(self, t: ArrayLike) -> np.ndarray:
        """Return its second derivative, rad/s²."""
        return self._later(np.asarray(t, dtype=float), 2)

    def _later(self, t: np.ndarray, order: int) -> np.ndarray:
        return np.where(t > self.rise, self.spline(np.maximum(t, self.rise), order), 0.0)


def pitch_program(
    mass: float,
    legs: Sequence[Leg],
    earth: Earth,
    target: Target,
    *,
    start: ArrayLike = (0.0, 0.0, 0.0),
    drag: AxialForce | None = None,
    q_alpha: float | None = None,
    rise: float = 10.0,
    knots: int = 8,
    every: float = 1.0,
) -> Reference:
    """Return the trajectory that reaches the target with the most speed; see the module.

    mass : at lift-off, kg;  legs : thrust and flow one after the other;  earth : with a site
    start : place (3,) of the centre of mass on the pad;  drag : None leaves the drag of the air out
    q_alpha : most of ½ρV² times the angle of attack on the way, Pa rad;  rise : seconds straight up
    knots : of the pitch programme;  every : seconds between rows of the table
    """
    body = Climb(mass, legs, earth, start, drag)
    pitch = Pitch(rise, body.until, _search(body, target, q_alpha, rise, knots))
    stride = max(1, round(every / FINE))
    t, states, seen = body.fly(pitch, every / stride)
    steps = body.steps(every / stride)[1]
    steps = np.vstack([steps, steps[-1]])
    ends = np.cumsum([leg.duration for leg in body.legs])
    rows = np.union1d(np.arange(0, len(t), stride), np.searchsorted(t, ends - 1e-6))
    named = dict(zip(("gdalt", "veli", "gammai", "velr", "gammar", "mach", "dynp", "alpha"), seen.T))
    named["alpha"] = np.where(named["velr"] < 1.0, 0.0, named["alpha"])  # on the pad there is no flow
    columns = {"time": t} | dict(zip(("x", "y", "z", "vx", "vy", "vz"), states.T))
    columns |= {"yaw": 0.0 * t, "pitch": pitch(t), "roll": 0.0 * t, "throttle": steps[:, 5]}
    columns |= {"mass": states[:, 6], "thrust": steps[:, 1]} | named | {"pitchdd": pitch.acceleration(t)}
    return Reference({name: np.ascontiguousarray(column[rows]) for name, column in columns.items()})


def _search(body: Climb, target: Target, q_alpha: float | None, rise: float, knots: int) -> np.ndarray:
    """Return pitch angles (knots,) at the knots, rad."""
    wanted = np.array([target.altitude, np.radians(target.path)])
    unit = np.array([1e3, np.radians(1.0)])

    def flown(angles: np.ndarray) -> np.ndarray:
        """Return speed, height and path at the end, and what is left of q·α on the way, scaled."""
        t, _, seen = body.fly(Pitch(rise, body.until, angles), COARSE)
        end = [seen[-1, 1] / SCALE, *((seen[-1, [0, 2]] - wanted) / unit)]
        if q_alpha is None:
            return np.array(end)
        moving = t > rise
        return np.concatenate([end, 1.0 - seen[moving, 6] * seen[moving, 7] / q_alpha])

    def slopes(angles: np.ndarray, begin: int, end: int | None) -> np.ndarray:
        h = 1e-5
        return np.array([(flown(angles + d)[begin:end] - flown(angles - d)[begin:end]) / (2 * h)
                         for d in h * np.eye(len(angles))]).T  # fmt: skip

    limits = [{"type": "eq", "fun": lambda a: flown(a)[1:3], "jac": lambda a: slopes(a, 1, 3)}]
    if q_alpha is not None:
        limits.append({"type": "ineq", "fun": lambda a: flown(a)[3:], "jac": lambda a: slopes(a, 3, None)})
    bend = np.diff(np.eye(knots + 1), 2, axis=0)[
        :, 1:
    ]  # what a programme has of kinks, the first knot being zero
    rough = 2.0 * SMOOTH * bend.T @ bend
    first = -np.radians(80.0) * np.linspace(0.0, 1.0, knots + 1)[1:] ** 0.7
    found = optimize.minimize(
        lambda a: 0.5 * a @ rough @ a - flown(a)[0], first, jac=lambda a: rough @ a - slopes(a, 0, 1)[0],
        method="SLSQP", constraints=limits, bounds=[(-np.radians(140.0), 0.2)] * knots,
        options={"maxiter": 200, "ftol": 1e-7},
    )  # fmt: skip
    miss = np.abs(flown(found.x)[1:3])
    if not found.success or miss.max() > 1e-3:
        raise SolverError(
            "no pitch programme reaches the target",
            where="pitch_program",
            expected=f"{target.altitude / 1e3:g} km with a path of {target.path:g} deg",
            got=f"{miss[0]:.3g} km and {miss[1]:.3g} deg beside it ({found.message})",
            hint="choose a height between those of a flight straight up and of one that turns at once",
        )
    return found.x
