"""Find steady states: deformations and joint angles at which chosen accelerations vanish.

A vehicle under thrust is steady when its structure is: the modes have taken up the load of the accelerated mass
and stand still, while the whole accelerates ("pre-load by the acceleration vector", NESC finding F-2). So modal
coordinates, and the angles of joints that springs hold, are the unknowns z, and their own accelerations the
residuals:

    r(z) = [ v̇_r(z);  φ(z) ] = 0,      z ← z - s (∂r/∂z)⁺ r

φ are the closures. The Jacobian comes from complex steps, the step length s from a line search; Newton's method
goes on until round-off stops it, because small errors of a trim make large ones in a linear model. With spin in
the state the same condition gives the shape that centrifugal forces hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import null_space

from interstage.errors import InputError, ModelError, SolverError, known_names
from interstage.linear.chart import Chart, position_names, turns, with_unit_quaternions
from interstage.linear.loads import Loads, in_world
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

STEP = 1e-40
Residual = Callable[["System", State, np.ndarray], ArrayLike]


@dataclass(frozen=True)
class TrimReport:
    """What a trim did: unknowns and their values, residuals before and after, what still accelerates."""

    unknowns: list[str]
    values: np.ndarray
    residuals: list[str]
    before: np.ndarray
    after: np.ndarray
    iterations: int
    condition: float
    accelerating: dict[str, float] = field(default_factory=dict)

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
        else:
            lines.append("nothing accelerates: an equilibrium")
        return "\n".join(lines)


class Trim(State):
    """A state found by `trim`, with the loads it was found for (`linearize` takes them up) and a `report`."""

    def __init__(self, x: State, loads: Loads, vdot: np.ndarray, report: TrimReport):
        super().__init__(x._slices, x.q, x.v)
        self.loads, self.vdot, self.report = loads, vdot, report

    def copy(self, dtype: type | None = None) -> State:
        """Return an independent copy with the same loads; of another number type a bare state."""
        if dtype is not None and np.dtype(dtype) != self.q.dtype:
            return super().copy(dtype)
        return Trim(self, self.loads.copy(), self.vdot.copy(), self.report)

    def __reduce__(self):
        return Trim, (State(self._slices, self.q, self.v), self.loads, self.vdot, self.report)

    def __repr__(self) -> str:
        return f"<Trim: {super().__repr__()[8:-1]}>\n{self.report}"


@dataclass
class _Unknown:
    """A scalar that the trim may change: kind "position", "rate" or "force", and its place in v."""

    name: str
    kind: str
    place: int


KINDS = ("position", "rate", "force")


class _Problem:
    """Residuals of a trim near a state, as a function of changes z of its unknowns."""

    def __init__(self, system: System, x: State, loads: Loads, unknowns: list[_Unknown], rows: np.ndarray):
        self.system, self.x, self.loads = system, x, loads
        self.unknowns, self.rows = unknowns, rows
        self.functions: list[Residual] = []
        self.closed = system.n_closure > 0
        moved = {u.place for u in unknowns if u.kind == "position"}
        self.fixed = [
            name for name, s in system._slices.items() if moved.isdisjoint(range(s.v.start, s.etadot.stop))
        ]

    def point(self, z: np.ndarray) -> tuple[State, np.ndarray]:
        """Return the state and the generalized forces after a change."""
        nv = self.system.nv
        dq, dv, tau = np.zeros(nv, z.dtype), np.zeros(nv, z.dtype), self.loads.tau.astype(z.dtype)
        for unknown, value in zip(self.unknowns, z):
            {"position": dq, "rate": dv, "force": tau}[unknown.kind][unknown.place] += value
        return Chart(self.system, self.x).state(dq, dv), tau

    def moved(self, z: np.ndarray) -> _Problem:
        """Return the problem about a changed state, its closures closed again."""
        x, tau = self.point(z)
        if self.closed:
            x = self.system.assemble(x, fixed=self.fixed)
        loads = self.loads.copy()
        loads.tau = tau
        other = _Problem(self.system, x, loads, self.unknowns, self.rows)
        other.functions = self.functions
        return other

    def accelerations(self, x: State, tau: np.ndarray) -> np.ndarray:
        """Return v̇ (nv,) under the loads."""
        world = in_world(self.system, x, self.loads.forces)
        return self.system.forward_dynamics(
            x, forces=world or None, tau=tau, accelerations=self.loads.accelerations or None
        )

    def residual(self, z: np.ndarray) -> np.ndarray:
        """Return r (m,): chosen accelerations, the user's functions, closures."""
        x, tau = self.point(z)
        vdot = self.accelerations(x, tau)
        parts = [vdot[self.rows]]
        parts += [np.atleast_1d(np.asarray(f(self.system, x, vdot))) for f in self.functions]
        if self.closed:
            parts += [self.system.closure_error(x), self.system.closure_rate(x)]
        return np.concatenate(parts)

    def noise(self, r: np.ndarray) -> float:
        """Return how much round-off of the state changes residuals: a state may be steady before a trim starts."""
        rng, still = np.random.default_rng(3), np.zeros(len(self.unknowns))
        largest = 0.0
        for _ in range(3):
            x, size = self.x.copy(), np.abs(self.x.q)
            for where in x._slices.values():
                size[where.q] += 1.0  # angles and quaternions; a mode at zero stays there
            x.q += 4e-16 * size * rng.normal(size=len(x.q))
            x.v *= 1.0 + 4e-16 * rng.normal(size=len(x.v))
            other = _Problem(self.system, x, self.loads, self.unknowns, self.rows)
            other.functions = self.functions
            largest = max(largest, float(np.abs(other.residual(still) - r).max(initial=0.0)))
        return largest

    def n_own(self, r: np.ndarray) -> int:
        """Return how many residuals are not those of closures."""
        return len(r) - (2 * self.system.n_closure if self.closed else 0)

    def jacobian(self) -> np.ndarray:
        """Return ∂r/∂z (m, n) by complex steps."""
        columns = []
        for k in range(len(self.unknowns)):
            step = np.zeros(len(self.unknowns), complex)
            step[k] = 1j * STEP
            columns.append(self.residual(step).imag / STEP)
        return np.stack(columns, axis=1)


