"""Vehicles that come apart and dock: modes against finite-element models, momentum and energy at every event.

*Lumped mass.* A free beam (31 grids on 9 m, coupled mass) carries a lumped mass. The component is made from the deck
with the mass separated; it is put back as a child, detached at run time, and attached to another grid. Elastic
frequencies and mode shapes are compared with three decks solved as one model each: with the mass, without it, with it
elsewhere.
The FModal paper (section 5) prints 5e-6 Hz and 5e-6 (Frobenius) for the first two.

*Docking.* Two flexible beams in motion, bent, are joined node to node. The velocities after the impact are compared
with a dense solution of the impulsive equations in the coordinates of the two free bodies,
v⁺ = v - M⁻¹Cᵀ(C M⁻¹Cᵀ)⁻¹C v, where C v is the relative velocity of the two nodes.

*Mission.* A stack of two stages, a third stage (bending), a lander in two parts and a command ship (bending) with an
escape tower flies an Apollo-like sequence in one simulation: stages leave, the ship turns round and docks with the
lander, which is still on the third stage (the tree is turned round for that), pulls it out, and so on. Across every
event linear momentum and angular momentum about the centre of mass are compared, but for the thrusters' impulses, and
energy must not rise at a docking.

    python -m validation separation
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from validation.beams import long_beam_deck
from validation.study import ROUNDS, Row, Study

GRIDS, MODES, SHAPES = 31, 12, 6
LUMP = {"mass": 300.0, "com": (0.1, 0.2, -0.15), "inertia": (20.0, 30.0, 40.0)}
FIRST_GRID, SECOND_GRID = 22, 11
PAPER = 5e-6  # Hz and Frobenius, of bases that are cut off
WHOLE = 1e-9  # of complete ones
MOMENTUM = 1e-12
TIP = 11  # last grid of the mission's beams


# lumped mass ----------------------------------------------------------------------------------------


def lump_deck(grid: int | None) -> str:
    """Return the beam's deck with the lumped mass on a grid, or without it."""
    x, y, z = LUMP["com"]
    a, b, c = LUMP["inertia"]
    cards = (
        [] if grid is None else [f"CONM2,9000,{grid},0,{LUMP['mass']},{x},{y},{z}", f",{a},0.,{b},0.,0.,{c}"]
    )
    return long_beam_deck(GRIDS, coupled=True).replace("ENDDATA", "\n".join([*cards, "ENDDATA"]))


def fe_modes(deck: str) -> tuple[np.ndarray, np.ndarray]:
    """Return elastic frequencies and shapes (grids, 6, modes) of one deck."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(deck))
    modes = normal_modes(fe, n_modes=6 + MODES)
    return modes.frequencies_hz[6:], modes.shapes[:, 6:].reshape(len(fe.grids.id), 6, -1)


def compare_modes(system, x, deck: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Return frequencies of the model and of the system, and the difference of the first shapes.

    Rigid modes of the vehicle, six for each free tree, are left out.
    """
    wanted, shapes = fe_modes(deck)
    x = system.state(x.q)
    modes = system.modes(x)
    trees = sum(spec.parent is None for spec in system.model.specs)
    hz = modes.frequencies_hz[6 * trees : 6 * trees + MODES]
    ours = np.array([modes.at("beam", k + 1)[:, 6 * trees : 6 * trees + SHAPES] for k in range(GRIDS)])
    ours = np.concatenate([ours[:, 3:], ours[:, :3]], axis=1)
    total = 0.0
    for r in range(SHAPES):
        a, b = ours[:, :, r], shapes[:, :, r]
        top = np.unravel_index(np.argmax(np.abs(b[:, :3])), b[:, :3].shape)
        total += float(np.sum((a / a[top] - b / b[top]) ** 2))
    return wanted, hz, float(np.sqrt(total))


