"""Linear buckling (SOL 105): load factors λ of (K + λ Kg) φ = 0.

K is positive definite with the structure held, Kg has any sign. With K = L Lᵀ the pencil is the symmetric problem
Kg φ = θ K φ, λ = -1/θ: Lanczos with K as inner product and one factorization of K gives the factors nearest
zero on either side. Factors in (0, σ) are as many as K + σ Kg has negative pivots (Sylvester), which checks that
none is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
import scipy.sparse.linalg as spla

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, SolverError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.reduction import reduce_model
from interstage.fem.requests import DEFAULT_MODES, check_model, method_missing
from interstage.fem.sets import SetCards
from interstage.fem.solutions import preload_stiffness, static_subcase, subcase_constraints
from interstage.linalg.factor import Factor, NotPositiveDefinite
from interstage.linalg.refine import mechanism_error

DENSE = 400  # below this order all factors are computed
NO_LOAD = 1e-12  # θ below this fraction of the largest is a load factor of infinity
RESIDUAL = 1e-6
ROUNDS = 40  # of a search that widens or goes on beside what it has


@dataclass
class Buckling:
    """Load factors and shapes of linear buckling.

    Attributes
    ----------
    load_factors : (k,) nearest zero first; the structure buckles at λ times the loads of the static subcase
    shapes : (n_dof, k) on the g-set, each grid in its CD system, largest component 1
    residuals : (k,) ‖Kφ + λ Kg φ‖ / ‖Kφ‖ in the norm of K⁻¹, a bound of the relative error of λ
    sturm_checked : pivot counts confirm that no factor nearer zero is missing
    """

    load_factors: np.ndarray
    shapes: np.ndarray
    residuals: np.ndarray
    sturm_checked: bool
    grids: Grids
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        lines = [f"{len(self.load_factors)} load factors", "mode  load factor     residual"]
        for i, (factor, r) in enumerate(zip(self.load_factors, self.residuals)):
            lines.append(f"{i + 1:4d}  {factor:14.6g}  {r:10.1e}")
        return "\n".join(lines)


@dataclass(frozen=True)
class FactorRange:
    """Load factors between low and high (None: open), at most `count` of them, nearest zero first."""

    low: float | None = None
    high: float | None = None
    count: int | None = 1

    def pick(self, factors: np.ndarray) -> np.ndarray:
        """Indices of the factors asked for, nearest zero first."""
        inside = np.isfinite(factors)
        if self.low is not None:
            inside &= factors >= self.low
        if self.high is not None:
            inside &= factors <= self.high
        index = np.flatnonzero(inside)
        index = index[np.argsort(np.abs(factors[index]), kind="stable")]
        return index if self.count is None else index[: self.count]


@named_arguments
def buckling(
    fe: FEModel,
    subcase: int | None = None,
    n_modes: int | None = None,
    preload: int | None = None,
    form: str = "nastran",
) -> Buckling:
    """Load factors of a static subcase: (K + λ Kg) φ = 0 with the constraints of a buckling subcase.

    Parameters
    ----------
    subcase : id of the buckling subcase, whose SPC, MPC and METHOD hold; the first with METHOD by default
    n_modes : number of factors, nearest zero first; the deck's EIGRL or EIGB decides otherwise
    preload : id of the static subcase; the deck's STATSUB, or its first static subcase, by default
    form : of the geometric stiffness, see `geometric_stiffness`
    """
    check_model(fe)
    case = _buckling_subcase(fe, subcase)
    preload = preload or static_subcase(fe, case) or _first_static(fe, case)
    request = _factor_range(fe, case, n_modes)
    Kg, notes = preload_stiffness(fe, preload, form)
    if notes and not Kg.nnz:
        raise ModelError("nothing can buckle: " + "; ".join(notes), where=fe.source)
    constraints = subcase_constraints(fe, case, SetCards())
    constraints.hold(fe.set_cards(case).r)
    reduced = reduce_model(fe.K_gg, None, fe.grids, constraints)
    try:
        factor = Factor(reduced.K_ff, definite=True)
    except NotPositiveDefinite:
        raise mechanism_error(reduced.K_ff, lambda i: fe.grids.name_of(int(reduced.sets.f[i]))) from None
    Kg_ff = reduced.to_f(Kg)
    factors, vectors, residuals, counted = buckling_pencil(reduced.K_ff, Kg_ff, request, factor)
    if not len(factors) and case.method in fe.buckling_requests and n_modes is None:
        # as Nastran's inverse iteration does, those outside are given rather than none
        wide = FactorRange(None, None, request.count or DEFAULT_MODES)
        factors, vectors, residuals, counted = buckling_pencil(reduced.K_ff, Kg_ff, wide, factor)
        notes = [*notes, f"warning: no load factor lies in the range asked for ({_range(request)}): those nearest "
                 "zero on either side are given"]  # fmt: skip
        request = FactorRange(None, None, None)
    elif not len(factors):
        notes = [*notes, f"warning: no load factor lies in the range asked for ({_range(request)})"]
    shapes = reduced.recover_f(vectors)
    largest = np.argmax(np.abs(shapes), axis=0)
    shapes = shapes / shapes[largest, np.arange(shapes.shape[1])]
    missing = [] if n_modes else method_missing(fe, case, "the load factor nearest zero alone is computed")
    notes = [f"loads of subcase {preload}", *missing, *fe.notes, *notes, *reduced.notes]
    if request.count is not None and len(factors) < request.count:
        notes.append(f"{len(factors)} of {request.count} load factors exist in the range asked for")
    return Buckling(factors, shapes, residuals, counted, fe.grids, notes)


def _range(request: FactorRange) -> str:
    low = "-∞" if request.low is None else f"{request.low:g}"
    return f"{low} to {'∞' if request.high is None else f'{request.high:g}'}"


def _buckling_subcase(fe: FEModel, subcase: int | None) -> SubcaseSelections:
    cases = fe.case.subcases
    if subcase is not None:
        chosen = [case for case in cases if case.id == subcase]
        if not chosen:
            raise InputError(f"subcase {subcase} is not in the deck", hint=known_names(c.id for c in cases))
        return chosen[0]
    asking = [case for case in cases if (case.analysis or "").startswith("BUCK")]
    asking += [case for case in cases if case.method is not None]
    asking += [case for case in cases if "STATSUB" in case.requests]
    if not cases:
        raise ModelError("the deck has no subcase whose loads could buckle the structure", where=fe.source)
    return (asking or cases)[0]


def _first_static(fe: FEModel, case: SubcaseSelections) -> int:
    """The first subcase with loads or enforced motion."""
    for one in fe.case.subcases:
        if one.load is not None:
            return one.id
    raise ModelError(
        "no subcase has loads, so that nothing can buckle",
        where=fe.source,
        hint="give a static subcase with LOAD and name it with STATSUB in the buckling subcase",
    )


def _factor_range(fe: FEModel, case: SubcaseSelections, n_modes: int | None) -> FactorRange:
    """The range and number of load factors that the deck or the user asks for; one factor without either."""
    known = {**fe.eigen_requests, **fe.buckling_requests}
    asked = None if case.method is None else known.get(case.method)
    if case.method is not None and asked is None:
        raise ModelError(
            f"METHOD = {case.method} selects an EIGRL or EIGB that is not in the deck",
            where=fe.source,
            hint=known_names(sorted(known)),
        )
    if asked is None:
        return FactorRange(count=n_modes or 1)
    return FactorRange(asked.low, asked.high, n_modes or asked.count)


def buckling_pencil(
    K, Kg, request: FactorRange, factor: Factor | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """Load factors, vectors (n, k), residuals and whether pivot counts agree, of K + λ Kg on the f-set."""
    n = K.shape[0]
    if not n or not Kg.nnz:
        raise ModelError(
            "the static subcase puts no force into bars and no membrane force into shells, so that nothing can buckle",
            hint="its loads must press or pull along the members: bending alone has no part in linear buckling",
        )
    factor = factor or Factor(K, definite=True)
    solve = _Dense() if n <= DENSE else _Lanczos(K, Kg, factor)
    wanted = request.count or 10
    for _ in range(ROUNDS):
        factors, vectors, complete = solve(K, Kg, wanted, request)
        chosen = request.pick(factors)
        open_end = request.count is None or len(chosen) < request.count
        if open_end and not complete and _may_continue(factors, request):
            wanted = min(2 * wanted, n)
            continue
        checked, missed = _counted(K, Kg, factors, factors[chosen], request)
        if not missed:
            break
        solve.lock(K, factors, vectors)
        wanted = min(len(factors) + missed, n)
    else:
        raise SolverError("load factors were missed", got=f"{len(chosen)} found", hint="ask for more modes")
    factors, vectors = factors[chosen], vectors[:, chosen]
    Kx = K @ vectors
    rest = Kx + factors * (Kg @ vectors)
    residuals = np.sqrt(
        np.abs(np.einsum("ij,ij->j", rest, factor.solve(rest)) / np.einsum("ij,ij->j", vectors, Kx))
    )
    if len(residuals) and residuals.max() > RESIDUAL:
        raise SolverError("the load factors did not converge", got=f"a residual of {residuals.max():.1e}")
    return factors, vectors, residuals, checked


def _may_continue(factors: np.ndarray, request: FactorRange) -> bool:
    """Whether factors farther from zero than those found can still lie in the range."""
    found = np.abs(factors[np.isfinite(factors)])
    reach = found.max() if len(found) else 0.0
    ends = [abs(end) if end is not None else np.inf for end in (request.low, request.high)]
    return len(found) > 0 and reach < max(ends)


class _Dense:
    """All factors of a small pencil."""

    def __call__(self, K, Kg, wanted, request):
        theta, vectors = scipy.linalg.eigh(Kg.toarray(), K.toarray())
        return _factors(theta), vectors, True

    def lock(self, K, factors, vectors) -> None:
        raise SolverError(
            "pivot counts contradict the load factors found", hint="look at the model's scaling"
        )


def _factors(theta: np.ndarray) -> np.ndarray:
    """λ = -1/θ; infinite where θ is round-off."""
    largest = np.abs(theta).max() if len(theta) else 0.0
    real = np.abs(theta) > NO_LOAD * largest
    return np.where(real, -1.0 / np.where(real, theta, 1.0), np.inf)


class _Lanczos:
    """Factors nearest zero by Lanczos on K⁻¹ Kg in the inner product of K.

    One start vector may miss copies of a repeated factor. Vectors found are then locked, Kg - K V Θ Vᵀ K, and
    the search goes on beside them.
    """

    def __init__(self, K, Kg, factor: Factor):
        n = K.shape[0]
        self.inverse = spla.LinearOperator((n, n), matvec=factor.solve, dtype=float)
        self.start = np.random.default_rng(0).standard_normal(n)
        self.theta, self.V, self.KV = np.zeros(0), np.zeros((n, 0)), np.zeros((n, 0))

    def lock(self, K, factors, vectors) -> None:
        """Keep K-orthonormal vectors out of further searches."""
        self.theta, self.V, self.KV = -1.0 / factors, vectors, K @ vectors

    def __call__(self, K, Kg, wanted, request):
        factors, vectors, complete = self._beside_locked(K, Kg, wanted - len(self.theta), request)
        if not len(self.theta):
            return factors, vectors, complete
        return np.append(_factors(self.theta), factors), np.hstack([self.V, vectors]), complete

    def _beside_locked(self, K, Kg, wanted, request):
        n = K.shape[0]
        which = "LM"
        if request.low is not None and request.low >= 0.0:
            which = "SA"  # positive factors have negative θ
        elif request.high is not None and request.high <= 0.0:
            which = "LA"
        k = min(wanted, n - 2)
        try:
            theta, vectors = self._search(K, Kg, k, which)
        except spla.ArpackNoConvergence:
            # fewer factors of the wanted sign than asked for: the search got lost in θ = 0
            k = min(k, self._count(K, Kg, which) - len(self.theta))
            if k <= 0:
                return np.zeros(0), np.zeros((n, 0)), True
            theta, vectors = self._converged(K, Kg, k, which)
            return _factors(theta), vectors, True
        past = {"SA": theta.max(), "LA": -theta.min(), "LM": -np.abs(theta).min()}[which]
        return _factors(theta), vectors, k == n - 2 or past >= -NO_LOAD * np.abs(theta).max()

    def _search(self, K, Kg, k, which):
        n = K.shape[0]
        ncv = min(n - 1, max(3 * k, 40))
        if len(self.theta):
            whole = Kg
            Kg = spla.LinearOperator(
                (n, n), matvec=lambda x: whole @ x - self.KV @ (self.theta * (self.KV.T @ x)), dtype=float
            )
        return spla.eigsh(Kg, k, K, which=which, Minv=self.inverse, v0=self.start, ncv=ncv, tol=1e-13)

    def _converged(self, K, Kg, k, which):
        try:
            return self._search(K, Kg, k, which)
        except spla.ArpackNoConvergence as error:
            found = f"{len(error.eigenvalues)} of {k}"
            raise SolverError("the load factors did not converge", got=found) from None

    def _count(self, K, Kg, which) -> int:
        """Number of factors of the wanted sign that are not beyond a million times the smallest of any sign."""
        largest = np.abs(self._converged(K, Kg, 1, "LM")[0]).max()
        sigma = 1e6 / largest * (1.0 if which == "SA" else -1.0)
        if which == "LM" or largest == 0.0:
            return 0
        return Factor((K + sigma * Kg).tocsr()).n_negative or 0


def _counted(K, Kg, found, chosen, request: FactorRange) -> tuple[bool, int]:
    """Whether pivot counts confirm that no factor nearer zero than those chosen is missing, and how many are.

    K + σ Kg has as many negative pivots as there are factors between zero and σ: σ a little nearer zero than the
    last factor chosen of each sign, or than the end of the range where that is what stopped the search.
    """
    checked, missed = False, 0
    cut = request.count is not None and len(chosen) == request.count
    for sign, end in ((1.0, request.high), (-1.0, request.low)):
        side, known = sign * chosen[sign * chosen > 0.0], sign * found
        if not cut and end is not None and sign * end > 0.0:
            shift = sign * end
        elif len(side):
            shift = side.max()
        else:
            continue
        shift *= 1.0 - 1e-6
        factor = Factor((K + sign * shift * Kg).tocsr())
        count = factor.n_negative
        if count is None or factor.n_perturbed:
            return False, 0
        missed += max(0, count - int(np.count_nonzero((known > 0.0) & (known < shift))))
        checked = True
    return checked, missed
