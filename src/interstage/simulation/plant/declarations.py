"""What a device declares: parameters, ports, states, limits, and the sites of the vehicle that it touches.

What a device declares: parameters, ports, states, and the places of the vehicle that it touches.

Each declaration is an attribute of a device class and becomes a field of the record `d` that its functions get: a
number where it has no size, else an array. A size is a number or a name: fields with one name are equally long.

    Parameter        p   constant in a run           In               s   what others write
    Out              s   what this device writes     ContinuousState  z   ẋ by `rates`
    DiscreteState    w   changed by `sample`         IntegerState     n   whole numbers

`Site` is a node or point of a body, `JointRef` the joint of a body, `InternalLoad` a force or stress inside a flexible
one; their methods declare ports that the vehicle fills (position, rate, ...) or obeys (wrench, force).

Limits of devices at a point: where one is active, a linear model there is not that of small commands.

A device that saturates, sticks, or has play or a dead zone returns its limits at an instant (`Device.limits_at`), as
`Limit` objects. `linearize` names those that are active, in a warning and in the notes of the model; between the others
the model holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.units import quantity, unit

if TYPE_CHECKING:
    from interstage.simulation.plant.device import Device


Size = int | str | tuple[int | str, ...] | None
Value = str | float | Sequence[object] | np.ndarray
AXES = ("world", "body", "node")
ANY = "?"  # unit of ports that take any: filters, gains
Port = TypeVar("Port", "Look", "Push")


def shape_of(size: Size) -> tuple[int | str, ...]:
    """Return the shape that a size means: None is a number, "n" a vector as long as others of that name."""
    shape = () if size is None else size if isinstance(size, tuple) else (size,)
    for n in shape:
        whole = isinstance(n, int | np.integer) and not isinstance(n, bool) and n > 0
        if not whole and not (isinstance(n, str) and n.isidentifier()):
            raise InputError("not a size", expected='as in 3, (3, 3) or "n"', got=repr(size))
    if len(shape) > 2:
        raise InputError("a field has two axes at most", got=repr(size))
    return shape


def numbers(value: Value, text: str, where: str) -> np.ndarray:
    """Return finite numbers in the unit `text`; strings in a list or alone are quantities."""
    text = "" if text == ANY else text
    if isinstance(value, str):
        return np.array(quantity(value, text, where))
    if isinstance(value, list | tuple) and any(isinstance(item, str) for item in value):
        return np.array([quantity(item, text, where) for item in value])
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            "not a value", where=where, expected=f'numbers or strings as "1 {text}"', got=repr(value)
        ) from None
    if not np.isfinite(array).all():
        raise InputError("not finite", where=where, got=np.array2string(array, threshold=6))
    return array


@named_arguments
class Field:
    """A declared field of a device: name, unit, shape; `kind` says in which flat vector its numbers lie."""

    kind = ""

    def __init__(self, text: str = "", size: Size = None, value: Value | None = None):
        if not isinstance(text, str):
            raise InputError("a unit is a string", where=type(self).__name__, got=repr(text)[:60])
        if text != ANY:
            unit(text)
        self.unit, self.shape, self.name = text, shape_of(size), ""
        self.value = None if value is None else numbers(value, text, type(self).__name__)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, device: Device | None, owner: type) -> Any:
        if device is None:
            return self
        return device.value_of(self.name)

    def __set__(self, device: Device, value: Value) -> None:
        device.set(**{self.name: value})

    def __repr__(self) -> str:
        size = "".join(f"[{', '.join(map(str, self.shape))}]" if self.shape else "")
        return f"<{type(self).__name__} {self.name}: {self.unit or '1'}{size}>"


@named_arguments
class Parameter(Field):
    """A constant of a device in a unit, with a default or (None) to be given; its size is that of the default.

    above, least, most : what every number must be above, at least, at most
    increasing : each number of a table (or of each of its rows) must be above the one before it
    """

    kind = "p"

    def __init__(
        self,
        unit: str = "",
        default: Value | None = None,
        size: Size = None,
        *,
        above: float | None = None,
        least: float | None = None,
        most: float | None = None,
        increasing: bool = False,
    ):
        if default is not None and size is None:
            size = np.shape(numbers(default, unit, "Parameter")) or None
        self.above, self.least, self.most, self.increasing = above, least, most, increasing
        super().__init__(unit, size, default)

    def check(self, array: np.ndarray, where: str) -> None:
        """Refuse numbers that a device of this kind cannot have."""
        for bad, words in (
            (self.above is not None and not (array > self.above).all(), f"above {self.above}"),
            (self.least is not None and not (array >= self.least).all(), f"at least {self.least}"),
            (self.most is not None and not (array <= self.most).all(), f"at most {self.most}"),
            (self.increasing and not (np.diff(np.atleast_1d(array)) > 0.0).all(), "increasing"),
        ):
            if bad:
                got = np.array2string(array, threshold=6, precision=6)
                raise InputError(f"{where} must be {words}", expected=f"in {self.unit or 'numbers'}", got=got)


@named_arguments
class In(Field):
    """An input: what a wire brings. One with a default need not be connected.

    ambient : what it is in the surroundings, as in "air density": the one output that is that is wired to it by itself
    """

    kind = "s"

    def __init__(
        self, unit: str = "", size: Size = None, default: Value | None = None, *, ambient: str | None = None
    ):
        self.ambient = ambient
        super().__init__(unit, size, default)


@named_arguments
class Out(Field):
    """An output, written by `outputs` (always up to date) or by `sample` (held until the next sample).

    initial : what a sampled output is before its first sample
    ambient : what it is in the surroundings of all devices: inputs of that kind take it unless they are wired or set
    """

    kind = "s"

    def __init__(
        self, unit: str = "", size: Size = None, initial: Value = 0.0, *, ambient: str | None = None
    ):
        self.ambient = ambient
        super().__init__(unit, size, initial)


@named_arguments
class ZeroCrossing(Out):
    """A number that `outputs` writes and whose sign is watched: where it crosses zero, `switch(d, t)` runs.

    The crossing is found in time, no step goes over it, and `switch` may change states, discrete states and integers.
    `switch(d, t, crossing)` is told which: the name of the field, "" where it runs at the beginning of a run.
    direction : 0 any crossing, +1 upwards, -1 downwards
    state, level : in place of zero of this output, a state of the device crosses one of its parameters, by their
        names: a state never jumps between events, and is watched at no cost
    """

    def __init__(self, unit: str = "", direction: int = 0, state: str = "", level: str = ""):
        if direction not in (-1, 0, 1):
            raise InputError("the direction of a crossing is -1, 0 or 1", got=repr(direction))
        super().__init__(unit)
        self.direction, self.state, self.level = direction, state, level


@named_arguments
class ContinuousState(Field):
    """A continuous state; `rates` writes its derivative to the field of its name with `dot` added."""

    kind = "z"

    def __init__(self, unit: str = "", size: Size = None, initial: Value = 0.0):
        super().__init__(unit, size, initial)


@named_arguments
class DiscreteState(Field):
    """A state that `sample` changes."""

    kind = "w"

    def __init__(self, unit: str = "", size: Size = None, initial: Value = 0.0):
        super().__init__(unit, size, initial)


@named_arguments
class IntegerState(Field):
    """Whole numbers that `sample` changes: counters, modes. They are no part of derivatives."""

    kind = "n"

    def __init__(self, size: Size = None, initial: int | Sequence[int] = 0):
        super().__init__("", size, initial)


class Look(In):
    """An input that the vehicle fills."""

    def __init__(
        self, owner: Site | JointRef | InternalLoad, quantity: str, axes: str, text: str, size: Size
    ):
        super().__init__(text, size)
        self.owner, self.quantity, self.axes = owner, quantity, axes


ROOTS = "gravity of roots"  # it acts on bodies that hang on nothing, and on what they carry
GRAVITY = ("gravity", ROOTS)


class Push(Out):
    """An output that the vehicle obeys."""

    def __init__(self, owner: Site | JointRef, quantity: str, axes: str, text: str, size: Size):
        super().__init__(text, size)
        self.owner, self.quantity, self.axes = owner, quantity, axes


def _axes(axes: str) -> str:
    if axes not in AXES:
        raise InputError("unknown axes", expected=", ".join(AXES), got=repr(axes))
    return axes


@named_arguments
class Site:
    """A place on a body of the vehicle: the argument of its name is body, (body, node) or (body, point).

    Axes are those of the world, of the body, or (default) those that turn with the node.
    root : it need not be given; it is then the first body of the vehicle
    """

    def __init__(self, root: bool = False) -> None:
        self.root, self.name = root, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def rows(self, port: Port) -> Port:
        """Return a port as this place has it: that of one place."""
        return port

    def position(self) -> Look:
        """Declare the position (3,) in the world."""
        return self.rows(Look(self, "position", "world", "m", 3))

    def attitude(self) -> Look:
        """Declare the quaternion (4,), scalar first, of x_world = R x_node."""
        return self.rows(Look(self, "attitude", "world", "", 4))

    def rate(self, axes: str = "node") -> Look:
        """Declare the angular velocity (3,)."""
        return self.rows(Look(self, "rate", _axes(axes), "rad/s", 3))

    def velocity(self, axes: str = "node") -> Look:
        """Declare the velocity (3,) of the point."""
        return self.rows(Look(self, "velocity", _axes(axes), "m/s", 3))

    def acceleration(self, axes: str = "node") -> Look:
        """Declare the acceleration (3,) of the point, the second derivative of its position; gravity is in it."""
        return self.rows(Look(self, "acceleration", _axes(axes), "m/s^2", 3))

    def specific_force(self, axes: str = "node") -> Look:
        """Declare the acceleration (3,) of the point less gravity of its body: what an accelerometer feels."""
        return Look(self, "specific_force", _axes(axes), "m/s^2", 3)

    def angular_acceleration(self, axes: str = "node") -> Look:
        """Declare the angular acceleration (3,)."""
        return self.rows(Look(self, "angular_acceleration", _axes(axes), "rad/s^2", 3))

    def center_of_mass(self) -> Look:
        """Declare where the center of mass of the body is, undeformed: (3,) from the place, body axes."""
        return self.rows(Look(self, "center_of_mass", "body", "m", 3))

    def inertia(self) -> Look:
        """Declare the inertia (9,) of the body about its center of mass, row by row, undeformed, body axes.

        It is that of now: of the propellant in tanks, of a `MassHistory`, of whatever an event has changed.
        """
        return self.rows(Look(self, "inertia", "body", "kg*m^2", 9))

    def force(self, axes: str = "node") -> Push:
        """Declare a force (3,) on the vehicle."""
        return self.rows(Push(self, "force", _axes(axes), "N", 3))

    def torque(self, axes: str = "node") -> Push:
        """Declare a torque (3,) on the vehicle."""
        return self.rows(Push(self, "torque", _axes(axes), "N*m", 3))

    def gravity(self) -> Push:
        """Declare the acceleration of gravity (3,), world axes, of the body and of all that it carries.

        It acts at every instant instead of the uniform gravity of the vehicle, as the field of the place all over these
        bodies; declared at the root of a tree it is the gravity of the whole, at another body that of its branch.
        Several devices at one body add up. What a field does beside (its gradient) are forces and torques.
        """
        return self.rows(Push(self, "gravity", "world", "m/s^2", 3))


@named_arguments
class Sites(Site):
    """Several places, given as a list: what they show and take has a row for each, (n, 3) or (n, 4).

    size : name of the number of places;  root : as of `Site`: one place, the first body, where none are given
    """

    def __init__(self, size: str = "n", root: bool = False):
        super().__init__(root)
        self.size = size

    def rows(self, port: Port) -> Port:
        """Return a port of one place made one of them all."""
        port.shape = (self.size, *port.shape)
        return port


@named_arguments
class JointRef:
    """The joint of a body, as large as the joint is: the argument of its name is the name of the body.

    unit : of the coordinates, "rad" or "m";  size : None where it is one number
    """

    def __init__(self, unit: str = "rad", size: Size = None):
        self.unit, self.size, self.name = unit, size, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def _force(self) -> str:
        return "N*m" if self.unit == "rad" else "N"

    def coordinate(self) -> Look:
        """Declare the coordinates of the joint."""
        return Look(self, "coordinate", "joint", self.unit, self.size)

    def rate(self) -> Look:
        """Declare the velocities of the joint."""
        return Look(self, "joint_rate", "joint", f"{self.unit}/s", self.size)

    def acceleration(self) -> Look:
        """Declare the accelerations of the joint."""
        return Look(self, "joint_acceleration", "joint", f"{self.unit}/s^2", self.size)

    def reaction(self) -> Look:
        """Declare the generalized force that holds a locked joint or moves a prescribed one; a free one has none."""
        return Look(self, "joint_reaction", "joint", self._force, self.size)

    def force(self) -> Push:
        """Declare a generalized force on the joint, beside its springs and dampers."""
        return Push(self, "joint_force", "joint", self._force, self.size)

    def hold(self) -> Hold:
        """Declare the whole number by which `switch` locks the joint (1) and lets it go (0).

        A joint that is locked stands still from then on, by an impulse inside the vehicle; `switch` then runs once more
        and sees the `reaction` of the lock; in a class with `settles = True` it also runs at the beginning of a run.
        """
        return Hold(self)

    def motion(self) -> Push:
        """Declare the acceleration of a prescribed joint; a free one is prescribed by that."""
        return Push(self, "motion", "joint", f"{self.unit}/s^2", self.size)


class Hold(IntegerState):
    """A whole number that holds a joint: 1 locks it, 0 lets it go; `switch` changes it."""

    def __init__(self, owner: JointRef):
        super().__init__()
        self.owner = owner


@named_arguments
class InternalLoad:
    """A force or stress inside a flexible body: the argument of its name is (body, result), a result of `recover`.

    unit : of the result, as "N*m" or "Pa"; ANY takes every kind, in SI
    """

    def __init__(self, unit: str = ANY):
        self.unit, self.name = unit, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def result(self, residual: bool = True) -> Look:
        """Declare the result; residual=False leaves out what loads do besides moving the modes (mode displacement)."""
        return Look(self, "result" if residual else "result_of_modes", "inside", self.unit, None)


class Store:
    """A tank of a body that burns: the argument of its name is the name of the tank."""

    def __init__(self) -> None:
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def mass(self) -> Stored:
        """Declare the propellant in the tank, a continuous state: the vehicle has the mass that it says."""
        return Stored(self)


class Stored(ContinuousState):
    """The propellant in a tank: a continuous state."""

    def __init__(self, owner: Store):
        super().__init__("kg")
        self.owner = owner


def shaped(value: ArrayLike, shape: tuple[int, ...], where: str) -> np.ndarray:
    """Return numbers of a shape; one number fills it."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":  # as a file may have it
        raise InputError("not numbers", where=where, got=shown(value))
    if array.shape != shape and array.shape != ():
        words = f"{' x '.join(map(str, shape))} numbers" if shape else "one number"
        raise InputError("the size does not fit", where=where, expected=words, got=f"shape {array.shape}")
    return np.broadcast_to(array, shape).copy()


