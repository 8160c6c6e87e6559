"""Sensors of attitude, position and structure, from star trackers to strain gauges and lines of sight.

A star tracker: the attitude of its node with an error.

    q = q_true ⊗ q_mount ⊗ exp(e),    e = bias + noise n        (rotation vector in the axes of the sensor)

Above `max_rate` stars smear: it says its last attitude again and `valid` is 0.

A sun sensor: two angles to the sun, where it is in view.

    s = Cᵀ Rᵀ s_world,    angles = (atan2(s_x, s_z), atan2(s_y, s_z)) + noise n,    z is the boresight

It sees the sun where s is within `field_of_view` (half angle) of the boresight and more than half of its disk is lit,
`light` times what the Earth leaves free (`solar_pressure`); elsewhere
it says its last angles again and `valid` is 0. Beyond 90° both angles are beyond 90°. Two angles near 90° say nothing
of the direction across: where noise puts them on different sides of it, or both within 1e-6 rad, `valid` is 0 too.

A magnetometer of three axes: the field of `MagneticField`, or one that is wired, in its own axes, with errors.

B = (1 + S)(1 + ε×) Cᵀ Rᵀ B_world + bias + noise n,   rounded to `step`

A receiver of satellite navigation: position and velocity of its antenna, with white and slow errors.

p = p_true + c + noise n,   c ← e^(-T/τ) c + σ √(1 - e^(-2T/τ)) n,   v = v_true + velocity_noise n

An encoder on a joint: counts of its angle.

count = ⌊(q + zero + noise n) counts / 2π⌉,   angle = 2π count / counts,   rate = (angle - angle⁻) / T

Gauges inside a flexible body: the strain of a fibre, or the load of a section, from recovered results.

    ε = (1 + S) σ/E + bias + noise n,      y = (1 + S) x + bias + noise n,      rounded to `step`

σ, x are results of elements that the component of the body was made with (`recover`), by mode acceleration: what the
modes show, and what loads on the body and its inertia do beside (docs/theory/recovery.md). The stress along the gauge
is uniaxial, as in bars. Temperature is not part of it.

The line of sight of an optical train: small motions of its elements, each times what the optics make of it.

With the first element as reference, element k is displaced by δ_k and turned by θ_k beside where it stands on the
undeformed vehicle, in the axes of the reference, and

    angles = Σ_k A_k δ_k + B_k θ_k,    direction = R_ref · unit(x_b + angles₁ e₁ + angles₂ e₂)

A_k (2, 3) and B_k (2, 3) are sensitivities of the optical prescription; x_b is the boresight, e₁ and e₂ the directions
across it. A flat mirror with normal n turns the ray that leaves it by 2 (θ·e) e, without the share of θ along n.

Source: linear optical models, as in Redding and Breckenridge, Linearized ray-trace analysis, AIAA 1991.
"""

from __future__ import annotations

import numpy as np

from interstage._renamed import former_names
from interstage.devices.fields import dot3
from interstage.devices.inertial_sensors import mounted
from interstage.devices.mounted import Mounted
from interstage.devices.parts import rounded, turned_back, whole, with_directions
from interstage.devices.surface_forces import lit_part
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.multibody import System
from interstage.simulation.plant.declarations import (
    ANY,
    DiscreteState,
    In,
    IntegerState,
    InternalLoad,
    JointRef,
    Limit,
    Out,
    Parameter,
    Site,
    Sites,
    Value,
    numbers,
    state_of,
)
from interstage.simulation.plant.device import Device, RecordView
from interstage.simulation.plant.noise import normal
from interstage.spatial import Rotation
from interstage.spatial.quaternion import quaternion_multiply, quaternion_step
from interstage.spatial.rotvec import arctan2


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

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
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


FAR = 1e9  # m: a vector that is longer is a position of the sun
NEAR = 1e-6  # rad: of 90°, where two angles no longer say the direction


