"""Flight software of the ascent and its design: guidance, attitude control, filters, allocation, gains and margins.

Flight software of the ascent in plain Python, 50 times a second: guidance, attitude, filters, allocation.

    guidance    a = -(ω² Δr + 2ζω Δv) of the error against the reference, in axes of the reference; along the nose it
                changes the throttle, across it tilts the commanded attitude by a / (thrust/mass)
    attitude    u = kp e + kd (ω - ω_c) + ki ∫e,   e = attitude_error(attitude, commanded)
    filters     biquads in series on each axis (notches on bending, a roll-off), transposed direct form II
    allocation  gimbals = -E⁺ u while the first stage burns; then one gimbal, and jets for roll

All numbers but those of the guidance are linear in time between the rows of two schedules.

Design of the ascent's attitude law on six linear models, and the margins of its loops.

A loop is opened at the demand of one axis, the other two closed:

    M = F(z) C(z) G(z),    L_i = M_ii - M_ij (1 + M_jj)⁻¹ M_ji        C = [kp + ki T/(1 - z⁻¹), kd], G: per demand

Rigid: below three quarters of the first bending mode, distances of L from -1 in dB and degrees, downwards too (an
airframe that is unstable in the air has a least gain). Bending: above it; where |L| is more than -6 dB its
phase is told from -180°.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from interstage.demo import ascent_plant as ap
from interstage.demo.ascent_plant import FRAME
from interstage.demo.ascent_points import AXES, Point, points
from interstage.demo.ascent_reference import Reference
from interstage.devices.clipping import clipped
from interstage.devices.filters import tustin
from interstage.jit import kernel
from interstage.linear import LinearModel
from interstage.simulation import Device, DiscreteState, In, Out, Parameter, attitude_error, quaternion
from interstage.spatial.quaternion import (
    quaternion_conjugate,
    quaternion_multiply,
    quaternion_normalize,
    quaternion_rotate,
    quaternion_step,
    quaternion_to_rotvec,
)

SECTIONS = 3  # biquads of an axis
SLOW, DAMPED = 0.04, 0.8  # rad/s and ratio of the guidance
EASE, TURN = 1.5, np.radians(0.5)  # s, and rad/s at most, of its tilt
TILT_IN_AIR, TILT = np.radians(1.0), np.radians(5.0)  # at most, where there is air (5 kPa) and above
TRIM = 0.06  # of the throttle, at most
AIR = 5e3  # Pa
IGNITION = 0.9  # s after the tanks of the first stage are empty


def limited(x: np.ndarray, most: float) -> np.ndarray:
    """Return numbers, none beyond ±most."""
    return np.where(x.real > most, most, np.where(x.real < -most, -most, x))


def between(t: np.ndarray, table: np.ndarray, now: float) -> np.ndarray:
    """Return the row (p,) at a time of a table (n, p), linear between its rows and held beyond them."""
    k = int(t.searchsorted(now))
    if k == 0 or k == len(t):
        return table[min(k, len(t) - 1)]
    return table[k - 1] + (now - t[k - 1]) / (t[k] - t[k - 1]) * (table[k] - table[k - 1])


@dataclass(frozen=True, eq=False)
class Schedule:
    """Numbers of the law over time, for a vehicle with m actuators.

    t (n,);  kp, kd, ki (n, 3) : 1/s², 1/s, 1/s³;  filters (n, SECTIONS, 5, 3) : B0, B1, B2, A1, A2 of each axis
    allocate (n, m, 3) : commands for an angular acceleration
    """

    t: np.ndarray
    kp: np.ndarray
    kd: np.ndarray
    ki: np.ndarray
    filters: np.ndarray
    allocate: np.ndarray

    @cached_property
    def table(self) -> np.ndarray:
        """All numbers (n, p), a row for each time."""
        parts = (self.kp, self.kd, self.ki, self.filters, self.allocate)
        return np.hstack([part.reshape(len(self.t), -1) for part in parts])

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return kp, kd, ki, filters, allocation at a time."""
        row, n = between(self.t, self.table, t), 9 + 15 * SECTIONS
        return row[:3], row[3:6], row[6:9], row[9:n].reshape(SECTIONS, 5, 3), row[n:].reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class AscentPlan:
    """What the software knows: schedules of both stages and the reference.

    lever (n, 2) : times, and how far its antenna is ahead of the centre of mass;  drop : when the first stage leaves
    """

    first: Schedule
    upper: Schedule
    reference: Reference
    lever: np.ndarray
    drop: float

    @cached_property
    def along(self) -> np.ndarray:
        """Dynamic pressure, mass over thrust (0 without), and lever (n, 3), over the times of the reference."""
        t, thrust, mass = (self.reference[name] for name in ("time", "thrust", "mass"))
        first, burns = self.lever[self.lever[:, 0] < self.drop], thrust > 0.0
        lever = np.where(t < self.drop, np.interp(t, first[:, 0], first[:, 1]), self.lever[-1, 1])
        heavy = np.where(burns, mass / np.where(burns, thrust, 1.0), 0.0)
        return np.column_stack([self.reference["dynp"], heavy, lever])

    def ahead(self, t: float) -> float:
        """Return how far the antenna is ahead of the centre of mass."""
        return float(between(self.reference.t, self.along, t)[2])


