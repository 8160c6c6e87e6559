"""Spectrum slicing: Lanczos runs at several shifts, and what their Ritz values tell.

Look at the Ritz values of a Lanczos run: what is found, what hides the rest, where copies may be missing.

Find the eigenvalues of a large sparse pencil in order, and prove by Sturm counts that none is missing.

inertia(K - σM) counts the eigenvalues below σ. Lanczos runs at one shift or several, each closer to the modes
that are still wanted; modes found are locked. At the end the counts at two shifts, both clear of eigenvalues,
one below the first mode returned and one above the last, must differ by the number of modes found between them.
A range without a number of modes is counted first, so that its size is known before the search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from interstage.errors import SolverError
from interstage.linalg.factor import available_memory
from interstage.linalg.lanczos import BlockLanczos, Ritz
from interstage.linalg.pencil import Pencil, evidence, purified

# Ritz values this much smaller than the largest have lost as many digits: they wait until those are locked.
TRUST = 1e-5
HIDING = 1e-4
# Eigenvalues closer than this (relative) are one cluster.
CLUSTER = 1e-6


class View(NamedTuple):
    """Ritz values of a run: eigenvalue estimates and which of them are found.

    up : converged without a gap above the shift; down : converged below it
    following : lower bound on the first one above that is not in `up`
    crowded : as many equal values as the block has columns: there may be more of them than a run can find
    spent : all that can be had to full accuracy at this shift is converged
    """

    ritz: Ritz
    values: np.ndarray
    up: np.ndarray
    down: np.ndarray
    following: float
    crowded: bool
    spent: bool


def look(run: BlockLanczos, sigma: float, zero: float) -> View:
    """Sort the Ritz values of a run at shift σ by side and by convergence; sizes below `zero` are nothing."""
    ritz = run.ritz()
    theta = ritz.theta
    values = sigma + 1.0 / np.where(theta == 0.0, np.finfo(float).tiny, theta)
    trusted = np.abs(theta) > TRUST * np.abs(theta[0])
    good = ritz.converged & trusted
    above, down = np.flatnonzero(theta > 0.0), np.flatnonzero((theta < 0.0) & good)
    lead = len(above) if good[above].all() else int(np.argmin(good[above]))
    end = _first_crowd(values[above[:lead]], run.block, zero)
    crowded = end is not None or _first_crowd(values[down], run.block, zero) is not None
    lead = lead if end is None else end
    following = np.inf
    if lead < len(above):
        i = above[lead]
        following = sigma + 1.0 / (theta[i] + ritz.error[i]) if end is None else values[i]
    spent = bool(good[trusted].all() and not trusted.all())
    return View(ritz, values, above[:lead], down, following, crowded, spent)


def _first_crowd(values: np.ndarray, block: int, zero: float) -> int | None:
    """End of the first group of at least `block` equal values, or None."""
    if len(values) < block:
        return None
    order = np.sort(values)
    size = np.maximum(np.abs(order), zero)
    ends = np.flatnonzero(np.append(np.diff(order) > CLUSTER * size[1:], True)) + 1
    wide = np.flatnonzero(np.diff(np.concatenate([[0], ends])) >= block)
    return int(ends[wide[0]]) if len(wide) else None


def hiding_modes(ritz: Ritz) -> int:
    """Count the converged modes so much closer to the shift than the rest that they hide it.

    With θ of the rest more than 1e4 times smaller, the projected matrix holds the rest to fewer digits
    (rigid-body modes beside a shift just below zero; a mode that the shift happens to lie on).
    """
    theta = np.abs(ritz.theta)
    jump = np.flatnonzero(theta[1:] < HIDING * theta[:-1])
    if not len(jump) or not ritz.converged[: jump[0] + 1].all():
        return 0
    return int(jump[0]) + 1


# Vectors per Lanczos step: fewer converge in fewer solves, more make each solve of a large factor cheaper.
BLOCK, LARGE_BLOCK, LARGE, WIDEST_BLOCK = 8, 12, 50_000, 64
# Modes from which on blocks are wide where a factor is large; 30 of 600,000 dofs take 3 % less time with narrow ones.
MANY = 40
MODES_PER_SHIFT = 100
FIRST_SHIFT = 1e-9
# Steps, each a factor of 100, that the first shift goes down where eigenvalues are negative.
STEPS_DOWN = 9
# Two eigenvalues closer than this (relative) are not separated by a check shift.
GAP = 1e-5
# A shift closer (relative) to an eigenvalue than this does not tell on which side of it the eigenvalue lies.
CLEAR = 1e-8
IDLE = 4


class EigenRange(NamedTuple):
    """Which eigenvalues: at most `count` (None: all) of those in [lower, upper], from below."""

    count: int | None
    lower: float
    upper: float

    def inside(self, values: np.ndarray) -> np.ndarray:
        """Mask of the values in the range; an end belongs to it."""
        slack = 1e-9
        low = self.lower - slack * abs(self.lower) if np.isfinite(self.lower) else -np.inf
        high = self.upper + slack * abs(self.upper) if np.isfinite(self.upper) else np.inf
        return (values >= low) & (values <= high)


class Slicer:
    """The search through one pencil; `search` fills `values` (ascending), `vectors`, `sturm_checked`."""

    def __init__(self, pencil: Pencil, wanted: EigenRange, progress: Callable | None = None):
        self.pencil, self.wanted = pencil, wanted
        self.values, self.vectors, self.residuals = np.zeros(0), np.zeros((pencil.n, 0)), np.zeros(0)
        self.grounded = np.zeros(0, dtype=np.int64)
        self.counts: dict[float, int | None] = {}
        self.next_estimate = -np.inf
        self.sturm_checked = self.exhausted = False
        self.notes: list[str] = []
        self.seed = 1
        many = wanted.count is None or wanted.count >= MANY
        self.block = LARGE_BLOCK if many and pencil.n > LARGE else BLOCK
        self._sound = self._moved = self._crowded = False
        self._bottom_known = True
        self._refused = np.zeros(0)
        self._start: np.ndarray | None = None
        self._progress, self._began = progress, time.perf_counter()

    def search(self) -> None:
        """Find the wanted modes and check their number."""
        self._ends()
        if self._above_all():
            self.sturm_checked = self.exhausted = True
            return
        idle = 0
        while not self._complete() and idle < IDLE:
            known, bottom = len(self.values), self.bottom
            again = self._run(*self._goals())
            found = len(self.values) > known or self.bottom != bottom
            idle = 0 if found else idle + 1
            if not self._complete() and not (again and found):
                self._advance()
        self._prove()

    # the ends of the search

    def _ends(self) -> None:
        """Count at the upper end of a range without a number, then factorize at the first shift."""
        lower = self.wanted.lower
        self.top: float | None = None
        if self.wanted.count is None and np.isfinite(self.wanted.upper):
            sigma = self._upper_shift()
            self._at(sigma, GAP * abs(sigma))
            self.top = self.pencil.sigma
        if lower > self.zero:
            self._at(lower * (1.0 - 1e-3), -GAP * lower)
        else:
            self._below_all()
        self.bottom = self.pencil.sigma

    def _above_all(self) -> bool:
        """Prove by counts that a range begins above the whole spectrum: M has no more modes to give.

        Pivots that are negative below all modes belong to massless motions and are taken off.
        """
        most, count = np.count_nonzero(self.pencil.m_diagonal), self.counts[self.bottom]
        if self.wanted.lower <= self.zero or count is None or count < most:
            return False
        bottom = self.bottom
        self._below_all()
        base = self.counts[self.pencil.sigma]
        if base is not None and count - base == most:
            return True
        self._at(bottom, -GAP * bottom)
        return False

    def _below_all(self) -> None:
        """Factorize below the whole spectrum; `bottom` is the shift that later counts are compared with.

        Where the first count is not zero, eigenvalues are negative: the shift goes down until no more are below it
        than massless motions of negative stiffness account for, which have no eigenvalue and are below every shift.
        """
        sigma = -FIRST_SHIFT * self.pencil.scale
        factor = self._at(sigma, sigma)
        if not factor.n_negative:
            return
        base, counts = self.pencil.negative_without_mass(), [factor.n_negative]
        for _ in range(STEPS_DOWN):
            sigma *= 100.0
            factor = self._at(sigma, sigma)
            if factor.n_negative is None or factor.n_negative <= base:
                return
            counts.append(factor.n_negative)
        if self.pencil.mass_is_definite or counts[-1] != counts[-4]:
            raise SolverError(
                "the stiffness matrix has eigenvalues too far below zero to be found",
                expected=f"none below {sigma:.3g} rad²/s²",
                got=f"{counts[-1] - base}",
                hint="look at the model for negative stiffnesses beside tiny masses, or ask for a range above zero",
            )
        self._bottom_known = False
        self.notes.append(
            f"{counts[-1]} motions have negative stiffness and hardly any mass, so the number of modes was not checked"
        )

    @property
    def zero(self) -> float:
        """Eigenvalues of smaller size are zero to working precision (rigid-body modes): no shift goes there."""
        return 0.3 * FIRST_SHIFT * self.pencil.scale

    def _upper_shift(self) -> float:
        upper = self.wanted.upper
        return self.zero if abs(upper) < self.zero else upper + 1e-6 * abs(upper)

    def _at(self, sigma: float, nudge: float):
        """Factorize at σ, a little beside it where σ is an eigenvalue, and keep the count."""
        pencil = self.pencil
        try:
            factor = pencil.factorize(sigma)
            doubt = not self._sound and pencil.may_be_singular()
        except SolverError:
            if self._sound:
                raise
            doubt = True
        if doubt:
            self._ground()
            factor = pencil.factorize(sigma)
        self._sound = True
        for attempt in range(1, 4):
            if factor.n_perturbed == 0:
                break
            factor = pencil.factorize(sigma + attempt * nudge)
        self.counts[pencil.sigma] = pencil.counted(factor)
        return factor

    def _ground(self) -> None:
        self.grounded = self.pencil.ground_massless_mechanisms()
        self.vectors = np.zeros((self.pencil.n, 0))
        if len(self.grounded):
            number = len(self.grounded)
            motions = "motion" if number == 1 else "motions"
            self.notes.append(f"{number} {motions} without stiffness and mass left out")

    # what is still to be found

    def missing(self) -> int | None:
        """Modes between the bottom and the present shift that the counts know of and the search does not."""
        low, high = self.counts[self.bottom], self.counts.get(self.pencil.sigma)
        return (
            None
            if low is None or high is None
            else high - low - self._between(self.bottom, self.pencil.sigma)
        )

    def _between(self, low: float, high: float) -> int:
        return int(((self.values > low) & (self.values < high)).sum())

    def _left(self) -> int | None:
        """Modes of a counted range that are still to be found."""
        if self.top is None or self.counts[self.top] is None or self.counts[self.bottom] is None:
            return None
        return self.counts[self.top] - self.counts[self.bottom] - self._between(self.bottom, self.top)

    def _remaining(self) -> int:
        if self.wanted.count is not None:
            return max(0, self.wanted.count - int(self.wanted.inside(self.values).sum()))
        left = self._left()
        return MODES_PER_SHIFT if left is None else left

    def _complete(self) -> bool:
        if self.exhausted:
            return True
        left = self._left()
        if left is not None:
            return left <= 0
        if self.wanted.count is not None and self._remaining() == 0:
            return True
        return self.next_estimate > self.wanted.upper and not self.missing()

    def _goals(self) -> tuple[int, int]:
        """How many modes a run shall find below and above the present shift."""
        remaining = self._remaining()
        below = min(max(self.missing() or 0, 0), remaining if self._crowded else MODES_PER_SHIFT)
        above = max(0, min(remaining - below, MODES_PER_SHIFT - below))
        return below, above if below or above else 1

    # one run

    def _capacity(self, goal: int) -> int:
        free = available_memory()
        room = 10_000 if free is None else max(60, int(0.25 * free / (8.0 * max(self.pencil.n, 1))))
        return int(min(max(4 * goal + 5 * self.block, 8 * self.block), max(room, 5 * self.block)))

    def _run(self, below: int, above: int) -> bool:
        """Lanczos at the present shift until so many modes under it and over it converge.

        Returns whether another run at this shift makes sense (modes that hid the others are locked now).
        """
        capacity = self._capacity(below + above)
        self.seed += 1
        start, self._start = self._start, None
        solve = self.pencil.factor.solve
        run = BlockLanczos(solve, self.pencil.M, self.vectors, self.block, capacity, self.seed, start)
        self.next_estimate, self._crowded = -np.inf, False
        if run.exhausted:
            self.exhausted = True
            return False
        limit, looked_at = 40 * (below + above) + 60 * self.block, 0
        while True:
            run.step()
            dear = run.m**2 > max(100**2, 0.2 * self.block * self.pencil.n)
            if dear and run.m < 1.1 * looked_at and not (run.full() or run.exhausted):
                continue  # the projected problem costs as much as a step: solve it less often
            looked_at = run.m
            view = look(run, self.pencil.sigma, self.zero)
            self._report(len(view.up), len(view.down))
            enough = len(view.up) >= above or view.following > self.wanted.upper
            enough = (enough and len(view.down) >= below) or view.crowded or view.spent
            if enough or run.exhausted or run.n_solves > limit:
                break
            hiding = hiding_modes(view.ritz)
            if hiding or self._come_closer(view, above):
                self.accept(run, view, np.arange(hiding))
                rest = np.arange(hiding, min(hiding + self.block, run.m))
                self._start = run.vectors(view.ritz, rest)
                return True
            if run.full():
                keep = max(below + above + 2 * self.block, run.m // 2)
                run.restart(view.ritz, min(capacity - 3 * self.block, keep))
        self.next_estimate, self._crowded = view.following, view.crowded
        self.accept(run, view, np.concatenate([view.up, view.down]))
        return view.spent or run.exhausted

    def _come_closer(self, view: View, above: int) -> bool:
        """Move a first shift closer that lies much further below the spectrum than the modes wanted extend over.

        Ritz values lie above their eigenvalues: only an equal count says that the new shift is below them all too.
        """
        sigma = self.pencil.sigma
        if self._moved or sigma != self.bottom or sigma >= 0.0 or len(view.values) < 4 * self.block:
            return False
        up = view.values[view.ritz.theta > 0.0]
        if len(up) <= above:
            return False
        first = min(float(up[0]), 0.0)
        extent = float(up[above]) - first
        if extent > 0.1 * (first - sigma):
            return False
        self._moved = True
        closer = first - max(extent, 1e-4 * abs(sigma))
        self._at(closer, closer - first)
        if self.counts[self.pencil.sigma] != self.counts[sigma]:
            self._at(sigma, GAP * sigma)
            return False
        self.bottom = self.pencil.sigma
        return True

    def accept(self, run: BlockLanczos, view: View, which: np.ndarray) -> None:
        """Lock converged modes; those whose residuals are poor are purified first, and dropped if that fails."""
        if not len(which):
            return
        which = which[np.argsort(view.values[which], kind="stable")]
        values, X = view.values[which], run.vectors(view.ritz, which)
        level = float(np.abs(np.concatenate([self.values, values, [self.pencil.sigma]])).max())
        found = evidence(self.pencil, values, X, level=level)
        if not found.good.all():
            values, X = purified(self.pencil, self.vectors, X)
            found = evidence(self.pencil, values, X, level=level)
            self._refused = values[~found.good]
            values, X = values[found.good], X[:, found.good]
        values = np.concatenate([self.values, values])
        residuals = np.concatenate([self.residuals, found.relative[found.good]])
        order = np.argsort(values, kind="stable")
        self.values, self.residuals = values[order], residuals[order]
        X = np.hstack([self.vectors, X]) if len(self.vectors.T) else X
        in_order = (np.diff(order) > 0).all()
        self.vectors = np.asfortranarray(X if in_order else X[:, order])

    # from shift to shift

    def _advance(self) -> None:
        """Move the shift up past the modes found; the count there says what was passed over."""
        sigma = self._next_shift()
        for _ in range(4):
            self._at(sigma, GAP * max(abs(sigma), self.zero))
            missing = self.missing() or 0
            last = self._last()
            if missing <= 2 * MODES_PER_SHIFT or self._crowded or sigma <= last:
                break
            sigma = last + (sigma - last) * 0.5 * MODES_PER_SHIFT / missing
        if self._crowded and missing:
            self.block = int(np.clip(min(missing, self._remaining()), self.block, WIDEST_BLOCK))

    def _last(self) -> float:
        return float(self.values[-1]) if len(self.values) else self.bottom

    def _next_shift(self) -> float:
        """About 40 modes ahead by their density, or just above a cluster that is not complete."""
        last, following = self._last(), self.next_estimate
        limit = self._upper_shift() if np.isfinite(self.wanted.upper) else np.inf
        if self._crowded and np.isfinite(following):
            return min(last + 0.3 * (following - last), limit)
        ahead = 0.4 * MODES_PER_SHIFT
        root = np.sqrt(max(last, self.zero))
        tail = np.sqrt(np.maximum(self.values[-20:], self.zero))
        step = ahead * (tail[-1] - tail[0]) / (len(tail) - 1) if len(tail) > 1 else 0.0
        left = self._left()
        if left and np.isfinite(limit):
            step = (np.sqrt(max(limit, self.zero)) - root) * min(1.0, ahead / left)
        sigma = max((root + step) ** 2, last + 1e-3 * abs(last), self.zero)
        if len(self.values) < 3:
            sigma = max(sigma, 10.0 * abs(self.pencil.sigma))
        if np.isfinite(following):
            sigma = max(sigma, last + 0.5 * (following - last))
        return min(sigma, limit)

    # the proof

    def _prove(self) -> None:
        """Compare counts at two clear shifts with the modes found between them; look for missing ones."""
        missing = None
        for _ in range(12):
            self._clear_bottom()
            sigma = self._top()
            if sigma not in self.counts:
                self._at(sigma, GAP * max(abs(sigma), self.zero))
                sigma = self.pencil.sigma
            low, high = self.counts[self.bottom], self.counts[sigma]
            if low is None or high is None:
                self.notes.append("the pivots cannot be counted, so the number of modes was not checked")
                return
            missing = high - low - self._between(self.bottom, sigma)
            if missing == 0:
                self.sturm_checked = self._bottom_known
                return
            if missing < 0:
                del self.counts[sigma]  # it was too close to an eigenvalue
                continue
            if self.pencil.sigma != sigma:
                self._at(sigma, GAP * max(abs(sigma), self.zero))
            known, self._refused = len(self.values), np.zeros(0)
            self._run(min(missing, MODES_PER_SHIFT), 0)
            self._run_beside_refused()
            if len(self.values) == known or self._crowded:
                self.block = min(max(self.block + 4, min(missing, 2 * self.block)), WIDEST_BLOCK)
        raise SolverError(
            "the modes found are not all there are: the Sturm count differs from their number",
            expected=f"{high - low} eigenvalues up to {np.sqrt(abs(sigma)) / (2 * np.pi):.6g} Hz",
            got=f"{high - low - missing}",
            hint="ask for another range or number of modes, and look at the model for mechanisms and tiny masses",
        )

    def _run_beside_refused(self) -> None:
        """Look for modes again that were too far from the shift to be told from rounding, just above them."""
        if not len(self._refused):
            return
        last = float(self._refused.max())
        sigma = last + max(1e-3 * abs(last), self.zero)
        self._at(sigma, GAP * max(abs(sigma), self.zero))
        missing = self.missing()
        if missing is not None and missing > 0:
            self._run(min(missing, MODES_PER_SHIFT), 0)

    def _clear_bottom(self) -> None:
        """Move a bottom shift down that lies too close to a mode."""
        for _ in range(6):
            distance = np.abs(self.values - self.bottom).min(initial=np.inf)
            if distance > CLEAR * abs(self.bottom):
                return
            self._at(self.bottom - 3e-4 * abs(self.bottom), -GAP * abs(self.bottom))
            self.bottom = self.pencil.sigma

    def _clear(self, sigma: float) -> bool:
        """Say whether a shift is clear of all modes found."""
        distance = np.abs(self.values - sigma).min(initial=np.inf)
        return bool(distance > CLEAR * max(abs(sigma), self.zero))

    def _top(self) -> float:
        """A shift in a clear gap above the last mode wanted, or just below its cluster where that is not whole."""
        known, upper, count = self.values, self.wanted.upper, self.wanted.count
        chosen = known[self.wanted.inside(known)]
        if count is None or len(chosen) < count:
            if np.isfinite(upper):
                return self._first_clear(self._upper_shift())
            # all finite modes seem to be found: any others would have to be far above
            return max(1e3 * self._last(), self.zero)
        last = int(np.searchsorted(known, chosen[count - 1], side="right")) - 1
        whole = [s for s in self.counts if s > known[last] and self._clear(s) and self._is_whole_below(s)]
        if whole:
            return min(whole)
        low, high = self._gap_above(last)
        cached = [s for s, n in self.counts.items() if n is not None and low < s < high and self._clear(s)]
        if cached and low < high:
            return min(cached)
        if low < high:
            zero = min(self.zero, 0.5 * (low + high))
            return max(low + 0.1 * (high - low), zero)
        first = last
        while first and known[first] - known[first - 1] <= GAP * max(abs(known[first]), self.zero):
            first -= 1
        below = known[first - 1] if first else self.bottom
        return max(known[first] - 0.1 * (known[first] - below), known[first] - CLUSTER * abs(known[first]))

    def _gap_above(self, last: int) -> tuple[float, float]:
        """Ends of the first clear gap above mode `last`; an empty interval if its cluster is not known whole."""
        beyond = np.append(self.values[last:], max(self.next_estimate, self._last()))
        for i, (low, high) in enumerate(pairwise(beyond)):
            high = high if np.isfinite(high) else 1.1 * max(low, self.zero)
            if high - low > GAP * abs(high) and (high > self.zero or low < -self.zero):
                group = self.values[: last + i + 1]
                size = int((low - group <= CLUSTER * max(abs(low), self.zero)).sum())
                return (low, high) if size < self.block or self._whole(high) else (0.0, 0.0)
        return 0.0, 0.0

    def _whole(self, high: float) -> bool:
        """Say whether a count already made proves that nothing is missing below `high`."""
        return any(
            self._is_whole_below(s)
            for s in self.counts
            if s < high and self._clear(s) and s > self._last_below(high)
        )

    def _is_whole_below(self, sigma: float) -> bool:
        """Say whether the count at a shift is that of the modes found between the bottom and it."""
        base, n = self.counts[self.bottom], self.counts[sigma]
        proved = base is not None and n is not None and sigma > self.bottom
        return proved and n - base == self._between(self.bottom, sigma)

    def _last_below(self, high: float) -> float:
        return float(self.values[self.values < high][-1])

    def _first_clear(self, sigma: float) -> float:
        for _ in range(20):
            if self._clear(sigma):
                break
            sigma += 3.0 * CLEAR * max(abs(sigma), self.zero)
        return sigma

    def _report(self, up: int, down: int) -> None:
        if self._progress is not None and time.perf_counter() - self._began > 2.0:
            total = self.wanted.count or 0
            self._progress(len(self.values) + up + down, total, "normal modes")


def sparse_modes(pencil: Pencil, wanted: EigenRange, progress: Callable | None = None) -> Slicer:
    """Run the search on a pencil; raises SolverError if it ends without the modes wanted."""
    slicer = Slicer(pencil, wanted, progress)
    try:
        slicer.search()
    except np.linalg.LinAlgError as error:
        raise SolverError(
            "the Lanczos iteration broke down",
            got=str(error),
            hint="look at the model for tiny masses and stiffnesses beside large ones, or ask for another range",
        ) from None
    few = wanted.count is not None and wanted.inside(slicer.values).sum() < wanted.count
    if few and not np.isfinite(wanted.upper) and not slicer.exhausted:
        raise SolverError(
            "the Lanczos iteration did not converge",
            expected=f"{wanted.count} modes",
            got=f"{len(slicer.values)}",
            hint="ask for fewer modes or a narrower frequency range",
        )
    return slicer
