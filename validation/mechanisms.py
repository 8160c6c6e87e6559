"""Mechanisms of the IFToMM benchmark library, beside equations of one or three coordinates written down by hand.

Four problems of the Library of Computational Benchmark Problems (www.iftomm-multibody.org/benchmark), with data as
others restate them; the fifth, Andrews' mechanism, has a page of its own (squeezer). Many four-bars pass positions
where every loop could branch, and move as one pendulum. At a distance δ (radians) from such a position an error ε of
the closures is one of ε/δ across the motion and of about v²ε/δ² in accelerations, and how near a step comes is chance:
the error of forty does not fall with the step, and closures are held to the rounding of places, not to that of the
size of the whole. Bricard's linkage of five
rods is over-constrained: one row of the six hinges says what the others say, at every position. A spatial
slider-crank has a spherical and a universal joint. The flyball governor is held by stiff dampers (8e5 N/m, 4e4 N
s/m). References share no code with the engine: a closed form of the linkage gives places and attitudes of all bodies,
complex steps their slopes, and Lagrange's equation of the one coordinate (of the governor: three) is integrated by
scipy to 1e-9. Times are those of the processor for ten seconds of motion (slider-crank: five), compiled. Two times
of other codes were found in the open: OpenSim 3.2 takes 0.455 s for two four-bars and 0.258 s for Bricard's linkage,
ten seconds each, on a Core i5-4570 (github.com/RehabEngGroup/MBSbenchmarksInOpenSim); its errors are shown as pictures.
The limits of error that the library sets were not found there: the tolerances are ours.

    python -m validation mechanisms
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from validation.study import ROUNDS, Row, Study

G = 9.81
PLACES, NEAR = 1e-5, 1e-7  # m, of positions, and of those that no singular position of many loops spoils
DRIFT, LESS = 1e-6, 1e-9  # of the energy that changes form
CHANCE = "forty loops pass a singular position, and how near a step comes to it is chance (see above)"
STEPS = "error of steps, as it was seen with room for other machines"

# mass, centre (3,), axes (3, 3) and inertia about the centre in these axes of each body
Bodies = list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]


def rod(mass: float, length: float, width: float = 0.0) -> dict:
    """Return mass properties of a prism along x from its end."""
    along, across = mass * width**2 / 6.0, mass * (length**2 + width**2) / 12.0
    return {"mass": mass, "com": [length / 2, 0, 0], "inertia": np.diag([along, across, across])}


def turned(axis: str, angle: complex) -> np.ndarray:
    """Return the rotation by an angle, real or complex, about an axis of the frame."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3, dtype=np.result_type(angle, float))
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def inertia_along(bodies: Callable[[np.ndarray], Bodies], y: np.ndarray, t: np.ndarray) -> float:
    """Return Σ m |dc|² + dω·I dω of bodies that move along t, by complex steps."""
    h, total = 1e-30, 0.0
    for mass, centre, axes, inertia in bodies(y + 1j * h * t):
        dc, dR = centre.imag / h, axes.imag / h
        W = axes.real.T @ dR  # of body axes
        w = np.array([W[2, 1], W[0, 2], W[1, 0]])
        total += mass * dc @ dc + w @ inertia @ w
    return total


def height_slope(bodies: Callable[[np.ndarray], Bodies], y: np.ndarray, t: np.ndarray, up: int) -> float:
    """Return the slope of the potential energy of weight along t."""
    return sum(G * mass * centre[up].imag / 1e-30 for mass, centre, _, _ in bodies(y + 1e-30j * t))


def one_freedom(
    bodies: Callable[[np.ndarray], Bodies],
    tangent: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    speed: float,
    times: np.ndarray,
    up: int,
) -> np.ndarray:
    """Return coordinates (k, times) of a linkage of one freedom: m s̈ + ½ m' ṡ² + V' = 0 along its tangent."""

    def slope(_t: float, y: np.ndarray) -> np.ndarray:
        place, rate = y[:-1], y[-1]
        t, h = tangent(place), 1e-4
        # m' by central differences along the curve, to 1e-8
        back, on = (_moved(tangent, place, d) for d in (-h, h))
        grown = inertia_along(bodies, on, tangent(on)) - inertia_along(bodies, back, tangent(back))
        grown /= 2.0 * h
        push = height_slope(bodies, place, t, up) + 0.5 * grown * rate**2
        return np.append(t * rate, -push / inertia_along(bodies, place, t))

    found = solve_ivp(
        slope, (0.0, times[-1]), np.append(start, speed), "DOP853", times, rtol=1e-9, atol=1e-10
    )
    return found.y[:-1]


