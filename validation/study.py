"""What a study returns, and how its table is printed and written into the docs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

NOISE = (
    3.0  # factor by which an error may differ from one machine to another before the page counts as changed
)
RESULT = 1e-6  # an error from here on is a result, unless its row is one of rounding; below, rounding chooses places
HELD = 1.5  # factor by which a result may differ
PRINTED = 0.005  # part by which a printed number may differ, besides two units of its last digit
LOOSE = 1e4  # a limit so many times the error is one that needs its reason on the page
HERE = (
    "here:"  # in a note: what follows is of this run and machine, a time or a matter of chance, and no result
)
ROUNDING = 1e-16  # errors below count as this
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
ROUNDS = "rounding: 2.2e-16 times the condition of what is computed; errors below the limit are one result"
MOST_ROUNDING = (
    1e-5  # a limit above is none of rounding: 5e10 units of double precision, a beam of 101 grids has 1e10
)
MEANT = "Limits with * were set after the figure was seen."
DOCS = Path(__file__).resolve().parents[1] / "docs" / "validation"


@dataclass(frozen=True)
class Row:
    """One comparison: `error` is held to `tolerance`.

    why : reason for the limit, or for there being none (tolerance None: shown, not judged); the page lists them.
        One that begins with "rounding" says that the error is noise, another one on another machine
    after : whether the limit was set after the figure was seen, which the page marks. Limits without the mark are
        those of a paper, of printed digits, of a requirement or of rounding
    """

    case: str
    quantity: str
    reference: str
    ours: str
    error: float
    tolerance: float | None
    note: str = ""
    why: str = ""
    after: bool = False

    def __post_init__(self) -> None:
        if self.tolerance is None and not self.why:
            raise ValueError(f"a row without a limit must say why ({self.case}, {self.quantity})")
        if self.rounds and not (self.tolerance or 0.0) <= MOST_ROUNDING:
            raise ValueError(
                f"a limit of {self.tolerance:g} is none of rounding ({self.case}, {self.quantity})"
            )

    @property
    def rounds(self) -> bool:
        """Whether the error is rounding: any below the limit is the same result."""
        return self.why.startswith("rounding")

    @property
    def passed(self) -> bool:
        return self.tolerance is None or self.error <= self.tolerance

    @property
    def limit(self) -> str:
        """The limit as printed, with its digits (three at most) and its mark."""
        if self.tolerance is None:
            return "—"
        words = [f"{self.tolerance:.{digits}e}" for digits in range(3)]
        return next(one for one in words if float(one) == float(words[-1])) + " *" * self.after


@dataclass
class Study:
    """A table of comparisons with a sentence that says what is compared with what.

    `skipped` says why nothing was compared, `left_out` names comparisons that this machine could not make;
    `pictures` {file name: function that draws into a path} are drawn when the page is written.
    """

    name: str
    title: str
    about: str
    rows: list[Row] = field(default_factory=list)
    skipped: str | None = None
    left_out: list[str] = field(default_factory=list)
    pictures: dict[str, Callable[[Path], object]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return all(row.passed for row in self.rows)

    def markdown(self) -> str:
        """The study as a page of the docs."""
        lines = [f"# {self.title}", "", self.about, ""]
        lines += [
            "| case | quantity | reference | ours | error | tolerance | note |",
            "|---|---|---|---|---|---|---|",
        ]
        reasons = list(dict.fromkeys(row.why for row in self.rows if row.why))
        for row in self.rows:
            limit = row.limit + (f" {letter(reasons.index(row.why))}" if row.why else "")
            cells = (row.case, row.quantity, row.reference, row.ours, f"{row.error:.1e}", limit, row.note)
            lines.append(f"| {' | '.join(cells)} |")
        lines += [""]
        if any(row.after for row in self.rows):
            lines += [MEANT, ""]
        lines += [f"- {letter(k)} {why}" for k, why in enumerate(reasons)] + [""] * bool(reasons)
        lines += [f"![{Path(name).stem}]({name})\n" for name in self.pictures]
        return "\n".join(lines).rstrip() + "\n"

    def missing(self, folder: Path = DOCS) -> list[str]:
        """Comparisons of the committed page that this run does not have: it says less than the page does."""
        out = ([self.skipped] if self.skipped else []) + list(self.left_out)
        path = folder / f"{self.name}.md"
        if path.exists():
            here = {(row.case, row.quantity) for row in self.rows}
            out += [", ".join(key) for key in page_rows(path.read_text(encoding="utf-8")) if key not in here]
        return out

    def write(self, folder: Path = DOCS, drop_rows: bool = False) -> Path:
        """Write page and pictures; a run that lacks rows of the committed page leaves all as it is.

        `drop_rows` allows rows to vanish that the study no longer has; rows that could not be run never vanish.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.md"
        if self.skipped or self.left_out or (self.missing(folder) and not drop_rows):
            return path
        for name, draw in self.pictures.items():
            draw(folder / name)
        path.write_text(self.markdown(), encoding="utf-8")
        return path

    def changed(self, folder: Path = DOCS) -> list[str]:
        """Rows that the committed page has otherwise, beyond its noise: what it says is no longer so.

        Errors may differ by `NOISE`, or by `HELD` where they are results (from `RESULT` on, or without a reference),
        and those of rounding may be anything below their limit; other printed numbers by `PRINTED` (not those of the
        "worst" place of an error below `RESULT` that has a limit: it may be another one elsewhere); limits are those of
        the page. Figures of notes may differ by `HELD`, those of rounding (below `RESULT`, or of a row whose place is
        chosen by it) by anything. Words of notes, of reasons and beside the table are those of the page.
        """
        path = folder / f"{self.name}.md"
        if self.skipped or not path.exists():
            return [] if self.skipped else ["there is no page"]
        old: dict[tuple[str, str], list[list[str]]] = {}
        page = path.read_text(encoding="utf-8")
        for cells in table_of(page):
            old.setdefault((cells[0], cells[1]), []).append(cells)
        out = [] if _words(self.markdown(), page) else ["what is said above or below its table"]
        for row in self.rows:
            left = old.get((row.case, row.quantity))
            name = f"{row.case}, {row.quantity}"
            if not left:
                out.append(f"{name}: not on the page")
                continue
            cells = left.pop(0)
            before, limit = float(cells[4]), row.tolerance or 0.0
            rounding = limit if row.rounds else max(1e-13, 1e-2 * limit)
            floor = limit if row.rounds else 1e-13
            less, more = sorted((row.error, before))
            result = more >= RESULT or (not row.reference and NUMBER.search(row.ours) is not None)
            if more > (HELD * less if result and not row.rounds else NOISE * less + rounding):
                out.append(f"{name}: error {row.error:.1e}, {before:.1e} on the page")
            if row.limit != without_letter(cells[5]):
                out.append(f"{name}: limit {row.limit}, {without_letter(cells[5])} on the page")
            for now, then in ((row.reference, cells[2]), (row.ours, cells[3])):
                elsewhere = "worst" in row.note and row.tolerance is not None and more < RESULT
                if not elsewhere and moved(now, then, max(row.error, before, rounding), floor):
                    out.append(f"{name}: {now}, {then} on the page")
            note = " ".join(cells[6:]).strip(" |")
            if (
                not row.rounds
                and not (row.error < RESULT and "worst" in row.note)
                and renoted(row.note, note)
            ):
                out.append(f"{name}: {row.note}, {note} on the page")
        out += [f"{', '.join(key)}: no longer there" for key, left in old.items() for _ in left]
        return out

    def show(self) -> None:
        """Print the study as a table."""
        from rich.table import Table
        from rich.text import Text

        from interstage.cli.tables import plain_console, show_table

        console = plain_console()
        if self.skipped:
            console.print(f"[yellow]{self.title}: skipped[/yellow], {self.skipped}")
            return
        table = Table(title=self.title, title_justify="left")
        for column in ("case", "quantity", "reference", "ours", "error", "tolerance", ""):
            table.add_column(column, justify="left" if column in ("case", "quantity") else "right")
        for row in self.rows:
            limit = "" if row.tolerance is None else row.limit
            mark = Text("ok", "green") if row.passed else Text("FAILED", "red")
            table.add_row(row.case, row.quantity, row.reference, row.ours, f"{row.error:.1e}", limit, mark)
        show_table(console, table)


