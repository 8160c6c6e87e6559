"""Ask about the closures of a system: errors, forces, dependent rows; choose how drift is held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError, ModelError, known_names
from interstage.multibody import impulse
from interstage.multibody.closures import ROUNDING, row_names
from interstage.multibody.kernels import closure as kernel
from interstage.multibody.kernels import closure_rows as rows
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

CLOSED = 1e-6  # error of a start (radians, or beside the size of the vehicle) that a simulation accepts
STABILIZATIONS = ("projection", "baumgarte", "none")


def kept(system: System) -> np.ndarray:
    """Return the numbers of the rows that are not left out."""
    return np.flatnonzero(system.tree.row_keep)


def in_use(system: System) -> np.ndarray:
    """Return a mask (m,) of the rows of closures that are not open."""
    return np.array([closure not in system._open for closure, _ in row_names(system.model)], dtype=bool)


def set_closure(system: System, name: str, closed: bool) -> None:
    """Open a closure, or close it again with all of its rows."""
    if name not in system.closures:
        raise InputError(f"there is no closure '{name}'", hint=known_names(system.closures))
    if closed:
        system._open.discard(name)
    else:
        system._open.add(name)
    for k, (closure, _) in enumerate(row_names(system.model)):
        if closure == name:
            system.tree.row_keep[k] = int(closed)


def carry(old: System, new: System, rows_too: bool = False) -> None:
    """Give a new system the choices made on an old one: stabilization, open closures, and rows left out if asked.

    A vehicle that has changed has other dependent rows: they are to be looked for again.
    """
    if not new.model.closures:
        return
    new.tree.closure_option[:] = old.tree.closure_option
    for name in old._open & set(new.closures):
        set_closure(new, name, False)
    if rows_too:
        new.tree.row_keep[:] = old.tree.row_keep


def name_of(system: System, row: int) -> str:
    """Return closure and words of a row."""
    closure, words = row_names(system.model)[row]
    return f"'{closure}' ({words})"


def errors(system: System, x: State, every: bool = False) -> np.ndarray:
    """Return C (m,) of the rows kept, or of all."""
    if not system.model.closures:
        return np.zeros(0, x.q.dtype)
    C = system.engine.closure_rows(x.q, x.v).closure_C
    return C.copy() if every else C[kept(system)]


def rates(system: System, x: State) -> np.ndarray:
    """Return Ċ (m,) of the rows kept."""
    if not system.model.closures:
        return np.zeros(0, x.q.dtype)
    return system.engine.closure_rows(x.q, x.v).closure_rate[kept(system)]


def jacobian(system: System, x: State) -> np.ndarray:
    """Return J (m, nv) of the rows kept, Ċ = J v."""
    return all_rows(system, x)[kept(system)]


def all_rows(system: System, x: State) -> np.ndarray:
    """Return J (m, nv) of all rows, left out or not."""
    J = np.empty((len(system.tree.row_kind), system.nv), x.q.dtype)
    if len(J):
        system.engine.closure_jacobian(x.q, np.zeros_like(x.v), J)
    return J


def kept_names(system: System) -> list[tuple[str, str]]:
    """Return (closure, words) of the rows kept."""
    names = row_names(system.model)
    return [names[k] for k in kept(system)]


def forces_of(system: System, x: State, *loads: Any) -> tuple[dict[str, np.ndarray], Any]:
    """Return the wrenches of closures under loads as in forward dynamics, and the scratch they came from."""
    if not system.model.closures:
        return {}, None
    system.forward_dynamics(x, *loads)
    work = system.engine.work(x.q.dtype)
    return closure_wrenches(system, work), work


def forces_for(
    system: System, x: State, vdot: np.ndarray, forces: dict | None, tau: Any, frame: str
) -> tuple[np.ndarray, Any]:
    """Return multipliers (m,) that go with accelerations, and the scratch: λ = (J M⁻¹Jᵀ)⁻¹ J M⁻¹ (τ_tree - τ).

    τ_tree are the forces that the tree alone would need for v̇; joints that are not free take what is left.
    """
    needed = system.inverse_dynamics(x, vdot, forces, frame)
    if tau is not None:
        needed = needed - np.where(system._held, 0.0, system._vector(tau, x.q.dtype, "tau"))
    status, work = system.engine.closure_response(x.q, x.v)
    if status != 0:
        system._refuse(status, x)
    k = kept(system)
    work.closure_f[:] = 0.0
    L = work.closure_L[np.ix_(k, k)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(L).real, 1e-300))
    L = scale[:, None] * L * scale[None, :]
    if len(k) and not np.linalg.eigvalsh(L.real)[0] > kernel.RANK:
        refuse(system, kernel.FIRST_ROW - int(k[0]), x)
    work.closure_f[k] = scale * np.linalg.solve(L, scale * (work.closure_X[k] @ needed))
    return work.closure_f, work


def drive_forces(
    system: System, x: State, vdot: np.ndarray, forces: dict | None, tau: Any, frame: str
) -> np.ndarray:
    """Return the generalized forces (nv,) that give v̇ with those of the closures taken out."""
    needed = system.inverse_dynamics(x, vdot, forces, frame)
    if not system.model.closures:
        return needed
    f = forces_for(system, x, vdot, forces, tau, frame)[0].copy()
    return needed - all_rows(system, x).T @ f


def closure_wrenches(system: System, work: Any) -> dict[str, np.ndarray]:
    """Return {closure: [t; f]} on the second end, at its place, world axes, from the multipliers in the scratch."""
    f, tree = work.closure_f[:, None], system.tree
    parts = np.concatenate([f * work.closure_n, f * work.closure_u], axis=1)
    first = tree.closure_row
    return {
        spec.name: parts[first[c] : first[c + 1]].sum(axis=0) for c, spec in enumerate(system.model.closures)
    }


def loads_of(system: System, wrenches: dict[str, np.ndarray], work: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return sites (k,) and wrenches (k, 6), world axes, that closures put on both of their ends."""
    sites, out = [], []
    for c, spec in enumerate(system.model.closures):
        a, b = (int(s) for s in system.tree.closure_site[c])
        w = wrenches[spec.name]
        if b >= 0:
            sites.append(b)
            out.append(w)
        if a >= 0:
            sites.append(a)
            arm = work.closure_r[c]
            out.append(-np.concatenate([w[:3] + np.cross(arm, w[3:]), w[3:]]))
    return np.array(sites, dtype=np.int64), np.array(out).reshape(-1, 6)


