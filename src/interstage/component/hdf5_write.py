"""Write component files, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp

from interstage import __version__
from interstage.component.layout import FORMAT, SCHEMA_VERSION
from interstage.component.physical import check_physical
from interstage.component.record import Component, CraigBampton, MatrixSet
from interstage.errors import InputError
from interstage.hdf5 import link_name, put_text, write_hdf5
from interstage.output import checked_target


def write_component(
    component: Component,
    path: str | Path,
    *,
    write_gset: bool = True,
    write_fset: bool = True,
    write_modal_matrix: bool = False,
    uset: Sequence[int] = (),
) -> None:
    """Write a component file; an existing file is replaced only by a complete one.

    write_gset, write_fset : physical matrices, where the component has them
    write_modal_matrix : all shapes as one matrix besides the shapes by grid
    uset : grids whose positions and shapes are written; none means all
    """
    checked_target(path, "component file")
    if len(uset):
        component = restricted(component, uset)
    check_physical(component)
    write_hdf5(
        path, lambda f: _fill(f, component, write_gset, write_fset, write_modal_matrix), what="component file"
    )


def restricted(component: Component, nodes: Sequence[int]) -> Component:
    """Keep the positions and shapes of some nodes only."""
    if component.n_nodes == 0:
        raise InputError("the component has no nodes")
    rows = np.array(sorted({component.node_row(int(node)) for node in nodes}))
    return component.with_changes(
        node_ids=component.node_ids[rows],
        node_positions=component.node_positions[rows],
        gamma=np.asarray(component.gamma[rows]),
        lam=np.asarray(component.lam[rows]),
        bgpdt=None
        if component.bgpdt is None
        else component.bgpdt[np.isin(component.bgpdt[:, 0], component.node_ids[rows])],
    )


def _fill(f: h5py.File, c: Component, write_gset: bool, write_fset: bool, write_modal_matrix: bool) -> None:
    f["SCHEMA_VERSION"] = np.int64(SCHEMA_VERSION)
    put_text(f, "FORMAT", FORMAT)
    put_text(f, "NAME", c.name)
    put_text(f, "FMODAL_VERSION", f"interstage {__version__}")
    put_text(f, "NASTRAN_VERSION", c.provenance.get("nastran_version", "none: built-in solver"))
    put_text(f, "TIME_STAMP", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    put_text(f, "BOUNDARY", c.boundary)
    put_text(f, "NOTES", "\n".join(c.notes))
    for group, values in (("UNITS", c.units), ("PROVENANCE", c.provenance)):
        g = f.create_group(group)
        for key, value in values.items():
            put_text(g, link_name(key), str(value))
    f["GRDPNT"] = np.int64(c.reference_node)
    f["CSID"] = np.int64(c.csid)
    f["REFERENCE_POSITION"] = np.asarray(c.reference_position, dtype=float)
    f["AXES"] = np.asarray(c.axes, dtype=float)
    f["ASET"] = np.array(sorted(c.aset.items()), dtype=np.int64).reshape(-1, 2)
    f["N_GRIDS"] = np.int64(c.n_nodes)
    f["NODE_ID"] = np.asarray(c.node_ids, dtype=np.int64)
    f["NODE_POSITION"] = np.asarray(c.node_positions, dtype=float)
    _grids(f, c)
    rigid = f.create_group("RigidBody")
    rigid["mass"], rigid["cmoffset"], rigid["inertia"] = (
        float(c.mass),
        np.asarray(c.com),
        np.asarray(c.inertia),
    )
    _modes(f, c, write_modal_matrix)
    _integrals(f, c)
    if c.craig_bampton is not None:
        _craig_bampton(f.create_group("CraigBampton"), c.craig_bampton)
    if write_gset and c.gset is not None:
        _matrix_set(f.create_group("Gset"), c.gset)
    if write_fset and c.fset is not None:
        _matrix_set(f.create_group("Fset"), c.fset)
    _children(f, c)


def _grids(f: h5py.File, c: Component) -> None:
    bgpdt = c.bgpdt
    if bgpdt is None:
        basic = np.asarray(c.node_positions) @ c.axes.T + c.reference_position
        bgpdt = np.hstack([c.node_ids[:, None].astype(float), np.zeros((c.n_nodes, 2)), basic])
    f["BGPDT"] = np.asarray(bgpdt, dtype=float)
    f["BGPDT"].attrs["columns"] = np.bytes_("grid id, CP, CD, X, Y, Z (basic)")
    position, rotation = f.create_group("CoordinatePosition"), f.create_group("CoordinateRotation")
    for cid, (origin, R) in sorted(c.coordinates.items()):
        position[str(cid)], rotation[str(cid)] = np.asarray(origin, dtype=float), np.asarray(R, dtype=float)
    _by_grid(f.create_group("GridPosition"), c.node_ids, np.asarray(c.node_positions, dtype=float))


def _by_grid(group: h5py.Group, ids: np.ndarray, values: Any) -> None:
    """One dataset a grid. The low-level calls are five times quicker than `group[name] = array`."""
    space = h5py.h5s.create_simple(values.shape[1:])
    kind = h5py.h5t.IEEE_F64LE
    for first in range(0, len(ids), 4096):
        block = np.ascontiguousarray(values[first : first + 4096], dtype="<f8")
        for node, value in zip(ids[first : first + 4096], block):
            h5py.h5d.create(group.id, b"%d" % node, kind, space).write(h5py.h5s.ALL, h5py.h5s.ALL, value)


def _modes(f: h5py.File, c: Component, write_modal_matrix: bool) -> None:
    g = f.create_group("ModalSolution")
    g["FREQ"] = np.asarray(c.frequencies_hz, dtype=float)
    g["RIGID_FREQ"] = np.asarray(c.rigid_frequencies_hz, dtype=float)
    g["N_FLEX_MODES"], g["N_RIGID_MODES"] = np.int64(c.n_modes), np.int64(c.n_rigid)
    g["DAMPING_RATIO"] = np.asarray(c.damping_ratio, dtype=float)
    g["RESIDUAL_VECTOR"] = np.asarray(c.residual_vector, dtype=np.uint8)
    g["ModalDampingMatrix"] = c.damping_matrix
    for name, A in (
        ("ViscousDamping", c.viscous),
        ("StructuralDamping", c.structural),
        ("GroundDamping", c.ground_damping),
    ):
        if A is not None:
            g[name] = A
    _by_grid(g.create_group("TransModeShape"), c.node_ids, c.gamma)
    _by_grid(g.create_group("RotModeShape"), c.node_ids, c.lam)
    if write_modal_matrix:
        both = np.concatenate([np.asarray(c.gamma), np.asarray(c.lam)], axis=1)
        g["ModalMatrix"] = both.reshape(6 * c.n_nodes, c.n_modes)


def _integrals(f: h5py.File, c: Component) -> None:
    g = f.create_group("ModalIntegral")
    g["P1"], g["P4"], g["P6"] = c.E, c.F0, c.G0
    if not c.has_integrals:
        return
    g["P0"], g["P2"], g["P3"], g["P5"] = c.J1, c.J1 + c.J1.transpose(0, 2, 1), c.J2, c.F1
    p = f.create_group("PointMass")
    p["mass"], p["first_moment"], p["second_moment"], p["E"] = float(c.pm_mass), c.pm_c, c.pm_S2, c.pm_E
    if c.rotary:
        r = f.create_group("RotaryIntegral")
        for key, value in c.rotary.items():
            r[key] = value


def _craig_bampton(g: h5py.Group, cb: CraigBampton) -> None:
    g["FREQ"], g["MassMatrix"], g["StiffnessMatrix"], g["USET"] = (
        cb.frequencies_hz,
        cb.mass,
        cb.stiffness,
        cb.uset,
    )
    for name, A in (("ViscousDamping", cb.viscous), ("StructuralDamping", cb.structural)):
        if A is not None:
            g[name] = A


def _matrix_set(g: h5py.Group, s: MatrixSet) -> None:
    g["USET"] = np.asarray(s.uset, dtype=np.int64)
    for name, A in (
        ("MassMatrix", s.mass),
        ("StiffnessMatrix", s.stiffness),
        ("ViscousDamping", s.viscous),
        ("StructuralDamping", s.structural),
    ):
        if A is None:
            continue
        A = sp.coo_matrix(A)
        part = g.create_group(name)
        part["row"], part["col"] = A.row.astype(np.int64), A.col.astype(np.int64)
        part["value"], part["shape"] = A.data, np.array(A.shape, dtype=np.int64)


def _children(f: h5py.File, c: Component) -> None:
    group = f.create_group("ChildBodies")
    for body in c.child_bodies:
        if link_name(body.name) in group:
            raise InputError("two child bodies have one name", where=f"component '{c.name}'", got=body.name)
        g = group.create_group(link_name(body.name))
        g["mass"], g["cmoffset"], g["inertia"] = (
            float(body.mass),
            np.asarray(body.com),
            np.asarray(body.inertia),
        )
        g["GRID"], g["position"] = np.int64(body.grid), np.asarray(body.position, dtype=float)
        g["components"], g["parent_grids"] = (
            np.int64(body.components),
            np.asarray(body.parent_grids, dtype=np.int64),
        )
        put_text(g, "connection", body.connection)
        put_text(g, "joint", body.joint)
        if body.weights is not None:
            g["weights"] = np.asarray(body.weights, dtype=float)
