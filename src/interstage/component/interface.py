"""Grids and their components 1 to 6: how an interface is written, read and joined.

Effective interface mass: how much each fixed-interface mode of a component is felt at its interface.

With the mass of Craig-Bampton coordinates [u_b; q], made of blocks M_bb, P = M_qb and m = M_qq (diagonal), a mode
answers accelerations of the interface with the force of

    M_i = P_iᵀ P_i / m_i         (nb, nb),          Σ_i M_i + M_rest = M_bb,

M_rest = M_bb - PᵀM_qq⁻¹P being what the interface still feels when every mode is far above its resonance. Its share
e_i = tr(M_bb⁻¹ M_i)/nb, ranks modes (Kammer and Triller, AIAA J. 34, 1996). For an interface of one grid the
diagonal of M_i is the effective mass of the clamped mode about that grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from interstage.errors import InputError, ModelError, known_names, shown


def components_of(value: int | str, where: str | None = None) -> list[int]:
    """Read components 1-6 from 123456, "123" or 13; repeated or strange digits are an error.

    >>> components_of(135)
    [0, 2, 4]
    """
    text = str(value)
    if not text or set(text) - set("123456") or len(set(text)) != len(text):
        raise InputError(
            "components are not usable",
            where=where,
            expected="digits 1 to 6, each once, as in 123456",
            got=shown(value),
        )
    return sorted(int(c) - 1 for c in text)


def checked_grids(what: str, wanted: object) -> dict[int, int]:
    """Return a mapping of grids and components in the order of the grids, components as sorted digits.

    >>> checked_grids("aset", {9: "31", 1: 123456})
    {1: 123456, 9: 13}
    """
    if not isinstance(wanted, Mapping):
        raise InputError(
            f"{what} is not usable",
            where=what,
            expected="grid: components, as in {1: 123456}",
            got=shown(wanted),
        )
    out = {}
    for grid, value in wanted.items():
        text = "" if isinstance(grid, bool | np.bool_) else str(grid).strip()
        if not text.isdecimal() or not 0 < int(text[:20]) < 2**63:
            raise InputError(f"{what} names no grid", where=what, expected="a grid id > 0", got=shown(grid))
        if int(text) in out:
            raise InputError(f"{what} names a grid twice", where=what, got=shown(grid))
        out[int(text)] = digits(components_of(value, what))
    return dict(sorted(out.items()))


def check_grids(what: str, wanted: Mapping[int, int], node_ids: np.ndarray) -> None:
    """Refuse grids that are not among `node_ids` (ascending)."""
    for grid in wanted:
        row = int(np.searchsorted(node_ids, grid))
        if row == len(node_ids) or node_ids[row] != grid:
            raise InputError(
                f"{what} names a grid that is not in the model",
                where=f"grid {grid}",
                hint=known_names(node_ids),
            )


def digits(components: list[int]) -> int:
    """Write components 0 to 5 as digits: [0, 2] is 13."""
    return int("".join(str(c + 1) for c in components))


def merged(*sets: Mapping[int, int]) -> dict[int, int]:
    """Join interfaces; components of one grid are united.

    >>> merged({1: 12}, {1: 3, 9: 6})
    {1: 123, 9: 6}
    """
    out: dict[int, set[int]] = {}
    for entry in sets:
        for grid, value in entry.items():
            out.setdefault(int(grid), set()).update(components_of(value))
    return {grid: digits(sorted(values)) for grid, values in sorted(out.items())}


def coordinates_of(aset: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return grid and component 0 to 5 of every coordinate of an interface, in its order."""
    return [(grid, c) for grid, value in aset.items() for c in components_of(value)]


@dataclass(frozen=True)
class InterfaceMass:
    """Effective mass of fixed-interface modes at the interface.

    frequencies_hz : (k,)
    uset : (nb, 2) grid and component of the interface coordinates
    masses : (k, nb, nb) M_i;  rest : (nb, nb)
    share : (k,) e_i; they add up to one less the share of the rest
    """

    frequencies_hz: np.ndarray
    uset: np.ndarray
    masses: np.ndarray
    rest: np.ndarray
    share: np.ndarray

    def __repr__(self) -> str:
        lines = ["mode      hz     share  cumulative"]
        for k, (hz, one, most) in enumerate(zip(self.frequencies_hz, self.share, np.cumsum(self.share))):
            lines.append(f"{k + 1:4d} {hz:9.4g} {one:8.5f} {most:10.5f}")
        return "\n".join(lines)


def interface_mass(mass: np.ndarray, frequencies_hz: np.ndarray, uset: np.ndarray) -> InterfaceMass:
    """Return the effective interface mass of Craig-Bampton coordinates: mass (nb + nq, nb + nq), uset (nb + nq, 2)."""
    nb = len(uset) - len(frequencies_hz)
    M_bb, P, m = mass[:nb, :nb], mass[nb:, :nb], mass[nb:, nb:]
    try:
        answer = cho_solve(cho_factor(m), P) if len(m) else P
        inverse = cho_solve(cho_factor(M_bb), np.eye(nb))
    except LinAlgError:
        raise ModelError(
            "the interface has coordinates without mass",
            where="effective interface mass",
            hint="give the interface grids rotary inertia, or leave their rotations out of aset",
        ) from None
    masses = P[:, :, None] * answer[:, None, :]
    share = np.einsum("bc,icb->i", inverse, masses) / max(nb, 1)
    return InterfaceMass(frequencies_hz, uset[:nb], masses, M_bb - P.T @ answer, share)
