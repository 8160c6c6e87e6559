"""First use compiles with a word, later uses load from disk without one; importing compiles nothing."""

import os
import subprocess
import sys

import pytest

CODE = "import numpy as np, interstage.spatial as s; s.Rotation.from_rotation_vector([0.1, 0.2, 0.3]).matrix"


def run(cache, code):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled in this job")
def test_compiles_once_and_says_so(tmp_path):
    assert run(tmp_path, "import interstage.spatial").stderr == ""
    # one line where nobody watches, however many kernels there are
    assert run(tmp_path, CODE).stderr.splitlines() == ["interstage: compiling kernels (once) ..."]
    assert run(tmp_path, CODE).stderr == ""
