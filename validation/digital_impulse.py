"""Frequency response of a closed loop in flight, from digital impulses, against the linear model (NESC report, F.3).

The beam of the launch-vehicle cases (24 modes below 30 Hz, here at 3 % damping) flies under 20 kN from an engine on a
gimbal with two servos of finite stiffness. Software at 50 Hz holds attitude through a gyro near the gimbal, and roll by
a torquer; a gyro and an accelerometer on an arm at the nose look on. The nonlinear run is brought to rest under thrust.
Then each of the three commands gets one sample of ±δ on top of the software's own. With the sums Σ y_k z⁻ᵏ of what
sensors (Y) and commands (U) said more than in the undisturbed run, a column for each command,

    H(z) = Y(z) U(z)⁻¹,      z = exp(2πi f T)

is the open-loop response from commands to sensors, though the loop is closed all the time: the sums converge because
it is. It is compared at 499 frequencies up to 25 Hz with the continuous linear model of the assembly about the same
point, held inputs put in exactly (matrix exponential), H(z) = C (zI - F)⁻¹ G + D/z (sensors see the command that acted
before the tick), and with the model of one frame (`sampled=True`). The floor is found without a model: half of
what the responses to +δ and -δ differ by, which is curvature and rounding. Frequencies count where the response is a
thousand times above it. What is left against either model is the error of RK4 at 0.5 ms: both take the motion between
samples as it is, and not as steps of a run have it.

    python -m validation digital_impulse
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

import interstage as ist
from validation import launch_vehicle_fe as beam
from validation.study import Row, Study

THRUST = 20e3  # N
PERIOD, STEP, SETTLE, WINDOW = 0.02, "1/2000 s", 60, 50  # s
FREQUENCIES = np.linspace(0.05, 24.95, 499)
COMMANDS, PULSE = ("roll", "pitch", "yaw"), (5.0, 2e-4, 2e-4)  # N m, rad, rad
GAINS = np.array([[-800.0, 0.16, 0.16], [-1600.0, 0.33, 0.33]])  # of angle and rate
ROLL_OFF = 1.0 - np.exp(-8.0 * 0.02)
CONTROL, DAMPING = 36, 0.03
TOLERANCE, CLEAR = 0.01, 1e3  # dB, times above the floor
OUTPUTS = ("roll rate", "pitch rate", "yaw rate", "x acceleration", "y acceleration", "z acceleration")


class Servo(ist.Device):
    """Servos about two gimbal axes: τ = k (x - q) - c q̇, ẍ = ω² (command - x) - 2ζω ẋ."""

    joint = ist.JointRef("rad", 2)
    stiffness = ist.Parameter("N*m/rad", 1e6)
    damping = ist.Parameter("N*m*s/rad", 8e3)
    bandwidth = ist.Parameter("rad/s", 40.0)
    q, qdot = joint.coordinate(), joint.rate()
    torque = joint.force()
    pitch, yaw = ist.In("rad"), ist.In("rad")
    x, v = ist.ContinuousState("rad", 2), ist.ContinuousState("rad/s", 2)

    def outputs(d, t):
        for k in range(2):
            d.torque[k] = d.stiffness * (d.x[k] - d.q[k]) - d.damping * d.qdot[k]

    def rates(d, t):
        w = d.bandwidth
        d.xdot[0], d.xdot[1] = d.v[0], d.v[1]
        d.vdot[0] = w * w * (d.pitch - d.x[0]) - 1.4 * w * d.v[0]
        d.vdot[1] = w * w * (d.yaw - d.x[1]) - 1.4 * w * d.v[1]


class Motor(ist.Device):
    """Thrust along x of the engine, and a roll torque on the airframe."""

    engine, airframe = ist.Site(), ist.Site()
    thrust = ist.Parameter("N", THRUST)
    roll = ist.In("N*m")
    force, torque = engine.force("body"), airframe.torque("body")

    def outputs(d, t):
        d.force[0] = d.thrust
        d.torque[0] = d.roll


class Sensors(ist.Device):
    """Rate and acceleration at a deformed node, in its axes."""

    at = ist.Site()
    omega, a = at.rate("node"), at.acceleration("node")
    rate, acceleration = ist.Out("rad/s", 3), ist.Out("m/s^2", 3)

    def sample(d, t):
        d.rate[:] = d.omega
        d.acceleration[:] = d.a


class Software:
    """Proportional and derivative of a gyro near the gimbal, rolled off; a pulse on one command at one instant."""

    def __init__(self, channel: int = 0, pulse: float = 0.0):
        self.channel, self.pulse = channel, pulse
        self.angle, self.rate, self.ticks = np.zeros(3), np.zeros(3), 0
        self.said: dict[str, float] = {}

    def __call__(self, t, rate):
        self.angle = self.angle + PERIOD * rate
        self.rate = self.rate + ROLL_OFF * (rate - self.rate)
        u = GAINS[0] * self.angle + GAINS[1] * self.rate
        if self.ticks == 0:
            u[self.channel] += self.pulse
        self.ticks += 1
        self.said = {"roll": u[0], "pitch": u[1], "yaw": u[2]}
        return self.said


def vehicle(component):
    """Return the compiled vehicle: flexible missile and engine on a gimbal of two axes."""
    mb = ist.Multibody("launch vehicle")
    mb.add_body("missile", component=component, joint=ist.Free())
    mass = {"mass": beam.ENGINE_MASS, "com": beam.ENGINE_COM, "inertia": [7.5, 28.0, 29.5]}
    mb.add_body("engine", **mass, parent="missile", at=beam.GIMBAL, joint=ist.Universal("yz"))
    return mb.compile()


def assembly(system, software: Software | None = None) -> ist.Assembly:
    """Return the loop; without software its commands are open."""
    made = ist.Assembly("ascent", vehicle=system).add("servo", Servo(joint="engine"))
    made.add("motor", Motor(engine="engine", airframe=("missile", CONTROL)))
    made.add("nose", Sensors(at=("missile", beam.SENSOR)), every=PERIOD)
    if software is not None:
        made.add("gyro", Sensors(at=("missile", CONTROL)), every=PERIOD)
        made.add("fsw", software, every=PERIOD, out={"roll": "N*m", "pitch": "rad", "yaw": "rad"})
        made.wire({"gyro.rate": "fsw.rate", "fsw.pitch": "servo.pitch", "fsw.yaw": "servo.yaw"})
        made.wire({"fsw.roll": "motor.roll"})
    return made


@dataclass
class Point:
    """Where the loop is at rest under thrust: point of the flight, what the software remembers, and the step."""

    x0: ist.OperatingPoint
    software: Software
    step: str


def settled(system, step: str = STEP) -> Point:
    """Fly until the loop is at rest under thrust."""
    software = Software()
    log = ist.simulate(assembly(system, software), system.state(), until=SETTLE, step=step, log_step=1)
    return Point(log.end, software, step)


def flown(system, point: Point, channel: int, pulse: float) -> np.ndarray:
    """Return what sensors and commands say (9, N) after a pulse at the first sample."""
    software = Software(channel, pulse)
    software.angle, software.rate = point.software.angle.copy(), point.software.rate.copy()
    keep = ["nose.rate", "nose.acceleration", *(f"fsw.{name}" for name in COMMANDS)]
    made = assembly(system, software)
    log = ist.simulate(made, point.x0, until=WINDOW, step=point.step, keep=keep, log_step=1)
    said = [log[f"fsw.{name}"][:, None] for name in COMMANDS]
    return np.hstack([log["nose.rate"], log["nose.acceleration"], *said]).T


def measured(system, point: Point) -> tuple[np.ndarray, np.ndarray]:
    """Return the response (nf, 6, 3) from commands to sensors, and its floor.

    A pulse up and one down in each command; the floor is half of what their responses differ by.
    """
    turns = np.exp(-2j * np.pi * PERIOD * np.outer(np.arange(int(WINDOW / PERIOD) + 1), FREQUENCIES))
    still = flown(system, point, 0, 0.0)
    sums = {}
    for sign in (1.0, -1.0):
        runs = [flown(system, point, k, sign * size) - still for k, size in enumerate(PULSE)]
        sums[sign] = np.stack([sign * (run @ turns).T for run in runs], axis=2)
    mean = 0.5 * (sums[1.0] + sums[-1.0])
    up, down = (s[:, :6] @ np.linalg.inv(s[:, 6:]) for s in sums.values())
    return mean[:, :6] @ np.linalg.inv(mean[:, 6:]), 0.5 * np.abs(up - down)


def held(lin) -> np.ndarray:
    """Return the response (nf, 6, 3) of a continuous model with held inputs, seen before the inputs change."""
    n, nu = lin.B.shape
    whole = expm(PERIOD * np.block([[lin.A, lin.B], [np.zeros((nu, n + nu))]]))
    F, G, eye = whole[:n, :n], whole[:n, n:], np.eye(n)
    zs = np.exp(2j * np.pi * PERIOD * FREQUENCIES)
    return np.array([lin.C @ np.linalg.solve(z * eye - F, G.astype(complex)) + lin.D / z for z in zs])


def models(system, point: Point) -> tuple[np.ndarray, np.ndarray]:
    """Return responses (nf, 6, 3) of the continuous model and of the model of one frame, commands cut."""
    said = point.software.said
    ports = {"motor.roll": said["roll"], "servo.pitch": said["pitch"], "servo.yaw": said["yaw"]}
    about = {"inputs": list(ports), "outputs": ["nose.rate", "nose.acceleration"], "set": ports}
    made = assembly(system)
    lin = ist.linearize(made, point.x0, **about)
    frame = ist.linearize(made, point.x0, **about, sampled=True, step=point.step)
    # an input of a frame acts from its beginning, so that its first sample sees it; in the run it acts after that
    late = np.exp(-2j * np.pi * PERIOD * FREQUENCIES)[:, None, None] - 1.0
    return held(lin), frame.frequency_response(FREQUENCIES) + late * frame.D


def difference_db(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return gains of a over those of b, dB."""
    return 20.0 * np.log10(np.abs(a) / np.abs(b))


