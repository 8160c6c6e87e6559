"""Sets of linear models: points along a flight, or runs of a study, with poles and margins over all of them.

Poles are followed from one model to the next: the assignment with the least sum of |s' - s|/(|s'| + |s|), s = ln(z)/dt
of sampled models. Where two poles cross, shapes tell them apart: `track_modes([model.modes() for model in models])`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.linear.margins import Margins, Regions
from interstage.linear.model import Chosen, LinearModel
from interstage.multibody.state import State
from interstage.output import as_path, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIME = "t (s)"
MOST_POLES = 12  # of a model that are printed in a row
FIELDS = ("gain_up_db", "gain_down_db", "phase_deg", "delay_s", "modulus", "disk")


def _number(value: float) -> float | None:
    """Return a number for JSON, None where it is infinite or not a number."""
    return float(value) if np.isfinite(value) else None


@named_arguments
class MarginsSet(Sequence[Margins]):
    """Margins of all models of a set, in their order; prints as a table.

    values (k,) : time or what else the set goes over;  over : name of that
    gain_db, gain_up_db, gain_down_db, phase_deg, delay_s, modulus, disk (k,) : the worst of each model, nan where its
        closed loop is unstable, inf where there is no crossing
    stable (k,) : whether the closed loop is;  growth (k,) : largest real part of its poles, sampled: largest |z|
    """

    def __init__(self, margins: Sequence[Margins], values: ArrayLike | None = None, over: str = TIME):
        self._margins = list(margins)
        if not all(isinstance(one, Margins) for one in self._margins):
            raise InputError("MarginsSet: margins must be a list of Margins", got=shown(margins))
        self.values, self.over = _checked_values(values, len(self._margins), "MarginsSet"), over

    def __len__(self) -> int:
        return len(self._margins)

    @overload
    def __getitem__(self, k: int) -> Margins: ...

    @overload
    def __getitem__(self, k: slice) -> MarginsSet: ...

    def __getitem__(self, k: int | slice) -> Margins | MarginsSet:
        if isinstance(k, slice):
            return MarginsSet(self._margins[k], self.values[k], self.over)
        return self._margins[k]

    def _array(self, name: str) -> np.ndarray:
        return np.array([getattr(one, name) for one in self._margins])

    @property
    def gain_db(self) -> np.ndarray:
        """Least gain margin of each model (k,), up or down, dB."""
        return self._array("gain_db")

    @property
    def gain_up_db(self) -> np.ndarray:
        """Least increase of a gain that makes each closed loop unstable (k,), dB."""
        return self._array("gain_up_db")

    @property
    def gain_down_db(self) -> np.ndarray:
        """Least decrease of a gain that makes each closed loop unstable (k,), dB, positive."""
        return self._array("gain_down_db")

    @property
    def phase_deg(self) -> np.ndarray:
        """Least phase margin of each model (k,), degrees."""
        return self._array("phase_deg")

    @property
    def delay_s(self) -> np.ndarray:
        """Least delay margin of each model (k,), s."""
        return self._array("delay_s")

    @property
    def modulus(self) -> np.ndarray:
        """Least |1 + L| of each model (k,)."""
        return self._array("modulus")

    @property
    def disk(self) -> np.ndarray:
        """Least symmetric disk margin of each model (k,), one loop at a time."""
        return self._array("disk")

    @property
    def stable(self) -> np.ndarray:
        """Whether each closed loop is stable (k,)."""
        return self._array("stable")

    @property
    def growth(self) -> np.ndarray:
        """Largest real part of a pole of each closed loop (k,), 1/s; of sampled models the largest |z|."""
        return self._array("growth")

    def worst(self, name: str = "gain_db") -> int:
        """Return the number of the model with the least margin of a kind; of an unstable one where there is any."""
        known = ("gain_db", *FIELDS)
        if name not in known:
            raise InputError("there is no such margin", got=shown(name), expected=", ".join(known))
        if not len(self):
            raise InputError("a set without margins has no worst one", where="worst")
        return int(np.argmin(np.where(self.stable, self._array(name), -np.inf)))

    def region(self, name: str) -> MarginsSet:
        """Return the margins of crossings in one region; infinite at models without a crossing there."""
        known = sorted({row.region for one in self for row in one.rows if row.region})
        if name not in known:
            raise InputError(
                f"there is no crossing in a region '{name}' at any model",
                got=shown(name),
                expected=", ".join(known) or "none",
            )
        return MarginsSet([_in_region(one, name) for one in self], self.values, self.over)

    def table(self) -> str:
        """Return a row for each model: its worst margins."""
        head = f"{self.over:>10}  gain up dB  gain down dB  phase deg    delay s  modulus  disk margin"
        rows = [head]
        for value, one in zip(self.values, self):
            numbers = (
                f"  {one.gain_up_db:10.2f}  {one.gain_down_db:12.2f}  {one.phase_deg:9.2f}  {one.delay_s:9.4g}"
                f"  {one.modulus:7.3f}  {one.disk:11.3f}"
            )
            rows.append(f"{value:10.6g}" + (numbers if one.stable else "  UNSTABLE, no margins"))
        return "\n".join(rows)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<MarginsSet: {len(self)} models, {int(self.stable.sum())} stable>"

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain numbers and texts; what is infinite or not a number is None."""
        return {
            "over": self.over,
            "values": [_number(value) for value in self.values],
            "margins": [one.to_dict() for one in self],
        }

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")


