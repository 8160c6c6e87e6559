"""Standard cross sections of PBARL and PBEAML: from dimensions to section properties.

Each shape is described once, as rectangles (exact area and moments of area) and, where it is built of
thin walls, as wall midlines. Torsion constant and shear centre follow from the midlines by the theory of
thin-walled sections, which gives the closed formulas printed in the NX Nastran Element Library Reference
(I, T, L, CHAN: J = Σ b t³/3 over midlines; BOX: Bredt). Section axes: y up and z to the right, as in the
figures of the Quick Reference Guide.

Shear factors: ROD 0.9, TUBE 0.5, BAR and HEXA 5/6 as in NASTRAN; walled sections the clear area of the
walls that lie along the shear over A (printed for CHAN and L), with 5/6 where these walls have free
edges at both sides (flanges of I, T, Z, CROSS). They are not printed for every shape and matter only for
short beams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Rectangle = tuple[float, float, float, float]  # centre y, centre z, height along y, width along z
Wall = tuple[int, int, float]  # first and second point, thickness


@dataclass(frozen=True)
class SectionProperties:
    """Properties of a cross section in its y, z axes.

    I1 = ∫y² dA, I2 = ∫z² dA, I12 = ∫yz dA about the centroid; J torsion constant; K1, K2 shear factors of
    planes 1 (y) and 2 (z); neutral_axis: y and z of the centroid from the shear centre.
    """

    A: float
    I1: float
    I2: float
    I12: float
    J: float
    K1: float
    K2: float
    neutral_axis: tuple[float, float] = (0.0, 0.0)


class SectionError(ValueError):
    """Dimensions that no section of this shape can have."""


def section(kind: str, dims: Sequence[float]) -> SectionProperties:
    """Properties of the standard section `kind` with dimensions DIM1, DIM2, ... .

    Raises SectionError with a sentence if the dimensions are not possible.
    """
    shape, count = SHAPES[kind]
    if len(dims) != count:
        raise SectionError(f"section {kind} needs {count} dimensions")
    # TUBE with a zero inner radius is a rod and is allowed
    optional = (1,) if kind == "TUBE" else ()
    for i, d in enumerate(dims):
        if not (d > 0.0 or (i in optional and d == 0.0)):
            raise SectionError(f"DIM{i + 1} of section {kind} must be positive")
    return shape(*dims)


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise SectionError(text)


def area_properties(rectangles: Sequence[Rectangle]) -> tuple[float, float, float, float, float, float]:
    """A, centroid y and z, I1, I2, I12 about the centroid of a set of rectangles that do not overlap."""
    y, z, h, w = np.array(rectangles, dtype=float).T
    a = h * w
    A = a.sum()
    yc, zc = (a @ y) / A, (a @ z) / A
    I1 = np.sum(w * h**3 / 12.0 + a * (y - yc) ** 2)
    I2 = np.sum(h * w**3 / 12.0 + a * (z - zc) ** 2)
    return A, yc, zc, I1, I2, np.sum(a * (y - yc) * (z - zc))


def thin_wall(points: Sequence[tuple[float, float]], walls: Sequence[Wall]) -> tuple[float, float, float]:
    """Torsion constant and shear centre (y, z) of a thin-walled section, open or with cells.

    The warping ω of unit twist about the origin minimizes ∫ t (ω' + r)² ds with r = (p × dp/ds); it is
    linear on each wall. J is ∫ t (ω' + r)² ds where there are cells (Bredt), and Σ b t³/3 for an open
    section. The shear centre is where the warping is orthogonal to bending:
    [∫y² ∫yz; ∫yz ∫z²] [z_s; -y_s] = [∫ωy; ∫ωz] about the centroid.
    """
    p = np.array(points, dtype=float)
    first, second = np.array([w[0] for w in walls]), np.array([w[1] for w in walls])
    t = np.array([w[2] for w in walls])
    pa, pb = p[first], p[second]
    length = np.linalg.norm(pb - pa, axis=1)
    weight = t * length
    centroid = weight @ (0.5 * (pa + pb)) / weight.sum()
    pa, pb = pa - centroid, pb - centroid
    swept = pa[:, 0] * pb[:, 1] - pa[:, 1] * pb[:, 0]  # r times length
    n = len(p)
    incidence = np.zeros((len(walls), n))
    incidence[np.arange(len(walls)), second] += 1.0
    incidence[np.arange(len(walls)), first] -= 1.0
    stiffness = t / length
    laplacian = incidence.T @ (stiffness[:, None] * incidence)
    omega = -np.linalg.lstsq(laplacian, incidence.T @ (stiffness * swept), rcond=None)[0]
    flow = incidence @ omega + swept
    # a connected graph has a cell for every wall beyond a tree
    closed = len(walls) >= len(np.unique([first, second]))
    J = np.sum(stiffness * flow**2) if closed else np.sum(length * t**3) / 3.0
    wa, wb = omega[first], omega[second]
    mean = weight @ (0.5 * (wa + wb)) / weight.sum()
    wa, wb = wa - mean, wb - mean

    def integral(fa, fb, ga, gb):
        return np.sum(weight * (2.0 * fa * ga + 2.0 * fb * gb + fa * gb + fb * ga)) / 6.0

    ya, yb, za, zb = pa[:, 0], pb[:, 0], pa[:, 1], pb[:, 1]
    moments = np.array(
        [
            [integral(ya, yb, ya, yb), integral(ya, yb, za, zb)],
            [integral(ya, yb, za, zb), integral(za, zb, za, zb)],
        ]
    )
    z_s, minus_y_s = np.linalg.solve(moments, [integral(wa, wb, ya, yb), integral(wa, wb, za, zb)])
    return J, centroid[0] - minus_y_s, centroid[1] + z_s


def _walled(rectangles, points, walls, K1_area, K2_area, J=None) -> SectionProperties:
    """Properties from rectangles and midlines; K_area: wall areas that carry shear along y and z."""
    A, yc, zc, I1, I2, I12 = area_properties(rectangles)
    torsion, ys, zs = thin_wall(points, walls)
    # what symmetry makes zero comes out as round-off
    if abs(I12) < 1e-12 * (I1 + I2):
        I12 = 0.0
    size = np.sqrt((I1 + I2) / A)
    offset = tuple(float(d) if abs(d) > 1e-10 * size else 0.0 for d in (yc - ys, zc - zs))
    values = (A, I1, I2, I12, torsion if J is None else J, K1_area / A, K2_area / A)
    return SectionProperties(*map(float, values), offset)


def _rectangle_torsion(b: float, h: float) -> float:
    """J of a solid rectangle, long side b ≥ h: b h³ (1/3 - 0.21 (h/b)(1 - h⁴/12b⁴))."""
    b, h = max(b, h), min(b, h)
    return b * h**3 * (1.0 / 3.0 - 0.21 * h / b * (1.0 - h**4 / (12.0 * b**4)))


def _rod(r) -> SectionProperties:
    inertia = np.pi * r**4 / 4.0
    return SectionProperties(np.pi * r**2, inertia, inertia, 0.0, 2.0 * inertia, 0.9, 0.9)


def _tube(outer, inner) -> SectionProperties:
    _require(outer > inner, "the outer radius DIM1 of section TUBE must be larger than the inner one DIM2")
    inertia = np.pi * (outer**4 - inner**4) / 4.0
    K = 0.5 if inner > 0.0 else 0.9
    return SectionProperties(np.pi * (outer**2 - inner**2), inertia, inertia, 0.0, 2.0 * inertia, K, K)


def _tube2(outer, t) -> SectionProperties:
    _require(t <= outer, "the wall DIM2 of section TUBE2 must not be thicker than the radius DIM1")
    return _tube(outer, outer - t)


def _bar(b, h) -> SectionProperties:
    J = _rectangle_torsion(b, h)
    return SectionProperties(b * h, b * h**3 / 12.0, h * b**3 / 12.0, 0.0, J, 5.0 / 6.0, 5.0 / 6.0)


def _hexa(d, w, h) -> SectionProperties:
    _require(w > 2.0 * d, "DIM2 of section HEXA must be larger than 2 DIM1")
    core = w - 2.0 * d
    # a rectangle and four right triangles of legs d and h/2
    I1 = core * h**3 / 12.0 + d * h**3 / 24.0
    I2 = h * core**3 / 12.0 + h * d**3 / 18.0 + h * d * (core / 2.0 + d / 3.0) ** 2
    # torsion as of the rectangle of the same area and height
    J = _rectangle_torsion(w - d, h)
    return SectionProperties(h * (w - d), I1, I2, 0.0, J, 5.0 / 6.0, 5.0 / 6.0)


def _i(h, bottom, top, tw, tb, tt) -> SectionProperties:
    hw = h - tb - tt
    _require(hw > 0.0, "DIM1 of section I must be larger than DIM5 + DIM6")
    _require(min(bottom, top) >= tw, "the flanges of section I must not be narrower than its web")
    rectangles = [(tb / 2.0, 0.0, tb, bottom), (tb + hw / 2.0, 0.0, hw, tw), (h - tt / 2.0, 0.0, tt, top)]
    low, high = tb / 2.0, h - tt / 2.0
    zb, zt = bottom / 2.0, top / 2.0
    points = [(low, -zb), (low, 0.0), (low, zb), (high, -zt), (high, 0.0), (high, zt)]
    walls = [(0, 1, tb), (1, 2, tb), (1, 4, tw), (3, 4, tt), (4, 5, tt)]
    return _walled(rectangles, points, walls, hw * tw, 5.0 / 6.0 * (bottom * tb + top * tt))


def _i1(d1, tw, hw, h) -> SectionProperties:
    _require(h > hw, "DIM4 of section I1 must be larger than DIM3")
    t = (h - hw) / 2.0
    return _i(h, d1 + tw, d1 + tw, tw, t, t)


def _chan(b, h, tw, tf) -> SectionProperties:
    hw, bf = h - 2.0 * tf, b - tw
    _require(hw > 0.0, "DIM2 of section CHAN must be larger than 2 DIM4")
    _require(bf > 0.0, "DIM1 of section CHAN must be larger than DIM3")
    y, z = (h - tf) / 2.0, tw + bf / 2.0
    rectangles = [(0.0, tw / 2.0, h, tw), (y, z, tf, bf), (-y, z, tf, bf)]
    points = [(y, b), (y, tw / 2.0), (-y, tw / 2.0), (-y, b)]
    walls = [(0, 1, tf), (1, 2, tw), (2, 3, tf)]
    return _walled(rectangles, points, walls, hw * tw, 2.0 * bf * tf)


def _chan1(bf, tw, hw, h) -> SectionProperties:
    _require(h > hw, "DIM4 of section CHAN1 must be larger than DIM3")
    return _chan(bf + tw, h, tw, (h - hw) / 2.0)


def _chan2(leg, base, h, w) -> SectionProperties:
    _require(h > base, "DIM3 of section CHAN2 must be larger than DIM2")
    _require(w > 2.0 * leg, "DIM4 of section CHAN2 must be larger than 2 DIM1")
    # CHAN turned by a quarter: its web is the base, its flanges the legs that point up
    c = _chan(h, w, base, leg)
    yn = c.neutral_axis[1]
    return SectionProperties(c.A, c.I2, c.I1, 0.0, c.J, c.K2, c.K1, (yn, 0.0))


def _t(w, h, tf, tw) -> SectionProperties:
    hw = h - tf
    _require(hw > 0.0, "DIM2 of section T must be larger than DIM3")
    _require(w >= tw, "DIM1 of section T must not be smaller than DIM4")
    rectangles = [(h - tf / 2.0, 0.0, tf, w), (hw / 2.0, 0.0, hw, tw)]
    top = h - tf / 2.0
    points = [(top, -w / 2.0), (top, 0.0), (top, w / 2.0), (0.0, 0.0)]
    walls = [(0, 1, tf), (1, 2, tf), (1, 3, tw)]
    return _walled(rectangles, points, walls, hw * tw, 5.0 / 6.0 * w * tf)


def _t1(h, web, tf, tw) -> SectionProperties:
    # T with its flange upright at the right: y of T becomes z
    _require(h >= tw, "DIM1 of section T1 must not be smaller than DIM4")
    t = _t(h, web + tf, tf, tw)
    return SectionProperties(t.A, t.I2, t.I1, 0.0, t.J, t.K2, t.K1, (0.0, t.neutral_axis[0]))


def _t2(w, h, tf, tw) -> SectionProperties:
    # T upside down; its torsion constant counts the web over the whole height
    t = _t(w, h, tf, tw)
    J = ((w - tw) * tf**3 + h * tw**3) / 3.0
    return SectionProperties(t.A, t.I1, t.I2, 0.0, J, t.K1, t.K2, (-t.neutral_axis[0], 0.0))


def _l(b, h, t1, t2) -> SectionProperties:
    h2, b1 = h - t1, b - t2
    _require(h2 > 0.0, "DIM2 of section L must be larger than DIM3")
    _require(b1 > 0.0, "DIM1 of section L must be larger than DIM4")
    rectangles = [(t1 / 2.0, b / 2.0, t1, b), (t1 + h2 / 2.0, t2 / 2.0, h2, t2)]
    points = [(t1 / 2.0, b), (t1 / 2.0, t2 / 2.0), (h, t2 / 2.0)]
    return _walled(rectangles, points, [(0, 1, t1), (1, 2, t2)], h2 * t2, b1 * t1)


def _cross(arms, tv, h, th) -> SectionProperties:
    _require(h > th, "DIM3 of section CROSS must be larger than DIM4")
    A = h * tv + arms * th
    w = arms + tv
    I1 = tv * h**3 / 12.0 + arms * th**3 / 12.0
    I2 = th * w**3 / 12.0 + (h - th) * tv**3 / 12.0
    J = (h * tv**3 + arms * th**3) / 3.0
    return SectionProperties(A, I1, I2, 0.0, J, 5.0 / 6.0 * h * tv / A, 5.0 / 6.0 * w * th / A)


def _h(web, flanges, h, tw) -> SectionProperties:
    t = flanges / 2.0
    _require(h >= tw, "DIM3 of section H must not be smaller than DIM4")
    A = h * flanges + web * tw
    w = web + flanges
    I1 = flanges * h**3 / 12.0 + web * tw**3 / 12.0
    I2 = h * (w**3 - web**3) / 12.0 + tw * web**3 / 12.0
    J = (2.0 * h * t**3 + (web + t) * tw**3) / 3.0
    return SectionProperties(A, I1, I2, 0.0, J, 5.0 / 6.0 * h * flanges / A, web * tw / A)


def _z(bf, tw, hw, h) -> SectionProperties:
    t = (h - hw) / 2.0
    _require(t > 0.0, "DIM4 of section Z must be larger than DIM3")
    y, z = (h - t) / 2.0, (bf + tw) / 2.0
    # the upper flange points to the left, the lower one to the right
    rectangles = [(0.0, 0.0, h, tw), (y, -z, t, bf), (-y, z, t, bf)]
    points = [(y, -bf - tw / 2.0), (y, 0.0), (-y, 0.0), (-y, bf + tw / 2.0)]
    walls = [(0, 1, t), (1, 2, tw), (2, 3, t)]
    return _walled(rectangles, points, walls, hw * tw, 5.0 / 6.0 * 2.0 * (bf + tw) * t)


def _box1(w, h, top, bottom, left, right) -> SectionProperties:
    wi, hi = w - left - right, h - top - bottom
    _require(wi > 0.0 and hi > 0.0, "the walls of a box section must leave room inside it")
    z_mid = left + wi / 2.0
    rectangles = [
        (h / 2.0, left / 2.0, h, left),
        (h / 2.0, w - right / 2.0, h, right),
        (h - top / 2.0, z_mid, top, wi),
        (bottom / 2.0, z_mid, bottom, wi),
    ]
    low, high, zl, zr = bottom / 2.0, h - top / 2.0, left / 2.0, w - right / 2.0
    points = [(low, zl), (low, zr), (high, zr), (high, zl)]
    walls = [(0, 1, bottom), (1, 2, right), (2, 3, top), (3, 0, left)]
    return _walled(rectangles, points, walls, hi * (left + right), wi * (top + bottom))


def _box(w, h, t1, t2) -> SectionProperties:
    return _box1(w, h, t1, t1, t2, t2)


def _hat(h, t, top, flange) -> SectionProperties:
    clear, hw = top - 2.0 * t, h - 2.0 * t
    _require(clear > 0.0, "DIM3 of section HAT must be larger than 2 DIM2")
    _require(hw > 0.0, "DIM1 of section HAT must be larger than 2 DIM2")
    z = (top - t) / 2.0
    zf = top / 2.0 + flange / 2.0
    rectangles = [
        (h - t / 2.0, 0.0, t, clear),
        (h / 2.0, z, h, t),
        (h / 2.0, -z, h, t),
        (t / 2.0, zf, t, flange),
        (t / 2.0, -zf, t, flange),
    ]
    low, high, tip = t / 2.0, h - t / 2.0, top / 2.0 + flange
    points = [(low, -tip), (low, -z), (high, -z), (high, z), (low, z), (low, tip)]
    walls = [(i, i + 1, t) for i in range(5)]
    return _walled(rectangles, points, walls, 2.0 * hw * t, (clear + 2.0 * flange) * t)


def _hat1(w, h, top, t, plate) -> SectionProperties:
    hh = h - plate  # height of the hat above its plate
    clear, hw, flange = top - 2.0 * t, hh - 2.0 * t, (w - top) / 2.0
    _require(clear > 0.0, "DIM3 of section HAT1 must be larger than 2 DIM4")
    _require(hw > 0.0, "DIM2 of section HAT1 must be larger than DIM5 + 2 DIM4")
    _require(flange >= 0.0, "DIM1 of section HAT1 must not be smaller than DIM3")
    z = (top - t) / 2.0
    zf = top / 2.0 + flange / 2.0
    rectangles = [
        (plate / 2.0, 0.0, plate, w),
        (h - t / 2.0, 0.0, t, clear),
        (plate + hh / 2.0, z, hh, t),
        (plate + hh / 2.0, -z, hh, t),
        (plate + t / 2.0, zf, t, flange),
        (plate + t / 2.0, -zf, t, flange),
    ]
    low, high, tip = plate / 2.0, h - t / 2.0, w / 2.0
    points = [(low, -z), (low, z), (high, z), (high, -z), (low, -tip), (low, tip)]
    walls = [(0, 1, plate), (1, 2, t), (2, 3, t), (3, 0, t), (4, 0, plate + t), (1, 5, plate + t)]
    horizontal = (clear + 2.0 * flange) * t + w * plate
    return _walled(rectangles, points, walls if flange > 0.0 else walls[:4], 2.0 * hw * t, horizontal)


def _dbox(w, h, w_left, left, centre, right, top_l, bottom_l, top_r, bottom_r) -> SectionProperties:
    wl, wr = w_left - left - centre / 2.0, w - w_left - right - centre / 2.0
    _require(wl > 0.0 and wr > 0.0, "the walls of section DBOX must leave room in both boxes")
    both_l, both_r = top_l + bottom_l, top_r + bottom_r
    _require(h > max(both_l, both_r), "DIM2 of section DBOX must be larger than its walls")
    zl, zr = left + wl / 2.0, w_left + centre / 2.0 + wr / 2.0
    rectangles = [
        (h / 2.0, left / 2.0, h, left),
        (h / 2.0, w_left, h, centre),
        (h / 2.0, w - right / 2.0, h, right),
        (h - top_l / 2.0, zl, top_l, wl),
        (bottom_l / 2.0, zl, bottom_l, wl),
        (h - top_r / 2.0, zr, top_r, wr),
        (bottom_r / 2.0, zr, bottom_r, wr),
    ]
    low, high = (bottom_l + bottom_r) / 4.0, h - (top_l + top_r) / 4.0
    z = (left / 2.0, w_left, w - right / 2.0)
    points = [(low, z[0]), (low, z[1]), (low, z[2]), (high, z[2]), (high, z[1]), (high, z[0])]
    walls = [
        (0, 1, bottom_l),
        (1, 2, bottom_r),
        (2, 3, right),
        (3, 4, top_r),
        (4, 5, top_l),
        (5, 0, left),
        (1, 4, centre),
    ]
    vertical = (left + centre) * (h - both_l) + right * (h - both_r)
    return _walled(rectangles, points, walls, vertical, wl * both_l + wr * both_r)


SHAPES: dict[str, tuple[Callable[..., SectionProperties], int]] = {
    "ROD": (_rod, 1),
    "TUBE": (_tube, 2),
    "TUBE2": (_tube2, 2),
    "I": (_i, 6),
    "CHAN": (_chan, 4),
    "T": (_t, 4),
    "BOX": (_box, 4),
    "BAR": (_bar, 2),
    "CROSS": (_cross, 4),
    "H": (_h, 4),
    "T1": (_t1, 4),
    "I1": (_i1, 4),
    "CHAN1": (_chan1, 4),
    "Z": (_z, 4),
    "CHAN2": (_chan2, 4),
    "T2": (_t2, 4),
    "BOX1": (_box1, 6),
    "HEXA": (_hexa, 3),
    "HAT": (_hat, 4),
    "HAT1": (_hat1, 5),
    "DBOX": (_dbox, 10),
    "L": (_l, 4),
}
