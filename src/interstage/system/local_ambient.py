"""What surrounds a device is what surrounds the vehicle that it is on.

A device that says what is around it (`Earth`, and the `Atmosphere` and the fields that follow from it) stands at one
vehicle. Where a device on another one asks for that, by ambient ports, the plan has copies of all that says it, with
their place there: the air of the second spacecraft, of a stage that has left. Copies share the parameters of what they
are copies of, what is wired to it and its noise; they act on nothing. A vehicle is all that hangs together, in a run
whatever hangs together then: the place of a copy is the body on nothing that carries who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from interstage.multibody import System
from interstage.multibody.loads import split_place
from interstage.system.assembly import Part
from interstage.system.device import Device
from interstage.system.followed import Carrier, Changes
from interstage.system.ports import Hinge, Place, Places
from interstage.system.wires import Piece

Tree: TypeAlias = tuple[str, tuple[str, ...]]
"""The body on nothing that carries a place at the start, and what it leaves that with."""


def with_local_ambient(
    parts: Sequence[Part], pieces: Sequence[Piece], vehicle: System | None, changes: Changes
) -> tuple[list[Part], list[Piece]]:
    """Return parts and wires with the copies that other vehicles need; see the module."""
    asked = [piece for piece in pieces if piece.ambient]
    several = vehicle is not None and sum(spec.parent is None for spec in vehicle.model.specs) > 1
    if not asked or vehicle is None or not (several or changes.parting or changes.heirs):
        return list(parts), list(pieces)
    return _Copies(parts, pieces, vehicle, changes).made()


class _Copies:
    """Copies of what surrounds vehicles, while they are made."""

    def __init__(self, parts: Sequence[Part], pieces: Sequence[Piece], vehicle: System, changes: Changes):
        self.vehicle, self.changes = vehicle, changes
        self.parts = {part.path: part for part in parts}
        self.pieces = list(pieces)
        self.into: dict[str, list[Piece]] = {}
        for piece in pieces:
            self.into.setdefault(_path(piece.target), []).append(piece)
        self.known: dict[tuple[str, Tree], bool] = {}
        self.copies: dict[tuple[str, Tree], str] = {}

    def made(self) -> tuple[list[Part], list[Piece]]:
        """Return parts and wires, each device that asks wired to what is around its own vehicle."""
        found = []
        for piece in list(self.pieces):
            carrier = self._carrier(self.parts[_path(piece.target)]) if piece.ambient else None
            source = _path(piece.source)
            if carrier is None or not self._elsewhere(source, self._tree(carrier)):
                found.append(piece)
                continue
            copied = self._copy(source, carrier)
            found.append(replace(piece, source=f"{copied}.{_port(piece.source)}"))
        return list(self.parts.values()), found + self.pieces[len(found) :]

    def _carrier(self, part: Part) -> Carrier | None:
        """Return the place of a part by the body that carries it; that of its group where it has none."""
        own = {name: one for name, one in part.what.places.items() if isinstance(one, Place | Hinge)}
        for name in sorted(own, key=lambda name: isinstance(own[name], Places)):  # a place before several
            given = part.place_of(name)
            return _first(given[0] if isinstance(given, list) and isinstance(own[name], Places) else given)
        return None if part.root is None else Carrier(part.root)

    def _tree(self, at: Carrier) -> Tree:
        """Return what carries a place: two places of one such tree are together all the time."""
        body, node, away = at.body, at.node, []
        while True:
            heir = None if node is None else self.changes.heirs.get((body, node))
            away += [] if heir is None else [heir[0]]
            away += [body] if body in self.changes.parting else []
            spec = self.vehicle.model.spec(body)
            if spec.parent is None:
                return body, tuple(away)
            body, node = spec.parent, int(spec.at) if isinstance(spec.at, int | np.integer) else None

    def _elsewhere(self, path: str, tree: Tree) -> bool:
        """Return whether what a part says is of another vehicle."""
        key = path, tree
        if key not in self.known:
            self.known[key] = False  # a ring of devices depends on no place by itself
            part = self.parts[path]
            if isinstance(part.what, Device) and not part.like:
                own = [place for place in part.what.places.values() if isinstance(place, Place | Hinge)]
                if all(isinstance(place, Place) and place.root for place in own):
                    carrier = self._carrier(part) if own else None
                    self.known[key] = (carrier is not None and self._tree(carrier) != tree) or any(
                        self._elsewhere(_path(piece.source), tree) for piece in self.into.get(path, ())
                    )
        return self.known[key]

    def _copy(self, path: str, carrier: Carrier) -> str:
        """Return the path of what says at a place what a part says at its own."""
        tree = self._tree(carrier)
        if (path, tree) not in self.copies:
            words = " and ".join([tree[0], *tree[1]])
            name = self.copies[path, tree] = f"{path} > around {words.replace('.', ':')}"
            part = self.parts[path]
            assert isinstance(part.what, Device)
            what = part.what.elsewhere(carrier)
            self.parts[name] = replace(part, path=name, what=what, scope="", like=path)
            for piece in self.into.get(path, ()):
                source = _path(piece.source)
                if self._elsewhere(source, tree):
                    piece = replace(piece, source=f"{self._copy(source, carrier)}.{_port(piece.source)}")
                self.pieces.append(replace(piece, target=f"{name}.{_port(piece.target)}"))
        return self.copies[path, tree]


def _path(port: str) -> str:
    return port.rpartition(".")[0]


def _port(port: str) -> str:
    return port.rpartition(".")[2]


def _first(place: object) -> Carrier | None:
    """Return who carries a place, None where there is none."""
    if place is None:
        return None
    body, node = split_place(tuple(place) if isinstance(place, list) else place)
    return Carrier(body, int(node) if isinstance(node, int | np.integer) else None)
