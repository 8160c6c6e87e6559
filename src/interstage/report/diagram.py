"""The block diagram of an assembly as SVG: members and groups, ports with their units, wires, rates by colour."""

from __future__ import annotations

from html import escape
from typing import Any

from interstage.report.diagram_layout import BOLD, EDGE, HEAD, LETTER, Box, Pin, Route, Sheet, sheet_of
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.assembly_text import blocks_of

COLORS = 6  # series colours of the page; more rates begin again
TITLE = 46.0
WIDE = 1600.0
STYLE = """
.bd{font-family:var(--sans,system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",Arial,sans-serif);font-size:10.5px}
.bd text{fill:var(--text,#1b2330);font-size:10.5px}
.bd .title{font-size:17px;font-weight:650}.bd .name{font-size:12.5px;font-weight:650}
.bd .soft,.bd .unit{fill:var(--faint,#8a94a1)}.bd .sub{fill:var(--muted,#5d6877);font-size:10px}
.bd .box{fill:var(--surface,#fff);stroke:var(--faint,#8a94a1);stroke-width:1}
.bd .python{stroke-dasharray:5 2.5}
.bd .group{fill:var(--raised,#fbfaf8);stroke:var(--line,#d5d3cc);stroke-width:1.2}
.bd .wire{fill:none;stroke:var(--muted,#5d6877);stroke-width:1.25;stroke-linejoin:round}
.bd .tip,.bd .joint{fill:var(--muted,#5d6877)}
.bd .pin{fill:var(--surface,#fff);stroke:var(--faint,#8a94a1)}
.bd .car{fill:var(--accent,#1c5d99)}.bd text.car{font-style:italic}
"""
RATE_COLORS = ("#1c5d99", "#d1572b", "#2a8c6a", "#8a5bb0", "#b98a14", "#6b7787")


def diagram_svg(assembly: Assembly | dict[str, Any]) -> str:
    """Return the picture of an assembly, or of its blocks (`blocks_of`), as SVG.

    Blocks stand from left to right as signals flow. A bar on the left of a block has the colour of its rate; a dashed
    frame is Python. Diamonds are ports at the vehicle: what is seen of it, and what acts on it.
    """
    blocks = blocks_of(assembly) if isinstance(assembly, Assembly) else assembly
    sheet = sheet_of(blocks)
    rates = list(dict.fromkeys(_rates(blocks)))
    colors = {rate: k % COLORS for k, rate in enumerate(rates)}
    title = blocks["name"]
    words = f"vehicle {blocks['vehicle']}" if blocks.get("vehicle") else ""
    width = max(sheet.width, BOLD * 1.4 * len(title), LETTER * len(words), 12.0 + _legend_width(rates)) + 48.0
    height = TITLE + sheet.height + 66.0
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bd" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" style="display:block;{_fit(width)}" role="img" '
        f'aria-label="{escape(f"Block diagram of {title}")}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="24" y="26">{escape(title)}</text>',
        f'<text class="sub" x="24" y="41">{escape(words)}</text>' if words else "",
        f'<g transform="translate(24 {TITLE + 10:.0f})">',
        *_sheet(sheet, colors),
        "</g>",
        *_legend(rates, colors, blocks, height - 16.0),
        "</svg>",
    ]
    return "".join(out)


def _fit(width: float) -> str:
    """Return how a page shows a picture: as wide as the page, one that would be too small then as it is."""
    return "max-width:100%;height:auto" if width < WIDE else "max-width:none"


def _rates(block: dict[str, Any]) -> list[str]:
    own = [block["every"]] if block.get("every") else []
    return own + [rate for member in block.get("members", ()) for rate in _rates(member)]


def _sheet(sheet: Sheet, colors: dict[str, int]) -> list[str]:
    """Draw what lies in a rectangle: wires below blocks."""
    groups = [box for box in sheet.boxes if box.sheet is not None]
    out = [
        f'<rect class="group" x="{b.x:.1f}" y="{b.y:.1f}" width="{b.w:.1f}" height="{b.h:.1f}" rx="9"/>'
        for b in groups
    ]
    out += [_route(route) for route in sheet.routes]
    out += [f'<circle class="joint" cx="{x:.1f}" cy="{y:.1f}" r="2.3"/>' for x, y in sheet.joints]
    for box in sheet.boxes:
        out += _group(box, colors) if box.sheet is not None else _block(box, colors)
    return out


def _group(box: Box, colors: dict[str, int]) -> list[str]:
    assert box.sheet is not None
    words = f'<tspan class="sub" dx="8">{escape(box.words)}</tspan>' if box.words else ""
    out = [f'<text class="name" x="{box.x + 12:.1f}" y="{box.y + 20:.1f}">{escape(box.name)}{words}</text>']
    shift = EDGE + 0.5 * (box.w - 2 * EDGE - box.sheet.width)
    out.append(f'<g transform="translate({box.x + shift:.1f} {box.y + HEAD:.1f})">')
    out += [*_sheet(box.sheet, colors), "</g>"]
    for pin in box.pins.values():
        x, y = _at(box, pin)
        end = pin.side == "in"
        out.append(_mark(x, y, pin))
        out.append(
            f'<text class="sub" x="{x + (7 if end else -7):.1f}" y="{y - 4:.1f}" '
            f'text-anchor="{"start" if end else "end"}">{escape(pin.label)}</text>'
        )
    return out


