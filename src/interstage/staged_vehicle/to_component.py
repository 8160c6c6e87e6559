"""A burning vehicle as a body of the multibody engine: a component at one fill, and tanks that change it.

Forces and stresses of elements in a burning vehicle, as rows of its shapes.

    y = S Φ η

S takes displacements of the nodes of a stage to results of its elements, and does not know of mass: a row holds over
the whole burn. What the shapes lack of the static answer to loads is not added, unlike in components with masses that
stand still (`interstage.component.unit_loads`): its share changes with the propellant. Attachment shapes hold it at the
places where loads act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as la

from interstage.component.checks import of_precision
from interstage.component.component import Component, RecoveryRows
from interstage.component.integrals import ModalIntegrals
from interstage.component.options import ElementResult, checked_name
from interstage.component.unit_loads import linear_rows
from interstage.errors import InputError, ModelError, did_you_mean, shown
from interstage.multibody import Free, Multibody
from interstage.multibody.propellant_mass import Tanks, tank_numbers
from interstage.staged_vehicle.geometric_stiffness import LoadStiffness
from interstage.staged_vehicle.integrals import Ratio, ratio_at
from interstage.staged_vehicle.reduced_basis import ReducedBasis
from interstage.staged_vehicle.stage import Stage

RATIOS = 400  # rows of a table of damping ratios over frequency


def component_at(
    shapes: ReducedBasis,
    fill: Mapping[str, float],
    name: str,
    loads: LoadStiffness | None = None,
    results: StageResults | None = None,
) -> Component:
    """Return the component of a vehicle at a fill, in modes Φ T of unit modal mass: T'GT = 1, T'KT = ω².

    Its frame is that of the vehicle, and shapes keep their rigid parts: nothing but coordinates changes, η = T y.
    Nodes have the ids of `ReducedBasis.node_ids`.  loads : that change its stiffness;  results : of elements
    """
    one = shapes.integrals(fill)
    try:
        values, T = la.eigh(one.K, one.G)
    except la.LinAlgError:
        raise ModelError(
            "the modal mass is not positive", where=f"component '{name}'", hint="look at shapes.report"
        ) from None
    made = _component(shapes, one, name, values, T)
    return _completed(made, shapes, fill, T, shapes.node_ids, loads, results)


def reference_component(
    shapes: ReducedBasis,
    name: str,
    ids: np.ndarray | None = None,
    loads: LoadStiffness | None = None,
    results: StageResults | None = None,
) -> Component:
    """Return the component of a vehicle at its reference fill, in its shapes as they are; ids (N,) of the nodes."""
    n = len(shapes)
    one = replace(shapes.integrals(shapes.reference), G=np.eye(n))
    made = _component(shapes, one, name, (2 * np.pi * shapes.frequencies_hz) ** 2, np.eye(n), ids)
    ids = shapes.node_ids if ids is None else ids
    return _completed(made, shapes, shapes.reference, np.eye(n), ids, loads, results)


def _completed(
    made: Component,
    shapes: ReducedBasis,
    fill: Mapping[str, float],
    T: np.ndarray,
    ids: np.ndarray,
    loads: LoadStiffness | None,
    results: StageResults | None,
) -> Component:
    """Return a component in modes Φ T that knows results of elements, and how loads change its stiffness at a fill."""
    one = shapes.integrals(fill)
    if results is not None:
        soft = (T.T @ one.effective_mass @ T) / ((2 * np.pi * made.frequencies_hz) ** 2)[:, None]
        made = made.with_changes(recovery=results.rows(shapes, T, soft, ids))
    if loads is not None:
        K = loads.at(shapes.partition.weights(fill), one)
        made = made.with_changes(geometric_stiffness=loads.record(shapes, K, T, ids))
    return made


def tanks_of(
    shapes: ReducedBasis,
    start: Mapping[str, float],
    damping: Ratio | None,
    loads: LoadStiffness | None = None,
    ids: np.ndarray | None = None,
) -> Tanks:
    """Return the tanks of a vehicle for the multibody engine: its integrals as sums over levels.

    loads : that change its stiffness, with nodes of the given ids (N,)
    """
    partition, n = shapes.partition, len(shapes)
    soft = any(tank.K for tank in shapes.stack.tanks.values())
    still = np.diag((2 * np.pi * shapes.frequencies_hz) ** 2)  # stiffness that the springs of the modes have
    ids = shapes.node_ids if ids is None else ids
    stiff = (None, [None] * len(partition.level_values)) if loads is None else loads.numbers()
    return Tanks(
        partition.tanks,
        partition.first,
        partition.level_mass,
        _numbers(ModalIntegrals.unpack(partition.base, n), still if soft else None, stiff[0]),
        np.array(
            [
                _numbers(ModalIntegrals.unpack(one, n), 0.0 * still if soft else None, more)
                for one, more in zip(partition.level_values, stiff[1])
            ]
        ),
        np.array([start[tank] for tank in partition.tanks]),
        None if damping is None else _ratios(shapes, damping),
        None if loads is None else loads.tank_loads(shapes, ids),
    )


def add_flexible(
    mb: Multibody,
    name: str,
    shapes: ReducedBasis,
    start: Mapping[str, float],
    damping: Ratio | None,
    order: int,
    loads: LoadStiffness | None = None,
    results: StageResults | None = None,
    ids: np.ndarray | None = None,
    stiffening: bool | None = None,
) -> None:
    """Add a vehicle, or a part of one, as a free flexible body; with tanks where it has some.

    start : {tank: propellant} at first;  damping : ratio of the free modes;  ids (N,) : of the nodes
    stiffening : as in `BodySpec`
    """
    component = reference_component(shapes, name, ids, loads, results)
    if shapes.partition.tanks:
        tanks = tanks_of(shapes, start, damping, loads, ids)
        mb.add_body(name, component=component, joint=Free(), order=order, stiffening=stiffening, tanks=tanks)
        return
    ratio: float | list[float] | None = None
    if callable(damping):
        one = shapes.integrals(shapes.reference)
        rates = np.sqrt(np.maximum(la.eigh(one.K, one.effective_mass, eigvals_only=True), 0.0))
        ratio = [ratio_at(damping, float(rate / (2 * np.pi))) for rate in rates]
    elif damping is not None:
        ratio = ratio_at(damping, 0.0)
    mb.add_body(name, component=component, joint=Free(), order=order, damping=ratio, stiffening=stiffening)


def _numbers(one: ModalIntegrals, still: np.ndarray | None, stiff: np.ndarray | None) -> np.ndarray:
    """Return integrals as the engine takes them.

    still : stiffness that is not counted, None where none changes;  stiff : numbers of inertia loads
    """
    return tank_numbers(one, None if still is None or one.K is None else one.K - still, stiff)


def _ratios(shapes: ReducedBasis, damping: Ratio) -> np.ndarray:
    """Return ratios over rates (R, 2), to twice the highest frequency of the empty vehicle."""
    empty = shapes.integrals({name: float(tank.masses[0]) for name, tank in shapes.stack.tanks.items()})
    top = np.sqrt(la.eigh(empty.K, empty.effective_mass, eigvals_only=True)[-1]) / np.pi
    hz = np.linspace(0.0, top, RATIOS) if callable(damping) else np.array([0.0])
    return np.array([[2 * np.pi * f, ratio_at(damping, float(f))] for f in hz])


def _component(
    shapes: ReducedBasis,
    one: ModalIntegrals,
    name: str,
    values: np.ndarray,
    T: np.ndarray,
    ids: np.ndarray | None = None,
) -> Component:
    ids = shapes.node_ids if ids is None else ids
    order = np.argsort(ids)
    Phi = (shapes.nodes @ T).reshape(len(ids), 6, -1)[order]
    made = Component(
        name=name,
        node_ids=ids[order],
        node_positions=shapes.stack.positions[order],
        gamma=Phi[:, :3],
        lam=Phi[:, 3:],
        frequencies_hz=np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi),
        **one.in_basis(T).fields(),
        n_rigid=6,
        rigid_frequencies_hz=np.zeros(6),
    )
    return of_precision(made, shapes.stack.precision)


FORM = '(stage, type, element, column), as in ("first", "CBAR", 1, "bending_moment_a1")'


@dataclass(frozen=True, eq=False)
class StageResults:
    """Results of elements that are wanted of the stages of a vehicle, {name: (stage, result)}."""

    stages: Mapping[str, Stage]
    wanted: Mapping[str, tuple[str, ElementResult]]

    @classmethod
    def of(cls, stages: Mapping[str, Stage], given: object) -> StageResults:
        """Read {name: (stage, type, element, column, ...)}; what stages and elements do not have is refused."""
        if not isinstance(given, Mapping):
            raise InputError("recover is not usable", expected=f"{{name: {FORM}}}", got=shown(given))
        wanted: dict[str, tuple[str, ElementResult]] = {}
        for name, one in given.items():
            parts = tuple(one) if isinstance(one, tuple | list) else ()
            if not parts or not isinstance(parts[0], str):
                raise InputError(
                    f"the result '{name}' is not usable", where="recover", expected=FORM, got=shown(one)
                )
            if parts[0] not in stages:
                raise InputError(
                    f"there is no stage '{parts[0]}'",
                    where=f"recover, '{name}'",
                    hint=did_you_mean(parts[0], stages),
                )
            wanted[checked_name(name)] = parts[0], ElementResult.of(name, parts[1:])
        found = cls(stages, wanted)
        for name, stage in stages.items():
            stage.results(found.of_stage(name))
        return found

    def of_stage(self, stage: str) -> dict[str, ElementResult]:
        """Return the results of one stage."""
        return {name: one for name, (owner, one) in self.wanted.items() if owner == stage}

    def rows(
        self, shapes: ReducedBasis, T: np.ndarray, soft: np.ndarray, ids: np.ndarray
    ) -> RecoveryRows | None:
        """Return the rows of the results of stages that shapes are of, None where there are none.

        T (n, m) : of the modes Φ T;  soft (m, m) : Ω⁻² M̂ of these;  ids (N,) : of the nodes
        """
        owners = np.array([stage for stage, _ in shapes.stack.places])
        names: list[str] = []
        quantities: list[str] = []
        rows = [np.zeros((0, T.shape[1]))]
        for name, stage in self.stages.items():
            found, at = stage.results(self.of_stage(name)), np.repeat(owners == name, 6)
            if found is not None and at.any():
                names += found.names
                quantities += found.quantities
                rows.append(linear_rows(found, shapes.nodes[at] @ T))
        if not names:
            return None
        C = np.vstack(rows)
        return RecoveryRows(
            names,
            quantities,
            np.zeros((0, 2), dtype=np.int64),
            np.sort(ids),
            C=C,
            inertia=C @ soft,
            static=np.zeros((len(C), 0)),
            modal=np.zeros((T.shape[1], 0)),
        )
