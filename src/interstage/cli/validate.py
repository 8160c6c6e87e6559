"""`interstage validate`: the studies of the papers, figure beside figure."""

from __future__ import annotations

import importlib
import time
from typing import Any

import typer

from interstage.output import json_text


def validate(
    names: list[str] = typer.Argument(None, metavar="[STUDY]...", help="Studies by name; all otherwise."),
    listing: bool = typer.Option(False, "--list", help="Print the names of the studies and stop."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
) -> None:
    """Run studies against published results; exit status 1 if a comparison fails."""
    from interstage.cli.progress import progress
    from interstage.cli.source_tools import check_names, source_package

    known = source_package("validation", "the studies").studies()
    if listing:
        print(json_text(known) if as_json else "\n".join(known))
        return
    chosen = check_names("study", names or [], known)
    results, passed = [], True
    for name in chosen:
        start = time.perf_counter()
        with progress(quiet=as_json) as say:
            say(f"study {name}")
            study = importlib.import_module(f"validation.{name}").study()
        seconds = time.perf_counter() - start
        passed = passed and study.passed
        results.append(_machine(study, seconds))
        if not as_json:
            study.show()
            print(f"{name}: {seconds:.1f} s\n")
    if as_json:
        print(json_text({"passed": passed, "studies": results}))
    else:
        print("all comparisons hold" if passed else "a comparison FAILED")
    if not passed:
        raise typer.Exit(1)


def _machine(study: Any, seconds: float) -> dict[str, Any]:
    rows = [
        {
            "case": row.case,
            "quantity": row.quantity,
            "reference": row.reference,
            "ours": row.ours,
            "error": float(row.error),
            "tolerance": row.tolerance,
            "passed": bool(row.passed),
        }
        for row in study.rows
    ]
    return {
        "name": study.name,
        "title": study.title,
        "passed": bool(study.passed),
        "skipped": study.skipped,
        "seconds": round(seconds, 3),
        "rows": rows,
    }
