"""CBEAM3 and PBEAM3 of a deck: beams of two or three grids along a parabola."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from interstage.fem.elements.beam import BeamSection
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.curved_beam import CurvedBeamBlock, CurvedStress, Span, gauss_unit
from interstage.fem.elements.line_common import frames
from interstage.fem.from_deck.bush import orientation_vectors
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import property_ids
from interstage.fem.from_deck.section_cards import beam_sections
from interstage.nastran import CardTable

POINTS = 6  # of the Gauss rule between two grids
TURNED = 0.1  # least part of the half chord that the tangent of the parabola may have along the chord


def read(ctx: Context) -> list[ElementBlock]:
    """All CBEAM3 of a deck, those without a middle grid (straight) in a block of their own.

    The axis is the parabola through GA, GC and GB after their offsets, GC in its middle; x is along it, y in the plane
    of x and the orientation vector, z = x × y. Sections are linear between the stations A, C and B.
    """
    table = ctx.deck.cards("CBEAM3")
    if not len(table):
        return []
    table.unique_ids()
    _refuse(table)
    sections, which, ge, _, thermal = beam_sections(ctx, table, property_ids(table))
    for k, one in enumerate(sections):
        if one.neutral_axis.any():
            i = int(np.argmax(which == k))
            raise table.error(
                i,
                f"the section of {table.label(i)} has its neutral axis off the shear centre",
                hint="CBEAM3 takes symmetric sections; use CBEAM",
            )
    middle = ~table.blank(5)
    blocks: list[ElementBlock] = []
    for rows in (np.flatnonzero(middle), np.flatnonzero(~middle)):
        if len(rows):
            block = _block(ctx, table.select(rows), sections, which[rows], ge[rows], bool(middle[rows[0]]))
            block.expansion, block.reference_temperature = thermal[:, rows]
            blocks.append(block)
    return blocks


def _refuse(table: CardTable) -> None:
    for fields, what in (((18, 19, 20), "twist (TWA, TWB, TWC)"), ((21, 22, 23), "warping (SA, SB, SC)")):
        for j in fields:
            given = table.real(j, 0.0) != 0.0
            if given.any():
                i = int(np.argmax(given))
                raise table.error(i, f"{what} of {table.label(i)} is not supported")


def _block(ctx: Context, table: CardTable, sections, which, ge, curved: bool) -> CurvedBeamBlock:
    """Elements with or without a middle grid, nodes in order along the axis."""
    fields = ((3, 9), (5, 15), (4, 12)) if curved else ((3, 9), (4, 12))
    nodes = np.column_stack([ctx.rows(table, grid) for grid, _ in fields])
    arms = np.stack(
        [
            np.einsum(
                "nij,nj->ni",
                ctx.grids.R_basic_cd[nodes[:, k]],
                np.column_stack([table.real(first + c, 0.0) for c in range(3)]),
            )
            for k, (_, first) in enumerate(fields)
        ],
        axis=1,
    )
    places = ctx.grids.xyz[nodes] + arms
    v = orientation_vectors(ctx, table, nodes[:, 0], 6)
    bounds = (0.0, 0.5, 1.0) if curved else (0.0, 1.0)
    spans = [_span(table, places, v, sections, which, a, b) for a, b in pairwise(bounds)]
    at = np.array(list(pairwise(bounds)))
    stress = CurvedStress(*_sections_at(sections, which, at), np.full((len(table), *at.shape), np.inf),
                          np.zeros((len(table), *at.shape)))  # fmt: skip
    return CurvedBeamBlock("CBEAM3", table.integer(1), nodes, arms, spans, stress, ge)


def _sections_at(sections: list[BeamSection], which: np.ndarray, at: np.ndarray) -> list[np.ndarray]:
    """A, I1, I2, I12 (n, spans, 2) and stress points (n, spans, 2, 4, 2) at fractions `at` (spans, 2)."""
    out = [
        np.array([np.interp(at, one.x, getattr(one, name)) for one in sections])[which]
        for name in ("A", "I1", "I2", "I12")
    ]
    points = []
    for one in sections:
        given = np.zeros((len(one.x), 4, 2)) if one.stress_points is None else one.stress_points
        nearest = np.abs(at[..., None] - one.x).argmin(axis=-1)
        points.append(given[nearest])
    return [*out, np.array(points)[which]]


def _span(table: CardTable, places, v, sections, which, a: float, b: float) -> Span:
    """The stretch of each axis between the fractions a and b of its parameter."""
    t, weights = gauss_unit(POINTS)
    x, slope = _curve(places, a + (b - a) * t)
    ends, end_slope = _curve(places, np.array([a, b]))
    chord = places[:, -1] - places[:, 0]
    length = np.linalg.norm(chord, axis=1)
    for s in (slope, end_slope):
        back = ~(np.einsum("npi,ni->np", s, chord).min(axis=1) > TURNED * length**2)
        if back.any():
            i = int(np.argmax(back))
            raise table.error(
                i,
                f"the axis of {table.label(i)} has no length or turns back",
                hint="the middle grid GC belongs near the middle of a gentle arc; use more elements",
            )
    n = len(places)
    axes = []
    for s in (slope, end_slope):
        R, bad = frames(s.reshape(-1, 3), np.repeat(v, s.shape[1], axis=0))
        if bad.any():
            i = int(np.argmax(bad)) // s.shape[1]
            raise table.error(
                i, f"the orientation vector of {table.label(i)} is zero or parallel to its axis"
            )
        axes.append(R.reshape(n, -1, 3, 3))
    at = np.broadcast_to(a + (b - a) * t, (n, POINTS))
    C = np.empty((n, POINTS, 6, 6))
    mass, polar = np.empty((2, n, POINTS))
    for k, one in enumerate(sections):
        here = which == k
        if here.any():
            C[here] = one.compliance(at[here])
            A, I, nsm = (np.interp(at[here], one.x, y) for y in (one.A, one.I1 + one.I2, one.nsm))
            mass[here], polar[here] = one.rho * A + nsm, one.rho * I
    ds = np.linalg.norm(slope, axis=2) * (b - a) * weights
    return Span(ends[:, 0], ends[:, 1], x, axes[0], axes[1], ds, C, mass, polar)


def _curve(places: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, p, 3) and derivatives at parameters t (p,) from 0 to 1 of lines or parabolas through (n, k, 3)."""
    if places.shape[1] == 2:
        N, dN = np.stack([1.0 - t, t]), np.stack([-np.ones_like(t), np.ones_like(t)])
    else:
        N = np.stack([(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t * (1.0 - t), t * (2.0 * t - 1.0)])
        dN = np.stack([4.0 * t - 3.0, 4.0 - 8.0 * t, 4.0 * t - 1.0])
    return np.einsum("kp,nki->npi", N, places), np.einsum("kp,nki->npi", dN, places)
