"""Order equations by groups of them: the degrees of freedom of a grid are eliminated together.

Rows that follow each other and have nearly the same columns become one vertex of a graph, a sixth of the size for
shells. PARDISO's nested dissection orders that graph in a small part of the time it takes for single equations, with as
little fill; the order of the groups is then that of their rows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from interstage.jit import kernel

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
