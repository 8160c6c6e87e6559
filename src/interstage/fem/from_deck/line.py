"""Line elements of a deck: CROD, CONROD, CTUBE, CVISC, CBAR, CBEAM."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.bar import BarBlock, LineGeometry
from interstage.fem.elements.beam import BeamBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.line_common import frames
from interstage.fem.elements.rod import RodBlock, ViscousRodBlock
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import positive, property_ids, used_properties
from interstage.fem.from_deck.section_cards import bar_sections, beam_sections
from interstage.nastran import CardTable

ZERO_LENGTH = 1e-12  # of the size of the coordinates


def read(ctx: Context, rotary: bool = False) -> list[ElementBlock]:
    """All line elements of a deck, one block a card name.

    `rotary` adds the bending rotary inertia ρIL/2 at each end that Simcenter Nastran versions after 2019 put
    into the lumped mass of CBEAM and of CBAR with a PBARL (seen in results of versions 2022 and 2412).
    """
    blocks = [_crod(ctx), _ctube(ctx), _conrod(ctx), _cvisc(ctx), _cbar(ctx, rotary), _cbeam(ctx, rotary)]
    return [block for block in blocks if block is not None]


def _ends(ctx: Context, table: CardTable, a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grid rows (n, 2), unit axes (n, 3) and lengths (n,) of elements between the grids of two fields."""
    nodes = np.column_stack([ctx.rows(table, a), ctx.rows(table, b)])
    xyz = ctx.grids.xyz
    axis = xyz[nodes[:, 1]] - xyz[nodes[:, 0]]
    length = _lengths(table, axis, np.abs(xyz[nodes]).max(axis=(1, 2)))
    return nodes, axis / length[:, None], length


