"""What is switched at run time: how joints move, masses, which closure rows hold, how drift is held.

A compiled vehicle never changes. Whoever asks it has `RuntimeSettings` of his own, which the kernels read beside the
constant arrays: `System.with_settings` gives a view of the same vehicle with other ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from interstage.errors import InputError, shown
from interstage.multibody.arrays import SETTING_FIELDS, Tree
from interstage.multibody.closures import row_names
from interstage.multibody.compile import inertia_numbers
from interstage.multibody.flexible_body import FlexibleBodyData
from interstage.multibody.model import Multibody

ARRAYS = tuple(name for name, _, _ in SETTING_FIELDS)


@dataclass(eq=False)
class RuntimeSettings:
    """Arrays as the kernels read them (see `arrays`), changed in place by their owner alone.

    joint_mode (N,), body_inertia (N, 10), row_keep (m,), closure_option (3,), propellant (T,)
    opened : names of open closures
    dropped : rows that say nothing new as long as the closures named with each are closed
    bodies, rows : names of what the first two and the third are of;  fixed : bodies whose joint has no coordinates
    burning : bodies (their rows) whose inertia kernels write from the propellant; it says nothing more than that
    """

    joint_mode: np.ndarray
    body_inertia: np.ndarray
    row_keep: np.ndarray
    closure_option: np.ndarray
    propellant: np.ndarray
    opened: frozenset[str] = frozenset()
    dropped: Mapping[int, frozenset[str]] = field(default_factory=dict)
    bodies: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    burning: tuple[int, ...] = ()

    @classmethod
    def of(cls, model: Multibody, flexes: list[FlexibleBodyData | None], tree: Tree) -> RuntimeSettings:
        """Return the settings that a description asks for: joints as described, all closures closed and projected."""
        specs = model.specs
        return cls(
            np.array([int(s.joint.prescribed and s.joint.nv > 0) for s in specs], dtype=np.int64),
            np.array([inertia_numbers(s, f) for s, f in zip(specs, flexes)]).reshape(len(specs), 10),
            np.ones(len(tree.row_kind), dtype=np.int64),
            np.array([1.0, 0.0, 0.0]),
            np.concatenate([np.zeros(0), *(s.tanks.start for s in specs if s.tanks is not None)]),
            bodies=tuple(model.bodies),
            rows=tuple(f"{closure}: {words}" for closure, words in row_names(model)),
            fixed=frozenset(s.name for s in specs if s.joint.nv == 0),
            burning=tuple(i for i, s in enumerate(specs) if s.tanks is not None),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, in the order of the kernels."""
        return {name: getattr(self, name) for name in ARRAYS}

    def copy(self) -> RuntimeSettings:
        """Return settings that may be changed without touching these."""
        copies: dict[str, Any] = {name: a.copy() for name, a in self.arrays().items()}
        return replace(self, **copies)

    def checked(self, given: object) -> RuntimeSettings:
        """Return what is given, settings of the same vehicle as these, or say what is wrong with it."""
        if not isinstance(given, RuntimeSettings):
            raise InputError("not settings", expected="as system.settings", got=repr(given)[:60])
        if (given.bodies, given.rows) != (self.bodies, self.rows):
            raise InputError(
                "the settings belong to another vehicle",
                expected=f"those of {', '.join(self.bodies)} with {len(self.rows)} rows of closures",
                got=f"those of {', '.join(given.bodies)} with {len(given.rows)}",
            )
        return given

    def check_values(self) -> None:
        """Refuse numbers that no vehicle can have; those of a file may be any."""
        for name, most in (("joint_mode", 2), ("row_keep", 1)):
            numbers = getattr(self, name)
            if numbers.size and not 0 <= numbers.min() <= numbers.max() <= most:
                raise InputError(f"settings: {name} must be from 0 to {most}", got=shown(numbers.tolist()))
        for name in ("body_inertia", "closure_option", "propellant"):
            if not np.isfinite(getattr(self, name)).all():
                raise InputError(f"settings: {name} must be finite")
        rows = np.array([*self.dropped], dtype=float)
        if rows.size and not 0 <= rows.min() <= rows.max() < len(self.row_keep):
            raise InputError("settings: dropped rows must be rows of closures", got=shown(rows.tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuntimeSettings) or (self.opened, self.dropped) != (
            other.opened,
            other.dropped,
        ):
            return False
        given = [name for name in ARRAYS if name != "body_inertia"]
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in given)
        return same and np.array_equal(self.given_inertia(), other.given_inertia())

    def given_inertia(self) -> np.ndarray:
        """Return the inertia (N, 10) of bodies, none of those whose propellant says it."""
        found = self.body_inertia.copy()
        found[list(self.burning)] = 0.0
        return found

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from interstage.multibody.summary import of_settings

        return of_settings(self)
