"""Run the studies: `python -m validation [STUDY ...] [--write]`; exit status 1 if a comparison fails."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path

import validation


def studies() -> list[str]:
    """Names of the modules of this folder that have a `study` function."""
    names = sorted(m.name for m in pkgutil.iter_modules(validation.__path__) if not m.ispkg)
    source = {name: Path(validation.__path__[0], f"{name}.py").read_text(encoding="utf-8") for name in names}
    return [name for name in names if "\ndef study(" in source[name]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STUDY", help=f"any of: {', '.join(studies())}")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/validation")
    parser.add_argument("--drop-rows", action="store_true", help="let rows vanish that a study no longer has")
    parser.add_argument(
        "--check", action="store_true", help="fail where a page would change beyond its noise"
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(studies())
    if unknown:
        parser.error(f"unknown study {', '.join(sorted(unknown))}; known: {', '.join(studies())}")
    passed = True
    for name in options.names or studies():
        start = time.perf_counter()
        result = importlib.import_module(f"validation.{name}").study()
        result.show()
        print(f"{name}: {time.perf_counter() - start:.1f} s\n")
        if options.check:
            changes = result.changed()
            for words in changes:
                print(f"{name}: the page would change: {words}")
            passed = passed and not changes
        if options.write:
            kept = result.missing()
            path = result.write(drop_rows=options.drop_rows)
            if kept and (result.skipped or result.left_out or not options.drop_rows):
                print(f"{path.name} is left as it was: this run lacks {'; '.join(kept)}\n")
        passed = passed and result.passed
    print("all comparisons hold" if passed else "a comparison FAILED")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
