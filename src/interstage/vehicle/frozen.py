"""A burning vehicle at one fill as a component: a body of the multibody engine whose mass stands still."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from interstage.component.record import Component
from interstage.errors import ModelError
from interstage.vehicle.integrals import Integrals
from interstage.vehicle.shapes import Shapes


def component_at(shapes: Shapes, one: Integrals, name: str) -> Component:
    """Return the component of a vehicle with given integrals, in modes Φ T of unit modal mass: T'GT = 1, T'KT = ω².

    Its frame is that of the vehicle, and shapes keep their rigid parts: nothing but coordinates changes, η = T y.
    Nodes have the ids of `Shapes.node_ids`.
    """
    try:
        values, T = la.eigh(one.K, one.G)
    except la.LinAlgError:
        raise ModelError(
            "the modal mass is not positive", where=f"component '{name}'", hint="look at shapes.report"
        ) from None
    ids = shapes.node_ids
    order = np.argsort(ids)
    Phi = (shapes.nodes @ T).reshape(len(ids), 6, -1)[order]
    A, B = one.A @ T, np.einsum("abrs,rp,sq->abpq", one.B, T, T, optimize=True)
    trace_A, trace_B = np.einsum("aar->r", A), np.einsum("aars->rs", B)
    unit = np.eye(3)
    return Component(
        name=name,
        node_ids=ids[order],
        node_positions=shapes.stack.positions[order],
        gamma=Phi[:, :3],
        lam=Phi[:, 3:],
        frequencies_hz=np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi),
        mass=one.mass,
        com=one.com,
        inertia=one.inertia,
        E=one.E @ T,
        F0=one.F0 @ T,
        G0=T.T @ one.G @ T,
        J1=trace_A[:, None, None] * unit - np.einsum("abr->rab", A),
        J2=trace_B[:, :, None, None] * unit - np.einsum("abrs->rsba", B),
        F1=np.stack([B[1, 2] - B[2, 1], B[2, 0] - B[0, 2], B[0, 1] - B[1, 0]], axis=1),
        pm_mass=one.pm_mass,
        pm_c=one.pm_c,
        pm_S2=one.pm_S2,
        pm_E=one.pm_E @ T,
        n_rigid=6,
        rigid_frequencies_hz=np.zeros(6),
    )
