"""Find the eigenvalues of a large sparse pencil in order, and prove by Sturm counts that none is missing.

Lanczos runs at one shift or several; inertia(K - σM) counts the eigenvalues below σ. The first shift
lies just below the spectrum (or at the lower end of the range asked for), the last just above the last
mode wanted. Wherever the count and the modes found differ, a run at that shift looks for the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from interstage.errors import SolverError
from interstage.fem.lanczos import BlockLanczos
from interstage.fem.memory import available_memory
from interstage.fem.pencil import Pencil

BLOCK = 8
MODES_PER_SHIFT = 100
FIRST_SHIFT = 1e-9
# Two eigenvalues closer than this (relative) are not separated by a check shift.
GAP = 1e-5


class Wanted(NamedTuple):
    """Which eigenvalues: at most `count` (None: all) of those in [lower, upper], from below."""

    count: int | None
    lower: float
    upper: float


class Slicer:
    """The search through one pencil; `search` fills `values` (ascending), `vectors`, `sturm_checked`."""

    def __init__(self, pencil: Pencil, wanted: Wanted, progress: Callable | None = None):
        self.pencil, self.wanted = pencil, wanted
        self.values, self.vectors = np.zeros(0), np.zeros((pencil.n, 0))
        self.next_estimate = np.inf
        self.sturm_checked = False
        self.exhausted = False
        self.notes: list[str] = []
        self.seed = 1
        self._moved = False
        self._progress, self._began = progress, time.perf_counter()

    def search(self) -> None:
        """Find the wanted modes and check their number."""
        self._bottom()
        for _ in range(200):
            self._run(below=0, above=self._still_wanted(), start=None)
            if self._complete():
                break
            if not self._advance():
                break
        self._check_top()

    def _bottom(self) -> None:
        """Factorize at the first shift; `base` is the inertia there, which later counts are compared with."""
        pencil, lower = self.pencil, self.wanted.lower
        if np.isfinite(lower):
            self.base = pencil.factorize_near(lower, -1e-6 * abs(lower)).n_negative
            return
        sigma = -FIRST_SHIFT * pencil.scale
        factor = pencil.factorize(sigma)
        if factor.n_perturbed or factor.n_negative:
            grounded = pencil.ground_massless_mechanisms()
            if len(grounded):
                self.notes.append(f"{len(grounded)} motions without stiffness and mass were left out")
                self.grounded = grounded
                self.vectors = np.zeros((pencil.n, 0))
                factor = pencil.factorize(sigma)
        for _ in range(6):
            if not factor.n_negative:
                break
            sigma *= 100.0
            factor = pencil.factorize(sigma)
        if factor.n_negative:
            self.notes.append("the stiffness matrix is indefinite: some eigenvalues are far below zero")
        self.base = factor.n_negative

    def _still_wanted(self) -> int:
        count = self.wanted.count
        return MODES_PER_SHIFT if count is None else max(0, count - len(self.values))

    def _complete(self) -> bool:
        enough = self.wanted.count is not None and len(self.values) >= self.wanted.count
        past = min(self.next_estimate, self.values[-1] if len(self.values) else np.inf) > self.wanted.upper
        past = past or (len(self.values) > 0 and self.values[-1] > self.wanted.upper)
        return enough or past or self.exhausted

    def _capacity(self, goal: int) -> int:
        free = available_memory()
        room = 10_000 if free is None else max(60, int(0.25 * free / (8.0 * max(self.pencil.n, 1))))
        return int(min(max(4 * goal + 5 * BLOCK, 8 * BLOCK), room))

    def _run(self, below: int, above: int, start) -> None:
        """Lanczos at the present shift until `below` modes under it and `above` modes over it converge."""
        sigma, solve = self.pencil.sigma, self.pencil.factor.solve
        above = min(above, MODES_PER_SHIFT)
        capacity = self._capacity(below + above)
        self.seed += 1
        run = BlockLanczos(solve, self.pencil.M, self.vectors, BLOCK, capacity, self.seed, start)
        limit = 40 * (below + above) + 60 * BLOCK
        while not run.exhausted and run.n_solves < limit:
            if run.full():
                run.restart(ritz, min(capacity - 3 * BLOCK, max(below + above + 2 * BLOCK, run.m // 2)))  # noqa: F821
            run.step()
            ritz = run.ritz()
            eigenvalue = sigma + 1.0 / np.where(ritz.theta == 0.0, 1e-300, ritz.theta)
            up, down, following = self._sort(ritz, eigenvalue, sigma, run)
            self._report(len(up), len(down))
            if len(down) >= below and (len(up) >= above or following > self.wanted.upper):
                break
            rigid = self._rigid(ritz, sigma)
            if rigid:
                self._accept(run, ritz, eigenvalue, np.arange(rigid))
                rest = run.vectors(ritz, np.arange(rigid, min(rigid + BLOCK, run.m)))
                return self._run(below, above - rigid, rest)
            if self._shift_is_too_far(ritz, eigenvalue, sigma, above):
                rest = run.vectors(ritz, np.arange(min(BLOCK, run.m)))
                return self._run(below, above, rest)
        if run.exhausted and run.m:
            # The whole space of finite modes has been spanned: everything the run holds is exact.
            ritz = run.ritz()
            eigenvalue = sigma + 1.0 / np.where(ritz.theta == 0.0, 1e-300, ritz.theta)
            up, down, following = self._sort(ritz, eigenvalue, sigma, run)
            self.exhausted = True
        elif not run.m:
            self.exhausted = True
            return None
        self.next_estimate = following
        self._accept(run, ritz, eigenvalue, np.concatenate([up, down]))
        return None

    def _sort(self, ritz, eigenvalue, sigma, run):
        """Converged Ritz values above σ without a gap, those below it, and a bound on the next one above."""
        above = np.flatnonzero(ritz.theta > 0.0)
        good = ritz.converged[above] | run.exhausted
        lead = len(above) if good.all() else int(np.argmin(good))
        following = np.inf
        if lead < len(above):
            i = above[lead]
            following = sigma + 1.0 / (ritz.theta[i] + ritz.error[i])
        down = np.flatnonzero((ritz.theta < 0.0) & ritz.converged & (eigenvalue >= self.wanted.lower))
        return above[:lead], down, following

    def _rigid(self, ritz, sigma: float) -> int:
        """Number of converged modes so much lower than the rest that they hide it (rigid-body modes).

        With θ of the rest more than 1e4 times smaller, the projected matrix holds the rest to fewer digits;
        the run starts again without these modes.
        """
        if sigma >= 0.0 or len(self.values):
            return 0
        theta = np.abs(ritz.theta)
        jump = np.flatnonzero(theta[:-1] > 1e4 * theta[1:])
        if not len(jump) or not ritz.converged[: jump[0] + 1].all():
            return 0
        return int(jump[0]) + 1

    def _shift_is_too_far(self, ritz, eigenvalue, sigma: float, above: int) -> bool:
        """Move a first shift closer that lies much further below zero than the modes wanted are above it."""
        if self._moved or sigma >= 0.0 or np.isfinite(self.wanted.lower) or len(ritz.theta) < 4 * BLOCK:
            return False
        up = eigenvalue[ritz.theta > 0.0]
        if len(up) <= above or up[above] > 0.1 * abs(sigma):
            return False
        self._moved = True
        factor = self.pencil.factorize(-max(up[above], 1e-4 * abs(sigma)))
        self.base = factor.n_negative
        return True

    def _accept(self, run: BlockLanczos, ritz, eigenvalue, which: np.ndarray) -> None:
        """Add converged modes to those found."""
        if not len(which):
            return
        values = np.concatenate([self.values, eigenvalue[which]])
        order = np.argsort(values, kind="stable")
        vectors = np.hstack([self.vectors, run.vectors(ritz, which)])
        self.values, self.vectors = values[order], np.asfortranarray(vectors[:, order])

    def _advance(self) -> bool:
        """Move the shift up past the modes found; find those that it passed over."""
        known = self.values
        if not len(known):
            return False
        tail = known[-min(20, len(known)) :]
        spacing = (tail[-1] - tail[0]) / max(1, len(tail) - 1)
        step = max(20 * spacing, 1e-3 * abs(known[-1]))
        if len(known) < 3:
            step = max(step, 10 * abs(self.pencil.sigma))
        sigma = min(known[-1] + step, max(self.wanted.upper, known[-1] * (1 + 1e-6)))
        factor = self.pencil.factorize_near(sigma, 1e-5 * abs(sigma))
        missing = self._missing(factor)
        if missing:
            self._run(below=missing, above=0, start=None)
        return True

    def _missing(self, factor) -> int:
        """Modes below the present shift that the Sturm count knows of and the search does not."""
        if factor.n_negative is None or self.base is None:
            return 0
        return factor.n_negative - self.base - int((self.values < self.pencil.sigma).sum())

    def _top(self) -> float:
        """A shift in the first clear gap above the last mode wanted."""
        known, upper = self.values, self.wanted.upper
        inside = int((known <= upper).sum())
        if np.isfinite(upper) and (self.wanted.count is None or inside < self.wanted.count):
            return upper + 1e-6 * abs(upper)
        last = len(known) - 1 if self.wanted.count is None else min(self.wanted.count, len(known)) - 1
        beyond = np.append(known, max(self.next_estimate, known[-1]))
        for j in range(last, len(known)):
            following = beyond[j + 1] if np.isfinite(beyond[j + 1]) else known[j] + 0.1 * abs(known[j])
            if following - known[j] > GAP * abs(following):
                return known[j] + 0.1 * (following - known[j])
        return known[-1] + 2.0 * GAP * abs(known[-1])

    def _check_top(self) -> None:
        """Compare the number of modes with the Sturm count above the last one; look for missing ones."""
        if not len(self.values):
            if np.isfinite(self.wanted.upper) and self.wanted.upper > 0:
                factor = self.pencil.factorize_near(self.wanted.upper, 1e-6 * self.wanted.upper)
                self._search_missing(factor)
            return
        sigma = self._top()
        factor = self.pencil.factorize_near(sigma, GAP * max(abs(sigma), FIRST_SHIFT * self.pencil.scale))
        self._search_missing(factor)

    def _search_missing(self, factor) -> None:
        if factor.n_negative is None or self.base is None:
            self.notes.append("the solver does not count pivots: the number of modes was not checked")
            return
        for _ in range(5):
            missing = self._missing(factor)
            if missing <= 0:
                break
            self._run(below=missing, above=0, start=None)
        self.sturm_checked = missing == 0
        if missing:
            self.notes.append(f"the Sturm count differs from the modes found by {missing}")

    def _report(self, up: int, down: int) -> None:
        if self._progress is not None and time.perf_counter() - self._began > 2.0:
            total = self.wanted.count or 0
            self._progress(len(self.values) + up + down, total, "normal modes")


def sparse_modes(pencil: Pencil, wanted: Wanted, progress: Callable | None = None) -> Slicer:
    """Run the search on a pencil; raises SolverError if it ends without the modes wanted."""
    slicer = Slicer(pencil, wanted, progress)
    slicer.search()
    few = wanted.count is not None and len(slicer.values) < wanted.count
    if few and not slicer.sturm_checked and not slicer.exhausted:
        raise SolverError(
            "the Lanczos iteration did not converge",
            expected=f"{wanted.count} modes",
            got=f"{len(slicer.values)}",
            hint="ask for fewer modes or a narrower frequency range",
        )
    return slicer
