"""Write Heron as a NASTRAN deck: shells for the walls, beams for frames, stringers, thrust structure and payload mount.

The modelling is what a loads analyst would do for a stage of this size:

- walls are CQUAD4, 32 around, in a cylindrical coordinate system about the axis of the vehicle
- propellant is a column of CBAR elements on the axis with mass and next to no stiffness; every grid of it is an RBE3
  average of its ring, so that liquid goes along with the wall and does not stiffen it (no slosh)
- engines are CONM2 bodies on grids of their own, rigidly (RBE2) behind the gimbal grids: the whole-vehicle model has
  them locked; `separate_lumped` takes them out again for the multibody vehicle
- the payload is a CONM2 on a beam
- a cable raceway runs along one side: without it every bending mode would come twice at the same frequency
- sensor platforms are RBE3 averages of their rings
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from interstage.demo import heron
from interstage.demo.heron import AROUND, ShellOfRevolution
from interstage.nastran.card_text import Field, card
from interstage.output import write_text

STATION = 100  # ring k has grids 100 k + 1 to 100 k + 32


def heron_deck(n_modes: int = 40) -> str:
    """Return the deck as text."""
    return "\n".join([*_head(n_modes), *_Writer().cards(), "ENDDATA", ""])


def write_heron_deck(path: str | Path, n_modes: int = 40) -> Path:
    """Write the deck, whole or not at all."""
    return write_text(path, heron_deck(n_modes), what="deck")


def _head(n_modes: int) -> list[str]:
    return [
        "$ Heron, the launch vehicle of the Interstage demo. Invented; not data of a real vehicle.",
        "$ Written by interstage.demo. Units: kg, m, s. x is forward, the gimbal plane is x = 0.",
        "SOL 103",
        "CEND",
        "TITLE = HERON LAUNCH VEHICLE, ENGINES LOCKED",
        "METHOD = 1",
        "BEGIN BULK",
        _card("EIGRL", 1, None, None, n_modes),
        _card("PARAM", "GRDPNT", 0),
        "$ cylindrical system about the axis: r, angle from +y towards +z, x",
        _card("CORD2C", 1, 0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        "$ aluminium-lithium; fairing laminate as an equivalent isotropic; stiff strut alloy",
        _card("MAT1", 1, 7.6e10, None, 0.33, 2700.0),
        _card("MAT1", 2, 3.2e10, None, 0.30, 1100.0),
        _card("MAT1", 3, 1.1e11, None, 0.31, 4430.0),
        "$ ring frames, stringers, raceway, thrust structure, payload beam",
        _card("PBAR", 21, 1, 1.6e-3, 4.0e-6, 4.0e-6, 4.0e-6),
        _card("PBAR", 22, 1, 5.0e-4, 3.0e-7, 3.0e-7, 1.0e-7),
        _card("PBAR", 25, 1, 2.5e-3, 6.0e-6, 6.0e-6, 4.0e-6, heron.RACEWAY_MASS),
        _card("PBEAM", 23, 3, 1.3e-2, 9.5e-5, 9.5e-5, None, 1.9e-4),
        _card("PBEAM", 24, 1, 1.0e-2, 3.6e-4, 3.6e-4, None, 7.2e-4),
    ]


def _card(name: str, *fields: Field) -> str:
    """Format a bulk data entry in fields of eight columns."""
    return card(name, *fields, width=8)


class _Writer:
    """Numbers rings and elements as the vehicle is built from the bottom up."""

    def __init__(self) -> None:
        self.ring = 0
        self.station: dict[int, tuple[float, float]] = {}  # ring -> x, radius
        self.eid = {"shell": 10000, "fairing": 20000, "payload": 25000, "frame": 30000, "thrust": 40000}
        self.eid |= {"raceway": 45000, "column": 50000, "rigid": 60000, "mass": 70000}

    def cards(self) -> list[str]:
        """Return all cards of the vehicle."""
        lines: list[str] = []
        last = self._ring(lines, heron.CORE[0].x0, heron.CORE[0].r0)
        for section in heron.CORE:
            last = self._shell(lines, section, last, "shell")
        top = last
        for section in heron.FAIRING:
            last = self._shell(lines, section, last, "fairing")
        self._nose(lines, last)
        foot = self._shell(lines, heron.ADAPTER[0], top, "payload")
        self._payload(lines, foot)
        self._thrust_structure(lines)
        for k, (name, bottom, surface, mass) in enumerate(heron.PROPELLANT):
            self._column(lines, 31 + k, name, bottom, surface, mass)
        self._platform(lines, heron.FORWARD_GYRO, heron.FORWARD_GYRO_X, "forward")
        self._platform(lines, heron.AFT_GYRO, heron.AFT_GYRO_X, "aft")
        return lines

    def _next(self, kind: str) -> int:
        self.eid[kind] += 1
        return self.eid[kind]

    def _ring(self, lines: list[str], x: float, r: float) -> int:
        self.ring += 1
        self.station[self.ring] = (x, r)
        for j in range(AROUND):
            lines.append(_card("GRID", STATION * self.ring + j + 1, 1, r, 360.0 / AROUND * j, x, 0))
        return self.ring

    def _shell(self, lines: list[str], s: ShellOfRevolution, start: int, kind: str) -> int:
        """Add a section above the ring `start`; return its last ring."""
        lines.append(f"$ {s.name}: x = {s.x0} to {s.x1} m, wall {1e3 * s.thickness:g} mm")
        if s.pid not in {8} or s is heron.FAIRING[0]:
            material = 2 if s.pid == 8 else 1
            lines.append(_card("PSHELL", s.pid, material, s.thickness, material, None, material))
        ogive = s is heron.FAIRING[-1]
        last = start
        for k in range(1, s.elements + 1):
            part = k / s.elements
            r = s.r0 + (s.r1 - s.r0) * (part**2.0 if ogive else part)
            below, last = last, self._ring(lines, s.x0 + (s.x1 - s.x0) * part, r)
            self._band(lines, s, below, last, kind)
            if s.frame_every and (k % s.frame_every == 0 or k == s.elements):
                self._frame(lines, last)
        return last

    def _band(self, lines: list[str], s: ShellOfRevolution, below: int, above: int, kind: str) -> None:
        for j in range(AROUND):
            a, b = j + 1, (j + 1) % AROUND + 1
            corners = (STATION * below + a, STATION * below + b, STATION * above + b, STATION * above + a)
            lines.append(_card("CQUAD4", self._next(kind), s.pid, *corners))
            if kind == "shell" and j == heron.RACEWAY_MERIDIAN:
                lines.append(
                    _card("CBAR", self._next("raceway"), 25, corners[0], corners[3], *self._radial(j))
                )
            elif s.stringer_every and j % s.stringer_every == 0:
                lines.append(_card("CBAR", self._next("frame"), 22, corners[0], corners[3], *self._radial(j)))

    @staticmethod
    def _radial(j: float) -> tuple[float, float, float]:
        """Return the radial direction of a meridian, basic axes, for the orientation of bars."""
        angle = 2.0 * np.pi * j / AROUND
        return (0.0, round(float(np.cos(angle)), 5) + 0.0, round(float(np.sin(angle)), 5) + 0.0)

    def _frame(self, lines: list[str], ring: int) -> None:
        for j in range(AROUND):
            ends = STATION * ring + j + 1, STATION * ring + (j + 1) % AROUND + 1
            lines.append(_card("CBAR", self._next("frame"), 21, *ends, *self._radial(j + 0.5)))

    def _nose(self, lines: list[str], ring: int) -> None:
        lines.append(_card("GRID", heron.TIP_GRID, 0, heron.NOSE_TIP, 0.0, 0.0, 0))
        for j in range(AROUND):
            a, b = STATION * ring + j + 1, STATION * ring + (j + 1) % AROUND + 1
            lines.append(_card("CTRIA3", self._next("fairing"), 8, a, b, heron.TIP_GRID))

    def _payload(self, lines: list[str], ring: int) -> None:
        """Add a beam on the adapter's upper ring and the payload on top of it."""
        lines.append("$ payload: a lumped mass on a beam above its adapter")
        x0, x1 = heron.PAYLOAD_X
        grids = [heron.PAYLOAD_FOOT + k for k in range(5)]
        for grid, x in zip(grids, np.linspace(x0, x1, 5)):
            lines.append(_card("GRID", grid, 0, float(x), 0.0, 0.0, 0))
        for a, b in pairwise(grids):
            lines.append(_card("CBEAM", self._next("payload"), 24, a, b, 0.0, 1.0, 0.0))
        members = [STATION * ring + j + 1 for j in range(AROUND)]
        lines.append(_card("RBE2", self._next("rigid"), grids[0], 123456, *members))
        a, b, c = heron.PAYLOAD_INERTIA
        lines.append(
            _card("CONM2", self._next("mass"), heron.PAYLOAD_GRID, 0, heron.PAYLOAD_MASS, 0.0, 0.0, 0.0, None,
                  a, 0.0, b, 0.0, 0.0, c)
        )  # fmt: skip

    def _ring_at(self, x: float) -> int:
        """Return the ring of the outer wall at a station (of two rings there, the lower number)."""
        return min(self.station, key=lambda ring: (abs(self.station[ring][0] - x), ring))

    def _thrust_structure(self, lines: list[str]) -> None:
        """Add struts from each gimbal grid up to the aft skirt, a square of beams, and the engines."""
        lines.append(
            "$ thrust structure: four struts an engine, beams from engine to engine and to the skirt"
        )
        ring = self._ring_at(1.5)
        for k, (gimbal, engine) in enumerate(zip(heron.GIMBAL_GRIDS, heron.ENGINE_GRIDS)):
            angle = heron.ENGINE_ANGLES_DEG[k]
            lines.append(_card("GRID", gimbal, 1, heron.ENGINE_RADIUS, angle, 0.0, 0))
            meridian = round(angle / 360.0 * AROUND)
            for step in (-4, -2, 2, 4):
                end = STATION * ring + (meridian + step) % AROUND + 1
                lines.append(
                    _card("CBEAM", self._next("thrust"), 23, gimbal, end, *self._radial(meridian + 8))
                )
            end = STATION * 1 + meridian % AROUND + 1
            lines.append(_card("CBEAM", self._next("thrust"), 23, gimbal, end, 1.0, 0.0, 0.0))
            after = heron.GIMBAL_GRIDS[(k + 1) % 4]
            lines.append(_card("CBEAM", self._next("thrust"), 23, gimbal, after, 1.0, 0.0, 0.0))
            lines.append(f"$ {heron.ENGINES[k]}: its centre of mass is {heron.ENGINE_CG} m behind the gimbal")
            lines.append(_card("GRID", engine, 1, heron.ENGINE_RADIUS, angle, -heron.ENGINE_CG, 0))
            lines.append(_card("RBE2", self._next("rigid"), gimbal, 123456, engine))
            a, b, c = heron.ENGINE_INERTIA
            lines.append(
                _card("CONM2", self._next("mass"), engine, 0, heron.ENGINE_MASS, 0.0, 0.0, 0.0, None,
                      a, 0.0, b, 0.0, 0.0, c)
            )  # fmt: skip

    def _column(
        self, lines: list[str], pid: int, name: str, bottom: float, surface: float, mass: float
    ) -> None:
        """Add liquid as bars on the axis, each grid carried by the ring around it."""
        rings = [k for k, (x, _) in self.station.items() if bottom - 1e-6 <= x <= surface + 1e-6]
        lines.append(f"$ {name}: {mass:g} kg on the axis from x = {bottom} to {surface} m")
        xs = [self.station[ring][0] for ring in rings]
        lines.append(_card("PBAR", pid, 1, 1.0e-6, 1.0e-9, 1.0e-9, 1.0e-9, mass / (xs[-1] - xs[0])))
        for ring, x in zip(rings, xs):
            lines.append(_card("GRID", heron.CENTER_LINE + ring, 0, x, 0.0, 0.0, 0))
            self._average(lines, heron.CENTER_LINE + ring, ring)
        for a, b in pairwise(rings):
            ends = heron.CENTER_LINE + a, heron.CENTER_LINE + b
            lines.append(_card("CBAR", self._next("column"), pid, *ends, 0.0, 1.0, 0.0))

    def _average(self, lines: list[str], grid: int, ring: int) -> None:
        first = STATION * ring + 1
        members = range(first, first + AROUND)
        lines.append(_card("RBE3", self._next("rigid"), None, grid, 123456, 1.0, 123, *members))

    def _platform(self, lines: list[str], grid: int, x: float, name: str) -> None:
        lines.append(f"$ {name} gyro platform, x = {x} m")
        lines.append(_card("GRID", grid, 0, x, 0.0, 0.0, 0))
        self._average(lines, grid, self._ring_at(x))
