"""Reduce equations to the analysis set: AUTOSPC, constraints, condensation.

AUTOSPC: find and constrain dofs of grid points that have no stiffness.

For the translations and for the rotations of each grid, the 3 by 3 diagonal block of K_nn (after rigid
elements and MPCs are eliminated) is compared with itself: a principal stiffness below EPZERO (1e-8)
times the largest makes the component nearest to its direction singular. A block of zeros is singular in
all its components. Mass does not matter.

From the g-set to the sets that are solved: eliminate constraints, then omit dofs (Guyan).

u_g = T_gn u_n,  K_nn = Tᵀ K_gg T;   u_n = [u_f; u_s];   u_o = G_oa u_a,  G_oa = -K_oo⁻¹ K_oa
K_aa = K̄_aa + K_ao G_oa,   M_aa = M̄_aa + M_ao G_oa + G_oaᵀ M_oa + G_oaᵀ M_oo G_oa
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from interstage.errors import ModelError, SolverError
from interstage.fem.constraints import Dependence, Equations, eliminate
from interstage.fem.grids import Grids
from interstage.fem.sets import SetCards, Sets, make_sets
from interstage.linalg.factor import Factor, NotPositiveDefinite, available_memory, readable_bytes
from interstage.linalg.refine import mechanism_error


@dataclass(frozen=True)
class Singularities:
    """Grid-point singularities: g-set dofs and the stiffness ratio that shows each."""

    dof: np.ndarray
    ratio: np.ndarray

    def __len__(self) -> int:
        return len(self.dof)

    def lines(self, grids: Grids, limit: int = 20) -> list[str]:
        """Sentences for a report, one a dof."""
        out = [
            f"{grids.name_of(int(d))}: stiffness ratio {r:.1e}" for d, r in zip(self.dof[:limit], self.ratio)
        ]
        if len(self) > limit:
            out.append(f"and {len(self) - limit} more")
        return out


def find_singularities(
    K_nn, n: np.ndarray, free: np.ndarray, grids: Grids, epzero: float = 1e-8
) -> Singularities:
    """Find the singular dofs among `free`.

    Parameters
    ----------
    K_nn : (n, n) stiffness on the n-set, whose g-set dofs are `n` (sorted)
    free : g-set dofs that may be singular (not constrained already, not named in the user's sets)
    """
    place = np.full(grids.n_dof, -1, dtype=np.int64)
    place[n] = np.arange(len(n))
    allowed = np.zeros(grids.n_dof, dtype=bool)
    allowed[free] = True
    found = [_scalar_points(K_nn, place, allowed, grids)]
    for first in (0, 3):
        dofs = grids.dof[:, None] + np.arange(first, first + 3)
        found.append(_triples(K_nn, place[dofs], dofs, allowed[dofs], epzero))
    dof = np.concatenate([part[0] for part in found]).astype(np.int64)
    ratio = np.concatenate([part[1] for part in found])
    order = np.argsort(dof)
    return Singularities(dof[order], ratio[order])


def _scalar_points(K_nn, place, allowed, grids: Grids):
    dofs = grids.spoint_dof[allowed[grids.spoint_dof]]
    bad = dofs[K_nn.diagonal()[place[dofs]] == 0.0]
    return bad, np.zeros(len(bad))


def _triples(K_nn, place, dofs, allowed, epzero: float):
    """Singular components of 3 by 3 blocks; `place` (k, 3) is -1 for dofs outside the n-set."""
    blocks = _blocks(K_nn, place)
    size = np.abs(np.einsum("kii->ki", blocks)).max(axis=1, initial=0.0)
    # Components that cannot be singular are made as stiff as the stiffest and uncoupled.
    for i in range(3):
        shut = ~allowed[:, i]
        blocks[shut, i, :] = 0.0
        blocks[shut, :, i] = 0.0
        blocks[shut, i, i] = np.where(size[shut] > 0.0, size[shut], 1.0)
    value, V = np.linalg.eigh(blocks)
    weak = value <= epzero * size[:, None]
    taken = ~allowed
    dof, ratio = [], []
    for j in range(3):
        k = np.flatnonzero(weak[:, j])
        share = np.where(taken[k], -1.0, np.abs(V[k, :, j]))
        # near ties go to the higher component, as a weak pivot does
        c = 2 - np.argmax(np.round(share[:, ::-1], 6), axis=1)
        ok = share[np.arange(len(k)), c] >= 0.0
        k, c = k[ok], c[ok]
        taken[k, c] = True
        dof.append(dofs[k, c])
        ratio.append(np.abs(value[k, j]) / np.where(size[k] > 0.0, size[k], 1.0))
    return np.concatenate(dof), np.concatenate(ratio)


def _blocks(K_nn, place) -> np.ndarray:
    """Diagonal blocks (k, 3, 3) of K_nn at the given positions, zero where a position is -1."""
    K = sp.csr_array(K_nn)
    n = K.shape[0]
    # For each row of K_nn: which block it belongs to, and which row of it.
    block, local = np.full(n, -1), np.zeros(n, dtype=np.int64)
    k, i = np.nonzero(place >= 0)
    block[place[k, i]], local[place[k, i]] = k, i
    row = np.repeat(np.arange(n), np.diff(K.indptr))
    inside = (block[row] >= 0) & (block[row] == block[K.indices])
    row, column, data = row[inside], K.indices[inside], K.data[inside]
    out = np.zeros((len(place), 3, 3))
    np.add.at(out, (block[row], local[row], local[column]), data)
    return out


CHUNK = 64
LARGEST = 1e150  # numbers of matrices; beyond it, and below its inverse, squares leave the range of numbers


@dataclass
class Constraints:
    """What constrains a model in one subcase.

    Attributes
    ----------
    equations : rigid elements and MPCs together (`constraints.join`)
    spc : (k,) constrained g-set dofs, permanent constraints (GRID PS) included
    values : (k,) enforced displacements, zero where nothing is enforced
    cards : dofs named by set cards
    autospc : constrain grid-point singularities
    epzero : stiffness ratio that counts as singular
    """

    equations: Equations = field(default_factory=Equations)
    spc: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    values: np.ndarray | None = None
    cards: SetCards = field(default_factory=SetCards)
    autospc: bool = True
    epzero: float = 1e-8

    def hold(self, dofs: np.ndarray) -> None:
        """Constrain more dofs to zero; those that are constrained already keep their values."""
        more = np.setdiff1d(dofs, self.spc).astype(np.int64)
        values = np.zeros(len(self.spc)) if self.values is None else self.values
        self.spc = np.concatenate([self.spc, more])
        self.values = np.concatenate([values, np.zeros(len(more))])


class ReducedModel:
    """A model on its n-, f- and a-sets with the maps back to the g-set.

    Attributes
    ----------
    sets : Sets
    dependence : m-set and `T_gn`
    K_ff, M_ff : sparse
    u_s : (s,) enforced displacements
    singularities : dofs that AUTOSPC constrained, or would have
    notes : sentences for the user
    """

    def __init__(self, K_gg, M_gg, grids: Grids, constraints: Constraints):
        self.grids, self.constraints = grids, constraints
        describe = grids.name_of
        for name, A in (("stiffness", K_gg), ("mass", M_gg)):
            if A is not None and not (np.abs(A.data) < LARGEST).all():
                raise ModelError(
                    f"the {name} matrix holds numbers that are not finite, or so large that they cannot be squared",
                    hint="look for a material, section or spring with an exponent that is not meant",
                )
        self.dependence: Dependence = eliminate(constraints.equations, grids.n_dof, describe)
        spc, values = _unique_values(constraints.spc, constraints.values, describe)
        cards = constraints.cards
        # conflicts are looked for before the matrices are touched
        make_sets(grids.n_dof, self.dependence.m, spc, cards, describe)
        self.K_nn = self._to_n(K_gg)
        self.notes: list[str] = []
        fixed = np.concatenate([self.dependence.m, spc, cards.exempt()])
        free = np.setdiff1d(np.arange(grids.n_dof), fixed)
        self.singularities: Singularities = find_singularities(
            self.K_nn, self.dependence.n, free, grids, constraints.epzero
        )
        if len(self.singularities) and constraints.autospc:
            extra = self.singularities.dof
            self.notes.append(f"AUTOSPC constrained {len(extra)} dofs without stiffness")
            spc, values = np.concatenate([spc, extra]), np.concatenate([values, np.zeros(len(extra))])
        elif len(self.singularities):
            self.notes.append(
                f"{len(self.singularities)} dofs have no stiffness and AUTOSPC is off: "
                + "; ".join(self.singularities.lines(grids, 5))
            )
        order = np.argsort(spc)
        self.u_s = values[order]
        self.sets: Sets = make_sets(grids.n_dof, self.dependence.m, spc[order], cards, describe)
        self._f = self.sets.within("f", "n")
        self._s = self.sets.within("s", "n")
        self.K_ff = _part(self.K_nn, self._f)
        M_nn = None if M_gg is None else self._to_n(M_gg)
        self.M_ff = None if M_nn is None else _part(M_nn, self._f)
        self._mass_n = np.zeros(0) if M_nn is None else M_nn.diagonal()
        self._guyan: Guyan | None = None
        self._note_lost_mass()

    def _to_n(self, A_gg) -> sp.csr_array:
        """Tᵀ A T on the n-set."""
        A = sp.csr_array(A_gg)
        if not len(self.dependence.m):
            return A
        T = self.dependence.T_gn
        return sp.csr_array(T.T @ (A @ T))

    def to_f(self, A_gg) -> sp.csr_array:
        """Bring any g-set matrix (damping, mass) to the f-set."""
        return _part(self._to_n(A_gg), self._f)

    @property
    def omits(self) -> bool:
        """Say whether set cards leave dofs to be omitted."""
        return len(self.sets.o) > 0

    @property
    def guyan(self) -> Guyan:
        """Static condensation of the o-set, made when first asked for."""
        if self._guyan is None:
            a, o = self.sets.within("a", "f"), self.sets.within("o", "f")
            self._guyan = Guyan(self.K_ff, a, o, self._name_f)
        return self._guyan

    def _name_f(self, i: int) -> str:
        return self.grids.name_of(int(self.sets.f[i]))

    @property
    def K_aa(self):
        """Stiffness on the a-set: sparse if nothing is omitted, else dense (Guyan)."""
        return self.guyan.reduce(self.K_ff) if self.omits else self.K_ff

    @property
    def M_aa(self):
        """Mass on the a-set, like `K_aa`."""
        return self.guyan.reduce(self.M_ff) if self.omits else self.M_ff

    @property
    def _autospc(self) -> np.ndarray:
        """Positions in the n-set of the dofs that AUTOSPC holds."""
        held = self.singularities.dof if self.constraints.autospc else np.zeros(0, dtype=np.int64)
        return np.searchsorted(self.sets.n, held)

    def _note_lost_mass(self) -> None:
        """Say which dofs with mass AUTOSPC holds: that mass does not move."""
        if self.M_ff is None:
            return
        lost = self._autospc[self._mass_n[self._autospc] > 0.0]
        if len(lost):
            names = _listed([f"{self._name_n(i)} ({self._mass_n[i]:.4g})" for i in lost])
            self.notes.append(
                f"AUTOSPC holds dofs that have mass and no stiffness, which does not move: {names}"
            )

    def lost_loads(self, F_g: np.ndarray) -> list[str]:
        """Sentences about loads (n_dof,) on dofs that AUTOSPC holds: they move nothing."""
        P_n = self.dependence.T_gn.T @ np.asarray(F_g, dtype=float)
        held = self._autospc
        lost = held[np.abs(P_n[held]) > 1e-12 * np.abs(P_n).max(initial=0.0)]
        if not len(lost):
            return []
        names = _listed([f"{self._name_n(i)} ({P_n[i]:.6g})" for i in lost])
        return [f"AUTOSPC holds dofs without stiffness that are loaded; these loads move nothing: {names}"]

    def require_mass(self) -> None:
        """Refuse a model in which no mass can move, with the cause: no mass, no stiffness, or all of it held."""
        most = float(np.max(self._mass_n[self._f], initial=0.0))
        if most * LARGEST > 1.0:
            return
        if most > 0.0:
            raise ModelError(
                "the mass is so small that it cannot be squared",
                got=f"{most:.3g}",
                hint="look for an exponent that is not meant in densities and masses",
            )
        with_mass = np.flatnonzero(self._mass_n > 0.0)
        if not len(with_mass):
            raise ModelError(
                "the model has no mass, so it has no modes",
                hint="give densities, sections with an area or mass elements, or run statics",
            )
        lost = np.intersect1d(with_mass, self._autospc)
        held = np.setdiff1d(with_mass, lost)
        if not np.any(self.K_nn.data):
            raise ModelError(
                "the model has mass but no stiffness, so it has no modes",
                hint="look at E and G of the materials and at A, I and J of the sections",
            )
        if len(lost):
            raise ModelError(
                f"no mass can move: AUTOSPC holds {len(lost)} dofs that have mass but no stiffness, SPC {len(held)}",
                got=_listed([self._name_n(i) for i in lost]),
                hint="look at E and G of the materials and at A, I and J of the sections there",
            )
        raise ModelError(
            f"no mass can move: all {len(held)} dofs that have mass are held",
            got=_listed([self._name_n(i) for i in held]),
            hint="look at the SPC set that the subcase selects, and at PS of GRID and GRDSET",
        )

    def _name_n(self, i: int) -> str:
        return self.grids.name_of(int(self.sets.n[i]))

    def load_f(self, F_g: np.ndarray) -> np.ndarray:
        """Loads on the f-set (f, k) from loads on the g-set, without the part of enforced displacements."""
        return (self.dependence.T_gn.T @ F_g)[self._f]

    def enforced_values(self, extra: Sequence[Mapping[int, float] | None]) -> np.ndarray:
        """Enforced displacements (s, k) of load cases: those of SPC cards, overridden by `extra` (SPCD).

        As in Nastran, one of a dof that no SPC holds is left out (`loose_values`).
        """
        u_s = np.repeat(self.u_s[:, None], len(extra), axis=1)
        for case, values in enumerate(extra):
            for dof, value in (values or {}).items():
                at = int(np.searchsorted(self.sets.s, dof))
                if at < len(self.sets.s) and self.sets.s[at] == dof:
                    u_s[at, case] = value
        return u_s

    def loose_values(self, values: Mapping[int, float] | None) -> list[str]:
        """A sentence about displacements that SPCD enforces on dofs which are not constrained."""
        values = values or {}
        loose = np.setdiff1d(list(values), self.sets.s)
        if not len(loose):
            return []
        names = _listed([f"{self.grids.name_of(int(dof))} ({values[int(dof)]:.6g})" for dof in loose])
        return [f"SPCD on dofs that no SPC holds is left out, as in Nastran: {names}"]

    def enforced_load_f(self, u_s: np.ndarray) -> np.ndarray:
        """-K_fs u_s, (f, k)."""
        moved = np.zeros((len(self.sets.n), u_s.shape[1]))
        moved[self._s] = u_s
        return -(self.K_nn @ moved)[self._f]

    def recover_f(self, u_f: np.ndarray, u_s: np.ndarray | None = None) -> np.ndarray:
        """Displacements on the g-set (g, k) from those on the f-set and the s-set (zero if not given)."""
        u_n = np.zeros((len(self.sets.n), u_f.shape[1]))
        u_n[self._f] = u_f
        if u_s is not None:
            u_n[self._s] = u_s
        return self.dependence.T_gn @ u_n

    def recover_a(self, u_a: np.ndarray) -> np.ndarray:
        """Displacements on the g-set (g, k), e.g. modes, from those on the a-set."""
        return self.recover_f(self.guyan.expand(u_a) if self.omits else u_a)

    @property
    def T_ga(self) -> sp.csr_array:
        """Sparse map u_g = T_ga u_a; only where nothing is omitted."""
        if self.omits:
            raise ModelError("the map to the a-set is dense because dofs are omitted", hint="use recover_a")
        return sp.csr_array(self.dependence.T_gn[:, self._f])

    def constraint_forces(self, u_g: np.ndarray, F_g: np.ndarray) -> np.ndarray:
        """Forces of single-point constraints (g, k): K_nn u_n - P_n on the s-set, zero elsewhere."""
        u_n, P_n = u_g[self.sets.n], self.dependence.T_gn.T @ F_g
        out = np.zeros(u_g.shape)
        out[self.sets.s] = (self.K_nn @ u_n - P_n)[self._s]
        return out


def _listed(names: list[str], most: int = 6) -> str:
    """The first few of a list of names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _part(A, index: np.ndarray) -> sp.csr_array:
    if len(index) == A.shape[0]:
        return sp.csr_array(A)
    return sp.csr_array(A[index][:, index])


def _unique_values(spc, values, describe) -> tuple[np.ndarray, np.ndarray]:
    """Merge repeated constraints; two different enforced values for one dof are an error."""
    spc = np.asarray(spc, dtype=np.int64)
    values = np.zeros(len(spc)) if values is None else np.asarray(values, dtype=float)
    dofs, back = np.unique(spc, return_inverse=True)
    low, high = np.full(len(dofs), np.inf), np.full(len(dofs), -np.inf)
    np.minimum.at(low, back, values)
    np.maximum.at(high, back, values)
    # a plain constraint beside an enforced value leaves the enforced value
    best = np.where(low == 0.0, high, low)
    wrong = np.flatnonzero((low != high) & (low != 0.0) & (high != 0.0))
    if len(wrong):
        i = wrong[0]
        raise ModelError(
            f"two displacements are enforced on {describe(int(dofs[i]))}", got=f"{low[i]:g} and {high[i]:g}"
        )
    return dofs, best


class Guyan:
    """Static condensation: keep `a`, omit `o` (positions in the matrix given)."""

    def __init__(self, K, a: np.ndarray, o: np.ndarray, describe=str):
        self.a, self.o = a, o
        K = sp.csr_array(K)
        needed, free = 24.0 * len(a) * (len(a) + len(o)), available_memory()
        if free is not None and needed > free:
            raise SolverError(
                f"reducing to {len(a)} dofs needs about {readable_bytes(needed)} of memory",
                got=f"{readable_bytes(free)} free",
                hint="reduce the number of dofs in ASET",
            )
        K_oo, K_oa = K[o][:, o], K[o][:, a]
        try:
            self.factor = Factor(K_oo, definite=True)
        except NotPositiveDefinite:
            raise mechanism_error(K_oo, lambda i: describe(int(o[i])), "the omitted dofs") from None
        G = np.empty((len(o), len(a)), order="F")
        for first in range(0, len(a), CHUNK):
            columns = slice(first, min(first + CHUNK, len(a)))
            G[:, columns] = -self.factor.solve(K_oa[:, columns].toarray())
        self.G_oa = G

    def reduce(self, A) -> np.ndarray:
        """Bring a symmetric matrix to the kept dofs: [I; G]ᵀ A [I; G], dense."""
        A = sp.csr_array(A)
        A_oa = A[self.o][:, self.a]
        cross = A_oa.T @ self.G_oa
        out = A[self.a][:, self.a].toarray() + cross + cross.T
        out += self.G_oa.T @ (A[self.o][:, self.o] @ self.G_oa)
        return 0.5 * (out + out.T)

    def expand(self, u_a: np.ndarray) -> np.ndarray:
        """Displacements (a + o, k) in the order of the matrix given."""
        out = np.empty((len(self.a) + len(self.o), u_a.shape[1]))
        out[self.a] = u_a
        out[self.o] = self.G_oa @ u_a
        return out


def reduce_model(K_gg, M_gg, grids: Grids, constraints: Constraints) -> ReducedModel:
    """Apply constraints, AUTOSPC and set cards to a model; `M_gg` may be None for statics."""
    return ReducedModel(K_gg, M_gg, grids, constraints)
