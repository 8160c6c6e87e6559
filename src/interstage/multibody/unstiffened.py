"""Flexible bodies that carry a load without the change of stiffness that it makes, all loads or those at some nodes.

A body under compression T has the geometric stiffness -∫ N φ'² dx in a mode φ of bending, N falling from T to zero
along the body. A component without it (`geometric_stiffness`) has a model whose ω² is too high by about

    Δ = ½ T L ⟨λ²⟩,    λ : turns of the nodes in the mode, across the load;    ⟨ ⟩ mean over nodes, L length of the body

(a free uniform beam under 5 EI/L²: 25 % of ω², the first frequency 12 % too high). The load is the larger of what is
applied to the body and of what accelerates it and all that it carries.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning, caller_level, percent
from interstage.multibody.inspection import whole_from
from interstage.multibody.load_nodes import closed, is_known, ports
from interstage.multibody.loads import Force, Loads
from interstage.multibody.state import State
from interstage.spatial.functions import matrix_from_quaternion

if TYPE_CHECKING:
    from interstage.component import Component
    from interstage.multibody.api import System
    from interstage.multibody.model import BodySpec

MATTERS = (
    0.02  # share of ω² from which a load is warned of: 1 % of a frequency, which structures are not known to
)
WITHOUT = "without geometric stiffness"
WINDOWS = 20  # parts of a stretch of a run, over which its loads are averaged
LOWEST = 6  # modes that are looked at: those that loads change most
BEAM = 24.7  # Δ of the first mode of a free uniform beam in T/(m L), where nodes do not turn (solids)


def notes_on_stiffening(
    system: System, x: State, vdot: np.ndarray, loads: Loads | None = None
) -> tuple[str, ...]:
    """Warn of bodies that carry loads which matter and that their stiffness does not know, and return notes on them."""
    found = []
    for spec in unstiffened(system, loads):
        felt = _felt(system, x, vdot, spec.name)
        share, note = _note(system, x, spec, _carried(system, x, felt, loads, spec), loads)
        if share > MATTERS:
            found.append((spec, note))
    return _said(found)


def warn_along_run(stretches: Iterable[tuple[System, np.ndarray, Callable[[int], State]]]) -> None:
    """Warn, once, of bodies that carry loads which matter on the way of a run and that their stiffness does not know.

    Loads are those that accelerate bodies over a part of a stretch (`WINDOWS`), so that neither a pulse nor a swing of
    the root counts. Of roots that are not free the weight alone is known.

    stretches : of one vehicle each: it, times (m,) of rows, and the state of a row by its number
    Masses are those that the vehicle has at the end of the stretch.
    """
    worst: dict[str, tuple[float, BodySpec, str]] = {}
    for system, t, row in stretches:
        bodies = unstiffened(system)
        if not bodies or len(t) < 2:
            continue
        ends = np.unique(np.linspace(0, len(t) - 1, WINDOWS + 1).astype(int))
        points = [row(int(k)) for k in ends]
        for first, x, k, m in zip(points, points[1:], ends, ends[1:]):
            for spec in bodies if t[m] > t[k] else ():
                felt = _felt_between(system, first, x, t[m] - t[k], spec.name)
                share, note = _note(system, x, spec, _carried(system, x, felt, None, spec))
                if share > (worst[spec.name][0] if spec.name in worst else MATTERS):
                    worst[spec.name] = share, spec, f"{note} (from t = {t[k]:.4g} to {t[m]:.4g})"
    _said([(spec, note) for _, spec, note in worst.values()])


def _said(found: list[tuple[BodySpec, str]]) -> tuple[str, ...]:
    """Warn of notes on bodies, with what to do, and return them."""
    notes = tuple(note for _, note in found)
    if notes:
        ways = dict.fromkeys(way_to_stiffen(spec) for spec, _ in found)
        warnings.warn(f"{'; '.join(notes)}; {' and '.join(ways)}", FidelityWarning, stacklevel=caller_level())
    return notes


def way_to_stiffen(spec: BodySpec) -> str:
    """Return what makes a body know the loads that it carries."""
    if spec.tanks is None:
        return f"make the component with {'those in load_grids' if spec.stiffens else 'geometric_stiffness=True'}"
    if spec.stiffens:
        return "name them in Vehicle.multibody(..., geometric_stiffness=[(stage, node), ...])"
    return "make its stages from decks and ask for Vehicle.multibody(..., geometric_stiffness=True)"


def unstiffened(system: System, loads: Loads | None = None) -> list[BodySpec]:
    """Return the flexible bodies whose stiffness does not know all loads."""
    bodies = [s for s in system.model.specs if s.component is not None]
    return [s for s in bodies if not s.stiffens or _unknown(system, s, loads)]


def _unknown(system: System, spec: BodySpec, loads: Loads | None) -> set[int]:
    """Return the nodes of a body where something acts that its stiffness does not know."""
    return {
        node
        for node in {*_held(system, spec), *ports(system.model, spec), *_forces(spec, loads)}
        if not is_known(spec, node)
    }


def _held(system: System, spec: BodySpec) -> set[int]:
    """Return the nodes of a body where its own joint, closures and devices act."""
    found = closed(system.model, spec) | {node for body, node in system.pushed if body == spec.name}
    return found if spec.node is None or spec.joint.is_free else found | {spec.node}


def _forces(spec: BodySpec, loads: Loads | None) -> dict[int, list[Force]]:
    """Return the constant forces at nodes of a body."""
    found: dict[int, list[Force]] = {}
    for force in () if loads is None else loads.forces:
        node = spec.node if force.node is None else force.node
        if force.body == spec.name and not force.in_time and isinstance(node, int | np.integer):
            found.setdefault(int(node), []).append(force)
    return found


def _note(
    system: System, x: State, spec: BodySpec, force: np.ndarray, loads: Loads | None = None
) -> tuple[float, str]:
    """Return the share of ω² that a force (3,), world axes, on a body makes, and words on it."""
    size = float(np.linalg.norm(force))
    if size == 0.0:
        return 0.0, ""
    assert spec.component is not None
    share, hz = load_share(spec.component, size, system.rotation(x, spec.name).real.T @ force / size)
    how = WITHOUT
    if spec.stiffens:
        nodes = sorted(_unknown(system, spec, loads))
        some = ", ".join(map(str, nodes[:4])) + (", ..." if len(nodes) > 4 else "")
        how = f"at nodes that its geometric stiffness does not know ({some})"
    return share, (
        f"'{spec.name}' carries {size:.4g} of force {how}: its mode of {hz:.4g} Hz is "
        f"too stiff by about {percent(share)}"
    )


def load_share(component: Component, force: float, along: np.ndarray) -> tuple[float, float]:
    """Return the largest share of ω² that a force along a direction (body axes) makes, and the mode's frequency."""
    flags = component.residual_vector
    elastic = np.flatnonzero(component.frequencies_hz > 0.0)
    if flags is not None:
        elastic = elastic[~np.asarray(flags, dtype=bool)[elastic]]
    elastic = elastic[:LOWEST]
    if not len(elastic):
        return 0.0, 0.0
    omega2 = (2.0 * np.pi * component.frequencies_hz[elastic]) ** 2
    own = ~np.isin(component.node_ids, list(component.unattached_nodes))
    length = float(np.ptp(component.node_positions[own], axis=0).max(initial=0.0))
    turns = np.asarray(component.lam)[own][:, :, elastic]
    if turns.any() and np.ptp(turns, axis=0).max() < 1e-9 * np.abs(turns).max():
        return 0.0, 0.0  # nodes turn alike, as those of masses on springs: nothing bends
    across = (turns**2).sum(axis=1) - np.einsum("i,nik->nk", along, turns) ** 2
    shares = 0.5 * force * length * across.mean(axis=0) / omega2
    if not turns.any() and length > 0.0:
        shares = BEAM * force / (component.mass * length * omega2)
    k = int(np.argmax(shares))
    return float(shares[k]), float(component.frequencies_hz[elastic[k]])


