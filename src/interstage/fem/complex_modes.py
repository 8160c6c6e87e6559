"""Complex modes (SOL 107 and 110): roots of (s² M + s B + (1 + iG) K + i K4) u = 0 with direct input added.

Transfer functions (TFL), K2PP, B2PP and M2PP need be neither symmetric nor real, and extra points stand beside the
structure. By modes u = Φ q, as in `response`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.direct_input import ComplexRequest, PSetMatrices, SearchRegion
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.requests import DEFAULT_MODES, check_model, selection_missing
from interstage.fem.response_problem import ResponseProblem
from interstage.linalg.quadratic import DENSE, all_roots, residuals, roots_near
from interstage.output import check_finite
from interstage.reading import is_whole

DIRECT, MODAL = (7, 28, 67, 107), (10, 29, 70, 110)  # solutions of complex modes
SAME = 1e-6  # roots that two regions find are one if they lie this close, relative


@named_arguments
@dataclass
class ComplexModes:
    """Complex modes of a structure, motion e^{st}.

    Attributes
    ----------
    eigenvalues : (k,) complex, rad/s, by size; real part: growth, imaginary part: circular frequency
    shapes : (n_dof, k) complex, on the g-set, each grid in its CD system, largest component 1 (or that of EIGC)
    extra : (e, k) complex, of the extra points `extra_points` (e,)
    residuals : (k,) ‖(s²M + sB + K) u‖ of the sum of the sizes of the three terms
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray
    extra: np.ndarray
    extra_points: np.ndarray
    residuals: np.ndarray
    grids: Grids = field(repr=False)
    notes: list[str] = field(default_factory=list)

    @property
    def frequencies_hz(self) -> np.ndarray:
        """|Im s| / 2π (k,)."""
        return np.abs(self.eigenvalues.imag) / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Nastran's damping coefficient -2 Re s / |Im s| (k,), twice the ratio of critical; zero without frequency."""
        s = self.eigenvalues
        turning = np.abs(s.imag) > 1e-12 * np.abs(s)
        return np.where(turning, -2.0 * s.real / np.where(turning, np.abs(s.imag), 1.0), 0.0) + 0.0

    def at(self, point: int) -> np.ndarray:
        """Shapes (6, k) of a grid, (1, k) of a scalar or extra point."""
        row, scalar = int(self.grids.find(point)), int(self.grids.find_spoint(point))
        if row >= 0:
            return self.shapes[self.grids.dof[row] + np.arange(6)]
        if scalar >= 0:
            return self.shapes[self.grids.spoint_dof[scalar : scalar + 1]]
        if point in self.extra_points:
            return self.extra[np.flatnonzero(self.extra_points == point)]
        raise InputError(f"point {point} is not in the model", hint=known_names(self.grids.id))


@named_arguments
def complex_modes(
    fe: FEModel,
    n_modes: int | None = None,
    *,
    subcase: int | None = None,
    modal: bool | None = None,
) -> ComplexModes:
    """Compute the complex modes of a subcase (SOL 107 and 110).

    Parameters
    ----------
    n_modes : number of roots, in place of the deck's EIGC. A pair of roots that mirror each other counts once
        where roots are looked for by size, and both are given
    subcase : the first with a CMETHOD by default
    modal : on normal modes (those of METHOD) instead of directly; SOL 110 decks by default
    """
    check_model(fe)
    case = _case(fe, subcase)
    request = _request(fe, case)
    problem = ResponseProblem(fe, case.id, fe.sol in MODAL if modal is None else modal, None, None)
    given = fe.direct.selected(fe.grids.n_dof, _number(case, "TFL"), _named(case))
    T = _basis(problem, fe)
    extra = len(fe.direct.extra)
    base = [(1.0 + 1j * problem.G) * problem.K + 1j * problem.K4, problem.B, problem.M]
    K, B, M = (_bordered(A, extra) + _brought(T, D) for A, D in zip(base, given))
    s, u, notes = _roots(K, B, M, request, n_modes)
    notes = [*([] if n_modes else cmethod_missing(fe, case)), *notes]
    off = residuals(K, B, M, s, u)
    p = T @ u
    p = p / _scale(p, request.point)
    check_finite(np.abs(s), "roots")
    check_finite(np.abs(p), "mode shapes")
    n = fe.grids.n_dof
    return ComplexModes(
        s, p[:n], p[n:], fe.direct.extra, off, fe.grids, [*problem.notes, *_direct_notes(given, fe), *notes]
    )


