"""Assemble element matrices into sparse matrices of the g-set.

Elements that stand on grids fill 6x6 blocks of a node-by-node pattern; a compiled loop turns each block
into the CD systems of its two grids and adds it. The pattern then becomes a CSR matrix in g-set order
without its zeros, and scalar terms (springs between single dofs, DMIG) are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.fem.elements.block import ElementBlock
from interstage.fem.grids import Grids
from interstage.fem.scalars import ScalarTerms
from interstage.jit import in_ranges, kernel

CHUNK = 1024  # elements whose matrices are held at once


def assemble(
    grids: Grids,
    blocks: Sequence[ElementBlock],
    matrix: Callable[[ElementBlock, slice], np.ndarray | None],
    *,
    terms: Iterable[ScalarTerms] = (),
    mostly_diagonal: bool = False,
) -> sp.csr_matrix:
    """Return the sum over elements of `T' k T` as a CSR matrix (n_dof, n_dof) in g-set order and CD axes.

    Parameters
    ----------
    matrix : returns the element matrices (len, m, m) of a slice of a block in basic axes, or None
    terms : sparse triplets that are already on g-set dofs
    mostly_diagonal : start with a pattern that couples no two grids (lumped mass), widen it if needed
    """
    active = [block for block in blocks if len(block) and _has(block, matrix)]
    data, indptr, indices = _fill(grids, active, matrix, coupled=not mostly_diagonal)
    out = _to_csr(grids, data, indptr, indices)
    rows, cols, values = [], [], []
    for term in terms:
        rows.append(term.i)
        cols.append(term.j)
        values.append(term.value)
    if rows:
        extra = sp.coo_matrix(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=out.shape
        )
        out = (out + extra.tocsr()).tocsr()
    out.sort_indices()
    return out


def _fill(grids, blocks, matrix, coupled):
    """Node-block pattern (indptr, indices) and its data (nnz, 6, 6)."""
    n = len(grids)
    indptr, indices = _pattern(n, blocks) if coupled else (np.arange(n + 1), np.arange(n))
    data = np.zeros((len(indices), 6, 6))
    turned = ~np.all(grids.R_basic_cd == np.eye(3), axis=(1, 2))
    R = np.ascontiguousarray(grids.R_basic_cd)
    for block in blocks:
        for start in range(0, len(block), CHUNK):
            rows = slice(start, min(start + CHUNK, len(block)))
            k = _matrices(block, rows, matrix)
            nodes = np.ascontiguousarray(block.nodes[rows])
            share = 1 + (
                n if n < 2000 else n // 2
            )  # large models: two threads, each with half of the grids as rows
            arguments = (data, indptr, indices, nodes, R, turned, k, block.dofs_per_node)
            if not all(in_ranges(_scatter, n, *arguments, chunk=share)):
                return _fill(grids, blocks, matrix, coupled=True)
    return data, indptr, indices


def _has(block: ElementBlock, matrix) -> bool:
    """Say whether a family has this matrix at all."""
    try:
        return matrix(block, slice(0, 1)) is not None
    except np.linalg.LinAlgError:
        return True


def _matrices(block: ElementBlock, rows: slice, matrix) -> np.ndarray:
    """Element matrices of a slice; an element whose matrix cannot be computed is named."""
    try:
        k = np.ascontiguousarray(matrix(block, rows), dtype=float)
        if np.isfinite(k.sum()):
            return k
        bad = np.flatnonzero(~np.isfinite(k).all(axis=(1, 2)))
        if not len(bad):
            return k
        first = rows.start + int(bad[0])
    except np.linalg.LinAlgError:
        first = next(i for i in range(rows.start, rows.stop) if _fails(block, i, matrix))
    raise ModelError(
        f"a matrix of {block.name} {block.eid[first]} is not finite",
        hint="look for zero or huge values in its property and material, and at its shape",
    )


def _fails(block: ElementBlock, i: int, matrix) -> bool:
    try:
        return not np.isfinite(matrix(block, slice(i, i + 1))).all()
    except np.linalg.LinAlgError:
        return True


def _pattern(n: int, blocks) -> tuple[np.ndarray, np.ndarray]:
    """CSR pattern of which grids share an element, diagonal included."""
    nodes, elements, first = [np.arange(n)], [np.arange(n)], n
    for block in blocks:
        valid = block.nodes >= 0
        nodes.append(block.nodes[valid])
        elements.append((first + np.broadcast_to(np.arange(len(block))[:, None], valid.shape))[valid])
        first += len(block)
    rows, cols = np.concatenate(nodes), np.concatenate(elements)
    touch = sp.csr_matrix((np.ones(len(rows), dtype=np.int32), (rows, cols)), shape=(n, first))
    adjacency = (touch @ touch.T).tocsr()
    adjacency.sort_indices()
    return adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)


@kernel
def _position(indptr, indices, i, j):
    """Place of block (i, j) in the pattern by bisection; -1 if it is not there."""
    low, high = indptr[i], indptr[i + 1] - 1
    while low <= high:
        middle = (low + high) // 2
        if indices[middle] == j:
            return middle
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@kernel
def _scatter(first, last, data, indptr, indices, nodes, R, turned, k, dofs):
    """Add element matrices to the rows first..last of grids; False if a nonzero block has no place in the pattern."""
    part = np.zeros((6, 6))
    half = np.zeros((6, 6))
    n_nodes = nodes.shape[1]
    n_sub = dofs // 3
    for e in range(nodes.shape[0]):
        for a in range(n_nodes):
            i = nodes[e, a]
            if i < first or i >= last:
                continue
            for b in range(n_nodes):
                j = nodes[e, b]
                if j < 0:
                    continue
                at = _position(indptr, indices, i, j)
                if at < 0:
                    for r in range(dofs):
                        for c in range(dofs):
                            if k[e, dofs * a + r, dofs * b + c] != 0.0:
                                return False
                    continue
                if not (turned[i] or turned[j]):
                    for r in range(dofs):
                        for c in range(dofs):
                            data[at, r, c] += k[e, dofs * a + r, dofs * b + c]
                    continue
                for r in range(dofs):
                    for c in range(dofs):
                        part[r, c] = k[e, dofs * a + r, dofs * b + c]
                # R_i' part R_j, three by three
                for p in range(n_sub):
                    for q in range(n_sub):
                        for r in range(3):
                            for c in range(3):
                                total = 0.0
                                for s in range(3):
                                    total += part[3 * p + r, 3 * q + s] * R[j, s, c]
                                half[r, c] = total
                        for r in range(3):
                            for c in range(3):
                                total = 0.0
                                for s in range(3):
                                    total += R[i, s, r] * half[s, c]
                                data[at, 3 * p + r, 3 * q + c] += total
    return True


def _to_csr(grids: Grids, data, indptr, indices) -> sp.csr_matrix:
    """CSR matrix in g-set order from node blocks, zeros dropped."""
    count = np.zeros(grids.n_dof + 1, dtype=np.int64)
    in_ranges(_clean_and_count, len(grids), data, indptr, grids.dof, count)
    row_start = np.cumsum(count)
    nnz = int(row_start[-1])
    kind = np.int32 if max(nnz, grids.n_dof) < 2**31 else np.int64
    columns = np.empty(nnz, dtype=kind)
    values = np.empty(nnz)
    in_ranges(_pack, len(grids), data, indptr, indices, grids.dof, row_start, columns, values)
    return sp.csr_matrix((values, columns, row_start.astype(kind)), shape=(grids.n_dof, grids.n_dof))


@kernel
def _clean(block):
    """Set entries to zero that are the rounding error of turning a 3x3 part of a block (6, 6) into other axes.

    Left in, such an entry of a mass matrix (a torsional inertia seen across its axis) has no correct digit, yet
    looks like a tiny inertia.
    """
    for p in range(0, 6, 3):
        for q in range(0, 6, 3):
            largest = 0.0
            for r in range(p, p + 3):
                for c in range(q, q + 3):
                    largest = max(largest, abs(block[r, c]))
            for r in range(p, p + 3):
                for c in range(q, q + 3):
                    if abs(block[r, c]) < 1e-15 * largest:
                        block[r, c] = 0.0


@kernel
def _clean_and_count(first, last, data, indptr, dof, count):
    """Clean the blocks of grids first..last-1 and count what is not zero in their rows."""
    number = np.zeros(6, dtype=np.int64)
    for i in range(first, last):
        number[:] = 0
        for at in range(indptr[i], indptr[i + 1]):
            _clean(data[at])
            for r in range(6):
                for c in range(6):
                    number[r] += data[at, r, c] != 0.0
        for r in range(6):
            count[dof[i] + r + 1] = number[r]


@kernel
def _pack(first, last, data, indptr, indices, dof, row_start, columns, values):
    """Write what is not zero in the rows of grids first..last-1, block by block."""
    to = np.zeros(6, dtype=np.int64)
    for i in range(first, last):
        for r in range(6):
            to[r] = row_start[dof[i] + r]
        for at in range(indptr[i], indptr[i + 1]):
            column = dof[indices[at]]
            for r in range(6):
                place = to[r]
                for c in range(6):
                    if data[at, r, c] != 0.0:
                        columns[place] = column + c
                        values[place] = data[at, r, c]
                        place += 1
                to[r] = place
