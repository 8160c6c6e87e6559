"""Forces and stresses of elements in a burning vehicle, as rows of its shapes.

    y = S Φ η

S takes displacements of the nodes of a stage to results of its elements, and does not know of mass: a row holds over
the whole burn. What the shapes lack of the static answer to loads is not added, unlike in components with masses that
stand still (`interstage.component.unit_loads`): its share changes with the propellant. Attachment shapes hold it at the
places where loads act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from interstage.component.component import RecoveryRows
from interstage.component.options import ElementResult, checked_name
from interstage.component.unit_loads import linear_rows
from interstage.errors import InputError, did_you_mean, shown
from interstage.vehicle.shapes import Shapes
from interstage.vehicle.stage import Stage

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

    def rows(self, shapes: Shapes, T: np.ndarray, soft: np.ndarray, ids: np.ndarray) -> RecoveryRows | None:
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
