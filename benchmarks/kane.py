"""Measure Kane's dense equations: cost beside the recursive engine as bodies grow, and batches in jax.

    python -m benchmarks kane

Chains of bodies on revolute joints, rigid and flexible (4 modes a beam, order 2). Times are of the processor, best of
several; Kane in numpy is called from Python, so that small chains show the cost of its calls, large ones that of
dense matrices (nv² in memory, nv³ to solve). All libraries at one thread; batches are held to one core.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from functools import partial

import numpy as np

from benchmarks import multibody

BODIES = (2, 4, 8, 16, 32, 64)
BATCHES = (1, 32, 256)
MODES = 4


best = partial(multibody.best, clock=time.process_time)  # jax computes in threads of its own


def chain(n: int, flexible: bool):
    """Return the description of a chain of n bodies."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("chain", gravity=[0.0, 0.0, -9.81])
    component, tip = _beam() if flexible else (None, None)
    for i in range(n):
        place = {"joint": Revolute("zyx"[i % 3])}
        if i:
            place |= {"parent": f"b{i - 1}", "at": tip if flexible else [1.0, 0.0, 0.0]}
        if flexible:
            mb.add_body(f"b{i}", component=component, node=1, order=2, **place)
        else:
            mb.add_body(f"b{i}", mass=1.0, com=[0.5, 0.1, 0.0], inertia=[0.1, 0.2, 0.25], **place)
    return mb


def _beam():
    from benchmarks.multibody import beam

    return beam(MODES, n_elements=8)


def _state(system, seed: int = 0):
    x, rng = system.state(), np.random.default_rng(seed)
    x.q[:], x.v[:] = 1e-3 * rng.normal(size=system.nq), rng.normal(size=system.nv)
    return x


def growth(bodies: tuple[int, ...] = BODIES) -> None:
    """Print the time of one right-hand side against the number of bodies."""
    from interstage.kane import Kane

    for flexible in (False, True):
        kind = f"flexible bodies of {MODES} modes" if flexible else "rigid bodies"
        print(f"Accelerations of chains of {kind}, microseconds a call")
        print("     N    nv   recursive   Kane, numpy    ratio   of it: solving")
        found = {}
        for n in bodies:
            mb = chain(n, flexible)
            system = mb.compile()
            kane, x = Kane(mb, like=system), _state(system)
            M, f = kane.equations(x.q, x.v)
            ours = best(lambda: system.forward_dynamics(x))  # noqa: B023
            dense = best(lambda: kane.accelerations(x.q, x.v))  # noqa: B023
            solving = best(lambda: np.linalg.solve(M, f))  # noqa: B023
            found[n] = ours, dense
            print(
                f"{n:6d}{system.nv:6d}{ours:12.1f}{dense:14.0f}{dense / ours:9.0f}{solving / dense:12.0%}",
                flush=True,
            )
        low, high = sorted(found)[-2:]
        exponents = [np.log(found[high][k] / found[low][k]) / np.log(high / low) for k in (0, 1)]
        print(
            f"  exponent in bodies, {low} to {high}: recursive {exponents[0]:.2f}, Kane {exponents[1]:.2f}\n"
        )


def throughput() -> None:
    """Print states a second of batches in jax on one core, and of one call after another in the engine."""
    if importlib.util.find_spec("jax") is None:
        print("jax is not installed: no batches (pip install 'interstage[batch]')")
        return
    answer = _alone("batches")
    print("Accelerations a second on one core: Kane in jax (jit and vmap) by size of the batch")
    print(
        f"{'vehicle':32}{'compile, s':>12}"
        + "".join(f"{f'{b} a batch':>15}" for b in BATCHES)
        + "   recursive"
    )
    for name, compile_s, rates, recursive in json.loads(answer.splitlines()[-1]):
        row = "".join(f"{rate:15.0f}" for rate in rates)
        print(f"{name:32}{compile_s:12.1f}{row}{recursive:12.0f}")


def _alone(name: str) -> str:
    """Return what a function of this module prints in a process of its own, all libraries at one thread."""
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    environment = {**os.environ, "XLA_FLAGS": flags}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    code = f"from benchmarks.kane import {name}; {name}()"
    run = [sys.executable, "-c", code]
    return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout


def batches() -> None:
    """Measure batches in this process and print one line of JSON."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import jax

    from interstage.kane import Kane

    jax.config.update("jax_enable_x64", True)
    out = []
    for n, flexible in ((8, False), (4, True)):
        mb = chain(n, flexible)
        system = mb.compile()
        x, kane = _state(system), Kane(mb, like=system, xp=jax.numpy)
        run, rates, compile_s = jax.jit(jax.vmap(kane.accelerations)), [], []
        for size in BATCHES:
            q, v = (jax.numpy.asarray(np.tile(part, (size, 1))) for part in (x.q, x.v))
            begin = time.process_time()
            run(q, v).block_until_ready()
            compile_s.append(time.process_time() - begin)
            rates.append(1e6 * size / best(lambda: run(q, v).block_until_ready()))  # noqa: B023
        name = f"{n} beams of {MODES} modes" if flexible else f"{n} rigid bodies"
        recursive = 1e6 / best(lambda: system.forward_dynamics(x))  # noqa: B023
        out.append((f"{name}, nv {system.nv}", max(compile_s), rates, recursive))
    print(json.dumps(out))


def main(argv: list[str] | None = None) -> None:
    """Run both parts."""
    print(_alone("growth"), end="")
    throughput()


if __name__ == "__main__":
    main()
