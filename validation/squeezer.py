"""Andrews' squeezing mechanism against the published solution of the IVP test set.

Seven plane bodies in three loops: a crank of 7 mm driven by a constant moment, a coupler from its end to a point F,
and three arms that hold F (one carries a spring). Within 0.03 s the crank turns two and a half times and the arms
squeeze. The tree has seven hinges; three revolute closures at F close the loops. In space they make 15 scalar rows,
of which nine only say that the mechanism is plane: they are found, named and left out. Reference at t = 0.03:
angles, rates and accelerations as printed in the Test Set for IVP Solvers (Mazzia and Magherini; computed with
PSIDE at tolerance 1e-14). Data: Schiehlen (1990), Hairer and Wanner II, section VII.7.

    python -m validation squeezer
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from validation.study import Row, Study

END = 0.03  # s
BODIES = ("crank", "coupler", "spring arm", "inner left", "outer left", "inner right", "outer right")
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), np.array([0.014, 0.072, 0.0])  # m
SPRING, FREE_LENGTH, MOMENT = 4530.0, 0.07785, 0.033  # N/m, m, N m
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
START_ACCELERATIONS = (14222.4439199541139, -10666.8329399655854, 0.0, 0.0, 0.0, 0.0, 0.0)
REFERENCE = {
    "angles": (
        15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
        0.5244099658805304, 0.5347301163226948, 1.048080741042263,
    ),
    "rates": (
        1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
        0.5735699284790808, -19.29337464421385, 0.3231791658026955,
    ),
    "accelerations": (
        -24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213,
        16743.62929479361, -566749.3645176222, 9826.520791458422,
    ),
}  # fmt: skip


def mechanism(joint=None):
    """Return the compiled mechanism; point F is the end of the coupler, closed with the three arms."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("squeezer")

    def link(name, mass, com, inertia, parent, at):
        mb.add_body(
            name,
            mass=mass,
            com=[*com, 0.0],
            inertia=np.diag([inertia, inertia, inertia]),
            parent=parent,
            at=at,
            joint=Revolute("z"),
        )

    link("crank", 0.04325, (0.00092, 0.0), 2.194e-6, None, (0.0, 0.0, 0.0))
    link("coupler", 0.00365, (-0.0115, 0.0), 4.410e-7, "crank", (0.007, 0.0, 0.0))
    link("spring arm", 0.02373, (0.01874, 0.01043), 5.255e-6, None, B)
    link("outer left", 0.07050, (0.02308, 0.00916), 1.169e-5, None, A)
    link("inner left", 0.00706, (0.0, -0.00579), 5.667e-7, "outer left", (0.04, 0.0, 0.0))
    link("outer right", 0.05498, (0.01228, 0.00449), 1.912e-5, None, A)
    link("inner right", 0.00706, (0.00579, 0.0), 5.667e-7, "outer right", (0.0, -0.04, 0.0))
    F = ("coupler", [-0.028, 0.0, 0.0])
    joint = joint or Revolute("z")
    mb.close("F, spring arm", F, ("spring arm", [0.0, -0.035, 0.0]), joint=joint)
    mb.close("F, left arm", F, ("inner left", [0.0, -0.02, 0.0]), joint=joint)
    mb.close("F, right arm", F, ("inner right", [0.02, 0.0, 0.0]), joint=joint)
    return mb.compile()


def start(system):
    """Return the published initial state."""
    x = system.state()
    for name, angle in zip(BODIES, START):
        x[name].q[:] = angle
    return x


def slots(system) -> list[int]:
    """Return where the published angles lie in q (and rates in v)."""
    return [int(system.tree.joint_q[system.body(name)]) for name in BODIES]


def loads(system, x) -> tuple[dict, np.ndarray]:
    """Return the force of the spring on its arm (world axes) and the moment on the crank."""
    place = ("spring arm", (0.02, -0.018, 0.0))
    d = system.position(x, *place) - C
    length = np.sqrt(d @ d)
    tau = np.zeros(system.nv)
    tau[slots(system)[0]] = MOMENT
    return {place: np.concatenate([np.zeros(3), -SPRING * (length - FREE_LENGTH) / length * d])}, tau


def accelerations(system, x) -> np.ndarray:
    """Return the accelerations in the order of the published angles."""
    return system.forward_dynamics(x, *loads(system, x))[slots(system)]


def run(system, rtol: float = 1e-12):
    """Integrate to the end; slopes are taken where the closures hold. Return times, states (m, 14), evaluations."""
    n = system.nq

    def slope(_t, y):
        x = system.project(system.state(y[:n], y[n:]))
        return np.concatenate([x.v, system.forward_dynamics(x, *loads(system, x))])

    x = start(system)
    scale = np.concatenate([np.full(n, 1e-2), np.full(n, 10.0)])
    result = solve_ivp(
        slope,
        (0.0, END),
        np.concatenate([x.q, x.v]),
        "DOP853",
        rtol=rtol,
        atol=rtol * scale,
        dense_output=True,
    )
    return result


