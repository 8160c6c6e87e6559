"""Where the numbers of each body lie in q and v, and what they are: names and kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from interstage.errors import InputError, known_names
from interstage.multibody.joints import Coordinate, Joint
from interstage.multibody.joints.motions import MODAL, Attitude, Pose


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


class Layout(dict[str, BodySlices]):
    """Names of bodies in order, each with the slices of its numbers in q and v (`BodySlices`); never changed."""

    def __missing__(self, name: str) -> BodySlices:
        raise InputError(f"there is no body '{name}'", hint=known_names(self))

    @staticmethod
    def of(names: Sequence[str], joints: Sequence[Joint], modes: Sequence[int]) -> Layout:
        """Return the layout of bodies in order: joint, then modes, body by body."""
        out, q, v = Layout(), 0, 0
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

    def __reduce__(self) -> tuple[type[Layout], tuple[dict[str, BodySlices]]]:
        return Layout, (dict(self),)

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
            if isinstance(motion, Pose):
                found |= {"position": slice(first + 4, first + 7), "drift": slice(rate + 3, rate + 6)}
    return found
