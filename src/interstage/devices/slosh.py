"""Propellant slosh: masses on springs and pendulums, their parameters for tanks, and their bulk data.

Waves on the surface of a fluid in a tank of revolution, by finite elements of the potential.

    φ = Φ(r, z) cos θ:   ∫ (∇Φ·∇Ψ + ΦΨ/r²) r dr dz = λ ∫_surface ΦΨ r dr,    λ = ω²/a

Biquadratic elements on lines of equal z, r from the axis to the wall; what is not on the surface is eliminated.

Slosh of propellant: pendulums or masses on springs that push a tank as the fluid does, from shape and fill.

Free-surface waves of an ideal fluid in a tank of revolution, potential Φ_n(r, z) cos θ, with λ_n = ω_n²/a under an
acceleration a along the axis (Abramson, NASA SP-106, 1966; Ibrahim, Liquid Sloshing Dynamics, 2005, ch. 5):

    ω_n² = a λ_n,    L_n = 1/λ_n,    m_n = ρ π λ_n (∫ r²Φ_n dr)²/∫ rΦ_n² dr      over the surface

Cylinder of radius R and depth h, ξ_n the roots of J₁′, k = ξ_n h/R; heights above the bottom:

    λ_n = ξ_n tanh(k)/R,  m_n = m 2 tanh(k)/((ξ_n² - 1) k),  spring at h_n = h (1 - 2 tanh(k/2)/k),  hinge at h_n + L_n
    m₀ = m - Σm_n,   m₀h₀ = m h/2 - Σm_n h_n,   I₀ = I_cap - m₀(h₀ - h/2)² - Σm_n(h_n - h/2)²
    I_cap = m [h²/12 - ¾R² + 16 (R³/h) Σ_all tanh(k/2)/(ξ³(ξ² - 1))]               fluid turning under a lid, about h/2

Sphere: pressure acts through the centre, so all hinges are there, and so is m₀; λ_n and m_n by finite elements
(`interstage.devices.slosh`). As bodies of a vehicle they cost what bodies cost; the rigid part m₀ is one more.
As shapes of a flexible body (`slosh_cards`) they cost what modes cost.

Slosh as shapes of a flexible body: bulk data that put masses on springs into the finite-element model of a tank.

For each wave (m_n, L_n, height h_n of its spring, see `slosh`) a mass slides across the axis on springs,

    k_n = m_n a/L_n,    c_n = 2ζ m_n √(a/L_n)

and follows the tank along it; the rigid part m₀, I₀ sits at its height h₀. Modes of the whole are then modes of
structure and fluid together: they need no bodies and no ports, which cost more than modes do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu
from scipy.special import jnp_zeros

from interstage.calls import named_arguments
from interstage.component.damping import warn_overcritical
from interstage.errors import InputError
from interstage.multibody import Locked, Multibody, Planar, Universal
from interstage.multibody.lumped import ENOUGH, HungFluid, center_on
from interstage.multibody.model import BodySpec
from interstage.nastran.card_text import card

CELLS = 14  # across and along: 1e-5 of the first frequency
GAUSS = np.polynomial.legendre.leggauss(4)


def _line(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the three quadratic shapes on -1, 0, 1 and their slopes (3, k) at places x (k,)."""
    N = np.array([0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)])
    return N, np.array([x - 0.5, -2.0 * x, x + 0.5])


