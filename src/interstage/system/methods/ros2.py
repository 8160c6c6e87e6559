"""A linearly implicit method of order 2 with two stages, as a W-method.

J. G. Verwer, E. J. Spee, J. G. Blom and W. Hundsdorfer, SIAM J. Sci. Comput. 20 (1999) 1456.
"""

from __future__ import annotations

import math

from interstage.system.methods.wmethod import WMethod

GAMMA = 1.0 - math.sqrt(0.5)

ROS2 = WMethod(
    "ros2",
    order=2,
    turn=0.05,
    gamma=GAMMA,
    alpha=((), (1.0,)),
    gammas=((), (-2.0 * GAMMA,)),
    b=(0.5, 0.5),
)
