"""Matrices of simple structures without a deck."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.fem.elements.bar import BarBlock, BarSection, LineGeometry


@named_arguments
def lumped_beam(
    length: float, elements: int, *, EA: float, GJ: float, EI: float | tuple[float, float], mass: ArrayLike
) -> tuple[np.ndarray, np.ndarray, dict[int, list[float]]]:
    """Return K, M (6n, 6n) and nodes {1: [0, 0, 0], ..., n: [length, 0, 0]} of lumped masses on CBAR elements.

    EI is the bending stiffness in the xy plane and in the xz plane (one number: in both); mass (6,) or (n, 6) is
    what each node carries on T1 T2 T3 R1 R2 R3. Any consistent units.

    >>> K, M, nodes = lumped_beam(2.0, 4, EA=1e6, GJ=10.0, EI=20.0, mass=[1, 1, 1, 0.1, 0.1, 0.1])
    >>> K.shape, nodes[5], float(round(1 / np.linalg.inv(K[6:, 6:])[19, 19], 9))  # 3 EI / L³ at the tip
    ((30, 30), [2.0, 0.0, 0.0], 7.5)
    """
    if elements < 1:
        raise InputError("a beam has at least one element", where="lumped_beam", got=str(elements))
    n, L = elements + 1, length / elements
    in_xy, in_xz = _spread(EI, (2,), "EI")
    # E = G = 1: the properties are the stiffnesses
    values = {"E": 1.0, "G": 1.0, "A": EA, "I1": in_xy, "I2": in_xz, "J": GJ}
    section = BarSection(**{name: np.array([values.get(name, 0.0)]) for name in BarSection.__annotations__})
    still = np.zeros((1, 3))
    geometry = LineGeometry(np.eye(3)[None], np.array([L]), still, still, np.zeros((1, 12), dtype=bool))
    k = BarBlock([1], [[0, 1]], geometry, section).stiffness(slice(None))[0]
    K = np.zeros((6 * n, 6 * n))
    for first in range(0, 6 * elements, 6):
        K[first : first + 12, first : first + 12] += k
    M = np.diag(_spread(mass, (n, 6), "mass").ravel())
    return K, M, {i + 1: [i * L, 0.0, 0.0] for i in range(n)}


def _spread(value: ArrayLike, shape: tuple[int, ...], where: str) -> np.ndarray:
    """Return numbers repeated to a shape."""
    numbers = np.asarray(value, dtype=float)
    try:
        return np.broadcast_to(numbers, shape)
    except ValueError:
        wanted = f"{shape[-1]} numbers" + (f", or {shape[0]} rows of them" if len(shape) > 1 else ", or one")
        raise InputError(
            f"lumped_beam: {where} does not fit", expected=wanted, got=f"shape {numbers.shape}"
        ) from None
