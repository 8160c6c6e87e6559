"""Find a steady state of an assembly: structure, springs and devices at rest.

    r(y) = [ v̇_r(y);  ż(y);  C(y) ] = 0,      y ← y - s (∂r/∂y)⁺ r      C: what closures forbid

y are modal coordinates and joints that springs hold (as in `trim` of a vehicle), joints whose motion devices say, and
the states z of devices, less the propellant of tanks: masses are frozen. What is sampled says what it would at the
point; it is asked anew until nothing changes.

A vehicle may be held down meanwhile: its free bodies then do not accelerate (v̇ = 0 in body axes, so that one that turns
with the Earth goes on turning with it), and let go in the point that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.linear.chart import turns
from interstage.linear.flight_plant import FlightPlant, jacobian_of
from interstage.linear.trim_report import TrimReport, accelerating
from interstage.multibody import System
from interstage.multibody.loads import Loads, OperatingPoint
from interstage.multibody.prescribed import PRESCRIBED
from interstage.multibody.state import State
from interstage.system.assembly import Assembly
from interstage.system.device import Device
from interstage.system.flight_point import FlightPoint, start_values
from interstage.system.ports import Value

ROUNDS = 50  # of asking what is sampled anew
HALVINGS = 12
REACH = 1e-3, 1e3  # how far a joint is from where its drive wants it, at least and at most (rad or m)
BISECTIONS = 40
STILL = 1e-12  # change of unknowns, beside their size, that is none
HOLD_DOWN = "hold-down"


class FlightTrim(FlightPoint):
    """A point of an assembly found by `trim`, with a `report`."""

    def __init__(self, x: State, point: tuple, report: TrimReport):
        super().__init__(x, *point)
        self.report = report

    def _arguments(self) -> tuple:
        return super()._arguments(), self.report

    def __str__(self) -> str:
        return f"{self.report}\n{super().__str__()}"


def standing(assembly: Assembly) -> State:
    """Return the vehicle as it is described, on a ground that moves as a device says (`ground_motion`)."""
    x = assembly.state()
    grounds = [part.what for part in assembly.parts() if isinstance(part.what, Device)]
    motion = next((g.ground_motion for g in grounds if hasattr(g, "ground_motion")), None)
    if motion is not None:
        system = assembly.vehicle
        assert system is not None
        for name in free_bodies(system):
            R = system.rotation(x, name)
            x[name].velocity[:] = (motion(x[name].position).reshape(2, 3) @ R).ravel()
    return x


def free_bodies(system: System) -> list[str]:
    """Return the bodies that nothing holds: free joints on the ground."""
    roots = [spec.name for spec in system.model.specs if spec.parent is None and spec.joint.nv == 6]
    if not roots:
        raise InputError("nothing to hold down: no body is free", where="trim")
    return roots


def trim_flight(
    assembly: Assembly,
    x: State | None,
    given: Mapping[str, Value] | None,
    places: np.ndarray,
    max_iterations: int,
    tolerance: float,
    held: bool = False,
    driven: bool = True,
) -> FlightTrim:
    """Return a point near x at which the unknowns `places` (in v) and all states of devices stand still.

    held : free bodies keep their velocities meanwhile;  driven : joints whose motion devices say are unknowns too
    """
    point: State | None = x
    before, iterations = np.zeros(0), 0
    for round in range(ROUNDS):
        plant = FlightPlant(assembly, point, (), (), given)
        modes = plant.system.settings.joint_mode
        switched = modes.copy()
        try:
            for name in free_bodies(plant.system) if held else ():
                modes[plant.system.body(name)] = PRESCRIBED
            moved = _driven(plant) if driven else np.zeros(0, dtype=int)
            rows = np.flatnonzero(np.isin(plant.free, [*places, *moved]))
            plant.x0.v[plant.free[rows]] = 0.0
            steered = np.flatnonzero(np.isin(plant.free[rows], moved))
            y, first, after, steps, condition = _solved(plant, rows, steered, max_iterations, tolerance)
            before, iterations = first if round == 0 else before, iterations + steps
            modes[:] = switched
            found = _point(plant, point, rows, y, given)
            point, report = found, _report(plant, found, rows, before, after, iterations, condition)
        finally:
            plant.release()
        size = 1.0 + np.abs(point.q).max(initial=0.0)
        if np.abs(y).max(initial=0.0) <= STILL * size or not plant.plan.sampled:
            point_of = (found.loads, found.vdot, found.settings, found.values, found.t)
            return FlightTrim(found, point_of, report)
    raise SolverError(
        "what is sampled does not settle",
        where=f"trim of assembly '{assembly.name}'",
        hint="an integrator in the software has no steady state: leave its wire out, and hold the input with set=",
    )


def _report(
    plant: FlightPlant,
    point: FlightPoint,
    rows: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    iterations: int,
    condition: float,
) -> TrimReport:
    """Return what was done; turns of ball and free joints and free positions as changes from where this round began."""
    names, m, z = plant.state_names(), plant.sizes()["v"], plant.device_states()
    places = plant.system.tree.v_q[plant.free[rows]]
    moved = (
        turns(plant.system, plant.x0, point)[plant.free[rows]] if (places < 0).any() else np.zeros(len(rows))
    )
    values = np.where(places >= 0, point.q[places], moved) if len(rows) else np.zeros(0)
    kept = np.zeros(len(plant.vectors["z"]))
    for name, slot in plant.plan.slots.items():
        if slot.kind == "z":
            kept[slot.where] = np.ravel(point.values[name])
    return TrimReport(
        [names[k] for k in rows] + z,
        np.concatenate([values, kept[plant.states]]),
        [names[m + k] for k in rows] + [f"rate of {name}" for name in z],
        before,
        after,
        iterations,
        condition,
        accelerating(plant.system, point.vdot, after),
    )


def _driven(plant: FlightPlant) -> np.ndarray:
    """Return the places in v of joints whose motion devices say."""
    bodies = {str(touch.place) for touch in plant.plan.pushes if touch.quantity == "motion"}
    found = [np.arange(plant.system.nv)[plant.system.layout[body].v] for body in sorted(bodies)]
    return np.concatenate([np.zeros(0, dtype=int), *found])


def _within_limits(residual: Callable[[np.ndarray], np.ndarray], y: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return y where drives k are not at their rate limits, by bisection; each is a function of its own joint.

    At a limit a drive does not change with its joint, and Newton's method has no direction.
    """
    r = residual(y)[k]
    way, near, far = np.sign(r), y[k].copy(), y[k].copy()
    size = REACH[0]
    while size <= REACH[1]:
        out = residual(_put(y, k, near + way * size))[k] * way < 0.0
        far[out & (far == near)] = (near + way * size)[out & (far == near)]
        if (far != near).all():
            break
        size *= 2.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (near + far)
        new = residual(_put(y, k, middle))[k]
        over = new * way < 0.0
        far[over], near[~over] = middle[over], middle[~over]
    return _put(y, k, 0.5 * (near + far))


