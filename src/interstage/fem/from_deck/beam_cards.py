"""PBCOMP (sections of several materials) and PBEAM3 (three stations) as arguments of BeamSection."""

from __future__ import annotations

import numpy as np

from interstage.errors import DeckError
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.section_fields import field_at, number_at, numbers_at
from interstage.nastran import CardTable

# SECTION -> signs of y and z of the areas that stand for a given one
_SYMMETRY = {
    1: ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)),
    2: ((1.0, 1.0), (1.0, -1.0)),
    3: ((1.0, 1.0), (-1.0, 1.0)),
    4: ((1.0, 1.0), (-1.0, -1.0)),
    5: ((1.0, 1.0),),
}
WHOLE = 1e-3  # by which fractions of area may miss one


def composite_section(ctx: Context, table: CardTable, i: int) -> dict:
    """Arguments of BeamSection from one PBCOMP.

    Without areas (SECTION 0) the section is that of the card in material MID. Otherwise it is made of lumped areas
    C_i A at (Y_i, Z_i) of material MID_i, mirrored as SECTION says: stiffnesses are sums of E and G times areas, the
    neutral axis is the centre of E A and the mass lies at the centre of ρ A. J is that of the card, in MID.
    """
    row = table.row(i)
    A, I1, I2, I12, J, nsm = (number_at(table, i, row, at, 0.0) for at in range(2, 8))
    K1, K2 = (number_at(table, i, row, at, 1.0) for at in (8, 9))
    M1, M2, N1, N2 = (number_at(table, i, row, at, 0.0) for at in range(10, 14))
    kind = field_at(row, 14)
    kind = 0 if kind is None else kind
    if kind != 0 and kind not in _SYMMETRY:
        raise table.error(i, "SECTION of this PBCOMP is not known", "0 to 5", str(kind))
    out = {"x": np.array([0.0, 1.0]), "J": np.full(2, J), "nsm": np.full(2, nsm), "K1": K1, "K2": K2}
    out |= {"nsm_offset": np.array([[M1, M2]] * 2), "neutral_axis": np.array([[N1, N2]] * 2)}
    if not A > 0.0:
        raise table.error(i, "A of this PBCOMP is not possible", "a positive value", f"{A:g}")
    if not isinstance(kind, int) or kind == 0:
        return out | {name: np.full(2, v) for name, v in (("A", A), ("I1", I1), ("I2", I2), ("I12", I12))}
    return out | _lumped(ctx, table, i, row, kind, A, (K1, K2), (nsm, M1, M2))


def _lumped(ctx: Context, table: CardTable, i: int, row: list, kind: int, A, shear, extra) -> dict:
    y, z, area, E, G, rho = _areas(ctx, table, i, row, kind, A)
    own = ctx.materials.isotropic(np.array([row[1]]), table.select([i]))
    E0, G0 = float(own.E[0]), float(own.G[0])
    EA, GA = np.sum(E * area), np.sum(G * area)
    if not (E0 > 0.0 and G0 > 0.0 and EA > 0.0):
        raise table.error(i, "E and G of the materials of this PBCOMP must be positive")
    yn, zn = np.sum(E * area * y) / EA, np.sum(E * area * z) / EA
    I1, I2, I12 = (
        np.sum(E * area * a * b) / E0 for a, b in ((y - yn, y - yn), (z - zn, z - zn), (y - yn, z - zn))
    )
    nsm, M1, M2 = extra
    mass = np.append(rho * area, nsm)
    y, z = np.append(y, M1), np.append(z, M2)
    total = mass.sum()
    centre = np.array([mass @ y, mass @ z]) / (total if total else 1.0)
    polar = mass @ ((y - centre[0]) ** 2 + (z - centre[1]) ** 2)
    return {
        **{name: np.full(2, v) for name, v in (("A", EA / E0), ("I1", I1), ("I2", I2), ("I12", I12))},
        "K1": shear[0] * GA / (G0 * EA / E0),
        "K2": shear[1] * GA / (G0 * EA / E0),
        "rho": 0.0,  # all mass stands at its own centre
        "nsm": np.full(2, total),
        "nsi": np.full(2, polar),
        "nsm_offset": np.array([centre] * 2),
        "neutral_axis": np.array([[yn, zn]] * 2),
    }


def _areas(ctx: Context, table: CardTable, i: int, row: list, kind: int, A: float):
    """Arrays y, z, area, E, G, rho of all lumped areas."""
    places, fractions, mids = [], [], []
    for first in range(16, len(row), 8):
        if all(value is None for value in row[first : first + 4]):
            continue
        places.append(numbers_at(table, i, row, first, 2))
        fractions.append(number_at(table, i, row, first + 2))
        mid = field_at(row, first + 3)
        mids.append(row[1] if mid is None else mid)
    signs = np.array(_SYMMETRY[kind])
    whole = len(signs) * sum(fractions)
    # a fraction is that of one area, or of an area with its mirror images
    if not places or min(abs(whole - 1.0), abs(sum(fractions) - 1.0)) > WHOLE:
        raise table.error(
            i,
            "the fractions C of this PBCOMP do not add up to one",
            "1 with their mirror images",
            f"{whole:g}",
        )
    if not all(isinstance(mid, int) for mid in mids):
        raise table.error(i, "a material of this PBCOMP is not a number")
    try:
        iso = ctx.materials.isotropic(np.array(mids), table.select([i] * len(mids)))
    except DeckError as error:
        raise table.error(i, error.what, got=error.got) from None
    y, z = (np.array(places)[:, None] * signs).reshape(-1, 2).T
    area, E, G, rho = (
        np.repeat(one, len(signs)) for one in (A * np.array(fractions) / whole, iso.E, iso.G, iso.rho)
    )
    return y, z, area, E, G, rho


def three_stations(table: CardTable, i: int) -> dict:
    """Arguments of BeamSection from one PBEAM3: lines of A, of B and of C, each with stress points, then KY and KZ.

    A blank at B or C repeats A; J is IY + IZ where it is blank at A (Quick Reference Guide).
    """
    row = table.row(i)
    first = [number_at(table, i, row, 2), number_at(table, i, row, 3), number_at(table, i, row, 4)]
    first += [number_at(table, i, row, 5, 0.0), number_at(table, i, row, 6, first[1] + first[2])]
    first.append(number_at(table, i, row, 7, 0.0))
    points = numbers_at(table, i, row, 8, 8, [0.0] * 8)
    stations, shown = {0.0: first}, {0.0: points}
    for x, at in ((1.0, 16), (0.5, 32)):
        so = field_at(row, at)
        if so not in (None, "YES", "YESA", "NO"):
            raise table.error(i, "the stress option SO of PBEAM3 is wrong", "YES, YESA or NO", str(so))
        stations[x] = numbers_at(table, i, row, at + 2, 6, first)
        shown[x] = numbers_at(table, i, row, at + 8, 8, [0.0] * 8) if so == "YES" else points
    for at in range(50, 74):
        if number_at(table, i, row, at, 0.0) != 0.0:
            what = "offsets of the neutral axis or of mass, inertias of mass and warping of PBEAM3"
            raise table.error(i, f"{what} are not supported", hint="leave NY to CW blank")
    x = sorted(stations)
    values = np.array([stations[one] for one in x]).T
    return {
        **dict(zip(("A", "I1", "I2", "I12", "J", "nsm"), values)),
        "x": np.array(x),
        "K1": number_at(table, i, row, 48, 1.0),
        "K2": number_at(table, i, row, 49, 1.0),
        "stress_points": np.array([shown[one] for one in x]).reshape(-1, 4, 2),
    }
