"""Plant faults in kernels, devices, components and linear models, and see whether the tests notice.

    python tests/fuzz/mutants.py [COUNT] [SEED] [--write]

A mutant changes one operator or number of one line of a copy of the package: a sum becomes a difference, a product a
quotient, a sign is lost, a comparison turned round, a constant doubled. It is killed where a test of its package fails.
Text that only words errors, bounds of loops and types is left alone. `--write` puts the score into
docs/benchmarks/mutants.md.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {  # what is changed, and the tests that should see it, nearest first
    "multibody/kernels": ["tests/multibody", "tests/kane", "tests/system"],
    "system/kernels": ["tests/system", "tests/devices"],
    "vehicle": ["tests/vehicle"],
    "devices": ["tests/devices", "tests/system"],
    "component": ["tests/component", "tests/multibody"],
    "linear": ["tests/linear", "tests/system"],
    "spatial": ["tests/spatial", "tests/multibody"],
}
SECONDS = 1500.0  # for the tests of one mutant
SWAPPED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*",
    ast.Lt: ">", ast.Gt: "<", ast.LtE: ">", ast.GtE: "<",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: the file, where in its text, and what stands there instead."""

    file: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self) -> str:
        return f"{self.file.as_posix()}:{self.line}  {self.old.strip()} -> {self.new.strip()}"


def worth_changing(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield expressions of functions, leaving out what words errors, annotations, decorators and bounds of loops."""
    skipped = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Subscript, ast.Dict, ast.List)
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, skipped):
            continue
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("range", "warn")
        ):
            continue
        yield node
        yield from worth_changing(node)


def mutants(file: Path) -> list[Mutant]:
    """Return every change of a file that is tried."""
    text = (ROOT / file).read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw, found = text.encode(), []

    def at(line: int, column: int) -> int:  # columns of syntax trees count bytes
        return len(raw[: starts[line - 1] + column].decode())

    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    for function in functions:
        for statement in function.body:
            for node in (statement, *worth_changing(statement)):
                left = right = None
                if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
                    left, right, sign = node.left, node.right, SWAPPED[type(node.op)]
                elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
                    left, right, sign = node.left, node.comparators[0], SWAPPED[type(node.ops[0])]
                if left is not None and right is not None:
                    a, b = at(left.end_lineno, left.end_col_offset), at(right.lineno, right.col_offset)
                    if not set(text[a:b]) <= set(" +-*/<>="):  # brackets between: another operator's
                        continue
                    found.append(Mutant(file, node.lineno, a, b, text[a:b], f" {sign} "))
                elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                    a = at(node.lineno, node.col_offset)
                    found.append(Mutant(file, node.lineno, a, a + 1, "-", " "))
                elif isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 0.0:
                    a, b = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
                    found.append(Mutant(file, node.lineno, a, b, text[a:b], f"{2.0 * node.value!r}"))
    return sorted(set(found), key=lambda m: (m.line, m.start))


def chosen(count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Return some mutants, as many of each package as it has of them all."""
    every = [
        (package, mutant)
        for package in SOURCES
        for file in sorted((ROOT / "src/interstage" / package).rglob("*.py"))
        for mutant in mutants(file.relative_to(ROOT))
    ]
    return random.Random(seed).sample(every, min(count, len(every)))


def tests_of(package: str, mutant: Mutant) -> list[list[str]]:
    """Return what is run for a mutant, in turn: files that name its module, then the folders of its package."""
    stem, near = mutant.file.stem, []
    words = {stem, "".join(part.capitalize() for part in stem.split("_"))}
    for folder in SOURCES[package]:
        for file in sorted((ROOT / folder).rglob("test_*.py")):
            text = file.read_text(encoding="utf-8")
            if any(word in text for word in words) or stem in file.stem:
                near.append(file.relative_to(ROOT).as_posix())
    return ([near] if near else []) + [[folder] for folder in SOURCES[package]]


def killed(copy: Path, package: str, mutant: Mutant) -> str:
    """Return which tests of a copy see a mutant, "" where none does."""
    path = copy / mutant.file
    text = path.read_text(encoding="utf-8")
    kept = {
        **os.environ,
        "PYTHONPATH": f"{copy / 'src'}",
        "OMP_NUM_THREADS": "1",
        "NUMBA_CACHE_DIR": f"{copy / 'cache'}",
    }
    path.write_text(mutant.applied(text), encoding="utf-8")
    try:
        for files in tests_of(package, mutant):
            call = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
            try:
                done = subprocess.run(
                    call, cwd=copy, env=kept, capture_output=True, timeout=SECONDS, check=False
                )
            except subprocess.TimeoutExpired:
                return "time"
            if done.returncode not in (0, 5):
                lines = [
                    line for line in done.stdout.decode(errors="replace").splitlines() if "FAILED" in line
                ]
                return lines[0].split(" ")[1] if lines else "collection"
    finally:
        path.write_text(text, encoding="utf-8")
    return ""


def page(found: list[tuple[Mutant, str]], seed: int) -> str:
    """Return the page of a run."""
    dead = sum(bool(by) for _, by in found)
    lines = [
        "# Faults planted in the package, and how many the tests see",
        "",
        "python tests/fuzz/mutants.py",
        "",
        "One operator or number of one line at a time, chosen at random from kernels, devices, components, linear",
        "models, burning vehicles and rotations. Some of those that survive change nothing that can be seen (a first",
        "guess, a step of a search).",
        "",
        "```text",
        f"seed {seed}",
        f"planted   {len(found)}",
        f"killed    {dead}",
        f"score     {100.0 * dead / max(len(found), 1):.1f} %",
        *(f"survives  {mutant}" for mutant, by in found if not by),
        "```",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    write, numbers = "--write" in sys.argv, [int(a) for a in sys.argv[1:] if a.isdigit()]
    count, seed = (*numbers, 200, 1)[:2] if len(numbers) != 1 else (numbers[0], 1)
    todo, found, begun = chosen(count, seed), [], time.monotonic()
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(os.cpu_count() or 1):
            copy = Path(folder) / f"copy{k}"
            shutil.copytree(
                ROOT,
                copy,
                ignore=shutil.ignore_patterns(".venv*", ".git", "__pycache__", "node_modules", "_build"),
            )
            copies.put(copy)

        def tried(one: tuple[str, Mutant]) -> tuple[Mutant, str]:
            copy = copies.get()
            try:
                return one[1], killed(copy, *one)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(copies.qsize()) as pool:
            for mutant, by in pool.map(tried, todo):
                found.append((mutant, by))
                minutes = (time.monotonic() - begun) / 60.0
                print(
                    f"{len(found)}/{len(todo)}  {minutes:.0f} min  {by or 'SURVIVES':60.60s} {mutant}",
                    flush=True,
                )
    text = page(found, seed)
    print(text)
    if write:
        (ROOT / "docs/benchmarks/mutants.md").write_text(text, encoding="utf-8")
    return 0 if sum(bool(by) for _, by in found) >= 0.95 * len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
