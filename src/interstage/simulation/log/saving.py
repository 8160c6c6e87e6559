"""What a log that is saved after its run holds: its tables, with signals of its maker and all of what acted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.simulation.log import phase_storage, points
from interstage.simulation.log.layout import Contents, LogChannel
from interstage.simulation.log.phases import Phase
from interstage.simulation.log.store import RowStore

Signals = Mapping[str, tuple[ArrayLike, str]]


def saved(
    store: RowStore, phases: Sequence[Phase], t: np.ndarray, signals: Signals
) -> tuple[Contents, list[np.ndarray]]:
    """Return contents and tables of the file of a log; signals : {name: (values (m,), unit)} at its rows t (m,)."""
    contents, (steps, *others) = store.contents, store.tables
    contents = replace(contents, acted=_acted(contents, phases, len(store.systems)))
    contents, steps = _with_signals(contents, steps, t, signals)
    tables = [steps, *others[: store.discrete], *store.remembered()]
    images = [phase_storage.image_of(b, a) for a, b in zip(store.systems, store.systems[1:])]
    if images:
        at = store.own + phase_storage.CHANGES
        rows = tables[store.own + phase_storage.PHASES].copy()
        rows[:, 1] = np.cumsum([len(image) for image in images])
        tables[at], tables[store.own + phase_storage.PHASES] = np.concatenate(images), rows
    return contents, tables


def _acted(contents: Contents, phases: Sequence[Phase], count: int) -> list[list[list[object]] | None] | None:
    """Return what acted on a vehicle alone, of each phase: times from which loads hold, and these as JSON."""
    if not contents.alone:
        return None
    found: list[list[list[object]] | None] = [None] * count
    for phase in phases:
        if phase.known:
            pairs = phase.inputs.intervals(phase.t, phase.system_at)
            found[len(phase.vehicles) - 1] = [[t, points.loads_as_json(loads)] for t, loads in pairs]
    return found


def _with_signals(
    contents: Contents, steps: np.ndarray, t: np.ndarray, signals: Signals
) -> tuple[Contents, np.ndarray]:
    """Return contents and rows of steps with more columns."""
    (names, units), *others = contents.tables
    names, units, channels, columns = list(names), list(units), dict(contents.channels), []
    for name, (given, unit) in signals.items():
        values = np.asarray(given, dtype=float)
        if values.shape != t.shape:
            raise InputError(
                f"the signal '{name}' does not fit the log",
                expected=f"{len(t)} values",
                got=f"{values.shape}",
            )
        if "\n" in f"{name}{unit}":
            raise InputError("a name in a log cannot hold a line break", got=repr(name))
        channels[name] = LogChannel(0, (len(names),), (), unit)
        names.append(name)
        units.append(unit)
        columns.append(values)
    tables = [(names, units), *others]
    return replace(contents, tables=tables, channels=channels), np.column_stack([steps, *columns])