@dataclass
class Outcome:
    """Responses (nf, 6, 3) from commands to sensors: from runs with their floors, and of the models."""

    measured: np.ndarray
    floor: np.ndarray
    model: np.ndarray
    frame: np.ndarray

    @property
    def clear(self) -> np.ndarray:
        """Where the measured response is above its floor."""
        return np.abs(self.measured) > CLEAR * self.floor


def run(component, step: str = STEP) -> Outcome:
    """Fly, measure and linearize."""
    system = vehicle(component)
    point = settled(system, step)
    return Outcome(*measured(system, point), *models(system, point))


def study() -> Study:
    """Compare responses of runs with those of the linear models."""
    about = __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].strip()
    out = Study("digital_impulse", "Frequency response from digital impulses in a closed loop", about)
    found = run(beam.component(DAMPING))
    for c, command in enumerate(COMMANDS):
        for name, rows in (("rates", slice(0, 3)), ("accelerations", slice(3, 6))):
            case = f"{command} command to {name} at the nose"
            above = found.clear[:, rows, c]
            for what, model, limit in (
                ("continuous model, held inputs", found.model, TOLERANCE),
                ("model of one frame", found.frame, TOLERANCE),
            ):
                d = np.abs(difference_db(found.measured, model))[:, rows, c]
                k, o = np.unravel_index(np.argmax(np.where(above, d, 0.0)), d.shape)
                gains = [f"{20 * np.log10(abs(h[k, rows, c][o])):.4f} dB" for h in (model, found.measured)]
                note = f"{above.mean():.1%} above the floor; worst at {FREQUENCIES[k]:.2f} Hz"
                out.rows.append(Row(case, f"gain, dB, {what}", *gains, float(d[k, o]), limit, note))
    out.pictures["digital_impulse.png"] = lambda path: draw(found).savefig(path, dpi=120)
    return out


