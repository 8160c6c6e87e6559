"""Heron's ascent as one rigid body by scipy, with air, wind, forces of the air and gravity written anew.

Nothing of the package flies here: the standard atmosphere is that of `ambiance`, the ellipsoid is inverted by
Newton's method, gravity is μ and J2 of WGS 84, forces of the air are sums over the six stations with coefficients
interpolated in straight lines, engines have their lag and the pressure on their exits. From the log come what
software and actuators did: attitude (for the path alone), gimbal angles and the throttle; mass properties are those
of the rigid vehicle with the propellant that the engines have left by this sum.

    path      the center of mass from lift-off on, attitude as flown
    turns     all six degrees of freedom for some seconds, from the motion at their begin
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from ambiance import Atmosphere
from scipy.integrate import solve_ivp
from scipy.interpolate import interp1d
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage.demo import ascent_flight as ascents
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_vehicle as av
from interstage.demo import heron
from validation.study import Row

MU, RADIUS, FLAT, J2, SPIN = 3.986004418e14, 6378137.0, 1.0 / 298.257223563, 1.08262668e-3, 7.292115e-5


@dataclass(frozen=True)
class World:
    """Factors of what is around the vehicle: all 1 in truth."""

    density: float = 1.0
    wind: float = 1.0
    pressure: float = 1.0
    oblate: float = 1.0
    spin: float = 1.0
    axial: float = 1.0
    normal: float = 1.0
    gimbal: float = 1.0
    lag: float = 1.0


def site() -> tuple[np.ndarray, np.ndarray]:
    """Return axes (world to those of the Earth at t = 0) and where the pad is from the Earth's center, world axes."""
    lat, lon = np.radians(ap.SITE)
    up = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    north = np.array([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)])
    east = np.array([-np.sin(lon), np.cos(lon), 0.0])
    e2 = FLAT * (2.0 - FLAT)
    curve = RADIUS / np.sqrt(1.0 - e2 * np.sin(lat) ** 2)
    center = np.array(
        [
            curve * np.cos(lat) * np.cos(lon),
            curve * np.cos(lat) * np.sin(lon),
            curve * (1.0 - e2) * np.sin(lat),
        ]
    )
    # heading east: x up, z along it, y to its right, south
    axes = np.column_stack([up, -north, east])
    return axes, axes.T @ center


AXES, PAD = site()