class AscentSoftware:
    """The software; its memory are numbers among its attributes."""

    def __init__(self, plan: AscentPlan):
        self.plan = plan
        self.forget()

    def forget(self) -> None:
        """Be as before lift-off."""
        self.integral = np.zeros(3)
        self.memory = np.zeros((SECTIONS, 2, 3))
        self.tilt = np.zeros(2)
        self.empty = -1.0  # time at which the first stage ran empty

    def __call__(self, t, attitude, rate, position, velocity, commanded, turning, place, speed, level, feeds):
        first = feeds.real > 0.5
        if not first and self.empty < 0.0:
            self.empty, self.integral, self.memory = t, np.zeros(3), np.zeros((SECTIONS, 2, 3))
        push = self.guide(t, commanded, position - place, velocity - speed)
        wanted = quaternion.rotate_by(commanded, np.array([0.0 * push, self.tilt[0], self.tilt[1]]))
        error = attitude_error(attitude, wanted)
        demand, allocate = self.control(t, error, rate - turning, first)
        out = {
            "error": error,
            "demand": demand,
            "gimbal": np.zeros(8, demand.dtype),
            "jets": np.zeros(2, demand.dtype),
        }
        out |= {"gimbal2": np.zeros(2, demand.dtype), "throttle": level * (1.0 + push), "throttle2": 0.0}
        if first:
            out["gimbal"] = allocate @ demand
            return out
        command = allocate @ demand
        out["gimbal2"] = command[:2]
        out["jets"][0 if command[2].real >= 0.0 else 1] = (
            command[2] if command[2].real >= 0.0 else -command[2]
        )
        if t > self.empty + IGNITION:
            out["throttle2"] = out["throttle"]
        return out

    def guide(self, t, commanded, behind, slower):
        """Return the change of the throttle, as a share; ease the tilt (about y and z) towards what is wanted."""
        pressure, heavy, ahead = between(self.plan.reference.t, self.plan.along, t)
        if heavy == 0.0:
            return 0.0
        most = TILT_IN_AIR if pressure > AIR else TILT
        back = quaternion.inverse(commanded)
        a = quaternion.rotate(back, -(SLOW**2) * behind - 2.0 * DAMPED * SLOW * slower)
        a[0] += SLOW**2 * ahead
        # thrust along x turned by θ about y points to -z, about z to +y
        wanted = limited(np.array([-a[2], a[1]]) * heavy, most)
        self.tilt = self.tilt + limited(FRAME / EASE * (wanted - self.tilt), FRAME * TURN)
        return limited(a[:1] * heavy, TRIM)[0]

    def control(self, t, error, rate, first):
        """Return the angular acceleration that is demanded (3,), and how it is allocated."""
        kp, kd, ki, filters, allocate = (self.plan.first if first else self.plan.upper).at(t)
        self.integral = self.integral + FRAME * error
        u = kp * error + kd * rate + ki * self.integral
        memory = np.empty((SECTIONS, 2, 3), u.dtype)
        for k in range(SECTIONS):
            b0, b1, b2, a1, a2 = filters[k]
            y = b0 * u + self.memory[k, 0]
            memory[k, 0] = b1 * u - a1 * y + self.memory[k, 1]
            memory[k, 1] = b2 * u - a2 * y
            u = y
        self.memory = memory
        return -u, allocate


