"""Explorer I: a rigid cylinder with four flexible whips passes from a spin about its long axis to a flat spin.

The satellite was spun about its axis of least inertia; bending of its antennas took energy from the motion while
angular momentum stayed, and within an orbit it tumbled end over end (W. Bollay, *Spin stability of the Explorer
satellite*, Stanford Engineering Case Library ECL 1006, 1967). Kane's paper on flexible spacecraft (Madonna et al.)
uses it as its example, after E. T. Stoneking, AIAA 2013-4649.

*Real*: length 2.03 m, diameter 0.152 m, mass 13.97 kg (as published by NASA and repeated in encyclopaedias), four
antennas; spin of 750 rpm, antennas 0.56 m long, each a hundredth of the mass, 0.1 m from the middle (the data of
D. Levinson and C. Roithmayr in PyDy's Explorer example). *Chosen*: the bus is a uniform cylinder; a whip is a lumped
finite-element beam with a first frequency of 8 Hz when held, softer than a steel rod of its mass (14 Hz) as a cable
would be; its damping, twice critical in the modes of each half, far above that of any wire, because it sets the time
of the transition, and a minute is easier to watch than an hour; the nutation at the start. Each whip is two beams end
to end, so that the tension of the spin stiffens it through the slope of the inner one (one body of linear modes would
only soften). An axisymmetric body comes to its flat spin as a power of time, not exponentially: the nutation that
shakes the whips slows down with the spin.

A last run has every whip as one body with its geometric stiffness, which is what the tension of the spin truly does:
it changes the result. Two beams end to end take up too little of it: at 750 rpm their whip lags at 2.7 Hz, where the
finite-element model under RFORCE has 11.0 Hz and one body with four modes 11.1 Hz. Stiffer whips bend less under the
same nutation and take energy more slowly: the same angles are reached about three times as late.

Both engines integrate with classical Runge-Kutta at the same step: the recursive one in compiled loops, Kane's
equations in jax. What differs is the formulation alone. Each run is one piece from the first state to the last: Kane's
equations never see a state of the other engine after the start. A third run of the recursive engine, with the first
rate changed by 1e-12, shows how sensitive the motion is: it is not chaotic, so that the window of agreement is the
whole run.

    python -m validation explorer
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from validation.study import ROUNDS, Row, Study

LENGTH, DIAMETER, MASS = 2.03, 0.152, 13.97
SPIN = 750.0 * 2.0 * np.pi / 60.0
WHIP_LENGTH, WHIP_MASS, OFFSET = 0.56, 0.01 * 13.97, 0.1
FIRST_HZ, DAMPING, NUTATION = 8.0, 2.0, 0.02
PARTS, ELEMENTS, MODES = 2, 4, 2
UNTIL, STEP, LOG_STEP = 40.0, 6.25e-4, 0.02
WITHOUT_JAX = 2.0  # seconds that numpy manages in half a minute
CLAMPED = 3.5160152685  # (βL)² of a cantilever's first mode


@dataclass
class Outcome:
    """Histories: the log of the recursive engine, the rates of the three runs, and Kane's last state."""

    system: object
    kane: object
    log: object
    rates: np.ndarray
    kane_rates: np.ndarray
    perturbed_rates: np.ndarray
    kane_last: np.ndarray

    @property
    def compared(self) -> int:
        """Number of logged states that Kane's equations reached."""
        return len(self.kane_rates)


def whip_deck(parts: int = PARTS, elements: int = ELEMENTS, case: str = "", more: str = ""):
    """Return the deck of a part of a whip, round beam along x, lumped mass, with further lines."""
    from interstage.nastran import deck_from_text

    length, density = WHIP_LENGTH / parts, WHIP_MASS / WHIP_LENGTH
    bending = density * (2.0 * np.pi * FIRST_HZ * WHIP_LENGTH**2 / CLAMPED) ** 2
    width = 0.006
    A, I = np.pi * width**2 / 4, np.pi * width**4 / 64
    lines = ["SOL 103", "CEND", *case.splitlines(), "BEGIN BULK", *more.splitlines()]
    lines += [f"MAT1*,1,{bending / I:.12e},,0.3", f"*,{density / A:.12e}"]
    lines += [f"PBAR*,1,1,{A:.12e},{I:.12e}", f"*,{I:.12e},{2 * I:.12e}"]
    lines += [f"GRID,{k + 1},0,{length * k / elements:.8f},0.,0.,0" for k in range(elements + 1)]
    lines += [f"CBAR,{k + 1},1,{k + 1},{k + 2},0.,1.,0." for k in range(elements)]
    return deck_from_text("\n".join([*lines, "ENDDATA"]))


