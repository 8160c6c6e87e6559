"""Joints whose motion is given: prescribed by accelerations, or locked where they are.

`settings.joint_mode` says how each joint moves. At the velocities of joints that are not free the kernels read
accelerations where they would read forces; `generalized_input` makes such a vector of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, known_names
from interstage.multibody.node_checks import check_held
from interstage.multibody.types import Rates

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData


View = TypeVar("View", bound="ModelData")

MODES = ("free", "prescribed", "locked")
FREE, PRESCRIBED, LOCKED = range(3)


def held_velocities(system: ModelData) -> np.ndarray:
    """Return a mask (nv,) of the velocities of joints that are prescribed or locked."""
    tree = system.tree
    held = np.zeros(system.nv, dtype=bool)
    for i in np.flatnonzero(system.settings.joint_mode):
        held[tree.joint_v[i] : tree.joint_v[i] + tree.joint_nv[i]] = True
    return held


def with_locked(system: View, body: str) -> View:
    """Return a view of a system in which the joint of a body is locked."""
    view = system.with_settings()
    view.settings.joint_mode[view.body(body)] = LOCKED
    view.note_held()
    return view


def set_joint_mode(system: ModelData, body: str, mode: str) -> None:
    """Let the joint of a body move freely, as prescribed, or not at all, from now on."""
    i, tree = system.body(body), system.tree
    if mode not in MODES:
        raise InputError("unknown mode of a joint", expected=", ".join(MODES), got=repr(mode))
    if tree.joint_nv[i] == 0:
        if mode == "locked":
            return
        raise InputError(
            f"the joint of body '{body}' cannot move",
            where="set_joint_mode",
            got=f"a Locked joint and mode {mode!r}",
            hint="describe the body with the joint that it shall have when it is free",
        )
    modes = system.settings.joint_mode
    if mode != "free":
        check_held(system.model, body)
    if mode == "free" and modes[i] != FREE:
        trial = system.with_settings()
        trial.settings.joint_mode[i] = FREE
        trial.check_inertia()
    modes[i] = MODES.index(mode)
    system.note_held()


def generalized_input(
    system: ModelData, tau: ArrayLike | None, accelerations: Rates | None, dtype: type | np.dtype
) -> np.ndarray:
    """Return a new vector (nv,) for the kernels: forces at free velocities, accelerations at all others.

    Forces given at velocities that are not free do nothing: the drive of the joint takes them up.
    """
    if tau is None:
        merged = np.zeros(system.nv, dtype)
    else:
        merged = np.array(system.vector(tau, np.dtype(dtype), "tau"), dtype)
        merged[system.held] = 0.0
    if accelerations is not None and not isinstance(accelerations, Mapping):
        raise InputError(
            "accelerations cannot be read",
            where="accelerations",
            expected="{body: q̈ of its joint}",
            got=repr(accelerations),
        )
    for body, value in (accelerations or {}).items():
        i, tree = system.body(body), system.tree
        first, nv, mode = int(tree.joint_v[i]), int(tree.joint_nv[i]), int(system.settings.joint_mode[i])
        if mode != PRESCRIBED:
            raise InputError(
                f"the joint of body '{body}' is not prescribed: it is {MODES[mode] if nv else 'fixed'}",
                where="accelerations",
                hint=_known(system),
            )
        value = np.asarray(value)
        fits = value.dtype.kind in "iufc" and value.shape in ((), (nv,))
        if not fits or not np.isfinite(value).all():
            raise InputError(
                f"the acceleration of the joint of body '{body}' does not fit",
                expected=f"{nv} finite numbers" if nv > 1 else "one finite number",
                got=repr(value.tolist()),
            )
        if np.iscomplexobj(value) and not np.iscomplexobj(merged):
            raise InputError(f"the acceleration of the joint of body '{body}' is complex, the state is real")
        merged[first : first + nv] = value
    return merged


def _known(system: ModelData) -> str:
    given = [name for name, mode in zip(system.bodies, system.settings.joint_mode) if mode == PRESCRIBED]
    return f"use prescribed=True or set_joint_mode; prescribed joints {known_names(given)}"
