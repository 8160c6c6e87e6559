"""Fly a flexible launch vehicle off the pad: engines, gimbals, wind, an IMU, and an autopilot in plain Python.

A core of bars and lumped masses (38 modes) on four gimballed engines stands on its pad in Florida, held down with the
engines at 85 %, and flies east along a pitch programme. Gains come from the linear model of the assembly itself:
effectiveness of the gimbals and rigid rotation by least cost.

    python examples/ascent.py [seconds]

Writes core.h5, winds.csv, post.csv, ascent.h5 and draws ascent.png and ascent.svg, the block diagram.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text

LENGTH, GRIDS, MASS = 48.0, 39, 150.0e3  # m, -, kg: core with propellant
PODS = {1: 101, 2: 102, 3: 103, 4: 104}  # engine number: gimbal node
IMU_NODE = 21


def core_deck() -> str:
    """Return a core along x with its gimbals on a frame around grid 1."""
    cards = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.0+10,2.7+10,,0.", "PBAR,1,1,.12,.16,.16,.32"]
    cards.append("PBAR,2,1,.08,2.0-2,2.0-2,4.0-2")
    for k, x in enumerate(np.linspace(0.0, LENGTH, GRIDS)):
        lump = MASS / (GRIDS - 1) * (0.5 if k in (0, GRIDS - 1) else 1.0)
        cards += [f"GRID,{k + 1},0,{x:.6f},0.,0.,0", f"CONM2,{100 + k},{k + 1},0,{lump:.4f}"]
        cards.append(f",{1.6 * lump:.3f},0.,{0.9 * lump:.3f},0.,0.,{0.9 * lump:.3f}")
        if k:
            cards.append(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.")
    for k, (y, z) in enumerate([(1.2, 0.0), (0.0, 1.2), (-1.2, 0.0), (0.0, -1.2)], 1):
        cards += [f"GRID,{100 + k},0,0.,{y},{z},0", f"CBAR,{200 + k},2,1,{100 + k},1.,0.,0."]
    return "\n".join([*cards, "ENDDATA"])


def write_files(until: float) -> None:
    """Write what the flight reads: the core, the wind, and the programme of the pitch angle."""
    core = ist.Component.from_deck(
        deck_from_text(core_deck()), n_modes=38, aset={}, damping=0.005, name="core"
    )
    core.save("core.h5")
    height = np.array([0.0, 2e3, 8e3, 12e3, 20e3, 40e3])
    wind = np.array([3.0, 8.0, 30.0, 38.0, 12.0, 5.0])
    rows = [f"{h:.0f},{w:.1f},270" for h, w in zip(height, wind)]
    Path("winds.csv").write_text("\n".join(["altitude (m),speed (m/s),direction (deg)", *rows]) + "\n")
    t = np.arange(0.0, until + 5.0, 1.0)
    pitch = -0.45 * np.clip(t - 8.0, 0.0, None) ** 2 / (np.clip(t - 8.0, 0.0, None) + 30.0)
    rows = [f"{a:.1f},{b:.6f}" for a, b in zip(t, pitch)]
    Path("post.csv").write_text("\n".join(["time (s),pitch (deg)", *rows]) + "\n")


def pod(k: int) -> ist.Assembly:
    """Return an engine with its gimbal: an assembly is what a function returns."""
    a = ist.Assembly()
    a.add(
        "engine", dev.Engine(body=f"engine{k}", thrust="0.7 MN", exit_area=0.7, lag="0.5 s", flow="240 kg/s")
    )
    a.add(
        "tvc",
        dev.TVC(joint=f"engine{k}", bandwidth="6 Hz", damping=0.7, limit="6 deg", rate_limit="20 deg/s"),
    )
    return a.expose(gimbal="tvc.command", throttle="engine.throttle")


def vehicle() -> ist.System:
    """Return the core on its free joint with four engines on universal joints."""
    mb = ist.Multibody("lv")
    mb.add_body("core", component="core.h5", joint=ist.Free())
    for k, node in PODS.items():
        engine = {"mass": 2000.0, "com": [-1.5, 0.0, 0.0], "inertia": [600.0, 1700.0, 1700.0]}
        mb.add_body(f"engine{k}", **engine, parent="core", at=node, joint=ist.Universal("yz"))
    return mb.compile()


def ascent() -> ist.Assembly:
    """Return vehicle, Earth, air, sensors, guidance and engines; no software yet."""
    flight = ist.Assembly("ascent", vehicle=vehicle())
    flight.add("earth", dev.Earth(gravity="J2", site=(28.6, -80.6), heading="90 deg"))
    flight.add("air", dev.Atmosphere("US76", wind="winds.csv"))
    gyros = {"angle_random_walk": "0.005 deg/sqrt(h)", "counter": ("1e-7 rad", 16)}
    flight.add("imu", dev.IMU(at=("core", IMU_NODE), every="5 ms", **gyros))
    flight.add("guidance", dev.ReferenceTrajectory("post.csv"))
    for k in PODS:
        flight.add(f"pod{k}", pod(k))
    return flight


def autopilot_for(flight: ist.Assembly, x0: ist.multibody.State):
    """Return plain software for a vehicle about a point: its arguments are ports."""
    lin = ist.linearize(flight, x0, inputs=["pod*.gimbal"], outputs=["imu.attitude", "imu.rate"])
    effect = lin.effectiveness("imu.rate")  # (3, 8): angular acceleration a radian of gimbal
    K, allocate = ist.lqr(lin.rigid(), Q=np.diag([0.3] * 3 + [0.2] * 3), R=np.eye(3)), np.linalg.pinv(effect)
    print("effectiveness of the gimbals, 1/s^2, roll, pitch, yaw:")
    print(np.array2string(effect + 0.0, precision=3, suppress_small=True))

    def autopilot(t, attitude, rate, commanded, turning):
        return {"gimbal": allocate @ (-K @ np.r_[ist.attitude_error(attitude, commanded), rate - turning])}

    return autopilot


def moving_poles(flight: ist.Assembly, x0: ist.multibody.State) -> float:
    """Return the largest |z| of poles that turn: one frame of 20 ms, software and all."""
    z = np.asarray(ist.linearize(flight, x0, sampled=True, step="2.5 ms").poles())
    return float(np.abs(z[np.abs(np.angle(z)) > 0.005]).max())


def main(until: float = 30.0) -> None:
    """Trim on the pad, linearize, design, look at the poles of the whole loop, fly."""
    write_files(until)
    flight, bare = ascent(), ascent()
    x0 = ist.trim(flight, "hold-down", set={"pod*.throttle": 0.95})
    law = autopilot_for(flight, x0)
    sensed = {"imu.attitude": "fsw.attitude", "imu.rate": "fsw.rate"}
    sensed |= {"guidance.attitude": "fsw.commanded", "guidance.rate": "fsw.turning"}
    bare.add("fsw", law, every="20 ms", out={"gimbal": "rad[8]"}).wire(
        {**sensed, "fsw.gimbal": "pod*.gimbal"}
    )
    flight.add("fsw", law, every="20 ms", out={"gimbal": "rad[8]"})
    flight.add("notch", dev.Notch("7.1 Hz", depth=0.05, width=0.7, n=8, every="20 ms"))
    flight.add("roll_off", dev.LowPass("1.2 Hz", n=8, every="20 ms"))
    flight.wire({**sensed, "fsw.gimbal": "notch.u", "notch.y": "roll_off.u", "roll_off.y": "pod*.gimbal"})
    poles = [moving_poles(each, x0) for each in (bare, flight)]
    print(f"largest |z| of a frame: {poles[0]:.4f} bare (bending), {poles[1]:.5f} with filters")
    assert poles[0] > 1.01 and poles[1] < 0.9999
    flight.diagram("ascent.svg")
    log = ist.simulate(flight, x0, until=until, step="2.5 ms", log="ascent.h5")
    turned = [ist.attitude_error(*pair) for pair in zip(log["imu.attitude"], log["guidance.attitude"][::2])]
    speed = np.linalg.norm(log["earth.velocity"][-1])
    print(f"at {until:g} s: altitude {log['earth.altitude'][-1]:.0f} m, {speed:.0f} m/s over the ground")
    print(f"largest error of the attitude {np.degrees(np.abs(turned).max()):.2f} deg")
    assert np.degrees(np.abs(turned).max()) < 0.5
    log.plot("earth.altitude", "imu.rate", "pod*.tvc.angle").savefig("ascent.png", dpi=110)


if __name__ == "__main__":
    main(*(float(word) for word in sys.argv[1:]))