class Limit(NamedTuple):
    """A quantity of a device with the range in which the device responds to it.

    what : its name, as in "command[0]";  value : at the instant;  low, high : ends of the range
    unit : of these;  words : what holds where the limit is active

    >>> Limit("command", 0.3, -0.1, 0.1, "rad").active, str(Limit("command", 0.3, -0.1, 0.1, "rad"))
    (True, 'command = 0.3 rad is not within ±0.1 rad')
    """

    what: str
    value: float
    low: float
    high: float
    unit: str = ""
    words: str = ""

    @property
    def active(self) -> bool:
        """Whether the value is not inside the range."""
        return not self.low < self.value < self.high

    @property
    def range(self) -> str:
        """The range in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.low == -self.high:
            return f"±{self.high:.4g}{unit}"
        return f"{self.low:.4g} to {self.high:.4g}{unit}"

    def __str__(self) -> str:
        if self.words:
            return f"{self.what} {self.words}"
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.what} = {self.value:.4g}{unit} is not within {self.range}"


def within(what: str, value: float, limit: float, unit: str = "", words: str = "") -> list[Limit]:
    """Return the limit ±limit of a value; none where the limit is zero, which means that there is none."""
    return [Limit(what, float(value), -float(limit), float(limit), unit, words)] if limit > 0.0 else []


def state_of(what: str, words: str) -> Limit:
    """Return a limit that is active: something sticks, or is inside its play."""
    return Limit(what, 0.0, 0.0, 0.0, "", words)


__getattr__ = former_names(__name__)
