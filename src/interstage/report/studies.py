"""Pictures and the page of a study of many runs: histograms, scatter, envelopes, levels, what matters, what failed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.report.document import Report, Section, versions
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure
from interstage.studies.study import PERCENTS, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BANDS = ((0.135, 99.865, 0.18, "99.73 % of runs"), (5.0, 95.0, 0.35, "90 % of runs"))
MOST_POINTS = 4000  # of a scatter picture on the page
MOST_PICTURES = 5  # scatter pictures of one output on the page
MOST_ROWS = 50  # failed runs that the page lists
MOST_BARS = 60  # wide enough to be seen on a phone
SAME = 1e-12  # of their size: numbers that differ by no more are one, but for rounding
WORST = 5


def histogram(study: Study, output: str) -> Figure:
    """Draw how often an output has which value; lines are the median and the levels of three sigma."""
    values, _ = study.scalars(output)
    values = values[np.isfinite(values)]
    figure = new_figure(6.4, 3.2)
    axes = figure.subplots()
    axes.hist(values, bins=_edges(values), color=BLUE, alpha=0.75, edgecolor="white", lw=0.4)
    for percent in PERCENTS:
        at = np.percentile(values, percent)
        axes.axvline(at, color=ORANGE, lw=1.2, ls="-" if percent == 50 else "--")
        axes.annotate(
            f"{percent:g} %", (at, 1.0), xycoords=("data", "axes fraction"), fontsize=8, color=ORANGE,
            rotation=90, ha="right", va="top", xytext=(-2, -3), textcoords="offset points",
        )  # fmt: skip
    dress(axes, study.label(output), "runs")
    return figure


def _edges(values: np.ndarray) -> np.ndarray:
    """Return the edges of bars: by Freedman and Diaconis, or Sturges where those are more; one for what is constant."""
    low, high = values.min(), values.max()
    size = max(abs(low), abs(high))
    if high - low <= SAME * size:
        middle, half = 0.5 * (low + high), 0.05 * size or 0.5
        return np.array([middle - half, middle + half])
    n = len(values)
    quarter, three = np.percentile(values, [25, 75])
    width = 2.0 * (three - quarter) / np.cbrt(n)
    count = max(np.log2(n) + 1.0, (high - low) / width if width > (high - low) / MOST_BARS else 1.0)
    return np.linspace(low, high, int(np.ceil(count)) + 1)


def scatter(study: Study, quantity: str, output: str, most: int | None = None) -> Figure:
    """Draw an output over a dispersed quantity, or over another output; dashed lines are the levels of three sigma."""
    x, y = study[quantity], study[output]
    for name, values in ((quantity, x), (output, y)):
        if values.ndim != 1:
            raise InputError(f"'{name}' is not one number a run", got=f"shape {values.shape[1:]}")
    study.scalars(output)
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if most is not None and len(there) > most:
        # the extremes stay, others are thinned
        ends = [there[np.argmin(y[there])], there[np.argmax(y[there])]]
        there = np.union1d(there[:: -(-len(there) // most)], ends)
    figure = new_figure(6.4, 3.6)
    axes = figure.subplots()
    axes.plot(x[there], y[there], ".", color=BLUE, ms=3.0 if len(there) > 300 else 5.0, alpha=0.5, mew=0)
    for percent in (PERCENTS[0], PERCENTS[-1]):
        axes.axhline(np.percentile(y[np.isfinite(y)], percent), color=ORANGE, lw=1.0, ls="--")
    dress(axes, study.label(quantity), study.label(output))
    return figure


def envelope(study: Study, output: str, component: int = 0) -> Figure:
    """Draw a history of all runs: median, bands, extremes."""
    t = study.times(output)
    values = study[output]
    if values.ndim == 3:
        if not 0 <= component < values.shape[2]:
            raise InputError(
                f"'{output}' has no component {component}", expected=f"0 to {values.shape[2] - 1}"
            )
        values = values[:, :, component]
    values = values[np.isfinite(values).all(axis=1)]
    figure = new_figure(7.5, 3.8)
    axes = figure.subplots()
    for low, high, alpha, words in BANDS:
        edges = np.percentile(values, [low, high], axis=0)
        axes.fill_between(t, *edges, color=BLUE, alpha=alpha, lw=0, label=words)
    axes.plot(t, np.median(values, axis=0), color=BLUE, lw=1.4, label="median")
    axes.plot(t, values.min(axis=0), color=GREY, lw=0.8, ls="--", label="extremes")
    axes.plot(t, values.max(axis=0), color=GREY, lw=0.8, ls="--")
    more = f"[{component}]" if study[output].ndim == 3 else ""
    dress(axes, "time, s", study.label(output).replace(output, f"{output}{more}", 1), legend=True)
    return figure


def study_page(study: Study, path: str | Path) -> Path:
    """Write the page of a study; returns its path."""
    return study_report(study).save(path)


def study_report(study: Study) -> Report:
    """Return the report of a study."""
    numbers = [name for name in study.names if study[name].ndim == 1 and np.isfinite(study[name]).any()]
    report = Report(
        study.folder.name if study.folder is not None else "Study",
        f"{len(study)} runs with {len(study.design.names)} dispersed numbers: what came out, how far it spreads, "
        "and what that depends on.",
        "Monte Carlo",
    )
    report.fact("Runs", f"{len(study)}")
    report.fact("Failed", f"{len(study.errors)}")
    report.fact("Seed", f"{study.design.seed}", "", f"{study.design.sampling} points")
    timed = study.seconds[np.isfinite(study.seconds)]  # samples of a batch have no time of their own
    if len(timed):
        report.fact("Mean run", f"{timed.mean():.3g}", "s")
    section = report.section("levels", "Levels", "What each output is, over all runs that ended well.")
    _levels(section, study, numbers)
    outputs = report.section(
        "outputs", "Outputs", "Each output: its spread, and over what it depends on most."
    )
    for name in numbers:
        _output(outputs, study, name)
    histories = [name for name in study.names if study[name].ndim > 1 and _has_times(study, name)]
    if histories:
        section = report.section("histories", "Histories", "Outputs over time, all runs together.")
        for name in histories:
            for k in range(study[name].shape[2] if study[name].ndim == 3 else 1):
                said = f"{name}[{k}]" if study[name].ndim == 3 else name
                _picture(section, said, "Median, bands of runs, and extremes.", envelope(study, name, k))
    _inputs(report, study)
    return report


def _has_times(study: Study, name: str) -> bool:
    try:
        study.times(name)
    except InputError:
        return False
    return True


def _levels(section: Section, study: Study, numbers: list[str]) -> None:
    rows = []
    for name in numbers:
        y, there = study.scalars(name)
        y, there = y[np.isfinite(y)], there[np.isfinite(y)]
        levels = [f"{np.percentile(y, p):.6g}" for p in PERCENTS]
        worst = f"{int(there[np.argmax(y)])}"
        rows.append(
            [
                study.label(name),
                f"{y.mean():.6g}",
                f"{y.std(ddof=1) if len(y) > 1 else 0:.4g}",
                f"{y.min():.6g}",
            ]
        )
        rows[-1] += [*levels, f"{y.max():.6g}", worst, f"{len(y)}"]
    columns = ["output", "mean", "std", "min", *(f"{p:g} %" for p in PERCENTS), "max", "largest in run"]
    columns.append("runs with a finite value")
    section.table(
        "Levels", "Shares of runs that stay below; 0.135 and 99.865 % are three sigma.", columns, rows
    )
    if study.design.sampling == "random":
        bounds = [str(study.percentile(name, PERCENTS[-1])) for name in numbers]
        section.bullets("How sure", "Bounds that hold for any distribution of the output.", bounds)


def _output(section: Section, study: Study, name: str) -> None:
    pictures = [(name, "How often it has which value.", histogram(study, name))]
    found = study.sensitivity(name)
    share = found.rank if found.total is None else found.total
    order = [k for k in np.argsort(-np.abs(np.nan_to_num(share))) if np.isfinite(share[k])]
    for k in order[:MOST_PICTURES]:
        words = f"Rank correlation {found.rank[k]:+.2f}."
        if found.first is not None and found.total is not None:
            words += f" Sobol's indices: {found.first[k]:.3f} alone, {found.total[k]:.3f} in all."
        drawn = scatter(study, found.names[k], name, MOST_POINTS)
        pictures.append((f"{name} over {found.names[k]}", words, drawn))
    for some in range(0, len(pictures), 2):
        with section.pair():
            for picture in pictures[some : some + 2]:
                _picture(section, *picture)
    rows = [
        [f"{row.number}", f"{study[name][row.number]:.6g}", *(f"{v:.6g}" for v in row.values())]
        for row in study.worst(name, WORST)
    ]
    section.table(
        f"Largest {name}",
        "Runs to look at, with their numbers.",
        ["run", *map(study.label, (name, *study.design.names))],
        rows,
        (),
    )


def _inputs(report: Report, study: Study) -> None:
    section = report.section("runs", "Runs", "What was dispersed, and what failed.")
    rows = [
        [study.label(name), words, f"{c.mean():.6g}", f"{c.std():.4g}", f"{c.min():.6g}", f"{c.max():.6g}"]
        for name, words, c in zip(study.design.names, study.design.words, study.design.values.T)
    ]
    columns = ["quantity", "distribution", "mean", "std", "min", "max"]
    section.table("Dispersions", "As asked for, and as drawn.", columns, rows, (0, 1))
    failed = [[f"{k}", text] for k, text in list(study.errors.items())[:MOST_ROWS]]
    if failed:
        section.table("Failed runs", "What ended each of them.", ["run", "error"], failed, (1,))
    section.pairs("Provenance", "Digest and versions.", {"SHA-256": study.digest, **versions()})


def _picture(section: Section, title: str, sentence: str, figure: Figure) -> None:
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg", '<svg style="max-width: 100%; height: auto"', 1)
    section.card(title, sentence, f'<div class="scroll">{svg}</div>')
