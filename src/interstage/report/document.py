"""The report as a document: facts, sections and figures, written as one HTML file that needs nothing else.

Text, tables, trees and SVG figures are plain HTML; 3-D views and charts are numbers that the page's own script draws.
Every figure has a title and one sentence that says what is seen.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from interstage import __version__
from interstage.errors import InputError
from interstage.output import json_text, write_text

MOST_COLUMNS = 5  # of a table on a phone


@dataclass
class Section:
    """A part of the report with a heading of its own; the methods add cards from top to bottom."""

    id: str
    title: str
    sentence: str
    report: Report
    cards: list[str] = field(default_factory=list)

    @contextmanager
    def pair(self) -> Iterator[None]:
        """Put the cards that are added inside side by side."""
        self.cards.append('<div class="pair">')
        yield
        self.cards.append("</div>")

    def card(self, title: str, sentence: str, body: str, kind: str = "") -> None:
        """Add a card around HTML that is safe already."""
        if not sentence:
            raise InputError("a figure needs a sentence that says what it shows", where=title)
        words = f'<h3>{escape(title)}</h3><p class="say">{escape(sentence)}</p>'
        if kind == "wide":
            words = f'<div class="words"><h3>{escape(title)}</h3><p>{escape(sentence)}</p></div>'
        self.cards.append(f'<div class="card {kind}">{words}{body}</div>')

    def figure(self, title: str, sentence: str, data: dict[str, Any], hint: str = "") -> None:
        """Add a figure that the script draws: data with `kind` scene, replay, bode or lines."""
        name = f"{self.id}-{len(self.report.figures) + 1}"
        self.report.figures[name] = {**data, "id": name}
        body = f'<div data-figure="{name}" data-kind="{data["kind"]}"></div>'
        body += f'<p class="hint">{escape(hint)}</p>' if hint else ""
        self.card(title, sentence, body, "wide" if data["kind"] in ("scene", "replay") else "")

    def table(
        self,
        title: str,
        sentence: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        text: Sequence[int] = (0,),
        tall: bool = False,
    ) -> None:
        """Add a table; `text` numbers the columns that hold words, the others are set flush right.

        On a phone the rows of a table of many columns are lists, each number beside the name of its column.
        """
        wide = len(columns) > MOST_COLUMNS

        def row(cells: Sequence[Any], tag: str) -> str:
            kinds = [' class="text"' if i in text else "" for i in range(len(cells))]
            if wide and tag == "td":
                kinds = [f'{kind} data-column="{escape(str(name))}"' for kind, name in zip(kinds, columns)]
            shown = (f"<{tag}{kind}>{escape(str(cell))}</{tag}>" for kind, cell in zip(kinds, cells))
            return f"<tr>{''.join(shown)}</tr>"

        body = "".join(row(cells, "td") for cells in rows)
        head = row(columns, "th")
        kind = f"scroll{' tall' if tall else ''}{' wide' if wide else ''}"
        self.card(
            title,
            sentence,
            f'<div class="{kind}"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>',
        )

    def pairs(self, title: str, sentence: str, values: dict[str, Any]) -> None:
        """Add a list of names and values."""
        body = "".join(f"<dt>{escape(k)}</dt><dd>{escape(str(v))}</dd>" for k, v in values.items())
        self.card(title, sentence, f'<dl class="list">{body}</dl>')

    def bullets(self, title: str, sentence: str, items: Sequence[str]) -> None:
        """Add a list of sentences."""
        body = "".join(f"<li>{escape(item)}</li>" for item in items)
        self.card(title, sentence, f'<ul class="plain">{body}</ul>')

    def tree(self, title: str, sentence: str, roots: Sequence[Node]) -> None:
        """Add a tree that opens and closes."""
        body = "".join(node.html() for node in roots)
        self.card(title, sentence, f'<ul class="tree">{body}</ul>')

    def html(self) -> str:
        """Return the section."""
        intro = f"<p>{escape(self.sentence)}</p>" if self.sentence else ""
        return f'<section id="{self.id}"><h2>{escape(self.title)}</h2>{intro}{"".join(self.cards)}</section>'


@dataclass
class Node:
    """A branch of a tree: a name, a few words, and what hangs below."""

    name: str
    words: str = ""
    children: list[Node] = field(default_factory=list)

    def html(self) -> str:
        """Return the list item with all below it."""
        # without recursion: a chain of bodies can be longer than the stack of calls
        out: list[str] = []
        todo: list[Node | str] = [self]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                out.append(node)
                continue
            label = f"<b>{escape(node.name)}</b><span>{escape(node.words)}</span>"
            if not node.children:
                out.append(f'<li><div class="leaf">{label}</div></li>')
                continue
            out.append(f"<li><details open><summary>{label}</summary><ul>")
            todo += ["</ul></details></li>", *reversed(node.children)]
        return "".join(out)


@dataclass
class Report:
    """A report: title, a lead sentence, facts at a glance, sections."""

    title: str
    lead: str
    kicker: str = "Interstage report"
    facts: list[tuple[str, str, str, str]] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    live: dict[str, Any] | None = None  # where the page asks for what has come since, of a run that goes on

    def fact(self, name: str, value: str, unit: str = "", note: str = "") -> None:
        """Add a figure that is seen first."""
        self.facts.append((name, value, unit, note))

    def section(self, id: str, title: str, sentence: str = "") -> Section:
        """Add a section; `id` is its address in the page."""
        section = Section(id, title, sentence, self)
        self.sections.append(section)
        return section

    def html(self) -> str:
        """Return the whole page."""
        made = f"Made by Interstage {__version__} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC."
        if self.live is None:
            made += " This file is complete: it opens without a network."
        fill = {
            "generator": f"Interstage {__version__}",
            "title": escape(self.title),
            "brand": escape(self.title),
            "heading": escape(self.title),
            "kicker": escape(self.kicker),
            "lead": escape(self.lead),
            "facts": self._facts(),
            "links": "".join(f'<a href="#{s.id}">{escape(s.title)}</a>' for s in self.sections),
            "sections": "".join(s.html() for s in self.sections),
            "made": escape(made),
            "notices": escape(asset("notices.txt")),
            "style": asset("report.css"),
            "data": _json({"figures": self.figures} | ({"live": self.live} if self.live else {})),
            "asks": "connect-src 'self'" if self.live else "connect-src 'none'",
            "script": asset("report.js").replace("</script", "<\\/script"),
        }
        page = asset("page.html").split("{{")
        parts = [page[0]]
        for piece in page[1:]:
            name, rest = piece.split("}}", 1)
            parts += [fill[name], rest]
        return "".join(parts)

    def _facts(self) -> str:
        cells = ""
        for name, value, unit, note in self.facts:
            unit_html = f" <small>{escape(unit)}</small>" if unit else ""
            note_html = f"<p>{escape(note)}</p>" if note else ""
            cells += f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{unit_html}</dd>{note_html}</div>"
        return f'<dl class="facts">{cells}</dl>' if cells else ""

    def save(self, path: str | Path) -> Path:
        """Write the page, whole or not at all."""
        return write_text(path, self.html(), what="report")


def asset(name: str) -> str:
    """Return a text file of the page that is shipped with the package."""
    return files("interstage.report").joinpath("web", name).read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """Write data so that no text in it can end the script element."""
    text = json_text(data, gaps=True)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def versions() -> dict[str, str]:
    """Return the versions of what computed the numbers."""
    from importlib.metadata import PackageNotFoundError, version

    out = {"Interstage": __version__, "Python": platform.python_version()}
    for name in ("numpy", "scipy", "numba", "h5py"):
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            continue
    out["machine"] = f"{platform.system()} {platform.machine()}"
    return out
