"""The upper atmosphere of NRLMSIS (pymsis), tabulated over altitude: nothing is fetched, all indices are given.

ρ(h), T(h), n(h) of NRLMSIS 2.1 at one place and date, 0 to 3,000 km;  p = n k T, n all particles of a volume
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from interstage.errors import InputError

NEEDED = ("date", "latitude", "longitude", "f107", "f107a", "ap")
BOLTZMANN = 1.380649e-23
STEP, HIGH, HIGH_STEP, TOP = 2e3, 1000e3, 10e3, 3000e3  # m: rows every STEP to HIGH, every HIGH_STEP to TOP


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
    heights = np.append(np.arange(0.0, HIGH, STEP), np.arange(HIGH, TOP + HIGH_STEP, HIGH_STEP))
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
