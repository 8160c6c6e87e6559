"""GENEL of a deck: general elements given by their stiffness or flexibility."""

from __future__ import annotations

import numpy as np

from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import point_dofs
from interstage.fem.rigid_elements import rigid_modes
from interstage.fem.scalars import ScalarTerms
from interstage.nastran import CardTable


def read(ctx: Context) -> list[ScalarTerms]:
    """Return the terms of all GENEL on g-set dofs.

    With u_i the dofs UI, u_d those of UD and S the rigid motion of UI for motions of UD, f_i = K (u_i - S u_d) and
    f_d = -Sᵀ f_i; K is given, or the inverse of the flexibility Z. S is given, or follows from where the grids are.
    """
    table = ctx.deck.cards("GENEL")
    return [_element(ctx, table, i) for i in range(len(table))]


def _element(ctx: Context, table: CardTable, i: int) -> ScalarTerms:
    parts = _parts(table, i)
    points_i = _pairs(table, i, parts["UI"])
    points_d = _pairs(table, i, parts.get("UD", []))
    dof_i, dof_d = (_dofs(ctx, table, i, points) for points in (points_i, points_d))
    kind = "K" if "K" in parts else "Z"
    if kind not in parts:
        raise table.error(i, "GENEL has neither stiffness nor flexibility", "K or Z before its terms")
    K = _lower(table, i, parts[kind], len(dof_i), kind)
    if kind == "Z":
        try:
            K = np.linalg.inv(K)
        except np.linalg.LinAlgError:
            raise table.error(i, "the flexibility Z of this GENEL is singular") from None
    dofs = np.concatenate([dof_i, dof_d])
    if len(dof_d):
        S = _rigid(ctx, table, i, points_i, points_d, parts.get("S"))
        T = np.concatenate([np.eye(len(dof_i)), -S], axis=1)
        K = T.T @ K @ T
    rows, columns = np.meshgrid(dofs, dofs, indexing="ij")
    eid = np.full(K.size, int(table.integer(1)[i]))
    return ScalarTerms("GENEL", eid, rows.ravel(), columns.ravel(), K.ravel())


def _parts(table: CardTable, i: int) -> dict[str, list]:
    """Fields behind each key word; what stands first is UI."""
    out: dict[str, list] = {"UI": []}
    key = "UI"
    for value in table.row(i)[2:]:
        if isinstance(value, str):
            if value not in ("UD", "K", "Z", "S") or value in out:
                raise table.error(i, "GENEL has an unknown or repeated key word", "UD, K or Z, S", value)
            key = value
            out[key] = []
        elif value is not None:
            out[key].append(value)
    return out


def _pairs(table: CardTable, i: int, values: list) -> list[tuple[int, int]]:
    if len(values) % 2 or not all(isinstance(value, int) for value in values):
        raise table.error(i, "GENEL needs pairs of a point and a component")
    return list(zip(values[::2], values[1::2]))


def _dofs(ctx: Context, table: CardTable, i: int, points: list[tuple[int, int]]) -> np.ndarray:
    dofs = [point_dofs(ctx, table, i, point, component) for point, component in points]
    if any(len(one) != 1 for one in dofs):
        raise table.error(i, "a point of this GENEL has more than one component in a field")
    return np.array([int(one[0]) for one in dofs], dtype=np.int64)


def _lower(table: CardTable, i: int, values: list, size: int, name: str) -> np.ndarray:
    """Symmetric matrix from its lower triangle, column by column."""
    if len(values) != size * (size + 1) // 2:
        wanted = f"{size * (size + 1) // 2} terms for {size} dofs"
        raise table.error(i, f"{name} of this GENEL has the wrong number of terms", wanted, str(len(values)))
    out = np.zeros((size, size))
    out[np.triu_indices(size)] = values  # rows of the upper triangle are columns of the lower
    return out + np.triu(out, 1).T


def _rigid(ctx: Context, table: CardTable, i: int, points_i, points_d, given: list | None) -> np.ndarray:
    """S (i, d): given row by row, or the rigid motion of the grids."""
    if given:
        if len(given) != len(points_i) * len(points_d):
            wanted = str(len(points_i) * len(points_d))
            raise table.error(i, "S of this GENEL has the wrong number of terms", wanted, str(len(given)))
        return np.array(given, dtype=float).reshape(len(points_i), len(points_d))
    rows = [np.array([int(ctx.grids.find(point)) for point, _ in points]) for points in (points_i, points_d)]
    if (np.concatenate(rows) < 0).any() or len(points_d) != 6:
        raise table.error(i, "GENEL without S needs six dofs UD at grids")
    origin = ctx.grids.xyz[rows[1][0]]
    modes = [
        rigid_modes(ctx.grids, row, origin)[np.arange(len(row)), [component - 1 for _, component in points]]
        for row, points in zip(rows, (points_i, points_d))
    ]
    if np.linalg.cond(modes[1]) > 1e10:
        raise table.error(i, "the dofs UD of this GENEL do not hold a rigid body")
    return np.linalg.solve(modes[1].T, modes[0].T).T
