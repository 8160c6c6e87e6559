"""Wires of a diagram: tracks in the channels between columns, lanes below for those that lead back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from interstage.report.diagram_parts import (
    EDGE,
    GAP,
    LANE,
    MARGIN,
    STRIP,
    TRACK,
    Box,
    Hop,
    Route,
    Sheet,
    Wire,
)


@dataclass
class _Net:
    """What one output has in one channel: heights on its left and right side, and whether it goes below."""

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    lane: float | None = None
    x: float = 0.0

    def span(self) -> tuple[float, float]:
        """Return the lowest and highest height."""
        heights = [*self.left, *self.right, *([] if self.lane is None else [self.lane])]
        return min(heights), max(heights)


def drawn(
    columns: list[list[Box]],
    boxes: dict[str, Box],
    hops: list[Hop],
    wires: list[Wire],
    back: set[int],
    loose: list[Box],
) -> tuple[Sheet, dict[str, float]]:
    """Give columns their places across, wires their tracks, and blocks without wires a row below."""
    bottom = max((box.y + box.h for column in columns for box in column), default=0.0)
    lanes = {
        net: bottom + LANE * (k + 1.2)
        for k, net in enumerate(dict.fromkeys(wires[k].source for k in sorted(back)))
    }
    channels: list[dict[tuple[str, str], _Net]] = [{} for _ in range(len(columns) + 1)]

    def height(end: tuple[str, str]) -> float:
        return boxes[end[0]].y + boxes[end[0]].pins[end[1]].y

    for net, a, b in hops:
        one = channels[boxes[b[0]].layer].setdefault(net, _Net())
        one.left.append(height(a))
        one.right.append(height(b))
    for k in sorted(back):
        wire = wires[k]
        out = channels[boxes[wire.source[0]].layer + 1].setdefault(wire.source, _Net())
        out.left.append(height(wire.source))
        into = channels[boxes[wire.target[0]].layer].setdefault(wire.source, _Net())
        into.right.append(height(wire.target))
        out.lane = into.lane = lanes[wire.source]
    x = 0.0
    for layer, channel in enumerate(channels):
        x = _tracks(channel, x, 0 < layer < len(columns))
        if layer < len(columns):
            width = max((box.w for box in columns[layer]), default=0.0)
            for box in columns[layer]:
                box.x = x + (0.5 * (width - box.w) if not box.bare else 0.0)
                box.w = width if box.bare else box.w
            x += width
    width = x
    if lanes:
        bottom = max(lanes.values())
    routes, joints = _ways(channels, boxes, hops, wires, back, lanes)
    width, bottom = _strip(loose, width, bottom, bool(wires))
    drawn = [box for column in columns for box in column if not box.bare] + loose
    heights = {
        box.name: box.y + 0.5 * box.h for column in columns for box in column if box.name.startswith("|")
    }
    frame = [box for column in columns for box in column if box.name.startswith("|")]
    for box in frame:  # the wire goes on to the frame
        pin = next(iter(box.pins.values()))
        inward = pin.side == "out"
        y, ends = box.y + pin.y, (-EDGE, box.x + box.w) if inward else (box.x, width + EDGE)
        routes.append(Route([(ends[0], y), (ends[1], y)], arrow=False))
    return Sheet(drawn, routes, joints, width, bottom), heights


def _strip(loose: list[Box], width: float, bottom: float, below: bool) -> tuple[float, float]:
    """Put blocks without wires into rows below; return the new width and height."""
    most, x = max(width, STRIP if not below else width, 520.0), 0.0
    y = bottom + 1.5 * GAP if below else 0.0
    tall, widest = 0.0, width
    for box in loose:
        if x and x + box.w > most:
            x, y, tall = 0.0, y + tall + GAP, 0.0
        box.x, box.y = x, y
        x += box.w + GAP
        tall, widest = max(tall, box.h), max(widest, box.x + box.w)
    return widest, max(bottom, y + tall) if loose else bottom


def _tracks(channel: dict[tuple[str, str], _Net], x: float, between: bool) -> float:
    """Give the nets of a channel their tracks from x on, and return where the channel ends."""
    nets = [net for net in channel.values() if net.span()[0] != net.span()[1]]
    before: dict[int, set[int]] = {k: set() for k in range(len(nets))}
    for i, a in enumerate(nets):
        for j, b in enumerate(nets):
            # on one height the wire from the left must turn before the one to the right begins
            if i != j and any(abs(p - q) < 4.0 for p in a.left for q in b.right):
                before[j].add(i)
    track: dict[int, int] = {}
    todo = sorted(range(len(nets)), key=lambda k: nets[k].span())
    while todo:
        free = [k for k in todo if not before[k] & set(todo)] or todo[:1]
        k = free[0]
        low, high = nets[k].span()
        least = max((track[i] + 1 for i in before[k] if i in track), default=0)
        taken = {track[i] for i in track if nets[i].span()[0] - 5.0 < high and low < nets[i].span()[1] + 5.0}
        track[k] = next(n for n in range(least, least + len(nets) + 1) if n not in taken)
        todo.remove(k)
    count = max(track.values(), default=-1) + 1
    for k, n in track.items():
        nets[k].x = x + MARGIN + TRACK * n
    if not channel and not between:
        return x
    return x + 2 * MARGIN + TRACK * max(count - 1, 0) + (12.0 if between else 0.0)


def _ways(
    channels: list[dict[tuple[str, str], _Net]],
    boxes: dict[str, Box],
    hops: list[Hop],
    wires: list[Wire],
    back: set[int],
    lanes: dict[tuple[str, str], float],
) -> tuple[list[Route], list[tuple[float, float]]]:
    """Return the lines of all wires, and the points where one of them branches."""
    routes: list[Route] = []
    words = {(wire.source, wire.target): wire.words for wire in wires}
    for net, a, b in hops:
        one = channels[boxes[b[0]].layer][net]
        start, end = boxes[a[0]], boxes[b[0]]
        x0, x1 = start.x + start.w, end.x
        y0, y1 = start.y + start.pins[a[1]].y, end.y + end.pins[b[1]].y
        middle = [(one.x, y0), (one.x, y1)] if y0 != y1 else []
        said = words.get((net, b), "")
        routes.append(Route([(x0, y0), *middle, (x1, y1)], said, not end.bare, net))
        if start.bare and not start.name.startswith("|"):
            routes.append(Route([(start.x, y0), (x0, y0)], arrow=False, net=net))
    for k in sorted(back):
        wire = wires[k]
        start, end = boxes[wire.source[0]], boxes[wire.target[0]]
        out, into = channels[start.layer + 1][wire.source], channels[end.layer][wire.source]
        y0, y1 = start.y + start.pins[wire.source[1]].y, end.y + end.pins[wire.target[1]].y
        lane = lanes[wire.source]
        points = [
            (start.x + start.w, y0),
            (out.x, y0),
            (out.x, lane),
            (into.x, lane),
            (into.x, y1),
            (end.x, y1),
        ]
        routes.append(Route(points, wire.words, not end.bare, wire.source))
    return routes, _branches(channels)


def _branches(channels: Iterable[dict[tuple[str, str], _Net]]) -> list[tuple[float, float]]:
    """Return where wires of one net part."""
    found = []
    for channel in channels:
        for net in channel.values():
            heights = sorted({*net.left, *net.right, *([] if net.lane is None else [net.lane])})
            low, high = net.span()
            both = set(net.left) & set(net.right)
            inner = [y for y in heights if low < y < high or (y in both and low != high)]
            found += [(net.x, y) for y in inner]
    return found
