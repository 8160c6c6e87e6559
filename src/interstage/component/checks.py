"""Checks of components: of a delivery, of files that are read or written, and of the precision of matrices.

A delivery is checked item by item. Grounding: a body that floats has six rigid modes; fewer means that supports or
springs hold it to ground, more that it is a mechanism. An interface should be able to hold the body: its motion under
the six rigid motions has rank six.

What any body obeys is checked where components enter from files and before they are written.

Single precision and short decimal text show in the numbers of matrices themselves: a number of single precision is its
own float32; one that was printed with d digits is its own decimal of d digits.
Numbers that any format has exactly (zeros, ones, small fractions) say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from interstage.component.component import ChildBody, Component, GeometricStiffness, RecoveryRows
from interstage.component.integrals import rigid_motion
from interstage.component.interface import components_of
from interstage.component.schema import QUANTITIES
from interstage.errors import InputError, ModelError, shown

if TYPE_CHECKING:
    from interstage.component.component import Component


UNIT_MASS = 1e-6  # of the modal masses
SAME_MASS = 1e-6  # relative, against the deck


@dataclass(frozen=True)
class CheckItem:
    """One item of a check: its subject, "ok", "note" or "fail", and what was found."""

    subject: str
    verdict: str
    found: str


@dataclass(frozen=True)
class ComponentCheck:
    """The check of a component; `passed` where no item fails."""

    name: str
    items: tuple[CheckItem, ...]

    @property
    def passed(self) -> bool:
        """Whether no item fails."""
        return all(item.verdict != "fail" for item in self.items)

    def __repr__(self) -> str:
        wide = max(len(item.subject) for item in self.items)
        head = f"component '{self.name}': {'pass' if self.passed else 'FAIL'}"
        return "\n".join(
            [head, *(f"  {item.subject:<{wide}}  {item.verdict:4}  {item.found}" for item in self.items)]
        )


def check_component(c: Component, deck_mass: float | None = None) -> ComponentCheck:
    """Check a component.

    deck_mass : mass that its deck has, in the units of the component, with the lumped bodies that were taken out
    """
    items = [*_grounding(c), _modal_mass(c), _mass(c, deck_mass), *_inertia(c), *_lumped(c)]
    items += [_precision(c), *_contents(c)]
    return ComponentCheck(c.name, tuple(items))


def _grounding(c: Component) -> list[CheckItem]:
    """Return whether the body floats, and which rigid motions its interface can transmit."""
    found = f"{c.n_rigid} rigid modes removed"
    if c.n_rigid == 6:
        items = [CheckItem("grounding", "ok", f"{found}: a floating body")]
    elif 0 < 6 - c.n_rigid == len(_axes_without_inertia(c)):
        # no mode tells whether a turn without inertia is held
        why = "rotation without inertia is no mode: a floating body, unless it is held against that"
        items = [CheckItem("grounding", "note", f"{found}, {why}")]
    else:
        held = "supports or springs to ground hold it"
        why = held if c.n_rigid < 6 else "a mechanism, or parts that are not joined"
        items = [CheckItem("grounding", "fail", f"{found} where a floating body has 6: {why}")]
    return items + ([] if c.craig_bampton is None else [_interface(c)])


def _interface(c: Component) -> CheckItem:
    """Return how many rigid motions the interface can transmit: rank of its motion under those of the body."""
    whole = [(c.node_row(grid), str(components)) for grid, components in c.aset.items()]
    n = sum(len(components) for _, components in whole)
    where = f"{n} components of {len(whole)} grids"
    if any(0 < len(set(one) & set(part)) < 3 for _, one in whole for part in ("123", "456")):
        return CheckItem(
            "interface rank", "note", f"not determined: {where}, not all of a translation or rotation"
        )
    rows = np.array([row for row, _ in whole])
    positions = c.node_positions[rows] - c.node_positions[rows].mean(axis=0)
    size = max(float(np.abs(positions).max(initial=0.0)), 1e-300)
    S = rigid_motion(positions / size).reshape(-1, 6, 6)
    kept = np.concatenate([S[k, [int(i) - 1 for i in one]] for k, (_, one) in enumerate(whole)])
    rank = int(np.linalg.matrix_rank(kept, tol=1e-8))
    more = "" if rank == 6 else ": it cannot hold the body alone"
    return CheckItem(
        "interface rank", "ok" if rank == 6 else "note", f"{rank} of 6 rigid motions, by {where}{more}"
    )


def _modal_mass(c: Component) -> CheckItem:
    off = float(np.abs(c.G0 - np.eye(c.n_modes)).max(initial=0.0))
    good = off < UNIT_MASS
    return CheckItem(
        "modal mass", "ok" if good else "fail", "unit" if good else f"off unit by up to {off:.1e}"
    )


def _mass(c: Component, deck_mass: float | None) -> CheckItem:
    out = sum(body.mass for body in c.child_bodies)
    said = f"{c.mass:.9g}" + (f", {out:.9g} more in child bodies" if out else "")
    if deck_mass is None:
        return CheckItem("mass", "ok" if c.mass > 0.0 else "fail", f"{said}; give its deck to compare")
    error = abs(c.mass + out - deck_mass) / max(abs(deck_mass), 1e-300)
    good = error <= SAME_MASS
    apart = "" if good else f", {error:.1e} apart"
    return CheckItem("mass", "ok" if good else "fail", f"{said}; deck {deck_mass:.9g}{apart}")


def _inertia(c: Component) -> list[CheckItem]:
    """Return a note of a body without inertia about an axis through its center of mass, as sticks of bars have it."""
    axes = _axes_without_inertia(c)
    if not len(axes):
        return []
    axis = (np.round(axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))]), 3) + 0.0).tolist()
    return [
        CheckItem(
            "inertia",
            "note",
            f"none about axis {axis}: on a Free joint the body is refused; give it some, as I11 of a CONM2",
        )
    ]


def _axes_without_inertia(c: Component) -> np.ndarray:
    """Return unit vectors (n, 3) of axes through the center of mass about which the body has no inertia."""
    moved = np.asarray(c.inertia) - c.mass * (c.com @ c.com * np.eye(3) - np.outer(c.com, c.com))
    values, axes = np.linalg.eigh(moved)
    return axes.T[values <= 1e-12 * max(float(np.trace(np.asarray(c.inertia))), 1e-300)]


def _lumped(c: Component) -> list[CheckItem]:
    """Return which engines, slosh masses and other lumped bodies are in the component, and which are not."""
    out = ", ".join(f"{body.name} ({body.mass:.6g})" for body in c.child_bodies) or "none"
    inside = c.lumped_inside
    kept = "not recorded" if inside is None else ", ".join(inside.names) or "none"
    return [
        CheckItem("lumped bodies taken out", "note" if c.child_bodies else "ok", out),
        CheckItem("lumped bodies inside", "note" if inside is not None and inside.names else "ok", kept),
    ]


def _precision(c: Component) -> CheckItem:
    said = c.provenance.get("precision") or digits_of(c.gamma)
    return CheckItem("precision", "note" if said else "ok", said or "double")


def _contents(c: Component) -> list[CheckItem]:
    """Return what the body has for its use in flight."""
    residual = int(np.sum(c.residual_vector)) if c.residual_vector is not None else 0
    loads = f"{residual} residual vectors" + (f", interface of {len(c.aset)} grids" if c.aset else "")
    damped = c.damping_ratio is not None and bool(np.any(c.damping_ratio))
    stiff = c.geometric_stiffness is not None
    return [
        _either(
            "static shapes",
            bool(residual or c.aset),
            loads,
            "none: local flexibility at joints and loads is missing",
        ),
        _either("integrals", c.has_integrals, "all orders", "zero order: inertia of the undeformed body"),
        _either("geometric stiffness", stiff, "yes", "none: axial loads do not change bending"),
        _either("damping", damped, "given", "none: give it where the body is added"),
        _either("units", bool(c.units), ", ".join(c.units.values()), "not known"),
    ]


def _either(subject: str, good: bool, found: str, missing: str) -> CheckItem:
    return CheckItem(subject, "ok" if good else "note", found if good else missing)


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


ENOUGH = 12  # different numbers that must agree
MOST, MANY = 4000, 400_000  # different numbers that are looked at, numbers that they are chosen from
SHORT, LONG = 4, 10  # decimal digits: numbers of fewer are chosen by hand, of more are as good as double


def digits_of(matrix: Any) -> str:
    """Return what the numbers of a matrix show: "single precision", "6 decimal digits", or "" for double or unknown."""
    if matrix is None:
        return ""
    values = matrix.data if sp.issparse(matrix) else np.asarray(matrix)
    if np.asarray(values).dtype == np.float32:
        return "single precision"
    values = np.asarray(values).ravel()
    values = np.abs(values[:: max(1, len(values) // MANY)].astype(float))
    values = np.unique(values[np.isfinite(values) & (values > 1e-30) & (values < 1e30)])
    mantissa = np.frexp(values)[0] * 2.0**11
    values = values[mantissa != np.round(mantissa)]  # not exact in eleven bits
    if len(values) < ENOUGH:
        return ""
    values = values[:: max(1, len(values) // MOST)]
    if np.array_equal(values, values.astype(np.float32).astype(float)):
        return "single precision"
    need = SHORT
    for value in values:
        while need < LONG and float(f"{value:.{need - 1}e}") != value:
            need += 1
        if need >= LONG:
            return ""
    return f"{need} decimal digits" if need > SHORT else ""


def source_precision(matrices: Mapping[str, Any]) -> str:
    """Say which matrices have less than double precision, in words for the notes; "" where none has."""
    return precision_words({name: digits_of(matrix) for name, matrix in matrices.items()})


def precision_words(digits: Mapping[str, str]) -> str:
    """Say which matrices are short, {name: what `digits_of` returns}, in words for the notes; "" where none is."""
    found: dict[str, list[str]] = {}
    for name, one in digits.items():
        if one:
            found.setdefault(one, []).append(name)
    if not found:
        return ""
    said = "; ".join(f"{one} in {', '.join(names)}" for one, names in found.items())
    return f"less than double precision in its source: {said}; all that is made of it is no better"


def with_precision(component: Any, matrices: Mapping[str, Any]) -> Any:
    """Return a component with notes and provenance on the precision of the matrices that it was made from."""
    return of_precision(component, source_precision(matrices))


def of_precision(component: Any, said: str) -> Any:
    """Return a component with notes and provenance on the precision of its source; "": it is double or not known."""
    if not said:
        return component
    notes = [*component.notes, f"the component has {said}"]
    return component.with_changes(notes=notes, provenance={**component.provenance, "precision": said})
