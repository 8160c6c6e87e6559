"""The air around the vehicle: density, pressure, temperature, wind and gusts.

    model="US76"       the standard atmosphere to 86 km: `interstage.devices.standard_air`
    model="NRLMSIS"    tabulated over altitude when the device is made: `interstage.devices.upper_air`
    model="air.csv"    a table: altitude, density, pressure, temperature

The air moves with the ground and the wind: velocity = ω × r + wind, wind = n·north + e·east + u·up + gusts, world axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from interstage.devices.standard_air import TOP_ALTITUDE, sound_and_viscosity, standard_air
from interstage.devices.tables import farthest, look_up, read_table, slopes_of
from interstage.errors import InputError
from interstage.output import is_file
from interstage.system.device import Device
from interstage.system.ports import In, Integer, Out, Parameter, Value, numbers
from interstage.units import unit

STILL = {"altitude": [0.0, 1.0], "north": [0.0, 0.0], "east": [0.0, 0.0]}
KNOWN_WIND = ("altitude", "north", "east", "up", "speed", "direction")
FAR = 1e10  # m: nothing flies outside
BARE = {"direction": "deg"}  # units of numbers without one, where they are not those of SI


class Atmosphere(Device):
    """Air by altitude, and its motion; see the module.

    model : "US76", "NRLMSIS" (then `solar`: date, latitude, longitude, f107, f107a, ap), or a CSV file of the air
    wind : CSV file or columns by altitude: north, east (m/s, where the wind blows to), up; or speed and direction
        (where it comes from, from north); bare numbers are metres, m/s and degrees, strings and headers say their units
        Outside of tables the first or last row is held, and the run warns;  beyond, wind_beyond : how far outside, m
    most, above : the densest air of US76 that was met, and that met above 86 km: of 1 % of it the run warns
    gusts : devices that come along, as Dryden(…): named "air_gusts" beside "air", or a list of them
    """

    altitude = In("m", ambient="altitude")
    ground = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="ground velocity")
    north = In("", 3, default=[0.0, 0.0, 1.0], ambient="north")
    east = In("", 3, default=[0.0, 1.0, 0.0], ambient="east")
    up = In("", 3, default=[1.0, 0.0, 0.0], ambient="up")
    turbulence = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="turbulence")
    gust = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="gust")
    tabulated = Integer()
    heights = Parameter("m", size="n", increasing=True)
    columns = Parameter("", size=("n", 3))
    column_slopes = Parameter("", size=("n", 3))
    wind_heights = Parameter("m", size="k", increasing=True)
    winds = Parameter("m/s", size=("k", 3))
    wind_slopes = Parameter("1/s", size=("k", 3))
    density = Out("kg/m^3", ambient="air density")
    pressure = Out("Pa", ambient="air pressure")
    temperature = Out("K", ambient="air temperature")
    sound = Out("m/s", ambient="speed of sound")
    viscosity = Out("Pa*s", ambient="air viscosity")
    wind = Out("m/s", 3)
    velocity = Out("m/s", 3, ambient="air velocity")
    air_ends, wind_ends = Parameter("m", [0.0, 0.0]), Parameter("m", [0.0, 0.0])
    beyond, wind_beyond = Out("m"), Out("m")
    most, above = Out("kg/m^3"), Out("kg/m^3")
    share_of = MappingProxyType({"above": "most"})
    ends = MappingProxyType(
        {
            "above": "US76 ends at 86 km, and thins out too fast above: take NRLMSIS, or a file of the air",
            "beyond": "the air of its first or last row is held there: give rows for these altitudes",
            "wind_beyond": "the wind of its first or last row is held there: give rows, or end the profile with 0",
        }
    )

    def __init__(
        self,
        model: str | Path = "US76",
        *,
        wind: str | Path | Mapping[str, Sequence[float | str]] | None = None,
        gusts: Device | Sequence[Device] | None = None,
        solar: Mapping[str, float | str] | None = None,
        **values: Value,
    ):
        heights, columns = np.array([0.0, 1.0]), np.zeros((2, 3))
        if str(model) == "NRLMSIS":
            from interstage.devices.upper_air import tabulated

            heights, columns = tabulated(solar)
        elif str(model) != "US76":
            heights, columns = _given_air(model)
        h, w = wind_table(STILL if wind is None else wind)
        self._gusts = () if gusts is None else (gusts,) if isinstance(gusts, Device) else tuple(gusts)
        values |= {"tabulated": int(str(model) != "US76"), "heights": heights, "columns": columns}
        values |= {"wind_heights": h, "winds": w, "wind_slopes": slopes_of(h, w)}
        values["column_slopes"] = slopes_of(heights, columns)
        known = str(model) != "US76"
        values["air_ends"] = [heights[0], heights[-1]] if known else [-FAR, FAR]
        # no wind beyond a row without wind is no surprise
        values["wind_ends"] = [h[0] if w[0].any() else -FAR, h[-1] if w[-1].any() else FAR]
        super().__init__(**cast("dict[str, Any]", values))

    @property
    def companions(self) -> Mapping[str, Device]:
        """The gusts, named "gusts", "gusts2" ..."""
        return {f"gusts{k + 1 if k else ''}": device for k, device in enumerate(self._gusts)}

    def outputs(d, t):
        d.beyond = farthest(d.air_ends[0], d.air_ends[1], d.altitude, d.beyond)
        d.wind_beyond = farthest(d.wind_ends[0], d.wind_ends[1], d.altitude, d.wind_beyond)
        if d.tabulated == 1:
            d.density = np.exp(look_up(d.heights, d.columns, d.column_slopes, 0, d.altitude))
            d.pressure = np.exp(look_up(d.heights, d.columns, d.column_slopes, 1, d.altitude))
            d.temperature = look_up(d.heights, d.columns, d.column_slopes, 2, d.altitude)
        else:
            rho, p, T = standard_air(d.altitude)
            d.density = rho
            d.pressure = p
            d.temperature = T
            if rho.real > d.most.real:
                d.most = rho
            if d.altitude.real > TOP_ALTITUDE and rho.real > d.above.real:
                d.above = rho
        a, mu = sound_and_viscosity(d.temperature)
        d.sound = a
        d.viscosity = mu
        n = look_up(d.wind_heights, d.winds, d.wind_slopes, 0, d.altitude)
        e = look_up(d.wind_heights, d.winds, d.wind_slopes, 1, d.altitude)
        u = look_up(d.wind_heights, d.winds, d.wind_slopes, 2, d.altitude)
        for i in range(3):
            d.wind[i] = n * d.north[i] + e * d.east[i] + u * d.up[i] + d.turbulence[i] + d.gust[i]
            d.velocity[i] = d.ground[i] + d.wind[i]


def _given_air(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Return heights (n,) and ln ρ, ln p, T (n, 3) of a file."""
    if not isinstance(path, str | Path) or not (Path(path).suffix or is_file(path)):
        raise InputError(
            "unknown model of the air",
            where="Atmosphere",
            expected="US76, NRLMSIS or a CSV file, as air.csv",
            got=repr(path),
        )
    names = ("altitude", "density", "pressure", "temperature")
    kinds = dict(zip(names, ("m", "kg/m^3", "Pa", "K")))
    found = read_table(path, "altitude", names, kinds=kinds)
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(f"the table '{Path(path).name}' has no column '{missing[0]}'", got=", ".join(found))
    if min(found[name].min() for name in names[1:]) <= 0.0:
        raise InputError(f"the air of '{Path(path).name}' is not positive everywhere")
    columns = [np.log(found["density"]), np.log(found["pressure"]), found["temperature"]]
    return found["altitude"], np.column_stack(columns)


