"""Turn a description by names into the constant arrays of a `Tree`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from interstage.component.component import Component
from interstage.component.integrals import ModalIntegrals, axial, inertia_of_moment
from interstage.errors import FidelityWarning, ModelError, caller_level
from interstage.multibody.arrays import Tree, in_lines
from interstage.multibody.closures import closure_arrays
from interstage.multibody.flexible_body import FlexibleBodyData, Turning, reference_to
from interstage.multibody.model import BodySpec, Multibody, vehicle_units
from interstage.multibody.node_checks import check_hinge, check_loads, origin_of
from interstage.multibody.propellant_mass import TankLoads, check_tanks
from interstage.spatial import RigidInertia


class UnitLoad(NamedTuple):
    """Geometric stiffness K (n, n) of a unit load;  row : among the loads of a body that burns, -1 of others."""

    K: np.ndarray
    row: int


# six unit loads in the order of the kernels, None for one without effect
SixLoads: TypeAlias = tuple[UnitLoad | None, ...]


@dataclass(frozen=True)
class SiteArrays:
    """A node of a flexible body, or a point of a rigid one: l (3,), lam and gam (3, n); its unit loads where those
    change the stiffness of the body."""

    body: int
    l: np.ndarray
    lam: np.ndarray
    gam: np.ndarray
    loads: SixLoads | None = None


@dataclass
class Pools:
    """Constants of flexible bodies, pairs of modes of each component once, and where each body finds its own."""

    E: list[np.ndarray]
    F0: list[np.ndarray]
    J1: list[np.ndarray]
    pair: list[np.ndarray]
    turn: list[np.ndarray]
    thin: list[np.ndarray]
    flex: np.ndarray
    first_pair: np.ndarray
    first_turn: np.ndarray
    first_thin: np.ndarray
    rank: np.ndarray


def symmetric_six(a: np.ndarray) -> np.ndarray:
    """Return xx, yy, zz, xy, xz, yz of the last two axes of an array, symmetric part."""
    s = 0.5 * (a + np.swapaxes(a, -1, -2))
    return np.stack(
        [s[..., 0, 0], s[..., 1, 1], s[..., 2, 2], s[..., 0, 1], s[..., 0, 2], s[..., 1, 2]], axis=-1
    )


# component, node, with integrals, modes, nodes that turn -> data about that node, and the component, whose identity is
# in the key
FlexKey: TypeAlias = tuple[int, int | None, bool, int | None, bool]
KnownFlexes: TypeAlias = dict[FlexKey, tuple[FlexibleBodyData, Component]]


def flexible_bodies(
    model: Multibody, known: KnownFlexes | None = None
) -> tuple[list[FlexibleBodyData | None], list[int]]:
    """Re-reference each component to its inboard node, once for each distinct use; also say whose data it shares.

    known : what other systems made already, by component, node and modes; added to
    """
    vehicle_units(model)
    check_loads(model)
    made: dict[FlexKey, tuple[FlexibleBodyData, int]] = {}
    known = {} if known is None else known
    bodies: list[FlexibleBodyData | None] = []
    owner: list[int] = []
    for i, spec in enumerate(model.specs):
        if spec.component is None:
            bodies.append(None)
            owner.append(i)
            continue
        key = (id(spec.component), spec.node, spec.order > 0, spec.n_modes, spec.rotary)
        if spec.tanks is not None:  # its numbers change: it shares them with nobody
            flex = reference_to(spec.component, spec.node, spec.order, spec.n_modes)
            check_levels(flex, spec)
            bodies.append(flex)
            owner.append(i)
            continue
        if key not in made:
            if key not in known:
                flex = reference_to(spec.component, spec.node, spec.order, spec.n_modes, spec.rotary)
                known[key] = flex, spec.component
            flex = known[key][0]
            made[key] = flex, i
            _check_residual_mass(flex.integrals, flex.name, spec)
            if spec.node is not None:
                check_hinge(spec.component, spec.node, spec.component.com, spec.name, "its inboard node")
        bodies.append(made[key][0])
        owner.append(made[key][1])
    return bodies, owner


def check_levels(flex: FlexibleBodyData, spec: BodySpec) -> None:
    """Refuse tanks that do not fit their body, and levels at which its modes take all of its inertia.

    Integrals are linear in the masses, so that the lowest and the highest levels of all tanks together are looked at.
    """
    tanks, where = spec.tanks, f"body '{spec.name}'"
    assert tanks is not None and flex.T is not None
    n = flex.n_modes
    check_tanks(tanks, n, where)
    if (
        spec.node is not None
        or not spec.joint.is_free
        or spec.stiffens != (tanks.loads is not None)
        or spec.rotary
        or np.abs(flex.T - np.eye(n)).max(initial=0.0) > 0.0
    ):
        raise ModelError(
            "a body with tanks is a Free one about its own reference point, in the modes of its component",
            where=where,
            hint="v.multibody(shapes) makes it",
        )
    for end in (0, 1):
        masses = np.array([tanks.range_of(k)[end] for k in range(len(tanks.names))])
        one = tanks.integrals(masses, n)
        white = np.linalg.inv(np.linalg.cholesky(one.G)).T if n else one.G
        _check_residual_mass(one.in_basis(white), flex.name, spec)


def tank_arrays(specs: list[BodySpec], modes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of all tanks, in the order of bodies."""
    base, counts, level, masses, numbers, rows = [], [], [0], [], [], []
    ratio, ratios, at = [], 0, 0
    for spec in specs:
        tanks = spec.tanks
        counts.append(0 if tanks is None else len(tanks.names))
        base.append(-1 if tanks is None else at)
        ratio.append(-1 if tanks is None or tanks.ratio is None else ratios)
        if tanks is None:
            continue
        if tanks.ratio is not None:
            rows += [np.array([[len(tanks.ratio), 0.0]]), tanks.ratio]
            ratios += 1 + len(tanks.ratio)
        for k in range(len(tanks.names)):
            level.append(level[-1] + int(tanks.first[k + 1] - tanks.first[k]))
        masses.append(tanks.masses)
        size = len(tanks.base)
        numbers.append(at + size * (1 + np.arange(len(tanks.masses))))
        at += size * (1 + len(tanks.masses))
    burning = [spec.tanks for spec in specs if spec.tanks is not None]
    parts = [np.concatenate([tanks.base, tanks.levels.ravel()]) for tanks in burning]
    slopes = [np.concatenate([np.zeros_like(tanks.base), tanks.slopes().ravel()]) for tanks in burning]
    sums = [0 if spec.tanks is None else len(spec.tanks.base) for spec in specs]
    soft = [spec.tanks is not None and spec.tanks.is_soft(int(n)) for spec, n in zip(specs, modes)]
    burns = np.array([s.tanks is not None for s in specs], dtype=bool)
    squares = np.where(burns, modes**2, 0)
    return {
        "body_square": np.where(burns, np.cumsum(squares) - squares, -1).astype(np.int64),
        "body_tank": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "body_base": np.array(base, dtype=np.int64),
        "tank_level": np.array(level, dtype=np.int64),
        "level_mass": _joined(masses),
        "level_numbers": _joined(numbers).astype(np.int64),
        "tank_numbers": _joined(parts),
        "tank_slopes": _joined(slopes),
        "body_sums": np.concatenate([[0], np.cumsum(sums)]).astype(np.int64),
        "body_soft": np.array(soft, dtype=np.int64),
        "body_ratio": np.array(ratio, dtype=np.int64),
        **_unit_arrays([None if s.tanks is None else s.tanks.loads for s in specs]),
        "tank_ratio": np.concatenate(rows) if rows else np.zeros((0, 2)),
    }


