"""Uncertain parameters of a vehicle, an assembly or a function: their ranges, and the linear model at given values.

Names of vehicles are those of batches (`multibody.dispersed_parameters`): "stiffness.core", "damping.arm.angle",
"mass.tank", "frequency.slosh" are factors, one at the vehicle as it is. Names of assemblies are those, and parameters
of devices ("tvc.bandwidth", "law.gain[1]"): the value itself. A function takes its parameters as arguments by name.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, did_you_mean, shown
from interstage.linear.model import LinearModel
from interstage.multibody.dispersed_parameters import VehicleFactors, with_factors
from interstage.multibody.operating_point import OperatingPoint
from interstage.multibody.state import State
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import Parameter
from interstage.simulation.run.operating_point import chain_of

if TYPE_CHECKING:
    from interstage.multibody.system import System

WHERE = "uncertain"
_ELEMENT = re.compile(r"(.+)\[(\d+(?:,\s*\d+)*)\]")


@dataclass(frozen=True)
class UncertainParameter:
    """A parameter with a range.

    name, nominal, low, high;  factor : it is a factor on what the vehicle has, else the value itself
    """

    name: str
    nominal: float
    low: float
    high: float
    factor: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.low:g} to {self.high:g}, nominal {self.nominal:g}"


@dataclass(frozen=True)
class ChangedFlight:
    """A vehicle or an assembly with parameters changed, and what goes with it.

    flight : it can be flown, trimmed and linearized;  point : the operating point, with its masses changed alike
    set : values of parameters of devices, as `simulate`, `trim` and `linearize` take them
    """

    flight: System | Assembly | None
    point: State | None
    set: dict[str, np.ndarray] = field(default_factory=dict)


class Source:
    """What has the parameters: names and nominal values, and what it is at other values."""

    def __init__(
        self,
        flight: System | Assembly | Callable[..., LinearModel],
        point: State | None,
        given: Mapping[str, object] | None,
        linear: Callable[[ChangedFlight], LinearModel],
    ):
        self.flight, self.point, self.linear = flight, point, linear
        self.given = {name: np.array(value) for name, value in (given or {}).items()}
        self.fields = _parameters_of(flight, point, self.given) if isinstance(flight, Assembly) else {}
        self.vehicle = self._vehicle()

    def _vehicle(self) -> System | None:
        if not isinstance(self.flight, Assembly):
            return None if callable(self.flight) else self.flight
        chain = chain_of(self.flight, self.point)
        if chain:
            raise InputError(
                "uncertain: the point lies behind a change of the vehicle (a staging, a docking)",
                where="point",
                hint="make an Assembly of the vehicle as it is then (point.system), and a point of that",
            )
        return self.flight.vehicle

    def parameter(self, name: str, given: object) -> UncertainParameter:
        """Return a parameter by its name, with its range as it was given."""
        if not isinstance(name, str):
            raise InputError("uncertain: parameters must be named by strings", where=WHERE, got=shown(name))
        nominal = self._nominal(name)
        if nominal is None:
            low, nominal, high = _three(name, given)
            return UncertainParameter(name, nominal, low, high, False)
        factor = self._device(name) is None
        low, high = _range(name, given, nominal)
        if (factor and low < 0.0) or (factor and low == 0.0 and name.startswith("mass")):
            raise InputError(
                f"uncertain: the range of '{name}' must lie above zero: it is a factor on what the vehicle has",
                where=WHERE,
                got=f"{low:g} to {high:g}",
                hint="give a relative half range such as 0.1, or factors such as (0.8, 1.1)",
            )
        return UncertainParameter(name, nominal, low, high, factor)

    def _device(self, name: str) -> tuple[str, tuple[int, ...] | None] | None:
        """Return the full name of a parameter of a device and the element that is meant, None where it is no such."""
        if name in self.fields:
            return name, None
        match = _ELEMENT.fullmatch(name)
        if match is None or match[1] not in self.fields:
            return None
        return match[1], tuple(int(k) for k in match[2].split(","))

    def _nominal(self, name: str) -> float | None:
        if isinstance(self.flight, Assembly) and (device := self._device(name)):
            full, place = device
            value = self.fields[full]
            if place is None and value.size != 1:
                raise InputError(
                    f"uncertain: '{full}' has {value.size} numbers",
                    where=WHERE,
                    hint=f"name one of them: '{full}[0]'",
                )
            if place is not None and (
                len(place) != value.ndim or any(k >= n for k, n in zip(place, value.shape))
            ):
                raise InputError(f"uncertain: '{name}' is not in '{full}'", expected=f"shape {value.shape}")
            return float(value.ravel()[0] if place is None else value[place])
        if self.vehicle is not None:
            names = VehicleFactors(self.vehicle, WHERE)
            if names.targets(name):
                return 1.0
            raise InputError(
                f"uncertain: there is no parameter '{name}'",
                where=WHERE,
                hint=did_you_mean(name, [*self.fields, *names.known()]),
            )
        if isinstance(self.flight, Assembly):
            raise InputError(
                f"uncertain: there is no parameter '{name}'",
                where=WHERE,
                hint=did_you_mean(name, self.fields),
            )
        return None

    def changed(
        self, values: Mapping[str, float], parameters: Mapping[str, UncertainParameter]
    ) -> ChangedFlight:
        """Return the vehicle or assembly at values of parameters."""
        factors = {n: v for n, v in values.items() if parameters[n].factor and v != 1.0}
        more: dict[str, np.ndarray] = dict(self.given)
        for name, value in values.items():
            if not parameters[name].factor:
                full, place = self._device(name) or (name, None)
                array = np.array(more.get(full, self.fields[full]), dtype=float)
                if place is None:
                    array = np.full(array.shape, value)
                else:
                    array[place] = value
                more[full] = array
        if callable(self.flight) and not isinstance(self.flight, Assembly):
            raise InputError("uncertain: a function has no flight", where=WHERE)
        flight, point = self.flight, self.point
        if factors and self.vehicle is not None:
            changed = with_factors(self.vehicle, factors, where=WHERE)
            flight = changed if not isinstance(flight, Assembly) else flight.with_vehicle(changed)
            if isinstance(point, OperatingPoint):
                settings = with_factors(self.vehicle, factors, point.settings, where=WHERE).settings
                point = point.with_settings(settings)
        return ChangedFlight(flight, point, more)

    def model(self, values: Mapping[str, float], parameters: Mapping[str, UncertainParameter]) -> LinearModel:
        """Return the linear model at values of parameters."""
        if callable(self.flight) and not isinstance(self.flight, Assembly):
            found = self.flight(**values)
            if not isinstance(found, LinearModel):
                raise InputError(
                    "uncertain: the function of the parameters must return a LinearModel",
                    where=WHERE,
                    got=shown(found),
                )
            return found
        return self.linear(self.changed(values, parameters))

    def model_quietly(
        self, values: Mapping[str, float], parameters: Mapping[str, UncertainParameter]
    ) -> LinearModel:
        """Return the linear model at values of parameters, without the warnings that the nominal one had too."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self.model(values, parameters)


