"""Linear constraint equations between dofs, and their elimination.

    R_gg u_g = 0,  one dependent dof per equation   →   u_m = G_mn u_n,   G_mn = -R_mm⁻¹ R_mn

Multipoint constraints and rigid elements are all written as such equations. A dependent dof may depend
on other dependent dofs (chains of rigid elements); loops are solved in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr
from scipy.sparse.csgraph import connected_components

from interstage.errors import ModelError

# A block of equations whose smallest scaled singular value is below this cannot be solved for its dofs.
SINGULAR = 1e-11


@dataclass
class Equations:
    """Homogeneous equations Σ value·u(dof) = 0, each with the dof it makes dependent.

    Attributes
    ----------
    row, dof, value : (k,) triplets; `row` numbers the equations from 0
    dependent : (n,) g-set dof that each equation removes
    source : (n,) index into `names`
    names : who made the equations, e.g. "RBE2 7" or "MPC set 3"
    """

    row: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    dof: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    value: np.ndarray = field(default_factory=lambda: np.zeros(0))
    dependent: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    source: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.dependent)

    def name(self, i: int) -> str:
        """Who made equation i."""
        return self.names[int(self.source[i])]


def equations(row, dof, value, dependent, name: str) -> Equations:
    """Equations of one source from triplets."""
    dependent = np.asarray(dependent, dtype=np.int64)
    return Equations(
        np.asarray(row, dtype=np.int64),
        np.asarray(dof, dtype=np.int64),
        np.asarray(value, dtype=float),
        dependent,
        np.zeros(len(dependent), dtype=np.int64),
        [name],
    )


def explicit(dependent, dofs, matrix, name: str) -> Equations:
    """Equations u_dependent = matrix @ u_dofs, for (k,) dependents, (j,) dofs and a (k, j) matrix."""
    matrix = np.asarray(matrix, dtype=float)
    dependent, dofs = np.asarray(dependent, dtype=np.int64), np.asarray(dofs, dtype=np.int64)
    i, j = np.nonzero(matrix)
    k = np.arange(len(dependent))
    return equations(
        np.concatenate([k, i]),
        np.concatenate([dependent, dofs[j]]),
        np.concatenate([np.ones(len(k)), -matrix[i, j]]),
        dependent,
        name,
    )


def join(parts: Sequence[Equations]) -> Equations:
    """Put equations of several sources together."""
    parts = [part for part in parts if len(part)]
    if not parts:
        return Equations()
    row = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    name = np.concatenate([[0], np.cumsum([len(part.names) for part in parts])])
    return Equations(
        np.concatenate([part.row + row[i] for i, part in enumerate(parts)]),
        np.concatenate([part.dof for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.dependent for part in parts]),
        np.concatenate([part.source + name[i] for i, part in enumerate(parts)]),
        [text for part in parts for text in part.names],
    )


def choose_dependents(given: Equations, n_dof: int, avoid: np.ndarray) -> tuple[Equations, int]:
    """Equations with dependent dofs of their own choice where those given conflict, and how many were chosen.

    Equations that share dofs are taken together. Where a dof is dependent twice, or is among `avoid` (held dofs), the
    largest pivots among the others become dependent; equations that follow from others, or that name held dofs alone,
    are dropped.
    """
    if not len(given):
        return given, 0
    R = sp.csr_array((given.value, (given.row, given.dof)), shape=(len(given), n_dof))
    _, label = connected_components(abs(R) @ abs(R).T, directed=False)
    held = np.zeros(n_dof, dtype=bool)
    held[avoid] = True
    count = np.bincount(given.dependent, minlength=n_dof)
    conflict = np.unique(label[(count[given.dependent] > 1) | held[given.dependent]])
    if not len(conflict):
        return given, 0
    keep = ~np.isin(label, conflict)
    parts, chosen = [_rows_of(given, keep)], 0
    for one in conflict:
        members = np.flatnonzero(label == one)
        dofs = np.unique(R[members].indices)
        free = dofs[~held[dofs]]
        name = given.name(int(members[0])) + (" and others" if len(members) > 1 else "")
        found = _solved(R[members][:, dofs].toarray(), np.isin(dofs, free))
        parts.append(explicit(dofs[found[0]], dofs[found[1]], found[2], name))
        chosen += len(found[0])
    return join(parts), chosen


def _rows_of(given: Equations, keep: np.ndarray) -> Equations:
    """The equations of a mask."""
    number = np.cumsum(keep) - 1
    terms = keep[given.row]
    return Equations(
        number[given.row[terms]],
        given.dof[terms],
        given.value[terms],
        given.dependent[keep],
        given.source[keep],
        given.names,
    )


def _solved(R: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns that become dependent, the others, and the matrix between them, by pivoting over `free` columns."""
    R = R / np.abs(R).max(axis=1, keepdims=True)
    _, T, order = qr(R[:, free], mode="economic", pivoting=True)
    size = np.abs(np.diag(T))
    rank = int(np.sum(size > SINGULAR * max(size.max(initial=0.0), 1e-300)))
    dependent = np.sort(np.flatnonzero(free)[order[:rank]])
    others = np.setdiff1d(np.arange(R.shape[1]), dependent)
    return dependent, others, -np.linalg.pinv(R[:, dependent]) @ R[:, others]


