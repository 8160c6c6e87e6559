"""Sparse factorization: ordering by grids, memory estimate, PARDISO or SuperLU.

Order equations by groups of them: the degrees of freedom of a grid are eliminated together.

Rows that follow each other and have nearly the same columns become one vertex of a graph, a sixth of the size for
shells. PARDISO's nested dissection orders that graph in a small part of the time it takes for single equations, with as
little fill; the order of the groups is then that of their rows.

Ask how much memory is free, and print sizes.

Factorize sparse symmetric matrices: one interface over PARDISO (MKL) and SuperLU.

    S A S = P L D L' P',   S powers of two that bring the largest entry of every row near 1

The factor keeps the inertia of A (numbers of positive and negative pivots, Sylvester's law), which
counts the eigenvalues below a shift, and can be renewed for other values on the same pattern, which
saves the ordering. `INTERSTAGE_SOLVER=pardiso|superlu` chooses the backend; without it PARDISO is used
where it can be loaded.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError, known_names, shown
from interstage.jit import kernel
from interstage.linalg import pardiso

LARGE = 20_000  # equations; fewer are ordered one by one, which takes no time
# Columns that two rows of a group have in common, relative to the longer one (neighbours in a mesh: 0.5 to 0.63).
ALIKE = 0.7
WIDEST = 6  # rows of a group
# Groups per row above which single equations are ordered: small groups beside large ones cost fill (5 % on a vehicle
# with 3 rows in a group), because the graph does not tell them apart.
WORTH = 0.25


def grouped(U) -> tuple[np.ndarray, sp.csr_array] | None:
    """First rows of groups (and the end) and the upper triangle of their graph; None where there is little to group."""
    n = U.shape[0]
    if n < LARGE:
        return None
    group = np.empty(n, dtype=np.int64)
    number = _group(U.indptr, U.indices, group)
    if number > WORTH * n:
        return None
    first = np.searchsorted(group, np.arange(number + 1))
    indptr = np.zeros(number + 1, dtype=np.int64)
    _link(first, group, U.indptr, U.indices, indptr, np.empty(0, dtype=np.int64))
    indptr = np.cumsum(indptr)
    indices = np.empty(indptr[-1], dtype=np.int64)
    _link(first, group, U.indptr, U.indices, indptr, indices)
    return first, sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(number, number))


def in_rows(first: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Rows in the order of their groups: order[k] is the group that comes at place k."""
    size = np.diff(first)[order]
    ends = np.cumsum(size)
    return np.repeat(first[order] - (ends - size), size) + np.arange(first[-1])


@kernel
def _group(indptr, indices, group):
    """Give each row the number of its group; returns how many there are."""
    number, begin = 0, 0
    for i in range(len(group)):
        if i and (i - begin >= WIDEST or not _alike(indptr, indices, i - 1)):
            number, begin = number + 1, i
        group[i] = number
    return number + 1 if len(group) else 0


@kernel
def _alike(indptr, indices, i):
    """Say whether rows i and i + 1 of an upper triangle have nearly the same columns beyond i + 1."""
    a, b = indptr[i], indptr[i + 1]
    a_end, b_end = b, indptr[i + 2]
    while a < a_end and indices[a] <= i + 1:
        a += 1
    while b < b_end and indices[b] <= i + 1:
        b += 1
    longer = max(a_end - a, b_end - b)
    both = 0
    while a < a_end and b < b_end:
        if indices[a] == indices[b]:
            both += 1
            a += 1
            b += 1
        elif indices[a] < indices[b]:
            a += 1
        else:
            b += 1
    return both >= ALIKE * longer


@kernel
def _link(first, group, indptr, indices, begin, columns):
    """Write the sorted columns of each group g from begin[g] on; without room for them count into begin[g + 1]."""
    number = len(first) - 1
    seen = np.full(number, -1)
    found = np.empty(number, dtype=np.int64)
    for g in range(number):
        size = 0
        for at in range(indptr[first[g]], indptr[first[g + 1]]):
            other = group[indices[at]]
            if seen[other] != g:
                seen[other] = g
                found[size] = other
                size += 1
        if len(columns):
            columns[begin[g] : begin[g] + size] = np.sort(found[:size])
        else:
            begin[g + 1] = size


