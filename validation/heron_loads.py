"""Bending moments of Heron's ascent at a station, two ways.

Loads: all that is above the station, its weight less its inertia, and the forces of the air:

    M = Σ (r - c) × [m (g - a) + f] - J α        c: middle of the wall there, r, a, α: nodes as bent, body axes

Curvature: E I Δθ/l of the wall between two nodes, by shapes alone. Shapes that meet modes below 15 Hz are a few per
cent short of the curvature under forces in between (those of the air), so that loads are what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import interstage as ist
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_vehicle as av
from interstage.staged_vehicle import ReducedBasis

EVERY = 5  # rows of the log
ENGINE_MASS, ENGINE_COM = av.NOZZLE2["mass"], np.array(av.NOZZLE2["com"])


@dataclass
class Moments:
    """Times (m,), and moments (m, 2) about y and z in N m: by loads above the station, by curvature of its wall."""

    t: np.ndarray
    loads: np.ndarray
    curvature: np.ndarray

    @property
    def apart(self) -> float:
        """Return the largest difference of the two ways, of the largest moment."""
        return float(np.abs(self.loads - self.curvature).max() / np.abs(self.loads).max())


def moments(log: ist.Log, shapes: ReducedBasis, below: int, above: int) -> Moments:
    """Return the moments in a bar of the first stage between two nodes, while that stage burns."""
    phase = log.phases[0]
    body = phase[av.NAME]
    ends = min((event.t for event in log.events), default=float(phase.t[-1]))
    rows = np.flatnonzero((phase.t > 0.1) & (phase.t < ends - 0.1))[::EVERY]
    motion = np.hstack([body.velocity, body.etadot])
    rates = slope(motion, float(phase.t[1] - phase.t[0]))
    middle = 0.5 * (av.FIRST[below] + av.FIRST[above])
    upper = np.flatnonzero(shapes.stack.positions[:, 0] > middle)
    air = _air(log, shapes, upper)
    places = shapes.nodes.reshape(len(shapes.stack.positions), 6, -1)
    wall = 0.5 * sum(places[shapes.row("first", node)] for node in (below, above))
    pull = log.series("earth.pull").at(phase.t).reshape(len(phase.t), -1, 3)[:, 0]
    ring = int(np.flatnonzero(upper == shapes.row("upper", av.RING))[0])
    found = []
    for k in rows:
        eta, turn = body.eta[k], ist.Rotation.from_quaternion(body.quaternion[k]).matrix
        fill = {tank: float(log.propellant[tank][k]) for tank in av.LIQUID}
        mass = shapes.stack.node_mass(fill).diagonal().reshape(-1, 6)[upper]
        r, a, alpha = _nodes(shapes.stack.positions[upper], places[upper], eta, motion[k], rates[k])
        arm = r - np.array([middle, 0.0, 0.0]) - wall[:3] @ eta
        gravity = turn.T @ pull[k]
        force = mass[:, :3] * (gravity - a) + air(k, eta)
        hung = a[ring] + np.cross(alpha[ring], ENGINE_COM)
        total = np.cross(arm, force) - mass[:, 3:] * alpha
        engine = np.cross(arm[ring] + ENGINE_COM, ENGINE_MASS * (gravity - hung))
        found.append((total.sum(axis=0) + engine)[1:])
    return Moments(phase.t[rows], np.array(found), _curvature(body.eta[rows], shapes, below, above))


def slope(y: np.ndarray, step: float) -> np.ndarray:
    """Return the time derivative of rows at equal steps, of sixth order; zero in the first and last three."""
    out = np.zeros_like(y)
    out[3:-3] = 45.0 * (y[4:-2] - y[2:-4]) - 9.0 * (y[5:-1] - y[1:-5]) + y[6:] - y[:-6]
    return out / (60.0 * step)


def _nodes(positions: np.ndarray, places: np.ndarray, eta: np.ndarray, motion: np.ndarray, rates: np.ndarray):
    """Return positions, accelerations and angular accelerations (n, 3) of nodes, body axes."""
    w, v, etadot = motion[:3], motion[3:6], motion[6:]
    r = positions + places[:, :3] @ eta
    a = rates[3:6] + np.cross(w, v) + np.cross(rates[:3], r) + np.cross(w, np.cross(w, r))
    a += 2.0 * np.cross(w, places[:, :3] @ etadot) + places[:, :3] @ rates[6:]
    return r, a, rates[:3] + places[:, 3:] @ rates[6:]


def _air(log: ist.Log, shapes: ReducedBasis, upper: np.ndarray):
    """Return a function of row and coordinates: forces of the air (n, 3) on nodes, body axes."""
    t, acting = log.phases[0].t, []
    for stage, nodes in ap.NORMAL.items():
        logged = log.series(f"aero_{stage}.force").at(t).reshape(len(t), -1, 3)
        for j, node in enumerate(nodes):
            row = shapes.row(stage, node)
            if row in upper:
                turned = shapes.nodes[6 * row + 3 : 6 * row + 6]
                acting.append((int(np.flatnonzero(upper == row)[0]), logged[:, j], turned))

    def at(k: int, eta: np.ndarray) -> np.ndarray:
        out = np.zeros((len(upper), 3))
        for place, force, turned in acting:
            out[place] += force[k] + np.cross(turned @ eta, force[k])
        return out

    return at


def _curvature(eta: np.ndarray, shapes: ReducedBasis, below: int, above: int) -> np.ndarray:
    """Return E I Δθ/l (m, 2) of coordinates (m, n)."""
    x0, x1 = av.FIRST[below], av.FIRST[above]
    r, thick, young = av.wall(0.5 * (x0 + x1))
    rows = [6 * shapes.row("first", node) + np.array([4, 5]) for node in (below, above)]
    turned = shapes.nodes[rows[1]] - shapes.nodes[rows[0]]
    return young * np.pi * r**3 * thick / (x1 - x0) * (eta @ turned.T)
