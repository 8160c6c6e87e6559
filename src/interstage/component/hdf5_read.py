"""Read component files: every size and type is checked before memory is taken, every fault is one
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.layout import FORMAT, SCHEMA_VERSION
from interstage.component.lazy import LAZY_NODES, ByGrid
from interstage.component.physical import check_physical
from interstage.component.record import ChildBody, Component, CraigBampton, MatrixSet
from interstage.component.units import converted
from interstage.files import COMPONENT, expect
from interstage.hdf5 import Fault, Group, opened, plain_name

_HINT = "write it again with Component.save or 'interstage component'"


def read_component(
    path: str | Path,
    *,
    units: Mapping[str, str] | str | None = None,
    matrices: bool = False,
    lazy: bool | None = None,
) -> Component:
    """Read a component file.

    units : convert to these, as in "SI" or {"length": "m"}; matrices : read the g-set and f-set too
    lazy : leave mode shapes in the file until they are used (default: for more than a few thousand nodes)
    """
    path = Path(path)
    expect(path, COMPONENT)
    with opened(path, "component file", _HINT) as root:
        component = _component(root, path, matrices, lazy)
        check_physical(component)
    return component if units is None else converted(component, units)


def _component(root: Group, path: Path, matrices: bool, lazy: bool | None) -> Component:
    ours = root.has("SCHEMA_VERSION")
    if ours:
        if root.has("FORMAT") and root.text("FORMAT") != FORMAT:
            raise Fault(
                f"this is an HDF5 file of another kind ('{root.text('FORMAT')}'), not a component file"
            )
        version = root.number("SCHEMA_VERSION")
        if version > SCHEMA_VERSION:
            raise Fault(
                f"the file has schema version {version:g} and this Interstage reads up to "
                f"{SCHEMA_VERSION}: update Interstage"
            )
    missing = [name for name in ("ModalSolution", "RigidBody") if not root.has(name)]
    if missing:
        raise Fault(f"this HDF5 file is not a component file: it has no group '{missing[0]}'")
    modal = root.child("ModalSolution")
    hz = modal.array("FREQ", (None,))
    if not ours and modal.has("N_FLEX_MODES") and modal.has("N_RIGID_MODES"):
        # files of other tools may list the rigid modes before the flexible ones
        rigid = modal.integer("N_RIGID_MODES")
        if rigid > 0 and modal.integer("N_FLEX_MODES") + rigid == len(hz):
            hz = hz[rigid:]
    if modal.has("N_FLEX_MODES") and modal.integer("N_FLEX_MODES") != len(hz):
        raise Fault(
            f"the file names {modal.integer('N_FLEX_MODES')} flexible modes and holds {len(hz)}: "
            "it was truncated after normalization, so that the body can no longer be held at its interface"
        )
    ids, positions = _nodes(root, ours)
    n, N = len(hz), len(ids)
    if lazy is None:
        lazy = LAZY_NODES < N
    gamma, lam = (
        _shapes(modal.child(name), path, f"ModalSolution/{name}", ids, n, lazy)
        for name in ("TransModeShape", "RotModeShape")
    )
    rigid = root.child("RigidBody")
    fields: dict[str, Any] = {
        "name": root.text("NAME") if root.has("NAME") else path.stem,
        "node_ids": ids,
        "node_positions": positions,
        "gamma": gamma,
        "lam": lam,
        "frequencies_hz": hz,
        "mass": rigid.number("mass"),
        "com": np.reshape(rigid.array("cmoffset", (3,) if ours else _shape_of(rigid, "cmoffset", 3)), 3),
        "inertia": rigid.array("inertia", (3, 3)),
        "n_rigid": modal.integer("N_RIGID_MODES") if modal.has("N_RIGID_MODES") else 0,
    }
    fields |= _damping(modal, n)
    if modal.has("RESIDUAL_VECTOR"):
        fields["residual_vector"] = modal.array("RESIDUAL_VECTOR", (n,), "i") != 0
    if modal.has("RIGID_FREQ"):
        fields["rigid_frequencies_hz"] = modal.array("RIGID_FREQ", (None,))
    fields |= _integrals(root, n, fields)
    fields |= _header(root)
    if root.has("CraigBampton"):
        fields["craig_bampton"] = _craig_bampton(root.child("CraigBampton"))
        fields["boundary"] = "craig-bampton"
    fields["child_bodies"] = _children(root) if root.has("ChildBodies") else []
    if matrices:
        for key, name in (("gset", "Gset"), ("fset", "Fset")):
            if root.has(name):
                fields[key] = _matrix_set(root.child(name))
    return Component(**fields)


def _damping(modal: Group, n: int) -> dict[str, Any]:
    """Ratios and matrices of damping; a full ModalDampingMatrix without its parts is viscous as a whole."""
    names = {"damping_ratio": ("DAMPING_RATIO", (n,)), "viscous": ("ViscousDamping", (n, n))}
    names |= {"structural": ("StructuralDamping", (n, n)), "ground_damping": ("GroundDamping", (6, 6 + n))}
    out = {key: modal.array(name, shape) for key, (name, shape) in names.items() if modal.has(name)}
    if modal.has("ModalDampingMatrix") and not out.keys() & {"viscous", "structural"}:
        C = modal.array("ModalDampingMatrix", (n, n))
        off = np.abs(C - np.diag(np.diag(C)))
        if np.any(off > 1e-12 * np.abs(np.diag(C)).max(initial=0.0)):
            out["viscous"] = C
    return out


def _shape_of(reader: Group, name: str, size: int) -> tuple[int, ...]:
    shape = reader.dataset(name).shape
    if int(np.prod(shape)) != size:
        raise Fault(f"'{reader.label}{name}' has shape {shape} where {size} numbers belong")
    return shape


def _nodes(root: Group, ours: bool) -> tuple[np.ndarray, np.ndarray]:
    if ours:
        ids = root.array("NODE_ID", (None,), "i")
        if np.any(np.diff(ids) <= 0):
            raise Fault("'NODE_ID' is not ascending")
        return ids, root.array("NODE_POSITION", (len(ids), 3))
    grids = root.child("GridPosition")
    if not all(name.isdigit() and len(name) < 18 for name in grids.names()):
        raise Fault("'GridPosition' has names that are not grid ids")
    ids = np.sort(np.array([int(name) for name in grids.names()], dtype=np.int64))
    positions = [grids.array(str(i), _shape_of(grids, str(i), 3)).reshape(3) for i in ids]
    return ids, np.array(positions).reshape(-1, 3)


def _shapes(reader: Group, path: Path, name: str, ids: np.ndarray, n: int, lazy: bool) -> Any:
    if lazy:
        reader.rows(ids[[0, -1]] if len(ids) else (), (3, n))
        return ByGrid(path, name, ids, n)
    return reader.rows(ids, (3, n))


def _integrals(root: Group, n: int, fields: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {"E": np.zeros((3, n)), "F0": np.zeros((3, n)), "G0": np.eye(n)}
    if not root.has("ModalIntegral"):
        return out | {"notes": ["no integrals in the file: coupling of modes and rigid motion taken as zero"]}
    g = root.child("ModalIntegral")
    out |= {"E": g.array("P1", (3, n)), "F0": g.array("P4", (3, n)), "G0": g.array("P6", (n, n))}
    if not all(g.has(name) for name in ("P0", "P3", "P5")):
        return out
    out |= {"J1": g.array("P0", (n, 3, 3)), "J2": g.array("P3", (n, n, 3, 3)), "F1": g.array("P5", (n, 3, n))}
    out["has_integrals"] = True
    if root.has("PointMass"):
        p = root.child("PointMass")
        out |= {"pm_mass": p.number("mass"), "pm_c": p.array("first_moment", (3,))}
        out |= {"pm_S2": p.array("second_moment", (3, 3)), "pm_E": p.array("E", (3, n))}
    else:
        J = fields["inertia"]
        out |= {"pm_mass": fields["mass"], "pm_c": fields["mass"] * fields["com"], "pm_E": out["E"]}
        out["pm_S2"] = np.trace(J) / 2 * np.eye(3) - J
        out["notes"] = [
            "moments of the point masses are not in the file: taken from the rigid body, "
            "as without rotary inertia"
        ]
    if root.has("RotaryIntegral"):
        r = root.child("RotaryIntegral")
        shapes = {"G1": (n,) * 3, "G2": (n,) * 4, "F1": (n, 3, n), "F2": (n, n, 3, n), "E1": (n, 3, n)}
        shapes |= {"J1": (n, 3, 3), "J2": (n, n, 3, 3)}
        out["rotary"] = {key: r.array(key, shape) for key, shape in shapes.items()}
    return out


def _header(root: Group) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, name in (("reference_node", "GRDPNT"), ("csid", "CSID")):
        if root.has(name):
            out[key] = root.integer(name)
    if root.has("REFERENCE_POSITION"):
        out["reference_position"] = root.array("REFERENCE_POSITION", (3,))
    if root.has("AXES"):
        out["axes"] = root.array("AXES", (3, 3))
    if root.has("ASET"):
        out["aset"] = {int(grid): int(value) for grid, value in root.array("ASET", (None, 2), "i")}
    if root.has("BOUNDARY"):
        out["boundary"] = root.text("BOUNDARY")
    if root.has("NOTES"):
        out["notes"] = [line for line in root.text("NOTES").split("\n") if line]
    if root.has("BGPDT") and root.has("NODE_ID"):
        out["bgpdt"] = root.array("BGPDT", (None, 6))
    for key, name in (("units", "UNITS"), ("provenance", "PROVENANCE")):
        if root.has(name):
            group = root.child(name)
            out[key] = {plain_name(entry): group.text(entry) for entry in group.names()}
    if root.has("CoordinatePosition") and root.has("CoordinateRotation"):
        p, R = root.child("CoordinatePosition"), root.child("CoordinateRotation")
        out["coordinates"] = {
            int(c): (p.array(c, (3,)), R.array(c, (3, 3))) for c in p.names() if c.isdigit()
        }
    return out


def _craig_bampton(g: Group) -> CraigBampton:
    hz = g.array("FREQ", (None,))
    uset = g.array("USET", (None, 2), "i")
    size = (len(uset), len(uset))
    return CraigBampton(
        frequencies_hz=hz,
        mass=g.array("MassMatrix", size),
        stiffness=g.array("StiffnessMatrix", size),
        uset=uset,
        viscous=g.array("ViscousDamping", size) if g.has("ViscousDamping") else None,
        structural=g.array("StructuralDamping", size) if g.has("StructuralDamping") else None,
    )


def _matrix_set(g: Group) -> MatrixSet:
    uset = g.array("USET", (None, 2), "i")

    def matrix(name):
        if not g.has(name):
            return None
        part = g.child(name)
        row = part.array("row", (None,), "i")
        col, value = part.array("col", (len(row),), "i"), part.array("value", (len(row),))
        shape = tuple(int(v) for v in part.array("shape", (2,), "i"))
        if shape != (len(uset), len(uset)):
            raise Fault(f"'{g.label}{name}' has shape {shape} where its USET has {len(uset)} rows")
        if len(row) and (min(row.min(), col.min()) < 0 or max(row.max(), col.max()) >= len(uset)):
            raise Fault(f"'{g.label}{name}' has indices beyond its shape")
        return sp.coo_matrix((value, (row, col)), shape=shape).tocsr()

    names = ("MassMatrix", "StiffnessMatrix", "ViscousDamping", "StructuralDamping")
    mass, stiffness, viscous, structural = (matrix(name) for name in names)
    return MatrixSet(mass, stiffness, uset, viscous, structural)


def _children(root: Group) -> list[ChildBody]:
    group = root.child("ChildBodies")
    out = []
    for name in group.names():
        g = group.child(name)
        parents = g.array("parent_grids", (None,), "i")
        out.append(
            ChildBody(
                name=plain_name(name),
                mass=g.number("mass"),
                com=g.array("cmoffset", (3,)),
                inertia=g.array("inertia", (3, 3)),
                grid=g.integer("GRID"),
                position=g.array("position", (3,)),
                connection=g.text("connection"),
                parent_grids=parents,
                components=g.integer("components"),
                weights=g.array("weights", (len(parents),)) if g.has("weights") else None,
                joint=g.text("joint"),
            )
        )
    return out
