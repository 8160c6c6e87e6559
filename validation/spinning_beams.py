"""Beams that spin, in time: prescribed motion about a pin, free spin, and what modal integrals do to a tapered beam.

*Pin.* The beam of the FModal paper (41 grids here) is clamped to a rigid hub that turns about a pin with a prescribed
acceleration for 20 s (the torque that gives the motion is found by forward dynamics). The tip's deflection is
compared with equations written by hand for point masses on a turning beam, without integrals for one point, the
whole mass at the centre of mass. The paper's Figure 6 has differences of the order of 1e-10 m. (Its model without
integrals keeps the inertia about the pin; ours keeps it about the moving centre of mass, so that a steady flight is not
felt and the mass matrix stays definite: the two deflect differently.)

*Free spin.* The same beam, free and bent, spins about its shortest axis. The model by hand uses the conserved
angular momentum. (Both models by hand take their frequencies from the component: the rounding of an eigenvalue
problem, 1e-10 Hz at 101 grids, would be seen as a drift of phase of 1e-9 m.)

*Tapered beam* (NESC report, Figures 7.2.2 and 7.2.3): free, modes at rest, spun at 5 deg/s about each axis and
about all three. Without integrals it does not deform; with them it does, as a model of momenta of its point masses
says. With one bending mode excited and no spin its frame stands still. (Order 2 holds the centrifugal force that
softens bending in the plane of spin, not the stiffening by tension along the beam.)

    python -m validation spinning_beams
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import scipy.linalg as la
from scipy.integrate import solve_ivp

from validation.beams import long_beam_deck
from validation.study import Row, Study

TOLERANCE = 1e-10  # m, the paper's
HUB = {"mass": 50.0, "inertia": (10.0, 10.0, 10.0), "radius": 0.4}
ACCELERATION, UNTIL = 0.02, 20.0  # rad/s2, s
CLAMPED_MODES, FREE_MODES, TAPERED_MODES = 8, 12, 8
SPIN, BEND = 0.5, 0.05  # rad/s, m at the tip
RATE = np.deg2rad(5.0)
BEAM_GRIDS, MIDDLE = 41, 21
TAPERED_GRIDS, TAPERED_LENGTH = 21, 10.0
EXACT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
TAPERED = {"method": "DOP853", "rtol": 1e-8, "atol": 1e-12}  # deflections of 1e-6 m and more


def tapered_deck() -> str:
    """Return a tapered beam along x: 21 grids on 10 m, depth 0.30 m down to 0.06 m on a flat underside.

    The depth falls with the square of the distance, so that the line of centroids is curved and every spin bends it.
    """
    lines = ["SOL 103", "CEND", "BEGIN BULK", "PARAM,COUPMASS,-1", "MAT1,1,7.0+9,,0.3,2700."]
    depth = 0.06 + 0.24 * (1.0 - np.linspace(0.0, 1.0, TAPERED_GRIDS)) ** 2
    for k, x in enumerate(np.linspace(0.0, TAPERED_LENGTH, TAPERED_GRIDS)):
        lines.append(f"GRID,{k + 1},0,{x:.8f},0.,{0.5 * depth[k]:.8f},0")
        lines += [f"CONM2,{101 + k},{k + 1},0,0.", ",.05,0.,.05,0.,0.,.05"]
    for k in range(TAPERED_GRIDS - 1):
        h, b = 0.5 * (depth[k] + depth[k + 1]), 0.12
        lines.append(f"PBAR*,{k + 1},1,{h * b:.12e},{b**3 * h / 12:.12e}")
        lines.append(f"*,{b * h**3 / 12:.12e},{0.2 * min(h, b) ** 3 * max(h, b):.12e}")
        lines.append(f"CBAR,{k + 1},{k + 1},{k + 1},{k + 2},0.,1.,0.")
    return "\n".join([*lines, "ENDDATA"])


def beam_deck() -> str:
    """Return the single-length beam of the FModal paper with lumped mass, on fewer grids."""
    return long_beam_deck(n_grids=BEAM_GRIDS)


@dataclass
class Points:
    """Point masses m (N,) at l (N, 3) moving with g (N, 3, n); squares of frequencies; rotary part of M0."""

    m: np.ndarray
    l: np.ndarray
    g: np.ndarray
    squares: np.ndarray
    rest: np.ndarray


def points(deck: str, n: int, held: bool, origin: float = 0.0) -> Points:
    """Return the point masses and lowest modes of a deck with lumped mass, positions from x = origin."""
    from interstage import FEModel
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(deck))
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    keep = np.arange(6 if held else 0, len(K))
    shift = 0.0 if held else 1.0
    # rotations may be without mass: the inverse problem
    mu, phi = la.eigh(M[np.ix_(keep, keep)], (K + shift * M)[np.ix_(keep, keep)])
    order = np.argsort(-mu)[slice(0, n) if held else slice(6, 6 + n)]
    shapes = np.zeros((len(K), n))
    shapes[keep] = phi[:, order] / np.sqrt(mu[order])
    l = fe.grids.xyz - [origin, 0.0, 0.0]
    rigid = np.zeros((len(K), 6))
    for k, (x, y, z) in enumerate(l):
        rigid[6 * k : 6 * k + 6] = np.block([[-_skew(x, y, z), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])
    basis = np.hstack([rigid, shapes])
    moving = basis.reshape(-1, 6, 6 + n)[:, :3]
    m = M.diagonal().reshape(-1, 6)[:, 0]
    rest = basis.T @ M @ basis - np.einsum("k,kia,kib->ab", m, moving, moving)
    return Points(m, l, shapes.reshape(-1, 6, n)[:, :3], 1.0 / mu[order] - shift, rest)


# beam on a hub -------------------------------------------------------------------------------------------


def hub_reference(times: np.ndarray, order: int) -> np.ndarray:
    """Return the tip's deflection (m) by hand: η̈_r + ω_r²η_r = -θ̈ f_r + θ̇² Σ_s B_rs η_s.

    f_r = Σ m (a + x) w_r and B_rs = Σ m w_r w_s: transport and centrifugal force on point masses that move
    across a beam which turns by θ = ½αt². At order 0 the centrifugal force is that of the whole mass at the centre of
    mass, B_rs = E_r E_s / Σm with E_r = Σ m w_r.
    """
    beam = points(beam_deck(), CLAMPED_MODES, held=True)
    beam.squares = (2.0 * np.pi * clamped_component().craig_bampton.frequencies_hz) ** 2
    m, x, along, w = beam.m, HUB["radius"] + beam.l[:, 0], beam.g[:, 0], beam.g[:, 1]
    tip, f = w[-1], np.einsum("k,kr->r", m * x, w) + beam.rest[2, 6:]
    if order == 0:
        share = m[None, :] / m.sum()
        m, x, along, w = np.array([m.sum()]), share @ x, share @ along, share @ w
    # forces along the beam reach its axial modes; second order in the deflection they do not
    B = np.einsum("k,kr,ks->rs", m, w, w) + np.einsum("k,kr,ks->rs", m, along, along)
    gyro = np.einsum("k,kr,ks->rs", m, w, along)
    gyro = gyro - gyro.T
    pull = np.einsum("k,kr->r", m * x, along)
    n = CLAMPED_MODES

    def slope(t, y):
        rate, eta, etadot = ACCELERATION * t, y[:n], y[n:]
        force = -ACCELERATION * (f + gyro @ eta) - 2.0 * rate * gyro @ etadot + rate**2 * (pull + B @ eta)
        return np.concatenate([etadot, force - beam.squares * eta])

    found = solve_ivp(slope, (0.0, times[-1]), np.zeros(2 * n), t_eval=times, **EXACT)
    return tip @ found.y[:n]


def clamped_component():
    """Return the component of the beam with its first grid as interface."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    # the model by hand, as the paper's, knows no tension along the beam
    return Component.from_deck(
        deck_from_text(beam_deck()), n_modes=CLAMPED_MODES, aset={1: 123456}, geometric_stiffness=False
    )