@kernel
def around(times, now):
    """Return the rows of a table on both sides of a time, and the share of the second: linear, held beyond its ends."""
    low, high = 0, len(times)
    while low < high:
        middle = (low + high) // 2
        if times[middle].real < now:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0, 0, 0.0 * times[0]
    if low == len(times):
        return low - 1, low - 1, 0.0 * times[0]
    return low - 1, low, (now - times[low - 1]) / (times[low] - times[low - 1])


@kernel
def entry(table, where, column):
    """Return a number of a table between two rows, as `around` says."""
    k, j, share = where
    return table[k, column] + share * (table[j, column] - table[k, column])


@kernel
def shaped(table, where, error, rate, turning, integral, memory, demand):
    """Write the angular acceleration that is demanded (3,): gains and filters between two rows of a schedule."""
    for i in range(3):
        integral[i] += FRAME * error[i]
        u = entry(table, where, i) * error[i] + entry(table, where, 3 + i) * (rate[i] - turning[i])
        u += entry(table, where, 6 + i) * integral[i]
        for k in range(SECTIONS):
            b0, b1 = entry(table, where, 9 + 15 * k + i), entry(table, where, 12 + 15 * k + i)
            b2, a1 = entry(table, where, 15 + 15 * k + i), entry(table, where, 18 + 15 * k + i)
            a2 = entry(table, where, 21 + 15 * k + i)
            y = b0 * u + memory[2 * k, i]
            memory[2 * k, i] = b1 * u - a1 * y + memory[2 * k + 1, i]
            memory[2 * k + 1, i] = b2 * u - a2 * y
            u = y
        demand[i] = -u


@kernel
def allocated(table, where, row, demand):
    """Return the command of an actuator for an angular acceleration."""
    first = 9 + 15 * SECTIONS + 3 * row
    command = entry(table, where, first) * demand[0]
    return command + entry(table, where, first + 1) * demand[1] + entry(table, where, first + 2) * demand[2]


