"""Numbers of the figures in the form that the page's script reads."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError

HINT = "Move over a chart to read values; drag to zoom, double click to see all."
STILL = 1e-13  # in the units of the quantity: what nowhere is larger is rounding around zero
SILENT = (
    1e-15,
    1e-16,
)  # of the strongest curve of a chart, and in any units: a response that is nowhere more is rounding
TYPES = {"f4": "<f4", "f8": "<f8", "i2": "<i2", "u1": "u1", "u2": "<u2", "u4": "<u4"}


def pack(values: ArrayLike, kind: str) -> dict[str, str]:
    """Pack an array as base64 of little-endian numbers.

    >>> pack([1, 2], "u2")
    {'t': 'u2', 'd': 'AQACAA=='}
    """
    raw = np.ascontiguousarray(np.asarray(values), dtype=TYPES[kind]).tobytes()
    return {"t": kind, "d": base64.b64encode(raw).decode("ascii")}


def pack_index(values: ArrayLike) -> dict[str, str]:
    """Pack whole numbers that are not negative in the smallest type that holds them."""
    values = np.asarray(values, dtype=np.int64).ravel()
    return pack(values, "u2" if values.max(initial=0) < 2**16 else "u4")


@dataclass
class Curve:
    """A line in a chart: label, values (same length as the axis), dashed or not, colour number."""

    label: str
    values: ArrayLike
    dashed: bool = False
    color: int | None = None


@dataclass
class Panel:
    """One chart of several on the same axis; curves that nowhere exceed `still` are drawn as zero."""

    title: str
    y_label: str
    curves: Sequence[Curve]
    unit: str = ""
    still: float = STILL


def lines_figure(x: ArrayLike, x_label: str, panels: Sequence[Panel]) -> dict[str, Any]:
    """Return stacked charts over x, as time histories."""
    x = _axis(x)
    out = []
    for panel in panels:
        most = max((np.nanmax(np.abs(c.values), initial=0.0) for c in panel.curves), default=0.0)
        curves = (
            [replace(c, values=np.zeros(len(x))) for c in panel.curves]
            if most < panel.still
            else panel.curves
        )
        series = [_series(c, i, {"values": _values(c.values, len(x))}) for i, c in enumerate(curves)]
        out.append({"title": panel.title, "yLabel": panel.y_label, "unit": panel.unit, "series": series})
    return {"kind": "lines", "x": pack(x, "f8"), "xLabel": x_label, "panels": out}


def bode_figure(
    f_hz: ArrayLike, curves: Sequence[Curve], magnitude_label: str = "dB", magnitude_title: str = "Magnitude"
) -> dict[str, Any]:
    """Return magnitude in dB and phase in degrees (unwrapped) of complex responses over frequency.

    Responses that are nothing but rounding beside the others are left out, and their labels say so.
    """
    f_hz = _axis(f_hz)
    series = []
    most = [np.abs(np.asarray(curve.values)).max(initial=0.0) for curve in curves]
    silent = max(SILENT[0] * max(most, default=0.0), SILENT[1])
    curves = [
        replace(c, label=f"{c.label} (zero)", values=np.full(len(f_hz), np.nan)) if m <= silent else c
        for c, m in zip(curves, most)
    ]
    for i, curve in enumerate(curves):
        H = np.asarray(curve.values, dtype=complex)
        with np.errstate(divide="ignore"):
            magnitude = 20.0 * np.log10(np.abs(H))
        phase = np.rad2deg(np.unwrap(np.angle(H)))
        phase -= 360.0 * np.round(phase[0] / 360.0)
        values = {"magnitude": _values(magnitude, len(f_hz)), "phase": _values(phase, len(f_hz))}
        series.append(_series(curve, i, values))
    return {
        "kind": "bode",
        "x": pack(f_hz, "f8"),
        "xLabel": "frequency, Hz",
        "magnitudeLabel": magnitude_label,
        "magnitudeTitle": magnitude_title,
        "series": series,
    }


def _series(curve: Curve, i: int, values: dict[str, Any]) -> dict[str, Any]:
    out = {"label": curve.label, "color": i if curve.color is None else curve.color, **values}
    return out | ({"dash": True} if curve.dashed else {})


def _axis(x: ArrayLike) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise InputError("a chart needs an axis of at least two finite numbers", got=f"shape {x.shape}")
    return x


def _values(values: ArrayLike, n: int) -> dict[str, str]:
    """Pack a curve; NaN stays NaN and makes a gap."""
    values = np.asarray(values, dtype=float)
    if values.shape != (n,):
        raise InputError(
            "a curve does not fit its axis", expected=f"{n} numbers", got=f"shape {values.shape}"
        )
    # what single precision cannot hold is a gap too
    return pack(np.where(np.abs(values) < 3e38, values, np.nan), "f4")


def thinned(n: int, most: int = 4000) -> slice:
    """Return every k-th of n samples so that no more than `most` remain."""
    return slice(None, None, max(1, -(-n // most)))
