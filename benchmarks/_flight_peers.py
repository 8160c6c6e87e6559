"""The problems of `flights` for Basilisk, Drake and MuJoCo: `python _flight_peers.py TOOL PROBLEM SIZE SECONDS LAW`.

It runs in the peers' environment, needs numpy and the tool alone, and prints one JSON object: microseconds of the
processor a step (best of several), state at the end, version. Data are those that `flights` takes too.

RK4 at 0.01 s (Drake has none: RK3).

    spacecraft   point-mass gravity, three wheels, torque = -K σ - P ω at 10 Hz by modified Rodrigues parameters, log at
                 1 Hz; LAW 0: compiled modules where the tool has them (Basilisk), 1: in Python
    panels       two wings of SIZE hinged panels
    law          the spacecraft with a law in Python that does nothing (LAW 1), or without one (0)

Basilisk has gravity at every stage. MuJoCo and Drake have none of a point; they hold it for 0.1 s at its value in
the middle, which is the same to a few nanometres a second squared.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

STEP, FRAME = 0.01, 0.1
MU = 3.986004415e14
MASS, INERTIA = 750.0, np.array([900.0, 800.0, 600.0])  # of all, wheels included
WHEEL_MASS, WHEEL, ACROSS = 9.0, 0.159, 0.1  # kg; kg m² about and across the spin axis
GAIN, DAMPING = 3.5, 30.0  # N m, N m s
POSITION, VELOCITY = np.array([7.0e6, 0.0, 0.0]), np.array([0.0, 5340.0, 5336.0])
SIGMA, RATE = np.array([0.1, 0.2, -0.3]), np.array([0.001, -0.01, 0.03])
SPEEDS = np.array([10.0, 20.0, 30.0])  # rad/s

HUB_MASS, HUB_INERTIA = 500.0, np.array([500.0, 400.0, 600.0])
PANEL_MASS, PANEL_INERTIA, HALF = 4.0, np.array([1.5, 0.6, 2.0]), 0.5  # in axes along, hinge, normal
STIFFNESS, FRICTION, ROOT, BENT = 60.0, 1.0, 1.0, 0.02  # N m/rad, N m s/rad, m, rad
SIDES = (1, -1)
NOTHING = np.zeros(9)
HUB_RATE = np.array([0.02, -0.03, 0.05])


def quaternion(sigma: np.ndarray) -> np.ndarray:
    """Return [w, x, y, z] of modified Rodrigues parameters."""
    s = sigma @ sigma
    return np.array([1.0 - s, *(2.0 * sigma)]) / (1.0 + s)


def law(q: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the torque on the body (3,) from attitude [w, x, y, z] and body rate."""
    q = -q if q[0] < 0.0 else q
    return -GAIN * q[1:] / (1.0 + q[0]) - DAMPING * rate


