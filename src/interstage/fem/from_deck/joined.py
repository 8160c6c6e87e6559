"""One finite-element model of a residual structure and its parts.

Every part keeps its own points; those that it shares with others are tied to them by equations, u = R u_other in the CD
systems of both. Numbers of points and elements stay as long as they are not taken, and have a shift otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from interstage.errors import InterstageError, ModelError
from interstage.fem.case import SubcaseSelections
from interstage.fem.constraints import Equations, equations, explicit, join
from interstage.fem.coordinates import Coordinates
from interstage.fem.elements.block import ElementBlock
from interstage.fem.from_deck.constraints import ConstraintCards
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.mirrored import mirrored_model
from interstage.fem.from_deck.parts import Parts
from interstage.fem.grids import Grids
from interstage.fem.loads import LoadSet, StaticLoadSets, TemperatureSet, Within
from interstage.fem.model import FEModel
from interstage.fem.scalars import SystemTerms

FIRST_SET = 100_000_000  # numbers of sets that no deck can have


@dataclass
class _Place:
    """One model in the joined one.

    points : its number of a point -> number in the joined model; elements : the same of elements
    rows, dofs : grid rows and g-set dofs of the joined model by its own
    """

    model: FEModel
    points: dict[int, int]
    elements: Callable[[np.ndarray], np.ndarray]
    systems: Callable[[np.ndarray], np.ndarray]
    rows: np.ndarray
    dofs: np.ndarray

    def ends(self, dofs: np.ndarray) -> np.ndarray:
        """Dofs, -1 (ground) stays."""
        return np.where(dofs < 0, -1, self.dofs[dofs]) if len(self.dofs) else dofs

    def equations(self, given: Equations) -> Equations:
        return replace(given, dof=self.dofs[given.dof], dependent=self.dofs[given.dependent])


def joined_model(parts: Parts, build: Callable[[Context], FEModel]) -> FEModel:
    """Build the model of every part and put them together."""
    models = {number: build(ctx) for number, ctx in parts.contexts.items()}
    models |= {n: mirrored_model(models[n], mirror) for n, mirror in parts.mirrors.items()}
    main = models[0]
    for name in ("wtmass", "coupled_mass"):
        other = [n for n, one in models.items() if getattr(one, name) != getattr(main, name)]
        if other:
            param = "WTMASS" if name == "wtmass" else "COUPMASS"
            raise ModelError(f"PARAM {param} of part {other[0]} is not that of the main bulk data")
    grids, coordinates, places, notes = _points(models)
    joined = ConstraintCards(
        permanent=np.concatenate(
            [
                place.dofs[
                    np.concatenate(
                        [
                            m.constraints.permanent,
                            m.constraints.cards.q if n and n not in parts.external else [],
                        ]
                    ).astype(int)
                ]
                for n, place in places.items()
                for m in [place.model]
            ]
        ),
        cards=_cards(places[0]),
    )
    loads = _loads(grids, places)
    case = _case(places, joined, loads)
    ties = _ties(parts, grids, places, joined, loads)
    out = replace(
        main,
        grids=grids,
        coordinates=coordinates,
        constraints=joined,
        rigid=join([*(place.equations(place.model.rigid) for place in places.values()), ties]),
        loads=loads,
        case=case,
        blocks=[block for place in places.values() for block in _blocks(place, len(grids))],
        terms=_terms(places),
        springs=[
            replace(one, eid=place.elements(one.eid), a=place.ends(one.a), b=place.ends(one.b))
            for place in places.values()
            for one in place.model.springs
        ],
        links=[
            replace(
                one, grid=place.points[one.grid], others=np.array([place.points[int(k)] for k in one.others])
            )
            for place in places.values()
            for one in place.model.links
        ],
        dynamics=_dynamics(places),
        direct=main.direct.moved(places[0].dofs, grids.n_dof),
        params=main.params | ({} if any(map(_conflicting, models.values())) else {"AUTOMSET": "YES"}),
        notes=list(dict.fromkeys([*main.notes, *notes, *_part_notes(models)])),
    )
    shared = sum(len(group) - 1 for group in parts.shared)
    count = f"{len(models) - 1} parts are" if len(models) > 2 else "1 part is"
    out.notes.append(f"{count} joined to one model at {shared} points that they share")
    return out


def _conflicting(model: FEModel) -> bool:
    """Whether equations of a part conflict by themselves: then it is an error, which joining must not mend.

    Otherwise the dependent dofs of shared points may be others than those of the equations that join them, where an SPC
    or MPC of any part needs them.
    """
    for case in model.case.subcases:
        dependent = join([model.rigid, model.constraints.mpc(case.mpc)]).dependent
        held = model.constraints.spc(case.spc)[0]
        if len(np.unique(dependent)) < len(dependent) or np.isin(dependent, held).any():
            return True
    return False


def _part_notes(models: dict[int, FEModel]) -> list[str]:
    known = set(models[0].notes)
    return [f"part {n}: {note}" for n, one in models.items() if n for note in one.notes if note not in known]


def _points(models: dict[int, FEModel]) -> tuple[Grids, Coordinates, dict[int, _Place], list[str]]:
    """The grid table of all, and the place of each model in it."""
    points = {n: np.concatenate([m.grids.id, m.grids.spoint]) for n, m in models.items()}
    eids = {n: np.concatenate([np.zeros(0, int), *_element_ids(m)]) for n, m in models.items()}
    largest = max(int(one.max(initial=1)) for one in (*points.values(), *eids.values()))
    step = 10 ** len(str(largest))
    coordinates, new, element, system, notes = Coordinates(), {}, {}, {}, []
    taken_points, taken_elements = np.zeros(0, int), np.zeros(0, int)
    for n, m in models.items():
        new[n], twice = _renumbered(points[n], taken_points, n * step)
        element[n] = _shifter(np.intersect1d(eids[n], taken_elements), n * step)
        taken_points = np.concatenate([taken_points, new[n]])
        taken_elements = np.concatenate([taken_elements, element[n](eids[n])])
        system[n] = _systems(coordinates, m.coordinates, n * step)
        if twice:
            notes.append(
                f"part {n}: numbers of {twice} points are taken; they have {n * step} added to theirs"
            )
    size = {n: len(m.grids) for n, m in models.items()}

    def stack(name: str) -> np.ndarray:
        return np.concatenate([getattr(m.grids, name) for m in models.values()])

    grids = Grids(
        np.concatenate([new[n][: size[n]] for n in models]),
        stack("xyz"),
        stack("R_basic_cd"),
        np.concatenate([system[n](m.grids.cd) for n, m in models.items()]),
        stack("ps"),
        np.concatenate([new[n][size[n] :] for n in models]),
        np.concatenate([system[n](m.grids.cp) for n, m in models.items()]),
    )
    places = {}
    for n, m in models.items():
        rows, scalar = grids.find(new[n][: size[n]]), grids.find_spoint(new[n][size[n] :])
        dofs = np.empty(m.grids.n_dof, dtype=np.int64)
        dofs[m.grids.dof[:, None] + np.arange(6)] = grids.dof[rows][:, None] + np.arange(6)
        dofs[m.grids.spoint_dof] = grids.spoint_dof[scalar]
        names = dict(zip(points[n].tolist(), new[n].tolist()))
        places[n] = _Place(m, names, element[n], system[n], rows, dofs)
    return grids, coordinates, places, notes


def _element_ids(model: FEModel) -> list[np.ndarray]:
    return [one.eid for one in (*model.blocks, *model.springs)]


def _renumbered(ids: np.ndarray, taken: np.ndarray, shift: int) -> tuple[np.ndarray, int]:
    twice = np.isin(ids, taken)
    return np.where(twice, ids + shift, ids), int(twice.sum())


def _shifter(clashing: np.ndarray, shift: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ids: np.where(np.isin(ids, clashing), ids + shift, ids)


def _systems(joined: Coordinates, own: Coordinates, shift: int) -> Callable[[np.ndarray], np.ndarray]:
    """Add the systems of a part; one whose number means another system there has the shift."""
    names = {}
    for cid, one in own.systems.items():
        there = joined.systems.get(cid)
        same = there is not None and there.kind == one.kind
        same = same and np.array_equal(there.origin, one.origin) and np.array_equal(there.R, one.R)
        names[cid] = cid if there is None or same else cid + shift
        joined.systems[names[cid]] = one
    return lambda cids: np.array([names[int(cid)] for cid in cids], dtype=np.int64)


def _blocks(place: _Place, n_grids: int) -> list[ElementBlock]:
    return [block.placed(place.rows, place.elements(block.eid), n_grids) for block in place.model.blocks]


def _terms(places: dict[int, _Place]) -> SystemTerms:
    def moved(place, one):
        return replace(one, eid=place.elements(one.eid), i=place.dofs[one.i], j=place.dofs[one.j])

    lists = zip(*(place.model.terms for place in places.values()))
    return SystemTerms(
        *(
            [moved(place, one) for place, part in zip(places.values(), group) for one in part]
            for group in lists
        )
    )


def _cards(place: _Place):
    """Set cards of the residual structure; those of a part say how it is reduced, which it is not."""
    c = place.model.constraints.cards
    moved = {name: place.dofs[getattr(c, name)] for name in ("a", "b", "c", "q", "o", "r")}
    return replace(c, **moved, user={name: place.dofs[one] for name, one in c.user.items()})


# equations between parts ----------------------------------------------------------------------------------


def _ties(
    parts: Parts, grids: Grids, places: dict[int, _Place], joined: ConstraintCards, loads: StaticLoadSets
) -> Equations:
    """Equations of shared points: others follow the first, unless an equation of their own makes them dependent.

    What holds a dof that follows holds the one it follows: sets that hold them differ from subcase to subcase.
    """
    rigid = [place.dofs[place.model.rigid.dependent] for place in places.values()]
    busy = {int(k) for k in np.concatenate([*rigid, *(one.dependent for one in joined.mpc_sets.values())])}
    follows = np.arange(grids.n_dof)
    out = []
    for group in parts.shared:
        first = places[group[0][0]].points[group[0][1]]
        for part, point in group[1:]:
            other, name = places[part].points[point], f"point {point} that part {part} shares"
            a, b = _dofs(grids, first), _dofs(grids, other)
            T = np.eye(len(a))
            if len(a) == 6:
                R = grids.R_basic_cd[grids.find(np.array([other, first]))]
                T = np.kron(np.eye(2), R[0].T @ R[1])
                T[np.abs(T) < 1e-14] = 0.0
            if np.abs(T - np.eye(len(a))).max() > 1e-12:
                out.append(explicit(b, a, T, name))
                busy.update(b.tolist())
                continue
            for i, j in zip(a.tolist(), b.tolist()):
                dependent, leader = (i, j) if j in busy and i not in busy else (j, i)
                busy.add(dependent)
                follows[dependent] = leader
                out.append(equations([0, 0], [i, j], [1.0, -1.0], [dependent], name))
    _hold_leaders(follows, joined, loads)
    return join(out)


def _hold_leaders(follows: np.ndarray, joined: ConstraintCards, loads: StaticLoadSets) -> None:
    """Let SPC, permanent ones and SPCD hold the dofs that others follow, in place of these."""
    while not np.array_equal(follows, follows[follows]):
        follows = follows[follows]
    joined.permanent = follows[joined.permanent]
    joined.spc_sets = {sid: (follows[dofs], values) for sid, (dofs, values) in joined.spc_sets.items()}
    for one in loads.sets.values():
        one.enforced = {int(follows[dof]): value for dof, value in one.enforced.items()}


def _dofs(grids: Grids, point: int) -> np.ndarray:
    row = int(grids.find(point))
    if row >= 0:
        return grids.dof[row] + np.arange(6)
    return grids.spoint_dof[grids.find_spoint(np.array([point]))]


# sets that case control selects ---------------------------------------------------------------------------


def _case(places: dict[int, _Place], joined: ConstraintCards, loads: StaticLoadSets):
    """Case control of the residual structure whose sets are those of all parts together, made here."""
    case = places[0].model.case
    made: dict[tuple, tuple[str, int]] = {}
    cases = []
    for k, main in enumerate(case.subcases):
        own = {n: _counterpart(place.model.case.subcases, main, k) for n, place in places.items()}
        new = copy(main)
        for kind, join_sets in (("spc", _spc), ("mpc", _mpc), ("suport1", _suport1), ("load", _load)):
            ids = {n: getattr(one, kind) for n, one in own.items()}
            if not any(ids.values()) or (kind == "load" and len(set(ids.values())) == 1):
                continue  # loads of one number are together already
            key = (kind, *ids.items())
            if key not in made:
                wanted = ids[0] or 0
                fresh = kind != "load" and wanted and (kind, wanted) not in made.values()
                number = wanted if fresh else FIRST_SET + len(made)
                made[key] = (kind, number)
                join_sets(places, joined, loads, ids, number)
            setattr(new, kind, made[key][1])
        cases.append(new)
    return replace(case, subcases=cases)


def _counterpart(cases: list[SubcaseSelections], main: SubcaseSelections, k: int) -> SubcaseSelections:
    """Subcase of a part that goes with one of the residual structure: the same, or the one at its place."""
    return next((one for one in cases if one.id == main.id), cases[min(k, len(cases) - 1)])


def _spc(places, joined, loads, ids, number) -> None:
    parts = []
    for n, sid in ids.items():
        own = places[n].model.constraints
        for one in own.spc_add.get(sid, [sid]):
            if one in own.spc_sets:
                dofs, values = own.spc_sets[one]
                parts.append((places[n].dofs[dofs], values))
    if parts:
        joined.spc_sets[number] = tuple(np.concatenate([p[k] for p in parts]) for k in (0, 1))


def _mpc(places, joined, loads, ids, number) -> None:
    found = [places[n].equations(places[n].model.constraints.mpc(sid)) for n, sid in ids.items()]
    joined.mpc_sets[number] = join(found)


def _suport1(places, joined, loads, ids, number) -> None:
    found = [
        places[n].dofs[places[n].model.constraints.suport1_sets[sid]]
        for n, sid in ids.items()
        if sid in places[n].model.constraints.suport1_sets
    ]
    if found:
        joined.suport1_sets[number] = np.concatenate(found)


def _load(places, joined, loads, ids, number) -> None:
    found = [
        (1.0, _load_number(n, sid))
        for n, sid in ids.items()
        if sid is not None and _load_number(n, sid) in loads
    ]
    if found:
        loads.combinations[number] = found


# loads ----------------------------------------------------------------------------------------------------


def _load_number(part: int, sid: int) -> int:
    """Number in the joined model of a load set of a part."""
    return FIRST_SET * (part + 2) + sid


def _loads(grids: Grids, places: dict[int, _Place]) -> StaticLoadSets:
    """Load sets of each part under numbers of their own, and all those of one number together under that."""
    refused: InterstageError | None = next(
        (p.model.loads.refused for p in places.values() if p.model.loads.refused), None
    )
    out = StaticLoadSets(grids, refused)
    first = 0
    for n, place in places.items():
        own = place.model.loads
        for sid, one in own.sets.items():
            out.sets[_load_number(n, sid)] = _load_set(place, one, first)
        for sid, terms in own.combinations.items():
            out.combinations[_load_number(n, sid)] = [(f, _load_number(n, one)) for f, one in terms]
        for sid in own.ids:
            out.combinations.setdefault(sid, []).append((1.0, _load_number(n, sid)))
        for sid, hot in own.temperatures.items():
            _add_temperatures(place, hot, out.temperatures.setdefault(sid, TemperatureSet()))
        for case, load in own.direct.items():
            np.add.at(out.direct.setdefault(case, np.zeros(grids.n_dof)), place.dofs, load)
        first += len(place.model.blocks)
    return out


def _load_set(place: _Place, one: LoadSet, first: int) -> LoadSet:
    return LoadSet(
        [place.dofs[dof] for dof in one.dof],
        list(one.value),
        [Within(item, place.dofs) for item in one.fields],
        {int(place.dofs[dof]): value for dof, value in one.enforced.items()},
        [replace(item, at=place.rows[item.at], on=place.rows[item.on]) for item in one.followers],
        {first + k: value for k, value in one.spans.items()},
        one.refused,
    )


def _add_temperatures(place: _Place, hot: TemperatureSet, out: TemperatureSet) -> None:
    grids = place.model.grids
    for point, value in zip(grids.id.tolist(), hot.at_grids(grids).tolist()):
        if not np.isnan(value):
            out.grids[place.points[point]] = value
    for mine, theirs in ((hot.plates, out.plates), (hot.bars, out.bars)):
        names = place.elements(np.fromiter(mine, np.int64)) if mine else ()
        theirs.update(zip([int(k) for k in names], mine.values()))
    out.refused = out.refused or hot.refused


def _dynamics(places: dict[int, _Place]):
    """Dynamic requests of the residual structure, with what parts add to its loads and initial motions."""
    main = places[0].model.dynamics
    spatial: dict[int, list] = {}
    start: dict[int, list] = {}
    for place in places.values():
        for sid, (dofs, *values) in place.model.dynamics.spatial.items():
            spatial.setdefault(sid, []).append((place.dofs[dofs], *values))
        for sid, (dofs, *values) in place.model.dynamics.start.items():
            start.setdefault(sid, []).append((place.dofs[dofs], *values))

    def stacked(given):
        return {sid: tuple(np.concatenate(column) for column in zip(*rows)) for sid, rows in given.items()}

    return replace(main, spatial=stacked(spatial), start=stacked(start))
