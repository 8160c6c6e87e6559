"""Operating points: a state with all that determines what happens next, taken by every analysis.

`simulate`, `linearize`, `trim` and `modes` take an `OperatingPoint` alike: its settings hold, and its loads act, kind
by kind (forces, tau, accelerations), where the call gives none of that kind. Points of a log also have the values of
devices, what control laws remember, and the history of the run (`RunHistory`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from interstage.calls import named_arguments
from interstage.copies import Copies
from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody.loads import AllKinds, Forces, Generalized, Loads, of_all_kinds
from interstage.multibody.settings import RuntimeSettings
from interstage.multibody.state import State, check_belongs, check_compiled
from interstage.multibody.types import Rates

if TYPE_CHECKING:
    from interstage.multibody.arrays import Tree
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.system import System

S = TypeVar("S", bound="System")
C = TypeVar("C", bound="ModelData")

Key: TypeAlias = tuple[str, int | str]
"""(body, node), or (body, result) of a result inside."""

Heirs: TypeAlias = Mapping[Key, tuple[str, object]]
"""{place: the same place by the body that it goes with}."""


@dataclass(frozen=True)
class Changes:
    """What events may change of a vehicle.

    leaving : bodies that may leave what carries them;  coming : bodies that are not there yet
    parting : of those that may leave, the ones that events name;  heirs : places that go with other bodies
    """

    leaving: Sequence[str] = ()
    coming: Sequence[str] = ()
    parting: frozenset[str] = frozenset()
    heirs: Heirs = field(default_factory=dict)


NO_CHANGES = Changes()
CONTENTS = "loads", "vdot", "settings", "values", "t", "memory", "run", "devices"


@dataclass(frozen=True)
class RunHistory:
    """What a point of a run knows of that run.

    vehicles : those that the run had until then, the last one is that of the point
    first : how many of them, from the first on, are the one that was described, switched and weighed as it may be;
        0 where the run began on a vehicle that had changed, and those before are not known
    others : trees of all vehicles of its log, by which they are told apart
    sampled : whether the samples of its time are done
    forgotten : laws of which it is not known what they remembered
    lacking : why it does not say all that devices keep, "" where it does
    unloaded : why the loads other than those of devices are not known, "" where they are
    goes_on : a run from it begins at its time where no other is given, instead of at zero
    loaded : its loads were asked for with it
    changes : what events of the run may have changed of the vehicle
    motions, masses : bodies whose joints may follow motions of the run, and whose masses follow its histories
    """

    vehicles: tuple[System, ...]
    sampled: bool = True
    forgotten: tuple[str, ...] = ()
    lacking: str = ""
    unloaded: str = ""
    goes_on: bool = False
    loaded: bool = False
    changes: Changes = NO_CHANGES
    others: tuple[Tree, ...] = ()
    first: int = 1
    motions: tuple[str, ...] = ()
    masses: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the vehicle is another than the one that was described."""
        return self.first < len(self.vehicles)


