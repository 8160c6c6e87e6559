"""Linearize an assembly in continuous time.

States are small motions of the vehicle (`chart`), then the continuous states of devices. Inputs are ports that are
held (their wires are cut), outputs any ports.

    δẋ = A δx + B u,   y = C δx + D u

What is sampled is held: loops through it are open, and the model has a note that says so. As an output it is what a
sample would say at the instant. States of devices that neither change nor are read are left out. Closures leave
independent motions (`closures`). Propellant in tanks is frozen: its mass is that of the point, and no state.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from interstage.linear.flight_plant import NOTHING_SPECIAL, Asked, FlightPlant, jacobian_of, split_parts
from interstage.linear.model import LinearModel
from interstage.linear.validity import notes_on_flight
from interstage.linear.world_axes import continuous_in_world, in_world
from interstage.multibody.state import State
from interstage.system.assembly import Assembly


def linearize_flight(assembly: Assembly, x0: State | None, asked: Asked = NOTHING_SPECIAL) -> LinearModel:
    """Return the linear model of an assembly in continuous time; see the module."""
    turned = in_world(asked.velocity_axes)
    plant = FlightPlant(assembly, x0, asked.inputs, asked.outputs, asked.given, axes=asked.position_axes)
    try:
        sizes = plant.sizes()
        m, n, nu = sizes["q"], sizes["q"] + sizes["v"] + sizes["z"], sizes["u"]
        chosen, T = plant.independent(n + nu, asked.independent)
        k = len(chosen) - nu
        scale = np.concatenate([*plant.magnitudes().values()])[chosen]
        J, how = jacobian_of(
            lambda d: plant.slopes(split_parts(T @ d, sizes)), scale, bool(plant.memory), asked.scheme
        )
        y0 = plant.slopes(split_parts(np.zeros(n + nu), sizes))
        held = _held(assembly, plant)
        notes = (*_on_held(held), *notes_on_flight(plant))
    finally:
        plant.release()
    every = np.zeros((n, k + nu))
    every[:m] = np.hstack([M[np.ix_(plant.free, plant.free)] for M in plant.chart.kinematics()]) @ T[: 2 * m]
    every[m:] = J[: n - m]
    said = {
        what: plant.channel_names(names) for what, names in (("in", plant.inputs), ("out", plant.outputs))
    }
    rows = slice(n - m, n - m + len(said["out"][0]))
    A, B, C, D = every[chosen[:k], :k], every[chosen[:k], k:], J[rows, :k], J[rows, k:]
    names, kept = plant.state_names(), _used(A, B, C, int(np.sum(chosen < 2 * m)))
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    if turned:
        vdot = np.zeros(plant.system.nv)
        vdot[plant.free] = y0[:m].real
        A, B, C = continuous_in_world((A, B, C), plant.system, plant.x0, plant.motions(chosen[kept]), vdot)
    return LinearModel(
        A,
        B,
        C,
        D,
        [names[i] for i in chosen[kept]],
        said["in"][0],
        said["out"][0],
        input_index=said["in"][2],
        output_index=said["out"][2],
        input_units=said["in"][1],
        output_units=said["out"][1],
        operating_point={"q": plant.x0.q, "v": plant.x0.v, "y": y0[rows]},
        mass_properties=asked.mass_properties(plant),
        method=how | ({"held": ", ".join(held)} if held else {}),
        name=asked.name or assembly.name,
        notes=notes,
    )


def _held(assembly: Assembly, plant: FlightPlant) -> dict[str, float]:
    """Return the sampled parts that drive others which run between samples, with their periods: loops through them."""
    every = {
        plant.plan.parts[entry.part].path: float(entry.every * plant.plan.clock.tick)
        for entry in plant.plan.sampled
    }
    found = {}
    for piece in assembly.pieces():
        source, target = (name.rpartition(".")[0] for name in (piece.source, piece.target))
        if source in every and target not in every and piece.target not in plant.inputs:
            found[source] = every[source]
    return found


def _on_held(held: Mapping[str, float]) -> tuple[str, ...]:
    """Return the note on loops that are open."""
    if not held:
        return ()
    parts = ", ".join(f"'{path}' (every {T:g} s)" for path, T in held.items())
    return (
        f"held, not in the loop: {parts}; the loop through what is sampled is open here, sampled=True closes it",
    )


def _used(A: np.ndarray, B: np.ndarray, C: np.ndarray, motions: int) -> np.ndarray:
    """Return the states that change or are read: an ideal sensor has some that are neither."""
    changes, read = A.any(axis=1) | B.any(axis=1), A.any(axis=0) | C.any(axis=0)
    return np.flatnonzero(changes | read | (np.arange(len(A)) < motions))
