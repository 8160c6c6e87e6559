"""Atmosphere: US Standard Atmosphere 1976, NRLMSIS tables, files.

The U.S. Standard Atmosphere 1976 to 86 km, for real and complex numbers.

In layers of geopotential height H = r0 h/(r0 + h) the temperature is T_b + L_b (H - H_b), and the pressure

    p = p_b (T_b/T)^(g0 M/(R L_b)),    p = p_b exp(-g0 M (H - H_b)/(R T_b)) where L_b = 0,    ρ = p M/(R T)

(NOAA-S/T 76-1562, eqs. 18, 23, 33a, 33b, 42; R = 8314.32 J/(kmol K), M = 28.9644 kg/kmol, r0 = 6356.766 km). Above
86 km the last layer goes on with its temperature, so that a flight out of the air is smooth; use NRLMSIS there.

The upper atmosphere of NRLMSIS (pymsis), tabulated over altitude: nothing is fetched, all indices are given.

ρ(h), T(h), n(h) of NRLMSIS 2.1 at one place and date, 0 to 3,000 km;  p = n k T, n all particles of a volume

The air around the vehicle: density, pressure, temperature, wind and gusts.

    model="US76"       the standard atmosphere to 86 km: `interstage.devices.atmosphere`
    model="NRLMSIS"    tabulated over altitude when the device is made: `interstage.devices.atmosphere`
    model="air.csv"    a table: altitude, density, pressure, temperature

The air moves with the ground and the wind: velocity = ω × r + wind, wind = n·north + e·east + u·up + gusts, world axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from interstage.devices.tables import farthest, look_up, read_table, slopes_of
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.output import is_file
from interstage.simulation.plant.declarations import In, IntegerState, Out, Parameter, Value, numbers
from interstage.simulation.plant.device import Device
from interstage.units import unit

G0, GAS, MOLAR, R0, HEAT_RATIO = 9.80665, 8314.32, 28.9644, 6356766.0, 1.4
TOP = 84852.0  # geopotential height of 86 km
TOP_ALTITUDE = 86e3  # m
BASES = np.array([0.0, 11e3, 20e3, 32e3, 47e3, 51e3, 71e3, TOP])
LAPSES = np.array([-6.5e-3, 0.0, 1.0e-3, 2.8e-3, 0.0, -2.8e-3, -2.0e-3, 0.0])
SUTHERLAND_B, SUTHERLAND_S = 1.458e-6, 110.4  # kg/(m s √K), K


def _bases() -> tuple[np.ndarray, np.ndarray]:
    """Return temperature (K) and pressure (Pa) at the bases of the layers."""
    T, p = [288.15], [101325.0]
    for k in range(len(BASES) - 1):
        rise, lapse = BASES[k + 1] - BASES[k], LAPSES[k]
        T.append(T[k] + lapse * rise)
        if lapse == 0.0:
            p.append(p[k] * np.exp(-G0 * MOLAR * rise / (GAS * T[k])))
        else:
            p.append(p[k] * (T[k] / T[-1]) ** (G0 * MOLAR / (GAS * lapse)))
    return np.array(T), np.array(p)


TEMPERATURES, PRESSURES = _bases()


@kernel
def standard_air(altitude):
    """Return density (kg/m³), pressure (Pa) and temperature (K) at a geometric altitude (m)."""
    H = R0 * altitude / (R0 + altitude)
    k = 0
    for j in range(1, len(BASES)):
        if H.real >= BASES[j]:
            k = j
    T = TEMPERATURES[k] + LAPSES[k] * (H - BASES[k])
    if LAPSES[k] == 0.0:
        p = PRESSURES[k] * np.exp(-G0 * MOLAR * (H - BASES[k]) / (GAS * TEMPERATURES[k]))
    else:
        p = PRESSURES[k] * np.exp(G0 * MOLAR / (GAS * LAPSES[k]) * np.log(TEMPERATURES[k] / T))
    return p * MOLAR / (GAS * T), p, T


@kernel
def sound_and_viscosity(T):
    """Return the speed of sound (m/s) and the dynamic viscosity (Pa s, Sutherland's law) of air."""
    root = np.sqrt(T)
    return np.sqrt(HEAT_RATIO * GAS / MOLAR) * root, SUTHERLAND_B * T * root / (T + SUTHERLAND_S)


NEEDED = ("date", "latitude", "longitude", "f107", "f107a", "ap")
BOLTZMANN = 1.380649e-23
STEP, HIGH, HIGH_STEP, HIGHEST = (
    2e3,
    1000e3,
    10e3,
    3000e3,
)  # m: rows every STEP to HIGH, every HIGH_STEP to HIGHEST


def tabulated(solar: Mapping[str, float | str] | None) -> tuple[np.ndarray, np.ndarray]:
    """Return heights (n,) and ln ρ, ln p, T (n, 3) for a date (UTC), a place (degrees) and indices of the sun."""
    given = dict(solar or {})
    missing = [name for name in NEEDED if name not in given]
    if missing or len(given) != len(NEEDED):
        raise InputError(
            'Atmosphere("NRLMSIS") needs solar={…}',
            expected=", ".join(NEEDED),
            got=", ".join(map(str, given)) or "nothing",
        )
    try:
        import pymsis
    except ImportError:
        raise InputError("pymsis is not installed", hint="pip install 'interstage[air]'") from None
    heights = np.append(np.arange(0.0, HIGH, STEP), np.arange(HIGH, HIGHEST + HIGH_STEP, HIGH_STEP))
    numbers = {name: float(given[name]) for name in NEEDED[1:]}
    found = pymsis.calculate(
        np.datetime64(str(given["date"])),
        numbers["longitude"],
        numbers["latitude"],
        heights / 1e3,
        numbers["f107"],
        numbers["f107a"],
        [[numbers["ap"]] * 7],
        version=2.1,
    ).reshape(len(heights), -1)
    density, temperature = found[:, 0], found[:, 10]
    particles = np.nansum(found[:, 1:10], axis=1)  # m⁻³
    pressure = particles * BOLTZMANN * temperature
    return heights, np.column_stack([np.log(density), np.log(pressure), temperature])


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
    gusts : devices that come along, as DrydenTurbulence(…): named "air_gusts" beside "air", or a list of them
    """

    altitude = In("m", ambient="altitude")
    ground = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="ground velocity")
    north = In("", 3, default=[0.0, 0.0, 1.0], ambient="north")
    east = In("", 3, default=[0.0, 1.0, 0.0], ambient="east")
    up = In("", 3, default=[1.0, 0.0, 0.0], ambient="up")
    turbulence = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="turbulence")
    gust = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="gust")
    tabulated = IntegerState()
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
            from interstage.devices.atmosphere import tabulated

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
