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
from interstage.linalg.lanczos import BlockLanczos, Ritz
from interstage.linalg.memory import available_memory
from interstage.linalg.pencil import Pencil

# Vectors per Lanczos step: fewer converge in fewer solves, more make each solve of a large factor cheaper.
BLOCK, LARGE_BLOCK, LARGE = 8, 12, 50_000
MODES_PER_SHIFT = 100
FIRST_SHIFT = 1e-9
# Ritz values this much smaller than the largest have lost as many digits: another shift finds them better.
TRUST = 1e-5
# Two eigenvalues closer than this (relative) are not separated by a check shift.
GAP = 1e-5


class Wanted(NamedTuple):
    """Which eigenvalues: at most `count` (None: all) of those in [lower, upper], from below."""

    count: int | None
    lower: float
    upper: float


class View(NamedTuple):
    """Ritz values of a run: eigenvalue estimates and which of them are found.

    up : converged without a gap above the shift; down : converged below it, in the range
    following : lower bound on the first one above that is not in `up`
    distrusted : that one is too far from the shift to be had to full accuracy there
    """

    ritz: Ritz
    values: np.ndarray
    up: np.ndarray
    down: np.ndarray
    following: float
    distrusted: bool


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
        many = wanted.count is None or wanted.count >= LARGE_BLOCK
        self.block = LARGE_BLOCK if many and pencil.n > LARGE else BLOCK
        self._moved = False
        self._progress, self._began = progress, time.perf_counter()

    def search(self) -> None:
        """Find the wanted modes and check their number."""
        self._bottom()
        for _ in range(200):
            self._run(below=0, above=self._still_wanted())
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
        return int(min(max(4 * goal + 5 * self.block, 8 * self.block), room))

    def _run(self, below: int, above: int, start: np.ndarray | None = None) -> None:
        """Lanczos at the present shift until `below` modes under it and `above` modes over it converge."""
        above = min(above, MODES_PER_SHIFT)
        capacity = self._capacity(below + above)
        self.seed += 1
        run = BlockLanczos(
            self.pencil.factor.solve, self.pencil.M, self.vectors, self.block, capacity, self.seed, start
        )
        if run.exhausted:
            self.exhausted = True
            return
        limit = 40 * (below + above) + 60 * self.block
        while True:
            run.step()
            view = self._look(run)
            self._report(len(view.up), len(view.down))
            enough = len(view.up) >= above or view.following > self.wanted.upper or view.distrusted
            if (enough and len(view.down) >= below) or run.exhausted or run.n_solves > limit:
                break
            if self._begin_again(run, view, below, above):
                return
            if run.full():
                keep = max(below + above + 2 * self.block, run.m // 2)
                run.restart(view.ritz, min(capacity - 3 * self.block, keep))
        self.exhausted = run.exhausted and not view.distrusted
        self.next_estimate = view.following
        self._accept(run, view, np.concatenate([view.up, view.down]))

    def _look(self, run: BlockLanczos) -> View:
        """Sort the Ritz values of a run by side of the shift and by convergence."""
        ritz, sigma = run.ritz(), self.pencil.sigma
        values = sigma + 1.0 / np.where(ritz.theta == 0.0, np.finfo(float).tiny, ritz.theta)
        above = np.flatnonzero(ritz.theta > 0.0)
        trusted = np.abs(ritz.theta) > TRUST * np.abs(ritz.theta[0])
        good = (ritz.converged | run.exhausted) & trusted
        lead = len(above) if good[above].all() else int(np.argmin(good[above]))
        following, distrusted = np.inf, False
        if lead < len(above):
            i = above[lead]
            following = sigma + 1.0 / (ritz.theta[i] + ritz.error[i])
            distrusted = not trusted[i]
        down = np.flatnonzero((ritz.theta < 0.0) & good & (values >= self.wanted.lower))
        return View(ritz, values, above[:lead], down, following, distrusted)

    def _begin_again(self, run: BlockLanczos, view: View, below: int, above: int) -> bool:
        """Start a new run without rigid-body modes that hide the rest, or from a shift that is closer."""
        rigid = self._rigid(view.ritz)
        if rigid:
            self._accept(run, view, np.arange(rigid))
        elif not self._come_closer(view, above):
            return False
        rest = run.vectors(view.ritz, np.arange(rigid, min(rigid + self.block, run.m)))
        self._run(below, above - rigid, rest)
        return True

    def _rigid(self, ritz: Ritz) -> int:
        """Number of converged modes so much lower than the rest that they hide it (rigid-body modes).

        With θ of the rest more than 1e4 times smaller, the projected matrix holds the rest to fewer digits;
        the run starts again without these modes.
        """
        if self.pencil.sigma >= 0.0 or len(self.values):
            return 0
        theta = np.abs(ritz.theta)
        jump = np.flatnonzero(theta[:-1] > 1e4 * theta[1:])
        if not len(jump) or not ritz.converged[: jump[0] + 1].all():
            return 0
        return int(jump[0]) + 1

    def _come_closer(self, view: View, above: int) -> bool:
        """Move a first shift closer that lies much further below zero than the modes wanted are above it."""
        sigma = self.pencil.sigma
        if self._moved or sigma >= 0.0 or np.isfinite(self.wanted.lower) or len(view.values) < 4 * self.block:
            return False
        up = view.values[view.ritz.theta > 0.0]
        if len(up) <= above or up[above] > 0.1 * abs(sigma):
            return False
        self._moved = True
        self.base = self.pencil.factorize(-max(up[above], 1e-4 * abs(sigma))).n_negative
        return True

    def _accept(self, run: BlockLanczos, view: View, which: np.ndarray) -> None:
        """Add converged modes to those found."""
        if not len(which):
            return
        values = np.concatenate([self.values, view.values[which]])
        order = np.argsort(values, kind="stable")
        vectors = np.hstack([self.vectors, run.vectors(view.ritz, which)])
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
        if np.isfinite(self.next_estimate):
            step = max(step, 0.5 * (self.next_estimate - known[-1]))
        sigma = min(known[-1] + step, max(self.wanted.upper, known[-1] * (1 + 1e-6)))
        sigma = max(sigma, self._zero())
        factor = self.pencil.factorize_near(sigma, 1e-5 * abs(sigma))
        missing = self._missing(factor)
        if missing:
            self._run(below=missing, above=0)
        return True

    def _zero(self) -> float:
        """Eigenvalues of smaller size are zero to working precision (rigid-body modes): no shift goes there."""
        return 0.3 * FIRST_SHIFT * self.pencil.scale

    def _missing(self, factor) -> int:
        """Modes below the present shift that the Sturm count knows of and the search does not."""
        if factor.n_negative is None or self.base is None or factor.n_perturbed:
            return 0
        return factor.n_negative - self.base - int((self.values < self.pencil.sigma).sum())

    def _top(self) -> float:
        """A shift in the first clear gap above the last mode wanted."""
        known, upper, count = self.values, self.wanted.upper, self.wanted.count
        if np.isfinite(upper) and (count is None or (known <= upper).sum() < count):
            return upper + 1e-6 * abs(upper)
        if not len(known):
            return self._zero()
        if self.exhausted and (count is None or len(known) < count):
            # all finite modes seem to be found: any others would have to be far above
            return max(1e3 * known[-1], self._zero())
        last = len(known) - 1 if count is None else min(count, len(known)) - 1
        beyond = np.append(known, max(self.next_estimate, known[-1]))
        for low, high in zip(beyond[last:], beyond[last + 1 :]):
            high = high if np.isfinite(high) else 1.1 * max(low, self._zero())
            if high - low > GAP * abs(high) and high > self._zero():
                return max(low + 0.1 * (high - low), min(self._zero(), 0.5 * (low + high)))
        return max(known[-1] + 2.0 * GAP * abs(known[-1]), self._zero())

    def _check_top(self) -> None:
        """Compare the number of modes with the Sturm count above the last one; look for missing ones."""
        sigma = self._top()
        nudge = GAP * max(abs(sigma), FIRST_SHIFT * self.pencil.scale)
        self._search_missing(self.pencil.factorize_near(sigma, nudge))

    def _search_missing(self, factor) -> None:
        if factor.n_negative is None or self.base is None or factor.n_perturbed:
            self.notes.append("the pivots cannot be counted, so the number of modes was not checked")
            return
        for _ in range(5):
            missing = self._missing(factor)
            if missing <= 0:
                break
            self._run(below=missing, above=0)
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
