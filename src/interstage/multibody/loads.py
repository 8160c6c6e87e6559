"""What acts on a vehicle besides gravity, springs and dampers: one type for every door.

A load is a wrench at a place (`Wrench`), constant, a function of time or a table, in axes that stand in the world or
follow a body or node; a generalized force; or the motion of a prescribed joint. `Loads` holds all of them. Everything
that takes `forces`, `tau` and `accelerations` makes them into it at the door: the short forms are dictionaries by
place, {("core", 52): [t; f], "bus": ..., ("core", 52, "node"): ...}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import InputError, InterstageError, raised, shown
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.sites import loaded, located
from interstage.multibody.types import NameTable, Node, Place, Rates, given_system
from interstage.spatial.checks import all_finite, as_array

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.system import System

S = TypeVar("S", bound="System")
C = TypeVar("C", bound="ModelData")
FRAMES = ("world", "body", "node")
KINDS = ("forces", "tau", "accelerations")


def check_frame(frame: str) -> str:
    """Return the name of a frame, or say which there are."""
    if frame not in FRAMES:
        raise InputError("unknown frame", expected=", ".join(FRAMES), got=repr(frame))
    return frame


def split_place(key: object) -> tuple[str, Node]:
    """Return (body, node) of a key that is a name or a pair.

    >>> split_place("bus"), split_place(("panel", 57))
    (('bus', None), ('panel', 57))
    """
    if isinstance(key, str):
        return key, None
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str):
        return key
    raise InputError("not a place on a body", expected="(body, node) or body", got=repr(key))


def place_words(body: str, node: Node) -> str:
    """Say where something acts.

    >>> place_words("bus", None), place_words("panel", 57), place_words("bus", [0.0, 0.0, 0.4])
    ("body 'bus'", "body 'panel', node 57", "body 'bus', point [0.0, 0.0, 0.4]")
    """
    if node is None:
        return f"body '{body}'"
    if np.ndim(node) == 0:
        return f"body '{body}', node {node}"
    return f"body '{body}', point {np.asarray(node).tolist()}"


def as_wrench(value: object, where: str, allow_complex: bool = False) -> np.ndarray:
    """Return six numbers, or say what they are."""
    try:
        return as_array(value, (6,), where, allow_complex)
    except InputError as err:
        raise InputError(
            err.what,
            where=where,
            expected="6 finite numbers: torque, then force",
            got=err.got,
            hint="[0, 0, 0, fx, fy, fz] is a force alone, [tx, ty, tz, 0, 0, 0] a torque",
        ) from None


WrenchLike: TypeAlias = ArrayLike | Callable[[float], ArrayLike] | tuple[ArrayLike, ArrayLike]
"""[t; f] (6,), a function of time that returns it, or a table (times (m,), values (m, 6))."""

ByJoint: TypeAlias = Mapping[str, ArrayLike]
"""Generalized forces {body: of its joint}, zero at all others."""

InTime: TypeAlias = Callable[..., ArrayLike | ByJoint] | tuple[ArrayLike, ArrayLike]
"""A function of t or (t, system), or a table (times, values)."""

Generalized: TypeAlias = ArrayLike | Mapping[str, ArrayLike | InTime] | InTime
"""Generalized forces (nv,), {body: of its joint}, each constant or in time, or all of them in time."""


@dataclass(frozen=True, eq=False)
class TimeTable:
    """Values (m, k) at times (m,), linear between, held before the first and after the last."""

    times: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, pair: Sequence[ArrayLike], width: int, where: str) -> TimeTable:
        """Return a checked table of (times, values)."""
        times = as_array(pair[0], (np.size(pair[0]),), f"{where}, times")
        values = as_array(pair[1], (len(times), width), f"{where}, values")
        if not len(times) or np.any(np.diff(times) <= 0.0):
            raise InputError("the times of a table do not ascend", where=where)
        return cls(times, values)

    def __call__(self, t: float, system: System | None = None) -> np.ndarray:
        """Return the values (k,) at a time, whatever the system."""
        return np.array([np.interp(t, self.times, column) for column in self.values.T])


def is_table(value: object) -> TypeGuard[tuple[ArrayLike, ArrayLike]]:
    """Tell if a value is a table (times, values)."""
    return isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1


@dataclass(frozen=True, eq=False)
class JointLaws:
    """Generalized forces by joint as one function of (t, system): those of bodies that are gone are gone with them.

    given : {body: numbers, or a function of (t, system)}
    """

    given: Mapping[str, ArrayLike | Callable[..., ArrayLike]]

    @classmethod
    def of(cls, system: System, given: Mapping[str, ArrayLike | InTime]) -> JointLaws:
        """Return checked ones: functions are asked when they act, what is constant has its size now."""
        for body in given:
            n = system.tree.joint_nv[system.body(body)] if body in system.bodies else 1
            system.by_joint({body: np.zeros(n)}, "tau")
        made: dict[str, ArrayLike | Callable[..., ArrayLike]] = {}
        for body, one in given.items():
            if is_table(one):
                n = int(system.tree.joint_nv[system.body(body)])
                values = np.reshape(one[1], (-1, 1)) if n == 1 and np.ndim(one[1]) == 1 else one[1]
                made[body] = TimeTable.of((one[0], values), n, f"tau of '{body}'")
            elif callable(one):
                made[body] = given_system(one, 1)
            else:
                constant = cast(ArrayLike, one)
                system.by_joint({body: constant}, "tau")
                made[body] = constant
        return cls(made)

    def __call__(self, t: float, system: System | None = None) -> dict[str, ArrayLike]:
        """Return {body: of its joint} at a time."""
        here = self.given if system is None else [body for body in self.given if body in system.bodies]
        return {body: self._one(body, t, system) for body in here}

    def _one(self, body: str, t: float, system: System | None) -> ArrayLike:
        one = self.given[body]
        return cast(ArrayLike, asked_at(one, f"tau of '{body}'", t, system)) if callable(one) else one

    @property
    def times(self) -> np.ndarray:
        """Times of the rows of tables."""
        return times_of(self.given.values())


def asked_at(law: Callable[..., object], what: str, t: float, system: System | None) -> object:
    """Return what a function of (t, system) answers, or say that it failed."""
    try:
        return law(t, system)
    except InterstageError:
        raise
    except Exception as err:
        raise InputError(f"{what} failed at t = {t:g}", got=raised(err)) from err


def times_of(given: Iterable[object]) -> np.ndarray:
    """Return the times, rising, at which tables among others change their slope."""
    tables = [one.times for one in given if isinstance(one, TimeTable | JointLaws)]
    return np.unique(np.concatenate([np.zeros(0), *tables]))


@named_arguments
@dataclass(frozen=True, eq=False)
class Wrench:
    """A wrench [t; f] at a place, about that place.

    body, node : the place: a node of a flexible body, a point of a rigid one, or the origin of its frame (None)
    wrench : (6,), a function of time that returns it, or a table (times (m,), values (m, 6)), linear between
    frame : axes of the wrench, "world", or "body" or "node", which it follows as thrust does

    >>> thrust = Wrench("engine", [0, 0, 0, 9.0, 0, 0], frame="body")
    >>> ramp = Wrench("core", ([0.0, 2.0], [[0.0] * 6, [0, 0, 0, 0, 0, 8.0]]), node=52)
    >>> ramp.at(0.5).wrench
    array([0., 0., 0., 0., 0., 2.])
    """

    body: str
    wrench: WrenchLike
    node: Node = None
    frame: str = "world"

    def __post_init__(self) -> None:
        check_frame(self.frame)
        wrench = self.wrench
        if isinstance(wrench, tuple) and len(wrench) == 2:
            object.__setattr__(self, "wrench", TimeTable.of(wrench, 6, self._said))

    @property
    def place(self) -> tuple[str, Node]:
        """Body and node."""
        return self.body, self.node

    @property
    def _said(self) -> str:
        return f"force on {place_words(*self.place)}"

    @property
    def in_time(self) -> bool:
        """Whether the wrench is a function of time."""
        return callable(self.wrench)

    @property
    def numbers(self) -> np.ndarray:
        """The constant wrench (6,)."""
        if callable(self.wrench):
            raise _in_time(f"the {self._said}")
        return as_wrench(self.wrench, self._said, allow_complex=True)

    def at(self, t: float) -> Wrench:
        """Return the force as it is at a time."""
        if not callable(self.wrench):
            return self
        try:
            value = self.wrench(t)
        except Exception as err:
            raise InputError(f"the {self._said} failed at t = {t:g}", got=raised(err)) from err
        return replace(self, wrench=as_wrench(value, f"{self._said} at t = {t:g}"))

    def checked(self) -> Wrench:
        """Return the force with an array of six numbers, or a function that gives them at t = 0."""
        if self.in_time:
            self.at(0.0)
            return self
        return replace(self, wrench=self.numbers)

    def scaled(self, factor: complex) -> Wrench:
        """Return the constant force times a number."""
        if np.ndim(factor) or isinstance(factor, str | bytes):
            raise InputError("a force is scaled by one number", where=self._said, got=shown(factor))
        return replace(self, wrench=factor * self.numbers)


def as_forces(forces: Forces | None, frame: str = "world") -> list[Wrench]:
    """Return forces as declared; keys of a dictionary are body, (body, node) or (body, node, frame)."""
    check_frame(frame)
    if forces is None:
        return []
    if isinstance(forces, Wrench | Loads):
        return [forces] if isinstance(forces, Wrench) else list(forces.forces)
    if isinstance(forces, Mapping):
        found = []
        for key, wrench in forces.items():
            own = isinstance(key, tuple) and len(key) == 3
            body, node = split_place(key[:2] if own else key)
            found.append(Wrench(body, wrench, node, key[2] if own else frame))
        return found
    several = isinstance(forces, Iterable) and not isinstance(forces, str) and np.ndim(forces) != 0  # type: ignore[arg-type]
    given: list[Any] = list(forces) if several else [forces]
    for force in given:
        if not isinstance(force, Wrench):
            raise InputError(
                "forces cannot be read",
                where="forces",
                expected="{(body, node) or body: [t; f]}, or ist.Wrench objects",
                got="a function" if callable(forces) else repr(forces)[:60],
                hint="one wrench may be a function of time; a law of the state is control="
                if callable(forces)
                else None,
            )
    return given


def wrench_rows(
    system: System, forces: Sequence[Wrench], dtype: type | np.dtype | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return sites (k,) and wrenches (k, 10) for the kernels: [t; f], the number of the axes they keep to, arms."""
    if not forces:
        return NO_SITES, np.zeros((0, 10), float if dtype is None else dtype)
    sites, arms = loaded(system, [force.place for force in forces])
    given = [force.numbers for force in forces]
    rows = np.empty((len(given), 10), np.result_type(float, *given) if dtype is None else dtype)
    for k, (force, wrench) in enumerate(zip(forces, given)):
        if np.iscomplexobj(wrench) and rows.dtype.kind != "c":
            raise InputError(f"the force on {place_words(*force.place)} is complex, the state is real")
        rows[k, :6], rows[k, 6] = wrench, FRAMES.index(force.frame)
    rows[:, 7:] = arms
    return sites, rows