def lumped_rows() -> list[Row]:
    """Compare modes with the mass, without it, and with it elsewhere, in one life of a vehicle."""
    from interstage import Component, Free, Multibody
    from interstage.nastran import deck_from_text

    held = {1: 123456, SECOND_GRID: 123456}
    component = Component.from_deck(
        deck_from_text(lump_deck(FIRST_GRID)),
        n_modes=6 * (GRIDS - 3),
        aset=held,
        separate_lumped=True,
        add_lumped_to_aset=True,
    )
    mb = Multibody("separation")
    mb.add_body("beam", component=component, node=1, joint=Free())
    (lump,) = mb.add_lumped("beam")
    system = mb.compile()
    x = system.state()
    rows = []
    apart, y = system.detach(lump.name, x)
    moved = y.copy()
    moved[lump.name].position[:] = apart.position(y, "beam", SECOND_GRID)
    again, z = apart.attach(lump.name, ("beam", SECOND_GRID), moved)
    for case, (s, w), grid in (
        ("lumped mass as a child", (system, x), FIRST_GRID),
        ("detached", (apart, y), None),
        ("attached elsewhere", (again, z), SECOND_GRID),
    ):
        wanted, hz, shapes = compare_modes(s, w, lump_deck(grid))
        error = float(np.abs(hz - wanted).max())
        rows.append(
            Row(
                case,
                f"{MODES} elastic modes, Hz",
                f"{wanted[0]:.6f} ...",
                f"{hz[0]:.6f} ...",
                error,
                WHOLE,
                f"paper: {PAPER:g}",
                ROUNDS,
                True,
            )
        )
        rows.append(
            Row(
                case,
                f"{SHAPES} shapes, Frobenius",
                "0",
                f"{shapes:.1e}",
                shapes,
                WHOLE,
                f"paper: {PAPER:g}",
                ROUNDS,
                True,
            )
        )
    return rows


# docking --------------------------------------------------------------------------------------------


