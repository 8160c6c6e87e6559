"""What a log says of a flight besides the vehicle: forces and winds as arrows, where up is, where the ground is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from interstage.multibody.types import Node
from interstage.report.replay import Arrow, Replay
from interstage.simulation.log.log import Log, Series

MOST_ARROWS = 40
MOST_EVENTS = 8
WINDS = {
    "Atmosphere": "wind",
    "DiscreteGust": "gust",
    "DrydenTurbulence": "gust",
}  # device: its port with the air's motion, world axes
NEAR = 20.0  # sizes of the vehicle above the ground in which the ground is drawn


def arrows_of(wanted: Mapping[str, tuple[str, Node, str]], log: Log) -> list[Arrow]:
    """Return arrows of ports of a log of a flight: {port: (body, node, frame)}."""
    out = []
    for name, (body, node, frame) in wanted.items():
        one = log.series(name)
        out.append(_arrow(one, one.values, body, node, frame, name))
    return out


def _arrow(one: Series, values: np.ndarray, body: str, node: Node, frame: str, kind: str) -> Arrow:
    return Arrow(one.name, body, node, one.t, values, frame, kind, one.unit, one.unit == "N")


def acting(log: Log, still: bool = False) -> list[Arrow]:
    """Return the forces of all devices on the vehicle, and the wind where there is one, as far as they were logged.

    still : those too that have not acted yet
    """
    bodies = {name for phase in log.phases for name in phase.system.bodies}
    names, found = set(log.names()), []
    words = dict(_devices(log.blocks))
    forces: Mapping[str, Any] = log.blocks.get("forces", {})  # type: ignore[assignment]
    for port, (axes, places) in forces.items():
        if port not in names:
            continue
        one = log.series(port)
        rows = one.columns.reshape(len(one.t), -1, 3)
        for k, (body, node) in enumerate(places):
            if body in bodies and rows.shape[1] == len(places) and (still or np.any(rows[:, k])):
                found.append(_arrow(one, rows[:, k], body, node, axes, f"{_kind(port, words)} force"))
    winds = [one for path, device in words.items() for one in _wind(log, path, device, names, still)]
    return [*found, *_together(winds)][:MOST_ARROWS]


def _together(winds: list[Arrow]) -> list[Arrow]:
    """Return winds as they are, and all gusts as one."""
    gusts = [one for one in winds if one.kind == "gust"]
    if len(gusts) < 2:
        return winds
    most = max(gusts, key=lambda one: len(one.t))
    values = sum(one.values[np.clip(np.searchsorted(one.t, most.t, "right") - 1, 0, None)] for one in gusts)
    return [*(one for one in winds if one.kind != "gust"), replace(most, name="gusts", values=values)]


def _kind(port: str, words: Mapping[str, str]) -> str:
    """Return the word for the device of a port."""
    return words.get(port.rpartition(".")[0], port).partition(",")[0]


def _devices(blocks: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield full names of devices and words on what they are."""
    for block in blocks.get("members", []):
        path = f"{prefix}{block['name']}"
        yield path, block["words"]
        yield from _devices(block, f"{path}.")


def _wind(log: Log, path: str, device: str, names: set[str], still: bool) -> Iterator[Arrow]:
    """Yield the wind of an atmosphere, or a gust: part of that wind, or alone where there is no atmosphere."""
    port = f"{path}.{WINDS.get(device.partition(',')[0], '')}"
    if port not in names or not log.phases[0].system.bodies:
        return
    one = log.series(port)
    if one.columns.shape[1] == 3 and (still or np.any(one.values)):
        kind = "wind" if device.startswith("Atmosphere") else "gust"
        yield _arrow(one, one.columns, log.phases[0].system.bodies[0], None, "world", kind)


def surround(replay: Replay, log: Log) -> None:
    """Give a replay the direction away from the Earth; one that starts near the ground is seen from the turning Earth.

    The Earth turns about its pole p = cos φ north + sin φ up, φ the latitude, by |ground velocity| / |p × r|.
    """
    words = dict(_devices(log.blocks))
    earth = next((path for path, device in words.items() if device.startswith("Earth")), None)
    ports = {
        name: f"{earth}.{name}" for name in ("up", "north", "altitude", "latitude", "from_center", "ground")
    }
    if earth is None or not set(ports.values()) <= set(log.names()):
        return
    here = {name: np.asarray(log.series(port).values[0], dtype=float) for name, port in ports.items()}
    if not all(np.isfinite(value).all() for value in here.values()):
        return
    replay.up = here["up"]
    start, size = replay.bodies[0].poses[0, :3].copy(), replay.size()
    if abs(here["altitude"]) > NEAR * size:
        return
    pole = np.cos(here["latitude"]) * here["north"] + np.sin(here["latitude"]) * here["up"]
    arm = np.linalg.norm(np.cross(pole, here["from_center"]))
    rate = np.linalg.norm(here["ground"]) / arm if arm > 0.0 else 0.0
    replay.turned_back(start - here["from_center"], rate * pole)
    # the lowest point of the vehicle stands on the ground
    low = min(float((points @ replay.up).min()) for points in replay.world(0))
    replay.ground = start - (start @ replay.up - low) * replay.up


def happened(log: Log) -> list[tuple[float, str]]:
    """Return times and names of events at which a vehicle changed, or the first ones of a flight without such."""
    changes = {phase.t[0] for phase in log.phases[1:] if len(phase.t)}
    found = [one for one in log.events if one.t in changes] or log.events
    return [(float(one.t), one.name) for one in found][:MOST_EVENTS]
