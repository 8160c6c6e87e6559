"""Pointing jitter of a space telescope: an unbalanced wheel against microthrusters.

A telescope of beams and lumped masses carries a reaction wheel in its bus. The wheel's imbalance shakes the
structure at the wheel's speed; microthrusters only hiss. Linear models for three damping ratios give the jitter of
the line of sight, and the sum over the deck's own modes checks them.

    python examples/observatory_jitter.py

Draws the jitter against the speed of the wheel into observatory_jitter.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage.nastran import deck_from_text
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

BUS, WHEEL, THRUSTER, BORESIGHT = 1, 2, 3, 40
DAMPING = (0.0025, 0.005, 0.01)
STATIC_IMBALANCE, DYNAMIC_IMBALANCE = 2.0e-6, 2.0e-6  # kg m, kg m2
THRUSTER_NOISE = 1.0e-7  # N per root hertz, white
SPEEDS_HZ = np.linspace(2.0, 60.0, 4000)  # of the wheel
BAND_HZ = (0.05, 100.0)
ARCSEC = 180.0 * 3600.0 / np.pi
MODES = 40


def telescope_deck() -> str:
    """Return bus, tower, mirror ring with its secondary, and two booms of a sunshade: 58 grids."""
    cards: list[str] = []
    at: dict[int, np.ndarray] = {}
    elements = iter(range(1, 1000))

    def grid(number: int, *place: float) -> int:
        at[number] = np.array(place)
        cards.append(f"GRID,{number},0,{place[0]:.6f},{place[1]:.6f},{place[2]:.6f},0")
        return number

    def bar(prop: int, a: int, b: int) -> None:
        along = at[b] - at[a]
        up = (1.0, 0.0, 0.0) if abs(along[0]) < 0.7 * np.linalg.norm(along) else (0.0, 0.0, 1.0)
        cards.append(f"CBAR,{next(elements)},{prop},{a},{b},{up[0]},{up[1]},{up[2]}")

    def lump(node: int, mass: float, radius: float) -> None:
        J = mass * radius**2
        cards.extend([f"CONM2,{next(elements)},{node},0,{mass}", f",{J:.6f},0.,{J:.6f},0.,0.,{1.3 * J:.6f}"])

    lump(grid(BUS, 0.0, 0.0, 0.0), 1500.0, 0.9)
    for node, place in ((WHEEL, (0.5, 0.2, 0.1)), (THRUSTER, (-0.9, 0.7, -0.4))):
        bar(1, BUS, grid(node, *place))
        lump(node, 12.0, 0.12)
    previous = BUS
    for k in range(1, 7):  # tower along z
        bar(2, previous, grid(10 + k, 0.0, 0.0, 0.5 * k))
        lump(10 + k, 18.0, 0.25)
        previous = 10 + k
    bar(2, previous, grid(BORESIGHT, 0.0, 0.0, 3.4))
    lump(BORESIGHT, 60.0, 0.3)
    for k in range(12):  # mirror ring on spokes, 3 m across
        angle = 2.0 * np.pi * k / 12
        grid(41 + k, 1.5 * np.cos(angle), 1.5 * np.sin(angle), 3.6)
        lump(41 + k, 22.0 + k, 0.2)
        bar(3, BORESIGHT, 41 + k)
    for k in range(12):
        bar(3, 41 + k, 41 + (k + 1) % 12)
    lump(grid(60, 0.05, 0.0, 7.5), 25.0, 0.2)  # secondary mirror on three legs
    for k in (0, 4, 8):
        bar(4, 41 + k, 60)
    for side in (0, 1):  # booms
        previous = BUS
        for k in range(1, 13):
            node = grid(100 + 20 * side + k, 0.0, (1 - 2 * side) * 0.7 * k, -0.05 * k)
            bar(5, previous, node)
            lump(node, 3.0 + 0.4 * side, 0.15)
            previous = node
    head = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.0+10,2.7+10,,1600.", "PBAR,1,1,3.-3,6.-6,6.-6,9.-6"]
    head += ["PBAR,2,1,4.-3,2.0-5,2.2-5,3.-5", "PBAR,3,1,1.5-3,2.0-6,2.4-6,3.-6"]
    head += ["PBAR,4,1,6.-4,3.0-7,3.0-7,5.-7", "PBAR,5,1,5.-4,2.0-7,2.6-7,4.-7"]
    return "\n".join([*head, *cards, "ENDDATA"])


def linear_model(telescope: ist.Component, damping: float) -> ist.LinearModel:
    """Return disturbances at the wheel and a thruster to the attitude of the boresight node."""
    mb = ist.Multibody("telescope")
    mb.add_body("bus", component=telescope, joint=ist.Free(), damping=damping)
    system = mb.compile()
    return ist.linearize(
        system,
        system.state(),
        inputs=[
            ist.NodeForce("bus", WHEEL, name="wheel_force"),
            ist.NodeTorque("bus", WHEEL, name="wheel_torque"),
            ist.NodeForce("bus", THRUSTER, "x", name="thruster"),
        ],
        outputs=[ist.NodeAttitude("bus", BORESIGHT, "xy", name="sight")],
    )


def wheel_jitter(lin: ist.LinearModel) -> np.ndarray:
    """Return the jitter (nf,) of the line of sight in arcseconds for every wheel speed, wheel axis along z.

    A rotating force U ω² (x, then y a quarter turn later) and a rotating torque of the same kind, worst phasing.
    """
    H = lin.frequency_response(SPEEDS_HZ)
    w2 = (2.0 * np.pi * SPEEDS_HZ[:, None]) ** 2
    force = H[:, :, 0] - 1j * H[:, :, 1]
    torque = H[:, :, 3] - 1j * H[:, :, 4]
    each = w2 * (STATIC_IMBALANCE * np.abs(force) + DYNAMIC_IMBALANCE * np.abs(torque))
    return ARCSEC * np.linalg.norm(each, axis=1)


def thruster_jitter(lin: ist.LinearModel) -> float:
    """Return the jitter in arcseconds, root mean square over the band, of white thruster noise."""
    # fine enough for half-power bandwidths of 2 ζ f
    f = np.geomspace(*BAND_HZ, 20_000)
    H = lin.frequency_response(f, inputs="thruster")[:, :, 0]
    density = THRUSTER_NOISE**2 * (np.abs(H) ** 2).sum(axis=1)
    return float(ARCSEC * np.sqrt(np.trapezoid(density, f)))


def superposition(damping: float, f_hz: np.ndarray) -> np.ndarray:
    """Return thruster force to boresight rotation (nf, 2) as a sum over the deck's own modes."""
    fe = ist.FEModel.from_deck(deck_from_text(telescope_deck()))
    modes = ist.normal_modes(fe, n_modes=6 + MODES)
    row = {int(grid): k for k, grid in enumerate(fe.grids.id)}
    shapes = np.asarray(modes.shapes).reshape(len(row), 6, -1)
    w = 2.0 * np.pi * np.where(np.arange(6 + MODES) < 6, 0.0, modes.frequencies_hz[: 6 + MODES])
    s = 2j * np.pi * f_hz[:, None]
    gain = shapes[row[THRUSTER], 0] / (s**2 + 2.0 * damping * w * s + w**2)
    return gain @ shapes[row[BORESIGHT], 3:5].T