class AscentComputer(Device):
    """The equations of `AscentSoftware` as a device: compiled, for flights without Python.

    first, upper : schedules of the stages, rows as `Schedule.table` has them;  along : as `AscentPlan.along`
    steered (4,) : commanded attitude with the tilt of the guidance;  pull (3,) : what the guidance asks for, m/s²
    """

    first_t, first = Parameter("s", size="a"), Parameter("", size=("a", "p"))
    upper_t, upper = Parameter("s", size="b"), Parameter("", size=("b", "r"))
    along_t, along = Parameter("s", size="c"), Parameter("", size=("c", 3))
    attitude, rate = In("", 4), In("rad/s", 3)
    position, velocity = In("m", 3), In("m/s", 3)
    commanded, turning = In("", 4), In("rad/s", 3)
    place, speed = In("m", 3), In("m/s", 3)
    level, feeds = In(""), In("")
    gimbal, gimbal2, jets = Out("rad", 8), Out("rad", 2), Out("s", 2)
    throttle, throttle2 = Out(""), Out("")
    error, demand = Out("rad", 3), Out("rad/s^2", 3)
    steered, apart, pull = Out("", 4), Out("", 4), Out("m/s^2", 3)
    integral, memory = DiscreteState("", 3), DiscreteState("", (2 * SECTIONS, 3))
    tilt, empty = DiscreteState("rad", 2), DiscreteState("s", initial=-1.0)

    @classmethod
    def of(cls, plan: AscentPlan) -> AscentComputer:
        """Return the computer that knows a plan."""
        first, upper = plan.first, plan.upper
        return cls(
            first_t=first.t, first=first.table, upper_t=upper.t, upper=upper.table,
            along_t=plan.reference.t, along=plan.along,
        )  # fmt: skip

    def sample(d, t):
        burns = d.feeds.real > 0.5
        if not burns and d.empty.real < 0.0:
            d.empty = t
            for i in range(3):
                d.integral[i] = 0.0
                for k in range(2 * SECTIONS):
                    d.memory[k, i] = 0.0
        now = around(d.along_t, t)
        pressure, heavy = entry(d.along, now, 0), entry(d.along, now, 1)
        push = 0.0 * d.level
        if heavy.real != 0.0:
            most = TILT_IN_AIR if pressure.real > AIR else TILT
            quaternion_conjugate(d.commanded, d.apart)
            for i in range(3):
                apart, slower = d.position[i] - d.place[i], d.velocity[i] - d.speed[i]
                d.pull[i] = -(SLOW**2) * apart - 2.0 * DAMPED * SLOW * slower
            quaternion_rotate(d.apart, d.pull, d.pull)
            d.pull[0] += SLOW**2 * entry(d.along, now, 2)
            # thrust along x turned by θ about y points to -z, about z to +y
            for i in range(2):
                wanted = clipped((-d.pull[2] if i == 0 else d.pull[1]) * heavy, -most, most)
                d.tilt[i] += clipped(FRAME / EASE * (wanted - d.tilt[i]), -FRAME * TURN, FRAME * TURN)
            push = clipped(d.pull[0] * heavy, -TRIM, TRIM)
        d.error[0] = 0.0
        for i in range(2):
            d.error[1 + i] = d.tilt[i]
        quaternion_step(d.commanded, d.error, d.steered)
        quaternion_normalize(d.steered, d.steered)
        quaternion_conjugate(d.steered, d.apart)
        quaternion_multiply(d.apart, d.attitude, d.apart)
        quaternion_to_rotvec(d.apart, d.error)
        d.throttle = d.level * (1.0 + push)
        d.throttle2 = 0.0
        if burns:
            at = around(d.first_t, t)
            shaped(d.first, at, d.error, d.rate, d.turning, d.integral, d.memory, d.demand)
            for i in range(8):
                d.gimbal[i] = allocated(d.first, at, i, d.demand)
            for i in range(2):
                d.gimbal2[i] = 0.0
                d.jets[i] = 0.0
        else:
            at = around(d.upper_t, t)
            shaped(d.upper, at, d.error, d.rate, d.turning, d.integral, d.memory, d.demand)
            for i in range(8):
                d.gimbal[i] = 0.0
            for i in range(2):
                d.gimbal2[i] = allocated(d.upper, at, i, d.demand)
            width = allocated(d.upper, at, 2, d.demand)
            d.jets[0] = width if width.real >= 0.0 else 0.0 * width
            d.jets[1] = 0.0 * width if width.real >= 0.0 else -width
            if t > d.empty.real + IGNITION:
                d.throttle2 = d.throttle


def biquad(
    hz: float, above: tuple[float, float, float], below: tuple[float, float, float]
) -> tuple[float, ...]:
    """Return B0, B1, B2, A1, A2 of (b2 s² + b1 s + b0)/(a2 s² + a1 s + a0) with s in units of 2π hz, exact there."""
    w = 2.0 * np.pi * hz
    b2, b1, b0 = above
    a2, a1, a0 = below
    return tuple(float(c) for c in tustin(w, ap.FRAME, b2, b1 * w, b0 * w * w, a2, a1 * w, a0 * w * w))


def notch(hz: float, depth: float, width: float) -> tuple[float, ...]:
    """Return a notch: damping `depth` of its zeros, `width` of its poles."""
    return biquad(hz, (1.0, 2.0 * depth, 1.0), (1.0, 2.0 * width, 1.0))


def roll_off(hz: float, damping: float = 0.7) -> tuple[float, ...]:
    """Return a low-pass of second order."""
    return biquad(hz, (0.0, 0.0, 1.0), (1.0, 2.0 * damping, 1.0))


NOTHING = (1.0, 0.0, 0.0, 0.0, 0.0)
HISS = 5.0  # Hz of a roll-off that noise of sensors alone asks for


@dataclass(frozen=True)
class Choice:
    """Numbers of a design.

    bandwidth, damping, integral : of pitch and yaw, rad/s, ratio, and ki as a share of kp ω;  roll : rad/s
    notches : (depth, width) on the first two bending modes;  cut : of the roll-off, beside the first mode
    """

    bandwidth: tuple[float, ...] = (0.9, 1.1, 1.4, 1.25, 1.1, 1.0)
    damping: float = 0.75
    integral: float = 0.03
    roll: float = 0.8
    notches: tuple[tuple[float, float], ...] = ((0.02, 0.65), (0.05, 0.45))
    cut: tuple[float, ...] = (1.0, 1.1, 1.2, 1.2, 1.1, 1.0)


