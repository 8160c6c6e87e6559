"""Stability margins of feedback loops, with a bound on what lies between the frequencies that were computed.

With all loops closed by unit negative feedback the sensitivity S = (I + L)⁻¹ has the poles of the closed loop and no
others. Loop i with the other loops closed is L_i = 1/S_ii - 1 (Skogestad and Postlethwaite, Multivariable Feedback
Control, 2nd ed., section 9.6), so that

    |L_i| = 1             where  Re S_ii = 1/2                        (phase and delay margins)
    L_i real and negative where  Im S_ii = 0 and S_ii > 1 or < 0      (gain margins, up and down)
    |1 + L_i| = 1/|S_ii|                                              (modulus margin)
    α = 1/max |S_ii - 1/2|                                            (symmetric disk margin, Seiler et al. 2020)

S_ii is a sum of partial fractions over the closed-loop poles. On an interval of frequency its second derivative is
bounded by the distance of each pole; an interval is dropped only when this bound excludes a crossing, accepted only
when it proves that there is at most one, and halved otherwise. No crossing and no peak is missed, however lightly
damped, as far as the partial fractions are accurate; they are compared with direct solutions at every crossing.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, eig, schur, solve

from interstage.calls import named_arguments
from interstage.errors import FidelityWarning, InputError, SolverError, caller_level, shown
from interstage.jit import kernel
from interstage.linear.poles import balance_matrix
from interstage.linear.response import response_at
from interstage.output import write_text

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel

ILL_CONDITIONED = 1e5  # condition of an eigenvalue from which it is kept in a block with its neighbors
NEGLIGIBLE = 1e-5  # |S(jω) - S(∞)| at which the search ends: the loop gain is 100 dB below one there
TAIL = 60  # terms of an expansion at infinite frequency
AGREEMENT = 1e-6  # of partial fractions with a direct solution, relative to max(1, |S|)
GROWS = 1e-5  # growth beside the largest pole from which it is not that of a defective pole at zero
NARROWEST = 1e-10  # relative width of an interval that is not halved any more
TIGHT = 1e-6  # relative width of the bound of a peak
CENTERS = (0.0, 0.5)  # |S| for the modulus margin, |S - 1/2| for the disk margin
PARTS: tuple[tuple[Callable[[np.ndarray], np.ndarray], float], ...] = ((np.real, 0.5), (np.imag, 0.0))
Regions = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class MarginRow:
    """One crossing of one loop.

    loop : name of the input that closes it;  frequency_hz : of the crossing
    kind : "gain": value in dB by which the gain may rise (above zero) or fall (below zero);
        "phase": value in degrees of lag (above zero) or lead (below zero)
    region : "rigid", "slosh", "bending" or the name of a band; "" where it is not known
    delay_s : of a phase crossing, the delay that makes the loop unstable;  inf for a gain crossing
    """

    loop: str
    frequency_hz: float
    kind: str
    value: float
    region: str = ""
    delay_s: float = np.inf


@dataclass(frozen=True)
class LoopMargins:
    """Margins of one loop with the other loops closed; each is the least of its kind, inf where there is none.

    gain_up_db, gain_down_db : by which the gain may rise and fall, both positive
    phase_deg : lag or lead;  delay_s;  modulus : least |1 + L|, at modulus_hz
    disk : symmetric disk margin α, at disk_hz: gain and phase may vary together within
        (1 - α/2)/(1 + α/2) to its inverse and ±2 atan(α/2)
    """

    loop: str
    gain_up_db: float
    gain_down_db: float
    phase_deg: float
    delay_s: float
    modulus: float
    modulus_hz: float
    disk: float
    disk_hz: float

    @property
    def gain_db(self) -> float:
        """The lesser of `gain_up_db` and `gain_down_db`."""
        return min(self.gain_up_db, self.gain_down_db)


@named_arguments
@dataclass(frozen=True, repr=False)
class Margins:
    """Margins of all loops of a model; prints as a table.

    rows : every crossing;  loops : the least margins of each loop
    stable : whether the closed loop is; if it is not, the worst margins are nan and the rows are bare crossings
    growth : of the closed loop: largest real part of its poles in 1/s, sampled: largest |z|
    """

    rows: tuple[MarginRow, ...]
    loops: tuple[LoopMargins, ...]
    stable: bool
    growth: float
    name: str = "loop"
    dt: float | None = None

    def _worst(self, name: str) -> float:
        return min((getattr(one, name) for one in self.loops), default=np.inf) if self.stable else np.nan

    @property
    def gain_db(self) -> float:
        """Least gain margin of all loops, up or down, in dB; inf where there is none."""
        return self._worst("gain_db")

    @property
    def gain_up_db(self) -> float:
        """Least increase of a gain that makes the closed loop unstable, dB."""
        return self._worst("gain_up_db")

    @property
    def gain_down_db(self) -> float:
        """Least decrease of a gain that makes the closed loop unstable, dB, as a positive number."""
        return self._worst("gain_down_db")

    @property
    def phase_deg(self) -> float:
        """Least phase margin of all loops, lag or lead, in degrees."""
        return self._worst("phase_deg")

    @property
    def delay_s(self) -> float:
        """Least delay that makes the closed loop unstable, in s."""
        return self._worst("delay_s")

    @property
    def modulus(self) -> float:
        """Least |1 + L| of all loops: the distance of the Nyquist curve from -1."""
        return self._worst("modulus")

    @property
    def disk(self) -> float:
        """Least symmetric disk margin of all loops, one at a time."""
        return self._worst("disk")

    def region(self, name: str) -> Margins:
        """Return the margins of the crossings in one region; modulus and disk stay those of the whole loop."""
        known = sorted({row.region for row in self.rows if row.region})
        if name not in known:
            raise InputError(
                f"there is no crossing in a region '{name}'",
                got=shown(name),
                expected=", ".join(known) or "none",
            )
        rows = tuple(row for row in self.rows if row.region == name)
        loops = tuple(
            _least(one.loop, rows, (one.modulus, one.modulus_hz), (one.disk, one.disk_hz), one.delay_s == 0.0)
            for one in self.loops
        )
        return Margins(rows, loops, self.stable, self.growth, self.name, self.dt)

    def table(self) -> str:
        """Return the margins as text: the least of each loop, then every crossing."""
        verdict = "stable" if self.stable else "UNSTABLE: its margins have no meaning"
        what = "largest real part of a pole" if self.dt is None else "largest |z|"
        lines = [f"{self.name}: closed loop {verdict} ({what} {self.growth:.6g})"]
        width = max([4, *(len(one.loop) for one in self.loops)])
        lines.append(
            f"  {'loop':<{width}}  gain up dB  gain down dB  phase deg    delay s  modulus  disk margin"
        )
        for one in self.loops:
            lines.append(
                f"  {one.loop:<{width}}  {one.gain_up_db:10.2f}  {one.gain_down_db:12.2f}  {one.phase_deg:9.2f}"
                f"  {one.delay_s:9.4g}  {one.modulus:7.3f}  {one.disk:11.3f}"
            )
        lines.append(f"  {'crossing of':<{max(width, 11)}}  frequency Hz  margin")
        for row in self.rows:
            said = (
                f"gain {row.value:+.2f} dB"
                if row.kind == "gain"
                else f"phase {row.value:+.2f} deg, delay {row.delay_s:.4g} s"
            )
            region = f"  ({row.region})" if row.region else ""
            lines.append(f"  {row.loop:<{max(width, 11)}}  {row.frequency_hz:12.6g}  {said}{region}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<Margins of '{self.name}': {'stable' if self.stable else 'unstable'}, gain {self.gain_db:.4g} dB, "
            f"phase {self.phase_deg:.4g} deg, delay {self.delay_s:.4g} s, modulus {self.modulus:.4g}>"
        )

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain numbers and texts; what is infinite or not a number is None."""

        def plain(one: object) -> dict[str, object]:
            return {
                k: (None if isinstance(v, float) and not np.isfinite(v) else v) for k, v in vars(one).items()
            }

        worst = {k: getattr(self, k) for k in ("gain_db", "phase_deg", "delay_s", "modulus", "disk")}
        return {
            "name": self.name,
            "stable": self.stable,
            "growth": self.growth,
            "dt": self.dt,
            "worst": {k: (v if np.isfinite(v) else None) for k, v in worst.items()},
            "loops": [plain(one) for one in self.loops],
            "rows": [plain(one) for one in self.rows],
        }

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")


