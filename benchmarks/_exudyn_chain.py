"""The same chain of flexible beams for Exudyn and for us: wall time of a simulated second at equal error of the tip.

Beams of ten modes hang horizontally from ground on revolute joints and fall from rest. Exudyn has each beam as
points at the four corners of every section (`ObjectFFRFreducedOrder` in C++, interfaces of four points, the cheapest);
we have it as sections with rotary inertia, which is the same mass matrix. The error of each program is against its own
solution at small steps, so that differences of the models do not count.
"""

from __future__ import annotations

import importlib.util
import time

import numpy as np

BODIES, SECONDS, HALF_WIDTH = 8, 0.5, 0.025
EXUDYN_STEPS = (2e-3, 1e-3, 5e-4)
OUR_STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)


def corners(flex) -> tuple[np.ndarray, np.ndarray]:
    """Return points (4 N, 3) at the corners of N sections, and their motion (4 N, 3, n) in the modes."""
    offsets = HALF_WIDTH * np.array([[0, 1, 1], [0, 1, -1], [0, -1, -1], [0, -1, 1]])
    points = (flex.l[:, None, :] + offsets).reshape(-1, 3)
    turned = np.cross(flex.lam.transpose(0, 2, 1)[:, None], offsets[None, :, None, :])
    shapes = flex.gamma[:, None] + turned.transpose(0, 1, 3, 2)
    return points, shapes.reshape(len(points), 3, -1)


def exudyn_beam(flex, mass: float):
    """Return Exudyn's record of the beam: lumped corner masses and a stiffness with the same modes."""
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface
    from scipy.sparse import csr_matrix, diags

    X, shapes = corners(flex)
    n = len(flex.l)
    share = np.full(n, mass / (n - 1) / 4)
    share[[0, -1]] *= 0.5
    m = np.repeat(np.repeat(share, 4), 3)
    Psi = shapes.reshape(-1, shapes.shape[2])
    scaled = m[:, None] * Psi
    fem = FEMinterface()
    fem.nodes = {"Position": X}
    fem.elements = []
    fem.massMatrix = diags(m).tocsr()
    fem.stiffnessMatrix = csr_matrix((scaled * flex.stiffness) @ scaled.T)
    fem.modeBasis = {"matrix": Psi, "type": "HCBmodes"}
    return ObjectFFRFreducedOrderInterface(fem), len(X)


def exudyn_run(record, count: int, length: float, bodies: int, seconds: float, step: float):
    """Return position of the tip (3,) and wall time of Exudyn's solver (generalized alpha, one thread)."""
    import exudyn as exu
    import exudyn.itemInterface as items

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    previous = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
    weights = [0.25] * 4
    for k in range(bodies):
        made = record.AddObjectFFRFreducedOrder(
            mbs, positionRef=[k * length, 0, 0], gravity=[0, -9.81, 0], name=f"beam{k}"
        )
        body = made["oFFRFreducedOrder"]
        ends = [list(range(4)), list(range(count - 4, count))]
        left, right = (
            mbs.AddMarker(
                items.MarkerSuperElementRigid(bodyNumber=body, meshNodeNumbers=end, weightingFactors=weights)
            )
            for end in ends
        )
        mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=[previous, left]))
        previous = right
    variable = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(
        items.SensorSuperElement(
            bodyNumber=body, meshNodeNumber=count - 1, storeInternal=True, outputVariableType=variable
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = seconds
    settings.timeIntegration.numberOfSteps = round(seconds / step)
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.displayStatistics = settings.displayComputationTime = False
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = seconds
    settings.parallel.numberOfThreads = 1
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    start = time.thread_time()
    mbs.SolveDynamic(settings, showHints=False, showCausingItems=False)
    spent = time.thread_time() - start
    return np.array(mbs.GetSensorValues(sensor)), spent


def our_run(system, tip: int, bodies: int, seconds: float, step: float, method: str = "ros2"):
    """Return position of the tip (3,) and wall time of our run, best of three."""
    from interstage.simulation import simulate

    x, best = system.state(), np.inf
    for _ in range(3):
        start = time.thread_time()
        log = simulate(system, x, seconds, step, method=method, log_step=seconds)
        best = min(best, time.thread_time() - start)
    return system.position(log.state(), f"b{bodies - 1}", tip), best


def time_at(error: float, errors: list[float], times: list[float]) -> float:
    """Return the time at which a program reaches an error: a straight line through log(error), log(time)."""
    slope, origin = np.polyfit(np.log(errors), np.log(times), 1)
    return float(np.exp(origin + slope * np.log(error)))


def ladder(run, steps: tuple[float, ...], finest: float) -> tuple[list[float], list[float]]:
    """Return errors of the tip and wall times a simulated second for each step."""
    truth, _ = run(finest)
    found = [run(step) for step in steps]
    return [float(np.linalg.norm(p - truth)) for p, _ in found], [t / SECONDS for _, t in found]


def compare(component, tip: int) -> float | None:
    """Print both ladders and the ratio at equal error; return the ratio."""
    from benchmarks.multibody import flexible_chain

    system = flexible_chain(component, tip, BODIES, 2)
    flex = system.flexes[0]
    ours = ladder(lambda h: our_run(system, tip, BODIES, SECONDS, h), OUR_STEPS, 2.5e-5)
    print(
        f"\n{BODIES} beams of {flex.n_modes} modes, {SECONDS} s of fall, one thread, seconds of processor a second"
    )
    for h, error, spent in zip(OUR_STEPS, *ours):
        print(f"  interstage ros2    h = {h:7.1e}  error of the tip {error:8.1e} m  {spent:8.4f} s/s")
    if importlib.util.find_spec("exudyn") is None:
        print("  Exudyn is not installed: no comparison (pip install exudyn)")
        return None
    import exudyn

    record, count = exudyn_beam(flex, float(system.settings.body_inertia[0, 0]))
    length = float(flex.l[-1, 0])
    theirs = ladder(lambda h: exudyn_run(record, count, length, BODIES, SECONDS, h), EXUDYN_STEPS, 1.25e-4)
    for h, error, spent in zip(EXUDYN_STEPS, *theirs):
        print(
            f"  Exudyn {exudyn.__version__:9s}   h = {h:7.1e}  error of the tip {error:8.1e} m  {spent:8.4f} s/s"
        )
    low, high = max(min(ours[0]), min(theirs[0])), min(max(ours[0]), max(theirs[0]))
    error = float(np.sqrt(low * high))
    a, b = time_at(error, *ours), time_at(error, *theirs)
    print(f"  at an error of {error:.1e} m: {a:.4f} s/s and {b:.4f} s/s, ratio {b / a:.0f}")
    return b / a
