"""The line of sight of an optical train: small motions of its elements, each times what the optics make of it.

With the first element as reference, element k is displaced by δ_k and turned by θ_k beside where it stands on the
undeformed vehicle, in the axes of the reference, and

    angles = Σ_k A_k δ_k + B_k θ_k,    direction = R_ref · unit(x_b + angles₁ e₁ + angles₂ e₂)

A_k (2, 3) and B_k (2, 3) are sensitivities of the optical prescription; x_b is the boresight, e₁ and e₂ the directions
across it. A flat mirror with normal n turns the ray that leaves it by 2 (θ·e) e, without the share of θ along n.

Source: linear optical models, as in Redding and Breckenridge, Linearized ray-trace analysis, AIAA 1991.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.parts import with_directions
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.multibody import System
from interstage.spatial import Rotation
from interstage.system.device import Device
from interstage.system.ports import Out, Parameter, Places, Value, numbers


@kernel
def moved(p, q, nominal, still, k):
    """Return displacement and turn (six numbers) of element k beside its nominal place, in the axes of the first."""
    w, x, y, z = q[0, 0], -q[0, 1], -q[0, 2], -q[0, 3]  # of the reference, turned back
    r0, r1, r2 = p[k, 0] - p[0, 0], p[k, 1] - p[0, 1], p[k, 2] - p[0, 2]
    u, v, s = 2.0 * (y * r2 - z * r1), 2.0 * (z * r0 - x * r2), 2.0 * (x * r1 - y * r0)
    d0 = r0 + w * u + y * s - z * v - nominal[k, 0]
    d1 = r1 + w * v + z * u - x * s - nominal[k, 1]
    d2 = r2 + w * s + x * v - y * u - nominal[k, 2]
    # q_ref* q_k, then times what it was on the undeformed vehicle, turned back
    a = w * q[k, 0] - x * q[k, 1] - y * q[k, 2] - z * q[k, 3]
    b = w * q[k, 1] + x * q[k, 0] + y * q[k, 3] - z * q[k, 2]
    c = w * q[k, 2] - x * q[k, 3] + y * q[k, 0] + z * q[k, 1]
    e = w * q[k, 3] + x * q[k, 2] - y * q[k, 1] + z * q[k, 0]
    f, g, h, i = still[k, 0], -still[k, 1], -still[k, 2], -still[k, 3]
    scale = 2.0 if (a * f - b * g - c * h - e * i).real > 0.0 else -2.0
    t0 = scale * (a * g + b * f + c * i - e * h)
    t1 = scale * (a * h - b * i + c * f + e * g)
    t2 = scale * (a * i + b * h - c * g + e * f)
    return d0, d1, d2, t0, t1, t2


class LineOfSight(Device):
    """Where an optical train on a flexible vehicle looks.

    at : places of the elements, the first is the reference;  boresight (3,), across (3,) : in the reference's axes
    translation (n, 6), rotation (n, 6) : [row of the first angle, row of the second] of A_k and of B_k
    angles (2,) : of the train beside its reference, about e₁ = across and e₂ = boresight × across
    direction (3,) : of the line of sight in the world
    """

    at = Places("n")
    boresight = Parameter("", [0.0, 0.0, 1.0])
    across = Parameter("", [1.0, 0.0, 0.0])
    translation = Parameter("rad/m", 0.0, ("n", 6))
    rotation = Parameter("", size=("n", 6))
    nominal = Parameter("m", 0.0, ("n", 3))
    still = Parameter("", 0.0, ("n", 4))
    position = at.position()
    attitude = at.attitude()
    angles = Out("rad", 2)
    direction = Out("", 3)

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: directions of length one, sensitivities (n, 2, 3) as rows."""
        found = with_directions(values, "LineOfSight", "boresight", "across", [0.0, 0.0, 1.0])
        for name in ("translation", "rotation"):
            if name in found:
                array = numbers(found[name], "", f"LineOfSight.{name}")
                if array.ndim == 3 and array.shape[1:] == (2, 3):
                    array = array.reshape(-1, 6)
                found[name] = array
        return found

    def bound(self, vehicle: System) -> Device:
        """Return the device with the places of its elements on the undeformed vehicle."""
        places = self.place_of("at")
        if not isinstance(places, list | tuple) or len(places) < 2:
            raise InputError(
                "a line of sight has two elements at least", where="LineOfSight.at", got=repr(places)
            )
        x = vehicle.state()
        split = [place if isinstance(place, tuple) else (place, None) for place in places]
        R = [Rotation(vehicle.rotation(x, body, node)) for body, node in split]
        p = np.array([vehicle.position(x, body, node) for body, node in split])
        nominal = (p - p[0]) @ R[0].matrix
        still = np.array([(R[0].inverse @ one).quaternion for one in R])
        return self.moved({"at": places}, nominal=nominal, still=still)

    def outputs(d, t):
        first, second = 0.0 * d.position[0, 0], 0.0 * d.position[0, 0]
        for k in range(1, len(d.position)):
            m = moved(d.position, d.attitude, d.nominal, d.still, k)
            for i in range(3):
                first += d.translation[k, i] * m[i] + d.rotation[k, i] * m[3 + i]
                second += d.translation[k, 3 + i] * m[i] + d.rotation[k, 3 + i] * m[3 + i]
        d.angles[0] = first
        d.angles[1] = second
        b, e = d.boresight, d.across
        length = np.sqrt(1.0 + first * first + second * second)
        v0 = (b[0] + first * e[0] + second * (b[1] * e[2] - b[2] * e[1])) / length
        v1 = (b[1] + first * e[1] + second * (b[2] * e[0] - b[0] * e[2])) / length
        v2 = (b[2] + first * e[2] + second * (b[0] * e[1] - b[1] * e[0])) / length
        w, x, y, z = d.attitude[0, 0], d.attitude[0, 1], d.attitude[0, 2], d.attitude[0, 3]
        p, q, r = 2.0 * (y * v2 - z * v1), 2.0 * (z * v0 - x * v2), 2.0 * (x * v1 - y * v0)
        d.direction[0] = v0 + w * p + y * r - z * q
        d.direction[1] = v1 + w * q + z * p - x * r
        d.direction[2] = v2 + w * r + x * q - y * p
