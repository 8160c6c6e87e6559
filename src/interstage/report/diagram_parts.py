"""What a block diagram is made of: boxes with pins, wires, and the lines that are drawn for them."""

from __future__ import annotations

from dataclasses import dataclass, field

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
