"""`LinearModel`: A, B, C, D with names, what it can tell, and the ways to save it."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.linear import joining, reduction, response
from interstage.linear.poles import (
    DIFFERENCED,
    EXACT,
    LinearModes,
    Poles,
    damped_modes,
    invariant_zeros,
    poles_of,
    sampled_poles_of,
    seen_as,
    undamped_modes,
)
from interstage.linear.reduction import ModalGains

Chosen = str | int | Sequence[str | int] | None

if TYPE_CHECKING:
    from control import StateSpace

    from interstage.linear.margins import Margins
    from interstage.simulation.plant.clock import Period

MOST_NAMES = 8  # of states, inputs or outputs that are printed
NOTHING = 1e-15  # values at the operating point that are printed as zero
INDICES = ("state_index", "input_index", "output_index")


@named_arguments
@dataclass(eq=False)
class LinearModel:
    """A linear state-space model for small deviations from an operating point, with names and units.

    ẋ = A x + B u, y = C x + D u in continuous time; with `dt`, x⁺ = A x + B u.

    Parameters
    ----------
    A (n, n), B (n, nu), C (ny, n), D (ny, nu) : real matrices
    states, inputs, outputs : names
    state_index, input_index, output_index : {group: indices from 0}
    state_units, input_units, output_units : a unit for each
    grid_positions {node: (3,)}, mass_properties {mass, cmoffset, inertia} : about the reference place
    operating_point : {q, v, vdot, y} about which the model holds, with its time t (s) and inputs u where it has these
    method : {method, step, richardson, error} of its derivatives
    extras : arrays, or dictionaries of arrays, by name, which are saved with the model
    name : title of the model
    dt : seconds from one sample to the next; None: continuous time
    notes : sentences on how far the model holds, printed and saved with it

    Examples
    --------
    >>> lin = LinearModel([[0, 1], [-4.0, -0.4]], [[0], [1]], [[1, 0]], [[0]], states=["q", "v"])
    >>> lin.poles().frequency_hz * 2 * np.pi
    array([2., 2.])
    >>> lin.frequency_response([0.0])[0].real
    array([[0.25]])
    >>> LinearModel([[0.5]], [[1.0]], [[1.0]], [[0.0]], dt=0.1).poles()
              real      imaginary       size           Hz    damping poles
               0.5              0   0.500000     1.103178   1.000000     1
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    state_index: dict[str, np.ndarray] = field(default_factory=dict)
    input_index: dict[str, np.ndarray] = field(default_factory=dict)
    output_index: dict[str, np.ndarray] = field(default_factory=dict)
    state_units: list[str] = field(default_factory=list)
    input_units: list[str] = field(default_factory=list)
    output_units: list[str] = field(default_factory=list)
    grid_positions: dict[str, np.ndarray] = field(default_factory=dict)
    mass_properties: dict[str, float | np.ndarray] = field(default_factory=dict)
    operating_point: dict[str, np.ndarray] = field(default_factory=dict)
    method: dict[str, str | float | bool | None] = field(default_factory=dict)
    extras: dict[str, object] = field(default_factory=dict)
    name: str = "linear model"
    dt: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.dt, self.notes = _sample_time(self.dt), _sentences(self.notes)
        for letter in "ABCD":
            try:
                given = np.asarray(getattr(self, letter))
                if given.dtype.kind == "c":
                    raise InputError(
                        f"{letter} of a linear model is complex",
                        expected="real numbers",
                        hint="states are real",
                    )
                matrix = np.array(given, dtype=float, order="C")
            except (TypeError, ValueError, RuntimeWarning):
                matrix = np.full((0, 0, 0), np.nan)
            if matrix.ndim != 2 or not np.isfinite(matrix).all():
                raise InputError(f"{letter} of a linear model must be a matrix of finite numbers")
            setattr(self, letter, matrix)
        n, nu, ny = len(self.A), self.B.shape[1], len(self.C)
        expected = {"A": (n, n), "B": (n, nu), "C": (ny, n), "D": (ny, nu)}
        for letter, shape in expected.items():
            if getattr(self, letter).shape != shape:
                raise InputError(
                    f"{letter} of a linear model does not fit the others",
                    expected=f"{shape[0]} x {shape[1]}",
                    got=" x ".join(map(str, getattr(self, letter).shape)),
                )
        for what, count, letter in (("states", n, "x"), ("inputs", nu, "u"), ("outputs", ny, "y")):
            names = list(getattr(self, what)) or [f"{letter}{k + 1}" for k in range(count)]
            if len(names) != count or len(set(names)) != count:
                raise InputError(
                    f"a linear model needs {count} different names of {what}", got=f"{len(names)}"
                )
            setattr(self, what, names)
            index = getattr(self, f"{what[:-1]}_index")
            every = np.hstack(list(index.values())) if index else np.zeros(0)
            if every.size and not (every.min() >= 0 and every.max() < count):
                group, places = next(
                    (g, p) for g, p in index.items() if np.any((np.asarray(p) < 0) | (np.asarray(p) >= count))
                )
                raise InputError(
                    f"group '{group}' of a linear model names {what} that are not there",
                    expected=f"indices from 0 to {count - 1}",
                    got=f"{np.asarray(places).tolist()}",
                )
            units = list(getattr(self, f"{what[:-1]}_units")) or [""] * count
            setattr(self, f"{what[:-1]}_units", units)

    def with_matrices(
        self, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, **others: object
    ) -> LinearModel:
        """Return a model of the same states, inputs and outputs with other matrices, kept as they are given.

        A, B, C, D : of finite numbers, in the shapes of those here;  others : fields to replace beside them
        """
        new, old = (
            (A.shape, B.shape, C.shape, D.shape),
            (self.A.shape, self.B.shape, self.C.shape, self.D.shape),
        )
        if new != old:
            raise InputError(
                "matrices do not fit the names of a linear model",
                expected=", ".join(map(str, old)),
                got=", ".join(map(str, new)),
            )
        found = object.__new__(type(self))
        own = found.__dict__
        own.update(self.__dict__)
        own["_passed"] = passed = dict(own.get("_passed", ()))
        for name in INDICES:
            if name in own:
                passed[name] = _copied(own.pop(name))
        for name, value in own.items():
            if value.__class__ is list:
                own[name] = value.copy()
            elif value.__class__ is dict and name not in others and value is not passed:
                own[name] = _copied(value)
        own.update(others, A=A, B=B, C=C, D=D)
        return found

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> dict[str, np.ndarray]:
            """Return a copy, from now on its own, of an index map that `with_matrices` has passed on unseen."""
            passed = self.__dict__.get("_passed", {})
            if name not in passed:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return self.__dict__.setdefault(name, _copied(passed[name]))

    def __getstate__(self) -> dict[str, object]:
        own = {name: getattr(self, name) for name in INDICES} | self.__dict__
        own.pop("_passed", None)
        return own

    # shape --------------------------------------------------------------------------------------------

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.A)

    def __repr__(self) -> str:
        n, nu, ny = len(self.A), self.B.shape[1], len(self.C)
        parts = [f"{n} states", f"{nu} inputs", f"{ny} outputs"]
        parts += [] if self.dt is None else [f"every {self.dt:g} s"]
        how = self.method.get("method", "")
        return f"<LinearModel '{self.name}': {', '.join([*parts, *([str(how)] if how else [])])}>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        for what, names, units in (
            ("states", self.states, []),
            ("inputs", self.inputs, self.input_units),
            ("outputs", self.outputs, self.output_units),
        ):
            named = [f"{n} ({u})" if u else n for n, u in zip(names, units or [""] * len(names))]
            more = [f"... {len(named) - MOST_NAMES} more"] if len(named) > MOST_NAMES else []
            lines += [f"  {what:<8} {', '.join([*named[:MOST_NAMES], *more])}"] if named else []
        if len(self.A):
            poles = self.poles()
            band = [f for _, f, _, _ in poles.rows() if f > 0.0]
            lines.append(
                f"  poles    {poles.verdict}" + (f", {min(band):.4g} to {max(band):.4g} Hz" if band else "")
            )
        lines += [f"  {'point':<8} {', '.join(said)}"] if (said := self._said_of_the_point()) else []
        lines += [f"  {'note':<8} {note}" for note in self.notes]
        return "\n".join(lines)

    def _said_of_the_point(self) -> list[str]:
        """Return the time, the motion, and the inputs and outputs at the operating point, as far as they are known."""
        point = self.operating_point
        said = [f"t = {float(point['t']):.6g} s"] if "t" in point else []
        said += ["moving" if np.any(point["v"]) else "at rest"] if "v" in point else []
        channels = [
            (f"{name} = {value:.4g} {unit}".rstrip(), value)
            for names, units, key in (
                (self.inputs, self.input_units, "u"),
                (self.outputs, self.output_units, "y"),
            )
            if len(point.get(key, ())) == len(names)
            for name, unit, value in zip(names, units, point.get(key, ()))
        ]
        named = [words for words, value in channels if abs(value) > NOTHING]
        said += named[:MOST_NAMES]
        said += [f"{len(named) - MOST_NAMES} more"] if len(named) > MOST_NAMES else []
        if len(named) < len(channels):
            said.append("other inputs and outputs 0" if named else "inputs and outputs 0")
        return said

    def _places(
        self, chosen: Chosen, names: list[str], index: Mapping[str, np.ndarray], what: str
    ) -> np.ndarray:
        """Return indices of channels given by name, name of a group, pattern of those ("pod*.gimbal"), or number."""
        if chosen is None:
            return np.arange(len(names))
        found: list[int] = []
        several = isinstance(chosen, Sequence) or np.ndim(chosen) > 0
        several = several and not isinstance(chosen, str)
        for item in chosen if several else [chosen]:
            if isinstance(item, int | np.integer) and -len(names) <= item < len(names):
                found.append(int(item) % len(names))
            elif isinstance(item, str) and item in names:
                found.append(names.index(item))
            elif isinstance(item, str) and item in index:
                found += [int(k) for k in index[item]]
            elif isinstance(item, str) and "*" in item and fnmatch.filter([*names, *index], item):
                groups = fnmatch.filter(index, item)
                parts = [index[name] for name in groups] or [
                    [names.index(n)] for n in fnmatch.filter(names, item)
                ]
                found += list(dict.fromkeys(int(k) for part in parts for k in part))
            else:
                raise InputError(f"there is no {what} {item!r}", hint=known_names([*names, *index]))
        return np.array(found, dtype=np.int64)

    def input_places(self, chosen: Chosen) -> np.ndarray:
        """Return indices of inputs given by name, name of a group, or number; None is all."""
        return self._places(chosen, self.inputs, self.input_index, "input")

    def output_places(self, chosen: Chosen) -> np.ndarray:
        """Return indices of outputs given by name, name of a group, or number; None is all."""
        return self._places(chosen, self.outputs, self.output_index, "output")

    def select(self, inputs: Chosen = None, outputs: Chosen = None) -> LinearModel:
        """Return the model with some of the inputs and outputs, in the order given."""
        i, o = self.input_places(inputs), self.output_places(outputs)
        return replace(
            self,
            B=self.B[:, i],
            C=self.C[o],
            D=self.D[np.ix_(o, i)],
            inputs=[self.inputs[k] for k in i],
            outputs=[self.outputs[k] for k in o],
            input_units=[self.input_units[k] for k in i],
            output_units=[self.output_units[k] for k in o],
            input_index=_kept_index(self.input_index, i),
            output_index=_kept_index(self.output_index, o),
            operating_point=self.operating_point
            | {k: self.operating_point[k][at] for k, at in (("u", i), ("y", o)) if k in self.operating_point},
        )

    # analysis -----------------------------------------------------------------------------------------

    def poles(self) -> Poles:
        """Return the poles (n,) in order of size; `.frequency_hz`, `.damping`; prints as a table.

        Of a sampled model the eigenvalues z, largest first: it is stable where all are inside the unit circle.
        Frequency and damping are those of ln(z)/dt.
        """
        rounding = DIFFERENCED if str(self.method.get("method", "")).startswith("central") else EXACT
        return poles_of(self.A, rounding) if self.dt is None else sampled_poles_of(self.A, self.dt, rounding)

    def modes(self, damped: bool = True) -> LinearModes:
        """Return damped modes (eigenvectors of A), or undamped ones (without the rate terms, at rest)."""
        if damped:
            return damped_modes(self.A, self.states, self.dt)
        if self.dt is not None:
            raise InputError(
                "a sampled model has no undamped modes",
                got=f"every {self.dt:g} s",
                hint="use modes(damped=True)",
            )
        n = len(self.A) // 2
        if 2 * n != len(self.A) or not self.state_index:
            raise InputError(
                "undamped modes need states in the order [positions; rates]", hint="use modes(damped=True)"
            )
        return undamped_modes(self.A, n, self.states)

    def frequency_response(
        self, f_hz: ArrayLike, inputs: Chosen = None, outputs: Chosen = None, form: str = "auto"
    ) -> np.ndarray:
        """Return H(j2πf) (nf, ny, nu), complex, of all channels or of those chosen; of a sampled model H(exp(j2πf dt)).

        form : "modal", "schur", or "auto": modal where its transformation is well conditioned
        """
        try:
            f = np.atleast_1d(np.asarray(f_hz, dtype=float))
        except (TypeError, ValueError, RuntimeWarning):
            f = np.array([np.nan])
        if f.ndim != 1 or not np.isfinite(f).all():
            raise InputError("frequencies must be finite numbers", where="f_hz", got=repr(f_hz)[:60])
        i, o = self.input_places(inputs), self.output_places(outputs)
        B, C, D = self.B[:, i], self.C[o], self.D[np.ix_(o, i)]
        if self.dt is None:
            return response.frequency_response(self.A, B, C, D, f, form)
        # about one, where rigid-body poles are: (z - 1) - (A - 1)
        about = np.expm1(2j * np.pi * f * self.dt)
        return response.response_at(self.A - np.eye(len(self.A)), B, C, D, about, form)

    def zeros(self, inputs: Chosen = None, outputs: Chosen = None) -> Poles:
        """Return the finite invariant zeros between the chosen inputs and outputs (transmission zeros if minimal).

        In order of size; of a sampled model zeros in z, largest first.
        """
        i, o = self.input_places(inputs), self.output_places(outputs)
        found = invariant_zeros(self.A, self.B[:, i], self.C[o], self.D[np.ix_(o, i)])
        return seen_as(found if self.dt is None else found[::-1], self.dt)

    def modal_gains(self) -> ModalGains:
        """Return peak gains (m, ny, nu) and Hankel singular values (m,) of the modes, in order of frequency."""
        return reduction.modal_gains(self)

    def truncate(
        self,
        n: int | None = None,
        *,
        modes: Sequence[int] | None = None,
        below_hz: float | None = None,
        by: str = "gramian",
        static_gain: bool = True,
    ) -> LinearModel:
        """Return a model with the n most important modes (or those numbered, or below a frequency).

        by : ranking, "gramian", "gain" or "frequency";  static_gain : keep that of the modes left out, in D
        """
        return reduction.truncate(self, n, modes, below_hz, by, static_gain)

    def reduce(self, n: int | None = None, *, error: float | None = None) -> LinearModel:
        """Return a model of few states by balanced truncation; poles that are not stable are kept as they are.

        n : states of the stable part to keep;  error : or as few as keep ‖G - G_n‖∞ below this, by Glover's bound
        `extras["reduction"]` has Hankel's singular values, the bound, the error that was measured at resonances and
        between, and how many states are not stable. A reduction whose error exceeds its bound is refused. Units of
        states do not matter; outputs of different units are weighed as their numbers are: scale them first.
        """
        return reduction.reduce(self, n, error)

    # joining ------------------------------------------------------------------------------------------

    def discretize(self, dt: Period, method: str = "zoh") -> LinearModel:
        """Return the model from one sample to the next, `dt` seconds later, or as in "10 ms".

        "zoh" holds inputs between, "foh" and "tustin" do not.
        """
        return joining.discretize(self, dt, method)

    def series(self, second: LinearModel) -> LinearModel:
        """Return this model with its outputs going into another, in their order."""
        return joining.series(self, second)

    def feedback(
        self, law: LinearModel | ArrayLike, sign: int = -1, inputs: Chosen = None, outputs: Chosen = None
    ) -> LinearModel:
        """Return the closed loop u = r + sign law(y) of a model or gains; inputs, outputs : that it drives and sees."""
        return joining.feedback(self, law, sign, inputs, outputs)

    def time_response(
        self,
        t: ArrayLike | None = None,
        u: ArrayLike | None = None,
        x0: ArrayLike | None = None,
        held: bool = False,
    ) -> np.ndarray:
        """Return outputs (nt, ny) at times t for inputs u (nt, nu), straight lines between times or held; exact.

        Of a sampled model times are `dt` apart and may be left out: `time_response(u)` and `time_response(u, x0)` have
        a row of inputs for each sample.
        """
        if self.dt is None:
            return joining.response(self, t, 0.0 if u is None else u, x0, held)
        return joining.sampled_response(self, *joining.rows_of_samples(self, t, u, x0))

    # design -------------------------------------------------------------------------------------------

    def margins(self, regions: Mapping[str, tuple[float, float]] | None = None) -> Margins:
        """Return gain, phase, delay, modulus and disk margins of this model as the loop L of 1 + L = 0.

        Of several channels those of each with the others closed.

        regions : {name: (from, to) in Hz}: bands that name crossings; default: rigid, slosh or bending by the motion
            that dominates a crossing, of a loop made by `ist.open_loop`
        """
        from interstage.linear.margins import margins

        return margins(self, regions)

    def effectiveness(
        self, outputs: Chosen, inputs: Chosen = None, below_hz: float | None = None
    ) -> np.ndarray:
        """Return how fast the inputs make outputs change as rigid motion goes (ny, nu): for a rate, rad/s² a unit.

        below_hz : poles of rigid motion are below this; None: 0.05 Hz, and on to a gap of a factor of 3
        """
        from interstage.linear.design import effectiveness

        return effectiveness(self, outputs, inputs, below_hz)

    def rigid(
        self,
        attitude: Chosen = None,
        rate: Chosen = None,
        inputs: Chosen = None,
        below_hz: float | None = None,
        position: Chosen = None,
        velocity: Chosen = None,
    ) -> LinearModel:
        """Return the rigid rotation: states are the outputs attitude and rate, inputs angular accelerations wanted.

        attitude, rate : outputs; default: those in rad (or a quaternion) and in rad/s;  below_hz : as `effectiveness`
        position, velocity : outputs that are states as well, those that turning moves, as across the thrust
        """
        from interstage.linear.design import rigid

        return rigid(self, attitude, rate, inputs, below_hz, position, velocity)

    # files --------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model by its name: HDF5 (.h5) in the layout of NESC App. G.4, .mat, .npz, or a MATLAB script .m."""
        from interstage.linear.files import write_linear

        write_linear(self, path)

    def save_mat(self, path: str | Path) -> None:
        """Write the model for MATLAB and Octave."""
        from interstage.linear.files import write_linear

        write_linear(self, path, kind=".mat")

    @classmethod
    def load(cls, path: str | Path) -> LinearModel:
        """Read a model from HDF5, .mat or .npz, as the content of the file says."""
        from interstage.linear.files import read_linear

        return read_linear(path)

    def to_control(self) -> StateSpace:
        """Return the model as a `control.StateSpace` of python-control, with names."""
        try:
            import control
        except ImportError:
            raise InputError(
                "python-control is not installed", hint="pip install 'interstage[control]'"
            ) from None
        labels = {what: _labels(getattr(self, what)) for what in ("states", "inputs", "outputs")}
        dt = 0 if self.dt is None else self.dt
        return control.StateSpace(self.A, self.B, self.C, self.D, dt, name=_label(self.name), **labels)