def _in_time(what: str) -> InputError:
    return InputError(
        f"{what} is a function of time",
        expected="numbers",
        hint="say at which time: ist.Loads.of(system, ...).at(t)",
    )


@named_arguments
@dataclass(frozen=True, eq=False)
class Loads:
    """What acts on a system, besides gravity, springs and dampers.

    forces : wrenches at places;  tau (nv,) : generalized forces on joints and modes
    accelerations {body: (nv of its joint,)} : motions of prescribed joints
    names : of the entries of tau;  law : tau as a function of (t, system), in its place

    `Loads.of(system, forces, tau, accelerations)` makes and checks one; each kind may be left out.
    Give it wherever forces are asked for: `forces=loads` brings all three kinds, less those given beside it.
    """

    forces: tuple[Wrench, ...]
    tau: np.ndarray
    accelerations: Mapping[str, np.ndarray] = field(default_factory=dict)
    names: tuple[str, ...] = field(default=(), repr=False)
    law: Callable[..., ArrayLike] | None = None

    @classmethod
    def of(
        cls,
        system: System,
        forces: Forces | None = None,
        tau: Generalized | None = None,
        accelerations: Rates | None = None,
        frame: str = "world",
    ) -> Loads:
        """Return checked loads on a system.

        forces : {(body, node) or body: [t; f]} in the axes of `frame`, or (body, node, frame) with axes of its own;
            `Wrench` objects; or `Loads`, whose other kinds act where they are not given here
        tau : (nv,), or {body: of its joint}; a function tau(t) or tau(t, system) of either, or a table (times (m,),
            values (m, nv)), linear between; each of {body: ...} may be a function or a table too
        accelerations : {body: q̈ of its joint} of prescribed joints
        """
        forces, tau, accelerations = of_all_kinds(forces, tau, accelerations)
        placed = [force.checked() for force in as_forces(forces, frame)]
        if placed:
            located(system, [force.place for force in placed])
        motions, names = _motions(system, accelerations), system.layout.velocity_names
        if tau.__class__ is np.ndarray:
            return cls(tuple(placed), numbers(tau, "tau", system.nv), motions, names)
        if is_table(tau):
            tau = TimeTable.of(tau, system.nv, "tau")
        if isinstance(tau, Mapping) and any(callable(one) or is_table(one) for one in tau.values()):
            tau = JointLaws.of(system, tau)
        if callable(tau):
            return cls(tuple(placed), np.zeros(system.nv), motions, names, given_system(tau, 1))
        if isinstance(tau, Mapping):
            tau = system.by_joint(cast(ByJoint, tau), "tau")
        vector = np.zeros(system.nv) if tau is None else numbers(tau, "tau", system.nv)
        return cls(tuple(placed), vector, motions, names)

    @property
    def in_time(self) -> bool:
        """Whether something is a function of time."""
        return self.law is not None or any(force.in_time for force in self.forces)

    @cached_property
    def corners(self) -> np.ndarray:
        """Times, rising, at which a table changes its slope."""
        return times_of((self.law, *(force.wrench for force in self.forces)))

    def at(self, t: float, system: System | None = None) -> Loads:
        """Return the loads as they are at a time; `system`: for generalized forces that ask for it."""
        if not self.in_time:
            return self
        forces = tuple(force.at(t) for force in self.forces)
        return replace(self, forces=forces, tau=self.tau_at(t, system), law=None)

    def tau_at(self, t: float, system: System | None = None) -> np.ndarray:
        """Return the generalized forces at a time, (nv,) of the system where they ask for one."""
        if self.law is None:
            return self.tau
        value = asked_at(self.law, "tau", t, system)
        if isinstance(value, Mapping):
            if system is None:
                raise InputError(
                    "tau is by joint, and nobody says of which system", hint="loads.at(t, system) does"
                )
            value = system.by_joint(value, f"tau at t = {t:g}")
        n = len(self.tau) if system is None else system.nv
        return numbers(value, f"tau at t = {t:g}", n, "a function tau(t, system) can follow changes")

    def constant(self) -> Loads:
        """Return these loads; ones that change with time are refused."""
        if self.law is not None:
            raise _in_time("tau")
        for force in self.forces:
            if force.in_time:
                raise _in_time(f"the force on {place_words(*force.place)}")
        return self

    def rows(self, system: System) -> tuple[np.ndarray, np.ndarray]:
        """Return sites (k,) and wrenches (k, 10) for the kernels, which turn them with what they follow."""
        return wrench_rows(system, self.forces)

    def vector(self, system: System, dtype: type | np.dtype = np.float64) -> np.ndarray:
        """Return the vector (nv,) for the kernels: forces, and accelerations at joints that are not free."""
        return system.generalized_input(self.tau, self.accelerations or None, dtype)

    def plus(self, other: Loads, factor: complex = 1.0) -> Loads:
        """Return the sum of these loads and others times a number, all constant."""
        accelerations = dict(self.accelerations)
        for body, value in other.accelerations.items():
            accelerations[body] = accelerations.get(body, 0.0) + factor * value
        more = tuple(force.scaled(factor) for force in other.forces)
        return replace(
            self, forces=self.forces + more, tau=self.tau + factor * other.tau, accelerations=accelerations
        )

    def copy(self) -> Loads:
        """Return loads whose arrays may be changed."""
        return replace(
            self, tau=self.tau.copy(), accelerations={k: a.copy() for k, a in self.accelerations.items()}
        )

    def __str__(self) -> str:
        from interstage.multibody.summary import of_loads

        return of_loads(self)


