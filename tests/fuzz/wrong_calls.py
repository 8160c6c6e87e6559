"""Wrong arguments for every public callable, for the night.

python tests/fuzz/wrong_calls.py [CALLS] [SEED]
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import every_call

from test_wrong_arguments import walk

if __name__ == "__main__":
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found = [words for k in range(max(1, calls // 500)) for words in walk(1000 * seed + k, 500)]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for k in range(max(1, calls // 4000)):
            _, raw = every_call.walk(1000 * seed + k, 10)
            found += [f"{name}: {words}" for name, several in raw.items() for words in several]
    print("\n".join(dict.fromkeys(found)) or f"{calls} calls with wrong arguments: sentences alone")
    sys.exit(bool(found))