@dataclass
class Dependence:
    """u_m = G_mn u_n with m and n as sorted g-set dofs; `T_gn` is the map from the n-set to the g-set."""

    m: np.ndarray
    n: np.ndarray
    G_mn: sp.csr_array
    T_gn: sp.csr_array


def eliminate(given: Equations, n_dof: int, describe=str) -> Dependence:
    """Solve constraint equations for their dependent dofs.

    Parameters
    ----------
    given : all equations that act together
    n_dof : size of the g-set
    describe : names a dof for messages (`Grids.name_of`)
    """
    _check_unique(given, describe)
    order = np.argsort(given.dependent)
    m = given.dependent[order]
    is_m = np.zeros(n_dof, dtype=bool)
    is_m[m] = True
    n = np.flatnonzero(~is_m)
    if not len(m):
        empty = sp.csr_array((0, n_dof), dtype=float)
        return Dependence(m, n, empty, sp.eye_array(n_dof, format="csr"))
    place = np.empty(len(m), dtype=np.int64)
    place[order] = np.arange(len(m))
    R = sp.csr_array((given.value, (place[given.row], given.dof)), shape=(len(m), n_dof))
    inverse = _block_inverse(R[:, m], given, order, describe)
    # With its strongly connected blocks inverted the rest is a chain: substitution ends after its length.
    step = sp.csr_array(inverse @ R[:, m] - sp.eye_array(len(m)))
    step = _without_noise(step)
    first = sp.csr_array(-(inverse @ R[:, n]))
    G = first
    for _ in range(len(m) + 1):
        if step.nnz == 0:
            break
        following = sp.csr_array(first - step @ G)
        change = following - G
        G = following
        if change.nnz == 0 or abs(change).max() == 0.0:
            break
    G.eliminate_zeros()
    return Dependence(m, n, G, _stack(n_dof, m, n, G))


def _check_unique(given: Equations, describe) -> None:
    order = np.argsort(given.dependent, kind="stable")
    twice = np.flatnonzero(np.diff(given.dependent[order]) == 0)
    if len(twice):
        a, b = order[twice[0]], order[twice[0] + 1]
        raise ModelError(
            f"{describe(int(given.dependent[a]))} is made dependent twice",
            where=f"{given.name(a)} and {given.name(b)}",
            hint="a dof can depend on one rigid element or MPC only; make another one dependent there",
        )


def _block_inverse(R_mm, given: Equations, order: np.ndarray, describe) -> sp.csr_array:
    """Inverse of the strongly connected diagonal blocks of R_mm, as a block diagonal matrix."""
    size = R_mm.shape[0]
    _, label = connected_components(R_mm, directed=True, connection="strong")
    count = np.bincount(label)
    diagonal = R_mm.diagonal()
    single = count[label] == 1
    weak = np.flatnonzero(single & (np.abs(diagonal) < SINGULAR * np.maximum(_row_sizes(R_mm), 1e-300)))
    if len(weak):
        raise _singular([weak[0]], given, order, describe)
    ones = np.flatnonzero(single)
    rows, columns, values = [ones], [ones], [1.0 / diagonal[ones]]
    by_label = np.argsort(label, kind="stable")
    ends = np.cumsum(count)
    for block in np.flatnonzero(count > 1):
        members = by_label[ends[block] - count[block] : ends[block]]
        B = R_mm[members][:, members].toarray()
        scale = 1.0 / np.abs(B).max(axis=1, keepdims=True)
        column = 1.0 / np.maximum(np.abs(B * scale).max(axis=0), 1e-300)
        values_of = np.linalg.svd(B * scale * column, compute_uv=False)
        if values_of[-1] < SINGULAR * values_of[0]:
            raise _singular(members, given, order, describe)
        i, j = np.meshgrid(members, members, indexing="ij")
        rows.append(i.ravel())
        columns.append(j.ravel())
        values.append(np.linalg.inv(B).ravel())
    triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sp.csr_array(triplets, shape=(size, size))


def _row_sizes(R) -> np.ndarray:
    return np.asarray(abs(R).max(axis=1).todense()).ravel()


def _singular(members, given: Equations, order: np.ndarray, describe) -> ModelError:
    names = sorted({given.name(int(order[i])) for i in members})
    dofs = [describe(int(given.dependent[order[i]])) for i in members]
    return ModelError(
        "constraint equations cannot be solved for their dependent dofs",
        where=", ".join(names[:6]),
        got="dependent " + ", ".join(dofs[:6]) + (" and others" if len(dofs) > 6 else ""),
        hint="these equations depend on each other or form a loop: choose other dependent dofs or drop one",
    )


def _without_noise(step) -> sp.csr_array:
    """Drop rounding errors on the diagonal blocks, which would make an endless chain."""
    step.data[np.abs(step.data) < 1e-14] = 0.0
    step.eliminate_zeros()
    return step


def _stack(n_dof: int, m: np.ndarray, n: np.ndarray, G) -> sp.csr_array:
    """Matrix (g, n) with an identity on the rows n and G on the rows m."""
    G = G.tocoo()
    rows = np.concatenate([n, m[G.coords[0]]])
    columns = np.concatenate([np.arange(len(n)), G.coords[1]])
    values = np.concatenate([np.ones(len(n)), G.data])
    return sp.csr_array((values, (rows, columns)), shape=(n_dof, len(n)))
