"""Random response: spectra, rms values and crossing rates of what a structure does under random loads (RANDPS).

With the response H_j(f) of subcase j the spectrum of any result is Σ S_jk H_j H_k*, S_jk = (X + iY) G(f). Between
frequencies spectra are straight, so that the mean square is the trapezoidal rule, and the rate of crossings of zero
upwards is √(∫ f² S df / ∫ S df).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, known_names
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.requests import check_model
from interstage.fem.response import FrequencyResponse, frequency_response, point_rows
from interstage.fem.response_loads import selected
from interstage.fem.response_tables import PLACES

GRID_RESULTS = ("displacement", "velocity", "acceleration", "spc_forces")
REQUESTS = (("DISP", "VECT", "PRES"), ("VELO",), ("ACCE",), ("SPCF",))  # of case control that ask for them


@dataclass(frozen=True)
class RandomTable:
    """Random results of the elements of one type.

    columns : names of the columns; element_ids : (r,); node_ids : (r,) place or ply, or None
    psd : (frequencies, r, columns) one-sided spectra, units squared per Hz
    rms, crossings : (r, columns) root of the mean square, and crossings of zero upwards a second
    """

    columns: tuple[str, ...]
    element_ids: np.ndarray
    node_ids: np.ndarray | None
    psd: np.ndarray
    rms: np.ndarray
    crossings: np.ndarray


@dataclass
class RandomGrids:
    """Random results on the g-set.

    psd : (n_dof, k) one-sided spectra, units squared per Hz; rms, crossings : (n_dof,)
    """

    psd: np.ndarray
    rms: np.ndarray
    crossings: np.ndarray
    grids: Grids = field(repr=False)

    def at(self, point: int) -> np.ndarray:
        """Spectra (6, k) of a grid, or (1, k) of a scalar point."""
        return self.psd[point_rows(self.grids, point)]


class RandomTables(Mapping):
    """Random results by element type, each computed when it is taken."""

    def __init__(self, of: Callable[[str], RandomTable], names: list[str]):
        self._of, self._names = of, names

    def __getitem__(self, name: str) -> RandomTable:
        if name not in self._names:
            raise InputError(f"there are no results of {name}", hint=known_names(self._names))
        return self._of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


COARSE = 0.05  # how far rms values by every second frequency may be from those by all
NOTED = 0.01  # of components that have this share of the largest or more


@named_arguments
@dataclass
class RandomResponse:
    """What random loads do to a structure.

    `displacement`, `velocity`, `acceleration` and `spc_forces` are results on the g-set, `forces["CBUSH"]` and
    `stresses["CQUAD4"]` tables by element type. `psd_of`, `cross_spectrum` and `autocorrelation` give curves of single
    components.

    Attributes
    ----------
    frequencies_hz : (k,)
    loads : (j, j, k) complex spectra S of the loads of the subcases
    responses : the frequency response of each subcase
    set_id : of the RANDPS cards; lags : times of its RANDT1 cards, empty without
    notes : sentences about choices
    """

    frequencies_hz: np.ndarray
    loads: np.ndarray
    responses: list[FrequencyResponse]
    set_id: int
    lags: np.ndarray
    notes: list[str]

    @property
    def grids(self) -> Grids:
        """Points of the model."""
        return self.responses[0].grids

    def _grids(self, name: str) -> RandomGrids:
        psd = self._spectrum([getattr(one, name) for one in self.responses])
        return RandomGrids(psd, *moments(psd, self.frequencies_hz), self.grids)

    @property
    def displacement(self) -> RandomGrids:
        """Displacements."""
        return self._grids("displacement")

    @property
    def velocity(self) -> RandomGrids:
        """Velocities."""
        return self._grids("velocity")

    @property
    def acceleration(self) -> RandomGrids:
        """Accelerations."""
        return self._grids("acceleration")

    @property
    def spc_forces(self) -> RandomGrids:
        """Forces of single-point constraints."""
        return self._grids("spc_forces")

    @property
    def forces(self) -> RandomTables:
        """Element forces by type."""
        return self._tables("forces")

    @property
    def stresses(self) -> RandomTables:
        """Element stresses by type; those that are no linear function of motion are left out."""
        return self._tables("stresses")

    def _spectrum(self, H: list[np.ndarray]) -> np.ndarray:
        """Σ S_jk H_j H_k* (..., k), real, of responses whose last axis is frequency."""
        total = np.zeros(H[0].shape)
        for j, one in enumerate(H):
            total += self.loads[j, j].real * np.abs(one) ** 2
            for k in range(j):
                if self.loads[j, k].any():
                    total += 2.0 * (self.loads[j, k] * one * H[k].conj()).real
        return total

    def _tables(self, kind: str) -> RandomTables:
        def of(name: str) -> RandomTable:
            parts = [getattr(one, kind)[name] for one in self.responses]
            psd = np.moveaxis(self._spectrum([np.moveaxis(one.values, 0, -1) for one in parts]), -1, 0)
            rms, crossings = moments(np.moveaxis(psd, 0, -1), self.frequencies_hz)
            for j, column in enumerate(parts[0].columns):
                if column in PLACES:
                    psd[..., j] = parts[0].values[..., j].real
                    rms[..., j], crossings[..., j] = psd[0, ..., j], 0.0
            return RandomTable(parts[0].columns, parts[0].element_ids, parts[0].node_ids, psd, rms, crossings)

        return RandomTables(of, list(getattr(self.responses[0], kind)))

    def _component(self, quantity: str, point: int, component: int) -> list[np.ndarray]:
        if quantity not in GRID_RESULTS:
            raise InputError(f"there is no result {quantity!r}", hint=known_names(GRID_RESULTS))
        rows = point_rows(self.grids, point)
        if not 1 <= component <= rows.stop - rows.start:
            raise InputError(
                f"point {point} has no component {component}", expected=f"1 to {rows.stop - rows.start}"
            )
        return [getattr(one, quantity)[rows.start + component - 1] for one in self.responses]

    def psd_of(self, quantity: str, point: int, component: int) -> np.ndarray:
        """Spectrum (k,) of component 1 to 6 of a point: "displacement", "velocity", "acceleration", "spc_forces"."""
        return self._spectrum(self._component(quantity, point, component))

    def cross_spectrum(self, first: tuple[str, int, int], second: tuple[str, int, int]) -> np.ndarray:
        """Complex cross spectrum (k,) of two components, each (quantity, point, component): Σ S_jk H_j G_k*."""
        a, b = self._component(*first), self._component(*second)
        total = np.zeros(len(self.frequencies_hz), dtype=complex)
        for j in range(len(a)):
            for k in range(len(b)):
                total += self.loads[j, k] * a[j] * b[k].conj()
        return total

    def autocorrelation(
        self, quantity: str, point: int, component: int, lags: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Time lags (n,) and R(τ) = ∫ S cos 2πfτ df, exact for spectra straight between frequencies.

        lags : times in place of the deck's RANDT1
        """
        at = self.lags if lags is None else np.atleast_1d(np.asarray(lags, dtype=float))
        if not len(at):
            raise InputError("there are no time lags", hint="give lags=, or RANDT1 in the deck")
        return at, _transform(self.psd_of(quantity, point, component), self.frequencies_hz, at)


