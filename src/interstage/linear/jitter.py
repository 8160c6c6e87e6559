"""Jitter: root mean squares and spectra of outputs of a linear model under random and wheel disturbances.

Independent sources i with one-sided spectral densities S_i(f), in units of the input squared per hertz, give

    S_y(f) = Σ_i |H_yi(f)|² S_i(f),      σ_y² = ∫ S_y df

White sources over all frequencies are exact by Lyapunov's equation, with c a row of C and b a column of B:

    continuous   Aᵀ Q + Q A + cᵀc = 0,   σ² = ½ S bᵀ Q b
    sampled      Q = Aᵀ Q A + cᵀc,       σ² = (bᵀ Q b + d²) S/(2 dt)

All others are integrated over their band by Gauss-Legendre quadrature on intervals that close in on every pole, each
halved until its halves agree with it. A wheel at speed Ω disturbs at harmonics h Ω of its speed with amplitudes C Ω²
(Masterson, Miller and Grogan 2002): a rotating radial force, a rotating (rocking) moment and an axial force. These
three have no known phase to each other, so that their mean squares add.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import schur
from scipy.linalg.lapack import dtrsyl

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.linear.margins import connected_states
from interstage.linear.model import Chosen, LinearModel
from interstage.linear.poles import balance_matrix
from interstage.output import write_text
from interstage.units import quantity

Density = float | ArrayLike | Callable[[np.ndarray], ArrayLike]

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
AGREE = 1e-9  # of an integral: what the halves of an interval may differ from it
MOST_HALVINGS = 40
MOST_POINTS = 4_000_000
CHUNK = 4096  # frequencies whose response is held at a time
AT_REST = 1e-3  # of the lower end of a band: growth of rigid motion, rad/s, that is rounding


@named_arguments
@dataclass(frozen=True)
class WheelDisturbance:
    """Harmonic disturbance of a reaction wheel or another rotor, from its imbalance and its bearings.

    Parameters
    ----------
    harmonics : rows (k, 4) of harmonic number, axial and radial coefficient (kg m), and rocking coefficient (kg m²):
        amplitudes in N and N m are the coefficients times the speed squared in rad/s. The row of harmonic 1 has the
        static imbalance as its radial and the dynamic imbalance as its rocking coefficient
    speed : of the rotor, rad/s, or as in "2000 rpm"
    radial, rocking : two inputs each, forces (N) and torques (N m) along two axes across the spin axis
    axial : input, force (N) along the spin axis
    """

    harmonics: ArrayLike
    speed: float | str = 0.0
    radial: Sequence[str] | None = None
    rocking: Sequence[str] | None = None
    axial: str | None = None

    def __post_init__(self) -> None:
        where = "WheelDisturbance"
        try:
            rows = np.atleast_2d(np.asarray(self.harmonics, dtype=float))
        except (TypeError, ValueError, RuntimeWarning):
            rows = np.full((1, 1), np.nan)
        if rows.ndim != 2 or rows.shape[1] != 4 or not np.isfinite(rows).all() or (rows[:, 0] <= 0.0).any():
            raise InputError(
                "harmonics must be rows of four numbers: harmonic (positive), axial, radial, rocking coefficient",
                where=where,
                got=shown(self.harmonics),
            )
        if (rows[:, 1:] < 0.0).any():
            raise InputError("coefficients of harmonics must not be negative", where=where)
        object.__setattr__(self, "harmonics", rows)
        object.__setattr__(self, "speed", abs(quantity(self.speed, "rad/s", f"{where}.speed")))
        for name, column in (("axial", 1), ("radial", 2), ("rocking", 3)):
            given = getattr(self, name)
            if name != "axial" and given is not None and (isinstance(given, str) or len(given) != 2):
                raise InputError(f"{name} must be two inputs of the model", where=where, got=shown(given))
            if given is None and rows[:, column].any():
                raise InputError(
                    f"the harmonics have {name} coefficients, and {name} names no input", where=where
                )

    def amplitudes(
        self, model: LinearModel, speed: float, outputs: Chosen = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return frequencies (k,) in Hz and mean squares (k, ny) of outputs at the harmonics of a speed (rad/s)."""
        rows = np.asarray(self.harmonics)
        hz = rows[:, 0] * speed / (2.0 * np.pi)
        if model.dt is not None and (hz > 0.5 / model.dt).any():
            raise InputError(
                "harmonics above half the sample frequency cannot be seen by a sampled model",
                got=f"{hz.max():.6g} Hz for {0.5 / model.dt:.6g} Hz",
                hint="use a continuous model",
            )
        square = np.zeros((len(hz), len(model.output_places(outputs))))
        for column, given in ((1, self.axial), (2, self.radial), (3, self.rocking)):
            if given is None or not rows[:, column].any():
                continue
            names = [given] if isinstance(given, str) else list(given)
            if speed > 0.0:
                _check_stable(model, model.input_places(names), model.output_places(outputs), float(hz.min()))
            H = model.frequency_response(hz, names, outputs)
            if H.shape[2] != len(names):
                raise InputError("each name must be one input", where="WheelDisturbance", got=shown(names))
            # a rotating vector: its second component follows the first by a quarter of a turn
            y = H[:, :, 0] if len(names) == 1 else H[:, :, 0] - 1j * H[:, :, 1]
            square += 0.5 * (np.abs(y) * (rows[:, [column]] * speed**2)) ** 2
        return hz, square