@named_arguments
def margins(loop: LinearModel, regions: Regions | None = None) -> Margins:
    """Return every margin of a loop L, closed by u = -y; of several channels, of each with the others closed.

    Parameters
    ----------
    loop : as many inputs as outputs, output k closes input k, as from `open_loop`; continuous or sampled
    regions : {name: (from, to) in Hz}: bands that name crossings; default: by the motion that dominates a crossing,
        where the model knows its elastic and slosh states (`open_loop`)

    >>> from interstage.linear.model import LinearModel
    >>> loop = LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[2, 0, 0]], [[0]])
    >>> m = margins(loop)  # 2 / (s (s + 1) (s + 2)): gain margin 3, phase margin 32.6 deg
    >>> round(m.gain_db, 4), round(m.phase_deg, 2)
    (9.5424, 32.61)
    """
    from interstage.linear.model import LinearModel

    if not isinstance(loop, LinearModel):
        raise InputError("margins: loop must be a LinearModel", where="loop", got=shown(loop))
    nu = loop.B.shape[1]
    if nu != len(loop.C) or nu == 0:
        raise InputError(
            "margins: a loop needs as many outputs as inputs",
            where=loop.name,
            got=f"{nu} inputs and {len(loop.C)} outputs",
            hint="choose them by loop.select(inputs=..., outputs=...)",
        )
    bands = _checked_bands(regions)
    closed = _Closed(loop)
    if closed.unseen:
        warnings.warn(
            f"margins: '{loop.name}' has unstable poles outside of its loops ({closed.said()}), which no gain or delay "
            "of them changes: another loop is unstable, or it was left open",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    scale = 1.0 if loop.dt is None else 1.0 / loop.dt
    rows: list[MarginRow] = []
    least: list[LoopMargins] = []
    loops = [closed.sensitivity(k) for k in range(nu)]
    scans = [_scan(one) for one in loops]
    closed.compare(loops, [scan.crossings for scan in scans])
    hz = scale / (2.0 * np.pi)
    for k, (one, scan) in enumerate(zip(loops, scans)):
        own = []
        for kind, at in scan.crossings:
            own += _rows_at(one, kind, at, scale, loop.inputs[k], closed.region(k, at, bands))
        rows += own
        modulus, disk = ((1.0 / max(size, 1e-300), at * hz) for size, at in (scan.peak, scan.disk))
        least.append(_least(loop.inputs[k], own, modulus, disk, closed.bears_no_delay(one)))
    rows.sort(key=lambda row: (row.frequency_hz, row.loop, row.kind))
    return Margins(tuple(rows), tuple(least), closed.stable, closed.growth, loop.name, loop.dt)


def _checked_bands(regions: object) -> dict[str, tuple[float, float]]:
    if regions is None:
        return {}
    fits = isinstance(regions, Mapping) and all(
        isinstance(name, str) and isinstance(band, Sequence) and len(band) == 2 and 0 <= band[0] < band[1]
        for name, band in regions.items()
    )
    if not fits:
        raise InputError(
            "margins: regions must map names to bands in Hz",
            where="regions",
            expected='e.g. {"rigid": (0, 1.5), "bending": (1.5, 50)}',
            got=shown(regions),
        )
    return {name: (float(band[0]), float(band[1])) for name, band in dict(regions).items()}  # type: ignore[call-overload]


def _least(
    loop: str,
    rows: Sequence[MarginRow],
    modulus: tuple[float, float],
    disk: tuple[float, float],
    no_delay: bool,
) -> LoopMargins:
    """Return the least margins among the crossings of a loop;  no_delay : any delay makes it unstable."""
    own = [row for row in rows if row.loop == loop]
    gains = [row.value for row in own if row.kind == "gain"]
    return LoopMargins(
        loop,
        min((v for v in gains if v > 0), default=np.inf),
        min((-v for v in gains if v <= 0), default=np.inf),
        min((abs(row.value) for row in own if row.kind == "phase"), default=np.inf),
        0.0 if no_delay else min((row.delay_s for row in own if row.kind == "phase"), default=np.inf),
        *modulus,
        *disk,
    )


def _rows_at(one: _Sensitivity, kind: str, x: float, scale: float, loop: str, region: str) -> list[MarginRow]:
    """Return the row of a crossing at x (rad/s, sampled: rad a sample), none where the gain is not negative."""
    S = one.value(x)
    omega = x * scale
    if kind == "phase":
        L = 1.0 / S - 1.0
        lag = float(np.mod(np.angle(L) + np.pi, 2.0 * np.pi))  # 0 to 2π: lag that turns L onto -1
        value = np.degrees(lag if lag <= np.pi else lag - 2.0 * np.pi)
        delay = lag / omega if omega > 0.0 else np.inf
        return [MarginRow(loop, omega / (2.0 * np.pi), "phase", float(value), region, float(delay))]
    level = S.real
    if not (level > 1.0 or level < 0.0) or abs(level) < 1e-12:
        return []  # L is positive, or infinite
    factor = -level / (1.0 - level)  # -1/L, by which the gain must be multiplied
    if not 1e-6 < factor < 1e6:
        return []
    value = 20.0 * np.log10(factor)
    return [MarginRow(loop, omega / (2.0 * np.pi), "gain", float(value), region)]


# the closed loop --------------------------------------------------------------------------------------


class _Closed:
    """The closed loop S = E - E C (s - A_cl)⁻¹ B E, E = (I + D)⁻¹, by the eigenvectors of A_cl = A - B E C."""

    def __init__(self, loop: LinearModel):
        nu = len(loop.C)
        through = np.eye(nu) + loop.D
        if np.linalg.cond(through) > 1e12:
            raise SolverError(
                "margins: the closed loop has no solution: its gain at infinite frequency is -1",
                where=loop.name,
            )
        E = np.linalg.inv(through)
        kept = connected_states(loop.A, loop.B, loop.C)
        A = loop.A - loop.B @ E @ loop.C
        poles = np.linalg.eigvals(A) if len(A) else np.zeros(0, complex)
        self.dt, self.name = loop.dt, loop.name
        size = poles.real if loop.dt is None else np.abs(poles)
        self.growth = float(size.max(initial=-np.inf if loop.dt is None else 0.0))
        among = poles if len(kept) == len(A) else np.linalg.eigvals(A[np.ix_(kept, kept)])
        seen = among.real if loop.dt is None else np.abs(among) - 1.0
        self.stable = bool((seen < 0.0).all())
        others = np.setdiff1d(np.arange(len(A)), kept)
        rest = np.linalg.eigvals(A[np.ix_(others, others)]) if len(others) else np.zeros(0, complex)
        outside = rest.real if loop.dt is None else np.abs(rest) - 1.0
        largest = np.abs(poles).max(initial=0.0) if loop.dt is None else 1.0
        self.unseen = bool(outside.max(initial=-np.inf) > GROWS * largest)
        A_b, d = balance_matrix(A[np.ix_(kept, kept)])
        self.A, self.B, self.C, self.E = A_b, (loop.B[kept] @ E) / d[:, None], (E @ loop.C[:, kept]) * d, E
        self.parts = _spectral_parts(A_b)
        groups = loop.extras.get("regions", {})
        index = {int(k): j for j, k in enumerate(kept)}
        self.groups = {
            str(name): np.array([index[int(k)] for k in np.asarray(places) if int(k) in index], dtype=int)
            for name, places in (groups.items() if isinstance(groups, Mapping) else ())
        }

    def said(self) -> str:
        """Return the growth of the closed loop in words."""
        return (
            f"largest real part {self.growth:.4g} 1/s"
            if self.dt is None
            else f"largest |z| {self.growth:.6g}"
        )

    def sensitivity(self, k: int) -> _Sensitivity:
        """Return S_kk as partial fractions."""
        poles, residues, blocks = [], [], []
        for part in self.parts:
            c, b = self.C[k] @ part.right, part.left @ self.B[:, k]
            if len(part.T) == 1:
                poles.append(part.T[0, 0])
                residues.append(-c[0] * b[0])
            elif np.linalg.norm(c) * np.linalg.norm(b) > 0.0:
                blocks.append((part.T, -c, b))
        return _Sensitivity(
            complex(self.E[k, k]), np.array(poles, complex), np.array(residues, complex), blocks, self.dt
        )

    def bears_no_delay(self, one: _Sensitivity) -> bool:
        """Tell if |L| of a continuous loop is above one at infinite frequency: any delay makes it unstable."""
        return self.dt is None and abs(1.0 / one.d - 1.0) > 1.0 if one.d != 0.0 else self.dt is None

    def compare(
        self, loops: Sequence[_Sensitivity], crossings: Sequence[Sequence[tuple[str, float]]]
    ) -> None:
        """Raise where partial fractions differ from direct solutions at crossings."""
        at = np.array(sorted({x for own in crossings for _, x in own if 0.0 < x < np.inf}))
        if not len(at) or not len(self.A):
            return
        at = at[:: max(1, len(at) // 64)]
        s = 1j * at if self.dt is None else np.expm1(1j * at)
        A = self.A if self.dt is None else self.A - np.eye(len(self.A))
        H = response_at(A, self.B, self.C, np.zeros(self.E.shape), s)
        direct = np.array([self.E[k, k] - H[:, k, k] for k in range(len(loops))])
        ours = np.array([[one.value(x) for x in at] for one in loops])
        off = np.abs(ours - direct) / np.maximum(1.0, np.abs(direct))
        if off.max() > AGREEMENT:
            raise SolverError(
                f"margins: the closed loop of '{self.name}' is too ill-conditioned for partial fractions",
                expected=f"agreement with direct solutions within {AGREEMENT:g}",
                got=f"{off.max():.2g}",
                hint="scale its inputs and outputs, or leave out states that the loop does not need (loop.reduce)",
            )

    def region(self, k: int, x: float, bands: Mapping[str, tuple[float, float]]) -> str:
        """Return the name of the band of a frequency, or of the states whose motion dominates there."""
        if bands:
            hz = x / (2.0 * np.pi) * (1.0 if self.dt is None else 1.0 / self.dt)
            return next((name for name, (low, high) in bands.items() if low <= hz < high), "")
        if np.isinf(x) or not any(len(places) for places in self.groups.values()):
            return ""
        s = 1j * x if self.dt is None else np.exp(1j * x)
        weight = dict.fromkeys(self.groups, 0.0)
        for part in self.parts:
            c, b = self.C[k] @ part.right, part.left @ self.B[:, k]
            size = abs(c @ np.linalg.solve(s * np.eye(len(part.T)) - part.T, b))
            for name, places in self.groups.items():
                weight[name] += size * float(part.participation[places].sum())
        return max(weight, key=weight.__getitem__)


def connected_states(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the states that inputs reach and outputs see, by the pattern of the matrices alone."""
    edges = A != 0.0
    reached, seen = (B != 0.0).any(axis=1), (C != 0.0).any(axis=0)
    for mask, step in ((reached, edges), (seen, edges.T)):
        while True:
            new = mask | step[:, mask].any(axis=1)
            if (new == mask).all():
                break
            mask[:] = new
    return np.flatnonzero(reached & seen)


@dataclass(frozen=True)
class _Part:
    """A spectral part of A: A right = right T, left A = T left, left right = I; participation (n,) of the states."""

    T: np.ndarray
    right: np.ndarray
    left: np.ndarray
    participation: np.ndarray


def _spectral_parts(A: np.ndarray) -> list[_Part]:
    """Return A as a sum of spectral parts: single poles, and blocks of those that are nearly defective."""
    if not len(A):
        return []
    poles, VL, VR = eig(A, left=True, right=True)
    overlap = np.abs(np.einsum("ij,ij->j", VL.conj(), VR))
    single = overlap > 1.0 / ILL_CONDITIONED
    groups = _neighbors(poles, np.flatnonzero(~single), A)
    taken = np.zeros(len(poles), dtype=bool)
    found: list[_Part] = []
    for group in groups:
        taken[group] = True
        found.append(_block(A, poles, group))
    for k in np.flatnonzero(~taken):
        right, left = VR[:, [k]], VL[:, [k]].conj().T
        left = left / (left @ right)
        found.append(_Part(poles[[k]][:, None], right, left, _shares(right, left)))
    return found


def _shares(right: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the participation of states in a part, its sum one."""
    size = np.abs(np.einsum("ij,ji->i", right, left))
    return size / max(float(size.sum()), 1e-300)


def _neighbors(poles: np.ndarray, ill: np.ndarray, A: np.ndarray) -> list[np.ndarray]:
    """Return groups of nearly defective poles that lie together, each with its conjugates kept apart or with it."""
    left, groups = list(ill), []
    largest = max(float(np.abs(poles).max()), 1e-300)
    while left:
        group = [left.pop()]
        grew = True
        while grew:
            grew = False
            for k in list(left):
                near = 1e-2 * max(abs(poles[k]), 1e-4 * largest)
                if min(abs(poles[k] - poles[j]) for j in group) < near:
                    group.append(k)
                    left.remove(k)
                    grew = True
        groups.append(np.array(group))
    return groups


def _block(A: np.ndarray, poles: np.ndarray, group: np.ndarray) -> _Part:
    """Return the spectral part of a group of poles by ordered Schur forms of A and its transpose."""
    others = np.setdiff1d(np.arange(len(poles)), group)
    middle = poles[group].mean()

    def inside(z: complex) -> bool:
        to_group = np.abs(poles[group] - z).min()
        to_others = np.abs(poles[others] - z).min() if len(others) else np.inf
        return bool(to_group < to_others)

    def basis(M: np.ndarray, flip: bool) -> np.ndarray:
        _, Z, count = schur(M, output="complex", sort=lambda z: inside(np.conj(z) if flip else z))
        if count != len(group):
            raise SolverError(
                "margins: nearly equal poles of the closed loop cannot be separated",
                got=f"{len(group)} poles near {middle:.6g}",
            )
        return Z[:, :count]

    right, left = basis(A.astype(complex), False), basis(A.conj().T.astype(complex), True).conj().T
    try:
        left = solve(left @ right, left)
    except LinAlgError:
        raise SolverError(
            "margins: nearly equal poles of the closed loop cannot be separated", got=f"near {middle:.6g}"
        ) from None
    return _Part(left @ A @ right, right, left, _shares(right, left))


# partial fractions ------------------------------------------------------------------------------------


class _Sensitivity:
    """S = d + Σ r/(s - p) + Σ c (s - T)⁻¹ b over x = ω (s = jω) or, sampled, x = ωT (s = exp(jx))."""

    def __init__(
        self,
        d: complex,
        poles: np.ndarray,
        residues: np.ndarray,
        blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]],
        dt: float | None,
    ):
        self.d, self.poles, self.residues, self.blocks, self.dt = d, poles, residues, blocks, dt

    @cached_property
    def end(self) -> float:
        """Where the search ends: sampled at the Nyquist frequency, else where the loop gain is negligible."""
        if self.dt is not None:
            return float(np.pi)
        sizes = [np.abs(self.poles), *(np.atleast_1d(np.linalg.norm(T, 2)) for T, _, _ in self.blocks)]
        largest = float(np.concatenate(sizes).max(initial=0.0))
        total = float(np.abs(self.residues).sum()) + sum(
            float(np.linalg.norm(c) * np.linalg.norm(b)) for _, c, b in self.blocks
        )
        first = 1.5 * largest
        last = max(
            10.0 * largest, 1.0001 * largest + min(total / NEGLIGIBLE, 1e7 * max(largest, total)), 1e-3
        )
        if first <= 0.0 or self._tail(last, largest) > NEGLIGIBLE:
            return last
        low, high = first, last
        while high > 1.01 * low:
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if self._tail(middle, largest) > NEGLIGIBLE else (low, middle)
        return max(high, 1e-3)

    def _tail(self, omega: float, largest: float) -> float:
        """Return a bound of |S - d| at all frequencies from ω on, above all poles, by the expansion at infinity.

        Partial fractions cancel there: of a loop that rolls off fast S - d is far below the sum of their sizes.
        """
        bound, order = 0.0, TAIL
        powers = np.ones(len(self.poles), complex)
        vectors = [b / omega for _, _, b in self.blocks]
        for _ in range(order):
            term = complex((self.residues * powers).sum())
            rounding = float(np.abs(self.residues * powers).sum())
            for (_, c, _), v in zip(self.blocks, vectors):
                term += omega * complex(c @ v)
                rounding += omega * float(np.linalg.norm(c) * np.linalg.norm(v))
            bound += (abs(term) + 1e-14 * rounding) / omega
            powers = powers * self.poles / omega
            vectors = [T @ v / omega for (T, _, _), v in zip(self.blocks, vectors)]
        rest = float(np.abs(self.residues * powers).sum())
        rest += sum(
            omega * float(np.linalg.norm(c) * np.linalg.norm(v)) for (_, c, _), v in zip(self.blocks, vectors)
        )
        return bound + rest / max(omega - largest, 1e-300)

    @cached_property
    def start(self) -> float:
        """A frequency below everything that happens, above zero."""
        sizes = np.abs(self.poles if self.dt is None else self.poles - 1.0)
        sizes = np.concatenate([sizes, np.zeros(0)])
        sizes = sizes[sizes > 1e-8 * max(float(sizes.max(initial=0.0)), 1e-300)]
        return min(1e-3 * float(sizes.min(initial=np.inf)), 1e-3 * self.end)

    def value(self, x: float) -> complex:
        """Return S at x; at infinity, of a continuous loop, what is left there."""
        if np.isinf(x):
            return complex(self.d)
        return complex(self.around(np.array([x]), np.zeros(1))[0][0])

    def around(self, m: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return S and dS/dx at the middles m of intervals, and a bound of |d²S/dx²| within m ± r."""
        value, slope, bound = np.empty(len(m), complex), np.empty(len(m), complex), np.empty(len(m))
        _fractions(m, r, self.poles, self.residues, self.dt is not None, value, slope, bound)
        value += self.d
        for T, c, b in self.blocks:
            s = 1j * m if self.dt is None else np.exp(1j * m)
            eye = np.eye(len(T))
            size_c, size_b = float(np.linalg.norm(c)), float(np.linalg.norm(b))
            try:
                R = np.linalg.inv(s[:, None, None] * eye - T)
            except np.linalg.LinAlgError:
                R = np.array([np.linalg.pinv(z * eye - T) for z in s])
            turn = np.full(len(m), 1j) if self.dt is None else 1j * s
            Rb = R @ b
            value += Rb @ c
            slope -= turn * (np.einsum("ijk,ik->ij", R, Rb) @ c)
            norm = np.linalg.norm(R, axis=(1, 2))
            with np.errstate(divide="ignore"):
                worst = np.where(r * norm < 1.0, norm / np.maximum(1.0 - r * norm, 1e-300), np.inf)
            more = 2.0 * worst**3 + (0.0 if self.dt is None else worst**2)
            bound += size_c * size_b * more if size_c * size_b > 0.0 else 0.0
        return value, slope, bound

    def first_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the intervals (from, to) that the search begins with, from zero on."""
        edges = np.concatenate([[0.0], np.geomspace(self.start, self.end, 160)])
        return edges[:-1], edges[1:]


def _halves(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = 0.5 * (low + high)
    return np.concatenate([low, middle]), np.concatenate([middle, high])


@dataclass(frozen=True)
class _Found:
    """What a search has found: crossings ("phase" or "gain", x), and the largest |S| and |S - 1/2| with their x."""

    crossings: list[tuple[str, float]]
    peak: tuple[float, float]
    disk: tuple[float, float]


@kernel
def _fractions(m, r, poles, residues, sampled, value, slope, bound):
    """Sum residues/(s - poles) with derivative and bound of the second one over x, at s = jx or exp(jx)."""
    for k in range(len(m)):
        s = complex(np.cos(m[k]), np.sin(m[k])) if sampled else complex(0.0, m[k])
        total, rate, worst = 0.0j, 0.0j, 0.0
        for j in range(len(poles)):
            apart = s - poles[j]
            near = apart.real * apart.real + apart.imag * apart.imag
            size = np.sqrt(residues[j].real ** 2 + residues[j].imag ** 2)
            if size == 0.0:
                continue
            if near == 0.0:
                near = 1e-300
            over = complex(apart.real / near, -apart.imag / near)
            total += residues[j] * over
            rate -= residues[j] * over * over
            if sampled:
                away = np.sqrt(poles[j].real ** 2 + poles[j].imag ** 2) - 1.0
                least = max(np.sqrt(near) - r[k], away if away > 0.0 else -away)
            else:
                along = max((apart.imag if apart.imag > 0.0 else -apart.imag) - r[k], 0.0)
                least = np.sqrt(poles[j].real ** 2 + along * along)
            if least <= 0.0:
                worst = np.inf
            else:
                worst += size * 2.0 / (least * least * least)
                if sampled:
                    worst += size / (least * least)
        value[k] = total
        slope[k] = rate * (complex(-s.imag, s.real) if sampled else 1j)
        bound[k] = worst


def _scan(one: _Sensitivity) -> _Found:
    """Return all crossings of Re S with 1/2 and of Im S with 0, and the largest |S| and |S - 1/2|, in one search."""
    low, high = one.first_intervals()
    open_ = np.ones((4, len(low)), dtype=bool)  # what is not decided: phase, gain, |S|, |S - 1/2|
    roots: tuple[list[float], list[float]] = ([], [])
    ends = (0.0,) if one.dt is None else (0.0, float(np.pi))
    peaks = []
    for center in CENTERS:
        there = [(abs(one.value(x) - center), x) for x in ends]
        there += [(abs(one.d - center), np.inf)] if one.dt is None else []
        peaks.append(max((pair for pair in there if np.isfinite(pair[0])), default=(0.0, 0.0)))
    for _ in range(200):
        m, r = 0.5 * (low + high), 0.5 * (high - low)
        value, slope, bound = one.around(m, r)
        still = 0.5 * bound * r**2
        narrow = r <= NARROWEST * np.maximum(m, one.start)
        for j, (part, level) in enumerate(PARTS):
            f, df = part(value) - level, part(slope)
            near = open_[j] & ~(np.abs(f) > np.abs(df) * r + still)
            single = near & (np.abs(df) > bound * r)
            for k in np.flatnonzero(single):
                root = _only_root(one, part, level, float(low[k]), float(high[k]))
                roots[j].extend([] if root is None else [root])
            for k in np.flatnonzero(near & ~single & narrow):  # the curve touches its level here
                a, b = part(np.array([one.value(low[k]), one.value(high[k])])) - level
                roots[j].extend([float(m[k])] if a * b <= 0.0 and low[k] > 0.0 else [])
            open_[j] = near & ~single & ~narrow
        for j, center in enumerate(CENTERS):
            size = np.where(np.isfinite(value), np.abs(value - center), 0.0)
            best = int(size.argmax())
            if size[best] > peaks[j][0]:
                peaks[j] = float(size[best]), float(m[best])
            upper = size + np.abs(slope) * r + still
            open_[2 + j] &= ~narrow & ~(upper <= peaks[j][0] * (1.0 + TIGHT))
        left = open_.any(axis=0)
        if not left.any():
            break
        low, high = _halves(low[left], high[left])
        open_ = np.tile(open_[:, left], 2)
    found = [(kind, x) for kind, own in zip(("phase", "gain"), roots) for x in _apart(own, one.start)]
    for x in (*ends, np.inf) if one.dt is None else ends:
        S = one.value(x)
        if np.isfinite(S) and abs(S) < 1e12:
            found.append(("gain", x))
    return _Found(found, peaks[0], peaks[1])


def _apart(roots: list[float], start: float) -> list[float]:
    """Return roots in order, each once: one at the common end of two intervals is found twice."""
    kept: list[float] = []
    for root in sorted(roots):
        if not kept or root - kept[-1] > 4.0 * NARROWEST * max(root, start):
            kept.append(root)
    return kept


def _only_root(
    one: _Sensitivity, part: Callable[[np.ndarray], np.ndarray], level: float, low: float, high: float
) -> float | None:
    """Return the root of a part that is monotone between two ends, None where it is not between them."""

    def f(x: float) -> float:
        return float(part(np.array([one.value(x)]))[0]) - level

    a, b = f(low), f(high)
    if (low == 0.0 and a == 0.0) or a * b > 0.0:
        return None
    if a == 0.0:
        return low
    if b == 0.0:
        return None  # it is the first end of the next interval, or the end of the search
    from scipy.optimize import brentq

    return float(brentq(f, low, high, xtol=1e-15 * high, rtol=1e-14, maxiter=200))
