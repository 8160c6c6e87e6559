"""Design a pitch autopilot for a flexible launch vehicle: deck, component, vehicle, linear model, python-control.

A stage of 24 t under 500 kN of thrust is steered by its engine, which an actuator of 5 Hz swings about the pitch
axis. Attitude and rate come from a gyro package on the structure, so that the loop sees bending. Gains are set for
the rigid body; the loop around the flexible one is then unstable, until a filter takes the first mode out.

    python examples/pitch_autopilot.py

Draws the open loop and the step response into pitch_autopilot.png.
"""

from __future__ import annotations

import control
import numpy as np

import interstage as ist
from interstage.multibody import State
from interstage.nastran import deck_from_text
from interstage.report.plots import BLUE, ORANGE, dress, new_figure

LENGTH, GRIDS, MASS, THRUST = 30.0, 21, 24000.0, 5.0e5  # m, -, kg, N
GYRO = 15  # grid of the gyro package
ENGINE = {"mass": 500.0, "com": [-1.2, 0.0, 0.0], "inertia": [200.0, 420.0, 420.0]}
ACTUATOR_HZ, ACTUATOR_DAMPING = 5.0, 0.7
BANDWIDTH_HZ, DAMPING = 0.2, 0.8


def stage_deck() -> str:
    """Return a stage along x from the gimbal (grid 1) to the nose, as bars between lumped masses."""
    lines = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.0+10,2.7+10,,0.", "PBAR,1,1,.03,4.0-3,4.0-3,8.0-3"]
    for k, x in enumerate(np.linspace(0.0, LENGTH, GRIDS)):
        lump = MASS / (GRIDS - 1) * (0.5 if k in (0, GRIDS - 1) else 1.0)
        lines += [f"GRID,{k + 1},0,{x:.6f},0.,0.,0", f"CONM2,{100 + k},{k + 1},0,{lump:.6f}"]
        lines.append(f",{0.9 * lump:.4f},0.,{0.5 * lump:.4f},0.,0.,{0.5 * lump:.4f}")
        if k:
            lines.append(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.")
    return "\n".join([*lines, "ENDDATA"])


def airframe(n_modes: int = 16) -> ist.LinearModel:
    """Return the airframe about its state under thrust: engine acceleration in, gyro and gimbal out."""
    stage = ist.Component.from_deck(
        deck_from_text(stage_deck()), n_modes=n_modes, aset={}, damping=0.01, name="stage"
    )
    mb = ist.Multibody("vehicle")
    mb.add_body("stage", component=stage, joint=ist.Free())
    mb.add_body("engine", parent="stage", at=1, joint=ist.Revolute("y", prescribed=True), **ENGINE)
    system = mb.compile()
    thrust = {("engine", None, "body"): [0.0, 0.0, 0.0, THRUST, 0.0, 0.0]}
    x0 = ist.trim(system, system.state(), forces=thrust)
    print(
        f"pre-load: the nose comes {1000 * (LENGTH - nose_distance(system, x0)):.2f} mm nearer to the gimbal"
    )
    return ist.linearize(
        system,
        x0,
        inputs=[ist.JointAcceleration("engine", name="engine_acceleration")],
        outputs=[
            ist.NodeAttitude("stage", GYRO, "y", name="attitude"),
            ist.NodeRate("stage", GYRO, "y", name="rate"),
            ist.JointAngle("engine", name="gimbal"),
            ist.JointRate("engine", name="gimbal_rate"),
        ],
        reference=("stage", 1),
    )


def nose_distance(system: ist.System, x: State) -> float:
    """Return the distance from gimbal to nose."""
    return float(np.linalg.norm(system.position(x, "stage", GRIDS) - system.position(x, "stage", 1)))


def pitch_plane(lin: ist.LinearModel) -> control.StateSpace:
    """Return the part of the model that pitch needs; where the vehicle is and how fast it goes is not in it."""
    out = [f"stage.{name}" for name in ("rx", "rz", "x", "y", "z", "wx", "wz", "vx", "vy", "vz")]
    keep = np.array([name not in out for name in lin.states])
    assert np.abs(lin.A[np.ix_(keep, ~keep)]).max() < 1e-9  # nothing that is kept depends on what is dropped
    assert np.abs(lin.C[:, ~keep]).max() < 1e-9
    return control.ss(lin.A[np.ix_(keep, keep)], lin.B[keep], lin.C[:, keep], lin.D)


def with_actuator(plant: control.StateSpace) -> control.StateSpace:
    """Return the plant driven by a gimbal command: acceleration = w² (command - angle) - 2 z w rate."""
    w = 2.0 * np.pi * ACTUATOR_HZ
    springs = control.ss([], [], [], [[0.0, 0.0, w**2, 2.0 * ACTUATOR_DAMPING * w]])
    return control.feedback(plant, springs) * w**2


def rigid_gains(lin: ist.LinearModel) -> tuple[float, float, float]:
    """Return control effectiveness (1/s²) and gains of attitude and rate from mass properties alone."""
    mass, com, inertia = (lin.mass_properties[key] for key in ("mass", "cmoffset", "inertia"))
    pitch = inertia[1, 1] - mass * (com[0] ** 2 + com[2] ** 2)
    effect = THRUST * com[0] / pitch
    w = 2.0 * np.pi * BANDWIDTH_HZ
    return effect, w**2 / effect, 2.0 * DAMPING * w / effect


def first_mode_hz(lin: ist.LinearModel) -> float:
    """Return the lowest lightly damped frequency."""
    poles = np.asarray(lin.poles())
    bending = poles[(poles.imag > 1.0) & (-poles.real < 0.05 * np.abs(poles))]
    return float(np.abs(bending).min() / (2.0 * np.pi))


def bending_filter(hz: float) -> control.TransferFunction:
    """Return a wide notch on the first mode and a roll-off for the modes above."""
    w = 2.0 * np.pi * hz
    notch = control.tf([1.0, 0.03 * w, w**2], [1.0, 1.2 * w, w**2])
    return notch * control.tf([w**2], [1.0, 1.4 * w, w**2])


def margins(loop: control.StateSpace, split_hz: float) -> tuple[float, float, float]:
    """Return gain margin (dB) and phase margin (deg) below a frequency, and the highest gain (dB) above it."""
    lin = ist.LinearModel(loop.A, loop.B, loop.C, loop.D)
    rigid = lin.margins({"rigid": (0.0, split_hz), "bending": (split_hz, 1e3)}).region("rigid")
    bending = np.abs(lin.frequency_response(np.linspace(split_hz, 60.0, 40000)))
    return rigid.gain_up_db, rigid.phase_deg, float(20.0 * np.log10(bending.max()))


def main() -> None:
    """Design the loop and look at its margins."""
    lin = airframe()
    plant = with_actuator(pitch_plane(lin))
    effect, kp, kd = rigid_gains(lin)
    hz = first_mode_hz(lin)
    print(f"control effectiveness {effect:.3f} 1/s², gains {kp:.3f} and {kd:.3f} s, first mode {hz:.3f} Hz")
    # a positive engine angle pushes the tail up and the nose down: the loop closes with a minus in the gains
    gains = control.ss([], [], [], [[-kp, -kd, 0.0, 0.0]])
    results = {}
    for name, shaping in (("rigid gains", control.tf([1.0], [1.0])), ("with filter", bending_filter(hz))):
        loop = control.ss(shaping) * gains * plant
        closed = control.feedback(loop, 1)
        growth = float(closed.poles().real.max())
        results[name] = growth, loop, closed
        print(f"{name:12s} largest real part of the closed-loop poles {growth: .4f} 1/s")
    assert results["rigid gains"][0] > 0.05, "bending is driven unstable without a filter"
    growth, loop, closed = results["with filter"]
    assert growth < 0.0
    gain_margin, phase_margin, bending = margins(loop, 0.6 * hz)
    print(f"  rigid body: gain margin {gain_margin:.1f} dB, phase margin {phase_margin:.1f} deg")
    print(f"  bending: highest peak of the open loop {bending:.1f} dB")
    assert gain_margin > 6.0 and phase_margin > 30.0 and bending < -6.0
    # the step response settles on the command, with the shape that the rigid design asks for
    time = np.linspace(0.0, 12.0, 1200)
    response = control.step_response(closed, time)
    settled, peak = float(response.outputs[-1]), float(response.outputs.max())
    print(f"attitude step: peak {peak:.3f}, after 12 s {settled:.4f}")
    assert abs(settled - 1.0) < 0.01
    draw({name: each[1] for name, each in results.items()}, time, response.outputs)


def draw(loops: dict[str, control.StateSpace], time: np.ndarray, attitude: np.ndarray) -> None:
    """Draw the open loop with and without the filter, and the step response."""
    figure = new_figure(8.0, 3.4)
    left, right = figure.subplots(1, 2)
    f = np.geomspace(0.03, 40.0, 4000)
    for (name, loop), color in zip(loops.items(), (ORANGE, BLUE)):
        left.semilogx(f, 20.0 * np.log10(np.abs(loop(2j * np.pi * f))), color=color, lw=1.3, label=name)
    left.axhline(0.0, color="0.5", ls="--", lw=1)
    left.legend(frameon=False)
    dress(left, "frequency, Hz", "gain, dB", "open loop")
    right.plot(time, np.ravel(attitude), color=BLUE, lw=1.4)
    right.axhline(1.0, color="0.5", ls="--", lw=1)
    dress(right, "time, s", "attitude", "step of one, with filter")
    figure.savefig("pitch_autopilot.png", dpi=110)


if __name__ == "__main__":
    main()
