"""Prescribed joints in time: the torque they need, a beam on a driven pin, a gimbal with load torque open and closed.

*Round trip.* An arm with a flexible beam on a hinge falls under gravity and two torques. The angle history of that free
run becomes the input of a second one, whose hinge must need the torque of the first.

*Pin.* The beam of the FModal paper on a hub that turns with a prescribed acceleration for 20 s (Figure 6 of the paper,
differences of 1e-10 m), here as a prescribed joint of a simulation, against the model by hand of the study of spinning
beams.

*Gimbal* (NESC report, F.4). With the load torque open an engine follows its command and the gimbal is rigid for the
airframe; with the load torque closed it hangs on a frictionless gimbal. One component of the bare airframe makes both,
by a switch; the references are two decks of the whole vehicle, the engine fastened and the engine pinned. Stopping an
engine that turns must conserve momentum.

    python -m validation prescribed_motion
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from validation.beams import long_beam_deck
from validation.separation import beam_component
from validation.spinning_beams import ACCELERATION, BEAM_GRIDS, HUB, clamped_component, hub_reference
from validation.study import Row, Study

GRIDS, MODES = 31, 12
ENGINE = {"mass": 60.0, "com": (-0.9, 0.0, 0.0), "inertia": (3.0, 20.0, 20.0)}
TORQUES = 40.0, 90.0
TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def pendulum():
    """Return an arm and a flexible beam hinged to it, in gravity."""
    from interstage import Multibody, Revolute

    beam = beam_component(3.0, 120.0, 4e5, "beam", n_modes=4)
    mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=400.0, com=[1.0, 0, 0], inertia=[20.0, 200.0, 200.0], joint=Revolute("y"))
    mb.add_body("beam", component=beam, parent="arm", at=[2.0, 0, 0], joint=Revolute("y"))
    return mb.compile()


def round_trip():
    """Return the log of the free run and the log of the prescribed one."""
    import interstage as ist

    system = pendulum()
    tau = np.zeros(system.nv)
    tau[:2] = TORQUES
    free = ist.simulate(system, system.state(), 1.0, tau=tau, **TIGHT)
    motion = ist.PrescribedMotion(
        angle=lambda t: free.at(t)["beam"].q,
        rate=lambda t: free.at(t)["beam"].v,
        acceleration=lambda t: system.forward_dynamics(free.at(t), tau=tau)[1:2],
    )
    rest = np.where(np.arange(system.nv) == 1, 0.0, tau)
    given = ist.simulate(
        system, system.state(), 1.0, tau=rest, motions={"beam": motion}, log_step=0.02, **TIGHT
    )
    return free, given


def round_trip_rows(free, given) -> list[Row]:
    """Torque relative to what was applied; the arm's angle at the end; work of the drive against energy."""
    torque = given.torque("beam")[:, 0]
    error = float(np.abs(torque / TORQUES[1] - 1.0).max())
    worst = torque[np.argmax(np.abs(torque - TORQUES[1]))]
    arm = float(np.abs(given["arm"].q[-1] - free["arm"].q[-1]).max())
    return [
        Row("round trip", "torque of the hinge, N m", f"{TORQUES[1]:.6f}", f"{worst:.10f}", error, 1e-8),
        Row(
            "round trip",
            "angle of the arm, rad",
            f"{free['arm'].q[-1, 0]:.9f}",
            f"{given['arm'].q[-1, 0]:.9f}",
            arm,
            1e-11,
            why="relative tolerance of the steps, 1e-12, over the run",
            after=True,
        ),
    ]


def pin_rows(times: np.ndarray) -> list[Row]:
    """Compare the tip's deflection on the driven hub with the model by hand."""
    import interstage as ist

    rows = []
    for order in (0, 2):
        mb = ist.Multibody("beam on a hub")
        mb.add_body(
            "hub", mass=HUB["mass"], inertia=np.diag(HUB["inertia"]), joint=ist.Revolute("z", prescribed=True)
        )
        at = {"parent": "hub", "at": [HUB["radius"], 0, 0], "order": order, "damping": 0.0}
        mb.add_body("beam", component=clamped_component(), **at)
        system = mb.compile()
        motion = ist.PrescribedMotion(
            angle=lambda t: 0.5 * ACCELERATION * t * t,
            rate=lambda t: ACCELERATION * t,
            acceleration=lambda t: ACCELERATION,
        )
        step = float(times[1] - times[0])
        log = ist.simulate(
            system, system.state(), times[-1], motions={"hub": motion}, log_step=step, rtol=1e-12, atol=1e-13
        )
        tip = system.jacobian(system.state(), "beam", BEAM_GRIDS)[4, 1:]
        ours, reference = log["beam"].eta @ tip, hub_reference(times, order)
        error = float(np.abs(ours - reference).max())
        what = f"tip deflection, m, order {order}"
        rows.append(
            Row(
                "beam on a driven pin",
                what,
                f"{np.abs(reference).max():.9f}",
                f"{np.abs(ours).max():.9f}",
                error,
                1e-10,
            )
        )
    return rows


# gimbal ---------------------------------------------------------------------------------------------


