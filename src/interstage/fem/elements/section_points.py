"""Where standard sections (PBARL, PBEAML) show their stresses: the points C D E F of the Quick Reference Guide.

C is the upper right corner of the section, D the lower right, E the lower left, F the upper left; on round
and cross-shaped sections C, D, E, F are top, right, bottom, left. y is up, z to the right, both from the centroid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.fem.elements.sections import area_properties

UNKNOWN = np.full((4, 2), np.nan)


def stress_points(kind: str, dims: Sequence[float]) -> np.ndarray:
    """Points (4, 2) of section `kind`; nan where the points of a shape are not known."""
    make = _POINTS.get(kind)
    return UNKNOWN if make is None else np.array(make(*dims), dtype=float)


def _round(r, *_):
    return (r, 0.0), (0.0, r), (-r, 0.0), (0.0, -r)


def _corners(top, bottom, top_right, bottom_right, top_left=None, bottom_left=None):
    top_left = -top_right if top_left is None else top_left
    bottom_left = -bottom_right if bottom_left is None else bottom_left
    return (top, top_right), (bottom, bottom_right), (bottom, bottom_left), (top, top_left)


def _bar(b, h):
    return _corners(h / 2, -h / 2, b / 2, b / 2)


def _box(w, h, *_):
    return _corners(h / 2, -h / 2, w / 2, w / 2)


def _box1(w, h, top, bottom, left, right):
    wi = w - left - right
    parts = [
        (h / 2, left / 2, h, left),
        (h / 2, w - right / 2, h, right),
        (h - top / 2, left + wi / 2, top, wi),
        (bottom / 2, left + wi / 2, bottom, wi),
    ]
    _, y, z, *_ = area_properties(parts)
    return _corners(h - y, -y, w - z, w - z, -z, -z)


def _i(h, bottom, top, tw, tb, tt):
    hw = h - tb - tt
    _, y, *_ = area_properties(
        [(tb / 2, 0.0, tb, bottom), (tb + hw / 2, 0.0, hw, tw), (h - tt / 2, 0.0, tt, top)]
    )
    return _corners(h - y, -y, top / 2, bottom / 2)


def _i1(d1, tw, hw, h):
    return _corners(h / 2, -h / 2, (d1 + tw) / 2, (d1 + tw) / 2)


def _h(web, flanges, h, tw):
    return _corners(h / 2, -h / 2, (web + flanges) / 2, (web + flanges) / 2)


def _chan(b, h, tw, tf):
    bf = b - tw
    parts = [(0.0, tw / 2, h, tw), ((h - tf) / 2, tw + bf / 2, tf, bf), (-(h - tf) / 2, tw + bf / 2, tf, bf)]
    _, _, z, *_ = area_properties(parts)
    return _corners(h / 2, -h / 2, b - z, b - z, -z, -z)


def _chan1(bf, tw, hw, h):
    return _chan(bf + tw, h, tw, (h - hw) / 2)


def _chan2(leg, base, h, w):
    parts = [
        (base / 2, 0.0, base, w),
        ((h + base) / 2, (w - leg) / 2, h - base, leg),
        ((h + base) / 2, -(w - leg) / 2, h - base, leg),
    ]
    _, y, *_ = area_properties(parts)
    return _corners(h - y, -y, w / 2, w / 2)


def _cross(arms, tv, h, th):
    return (h / 2, 0.0), (0.0, (arms + tv) / 2), (-h / 2, 0.0), (0.0, -(arms + tv) / 2)


_POINTS = {
    "ROD": _round,
    "TUBE": _round,
    "TUBE2": _round,
    "BAR": _bar,
    "BOX": _box,
    "BOX1": _box1,
    "I": _i,
    "I1": _i1,
    "H": _h,
    "CHAN": _chan,
    "CHAN1": _chan1,
    "CHAN2": _chan2,
    "CROSS": _cross,
}
