"""Fly a batch on the GPU of this machine."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np

from interstage.batch.gpu.layout import Layout, lay_out
from interstage.batch.gpu.program import stages_of
from interstage.batch.kernels import Found
from interstage.batch.plan import BatchPlan, method_in
from interstage.batch.threads import empty_answer

MOST = 16  # programs that are kept for batches to come
WORTH = 1000  # samples below which a GPU is not asked: it would be slower than the cores

_made: dict[tuple[str, frozenset[str], bool], Callable] = {}


def obstacle(plan: BatchPlan) -> tuple[str, str]:
    """Say why a batch cannot fly on a GPU of this machine, and what would help; "" if it can."""
    if method_in(plan).implicit:
        return "linearly implicit steps are not flown on a GPU", "method='rk4'"
    if plan.system.tree.level_mass.size:
        return "vehicles with tanks are not flown on a GPU", "device='cpu'"
    if find_spec("numba_cuda") is None:
        return "batches on a GPU need numba-cuda", "pip install 'interstage[gpu]'"
    from numba import cuda

    return ("", "") if cuda.is_available() else ("this machine has no GPU that CUDA finds", "device='cpu'")


def fly_on_gpu(plan: BatchPlan) -> tuple[Found, np.ndarray]:
    """Fly all samples, one thread each; return what was found, and the bodies whose mass matrix was met indefinite."""
    from numba import cuda

    from interstage.batch.gpu.emit import BLOCK

    compiled, layout = _program(plan)
    found = empty_answer(plan)
    counts = np.array([plan.pace.steps, plan.pace.every, plan.pace.hold], dtype=np.int64)
    arrays = [
        layout.given,
        layout.whole,
        counts,
        plan.table,
        *found,
        np.zeros(int(plan.system.tree.sizes[0])),
    ]
    there = [cuda.to_device(_held(array)) for array in arrays]
    with few_samples():
        compiled[-(-plan.samples // BLOCK), BLOCK](*there, float(plan.pace.step))  # type: ignore[index]
    *back, indefinite = [array.copy_to_host() for array in there[4:]]
    return Found(*(new if old.size else old for new, old in zip(back, found))), indefinite != 0.0


@contextmanager
def few_samples() -> Iterator[None]:
    """Say nothing of a grid that leaves a GPU idle: there are as many samples as were asked for."""
    from numba.cuda.core.errors import NumbaPerformanceWarning

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Grid size .* under-utilization", NumbaPerformanceWarning)
        yield


def _program(plan: BatchPlan) -> tuple[Callable, Layout]:
    """Return the program of a plan, made once for all that differ in what is handed over alone, and its layout."""
    from numba import cuda

    from interstage.batch.gpu.emit import BLOCK, as_written, kernel_of, signature

    layout = lay_out(plan)
    key = layout.print(), stages_of(plan), method_in(plan).implicit
    if key not in _made:
        print(
            "interstage: compiling the program of a GPU (once for a vehicle) ...", file=sys.stderr, flush=True
        )
        while len(_made) >= MOST:
            del _made[next(iter(_made))]
        kernel, _ = kernel_of(plan, layout)
        with as_written():
            _made[key] = cuda.jit(signature(), launch_bounds=(BLOCK, 1))(kernel)
    return _made[key], layout


def _held(array: np.ndarray) -> np.ndarray:
    """Return an array that has at least one number: devices hold no empty ones."""
    return array if array.size else np.zeros([max(1, n) for n in array.shape], array.dtype)
