"""An inertial measurement unit: gyros and accelerometers at one place, Δθ = ∫ω dt and Δv = ∫f dt.

Errors: `interstage.devices.inertial`.
"""

from __future__ import annotations

from typing import Any

from interstage.calls import named_arguments
from interstage.devices.accelerometer import Accelerometer
from interstage.devices.gyro import Gyro
from interstage.errors import InputError
from interstage.system.assembly import Assembly
from interstage.system.ticks import Period


@named_arguments
def IMU(
    at: object,
    every: Period | None = None,
    *,
    offset: Period = 0,
    delay: Period = 0,
    mount: object = (1.0, 0.0, 0.0, 0.0),
    lever: object = (0.0, 0.0, 0.0),
    accelerometer: dict[str, object] | None = None,
    **gyro: object,
) -> Assembly:
    """Return an assembly of a `Gyro` and an `Accelerometer` at one place.

    at : place;  every, offset, delay : of the samples;  mount : attitude of the sensor's axes on the node
    lever (3,) : from the node to the accelerometers;  accelerometer : {argument: value} of its errors
    gyro : arguments of the errors of the gyros, as angle_random_walk="0.005 deg/sqrt(h)"

    It exposes rate, attitude, delta_angle, angle_register, acceleration, delta_velocity, velocity_register.
    """
    if every is None:
        raise InputError("an IMU is sampled", where="IMU", expected='a period, as in every="5 ms"')
    common: dict[str, Any] = {"at": at, "every": every, "offset": offset, "delay": delay, "mount": mount}
    turns: dict[str, Any] = {**common, **gyro}
    pushes: dict[str, Any] = {**common, "lever": lever, **(accelerometer or {})}
    made = Assembly("imu").add("gyro", Gyro(**turns)).add("accelerometer", Accelerometer(**pushes))
    return made.expose(
        rate="gyro.rate",
        attitude="gyro.attitude",
        delta_angle="gyro.delta_angle",
        angle_register="gyro.register",
        acceleration="accelerometer.acceleration",
        delta_velocity="accelerometer.delta_velocity",
        velocity_register="accelerometer.register",
    )