def design(
    at: Sequence[Point], choice: Choice | None = None, filtered: bool = True
) -> tuple[Schedule, Schedule]:
    """Return schedules of the first and of the upper stage.

    filtered : False: as for a rigid vehicle, without notches, the roll-off where noise asks for it
    """
    choice, rows = choice or Choice(), []
    for one, w, cut in zip(at, choice.bandwidth, choice.cut):
        speed = np.array([0.5 if one.upper else choice.roll, w, w])
        kp, kd = speed**2, 2.0 * choice.damping * speed
        # an integral behind the dead band of jets would hunt
        share = choice.integral * np.array([0.0 if one.upper else 1.0, 1.0, 1.0])
        sections = np.tile(np.array(NOTHING)[:, None], (SECTIONS, 1, 3))
        sections[-1] = np.array(roll_off(HISS))[:, None]
        if filtered:
            first, second = one.bending
            for k, (hz, (depth, width)) in enumerate(zip((first, second), choice.notches)):
                sections[k, :, 1:] = np.array(notch(hz, depth, width))[:, None]
            sections[-1] = np.array(roll_off(min(cut * first, 6.0)))[:, None]
        allocate = np.linalg.pinv(one.effect)
        if one.upper:  # jets push one way: the second pair has the width with the other sign
            allocate = np.vstack(
                [np.linalg.pinv(one.effect[1:, :2]) @ np.eye(3)[1:], [[1.0 / one.effect[0, 2], 0.0, 0.0]]]
            )
        rows.append({"t": np.array(one.t), "kp": kp, "kd": kd, "ki": share * kp * speed,
                     "filters": sections, "allocate": allocate})  # fmt: skip
    out = []
    for upper in (False, True):
        mine = [row for row, one in zip(rows, at) if one.upper == upper]
        out.append(Schedule(**{name: np.array([row[name] for row in mine]) for name in mine[0]}))
    return out[0], out[1]


def law_model(schedule: Schedule, t: float) -> LinearModel:
    """Return the attitude law at a time, from attitude and rate (6,) to the angular acceleration demanded, negative."""
    kp, kd, ki, filters, _ = schedule.at(t)
    T, n = ap.FRAME, 3 + 6 * SECTIONS
    A, B, C, D = np.zeros((n, n)), np.zeros((n, 6)), np.zeros((3, n)), np.zeros((3, 6))
    A[:3, :3], B[:3, :3] = np.eye(3), T * np.eye(3)
    C[:, :3], D[:, :3], D[:, 3:] = np.diag(ki), np.diag(kp + T * ki), np.diag(kd)
    for k, c in enumerate(filters):
        b0, b1, b2, a1, a2 = (np.diag(each) for each in c)
        one, two = slice(3 + 6 * k, 6 + 6 * k), slice(6 + 6 * k, 9 + 6 * k)
        # u = C x + D y;  v = b0 u + s1;  s1 = b1 u - a1 v + s2;  s2 = b2 u - a2 v
        Cu, Du = C, D
        C, D = b0 @ Cu, b0 @ Du
        C[:, one] += np.eye(3)
        A[one], B[one] = b1 @ Cu - a1 @ C, b1 @ Du - a1 @ D
        A[one, two] += np.eye(3)
        A[two], B[two] = b2 @ Cu - a2 @ C, b2 @ Du - a2 @ D
    return LinearModel(A, B, C, D, dt=T)


def steered(one: Point, schedule: Schedule) -> LinearModel:
    """Return the vehicle from angular accelerations demanded (3,) to attitude and rate (6,)."""
    allocate, model = schedule.at(one.t)[4], one.model
    if one.upper:
        allocate = np.vstack([allocate, 0.0 * allocate[:1]])
    return LinearModel(model.A, model.B @ allocate, model.C, model.D @ allocate, dt=model.dt)