def hub_engine(times: np.ndarray, order: int) -> np.ndarray:
    """Return the tip's deflection (m) in the engine, the hub's motion prescribed."""
    from interstage.multibody import Locked, Multibody, Revolute

    component = clamped_component()
    mb = Multibody("beam on a hub")
    mb.add_body("hub", mass=HUB["mass"], inertia=np.diag(HUB["inertia"]), joint=Revolute("z"))
    mb.add_body(
        "beam",
        component=component,
        parent="hub",
        at=[HUB["radius"], 0, 0],
        joint=Locked(),
        order=order,
        damping=0.0,
    )
    system = mb.compile()
    tip = system.jacobian(system.state(), "beam", BEAM_GRIDS)[4, 1:]
    x, torque, n = system.state(), np.zeros(system.nv), CLAMPED_MODES

    def slope(t, y):
        x.q[0], x.v[0] = 0.5 * ACCELERATION * t**2, ACCELERATION * t
        x.q[1:], x.v[1:] = y[:n], y[n:]
        torque[0] = 0.0
        free = system.forward_dynamics(x, tau=torque)
        torque[0] = 1.0
        pushed = system.forward_dynamics(x, tau=torque)
        share = (ACCELERATION - free[0]) / (pushed[0] - free[0])
        return np.concatenate([y[n:], free[1:] + share * (pushed[1:] - free[1:])])

    found = solve_ivp(slope, (0.0, times[-1]), np.zeros(2 * n), t_eval=times, **EXACT)
    return tip @ found.y[:n]


