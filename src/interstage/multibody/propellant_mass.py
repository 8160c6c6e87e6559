"""Tanks of a flexible body: its integrals as sums over what does not burn and levels of propellant.

With constant shapes integrals are linear in the mass matrix. A body with tanks keeps the modes of its component as they
are (no inboard node), and its modal mass is one at the component's own fill alone.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass

import numpy as np

from interstage.component.integrals import ModalIntegrals
from interstage.errors import InputError, ModelError, did_you_mean, shown
from interstage.multibody.kernels.variable_mass import pair_count


@dataclass(frozen=True, eq=False)
class TankLoads:
    """Unit loads on a body that burns whose geometric stiffness follows its mass (`kernels.variable_mass`).

    load (k, 2) : as in `GeometricStiffness`, (0, 1 to 6) for the products of the spin, (node, 1 to 6) for a node
    arm (k, 6) : moment and force about the origin of those at nodes
    K (k, n, n) : of those at nodes, balanced by the inertia of one and the same fill; nothing for the spin
    """

    load: np.ndarray
    arm: np.ndarray
    K: np.ndarray

    def row(self, node: int, component: int) -> int:
        """Return the place of a load among them, -1 for one without effect."""
        found = np.flatnonzero((self.load[:, 0] == node) & (self.load[:, 1] == component))
        return int(found[0]) if len(found) else -1


@dataclass(frozen=True, eq=False)
class Tanks:
    """What the integrals of a body are at every fill of its tanks, each level as `tank_numbers` packs it.

    names : of the tanks;  first (T + 1,) : where the levels of each begin;  masses (L,) : of the levels
    base (p,), levels (L, p) : numbers of what does not burn, and of the propellant at each level
    start (T,) : propellant that a system has at first
    ratio : (R, 2) rates, rad/s, and damping ratios of the free modes at the current mass, None for no damping
    loads : unit loads that change the stiffness, None where none do; numbers have their R, P and Sᵀp then
    """

    names: tuple[str, ...]
    first: np.ndarray
    masses: np.ndarray
    base: np.ndarray
    levels: np.ndarray
    start: np.ndarray
    ratio: np.ndarray | None = None
    loads: TankLoads | None = None

    def range_of(self, k: int) -> tuple[float, float]:
        """Return the least and the most propellant of a tank."""
        return float(self.masses[self.first[k]]), float(self.masses[self.first[k + 1] - 1])

    def slopes(self) -> np.ndarray:
        """Return the change (L, p) from each level to the next for each unit of mass, none at the last of a tank."""
        out = np.zeros_like(self.levels)
        for a, b in zip(self.first[:-1], self.first[1:]):
            steps = np.diff(self.masses[a:b])[:, None]
            out[a : b - 1] = np.diff(self.levels[a:b], axis=0) / steps
        return out

    def is_soft(self, n: int) -> bool:
        """Tell whether the numbers of n modes have a stiffness that changes."""
        return len(self.base) > number_count(n) + (load_count(n) if self.loads is not None else 0)

    def numbers(self, masses: np.ndarray) -> np.ndarray:
        """Return the sums (p,) at masses (T,)."""
        return self.base + level_weights(self.first, self.masses, masses) @ self.levels

    def integrals(self, masses: np.ndarray, n: int) -> ModalIntegrals:
        """Return the integrals of zero order of n modes at masses (T,)."""
        m, x, y, z, xx, yy, zz, xy, xz, yz = (one := self.numbers(masses))[:10]
        E, F0 = one[10 : 10 + 6 * n].reshape(2, 3, n)
        G = one[10 + 12 * n : 10 + 12 * n + n * n].reshape(n, n)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return ModalIntegrals(float(m), np.array([x, y, z]), inertia, E, F0, G)


def level_weights(first: np.ndarray, level_mass: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return the weights (L,) of the levels at masses (T,): two neighbours of each tank have some.

    first (T + 1,) : where the levels of each tank begin;  level_mass (L,)
    """
    out = np.zeros(len(level_mass))
    for mass, a, b in zip(masses, first[:-1], first[1:]):
        at = float(np.interp(mass, level_mass[a:b], np.arange(float(b - a))))
        i = min(int(at), max(b - a - 2, 0))
        out[a + i] = 1.0 - (at - i)
        if at > i:
            out[a + i + 1] = at - i
    return out


