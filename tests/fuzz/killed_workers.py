"""Kill workers of studies at random instants: the study goes on, and what it finds is the same to the last bit.

    python tests/fuzz/killed_workers.py [STUDIES OF EACH KIND] [SEED]

Workers are processes of this machine, and of a cluster of dask where it is installed; each study loses one to four of
them, also while they start. A study may give up only with one sentence, and then the same call goes on to the same
digest. Prints the counts as JSON; ends with 1 where something was lost.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from scipy import stats

import interstage as ist
from interstage.errors import InterstageError

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
import studied

ASKED = {"build": studied.slow, "dispersions": {"a": stats.norm(1.0, 0.2)}, "runs": 200, "seed": 9}
BAD = ("wrong", "failed_runs", "raw", "hangs", "parts")
MOST = 120.0  # s that one study may take


def offspring(of: int) -> list[int]:
    """Return the workers below a process: processes of Python that other processes of Python have begun."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found, last = [], [of]
    while last:
        last = [pid for pid, parent in parents.items() if parent in last]
        found += last
    words = {}
    for pid in found:
        with contextlib.suppress(OSError):
            words[pid] = Path(f"/proc/{pid}/cmdline").read_bytes()
    return [pid for pid, line in words.items() if b"spawn_main" in line or b"forkserver" in line]


class Killer(threading.Thread):
    """Kills workers, some of them at once, until it has killed enough or is told to stop."""

    def __init__(self, rng: random.Random, folder: Path):
        super().__init__(daemon=True)
        self.rng, self.folder, self.ended, self.kills = rng, folder, threading.Event(), 0
        self.first = rng.uniform(0.0, 2.0)  # s: workers may be starting

    def run(self) -> None:
        """Wait, kill, wait."""
        self.ended.wait(self.first)
        wanted = self.rng.randint(1, 4)
        while not self.ended.is_set() and self.kills < wanted:
            pids = offspring(os.getpid())
            for pid in self.rng.sample(pids, min(len(pids), self.rng.choice((1, 1, 2)))):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.kills += 1
            self.ended.wait(self.rng.uniform(0.05, 0.8))


def studied_once(
    rng: random.Random, folder: Path, whole: str, given: dict[str, object]
) -> collections.Counter[str]:
    """Return what became of one study."""
    found, said = collections.Counter(studies=1), ""
    killer, begun = Killer(rng, folder), time.perf_counter()
    killer.start()
    try:
        study = ist.monte_carlo(**ASKED, folder=folder, **given)
    except InterstageError as error:
        said, study = str(error), None
        found["gave_up"] += 1
        found["raw"] += "\n" in said
    except Exception as error:
        said, study = f"{type(error).__name__}: {error}", None
        found["raw"] += 1
    finally:
        killer.ended.set()
        killer.join(10)
    found["kills"] += killer.kills
    found["hangs"] += time.perf_counter() - begun > MOST
    if study is None:
        study = ist.monte_carlo(**ASKED, folder=folder, workers=0)
    found["wrong"] += study.digest != whole
    found["failed_runs"] += len(study.errors)
    found["parts"] += len(list(folder.rglob("*.part")))
    if any(found[name] for name in BAD) or said:
        print(dict(found), given, said[:600], study.errors, file=sys.stderr)
    return found


def main(studies: int = 5, seed: int = 1) -> dict[str, dict[str, int]]:
    """Disturb so many studies of each kind; return the counts."""
    rng, scratch, every = random.Random(seed), Path(tempfile.mkdtemp()), {}
    whole = ist.monte_carlo(**ASKED, workers=0).digest
    try:
        import distributed
    except ImportError:
        distributed = None
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(studied.__file__).parent), *filter(None, sys.path)])
    try:
        for kind in ("processes", *(("dask",) if distributed else ())):
            found = collections.Counter(dict.fromkeys(("studies", "kills", "gave_up", *BAD), 0))
            for k in range(studies):
                folder = scratch / f"{kind}{k}"
                if kind == "processes":
                    found.update(studied_once(rng, folder, whole, {"workers": 2}))
                    continue
                quiet = {"dashboard_address": None, "silence_logs": "CRITICAL", "threads_per_worker": 1}
                with distributed.LocalCluster(n_workers=2, processes=True, **quiet) as cluster:
                    found.update(studied_once(rng, folder, whole, {"cluster": cluster}))
            every[kind] = dict(found)
    finally:
        shutil.rmtree(scratch)
    return every


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:]))
    print(json.dumps(counts))
    sys.exit(any(one[name] for one in counts.values() for name in BAD))
