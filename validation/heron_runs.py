"""What the study of Heron's ascent does besides flying: kicked runs and poles of what they ring with, runs by finer
steps, and what gimbals do to the rigid vehicle, by hand.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
from scipy import optimize, signal

import interstage as ist
from interstage.demo import ascent_flight as ascents
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_points as points
from interstage.demo import ascent_vehicle as av
from interstage.devices.atmosphere import standard_air

RINGS, SECONDS = 3.0, 2.0  # s, of bending and of attitude
EASE = 2.0  # s after the staging, in which the upper stage springs back
KICKS = {
    "roll": (0, 5e-3),
    "pitch": (1, 5e-3),
    "bending": (1, 1.0),
}  # axis that is looked at; rad/s, or of shapes


@dataclass
class Ringing:
    """The frame with software and all beside what two runs differ by, one of them kicked.

    model, run : pole of the first mode of bending, 1/s; that of the model is the mean of those at the begin and at the
        end of what is looked at, since propellant burns on: amplitude and phase go as exp ∫ s dt
    apart : {axis: largest difference of the attitude's rate after a kick, of its peak, from that of linear models};
        attitude is damped too well to ring, and while it decays gains and air change: the model is linear in time
        between those of the begin and of the end
    """

    t: float
    model: complex
    run: complex
    apart: dict[str, float]


def ringing(t: float) -> Ringing:
    """Fly to a time, linearize there, and go on from there several times, kicked and not: differences ring down."""
    one = ascents.ascent(seed=None)
    x = one.fly(until=t).state()
    memory = copy.deepcopy({name: value for name, value in vars(one.software).items() if name != "plan"})
    model = ist.linearize(one.assembly, x, outputs=["imu.rate"], sampled=True, step="2.5 ms")
    rates, steps = {}, {"step": "2.5 ms", "method": "rk4", "log_step": "20 ms", "progress": False}
    about, far = KICKS["bending"]
    for name, (axis, size) in {**KICKS, "back": (about, -far), "": (0, 0.0)}.items():
        vars(one.software).update(copy.deepcopy(memory))
        start = x.copy()
        if name in ("bending", "back"):
            start[av.NAME].etadot[:2] += size
        else:
            start[av.NAME].velocity[axis] += size
        log = ist.simulate(one.assembly, start, start=t, until=t + RINGS, **steps)
        # from the first frame after the kick on, whether the run has sampled at its start or not
        rates[name] = log["imu.rate"][log.times("imu.rate") > t + 0.5 * ap.FRAME]
    later = ist.linearize(one.assembly, log.state(), outputs=["imu.rate"], sampled=True, step="2.5 ms")
    begin = {name: np.zeros(len(model.A)) for name in KICKS}
    begin["roll"][model.states.index(f"{av.NAME}.wx")] = KICKS["roll"][1]
    begin["pitch"][model.states.index(f"{av.NAME}.wy")] = KICKS["pitch"][1]
    begin["bending"][[model.states.index(f"{av.NAME}.eta{k}_rate") for k in (1, 2)]] = KICKS["bending"][1]
    # half the difference of kicks either way: what limits of the software make of one is not in it
    y = 0.5 * (rates["bending"] - rates["back"])[: round(RINGS / ap.FRAME) - 1, 1]
    poles = heard(model, begin["bending"], 1)
    _, rung = measured(poles, y, 1.6, 4.2)
    linear = decaying(model, later, begin["bending"], RINGS)[1:, 1]
    _, wanted = measured(poles, linear[: len(y)], 1.6, 4.2)
    apart = {}
    for name in ("roll", "pitch"):
        linear = decaying(model, later, begin[name])[1:, KICKS[name][0]]
        run = (rates[name] - rates[""])[: len(linear), KICKS[name][0]]
        apart[name] = float(np.abs(run - linear).max() / np.abs(linear).max())
    return Ringing(t, wanted, rung, apart)


def decaying(
    first: ist.LinearModel, later: ist.LinearModel, begin: np.ndarray, seconds: float = SECONDS
) -> np.ndarray:
    """Return outputs (n, m) from a begin, by a model that goes from the first to the one RINGS later."""
    x, out = begin, []
    for part in np.arange(round(seconds / ap.FRAME)) * ap.FRAME / RINGS:
        out.append((first.C + part * (later.C - first.C)) @ x)
        x = (first.A + part * (later.A - first.A)) @ x
    return np.array(out)


def heard(model: ist.LinearModel, begin: np.ndarray, output: int) -> np.ndarray:
    """Return poles z of a model that an output hears after a begin, a thousandth of the loudest at least."""
    z, V = np.linalg.eig(model.A)
    size = np.abs((model.C[output] @ V) * np.linalg.lstsq(V, begin.astype(complex), rcond=None)[0])
    loud = sorted(z[(size > 1e-3 * size.max()) & (z.imag > -1e-9) & (np.abs(z) > 0.3)], key=lambda v: -abs(v))
    out: list[complex] = []
    for each in loud:
        if all(abs(each - other) > 1e-3 for other in out):
            out.append(complex(each))
    return np.array(out)


def bending(z: np.ndarray, low: float, high: float) -> tuple[complex, int]:
    """Return the least damped of some poles z between two frequencies (Hz), 1/s, and its number."""
    s = np.log(z) / ap.FRAME
    inside = np.flatnonzero((s.imag > 2 * np.pi * low) & (s.imag < 2 * np.pi * high))
    k = int(inside[int(np.argmax(s[inside].real))])
    return complex(s[k]), k


def measured(z: np.ndarray, y: np.ndarray, low: float, high: float) -> tuple[complex, complex]:
    """Return the least damped of some poles between two frequencies (Hz), and where a signal has it, 1/s.

    The signal is a sum of powers of the poles; the one that is asked for is moved to where the rest is least.
    """
    pole, k = bending(z, low, high)
    others = np.delete(z, k)

    def rest(at: np.ndarray) -> np.ndarray:
        poles = np.append(others, np.exp(ap.FRAME * complex(at[0], at[1])))
        powers = poles[None, :] ** np.arange(len(y))[:, None]
        basis = np.hstack([powers.real, powers.imag[:, np.abs(poles.imag) > 1e-9]])
        basis /= np.linalg.norm(basis, axis=0)
        return (basis @ np.linalg.lstsq(basis, y, rcond=1e-6)[0] - y) / np.abs(y).max()

    best = optimize.least_squares(rest, [pole.real, pole.imag], x_scale=abs(pole), diff_step=1e-4).x
    return pole, complex(best[0], best[1])


def growth(t: np.ndarray, y: np.ndarray, hz: float, low: float, high: float) -> tuple[float, float]:
    """Return growth rate (1/s) and frequency (rad/s) of an oscillation near a frequency, between two amplitudes."""
    dt = t[1] - t[0]
    band = signal.butter(3, [0.7 * hz, 1.4 * hz], "bandpass", fs=1.0 / dt, output="sos")
    wave = signal.hilbert(signal.sosfiltfilt(band, y))
    size = np.abs(wave)
    end = int(np.argmax(size > high)) or len(size)
    begin = int(np.flatnonzero(size[:end] < low)[-1]) if (size[:end] < low).any() else 0
    rows = slice(begin, end)
    rate = np.polyfit(t[rows], np.log(size[rows]), 1)[0]
    turns = np.polyfit(t[rows], np.unwrap(np.angle(wave[rows])), 1)[0]
    return float(rate), float(turns)


def by_hand(t: float) -> np.ndarray:
    """Return the angular acceleration (3, 8) of the rigid stack by a radian of each gimbal, body axes.

    I⁻¹ Σ (gimbal - centre of mass) × thrust, engines turned one at a time, their masses with them.
    """
    reference, stack, _ = ascents.thought()
    system, h = stack.system(points.burnt(reference, t)), 1e-4
    level, height = (float(np.interp(t, reference.t, reference[name])) for name in ("throttle", "gdalt"))
    thrust = level * ap.THRUST - ap.EXIT_AREA * standard_air(height)[1]
    engines = [f"engine{k}" for k in range(1, 5)]

    def turning(name: str, axis: int, angle: float) -> np.ndarray:
        x = system.state()
        x[name].q[axis] = angle
        whole = system.mass_properties(x)
        arms = [system.position(x, each) - whole.com for each in engines]
        torque = [np.cross(arm, thrust * system.rotation(x, each)[:, 0]) for arm, each in zip(arms, engines)]
        return np.linalg.solve(whole.inertia, np.sum(torque, axis=0))

    columns = [(turning(name, k, h) - turning(name, k, -h)) / (2.0 * h) for name in engines for k in (0, 1)]
    return np.column_stack(columns)


@dataclass
class Apart:
    """How far two runs of one flight are apart: m and degrees at the end, modal coordinates as parts of the largest.

    stack : on the way;  staging : s between the two instants of it
    released, later : of the upper stage within EASE of the staging, and after that
    others : as released, without the shape that springs back most, which is the axial one
    end : at the last time, of the largest then
    """

    position: float
    attitude: float
    stack: float
    staging: float
    released: float
    others: float
    later: float
    end: float


def between(log: ist.Log, other: ist.Log) -> Apart:
    """Compare two runs at the times that both have."""
    ends = [one.phases[-1][av.NAME] for one in (log, other)]
    turned = ist.attitude_error(ends[0].quaternion[-1], ends[1].quaternion[-1])
    away = np.linalg.norm(ends[0].position[-1] - ends[1].position[-1])
    dropped = [next(event.t for event in one.events if event.name == "staging") for one in (log, other)]
    bent = []
    for one, two in zip(log.phases, other.phases):
        t, rows, others = np.intersect1d(one.t.round(6), two.t.round(6), return_indices=True)
        eta, known = one[av.NAME].eta[rows], two[av.NAME].eta[others]
        bent.append((t - two.t[0], np.abs(eta - known) / np.abs(known).max()))
    (_, stack), (since, upper) = bent
    springs = int(np.argmax(np.abs(known[since < 0.1]).max(axis=0)))
    last = np.abs(ends[0].eta[-1] - ends[1].eta[-1]).max() / np.abs(ends[1].eta[-1]).max()
    soon = upper[since < EASE]
    parts = (
        stack.max(), abs(dropped[0] - dropped[1]), soon.max(), np.delete(soon, springs, axis=1).max(),
        upper[since >= EASE].max(), last,
    )  # fmt: skip
    return Apart(float(away), float(np.degrees(np.linalg.norm(turned))), *map(float, parts))


def lags(hz: float, step: float) -> tuple[float, float]:
    """Return what ROS2 makes of a frequency in steps of so many seconds, Hz, and by how much it shrinks it in a step.

    R(z) = (1 + (1 - 2γ) z) / (1 - γz)², γ = 1 - 1/√2, of an undamped mode, z = iωh
    """
    gamma, z = 1.0 - np.sqrt(0.5), 2j * np.pi * hz * step
    factor = (1.0 + (1.0 - 2.0 * gamma) * z) / (1.0 - gamma * z) ** 2
    return float(np.angle(factor)) / (2.0 * np.pi * step), float(abs(factor))