def _moved(tangent: Callable[[np.ndarray], np.ndarray], y: np.ndarray, d: float) -> np.ndarray:
    """Return the place a small way along a curve, by one step of fourth order."""
    a = tangent(y)
    b = tangent(y + 0.5 * d * a)
    c = tangent(y + 0.5 * d * b)
    return y + d / 6.0 * (a + 2.0 * b + 2.0 * c + tangent(y + d * c))


def timed(run: Callable[[], object]) -> tuple[object, float]:
    """Return what a run returns, once it is compiled, and seconds of the processor."""
    run()
    begin = time.process_time()
    return run(), time.process_time() - begin


def drift(log) -> float:
    """Return the largest change of the energy, beside the largest kinetic energy."""
    moving = max(log.system.energies(log.state(k)).kinetic for k in range(0, len(log), 5))
    return float(np.abs(log.energy - log.energy[0]).max() / moving)


# many four-bars ---------------------------------------------------------------------------------------


def four_bars(loops: int):
    """Return cranks of 1 m on the ground, each with a coupler to the next, upright, their ends moving at 1 m/s."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("four-bars", gravity=[0.0, -G, 0.0])
    for i in range(loops + 1):
        mb.add_body(f"crank {i}", at=[float(i), 0, 0], joint=Revolute("z"), **rod(1.0, 1.0))
    for i in range(loops):
        on = {"parent": f"crank {i}", "at": [1.0, 0, 0]}
        mb.add_body(f"coupler {i}", joint=Revolute("z"), **on, **rod(1.0, 1.0))
        ends = (f"coupler {i}", [1.0, 0, 0]), (f"crank {i + 1}", [1.0, 0, 0])
        mb.close(f"loop {i}", *ends, joint=Revolute("z"))
    system = mb.compile()
    x = system.state()
    for name in system.bodies:
        sign = 1.0 if name.startswith("crank") else -1.0
        x[name].q[:], x[name].v[:] = sign * np.pi / 2, -sign
    system.drop_redundant(x)
    return system, x


def four_bar_rows(loops: int, until: float, step: float) -> list[Row]:
    """Compare the ends of the cranks with those of one pendulum."""
    import interstage as ist

    system, x = four_bars(loops)
    log, spent = timed(lambda: ist.simulate(system, x, until, step, log_step=0.1))
    inertia, weight = (loops + 1) / 3 + loops, G * ((loops + 1) / 2 + loops)
    swing = solve_ivp(
        lambda _t, y: [y[1], -weight * np.cos(y[0]) / inertia],
        (0.0, until), [np.pi / 2, -1.0], "DOP853", log.t, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    ends = [np.exp(1j * log[f"crank {i}"].q[:, 0]) for i in (0, loops // 2, loops)]
    error = float(max(np.abs(e - np.exp(1j * swing.y[0])).max() for e in ends))
    case, note = (
        f"{loops} four-bars, {until:g} s, {1e3 * step:g} ms",
        f"rk4 of {1e3 * step:g} ms; here: {spent:.2f} s",
    )
    few = loops < 6
    why = STEPS if few else CHANCE
    passes = int(np.sum(np.diff(np.sign(np.sin(swing.y[0]))) != 0))
    what = f"ends of cranks, m, {passes} singular positions passed"
    return [
        Row(case, what, "one pendulum", f"{error:.1e} away", error, NEAR if few else PLACES, note, why, True),
        Row(case, "drift of energy", "0", f"{drift(log):.1e}", drift(log), LESS if few else DRIFT, "of the kinetic",
            why, True),
    ]  # fmt: skip


# Bricard's linkage ------------------------------------------------------------------------------------

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
HINGES = "yzxyz"  # axes at the corners as the linkage starts, along edges of a cube; the sixth is x
WIDTH = 0.1


def rods_of_bricard() -> list[np.ndarray]:
    """Return the inertia of each rod about its centre, in the axes of the cube."""
    found = []
    for i in range(5):
        d = np.abs(CORNERS[i + 1] - CORNERS[i])
        size = d + WIDTH * (1.0 - d)
        found.append(np.diag([(size @ size - size[k] ** 2) / 12.0 for k in range(3)]))
    return found


def bricard():
    """Return five rods of 1 kg and 1 m in a loop with the ground, at rest along the edges of a cube."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("bricard", gravity=[0.0, -G, 0.0])
    for i, inertia in enumerate(rods_of_bricard()):
        at = CORNERS[i] - CORNERS[i - 1] if i else CORNERS[0]
        body = {"mass": 1.0, "com": (CORNERS[i + 1] - CORNERS[i]) / 2, "inertia": inertia}
        parent = f"rod {i}" if i else None
        mb.add_body(f"rod {i + 1}", parent=parent, at=at, joint=Revolute(HINGES[i]), **body)
    ends = ("rod 5", CORNERS[5] - CORNERS[4]), ("ground", CORNERS[5])
    mb.close("last hinge", *ends, joint=Revolute("x"))
    system = mb.compile()
    x = system.state()
    system.drop_redundant(x)
    return system, x


