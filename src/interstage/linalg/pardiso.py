"""Call MKL PARDISO through ctypes: symmetric matrices, upper triangle, the factor kept between calls.

The MKL library is looked for where its wheel leaves it, and by pypardiso where it is not there: that one reads every
folder of the installation, twice, which takes a second. Its own solver compares the whole matrix at every call and only
knows unsymmetric matrices, so the calls are made here. Parameter numbers in the comments are those of
the oneMKL reference (iparm counted from 1).
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
import weakref
from pathlib import Path

import numpy as np

from interstage.errors import InputError, SolverError

ZERO_PIVOT = -4
_MEANING = {
    -1: "the input is inconsistent",
    -2: "there is not enough memory",
    -3: "the ordering failed",
    -5: "an internal error occurred",
    -8: "a 32-bit integer overflowed",
    -9: "there is not enough memory out of core",
}


def beside_python() -> ctypes.CDLL | None:
    """Return the MKL library that PYPARDISO_MKL_RT names or that lies where wheels leave libraries, None without."""
    if importlib.util.find_spec("pypardiso") is None:
        return None
    named = os.environ.get("PYPARDISO_MKL_RT")
    if named is not None:
        return ctypes.CDLL(named)
    folders = (Path(sys.prefix, "lib"), Path(sys.prefix, "Library", "bin"))
    found = [str(path) for folder in folders for path in folder.glob("*mkl_rt*")]
    for path in sorted(found, key=len):
        try:
            return ctypes.CDLL(path)
        except OSError:  # a stub for linking, or of another machine
            continue
    return None


@functools.cache
def library():
    """The MKL library, or None where pypardiso or MKL is not installed."""
    try:
        found = beside_python()
        if found is None:
            from pypardiso import PyPardisoSolver

            found = PyPardisoSolver().libmkl
        for name in ("pardiso_d", "pardiso_64", "pardiso_getdiag", "cblas_dgemm"):
            found[name].restype = None
        return found
    except (ImportError, OSError, AttributeError):
        return None


def available() -> bool:
    """Say whether PARDISO can be loaded."""
    return library() is not None


def _address(array: np.ndarray):
    return array.ctypes.data_as(ctypes.c_void_p)


class Pardiso:
    """One PARDISO handle for the pattern of an upper triangle `U` (csr, sorted, diagonal stored).

    Set `values` (as long as U.data), call `analyse` once, then `factorize` and `solve` as often as wanted.
    """

    def __init__(self, U, definite: bool):
        mkl = library()
        if mkl is None:
            raise SolverError("PARDISO cannot be loaded", hint="install pypardiso")
        self.definite = definite
        wide = U.nnz >= 500_000_000
        self.integer = np.int64 if wide else np.int32
        # pardiso_getdiag exists for 32-bit integers only: huge matrices have no pivots().
        self._call = mkl["pardiso_64" if wide else "pardiso_d"]
        self._getdiag = None if wide or not definite else mkl["pardiso_getdiag"]
        self.n = U.shape[0]
        self.ia = U.indptr.astype(self.integer) + 1
        self.ja = U.indices.astype(self.integer) + 1
        self.values = U.data
        self.pt = np.zeros(64, dtype=np.int64)
        self.perm = np.zeros(self.n, dtype=self.integer)
        self.iparm = self._parameters()
        self._finalizer = weakref.finalize(self, _release, self._call, self.pt, self.integer, self._mtype)

    @property
    def _mtype(self) -> int:
        return 2 if self.definite else -2

    def _parameters(self) -> np.ndarray:
        iparm = np.zeros(64, dtype=self.integer)
        iparm[0] = 1  # 1: the values below, not the defaults
        iparm[1] = 2  # 2: nested dissection (METIS)
        iparm[4] = 2 if self.definite else 0  # 5: return the permutation, to name pivots
        iparm[9] = 13  # 10: perturb pivots below 1e-13 (the matrix comes scaled)
        iparm[17] = -1  # 18: report entries in the factor
        iparm[20] = 1  # 21: 1x1 and 2x2 pivots
        iparm[55] = 1 if self._getdiag is not None else 0  # 56: keep the diagonal of the factor
        return iparm

    def _run(self, phase: int, B: np.ndarray | None = None, X: np.ndarray | None = None) -> int:
        one = np.ones(1, dtype=self.integer)
        number = [np.array([value], dtype=self.integer) for value in (self._mtype, phase, self.n)]
        k = np.array([1 if B is None else B.shape[1]], dtype=self.integer)
        quiet, error, dummy = np.zeros(1, self.integer), np.zeros(1, self.integer), np.zeros(1)
        arrays = [self.pt, one, one, *number, self.values, self.ia, self.ja, self.perm, k, self.iparm, quiet]
        arrays += [dummy if B is None else B, dummy if X is None else X, error]
        self._call(*[_address(a) for a in arrays])
        return int(error[0])

    @staticmethod
    def _check(code: int) -> None:
        if code != 0:
            meaning = _MEANING.get(code, "the factorization failed")
            raise SolverError(f"PARDISO stopped: {meaning}", got=f"error code {code}")

    def analyse(self, order: np.ndarray | None = None) -> None:
        """Plan the factor for equations in this order, or in one of nested dissection; sets `memory` (peak, bytes)."""
        if order is not None:
            self.perm[:] = order + 1
            self.iparm[4] = 1  # 5: take the permutation
        self._check(self._run(11))
        peak, kept, numeric = (int(v) for v in self.iparm[14:17])
        self.memory = 1024 * max(peak, kept + numeric)

    def dissection(self) -> np.ndarray:
        """Order of nested dissection: equation dissection()[k] is eliminated at place k."""
        self.iparm[4] = 2  # 5: return the permutation
        self._check(self._run(11))
        return self.perm.astype(np.int64) - 1

    def factorize(self) -> int:
        """Factorize `values`; returns 0 or ZERO_PIVOT (positive definite matrices only)."""
        code = self._run(22)
        if code == ZERO_PIVOT and self.definite:
            return code
        self._check(code)
        # A count that overflowed 32 bits is judged from the memory of the factor.
        self.nnz = int(self.iparm[17]) if self.iparm[17] > 0 else 128 * int(self.iparm[16])
        self.n_perturbed = int(self.iparm[13])
        self.n_positive = self.n if self.definite else int(self.iparm[21])
        self.n_negative = 0 if self.definite else int(self.iparm[22])
        return 0

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Solve for B (n, k) in Fortran order; returns X in Fortran order."""
        X = np.empty_like(B, order="F")
        self._check(self._run(33, B, X))
        return X

    def pivots(self) -> np.ndarray:
        """Pivots over diagonal entries, in the order of the matrix."""
        if self._getdiag is None:
            raise InputError("pivots are kept only for a positive definite factor of less than 5e8 entries")
        D, diagonal = np.zeros(self.n), np.zeros(self.n)
        one, error = np.ones(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
        self._getdiag(*[_address(a) for a in (self.pt, D, diagonal, one, error)])
        self._check(int(error[0]))
        ratio = np.empty(self.n)
        ratio[self.perm - 1] = D / diagonal
        return ratio


def _release(call, pt: np.ndarray, integer, mtype: int) -> None:
    """Give back the memory of a handle."""
    one, zero, dummy = np.ones(1, dtype=integer), np.zeros(1, dtype=integer), np.zeros(1)
    kind, phase = np.array([mtype], dtype=integer), np.array([-1], dtype=integer)
    iparm, error = np.zeros(64, dtype=integer), np.zeros(1, dtype=integer)
    arrays = [pt, one, one, kind, phase, zero, dummy, one, one, one, zero, iparm, zero, dummy, dummy, error]
    call(*[_address(a) for a in arrays])
