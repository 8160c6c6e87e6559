"""Propellant of a vehicle that burns: tanks that empty, and what flows through the structure to the exit.

    ṁ = -flow while there is some,      f_a = f_b = -g (v_b - v_a) of each segment a → b with mass flow g

What leaves has the velocity of the place that it leaves, and the equations have no term of ṁ: thrust is a load of its
own. With `PipeFlow` propellant flows along a path to its exit; its forces sum to the Coriolis force -2 g ω x Δr and to
jet damping. What the start of a flow does to the pipe (ġ), and its centrifugal force on a bent one, are left out.

Engines of a vehicle: a nozzle on its gimbal, thrust, the tanks that feed it, and the way that propellant takes.

    v.add_engine("srm", at=("first", 1), feeds={"grain": 1.0}, flow=5000.0, exhaust=2600.0,
                 nozzle=ist.RigidInertia(...), gimbal=ist.Universal("yz"),
                 path=[("first", n) for n in range(50, 0, -1)])

In the multibody the nozzle is a body "srm nozzle" whose motion the vehicle feels (tail wags dog); in the assembly are a
`PropellantTank` for each tank, the `Engine`, and a `PipeFlow` for each way that is known. A tank that feeds several
engines gives each its part of that engine's flow (`Manifold`); an engine of several tanks stops with the first that is
empty (`Valve`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from interstage._renamed import former_names
from interstage.devices.engine import Engine
from interstage.errors import InputError, shown
from interstage.multibody import Multibody, System
from interstage.multibody.joints import Joint
from interstage.multibody.propellant_mass import check_within
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import (
    In,
    IntegerState,
    Out,
    Parameter,
    Sites,
    Store,
    Value,
    ZeroCrossing,
)
from interstage.simulation.plant.device import Device
from interstage.spatial import RigidInertia
from interstage.staged_vehicle.free_flight import short_path, upstream
from interstage.staged_vehicle.reduced_basis import ReducedBasis
from interstage.units import quantity

if TYPE_CHECKING:
    from interstage.multibody import System


EMPTY = 1e-9  # of a tank's propellant: less is nothing


class PropellantTank(Device):
    """Propellant in a tank of a burning vehicle, a state of the run.

    of : name of the tank;  mass : what is in it at the start (default: what the vehicle has)
    flow : of an engine; tanks do not fill: less than 0 is nothing.  share : part of it that comes from this tank
    loss : what leaves: its share of the flow, nothing once it is at its lowest level
    left : above the lowest level; where it is nothing the tank stops (`runs`);  feeds : 1 until then, for throttles
    empty : mass that counts as nothing
    """

    of = Store()
    lowest, empty = Parameter("kg", 0.0, least=0.0), Parameter("kg", 0.0, least=0.0)
    share = Parameter("", 1.0, least=0.0)
    flow = In("kg/s", default=0.0)
    mass = of.mass()
    loss = Out("kg/s")
    feeds = Out("")
    left = ZeroCrossing("kg", direction=-1, state="mass", level="empty")
    runs = IntegerState(initial=1)
    settles = True

    def bound(self, vehicle: System) -> Device:
        name = self.place_of("of")
        if name not in vehicle.propellant:
            known = ", ".join(vehicle.propellant) or "none"
            raise InputError(
                f"the vehicle has no tank '{name}'",
                where="PropellantTank, of",
                hint=f"its tanks are: {known}",
            )
        lowest, highest = vehicle.propellant.range_of(str(name))
        given = {} if self.is_set("mass") else {"mass": vehicle.propellant[str(name)]}
        made = self.moved({}, lowest=lowest, empty=lowest + EMPTY * (highest - lowest), **given)
        check_within(str(name), float(made.value_of("mass")), lowest, highest)
        return made

    def outputs(d, t):
        d.left = d.mass - d.lowest
        d.loss = d.flow * d.share * d.runs if d.flow.real > 0.0 else 0.0 * d.flow
        d.feeds = 1.0 * d.runs

    def rates(d, t):
        d.massdot = -d.flow * d.share * d.runs if d.flow.real > 0.0 else 0.0 * d.flow

    def switch(d, t):
        if d.mass <= d.empty:
            d.mass = d.lowest
            d.runs = 0


class Manifold(Device):
    """Lines from one tank to several engines: total = Σ share_k flow_k.

    flow (n,) : of the engines;  share (n,) : part of each that comes from this tank
    """

    share = Parameter("", 1.0, size="n", least=0.0)
    flow = In("kg/s", size="n")
    total = Out("kg/s")

    def outputs(d, t):
        d.total = 0.0
        for k in range(d.flow.shape[0]):
            d.total += d.share[k] * d.flow[k]


class Valve(Device):
    """What several tanks let their engine have: 1 while every one of them feeds, 0 once one is empty.

    feeds (n,) : of the tanks
    """

    feeds = In("", size="n")
    opens = Out("")

    def outputs(d, t):
        d.opens = 1.0
        for k in range(d.feeds.shape[0]):
            d.opens *= d.feeds[k]


class PipeFlow(Device):
    """Propellant that flows through a structure, along places from the tank to the exit.

    at : places of the path, the exit last;  share (n,) : part of the flow that passes between each place and the next,
        the last number is not used (default: all of it)
    flow : out of the tank, as `PropellantTank.loss` says it;  feeds : what of it there is, 0 once the tank is empty
    """

    at = Sites()
    share = Parameter("", 1.0, size="n")
    flow = In("kg/s")
    feeds = In("", default=1.0)
    velocity = at.velocity("body")
    force = at.force("body")

    def outputs(d, t):
        for k in range(d.force.shape[0]):
            for c in range(3):
                d.force[k, c] = 0.0
        for k in range(d.force.shape[0] - 1):
            g = d.flow * d.feeds * d.share[k]
            for c in range(3):
                push = -g * (d.velocity[k + 1, c] - d.velocity[k, c])
                d.force[k, c] += push
                d.force[k + 1, c] += push


Place = tuple[str, int]


@dataclass(frozen=True, eq=False)
class EngineSpec:
    """An engine as `StagedVehicle.add_engine` takes it."""

    name: str
    at: Place
    feeds: dict[str, float]
    thrust: float
    flow: float
    nozzle: RigidInertia | None
    gimbal: Joint | None
    path: list[Place]
    throttle: float | None
    settings: dict[str, Value] = field(default_factory=dict)

    @property
    def body(self) -> str:
        """Name of the nozzle in the multibody."""
        return f"{self.name} nozzle"


def engine_spec(
    name: str,
    at: Place,
    feeds: Mapping[str, float],
    thrust: float | str | None,
    flow: float | str,
    exhaust: float | str | None,
    nozzle: RigidInertia | None,
    gimbal: Joint | None,
    path: Sequence[Place],
    throttle: float | None,
    settings: Mapping[str, Value],
) -> EngineSpec:
    """Return an engine, checked."""
    where = f"engine '{name}'"
    if (thrust is None) == (exhaust is None):
        raise InputError("give thrust or exhaust", where=where, hint="thrust = flow x exhaust")
    flow = quantity(flow, "kg/s", f"{where}, flow")
    if thrust is None:
        force = flow * quantity(exhaust if exhaust is not None else 0.0, "m/s", f"{where}, exhaust")
    else:
        force = quantity(thrust, "N", f"{where}, thrust")
    if (nozzle is None) != (gimbal is None):
        raise InputError("a nozzle and its gimbal belong together", where=where)
    if nozzle is not None and not isinstance(nozzle, RigidInertia):
        raise InputError("a nozzle is a RigidInertia about its gimbal", where=where, got=shown(nozzle))
    if not 0.0 < flow < np.inf:
        raise InputError("the flow of an engine is positive", where=where, expected="kg/s", got=shown(flow))
    if not 0.0 < force < np.inf:
        raise InputError(
            "the thrust of an engine is a finite number above 0", where=where, expected="N", got=shown(force)
        )
    if throttle is not None and not 0.0 <= throttle < np.inf:
        raise InputError(
            "the throttle of an engine is 0 or more",
            where=where,
            expected="1 at full level",
            got=shown(throttle),
        )
    if len(path) == 1:
        raise short_path(where, path)
    shares = {str(tank): float(part) for tank, part in feeds.items()}
    positive = all(part > 0.0 for part in shares.values())
    if not positive or not abs(sum(shares.values()) - 1.0) <= 1e-6:
        raise InputError(
            "the tanks of an engine feed all of its flow",
            where=where,
            expected="positive parts with the sum 1, as in {'lox': 0.85, 'lh2': 0.15}",
            got=shown(dict(feeds)),
        )
    return EngineSpec(name, at, shares, force, flow, nozzle, gimbal, list(path), throttle, dict(settings))


def add_nozzles(mb: Multibody, engines: Sequence[EngineSpec], shapes: ReducedBasis, parent: str) -> None:
    """Add the nozzles of engines to the multibody of their vehicle."""
    for one in engines:
        if one.nozzle is not None and one.gimbal is not None:
            mb.add_body(
                one.body,
                mass=one.nozzle.mass,
                com=one.nozzle.com,
                inertia=one.nozzle.inertia,
                parent=parent,
                at=shapes.node_id(*one.at),
                joint=one.gimbal,
            )


def assembly_of(
    name: str, engines: Sequence[EngineSpec], system: System, shapes: ReducedBasis, body: str, flow: bool
) -> Assembly:
    """Return tanks, engines and pipes on a vehicle, wired."""
    made = Assembly(name, vehicle=system)
    fed: dict[str, list[EngineSpec]] = {}
    for one in engines:
        for tank in one.feeds:
            fed.setdefault(tank, []).append(one)
    for tank, users in fed.items():
        shares = [one.feeds[tank] for one in users]
        made.add(tank, PropellantTank(of=tank, share=shares[0] if len(users) == 1 else 1.0))
        if len(users) > 1:
            made.add(f"{tank}_lines", Manifold(share=shares))
            made.wire({f"{tank}_lines.total": f"{tank}.flow"})
    for one in engines:
        place = one.body if one.nozzle is not None else (body, shapes.node_id(*one.at))
        held = {"level": 1.0} if one.throttle is None else {"level": one.throttle, "throttle": one.throttle}
        given = cast("dict[str, Any]", {**held, **one.settings})
        made.add(one.name, Engine(body=place, thrust=one.thrust, flow=one.flow, **given))
        tanks = list(one.feeds)
        lines = [
            f"{tank}_lines.flow[{fed[tank].index(one)}]" if len(fed[tank]) > 1 else f"{tank}.flow"
            for tank in tanks
        ]
        made.wire({f"{one.name}.mass_flow": lines})
        if len(tanks) == 1:
            made.wire({f"{tanks[0]}.feeds": f"{one.name}.feeds"})
        else:
            made.add(f"{one.name}_valve", Valve(n=len(tanks)))
            made.wire({f"{tank}.feeds": f"{one.name}_valve.feeds[{k}]" for k, tank in enumerate(tanks)})
            made.wire({f"{one.name}_valve.opens": f"{one.name}.feeds"})
        if flow and one.path:
            rows = [shapes.row(*place) for place in one.path]
            at = [(body, shapes.node_id(*place)) for place in one.path]
            for tank in tanks:
                share = np.append(upstream(shapes, tank, rows), 0.0)
                if len(fed[tank]) == 1:
                    made.add(f"{tank}_pipe", PipeFlow(at=at, share=share))
                    made.wire({f"{tank}.loss": f"{tank}_pipe.flow"})
                else:  # a line of each engine, which carries its part
                    pipe = f"{tank}_{one.name}_pipe"
                    made.add(pipe, PipeFlow(at=at, share=one.feeds[tank] * share))
                    made.wire({f"{one.name}.mass_flow": f"{pipe}.flow", f"{tank}.feeds": f"{pipe}.feeds"})
    return made


__getattr__ = former_names(__name__)