def beam_component(length: float, mass: float, stiffness: float, name: str, n_modes: int = 8):
    """Return a beam of 11 grids along x, held at its first, from cards: mass (kg) and EI (N m2)."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    rho, area, I = mass / length, 1.0, stiffness / 1e9
    # two planes of bending, so that each mode is one that any solver finds
    lines = ["SOL 103", "CEND", "BEGIN BULK", "PARAM,COUPMASS,1", f"MAT1,1,1.0+9,,0.3,{rho:.6f}"]
    lines += [f"PBAR*,1,1,{area:.6e},{I:.9e}", f"*,{0.95 * I:.9e},{I:.9e}"]
    lines += [f"GRID,{k + 1},0,{length * k / (TIP - 1):.8f},0.,0." for k in range(TIP)]
    lines += [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, TIP)]
    roll = mass / TIP * (0.15 * length) ** 2  # rotary inertia of a hull, kg m2 a grid
    for k in range(TIP):
        lines += [f"CONM2,{101 + k},{k + 1},0,0.", f",{roll:.4f},0.,{0.5 * roll:.4f},0.,0.,{0.5 * roll:.4f}"]
    text = "\n".join([*lines, "ENDDATA"])
    return Component.from_deck(deck_from_text(text), n_modes=n_modes, aset={1: 123456}, name=name)


def bending(system, name: str, coefficients: np.ndarray) -> np.ndarray:
    """Return modal coordinates of a beam that is bent by given polynomials of x/L, least squares over its grids.

    A state in meters at grids is the same for any basis of the same shapes; one drawn in modal coordinates changes with
    the signs of modes, which are those of the machine's eigensolver.

    coefficients : of (x/L)², (x/L)³ ... along y and z, (2, n), m (or m/s for rates)
    """
    gamma = system.flexible(name).gamma  # displacements of grids, (grids, 3, modes)
    s = np.linspace(0.0, 1.0, TIP)
    field = np.zeros((TIP, 3))
    field[:, 1:] = sum(np.outer(s ** (k + 2), c) for k, c in enumerate(np.transpose(coefficients)))
    return np.linalg.lstsq(gamma.reshape(3 * TIP, -1), field.ravel(), rcond=1e-9)[0]


def docking_rows() -> list[Row]:
    """Join two flexible beams and compare with the dense impulsive equations."""
    from interstage import Free, Multibody

    rng = np.random.default_rng(1)
    mb = Multibody("docking")
    mb.add_body("one", component=beam_component(6.0, 300.0, 4e5, "one"), joint=Free())
    mb.add_body("two", component=beam_component(4.0, 150.0, 1e5, "two"), joint=Free())
    system = mb.compile()
    x = system.state()
    for name in ("one", "two"):
        x[name].quaternion[:] = rng.normal(size=4)
        x[name].quaternion[:] /= np.linalg.norm(x[name].quaternion)
        x[name].velocity[:] = 0.3 * rng.normal(size=6)
        x[name].eta[:] = bending(system, name, 0.02 * rng.normal(size=(2, 3)))
        x[name].etadot[:] = bending(system, name, 0.3 * rng.normal(size=(2, 3)))
    x["two"].position[:] = system.position(x, "one", TIP)
    C = system.jacobian(x, "two") - system.jacobian(x, "one", TIP)
    W = np.linalg.solve(system.mass_matrix(x), C.T)
    dense = system.state(x.q, x.v - W @ np.linalg.solve(C @ W, C @ x.v))
    docked, y = system.attach("two", ("one", TIP), x)
    change = docked.change
    places = [("one", None), ("one", 6), ("two", None), ("two", TIP)]
    error = max(np.abs(docked.velocity(y, *p) - system.velocity(dense, *p)).max() for p in places)
    modal = max(np.abs(y[n].etadot - dense[n].etadot).max() for n in ("one", "two"))
    loss = change.energy_loss
    wanted = sum(system.energies(x)) - sum(system.energies(dense))
    rows = [
        Row("docking of two beams", "velocities of four nodes", "dense", "recursion", float(error), 1e-11),
        Row("docking of two beams", "modal rates", "dense", "recursion", float(modal), 1e-9),
        Row(
            "docking of two beams",
            "energy lost, J",
            f"{wanted:.6f}",
            f"{loss:.6f}",
            abs(loss / wanted - 1),
            1e-12,
            why=ROUNDS,
            after=True,
        ),
    ]
    return rows + momentum_rows("docking of two beams", change.momentum_before, change.momentum_after)


def momentum_rows(case: str, before: np.ndarray, after: np.ndarray) -> list[Row]:
    """Return the change of angular and linear momentum relative to their size."""
    rows = []
    for name, part in (("angular", slice(0, 3)), ("linear", slice(3, 6))):
        error = float(np.linalg.norm(after[part] - before[part]) / np.linalg.norm(before[part]))
        rows.append(Row(case, f"{name} momentum", "before", "after", error, MOMENTUM))
    return rows


# mission --------------------------------------------------------------------------------------------


def stack():
    """Return the stack at launch and its state: it moves and turns slowly, and is bent."""
    from interstage import Free, Multibody

    mb = Multibody("stack")
    ship = beam_component(10.0, 28000.0, 4e9, "ship")
    stage = beam_component(18.0, 15000.0, 2e9, "third stage")
    mb.add_body("first", mass=130e3, com=[20.0, 0, 0], inertia=[2e6, 2e7, 2e7], joint=Free())
    mb.add_body(
        "second", mass=40e3, com=[12.0, 0, 0], inertia=[5e5, 3e6, 3e6], parent="first", at=[42.0, 0, 0]
    )
    mb.add_body("third", component=stage, parent="second", at=[25.0, 0, 0], damping=0.001)
    mb.add_body("descent", mass=10e3, com=[0.5, 0, 0], inertia=[2e4, 1.5e4, 1.5e4], parent="third", at=TIP)
    mb.add_body(
        "ascent", mass=4.7e3, com=[1.5, 0, 0], inertia=[6e3, 5e3, 5e3], parent="descent", at=[2.0, 0, 0]
    )
    mb.add_body("ship", component=ship, parent="ascent", at=[3.5, 0, 0], damping=0.001)
    mb.add_body("tower", mass=4e3, com=[4.0, 0, 0], inertia=[500.0, 2e4, 2e4], parent="ship", at=TIP)
    system = mb.compile()
    x = system.state()
    # slow: round-off of world positions times linear momentum is the floor of angular momentum about the centre
    x["first"].velocity[:] = [0.004, 0.006, -0.005, 3.0, -1.0, 2.0]
    x["third"].eta[:] = bending(system, "third", np.array([[0.03], [0.0]]))  # tips bent aside, m
    x["ship"].eta[:] = bending(system, "ship", np.array([[0.0], [0.01]]))
    return system, x


def mission():
    """Fly the sequence in one simulation and return its log.

    The lander's port is the point (3.5, 0, 0) of the ascent stage, the ship's its nose. Thrusters act at three events:
    they turn the ship round, and give it the speeds that bring it before the port and to it, impulses from outside.
    """
    import interstage as ist
    from interstage.spatial import functions as spatial

    system, x = stack()

    def push(t, system, x):
        # springs between ship and lander: equal and opposite impulses along the stack
        return _impulse_between(system, x, "ship", "ascent", 4000.0)

    def turn(t, system, x):
        rate = system.velocity(x, "third")[:3]
        R = system.rotation(x, "ship")
        x["ship"].velocity[:3] = R.T @ (rate + R @ [0.0, np.pi / 20.0, 0.0])
        return x

    def approach(T, standoff):
        def action(t, system, x):
            """Bring the nose before the lander's port and the axes in line in a time T, if nothing disturbs."""
            R, V = system.rotation(x, "ascent"), system.velocity(x, "ascent", [3.5, 0, 0])
            turned = spatial.matrix_from_rotvec(V[:3] * T) @ R
            port = system.position(x, "ascent", [3.5, 0, 0]) + V[3:] * T
            R_ship, place = system.rotation(x, "ship"), x["ship"].position
            w = spatial.rotvec_from_matrix(turned @ np.diag([-1.0, 1.0, -1.0]) @ R_ship.T) / T
            arm = spatial.matrix_from_rotvec(w * T) @ (system.position(x, "ship", TIP) - place)
            v = (port + standoff * turned[:, 0] - arm - place) / T
            x["ship"].velocity[:] = np.concatenate([R_ship.T @ w, R_ship.T @ v])
            return x

        return action

    def contact(t, x, system):
        # the ship's nose reaches the lander's port along the lander's axis, once it approaches
        if t < 40.0:
            return 1.0
        gap = system.position(x, "ship", TIP) - system.position(x, "ascent", [3.5, 0, 0])
        return system.rotation(x, "ascent")[:, 0] @ gap

    events = [
        ist.Event(at=1.0, action=ist.Detach("second"), name="first stage off"),
        ist.Event(at=2.0, action=ist.Detach("third"), name="second stage off"),
        ist.Event(at=3.0, action=ist.Detach("tower"), name="tower off"),
        ist.Event(at=4.0, action=[ist.Detach("ship"), push], name="ship off, springs"),
        ist.Event(at=10.0, action=turn, name="thrusters: turn"),
        ist.Event(at=25.0, action=approach(15.0, 4.0), name="thrusters: to the standoff point"),
        ist.Event(at=40.0, action=approach(20.0, 0.0), name="thrusters: approach"),
        ist.Event(contact, ist.Attach("ascent", ("ship", TIP)), direction=-1, name="docking"),
        ist.Event(at=65.0, action=ist.Detach("third"), name="lander pulled out"),
        ist.Event(at=69.0, action=[ist.Detach("ascent"), _apart], name="lander leaves, springs"),
        ist.Event(at=71.0, action=ist.Detach("descent"), name="descent stage off"),
        ist.Event(at=75.0, action=ist.Attach("ascent", ("ship", TIP)), name="second docking"),
        ist.Event(at=78.0, action=ist.Detach("ascent"), name="ascent stage off"),
    ]
    return ist.simulate(system, x, 81.0, 4e-3, method="ros2", events=events, log_step=0.04)


