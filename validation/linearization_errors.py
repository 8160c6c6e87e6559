"""Errors of linearization by method and step, against exact derivatives and against the complex step.

A double pendulum in motion under gravity has derivatives that sympy writes down exactly; a bus with a flexible boom
(fidelity 2) in a slow tumble has none, and complex steps are the reference. Differences with two points fall with h²
and with four with h⁴ until round-off, about ε|f|/h, takes over. Errors are relative to the largest entry of A (the
stiffest mode): small entries, which couple the rigid motion, fare worse in proportion, and the best step depends on
the vehicle. Richardson extrapolation finds its own step and estimates its error. Complex steps do not care: from
1e-200 to 1e-8 the model stays the same to round-off.

    python -m validation linearization_errors
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from validation.study import HERE, Row, Study

if TYPE_CHECKING:
    from interstage.multibody import State, System

STEPS = {
    "central-2": np.logspace(-9, -1, 17),
    "central-4": np.logspace(-9, -1, 17),
    "complex-step": np.logspace(-200, -1, 24),
}
ANGLES, RATES = (0.375, -1.25), (0.75, 2.5)

DEFAULT = {True: {2: 1e-9, 4: 1e-11}, False: {2: 1e-7, 4: 1e-7}}  # rigid: order: of the largest entry


def pendulum() -> tuple[System, State]:
    """Return two rods with point masses at their ends, in motion."""
    import interstage as ist

    mb = ist.Multibody("double pendulum", gravity=[0, 0, -9.81])
    mb.add_body("upper", mass=2.0, com=[0, 0, -1], inertia=[0.125] * 3, joint=ist.Revolute("-y"))
    lower = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.0625] * 3}
    mb.add_body("lower", **lower, parent="upper", at=[0, 0, -1], joint=ist.Revolute("-y"))
    system = mb.compile()
    return system, system.state(ANGLES, RATES)


def exact_pendulum() -> np.ndarray:
    """Return A (4, 4) of the double pendulum: Lagrange's equations and derivatives by sympy, 30 digits."""
    import sympy as sp

    q, r = sp.symbols("a b"), sp.symbols("p q")
    w = r[0] + r[1]
    v = [
        sp.cos(q[0]) * r[0] + sp.cos(q[0] + q[1]) * w / 2,
        sp.sin(q[0]) * r[0] + sp.sin(q[0] + q[1]) * w / 2,
    ]
    T = r[0] ** 2 * sp.Rational(17, 16) + (v[0] ** 2 + v[1] ** 2) / 2 + w**2 / 32
    V = -sp.Rational(981, 100) * (3 * sp.cos(q[0]) + sp.cos(q[0] + q[1]) / 2)
    M = sp.hessian(T, r)
    f = -sp.Matrix(
        [sum(sp.diff(T, r[i], q[j]) * r[j] for j in range(2)) - sp.diff(T - V, q[i]) for i in range(2)]
    )
    numbers = {s: sp.Float(repr(x), 30) for s, x in zip((*q, *r), (*ANGLES, *RATES))}
    M0 = M.evalf(30, subs=numbers)
    a = M0.LUsolve(f.evalf(30, subs=numbers))
    columns = []
    for s in (*q, *r):
        columns.append(
            M0.LUsolve(sp.diff(f, s).evalf(30, subs=numbers) - sp.diff(M, s).evalf(30, subs=numbers) * a)
        )
    bottom = np.array(sp.Matrix.hstack(*columns).tolist(), dtype=object).astype(float)
    return np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), bottom])


def boom_matrices(n: int = 6) -> tuple[np.ndarray, np.ndarray, dict[int, list[float]]]:
    """Return K, M and nodes of a lumped beam of n elements along x, 3 m long."""
    from interstage.fem import lumped_beam

    L, A, I, E, rho = 3.0 / n, 9e-4, 6.75e-8, 7e10, 2700.0
    mass = np.tile(rho * A * L * np.array([1, 1, 1, 1e-2, 1e-2, 1e-2]), (n + 1, 1))
    mass[[0, -1]] /= 2.0
    return lumped_beam(3.0, n, EA=E * A, GJ=0.75 * E * I, EI=E * I, mass=mass)


def spacecraft() -> tuple[System, State]:
    """Return a bus with a flexible boom, in a slow tumble, the boom a little bent."""
    import interstage as ist

    boom = ist.Component.from_matrices(*boom_matrices(), n_modes=12, aset={1: 123456})
    mb = ist.Multibody("spacecraft")
    mb.add_body("bus", mass=60.0, inertia=[20.0, 30.0, 25.0], joint=ist.Free())
    mb.add_body("boom", component=boom, parent="bus", at=[0.5, 0, 0], joint=ist.Revolute("y"), damping=0.005)
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:] = [0.1, -0.2, 0.3, 1.0, 0.0, 0.5]
    x["boom"].q[:], x["boom"].eta[:3] = 0.4, [0.02, -0.01, 0.005]
    return system, x


