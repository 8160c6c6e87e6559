"""Components of simple structures by way of their decks."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interstage.calls import CallError
from interstage.errors import did_you_mean
from interstage.nastran import deck_from_text
from interstage.nastran.builders import beam_deck, cylinder_deck, plate_deck
from interstage.output import write_text

if TYPE_CHECKING:
    from interstage.component.record import Component

DECKS: dict[str, Callable[..., str]] = {"beam": beam_deck, "plate": plate_deck, "cylinder": cylinder_deck}


def built(
    kind: Any,
    name: str,
    sizes: tuple[float, ...],
    path: str | os.PathLike[str] | None,
    n_modes: int,
    options: dict[str, Any],
) -> Component:
    """Write the deck of a structure and reduce it; arguments as in `Component.beam` and its like.

    kind : the class Component;  name : beam, plate or cylinder
    """
    builder = DECKS[name]
    of_deck, of_reduction = (
        {one.name for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY}
        for function in (builder, kind.from_deck)
    )
    for word in options:
        if word not in of_deck | of_reduction:
            raise CallError(
                f"Component.{name} has no argument '{word}'", hint=did_you_mean(word, of_deck | of_reduction)
            )
    text = builder(*sizes, **{word: value for word, value in options.items() if word in of_deck})
    asked = {"name": name, "units": "SI"} | {w: v for w, v in options.items() if w not in of_deck}
    if path is not None:
        return kind.from_deck(write_text(path, text, what="deck"), n_modes, **asked)
    deck = deck_from_text(text)
    deck.name = name
    return kind.from_deck(deck, n_modes, **asked)
