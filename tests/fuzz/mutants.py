"""Plant faults in kernels, devices, components and linear models, and see whether the tests notice.

    python tests/fuzz/mutants.py [COUNT] [SEED] [--write] [--work=FOLDER] [--again]

A mutant changes one operator or number of one line of a copy of the package: a sum becomes a difference, a product a
quotient, a sign is lost, a comparison turned round, a constant doubled. It is killed where a test fails that passes
without it. Text that only words errors, bounds of loops and types is left alone. Tests are those seen to run the line,
quickest first, then those that name what was changed (`mutant_tests`). Changes that no result can show are listed
with their reasons in equivalent_mutants.txt.

What was found is kept in FOLDER (.mutants): a run that was stopped goes on where it was, with sources and tests of the
first run until the folder is deleted; `--again` tries survivors with the tests that were written since. `--write` puts
the score into docs/benchmarks/mutants.md.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutant_tests import Bench

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {  # what is changed, and the tests that should see it, nearest first
    "spatial": ["tests/spatial", "tests/mass", "tests/multibody"],
    "linear": ["tests/linear"],
    "component": ["tests/component"],
    "devices": ["tests/devices"],
    "staged_vehicle": ["tests/staged_vehicle"],
    "multibody/kernels": ["tests/multibody", "tests/kane"],
    "simulation/run/integrators": ["tests/simulation"],
}
EQUIVALENT = ROOT / "tests/fuzz/equivalent_mutants.txt"
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
    names: tuple[str, ...] = ()

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self) -> str:
        return f"{self.file.as_posix()}:{self.line}  {self.old.strip()} -> {self.new.strip()}"

    def written(self, text: str) -> str:
        """Return the file and its line as changed: what the mutant is called, wherever the line moves."""
        changed = self.applied(text)
        first, last = changed.rfind("\n", 0, self.start) + 1, changed.find("\n", self.start + len(self.new))
        return f"{self.file.as_posix()}: {' '.join(changed[first:last].split())}"


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


def mutants(root: Path, file: Path) -> list[Mutant]:
    """Return every change of a file that is tried."""
    text = (root / file).read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw, found = text.encode(), []

    def at(line: int, column: int) -> int:  # columns of syntax trees count bytes
        return len(raw[: starts[line - 1] + column].decode())

    tree = ast.parse(text)
    owners = {
        id(part): kind.name for kind in ast.walk(tree) if isinstance(kind, ast.ClassDef) for part in kind.body
    }
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        names = tuple(name for name in (owners.get(id(function)), function.name) if name)
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
                    found.append(Mutant(file, node.lineno, a, b, text[a:b], f" {sign} ", names))
                elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                    a = at(node.lineno, node.col_offset)
                    found.append(Mutant(file, node.lineno, a, a + 1, "-", " ", names))
                elif isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 0.0:
                    a, b = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
                    found.append(Mutant(file, node.lineno, a, b, text[a:b], f"{2.0 * node.value!r}", names))
    return sorted({(m.start, m.new): m for m in found}.values(), key=lambda m: (m.line, m.start))


def chosen(root: Path, count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Return some mutants, as many of each package as it has of them all, in the order of packages."""
    every = [
        (package, mutant)
        for package in SOURCES
        for file in sorted((root / "src/interstage" / package).rglob("*.py"))
        for mutant in mutants(root, file.relative_to(root))
    ]
    taken = random.Random(seed).sample(every, min(count, len(every)))
    return sorted(taken, key=lambda one: list(SOURCES).index(one[0]))


def listed() -> dict[str, str]:
    """Return reasons by mutants that change nothing that can be seen."""
    pairs = (
        line.split(" | ") for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if " | " in line
    )
    return {name.strip(): reason.strip() for name, reason in pairs}


def stale(root: Path, given: dict[str, str]) -> list[str]:
    """Return the listed mutants that no line of today gives: their reasons stand for nothing."""
    out = []
    for name in given:
        file = Path(name.split(": ")[0])
        text = (root / file).read_text(encoding="utf-8") if (root / file).exists() else ""
        if not text or name not in {mutant.written(text) for mutant in mutants(root, file)}:
            out.append(name)
    return out


