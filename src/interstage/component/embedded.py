"""A component inside another file: the record as component files have it, its shapes as two arrays.

Physical matrices stay out: a vehicle does not need them.
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from interstage.component.kinds import read_record, write_record
from interstage.component.physical import check_physical
from interstage.component.record import Component
from interstage.hdf5 import Fault, Group, put_array

LEFT_OUT = ("gset", "fset")
SHAPES = {"gamma": "GAMMA", "lam": "LAMBDA"}  # (nodes, 3, modes)


def put_component(group: h5py.Group, component: Component) -> None:
    """Write a component into a group."""
    write_record(group, component, (*LEFT_OUT, *SHAPES))
    for field, name in SHAPES.items():
        put_array(group, name, np.asarray(getattr(component, field), dtype=float))


def component_in(group: Group, path: Path) -> Component:
    """Return the component that a group holds."""
    shapes = {field: group.array(name, (None, 3, None)) for field, name in SHAPES.items()}
    found = read_record(Component, group, path, known=shapes, leave_out=LEFT_OUT)
    size = len(found["node_ids"]), 3, len(found["frequencies_hz"])
    for field, name in SHAPES.items():
        if shapes[field].shape != size:
            raise Fault(f"'{group.label}{name}' has shape {shapes[field].shape} where {size} belongs")
    component = Component(**found)
    check_physical(component)
    return component
