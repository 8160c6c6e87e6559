"""Compile kernels: one decorator for the whole toolkit.

`kernel` is `numba.njit` with the options every kernel shares: cached on disk (beside the source where
that can be written, in the user's cache folder otherwise, or in `NUMBA_CACHE_DIR`), and IEEE
arithmetic instead of Python's zero-division check, so that a kernel also compiles for complex128.

Nothing is compiled, written or registered at import. The first call in a fresh installation compiles; while it
does, stderr says what it is at. `interstage warm` compiles all at once.

    @kernel
    def twice(x):
        return 2.0 * x

Three ways to run, with the same results:

- as a rule, with records and calls by address (`interstage.compiled`), for the versions of numba in `NUMBA_RANGE`;
- `INTERSTAGE_PLAIN=1`, or another version: plain numba, tuples of arrays instead of records. Slower to compile and
  to call, and edits in a called file are not seen by the cache on disk;
- `NUMBA_DISABLE_JIT=1`: nothing is compiled, for looking inside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba

from interstage.interrupts import dropped_interrupts_heard

NUMBA_RANGE = ("0.61", "0.69")  # from the first, below the second: what `interstage.compiled` is tested with


def _number(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _by_address() -> bool:
    """Return whether kernels may use `interstage.compiled`."""
    if numba.config.DISABLE_JIT or os.environ.get("INTERSTAGE_PLAIN", "0") not in ("", "0"):
        return False
    first, end = map(_number, NUMBA_RANGE)
    return first <= _number(numba.__version__) < end


COMPILER_FOLDER = Path(numba.__file__).parent
COMPILED = _by_address()  # records and calls by address are in use
if COMPILED:
    from interstage.compiled import KernelCompiler, keep_on_disk, whole_numbers


def kernel(function: Callable | None = None, **options: object) -> Callable:
    """Return `function` compiled on first use, cached on disk.

    Options go to `numba.njit` (`parallel=True`, `inline="always"`, ...). In kernels that are not of this package, which
    devices may call, an index beyond an array and a division of whole numbers by zero are errors, as in devices.
    """
    if function is None:
        return lambda f: kernel(f, **options)
    settings = {"cache": not COMPILED, "error_model": "numpy", "nogil": True}
    if COMPILED:
        settings |= {"pipeline_class": KernelCompiler, "no_cfunc_wrapper": True}
        if not function.__module__.startswith("interstage."):
            settings |= {"error_model": whole_numbers(), "boundscheck": True}
    made = numba.njit(**{**settings, **options})(function)
    if not numba.config.DISABLE_JIT:
        made.compile = dropped_interrupts_heard()(made.compile)
    if not COMPILED or not options.get("cache", True):
        return made
    return keep_on_disk(made)


def compiler_pages_wanted() -> bool:
    """Whether the pages that the compiler writes about an error are asked for (`NUMBA_FULL_TRACEBACKS=1`)."""
    return bool(getattr(numba.config, "FULL_TRACEBACKS", 0))


def compile_for(made: Callable, *arguments: object) -> None:
    """Compile a kernel for arguments of the same types as some, or load it from disk, without calling it."""
    made.compile(tuple(map(numba.typeof, arguments)))  # type: ignore[attr-defined]


def in_ranges(range_kernel: Callable, n: int, *arguments: object, chunk: int = 2000) -> list:
    """Call `range_kernel(first, last, *arguments)` over 0..n in a few threads; returns what the calls returned.

    Kernels release the GIL. Plain threads instead of `parallel=True`: the same speed, half the compile time.
    """
    threads = min(numba.get_num_threads(), 1 + n // chunk)
    if threads == 1:
        return [range_kernel(0, n, *arguments)]
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(range_kernel, a, min(n, a + chunk), *arguments) for a in range(0, n, chunk)]
        return [task.result() for task in tasks]
