"""Engines of a vehicle: a nozzle on its gimbal, thrust, the tanks that feed it, and the way that propellant takes.

    v.add_engine("srm", at=("first", 1), feeds={"grain": 1.0}, flow=5000.0, exhaust=2600.0,
                 nozzle=ist.RigidInertia(...), gimbal=ist.Universal("yz"),
                 path=[("first", n) for n in range(50, 0, -1)])

In the multibody the nozzle is a body "srm nozzle" whose motion the vehicle feels (tail wags dog); in the assembly are a
`Tank` for each tank, the `Engine`, and a `PipeFlow` for each way that is known. A tank that feeds several engines gives
each its part of that engine's flow (`Manifold`); an engine of several tanks stops with the first that is empty
(`Valve`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from interstage.devices.engine import Engine
from interstage.errors import InputError, shown
from interstage.multibody import Multibody, System
from interstage.multibody.joints import Joint
from interstage.spatial import RigidInertia
from interstage.system.plant.assembly import Assembly
from interstage.system.plant.declarations import Value
from interstage.units import quantity
from interstage.vehicle.reference import short_path, upstream
from interstage.vehicle.shapes import Shapes
from interstage.vehicle.tank import Manifold, PipeFlow, Tank, Valve

Place = tuple[str, int]


@dataclass(frozen=True, eq=False)
class EngineSpec:
    """An engine as `Vehicle.add_engine` takes it."""

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


def add_nozzles(mb: Multibody, engines: Sequence[EngineSpec], shapes: Shapes, parent: str) -> None:
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
    name: str, engines: Sequence[EngineSpec], system: System, shapes: Shapes, body: str, flow: bool
) -> Assembly:
    """Return tanks, engines and pipes on a vehicle, wired."""
    made = Assembly(name, vehicle=system)
    fed: dict[str, list[EngineSpec]] = {}
    for one in engines:
        for tank in one.feeds:
            fed.setdefault(tank, []).append(one)
    for tank, users in fed.items():
        shares = [one.feeds[tank] for one in users]
        made.add(tank, Tank(of=tank, share=shares[0] if len(users) == 1 else 1.0))
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
