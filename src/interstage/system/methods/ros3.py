"""A linearly implicit method of order 3 with four stages and an estimate of order 2, as a W-method.

It holds the eight order conditions of W-methods of order 3 and the ninth that a stage-wise A asks for (`wmethod`),
and is stiffly accurate, b_i = α_4i + γ_4i: L-stable with γ = 0.23, for which modes that the steps follow lose little:
|R(iy)| = 1 - 7e-5 at y = ωh = 1/2, where γ = 0.4359 of the methods with a vanishing fourth pole (ROS34PW2 of
J. Rang and L. Angermann, BIT 45 (2005) 761) has 1 - 1e-3. Coefficients found by minimizing the conditions of order 4;
they hold the nine to rounding.
"""

from __future__ import annotations

from interstage.system.methods.wmethod import WMethod

_ALPHA4 = (-0.98513482457281511039, 0.89231444782477959079, 1.0928203767480355196)
_GAMMA4 = (1.0492841827055218419, -0.58858122977199494772, -0.69070295293352689415)

ROS3 = WMethod(
    "ros3",
    order=3,
    embedded=2,
    turn=0.1,
    gamma=0.23,
    alpha=((), (0.3925525946813588083,), (0.42649011157005944571, -0.051553020477960804544), _ALPHA4),
    gammas=((), (0.80393015564440194795,), (-1.0331123620185918262, -0.014542547503262623189), _GAMMA4),
    b=(*(a + g for a, g in zip(_ALPHA4, _GAMMA4)), 0.23),
    b_embedded=(0.03461951437221382, 0.3285728619913817, 0.42522080476249124, 0.21158681887391348),
)
