"""Geometric stiffness of a free body in its modes, for unit loads that are balanced by its own inertia (`unit_loads`).

The static stresses of each load make the geometric stiffness Kg of the elements:

    K_p = ΠᵀKgΠ (n, n),    KR_p = ΠᵀKgS (n, 3),    RR_p = SᵀKgS (3, 3),    S the rotations about the reference point

KR and RR put the modes about another node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from interstage.component.integrals import rigid_motion
from interstage.component.record import GeometricStiffness
from interstage.component.unit_loads import UnitLoads

if TYPE_CHECKING:
    from interstage.component.build import Assembled

# displacements (6N, k) in component axes -> geometric stiffness (6N, 6N) of each, and notes
Stiffener = Callable[[np.ndarray], tuple[Iterable[sp.spmatrix], list[str]]]

NEGLIGIBLE = 1e-9  # share of the largest change of stiffness of a load's kind below which it is dropped


def unit_load_stiffness(
    model: Assembled, shapes: np.ndarray, frequencies_hz: np.ndarray, loads: UnitLoads
) -> tuple[GeometricStiffness, list[str]]:
    """Return the modal geometric stiffness of unit loads, and sentences about it.

    A load is left out where every |K_rs|/(ω_r ω_s) is below 1e-9 of the largest of its kind (spin, force, moment).

    shapes : (nf, n) modes of the free coordinates
    """
    assert model.geometric is not None
    load, u = loads.load, np.asarray(model.T_gf @ loads.u)
    Pi, S = np.asarray(model.T_gf @ shapes), rigid_motion(model.positions)[:, :3]
    both, n = np.hstack([Pi, S]), shapes.shape[1]
    found, notes = model.geometric(u)
    whole = np.array([both.T @ (Kg @ both) for Kg in found])
    whole = 0.5 * (whole + whole.transpose(0, 2, 1))
    omega = 2.0 * np.pi * frequencies_hz
    size = np.abs(whole[:, :n, :n] / np.outer(omega, omega)).max(axis=(1, 2), initial=0.0)
    kind = np.where(load[:, 0] == 0, 0, np.where(load[:, 1] <= 3, 1, 2))
    largest = np.array([size[kind == k].max(initial=0.0) for k in range(3)])
    keep = size > NEGLIGIBLE * largest[kind]
    if not keep.all():
        notes = [*notes, f"{np.count_nonzero(~keep)} of {len(keep)} unit loads change no stiffness: left out"]
    return GeometricStiffness(
        load[keep],
        loads.nodes,
        whole[keep, :n, :n],
        whole[keep, :n, n:],
        whole[keep, n:, n:],
    ), notes
