"""Linear models with uncertain parameters: derivatives, worst cases, and bounds of the structured singular value.

`uncertain` linearizes a vehicle or an assembly as often as it takes: derivatives of A, B, C and D along every parameter
are central differences of matrices that are exact but for rounding, extrapolated to step zero
(`sensitivity.matrix_derivative`). `lft` makes a linear fractional transformation of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import FidelityWarning, InputError, caller_level, shown
from interstage.linear.lft import LFT, MuBounds, Robustness, make_lft, mu_at, robustness_of, stacked
from interstage.linear.linearize import linearize
from interstage.linear.loops import open_loop
from interstage.linear.margins import Margins, connected_states
from interstage.linear.model import LinearModel
from interstage.linear.plant import Matrices
from interstage.linear.sensitivity import (
    MarginDerivative,
    Sensitivities,
    closed_matrices,
    margin_derivatives,
    matrix_derivative,
    pole_derivatives,
)
from interstage.linear.uncertain_parameters import ChangedFlight, Source, UncertainParameter, rest_of
from interstage.linear.worst_margins import WorstMargins, search_margins
from interstage.multibody.state import State
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import Push, Value
from interstage.simulation.plant.python_block import Law

if TYPE_CHECKING:
    from interstage.linear.outputs import OutputSpec
    from interstage.multibody.system import System

WHERE = "uncertain"
NOTICEABLE = 0.05  # error of affinity, relative to what the box changes, that is warned of


@named_arguments
def uncertain(
    flight: System | Assembly | Callable[..., LinearModel],
    point: State | None = None,
    parameters: Mapping[str, object] | None = None,
    *,
    at: str | Sequence[str] | None = None,
    inputs: Sequence[object] | str | None = None,
    outputs: Sequence[OutputSpec | str] | str | None = None,
    loop: bool | None = None,
    sampled: bool | None = None,
    set: Mapping[str, Value] | None = None,
) -> Uncertain:
    """Return a linear model with uncertain parameters: its sensitivities, worst margins and bounds.

    Parameters
    ----------
    flight : a vehicle, an assembly, or a function of the parameters that returns a `LinearModel`
    point : operating point; state and loads stay where parameters change
    parameters : {name: relative half range, or (low, high)}. Names of a vehicle are those of a batch
        ("stiffness.core", "damping.arm.angle", "mass.tank", "frequency.slosh"): factors, one at the vehicle as it is,
        so that 0.1 is (0.9, 1.1). Parameters of devices ("tvc.bandwidth", "law.gain[1]") have values. A function takes
        its arguments by name, each with (low, high) or (low, nominal, high)
    at : inputs at which loops are opened, as in `open_loop`; default: those where sampled outputs drive devices, or
        else those of devices that act on the vehicle
    inputs, outputs : of `linearize` in place of loops: the model is no loop, and has poles alone
    loop : of a function, or with inputs and outputs: the model is a loop L, closed by u = -y
    sampled, set : as in `open_loop` and `linearize`

    Examples
    --------
    >>> def plant(k):
    ...     return LinearModel([[0, 1], [-k, -0.2]], [[0], [1]], [[1, 0]], [[0]])
    >>> u = uncertain(plant, parameters={"k": (0.5, 1.5)})
    >>> u.sensitivities().pole("k").round(3)  # ±j√k: d = ±j/(2√k) about
    array([0.+0.503j, 0.-0.503j])
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise InputError(
            "uncertain: parameters must map names to ranges",
            where="parameters",
            expected='e.g. {"stiffness.core": 0.1, "mass.tank": (0.9, 1.2)}',
            got=shown(parameters),
        )
    by_ports = inputs is not None or outputs is not None
    if by_ports and at is not None:
        raise InputError("uncertain: give at= for loops, or inputs= and outputs=, not both", where="at")
    if isinstance(flight, Assembly):
        if not by_ports:
            cuts = _default_cuts(flight) if at is None else at

            def linear(case: ChangedFlight) -> LinearModel:
                return open_loop(case.flight, case.point, at=cuts, sampled=sampled, set=case.set or None)  # type: ignore[arg-type]
        else:

            def linear(case: ChangedFlight) -> LinearModel:
                return linearize(
                    case.flight,  # type: ignore[arg-type]
                    case.point,  # type: ignore[arg-type]
                    inputs or (),  # type: ignore[arg-type]
                    outputs or (),
                    set=case.set or None,
                    sampled=bool(sampled),
                )
    else:
        if at is not None or sampled is not None or set is not None:
            raise InputError(
                "uncertain: at, sampled and set belong to assemblies", where="flight", got=shown(flight)
            )
        function = callable(flight)
        if function and (by_ports or point is not None):
            raise InputError("uncertain: a function takes no point, inputs or outputs", where="flight")
        if not function and not hasattr(flight, "forward_dynamics"):
            raise InputError(
                "uncertain: flight must be a System, an Assembly or a function that returns a LinearModel",
                where="flight",
                got=shown(flight),
            )

        def linear(case: ChangedFlight) -> LinearModel:
            return linearize(case.flight, case.point, inputs or (), outputs or ())  # type: ignore[arg-type]

    source = Source(flight, point, set, linear)
    given = {name: source.parameter(name, one) for name, one in parameters.items()}
    nominal = source.model({name: one.nominal for name, one in given.items()}, given)
    is_loop = (isinstance(flight, Assembly) and not by_ports) if loop is None else loop
    if is_loop and (nominal.B.shape[1] != len(nominal.C) or not len(nominal.C)):
        raise InputError(
            "uncertain: a loop needs as many outputs as inputs",
            where="loop",
            got=f"{nominal.B.shape[1]} inputs and {len(nominal.C)} outputs",
        )
    return Uncertain(source, given, nominal, is_loop)


