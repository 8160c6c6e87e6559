"""Open damaged flight files at random: every one is refused with words, or is a flight; none crashes the loader.

    python tests/fuzz/flight_files.py [FILES] [SEED]

Bits, cuts, insertions and whole numbers are changed anywhere in a file, and in states that were saved: the digest
tells. Then the digest is made true again, so that lengths, places, links, ports and events are checked on their own;
what is opened then gets an instance, which is saved and restored, but does not fly: a file is code as a library is.
Each thousand files has a process of its own. Prints the counts as JSON; ends with 1 where something else happened.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

EACH = 1000
NUMBERS = (-1, 0, 1, 2, 7, 8, 63, 64, 1 << 31, 1 << 40, -(1 << 62), (1 << 63) - 1, -(1 << 63))


def flight(folder: Path) -> tuple[Path, Path]:
    """Return a library and a flight with laws outside, samples, crossings and events."""
    import interstage as ist
    import interstage.devices as dev
    from interstage.native import build_library

    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=800.0, inertia=[400.0, 350.0, 300.0], joint=ist.Free())
    system = mb.compile()
    made = ist.Assembly("satellite", vehicle=system, seed=7)
    made.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-5), every="20 ms")
    made.add("law", lambda t, rate: {"u": rate[0]}, every="20 ms", out={"u": ""}).wire(
        {"gyro.rate": "law.rate"}
    )
    made.add("jet", dev.EventThruster(at="bus", thrust=5.0, min_on=0.01, width=0.04), every="0.1 s")
    events = [
        ist.Event(at=1.0, action={"jet.isp": 200.0}),
        ist.Event("gyro.rate[0]", level=1.0, action="stop"),
    ]
    built = build_library(folder / "libinterstage.so", devices=[dev.Gyro, dev.EventThruster], methods=["rk4"])
    said = ist.export_flight(made, system.state(), folder / "one.flight", step="5 ms", events=events)
    return built.path, said.path


def damaged(rng: random.Random, good: bytes, tables: int) -> bytes:
    """Return bytes with one to four changes; `tables` : how far whole numbers go."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 4))):
        kind, at = rng.randrange(5), rng.randrange(max(1, len(data)))
        if kind == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = rng.randbytes(rng.randrange(1, 60))
        else:
            place = 8 * rng.randrange(5, tables // 8)
            value = rng.choice((*NUMBERS, len(good), rng.randrange(1 << 20)))
            data[place : place + 8] = struct.pack("<q", value)
    return bytes(data)


def opened(library: str, path: str, count: int, seed: int) -> Counter[str]:
    """Return what became of some damaged files."""
    from interstage.native.native_flight import load_library

    c, good, rng = load_library(library), Path(path).read_bytes(), random.Random(seed)
    why, found = ctypes.create_string_buffer(256), Counter[str]()
    tables = good.index(b"interstage.")

    def tried(data: bytes) -> str:
        handle = c.ist_open_bytes(data, len(data), why, len(why))
        if not handle:
            return "refused" if why.value else "without_words"
        one = c.ist_new(handle)
        if one:
            size = c.ist_saved_size(handle)
            saved = ctypes.create_string_buffer(size)
            c.ist_save(one, saved)
            wrong = damaged(rng, saved.raw, min(size, 400))
            if wrong != saved.raw and c.ist_restore(one, wrong, len(wrong)) == 0:
                found["restored"] += 1
            if c.ist_restore(one, saved.raw, size) != 0:
                found["not_restored"] += 1
            c.ist_free(one)
        c.ist_close(handle)
        return "opened"

    for _ in range(count):
        data = damaged(rng, good, tables)
        if data != good and tried(data) == "opened":
            found["damage_not_seen"] += 1
        if len(data) > 40:
            data = data[:8] + hashlib.sha256(data[40:]).digest() + data[40:]
            found[tried(data)] += 1
    return found


def main(files: int, seed: int, run: Callable[..., subprocess.CompletedProcess] = subprocess.run) -> int:
    """Try files in processes of their own; return how many things went wrong."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        library, path = flight(Path(folder))
        for first in range(0, files, EACH):
            count = min(EACH, files - first)
            words = [
                sys.executable,
                __file__,
                "child",
                str(library),
                str(path),
                str(count),
                str(seed + first),
            ]
            done = run(words, capture_output=True, text=True)
            if done.returncode == 0:
                found.update(json.loads(done.stdout))
            else:
                found["crashed"] += 1
                print(f"seed {seed + first}: exit {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
    print(json.dumps(found))
    bad = ("crashed", "without_words", "damage_not_seen", "restored", "not_restored")
    return sum(found[name] for name in bad)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(opened(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))))
    else:
        given = [int(word) for word in sys.argv[1:]]
        sys.exit(1 if main(*[*given, *[100_000, 0][len(given) :]]) else 0)
