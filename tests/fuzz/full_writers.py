"""Fill disks under every writer of files: one sentence and what was there before, or the whole file.

    python tests/fuzz/full_writers.py [FILES] [SEED]

Every file is written in a process of its own, on a disk that is too small where one may be mounted, else where files
may not grow beyond a limit; half of them replace an older file, which must stay as it was when the new one does not
fit. Prints the counts as JSON; ends with 1 where something was lost.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy import stats

import interstage as ist
from interstage.errors import InterstageError

sys.path.insert(0, str(Path(__file__).parent))
import every_call

BAD = ("crashed", "raw", "left", "changed", "unreadable")
OLD = b"what was here before\n"


def double(row: Any) -> dict[str, float]:
    """Return the output of a run of a study."""
    return {"y": 2.0 * row["a"]}


def study(folder: Path) -> None:
    """Run a study of few runs into a folder."""
    ist.monte_carlo(double, {"a": stats.norm()}, runs=5, seed=1, workers=0, folder=folder, progress=False)


def writers() -> dict[str, Callable[[Path], Any]]:
    """Return {name of a file: what writes it}."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        made = every_call.things()
        made["FlightLog"].save("kept.h5")
        log = ist.load("kept.h5")
    model = made["LinearModel"]
    return {
        "log.h5": log.save,
        "log.csv": log.to_csv,
        "component.h5": made["Component"].save,
        "linear.h5": model.save,
        "linear.mat": model.save,
        "linear.npz": model.save,
        "linear.m": model.save,
        "loop.h5": made["Loop"].save,
        "margins.json": made["Margins"].save,
        "mass.json": made["MassBody"].save,
        "multibody.h5": made["Multibody"].save,
        "study.h5": made["Study"].save,
        "diagram.svg": made["cart"].diagram,
        "page.html": made["Study"].report if hasattr(made["Study"], "report") else log.diagram,
        "model.fmu": lambda path: ist.export_fmu(model, path),
        "folder": study,
    }


def child(write: Callable[[Path], Any], path: Path, limit: int, mounted: bool) -> str:
    """Write in a process of its own; return what it says, empty where it crashed."""
    read, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        words = "written"
        warnings.simplefilter("ignore")
        try:
            if not mounted:
                import resource

                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            write(path)
        except InterstageError as error:
            words = f"refused {error}"
        except BaseException as error:
            words = f"raw {type(error).__name__}: {error}"
        os.write(said, words.encode()[:4000])
        os._exit(0)
    os.close(said)
    with os.fdopen(read) as pipe:
        words = pipe.read()
    return words if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 else ""


def filled(rng: random.Random, name: str, write: Callable[[Path], Any], size: int, scratch: Path) -> Any:
    """Return what became of one file."""
    limit = int(size * rng.uniform(0.0, 1.2))
    folder = Path(tempfile.mkdtemp(dir=scratch))
    mount = [
        "mount",
        "-t",
        "tmpfs",
        "-o",
        f"size={max(limit, 1) // 4096 * 4096 + 8192}",
        "tmpfs",
        str(folder),
    ]
    mounted = rng.random() < 0.5 and subprocess.run(mount, capture_output=True).returncode == 0
    old = rng.random() < 0.5 and name != "folder"
    found = collections.Counter(files=1, mounted=mounted)
    path = folder / name
    try:
        if old:
            path.write_bytes(OLD)
        said = child(write, path, limit, mounted)
        there = [one for one in folder.iterdir() if one.name != name]
        found["crashed"] += not said
        found["raw"] += said.startswith("raw") or "\n" in said.strip()
        found["refused"] += said.startswith("refused")
        found["left"] += bool(there) or any(folder.rglob("*.part"))
        if said != "written" and name != "folder":
            found["changed"] += path.exists() != old or (old and path.read_bytes() != OLD)
        if said == "written" and path.suffix in (".h5", ".mat", ".npz", ".json") and name != "margins.json":
            try:
                ist.load(path)
            except InterstageError as error:
                found["unreadable"] += 1
                said += f" | {error}"
        if any(found[one] for one in BAD):
            print(name, limit, size, mounted, old, dict(found), said, there, file=sys.stderr)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)
    return found


def main(files: int = 40, seed: int = 1) -> dict[str, int]:
    """Write so many files onto full disks; return the counts."""
    rng, scratch = random.Random(seed), Path(tempfile.mkdtemp())
    found = collections.Counter(dict.fromkeys(("files", "mounted", "refused", *BAD), 0))
    warnings.simplefilter("ignore")
    try:
        all_of_them, sizes = writers(), {}
        for name, write in all_of_them.items():
            write(scratch / name)
            whole = scratch / name
            inside = [one for one in whole.rglob("*") if one.is_file()] if whole.is_dir() else [whole]
            sizes[name] = sum(one.stat().st_size for one in inside)
        for k in range(files):
            name = [*all_of_them][k % len(all_of_them)]
            found.update(filled(rng, name, all_of_them[name], sizes[name], scratch))
    finally:
        shutil.rmtree(scratch)
    return dict(found)


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:]))
    print(json.dumps(counts))
    sys.exit(any(counts[name] for name in BAD))
