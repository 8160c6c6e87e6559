"""Springs and dampers along the line between two places.

With s = |p_b - p_a| and its rate ṡ, the force that pulls the places together is

    Spring       f = k (s - length) + c ṡ
    TableSpring  f = F(s - length) + G(ṡ),   tables with smooth slopes, continued straight beyond their ends
    Cable        f = k (s - length) + c (ṡ - winding)   where s > length and that is positive, else 0

It acts on both, equal and opposite, so that momentum is kept. Places that coincide pull each other nowhere.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.tables import look_up, slopes_of
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.system.device import Device, View
from interstage.system.limits import Limit, state_of
from interstage.system.ports import In, Out, Parameter, Place, Value, numbers


@kernel
def line_between(p_a, p_b, v_a, v_b):
    """Return distance, its rate, and the direction (three numbers) from a to b."""
    x, y, z = p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2]
    s = np.sqrt(x * x + y * y + z * z)
    if s.real > 0.0:
        x, y, z = x / s, y / s, z / s
    rate = x * (v_b[0] - v_a[0]) + y * (v_b[1] - v_a[1]) + z * (v_b[2] - v_a[2])
    return s, rate, x, y, z


@kernel
def pull_together(f, x, y, z, on_a, on_b):
    """Write a force along a direction on a, and the opposite on b."""
    on_a[0], on_a[1], on_a[2] = f * x, f * y, f * z
    on_b[0], on_b[1], on_b[2] = -f * x, -f * y, -f * z


@kernel
def straight_beyond(x, y, slope, at):
    """Return a table (n, 1) at a value; beyond its ends it goes on with its last slope."""
    n = len(x) - 1
    if at.real < x[0].real:
        return y[0, 0] + slope[0, 0] * (at - x[0])
    if at.real > x[n].real:
        return y[n, 0] + slope[n, 0] * (at - x[n])
    return look_up(x, y, slope, 0, at)


class Line:
    """What springs and cables have in common: two places and the line between them."""

    a, b = Place(), Place()
    p_a, p_b = a.position(), b.position()
    v_a, v_b = a.velocity("world"), b.velocity("world")
    stretch, pull = Out("m"), Out("N")
    on_a, on_b = a.force("world"), b.force("world")


class Spring(Line, Device):
    """A linear spring with a damper between two places.

    a, b : places;  stiffness, damping : along the line between them;  length : where the spring is at rest
    stretch : s - length;  pull : the force, positive where it pulls the places together
    """

    stiffness = Parameter("N/m", least=0.0)
    damping = Parameter("N*s/m", 0.0, least=0.0)
    length = Parameter("m", 0.0, least=0.0)

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        d.pull = d.stiffness * d.stretch + d.damping * rate
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)


class TableSpring(Line, Device):
    """A spring and a damper by tables between two places.

    a, b : places;  length : from which the stretch counts
    force : (stretches, forces), increasing stretches;  drag : (rates, forces), increasing rates; none by default
    """

    length = Parameter("m", 0.0, least=0.0)
    stretches = Parameter("m", size="n", increasing=True)
    forces, force_slopes = Parameter("N", size=("n", 1)), Parameter("N/m", size=("n", 1))
    speeds = Parameter("m/s", size="m", increasing=True)
    drags, drag_slopes = Parameter("N", size=("m", 1)), Parameter("N*s/m", size=("m", 1))

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return tables with their slopes of the arguments `force` and `drag`."""
        found = dict(values)
        if "force" not in found:
            raise InputError("TableSpring needs force=(stretches, forces)")
        tables = (
            ("force", ("stretches", "forces", "force_slopes"), ("m", "N")),
            ("drag", ("speeds", "drags", "drag_slopes"), ("m/s", "N")),
        )
        for name, fields, units in tables:
            given = found.pop(name, ([-1.0, 1.0], [0.0, 0.0]))
            where = f"TableSpring.{name}"
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise InputError(f"{where} is a pair of rows", got=repr(given)[:60])
            x, y = (numbers(row, unit, where) for row, unit in zip(given, units))
            if x.ndim != 1 or x.shape != y.shape or len(x) < 2 or not (np.diff(x) > 0.0).all():
                raise InputError(
                    f"{where} is no table",
                    expected="two rows of equal length, the first one increasing",
                    got=f"{x.shape} and {y.shape}" if x.shape != y.shape else np.array2string(x, threshold=6),
                )
            found |= {fields[0]: x, fields[1]: y[:, None], fields[2]: slopes_of(x, y[:, None])}
        return found

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        d.pull = straight_beyond(d.stretches, d.forces, d.force_slopes, d.stretch)
        d.pull += straight_beyond(d.speeds, d.drags, d.drag_slopes, rate)
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)


class Cable(Line, Device):
    """A cable between two places: it pulls where it is taut and never pushes; a winch changes its length.

    a, b : places;  stiffness, damping : of the taut cable
    length : input, of the unstretched cable;  winding : input, the rate of the length
    """

    stiffness = Parameter("N/m", above=0.0)
    damping = Parameter("N*s/m", 0.0, least=0.0)
    length, winding = In("m", default=1.0), In("m/s", default=0.0)

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return whether the cable is slack."""
        return [state_of("cable", "is slack: it pulls nothing")] if d.pull == 0.0 else []

    def outputs(d, t):
        s, rate, x, y, z = line_between(d.p_a, d.p_b, d.v_a, d.v_b)
        d.stretch = s - d.length
        f = d.stiffness * d.stretch + d.damping * (rate - d.winding)
        d.pull = f if d.stretch.real > 0.0 and f.real > 0.0 else 0.0 * f
        pull_together(d.pull, x, y, z, d.on_a, d.on_b)
