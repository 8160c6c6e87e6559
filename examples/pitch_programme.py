"""Find the pitch programme of a two-stage launcher: propellant burns, a stage is dropped, drag, and q·α is kept low.

A point mass with thrust climbs from its pad in Florida to 200 km. The programme that ends with the most speed is found,
written in columns as those of POST, and read back by the device that guides a flight.

    python examples/pitch_programme.py

Writes post.csv and draws pitch_programme.png.
"""

from __future__ import annotations

import numpy as np

from interstage import devices as dev
from interstage.demo.ascent_reference import AxialForce, Leg, Reference, Target, pitch_program
from interstage.report.plots import BLUE, ORANGE, dress, new_figure

MASS = 300e3  # kg, at lift-off
FIRST = Leg(150.0, thrust=4.6e6, flow=1450.0, exit_area=2.8, drop=15e3)
COAST, UPPER = Leg(3.0, thrust=0.0), Leg(147.0, thrust=0.35e6, flow=80.0)
DRAG = AxialForce(10.75, mach=(0.0, 0.8, 1.1, 2.0, 5.0), coefficient=(0.3, 0.35, 0.6, 0.4, 0.25))
LIMIT = 3000.0  # Pa rad


def main() -> None:
    """Find the programme with and without the limit on q·α, and keep the first."""
    earth = dev.Earth(gravity="J2", site=(28.6, -80.6), heading="90 deg")
    flight = {"mass": MASS, "legs": [FIRST, COAST, UPPER], "earth": earth, "target": Target(200e3, path=4.0)}
    kept = pitch_program(**flight, start=(17.0, 0.0, 0.0), drag=DRAG, q_alpha=LIMIT)
    free = pitch_program(**flight, start=(17.0, 0.0, 0.0), drag=DRAG)
    kept.save("post.csv")
    guidance = dev.ReferenceTrajectory("post.csv")
    print(
        "guidance has", ", ".join(("position", "velocity", "attitude", "rate", "throttle", *guidance.names))
    )
    for name, one in (("q·α kept low", kept), ("no limit", free)):
        load = (one["dynp"] * one["alpha"]).max()
        print(
            f"{name}: {one['veli'][-1]:.0f} m/s at {one['gdalt'][-1] / 1e3:.1f} km, q·α up to {load:.0f} Pa rad"
        )
    assert abs(kept["gdalt"][-1] - 200e3) < 20.0 and kept["mass"][-1] < 56e3
    assert (kept["dynp"] * kept["alpha"]).max() < 1.01 * LIMIT < (free["dynp"] * free["alpha"]).max()
    assert free["veli"][-1] > kept["veli"][-1]  # what the limit costs
    draw({"q·α kept low": kept, "no limit": free})


def draw(found: dict[str, Reference]) -> None:
    """Draw pitch angle, height and q·α."""
    figure = new_figure(9.0, 3.2)
    for axes, words, column in zip(
        figure.subplots(1, 3),
        ("pitch from the vertical, deg", "height, km", "q·α, Pa rad"),
        (lambda r: -np.degrees(r["pitch"]), lambda r: r["gdalt"] / 1e3, lambda r: r["dynp"] * r["alpha"]),
    ):
        for (name, one), color in zip(found.items(), (BLUE, ORANGE)):
            axes.plot(one.t, column(one), color=color, lw=1.2, label=name)
        dress(axes, "time, s", words, legend=words.startswith("q"))
    figure.savefig("pitch_programme.png", dpi=110)


if __name__ == "__main__":
    main()
