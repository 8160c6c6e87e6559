"""Prepare the examples for the gallery: a heading for each page, and the pictures that examples save or draw."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

HEADER = """Gallery
=======

Scripts of the folder ``examples``, with what they print and draw. Every one runs in the test command and asserts the
number that it is about.
"""


def prepare_examples(source: Path, target: Path) -> Path:
    """Copy the examples to a folder of the build, their first sentence made a heading; return the folder.

    Files are written only where they changed, so that the gallery runs again only what is new.
    """
    target.mkdir(parents=True, exist_ok=True)
    wanted = {path.name for path in source.glob("*.py")}
    for old in target.glob("*.py"):
        if old.name not in wanted:
            old.unlink()
    for path in sorted(source.glob("*.py")):
        write_changed(target / path.name, with_heading(path.read_text(encoding="utf-8"), path.stem))
    write_changed(target / "GALLERY_HEADER.rst", HEADER)
    for folder in (p for p in source.iterdir() if p.is_dir() and p.name != "__pycache__"):
        shutil.copytree(folder, target / folder.name, dirs_exist_ok=True)
    return target


def write_changed(path: Path, text: str) -> None:
    """Write a file unless it holds the text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def with_heading(text: str, stem: str) -> str:
    """Return a script whose docstring begins with a heading made of the file's name."""
    node = ast.parse(text).body[0]
    title = stem.replace("_", " ").capitalize()
    words = ast.get_docstring(ast.Module([node], []), clean=True) or title
    lines = text.splitlines()
    body = "\n".join(lines[node.end_lineno :])
    marks = words.replace("\\", "\\\\").replace("*", "\\\\*").replace("|", "\\\\|")
    return f'"""\n{title}\n{"=" * len(title)}\n\n{_literal(marks)}\n"""\n{body}'.rstrip() + "\n"


def _literal(words: str) -> str:
    """Turn indented lines (commands) into literal blocks."""
    out: list[str] = []
    for block in words.split("\n\n"):
        command = block.startswith("    ") or block.startswith("python examples/")
        out.append(f"::\n\n    {block.strip()}" if command else block)
    return "\n\n".join(out)


class PngScraper:
    """Pick up the pictures (PNG) that a script wrote into its working folder."""

    def __repr__(self) -> str:
        return "PngScraper"

    def __call__(self, block, block_vars, gallery_conf) -> str:
        found = []
        for path in sorted(Path(block_vars["src_file"]).parent.glob("*.png")):
            target = Path(next(block_vars["image_path_iterator"]))
            shutil.move(path, target)
            found.append(str(target))
        return figure_rst(found, gallery_conf["src_dir"]) if found else ""
