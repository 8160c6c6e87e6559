"""Run the benchmarks: `python -m benchmarks [NAME ...] [--write] [--check] [-- OPTIONS]`.

--write puts the output into docs/benchmarks, --check fails where figures are no longer those of the page (`_changes`)
and where there is no page; what follows `--` goes to the benchmark that is named.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import pkgutil
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks._changes import BESIDE, changed

DOCS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks"
PACKAGES = ("numpy", "scipy", "numba", "pypardiso", "mkl", "pin", "exudyn", "scikit-sundae", "jax")


PEERS = (
    *("pyNastran", "Pinocchio", "Exudyn", "Drake", "Basilisk", "MuJoCo", "cvode", "jax", "pyyeti"),
    *("ARPACK", "LOBPCG", "PARDISO"),
)


# benchmarks whose figures no page has, and why
WITHOUT_PAGE = {"batches": "it measures a GPU, and the machines that write the pages have none"}


class Tee(io.StringIO):
    """Keep what is printed, and print it."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def benchmarks() -> list[str]:
    """Names of the modules of this folder that have a `main` function."""
    return sorted(m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if m.name[0] != "_")


def versions() -> str:
    """What was measured with what: Python, packages, processor."""
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found) + f"; {_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def other_work() -> str:
    """What to say of other work on the machine, "" where it was quiet; asked before a benchmark begins."""
    busy, cores = (os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0), os.cpu_count() or 1
    return "" if busy < 0.5 * cores else f"{BESIDE}: {busy:.1f} processes on {cores} cores."


def page(name: str, about: str, output: str, beside: str = "") -> str:
    """A page of the docs from what a benchmark printed, `beside` other work on the machine."""
    title, _, rest = about.strip().partition("\n")
    head = [f"# {title.rstrip('.')}", "", rest.strip(), "", *([beside, ""] if beside else [])]
    return "\n".join([*head, "```text", output.strip("\n").rstrip(), "```", "", versions(), ""])


def missing_peers(output: str, committed: str) -> list[str]:
    """Peers that a committed page measures against and a new run does not.

    >>> missing_peers("ours 1.0 s", "ours 1.0 s, pyNastran 9.0 s")
    ['pyNastran']
    """
    measured = re.search(r"```text\n(.*?)```", committed, re.DOTALL)
    old = measured[1] if measured else committed

    def has(text: str, peer: str) -> bool:
        lines = [line for line in text.splitlines() if re.search(peer, line, re.IGNORECASE)]
        return any("not installed" not in line for line in lines)

    missing = [peer for peer in PEERS if has(old, peer) and not has(output, peer)]
    absent = "not installed" in output and "not installed" not in old
    return missing or (["a peer that is not installed"] if absent else [])


def write_page(name: str, about: str, output: str, folder: Path | None = None, beside: str = "") -> list[str]:
    """Write the page of a benchmark; a run that lacks peers of the committed page leaves it; return their names."""
    path = (folder or DOCS) / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    missing = missing_peers(output, path.read_text(encoding="utf-8")) if path.exists() else []
    if not missing:
        path.write_text(page(name, about, output, beside), encoding="utf-8")
    return missing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(benchmarks())}")
    parser.add_argument("--write", action="store_true", help="write the output into docs/benchmarks")
    parser.add_argument(
        "--check", action="store_true", help="fail where figures are no longer those of the page"
    )
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options, passed = parser.parse_args(words[:cut]), words[cut + 1 :]
    if passed and len(options.names) != 1:
        parser.error("options behind -- go to one benchmark: name it")
    unknown = set(options.names) - set(benchmarks())
    if unknown:
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}; known: {', '.join(benchmarks())}")
    failed = False
    for name in options.names or benchmarks():
        print(f"== {name}")
        start, beside = time.perf_counter(), other_work()
        module = importlib.import_module(f"benchmarks.{name}")
        captured = Tee()
        with contextlib.redirect_stdout(captured):
            found = module.main(passed)
        path = DOCS / f"{name}.md"
        nothing = isinstance(found, list) and not found  # as where files are asked for and none are there
        if options.check and (nothing or name in WITHOUT_PAGE):
            why = "nothing to measure is here" if nothing else WITHOUT_PAGE[name]
            print(f"{name}: not compared with a page: {why}")
        elif options.check:
            changes = ["there is no page"]
            if path.exists():
                changes = changed(captured.getvalue(), path.read_text(encoding="utf-8"))
            for line in changes:
                print(f"{name}: the page would change: {line}")
            failed = failed or bool(changes)
        if options.write and not nothing and name not in WITHOUT_PAGE:
            missing = write_page(name, module.__doc__, captured.getvalue(), beside=beside)
            if missing:
                print(f"{name}.md is left as it was: this run lacks {', '.join(missing)}")
        print(f"-- {name}: {time.perf_counter() - start:.0f} s\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
