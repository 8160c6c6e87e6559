"""`interstage warm` compiles once; what comes after it finds its kernels on disk."""

import json
import os
import subprocess
import sys

import pytest

from interstage.demo.warm import COMPILING, NAME_KERNELS
from interstage.jit import COMPILED

pytestmark = pytest.mark.skipif(
    not COMPILED, reason="kernels are not kept on disk by their sources in this job"
)

# what a newcomer does first, on vehicles that are not those of the command
SESSION = """
import interstage as ist
from interstage.fem import lumped_beam

K, M, nodes = lumped_beam(2.0, 4, EA=1e6, GJ=1e3, EI=1e3, mass=[0.5, 0.5, 0.5, 0.01, 0.01, 0.01])
beam = ist.Component.from_matrices(K, M, nodes, n_modes=6, aset={1: 123456}, name="beam")
flexible, rigid = (ist.Multibody(name, gravity=[0, 0, -9.81]) for name in ("flexible", "rigid"))
for i in range(2):
    place = {"parent": f"b{i - 1}" if i else None, "joint": ist.Revolute("y")}
    flexible.add_body(f"b{i}", component=beam, node=1, at=5 if i else [0, 0, 0], **place)
    rigid.add_body(f"b{i}", mass=1.0, inertia=[1.0, 1.0, 1.0], at=[1, 0, 0], **place)
for mb in (flexible, rigid):
    s = mb.compile()
    x = s.state()
    s.inverse_dynamics(x, s.forward_dynamics(x))
    s.mass_matrix(x)
    s.energies(x)
    ist.linearize(s, x, inputs=[ist.JointForce("b0")], outputs=[ist.JointAngle("b1")])
    for method in ("rk4", "dopri5", "ros2", "ros3"):
        ist.simulate(s, x, 0.002, 0.001, method=method)
"""


def kernels_named(command: list[str], **environment: str) -> list[str]:
    """Return the kernels that a process of Python compiles."""
    settings = {**os.environ, NAME_KERNELS: "1", **environment}
    run = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True, env=settings)
    return [line.removeprefix(COMPILING) for line in run.stderr.splitlines() if line.startswith(COMPILING)]


def warmed() -> dict:
    """Return what the command says: it flies, linearizes and solves in processes of its own."""
    command = [sys.executable, "-m", "interstage", "warm", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_warm_leaves_nothing_to_compile():
    first = warmed()
    assert set(first) == {"compiled", "seconds"} and first["seconds"] > 0.0
    assert warmed()["compiled"] == 0
    assert kernels_named(["-c", SESSION]) == []


def test_what_is_compiled_is_named(tmp_path):
    code = "from interstage.spatial.functions import matrix_from_rotvec as turn; turn([0.1, 0.2, 0.3])"
    cold = kernels_named(["-c", code], NUMBA_CACHE_DIR=str(tmp_path))
    assert cold == ["spatial rotvec to matrix (real)"]
    assert kernels_named(["-c", code], NUMBA_CACHE_DIR=str(tmp_path)) == []