def bricard_bodies(y: np.ndarray) -> Bodies:
    """Return the rods for the two angles (a, b) from the cube of hinges in turn: sin a + sin b = sin a sin b."""
    R, p, found = np.eye(3), CORNERS[0], []
    for i, inertia in enumerate(rods_of_bricard()):
        R = R @ turned(HINGES[i], -y[i % 2])
        d = R @ (CORNERS[i + 1] - CORNERS[i])
        found.append((1.0, p + d / 2, R, inertia))
        p = p + d
    return found


def bricard_tangent(y: np.ndarray) -> np.ndarray:
    """Return the direction along sin a + sin b = sin a sin b, of unit length."""
    a, b = y
    t = np.array([np.cos(b) * (1.0 - np.sin(a)), -np.cos(a) * (1.0 - np.sin(b))])
    return t / np.sqrt(t @ t)


def bricard_rows(until: float, step: float) -> list[Row]:
    """Compare the third hinge with the closed form of the linkage, moved by Lagrange's equation."""
    import interstage as ist

    system, x = bricard()
    log, spent = timed(lambda: ist.simulate(system, x, until, step, log_step=0.1))
    angles = one_freedom(bricard_bodies, bricard_tangent, np.zeros(2), 0.0, log.t, up=1)
    want = np.array([_corner(y) for y in angles.T])
    got = np.array([system.position(log.state(k), "rod 4") for k in range(len(log))])
    error = float(np.abs(got - want).max())
    q = log.q
    held = float(np.abs(np.sin(-q[:, 0]) + np.sin(-q[:, 1]) - np.sin(q[:, 0]) * np.sin(q[:, 1])).max())
    case, note = f"Bricard's linkage, {until:g} s", f"rk4 of {1e3 * step:g} ms; here: {spent:.2f} s"
    return [
        Row(case, "third corner, m", "one coordinate", f"{error:.1e} away", error, NEAR, note, STEPS, True),
        Row(
            case,
            "sin a + sin b - sin a sin b",
            "0",
            f"{held:.1e}",
            held,
            1e-12,
            "closures are held",
            ROUNDS,
            True,
        ),
        Row(
            case, "drift of energy", "0", f"{drift(log):.1e}", drift(log), LESS, "of the kinetic", STEPS, True
        ),
    ]


def _corner(y: np.ndarray) -> np.ndarray:
    """Return the place of the third moving corner."""
    _, centre, R, _ = bricard_bodies(y)[2]
    return centre + R @ (CORNERS[3] - CORNERS[2]) / 2


# spatial slider-crank ---------------------------------------------------------------------------------

PIVOT, CRANK, COUPLER = np.array([0.0, 0.1, 0.12]), 0.08, 0.3
COUPLER_INERTIA = np.diag([0.0004, 0.004, 0.004])  # about its centre, x along it
SLIDER = 2.0


def coupler_axes(along: np.ndarray) -> np.ndarray:
    """Return axes of the coupler: along it, and along the second axis of the joint at the slider, at right angles."""
    f = np.cross(along, [1.0, 0.0, 0.0])
    f = f / np.sqrt(f @ f)
    return np.array([along, f, np.cross(along, f)]).T


