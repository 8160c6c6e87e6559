"""Compile kernels: one decorator for the whole toolkit.

`kernel` is `numba.njit` with the options every kernel shares: cached on disk (beside the source where
that can be written, in the user's cache folder otherwise, or in `NUMBA_CACHE_DIR`), and IEEE
arithmetic instead of Python's zero-division check, so that a kernel also compiles for complex128.

Nothing is compiled at import. The first call in a fresh installation compiles; while it does, one
line on stderr says so.

    @kernel
    def twice(x):
        return 2.0 * x
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
from numba.core import event


class _Announcer(event.Listener):
    """Print one line when the first kernel of this process is compiled (not when it is loaded from disk)."""

    def __init__(self):
        self.said = False

    def on_start(self, event):
        if not self.said and _is_ours(event):
            self.said = True
            print("interstage: compiling kernels (once) ...", file=sys.stderr, flush=True)

    def on_end(self, event):
        pass


def _is_ours(event) -> bool:
    dispatcher = event.data.get("dispatcher")
    return getattr(getattr(dispatcher, "py_func", None), "__module__", "").startswith("interstage")


_announcer = _Announcer()
event.register("numba:compile", _announcer)


def kernel(function=None, **options):
    """Return `function` compiled on first use, cached on disk.

    Options go to `numba.njit` (`parallel=True`, `inline="always"`, ...).
    """
    if function is None:
        return lambda f: kernel(f, **options)
    settings = {"cache": True, "error_model": "numpy", "nogil": True}
    return numba.njit(**{**settings, **options})(function)


def in_ranges(range_kernel: Callable, n: int, *arguments, chunk: int = 2000) -> list:
    """Call `range_kernel(first, last, *arguments)` over 0..n in a few threads; returns what the calls returned.

    Kernels release the GIL. Plain threads instead of `parallel=True`: the same speed, half the compile time.
    """
    threads = min(numba.get_num_threads(), 1 + n // chunk)
    if threads == 1:
        return [range_kernel(0, n, *arguments)]
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(range_kernel, a, min(n, a + chunk), *arguments) for a in range(0, n, chunk)]
        return [task.result() for task in tasks]
