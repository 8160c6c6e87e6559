"""What is known ahead of the vehicle's motion: motions of prescribed joints, and masses, as members of an assembly.

    flight.add("slew", ist.PrescribedMotion(angle=lambda t: 0.1 * np.sin(t)), body="panel")
    flight.add("burning", ist.MassHistory(lambda t: (900.0 - 3.0 * t, [0, 0, 1.2], J)), body="tank")

They run on a tape of their own, before kinematics: what they say is written into q and v of a prescribed joint and into
the mass properties of a body at every stage of every step. Python is asked for many times at once: those at which the
stages of the coming equal steps stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, InterstageError, did_you_mean
from interstage.multibody import State, System
from interstage.multibody.address_table import slots_of
from interstage.multibody.compile import rigid_numbers
from interstage.multibody.joints.elementary_motions import LENGTH
from interstage.simulation.plant.coupled_arrays import WELL, call
from interstage.simulation.plant.declarations import ANY, Field, JointRef, Push, Site
from interstage.simulation.plant.prescribed_motion import (
    NAMES,
    TWIN,
    BoundMotion,
    Mass,
    PrescribedMotion,
    check_motion,
)
from interstage.simulation.plant.python_block import Law
from interstage.spatial import RigidInertia

LEVELS = ("motion_angle", "motion_rate", "motion")  # quantities of pushes, as `NAMES`
MASS = "mass"
AHEAD = (*LEVELS[:2], MASS)  # quantities that are written before kinematics
NUMBERS = 10  # m, m c, J about the body's frame
SOME = 16  # times that were asked for one by one, to be looked at together
RESTS = -1  # for a count of rows: nothing is said
NEAR = 1e-9  # of the time between two rows: nearer ones are the same

Upcoming = Callable[[float], np.ndarray]
Told = Callable[[float], None]


def is_si(vehicle: System) -> bool:
    """Return whether the numbers of a vehicle are in kg, m and s, as far as is known."""
    return not vehicle.units or vehicle.units == {"mass": "kg", "length": "m", "time": "s"}


@dataclass(frozen=True)
class PrescribedTable:
    """What those who know ahead write on: a vector, at the numbers of each port.

    upcoming(t) : times that will be asked for, from t on;  state() : that of the stage
    origin (3,) : of the kernels' frame in that of the body, as it hangs now; None where that is not known
    """

    vector: np.ndarray
    where: Mapping[str, np.ndarray]
    upcoming: Upcoming
    state: Callable[[], State]
    origin: np.ndarray | None = None


@named_arguments
@dataclass(frozen=True)
class MassHistory:
    """The mass properties of a rigid body as f(t) or f(t, x): a `RigidInertia`, or (mass, com, inertia).

    What leaves (or comes) has the velocity of the body where it was: no velocity changes, and nothing pushes but what
    devices say. f(t, x) gets the state of all vehicles of the assembly.
    """

    f: Callable[..., RigidInertia | tuple[object, ...]]


class _Told:
    """Stands for the function of a law, and remembers nothing."""

    __slots__ = ()

    def __call__(self, t: float) -> None: ...


class Ahead(Law):
    """A motion of the joint of a body, or its mass, as a member of an assembly.

    later : it begins by an event
    """

    def __init__(
        self,
        given: PrescribedMotion | MassHistory,
        body: str,
        where: str,
        vehicle: System | None = None,
        later: bool = False,
    ):
        self.given, self.body, self.where, self.vehicle, self.later = given, body, where, vehicle, later
        self.function, self.ins, self.defaults, self.sized = _Told(), (), set[str](), set[str]()
        self.size: int | None = NUMBERS if isinstance(given, MassHistory) else None
        if vehicle is not None:
            self.size = self._size(vehicle)
        owner = Site() if isinstance(given, MassHistory) else JointRef()
        owner.name = "body"
        self.places = {"body": owner}
        self.fields: dict[str, Field] = {n: Push(owner, *words, None) for n, words in self._ports().items()}
        for name, field in self.fields.items():
            field.name = name
        self.outs = tuple(self.fields)

    def _ports(self) -> dict[str, tuple[str, str, str]]:
        """Return quantity, axes and unit of each port."""
        if isinstance(self.given, MassHistory):
            return {MASS: (MASS, "body", "")}
        first, unit = min(k for k, name in enumerate(NAMES) if getattr(self.given, name) is not None), ANY
        if self.vehicle is not None:
            kinds = {one.kind for one in self.vehicle.model.spec(self.body).joint.velocities}
            unit = ANY if len(kinds) > 1 or not is_si(self.vehicle) else "m" if kinds == {LENGTH} else "rad"
        units = [ANY] * 3 if unit == ANY else [unit, f"{unit}/s", f"{unit}/s^2"]
        return {NAMES[k]: (LEVELS[k], "joint", units[k]) for k in range(first, 3)}

    def _size(self, vehicle: System) -> int:
        """Return how many numbers a port has, of a body that the vehicle has."""
        if self.body not in vehicle.bodies:
            raise InputError(
                f"there is no body '{self.body}'",
                where=self.where,
                hint=did_you_mean(self.body, vehicle.bodies),
            )
        if not isinstance(self.given, MassHistory):
            joint = vehicle.model.spec(self.body).joint
            check_motion(self.given, self.body, joint)
            return joint.nv
        if vehicle.flexible(self.body) is not None:
            raise InputError(
                f"body '{self.body}' is flexible: its mass belongs to its component", where="mass"
            )
        return NUMBERS

    def bound(self, vehicle: System) -> Ahead:
        """Return this one on a vehicle."""
        return Ahead(self.given, self.body, self.where, vehicle)

    def place_of(self, name: str) -> str:
        """Return the body."""
        return self.body

    def shape_of(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a port, None where the vehicle is not known yet."""
        return None if self.size is None else (self.size,)

    def corners(self) -> np.ndarray:
        """Return the times at which a table begins or ceases to bend: steps of a method's own end there."""
        return self._motion().curve.corners if isinstance(self.given, PrescribedMotion) else np.zeros(0)

    def _motion(self) -> BoundMotion:
        assert self.vehicle is not None and isinstance(self.given, PrescribedMotion)
        return BoundMotion(self.given, self.body, self.vehicle.model.spec(self.body).joint)

    @property
    def sees(self) -> bool:
        """Whether it asks for the state of the vehicle."""
        return isinstance(self.given, MassHistory) and Mass(self.given.f, self.body).of_state

    def teller(self, sheet: PrescribedTable) -> Told:
        """Return a function of time that writes what is known."""
        vector, upcoming = sheet.vector, sheet.upcoming
        to = np.concatenate([sheet.where[name] for name in self.outs])
        if isinstance(self.given, PrescribedMotion):
            bound = self._motion()

            def rows(times: np.ndarray) -> np.ndarray:
                return np.concatenate([one for one in bound.table(times) if one is not None], axis=1)

            return Foreseen(rows, vector, to, upcoming)
        assert self.vehicle is not None
        mass, origin = Mass(self.given.f, self.body), sheet.origin
        if origin is None:
            origin = self.vehicle.model.spec(self.body).offset
        if not mass.of_state:
            return Foreseen(lambda times: mass.table(times, None, origin), vector, to, upcoming)

        def tell(t: float) -> None:
            vector[to] = rigid_numbers(mass.inertia(t, sheet.state()), origin)

        return tell

    def __repr__(self) -> str:
        words = "motion" if isinstance(self.given, PrescribedMotion) else "mass"
        return f"{words}({self.body})"