def _apart(t, system, x):
    return _impulse_between(system, x, "ascent", "ship", 800.0)


def _impulse_between(system, x, one: str, two: str, size: float):
    """Give two bodies equal and opposite impulses (N s) along the first one's axis, at its frame."""
    place = system.position(x, one)
    J = system.jacobian(x, one)
    other = system.jacobian(x, two)
    arm = place - system.position(x, two)
    at_same = other[3:] + np.cross(other[:3].T, arm).T
    impulse = size * system.rotation(x, one)[:, 0]
    x.v += np.linalg.solve(system.mass_matrix(x), (J[3:] - at_same).T @ impulse)
    return x


def mission_rows(log) -> list[Row]:
    """Momentum about the common centre of mass at each event (not the thrusters'), energy at dockings."""
    rows = []
    for event, before, after in zip(log.events, log.phases[:-1], log.phases[1:]):
        if "thrusters" in event.name:
            continue
        x, y = before.state(-1), after.state(0)
        center = before.system.center_of_mass(x)
        momenta = before.system.momentum(x, about=center), after.system.momentum(y, about=center)
        case = f"mission, {event.name}"
        rows += momentum_rows(case, *momenta)
        if "docking" in event.name:
            rise = max(0.0, -event.energy_loss / event.energy_before)
            rows.append(Row(case, "energy lost, J", "> 0", f"{event.energy_loss:.3f}", rise, 0.0))
    return rows