def _default_cuts(flight: Assembly) -> list[str]:
    """Return inputs at which sampled outputs drive continuous devices, or those of devices that act on a vehicle."""
    parts = {part.path: part for part in flight.parts()}
    sampled: dict[str, None] = {}
    acting: dict[str, None] = {}
    for piece in flight.pieces():
        source, target = (parts.get(name.rpartition(".")[0]) for name in (piece.source, piece.target))
        if source is None or target is None or piece.ambient:
            continue
        out = piece.source.rpartition(".")[2]
        held = target.every is not None or isinstance(target.what, Law)
        if (piece.every is not None or (source.every is not None and source.samples(out))) and not held:
            sampled[piece.target] = None
        if any(isinstance(one, Push) for one in target.what.fields.values()):
            acting[piece.target] = None
    found = list(sampled or acting)
    if not found:
        raise InputError(
            "uncertain: the loops of the assembly are not found by themselves",
            where="at",
            hint='name the inputs at which they are opened, e.g. at="tvc.command[0]"',
        )
    return found


@named_arguments
@dataclass(frozen=True)
class UncertainCase:
    """A vehicle or assembly at certain values of its parameters.

    values : {name: value};  model : linearized again there
    flight, point, set : what flies, from where, and values of parameters of devices, as `simulate` takes them; None of
        a function
    """

    values: dict[str, float]
    model: LinearModel
    flight: System | Assembly | None = None
    point: State | None = None
    set: dict[str, np.ndarray] | None = None

    def margins(self) -> Margins:
        """Return the margins of the model as a loop."""
        return self.model.margins()


