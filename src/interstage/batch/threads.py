"""Fly a batch on this machine's cores: samples in threads, each with scratch of its own (kernels release the GIL)."""

from __future__ import annotations

import functools
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np

from interstage.batch.kernels import Flyers, Found
from interstage.batch.numbers import with_numbers
from interstage.batch.plan import BatchPlan, method_in
from interstage.jit import COMPILED
from interstage.multibody.kernel_interface import KernelInterface
from interstage.simulation.run.integrators import CompiledMethod
from interstage.simulation.run.integrators.step_kernels import Scratch, explicit_step, w_step

PORTION = 64  # samples that a thread takes at a time at most


@functools.cache
def flyers(implicit: bool) -> Flyers:
    """Return what flies samples by methods of one family."""
    return Flyers(w_step if implicit else explicit_step)


def empty_answer(plan: BatchPlan) -> Found:
    """Return room for what is found."""
    B, rows = plan.samples, len(plan.pace.times)
    return Found(
        np.full((len(plan.histories), rows, B), np.nan),
        np.full((len(plan.reduced), B), np.nan),
        np.zeros(B),
        np.zeros(B, dtype=np.int64),
        np.full(B, -1, dtype=np.int64),
    )


def step_scratch(method: CompiledMethod, n: int, nv: int) -> Scratch:
    """Return the scratch of a step."""
    return Scratch(np.zeros((method.slopes, n)), np.zeros(n), np.zeros(n), np.zeros(nv), np.zeros(1))


class Worker:
    """One thread's copy of all that a sample changes: its numbers, and an engine on a vehicle that has them."""

    def __init__(self, plan: BatchPlan, found: Found):
        system, pace = plan.system, plan.pace
        self.own = plan.own.base.copy()
        views = plan.own.views(self.own)
        settings = system.settings.copy()
        if "body_inertia" in views:
            settings.body_inertia = views["body_inertia"]
        self.engine = KernelInterface(with_numbers(system.tree, views), settings)
        self.lent = self.engine.take(np.dtype(np.float64))
        self.flyers = flyers(method_in(plan).implicit)
        n, nv = system.nq + system.nv, system.nv
        load = views["calm"].copy()
        acts = plan.acts_arrays(load, views["scale"])
        self.counts = np.array([pace.steps, pace.every, pace.hold], dtype=np.int64)
        self.arguments = (
            method_in(plan).data(False),
            acts,
            views["calm"],
            load,
            plan.law_arrays(views),
            plan.stop_arrays(),
            plan.keep_arrays(),
            self.counts,
            float(pace.step),
            views["y"],
            step_scratch(method_in(plan), n, nv),
            found,
            self.own,
            plan.patches,
            plan.table,
        )

    def fly(self, span: np.ndarray) -> None:
        """Fly the samples span[0] to span[1]."""
        if COMPILED:
            self.flyers.entered(self.lent.ready(self.flyers.entered), *self.arguments, span)
        else:
            self.flyers.plain(self.lent.tree, self.lent.work, *self.arguments, span)

    def indefinite(self) -> np.ndarray:
        """Return the bodies (N,) whose mass matrix was found indefinite."""
        self.engine.gather(self.lent)
        return self.engine.indefinite


def fly_in_threads(plan: BatchPlan, threads: int | None) -> tuple[Found, np.ndarray]:
    """Fly all samples; return what was found, and the bodies (N,) whose mass matrix was met indefinite."""
    found = empty_answer(plan)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max(1, min(threads, plan.samples))
    portion = max(1, min(PORTION, plan.samples // (4 * threads)))
    workers = [Worker(plan, found)]
    spans = [np.array([a, min(plan.samples, a + portion)]) for a in range(0, plan.samples, portion)]
    spans.reverse()
    first, lock = spans.pop(), Lock()
    workers[0].fly(first)  # compiles, where it must, once
    workers += [Worker(plan, found) for _ in range(min(threads, len(spans)) - 1)]

    def work(worker: Worker) -> None:
        while True:
            with lock:
                if not spans:
                    return
                span = spans.pop()
            worker.fly(span)

    if len(workers) == 1:
        work(workers[0])
    else:
        with ThreadPoolExecutor(len(workers)) as pool:
            for task in [pool.submit(work, worker) for worker in workers]:
                task.result()
    return found, np.any([worker.indefinite() for worker in workers], axis=0)
