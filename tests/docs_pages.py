"""Run the code of a documentation page and compare what it prints with the page.

A ```python block is run in one namespace with those before it; a ```text block right behind it is what it prints. A
```console block is a command behind "$ " and what it prints; "..." as a line of its own stands for lines left out.

    python tests/docs_pages.py docs/tutorial.md     # write what the code prints now into the page
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
NOISE = 1e-5  # frequencies of rigid modes, Hz, and differences of what is the same
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass
class Block:
    """A piece of code on a page: its kind, its text, what the page says it prints, and where that stands."""

    kind: str
    code: str
    printed: str | None
    span: tuple[int, int]


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page in order."""
    found = []
    for match in BLOCK.finditer(text):
        kind, code, printed = match.groups()
        span = match.span(3)
        if kind == "console":
            command, printed = re.match(r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*)", code, re.DOTALL).groups()
            code, span = command.replace("\\\n", " "), (match.end(2) - len(printed), match.end(2))
        found.append(Block(kind, code, printed, span))
    return found


def run_block(block: Block, names: dict) -> str:
    """Run a block in the working folder and return what it prints."""
    if block.kind == "python":
        out = io.StringIO()
        # as notebooks do: the source of what is run can be looked up
        name = f"<page, block {hash(block.code)}>"
        linecache.cache[name] = len(block.code), None, block.code.splitlines(keepends=True), name
        with contextlib.redirect_stdout(out):
            exec(compile(block.code, name, "exec"), names)
        return out.getvalue()
    words = shlex.split(block.code)
    program = [sys.executable, "-m", "interstage.cli.main"] if words[0] == "interstage" else words[:1]
    done = subprocess.run(
        [*program, *words[1:]],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    # "interstage: compiling kernels (once) ..."
    noise = re.compile(r"interstage: .*\.\.\.$")
    errors = [line for line in done.stderr.splitlines() if not noise.match(line)]
    return "\n".join(line.rstrip() for line in (done.stdout + "\n".join(errors)).splitlines()) + "\n"


def step_of(text: str) -> float:
    """Return one unit of the last digit that a number shows; nothing of a whole number.

    >>> [step_of(text) for text in ("2.05332", "1.2e-03", "36", "1.")]
    [1e-05, 0.0001, 0.0, 0.0]
    """
    digits, _, power = text.lower().partition("e")
    fraction = digits.partition(".")[2]
    return float(f"1e{int(power or 0) - len(fraction)}") if fraction or power else 0.0


def same(printed: str, found: str, noise: float = NOISE) -> bool:
    """Compare texts word by word: numbers to the last digit that the page shows, anything else exactly.

    The last digit may be rounded otherwise on another machine. Two numbers below `noise` are rounding errors both.
    """
    a, b = (NUMBER.sub("0", text).split() for text in (printed, found))
    x, y = (NUMBER.findall(text) for text in (printed, found))
    if [w.strip("[]()") for w in a if w.strip("[]()")] != [w.strip("[]()") for w in b if w.strip("[]()")]:
        return False
    pairs = [(float(p), float(q), step_of(p)) for p, q in zip(x, y)]
    return len(x) == len(y) and all(
        abs(p - q) <= 1.001 * step or max(abs(p), abs(q)) < noise for p, q, step in pairs
    )


def check_page(page: Path, folder: Path) -> int:
    """Run a page in a folder; every block must print what the page says. Returns the number of blocks run."""
    names: dict = {"__name__": "page"}
    count = 0
    with contextlib.chdir(folder):
        for block in blocks_of(page.read_text(encoding="utf-8")):
            found = run_block(block, names)
            count += 1
            if block.printed is None:
                continue
            parts = re.split(r"^\.\.\.\n", block.printed, flags=re.MULTILINE)
            first, last = parts[0], parts[-1]
            lines = found.splitlines(keepends=True)
            head = "".join(lines[: len(first.splitlines())])
            tail = "".join(lines[len(lines) - len(last.splitlines()) :])
            pairs = [(first, head), (last, tail)] if len(parts) > 1 else [(first, found)]
            for said, real in pairs:
                assert same(said, real), f"{page.name}:\n{block.code}\nsays\n{said}\nprints\n{real}"
    return count


def fill_page(page: Path, folder: Path) -> None:
    """Write what the blocks print into the page, where it shows it whole."""
    text, names = page.read_text(encoding="utf-8"), {"__name__": "page"}
    changes = []
    with contextlib.chdir(folder):
        for block in blocks_of(text):
            found = run_block(block, names)
            if block.printed is not None and "...\n" not in block.printed:
                changes.append((block.span, found))
    for (a, b), found in reversed(changes):
        text = text[:a] + found + text[b:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copytree(ROOT / "examples" / "decks", scratch, dirs_exist_ok=True)
            fill_page(Path(name).resolve(), Path(scratch))
