"""Component files: read with every size and type checked before memory is taken, written atomically.

Groups and names follow the NESC report, C.3; those marked with a star in docs/component_file.md are Interstage's own.
A component inside another file is the same record, with its shapes as two arrays and without physical matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from interstage import __version__
from interstage.component.checks import check_physical, source_precision
from interstage.component.component import Component, CraigBampton
from interstage.component.schema import declared
from interstage.component.schema_io import ByGrid, by_grid, read_record, write_record
from interstage.component.units import converted
from interstage.errors import shown
from interstage.files import COMPONENT, check_version, expect
from interstage.hdf5 import FileFault, Group, opened, put_array, put_text, write_hdf5
from interstage.output import as_path, checked_target
from interstage.reading import is_whole

AXIAL = 1e-4  # of the largest entry: antisymmetric parts that tell the order of axes
AGREE = 1e-6  # of the largest entry: files in single precision agree so
LOOKED_AT = 64  # nodes whose shapes show the precision of a file
_HINT = "write it again with Component.save or 'interstage component'"


def read_component(
    path: str | Path,
    *,
    units: Mapping[str, str] | str | None = None,
    matrices: bool = False,
    lazy: bool | None = None,
    kind: type[Component] = Component,
) -> Component:
    """Read a component file.

    units : convert to these, as in "SI" or {"length": "m"}; matrices : read the g-set and f-set too
    lazy : leave mode shapes in the file until they are used (default: for more than a few thousand nodes)
    kind : class of the record, whose declared fields are read
    """
    path = as_path(path, "component file")
    expect(path, COMPONENT)
    with opened(path, "component file", _HINT) as root:
        ours = _checked(root, path)
        known: dict[str, Any] = {"frequencies_hz": _frequencies(root.child("ModalSolution"), ours)}
        if not root.has("NAME"):
            known["name"] = path.stem
        known |= {"node_ids": _ascending(root)} if ours else _foreign(root)
        found = read_record(kind, root, path, lazy, known, () if matrices else ("gset", "fset"))
        component = kind(**_completed(found, root, ours))
        check_physical(component)
    return component if units is None else converted(component, units)


def _checked(root: Group, path: Path) -> bool:
    """Refuse files of another kind or of a later version; tell whether the file is ours."""
    ours = root.has("SCHEMA_VERSION")
    if ours:
        if root.has("FORMAT") and root.text("FORMAT") != FORMAT:
            raise FileFault(
                f"this is an HDF5 file of another kind ({shown(root.text('FORMAT'))}), not a component file"
            )
        version = root.number("SCHEMA_VERSION")
        check_version(version, SCHEMA_VERSION, COMPONENT, path)
    missing = [name for name in ("ModalSolution", "RigidBody") if not root.has(name)]
    if missing:
        raise FileFault(f"this HDF5 file is not a component file: it has no group '{missing[0]}'")
    return ours


def _frequencies(modal: Group, ours: bool) -> np.ndarray:
    """Frequencies of the flexible modes."""
    hz = modal.array("FREQ", (None,))
    if not ours and modal.has("N_FLEX_MODES") and modal.has("N_RIGID_MODES"):
        # files of other tools may list the rigid modes before the flexible ones
        rigid = modal.integer("N_RIGID_MODES")
        if rigid > 0 and modal.integer("N_FLEX_MODES") + rigid == len(hz):
            hz = hz[rigid:]
    if modal.has("N_FLEX_MODES") and modal.integer("N_FLEX_MODES") != len(hz):
        raise FileFault(
            f"the file names {modal.integer('N_FLEX_MODES')} flexible modes and holds {len(hz)}: "
            "it was truncated after normalization, so that the body can no longer be held at its interface"
        )
    return hz


def _ascending(root: Group) -> np.ndarray:
    ids = root.array("NODE_ID", (None,), "i")
    if np.any(np.diff(ids) <= 0):
        raise FileFault("'NODE_ID' is not ascending")
    return ids


def _foreign(root: Group) -> dict[str, Any]:
    """Return what a file with the names of the report alone has in another form."""
    grids = root.child("GridPosition")
    if not all(is_whole(name) for name in grids.names()):
        raise FileFault("'GridPosition' has names that are not grid ids")
    ids = np.sort(np.array([int(name) for name in grids.names()], dtype=np.int64))
    positions = np.array([_three(grids, str(i)) for i in ids]).reshape(-1, 3)
    com = _three(root.child("RigidBody"), "cmoffset")
    return {"node_ids": ids, "node_positions": positions, "com": com, "bgpdt": None}


def _three(group: Group, name: str) -> np.ndarray:
    """Three numbers, in whatever shape."""
    shape = group.dataset(name).shape
    if int(np.prod(shape)) != 3:
        raise FileFault(f"'{group.label}{name}' has shape {shape} where 3 numbers belong")
    return group.array(name, shape).reshape(3)


def _completed(found: dict[str, Any], root: Group, ours: bool) -> dict[str, Any]:
    """Fill in what a file may lack, and say so in the notes."""
    n, said = len(found["frequencies_hz"]), []
    if not root.has("ModalIntegral"):
        found |= {"E": np.zeros((3, n)), "F0": np.zeros((3, n)), "G0": np.eye(n)}
        said.append("no integrals in the file: coupling of modes and rigid motion taken as zero")
    if not all(key in found for key in ("J1", "J2", "F1")):
        if any(key in found for key in ("J1", "J2", "F1")):
            said.append(
                "some integrals of first and second order are missing in the file: none of them is used"
            )
        whole = ("J1", "J2", "F1", "pm_mass", "pm_c", "pm_S2", "pm_E", "rotary")
        found = {key: value for key, value in found.items() if key not in whole}
    elif "pm_mass" not in found:
        J, mass = found["inertia"], found["mass"]
        found |= {"pm_mass": mass, "pm_c": mass * found["com"], "pm_E": found["E"]}
        found["pm_S2"] = np.trace(J) / 2 * np.eye(3) - J
        said.append(
            "moments of the point masses are not in the file: taken from the rigid body, "
            "as without rotary inertia"
        )
    modal = root.child("ModalSolution")
    if modal.has("ModalDampingMatrix") and not found.keys() & {"viscous", "structural"}:
        # a full matrix without its parts is viscous as a whole
        C = modal.array("ModalDampingMatrix", (n, n))
        off = np.abs(C - np.diag(np.diag(C)))
        if np.any(off > 1e-12 * np.abs(np.diag(C)).max(initial=0.0)):
            found["viscous"] = C
    if "craig_bampton" in found:
        found["boundary"] = "craig-bampton"
        found["craig_bampton"], own = _interface(found["craig_bampton"])
        if "aset" not in found and own:
            found["aset"] = own
            said.append("the interface is not in the file by itself: taken from CraigBampton/USET")
    _without_zeros(found)
    _check_integrals(found, root)
    known = found.get("provenance", {})
    unsaid = "precision" not in known and (not ours or modal.dataset("FREQ").dtype == np.float32)
    if unsaid and (short := source_precision(_sources(found))):
        said.append(f"the component has {short}")
        found["provenance"] = {**known, "precision": short}
    found["notes"] = found.get("notes", []) + said
    return found


def _sources(found: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return arrays of a file whose digits show the precision that it was written or made with; of shapes some rows."""
    gamma, cb = found["gamma"], found.get("craig_bampton")
    nodes = np.unique(np.linspace(0, max(len(gamma) - 1, 0), LOOKED_AT).astype(int))
    arrays = {"mode shapes": np.array([gamma[k] for k in nodes if k < len(gamma)])}
    if cb is not None:
        arrays |= {"interface stiffness": np.asarray(cb.stiffness), "interface mass": np.asarray(cb.mass)}
    return arrays


