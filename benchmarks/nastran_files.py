"""Survey of op2 and op4 files: what is read, what is refused and why, and whether pyYeti reads the same.

    python -m benchmarks nastran_files -- FOLDER ...

Every `.op2` and `.op4` below the folders is read. Where an environment has pyYeti (`.venv-peers`, --peer-python or this
one), it reads the same files in a process of its own, and names, sizes, trailers and every number of every matrix are
compared for equality. Without folders the reference files beside the checkout are taken.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._peers import peer_python
from interstage.errors import InterstageError
from interstage.nastran import read_op2, read_op4
from interstage.nastran.op4 import SparseMatrix

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference" / "nastran-files"

# what the peer's process does: names, trailers and matrices of each file, or the reason why not
_PEER = """
import pickle, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from pyyeti.nastran import op2, op4

def matrix(x):
    if hasattr(x, "tocoo"):
        x = x.tocoo()
        keep = x.data != 0
        return (x.shape, x.row[keep], x.col[keep], x.data[keep])
    return np.asarray(x)

def read4(path):
    names, values, _, _ = op4.OP4().listload(path, sparse=None)
    return [(n.upper(), None, matrix(v)) for n, v in zip(names, values)]

def read2(path):
    with op2.OP2(path) as o:
        out = []
        for block in o.dblist:
            value = None
            if block.dbtype == 1:
                o.set_position(block.start)
                _, trailer, _ = o.rdop2nt()
                value = matrix(o.rdop2matrix(trailer))
            out.append((block.name, tuple(block.trailer), value))
        return out

for line in sys.stdin:
    path = line.rstrip("\\n")
    try:
        found = read2(path) if path.lower().endswith("2") else read4(path)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    with open(sys.argv[1], "ab") as f:
        pickle.dump(found, f)
"""


@dataclass
class Row:
    """What became of one file."""

    path: Path
    parts: list | None  # (name, trailer or None, matrix or None)
    refused: str = ""
    notes: int = 0
    peer: str = "-"

    @property
    def kind(self) -> str:
        return self.path.suffix[1:].lower()


def read(path: Path) -> Row:
    """Read one file with our reader."""
    try:
        if path.suffix.lower() == ".op4":
            return Row(path, [(name.split(":")[0], None, value) for name, value in read_op4(path).items()])
        op2 = read_op2(path)
        parts = [(b.name, b.trailer, b.matrix() if b.is_matrix else None) for b in op2.blocks]
        return Row(path, parts, notes=len(op2.notes))
    except InterstageError as error:
        return Row(path, None, refused=error.what)


def compare(row: Row, peer: list | str) -> str:
    """Say whether the peer found the same."""
    if isinstance(peer, str):
        return f"peer fails: {' '.join(peer.split())[:50]}" if row.parts is not None else "both refuse"
    if row.parts is None:
        return "peer reads it"
    if len(row.parts) != len(peer):
        return f"peer has {len(peer)} blocks"
    for (name, trailer, ours), (other, their_trailer, theirs) in zip(row.parts, peer):
        # the peer renames what is no identifier of Python
        if name.upper() != other.upper() and name.isidentifier():
            return f"peer calls {name} {other}"
        if trailer is not None and tuple(trailer) != their_trailer:
            return f"trailers of {name} differ"
        if (ours is None) != (theirs is None) or (ours is not None and not same(ours, theirs)):
            return f"{name} differs"
    return "agrees"


def same(ours: np.ndarray | SparseMatrix, theirs: np.ndarray | tuple) -> bool:
    """Equal shape and equal numbers, whichever of the two is sparse."""
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        return ours.shape == theirs.shape and np.array_equal(ours, theirs, equal_nan=True)
    if isinstance(ours, np.ndarray) and isinstance(theirs, tuple):
        shape, row, column, value = theirs
        # the others must be zero, column by column so that a huge matrix is not touched
        filled = sum(np.count_nonzero(ours[:, k]) for k in np.unique(column))
        return (
            ours.shape == tuple(shape) and filled == len(value) and bool(np.all(ours[row, column] == value))
        )
    if isinstance(theirs, np.ndarray) or ours.shape != tuple(theirs[0]):
        return False
    keep = ours.value != 0
    mine = sorted(zip(ours.column[keep].tolist(), ours.row[keep].tolist(), ours.value[keep].tolist()))
    return mine == sorted(zip(theirs[2].tolist(), theirs[1].tolist(), theirs[3].tolist()))


def peer_results(paths: list[Path], python: str) -> list:
    """Let the peer read the files in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.pickle"
        command = [python, "-c", _PEER, str(out)]
        done = subprocess.run(
            command, input="".join(f"{p}\n" for p in paths), capture_output=True, text=True, check=False
        )
        found = []
        if out.exists():
            with out.open("rb") as f:
                for _ in paths:
                    try:
                        found.append(pickle.load(f))
                    except EOFError:
                        break
        if len(found) < len(paths):
            last = (done.stderr.strip().splitlines() or ["stopped"])[-1]
            found += [f"peer stopped: {last}"] * (len(paths) - len(found))
        return found


def main(argv: list[str] | None = None) -> list[Row]:
    """Run the survey; returns a row for each file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="folders of op2 and op4 files")
    parser.add_argument("--peer-python", help="interpreter of an environment with pyYeti")
    options = parser.parse_args(argv)
    folders = options.folders or ([REFERENCE] if REFERENCE.is_dir() else [])
    paths = sorted(
        p for f in folders for p in f.rglob("*") if p.suffix.lower() in (".op2", ".op4") and p.is_file()
    )
    if not paths:
        print("no op2 or op4 files: name a folder, as in  python -m benchmarks nastran_files -- FOLDER")
        return []
    rows = [read(path) for path in paths]
    python = options.peer_python or peer_python("pyyeti")
    if python:
        for row, found in zip(rows, peer_results(paths, python)):
            row.peer = compare(row, found)
    show(rows, "pyYeti" if python else "")
    return rows


def show(rows: list[Row], peer: str) -> None:
    """Print a line a file, then the sums."""
    width = min(60, max(len(_short(row.path)) for row in rows))
    print(
        f"{'file':{width}}  {'kind':4}  {'blocks':>6}  {'matrices':>8}  {peer or 'no peer':24}  refused, notes"
    )
    for row in rows:
        parts = row.parts or []
        matrices = sum(value is not None for _, _, value in parts)
        words = row.refused or ("no end mark" if row.notes else "")
        print(
            f"{_short(row.path):{width}}  {row.kind:4}  {len(parts):6d}  {matrices:8d}  {row.peer:24}  {words}".rstrip()
        )
    print()
    for kind in ("op2", "op4"):
        some = [row for row in rows if row.kind == kind]
        if not some:
            continue
        good = [row for row in some if row.parts is not None]
        print(f"{kind}: {len(some)} files, {len(good)} read, {sum(row.notes > 0 for row in good)} with notes")
        for what, count in sorted(Counter(row.peer for row in some if peer).items()):
            print(f"    {peer} {what}: {count}" if what != "agrees" else f"    {peer} agrees: {count}")
        for why, count in sorted(Counter(row.refused for row in some if row.refused).items()):
            print(f"    refused, {why}: {count}")


def _short(path: Path) -> str:
    return str(Path(*path.parts[-2:]))


if __name__ == "__main__":
    main()
