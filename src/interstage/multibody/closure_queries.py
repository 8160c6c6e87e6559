"""Ask about the closures of a system: errors, forces, dependent rows; choose how drift is held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, ModelError, known_names
from interstage.multibody import conservation, impulse
from interstage.multibody.arrays import Work
from interstage.multibody.closures import ROUNDING, answers, in_use, kept, row_names
from interstage.multibody.kernel_interface import Scratch
from interstage.multibody.kernels import closure_forces as kernel
from interstage.multibody.loads import AllKinds, Forces, as_forces, of_all_kinds, wrench_rows
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.system import System


CLOSED = 1e-6  # error of a start (radians, or beside the size of the vehicle) that a simulation accepts
STABILIZATIONS = ("projection", "baumgarte", "none")


def set_closure(system: System, name: str, closed: bool) -> None:
    """Open a closure, or close it again.

    Rows that were left out because others said the same are left out again when those are back, and hold by themselves
    as long as they are not.
    """
    if name not in system.closures:
        raise InputError(f"there is no closure '{name}'", hint=known_names(system.closures))
    settings = system.settings
    settings.opened = settings.opened - {name} if closed else settings.opened | {name}
    keep_rows(system)


def keep_rows(system: System) -> None:
    """Write which rows hold: those of closures that are not open, less those that others make superfluous."""
    settings = system.settings
    settings.row_keep[:] = in_use(system)
    for row, others in settings.dropped.items():
        if not others & settings.opened:
            settings.row_keep[row] = 0


def carry(old: System, new: System) -> None:
    """Give a new system the choices made on an old one: stabilization and open closures.

    A vehicle that has changed has other dependent rows: they are to be looked for again.
    """
    if not new.model.closures:
        return
    new.settings.closure_option[:] = old.settings.closure_option
    for name in old.settings.opened & set(new.closures):
        set_closure(new, name, False)


def name_of(system: System, row: int) -> str:
    """Return closure and words of a row."""
    closure, words = row_names(system.model)[row]
    return f"'{closure}' ({words})"


def errors(system: System, x: State, every: bool = False) -> np.ndarray:
    """Return C (m,) of the rows kept, or of all."""
    if not system.model.closures:
        return np.zeros(0, x.q.dtype)
    C = _look(system, x)[0]
    return C if every else C[kept(system)]


def rates(system: System, x: State) -> np.ndarray:
    """Return Ċ (m,) of the rows kept."""
    if not system.model.closures:
        return np.zeros(0, x.q.dtype)
    return _look(system, x)[1][kept(system)]


def _look(system: System, x: State) -> tuple[np.ndarray, np.ndarray]:
    """Return C and Ċ (m,) of all rows."""
    with system.engine.borrow(x.q.dtype) as scratch:
        work = scratch.closure_rows(x.q, x.v)
        return work.closure_C.copy(), work.closure_rate.copy()


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


def forces_of(
    system: System, x: State, loads: AllKinds, frame: str = "world"
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return wrenches and multipliers (m,) of closures under loads as in forward dynamics."""
    if not system.model.closures:
        return {}, np.zeros(0, x.q.dtype)
    forces, tau, accelerations = of_all_kinds(*loads)
    tau = system.generalized_input(tau, accelerations, x.q.dtype)
    acting = wrench_rows(system, as_forces(forces, frame), x.q.dtype)
    with system.engine.borrow(x.q.dtype) as scratch:
        _, status = system.forward_on(scratch, x, tau, *acting)
        found = closure_wrenches(system, scratch.work), scratch.work.closure_f.copy()
    if status != 0:
        system.refuse(status, x)
    return found


def forces_for(
    system: System,
    scratch: Scratch,
    x: State,
    vdot: np.ndarray,
    forces: Forces | None,
    tau: ArrayLike | None,
    frame: str,
) -> None:
    """Leave multipliers (m,) that go with accelerations in the scratch: λ = (J M⁻¹Jᵀ)⁻¹ J M⁻¹ (τ_tree - τ).

    τ_tree are the forces that the tree alone would need for v̇; joints that are not free take what is left.
    """
    tau, acting = of_all_kinds(forces, tau, None)[1], wrench_rows(system, as_forces(forces, frame), x.q.dtype)
    needed = np.empty_like(vdot)
    scratch.inverse(x.q, x.v, vdot, *acting, needed)
    status, work = scratch.closure_response(x.q, x.v), scratch.work
    if status != 0:
        system.refuse(status, x)
    k = kept(system)
    L = work.closure_L[np.ix_(k, k)]
    still = ~(np.diag(L).real > work.closure_rest[k].real)
    if still.any():
        refuse(system, kernel.FIRST_ROW - int(k[still][0]), x)
    scale = 1.0 / np.sqrt(np.diag(L).real)
    if len(k) and not np.linalg.eigvalsh((scale[:, None] * L * scale[None, :]).real)[0] > kernel.RANK:
        refuse(system, kernel.FIRST_ROW - int(k[0]), x)
    X = work.closure_X[k].copy()
    if system.stiffens:  # forces of closures change the stiffness besides
        L = X @ (needed[:, None] - _under_units(system, scratch, x, vdot, acting, k))
    L = scale[:, None] * L * scale[None, :]
    given = 0.0 if tau is None else np.where(system.held, 0.0, system.vector(tau, x.q.dtype, "tau"))
    f = scale * np.linalg.solve(L, scale * (X @ (needed - given)))
    if system.stiffens:  # the slopes are differences of large numbers
        work.closure_f[:] = 0.0
        work.closure_f[k] = f
        left = closed_inverse(system, scratch, x, vdot, *acting) - given
        f += scale * np.linalg.solve(L, scale * (X @ left))
    work.closure_f[:] = 0.0
    work.closure_f[k] = f


