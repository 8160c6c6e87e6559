"""Aerodynamics of a slender body: coefficients by Mach number and angle of attack, forces at many places.

At every place k, with the velocity w of the place against the air in its own axes (x along the body), V = |w|:

    q = ½ρV²,   M = V/a,   sin α = √(w_y² + w_z²)/V
    F_k = -q S [ CA_k(M, α) x̂ + CN_k(M, α) (w_y ŷ + w_z ẑ)/√(w_y² + w_z²) ]

so that bending changes the angle that a place sees, its motion damps, and moments and bending loads follow from where
the forces act. Coefficients of all places add up to those of the whole body. Tables are smooth in both directions
(cubic, monotone where the points are); outside of them the edge holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage.devices.fields import turned_back
from interstage.devices.tables import farthest, hermite, place_in, slopes_of
from interstage.errors import InputError
from interstage.hdf5 import opened
from interstage.jit import kernel
from interstage.simulation.plant.declarations import In, Out, Parameter, Sites, Value
from interstage.simulation.plant.device import Device
from interstage.spatial.rotvec import arctan2

AHEAD = 1e-9  # angles of attack below this are none


@kernel
def outside(x, at):
    """Return how far a value is outside of a table, 0 within."""
    return farthest(x[0], x[len(x) - 1], at, 0.0 * x[0])


@kernel
def look_up_both(x, y, table, column, at):
    """Return a coefficient at (Mach, angle): bicubic between the four corners of a cell.

    table (4 nx ny, n) : values, slopes by x, by y, and by both, one block after the other, x slower than y
    at : place_in(x, …) and place_in(y, …)
    """
    (i, hx, u), (j, hy, v) = at
    size, ny = len(x) * len(y), len(y)
    k = i * ny + j
    a = hermite(
        v,
        hy,
        table[k, column],
        table[k + 1, column],
        table[2 * size + k, column],
        table[2 * size + k + 1, column],
    )
    b = hermite(
        v, hy, table[k + ny, column], table[k + ny + 1, column],
        table[2 * size + k + ny, column], table[2 * size + k + ny + 1, column],
    )  # fmt: skip
    c = hermite(
        v, hy, table[size + k, column], table[size + k + 1, column],
        table[3 * size + k, column], table[3 * size + k + 1, column],
    )  # fmt: skip
    d = hermite(
        v, hy, table[size + k + ny, column], table[size + k + ny + 1, column],
        table[3 * size + k + ny, column], table[3 * size + k + ny + 1, column],
    )  # fmt: skip
    return hermite(u, hx, a, b, c, d)


def table_of(mach: np.ndarray, angle: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return a table (4 m a, n) for `look_up_both` of values (m, a, n)."""
    by_mach = slopes_of(mach, values.reshape(len(mach), -1)).reshape(values.shape)

    def by_angle(f: np.ndarray) -> np.ndarray:
        return np.stack([slopes_of(angle, row) for row in f])

    blocks = [values, by_mach, by_angle(values), by_angle(by_mach)]
    return np.concatenate([block.reshape(-1, values.shape[2]) for block in blocks])