class SunSensor(Mounted):
    """Angles of the sun beside the boresight of a sensor, sampled.

    at : place;  mount : attitude of the sensor's axes on the node;  field_of_view : half angle
    noise : standard deviation of each angle;  step : of their rounding, 0: none
    sun (3,) : direction of the sun, or its position from the Earth's centre (`Ephemeris`), world axes
    light : share of the sun's disk that is seen. Where `sun` is a position and `from_center` is known (`Earth`), the
        shadow of the Earth counts beside it, and the sun is seen from where the vehicle is
    angles (2,), direction (3,) : unit vector in the sensor's axes, as measured;  valid : 1 or 0
    """

    field_of_view = Parameter("rad", "60 deg", above=0.0, most=np.pi)
    noise = Parameter("rad", 0.0, least=0.0)
    step = Parameter("rad", 0.0, least=0.0)
    true_attitude = Mounted.at.attitude()
    sun = In("m", 3, ambient="sun")
    light = In("", default=1.0)
    from_center = In("m", 3, default=[0.0, 0.0, 0.0], ambient="position from the Earth")
    radius = Parameter("m", 6378137.0, above=0.0)
    angles = Out("rad", 2)
    direction = Out("", 3, initial=[0.0, 0.0, 1.0])
    valid = Out("")
    node = Out("", 3)
    seen = Out("", 3)

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return whether it sees anything."""
        return [state_of("sensor", "is not valid: it says its last values again")] if d.valid == 0.0 else []

    def sample(d, t):
        light, r, sun = d.light.real, d.from_center, (d.sun[0], d.sun[1], d.sun[2])
        if dot3(sun, sun).real > FAR * FAR and dot3(r, r).real > 0.0:
            light *= lit_part(r, d.sun, d.radius).real
            sun = (sun[0] - r[0], sun[1] - r[1], sun[2] - r[2])
        turned_back(d.true_attitude, sun, d.node)
        turned_back(d.mount, d.node, d.seen)
        s = d.seen
        length = np.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
        d.valid = 0.0
        if s[2].real > length.real * np.cos(d.field_of_view.real) and light > 0.5:
            first, second = arctan2(s[0], s[2]), arctan2(s[1], s[2])
            if d.ideal == 0:
                first = rounded(first + d.noise * normal(d.seed, d.stream, d.tick, 0), d.step)
                second = rounded(second + d.noise * normal(d.seed, d.stream, d.tick, 1), d.step)
            # along (tan first, tan second, 1), times both cosines: finite at 90 deg, turned round behind it
            cx, cy = np.cos(first), np.cos(second)
            side = 1.0 if cx.real > 0.0 else -1.0
            x, y, z = side * np.sin(first) * cy, side * cx * np.sin(second), side * cx * cy
            n = np.sqrt(x * x + y * y + z * z)
            if (cx * cy).real > 0.0 and n.real > NEAR:
                d.valid = 1.0
                d.angles[0] = first
                d.angles[1] = second
                d.direction[0] = x / n
                d.direction[1] = y / n
                d.direction[2] = z / n


class Magnetometer(Mounted):
    """The magnetic field at a place, sampled.

    at : place;  mount : attitude of the sensor's axes on the node;  scale_factor (3,), misalignment (3,) : S and ε
    bias (3,), noise, step : of the field;  field : in the world
    """

    scale_factor = Parameter("", [0.0, 0.0, 0.0])
    misalignment = Parameter("rad", [0.0, 0.0, 0.0])
    bias = Parameter("T", [0.0, 0.0, 0.0])
    noise = Parameter("T", 0.0, least=0.0)
    step = Parameter("T", 0.0, least=0.0)
    true_attitude = Mounted.at.attitude()
    field = In("T", 3, ambient="magnetic field")
    measured = Out("T", 3)
    node = Out("T", 3)

    def sample(d, t):
        turned_back(d.true_attitude, d.field, d.node)
        mounted(d.mount, d.scale_factor, d.misalignment, d.node, d.measured)
        for i in range(3):
            d.measured[i] += d.bias[i]
            if d.ideal == 0:
                d.measured[i] += d.noise * normal(d.seed, d.stream, d.tick, i)
                d.measured[i] = rounded(d.measured[i], d.step)


class GPS(Device):
    """Position and velocity of a place in the world, sampled.

    at : place of the antenna;  noise, velocity_noise : standard deviations of each axis and sample
    drift : standard deviation of the slow error of position;  drift_time : its correlation time
    """

    at = Site()
    noise = Parameter("m", 0.0, least=0.0)
    velocity_noise = Parameter("m/s", 0.0, least=0.0)
    drift = Parameter("m", 0.0, least=0.0)
    drift_time = Parameter("s", 100.0, above=0.0)
    true_position = at.position()
    true_velocity = at.velocity("world")
    position = Out("m", 3)
    velocity = Out("m/s", 3)
    slow = DiscreteState("m", 3)
    nth = IntegerState()

    def sample(d, t):
        keep = np.exp(-d.period / d.drift_time)
        fresh = np.sqrt(1.0 - keep * keep)
        if d.nth == 0:
            keep, fresh = 0.0 * keep, 0.0 * keep + 1.0
        for i in range(3):
            d.position[i] = d.true_position[i]
            d.velocity[i] = d.true_velocity[i]
            if d.ideal == 0:
                d.slow[i] = keep * d.slow[i] + d.drift * fresh * normal(d.seed, d.stream, d.tick, i)
                d.position[i] += d.slow[i] + d.noise * normal(d.seed, d.stream, d.tick, 3 + i)
                d.velocity[i] += d.velocity_noise * normal(d.seed, d.stream, d.tick, 6 + i)
        if d.ideal == 0:
            d.nth += 1


_TURN = 2.0 * np.pi


class Encoder(Device):
    """Angle and rate of a joint with one axis, sampled, as counts of a disk.

    counts : of a full turn; 0 is a disk without steps;  zero : angle of the disk where the joint's is zero
    noise : standard deviation of each reading;  rate : difference of two readings over the period, 0 at the first
    """

    joint = JointRef()
    counts = Parameter("", 0.0, least=0.0)
    zero = Parameter("rad", 0.0)
    noise = Parameter("rad", 0.0, least=0.0)
    now = joint.coordinate()
    angle = Out("rad")
    rate = Out("rad/s")
    count = IntegerState()
    nth = IntegerState()
    before = DiscreteState("rad")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field; counts are whole."""
        return {n: whole(v, "Encoder.counts") if n == "counts" else v for n, v in values.items()}

    def sample(d, t):
        angle = d.now + d.zero
        if d.ideal == 0:
            angle += d.noise * normal(d.seed, d.stream, d.tick, 0)
            if d.counts.real > 0.0:
                d.count = int(np.rint((angle * d.counts / _TURN).real))
                angle = d.count * _TURN / d.counts
        d.angle = angle
        if d.nth > 0 or d.ideal == 1:
            d.rate = (angle - d.before) / d.period
        d.before = angle
        d.nth += 1


