"""CBEND and PBEND of a deck: beams and pipes along an arc of a circle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.curved_beam import CurvedBeamBlock, CurvedStress, Span, gauss_unit
from interstage.fem.from_deck.bush import orientation_vectors
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import positive, used_properties
from interstage.nastran import CardTable

POINTS = 10  # of the Gauss rule along an arc
FLAT = 1e-8  # sine of the angle between chord and orientation below which they give no plane
ASME = 1.65  # flexibility of a bend of pipe: 1.65 rm² / (t R) (ASME B31.1)


@dataclass(frozen=True)
class _Bends:
    """PBEND cards as arrays: sections, radius RB and angle THETAB (0 where blank), offsets, and stress points.

    shift : DELTAN, not a number where it is to be I1/(A R)
    pipe : (n, 2) outer and inner radius, not numbers where the section is not a pipe
    """

    A: np.ndarray
    I1: np.ndarray
    I2: np.ndarray
    J: np.ndarray
    K1: np.ndarray
    K2: np.ndarray
    nsm: np.ndarray
    RB: np.ndarray
    theta: np.ndarray
    RC: np.ndarray
    ZC: np.ndarray
    shift: np.ndarray
    points: np.ndarray
    pipe: np.ndarray

    def __getitem__(self, rows) -> _Bends:
        return _Bends(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def read(ctx: Context) -> list[ElementBlock]:
    """All CBEND of a deck.

    Section axes: x along the arc from GA to GB, y away from the centre of curvature (plane 1 is that of the arc),
    z = x × y. Bending and stretching act on each other as in Winkler's theory: κ = (M1 - e N)/(E I1),
    ε = N (1 - e/R)/(E A) - e κ at the centroid, with e = DELTAN, by default I1/(A R).
    """
    table = ctx.deck.cards("CBEND")
    if not len(table):
        return []
    cards, back = used_properties(table, ctx.deck.cards("PBEND"))
    iso = ctx.materials.isotropic(cards.integer(2), cards)
    positive(cards, iso.E, "E of the material")
    positive(cards, iso.G, "G of the material")
    p, bending = _properties(cards, iso.E)
    p, E, G, rho, bending = p[back], iso.E[back], iso.G[back], iso.rho[back], bending[back]
    nodes = np.column_stack([ctx.rows(table, 3), ctx.rows(table, 4)])
    centre, start, z, angle, radius = _arcs(ctx, table, nodes, p)
    shift = np.where(np.isnan(p.shift), p.I1 / (p.A * radius), p.shift)
    p, shift = _exact_pipes(p, radius, shift)
    _check_neutral_axis(table, shift, radius)
    t, weights = gauss_unit(POINTS)
    R, x = _along(centre, start, z, angle, radius, t)
    ends, places = _along(centre, start, z, angle, radius, np.array([0.0, 1.0]))
    C = _compliance(p, E, G, radius, shift, bending)
    n = len(table)
    span = Span(
        places[:, 0],
        places[:, 1],
        x,
        R,
        ends,
        (radius * angle)[:, None] * weights,
        np.broadcast_to(C[:, None], (n, POINTS, 6, 6)),
        np.repeat((rho * p.A + p.nsm)[:, None], POINTS, axis=1),
        np.repeat((rho * (p.I1 + p.I2))[:, None], POINTS, axis=1),
    )

    def at_ends(value: np.ndarray) -> np.ndarray:
        return np.repeat(value[:, None], 2, axis=1)[:, None]

    stress = CurvedStress(*(at_ends(one) for one in (p.A, p.I1, p.I2, np.zeros(n), p.points, radius, shift)))
    arms = places - ctx.grids.xyz[nodes]
    block = CurvedBeamBlock("CBEND", table.unique_ids(), nodes, arms, [span], stress, iso.ge[back])
    block.expansion, block.reference_temperature = iso.alpha[back], iso.tref[back]
    return [block]


def _exact_pipes(p: _Bends, radius: np.ndarray, shift: np.ndarray) -> tuple[_Bends, np.ndarray]:
    """Sections with A e R for I1 where they are pipes, and their DELTAN e: Winkler's theory without approximation.

    The neutral axis of pure bending is at A / ∫ dA/r, for a ring half of √(R² - ro²) + √(R² - ri²), as in Nastran.
    """
    outer, inner = p.pipe.T
    pipe = outer < radius
    if not pipe.any():
        return p, shift
    e = shift.copy()
    e[pipe] = sum(
        0.5 * r[pipe] ** 2 / (radius[pipe] + np.sqrt(radius[pipe] ** 2 - r[pipe] ** 2))
        for r in (outer, inner)
    )
    return replace(p, I1=np.where(pipe, p.A * e * radius, p.I1)), e


def _check_neutral_axis(table: CardTable, shift: np.ndarray, radius: np.ndarray) -> None:
    """Refuse neutral axes at or beyond the centre of curvature, where no section has them."""
    beyond = ~(shift < radius)
    if beyond.any():
        i = int(np.argmax(beyond))
        raise table.error(
            i,
            f"the neutral axis of {table.label(i)} is beyond its centre of curvature",
            f"DELTAN, by default I1/(A R), below the radius {radius[i]:g}",
            f"{shift[i]:g}",
        )


def _properties(table: CardTable, E: np.ndarray) -> tuple[_Bends, np.ndarray]:
    """PBEND cards and the factor (n,) by which bending is more flexible than that of the section."""
    pipe = table.is_integer(3)
    values, bending = np.zeros((len(table), 10)), np.ones(len(table))
    points, pipes = np.zeros((len(table), 4, 2)), np.full((len(table), 2), np.nan)
    RB, theta = table.real(7, 0.0), np.deg2rad(table.real(8, 0.0))
    for rows, one in ((np.flatnonzero(~pipe), _beams), (np.flatnonzero(pipe), _pipes)):
        if len(rows):
            part = table.select(rows)
            values[rows], points[rows], bending[rows], pipes[rows] = one(part, E[rows], RB[rows])
    A, I1, I2, J, K1, K2, nsm, RC, ZC, shift = values.T
    for name, value in (("A", A), ("I1", I1), ("I2", I2), ("J", J)):
        positive(table, value, name)
    return _Bends(A, I1, I2, J, K1, K2, nsm, RB, theta, RC, ZC, shift, points, pipes), bending


def _beams(table: CardTable, E: np.ndarray, RB: np.ndarray):
    """Columns A I1 I2 J K1 K2 NSM RC ZC DELTAN of sections given by their values."""
    columns = [table.real(j) for j in (3, 4, 5, 6)] + [table.real(j, 0.0) for j in (17, 18, 19, 20, 21)]
    columns.append(np.where(table.blank(22), np.nan, table.real(22, 0.0)))
    points = np.column_stack([table.real(j, 0.0) for j in range(9, 17)]).reshape(-1, 4, 2)
    points[:, :, 1] *= -1.0  # r, z of the card: z is that of radius × tangent
    return np.column_stack(columns), points, 1.0, np.nan


def _pipes(table: CardTable, E: np.ndarray, RB: np.ndarray):
    """The same of pipes: FSI, RM, T, P; the flexibility factor of FSI = 2 is that of ASME."""
    fsi = table.integer(3)
    if (~np.isin(fsi, (1, 2))).any():
        i = int(np.argmax(~np.isin(fsi, (1, 2))))
        raise table.error(
            i, "the flexibility factors of this PBEND are not supported", "FSI 1 or 2", str(fsi[i])
        )
    rm, t, pressure = table.real(4), table.real(5), table.real(6, 0.0)
    positive(table, rm, "RM")
    positive(table, t, "T")
    thick = t > 2.0 * rm
    if thick.any():
        i = int(np.argmax(thick))
        raise table.error(
            i, "the wall of this PBEND is thicker than the pipe", f"T of {2.0 * rm[i]:g} at most", f"{t[i]:g}"
        )
    outer, inner = rm + t / 2.0, rm - t / 2.0
    A, inertia = np.pi * (outer**2 - inner**2), np.pi / 4.0 * (outer**4 - inner**4)
    if ((fsi == 2) & ~(RB > 0.0)).any():
        i = int(np.argmax((fsi == 2) & ~(RB > 0.0)))
        raise table.error(i, "FSI = 2 of this PBEND needs the bend radius RB")
    radius = np.where(RB > 0.0, RB, 1.0)
    held = 1.0 + 6.0 * pressure / E * (rm / t) ** (7.0 / 3.0) * (radius / rm) ** (1.0 / 3.0)
    factor = np.where(fsi == 2, np.maximum(1.0, ASME * rm**2 / (t * radius) / held), 1.0)
    shear = 0.5 * (rm**2 + t**2 / 4.0) / (rm**2 + t**2 / 12.0)  # I 2t / (A Q), Q of half the ring
    offsets = [table.real(j, 0.0) for j in (11, 12, 13)]
    blank = np.full(len(table), np.nan)
    columns = [A, inertia, inertia, 2.0 * inertia, shear, shear, *offsets, blank]
    points = outer[:, None, None] * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    return np.column_stack(columns), points, factor, np.column_stack([outer, inner])


def _compliance(p: _Bends, E, G, radius, e, bending) -> np.ndarray:
    """Strains (n, 6, 6) of unit section forces at the centroid."""
    C = np.zeros((len(E), 6, 6))
    curve = bending / (E * p.I1)
    C[:, 0, 0] = e**2 * curve + (1.0 - e / radius) / (E * p.A)
    C[:, 0, 5] = C[:, 5, 0] = -e * curve
    C[:, 5, 5] = curve
    C[:, 4, 4] = bending / (E * p.I2)
    C[:, 3, 3] = 1.0 / (G * p.J)
    for at, K in ((1, p.K1), (2, p.K2)):
        C[:, at, at] = np.where(K > 0.0, 1.0 / (np.where(K > 0.0, K, 1.0) * G * p.A), 0.0)
    return C


def _arcs(ctx: Context, table: CardTable, nodes: np.ndarray, p: _Bends):
    """Centre (n, 3), unit radius at A, normal z, angle (n,) and radius of the line of centroids."""
    a, b = ctx.grids.xyz[nodes[:, 0]], ctx.grids.xyz[nodes[:, 1]]
    v, d = orientation_vectors(ctx, table, nodes[:, 0]), b - a
    chord = np.linalg.norm(d, axis=1)
    flat = ~(np.linalg.norm(np.cross(d, v), axis=1) > FLAT * chord * np.linalg.norm(v, axis=1))
    geom = table.integer(8)
    for bad, what, hint in (
        (~(chord > 0.0), "joins grids at one place", None),
        (
            flat,
            "has no orientation, or one along its chord",
            "give X1, X2, X3 or G0 off the line of its grids",
        ),
        (~np.isin(geom, (1, 2, 3, 4)), "needs the flag GEOM in field 9", "1, 2, 3 or 4"),
        ((geom == 3) & ~(chord / 2.0 <= p.RB - p.RC), "is longer than twice its bend radius RB", None),
        (
            (geom == 4) & ~((p.theta > 0.0) & (p.theta < 2.0 * np.pi)),
            "needs the angle THETAB of its PBEND",
            "more than 0 and less than 360 degrees",
        ),
    ):
        if bad.any():
            i = int(np.argmax(bad))
            raise table.error(i, f"{table.label(i)} {what}", hint=hint)
    x = d / chord[:, None]
    across = v - np.einsum("ni,ni->n", v, x)[:, None] * x  # in the plane of the arc, towards v
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    along, side = np.einsum("ni,ni->n", v, x), np.einsum("ni,ni->n", v, across)
    # distance of the centre from the chord, towards v
    half = chord / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.select(
            [geom == 1, geom == 2, geom == 3],
            [
                half * side / along,
                -half * along / side,
                -np.sqrt(np.maximum((p.RB - p.RC) ** 2 - half**2, 0.0)),
            ],
            -half / np.tan(p.theta / 2.0),
        )
    if not np.isfinite(height).all():
        i = int(np.argmax(~np.isfinite(height)))
        raise table.error(i, f"the centre of curvature of {table.label(i)} is not on the line that v gives")
    centre = a + half[:, None] * x + height[:, None] * across
    radius = np.hypot(half, height)
    turn = 2.0 * np.arctan2(half, np.abs(height))
    # with GEOM 1 the arc is the shorter one; otherwise it lies on the side of v, and v is across the chord
    angle = np.where((geom != 1) & (height > 0.0), 2.0 * np.pi - turn, turn)
    start = (a - centre) / radius[:, None]
    outward = np.where((geom == 1) & (height > 0.0), -1.0, 1.0)[:, None] * across
    z = np.cross(outward, x)  # radius × tangent, at the middle of the arc
    return centre + p.ZC[:, None] * z, start, z, angle, radius + p.RC


def _along(centre, start, z, angle, radius, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Section axes (n, p, 3, 3) and places (n, p, 3) of the line of centroids at fractions t (p,) of the angle."""
    phi = (angle[:, None] * t)[..., None]
    r = np.cos(phi) * start[:, None] + np.sin(phi) * np.cross(z, start)[:, None]
    tangent = np.cross(np.broadcast_to(z[:, None], r.shape), r)
    R = np.stack([tangent, r, np.cross(tangent, r)], axis=3)
    return R, centre[:, None] + radius[:, None, None] * r
