"""Jobs of compiling shared by two processes: each is done once, and nothing waits for a process that has died."""

import subprocess
import sys

import pytest

from interstage.demo.shared import Shared, groups
from interstage.jit import COMPILED

# says what it is told, into a file too
ECHO = """
import sys
for line in sys.stdin:
    with open(sys.argv[1], "a") as file:
        file.write(line)
    print(line.strip(), flush=True)
"""
MORTAL = "import sys; sys.stdin.readline()"


def share(code, *arguments):
    """Return ten jobs in two groups shared with a process, the names of those done here, and the process."""
    here = []
    names = {group: [f"{group} {k}" for k in range(5)] for group in ("first", "then")}
    work = {group: {n: lambda n=n: here.append(n) for n in listed} for group, listed in names.items()}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return Shared(work, process), here, [n for listed in names.values() for n in listed], process


def test_every_job_is_done_once(tmp_path):
    shared, here, names, process = share(ECHO, str(tmp_path / "told"))
    shared.finish("first")
    shared.finish("then")
    process.stdin.close()
    process.wait(timeout=60)
    process.stdout.close()
    there = (tmp_path / "told").read_text().splitlines()
    assert there and sorted(here + there) == sorted(names)


def test_jobs_of_a_process_that_died_hold_nobody_up():
    shared, here, names, process = share(MORTAL)
    shared.finish("first")
    shared.finish("then")
    process.wait(timeout=60)
    process.stdin.close()
    process.stdout.close()
    assert len(here) >= len(names) - 1


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled by address in this job")
def test_jobs_are_named_by_what_they_compile():
    doublet, ascent = groups()["doublet"], groups()["ascent"]
    assert not doublet.keys() & ascent.keys()
    assert {"stage settle, real", "loop ros2 without devices, real"} <= doublet.keys()
    assert {"stage weigh, complex", "loop right-hand side, complex", "device Earth, complex"} <= ascent.keys()
    ascent["device Copy, complex"]()
