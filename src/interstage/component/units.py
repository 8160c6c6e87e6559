"""Units of a component and their conversion.

A component keeps unit modal mass in every system of units: with mass, length and time factors (m, L, T),
its modal coordinates scale by sqrt(m) L, translational shapes by 1/sqrt(m), rotational shapes by 1/(sqrt(m)
L).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from interstage.component.record import ChildBody, Component, CraigBampton, MatrixSet
from interstage.component.unit_names import LENGTH, MASS, TABLES, TIME, checked_units
from interstage.errors import InputError

__all__ = ["LENGTH", "MASS", "TABLES", "TIME", "checked_units", "converted", "scaled"]


def converted(component: Component, units: Mapping[str, str] | str) -> Component:
    """Return the component in other units, as in "SI" or {"length": "mm"}; what is not named stays."""
    have, wanted = component.units, checked_units(units)
    if not have:
        raise InputError(
            f"the units of component '{component.name}' are not known, so that they cannot be converted",
            hint='say which they are when it is made, or by component.with_changes(units="SI")',
        )
    wanted = have | wanted
    m, L, T = (TABLES[q][have[q]] / TABLES[q][wanted[q]] for q in ("mass", "length", "time"))
    return scaled(component, m, L, T, wanted)


def scaled(c: Component, m: float, L: float, T: float, units: Mapping[str, str]) -> Component:
    """Multiply masses by m, lengths by L, times by T, and everything else as its dimension asks."""
    if m == L == T == 1.0:
        return c.with_changes(units=dict(units))
    root = np.sqrt(m)
    eta = root * L
    changes = {
        "units": dict(units),
        "node_positions": c.node_positions * L,
        "gamma": c.gamma * (1 / root),
        "lam": c.lam * (1 / eta),
        "frequencies_hz": c.frequencies_hz / T,
        "rigid_frequencies_hz": c.rigid_frequencies_hz / T,
        "mass": c.mass * m,
        "com": c.com * L,
        "inertia": c.inertia * m * L**2,
        "E": c.E * root,
        "F0": c.F0 * eta,
        "damping_ratio": c.damping_ratio,
        "viscous": None if c.viscous is None else c.viscous / T,
        "structural": None if c.structural is None else c.structural / T**2,
        "ground_damping": _ground_damping(c.ground_damping, m, L, T),
        "pm_mass": c.pm_mass * m,
        "pm_c": c.pm_c * m * L,
        "pm_S2": c.pm_S2 * m * L**2,
        "pm_E": c.pm_E * root,
        "J1": None if c.J1 is None else c.J1 * eta,
        "rotary": _rotary(c.rotary, eta, L),
        "craig_bampton": _craig_bampton(c.craig_bampton, m, L, T),
        "child_bodies": [_child(body, m, L) for body in c.child_bodies],
        "gset": _matrices(c.gset, m, L, T),
        "fset": _matrices(c.fset, m, L, T),
        "reference_position": c.reference_position * L,
        "bgpdt": None if c.bgpdt is None else c.bgpdt * np.array([1.0, 1.0, 1.0, L, L, L]),
        "coordinates": {cid: (p * L, R) for cid, (p, R) in c.coordinates.items()},
    }
    return c.with_changes(**changes)


def _ground_damping(C: np.ndarray | None, m: float, L: float, T: float) -> np.ndarray | None:
    """Rows and columns are of rotations (3), translations (3) and modes; C times two rates is a power."""
    if C is None:
        return None
    rate = np.concatenate([np.ones(3), np.full(3, L), np.full(C.shape[1] - 6, np.sqrt(m) * L)])
    return C * (m * L**2 / T) / np.outer(rate[:6], rate)


def _rotary(rotary, eta, L):
    """Each array is a coefficient of an energy (m L^2 = eta^2) and of so many modal coordinates."""
    if rotary is None:
        return None
    power = {"G1": -1, "G2": -2, "F1": 0, "F2": -1, "E1": 0, "J1": 1, "J2": 0}
    out = {key: value * eta ** power[key] for key, value in rotary.items()}
    out["E1"] = out["E1"] / L
    return out


def _craig_bampton(cb: CraigBampton | None, m: float, L: float, T: float) -> CraigBampton | None:
    if cb is None:
        return None
    modal, turns = cb.uset[:, 0] == 0, cb.uset[:, 1] > 3
    factor = np.where(modal, np.sqrt(m) * L, np.where(turns, 1.0, L))
    energy = m * L**2 / np.outer(factor, factor)

    def times(A, power):
        return None if A is None else A * energy / T**power

    return CraigBampton(
        frequencies_hz=cb.frequencies_hz / T,
        mass=times(cb.mass, 0),
        stiffness=times(cb.stiffness, 2),
        uset=cb.uset,
        viscous=times(cb.viscous, 1),
        structural=times(cb.structural, 2),
    )


def _matrices(s: MatrixSet | None, m: float, L: float, T: float) -> MatrixSet | None:
    if s is None:
        return None
    D = sp.diags(np.where(s.uset[:, 1] > 3, 1.0, 1 / L))

    def times(A, power):
        return None if A is None else (D @ A @ D).tocsr() * (m * L**2 / T**power)

    return MatrixSet(
        times(s.mass, 0), times(s.stiffness, 2), s.uset, times(s.viscous, 1), times(s.structural, 2)
    )


def _child(body: ChildBody, m: float, L: float) -> ChildBody:
    return ChildBody(
        **{
            **body.__dict__,
            "mass": body.mass * m,
            "com": body.com * L,
            "inertia": body.inertia * m * L**2,
            "position": body.position * L,
        }
    )