@named_arguments
class Uncertain:
    """A linear model with uncertain parameters, made by `uncertain`; prints what they change.

    parameters : {name: its range};  model : at the nominal values;  loop : it is a loop L, closed by u = -y
    """

    def __init__(
        self, source: Source, parameters: dict[str, UncertainParameter], model: LinearModel, loop: bool
    ):
        self._source, self.parameters, self.model, self.loop = source, parameters, model, loop
        self._known: dict[tuple[float, ...], np.ndarray] = {}
        self._known[tuple(self.nominal.values())] = stacked(model)
        self._check_effect()

    @property
    def nominal(self) -> dict[str, float]:
        """Nominal values of the parameters."""
        return {name: one.nominal for name, one in self.parameters.items()}

    def at(self, values: Mapping[str, float]) -> UncertainCase:
        """Return the vehicle or assembly at values of some parameters, others nominal, and its model there."""
        whole = rest_of(self.parameters, values)
        model = self._source.model_quietly(whole, self.parameters)
        if callable(self._source.flight) and not isinstance(self._source.flight, Assembly):
            return UncertainCase(whole, model)
        case = self._source.changed(whole, self.parameters)
        return UncertainCase(whole, model, case.flight, case.point, case.set or None)

    def model_at(self, values: Mapping[str, float]) -> LinearModel:
        """Return the model linearized at values of all parameters."""
        A, B, C, D = self._unstack(self._matrix(values))
        return replace(self.model, A=A, B=B, C=C, D=D)

    # exact matrices -----------------------------------------------------------------------------------

    def _matrix(self, values: Mapping[str, float]) -> np.ndarray:
        """Return [A B; C D] at values of all parameters."""
        key = tuple(float(values[name]) for name in self.parameters)
        if key not in self._known:
            model = self._source.model_quietly(dict(zip(self.parameters, key)), self.parameters)
            new = stacked(model)
            if new.shape != next(iter(self._known.values())).shape or list(model.states) != list(
                self.model.states
            ):
                raise InputError(
                    "uncertain: the model has other states where parameters change",
                    where=", ".join(f"{n} = {v:.6g}" for n, v in zip(self.parameters, key)),
                    expected=f"{len(self.model.states)} states",
                    got=f"{len(model.states)}",
                    hint="a parameter that is zero somewhere in its range can drop states: change its range",
                )
            self._known[key] = new
        return self._known[key]

    def _along(self, name: str, values: Mapping[str, float]) -> Callable[[float], np.ndarray]:
        def matrix(value: float) -> np.ndarray:
            return self._matrix({**values, name: value})

        return matrix

    def _check_effect(self) -> None:
        """Refuse parameters that change nothing."""
        base, n = self._matrix(self.nominal), len(self.model.A)
        scale = np.maximum(np.abs(base), 1e-6 * np.abs(base).max(initial=1e-300))
        if self.loop:  # states of other parts do not count
            inside = np.zeros(n, dtype=bool)
            inside[connected_states(self.model.A, self.model.B, self.model.C)] = True
            rows = np.concatenate([inside, np.ones(len(base) - n, dtype=bool)])
            columns = np.concatenate([inside, np.ones(base.shape[1] - n, dtype=bool)])
            scale = np.where(np.outer(rows, columns), scale, np.inf)
        for name, one in self.parameters.items():
            moves = [
                np.abs(self._along(name, self.nominal)(end) - base) / scale for end in (one.low, one.high)
            ]
            if max(float(move.max(initial=0.0)) for move in moves) < 1e-11:
                raise InputError(
                    f"uncertain: '{name}' changes nothing in the model",
                    where=WHERE,
                    got=f"the same A, B, C and D from {one.low:g} to {one.high:g}",
                    hint="it may act on a part that the loop does not contain, or a device may set what it changes",
                )

    def _unstack(self, matrix: np.ndarray) -> Matrices:
        n = len(self.model.A)
        return matrix[:n, :n], matrix[:n, n:], matrix[n:, :n], matrix[n:, n:]

    @cached_property
    def _slopes(self) -> dict[str, tuple[np.ndarray, float]]:
        """Derivative of [A B; C D] along each parameter at the nominal values, and its relative error."""
        return {name: self._slope(name, self.nominal) for name in self.parameters}

    def _slope(self, name: str, values: Mapping[str, float]) -> tuple[np.ndarray, float]:
        one = self.parameters[name]
        half = 0.25 * (one.high - one.low)
        if values[name] != 0.0:
            half = min(half, 0.25 * abs(values[name]))
        return matrix_derivative(self._along(name, values), values[name], half)

    @property
    def derivatives(self) -> dict[str, Matrices]:
        """Derivatives (dA, dB, dC, dD) along each parameter at the nominal values."""
        return {name: self._unstack(slope) for name, (slope, _) in self._slopes.items()}

    def sensitivities(self) -> Sensitivities:
        """Return derivatives of poles and, of a loop, of every margin along every parameter.

        Poles are those of the closed loop where the model is a loop, else of the model.
        """
        moves = self.derivatives
        margins: tuple[MarginDerivative, ...] = ()
        A, along = self.model.A, [one[0] for one in moves.values()]
        if self.loop:
            found = self.model.margins()
            margins = margin_derivatives(self.model, found, moves)
            closed, closed_moves = closed_matrices(
                (self.model.A, self.model.B, self.model.C, self.model.D), list(moves.values())
            )
            A, along = closed[0], [one[0] for one in closed_moves]
        poles, rates = pole_derivatives(A, along)
        half = tuple(0.5 * (one.high - one.low) for one in self.parameters.values())
        errors = {name: error for name, (_, error) in self._slopes.items()}
        return Sensitivities(tuple(self.parameters), half, poles, rates, margins, errors, self.model.dt)

    # linear fractional transformation -----------------------------------------------------------------

    @cached_property
    def lft(self) -> LFT:
        """The linear fractional transformation of the model (`LFT`), with its error at corners of the box.

        Warns where that is large.
        """
        made = make_lft(self.model, self.parameters, self._matrix, self.loop)
        if made.error > NOTICEABLE:
            warnings.warn(
                f"the model is not affine in its parameters: at corners of the box {made.measure} of the linear "
                f"fractional transformation differ by {100 * made.error:.2g} % from models that are linearized there; "
                "bounds by mu hold for the transformation; give smaller ranges",
                FidelityWarning,
                stacklevel=caller_level(),
            )
        return made

    def mu(self, frequencies_hz: ArrayLike) -> MuBounds:
        """Return bounds of the structured singular value at frequencies, of the closed loop where the model is one.

        1/μ is how many times the box of parameters can be as large before there is a pole on the axis there.
        """
        f = np.atleast_1d(np.asarray(frequencies_hz, dtype=float))
        if f.ndim != 1 or not np.isfinite(f).all() or (f < 0.0).any():
            raise InputError(
                "uncertain: frequencies must be finite numbers from zero on", where="frequencies_hz"
            )
        return mu_at(self.lft, f)

    def robustness(self) -> Robustness:
        """Return how many times the box of parameters can be as large while the model stays stable, with a bound.

        The bound holds at all frequencies (`structured_singular_value.bound_over_frequency`).
        """
        return robustness_of(self.lft, self.model_at)

    def worst_margins(self, guaranteed: bool = True) -> WorstMargins:
        """Return the least margins of each loop over the box of parameters, and where they are.

        Margins are those of models that are linearized again: at corners (all of them up to five parameters), and
        where searches along gradients end.

        guaranteed : beside them, bounds by μ of modulus and disk margin, that hold for the transformation (`lft`)
        """
        if not self.loop:
            raise InputError(
                "uncertain: the model is no loop and has no margins",
                where="worst_margins",
                hint="give at= (inputs at which loops are opened), or loop=True",
            )
        return search_margins(self, guaranteed)

    def sample(self, count: int, seed: int = 0) -> list[UncertainCase]:
        """Return cases at random values in the box, uniformly distributed, each linearized again."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError("uncertain: count must be at least 1", where="sample", got=shown(count))
        rng = np.random.default_rng(seed)
        low, high = (
            np.array([getattr(one, end) for one in self.parameters.values()]) for end in ("low", "high")
        )
        return [
            self.at(dict(zip(self.parameters, (low + (high - low) * rng.random(len(low))).tolist())))
            for _ in range(count)
        ]

    def __str__(self) -> str:
        kind = "loop" if self.loop else "model"
        head = f"{kind} '{self.model.name}': {len(self.model.A)} states, {len(self.parameters)} uncertain parameters"
        return "\n".join([head, *(f"  {one}" for one in self.parameters.values()), str(self.lft)])

    def __repr__(self) -> str:
        return f"<Uncertain '{self.model.name}': {', '.join(self.parameters)}>"