def slider_crank():
    """Return a crank about x, a coupler with a ball joint on it and a universal joint on a slider along x; 6 rad/s."""
    from interstage.multibody import Ball, Multibody, Prismatic, Revolute, Universal

    (_, tip, _, _), (_, centre, R, _), (_, end, _, _) = slider_crank_bodies(np.zeros(1))
    tip = PIVOT + 2.0 * (tip - PIVOT)
    mb = Multibody("slider-crank", gravity=[0.0, 0.0, -G])
    crank = {"mass": 0.12, "com": [0, 0, CRANK / 2], "inertia": np.diag([1e-4, 1e-4, 1e-5])}
    mb.add_body("crank", at=PIVOT, joint=Revolute("x"), **crank)
    mb.add_body("slider", mass=SLIDER, inertia=[1e-4] * 3, at=end, joint=Prismatic("x"))
    arm = {"mass": 0.5, "com": centre - end, "inertia": R @ COUPLER_INERTIA @ R.T}
    mb.add_body("coupler", parent="slider", at=[0, 0, 0], joint=Universal([[1, 0, 0], R[:, 1]]), **arm)
    mb.close("ball", ("coupler", tip - end), ("crank", [0, 0, CRANK]), joint=Ball())
    system = mb.compile()
    x = system.state()
    x["crank"].v[:] = 6.0
    return system, system.assemble(x, fixed=["crank"])


def slider_crank_bodies(y: np.ndarray) -> Bodies:
    """Return crank, coupler and slider at a crank angle."""
    R = turned("x", y[0])
    tip = PIVOT + R @ [0.0, 0.0, CRANK]
    travel = np.sqrt(COUPLER**2 - tip[1] ** 2 - tip[2] ** 2)
    end = np.array([travel, 0.0 * travel, 0.0 * travel])
    axes = coupler_axes((end - tip) / COUPLER)
    return [
        (0.12, PIVOT + R @ [0.0, 0.0, CRANK / 2], R, np.diag([1e-4, 1e-4, 1e-5])),
        (0.5, (tip + end) / 2, axes, COUPLER_INERTIA),
        (SLIDER, end, np.eye(3) + 0.0 * R, np.diag([1e-4] * 3)),
    ]


def slider_crank_rows(until: float, step: float) -> list[Row]:
    """Compare travel of the slider and crank angle with one coordinate."""
    import interstage as ist

    system, x = slider_crank()
    log, spent = timed(lambda: ist.simulate(system, x, until, step, log_step=0.05))
    angle = one_freedom(slider_crank_bodies, np.ones_like, np.zeros(1), 6.0, log.t, up=2)[0]
    travel = np.array([slider_crank_bodies(np.array([a]))[2][1][0] for a in angle])
    got = np.array([system.position(log.state(k), "slider")[0] for k in range(len(log))])
    error, case = float(np.abs(got - travel).max()), f"spatial slider-crank, {until:g} s"
    turns, note = angle[-1] / (2 * np.pi), f"rk4 of {1e3 * step:g} ms; here: {spent:.2f} s"
    what = f"{travel[-1]:.7f}", f"{got[-1]:.7f}"
    return [
        Row(case, f"travel after {turns:.1f} turns, m", *what, error, PLACES, note, STEPS, True),
        Row(
            case,
            "drift of energy",
            "0",
            f"{drift(log):.1e}",
            drift(log),
            DRIFT,
            "of the kinetic",
            STEPS,
            True,
        ),
    ]


# flyball governor -------------------------------------------------------------------------------------

STIFFNESS, DAMPING, REST = 8e5, 4e4, 0.5
ARM, TOP, BALL, OFFSET = 1.0, 1.0, 5.0, 0.05
SHAFT_MASS, SLIDER_MASS, ROD_MASS = 0.3, 3.0, 0.3


def governor():
    """Return a shaft that turns at 2π rad/s, a slider on it, two rods with balls, and dampers from rods to slider."""
    import interstage as ist
    from interstage import devices

    mb = ist.Multibody("governor", gravity=[0.0, 0.0, -G])
    shaft = rod(SHAFT_MASS, TOP, 0.01)
    upright = np.diag(np.roll(np.diag(shaft["inertia"]), -1))
    mb.add_body("shaft", mass=SHAFT_MASS, com=[0, 0, TOP / 2], inertia=upright, joint=ist.Revolute("z"))
    cube = SLIDER_MASS * 0.1**2 / 6.0
    place = {"parent": "shaft", "at": [0, 0, 0.5], "joint": ist.Prismatic("z")}
    mb.add_body("slider", mass=SLIDER_MASS, inertia=[cube] * 3, **place)
    mass = ROD_MASS + BALL
    com = (ROD_MASS * ARM / 2 + BALL * ARM) / mass
    bare = np.diag(rod(ROD_MASS, ARM, 0.01)["inertia"])
    across = ROD_MASS * (com - ARM / 2) ** 2 + BALL * (ARM - com) ** 2
    for side, sign in (("right", 1.0), ("left", -1.0)):
        joint = {"parent": "shaft", "at": [sign * OFFSET, 0, TOP], "joint": ist.Revolute([0, sign, 0])}
        inertia = np.diag([bare[0], bare[1] + across, bare[2] + across])
        mb.add_body(f"{side} rod", mass=mass, com=[sign * com, 0, 0], inertia=inertia, **joint)
    system = mb.compile()
    x = system.state()
    x["shaft"].v[:] = 2.0 * np.pi
    for side in ("right", "left"):
        x[f"{side} rod"].q[:] = np.pi / 6
    made = ist.Assembly("governor", vehicle=system)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        ends = {"a": (f"{side} rod", [sign * ARM / 2, 0, 0]), "b": ("slider", [sign * OFFSET, 0, 0])}
        made.add(side, devices.Spring(stiffness=STIFFNESS, damping=DAMPING, length=REST, **ends))
    return made, x


