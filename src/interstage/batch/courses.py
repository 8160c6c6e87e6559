"""Loads of a batch that change with time, as one table that all samples share.

    load(t) = still + scale · value(t),     value linear between the rows of the table

Tables have rows where a table given to the call has some, so that they are what was given. Functions are asked at the
times of all stages of all steps, where their rows are exact; between them, where a condition is crossed, they are
linear too. Stages at the ends of a step look just inside of it (`system.kernels.slope`), so each end has two rows: of
what jumps there, one on either side. A sample has its own scales, one for each number that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from interstage.batch.numbers import WRENCH, check_memory
from interstage.errors import InputError
from interstage.multibody import System
from interstage.multibody.calling import asks_system
from interstage.multibody.loads import Force, JointLaws, Loads, TimeTable
from interstage.system.acting import Acting
from interstage.system.kernels.slope import just_after, just_before
from interstage.system.loop_kernels import plain

MOST_MIB = 512.0  # a table that is larger is a mistake


@dataclass(frozen=True, eq=False)
class Course:
    """What of the loads changes with time, and how.

    times (m,), values (m, e) : rows of the table;  to (e,) : entries of the loads [tau; wrenches of ten numbers]
    still : the loads without it, constant
    """

    times: np.ndarray
    values: np.ndarray
    to: np.ndarray
    still: Loads

    @classmethod
    def of(cls, system: System, loads: Loads, step: float, steps: int, nodes: np.ndarray) -> Course:
        """Return the course of loads on a vehicle in equal steps; nodes : times of stages in one, with both ends."""
        if not loads.in_time:
            return cls(np.zeros(0), np.zeros((0, 0)), np.zeros(0, np.int64), loads)
        _check(loads.law)
        known = _all_tables([loads.law, *(force.wrench for force in loads.forces)])
        many = len(loads.corners) if known else steps * len(nodes)
        numbers = float(many) * (system.nv + 6 * len(loads.forces))
        hint = "give tables (times, values) in place of functions of time"
        check_memory(f"loads at {many} times", numbers, MOST_MIB, "forces, tau", hint)
        times = asked = loads.corners
        if not known:
            times, asked = _with_corners(*_stages(step, steps, nodes), loads.corners)
        acting = Acting(loads, "world")
        rows = acting.table(asked.tolist(), lambda t: system, acting.rows(system, float(asked[0]))[1])
        changes = np.flatnonzero((rows != rows[0]).any(axis=0))
        return cls(
            times,
            np.ascontiguousarray(rows[:, changes]),
            _entries(system.nv, changes),
            _without(loads, rows[0], changes),
        )

    def loads_of(self, loads: Loads, system: System, calm: np.ndarray, scale: np.ndarray) -> Loads:
        """Return the loads of a sample for `simulate`, on its vehicle.

        loads : those given;  calm (nv + 10 k,), scale (e,) : what stands still of the sample, and its scales
        """
        nv = system.nv
        factor = np.zeros(len(calm))
        factor[self.to] = scale
        rows = calm[nv:].reshape(-1, WRENCH)[:, :6], factor[nv:].reshape(-1, WRENCH)[:, :6]
        forces = tuple(
            replace(force, wrench=row)
            if not force.in_time
            else replace(force, wrench=_scaled(force, row, by))
            for force, row, by in zip(loads.forces, *rows)
        )
        driven = {body: calm[system.layout[body].v] for body in loads.accelerations}
        tau = np.where(system.held, 0.0, calm[:nv])
        law = None
        if loads.law is not None:
            law = Sum(loads, tau, np.where(system.held, 0.0, factor[:nv]))
        return Loads(forces, tau, driven, loads.names, law)


@dataclass(frozen=True, eq=False)
class Sum:
    """Generalized forces still + scale · tau(t) (nv,), as a function of (t, system)."""

    loads: Loads
    still: np.ndarray
    scale: np.ndarray

    def __call__(self, t: float, system: System) -> np.ndarray:
        """Return them at a time."""
        return self.still + self.scale * self.loads.tau_at(t, system)


def _scaled(force: Force, still: np.ndarray, scale: np.ndarray) -> TimeTable | Callable[[float], np.ndarray]:
    """Return the wrench still + scale · wrench(t) of a force in time."""
    if isinstance(force.wrench, TimeTable):
        return TimeTable(force.wrench.times, still + scale * force.wrench.values)
    return lambda t: still + scale * force.at(t).numbers


def _check(law: object) -> None:
    """Refuse generalized forces that ask for the vehicle, which is another one in every sample."""
    given = law.given if isinstance(law, JointLaws) else {"": law}
    for body, one in given.items():
        if callable(one) and not isinstance(one, TimeTable) and asks_system(one, 1):
            raise InputError(
                "a load asks for the vehicle, which differs from sample to sample",
                where=f"tau of '{body}'" if body else "tau",
                expected="a function of time, or a table",
            )


def _all_tables(given: Iterable[object]) -> bool:
    """Tell if what changes with time are tables, none a function."""
    return all(
        _all_tables(one.given.values())
        if isinstance(one, JointLaws)
        else isinstance(one, TimeTable) or not callable(one)
        for one in given
    )


def _with_corners(times: np.ndarray, asked: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times of rows, and those at which loads are asked for them, with corners of tables among them."""
    new = corners[(corners > times[0]) & (corners < times[-1])]
    times, first = np.unique(np.concatenate([times, new]), return_index=True)
    return times, np.concatenate([asked, new])[first]


def _entries(nv: int, columns: np.ndarray) -> np.ndarray:
    """Return entries of [tau; wrenches of ten numbers] of columns of [tau; wrenches of six]."""
    wrench, row = np.divmod(columns - nv, 6)
    return np.where(columns < nv, columns, nv + WRENCH * wrench + row).astype(np.int64)


def _without(loads: Loads, row: np.ndarray, changes: np.ndarray) -> Loads:
    """Return constant loads: a row (nv + 6k,) of all of them, less what changes."""
    row = row.copy()
    row[changes] = 0.0
    nv = len(loads.tau)
    wrenches = row[nv:].reshape(-1, 6)
    forces = tuple(replace(force, wrench=wrench) for force, wrench in zip(loads.forces, wrenches))
    return replace(loads, forces=forces, tau=row[:nv] if loads.law is not None else loads.tau, law=None)


def _stages(step: float, steps: int, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times of rows for the stages of equal steps from zero, and those at which loads are asked for them.

    They are asked where stages look. Rows at ends of steps stand half as far inside, so that a stage whose time is
    rounded in another way, as a GPU may do, is not between the two rows of an end.

    nodes : times of the stages in one step, in steps, with both ends
    """
    begin = step * np.arange(steps)
    end, inner = begin + step, begin[:, None] + step * nodes[1:-1]
    after, before = plain(just_after)(begin), plain(just_before)(end)
    times = np.column_stack([0.5 * (begin + after), inner, 0.5 * (before + end)])
    return times.ravel(), np.column_stack([after, inner, before]).ravel()
