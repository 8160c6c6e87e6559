"""Layout of block diagrams: boxes, layers, routed wires.

What a block diagram is made of: boxes with pins, wires, and the lines that are drawn for them.

Blocks in layers, each behind those that it hears, and heights at which wires are straight.

Loops are cut where they close, in the order of addition. Orders follow what comes from the left; heights are least
squares over both sides with the order kept.

Wires of a diagram: tracks in the channels between columns, lanes below for those that lead back.

Where blocks and wires of a diagram lie: layers from left to right, as signals flow.

Blocks stand in columns: each behind those that it hears, loops cut where they close. Wires run in the channels between
columns, a track for each output; long ones have a row of their own through the columns between, and those that lead
back run below. A group is laid out by itself, and is a block whose ports are its exposed ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LETTER, BOLD = 5.7, 6.9  # width of a letter of a port and of a title
ROW, HEAD, PAD = 18.0, 40.0, 9.0  # heights of a port and of a title; between the last port and the frame
GAP, TRACK, MARGIN = 22.0, 9.0, 16.0  # between blocks, between wires, around wires of a channel
LANE = 11.0
EDGE = 26.0  # from the frame of a group to what is inside
STRIP = 1100.0  # width at which blocks without wires begin a new row


@dataclass
class Pin:
    """A port as drawn: side "in", "out", "look" or "push"; y from the top of its block."""

    name: str
    side: str
    label: str
    unit: str
    words: str = ""
    y: float = 0.0
    wired: bool = False

    @property
    def width(self) -> float:
        """How long its label is."""
        return LETTER * (
            len(self.label) + len(self.unit) + len(self.words) + 2 * bool(self.unit or self.words)
        )


@dataclass
class Box:
    """A block as drawn; `sheet` is what is inside a group, shown at EDGE, HEAD of it."""

    name: str
    words: str = ""
    every: str = ""
    python: bool = False
    pins: dict[str, Pin] = field(default_factory=dict)
    sheet: Sheet | None = None
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0
    layer: int = 0
    bare: bool = False  # a place where a wire passes: nothing is drawn

    def left(self) -> list[Pin]:
        """Pins on the left side."""
        return [pin for pin in self.pins.values() if pin.side in ("in", "look")]

    def right(self) -> list[Pin]:
        """Pins on the right side."""
        return [pin for pin in self.pins.values() if pin.side in ("out", "push")]


@dataclass
class Wire:
    """From a pin of one box to a pin of another."""

    source: tuple[str, str]
    target: tuple[str, str]
    words: str = ""


@dataclass
class Route:
    """A drawn wire: points, words at its end, and the box and pin that it comes from."""

    points: list[tuple[float, float]]
    words: str = ""
    arrow: bool = True
    net: tuple[str, str] = ("", "")


@dataclass
class Sheet:
    """Boxes and routes that lie in a rectangle."""

    boxes: list[Box]
    routes: list[Route]
    joints: list[tuple[float, float]]
    width: float
    height: float


Hop = tuple[tuple[str, str], tuple[str, str], tuple[str, str]]  # net, from (box, pin), to (box, pin)


def layered(
    boxes: dict[str, Box], wires: list[Wire], border: list[Pin]
) -> tuple[list[list[str]], dict[str, Box], set[int]]:
    """Return names by layer, boxes that long wires pass, and the numbers of wires that lead back."""
    ahead: dict[str, list[tuple[int, str]]] = {name: [] for name in boxes}
    for k, wire in enumerate(wires):
        ahead[wire.source[0]].append((k, wire.target[0]))
    back = _closing(boxes, ahead)
    depth = dict.fromkeys(boxes, 0)
    for _ in boxes:  # longest ways
        for k, wire in enumerate(wires):
            if k not in back:
                depth[wire.target[0]] = max(depth[wire.target[0]], depth[wire.source[0]] + 1)
    outward = {f"|{pin.name}" for pin in border if pin.side == "out"}
    last = max(depth.values(), default=0)
    for name in outward & depth.keys():
        depth[name] = last if last and any(depth[n] < last or n in outward for n in depth) else last + 1
    if any(depth[n] == depth[o] and n not in outward for o in outward & depth.keys() for n in depth):
        last += 1
        depth |= dict.fromkeys(outward & depth.keys(), last)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name, box in boxes.items():
        box.layer = depth[name]
        layers[depth[name]].append(name)
    dummies: dict[str, Box] = {}
    for k, wire in enumerate(wires):
        if k in back:
            continue
        for layer in range(depth[wire.source[0]] + 1, depth[wire.target[0]]):
            name = _dummy(wire, layer)
            if name not in dummies:
                pins = {side: Pin(side, side, "", "") for side in ("in", "out")}
                dummies[name] = Box(name, pins=pins, h=6.0, layer=layer, bare=True)
                layers[layer].append(name)
    return layers, dummies, back


def _dummy(wire: Wire, layer: int) -> str:
    return f"~{wire.source[0]}~{wire.source[1]}~{layer}"


def _closing(boxes: dict[str, Box], ahead: dict[str, list[tuple[int, str]]]) -> set[int]:
    """Return the numbers of wires that close loops, found in the order of addition, those that hear nobody first."""
    heard = {target for links in ahead.values() for _, target in links}
    order = sorted(boxes, key=lambda name: name in heard)
    state = dict.fromkeys(boxes, 0)
    found: set[int] = set()
    for root in order:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(ahead[root]))]
        while stack:
            name, rest = stack[-1]
            for k, target in rest:
                if state[target] == 1:
                    found.add(k)
                elif state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(ahead[target])))
                    break
            else:
                state[name] = 2
                stack.pop()
    return found


def hops_of(wires: list[Wire], dummies: dict[str, Box], back: set[int], boxes: dict[str, Box]) -> list[Hop]:
    """Return the pieces of forward wires from layer to layer."""
    found: dict[Hop, None] = {}
    for k, wire in enumerate(wires):
        if k in back:
            continue
        at = wire.source
        for layer in range(boxes[wire.source[0]].layer + 1, boxes[wire.target[0]].layer):
            name = _dummy(wire, layer)
            found[wire.source, at, (name, "in")] = None
            at = (name, "out")
        found[wire.source, at, wire.target] = None
    return list(found)


def arrange(columns: list[list[Box]], boxes: dict[str, Box], hops: list[Hop]) -> None:
    """Order the boxes of each column and find heights at which wires are straight."""
    for box in (box for column in columns for box in column if box.bare):
        for pin in box.pins.values():
            pin.y = 0.5 * box.h
    for column in columns:
        _stack(column, [0.0] * len(column))
    for sweep in range(7):
        forward = sweep % 2 == 0
        for column in columns if forward else reversed(columns):
            wanted = [_wish(box, boxes, hops, forward) for box in column]
            if forward or column is columns[0]:
                order = sorted(range(len(column)), key=lambda k: (wanted[k] + 0.5 * column[k].h, k))
                column[:] = [column[k] for k in order]
                wanted = [wanted[k] for k in order]
            _stack(column, wanted)
    top = min((box.y for column in columns for box in column), default=0.0)
    for column in columns:
        for box in column:
            box.y = round(box.y - top)


def _wish(box: Box, boxes: dict[str, Box], hops: list[Hop], forward: bool) -> float:
    """Return the height at which the wires of a box from one side would be straight; where it is if it has none."""
    found = []
    for _, (a, p), (b, q) in hops:
        own, pin, other, far = (b, q, a, p) if forward else (a, p, b, q)
        if own == box.name:
            found.append(boxes[other].y + boxes[other].pins[far].y - box.pins[pin].y)
    return sum(found) / len(found) if found else box.y


def _stack(column: list[Box], wanted: list[float]) -> None:
    """Place boxes below each other as near as can be to where they want to be (least squares, order kept)."""
    offsets, at = [], 0.0
    for k, box in enumerate(column):
        if k:
            at += column[k - 1].h + (GAP if not (box.bare and column[k - 1].bare) else 6.0)
        offsets.append(at)
    pools: list[list[float]] = []  # sum, count
    for want, offset in zip(wanted, offsets):
        pools.append([want - offset, 1.0])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    levels = [total / count for total, count in pools for _ in range(int(count))]
    for box, level, offset in zip(column, levels, offsets):
        box.y = level + offset


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


Names = dict[str, list[str]]  # names that were given to a port inside, from the innermost group on


def sheet_of(blocks: dict[str, Any]) -> Sheet:
    """Return the layout of the blocks of an assembly (`blocks_of`)."""
    meant: Names = {}
    for name, ports in blocks["exposed"].items():
        for inner in ports:
            meant.setdefault(inner, []).append(name)
    return _level(blocks["members"], "", blocks["wires"], meant, [])[0]


def _level(
    members: list[dict[str, Any]], prefix: str, wires: list[list[str]], meant: Names, border: list[Pin]
) -> tuple[Sheet, dict[str, float]]:
    """Lay out one level; `border` are pins of its frame. Return it, and the height of each pin of the frame."""
    boxes: dict[str, Box] = {}
    inner, crossing = _sorted_wires(wires, prefix)
    for member in members:
        boxes[member["name"]] = _box(member, prefix, wires, meant)
    links: dict[tuple, Wire] = {}
    for source, target, words in inner:
        a, b = (_end(full, prefix, meant) for full in (source, target))
        links.setdefault((a, b, words), Wire(a, b, words))
    for pin in border:
        key = f"|{pin.name}"
        side = "out" if pin.side == "in" else "in"
        boxes[key] = Box(key, pins={key: Pin(key, side, "", "")}, h=ROW, bare=True)
    for source, target, words in crossing:
        into = target.startswith(prefix)
        own = target if into else source
        key = f"|{_border_name(own, prefix, meant)}"
        a, b = (key, key), _end(own, prefix, meant)
        link = Wire(a, b, words) if into else Wire(b, a, words)
        links.setdefault((link.source, link.target, words), link)
    for wire in links.values():
        for box, pin in (wire.source, wire.target):
            boxes[box].pins[pin].wired = True
    return _placed(boxes, list(links.values()), border)


def _sorted_wires(wires: list[list[str]], prefix: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return wires between members of a level (or of one member: not those), and those that cross its frame."""
    inner, crossing = [], []
    for wire in wires:
        inside = [full.startswith(prefix) for full in wire[:2]]
        if all(inside):
            heads = [full[len(prefix) :].partition(".")[0] for full in wire[:2]]
            deep = all("." in full[len(prefix) :].partition(".")[2] for full in wire[:2])
            if heads[0] != heads[1] or not deep:
                inner.append(wire)
        elif any(inside):
            crossing.append(wire)
    return inner, crossing