def gravity(r: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the acceleration of a point mass half a frame ahead."""
    r = r + 0.5 * FRAME * v
    return -MU * r / (r @ r) ** 1.5


def turned(q: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return a in world axes."""
    t = 2.0 * np.cross(q[1:], a)
    return a + q[0] * t + np.cross(q[1:], t)


# MuJoCo -------------------------------------------------------------------------------------------------


def mujoco_model(problem: str, size: int):
    import mujoco

    def body(name, at, mass, inertia, inner):
        words = " ".join(map(str, inertia))
        place = f'<inertial pos="{inner[0]}" mass="{mass}" diaginertia="{words}"/>'
        return f'<body name="{name}" pos="{at}">{place}{inner[1]}'

    head = f'<mujoco><option timestep="{STEP}" integrator="RK4" gravity="0 0 0"><flag contact="disable"/></option>'
    if problem == "spacecraft":
        rest = MASS - 3 * WHEEL_MASS, INERTIA - WHEEL - 2 * ACROSS
        text = body("hub", "0 0 0", *rest, ("0 0 0", "<freejoint/>"))
        for k, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
            inertia = [WHEEL if i == k else ACROSS for i in range(3)]
            text += (
                body(f"w{k}", "0 0 0", WHEEL_MASS, inertia, ("0 0 0", f'<joint axis="{axis}"/>')) + "</body>"
            )
        text += "</body>"
    else:
        text = body("hub", "0 0 0", HUB_MASS, HUB_INERTIA, ("0 0 0", "<freejoint/>"))
        hinge = f'<joint axis="0 1 0" stiffness="{STIFFNESS}" damping="{FRICTION}"/>'
        for side in SIDES:
            for k in range(size):
                at = f"{side * (2 * HALF if k else ROOT)} 0 0"
                text += body(f"p{side}{k}", at, PANEL_MASS, PANEL_INERTIA, (f"{side * HALF} 0 0", hinge))
            text += "</body>" * size
        text += "</body>"
    return mujoco, mujoco.MjModel.from_xml_string(f"{head}<worldbody>{text}</worldbody></mujoco>")


def mujoco_run(problem: str, size: int, seconds: float, python_law: bool):
    mujoco, model = mujoco_model(problem, size)
    data = mujoco.MjData(model)
    frames, each = round(seconds / FRAME), round(FRAME / STEP)
    if problem == "panels":
        data.qpos[7:], data.qvel[3:6] = BENT, HUB_RATE
        start = time.process_time()
        mujoco.mj_step(model, data, nstep=frames * each)
        spent = time.process_time() - start
        return spent, _panels_end(data.qpos[3:7], data.qvel[3:6], data.qpos[7:])
    data.qpos[:3], data.qpos[3:7], data.qvel[:3], data.qvel[3:6] = POSITION, quaternion(SIGMA), VELOCITY, RATE
    data.qvel[6:] = SPEEDS
    qpos, qvel, push, rows = data.qpos, data.qvel, data.qfrc_applied, []
    start = time.process_time()
    for frame in range(frames):
        if frame % 10 == 0:
            rows.append((qpos.copy(), qvel.copy()))
        torque = law(qpos[3:7], qvel[3:6]) if python_law else np.zeros(3)
        push[6:] = -torque
        push[:3] = MASS * gravity(qpos[:3], qvel[:3])
        mujoco.mj_step(model, data, nstep=each)
    spent = time.process_time() - start
    return spent, [*qpos[:3], *qvel[:3], *np.copysign(1, qpos[3]) * qpos[3:7], *qvel[3:6], *qvel[6:]]


def _panels_end(q, rate, angles) -> list[float]:
    n = len(angles) // 2
    return [*np.copysign(1.0, q[0]) * np.asarray(q), *rate, angles[n - 1], angles[-1]]


# Drake --------------------------------------------------------------------------------------------------


def drake_plant(problem: str, size: int):
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import (
        FixedOffsetFrame,
        RevoluteJoint,
        RevoluteSpring,
        RotationalInertia,
        SpatialInertia,
    )

    def spatial(mass, com, inertia):
        made = RotationalInertia(*map(float, inertia))
        return SpatialInertia.MakeFromCentralInertia(mass, np.array(com, float), made)

    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    if problem != "panels":
        hub = plant.AddRigidBody(
            "hub", spatial(MASS - 3 * WHEEL_MASS, [0, 0, 0], INERTIA - WHEEL - 2 * ACROSS)
        )
        for k in range(3):
            inertia = [WHEEL if i == k else ACROSS for i in range(3)]
            wheel = plant.AddRigidBody(f"w{k}", spatial(WHEEL_MASS, [0, 0, 0], inertia))
            plant.AddJoint(RevoluteJoint(f"j{k}", hub.body_frame(), wheel.body_frame(), np.eye(3)[k]))
    else:
        hub = plant.AddRigidBody("hub", spatial(HUB_MASS, [0, 0, 0], HUB_INERTIA))
        for side in SIDES:
            parent = hub
            for k in range(size):
                panel = plant.AddRigidBody(
                    f"p{side}{k}", spatial(PANEL_MASS, [side * HALF, 0, 0], PANEL_INERTIA)
                )
                at = RigidTransform([side * (2 * HALF if k else ROOT), 0, 0])
                frame = plant.AddFrame(FixedOffsetFrame(f"f{side}{k}", parent.body_frame(), at))
                joint = RevoluteJoint(f"j{side}{k}", frame, panel.body_frame(), [0, 1, 0], damping=FRICTION)
                plant.AddForceElement(RevoluteSpring(plant.AddJoint(joint), 0.0, STIFFNESS))
                parent = panel
    plant.Finalize()
    return plant


def drake_run(problem: str, size: int, seconds: float, python_law: bool):
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
    from pydrake.systems.framework import BasicVector, DiagramBuilder, EventStatus, LeafSystem
    from pydrake.systems.primitives import LogVectorOutput

    builder = DiagramBuilder()
    plant = builder.AddSystem(drake_plant(problem, size))

    class Software(LeafSystem):
        def __init__(self):
            super().__init__()
            self.input = self.DeclareVectorInputPort("x", BasicVector(plant.num_multibody_states()))
            index = self.DeclareDiscreteState(plant.num_velocities())
            self.DeclareStateOutputPort("u", index)
            self.DeclareInitializationDiscreteUpdateEvent(self.update)
            self.DeclarePeriodicDiscreteUpdateEvent(FRAME, FRAME, self.update)

        def update(self, context, discrete):
            x = self.input.Eval(context)
            q, r, w, v = x[:4], x[4:7], x[10:13], x[13:16]
            if problem == "law":
                discrete.set_value(NOTHING)
                return EventStatus.Succeeded()
            u = np.zeros(9)
            u[3:6] = MASS * gravity(r, v)
            if python_law:
                back = np.array([q[0], -q[1], -q[2], -q[3]])
                u[6:] = -law(q, turned(back, w))
            discrete.set_value(u)
            return EventStatus.Succeeded()

    if problem == "spacecraft" or (problem == "law" and python_law):
        software = builder.AddSystem(Software())
        builder.Connect(plant.get_state_output_port(), software.get_input_port())
        builder.Connect(software.get_output_port(), plant.get_applied_generalized_force_input_port())
    if problem != "panels":
        LogVectorOutput(plant.get_state_output_port(), builder, 1.0)
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    inner = plant.GetMyMutableContextFromRoot(context)
    q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
    q[0] = 1.0
    if problem != "panels":
        q[:4], q[4:7] = quaternion(SIGMA), POSITION
        v[:3], v[3:6], v[6:] = turned(quaternion(SIGMA), RATE), VELOCITY, SPEEDS
    else:
        q[7:], v[:3] = BENT, HUB_RATE
    plant.SetPositions(inner, q)
    plant.SetVelocities(inner, v)
    simulator = Simulator(diagram, context)
    ResetIntegratorFromFlags(simulator, "runge_kutta3", STEP).set_fixed_step_mode(True)
    simulator.Initialize()
    start = time.process_time()
    simulator.AdvanceTo(seconds)
    spent = time.process_time() - start
    q, v = plant.GetPositions(inner), plant.GetVelocities(inner)
    back = np.array([q[0], -q[1], -q[2], -q[3]])
    rate = turned(back, v[:3])
    if problem == "panels":
        return spent, _panels_end(q[:4], rate, q[7:])
    return spent, [*q[4:7], *v[3:6], *np.copysign(1.0, q[0]) * q[:4], *rate, *v[6:]]


# Basilisk -----------------------------------------------------------------------------------------------


def basilisk_run(problem: str, size: int, seconds: float, python_law: bool):
    from Basilisk.simulation import spacecraft, svIntegrators
    from Basilisk.utilities import SimulationBaseClass, macros

    sim = SimulationBaseClass.SimBaseClass()
    process = sim.CreateNewProcess("all")
    process.addTask(sim.CreateNewTask("dynamics", macros.sec2nano(STEP)))
    craft = spacecraft.Spacecraft()
    craft.setIntegrator(svIntegrators.svIntegratorRK4(craft))
    hub = craft.hub
    keep = [craft]
    if problem != "panels":
        hub.mHub, hub.IHubPntBc_B, hub.r_BcB_B = MASS, np.diag(INERTIA).tolist(), [[0.0], [0.0], [0.0]]
        hub.r_CN_NInit, hub.v_CN_NInit = POSITION.tolist(), VELOCITY.tolist()
        hub.sigma_BNInit, hub.omega_BN_BInit = [[s] for s in SIGMA], [[w] for w in RATE]
        speeds = _basilisk_spacecraft(sim, process, craft, problem, python_law, keep)
    else:
        hub.mHub, hub.IHubPntBc_B, hub.r_BcB_B = (
            HUB_MASS,
            np.diag(HUB_INERTIA).tolist(),
            [[0.0], [0.0], [0.0]],
        )
        hub.r_CN_NInit, hub.v_CN_NInit = [[0.0]] * 3, [[0.0]] * 3
        hub.sigma_BNInit, hub.omega_BN_BInit = [[0.0]] * 3, [[w] for w in HUB_RATE]
        _basilisk_wings(sim, craft, size, keep)
        sim.AddModelToTask("dynamics", craft, 1)
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(seconds))
    start = time.process_time()
    sim.ExecuteSimulation()
    spent = time.process_time() - start
    said = craft.scStateOutMsg.read()
    q = quaternion(np.array(said.sigma_BN))
    if problem == "panels":
        names = ((side, f"theta{side}") for side in SIDES)
        tips = [-side * craft.dynManager.getStateObject(name).getState()[-1][0] for side, name in names]
        return spent, [*np.copysign(1.0, q[0]) * q, *said.omega_BN_B, *tips]
    end = speeds.rwSpeedOutMsg.read().wheelSpeeds[:3]
    return spent, [*said.r_BN_N, *said.v_BN_N, *np.copysign(1.0, q[0]) * q, *said.omega_BN_B, *end]


