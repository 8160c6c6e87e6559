"""Loop closures of flexible bodies: against finite-element models, and against the same vehicles without loops.

Beams are those of the FModal paper (App. C, 9 m, coupled mass). A fixed-fixed beam is a cantilever with a locked
closure at its far end (the paper prints 1e-8 Hz and 2e-6 in the shape matrix); a double-length cantilever is two
free beams with locked closures; a rigid plate on two grids of a free beam is a double-node closure, which the paper
leaves to the future. Accelerations at random states compare closures with the hinges they replace. Then a four-bar
with a flexible coupler runs for 1000 s in fixed steps. References are our finite-element solver on one deck, with
complete bases where frequencies are to agree to rounding.

    python -m validation closures
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from validation.beams import Comparison, long_beam_cards, long_beam_deck
from validation.study import ROUNDS, Row, Study

LENGTH = 9.0
HZ, SHAPES = 1e-8, 2e-6  # the paper's figures for the fixed-fixed beam
ACCELERATIONS = 1e-10  # of the largest
MODES, DRAWN = 20, 6
PLATE = {"mass": 400.0, "inertia": (60.0, 90.0, 120.0), "offset": (0.0, 0.3, 0.2)}
GRIDS = 37  # of the models with complete bases
BOLTS = (15, 23)
RUN, STEP, OPEN = 1000.0, 4e-3, 1e-9  # s, s, m


def deck(grids: int, *extra: str, hold: str = "") -> str:
    """Return a deck of one beam, more cards, and grids `hold` held."""
    lines = long_beam_cards(grids)
    if hold:
        lines.insert(2, "SPC = 1")
        lines.append(f"SPC1,1,123456,{hold}")
    return "\n".join([*lines, *extra, "ENDDATA"])


def component(grids: int, n_modes: int, ends: tuple[int, ...], integrals: bool = False):
    """Return the beam as a component with interface grids `ends`."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    aset = dict.fromkeys(ends, 123456)
    return Component.from_deck(
        deck_from_text(deck(grids)), n_modes=n_modes, aset=aset, modal_integrals=integrals, name="beam"
    )


