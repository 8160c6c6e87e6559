"""What the tests of studies run: functions that other processes find by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

import interstage as ist
from interstage.simulation.plant.noise import normal

GAINS = np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
MEAN = np.array([1.0, 2.0, -1.0])
COVARIANCE = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, -0.02], [0.0, -0.02, 0.16]])


def linear(row):
    """Return y = G p: Gaussian with mean G m and covariance G C Gᵀ."""
    y = GAINS @ [row["a"], row["b"], row["c"]]
    return {"y1": y[0], "y2": y[1], "pair": y}


def ishigami(row):
    """Return sin x + 7 sin² y + 0.1 z⁴ sin x of Ishigami and Homma, whose indices are known in closed form."""
    x, y, z = row["x"], row["y"], row["z"]
    return {"f": np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)}


def slow(row):
    """Take a while, and leave a mark that this run was begun."""
    folder = os.environ.get("STUDY_MARKS")
    if folder:
        (Path(folder) / f"{row.number}.{os.getpid()}").touch()
    time.sleep(0.02)
    return {"y": row["a"] ** 2, "noise": float(row.seed % 10007)}


def doubled(row):
    """Return a number times two."""
    return {"y": 2 * row["a"]}


def scaled(factor, row):
    """Return a number times another."""
    return {"y": factor * row["a"]}


def sometimes_fails(row):
    """Raise in some of the runs."""
    if row.number % 5 == 2:
        raise ValueError("this run does not like its numbers")
    return {"y": row["a"]}


def kills(row):
    """Take its process down in run 3."""
    if row.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"y": row["a"]}


class Lag(ist.Device):
    """First-order lag of a step, with noise on what it says."""

    tau = ist.Parameter("s", 0.5)
    sigma = ist.Parameter("", 0.0)
    weights = ist.Parameter("", 1.0)
    y = ist.Out("")
    x = ist.ContinuousState("")
    seen = ist.Out("")

    def outputs(d, t):
        d.y = d.weights * d.x

    def rates(d, t):
        d.xdot = (1.0 - d.x) / d.tau

    def sample(d, t):
        d.seen = d.x + d.sigma * normal(d.seed, d.stream, d.tick, 0)


class Spring(ist.Device):
    """Spring at a hinge."""

    joint = ist.JointRef()
    k = ist.Parameter("N m/rad", 2.0)
    angle, rate, torque = joint.coordinate(), joint.rate(), joint.force()

    def outputs(d, t):
        d.torque = -d.k * d.angle


def lag(**values):
    """Return an assembly of one lag that is sampled at 10 Hz."""
    return ist.Assembly("study").add("lag", Lag(**values), every="100 ms")


def law_that_fails(t, y):
    """Refuse to go on once the lag is above 0.9."""
    if y > 0.9:
        raise RuntimeError("too much")
    return {"u": y}


def flies_and_fails(row):
    """Fly until software raises: after 0.5 s ln 10 or later, by tau."""
    flight = lag(tau=row["tau"])
    flight.add("fsw", law_that_fails, every="100 ms", inputs={"y": ""}, out={"u": ""})
    flight.wire({"lag.y": "fsw.y"})
    return ist.simulate(flight, None, until=1.5, step=0.1)


def linear_one(row):
    """Return the row's number."""
    return {"y": row["a"]}


def noisy_flight(row):
    """Fly a lag with noise, made in the run."""
    return ist.simulate(lag(sigma=1.0), None, until=0.4, step=0.1, progress=False)


def checkpointed(folder):
    """Return a build whose flights write checkpoints into a folder."""

    def build(row):
        path = Path(folder) / f"run{row.number}.h5"
        return ist.simulate(
            lag(sigma=1.0), None, until=0.4, step=0.1, log=path, checkpoint="100 ms", progress=False
        )

    return build