def balance(system: System, x: State, vdot: np.ndarray, forces: dict | None, tau: Any) -> None:
    """Leave the forces across joints in the scratch, closures acting as loads."""
    _, work = forces_for(system, x, vdot, forces, tau, "world")
    sites, wrenches = loads_of(system, closure_wrenches(system, work), work)
    more, others = system._loads(forces, "world", x)
    sites, wrenches = np.concatenate([sites, more]), np.concatenate([wrenches, others]).astype(x.q.dtype)
    system.engine.inverse(
        x.q, x.v, vdot, sites, np.ascontiguousarray(wrenches), np.empty(system.nv, x.q.dtype)
    )


# dependent rows ---------------------------------------------------------------------------------------


def dependent_rows(system: System, x: State) -> list[int]:
    """Return the rows that depend on rows before them at x, for the modes at hand.

    A row depends where its pivot in the scaled J M⁻¹Jᵀ vanishes, or where it cannot move at all.
    """
    tree, before, use = system.tree, system.tree.row_keep.copy(), in_use(system)
    tree.row_keep[:] = use
    try:
        status, work = system.engine.closure_response(x.q.real.copy(), np.zeros(system.nv))
        L = work.closure_L.copy()
    finally:
        tree.row_keep[:] = before
    if status != 0:
        system._refuse(status, x)
    diagonal = np.diag(L).copy()
    lengths = np.isin(tree.row_kind, (rows.ALONG, rows.SCREW_ROW))
    found, base = [], []
    for k in np.flatnonzero(use).tolist():
        if not diagonal[k] > kernel.STILL * diagonal[lengths == lengths[k]].max():
            found.append(k)
            continue
        trial = [*base, k]
        scale = 1.0 / np.sqrt(diagonal[trial])
        S = scale[:, None] * L[np.ix_(trial, trial)] * scale[None, :]
        rest = S[-1, :-1] @ np.linalg.solve(S[:-1, :-1], S[:-1, -1]) if base else 0.0
        if S[-1, -1] - rest > kernel.RANK:
            base = trial
        else:
            found.append(k)
    return found


def redundant(system: System, x: State) -> list[tuple[str, str]]:
    """Return (closure, words) of every row that depends on rows before it."""
    names = row_names(system.model)
    return [names[k] for k in dependent_rows(system, x)] if names else []


def drop_redundant(system: System, x: State) -> list[tuple[str, str]]:
    """Leave dependent rows out from now on; they must hold at x. Return (closure, words) of each."""
    names = row_names(system.model)
    found = dependent_rows(system, x) if names else []
    C = errors(system, x, every=True).real
    for k in found:
        if abs(C[k]) > CLOSED / ROUNDING * system.tree.row_tolerance[k]:
            raise ModelError(
                f"closure {name_of(system, k)} contradicts the others: it depends on them and does not hold",
                got=f"an error of {C[k]:.3g}",
                hint="call assemble first; if it fails there, the closures cannot hold together",
            )
    system.tree.row_keep[:] = in_use(system)
    system.tree.row_keep[found] = 0
    return [names[k] for k in found]