def fe_modes(text: str, skip: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grid ids, frequencies and shapes (grids, 6, modes) of one deck, `skip` rigid modes left out."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    fe = FEModel.from_deck(deck_from_text(text))
    modes = normal_modes(fe, n_modes=skip + MODES)
    shapes = modes.shapes[:, skip : skip + MODES].reshape(len(fe.grids.id), 6, -1)
    return fe.grids.id, modes.frequencies_hz[skip : skip + MODES], shapes


def scaled_shapes(modes, body: str, ids: np.ndarray, like: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shapes (grids, 6, DRAWN) of engine and reference, each scaled to a largest translation of one."""
    ours = np.stack([np.roll(modes.at(body, int(grid))[:, :DRAWN], 3, axis=0) for grid in ids])
    like = like[:, :, :DRAWN].copy()
    for r in range(DRAWN):
        top = np.unravel_index(np.argmax(np.abs(like[:, :3, r])), like[:, :3, r].shape)
        ours[:, :, r] /= ours[(*top, r)]
        like[:, :, r] /= like[(*top, r)]
    return ours, like


def fixed_fixed(n_modes: int = 60, ends: tuple[int, ...] = (1, 101)):
    """Return frequencies of the fixed-fixed beam of 101 grids, and shapes of engine and finite elements."""
    from interstage.multibody import Locked, Multibody

    mb = Multibody("fixed-fixed")
    mb.add_body("beam", component=component(101, n_modes, ends), node=1, joint=Locked())
    mb.close("far end", ("beam", 101), ("ground", [LENGTH, 0, 0]), joint=Locked())
    modes = mb.compile().modes()
    ids, hz, phi = fe_modes(deck(101, hold="1,101"), 0)
    ours, like = scaled_shapes(modes, "beam", ids, phi)
    return Comparison(hz, modes.frequencies_hz[:MODES], float(np.linalg.norm(ours - like))), ours, like


def double_length() -> Comparison:
    """Return frequencies of a cantilever of two free beams with locked closures, complete bases."""
    from interstage.multibody import Free, Locked, Multibody

    beam = component(GRIDS, 6 * (GRIDS - 2), (1, GRIDS))
    mb = Multibody("double length")
    for name in ("first", "second"):
        mb.add_body(name, component=beam, node=1, joint=Free())
    mb.close("wall", ("ground", [0, 0, 0]), ("first", 1), joint=Locked())
    mb.close("middle", ("first", GRIDS), ("second", 1), joint=Locked())
    system = mb.compile()
    x = system.state()
    x["second"].position[:] = [LENGTH, 0, 0]
    more = []
    ids = [GRIDS] + [1001 + k for k in range(1, GRIDS)]
    for k in range(1, GRIDS):
        more += [f"GRID*,{ids[k]},0,{LENGTH + LENGTH * k / (GRIDS - 1):.16e},0.", "*,0.,0"]
        more += [f"CBEAM,{2000 + k},50002,{ids[k - 1]},{ids[k]},0.,1.,0."]
    _, hz, _ = fe_modes(deck(GRIDS, *more, hold="1"), 0)
    return Comparison(hz, system.modes(x).frequencies_hz[:MODES])


def plate_on_two_grids() -> dict[str, Comparison]:
    """Return frequencies of a free beam with a rigid plate on two grids: bolted, half in the tree, on ball joints."""
    from interstage.multibody import Ball, Free, Locked, Multibody

    beam = component(GRIDS, 6 * (GRIDS - 2), BOLTS)
    place = [LENGTH * (grid - 1) / (GRIDS - 1) for grid in BOLTS]
    centre = np.array([0.5 * sum(place), 0.0, 0.0]) + PLATE["offset"]
    a, b, c = PLATE["inertia"]
    plate = {"mass": PLATE["mass"], "inertia": np.diag(PLATE["inertia"])}

    def reference(components: int, rigid: int) -> np.ndarray:
        x, y, z = centre
        more = [f"GRID,5001,0,{x},{y},{z}", f"CONM2,9001,5001,0,{PLATE['mass']},0.,0.,0."]
        more += [f",{a},0.,{b},0.,0.,{c}", f"RBE2,9002,5001,{components},{BOLTS[0]},{BOLTS[1]}"]
        return fe_modes(deck(GRIDS, *more), rigid)[1]

    def ours(joint, in_tree: bool, rigid: int) -> np.ndarray:
        mb = Multibody("plate")
        mb.add_body("beam", component=beam, node=BOLTS[0], joint=Free())
        arms = [np.array([p, 0.0, 0.0]) - centre for p in place]
        if in_tree:
            # its frame at the first bolt: the centre of mass is elsewhere
            mb.add_body("plate", com=-arms[0], parent="beam", at=BOLTS[0], joint=Locked(), **plate)
            mb.close("second bolt", ("beam", BOLTS[1]), ("plate", arms[1] - arms[0]), joint=joint)
        else:
            mb.add_body("plate", joint=Free(), **plate)
            for word, grid, arm in zip(("first", "second"), BOLTS, arms):
                mb.close(f"{word} bolt", ("beam", grid), ("plate", arm), joint=joint)
        system = mb.compile()
        x = system.state()
        if not in_tree:
            x["plate"].position[:] = -arms[0]
        system.check_closed(x)
        return system.modes(x).frequencies_hz[rigid : rigid + MODES]

    bolted, pinned = reference(123456, 6), reference(123, 7)
    return {
        "plate bolted to two grids, two closures": Comparison(bolted, ours(Locked(), False, 6)),
        "plate bolted to two grids, hinge and closure": Comparison(bolted, ours(Locked(), True, 6)),
        "plate on ball joints at two grids": Comparison(pinned, ours(Ball(), False, 7)),
    }


def accelerations(n_states: int = 20) -> dict[str, float]:
    """Return differences of modal accelerations, beside the largest, of closures and the hinges they replace."""
    from interstage.multibody import Ball, Free, Locked

    out = {}
    for name, joint, two in (
        ("cantilever: locked hinge or closure", Locked(), False),
        ("ball joint or ball closure", Ball(), False),
        ("double-length cantilever: hinges or closures", Locked(), True),
    ):
        beam = component(21, 24, (1, 21), integrals=True)
        tree, loop = _vehicle(beam, joint, joint, two, False), _vehicle(beam, joint, Free(), two, True)
        rng, worst = np.random.default_rng(1), 0.0
        for _ in range(n_states):
            x = _random_state(tree, rng)
            y = _same_state(tree, x, loop)
            load = {("first", 7): rng.normal(size=6)}
            a, b = tree.forward_dynamics(x, load), loop.forward_dynamics(y, load)
            for body in ("first", "second")[: 1 + two]:
                pick = [s.layout[body].etadot for s in (tree, loop)]
                worst = max(worst, float(np.abs(a[pick[0]] - b[pick[1]]).max() / np.abs(a).max()))
        out[name] = worst
    return out


def _vehicle(beam, joint, root, two: bool, closed: bool):
    """Return one or two beams, on hinges or free with closures."""
    from interstage.multibody import Multibody

    mb = Multibody("beams", gravity=[0.0, 0.0, -9.81])
    mb.add_body("first", component=beam, node=1, joint=root)
    if two:
        on = {} if closed else {"parent": "first", "at": 21}
        mb.add_body("second", component=beam, node=1, joint=root, **on)
    if closed:
        mb.close("wall", ("ground", [0, 0, 0]), ("first", 1), joint=joint)
        if two:
            mb.close("middle", ("first", 21), ("second", 1), joint=joint)
    return mb.compile()


def _random_state(system, rng):
    x = system.state()
    for spec in system.model.specs:
        part, hz = x[spec.name], system.body_frequencies_hz(spec.name)
        part.q[:] = rng.normal(size=part.q.shape)
        part.v[:] = rng.normal(size=part.v.shape)
        if not spec.joint.linear:
            part.quaternion[:] /= np.linalg.norm(part.quaternion)
        # amplitudes of equal strain energy: high modes move less
        part.eta[:] = 0.5 * rng.normal(size=part.eta.shape) * hz[0] / hz
        part.etadot[:] = rng.normal(size=part.eta.shape)
    return x


def _same_state(tree, x, loop):
    from interstage.spatial import Rotation

    y = loop.state()
    for name in loop.bodies:
        y[name].eta[:], y[name].etadot[:] = x[name].eta, x[name].etadot
        y[name].quaternion[:] = Rotation.of(tree.rotation(x, name)).quaternion
        y[name].position[:] = tree.position(x, name)
        y[name].velocity[:] = tree.velocity(x, name, frame="body")
    return y


def four_bar():
    """Return a four-bar with a flexible coupler (lengths 1, 3, 2 on a base of 3), and its turning start."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("four-bar")
    for name, mass, length, at in (("crank", 20.0, 1.0, 0.0), ("rocker", 30.0, 2.0, 3.0)):
        bend = mass * length**2 / 12.0
        rod = {"mass": mass, "com": [length / 2, 0, 0], "inertia": np.diag([0.01 * bend, bend, bend])}
        mb.add_body(name, joint=Revolute("z"), at=[at, 0, 0], **rod)
    mb.add_body(
        "coupler",
        component=short_beam(),
        node=1,
        parent="crank",
        at=[1.0, 0, 0],
        joint=Revolute("z"),
        damping=0.002,
        order=0,
    )
    mb.close("pin", ("coupler", 9), ("rocker", [2.0, 0, 0]), joint=Revolute("z"))
    system = mb.compile()
    x = system.state()
    x["crank"].q[:], x["rocker"].q[:] = 1.0, 2.0
    x["crank"].v[:] = 3.0
    return system, system.assemble(x, fixed=["crank"])


def short_beam():
    """Return a beam of 3 m and nine grids with four fixed-interface modes and six of its far end."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    text = long_beam_deck(9, 3.0, coupled=True)
    # a run that looks at what closures and method lose: without the energy that moves with changing loads
    return Component.from_deck(
        deck_from_text(text),
        n_modes=4,
        aset={1: 123456, 9: 123456},
        modal_integrals=False,
        geometric_stiffness=False,
        name="coupler",
    )


def long_run(until: float = RUN):
    """Return log, largest closure error at every logged state, and seconds it took."""
    import interstage as ist

    system, x = four_bar()
    begin = time.perf_counter()
    log = ist.simulate(system, x, until, STEP, method="ros2", log_step=1.0 if until > 100.0 else 0.04)
    seconds = time.perf_counter() - begin
    errors = np.array([np.abs(system.closure_error(log.state(k))).max() for k in range(len(log))])
    return log, errors, seconds


def study(quick: bool = False) -> Study:
    """All cases (quick: fixed-fixed beam, accelerations at three states, 10 s of the four-bar)."""
    out = Study("closures", "Loop closures of flexible bodies", __doc__.split("\n\n")[1].strip())
    both, ours, like = fixed_fixed()
    found = {"fixed-fixed beam, 60 modes and both ends": both}
    if not quick:
        found |= {"double-length cantilever of free beams": double_length(), **plate_on_two_grids()}
    for name, item in found.items():
        note = "paper: 1e-08 Hz" if "fixed-fixed" in name else ""
        want, got = _some(item.reference), _some(item.ours)
        out.rows.append(Row(name, f"{MODES} frequencies, Hz", want, got, item.error, HZ, note))
    shape = "FE model", "engine", both.shapes, SHAPES, "paper: 2e-06"
    out.rows.insert(
        1, Row("fixed-fixed beam, 60 modes and both ends", f"shape matrix, {DRAWN} modes", *shape)
    )
    for name, error in accelerations(3 if quick else 20).items():
        what = "modal accelerations, random states"
        out.rows.append(
            Row(name, what, "hinges", "closures", error, ACCELERATIONS, "of the largest", ROUNDS, True)
        )
    log, errors, seconds = long_run(10.0 if quick else RUN)
    turns = (log["crank"].q[-1, 0] - log["crank"].q[0, 0]) / (2.0 * np.pi)
    note = f"{log.t[-1] / STEP:.0f} steps of ros2, {turns:.0f} turns of the crank; here: {seconds:.0f} s"
    case = f"four-bar with flexible coupler, {log.t[-1]:.0f} s"
    out.rows.append(
        Row(case, "largest closure error, m", "0", f"{errors.max():.1e}", errors.max(), OPEN, note)
    )
    left = float(log.energy[-1] / log.energy[0])
    note = "modal damping 0.2 %, and what the method takes"
    out.rows.append(Row(case, "energy left", "below 1", f"{left:.3f}", left, 1.0, note))
    if quick:
        return out
    out.pictures["closures.png"] = lambda path: draw(both, ours, like, log, errors, path)
    return out


def _some(values: np.ndarray) -> str:
    return f"{values[0]:.8f}, {values[1]:.8f} ... {values[-1]:.8f}"


def draw(both: Comparison, ours, like, log, errors, path: Path) -> None:
    """Draw the modes of the fixed-fixed beam in both models, and the long run."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 5), layout="constrained")
    s = np.linspace(0.0, LENGTH, len(ours))
    for r in range(DRAWN):
        plane = int(np.argmax(np.abs(like[:, :3, r]).max(axis=0)))
        axis = "xyz"[plane]
        left.plot(s, like[:, plane, r] - 2.4 * r, color="0.6", lw=4, label="FE model" if r == 0 else None)
        left.plot(s, ours[:, plane, r] - 2.4 * r, color="#c00000", lw=1.2, label="engine" if r == 0 else None)
        left.text(LENGTH + 0.15, -2.4 * r, f"{both.ours[r]:.4f} Hz, {axis}", fontsize=8, va="center")
    left.set_xlim(-0.3, LENGTH + 3.0)
    left.set_yticks([])
    left.set_xlabel("x, m")
    left.set_title("Fixed-fixed beam: cantilever and closure")
    left.legend(frameon=False, fontsize=8, loc="lower right")
    middle.semilogy(log.t[1:], np.maximum(errors[1:], 1e-18), ".", ms=2, color="#1f4e79")
    middle.axhline(OPEN, color="0.5", ls="--", lw=1)
    middle.text(10.0, 1.3 * OPEN, "1e-9 m", color="0.4", fontsize=8)
    middle.set(ylim=(1e-18, 1e-8), xlabel="time, s", ylabel="largest closure error (m, rad)")
    middle.set_title("Four-bar with flexible coupler, 1000 s")
    right.plot(log.t, log.energy, color="#548235", lw=1, label="energy")
    right.plot(log.t, log.strain, color="#c55a11", lw=0.8, label="strain energy")
    right.set(xlabel="time, s", ylabel="J", title="Its energy (modal damping 0.2 %)")
    right.legend(frameon=False, fontsize=8)
    for axes in (middle, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=130)
    plt.close(figure)
