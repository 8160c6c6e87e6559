"""Heron's ascent as one rigid body by scipy, with air, wind, forces of the air and gravity written anew.

Nothing of the package flies here: the standard atmosphere is that of `ambiance`, the ellipsoid is inverted by
Newton's method, gravity is μ and J2 of WGS 84, forces of the air are sums over the six stations, engines have their lag
and the pressure on their exits, propellant on its way to them the force of Coriolis. Tables of coefficients and of wind
are monotone cubics, as the vehicle's devices say, here by scipy. From the log come what software and actuators did:
attitude (for the path alone), gimbal angles and the throttle; mass properties are those of the rigid vehicle with the
propellant that the engines have left by this sum, and its center of mass moves through it as they take it.

    path      the center of mass from lift-off on, attitude as flown
    turns     all six degrees of freedom for some seconds, from the motion at their begin

The vehicle bends, a rigid body does not: flights with walls 1, 2 and 4 times as stiff say what is left without bending.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from ambiance import Atmosphere
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator, interp1d
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
FLOW = 4.0 * ap.THRUST / ap.EXHAUST  # kg/s at full level
# tables are curves that keep rises and falls of their points
BY_MACH, BY_COSINE, BY_SINE = (
    PchipInterpolator(ap.MACH, ap.AXIAL),
    PchipInterpolator(ap.ANGLE, np.cos(ap.ANGLE)),
    PchipInterpolator(ap.ANGLE, np.sin(ap.ANGLE)),
)
BLOWS = PchipInterpolator(ap.WIND["altitude"], np.column_stack([ap.WIND["north"], ap.WIND["east"]]))
MOUNTS = [np.array([0.0, *heron.engine_position(k)[1:]]) for k in range(4)]
PLACES = [  # on the axis, m; share of the axial force; slope of the normal force
    ((av.FIRST if stage == "first" else av.UPPER)[node], ap.SHARES[stage][node], slope)
    for stage, nodes in ap.NORMAL.items()
    for node, slope in nodes.items()
]
PIPES = [((3.0, 0.0), av.FEEDS["fuel"]), ((15.5, 0.0), av.FEEDS["lox"])]  # from the tank to the exit, m


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


class Weights:
    """Mass of the rigid vehicle over what it has burnt: straight lines between levels for m, m c and the inertia about
    the origin, as they are of a tank that empties from level to level.
    """

    def __init__(self, stack: ap.Stack):
        full = sum(av.LIQUID[tank][3] for tank in av.FEEDS)
        self.burnt = full * (1.0 - np.linspace(1.0, av.RESIDUAL, av.LEVELS))
        rows = []
        for burnt in self.burnt:
            left = {tank: av.LIQUID[tank][3] - share * burnt for tank, share in av.FEEDS.items()}
            system = stack.system({**left, "upper": av.LIQUID["upper"][3]})
            found = system.mass_properties(system.state())
            m, c = float(found.mass), np.array(found.com)
            rows.append(np.concatenate([[m], m * c, (found.inertia + m * shifted(c)).ravel()]))
        self.rows = np.array(rows)

    def at(self, burnt: float, flow: float) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Return mass, center of mass, its velocity while a flow (kg/s) leaves, and inertia about it."""
        k = int(np.clip(np.searchsorted(self.burnt, burnt) - 1, 0, len(self.burnt) - 2))
        slope = (self.rows[k + 1] - self.rows[k]) / (self.burnt[k + 1] - self.burnt[k])
        row = self.rows[k] + slope * (burnt - self.burnt[k])
        c = row[1:4] / row[0]
        moving = flow * (slope[1:4] - slope[0] * c) / row[0]
        return float(row[0]), c, moving, row[4:].reshape(3, 3) - row[0] * shifted(c)


def shifted(c: np.ndarray) -> np.ndarray:
    """Return the inertia of a unit mass at a place."""
    return np.dot(c, c) * np.eye(3) - np.outer(c, c)