def height(r: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the height above the ellipsoid, and north and east there, in axes of the Earth that do not turn."""
    e2, p = FLAT * (2.0 - FLAT), np.hypot(r[0], r[1])
    lat = np.arctan2(r[2], p * (1.0 - e2))
    for _ in range(6):
        curve = RADIUS / np.sqrt(1.0 - e2 * np.sin(lat) ** 2)
        lat = np.arctan2(r[2] + e2 * curve * np.sin(lat), p)
    lon = np.arctan2(r[1], r[0])
    h = p * np.cos(lat) + r[2] * np.sin(lat) - RADIUS * np.sqrt(1.0 - e2 * np.sin(lat) ** 2)
    north = np.array([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)])
    return h, north, np.array([-np.sin(lon), np.cos(lon), 0.0])


@cache
def air_table() -> tuple[np.ndarray, ...]:
    """Return heights, density, pressure and speed of sound, to 80 km."""
    h = np.linspace(0.0, 80e3, 1601)
    air = Atmosphere(h)
    return h, air.density, air.pressure, air.speed_of_sound


def air(h: float) -> tuple[float, float, float]:
    heights, density, pressure, sound = air_table()
    if h > heights[-1]:
        return 0.0, 0.0, float(sound[-1])
    logs = [np.exp(np.interp(h, heights, np.log(column))) for column in (density, pressure)]
    return float(logs[0]), float(logs[1]), float(np.interp(h, heights, sound))


class Rigid:
    """The rigid vehicle in a world of its own, driven by what a log says of gimbals, throttle and attitude."""

    def __init__(self, log: ist.Log, stack: ap.Stack, world: World):
        self.world, self.stack = world, stack
        t = log.t
        body = log[av.NAME]
        self.turn = interp1d(t, Rotation.from_quat(body.quaternion, scalar_first=True).as_matrix(), axis=0)
        self.gimbals = [interp1d(t, log[f"engine{k}"].q, axis=0) for k in range(1, 5)]
        self.valve = interp1d(log.times("cluster.valve"), log["cluster.valve"])
        self.level = self._levels(t)
        self.burnt = self._burnt(t)

    def _levels(self, t: np.ndarray) -> interp1d:
        """Engines follow the throttle with a lag of 0.2 s."""

        def rate(s: float, level: np.ndarray) -> np.ndarray:
            return (self.valve(min(s, t[-1])) - level) / (0.2 * self.world.lag)

        found = solve_ivp(rate, (t[0], t[-1]), [ap.NOMINAL], rtol=1e-8, atol=1e-8, max_step=0.1, t_eval=t)
        return interp1d(t, found.y[0])

    def _burnt(self, t: np.ndarray) -> interp1d:
        flow = 4.0 * ap.THRUST / ap.EXHAUST * self.level(t)
        return interp1d(t, np.concatenate([[0.0], np.cumsum(0.5 * (flow[1:] + flow[:-1]) * np.diff(t))]))

    @cache  # noqa: B019 (a study ends with its process)
    def weighed(self, t: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Return mass, center and inertia of the rigid vehicle."""
        left = {tank: av.LIQUID[tank][3] - share * float(self.burnt(t)) for tank, share in av.FEEDS.items()}
        system = self.stack.system({**left, "upper": av.LIQUID["upper"][3]})
        found = system.mass_properties(system.state())
        return float(found.mass), np.array(found.com), np.array(found.inertia)

    def table(self, times: np.ndarray) -> None:
        """Weigh the vehicle at some times, and take straight lines between them."""
        rows = [self.weighed(float(t)) for t in times]
        self.mass, self.com, self.inertia = (
            interp1d(times, [row[k] for row in rows], axis=0) for k in range(3)
        )

    def loads(
        self, t: float, r: np.ndarray, v: np.ndarray, R: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return gravity (world axes) and force and torque about the center of mass (body axes) as [g, F, N]."""
        one = self.world
        turn = Rotation.from_rotvec([0.0, 0.0, SPIN * one.spin * t]).as_matrix()
        fixed = AXES @ (PAD + r)  # axes of the Earth at t = 0
        here = turn.T @ fixed
        h, north, east = height(here)
        north, east = (AXES.T @ turn @ each for each in (north, east))
        density, pressure, sound = air(h)
        ground = AXES.T @ np.cross([0.0, 0.0, SPIN * one.spin], fixed)
        blows = [np.interp(h, ap.WIND["altitude"], ap.WIND[name]) for name in ("north", "east")]
        stream = v - ground - one.wind * (blows[0] * north + blows[1] * east)
        force, torque = np.zeros(3), np.zeros(3)
        com = self.com(t)
        for k, gimbal in enumerate(self.gimbals):
            a, b = one.gimbal * gimbal(t)
            push = float(self.level(t)) * ap.THRUST - ap.EXIT_AREA * pressure * one.pressure
            direction = np.array([np.cos(a) * np.cos(b), np.sin(b), -np.sin(a) * np.cos(b)])
            at = np.array(heron.engine_position(k), float)
            at[0] = 0.0
            force += push * direction
            torque += np.cross(at - com, push * direction)
        for stage in ("first", "upper"):
            stations = av.FIRST if stage == "first" else av.UPPER
            for node, slope in ap.NORMAL[stage].items():
                at = np.array([stations[node], 0.0, 0.0])
                flow = R.T @ stream + np.cross(w, at - com)
                speed = np.linalg.norm(flow)
                if speed < 1e-6:
                    continue
                share = ap.SHARES[stage][node] * np.interp(speed / sound, ap.MACH, ap.AXIAL) * flow[0] / speed
                push = np.array([-one.axial * share, *(-one.normal * slope * flow[1:] / speed)])
                push *= 0.5 * density * one.density * speed**2 * ap.AREA
                force += push
                torque += np.cross(at - com, push)
        return gravity(fixed, one), force, torque

    def path(self, times: np.ndarray, r: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the velocity (n, 3) of the center of mass at some times, attitude as flown."""

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            R = self.turn(t)
            g, force, _ = self.loads(t, y[:3], y[3:], R, np.zeros(3))
            return np.concatenate([y[3:], g + R @ force / self.mass(t)])

        found = solve_ivp(
            rate, (times[0], times[-1]), np.concatenate([r, v]), rtol=1e-7, atol=1e-4, t_eval=times
        )
        return found.y.T

    def turns(self, times: np.ndarray, r: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return angular velocity (n, 3), body axes, by all six degrees of freedom."""
        first = Rotation.from_matrix(self.turn(times[0]))

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            attitude = Rotation.from_quat(y[6:10])
            R, spin = attitude.as_matrix(), y[10:]
            g, force, torque = self.loads(t, y[:3], y[3:6], R, spin)
            I = self.inertia(t)
            x, y_, z, s = y[6:10]
            turned = 0.5 * np.array([
                s * spin[0] + y_ * spin[2] - z * spin[1], s * spin[1] + z * spin[0] - x * spin[2],
                s * spin[2] + x * spin[1] - y_ * spin[0], -x * spin[0] - y_ * spin[1] - z * spin[2],
            ])  # fmt: skip
            return np.concatenate([
                y[3:6], g + R @ force / self.mass(t), turned, np.linalg.solve(I, torque - np.cross(spin, I @ spin))
            ])  # fmt: skip

        begin = np.concatenate([r, v, first.as_quat(), w])
        return solve_ivp(rate, (times[0], times[-1]), begin, rtol=1e-8, atol=1e-9, t_eval=times).y[10:].T


def gravity(fixed: np.ndarray, world: World) -> np.ndarray:
    """Return gravity of an oblate Earth, world axes."""
    r = np.linalg.norm(fixed)
    z = fixed[2] / r
    k = 1.5 * J2 * world.oblate * (RADIUS / r) ** 2
    g = -MU / r**3 * fixed * np.array([1.0 + k * (1.0 - 5.0 * z * z)] * 2 + [1.0 + k * (3.0 - 5.0 * z * z)])
    return AXES.T @ g


TIMES, BEGINS, SPAN = np.array([0.0, 60.0, 100.0, 150.0]), (20.0, 45.0, 70.0), 2.5  # s
SPEED, TURN = (
    1.1,
    4e-3,
)  # m/s and rad/s: what bending and the mass that leaves make of a rigid body, after seeing it
WRONG = {
    "density of the air halved": World(density=0.5),
    "wind halved": World(wind=0.5),
    "pressure on the exits halved": World(pressure=0.5),
    "turning of the Earth halved": World(spin=0.5),
    "J2 doubled": World(oblate=2.0),
    "axial force halved": World(axial=0.5),
    "normal force halved": World(normal=0.5),
    "gimbal angles halved": World(gimbal=0.5),
}


class Flown:
    """A flight without gusts, and how far it is from the rigid body of a world."""

    def __init__(self) -> None:
        self.one = ascents.ascent(seed=None)
        self.log = self.one.fly(until=float(TIMES[-1]))
        self.rows = np.searchsorted(self.log.t, TIMES - 1e-6)

    def speed(self, world: World) -> np.ndarray:
        """Return differences of the velocity of the center of mass at times, m/s."""
        rigid = Rigid(self.log, self.one.stack, world)
        rigid.table(np.linspace(0.0, TIMES[-1], 31))
        # momentum of the log over the mass by hand
        v = np.array([self.log.momentum[k, 3:] / rigid.mass(self.log.t[k]) for k in self.rows])
        found = rigid.path(TIMES, self.log[av.NAME].position[0] + rigid.com(0.0), v[0])
        return np.linalg.norm(found[:, 3:] - v, axis=1)

    def turn(self, world: World, begin: float) -> float:
        """Return the difference of the change of angular velocity in some seconds, rad/s."""
        rigid, body = Rigid(self.log, self.one.stack, world), self.log[av.NAME]
        rigid.table(np.linspace(begin, begin + SPAN, 4))
        k, end = np.searchsorted(self.log.t, [begin - 1e-6, begin + SPAN - 1e-6])
        r = body.position[k] + rigid.turn(begin) @ rigid.com(begin)
        v = self.log.momentum[k, 3:] / rigid.mass(begin)
        w = rigid.turns(self.log.t[[k, end]], r, v, body.velocity[k, :3])
        return float(np.linalg.norm(w[-1] - w[0] - body.velocity[end, :3] + body.velocity[k, :3]))


def rows() -> list[Row]:
    """The flight beside the rigid body, and what each row makes of a world that is wrong by a factor of two."""
    flown, case = Flown(), "rigid body by scipy, no gusts"
    speed = flown.speed(World())
    turn = [flown.turn(World(), begin) for begin in BEGINS]
    out = [
        Row(
            case, f"velocity at T + {t:.0f} s, m/s", "", "", float(dv), SPEED, "attitude and gimbals as flown"
        )
        for t, dv in zip(TIMES[1:], speed[1:])
    ]
    out += [
        Row(
            case,
            f"turning in {SPAN:g} s from T + {t:.0f} s, rad/s",
            "",
            "",
            dw,
            TURN,
            "all six degrees of freedom",
        )
        for t, dw in zip(BEGINS, turn)
    ]
    for words, world in WRONG.items():
        moved = max(flown.speed(world)[-1] / SPEED, flown.turn(world, BEGINS[1]) / TURN)
        out.append(
            Row(
                f"{case}, {words}",
                "a row beside its limit",
                "> 1",
                f"{moved:.1f}",
                1.0 / moved,
                1.0,
                "would fail",
            )
        )
    return out
