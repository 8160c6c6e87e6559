"""Find the tests that can see a planted fault, and run them (see `mutants`).

A folder of tests is run once without faults, compiled and, for tests of kernels, interpreted: which lines each test
runs, how long it takes and whether it passes is kept. Compiled kernels show no lines; the interpreted run does.
Every run is a fork of this process, which has the large libraries imported, with a cache of kernels that is a copy of
links: what a fault compiles anew does not replace what is right.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import coverage
import pytest

if TYPE_CHECKING:
    from mutants import Mutant

LIBRARIES = ["numpy", "scipy.linalg", "scipy.sparse.linalg", "scipy.optimize", "scipy.integrate", "numba", "hypothesis",
             "h5py", "sympy"]  # fmt: skip
SHARED = re.compile(r"scope=|cache")  # what a test makes once for its file
BATCH = 60.0  # seconds of tests in one call of pytest
# Seconds of tests not known to run a line, in files of those that do and in a folder: more could only kill more
BESIDE, NAMING = 20.0, 60.0


def _within(most: float, tests: list[str], seconds: dict[str, float]) -> list[str]:
    spent = itertools.accumulate(seconds[test] for test in tests)
    return [test for test, total in zip(tests, spent) if total < most]


class Recorder:
    """Keep what tests run, how long they take and which of them fail."""

    def __init__(self, traced: coverage.Coverage | None):
        self.traced, self.seconds, self.failed = traced, {}, []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        if self.traced:
            self.traced.switch_context(item.nodeid)
        begun = time.perf_counter()
        yield
        self.seconds[item.nodeid] = time.perf_counter() - begun
        if self.traced:
            self.traced.switch_context("")

    def pytest_runtest_logreport(self, report):
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(f"collection of {report.nodeid}")


def _tests(
    copy: Path, cache: Path, answer: Path, words: list[str], plain: bool, trace: bool, stop: bool
) -> None:
    """Run tests in this process, a fork, and write what they showed."""
    os.chdir(copy)
    sys.dont_write_bytecode = not trace  # code of a fault is not left behind
    os.environ |= {"PYTHONPATH": str(copy / "src"), "NUMBA_CACHE_DIR": str(cache)}
    sys.path[:0] = [str(copy / "src")]
    if plain:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    importlib.import_module("numba").core.config.reload_config()
    traced = None
    if trace:
        traced = coverage.Coverage(data_file=None, config_file=False, include=[f"{copy}/src/interstage/*"])
        traced.start()
    recorder = Recorder(traced)
    with (answer.with_suffix(".txt")).open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        with contextlib.suppress(SystemExit):
            pytest.main(
                ["-p", "no:cacheprovider", "-p", "no:xdist", *(["-x"] if stop else []), *words], [recorder]
            )
    lines: dict[str, dict[str, list[int]]] = {}
    if traced:
        traced.stop()
        data = traced.get_data()
        for file in data.measured_files():
            for line, tests in data.contexts_by_lineno(file).items():
                for test in filter(None, tests):
                    lines.setdefault(test, {}).setdefault(str(Path(file).relative_to(copy)), []).append(line)
    answer.write_text(json.dumps({"seconds": recorder.seconds, "failed": recorder.failed, "lines": lines}))


class Bench:
    """Runs of tests on a copy of the repository."""

    def __init__(self, copy: Path, work: Path):
        self.copy, self.work, self.cache = copy, work, work / "cache"
        self.cache.mkdir(exist_ok=True)
        for name in LIBRARIES:
            importlib.import_module(name)

    def run(self, words: list[str], plain: bool, trace: bool, seconds: float, cache: Path) -> dict | None:
        """Run tests in a fork; None where they take too long."""
        answer = self.work / "answer.json"
        answer.unlink(missing_ok=True)
        fork = multiprocessing.get_context("fork").Process(
            target=_tests, args=(self.copy, cache, answer, words, plain, trace, not trace)
        )
        fork.start()
        fork.join(seconds)
        if fork.is_alive():
            fork.kill()
            fork.join()
            return None
        if not answer.exists():
            return {"seconds": {}, "failed": ["the process died"], "lines": {}}
        return json.loads(answer.read_text())

    def known(self, folder: str, plain: bool) -> dict:
        """Return what a run of a folder without faults showed; it is run once and kept."""
        kept = self.work / f"{folder.replace('/', '-')}{'-plain' if plain else ''}.json"
        if not kept.exists():
            print(f"without faults: {folder}{', interpreted' if plain else ''}", flush=True)
            words = [folder]
            if plain:
                marked = [
                    file.relative_to(self.copy).as_posix()
                    for file in sorted((self.copy / folder).rglob("test_*.py"))
                    if "mark.kernels" in file.read_text(encoding="utf-8")
                ]
                words = ["-m", "kernels", *marked]
                if not marked:
                    kept.write_text(json.dumps({"seconds": {}, "failed": [], "lines": {}}))
                    return self.known(folder, plain)
            begun, shown = time.monotonic(), self.run(words, plain, True, 7200.0, self.cache)
            shown = shown or {"seconds": {}, "failed": [], "lines": {}}
            print(
                f"  {len(shown['seconds'])} tests in {time.monotonic() - begun:.0f} s; fail: {shown['failed']}",
                flush=True,
            )
            kept.write_text(json.dumps(shown))
        return json.loads(kept.read_text())

    def covering(self, mutant: Mutant, folder: str, plain: bool) -> list[str]:
        """Return tests that run the line of a mutant, quickest first, then those that share what one of them made."""
        shown = self.known(folder, plain)
        passing = {test: s for test, s in shown["seconds"].items() if test not in shown["failed"]}
        file = mutant.file.as_posix()
        near = {test for test in passing if mutant.line in shown["lines"].get(test, {}).get(file, ())}
        files = {test.split("::")[0] for test in near}
        files = {name for name in files if SHARED.search((self.copy / name).read_text(encoding="utf-8"))}
        beside = {test for test in passing if test.split("::")[0] in files} - near
        return [*sorted(near, key=passing.get), *_within(BESIDE, sorted(beside, key=passing.get), passing)]

    def fresh(self, files: list[str]) -> list[str]:
        """Return tests of files, compiled, that pass without faults."""
        shown = self.run(["--continue-on-collection-errors", *files], False, True, 7200.0, self.cache)
        return [] if shown is None else [test for test in shown["seconds"] if test not in shown["failed"]]

    def seen_by(self, tests: list[str], mutant: Mutant, changed: str) -> str:
        """Return which of some tests sees a mutant, "" where none does."""
        shown = self.planted(mutant, changed, tests, False, 1800.0, self.overlay())
        return "time" if shown is None else (shown["failed"] or [""])[0]

    def overlay(self) -> Path:
        """Return a folder of compiled kernels for one fault."""
        for old in self.work.glob("cache-of-*"):
            shutil.rmtree(old, ignore_errors=True)
        cache = Path(tempfile.mkdtemp(prefix="cache-of-", dir=self.work))
        return shutil.copytree(self.cache, cache, copy_function=os.link, dirs_exist_ok=True)

    def planted(
        self, mutant: Mutant, changed: str, tests: list[str], plain: bool, seconds: float, cache: Path
    ) -> dict | None:
        """Run tests with a fault in its place."""
        path = self.copy / mutant.file
        text, stamp = path.read_text(encoding="utf-8"), path.stat().st_mtime
        path.write_text(changed, encoding="utf-8")
        os.utime(path, (stamp + 10.0 + mutant.start, stamp + 10.0 + mutant.start))
        try:
            return self.run(tests, plain, False, seconds, cache)
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, (stamp, stamp))

    def naming(self, mutant: Mutant, folder: str, plain: bool) -> list[str]:
        """Return compiled tests, those of files that name what a mutant changes first, up to `NAMING` seconds."""
        shown = self.known(folder, plain)
        stem = mutant.file.stem
        marks = {}
        for file in sorted((self.copy / folder).rglob("test_*.py")):
            text = file.read_text(encoding="utf-8")
            marks[file.relative_to(self.copy).as_posix()] = (
                4 * any(name in text for name in mutant.names) + 3 * (stem in file.stem) + 2 * (stem in text)
            )
        passing = {test: s for test, s in shown["seconds"].items() if test not in shown["failed"]}
        ranked = sorted(passing, key=lambda test: (-marks.get(test.split("::")[0], 0), passing[test]))
        return _within(NAMING, ranked, passing)

    def killer(self, mutant: Mutant, changed: str, folders: list[str]) -> str:
        """Return which test sees a mutant, "" where none does."""
        text = (self.copy / mutant.file).read_text(encoding="utf-8")
        compiled = "kernel" in text or "Device" in text  # lines of compiled code are not seen
        todo = [(folder, plain, self.covering) for plain in (True, False) for folder in folders]
        if compiled:
            todo += [(folder, False, self.naming) for folder in folders]
        cache, done = self.overlay(), set[tuple[bool, str]]()
        for folder, plain, found in todo:
            seconds = self.known(folder, plain)["seconds"]
            rest = [test for test in found(mutant, folder, plain) if (plain, test) not in done]
            done |= {(plain, test) for test in rest}
            while rest:
                batch, total = [], 0.0
                while rest and (not batch or total + seconds[rest[0]] < BATCH):
                    batch.append(rest.pop(0))
                    total += seconds[batch[-1]]
                allowed = 60.0 + 10.0 * total + (600.0 if compiled and not plain else 0.0)
                shown = self.planted(mutant, changed, batch, plain, allowed, cache)
                if shown is None:
                    return "time"
                if shown["failed"]:
                    return shown["failed"][0]
        return ""
