"""Dynamic requests of a deck: FREQi, TSTEP, TLOADi, RLOADi, DLOAD, DAREA, DELAY, LSEQ, TIC, TABLEDi, TABDMP1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from interstage.errors import InterstageError, ModelError
from interstage.fem.dynamics import (
    Dynamics,
    FrequencyList,
    FrequencyLoad,
    ModalDamping,
    Table,
    Tabulated,
    TimeLoad,
    TimeSteps,
)
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import list_dofs, point_dofs
from interstage.fem.from_deck.random import read_random
from interstage.fem.from_deck.tables import number, read_tables, table_points
from interstage.fem.from_deck.varying import read_varying
from interstage.nastran import CardTable
from interstage.nastran.cards import DYNAMIC
from interstage.nastran.checks import check_dynamic_ids

MOST = 1_000_000  # frequencies or steps of one card


def read_dynamics(ctx: Context) -> Dynamics:
    """Return the dynamic requests; what is wrong with them waits until a response is asked for."""
    out = Dynamics()
    if ctx.deck.response_refusals:
        return Dynamics(refused=ctx.deck.response_refusals[0])
    try:
        _check_numbers(ctx)
        check_dynamic_ids(ctx.deck)
        tables = read_tables(ctx)
        _read_spatial(ctx, out)
        _read_time_loads(ctx, out, tables)
        _read_frequency_loads(ctx, out, tables)
        _read_sums(ctx, out)
        _read_frequencies(ctx, out)
        _read_steps(ctx, out)
        _read_damping(ctx, out)
        _read_start(ctx, out)
        _read_residual_dofs(ctx, out)
        read_random(ctx, out)
        out.varying = read_varying(ctx, tables)
    except InterstageError as error:
        return Dynamics(refused=error)
    return out


def _check_numbers(ctx: Context) -> None:
    """Every card has the number of its set, above zero."""
    for name in sorted(DYNAMIC - {"RVDOF1"}):  # which begins with components
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            if not row or not isinstance(row[0], int) or row[0] < 1:
                raise table.error(
                    i, f"{name} has no number", "an integer above zero", repr(row[0]) if row else "nothing"
                )


def _count(table: CardTable, i: int, row: list, j: int, name: str, default: int) -> int:
    """A number of values that a card asks for."""
    value = row[j] if j < len(row) else None
    value = default if value is None else value
    if not isinstance(value, int) or not 1 <= value <= MOST:
        raise table.error(
            i, f"{name} of this {table.name} is not possible", f"an integer up to {MOST}", repr(value)
        )
    return value


def _read_spatial(ctx: Context, out: Dynamics) -> None:
    """DAREA: SID, P1, C1, A1, P2, C2, A2.  LSEQ: SID, EXCITEID, LID, TID."""
    parts: dict[int, list] = {}
    table = ctx.deck.cards("DAREA")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 7
        for point, component, value in (row[1:4], row[4:7]):
            if point is None:
                continue
            dofs = point_dofs(ctx, table, i, point, component)
            size = value if isinstance(value, int | float) else 0.0
            parts.setdefault(row[0], []).append((dofs, np.full(len(dofs), float(size))))
    out.spatial |= _joined(parts)
    for name, target in (("DELAY", out.delays), ("DPHASE", out.phases)):
        later: dict[int, list] = {}
        for one, i, row in _rows_of(ctx, name):
            for point, component, value in (row[1:4], row[4:7]):
                if point is not None:
                    dofs = point_dofs(ctx, one, i, point, component)
                    size = number(one, i, [value], 0, "a value", 0.0)
                    later.setdefault(row[0], []).append((dofs, np.full(len(dofs), size)))
        target |= _joined(later)
        for sid, found in target.items():
            _given_once(ctx, f"{name} {sid}", *found)
    for one, i, row in _rows_of(ctx, "LSEQ"):
        if all(isinstance(v, int) for v in row[:2]):
            sets = [v if isinstance(v, int) else 0 for v in row[2:4]]
            known = out.sequences.setdefault(row[0], {})
            if row[1] in known:
                raise one.error(i, f"LSEQ {row[0]} names EXCITEID {row[1]} twice")
            known[row[1]] = (sets[0], sets[1])


def _joined(parts: dict[int, list]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    return {
        sid: (np.concatenate([p[0] for p in part]), np.concatenate([p[1] for p in part]))
        for sid, part in parts.items()
    }


def _given_once(ctx: Context, what: str, dofs: np.ndarray, *values: np.ndarray) -> None:
    """Refuse a degree of freedom that is given two values."""
    order = np.argsort(dofs, kind="stable")
    again = np.flatnonzero(np.diff(dofs[order]) == 0)
    differ = [k for k in again.tolist() if any(v[order[k]] != v[order[k + 1]] for v in values)]
    if differ:
        name = ctx.grids.name_of(int(dofs[order[differ[0]]]))
        raise ModelError(f"{what} gives {name} two values", where=ctx.deck.name, hint="remove one of them")


def _table_of(table: CardTable, i: int, tables: dict[int, Table], tid: object) -> Table:
    if not isinstance(tid, int) or tid not in tables:
        raise table.error(i, f"{table.name} refers to table {tid}, which is not among TABLED1 to TABLED4")
    return tables[tid]


def _later(value: object) -> tuple[float, int]:
    """A delay or phase: one number for all points, or the number of a card that gives it point by point."""
    if isinstance(value, int):
        return 0.0, value
    return (value, 0) if isinstance(value, float) else (0.0, 0)


def _motion(table: CardTable, i: int, value: object) -> int | None:
    """TYPE of a load: None for forces, else the derivative of displacement that is enforced."""
    if value is None or value == 0 or (isinstance(value, str) and "LOAD".startswith(value)):
        return None
    words = ("DISP", "VELO", "ACCE")
    for k, word in enumerate(words):
        if value == k + 1 or (isinstance(value, str) and value[0] == word[0] and word.startswith(value[:4])):
            return k
    raise table.error(
        i, f"TYPE of this {table.name} is not known", "0 to 3, LOAD, DISP, VELO or ACCE", str(value)
    )


def _rows_of(ctx: Context, *names: str) -> Iterator[tuple[CardTable, int, list]]:
    """Tables, rows and fields of cards of some names; what is not written is blank."""
    for name in names:
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            yield table, i, row + [None] * 10


def _read_time_loads(ctx: Context, out: Dynamics, tables: dict[int, Table]) -> None:
    """TLOAD1: SID, EXCITEID, DELAY, TYPE, TID, US0, VS0.  TLOAD2: ..., TYPE, T1, T2, F, P, C, B, US0, VS0."""
    for table, i, row in _rows_of(ctx, "TLOAD1", "TLOAD2"):
        delay, delays = _later(row[2])
        first = row[5:7] if table.name == "TLOAD1" else [*row, None, None][10:12]
        if _motion(table, i, row[3]) is not None and any(first):
            raise table.error(
                i, f"{table.name} begins its motion with US0 and VS0, which is not supported", "blanks"
            )
        more = {"delays": delays, "motion": _motion(table, i, row[3])}
        if table.name == "TLOAD1":
            load = TimeLoad(row[1], delay, _table_of(table, i, tables, row[4]), **more)
        else:
            t1, t2, f, p, c, b = (number(table, i, row, j, "a field", 0.0) for j in range(4, 10))
            if t2 <= t1:
                raise table.error(i, "T2 of this TLOAD2 is not after T1", got=f"{t1:g} to {t2:g}")
            load = TimeLoad(row[1], delay, None, t1, t2, f, np.deg2rad(p), c, b, **more)
        out.loads.setdefault(row[0], []).append(load)


def _read_frequency_loads(ctx: Context, out: Dynamics, tables: dict[int, Table]) -> None:
    """RLOAD1: SID, EXCITEID, DELAY, DPHASE, TC, TD, TYPE.  RLOAD2: ..., TB, TP, TYPE."""
    for table, i, row in _rows_of(ctx, "RLOAD1", "RLOAD2"):
        polar = table.name == "RLOAD2"
        (delay, delays), (phase, phases) = _later(row[2]), _later(row[3])
        parts = []
        for value, blank in ((row[4], 1.0 if polar and row[5] is not None else 0.0), (row[5], 0.0)):
            by_table = isinstance(value, int) and value != 0
            constant = partial(number, table, i, [value], 0, "a factor", blank)
            none = isinstance(value, int) and value == 0  # as a blank; 0. is a factor
            parts.append(_table_of(table, i, tables, value) if by_table else blank if none else constant())
        motion = _motion(table, i, row[6])
        load = FrequencyLoad(row[1], *parts, polar, delay, np.deg2rad(phase), delays, phases, motion)
        out.loads.setdefault(row[0], []).append(load)


def _read_sums(ctx: Context, out: Dynamics) -> None:
    """DLOAD: SID, S, S1, L1, S2, L2, ..."""
    table = ctx.deck.cards("DLOAD")
    for i, row in enumerate(table.rows()):
        whole = number(table, i, row, 1, "S")
        pairs = [(s, n) for s, n in zip(row[2::2], row[3::2]) if n is not None]
        if not pairs or not all(isinstance(s, int | float) and isinstance(n, int) for s, n in pairs):
            raise table.error(i, "DLOAD needs pairs of a factor and a load")
        out.sums[row[0]] = [(whole * float(s), n) for s, n in pairs]


def _read_frequencies(ctx: Context, out: Dynamics) -> None:
    """FREQ, FREQ1, FREQ2 (logarithmic), FREQ3, FREQ4 and FREQ5 (of modes); those of one set add up."""
    for name in ("FREQ", "FREQ1", "FREQ2", "FREQ3", "FREQ4", "FREQ5"):
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            row = row + [None] * 7
            low = number(table, i, row, 1, "F1", 0.0)
            if name == "FREQ":
                one = FrequencyList(
                    "given", np.array([float(v) for v in row[1:] if isinstance(v, int | float)])
                )
            elif name == "FREQ1":
                step, count = number(table, i, row, 2, "DF"), _count(table, i, row, 3, "NDF", 1)
                one = FrequencyList("given", low + step * np.arange(count + 1))
            elif name == "FREQ2":
                high, count = number(table, i, row, 2, "F2"), _count(table, i, row, 3, "NF", 1)
                if not 0.0 < low < high:
                    raise table.error(i, "FREQ2 needs 0 < F1 < F2", got=f"{low:g} and {high:g}")
                one = FrequencyList("given", low * (high / low) ** (np.arange(count + 1) / count))
            else:
                one = _of_modes(table, i, row, low)
            if low < 0.0 or one.values.min(initial=0.0) < 0.0:
                raise table.error(i, f"{name} holds a frequency below zero")
            out.frequencies.setdefault(row[0], []).append(one)


def _of_modes(table: CardTable, i: int, row: list, low: float) -> FrequencyList:
    high = number(table, i, row, 2, "F2", low if table.name == "FREQ3" else 1e20)
    none = np.zeros(0)
    if table.name == "FREQ3":
        count, cluster = (
            _count(table, i, row, 4, "NEF", 10),
            number(table, i, row, 5, "CLUSTER", 1.0),
        )
        if not cluster > 0.0 or (row[3] == "LOG" and not low > 0.0):
            raise table.error(i, "FREQ3 needs a CLUSTER above zero, and with LOG an F1 above zero")
        return FrequencyList("between", none, low, high, count, 0.0, cluster, row[3] == "LOG")
    if table.name == "FREQ4":
        spread, count = number(table, i, row, 3, "FSPD", 0.1), _count(table, i, row, 4, "NFM", 3)
        return FrequencyList("around", none, low, high, count + 1 - count % 2, spread)
    return FrequencyList(
        "fractions", np.array([float(v) for v in row[3:] if isinstance(v, int | float)]), low, high
    )


def _read_steps(ctx: Context, out: Dynamics) -> None:
    """TSTEP: SID, N1, DT1, NO1, and the same on continuations."""
    table = ctx.deck.cards("TSTEP")
    for i, row in enumerate(table.rows()):
        groups = [(row[at : at + 3] + [None] * 3)[:3] for at in range(1, len(row), 8)]
        groups = [group for group in groups if group[0] is not None]
        for count, step, _ in groups:
            known = isinstance(count, int) and isinstance(step, float)
            if not known or not 1 <= count <= MOST or not step > 0.0:
                raise table.error(i, "TSTEP needs a number of steps and their size", got=f"{count}, {step}")
        keep = tuple(group[2] if isinstance(group[2], int) and group[2] > 0 else 1 for group in groups)
        if not groups:
            raise table.error(i, "TSTEP has no steps")
        out.steps[row[0]] = TimeSteps(tuple(g[0] for g in groups), tuple(g[1] for g in groups), keep)


def _read_damping(ctx: Context, out: Dynamics) -> None:
    """TABDMP1: TID, TYPE (G, CRIT, Q), and pairs of frequency and damping."""
    table = ctx.deck.cards("TABDMP1")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 9
        kind = row[1] or "G"
        if kind not in ("G", "CRIT", "Q"):
            raise table.error(i, "TYPE of this TABDMP1 is not known", "G, CRIT or Q", str(kind))
        out.damping[row[0]] = ModalDamping(str(kind), Tabulated(*table_points(table, i, row[8:])))


def _read_residual_dofs(ctx: Context, out: Dynamics) -> None:
    """RVDOF: G1, C1, G2, C2, ...  RVDOF1: C, G1, G2, ... or G1, THRU, G2."""
    found = [np.zeros(0, dtype=np.int64)]
    table = ctx.deck.cards("RVDOF")
    for i, row in enumerate(table.rows()):
        pairs = zip(row[::2], [*row[1::2], None])
        found += [point_dofs(ctx, table, i, point, c) for point, c in pairs if point is not None]
    table = ctx.deck.cards("RVDOF1")
    for i, row in enumerate(table.rows()):
        if row:
            found.append(list_dofs(ctx, table, i, row[0], row[1:]))
    out.residual_dofs = np.unique(np.concatenate(found))


def _read_start(ctx: Context, out: Dynamics) -> None:
    """TIC: SID, G, C, U0, V0."""
    parts: dict[int, list] = {}
    table = ctx.deck.cards("TIC")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 5
        dofs = point_dofs(ctx, table, i, row[1], row[2])
        u, v = (number(table, i, row, j, "a value", 0.0) for j in (3, 4))
        parts.setdefault(row[0], []).append((dofs, np.full(len(dofs), u), np.full(len(dofs), v)))
    for sid, part in parts.items():
        out.start[sid] = tuple(np.concatenate([p[k] for p in part]) for k in range(3))
        _given_once(ctx, f"TIC {sid}", *out.start[sid])