def _interface(cb: CraigBampton) -> tuple[CraigBampton, dict[int, int]]:
    """Return reduced matrices whose modal coordinates have id 0, and the interface, grid -> components."""
    nb, uset = cb.n_boundary, np.array(cb.uset)
    if nb < 0:
        raise FileFault(
            "the number of interface motions is negative: 'CraigBampton/FREQ' is longer than its 'USET'"
        )
    if np.any((uset[:nb, 1] < 1) | (uset[:nb, 1] > 6)) or np.any(uset[:nb, 0] < 1):
        raise FileFault(
            f"'CraigBampton/USET' does not begin with the {nb} interface coordinates (grid id, component 1 to 6) that "
            "the reduced matrices have in addition to their modes"
        )
    uset[nb:] = [(0, k + 1) for k in range(len(uset) - nb)]  # scalar points in files of other tools
    own: dict[int, str] = {}
    for grid, c in uset[:nb]:
        own[int(grid)] = own.get(int(grid), "") + str(c)
    if any(len(set(text)) != len(text) for text in own.values()):
        raise FileFault("'CraigBampton/USET' lists an interface coordinate twice")
    return replace(cb, uset=uset), {grid: int("".join(sorted(text))) for grid, text in own.items()}


def _without_zeros(found: dict[str, Any]) -> None:
    """Leave out damping matrices that are zero: they are written for readers elsewhere."""
    for name in ("craig_bampton", "gset", "fset"):
        one = found.get(name)
        if one is None:
            continue
        empty = {
            part: None
            for part in ("viscous", "structural")
            if getattr(one, part) is not None and not abs(getattr(one, part)).max()
        }
        found[name] = replace(one, **empty)


