"""Internal modes of CQUAD4 where bending and membrane have different Poisson ratios."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.fem.elements.laminate import ShellSection, section_table
from interstage.fem.elements.quad4 import Quad4Block

SQUARE = np.array([[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]])
HOURGLASS = np.array([1.0, -1.0, 1.0, -1.0])


def plane(E: float, nu: float) -> np.ndarray:
    return E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])


def hourglass_stiffness(A: np.ndarray, D: np.ndarray, dof: int) -> float:
    """Twice the energy of a unit hourglass of one dof."""
    sections = section_table([ShellSection(A, D, None, 0.0, 1.0)])
    block = Quad4Block("CQUAD4", [1], [[0, 1, 2, 3]], SQUARE, sections, [0], k6rot=0.0)
    u = np.zeros((4, 6))
    u[:, dof] = HOURGLASS
    return float(u.ravel() @ block.stiffness(slice(0, 1))[0] @ u.ravel())


@pytest.mark.kernels
def test_bending_has_the_internal_modes_of_the_membrane():
    """Strains (η, -ν η) of the hourglass with the membrane's ν: 4/3 (D11 - 2ν D12 + ν² D22) on a square of side 2."""
    A, D, nu = plane(3.0, 0.1), plane(7.0, 0.4), 0.1
    wanted = 4 / 3 * (D[0, 0] - 2 * nu * D[0, 1] + nu**2 * D[1, 1])
    assert hourglass_stiffness(A, D, 4) == pytest.approx(wanted)
    assert hourglass_stiffness(A, D, 0) == pytest.approx(4 / 3 * 3.0)  # least energy: E


@pytest.mark.kernels
def test_a_section_without_membrane_has_those_of_bending():
    assert hourglass_stiffness(np.zeros((3, 3)), plane(7.0, 0.4), 4) == pytest.approx(4 / 3 * 7.0)
