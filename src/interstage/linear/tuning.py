"""Tune filters and gains in feedback loops over many linear models at once.

Compensators K(θ) multiply the loops of all models, L = K(θ) G, G from `open_loop` or `linearize`. With s = jω, or
s = k (z - 1)/(z + 1) of sampled loops, k = ω0/tan(ω0 T/2) as the filters of the device library have it, ∂K/∂θ is exact
(complex steps through the few coefficients of each section), and so are the derivatives of log gain and phase of
every channel with the others closed, L_i = 1/S_ii - 1, S = (1 + L)⁻¹, ∂S = -S ∂L S.

Goals become violations r(θ), one at every crossing, peak and edge of every model, each in parts of its own scale. The
largest is made as small as possible by a sequence of linear programs in a trust region (Madsen, J. Inst. Maths
Applics 16, 1975, 321),

    min t,   r_k + ∂r_k d <= t,   |d| <= Δ,

from several starts. Where a closed loop is unstable its poles are brought to the left first, by the derivatives
∂s = -(∂f/∂θ)/(∂f/∂s) of f = det(1 + L(s)) = 0; after that steps that make one unstable are not taken. Frequencies at
which exact margins (`margins`, no crossing missed) differ are added to the grid; the tables before and after are exact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import scipy

from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, known_names, shown
from interstage.linear.joining import series
from interstage.linear.margins import connected_states
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet
from interstage.linear.requirements import (
    DB_SCALE,
    CheckedLoop,
    Crossover,
    DelayMargin,
    DiskMargin,
    Found,
    GainMargin,
    GainStabilized,
    ModulusMargin,
    PhaseMargin,
    PhaseStabilized,
    Requirement,
    RequirementTable,
    checked_goals,
    clusters_at_poles,
    find,
    table_of,
)
from interstage.linear.sections import TransferSection
from interstage.output import write_text
from interstage.simulation.plant.declarations import Value, numbers
from interstage.simulation.plant.device import Device

End: TypeAlias = float | str
Range: TypeAlias = tuple[End, End] | tuple[End, End, End]
TINY = 1e-30  # complex step
WIDE = 2.0  # ratio of the ends of a range from which its logarithm is tuned
AHEAD = 2.0  # violations this much smaller than the largest one are left out of a step
FIRST, LEAST = 0.15, 1e-6  # radius of the trust region, in parts of the ranges
ROUNDS, STEPS = 4, 60  # of refined grids, and steps in each
AGREES = 1e-5  # by how much violations on the grid may be below the exact ones
NEAR = np.array([-1e-2, -1e-3, -1e-5, 0.0, 1e-5, 1e-3, 1e-2])  # of frequencies that are added, relative


@dataclass(frozen=True)
class _Number:
    """A tuned number: name, from low over start to high; log: its logarithm is tuned."""

    name: str
    low: float
    start: float
    high: float

    @property
    def log(self) -> bool:
        return self.low > 0.0 and self.high >= WIDE * self.low

    def at(self, x: float) -> float:
        """Return the number at x in 0 to 1."""
        if self.log:
            return float(self.low * (self.high / self.low) ** x)
        return float(self.low + x * (self.high - self.low))

    def slope(self, x: float) -> float:
        """Return its derivative with respect to x."""
        return self.at(x) * float(np.log(self.high / self.low)) if self.log else self.high - self.low

    @property
    def x(self) -> float:
        """Where it starts."""
        if self.log:
            return float(np.log(self.start / self.low) / np.log(self.high / self.low))
        return (self.start - self.low) / (self.high - self.low)


@named_arguments
@dataclass(frozen=True)
class TunableBlock:
    """A filter, controller or gain with numbers that `tune` may change; made by `tunable`.

    device : class of the device library, None: a gain;  at : output of the models that it multiplies, None: all
    fixed : values that stay;  numbers : those that are tuned
    """

    device: type[Device] | None
    at: str | None
    fixed: dict[str, float]
    numbers: tuple[_Number, ...]

    def values(self, tuned: Sequence[float]) -> dict[str, float]:
        """Return all values of the block."""
        return self.fixed | {number.name: value for number, value in zip(self.numbers, tuned)}


@named_arguments
def tunable(device: type[Device] | str, *, at: str | None = None, **values: Value | Range) -> TunableBlock:
    """Return a block of which `tune` may choose numbers: a filter or controller of the device library, or a gain.

    Parameters
    ----------
    device : `dev.Notch`, `dev.LowPass`, `dev.LeadLag`, `dev.PID`, or "gain"
    at : name of the output of the models that passes through it, as of one of several gyros; None: all
    values : a range (low, high) or (low, start, high) of each number that is tuned, in the units of the device or as
        texts ("2 Hz", "4 Hz"); a single value stays as it is. A range that begins above zero and spans a factor of two
        is searched by its logarithm

    Examples
    --------
    >>> tunable("gain", gain=(0.5, 1.0, 2.0)).numbers[0].start
    1.0
    """
    if device == "gain":
        kind, units, known = None, {"gain": ""}, {"gain": 1.0}
    elif isinstance(device, type) and isinstance(
        section := getattr(device, "section", None), TransferSection
    ):
        kind = device
        names = section.parameters
        fields = [device.fields[name] for name in names]
        units = {field.name: field.unit for field in fields}
        known = {f.name: float(np.ravel(f.value)[0]) for f in fields if f.value is not None}
    else:
        raise InputError(
            "tunable: device must be a filter or controller of the device library with a transfer function",
            expected='dev.Notch, dev.LowPass, dev.LeadLag, dev.PID, or "gain"',
            got=shown(device),
        )
    fixed, found = dict(known), []
    where = "gain" if kind is None else kind.__name__
    for name, value in values.items():
        if name not in units:
            raise InputError(f"{where} has no number '{name}' to tune", hint=did_you_mean(name, units))
        if isinstance(value, tuple):
            found.append(_number_of(name, value, units[name], where))
            fixed.pop(name, None)
        else:
            fixed[name] = float(numbers(value, units[name], f"{where}.{name}"))
    missing = [name for name in units if name not in fixed and name not in [one.name for one in found]]
    if missing:
        raise InputError(f"{where} needs {', '.join(f'{name}=' for name in missing)}", where="tunable")
    return TunableBlock(kind, at, fixed, tuple(found))


def _number_of(name: str, value: tuple[Any, ...], unit: str, where: str) -> _Number:
    """Return a tuned number of its range."""
    ends = [float(numbers(one, unit, f"{where}.{name}")) for one in value]
    low, high = (ends[0], ends[-1]) if len(ends) in (2, 3) else (1.0, 0.0)
    middle = np.sqrt(low * high) if low > 0.0 and high >= WIDE * low else 0.5 * (low + high)
    start = ends[1] if len(ends) == 3 else float(middle)
    if not low < high or not low <= start <= high:
        raise InputError(
            f"tunable: the range of {where}.{name} must be (low, high) or (low, start, high), in rising order",
            got=shown(value),
        )
    return _Number(name, low, start, high)


def _coefficients(block: TunableBlock, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return ω0, at which samples are exact, then b2, b1, b0, a2, a1, a0 of a block with values."""
    if block.device is None:
        return 0.0, 0.0, 0.0, values["gain"], 0.0, 0.0, 1.0
    section = getattr(block.device, "section", None)
    assert isinstance(section, TransferSection)  # as `tunable` has seen
    return section.of(dict(values))


