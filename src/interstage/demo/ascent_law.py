"""Flight software of the ascent in plain Python, 50 times a second: guidance, attitude, filters, allocation.

    guidance    a = -(ω² Δr + 2ζω Δv) of the error against the reference, in axes of the reference; along the nose it
                changes the throttle, across it tilts the commanded attitude by a / (thrust/mass)
    attitude    u = kp e + kd (ω - ω_c) + ki ∫e,   e = rotation_error(attitude, commanded)
    filters     biquads in series on each axis (notches on bending, a roll-off), transposed direct form II
    allocation  gimbals = -E⁺ u while the first stage burns; then one gimbal, and jets for roll

All numbers but those of the guidance are linear in time between the rows of two schedules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from interstage.demo.ascent_plant import FRAME
from interstage.demo.ascent_reference import Reference
from interstage.system import quaternion, rotation_error

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
class Plan:
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


class Autopilot:
    """The software; its memory are numbers among its attributes."""

    def __init__(self, plan: Plan):
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
        wanted = quaternion.turn(commanded, np.array([0.0 * push, self.tilt[0], self.tilt[1]]))
        error = rotation_error(attitude, wanted)
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
