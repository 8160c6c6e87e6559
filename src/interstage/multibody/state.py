"""The state of a system: flat arrays `q` and `v`, and views of them by the names of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments, quick
from interstage.errors import InputError, known_names, shown
from interstage.multibody.joints import KNOWN
from interstage.multibody.layout import BodySlices, Layout

if TYPE_CHECKING:
    from interstage.multibody.api.compiled import Compiled


class BodyState:
    """Views of one body's part of a state (or of a log of states: then time is the first axis).

    q, v : joint coordinates and velocities;  eta, etadot : modal coordinates and rates
    """

    def __init__(self, name: str, where: BodySlices, q: np.ndarray, v: np.ndarray):
        self._name, self._where = name, where
        self._q, self._v = q, v

    @property
    def q(self) -> np.ndarray:
        """Joint coordinates, a view."""
        return self._q[..., self._where.q]

    @property
    def v(self) -> np.ndarray:
        """Joint velocities, a view."""
        return self._v[..., self._where.v]

    @property
    def eta(self) -> np.ndarray:
        """Modal coordinates, a view."""
        return self._q[..., self._where.eta]

    @property
    def etadot(self) -> np.ndarray:
        """Rates of the modal coordinates, a view."""
        return self._v[..., self._where.etadot]

    def _own(self, values: np.ndarray, where: slice | None, what: str) -> np.ndarray:
        if where is None:
            turning = what in ("quaternion", "angular velocity")
            able = [k.__name__ for k in KNOWN if (not k.linear if turning else k.is_free)]
            raise InputError(
                f"body '{self._name}' has no {what} of its own",
                expected=" or ".join(f"a {name} joint" for name in able),
                got=f"a {type(self._where.joint).__name__} joint",
                hint="use q and v, or system.position(x, body) for its place in the world",
            )
        return values[..., where]

    @property
    def quaternion(self) -> np.ndarray:
        """Quaternion of a joint that turns freely (Ball, Slot, Free), scalar first, a view."""
        return self._own(self._q, self._where.quaternion, "quaternion")

    @property
    def position(self) -> np.ndarray:
        """Position of a Free body's frame in the joint's parent frame, a view."""
        return self._own(self._q, self._where.position, "position")

    @property
    def velocity(self) -> np.ndarray:
        """Velocity [ω; v] (6,) of a Free body in its own axes, a view."""
        return self._own(self._v, self._where.position and self._where.v, "velocity")

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity (3,) of a body that turns freely (Ball, Slot, Free) in its own axes, a view."""
        return self._own(self._v, self._where.spin, "angular velocity")

    @property
    def linear_velocity(self) -> np.ndarray:
        """Linear velocity (3,) of a Free body in its own axes, a view."""
        return self._own(self._v, self._where.drift, "linear velocity")

    def __repr__(self) -> str:
        return f"<{self._name}: q={self.q}, v={self.v}, {self.eta.shape[-1]} modes>"

    def __str__(self) -> str:
        from interstage.multibody.summary import of_body

        joint, modes = self._where.joint, range(1, self.eta.shape[-1] + 1)
        names = [c.name for c in joint.coordinates]
        parts = [
            (names, self.q),
            ([f"rate of {c.name}" if c.name in names else c.name for c in joint.velocities], self.v),
            ([f"mode {k}" for k in modes], self.eta),
            ([f"rate of mode {k}" for k in modes], self.etadot),
        ]
        return of_body(self._name, joint, parts)


@named_arguments
class State:
    """Coordinates q (nq,) and velocities v (nv,) of a system; `x["body"]` gives views by name."""

    __slots__ = ("_q", "_v", "layout", "qv")

    layout: Layout
    """Where the numbers of each body lie."""
    qv: np.ndarray
    """Coordinates and velocities in one array (nq + nv,), of which q and v are views; assigning to them copies."""

    def __init__(self, layout: Layout, q: np.ndarray, v: np.ndarray):
        self.layout = layout
        self.qv = np.concatenate([q, v])
        self._q, self._v = self.qv[: len(q)], self.qv[len(q) :]

    @property
    def q(self) -> np.ndarray:
        """Coordinates (nq,)."""
        return self._q

    @q.setter
    def q(self, value: np.ndarray) -> None:
        self._q[:] = value

    @property
    def v(self) -> np.ndarray:
        """Velocities (nv,)."""
        return self._v

    @v.setter
    def v(self, value: np.ndarray) -> None:
        self._v[:] = value

    @quick
    def __getitem__(self, name: str) -> BodyState:
        try:
            return BodyState(name, self.layout[name], self.q, self.v)
        except TypeError:  # what has no hash is no name
            raise InputError(
                "a body is taken by its name", got=shown(name), hint=known_names(self.layout)
            ) from None

    def __reduce__(self):
        # a copy in another place has another address
        return State, (self.layout, self._q, self._v)

    def copy(self, dtype: type | None = None) -> State:
        """Return an independent copy, of another number type if asked."""
        if dtype is None or dtype == self.qv.dtype:
            return State(self.layout, self._q, self._v)
        return State(self.layout, self._q.astype(dtype), self._v.astype(dtype))

    def why_not_of(self, system: Compiled) -> str:
        """Return why it is no state of a vehicle of the same sizes, "" where nothing is known against it."""
        return ""

    def __repr__(self) -> str:
        return f"<State: {len(self.q)} coordinates, {len(self.v)} velocities of {', '.join(self.layout)}>"

    def __str__(self) -> str:
        from interstage.multibody.summary import of_state

        return of_state(self)


def check_compiled(system: object) -> None:
    """Refuse what is no compiled vehicle."""
    if not hasattr(system, "layout"):
        raise InputError(
            "not a compiled vehicle",
            where="system",
            expected="a System, as from mb.compile()",
            got=type(system).__name__,
        )


def check_belongs(system: Compiled, x: State | None) -> None:
    """Refuse what is no state, and a state of another vehicle."""
    check_compiled(system)
    if not isinstance(x, State):
        raise InputError(
            "not a state", where="x", expected="a State, as from system.state(q, v)", got=type(x).__name__
        )
    if list(x.layout) != list(system.layout) or (len(x.q), len(x.v)) != (system.nq, system.nv):
        raise InputError(
            "the state does not belong to this system",
            expected=f"{system.nq} coordinates, {system.nv} velocities of {', '.join(system.bodies)}",
            got=repr(x),
            hint="after a change of the vehicle use the system and the state that the change returned",
        )
    why = x.why_not_of(system)
    if why:
        raise InputError(
            "the state does not belong to this system",
            got=why,
            hint="point.system is the vehicle at a point of a log; simulate and linearize of its assembly find it",
        )
