"""Static loads: pressure on faces, acceleration fields, and sets of loads by id.

Loads are vectors on the g-set, in each grid's CD system. What depends on the mass matrix (gravity,
centrifugal force) is kept as an acceleration field a and becomes `M_gg @ a` when a load is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from interstage.errors import DeckError, InputError, InterstageError, known_names
from interstage.fem.followers import Follower, follower_stiffness
from interstage.fem.grids import Grids

_QUAD = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def face_functions(points: np.ndarray, n_corner: int, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (p, n_corner) and (p, m) of the corners and of the mid-edge nodes that are present.

    Parameters
    ----------
    points : (p, 2) parent points, real or complex: square of side 2, or triangle (0,0), (1,0), (0,1)
    n_corner : 3 or 4
    middle : (n_corner,) which edges 1-2, 2-3, ... have a node
    """
    x, y = points[:, :1], points[:, 1:]
    if n_corner == 4:
        corner = (1.0 + x * _QUAD[:, 0]) * (1.0 + y * _QUAD[:, 1]) / 4.0
        edge = np.concatenate(
            [
                (1.0 - x**2) * (1.0 - y),
                (1.0 - y**2) * (1.0 + x),
                (1.0 - x**2) * (1.0 + y),
                (1.0 - y**2) * (1.0 - x),
            ],
            axis=1,
        ) / 2.0  # fmt: skip
    else:
        corner = np.concatenate([1.0 - x - y, x, y], axis=1)
        edge = 4.0 * corner * np.roll(corner, -1, axis=1)
    edge = edge * middle
    # each mid-edge function takes half of itself from the two corners of its edge
    corner = corner - (edge + np.roll(edge, 1, axis=1)) / 2.0
    return corner, edge[:, np.flatnonzero(middle)]


def face_rule(n_corner: int, quadratic: bool) -> tuple[np.ndarray, np.ndarray]:
    """Points (p, 2) and weights (p,) that integrate pressure times shape function times normal exactly."""
    if n_corner == 4:
        x, w = np.polynomial.legendre.leggauss(3 if quadratic else 2)
        points = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
        return points, np.outer(w, w).ravel()
    if not quadratic:
        return np.array([[1 / 6, 1 / 6], [2 / 3, 1 / 6], [1 / 6, 2 / 3]]), np.full(3, 1 / 6)
    root = np.sqrt(15.0)
    inner, weights = [(1 / 3, 1 / 3)], [9 / 80]
    for a, w in (((6 - root) / 21, (155 - root) / 2400), ((6 + root) / 21, (155 + root) / 2400)):
        inner += [(a, a), (1 - 2 * a, a), (a, 1 - 2 * a)]
        weights += [w] * 3
    return np.array(inner), np.array(weights)


