"""The numbers of a sample in one vector, and which of them the names of dispersed quantities mean.

"q.arm.angle", "v.bus.wx"                      the state at the start: the value itself
"stiffness.panel", "mass", "frequency.core.eta3"  a factor on those of the vehicle (`multibody.dispersed_parameters`)
"force", "force.core.52", "tau", "tau.arm.angle"   a factor on loads: all, those at a place, of one velocity
"force[1]"                                         of the second of the forces, where places have several
"gain", "gain.u1"                              a factor on C and D of the law: all, or of one output
"law.D[0,1]", "law.reference[0]"               a number of the law: the value itself

Loads of a batch that change with time, as one table that all samples share.

    load(t) = still + scale · value(t),     value linear between the rows of the table

Tables have rows where a table given to the call has some, so that they are what was given. Functions are asked at the
times of all stages of all steps, where their rows are exact; between them, where a condition is crossed, they are
linear too. Stages at the ends of a step look just inside of it (`system.kernels.slope`), so each end has two rows: of
what jumps there, one on either side. A sample has its own scales, one for each number that changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from interstage.batch.law import LinearController, place_names
from interstage.errors import InputError, did_you_mean
from interstage.multibody import System
from interstage.multibody.arrays import Tree
from interstage.multibody.dispersed_parameters import FACTORS, OF_TREE, DispersedEntries, VehicleFactors
from interstage.multibody.loads import JointLaws, Loads, TimeTable, Wrench
from interstage.multibody.types import asks_system
from interstage.simulation.plant.coupled_kernels import plain
from interstage.simulation.run.applied_loads import Acting
from interstage.simulation.run.integrators.step_kernels import just_after, just_before

WRENCH = 10  # numbers of a wrench as the kernels take it; the first six are [t; f]
_FORCE = re.compile(r"force\[\d+\]")
_ENTRY = re.compile(r"law\.([ABCD]|reference)\[(\d+)(?:,\s*(\d+))?\]")


def check_memory(what: str, numbers: float, most_mib: float, where: str, hint: str) -> None:
    """Refuse arrays of more numbers, of eight bytes each, than a batch may take."""
    size = 8.0 * numbers / 2**20
    if size > most_mib:
        factor, unit = (1024.0, "GiB") if most_mib >= 1024.0 else (1.0, "MiB")
        raise InputError(
            f"{what} would take {size / factor:.0f} {unit}",
            where=where,
            expected=f"at most {most_mib / factor:g} {unit}",
            hint=hint,
        )


class Vector:
    """Arrays one behind the other in one vector.

    arrays : by name, as they are for the nominal sample;  start : where each begins
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        self.arrays = {name: np.ascontiguousarray(a, dtype=float) for name, a in arrays.items()}
        sizes = [a.size for a in self.arrays.values()]
        self.start = dict(zip(self.arrays, (np.cumsum(sizes) - sizes).tolist()))
        self.base = np.concatenate([a.ravel() for a in self.arrays.values()])

    def views(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """Return the arrays in a vector (n,), which they share."""
        return {
            name: vector[self.start[name] : self.start[name] + a.size].reshape(a.shape)
            for name, a in self.arrays.items()
        }


class Names:
    """What can be dispersed of a vehicle under loads with a law; moving (e,): entries of loads that change in time."""

    def __init__(
        self,
        system: System,
        forces: Sequence[Wrench],
        law: LinearController | None,
        moving: np.ndarray | None = None,
    ):
        self.system, self.law, self.factors = system, law, VehicleFactors(system)
        self.moving = np.zeros(0, np.int64) if moving is None else moving
        self.states = place_names(system)
        self.velocities = self.factors.velocities
        self.forces = [force_name(force) for force in forces]

    def targets(self, name: str) -> list[DispersedEntries]:
        """Return what a name means, or say what there is."""
        if name in self.states:
            return [DispersedEntries("y", np.array([self.states[name]]), 0.0)]
        word, _, rest = name.partition(".")
        kinds: dict[str, Callable[[str], Iterator[DispersedEntries]]] = {
            "force": self._force,
            "tau": self._tau,
            "gain": self._gain,
        }
        if _FORCE.fullmatch(name):
            word, rest = "force", name[len("force") :]
        if word in FACTORS:
            found = self.factors.targets(name)
        else:
            found = list(kinds[word](rest)) if word in kinds else self._of_law(name)
        if not found:
            raise InputError(
                f"there is nothing called '{name}' to disperse",
                where="disperse",
                hint=did_you_mean(name, self.known()),
            )
        return found

    def known(self) -> list[str]:
        """Return the names that there are."""
        known = [*self.states, "force", "tau", *self.factors.known()]
        known += [f"force.{f}" for f in self.forces]
        known += [f"tau.{v}" for v in self.velocities]
        known += [] if self.law is None else ["gain", *(f"gain.{u}" for u in self.law.names)]
        return known

    def _force(self, rest: str) -> Iterator[DispersedEntries]:
        for k, name in enumerate(self.forces):
            if rest in ("", name, f"[{k}]"):
                yield from self._load(self.system.nv + WRENCH * k + np.arange(6))

    def _tau(self, rest: str) -> Iterator[DispersedEntries]:
        if not rest:
            yield from self._load(np.arange(self.system.nv))
        elif rest in self.velocities:
            yield from self._load(np.array([self.velocities.index(rest)]))

    def _load(self, entries: np.ndarray) -> Iterator[DispersedEntries]:
        """Yield a factor on entries of the loads: on what stands still, and on what changes with time."""
        yield DispersedEntries("calm", entries)
        moving = np.flatnonzero(np.isin(self.moving, entries))
        if len(moving):
            yield DispersedEntries("scale", moving)

    def _gain(self, rest: str) -> Iterator[DispersedEntries]:
        if self.law is None or (rest and rest not in self.law.names):
            return
        for array in ("C", "D"):
            number = np.arange(self.law.arrays()[array].size).reshape(len(self.law.names), -1)
            yield DispersedEntries(array, (number[self.law.names.index(rest)] if rest else number).ravel())

    def _of_law(self, name: str) -> list[DispersedEntries]:
        match = _ENTRY.fullmatch(name)
        if match is None or self.law is None:
            return []
        array = self.law.arrays()[match[1]]
        place = tuple(int(k) for k in match.groups()[1:] if k is not None)
        if len(place) != array.ndim or any(k >= n for k, n in zip(place, array.shape)):
            raise InputError(
                f"'{name}' is not in the law", where="disperse", expected=f"entries of shape {array.shape}"
            )
        return [DispersedEntries(match[1], np.array([np.ravel_multi_index(place, array.shape)]), 0.0)]


def force_name(force: Wrench) -> str:
    """Return the name of a force by its place: "bus", "core.52", "bus.(0, 0, 1)"."""
    if force.node is None:
        return force.body
    if isinstance(force.node, int | np.integer):
        return f"{force.body}.{force.node}"
    return f"{force.body}.({', '.join(f'{float(x):g}' for x in np.ravel(force.node))})"


def with_numbers(tree: Tree, arrays: Mapping[str, np.ndarray]) -> Tree:
    """Return a tree whose arrays of some names are others."""
    return tree._replace(**{name: arrays[name] for name in OF_TREE if name in arrays})


MOST_MIB = 512.0  # a table that is larger is a mistake


@dataclass(frozen=True, eq=False)
class Course:
    """What of the loads changes with time, and how.

    times (m,), values (m, e) : rows of the table, times from the start of the samples
    to (e,) : entries of the loads [tau; wrenches of ten numbers]
    still : the loads without it, constant
    """

    times: np.ndarray
    values: np.ndarray
    to: np.ndarray
    still: Loads

    @classmethod
    def of(
        cls, system: System, loads: Loads, step: float, steps: int, nodes: np.ndarray, start: float = 0.0
    ) -> Course:
        """Return the course of loads on a vehicle in equal steps from a time on.

        nodes : times of stages in one, with both ends
        """
        if not loads.in_time:
            return cls(np.zeros(0), np.zeros((0, 0)), np.zeros(0, np.int64), loads)
        _check(loads.law)
        known = _all_tables([loads.law, *(force.wrench for force in loads.forces)])
        many = len(loads.corners) if known else steps * len(nodes)
        numbers = float(many) * (system.nv + 6 * len(loads.forces))
        hint = "give tables (times, values) in place of functions of time"
        check_memory(f"loads at {many} times", numbers, MOST_MIB, "forces, tau", hint)
        asked = loads.corners
        times = _counted(asked, start, step)
        if not known:
            times, asked = _with_corners(*_stages(step, steps, nodes, start), times, asked)
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


def _scaled(force: Wrench, still: np.ndarray, scale: np.ndarray) -> TimeTable | Callable[[float], np.ndarray]:
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


def _counted(corners: np.ndarray, start: float, step: float) -> np.ndarray:
    """Return times of corners counted from a start; those at an end of a step are at it to the bit."""
    if not start:
        return corners
    times = corners - start
    ends = step * np.rint(times / step)
    return np.where(np.abs(times - ends) <= 4.0 * np.spacing(np.maximum(np.abs(corners), start)), ends, times)


def _with_corners(
    times: np.ndarray, asked: np.ndarray, corners: np.ndarray, there: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return times of rows, and those at which loads are asked for them, with corners of tables among them.

    corners : counted as the times of rows;  there : as loads are asked for them
    """
    new = (corners > times[0]) & (corners < times[-1])
    times, first = np.unique(np.concatenate([times, corners[new]]), return_index=True)
    return times, np.concatenate([asked, there[new]])[first]


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


def _stages(step: float, steps: int, nodes: np.ndarray, start: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times of rows for the stages of equal steps, counted from a start, and those at which loads are asked.

    They are asked where stages look. Rows at ends of steps stand half as far inside, so that a stage whose time is
    rounded in another way, as a GPU may do, is not between the two rows of an end.

    nodes : times of the stages in one step, in steps, with both ends
    """
    begin = step * np.arange(steps)
    end, inner = begin + step, begin[:, None] + step * nodes[1:-1]
    after, before = plain(just_after)(begin), plain(just_before)(end)
    times = np.column_stack([0.5 * (begin + after), inner, 0.5 * (before + end)])
    after, before = plain(just_after)(start + begin), plain(just_before)(start + end)
    return times.ravel(), np.column_stack([after, start + inner, before]).ravel()
