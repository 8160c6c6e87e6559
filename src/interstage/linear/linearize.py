"""Linearize a vehicle or an assembly about any state: A, B, C, D with named states, inputs and outputs.

Both are a `Plant` near an operating point (`plant`), and one function makes the model of either. With the error
coordinates of `chart` (δq, δv), f the forward dynamics and h the outputs,

    δq̇ = K δq + G δv                                   known exactly
    δv̇ = ∂f/∂q δq + ∂f/∂v δv + ∂f/∂u u                 by derivatives of inverse dynamics (`vehicle_plant`), or by
    y - y0 = ∂h/∂q δq + ∂h/∂v δv + ∂h/∂u u             complex steps through all devices (`assembly_plant`)

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
from types import MappingProxyType
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.linear.assembly_plant import AssemblyPlant, names_of_ports, refuse_outside
from interstage.linear.chart import Chart, continuous_in_world, in_world, with_unit_quaternions
from interstage.linear.differences import EXACT, Scheme
from interstage.linear.frames import sampled_model
from interstage.linear.inputs import Input
from interstage.linear.interface import interface_of
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet, models_at
from interstage.linear.outputs import OutputSpec
from interstage.linear.plant import Plant, state_space
from interstage.linear.validity import notes_on_point
from interstage.linear.vehicle_plant import VehiclePlant
from interstage.multibody.loads import Forces, Loads
from interstage.multibody.operating_point import OperatingPoint, acting_at, at_point, frozen, tell_of_devices
from interstage.multibody.state import State
from interstage.multibody.types import Place, Rates
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.declarations import Value
from interstage.simulation.plant.python_block import flown, laws_of
from interstage.simulation.run.operating_point import check_frame_used, vehicle_at, with_loads

if TYPE_CHECKING:
    from interstage.multibody.system import System


@overload
def linearize(
    system: System | Assembly,
    x0: State,
    inputs: Input | str | Sequence[Input | str] = (),
    outputs: OutputSpec | str | Sequence[OutputSpec | str] = (),
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
) -> LinearModel: ...


@overload
def linearize(
    system: System | Assembly,
    x0: Sequence[State],
    inputs: Input | str | Sequence[Input | str] = (),
    outputs: OutputSpec | str | Sequence[OutputSpec | str] = (),
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
) -> LinearModelSet: ...


@named_arguments
def linearize(
    system: System | Assembly,
    x0: State | Sequence[State],
    inputs: Input | str | Sequence[Input | str] = (),
    outputs: OutputSpec | str | Sequence[OutputSpec | str] = (),
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
) -> LinearModel | LinearModelSet:
    """Return the linear model of a system about a state, in continuous time.

    Of an assembly inputs and outputs are names or patterns of its ports, and `set` and `sampled` are for it alone; the
    other arguments mean the same. See `frames`.

    Parameters
    ----------
    x0 : a state, or an operating point as from `trim`: its settings hold, and its forces, tau and accelerations act,
        each where that kind is not given here; several, as from `points`, give a `LinearModelSet`
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
    check_frame_used(frame, forces)
    if isinstance(x0, Sequence) and not isinstance(x0, State | str):
        given = {"forces": forces, "tau": tau, "accelerations": accelerations, "frame": frame, "method": method,
                 "step": step, "richardson": richardson, "rtol": rtol, "position_axes": position_axes,
                 "velocity_axes": velocity_axes, "independent": independent, "reference": reference, "name": name,
                 "set": set, "sampled": sampled}  # fmt: skip
        return models_at(x0, lambda point: linearize(system, point, inputs, outputs, **given), name)  # type: ignore[call-overload]
    if isinstance(system, Assembly):
        point = with_loads(vehicle_at(system, x0), x0, forces, tau, accelerations, frame)
        ports = names_of_ports(inputs), names_of_ports(outputs)
        if sampled:
            refuse_outside(system, ports[0])
        scheme = Scheme(method, None if sampled else step, richardson, rtol)  # type: ignore[arg-type]
        plant: Plant = AssemblyPlant(system, point, *ports, set, axes=position_axes)
    elif set is not None or sampled:
        raise InputError("set and sampled belong to assemblies", where="linearize")
    else:
        scheme = Scheme(method, step, richardson, rtol)  # type: ignore[arg-type]
        system = at_point(system, x0)
        x, loads = _operating_point(system, x0, forces, tau, accelerations, frame)
        face = interface_of(system, inputs, outputs)
        plant = VehiclePlant(system, x, loads, face, Chart(system, x, position_axes))
        plant.t = x0.t if isinstance(x0, OperatingPoint) else None
    laws = laws_of(plant.plan) if isinstance(plant, AssemblyPlant) else {}
    try:
        with flown(laws):
            others = {"name": name or plant.name, **plant.places(reference)}
            if isinstance(plant, AssemblyPlant) and sampled:
                return sampled_model(plant, scheme, velocity_axes, independent, step, others)
            return continuous_model(plant, scheme, velocity_axes, independent, others)
    finally:
        plant.release()


def continuous_model(
    plant: Plant,
    scheme: Scheme = EXACT,
    velocity_axes: str = "body",
    independent: Sequence[str] | None = None,
    others: Mapping[str, object] = MappingProxyType({}),
) -> LinearModel:
    """Return the linear model of a plant in continuous time;  others : more fields of it."""
    turned = in_world(velocity_axes)
    vdot, y = plant.settle()
    chosen, T = plant.independent(independent)
    found = plant.jacobian(chosen, T, scheme)
    A, B, C, D = state_space(plant, chosen, T, found)
    notes = notes_on_point(plant, plant.notes(), vdot, A, found)
    m = len(plant.free)
    if len(found.rates) > m:  # states of devices
        kept = _used(A, B, C, int(np.sum(chosen < 2 * m)))
        A, B, C, chosen = A[np.ix_(kept, kept)], B[kept], C[:, kept], chosen[kept]
    if turned:
        A, B, C = continuous_in_world((A, B, C), plant.system, plant.x0, plant.motions(chosen), vdot)
    point = {"q": plant.x0.q.copy(), "v": plant.x0.v.copy(), "vdot": vdot, "y": y, **plant.about()}
    return plant.model((A, B, C, D), chosen, operating_point=point, method=found.how, notes=notes, **others)


def _used(A: np.ndarray, B: np.ndarray, C: np.ndarray, motions: int) -> np.ndarray:
    """Return the states that change or are read: an ideal sensor has some that are neither."""
    changes, read = A.any(axis=1) | B.any(axis=1), A.any(axis=0) | C.any(axis=0)
    return np.flatnonzero(changes | read | (np.arange(len(A)) < motions))


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
    if forces is None and tau is None and accelerations is None:
        tell_of_devices(x0, "linearize(flight, point)")
    loads = Loads.of(system, *acting_at(x0, forces, tau, accelerations), frame)
    return with_unit_quaternions(x0), frozen(loads, x0, system)