def _unit_arrays(given: list[TankLoads | None]) -> dict[str, np.ndarray]:
    """Return the unit loads of all bodies that burn, one body after the other."""
    counts = np.array([0 if one is None else len(one.load) for one in given], dtype=np.int64)
    loads = [one for one in given if one is not None]
    spin = [np.where(one.load[:, 0] == 0, one.load[:, 1] - 1, -1) for one in loads]
    sizes = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(np.full(len(one.K), one.K[0].size) for one in loads if len(one.K))]
    )
    return {
        "body_unit": np.where(counts > 0, np.cumsum(counts) - counts, -1),
        "unit_spin": _joined(spin).astype(np.int64),
        "unit_arm": np.concatenate([np.zeros((0, 6)), *(one.arm for one in loads)]),
        "unit_at": (np.cumsum(sizes) - sizes).astype(np.int64),
        "unit_K": _joined([one.K.ravel() for one in loads]),
    }


def _check_residual_mass(own: ModalIntegrals, component: str, spec: BodySpec) -> None:
    """Refuse modes that carry more mass than the body has: M_rr - M_rη M_ηr must not be negative.

    A body may have no inertia about an axis (a straight bar of lumped or coupled mass): refused where its joint is
    Free; other joints are tried at the nominal state.
    """
    rr, FE = own.rigid_mass, np.vstack([own.F0, own.E])
    # one scale for rotations and one for translations tells a missing inertia; one for each tells what modes take
    scale = 1.0 / np.sqrt(np.repeat([np.trace(own.inertia), own.mass], 3) + 1e-300)
    values, axes = np.linalg.eigh(scale[:, None] * rr * scale[None, :])
    void = values < 1e-13
    if void.any() and spec.joint.is_free:
        axis = axes[:3, np.argmin(values)]
        raise ModelError(
            f"body '{spec.name}' has no inertia about an axis, so that nothing holds it back there",
            where=f"component '{component}', axis {np.round(axis / max(np.linalg.norm(axis), 1e-300), 3).tolist()}",
            hint="give it some, as I11 of a CONM2 on one grid: bars have none of their own about their axis",
        )
    if not void.any():
        scale, axes = 1.0 / np.sqrt(np.abs(np.diag(rr)) + 1e-300), np.eye(6)
    Z = axes[:, ~void]
    with np.errstate(over="ignore", invalid="ignore"):
        residual = Z.T @ (scale[:, None] * (rr - FE @ FE.T) * scale[None, :]) @ Z
    least = np.linalg.eigvalsh(residual)[0] if np.isfinite(residual).all() else -np.inf
    floor = 1e-12 if spec.joint.nv else -1e-8
    if least < floor:
        raise ModelError(
            f"the residual mass of body '{spec.name}' is not positive definite: its modes take all of its inertia",
            where=f"component '{component}' held at node {spec.node}",
            expected=f"smallest scaled eigenvalue above {floor:g}",
            got=f"{least:.2e}",
            hint="a lumped mesh with nearly all of its modes does this: use fewer modes (n_modes=), "
            "or put a small rotary inertia on the inboard node",
        )


