"""What comes in from files of robots and vehicles of other tools: a vehicle, and what is known of its joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, TypedDict

import numpy as np

from interstage.calls import named_arguments
from interstage.component import Component
from interstage.errors import InputError, known_names, shown
from interstage.exchange.xml_file import Element
from interstage.multibody import Joint, Locked, Multibody

NEAR = 1e-6  # of the size of a component: a joint this near to a node sits at it


@dataclass(frozen=True)
class ImportedJoint:
    """A joint of the file.

    body : the body that it moves, by whose name the vehicle knows it;  number : of its first velocity in that body
    kind : as the file calls it;  lower, upper : of its coordinate, radians or lengths;  effort, rate : largest;
    None where the file says nothing. Limits are known here, not kept by the dynamics.
    """

    body: str
    number: int
    kind: str
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    rate: float | None = None


@named_arguments
@dataclass(frozen=True)
class Imported:
    """A vehicle of another tool's file.

    model : bodies and joints, to be added to and compiled;  joints : what the file says of each, by the file's names
    notes : what the file has and the vehicle does not, in words
    """

    model: Multibody
    joints: dict[str, ImportedJoint] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, words: str) -> None:
        """Add a note once."""
        if words not in self.notes:
            self.notes.append(words)


class FlexibleBody(TypedDict, total=False):
    """How a body of the file is made flexible: as the words of `Multibody.add_body`."""

    component: Component | str | Path
    node: int | None
    damping: float | Sequence[float] | None
    order: int | None
    n_modes: int | None


Flexible: TypeAlias = Mapping[str, FlexibleBody | Component | str | Path]
"""Bodies of a file that bend: their names, and the component or its file, or a mapping with more."""


def _checked(flexible: Flexible) -> dict[str, FlexibleBody | Component | str | Path]:
    """Return what is given of flexible bodies, whose words must be known."""
    if not isinstance(flexible, Mapping):
        words = 'a mapping, as {"panel": "panel.h5"}'
        raise InputError(
            "flexible bodies are not named", where="flexible", expected=words, got=shown(flexible)
        )
    known = list(FlexibleBody.__annotations__)
    for name, given in flexible.items():
        for word in given if isinstance(given, Mapping) else ():
            if word not in known:
                raise InputError(
                    f"'{word}' is not known", where=f"flexible, '{name}'", hint=known_names(known)
                )
        if isinstance(given, Mapping) and "component" not in given:
            raise InputError("there is no component", where=f"flexible, '{name}'")
    return dict(flexible)


class Builder:
    """Adds bodies to a vehicle: rigid ones with what the file says, those in `flexible` as their components."""

    def __init__(
        self, made: Imported, flexible: Flexible | None, ignore: Sequence[str], known: Sequence[str]
    ):
        self.made, self.flexible = made, _checked(flexible or {})
        listed = isinstance(ignore, Sequence) and not isinstance(ignore, str)
        wrong = [name for name in ignore if name not in known] if listed else [ignore]
        if wrong:
            raise InputError(
                "this cannot be ignored",
                where="ignore",
                expected=f"a list of {', '.join(known)}",
                got=shown(wrong),
            )
        self.ignore = tuple(ignore)

    def unsupported(self, element: Element, kind: str, what: str) -> None:
        """Refuse what would change the motion and is not modelled, unless it is to be ignored: then note it."""
        if kind not in self.ignore:
            raise element.fault(
                f"{what}, which is not modelled",
                hint=f'ignore=["{kind}"] leaves it out, and the motion is another',
            )
        self.made.note(f"left out: {what} ({element.where})")

    def check_flexible(self, bodies: Sequence[str]) -> None:
        """Refuse flexible bodies that the file does not have."""
        for name in self.flexible:
            if name not in bodies:
                raise InputError(f"the file has no body '{name}'", where="flexible", hint=known_names(bodies))

    def body(
        self,
        element: Element,
        name: str,
        parent: str | None,
        place: tuple[np.ndarray, np.ndarray],
        joint: Joint,
        mass: tuple[float, np.ndarray, np.ndarray],
        port: np.ndarray | None = None,
    ) -> None:
        """Add a body.

        place : point (3,) of the parent's frame and R_PC;  mass : mass, com (3,) and inertia about it, body axes
        port : point (3,) of the body that sits in the joint
        """
        point, R = place
        port = None if port is None or not np.any(port) else port
        try:
            at = self._at(parent, point)
            if name in self.flexible:
                if port is not None:
                    raise InputError("a flexible body is joined at its inboard node, the origin of its frame")
                given = self.flexible[name]
                options: FlexibleBody = {**given} if isinstance(given, Mapping) else {"component": given}
                self.made.model.add_body(name, parent=parent, at=at, rotation=R, joint=joint, **options)
                return
            m, com, inertia = mass
            self.made.model.add_body(
                name,
                mass=m,
                com=com,
                inertia=inertia,
                parent=parent,
                at=at,
                rotation=R,
                joint=joint,
                port=port,
            )
        except InputError as error:
            raise element.fault(str(error)) from None

    def _at(self, parent: str | None, point: np.ndarray) -> np.ndarray | int:
        """Return the place on a parent: a point, or the node of a flexible one that lies there."""
        spec = None if parent is None else self.made.model.spec(parent)
        if spec is None or spec.component is None:
            return point
        places = spec.component.node_positions
        inboard = np.zeros(3) if spec.node is None else places[spec.component.node_row(spec.node)]
        apart = np.linalg.norm(places - inboard - point, axis=1)
        near = np.flatnonzero(apart <= NEAR * max(float(np.linalg.norm(np.ptp(places, axis=0))), 1e-300))
        if not len(near):
            k = int(np.argmin(apart))
            raise InputError(
                f"there is no node of the flexible body '{parent}' where a joint sits",
                got=f"{point.tolist()} from its inboard node; node {spec.component.node_ids[k]} is {apart[k]:.3g} away",
            )
        return int(spec.component.node_ids[near[0]])


NO_MASS = (0.0, np.zeros(3), np.zeros((3, 3)))
LOCKED = Locked()
