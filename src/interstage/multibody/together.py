"""Several vehicles as one system: bodies, closures and settings of each under names of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody.api import System
from interstage.multibody.closures import ClosureSpec
from interstage.multibody.model import BodySpec, Multibody
from interstage.multibody.state import State


def together(name: str, systems: Mapping[str, System]) -> System:
    """Return one system of several, in order; systems : by what goes before the names of their bodies, as "chaser."

    Vehicles do not feel each other but through forces that are applied to both. Joint modes, masses and open closures
    are those of each vehicle now.
    """
    models = {prefix: system.model for prefix, system in systems.items()}
    first = next(iter(models.values()))
    specs, closures = [], []
    for prefix, model in models.items():
        if not np.array_equal(model.gravity, first.gravity):
            raise InputError(
                f"vehicles of '{name}' fall in different ways",
                expected=f"gravity {first.gravity}, as '{first.name}'",
                got=f"{model.gravity} of '{model.name}'",
                hint="leave gravity out of both and add a device that gives it to each",
            )
        specs += [named_under(spec, prefix) for spec in model.specs]
        closures += [_closure(closure, prefix) for closure in model.closures]
    names = [spec.name for spec in specs]
    for body in names:
        if names.count(body) > 1:
            raise InputError(f"there are two bodies '{body}'", where=f"vehicles of '{name}'")
    units = next((model.units for model in models.values() if model.units), {})
    found = Multibody(name, first.gravity, specs, closures, units).compile()
    _set(found, systems)
    return found


def named_under(spec: BodySpec, prefix: str) -> BodySpec:
    """Return a body of a vehicle as it is called among several: tanks have the same prefix."""
    parent = None if spec.parent is None else prefix + spec.parent
    tanks = spec.tanks
    if tanks is not None:
        tanks = replace(tanks, names=tuple(prefix + name for name in tanks.names))
    return replace(spec, name=prefix + spec.name, parent=parent, tanks=tanks)


def _closure(closure: ClosureSpec, prefix: str) -> ClosureSpec:
    ends = tuple((None if body is None else prefix + body, place) for body, place in closure.ends)
    return replace(closure, name=prefix + closure.name, ends=(ends[0], ends[1]))


def _set(system: System, systems: Mapping[str, System]) -> None:
    """Give a system the settings of those that it is made of."""
    own = system.settings
    each = [one.settings for one in systems.values()]
    for array in ("joint_mode", "body_inertia", "row_keep", "propellant"):
        getattr(own, array)[:] = np.concatenate([getattr(one, array) for one in each])
    own.opened = frozenset(prefix + name for prefix, one in systems.items() for name in one.settings.opened)
    options = [one.settings.closure_option for one in systems.values() if one.model.closures]
    for option in options:
        if not np.array_equal(option, options[0]):
            raise InputError("vehicles hold their closures in different ways", where=f"'{system.model.name}'")
        own.closure_option[:] = option


def states_together(system: System, systems: Mapping[str, System], states: Mapping[str, State]) -> State:
    """Return the state of vehicles together; those that are not given are as `System.state` has them."""
    known = {prefix.rstrip("."): one for prefix, one in systems.items()}
    for name in states:
        if name not in known:
            raise InputError(f"there is no vehicle '{name}'", hint=did_you_mean(name, known))
    each = [states.get(name, one.state()) for name, one in known.items()]
    for (name, one), x in zip(known.items(), each):
        if not isinstance(x, State) or len(x.q) != one.nq or len(x.v) != one.nv:
            raise InputError(
                f"not a state of vehicle '{name}'", expected=f"{one.nq} coordinates", got=repr(x)[:60]
            )
    return system.state(np.concatenate([x.q for x in each]), np.concatenate([x.v for x in each]))
