"""`interstage warm` and `interstage library`: compile all kernels ahead of their first use, here or for C programs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

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


SUFFIXES = {"win32": "interstage.dll", "darwin": "libinterstage.dylib"}


def library(
    target: Path = typer.Argument(
        None,
        metavar="[FILE]",
        help="The library to write; default: libinterstage.so, .dylib or interstage.dll here.",
    ),
    cpu: str = typer.Option(
        None, "--cpu", help="Kind of processor, as LLVM calls it (x86-64-v3, say); default: this machine's."
    ),
    system: str = typer.Option(
        None, "--target", help="Another system, aarch64-linux-gnu say; its C compiler has that name and -gcc."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
) -> None:
    """Compile every kernel of flights into one shared library with a C interface: it flies files of `export_flight`."""
    from interstage.cli.progress import progress
    from interstage.native import build_library

    path = Path(SUFFIXES.get(sys.platform, "libinterstage.so")) if target is None else target
    with progress(as_json) as say:
        say("compiling the kernels of flights, a minute or two the first time")
        made = build_library(path, cpu=cpu, target=system)
    if as_json:
        found = {"library": str(made.path), "bytes": made.size, "functions": len(made.functions)}
        print(json_text({**found, "left_out": made.left_out}))
        return
    print(
        f"{made.path}: {len(made.functions)} functions, {made.size / 1e6:.2f} MB; interstage.h is beside it."
    )
    for name, why in made.left_out.items():
        print(f"left out: {name} ({why})")
