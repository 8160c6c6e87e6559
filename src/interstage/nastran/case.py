"""Read executive and case control: which solution runs, and which sets each subcase selects."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.nastran.ids import expand_ids
from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.source import Text
from interstage.reading import is_whole

Value = int | float | str

# Far beyond any real deck; they bound the memory that a damaged one can take.
MAX_SUBCASES, MAX_COMMANDS = 20_000, 1000

SOLUTIONS = {
    "SESTATIC": 101, "SESTATICS": 101, "SEMODES": 103, "SEBUCKL": 105, "NLSTATIC": 106, "SEDCEIG": 107,
    "SEDFREQ": 108, "SEDTRAN": 109, "SEMCEIG": 110, "SEMFREQ": 111, "SEMTRAN": 112, "CYCSTATX": 114,
    "CYCMODE": 115, "CYCBUCKL": 116, "CYCFREQ": 118, "NLTRAN": 129, "SEAERO": 144, "SEFLUTTR": 145,
    "SEFLUTTER": 145, "SEAERES": 146, "NLSCSH": 153, "NLTCSH": 159, "DESOPT": 200, "NONLIN": 400,
}  # fmt: skip


@dataclass
class Subcase:
    """Requests of one subcase, those given above the first SUBCASE included.

    id : number of the subcase
    spc, mpc, load, method, suport1 : selected sets, or None (also for a set 0)
    k2gg, m2gg, b2gg, k42gg, p2g, k2pp, m2pp, b2pp : names of DMIG matrices
    factors : of those matrices (1.0 unless written), by command and name
    requests : every other command by name, as text
    options : what stood in brackets behind those commands, e.g. "PLOT,CORNER", by name
    """

    id: int = 1
    spc: int | None = None
    mpc: int | None = None
    load: int | None = None
    method: int | None = None
    suport1: int | None = None
    nsm: int | None = None
    k2gg: list[str] = field(default_factory=list)
    m2gg: list[str] = field(default_factory=list)
    b2gg: list[str] = field(default_factory=list)
    k42gg: list[str] = field(default_factory=list)
    p2g: list[str] = field(default_factory=list)
    k2pp: list[str] = field(default_factory=list)
    m2pp: list[str] = field(default_factory=list)
    b2pp: list[str] = field(default_factory=list)
    factors: dict[tuple[str, str], float] = field(default_factory=dict)
    label: str | None = None
    title: str | None = None
    subtitle: str | None = None
    analysis: str | None = None
    params: dict[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    request_lines: dict[str, int] = field(default_factory=dict, repr=False)
    line: int = 0


@dataclass
class Combination:
    """A SUBCOM: its requests, and the subcases whose results it adds, with factors."""

    case: Subcase
    terms: list[tuple[int, float]] = field(default_factory=list)


@named_arguments
@dataclass
class CaseControl:
    """Case control of a deck.

    subcases : at least one; without SUBCASE commands, subcase 1 with the global requests
    params : PARAMs given in case control, outside subcases
    sets : SET definitions as text, by number
    combinations : SUBCOM in order
    """

    subcases: list[Subcase] = field(default_factory=lambda: [Subcase()])
    params: dict[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    sets: dict[int, str] = field(default_factory=dict)
    combinations: list[Combination] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)
    param_lines: dict[str, int] = field(default_factory=dict, repr=False)

    def members(self, subcase: int, command: str, known: np.ndarray) -> np.ndarray | None:
        """Those of the ids `known` that the SET of a command of a subcase names (DISP = 4); None without a SET."""
        number = self._set_named(subcase, command)
        return None if number is None or number not in self.sets else self.listed(number, known)

    def listed(self, number: int, known: np.ndarray) -> np.ndarray | None:
        """Those of the ids `known` that a SET names; None where it is ALL."""
        if number not in self.sets:
            raise InputError(f"there is no SET {number}", hint=known_names(self.sets))
        items = [
            int(w) if is_whole(w) else w for w in re.findall(r"[0-9]+|[A-Z]+", self.sets[number].upper())
        ]
        if "ALL" in items:
            return None
        return np.intersect1d(expand_ids(items, _list_error, within=known), known)

    def texts(self, subcase: int) -> dict[str, str]:
        """TITLE, SUBTITLE and LABEL of a subcase that are not blank, by "title", "subtitle" and "label"."""
        cases = (*self.subcases, *(c.case for c in self.combinations))
        case = next((one for one in cases if one.id == subcase), None)
        found = {name: getattr(case, name, None) for name in ("title", "subtitle", "label")}
        return {name: text for name, text in found.items() if text}

    def missing_set(self, subcase: int, command: str) -> int | None:
        """Return the number of the SET that a command of a subcase names and the deck does not have."""
        number = self._set_named(subcase, command)
        return None if number in self.sets else number

    def _set_named(self, subcase: int, command: str) -> int | None:
        """Return the number of the SET that a command names by its first four letters; the later of two holds."""
        cases = (*self.subcases, *(c.case for c in self.combinations))
        case = next((one for one in cases if one.id == subcase), None)
        found = [v.split() for name, v in (case.requests if case else {}).items() if name[:4] == command]
        words = found[-1] if found else []
        return int(words[0]) if words and is_whole(words[0]) else None

    def of_superelement(self, number: int) -> CaseControl:
        """Case control of one superelement (0: the residual structure): subcases whose SUPER names it.

        Where none does, those that name no superelement or all of them; where there are none of these either, all.
        """
        named = [(one, self._superelements(one)) for one in self.subcases]
        chosen = [one for one, ids in named if ids is not None and number in ids]
        chosen = chosen or [one for one, ids in named if ids is None]
        return replace(self, subcases=chosen or list(self.subcases))

    def _superelements(self, case: Subcase) -> set[int] | None:
        """Superelements that SUPER of a subcase names, directly or by a SET; None for all."""
        words = case.requests.get("SUPER", "ALL").replace(",", " ").split()[:1]
        if not words or not is_whole(words[0]):
            return None
        number = int(words[0])
        if number in self.sets:
            return {int(one) for one in re.findall(r"[0-9]+", self.sets[number]) if is_whole(one)}
        return {number}


_COMMAND = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\s*(\([^)]*\)?)?\s*[=,]?\s*(.*)", re.DOTALL)
_FACTOR = re.compile(r"(?:\(?\s*([^*(),\s]+)\s*(?:,\s*([^)]*))?\)?\s*\*\s*)?([A-Za-z][A-Za-z0-9]*)$")
_SETS = {"SPC": "spc", "MPC": "mpc", "LOAD": "load", "METHOD": "method", "SUPORT1": "suport1", "NSM": "nsm"}
_MATRICES = ("K2GG", "M2GG", "B2GG", "K42GG", "P2G", "K2PP", "M2PP", "B2PP")
_TEXTS = {"LABEL": "label", "TITLE": "title", "SUBTITLE": "subtitle"}
_SHORT = {
    "METH": "METHOD", "SUBC": "SUBCASE", "SUBT": "SUBTITLE", "TITL": "TITLE", "LABE": "LABEL",
    "ANAL": "ANALYSIS", "SUPO": "SUPORT1",
}  # fmt: skip
_OTHER_CASES = ("SYMCOM", "REPCASE", "SYM", "SYMSEQ")


def read_solution(text: Text, lines: list[tuple[int, str]]) -> tuple[int | None, str | None]:
    """Find the SOL statement: (number, word). An unknown word gives number None."""
    for number, line in lines:
        words = line.replace("=", " ").replace(",", " ").split()
        if not words or words[0].upper() != "SOL":
            continue
        if len(words) < 2:
            raise text.error(number, "SOL without a solution number", hint="write SOL 101 or SOL 103")
        word = words[1].upper()
        if word.isdecimal() and word.isascii() and len(word) < 9:
            return int(word), word
        return SOLUTIONS.get(word), word
    return None, None


def read_case(text: Text, lines: list[tuple[int, str]]) -> CaseControl:
    """Read the case control commands given as (line of the buffer, text without comment)."""
    return _CaseReader(text).read(lines)


class _CaseReader:
    """State while the commands are read one after the other."""

    def __init__(self, text: Text):
        self.text = text
        self.case = CaseControl(subcases=[])
        self.common = Subcase()
        self.current: Subcase = self.common
        self.plotting = self.skipping = False
        self.ids: set[int] = set()

    def read(self, lines: list[tuple[int, str]]) -> CaseControl:
        for number, line in _joined(lines):
            match = _COMMAND.match(line.strip())
            if match is None:
                continue
            word = match[1].upper()
            name = word if word in ("SUBCOM", "SUPORT") else _SHORT.get(word[:4], word)
            self.command(number, name, (match[2] or "").strip("()").upper(), match[3].strip())
        if not self.case.subcases:
            self.case.subcases.append(self.common)
        return self.case

    def command(self, number: int, name: str, option: str, value: str) -> None:
        """Carry out one command."""
        if name in ("SKIP", "SKIPON", "SKIPOFF"):
            self.skipping = name == "SKIPON" or value.upper() == "ON"
        elif self.skipping:
            return
        elif name == "SUBCASE":
            self.current = deepcopy(self.common)
            self.current.id = self._integer(number, name, value)
            self.current.line = number
            self.plotting = False
            if self.current.id in self.ids:
                raise self.text.error(number, f"subcase {self.current.id} is defined twice")
            if len(self.ids) >= MAX_SUBCASES:
                raise self.text.error(number, f"the deck has more than {MAX_SUBCASES} subcases")
            self.ids.add(self.current.id)
            self.case.subcases.append(self.current)
        elif name == "SUBCOM":
            self._combination(number, value)
        elif name == "SUBSEQ" and self.case.combinations and self.current is self.case.combinations[-1].case:
            self._factors(number, value)
        elif name in (*_OTHER_CASES, "SUBSEQ"):
            self.current = Subcase()  # a combination of results: its requests concern nobody else
            self._ignore(name)
        elif name == "OUTPUT" and option:
            self.plotting = True
            self._request(number, f"OUTPUT({option})", value)
        elif self.plotting:
            return
        elif name == "SET":
            self._set(value)
        elif name == "PARAM":
            self._param(number, value)
        elif name in _SETS:
            if not (name == "METHOD" and option == "FLUID"):
                setattr(self.current, _SETS[name], self._integer(number, name, value) or None)
        elif name in _TEXTS:
            setattr(self.current, _TEXTS[name], value)
        elif name in _MATRICES:
            setattr(self.current, name.lower(), self._matrices(number, name, value))
            if name.endswith("PP"):  # what responses cannot use is looked for among the requests
                self._request(number, name, value)
        elif name == "ANALYSIS":
            self.current.analysis = value.upper()
        elif not (name.startswith("SDAM") and option.startswith("FLUI")):  # damping of fluids
            key = f"{name}({option})" if name.startswith("TEMP") and option else name
            self._request(number, key, value)
            self.current.options[key] = option
            if name == "AUTOSPC":
                self.case.params["AUTOSPC"] = value.upper() or "YES"

    def _combination(self, number: int, value: str) -> None:
        """A SUBCOM: results of the subcases before it, with the factors of its SUBSEQ."""
        self.current = deepcopy(self.common)
        self.current.id = self._integer(number, "SUBCOM", value)
        self.current.line, self.plotting = number, False
        if self.current.id in self.ids:
            raise self.text.error(number, f"subcase {self.current.id} is defined twice")
        if len(self.ids) >= MAX_SUBCASES:
            raise self.text.error(number, f"the deck has more than {MAX_SUBCASES} subcases")
        self.ids.add(self.current.id)
        self.case.combinations.append(Combination(self.current))

    def _factors(self, number: int, value: str) -> None:
        """Factors of SUBSEQ, those of the last subcases before it."""
        factors = []
        for word in value.replace("=", " ").replace(",", " ").split():
            kind, factor = parse_text(word.upper())
            if kind not in (INTEGER, REAL):
                raise self.text.error(number, "SUBSEQ has a factor that is not a number", got=repr(word[:40]))
            factors.append(float(factor))
        if not 0 < len(factors) <= len(self.case.subcases):
            raise self.text.error(
                number,
                "SUBSEQ needs a factor for each of the last subcases before it",
                expected=f"1 to {len(self.case.subcases)}",
                got=str(len(factors)),
            )
        before = [one.id for one in self.case.subcases[-len(factors) :]]
        self.case.combinations[-1].terms = list(zip(before, factors))

    def _request(self, number: int, key: str, value: str) -> None:
        # the order is that of the lines, so that the last of two words for one thing counts
        self.current.requests.pop(key, None)
        self.current.requests[key] = value
        self.current.request_lines[key] = number
        if len(self.current.requests) > MAX_COMMANDS:
            raise self.text.error(number, f"case control has more than {MAX_COMMANDS} different commands")

    def _ignore(self, name: str) -> None:
        self.case.ignored[name] = self.case.ignored.get(name, 0) + 1

    def _integer(self, number: int, name: str, value: str) -> int:
        words = value.replace("=", " ").replace(",", " ").split()
        if not words or not re.fullmatch(r"\+?[0-9]{1,9}", words[0]):
            raise self.text.error(number, f"{name} needs the number of a set", got=repr(value[:40]))
        return int(words[0])

    def _set(self, value: str) -> None:
        match = re.match(r"([0-9]{1,9})\s*=?\s*(.*)", value, re.DOTALL)
        if match:
            self.case.sets[int(match[1])] = match[2].strip()

    def _param(self, number: int, value: str) -> None:
        words = value.replace(",", " ").replace("=", " ").split()
        if len(words) < 2:
            raise self.text.error(number, "PARAM needs a name and a value")
        params = self.case.params if self.current is self.common else self.current.params
        params[words[0].upper()] = param_value(words[1:])
        self.case.param_lines[words[0].upper()] = number

    def _matrices(self, number: int, name: str, value: str) -> list[str]:
        """Names in `K2GG = KAAX` or `K2GG = 1.25*KA, (0.5)*KB`; the factors are noted."""
        names = []
        for part in filter(None, (p.strip() for p in re.split(r",(?![^(]*\))", value))):
            match = _FACTOR.match(part)
            if match is None:
                raise self.text.error(number, f"{name} needs names of matrices", got=repr(part[:40]))
            names.append(match[3].upper())
            self.current.factors.pop((name, names[-1]), None)
            if match[1]:
                kind, factor = parse_text(match[1].upper())
                if kind not in (INTEGER, REAL):
                    raise self.text.error(
                        number, f"{name} has a factor that is not a number", got=repr(match[1][:40])
                    )
                if parse_text((match[2] or "0").strip().upper())[1] != 0:
                    raise self.text.error(
                        number, f"{name} has a complex factor, which is not supported", got=repr(part[:40])
                    )
                self.current.factors[name, names[-1]] = float(factor)
        if not names:
            raise self.text.error(number, f"{name} needs the name of a matrix")
        return names


def _list_error(words: str, **more: str) -> ValueError:
    return ValueError(" ".join([words, *more.values()]))


def param_value(words: list[str]) -> Value | tuple[Value, ...]:
    """Value of a PARAM from its words: one value, or a tuple of the real and imaginary part."""
    values = []
    for word in words[:2]:
        kind, value = parse_text(word.upper())
        values.append(value if kind in (INTEGER, REAL) else word.upper())
    return values[0] if len(values) == 1 else tuple(values)


def _joined(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join commands that end in a comma with the lines that continue them."""
    out: list[tuple[int, list[str]]] = []
    more = False
    for number, line in lines:
        if more:
            out[-1][1].append(line.strip())
        elif line.strip():
            out.append((number, [line.strip()]))
        if line.strip():
            more = line.rstrip().endswith(",") and not _is_text(out[-1][1][0])
    return [(number, " ".join(parts)) for number, parts in out]


def _is_text(line: str) -> bool:
    return line[:4].upper() in ("TITL", "SUBT", "LABE")