@kernel
def gauged(x, scale_factor, bias, noise, step):
    """Return a value with errors, rounded where a step is given; `noise` is drawn."""
    y = (1.0 + scale_factor) * x + bias + noise
    if step.real > 0.0:
        return step * np.rint((y / step).real)
    return y


class LoadCell(Device):
    """A force, moment or stress inside a flexible body, sampled, in SI.

    at : (body, result), as in ("boom", "root moment");  scale_factor : S;  bias, noise, step : of the load
    """

    at = InternalLoad()
    scale_factor, bias = Parameter("", 0.0), Parameter(ANY, 0.0)
    noise, step = Parameter(ANY, 0.0, least=0.0), Parameter(ANY, 0.0, least=0.0)
    load = at.result()
    reading = Out(ANY)

    def sample(d, t):
        if d.ideal == 1:
            d.reading = gauged(d.load, d.scale_factor, d.bias, 0.0, 0.0)
        else:
            drawn = d.noise * normal(d.seed, d.stream, d.tick, 0)
            d.reading = gauged(d.load, d.scale_factor, d.bias, drawn, d.step)


class StrainGauge(Device):
    """The strain along a fibre of an element, sampled.

    at : (body, result), a stress, as in ("boom", "root fibre");  modulus : E
    scale_factor : S, error of the gauge factor;  bias, noise, step : of the strain
    """

    at = InternalLoad("Pa")
    modulus = Parameter("Pa", above=0.0)
    scale_factor, bias = Parameter("", 0.0), Parameter("", 0.0)
    noise, step = Parameter("", 0.0, least=0.0), Parameter("", 0.0, least=0.0)
    stress = at.result()
    strain = Out("")

    def sample(d, t):
        true = d.stress / d.modulus
        if d.ideal == 1:
            d.strain = gauged(true, d.scale_factor, d.bias, 0.0, 0.0)
        else:
            drawn = d.noise * normal(d.seed, d.stream, d.tick, 0)
            d.strain = gauged(true, d.scale_factor, d.bias, drawn, d.step)


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

    at = Sites("n")
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


__getattr__ = former_names(__name__)