def vehicle_deck(pinned: bool) -> str:
    """Return airframe and engine as one model: the engine's grid on the airframe's first, fastened or free about z."""
    x, y, z = ENGINE["com"]
    a, b, c = ENGINE["inertia"]
    # nothing holds a pinned engine in rotation: that is meant
    cards = ["PARAM,AUTOSPC,NO", "GRID,900,0,0.,0.,0.,0", f"RBE2,901,1,{'12345' if pinned else '123456'},900"]
    cards += [f"CONM2,902,900,0,{ENGINE['mass']},{x},{y},{z}", f",{a},0.,{b},0.,0.,{c}"]
    return long_beam_deck(GRIDS, coupled=True).replace("ENDDATA", "\n".join([*cards, "ENDDATA"]))


def gimballed():
    """Return the bare airframe as a component with the engine on a gimbal, free in space."""
    from interstage import Component, Free, Multibody, Revolute
    from interstage.nastran import deck_from_text

    deck = deck_from_text(long_beam_deck(GRIDS, coupled=True))
    bare = Component.from_deck(deck, n_modes=6 * (GRIDS - 1), aset={1: 123456})
    mb = Multibody("vehicle")
    mb.add_body("airframe", component=bare, node=1, joint=Free())
    inertia = np.diag(ENGINE["inertia"])
    mb.add_body(
        "engine",
        mass=ENGINE["mass"],
        com=ENGINE["com"],
        inertia=inertia,
        parent="airframe",
        at=1,
        joint=Revolute("z"),
    )
    return mb.compile()


def fe_hz(pinned: bool) -> np.ndarray:
    """Return elastic frequencies of the whole vehicle as one model; a pinned engine adds a seventh zero."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    rigid = 7 if pinned else 6
    fe = FEModel.from_deck(deck_from_text(vehicle_deck(pinned)))
    return normal_modes(fe, n_modes=rigid + MODES).frequencies_hz[rigid:]


def gimbal_rows() -> list[Row]:
    """Switch the gimbal and compare with both models; stop a turning engine."""
    from interstage.multibody.impulse import set_rates

    system = gimballed()
    rows = []
    for case, mode, pinned in (
        ("load torque open: gimbal held", "locked", False),
        ("load torque closed: gimbal free", "free", True),
    ):
        system.set_joint_mode("engine", mode)
        wanted = fe_hz(pinned)
        hz = system.modes().frequencies_hz[7 if pinned else 6 :][:MODES]
        error = float(np.abs(hz - wanted).max())
        rows.append(
            Row(
                case,
                f"{MODES} elastic modes, Hz",
                f"{wanted[0]:.6f}, {wanted[1]:.6f} ...",
                f"{hz[0]:.6f}, {hz[1]:.6f} ...",
                error,
                1e-7,
            )
        )
    x = system.state()
    x["airframe"].velocity[:] = [0.02, 0.01, -0.03, 5.0, 1.0, -2.0]
    x["engine"].v[:] = 0.4
    before, energy = system.momentum(x), system.energy(x)
    set_rates(system, x, "engine", np.zeros(1))
    change = float(np.abs(system.momentum(x) - before).max() / np.abs(before).max())
    loss = energy - system.energy(x)
    rows.append(Row("engine stopped", "momentum", "before", "after", change, 1e-12))
    rows.append(Row("engine stopped", "energy lost, J", "> 0", f"{loss:.6f}", max(0.0, -loss), 0.0))
    return rows


def study() -> Study:
    """All three parts."""
    about = "\n\n".join(__doc__.split("\n\n")[1:-1]).strip()
    out = Study("prescribed_motion", "Prescribed motion", about)
    free, given = round_trip()
    out.rows += round_trip_rows(free, given)
    out.rows += pin_rows(np.linspace(0.0, 20.0, 401)) + gimbal_rows()
    out.pictures["prescribed_motion.png"] = lambda path: draw(given, path)
    return out


def draw(given, path: Path) -> None:
    """Draw the prescribed hinge and the torque that it needed, and airframe responses with the gimbal held and free."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), constrained_layout=True)
    left.plot(given.t, np.rad2deg(given["beam"].q[:, 0]), label="prescribed angle, deg")
    left.plot(given.t, np.rad2deg(given["arm"].q[:, 0]), label="arm, free, deg")
    left.plot(given.t, given.torque("beam")[:, 0], label="torque needed, N m", color="k", ls="--")
    left.set_xlabel("time, s")
    left.legend()
    left.set_title("Round trip: the torque of the free run, 90 N m")
    system = gimballed()
    hz = np.linspace(0.2, 12.0, 1500)
    for mode, label in (("locked", "load torque open"), ("free", "load torque closed")):
        system.set_joint_mode("engine", mode)
        right.semilogy(hz, response(system, hz), label=label)
    right.set_xlabel("frequency, Hz")
    right.set_ylabel("middle grid, lateral acceleration per force, 1/kg")
    right.legend()
    right.set_title("Airframe response, gimbal held and free")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def response(system, hz: np.ndarray, damping: float = 0.002) -> np.ndarray:
    """Return |acceleration| of the middle grid along y for a force there, by modes with a damping ratio."""
    modes = system.modes()
    shape = modes.at("airframe", GRIDS // 2 + 1)[4]
    square = (2 * np.pi * modes.frequencies_hz) ** 2
    s = 2j * np.pi * hz[:, None]
    return np.abs((s**2 * shape**2 / (s**2 + 2 * damping * np.sqrt(np.abs(square)) * s + square)).sum(axis=1))
