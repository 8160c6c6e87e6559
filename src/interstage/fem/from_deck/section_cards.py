"""Sections of bars and beams from their cards.

Fields of property cards that are read one by one: numbers with their place in messages.

PBCOMP (sections of several materials) and PBEAM3 (three stations) as arguments of BeamSection.

Properties of bars and beams: PBAR, PBARL, PBEAM, PBEAML; PBCOMP and PBEAM3 by `beam_cards`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from interstage.errors import DeckError
from interstage.fem.elements.bar import BarSection
from interstage.fem.elements.beam import BeamSection
from interstage.fem.elements.section_points import stress_points
from interstage.fem.elements.sections import SHAPES, SectionError, SectionProperties, section
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import find_properties, positive
from interstage.nastran import CardTable


def number_at(table: CardTable, i: int, row: list, at: int, default: float | None = None) -> float:
    """Number at index `at` of a row; a blank is the default, or an error without one."""
    value = row[at] if at < len(row) else None
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float):
        place = f"field {at % 8 + 2}" + (f" of continuation {at // 8}" if at >= 8 else "")
        raise table.error(
            i, f"{table.name} needs a number in {place}", got="blank" if value is None else value
        )
    return float(value)


def numbers_at(
    table: CardTable, i: int, row: list, first: int, count: int, default: Sequence[float] | None = None
) -> list[float]:
    """Numbers from index `first` of a row on; blanks are those of `default`, or an error without one."""
    return [
        number_at(table, i, row, first + k, None if default is None else default[k]) for k in range(count)
    ]


def field_at(row: list, at: int) -> int | float | str | None:
    """Value at index `at` of a row, None beyond its end."""
    return row[at] if at < len(row) else None


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


_STATION = ("A", "I1", "I2", "I12", "J", "nsm")


def _by_card(
    ctx: Context, table: CardTable, pid: np.ndarray, names: tuple[str, ...]
) -> Iterator[tuple[int, np.ndarray, CardTable, np.ndarray]]:
    """For each kind of property card that is used: its number, its elements (n,) bool, the cards, their rows."""
    sources = [ctx.deck.cards(name) for name in names]
    which, row = find_properties(table, pid, sources)
    for k, source in enumerate(sources):
        here = which == k
        if here.any():
            used, back = np.unique(row[here], return_inverse=True)
            yield k, here, source.select(used), back


def bar_sections(
    ctx: Context, table: CardTable, pid: np.ndarray
) -> tuple[BarSection, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sections of the CBAR elements in `table` with property ids `pid`.

    Returns the sections, structural damping (n,), ρI2 and ρI1 (n, 2) of bars that have a PBARL (zero for
    PBAR), which some versions of NASTRAN use as rotary inertia, stress points (n, 4, 2), and thermal expansion with its
    reference temperature (2, n).
    """
    which = np.zeros(len(pid), dtype=np.int64)
    values = np.zeros((len(pid), 8))
    points = np.zeros((len(pid), 4, 2))
    material = np.zeros((len(pid), 6))
    for k, here, source, back in _by_card(ctx, table, pid, ("PBAR", "PBARL")):
        which[here] = k
        values[here] = (_pbar(source) if k == 0 else _pbarl(ctx, source))[back]
        points[here] = (_pbar_points if k == 0 else _pbarl_points)(source)[back]
        iso = ctx.materials.isotropic(source.integer(2), source)
        material[here] = np.column_stack([iso.E, iso.G, iso.rho, iso.ge, iso.alpha, iso.tref])[back]
    A, I1, I2, I12, J, K1, K2, nsm = values.T
    E, G, rho, ge, *thermal = material.T
    rotary = np.where(which == 1, rho * np.stack([I2, I1]), 0.0).T
    return (
        BarSection(E, G, A, I1, I2, I12, J, K1, K2, rho * A + nsm),
        ge,
        rotary,
        points,
        np.array(thermal),
    )


def _pbar(table: CardTable) -> np.ndarray:
    """Columns A I1 I2 I12 J K1 K2 nsm of PBAR cards."""
    fields = {"A": 3, "I1": 4, "I2": 5, "I12": 19, "J": 6, "K1": 17, "K2": 18, "nsm": 7}
    column = {name: table.real(j, 0.0) for name, j in fields.items()}
    for name in ("A", "I1", "I2", "J"):
        positive(table, column[name], name, strict=False)
    _check_product(table, column["I1"], column["I2"], column["I12"])
    return np.column_stack(list(column.values()))


