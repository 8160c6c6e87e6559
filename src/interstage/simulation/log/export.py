"""Logs of flights in other forms: text, commas, xarray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody.joints.elementary_motions import ANGLE, LENGTH
from interstage.multibody.summary import table
from interstage.output import whole_file
from interstage.simulation.log.series import Series

if TYPE_CHECKING:
    from interstage.simulation.log.log import Log


MOST = 60  # ports that are listed
BLOCK = 4096  # rows of text at once


def log_text(log: Log) -> str:
    """Return a log as text: what it is of, then every rate with its ports, their units, ranges and last values.

    Of a vehicle alone: what its bodies did, under the names that `log["body"]` has for it.
    """
    system, t = log.system, log.t
    span = f"t = {t[0]:g} to {t[-1]:g} s" if len(t) else "nothing yet"
    many = f", {len(log.phases)} phases" if len(log.phases) > 1 else ""
    lines = [f"log of {log.title}: {span}, {len(t)} rows{many}"]
    if system.nv:
        lines.append(f"  vehicle '{system.model.name}': {len(system.bodies)} bodies, {system.nv} velocities")
    shown = 0
    rates: dict[int, list[Series]] = {}
    for one in log.written():
        rates.setdefault(len(one.t) if one.held else -1, []).append(one)
    if log.contents.alone:
        rates = {-1: [*_motions(log), *rates.get(-1, [])]}
    for rows, members in rates.items():
        if members:
            lines.append("  " + ("at every row" if rows < 0 else _rate(members[0])))
        head = ["motion" if log.contents.alone else "port", "unit", "smallest", "largest", "last"]
        cells = [_row(one) for one in members[: MOST - shown]]
        lines += [f"    {line}" for line in table(head, cells)] if cells else []
        shown += len(cells)
        if len(cells) < len(members):
            lines.append(f"    ... and {len(members) - len(cells)} more")
    lines += [f"  - {event}" for event in log.events]
    return "\n".join(lines)


def _motions(log: Log) -> list[Series]:
    """Return what bodies did by the names of `BodyState`, as far as that is one quantity in all phases."""
    found = []
    for body in dict.fromkeys(body for phase in log.phases for body in phase.system.bodies):
        having = log.having(body)
        places, t = [phase.system.layout[body] for phase in having], np.concatenate([p.t for p in having])
        names: list[str] = []
        if len({type(where.joint) for where in places}) == 1 and places[0].joint.nv:
            names += ["position", "quaternion", "velocity"] if places[0].position else ["q", "v"]
        if len({where.n_modes for where in places}) == 1 and places[0].n_modes:
            names += ["eta", "etadot"]
        kinds = {one.kind for one in places[0].joint.coordinates}
        length = log.system.units.get("length", "m")
        units = {"position": length, "q": {ANGLE: "rad", LENGTH: length}.get("".join(kinds), "")}
        for name in names:
            values = np.concatenate([getattr(phase[body], name) for phase in having])
            found.append(Series(f"{body}.{name}", t, values, units.get(name, ""), []))
    return found


def _rate(one: Series) -> str:
    if len(one.t) < 2:
        return f"{len(one.t)} samples"
    step = float(np.median(np.diff(one.t)))
    return f"every {step:.6g} s, {len(one.t)} samples"


def _row(one: Series) -> list[str]:
    columns = one.columns
    size = "" if one.values.ndim == 1 else f"[{columns.shape[1]}]"
    if not columns.size or np.isnan(columns).all():
        return [one.name + size, one.unit, "-", "-", "-"]
    last = ", ".join(f"{value:.4g}" for value in columns[-1][:4]) + (", …" if columns.shape[1] > 4 else "")
    return [one.name + size, one.unit, f"{np.nanmin(columns):.4g}", f"{np.nanmax(columns):.4g}", last]


def write_csv(log: Log, path: str | Path, names: Sequence[str]) -> None:
    """Write ports as text with commas; numbers have all their digits."""
    found = [log.series(name) for name in names]
    if found and all(one.held and np.array_equal(one.t, found[0].t) for one in found):
        t = found[0].t
        labels = [(label, one.unit) for one in found for label in one.labels]
        values = np.concatenate([one.columns for one in found], axis=1)
    else:
        columns = log.columns(*names)
        t, labels = log.t, [(one.name, one.unit) for one in columns]
        values = np.array([one.values for one in columns]).reshape(len(columns), len(t)).T
    heads = ["time [s]", *(f"{name} [{unit}]" for name, unit in labels)]
    with whole_file(path, "CSV file") as part, open(part, "w", encoding="utf-8", newline="") as f:
        f.write(",".join(_quoted(head) for head in heads) + "\n")
        for lines in _lines(np.column_stack([t, values])):
            f.write(lines)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


def _lines(rows: np.ndarray) -> Iterator[str]:
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK].tolist()
        yield "".join(",".join(map(repr, row)) + "\n" for row in block)


def dataset_of(log: Log, names: Sequence[str]) -> Mapping[str, ArrayLike]:
    """Return ports as a Dataset; every rate has a coordinate of times of its own."""
    try:
        from xarray import Dataset
    except ImportError:
        raise InputError("to_xarray needs xarray", hint="install it: pip install xarray") from None
    found = [log.series(name) for name in names] if names else log.written()
    times: list[np.ndarray] = [log.t]
    variables: dict[str, tuple] = {}
    for one in found:
        rate = next((k for k, t in enumerate(times) if np.array_equal(t, one.t)), len(times))
        if rate == len(times):
            times.append(one.t)
        axes = [f"{one.name} axis {k}" for k in range(one.values.ndim - 1)]
        variables[one.name] = ([_time(rate), *axes], one.values, {"units": one.unit})
    alike = len({(phase.system.nq, phase.system.nv) for phase in log.phases}) == 1
    for name, values in (("q", log.q), ("v", log.v)) if alike and not names else ():
        variables[f"vehicle.{name}"] = ([_time(0), f"vehicle.{name} axis 0"], values, {})
    used = {axes[0] for axes, *_ in variables.values()}
    coordinates = {_time(k): ([_time(k)], t, {"units": "s"}) for k, t in enumerate(times) if _time(k) in used}
    return Dataset(variables, coordinates, {"flight": log.name})


def _time(rate: int) -> str:
    return f"time_{rate}" if rate else "time"
