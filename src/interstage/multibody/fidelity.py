"""What a vehicle leaves out at a state, in words: what its spin does to nodes and stiffness, order 0, precision.

A mode of unit modal mass has the share 1 - Σ m γ·γ of it in the rotation of nodes (lumped inertias, discs on a shaft).
Where nodes move as points, the moments of their inertia J in a spin are missing (`_turning_effect`). Without integrals
(order 0) the softening by spin is missing, (Ω/ω)²/2. A component without geometric stiffness does not know the tension
that its own spin makes, ½ Ω² (Σ m|r| + |Σ m r|), with r from the axis through its inboard node, or its center of mass
where it is free (a blade: ½ m L Ω²).

Flexible bodies that carry a load without the change of stiffness that it makes, all loads or those at some nodes.

A body under compression T has the geometric stiffness -∫ N φ'² dx in a mode φ of bending, N falling from T to zero
along the body. A component without it (`geometric_stiffness`) has a model whose ω² is too high by about

    Δ = ½ T L ⟨λ²⟩,    λ : turns of the nodes in the mode, across the load;    ⟨ ⟩ mean over nodes, L length of the body

(a free uniform beam under 5 EI/L²: 25 % of ω², the first frequency 12 % too high). The load is the larger of what is
applied to the body and of what accelerates it and all that it carries, less gravity, that of devices too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from interstage.errors import FidelityWarning, caller_level, percent
from interstage.multibody.loads import Loads, Wrench
from interstage.multibody.node_checks import closed, is_known, ports
from interstage.multibody.queries import center_of_mass, whole_from
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.component import Component
    from interstage.multibody.flexible_body import FlexibleBodyData
    from interstage.multibody.model import BodySpec, Multibody
    from interstage.multibody.system import System


Gravity: TypeAlias = Mapping[str, np.ndarray]
"""Gravity (3,) that devices say, world axes, by body that hangs on nothing."""
Stretch: TypeAlias = "tuple[System, np.ndarray, Callable[[int], State], Callable[[int, int], Gravity | None]]"

MATTERS = 0.01  # relative change of a frequency
LOWEST = 40  # modes whose nodes that turn are looked at


def model_notes(model: Multibody) -> list[str]:
    """Return what its components say of their precision, each once."""
    found = {}
    for spec in model.specs:
        said = None if spec.component is None else spec.component.provenance.get("precision")
        if said and spec.component is not None:
            found[spec.component.name] = f"component '{spec.component.name}' has {said}"
    return list(found.values())


def spin_notes(system: System, x: State) -> list[str]:
    """Return what bodies that spin at a state leave out, where it changes a frequency by a percent or more."""
    out = []
    for i, (spec, flex) in enumerate(zip(system.model.specs, system.flexes)):
        if flex is None or flex.n_modes == 0:
            continue
        if not spec.stiffens:
            out += _tension_note(system, x, spec)
        if spec.rotary or spec.tanks is not None:
            continue
        spin = float(np.linalg.norm(np.real(system.velocity(x, system.bodies[i])[:3])))
        omega = np.sqrt(np.maximum(np.asarray(flex.stiffness), 0.0))
        if spin == 0.0 or not (omega > 0.0).any():
            continue
        if flex.integrals.B is None:
            softer = float((spin / omega[omega > 0.0].min()) ** 2 / 2.0)
            if softer > MATTERS:
                out.append(
                    f"body '{spec.name}' spins at {spin:.4g} rad/s with order 0: its inertia does not follow its "
                    f"deformation, which changes its lowest frequency by about {percent(softer)}; use order 2, of a "
                    "component with modal integrals"
                )
            continue
        w = np.real(system.rotation(x, spec.name).T @ system.velocity(x, spec.name)[:3])
        effect, rate, share = _turning_effect(spec, flex, w)
        if effect > MATTERS:
            out.append(
                f"body '{spec.name}' spins at {spin:.4g} rad/s, and {percent(share)} of its mode at "
                f"{rate / (2 * np.pi):.4g} Hz is rotary inertia of nodes, whose gyroscopic moments are left out "
                f"(about {percent(effect)} of the frequency, and stability): make the component with "
                "rotary_integrals=True (--rotary-integrals)"
            )
    return out


def _turning_effect(spec: BodySpec, flex: FlexibleBodyData, w: np.ndarray) -> tuple[float, float, float]:
    """Return the largest relative change of a frequency that rotary inertia of nodes makes, that rate, and its share.

    A node of inertia J that turns by θ = Σ λ_r η_r has in a spin w (3,), besides ½ θ̇ᵀJθ̇, the energy

        (w×θ)·Jθ̇ - ½ Jw·(θ×θ̇) + ½ (w×θ)·J(w×θ) + ½ Jw·(θ×(θ×w)),

    which couples modes by G_sr = (w×λ_r)·Jλ_s - (w×λ_s)·Jλ_r - Jw·(λ_r×λ_s) and takes C from their stiffness. Turns
    about the axis of the spin have none of it, one plane of bending has no G. Of J a component without rotary
    integrals has the sum over nodes (inertia less that of its point masses) and, of every mode, the share of its modal
    mass: J is taken to be spread over nodes alike. Modes are compared with and without. A mode without a share has no
    effect, as bending of bars whose nodes have inertia in torsion alone: no body has such a J, and the moments of one
    slice, with J_x = J_y + J_z, vanish.
    """
    c, spin = spec.component, float(np.linalg.norm(w))
    assert c is not None and flex.integrals.B is not None
    share = np.clip(1.0 - np.einsum("aarr->r", flex.integrals.B), 0.0, 1.0)
    omega = np.sqrt(np.maximum(np.asarray(flex.stiffness), 0.0))
    most = np.where(omega > 0.0, np.sqrt(share) * spin / np.where(omega > 0.0, omega, 1.0), 0.0)
    if most.max() <= MATTERS:  # |G_rs| is no more than 2 Ω √(share_r share_s)
        return 0.0, 0.0, 0.0
    pick = np.flatnonzero(most > 0.1 * MATTERS)
    pick = pick[np.argsort(omega[pick], kind="stable")][:LOWEST]
    omega, share = omega[pick], share[pick]
    values, axes = np.linalg.eigh(c.inertia - np.trace(c.pm_S2) * np.eye(3) + c.pm_S2)
    J = axes * np.maximum(values, 1e-6 * max(values[-1], 1e-300)) @ axes.T
    lam = np.asarray(flex.lam)[~np.isin(flex.node_ids, list(c.unattached_nodes))][:, :, pick]
    P = np.einsum("nar,nbs->arbs", lam, lam, optimize=True)
    own = np.einsum("ab,arbr->r", J, P)
    scale = np.sqrt(np.where(own > 0.0, share / np.where(own > 0.0, own, 1.0), 0.0))
    P = P * scale[:, None, None] * scale
    x, y, z = w
    W, h = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), J @ w
    turn = np.array([[0.0, h[2], -h[1]], [-h[2], 0.0, h[0]], [h[1], -h[0], 0.0]])  # uᵀ turn v = h·(u×v)
    G = np.einsum("ab,arbs->sr", W.T @ J - J @ W - turn, P)
    softer = W.T @ J @ W + 0.5 * (np.outer(w, h) + np.outer(h, w)) - (h @ w) * np.eye(3)
    C = np.einsum("ab,arbs->rs", softer, P)
    k = len(pick)
    A = np.block([[np.zeros((k, k)), np.eye(k)], [C - np.diag(omega**2), -G]])
    poles = np.linalg.eigvals(A)
    poles = poles[np.argsort(np.abs(poles.imag), kind="stable")][::2]  # one of each pair
    change = np.maximum(np.abs(np.abs(poles.imag) - omega), np.abs(poles.real)) / omega
    r = int(change.argmax())
    return float(change[r]), float(omega[r]), float(share[r])


def _tension_note(system: System, x: State, spec: BodySpec) -> list[str]:
    """Return words on the tension that spin makes in a body whose stiffness does not know it, where it matters."""
    c = spec.component
    assert c is not None
    w = np.real(system.rotation(x, spec.name).T @ system.velocity(x, spec.name)[:3])
    origin = c.com if spec.node is None or spec.joint.is_free else c.node_positions[c.node_row(spec.node)]
    own = ~np.isin(c.node_ids, list(c.unattached_nodes))
    pull = -np.cross(w, np.cross(w, c.node_positions[own] - origin))
    size = (
        0.5
        * float(system.settings.body_inertia[system.body(spec.name), 0])
        * float(np.linalg.norm(pull, axis=1).mean() + np.linalg.norm(pull.mean(axis=0)))
    )
    if size == 0.0:
        return []
    share, hz = load_share(c, size, np.linalg.svd(pull, full_matrices=False)[2][0])
    if share <= LOAD_MATTERS:
        return []
    return [
        f"body '{spec.name}' spins at {np.linalg.norm(w):.4g} rad/s without geometric stiffness: the tension of its "
        f"spin ({size:.4g}) is left out, and its mode of {hz:.4g} Hz is too soft by about {percent(share)}; "
        f"{way_to_stiffen(spec)}"
    ]


def warn_of_spin(system: System, x: State) -> list[str]:
    """Warn of what `spin_notes` finds, and return it."""
    notes = spin_notes(system, x)
    for words in notes:
        warnings.warn(words, FidelityWarning, stacklevel=caller_level())
    return notes


LOAD_MATTERS = (
    0.02  # share of ω² from which a load is warned of: 1 % of a frequency, which structures are not known to
)
WITHOUT = "without geometric stiffness"
WINDOWS = 20  # parts of a stretch of a run, over which its loads are averaged
INSTANT = 1e-6  # s: to both sides, for the acceleration at a point
LOWEST_LOADED = 6  # modes that are looked at: those that loads change most
BEAM = 24.7  # Δ of the first mode of a free uniform beam in T/(m L), where nodes do not turn (solids)


def notes_on_stiffening(
    system: System, x: State, vdot: np.ndarray, loads: Loads | None = None, gravity: Gravity | None = None
) -> tuple[str, ...]:
    """Warn of bodies that carry loads which matter and that their stiffness does not know, and return notes on them.

    gravity : that devices say at x
    """
    found: list[tuple[BodySpec, str]] = []
    bodies, roots = unstiffened(system, loads), _roots(system)
    if not bodies:
        return ()
    felt = _felt(system, x, vdot, {roots[spec.name] for spec in bodies}, gravity or {})
    for spec in bodies:
        share, note = _note(system, x, spec, _carried(system, x, felt[roots[spec.name]], loads, spec), loads)
        if share > LOAD_MATTERS:
            found.append((spec, note))
    return _said(found)


def warn_along_run(stretches: Iterable[Stretch]) -> None:
    """Warn, once, of bodies that carry loads which matter on the way of a run and that their stiffness does not know.

    Loads are those that accelerate centers of mass over a part of a stretch (`WINDOWS`), so that no pulse counts. Of
    roots that are not free the weight alone is known.

    stretches : of one vehicle each: it, times (m,) of rows, the state of a row by its number, and the mean gravity that
        devices say from a row to another, None where it is not known: nothing is said of that part
    Masses are those that the vehicle has at the end of the stretch.
    """
    worst: dict[str, tuple[float, BodySpec, str]] = {}
    for system, t, row, gravity in stretches:
        bodies = unstiffened(system)
        if not bodies or len(t) < 2:
            continue
        ends = np.unique(np.linspace(0, len(t) - 1, WINDOWS + 1).astype(int))
        points, roots = [row(int(k)) for k in ends], _roots(system)
        wanted = {roots[spec.name] for spec in bodies}
        for first, x, k, m in zip(points, points[1:], ends, ends[1:]):
            field = gravity(int(k), int(m)) if t[m] > t[k] else None
            if field is None:
                continue
            felt = _felt_between(system, first, x, t[m] - t[k], wanted, field)
            for spec in bodies:
                share, note = _note(system, x, spec, _carried(system, x, felt[roots[spec.name]], None, spec))
                if share > (worst[spec.name][0] if spec.name in worst else LOAD_MATTERS):
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
        return "name them in StagedVehicle.multibody(..., geometric_stiffness=[(stage, node), ...])"
    return "make its stages from decks and ask for StagedVehicle.multibody(..., geometric_stiffness=True)"


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


def _forces(spec: BodySpec, loads: Loads | None) -> dict[int, list[Wrench]]:
    """Return the constant forces at nodes of a body."""
    found: dict[int, list[Wrench]] = {}
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
    elastic = elastic[:LOWEST_LOADED]
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


def _roots(system: System) -> dict[str, str]:
    """Return the body on nothing that carries each body."""
    found: dict[str, str] = {}
    for spec in system.model.specs:  # parents come before what they carry
        found[spec.name] = spec.name if spec.parent is None else found[str(spec.parent)]
    return found


def _drifts(system: System, x: State, roots: Iterable[str]) -> dict[str, np.ndarray]:
    """Return velocities (3,) of the centers of mass that free roots carry, world axes."""
    free = [
        one
        for one in roots
        if system.layout[one].position is not None and system.layout[one].drift is not None
    ]
    if not free:
        return {}
    carried = _roots(system)
    carriers = np.array([carried[name] for name in system.bodies])
    real = State(x.layout, x.q.real.copy(), x.v.real.copy())
    ahead = State(x.layout, real.q + 1e-30j * system.rates(real), real.v.astype(complex))
    return {one: center_of_mass(system, ahead, carriers == one).imag / 1e-30 for one in free}


def _felt(
    system: System, x: State, vdot: np.ndarray, roots: Iterable[str], said: Gravity
) -> dict[str, np.ndarray]:
    """Return the acceleration (3,) less gravity, world axes, of the center of mass that each root carries."""
    qdot = system.rates(x).real
    before, after = (
        State(x.layout, x.q.real + h * qdot, x.v.real + h * np.real(vdot)) for h in (-INSTANT, INSTANT)
    )
    return _felt_between(system, before, after, 2.0 * INSTANT, roots, said)


def _felt_between(
    system: System, first: State, x: State, span: float, roots: Iterable[str], said: Gravity
) -> dict[str, np.ndarray]:
    """Return the means of it between two states, `span` apart in time."""
    one, other = (_drifts(system, y, roots) for y in (first, x))
    return {
        root: ((other[root] - one[root]) / span if root in one else 0.0)
        - np.asarray(said.get(root, system.model.gravity), dtype=float)
        for root in roots
    }


def _carried(system: System, x: State, felt: np.ndarray, loads: Loads | None, spec: BodySpec) -> np.ndarray:
    """Return the force (3,), world axes, that a body carries, and its stiffness does not know.

    felt : acceleration of the center of mass that its root carries, less gravity
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
    alone = name == _roots(system)[name] and len(system.model.roots) == 1
    return float(whole_from(system, x)[0]) if alone else _mass(system, name)


def _mass(system: System, name: str) -> float:
    """Return the mass of now of a body and of all that it carries."""
    bodies = {name}
    for spec in system.model.specs:  # parents come before what they carry
        if spec.parent in bodies:
            bodies.add(spec.name)
    return float(system.settings.body_inertia[[system.body(one) for one in bodies], 0].sum())