def main() -> None:
    """Compare the two actuators, and the model with the deck."""
    telescope = ist.Component.from_deck(
        deck_from_text(telescope_deck()), n_modes=MODES, aset={}, modal_integrals=False, name="telescope"
    )
    print(
        f"{telescope.mass:.0f} kg, modes {telescope.frequencies_hz[0]:.2f} to {telescope.frequencies_hz[-1]:.1f} Hz"
    )
    print("damping    wheel, worst speed         wheel, median    thruster noise, rms")
    worst, curves = {}, {}
    for damping in DAMPING:
        lin = linear_model(telescope, damping)
        jitter, noise = wheel_jitter(lin), thruster_jitter(lin)
        k = int(np.argmax(jitter))
        worst[damping], curves[damping] = jitter[k], jitter
        print(f"{damping:.4f}   {1e3 * jitter[k]:9.3f} mas at {SPEEDS_HZ[k]:6.2f} Hz"
              f"   {1e3 * np.median(jitter):9.4f} mas   {1e3 * noise:9.5f} mas")  # fmt: skip
    # a resonance met by the wheel is worth its damping ratio: four times the damping, a quarter of the jitter
    ratio = worst[DAMPING[0]] / worst[DAMPING[-1]]
    print(f"worst jitter, lightest damping over strongest: {ratio:.2f}")
    assert 3.0 < ratio < 4.1
    assert noise < 0.1 * worst[DAMPING[-1]], "the thrusters are quieter than the wheel on a resonance"
    f = np.geomspace(0.1, 60.0, 500)
    ours = lin.frequency_response(f, inputs="thruster")[:, :, 0]
    error = np.abs(ours - superposition(DAMPING[-1], f)).max() / np.abs(ours[f > 0.5]).max()
    print(f"linear model against the sum over the deck's modes: {error:.1e} of the peak")
    assert error < 1e-7
    draw(curves)


def draw(curves: dict[float, np.ndarray]) -> None:
    """Draw the jitter against the speed of the wheel."""
    figure = new_figure(8.0, 3.4)
    axes = figure.subplots()
    for (damping, jitter), color in zip(curves.items(), (ORANGE, BLUE, GREY)):
        axes.semilogy(SPEEDS_HZ, 1e3 * jitter, color=color, lw=1.1, label=f"damping {100 * damping:g} %")
    axes.legend(frameon=False)
    dress(axes, "speed of the wheel, Hz", "jitter, mas", "line of sight over an unbalanced wheel")
    figure.savefig("observatory_jitter.png", dpi=110)


if __name__ == "__main__":
    main()
