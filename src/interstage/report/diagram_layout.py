"""Where blocks and wires of a diagram lie: layers from left to right, as signals flow.

Blocks stand in columns: each behind those that it hears, loops cut where they close. Wires run in the channels between
columns, a track for each output; long ones have a row of their own through the columns between, and those that lead
back run below. A group is laid out by itself, and is a block whose ports are its exposed ones.
"""

from __future__ import annotations

from typing import Any

from interstage.report.diagram_layers import arrange, hops_of, layered
from interstage.report.diagram_parts import BOLD, EDGE, HEAD, LETTER, PAD, ROW, Box, Pin, Sheet, Wire
from interstage.report.diagram_wires import drawn

Names = dict[str, list[str]]  # names that were given to a port inside, from the innermost group on


def sheet_of(blocks: dict[str, Any]) -> Sheet:
    """Return the layout of the blocks of an assembly (`system.blocks`)."""
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