def _in_region(one: Margins, name: str) -> Margins:
    """Return the margins of a region, without rows where it has none."""
    if any(row.region == name for row in one.rows):
        return one.region(name)
    none = float(np.inf)
    loops = tuple(
        replace(each, gain_up_db=none, gain_down_db=none, phase_deg=none, delay_s=none) for each in one.loops
    )
    return replace(one, rows=(), loops=loops)


@dataclass(frozen=True, repr=False)
class PolesSet:
    """Poles of all models of a set, followed from model to model; prints as a table.

    values (k,) : time or what else the set goes over;  over : name of that
    poles (k, n) : in 1/s, of sampled models ln(z)/dt; nan where a model has fewer, or a pole at z = 0
    verdicts (k) : "stable", "marginal" or "unstable" of each model, as `Poles.verdict`
    """

    values: np.ndarray
    over: str
    poles: np.ndarray
    verdicts: tuple[str, ...]

    @property
    def frequency_hz(self) -> np.ndarray:
        """Frequencies |s|/2π (k, n)."""
        return np.abs(self.poles) / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios -Re s/|s| (k, n); 0 of a pole at zero."""
        size = np.abs(self.poles)
        return np.where(size == 0.0, 0.0, -self.poles.real / np.where(size == 0.0, 1.0, size))

    def table(self) -> str:
        """Return a row for each model: frequency and damping of the oscillations, lowest first."""
        lines = [f"{self.over:>10}  poles     oscillations: Hz (damping, %)"]
        for value, row, hz, damping, verdict in zip(
            self.values, self.poles, self.frequency_hz, self.damping, self.verdicts
        ):
            places = [k for k in np.argsort(hz) if row[k].imag > 1e-9 * abs(row[k])]
            words = [f"{hz[k]:.4g} ({100.0 * damping[k]:.3g})" for k in places[:MOST_POLES]]
            words += [f"{len(places) - MOST_POLES} more"] if len(places) > MOST_POLES else []
            lines.append(f"{value:10.6g}  {verdict:<8}  {', '.join(words) or 'none'}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<PolesSet: {len(self.poles)} models, {self.verdicts.count('stable')} stable>"


@named_arguments
class LinearModelSet(Sequence[LinearModel]):
    """Linear models with the same inputs and outputs: along a flight, or of many vehicles.

    `ist.linearize` and `ist.open_loop` return it for a list of operating points. Models may differ in their states, as
    after staging; sample times are the same.

    Parameters
    ----------
    models : the models in order
    values (k,) : what the set goes over; default: times of the operating points where all have one, else 0, 1, ...
    over : name of that, e.g. "run" or "mass (kg)"; default "t (s)"
    name : title

    Examples
    --------
    >>> models = LinearModelSet([LinearModel([[-k]], [[1.0]], [[k]], [[0.0]]) for k in (1.0, 2.0)], [0.0, 10.0])
    >>> models.poles().poles.real.ravel()
    array([-1., -2.])
    >>> models.margins().stable
    array([ True,  True])
    """

    def __init__(
        self,
        models: Sequence[LinearModel],
        values: ArrayLike | None = None,
        over: str | None = None,
        name: str | None = None,
    ):
        if isinstance(models, LinearModel) or not isinstance(models, Sequence):
            raise InputError("LinearModelSet: models must be a list of linear models", got=shown(models))
        self._models = list(models)
        _check_alike(self._models)
        times = [model.operating_point.get("t") for model in self._models]
        timed = bool(times) and all(t is not None for t in times)
        if values is None and timed:
            values = [float(np.asarray(t)) for t in times if t is not None]
            over = over or TIME
        elif values is None:
            over = over or "model"
        self.values = _checked_values(values, len(self._models), "LinearModelSet")
        self.over = over or TIME
        self.name = name or (self._models[0].name if self._models else "linear models")

    def __len__(self) -> int:
        return len(self._models)

    @overload
    def __getitem__(self, k: int) -> LinearModel: ...

    @overload
    def __getitem__(self, k: slice) -> LinearModelSet: ...

    def __getitem__(self, k: int | slice) -> LinearModel | LinearModelSet:
        if isinstance(k, slice):
            return LinearModelSet(self._models[k], self.values[k], self.over, self.name)
        return self._models[k]

    def __repr__(self) -> str:
        return f"<LinearModelSet '{self.name}': {len(self)} models>"

    def __str__(self) -> str:
        first = self._models[0] if self._models else None
        parts = [f"{len(self)} models"]
        if first is not None:
            parts += [f"{len(first.inputs)} inputs", f"{len(first.outputs)} outputs"]
            parts += [] if first.dt is None else [f"every {first.dt:g} s"]
        lines = [f"LinearModelSet '{self.name}': {', '.join(parts)}"]
        if first is not None:
            lines += [
                f"  inputs   {', '.join(first.inputs[:8])}",
                f"  outputs  {', '.join(first.outputs[:8])}",
            ]
            lines.append(self.poles().table())
        notes = list(dict.fromkeys(note for model in self for note in model.notes))
        return "\n".join([*lines, *(f"  note     {note}" for note in notes)])

    # what they have in common -------------------------------------------------------------------------

    @property
    def t(self) -> np.ndarray:
        """Times of the operating points (k,), s; nan where a model has none."""
        return np.array([float(model.operating_point.get("t", np.nan)) for model in self])

    @property
    def dt(self) -> float | None:
        """Sample time of all models, None in continuous time."""
        return self._models[0].dt if self._models else None

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs."""
        return list(self._models[0].inputs) if self._models else []

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return list(self._models[0].outputs) if self._models else []

    # analysis -----------------------------------------------------------------------------------------

    def poles(self) -> PolesSet:
        """Return the poles of all models, followed from one to the next."""
        found = [model.poles() for model in self]
        return PolesSet(
            self.values.copy(),
            self.over,
            _followed([one.continuous for one in found]),
            tuple(one.verdict for one in found),
        )

    def margins(self, regions: Regions | None = None) -> MarginsSet:
        """Return the margins of all models as loops L; see `LinearModel.margins`."""
        return MarginsSet([model.margins(regions) for model in self], self.values.copy(), self.over)

    def frequency_response(
        self, f_hz: ArrayLike, inputs: Chosen = None, outputs: Chosen = None
    ) -> np.ndarray:
        """Return H (k, nf, ny, nu), complex, of all models."""
        rows = [model.frequency_response(f_hz, inputs, outputs) for model in self]
        return np.array(rows) if rows else np.zeros((0, np.size(f_hz), 0, 0), complex)

    # joining ------------------------------------------------------------------------------------------

    def with_models(self, models: Sequence[LinearModel]) -> LinearModelSet:
        """Return a set over the same values of other models."""
        return LinearModelSet(models, self.values.copy(), self.over, self.name)

    def _each(
        self, change: Callable[[LinearModel, LinearModel | ArrayLike], LinearModel], law: object, what: str
    ) -> LinearModelSet:
        several = isinstance(law, LinearModelSet) or (
            isinstance(law, Sequence) and len(law) > 0 and all(isinstance(one, LinearModel) for one in law)
        )
        laws = list(law) if several else [law] * len(self)  # type: ignore[call-overload]
        if len(laws) != len(self):
            raise InputError(
                f"{what}: there must be one model for each of the set",
                expected=f"{len(self)}",
                got=f"{len(laws)}",
            )
        return self.with_models([change(model, one) for model, one in zip(self, laws)])

    def select(self, inputs: Chosen = None, outputs: Chosen = None) -> LinearModelSet:
        """Return the models with some of the inputs and outputs, in the order given."""
        return self.with_models([model.select(inputs, outputs) for model in self])

    def series(self, second: LinearModel | Sequence[LinearModel]) -> LinearModelSet:
        """Return the models with their outputs going into another, or into one for each."""
        return self._each(lambda model, one: model.series(one), second, "series")  # type: ignore[arg-type]

    def feedback(
        self,
        law: LinearModel | Sequence[LinearModel] | ArrayLike,
        sign: int = -1,
        inputs: Chosen = None,
        outputs: Chosen = None,
    ) -> LinearModelSet:
        """Return the closed loops u = r + sign law(y) with one law, or with one for each model."""
        return self._each(lambda model, one: model.feedback(one, sign, inputs, outputs), law, "feedback")

    # files and pictures -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write all models into one HDF5 file (.h5); `ist.load` reads it."""
        from interstage.linear.files import write_linear_set

        path = as_path(path, "file of linear models")
        if path.suffix.lower() not in (".h5", ".hdf5"):
            raise InputError(
                "a set of linear models must go into an HDF5 file",
                expected=".h5 or .hdf5",
                got=shown(path.name),
                hint="other formats hold one model: models[0].save(...)",
            )
        write_linear_set(self, path)

    @classmethod
    def load(cls, path: str | Path) -> LinearModelSet:
        """Read a set of models."""
        from interstage.linear.files import read_linear_set

        return read_linear_set(path)

    def plot(self, regions: Regions | None = None) -> Figure:
        """Draw frequency and damping of the poles over the set, and margins where the models are loops."""
        return import_module("interstage.report.plots").model_set_figure(self, regions)


