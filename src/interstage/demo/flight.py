"""What Heron does in flight: thrust, trim, a linear model, and the response to a gimbal doublet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import expm

from interstage.demo import heron
from interstage.demo.vehicle import CORE
from interstage.linear import JointAngle, JointForce, LinearModel, NodeRate, linearize, trim
from interstage.multibody import System
from interstage.simulation import simulate

FORWARD, AFT, GIMBAL = "forward gyro", "aft gyro", "gimbal angle"
COMMAND = "gimbal command"
DOUBLET_DEG, DOUBLET_START, DOUBLET_WIDTH = 1.0, 1.0, 1.0  # up for a second, down for a second
EDGE = 0.2  # s from one level to the next, as hydraulic actuators do it
STEP, LOG, SAMPLE = 1.0e-3, 1.0e-2, 5.0e-3  # s: integration, log, hold of the linear model
THRUST = np.array([0.0, 0.0, 0.0, heron.THRUST, 0.0, 0.0])  # [t; f] along the engine's own axis


def doublet(t: np.ndarray | float) -> np.ndarray | float:
    """Return the commanded gimbal angle, rad: up one degree for a second, then down, with smooth edges."""
    t = np.asarray(t, dtype=float)

    def edge(at: float) -> np.ndarray:
        part = np.clip((t - at) / EDGE, 0.0, 1.0)
        return 0.5 - 0.5 * np.cos(np.pi * part)

    start, middle, end = (DOUBLET_START + k * DOUBLET_WIDTH for k in range(3))
    return np.deg2rad(DOUBLET_DEG) * (edge(start) - 2.0 * edge(middle) + edge(end))


def trimmed(system: System) -> Any:
    """Return the steady state under full thrust: nothing vibrates, the vehicle accelerates ahead and does not turn.

    Besides modes and gimbal angles the actuators' pitch torques are unknown, so that thrust can be pointed through the
    centre of mass, which lies beside the axis; all engines get the same angle.
    """
    first, *others = heron.ENGINES

    def same_angle(name: str):
        return lambda system, x, vdot: x[name].q[0] - x[first].q[0]

    return trim(
        system,
        system.state(),
        forces={(name, None, "body"): THRUST for name in heron.ENGINES},
        unknowns=[f"{CORE}.eta", *heron.ENGINES, *(("force", f"{name}.angle1") for name in heron.ENGINES)],
        residuals=[f"{CORE}.eta", *heron.ENGINES, f"{CORE}.wy", *map(same_angle, others)],
    )


def linear_model(system: System, x0: Any) -> LinearModel:
    """Linearize about the trim: actuator torques in, gyro rates and an engine's angle out."""
    return linearize(
        system,
        x0,
        inputs=[JointForce(name, "angle1", name=f"{name} pitch torque") for name in heron.ENGINES],
        outputs=[
            NodeRate(CORE, heron.FORWARD_GYRO, "y", name=FORWARD),
            NodeRate(CORE, heron.AFT_GYRO, "y", name=AFT),
            JointAngle(heron.ENGINES[0], "angle1", name=GIMBAL),
        ],
        name="Heron about trim",
    )


def commanded(lin: LinearModel) -> LinearModel:
    """Return the model with one input, the pitch gimbal angle commanded of all engines: torque = k × angle."""
    gain = heron.actuator_stiffness() * np.ones((len(heron.ENGINES), 1))
    return LinearModel(
        lin.A, lin.B @ gain, lin.C, lin.D @ gain, lin.states, [COMMAND], lin.outputs, name=lin.name
    )


@dataclass
class Flight:
    """Time histories of the doublet: nonlinear vehicle and linear model at the same times t (m,)."""

    log: Any
    command_deg: np.ndarray
    gimbal_deg: np.ndarray
    pitch_deg: np.ndarray
    forward_deg_s: np.ndarray
    aft_deg_s: np.ndarray
    nose_mm: np.ndarray
    strain_kj: np.ndarray
    linear_deg_s: np.ndarray

    @property
    def t(self) -> np.ndarray:
        """Times."""
        return self.log.t


def fly(system: System, x0: Any, lin: LinearModel, seconds: float = 20.0) -> Flight:
    """Run the nonlinear vehicle from its trim through a gimbal doublet."""
    pitch = [system.layout[name].v.start for name in heron.ENGINES]
    stiffness = heron.actuator_stiffness()

    def torque(t: float) -> np.ndarray:
        tau = x0.loads.tau.copy()
        tau[pitch] += stiffness * float(doublet(t))
        return tau

    thrust = {name: [0.0, 0.0, 0.0, heron.THRUST, 0.0, 0.0] for name in heron.ENGINES}
    start = system.state(x0.q, x0.v)
    log = simulate(
        system, start, seconds, STEP, method="ros2", tau=torque, forces=thrust, frame="body", log_step=LOG
    )
    return _histories(system, log, lin)


def _histories(system: System, log: Any, lin: LinearModel) -> Flight:
    core, engine = log[CORE], log[heron.ENGINES[0]]
    flex = system.flexible(CORE)
    tip = flex.gamma[int(np.searchsorted(flex.node_ids, heron.TIP_GRID))]
    aft = [system.velocity(log.state(k), CORE, heron.AFT_GYRO, frame="node")[1] for k in range(len(log))]
    w, x, y, z = core.quaternion.T
    return Flight(
        log=log,
        command_deg=np.rad2deg(doublet(log.t)),
        gimbal_deg=np.rad2deg(engine.q[:, 0] - engine.q[0, 0]),
        pitch_deg=np.rad2deg(np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))),
        forward_deg_s=np.rad2deg(core.v[:, 1]),
        aft_deg_s=np.rad2deg(np.array(aft)),
        nose_mm=1e3 * (core.eta @ tip[2] - core.eta[0] @ tip[2]),
        strain_kj=1e-3 * (log.strain - log.strain[0]),
        linear_deg_s=np.rad2deg(linear_response(lin, log.t)),
    )


def linear_response(lin: LinearModel, t: np.ndarray) -> np.ndarray:
    """Return the forward gyro (m,) of the linear model to the doublet, held over samples: x⁺ = e^{Ah} x + Γu."""
    model = commanded(lin)
    n, every = model.n_states, round((t[1] - t[0]) / SAMPLE)
    block = np.zeros((n + 1, n + 1))
    block[:n, :n], block[:n, n:] = model.A, model.B
    step = expm(SAMPLE * block)
    row = model.outputs.index(FORWARD)
    out, x = np.empty(len(t)), np.zeros(n)
    for k in range(len(t)):
        u = doublet(t[k] + SAMPLE * np.arange(every))
        out[k] = model.C[row] @ x + model.D[row, 0] * u[0]
        for command in u:
            x = step[:n, :n] @ x + step[:n, n] * command
    return out