def _case(fe: FEModel, subcase: int | None) -> SubcaseSelections:
    cases = fe.case.subcases
    if subcase is None:
        return next((one for one in cases if _number(one, "CMET")), cases[0])
    for one in cases:
        if one.id == subcase:
            return one
    raise InputError(f"subcase {subcase} is not in the deck", hint=known_names(one.id for one in cases))


def _number(case: SubcaseSelections, name: str) -> int:
    """Number behind a command of case control; 0 if there is none."""
    for key, value in case.requests.items():
        words = value.replace("=", " ").split()
        if (key == name or (len(name) == 4 and key.startswith(name))) and words and is_whole(words[0]):
            return int(words[0])
    return 0


def _named(case: SubcaseSelections) -> list[list[tuple[str, float]]]:
    """Matrices of K2PP, B2PP and M2PP with their factors."""
    factors = getattr(case, "factors", {})
    commands = ("K2PP", "B2PP", "M2PP")
    return [[(one, factors.get((c, one), 1.0)) for one in getattr(case, c.lower(), [])] for c in commands]


def cmethod_missing(fe: FEModel, case: SubcaseSelections) -> list[str]:
    """A sentence where a subcase of complex modes has no CMETHOD: what Nastran does, and what is done here."""
    if fe.sol not in (*DIRECT, *MODAL) or _number(case, "CMET"):
        return []
    known = fe.direct.requests
    if len(known) == 1:
        taken = f"EIGC {next(iter(known))}, the only one of the deck, is taken"
    else:
        taken = f"the {DEFAULT_MODES} roots of smallest size are computed"
    elsewhere = any(_number(one, "CMET") for one in fe.case.subcases)
    return [selection_missing(fe, case, "CMETHOD", elsewhere, taken)]


def _request(fe: FEModel, case: SubcaseSelections) -> ComplexRequest:
    known, sid = fe.direct.requests, _number(case, "CMET")
    if fe.direct.refused is not None:
        raise fe.direct.refused
    if sid and sid not in known:
        raise ModelError(
            f"CMETHOD = {sid} selects an EIGC that is not in the deck",
            where=fe.source,
            hint=known_names(sorted(known)),
        )
    if sid:
        return known[sid]
    return next(iter(known.values())) if len(known) == 1 else ComplexRequest("CLAN", DEFAULT_MODES)


def _basis(problem: ResponseProblem, fe: FEModel) -> sp.csr_array | np.ndarray:
    """Map (p, d) from the unknowns, then extra points, to the p-set."""
    unknowns = problem.K.shape[0]
    columns = problem.recover(np.eye(unknowns)) if problem.dense else problem.reduced.T_ga
    return sp.csr_array(sp.block_diag([columns, sp.eye_array(len(fe.direct.extra))], format="csr"))


def _bordered(A, extra: int):
    """A matrix with empty rows and columns for extra points."""
    return sp.csr_array(sp.block_diag([sp.csr_array(A), sp.csr_array((extra, extra))], format="csr"))


