"""Heron by finite elements as one body, and as multibody models with engines in and out of the modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import interstage as ist
from interstage.demo import heron
from interstage.demo.heron_deck import heron_deck
from interstage.demo.vehicle import heron_vehicle
from interstage.nastran import deck_from_text

CUTOFF_HZ = 11.0


@dataclass
class Frequencies:
    """Elastic frequencies below the cutoff: of one finite-element model, and of multibody models by name."""

    truth: np.ndarray
    models: dict[str, np.ndarray]


def without_engines(text: str) -> str:
    """Return a deck without the CONM2 of the engines."""
    lines, gone = [], False
    for line in text.splitlines():
        begins = not line.startswith(" " * 8)
        gone = (line.startswith("CONM2") and int(line[16:24]) in heron.ENGINE_GRIDS) if begins else gone
        if not gone:
            lines.append(line)
    return "\n".join(lines) + "\n"


def free_modes(text: str, n: int) -> ist.Component:
    """Return the core with its payload, by its free modes."""
    return ist.Component.from_deck(
        deck_from_text(text), n_modes=n, aset={}, modal_integrals=False, name="core"
    )


def held(component: ist.Component, n: int) -> np.ndarray:
    """Return elastic frequencies of a core and four engines held at their gimbals."""
    mb = ist.Multibody("Heron")
    mb.add_body("core", component=component, joint=ist.Free())
    engine = {"mass": heron.ENGINE_MASS, "com": [-heron.ENGINE_CG, 0.0, 0.0], "inertia": heron.ENGINE_INERTIA}
    for name, at in zip(heron.ENGINES, heron.GIMBAL_GRIDS):
        mb.add_body(name, parent="core", at=at, joint=ist.Locked(), **engine)
    return mb.compile().modes().frequencies_hz[6 : 6 + n]


def frequencies(flown: ist.Component) -> Frequencies:
    """Return the truth and the models; all modes below the cutoff are kept in those by free modes."""
    text = heron_deck()
    fe = ist.normal_modes(ist.FEModel.from_deck(deck_from_text(text)), n_modes=16).frequencies_hz[6:]
    n = int((fe < CUTOFF_HZ).sum())
    inside = free_modes(text, n)
    for gimbal in heron.GIMBAL_GRIDS:
        offset = [-heron.ENGINE_CG, 0.0, 0.0]
        inside = inside.without_rigid(gimbal, heron.ENGINE_MASS, heron.ENGINE_INERTIA, offset, modes=False)
    outside = free_modes(without_engines(text), 12)
    outside = outside.keep_modes(slice(int((outside.frequencies_hz < CUTOFF_HZ).sum())))
    models = {"EITM": held(inside, n), "EOTM": held(outside, n)}
    models["EOTM as flown"] = heron_vehicle(flown, locked=True).modes().frequencies_hz[6 : 6 + n]
    return Frequencies(fe[:n], models)
