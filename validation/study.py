"""What a study returns, and how its table is printed and written into the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

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
    """A table of comparisons with a sentence that says what is compared with what."""

    name: str
    title: str
    about: str
    rows: list[Row] = field(default_factory=list)
    skipped: str | None = None
    pictures: list[str] = field(default_factory=list)

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

    def write(self, folder: Path = DOCS) -> Path:
        """Write the page; a study that was skipped leaves the committed page as it is."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.md"
        if not self.skipped:
            path.write_text(self.markdown(), encoding="utf-8")
        return path

    def show(self) -> None:
        """Print the study as a table."""
        from rich.console import Console
        from rich.table import Table

        console = Console()
        if self.skipped:
            console.print(f"[yellow]{self.title}: skipped[/yellow], {self.skipped}")
            return
        table = Table(title=self.title, title_justify="left")
        for column in ("case", "quantity", "reference", "ours", "error", "tolerance", ""):
            table.add_column(column, justify="left" if column in ("case", "quantity") else "right")
        for row in self.rows:
            limit = "" if row.tolerance is None else f"{row.tolerance:.0e}"
            mark = "[green]ok[/green]" if row.passed else "[red]FAILED[/red]"
            table.add_row(row.case, row.quantity, row.reference, row.ours, f"{row.error:.1e}", limit, mark)
        console.print(table)


StudyFunction = Callable[[], Study]
