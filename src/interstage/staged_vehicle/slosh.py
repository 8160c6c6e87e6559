"""Fluid of a tank that sloshes, as shapes of the vehicle: its waves as masses on springs that follow the level.

A tank of revolution about an axis along x hangs on one node of its stage. With propellant m its fluid is (see
`interstage.devices.slosh`) a rigid part m₀, I₀ at the height h₀ and a mass m_n on a spring k_n = m_n a / L_n at the
height h_n for each wave, all of them functions of the level. Along and about the axis the tank keeps the mass matrices
that it was given; across it they are replaced:

    u_n = s_n + θ x (h_n - h_s),   T = ½ Σ m_n u̇_n² + ½ m₀ u̇₀² + ½ I₀ θ̇²,   V = ½ Σ k_n (s_n - u(h_s))²

The tank's own matrices must be of mass on that axis: mass beside it would count twice, along x and in I₀ about y and z,
or in the roll that is kept and in that of the waves about the carrier. I₀ is not negative for any depth or number of
waves: what is left is the fluid without waves and the waves that are left out, each locked.

s_n is the displacement of a node of its own at the height h_s of the wave of the full tank; u(h) and θ are those of
the node that carries the tank. Matrices at levels are interpolated as those of every tank, so that mass and frequency
of a wave follow the propellant, and the modes of the vehicle have the waves among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from interstage.devices.slosh import CylinderSlosh, Slosh, SphereSlosh
from interstage.errors import InputError, ModelError, shown
from interstage.staged_vehicle.propellant_levels import Levels
from interstage.staged_vehicle.stage import Stage

ON_AXIS = 1e-3  # of the length of its longest wave: how far from the axis a tank may have its mass
LEVELS = 9  # at which a tank with waves has matrices, unless it has more


def fluid_at(full: Slosh, mass: float) -> Slosh:
    """Return the fluid of a tank with less in it.

    >>> half = fluid_at(CylinderSlosh(radius=1.0, depth=2.0, mass=1000.0), 500.0)
    >>> half.depth
    1.0
    """
    part = mass / full.mass
    if isinstance(full, CylinderSlosh):
        return replace(full, depth=full.depth * part, mass=mass)
    if isinstance(full, SphereSlosh):
        from scipy.optimize import brentq

        def volume(fill: float) -> float:
            return fill * fill * (3.0 - 2.0 * fill)

        wanted = part * volume(full.fill)
        return replace(full, fill=float(brentq(lambda f: volume(f) - wanted, 0.0, 1.0)), mass=mass)
    raise InputError(
        "the shape of the tank is not known", expected="CylinderSlosh or SphereSlosh", got=shown(full)
    )


def slosh_as_shapes(
    stage: Stage, name: str, full: Slosh, node: int, bottom: np.ndarray, acceleration: float
) -> list[int]:
    """Replace the matrices of a tank across its axis by waves; return the ids of their nodes.

    full : the fluid at the highest level;  node : that carries the tank
    bottom (3,) : where the axis meets the bottom of the tank, axes of the stage
    """
    given, where = stage.tanks[name], f"slosh of tank '{name}'"
    if not isinstance(full, Slosh):
        raise InputError(
            "the fluid is not usable",
            where=where,
            expected="as interstage.devices.CylinderSlosh(...)",
            got=shown(full),
        )
    high = float(given.masses[-1])
    if abs(full.mass - high) > 1e-6 * high:
        raise InputError(
            "the fluid is not that of the full tank",
            where=where,
            expected=f"mass {high:g}",
            got=f"{full.mass:g}",
        )
    if given.masses[0] < 1e-3 * high:
        raise ModelError(
            "waves need fluid at every level",
            where=where,
            expected=f"a lowest level of {1e-3 * high:g} or more",
            got=f"{given.masses[0]:g}",
            hint="a tank keeps a residual: give its levels from there on",
        )
    if given.K:
        raise ModelError("a tank with a stiffness of its own cannot slosh", where=where)
    _check_on_axis(stage, given, bottom, full.waves[0].length, where)
    carrier = stage.positions[stage.row_of(node, where)]
    first = max(stage.nodes) + 1
    springs = [bottom + [wave.spring, 0.0, 0.0] for wave in full.waves]
    ids = list(range(first, first + len(springs)))
    stage.add_riders(dict(zip(ids, springs)), node)
    old = given.rows
    own = 6 * stage.row_of(node, where) + np.arange(6)
    moved = np.concatenate([6 * stage.row_of(i, where) + np.array([1, 2]) for i in ids])
    rows = np.unique(np.concatenate([old, own, moved]))
    masses = given.masses
    if len(masses) < LEVELS:
        masses = np.unique(np.concatenate([masses, np.linspace(masses[0], masses[-1], LEVELS)]))
    axial = sp.diags(np.isin(old % 6, (0, 3)).astype(float))
    place = sp.csr_matrix(
        (np.ones(len(old)), (np.searchsorted(rows, old), np.arange(len(old)))), shape=(len(rows), len(old))
    )
    at = np.searchsorted(rows, own), np.searchsorted(rows, moved).reshape(-1, 2)
    M, K = [], []
    for mass in masses:
        fluid = fluid_at(full, float(mass))
        kept = place @ (axial @ given.between(given.M, float(mass)) @ axial) @ place.T
        m, k = _waves(fluid, len(rows), at, carrier, bottom, springs, acceleration)
        M.append(sp.csr_matrix(kept + m))
        K.append(sp.csr_matrix(k))
    tank = Levels(name, masses, tuple(M), tuple(K), rows, waves=True)
    tank.check_weight(stage.rigid()[rows, 3:])
    stage.tanks[name] = tank
    return ids


def _check_on_axis(stage: Stage, given: Levels, bottom: np.ndarray, length: float, where: str) -> None:
    """Refuse propellant beside the axis of its tank, by a thousandth of the length (m) of its waves or more.

    Of the highest level: spread of the mass along x, and first moments of all of it about the axis.
    """
    M, m = given.M[-1], float(given.masses[-1])
    S = stage.rigid(-bottom)[given.rows]  # [w; v] of the bottom
    along = S * (given.rows % 6 == 0)[:, None]
    spread = np.sqrt(max(float(np.trace(along[:, 1:3].T @ (M @ along[:, 1:3]))), 0.0) / m)
    moment = S[:, 3:].T @ (M @ S[:, :3]) / m
    off = np.abs([moment[0, 1], moment[0, 2], moment[1, 0], moment[2, 0]]).max()
    if max(spread, off) > ON_AXIS * length:
        raise ModelError(
            "a tank with waves has its propellant on its axis",
            where=where,
            expected=f"matrices of nodes on the line along x through {bottom[1]:g}, {bottom[2]:g}, without offsets",
            got=f"mass {max(spread, off):g} m beside it",
            hint="put nodes on the axis (a rigid element to the wall carries them), and the levels of the tank there",
        )


def _waves(
    fluid: Slosh,
    n: int,
    at: tuple[np.ndarray, np.ndarray],
    carrier: np.ndarray,
    bottom: np.ndarray,
    springs: Sequence[np.ndarray],
    acceleration: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and stiffness (n, n) across the axis, with rows `at` of the carrier and of the waves."""
    M, K = np.zeros((n, n)), np.zeros((n, n))
    own, moved = at

    def carried(height: np.ndarray) -> np.ndarray:
        """Return the motion (2, n) across the axis of a point that the carrier holds."""
        x, y, z = height - carrier
        B = np.zeros((2, n))
        B[0, own[1]], B[0, own[3]], B[0, own[5]] = 1.0, -z, x
        B[1, own[2]], B[1, own[3]], B[1, own[4]] = 1.0, y, -x
        return B

    rest = carried(bottom + [fluid.rigid_height, 0.0, 0.0])
    M += fluid.rigid_mass * rest.T @ rest
    M[own[4], own[4]] += fluid.rigid_inertia
    M[own[5], own[5]] += fluid.rigid_inertia
    for wave, rows, spring in zip(fluid.waves, moved, springs):
        slip = -carried(spring)
        slip[[0, 1], rows] += 1.0
        B = carried(bottom + [wave.spring, 0.0, 0.0]) + slip
        M += wave.mass * B.T @ B
        K += wave.mass * wave.frequency(acceleration) ** 2 * slip.T @ slip
    return M, K
