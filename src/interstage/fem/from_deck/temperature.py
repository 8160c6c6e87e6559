"""Temperatures of a deck: TEMP, TEMPD, TEMPP1, TEMPRB."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.from_deck.context import Context
from interstage.fem.loads import TemperatureSet
from interstage.fem.thermal import takes_bar_temperature, takes_plate_temperature
from interstage.nastran import CardTable, expand_ids

# temperatures that are not supported: an error once their set is selected
_REFUSED = ("TEMPP2", "TEMPP3", "TEMPB3", "TEMPF", "TEMPEX")
_BY_TEMPERATURE = ("MATT1", "MATT2", "MATT3", "MATT8", "MATT9", "MATT11")


def read_temperatures(ctx: Context) -> dict[int, TemperatureSet]:
    """Return the temperature sets of a deck by id."""
    out: dict[int, TemperatureSet] = {}
    _read_defaults(ctx, out)
    table = ctx.deck.cards("TEMP")
    for i, row in enumerate(table.rows()):
        for grid, value in _pairs(table, i, row[1:], "a grid"):
            if int(ctx.grids.find(grid)) < 0:
                if int(ctx.grids.find_spoint(grid)) >= 0:
                    continue  # a scalar point may have one, and no element asks for it
                raise table.error(i, f"TEMP refers to grid {grid}, which is not in the deck")
            _give(table, i, _of(out, table, i).grids, grid, value)
    table = ctx.deck.cards("TEMPP1")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 6
        mean, gradient = _number(table, i, row[2], "TBAR"), _number(table, i, row[3], "TPRIME", 0.0)
        for eid in _elements(table, i, row[1], row[8:]):
            _give(table, i, _of(out, table, i).plates, eid, (mean, gradient))
    table = ctx.deck.cards("TEMPRB")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 8
        at_a = _number(table, i, row[2], "TA")
        ends = (at_a, _number(table, i, row[3], "TB", at_a))
        gradients = tuple(_number(table, i, row[k], "a gradient", 0.0) for k in (4, 5, 6, 7))
        for eid in _elements(table, i, row[1], row[16:]):
            _give(table, i, _of(out, table, i).bars, eid, ends + gradients)
    for name in _REFUSED:
        table = ctx.deck.cards(name)
        for i, sid in enumerate(table.integer(1).tolist()):
            one = out.setdefault(sid, TemperatureSet())
            one.refused = one.refused or table.error(
                i, f"temperature set {sid} holds a {name}, which is not supported"
            )
    return out


def thermal_notes(ctx: Context) -> list[str]:
    """Warnings about what temperatures that a subcase selects would change in NASTRAN, and do not here."""
    chosen = {key for case in ctx.deck.case.subcases for key in case.requests if key.startswith("TEMP")}
    out = []
    names = [name for name in _BY_TEMPERATURE if len(ctx.deck.cards(name))]
    if chosen and names and not all(key.endswith("(LOAD)") for key in chosen):
        out.append(
            f"warning: {', '.join(names)} would change materials by temperature, which {min(chosen)} selects; "
            "here materials are those of MAT1, MAT2, MAT8 and MAT9"
        )
    return out


def stray_notes(temperatures: dict[int, TemperatureSet], blocks: list[ElementBlock]) -> list[str]:
    """Say which elements TEMPP1 and TEMPRB name that are not there, or are not plates or bars: they have no effect."""
    out = []
    for card, what, takes in (
        ("TEMPP1", "plates", takes_plate_temperature),
        ("TEMPRB", "bars, beams or rods", takes_bar_temperature),
    ):
        known = {eid for block in blocks if takes(block) for eid in block.eid.tolist()}
        for sid, one in temperatures.items():
            stray = [eid for eid in (one.plates if card == "TEMPP1" else one.bars) if eid not in known]
            if stray:
                out.append(
                    f"warning: {card} of set {sid} names {len(stray)} that are no {what} with a material that expands, "
                    f"element {stray[0]} the first: it has no effect on them"
                )
    return out


def _read_defaults(ctx: Context, out: dict[int, TemperatureSet]) -> None:
    table = ctx.deck.cards("TEMPD")
    for i, row in enumerate(table.rows()):
        for sid, value in _pairs(table, i, row, "a set"):
            one = out.setdefault(sid, TemperatureSet())
            if one.default is not None:
                raise table.error(i, f"temperature set {sid} has two defaults")
            one.default = value


def _of(out: dict[int, TemperatureSet], table: CardTable, i: int) -> TemperatureSet:
    return out.setdefault(int(table.integer(1)[i]), TemperatureSet())


def _give(table: CardTable, i: int, target: dict, number: int, value: object) -> None:
    if number in target and target[number] != value:
        raise table.error(i, f"{table.name} gives {number} a temperature twice and differently")
    target[number] = value


def _pairs(table: CardTable, i: int, row: list, what: str) -> Iterator[tuple[int, float]]:
    row = row + [None] * (len(row) % 2)
    for number, value in zip(row[::2], row[1::2]):
        if number is None and value is None:
            continue
        if not isinstance(number, int) or not isinstance(value, int | float):
            raise table.error(
                i, f"{table.name} needs pairs of {what} and a temperature", got=f"{number}, {value}"
            )
        yield number, float(value)


def _number(table: CardTable, i: int, value: object, name: str, default: float | None = None) -> float:
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float):
        raise table.error(i, f"{name} of this {table.name} is missing or not a number", got=repr(value))
    return float(value)


def _elements(table: CardTable, i: int, first: object, rest: list) -> np.ndarray:
    return expand_ids([first, *rest], partial(table.error, i))
