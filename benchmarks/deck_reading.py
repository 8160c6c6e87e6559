"""Time the reading of a generated deck, text to typed columns, and optionally pyNastran on the same file.

pyNastran needs numpy < 2 and so an environment of its own (`make bench` makes `.venv-peers`; --peer-python names
another). Both readers read the same file in the same run; the best of the repeats counts.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interstage.nastran import read_deck

_PEER = """
import json, sys, time
import pyNastran
from pyNastran.bdf.bdf import BDF
best = 1e30
for _ in range(int(sys.argv[2])):
    model = BDF(debug=None)
    begin = time.perf_counter()
    model.read_bdf(sys.argv[1], xref=False, punch=False)
    best = min(best, time.perf_counter() - begin)
print(json.dumps({"version": pyNastran.__version__, "seconds": best, "grids": len(model.nodes)}))
"""


def write_deck(path: Path, cards: int) -> int:
    """Write a deck of about `cards` cards: half grids, then shells, bars and solids with continuations.

    Returns the number of cards written.
    """
    grids = cards // 2
    side = max(int(math.sqrt(grids)), 3)
    lines = ["SOL 103", "CEND", "METHOD = 1", "SPC = 1", "BEGIN BULK"]
    lines += ["EIGRL          1                      10", "SPC1           1  123456       1"]
    lines += ["MAT1           1  7.+10             .33   2700.", "PSHELL         1       1    .002       1"]
    lines += ["PBAR           2       1    1.-4    1.-8    1.-8    2.-8", "PSOLID         3       1"]
    count = 6
    for k in range(grids):
        i, j = divmod(k, side)
        z = _real8(0.1 * math.sin(0.37 * i) * math.cos(0.11 * j))
        lines.append(f"GRID    {k + 1:8d}        {_real8(i * 0.0125)}{_real8(j * 0.025)}{z}")
        count += 1
    k = eid = 0
    while count < cards:
        eid, base = eid + 1, k % (grids - 3 * side - 3) + 1
        a, b, c, d = base, base + 1, base + side + 1, base + side
        kind, k = eid % 10, k + 1
        if kind < 6:
            lines.append(f"CQUAD4  {eid:8d}       1{a:8d}{b:8d}{c:8d}{d:8d}")
        elif kind < 8:
            lines.append(f"CTRIA3  {eid:8d}       1{a:8d}{b:8d}{c:8d}")
        elif kind == 8:
            lines.append(f"CBAR    {eid:8d}       2{a:8d}{b:8d}      0.      0.      1.")
            lines.append("                             .01      0.      0.     .01      0.      0.")
        else:
            e = a + 2 * side
            lines.append(f"CHEXA   {eid:8d}       3{a:8d}{b:8d}{c:8d}{d:8d}{e:8d}{e + 1:8d}+")
            lines.append(f"+       {e + side + 1:8d}{e + side:8d}")
        count += 1
    lines.append("ENDDATA")
    path.write_text("\n".join(lines) + "\n")
    return count


def _real8(value: float) -> str:
    """Write a real in eight columns, as preprocessors do."""
    for digits in range(7, 0, -1):
        text = f"{value:.{digits}g}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            mantissa += "" if "." in mantissa else "."
            text = f"{mantissa}{int(exponent):+d}"
        elif "." not in text:
            text += "."
        text = (
            text.replace("0.", ".", 1)
            if text.startswith(("0.", "-0.")) and text not in ("0.", "-0.")
            else text
        )
        if len(text) <= 8:
            return text.rjust(8)
    return "0.".rjust(8)


def read_columns(path: Path) -> int:
    """Read the deck to typed columns of every card; returns the number of cards."""
    deck = read_deck(path)
    grids = deck.cards("GRID")
    grids.integer(1), grids.integer(2, 0), [grids.real(j) for j in (3, 4, 5)]
    for name, nodes in (("CQUAD4", 4), ("CTRIA3", 3), ("CBAR", 2), ("CHEXA", 8)):
        table = deck.cards(name)
        table.unique_ids()
        for j in range(2, 3 + nodes):
            table.integer(j)
    return sum(deck.counts.values())


def main(argv: list[str] | None = None) -> dict[str, float]:
    """Run the benchmark; returns the rates in cards per second."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peer-python", help="interpreter of an environment with pyNastran")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.bdf"
        count = write_deck(path, options.cards)
        best = math.inf
        for _ in range(options.repeat):
            begin = time.perf_counter()
            read = read_columns(path)
            best = min(best, time.perf_counter() - begin)
        assert read == count, (read, count)
        rates = {"interstage": count / best}
        print(f"{count} cards, {path.stat().st_size / 1e6:.1f} MB")
        print(f"interstage  {best:8.3f} s  {rates['interstage']:12,.0f} cards/s")
        peer = options.peer_python or _importable()
        if peer:
            done = subprocess.run(
                [peer, "-c", _PEER, str(path), str(max(1, options.repeat // 2))],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                print("pyNastran could not be run:", done.stderr.strip().splitlines()[-1:])
                return rates
            answer = json.loads(done.stdout.strip().splitlines()[-1])
            rates["pyNastran"] = count / answer["seconds"]
            seconds, version = answer["seconds"], answer["version"]
            print(f"pyNastran   {seconds:8.3f} s  {rates['pyNastran']:12,.0f} cards/s  ({version})")
            print(f"ratio       {rates['interstage'] / rates['pyNastran']:8.1f}")
    return rates


def _importable() -> str | None:
    """Interpreter of the peers' environment if there is one, or this one if it has pyNastran."""
    from importlib.util import find_spec

    peers = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"
    if peers.exists():
        return str(peers)
    return sys.executable if find_spec("pyNastran") else None


if __name__ == "__main__":
    main()
