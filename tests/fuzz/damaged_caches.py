"""Damage kernels on disk at random: every program compiles anew what it needs, and finds what it found before.

    python tests/fuzz/damaged_caches.py [DAMAGES] [SEED]

Files of the cache are emptied, cut, lengthened, zeroed in part, exchanged, removed, made of flipped bits, links to
nowhere or folders, one to all of them at once. A process that starts then must say nothing, give the same numbers, and
leave a cache from which the next one takes every kernel; where a folder stands in the place of a file, that kernel may
be compiled each time. Prints the counts as JSON; ends with 1 where something else happened.
"""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BAD = ("crashed", "noise", "wrong", "not_mended")
KERNELS = """
import numpy as np
from interstage.jit import kernel

@kernel
def twice(x):
    return 2.0 * x

@kernel
def total(x):
    s = 0.0
    for k in range(len(x)):
        s += twice(x[k]) * k
    return s

@kernel
def turned(a, out):
    for i in range(3):
        out[i] = a[i, 0] * 0.5 + a[i, 1] - a[i, 2]
"""
PROGRAM = """
import numpy as np
import kept
out, every = np.zeros(3), (kept.total, kept.turned)
kept.turned(np.arange(9.0).reshape(3, 3), out)
print(kept.total(np.arange(5.0)), *out, sum(sum(f.stats.cache_hits.values()) for f in every))
"""


def damage(rng: random.Random, path: Path, others: list[bytes]) -> str:
    """Damage one file; return how."""
    good, how = path.read_bytes(), rng.choice(
        ("empty", "cut", "longer", "zeroed", "exchanged", "removed", "bit", "bits", "noise", "link", "folder")
    )  # fmt: skip
    bad = bytearray(good)
    if how == "cut":
        del bad[rng.randrange(len(bad)) :]
    elif how == "longer":
        bad += rng.randbytes(rng.choice((1, 100, 5000)))
    elif how == "zeroed":
        first = rng.randrange(len(bad))
        last = min(len(bad), first + 4096)
        bad[first:last] = bytes(last - first)
    elif how == "exchanged":
        bad = bytearray(rng.choice(others))
    elif how in ("bit", "bits"):
        for _ in range(1 if how == "bit" else 20):
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
    elif how == "noise":
        bad = bytearray(rng.randbytes(len(bad)))
    elif how == "empty":
        bad.clear()
    path.unlink()
    if how == "link":
        path.symlink_to(path.with_suffix(".nowhere"))
    elif how == "folder":
        path.mkdir()
    elif how != "removed":
        path.write_bytes(bad)
    return how


def ran(scratch: Path) -> tuple[int, list[str], str]:
    """Run a program; return how it ended, its words and what it complained of."""
    path = os.pathsep.join([str(scratch), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(scratch / "cache"), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout.split(), done.stderr


def main(damages: int = 20, seed: int = 1) -> dict[str, int]:
    """Damage the cache so many times; return the counts."""
    rng, scratch = random.Random(seed), Path(tempfile.mkdtemp())
    found = collections.Counter(dict.fromkeys(("damages", "files", *BAD), 0))
    try:
        (scratch / "kept.py").write_text(KERNELS, encoding="utf-8")
        ran(scratch)
        _, (*numbers, hits), _ = ran(scratch)
        files = sorted(p for p in (scratch / "cache").rglob("kept.*") if p.suffix in (".nbi", ".nbc"))
        assert int(hits) == 2 and len(files) >= 4, (hits, files)
        good = {path: path.read_bytes() for path in files}
        for _ in range(damages):
            some = rng.sample(files, rng.choice((1, 1, 2, len(files))))
            how = {path.name: damage(rng, path, list(good.values())) for path in some}
            found.update(damages=1, files=len(some))
            code, words, complaints = ran(scratch)
            one = collections.Counter(crashed=code != 0, noise=bool(complaints.strip()))
            one["wrong"] += code == 0 and words[:-1] != numbers
            if code == 0 and "folder" not in how.values():
                one["not_mended"] += ran(scratch)[1] != [*numbers, hits]
            found.update(one)
            if any(one.values()):
                print(how, dict(one), words, complaints[-600:], file=sys.stderr)
            for path, data in good.items():
                if path.is_dir():
                    path.rmdir()
                path.unlink(missing_ok=True)
                path.write_bytes(data)
    finally:
        shutil.rmtree(scratch)
    return dict(found)


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:]))
    print(json.dumps(counts))
    sys.exit(any(counts[name] for name in BAD))