def _root(system: System, name: str) -> str:
    """Return the root of the vehicle that has a body."""
    specs = {spec.name: spec for spec in system.model.specs}
    while specs[name].parent is not None:
        name = str(specs[name].parent)
    return name


def _drift(system: System, x: State, root: str) -> np.ndarray | None:
    """Return the velocity (3,) of a free root, world axes, None where it is not free."""
    where = system.layout[root]
    if where.position is None or where.drift is None:
        return None
    return np.asarray(matrix_from_quaternion(x.q[where.quaternion].real) @ x.v[where.drift].real)


def _felt(system: System, x: State, vdot: np.ndarray, name: str) -> np.ndarray:
    """Return the acceleration (3,) less gravity, world axes, of the root under a body."""
    gravity, where = np.asarray(system.model.gravity, dtype=float), system.layout[_root(system, name)]
    if where.position is None or where.drift is None:
        return -gravity
    R = matrix_from_quaternion(x.q[where.quaternion].real)
    v, w = x.v[where.drift].real, x.v[where.spin].real
    return np.asarray(R @ (vdot[where.drift].real + np.cross(w, v)) - gravity)


def _felt_between(system: System, first: State, x: State, span: float, name: str) -> np.ndarray:
    """Return the mean of it between two states, `span` apart in time."""
    root, gravity = _root(system, name), np.asarray(system.model.gravity, dtype=float)
    one, other = _drift(system, first, root), _drift(system, x, root)
    return -gravity if one is None or other is None else (other - one) / span - gravity


def _carried(system: System, x: State, felt: np.ndarray, loads: Loads | None, spec: BodySpec) -> np.ndarray:
    """Return the force (3,), world axes, that a body carries, and its stiffness does not know.

    felt : acceleration of its root less gravity
    """
    own = np.zeros(3)
    for node, forces in _forces(spec, loads).items():
        for force in () if is_known(spec, node) else forces:
            wrench = np.asarray(force.numbers[3:]).real
            own = own + (wrench if force.frame == "world" else system.rotation(x, spec.name).real @ wrench)
    inertial = _unknown_mass(system, x, spec) * felt
    return own if own @ own > inertial @ inertial else inertial


def _unknown_mass(system: System, x: State, spec: BodySpec) -> float:
    """Return the mass that is accelerated across nodes whose loads the stiffness of a body does not know."""
    name = spec.name
    if spec.stiffens and all(is_known(spec, node) for node in _held(system, spec)):
        carried = ports(system.model, spec).items()
        return sum(
            _mass(system, one) for node, bodies in carried if not is_known(spec, node) for one in bodies
        )
    alone = name == _root(system, name) and len(_roots(system)) == 1
    return float(whole_from(system, x)[0]) if alone else _mass(system, name)


def _roots(system: System) -> list[str]:
    return [spec.name for spec in system.model.specs if spec.parent is None]


def _mass(system: System, name: str) -> float:
    """Return the mass of now of a body and of all that it carries."""
    bodies = {name}
    for spec in system.model.specs:  # parents come before what they carry
        if spec.parent in bodies:
            bodies.add(spec.name)
    return float(system.settings.body_inertia[[system.body(one) for one in bodies], 0].sum())