def _put(y: np.ndarray, k: np.ndarray, values: np.ndarray) -> np.ndarray:
    found = y.copy()
    found[k] = values
    return found


def _changes(plant: FlightPlant, rows: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return changes of q, v, z, u for values of the unknowns."""
    sizes = plant.sizes()
    found = {name: np.zeros(n, y.dtype) for name, n in sizes.items()}
    found["q"][rows], found["z"][:] = y[: len(rows)], y[len(rows) :]
    return found


def _jacobian(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray, laws: bool) -> np.ndarray:
    """Return ∂f/∂y at y."""
    return jacobian_of(lambda change: f(y + change), y, laws)[0]


def _solved(
    plant: FlightPlant, rows: np.ndarray, driven: np.ndarray, most: int, tolerance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, float]:
    """Return the unknowns at which the residuals vanish, by Newton's method with halved steps.

    Then residuals before and after, the number of steps, and the condition of the last Jacobian.
    driven : numbers of the unknowns that drives move
    """
    m = plant.sizes()["v"]
    wanted = np.concatenate([rows, m + np.arange(plant.sizes()["z"])]).astype(int)

    def residual(y: np.ndarray) -> np.ndarray:
        changes = _changes(plant, rows, y)
        return np.concatenate([plant.slopes(changes)[wanted], plant.openings(changes)])

    y = np.zeros(len(wanted))
    r = residual(y)
    before, steps, condition = r, 0, 1.0
    scale = max(float(np.abs(r).max(initial=0.0)), 1.0)
    if len(driven):
        J = _jacobian(residual, y, bool(plant.memory))
        limited = driven[(J[driven, driven] == 0.0) & (r[driven] != 0.0)]
        if len(limited):
            y = _within_limits(residual, y, limited)
            r = residual(y)
    while steps < most and len(y) and np.abs(r).max() > 1e-14 * scale:
        J = _jacobian(residual, y, bool(plant.memory))
        step, _, _, sizes = np.linalg.lstsq(J, r, rcond=None)
        condition = float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
        for k in range(HALVINGS):
            trial = y - step / 2**k
            new = residual(trial)
            if np.isfinite(new).all() and np.abs(new).max() < np.abs(r).max():
                break
        else:
            break  # round-off: no step makes it better
        y, r, steps = trial, new, steps + 1
    if np.abs(r).max(initial=0.0) > tolerance * scale:
        names = [plant.state_names()[m + k] for k in rows] + plant.device_states()
        worst = int(np.argmax(np.abs(r)))
        rates = worst < len(names)
        raise SolverError(
            "no steady state was found",
            where=f"'{names[worst]}'" if rates else "closures",
            got=f"a rate of {r[worst]:.3g} is left" if rates else f"they stay open by {r[worst]:.3g}",
            hint="start nearer, or hold other inputs with set=",
        )
    return y, before[: len(y)], r[: len(y)], steps, condition


def _point(
    plant: FlightPlant, x: State | None, rows: np.ndarray, y: np.ndarray, given: Mapping[str, Value] | None
) -> FlightPoint:
    """Return the point at values of the unknowns."""
    delta = _changes(plant, rows, y)
    plant.slopes(delta)
    loop, state = plant.begin(delta, plant.vectors)
    vdot, qdot = np.empty_like(state.v), np.empty_like(state.q)
    plant.done(loop, loop.right_side(state.q, state.v, plant.t, qdot, vdot))
    values = start_values(plant.plan, x, given, still=True)
    for name in plant.plan.open:
        values.setdefault(name, loop.tapes.array(name).copy())
    for name, slot in plant.plan.slots.items():
        if slot.kind == "z":
            values[name] = loop.tapes.array(name).copy()
    loads = x.loads if isinstance(x, OperatingPoint) else Loads.of(plant.system)
    return FlightPoint(state, loads, vdot, plant.system.settings.copy(), values, plant.t)