def _sample_time(dt: object) -> float | None:
    """Return a sample time in seconds, or None of continuous time."""
    if dt is None:
        return None
    number = isinstance(dt, int | float | np.integer | np.floating) and not isinstance(dt, bool)
    if not number or not (np.isfinite(dt) and dt > 0):  # type: ignore[call-overload,operator]
        raise InputError(
            "dt of a linear model must be a time above zero",
            expected="seconds from one sample to the next, or None for continuous time",
            got=repr(dt),
        )
    return float(dt)  # type: ignore[arg-type]


def _sentences(notes: object) -> tuple[str, ...]:
    """Return notes as a tuple of texts; one text alone is one note."""
    given = (notes,) if isinstance(notes, str) else notes
    if not isinstance(given, tuple | list) or not all(isinstance(note, str) for note in given):
        raise InputError(
            "notes of a linear model must be texts", expected="a tuple of str", got=repr(notes)[:60]
        )
    return tuple(given)


def _copied(items: Mapping[str, object]) -> dict[str, object]:
    """Return a dictionary of copies of arrays."""
    return {k: a.copy() if a.__class__ is np.ndarray else a for k, a in items.items()}


def _label(name: str) -> str:
    """Return a name that python-control takes: dots separate system and signal there."""
    return name.replace(".", "_").replace(" ", "_")


