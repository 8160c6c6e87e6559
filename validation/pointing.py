"""Observatories that point: actuators, sensors and software around a telescope, for the study of their jitter.

Three architectures turn one telescope: four wheels, the same wheels each on an isolator of six springs, and wheels that
come to rest after the slew and leave the fine pointing to sixteen microthrusters. What sensors and thrusters add by
chance comes from one member, `noise`: the linear model of a frame takes the same numbers as inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.jit import kernel
from interstage.nastran import deck_from_text
from validation.observatory_fe import rotor_inertia

ARCSEC = np.pi / 180.0 / 3600.0
WHEELS, ISOLATED, THRUSTERS = "wheels", "wheels on isolators", "microthrusters"
ARCHITECTURES = (WHEELS, ISOLATED, THRUSTERS)
PERIOD, STEP = 0.02, "2.5 ms"  # of the software; of the run
SLEW, AXIS = np.radians(2.0), np.array([0.8, 0.6, 0.0])
ROLL_OFF = 6.0
HISS = 1e-6  # N, of a microthruster, drawn anew at every sample
STAR_NOISE, GYRO_NOISE = 0.01 * ARCSEC, 1e-9  # rad, rad/s
DAMPING = 0.005
SPREAD = np.array([1.0, 1.0, 1.0, -np.sqrt(3.0)])  # speeds of the four wheels that have no momentum together


@dataclass(frozen=True)
class Craft:
    """A telescope of the study and the numbers of its equipment.

    fe : module of its deck, with grids and axes of what it carries;  n_modes : of its component
    bias : speed of the first three wheels in fine pointing, rad/s;  imbalance : static, dynamic of a wheel
    bandwidth : of the software, rad/s;  slew : time of the 2° slew, s;  isolator : its frequency in hertz
    optics : what turn (rad/rad) and displacement (rad/m) of the secondary mirror do to the line of sight
    """

    name: str
    fe: ModuleType
    n_modes: int
    bias: float
    imbalance: tuple[float, float]
    bandwidth: float
    slew: float
    isolator: float
    thrust: float
    optics: tuple[float, float]

    @cached_property
    def components(self) -> dict[bool, ist.Component]:
        """Return the structure with its rotors, and without."""
        return {rotors: self.component(rotors) for rotors in (True, False)}

    def component(self, rotors: bool) -> ist.Component:
        """Return the structure: free modes about the boresight node."""
        deck = deck_from_text(self.fe.observatory_deck(rotors=rotors))
        return ist.Component.from_deck(
            deck,
            n_modes=self.n_modes,
            aset={},
            grdpnt=self.fe.BORESIGHT,
            modal_integrals=False,
            name="telescope",
        )

    def housing(self, k: int) -> dict[str, object]:
        """Return mass and inertia of wheel k without its spin, which is that of the wheel's device."""
        fe, axis = self.fe, self.fe.WHEEL_AXES[k]
        frame = 0.1 * fe.TRANSVERSE * np.outer(axis, axis)  # what does not spin
        return {"mass": fe.ROTOR_MASS, "inertia": rotor_inertia(k, fe.TRANSVERSE) + frame}

    def system(self, architecture: str, damping: float = DAMPING) -> ist.System:
        """Return the compiled telescope; wheels on isolators are bodies of their own."""
        isolated = architecture == ISOLATED
        mb = ist.Multibody("observatory")
        mb.add_body("bus", component=self.components[not isolated], joint=ist.Free(), damping=damping)
        for k, node in enumerate(self.fe.WHEELS if isolated else ()):
            mb.add_body(f"w{k + 1}", **self.housing(k), parent="bus", at=node, joint=ist.Free())
        return mb.compile()

    def place(self, architecture: str, k: int) -> object:
        """Return where wheel k is."""
        return f"w{k + 1}" if architecture == ISOLATED else ("bus", self.fe.WHEELS[k])

    def bushing(self, k: int) -> dict[str, np.ndarray]:
        """Return stiffness and damping (6,) of an isolator: one frequency in all directions, 10 % damping."""
        w = 2.0 * np.pi * self.isolator
        inertia = np.array([self.fe.TRANSVERSE] * 3 + [self.fe.ROTOR_MASS] * 3)
        return {"stiffness": inertia * w * w, "damping": 0.2 * w * inertia}


