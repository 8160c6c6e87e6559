"""Random loads of a deck: RANDPS, RANDT1, TABRND1 and TABRNDG."""

from __future__ import annotations

import numpy as np

from interstage.fem.dynamics import Dynamics, Gust, Tabulated
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.tables import number, table_points

MOST = 1_000_000  # time lags of one card
TURBULENCE = {1: (1.339, 1.0 / 3.0), 2: (1.0, 0.5)}  # von Kármán, Dryden


def read_random(ctx: Context, out: Dynamics) -> None:
    """Add spectra, random loads and time lags to the dynamic requests."""
    _read_spectra(ctx, out)
    table = ctx.deck.cards("RANDPS")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 6
        j, k = row[1:3]
        if not all(isinstance(one, int) and one > 0 for one in (j, k)) or j > k:
            raise table.error(i, "RANDPS needs two subcases J and K, J first", got=f"{j}, {k}")
        x, y = (number(table, i, row, at, name, 0.0) for at, name in ((3, "X"), (4, "Y")))
        if j == k and y != 0.0:
            raise table.error(i, "RANDPS of one subcase cannot have an imaginary part Y", got=f"{y:g}")
        tid = row[5] if isinstance(row[5], int) else 0
        if tid and tid not in out.spectra:
            raise table.error(i, f"RANDPS refers to table {tid}, which is neither TABRND1 nor TABRNDG")
        out.random.setdefault(row[0], []).append((j, k, complex(x, y), tid))
    table = ctx.deck.cards("RANDT1")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 4
        count, first, last = row[1], number(table, i, row, 2, "T0", 0.0), number(table, i, row, 3, "TMAX")
        if not isinstance(count, int) or not 0 < count <= MOST or not last > first:
            raise table.error(i, "RANDT1 needs a number of intervals, and TMAX above T0")
        lags = first + (last - first) / count * np.arange(count + 1)
        out.lags[row[0]] = np.union1d(out.lags.get(row[0], lags), lags)


def _read_spectra(ctx: Context, out: Dynamics) -> None:
    """TABRND1: TID, XAXIS, YAXIS, and pairs of frequency and spectrum.  TABRNDG: TID, TYPE, L/U, WG."""
    table = ctx.deck.cards("TABRND1")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 9
        x, y = table_points(table, i, row[8:])
        axes = (row[1] == "LOG", row[2] == "LOG")
        if any(log and not v.min() > 0.0 for v, log in zip((x, y), axes)):
            raise table.error(i, "a TABRND1 has numbers up to zero on an axis that is LOG")
        if y.min() < 0.0:
            raise table.error(i, "a spectrum cannot be below zero", got=f"{y.min():g}")
        out.spectra[row[0]] = Tabulated(x, y, logarithmic=axes)
    table = ctx.deck.cards("TABRNDG")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 4
        if row[1] not in TURBULENCE:
            raise table.error(
                i, "TYPE of this TABRNDG is not known", "1 (von Kármán) or 2 (Dryden)", str(row[1])
            )
        ratio, size = (number(table, i, row, j, name) for j, name in ((2, "L/U"), (3, "WG")))
        out.spectra[row[0]] = Gust(ratio, size, *TURBULENCE[row[1]])
