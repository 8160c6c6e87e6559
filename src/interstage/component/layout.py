"""Names of the component file: what the fields of the record declare, and what follows from them.

Groups and names follow the NESC report, C.3; those marked with a star in docs/component_file.md are Interstage's own.
"""

from __future__ import annotations

from interstage.component.record import Component
from interstage.component.stored import declared

SCHEMA_VERSION = 1
FORMAT = "interstage-component"

# written for readers elsewhere; nothing of them is kept in the record
FOLLOWING = (
    "FMODAL_VERSION",
    "FORMAT",
    "GridPosition/<id>",
    "ModalIntegral/P2",
    "ModalSolution/ModalDampingMatrix",
    "ModalSolution/ModalMatrix",
    "ModalSolution/N_FLEX_MODES",
    "NASTRAN_VERSION",
    "N_GRIDS",
    "SCHEMA_VERSION",
    "TIME_STAMP",
)


def dataset_names(record: type = Component, prefix: str = "") -> list[str]:
    """Return the datasets of a record; <id> stands for a grid, <cid> a coordinate system, <name> a name.

    A sparse matrix is a group with row, col, value and shape, and is listed by its own name.
    """
    out: list[str] = []
    for spot in declared(record).values():
        name = prefix + spot.dataset
        if spot.record is not None:
            out += dataset_names(spot.record, name + ("/<name>/" if spot.kind == "records" else "/"))
        elif spot.kind == "systems":
            out += [f"{part}/<cid>" for part in spot.parts]
        elif spot.kind in ("table", "texts"):
            out += [f"{name}/{part}" for part in spot.parts or ("<name>",)]
        else:
            out.append(name + ("/<id>" if spot.kind == "by grid" else ""))
    return out


DATASETS = tuple(sorted([*dataset_names(), *FOLLOWING]))
