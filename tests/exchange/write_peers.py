"""Write what Pinocchio and MuJoCo compute of the files in `robots`, for the tests to compare with.

    python tests/exchange/write_peers.py        in an environment with `pin` and `mujoco`

Coordinates, velocities and forces are those of the peers, joint by joint; what they mean is known to the tests.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "robots"
STATES = 3


def of_pinocchio(path: Path) -> dict:
    """Mass matrix and acceleration at random states; damping of the file is a force of ours, pin leaves it out."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(path))
    model.gravity.linear[:] = [0.3, -0.2, -9.7]
    data, rng = model.createData(), np.random.default_rng(1)
    joints = [
        {
            "name": model.names[k],
            "kind": model.joints[k].shortname(),
            "q": [j.idx_q, j.nq],
            "v": [j.idx_v, j.nv],
        }
        for k, j in enumerate(model.joints)
        if k
    ]
    states = []
    for _ in range(STATES):
        q = pinocchio.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
        a = pinocchio.aba(model, data, q, v, tau - damping(model) * v)
        M = pinocchio.crba(model, data, q)
        states.append(told(q, v, tau, np.triu(M) + np.triu(M, 1).T, a))
    return {"peer": f"Pinocchio {pinocchio.__version__}", "joints": joints, "states": states}


def damping(model) -> np.ndarray:
    found = np.zeros(model.nv)
    for name, value in {"waist": 0.3, "slide": 2.5}.items():
        found[model.joints[model.getJointId(name)].idx_v] = value
    return found


def of_mujoco(path: Path) -> dict:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    kinds = {0: ("free", 7, 6), 1: ("ball", 4, 3), 2: ("slide", 1, 1), 3: ("hinge", 1, 1)}
    joints = []
    for k in range(model.njnt):
        kind, nq, nv = kinds[int(model.jnt_type[k])]
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k)
        places = {"q": [int(model.jnt_qposadr[k]), nq], "v": [int(model.jnt_dofadr[k]), nv]}
        joints.append({"name": name or f"body{model.jnt_bodyid[k]}", "kind": kind, **places})
    states = []
    for _ in range(STATES):
        data.qpos[:] = rng.normal(size=model.nq)
        mujoco.mj_normalizeQuat(model, data.qpos)
        data.qvel[:], tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
        data.qfrc_applied[:] = tau
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        assert data.nefc == 0
        states.append(told(data.qpos, data.qvel, tau, M, data.qacc))
    start = model.qpos0.tolist()
    return {"peer": f"MuJoCo {mujoco.__version__}", "joints": joints, "states": states, "start": start}


def told(q, v, tau, M, a) -> dict:
    return {"q": list(q), "v": list(v), "tau": list(tau), "M": np.asarray(M).tolist(), "a": list(a)}


if __name__ == "__main__":
    for name, of in {"arm.urdf": of_pinocchio, "crane.xml": of_mujoco}.items():
        text = json.dumps(of(FOLDER / name), separators=(",", ":"))
        (FOLDER / f"{name}.json").write_text(text + "\n")
        print(name, len(text))