def face_loads(
    xyz: np.ndarray,
    pressure: np.ndarray,
    middle: np.ndarray | None = None,
    direction: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Consistent nodal forces (n, k, 3) of pressure on n faces: f_a = ∫ N_a p n dA.

    Parameters
    ----------
    xyz : (n, k, 3) corners in order around the face, then the mid-edge nodes that are present
    pressure : (n, 3 or 4) at the corners, bilinear between them; positive along the right-hand normal
    middle : (3 or 4,) which edges 1-2, 2-3, ... have a node; none by default
    direction : points (m, 3) -> unit vectors (m, 3) along which the load acts instead of the normal; it is
        then p per unit area
    """
    n_corner = pressure.shape[1]
    middle = np.zeros(n_corner) if middle is None else np.asarray(middle, dtype=float)
    points, weights = face_rule(n_corner, bool(middle.any()))
    N = np.concatenate(face_functions(points, n_corner, middle), axis=1)
    linear = face_functions(points, n_corner, np.zeros(n_corner))[0]
    tangent = []
    for axis in range(2):
        shifted = points.astype(complex)
        shifted[:, axis] += 1e-30j
        dN = np.concatenate(face_functions(shifted, n_corner, middle), axis=1).imag / 1e-30
        tangent.append(np.einsum("pa,eai->epi", dN, xyz))
    normal = np.cross(*tangent)
    if direction is not None:
        at = np.einsum("pa,eai->epi", N, xyz)
        size = np.linalg.norm(normal, axis=2, keepdims=True)
        normal = size * direction(at.reshape(-1, 3)).reshape(at.shape)
    intensity = pressure @ linear.T * weights
    return np.einsum("ep,pa,epi->eai", intensity, N, normal)


def to_cd(grids: Grids, rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Components (n, 3) in the CD systems of grid rows (n,) from vectors (n, 3) in basic axes."""
    return np.einsum("nij,ni->nj", grids.R_basic_cd[rows], vectors)


@dataclass(frozen=True)
class Gravity:
    """A uniform acceleration (basic axes)."""

    acceleration: np.ndarray

    def field(self, grids: Grids) -> np.ndarray:
        """Acceleration (n_dof,) of every grid, rotations zero."""
        a = np.broadcast_to(self.acceleration, (len(grids), 3))
        return _scatter(grids, a, None)


@dataclass(frozen=True)
class SpinLoad:
    """Spin about a point: centrifugal force and the reaction to an angular acceleration.

    Attributes
    ----------
    point : (3,) a point of the axis, basic axes
    omega : (3,) angular velocity, rad per unit time, basic axes
    alpha : (3,) angular acceleration
    """

    point: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray

    def field(self, grids: Grids) -> np.ndarray:
        """Field (n_dof,) whose product with M_gg is the load: −ω×(ω×r) − α×r, rotations −α."""
        r = grids.xyz - self.point
        a = -np.cross(self.omega, np.cross(self.omega, r)) - np.cross(self.alpha, r)
        return _scatter(grids, a, np.broadcast_to(-self.alpha, r.shape))

    def slope(self, grids: Grids) -> sp.csr_matrix:
        """Change (n_dof, n_dof) of that field with displacements, −ω×(ω×u) − α×u, CD axes."""
        w, turn = self.omega, np.cross(np.eye(3), self.alpha)  # turn @ u = α × u
        D = (w @ w) * np.eye(3) - np.outer(w, w) - turn
        blocks = np.einsum("nia,ij,njb->nab", grids.R_basic_cd, D, grids.R_basic_cd)
        rows = grids.dof[:, None] + np.arange(3)
        place = [np.broadcast_to(rows[:, :, None], blocks.shape).ravel()]
        place.append(np.broadcast_to(rows[:, None], blocks.shape).ravel())
        return sp.coo_matrix((blocks.ravel(), place), shape=(grids.n_dof, grids.n_dof)).tocsr()


@dataclass(frozen=True)
class Within:
    """An acceleration of some dofs (k,) alone: those of the part of the structure whose loads it belongs to."""

    item: Gravity | SpinLoad
    dofs: np.ndarray

    def field(self, grids: Grids) -> np.ndarray:
        """Acceleration (n_dof,), zero elsewhere."""
        out = np.zeros(grids.n_dof)
        out[self.dofs] = self.item.field(grids)[self.dofs]
        return out


def _scatter(grids: Grids, translation: np.ndarray, rotation: np.ndarray | None) -> np.ndarray:
    out = np.zeros(grids.n_dof)
    rows = np.arange(len(grids))
    axes = np.arange(3)
    out[grids.dof[:, None] + axes] = to_cd(grids, rows, translation)
    if rotation is not None:
        out[grids.dof[:, None] + 3 + axes] = to_cd(grids, rows, rotation)
    return out


@dataclass
class TemperatureSet:
    """Temperatures of one set.

    default : of grids that nothing else names (TEMPD)
    grids : id -> temperature (TEMP)
    plates : element id -> (mean, gradient through the thickness) (TEMPP1)
    bars : element id -> (at A, at B, gradients in planes 1 and 2: 1A 1B 2A 2B) (TEMPRB)
    refused : the error to raise if the set is selected
    """

    default: float | None = None
    grids: dict[int, float] = field(default_factory=dict)
    plates: dict[int, tuple[float, float]] = field(default_factory=dict)
    bars: dict[int, tuple[float, ...]] = field(default_factory=dict)
    refused: DeckError | None = None

    def at_grids(self, grids: Grids) -> np.ndarray:
        """Temperatures (grids,), NaN where there is none."""
        out = np.full(len(grids), np.nan if self.default is None else self.default)
        out[grids.find(np.fromiter(self.grids, np.int64))] = list(self.grids.values())
        return out


@dataclass
class LoadSet:
    """What one load set id holds directly: forces on dofs, acceleration fields, enforced displacements.

    followers : those of the forces that turn with the structure
    spans : number of a block of bars -> end loads (n, 12), element axes, that stand for loads between the ends
    """

    dof: list[np.ndarray] = field(default_factory=list)
    value: list[np.ndarray] = field(default_factory=list)
    fields: list[Gravity | SpinLoad | Within] = field(default_factory=list)
    enforced: dict[int, float] = field(default_factory=dict)
    followers: list[Follower] = field(default_factory=list)
    spans: dict[int, np.ndarray] = field(default_factory=dict)
    refused: DeckError | None = None

    @property
    def only_enforced(self) -> bool:
        """Say whether the set holds nothing but enforced displacements."""
        return not (self.dof or self.fields or self.spans or self.refused)


class StaticLoadSets:
    """Static load sets of a model by id.

    Attributes
    ----------
    sets : id -> LoadSet
    combinations : id of a LOAD card -> list of (factor, set id)
    temperatures : id -> TemperatureSet
    direct : id of a subcase -> loads (n_dof,) that P2G adds
    refused : the error to raise if statics is asked for, where the loads of the deck cannot be used
    """

    def __init__(self, grids: Grids, refused: InterstageError | None = None):
        self.grids, self.refused = grids, refused
        self.sets: dict[int, LoadSet] = {}
        self.combinations: dict[int, list[tuple[float, int]]] = {}
        self.temperatures: dict[int, TemperatureSet] = {}
        self.direct: dict[int, np.ndarray] = {}

    def set(self, sid: int) -> LoadSet:
        """The set with this id, made empty if there was none."""
        return self.sets.setdefault(int(sid), LoadSet())

    @property
    def ids(self) -> list[int]:
        """Ids that a subcase can select, ascending."""
        return sorted({*self.sets, *self.combinations})

    def __contains__(self, set_id: int) -> bool:
        return set_id in self.sets or set_id in self.combinations

    def check(self) -> None:
        """Raise the error about loads that cannot be used, if there is one."""
        if self.refused is not None:
            raise self.refused

    def vector(self, set_id: int, M_gg: sp.csr_matrix | None = None) -> np.ndarray:
        """Load (n_dof,) on the g-set in CD axes.

        `M_gg` (mass times WTMASS) is needed where the set holds GRAV or RFORCE.
        """
        out = np.zeros(self.grids.n_dof)
        acceleration = None
        for factor, one in self._parts(set_id):
            for dof, value in zip(one.dof, one.value):
                np.add.at(out, dof, factor * value)
            for item in one.fields:
                acceleration = np.zeros_like(out) if acceleration is None else acceleration
                acceleration += factor * item.field(self.grids)
        if acceleration is not None:
            if M_gg is None:
                raise InputError(
                    "load set needs the mass matrix (GRAV or RFORCE)", where=f"load set {set_id}"
                )
            out += M_gg @ acceleration
        return out

    def enforced(self, set_id: int) -> dict[int, float]:
        """Enforced displacements (SPCD) of a set: g-set dof -> value in CD axes."""
        out: dict[int, float] = {}
        for factor, one in self._parts(set_id):
            for dof, value in one.enforced.items():
                out[dof] = out.get(dof, 0.0) + factor * value
        return out

    def spans(self, set_id: int) -> dict[int, np.ndarray]:
        """End loads (n, 12), element axes, of what a set puts between the ends of bars, by number of their block."""
        out: dict[int, np.ndarray] = {}
        for factor, one in self._parts(set_id):
            for block, value in one.spans.items():
                out[block] = out.get(block, 0.0) + factor * value
        return out

    def follower_stiffness(self, set_id: int, M_gg: sp.csr_matrix | None = None) -> sp.csr_matrix:
        """Stiffness (n_dof, n_dof) of the loads of a set that follow the structure, CD axes.

        `M_gg` is needed where the set holds RFORCE: masses that move out are pulled more.
        """
        sets = self._parts(set_id)
        parts = [(factor, follower) for factor, one in sets for follower in one.followers]
        total = follower_stiffness(self.grids, parts)
        spins = [(factor, item) for factor, one in sets for item in one.fields if isinstance(item, SpinLoad)]
        if spins and M_gg is None:
            raise InputError("load set needs the mass matrix (RFORCE)", where=f"load set {set_id}")
        for factor, spin in spins:
            slope = M_gg @ spin.slope(self.grids)
            total = total - 0.5 * factor * (slope + slope.T)
        return total.tocsr()

    def _parts(self, set_id: int, path: tuple[int, ...] = ()) -> list[tuple[float, LoadSet]]:
        """Factors and plain sets that make up a set, its LOAD card resolved.

        A LOAD card inside of it and sets that are not in the deck are left out, as in Nastran (`left_out`), unless
        nothing remains.
        """
        self.check()
        named = self.combinations.get(set_id, ())
        if set_id not in self:
            raise DeckError(f"the deck has no load set {set_id}", hint="load sets " + known_names(self.ids))
        if named and set_id not in self.sets and not any(other in self for _, other in named):
            missing = ", ".join(str(other) for _, other in named)
            raise DeckError(
                f"LOAD {set_id} refers to load set {missing}, which is not in the deck",
                hint="load sets " + known_names(self.ids),
            )
        parts = []
        if set_id in self.sets:
            one = self.sets[set_id]
            if one.refused is not None:
                raise one.refused
            parts.append((1.0, one))
        for factor, other in () if path else named:
            if other in self:
                parts += [(factor * f, one) for f, one in self._parts(other, (set_id,))]
        return parts

    def left_out(self, set_id: int | None) -> list[str]:
        """Sentences about what the LOAD card of a set names and Nastran leaves out: LOAD cards, unknown sets."""
        out = []
        for other in dict.fromkeys(other for _, other in self.combinations.get(set_id or 0, ())):
            if other in self.combinations:
                what = f"set {other}, which is a LOAD card itself: that card"
            elif other not in self:
                what = f"load set {other}, which is not in the deck: it"
            else:
                continue
            out.append(f"LOAD {set_id} names {what} is left out, as Nastran does")
        return out
