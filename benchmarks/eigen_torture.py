"""Torture the eigensolver: hard spectra, with ARPACK beside it as a second opinion.

Each row is one structure and one request (EIGRL V1, V2, ND). ARPACK (scipy.sparse.linalg.eigsh) runs shift-invert at a
small negative shift with as many modes; it has neither ranges nor a proof, so that a range is asked of it by the
number that was found. Difference: largest relative difference of eigenvalues above the rigid ones.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

sys.path.insert(0, str(Path(__file__).parent))
import _eigen_models as models

CASES = {
    "free plate, V1 0.001 Hz": (models.plate, {"request": ".001,,10"}),
    "free plate to 800 Hz": (models.plate, {"nx": 31, "ny": 29, "request": ",800."}),
    "mounted plate, V1 above": (models.plate, {"mount": 10.0, "request": ".4555,,10"}),
    "60 cantilevers, 20": (models.cantilevers, {"count": 60, "request": ",,20"}),
    "30 cantilevers, 50": (models.cantilevers, {"count": 30, "request": ",,50"}),
    "30 cantilevers, 130": (models.cantilevers, {"count": 30, "request": ",,130"}),
    "24 on a free hub": (models.cantilevers, {"count": 24, "hub": True, "request": ",,60"}),
    "massless stick, 10": (models.stick, {"request": ",,10", "way": (1, 2, 3)}),
    "massless stick, 40": (models.stick, {"request": ",,40", "way": (1, 2, 3)}),
    "twelve decades": (models.layered, {"request": ",,60"}),
    "spacecraft to 60 Hz": (models.spacecraft, {"n": 16, "request": ",60."}),
    "spacecraft, 100": (models.spacecraft, {"n": 16, "request": ",,100"}),
}
HEADER = (
    f"{'structure and request':26s} {'dofs':>6s} {'modes':>5s} {'s':>6s} {'factors':>7s} {'residual':>8s} "
    f"{'orthog.':>8s} counted   ARPACK s  difference"
)


def matrices(text: str):
    """K, M and the request of a deck with its constraints applied."""
    from interstage.fem import FEModel
    from interstage.fem.requests import modes_case, modes_request
    from interstage.fem.solutions import reduced_for_modes
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(text))
    case = modes_case(fe)
    reduced, _ = reduced_for_modes(fe, case)
    return sp.csc_array(reduced.K_aa), sp.csc_array(reduced.M_aa), modes_request(fe, case)


def second_opinion(K, M, below: int, found: np.ndarray) -> tuple[str, str]:
    """Seconds and largest difference of ARPACK's eigenvalues, or why there are none."""
    scale = np.median((K.diagonal() / np.where(M.diagonal() > 0, M.diagonal(), np.inf))[M.diagonal() > 0])
    start = time.perf_counter()
    try:
        n = below + len(found)
        values = np.sort(spla.eigsh(K, n, M, sigma=-1e-8 * scale, return_eigenvectors=False, maxiter=300))[
            below:
        ]
    except (RuntimeError, spla.ArpackError) as error:
        return f"{time.perf_counter() - start:8.2f}", type(error).__name__
    flexible = found > 1e-7 * scale
    difference = np.abs(values[flexible] / found[flexible] - 1.0).max(initial=0.0)
    return f"{time.perf_counter() - start:8.2f}", f"{difference:10.1e}"


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    from interstage.linalg import eigenmodes

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name contains this")
    options = parser.parse_args(argv)
    print(HEADER)
    for name, (make, arguments) in CASES.items():
        if options.only not in name:
            continue
        K, M, request = matrices(make(**arguments))
        start = time.perf_counter()
        r = eigenmodes(K, M, request.count, request.low, request.high)
        seconds = time.perf_counter() - start
        X = r.vectors
        orthogonal = np.abs(X.T @ (M @ X) - np.eye(X.shape[1])).max()
        below, counted = 6 if request.low else 0, "yes" if r.sturm_checked else "no"
        arpack, difference = second_opinion(K, M, below, r.eigenvalues)
        print(
            f"{name:26s} {K.shape[0]:6d} {len(r.eigenvalues):5d} {seconds:6.2f} {r.n_shifts:7d} "
            f"{r.residuals.max():8.1e} {orthogonal:8.1e} {counted:7s} {arpack}  {difference}",
            flush=True,
        )


if __name__ == "__main__":
    main()