class Aero(Device):
    """Forces of the air on a body; see the module.

    source : HDF5 file or dictionary: mach (m,), angle (a,) rad from 0, axial and normal (m, a, n) or (m, a), area m²;
        (m, a): of the whole body, in equal shares (or `shares` (n,))
    body, nodes : where forces act, n nodes (or points) of one body; or at : a list of places
    air_speed, mach, dynamic_pressure, angle : at the first place
    beyond, most : largest dynamic pressure of the run outside of the table, and at all; where the first is above 1 % of
        the second, the run warns
    """

    at = Sites("n")
    velocity, attitude = at.velocity("node"), at.attitude()
    force = at.force("node")
    density = In("kg/m^3", ambient="air density")
    sound = In("m/s", ambient="speed of sound")
    air = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="air velocity")
    area = Parameter("m^2", above=0.0)
    machs = Parameter("", size="m", increasing=True)
    angles = Parameter("rad", size="a", increasing=True)
    axial = Parameter("", size=("t", "n"))
    normal = Parameter("", size=("t", "n"))
    air_speed = Out("m/s", ambient="air speed")
    mach, dynamic_pressure, angle = Out(""), Out("Pa"), Out("rad")
    beyond, most = Out("Pa"), Out("Pa")
    ends = MappingProxyType(
        {
            "beyond": "coefficients at the edge of the table are held there: give Mach numbers and angles as far"
        }
    )
    share_of = MappingProxyType({"beyond": "most"})

    def __init__(
        self,
        source: str | Path | Mapping[str, ArrayLike],
        *,
        body: str | None = None,
        nodes: Sequence[object] | None = None,
        at: Sequence[object] | None = None,
        shares: ArrayLike | None = None,
        **values: Value,
    ):
        if at is None:
            if body is None or nodes is None:
                raise InputError("Aero needs body= and nodes=, or at=", where="Aero")
            at = [(body, node) for node in nodes]
        table = _coefficients(source, len(at), shares)
        super().__init__(at=list(at), **cast("dict[str, Any]", values | table))

    def outputs(d, t):
        for k in range(len(d.force)):
            wind = turned_back(d.attitude[k], d.air)
            x, y, z = d.velocity[k, 0] - wind[0], d.velocity[k, 1] - wind[1], d.velocity[k, 2] - wind[2]
            side = np.sqrt(y * y + z * z)
            speed = np.sqrt(x * x + y * y + z * z)
            alpha = arctan2(side, x)
            q = 0.5 * d.density * speed * speed
            if speed.real == 0.0:
                q = 0.0 * q
            place = (place_in(d.machs, speed / d.sound), place_in(d.angles, alpha))
            if q.real > d.most.real:
                d.most = q
            if (
                q.real > d.beyond.real
                and (outside(d.machs, speed / d.sound) + outside(d.angles, alpha)).real > 0.0
            ):
                d.beyond = q
            axial = q * d.area * look_up_both(d.machs, d.angles, d.axial, k, place)
            normal = look_up_both(d.machs, d.angles, d.normal, k, place)
            # CN/side, by its slope where the flow is along the body
            if speed.real == 0.0:
                part = 0.0 * q
            elif side.real < AHEAD * speed.real:
                i, j = place[0][0], place[1][0]
                size, ny, u, h = len(d.machs) * len(d.angles), len(d.angles), place[0][2], place[0][1]
                at = i * ny + j
                slope = hermite(
                    u, h, d.normal[2 * size + at, k], d.normal[2 * size + at + ny, k],
                    d.normal[3 * size + at, k], d.normal[3 * size + at + ny, k],
                )  # fmt: skip
                part = q * d.area * slope / speed
            else:
                part = q * d.area * normal / side
            d.force[k, 0] = -axial
            d.force[k, 1] = -part * y
            d.force[k, 2] = -part * z
            if k == 0:
                d.air_speed = speed
                d.mach = speed / d.sound
                d.dynamic_pressure = q
                d.angle = alpha


def _read(path: str | Path) -> dict[str, ArrayLike]:
    """Return all datasets of a file by name."""
    with opened(path, "file of aerodynamic coefficients") as f:
        names = [name for name in f.names() if f.is_dataset(name)]
        sizes = {name: [None] * len(f.dataset(name).shape) for name in names}
        return {name: f.array(name, sizes[name]) for name in names}


def _coefficients(
    source: str | Path | Mapping[str, ArrayLike], n: int, shares: ArrayLike | None
) -> dict[str, Value]:
    """Return parameters of the tables for n places."""
    given = dict(source) if isinstance(source, Mapping) else _read(source)
    needed = ("mach", "angle", "axial", "normal", "area")
    missing = [name for name in needed if name not in given]
    if missing:
        raise InputError(f"the aerodynamic coefficients have no '{missing[0]}'", expected=", ".join(needed))
    mach, angle = (np.asarray(given[name], dtype=float) for name in ("mach", "angle"))
    if mach.ndim != 1 or angle.ndim != 1 or min(len(mach), len(angle)) < 2 or angle[0] != 0.0:
        raise InputError(
            "not axes of aerodynamic coefficients",
            expected="two Mach numbers and two angles or more, angles from 0",
        )
    share = np.full(n, 1.0 / n) if shares is None else np.asarray(shares, dtype=float)
    if share.shape != (n,):
        raise InputError("shares do not fit the places", expected=f"{n} numbers", got=repr(shares))
    found: dict[str, Value] = {
        "machs": mach,
        "angles": angle,
        "area": np.asarray(given["area"], dtype=float).item(),
    }
    for name in ("axial", "normal"):
        values = np.asarray(given[name], dtype=float)
        if values.shape == (len(mach), len(angle)):
            values = values[:, :, None] * share
        if values.shape != (len(mach), len(angle), n) or not np.isfinite(values).all():
            raise InputError(
                f"the table '{name}' does not fit",
                expected=f"{len(mach)} x {len(angle)} (x {n}) finite numbers",
                got=" x ".join(map(str, values.shape)),
            )
        if name == "normal" and np.any(values[:, 0] != 0.0):
            raise InputError("the normal force is not zero at zero angle", where="Aero")
        if not (np.diff(mach) > 0).all() or not (np.diff(angle) > 0).all():
            raise InputError("Mach numbers and angles must be increasing", where="Aero")
        found[name] = table_of(mach, angle, values)
    return found