@named_arguments
class OperatingPoint(State):
    """A state with all that determines what happens next: loads, settings, time, and what devices and laws keep.

    loads : `Loads`, those of devices not included
    settings : joint modes, masses and closures as they were (`RuntimeSettings`)
    vdot (nv,) : accelerations under them
    values : {full name: value} of devices: states, discrete states, integers, sampled outputs, inputs that are held
    t : time (s)
    memory : {path of a law: {attribute: value}} that it remembers, where a trim has found it or a run has kept it
    run : of a point of a log, the history of its run
    devices : members of an assembly that act on the vehicle

    Whoever takes the point takes its settings: a system that is switched otherwise is seen as it was here, with a
    warning (without one where the point is of a run). `with_settings` gives the same point with other ones. `simulate`
    goes on from a point of a log as its run did; `linearize` and `trim` see the vehicle, its masses and its devices as
    they were there, and `point.system` is that vehicle.
    """

    def __init__(
        self,
        x: State,
        loads: Loads,
        vdot: np.ndarray | Callable[[], np.ndarray],
        settings: RuntimeSettings,
        values: Mapping[str, np.ndarray] | None = None,
        t: float = 0.0,
        memory: Mapping[str, Mapping[str, object]] | None = None,
        run: RunHistory | None = None,
        devices: Sequence[str] = (),
    ):
        super().__init__(x.layout, x.q, x.v)
        self.loads, self._vdot, self.settings = loads, vdot, settings
        self.values, self.t, self.run = dict(values or {}), t, run
        self.memory = {path: dict(held) for path, held in (memory or {}).items()}
        self.flown, self.devices = run is not None, tuple(devices)

    @property
    def vdot(self) -> np.ndarray:
        """Accelerations (nv,); of a point of a run computed on first use, NaN where its log does not know them."""
        if not isinstance(self._vdot, np.ndarray):
            self._vdot = self._vdot()
        return self._vdot

    @property
    def unloaded(self) -> str:
        """Why the loads that acted at a point of a run are not known, "" where they are."""
        return "" if self.run is None else self.run.unloaded

    @property
    def system(self) -> System:
        """The vehicle as it was at this point of a run, with its masses and settings there."""
        if self.run is None:
            raise InputError("the point is not of a run", hint="its vehicle is the one that was asked")
        return self.run.vehicles[-1].with_settings(self.settings)

    def _arguments(self) -> tuple:
        vdot = self._vdot.copy() if isinstance(self._vdot, np.ndarray) else self._vdot
        values = {name: np.array(value) for name, value in self.values.items()}
        kept = values, self.t, Copies().of(self.memory), self.run, self.devices
        return self.loads.copy(), vdot, self.settings.copy(), *kept

    def copy(self, dtype: type | None = None) -> State:
        """Return an independent copy with all that the point has; of another number type a bare state."""
        if dtype is not None and np.dtype(dtype) != self.q.dtype:
            return super().copy(dtype)
        return type(self)(self, *self._arguments())

    def _but(self, **changes: Any) -> OperatingPoint:
        """Return a copy with some of its contents changed."""
        own = dict(zip(CONTENTS, OperatingPoint._arguments(self)))
        return OperatingPoint(self, **{**own, **changes})

    def with_settings(self, settings: RuntimeSettings) -> OperatingPoint:
        """Return the same point with (a copy of) other settings."""
        return self._but(settings=self.settings.checked(settings).copy())

    def with_loads(self, loads: Loads) -> OperatingPoint:
        """Return the same point under other loads."""
        run = None if self.run is None else replace(self.run, unloaded="")
        return self._but(loads=loads, vdot=np.full(len(self.v), np.nan), run=run)

    def at_its_time(self) -> OperatingPoint:
        """Return the same point under the loads of its time: what is a function of time is a number."""
        loads = self.loads.copy()
        if loads.in_time:
            loads = loads.at(self.t, None if self.run is None else self.system)
        return self._but(loads=loads, run=None if self.run is None else replace(self.run, loaded=True))

    def going_on(self) -> OperatingPoint:
        """Return the same point of a run, from whose time a run goes on where nobody says otherwise."""
        if self.run is None:
            raise InputError(
                "the point is not of a run", hint="log.point(t) gives one that a run goes on from"
            )
        return self._but(run=replace(self.run, goes_on=True, loaded=True))

    def why_not_of(self, system: ModelData) -> str:
        """Return why it is no state of a vehicle of the same sizes: that of its time is another."""
        run, tree = self.run, getattr(system, "tree", None)
        if run is None or tree is run.vehicles[-1].tree:
            return ""
        known = run.changed or any(tree is one for one in run.others)
        return "its run has changed the vehicle, and had another one at this point" if known else ""

    def __reduce__(self):
        self._vdot = self.vdot  # a function does not travel
        return type(self), (State(self.layout, self.q, self.v), *self._arguments())

    def __str__(self) -> str:
        from interstage.multibody.summary import of_point

        return of_point(self)


def history_of(x: State | None) -> RunHistory | None:
    """Return the history of the run that a state is a point of, None for all other states."""
    return x.run if isinstance(x, OperatingPoint) else None


def acting_at(
    x: State, forces: Forces | None, tau: Generalized | None, accelerations: Rates | None
) -> AllKinds:
    """Return forces, tau and accelerations: of each kind those given, or else those an operating point brings."""
    given = of_all_kinds(forces, tau, accelerations)
    if not isinstance(x, OperatingPoint):
        return given
    if x.unloaded and all(one is None for one in given):
        raise InputError(
            "the point does not say which loads acted",
            where="x",
            got=x.unloaded,
            hint="give them: forces=ist.Loads.of(system, ...), without more for none",
        )
    brought = of_all_kinds(x.loads, *given[1:])
    return brought[0] if given[0] is None else given[0], *brought[1:]


def tell_of_devices(x: State | None, instead: str) -> None:
    """Warn of devices that act at a point of an assembly, where the vehicle is asked without them.

    instead : what has them
    """
    if not isinstance(x, OperatingPoint) or not x.devices:
        return
    some = ", ".join(x.devices[:4]) + (", ..." if len(x.devices) > 4 else "")
    warnings.warn(
        f"the point is of an assembly with devices that act on the vehicle ({some}), and the vehicle alone is without "
        f"them: nothing of what they do acts here; {instead} has them, or forces= and tau= say what acts",
        FidelityWarning,
        stacklevel=caller_level(),
    )


def at_point(system: S, x: State) -> S:
    """Return a system as an operating point has it switched; the system itself for a bare state."""
    check_compiled(system)
    if not isinstance(x, OperatingPoint):
        return system
    check_belongs(system, x)
    if x.settings == system.settings:
        return system
    if x.flown:
        return system.with_settings(x.settings)
    from interstage.multibody.summary import unlike

    warnings.warn(
        "the system is switched otherwise than the operating point, which is taken as it was found:"
        f" {unlike(x.settings, system.settings)}",
        UserWarning,
        stacklevel=caller_level(),
    )
    return system.with_settings(x.settings)


def as_flown(system: C, x: State) -> C:
    """Return a system with the masses and settings that it had where a state was logged; itself for other states."""
    if not isinstance(x, OperatingPoint) or not x.flown:
        return system
    check_belongs(system, x)
    return system if x.settings == system.settings else system.with_settings(x.settings)


def frozen(loads: Loads, x: State, system: System) -> Loads:
    """Return loads as they are at the time of a point of a run; elsewhere ones that change with time are refused."""
    if isinstance(x, OperatingPoint) and x.flown:
        return loads.at(x.t, system)
    return loads.constant()