def _basilisk_spacecraft(sim, process, craft, problem, python_law, keep):
    from Basilisk.architecture import messaging, sysModel
    from Basilisk.fswAlgorithms import attTrackingError, inertial3D, mrpFeedback, rwMotorTorque
    from Basilisk.simulation import reactionWheelStateEffector, simpleNav
    from Basilisk.utilities import macros, simIncludeGravBody, simIncludeRW

    process.addTask(sim.CreateNewTask("software", macros.sec2nano(FRAME)), 1)
    bodies = simIncludeGravBody.gravBodyFactory()
    earth = bodies.createEarth()
    earth.isCentralBody, earth.mu = True, MU
    bodies.addBodiesTo(craft)
    wheels = simIncludeRW.rwFactory()
    free = {"u_max": -1.0, "u_min": -1.0, "Omega_max": -1.0}
    free |= {"useRWfriction": False, "useMinTorque": False, "useMaxTorque": False}
    for axis, speed in zip(np.eye(3), SPEEDS):
        wheels.create("custom", axis, Js=WHEEL, Omega=speed / macros.RPM, **free)
    effector = reactionWheelStateEffector.ReactionWheelStateEffector()
    wheels.addToSpacecraft("wheels", effector, craft)
    sim.AddModelToTask("dynamics", effector, 3)
    sim.AddModelToTask("dynamics", craft, 2)
    nav = simpleNav.SimpleNav()
    nav.scStateInMsg.subscribeTo(craft.scStateOutMsg)
    sim.AddModelToTask("software", nav, 9)
    log = craft.scStateOutMsg.recorder(macros.sec2nano(1.0))
    sim.AddModelToTask("software", log)
    if python_law:

        class Law(sysModel.SysModel):
            def __init__(self):
                super().__init__()
                self.seen = messaging.NavAttMsgReader()
                self.said = messaging.ArrayMotorTorqueMsg()

            def Reset(self, now):
                pass

            def UpdateState(self, now):
                seen = self.seen()
                sigma, rate = np.array(seen.sigma_BN), np.array(seen.omega_BN_B)
                payload = messaging.ArrayMotorTorqueMsgPayload()
                torque = NOTHING[:3] if problem == "law" else GAIN * sigma + DAMPING * rate
                payload.motorTorque = torque.tolist()
                self.said.write(payload, now, self.moduleID)

        module = Law()
        module.seen.subscribeTo(nav.attOutMsg)
        sim.AddModelToTask("software", module, 5)
        effector.rwMotorCmdInMsg.subscribeTo(module.said)
        keep += [bodies, earth, wheels, effector, nav, log, module]
        return effector
    if problem == "law":
        keep += [bodies, earth, wheels, effector, nav, log]
        return effector
    target, error = inertial3D.inertial3D(), attTrackingError.attTrackingError()
    target.sigma_R0N = [0.0, 0.0, 0.0]
    error.attRefInMsg.subscribeTo(target.attRefOutMsg)
    error.attNavInMsg.subscribeTo(nav.attOutMsg)
    control = mrpFeedback.mrpFeedback()
    control.K, control.P, control.Ki, control.integralLimit = GAIN, DAMPING, -1.0, 0.0
    control.guidInMsg.subscribeTo(error.attGuidOutMsg)
    vehicle = messaging.VehicleConfigMsg().write(
        messaging.VehicleConfigMsgPayload(ISCPntB_B=np.diag(INERTIA).ravel().tolist())
    )
    control.vehConfigInMsg.subscribeTo(vehicle)
    torque = rwMotorTorque.rwMotorTorque()
    torque.controlAxes_B = np.eye(3).ravel().tolist()
    torque.vehControlInMsg.subscribeTo(control.cmdTorqueOutMsg)
    parameters = wheels.getConfigMessage()
    torque.rwParamsInMsg.subscribeTo(parameters)
    effector.rwMotorCmdInMsg.subscribeTo(torque.rwMotorTorqueOutMsg)
    for k, module in enumerate((target, error, control, torque)):
        sim.AddModelToTask("software", module, 8 - k)
    keep += [bodies, earth, wheels, effector, nav, log, target, error, control, vehicle, torque, parameters]
    return effector


