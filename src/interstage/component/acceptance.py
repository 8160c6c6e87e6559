"""What a GN&C team asks of a flexible body that is delivered to it: one page, item by item.

Grounding: a body that floats has six rigid modes; fewer means that supports or springs hold it to ground, more that it
is a mechanism. An interface should be able to hold the body: its motion under the six rigid motions has rank six.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.component.integrals import rigid_motion
from interstage.component.precision import digits_of

if TYPE_CHECKING:
    from interstage.component.record import Component

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
    items = [*_grounding(c), _modal_mass(c), _mass(c, deck_mass), *_lumped(c), _precision(c), *_contents(c)]
    return ComponentCheck(c.name, tuple(items))


def _grounding(c: Component) -> list[CheckItem]:
    """Return whether the body floats, and which rigid motions its interface can transmit."""
    found = f"{c.n_rigid} rigid modes removed"
    if c.n_rigid == 6:
        items = [CheckItem("grounding", "ok", f"{found}: a floating body")]
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
