"""From a deck to a finite-element model: call each family's reader and collect what it finds."""

from __future__ import annotations

import os
from functools import partial

from interstage.errors import DeckError, InterstageError
from interstage.fem.elements.block import ElementBlock
from interstage.fem.from_deck import (
    axisymmetric,
    beam3,
    bend,
    bush,
    bush1d,
    connectors,
    dmig,
    gap,
    genel,
    line,
    loads,
    masses,
    rigid,
    scalar,
    shells,
    solids,
)
from interstage.fem.from_deck.constraints import read_constraints
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.design import design_notes
from interstage.fem.from_deck.direct_input import read_direct_input
from interstage.fem.from_deck.dynamics import read_dynamics
from interstage.fem.from_deck.eigen_requests import read_buckling_requests, read_eigen_requests
from interstage.fem.from_deck.joined import joined_model
from interstage.fem.from_deck.materials import implausible_notes
from interstage.fem.from_deck.parts import lone_superelement, read_parts
from interstage.fem.from_deck.tables import endless_notes
from interstage.fem.from_deck.temperature import stray_notes, thermal_notes
from interstage.fem.loads import StaticLoadSets
from interstage.fem.model import FEModel
from interstage.fem.scalars import SystemTerms
from interstage.nastran import Deck, read_deck

NO_LOADS = "static loads cannot be used, which modes do without"
ROTARY_SINCE = 2020.0  # Simcenter Nastran: 2019.2 has no bending rotary inertia in lumped beams, 2022.1 has


def model_from_deck(deck: Deck | str | os.PathLike, rotary_inertia: bool | None = None) -> FEModel:
    """Return the FEModel of a deck, every card that changes the structure included."""
    if not isinstance(deck, Deck):
        deck = read_deck(deck)
    if deck.parts:
        return joined_model(read_parts(deck), partial(_one_model, rotary_inertia=rotary_inertia))
    alone = lone_superelement(deck)
    if alone is not None:
        raise alone
    ctx = Context(deck)
    if not ctx.grids.n_dof:
        raise DeckError("the deck has no grid or scalar point", file=deck.name)
    return _one_model(ctx, rotary_inertia)


def _one_model(ctx: Context, rotary_inertia: bool | None) -> FEModel:
    """The model of one section of bulk data."""
    deck = ctx.deck
    notes = [*design_notes(deck), *thermal_notes(ctx), *implausible_notes(deck), *endless_notes(deck)]
    if rotary_inertia is None:
        solver = deck.written_for
        rotary_inertia = solver is not None and solver[1] >= ROTARY_SINCE
        if rotary_inertia and any(len(deck.cards(name)) for name in ("CBEAM", "PBARL")):
            notes.append(
                f"lumped beams have bending rotary inertia, as in {solver[0]} {solver[1]:g} that the deck names"
            )
    blocks = read_elements(ctx, rotary_inertia)
    springs, given = scalar.read(ctx), dmig.read(ctx)
    springs.K.extend(genel.read(ctx))
    equations, links = rigid.read_rigid(ctx)
    given_loads = _loads(ctx, blocks)
    if given_loads.refused is not None:
        notes.append(f"{NO_LOADS}: {given_loads.refused}")
    notes += stray_notes(given_loads.temperatures, blocks)
    return FEModel(
        grids=ctx.grids,
        coordinates=ctx.coordinates,
        blocks=blocks,
        terms=SystemTerms(*(a + b for a, b in zip(springs, given))),
        wtmass=_real(ctx, "WTMASS", 1.0),
        coupled_mass=_real(ctx, "COUPMASS", -1.0) > 0,
        constraints=read_constraints(ctx),
        rigid=equations,
        links=links,
        loads=given_loads,
        eigen_requests=read_eigen_requests(ctx),
        buckling_requests=read_buckling_requests(ctx),
        case=deck.case,
        sol=deck.sol,
        params=ctx.params,
        source=deck.name,
        notes=[*deck.notes, *notes, *ctx.notes],
        springs=scalar.read_springs(ctx),
        dynamics=read_dynamics(ctx),
        direct=read_direct_input(ctx),
    )


def read_elements(ctx: Context, rotary: bool = False) -> list[ElementBlock]:
    """The elements of a deck that stand on grids, family by family; `rotary` as in `line.read`."""
    blocks = [
        *line.read(ctx, rotary=rotary),
        *bend.read(ctx),
        *beam3.read(ctx),
        *bush.read(ctx),
        *bush1d.read(ctx),
        *masses.read(ctx),
        *shells.read(ctx, k6rot=_real(ctx, "K6ROT", 100.0), snorm_deg=_real(ctx, "SNORM", 20.0)),
        *solids.read(ctx),
        *axisymmetric.read(ctx),
        *gap.read(ctx),
    ]
    blocks += connectors.read(ctx, blocks)
    masses.add_mass(ctx, blocks)
    return blocks


def _loads(ctx: Context, blocks: list[ElementBlock]) -> StaticLoadSets:
    """Static loads. What is wrong with them matters to statics alone, so that its error waits until then."""
    if ctx.deck.static_refusals:
        return StaticLoadSets(ctx.grids, refused=ctx.deck.static_refusals[0])
    try:
        return loads.read_loads(ctx, blocks)
    except InterstageError as error:
        return StaticLoadSets(ctx.grids, refused=error)


def _real(ctx: Context, name: str, default: float) -> float:
    """A PARAM as a real number."""
    value = ctx.params.get(name, default)
    if isinstance(value, tuple):
        value = value[0]
    if isinstance(value, str):
        raise DeckError(f"PARAM {name} is not a number", file=ctx.deck.name, got=value)
    return float(value)