def _pbar_points(table: CardTable) -> np.ndarray:
    """Stress points (n, 4, 2) of PBAR cards."""
    return np.column_stack([table.real(j, 0.0) for j in range(9, 17)]).reshape(-1, 4, 2)


def _pbarl_points(table: CardTable) -> np.ndarray:
    """Stress points (n, 4, 2) of PBARL cards, from the centroid."""
    rows = [table.row(i) for i in range(len(table))]
    kinds = [_shape(table, i, row) for i, row in enumerate(rows)]
    return np.array([stress_points(kind, rows[i][8 : 8 + count]) for i, (kind, count) in enumerate(kinds)])


def _check_product(table, I1, I2, I12) -> None:
    bad = (I12 != 0.0) & ~(I1 * I2 > I12**2)
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(i, f"I12 of this {table.name} is too large", expected="I1 * I2 > I12**2")


def _pbarl(ctx: Context, table: CardTable) -> np.ndarray:
    """Columns A I1 I2 I12 J K1 K2 nsm of PBARL cards."""
    out = np.zeros((len(table), 8))
    shear: list[dict] = [{} for _ in range(len(table))]
    _shear_of_rods(ctx, table, shear)
    for i in range(len(table)):
        row = table.row(i)
        kind, count = _shape(table, i, row)
        s = _section(table, i, kind, numbers_at(table, i, row, 8, count))
        nsm = number_at(table, i, row, 8 + count, 0.0)
        _ends(table, i, row, 9 + count)
        K1, K2 = shear[i].get("K1", s.K1), shear[i].get("K2", s.K2)
        out[i] = s.A, s.I1, s.I2, s.I12, s.J, K1, K2, nsm
    return out


def _shape(table: CardTable, i: int, row: list) -> tuple[str, int]:
    kind = row[3] if len(row) > 3 else None
    if kind not in SHAPES or (kind == "L" and table.name == "PBARL"):
        known = ", ".join(name for name in SHAPES if name != "L" or table.name == "PBEAML")
        raise table.error(
            i, f"{table.name} needs a section type it knows", got=str(kind), hint=f"known: {known}"
        )
    return kind, SHAPES[kind][1]


def _section(table: CardTable, i: int, kind: str, dims: list[float]) -> SectionProperties:
    try:
        return section(kind, dims)
    except SectionError as error:
        raise table.error(i, str(error), got=", ".join(f"{d:g}" for d in dims)) from None


@dataclass
class _BeamData:
    """A beam property: keyword arguments of BeamSection, the material's if they are not given, and warping."""

    values: dict
    warping: bool = False


