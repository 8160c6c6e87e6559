"""What a deck asks for in normal modes: the subcase, and the range and number of its EIGRL or EIGR.

One reading for `normal_modes`, components and commands.
"""

from __future__ import annotations

from interstage.errors import InputError, ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.model import FEModel
from interstage.linalg.eigen_request import EigenRequest
from interstage.reading import is_whole

DEFAULT_MODES = 10
HIGHEST = 1e100  # Hz; squares of frequencies below it are numbers
BUCKLING = (5, 65, 105, 116)  # solutions whose METHOD asks for load factors
# solutions that Nastran does not run without METHOD, and kinds of subcases of which that holds in any solution
BY_MODES = (3, 10, 11, 12, 13, 29, 30, 31, 63, 70, 71, 72, 103, 110, 111, 112, 115, *BUCKLING)
ANALYSES_BY_MODES = ("MODE", "BUCK", "MFRE", "MTRA", "MCEI")
STOPS = "without which Nastran stops"
WITHOUT_MODES = (1, 24, 61, 66, 101, 106, 114, 129, 144, 153, 159)  # solutions that do not look at METHOD


def check_model(fe: object) -> None:
    """Refuse what is no finite-element model, as the path of a deck."""
    if not isinstance(fe, FEModel):
        raise InputError(
            "not a finite-element model",
            expected="an FEModel, as from ist.FEModel.from_deck('panel.bdf')",
            got=f"{type(fe).__name__} {str(fe)[:60]!r}" if isinstance(fe, str) else type(fe).__name__,
        )


def modes_case(fe: FEModel, subcase: int | None = None) -> SubcaseSelections | None:
    """The subcase whose SPC, MPC and METHOD hold: the one named, else the first that asks for modes; None: no case."""
    cases = fe.case.subcases
    if subcase is not None:
        chosen = [case for case in cases if case.id == subcase]
        if not chosen:
            raise InputError(
                f"subcase {subcase} is not in the deck",
                where=fe.source,
                hint=known_names(case.id for case in cases),
            )
        return chosen[0]
    cases = [case for case in cases if not _of_superelement(case)] or cases
    asking = [case for case in cases if case.method is not None]
    modes = [case for case in asking or cases if (case.analysis or "").startswith("MODE")]
    plain = [case for case in asking if case.analysis is None]
    return next(iter(modes or plain or asking or cases), None)


def _of_superelement(case: SubcaseSelections) -> bool:
    """Say whether a subcase is that of a superelement (SUPER = 100), not of the whole structure."""
    first = case.requests.get("SUPER", "0").replace(",", " ").split()[:1]
    return bool(first) and is_whole(first[0]) and int(first[0]) > 0


def modes_request(
    fe: FEModel,
    case: SubcaseSelections | None,
    n_modes: int | None = None,
    f_min: float | None = None,
    f_max: float | None = None,
) -> EigenRequest:
    """The user's wish if there is one, else the deck's request, else ten modes."""
    asked = deck_request(fe, case)
    if n_modes is not None or f_min is not None or f_max is not None:
        asked = EigenRequest(f_min, f_max, n_modes, asked.norm if asked else "mass")
    for end in (asked.low, asked.high) if asked else ():
        if end is not None and not abs(end) < HIGHEST:
            raise ModelError(
                "a frequency of the range of modes is no frequency", where=fe.source, got=f"{end:g} Hz"
            )
    return asked or EigenRequest(count=DEFAULT_MODES)


def deck_request(fe: FEModel, case: SubcaseSelections | None) -> EigenRequest | None:
    """The EIGRL or EIGR that a subcase selects, or the only one there is; None where the deck has none to offer."""
    if case is not None and (fe.sol in BUCKLING or (case.analysis or "").startswith("BUCK")):
        # the range of a buckling request is one of load factors
        asked = None if case.method is None else fe.eigen_requests.get(case.method)
        return EigenRequest(count=asked.count if asked and asked.count else DEFAULT_MODES)
    if case is not None and case.method is not None:
        if case.method not in fe.eigen_requests and fe.sol not in WITHOUT_MODES:
            raise ModelError(
                f"METHOD = {case.method} selects an EIGRL or EIGR that is not in the deck",
                where=fe.source,
                hint=known_names(sorted(fe.eigen_requests)),
            )
        return fe.eigen_requests.get(case.method)
    return next(iter(fe.eigen_requests.values())) if len(fe.eigen_requests) == 1 else None


def method_missing(fe: FEModel, case: SubcaseSelections | None, taken: str | None = None) -> list[str]:
    """A sentence where the solution needs METHOD and the subcase has none: what Nastran does, and what is done here.

    taken : what is computed, in words; else the EIGRL or EIGR of `deck_request`
    """
    needed = fe.sol in BY_MODES or (case is not None and (case.analysis or "").startswith(ANALYSES_BY_MODES))
    if not needed or (case is not None and case.method is not None):
        return []
    if taken is None:
        asked = deck_request(fe, case)
        sid = next(iter(fe.eigen_requests), None)
        alone = sid is not None and fe.sol not in BUCKLING and asked is fe.eigen_requests[sid]
        taken = (
            f"EIGRL or EIGR {sid}, the only one of the deck, is taken" if alone
            else f"the {DEFAULT_MODES} lowest modes are computed"
        )  # fmt: skip
    return [selection_missing(fe, case, "METHOD", any(one.method for one in fe.case.subcases), taken)]


def selection_missing(
    fe: FEModel, case: SubcaseSelections | None, command: str, elsewhere: bool, taken: str
) -> str:
    """Say that case control lacks a command, and what is done; `elsewhere`: another subcase has it."""
    if elsewhere:
        return f"subcase {case.id if case else 1} has no {command}: {taken}"
    return f"case control has no {command}, {STOPS}: {taken}"
