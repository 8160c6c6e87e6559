"""Thrust vector control: an actuator that moves a gimbal as commanded, whatever load it meets.

    q̈ = 2ζω (r - q̇),    r = ω/(2ζ) (command - q), not beyond ±rate_limit,    ω = 2π bandwidth

is the second order ω² (command - q) - 2ζω q̇ while the rate is below its limit, and does not pass the limit. The
command is held within ±limit. The joint is prescribed: the drive gives what torque is needed, and the vehicle feels it
(an ideal source of position; load-torque loop open, K_LT = 0, of the NESC report NASA/TM-2020-5008164, F.4). An
actuator that yields is `HydraulicTVC`.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.parts import hertz, limited
from interstage.system.device import Device
from interstage.system.ports import Hinge, In, Out, Parameter, Value

_TURN = 2.0 * np.pi


class TVC(Device):
    """A gimbal driven as a second-order system with limits; its joint becomes prescribed.

    joint : body on a `Universal` joint, or on a `Revolute` with axes=1
    bandwidth : natural frequency, "6 Hz" or "40 rad/s";  damping : ζ
    limit : of the command, 0 is none;  rate_limit : of the gimbal's rate, 0 is none
    command : angles that are wanted;  angle : as they are
    """

    joint = Hinge("rad", "axes")
    bandwidth = Parameter("Hz", 6.0, above=0.0)
    damping = Parameter("", 0.7, above=0.0)
    limit = Parameter("rad", 0.0, least=0.0)
    rate_limit = Parameter("rad/s", 0.0, least=0.0)
    command = In("rad", "axes")
    q = joint.coordinate()
    rate = joint.rate()
    angle = Out("rad", "axes")
    drive = joint.motion()

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: two axes unless said otherwise, a bandwidth in Hz or rad/s."""
        found = {"axes": 2, **values}
        if "bandwidth" in found:
            found["bandwidth"] = hertz(found["bandwidth"], "TVC.bandwidth")
        return found

    def outputs(d, t):
        w = _TURN * d.bandwidth
        for k in range(len(d.q)):
            d.angle[k] = d.q[k]
            wanted = limited(d.command[k], d.limit)
            r = limited(0.5 * w / d.damping * (wanted - d.q[k]), d.rate_limit)
            d.drive[k] = 2.0 * d.damping * w * (r - d.rate[k])
