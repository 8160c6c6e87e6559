"""Measure linear models: an observatory of 432 states, growth with states, frequency responses, peers on rigid chains.

    python -m benchmarks linear

One thread, time of the processor, best of several runs. Drake needs an environment of its own: `.venv-peers`, or the
interpreter that INTERSTAGE_DRAKE_PYTHON names; Pinocchio and Exudyn come from this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.multibody import rigid_chain

WHEELS = ("x", "y", "z", [1.0, 1.0, 1.0])
CHAINS = (5, 20, 50, 100)
SIZES = (26, 56, 106, 206)  # modes of the bus


def seconds(action: Callable[[], object], repeats: int = 3) -> tuple[float, object]:
    """Return the shortest time of one call and what it returned."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        result = action()
        best = min(best, time.process_time() - start)
    return best, result


def bus(n_modes: int):
    """Return a free structure of 44 nodes with many modes: a lumped beam of a tiny FE code."""
    from benchmarks.multibody import beam

    component, _ = beam(n_modes, n_elements=43)
    return component


def observatory(n_modes: int):
    """Return a system of a flexible bus with four wheels, 44 inputs and 10 outputs as in NESC App. G."""
    import interstage as ist

    mb = ist.Multibody("observatory")
    mb.add_body("bus", component=bus(n_modes), node=1, joint=ist.Free(), damping=0.0025)
    for k, axis in enumerate(WHEELS, start=1):
        wheel = {"mass": 10.0, "inertia": [20.0, 20.0, 20.0]}
        mb.add_body(f"rw{k}", **wheel, parent="bus", at=4 + k, joint=ist.Revolute(axis))
    inputs = []
    for k in range(1, 5):
        inputs += [ist.NodeForce("bus", 4 + k, name=f"rw{k}_dist_force")]
        inputs += [ist.NodeTorque("bus", 4 + k, name=f"rw{k}_dist_torque"), ist.JointForce(f"rw{k}")]
    inputs += [ist.NodeForce("bus", 20 + k, [1.0, 0.5, 0.1 * k], name=f"thruster{k + 1}") for k in range(16)]
    outputs = [ist.JointRate(f"rw{k}") for k in range(1, 5)]
    outputs += [ist.NodeRate("bus", 1, name="boresight"), ist.NodeRate("bus", 40, name="imu")]
    return mb.compile(), inputs, outputs


def growth() -> None:
    """Print times of linearization and of 1,000-point responses of all channels against the number of states."""
    import interstage as ist

    f = np.logspace(-2, np.log10(15.0), 1000)
    print("Observatory: flexible bus (fidelity 2), four wheels; 44 inputs, 10 outputs; seconds")
    print("states   linearize   response 1000 f (modal)   (Schur)   poles")
    found = []
    for n in SIZES:
        system, inputs, outputs = observatory(n)
        x = system.state()
        ist.linearize(system, x, inputs, outputs)
        spent, lin = seconds(lambda s=system, x=x, i=inputs, o=outputs: ist.linearize(s, x, i, o))
        modal, _ = seconds(lambda m=lin: m.frequency_response(f, form="modal"), 2)
        schur, _ = seconds(lambda m=lin: m.frequency_response(f, form="schur"), 2)
        poles, _ = seconds(lin.poles, 2)
        found.append((lin.n_states, spent))
        print(f"{lin.n_states:6d} {spent:11.3f} {modal:25.2f} {schur:9.2f} {poles:7.2f}", flush=True)
    (a, s), (b, t) = found[-2:]
    print(
        f"linearize grows as states^{np.log(t / s) / np.log(b / a):.1f} between the last two (calls x cost of modes)"
    )


def peers() -> None:
    """Print linearizations of one rigid chain with all joint drives: ours, and peers'."""
    import interstage as ist
    from benchmarks import _linear_peers as other

    print("\nRigid chain of N links, N drives, all states as outputs, held at rest")
    print("seconds, ratio = peer/ours, largest gap of A")
    heads = ("Drake (autodiff)", "Pinocchio (analytic; A only)", "Exudyn (differences; A only)")
    print(f"{'N':>6s} {'ours':>9s}" + "".join(f"   {head:30s}" for head in heads))
    for n in CHAINS:
        system = rigid_chain(n)
        x = system.state(*other.state(n))
        tau = system.bias(x)
        drives = [ist.JointForce(name) for name in system.bodies]
        states = [kind(name) for kind in (ist.JointAngle, ist.JointRate) for name in system.bodies]
        ist.linearize(system, x, drives, states, tau=tau)
        spent, lin = seconds(
            lambda s=system, x=x, d=drives, y=states, t=tau: ist.linearize(s, x, d, y, tau=t)
        )
        row = f"{n:6d} {spent:9.5f}"
        for answer in (other.drake_elsewhere(n, tau), other.pinocchio(n, tau), other.exudyn(n)):
            if answer is None:
                row += f"   {'not installed':30s}"
                continue
            gap = np.abs(np.array(answer["A"]) - lin.A).max() / np.abs(lin.A).max()
            row += f"   {answer['seconds']:9.5f} = {answer['seconds'] / spent:5.2f}x, gap {gap:.0e} "
        print(row, flush=True)


def main(argv: list[str] | None = None) -> None:
    """Run all parts."""
    growth()
    peers()


if __name__ == "__main__":
    main()