def surface_waves(
    wall: Callable[[np.ndarray], np.ndarray], depth: float, n: int, cells: int = CELLS
) -> tuple[np.ndarray, np.ndarray]:
    """Return λ (n,) and m_n/ρ (n,) of the first waves; wall(z) is the radius of the tank at z above its bottom."""
    m = 2 * cells + 1
    s = np.linspace(0.0, 1.0, m)
    z = depth * 0.5 * (1.0 - np.cos(np.pi * s))  # closer at the bottom and at the surface
    r = 0.5 * (1.0 - np.cos(np.pi * (0.5 + 0.5 * s)))  # and at the wall
    r = (r - r[0]) / (r[-1] - r[0])
    R = wall(z)[:, None] * r[None, :]
    Z = np.broadcast_to(z[:, None], (m, m))
    number = np.arange(m * m).reshape(m, m)
    x, weight = GAUSS
    N, dN = _line(x)
    # shapes (9, g, g) of an element, rows along z, columns along r
    shape = np.einsum("ia,jb->ijab", N, N).reshape(9, *(len(x),) * 2)
    by_z = np.einsum("ia,jb->ijab", dN, N).reshape(shape.shape)
    by_r = np.einsum("ia,jb->ijab", N, dN).reshape(shape.shape)
    rows, columns, values = [], [], []
    for i in range(0, m - 1, 2):
        for j in range(0, m - 1, 2):
            nodes = number[i : i + 3, j : j + 3].ravel()
            rr, zz = R.ravel()[nodes], Z.ravel()[nodes]
            J = [np.einsum("k,kab->ab", c, f) for c in (rr, zz) for f in (by_r, by_z)]
            det = J[0] * J[3] - J[1] * J[2]
            gr = (J[3] * by_r - J[2] * by_z) / det
            gz = (J[0] * by_z - J[1] * by_r) / det
            radius = np.einsum("k,kab->ab", rr, shape)
            w = weight[:, None] * weight[None, :] * np.abs(det) * radius
            K = np.einsum("kab,lab,ab->kl", gr, gr, w) + np.einsum("kab,lab,ab->kl", gz, gz, w)
            K += np.einsum("kab,lab,ab->kl", shape, shape, w / radius**2)
            rows.append(np.repeat(nodes, 9))
            columns.append(np.tile(nodes, 9))
            values.append(K.ravel())
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    K = sparse.csc_matrix(entries, shape=(m * m, m * m))
    top, inside = number[-1, 1:], number[:-1, 1:].ravel()  # Φ = 0 on the axis
    if wall(np.zeros(1))[0] < 1e-9:  # a pointed bottom: one point, and on the axis
        inside = number[1:-1, 1:].ravel()
    Kii, Kis = K[inside][:, inside].tocsc(), K[inside][:, top].toarray()
    S = K[top][:, top].toarray() - Kis.T @ splu(Kii).solve(Kis)
    M, push = np.zeros((m, m)), np.zeros(m)
    for j in range(0, m - 1, 2):
        nodes = np.arange(j, j + 3)
        rr = R[-1, nodes]
        jacobian = dN.T @ rr
        radius = N.T @ rr
        w = weight * jacobian * radius
        M[np.ix_(nodes, nodes)] += np.einsum("ka,la,a->kl", N, N, w)
        push[nodes] += N @ (w * radius)
    rates, shapes = linalg.eigh(0.5 * (S + S.T), M[1:, 1:], subset_by_index=[0, n - 1])
    # shapes have ∫ rΦ² dr = 1
    return rates, np.pi * rates * (shapes.T @ push[1:]) ** 2


ALL = 200  # roots in the sum of the capped inertia: the last term is 1e-12 of the first
FAST = 20.0  # turn of a mass on springs, beside the wave
THIN = 1e-9  # roll inertia of slosh masses beside m L²


@dataclass(frozen=True)
class Wave:
    """One slosh mode: m_n (kg), L_n (m), hinge and spring heights (m above the bottom), share of the fluid."""

    mass: float
    length: float
    hinge: float
    share: float

    @property
    def spring(self) -> float:
        """Height at which a mass on a spring pushes: as far below the hinge as the pendulum is long."""
        return self.hinge - self.length

    def frequency(self, acceleration: float) -> float:
        """Return ω (rad/s) under an acceleration along the axis: √(a/L)."""
        return float(np.sqrt(acceleration / self.length))