def plan(t: float, duration: float) -> tuple[float, float, float]:
    """Return angle, rate and acceleration of the slew: Θ (τ - sin 2πτ / 2π), τ = t/T, at rest before and after."""
    tau = min(max(t / duration, 0.0), 1.0)
    turn = 2.0 * np.pi * tau
    return (
        SLEW * (tau - np.sin(turn) / (2.0 * np.pi)),
        SLEW / duration * (1.0 - np.cos(turn)),
        SLEW * 2.0 * np.pi / duration**2 * np.sin(turn),
    )


def target(duration: float, t: float) -> np.ndarray:
    """Return the commanded attitude (4,)."""
    angle = plan(t, duration)[0]
    return np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * AXIS])


@dataclass(frozen=True)
class Tuning:
    """What the software knows.

    inertia (3, 3);  axes (3, 4), share (4, 3) : of the wheels and back;  push (n, 6) : thrusts for a wrench
    gains : of error, rate and integral, per unit of inertia;  roll_off : coefficient of each low-pass filter
    duration : of the slew;  begin : time of its plan at the start of the run;  handover : when thrusters take over
    """

    inertia: np.ndarray
    axes: np.ndarray
    share: np.ndarray
    spin: float
    viscous: float
    push: np.ndarray
    gains: np.ndarray
    roll_off: float
    duration: float
    begin: float
    handover: float


def tuned(craft: Craft, system: ist.System, begin: float, handover: float) -> Tuning:
    """Return what the software of a telescope knows."""
    fe, w = craft.fe, craft.bandwidth
    axes = fe.WHEEL_AXES.T
    return Tuning(
        inertia=system.mass_properties(system.state()).inertia,
        axes=axes,
        share=np.linalg.pinv(axes),
        spin=fe.SPIN_INERTIA,
        viscous=fe.VISCOUS,
        push=np.linalg.pinv(effect(fe, system)),
        gains=np.array([w * w, 1.6 * w, 0.1 * w**3]),
        roll_off=1.0 - np.exp(-ROLL_OFF * w * PERIOD),
        duration=craft.slew,
        begin=begin,
        handover=handover,
    )


class Pointing:
    """Flight software: attitude and rate are followed by torques on wheels, from `handover` on by thrusters.

    J ω̇ = -A u - ω × (J ω + A h) is solved for the torques u that give the acceleration wanted; friction that is known
    is added. What it remembers is the integral of the error, and two low-pass filters that keep it out of the modes.
    """

    def __init__(self, tuning: Tuning):
        self.tuning = tuning
        self.sum, self.first, self.second = np.zeros(3), np.zeros(3), np.zeros(3)

    def __call__(
        self,
        t: float,
        star: np.ndarray,
        rate: np.ndarray,
        speed: np.ndarray,
        off_star: np.ndarray,
        off_rate: np.ndarray,
    ) -> dict[str, np.ndarray]:
        know, now = self.tuning, t + self.tuning.begin
        _, swing, gain = plan(now, know.duration)
        error = ist.attitude_error(star, target(know.duration, now)) + off_star
        omega = rate + off_rate
        p, d, i = know.gains
        wanted = -p * error - d * (omega - swing * AXIS) - i * self.sum
        self.sum = self.sum + PERIOD * error
        self.first = self.first + know.roll_off * (wanted - self.first)
        self.second = self.second + know.roll_off * (self.first - self.second)
        demand = know.inertia @ (gain * AXIS + self.second)
        if now >= know.handover:
            thrust = know.push @ np.concatenate([np.zeros(3), demand])
            return {"torque": know.viscous * speed, "thrust": thrust}
        momentum = know.inertia @ omega + know.axes @ (know.spin * speed)
        torque = -know.share @ (demand + np.cross(omega, momentum)) + know.viscous * speed
        return {"torque": torque, "thrust": np.zeros(len(know.push))}


