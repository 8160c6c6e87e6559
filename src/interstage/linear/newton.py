"""Newton's method for trims of vehicles and assemblies, the equations of a vehicle, and the report of a trim.

    r(z) = [ v̇_r(z);  f(z);  φ(z) ] = 0,      z ← z - s (∂r/∂z)⁺ r

z are changes of chosen coordinates, rates and forces, f functions of the user, φ closures and their rates. The
Jacobian is exact: derivatives of inverse dynamics, or complex steps, all of them in one compiled loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import null_space

from interstage.errors import ModelError, SolverError
from interstage.linear.chart import Chart
from interstage.linear.differences import COMPLEX_STEP
from interstage.linear.vehicle_plant import along_chart, forward_rows
from interstage.multibody.dynamics_derivatives import force_slopes
from interstage.multibody.loads import Loads, wrench_rows
from interstage.multibody.operating_point import OperatingPoint, RunHistory
from interstage.multibody.settings import RuntimeSettings
from interstage.multibody.state import State
from interstage.multibody.types import asked

if TYPE_CHECKING:
    from interstage.multibody.system import System


@dataclass(frozen=True)
class TrimReport:
    """What a trim did: unknowns and their values, residuals before and after, what still accelerates or drifts.

    drifting : {discrete or continuous state of a device, or memory of a law: rate}
    """

    unknowns: list[str]
    values: np.ndarray
    residuals: list[str]
    before: np.ndarray
    after: np.ndarray
    iterations: int
    condition: float
    accelerating: dict[str, float] = field(default_factory=dict)
    drifting: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"trimmed {len(self.unknowns)} unknowns in {self.iterations} iterations: largest residual"
            f" {np.abs(self.before).max(initial=0.0):.3g} -> {np.abs(self.after).max(initial=0.0):.3g}"
        ]
        shown = sorted(zip(self.unknowns, self.values), key=lambda pair: -abs(pair[1]))[:8]
        lines += [f"  {name:<24} {value: .6g}" for name, value in shown]
        if len(self.unknowns) > 8:
            lines.append(f"  and {len(self.unknowns) - 8} smaller")
        if self.accelerating:
            lines.append("still accelerating:")
            lines += [f"  {name:<24} {value: .6g}" for name, value in list(self.accelerating.items())[:12]]
        if self.drifting:
            lines.append("still drifting, in a second:")
            lines += [f"  {name:<24} {value: .6g}" for name, value in list(self.drifting.items())[:12]]
        if not (self.accelerating or self.drifting):
            lines.append("nothing accelerates: an equilibrium")
        return "\n".join(lines)


def accelerating(system: System, vdot: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """Return {name: v̇} of what is not at rest, largest first; after : residuals that a trim left."""
    floor = max(
        1e-9 * float(np.abs(vdot).max(initial=0.0)), 10.0 * float(np.abs(after).max(initial=0.0)), 1e-12
    )
    names = system.velocity_names()
    order = np.argsort(-np.abs(vdot), kind="stable")
    return {names[k]: float(vdot[k]) for k in order if abs(vdot[k]) > floor}


class Trim(OperatingPoint):
    """An operating point found by `trim`, with a `report`."""

    def __init__(
        self,
        x: State,
        report: TrimReport,
        loads: Loads,
        vdot: np.ndarray | Callable[[], np.ndarray],
        settings: RuntimeSettings,
        values: Mapping[str, np.ndarray] | None = None,
        t: float = 0.0,
        memory: Mapping[str, Mapping[str, object]] | None = None,
        run: RunHistory | None = None,
        devices: Sequence[str] = (),
    ):
        super().__init__(x, loads, vdot, settings, values, t, memory, run, devices)
        self.report = report

    def _arguments(self) -> tuple:
        return self.report, *super()._arguments()

    def __repr__(self) -> str:
        return f"<Trim: {super().__repr__()[8:-1]}>\n{self.report}"

    def __str__(self) -> str:
        return f"{self.report}\n{super().__str__()}"


HALVINGS = 12  # of a step, until residuals are smaller
E = TypeVar("E", bound="ResidualEquations")

Residual = Callable[["System", State, np.ndarray], ArrayLike]


@dataclass
class Unknown:
    """A scalar that the trim may change: kind "position", "rate" or "force", and its place in v."""

    name: str
    kind: str
    place: int


class Problem:
    """Residuals of a trim of a vehicle at a state, and their derivatives along its unknowns z."""

    floor = 0.0

    def __init__(self, system: System, x: State, loads: Loads, unknowns: list[Unknown], rows: np.ndarray):
        self.system, self.x, self.loads = system, x, loads
        self.unknowns, self.rows = unknowns, rows
        self.functions: list[Residual] = []
        self.closed = system.n_closure > 0
        moved = {u.place for u in unknowns if u.kind == "position"}
        self.fixed = [
            name for name, s in system.layout.items() if moved.isdisjoint(range(s.v.start, s.etadot.stop))
        ]

    def point(self, z: np.ndarray) -> tuple[State, np.ndarray]:
        """Return the state and the generalized forces after a change."""
        nv = self.system.nv
        dq, dv, tau = np.zeros(nv, z.dtype), np.zeros(nv, z.dtype), self.loads.tau.astype(z.dtype)
        for unknown, value in zip(self.unknowns, z):
            {"position": dq, "rate": dv, "force": tau}[unknown.kind][unknown.place] += value
        return Chart(self.system, self.x).state(dq, dv), tau

    def moved(self, z: np.ndarray) -> Problem:
        """Return the problem about a changed state, its closures closed again."""
        x, tau = self.point(z)
        if self.closed:
            x = self.system.assemble(x, fixed=self.fixed)
        other = Problem(self.system, x, replace(self.loads, tau=tau), self.unknowns, self.rows)
        other.functions = self.functions
        return other

    def accelerations(self, x: State, tau: np.ndarray) -> np.ndarray:
        """Return v̇ (nv,) under the loads."""
        return self.system.forward_dynamics(x, forces=self.loads, tau=tau)

    @property
    def n(self) -> int:
        """How many unknowns there are."""
        return len(self.unknowns)

    def row_sizes(self, J: np.ndarray) -> np.ndarray:
        """Return ones: residuals are taken as they are."""
        return np.ones(len(J))

    def scale(self, before: np.ndarray, J: np.ndarray | None, step: np.ndarray | None) -> np.ndarray:
        """Return ones: residuals are taken as they are."""
        return np.ones(len(before))

    def residual(self) -> np.ndarray:
        """Return r (m,): chosen accelerations, the user's functions, closures."""
        x, tau = self.x, self.loads.tau
        vdot = self.accelerations(x, tau)
        return np.concatenate([vdot[self.rows], self.beside(x, vdot)])

    def beside(self, x: State, vdot: np.ndarray) -> np.ndarray:
        """Return the residuals that are not accelerations: the user's functions, closures."""
        parts = [asked(f, "a residual", self.system, x, vdot) for f in self.functions]
        if self.closed:
            parts += [self.system.closure_error(x), self.system.closure_rate(x)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def noise(self, r: np.ndarray) -> float:
        """Return how much round-off of the state changes residuals: a state may be steady before a trim starts."""
        rng, largest = np.random.default_rng(3), 0.0
        for _ in range(3):
            x, size = self.x.copy(), np.abs(self.x.q)
            for where in x.layout.values():
                size[where.q] += 1.0  # angles and quaternions; a mode at zero stays there
            x.q += 4e-16 * size * rng.normal(size=len(x.q))
            x.v *= 1.0 + 4e-16 * rng.normal(size=len(x.v))
            other = Problem(self.system, x, self.loads, self.unknowns, self.rows)
            other.functions = self.functions
            largest = max(largest, float(np.abs(other.residual() - r).max(initial=0.0)))
        return largest

    def n_own(self, r: np.ndarray) -> int:
        """Return how many residuals are not those of closures."""
        return len(r) - (2 * self.system.n_closure if self.closed else 0)

    def jacobian(self) -> np.ndarray:
        """Return ∂r/∂z (m, n): slopes of accelerations, complex steps of what is beside them (and of all in loops)."""
        if not (self.functions or self.closed):
            return self._slopes()[self.rows]
        n, unit = len(self.unknowns), 1j * COMPLEX_STEP
        Q, V = np.tile(self.x.q.astype(complex), (n, 1)), np.tile(self.x.v.astype(complex), (n, 1))
        loads, tangent = self.loads, Chart(self.system, self.x).tangent()
        tau = np.tile(loads.vector(self.system, complex), (n, 1))
        for k, unknown in enumerate(self.unknowns):
            if unknown.kind == "position":
                Q[k] += unit * tangent[:, unknown.place]
            else:
                (V if unknown.kind == "rate" else tau)[k, unknown.place] += unit
        if self.closed:
            sites, wrenches = loads.rows(self.system)
            vdot = forward_rows(self.system, Q, V, tau, sites[None], wrenches[None])
        else:
            at = self.accelerations(self.x, self.loads.tau)
            vdot = np.ascontiguousarray(at + unit * self._slopes().T)
        states = [State(self.x.layout, q, v) for q, v in zip(Q, V)]
        parts = [vdot[:, self.rows], np.array([self.beside(x, a) for x, a in zip(states, vdot)])]
        return np.concatenate(parts, axis=1).imag.T / COMPLEX_STEP

    def _slopes(self) -> np.ndarray:
        """Return ∂v̇/∂z (nv, n) of a system without closures."""
        system, nothing = self.system, wrench_rows(self.system, ())
        vdot = self.accelerations(self.x, self.loads.tau)
        found = force_slopes(system, self.x, vdot, self.loads.rows(system), nothing)
        along = {"position": along_chart(Chart(system, self.x), found.q), "rate": found.v}
        along["force"] = -np.eye(system.nv)
        right = [along[unknown.kind][:, unknown.place] for unknown in self.unknowns]
        return found.solved(np.column_stack(right))


class ResidualEquations(Protocol):
    """Residuals at a point of a search; the last of them, after `n_own`, are closures, which are met in every step.

    floor : size of residuals, relative to `scale`, at which the search ends
    """

    floor: float

    @property
    def n(self) -> int:
        """How many unknowns there are."""
        ...

    def residual(self) -> np.ndarray:
        """Return r (m,)."""
        ...

    def jacobian(self) -> np.ndarray:
        """Return ∂r/∂z (m, n)."""
        ...

    def moved(self, step: np.ndarray) -> Self:
        """Return the equations at a point changed by a step."""
        ...

    def n_own(self, r: np.ndarray) -> int:
        """Return how many residuals are not those of closures."""
        ...

    def row_sizes(self, J: np.ndarray) -> np.ndarray:
        """Return sizes (m,) that the rows of the Jacobian are divided by."""
        ...

    def scale(self, before: np.ndarray, J: np.ndarray | None, step: np.ndarray | None) -> np.ndarray:
        """Return sizes (m,) that residuals are measured by;  before : those at the start of the search."""
        ...


@dataclass
class Solution(Generic[E]):
    """What Newton's method found: residuals before and after, steps, condition of the last Jacobian.

    weight (m,) : sizes of what balances;  weak (n,) : a direction that no residual depends on, or None
    """

    equations: E
    before: np.ndarray
    after: np.ndarray
    iterations: int
    condition: float
    weight: np.ndarray
    scale: np.ndarray
    weak: np.ndarray | None = None


def solve(equations: E, max_iterations: int) -> Solution[E]:
    """Run Newton's method with a line search to the floor of round-off; whether that is a solution is not judged."""
    r = before = equations.residual()
    scale, n = equations.scale(before, None, None), equations.n
    found = Solution(equations, before, r, 0, 1.0, np.full(r.shape, np.abs(r).max(initial=0.0)), scale)
    smallest, stalled, J, travelled = np.inf if np.any(r) else 0.0, 0, None, np.zeros(n)
    while n and found.iterations < max_iterations and stalled < 2 and smallest > equations.floor:
        found.iterations += 1
        fresh = J is None
        if J is None:
            J = equations.jacobian()
            tangent = Tangent(J, equations.n_own(r), equations.row_sizes(J))
            found.condition, found.weak = tangent.condition, tangent.weak
        step = tangent.step(r)
        found.scale = scale = equations.scale(before, J, step)
        smallest = _size(found.after, scale)
        if smallest <= equations.floor:
            break
        nearer = _search(equations, r, step, lambda r, scale=scale: _size(r, scale))
        if nearer is None:
            if not fresh:
                J = None
                continue
            # beyond a kink, as where an engine begins to push, residuals grow before the next Jacobian knows of them
            nearer = _search(equations, r, step, tangent.correction)
            if nearer is None:
                break
        last = _size(r, scale)
        equations, r, whole = nearer
        travelled = travelled + np.abs(step)
        # the sizes of what balances: round-off of them is all that may be left
        found.weight = np.abs(J) @ travelled + np.abs(before)
        size = _size(r, scale)
        if size > 1e-3 * smallest:
            J = None  # as long as a Jacobian brings three digits a step it is kept
        # beyond a kink residuals are above the least for some steps, while they fall
        stalled = stalled + 1 if whole and size > 0.5 * max(last, smallest) else 0
        if size < smallest:
            smallest, found.equations, found.after = size, equations, r
    return found


def _size(r: np.ndarray, scale: np.ndarray) -> float:
    return float(np.linalg.norm(r / scale))


def trimmed(
    problem: Problem, row_names: list[str], max_iterations: int, tolerance: float
) -> Solution[Problem]:
    """Return where the residuals of a vehicle vanish."""
    found = solve(problem, max_iterations)
    if problem.n == 0 or not np.any(found.before):
        return found
    problem, r, limit = found.equations, found.after, tolerance * found.weight
    # a row that nothing loads (by symmetry) still has the round-off of those that balance beside it
    m = problem.n_own(r)
    limit[:m] = np.maximum(limit[:m], 1e-3 * tolerance * found.weight[:m].max(initial=0.0))
    if np.any(np.abs(r) > limit) and np.any(np.abs(r) > np.maximum(limit, 100.0 * problem.noise(r))):
        raise _failure(problem, row_names, r, limit, found.iterations, found.weak)
    return found


class Tangent:
    """A Jacobian made ready for Newton steps, and what is odd about it.

    The first m rows are made least, on the tangent space of the others (closures), which are met. Columns are
    scaled first: modes of very different frequency stand side by side.
    rows : sizes that rows are divided by
    condition : of what is solved;  weak (n,) : a direction that no residual sees, or None
    """

    def __init__(self, J: np.ndarray, m: int, rows: np.ndarray):
        J = J / rows[:, None]
        columns = np.linalg.norm(J, axis=0)
        self.columns, self.m, self.rows = np.where(columns > 0.0, columns, 1.0), m, rows
        scaled = J / self.columns
        self.own, self.N, self.closing = scaled[:m], None, None
        if len(J) > m:
            self.closing = np.linalg.pinv(scaled[m:], rcond=1e-10)
            self.N = null_space(scaled[m:], rcond=1e-10)
        self.U, s, Vt = np.linalg.svd(self.own if self.N is None else self.own @ self.N, full_matrices=False)
        keep = s > 1e-12 * s[0] if s.size and s[0] > 0.0 else np.zeros(len(s), dtype=bool)
        self.condition = float(s[0] / s[keep][-1]) if keep.any() else np.inf
        self.weak = None if keep.all() else self._back(Vt[~keep][0])
        self.U, self.s, self.V = self.U[:, keep], s[keep], Vt[keep].T

    def _back(self, y: np.ndarray) -> np.ndarray:
        return y if self.N is None else self.N @ y

    def step(self, r: np.ndarray) -> np.ndarray:
        """Return the Newton step (n,) of residuals r."""
        r = r / self.rows
        rest, base = r[: self.m], 0.0
        if self.closing is not None:
            base = -self.closing @ r[self.m :]
            rest = rest + self.own @ base
        return (base - self._back(self.V @ ((self.U.T @ rest) / self.s))) / self.columns

    def correction(self, r: np.ndarray) -> float:
        """Return the length of the Newton step in scaled unknowns, their natural measure [Deuflhard 2004]."""
        return float(np.linalg.norm(self.step(r) * self.columns))


def _search(
    equations: E, r: np.ndarray, step: np.ndarray, size: Callable[[np.ndarray], float]
) -> tuple[E, np.ndarray, bool] | None:
    """Halve the step until the residuals are smaller, and say if it was whole; None if they never are.

    size : measure of residuals
    """
    start, length = size(r), 1.0
    for _ in range(HALVINGS):
        try:
            other = equations.moved(length * step)
            r_new = other.residual()
        except (ModelError, SolverError):
            length *= 0.5
            continue
        if np.isfinite(r_new).all() and size(r_new) <= (1.0 - 1e-4 * length) * start:
            return other, r_new, length == 1.0
        length *= 0.5
    return None


def _failure(problem, row_names, r, limit, iterations, weak) -> SolverError:
    """Say why a trim failed: which residual is left and what may be done."""
    ratio = np.abs(r) / np.maximum(limit, np.finfo(float).tiny)
    k = int(np.argmax(ratio))
    row = row_names[k] if k < len(row_names) else "a closure"
    if weak is not None:
        name = problem.unknowns[int(np.argmax(np.abs(weak)))].name
        hint = f"no residual changes with {name}: take it out of the unknowns, hold it with a spring, or add a residual"
    elif problem.n_own(r) > len(problem.unknowns):
        hint = "there are more residuals than unknowns: add unknowns"
    else:
        hint = (
            "there may be no steady state under these loads: start nearer to it, or apply the loads in parts"
        )
    return SolverError(
        "the trim did not converge",
        where=f"{iterations} iterations",
        expected=f"|{row}| <= {limit[k]:.2g}",
        got=f"{abs(r[k]):.3g}",
        hint=hint,
    )