def letter(k: int) -> str:
    """The mark of a reason.

    >>> [letter(k) for k in (0, 25, 26)]
    ['(a)', '(z)', '(ba)']
    """
    return f"({chr(97 + k) if k < 26 else chr(97 + k // 26) + chr(97 + k % 26)})"


def without_letter(cell: str) -> str:
    """A limit of a page without the mark of its reason.

    >>> without_letter("1e-03 * (b)")
    '1e-03 *'
    """
    return cell.split(" (")[0]


def reason_of(cell: str, page: str) -> str:
    """The reason that a limit of a page has, empty where it has none."""
    mark = re.search(r"\(\w+\)$", cell)
    return next((line for line in page.splitlines() if mark and line.startswith(f"- {mark[0]} ")), "")


def moved(now: str, then: str, error: float, floor: float = 0.0) -> bool:
    """Whether printed numbers differ: by `PRINTED`, two units of the last digit and the error, as noise may move them.

    Numbers of one or two digits as small as the error, or as large as a large one, are errors themselves, and may
    differ as these may. Whole numbers of one digit are counts. However large an error is, no number may differ by
    more than `HELD`. What is below `floor` is rounding.

    >>> [moved("14.8, 9.7", then, 0.0) for then in ("14.8, 9.8", "14.8, 8.7", "14.8")]
    [False, True, True]
    >>> moved("0.0306", "0.0612", 0.046)  # twice as much, with a relative error
    True
    >>> moved("8.1e-07", "4.06176e-07", 0.7), moved("8.1e-07", "4.1e-07", 8e-7), moved("3", "4", 0.1)
    (True, False, True)
    >>> moved("9.22", "4.61", 16.7)  # twice as much, far from a reference of -7.49
    True
    """
    pairs = [NUMBER.findall(text) for text in (now, then)]
    if len(pairs[0]) != len(pairs[1]):
        return True
    for a, b in zip(*pairs):
        x, y = sorted((abs(float(a)), abs(float(b))))
        counts = y < 10.0 and not set(".e") & set(a + b)
        away, large = abs(float(a) - float(b)), error >= RESULT
        noise = (
            (HELD - 1.0 if large else NOISE) * error * min(1.0, y)
        )  # an error of a small number may be relative
        brief = max(len(n.split("e")[0].replace(".", "").lstrip("+-0")) for n in (a, b)) <= 2
        itself = brief and y <= NOISE * error and y <= NOISE * x
        if large:
            noise = min(noise, (HELD - 1.0) * x)
            itself = abs(y - error) <= error / 3.0 and y <= HELD * x
        if away > max(PRINTED * y + last_digit(a, b) * (not counts), noise, floor) and not itself:
            return True
    return False


