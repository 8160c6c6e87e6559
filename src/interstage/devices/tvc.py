"""Thrust vector control: an actuator that moves a gimbal as commanded, whatever load it meets.

    q̈ = 2ζω (r - q̇),    r = ω/(2ζ) (command - q), not beyond ±rate_limit,    ω = 2π bandwidth

is the second order ω² (command - q) - 2ζω q̇ while the rate is below its limit, and does not pass the limit. The
command is held within ±limit. The joint is prescribed: the drive gives what torque is needed, and the vehicle feels it
(an ideal source of position; load-torque loop open, K_LT = 0, of the NESC report NASA/TM-2020-5008164, F.4). An
actuator that yields is `HydraulicTVC`.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.gimbal import Gimbal
from interstage.devices.parts import limited
from interstage.system.device import View
from interstage.system.limits import Limit, within
from interstage.system.ports import Out, Parameter

_TURN = 2.0 * np.pi


class TVC(Gimbal):
    """A gimbal driven as a second-order system with limits; its joint becomes prescribed.

    joint : body on a `Universal` joint, or on a `Revolute` with axes=1
    bandwidth : natural frequency, "6 Hz" or "40 rad/s";  damping : ζ
    limit : of the command, 0 is none;  rate_limit : of the gimbal's rate, 0 is none
    command : angles that are wanted;  angle : as they are
    """

    damping = Parameter("", 0.7, above=0.0)
    angle = Out("rad", "axes")
    drive = Gimbal.joint.motion()

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the limits of command and rate."""
        found = []
        for k, q in enumerate(d.q):
            wanted = limited(d.command[k], d.limit)
            rate = 0.5 * _TURN * d.bandwidth / d.damping * (wanted - q)
            found += within(f"command[{k}]", d.command[k], d.limit, "rad")
            found += within(f"rate asked of axis {k}", rate, d.rate_limit, "rad/s")
        return found

    def outputs(d, t):
        w = _TURN * d.bandwidth
        for k in range(len(d.q)):
            d.angle[k] = d.q[k]
            wanted = limited(d.command[k], d.limit)
            r = limited(0.5 * w / d.damping * (wanted - d.q[k]), d.rate_limit)
            d.drive[k] = 2.0 * d.damping * w * (r - d.rate[k])