def study(quick: bool = False) -> Study:
    """Start and end of the published solution (quick: lower accuracy of the integration)."""
    out = Study("squeezer", "Andrews' squeezing mechanism", __doc__.split("\n\n")[1].strip())
    system = mechanism()
    x = start(system)
    rows = len(system.closure_error(x))
    out.rows.append(
        Row(
            "t = 0", "closure error, m", "0", "initial angles as printed", float(abs(system.closure_error(x)).max()),
            1e-15,
        )
    )  # fmt: skip
    dropped = system.drop_redundant(x)
    words = f"{len(dropped)} of {rows}"
    out.rows.append(Row("t = 0", "rows that say the same", "9 of 15", words, abs(len(dropped) - 9), 0.0))
    scale = np.abs(START_ACCELERATIONS).max()
    got = accelerations(system, x)
    out.rows.append(_row("t = 0", "accelerations, 1/s2", START_ACCELERATIONS, got, scale, 1e-12))
    result = run(system, 1e-9 if quick else 1e-12)
    end = system.project(system.state(result.y[: system.nq, -1], result.y[system.nq :, -1]))
    where, steps = slots(system), f"{len(result.t) - 1} steps, {result.nfev} evaluations"
    # accelerations as printed differ by 1e-7 from those that the printed angles and rates have
    limits = (1e-7, 1e-7, 1e-6) if quick else (1e-9, 1e-9, 2e-7)
    notes = {"angles": steps, "accelerations": "printed ones and printed angles differ as much"}
    found = (end.q[where], end.v[where], accelerations(system, end))
    for (name, wanted), values, limit in zip(REFERENCE.items(), found, limits):
        scale = np.abs(wanted).max()
        out.rows.append(_row("t = 0.03 s", name, wanted, values, scale, limit, notes.get(name, "")))
    error = float(np.abs(system.closure_error(end, every=True)).max())
    out.rows.append(Row("t = 0.03 s", "closure error, m", "0", "all 15 rows", error, 1e-14))
    if quick:
        return out
    out.pictures["squeezer.png"] = lambda path: draw(system, result, path)
    return out


def _row(case, name, wanted, got, scale, limit, note="") -> Row:
    error = float(np.abs(np.asarray(got) - wanted).max() / scale)
    shown = []
    for values in (np.asarray(wanted), np.asarray(got)):
        values = np.where(
            np.abs(values) > limit * scale, values, 0.0
        )  # below it is rounding, that of the machine
        shown.append(f"{values[0]:.12g}, {values[2]:.12g} ... {values[6]:.12g}")
    return Row(case, f"{name}, beside the largest", *shown, error, limit, note)


def draw(system, result, path: Path) -> None:
    """Draw the mechanism at three times, and the angles as in the test set (wrapped to one turn)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    shapes = {
        "crank": [(0, 0), (0.007, 0)],
        "coupler": [(0, 0), (-0.028, 0)],
        "spring arm": [(0, 0), (0, -0.035), (0.02, -0.018), (0, 0)],
        "outer left": [(0, 0), (0.04, 0)],
        "inner left": [(0, 0), (0, -0.02)],
        "outer right": [(0, 0), (0, -0.04)],
        "inner right": [(0, 0), (0.02, 0)],
    }
    colors = dict(zip(shapes, ("#c00000", "#c55a11", "#548235", "#1f4e79", "#2e75b6", "#1f4e79", "#2e75b6")))
    for t, alpha in ((0.0, 1.0), (0.01, 0.5), (0.02, 0.25)):
        y = result.sol(t)
        x = system.state(y[: system.nq], y[system.nq :])
        for name, points in shapes.items():
            world = np.array([system.position(x, name, (*point, 0.0)) for point in points])
            label = name if t == 0.0 else None
            left.plot(*world[:, :2].T, "o-", color=colors[name], alpha=alpha, ms=3, lw=2, label=label)
        spring = np.array([system.position(x, "spring arm", (0.02, -0.018, 0.0)), C])
        left.plot(*spring[:, :2].T, ":", color="0.4", alpha=alpha)
    left.set_aspect("equal")
    left.set_xlabel("x, m")
    left.set_ylabel("y, m")
    left.set_title("At 0, 10 and 20 ms (fainter later)")
    left.legend(frameon=False, fontsize=8, loc="upper left")
    times = np.linspace(0.0, END, 1000)
    y = result.sol(times)
    for name, angle in zip(BODIES, ANGLES):
        values = y[int(system.tree.joint_q[system.body(name)])]
        values = np.remainder(values + np.pi, 2.0 * np.pi) - np.pi
        values[1:][np.abs(np.diff(values)) > np.pi] = np.nan
        right.plot(1e3 * times, values, lw=1.2, label=angle)
    for k, value in enumerate(REFERENCE["angles"]):
        wrapped = np.remainder(value + np.pi, 2.0 * np.pi) - np.pi
        right.plot(1e3 * END, wrapped, "k.", ms=7, label="test set, t = 30 ms" if k == 0 else None)
    right.set_xlabel("time, ms")
    right.set_ylabel("angle, rad")
    right.set_title("Angles over 30 ms")
    right.legend(frameon=False, fontsize=8, ncols=2)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=130)
    plt.close(figure)