def _under_units(
    system: System,
    scratch: Scratch,
    x: State,
    vdot: np.ndarray,
    acting: tuple[np.ndarray, np.ndarray],
    which: np.ndarray,
) -> np.ndarray:
    """Return forces (nv, k) that give v̇, each with the unit multiplier of a row acting besides."""
    out = np.empty((len(which), system.nv), vdot.dtype)
    for k, needed in zip(which, out):
        scratch.work.closure_f[:] = 0.0
        scratch.work.closure_f[k] = 1.0
        scratch.inverse(x.q, x.v, vdot, *with_closures(system, scratch.work, *acting), needed)
    return out.T


def closed_inverse(
    system: System,
    scratch: Scratch,
    x: State,
    vdot: np.ndarray,
    sites: np.ndarray,
    wrenches: np.ndarray,
) -> np.ndarray:
    """Return the generalized forces (nv,) that give v̇ with those of the multipliers in the scratch taken out."""
    tau = np.empty_like(vdot)
    scratch.closure_rows(x.q, x.v)
    scratch.inverse(x.q, x.v, vdot, *with_closures(system, scratch.work, sites, wrenches), tau)
    return tau


def drive_forces(
    system: System, x: State, vdot: np.ndarray, forces: Forces | None, tau: ArrayLike | None, frame: str
) -> np.ndarray:
    """Return the generalized forces (nv,) that give v̇ with those of the closures taken out."""
    if not system.model.closures:
        return system.inverse_dynamics(x, vdot, forces, frame)
    acting = wrench_rows(system, as_forces(forces, frame), x.q.dtype)
    with system.engine.borrow(x.q.dtype) as scratch:
        forces_for(system, scratch, x, vdot, forces, tau, frame)
        return closed_inverse(system, scratch, x, vdot, *acting)


def closure_wrenches(system: System, work: Work) -> dict[str, np.ndarray]:
    """Return {closure: [t; f]} on the second end, at its place, world axes, from the multipliers in the scratch."""
    f, tree = work.closure_f[:, None], system.tree
    parts = np.concatenate([f * work.closure_n, f * work.closure_u], axis=1)
    first = tree.closure_row
    return {
        spec.name: parts[first[c] : first[c + 1]].sum(axis=0) for c, spec in enumerate(system.model.closures)
    }


def loads_of(system: System, wrenches: dict[str, np.ndarray], work: Work) -> tuple[np.ndarray, np.ndarray]:
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


