"""Motion of one burning vehicle: its state, and the log of a flight."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, write_hdf5
from interstage.spatial.functions import matrix_from_quaternion
from interstage.vehicle.kernels import momentum
from interstage.vehicle.shapes import Shapes

FORMAT = "interstage burning flight 1"


@dataclass(frozen=True, eq=False)
class BodyState:
    """Motion of one flexible vehicle: position (3,) and quaternion (4,) of its frame, velocity (6,) [w; v] in its axes.

    eta, etadot : (n,);  propellant : {tank: mass}
    """

    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    eta: np.ndarray
    etadot: np.ndarray
    propellant: dict[str, float]


@named_arguments
@dataclass(frozen=True, eq=False, repr=False)
class BurnLog:
    """A flight: t (N,), position (N, 3), quaternion (N, 4), eta (N, n), velocity (N, 6) [w; v] in body axes, etadot.

    propellant : {tank: (N,)}
    flowing : (N, 6) momentum [h; l] about the world's origin that propellant on its path has relative to the structure
    left_behind : (7,) momentum [h; l] about the world's origin and kinetic energy that departed mass has taken along:
        with the velocity of the exit where it flows along a path, of the place where it was otherwise
    """

    shapes: Shapes
    order: int
    t: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    eta: np.ndarray
    velocity: np.ndarray
    etadot: np.ndarray
    propellant: dict[str, np.ndarray]
    flowing: np.ndarray
    left_behind: np.ndarray

    def state(self, row: int = -1) -> BodyState:
        """Return the state at a row (default: the end)."""
        return BodyState(
            self.position[row],
            self.quaternion[row],
            self.velocity[row],
            self.eta[row],
            self.etadot[row],
            {name: float(masses[row]) for name, masses in self.propellant.items()},
        )

    def rate(self, stage: str, node: int) -> np.ndarray:
        """Return the angular velocity (N, 3) of a node, body axes: w + λ η̇ (small rotations)."""
        row = self.shapes.row(stage, node)
        return self.velocity[:, :3] + self.etadot @ self.shapes.nodes[6 * row + 3 : 6 * row + 6].T

    def deflection(self, stage: str, node: int) -> np.ndarray:
        """Return the displacement (N, 3) of a node less the rigid motion that fits all nodes best, body axes."""
        row = self.shapes.row(stage, node)
        return self.eta @ self.shapes.elastic()[6 * row : 6 * row + 3].T

    def node_position(self, stage: str, node: int) -> np.ndarray:
        """Return the position (N, 3) of a node, world axes."""
        return self.position + self._turned(self._local(stage, node))

    def node_velocity(self, stage: str, node: int) -> np.ndarray:
        """Return the velocity (N, 3) of a node, world axes."""
        row = self.shapes.row(stage, node)
        relative = self.etadot @ self.shapes.nodes[6 * row : 6 * row + 3].T
        turning = np.cross(self.velocity[:, :3], self._local(stage, node))
        return self._turned(self.velocity[:, 3:] + turning + relative)

    def momentum(self, row: int = -1) -> np.ndarray:
        """Return [h; l] about the world's origin at a row, what flows included, and the kinetic energy (7,).

        World axes. The energy is that of the structure and of propellant that moves with it.
        """
        n = len(self.shapes)
        u = np.concatenate([self.velocity[row], self.etadot[row]])
        fill = {name: float(masses[row]) for name, masses in self.propellant.items()}
        p = self.shapes.partition.at(fill).pack()
        out, work = np.empty(6 + n), (np.empty((3, 3, n)), np.empty((3, 3, n)))
        energy = momentum(
            n, self.order, p, self.eta[row], u, *work, np.empty((6 + n, 6 + n)), np.empty(6 + n), out
        )
        R = matrix_from_quaternion(self.quaternion[row])
        l = R @ out[3:6]
        rigid = np.concatenate([R @ out[:3] + np.cross(self.position[row], l), l])
        return np.concatenate([rigid + self.flowing[row], [energy]])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the flight to an HDF5 file; `BurnLog.load` reads it with the shapes it was flown with."""

        def fill(f: h5py.File) -> None:
            put_text(f, "format", FORMAT)
            put_array(f, "order", self.order)
            for name in _COLUMNS:
                put_array(f, name, getattr(self, name))
            put_array(f, "left_behind", self.left_behind)
            tanks = f.create_group("propellant")
            for name, masses in self.propellant.items():
                put_array(tanks, link_name(name), masses)

        return write_hdf5(path, fill, "flight of a burning vehicle")

    @classmethod
    def load(cls, path: str | os.PathLike[str], shapes: Shapes) -> BurnLog:
        """Read a flight that `save` has written, flown with these shapes."""
        with opened(path, "flight of a burning vehicle") as f:
            if f.text("format") != FORMAT:
                raise InputError("this is the file of something else", expected=FORMAT, got=f.text("format"))
            t = f.array("t", (None,))
            n, rows = len(shapes), len(t)
            columns = {name: f.array(name, (rows, *size(n))) for name, size in _COLUMNS.items()}
            tanks = f.child("propellant")
            found = {plain_name(link): tanks.array(link, (rows,)) for link in tanks.names()}
            if set(found) != set(shapes.stack.tanks):
                raise InputError(
                    "the flight is of other tanks",
                    expected=", ".join(shapes.stack.tanks),
                    got=", ".join(found),
                )
            masses = {name: found[name] for name in shapes.stack.tanks}
            left = f.array("left_behind", (7,))
            return cls(shapes, f.integer("order"), propellant=masses, left_behind=left, **columns)

    def _local(self, stage: str, node: int) -> np.ndarray:
        row = self.shapes.row(stage, node)
        return self.shapes.stack.positions[row] + self.eta @ self.shapes.nodes[6 * row : 6 * row + 3].T

    def _turned(self, vectors: np.ndarray) -> np.ndarray:
        turned = [matrix_from_quaternion(q) @ r for q, r in zip(self.quaternion, vectors)]
        return np.array(turned).reshape(-1, 3)

    def __repr__(self) -> str:
        burnt = "".join(
            f", {name} {masses[0]:g} to {masses[-1]:g}"
            for name, masses in self.propellant.items()
            if masses[0] != masses[-1]
        )
        return f"<BurnLog: {len(self.t)} rows to {self.t[-1]:g} s, {len(self.shapes)} shapes{burnt}>"


_COLUMNS = {
    "t": lambda n: (),
    "position": lambda n: (3,),
    "quaternion": lambda n: (4,),
    "eta": lambda n: (n,),
    "velocity": lambda n: (6,),
    "etadot": lambda n: (n,),
    "flowing": lambda n: (6,),
}