def page(found: dict[str, str], planted: int, seed: int) -> str:
    """Return the page of a run: `found` says what killed each mutant, "" where nothing did."""
    equal = {name for name, by in found.items() if not by and name in listed()}
    dead = sum(bool(by) for by in found.values())
    left = [name for name, by in found.items() if not by and name not in equal]
    open_, every = planted - len(found), max(planted - len(equal), 1)
    low, high = 100.0 * dead / every, 100.0 * (dead + open_) / every
    lines = [
        "# Faults planted in the package, and how many the tests see",
        "",
        "python tests/fuzz/mutants.py",
        "",
        "One operator or number of one line at a time, chosen at random from kernels, devices, components, linear",
        "models, burning vehicles and rotations. Mutants without effect change nothing that a result can show (a first",
        "guess, a step of a search); each is listed with its reason in `tests/fuzz/equivalent_mutants.txt`.",
        "",
        "```text",
        f"seed            {seed}",
        f"planted         {len(found)} of {planted}",
        f"killed          {dead}",
        f"without effect  {len(equal)}",
        f"score           {100.0 * dead / max(len(found) - len(equal), 1):.1f} %",
        *(
            [f"not decided     {open_}: the score of all lies between {low:.1f} and {high:.1f} %"]
            if open_
            else []
        ),
        *(f"survives        {name}" for name in left),
        "```",
        "",
    ]
    return "\n".join(lines)


PARTS = ("src", "docs", "examples", "validation", "benchmarks", "tests", "pyproject.toml")


def snapshot(work: Path) -> Path:
    """Return a copy of the repository as it was at the first run."""
    frozen, copy = work / "frozen", work / "copy"
    if not frozen.exists():
        part = work / "part"
        for name in PARTS:
            one, skipped = ROOT / name, shutil.ignore_patterns("__pycache__", "node_modules", "_build")
            if one.is_dir():
                shutil.copytree(one, part / name, ignore=skipped)
            else:
                shutil.copy2(one, part / name)
        part.rename(frozen)
    return shutil.copytree(
        frozen, copy, dirs_exist_ok=True
    )  # a run may have been stopped with a fault planted


def renewed(copy: Path) -> list[str]:
    """Put the tests of now into a copy; returns those of its packages that are other than they were."""
    folders, changed = {folder for row in SOURCES.values() for folder in row}, []
    for file in sorted((ROOT / "tests").rglob("*.py")):
        name = file.relative_to(ROOT)
        if not (copy / name).exists() or (copy / name).read_bytes() != file.read_bytes():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy / name)
            if file.name.startswith("test_") and any(name.is_relative_to(folder) for folder in folders):
                changed.append(name.as_posix())
    return changed


def main() -> int:
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    folder = next((a.split("=", 1)[1] for a in sys.argv if a.startswith("--work=")), ".mutants")
    count, seed = (*numbers, *(200, 1)[len(numbers) :])[:2]
    work = Path(folder).resolve()
    bench = Bench(snapshot(work), work)
    for name in stale(bench.copy, listed()):
        print(f"no line of today gives what equivalent_mutants.txt lists: {name}", flush=True)
    todo, kept = chosen(bench.copy, count, seed), work / f"found-{seed}.json"
    found: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    fresh = bench.fresh(renewed(bench.copy)) if "--again" in sys.argv else []
    begun = time.monotonic()
    for package, mutant in todo:
        text = (bench.copy / mutant.file).read_text(encoding="utf-8")
        name = mutant.written(text)
        if fresh and found.get(name) == "":
            found[name] = bench.seen_by(fresh, mutant, mutant.applied(text))
        elif name in found or fresh:
            continue
        else:
            found[name] = bench.killer(mutant, mutant.applied(text), SOURCES[package])
        part = kept.with_suffix(".part")
        part.write_text(json.dumps(found, indent=1))
        os.replace(part, kept)
        minutes = (time.monotonic() - begun) / 60.0
        print(
            f"{len(found)}/{len(todo)}  {minutes:.1f} min  {found[name] or 'SURVIVES':70.70s} {name}",
            flush=True,
        )
    text = page(found, len(todo), seed)
    print(text)
    if "--write" in sys.argv:
        (ROOT / "docs/benchmarks/mutants.md").write_text(text, encoding="utf-8")
    known = listed()
    return 0 if sum(bool(by) or name in known for name, by in found.items()) >= 0.95 * len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