class Rigid:
    """The rigid vehicle in a world of its own, driven by what a log says of gimbals, throttle and attitude."""

    def __init__(self, log: ist.Log, weights: Weights, world: World):
        self.world, self.weights = world, weights
        t = log.t
        body = log[av.NAME]
        self.turn = interp1d(t, Rotation.from_quat(body.quaternion, scalar_first=True).as_matrix(), axis=0)
        self.turning = interp1d(t, body.velocity[:, :3], axis=0)
        self.gimbals = interp1d(t, np.stack([log[f"engine{k}"].q for k in range(1, 5)], axis=1), axis=0)
        self.held, self.valve = log.times("cluster.valve"), log["cluster.valve"]
        self._burn()

    def _burn(self) -> None:
        """Engines follow a throttle that is held from row to row with a lag of 0.2 s: level and ∫ level at rows."""
        lag, level, burnt = 0.2 * self.world.lag, [ap.NOMINAL], [0.0]
        for wanted, dt in zip(self.valve, np.diff(self.held)):
            gone = 1.0 - np.exp(-dt / lag)
            burnt.append(burnt[-1] + wanted * dt + (level[-1] - wanted) * lag * gone)
            level.append(level[-1] + (wanted - level[-1]) * gone)
        self.levels, self.burnt = np.array(level), np.array(burnt)

    def engines(self, t: float) -> tuple[float, float]:
        """Return the level of the engines and what they have burnt, kg."""
        k = max(int(np.searchsorted(self.held, t + 1e-9)) - 1, 0)
        lag, dt, wanted = 0.2 * self.world.lag, t - self.held[k], self.valve[k]
        gone = 1.0 - np.exp(-dt / lag)
        burnt = self.burnt[k] + wanted * dt + (self.levels[k] - wanted) * lag * gone
        return self.levels[k] + (wanted - self.levels[k]) * gone, FLOW * burnt

    def weighed(self, t: float) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Return mass, center of mass, its velocity through the vehicle, and inertia about it, body axes."""
        level, burnt = self.engines(t)
        return self.weights.at(burnt, FLOW * level)

    def loads(
        self, t: float, r: np.ndarray, v: np.ndarray, R: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return gravity (world axes) and force and torque about the center of mass (body axes) as [g, F, N]."""
        one = self.world
        level, burnt = self.engines(t)
        mass, com, *_ = self.weights.at(burnt, FLOW * level)
        nozzles = [pointing(a, b) for a, b in one.gimbal * self.gimbals(t)]
        com = com - heron.ENGINE_MASS * heron.ENGINE_CG / mass * sum(to - STRAIGHT for to in nozzles)
        turn = Rotation.from_rotvec([0.0, 0.0, SPIN * one.spin * t]).as_matrix()
        fixed = AXES @ (PAD + r)  # axes of the Earth at t = 0
        # the air of the vehicle is that of the origin of its axes
        h, north, east = height(turn.T @ AXES @ (PAD + r - R @ com))
        north, east = (AXES.T @ turn @ each for each in (north, east))
        density, pressure, sound = air(h)
        ground = AXES.T @ np.cross([0.0, 0.0, SPIN * one.spin], fixed)
        blows = BLOWS(np.clip(h, *BLOWS.x[[0, -1]]))
        stream = R.T @ (v - ground - one.wind * (blows[0] * north + blows[1] * east))
        force, torque = np.zeros(3), np.zeros(3)
        for at, to in zip(MOUNTS, nozzles):
            push = (level * ap.THRUST - ap.EXIT_AREA * pressure * one.pressure) * to
            force += push
            torque += np.cross(at - com, push)
        for x, share, slope in PLACES:
            flow = stream + np.cross(w, [x, 0.0, 0.0] - com)
            speed, side = np.linalg.norm(flow), np.hypot(flow[1], flow[2])
            if speed < 1e-6:
                continue
            angle, mach = np.arctan2(side, flow[0]), np.clip(speed / sound, ap.MACH[0], ap.MACH[-1])
            across = one.normal * slope * BY_SINE(angle) * flow[1:] / max(side, 1e-9)
            push = -np.array([one.axial * share * BY_MACH(mach) * BY_COSINE(angle), *across])
            push *= 0.5 * density * one.density * speed**2 * ap.AREA
            force += push
            torque += np.cross([x, 0.0, 0.0] - com, push)
        for (begin, end), share in PIPES:  # what flows through turns with the vehicle
            push = -2.0 * share * FLOW * level * np.cross(w, [end - begin, 0.0, 0.0])
            force += push
            torque += np.cross([0.5 * (begin + end), 0.0, 0.0] - com, push)
        return gravity(fixed, one), force, torque

    def path(self, times: np.ndarray, r: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the velocity (n, 3) of the vehicle where its center of mass is at some times, attitude as flown.

        The center of mass moves through the vehicle by ċ: r' = v + ċ, v' = g + F/m + ω x ċ
        """

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            R, w = self.turn(t), self.turning(t)
            mass, _, moving, _ = self.weighed(t)
            g, force, _ = self.loads(t, y[:3], y[3:], R, w)
            return np.concatenate([y[3:] + R @ moving, g + R @ (force / mass + np.cross(w, moving))])

        span, begin = (times[0], times[-1]), np.concatenate([r, v])
        return solve_ivp(rate, span, begin, rtol=1e-8, atol=1e-5, max_step=0.2, t_eval=times).y.T[:, 3:]

    def turns(self, times: np.ndarray, r: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return angular velocity (n, 3), body axes, by all six degrees of freedom."""
        first = Rotation.from_matrix(self.turn(times[0]))

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            attitude = Rotation.from_quat(y[6:10])
            R, spin = attitude.as_matrix(), y[10:]
            mass, _, moving, I = self.weighed(t)
            g, force, torque = self.loads(t, y[:3], y[3:6], R, spin)
            x, y_, z, s = y[6:10]
            turned = 0.5 * np.array([
                s * spin[0] + y_ * spin[2] - z * spin[1], s * spin[1] + z * spin[0] - x * spin[2],
                s * spin[2] + x * spin[1] - y_ * spin[0], -x * spin[0] - y_ * spin[1] - z * spin[2],
            ])  # fmt: skip
            return np.concatenate([
                y[3:6] + R @ moving, g + R @ (force / mass + np.cross(spin, moving)), turned,
                np.linalg.solve(I, torque - np.cross(spin, I @ spin)),
            ])  # fmt: skip

        begin = np.concatenate([r, v, first.as_quat(), w])
        span = times[0], times[-1]
        return solve_ivp(rate, span, begin, rtol=1e-8, atol=1e-9, max_step=0.02, t_eval=times).y[10:].T


STRAIGHT = np.array([1.0, 0.0, 0.0])


def pointing(a: float, b: float) -> np.ndarray:
    """Return the direction of an engine on its gimbal, body axes."""
    return np.array([np.cos(a) * np.cos(b), np.sin(b), -np.sin(a) * np.cos(b)])


def gravity(fixed: np.ndarray, world: World) -> np.ndarray:
    """Return gravity of an oblate Earth, world axes."""
    r = np.linalg.norm(fixed)
    z = fixed[2] / r
    k = 1.5 * J2 * world.oblate * (RADIUS / r) ** 2
    g = -MU / r**3 * fixed * np.array([1.0 + k * (1.0 - 5.0 * z * z)] * 2 + [1.0 + k * (3.0 - 5.0 * z * z)])
    return AXES.T @ g


TIMES, BEGINS, SPAN = np.array([0.0, 60.0, 100.0, 150.0]), (20.0, 45.0, 70.0), 2.5  # s
STIFFER = (1.0, 2.0, 4.0)  # factors of Young's modulus
SPEED, TURN = 0.05, 2e-4  # m/s and rad/s, of the vehicle that does not bend: ALLOWED says why
ALLOWED = (
    "set before the run: 1e-4 of the 60 m/s that drag and of the 100 m/s that pressure on the exits take, for another "
    "standard atmosphere; gimbals between rows of the log, 1e-5 rad of 4 MN 18 m behind the center of mass"
)
SECOND = 0.1  # of the ratio: the next term, of 1/k²
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
    """A flight without gusts, its walls so many times as stiff, and how far it is from the rigid body of a world."""

    def __init__(self, stiffness: float, weights: Weights):
        self.weights = weights
        self.log = ascents.ascent(seed=None, stiffness=stiffness).fly(until=float(TIMES[-1]))
        self.body, self.coms, self.momenta = self.log[av.NAME], self.log["com"], self.log.momentum

    def speed(self, world: World, times: np.ndarray = TIMES) -> np.ndarray:
        """Return differences (n, 3) of the velocity of the center of mass at times, m/s, from the first on."""
        rigid = Rigid(self.log, self.weights, world)
        rows = np.searchsorted(self.log.t, times - 1e-6)
        # momentum of the log over the mass by hand
        v = np.array([self.momenta[k, 3:] / rigid.weighed(self.log.t[k])[0] for k in rows])
        begin = self.body.position[0] + rigid.turn(0.0) @ rigid.weighed(0.0)[1]
        return rigid.path(times, begin, v[0]) - v

    def turn(self, world: World, begin: float) -> np.ndarray:
        """Return the difference (3,) of angular velocity after some seconds, rad/s, body axes.

        That of the flight is its angular momentum about the center of mass over the inertia of the rigid vehicle.
        """
        rigid = Rigid(self.log, self.weights, world)
        rows = np.searchsorted(self.log.t, [begin - 1e-6, begin + SPAN - 1e-6])
        found = []
        for k in rows:
            R, (mass, _, _, I), p = rigid.turn(self.log.t[k]), rigid.weighed(self.log.t[k]), self.momenta[k]
            r = self.body.position[k] + R @ self.coms[k]
            found.append((r, p[3:] / mass, np.linalg.solve(I, R.T @ (p[:3] - np.cross(r, p[3:])))))
        return rigid.turns(self.log.t[rows], *found[0])[-1] - found[1][2]


def rows() -> list[Row]:
    """The flight beside the rigid body, and what each row makes of a world that is wrong by a factor of two.

    What bending does falls as 1/k with the stiffness: of three flights with walls 1, 2 and 4 times as stiff, twice the
    last less the one before is what a vehicle has that does not bend.
    """
    weights, case, near = Weights(ap.Stack.of()), "rigid body by scipy, no gusts", TIMES[:2]
    flown = [Flown(k, weights) for k in STIFFER]
    speeds = np.array([one.speed(World())[1:] for one in flown])
    turns = np.array([[one.turn(World(), begin) for begin in BEGINS] for one in flown])
    out = []
    for name, unit, limit, found, times in (
        ("velocity at", "m/s", SPEED, speeds, TIMES[1:]),
        (f"turning in {SPAN:g} s from", "rad/s", TURN, turns, BEGINS),
    ):
        size = np.linalg.norm(found, axis=2)
        for k, t in enumerate(times):
            left = float(np.linalg.norm(2.0 * found[2, k] - found[1, k]))
            words = ", ".join(f"{one:.2g}" for one in size[:, k])
            note = f"as it does not bend; {words} with walls 1, 2, 4 times as stiff"
            out.append(Row(case, f"{name} T + {t:.0f} s, {unit}", "", "", left, limit, note, ALLOWED))
        for k, t in enumerate(times):
            first, second = (float(np.linalg.norm(found[j, k] - found[j + 1, k])) for j in (0, 1))
            ratio, words = first / second, f"{name} T + {t:.0f} s, bending by the stiffness"
            note = "walls 1 to 2 times as stiff beside 2 to 4 times: what bending does falls as 1/k"
            error = abs(ratio / 2.0 - 1.0)
            out.append(Row(case, words, "2", f"{ratio:.2f}", error, SECOND, note, "terms of 1/k²", True))
    stiff = flown[-1]
    speed, turn = stiff.speed(World(), near)[-1], turns[-1, 1]
    for words, world in WRONG.items():
        moved = max(
            float(np.linalg.norm(stiff.speed(world, near)[-1] - speed)) / SPEED,
            float(np.linalg.norm(stiff.turn(world, BEGINS[1]) - turn)) / TURN,
        )
        out.append(
            Row(
                f"{case}, {words}",
                "a row beside its limit",
                "> 1",
                f"{moved:.0f}",
                1.0 / moved,
                1.0,
                "would fail",
            )
        )
    return out
