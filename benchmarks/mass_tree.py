"""Time the mass tree: a leaf's change against depth, relative states, structural changes.

    python benchmarks/mass_tree.py [--bodies 1000] [--repeat 7]

A tree of 1,000 bodies is a trunk of given depth with all other bodies hung evenly along it. A change of mass
at the end of the trunk is followed by a query of the root's composite properties. The exponent is the slope
of time less that at depth 1, in logarithms, over the depths from 8 on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from interstage.mass import MassBody, relative_state, relative_states


def tree(bodies: int, depth: int) -> tuple[MassBody, list[MassBody]]:
    """Return the root and all bodies; the last of the trunk is number `depth`."""
    parts = [MassBody(f"b{k}", 1.0, [0.1, 0.0, 0.0], [1.0, 1.0, 1.0]) for k in range(bodies)]
    for k in range(1, depth + 1):
        parts[k].attach_to(parts[k - 1], offset=[0.5, 0.1, 0.0])
    for k in range(depth + 1, bodies):
        parts[k].attach_to(parts[(k - depth - 1) % depth], offset=[0.0, 0.2, 0.3])
    assert parts[0].composite.mass > 0
    return parts[0], parts


def best(action: Callable[[], object], repeat: int, inner: int) -> float:
    """Return the best time of one action in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(inner):
            action()
        times.append((time.perf_counter() - start) / inner)
    return min(times)


def leaf_change(bodies: int, depth: int, repeat: int) -> tuple[float, float]:
    """Return seconds for a leaf's change seen at the root, and for a recomputation of the whole tree."""
    root, parts = tree(bodies, depth)
    leaf = parts[depth]

    def change() -> None:
        leaf.burn(1e-9)
        _ = root.composite

    def everything() -> None:
        for part in parts:
            part.burn(1e-12)
        _ = root.composite

    return best(change, 6 * repeat, max(3, 200 // depth)), best(everything, 3, 1)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args(argv)
    n = options.bodies
    depths = [d for d in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if d < n - 1] + [n - 1]
    print(f"tree of {n} bodies: a leaf's mass changes, the root's composite properties are read")
    print("   depth   leaf to root   all parts changed")
    times = []
    for depth in depths:
        one, every = leaf_change(n, depth, options.repeat)
        times.append(one)
        print(f"{depth:8d} {1e6 * one:11.1f} us {1e3 * every:16.2f} ms")
    far = [k for k, d in enumerate(depths) if d >= 8]
    rise = np.log([times[k] - times[0] for k in far])
    exponent = np.polyfit(np.log([depths[k] for k in far]), rise, 1)[0]
    slope = (times[-1] - times[0]) / (depths[-1] - depths[0])
    print(f"exponent of depth {exponent:.2f}; {1e6 * slope:.2f} us a level")

    root, parts = tree(n, 10)
    rng = np.random.default_rng(1)
    points = [part.add_point("p", [1, 2, 3]) for part in parts]
    pairs = rng.integers(0, n, (10000, 2)).tolist()
    for point in points:
        relative_state(point, root)

    def query() -> None:
        for a, b in pairs:
            relative_state(points[a], points[b])

    single = best(query, options.repeat, 1) / len(pairs)
    million = rng.integers(0, n, (2, 1_000_000))
    relative_states(points, *million[:, :10])
    many = best(lambda: relative_states(points, *million), 3, 1)
    print(f"relative state of two points: {1e6 * single:.2f} us, {1 / single:,.0f} a second, one at a time")
    print(f"a million relative states in one call: {many:.3f} s, {1e6 / many:,.0f} a second")

    leaf = parts[10]

    def undock() -> None:
        leaf.detach()
        leaf.attach_to(parts[9], offset=[0.5, 0.1, 0.0])
        _ = root.composite

    print(f"detach, attach and composite at depth 10: {1e6 * best(undock, options.repeat, 200):.1f} us")


if __name__ == "__main__":
    main()
