"""Blocks in layers, each behind those that it hears, and heights at which wires are straight.

Loops are cut where they close, in the order of addition. Orders follow what comes from the left; heights are least
squares over both sides with the order kept.
"""

from __future__ import annotations

from interstage.report.diagram_parts import GAP, Box, Hop, Pin, Wire


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
