"""Dynamic requests of a deck: FREQi, TSTEP, TLOADi, RLOADi, DLOAD, DAREA, LSEQ, TIC, TABLEDi, TABDMP1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from interstage.errors import DeckError, InterstageError
from interstage.fem.dynamics import (
    Dynamics,
    FrequencyList,
    FrequencyLoad,
    ModalDamping,
    Polynomial,
    Table,
    Tabulated,
    TimeLoad,
    TimeSteps,
)
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import point_dofs
from interstage.nastran import CardTable
from interstage.nastran.registry import DYNAMIC

MOST = 1_000_000  # frequencies or steps of one card


def read_dynamics(ctx: Context) -> Dynamics:
    """Return the dynamic requests; what is wrong with them waits until a response is asked for."""
    out = Dynamics()
    if ctx.deck.response_refusals:
        return Dynamics(refused=ctx.deck.response_refusals[0])
    try:
        _check_numbers(ctx)
        tables = _tables(ctx)
        _read_spatial(ctx, out)
        _read_time_loads(ctx, out, tables)
        _read_frequency_loads(ctx, out, tables)
        _read_sums(ctx, out)
        _read_frequencies(ctx, out)
        _read_steps(ctx, out)
        _read_damping(ctx, out)
        _read_start(ctx, out)
        out.by_frequency = _by_frequency(ctx)
    except InterstageError as error:
        return Dynamics(refused=error)
    return out


def _check_numbers(ctx: Context) -> None:
    """Every card has the number of its set, above zero."""
    for name in sorted(DYNAMIC):
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            if not row or not isinstance(row[0], int) or row[0] < 1:
                raise table.error(
                    i, f"{name} has no number", "an integer above zero", repr(row[0]) if row else "nothing"
                )


def _number(table: CardTable, i: int, row: list, j: int, name: str, default: float | None = None) -> float:
    value = row[j] if j < len(row) else None
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float):
        raise table.error(i, f"{name} of this {table.name} is missing or not a number", got=repr(value))
    return float(value)


def _count(table: CardTable, i: int, row: list, j: int, name: str, default: int) -> int:
    """A number of values that a card asks for."""
    value = row[j] if j < len(row) else None
    value = default if value is None else value
    if not isinstance(value, int) or not 1 <= value <= MOST:
        raise table.error(
            i, f"{name} of this {table.name} is not possible", f"an integer up to {MOST}", repr(value)
        )
    return value


def _points(table: CardTable, i: int, row: list) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a table up to ENDT; SKIP leaves one out."""
    x, y = [], []
    for a, b in zip(row[::2], [*row[1::2], None]):
        if a == "ENDT" or (a is None and b is None):
            if a == "ENDT":
                break
            continue
        if "SKIP" in (a, b):
            continue
        if not isinstance(a, int | float) or not isinstance(b, int | float):
            raise table.error(i, f"{table.name} needs pairs of numbers up to ENDT", got=f"{a}, {b}")
        x.append(float(a))
        y.append(float(b))
    if not x:
        raise table.error(i, f"{table.name} has no points")
    order = np.argsort(x, kind="stable")
    return np.array(x)[order], np.array(y)[order]


def _tables(ctx: Context) -> dict[int, Table]:
    out: dict[int, Table] = {}
    for name in ("TABLED1", "TABLED2", "TABLED3", "TABLED4"):
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            row = row + [None] * 9
            if name == "TABLED4":
                coefficients = []
                for value in row[8:]:
                    if value == "ENDT":
                        break
                    if value is not None:
                        coefficients.append(_number(table, i, [value], 0, "a coefficient"))
                shift, scale, low, high = (_number(table, i, row, j, f"X{j}") for j in (1, 2, 3, 4))
                out[row[0]] = Polynomial(np.array(coefficients), shift, scale, low, high)
                continue
            x, y = _points(table, i, row[8:])
            if name == "TABLED1":
                axes = (row[1] == "LOG", row[2] == "LOG")
                if any(log and not v.min() > 0.0 for v, log in zip((x, y), axes)):
                    raise table.error(i, "a TABLED1 has numbers up to zero on an axis that is LOG")
                out[row[0]] = Tabulated(x, y, logarithmic=axes, held=row[3] == 1)
            else:
                scale = _number(table, i, row, 2, "X2", 1.0) if name == "TABLED3" else 1.0
                held = row[3 if name == "TABLED3" else 2] == 1
                out[row[0]] = Tabulated(x, y, _number(table, i, row, 1, "X1", 0.0), scale, held=held)
    return out


