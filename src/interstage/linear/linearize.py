"""Linearize a vehicle or an assembly about any state: A, B, C, D with named states, inputs and outputs.

With the error coordinates of `chart` (δq, δv), f the forward dynamics and h the outputs,

    δq̇ = K δq + G δv                                   known exactly
    δv̇ = ∂f/∂q δq + ∂f/∂v δv + ∂f/∂u u                 by derivatives of inverse dynamics, `vehicle_plant`
    y - y0 = ∂h/∂q δq + ∂h/∂v δv + ∂h/∂u u             accelerations follow f

The reference may move and accelerate (thrust, spin): the model then holds for deviations from that motion, its
coefficients frozen at the instant. Coordinates of locked joints are left out. Closures J δq = 0 and their rates
J δv + ∂(Jv)/∂q δq = 0 leave independent coordinates, chosen where J is best conditioned; the others follow.

The states of an assembly are those motions, then the continuous states of devices. Inputs are ports that are held
(their wires are cut), outputs any ports. In continuous time sampled devices are held: loops through them are open, and
the model has a note that says so; as an output such a device has the value of a sample at the instant. States of
devices that neither change nor are read are left out. Propellant in tanks is frozen at the mass of the point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError
from interstage.linear.chart import (
    Chart,
    continuous_in_world,
    in_world,
    independent_coordinates,
    with_unit_quaternions,
)
from interstage.linear.differences import Scheme
from interstage.linear.flight_plant import (
    NOTHING_SPECIAL,
    Asked,
    FlightPlant,
    jacobian_of,
    names_of_ports,
    split_parts,
)
from interstage.linear.frames import linearize_frame
from interstage.linear.inputs import Input
from interstage.linear.interface import (
    grid_positions,
    interface_of,
    mass_properties,
    state_index,
    state_names,
)
from interstage.linear.model import LinearModel
from interstage.linear.outputs import CustomOutput, Output
from interstage.linear.validity import elastic_places, notes_on_balance, notes_on_flight
from interstage.linear.vehicle_plant import Columns, Plant
from interstage.multibody.fidelity import notes_on_stiffening, warn_of_spin
from interstage.multibody.joint_modes import LOCKED
from interstage.multibody.loads import Forces, Loads
from interstage.multibody.operating_point import acting_at, at_point, frozen
from interstage.multibody.state import State
from interstage.multibody.types import Place, Rates
from interstage.spatial.checks import all_finite
from interstage.system.plant.assembly import Assembly
from interstage.system.plant.clock import Period
from interstage.system.plant.declarations import Value
from interstage.system.run.operating_point import check_frame_used, vehicle_at, with_loads

if TYPE_CHECKING:
    from interstage.multibody.system import System


def linearize_flight(assembly: Assembly, x0: State | None, asked: Asked = NOTHING_SPECIAL) -> LinearModel:
    """Return the linear model of an assembly in continuous time."""
    turned = in_world(asked.velocity_axes)
    plant = FlightPlant(assembly, x0, asked.inputs, asked.outputs, asked.given, axes=asked.position_axes)
    try:
        sizes = plant.sizes()
        m, n, nu = sizes["q"], sizes["q"] + sizes["v"] + sizes["z"], sizes["u"]
        chosen, T = plant.independent(n + nu, asked.independent)
        k = len(chosen) - nu
        scale = np.concatenate([*plant.magnitudes().values()])[chosen]
        J, how = jacobian_of(
            lambda d: plant.slopes(split_parts(T @ d, sizes)), scale, bool(plant.memory), asked.scheme
        )
        y0 = plant.slopes(split_parts(np.zeros(n + nu), sizes))
        held = _held(assembly, plant)
        notes = (*_on_held(held), *notes_on_flight(plant))
    finally:
        plant.release()
    every = np.zeros((n, k + nu))
    every[:m] = np.hstack([M[np.ix_(plant.free, plant.free)] for M in plant.chart.kinematics()]) @ T[: 2 * m]
    every[m:] = J[: n - m]
    said = {
        what: plant.channel_names(names) for what, names in (("in", plant.inputs), ("out", plant.outputs))
    }
    rows = slice(n - m, n - m + len(said["out"][0]))
    A, B, C, D = every[chosen[:k], :k], every[chosen[:k], k:], J[rows, :k], J[rows, k:]
    names, kept = plant.state_names(), _used(A, B, C, int(np.sum(chosen < 2 * m)))
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    if turned:
        vdot = np.zeros(plant.system.nv)
        vdot[plant.free] = y0[:m].real
        A, B, C = continuous_in_world((A, B, C), plant.system, plant.x0, plant.motions(chosen[kept]), vdot)
    return LinearModel(
        A,
        B,
        C,
        D,
        [names[i] for i in chosen[kept]],
        said["in"][0],
        said["out"][0],
        input_index=said["in"][2],
        output_index=said["out"][2],
        input_units=said["in"][1],
        output_units=said["out"][1],
        operating_point={"q": plant.x0.q, "v": plant.x0.v, "y": y0[rows]},
        mass_properties=asked.mass_properties(plant),
        method=how | ({"held": ", ".join(held)} if held else {}),
        name=asked.name or assembly.name,
        notes=notes,
    )


def _held(assembly: Assembly, plant: FlightPlant) -> dict[str, float]:
    """Return the sampled parts that drive others which run between samples, with their periods: loops through them."""
    every = {
        plant.plan.parts[entry.part].path: float(entry.every * plant.plan.clock.tick)
        for entry in plant.plan.sampled
    }
    found = {}
    for piece in assembly.pieces():
        source, target = (name.rpartition(".")[0] for name in (piece.source, piece.target))
        if source in every and target not in every and piece.target not in plant.inputs:
            found[source] = every[source]
    return found


def _on_held(held: Mapping[str, float]) -> tuple[str, ...]:
    """Return the note on loops that are open."""
    if not held:
        return ()
    parts = ", ".join(f"'{path}' (every {T:g} s)" for path, T in held.items())
    return (
        f"held, not in the loop: {parts}; the loop through what is sampled is open here, sampled=True closes it",
    )


def _used(A: np.ndarray, B: np.ndarray, C: np.ndarray, motions: int) -> np.ndarray:
    """Return the states that change or are read: an ideal sensor has some that are neither."""
    changes, read = A.any(axis=1) | B.any(axis=1), A.any(axis=0) | C.any(axis=0)
    return np.flatnonzero(changes | read | (np.arange(len(A)) < motions))


class _Slopes(NamedTuple):
    """Derivatives of v̇ and y (nv and ny, 2 nv + nu) along δq, δv and u, with an estimate of their errors."""

    vdot: np.ndarray
    y: np.ndarray
    error: float


@named_arguments
def linearize(
    system: System | Assembly,
    x0: State,
    inputs: Input | str | Sequence[Input | str] = (),
    outputs: Output | str | Sequence[Output | str] = (),
    *,
    forces: Forces | None = None,
    tau: ArrayLike | None = None,
    accelerations: Rates | None = None,
    frame: str = "world",
    method: str = "complex-step",
    step: Period | None = None,
    richardson: bool = False,
    rtol: float = 1e-10,
    position_axes: str = "parent",
    velocity_axes: str = "body",
    independent: Sequence[str] | None = None,
    reference: Place | None = None,
    name: str | None = None,
    set: Mapping[str, Value] | None = None,
    sampled: bool = False,
) -> LinearModel:
    """Return the linear model of a system about a state, in continuous time.

    Of an assembly inputs and outputs are names or patterns of its ports, and `set` and `sampled` are for it alone; the
    other arguments mean the same. See `frames`.

    Parameters
    ----------
    x0 : a state, or an operating point as from `trim`: its settings hold, and its forces, tau and accelerations act,
        each where that kind is not given here
    inputs : JointForce, JointAcceleration, NodeForce, NodeTorque, ModalForce; zero at the operating point
    outputs : NodePosition, NodeAttitude, NodeRate, NodeVelocity, NodeAcceleration, NodeAngularAcceleration,
        JointAngle, JointRate, JointReaction, ModalCoordinate, CenterOfMass, CustomOutput
    forces : {(body, node) or body: [t; f] (6,)} held constant in the axes of `frame`: "world", or following the
        "body" or "node" as thrust does; a key (body, node, frame) has axes of its own; `Wrench` objects; or `Loads`
    tau (nv,), accelerations {body: ...} : constant generalized forces; motions of prescribed joints
    method : "complex-step", "central-2" or "central-4";  step, richardson, rtol as in `differences.Scheme`
        without a step accelerations are slopes of inverse dynamics, outputs complex steps; with one all are steps.
        Of an assembly steps are in units of the size of each state, or in its unit where that is less; a law that
        does not carry complex steps is differenced ("central-2", said in `model.method`)
    position_axes : of free positions, "parent" (world) or "body" (constant coefficients in a steady spin)
    velocity_axes : of free velocities, "body" or "world": the second about a vehicle that accelerates, where its path
        matters (`chart`)
    independent : with closures, names of coordinates (or bodies) to keep as states
    reference : place (body or (body, node)) of mass properties and grid positions in the model file; of an assembly,
        whose model has mass properties where it is given
    set : {port or state: value} of an assembly, beside those of the point
    sampled : of an assembly, the map of one frame of its samples, software and all (it has a `dt`). Between samples
        it is the matrix exponential, exact however fast modes and devices are; where the point moves so that the model
        changes on the way, that of pieces of at most `step` (default 10 ms), of fourth order
    """
    if isinstance(system, Assembly):
        asked = Asked(
            names_of_ports(inputs),
            names_of_ports(outputs),
            set,
            name,
            Scheme(method, None if sampled else step, richardson, rtol),
            position_axes,
            velocity_axes,
            independent,
            reference,
        )
        check_frame_used(frame, forces)
        point = with_loads(vehicle_at(system, x0), x0, forces, tau, accelerations, frame)
        made = (
            linearize_frame(system, point, asked, step) if sampled else linearize_flight(system, point, asked)
        )
        return _noted(made, vehicle_at(system, point), point)
    if set is not None or sampled:
        raise InputError("set and sampled belong to assemblies", where="linearize")
    turned = in_world(velocity_axes)
    check_frame_used(frame, forces)
    system = at_point(system, x0)
    state, loads = _operating_point(system, x0, forces, tau, accelerations, frame)
    scheme = Scheme(method, step, richardson, rtol)
    interface = interface_of(system, inputs, outputs)
    plant = Plant(system, state, loads, interface, Chart(system, state, position_axes))
    vdot0, y0 = plant.settle()
    slopes = _slopes(plant, scheme, vdot0)
    A, B, C, D, kept = _matrices(plant, slopes, independent)
    notes = _balance(plant, slopes, vdot0, A) if vdot0.any() else ()
    notes += notes_on_stiffening(system, state, vdot0, loads)
    if turned:
        A, B, C = continuous_in_world((A, B, C), system, state, kept, vdot0)
    made = _template(plant, kept).with_matrices(
        A,
        B,
        C,
        D,
        grid_positions=grid_positions(plant, reference),
        mass_properties=mass_properties(plant, reference),
        operating_point={"q": state.q.copy(), "v": state.v.copy(), "vdot": vdot0, "y": y0},
        method={
            "method": scheme.method,
            "step": scheme.size,
            "richardson": scheme.richardson,
            "error": slopes.error,
        },
        name=name or system.model.name,
        notes=notes,
    )
    return _noted(made, system, state)


def _noted(model: LinearModel, system: System | None, x: State | None) -> LinearModel:
    """Return a model with notes on what its vehicle leaves out at a state, of which spin is warned."""
    if system is None:
        return model
    more = [*system.model.notes, *warn_of_spin(system, system.state() if x is None else x)]
    return replace(model, notes=(*model.notes, *more)) if more else model


def _balance(plant: Plant, slopes: _Slopes, vdot: np.ndarray, A: np.ndarray) -> tuple[str, ...]:
    """Warn of a state at which the structure is not in balance, and return notes on it."""
    system = plant.system
    places = elastic_places(system)
    if not vdot[places].any():
        return ()

    def shifted(change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = plant.chart.state(change, None)
        other = Plant(system, x, plant.loads, interface_of(system, (), ()), Chart(system, x))
        vdot, _ = other.settle()
        return A, _matrices(other, _slopes(other, Scheme(), vdot), None)[0]

    return notes_on_balance(system, plant.x0.q, vdot, places, slopes.vdot[np.ix_(places, places)], shifted)


def _operating_point(system, x0, forces, tau, accelerations, frame) -> tuple[State, Loads]:
    """Return a real copy of the state and the loads: of each kind those given, or those of a trim."""
    if not isinstance(x0, State):
        raise InputError(
            "not a state", where="x0", expected="system.state() or ist.trim(...)", got=repr(x0)[:60]
        )
    if len(x0.q) != system.nq or len(x0.v) != system.nv:
        raise InputError(
            "the state belongs to another system",
            where="x0",
            expected=f"{system.nq} coordinates and {system.nv} velocities",
            got=f"{len(x0.q)} and {len(x0.v)}",
        )
    if x0.qv.dtype.kind == "c":
        raise InputError("the operating point must be real", where="x0")
    system.check_closed(x0)
    loads = Loads.of(system, *acting_at(x0, forces, tau, accelerations), frame)
    return with_unit_quaternions(x0), frozen(loads, x0, system)


def _slopes(plant: Plant, scheme: Scheme, vdot0: np.ndarray) -> _Slopes:
    """Differentiate accelerations and outputs along every error coordinate and input."""
    nv, ny, nu = plant.system.nv, len(plant.rows.outputs), len(plant.channels)
    sizes, rough = [nv, nv, nu], _rough_outputs(plant, scheme)
    if scheme.method == "complex-step" and not rough:
        found = Columns(plant, vdot0, scheme.step)
        y = found.outputs()
        return _Slopes(_finite(found.vdot), _finite(y) if plant.interface.felt else y, np.nan)
    smooth = [o for o in plant.outputs if not any(o is r for r in rough)]
    found, worst = [], 0.0
    for kind in range(3):
        block = np.empty((nv + ny, sizes[kind]))
        for k in range(sizes[kind]):
            e = np.zeros(sizes[kind])
            e[k] = 1.0
            block[:, k], error = _column(plant, scheme, kind, e, rough, smooth)
            worst = max(worst, error) if np.isfinite(error) else worst
        found.append(block)
    every = _finite(np.hstack(found))
    return _Slopes(every[:nv], every[nv:], worst if scheme.richardson else np.nan)


def _finite(slopes: np.ndarray) -> np.ndarray:
    if not all_finite(slopes):
        raise SolverError(
            "the derivatives are not finite", hint="look at the state, and at expressions that divide by zero"
        )
    return slopes


def _column(plant, scheme, kind, e, rough, smooth) -> tuple[np.ndarray, float]:
    """Return d[v̇; y] along one direction; outputs that take no complex numbers by differences."""

    def evaluate(chosen):
        def f(d):
            vdot, seen = plant.evaluate(*(d if j == kind else None for j in range(3)))
            return np.concatenate([vdot, plant.measure(seen, chosen)])

        return f

    if not rough:
        return scheme.along(evaluate(plant.outputs), e)
    nv = plant.system.nv
    fine, error = scheme.along(evaluate(smooth), e)
    coarse, _ = Scheme("central-4").along(evaluate(rough), e)
    parts, at, rough_at = [fine[:nv]], nv, nv
    for output, n in zip(plant.outputs, plant.rows.sizes):
        if any(output is r for r in rough):
            parts.append(coarse[rough_at : rough_at + n])
            rough_at += n
        else:
            parts.append(fine[at : at + n])
            at += n
    return np.concatenate(parts), error


def _rough_outputs(plant: Plant, scheme: Scheme) -> list[CustomOutput]:
    """Return expressions that do not carry complex steps: found by one random direction."""
    if scheme.method != "complex-step":
        return []
    return [o for o in plant.interface.expressions if not _carries_steps(plant, scheme, o)]


def _carries_steps(plant: Plant, scheme: Scheme, output: CustomOutput) -> bool:
    nv = plant.system.nv
    rng = np.random.default_rng(1)
    direction = rng.normal(size=2 * nv) / np.sqrt(2 * nv)

    def f(d):
        _, seen = plant.evaluate(d[:nv], d[nv:])
        y = output.values(seen)
        if np.iscomplexobj(d) and not np.iscomplexobj(y):
            raise TypeError("complex numbers do not come through")
        return y

    try:
        exact, _ = scheme.along(f, direction)
    except (TypeError, ValueError, AttributeError, InputError):
        return False
    rough, error = Scheme("central-4", richardson=True, step=1e-2).along(f, direction)
    scale = np.abs(rough).max(initial=0.0) + np.abs(exact).max(initial=0.0)
    return bool(np.abs(exact - rough).max(initial=0.0) <= 1e-4 * scale + 100.0 * error)


def _matrices(plant: Plant, slopes: _Slopes, wanted: Sequence[str] | None) -> tuple[np.ndarray, ...]:
    """Put A, B, C, D together, leaving out what is locked or follows from closures; return them and what is kept."""
    system, moves = plant.system, 2 * plant.system.nv
    A, B = np.zeros((moves, moves)), np.zeros((moves, slopes.vdot.shape[1] - moves))
    plant.chart.write_kinematics(A)
    A[system.nv :], B[system.nv :] = slopes.vdot[:, :moves], slopes.vdot[:, moves:]
    C, D = slopes.y[:, :moves].copy(), slopes.y[:, moves:].copy()
    if wanted is None and not system.any_held and system.n_closure == 0:
        return A, B, C, D, plant.interface.every
    kept, T = independent_coordinates(plant, locked_velocities(system), wanted)
    if T is not None:
        A, B, C = (A @ T)[kept], B[kept], C @ T
    elif len(kept) < moves:
        A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    return A, B, C, D, kept


def _template(plant: Plant, kept: np.ndarray) -> LinearModel:
    """Return a model with the names, units and places of states, inputs and outputs; `kept` are places in [δq; δv]."""
    face, rows, key = plant.interface, plant.rows, kept.tobytes()
    if key in face.models:
        return face.models[key]
    states, units = state_names(plant.system, kept, face.unit)
    n, nu, ny = len(states), len(face.inputs), len(rows.outputs)
    found = LinearModel(
        np.zeros((n, n)),
        np.zeros((n, nu)),
        np.zeros((ny, n)),
        np.zeros((ny, nu)),
        states=states,
        inputs=face.inputs,
        outputs=rows.outputs,
        state_index=state_index(plant.system, kept),
        input_index=face.input_index,
        output_index=rows.output_index,
        state_units=units,
        input_units=face.input_units,
        output_units=rows.output_units,
    )
    if not face.expressions and plant.system.n_closure == 0:
        # one that nobody else has: what is passed on by it is copied when it is asked for
        face.models[key] = found.with_matrices(found.A, found.B, found.C, found.D)
    return found


def locked_velocities(system: System) -> np.ndarray:
    """Return a mask (nv,) of the velocities of locked joints."""
    tree = system.tree
    mask = np.zeros(system.nv, dtype=bool)
    for i in np.flatnonzero(system.settings.joint_mode == LOCKED) if system.any_held else ():
        mask[tree.joint_v[i] : tree.joint_v[i] + tree.joint_nv[i]] = True
    return mask
