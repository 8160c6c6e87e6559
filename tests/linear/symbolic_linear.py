"""Exact linear models of small mechanisms by sympy: Lagrange's equations, symbolic derivatives, 30 digits.

Accelerations a solve M a = f. Their derivatives follow from those of M and f, M ∂a = ∂f - ∂M a, so that nothing has
to be inverted in symbols; outputs may hold the symbols of accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

g = sp.Rational(981, 100)


@dataclass
class Mechanism:
    """M a = f with symbols of coordinates, rates and accelerations."""

    q: list
    r: list
    a: list
    M: sp.Matrix
    f: sp.Matrix


def lagrange(q, kinetic, potential, forces):
    """Return the mechanism of T(q, r), V(q) and generalized forces (functions of lists of symbols)."""
    n = len(q)
    r, a = sp.symbols(f"r0:{n}"), sp.symbols(f"a0:{n}")
    T, V = kinetic(q, r), potential(q)
    bias = [sum(sp.diff(T, r[i], q[j]) * r[j] for j in range(n)) - sp.diff(T - V, q[i]) for i in range(n)]
    return Mechanism(list(q), list(r), list(a), sp.hessian(T, r), sp.Matrix(forces(q, r)) - sp.Matrix(bias))


def second_derivative(p, mechanism):
    """Return the second time derivative of a function of the coordinates."""
    m = mechanism
    first = sum(sp.diff(p, q) * r for q, r in zip(m.q, m.r))
    return sum(sp.diff(first, q) * r + sp.diff(first, r) * a for q, r, a in zip(m.q, m.r, m.a))


def model(mechanism, inputs, outputs, point):
    """Return A, B, C, D with states [coordinates; rates] at a point {symbol: number}."""
    m = mechanism
    n, variables = len(m.q), [*m.q, *m.r, *inputs]
    numbers = {k: sp.Float(repr(float(v)), 30) for k, v in point.items()}

    def at(expression):
        return sp.Matrix(expression).evalf(30, subs=numbers)

    M = at(m.M)
    a = M.LUsolve(at(m.f))
    numbers |= dict(zip(m.a, a))
    slopes = [M.LUsolve(at(sp.diff(m.f, x)) - at(sp.diff(m.M, x)) * a) for x in variables]
    da = sp.Matrix.hstack(*slopes)
    y = sp.Matrix(outputs)
    dy = at(y.jacobian(variables)) + at(y.jacobian(m.a)) * da
    da, dy = (np.array(x.tolist(), dtype=object).astype(float) for x in (da, dy))
    top = np.hstack([np.zeros((n, n)), np.eye(n)])
    A, B = np.vstack([top, da[:, : 2 * n]]), np.vstack([np.zeros((n, len(inputs))), da[:, 2 * n :]])
    return A, B, dy[:, : 2 * n], dy[:, 2 * n :]


def assert_model(lin, A, B, C, D, tolerance=1e-12):
    """Compare with a model, each matrix relative to its largest entry."""
    for name, exact in zip("ABCD", (A, B, C, D)):
        ours = getattr(lin, name)
        scale = max(np.abs(exact).max(initial=0.0), 1e-300)
        worst = np.abs(ours - exact).max(initial=0.0) / scale
        assert worst < tolerance, f"{name}: {worst:.2e}\n{ours}\n{exact}"