def moments(psd: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rms and crossing rate (...) of spectra (..., k) that are straight between frequencies f."""
    if len(f) < 2:
        return np.zeros(psd.shape[:-1]), np.zeros(psd.shape[:-1])
    a, b, h = f[:-1], f[1:], np.diff(f)
    low, high = psd[..., :-1], psd[..., 1:]
    square = (0.5 * h * (low + high)).sum(axis=-1)
    second = (h / 12.0 * ((3 * a**2 + 2 * a * b + b**2) * low + (a**2 + 2 * a * b + 3 * b**2) * high)).sum(
        axis=-1
    )
    rate = np.sqrt(np.divide(second, square, out=np.zeros_like(square), where=square > 0.0))
    return np.sqrt(square), rate


def _transform(psd: np.ndarray, f: np.ndarray, lags: np.ndarray) -> np.ndarray:
    """∫ S cos 2πfτ df (n,) of a spectrum (k,) that is straight between frequencies."""
    out = np.zeros(len(lags))
    for n, lag in enumerate(lags):
        x = 2.0 * np.pi * lag
        a, b, h = f[:-1], f[1:], np.diff(f)
        low, slope = psd[:-1], np.diff(psd) / h
        half, middle = 0.5 * h, 0.5 * (a + b)
        y = x * half
        # ∫ cos x f, and ∫ (f - middle) cos x f, of each interval
        zeroth = h * np.cos(x * middle) * np.sinc(y / np.pi)
        small = np.abs(y) < 1e-3
        z = np.where(small, 1.0, y)
        odd = np.where(small, y / 3.0, (np.sin(z) - z * np.cos(z)) / z**2)
        first = -np.sin(x * middle) * 0.5 * h**2 * odd
        out[n] = np.sum((low + slope * half) * zeroth + slope * first)
    return out


@named_arguments
def random_response(
    fe: FEModel,
    frequencies_hz: ArrayLike | None = None,
    *,
    subcase: int | None = None,
    modal: bool | None = None,
    n_modes: int | None = None,
    quantities: Sequence[str] | None = None,
) -> RandomResponse:
    """Response to the random loads (RANDPS) that RANDOM of case control selects, by frequency responses (SOL 108, 111).

    Parameters
    ----------
    frequencies_hz : in place of the deck's FREQi
    subcase : the one whose RANDOM counts; the first that has one by default
    modal, n_modes : as in `frequency_response`
    quantities : "displacement", "velocity", "acceleration", "spc_forces" for whose rms values a note says where the
        frequencies are too far apart; those that case control asks for by default, displacement and acceleration
        where it asks for none
    """
    check_model(fe)
    for name in quantities or ():
        if name not in GRID_RESULTS:
            raise InputError(f"there is no result {name!r}", hint=known_names(GRID_RESULTS))
    if fe.dynamics.refused is not None:
        raise fe.dynamics.refused
    sid = _selected_set(fe, subcase)
    cards = fe.dynamics.random[sid]
    ids = sorted({one for card in cards for one in card[:2]})
    known = [case.id for case in fe.case.subcases]
    missing = [one for one in ids if one not in known]
    if missing:
        raise ModelError(
            f"RANDPS {sid} names subcase {missing[0]}, which is not in the deck", hint=known_names(known)
        )
    responses = [
        frequency_response(fe, frequencies_hz, subcase=one, modal=modal, n_modes=n_modes) for one in ids
    ]
    f = responses[0].frequencies_hz
    for one in responses[1:]:
        if len(one.frequencies_hz) != len(f) or not np.allclose(one.frequencies_hz, f, rtol=1e-12):
            raise ModelError(
                f"subcases {ids[0]} and {one.subcase} of RANDPS {sid} have frequencies of their own",
                where=fe.source,
                hint="select the same FREQUENCY in both",
            )
    loads = np.zeros((len(ids), len(ids), len(f)), dtype=complex)
    for j, k, factor, tid in cards:
        value = factor * (fe.dynamics.spectra[tid](f) if tid else np.ones(len(f)))
        if j == k and value.real.min() < 0.0:
            raise ModelError(
                f"the spectrum of RANDPS {sid} (table {tid}) is below zero at {f[np.argmin(value.real)]:g} Hz",
                where=fe.source,
                hint="a TABRND1 goes on straight beyond its ends: end it with two points at zero, or choose "
                "frequencies inside it",
            )
        a, b = ids.index(j), ids.index(k)
        loads[a, b] += value
        if a != b:
            loads[b, a] += value.conj()
    notes = list(dict.fromkeys(note for one in responses for note in one.notes))
    if len(f) < 2:
        notes.append("one frequency has a spectrum, but no rms values")
    if any(np.isnan(one.displacement).any() for one in responses):
        notes.append(
            "rms values are not numbers: there is a natural frequency without damping among the frequencies"
        )
    lags = fe.dynamics.lags.get(sid, np.zeros(0))
    found = RandomResponse(f, loads, responses, sid, lags, notes)
    notes += _coarse(found, quantities or _asked(fe, ids) or ("displacement", "acceleration"))
    return found


def _asked(fe: FEModel, ids: list[int]) -> list[str]:
    """Results on the g-set that case control of subcases asks for."""
    asked = {
        key[:4]
        for case in fe.case.subcases
        if case.id in ids
        for key, value in case.requests.items()
        if value.upper() != "NONE"
    }
    return [name for name, words in zip(GRID_RESULTS, REQUESTS) if asked & set(words)]


def _coarse(found: RandomResponse, quantities: Sequence[str]) -> list[str]:
    """Note frequencies that are too far apart: every second of them alone gives other rms values.

    Each quantity by itself (spectra of velocities are those of displacements times ω², of accelerations times ω⁴),
    component by component: slow motions of a shaken base are large displacements, beside which a resonance counts for
    nothing.
    """
    f = found.frequencies_hz
    motion = found._spectrum([one.displacement for one in found.responses])
    if len(f) < 5 or not np.isfinite(motion).all():
        return []
    half = np.unique(np.append(np.arange(0, len(f), 2), len(f) - 1))
    notes = []
    for name in quantities:
        if name == "spc_forces":
            spectrum = found._spectrum([one.spc_forces for one in found.responses])
        else:
            spectrum = motion * (2.0 * np.pi * f) ** (2 * GRID_RESULTS.index(name))
        every, second = moments(spectrum, f)[0], moments(spectrum[:, half], f[half])[0]
        counted = every > NOTED * every.max(initial=0.0)
        apart = np.abs(np.divide(second, every, out=np.ones_like(every), where=counted) - 1.0)
        if apart.max(initial=0.0) > COARSE:
            worst = int(apart.argmax())
            notes.append(
                f"rms values may be off: every second frequency alone gives {100 * apart[worst]:.0f} % more or less "
                f"rms {name.replace('_', ' ')} of {found.grids.name_of(worst)}; put more "
                "frequencies where spectra are steep, as around resonances (FREQ3, FREQ4)"
            )
    return notes


def _selected_set(fe: FEModel, subcase: int | None) -> int:
    cases = fe.case.subcases
    if subcase is not None and subcase not in [case.id for case in cases]:
        raise InputError(f"subcase {subcase} is not in the deck", hint=known_names(one.id for one in cases))
    asked = [selected(case, "RAND") for case in cases if subcase in (None, case.id)]
    known = sorted(fe.dynamics.random)
    sid = next((one for one in asked if one), 0)
    if not sid:
        raise ModelError(
            "no subcase selects random loads (RANDOM)",
            where=fe.source,
            hint="write RANDOM = n in case control; RANDPS sets " + known_names(known),
        )
    if sid not in known:
        raise ModelError(
            f"RANDOM = {sid} selects RANDPS cards that are not in the deck", hint=known_names(known)
        )
    return sid