def _three(name: str, given: object) -> tuple[float, float, float]:
    """Return (low, nominal, high) of a parameter of a function, nominal in the middle where it is not given."""
    try:
        numbers = [float(one) for one in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError, RuntimeWarning):
        numbers = []
    if len(numbers) == 2:
        numbers.insert(1, 0.5 * (numbers[0] + numbers[1]))
    if (
        len(numbers) != 3
        or not np.isfinite(numbers).all()
        or not numbers[0] <= numbers[1] <= numbers[2] > numbers[0]
    ):
        raise InputError(
            f"uncertain: the range of '{name}' must be (low, high) or (low, nominal, high)",
            where=WHERE,
            expected="e.g. (0.5, 2.0)",
            got=shown(given),
            hint="a function has no nominal values for relative ranges",
        )
    return numbers[0], numbers[1], numbers[2]


def _range(name: str, given: object, nominal: float) -> tuple[float, float]:
    """Return the range of a parameter: about its nominal value, or as it is given."""
    if isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool):
        half = float(given)
        if not (np.isfinite(half) and half > 0.0):
            raise InputError(
                f"uncertain: the relative half range of '{name}' must be above zero",
                where=WHERE,
                got=shown(given),
            )
        if nominal == 0.0:
            raise InputError(
                f"uncertain: '{name}' is zero, so that a relative range has no size",
                where=WHERE,
                hint="give its lowest and highest value: (low, high)",
            )
        return min(nominal * (1 - half), nominal * (1 + half)), max(
            nominal * (1 - half), nominal * (1 + half)
        )
    pair = np.asarray(given, dtype=object)
    try:
        low, high = (float(one) for one in pair.tolist())
    except (TypeError, ValueError, RuntimeWarning):
        low, high = np.nan, np.nan
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(
            f"uncertain: the range of '{name}' must be a relative half range or (low, high)",
            where=WHERE,
            expected="e.g. 0.1 or (0.9, 1.2)",
            got=shown(given),
        )
    if not low <= nominal <= high:
        raise InputError(
            f"uncertain: the range of '{name}' does not hold its nominal value",
            where=WHERE,
            got=f"{low:g} to {high:g}, nominal {nominal:g}",
            hint="ranges of names of the vehicle are factors, one at the vehicle as it is"
            if nominal == 1.0
            else "give values, not factors",
        )
    return low, high


def _parameters_of(
    flight: Assembly, point: State | None, given: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the parameters of devices by full name, with their values at the point."""
    found: dict[str, np.ndarray] = {}
    known = point.values if isinstance(point, OperatingPoint) else {}
    for part in flight.parts():
        for name, declared in part.what.fields.items():
            full = f"{part.path}.{name}"
            if isinstance(declared, Parameter) and not part.like:
                try:
                    value = np.asarray(
                        given.get(full, known.get(full, getattr(part.what, name))), dtype=float
                    )
                except (TypeError, ValueError, RuntimeWarning):
                    continue
                found[full] = value
    return found


def rest_of(parameters: Mapping[str, UncertainParameter], values: Mapping[str, float]) -> dict[str, float]:
    """Return values of all parameters: those given, others nominal."""
    for name, value in values.items():
        if name not in parameters:
            raise InputError(
                f"uncertain: there is no parameter '{name}'",
                where="values",
                hint=did_you_mean(name, parameters),
            )
        if not isinstance(value, int | float | np.integer | np.floating) or not np.isfinite(value):
            raise InputError(f"uncertain: the value of '{name}' must be a finite number", got=shown(value))
    return {name: float(values.get(name, one.nominal)) for name, one in parameters.items()}