def errors(system: System, x: State, reference: np.ndarray) -> dict[str, np.ndarray]:
    """Return {method: largest error of A, relative to its largest entry, at each of its steps}."""
    import interstage as ist

    scale = np.abs(reference).max()
    return {
        method: np.array(
            [
                np.abs(ist.linearize(system, x, method=method, step=h).A - reference).max() / scale
                for h in steps
            ]
        )
        for method, steps in STEPS.items()
    }


def slope(method: str, found: np.ndarray, low: float, high: float) -> float:
    """Return the order with which errors fall between two steps."""
    h = STEPS[method]
    part = (h >= low) & (h <= high)
    return float(np.polyfit(np.log(h[part]), np.log(found[part]), 1)[0])


def study() -> Study:
    """Make the table and the picture."""
    import interstage as ist

    out = Study(
        "linearization_errors", "Errors of linearization by method and step", __doc__.split("\n\n")[1]
    )
    system, x = pendulum()
    cases = {"double pendulum (sympy)": (system, x, exact_pendulum())}
    ship, y = spacecraft()
    cases["flexible spacecraft (complex step)"] = ship, y, ist.linearize(ship, y).A
    found = {}
    for name, (s, state, reference) in cases.items():
        found[name] = errors(s, state, reference)
        _rows(out, name, s, state, reference, found[name])
    out.pictures["linearization_errors.png"] = lambda path: draw(found, path)
    return out


def _rows(
    out: Study, name: str, system: System, x: State, reference: np.ndarray, found: dict[str, np.ndarray]
) -> None:
    import interstage as ist

    rigid = "pendulum" in name
    complex_worst = float(found["complex-step"][STEPS["complex-step"] < 1e-8].max())
    out.rows.append(
        Row(
            name,
            "A by complex steps, h = 1e-200 to 1e-8",
            "sympy" if rigid else "h = 1e-40",
            "worst",
            complex_worst,
            1e-12,
        )
    )
    for method, order in (("central-2", 2), ("central-4", 4)):
        h, e = STEPS[method], found[method]
        best = int(np.argmin(e))
        limit = {2: 1e-9, 4: 1e-11}[order] if rigid else {2: 1e-9, 4: 1e-10}[order]
        out.rows.append(
            Row(name, f"A by {method}, best step", "", "", float(e[best]), limit, f"{HERE} h = {h[best]:.0e}")
        )
        default = ist.linearize(system, x, method=method)
        gap = float(np.abs(default.A - reference).max() / np.abs(reference).max())
        out.rows.append(
            Row(name, f"A by {method}, default step", f"h = {default.method['step']:.0e}", "", gap,
                DEFAULT[rigid][order], "",
                "error of a step that suits most vehicles and not this one best", True)
        )  # fmt: skip
        if rigid:
            fitted = slope(method, e, 1e-3 if order == 2 else 1e-2, 1e-1)
            out.rows.append(
                Row(
                    name, f"order of {method}", f"{order}", f"{fitted:.2f}", abs(fitted - order), 0.1, "known"
                )
            )
        rich = ist.linearize(system, x, method=method, richardson=True, step=0.1 if rigid else 0.02)
        gap = float(np.abs(rich.A - reference).max())
        limit = 1e-11
        note = f"own estimate {rich.method['error'] / np.abs(reference).max():.0e}"
        row = Row(
            name,
            f"A by {method} with Richardson",
            "rtol 1e-10",
            "",
            gap / np.abs(reference).max(),
            limit,
            note,
        )
        out.rows.append(row)


def draw(found: dict[str, dict[str, np.ndarray]], path: Path) -> None:
    """Draw the errors of both models over the step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    styles = {"central-2": "o-", "central-4": "s-"}
    for ax, (name, curves) in zip(axes, found.items()):
        for method, style in styles.items():
            ax.loglog(STEPS[method], np.maximum(curves[method], 1e-17), style, ms=4, label=method)
        near = STEPS["complex-step"] > 1e-10
        worst = max(float(curves["complex-step"][~near].max()), 1e-17)
        ax.axhline(worst, color="tab:green", label="complex step, h < 1e-10")
        h = np.array([1e-4, 1e-1])
        for order, method in ((2, "central-2"), (4, "central-4")):
            level = curves[method][-1]
            ax.loglog(h, level * (h / 0.1) ** order, ":", color="0.5", lw=1)
        ax.set(title=name, xlabel="step h", ylim=(1e-17, 10))
        ax.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("largest error of A, relative")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