def closed_loop(one: Point, schedule: Schedule) -> LinearModel:
    """Return vehicle and law together."""
    return steered(one, schedule).feedback(law_model(schedule, one.t))


def open_loops(one: Point, schedule: Schedule, hz: np.ndarray) -> np.ndarray:
    """Return L (k, 3) of roll, pitch and yaw at frequencies (k,), each with the other loops closed."""
    M = law_model(schedule, one.t).frequency_response(hz) @ steered(one, schedule).frequency_response(hz)
    out = np.empty((len(hz), 3), complex)
    for i in range(3):
        j = [k for k in range(3) if k != i]
        inner = np.linalg.solve(np.eye(2) + M[:, j][:, :, j], M[:, j, i][:, :, None])[:, :, 0]
        out[:, i] = M[:, i, i] - (M[:, i][:, j] * inner).sum(axis=1)
    return out


@dataclass(frozen=True)
class Margins:
    """Margins of one loop: dB and degrees; peak of bending in dB, and its phase from -180° where it is above -6 dB."""

    t: float
    axis: str
    gain: float
    phase: float
    peak: float
    bending_phase: float

    @property
    def holds(self) -> bool:
        """Whether it is as wanted: 6 dB, 30°, bending stabilized by gain or by phase."""
        return self.gain >= 6.0 and self.phase >= 30.0 and (self.peak <= -6.0 or self.bending_phase >= 30.0)


def grid(one: Point) -> np.ndarray:
    """Return frequencies (Hz) that see every mode of bending."""
    slow = np.geomspace(0.01, 25.0, 3000)
    z = np.linalg.eigvals(one.model.A)
    s = np.log(z[np.abs(z) > 1e-6]) / ap.FRAME
    sharp = s[(s.imag > 3.0) & (-s.real < 0.05 * np.abs(s))]
    near = [np.linspace(-6.0, 6.0, 121) * abs(p.real) / (2.0 * np.pi) + p.imag / (2.0 * np.pi) for p in sharp]
    every = np.concatenate([slow, *near])
    return np.unique(every[(every > 0.0) & (every < 0.5 / ap.FRAME)])


def margins_of(one: Point, schedule: Schedule) -> list[Margins]:
    """Return the margins of three loops at a point."""
    hz = grid(one)
    L = open_loops(one, schedule, hz)
    split = 0.75 * one.bending[0]
    return [margins_from(hz, L[:, k], one.t, axis, split) for k, axis in enumerate(AXES)]


def margins_from(hz: np.ndarray, L: np.ndarray, t: float, axis: str, split: float) -> Margins:
    """Return the margins of one loop from its response, interpolated between frequencies at every crossing."""
    dB, off = 20.0 * np.log10(np.abs(L)), np.degrees(np.angle(-L))  # 0: on the axis of -1
    rigid, step = hz < split, (np.diff(off) + 180.0) % 360.0 - 180.0
    turns = np.flatnonzero(rigid[:-1] & (off[:-1] * off[1:] < 0.0) & (np.abs(off[1:] - off[:-1]) < 180.0))
    crosses = np.flatnonzero(rigid[:-1] & (dB[:-1] * dB[1:] < 0.0))
    gain = np.abs(dB[turns] - off[turns] / step[turns] * np.diff(dB)[turns]).min(initial=np.inf)
    phase = np.abs(off[crosses] - dB[crosses] / np.diff(dB)[crosses] * step[crosses]).min(initial=np.inf)
    loud = ~rigid & (dB > -6.0)
    beside = float(np.abs(off[loud]).min()) if loud.any() else 180.0
    return Margins(t, axis, float(gain), float(phase), float(dB[~rigid].max()), beside)


def margins(flown: Reference, schedules: tuple[Schedule, Schedule], *, mass: float = 1.0, stiffness: float = 1.0,
            damping: float = 1.0, thrust: float = 1.0, wind: float = 1.0) -> list[Margins]:  # fmt: skip
    """Return the margins of a design with a vehicle that is not as it was thought, at all points."""
    stack = ap.Stack.of(mass, stiffness, damping)
    at = points(stack, flown, thrust=thrust, wind=wind)
    return [each for one in at for each in margins_of(one, schedules[int(one.upper)])]