def study() -> Study:
    """All three parts."""
    about = "\n\n".join(__doc__.split("\n\n")[1:-1]).strip()
    out = Study("separation", "Separation and docking", about)
    out.rows += lumped_rows() + docking_rows()
    log = mission()
    out.rows += mission_rows(log)
    out.pictures["separation.png"] = lambda path: draw(log, path)
    return out


def draw(log, path: Path) -> None:
    """Draw rates and modal motion through the mission, and energy lost at events."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (top, middle, low) = plt.subplots(3, 1, figsize=(9, 8), sharex=True, constrained_layout=True)
    t = log.t
    names = ("third", "ascent", "ship")
    for name in names:
        rate = [
            np.linalg.norm(p.system.velocity(p.state(k), name)[:3]) for p in log.phases for k in range(len(p))
        ]
        top.plot(t, np.rad2deg(rate), label=name)
    top.set_ylabel("spin, deg/s")
    top.set_yscale("log")
    top.legend(loc="upper right")
    middle.plot(t, log["ship"].eta[:, 0], label="ship, first mode", lw=0.8)
    middle.plot(t, log["third"].eta[:, 0], label="third stage, first mode", lw=0.8)
    middle.set_ylabel("modal coordinate, kg$^{1/2}$ m")
    middle.legend(loc="upper right")
    apart = log.position("ship", TIP) - log.position("ascent", [3.5, 0, 0])
    low.plot(t, np.linalg.norm(apart, axis=1), color="k")
    low.set_ylabel("ship's nose to lander's port, m")
    low.set_xlabel("time, s")
    for axis in (top, middle, low):
        for event in log.events:
            color = "tab:red" if "docking" in event.name else "0.7"
            axis.axvline(event.t, color=color, lw=0.8, zorder=0)
    top.set_title("Mission: events (grey), dockings (red)")
    figure.savefig(path, dpi=110)
    plt.close(figure)
