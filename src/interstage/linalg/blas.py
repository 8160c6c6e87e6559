"""Products of tall dense matrices in Fortran order, in place where they can be, and small eigenproblems.

They run in MKL where PARDISO does: two threaded libraries in turn (numpy's OpenBLAS and MKL) keep each
other's threads waiting, which has been seen to cost more than all the arithmetic. numpy's own product
would also copy to C order.
"""

from __future__ import annotations

import ctypes

import numpy as np
from scipy.linalg.blas import dgemm

from interstage.linalg import pardiso

_COLUMN_MAJOR, _PLAIN, _TRANSPOSED = 102, 111, 112


def inner(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """AᵀB (j, k) for A (n, j) and B (n, k)."""
    if not A.size or not B.size:
        return np.zeros((A.shape[1], B.shape[1]), order="F")
    C = np.zeros((A.shape[1], B.shape[1]), order="F")
    return _multiply(1.0, A, B, 0.0, C, transposed=True)


def product(A: np.ndarray, C: np.ndarray) -> np.ndarray:
    """A C (n, k) in Fortran order for A (n, j) and C (j, k)."""
    W = np.zeros((A.shape[0], C.shape[1]), order="F")
    return _multiply(1.0, A, C, 0.0, W) if A.size and C.size else W


def add_product(W: np.ndarray, factor: float, A: np.ndarray, C: np.ndarray) -> None:
    """W += factor A C in place."""
    if A.size and C.size:
        result = _multiply(factor, A, C, 1.0, W)
        if result is not W:
            W[:] = result


def symmetric_eigen(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (ascending) and vectors of a small dense symmetric matrix."""
    n = A.shape[0]
    mkl = pardiso.library()
    if mkl is None or n < 16:
        return np.linalg.eigh(A)
    V, values = np.array(A, dtype=float, order="F"), np.empty(n)
    integer, char = ctypes.c_int32, ctypes.c_char
    order = (integer(_COLUMN_MAJOR), char(b"V"), char(b"U"), integer(n))
    failed = mkl["LAPACKE_dsyevd"](*order, _address(V), integer(n), _address(values))
    return np.linalg.eigh(A) if failed else (values, V)


def _address(A: np.ndarray) -> ctypes.c_void_p:
    return A.ctypes.data_as(ctypes.c_void_p)


def _multiply(alpha: float, A, B, beta: float, C, transposed: bool = False) -> np.ndarray:
    """C = alpha op(A) B + beta C; returns C, or a new array where C could not be overwritten."""
    A, B = _fortran(A), _fortran(B)
    mkl = pardiso.library()
    if mkl is None or not _is_fortran(C) or max(A.shape + C.shape) > 2**31 - 1:
        return dgemm(alpha, A, B, beta=beta, c=C, trans_a=transposed, overwrite_c=True)
    m, k = (A.shape[1], A.shape[0]) if transposed else A.shape
    integer, real = ctypes.c_int32, ctypes.c_double
    mkl["cblas_dgemm"](
        integer(_COLUMN_MAJOR), integer(_TRANSPOSED if transposed else _PLAIN), integer(_PLAIN),
        integer(m), integer(B.shape[1]), integer(k),
        real(alpha), _address(A), integer(A.shape[0]), _address(B), integer(B.shape[0]),
        real(beta), _address(C), integer(C.shape[0]),
    )  # fmt: skip
    return C


def _is_fortran(A: np.ndarray) -> bool:
    return A.dtype == np.float64 and A.flags.f_contiguous and A.flags.writeable


def _fortran(A: np.ndarray) -> np.ndarray:
    return np.asfortranarray(A, dtype=float)
