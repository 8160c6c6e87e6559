"""How far a linear model holds: limits of devices that are active at its point, and a structure out of balance.

Modes, and joints that springs hold, do not accelerate at a point in balance (`trim`); the rigid vehicle may. A step of
Newton's method with the derivatives at hand says how far they would move, δ = -(∂v̇/∂q)⁻¹ v̇, and a second model there
how much the poles change. (NESC finding F-2: under a load that the structure has not taken up it is another vehicle.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import scipy

from interstage.errors import FidelityWarning, InterstageError, caller_level
from interstage.linear.chart import position_names
from interstage.linear.plant import Derivatives, Plant, state_matrix
from interstage.multibody.fidelity import notes_on_stiffening, warn_of_spin
from interstage.simulation.plant.device import Device

if TYPE_CHECKING:
    from interstage.linear.assembly_plant import AssemblyPlant
    from interstage.multibody.system import System

SHIFT = (
    0.01  # change of a pole beside its size that is warned of: frequencies of structures are not known better
)
SLOW = 0.1  # rad/s: poles below count as this: those of rigid motion are zero but for round-off
NOTHING = 1e-9  # of the size of a pole: what round-off in a balance moves it by
BALANCED = 1e-6  # accelerations left, beside those of the springs that hold the structure, that are none
ROUND_OFF = 1e-12  # displacements (of unit modes, rad, lengths) that are none, in closed loops
MOST = 4  # names in a message

Shifted = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def limits_at(plant: AssemblyPlant) -> tuple[list[str], list[str]]:
    """Return the limits of devices that are active at the point of an assembly, and those around it, in words."""
    loop, x = plant.begin({name: np.zeros(n) for name, n in plant.sizes().items()}, plant.vectors)
    plant.done(loop, loop.right_side(x.q, x.v, plant.t, np.empty_like(x.q), np.empty_like(x.v)))
    active: list[str] = []
    inside: list[str] = []
    for part in plant.plan.parts:
        if not isinstance(part.what, Device) or type(part.what).limits_at is Device.limits_at:
            continue
        for one in part.what.limits_at(loop.tapes.view(part), plant.t):
            if one.active:
                active.append(f"'{part.path}' ({type(part.what).__name__}): {one}")
            else:
                inside.append(f"{part.path}.{one.what} = {one.value:.4g} within {one.range}")
    return active, inside


def notes_on_limits(plant: AssemblyPlant) -> tuple[str, ...]:
    """Warn of limits that are active at the point of an assembly; return notes on these, and on those around it."""
    active, inside = limits_at(plant)
    notes = [f"at an active limit: {words}" for words in active]
    if active:
        warnings.warn(
            f"the linear model is at {len(active)} active limit{'s' * (len(active) > 1)}, where a device does not "
            f"respond as within them: {'; '.join(active[:MOST])}{' ...' * (len(active) > MOST)}; linearize at a point "
            "within the limits, or without them",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    if inside:
        more = f" and {len(inside) - MOST} more" if len(inside) > MOST else ""
        notes.append(f"holds for {', '.join(inside[:MOST])}{more}")
    return tuple(notes)


def elastic_places(system: System) -> np.ndarray:
    """Return the places in v of modes and of free joints that springs hold."""
    chosen = np.zeros(system.nv, dtype=bool)
    for i, where in enumerate(system.layout.values()):
        chosen[where.etadot] = True
        if system.settings.joint_mode[i] == 0:
            chosen[where.v] = system.tree.v_stiffness[where.v] != 0.0
    return np.flatnonzero(chosen)


def notes_on_point(
    plant: Plant,
    own: tuple[str, ...],
    vdot: np.ndarray,
    A: np.ndarray | None = None,
    found: Derivatives | None = None,
) -> tuple[str, ...]:
    """Warn of what matters for a model of a vehicle at a point, and return notes on it.

    own : of the plant;  vdot (nv,) : accelerations at the point
    A, found : of the model in continuous time and its derivatives, where they are known
    """
    system = plant.system
    notes = own + notes_on_balance(plant, vdot, A, found) if vdot.any() else own
    notes += notes_on_stiffening(system, plant.x0, vdot, plant.loads, plant.gravity())
    return *notes, *system.model.notes, *warn_of_spin(system, plant.x0)


def notes_on_balance(
    plant: Plant, vdot: np.ndarray, A: np.ndarray | None = None, found: Derivatives | None = None
) -> tuple[str, ...]:
    """Warn of a state out of balance where that matters for the poles, and return notes on it."""
    system = plant.system
    places = elastic_places(system)
    if len(plant.free) < system.nv:
        places = np.intersect1d(places, plant.free)
    if not vdot[places].any():
        return ()
    here = state_matrix(plant.moved_to(plant.x0)) if A is None else A
    if found is not None and found.coordinates is not None:
        slopes = found.coordinates[np.ix_(places, places)]
    elif system.n_closure:
        slopes = np.zeros((len(places), len(places)))
    else:
        at = np.searchsorted(plant.free, places)
        slopes = here[np.ix_(len(plant.free) + at, at)]

    def shifted(change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return here, state_matrix(plant.moved_to(plant.chart.state(change, None)))

    return _notes_on_shift(system, plant.x0.q, vdot, places, slopes, shifted)


def _notes_on_shift(
    system: System, q: np.ndarray, vdot: np.ndarray, places: np.ndarray, slopes: np.ndarray, shifted: Shifted
) -> tuple[str, ...]:
    """Return notes on what would move if the structure came to rest, and warn where it changes poles.

    vdot (nv,) : accelerations at the point;  places : of the elastic motions in v, slopes : ∂v̇/∂q among them
    shifted : returns A of the model here, and after a change (nv,) of the coordinates
    """
    left, at = vdot[places], system.tree.v_q[places]
    held = np.abs(slopes) @ np.where(at >= 0, np.abs(q[at]), 0.0)
    out = np.abs(left) > BALANCED * np.maximum(held, BALANCED * float(np.abs(vdot).max(initial=0.0)))
    if (
        system.n_closure
    ):  # slopes do not tell round-off there: what springs would do moved by next to nothing does
        M = system.mass_matrix(system.state(q, np.zeros(system.nv))).diagonal()
        out &= np.abs(left) > ROUND_OFF * system.tree.v_stiffness[places] / M[places]
    if not out.any():
        return ()
    names, change = position_names(system), np.zeros(system.nv)
    more = f" and {int(out.sum()) - MOST} more" if out.sum() > MOST else ""
    if system.n_closure:  # which motions go together is not looked at: what accelerates is named
        order = sorted(places[out], key=lambda k: -abs(vdot[k]))[:MOST]
        listed = ", ".join(f"{names[k]} at {vdot[k]:.3g} a second squared" for k in order)
        note, size = f"out of balance: the structure accelerates ({listed}{more})", np.inf
    else:
        change[places] = -np.linalg.lstsq(slopes, left, rcond=1e-12)[0]
        order = sorted(places[out], key=lambda k: -abs(change[k]))[:MOST]
        listed = ", ".join(f"{names[k]} by {change[k]:.3g}" for k in order)
        note, size = _moved(shifted, change, f"{listed}{more}")
        if size < NOTHING:
            return ()
    if size > SHIFT:
        warnings.warn(
            f"the state of the linear model is {note}; linearize at x0 = ist.trim(system, x, ...) under these loads",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    return (note,)


def _moved(shifted: Shifted, change: np.ndarray, listed: str) -> tuple[str, float]:
    """Return a note on what a change of the state that balances it does to the poles, and by what share."""
    note = f"out of balance: at rest the structure would be elsewhere ({listed})"
    try:
        was, now, size = largest_shift(*shifted(change))
    except (InterstageError, np.linalg.LinAlgError):
        return f"{note}, where there is no model", np.inf
    return f"{note}, which moves a pole of {abs(was):.4g} rad/s to {abs(now):.4g} rad/s", size


def largest_shift(A: np.ndarray, B: np.ndarray) -> tuple[complex, complex, float]:
    """Return the eigenvalue of A that differs most from its like among those of B, that one, and by what share."""
    was, now = np.linalg.eigvals(A), np.linalg.eigvals(B)
    i, j = scipy.optimize.linear_sum_assignment(np.abs(was[:, None] - now[None, :]))
    size = np.abs(was[i] - now[j]) / np.maximum(np.maximum(np.abs(was[i]), np.abs(now[j])), SLOW)
    k = int(np.argmax(size))
    return complex(was[i[k]]), complex(now[j[k]]), float(size[k])
