"""Five particles and four springs: the four comparisons of Table A1 of the NESC report."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from validation.study import Row, Study


def chain() -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and mass of the chain: k = 1, m = 2 (Eq. A.3.1)."""
    K = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    K[0, 0] = K[4, 4] = 1
    return K, 2 * np.eye(5)


def compare(kept: int) -> dict[str, float]:
    """Largest differences of frequencies and shapes with `kept` of four fixed-interface modes."""
    from interstage.component.component_modes import craig_bampton, frequency_hz, normalized_modes

    K, M = chain()
    full, X = la.eigh(K, M)
    fixed, Y = la.eigh(K[1:, 1:], M[1:, 1:])
    basis = normalized_modes(craig_bampton(K, M, np.array([0]), kept))
    n = len(basis.frequencies_hz)
    together = np.hstack([np.ones((5, 1)), basis.shapes])
    Z = together @ la.null_space(together[:1])
    held, V = la.eigh(Z.T @ K @ Z, Z.T @ M @ Z)
    return {
        "free_f": np.abs(basis.frequencies_hz - frequency_hz(full)[1 : n + 1]).max(),
        "free_x": np.abs(np.abs(basis.shapes) - np.abs(X[:, 1 : n + 1])).max(),
        "held_f": np.abs(frequency_hz(held) - frequency_hz(fixed)[: len(held)]).max(),
        "held_x": np.abs(np.abs((Z @ V)[1:]) - np.abs(Y[:, : len(held)])).max(),
    }


def study() -> Study:
    """Run the four comparisons."""
    whole, cut = compare(4), compare(3)
    rows = []
    for number, case, found, part, orders, limits in (
        (1, "free-free, all modes", whole, "free", ("1e-16", "1e-16"), (1e-15, 1e-14)),
        (2, "fixed-base, all modes", whole, "held", ("1e-16", "1e-16 to 1e-18"), (1e-15, 1e-14)),
        (3, "free-free, highest mode removed", cut, "free", ("1e-3 to 1e-4", "1e-2 to 1e-3"), (1e-3, 1e-1)),
        (4, "fixed-base, highest mode removed", cut, "held", ("1e-16", "1e-16 to 1e-18"), (1e-15, 1e-14)),
    ):
        for quantity, key, order, limit in zip(("frequencies, Hz", "shapes"), "fx", orders, limits):
            error = float(found[f"{part}_{key}"])
            rows.append(Row(f"{number}. {case}", quantity, f"order {order}", f"{error:.1e}", error, limit))
    return Study(
        name="five_particles",
        title="Five particles (NESC report, Table A1)",
        about="Normalized component modes of a chain of five particles, held or free, against the modes of the "
        "chain itself. The report gives orders of magnitude. Truncation before normalization changes the free "
        "modes a little and the fixed-base modes not at all.",
        rows=rows,
    )
