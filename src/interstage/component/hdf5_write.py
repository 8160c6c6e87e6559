"""Write component files, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import h5py
import numpy as np

from interstage import __version__
from interstage.component.kinds import by_grid, write_record
from interstage.component.layout import FORMAT, SCHEMA_VERSION
from interstage.component.lazy import ByGrid
from interstage.component.physical import check_physical
from interstage.component.record import Component, CraigBampton
from interstage.hdf5 import put_array, put_text, write_hdf5
from interstage.output import as_path, checked_target


def write_component(
    component: Component,
    path: str | Path,
    left_out: tuple[str, ...],
    write_modal_matrix: bool,
    uset: Sequence[int],
) -> None:
    """Write a component file; an existing file is replaced only by a complete one.

    left_out : physical matrices that are not written, of "gset" and "fset"
    write_modal_matrix : all shapes as one matrix besides the shapes by grid
    uset : grids whose positions and shapes are written; none means all
    """
    checked_target(path, "component file")
    for name in ("gamma", "lam"):  # shapes that lie in the very file that is to be replaced
        shapes = getattr(component, name)
        if isinstance(shapes, ByGrid) and as_path(path, "component file").resolve() == shapes.path.resolve():
            setattr(component, name, np.asarray(shapes))
    if len(uset):
        component = component.keep_nodes(uset)
    check_physical(component)

    def fill(f: h5py.File) -> None:
        write_record(f, component, left_out)
        _following(f, component, write_modal_matrix)

    write_hdf5(path, fill, what="component file")


def _following(f: h5py.File, c: Component, write_modal_matrix: bool) -> None:
    """Write what follows from the record (`layout.FOLLOWING`)."""
    put_array(f, "SCHEMA_VERSION", np.int64(SCHEMA_VERSION))
    put_text(f, "FORMAT", FORMAT)
    put_text(f, "FMODAL_VERSION", f"interstage {__version__}")
    put_text(f, "NASTRAN_VERSION", c.provenance.get("nastran_version", "none: built-in solver"))
    put_text(f, "TIME_STAMP", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    put_array(f, "N_GRIDS", np.int64(c.n_nodes))
    by_grid(f.create_group("GridPosition"), c.node_ids, np.asarray(c.node_positions, dtype=float))
    if c.bgpdt is None:
        basic = np.asarray(c.node_positions) @ c.axes.T + c.reference_position
        table = np.hstack([c.node_ids[:, None].astype(float), np.zeros((c.n_nodes, 2)), basic])
        put_array(f, "BGPDT", table)
    f["BGPDT"].attrs["columns"] = np.bytes_("grid id, CP, CD, X, Y, Z (basic)")
    modal = f["ModalSolution"]
    put_array(modal, "N_FLEX_MODES", np.int64(c.n_modes))
    put_array(modal, "ModalDampingMatrix", c.damping_matrix)
    _zero_damping(f, c)
    if write_modal_matrix:
        both = np.concatenate([np.asarray(c.gamma), np.asarray(c.lam)], axis=1)
        put_array(modal, "ModalMatrix", both.reshape(6 * c.n_nodes, c.n_modes))
    if c.J1 is not None:
        put_array(f, "ModalIntegral/P2", c.J1 + c.J1.transpose(0, 2, 1))


def _zero_damping(f: h5py.File, c: Component) -> None:
    """Write damping matrices of zeros where there is none: readers of the report's names expect them."""
    for group, one in (("CraigBampton", c.craig_bampton), ("Gset", c.gset), ("Fset", c.fset)):
        if one is None or group not in f:
            continue
        for name, damping in (("ViscousDamping", one.viscous), ("StructuralDamping", one.structural)):
            if damping is None and isinstance(one, CraigBampton):
                put_array(f[group], name, np.zeros_like(one.mass))
            elif damping is None:
                part = f[group].create_group(name)
                for key in ("row", "col"):
                    put_array(part, key, np.zeros(0, dtype=np.int64))
                put_array(part, "shape", np.array(one.mass.shape, dtype=np.int64))
                put_array(part, "value", np.zeros(0))
