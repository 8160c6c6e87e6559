"""What any body obeys: checked where components enter from files and before they are written."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from interstage.component.interface import components_of
from interstage.component.record import ChildBody, Component, GeometricStiffness, RecoveryRows
from interstage.component.stored import QUANTITIES
from interstage.errors import InputError, ModelError, shown

TOLERANCE = 1e-5  # of what must hold exactly, relative; files in single precision pass

BOUNDARIES = ("free", "craig-bampton")


def check_physical(c: Component) -> None:
    """Refuse a component that no body can be (ModelError).

    all numbers finite, a known boundary, masses >= 0, frequencies >= 0, inertia J = J^T >= 0,
    axes R^T R = I with det R = 1, modal mass P6 = I
    """
    where = f"component '{c.name}'"
    _check_finite(c, where)
    _check_mass(c, where)
    if c.pm_mass < 0.0:
        raise ModelError(
            "the mass of the point masses is negative",
            where=where,
            expected="0 or more",
            got=f"{c.pm_mass:.6g}",
        )
    if c.boundary not in BOUNDARIES:
        raise ModelError(
            "the boundary of the modes is not known",
            where=where,
            expected=" or ".join(BOUNDARIES),
            got=shown(c.boundary),
        )
    _check_interface(c, where)
    if c.geometric_stiffness is not None:
        _check_loads(c.geometric_stiffness, "geometric stiffness", where)
        _check_symmetric(c.geometric_stiffness, where)
    if c.recovery is not None:
        _check_loads(c.recovery, "recovery", where)
        _check_rows(c.recovery, where)
    for body in c.child_bodies:
        _check_mass(body, f"{where}, child body '{body.name}'")
    hz = np.asarray(c.frequencies_hz)
    if hz.size and hz.min() < 0.0:
        raise ModelError(
            "a frequency is negative",
            where=where,
            expected="flexible modes alone",
            got=f"{hz.min():.6g} Hz, mode {int(hz.argmin()) + 1}",
            hint="make the component again: a rigid mode may have been taken for a flexible one",
        )
    R = np.asarray(c.axes)
    # no entry of a rotation exceeds one; far larger ones would overflow
    if np.abs(R).max() > 2.0 or np.abs(R.T @ R - np.eye(3)).max() > TOLERANCE or np.linalg.det(R) < 0.0:
        raise ModelError(
            "the axes are no rotation",
            where=where,
            expected="three orthogonal unit vectors, right-handed",
            got=np.array2string(R, precision=4).replace("\n", ""),
        )
    off = np.abs(np.asarray(c.G0) - np.eye(c.n_modes))
    if off.size and off.max() > TOLERANCE:
        r, s = np.unravel_index(int(off.argmax()), off.shape)
        raise ModelError(
            "the modes are not normalized: the modal mass P6 is not the unit matrix",
            where=where,
            expected=f"{float(r == s):g} at modes {r + 1}, {s + 1}",
            got=f"{np.asarray(c.G0)[r, s]:.6g}",
            hint="scale each mode by one over the root of its modal mass",
        )


def _check_interface(c: Component, where: str) -> None:
    """Refuse an interface, or numbers of modes, that no body has."""
    try:
        for value in c.aset.values():
            components_of(value)
    except InputError as error:
        raise ModelError(
            "the interface is not usable", where=where, got=error.got, hint=error.expected
        ) from None
    if c.n_rigid < 0 or (c.craig_bampton is not None and c.craig_bampton.n_boundary < 0):
        raise ModelError("the number of rigid or interface motions is negative", where=where)


def _check_loads(g: GeometricStiffness | RecoveryRows, what: str, where: str) -> None:
    """Refuse unit loads that are none, or that are there twice."""
    known = np.append(0, g.nodes)
    wrong = ~np.isin(g.load[:, 0], known) | (g.load[:, 1] < 1) | (g.load[:, 1] > 6)
    if wrong.any() or len(np.unique(g.load, axis=0)) != len(g.load):
        raise ModelError(
            f"the loads of the {what} are not usable",
            where=where,
            expected="0 or a grid of NODE, and 1 to 6, each once",
            got=f"{g.load[wrong][0].tolist()}" if wrong.any() else "a load twice",
        )


def _check_symmetric(g: GeometricStiffness, where: str) -> None:
    for name, A in (("K", g.K), ("RR", g.RR)):
        if np.abs(A - A.transpose(0, 2, 1)).max(initial=0.0) > TOLERANCE * np.abs(A).max(initial=0.0):
            raise ModelError(f"the geometric stiffness {name} is not symmetric", where=where)


def _check_rows(rows: RecoveryRows, where: str) -> None:
    """Refuse results whose names or quantities are not clear."""
    if len(set(rows.names)) != len(rows.names):
        raise ModelError("two recovered results have one name", where=where, got=shown(rows.names))
    wrong = [one for one in rows.quantities if one not in QUANTITIES]
    if wrong or len(rows.quantities) != len(rows.names):
        raise ModelError(
            "the quantities of the recovered results are not usable",
            where=where,
            expected=f"one of {', '.join(QUANTITIES)} for each of {len(rows.names)}",
            got=shown(wrong[0]) if wrong else f"{len(rows.quantities)}",
        )


def _check_finite(c: Component, where: str) -> None:
    """Refuse numbers that are not finite in what is in memory; shapes left in a file are checked when read."""
    for field in fields(c):
        value = getattr(c, field.name)
        parts = value if isinstance(value, dict) else {"": value}
        if isinstance(value, GeometricStiffness | RecoveryRows):
            parts = vars(value)
        for key, part in parts.items():
            if not isinstance(part, float | np.ndarray) or np.asarray(part).dtype.kind not in "fc":
                continue
            if not np.isfinite(part).all():
                raise ModelError(
                    f"the array '{' '.join([field.name, str(key)]).strip()}' holds values that are not finite",
                    where=where,
                )


def _check_mass(body: Component | ChildBody, where: str) -> None:
    if body.mass < 0.0:
        raise ModelError("the mass is negative", where=where, expected="0 or more", got=f"{body.mass:.6g}")
    J = np.asarray(body.inertia)
    scale = np.abs(J).max()
    if np.abs(J - J.T).max() > TOLERANCE * scale:
        a, b = np.unravel_index(int(np.abs(J - J.T).argmax()), (3, 3))
        raise ModelError(
            "the inertia is not symmetric",
            where=where,
            expected="J = transpose of J",
            got=f"{J[a, b]:.6g} and {J[b, a]:.6g} in rows {a + 1} and {b + 1}",
        )
    least = np.linalg.eigvalsh((J + J.T) / 2.0).min()
    if least < -TOLERANCE * scale:
        raise ModelError(
            "a principal moment of inertia is negative", where=where, expected="0 or more", got=f"{least:.6g}"
        )