def beam_sections(
    ctx: Context, table: CardTable, pid: np.ndarray
) -> tuple[list[BeamSection], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sections of the CBEAM or CBEAM3 elements in `table` with property ids `pid`.

    Returns the sections used, the section of each element (n,), its structural damping (n,), whether its property has
    a warping coefficient (n,), and thermal expansion with its reference temperature (2, n).
    """
    sections: list[BeamSection] = []
    index = np.zeros(len(pid), dtype=np.int64)
    ge, warping, thermal = np.zeros(len(pid)), np.zeros(len(pid), dtype=bool), np.zeros((2, len(pid)))
    names = ("PBEAM", "PBEAML", "PBCOMP") if table.name == "CBEAM" else ("PBEAM3", "PBEAML")
    for k, here, source, back in _by_card(ctx, table, pid, names):
        read = _BEAM_READERS[names[k]]
        iso = ctx.materials.isotropic(source.integer(2), source)
        index[here] = len(sections) + back
        ge[here] = iso.ge[back]
        thermal[:, here] = np.array([iso.alpha, iso.tref])[:, back]
        data = [read(ctx, source, i) for i in range(len(source))]
        if names[k] == "PBEAML":
            _shear_of_rods(ctx, source, [one.values for one in data])
        warping[here] = np.array([one.warping for one in data])[back]
        for i, one in enumerate(data):
            _check_stations(source, i, one.values)
            material = {"E": float(iso.E[i]), "G": float(iso.G[i]), "rho": float(iso.rho[i])}
            sections.append(BeamSection(**(material | one.values)))
    return sections, index, ge, warping, thermal


def _shear_of_rods(ctx: Context, table: CardTable, sections: list[dict]) -> None:
    """Give ROD sections the shear factor of MSC Nastran, 6/7, where the deck names it.

    A run of MSC 2021 shows 6/7 for PBARL and PBEAML, runs of Simcenter Nastran 2019 and 2022 show 0.9; decks that name
    no solver were written for either.
    """
    rods = [one for i, one in enumerate(sections) if table.row(i)[3] == "ROD"]
    for one in rods if ctx.deck.for_msc else ():
        one["K1"] = one["K2"] = 6.0 / 7.0
    if rods and ctx.deck.for_msc:
        ctx.notes.append(f"{table.name} ROD has a shear factor of 6/7, as in MSC Nastran that the deck names")
    elif rods and ctx.deck.written_for is None:
        ctx.notes.append(
            f"{table.name} ROD has a shear factor of 0.9, as in Simcenter Nastran; MSC Nastran has 6/7, which a line "
            "'$pyNastran: version=msc' at the top of the deck asks for"
        )


def _pbeam(ctx: Context, table: CardTable, i: int) -> _BeamData:
    """Read one PBEAM with its stations.

    A blank at end B repeats end A; a blank at a station between is interpolated between the ends
    (Quick Reference Guide). K1 = K2 = 1 where blank.
    """
    row = table.row(i)
    end_a = [number_at(table, i, row, 2), number_at(table, i, row, 3), number_at(table, i, row, 4)]
    end_a += [number_at(table, i, row, at, 0.0) for at in (5, 6, 7)]
    at, points_a = 8, [0.0] * 8
    if not isinstance(field_at(row, at), str):
        points_a = numbers_at(table, i, row, at, 8, [0.0] * 8)
        at += 8
    stations: list[tuple[float, list[float | None]]] = []
    shown = {0.0: (True, points_a)}
    while isinstance(field_at(row, at), str):
        so = row[at]
        if so not in ("YES", "YESA", "NO"):
            raise table.error(i, "the stress option SO of PBEAM is wrong", "YES, YESA or NO", so)
        x = number_at(table, i, row, at + 1, 1.0)
        if not 0.0 < x <= 1.0:
            raise table.error(i, "a station X/XB of PBEAM is not on the beam", "0 < X/XB <= 1", f"{x:g}")
        blank = [field_at(row, at + k) is None for k in range(2, 8)]
        values = [None if blank[k] else number_at(table, i, row, at + 2 + k) for k in range(6)]
        stations.append((x, values))
        points = numbers_at(table, i, row, at + 8, 8, [0.0] * 8) if so == "YES" else points_a
        shown[x] = (so != "NO", points)
        at += 16 if so == "YES" else 8
    x, values = _complete(table, i, end_a, stations)
    K1, K2 = number_at(table, i, row, at, 1.0), number_at(table, i, row, at + 1, 1.0)
    S1, S2 = number_at(table, i, row, at + 2, 0.0), number_at(table, i, row, at + 3, 0.0)
    nsi_a = number_at(table, i, row, at + 4, 0.0)
    nsi = np.array([nsi_a, number_at(table, i, row, at + 5, nsi_a)])
    warping = any(number_at(table, i, row, at + k, 0.0) != 0.0 for k in (6, 7))
    offsets = []
    for first in (at + 8, at + 12):
        a = numbers_at(table, i, row, first, 2, (0.0, 0.0))
        offsets.append(np.array([a, numbers_at(table, i, row, first + 2, 2, a)]))
    _ends(table, i, row, at + 16)
    data = dict(zip(_STATION, values.T))
    data |= {"x": x, "K1": K1, "K2": K2, "S1": S1, "S2": S2, "nsi": nsi}
    asked = [shown.get(float(one), (True, points_a)) for one in x]
    data["output"] = np.array([one[0] for one in asked])
    data["stress_points"] = np.array([one[1] for one in asked]).reshape(-1, 4, 2)
    return _BeamData(data | {"nsm_offset": offsets[0], "neutral_axis": offsets[1]}, warping)


def _ends(table: CardTable, i: int, row: list, last: int) -> None:
    """Refuse values behind the last field of a card whose length depends on what is in it."""
    if len(row) > last:
        raise table.error(
            i,
            f"{table.label(i)} has values behind its last field",
            expected=f"at most {last} data fields as it stands",
            got=str(next(one for one in row[last:] if one is not None)),
            hint="a station with SO = NO or YESA has no line of stress points"
            if table.name == "PBEAM"
            else None,
        )


def _complete(table, i, end_a, stations) -> tuple[np.ndarray, np.ndarray]:
    """Stations (s,) in order and their values (s, 6) with blanks filled."""
    stations = sorted(stations, key=lambda one: one[0])
    positions = [one[0] for one in stations]
    if len(set(positions)) < len(positions):
        raise table.error(i, "two stations of PBEAM have the same X/XB")
    if not positions or positions[-1] < 1.0:
        stations.append((1.0, [None] * 6))
    end_b = [a if b is None else b for a, b in zip(end_a, stations[-1][1])]
    x, out = [0.0], [end_a]
    for position, values in stations[:-1]:
        between = [(1.0 - position) * a + position * b for a, b in zip(end_a, end_b)]
        x.append(position)
        out.append([b if v is None else v for v, b in zip(values, between)])
    return np.array([*x, 1.0]), np.array([*out, end_b])


def _pbeaml(ctx: Context, table: CardTable, i: int) -> _BeamData:
    """Read one PBEAML: dimensions at end A, at stations between, and at end B (end A's if not given)."""
    row = table.row(i)
    kind, n = _shape(table, i, row)
    dims = numbers_at(table, i, row, 8, n)
    nsm = number_at(table, i, row, 8 + n, 0.0)
    stations, shown = {0.0: (dims, nsm)}, {}
    at = 9 + n
    while at < len(row):
        so = field_at(row, at)
        if so is not None and so not in ("YES", "NO", "YESA"):
            raise table.error(i, "the stress option SO of PBEAML is wrong", "YES or NO", str(so))
        x = number_at(table, i, row, at + 1, 1.0)
        if not 0.0 < x <= 1.0 or x in stations:
            raise table.error(i, "a station X/XB of PBEAML is repeated or not on the beam", got=f"{x:g}")
        shown[x] = so != "NO"
        stations[x] = (
            numbers_at(table, i, row, at + 2, n, dims),
            number_at(table, i, row, at + 2 + n, 0.0),
        )
        at += 3 + n
    stations.setdefault(1.0, (dims, nsm))
    x = sorted(stations)
    sections = [_section(table, i, kind, stations[one][0]) for one in x]
    data = {name: np.array([getattr(s, name) for s in sections]) for name in _STATION[:5]}
    data |= {"x": np.array(x), "nsm": np.array([stations[one][1] for one in x])}
    data |= {"K1": sections[0].K1, "K2": sections[0].K2}
    data["neutral_axis"] = np.array([sections[0].neutral_axis, sections[-1].neutral_axis])
    data["output"] = np.array([shown.get(one, True) for one in x])
    data["stress_points"] = np.array(
        [stress_points(kind, stations[one][0]) + s.neutral_axis for one, s in zip(x, sections)]
    )
    return _BeamData(data, warping=False)


def _check_stations(table: CardTable, i: int, values: dict) -> None:
    for name in ("A", "I1", "I2"):
        if not (values[name] > 0.0).all():
            raise table.error(
                i,
                f"{name} of this {table.name} is not possible",
                "a positive value",
                f"{values[name].min():g}",
            )
    if not (values["J"] >= 0.0).all():
        raise table.error(i, f"J of this {table.name} is negative")
    if not (values["I1"] * values["I2"] > values["I12"] ** 2).all():
        raise table.error(i, f"I12 of this {table.name} is too large", expected="I1 * I2 > I12**2")


_BEAM_READERS = {
    "PBEAM": _pbeam,
    "PBEAML": _pbeaml,
    "PBCOMP": lambda ctx, table, i: _BeamData(composite_section(ctx, table, i)),
    "PBEAM3": lambda ctx, table, i: _BeamData(three_stations(table, i)),
}
