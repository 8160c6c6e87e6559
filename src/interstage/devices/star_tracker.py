"""A star tracker: the attitude of its node with an error.

    q = q_true ⊗ q_mount ⊗ exp(e),    e = bias + noise n        (rotation vector in the axes of the sensor)

Above `max_rate` stars smear: it says its last attitude again and `valid` is 0.
"""

from __future__ import annotations

from interstage.devices.mounted import Mounted
from interstage.spatial.quaternion import quaternion_multiply, quaternion_step
from interstage.system.device import View
from interstage.system.limits import Limit, state_of
from interstage.system.noise import normal
from interstage.system.ports import Out, Parameter


class StarTracker(Mounted):
    """The attitude of a node as a quaternion, world from sensor, with noise and bias.

    at : place;  mount : attitude of the sensor's axes on the node
    noise : standard deviation about its three axes, or one for all;  bias (3,) : constant error
    max_rate : above which it sees nothing, 0 is no limit
    quaternion : scalar first;  error : rotation vector of the error;  valid : 1 or 0
    """

    noise = Parameter("rad", [0.0, 0.0, 0.0], least=0.0)
    bias = Parameter("rad", [0.0, 0.0, 0.0])
    max_rate = Parameter("rad/s", 0.0, least=0.0)
    true_attitude = Mounted.at.attitude()
    omega = Mounted.at.rate("node")
    quaternion = Out("", 4, initial=[1.0, 0.0, 0.0, 0.0])
    error = Out("rad", 3)
    valid = Out("")

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return whether it sees anything."""
        return [state_of("sensor", "is not valid: it says its last values again")] if d.valid == 0.0 else []

    def sample(d, t):
        w, most = d.omega, d.max_rate.real
        if most > 0.0 and (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).real > most * most:
            d.valid = 0.0
        else:
            d.valid = 1.0
            for i in range(3):
                d.error[i] = d.bias[i]
                if d.ideal == 0:
                    d.error[i] += d.noise[i] * normal(d.seed, d.stream, d.tick, i)
            quaternion_multiply(d.true_attitude, d.mount, d.quaternion)
            quaternion_step(d.quaternion, d.error, d.quaternion)
