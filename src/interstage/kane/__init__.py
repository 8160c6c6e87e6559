"""Kane's equations of flexible trees: dense, on numpy or jax arrays, a second opinion on the recursive engine.

It starts from the same description (`Multibody`) and shares no dynamics code with `interstage.multibody`: partial
velocities and remainder accelerations of every body, its modal integrals, one dense equation, and the forces across
joints afterwards. Equations: docs/theory/kane.md.
"""

from interstage._renamed import former_names
from interstage.kane.api import Kane
from interstage.kane.equations import NodeLoad, kane_equations
from interstage.kane.layout import Body, ModelConstants, Parameters

__all__ = ["Body", "Kane", "ModelConstants", "NodeLoad", "Parameters", "kane_equations"]

__getattr__ = former_names(__name__)