def _brought(T, D: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(T.T @ (D @ T))


def _direct_notes(given: PSetMatrices, fe: FEModel) -> list[str]:
    if not any(A.nnz for A in given):
        return []
    extra = f", with extra points: {len(fe.direct.extra)}" if len(fe.direct.extra) else ""
    return [f"direct input (TF, K2PP, B2PP, M2PP) acts in these modes{extra}"]


def _scale(p: np.ndarray, point: int | None) -> np.ndarray:
    """The component (k,) of each shape that becomes 1."""
    largest = p[np.argmax(np.abs(p), axis=0), np.arange(p.shape[1])]
    if point is None:
        return largest
    return np.where(np.abs(p[point]) > 1e-12 * np.abs(largest), p[point], largest)


def _roots(K, B, M, request: ComplexRequest, n_modes: int | None):
    """Roots and shapes that are wanted, by size, and notes."""
    count = n_modes or request.count
    if K.shape[0] <= DENSE:
        s, u = all_roots(K, B, M)
        s, u = _wanted(s, u, request, count)
        return *_sorted(s, u), []
    if not request.regions:
        small = _lowest(K, B, M)
        wanted = 2 * (count or DEFAULT_MODES)
        s, u = roots_near(K, B, M, small, wanted + 4)
        s, u = _by_size(s, u, count or DEFAULT_MODES)
        return *_sorted(s, u), [f"roots nearest to zero: {len(s)} of a model of {K.shape[0]} dofs"]
    found = []
    for region in request.regions:
        wanted = n_modes or region.count or request.count or DEFAULT_MODES
        s, u = roots_near(K, B, M, _shift(region.middle), wanted)
        found.append(_nearest(s, u, region, wanted))
    s, u = _once(np.concatenate([s for s, _ in found]), np.column_stack([u for _, u in found]))
    return *_sorted(s, u), []


def _wanted(s: np.ndarray, u: np.ndarray, request: ComplexRequest, count: int | None):
    """Of all roots those that the request asks for."""
    if not request.regions:
        return _by_size(s, u, count)
    found = [_nearest(s, u, region, region.count or count or DEFAULT_MODES) for region in request.regions]
    return _once(np.concatenate([s for s, _ in found]), np.column_stack([u for _, u in found]))


def _by_size(s: np.ndarray, u: np.ndarray, count: int | None):
    """The smallest `count` roots of the upper half plane, and those below it that are no larger; all without count."""
    if count is None:
        return s, u
    size = np.abs(s)
    above = np.sort(size[s.imag >= -1e-9 * size])
    limit = above[min(count, len(above)) - 1] if len(above) else np.inf
    kept = size <= limit * (1.0 + SAME)
    return s[kept], u[:, kept]


def _nearest(s: np.ndarray, u: np.ndarray, region: SearchRegion, count: int):
    order = np.argsort(region.distance(s), kind="stable")[:count]
    return s[order], u[:, order]


def _once(s: np.ndarray, u: np.ndarray):
    """Roots that two regions found, once: those of one size whose shapes are alike too."""
    kept: list[int] = []
    for k in range(len(s)):
        shape = u[:, k] / np.linalg.norm(u[:, k])
        if not any(
            abs(s[k] - s[j]) <= SAME * max(abs(s[k]), 1e-12)
            and abs(np.vdot(u[:, j], shape)) > 0.99 * np.linalg.norm(u[:, j])
            for j in kept
        ):
            kept.append(k)
    return s[kept], u[:, kept]


def _sorted(s: np.ndarray, u: np.ndarray):
    """By size; of a pair the one below first, as Nastran lists them."""
    size = np.abs(s)
    place = np.argsort(size, kind="stable")
    rank = np.empty(len(s))
    # sizes that agree but for round-off count as one
    steps = (
        np.concatenate([[0.0], np.cumsum(np.diff(size[place]) > SAME * size[place][1:])]) if len(s) else size
    )
    rank[place] = steps
    order = np.lexsort((s.imag, rank))
    return s[order], u[:, order]


def _lowest(K, B, M) -> complex:
    """A shift near zero that is no root: a small fraction of the size of the smallest scale of the diagonal."""
    k, m = np.abs(K.diagonal()), np.abs(M.diagonal())
    there = (k > 0.0) & (m > 0.0)
    size = float(np.sqrt(np.min(k[there] / m[there]))) if there.any() else 1.0
    return complex(1e-4 * size, 1e-4 * size)


def _shift(at: complex) -> complex:
    """A point beside the one asked for, so that a root there does not stop the search."""
    return at + (1e-7 * abs(at) if at else 1e-7) * (1.0 + 1j)