class Noise:
    """What chance adds to sensors and thrusters: numbers of a seed, a row for each sample."""

    def __init__(self, seed: int, samples: int, thrusters: int):
        self.rows = noise_rows(seed, samples, thrusters)

    def __call__(self, t: float) -> dict[str, np.ndarray]:
        row = self.rows[round(t / PERIOD)]
        return {"star": row[:3], "rate": row[3:6], "hiss": row[6:]}


def noise_rows(seed: int, samples: int, thrusters: int) -> np.ndarray:
    """Return noise of star tracker, gyros and thrusters (samples, 6 + n), in SI units."""
    scale = np.repeat([STAR_NOISE, GYRO_NOISE, HISS], [3, 3, thrusters])
    return np.random.default_rng(seed).standard_normal((samples, len(scale))) * scale


@kernel
def in_world(q, a, out):
    """Write an axis (3,) turned by a quaternion (4,): a + 2 w v × a + 2 v × (v × a)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        v, u, t = q[1 + i], q[1 + j], q[1 + k]
        dot = v * a[i] + u * a[j] + t * a[k]
        square = v * v + u * u + t * t
        out[i] = a[i] + 2.0 * (q[0] * (u * a[k] - t * a[j]) + v * dot - square * a[i])


class Microthruster(ist.Device):
    """Two opposed nozzles with valves that open by degrees: -most to most, and what they hiss."""

    at = ist.Site()
    axis = ist.Parameter("", [1.0, 0.0, 0.0])
    most = ist.Parameter("N", above=0.0)
    command, hiss = ist.In("N"), ist.In("N", default=0.0)
    q = at.attitude()
    thrust, along = ist.Out("N"), ist.Out("", 3)
    push = at.force("node")

    def outputs(d, t):
        in_world(d.q, d.axis, d.along)
        force = d.command
        if d.ideal == 0 and force.real > d.most.real:  # linear models are those within the limits
            force = d.most + 0.0 * force
        if d.ideal == 0 and force.real < -d.most.real:
            force = 0.0 * force - d.most
        d.thrust = force + d.hiss
        for i in range(3):
            d.push[i] = d.thrust * d.axis[i]


class Shaker(ist.Device):
    """Imbalance of a wheel at constant speed, linear in its two states: ċ = -Ω s, ṡ = Ω c turn with the rotor."""

    at = ist.Site()
    axis, side = ist.Parameter("", [0.0, 0.0, 1.0]), ist.Parameter("", [1.0, 0.0, 0.0])
    speed = ist.Parameter("rad/s", 0.0)
    static, dynamic = ist.Parameter("kg*m", 0.0), ist.Parameter("kg*m^2", 0.0)
    on_force, on_torque = at.force("node"), at.torque("node")
    c, s = ist.ContinuousState(""), ist.ContinuousState("")

    def outputs(d, t):
        a, e, square = d.axis, d.side, d.speed * d.speed
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out = (e[i] * d.c + (a[j] * e[k] - a[k] * e[j]) * d.s) * square
            d.on_force[i] = d.static * out
            d.on_torque[i] = d.dynamic * out

    def rates(d, t):
        d.cdot = -d.speed * d.s
        d.sdot = d.speed * d.c


def effect(fe: ModuleType, system: ist.System) -> np.ndarray:
    """Return force and torque about the centre of mass (6, n) of a newton from each thruster, body axes."""
    x, units = system.state(), thruster_units(fe)
    at = np.array([system.position(x, "bus", thruster_node(fe, k)) for k in range(len(units))])
    return np.vstack([units.T, np.cross(at - system.mass_properties(x).com, units).T])


def thruster_node(fe: ModuleType, k: int) -> int:
    """Return the grid of thruster k; they are shared out evenly."""
    return fe.THRUSTER_NODES[k * len(fe.THRUSTER_NODES) // len(fe.THRUSTERS)]


def thruster_units(fe: ModuleType) -> np.ndarray:
    """Return the directions of the thrusters (n, 3)."""
    return fe.THRUSTERS / np.linalg.norm(fe.THRUSTERS, axis=1)[:, None]


def across(axis: np.ndarray) -> np.ndarray:
    """Return a direction across an axis (3,)."""
    other = np.cross(axis, [0.3, 0.5, -0.8])
    return other / np.linalg.norm(other)


def observatory(
    craft: Craft,
    architecture: str,
    system: ist.System,
    *,
    speeds: np.ndarray,
    begin: float,
    noise: Noise | None,
    handover: float = np.inf,
    shakers: bool = False,
    software: bool = True,
) -> ist.Assembly:
    """Return the telescope with everything around it.

    speeds : of the wheels at the start, rad/s;  begin : time of the slew's plan at the start of the run
    noise : None leaves its inputs open, for linear models;  shakers : imbalance by `Shaker` beside that of the wheels,
        which linear models leave out;  software : False leaves sensors and it out
    """
    fe = craft.fe
    sc = ist.Assembly("observatory", vehicle=system)
    static, dynamic = craft.imbalance
    for k, axis in enumerate(fe.WHEEL_AXES):
        at = craft.place(architecture, k)
        one = {"axis": axis, "side": across(axis)}
        wheel = dev.ReactionWheel(
            at=at,
            inertia=fe.SPIN_INERTIA,
            friction=(0.0, fe.VISCOUS),
            imbalance=(static, dynamic),
            speed=speeds[k],
            **one,
        )
        sc.add(f"rw{k + 1}", wheel)
        if shakers:
            sc.add(f"shaker{k + 1}", Shaker(at=at, speed=speeds[k], static=static, dynamic=dynamic, **one))
        if architecture == ISOLATED:
            sc.add(f"isolator{k + 1}", dev.Bushing(a=("bus", fe.WHEELS[k]), b=at, **craft.bushing(k)))
    tilt, shift = craft.optics
    rotation, translation = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    rotation[1] = tilt * np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    translation[1] = shift * np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    optics = {"rotation": rotation, "translation": translation}
    sc.add("sight", dev.LineOfSight(at=[("bus", fe.BORESIGHT), ("bus", fe.SECONDARY)], **optics))
    if not software:
        return sc
    sc.add("star", dev.StarTracker(at=("bus", fe.IMU), every=PERIOD))
    sc.add("gyro", dev.Gyro(at=("bus", fe.IMU), every=PERIOD))
    law = Pointing(tuned(craft, system, begin, handover))
    sc.add("fsw", law, every=PERIOD, out={"torque": "N*m[4]", "thrust": f"N[{len(fe.THRUSTERS)}]"})
    wires = {
        "star.quaternion": "fsw.star",
        "gyro.rate": "fsw.rate",
        "rw*.speed": "fsw.speed",
        "fsw.torque": "rw*.torque",
    }
    if architecture == THRUSTERS:
        for k, unit in enumerate(thruster_units(fe)):
            sc.add(
                f"mt{k + 1:02d}",
                Microthruster(at=("bus", thruster_node(fe, k)), axis=unit, most=craft.thrust),
            )
        wires["fsw.thrust"] = "mt*.command"
    if noise is not None:
        sc.add(
            "noise",
            noise,
            every=PERIOD,
            out={"star": "rad[3]", "rate": "rad/s[3]", "hiss": f"N[{len(fe.THRUSTERS)}]"},
        )
        wires |= {"noise.star": "fsw.off_star", "noise.rate": "fsw.off_rate"}
        if architecture == THRUSTERS:
            wires["noise.hiss"] = "mt*.hiss"
    return sc.wire(wires)


class Meter(ist.Device):
    """What a wheel exchanges: work of its motor and bearing, and work and impulse of its imbalance, from outside.

    work : ∫(u - drag) Ω dt;  along : the axis of the wheel in the world
    shaken : ∫(F·v + T·ω) dt;  impulse : [∫(r × F + T) dt; ∫F dt] about the origin of the world;  F and T turn with the
        rotor, whose angle is counted here again
    """

    at = ist.Site()
    axis, side = ist.Parameter("", [0.0, 0.0, 1.0]), ist.Parameter("", [1.0, 0.0, 0.0])
    static, dynamic = ist.Parameter("kg*m", 0.0), ist.Parameter("kg*m^2", 0.0)
    torque, drag, speed = ist.In("N*m"), ist.In("N*m"), ist.In("rad/s")
    q, p, v, w = at.attitude(), at.position(), at.velocity("world"), at.rate("world")
    along, force, twist = ist.Out("", 3), ist.Out("N", 3), ist.Out("N*m", 3)
    work, shaken, angle = ist.ContinuousState("J"), ist.ContinuousState("J"), ist.ContinuousState("rad")
    impulse = ist.ContinuousState("", 6)

    def outputs(d, t):
        a, e, cos, sin = d.axis, d.side, np.cos(d.angle), np.sin(d.angle)
        in_world(d.q, a, d.along)
        turning = d.speed + d.along[0] * d.w[0] + d.along[1] * d.w[1] + d.along[2] * d.w[2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            d.twist[i] = e[i] * cos + (a[j] * e[k] - a[k] * e[j]) * sin
        in_world(d.q, d.twist, d.force)
        for i in range(3):
            out = d.force[i] * turning * turning
            d.force[i], d.twist[i] = d.static * out, d.dynamic * out

    def rates(d, t):
        d.workdot = (d.torque - d.drag) * d.speed
        d.angledot = d.speed
        power = 0.0 * d.speed
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            power += d.force[i] * d.v[i] + d.twist[i] * d.w[i]
            d.impulsedot[i] = d.p[j] * d.force[k] - d.p[k] * d.force[j] + d.twist[i]
            d.impulsedot[3 + i] = d.force[i]
        d.shakendot = power


class Heat(ist.Device):
    """What the dampers of an isolator dissipate: ∫ Σ c ẋ² dt of the rates of b beside a, in the axes of a."""

    a, b = ist.Site(), ist.Site()
    damping = ist.Parameter("", [0.0] * 6)
    q, p_a, p_b = a.attitude(), a.position(), b.position()
    v_a, v_b, w_a, w_b = a.velocity("world"), b.velocity("world"), a.rate("world"), b.rate("world")
    away, turning, moving = ist.Out("m", 3), ist.Out("rad/s", 3), ist.Out("m/s", 3)
    lost = ist.ContinuousState("J")

    def outputs(d, t):
        back = (d.q[0], -d.q[1], -d.q[2], -d.q[3])
        for i in range(3):
            d.away[i] = d.w_b[i] - d.w_a[i]
        in_world(back, d.away, d.turning)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            carried = d.w_a[j] * (d.p_b[k] - d.p_a[k]) - d.w_a[k] * (d.p_b[j] - d.p_a[j])
            d.away[i] = d.v_b[i] - d.v_a[i] - carried
        in_world(back, d.away, d.moving)

    def rates(d, t):
        power = 0.0 * d.moving[0]
        for i in range(3):
            power += d.damping[i] * d.turning[i] ** 2 + d.damping[3 + i] * d.moving[i] ** 2
        d.lostdot = power


class Probe(ist.Device):
    """A force and a torque at a place, and its rate, all in its own axes: inputs and outputs of linear models."""

    at = ist.Site()
    force, torque = ist.In("N", 3, default=[0.0] * 3), ist.In("N*m", 3, default=[0.0] * 3)
    rate = at.rate("node")
    turning = ist.Out("rad/s", 3)
    on_force, on_torque = at.force("node"), at.torque("node")

    def outputs(d, t):
        for i in range(3):
            d.turning[i] = d.rate[i]
            d.on_force[i] = d.force[i]
            d.on_torque[i] = d.torque[i]