@named_arguments
@dataclass(frozen=True, repr=False)
class JitterBudget:
    """Mean squares of outputs by source; prints as a table.

    outputs, units (ny,) : names and units;  sources (ns,) : names
    mean_squares (ns, ny) : contribution of each source to each output, unit squared
    band : (from, to) in Hz, None: all frequencies
    """

    model: LinearModel = field(repr=False)
    outputs: list[str]
    units: list[str]
    sources: list[str]
    mean_squares: np.ndarray
    band: tuple[float, float] | None
    densities: Mapping[str, tuple[int, object]] = field(repr=False)
    tones: Mapping[str, tuple[np.ndarray, np.ndarray]] = field(repr=False)

    @property
    def rms(self) -> np.ndarray:
        """Root mean square (ny,) of each output, of all sources together."""
        return np.sqrt(self.mean_squares.sum(axis=0))

    @property
    def rms_by_source(self) -> np.ndarray:
        """Root mean square (ns, ny) of each output by each source alone."""
        return np.sqrt(self.mean_squares)

    def psd(self, f_hz: ArrayLike) -> np.ndarray:
        """Return one-sided spectral densities (nf, ny) of the outputs, unit²/Hz, of the random sources."""
        f = np.atleast_1d(np.asarray(f_hz, dtype=float))
        found = np.zeros((len(f), len(self.outputs)))
        if self.densities:
            places = [place for place, _ in self.densities.values()]
            H = np.abs(self.model.frequency_response(f, places, self.outputs)) ** 2
            for k, (_, density) in enumerate(self.densities.values()):
                found += H[:, :, k] * _density_at(density, f, self.band)[:, None]
        return found

    def cumulative(self, f_hz: ArrayLike) -> np.ndarray:
        """Return the root mean square (nf, ny) of each output up to frequencies that increase; harmonics are steps."""
        f = np.atleast_1d(np.asarray(f_hz, dtype=float))
        if f.ndim != 1 or not (np.diff(f) > 0.0).all() or not (f >= 0.0).all():  # NaN too
            raise InputError(
                "frequencies must increase from zero or more", where="cumulative", got=shown(f_hz)
            )
        total = np.zeros((len(f), len(self.outputs)))
        low, high = (0.0, np.inf) if self.band is None else self.band
        edges = np.clip(np.concatenate([[0.0], f]), low, high)
        for place, density in self.densities.values():
            parts = [_integral(self.model, place, self.outputs, density, (a, b)) for a, b in pairwise(edges)]
            total += np.cumsum(parts, axis=0)
        for hz, square in self.tones.values():
            total += np.where(hz[None, :, None] <= f[:, None, None], square[None], 0.0).sum(axis=1)
        return np.sqrt(total)

    def table(self) -> str:
        """Return the budget as text: root mean squares, a row for each source."""
        width = max(len(name) for name in (*self.sources, "all sources", "source"))
        heads = [
            f"{name}, {unit}" if unit not in ("", "1") else name
            for name, unit in zip(self.outputs, self.units)
        ]
        columns = [max(len(head), 11) for head in heads]
        where = "all frequencies" if self.band is None else f"{self.band[0]:g} Hz to {self.band[1]:g} Hz"
        lines = [f"rms of {self.model.name}, {where}"]
        lines.append(f"  {'source':<{width}}  " + "  ".join(f"{h:>{n}}" for h, n in zip(heads, columns)))
        for name, row in [*zip(self.sources, self.rms_by_source), ("all sources", self.rms)]:
            lines.append(f"  {name:<{width}}  " + "  ".join(f"{v:>{n}.5g}" for v, n in zip(row, columns)))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<JitterBudget of '{self.model.name}': {len(self.sources)} sources, {len(self.outputs)} outputs>"
        )

    def figure(self, f_hz: ArrayLike) -> Figure:
        """Return a figure of spectral densities and cumulative root mean squares over frequencies (nf,) in Hz."""
        figure: Figure = import_module("interstage.report.plots").jitter_figure(self, f_hz)
        return figure

    def to_dict(self) -> dict[str, object]:
        """Return the budget as plain numbers and texts."""
        return {
            "name": self.model.name,
            "band_hz": None if self.band is None else list(self.band),
            "outputs": self.outputs,
            "units": self.units,
            "sources": self.sources,
            "rms": self.rms.tolist(),
            "rms_by_source": self.rms_by_source.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")


@named_arguments
def jitter(
    model: LinearModel,
    sources: Mapping[str, Density | WheelDisturbance],
    outputs: Chosen = None,
    band: tuple[float, float] | None = None,
) -> JitterBudget:
    """Return the root mean square of each output, by source.

    Parameters
    ----------
    model : continuous or sampled, usually a closed loop (`LinearModel.feedback`, or `linearize` of an assembly)
    sources : {input, group or pattern of inputs: one-sided spectral density, input unit squared per Hz}: a number
        (white noise), a table (f_hz (k,), density (k,)), straight between points in double logarithmic scales and zero
        outside, or a function of f_hz (nf,); of several inputs each is a source of its own, independent of the others.
        Or {name: WheelDisturbance}
    outputs : names, groups or patterns; default: all
    band : (from, to) in Hz; default: all frequencies, of a sampled model up to half the sample frequency

    Raises
    ------
    InputError : where a root mean square does not exist: poles that grow or stay, white noise that an output sees
        directly in continuous time

    Examples
    --------
    White force noise of density W on a mass m with spring k and damper c moves it by σ² = W/(4 k c):

    >>> from interstage.linear import LinearModel
    >>> m, c, k, W = 2.0, 0.4, 50.0, 1e-4
    >>> lin = LinearModel([[0, 1], [-k / m, -c / m]], [[0], [1 / m]], [[1, 0]], [[0]], inputs=["force"])
    >>> budget = jitter(lin, {"force": W})
    >>> bool(abs(budget.rms[0] - np.sqrt(W / (4 * k * c))) < 1e-12 * budget.rms[0])
    True
    """
    if not isinstance(model, LinearModel):
        raise InputError(
            "jitter needs a linear model", got=shown(model), hint="linearize(flight, point, ...)"
        )
    if not isinstance(sources, Mapping) or not sources:
        raise InputError("sources must map inputs to spectral densities", where="jitter", got=shown(sources))
    rows = model.output_places(outputs)
    span = _checked_band(model, band)
    densities: dict[str, tuple[int, object]] = {}
    tones: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    names: list[str] = []
    squares: list[np.ndarray] = []
    for key, given in sources.items():
        if isinstance(given, WheelDisturbance):
            hz, square = given.amplitudes(model, float(given.speed), rows.tolist())
            if span is not None:
                square = np.where(((hz >= span[0]) & (hz <= span[1]))[:, None], square, 0.0)
            tones[key] = hz, square
            names.append(key)
            squares.append(square.sum(axis=0))
            continue
        density = _checked_density(given, key)
        for place in model.input_places(key):
            name = model.inputs[place]
            if name in densities:
                raise InputError(
                    f"input '{name}' is given two spectral densities", where="jitter(sources=...)"
                )
            densities[name] = int(place), density
            names.append(name)
            squares.append(_mean_squares(model, int(place), rows, density, span))
    return JitterBudget(
        model,
        [model.outputs[k] for k in rows],
        [model.output_units[k] for k in rows],
        names,
        np.array(squares),
        span,
        densities,
        tones,
    )


@named_arguments
def wheel_sweep(
    model: LinearModel | Sequence[LinearModel],
    wheel: WheelDisturbance,
    speeds: ArrayLike,
    outputs: Chosen = None,
) -> np.ndarray:
    """Return the root mean square (k, ny) of outputs at speeds (k,) of a wheel, rad/s.

    model : one for all speeds, or one for each (gyroscopic torques change modes with the speed)
    """
    try:
        rates = np.atleast_1d(np.asarray(speeds, dtype=float))
    except (TypeError, ValueError, RuntimeWarning):
        rates = np.array([np.nan])
    if rates.ndim != 1 or not np.isfinite(rates).all():
        raise InputError("speeds must be finite numbers in rad/s", where="wheel_sweep", got=shown(speeds))
    models = [model] * len(rates) if isinstance(model, LinearModel) else list(model)
    if len(models) != len(rates) or not all(isinstance(one, LinearModel) for one in models):
        raise InputError(
            "wheel_sweep needs one linear model, or one for each speed",
            got=f"{len(models)} for {len(rates)} speeds",
        )
    found = []
    for one, rate in zip(models, rates):
        found.append(np.sqrt(wheel.amplitudes(one, abs(float(rate)), outputs)[1].sum(axis=0)))
    return np.array(found)


# ---------------------------------------------------------------------------------------------------------------------


def _checked_band(model: LinearModel, band: tuple[float, float] | None) -> tuple[float, float] | None:
    if band is None:
        return None
    try:
        low, high = (float(one) for one in band)
    except (TypeError, ValueError, RuntimeWarning):
        low = high = np.nan
    if not 0.0 <= low < high < np.inf:
        raise InputError(
            "band must be two frequencies in Hz, the lower first", where="jitter", got=shown(band)
        )
    most = np.inf if model.dt is None else 0.5 / model.dt
    if high > most * (1.0 + 1e-12):
        raise InputError("band goes beyond half the sample frequency", got=f"{high:g} Hz for {most:g} Hz")
    return low, high


def _checked_density(given: object, key: str) -> object:
    """Return a density: a number, a table (2, k), or a function."""
    where = f"jitter(sources={{'{key}': ...}})"
    if callable(given):
        return given
    try:
        numbers = np.asarray(given, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        numbers = np.full(3, np.nan)
    if numbers.ndim == 0 and np.isfinite(numbers) and numbers >= 0.0:
        return float(numbers)
    if numbers.ndim == 2 and len(numbers) == 2 and numbers.shape[1] > 1 and np.isfinite(numbers).all():
        f, S = numbers
        if f[0] > 0.0 and (np.diff(f) > 0.0).all() and (S > 0.0).all():
            return numbers
    raise InputError(
        "a spectral density must be a number that is not negative, a table (f_hz, density) of positive numbers with "
        "frequencies that increase, or a function of frequency",
        where=where,
        got=shown(given),
    )


def _density_at(density: object, f: np.ndarray, band: tuple[float, float] | None) -> np.ndarray:
    """Return a density (nf,) at frequencies, zero outside of the band."""
    if callable(density):
        found = np.broadcast_to(np.asarray(density(f), dtype=float), f.shape).copy()
        if not np.isfinite(found).all() or (found < 0.0).any():
            raise InputError(
                "a function of spectral density must return finite numbers that are not negative"
            )
    elif isinstance(density, np.ndarray):
        x, y = np.log(density)
        inside = (f >= density[0, 0] * (1.0 - 1e-12)) & (f <= density[0, -1] * (1.0 + 1e-12))
        found = np.where(inside, np.exp(np.interp(np.log(np.where(f > 0.0, f, 1.0)), x, y)), 0.0)
    else:
        found = np.full(f.shape, float(density))  # type: ignore[arg-type]
    if band is not None:
        found[(f < band[0]) | (f > band[1])] = 0.0
    return found


def _mean_squares(
    model: LinearModel, place: int, rows: np.ndarray, density: object, band: tuple[float, float] | None
) -> np.ndarray:
    """Return the mean squares (ny,) of outputs by one input."""
    if isinstance(density, float) and band is None:
        return _by_lyapunov(model, place, rows, density)
    low, high = (0.0, np.inf if model.dt is None else 0.5 / model.dt) if band is None else band
    if isinstance(density, np.ndarray):
        low, high = max(low, float(density[0, 0])), min(high, float(density[0, -1]))
    if np.isinf(high):
        raise InputError(
            "a density that is a function of frequency needs band=(from, to)",
            where=f"source '{model.inputs[place]}'",
        )
    if not low < high:
        return np.zeros(len(rows))
    _check_stable(model, np.array([place]), rows, low)
    return _integral(model, place, rows.tolist(), density, (low, high))


def _rates(model: LinearModel, places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the poles that inputs reach and outputs see as s, rad/s; ln(z)/dt of a sampled model."""
    kept = connected_states(model.A, model.B[:, places], model.C[rows])
    z = np.linalg.eigvals(balance_matrix(model.A[np.ix_(kept, kept)])[0]) if len(kept) else np.zeros(0)
    if model.dt is None:
        return z.astype(complex)
    with np.errstate(divide="ignore"):
        return np.log(z.astype(complex)) / model.dt


def _check_stable(model: LinearModel, places: np.ndarray, rows: np.ndarray, lowest: float) -> None:
    """Refuse poles that grow; above a lowest frequency (Hz) rigid motion may stay."""
    s = _rates(model, places, rows)
    room = (
        AT_REST * 2.0 * np.pi * lowest
        if lowest > 0.0
        else -1e-13 * np.abs(s[np.isfinite(s)]).max(initial=0.0)
    )
    bad = s[s.real > room] if lowest > 0.0 else s[s.real >= room]
    if len(bad):
        worst = complex(bad[np.argmax(bad.real)])
        raise InputError(
            "the outputs have no steady root mean square: the model has a pole that does not decay",
            where=model.name,
            got=f"{worst.real:.4g} 1/s at {abs(worst.imag) / (2.0 * np.pi):.4g} Hz",
            hint="close the loop first"
            + ("" if lowest > 0.0 else ", or give band=(from, to) from above zero"),
        )


def _by_lyapunov(model: LinearModel, place: int, rows: np.ndarray, density: float) -> np.ndarray:
    """Return mean squares (ny,) under white noise over all frequencies."""
    b, d = model.B[:, place], model.D[rows, place]
    if model.dt is None and d.any() and density > 0.0:
        seen = model.outputs[rows[np.flatnonzero(d)[0]]]
        raise InputError(
            "white noise that an output sees directly has no root mean square in continuous time",
            where=f"from '{model.inputs[place]}' to '{seen}'",
            hint="give band=(from, to), or a table of the density",
        )
    kept = connected_states(model.A, model.B[:, [place]], model.C[rows])
    if not len(kept):
        return np.zeros(len(rows)) if model.dt is None else d**2 * density / (2.0 * model.dt)
    A, scale = balance_matrix(model.A[np.ix_(kept, kept)])
    b, C = b[kept] / scale, model.C[np.ix_(rows, kept)] * scale
    poles = np.linalg.eigvals(A)
    least = 1e-13 * float(np.linalg.norm(A))
    slow = poles[poles.real > -least] if model.dt is None else poles[np.abs(poles) > 1.0 - 1e-13]
    if len(slow):
        raise InputError(
            "a pole that does not decay lies between the noise and the outputs: there is no root mean square",
            where=f"from '{model.inputs[place]}'",
            got=f"a pole at {complex(slow[0]):.4g}",
            hint="close the loop first, or give band=(from, to) with a lower end above zero",
        )
    # the covariance of the states, once for all outputs
    if model.dt is None:
        P = _continuous_covariance(A, b) * (0.5 * density)
        return np.maximum(np.einsum("ij,jk,ik->i", C, P, C), 0.0)
    P = _sampled_covariance(A, b)
    return np.maximum(np.einsum("ij,jk,ik->i", C, P, C) + d**2, 0.0) * density / (2.0 * model.dt)


def _continuous_covariance(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P with A P + P Aᵀ + b bᵀ = 0, by Bartels and Stewart's method."""
    T, Z = schur(A, output="real")
    w = Z.T @ b
    X, scale, info = dtrsyl(T, T, -np.outer(w, w), tranb="T")
    if info < 0 or not np.isfinite(X).all():
        raise InputError("Lyapunov's equation has no solution: two poles are mirror images")
    return Z @ (X / scale) @ Z.T


def _sampled_covariance(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P with P = A P Aᵀ + b bᵀ, by doubling: P ← P + A P Aᵀ, A ← A²."""
    P = np.outer(b, b)
    for _ in range(64):
        more = A @ P @ A.T
        P, A = P + more, A @ A
        if np.linalg.norm(more) <= 1e-17 * np.linalg.norm(P):
            break
    return P


def _intervals(
    model: LinearModel, place: int, rows: Chosen, low: float, high: float, knots: np.ndarray
) -> np.ndarray:
    """Return edges of intervals between two frequencies that close in on every pole."""
    s = _rates(model, np.array([place]), model.output_places(rows))
    s = s[np.isfinite(s)]
    edges = [low, high, *knots[(knots > low) & (knots < high)]]
    edges += list(np.geomspace(low if low > 0.0 else 1e-6 * high, high, 40))
    for pole in s[s.imag >= 0.0]:
        middle, width = pole.imag / (2.0 * np.pi), max(abs(pole.real) / (2.0 * np.pi), 1e-12 * high)
        reach = width * 2.0 ** np.arange(-1.0, 30.0)
        edges += [middle, *(middle + reach[reach < high]), *(middle - reach[reach < high])]
    found = np.unique(np.clip(np.array(edges), low, high))
    return found[np.concatenate([[True], np.diff(found) > 1e-13 * high])]


def _integral(
    model: LinearModel, place: int, rows: Chosen, density: object, band: tuple[float, float]
) -> np.ndarray:
    """Return ∫ |H|² S df (ny,) over a band."""
    (low, high), knots = band, np.zeros(0)
    if isinstance(density, np.ndarray):
        knots = density[0]
        low, high = max(low, float(knots[0])), min(high, float(knots[-1]))
    outputs = model.output_places(rows).tolist()
    if not low < high:
        return np.zeros(len(outputs))

    def gauss(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the integral (intervals, ny) over each interval."""
        parts = []
        for k in range(0, len(a), CHUNK // len(NODES)):
            here = slice(k, k + CHUNK // len(NODES))
            half, middle = 0.5 * (b - a)[here], 0.5 * (a + b)[here]
            f = (middle[:, None] + half[:, None] * NODES).ravel()
            H = np.abs(model.frequency_response(f, [place], outputs)[:, :, 0]) ** 2
            if not np.isfinite(H).all():
                raise InputError("an undamped mode lies in the band: its root mean square is infinite")
            y = (H * _density_at(density, f, None)[:, None]).reshape(len(half), len(NODES), -1)
            parts.append(np.einsum("ino,n,i->io", y, WEIGHTS, half))
        return np.concatenate(parts)

    edges = _intervals(model, place, outputs, low, high, knots)
    a, b = edges[:-1], edges[1:]
    whole, points = gauss(a, b), len(a) * len(NODES)
    total, expected = np.zeros(len(outputs)), whole.sum(axis=0)
    for _ in range(MOST_HALVINGS):
        middle = 0.5 * (a + b)
        left, right = gauss(a, middle), gauss(middle, b)
        points += 2 * len(a) * len(NODES)
        both = left + right
        rough = (np.abs(both - whole) > AGREE * np.maximum(expected, np.finfo(float).tiny)).any(axis=1)
        total += both[~rough].sum(axis=0)
        if not rough.any():
            return total
        a, b = np.concatenate([a[rough], middle[rough]]), np.concatenate([middle[rough], b[rough]])
        whole = np.concatenate([left[rough], right[rough]])
        expected = total + whole.sum(axis=0)
        if points > MOST_POINTS:
            break
    raise InputError(
        "the spectrum is too rough to be integrated",
        got=f"{points} frequencies",
        hint="narrow the band or smooth the density",
    )
