"""Check a deck that was read: unknown and unsupported entries, PARAMs, and numbers that are used twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import DeckError
from interstage.nastran import parameters
from interstage.nastran.cards import (
    CARDS,
    DYNAMIC,
    ELEMENTS,
    MASSES,
    MATERIALS,
    PROPERTY_GROUPS,
    RIGID,
    SUPPORTED,
    CardSpec,
    columns,
)
from interstage.nastran.numbers import BAD, LARGEST, is_real
from interstage.nastran.table import CardTable, field_name

if TYPE_CHECKING:
    from interstage.nastran.deck import Deck

LARGEST_ID = 99_999_999  # of grids, elements, properties and sets (Quick Reference Guide)


def check_entries(deck: Deck) -> None:
    """Refuse entries that may change the structure and are not supported; list those that are ignored."""
    for error in entry_errors(deck):
        raise error


def entry_errors(deck: Deck) -> Iterator[DeckError]:
    """What is wrong with entries, in reading order, then with case control; entries that are ignored are listed."""
    trouble: list[tuple[int, CardTable, str, str | None]] = []
    for name, count in deck.counts.items():
        if name == "MDLPRM":
            yield from _mdlprm(deck)
            continue
        card = CARDS.get(name)
        status = "refused" if card is None else card.status
        if status == "ignored" or (
            name in DYNAMIC and deck.sol not in parameters.RESPONSES + parameters.COMPLEX
        ):
            deck.ignored[name] = count
        elif card is not None and status == "refused if used":
            deck.ignored[name] = count
            trouble += _used_properties(deck, card)
        elif card is not None and status == "refused if selected":
            deck.ignored[name] = count
            yield from _selected(deck, card)
        elif status == "refused":
            table = deck.cards(name)
            what, hint = _refusal(name)
            trouble.append((int(table.lines[0]), table, what, hint))
    for _, table, what, hint in sorted(trouble, key=lambda item: item[0]):
        yield table.error(0, what, hint=hint)
    yield from _case(deck)


def _refusal(name: str) -> tuple[str, str | None]:
    card = CARDS.get(name)
    if card is not None and card.refusal is not None:
        words, hint = card.refusal
        return f"{name} {words}", hint
    if card is not None:
        return (
            f"{name} is not supported and may change the structure",
            "remove it if it does not matter, or model it with supported entries",
        )
    known = [one.name for one in CARDS.values() if one.status in ("supported", "ignored")]
    near = get_close_matches(name, known, n=1, cutoff=0.75)
    return f"{name!r} is not a known bulk data entry", f"did you mean {near[0]}?" if near else None


def _used_properties(deck: Deck, card: CardSpec) -> list[tuple[int, CardTable, str, str | None]]:
    """The first property of a card that a supported element refers to, as an entry of the trouble list."""
    table = deck.cards(card.name)
    ids = np.array([row[0] if row and isinstance(row[0], int) else -1 for row in table.rows()], np.int64)
    for element in card.users:
        cards = deck.cards(element)
        cards = cards.select(cards.is_integer(2))
        used = np.flatnonzero(np.isin(ids, cards.integer(2)))
        if len(used):
            i = int(used[0])
            what = f"{table.label(i)} is not supported and a {element} refers to it"
            return [(int(table.lines[i]), table.select(np.array([i])), what, None)]
    return []


def _selected(deck: Deck, card: CardSpec) -> Iterator[DeckError]:
    """Refuse a card in each subcase that selects it; one with a refusal of its own once."""
    command = card.selected_by
    for subcase in deck.case.subcases:
        if subcase.requests.get(command, "NONE").upper() in ("NONE", "0"):
            continue
        words, hint = card.refusal or ("is not supported", "")
        what, _, why = words.partition(":")
        yield deck.cards(card.name).error(
            0,
            f"{card.name} {what} and subcase {subcase.id} selects it" + (f":{why}" if why else ""),
            hint=f"remove {command} from case control" + (f", and {hint}" if hint else ""),
        )
        if card.refusal:
            return


def _mdlprm(deck: Deck) -> Iterator[DeckError]:
    """MDLPRM holds pairs of name and value."""
    table = deck.cards("MDLPRM")
    for i, row in enumerate(table.rows()):
        for name, value in zip(row[::2], [*row[1::2], None]):
            allowed = parameters.HARMLESS_MDLPRM_VALUES.get(str(name), ())
            harmless = name in parameters.HARMLESS_MDLPRM or value in allowed
            if name is not None and not harmless:
                yield table.error(i, f"MDLPRM {name} = {value} is not supported and may change the structure")
    deck.ignored["MDLPRM"] = len(table)


def _case(deck: Deck) -> Iterator[DeckError]:
    """Refuse case control that changes the stiffness; keep what changes statics or responses alone for those."""
    for subcase in deck.case.subcases:
        for name, value in subcase.requests.items():
            stiffness = name in parameters.REFUSED_CASE and not (
                name == "STATSUB" and deck.sol in parameters.PRELOADED
            )
            statics, response = (
                name in parameters.REFUSED_CASE_STATICS,
                name in parameters.REFUSED_CASE_RESPONSES,
            )
            if not (stiffness or statics or response) or value.upper() in ("NONE", "0"):
                continue
            error = deck._fields.text.error(
                subcase.request_lines[name],
                f"{name} in case control is not supported",
                hint="it changes the stiffness or the loads; remove it if it does not matter",
            )
            if stiffness:
                yield error
            else:
                (deck.static_refusals if statics else deck.response_refusals).append(error)


def list_requests(deck: Deck) -> None:
    """List the case control that no solution here carries out, such as STRESS, by name and number of lines."""
    lines: dict[str, set[int]] = {}
    carried = parameters.CARRIED_OUT
    if deck.sol in parameters.RESPONSES:
        carried |= parameters.CARRIED_OUT_RESPONSES
    if deck.sol in parameters.COMPLEX:
        carried |= parameters.CARRIED_OUT_COMPLEX
    for subcase in deck.case.subcases:
        for name, line in subcase.request_lines.items():
            if name[:4] not in carried and subcase.requests[name].upper() != "NONE":
                lines.setdefault(name, set()).add(line)
    deck.ignored_requests.update({name: len(found) for name, found in sorted(lines.items())})


def check_params(deck: Deck) -> None:
    """Refuse PARAMs that change the structure and are not supported; list those that are not known."""
    for error in param_errors(deck):
        raise error


def param_errors(deck: Deck) -> Iterator[DeckError]:
    """PARAMs that change the structure and are not supported; those that are not known are listed.

    INREL changes the loads of statics alone, so that its refusal waits until statics is asked for.
    """
    for name, value in deck.params.items():
        if name in parameters.REFUSED_PARAMS:
            if value in parameters.REFUSED_PARAMS[name]:
                continue
            what = f"PARAM {name} = {value} is not supported and changes the structure or its loads"
            error = deck.param_error(name, what)
            if name != "INREL":
                yield error
            else:
                deck.static_refusals.append(error)
        if name not in parameters.USED_PARAMS and name not in parameters.HARMLESS_PARAMS:
            deck.ignored[f"PARAM {name}"] = 1


def check_numbers(deck: Deck) -> None:
    """Refuse fields of supported entries that are neither number nor word, such as 1.2.3."""
    for error in number_errors(deck):
        raise error


def number_errors(deck: Deck) -> Iterator[DeckError]:
    """Fields of supported entries that are neither number nor word."""
    fields = deck._fields
    bad = np.flatnonzero(fields.kind == BAD)
    if not len(bad):
        return
    card = np.searchsorted(fields.start, bad, side="right") - 1
    for at, c in zip(bad.tolist(), card.tolist()):
        name = fields.names[fields.code[c]]
        if name in SUPPORTED - DYNAMIC and name != "PARAM":
            table = CardTable(fields, name, np.array([c]))
            place = field_name(at - int(fields.start[c]) + 1)
            yield table.error(
                0,
                f"{table.label(0)}: {place} is not a number"
                + (f" up to {LARGEST:g}" if is_real(fields.raw(at)) else ""),
                got=repr(fields.raw(at)[:40]),
                hint=_number_hint(fields.raw(at)),
            )


def _number_hint(raw: str) -> str | None:
    if " " in raw:
        return "two numbers in one field: check that the columns line up"
    return None


def check_ids(deck: Deck) -> None:
    """Refuse identification numbers used twice; a GRID or coordinate system repeated exactly is dropped."""
    _drop_repeats(deck, ("GRID",))
    _unique(deck, sorted(ELEMENTS), "element")
    _unique(deck, sorted(MASSES), "mass element")
    _unique(deck, sorted(RIGID), "rigid element")
    for group in PROPERTY_GROUPS:
        _unique(deck, group, "property", CARDS[group[0]].ids)
    _unique(deck, MATERIALS, "material")
    _unique(deck, ("EIGRL", "EIGR"), "eigenvalue method")
    for name in ("EIGB", "EIGC"):
        _unique(deck, (name,), "eigenvalue method")
    for name in ("LOAD", "SPCADD", "MPCADD"):
        _unique(deck, (name,), "set")
    for name in ("GRDSET", "BAROR", "BEAMOR"):
        table = deck.cards(name)
        if len(table) > 1:
            raise table.error(
                1, f"{name} may be given only once", hint=f"the other one is in {table.where(0)}"
            )
    systems = ("CORD2R", "CORD2C", "CORD2S")
    _drop_repeats(deck, systems)
    _unique(deck, systems, "coordinate system", other=_first_systems(deck))


# cards of responses that may not share a number, and what they are
DYNAMIC_IDS = (
    (("TABLED1", "TABLED2", "TABLED3", "TABLED4"), "table"),
    (("TABDMP1",), "damping table"),
    (("TABRND1", "TABRNDG"), "spectrum"),
    (("RLOAD1", "RLOAD2", "TLOAD1", "TLOAD2", "DLOAD"), "dynamic load"),
    (("TSTEP",), "set of time steps"),
    (("PBUSHT",), "property"),
    (("PELAST",), "property"),
    (("PDAMPT",), "property"),
)


def check_dynamic_ids(deck: Deck) -> None:
    """Refuse numbers of dynamic requests that are used twice."""
    for names, what in DYNAMIC_IDS:
        _unique(deck, names, what)


def _first_systems(deck: Deck) -> list[tuple[CardTable, np.ndarray, np.ndarray]]:
    """CORD1x entries hold one or two systems: (table, rows, numbers)."""
    out = []
    for name in ("CORD1R", "CORD1C", "CORD1S"):
        table = deck.cards(name)
        if len(table):
            for column in (1, 5):
                rows = np.flatnonzero(~table.blank(column) | (column == 1))
                out.append((table, rows, table.select(rows).integer(column)))
    return out


def _unique(
    deck: Deck,
    names: Iterable[str],
    what: str,
    columns: tuple[int, ...] = (1,),
    other: Iterable[tuple[CardTable, np.ndarray, np.ndarray]] = (),
) -> None:
    """Refuse a number that occurs twice among the entries `names`."""
    sources = list(other)
    for name in names:
        table = deck.cards(name)
        if not len(table):
            continue
        for column in columns:
            rows = np.arange(len(table)) if column == 1 else np.flatnonzero(~table.blank(column))
            sources.append((table, rows, table.select(rows).integer(column)))
    if not sources:
        return
    ids = np.concatenate([numbers for _, _, numbers in sources])
    source = np.repeat(np.arange(len(sources)), [len(numbers) for _, _, numbers in sources])
    wrong = np.flatnonzero((ids < (0 if what == "set" else 1)) | (ids > LARGEST_ID))
    locate = _locator(sources, source)
    if len(wrong):
        raise _id_error(*locate(int(wrong[0])), int(ids[wrong[0]]))
    order = np.argsort(ids, kind="stable")
    twice = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if len(twice):
        first, second = sorted(
            (locate(int(order[twice[0] + k])) for k in (0, 1)), key=lambda t: int(t[0].lines[t[1]])
        )
        raise second[0].error(
            second[1],
            f"{what} {ids[order[twice[0]]]} is defined twice",
            hint=f"the other one is {first[0].name} in {first[0].where(first[1])}",
        )


def _id_error(table: CardTable, i: int, got: int) -> DeckError:
    """The error about an identification number that is none."""
    if got > LARGEST_ID:
        what = f"{table.name} has an identification number of more than eight digits"
        return table.error(i, what, expected=f"at most {LARGEST_ID}", got=str(got))
    return table.error(i, f"{table.name} needs a positive identification number", got=str(got))


def _locator(sources: list, source: np.ndarray) -> Callable[[int], tuple[CardTable, int]]:
    starts = np.cumsum([0] + [len(numbers) for _, _, numbers in sources])

    def locate(k: int) -> tuple[CardTable, int]:
        table, rows, _ = sources[source[k]]
        return table, int(rows[k - starts[source[k]]])

    return locate


def _drop_repeats(deck: Deck, names: tuple[str, ...]) -> None:
    """Keep the first of several identical cards; cards that differ are an error."""
    for name in names:
        table = deck.cards(name)
        if not len(table):
            continue
        ids = table.integer(1)
        wrong = (ids < 1) | (ids > LARGEST_ID)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise _id_error(table, i, int(ids[i]))
        order = np.argsort(ids, kind="stable")
        twice = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        if not len(twice):
            continue
        keep = np.ones(len(ids), bool)
        for k in twice.tolist():
            first, second = int(order[k]), int(order[k + 1])
            if table.row(first) != table.row(second):
                raise table.error(
                    second,
                    f"{name} {ids[second]} is defined twice and differently",
                    hint=f"the other one is in {table.where(first)}",
                )
            keep[second] = False
        deck.keep(name, keep)


def check_types(deck: Deck) -> None:
    """Refuse fields beyond a card's last, integers for real numbers, negative moduli, and PARAMs of the wrong type.

    NASTRAN stops on an integer in a field of a real number (206800 for 206800.), because a decimal point is what tells
    one from the other.
    """
    found: list[tuple[int, DeckError]] = []
    for name in deck.counts:
        card = CARDS.get(name)
        if card is None or not (card.reals or card.fields):
            continue
        table = _data_cards(deck, name)
        width = int(table.width.max(initial=0))
        if card.fields and width > card.fields:
            found += _beyond(table, card.fields)
        for j in columns(card.reals, width):
            found += _integers(table, j)
        for j in columns(card.not_negative, width):
            found += _negatives(table, j)
    if found:
        raise min(found, key=lambda one: one[0])[1]
    _check_params(deck)


def _data_cards(deck: Deck, name: str) -> CardTable:
    """Cards of a name; the header of a DMIG (0 in field 2) has its own layout."""
    table = deck.cards(name)
    if name != "DMIG" or not len(table):
        return table
    head = np.array([row[1:2] == [0] for row in table.rows()])
    return table.select(~head)


def _beyond(table: CardTable, last: int) -> Iterator[tuple[int, DeckError]]:
    """The first card with values behind its last field: its place in reading order, and the error."""
    i = int(np.argmax(table.width > last))
    row = table.row(i)
    j = next(k for k in range(last + 1, len(row) + 1) if row[k - 1] is not None)
    yield (
        int(table.lines[i]),
        table.error(
            i,
            f"{table.label(i)}: {field_name(j)} is beyond its last",
            expected=f"at most {last} data fields",
            got=str(row[j - 1]),
            hint="see whether fields are out of line, or two cards in one",
        ),
    )


def _integers(table: CardTable, j: int) -> Iterator[tuple[int, DeckError]]:
    """The first integer in a field of real numbers: its place in reading order, and the error."""
    wrong = table.is_integer(j)
    if wrong.any():
        i = int(np.argmax(wrong))
        value = table.row(i)[j - 1]
        yield (
            int(table.lines[i]),
            table.error(
                i,
                f"{table.label(i)}: {field_name(j)} is an integer where NASTRAN wants a real number",
                expected=f"{value}. with a decimal point",
                got=str(value),
            ),
        )


def _negatives(table: CardTable, j: int) -> Iterator[tuple[int, DeckError]]:
    """The first negative number in a field: its place in reading order, and the error."""
    rows = np.flatnonzero(table.is_real(j))
    wrong = np.flatnonzero(table.select(rows).real(j) < 0.0)
    if len(wrong):
        i = int(rows[wrong[0]])
        yield (
            int(table.lines[i]),
            table.error(
                i,
                f"{table.label(i)}: {field_name(j)} is negative",
                expected="zero or more",
                got=f"{table.row(i)[j - 1]:g}",
            ),
        )


def _check_params(deck: Deck) -> None:
    """PARAMs that are used have the type that NASTRAN gives them."""
    for names, kind, words in (
        (parameters.REAL_PARAMS, float, "a real number"),
        (parameters.INTEGER_PARAMS, int, "an integer"),
    ):
        for name in names:
            value = deck.params.get(name)
            other = int if kind is float else float
            if isinstance(value, other):
                what = f"PARAM {name} has the wrong type"
                hint = (
                    "write it with a decimal point" if kind is float else "write it without a decimal point"
                )
                raise deck.param_error(name, what, expected=words, got=str(value), hint=hint)
