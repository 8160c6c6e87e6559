"""Rigid chains of Drake, Pinocchio and Exudyn, linearized by themselves: A, B in their coordinates, with the time.

Run as a script by an interpreter that has Drake, it reads [N, torques] and prints one line of JSON: Drake does not
share an environment with the other peers.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TURN = 0.3  # rad about x from link to link


def state(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the joint angles and rates of the comparison: at rest, for Exudyn's model holds at equilibria only."""
    return np.random.default_rng(0).normal(size=n), np.zeros(n)


def rotation_x(angle: float) -> np.ndarray:
    """Return the rotation matrix about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def drake_chain(n: int):
    """Return Drake's plant of n links on revolute joints about z, y, x in turn, with drives."""
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia, UnitInertia

    plant = MultibodyPlant(0.0)
    place = RigidTransform(RotationMatrix(rotation_x(TURN)), [1.0, 0.0, 0.0])
    com = np.array([0.5, 0.1, 0.0])
    G = UnitInertia(0.1, 0.2, 0.25).ShiftFromCenterOfMass(com)
    parent = plant.world_body()
    for i in range(n):
        body = plant.AddRigidBody(f"b{i}", SpatialInertia(1.0, com, G, True))
        axis = np.eye(3)[2 - i % 3]
        joint = plant.AddJoint(
            RevoluteJoint(f"j{i}", _frame(plant, parent, place, i), body.body_frame(), axis, 0.0)
        )
        plant.AddJointActuator(f"a{i}", joint)
        parent = body
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -9.81])
    plant.Finalize()
    return plant


def _frame(plant, parent, place, i):
    from pydrake.multibody.tree import FixedOffsetFrame

    return plant.AddFrame(FixedOffsetFrame(f"f{i}", parent.body_frame(), place))


def drake(n: int, tau: list[float]) -> dict:
    """Return time and A, B of Drake's linearization (automatic differentiation) with state as output."""
    from pydrake.systems.primitives import Linearize

    plant = drake_chain(n)
    context = plant.CreateDefaultContext()
    q, v = state(n)
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    plant.get_actuation_input_port().FixValue(context, np.array(tau))
    ports = plant.get_actuation_input_port().get_index(), plant.get_state_output_port().get_index()
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        model = Linearize(plant, context, *ports, equilibrium_check_tolerance=1e-6)
        best = min(best, time.process_time() - start)
    return {"seconds": best, "A": model.A().tolist(), "B": model.B().tolist()}


def drake_elsewhere(n: int, tau: np.ndarray) -> dict | None:
    """Run `drake` in an environment that has it: this one, .venv-peers, or the one INTERSTAGE_DRAKE_PYTHON names."""
    if importlib.util.find_spec("pydrake"):
        return drake(n, tau.tolist())
    peers = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"
    python = os.environ.get("INTERSTAGE_DRAKE_PYTHON") or (str(peers) if peers.exists() else None)
    if python is None:
        return None
    request = json.dumps([n, tau.tolist()])
    run = subprocess.run([python, __file__], input=request, capture_output=True, text=True, check=False)
    return json.loads(run.stdout.splitlines()[-1]) if run.returncode == 0 else None


def pinocchio(n: int, tau: np.ndarray) -> dict | None:
    """Return time and A of Pinocchio's analytic derivatives of forward dynamics, A only."""
    if importlib.util.find_spec("pinocchio") is None:
        return None
    import pinocchio as pin

    from benchmarks.multibody import pinocchio_chain

    model = pinocchio_chain(pin, n)
    data = model.createData()
    q, v = state(n)
    best = np.inf
    for _ in range(20):
        start = time.process_time()
        by_q, by_v, _ = pin.computeABADerivatives(model, data, q, v, tau)
        best = min(best, time.process_time() - start)
    return {"seconds": best, "A": np.block([[np.zeros((n, n)), np.eye(n)], [by_q, by_v]])}


def exudyn_chain(n: int):
    """Return Exudyn's system of the chain as one kinematic tree (minimal coordinates, no constraints)."""
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    q, v = state(n)
    zeros = [0.0] * n
    node = mbs.AddNode(
        NodeGenericODE2(
            referenceCoordinates=zeros,
            initialCoordinates=q.tolist(),
            initialCoordinates_t=v.tolist(),
            numberOfODE2Coordinates=n,
        )
    )
    kinds = (exu.JointType.RevoluteZ, exu.JointType.RevoluteY, exu.JointType.RevoluteX)
    mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[kinds[i % 3] for i in range(n)],
            linkParents=np.arange(-1, n - 1),
            jointTransformations=exu.Matrix3DList([rotation_x(TURN)] * n),
            jointOffsets=exu.Vector3DList([[1.0, 0.0, 0.0]] * n),
            linkInertiasCOM=exu.Matrix3DList([np.diag([0.1, 0.2, 0.25])] * n),
            linkCOMs=exu.Vector3DList([[0.5, 0.1, 0.0]] * n),
            linkMasses=[1.0] * n,
            baseOffset=[0.0, 0.0, 0.0],
            gravity=[0.0, 0.0, -9.81],
        )
    )
    mbs.Assemble()
    return container, mbs


def exudyn(n: int) -> dict | None:
    """Return time and M, K, D of Exudyn's linearization (numerical differences), and A of them."""
    if importlib.util.find_spec("exudyn") is None:
        return None
    container, mbs = exudyn_chain(n)
    best, found = np.inf, None
    for _ in range(3):
        start = time.process_time()
        M, K, D = mbs.ComputeLinearizedSystem()
        A = -np.linalg.solve(np.array(M), np.hstack([np.array(K), np.array(D)]))
        best = min(best, time.process_time() - start)
        found = A
    del container
    return {"seconds": best, "A": np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), found])}


if __name__ == "__main__":
    print(json.dumps(drake(*json.load(sys.stdin))))