Forces: TypeAlias = NameTable[Place | tuple[str, Node, str], WrenchLike] | Wrench | Iterable[Wrench] | Loads
"""What acts at places: wrenches by place, `Wrench` objects, or all `Loads`."""


AllKinds: TypeAlias = tuple[Forces | None, Generalized | None, Rates | None]
"""Forces, tau and accelerations."""


def of_all_kinds(forces: Forces | None, tau: Generalized | None, accelerations: Rates | None) -> AllKinds:
    """Return forces, tau and accelerations, where `Loads` given as forces bring all that is not given."""
    if not isinstance(forces, Loads):
        return forces, tau, accelerations
    return (
        forces.forces,
        (forces.tau if forces.law is None else forces.law) if tau is None else tau,
        forces.accelerations if accelerations is None else accelerations,
    )


def numbers(value: object, where: str, n: int, hint: str | None = None) -> np.ndarray:
    """Return n finite real numbers as an array."""
    try:
        given = np.array(value)
        if given.dtype.kind == "c":  # numpy would drop what is imaginary
            raise TypeError
        array = given.astype(float)
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            "not an array of numbers", where=where, expected=f"{n} real numbers", got=shown(value)
        ) from None
    if array.shape != (n,):
        words = f"{array.shape[0]} numbers" if array.ndim == 1 else f"shape {array.shape}"
        raise InputError(f"{where} does not fit", expected=f"{n} numbers", got=words, hint=hint)
    if not all_finite(array):
        raise InputError(f"{where} is not finite", got=np.array2string(array, threshold=6))
    return array


def _motions(system: System, accelerations: Rates | None) -> dict[str, np.ndarray]:
    """Return {body: (nv of its joint,)} of prescribed joints."""
    if accelerations is None:
        return {}
    if not isinstance(accelerations, Mapping):
        raise InputError(
            "accelerations cannot be read",
            where="accelerations",
            expected="{body: q̈ of its joint}",
            got=repr(accelerations)[:60],
            hint="a motion in time is given by motions=" if callable(accelerations) else None,
        )
    system.generalized_input(
        None, accelerations
    )  # refuses joints that are not prescribed, and what does not fit
    size = {body: int(system.tree.joint_nv[system.body(body)]) for body in accelerations}
    return {
        body: np.broadcast_to(np.asarray(value, dtype=float), (size[body],)).copy()
        for body, value in accelerations.items()
    }


__getattr__ = former_names(__name__)