def trim(
    system: System,
    x: State,
    forces: Mapping[Any, ArrayLike] | None = None,
    tau: ArrayLike | None = None,
    accelerations: Mapping[str, ArrayLike] | None = None,
    *,
    frame: str = "world",
    unknowns: Sequence[Any] | None = None,
    residuals: Sequence[Any] | None = None,
    max_iterations: int = 50,
    tolerance: float = 1e-9,
) -> Trim:
    """Return a state near x in which chosen accelerations vanish under constant loads.

    Parameters
    ----------
    forces, tau, accelerations, frame : as in `linearize`; thrust follows the engine: frame="body" or "node"
    unknowns : names as in "panel.eta", "panel.eta3", "engine.angle", "engine" (its joint and modes), or pairs
        ("rate", "wheel.angle"), ("force", "engine.angle") for velocities and generalized forces. Default: modal
        coordinates, joints that springs hold, and joints in loops but free ones
    residuals : names of accelerations that shall vanish, or functions f(system, x, vdot) that shall (they must
        take complex states). Default: those of the unknown coordinates
    tolerance : residuals left, relative to those of the single forces that balance, at which a trim has failed
    """
    loads = Loads.of(system, forces, tau, accelerations, frame)
    if not isinstance(x, State) or len(x.q) != system.nq or np.iscomplexobj(x.q):
        raise InputError("not a real state of this system", where="x", got=repr(x)[:60])
    chosen = _unknowns(system, x, unknowns)
    rows, functions, row_names = _residuals(system, residuals, chosen)
    start = with_unit_quaternions(x)
    for u in chosen:
        if u.kind == "position" and unknowns is None:
            start.v[u.place] = 0.0
    problem = _Problem(system, start, loads, chosen, rows)
    problem.functions = functions
    solved, before, after, iterations, condition = _solve(problem, row_names, max_iterations, tolerance)
    state, loads = solved.x, solved.loads
    vdot = solved.accelerations(state, loads.tau)
    report = TrimReport(
        [u.name for u in chosen],
        _values(system, start, state, loads.tau, chosen),
        row_names,
        before[: len(row_names)],
        after[: len(row_names)],
        iterations,
        condition,
        _accelerating(system, vdot, before, after),
    )
    return Trim(state, loads, vdot, report)