def last_digit(*texts: str) -> float:
    """What rounding may move numbers by: two units of their last digit, one where the number has few of them.

    >>> [round(last_digit(*texts), 9) for texts in (("0.25", "0.26"), ("6e-06", "1e-05"))]
    [0.02, 1e-06]
    """
    units = [10.0 ** (int((n.split("e") + ["0"])[1]) - len(n.split("e")[0].partition(".")[2])) for n in texts]
    unit = min(units)
    return unit * (1.0 + (max(abs(float(n)) for n in texts) > 12.0 * unit)) * (1.0 + 1e-9)


def renoted(now: str, then: str) -> bool:
    """Whether notes say something else: other words, or figures that differ by `HELD` and two units of the last digit.

    Whole numbers of one digit are counts. What is said behind `HERE` are figures of one run on one machine.

    >>> renoted("worst run 421: 9.92", "worst run 421: 4.96"), renoted("gap 2.5e-09 J", "gap 6.1e-09 J")
    (True, False)
    >>> renoted("at 76.8 s", "at 75.9 s"), renoted("at 76.8 s", "at 76.8 m")
    (False, True)
    >>> renoted("rk4 of 2 ms; here: 0.07 s", "rk4 of 2 ms; here: 0.31 s")
    False
    """
    if NUMBER.sub("#", now).split() != NUMBER.sub("#", then).split():
        return True
    for a, b in zip(*(NUMBER.findall(text.split(HERE)[0]) for text in (now, then))):
        x, y = sorted((abs(float(a)), abs(float(b))))
        counts = y < 10.0 and not set(".e") & set(a + b)
        if y >= RESULT and abs(float(a) - float(b)) > (
            0.0 if counts else max((HELD - 1.0) * x, last_digit(a, b))
        ):
            return True
    return False


def _words(now: str, then: str) -> bool:
    """Whether two pages say the same beside their tables, whatever the breaks of lines."""
    said = [
        "\n".join(line for line in text.splitlines() if not line.startswith("|")).split()
        for text in (now, then)
    ]
    return said[0] == said[1]


def table_of(text: str) -> list[list[str]]:
    """Return the cells of every row of a study's page."""
    rows = [line.strip()[1:-1].split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[1:]]


def page_rows(text: str) -> list[tuple[str, str]]:
    """Case and quantity of every row of a study's page.

    >>> page_rows("| case | quantity | error |\\n|---|---|---|\\n| beam | mode 1, Hz | 1e-9 |")
    [('beam', 'mode 1, Hz')]
    """
    return [(row[0], row[1]) for row in table_of(text)]


StudyFunction = Callable[[], Study]