def available_memory() -> int | None:
    """Bytes that a program can still take without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def readable_bytes(size: float) -> str:
    """Print a size for a person.

    >>> readable_bytes(3.2e9), readable_bytes(52000)
    ('3.2 GB', '0.1 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


class NotPositiveDefinite(SolverError):
    """A matrix given as positive definite has a pivot that is zero or negative."""


def as_sparse(A, kinds: str = "biuf") -> sp.csr_array:
    """Return a matrix of numbers (real ones, or of other kinds of dtypes) by rows, or say that it is none."""
    try:
        found = sp.csr_array(A)
    except (TypeError, ValueError):  # whatever scipy says of it
        found = None
    if found is None or found.ndim != 2 or found.dtype.kind not in kinds:
        real = "" if "c" in kinds else "real "
        raise InputError(f"this is not a matrix of {real}numbers", got=shown(A))
    return found


def upper_triangle(A) -> sp.csr_array:
    """Return the upper triangle of a symmetric matrix, columns sorted, every diagonal entry stored."""
    A = as_sparse(A, "biufc")  # a pencil packs two matrices into one
    if A.shape[0] != A.shape[1]:
        raise InputError("the matrix is not square", got=f"shape {A.shape}")
    if not A.has_sorted_indices:
        A = A.sorted_indices()
    n = A.shape[0]
    row = np.repeat(np.arange(n, dtype=A.indices.dtype), np.diff(A.indptr))
    keep = A.indices >= row
    count = np.bincount(row[keep], minlength=n)
    indptr = np.concatenate([[0], np.cumsum(count)]).astype(A.indptr.dtype)
    U = sp.csr_array((A.data[keep], A.indices[keep], indptr), shape=(n, n))
    U.has_sorted_indices = True
    has_diagonal = np.zeros(n, dtype=bool)
    filled = np.flatnonzero(count)
    has_diagonal[filled] = U.indices[indptr[filled]] == filled
    return U if has_diagonal.all() else _with_diagonal(U, np.flatnonzero(~has_diagonal))


def _with_diagonal(U, missing: np.ndarray) -> sp.csr_array:
    """Store zeros on the missing places of the diagonal (sparse sums would drop them)."""
    U = U.tocoo()
    rows, columns = np.concatenate([U.coords[0], missing]), np.concatenate([U.coords[1], missing])
    data = np.concatenate([U.data, np.zeros(len(missing), U.data.dtype)])
    U = sp.csr_array((data, (rows, columns)), shape=U.shape)
    U.sort_indices()
    return U


def backend_name() -> str:
    """Say which solver will be used: 'pardiso' or 'superlu'."""
    wanted = os.environ.get("INTERSTAGE_SOLVER", "").strip().lower()
    if wanted not in ("", "pardiso", "superlu"):
        raise InputError(
            "the sparse solver is not known",
            where="environment variable INTERSTAGE_SOLVER",
            got=wanted,
            hint=known_names(["pardiso", "superlu"]),
        )
    if wanted == "pardiso" and not pardiso.available():
        raise SolverError(
            "PARDISO cannot be loaded", hint="install pypardiso, or set INTERSTAGE_SOLVER=superlu"
        )
    return wanted or ("pardiso" if pardiso.available() else "superlu")


@named_arguments
class Factor:
    """Factor of a sparse symmetric matrix, kept for many right-hand sides.

    Parameters
    ----------
    A : (n, n) symmetric scipy.sparse matrix, or its upper triangle (from `upper_triangle`) with `upper=True`
    definite : expect a positive definite matrix: Cholesky, `NotPositiveDefinite` otherwise, and `pivots()`
    backend : 'pardiso' or 'superlu'; default by `backend_name`
    by_groups : order the dofs of a grid as one where PARDISO factorizes a large matrix (`ordering`)

    Attributes
    ----------
    n, nnz : order, entries in the factor
    seconds : wall time of ordering and factorization; `order_seconds` is the ordering's part
    memory : estimate in bytes of the memory the factorization takes at its peak
    n_negative, n_positive : pivots by sign (None where SuperLU had to leave the diagonal)
    n_perturbed : pivots that were replaced because they were zero to working precision
    """

    def __init__(
        self,
        A,
        *,
        upper: bool = False,
        definite: bool = False,
        backend: str | None = None,
        by_groups: bool = True,
    ):
        U = A if upper else upper_triangle(A)
        if not sp.issparse(U) or U.ndim != 2 or U.shape[0] != U.shape[1]:
            raise InputError("the matrix to factorize is not square", got=shown(U))
        if U.dtype.kind == "c":
            raise InputError("the matrix to factorize is complex", expected="real numbers", got=shown(A))
        self.n = U.shape[0]
        self.definite = definite
        self.backend = backend or backend_name()
        pardiso_is_used = self.backend == "pardiso"
        self._kernel = (
            _PardisoKernel(U, definite, by_groups) if pardiso_is_used else _SuperluKernel(U, definite)
        )
        self._numeric(U)

    def _numeric(self, U) -> None:
        # A row's largest entry sets its scale; powers of two scale without rounding.
        start = time.perf_counter()
        largest = np.maximum(_row_maxima(U), np.finfo(float).tiny)
        self._scale = 2.0 ** -np.round(np.log2(largest) / 2)
        self._scale[largest <= 1e-290] = 1.0
        values = np.repeat(self._scale, np.diff(U.indptr))
        values *= U.data
        for part in _parts(U):
            values[part] *= self._scale[U.indices[part]]
        self._kernel.factorize(values)
        self.nnz, self.memory = self._kernel.nnz, self._kernel.memory
        self.n_positive, self.n_negative = self._kernel.n_positive, self._kernel.n_negative
        self.n_perturbed = self._kernel.n_perturbed
        self.order_seconds = self._kernel.order_seconds
        self.seconds = time.perf_counter() - start + self._kernel.order_seconds

    def refactor(self, A, *, upper: bool = False) -> None:
        """Factorize new values on the same pattern; the ordering is kept (`seconds` still counts it)."""
        U = A if upper else upper_triangle(A)
        if not sp.issparse(U) or U.shape != (self.n, self.n):
            raise InputError(f"new values need the pattern of the first, {self.n} x {self.n}", got=shown(A))
        if U.dtype.kind == "c":
            raise InputError("the matrix to factorize is complex", expected="real numbers", got=shown(A))
        self._numeric(U)

    def solve(self, B: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
        """Return X with A X = B for B (n,) or (n, k); many columns at once are faster than one by one.

        With `overwrite` B may be used as a work array: large blocks save the time of another one.
        """
        B = np.asarray(B, dtype=float)
        if B.ndim not in (1, 2) or len(B) != self.n:
            raise InputError(
                "the right-hand side does not fit", expected=f"{self.n} rows", got=f"shape {B.shape}"
            )
        flat = B.reshape(self.n, -1)
        if self.n == 0 or flat.shape[1] == 0:
            return np.zeros(B.shape)
        column = self._scale[:, None]
        scaled = np.multiply(flat, column, out=flat) if overwrite else flat * column
        X = self._kernel.solve(np.asfortranarray(scaled))
        X *= self._scale[:, None]
        return X.reshape(B.shape)

    def pivots(self) -> np.ndarray:
        """Pivots D_i divided by the diagonal A_ii, in the order of A; needs `definite=True`.

        1/pivots is NASTRAN's matrix-to-factor-diagonal ratio (PARAM MAXRATIO).
        """
        return self._kernel.pivots()


def _row_maxima(U) -> np.ndarray:
    """Largest absolute entry of each row of the symmetric matrix whose upper triangle is U."""
    if not U.shape[0]:
        return np.zeros(0)
    most = np.maximum.reduceat(U.data, U.indptr[:-1])
    rows = np.maximum(most, -np.minimum.reduceat(U.data, U.indptr[:-1]))
    columns = np.zeros(U.shape[0])
    for part in _parts(U):
        np.maximum.at(columns, U.indices[part], np.abs(U.data[part]))
    return np.maximum(rows, columns)


def _parts(U) -> list[slice]:
    """Slices through the entries of a matrix: what is made of one stays in the cache."""
    return [slice(first, first + 500_000) for first in range(0, U.nnz, 500_000)]


class _PardisoKernel:
    """PARDISO on the upper triangle, real symmetric indefinite (-2) or positive definite (2)."""

    def __init__(self, U, definite: bool, by_groups: bool):
        start = time.perf_counter()
        self.indices, self.indptr, self.definite = U.indices, U.indptr, definite
        self.handle = pardiso.Pardiso(U, definite)
        self.handle.values = np.ones(U.nnz)
        self.tried = definite  # whether it is known if solutions are to be refined
        self.handle.analyse(_order(U) if by_groups else None)
        self.memory = self.handle.memory
        check_memory(self.memory, U.shape[0])
        self.order_seconds = time.perf_counter() - start

    def factorize(self, values: np.ndarray) -> None:
        self.handle.values = values
        code = self.handle.factorize()
        if code == pardiso.ZERO_PIVOT:
            raise NotPositiveDefinite("the matrix is not positive definite")
        h = self.handle
        self.nnz = h.nnz
        self.n_positive, self.n_negative, self.n_perturbed = h.n_positive, h.n_negative, h.n_perturbed
        # without a pivot below zero the matrix is positive definite, whose factors do not grow; where the factor only
        # counts, nothing is tried
        self.tried = self.definite or (h.n_negative == 0 and h.n_perturbed == 0)
        if not self.tried:
            h.iparm[7] = 0  # 8: steps of refinement; 0: two where pivots were perturbed

    def _try(self) -> None:
        """Refine solutions from here on if the factor has grown."""
        h = self.handle
        upper = sp.csr_array((h.values, self.indices, self.indptr), shape=(h.n, h.n))
        diagonal = upper.diagonal()
        if _backward_error(lambda x: upper @ x + upper.T @ x - diagonal * x, h.solve, h.n) > GROWN:
            h.iparm[7] = REFINE
        self.tried = True

    def solve(self, B: np.ndarray) -> np.ndarray:
        if not self.tried:
            self._try()
        return self.handle.solve(B)

    def pivots(self) -> np.ndarray:
        return self.handle.pivots()


def _order(U) -> np.ndarray | None:
    """Order of elimination by groups of rows; None where PARDISO is to order single equations."""
    found = grouped(U)
    if found is None:
        return None
    first, graph = found
    handle = pardiso.Pardiso(graph, False)
    return in_rows(first, handle.dissection())


class _SuperluKernel:
    """SuperLU in symmetric mode; with all pivots on the diagonal U = D L', so D's signs give the inertia."""

    def __init__(self, U, definite: bool):
        self.U, self.definite = U, definite
        self.order_seconds = 0.0
        self.n_perturbed = 0
        self.A = None  # set where solutions are refined

    def factorize(self, values: np.ndarray) -> None:
        n = self.U.shape[0]
        upper = sp.csr_array((values, self.U.indices, self.U.indptr), shape=(n, n))
        strict = sp.triu(upper, k=1, format="csr")
        A = sp.csc_array(upper + strict.T)
        self.lu = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.lu = _splu(A, 0.0)
            except RuntimeError:
                if self.definite:
                    raise NotPositiveDefinite("the matrix is not positive definite") from None
        on_diagonal = self.lu is not None and np.array_equal(self.lu.perm_r, self.lu.perm_c)
        D = self.lu.U.diagonal() if on_diagonal else np.zeros(n)
        self.diagonal = upper.diagonal()
        self.D = D[self.lu.perm_c] if on_diagonal else D
        if self.definite and not (on_diagonal and (D > 0).all()):
            raise NotPositiveDefinite("the matrix is not positive definite")
        if not self.definite and not self._accurate(A):
            self.lu, on_diagonal = self._pivoted(A), False
        grown = not self.definite and _backward_error(lambda x: A @ x, self.lu.solve, n) > GROWN
        self.A = A if grown else None
        self.n_negative = int((D < 0).sum()) if on_diagonal else None
        self.n_positive = n - self.n_negative if on_diagonal else None
        self.nnz = int(self.lu.nnz) // 2
        self.memory = 16 * int(self.lu.nnz)

    def _accurate(self, A) -> bool:
        """Without pivoting an indefinite factor may have lost its digits: try it on one vector."""
        if self.lu is None:
            return False
        x = np.cos(np.arange(A.shape[0]))
        error = np.linalg.norm(self.lu.solve(A @ x) - x)
        return bool(np.isfinite(error)) and error < 1e-3 * np.linalg.norm(x)

    @staticmethod
    def _pivoted(A):
        try:
            return _splu(A, 1.0)
        except RuntimeError:
            raise SolverError("the matrix is singular to working precision", where="SuperLU") from None

    def solve(self, B: np.ndarray) -> np.ndarray:
        X = self.lu.solve(B)
        for _ in range(REFINE if self.A is not None else 0):
            X += self.lu.solve(np.asfortranarray(B - self.A @ X))
        return X

    def pivots(self) -> np.ndarray:
        if not self.definite:
            raise InputError("pivots are kept only for a positive definite factor")
        return self.D / self.diagonal


GROWN = 1e-14  # backward error above which an indefinite factor has grown: rounding is some 1e-16
REFINE = 2  # steps of refinement with such a factor


def _backward_error(multiply: Callable, solve: Callable, n: int) -> float:
    """Return max|b - A y|/max|y| of a scaled matrix for one right-hand side, whose solution y should be a cosine."""
    b = multiply(np.cos(np.arange(n, dtype=float)))
    y = solve(np.asfortranarray(b[:, None]))[:, 0]
    return float(np.abs(b - multiply(y)).max(initial=0.0) / max(np.abs(y).max(initial=0.0), 1e-300))


def _splu(A, threshold: float):
    # measured: against minimum degree COLAMD takes twice the time on shells but half of it on solids
    options = {"SymmetricMode": threshold == 0.0}
    return spla.splu(A, permc_spec="COLAMD", diag_pivot_thresh=threshold, options=options)


def check_memory(needed: int, n: int) -> None:
    """Refuse a factorization that does not fit in the memory this machine has free."""
    free = available_memory()
    if free is not None and needed > free:
        raise SolverError(
            f"factorizing {n} equations needs about {readable_bytes(needed)} of memory",
            got=f"{readable_bytes(free)} free",
            hint="close other programs, use a machine with more memory, or coarsen the model",
        )
