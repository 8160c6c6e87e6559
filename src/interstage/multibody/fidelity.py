"""What a vehicle leaves out at a state, in words: what its spin does to nodes and stiffness, order 0, precision.

A mode of unit modal mass has the share 1 - Σ m γ·γ of it in the rotation of nodes (lumped inertias, discs on a shaft).
Where nodes move as points, the gyroscopic moments of that share are missing: in a body that spins at Ω they change the
frequency ω of a mode by about share Ω/ω. Without integrals (order 0) the softening by spin is missing, (Ω/ω)²/2. A
component without geometric stiffness does not know the tension that its own spin makes, ½ Ω² (Σ m|r| + |Σ m r|), with r
from the axis through its inboard node, or its center of mass where it is free (a blade: ½ m L Ω²).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning, caller_level
from interstage.multibody.unstiffened import MATTERS as LOAD_MATTERS
from interstage.multibody.unstiffened import load_share, way_to_stiffen

if TYPE_CHECKING:
    from interstage.multibody.api import System
    from interstage.multibody.model import BodySpec, Multibody
    from interstage.multibody.state import State

MATTERS = 0.01  # relative change of a frequency


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
        if flex.B is None:
            softer = float((spin / omega[omega > 0.0].min()) ** 2 / 2.0)
            if softer > MATTERS:
                out.append(
                    f"body '{spec.name}' spins at {spin:.4g} rad/s with order 0: its inertia does not follow its "
                    f"deformation, which changes its lowest frequency by about {100 * softer:.2g} %; use order 2, of a "
                    "component with modal integrals"
                )
            continue
        share = 1.0 - np.trace(np.asarray(flex.B), axis1=2, axis2=3).diagonal()
        effect = np.where(omega > 0.0, share * spin / np.where(omega > 0.0, omega, 1.0), 0.0)
        r = int(effect.argmax())
        if effect[r] > MATTERS:
            out.append(
                f"body '{spec.name}' spins at {spin:.4g} rad/s, and {100 * share[r]:.2g} % of its mode at "
                f"{omega[r] / (2 * np.pi):.4g} Hz is rotary inertia of nodes, whose gyroscopic moments are left out "
                f"(about {100 * effect[r]:.2g} % of the frequency, and stability): make the component with "
                "rotary_integrals=True (--rotary-integrals)"
            )
    return out


def _tension_note(system: System, x: State, spec: BodySpec) -> list[str]:
    """Return words on the tension that spin makes in a body whose stiffness does not know it, where it matters."""
    c = spec.component
    assert c is not None
    w = np.real(system.rotation(x, spec.name).T @ system.velocity(x, spec.name)[:3])
    origin = c.com if spec.node is None or spec.joint.is_free else c.node_positions[c.node_row(spec.node)]
    own = ~np.isin(c.node_ids, list(c.unattached_nodes))
    turns = np.asarray(c.lam)[own]
    if turns.any() and np.ptp(turns, axis=0).max() < 1e-9 * np.abs(turns).max():
        return []  # nodes turn alike, as those of masses on springs: nothing bends
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
        f"spin ({size:.4g}) is left out, and its mode of {hz:.4g} Hz is too soft by about {100 * share:.2g} %; "
        f"{way_to_stiffen(spec)}"
    ]


def warn_of_spin(system: System, x: State) -> list[str]:
    """Warn of what `spin_notes` finds, and return it."""
    notes = spin_notes(system, x)
    for words in notes:
        warnings.warn(words, FidelityWarning, stacklevel=caller_level())
    return notes