def _may_lose_definiteness(spec: BodySpec, flex: FlexibleBodyData | None) -> bool:
    """Return whether large deformations can make the mass matrix of a body indefinite.

    At order 2 they cannot if the point masses have no more modal mass than the modes, Σ m γ_r·γ_s <= 1; those of
    a consistent mass matrix on a coarse mesh have more. Turns of rotary nodes are cut off after the second order.
    """
    if flex is None or flex.n_modes == 0 or flex.integrals.B is None:
        return False
    if spec.order == 1 or spec.rotary or spec.tanks is not None:
        return True
    return bool(np.linalg.eigvalsh(np.einsum("aars->rs", flex.integrals.B))[-1] > 1.0 + 1e-6)


def pools_of(flexes: list[FlexibleBodyData | None], owner: list[int], burns: list[bool]) -> Pools:
    """Lay out the constants of flexible bodies in flat arrays; burns : whose integrals change."""
    N = len(flexes)
    first = tuple(np.full(N, start, dtype=np.int64) for start in (0, 0, -1, -1, 0))
    pools = Pools([], [], [], [], [], [], *first)
    flex = pair = turn = thin = 0
    for i, body in enumerate(flexes):
        if body is None:
            continue
        n = body.n_modes
        own = body.integrals
        pools.E.append(own.E.ravel())
        pools.F0.append(own.F0.ravel())
        pools.J1.append(inertia_rates(own, body.turning))
        flex, at = flex + n, flex
        if owner[i] != i:
            for place in first:
                place[i] = place[owner[i]]
            pools.flex[i] = at  # a batch may change those of one body
            continue
        pools.flex[i], pools.first_pair[i] = at, pair
        if own.B is not None:
            pools.pair.append(pair_numbers(own.B, body.turning))
            pair += len(pools.pair[-1])
        if body.turning is not None:
            pools.first_turn[i] = turn
            even = body.turning.F1 + body.turning.F1.transpose(1, 0, 2)
            pools.turn.append(0.5 * even.transpose(2, 0, 1).ravel())
            turn += 3 * n * n
        if body.thin is not None and not burns[i]:
            pools.thin.append(_by_fours(body.thin))
            pools.first_thin[i], pools.rank[i] = thin, len(pools.thin[-1]) // (12 * n)
            thin += len(pools.thin[-1])
    return pools