def whip_part(whole: bool = False):
    """Return one half of a whip as a component, or the whole whip with geometric stiffness."""
    from interstage.component import Component

    if whole:
        deck = whip_deck(1, PARTS * ELEMENTS)
        return Component.from_deck(deck, n_modes=2 * MODES, aset={1: 123456}, geometric_stiffness=True)
    # stiffened by the spin between the two beams alone, as the paper's are
    return Component.from_deck(whip_deck(), n_modes=MODES, aset={1: 123456}, geometric_stiffness=False)


def satellite(whole: bool = False):
    """Return the description: bus, z along its axis, and four whips of two beams each, or of one with its stiffness."""
    from interstage.multibody import Free, Locked, Multibody
    from interstage.spatial import Rotation

    mass, radius, part = MASS - 4 * WHIP_MASS, DIAMETER / 2, whip_part(whole)
    across, along = mass * (3 * radius**2 + LENGTH**2) / 12, mass * radius**2 / 2
    mb = Multibody("Explorer I")
    mb.add_body("bus", mass=mass, inertia=[across, across, along], joint=Free())
    for k in range(4):
        R = Rotation.from_axis_angle([0, 0, 1], 90.0 * k, degrees=True).matrix
        root = R @ [radius, 0.0, 0.0] + [0.0, 0.0, OFFSET]
        place = {"parent": "bus", "at": root, "rotation": R}
        for half in "a" if whole else "ab":
            name = f"whip {k + 1}{half}"
            mb.add_body(name, component=part, node=1, joint=Locked(), damping=DAMPING, **place)
            place = {"parent": name, "at": ELEMENTS + 1}
    return mb


def start(system):
    """Return the state at orbit: spin, a little nutation, centre of mass at rest in the origin."""
    x = system.state()
    rate = np.array([NUTATION * SPIN, 0.0, SPIN])
    center = system.center_of_mass(x)
    x["bus"].position[:] = -center
    x["bus"].velocity[:] = np.concatenate([rate, -np.cross(rate, center)])
    return x


