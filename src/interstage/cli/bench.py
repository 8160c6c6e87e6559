"""`interstage bench`: ratios against peers."""

from __future__ import annotations

import importlib
import time

import typer

from interstage.output import json_text


def bench(
    names: list[str] = typer.Argument(None, metavar="[NAME]...", help="Benchmarks by name; all otherwise."),
    listing: bool = typer.Option(False, "--list", help="Print the names of the benchmarks and stop."),
    as_json: bool = typer.Option(
        False, "--json", help="Print JSON for machines: what each benchmark printed."
    ),
) -> None:
    """Measure speed against peers; peers that are not installed are left out."""
    import contextlib
    import io

    from interstage.cli.source_tools import check_names, source_package

    known = source_package("benchmarks", "the benchmarks").benchmarks()
    if listing:
        print(json_text(known) if as_json else "\n".join(known))
        return
    results = []
    for name in check_names("benchmark", names or [], known):
        module = importlib.import_module(f"benchmarks.{name}")
        start = time.perf_counter()
        if as_json:
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                module.main([])
            lines = text.getvalue().splitlines()
            results.append({"name": name, "seconds": round(time.perf_counter() - start, 3), "lines": lines})
            continue
        print(f"== {name}")
        module.main([])
        print(f"-- {name}: {time.perf_counter() - start:.0f} s\n")
    if as_json:
        print(json_text({"benchmarks": results}))
