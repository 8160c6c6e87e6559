"""Temperatures that differ over an element: free plates in closed form, plies that expand unlike each other."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.nastran import deck_from_text

ALPHA, T0, B, C = 1e-5, 30.0, 100.0, -40.0


def plate(
    card: str, n: int = 2, a: float = 2.0, b: float = 1.0
) -> tuple[str, dict[int, tuple[float, float]]]:
    """Return the cards of a plate of n x n elements a x b with T = T0 + B x + C y, and where its grids are."""
    step, grids, cards = (1 if card in ("CQUAD4", "CQUADR") else 2), {}, []
    m = n * step
    for j in range(m + 1):
        for i in range(m + 1):
            grids[1 + i + (m + 1) * j] = (a * i / m, b * j / m)

    def at(i, j):
        return 1 + i + (m + 1) * j

    used, eid = set(), 0
    for j in range(0, m, step):
        for i in range(0, m, step):
            s = step
            corners = [at(i, j), at(i + s, j), at(i + s, j + s), at(i, j + s)]
            if s == 2:
                middles = [at(i + 1, j), at(i + 2, j + 1), at(i + 1, j + 2), at(i, j + 1)]
            if card in ("CQUAD4", "CQUADR"):
                elements = [corners]
            elif card == "CQUAD8":
                elements = [corners + middles]
            else:
                center = at(i + 1, j + 1)
                elements = [
                    [corners[0], corners[1], corners[2], middles[0], middles[1], center],
                    [corners[0], corners[2], corners[3], center, middles[2], middles[3]],
                ]
            for nodes in elements:
                eid += 1
                used |= set(nodes)
                text = [str(node) for node in nodes]
                cards.append(",".join([card, str(eid), "1", *text[:6]]) + ("," if len(text) > 6 else ""))
                if len(text) > 6:
                    cards.append("," + ",".join(text[6:]))
    grids = {g: grids[g] for g in sorted(used)}
    for g, (x, y) in grids.items():
        cards.append(f"GRID,{g},,{x},{y},0.")
        cards.append(f"TEMP,1,{g},{T0 + B * x + C * y}")
    return "\n".join(cards), grids


def solved(cards: str, grids, property_cards: str) -> ist.fem.Displacements:
    # held so that nothing is strained: the first grid in its plane, another along it in y; the plate in z
    ends = max(grids, key=lambda g: grids[g][0] - 10 * grids[g][1])
    deck = f"""SOL 101
CEND
SPC = 1
TEMPERATURE(LOAD) = 1
STRESS = ALL
SUBCASE 1
BEGIN BULK
PARAM,K6ROT,1.E-6
{property_cards}
SPC1,1,12,1
SPC1,1,2,{ends}
SPC1,1,345,{min(grids)},THRU,{max(grids)}
{cards}
ENDDATA
"""
    return ist.static(ist.FEModel.from_deck(deck_from_text(deck)), subcase=1)


def away(card: str, n: int) -> tuple[float, ist.fem.Displacements]:
    """Return the largest distance of a free plate from its closed form, over α B L², and its solution.

    ε = α T: u = α(T0 x + B x²/2 + C x y - B y²/2), v = α(T0 y + B x y + C y²/2 - C x²/2), and no stress. What holds it
    turns this so that v of the far end is zero.
    """
    cards, grids = plate(card, n)
    u = solved(cards, grids, f"PSHELL,1,1,0.01,1,,1\nMAT1,1,7e10,,0.3,2700.,{ALPHA},0.")
    length = max(x for x, _ in grids.values())
    turn, worst = ALPHA * C * length / 2.0, 0.0  # v(L, 0) = -α C L²/2
    for g, (x, y) in grids.items():
        wanted = [
            ALPHA * (T0 * x + B * x * x / 2 + C * x * y - B * y * y / 2) - turn * y,
            ALPHA * (T0 * y + B * x * y + C * y * y / 2 - C * x * x / 2) + turn * x,
        ]
        worst = max(worst, np.abs(u[g][:2] - wanted).max())
    return worst / (ALPHA * B * length**2), u


@pytest.mark.parametrize("card", ["CQUAD4", "CQUAD8", "CTRIA6"])
def test_a_free_plate_under_a_linear_temperature_takes_its_closed_form(card):
    """Drilling stiffness ties rotations of corners, which a quadratic field has not alike: CQUAD4 feels it."""
    error, u = away(card, 2)
    assert error < (1e-6 if card == "CQUAD4" else 1e-9)
    held = 7e10 * ALPHA * B * 2.0  # stress of a plate that cannot expand
    table = u.stresses[card]
    columns = [table.columns.index(name) for name in ("oxx", "oyy", "txy")]
    assert np.abs(table.values[:, columns]).max() < 1e-7 * held


def test_sides_that_bow_come_near_the_closed_form():
    """Sides of CQUADR bow across, not along: a linear strain is met as the mesh is refined; the mean alone has 0.25."""
    coarse, fine = away("CQUADR", 2)[0], away("CQUADR", 8)[0]
    assert coarse < 0.06 and fine < 0.15 * coarse


def test_plies_that_expand_unlike_each_other_have_the_stresses_of_their_own():
    """0/90/0 of MAT8 at one degree, free: ε of the laminate from Σ Q̄ t ε = Σ Q̄ α t, σ = Q (ε - α) in each ply."""
    E1, E2, nu, G, a1, a2 = 150e9, 9e9, 0.3, 5e9, -0.3e-6, 28e-6
    t = np.array([1e-3, 3e-3, 1e-3])
    cards, grids = plate("CQUAD4", n=1)
    cards = "\n".join(line for line in cards.splitlines() if not line.startswith("TEMP"))
    u = solved(
        cards + "\nTEMPD,1,1.",
        grids,
        f"PCOMP,1\n,1,{t[0]},0.,YES,1,{t[1]},90.,YES\n,1,{t[2]},0.,YES\nMAT8,1,{E1},{E2},{nu},{G}\n,{a1},{a2},0.",
    )
    n21 = nu * E2 / E1
    Q = np.array([[E1, nu * E2], [nu * E2, E2]]) / (1.0 - nu * n21)
    flip = np.array([[0.0, 1.0], [1.0, 0.0]])
    Qs, alphas = [Q, flip @ Q @ flip, Q], [np.array([a1, a2]), np.array([a2, a1]), np.array([a1, a2])]
    A = sum(q * h for q, h in zip(Qs, t))
    strain = np.linalg.solve(A, sum(q @ a * h for q, a, h in zip(Qs, alphas, t)))
    wanted = [
        Qs[0] @ (strain - alphas[0]),
        flip @ (Qs[1] @ (strain - alphas[1])),
        Qs[2] @ (strain - alphas[2]),
    ]
    table = u.stresses["CQUAD4_COMPOSITE"]
    np.testing.assert_allclose(table.values[:, :2], wanted, rtol=1e-9, atol=1e-6 * np.abs(wanted).max())
    assert (
        np.abs(wanted).max() > 1e5
        and sum(h * w[0] for h, w in zip(t, [wanted[0], wanted[1][::-1], wanted[2]])) < 1e-6
    )