def _end(full: str, prefix: str, meant: Names) -> tuple[str, str]:
    """Return box and pin of a port at a level."""
    box, _, rest = full[len(prefix) :].partition(".")
    inside = f"{prefix}{box}."
    return (box, rest) if "." not in rest else (box, _border_name(full, inside, meant))


def _border_name(full: str, inside: str, meant: Names) -> str:
    """Return the name that a port inside a group has on its frame."""
    for given in meant.get(full, ()):
        if given.startswith(inside) and "." not in given[len(inside) :]:
            return given[len(inside) :]
    return full[len(inside) :]


def _box(member: dict[str, Any], prefix: str, wires: list[list[str]], meant: Names) -> Box:
    box = Box(member["name"], member["words"], member["every"], bool(member.get("python")))
    if "members" not in member:
        for name, side, size, unit, words in member["ports"]:
            box.pins[name] = Pin(name, side, name + size, unit, words)
        _size(box)
        return box
    inside = f"{prefix}{box.name}."
    sides: dict[str, str] = {}
    for source, target, _ in wires:
        for full, side in ((source, "out"), (target, "in")):
            other = target if side == "out" else source
            if full.startswith(inside) and not other.startswith(inside):
                sides[_border_name(full, inside, meant)] = side
    border = [Pin(name, side, name, "") for name, side in sides.items()]
    box.sheet, heights = _level(member["members"], inside, wires, meant, border)
    for pin in border:
        pin.y = HEAD + heights.get(f"|{pin.name}", 0.0)
        box.pins[pin.name] = pin
    box.w = max(box.sheet.width + 2 * EDGE, BOLD * (len(box.name) + 4))
    box.h = HEAD + box.sheet.height + PAD + 4
    return box


