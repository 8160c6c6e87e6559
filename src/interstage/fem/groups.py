"""Energy by group of elements: which part of a structure a mode or a load case works in.

    share of a group = Σ_e E_e / E,   E_e = ½ u_eᵀ k_e u_e  or  ½ ω² φ_eᵀ m_e φ_e

What no group names is the rest, so that the shares of groups that do not overlap add up to the whole of the elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.fem.recovery import ElementTables

REST = "rest"


@dataclass(frozen=True)
class GroupEnergy:
    """Energies of groups of elements.

    names : of the groups; the last is "rest", what no group names
    energy, percent : (groups,) of a static solution, (modes, groups) of modes; percent of the whole structure's
    """

    names: tuple[str, ...]
    energy: np.ndarray
    percent: np.ndarray


@named_arguments
def energy_by_group(tables: ElementTables, groups: Mapping[str, Iterable[int]]) -> GroupEnergy:
    """Add up the energies of `strain_energy` or `kinetic_energy` tables by group.

    groups : name -> element ids; an id may stand in several groups
    """
    if REST in groups:
        raise InputError(f"a group may not be called {REST!r}: that is what no group names")
    found = [tables[name] for name in tables]
    eid = np.concatenate([table.element_ids for table in found])
    values = np.concatenate([table.values[..., :2] for table in found], axis=-2)
    inside = np.zeros((len(groups) + 1, len(eid)), dtype=bool)
    for row, (name, ids) in zip(inside, groups.items()):
        wanted = np.unique(np.asarray(list(ids), dtype=np.int64))
        unknown = np.setdiff1d(wanted, eid)
        if len(unknown):
            raise InputError(f"group {name!r} names element {unknown[0]}, which has no energy here")
        row[:] = np.isin(eid, wanted)
    inside[-1] = ~inside[:-1].any(axis=0)
    energy, percent = (values[..., k] @ inside.T for k in (0, 1))
    return GroupEnergy((*groups, REST), energy, percent)
