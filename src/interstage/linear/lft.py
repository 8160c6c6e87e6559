"""Linear fractional transformations of linear models with uncertain parameters, and how robust they are.

    [A B; C D](δ) = [A B; C D](0) + Σ δ_i U_i V_i,     -1 ≤ δ_i ≤ 1

with U_i V_i of the rank r_i of the derivative (singular values of balanced matrices), so that δ_i stands r_i times in
Δ. δ_i is linear in the parameter, or in that power of it in which the matrices are nearest to a straight line
from one end of its range to the other (stiffness in frequency², rates in 1/mass). What this leaves out, products of
parameters too, is measured by models that are linearized again at corners of the box.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import svd

from interstage.errors import InputError, SolverError
from interstage.linear.margins import connected_states
from interstage.linear.model import LinearModel
from interstage.linear.poles import balance_matrix
from interstage.linear.sensitivity import matrix_derivative, pole_derivatives
from interstage.linear.structured_singular_value import (
    DeltaBlock,
    LoopChannels,
    bound_over_frequency,
    lower_bound,
    upper_bound,
)
from interstage.linear.uncertain_parameters import UncertainParameter

RANK = 1e-4  # singular values of a derivative below this, relative to its largest, are left out
NOISE = 1e-9  # entries of U and V below this, relative to the largest, are zero
CORNERS = 32  # of the box at which models are linearized again
POWERS = (1.0, 2.0, -1.0, 0.5, -0.5, -2.0)
BETTER = 0.3  # of the bend of a straight line, below which another power is taken
FARTHEST = 64.0  # times the box: what is stable up to there is called stable


def stacked(model: LinearModel) -> np.ndarray:
    """Return [A B; C D]."""
    return np.block([[model.A, model.B], [model.C, model.D]])


@dataclass(frozen=True)
class ParameterAxis:
    """How δ between -1 and 1 leads to a parameter: p = (middle + half δ)^(1/power)."""

    parameter: UncertainParameter
    power: float = 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """The middle and half of the range of the power."""
        low, high = self.parameter.low**self.power, self.parameter.high**self.power
        return 0.5 * (low + high), 0.5 * (high - low)

    def value(self, delta: float) -> float:
        """Return the parameter; NaN where the power has none."""
        middle, half = self.ends
        base = middle + half * delta
        if self.power == 1.0:
            return base
        return float(base ** (1.0 / self.power)) if base > 0.0 else np.nan

    def delta(self, value: float) -> float:
        """Return δ of a value."""
        middle, half = self.ends
        return (value**self.power - middle) / half


@dataclass(frozen=True, repr=False)
class LFT:
    """A linear model as a linear fractional transformation of δ.

    model : at δ = 0, in the middle of the box;  axes : from δ to parameters
    U (n + ny, r), V (r, n + nu) : of [A B; C D], all blocks side by side;  blocks : {parameter: its rank r_i}
    loop : it is a loop L, closed by u = -y;  scale (n,) : of states, by which matrices are balanced
    error : largest relative difference of `measure` from models that are linearized again at corners of the box
    matrices : the same of [A B; C D], relative to the largest change in the box
    """

    model: LinearModel
    axes: tuple[ParameterAxis, ...]
    U: np.ndarray
    V: np.ndarray
    ranks: tuple[int, ...]
    loop: bool
    scale: np.ndarray
    error: float = 0.0
    matrices: float = 0.0
    measure: str = "poles"

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return [axis.parameter.name for axis in self.axes]

    @property
    def blocks(self) -> dict[str, int]:
        """How often each δ stands in Δ."""
        return dict(zip(self.names, self.ranks))

    def values(self, delta: Sequence[float] | np.ndarray) -> dict[str, float]:
        """Return the parameters at δ."""
        return {axis.parameter.name: axis.value(float(d)) for axis, d in zip(self.axes, delta)}

    def deltas(self, values: Mapping[str, float]) -> np.ndarray:
        """Return δ of values of all parameters."""
        return np.array([axis.delta(values[axis.parameter.name]) for axis in self.axes])

    def at(self, delta: Sequence[float] | np.ndarray) -> LinearModel:
        """Return the model at δ as the transformation has it."""
        n = len(self.model.A)
        M = stacked(self.model) + (self.U * np.repeat(np.asarray(delta, dtype=float), self.ranks)) @ self.V
        return replace(self.model, A=M[:n, :n], B=M[:n, n:], C=M[n:, :n], D=M[n:, n:])

    @cached_property
    def slopes(self) -> list[np.ndarray]:
        """Derivatives of [A B; C D] along each δ."""
        ends = np.cumsum(self.ranks)[:-1]
        return [u @ v for u, v in zip(np.split(self.U, ends, axis=1), np.split(self.V, ends))]

    @cached_property
    def _closed(self) -> tuple[np.ndarray, ...]:
        """A, [B_w B_r], [C_z; C_e] and D of the closed loop, balanced."""
        n, M = len(self.model.A), self.model
        Ux, Uy, Vx, Vu = self.U[:n], self.U[n:], self.V[:, :n], self.V[:, n:]
        if self.loop:
            # u = r - y, e = u: y = C x + D u + Uy w
            E = np.linalg.inv(np.eye(len(M.D)) + M.D)
            ux, uw, ur = -E @ M.C, -E @ Uy, E
            A = M.A + M.B @ ux
            B = np.hstack([Ux + M.B @ uw, M.B @ ur])
            C = np.vstack([Vx + Vu @ ux, ux])
            D = np.block([[Vu @ uw, Vu @ ur], [uw, ur]])
        else:
            A, B, C, D = M.A, Ux, Vx, np.zeros((self.U.shape[1], self.U.shape[1]))
        return A * self.scale / self.scale[:, None], B / self.scale[:, None], C * self.scale, D

    @cached_property
    def kept(self) -> np.ndarray:
        """States that w or r reach and z or e see: a free motion that no loop closes and no parameter moves is none."""
        A, B, C, _ = self._closed
        return connected_states(A, B, C)

    @cached_property
    def channels(self) -> tuple[np.ndarray, ...]:
        """A, [B_w B_r], [C_z; C_e] and D of the closed loop from w and reference r to z and error e, continuous.

        A sampled one is mapped by s = (z - 1)/(z + 1), which leads the unit circle onto the axis.
        """
        A, B, C, D = self._closed
        A, B, C, n = A[np.ix_(self.kept, self.kept)], B[self.kept], C[:, self.kept], len(self.kept)
        if self.model.dt is not None:
            F = np.linalg.inv(A + np.eye(n))
            A, B, C, D = F @ (A - np.eye(n)), np.sqrt(2.0) * F @ B, np.sqrt(2.0) * C @ F, D - C @ F @ B
        return A, B, C, D

    def from_hz(self, f: float) -> float:
        """Return the frequency (rad/s) of `channels` for one in Hz."""
        omega = 2.0 * np.pi * f
        return (
            omega if self.model.dt is None else float(np.tan(min(0.5 * omega * self.model.dt, 0.5 * np.pi)))
        )

    def to_hz(self, omega: float) -> float:
        """Return the frequency in Hz of one of `channels`."""
        if self.model.dt is None:
            return omega / (2.0 * np.pi)
        return float(np.arctan(omega)) / (np.pi * self.model.dt)

    def uncertain_blocks(self) -> list[DeltaBlock]:
        """Return the blocks of Δ."""
        return [DeltaBlock(name, rank) for name, rank in self.blocks.items()]

    def growth(self, delta: np.ndarray) -> float:
        """Return the largest real part of the poles at δ, of a sampled one ln|z| of the largest."""
        return self.growth_of(self.at(delta))

    def growth_of(self, model: LinearModel) -> float:
        """Return the largest real part of the poles of a model with these states, sampled ln|z| of the largest."""
        poles = np.linalg.eigvals(closed_matrix(model, self.loop)[np.ix_(self.kept, self.kept)])
        if self.model.dt is None:
            return float(poles.real.max(initial=-np.inf))
        return float(np.log(max(np.abs(poles).max(initial=0.0), 1e-300)))

    def __str__(self) -> str:
        lines = ["  parameter: power in which it is linear, times it stands in the transformation"]
        for axis, rank in zip(self.axes, self.ranks):
            lines.append(f"    {axis.parameter.name}: {axis.power:g}, {rank}")
        lines.append(
            f"  error of affinity at corners of the box: {self.measure} within {100 * self.error:.2g} %, matrices "
            f"within {100 * self.matrices:.2g} % of their largest change"
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<LFT of '{self.model.name}': {', '.join(f'{n} {r}' for n, r in self.blocks.items())}>"


def closed_matrix(model: LinearModel, loop: bool) -> np.ndarray:
    """Return A of the closed loop, or of a model that is no loop."""
    if not loop:
        return model.A
    E = np.linalg.inv(np.eye(len(model.D)) + model.D)
    return model.A - model.B @ E @ model.C


def make_lft(
    model: LinearModel,
    parameters: Mapping[str, UncertainParameter],
    matrix: Callable[[Mapping[str, float]], np.ndarray],
    loop: bool,
) -> LFT:
    """Return the transformation;  matrix : [A B; C D] at values of all parameters."""
    n = len(model.A)
    nominal = {name: one.nominal for name, one in parameters.items()}
    scale = balance_matrix(closed_matrix(model, loop))[1] if n else np.ones(0)
    rows = np.concatenate([1.0 / scale, np.ones(len(model.C))])
    columns = np.concatenate([scale, np.ones(model.B.shape[1])])

    def balanced(M: np.ndarray) -> np.ndarray:
        return rows[:, None] * M * columns

    def along(name: str) -> Callable[[float], np.ndarray]:
        return lambda value: balanced(matrix({**nominal, name: value}))

    axes = tuple(_axis(one, along(name)) for name, one in parameters.items())
    middle = {axis.parameter.name: axis.value(0.0) for axis in axes}
    center = matrix(middle)
    U, V, ranks = [], [], []
    for axis in axes:
        name = axis.parameter.name
        slope, _ = matrix_derivative(lambda d: matrix({**middle, name: axis.value(d)}), 0.0, 0.5)  # noqa: B023
        u, s, vt = svd(balanced(slope))
        rank = max(1, int((s > RANK * s[0]).sum()))
        root = np.sqrt(s[:rank])
        U.append(_without_noise(u[:, :rank] * root) / rows[:, None])
        V.append(_without_noise(root[:, None] * vt[:rank]) / columns)
        ranks.append(rank)
    middle_model = replace(model, A=center[:n, :n], B=center[:n, n:], C=center[n:, :n], D=center[n:, n:])
    made = LFT(middle_model, axes, np.hstack(U), np.vstack(V), tuple(ranks), loop, scale)
    return _measured(made, matrix, balanced)


def _without_noise(M: np.ndarray) -> np.ndarray:
    """Return a matrix with rounding set to zero, so that patterns tell what acts on what."""
    return np.where(np.abs(M) > NOISE * np.abs(M).max(initial=0.0), M, 0.0)


def _axis(one: UncertainParameter, matrix: Callable[[float], np.ndarray]) -> ParameterAxis:
    """Return the axis of a parameter: the power in which the matrices are nearest to a straight line."""
    if one.low <= 0.0:
        return ParameterAxis(one)
    low, high = matrix(one.low), matrix(one.high)
    middle = 0.5 * (one.low + one.high)
    between = matrix(middle)
    bends = []
    for power in POWERS:
        share = (middle**power - one.low**power) / (one.high**power - one.low**power)
        bends.append(float(np.linalg.norm(between - low - share * (high - low))))
    best = int(np.argmin(bends))
    noise = 1e-9 * float(np.linalg.norm(high - low))
    return ParameterAxis(one, POWERS[best] if bends[best] < BETTER * bends[0] and bends[0] > noise else 1.0)


def corners(count: int, most: int = CORNERS) -> list[np.ndarray]:
    """Return corners of the box of δ: all of them, or some at random where there are too many."""
    if 2**count <= most:
        return [np.array(signs) for signs in itertools.product((-1.0, 1.0), repeat=count)]
    rng = np.random.default_rng(0)
    found = {tuple(row) for row in rng.choice([-1.0, 1.0], (most - 2, count))} | {
        (1.0,) * count,
        (-1.0,) * count,
    }
    return [np.array(row) for row in sorted(found)]


def _measured(made: LFT, matrix: Callable[[Mapping[str, float]], np.ndarray], balanced: Callable) -> LFT:
    """Return the transformation with its error: margins, or poles, at corners of the box against exact ones."""
    n = len(made.model.A)
    center = stacked(made.model)
    differ, change, error = 0.0, 1e-300, 0.0
    for corner in corners(len(made.axes)):
        exact = matrix(made.values(corner))
        ours = made.at(corner)
        differ = max(differ, float(np.linalg.norm(balanced(exact - stacked(ours)))))
        change = max(change, float(np.linalg.norm(balanced(exact - center))))
        true = replace(ours, A=exact[:n, :n], B=exact[:n, n:], C=exact[n:, :n], D=exact[n:, n:])
        error = max(error, _difference(true, ours, made))
    measure = "modulus margins" if made.loop else "poles"
    return replace(made, error=error, matrices=differ / change, measure=measure)


def _difference(true: LinearModel, ours: LinearModel, made: LFT) -> float:
    if not made.loop:
        a, b = (np.linalg.eigvals(one.A) for one in (true, ours))
        apart = np.array([np.abs(b - pole).min() for pole in a])
        return float((apart / np.maximum(np.abs(a), 1e-3 * np.abs(a).max(initial=1e-300))).max(initial=0.0))
    one, other = true.margins(), ours.margins()
    if one.stable != other.stable:
        return 1.0
    return max(abs(a.modulus - b.modulus) / max(a.modulus, 1e-12) for a, b in zip(one.loops, other.loops))


# bounds -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class MuBounds:
    """Lower and upper bounds of the structured singular value at frequencies (Hz); prints as a table."""

    frequency_hz: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        """Upper less lower bound."""
        return self.upper - self.lower

    def __str__(self) -> str:
        lines = [f"{'Hz':>12}  {'lower':>8}  {'upper':>8}  {'gap':>8}"]
        lines += [
            f"{f:12.6g}  {low:8.4f}  {up:8.4f}  {up - low:8.4f}"
            for f, low, up in zip(self.frequency_hz, self.lower, self.upper)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<MuBounds at {len(self.frequency_hz)} frequencies, upper up to {self.upper.max(initial=0.0):.4g}>"


def mu_at(made: LFT, f: np.ndarray) -> MuBounds:
    """Return bounds of μ from w to z at frequencies."""
    channels, blocks = uncertain_channels(made), made.uncertain_blocks()
    lower, upper = np.zeros(len(f)), np.zeros(len(f))
    for k, hz in enumerate(f):
        M = channels.at(made.from_hz(float(hz)))
        upper[k] = upper_bound(M, blocks)[0]
        lower[k] = min(lower_bound(M, blocks)[0], upper[k])
    return MuBounds(f, lower, upper)


def uncertain_channels(made: LFT) -> LoopChannels:
    """Return the channels from w to z; refuse a model that is unstable in the middle of the box."""
    A, B, C, D = made.channels
    r = made.U.shape[1]
    if made.growth(np.zeros(len(made.axes))) >= 0.0:
        raise InputError(
            "uncertain: the model is unstable in the middle of the box, so that no bound by mu exists",
            where=made.model.name,
            got=f"largest {'real part of a pole' if made.model.dt is None else 'ln|z|'} "
            f"{made.growth(np.zeros(len(made.axes))):.4g}",
            hint="a pole at the origin that no parameter moves (a free motion that no loop closes) counts as well",
        )
    return LoopChannels(A, B[:, :r], C[:r], D[:r, :r])


@dataclass(frozen=True, repr=False)
class Robustness:
    """How many times the box of parameters can be as large while the model stays stable.

    guaranteed : stable for every box smaller than this (mu, at all frequencies), of the transformation
    reached : at this multiple a case of the transformation is unstable, inf where none was found
    exact : on the way to that case a model that is linearized again is unstable from here on; inf where it is not, up
        to one and a half times as far;  values : its parameters, those of `reached` where it is infinite
    frequency_hz : of the pole there;  bound_hz : where the bound is tightest
    """

    guaranteed: float
    reached: float
    exact: float
    values: dict[str, float] | None
    frequency_hz: float
    bound_hz: float
    error: float

    @property
    def gap(self) -> float:
        """Relative gap of the two."""
        return (self.reached - self.guaranteed) / self.reached if np.isfinite(self.reached) else np.inf

    def __str__(self) -> str:
        lines = [
            f"stable for every box below {self.guaranteed:.4g} times the given one (mu at all frequencies)"
        ]
        if self.values is None:
            lines.append(f"no unstable case was found up to {FARTHEST:g} times")
        else:
            where = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
            lines.append(f"unstable at {self.reached:.4g} times, {self.frequency_hz:.5g} Hz: {where}")
            again = f"at {self.exact:.4g} times" if np.isfinite(self.exact) else "nowhere"
            lines.append(f"on the way there models that are linearized again are unstable {again}")
            lines.append(f"gap {100 * self.gap:.2g} %; error of affinity {100 * self.error:.2g} %")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Robustness: {self.guaranteed:.4g} to {self.reached:.4g} times the box>"


def robustness_of(made: LFT, again: Callable[[Mapping[str, float]], LinearModel]) -> Robustness:
    """Return how robust the stability of a transformation is, from both sides;  again : linearize at values."""
    reached, delta = destabilizing(made)
    channels, blocks = uncertain_channels(made), made.uncertain_blocks()

    def scaled(level: float) -> LoopChannels:
        return LoopChannels(channels.A, channels.B, channels.C / level, channels.D / level)

    poles = np.linalg.eigvals(channels.A)
    first = max(1.0 / reached if np.isfinite(reached) else 0.0, 1.0 / FARTHEST)
    peak = bound_over_frequency(scaled, blocks, first * 1.01, np.abs(poles.imag).tolist())
    hz, values, exact = np.nan, None, np.inf
    if delta is not None:
        exact = _exact_crossing(made, delta, again)
        hz = _critical_hz(made, delta)
        values = made.values(delta * (exact if np.isfinite(exact) else 1.0))
        exact *= reached
    return Robustness(1.0 / peak.level, reached, exact, values, hz, made.to_hz(peak.omega), made.error)


def _exact_crossing(
    made: LFT, delta: np.ndarray, again: Callable[[Mapping[str, float]], LinearModel]
) -> float:
    """Return the multiple of δ at which a model that is linearized there becomes unstable, inf up to 1.5."""

    def unstable(multiple: float) -> bool:
        values = made.values(multiple * delta)
        return bool(np.isfinite(list(values.values())).all()) and made.growth_of(again(values)) >= 0.0

    low, high = 0.0, np.inf
    for multiple in (0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5):
        if unstable(multiple):
            high = multiple
            break
        low = multiple
    if not np.isfinite(high):
        return np.inf
    for _ in range(14):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if unstable(middle) else (middle, high)
    return high


def _critical_hz(made: LFT, delta: np.ndarray) -> float:
    poles = np.linalg.eigvals(closed_matrix(made.at(delta), made.loop)[np.ix_(made.kept, made.kept)])
    if made.model.dt is None:
        return float(abs(poles[np.argmax(poles.real)].imag)) / (2.0 * np.pi)
    return float(abs(np.angle(poles[np.argmax(np.abs(poles))]))) / (2.0 * np.pi * made.model.dt)


def destabilizing(made: LFT) -> tuple[float, np.ndarray | None]:
    """Return the least multiple of the box at which an unstable δ was found, and δ; inf and None where there is none.

    From the middle each pole is moved to the axis along the signs of its derivative; rays to corners are followed, too.
    """
    p = len(made.axes)
    rays = corners(p, 64)
    for start in (np.zeros(p), *rays[: min(len(rays), 16)]):
        inner = np.ix_(made.kept, made.kept)
        A = closed_matrix(made.at(0.9 * start), made.loop)[inner]
        moves = []
        for k in range(p):
            h = np.zeros(p)
            h[k] = 1e-4
            moves.append(
                (
                    closed_matrix(made.at(0.9 * start + h), made.loop)
                    - closed_matrix(made.at(0.9 * start - h), made.loop)
                )
                / 2e-4
            )
        poles, rates = pole_derivatives(A, moves)
        toward = rates.real if made.model.dt is None else (rates * np.conj(poles)).real
        for j in range(len(poles)):
            if (
                poles[j].imag >= 0.0
                and np.isfinite(toward[:, j]).all()
                and np.abs(toward[:, j]).max(initial=0) > 0.0
            ):
                rays.append(np.where(toward[:, j] >= 0.0, 1.0, -1.0))
    found, best = np.inf, None
    for ray in {tuple(ray): ray for ray in rays}.values():
        multiple = _crossing(made, ray, min(found, FARTHEST))
        if multiple < found:
            found, best = multiple, multiple * ray
    return found, best


def _crossing(made: LFT, ray: np.ndarray, most: float) -> float:
    """Return the first multiple of a ray at which the model is unstable, inf where it is none up to `most`."""
    steps = np.concatenate([np.linspace(0.0, 2.0, 21)[1:], np.geomspace(2.0, FARTHEST, 25)[1:]])
    low = 0.0
    for high in steps:
        if low >= most:
            return np.inf
        if made.growth(high * ray) >= 0.0:
            for _ in range(50):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if made.growth(middle * ray) >= 0.0 else (middle, high)
            return float(high)
        low = float(high)
    return np.inf


def guaranteed_peak(made: LFT, k: int, center: float, first: float) -> float:
    """Return a bound of |S_kk - center| over the box and all frequencies; inf where stability is not proven."""
    A, B, C, D = made.channels
    r = made.U.shape[1]
    rows, columns = [*range(r), r + k], [*range(r), r + k]
    B, C, D = B[:, columns], C[rows], D[np.ix_(rows, columns)].copy()
    D[r, r] -= center
    blocks = [*made.uncertain_blocks(), DeltaBlock("performance", 1, real=False)]

    def scaled(level: float) -> LoopChannels:
        size = np.ones(r + 1)
        size[r] = 1.0 / level
        return LoopChannels(A, B, size[:, None] * C, size[:, None] * D)

    poles = np.linalg.eigvals(A)
    try:
        return bound_over_frequency(
            scaled, blocks, first * 1.005, np.abs(poles.imag).tolist(), most=1e3 * first
        ).level
    except SolverError:
        return np.inf