def _block(box: Box, colors: dict[str, int]) -> list[str]:
    kind = "box python" if box.python else "box"
    every = f"every {box.every}" if box.every else ""
    words = " · ".join(filter(None, (box.words, every)))
    out = [
        f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.w:.1f}" height="{box.h:.1f}" rx="6"/>',
        f'<text class="name" x="{box.x + 13:.1f}" y="{box.y + 18:.1f}">{escape(box.name)}</text>',
        f'<text class="sub" x="{box.x + 13:.1f}" y="{box.y + 32:.1f}">{escape(words)}</text>',
    ]
    if box.every:
        out.append(_bar(box.x + 4.0, box.y + 8.0, 26.0, colors[box.every]))
    for pin in box.pins.values():
        x, y = _at(box, pin)
        end = pin.side in ("in", "look")
        out.append(_mark(x, y, pin))
        out.append(
            f'<text x="{x + (10 if end else -10):.1f}" y="{y + 3.6:.1f}" '
            f'text-anchor="{"start" if end else "end"}">{_label(pin)}</text>'
        )
    return out


def _bar(x: float, y: float, h: float, color: int) -> str:
    fill = f"var(--series-{color},{RATE_COLORS[color]})"
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="3.5" height="{h:.1f}" rx="1.7" style="fill:{fill}"/>'


def _label(pin: Pin) -> str:
    unit = f'<tspan class="unit" dx="4">{escape(pin.unit)}</tspan>' if pin.unit else ""
    words = f'<tspan class="car" dx="4">{escape(pin.words)}</tspan>' if pin.words else ""
    return escape(pin.label) + unit + words


def _at(box: Box, pin: Pin) -> tuple[float, float]:
    return box.x + (0.0 if pin.side in ("in", "look") else box.w), box.y + pin.y


def _mark(x: float, y: float, pin: Pin) -> str:
    """Draw the end of a port: a diamond at the vehicle, a ring where nothing is wired, nothing where a wire ends."""
    if pin.side in ("look", "push"):
        return f'<path class="car" d="M{x - 4:.1f} {y:.1f}l4 -4l4 4l-4 4z"/>'
    if pin.wired:
        return ""
    return f'<circle class="pin" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>'


def _route(route: Route) -> str:
    """Draw a wire with round corners, an arrow where it ends, and words above its end."""
    points = _corners(route.points)
    d = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for k in range(1, len(points) - 1):
        (a, b), (x, y), (p, q) = points[k - 1 : k + 2]
        r = min(5.0, 0.5 * (abs(x - a) + abs(y - b)), 0.5 * (abs(p - x) + abs(q - y)))
        d += f"L{x - r * _sign(x - a):.1f} {y - r * _sign(y - b):.1f}"
        d += f"Q{x:.1f} {y:.1f} {x + r * _sign(p - x):.1f} {y + r * _sign(q - y):.1f}"
    x, y = points[-1]
    d += f"L{x:.1f} {y:.1f}"
    out = f'<path class="wire" d="{d}"/>'
    if route.arrow:
        out += f'<path class="tip" d="M{x:.1f} {y:.1f}l-6.5 -3.2v6.4z"/>'
    if route.words:
        out += f'<text class="sub" x="{x - 8:.1f}" y="{y - 5:.1f}" text-anchor="end">{escape(route.words)}</text>'
    return out


def _corners(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points without those that follow themselves."""
    return [p for k, p in enumerate(points) if k == 0 or p != points[k - 1]]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _legend_width(rates: list[str]) -> float:
    return sum(LETTER * len(rate) + 58.0 for rate in rates) + 260.0


def _legend(rates: list[str], colors: dict[str, int], blocks: dict[str, Any], y: float) -> list[str]:
    """Draw what colours and marks mean."""
    out, x = [], 24.0
    for rate in rates:
        out.append(_bar(x, y - 9.0, 12.0, colors[rate]))
        text = f"every {rate}"
        out.append(f'<text class="sub" x="{x + 9:.1f}" y="{y:.1f}">{escape(text)}</text>')
        x += LETTER * len(text) + 26.0
    if blocks.get("vehicle"):
        out.append(f'<path class="car" d="M{x:.1f} {y - 3.5:.1f}l4 -4l4 4l-4 4z"/>')
        out.append(f'<text class="sub" x="{x + 13:.1f}" y="{y:.1f}">the vehicle</text>')
        x += 84.0
    if _has_python(blocks):
        out.append(f'<rect class="box python" x="{x:.1f}" y="{y - 9:.1f}" width="18" height="11" rx="3"/>')
        out.append(f'<text class="sub" x="{x + 24:.1f}" y="{y:.1f}">Python</text>')
    return out


def _has_python(block: dict[str, Any]) -> bool:
    return bool(block.get("python")) or any(_has_python(member) for member in block.get("members", ()))
