"""Names, index maps, units, grid positions and mass properties that go with a linear model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.component.unit_names import SI_UNITS
from interstage.linear.chart import POSITIONS, RATES, position_names, rate_names
from interstage.multibody import inspection
from interstage.multibody.loads import split_place
from interstage.multibody.model import vehicle_units
from interstage.multibody.types import Node, Place

if TYPE_CHECKING:
    from interstage.linear.closures import Moving
    from interstage.linear.plant import Plant
    from interstage.multibody.api import System


class UnitNames:
    """Turn kinds of quantities into names of units: those of the vehicle, or names of quantities where not known."""

    def __init__(self, system: System):
        base = vehicle_units(system.model) or {"mass": "mass", "length": "length", "time": "s"}
        m, l, t = base["mass"], base["length"], base["time"]
        force = "N" if base == SI_UNITS else f"{m} {l}/{t}^2"
        self._units = {
            "angle": "rad",
            "attitude": "rad",
            "rate": f"rad/{t}",
            "angular acceleration": f"rad/{t}^2",
            "position": l,
            "velocity": f"{l}/{t}",
            "acceleration": f"{l}/{t}^2",
            "force": force,
            "torque": f"{force} {l}" if base == SI_UNITS else f"{m} {l}^2/{t}^2",
            "modal coordinate": f"{m}^0.5 {l}",
            "modal rate": f"{m}^0.5 {l}/{t}",
            "modal force": f"{m}^0.5 {l}/{t}^2",
        }
        known = base == SI_UNITS
        self._units |= {
            "angular torque": self._units["torque"],
            "moment": self._units["torque"],
            "force per length": f"{force}/{l}" if known else f"{m}/{t}^2",
            "moment per length": force,
            "stress": "Pa" if known else f"{m}/({l} {t}^2)",
            "displacement": l,
            "rotation": "rad",
            "strain": "1",
        }

    def __call__(self, kind: str) -> str:
        return self._units.get(kind, kind)


def state_names(system: System, kept: np.ndarray, unit: UnitNames) -> tuple[list[str], list[str]]:
    """Return names and units of states; `kept` are places in [δq; δv]."""
    names = position_names(system) + rate_names(system)
    kinds = [c.kind for c in system.layout.velocities()]
    kinds = [POSITIONS[kind] for kind in kinds] + [RATES[kind] for kind in kinds]
    return [names[k] for k in kept], [unit(kinds[k]) for k in kept]


def state_index(system: System, kept: np.ndarray) -> dict[str, np.ndarray]:
    """Return {group: indices}, named as in NESC App. G.4: bus_modal_pos, bus_rotational_vel, wheel_angle, ..."""
    groups: dict[str, list[int]] = {}
    for body, where in system.layout.items():
        plain = [*_numbers(where.v)]
        for word, part in (("rotational", where.spin), ("trans", where.drift)):
            if part is not None:
                groups[f"{body}_{word}"] = own = [*_numbers(part)]
                plain = [k for k in plain if k not in own]
        if plain:
            turns = where.joint.angles()
            word = "angle" if any(turns[k - where.v.start] for k in plain) else "travel"
            groups[f"{body}_{word}"] = plain
        groups[f"{body}_modal"] = [*_numbers(where.etadot)]
    place = {k: j for j, k in enumerate(kept.tolist())}
    found = {}
    for group, members in groups.items():
        if not members:
            continue
        body, word = group.rsplit("_", 1)
        pos, vel = f"{group}_pos", f"{group}_vel"
        if word in ("angle", "travel"):
            pos, vel = group, f"{body}_rate"
        for name, shift in ((pos, 0), (vel, system.nv)):
            index = [place[k + shift] for k in members if k + shift in place]
            if index:
                found[name] = np.array(index, dtype=np.int64)
    return found


def _numbers(part: slice) -> range:
    return range(part.start, part.stop)


def _reference(plant: Moving, reference: Place | None) -> tuple[str, Node]:
    return split_place(reference if reference is not None else plant.system.bodies[0])


def grid_positions(plant: Plant, reference: Place | None) -> dict[str, np.ndarray]:
    """Return {node: position (3,)} of the places of inputs and outputs, from the reference, in its axes."""
    system, x = plant.system, plant.x0
    places = plant.interface.grids
    if not places:
        return {}
    R, p = inspection.pose(system, x, *_reference(plant, reference))
    single = len({body for body, node in places if isinstance(node, int | np.integer)}) <= 1
    found = {}
    for body, node in places:
        if isinstance(node, int | np.integer):
            key = f"{node}" if single else f"{body}.{node}"
        else:
            key = f"{body}.{np.asarray(node, dtype=float).tolist()}"
        found[key] = R.T @ (system.position(x, body, node) - p)
    return found


def mass_properties(plant: Moving, reference: Place | None) -> dict[str, float | np.ndarray]:
    """Return mass, cmoffset (3,), inertia (3, 3) of the whole about the reference, in its axes."""
    mass, offset, inertia = inspection.whole_from(plant.system, plant.x0, *_reference(plant, reference))
    return {"mass": float(mass), "cmoffset": offset, "inertia": inertia}