def _size(box: Box) -> None:
    """Give a block its size and its pins their heights."""
    left, right = box.left(), box.right()
    for pins in (left, right):
        for k, pin in enumerate(pins):
            pin.y = HEAD + ROW * (k + 0.5)
    wide = max((pin.width for pin in left), default=0.0) + max((pin.width for pin in right), default=0.0)
    title = max(BOLD * len(box.name), LETTER * (len(box.words) + len(box.every) + 9))
    box.w = max(title + 24.0, wide + 44.0, 96.0)
    box.h = HEAD + ROW * max(len(left), len(right)) + PAD


def _placed(boxes: dict[str, Box], wires: list[Wire], border: list[Pin]) -> tuple[Sheet, dict[str, float]]:
    """Give boxes their places and wires their ways."""
    touched = {end for wire in wires for end in (wire.source[0], wire.target[0])}
    loose = [box for box in boxes.values() if box.name not in touched and not box.bare]
    layers, dummies, back = layered({n: b for n, b in boxes.items() if n in touched or b.bare}, wires, border)
    columns = [[boxes.get(name) or dummies[name] for name in layer] for layer in layers]
    everyone = boxes | dummies
    arrange(columns, everyone, hops_of(wires, dummies, back, everyone))
    hops = hops_of(wires, dummies, back, everyone)
    return drawn(columns, everyone, hops, wires, back, loose)