# free beam in a plane ---------------------------------------------------------------------------------------


def spin_reference(times: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return tip deflection and spin rate of the free beam in its plane, by hand.

    With u, w the motion along and across, j = Σ m((x+u)² + w²) + I and c_r = Σ m((x+u) w_r - w u_r):
    j Ω + Σ c_r η̇_r = h is constant, and
    η̈_r + ω_r²η_r = -Ω̇ c_r - 2Ω Σ m(u̇ w_r - ẇ u_r) + Ω² Σ m((x+u) u_r + w w_r).
    Without integrals j, c are constant, c = 0: the beam vibrates and turns, one independent of the other.
    """
    beam = points(beam_deck(), FREE_MODES, held=False, origin=4.5)
    beam.squares = (2.0 * np.pi * free_component(beam_deck(), FREE_MODES, MIDDLE).frequencies_hz) ** 2
    start = bent_start(beam)
    along, across, m, x, n = beam.g[:, 0], beam.g[:, 1], beam.m, beam.l[:, 0], FREE_MODES
    if order == 0:
        omega = np.sqrt(beam.squares)
        eta = start[:, None] * np.cos(np.outer(omega, times))
        return across[-1] @ eta, np.full(len(times), SPIN)

    def parts(eta):
        place, w = x + along @ eta, across @ eta
        j = np.sum(m * (place**2 + w**2)) + beam.rest[2, 2]
        return place, w, j, (m * place) @ across - (m * w) @ along

    def slope(_t, y):
        eta, etadot = y[:n], y[n:]
        place, w, j, c = parts(eta)
        rate = (h - c @ etadot) / j
        du, dw = along @ etadot, across @ etadot
        b = -2.0 * rate * ((m * du) @ across - (m * dw) @ along)
        b += rate**2 * ((m * place) @ along + (m * w) @ across) - beam.squares * eta
        # two equations for η̈ and Ω̇: η̈ + c Ω̇ = b and j Ω̇ + c·η̈ = -j̇ Ω
        jdot = 2.0 * np.sum(m * (place * du + w * dw))
        spin_up = (-jdot * rate - c @ b) / (j - c @ c)
        return np.concatenate([etadot, b - c * spin_up])

    h = parts(start)[2] * SPIN
    found = solve_ivp(slope, (0.0, times[-1]), np.concatenate([start, np.zeros(n)]), t_eval=times, **EXACT)
    rates = [(h - c @ y[n:]) / j for y in found.y.T for _, _, j, c in [parts(y[:n])]]
    return across[-1] @ found.y[:n], np.array(rates)


def bent_start(beam: Points) -> np.ndarray:
    """Return modal coordinates: the first mode across the beam, tip deflected."""
    across = np.abs(beam.g[-1, 1])
    first = int(np.flatnonzero(across > 1e-6)[0])
    eta = np.zeros(len(beam.squares))
    eta[first] = BEND / beam.g[-1, 1, first]
    return eta


def free_component(deck: str, n: int, grdpnt: int):
    """Return the component of a free beam, its reference point at a grid (0: at the origin)."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    # the models by hand know no tension along the beam
    return Component.from_deck(
        deck_from_text(deck),
        n_modes=n,
        aset={},
        modal_integrals=True,
        grdpnt=grdpnt,
        geometric_stiffness=False,
    )


def free_system(deck: str, n: int, order: int, grdpnt: int):
    """Return a free beam in the engine, modes as in the component."""
    from interstage.multibody import Free, Multibody

    mb = Multibody("free beam")
    mb.add_body("beam", component=free_component(deck, n, grdpnt), joint=Free(), order=order, damping=0.0)
    return mb.compile()


def spin_engine(times: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return tip deflection and spin rate of the free beam in the engine."""
    from interstage.simulation.simulate import simulate

    system = free_system(beam_deck(), FREE_MODES, order, MIDDLE)
    tip = system.jacobian(system.state(), "beam", BEAM_GRIDS)[3:, 6:]
    start = bent_start(points(beam_deck(), FREE_MODES, held=False, origin=4.5))
    first = int(np.flatnonzero(start)[0])
    x = system.state()
    x["beam"].eta[first] = BEND / tip[1, first]
    x["beam"].angular_velocity[2] = SPIN
    log = simulate(
        system, x, until=float(times[-1]), log_step=float(times[1]), method="dop853", rtol=1e-12, atol=1e-13
    )
    return log["beam"].eta @ tip[1], log["beam"].angular_velocity[:, 2]


# tapered beam ------------------------------------------------------------------------------------------------


def tapered_reference(times: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return tip motion (3, t) and frame rates (3, t) of the free tapered beam from the momenta of its points.

    States are body momenta [h; ℓ; p] = M(η) [ω; v; η̇] and η: ḣ = h×ω + ℓ×v, ℓ̇ = ℓ×ω,
    ṗ_r = Σ m (ω×γ_r)·(v + ω×r + γη̇) - ω_r²η_r with r = l + γη.
    """
    beam = points(tapered_deck(), TAPERED_MODES, held=False)
    n, m = TAPERED_MODES, beam.m
    weighted = (m[:, None, None] * beam.g).reshape(-1, n)

    def matrix(eta):
        r = beam.l + beam.g @ eta
        J = np.zeros((len(m), 3, 6 + n))
        J[:, 0, 1], J[:, 0, 2], J[:, 1, 0] = r[:, 2], -r[:, 1], -r[:, 2]
        J[:, 1, 2], J[:, 2, 0], J[:, 2, 1] = r[:, 0], r[:, 1], -r[:, 0]
        J[:, :, 3:6], J[:, :, 6:] = np.eye(3), beam.g
        flat = (J * np.sqrt(m)[:, None, None]).reshape(-1, 6 + n)
        return J, flat.T @ flat + beam.rest

    def slope(_t, y):
        eta, momenta = y[:n], y[n:]
        J, M = matrix(eta)
        u = np.linalg.solve(M, momenta)
        wx, vx = _skew(*u[:3]), _skew(*u[3:6])
        pull = weighted.T @ ((J @ u) @ wx).ravel()
        h, l = momenta[:3], momenta[3:6]
        return np.concatenate([u[6:], -wx @ h - vx @ l, -wx @ l, pull - beam.squares * eta])

    still = np.concatenate([rates, -np.cross(rates, tapered_centre()), np.zeros(n)])
    start = np.concatenate([np.zeros(n), matrix(np.zeros(n))[1] @ still])
    found = solve_ivp(slope, (0.0, times[-1]), start, t_eval=times, **TAPERED)
    frame = np.array([np.linalg.solve(matrix(y[:n])[1], y[n:])[:3] for y in found.y.T])
    return beam.g[-1] @ found.y[:n], frame.T


def _skew(x: float, y: float, z: float) -> np.ndarray:
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def tapered_centre() -> np.ndarray:
    """Return the centre of mass of the tapered beam."""
    beam = points(tapered_deck(), 1, held=False)
    return beam.m @ beam.l / beam.m.sum()


def tapered_engine(times: np.ndarray, rates: np.ndarray, order: int, excite: float = 0.0):
    """Return tip motion (3, t), its angular rate (3, t) and frame rates (3, t) of the tapered beam in the engine."""
    from interstage.simulation.simulate import simulate

    system = free_system(tapered_deck(), TAPERED_MODES, order, 0)
    tip = system.jacobian(system.state(), "beam", TAPERED_GRIDS)[:, 6:]
    x = system.state()
    x["beam"].angular_velocity[:] = rates
    x["beam"].linear_velocity[:] = -np.cross(rates, tapered_centre())
    x["beam"].eta[0] = excite / np.abs(tip[3:, 0]).max()
    # at order 0 nothing deforms, and an adaptive method would take steps too long for the modes
    how = {"method": "dop853", "rtol": 1e-10, "atol": 1e-15} if order else {"step": 1e-3}
    log = simulate(system, x, until=float(times[-1]), log_step=float(times[1]), **how)
    eta, etadot, frame = log["beam"].eta, log["beam"].etadot, log["beam"].angular_velocity
    return (eta @ tip[3:].T).T, frame.T + (etadot @ tip[:3].T).T, frame.T


@dataclass
class Outcome:
    """Times and histories of the cases."""

    times: np.ndarray = field(default_factory=lambda: np.linspace(0.0, UNTIL, 401))
    short: np.ndarray = field(default_factory=lambda: np.linspace(0.0, 10.0, 401))
    hub: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    spin: dict[int, tuple] = field(default_factory=dict)
    tapered: dict[str, tuple] = field(default_factory=dict)
    still: tuple = ()


def run(quick: bool = False) -> Outcome:
    """Run every case in both models (quick: the tapered beam about all axes at once only)."""
    out = Outcome()
    for order in (0, 2):
        out.hub[order] = hub_reference(out.times, order), hub_engine(out.times, order)
        out.spin[order] = spin_reference(out.times, order), spin_engine(out.times, order)
    for name, axis in (("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1]), ("x, y and z", [1, 1, 1])):
        if quick and sum(axis) == 1:
            continue
        rates = RATE * np.array(axis, dtype=float)
        models = tapered_reference(out.short, rates), tapered_engine(out.short, rates, 2)
        out.tapered[name] = (*models, tapered_engine(out.short, rates, 0))
    out.still = tapered_engine(out.short, np.zeros(3), 2, excite=0.05)
    return out


def study(quick: bool = False) -> Study:
    """Histories of the engine beside those of the models by hand."""
    out = Study("spinning_beams", "Beams that spin", __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].strip())
    found = run(quick)
    words = {0: "without integrals", 2: "with integrals"}
    for order in (0, 2):
        want, got = found.hub[order]
        remark = "paper: 1e-10" if order else "paper: 1e-10, with inertia constant about the pin"
        out.rows.append(
            _row("beam on a pin", "tip deflection, m", words[order], want, got, TOLERANCE, remark)
        )
    for order in (0, 2):
        (want, rate), (got, our_rate) = found.spin[order]
        out.rows.append(
            _row("free beam", "tip deflection, m", words[order], want, got, TOLERANCE, "paper: 1e-10")
        )
        out.rows.append(_row("free beam", "spin rate, rad/s", words[order], rate, our_rate, TOLERANCE))
    for name, (reference, ours, rigid) in found.tapered.items():
        case, size = f"tapered beam, 5 deg/s about {name}", float(np.abs(reference[0]).max())
        largest = float(np.abs(rigid[0]).max())
        out.rows.append(
            Row(
                case,
                "tip displacement, m, without integrals",
                "0",
                f"{largest:.1e}",
                largest,
                1e-14,
                "no deformation",
            )
        )
        difference = float(np.abs(ours[0] - reference[0]).max()) / size
        ours_size = f"{np.abs(ours[0]).max():.9e}"
        what = "tip displacement, m, with integrals"
        out.rows.append(
            Row(case, what, f"{size:.9e}", ours_size, difference, 1e-6, "relative to the largest")
        )
        row = _row(case, "frame rates, rad/s", "with integrals", reference[1], ours[2], 1e-11)
        out.rows.append(replace(row, why="steps of two integrators; rates of up to 0.15 rad/s", after=True))
    frame = float(np.abs(found.still[2]).max())
    out.rows.append(
        Row(
            "tapered beam, first mode excited",
            "frame rate, rad/s",
            "0",
            f"{frame:.1e}",
            frame,
            1e-12,
            "stands still",
        )
    )
    out.pictures["spinning_beams.png"] = lambda path: draw(found, path)
    return out


def _row(
    case: str, what: str, fidelity: str, want: np.ndarray, got: np.ndarray, limit: float, note: str = ""
) -> Row:
    """Return the largest difference of two histories; the values shown are those at the end."""
    error = float(np.abs(np.asarray(got) - np.asarray(want)).max())
    a, b = (f"{np.ravel(item)[-1]:.12f}" for item in (want, got))
    return Row(case, f"{what}, {fidelity}", f"{a} at the end", b, error, limit, note)


def draw(found: Outcome, path: Path) -> None:
    """Draw Figure 6 of the FModal paper and Figure 7.2.3 of the NESC report with our numbers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    blue, orange, green = "#1f4e79", "#c55a11", "#548235"
    figure, grid = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for order, color, label in ((0, orange, "without integrals"), (2, blue, "with integrals")):
        want, got = found.hub[order]
        grid[0, 0].plot(found.times, got, color=color, label=f"engine, {label}")
        grid[0, 0].plot(found.times[::8], want[::8], ".", color=color, ms=5, label=f"by hand, {label}")
        grid[0, 1].plot(found.times, got - want, color=color, label=label)
    grid[0, 0].set(title="Beam on a pin, 0.02 rad/s²", ylabel="tip deflection, m")
    grid[0, 1].set(title="Its difference, engine - by hand", ylabel="m")
    grid[0, 2].plot(found.times, found.spin[2][1][1] - SPIN, color=blue, label="with integrals")
    grid[0, 2].plot(found.times, found.spin[0][1][1] - SPIN, color=orange, label="without integrals")
    grid[0, 2].set(title="Bent free beam: change of its spin rate", ylabel="rad/s")
    reference, ours, rigid = found.tapered["x, y and z"]
    for k, (name, color) in enumerate(zip("xyz", (orange, green, blue))):
        grid[1, 0].plot(found.short, np.rad2deg(ours[2][k]), color=color, label=name)
        grid[1, 1].plot(found.short, 1e6 * ours[0][k], color=color, label=f"{name}, with integrals")
        grid[1, 1].plot(found.short[::10], 1e6 * reference[0][k][::10], ".", color=color, ms=4)
        grid[1, 2].plot(found.short, np.rad2deg(ours[1][k] - ours[2][k]), color=color, label=name)
    grid[1, 1].plot(found.short, 1e6 * rigid[0].T[:, 2], "--", color="0.4", label="without integrals")
    grid[1, 0].set(title="Tapered beam, [5, 5, 5] deg/s: rates of its frame", ylabel="deg/s")
    grid[1, 1].set(title="Tip displacement in its frame (dots: by hand)", ylabel="µm")
    grid[1, 2].set(title="Angular rate of the tip less that of the frame", ylabel="deg/s")
    for axes in grid.flat:
        low, high = axes.get_ylim()
        axes.set(xlabel="time, s", ylim=(low, high + 0.3 * (high - low)))  # room for the legend
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)
    figure.savefig(path, dpi=130)
    plt.close(figure)
