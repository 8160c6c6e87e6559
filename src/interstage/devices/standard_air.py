"""The U.S. Standard Atmosphere 1976 to 86 km, for real and complex numbers.

In layers of geopotential height H = r0 h/(r0 + h) the temperature is T_b + L_b (H - H_b), and the pressure

    p = p_b (T_b/T)^(g0 M/(R L_b)),    p = p_b exp(-g0 M (H - H_b)/(R T_b)) where L_b = 0,    ρ = p M/(R T)

(NOAA-S/T 76-1562, eqs. 18, 23, 33a, 33b, 42; R = 8314.32 J/(kmol K), M = 28.9644 kg/kmol, r0 = 6356.766 km). Above
86 km the last layer goes on with its temperature, so that a flight out of the air is smooth; use NRLMSIS there.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel

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
