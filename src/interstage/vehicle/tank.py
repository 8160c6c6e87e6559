"""Propellant of a vehicle that burns: tanks that empty, and what flows through the structure to the exit.

    ṁ = -flow while there is some,      f_a = f_b = -g (v_b - v_a) of each segment a → b with mass flow g

What leaves has the velocity of the place that it leaves, and the equations have no term of ṁ: thrust is a load of its
own. With `PipeFlow` propellant flows along a path to its exit; its forces sum to the Coriolis force -2 g ω x Δr and to
jet damping. What the start of a flow does to the pipe (ġ), and its centrifugal force on a bent one, are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interstage.errors import InputError
from interstage.multibody.tanks import check_within
from interstage.system.plant.declarations import Crossing, In, Integer, Out, Parameter, Places, Store
from interstage.system.plant.device import Device

if TYPE_CHECKING:
    from interstage.multibody import System

EMPTY = 1e-9  # of a tank's propellant: less is nothing


class Tank(Device):
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
    left = Crossing("kg", direction=-1, state="mass", level="empty")
    runs = Integer(initial=1)
    settles = True

    def bound(self, vehicle: System) -> Device:
        name = self.place_of("of")
        if name not in vehicle.propellant:
            known = ", ".join(vehicle.propellant) or "none"
            raise InputError(
                f"the vehicle has no tank '{name}'", where="Tank, of", hint=f"its tanks are: {known}"
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
    flow : out of the tank, as `Tank.loss` says it;  feeds : what of it there is, 0 once the tank is empty
    """

    at = Places()
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
