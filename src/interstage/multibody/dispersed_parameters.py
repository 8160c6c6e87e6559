"""Factors on stiffness, damping, frequencies and masses of a compiled vehicle, by name.

"stiffness", "damping", "mass", "frequency"    a factor on those of the whole vehicle,
"stiffness.panel"                                  of a body: the spring of its joint and its modes,
"damping.panel.modes", "damping.panel.joint"       of one of the two,
"stiffness.panel.eta3", "damping.arm.angle"        of one mode, or one axis of a joint

A factor k on frequencies is k² on stiffness and k on damping: damping ratios stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from interstage.multibody.settings import RuntimeSettings
    from interstage.multibody.system import System

MODAL = ("flex_E", "flex_F0", "flex_J1", "site_lam", "site_gam")  # what `prepare` makes products of
OF_TREE = ("v_stiffness", "v_damping", "mixed_C", "held_C", "drag_C", "stiff_K", *MODAL)
FACTORS = ("stiffness", "damping", "mass", "frequency")  # below zero they mean nothing


@dataclass(frozen=True)
class DispersedEntries:
    """Entries of an array of a sample that a power of a dispersed quantity is a factor on; power 0: it is put there."""

    array: str
    entries: np.ndarray
    power: float = 1.0


class VehicleFactors:
    """What the names of factors on a vehicle mean;  where : the argument that messages name."""

    def __init__(self, system: System, where: str = "disperse"):
        self.system, self.tree, self.where = system, system.tree, where
        self.velocities = [c.name for c in system.layout.velocities()]

    def targets(self, name: str) -> list[DispersedEntries]:
        """Return what a name means; nothing where it is not the name of a factor."""
        word, _, rest = name.partition(".")
        kinds: dict[str, Callable[[str], Iterator[DispersedEntries]]] = {
            "stiffness": self._stiffness,
            "damping": self._damping,
            "mass": self._mass,
            "frequency": self._frequency,
        }
        found = list(kinds[word](rest)) if word in kinds else []
        if not found:
            return []
        arrays = {**self.tree._asdict(), "body_inertia": self.system.settings.body_inertia}
        if not any(np.ravel(arrays[t.array])[t.entries].any() for t in found):
            raise InputError(f"'{name}' is zero: a factor does not change it", where=self.where)
        return found

    def known(self) -> list[str]:
        """Return the names that there are."""
        bodies, words = self.system.bodies, ("stiffness", "damping", "frequency")
        known = [f"{word}.{what}" for word in words for what in (*bodies, *self.velocities)]
        return [*FACTORS, *known, *(f"mass.{b}" for b in bodies)]

    def _chosen(self, rest: str) -> tuple[list[int], list[int]]:
        """Return the velocities that are meant, and the bodies all of whose modes are."""
        layout, everything = self.system.layout, range(self.system.nv)
        if not rest:
            return list(everything), list(range(len(layout)))
        if rest in self.velocities:
            return [self.velocities.index(rest)], []
        body, _, part = rest.rpartition(".")
        if rest in layout:
            return list(everything[layout[rest].velocities]), [self.system.body(rest)]
        if body in layout and part == "modes":
            return list(everything[layout[body].etadot]), [self.system.body(body)]
        if body in layout and part == "joint":
            return list(everything[layout[body].v]), []
        return [], []

    def _stiffness(self, rest: str) -> Iterator[DispersedEntries]:
        chosen, _ = self._chosen(rest)
        if chosen:
            yield DispersedEntries("v_stiffness", np.array(chosen))

    def _damping(self, rest: str) -> Iterator[DispersedEntries]:
        chosen, bodies = self._chosen(rest)
        if not chosen:
            return
        yield DispersedEntries("v_damping", np.array(chosen))
        tree = self.tree
        for i in range(len(tree.body_modes)):
            n, first = int(tree.body_modes[i]), int(tree.joint_v[i] + tree.joint_nv[i])
            coupled = [
                (array, int(at), size)
                for array, at, size in (
                    ("mixed_C", tree.body_mixed[i], n * n),
                    ("held_C", tree.body_held[i], n * n),
                    ("drag_C", tree.body_drag[i], 6 * (6 + n)),
                )
                if at >= 0
            ]
            if i in bodies:
                for array, at, size in coupled:
                    yield DispersedEntries(array, at + np.arange(size))
            elif coupled and set(chosen) & set(range(first, first + n)):
                body = self.system.bodies[i]
                raise InputError(
                    f"the damping of body '{body}' couples its modes: one alone cannot be dispersed",
                    where=self.where,
                    hint=f"'damping.{body}.modes'",
                )

    def _mass(self, rest: str) -> Iterator[DispersedEntries]:
        bodies = self.system.bodies
        if rest and rest not in bodies:
            return
        for body in [rest] if rest else bodies:
            i = self.system.body(body)
            yield DispersedEntries("body_inertia", 10 * i + np.arange(10))
            if self.system.flexible(body) is not None:
                yield from self._modal_mass(i)

    def _modal_mass(self, i: int) -> Iterator[DispersedEntries]:
        """Yield what a factor s on the mass of a flexible body changes of its modes.

        They keep unit mass, as those of a component that is built with the changed mass: shapes go with s^-1/2, so that
        E, F0 and J1, of mass times shapes, go with s^1/2, pairs of modes stay, and K and C go with 1/s. So does the
        geometric stiffness of loads at nodes, whose share that inertia balances does not know s; that of the spin, a
        load of s, stays.
        """
        tree, body = self.tree, self.system.bodies[i]
        if tree.body_square[i] >= 0:
            raise InputError(
                f"body '{body}' has tanks: its mass is that of its structure and of propellant that changes, and no "
                "one factor",
                where=self.where,
                hint="fly a study (ist.monte_carlo) whose build makes the stages",
            )
        n, at = int(tree.body_modes[i]), int(tree.body_flex[i])
        for array, rows in (("flex_E", 3), ("flex_F0", 3), ("flex_J1", 6)):
            yield DispersedEntries(array, rows * at + np.arange(rows * n), 0.5)
        for s in np.flatnonzero(tree.site_body == i):
            for array in ("site_lam", "site_gam"):
                yield DispersedEntries(array, 3 * int(tree.site_start[s]) + np.arange(3 * n), -0.5)
        first = int(tree.joint_v[i] + tree.joint_nv[i])
        for array in ("v_stiffness", "v_damping"):
            yield DispersedEntries(array, first + np.arange(n), -1.0)
        for array, start in (("mixed_C", tree.body_mixed[i]), ("held_C", tree.body_held[i])):
            if start >= 0:
                yield DispersedEntries(array, int(start) + np.arange(n * n), -1.0)
        known = {int(tree.body_root[i]), *tree.site_load[tree.site_body == i].tolist()} - {-1}
        loads = [at for row in sorted(known) for at in tree.stiff_block[row].tolist() if at >= 0]
        if loads:
            yield DispersedEntries("stiff_K", (np.array(loads)[:, None] + np.arange(n * n)).ravel(), -1.0)
        if tree.body_drag[i] >= 0:
            number = np.arange(6 * (6 + n)).reshape(6, 6 + n)
            yield DispersedEntries("drag_C", int(tree.body_drag[i]) + number[:, 6:].ravel(), -0.5)

    def _frequency(self, rest: str) -> Iterator[DispersedEntries]:
        for target in self._stiffness(rest):
            yield replace(target, power=2.0)
        yield from self._damping(rest)


def with_factors(
    system: System,
    factors: Mapping[str, float],
    settings: RuntimeSettings | None = None,
    where: str = "disperse",
) -> System:
    """Return a view of a vehicle with factors on what names mean;  settings : those it has, default its own."""
    own = (system.settings if settings is None else settings).copy()
    names = VehicleFactors(system, where)
    arrays: dict[str, np.ndarray] = {"body_inertia": own.body_inertia.copy()}
    for name, value in factors.items():
        targets = names.targets(name)
        if not targets:
            raise InputError(
                f"there is nothing called '{name}' in the vehicle",
                where=where,
                hint=did_you_mean(name, names.known()),
            )
        for target in targets:
            if target.array not in arrays:
                arrays[target.array] = getattr(system.tree, target.array).copy()
            arrays[target.array].reshape(-1)[target.entries] *= value**target.power
    own.body_inertia = arrays.pop("body_inertia")
    return with_shapes(system.with_constants(arrays, own), factors)


def with_shapes(system: System, factors: Mapping[str, float]) -> System:
    """Note the factors of a view, so that copies have them and nodes that are asked for later have its shapes."""
    system.factors = {
        **system.factors,
        **{n: system.factors.get(n, 1.0) * float(f) for n, f in factors.items()},
    }
    flexes = list(system.flexes)
    for name, s in factors.items():
        word, _, rest = name.partition(".")
        for body in () if word != "mass" else [rest] if rest else system.bodies:
            i = system.body(body)
            flex = flexes[i]
            if flex is not None:
                flexes[i] = replace(
                    flex,
                    lam=flex.lam / np.sqrt(s),
                    gamma=flex.gamma / np.sqrt(s),
                    geometric={key: K / s for key, K in flex.geometric.items()},
                )
    system.flexes = flexes
    return system