def _labels(names: Sequence[str]) -> list[str]:
    """Return labels that stay different: "a.b" and "a_b" are one name after the change."""
    found: list[str] = []
    for name in names:
        label, k = _label(name), 2
        while label in found:
            label, k = f"{_label(name)}_{k}", k + 1
        found.append(label)
    return found


def _kept_index(index: Mapping[str, np.ndarray], kept: np.ndarray) -> dict[str, np.ndarray]:
    """Return an index map after some channels are left out."""
    place = {int(k): j for j, k in enumerate(kept)}
    found = {name: [place[int(k)] for k in old if int(k) in place] for name, old in index.items()}
    return {name: np.array(new, dtype=np.int64) for name, new in found.items() if new}


_PLACE_OF_DT = 19  # among the arguments


class _Sampled(type):
    """Makes a `LinearModel` when called; one with a sample time is an instance."""

    def __call__(cls, *given: Any, **named: Any) -> LinearModel:
        if len(given) <= _PLACE_OF_DT:
            named.setdefault("dt", 1.0)
        return LinearModel(*given, **named)

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, LinearModel) and other.dt is not None


class SampledModel(metaclass=_Sampled):
    """`LinearModel(A, B, C, D, dt=...)`, with `dt` = 1 s where it is not said.

    >>> SampledModel([[0.5]], [[1.0]], [[1.0]], [[0.0]], dt=0.1)
    <LinearModel 'linear model': 1 states, 1 inputs, 1 outputs, every 0.1 s>
    """
