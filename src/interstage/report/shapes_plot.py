"""The picture of constant shapes over a burn: frequencies beside those of the whole structure, and the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.report.plots import BLUE, COLORS, GREY, ORANGE, dress, new_figure
from interstage.vehicle.shapes import ShapesReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def shapes_figure(report: ShapesReport) -> Figure:
    """Draw frequencies over the fill, lines of the whole structure and points of the shapes, and errors below."""
    figure = new_figure(7.5, 6.5)
    top, low = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    fills = report.fills
    for k in range(max(len(one.exact_hz) for one in fills)):
        here = [one for one in fills if len(one.exact_hz) > k]
        part = [one.part for one in here]
        names = {"label": "whole structure"} if k == 0 else {}
        top.plot(part, [one.exact_hz[k] for one in here], "-", lw=1.2, color=COLORS[k % 6], **names)
        names = {"label": "shapes"} if k == 0 else {}
        shown = [one.frequencies_hz[k] if np.isfinite(one.frequencies_hz[k]) else np.nan for one in here]
        top.plot(part, shown, "o", mfc="none", ms=4, color=GREY, **names)
    dress(top, "", "frequency, Hz", report.title, legend=True)
    part = [one.part for one in fills]
    floor = 1e-16
    f = [max(float(np.abs(one.frequency_error).max(initial=0.0)), floor) for one in fills]
    m = [max(float((1.0 - one.mac).max(initial=0.0)), floor) for one in fills]
    low.semilogy(part, f, ".-", color=BLUE, label="frequency, worst mode")
    low.semilogy(part, m, ".--", color=ORANGE, label="1 - MAC, worst mode")
    dress(low, "fill", "error", legend=True)
    low.set_xlim(max(part), min(part)) if len(set(part)) > 1 else None
    return figure
