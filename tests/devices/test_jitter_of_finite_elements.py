"""Jitter of a telescope beside finite elements: shapes of the deck, summed by hand, without any multibody model.

A force F e^{iΩt} gives u = Σ φ (φᵀ F) / (ω² - Ω² + 2iζωΩ) over the modes of the free structure, six of them at ω = 0.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import interstage as ist
from interstage import devices as dev
from interstage.fem import FEModel, normal_modes
from interstage.nastran import deck_from_text
from validation import barrel_fe as telescope

ELASTIC, RATIO = 60, 0.005
TILT, SHIFT = 0.2, 0.15  # rad/rad, rad/m: what the secondary mirror does to the line of sight


class Elements:
    """Modes of the deck, and how they move and turn a grid."""

    def __init__(self, deck):
        self.fe = FEModel.from_deck(deck)
        found = normal_modes(self.fe, n_modes=6 + ELASTIC)
        self.shapes, self.omega = found.shapes, 2.0 * np.pi * np.asarray(found.frequencies_hz)
        self.omega[:6] = 0.0

    def at(self, grid):
        """Return rows of displacement and of turning (3, n) at a grid, and where it is."""
        k = int(np.flatnonzero(np.asarray(self.fe.grids.id) == grid)[0])
        rows = self.shapes[self.fe.grids.dof[k] + np.arange(6)]
        return rows[:3], rows[3:], np.asarray(self.fe.grids.xyz)[k]

    def sight(self):
        """Return how modes move the line of sight (2, n): turn of the first mirror, and the second beside it."""
        (u, turn, here), (v, other, there) = self.at(telescope.BORESIGHT), self.at(telescope.SECONDARY)
        moved = v - u - np.cross(turn, (there - here)[:, None], axis=0)
        first = turn[1] + TILT * (other - turn)[1] + SHIFT * moved[0]
        second = -turn[0] - TILT * (other - turn)[0] + SHIFT * moved[1]
        return np.array([first, second])


@pytest.fixture(scope="module")
def both():
    """The modes, and the telescope as a flexible body with its line of sight."""
    deck = deck_from_text(telescope.observatory_deck(rotors=True))
    given = {"n_modes": ELASTIC, "aset": {}, "grdpnt": telescope.BORESIGHT, "modal_integrals": False}
    mb = ist.Multibody("telescope")
    mb.add_body("bus", component=ist.Component.from_deck(deck, **given), joint=ist.Free(), damping=RATIO)
    return Elements(deck), mb.compile()


def looking(system):
    """Return the telescope with its line of sight."""
    rotation, translation = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    rotation[1, 0, 1], rotation[1, 1, 0] = TILT, -TILT
    translation[1, 0, 0] = translation[1, 1, 1] = SHIFT
    at = [("bus", telescope.BORESIGHT), ("bus", telescope.SECONDARY)]
    sight = dev.LineOfSight(at=at, rotation=rotation, translation=translation)
    return ist.Assembly("telescope", vehicle=system).add("sight", sight)


def test_one_wheel_that_is_out_of_balance(both):
    """Amplitudes at the speed of the wheel; its momentum h turns with the bus, which feels h a × ω."""
    elements, system = both
    speed, static, dynamic, h = 60.0, 2e-6, 1e-6, 60.0 * telescope.SPIN_INERTIA
    axis, grid = telescope.WHEEL_AXES[0], telescope.WHEELS[0]
    side = np.array([0.0, 0.6, 0.8])
    u, turn, _ = elements.at(grid)
    load = (side - 1j * np.cross(axis, side)) * speed**2
    w, cross = elements.omega, np.array([np.cross(axis, e) for e in np.eye(3)]).T
    D = np.diag(w**2 - speed**2 + 2j * RATIO * w * speed) - 1j * speed * turn.T @ (h * cross) @ turn
    wanted = np.abs(elements.sight() @ np.linalg.solve(D, u.T @ (static * load) + turn.T @ (dynamic * load)))
    wheel = dev.ReactionWheel(
        at=("bus", grid), axis=axis, side=side, inertia=telescope.SPIN_INERTIA, speed=speed,
        imbalance=(static, dynamic),
    )  # fmt: skip
    flight = looking(system).add("wheel", wheel)
    run = {"until": 60.0, "step": "2.5 ms", "log_step": "2.5 ms", "keep": ["sight.direction"]}
    log = ist.simulate(flight, system.state(), progress=False, **run)
    late = log.t > 40.0  # what rings from the start has died away
    t = log.t[late] - 50.0
    basis = np.column_stack([t**0, t, t**2, t**3, np.cos(speed * t), np.sin(speed * t)])
    found = np.linalg.lstsq(basis, log["sight.direction"][late, :2], rcond=None)[0]
    np.testing.assert_allclose(np.hypot(found[4], found[5]), wanted, rtol=3e-4)
    plain = np.diag(w**2 - speed**2 + 2j * RATIO * w * speed)
    other = np.abs(
        elements.sight() @ np.linalg.solve(plain, u.T @ (static * load) + turn.T @ (dynamic * load))
    )
    assert np.abs(other / wanted - 1.0).max() > 0.1, "the momentum of the wheel matters"


def test_thrusters_that_hiss(both):
    """Sixteen thrusters of 1 µN, drawn anew at 50 Hz and held: each mode exactly, from sample to sample."""
    elements, system = both
    period, samples, n = 0.02, 250, len(telescope.THRUSTERS)
    units = telescope.THRUSTERS / np.linalg.norm(telescope.THRUSTERS, axis=1)[:, None]
    grids = [telescope.THRUSTER_NODES[k // 4] for k in range(n)]
    noise = 1e-6 * np.random.default_rng(5).standard_normal((samples + 1, n))
    modal = np.column_stack([elements.at(grid)[0].T @ unit for grid, unit in zip(grids, units)])
    steps = np.array([expm(period * np.array([[0, 1, 0], [-w * w, -2 * RATIO * w, 1], [0, 0, 0]]))
                      for w in elements.omega])  # fmt: skip
    state, wanted = np.zeros((len(steps), 3)), [np.zeros(2)]
    for row in noise[:samples]:
        state[:, 2] = modal @ row
        state = np.einsum("nij,nj->ni", steps, state)
        wanted.append(elements.sight() @ state[:, 0])

    def hiss(t):
        return {"force": noise[round(t / period)]}

    class Push(ist.Device):
        at = ist.Site()
        axis, size = ist.Parameter("", [1.0, 0.0, 0.0]), ist.In("N")
        push = at.force("node")

        def outputs(d, t):
            for i in range(3):
                d.push[i] = d.size * d.axis[i]

    flight = looking(system).add("noise", hiss, every=period, out={"force": f"N[{n}]"})
    for k in range(n):
        flight.add(f"jet{k:02d}", Push(at=("bus", grids[k]), axis=units[k]))
    flight.wire({"noise.force": "jet*.size"})
    run = {"until": samples * period, "step": "1 ms", "log_step": period, "keep": ["sight.direction"]}
    log = ist.simulate(flight, system.state(), progress=False, **run)
    seen, wanted = log["sight.direction"][:, :2], np.array(wanted)
    np.testing.assert_allclose(seen, wanted, atol=2e-5 * np.abs(wanted).max())
    fast = [np.diff(rows, 2, axis=0) for rows in (seen, wanted)]  # without the drift of the whole
    assert np.sqrt(((fast[0] - fast[1]) ** 2).mean()) < 1e-3 * np.sqrt((fast[1] ** 2).mean())