def refuse(system: System, status: int, x: State) -> None:
    """Say in a sentence what a closure kernel found."""
    if status == kernel.NOT_CLOSED:
        raise ModelError(
            "the closures could not be brought together after a step",
            got=worst(system, x),
            hint="use a smaller step; the mechanism may have run into a dead end",
        )
    row = kernel.FIRST_ROW - status
    listed = dependent_rows(system, x.copy()) or [row]
    raise ModelError(
        "closures say the same thing twice, or hold what cannot move: their forces are not determined",
        where=", ".join(name_of(system, k) for k in listed),
        expected="independent closures for the modes at hand",
        hint="use joints that leave these directions free (Ball, Cylindrical, Universal ...), more modes, or "
        "system.drop_redundant(x) to leave these rows out; at a dead centre, move away from it",
    )


def worst(system: System, x: State) -> str:
    """Say which closure is open the most."""
    C = np.abs(errors(system, x, every=True).real) * in_use(system)
    k = int(np.argmax(C / system.tree.row_tolerance))
    return f"an error of {C[k]:.3g} in closure {name_of(system, k)}"


def check_closed(system: System, x: State, tolerance: float = CLOSED) -> None:
    """Refuse a state whose closures are open, or opening."""
    if not system.model.closures:
        return
    unit = system.tree.row_tolerance / ROUNDING
    work = system.engine.closure_rows(x.q.real.copy(), x.v.real.copy())
    use = in_use(system)
    C, rate = np.abs(work.closure_C) * use, np.abs(work.closure_rate) * use
    for what, values, limit in (
        ("position", C, tolerance * unit),
        ("velocity", rate, tolerance * unit * (1.0 + np.abs(x.v).max(initial=0.0))),
    ):
        if np.any(values > limit):
            k = int(np.argmax(values / limit))
            raise InputError(
                f"the {what} of the state does not fit closure {name_of(system, k)}",
                expected=f"an error below {limit[k]:.1e}",
                got=f"{values[k]:.3g}",
                hint="call x = system.assemble(x) first",
            )


def stabilize(system: System, method: str, rate: float) -> None:
    """Choose how drift is held: projection after steps, Baumgarte's terms (α = β = rate), or not at all."""
    if method not in STABILIZATIONS:
        raise InputError("unknown stabilization", expected=", ".join(STABILIZATIONS), got=repr(method))
    if not isinstance(rate, int | float | np.number) or not np.isfinite(rate) or rate <= 0.0:
        raise InputError("the rate of Baumgarte's stabilization must be positive", got=repr(rate))
    soft = (2.0 * rate, rate**2) if method == "baumgarte" else (0.0, 0.0)
    system.tree.closure_option[:] = (float(method == "projection"), *soft)


def project(system: System, x: State) -> State:
    """Return x moved the least, in the metric of mass, to where closures hold in position and velocity."""
    y = x.copy(np.float64)
    if system.model.closures:
        q, v = y.q.copy(), y.v.copy()
        status = system.engine.project(q, v)
        if status != 0:
            system._refuse(status, y)
        y.q, y.v = q, v
    return y


# after changes of the vehicle ------------------------------------------------------------------------


def settled(old: System, x: State, new: System, y: State, body: str) -> State:
    """Return the state with closures that a change opened closed again, and rows that were left out dropped again.

    A change can open closures where it moves bodies: snapping, another inboard node, other flexible data.
    """
    if open_by(new, y) > 10.0 * max(1.0, open_by(old, x)):
        before = impulse.sums_of(new, y)
        y = new.assemble(y)
        impulse.fit_closures(new, y)
        if body in new._slices:
            root = int(impulse.trees_of(new)[new.body(body)])
            impulse.restore_center(new, y, root, before.center)
            impulse.restore_momentum(new, y, root, before)
    if old.model.closures and np.any(in_use(old) > old.tree.row_keep):
        drop_redundant(new, y)
    return y


def open_by(system: System, x: State) -> float:
    """Return how far closures are open, or how fast they open, in units of rounding."""
    if not system.model.closures:
        return 0.0
    work = system.engine.closure_rows(x.q, x.v)
    use, unit = in_use(system), system.tree.row_tolerance
    speed = 1.0 + np.abs(x.v).max(initial=0.0)
    return float(np.max(use * np.maximum(np.abs(work.closure_C), np.abs(work.closure_rate) / speed) / unit))
