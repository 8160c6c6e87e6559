"""Say in a sentence why an algorithm gave no answer: entries that are no numbers or no attitudes, lock, no inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from interstage.errors import InputError, ModelError
from interstage.multibody import closing
from interstage.multibody.kernels.closure import NOT_CLOSED
from interstage.multibody.kernels.stiffening import NOT_SETTLED
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api.compiled import Compiled

LOCK = 1e-6  # volume of the axes of a gimbal beside its largest, below which it is locked


def check_numbers(system: Compiled, **vectors: Any) -> None:
    """Refuse vectors of names q, v, tau or vdot that have entries which are no numbers, naming the first."""
    for what, values in vectors.items():
        if values is None or np.isfinite(values).all():
            continue
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        names = system.layout.coordinates() if what == "q" else system.layout.velocities()
        words = "the state is not finite: " if what in ("q", "v") else ""
        raise InputError(f"{words}{what}[{k}] ({names[k].name}) is {values[k]}")


def near_lock(system: Compiled, q: np.ndarray, opening: float) -> list[str]:
    """Return the bodies whose joints are nearer to lock than an opening."""
    found = []
    for spec in system.model.specs:
        if spec.joint.lockable:
            angles = q[system.layout[spec.name].q]
            if np.isfinite(angles).all() and spec.joint.opening(angles) < opening:
                found.append(spec.name)
    return found


def check_attitudes(system: Compiled, x: State) -> None:
    """Refuse quaternions without length."""
    for name, where in system.layout.turning():
        quaternion = x.q[where.quaternion]
        if not np.linalg.norm(quaternion) > 1e-150:
            raise InputError(
                f"the quaternion of body '{name}' is no attitude",
                expected="unit length",
                got=repr(quaternion.tolist()),
                hint="[1, 0, 0, 0] is no rotation",
            )


def refuse(system: Compiled, status: int, x: State, tau: Any = None) -> NoReturn:
    """Raise what a kernel found: status of forward dynamics, or -1 for results that are not finite."""
    check_numbers(system, q=x.q, v=x.v, tau=tau)
    check_attitudes(system, x)
    for name in near_lock(system, x.q.real, LOCK):
        if status in (-1, 1 + system.body(name)):
            raise ModelError(
                f"the Gimbal joint of body '{name}' is locked: its axes lie in one plane",
                got=f"angles {np.rad2deg(x[name].q.real).round(3).tolist()} degrees",
                hint="use a Ball joint, or a sequence of axes whose middle angle stays away from this one",
            )
    if status == NOT_SETTLED:
        raise ModelError(
            "geometric stiffness and the forces across joints do not settle: deformations are too large for it",
            hint="cut the body into several, or add it with stiffening=False",
        )
    if status <= NOT_CLOSED:
        closing.refuse(system, status, x)
    if status > 0:
        spec = system.model.specs[status - 1]
        rigid = spec.component is None
        raise ModelError(
            f"body '{spec.name}' and what it carries have no inertia that its {type(spec.joint).__name__} joint"
            " could move",
            expected="a positive definite mass matrix",
            hint="give the body mass and inertia, or lock the joint"
            if rigid
            else _flexible_hint(x[spec.name].eta),
        )
    raise InputError("accelerations are not finite", hint="look at tau, forces and the size of the state")


def _flexible_hint(eta: np.ndarray) -> str:
    """Say what may help a flexible body without inertia in its joint: undeformed, it is not the deformation."""
    if eta.any():
        return "deformations may be too large: use order=2, lumped masses, or smaller deformations"
    return (
        "undeformed, it has no inertia there: give a straight bar inertia about its axis (I11 of a CONM2), use fewer "
        "modes (n_modes=), or lock the joint"
    )