def _basilisk_wings(sim, craft, size, keep):
    from Basilisk.simulation import nHingedRigidBodyStateEffector as hinged

    for side in SIDES:
        wing = hinged.NHingedRigidBodyStateEffector()
        wing.ModelTag = f"wing{side}"
        wing.nameOfThetaState, wing.nameOfThetaDotState = f"theta{side}", f"thetaDot{side}"
        wing.r_HB_B = [[side * ROOT], [0.0], [0.0]]
        # panels lie along -s1 of the hinge axes; turn about z so that -s1 points away from the hub
        wing.dcm_HB = np.diag([-side, -side, 1.0]).tolist()
        for _ in range(size):
            panel = hinged.HingedPanel()
            panel.mass, panel.IPntS_S, panel.d = PANEL_MASS, np.diag(PANEL_INERTIA).tolist(), HALF
            panel.k, panel.c, panel.thetaInit, panel.thetaDotInit = STIFFNESS, FRICTION, -side * BENT, 0.0
            wing.addHingedPanel(panel)
            keep.append(panel)
        craft.addStateEffector(wing)
        sim.AddModelToTask("dynamics", wing, 2)
        keep.append(wing)


RUNS = {"mujoco": mujoco_run, "drake": drake_run, "basilisk": basilisk_run}


def version_of(tool: str) -> str:
    from importlib.metadata import version

    return version({"basilisk": "bsk"}.get(tool, tool))


def main() -> None:
    tool, problem, size, seconds, python_law = sys.argv[1:6]
    found = [RUNS[tool](problem, int(size), float(seconds), python_law == "1") for _ in range(3)]
    best = min(spent for spent, _ in found)
    end = [float(v) for v in found[0][1]]
    print(json.dumps({"us": 1e6 * best * STEP / float(seconds), "end": end, "version": version_of(tool)}))


if __name__ == "__main__":
    main()