def wind_table(wind: str | Path | Mapping[str, Sequence[float | str]]) -> tuple[np.ndarray, np.ndarray]:
    """Return heights (k,) and wind to north, east, up (k, 3) of a file or of columns by name.

    >>> wind_table({"altitude": [0, "1 km"], "speed": [0, 10], "direction": [0, 90]})[1].round(6) + 0.0
    array([[  0.,   0.,   0.],
           [  0., -10.,   0.]])
    """
    if isinstance(wind, Mapping):
        found = {name: _wind_column(name, column) for name, column in wind.items()}
        strange = [name for name in found if name not in KNOWN_WIND]
        if strange or len({column.shape for column in found.values()}) != 1 or "altitude" not in found:
            raise InputError(
                "not a wind profile",
                expected="altitude, north, east (or speed, direction), equally long",
                got=", ".join(found),
            )
    elif isinstance(wind, str | Path):
        kinds = {name: {"altitude": "m", "direction": "rad"}.get(name, "m/s") for name in KNOWN_WIND}
        found = read_table(wind, "altitude", KNOWN_WIND, BARE, kinds)
    else:
        raise InputError("not a wind profile", expected="a CSV file or columns by name", got=repr(wind)[:60])
    h = found["altitude"]
    if "speed" in found and "direction" in found:
        found["north"] = -found["speed"] * np.cos(found["direction"])
        found["east"] = -found["speed"] * np.sin(found["direction"])
    elif "north" not in found or "east" not in found:
        raise InputError(
            "not a wind profile", expected="north and east, or speed and direction", got=", ".join(found)
        )
    return h, np.column_stack([found["north"], found["east"], found.get("up", np.zeros_like(h))])


def _wind_column(name: str, column: Sequence[float | str]) -> np.ndarray:
    """Return a column (k,) of a wind profile in SI: strings are quantities, bare directions are degrees."""
    where, wanted = f"wind, {name}", {"altitude": "m", "direction": "rad"}.get(name, "m/s")
    if isinstance(column, str) or np.ndim(column) != 1:
        raise InputError(
            "not a column of a wind profile", where=where, expected="a list", got=repr(column)[:60]
        )
    bare = unit(BARE.get(name, "")).factor
    return np.array(
        [float(numbers(x, wanted, where)) * (1.0 if isinstance(x, str) else bare) for x in column]
    )
