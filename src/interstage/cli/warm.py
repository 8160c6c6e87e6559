"""`interstage warm`: compile all kernels once, ahead of their first use."""

from __future__ import annotations

import sys
import time

import typer

from interstage.output import json_text


def warm(as_json: bool = typer.Option(False, "--json", help="Print JSON for machines.")) -> None:
    """Compile all kernels once, in two processes side by side; they come from disk from then on."""
    from interstage.demo.warm import COMPILING
    from interstage.demo.warm import warm as compile_all

    start, compiled = time.perf_counter(), set()

    def said(line: str) -> None:
        if line.startswith(COMPILING):
            compiled.add(line)
            if not as_json:
                print(line, file=sys.stderr, flush=True)

    compile_all(said)
    found = {"compiled": len(compiled), "seconds": round(time.perf_counter() - start, 1)}
    if as_json:
        print(json_text(found))
    else:
        print(f"{found['compiled']} kernels compiled in {found['seconds']} s; the others came from disk.")