def _by_frequency(ctx: Context) -> DeckError | None:
    """The error about a spring or damper that changes with frequency; tables of force over stroke are not meant."""
    for name, last in (("PELAST", 3), ("PDAMPT", 2)):
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            if any(isinstance(value, int) and value > 0 for value in row[1:last]):
                return table.error(i, f"{name} changes with frequency, which is not supported")
    table = ctx.deck.cards("PBUSHT")
    for i, row in enumerate(table.rows()):
        for first in range(1, len(row), 8):
            values = row[first + 1 : first + 7]
            if row[first] in ("K", "B", "GE") and any(isinstance(v, int) and v > 0 for v in values):
                return table.error(i, "PBUSHT changes with frequency, which is not supported")
    return None


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
    for sid, part in parts.items():
        out.spatial[sid] = (np.concatenate([p[0] for p in part]), np.concatenate([p[1] for p in part]))
    for row in ctx.deck.cards("LSEQ").rows():
        row = row + [None] * 4
        if all(isinstance(v, int) for v in row[:2]):
            sets = [v if isinstance(v, int) else 0 for v in row[2:4]]
            out.sequences.setdefault(row[0], {})[row[1]] = (sets[0], sets[1])


def _table_of(table: CardTable, i: int, tables: dict[int, Table], tid: object) -> Table:
    if not isinstance(tid, int) or tid not in tables:
        raise table.error(i, f"{table.name} refers to table {tid}, which is not among TABLED1 to TABLED4")
    return tables[tid]


def _real_only(table: CardTable, i: int, value: object, name: str) -> float:
    """A delay or phase that is a number; those given point by point are not supported."""
    if isinstance(value, int) and value != 0:
        raise table.error(i, f"{name} cards are not supported", hint=f"give {name} as a real number")
    return float(value) if isinstance(value, int | float) else 0.0


def _force_only(table: CardTable, i: int, value: object) -> None:
    if value not in (None, 0, "L", "LO", "LOA", "LOAD"):
        raise table.error(
            i, f"enforced motion ({table.name} TYPE {value}) is not supported", "TYPE 0 or LOAD"
        )


def _rows_of(ctx: Context, *names: str) -> Iterator[tuple[CardTable, int, list]]:
    """Tables, rows and fields of cards of some names; what is not written is blank."""
    for name in names:
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            yield table, i, row + [None] * 10


def _read_time_loads(ctx: Context, out: Dynamics, tables: dict[int, Table]) -> None:
    """TLOAD1: SID, EXCITEID, DELAY, TYPE, TID.  TLOAD2: SID, EXCITEID, DELAY, TYPE, T1, T2, F, P, C, B."""
    for table, i, row in _rows_of(ctx, "TLOAD1", "TLOAD2"):
        _force_only(table, i, row[3])
        delay = _real_only(table, i, row[2], "DELAY")
        if table.name == "TLOAD1":
            load = TimeLoad(row[1], delay, _table_of(table, i, tables, row[4]))
        else:
            t1, t2, f, p, c, b = (_number(table, i, row, j, "a field", 0.0) for j in range(4, 10))
            if t2 <= t1:
                raise table.error(i, "T2 of this TLOAD2 is not after T1", got=f"{t1:g} to {t2:g}")
            load = TimeLoad(row[1], delay, None, t1, t2, f, np.deg2rad(p), c, b)
        out.loads.setdefault(row[0], []).append(load)