class Foreseen:
    """Writes rows of a table of functions of time, made for many times at once where these are known.

    rows(times) : (T, n), what goes to the numbers `to` of a vector
    times (R,), table (R, n) : the first count[0] rows are foreseen; compiled code reads them by `read_row`
    """

    def __init__(
        self,
        rows: Callable[[np.ndarray], np.ndarray],
        vector: np.ndarray,
        to: np.ndarray,
        upcoming: Upcoming,
    ):
        self.rows, self.vector, self.to, self.upcoming = rows, vector, to, upcoming
        self.times, self.table, self.count = np.zeros(0), np.zeros((0, len(to))), np.zeros(1, dtype=np.int64)
        self.ask = np.zeros(2, dtype=np.int64)  # address and row of this, for compiled code
        self.row = slots_of(self._arrays())
        self.alone: list[float] = []

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.times, self.table, self.count, self.to, self.vector, self.ask

    def __call__(self, t: float) -> None:
        """Write what holds at a time; at one that is none, forget what was foreseen."""
        if t != t:
            self.forget()
        if t != t or self.count[0] == RESTS:
            return
        k = self._near(self.times[: self.count[0]], t)
        if k is None:
            k = self._foresee(t)
        self.vector[self.to] = self._one(t) if k is None else self.table[k]

    def forget(self) -> None:
        """Forget what was foreseen: it is asked anew."""
        self.count[0] = min(0, self.count[0])

    def rest(self) -> None:
        """Write nothing until `point_to`: what is there stays."""
        self.count[0] = RESTS

    def point_to(self, vector: np.ndarray, to: np.ndarray) -> None:
        """Write elsewhere from now on; what was foreseen is forgotten."""
        self.vector, self.to = vector, to
        self.count[0] = 0
        if len(to) != self.table.shape[1]:
            self.times, self.table = np.zeros(0), np.zeros((0, len(to)))
        self.row[:] = slots_of(self._arrays())

    def _foresee(self, t: float) -> int | None:
        """Ask for the rows of the times to come; return which is that of t, None where it is not among them."""
        times = self.upcoming(t)
        if len(times) < 2:
            return None
        times = np.unique(times)
        k = self._near(times, t)
        if k is None:
            return None
        n = len(times)
        if n > len(self.times):
            self.times, self.table = np.empty(n), np.empty((n, len(self.to)))
            self.row[:] = slots_of(self._arrays())
        self.count[0] = 0
        apart = np.diff(times)
        ends = [*(1 + np.flatnonzero(apart <= TWIN * apart.max())), n]  # of steps
        while ends and ends[-1] > k:
            n = ends[-1]
            try:
                self.table[:n] = self.rows(times[:n])
            except InterstageError:  # one of them: it is told of where it is reached, an event may come first
                ends = ends[: len(ends) // 2]
            else:
                self.times[:n], self.count[0] = times[:n], n
                return k
        return None

    def _near(self, times: np.ndarray, t: float) -> int | None:
        if len(times) < 2:
            return None
        slack = NEAR * (times[1] - times[0])
        k = int(np.searchsorted(times, t - slack))
        if k >= len(times) or times[k] - t > slack:
            return None
        # at the end of a step there are two, on both sides of what may jump there; the later one at the time itself
        return k + 1 if k + 1 < len(times) and abs(times[k + 1] - t) <= t - times[k] else k

    def _one(self, t: float) -> np.ndarray:
        """Return the row of one time; now and then several are asked for together, which shows jumps."""
        row = self.rows(np.array([t]))[0]
        self.alone.append(t)
        if len(self.alone) >= SOME:
            self.rows(np.unique(self.alone))
            self.alone = self.alone[-1:]
        return row


# of a `Foreseen`, for compiled code
FORESEEN_FIELDS = (
    ("times", "f", 1),
    ("table", "f", 2),
    ("count", "i", 1),
    ("to", "i", 1),
    ("vector", "w", 1),
    ("ask", "i", 1),
)


def read_row(d, t):
    """Write what was foreseen for a time, as `Foreseen` does; what was not is asked of it. Return the status."""
    n = d.count[0]
    if n == RESTS:
        return WELL
    if t != t:
        d.count[0] = 0
        return WELL
    if n > 1:
        slack = NEAR * (d.times[1] - d.times[0])
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if d.times[middle] < t - slack:
                low = middle + 1
            else:
                high = middle
        if low < n and d.times[low] - t <= slack:
            if low + 1 < n and abs(d.times[low + 1] - t) <= t - d.times[low]:
                low += 1  # of two at the end of a step
            for j in range(len(d.to)):
                d.vector[d.to[j]] = d.table[low, j]
            return WELL
    return call(d.ask[0], d.ask[1], t)
