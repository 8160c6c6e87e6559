"""Figures of flights: ports and places over time, a chart for each.

Continuous signals are lines; what is sampled keeps its value from one sample to the next, and is drawn so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.multibody.loads import split_place
from interstage.report.plots import COLORS, STYLES, dress, new_figure
from interstage.system.log.log import Series
from interstage.system.log.simulation_log import FlightLog

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from interstage.multibody.types import Node

MOST_CHARTS = 12  # of a log of which nothing is chosen
MOST_NAMED = 8  # curves of a chart that are named
MOST_POINTS = 6000  # of a curve
AXES = "xyz"
# what a chart of a body's coordinates of a kind is called, and their unit
BODY_CHARTS = {
    "angle": ("turn", "rad"),
    "length": ("travel", "m"),
    "quaternion": ("quaternion", ""),
    "modal": ("modes", ""),
}


def flight_figure(
    log: FlightLog, names: Sequence[str], place: tuple[str, Node] | str | None = None, title: str = ""
) -> Figure:
    """Draw ports of a log over time, and with `place` the position and angular velocity of a place of the vehicle.

    names : ports, patterns, sums or differences, each a chart; bodies, with charts of their joint and modes; none: what
        was sampled or written first
    """
    if len(log.t) < 2:
        raise InputError("a log of fewer than two rows has no curves", got=f"{len(log.t)} rows")
    charts = [chart for name in names for chart in _charts(log, name)]
    if not charts and place is None:
        charts = [one for one in log.written() if one.columns.size][:MOST_CHARTS]
    charts += [] if place is None else _motion(log, place)
    if not charts:
        raise InputError("there is nothing to draw", hint="give names of ports, or place=(body, node)")
    figure = new_figure(8.0, 0.9 + 1.75 * max(len(charts), 1.4))
    all_axes = np.atleast_1d(figure.subplots(len(charts), 1, sharex=True))
    for axes, one in zip(all_axes, charts):
        _chart(axes, one)
        for event in log.events:
            axes.axvline(event.t, color="0.55", lw=0.8, ls=(0, (2, 2)), zorder=0)
    for event in log.events[:MOST_NAMED]:
        all_axes[0].annotate(
            event.name, (event.t, 1.0), xycoords=("data", "axes fraction"), fontsize=7, color="0.4",
            rotation=90, ha="right", va="top", xytext=(-2, -2), textcoords="offset points",
        )  # fmt: skip
    all_axes[-1].set_xlabel("time, s")
    all_axes[-1].set_xlim(log.t[0], log.t[-1])
    figure.align_ylabels(list(all_axes))
    figure.suptitle(title or log.name, fontsize=12, x=0.01, ha="left")
    return figure


def _charts(log: FlightLog, name: str) -> list[Series]:
    """Return what a name means: a port or more, or the numbers of a body by their kinds."""
    if name not in log.system.layout or name in log.contents.channels:
        return [log.series(name)]
    body, where = log[name], log.system.layout[name]
    assert not isinstance(body, np.ndarray)
    t, found = getattr(body, "t", log.t), []
    for entries, parts, rate in (
        (where.coordinates(), (body.q, body.eta), ""),
        (where.rates(), (body.v, body.etadot), "/s"),
    ):
        columns = np.concatenate(parts, axis=1)
        for kind, group in groupby(enumerate(entries), key=lambda entry: entry[1].kind):
            numbers, labels = zip(*((k, entry.name) for k, entry in group))
            words, unit = BODY_CHARTS[kind]
            said = f"{name}: {'rate of ' if rate else ''}{words}"
            found.append(Series(said, t, columns[:, list(numbers)], unit and unit + rate, list(labels)))
    if not found:
        raise InputError(
            f"the joint of '{name}' is locked: there is nothing to draw", hint="place= draws where it is"
        )
    return found


def _chart(axes: Axes, one: Series) -> None:
    """Draw the curves of one chart; their names stand beside it."""
    columns, labels = one.columns, _labels(one)
    keep = slice(None, None, max(1, -(-len(one.t) // MOST_POINTS)))
    for k, values in enumerate(columns.T):
        axes.plot(
            one.t[keep],
            values[keep],
            color=COLORS[k % len(COLORS)],
            ls=STYLES[k // len(COLORS) % len(STYLES)],
            lw=1.2,
            drawstyle="steps-post" if one.held else "default",
            label=labels[k] if k < MOST_NAMED else None,
        )
    unit = "" if one.unit == "1" else one.unit
    dress(axes, "", unit, legend=False)
    more = f", {columns.shape[1]} curves" if columns.shape[1] > MOST_NAMED else ""
    axes.set_title(f"{one.name}{more}", fontsize=9.5, loc="left", pad=3)
    if columns.shape[1] > 1:
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 5), useMathText=True)
    axes.yaxis.get_offset_text().set_fontsize(8)
    axes.tick_params(labelsize=8.5)


def _labels(one: Series) -> list[str]:
    """Return short names of the curves: axes of a vector, members of a pattern."""
    n = one.columns.shape[1]
    fields = {label.partition("[")[0] for label in one.labels}
    if len(fields) == 1:
        return list(AXES[:n]) if n == 3 else [str(k) for k in range(n)]
    tails = {label.rpartition(".")[2].partition("[")[0] for label in one.labels}
    if len(tails) > 1:
        return one.labels
    return [label.replace(f".{next(iter(tails))}", "", 1) for label in one.labels]


def _motion(log: FlightLog, place: tuple[str, Node] | str) -> list[Series]:
    """Return where a place was and how it turned."""
    body, node = split_place(place)
    said = body if node is None else f"{body} {np.asarray(node).tolist()}"
    spin, t = log.velocity(body, node)[:, :3], np.concatenate([phase.t for phase in log.having(body)])
    return [
        Series(f"position of {said}", t, log.position(body, node), "m", ["p"] * 3),
        Series(f"angular velocity of {said}, world axes", t, spin, "rad/s", ["w"] * 3),
    ]