def with_closures(
    system: System, work: Work, sites: np.ndarray, wrenches: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return sites (k,) and wrenches (k, 10) with those of the multipliers in the scratch before them."""
    more, others = loads_of(system, closure_wrenches(system, work), work)
    others = np.hstack([others, np.zeros((len(others), wrenches.shape[1] - 6))])
    return np.concatenate([more, sites]), np.concatenate([others, wrenches]).astype(wrenches.dtype)


@contextmanager
def joint_forces(
    system: System, x: State, vdot: np.ndarray, forces: Forces | None, tau: ArrayLike | None
) -> Iterator[tuple[Work, np.ndarray, np.ndarray]]:
    """Give scratch with the forces across joints in z and site_z, sites (k,) and wrenches (k, 10) of what acts.

    System act as loads.
    """
    dtype = x.q.dtype
    sites, wrenches = wrench_rows(system, as_forces(forces, "world"), x.q.dtype)
    with system.engine.borrow(dtype) as scratch:
        if system.model.closures:
            forces_for(system, scratch, x, vdot, forces, tau, "world")
            sites, wrenches = with_closures(system, scratch.work, sites, wrenches)
        scratch.inverse(x.q, x.v, vdot, sites, wrenches, np.empty(system.nv, dtype))
        yield scratch.work, sites, wrenches


def joint_wrenches(
    system: System, x: State, vdot: np.ndarray, forces: Forces | None, tau: ArrayLike | None
) -> np.ndarray:
    """Return the forces (N, 6) across joints, closures acting as loads."""
    with joint_forces(system, x, vdot, forces, tau) as (work, _, _):
        return work.z[:-1].copy()


# dependent rows ---------------------------------------------------------------------------------------


def dependent_rows(system: System, x: State) -> dict[int, frozenset[str]]:
    """Return the rows that depend on rows before them at x, for the modes at hand, and on the rows of which closures.

    A row depends where its pivot in the scaled J M⁻¹Jᵀ vanishes, or where it cannot move at all (`stillness`).
    """
    use = in_use(system)
    L, rest, status = answers(system, x)
    if status != 0:
        system.refuse(status, x)
    diagonal = np.diag(L).copy()
    names = [closure for closure, _ in row_names(system.model)]
    found: dict[int, frozenset[str]] = {}
    base: list[int] = []
    for k in np.flatnonzero(use).tolist():
        if not diagonal[k] > rest[k]:
            found[k] = frozenset()
            continue
        trial = [*base, k]
        scale = 1.0 / np.sqrt(diagonal[trial])
        S = scale[:, None] * L[np.ix_(trial, trial)] * scale[None, :]
        parts = np.linalg.solve(S[:-1, :-1], S[:-1, -1])
        if S[-1, -1] - S[-1, :-1] @ parts > kernel.RANK:
            base = trial
        else:
            found[k] = frozenset(names[base[j]] for j in np.flatnonzero(np.abs(parts) > 1e-6))
    return found


def redundant(system: System, x: State) -> list[tuple[str, str]]:
    """Return (closure, words) of every row that depends on rows before it."""
    names = row_names(system.model)
    return [names[k] for k in dependent_rows(system, x)] if names else []


def drop_redundant(system: System, x: State) -> list[tuple[str, str]]:
    """Leave dependent rows out from now on; they must hold at x. Return (closure, words) of each."""
    names = row_names(system.model)
    found = dependent_rows(system, x) if names else {}
    C = errors(system, x, every=True).real
    for k in found:
        if abs(C[k]) > CLOSED / ROUNDING * system.tree.row_tolerance[k]:
            raise ModelError(
                f"closure {name_of(system, k)} contradicts the others: it depends on them and does not hold",
                got=f"an error of {C[k]:.3g}",
                hint="call assemble first; if it fails there, the closures cannot hold together",
            )
    # what was left out before, and waits for closures that are open now, is not forgotten
    opened, use = system.settings.opened, in_use(system)
    waiting = {k: on for k, on in system.settings.dropped.items() if not use[k] or on & opened}
    system.settings.dropped = waiting | found
    keep_rows(system)
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
    listed = list(dependent_rows(system, x.copy())) or [row]
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
    C, rate = (np.abs(a) * in_use(system) for a in _look(system, State(x.layout, x.q.real, x.v.real)))
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
    if not isinstance(rate, int | float | np.integer | np.floating) or not np.isfinite(rate) or rate <= 0.0:
        raise InputError("the rate of Baumgarte's stabilization must be positive", got=repr(rate))
    soft = (2.0 * rate, rate**2) if method == "baumgarte" else (0.0, 0.0)
    system.settings.closure_option[:] = (float(method == "projection"), *soft)


def project(system: System, x: State) -> State:
    """Return x moved the least, in the metric of mass, to where closures hold in position and velocity."""
    y = x.copy(np.float64)
    if system.model.closures:
        q, v = y.q.copy(), y.v.copy()
        status = system.engine.project(q, v)
        if status != 0:
            system.refuse(status, y)
        y.q, y.v = q, v
    return y


# after changes of the vehicle ------------------------------------------------------------------------


def settled(old: System, x: State, new: System, y: State, body: str) -> State:
    """Return the state with closures that a change opened closed again, and rows that were left out dropped again.

    A change can open closures where it moves bodies: snapping, another inboard node, other flexible data.
    """
    if open_by(new, y) > 10.0 * max(1.0, open_by(old, x)):
        before = y.copy()
        y = new.assemble(y)
        impulse.fit_closures(new, y)
        if body in new.layout:
            root = int(impulse.trees_of(new)[new.body(body)])
            conservation.restore_center(new, y, root, new, before)
            conservation.restore_momentum(new, y, root, new, before)
    if old.model.closures and old.settings.dropped:
        drop_redundant(new, y)
    return y


def open_by(system: System, x: State) -> float:
    """Return how far closures are open, or how fast they open, in units of rounding."""
    if not system.model.closures:
        return 0.0
    C, rate = _look(system, x)
    use, unit = in_use(system), system.tree.row_tolerance
    speed = 1.0 + np.abs(x.v).max(initial=0.0)
    return float(np.max(use * np.maximum(np.abs(C), np.abs(rate) / speed) / unit))
