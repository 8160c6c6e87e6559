"""What a study returns, and how its table is printed and written into the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

NOISE = (
    3.0  # factor by which an error may differ from one machine to another before the page counts as changed
)
DOCS = Path(__file__).resolve().parents[1] / "docs" / "validation"


@dataclass(frozen=True)
class Row:
    """One comparison: `error` is held to `tolerance` (None: shown for information)."""

    case: str
    quantity: str
    reference: str
    ours: str
    error: float
    tolerance: float | None
    note: str = ""

    @property
    def passed(self) -> bool:
        return self.tolerance is None or self.error <= self.tolerance


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
        for row in self.rows:
            limit = "—" if row.tolerance is None else f"{row.tolerance:.0e}"
            cells = (row.case, row.quantity, row.reference, row.ours, f"{row.error:.1e}", limit, row.note)
            lines.append(f"| {' | '.join(cells)} |")
        lines += [""] + [f"![{Path(name).stem}]({name})\n" for name in self.pictures]
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
        """Rows that the committed page has otherwise, beyond its noise (`NOISE`): what it says is no longer so."""
        path = folder / f"{self.name}.md"
        if self.skipped or not path.exists():
            return []
        old: dict[tuple[str, str], list[list[str]]] = {}
        for cells in table_of(path.read_text(encoding="utf-8")):
            old.setdefault((cells[0], cells[1]), []).append(cells)
        out = []
        for row in self.rows:
            left = old.get((row.case, row.quantity))
            if not left:
                out.append(f"{row.case}, {row.quantity}: not on the page")
                continue
            cells = left.pop(0)
            before, limit = float(cells[4]), row.tolerance or 0.0
            rounding = max(1e-13, 1e-3 * limit)
            if max(row.error, before) > NOISE * min(row.error, before) + rounding:
                out.append(f"{row.case}, {row.quantity}: error {row.error:.1e}, {before:.1e} on the page")
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
            limit = "" if row.tolerance is None else f"{row.tolerance:.0e}"
            mark = Text("ok", "green") if row.passed else Text("FAILED", "red")
            table.add_row(row.case, row.quantity, row.reference, row.ours, f"{row.error:.1e}", limit, mark)
        show_table(console, table)


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
