"""Arguments, beside places, of a device of the shelf for tests of all of them; one that needs none is not listed.

Inputs without a default are held at random numbers. Choose arguments at which every branch that matters is taken.
"""

from __future__ import annotations

EXAMPLES: dict[str, list[dict[str, object]]] = {
    "Encoder": [{"counts": 4096, "noise": "1 mrad"}],
}
