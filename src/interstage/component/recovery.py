"""Recovery rows of a free body: forces and stresses of elements from its modes and from the loads that it carries.

    y = C_η η + C_a η̈ + C_p c

    C_η = SΦ,      C_p = S K⁻¹p̂ - C_η Ω⁻² Q,      C_a = -(S K⁻¹MΦ - C_η Ω⁻²),      Q = Φᵀp̂

S takes displacements to results of elements, p̂ are unit loads balanced by inertia (`unit_loads`) and c their sizes:
products of ω, forces and moments at nodes. C_p and C_a are what the modes lack of the static answer to the loads and to
the inertia of the modes themselves: y is that of mode acceleration. C_a is nothing where Φ are modes of the free body.
S K⁻¹p̂, S K⁻¹MΦ and Q are kept, so that a choice of modes finds its own C_p and C_a.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.component.record import RecoveryRows
from interstage.component.stored import QUANTITIES
from interstage.component.unit_loads import UnitLoads
from interstage.errors import InputError, known_names, shown
from interstage.linalg.refine import held_response

if TYPE_CHECKING:
    from interstage.component.build import Assembled

COLUMNS = 8  # displacements looked at in one go: tables of all elements of a type are made of them
LINEAR = 1e-6  # of the sum of its terms: what a sum of displacements may differ from the sum of results


@dataclass(frozen=True)
class Recoverer:
    """Results of elements from displacements.

    names, quantities : of each row;  rows : displacements (nf, k) of the free coordinates -> results (r, k)
    """

    names: list[str]
    quantities: list[str]
    rows: Callable[[np.ndarray], np.ndarray]

    def __post_init__(self) -> None:
        for name, quantity in zip(self.names, self.quantities):
            if quantity not in QUANTITIES:
                raise InputError(
                    f"the quantity of '{name}' is not known",
                    where="recover",
                    got=shown(quantity),
                    hint=known_names(QUANTITIES),
                )


def recovery_rows(model: Assembled, shapes: np.ndarray, loads: UnitLoads) -> RecoveryRows:
    """Return the recovery rows of a structure.

    shapes : (nf, n) modes of the free coordinates
    """
    assert model.recoverer is not None
    found = model.recoverer
    inertia = model.M_ff @ shapes
    inertia = inertia - model.M_ff @ (loads.rigid @ (loads.rigid.T @ inertia))
    own = held_response(model.K_ff, inertia, loads.still, model.name_of)
    u = np.hstack([shapes, own, loads.u])
    y = linear_rows(found, u)
    n = shapes.shape[1]
    return RecoveryRows(
        found.names,
        found.quantities,
        loads.load,
        loads.nodes,
        C=y[:, :n],
        inertia=y[:, n : 2 * n],
        static=y[:, 2 * n :],
        modal=shapes.T @ loads.p,
    )


def linear_rows(found: Recoverer, u: np.ndarray) -> np.ndarray:
    """Return results (r, k) of displacements (nf, k), some columns at a time; refuse what is not linear in them."""
    parts = [found.rows(u[:, k : k + COLUMNS]) for k in range(0, u.shape[1], COLUMNS)]
    y = np.hstack([np.zeros((len(found.names), 0)), *parts])
    _check_linear(found, u, y)
    return y


def _check_linear(found: Recoverer, u: np.ndarray, y: np.ndarray) -> None:
    """Refuse rows that are not linear in the motion, by one sum of all displacements with made-up weights."""
    weights = np.cos(1.0 + np.arange(u.shape[1])) / np.maximum(np.abs(u).max(axis=0), 1e-300)
    size = np.abs(y) @ np.abs(weights)
    off = np.abs(found.rows((u @ weights)[:, None])[:, 0] - y @ weights)
    for name, gap, whole in zip(found.names, off, size):
        if not gap <= LINEAR * whole:
            raise InputError(
                f"the result '{name}' is not linear in the motion, so that it has no row",
                where="recover",
                hint="recover the components of stress, and make principal, extreme and von Mises values of them",
            )
