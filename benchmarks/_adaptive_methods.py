"""Adaptive integrators on the same right-hand sides: scipy's, and CVODE of SUNDIALS if scikit-sundae is installed."""

from __future__ import annotations

import importlib
import importlib.util
import time

import numpy as np
from scipy.integrate import solve_ivp

WANTED, LONGEST = (
    1e-5,
    1.0,
)  # error at the end; seconds after which a method is not tried at smaller tolerances
SCIPY = {"dop853": "DOP853", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}


def right_hand_side(system):
    """Return f(t, y) of a system, and a list that counts its calls."""
    engine, nq = system.engine, system.nq
    qdot, vdot = np.empty(system.nq), np.empty(system.nv)
    tau, sites, wrenches, calls = np.zeros(system.nv), np.zeros(0, dtype=np.int64), np.zeros((0, 6)), [0]

    def slope(_t, y):
        calls[0] += 1
        q, v = np.ascontiguousarray(y[:nq]), np.ascontiguousarray(y[nq:])
        engine.rates(q, v, qdot)
        engine.forward(q, v, tau, sites, wrenches, vdot)
        return np.concatenate([qdot, vdot])

    return slope, calls


def scipy_run(slope, y0, until, name, tolerance):
    """Return the state at the end, or None where the method gives up."""
    result = solve_ivp(slope, (0.0, until), y0, SCIPY[name], [until], rtol=tolerance, atol=tolerance)
    return result.y[:, -1] if result.success else None


def cvode_run(slope, y0, until, name, tolerance):
    """Return the state at the end by CVODE, Adams or BDF."""
    from sksundae.cvode import CVODE

    def into(t, y, yp):
        yp[:] = slope(t, y)

    solver = CVODE(into, method=name, rtol=tolerance, atol=tolerance, max_num_steps=10**6)
    result = solver.solve(np.array([0.0, until]), y0)
    return result.y[-1] if result.success else None


def cases() -> list[tuple[str, object, np.ndarray, float, str]]:
    """Return (title, system, y0, duration, method of the truth) of two smooth and two stiff cases."""
    from benchmarks.multibody import beam, flexible_chain, rigid_chain
    from interstage.multibody import Multibody, Revolute

    swing = rigid_chain(8)
    panels = flexible_chain(*beam(2), 2, 2)
    beams = flexible_chain(*beam(10), 2, 2)
    beams.tree.v_damping[:] = 0.04 * np.sqrt(beams.tree.v_stiffness)
    mb = Multibody("springs", gravity=[0.0, 0.0, -9.81])
    for i in range(6):
        place = {"parent": f"b{i - 1}" if i else None, "at": [1.0, 0.0, 0.0]}
        joint = Revolute("y", stiffness=1e5 if i else 0.0, damping=2e3 if i else 0.0)
        mb.add_body(f"b{i}", mass=1.0, com=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1], joint=joint, **place)
    stiff = mb.compile()
    return [
        ("smooth: rigid chain of 8, 3 s", swing, _start(swing), 3.0, "dop853"),
        ("smooth: 2 beams of 2 modes, 0.5 s", panels, _start(panels), 0.5, "dop853"),
        ("stiff: 2 beams of 10 modes damped 2 %, 0.5 s", beams, _start(beams), 0.5, "dop853"),
        ("stiff: 6 bodies on stiff damped springs, 3 s", stiff, _start(stiff), 3.0, "radau"),
    ]


def _start(system) -> np.ndarray:
    x = system.state()
    return np.concatenate([x.q, x.v])


def cheapest(run, slope, calls, y0, until, name, truth) -> str:
    """Return time, calls and error of a method at the loosest tolerance that reaches the wanted error."""
    spent, error, tolerance = 0.0, np.inf, 1e-5
    while error > WANTED and tolerance > 1e-13 and spent < LONGEST:
        tolerance *= 0.1
        calls[0] = 0
        start = time.thread_time()
        end = run(slope, y0, until, name, tolerance)
        spent = time.thread_time() - start
        error = np.inf if end is None else float(abs(end - truth).max())
    note = "" if error <= WANTED else "   did not get there"
    return f"{1e3 * spent:9.1f} ms {calls[0]:8d} calls   error {error:.1e}   tolerance {tolerance:.0e}{note}"


def table() -> None:
    """Print what each method needs in each case."""
    runs = [(name, scipy_run, name) for name in SCIPY]
    if importlib.util.find_spec("sksundae") is not None:
        importlib.import_module("sksundae.cvode")
        runs += [("cvode adams", cvode_run, "Adams"), ("cvode bdf", cvode_run, "BDF")]
    print(
        f"\nAdaptive methods called from Python: what an error of {WANTED:.0e} in the state at the end takes"
    )
    for title, system, y0, until, exact in cases():
        slope, calls = right_hand_side(system)
        truth = scipy_run(slope, y0, until, exact, 1e-12)
        print(f"  {title}")
        for label, run, name in runs:
            print(f"    {label:12s} {cheapest(run, slope, calls, y0, until, name, truth)}", flush=True)
