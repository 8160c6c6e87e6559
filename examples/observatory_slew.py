"""Slew a flexible telescope with four reaction wheels: star tracker and gyros, software of 10 Hz, restart files.

The telescope of `observatory_jitter.py` turns by 5 degrees about its y axis. Four wheels do it, with friction and
imbalance; the attitude is that of software which mixes gyros and a star tracker. The run writes its log on the way and
a checkpoint every minute; from the checkpoint of a run that was cut short it goes on, to the last bit. At its end the
whole loop (structure, wheels, sensors, software) is linearized as the map of one frame.

    python examples/observatory_slew.py

Writes observatory.h5, slew.h5 and draws observatory_slew.png.
"""

from __future__ import annotations

import numpy as np
from observatory_jitter import BORESIGHT, BUS, MODES, WHEEL, telescope_deck

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text

AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5774, 0.5774, 0.5774]])
TARGET = np.array([0.9990482, 0.0, 0.0436194, 0.0])  # 5 degrees about y
PERIOD = 0.1  # of the software, s


def write_vehicle(path: str) -> None:
    """Write the description of the telescope, 40 modes on a free body."""
    telescope = ist.Component.from_deck(
        deck_from_text(telescope_deck()), n_modes=MODES, aset={}, name="telescope"
    )
    mb = ist.Multibody("observatory")
    mb.add_body("bus", component=telescope, joint=ist.Free(), damping=0.005)
    mb.save(path)


class Pointing:
    """Software: attitude and bias of the gyros estimated, torques on four wheels. What it remembers are attributes."""

    def __init__(self, target: np.ndarray, inertia: np.ndarray, bandwidth: float = 0.06):
        self.target, self.inertia, self.bandwidth = target, inertia, bandwidth  # bandwidth in rad/s
        self.q, self.bias = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)

    def __call__(self, t: float, star: np.ndarray, rate: np.ndarray) -> dict[str, np.ndarray]:
        self.q = ist.quaternion.propagate(self.q, rate - self.bias, PERIOD)
        error = ist.attitude_error(self.q, star)
        self.q, self.bias = ist.quaternion.rotate_by(self.q, -0.05 * error), self.bias + 1e-3 * error
        w, z = self.bandwidth, 0.8
        wanted = -w * w * ist.attitude_error(self.q, self.target) - 2.0 * z * w * (rate - self.bias)
        return {"torque": -np.linalg.pinv(AXES.T) @ self.inertia @ wanted}


def observatory(path: str) -> ist.Assembly:
    """Return the telescope with everything around it."""
    vehicle = ist.Multibody.load(path).compile()
    sc = ist.Assembly("observatory", vehicle=vehicle)
    motor = {"inertia": 0.2, "max_torque": 0.4, "friction": (2e-4, 1e-5), "imbalance": (1e-6, 1e-7)}
    for k, axis in enumerate(AXES, 1):
        sc.add(f"rw{k}", dev.ReactionWheel(at=("bus", WHEEL), axis=axis, **motor))
    walks = {"angle_random_walk": "1e-4 deg/sqrt(h)", "rate_random_walk": "1e-5 deg/h/sqrt(s)"}
    sc.add("star", dev.StarTracker(at=("bus", BUS), every="200 ms", noise="2 arcsec", delay="50 ms"))
    sc.add("gyro", dev.IMU(at=("bus", BUS), every="10 ms", **walks))
    inertia = vehicle.mass_properties(vehicle.state()).inertia
    sc.add("fsw", Pointing(TARGET, inertia), every="100 ms", out={"torque": "N*m[4]"})
    return sc.wire({"star.quaternion": "fsw.star", "gyro.rate": "fsw.rate", "fsw.torque": "rw*.torque"})


def main() -> None:
    """Fly the slew, cut it short and go on, and look at the loop."""
    write_vehicle("observatory.h5")
    sc = observatory("observatory.h5")
    run = {"until": 240, "step": "20 ms", "method": "ros2"}
    log = ist.simulate(sc, sc.vehicle.state(), **run, log="slew.h5", checkpoint="1 min")
    error = [ist.attitude_error(q, TARGET) for q in log["star.true_attitude"]]
    arcsec = np.abs(error[-500:]).max() * 180.0 * 3600.0 / np.pi
    w, _, y, _ = log["star.true_attitude"][-1]
    print(f"turned by {np.degrees(2.0 * np.arctan2(y, w)):.4f} deg")
    print(
        f"error of the last ten seconds {arcsec:.2f} arcsec; wheels up to {np.abs(log['rw2.speed']).max():.1f} rad/s"
    )
    assert arcsec < 10.0

    again = ist.resume(
        "slew.ckpt.h5"
    )  # as a run that was cut short at 180 s would go on: from the file alone
    print(f"resumed at 180 s: the same to the last bit: {np.array_equal(again.q[-1], log.q[-1])}")
    assert np.array_equal(again.q[-1], log.q[-1])

    loop = ist.linearize(sc, log.state(), sampled=True, step="20 ms")  # one 200 ms frame, software and all
    z = np.asarray(loop.poles())
    turning = np.abs(z[np.abs(np.angle(z)) > 1e-3]).max()
    print(f"{len(loop.states)} states of a frame of {loop.dt:g} s, largest |z| that turns {turning:.5f}")
    assert turning < 1.0
    log.plot("star.error", "rw*.speed", place=("bus", BORESIGHT)).savefig("observatory_slew.png", dpi=110)


if __name__ == "__main__":
    main()
