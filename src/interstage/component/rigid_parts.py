"""Take rigid parts out of a component that was made with them: they then hang on joints of their own.

A part of mass m, centre p and inertia I (about it) at a node moves with the modes by Π = [λ; γ + λ×o] there. Out of
the component's integrals go what it put in: m, m p and the inertia from the rigid block, Sᵀ M Π from [F0; E], and Πᵀ M
Π from the modal mass, which is then no longer diagonal. Stiffness and damping stay.

So a model with engines in its modes (EITM) becomes one without them, in the same modes: with the engines held on their
gimbals it has the frequencies it was made with, with the gimbals free those of a model without engines (NESC report
NASA/TM-2020-5008164, F.4), as far as the modes reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.component.damping import matrix_ratios
from interstage.component.integrals import skew
from interstage.errors import InputError, ModelError

if TYPE_CHECKING:
    from interstage.component.record import Component


def without_rigid(
    component: Component, node: int, part: tuple[float, ArrayLike, ArrayLike], modes: bool = True
) -> Component:
    """Return the component without a rigid part (mass, inertia, offset) at a node; see `Component.without_rigid`."""
    c, row, (mass, inertia, offset) = component, component.node_row(node), part
    where = f"component '{c.name}', node {node}"
    I, o = np.asarray(inertia, dtype=float), np.asarray(offset, dtype=float)
    I = np.diag(I) if I.shape == (3,) else I
    if I.shape != (3, 3) or o.shape != (3,):
        raise InputError(
            "inertia or offset of the part does not fit", where=where, expected="3 or 3 x 3 numbers, and 3"
        )
    _refuse_balanced(c, where)
    left = c.mass - mass
    if not 0.0 <= mass < c.mass:
        raise InputError(
            "the part has no mass that could leave", where=where, expected=f"0 to {c.mass:g}", got=f"{mass:g}"
        )
    p = c.node_positions[row] + o
    M, S = np.zeros((6, 6)), np.eye(6)
    M[:3, :3], M[3:, 3:] = I, mass * np.eye(3)
    S[3:, :3] = -skew(p)
    changes: dict[str, object] = {
        "mass": left,
        "com": (c.mass * np.asarray(c.com) - mass * p) / left,
        "inertia": c.inertia - (S.T @ M @ S)[:3, :3],
    }
    if modes:
        Pi = np.vstack([c.lam[row], c.gamma[row] - skew(o) @ c.lam[row]])
        B, G = S.T @ M @ Pi, c.G0 - Pi.T @ M @ Pi
        if not np.linalg.eigvalsh(G)[:1].min(initial=1.0) > 0.0:
            raise ModelError(
                "the modes do not carry this part: without it their mass would be negative",
                where=where,
                hint="check mass, inertia and offset, and that the component was made with the part",
            )
        # stiffness (2πf)² G0 stays what it was, and so does the damping, whole, as of the modes with the part
        scale = np.sqrt(np.diag(c.G0) / np.diag(G))
        hz = c.frequencies_hz * scale
        changes |= {"F0": c.F0 - B[:3], "E": c.E - B[3:], "G0": G, "frequencies_hz": hz}
        if c.damping_ratio is not None:
            C = c.damping_matrix
            changes |= {"viscous": C, "structural": None, "damping_ratio": matrix_ratios(hz, C, None)}
    return c.without_integrals().with_changes(**changes)


def _refuse_balanced(component: Component, where: str) -> None:
    """Refuse what was found from loads that the inertia of the body with its part balances."""
    for name, held in (
        ("geometric stiffness", component.geometric_stiffness),
        ("recovery rows", component.recovery),
    ):
        if held is not None:
            raise InputError(
                f"{name} were found with the part in the body, and cannot do without it",
                where=where,
                hint="make the component without them, or from a deck without the part",
            )
