"""Small dense models for tests: assemble the line and scalar elements of a deck and solve them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.linalg as sl

from interstage.fem.from_deck import dmig, scalar
from interstage.fem.from_deck.build import read_elements
from interstage.fem.from_deck.context import Context


def build(deck, rotary=False):
    """K, M (with WTMASS), B, K4 and M0 (input mass units) as dense matrices in CD axes, and the context."""
    ctx = Context(deck)
    n = ctx.grids.n_dof
    coupled = float(deck.params.get("COUPMASS", -1)) > 0
    blocks = read_elements(ctx, rotary)
    K, M, B, K4 = (np.zeros((n, n)) for _ in range(4))
    for block in blocks:
        rows = slice(0, len(block))
        k = block.stiffness(rows)
        add(ctx.grids, block, k, K)
        add(ctx.grids, block, block.mass(rows, coupled), M)
        add(ctx.grids, block, block.damping(rows), B)
        if k is not None:
            add(ctx.grids, block, block.structural_damping(rows), K4)
    for terms in (scalar.read(ctx), dmig.read(ctx)):
        for group, matrix in zip(terms, (K, M, B, K4)):
            for one in group:
                np.add.at(matrix, (one.i, one.j), one.value)
    wtmass = float(deck.params.get("WTMASS", 1.0))
    return SimpleNamespace(ctx=ctx, grids=ctx.grids, blocks=blocks, K=K, M=M * wtmass, M0=M, B=B, K4=K4)


def add(grids, block, matrices, out):
    """Add element matrices (n, 6k, 6k) in basic axes to a dense g-set matrix."""
    if matrices is None:
        return
    for nodes, matrix in zip(block.nodes, matrices):
        k = len(nodes)
        turn = np.zeros((6 * k, 6 * k))
        dofs = np.full(6 * k, -1)
        for a, node in enumerate(nodes):
            if node >= 0:
                for p in (6 * a, 6 * a + 3):
                    turn[p : p + 3, p : p + 3] = grids.R_basic_cd[node]
                dofs[6 * a : 6 * a + 6] = grids.dof[node] + np.arange(6)
        keep = dofs >= 0
        out[np.ix_(dofs[keep], dofs[keep])] += (turn.T @ matrix @ turn)[np.ix_(keep, keep)]


def free_dofs(model, fixed):
    """Mask of dofs that are not fixed; `fixed` maps grid ids to strings of components."""
    free = np.ones(len(model.K), dtype=bool)
    for grid, components in fixed.items():
        for c in components:
            free[model.grids.dof_of(grid, int(c))] = False
    return free


def frequencies(model, fixed=None):
    """Natural frequencies in Hz, dofs without stiffness removed and massless dofs condensed."""
    free = free_dofs(model, fixed or {})
    free &= np.abs(model.K).sum(axis=1) > 0.0
    K, M = model.K[np.ix_(free, free)], model.M[np.ix_(free, free)]
    dead = np.abs(M).sum(axis=1) == 0.0
    K, M = (
        K[np.ix_(~dead, ~dead)]
        - K[np.ix_(~dead, dead)] @ np.linalg.solve(K[np.ix_(dead, dead)], K[np.ix_(dead, ~dead)]),
        M[np.ix_(~dead, ~dead)],
    )
    w2 = sl.eigh(0.5 * (K + K.T), M, eigvals_only=True)
    return np.sign(w2) * np.sqrt(np.abs(w2)) / (2.0 * np.pi)


def static(model, fixed, loads):
    """Displacements (n_dof,) under `loads` {(grid, component): value}."""
    free = free_dofs(model, fixed)
    force = np.zeros(len(model.K))
    for (grid, component), value in loads.items():
        force[model.grids.dof_of(grid, component)] += value
    u = np.zeros(len(model.K))
    u[free] = np.linalg.solve(model.K[np.ix_(free, free)], force[free])
    return u


def rigid_modes(grids):
    """Rigid motion (n_dof, 6) about the basic origin."""
    out = np.zeros((grids.n_dof, 6))
    for row, (x, y, z) in enumerate(grids.xyz):
        at = np.eye(6)
        at[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        turn = np.kron(np.eye(2), grids.R_basic_cd[row].T)
        out[grids.dof[row] : grids.dof[row] + 6] = turn @ at
    return out
