"""Compile the kernels of dynamics on a vehicle of two bodies, while the demo is busy with finite elements.

Run as a process of its own (`python -m interstage.demo.warm`): kernels land in numba's cache on disk, where the demo
finds them. With kernels compiled already it ends within seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


def compile_kernels() -> None:
    """Take a stick with a gimballed body through everything that the demo does."""
    from interstage.linear import JointForce, NodeRate, linearize
    from interstage.multibody import Free, Locked, Multibody, Universal
    from interstage.system import simulate

    mb = Multibody("warm-up")
    mb.add_body("core", component=_stick(), node=1, joint=Free(), damping=0.01)
    mb.add_body("engine", mass=1.0, com=[-0.2, 0, 0], inertia=[1.0, 1.0, 1.0], parent="core", at=3,
                joint=Universal(stiffness=50.0, damping=1.0))  # fmt: skip
    mb.add_body("payload", mass=1.0, inertia=[1.0, 1.0, 1.0], parent="core", at=2, joint=Locked())
    system = mb.compile()
    system.modes()
    x, thrust = system.state(), {("engine", None, "body"): [0, 0, 0, 1.0, 0, 0]}
    linearize(system, x, inputs=[JointForce("engine")], outputs=[NodeRate("core", 2)], forces=thrust)

    def law(t, x):
        ahead = system.rotation(x, "engine")[:, 0]
        return {"tau": np.zeros(system.nv), "forces": {"engine": np.r_[0, 0, 0, ahead]}}

    log = simulate(system, x, 0.02, 0.01, method="ros2", control=law, control_step=0.01)
    system.velocity(log.state(), "core", 3, frame="node")
    system.energies(log.state())
    system.mass_properties(log.state())


def _stick():
    """Return three nodes on springs as a component with all integrals."""
    from interstage.component import Component

    K, n = np.zeros((18, 18)), 6
    for a, b in ((0, 1), (1, 2)):
        arm = np.eye(6)
        arm[1, 5], arm[2, 4] = -1.0, 1.0  # node b as a rigid arm of length one from node a would move
        B = np.zeros((6, 18))
        B[:, n * a : n * a + n], B[:, n * b : n * b + n] = -np.linalg.inv(arm), np.eye(6)
        K += B.T @ (1.0e4 * np.eye(6)) @ B
    M = np.diag(np.tile([2.0, 2.0, 2.0, 0.3, 0.3, 0.3], 3))
    nodes = {1: [0.0, 0, 0], 2: [1.0, 0, 0], 3: [2.0, 0, 0]}
    return Component.from_matrices(K, M, nodes, n_modes=4, aset={1: 123456, 3: 123456}, name="stick")


@contextmanager
def warming() -> Iterator[subprocess.Popen | None]:
    """Compile in a second process meanwhile; nothing where there is one core only or no compiler is used."""
    if (os.cpu_count() or 1) < 2 or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        yield None
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "interstage.demo.warm"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    compile_kernels()
