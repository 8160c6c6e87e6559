"""Constant loads and operating points: a state with what acts on it.

Loads are forces that stand in the world or follow a body, generalized forces, and motions of prescribed joints.
`simulate`, `linearize` and `trim` take an operating point alike: its loads act, kind by kind (forces, tau,
accelerations), where the call gives none of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody import inspection
from interstage.multibody.places import located
from interstage.multibody.state import State
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.multibody.api import System


@dataclass(frozen=True)
class Force:
    """A wrench [t; f] (6,) at a place, in axes that stand ("world") or follow ("body", "node")."""

    body: str
    node: Any
    frame: str
    wrench: np.ndarray


def as_forces(system: System, forces: Mapping[Any, ArrayLike] | None, frame: str) -> list[Force]:
    """Return forces given by place: keys are body, (body, node) or (body, node, frame)."""
    inspection.check_frame(frame)
    found = []
    _check_mapping(forces, "forces", "{(body, node) or body: [t; f]}")
    for key, wrench in (forces or {}).items():
        own = frame
        if isinstance(key, tuple) and len(key) == 3:
            own, key = inspection.check_frame(key[2]), key[:2]
        body, node = inspection.split_place(key)
        located(system, [(body, node)])
        found.append(Force(body, node, own, as_array(wrench, (6,), f"force on {key}")))
    return found


def _check_mapping(value: Any, where: str, expected: str) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise InputError("loads are given by name", where=where, expected=expected, got=repr(value)[:60])


@dataclass
class Loads:
    """What acts on a system at an operating point, besides gravity, springs and dampers.

    forces : wrenches at places;  tau (nv,) : generalized forces;  accelerations {body: (nv of its joint,)}
    """

    forces: list[Force]
    tau: np.ndarray
    accelerations: dict[str, np.ndarray]

    @classmethod
    def of(
        cls,
        system: System,
        forces: Mapping[Any, ArrayLike] | None = None,
        tau: ArrayLike | None = None,
        accelerations: Mapping[str, ArrayLike] | None = None,
        frame: str = "world",
    ) -> Loads:
        """Return checked loads."""
        nv = system.nv
        vector = np.zeros(nv) if tau is None else as_array(tau, (nv,), "tau")
        given = {}
        _check_mapping(accelerations, "accelerations", "{body: acceleration of its joint}")
        for body, value in (accelerations or {}).items():
            given[body] = _joint_vector(system, body, value)
        system.generalized_input(vector, given)  # refuses joints that are not prescribed
        return cls(as_forces(system, forces, frame), vector, given)

    @classmethod
    def at(
        cls,
        system: System,
        x: State,
        forces: Mapping[Any, ArrayLike] | None = None,
        tau: ArrayLike | None = None,
        accelerations: Mapping[str, ArrayLike] | None = None,
        frame: str = "world",
    ) -> Loads:
        """Return checked loads: of each kind those given, or else those that an operating point brings."""
        given = cls.of(system, forces, tau, accelerations, frame)
        if not isinstance(x, OperatingPoint):
            return given
        own = x.loads.copy()
        return cls(
            own.forces if forces is None else given.forces,
            own.tau if tau is None else given.tau,
            own.accelerations if accelerations is None else given.accelerations,
        )

    def by_place(self) -> dict[tuple[str, Any, str], np.ndarray]:
        """Return {(body, node, frame): wrench (6,)}; wrenches at one place in one frame are added."""
        found: dict[tuple[str, Any, str], np.ndarray] = {}
        for force in self.forces:
            key = (force.body, _hashable(force.node), force.frame)
            found[key] = found[key] + force.wrench if key in found else force.wrench.copy()
        return found

    def rows(self, system: System) -> tuple[np.ndarray, np.ndarray]:
        """Return sites (k,) and wrenches (k, 10) for the kernels, which turn them with what they follow."""
        return wrench_rows(system, self.forces)

    def copy(self) -> Loads:
        """Return loads whose arrays may be changed."""
        return Loads(list(self.forces), self.tau.copy(), {k: a.copy() for k, a in self.accelerations.items()})


def _joint_vector(system: System, body: str, value: ArrayLike) -> np.ndarray:
    """Return one number for each velocity of a joint."""
    n = int(system.tree.joint_nv[system.body(body)])
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.shape not in ((), (n,)) or not np.isfinite(array).all():
        raise InputError(
            f"the acceleration of joint '{body}' does not fit",
            expected=f"{n} finite numbers",
            got=repr(value),
        )
    return np.broadcast_to(array, (n,)).copy()


def in_world(system: System, x: State, forces: list[Force]) -> dict[tuple[str, Any], np.ndarray]:
    """Return {(body, node): wrench (6,)} in world axes at a state; wrenches at one place are added."""
    found: dict[tuple[str, Any], np.ndarray] = {}
    for force in forces:
        wrench = force.wrench.astype(np.result_type(force.wrench, x.q))
        if force.frame != "world":
            R = inspection.axes_of(system, x, force.body, force.node, force.frame)
            wrench = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        place = (force.body, _hashable(force.node))
        found[place] = found[place] + wrench if place in found else wrench
    return found


def wrench_rows(system: System, forces: list[Force]) -> tuple[np.ndarray, np.ndarray]:
    """Return sites (k,) and wrenches (k, 10): [t; f], the number of the axes that they keep to, arms."""
    sites, arms = located(system, [(f.body, f.node) for f in forces])
    rows = [[*f.wrench, inspection.FRAMES.index(f.frame)] for f in forces]
    kind = np.result_type(float, *(f.wrench for f in forces))
    return sites, np.hstack([np.array(rows, dtype=kind).reshape(-1, 7), arms])


def _hashable(node: Any) -> Any:
    """Return a place on a body that may be a key: a point is a tuple."""
    return tuple(np.asarray(node).tolist()) if isinstance(node, list | np.ndarray) else node


class OperatingPoint(State):
    """A state with the loads that act there: `simulate` and `linearize` start from both.

    loads : `Loads`;  vdot (nv,) : accelerations under them
    """

    def __init__(self, x: State, loads: Loads, vdot: np.ndarray):
        super().__init__(x.layout, x.q, x.v)
        self.loads, self.vdot = loads, vdot

    def _arguments(self) -> tuple:
        return self.loads.copy(), self.vdot.copy()

    def copy(self, dtype: type | None = None) -> State:
        """Return an independent copy with the same loads; of another number type a bare state."""
        if dtype is not None and np.dtype(dtype) != self.q.dtype:
            return super().copy(dtype)
        return type(self)(self, *self._arguments())

    def __reduce__(self):
        return type(self), (State(self.layout, self.q, self.v), *self._arguments())