def _thin_where_worth(pools: Pools, modes: np.ndarray, specs: list[BodySpec]) -> np.ndarray:
    """Return the first number of each body's rows, -1 where it has none, or pairs of order 1, fewer, cost less."""
    order = np.array([s.order for s in specs], dtype=np.int64)
    return np.where((order == 1) & (12 * pools.rank > modes), -1, pools.first_thin)


def _by_fours(rows: np.ndarray) -> np.ndarray:
    """Return rows (k, 3, n) as `kernels.body_inertia` reads them: four of x, four of y, four of z, zeros at the end."""
    k, _, n = rows.shape
    full = np.concatenate([rows, np.zeros((-k % 4, 3, n))])
    return full.reshape(-1, 4, 3, n).transpose(0, 2, 1, 3).ravel()


def inertia_rates(own: ModalIntegrals, turning: Turning | None = None) -> np.ndarray:
    """Return the change of the inertia (6 n,) with each mode, six numbers of all modes one after the other."""
    J1 = np.zeros((own.n_modes, 3, 3)) if own.J1 is None else own.J1
    return symmetric_six(2.0 * J1 + (0.0 if turning is None else turning.J1)).T.ravel()


def pair_numbers(B: np.ndarray, turning: Turning | None = None) -> np.ndarray:
    """Return second-order integrals of all pairs of modes in the order in which `body_inertia.pairs` reads them."""
    n = B.shape[-1]
    J2, a = symmetric_six(inertia_of_moment(B.transpose(2, 3, 0, 1))), axial(B).transpose(1, 2, 0)
    if turning is not None:
        own = symmetric_six(turning.J2)
        J2 += 0.5 * (own + own.transpose(1, 0, 2))
        a = a + 0.5 * (turning.F1 - turning.F1.transpose(1, 0, 2))
    planes = np.concatenate([J2, a], axis=2).transpose(2, 0, 1)
    parts = []
    for r in range(0, n, 4):
        rows = np.zeros((9, 4, n - r))
        rows[:, : n - r] = planes[:, r : r + 4, r:]
        rows[:, :, :4] *= 0.5  # pairs among the four are met twice
        parts.append(rows.ravel())
    return _joined(parts)


