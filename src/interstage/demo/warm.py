"""Compile kernels ahead of their first use: all of dynamics, and those of the demo's finite elements.

Run as processes of their own (`python -m interstage.demo.warm TASK ...`): kernels land in the cache on disk, where
others find them. With kernels compiled already they end within seconds. `interstage warm` runs two side by side.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError

if TYPE_CHECKING:
    from interstage.multibody import System

NAME_KERNELS = (
    "INTERSTAGE_NAME_KERNELS"  # variable of the environment: every kernel that is compiled is named
)
COMPILING = "interstage:   "  # before the name


def compile_stages(dtype: type) -> None:
    """Compile every stage of the multibody kernels for a number type, whichever vehicle needs it."""
    from interstage.jit import COMPILED
    from interstage.multibody.kernel_interface import DOORS

    if COMPILED:
        from interstage.compiled import stages_of
        from interstage.multibody.kernel_interface import QUICK

        doors = [door for door, _ in DOORS.values()]
        if dtype is float:  # no other numbers pass through these
            doors += QUICK.values()
        for door in doors:
            for stage in stages_of(door):
                stage.compile(np.dtype(dtype))


def _vehicle() -> System:
    """Return a stick with a gimballed body and a payload."""
    from interstage.multibody import Free, Locked, Multibody, Universal

    mb = Multibody("warm-up")
    mb.add_body("core", component=_stick(), node=1, joint=Free(), damping=0.01)
    mb.add_body("engine", mass=1.0, com=[-0.2, 0, 0], inertia=[1.0, 1.0, 1.0], parent="core", at=3,
                joint=Universal(stiffness=50.0, damping=1.0))  # fmt: skip
    mb.add_body("payload", mass=1.0, inertia=[1.0, 1.0, 1.0], parent="core", at=2, joint=Locked())
    return mb.compile()


def compile_linear() -> None:
    """Linearize a vehicle."""
    from interstage.linear import JointForce, NodeRate, linearize

    system = _vehicle()
    thrust = {("engine", None, "body"): [0, 0, 0, 1.0, 0, 0]}
    linearize(
        system, system.state(), inputs=[JointForce("engine")], outputs=[NodeRate("core", 2)], forces=thrust
    )


def compile_flight(methods: Sequence[str] = ("ros2",)) -> None:
    """Fly a vehicle with a control law by some methods, and ask what can be asked of a state."""
    from interstage.simulation import simulate

    system = _vehicle()
    system.modes()
    x = system.state()

    def law(t, x):
        ahead = system.rotation(x, "engine")[:, 0]
        return {"tau": np.zeros(system.nv), "forces": {"engine": np.r_[0, 0, 0, ahead]}}

    for method in methods:
        log = simulate(system, x, 0.02, 0.01, method=method, control=law, control_step=0.01)
    system.velocity(log.state(), "core", 3, frame="node")
    system.energies(log.state())
    system.mass_properties(log.state())
    system.inverse_dynamics(x, np.zeros(system.nv))
    system.mass_matrix(x)


def compile_assembly() -> None:
    """Fly a vehicle with a device."""
    from interstage.devices import Encoder
    from interstage.multibody import Multibody, Revolute
    from interstage.simulation import Assembly, simulate
    from interstage.spatial import Rotation

    mb = Multibody("warm-up")
    turned = Rotation.from_axis_angle([1, 0, 0], 0.1).matrix
    mb.add_body("arm", mass=1.0, inertia=[1.0, 1.0, 1.0], joint=Revolute("z"), rotation=turned)
    system = mb.compile()
    flight = Assembly("warm-up", vehicle=system).add("encoder", Encoder(joint="arm"), every="10 ms")
    simulate(flight, system.state(), until=0.02, step=0.01)


def compile_burning() -> None:
    """Fly a burning vehicle."""
    from interstage.fem import lumped_beam
    from interstage.staged_vehicle import Stage, StagedVehicle, simulate_free_flight

    K, M, nodes = lumped_beam(3.0, 3, EA=1e4, GJ=1e4, EI=1e4, mass=[1.0] * 6)
    stage = Stage("warm-up", K=K, M=M, nodes=nodes)
    stage.add_tank("tank", levels={0.0: 0 * M, 4.0: M})
    vehicle = StagedVehicle("warm-up")
    vehicle.add(stage)
    simulate_free_flight(
        vehicle.shapes(n_modes=2, levels=2), until=0.02, step=0.01, flow={"tank": 1.0}
    ).momentum()


def compile_elements() -> None:
    """Take the demo's launch vehicle from its deck to modes and a component."""
    from interstage.demo.heron_deck import write_heron_deck
    from interstage.demo.vehicle import core_component
    from interstage.fem import FEModel, normal_modes
    from interstage.nastran import read_deck

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "heron.bdf"
        write_heron_deck(path)
        deck = read_deck(path)
        normal_modes(FEModel.from_deck(deck), n_modes=8)
        core_component(deck, 4)


def compile_real() -> None:
    """Compile dynamics of real numbers."""
    compile_stages(float)
    compile_flight(("rk4", "dopri5", "ros2", "ros3"))
    compile_assembly()
    compile_burning()


def compile_complex() -> None:
    """Compile dynamics of complex numbers, which linear models need, and finite elements."""
    compile_stages(complex)
    compile_linear()
    compile_elements()


TASKS = {"real": compile_real, "complex": compile_complex}


def _start(tasks: Sequence[str], stdout: int, stderr: int) -> subprocess.Popen:
    command, named = [sys.executable, "-m", "interstage.demo.warm", *tasks], {**os.environ, NAME_KERNELS: "1"}
    return subprocess.Popen(
        command, stdout=stdout, stderr=stderr, env=named, encoding="utf-8", errors="replace"
    )


def warm(said: Callable[[str], None]) -> None:
    """Compile all kernels in two processes side by side; `said` is called with each of their lines."""
    running = [_start([task], subprocess.DEVNULL, subprocess.PIPE) for task in ("real", "complex")]
    words: list[list[str]] = [[] for _ in running]

    def read(process: subprocess.Popen, lines: list[str]) -> None:
        for line in process.stderr or ():
            lines.append(line)
            said(line.rstrip())

    threads = [threading.Thread(target=read, args=pair) for pair in zip(running, words)]
    for thread in threads:
        thread.start()
    for thread, process, lines in zip(threads, running, words):
        thread.join()
        if process.wait() != 0:
            raise SolverError(
                "kernels could not be compiled", where="interstage warm", got="".join(lines[-20:])
            )


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


if __name__ == "__main__":
    for name in sys.argv[1:]:
        TASKS[name]()