def tank_numbers(
    own: ModalIntegrals, soft: np.ndarray | None = None, stiff: np.ndarray | None = None
) -> np.ndarray:
    """Return integrals as numbers (p,), in the order of `kernels.variable_mass`.

    soft (n, n) : modal stiffness less that of the component, where tanks change it
    stiff (12 n n + 36,) : R, P and Sᵀp of inertia loads, where loads change the stiffness
    """
    from interstage.multibody.compile import inertia_rates, pair_numbers, symmetric_six

    assert own.B is not None
    parts = [
        [own.mass],
        own.first,
        symmetric_six(own.inertia),
        own.E.ravel(),
        own.F0.ravel(),
        inertia_rates(own),
    ]
    more = [one.ravel() for one in (soft, stiff) if one is not None]
    return np.concatenate([*parts, own.G.ravel(), pair_numbers(own.B), *more])


def number_count(n: int) -> int:
    """Return how many numbers n modes have, without those of a stiffness that changes."""
    return int(10 + 12 * n + n * n + pair_count(n))


def load_count(n: int) -> int:
    """Return how many numbers n modes have more where loads change their stiffness."""
    return 12 * n * n + 36


def check_tanks(tanks: Tanks, n: int, where: str) -> None:
    """Refuse numbers that are not those of n modes, and a modal mass that is not positive at the lowest levels."""
    size = number_count(n) + n * n * tanks.is_soft(n) + (load_count(n) if tanks.loads is not None else 0)
    if tanks.levels.shape != (len(tanks.masses), size) or tanks.base.shape != (size,):
        raise InputError(
            "the numbers of tanks do not fit the modes of their component",
            where=where,
            expected=f"{size} for {n} modes",
            got=f"{tanks.base.shape}, {tanks.levels.shape}",
        )
    low = np.array([tanks.range_of(k)[0] for k in range(len(tanks.names))])
    G = tanks.integrals(low, n).G
    if n and np.linalg.eigvalsh(0.5 * (G + G.T))[0] <= 0.0:
        raise ModelError("the modal mass is not positive with empty tanks", where=where)


def check_within(name: str, mass: object, low: float, high: float) -> None:
    """Refuse propellant that is no number between the least and the most of its tank."""
    if not isinstance(mass, int | float | np.integer | np.floating) or not low <= mass <= high:
        raise InputError(
            "the propellant is not within the levels of its tank",
            where=f"tank '{name}'",
            expected=f"{low:g} to {high:g}",
            got=shown(mass),
            hint="add levels, or give a mass between them",
        )


class Propellant(MutableMapping[str, float]):
    """Masses in the tanks of a system by name; what is set holds from then on, checked against the levels."""

    def __init__(self, tanks: Sequence[tuple[str, float, float]], masses: np.ndarray):
        self._at = {name: k for k, (name, _, _) in enumerate(tanks)}
        self._tanks, self._masses = tanks, masses

    def __getitem__(self, name: str) -> float:
        return float(self._masses[self._row(name)])

    def __setitem__(self, name: str, mass: float) -> None:
        row = self._row(name)
        _, low, high = self._tanks[row]
        check_within(name, mass, low, high)
        self._masses[row] = mass

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the least and the most propellant of a tank."""
        return self._tanks[self._row(name)][1:]

    def __delitem__(self, name: str) -> None:
        raise InputError("tanks stay; empty one instead", where=f"tank '{name}'")

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    def _row(self, name: str) -> int:
        if name not in self._at:
            raise InputError(f"there is no tank '{name}'", hint=did_you_mean(name, self._at))
        return self._at[name]

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {mass:g}" for name, mass in self.items()) + "}"
