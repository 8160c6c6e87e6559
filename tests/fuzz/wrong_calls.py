"""Wrong arguments for the main doors, for the night: `python tests/fuzz/wrong_calls.py 20000`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from test_wrong_arguments import walk

if __name__ == "__main__":
    calls = int(sys.argv[1])
    found = [words for seed in range(max(1, calls // 500)) for words in walk(seed, 500)]
    print("\n".join(dict.fromkeys(found)) or f"{calls} calls with wrong arguments: sentences alone")
    sys.exit(bool(found))