@named_arguments
class Slosh(ABC):
    """What a tank with fluid knows: waves, and the rigid part m₀, h₀, I₀ that is left."""

    mass: float

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, int | float | np.integer | np.floating) or not 0.0 < value < np.inf:
                raise InputError(f"{type(self).__name__}: {name} must be positive", got=repr(value))

    @cached_property
    def waves(self) -> tuple[Wave, ...]:
        """Waves from the longest on."""
        share, length, hinge = self.shapes()
        rows = zip(share * self.mass, length, hinge, share)
        return tuple(Wave(*map(float, row)) for row in rows)

    @property
    def rigid_mass(self) -> float:
        """m₀: what moves with the tank."""
        return self.mass - sum(wave.mass for wave in self.waves)

    @abstractmethod
    def shapes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return shares of the fluid, lengths of pendulums and heights of hinges, (n,) each."""

    @property
    def extent(self) -> tuple[float, float]:
        """Largest radius, and depth of the fluid; of a shape that does not say, none."""
        return 0.0, 0.0

    def holds(self, point: np.ndarray) -> bool:
        """Tell whether a point (3,) from the bottom, x along the axis, is where the fluid is, or close beside it."""
        radius, depth = self.extent
        aside, slack = float(np.hypot(point[1], point[2])), 1.0 + ENOUGH
        return bool(-ENOUGH * depth <= point[0] <= slack * depth and aside <= slack * radius and depth > 0.0)

    @property
    @abstractmethod
    def rigid_height(self) -> float:
        """h₀ of m₀ above the bottom."""

    @property
    @abstractmethod
    def rigid_inertia(self) -> float:
        """I₀ of m₀ about its own centre, across the axis."""


@named_arguments
@dataclass(frozen=True)
class CylinderSlosh(Slosh):
    """Fluid in an upright cylinder with a flat bottom: radius, depth (m), mass (kg); n : number of waves.

    >>> tank = CylinderSlosh(radius=1.0, depth=2.0, mass=1000.0)
    >>> round(tank.waves[0].mass, 1), round(tank.waves[0].frequency(9.80665), 3)
    (227.0, 4.247)
    """

    radius: float
    depth: float
    mass: float
    n: int = 1

    def shapes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return shares of the fluid, lengths of pendulums and heights of hinges."""
        xi = jnp_zeros(1, self.n)
        k = xi * self.depth / self.radius
        share = 2.0 * np.tanh(k) / ((xi**2 - 1.0) * k)
        length = self.radius / (xi * np.tanh(k))
        return share, length, self.depth * (1.0 - 2.0 * np.tanh(0.5 * k) / k) + length

    @property
    def extent(self) -> tuple[float, float]:
        """Radius, and depth of the fluid."""
        return self.radius, self.depth

    @property
    def rigid_height(self) -> float:
        """h₀ of m₀ above the bottom; it may lie above the surface of a shallow tank."""
        return (0.5 * self.mass * self.depth - sum(w.mass * w.spring for w in self.waves)) / self.rigid_mass

    @property
    def capped_inertia(self) -> float:
        """I_cap about a diameter through the middle of the fluid, under a lid."""
        xi = jnp_zeros(1, ALL)
        terms = np.tanh(0.5 * xi * self.depth / self.radius) / (xi**3 * (xi**2 - 1.0))
        R, h = self.radius, self.depth
        return self.mass * (h * h / 12.0 - 0.75 * R * R + 16.0 * R**3 / h * float(terms.sum()))

    @property
    def rigid_inertia(self) -> float:
        """I₀ of m₀ about its own centre, across the axis."""
        middle = 0.5 * self.depth
        taken = sum(wave.mass * (wave.spring - middle) ** 2 for wave in self.waves)
        return self.capped_inertia - self.rigid_mass * (self.rigid_height - middle) ** 2 - taken


