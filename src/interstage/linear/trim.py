"""Find steady states: deformations and joint angles at which chosen accelerations vanish.

A vehicle under thrust is steady when its structure is: the modes have taken up the load of the accelerated mass
and stand still, while the whole accelerates ("pre-load by the acceleration vector", NESC finding F-2). So modal
coordinates, and the angles of joints that springs hold, are the unknowns z, and their own accelerations the
residuals:

    r(z) = [ v̇_r(z);  φ(z) ] = 0,      z ← z - s (∂r/∂z)⁺ r

φ are the closures. The step length s comes from a line search (`steady`); Newton's method goes on until round-off
stops it, because small errors of a trim make large ones in a linear model. With spin in the state the same condition
gives the shape that centrifugal forces hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError, known_names
from interstage.linear.assembly_trim import HOLD_DOWN, Balance, standing, trim_flight
from interstage.linear.chart import Chart, position_names, turns, with_unit_quaternions
from interstage.linear.newton import Problem, Residual, Trim, TrimReport, Unknown, accelerating, trimmed
from interstage.multibody.fidelity import notes_on_stiffening
from interstage.multibody.loads import Forces, Loads
from interstage.multibody.operating_point import acting_at, at_point, frozen, tell_of_devices
from interstage.multibody.state import State, check_belongs
from interstage.multibody.types import Rates
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import Value
from interstage.simulation.run.operating_point import check_frame_used, vehicle_at, with_loads

if TYPE_CHECKING:
    from interstage.multibody.system import System

KINDS = ("position", "rate", "force")
Unknowns = str | Sequence[str | tuple[str, str]] | None
Residuals = str | Residual | Sequence[str | Residual] | None


@named_arguments
def trim(
    system: System | Assembly,
    x: State | str | None = None,
    forces: Forces | None = None,
    tau: ArrayLike | None = None,
    accelerations: Rates | None = None,
    *,
    frame: str = "world",
    unknowns: Unknowns = None,
    residuals: Residuals = None,
    max_iterations: int = 50,
    tolerance: float = 1e-9,
    set: Mapping[str, Value] | None = None,
) -> Trim:
    """Return a state near x in which chosen accelerations vanish under constant loads.

    Of an assembly, its devices act beside the loads, and their states stand still too; the point has these and
    the inputs that are held. Samples are solved together with the vehicle: at rest, discrete states and what
    laws remember are unknowns (an integrator stands where its input vanishes), and the point is flown for a frame; of
    a vehicle that moves they keep their values, and the report names those that drift. x="hold-down" is the vehicle
    as described, on the ground (that of a device as `Earth`), held there while structure and devices come to rest, and
    let go in the point that is returned; without x it is as described, and free.

    Parameters
    ----------
    forces, tau, accelerations, frame : as in `linearize`; thrust follows the engine: frame="body" or "node". Those of
        an operating point x act where that kind is not given
    unknowns : names as in "panel.eta", "panel.eta3", "engine.angle", "engine" (its joint and modes), or pairs
        ("rate", "wheel.angle"), ("force", "engine.angle") for velocities and generalized forces. Default: modal
        coordinates, joints that springs hold, joints in loops but Free ones, and Free bodies that closures hold to the
        ground, where they can come to rest; of an assembly also joints whose motion devices say (`JointRef.motion`),
        and coordinates alone
    residuals : names of accelerations that shall vanish, or functions f(system, x, vdot) that shall (they must
        take complex states). Default: those of the unknown coordinates
    tolerance : residuals left, relative to those of the single forces that balance, at which a trim has failed
    set : {port or state: value} of an assembly: inputs that are held, parameters, states to begin with
    """
    for name, value in (("max_iterations", max_iterations), ("tolerance", tolerance)):
        if not isinstance(value, int | float | np.integer | np.floating) or not value >= 0:
            raise InputError(f"{name} must be a number that is not negative", where=name, got=repr(value))
    if isinstance(system, Assembly):
        check_frame_used(frame, forces)
        given, wanted = (forces, tau, accelerations, frame), (unknowns, residuals)
        return _trim_assembly(system, x, given, wanted, max_iterations, tolerance, set)
    if set is not None:
        raise InputError("set belongs to assemblies", where="trim")
    if not isinstance(x, State):
        raise InputError(
            "trim starts from a state", where="x", expected="as system.state()", got=repr(x)[:60]
        )
    check_frame_used(frame, forces)
    system = at_point(system, x)
    if forces is None and tau is None and accelerations is None:
        tell_of_devices(x, "trim(flight, point)")
    loads = frozen(Loads.of(system, *acting_at(x, forces, tau, accelerations), frame), x, system)
    if len(x.q) != system.nq or np.iscomplexobj(x.q):
        raise InputError("not a real state of this system", where="x", got=repr(x)[:60])
    for chosen in _choices(system, x, unknowns):
        rows, functions, row_names = _residuals(system, residuals, chosen)
        start = with_unit_quaternions(x)
        for u in chosen:
            if u.kind == "position" and unknowns is None:
                start.v[u.place] = 0.0
        problem = Problem(system, start, loads, chosen, rows)
        problem.functions = functions
        try:
            found = trimmed(problem, row_names, max_iterations, tolerance)
            break
        except SolverError:
            if not chosen.again:
                raise
    state, loads = found.equations.x, found.equations.loads
    vdot = found.equations.accelerations(state, loads.tau)
    report = TrimReport(
        [u.name for u in chosen],
        _values(system, start, state, loads.tau, chosen),
        row_names,
        found.before[: len(row_names)],
        found.after[: len(row_names)],
        found.iterations,
        found.condition,
        accelerating(system, vdot, found.after),
    )
    notes_on_stiffening(system, state, vdot, loads)
    return Trim(state, report, loads, vdot, system.settings.copy())


def _trim_assembly(
    assembly: Assembly,
    x: State | str | None,
    loads: tuple[Forces | None, ArrayLike | None, Rates | None, str],
    wanted: tuple[Unknowns, Residuals],
    max_iterations: int,
    tolerance: float,
    given: Mapping[str, Value] | None,
) -> Trim:
    """Return a steady point of an assembly near x."""
    unknowns, residuals = wanted
    held = isinstance(x, str)
    if isinstance(x, str):
        if x != HOLD_DOWN:
            raise InputError(
                "not a start of a trim", where="x", expected=f"a state, or '{HOLD_DOWN}'", got=repr(x)
            )
        x = standing(assembly)
    system, balance = (
        vehicle_at(assembly, x),
        Balance(tolerance=tolerance, max_iterations=int(max_iterations)),
    )
    x = with_loads(system, x, *loads)
    if system is None and (unknowns is not None or residuals is not None):
        raise InputError(
            "unknowns and residuals are coordinates of a vehicle, and the assembly has none",
            where="unknowns" if unknowns is not None else "residuals",
        )
    if system is not None:
        x = assembly.state() if x is None else x
        check_belongs(system, x)
        balance.driven = unknowns is None
        for chosen in _choices(system, x, unknowns):
            for unknown in chosen:
                if unknown.kind != "position":
                    raise InputError(
                        "the unknowns of an assembly are coordinates", where="unknowns", got=unknown.name
                    )
            balance.places = np.array([unknown.place for unknown in chosen], dtype=int)
            if residuals is not None:
                balance.rows, balance.functions, balance.names = _residuals(system, residuals, chosen)
            try:
                return trim_flight(assembly, x, given, balance, held)
            except SolverError:
                if not chosen.again:
                    raise
    balance.driven = unknowns is None
    return trim_flight(assembly, x, given, balance, held)


def _values(system: System, start: State, x: State, tau: np.ndarray, chosen: list[Unknown]) -> np.ndarray:
    """Return what the unknowns are now; turns of ball and free joints and free positions as changes."""
    out = np.zeros(len(chosen))
    for k, u in enumerate(chosen):
        place = system.tree.v_q[u.place]
        if u.kind == "rate":
            out[k] = x.v[u.place]
        elif u.kind == "force":
            out[k] = tau[u.place]
        else:
            out[k] = x.q[place] if place >= 0 else turns(system, start, x)[u.place]
    return out


class _Choice(list[Unknown]):
    """Unknowns of a trim;  again : whether there are others where these have no balance."""

    again = False


def _choices(system: System, x: State, wanted: Unknowns) -> list[_Choice]:
    """Return unknowns to try: first with Free bodies that closures hold to the ground, then without."""
    if wanted is not None:
        return [_Choice(_unknowns(system, wanted))]
    names, places = position_names(system), _default_places(system, x)
    pinned = np.union1d(places, [k for root in _pinned(system) for k in range(*_span(system, root))])
    found = [_Choice(Unknown(names[int(k)], "position", int(k)) for k in some) for some in (pinned, places)]
    if len(pinned) == len(places):
        return found[1:]
    found[0].again = True
    return found


def _span(system: System, body: str) -> tuple[int, int]:
    where = system.layout[body].v
    return where.start, where.stop


def _pinned(system: System) -> list[str]:
    """Return the Free bodies that closures hold to the ground, or to what stands on it."""
    specs = {spec.name: spec for spec in system.model.specs}
    home: dict[str | None, str | None] = {None: None}
    for name, spec in specs.items():  # parents come before what they carry
        home[name] = home[spec.parent] if spec.parent is not None else name if spec.joint.is_free else None
    closed = [one for one in system.model.closures if one.name not in system.settings.opened]
    ties = [[home[end[0]] for end in one.ends] for one in closed]
    held: set[str | None] = {None}
    while more := {b for tie in ties for a, b in (tie, tie[::-1]) if a in held} - held:
        held |= more
    modes = dict(zip(system.bodies, system.settings.joint_mode))
    return [name for name in specs if name in held and modes[name] == 0]


def _unknowns(system: System, wanted: Unknowns) -> list[Unknown]:
    names = position_names(system)
    found: dict[tuple[str, int], Unknown] = {}
    for item in _listed(wanted, "unknowns"):
        kind, name = item if isinstance(item, tuple) and len(item) == 2 else ("position", item)
        if kind not in KINDS:
            raise InputError(
                "unknown kind of unknown", where="unknowns", expected=", ".join(KINDS), got=repr(kind)
            )
        for k in _named(system, name, "unknowns"):
            if kind == "force" and system.held[k]:
                raise InputError(f"the joint of '{names[k]}' is not free: a force there does nothing")
            prefix = "" if kind == "position" else f"{kind} of "
            found[kind, k] = Unknown(prefix + names[k], kind, k)
    return list(found.values())


def _default_places(system: System, x: State) -> np.ndarray:
    """Return places in v of modes, of free joints with springs, and of joints of loops but Free ones."""
    tree, chosen, looped = system.tree, np.zeros(system.nv, dtype=bool), _looped(system, x)
    for i, where in enumerate(system.layout.values()):
        chosen[where.etadot] = True
        if system.settings.joint_mode[i] != 0:
            continue
        chosen[where.v] = tree.v_stiffness[where.v] != 0.0
        if looped[where.v].any() and where.v.stop - where.v.start < 6:
            chosen[where.v] = True
    return np.flatnonzero(chosen)


def _looped(system: System, x: State) -> np.ndarray:
    """Return a mask (nv,) of velocities that closures see: a wheel beside a loop keeps its spin."""
    if not getattr(system, "n_closure", 0):
        return np.zeros(system.nv, dtype=bool)
    shift = 0.1 * np.random.default_rng(5).normal(size=system.nv)  # no column vanishes by chance of the pose
    shift[[k for s in system.layout.values() for k in range(s.etadot.start, s.etadot.stop)]] = 0.0
    J = np.abs(system.closure_jacobian(Chart(system, x).state(shift, None)))
    return J.max(axis=0) > 1e-9 * J.max()


def _listed(wanted: object, where: str) -> list:
    """Return what was asked for as a list: one name or function, or many."""
    if isinstance(wanted, str) or callable(wanted):
        return [wanted]
    if not isinstance(wanted, Iterable):
        raise InputError("cannot be read", where=where, expected="names", got=repr(wanted)[:60])
    return list(wanted)


def _named(system: System, name: object, where: str) -> list[int]:
    """Return places in v of a name: a body, "body.eta", or one coordinate."""
    names, rates = position_names(system), system.velocity_names()
    if isinstance(name, str):
        if name in names:
            return [names.index(name)]
        if name in rates:
            return [rates.index(name)]
        body, _, part = name.rpartition(".")
        if part == "eta" and body in system.layout:
            return list(range(system.layout[body].etadot.start, system.layout[body].etadot.stop))
        if name in system.layout:
            return list(range(system.layout[name].v.start, system.layout[name].etadot.stop))
    raise InputError(
        f"there is no coordinate {name!r}", where=where, hint=known_names([*system.bodies, *names])
    )


def _residuals(
    system: System, wanted: Residuals, unknowns: list[Unknown]
) -> tuple[np.ndarray, list[Residual], list[str]]:
    names = system.velocity_names()
    if wanted is None:
        rows = [u.place for u in unknowns]
        return np.array(rows, dtype=np.int64), [], [f"acceleration of {names[k]}" for k in rows]
    rows, functions, own = [], [], []
    for item in _listed(wanted, "residuals"):
        if callable(item):
            functions.append(item)
            own.append(getattr(item, "__name__", "function"))
        else:
            rows += _named(system, item, "residuals")
    return np.array(rows, dtype=np.int64), functions, [f"acceleration of {names[k]}" for k in rows] + own
