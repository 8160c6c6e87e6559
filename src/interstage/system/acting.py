"""What acts on a run: wrenches by place, generalized forces, accelerations of prescribed joints.

One rule for all three, wherever they come from: what is not mentioned stays as it is. First stands what `simulate` was
given (or the operating point it started from), then what the law commanded last. Loads follow the names of bodies
through every change of the vehicle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from interstage.errors import InputError, InterstageError, SolverError
from interstage.multibody import State, System
from interstage.multibody.inspection import following_loads
from interstage.multibody.loads import OperatingPoint
from interstage.multibody.topology import carried
from interstage.system.histories import given_system

KINDS = ("forces", "tau", "accelerations")
LAW = "use control=, a law that is sampled"


def bearer(old: System, new: System, body: str) -> str:
    """Return the body that has a body's joint now: docking can make a parent hang on its child."""
    parent = old.model.spec(body).parent
    turned = parent in new.bodies and new.model.spec(parent).parent == body
    return parent if turned else body


def refuse_turned(body: str, what: str, t: float) -> None:
    """Refuse to go on with a joint of several axes that was turned round: they change their order."""
    raise SolverError(
        f"the joint of body '{body}' was turned round at t = {t:.9g}: its {what} has no meaning any more",
        hint=f"attach by the root of the tree, or switch the joint of '{body}' to free or locked before",
    )


class Acting:
    """The loads of a run.

    forces {(body, node) or (body, node, frame): [t; f]};  tau (nv,), or a function tau(t) or tau(t, system);
    accelerations {body: q̈ of its prescribed joint}
    """

    def __init__(self, system: System, x: State, forces: Any, tau: Any, accelerations: Any, frame: str):
        self.frame = frame
        self.forces: dict = {}
        self.tau: Any = np.zeros(system.nv)
        self.accelerations: dict = {}
        if isinstance(x, OperatingPoint):
            own = x.loads.copy()
            forces = own.by_place() if forces is None else forces
            tau = own.tau if tau is None else tau
            accelerations = own.accelerations if accelerations is None else accelerations
        self.take(system, forces, tau, accelerations)

    def take(self, system: System, forces: Any = None, tau: Any = None, accelerations: Any = None) -> None:
        """Let loads act from now on, checked; those that are None stay as they are."""
        if forces is not None:
            self.forces = _by_place(forces)
        if tau is not None:
            self.tau = given_system(tau, 1) if callable(tau) else numbers(tau, "tau", system.nv)
        if accelerations is not None:
            if not isinstance(accelerations, Mapping):
                raise InputError(
                    "accelerations cannot be read",
                    where="accelerations",
                    expected="{body: q̈ of its joint}",
                    got=repr(accelerations),
                    hint="a motion in time is given by motions=" if callable(accelerations) else None,
                )
            system.generalized_input(None, accelerations)  # refuses joints that are not prescribed
            self.accelerations = dict(accelerations)

    @property
    def in_time(self) -> bool:
        """Whether the generalized forces are a function of time."""
        return callable(self.tau)

    def vector(self, system: System, t: float) -> np.ndarray:
        """Return forces at free joints and accelerations at others (nv,), for the kernels."""
        tau = self._called(system, t) if self.in_time else self.tau
        if self.accelerations or system.any_held:
            return system.generalized_input(tau, self.accelerations or None)
        return tau.copy()

    def rows(self, system: System) -> tuple[np.ndarray, np.ndarray]:
        """Return sites (k,) and wrenches (k, 10) for the kernels."""
        return following_loads(system, self.forces, self.frame)

    def _called(self, system: System, t: float) -> np.ndarray:
        try:
            value = self.tau(t, system)
        except InterstageError:
            raise
        except Exception as err:
            raise InputError(f"tau failed at t = {t:g}", got=f"{type(err).__name__}: {err}") from err
        return numbers(value, f"tau at t = {t:g}", system.nv, "a function tau(t, system) can follow changes")

    def follow(self, old: System, new: System, t: float) -> None:
        """Go over to another vehicle: loads follow names, those on bodies that are gone went with them."""
        here = set(new.bodies)
        self.forces = {p: w for p, w in self.forces.items() if (p if isinstance(p, str) else p[0]) in here}
        if not self.in_time and new is not old:
            tau = carried(old, old.state(v=self.tau), new).v
            for body in old.bodies:
                name, a = bearer(old, new, body), old.layout[body].v
                if name != body and self.tau[a].any():
                    if a.stop - a.start > 1:
                        refuse_turned(body, "force", t)
                    tau[new.layout[name].v] = self.tau[a]
            self.tau = tau
        kept = {}
        for body, value in self.accelerations.items():
            name = bearer(old, new, body)
            if name != body and old.model.spec(body).joint.nv > 1:
                refuse_turned(body, "acceleration", t)
            same = name in here and new.model.spec(name).joint.nv == old.model.spec(body).joint.nv
            if same and new.joint_mode(name) == "prescribed":
                kept[name] = value
        self.accelerations = kept


def _by_place(forces: Any) -> dict:
    """Return forces by place, or say what they should be."""
    if not isinstance(forces, Mapping):
        raise InputError(
            "forces cannot be read",
            where="forces",
            expected="{(body, node): [t; f]}",
            got="a function" if callable(forces) else repr(forces),
            hint=f"forces are constant: {LAW}" if callable(forces) else None,
        )
    for place, wrench in forces.items():
        if callable(wrench):
            raise InputError(
                f"the force on {place!r} is a function",
                expected="[t; f], six numbers",
                hint=f"forces are constant: {LAW}",
            )
    return dict(forces)


def numbers(value: Any, where: str, n: int, hint: str | None = None) -> np.ndarray:
    """Return n finite real numbers as an array."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError("not an array of numbers", where=where, got=repr(value)) from None
    if array.shape != (n,):
        words = f"{array.shape[0]} numbers" if array.ndim == 1 else f"shape {array.shape}"
        raise InputError(f"{where} does not fit", expected=f"{n} numbers", got=words, hint=hint)
    if not np.isfinite(array).all():
        raise InputError(f"{where} is not finite", got=np.array2string(array, threshold=6))
    return array


def commanded(law: Callable, t: float, x: State, system: System) -> dict[str, Any]:
    """Return what a law(t, x, system) answers, by kind: nothing, a vector (tau), or a dictionary."""
    try:
        answer = law(t, x, system)
    except InterstageError:
        raise
    except Exception as err:
        raise SolverError(
            f"the control law failed at t = {t:.9g}", got=f"{type(err).__name__}: {err}"
        ) from err
    if answer is None:
        return {}
    if not isinstance(answer, dict):
        return {"tau": answer}
    unknown = set(answer) - set(KINDS)
    if unknown:
        raise InputError(
            "unknown result of the control law", expected=", ".join(sorted(KINDS)), got=f"{sorted(unknown)}"
        )
    return answer
