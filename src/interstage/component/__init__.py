"""The flexible-body component: modes, residual vectors, modal integrals, child bodies, one portable file.

Arrays in, arrays out: nothing here knows where the matrices came from.
"""

from interstage.component.record import ChildBody, Component, CraigBampton, MatrixSet

__all__ = ["ChildBody", "Component", "CraigBampton", "MatrixSet"]