def draw(found: Outcome):
    """Draw the response from pitch, measured and of the model, its floor, and the difference."""
    from interstage.report.plots import COLORS, GREY, decibels, dress, new_figure

    figure = new_figure(14.0, 9.0)
    (rates, accelerations), (floors, differences) = figure.subplots(2, 2)
    f = FREQUENCIES
    for axis, rows in ((rates, (1, 2, 0)), (accelerations, (5, 3))):
        for color, o in zip(COLORS, rows):
            axis.plot(f, decibels(found.model[:, o, 1]), color=color, lw=2.4, alpha=0.35)
            axis.plot(f, decibels(found.measured[:, o, 1]), ":", color=color, lw=1.4, label=OUTPUTS[o])
        dress(axis, "frequency, Hz", "gain, dB", "Pitch command (band: linear model, dots: from runs)", True)
    for color, o in zip(COLORS, (1, 2, 0)):
        floors.plot(f, decibels(found.measured[:, o, 1]), color=color, lw=1.2, label=OUTPUTS[o])
        floors.plot(f, decibels(found.floor[:, o, 1]), color=color, lw=0.7, alpha=0.6)
    dress(floors, "frequency, Hz", "gain, dB (rad/s per rad)", "Responses and their floors (thin)", True)
    for o, name in enumerate(OUTPUTS):
        clear = found.clear[:, o, 1]
        d = np.maximum(np.abs(difference_db(found.measured, found.model))[clear, o, 1], 1e-8)
        differences.semilogy(f[clear], d, ".", ms=2.5, color=COLORS[o], label=name)
    differences.axhline(TOLERANCE, color=GREY, ls="--", lw=1)
    dress(differences, "frequency, Hz", "difference, dB", "Runs over model (dashed: 0.01 dB)", True)
    return figure