def _values(system: System, start: State, x: State, tau: np.ndarray, chosen: list[_Unknown]) -> np.ndarray:
    """Return what the unknowns are now; turns of ball and free joints and free positions as changes."""
    out = np.zeros(len(chosen))
    for k, u in enumerate(chosen):
        place = system.tree.v_q[u.place]
        if u.kind == "rate":
            out[k] = x.v[u.place]
        elif u.kind == "force":
            out[k] = tau[u.place]
        else:
            out[k] = x.q[place] if place >= 0 else turns(system, start, x)[u.place]
    return out


def _accelerating(
    system: System, vdot: np.ndarray, before: np.ndarray, after: np.ndarray
) -> dict[str, float]:
    """Return {name: v̇} of what is not at rest, largest first."""
    floor = max(
        1e-9 * float(np.abs(vdot).max(initial=0.0)), 10.0 * float(np.abs(after).max(initial=0.0)), 1e-12
    )
    names = system.velocity_names()
    order = np.argsort(-np.abs(vdot), kind="stable")
    return {names[k]: float(vdot[k]) for k in order if abs(vdot[k]) > floor}


def _unknowns(system: System, x: State, wanted: Sequence[Any] | None) -> list[_Unknown]:
    names = position_names(system)
    if wanted is None:
        places = _default_places(system, x)
        return [_Unknown(names[k], "position", int(k)) for k in places]
    found: dict[tuple[str, int], _Unknown] = {}
    for item in [wanted] if isinstance(wanted, str) else wanted:
        kind, name = item if isinstance(item, tuple) and len(item) == 2 else ("position", item)
        if kind not in KINDS:
            raise InputError(
                "unknown kind of unknown", where="unknowns", expected=", ".join(KINDS), got=repr(kind)
            )
        for k in _named(system, name, "unknowns"):
            if kind == "force" and system._held[k]:
                raise InputError(f"the joint of '{names[k]}' is not free: a force there does nothing")
            prefix = "" if kind == "position" else f"{kind} of "
            found[kind, k] = _Unknown(prefix + names[k], kind, k)
    return list(found.values())


def _default_places(system: System, x: State) -> np.ndarray:
    """Return places in v of modes, of free joints with springs, and of joints of loops but Free ones."""
    tree, chosen, looped = system.tree, np.zeros(system.nv, dtype=bool), _looped(system, x)
    for i, where in enumerate(system._slices.values()):
        chosen[where.etadot] = True
        if tree.joint_mode[i] != 0:
            continue
        chosen[where.v] = tree.v_stiffness[where.v] != 0.0
        if looped[where.v].any() and where.v.stop - where.v.start < 6:
            chosen[where.v] = True
    return np.flatnonzero(chosen)


def _looped(system: System, x: State) -> np.ndarray:
    """Return a mask (nv,) of velocities that closures see: a wheel beside a loop keeps its spin."""
    if not getattr(system, "n_closure", 0):
        return np.zeros(system.nv, dtype=bool)
    shift = 0.1 * np.random.default_rng(5).normal(size=system.nv)  # no column vanishes by chance of the pose
    shift[[k for s in system._slices.values() for k in range(s.etadot.start, s.etadot.stop)]] = 0.0
    J = np.abs(system.closure_jacobian(Chart(system, x).state(shift, None)))
    return J.max(axis=0) > 1e-9 * J.max()


def _named(system: System, name: Any, where: str) -> list[int]:
    """Return places in v of a name: a body, "body.eta", or one coordinate."""
    names, rates = position_names(system), system.velocity_names()
    if isinstance(name, str):
        if name in names:
            return [names.index(name)]
        if name in rates:
            return [rates.index(name)]
        body, _, part = name.rpartition(".")
        if part == "eta" and body in system._slices:
            return list(range(system._slices[body].etadot.start, system._slices[body].etadot.stop))
        if name in system._slices:
            return list(range(system._slices[name].v.start, system._slices[name].etadot.stop))
    raise InputError(
        f"there is no coordinate {name!r}", where=where, hint=known_names([*system.bodies, *names])
    )


