"""Masses of bodies of MJCF: as written, or of the shapes that they are drawn by."""

from __future__ import annotations

import numpy as np

from interstage.exchange.imported import NO_MASS
from interstage.exchange.mjcf_words import Settings, turned_to
from interstage.exchange.xml_file import Element
from interstage.spatial import functions as spatial

Mass = tuple[float, np.ndarray, np.ndarray]
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
WATER = 1000.0  # density of a shape that says nothing
LARGEST = 1e30  # size of a shape, whose inertia goes with the fifth power


def written_mass(settings: Settings, inertial: Element) -> Mass:
    """Return mass, com (3,) and inertia (3, 3) about it, body axes, of `<inertial>`."""
    R = settings.rotation(inertial)
    if "fullinertia" in inertial.attributes:
        xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        J = np.diag(inertial.numbers("diaginertia", 3))
    return inertial.number("mass"), inertial.numbers("pos", 3), R @ J @ R.T


def mass_of_shapes(settings: Settings, geoms: list[tuple[Element, np.ndarray, np.ndarray]]) -> Mass:
    """Return the sum over shapes, each with the position and R of the frame that it is written in."""
    parts = []
    for geom, p, R in geoms:
        low, high = settings.groups
        if low <= geom.number("group", 0.0) <= high:
            part = _shape(settings, geom)
            if part is not None and part[0] > 0.0:
                parts.append((part[0], p + R @ part[1], R @ part[2] @ R.T))
    total = sum(part[0] for part in parts)
    if total == 0.0:
        return NO_MASS
    com = sum((m * at for m, at, _ in parts), np.zeros(3)) / total
    J = np.zeros((3, 3))
    for m, at, own in parts:
        lever = spatial.skew_matrix(at - com)
        J += own - m * lever @ lever
    return total, com, J


def _shape(settings: Settings, geom: Element) -> Mass | None:
    kind = geom.text("type", "sphere")
    if kind in ("plane", "hfield"):
        return None
    density = geom.number("density", WATER)
    given = geom.number("mass", density)
    if given == 0.0:
        return None
    if given < 0.0:
        raise geom.fault("the mass or density of a shape is negative", got=f"{given:g}")
    if kind not in SIZES:
        raise geom.fault(
            f"the mass of a {kind} is not computed",
            expected=", ".join(SIZES),
            hint="give the body an <inertial>, or the shape mass='0'",
        )
    if geom.text("shellinertia", "false") != "false":
        raise geom.fault("the inertia of a shell is not computed", hint="give the body an <inertial>")
    size, at, R = _placed(settings, geom, kind)
    if not np.all((size > 0.0) & (size < LARGEST)):
        raise geom.fault(f"the size of a {kind} must be positive, below {LARGEST:g}", got=str(size.tolist()))
    volume, unit = solid(kind, size)
    m = geom.number("mass", density * volume)
    return m, at, R @ np.diag(m * unit) @ R.T


def _placed(settings: Settings, geom: Element, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return half sizes, position and R of a shape; `fromto` gives the ends of its z axis."""
    if "fromto" not in geom.attributes:
        words = len(geom.text("size").split())
        size = geom.numbers("size", max(words, SIZES[kind]))[: SIZES[kind]]
        return size, geom.numbers("pos", 3, np.zeros(3)), settings.rotation(geom)
    if kind == "sphere":
        raise geom.fault("a sphere has no fromto")
    ends = geom.numbers("fromto", 6).reshape(2, 3)
    radius = geom.numbers("size", max(len(geom.text("size").split()), 1))[0]
    half = 0.5 * float(np.linalg.norm(ends[1] - ends[0]))
    sizes = [radius, half] if SIZES[kind] == 2 else [radius, radius, half]
    return np.array(sizes), ends.mean(axis=0), turned_to(ends[0] - ends[1], geom)


def solid(kind: str, size: np.ndarray) -> tuple[float, np.ndarray]:
    """Return volume and principal moments (3,) for each unit of mass of a solid of half sizes `size`, axis z.

    >>> solid("box", np.array([0.5, 0.5, 0.5]))
    (1.0, array([0.16666667, 0.16666667, 0.16666667]))
    """
    if kind == "sphere":
        r = float(size[0])
        return 4.0 / 3.0 * np.pi * r**3, np.full(3, 0.4 * r * r)
    if kind == "ellipsoid":
        squares = size**2
        return float(4.0 / 3.0 * np.pi * np.prod(size)), 0.2 * (squares.sum() - squares)
    if kind == "box":
        squares = size**2
        return float(8.0 * np.prod(size)), (squares.sum() - squares) / 3.0
    r, h = float(size[0]), 2.0 * float(size[1])
    tube = np.pi * r * r * h
    across, along = (3.0 * r * r + h * h) / 12.0, 0.5 * r * r
    if kind == "cylinder":
        return tube, np.array([across, across, along])
    # a capsule: half balls at both ends
    ball = 4.0 / 3.0 * np.pi * r**3
    share = np.array([tube, ball]) / (tube + ball)
    across_balls = 0.4 * r * r + 0.375 * h * r + 0.25 * h * h
    side = float(share @ [across, across_balls])
    return tube + ball, np.array([side, side, float(share @ [along, 0.4 * r * r])])
