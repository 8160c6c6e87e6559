"""Figures drawn as SVG by hand: the MAC matrix, modes in channels, and the map of poles."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from html import escape
from io import StringIO

import numpy as np

from interstage.errors import InputError

LETTER = 6.0  # width of a letter of a label
SHOWN_DB = 60.0  # gains below the strongest that are still seen


def mac_matrix(a: np.ndarray, b: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the modal assurance criterion (n, m) of shapes a (k, n) and b (k, m).

    MAC = |aᵀWb|² / (aᵀWa · bᵀWb), W = diag(weight): 1 for the same shape, 0 for shapes at right angles
    (Allemang and Brown, 1982).
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.ndim != 2 or b.ndim != 2 or len(a) != len(b):
        raise InputError("shapes on different grids cannot be compared", got=f"{a.shape} and {b.shape}")
    left = a if weight is None else a * np.asarray(weight)[:, None]
    right = b if weight is None else b * np.asarray(weight)[:, None]
    cross = (left.T @ b) ** 2
    size = np.einsum("ki,ki->i", left, a)[:, None] * np.einsum("ki,ki->i", right, b)[None, :]
    return np.divide(cross, size, out=np.zeros_like(cross), where=size > 0.0)


def mac_svg(
    mac: np.ndarray, rows: Sequence[str], columns: Sequence[str], row_title: str, column_title: str
) -> str:
    """Draw a MAC matrix: the darker a square, the more alike two shapes are."""
    tips = [
        [
            f"{row_title} {row} Hz, {column_title} {column} Hz: {value:.4f}"
            for column, value in zip(columns, line)
        ]
        for row, line in zip(rows, np.asarray(mac, dtype=float))
    ]
    label = f"Modal assurance criterion, {len(rows)} by {len(columns)}"
    return _squares(label, mac, (mac, "MAC"), tips, rows, columns, row_title, column_title)


def gains_svg(gains: np.ndarray, modes: Sequence[str], ways: Sequence[str], units: Sequence[str]) -> str:
    """Draw peak gains (m, n) of m modes in n ways from an input to an output, each on a scale of its own.

    The strongest mode of a way has full colour, and so has one whose gain is infinite for want of damping; one
    weaker by `SHOWN_DB` or more is blank.
    """
    gains = np.asarray(gains, dtype=float)
    largest = np.where(np.isfinite(gains), gains, 0.0).max(axis=0, initial=0.0)
    relative = np.divide(gains, largest, out=(gains > 0.0).astype(float), where=largest > 0.0)
    with np.errstate(divide="ignore"):
        level = 20.0 * np.log10(relative)
    tips = [
        [
            f"{mode}\n{way}\n"
            + (f"peak gain {g:.4g} {unit}, {db:.1f} dB" if np.isfinite(g) else "no damping")
            for way, unit, g, db in zip(ways, units, line, decibels)
        ]
        for mode, line, decibels in zip(modes, gains, level)
    ]
    shade = np.clip(1.0 + level / SHOWN_DB, 0.0, 1.0)
    label = f"Peak gains of {len(modes)} modes in {len(ways)} channels"
    return _squares(label, shade, (gains, "peak gain"), tips, modes, ways, "mode", "from input to output")


def _squares(
    label: str,
    shade: np.ndarray,
    told: tuple[np.ndarray, str],
    tips: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    row_title: str,
    column_title: str,
) -> str:
    """Draw values (n, m) from 0 to 1 as shades of squares, names on the left and above, words where one points.

    told : numbers (n, m) that are saved, and what they are
    """
    n, m = len(rows), len(columns)
    full = rows, columns
    rows, columns = [_short(name) for name in rows], [_short(name) for name in columns]
    cell = 22.0
    left = max(86.0, 34.0 + LETTER * max(map(len, rows), default=0))
    top = max(74.0, 30.0 + LETTER * max(map(len, columns), default=0))
    width, height = max(left + cell * m + 8, left + LETTER * len(column_title)), top + cell * n + 8
    out = [
        f'<svg class="figure" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(label)}" {_saved("head", row_title, column_title, told[1])} '
        f'style="max-width:{1.25 * width:.0f}px;margin:0 auto">',
        f'<rect class="mac-back" x="{left}" y="{top}" width="{cell * m}" height="{cell * n}" rx="3"/>',
        f'<text x="{left + 0.5 * cell * m:.0f}" y="14" text-anchor="middle">{escape(column_title)}</text>',
        f'<text transform="translate(13 {top + 0.5 * cell * n:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(row_title)}</text>",
    ]
    for i, name in enumerate(rows):
        y = top + cell * (i + 0.5)
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
    for j, name in enumerate(columns):
        x = left + cell * (j + 0.5)
        out.append(f'<text transform="translate({x + 4:.1f} {top - 8}) rotate(-90)">{escape(name)}</text>')
    for i in range(n):
        for j in range(m):
            out.append(
                f'<rect class="cell" x="{left + cell * j + 1:.1f}" y="{top + cell * i + 1:.1f}" '
                f'width="{cell - 2}" height="{cell - 2}" rx="2.5" fill-opacity="{min(1.0, float(shade[i, j])):.3f}" '
                f'data-tip="{escape(tips[i][j])}" {_saved("row", full[0][i], full[1][j], float(told[0][i, j]))}/>'
            )
    return "".join(out) + "</svg>"


def _saved(kind: str, *cells: str | float) -> str:
    """Return the attribute by which a drawing's numbers are saved: a line of CSV.

    >>> _saved("row", "a, b", 0.5)
    'data-row="&quot;a, b&quot;,0.5"'
    """
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return f'data-{kind}="{escape(" ".join(text.getvalue().split()))}"'


def _short(name: str, most: int = 40) -> str:
    """Cut the middle out of a name that is too long for a label.

    >>> _short("abcdef", 4)
    'ab…f'
    """
    tail = (most - 1) // 2
    return name if len(name) <= most else name[: most - 1 - tail] + "…" + name[-tail:]


def poles_svg(poles: np.ndarray, names: Sequence[str] = (), most_hz: float | None = None) -> str:
    """Draw poles with positive imaginary part: damping ratio across, frequency in Hz upwards.

    Both axes are what a control engineer reads off: a mode to the left of zero grows instead of dying out.
    """
    poles = np.asarray(poles)
    shown = poles[poles.imag > 1e-6 * np.abs(poles).max(initial=1.0)]
    shown = shown[np.argsort(np.abs(shown))]
    hz = np.abs(shown) / (2.0 * np.pi)
    if most_hz is not None:
        shown, hz = shown[hz <= most_hz], hz[hz <= most_hz]
    zeta = -shown.real / np.abs(shown)
    width, height, left, right, top, bottom = 560.0, 400.0, 52.0, 16.0, 14.0, 44.0
    step = _ceiling(float(hz.max(initial=1.0)) / 6.0)
    top_hz = step * np.ceil(float(hz.max(initial=1.0)) / step + 1e-9)
    low, high = min(-0.02, float(zeta.min(initial=0.0)) * 1.2), max(0.05, float(zeta.max(initial=0.0)) * 1.12)

    def place(z: float, f: float) -> tuple[float, float]:
        x = left + (z - low) / (high - low) * (width - left - right)
        return x, height - bottom - f / top_hz * (height - top - bottom)

    out = [
        f'<svg class="figure" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{len(shown)} poles, damping ratio and frequency" '
        f"{_saved('head', 'frequency, Hz', 'damping ratio', 'real, rad/s', 'imaginary, rad/s')}>"
    ]
    for k in range(int(top_hz / step + 1e-9) + 1):
        y = place(0.0, k * step)[1]
        out.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{k * step:g}</text>')
    tick = _ceiling((high - low) / 6.0)
    for k in range(int(np.ceil(low / tick)), int(np.floor(high / tick)) + 1):
        x = place(k * tick, 0.0)[0]
        kind = "zero" if k == 0 else "grid"
        out.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{height - bottom}"/>')
        out.append(
            f'<text x="{x:.1f}" y="{height - bottom + 17}" text-anchor="middle">{100 * k * tick:g} %</text>'
        )
    middle = 0.5 * (left + width - right)
    out.append(f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">damping ratio</text>')
    out.append(
        f'<text transform="translate(13 {0.5 * (top + height - bottom):.0f}) rotate(-90)" text-anchor="middle">'
        "frequency, Hz</text>"
    )
    for k, (z, f) in enumerate(zip(zeta, hz)):
        x, y = place(float(z), float(f))
        name = f"{names[k]}\n" if k < len(names) else ""
        tip = f"{name}{f:.4g} Hz, damping {100 * z:.3g} %"
        row = _saved("row", float(f), float(z), float(shown[k].real), float(shown[k].imag))
        out.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5" data-tip="{escape(tip)}" {row}/>')
    return "".join(out) + "</svg>"


def _ceiling(value: float) -> float:
    """Return the next of 1, 2, 2.5, 5 times a power of ten.

    >>> _ceiling(3.1), _ceiling(0.011), _ceiling(20.0)
    (5.0, 0.02, 20.0)
    """
    power = 10.0 ** np.floor(np.log10(max(value, 1e-300)))
    for step in (1.0, 2.0, 2.5, 5.0, 10.0):
        if value <= step * power * (1.0 + 1e-9):
            return float(step * power)
    return float(10.0 * power)
