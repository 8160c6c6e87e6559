"""Compare what a benchmark prints with its committed page: ratios, and times beside the other times of the page."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass

NOISE = 2.0  # factor by which a ratio of two times may differ from one machine to another
TIMES = 3.0  # factor by which one figure may move more than the median of its page does
MACHINE = (
    4.0  # factor by which that median may move: no two machines that run the benchmarks are further apart
)
BESIDE = "Measured beside other work"  # what such a page says
RATIO = re.compile(r"(?:= *|ratio +|over \d+: +)(?=\d)")
HEAD = re.compile(r"(?<!\S)(?:ratio|times|[a-z]+/[a-z]+)(?!\S)")  # columns of ratios
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Figure:
    """A printed number, but not one in powers of ten: errors and gaps have limits of their own."""

    text: str
    ratio: bool

    @property
    def value(self) -> float:
        return float(self.text.replace(",", ""))

    @property
    def unit(self) -> float:
        """One of its last digit."""
        return 10.0 ** -len(self.text.partition(".")[2])

    def near(self, wanted: float, factor: float) -> bool:
        """Whether it is `wanted` within a factor, or within two units of its last digit."""
        less, more = sorted((self.value, wanted))
        return more <= factor * less or more - less <= 2.0 * self.unit


@dataclass(frozen=True)
class Line:
    """A printed line: its words without numbers (a whole one that begins it says what is measured), and its figures."""

    key: tuple[str, str]
    words: str
    figures: tuple[Figure, ...]


def lines(text: str) -> list[Line]:
    """Return the lines of an output that have figures."""
    found, ends = [], set[int]()
    for line in text.splitlines():
        heads = {m.end() for m in HEAD.finditer(line)}
        words = " ".join(line.split())
        ends = heads or (ends if words else set())
        before = {m.end() for m in RATIO.finditer(line)}
        growth = line.find("exponent") if "exponent" in line else len(line)  # is that of any machine
        figures = tuple(
            Figure(m[0], m.start() in before or m.end() in ends or (m.start() > growth and "." in m[0]))
            for m in NUMBER.finditer(line)
            if "e" not in m[0] and m[0].count(".") < 2  # not a version
        )
        if figures:
            first = words.split()[0]
            found.append(
                Line(
                    (NUMBER.sub("#", first) if "." in first else first, NUMBER.sub("#", words)),
                    words,
                    figures,
                )
            )
    return found


def changed(output: str, committed: str) -> list[str]:
    """Lines of a committed page that a new run has otherwise, beyond the noise of machines, or has not.

    Ratios of two times, and exponents of their growth, may differ by `NOISE`. Other figures differ with the machine,
    by the median of the page, which may be `MACHINE` at most, and from there (or from the page) by `TIMES`. A page
    measured `BESIDE` other work is held to its ratios alone.

    >>> page = "```text\\n  5   1.0 / 1.9 = 0.53\\n  9   1.0 / 4.0 = 0.25\\n```"
    >>> changed("  5   2.0 / 3.9 = 0.51\\n  9   3.0 / 4.0 = 0.75", page)
    ['9 1.0 / 4.0 = 0.25: now 9 3.0 / 4.0 = 0.75']
    """
    measured = re.search(r"```text\n(.*?)```", committed, re.DOTALL)
    now: dict[tuple[str, str], list[Line]] = {}
    for line in lines(output):
        now.setdefault(line.key, []).append(line)
    out, pairs = [], []
    for line in lines(measured[1] if measured else committed):
        left = now.get(line.key)
        if left:
            pairs.append((line, left.pop(0)))
        else:
            out.append(f"{line.words}: not measured now")
    moves = [
        b.value / a.value
        for then, new in pairs
        for a, b in zip(then.figures, new.figures)
        if not a.ratio and a.text != b.text and a.value and b.value
    ]
    machine = statistics.median(moves) if moves else 1.0
    quiet = BESIDE not in committed
    if quiet and not 1.0 / MACHINE <= machine <= MACHINE:
        out.append(f"its figures are {machine:.2g} times those of the page, which no machine explains")
    for then, new in pairs:
        for a, b in ((a, b) for a, b in zip(then.figures, new.figures) if quiet or a.ratio):
            known = [a.value] if a.ratio else [a.value, a.value * machine, a.value / machine]
            if not any(b.near(wanted, NOISE if a.ratio else TIMES) for wanted in known):
                out.append(f"{then.words}: now {new.words}")
                break
    return out