@named_arguments
@dataclass(frozen=True)
class SphereSlosh(Slosh):
    """Fluid in a sphere: radius (m), fill as depth over diameter, mass (kg); n : number of waves.

    >>> tank = SphereSlosh(radius=1.0, fill=0.5, mass=1000.0)
    >>> round(1.0 / tank.waves[0].length, 4)
    1.5602
    """

    radius: float
    fill: float
    mass: float
    n: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.02 <= self.fill <= 0.98:
            raise InputError("SphereSlosh: fill must be between 0.02 and 0.98", got=repr(self.fill))

    def shapes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return shares of the fluid, lengths of pendulums and heights of hinges."""
        depth = 2.0 * self.fill
        # in units of the radius, from the bottom; a thin skin at the bottom instead of the pole
        rates, masses = surface_waves(lambda z: np.sqrt(np.maximum(z * (2.0 - z), 0.0)), depth, self.n)
        volume = np.pi * depth**2 * (1.0 - depth / 3.0)
        return masses / volume, self.radius / rates, np.full(self.n, self.radius)

    @property
    def extent(self) -> tuple[float, float]:
        """Largest radius, and depth of the fluid."""
        return self.radius, 2.0 * self.fill * self.radius

    @property
    def rigid_height(self) -> float:
        """h₀ of m₀ above the bottom: the centre."""
        return self.radius

    @property
    def rigid_inertia(self) -> float:
        """I₀: none, an ideal fluid lets the sphere turn."""
        return 0.0


@named_arguments
def add_slosh(
    vehicle: Multibody,
    name: str,
    tank: Slosh,
    *,
    parent: str,
    bottom: tuple[float, float, float] | list[float],
    node: int | None = None,
    kind: str = "pendulum",
    acceleration: float | None = None,
    damping: float = 0.0,
    check: bool = True,
) -> list[str]:
    """Add the fluid of a tank to a vehicle whose x axis points against the acceleration; return names of the bodies.

    parent, bottom : body and the point (3,) of it where the axis meets the bottom of the tank; of a flexible body the
        node that carries the tank, and the bottom from there
    kind : "pendulum" (swings under any acceleration) or "spring" (k = m a/L of the `acceleration` given)
    damping : ratio of each wave, at `acceleration`
    Masses, lengths and heights stand still at this fill: they do not follow the level of a tank that empties, as the
    waves of `StagedVehicle.add_slosh` do. On a burning vehicle the fluid is to be here or in the tank, not in both.
    check : False takes a fluid that the parent may have already: lumped masses of at least its mass where it stands (in
        the modes of the component, or hung on the parent), or tanks that cannot hold it beside what they have
    Bodies: "name 1" ... for the waves, "name rigid" for m₀.
    """
    if kind not in ("pendulum", "spring"):
        raise InputError("unknown kind of slosh", expected="pendulum or spring", got=repr(kind))
    if not 0.0 <= damping < np.inf:
        raise InputError(f"slosh '{name}': damping is a ratio", expected="0 or more", got=repr(damping))
    warn_overcritical(damping, f"slosh '{name}', damping")
    if (kind == "spring" or damping > 0.0) and not (acceleration is not None and acceleration > 0.0):
        raise InputError(f"slosh '{name}' needs an acceleration", expected="acceleration= in m/s^2")
    foot = np.asarray(bottom, dtype=float)
    if check:
        _refuse_twice(vehicle, name, tank, vehicle.spec(parent, where=f"slosh '{name}'"), node, foot)
    rest, on = f"{name} rigid", parent
    if node is not None:
        _add_rigid_part(vehicle, rest, tank, parent, node, foot + [tank.rigid_height, 0.0, 0.0])
        parent = rest
    names: list[str] = []
    joint: Universal | Planar
    for k, wave in enumerate(tank.waves, 1):
        names.append(f"{name} {k}")
        rate = 0.0 if acceleration is None else wave.frequency(acceleration)
        thin = THIN * wave.mass * wave.length**2
        if kind == "pendulum":
            joint = Universal("yz", damping=2.0 * damping * rate * wave.mass * wave.length**2)
            at, com = foot + [wave.hinge, 0.0, 0.0], [-wave.length, 0.0, 0.0]
        else:
            # its turn about the axis means nothing: fast and still
            soft = [wave.mass * rate**2] * 2 + [thin * (FAST * rate) ** 2]
            joint = Planar(
                "x",
                stiffness=soft,
                damping=[2.0 * damping * rate * wave.mass] * 2 + [2.0 * thin * FAST * rate],
            )
            at, com = foot + [wave.spring, 0.0, 0.0], [0.0, 0.0, 0.0]
        vehicle.add_body(
            names[-1], mass=wave.mass, com=com, inertia=[thin] * 3, parent=parent, at=at, joint=joint
        )
    if node is None:
        at = foot + [tank.rigid_height, 0.0, 0.0]
        _add_rigid_part(vehicle, rest, tank, parent, at, np.zeros(3))
    component = vehicle.spec(on).component
    if component is not None and node is not None and check:
        base = component.node_positions[component.node_row(node)] + foot
        inside = HungFluid(name, on, tank.mass, lambda point: tank.holds(point - base), (*names, rest))
        vehicle.fluids.append(inside)
    return [*names, rest]


def _add_rigid_part(
    vehicle: Multibody, name: str, tank: Slosh, parent: str, at: np.ndarray | int, com: np.ndarray
) -> None:
    """Add what moves with the tank: m₀ at a point from its place on the parent."""
    I0, small = tank.rigid_inertia, THIN * tank.rigid_mass
    inertia = [small, I0 + small, I0 + small]
    vehicle.add_body(
        name, mass=tank.rigid_mass, com=com, inertia=inertia, parent=parent, at=at, joint=Locked()
    )


def _refuse_twice(
    vehicle: Multibody, name: str, tank: Slosh, parent: BodySpec, node: int | None, foot: np.ndarray
) -> None:
    """Refuse a fluid that its parent has already, as lumped masses where it stands or as propellant of its tanks."""
    where, hint = f"slosh '{name}', body '{parent.name}'", "pass check=False where the fluid is another one"
    if parent.tanks is not None:
        own = parent.tanks
        room = [own.range_of(k)[1] - own.start[k] for k in range(len(own.names))]
        if max(room, default=np.inf) < tank.mass * (1.0 - ENOUGH):
            raise InputError(
                f"no tank of the body can hold this fluid beside what it has: the {tank.mass:g} would count twice",
                where=where,
                got=", ".join(f"{one}: {free:g} free" for one, free in zip(own.names, room)),
                hint=f"fill the tank to the rest (propellant=), or use StagedVehicle.add_slosh; {hint}",
            )
    component = parent.component
    if component is None or node is None:
        return
    bottom = component.node_positions[component.node_row(node)] + foot
    inside, hung = component.lumped_inside, []
    if inside is not None:
        hung = list(zip(inside.names, inside.mass, inside.position))
    for spec in vehicle.specs:
        if spec.parent == parent.name and spec.inertia is not None:
            hung.append((spec.name, float(np.real(spec.inertia.mass)), center_on(component, spec)))
    middle = bottom + [0.5 * tank.extent[1], 0.0, 0.0]
    there = [(one, mass) for one, mass, place in hung if tank.holds(np.asarray(place) - bottom)]
    there += [
        (one.name, one.mass) for one in vehicle.fluids if one.parent == parent.name and one.holds(middle)
    ]
    total = sum(mass for _, mass in there)
    if total >= tank.mass * (1.0 - ENOUGH):
        raise InputError(
            f"the body has lumped masses of {total:g} inside this tank already: its fluid, {tank.mass:g}, would count "
            "twice",
            where=where,
            got=", ".join(one for one, _ in there[:4]) + (", ..." if len(there) > 4 else ""),
            hint=f"take them out of the component (separate_lumped) and do not add them; {hint}",
        )


@named_arguments
def slosh_cards(
    tank: Slosh,
    *,
    grid: int,
    bottom: Sequence[float],
    first: int,
    acceleration: float,
    damping: float = 0.0,
) -> str:
    """Return bulk data of the fluid in a tank: GRID, RBE2, CELAS2, CDAMP2 and CONM2, in SI and basic axes.

    grid : grid of the structure that carries the tank;  bottom : where its axis, along x, meets its bottom (3,)
    first : first id of new grids and elements;  acceleration : along the axis, m/s²;  damping : ratio of each wave

    >>> from interstage.devices import CylinderSlosh
    >>> tank = CylinderSlosh(radius=1.0, depth=2.0, mass=1000.0)
    >>> cards = slosh_cards(tank, grid=7, bottom=[3.0, 0.0, 0.0], first=9001, acceleration=9.81)
    >>> [line.split()[0] for line in cards.splitlines() if not line.startswith("* ")][:3]
    ['GRID*', 'GRID*', 'RBE2']
    """
    foot = np.asarray(bottom, dtype=float)
    if foot.shape != (3,) or not np.isfinite(foot).all():
        raise InputError("slosh_cards: bottom is no point", expected="three numbers", got=repr(bottom))
    if (
        not isinstance(acceleration, int | float | np.integer | np.floating)
        or not 0.0 < acceleration < np.inf
    ):
        raise InputError(
            "slosh_cards needs an acceleration", expected="above 0 m/s^2", got=repr(acceleration)
        )
    grids = range(first, first + 2 * len(tank.waves) + 1)
    if first < 1 or not 0.0 <= damping < np.inf:
        raise InputError(
            "slosh_cards: first is an id, damping a ratio", got=f"first={first}, damping={damping}"
        )
    if grid in grids:
        raise InputError(
            "slosh_cards: the grid that carries the tank has an id of the new grids",
            expected=f"none of {grids[0]} to {grids[-1]}",
            got=f"grid={grid}, first={first}",
        )
    out, element = [], first
    for k, wave in enumerate(tank.waves):
        fixed, free = first + 2 * k, first + 2 * k + 1
        rate = wave.frequency(acceleration)
        at = foot + [wave.spring, 0.0, 0.0]
        out += [card("GRID", g, None, *at.tolist()) for g in (fixed, free)]
        out.append(card("RBE2", element, grid, 123456, fixed))
        out.append(card("RBE2", element + 1, grid, 1456, free))
        out.append(card("CONM2", element + 2, free, None, wave.mass))
        element += 3
        for c in (2, 3):
            out.append(card("CELAS2", element, wave.mass * rate**2, fixed, c, free, c))
            element += 1
            if damping > 0.0:
                out.append(card("CDAMP2", element, 2.0 * damping * rate * wave.mass, fixed, c, free, c))
                element += 1
    rest, I0 = first + 2 * len(tank.waves), max(tank.rigid_inertia, 0.0)
    at = foot + [tank.rigid_height, 0.0, 0.0]
    out.append(card("GRID", rest, None, *at.tolist()))
    out.append(card("RBE2", element, grid, 123456, rest))
    inertia = (None, None, None, None, 0.0, 0.0, I0, 0.0, 0.0, I0)
    out.append(card("CONM2", element + 1, rest, None, float(tank.rigid_mass), *inertia))
    return "\n".join(out) + "\n"
