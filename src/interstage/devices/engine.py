"""A rocket engine: thrust and flow that follow the throttle, and the pressure of the air at the nozzle.

    ẋ = (c(throttle) - x) / τ,    F = max(0, x b(t) F_vac - p A_e),    flow = x b(t) flow_full

c is the throttle curve, b the burn profile (1 unless a table over the time since `ignition` is given; 0 before it). τ
is `start` while the engine comes up from below `idle`, `stop` where less than `idle` is asked for, `lag` elsewhere: an
engine that is shut down at the level x₀ has a tail-off of x₀ F_vac τ newton seconds in vacuum; one that its tanks feed
no longer is asked for nothing, whatever its throttle. A nozzle whose thrust would be less than the pressure on its exit
does not flow full: no thrust, and no suction. The thrust acts at the place along `axis`, turned by the misalignment
about the two directions across it.

Source: Sutton and Biblarz, Rocket Propulsion Elements, 9th ed., Eq. 2-13 (F = ṁ v₂ + (p₂ - p₃) A₂).
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from interstage.devices.parts import between, with_directions
from interstage.devices.tables import farthest
from interstage.errors import InputError
from interstage.simulation.plant.declarations import (
    ContinuousState,
    In,
    Limit,
    Out,
    Parameter,
    Site,
    Value,
    numbers,
    state_of,
)
from interstage.simulation.plant.device import Device, RecordView

DEFAULTS = {"curve": ([0, 1], [0, 1]), "burn": ([0, 1], [1, 1])}


class Engine(Device):
    """An engine on a body: thrust at its place, flow of propellant.

    body : body or place where the thrust acts;  axis (3,) : of the thrust, node axes
    thrust : in vacuum at full level;  exit_area : of the nozzle;  flow : at full level
    lag, start, stop : time constants of throttling, of coming up and of the tail-off (0: that of lag);  idle : level
    curve : (throttles, levels), a table that increases, default the throttle itself
    burn : (times since ignition, levels), as of a solid motor;  ignition : when the burn begins. After its last row the
        last level is held, and where that is not 0 the run warns (beyond : for how long)
    misalignment (2,) : angles of the thrust about `side` and about axis × side;  level : at the start
    throttle, pressure : inputs;  feeds : 1 while its tanks feed it, 0 from then on
    net : thrust along the axis less pressure;  mass_flow : what it takes from the tanks
    """

    body = Site()
    axis, side = Parameter("", [1.0, 0.0, 0.0]), Parameter("", [0.0, 1.0, 0.0])
    thrust = Parameter("N", above=0.0)
    flow = Parameter("kg/s", 0.0, least=0.0)
    exit_area = Parameter("m^2", 0.0, least=0.0)
    lag = Parameter("s", 0.05, above=0.0)
    start, stop = Parameter("s", 0.0, least=0.0), Parameter("s", 0.0, least=0.0)
    idle = Parameter("", 0.0, least=0.0, most=1.0)
    throttles, levels = Parameter("", size="n", increasing=True), Parameter("", size="n", least=0.0)
    times, profile = Parameter("s", size="m", increasing=True), Parameter("", size="m", least=0.0)
    ignition = Parameter("s", -1e9)
    misalignment = Parameter("rad", [0.0, 0.0])
    throttle = In("", default=1.0)
    feeds = In("", default=1.0)
    pressure = In("Pa", default=0.0, ambient="air pressure")
    net = Out("N")
    mass_flow = Out("kg/s")
    push = body.force("node")
    level = ContinuousState("")
    burn_end = Parameter("s", 1e12)
    beyond = Out("s")
    ends = MappingProxyType(
        {"beyond": "its last level is held: end the burn with level 0, or give it for the whole run"}
    )
    stands_for = MappingProxyType({"curve": ("throttles", "levels"), "burn": ("times", "profile")})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: tables as pairs, directions of length one."""
        found = dict(values)
        if "burn" in found:
            found.setdefault("ignition", 0.0)
        for name, fields in self.stands_for.items():
            if not set(fields) & found.keys():
                table = found.pop(name, DEFAULTS[name])
                found |= zip(fields, _table(table, f"Engine.{name}", "s" if name == "burn" else ""))
        if "burn" in values and "burn_end" not in found:
            times, profile = found["times"], found["profile"]
            assert isinstance(times, np.ndarray) and isinstance(profile, np.ndarray)
            found["burn_end"] = float(times[-1]) if profile[-1] > 0.0 else 1e12
        return with_directions(found, "Engine", "axis", "side", [1.0, 0.0, 0.0])

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the range of the throttle, and whether the nozzle flows."""
        low, high = float(d.throttles[0]), float(d.throttles[-1])
        room = 1e-9 * (high - low)
        found = [Limit("throttle", float(d.throttle), low - room, high + room)]
        shut = d.net == 0.0 and d.level > 0.0 and t >= d.ignition
        return found + ([state_of("nozzle", "does not flow full: there is no thrust")] if shut else [])

    def outputs(d, t):
        x = d.level * between(d.times, d.profile, t - d.ignition)
        if t < d.ignition.real:
            x = 0.0 * x
        elif x.real > 0.0:
            d.beyond = farthest(0.0 * d.burn_end, d.burn_end, t - d.ignition, d.beyond)
        net = x * d.thrust - d.pressure * d.exit_area
        d.net = net if net.real > 0.0 else 0.0 * net
        d.mass_flow = x * d.flow
        a, e, m = d.axis, d.side, d.misalignment
        # a small turn by m₁ about e and m₂ about f = a × e, exactly
        angle = np.sqrt((m[0] * m[0] + m[1] * m[1]).real)
        sinc = np.sin(angle) / angle if angle > 0.0 else 1.0
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            f = a[j] * e[k] - a[k] * e[j]
            d.push[i] = d.net * (np.cos(angle) * a[i] + sinc * (m[1] * e[i] - m[0] * f))

    def rates(d, t):
        wanted = between(d.throttles, d.levels, d.throttle) * d.feeds
        lag = d.lag
        if wanted.real < d.idle.real or wanted.real <= 0.0:
            lag = d.stop if d.stop.real > 0.0 else d.lag
        elif d.level.real < d.idle.real:
            lag = d.start if d.start.real > 0.0 else d.lag
        d.leveldot = (wanted - d.level) / lag


def _table(given: Value, where: str, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the two columns of a table."""
    if isinstance(given, str | float | int) or len(given) != 2:
        raise InputError(f"{where} is no table", expected="two lists of equal length", got=repr(given))
    x, y = (list(column) if isinstance(column, list | tuple) else np.asarray(column) for column in given)
    first, second = numbers(x, unit, where), numbers(y, "", where)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise InputError(
            f"{where} is no table", expected="two lists of equal length, 2 at least", got=repr(given)
        )
    return first, second