def site_of(
    model: Multibody, flexes: list[FlexibleBodyData | None], body: int, place: np.ndarray | int
) -> SiteArrays:
    """Return the site at a node (flexible body) or point (rigid body)."""
    flex = flexes[body]
    if flex is None:
        point = np.asarray(place, dtype=float) - model.specs[body].offset
        return SiteArrays(body, point, np.zeros((3, 0)), np.zeros((3, 0)))
    component = model.specs[body].flexible
    row = component.node_row(int(place))
    if place in component.unattached_nodes:
        warnings.warn(
            f"node {place} of body '{model.specs[body].name}' is attached to nothing: no element, mass or constraint "
            "of its deck touches the grid, and what acts or is seen there knows the frame of the body alone; take a "
            "grid of the structure, or attach it by an RBE2 or RBE3",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    loads = node_loads(model.specs[body], flex, int(place))
    return SiteArrays(body, flex.l[row], flex.lam[row], flex.gamma[row], loads)


def extend_tree(tree: Tree, sites: list[SiteArrays]) -> Tree:
    """Return a tree with more sites at the end; all other arrays are the same ones, changes at run time included."""
    widths = np.array([site.lam.shape[1] for site in sites], dtype=np.int64)
    sizes = tree.sizes.copy()
    sizes[2] += len(sites)
    found = stiff_arrays([(site.body, site.loads) for site in sites], tree.body_unit, len(tree.stiff_K))
    return tree._replace(
        site_body=np.concatenate([tree.site_body, [site.body for site in sites]]).astype(np.int64),
        site_l=np.concatenate([tree.site_l, [site.l for site in sites]]),
        site_start=np.concatenate([tree.site_start, len(tree.site_lam) // 3 + np.cumsum(widths) - widths]),
        site_lam=np.concatenate([tree.site_lam, *(site.lam.ravel() for site in sites)]),
        site_gam=np.concatenate([tree.site_gam, *(site.gam.ravel() for site in sites)]),
        site_load=np.concatenate(
            [tree.site_load, np.where(found.rows < 0, -1, found.rows + len(tree.stiff_block))]
        ),
        stiff_block=np.concatenate([tree.stiff_block, found.blocks]),
        stiff_K=np.concatenate([tree.stiff_K, found.K]),
        stiff_burn=np.concatenate([tree.stiff_burn, found.burning]),
        sizes=sizes,
    )


def ports_of(
    model: Multibody, flexes: list[FlexibleBodyData | None]
) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the ports (body, node), sorted by body, and for each body the port it hangs on (-1: none)."""
    index = {spec.name: i for i, spec in enumerate(model.specs)}
    wanted: list[tuple[int, int] | None] = []
    for spec in model.specs:
        parent = -1 if spec.parent is None else index[spec.parent]
        carrier = None if parent < 0 else flexes[parent]
        on_modes = carrier is not None and carrier.n_modes > 0
        wanted.append((parent, int(spec.at)) if on_modes else None)
        if on_modes:
            carries = any(one.parent == spec.name for one in model.specs)
            if not (
                spec.joint.nv == 0 and spec.is_point and not carries
            ):  # a point has nothing that could turn
                _check_node(model.specs[parent], spec)
    ports = sorted({w for w in wanted if w is not None})
    number = {port: k for k, port in enumerate(ports)}
    return ports, np.array([-1 if w is None else number[w] for w in wanted], dtype=np.int64)


def _check_node(parent: BodySpec, child: BodySpec) -> None:
    """Refuse a hinge at a node whose rotation the component does not know."""
    origin = origin_of(parent)
    check_hinge(parent.flexible, int(child.at), origin, parent.name, f"body '{child.name}'", child.joint)


def inertia_numbers(spec: BodySpec, flex: FlexibleBodyData | None) -> np.ndarray:
    """Return m, m c, J about the origin: (10,)."""
    if flex is not None:
        own = flex.integrals
        return np.concatenate([[own.mass], own.first, symmetric_six(own.inertia)])
    assert spec.inertia is not None
    return rigid_numbers(spec.inertia, spec.offset)


def rigid_numbers(inertia: RigidInertia, origin: np.ndarray) -> np.ndarray:
    """Return m, m c, J (10,) of a rigid body about a point of its frame."""
    m, (x, y, z), I = inertia.mass, (inertia.com - origin).tolist(), inertia.inertia.tolist()
    J = [I[0][0] + m * (y * y + z * z), I[1][1] + m * (x * x + z * z), I[2][2] + m * (x * x + y * y)]
    J += [0.5 * (I[a][b] + I[b][a]) - m * s for a, b, s in ((0, 1, x * y), (0, 2, x * z), (1, 2, y * z))]
    return np.array([m, m * x, m * y, m * z, *J])


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def build_tree(
    model: Multibody,
    flexes: list[FlexibleBodyData | None],
    owner: list[int],
    extra: list[SiteArrays] | None = None,
) -> Tree:
    """Return the Tree of a description; `extra` sites follow the ports."""
    specs, N = model.specs, len(model.specs)
    index = {spec.name: i for i, spec in enumerate(specs)}
    modes = np.array([0 if f is None else f.n_modes for f in flexes], dtype=np.int64)
    nq = np.array([s.joint.nq for s in specs], dtype=np.int64) + modes
    nv = np.array([s.joint.nv for s in specs], dtype=np.int64) + modes
    joint_q, joint_v = np.cumsum(nq) - nq, np.cumsum(nv) - nv
    ports, body_port = ports_of(model, flexes)
    counts = np.bincount([body for body, _ in ports], minlength=N) if ports else np.zeros(N, dtype=np.int64)
    sites = [site_of(model, flexes, body, node) for body, node in ports] + list(extra or [])
    widths = np.array([site.lam.shape[1] for site in sites], dtype=np.int64)
    pools = pools_of(flexes, owner, [s.tanks is not None for s in specs])
    spins = [spin_loads(s, f) for s, f in zip(specs, flexes)]
    roots = [None if s.node is None or f is None else node_loads(s, f, s.node) for s, f in zip(specs, flexes)]
    tanks = tank_arrays(specs, modes)
    loads = [*enumerate(spins), *enumerate(roots), *((site.body, site.loads) for site in sites)]
    found = stiff_arrays(loads, tanks["body_unit"])
    rows = found.rows
    loaded = {site.body for site, row in zip(sites, rows[2 * N :]) if row >= 0}
    stiff = [r >= 0 or i in loaded for i, r in enumerate(rows[N : 2 * N])]
    return Tree(
        gravity=np.array(model.gravity, dtype=float),
        body_parent=np.array([-1 if s.parent is None else index[s.parent] for s in specs], dtype=np.int64),
        body_port=body_port,
        body_modes=modes,
        body_order=np.array([s.order for s in specs], dtype=np.int64),
        body_watch=np.array([_may_lose_definiteness(s, f) for s, f in zip(specs, flexes)], dtype=np.int64),
        body_eta=joint_q + nq - modes,
        body_mode=np.cumsum(modes) - modes,
        body_flex=pools.flex,
        body_pair=pools.first_pair,
        body_thin=_thin_where_worth(pools, modes, specs),
        body_rank=pools.rank,
        body_turn=pools.first_turn,
        body_ports=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        body_block=(np.cumsum(counts**2) - counts**2).astype(np.int64),
        joint_kind=np.array([s.joint.kind for s in specs], dtype=np.int64),
        joint_q=joint_q,
        joint_v=joint_v,
        joint_nv=nv - modes,
        joint_R=np.array([s.rotation for s in specs], dtype=float).reshape(N, 9),
        joint_turn=_turn_numbers(specs),
        joint_p=np.array([_place(s, specs, index, flexes, p) for s, p in zip(specs, body_port)]).reshape(
            N, 3
        ),
        joint_axes=np.array([s.joint.axes() for s in specs], dtype=float).reshape(N, 9),
        joint_pitch=np.array([s.joint.pitch_per_radian for s in specs], dtype=float),
        gimbals=np.array([i for i, s in enumerate(specs) if s.joint.lockable], dtype=np.int64),
        **_springs(specs, flexes, joint_q),
        **tanks,
        flex_E=_joined(pools.E),
        flex_F0=_joined(pools.F0),
        flex_J1=_joined(pools.J1),
        flex_pair=in_lines(_joined(pools.pair)),
        flex_thin=in_lines(_joined(pools.thin)),
        flex_turn=_joined(pools.turn),
        site_body=np.array([site.body for site in sites], dtype=np.int64),
        site_l=np.array([site.l for site in sites], dtype=float).reshape(len(sites), 3),
        site_start=(np.cumsum(widths) - widths).astype(np.int64),
        site_lam=_joined([site.lam.ravel() for site in sites]),
        site_gam=_joined([site.gam.ravel() for site in sites]),
        body_spin=rows[:N],
        body_root=rows[N : 2 * N],
        body_stiff=_with_parents(stiff, [-1 if s.parent is None else index[s.parent] for s in specs]),
        site_load=rows[2 * N :],
        stiff_block=found.blocks,
        stiff_K=found.K,
        stiff_burn=found.burning,
        **closure_arrays(model, len(ports), sites),
        sizes=np.array([N, len(ports), len(sites), nq.sum(), nv.sum(), modes.sum()], dtype=np.int64),
    )


def _turn_numbers(specs: list[BodySpec]) -> np.ndarray:
    """Return C0, C1, C2 (N, 27) of R [aaᵀ + sin [a]× + cos (1 - aaᵀ)], a the first axis: revolute joints turn by it."""
    out = np.zeros((len(specs), 3, 3, 3))
    for turn, spec in zip(out, specs):
        x, y, z = a = spec.joint.axes()[0]
        turn[0] = a[:, None] * a
        turn[1] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        turn[2] = np.eye(3) - turn[0]
        turn[:] = spec.rotation @ turn
    return out.reshape(-1, 27)


def _with_parents(stiff: list[bool], parents: list[int]) -> np.ndarray:
    """Return 1 for bodies that are stiffened, -1 for others that carry such a body, 0 for the rest."""
    out = np.array(stiff, dtype=np.int64)
    for i in range(len(out) - 1, -1, -1):
        if out[i] != 0 and parents[i] >= 0 and out[parents[i]] == 0:
            out[parents[i]] = -1
    return out


def spin_loads(spec: BodySpec, flex: FlexibleBodyData | None) -> SixLoads | None:
    """Return the geometric stiffness of the products of a body's spin; None for a body without it."""
    if flex is None or not flex.n_modes or not spec.stiffens:
        return None
    return tuple(_unit_load(spec, flex, 0, k) for k in range(1, 7))


def node_loads(spec: BodySpec, flex: FlexibleBodyData, node: int) -> SixLoads | None:
    """Return the geometric stiffness of [t; f] at a node; None for a body without it."""
    if not flex.n_modes or not spec.stiffens:
        return None
    return tuple(_unit_load(spec, flex, node, k) for k in (4, 5, 6, 1, 2, 3))


def _unit_load(spec: BodySpec, flex: FlexibleBodyData, node: int, k: int) -> UnitLoad | None:
    K = flex.geometric.get((node, k))
    loads = None if spec.tanks is None else spec.tanks.loads
    return None if K is None else UnitLoad(K, -1 if loads is None else loads.row(node, k))


class StiffArrays(NamedTuple):
    """Rows (k,) of blocks (-1: none), blocks (b, 6) of first numbers, the numbers, and (B, 3) those that burn."""

    rows: np.ndarray
    blocks: np.ndarray
    K: np.ndarray
    burning: np.ndarray


def stiff_arrays(
    loads: Sequence[tuple[int, SixLoads | None]], unit: np.ndarray, start: int = 0
) -> StiffArrays:
    """Lay out the unit loads of bodies, equal arrays of a body once.

    unit (N,) : first unit load of each body that burns;  start : of the first number
    """
    rows, parts, burning = [], [], []
    blocks: list[list[int]] = []
    known: dict[tuple[int, ...], int] = {}
    for body, six in loads:
        if six is None or all(one is None for one in six):
            rows.append(-1)
            continue
        key = (body, *(0 if one is None else id(one.K) for one in six))
        if key not in known:
            known[key] = len(blocks)
            block = []
            for one in six:
                block.append(-1 if one is None else start)
                if one is not None:
                    if one.row >= 0:
                        burning.append((start, body, int(unit[body]) + one.row))
                    parts.append(np.ascontiguousarray(one.K).ravel())
                    start += one.K.size
            blocks.append(block)
        rows.append(known[key])
    return StiffArrays(
        np.array(rows, dtype=np.int64),
        np.array(blocks, dtype=np.int64).reshape(-1, 6),
        _joined(parts),
        np.array(burning, dtype=np.int64).reshape(-1, 3),
    )


def _place(
    spec: BodySpec,
    specs: list[BodySpec],
    index: dict[str, int],
    flexes: list[FlexibleBodyData | None],
    port: int,
) -> np.ndarray:
    """Return the joint's point on a parent without modes; zero where it sits on a port."""
    if port >= 0:
        return np.zeros(3)
    if isinstance(spec.at, int):
        assert spec.parent is not None
        flex = flexes[index[spec.parent]]
        assert flex is not None
        return flex.l[int(np.searchsorted(flex.node_ids, spec.at))]
    parent = None if spec.parent is None else specs[index[spec.parent]]
    return np.asarray(spec.at, dtype=float) - (0.0 if parent is None else parent.offset)


def _springs(
    specs: list[BodySpec], flexes: list[FlexibleBodyData | None], joint_q: np.ndarray
) -> dict[str, np.ndarray]:
    """Return stiffness, damping, rest and coordinate of each velocity, modal damping off the diagonal, and drag."""
    stiffness, damping, rest, where = [], [], [], []
    mixed, held, drag = [], [], []
    for spec, flex, first in zip(specs, flexes, joint_q):
        joint = spec.joint
        stiffness.append(joint.spread("stiffness"))
        damping.append(joint.spread("damping"))
        rest.append(joint.spread("rest"))
        own = joint.coordinate_of_velocity()
        where.append(np.where(own >= 0, first + own, -1))
        off = more = np.zeros(0)
        if flex is not None:
            stiffness.append(flex.stiffness)
            loose = _loose(spec, flex)
            C = flex.damping(spec.damping, loose) if spec.tanks is None else np.zeros((flex.n_modes,) * 2)
            damping.append(np.diag(C).copy())
            rest.append(np.zeros(flex.n_modes))
            where.append(first + joint.nq + np.arange(flex.n_modes))
            off = (C - np.diag(np.diag(C))).ravel()
            if not np.any(np.abs(off) > 1e-13 * np.abs(damping[-1]).max(initial=0.0)):
                off = np.zeros(0)
            if spec.tanks is not None:  # written at the current mass
                off = np.zeros(flex.n_modes**2 if spec.tanks.ratio is not None else 0)
            elif loose.shape[1]:
                more = (flex.damping(spec.damping, loose[:, :0]) - C).ravel()
                more = more if more.any() else np.zeros(0)
        mixed.append(off)
        held.append(more)
        dampers = None if flex is None or spec.damping is not None else flex.drag
        drag.append(np.zeros(0) if dampers is None else dampers.ravel())
    return {
        "v_q": np.concatenate(where).astype(np.int64) if where else np.zeros(0, dtype=np.int64),
        "v_stiffness": _joined(stiffness),
        "v_damping": _joined(damping),
        "v_rest": _joined(rest),
        "body_mixed": _starts(mixed),
        "mixed_C": _joined(mixed),
        "body_held": _starts(held),
        "held_C": _joined(held),
        "body_drag": _starts(drag),
        "drag_C": _joined(drag),
    }


def _loose(spec: BodySpec, flex: FlexibleBodyData) -> np.ndarray:
    """Return the motions (6, k) that the joint leaves to the frame of a body, as far as its damping is concerned.

    Ratios of the description are of the body clamped at its frame, unless that is free. Structural damping is of the
    body as it is held: a driven joint holds it, and so does a spring that alone would swing it faster than it bends.
    """
    joint = spec.joint
    motions = joint.freedoms()
    if joint.is_free:
        return motions
    if spec.damping is not None or joint.prescribed or flex.n_modes == 0:
        return motions[:, :0]
    first = np.sqrt(np.abs(flex.stiffness).min())
    return motions[:, flex.swing_rates(motions, joint.spread("stiffness")) < first]


def _starts(parts: list[np.ndarray]) -> np.ndarray:
    """Return where each part begins once they are joined, -1 for empty ones."""
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    return np.where(lengths > 0, np.cumsum(lengths) - lengths, -1)