def _residuals(
    system: System, wanted: Sequence[Any] | None, unknowns: list[_Unknown]
) -> tuple[np.ndarray, list[Residual], list[str]]:
    names = system.velocity_names()
    if wanted is None:
        rows = [u.place for u in unknowns]
        return np.array(rows, dtype=np.int64), [], [f"acceleration of {names[k]}" for k in rows]
    rows, functions, own = [], [], []
    for item in [wanted] if isinstance(wanted, str) or callable(wanted) else wanted:
        if callable(item):
            functions.append(item)
            own.append(getattr(item, "__name__", "function"))
        else:
            rows += _named(system, item, "residuals")
    return np.array(rows, dtype=np.int64), functions, [f"acceleration of {names[k]}" for k in rows] + own


def _solve(
    problem: _Problem, row_names: list[str], max_iterations: int, tolerance: float
) -> tuple[_Problem, np.ndarray, np.ndarray, int, float]:
    """Run Newton's method with a line search to the floor of round-off."""
    still = np.zeros(len(problem.unknowns))
    r = before = problem.residual(still)
    if len(still) == 0 or not np.any(r):
        return problem, before, r, 0, 1.0
    best, condition, stalled = (float(np.linalg.norm(r)), problem, r), 1.0, 0
    weak, J, iteration, travelled = None, None, 0, still
    weight = np.full(r.shape, np.abs(r).max())
    while iteration < max_iterations and stalled < 2 and best[0] > 0.0:
        iteration += 1
        fresh = J is None
        if fresh:
            J = problem.jacobian()
        step, condition, weak = _newton_step(J, r, problem.n_own(r))
        found = _search(problem, r, step)
        if found is None:
            if fresh:
                break
            J = None
            continue
        problem, r, whole = found
        travelled = travelled + np.abs(step)
        # the sizes of what balances: round-off of them is all that may be left
        weight = np.abs(J) @ travelled + np.abs(before)
        size = float(np.linalg.norm(r))
        if size > 1e-3 * best[0]:
            J = None  # as long as a Jacobian brings three digits a step it is kept
        stalled = stalled + 1 if whole and size > 0.5 * best[0] else 0
        if size < best[0]:
            best = size, problem, r
    _, problem, r = best
    limit = tolerance * weight
    # a row that nothing loads (by symmetry) still has the round-off of those that balance beside it
    m = problem.n_own(r)
    limit[:m] = np.maximum(limit[:m], 1e-3 * tolerance * weight[:m].max(initial=0.0))
    if np.any(np.abs(r) > limit) and np.any(np.abs(r) > np.maximum(limit, 100.0 * problem.noise(r))):
        raise _failure(problem, row_names, r, limit, iteration, weak)
    return problem, before, r, iteration, condition


def _newton_step(J: np.ndarray, r: np.ndarray, m: int) -> tuple[np.ndarray, float, np.ndarray | None]:
    """Return a step, the condition of what it solves, and a direction that no residual sees (None: there is none).

    The first m rows are made least, on the tangent space of the others (closures), which are met. Columns are
    scaled first: modes of very different frequency stand side by side.
    """
    columns = np.linalg.norm(J, axis=0)
    columns = np.where(columns > 0.0, columns, 1.0)
    scaled = J / columns
    base, N = np.zeros(J.shape[1]), np.eye(J.shape[1])
    if len(J) > m:
        base, N = -np.linalg.pinv(scaled[m:], rcond=1e-10) @ r[m:], null_space(scaled[m:], rcond=1e-10)
    U, s, Vt = np.linalg.svd(scaled[:m] @ N, full_matrices=False)
    keep = s > 1e-12 * s[0] if s.size and s[0] > 0.0 else np.zeros(len(s), dtype=bool)
    rest = r[:m] + scaled[:m] @ base
    y = base - N @ (Vt[keep].T @ ((U[:, keep].T @ rest) / s[keep]))
    condition = float(s[0] / s[keep][-1]) if keep.any() else np.inf
    return y / columns, condition, None if keep.all() else N @ Vt[~keep][0]


def _search(problem: _Problem, r: np.ndarray, step: np.ndarray) -> tuple[_Problem, np.ndarray, bool] | None:
    """Halve the step until the residual is smaller, and say if it was whole; None if it never is."""
    size, length = float(np.linalg.norm(r)), 1.0
    still = np.zeros(len(step))
    for _ in range(12):
        try:
            other = problem.moved(length * step)
            r_new = other.residual(still)
        except (ModelError, SolverError):
            length *= 0.5
            continue
        if np.isfinite(r_new).all() and np.linalg.norm(r_new) <= (1.0 - 1e-4 * length) * size:
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
