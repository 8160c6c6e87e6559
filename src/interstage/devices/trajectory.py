"""A trajectory from a table, as those of POST: what guidance wants at each time.

Between rows all columns follow cubics with continuous slopes (`interstage.devices.tables`): positions and attitudes a
spline, what may jump (velocity of the file, throttle, other columns) one that does not overshoot. The attitude is the
spline of the quaternions, made a unit again, and ω = 2 vec(q* q̇)/|q|² its exact rate in body axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from interstage._renamed import former_names
from interstage.devices.tables import (
    farthest,
    look_up,
    look_up_slope,
    named_columns,
    read_table,
    slopes_of,
    smooth_slopes_of,
)
from interstage.errors import InputError
from interstage.simulation.plant.declarations import ANY, IntegerState, Out, Parameter, Value
from interstage.simulation.plant.device import Device
from interstage.spatial.functions import matrix_from_euler, quaternion_from_matrix
from interstage.spatial.quaternion import quaternion_normalize, quaternion_velocity

POSITION, VELOCITY = ("x", "y", "z"), ("vx", "vy", "vz")
QUATERNION, EULER = ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")
KINDS = {"time": "s", "throttle": ""}
KINDS |= dict.fromkeys(POSITION, "m") | dict.fromkeys(VELOCITY, "m/s")
KINDS |= dict.fromkeys(QUATERNION, "") | dict.fromkeys(EULER, "rad")


class ReferenceTrajectory(Device):
    """Columns of a CSV file (or of a dictionary) over time, by name.

    time; x, y, z (position); vx, vy, vz (velocity: that of the position where it is not given); qw, qx, qy, qz or yaw,
    pitch, roll (attitude, turned about z, y, x in that order); throttle. Names may have units: "pitch (deg)". All
    other columns are in `other`, in their order; `names` says which.

    Before its first and after its last row it holds that row, at rest (a velocity without a position is held), and the
    run warns;  beyond : how long it was asked outside of its rows, s
    """

    times = Parameter("s", size="n", increasing=True)
    table = Parameter("", size=("n", "m"))
    slopes = Parameter("", size=("n", "m"))
    position = Out("m", 3)
    velocity = Out("m/s", 3)
    attitude = Out("", 4)
    rate = Out("rad/s", 3)
    throttle = Out("")
    other = Out(ANY, "k")
    beyond = Out("s")
    moves = IntegerState()
    ends = MappingProxyType(
        {"beyond": "it holds its first or last row, at rest: give it rows over the whole run"}
    )

    def __init__(self, source: str | Path | Mapping[str, Sequence[float]], **values: Value):
        columns = _columns(source)
        t = columns.pop("time")
        still = any(name in columns for name in VELOCITY) and not any(name in columns for name in POSITION)
        xyz = np.column_stack([columns.pop(name, np.zeros_like(t)) for name in POSITION])
        slopes = smooth_slopes_of(t, xyz)
        given = [name in columns for name in VELOCITY]
        if any(given) and not all(given):
            raise InputError("a trajectory needs all of vx, vy, vz, or none", where="ReferenceTrajectory")
        moves = np.column_stack([columns.pop(name) for name in VELOCITY]) if all(given) else slopes
        turns = _attitudes(columns, len(t))
        throttle = columns.pop("throttle", np.ones_like(t))
        self.names = tuple(columns)
        rest = list(columns.values()) or [np.zeros_like(t)]
        plain = np.column_stack([throttle, *rest])
        # where the file has velocities they are the slopes of the positions
        first = [moves if all(given) else slopes, smooth_slopes_of(t, turns)]
        first.append(slopes_of(t, moves) if all(given) else smooth_slopes_of(t, moves))
        values |= {"times": t, "table": np.hstack([xyz, turns, moves, plain]), "k": len(rest)}
        values["moves"] = int(not still)
        values["slopes"] = np.hstack([*first, slopes_of(t, plain)])
        super().__init__(**cast("dict[str, Any]", values))

    def outputs(d, t):
        now = t + 0.0 * d.times[0]
        first, last = d.times[0], d.times[len(d.times) - 1]
        d.beyond = farthest(first, last, now, d.beyond)
        for i in range(3):
            d.position[i] = look_up(d.times, d.table, d.slopes, i, now)
            d.velocity[i] = look_up(d.times, d.table, d.slopes, 7 + i, now)
            if d.moves == 1 and (now.real < first.real or now.real > last.real):
                d.velocity[i] = 0.0 * d.velocity[i]
        d.throttle = look_up(d.times, d.table, d.slopes, 10, now)
        for i in range(len(d.other)):
            d.other[i] = look_up(d.times, d.table, d.slopes, 11 + i, now)
        for i in range(4):
            d.attitude[i] = look_up(d.times, d.table, d.slopes, 3 + i, now)
        slope = (
            look_up_slope(d.times, d.table, d.slopes, 3, now),
            look_up_slope(d.times, d.table, d.slopes, 4, now),
            look_up_slope(d.times, d.table, d.slopes, 5, now),
            look_up_slope(d.times, d.table, d.slopes, 6, now),
        )
        quaternion_velocity(d.attitude, slope, d.rate)
        quaternion_normalize(d.attitude, d.attitude)


def _columns(source: str | Path | Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    """Return columns by name, time among them, from a file or as given."""
    if not isinstance(source, Mapping):
        return read_table(source, "time", kinds=KINDS)
    try:
        given = {str(name): np.asarray(column, dtype=float) for name, column in source.items()}
    except (TypeError, ValueError, RuntimeWarning):
        given = {}
    found = named_columns(given, "the trajectory", kinds=KINDS)
    if "time" not in found or len({column.shape for column in found.values()}) != 1 or len(found["time"]) < 2:
        raise InputError(
            "not a trajectory",
            where="ReferenceTrajectory",
            expected="columns of numbers, equally long, 'time' among them",
            got=", ".join(map(str, source)),
        )
    if found["time"].ndim != 1 or not all(np.isfinite(column).all() for column in found.values()):
        raise InputError("a trajectory needs columns of finite numbers", where="ReferenceTrajectory")
    return found


def _attitudes(columns: dict[str, np.ndarray], n: int) -> np.ndarray:
    """Return unit quaternions (n, 4) of the columns that say them, each near the one before; none: no turn."""
    parts, angled = [n for n in QUATERNION if n in columns], [n for n in EULER if n in columns]
    if parts and (len(parts) < 4 or angled):
        raise InputError(
            "a trajectory needs one attitude: all of qw, qx, qy, qz, or yaw, pitch, roll",
            where="ReferenceTrajectory",
            got=", ".join(parts + angled),
        )
    if all(name in columns for name in QUATERNION):
        q = np.column_stack([columns.pop(name) for name in QUATERNION])
        size = np.linalg.norm(q, axis=1)
        if not (np.abs(size - 1.0) < 1e-3).all():
            raise InputError(
                "an attitude of the trajectory has not length 1",
                got=f"{size[np.argmax(np.abs(size - 1))]:.6g}",
            )
        q = q / size[:, None]
    elif any(name in columns for name in EULER):
        angles = np.column_stack([columns.pop(name, np.zeros(n)) for name in EULER])
        q = np.array([quaternion_from_matrix(matrix_from_euler("zyx", row)) for row in angles])
    else:
        return np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    for k in range(1, n):
        if q[k] @ q[k - 1] < 0.0:
            q[k] = -q[k]
    return q


__getattr__ = former_names(__name__)
