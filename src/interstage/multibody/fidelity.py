"""What a vehicle leaves out at a state, in words: what its spin does to nodes and stiffness, order 0, precision.

A mode of unit modal mass has the share 1 - Σ m γ·γ of it in the rotation of nodes (lumped inertias, discs on a shaft).
Where nodes move as points, the moments of their inertia J in a spin are missing (`_turning_effect`). Without integrals
(order 0) the softening by spin is missing, (Ω/ω)²/2. A component without geometric stiffness does not know the tension
that its own spin makes, ½ Ω² (Σ m|r| + |Σ m r|), with r from the axis through its inboard node, or its center of mass
where it is free (a blade: ½ m L Ω²).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning, caller_level, percent
from interstage.multibody.unstiffened import MATTERS as LOAD_MATTERS
from interstage.multibody.unstiffened import load_share, way_to_stiffen

if TYPE_CHECKING:
    from interstage.multibody.api import System
    from interstage.multibody.flex.reference import FlexibleBody
    from interstage.multibody.model import BodySpec, Multibody
    from interstage.multibody.state import State

MATTERS = 0.01  # relative change of a frequency
LOWEST = 40  # modes whose nodes that turn are looked at


def model_notes(model: Multibody) -> list[str]:
    """Return what its components say of their precision, each once."""
    found = {}
    for spec in model.specs:
        said = None if spec.component is None else spec.component.provenance.get("precision")
        if said and spec.component is not None:
            found[spec.component.name] = f"component '{spec.component.name}' has {said}"
    return list(found.values())


def spin_notes(system: System, x: State) -> list[str]:
    """Return what bodies that spin at a state leave out, where it changes a frequency by a percent or more."""
    out = []
    for i, (spec, flex) in enumerate(zip(system.model.specs, system.flexes)):
        if flex is None or flex.n_modes == 0:
            continue
        if not spec.stiffens:
            out += _tension_note(system, x, spec)
        if spec.rotary or spec.tanks is not None:
            continue
        spin = float(np.linalg.norm(np.real(system.velocity(x, system.bodies[i])[:3])))
        omega = np.sqrt(np.maximum(np.asarray(flex.stiffness), 0.0))
        if spin == 0.0 or not (omega > 0.0).any():
            continue
        if flex.integrals.B is None:
            softer = float((spin / omega[omega > 0.0].min()) ** 2 / 2.0)
            if softer > MATTERS:
                out.append(
                    f"body '{spec.name}' spins at {spin:.4g} rad/s with order 0: its inertia does not follow its "
                    f"deformation, which changes its lowest frequency by about {percent(softer)}; use order 2, of a "
                    "component with modal integrals"
                )
            continue
        w = np.real(system.rotation(x, spec.name).T @ system.velocity(x, spec.name)[:3])
        effect, rate, share = _turning_effect(spec, flex, w)
        if effect > MATTERS:
            out.append(
                f"body '{spec.name}' spins at {spin:.4g} rad/s, and {percent(share)} of its mode at "
                f"{rate / (2 * np.pi):.4g} Hz is rotary inertia of nodes, whose gyroscopic moments are left out "
                f"(about {percent(effect)} of the frequency, and stability): make the component with "
                "rotary_integrals=True (--rotary-integrals)"
            )
    return out


def _turning_effect(spec: BodySpec, flex: FlexibleBody, w: np.ndarray) -> tuple[float, float, float]:
    """Return the largest relative change of a frequency that rotary inertia of nodes makes, that rate, and its share.

    A node of inertia J that turns by θ = Σ λ_r η_r has in a spin w (3,), besides ½ θ̇ᵀJθ̇, the energy

        (w×θ)·Jθ̇ - ½ Jw·(θ×θ̇) + ½ (w×θ)·J(w×θ) + ½ Jw·(θ×(θ×w)),

    which couples modes by G_sr = (w×λ_r)·Jλ_s - (w×λ_s)·Jλ_r - Jw·(λ_r×λ_s) and takes C from their stiffness. Turns
    about the axis of the spin have none of it, one plane of bending has no G. Of J a component without rotary
    integrals has the sum over nodes (inertia less that of its point masses) and, of every mode, the share of its modal
    mass: J is taken to be spread over nodes alike. Modes are compared with and without. A mode without a share has no
    effect, as bending of bars whose nodes have inertia in torsion alone: no body has such a J, and the moments of one
    slice, with J_x = J_y + J_z, vanish.
    """
    c, spin = spec.component, float(np.linalg.norm(w))
    assert c is not None and flex.integrals.B is not None
    share = np.clip(1.0 - np.einsum("aarr->r", flex.integrals.B), 0.0, 1.0)
    omega = np.sqrt(np.maximum(np.asarray(flex.stiffness), 0.0))
    most = np.where(omega > 0.0, np.sqrt(share) * spin / np.where(omega > 0.0, omega, 1.0), 0.0)
    if most.max() <= MATTERS:  # |G_rs| is no more than 2 Ω √(share_r share_s)
        return 0.0, 0.0, 0.0
    pick = np.flatnonzero(most > 0.1 * MATTERS)
    pick = pick[np.argsort(omega[pick], kind="stable")][:LOWEST]
    omega, share = omega[pick], share[pick]
    values, axes = np.linalg.eigh(c.inertia - np.trace(c.pm_S2) * np.eye(3) + c.pm_S2)
    J = axes * np.maximum(values, 1e-6 * max(values[-1], 1e-300)) @ axes.T
    lam = np.asarray(flex.lam)[~np.isin(flex.node_ids, list(c.unattached_nodes))][:, :, pick]
    P = np.einsum("nar,nbs->arbs", lam, lam, optimize=True)
    own = np.einsum("ab,arbr->r", J, P)
    scale = np.sqrt(np.where(own > 0.0, share / np.where(own > 0.0, own, 1.0), 0.0))
    P = P * scale[:, None, None] * scale
    x, y, z = w
    W, h = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), J @ w
    turn = np.array([[0.0, h[2], -h[1]], [-h[2], 0.0, h[0]], [h[1], -h[0], 0.0]])  # uᵀ turn v = h·(u×v)
    G = np.einsum("ab,arbs->sr", W.T @ J - J @ W - turn, P)
    softer = W.T @ J @ W + 0.5 * (np.outer(w, h) + np.outer(h, w)) - (h @ w) * np.eye(3)
    C = np.einsum("ab,arbs->rs", softer, P)
    k = len(pick)
    A = np.block([[np.zeros((k, k)), np.eye(k)], [C - np.diag(omega**2), -G]])
    poles = np.linalg.eigvals(A)
    poles = poles[np.argsort(np.abs(poles.imag), kind="stable")][::2]  # one of each pair
    change = np.maximum(np.abs(np.abs(poles.imag) - omega), np.abs(poles.real)) / omega
    r = int(change.argmax())
    return float(change[r]), float(omega[r]), float(share[r])


def _tension_note(system: System, x: State, spec: BodySpec) -> list[str]:
    """Return words on the tension that spin makes in a body whose stiffness does not know it, where it matters."""
    c = spec.component
    assert c is not None
    w = np.real(system.rotation(x, spec.name).T @ system.velocity(x, spec.name)[:3])
    origin = c.com if spec.node is None or spec.joint.is_free else c.node_positions[c.node_row(spec.node)]
    own = ~np.isin(c.node_ids, list(c.unattached_nodes))
    pull = -np.cross(w, np.cross(w, c.node_positions[own] - origin))
    size = (
        0.5
        * float(system.settings.body_inertia[system.body(spec.name), 0])
        * float(np.linalg.norm(pull, axis=1).mean() + np.linalg.norm(pull.mean(axis=0)))
    )
    if size == 0.0:
        return []
    share, hz = load_share(c, size, np.linalg.svd(pull, full_matrices=False)[2][0])
    if share <= LOAD_MATTERS:
        return []
    return [
        f"body '{spec.name}' spins at {np.linalg.norm(w):.4g} rad/s without geometric stiffness: the tension of its "
        f"spin ({size:.4g}) is left out, and its mode of {hz:.4g} Hz is too soft by about {percent(share)}; "
        f"{way_to_stiffen(spec)}"
    ]


def warn_of_spin(system: System, x: State) -> list[str]:
    """Warn of what `spin_notes` finds, and return it."""
    notes = spin_notes(system, x)
    for words in notes:
        warnings.warn(words, FidelityWarning, stacklevel=caller_level())
    return notes
