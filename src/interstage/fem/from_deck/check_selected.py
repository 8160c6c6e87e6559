"""Sets that case control selects and the deck's solution needs: those that are not in the deck."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from interstage.errors import InterstageError, known_names
from interstage.fem.case import Subcase
from interstage.fem.dynamics import FrequencyLoad, TimeLoad
from interstage.fem.model import FEModel
from interstage.fem.requests import BUCKLING, deck_request, modes_case
from interstage.fem.response_loads import DynamicLoads, selected
from interstage.fem.response_problem import MODAL
from interstage.nastran.registry import COMPLEX, RESPONSES

MODES = (3, 103)
IN_TIME = (9, 12, 27, 31, 69, 72, 109, 112)
LOADS = ("TLOAD1", "TLOAD2", "RLOAD1", "RLOAD2", "DLOAD", "DAREA", "LSEQ", "DELAY", "DPHASE", "SPCD")

Gone = Callable[[Iterable[str], int | None], bool]
"""Says whether a card of one of these names, with this number (None: any), was left out because it is wrong."""


def selection_errors(fe: FEModel, gone: Gone) -> Iterator[str]:
    """Sentences on sets that a solution needs and the deck lacks; what follows from cards left out is none."""
    for case in fe.case.subcases:
        yield from (words for words, cards, sid in missing_constraints(fe, case) if not gone(cards, sid))
    asking = modes_case(fe) if fe.sol in (*MODES, *MODAL) else None
    if asking is not None and not gone(("EIGRL", "EIGR"), asking.method):
        yield from _caught(lambda: deck_request(fe, asking))
    if fe.sol in RESPONSES and fe.dynamics.refused is None:
        yield from dict.fromkeys(_responses(fe, gone))
    if fe.sol in COMPLEX:
        yield from _complex(fe, gone)
    if fe.sol in BUCKLING:
        yield from _buckling(fe, gone)


def missing_constraints(fe: FEModel, case: Subcase) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Sentences on SPC and SUPORT1 sets of a subcase that are not in the deck, with their cards and numbers."""
    have = fe.constraints
    for command, sid, known, cards in (
        ("SPC", case.spc, {*have.spc_sets, *have.spc_add}, ("SPC", "SPC1", "SPCADD")),
        ("SUPORT1", case.suport1, set(have.suport1_sets), ("SUPORT1",)),
    ):
        if sid and sid not in known:
            yield (
                _absent(case, command, sid, f"{'an' if command == 'SPC' else 'a'} {command} set", known),
                cards,
                sid,
            )


def _caught(step: Callable[[], object]) -> Iterator[str]:
    try:
        step()
    except InterstageError as error:
        yield str(error)


def _absent(case: Subcase, command: str, sid: int, cards: str, known: Iterable[int]) -> str:
    return (
        f"{command} = {sid} of subcase {case.id} selects {cards} that the deck does not have; "
        f"{known_names(sorted(known))}"
    )


def _responses(fe: FEModel, gone: Gone) -> Iterator[str]:
    known, in_time = fe.dynamics, fe.sol in IN_TIME
    cases = [case for case in fe.case.subcases if not (case.analysis or "").startswith(("MODE", "STAT"))]
    moved = [case for case in cases if selected(case, "DLOA") or (in_time and selected(case, "IC"))]
    if not moved:
        yield "no subcase selects a dynamic load (DLOAD)" + (" or an initial motion (IC)" if in_time else "")
    axis = ("TSTEP", "TSTEP", known.steps) if in_time else ("FREQUENCY", "FREQ", known.frequencies)
    for case in moved or cases:
        command, letters, table = axis
        cards = ("TSTEP",) if in_time else ("FREQ", *(f"FREQ{k}" for k in range(1, 6)))
        if not selected(case, letters):
            yield f"subcase {case.id} has no {command}, which the solution needs; {known_names(sorted(table))}"
        asked = [(command, letters, table, cards)]
        asked += [("SDAMPING", "SDAM", known.damping, ("TABDMP1",))] if fe.sol in MODAL else []
        asked += [("IC", "IC", known.start, ("TIC",))] if in_time else []
        asked += [("RANDOM", "RAND", known.random, ("RANDPS",))] if not in_time else []
        for name, short, sets, cards in asked:
            sid = selected(case, short)
            if sid and sid not in sets and not gone(cards, sid):
                yield _absent(
                    case, name, sid, "FREQi cards" if name == "FREQUENCY" else f"a {cards[0]}", sets
                )
        if not gone(LOADS, None):
            kind = TimeLoad if in_time else FrequencyLoad
            yield from _caught(lambda case=case, kind=kind: DynamicLoads(fe, case, kind, []))  # type: ignore[misc]


def _complex(fe: FEModel, gone: Gone) -> Iterator[str]:
    if fe.direct.refused is not None:
        yield str(fe.direct.refused)
        return
    for case in fe.case.subcases:
        for command, short, known, card in (
            ("CMETHOD", "CMET", fe.direct.requests, "EIGC"),
            ("TFL", "TFL", fe.direct.transfer, "TF"),
        ):
            sid = selected(case, short)
            if sid and sid not in known and not gone((card,), sid):
                yield _absent(case, command, sid, f"{'an' if card[0] == 'E' else 'a'} {card}", known)


def _buckling(fe: FEModel, gone: Gone) -> Iterator[str]:
    known = {*fe.eigen_requests, *fe.buckling_requests}
    ids = [case.id for case in fe.case.subcases]
    for case in fe.case.subcases:
        if case.method is not None and case.method not in known and not gone(("EIGRL", "EIGB"), case.method):
            yield _absent(case, "METHOD", case.method, "an EIGRL or EIGB", known)
        other = selected(case, "STAT")
        if other and other not in ids:
            yield f"STATSUB = {other} of subcase {case.id} names a subcase that the deck does not have"
    if not any(case.load for case in fe.case.subcases):
        yield "no subcase has loads (LOAD), so that nothing can buckle"