def _lengths(table: CardTable, axis: np.ndarray, size: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(axis, axis=1)
    bad = ~(length > ZERO_LENGTH * size)
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(
            i, f"{table.name} {table.integer(1)[i]} has no length", hint="its ends are at the same place"
        )
    return length


def _crod(ctx: Context) -> RodBlock | None:
    table = ctx.deck.cards("CROD")
    if not len(table):
        return None
    prod, back = used_properties(table, ctx.deck.cards("PROD"))
    A, J, nsm = prod.real(3, 0.0), prod.real(4, 0.0), prod.real(6, 0.0)
    iso = ctx.materials.isotropic(prod.integer(2), prod)
    return _rods(ctx, table, (3, 4), iso, A, J, nsm, back, prod.real(5, 0.0))


def _ctube(ctx: Context) -> RodBlock | None:
    table = ctx.deck.cards("CTUBE")
    if not len(table):
        return None
    ptube, back = used_properties(table, ctx.deck.cards("PTUBE"))
    outer, t, nsm = ptube.real(3), ptube.real(4, 0.0), ptube.real(5, 0.0)
    positive(ptube, outer, "OD")
    taper = ptube.real(6, 0.0)
    if ((taper != 0.0) & (taper != outer)).any():
        i = int(np.argmax((taper != 0.0) & (taper != outer)))
        raise ptube.error(i, "a tapered tube (OD2) is defined for heat transfer only")
    if ((t < 0.0) | (t > outer / 2.0)).any():
        raise ptube.error(
            int(np.argmax((t < 0.0) | (t > outer / 2.0))), "T of PTUBE must be between 0 and OD/2"
        )
    # a blank or zero wall means a solid rod
    inner = np.where(t > 0.0, outer - 2.0 * t, 0.0)
    A, J = np.pi / 4.0 * (outer**2 - inner**2), np.pi / 32.0 * (outer**4 - inner**4)
    iso = ctx.materials.isotropic(ptube.integer(2), ptube)
    return _rods(ctx, table, (3, 4), iso, A, J, nsm, back, outer / 2.0)


def _conrod(ctx: Context) -> RodBlock | None:
    table = ctx.deck.cards("CONROD")
    if not len(table):
        return None
    iso = ctx.materials.isotropic(table.integer(4), table)
    A, J, nsm = table.real(5, 0.0), table.real(6, 0.0), table.real(8, 0.0)
    return _rods(ctx, table, (2, 3), iso, A, J, nsm, np.arange(len(table)), table.real(7, 0.0))


def _rods(ctx, table, grid_fields, iso, A, J, nsm, index, C) -> RodBlock:
    """Rods of any card; C is the radius at which torsional stress is asked for."""
    nodes, axis, length = _ends(ctx, table, *grid_fields)
    block = RodBlock(
        table.name,
        table.unique_ids(),
        nodes,
        axis,
        length,
        (iso.E * A)[index],
        (iso.G * J)[index],
        (iso.rho * A + nsm)[index],
        iso.ge[index],
        A[index],
        (C / np.where(J > 0.0, J, np.inf))[index],
    )
    block.expansion, block.reference_temperature = iso.alpha[index], iso.tref[index]
    return block


def _cvisc(ctx: Context) -> ViscousRodBlock | None:
    table = ctx.deck.cards("CVISC")
    if not len(table):
        return None
    pvisc = ctx.deck.cards("PVISC")
    values: dict[int, tuple[float, float]] = {}
    columns = [(pvisc.integer(j, 0), pvisc.real(j + 1, 0.0), pvisc.real(j + 2, 0.0)) for j in (1, 5)]
    for i in range(len(pvisc)):
        for pid, ce, cr in columns:
            if pid[i] and int(pid[i]) in values:
                raise pvisc.error(i, f"property {pid[i]} is defined twice")
            if pid[i]:
                values[int(pid[i])] = (ce[i], cr[i])
    pid = property_ids(table)
    for i, one in enumerate(pid):
        if int(one) not in values:
            raise table.error(i, f"CVISC refers to property {one}, which is not in the deck")
    c = np.array([values[int(one)] for one in pid])
    nodes, axis, _ = _ends(ctx, table, 3, 4)
    return ViscousRodBlock(table.unique_ids(), nodes, axis, c[:, 0], c[:, 1])


def _cbar(ctx: Context, rotary: bool) -> BarBlock | None:
    table = ctx.deck.cards("CBAR")
    if not len(table):
        return None
    default = ctx.deck.cards("BAROR")
    section, ge, rotary_inertia, points, thermal = bar_sections(ctx, table, property_ids(table, default))
    nodes, geometry = _geometry(ctx, table, default)
    inertia = rotary_inertia if rotary else None
    block = BarBlock(table.unique_ids(), nodes, geometry, section, ge, inertia, points)
    block.expansion, block.reference_temperature = thermal
    return block


def _cbeam(ctx: Context, rotary: bool) -> BeamBlock | None:
    table = ctx.deck.cards("CBEAM")
    if not len(table):
        return None
    default = ctx.deck.cards("BEAMOR")
    sections, which, ge, warping, thermal = beam_sections(ctx, table, property_ids(table, default))
    warped = warping & ((table.integer(17, 0) != 0) | (table.integer(18, 0) != 0))
    if warped.any():
        raise table.error(
            int(np.argmax(warped)),
            "CBEAM with warping (SA, SB and a property with CW) is not supported",
            hint="remove SA and SB, or CW",
        )
    nodes, geometry = _geometry(ctx, table, default)
    if (
        geometry.pins.any()
        and isinstance(coupled := ctx.params.get("COUPMASS", -1), (int, float))
        and coupled > 0
    ):
        ctx.notes.append(
            "CBEAM pin flags with PARAM COUPMASS: the mass follows the released ends as it does for CBAR; whether "
            "NASTRAN does so is not known, and results for coarse beams may differ"
        )
    block = BeamBlock(table.unique_ids(), nodes, geometry, sections, which, ge, rotary)
    block.expansion, block.reference_temperature = thermal
    return block


def _geometry(ctx: Context, table: CardTable, default: CardTable) -> tuple[np.ndarray, LineGeometry]:
    """Grid rows (n, 2) and axes, offsets and pins of CBAR or CBEAM elements.

    The orientation vector is from GA to G0, or (X1, X2, X3) in the CD system of GA (OFFT G..) or basic
    (B..). Offsets are in the CD system of their grid (.GG), or in the offset system (O or E), whose x axis
    is from GA to GB and whose y axis lies in the plane of the orientation vector.
    """
    nodes = np.column_stack([ctx.rows(table, 3), ctx.rows(table, 4)])
    xyz, cd = ctx.grids.xyz, ctx.grids.R_basic_cd
    a, b = nodes.T
    offt = _offt(table, default)
    v = _orientation(ctx, table, default, a, offt[0])
    w = np.zeros((2, len(table), 3))
    for end, grid, first in ((0, a, 11), (1, b, 14)):
        w[end] = np.column_stack([table.real(first + k, 0.0) for k in range(3)])
        in_offset = offt[1 + end] != "G"
        turned = np.einsum("nij,nj->ni", cd[grid], w[end])
        if (in_offset & w[end].any(axis=1)).any():
            axes, _ = frames(xyz[b] - xyz[a], v)
            turned[in_offset] = np.einsum("nij,nj->ni", axes, w[end])[in_offset]
        w[end] = turned
    ends = np.stack([xyz[a] + w[0], xyz[b] + w[1]], axis=1)
    axis = ends[:, 1] - ends[:, 0]
    length = _lengths(table, axis, np.abs(ends).max(axis=(1, 2)))
    R, bad = frames(axis, v)
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(
            i,
            f"the orientation vector of {table.name} {table.integer(1)[i]} is zero or parallel to its axis",
            hint="choose another X1, X2, X3 or G0",
        )
    return nodes, LineGeometry(R, length, w[0], w[1], _pins(table))


def _offt(table: CardTable, default: CardTable) -> list[np.ndarray]:
    """Letters of the OFFT flag as three arrays (n,)."""
    word = "GGG"
    if len(default) and default.is_word(8)[0]:
        word = default.word(8)[0]
    if table.is_real(8).any():
        raise table.error(
            int(np.argmax(table.is_real(8))), f"a p-element {table.name} (field BIT) is not supported"
        )
    # the flag F of old decks: 1 for a vector, 2 for a grid, which the orientation shows by itself
    old = _safe_integer(table, 8)
    flags = np.full(len(table), word, dtype=object)
    rest = ~np.isin(old, (1, 2))
    flags[rest] = table.select(rest).word(8, word)
    known, inverse = np.unique(flags.astype(str), return_inverse=True)
    for k, flag in enumerate(known):
        if len(flag) != 3 or flag[0] not in "GB" or flag[1] not in "GOE" or flag[2] not in "GOE":
            i = int(np.argmax(inverse == k))
            raise table.error(
                i, "the flag OFFT is not known", "GGG, BGG, GGO, BGO, GOG, BOG, GOO or BOO", flag
            )
    return [np.array([flag[k] for flag in known])[inverse] for k in range(3)]


def _orientation(ctx, table, default, a, letter) -> np.ndarray:
    """Orientation vectors (n, 3) in basic axes."""
    xyz = ctx.grids.xyz
    blank = table.blank(5) & table.blank(6) & table.blank(7)
    by_grid = table.is_integer(5) & table.blank(6) & table.blank(7) & (_safe_integer(table, 5) > 0)
    standard = np.zeros(3)
    standard_grid = 0
    if len(default):
        if default.is_integer(5)[0] and default.blank(6)[0] and default.blank(7)[0]:
            standard_grid = int(default.integer(5)[0])
        else:
            standard = np.array([default.real(j, 0.0)[0] for j in (5, 6, 7)])
    v = np.zeros((len(table), 3))
    by_vector = ~by_grid
    if by_vector.any():
        part = table.select(by_vector)
        v[by_vector] = np.column_stack([part.real(5 + k, standard[k]) for k in range(3)])
    use_cd = by_vector & (letter == "G")
    v[use_cd] = np.einsum("nij,nj->ni", ctx.grids.R_basic_cd[a[use_cd]], v[use_cd])
    if by_grid.any():
        v[by_grid] = xyz[ctx.rows(table.select(by_grid), 5)] - xyz[a[by_grid]]
    if standard_grid and blank.any():
        v[blank] = xyz[ctx.rows(default, 5)[0]] - xyz[a[blank]]
    elif blank.any() and not standard.any():
        i = int(np.argmax(blank))
        raise table.error(
            i,
            f"{table.name} {table.integer(1)[i]} has no orientation",
            hint=f"give X1, X2, X3 or G0, or a {'BAROR' if table.name == 'CBAR' else 'BEAMOR'} card",
        )
    return v


def _safe_integer(table: CardTable, j: int) -> np.ndarray:
    """Integers of field j, zero where it holds something else."""
    out = np.zeros(len(table), dtype=np.int64)
    here = table.is_integer(j)
    if here.any():
        out[here] = table.select(here).integer(j)
    return out


def _pins(table: CardTable) -> np.ndarray:
    """Released components (n, 12) of ends A and B."""
    pins = np.zeros((len(table), 12), dtype=bool)
    for j, first in ((9, 0), (10, 6)):
        flags = table.integer(j, 0)
        for one in np.unique(flags):
            if not one:
                continue
            digits = set(str(one))
            if not digits <= set("123456"):
                i = int(np.argmax(flags == one))
                raise table.error(i, "a pin flag is not a list of components", "digits 1 to 6", str(one))
            pins[flags == one, first : first + 6] = [str(c) in digits for c in range(1, 7)]
    return pins
