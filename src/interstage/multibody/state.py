"""The state of a system: flat arrays `q` and `v`, and views of them by the names of bodies.

Where the numbers of each body lie in q and v, and what they are: names and kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments, quick
from interstage.errors import InputError, known_names, shown
from interstage.multibody.joints import KNOWN, Coordinate, Joint
from interstage.multibody.joints.elementary_motions import MODAL, Attitude, FreePose

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData


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

    layout: StateLayout
    """Where the numbers of each body lie."""
    qv: np.ndarray
    """Coordinates and velocities in one array (nq + nv,), of which q and v are views; assigning to them copies."""

    def __init__(self, layout: StateLayout, q: np.ndarray, v: np.ndarray):
        self.layout = layout
        self.qv = np.concatenate([q, v])
        self._q, self._v = self.qv[: len(q)], self.qv[len(q) :]

    @property
    def q(self) -> np.ndarray:
        """Coordinates (nq,)."""
        return self._q

    @q.setter
    def q(self, value: np.ndarray) -> None:
        _fill(self._q, value, "coordinates")

    @property
    def v(self) -> np.ndarray:
        """Velocities (nv,)."""
        return self._v

    @v.setter
    def v(self, value: np.ndarray) -> None:
        _fill(self._v, value, "velocities")

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

    def why_not_of(self, system: ModelData) -> str:
        """Return why it is no state of a vehicle of the same sizes, "" where nothing is known against it."""
        return ""

    def __repr__(self) -> str:
        return f"<State: {len(self.q)} coordinates, {len(self.v)} velocities of {', '.join(self.layout)}>"

    def __str__(self) -> str:
        from interstage.multibody.summary import of_state

        return of_state(self)


def _fill(numbers: np.ndarray, given: np.ndarray, what: str) -> None:
    """Put what is given in the place of all numbers of a state."""
    try:
        numbers[:] = given
    except (TypeError, ValueError, RuntimeWarning):
        kind = "complex" if np.iscomplexobj(numbers) else "real"
        raise InputError(
            f"the {what} of a state do not fit", expected=f"{len(numbers)} {kind} numbers", got=shown(given)
        ) from None


def check_compiled(system: object) -> None:
    """Refuse what is no compiled vehicle."""
    if not hasattr(system, "layout"):
        raise InputError(
            "not a compiled vehicle",
            where="system",
            expected="a System, as from mb.compile()",
            got=type(system).__name__,
        )


def check_belongs(system: ModelData, x: State | None) -> None:
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


@dataclass(frozen=True)
class BodySlices:
    """Where a body's numbers lie in q and v: q, v of its joint, eta, etadot of its modes.

    quaternion, spin : attitude in q (4) and angular velocity in v (3) of a joint that turns freely, else None
    position, drift : position in q (3) and velocity in v (3), body axes, of a joint that holds nothing, else None
    """

    joint: Joint
    q: slice
    v: slice
    eta: slice
    etadot: slice
    quaternion: slice | None = None
    spin: slice | None = None
    position: slice | None = None
    drift: slice | None = None

    @property
    def velocities(self) -> slice:
        """All its entries of v: joint, then modes."""
        return slice(self.v.start, self.etadot.stop)

    @property
    def n_modes(self) -> int:
        """Number of modes."""
        return self.eta.stop - self.eta.start

    def _with_modes(self, joint: Sequence[Coordinate]) -> list[Coordinate]:
        return [*joint, *(Coordinate(f"eta{r + 1}", MODAL) for r in range(self.n_modes))]

    def coordinates(self) -> list[Coordinate]:
        """Return names and kinds of its entries of q."""
        return self._with_modes(self.joint.coordinates)

    def rates(self) -> list[Coordinate]:
        """Return names of its entries of v, and the kind of what each is the rate of."""
        return self._with_modes(self.joint.velocities)

    def small_motions(self) -> list[Coordinate]:
        """Return names and kinds of small changes of its coordinates, one for each velocity."""
        return self._with_modes(self.joint.small_motions)


class StateLayout(dict[str, BodySlices]):
    """Names of bodies in order, each with the slices of its numbers in q and v (`BodySlices`); never changed."""

    def __missing__(self, name: str) -> BodySlices:
        raise InputError(f"there is no body '{name}'", hint=known_names(self))

    @staticmethod
    def of(names: Sequence[str], joints: Sequence[Joint], modes: Sequence[int]) -> StateLayout:
        """Return the layout of bodies in order: joint, then modes, body by body."""
        out, q, v = StateLayout(), 0, 0
        for name, joint, n in zip(names, joints, modes):
            eta, etadot = q + joint.nq, v + joint.nv
            out[name] = BodySlices(
                joint,
                slice(q, eta),
                slice(v, etadot),
                slice(eta, eta + n),
                slice(etadot, etadot + n),
                **_free_parts(joint, q, v),
            )
            q, v = eta + n, etadot + n
        return out

    def coordinates(self) -> list[Coordinate]:
        """Return names and kinds of the entries of q, as in "bus.quaternion0", "arm.angle", "panel.eta3"."""
        return list(self._named[0])

    def velocities(self) -> list[Coordinate]:
        """Return names of the entries of v, as in "bus.wx", "arm.angle", "panel.eta3", and kinds of their integrals."""
        return list(self._named[1])

    def small_motions(self) -> list[Coordinate]:
        """Return names and kinds of small changes of coordinates, as in "bus.rx", "arm.angle", "panel.eta3"."""
        return list(self._named[2])

    @cached_property
    def chosen(self) -> dict[tuple[str, str | int | None, bool], list[tuple[Coordinate, int]]]:
        """What was chosen before of the coordinates of a body: whoever chooses keeps it here."""
        return {}

    @cached_property
    def interfaces(self) -> dict:
        """Inputs and outputs of linear models that were asked for before: whoever makes them keeps them here."""
        return {}

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the entries of v."""
        return tuple(c.name for c in self._named[1])

    @cached_property
    def _named(self) -> tuple[list[Coordinate], ...]:
        """Coordinates, velocities and small motions under the names of their bodies."""
        asked = (BodySlices.coordinates, BodySlices.rates, BodySlices.small_motions)
        return tuple(
            [Coordinate(f"{name}.{c.name}", c.kind) for name, s in self.items() for c in of(s)]
            for of in asked
        )

    def __reduce__(self) -> tuple[type[StateLayout], tuple[dict[str, BodySlices]]]:
        return StateLayout, (dict(self),)

    def turning(self) -> tuple[tuple[str, BodySlices], ...]:
        """Return the bodies that have a quaternion."""
        return self._turning

    @cached_property
    def _turning(self) -> tuple[tuple[str, BodySlices], ...]:
        return tuple((name, where) for name, where in self.items() if where.quaternion is not None)

    def normalize(self, q: np.ndarray) -> None:
        """Bring the quaternions in q (nq,) to unit length."""
        for _, where in self.turning():
            part = q[where.quaternion]
            part /= np.linalg.norm(part)


def _free_parts(joint: Joint, q: int, v: int) -> dict[str, slice]:
    """Return where attitude and position of a joint lie, as far as it has them."""
    found: dict[str, slice] = {}
    for motion in joint.motions:
        if isinstance(motion, Attitude):
            first, rate = q + motion.q, v + motion.v
            found |= {"quaternion": slice(first, first + 4), "spin": slice(rate, rate + 3)}
            if isinstance(motion, FreePose):
                found |= {"position": slice(first + 4, first + 7), "drift": slice(rate + 3, rate + 6)}
    return found