def kane_history(kane, y: np.ndarray, steps: int) -> np.ndarray:
    """Return logged states (logs, nq + nv): y (nq + nv,) carried on by Kane's equations and RK4, without a break."""
    inner, nq = round(LOG_STEP / STEP), kane.nq
    levers, weights = np.array([0.0, 0.5, 0.5, 1.0]), np.array([1.0, 2.0, 2.0, 1.0]) / 6.0

    def slope(y):
        q, v = y[:nq], y[nq:]
        return kane.xp.concatenate([kane.rates(q, v), kane.accelerations(q, v)])

    if kane.xp is not np:
        return _in_jax(slope, y, levers, weights, inner, steps // inner)
    out = np.empty((steps // inner, len(y)))
    for k in range(steps):
        slant, total = np.zeros_like(y), np.zeros_like(y)
        for lever, weight in zip(levers, weights):
            slant = slope(y + lever * STEP * slant)
            total += weight * slant
        y = y + STEP * total
        if (k + 1) % inner == 0:
            out[k // inner] = y
    return out


def _in_jax(slope, y, levers, weights, inner: int, count: int) -> np.ndarray:
    """Return logged states by loops inside jax; the equations are compiled once."""
    import jax

    table = jax.numpy.stack([levers, weights], axis=1)

    def step(_, y):
        def stage(carry, row):
            k, total = carry
            k = slope(y + row[0] * STEP * k)
            return (k, total + row[1] * k), None

        zero = jax.numpy.zeros_like(y)
        return y + STEP * jax.lax.scan(stage, (zero, zero), table)[0][1]

    def log(y, _):
        y = jax.lax.fori_loop(0, inner, step, y)
        return y, y

    run = jax.jit(lambda y: jax.lax.scan(log, y, None, length=count)[1])
    return np.asarray(run(jax.numpy.asarray(y)))


def array_module(quick: bool):
    """Return jax.numpy in double precision where jax is installed, else numpy."""
    if quick or importlib.util.find_spec("jax") is None:
        return np
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy


def run(quick: bool = False) -> Outcome:
    """Integrate by both engines from one start, and the recursive one once more from a start changed by 1e-12."""
    from interstage.kane import Kane
    from interstage.simulation import simulate

    mb = satellite()
    system = mb.compile()
    x, xp = start(system), array_module(quick)
    until = 2 * LOG_STEP if quick else UNTIL
    log = simulate(system, x, until, STEP, method="rk4", log_step=LOG_STEP)
    near = x.copy()
    near["bus"].v[0] *= 1.0 + 1e-12
    other = simulate(system, near, until, STEP, method="rk4", log_step=LOG_STEP)
    kane = Kane(mb, like=system, xp=xp)
    reach = min(WITHOUT_JAX, until) if xp is np else until
    first = np.concatenate([x.q, x.v])
    history = np.vstack([first[None], kane_history(kane, first, round(reach / STEP))])
    rates, shaken = log["bus"].v[:, :3].copy(), other["bus"].v[:, :3].copy()
    kane_rates = history[:, kane.nq : kane.nq + 3]
    return Outcome(system, Kane(mb, like=system), log, rates, kane_rates, shaken, history[-1])


def nutation(log) -> np.ndarray:
    """Return the angle between the long axis and the angular momentum, degrees, at the logged times."""
    q = log["bus"].q[:, :4]
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    axis = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    h = log.momentum[:, :3]
    return np.rad2deg(np.arccos(np.clip(np.sum(axis * h, axis=1) / np.linalg.norm(h, axis=1), -1.0, 1.0)))


def along_the_way(found: Outcome, count: int) -> tuple[float, float]:
    """Return worst relative differences of accelerations (norm of energy) and reactions at states of the run."""
    worst = np.zeros(2)
    for k in np.linspace(0, len(found.log.t) - 1, count).astype(int):
        x = found.log.state(int(k))
        want = found.system.forward_dynamics(x)
        M = found.system.mass_matrix(x)
        e = found.kane.accelerations(x.q, x.v) - want
        theirs = found.system.reactions(x, want)
        ours = found.kane.reactions(x.q, x.v, want)
        # the bus is free: its own reaction is zero
        scale = max(np.abs(wrench).max() for wrench in theirs.values())
        gap = max(np.abs(ours[name] - wrench).max() for name, wrench in theirs.items())
        worst = np.maximum(worst, [np.sqrt(abs(e @ M @ e) / (want @ M @ want)), gap / scale])
    return float(worst[0]), float(worst[1])


def window(gap: np.ndarray, t: np.ndarray, limit: float) -> float:
    """Return the time up to which a difference stays below a limit."""
    beyond = np.flatnonzero(gap > limit)
    return float(t[beyond[0]] if len(beyond) else t[-1])


def study(quick: bool = False) -> Study:
    """Compare the engines; momentum, energy and the flat spin (quick: a moment of it, Kane in numpy)."""
    out = Study(
        "explorer",
        "Explorer I: from long-axis spin to flat spin",
        __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0],
    )
    found = run(quick)
    log, n = found.log, found.compared
    h = log.momentum[:, :3]
    drift = float(np.abs(h - h[0]).max() / np.linalg.norm(h[0]))
    rise = float(np.diff(log.energy).max() / log.energy[0])
    out.rows += [
        Row("recursive engine", "angular momentum, largest change", "0", f"{drift:.1e}", drift, 1e-5, f"step {STEP} s"),
        Row("recursive engine", "energy, largest rise between logged times", "<= 0", f"{rise:.1e}", max(rise, 0.0),
            1e-13),
    ]  # fmt: skip
    accelerations, reactions = along_the_way(found, 5 if quick else 40)
    gap = np.abs(found.kane_rates - found.rates[:n]).max(axis=1) / SPIN
    shaken = np.abs(found.perturbed_rates - found.rates).max(axis=1) / SPIN
    until = window(gap, log.t[:n], 1e-12)
    out.rows += [
        Row("Kane at states of the run", "accelerations, norm of energy", "engine", "", accelerations, 1e-12, "",
            ROUNDS, True),
        Row("Kane at states of the run", "forces across joints", "engine", "", reactions, 1e-12, "", ROUNDS, True),
        Row("Kane's own run", f"three rates over {log.t[n - 1]:g} s, of the spin", "engine", "", float(gap.max()),
            1e-10, f"below 1e-12 up to {until:g} s"),
        Row("engine, start changed by 1e-12", "the same", "engine", "", float(shaken.max()), None,
            "what the motion allows", "not judged: how fast neighboring motions part; no engine is better"),
    ]  # fmt: skip
    if not quick:
        out.rows += [halved_step(found.system)] + flat_spin(found) + one_body_whips(found)
    if n < len(log.t):
        out.left_out.append(f"Kane's run after {log.t[n - 1]:g} s: jax is not installed")
    out.pictures["explorer.png"] = lambda path: draw(found, gap, shaken, path)
    return out


def halved_step(system) -> Row:
    """Return how the change of angular momentum over four seconds falls when the step is halved: order four or five."""
    from interstage.simulation import simulate

    drifts = []
    for step in (STEP, STEP / 2):
        h = simulate(system, start(system), 4.0, step, method="rk4", log_step=4.0).momentum[:, :3]
        drifts.append(float(np.abs(h[-1] - h[0]).max()))
    order = float(np.log2(drifts[0] / drifts[1]))
    return Row(
        "recursive engine", "order of that change in the step", "4 or more", f"{order:.2f}", max(0.0, 4.0 - order), 0.2,
        "an error of the integrator alone", "a fifth of an order short of four; more is better"
    )  # fmt: skip


def flat_spin(found: Outcome) -> list[Row]:
    """Return rows about the end: axis, rate and energy of a flat spin with the same angular momentum."""
    log, angle = found.log, nutation(found.log)
    h = float(np.linalg.norm(log.momentum[0, :3]))
    major = found.system.mass_properties(log.state(0)).inertia[0, 0]
    rate = float(np.linalg.norm(found.rates[-1, :2]))
    least = h**2 / (2 * major)
    left = float((log.energy[-1] - least) / (log.energy[0] - least))
    at = f"at {log.t[-1]:g} s"
    q, v = np.split(found.kane_last, [found.kane.nq])
    x = found.system.state(q, v)
    same = abs(found.kane.energy(q, v) - found.system.energy(x)) / abs(found.system.energy(x))
    return [
        Row("flat spin", f"long axis to momentum, deg, {at}", "90", f"{angle[-1]:.2f}", 90.0 - angle[-1], 10.0,
            f"at the start {angle[0]:.2f}"),
        Row("flat spin", f"rate about a transverse axis, rad/s, {at}", f"{h / major:.4f}", f"{rate:.4f}",
            abs(rate * major / h - 1.0), 0.05, "h / I of the major axis"),
        Row("flat spin", f"energy above its least, of that at the start, {at}", "0", f"{left:.4f}", left, 0.1,
            f"{log.energy[0]:.1f} J to {log.energy[-1]:.1f} J, least {least:.1f} J"),
        Row("Kane's last state", "energy by both", "engine", "", float(same), 1e-12),
    ]  # fmt: skip


def spinning_whip(whole: bool) -> np.ndarray:
    """Return the first frequencies, Hz, of a whip on a hub that is driven at the spin of the start: lag, then flap."""
    from interstage.linear import linearize, trim
    from interstage.multibody import Locked, Multibody, Revolute

    mb = Multibody("whip")
    mb.add_body("hub", mass=1.0, inertia=np.eye(3), joint=Revolute("z", prescribed=True))
    part, place = whip_part(whole), {"parent": "hub", "at": [DIAMETER / 2, 0.0, 0.0]}
    for name in "a" if whole else "ab":
        mb.add_body(name, component=part, node=1, joint=Locked(), damping=0.0, **place)
        place = {"parent": name, "at": ELEMENTS + 1}
    system = mb.compile()
    x = system.state()
    x["hub"].v[:] = SPIN
    poles = np.asarray(linearize(system, trim(system, x), inputs=[], outputs=[]).poles())
    return np.sort(poles.imag[poles.imag > 1.0])[:2] / (2.0 * np.pi)


def spinning_fe() -> np.ndarray:
    """Return the same of the finite-element model of the whip, preloaded by RFORCE."""
    from interstage.fem import FEModel, normal_modes

    more = f"GRID,99,0,{-DIAMETER / 2:.8f},0.,0.,0\nSPC1,1,123456,1,99\nRFORCE,1,99,,{SPIN / (2 * np.pi):.8f},0.,0.,1."
    case = "SPC = 1\nSUBCASE 1\nLOAD = 1\nSUBCASE 2\nSTATSUB = 1\n"
    fe = FEModel.from_deck(whip_deck(1, PARTS * ELEMENTS, case, more))
    return normal_modes(fe, n_modes=2, preload=1).frequencies_hz


OTHER = (
    "not judged: a whip of one body and one of two are two models, whose damping of modes takes energy at two rates; "
    "neither is the truth for the other"
)


def one_body_whips(found: Outcome) -> list[Row]:
    """Return rows about whips of one body each, with the stiffness that their tension gives them."""
    from interstage.kane import Kane
    from interstage.simulation import simulate

    truth, whole, halves = spinning_fe(), spinning_whip(True), spinning_whip(False)
    rows = [
        Row("whip of one body at 750 rpm", f"{name}, Hz", f"{a:.4f}", f"{b:.4f}", abs(b / a - 1.0), 0.01,
            f"finite elements under RFORCE; two beams: {c:.4f}")
        for name, a, b, c in zip(("lagging", "flapping"), truth, whole, halves)
    ]  # fmt: skip
    mb = satellite(True)
    system = mb.compile()
    log = simulate(system, start(system), UNTIL, STEP, method="rk4", log_step=LOG_STEP)
    h, angle, before = log.momentum[:, :3], nutation(log), nutation(found.log)
    drift = float(np.abs(h - h[0]).max() / np.linalg.norm(h[0]))
    rise = float(np.diff(log.energy).max() / log.energy[0])
    x = log.state(len(log.t) // 2)
    M, f = Kane(mb, like=system).equations(x.q, x.v)
    vdot = system.forward_dynamics(x)
    gap = float(np.abs(M @ vdot - f).max() / (np.abs(M) @ np.abs(vdot) + np.abs(f)).max())
    time_of = lambda a, values: log.t[np.argmax(values > a)]  # noqa: E731
    name = "whips of one body, geometric stiffness"
    return [
        *rows,
        Row(name, "angular momentum, largest change", "0", f"{drift:.1e}", drift, 1e-5),
        Row(name, "energy with that of loads, largest rise", "<= 0", f"{rise:.1e}", max(rise, 0.0), 1e-13),
        Row(name, "Kane's equations half way", "engine", "", gap, 1e-12, "", ROUNDS, True),
        Row(name, "time to 60 deg, s", f"{time_of(60.0, before):.2f}", f"{time_of(60.0, angle):.2f}",
            abs(time_of(60.0, angle) / time_of(60.0, before) - 1.0), None, "reference: two beams each", OTHER),
        Row(name, f"long axis to momentum, deg, at {log.t[-1]:g} s", f"{before[-1]:.2f}", f"{angle[-1]:.2f}",
            abs(angle[-1] - before[-1]), None, f"{log.energy[0]:.1f} J to {log.energy[-1]:.1f} J", OTHER),
    ]  # fmt: skip


def draw(found: Outcome, gap: np.ndarray, shaken: np.ndarray, path: Path) -> None:
    """Draw the rates of both engines, energy and nutation, and how far the runs are apart."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    blue, orange, green = "#1f4e79", "#c55a11", "#548235"
    t, n = found.log.t, found.compared
    figure, axes = plt.subplots(2, 2, figsize=(13, 8), layout="constrained")
    (top, zoom), (energy, apart) = axes
    for axis, span in ((top, slice(None)), (zoom, t > t[-1] - min(6.0, t[-1]))):
        keep = np.arange(len(t))[span]
        for k, (name, color) in enumerate(zip("xyz", (blue, green, orange))):
            if axis is zoom and k == 2:
                continue
            axis.plot(
                t[keep], found.rates[keep, k], color=color, lw=1.6, alpha=0.5, label=f"ω{name}, recursive"
            )
            both = keep[keep < n]
            axis.plot(t[both], found.kane_rates[both, k], "--", color=color, lw=1.0, label=f"ω{name}, Kane")
        axis.set_ylabel("rate in body axes, rad/s")
        axis.set_xlabel("time, s")
        axis.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")
    top.set_title("Rates of the bus: z is the long axis")
    zoom.set_ylim(-3.2, 4.4)
    zoom.set_title("The last seconds: transverse rates")
    energy.plot(t, found.log.energy, color=blue, label="energy, J")
    energy.set_xlabel("time, s")
    energy.set_ylabel("energy, J", color=blue)
    energy.set_title("Energy falls, and the long axis turns across the momentum")
    angle = energy.twinx()
    angle.plot(t, nutation(found.log), color=orange, lw=1.0)
    angle.set_ylabel("long axis to angular momentum, deg", color=orange)
    angle.set_ylim(0.0, 95.0)
    apart.semilogy(t[:n], np.maximum(gap, 1e-18), color=blue, label="Kane's run and the recursive engine")
    apart.semilogy(
        t, np.maximum(shaken, 1e-18), color="0.6", label="recursive engine, start changed by 1e-12"
    )
    apart.set_xlabel("time, s")
    apart.set_ylabel("largest difference of rates / spin")
    apart.set_title("How far the runs are apart")
    apart.set_ylim(1e-18, 1e-8)
    apart.legend(frameon=False, fontsize=9, loc="upper left")
    for axis in axes.flat:
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    plt.close(figure)