def _check_integrals(found: dict[str, Any], root: Group) -> None:
    """Refuse integrals that contradict each other: P5 follows from P3, and P2 from P0.

    P5[r,:,s] is the axial vector of P3[r,s] - P3[r,s]ᵀ, and P2 = P0 + P0ᵀ. P4 is the axial vector of P0 but for the
    inertia that nodes turn with (`_check_order`).
    """
    if "J2" not in found:
        return
    J2, F1, n = found["J2"], found["F1"], len(found["frequencies_hz"])
    axial = np.stack([J2[..., a, b] - J2[..., b, a] for a, b in ((1, 2), (2, 0), (0, 1))], axis=1)
    _agree("P5", F1, "P3", axial, np.abs(J2).max(initial=0.0))
    if root.child("ModalIntegral").has("P2"):
        J1 = found["J1"]
        P2 = root.child("ModalIntegral").array("P2", (n, 3, 3))
        _agree("P2", P2, "P0", J1 + J1.transpose(0, 2, 1), np.abs(J1).max(initial=0.0))
    _check_order(found)


def _check_order(found: dict[str, Any]) -> None:
    """Refuse matrices P0[r] that are transposed, which P2 does not show.

    With A = ½tr(P0) 1 - P0 = Σ m l γᵀ, its axial vector Σ m l×γ is P4 less Σ J λ of nodes that turn, and has the other
    sign where P0 is transposed. Modes decide in which one sign fits twice as well as the other. None does of the modes
    of a free body, P4 = 0: there P0 is symmetric but for rotary inertia.
    """
    J1, P4 = found["J1"], found["F0"]
    axial = np.stack([J1[:, b, a] - J1[:, a, b] for a, b in ((1, 2), (2, 0), (0, 1))])
    size = np.linalg.norm(axial, axis=0)
    clear = size > AXIAL * np.abs(J1).max(initial=0.0)
    right, turned = (np.linalg.norm(P4 - sign * axial, axis=0) for sign in (1.0, -1.0))
    wrong = clear & (2.0 * turned < right)
    if wrong.any() and not (clear & (2.0 * right < turned)).any():
        raise FileFault(
            "the integrals contradict each other: 'ModalIntegral/P4' has the sign of transposed matrices in "
            f"'ModalIntegral/P0' (mode {int(np.argmax(wrong * size)) + 1}); P0[r] is Σ m (l·γᵣ 1 - l γᵣᵀ), rows by l"
        )


def _agree(name: str, value: np.ndarray, source: str, follows: np.ndarray, size: float) -> None:
    off = float(np.abs(value - follows).max(initial=0.0))
    if off > AGREE * size:
        raise FileFault(
            f"the integrals contradict each other: 'ModalIntegral/{name}' is off by {off:.3g} from what follows from "
            f"'ModalIntegral/{source}', whose largest entry is {size:.3g}"
        )


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
            raise FileFault(f"'{group.label}{name}' has shape {shapes[field].shape} where {size} belongs")
    component = Component(**found)
    check_physical(component)
    return component