def governor_truth(times: np.ndarray) -> np.ndarray:
    """Return heights of the slider: Lagrange's equations in the angle a of both rods below the level and the height s.

    The moment of momentum about the shaft, I(a) Ω, stays.
    """
    along, across = np.diag(rod(ROD_MASS, ARM, 0.01)["inertia"])[:2]
    own = SHAFT_MASS * 0.01**2 / 6.0 + SLIDER_MASS * 0.1**2 / 6.0
    arm = across + ROD_MASS * ARM**2 / 4 + BALL * ARM**2  # of one rod about its hinge

    def spin(a: float) -> tuple[float, float]:
        c, s = np.cos(a), np.sin(a)
        middle, tip = OFFSET + ARM / 2 * c, OFFSET + ARM * c
        one = along * s**2 + across * c**2 + ROD_MASS * middle**2 + BALL * tip**2
        slope = 2.0 * s * ((along - across) * c - ROD_MASS * middle * ARM / 2 - BALL * tip * ARM)
        return own + 2.0 * one, 2.0 * slope

    turning = spin(np.pi / 6)[0] * 2.0 * np.pi

    def slope(_t: float, y: np.ndarray) -> np.ndarray:
        a, s, adot, sdot = y
        inertia, grown = spin(a)
        x, z = ARM / 2 * np.cos(a), TOP - ARM / 2 * np.sin(a) - s
        length = np.hypot(x, z)
        by_a, by_s = (-x * np.sin(a) - z * np.cos(a)) * ARM / 2 / length, -z / length
        pull = STIFFNESS * (length - REST) + DAMPING * (by_a * adot + by_s * sdot)
        down = G * (ROD_MASS * ARM / 2 + BALL * ARM) * np.cos(a)
        faster = (0.25 * grown * (turning / inertia) ** 2 + down - pull * by_a) / arm
        return np.array([adot, sdot, faster, -G - 2.0 * pull * by_s / SLIDER_MASS])

    start = [np.pi / 6, 0.5, 0.0, 0.0]
    found = solve_ivp(slope, (0.0, times[-1]), start, "Radau", times, rtol=1e-10, atol=1e-12)
    return found.y[1]


def governor_rows(until: float) -> list[Row]:
    """Compare the height of the slider."""
    import interstage as ist

    made, x = governor()
    log, spent = timed(
        lambda: ist.simulate(made, x, until, method="radau", log_step=0.05, rtol=1e-8, atol=1e-9)
    )
    want = governor_truth(log.t)
    got = 0.5 + log["slider"].q[:, 0]
    error = float(np.abs(got - want).max())
    note = f"radau to 1e-8; here: {spent:.2f} s"
    numbers = f"{want[-1]:.7f}", f"{got[-1]:.7f}"
    return [
        Row(
            f"flyball governor, {until:g} s",
            "height of the slider, m",
            *numbers,
            error,
            1e-8,
            note,
            STEPS,
            True,
        )
    ]


def study(quick: bool = False) -> Study:
    """All four problems (quick: shorter runs, and six four-bars)."""
    out = Study("mechanisms", "Mechanisms of the IFToMM library", __doc__.split("\n\n")[1].strip())
    until = 1.0 if quick else 10.0
    for loops, step in ((6, 2e-3),) if quick else ((2, 2e-3), (40, 4e-3), (40, 2e-3), (40, 1e-3)):
        out.rows += four_bar_rows(loops, until, step)
    out.rows += bricard_rows(until, 2e-3)
    out.rows += slider_crank_rows(0.5 if quick else 5.0, 1e-3)
    out.rows += governor_rows(0.2 if quick else 10.0)
    return out
