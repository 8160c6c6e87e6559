"""Linearize an assembly in continuous time.

States are small motions of the vehicle (`chart`), then the continuous states of devices. Inputs are ports that are held
(their wires are cut), outputs any ports.

    δẋ = A δx + B u,   y = C δx + D u

What is sampled is held; as an output it is what a sample would say at the instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from interstage.linear.flight_plant import FlightPlant, jacobian_of, split_parts
from interstage.linear.model import LinearModel
from interstage.multibody.state import State
from interstage.system.assembly import Assembly
from interstage.system.ports import Value


def linearize_flight(
    assembly: Assembly,
    x0: State | None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    given: Mapping[str, Value] | None = None,
    name: str | None = None,
) -> LinearModel:
    """Return the linear model of an assembly in continuous time; see the module."""
    plant = FlightPlant(assembly, x0, inputs, outputs, given)
    try:
        sizes = plant.sizes()
        n, nu = sizes["q"] + sizes["v"] + sizes["z"], sizes["u"]
        J, how = jacobian_of(lambda d: plant.slopes(split_parts(d, sizes)), n + nu, bool(plant.memory))
        y0 = plant.slopes(split_parts(np.zeros(n + nu), sizes))[sizes["v"] + sizes["z"] :]
    finally:
        plant.release()
    K, G = plant.chart.kinematics()
    m = sizes["q"]
    A, B = np.zeros((n, n)), np.zeros((n, nu))
    A[:m, :m], A[:m, m : 2 * m] = K[np.ix_(plant.free, plant.free)], G[np.ix_(plant.free, plant.free)]
    A[m:], B[m:] = J[: n - m, :n], J[: n - m, n:]
    said = {
        what: plant.channel_names(names) for what, names in (("in", plant.inputs), ("out", plant.outputs))
    }
    return LinearModel(
        A,
        B,
        J[n - m :, :n],
        J[n - m :, n:],
        plant.state_names(),
        said["in"][0],
        said["out"][0],
        input_index=said["in"][2],
        output_index=said["out"][2],
        input_units=said["in"][1],
        output_units=said["out"][1],
        operating_point={"q": plant.x0.q, "v": plant.x0.v, "y": y0},
        method={"method": how},
        name=name or assembly.name,
    )
