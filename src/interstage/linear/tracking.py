"""Compare mode sets by the modal assurance criterion and follow modes through a sweep.

    MAC(a, b) = |aᴴ W b|² / (aᴴ W a)(bᴴ W b)

with W the mass matrix where it is known. Along a sweep each mode is followed to the one most like it (assignment of
the greatest sum of MACs between neighbours), so that curves of frequency cross where modes cross.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.loads import OperatingPoint, at_point

if TYPE_CHECKING:
    from interstage.multibody.api import System
    from interstage.multibody.state import State


class ModeSet(Protocol):
    """Modes of any kind: frequencies_hz (m,), shapes (n, m)."""

    @property
    def frequencies_hz(self) -> np.ndarray:
        """Frequencies (m,)."""
        ...

    @property
    def shapes(self) -> np.ndarray:
        """Shapes (n, m)."""
        ...


@named_arguments
def mac(a: ModeSet | ArrayLike, b: ModeSet | ArrayLike, weight: ArrayLike | None = None) -> np.ndarray:
    """Return MAC (m_a, m_b) of two mode sets: matrices with modes as columns, or objects with `.shapes`.

    >>> mac(np.eye(3)[:, :2], np.array([[2.0], [0.0], [0.0]]))
    array([[1.],
           [0.]])
    """
    A, B = (np.asarray(getattr(s, "shapes", s)) for s in (a, b))
    if A.ndim != 2 or B.ndim != 2 or len(A) != len(B):
        raise InputError(
            "mode sets do not fit each other", expected="as many rows", got=f"{A.shape} and {B.shape}"
        )
    W_A, W_B = (A, B) if weight is None else (np.asarray(weight) @ A, np.asarray(weight) @ B)
    own_a, own_b = np.sum(A.conj() * W_A, axis=0).real, np.sum(B.conj() * W_B, axis=0).real
    cross = np.abs(A.conj().T @ W_B) ** 2
    size = np.outer(own_a, own_b)
    return np.where(size > 0.0, cross / np.where(size > 0.0, size, 1.0), 0.0)


@dataclass(frozen=True)
class TrackedModes:
    """Modes followed through a sweep.

    values (s,) of the parameter, frequencies_hz (s, m), damping (s, m), shapes (s, n, m), likeness (s, m): the MAC
    with the step before (1 at the first)
    """

    values: np.ndarray
    frequencies_hz: np.ndarray
    damping: np.ndarray
    shapes: np.ndarray
    likeness: np.ndarray


@named_arguments
def track_modes(
    mode_sets: Sequence[ModeSet],
    values: ArrayLike | None = None,
    n_modes: int | None = None,
    weights: Sequence[ArrayLike] | None = None,
) -> TrackedModes:
    """Follow the modes of the first set (or its lowest n_modes) through the others.

    mode_sets : objects with `frequencies_hz`, `shapes` and perhaps `damping`: `system.modes(x)`, `lin.modes()`
    weights : a mass matrix for each set; shapes of `system.modes` bring their own
    """
    if not len(mode_sets):
        raise InputError("a sweep needs at least one set of modes")
    first = mode_sets[0]
    m = len(first.frequencies_hz) if n_modes is None else min(n_modes, len(first.frequencies_hz))
    shapes = np.array(first.shapes[:, :m])
    found = [(first.frequencies_hz[:m], _damping(first)[:m], shapes, np.ones(m))]
    for k, modes in enumerate(mode_sets[1:], start=1):
        if len(modes.frequencies_hz) < m:
            raise InputError(
                "a set of modes in the sweep has too few of them",
                where=f"set {k + 1}",
                expected=f"{m} or more",
                got=str(len(modes.frequencies_hz)),
                hint="follow fewer: n_modes",
            )
        weight = weights[k] if weights is not None else _own_weight(modes)
        likeness = mac(shapes, modes.shapes, weight)
        _, order = scipy.optimize.linear_sum_assignment(-likeness)
        old, shapes = shapes, np.array(modes.shapes[:, order])
        # one sign (or phase) along the sweep
        phase = np.sum(old.conj() * shapes, axis=0)
        size = np.abs(phase)
        shapes = shapes * np.where(size > 0.0, phase.conj() / np.where(size > 0.0, size, 1.0), 1.0)
        found.append(
            (modes.frequencies_hz[order], _damping(modes)[order], shapes, likeness[np.arange(m), order])
        )
    places = np.arange(len(found)) if values is None else np.asarray(values, dtype=float)
    if len(places) != len(found):
        raise InputError(
            "a sweep needs a value for each set of modes", expected=f"{len(found)}", got=f"{len(places)}"
        )
    return TrackedModes(places, *(np.array([row[j] for row in found]) for j in range(4)))


def _damping(modes: ModeSet) -> np.ndarray:
    return np.asarray(getattr(modes, "damping", np.zeros(len(modes.frequencies_hz))))


def _own_weight(modes: ModeSet) -> np.ndarray | None:
    system = getattr(modes, "system", None)
    return None if system is None else system.mass_matrix(modes.state)


@named_arguments
def sweep_modes(
    system: System,
    x: State,
    values: ArrayLike,
    change: Callable[[System, State, float], System | None],
    n_modes: int | None = None,
) -> TrackedModes:
    """Follow the undamped modes of a system while `change(system, state, value)` turns a joint or changes a mass.

    change : alters the state or the system (`set_mass`) that it gets, which are its own, or returns another system

    >>> def turn(system, x, angle):
    ...     x["panel"].q[:] = angle
    """
    values = np.asarray(values, dtype=float)
    sets, weights = [], []
    for value in values:
        state, own = x.copy(), at_point(system, x).with_settings()
        other = change(own, state, float(value)) or own
        if isinstance(state, OperatingPoint):
            state = state.with_settings(other.settings)  # as `change` left them
        sets.append(other.modes(state))
        weights.append(other.mass_matrix(state))
    return track_modes(sets, values, n_modes, weights)