def _read_frequency_loads(ctx: Context, out: Dynamics, tables: dict[int, Table]) -> None:
    """RLOAD1: SID, EXCITEID, DELAY, DPHASE, TC, TD, TYPE.  RLOAD2: ..., TB, TP, TYPE."""
    for table, i, row in _rows_of(ctx, "RLOAD1", "RLOAD2"):
        polar = table.name == "RLOAD2"
        _force_only(table, i, row[6])
        delay, phase = _real_only(table, i, row[2], "DELAY"), _real_only(table, i, row[3], "DPHASE")
        parts = []
        for value, blank in ((row[4], 1.0 if polar and row[5] is not None else 0.0), (row[5], 0.0)):
            by_table = isinstance(value, int) and value != 0
            constant = partial(_number, table, i, [value], 0, "a factor", blank)
            parts.append(_table_of(table, i, tables, value) if by_table else constant() or blank)
        load = FrequencyLoad(row[1], *parts, polar, delay, np.deg2rad(phase))
        out.loads.setdefault(row[0], []).append(load)


def _read_sums(ctx: Context, out: Dynamics) -> None:
    """DLOAD: SID, S, S1, L1, S2, L2, ..."""
    table = ctx.deck.cards("DLOAD")
    for i, row in enumerate(table.rows()):
        whole = _number(table, i, row, 1, "S")
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
            low = _number(table, i, row, 1, "F1", 0.0)
            if name == "FREQ":
                one = FrequencyList(
                    "given", np.array([float(v) for v in row[1:] if isinstance(v, int | float)])
                )
            elif name == "FREQ1":
                step, count = _number(table, i, row, 2, "DF"), _count(table, i, row, 3, "NDF", 1)
                one = FrequencyList("given", low + step * np.arange(count + 1))
            elif name == "FREQ2":
                high, count = _number(table, i, row, 2, "F2"), _count(table, i, row, 3, "NF", 1)
                if not 0.0 < low < high:
                    raise table.error(i, "FREQ2 needs 0 < F1 < F2", got=f"{low:g} and {high:g}")
                one = FrequencyList("given", low * (high / low) ** (np.arange(count + 1) / count))
            else:
                one = _of_modes(table, i, row, low)
            if low < 0.0 or one.values.min(initial=0.0) < 0.0:
                raise table.error(i, f"{name} holds a frequency below zero")
            out.frequencies.setdefault(row[0], []).append(one)


def _of_modes(table: CardTable, i: int, row: list, low: float) -> FrequencyList:
    high = _number(table, i, row, 2, "F2", low if table.name == "FREQ3" else 1e20)
    none = np.zeros(0)
    if table.name == "FREQ3":
        count, cluster = (
            _count(table, i, row, 4, "NEF", 10),
            _number(table, i, row, 5, "CLUSTER", 1.0),
        )
        if not cluster > 0.0 or (row[3] == "LOG" and not low > 0.0):
            raise table.error(i, "FREQ3 needs a CLUSTER above zero, and with LOG an F1 above zero")
        return FrequencyList("between", none, low, high, count, 0.0, cluster, row[3] == "LOG")
    if table.name == "FREQ4":
        spread, count = _number(table, i, row, 3, "FSPD", 0.1), _count(table, i, row, 4, "NFM", 3)
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
        out.damping[row[0]] = ModalDamping(str(kind), Tabulated(*_points(table, i, row[8:])))


def _read_start(ctx: Context, out: Dynamics) -> None:
    """TIC: SID, G, C, U0, V0."""
    parts: dict[int, list] = {}
    table = ctx.deck.cards("TIC")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 5
        dofs = point_dofs(ctx, table, i, row[1], row[2])
        u, v = (_number(table, i, row, j, "a value", 0.0) for j in (3, 4))
        parts.setdefault(row[0], []).append((dofs, np.full(len(dofs), u), np.full(len(dofs), v)))
    for sid, part in parts.items():
        out.start[sid] = tuple(np.concatenate([p[k] for p in part]) for k in range(3))