# responses ----------------------------------------------------------------------------------------------


def _section_response(
    block: TunableBlock, values: Mapping[str, Any], s: np.ndarray, dt: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return H, dH by the tuned numbers (n, ...), and dH/ds (sampled: dH/dz) at places s (sampled: z)."""
    w0, *c = _coefficients(block, values)
    k, v, dv = _warped(w0, s, dt)
    N, D = (c[0] * v + c[1]) * v + c[2], (c[3] * v + c[4]) * v + c[5]
    H = N / D
    slope = (2.0 * c[0] * v + c[1] - H * (2.0 * c[3] * v + c[4])) / D
    found = np.zeros((len(block.numbers), *np.shape(s)), complex)
    for j, number in enumerate(block.numbers):
        stepped = dict(values) | {number.name: values[number.name] + 1j * TINY}
        w1, *c1 = _coefficients(block, stepped)
        d = [np.imag(one) / TINY for one in c1]
        found[j] = ((d[0] * v + d[1]) * v + d[2] - H * ((d[3] * v + d[4]) * v + d[5])) / D
        if dt is not None and w0 != 0.0:
            dk = np.imag(w1 / np.tan(0.5 * w1 * dt)) / TINY
            found[j] += slope * v * dk / k
    return H, found, slope * dv


def _warped(w0: float, s: np.ndarray, dt: float | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Return k, the place of the continuous filter, and its derivative with respect to z."""
    if dt is None:
        return 1.0, s, np.ones_like(s)
    k = 2.0 / dt if w0 == 0.0 else float(w0 / np.tan(0.5 * w0 * dt))
    return k, k * (s - 1.0) / (s + 1.0), 2.0 * k / (s + 1.0) ** 2


def _section_model(block: TunableBlock, values: Mapping[str, float], dt: float | None) -> LinearModel:
    """Return a block as a linear model of one channel, in companion form."""
    w0, *c = (float(one) for one in _coefficients(block, values))
    b, a = c[:3], c[3:]
    if b[-1] == a[-1] == 0.0:  # an integrator without gain
        b, a = [0.0, *b[:-1]], [0.0, *a[:-1]]
    order = 2 - int(np.flatnonzero(a)[0])
    if any(b[: 2 - order]):
        raise InputError(
            "tune: a block with a pure derivative cannot be built",
            where="" if block.device is None else block.device.__name__,
            hint="give it a lag above zero",
        )
    num, den = np.array(b[2 - order :]), np.array(a[2 - order :])
    if dt is not None:
        k = 2.0 / dt if w0 == 0.0 else w0 / np.tan(0.5 * w0 * dt)
        num, den = (_mapped(one, k) for one in (num, den))
    num, den = num / den[0], den / den[0]
    A = np.zeros((order, order))
    A[:1] = -den[1:]
    A[1:, :-1] = np.eye(max(order - 1, 0), max(order - 1, 0))
    B = np.eye(order, 1)
    return LinearModel(A, B, (num[1:] - num[0] * den[1:])[None], np.array([[num[0]]]), dt=dt)


def _mapped(c: np.ndarray, k: float) -> np.ndarray:
    """Return the polynomial in z that is c(k (z - 1)/(z + 1)) (z + 1)^n."""
    n = len(c) - 1
    total = np.zeros(n + 1)
    for i, one in enumerate(c):
        term = np.array([one * k ** (n - i)])
        for root in [1.0] * (n - i) + [-1.0] * i:
            term = np.polymul(term, [1.0, -root])
        total += np.concatenate([np.zeros(n + 1 - len(term)), term])
    return total


def _connected(model: LinearModel) -> LinearModel:
    """Return the bare matrices of a model with the states that inputs reach and outputs see."""
    kept = connected_states(model.A, model.B, model.C)
    return LinearModel(
        model.A[np.ix_(kept, kept)],
        model.B[kept],
        model.C[:, kept],
        model.D,
        inputs=list(model.inputs),
        outputs=list(model.outputs),
        dt=model.dt,
    )


class LoopSearch:
    """Plants of all models on grids of frequency, and the blocks in their channels.

    blocks : names and blocks in order;  channels : for each output of the models the numbers of its blocks
    """

    def __init__(
        self, models: LinearModelSet, blocks: Mapping[str, TunableBlock], goals: Sequence[Requirement]
    ):
        self.models, self.goals, self.dt = models, goals, models.dt
        self.plants = [_connected(model) for model in models]
        self.names, self.blocks = list(blocks), list(blocks.values())
        self.numbers = [(j, number) for j, block in enumerate(self.blocks) for number in block.numbers]
        p, q = len(models.outputs), len(models.inputs)
        self.mix = np.eye(q) if p == q else np.ones((1, p))
        self.channels = [
            [j for j, block in enumerate(self.blocks) if block.at in (None, name)] for name in models.outputs
        ]
        self.grids = [np.zeros(0) for _ in models]
        self.G = [np.zeros((0, p, q), complex) for _ in models]
        self.open_poles = [np.linalg.eigvals(plant.A) for plant in self.plants]

        for m, model in enumerate(models):
            self.add(m, _first_grid(model, goals))

    def add(self, k: int, hz: np.ndarray) -> None:
        """Add frequencies to the grid of a model."""
        top = np.inf if self.dt is None else 0.5 / self.dt * (1.0 - 1e-9)
        new = np.setdiff1d(hz[(hz > 0.0) & (hz < top) & np.isfinite(hz)], self.grids[k])
        every = np.concatenate([self.grids[k], new])
        G = np.concatenate([self.G[k], self.plants[k].frequency_response(new)])
        order = np.argsort(every)
        self.grids[k], self.G[k] = every[order], G[order]

    def values(self, x: np.ndarray) -> list[dict[str, float]]:
        """Return the values of all blocks at x (n,) in 0 to 1."""
        own: list[list[float]] = [[] for _ in self.blocks]
        for (j, number), at in zip(self.numbers, x):
            own[j].append(number.at(float(at)))
        return [block.values(tuned) for block, tuned in zip(self.blocks, own)]

    def compensators(self, x: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return k (p, ns), dk by x (n, p, ns) and dk/ds (p, ns)."""
        parts = [
            _section_response(block, values, s, self.dt) for block, values in zip(self.blocks, self.values(x))
        ]
        p = len(self.channels)
        k = np.ones((p, len(s)), complex)
        dk = np.zeros((len(self.numbers), p, len(s)), complex)
        ds = np.zeros((p, len(s)), complex)
        for c, own in enumerate(self.channels):
            for j in own:
                k[c] *= parts[j][0]
            for j in own:
                rest = np.ones(len(s), complex)
                for i in own:
                    if i != j:
                        rest = rest * parts[i][0]
                ds[c] += rest * parts[j][2]
                mine = [n for n, (i, _) in enumerate(self.numbers) if i == j]
                for n, each in zip(mine, parts[j][1]):
                    dk[n, c] = rest * each * self.numbers[n][1].slope(float(x[n]))
        return k, dk, ds

    def curves(self, m: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return L_i (q, nf) of a model, and its derivatives (q, n, nf)."""
        hz, G = self.grids[m], self.G[m]
        s = 2j * np.pi * hz if self.dt is None else np.exp(2j * np.pi * hz * self.dt)
        k, dk, _ = self.compensators(x, s)
        q = G.shape[2]
        if q == 1:
            g = G[:, :, 0].T
            return (k * g).sum(axis=0)[None], np.einsum("ncf,cf->nf", dk, g)[None]
        L = np.einsum("ic,cf,fcj->fij", self.mix, k, G)
        S = np.linalg.inv(np.eye(q) + L)
        SM, GS = S @ self.mix, G @ S
        diagonal = np.einsum("fii->if", S)
        dS = -np.einsum("fic,ncf,fci->inf", SM, dk, GS)
        return 1.0 / diagonal - 1.0, -dS / diagonal[:, None] ** 2

    def compensator(self, x: np.ndarray) -> LinearModel:
        """Return the compensator, from the outputs of the models on."""
        made = []
        for own in self.channels:
            one = LinearModel(
                np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.ones((1, 1)), dt=self.dt
            )
            for j in own:
                one = series(one, _section_model(self.blocks[j], self.values(x)[j], self.dt))
            made.append(one)
        A, B, C, D = (scipy.linalg.block_diag(*(getattr(one, letter) for one in made)) for letter in "ABCD")
        n = sum(len(one.A) for one in made)
        A, B, C = A.reshape(n, n), B.reshape(n, len(made)), C.reshape(len(made), n)
        names = [f"compensator x{k + 1}" for k in range(n)]
        first = self.models[0]
        outputs = first.inputs if len(self.mix) == len(made) else [first.inputs[0]]
        return LinearModel(
            A, B, self.mix @ C, self.mix @ D, names, list(first.outputs) if len(made) > len(outputs) else list(outputs),
            list(outputs), dt=self.dt, name="compensator",
        )  # fmt: skip

    def closed_in(self, m: int, K: LinearModel) -> LinearModel:
        """Return the loop of a model with the compensator in it."""
        G = self.models[m]
        bare = replace(G, output_units=[""] * len(G.outputs), output_index={}, operating_point={})
        loop = series(bare, K)
        units = list(G.input_units)
        point = {k: v for k, v in G.operating_point.items() if k != "y"}
        return replace(
            loop,
            outputs=list(loop.inputs),
            output_units=units,
            output_index={},
            name=G.name,
            extras=G.extras,
            operating_point=point,
        )

    # stability ------------------------------------------------------------------------------------------

    def growing(self, m: int, x: np.ndarray, K: LinearModel) -> tuple[np.ndarray, np.ndarray]:
        """Return closed-loop poles of a model that feedback moves (z of sampled ones), and Re s/|s| of each."""
        G = self.plants[m]
        A = scipy.linalg.block_diag(G.A, K.A)
        A[len(G.A) :, : len(G.A)] = K.B @ G.C
        B, C, D = np.vstack([G.B, K.B @ G.D]), np.hstack([K.D @ G.C, K.C]), K.D @ G.D
        z = np.linalg.eigvals(A - B @ np.linalg.solve(np.eye(len(D)) + D, C))
        still = np.concatenate([self.open_poles[m], np.linalg.eigvals(K.A)])
        if len(still) and len(z):
            near = np.abs(z[:, None] - still[None, :]).min(axis=1)
            z = z[near > 1e-7 * np.maximum(np.abs(z), 1e-3 if self.dt is None else 1.0)]
        if self.dt is None:
            s = z
        else:
            z = z[np.abs(z) > 1e-3]
            s = np.log(z) / self.dt
        return z, s.real / np.maximum(np.abs(s), 1e-12)

    def pole_slopes(self, m: int, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return d(Re s/|s|)/dx (n, number of poles) of closed-loop poles z (s in continuous time)."""
        G = self.plants[m]
        k, dk, dks = self.compensators(x, z)
        found = np.zeros((len(self.numbers), len(z)))
        for j, at in enumerate(z):
            R = np.linalg.solve(at * np.eye(len(G.A)) - G.A, G.B)
            g, dg = G.C @ R + G.D, -G.C @ np.linalg.solve(at * np.eye(len(G.A)) - G.A, R)
            F = np.eye(len(self.mix)) + self.mix @ (k[:, [j]] * g)
            Fs = self.mix @ (dks[:, [j]] * g + k[:, [j]] * dg)
            U, _, Vh = np.linalg.svd(F)
            u, v = U[:, -1].conj(), Vh[-1].conj()
            top = np.array([u @ (self.mix @ (dk[n][:, [j]] * g)) @ v for n in range(len(self.numbers))])
            rate = -top / (u @ Fs @ v)
            s = at if self.dt is None else np.log(at) / self.dt
            rate = rate if self.dt is None else rate / (at * self.dt)
            size = max(abs(s), 1e-12)
            found[:, j] = rate.real / size - s.real * (np.conj(s) * rate).real / size**3
        return found

    def stability(self, x: np.ndarray, slopes: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return Re s/|s| of the worst poles of all models (r,), and derivatives (r, n)."""
        K = self.compensator(x)
        values, rates = [np.zeros(0)], [np.zeros((0, len(self.numbers)))]
        found = [self.growing(m, x, K) for m in range(len(self.models))]
        worst = max((float(r.max(initial=-1.0)) for _, r in found), default=-1.0)
        for m, (z, r) in enumerate(found):
            kept = (r > worst - 0.1) & (z.imag >= 0.0)
            values.append(r[kept])
            if slopes and kept.any():
                rates.append(self.pole_slopes(m, x, z[kept]).T)
        return np.concatenate(values), np.concatenate(rates)

    # violations -----------------------------------------------------------------------------------------

    def violations(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return violations of all goals in all models (r,), and derivatives (r, n)."""
        values, rates = [], []
        for m, hz in enumerate(self.grids):
            L, dL = self.curves(m, x)
            for i, name in enumerate(self.models.inputs):
                curve = _Curve(hz, L[i], dL[i])
                for goal in self.goals:
                    if goal.loop in (None, name):
                        r, dr = curve.violations(goal)
                        values.append(r)
                        rates.append(dr)
        return np.concatenate(values), np.concatenate(rates)

    def exact(self, x: np.ndarray) -> tuple[list[CheckedLoop], list[list[Found]]]:
        """Return the compensated loops, and what each goal finds in each."""
        K = self.compensator(x)
        loops = [CheckedLoop(self.closed_in(m, K)) for m in range(len(self.models))]
        return loops, [[find(goal, loop) for goal in self.goals] for loop in loops]


class _Curve:
    """A loop over frequency with its derivatives: gain (dB), angle from -180 deg (deg)."""

    def __init__(self, hz: np.ndarray, L: np.ndarray, dL: np.ndarray):
        self.hz, self.L, self.dL = hz, L, dL
        size = np.maximum(np.abs(L), 1e-300)
        self.dB, self.angle = 20.0 * np.log10(size), np.rad2deg(np.angle(-L))
        rate = dL / np.where(np.abs(L) > 1e-300, L, 1e-300)
        self.d_dB, self.d_angle = 20.0 / np.log(10.0) * rate.real, np.rad2deg(rate.imag)

    def violations(self, goal: Requirement) -> tuple[np.ndarray, np.ndarray]:
        """Return violations (r,) of a goal and derivatives (r, n)."""
        inside = np.ones(len(self.hz), bool)
        if goal.band is not None:
            inside = (self.hz >= goal.band[0]) & (self.hz <= goal.band[1])
        if isinstance(goal, GainMargin):
            step = np.diff(self.angle)
            found, d_found, _ = self._crossings(
                self.angle, self.d_angle, step, self.dB, self.d_dB, inside & True, np.abs(step) < 180.0
            )
            return 1.0 - np.abs(found) / goal.db, -(np.sign(found) * d_found / goal.db).T
        if isinstance(goal, PhaseMargin | DelayMargin):
            return self._at_crossover(goal, inside)
        if isinstance(goal, GainStabilized):
            return self._peaks((self.dB - goal.below_db) / DB_SCALE, self.d_dB / DB_SCALE, inside)
        if isinstance(goal, PhaseStabilized):
            loud = (self.dB - goal.above_db) / DB_SCALE
            turned = 1.0 - np.abs(self.angle) / goal.deg
            d = np.where(turned < loud, -np.sign(self.angle) * self.d_angle / goal.deg, self.d_dB / DB_SCALE)
            return self._peaks(np.minimum(turned, loud), d, inside)
        if isinstance(goal, ModulusMargin):
            size = np.maximum(np.abs(1.0 + self.L), 1e-300)
            d = ((1.0 + self.L.conj()) * self.dL).real / size
            return self._peaks(1.0 - size / goal.least, -d / goal.least, inside)
        if isinstance(goal, DiskMargin):
            value = 2.0 * np.abs(1.0 + self.L) / np.maximum(np.abs(1.0 - self.L), 1e-300)
            rate = (self.dL * (1.0 / (1.0 + self.L) + 1.0 / (1.0 - self.L))).real
            return self._peaks(1.0 - value / goal.least, -value * rate / goal.least, inside)
        assert isinstance(goal, Crossover)
        low, high = (int(np.abs(self.hz - f).argmin()) for f in (goal.low_hz, goal.high_hz))
        values = np.array([-self.dB[low], self.dB[high]]) / DB_SCALE
        return values, np.array([-self.d_dB[:, low], self.d_dB[:, high]]) / DB_SCALE

    def _at_crossover(
        self, goal: PhaseMargin | DelayMargin, inside: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        turns = np.diff(self.angle)
        whole = self.angle.copy()
        whole[1:] += np.cumsum(-360.0 * np.round(turns / 360.0))
        found, d_found, (at, t, dt) = self._crossings(
            self.dB, self.d_dB, np.diff(self.dB), whole, self.d_angle, inside, np.ones(len(turns), bool)
        )
        if isinstance(goal, PhaseMargin):
            wrapped = (found + 180.0) % 360.0 - 180.0
            return 1.0 - np.abs(wrapped) / goal.deg, -(np.sign(wrapped) * d_found / goal.deg).T
        lag, step = np.deg2rad(found % 360.0), np.diff(self.hz)[at]
        w, dw = 2.0 * np.pi * (self.hz[at] + t * step), 2.0 * np.pi * dt * step
        d = np.deg2rad(d_found) / w - lag / w**2 * dw
        return 1.0 - lag / w / goal.seconds, -(d / goal.seconds).T

    def _crossings(self, f, df, step, y, dy, inside, allowed):
        """Return y where f is zero (r,), derivatives (n, r), and (places, parts of the step, derivatives of these)."""
        at = np.flatnonzero(allowed & inside[:-1] & inside[1:] & ((f[:-1] < 0.0) != (f[1:] < 0.0)))
        a, b = f[at], f[at] + step[at]
        t = a / (a - b)
        dt = (a * df[:, at + 1] - b * df[:, at]) / (a - b) ** 2
        rise = y[at + 1] - y[at]
        d = (1.0 - t) * dy[:, at] + t * dy[:, at + 1] + dt * rise
        return y[at] + t * rise, d, (at, t, dt)

    def _peaks(self, r: np.ndarray, dr: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the local peaks of a violation in a band, and their derivatives."""
        own = np.flatnonzero(inside)
        v = r[own]
        if not len(v):
            return np.zeros(0), np.zeros((0, len(dr)))
        before, after = np.concatenate([[-np.inf], v[:-1]]), np.concatenate([v[1:], [-np.inf]])
        kept = own[(v >= before) & (v >= after) & (v >= v.max() - AHEAD)]
        return r[kept], dr[:, kept].T


# the search ---------------------------------------------------------------------------------------------


def _descend(loops: LoopSearch, x: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Return x with the least largest violation near a start, that violation, and the number of steps.

    Of what is not stable the violation is 10 and more.
    """
    radius, steps = FIRST, 0
    state = _judge(loops, x)
    while steps < STEPS and radius > LEAST:
        steps += 1
        stable, r, dr = state
        if not len(r):
            return x, -np.inf, steps  # nothing crosses, and nothing is near
        level = float(r.max())
        kept = r > level - AHEAD
        d, predicted = _step(r[kept], dr[kept], x, radius)
        if level - predicted < 1e-7:
            break
        trial = np.clip(x + d, 0.0, 1.0)
        new = _judge(loops, trial)
        gain = (
            (level - float(new[1].max(initial=-np.inf))) / (level - predicted) if new[0] >= stable else -1.0
        )
        if new[0] > stable or gain > 0.05:
            x, state = trial, new
        if new[0] > stable:
            radius = FIRST
        elif gain > 0.75:
            radius = min(2.0 * radius, 0.5)
        elif gain < 0.25:
            radius *= 0.35
    stable, r, _ = state
    worst = float(r.max(initial=-np.inf))
    return x, worst if stable else 10.0 + worst, steps


def _judge(loops: LoopSearch, x: np.ndarray) -> tuple[bool, np.ndarray, np.ndarray]:
    """Return whether all loops are stable, violations of goals (or of stability), and derivatives."""
    worst, _ = loops.stability(x, slopes=False)
    if len(worst) and worst.max() >= 0.0:
        return False, *loops.stability(x, slopes=True)
    return True, *loops.violations(x)


def _step(r: np.ndarray, dr: np.ndarray, x: np.ndarray, radius: float) -> tuple[np.ndarray, float]:
    """Return the step with the least largest violation in a linear model, and that violation."""
    n = len(x)
    cost = np.zeros(n + 1)
    cost[n] = 1.0
    low, high = np.maximum(-radius, -x), np.minimum(radius, 1.0 - x)
    bounds = [*zip(low, high), (None, None)]
    A = np.hstack([dr, -np.ones((len(r), 1))])
    found = scipy.optimize.linprog(cost, A, -r, bounds=bounds, method="highs")
    if found.x is None:
        return np.zeros(n), float(r.max())
    return found.x[:n], float(found.x[n])


# what is found ------------------------------------------------------------------------------------------


@named_arguments
@dataclass(frozen=True, repr=False)
class Tuned:
    """What `tune` has found; prints values, tables and what binds.

    values : {"block.number": value};  blocks : {name of a block: all its values}
    before, after : tables of requirements, exact, with the numbers at their start and as tuned
    compensator : linear model from the outputs of the models to their inputs;  loops : the models with it
    at_ends : numbers that are at an end of their range;  steps, starts : what the search took
    classes, channels : of each block the device class, None: a gain, and how many signals pass through it
    """

    values: dict[str, float]
    blocks: dict[str, dict[str, float]]
    before: RequirementTable
    after: RequirementTable
    compensator: LinearModel
    loops: LinearModelSet
    at_ends: tuple[str, ...]
    steps: int
    starts: int
    classes: dict[str, type[Device] | None]
    channels: dict[str, int]

    @property
    def passed(self) -> bool:
        """Whether all requirements hold in all models."""
        return self.after.passed

    def devices(self, **values: Value) -> dict[str, Device]:
        """Return a device of the library for each block, sampled as the loops are; gains are factors of connections.

        values : more of every device
        """
        if self.compensator.dt is None:
            raise InputError(
                "filters of the device library are sampled, and the loops are in continuous time",
                where="devices",
                hint="tune sampled loops (open_loop(..., sampled=True)), or take tuned.compensator",
            )
        every = self.compensator.dt
        return {
            name: kind(
                every=every,
                **cast(
                    "dict[str, Any]", {"n": self.channels[name]} | _whole(self.blocks[name]) | dict(values)
                ),
            )
            for name, kind in self.classes.items()
            if kind is not None
        }

    def __str__(self) -> str:
        wide = max(map(len, self.values), default=1)
        lines = [
            "all requirements hold" if self.passed else "NOT ALL REQUIREMENTS HOLD: the best that was found"
        ]
        for name, value in self.values.items():
            end = "  (at an end of its range)" if name in self.at_ends else ""
            lines.append(f"  {name:<{wide}}  {value:.6g}{end}")
        lines += ["before", self.before.table(), "after", self.after.table()]
        one = self.after.binding
        what = "stability" if np.isnan(one.value) else one.requirement.words
        lines.append(f"binding: {what} at {self.after.over} {self.after.values[one.model]:.6g}, {one.loop}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Tuned: {len(self.values)} numbers, {'pass' if self.passed else 'FAIL'}>"

    def to_dict(self) -> dict[str, object]:
        """Return everything but the models as plain numbers and texts."""
        return {
            "passed": self.passed,
            "values": dict(self.values),
            "blocks": {name: dict(values) for name, values in self.blocks.items()},
            "devices": {name: None if kind is None else kind.__name__ for name, kind in self.classes.items()},
            "at_ends": list(self.at_ends),
            "binding": {
                "requirement": self.after.binding.requirement.words,
                "model": self.after.binding.model,
            },
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")


def _whole(values: Mapping[str, float]) -> dict[str, float | int]:
    """Return values with the order of a filter as a whole number."""
    return {name: int(value) if name == "order" else value for name, value in values.items()}


@named_arguments
def tune(
    models: LinearModel | LinearModelSet | Sequence[LinearModel],
    knobs: Mapping[str, TunableBlock | Range],
    goals: Requirement | Sequence[Requirement],
    *,
    starts: int = 4,
    seed: int = 0,
) -> Tuned:
    """Choose numbers of filters, controllers and gains so that requirements hold in all models, with most to spare.

    The largest violation over goals, models and frequencies, each in parts of its scale (of the required margin; 6 dB
    of a gain), is made as small as possible; see the module. What is returned says which requirement binds, and whether
    all hold. Where they do not, it is not proven that no other numbers would do.

    Parameters
    ----------
    models : loops from `open_loop` (each channel is multiplied by its blocks), or models with one input and several
        outputs, as sensors, whose blocks lead to that input: their products are added, L = Σ K_c G_c
    knobs : {name: block} of `tunable`, in series where there are several; a range alone is a gain
    goals : `GainMargin`, `PhaseMargin`, ..., as in `check_requirements`
    starts : searches, from the start of the ranges and from the best of random places;  seed : of those

    Examples
    --------
    >>> lag = LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[1, 0, 0]], [[0]])
    >>> from interstage.linear.requirements import GainMargin
    >>> tuned = tune(lag, {"gain": (0.1, 10.0)}, [GainMargin(6.0), Crossover(0.1, 1.0)], starts=1)
    >>> tuned.passed
    True
    """
    made = models if isinstance(models, LinearModelSet) else None
    if made is None:
        made = LinearModelSet([models] if isinstance(models, LinearModel) else models)
    wanted = checked_goals(goals, "tune")
    blocks = _checked_knobs(knobs, made)
    if not isinstance(starts, int | np.integer) or isinstance(starts, bool) or starts < 1:
        raise InputError("tune: starts must be a whole number of at least 1", got=shown(starts))
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InputError("tune: seed must be a non-negative integer", got=shown(seed))
    loops = LoopSearch(made, blocks, wanted)
    first = np.array([number.x for _, number in loops.numbers])
    before = loops.exact(first)[0]
    best, level, steps = first, np.inf, 0
    for x in _starts(loops, first, int(starts), int(seed)):
        found, value, count = _descend(loops, x)
        steps += count
        if value < level:
            best, level = found, value
    least, kept = np.inf, best
    for k in range(ROUNDS + 1):
        rows = loops.exact(best)[1]
        exact = max(one.missed for row in rows for one in row)
        if exact < least or k == 0:
            least, kept = exact, best
        if k == ROUNDS or not np.isfinite(exact) or (k and exact <= level + AGREES):
            break
        for m, row in enumerate(rows):
            hz = np.array([one.frequency_hz for one in row])
            loops.add(m, np.ravel(hz[:, None] * (1.0 + NEAR)))
        best, level, count = _descend(loops, best)
        steps += count
    best, checked = kept, loops.exact(kept)[0]
    return _tuned(loops, best, before, checked, steps, int(starts))


def _tuned(
    loops: LoopSearch,
    x: np.ndarray,
    before: list[CheckedLoop],
    after: list[CheckedLoop],
    steps: int,
    starts: int,
) -> Tuned:
    models = loops.models
    first, last = (table_of(loops.goals, own, models.values, models.over) for own in (before, after))
    values, ends = {}, []
    for (j, number), at in zip(loops.numbers, x):
        name = f"{loops.names[j]}.{number.name}"
        values[name] = number.at(float(at))
        ends += [name] if min(at, 1.0 - at) < 1e-6 else []
    return Tuned(
        values=values,
        blocks=dict(zip(loops.names, loops.values(x))),
        before=first,
        after=last,
        compensator=loops.compensator(x),
        loops=models.with_models([cast(LinearModel, one.model) for one in after]),
        at_ends=tuple(ends),
        steps=steps,
        starts=starts,
        classes={name: block.device for name, block in zip(loops.names, loops.blocks)},
        channels={
            name: len(models.inputs) if block.at is None else 1
            for name, block in zip(loops.names, loops.blocks)
        },
    )


def _checked_knobs(knobs: object, models: LinearModelSet) -> dict[str, TunableBlock]:
    """Return blocks by name; refuse knobs and models that do not go together."""
    if not len(models):
        raise InputError("tune: a set must have a model", where="models")
    p, q = len(models.outputs), len(models.inputs)
    if q == 0 or (p != q and not (q == 1 and p > 1)):
        raise InputError(
            "tune: models must be loops, with as many outputs as inputs, or have one input and several outputs",
            got=f"{q} inputs and {p} outputs",
            hint="choose them by models.select(inputs, outputs)",
        )
    if not isinstance(knobs, Mapping) or not knobs:
        raise InputError(
            "tune: knobs must map names to blocks",
            where="knobs",
            expected='e.g. {"notch": ist.tunable(dev.Notch, frequency=("2 Hz", "4 Hz"))}',
            got=shown(knobs),
        )
    found = {}
    for name, knob in knobs.items():
        block = tunable("gain", gain=knob) if isinstance(knob, tuple) else knob
        if not isinstance(block, TunableBlock):
            raise InputError(
                f"tune: knob '{name}' must be a block or a range of a gain",
                where="knobs",
                expected="ist.tunable(...) or (low, high)",
                got=shown(knob),
            )
        if block.at is not None and block.at not in models.outputs:
            raise InputError(
                f"tune: there is no output '{block.at}' for knob '{name}'",
                where="knobs",
                hint=known_names(models.outputs),
            )
        found[str(name)] = block
    if not any(block.numbers for block in found.values()):
        raise InputError("tune: no number of any knob has a range", where="knobs", expected="e.g. (0.5, 2.0)")
    return found


def _first_grid(model: LinearModel, goals: Sequence[Requirement]) -> np.ndarray:
    """Return frequencies that see every mode of a model, and the ends of bands."""
    s = model.poles().continuous
    size = np.abs(s[np.isfinite(s)])
    size = size[size > 1e-8 * max(float(size.max(initial=0.0)), 1e-300)]
    ends = [f for goal in goals for f in (goal.band or ())]
    ends += [f for goal in goals if isinstance(goal, Crossover) for f in (goal.low_hz, goal.high_hz)]
    hz = [f for f in (*(size / (2.0 * np.pi)), *ends) if f > 0.0] or [1.0]
    low, high = 0.02 * min(hz), 20.0 * max(hz)
    if model.dt is not None:
        high = 0.5 / model.dt
    decades = max(1.0, np.log10(high / low))
    return np.concatenate([np.geomspace(low, high, int(80 * decades)), clusters_at_poles(model), ends])


def _starts(loops: LoopSearch, first: np.ndarray, count: int, seed: int) -> list[np.ndarray]:
    """Return where searches begin: the start of the ranges, and the best of random places."""
    if count == 1:
        return [first]
    drawn = scipy.stats.qmc.LatinHypercube(len(first), seed=np.random.default_rng(seed)).random(4 * count)

    def rank(x: np.ndarray) -> float:
        stable, r, _ = _judge(loops, x)
        return float(r.max(initial=-np.inf)) + (0.0 if stable else 10.0)

    return [first, *sorted(drawn, key=rank)[: count - 1]]
