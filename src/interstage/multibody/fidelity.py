"""What a vehicle leaves out at a state, in words: node inertia that spins, deformed inertia of order 0, precision.

A mode of unit modal mass has the share 1 - Σ m γ·γ of it in the rotation of nodes (lumped inertias, discs on a shaft).
Where nodes move as points, the gyroscopic moments of that share are missing: in a body that spins at Ω they change the
frequency ω of a mode by about share Ω/ω. Without integrals (order 0) the softening by spin is missing, (Ω/ω)²/2.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning, caller_level

if TYPE_CHECKING:
    from interstage.multibody.api import System
    from interstage.multibody.model import Multibody
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
        if flex is None or flex.n_modes == 0 or spec.rotary or spec.tanks is not None:
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


def warn_of_spin(system: System, x: State) -> list[str]:
    """Warn of what `spin_notes` finds, and return it."""
    notes = spin_notes(system, x)
    for words in notes:
        warnings.warn(words, FidelityWarning, stacklevel=caller_level())
    return notes
