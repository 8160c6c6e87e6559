"""Three ways to hold a telescope still: reaction wheels, wheels on isolators, microthrusters.

The telescope of `observatory_jitter.py` points at a star. Wheels turn at a bias of 12 Hz with no momentum together and
shake it by their imbalance; on isolators they shake it less; microthrusters of 1 µN of noise only hiss. Software of
20 Hz does the same with all. The jitter of the line of sight is that of 10 s, and a spectrum tells where it comes from.

    python examples/observatory_architectures.py

Draws the cumulative spectra into observatory_architectures.png.
"""

from __future__ import annotations

import numpy as np
from observatory_jitter import ARCSEC, BORESIGHT, BUS, MODES, THRUSTER, WHEEL, telescope_deck

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from interstage.report.plots import COLORS, cumulative_spectrum, dress, new_figure

AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-0.5774, -0.5774, -0.5774]])
BIAS = 75.0 * np.array([1.0, 1.0, 1.0, np.sqrt(3.0)])  # rad/s: no momentum together
HISS = 1e-6  # N, root mean square of each axis' thrusters


class Torquer(ist.Device):
    """Microthrusters as one: a torque about three axes, and a force of noise at a place."""

    bus, nozzle = ist.Site(), ist.Site()
    torque = ist.In("N*m", 3)
    hiss = ist.In("N", 3)
    on_bus, on_nozzle = bus.torque("node"), nozzle.force("node")

    def outputs(d, t):
        for i in range(3):
            d.on_bus[i] = d.torque[i]
            d.on_nozzle[i] = d.hiss[i]


class Hold:
    """Software: holds the attitude of the start, through a low-pass that keeps it out of the modes."""

    def __init__(self, inertia: np.ndarray):
        self.knows = {"J": inertia, "share": np.linalg.pinv(AXES.T)}
        self.slow, self.slower = np.zeros(3), np.zeros(3)

    def __call__(self, t: float, star: np.ndarray, rate: np.ndarray) -> dict[str, np.ndarray]:
        w = 0.2
        wanted = -w * w * ist.attitude_error(star, [1, 0, 0, 0]) - 1.6 * w * rate
        self.slow = self.slow + 0.06 * (wanted - self.slow)
        self.slower = self.slower + 0.06 * (self.slow - self.slower)
        torque = self.knows["J"] @ self.slower
        return {"torque": torque, "wheels": -self.knows["share"] @ torque}


def hiss(t: float) -> dict[str, np.ndarray]:
    """Return the noise of the thrusters at a sample."""
    return {"force": HISS * np.random.default_rng(round(20 * t)).standard_normal(3)}


def observatory(telescope: ist.Component, way: str) -> ist.Assembly:
    """Return the telescope with one of the three ways to hold it."""
    mb = ist.Multibody("telescope")
    mb.add_body("bus", component=telescope, joint=ist.Free(), damping=0.005)
    if way == "isolators":
        mb.add_body("rwa", mass=40.0, inertia=[0.6, 0.6, 0.6], parent="bus", at=WHEEL, joint=ist.Free())
    vehicle = mb.compile()
    sc = ist.Assembly(way, vehicle=vehicle)
    sc.add("star", dev.StarTracker(at=("bus", BUS), every="50 ms", noise="0.0005 arcsec"))
    sc.add("gyro", dev.Gyro(at=("bus", BUS), every="50 ms"))
    sc.add("sight", dev.StarTracker(at=("bus", BORESIGHT), every="10 ms"))  # a perfect one, to see the truth
    law = Hold(vehicle.mass_properties(vehicle.state()).inertia)
    sc.add("fsw", law, every="50 ms", out={"torque": "N*m[3]", "wheels": "N*m[4]"})
    sc.wire({"star.quaternion": "fsw.star", "gyro.rate": "fsw.rate"})
    if way == "microthrusters":
        sc.add("thrusters", Torquer(bus=("bus", BUS), nozzle=("bus", THRUSTER)))
        sc.add("noise", hiss, every="50 ms", out={"force": "N[3]"})
        return sc.wire({"fsw.torque": "thrusters.torque", "noise.force": "thrusters.hiss"})
    for k, axis in enumerate(AXES, 1):
        at = "rwa" if way == "isolators" else ("bus", WHEEL)
        wheel = dev.ReactionWheel(at=at, axis=axis, inertia=0.05, imbalance=(5e-6, 5e-7), speed=BIAS[k - 1])
        sc.add(f"rw{k}", wheel)
    if way == "isolators":  # 3 Hz, a tenth of critical damping
        w, six = 2 * np.pi * 3.0, np.array([0.6] * 3 + [40.0] * 3)
        mount = dev.Bushing(a=("bus", WHEEL), b="rwa", stiffness=six * w * w, damping=0.2 * six * w)
        sc.add("mount", mount)
    return sc.wire({"fsw.wheels": "rw*.torque"})


def main() -> None:
    """Point by all three and compare."""
    deck = deck_from_text(telescope_deck())
    telescope = ist.Component.from_deck(deck, n_modes=MODES, aset={}, modal_integrals=False, name="telescope")
    figure = new_figure(8.0, 3.6)
    axes, jitter = figure.subplots(), {}
    for color, way in zip(COLORS, ("wheels", "isolators", "microthrusters")):
        sc = observatory(telescope, way)
        log = ist.simulate(
            sc, sc.vehicle.state(), until=40, step="1 ms", log_step="10 ms", keep=["sight.quaternion"]
        )
        error = 2.0 * ARCSEC * log["sight.quaternion"][:-1, 1:3]  # small angles about x and y
        late = log.t[:-1] >= 30.0
        f, rms = cumulative_spectrum(log.t[:-1][late], error[late])
        slow = rms[f < 1.0][-1]
        jitter[way] = np.sqrt(rms[-1] ** 2 - slow**2)
        axes.loglog(f, 1e3 * rms, color=color, label=way)
        print(f"{way:15s} below 1 Hz {1e3 * slow:7.4f} mas, above {1e3 * jitter[way]:8.5f} mas")
    assert jitter["wheels"] > 3.0 * jitter["isolators"] > 3.0 * jitter["microthrusters"]
    dress(axes, "frequency, Hz", "jitter below it, mas", "line of sight of the last ten seconds", True)
    figure.savefig("observatory_architectures.png", dpi=110)


if __name__ == "__main__":
    main()