def _checked_values(values: ArrayLike | None, count: int, where: str) -> np.ndarray:
    """Return values (count,) of a set."""
    if values is None:
        return np.arange(float(count))
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        found = np.zeros((0, 0))
    if found.shape != (count,) or not np.isfinite(found).all():
        raise InputError(
            f"{where}: values must be a finite number for each model", expected=f"{count}", got=shown(values)
        )
    return found


def _check_alike(models: Sequence[LinearModel]) -> None:
    """Refuse models that do not belong into one set."""
    for k, model in enumerate(models):
        if not isinstance(model, LinearModel):
            raise InputError("LinearModelSet: models must be linear models", where=f"[{k}]", got=shown(model))
        for what, own, first in (
            ("inputs", model.inputs, models[0].inputs),
            ("outputs", model.outputs, models[0].outputs),
        ):
            if own != first:
                raise InputError(
                    f"LinearModelSet: all models must have the same {what}",
                    where=f"[{k}]",
                    expected=", ".join(first[:6]),
                    got=", ".join(own[:6]),
                    hint="choose them by model.select(inputs, outputs)",
                )
        one, other = model.dt, models[0].dt
        if (one is None) != (other is None) or (one and other and abs(one - other) > 1e-12 * other):
            words = ["continuous" if dt is None else f"every {dt:g} s" for dt in (other, one)]
            raise InputError(
                "LinearModelSet: all models must have the same sample time",
                where=f"[{k}]",
                expected=words[0],
                got=words[1],
            )


def _followed(poles: Sequence[np.ndarray]) -> np.ndarray:
    """Return poles (k, n), each column one that is followed from model to model; nan where there is none."""
    n = max((len(one) for one in poles), default=0)
    found = np.full((len(poles), n), np.nan + 0.0j)
    last = np.full(n, np.nan + 0.0j)
    for k, own in enumerate(poles):
        own = own[np.isfinite(own)]
        if np.isnan(last).all():
            found[k, : len(own)] = own
        else:
            distance = np.abs(own[:, None] - last) / np.maximum(np.abs(own[:, None]) + np.abs(last), 1e-9)
            rows, columns = scipy.optimize.linear_sum_assignment(np.where(np.isnan(distance), 2.0, distance))
            found[k, columns] = own[rows]
        last = np.where(np.isnan(found[k]), last, found[k])
    return found


def models_at(
    points: Sequence[State], one: Callable[[State], LinearModel], name: str | None
) -> LinearModelSet:
    """Return the set of the models at several points."""
    if not points or not all(isinstance(point, State) for point in points):
        raise InputError(
            "x0 must be an operating point, or a list of operating points",
            where="x0",
            expected="as from trim, log.point or points",
            got=shown(points),
        )
    return LinearModelSet([one(point) for point in points], name=name)
