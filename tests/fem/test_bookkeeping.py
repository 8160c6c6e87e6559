"""Energies by group of elements, and measured modes from files against computed ones."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError, InputError
from interstage.fem import energy_by_group, read_measured
from interstage.nastran import deck_from_text

CHAIN = """SOL 103
CEND
SPC = 1
METHOD = 1
BEGIN BULK
CELAS2,1,100.,1,1
CELAS2,2,200.,1,1,2,1
CELAS2,3,300.,2,1,3,1
CONM2,11,1,,1.
CONM2,12,2,,2.
CONM2,13,3,,3.
GRID,1,,0.,0.,0.,,23456
GRID,2,,1.,0.,0.,,23456
GRID,3,,2.,0.,0.,,23456
SPC1,1,23456,1
EIGRL,1,,,3
ENDDATA
"""


@pytest.fixture(scope="module")
def modes():
    return ist.normal_modes(ist.FEModel.from_deck(deck_from_text(CHAIN)))


def test_groups_share_the_energy_of_modes(modes):
    """Springs and masses in line: strain energy ½ k δ², kinetic energy ½ ω² m u², each ½ ω² in all."""
    u = modes.shapes[[modes.grids.dof_of(g, 1) for g in (1, 2, 3)]]
    stretch = np.vstack([u[0], u[1] - u[0], u[2] - u[1]])
    strain = 0.5 * np.array([100.0, 200.0, 300.0])[:, None] * stretch**2
    found = energy_by_group(modes.strain_energy, {"root": [1], "both": [1, 2]})
    assert found.names == ("root", "both", "rest")
    np.testing.assert_allclose(found.energy.T, [strain[0], strain[0] + strain[1], strain[2]], rtol=1e-9)
    np.testing.assert_allclose(found.percent[:, 1:].sum(axis=1), 100.0, rtol=1e-9)
    motion = energy_by_group(modes.kinetic_energy, {"tip": [13]})
    np.testing.assert_allclose(motion.energy[:, 0], 1.5 * modes.eigenvalues * u[2] ** 2, rtol=1e-9)
    np.testing.assert_allclose(motion.energy.sum(axis=1), 0.5 * modes.eigenvalues, rtol=1e-9)


def test_groups_that_cannot_be_are_refused(modes):
    with pytest.raises(InputError, match="element 7, which has no energy"):
        energy_by_group(modes.strain_energy, {"a": [1, 7]})
    with pytest.raises(InputError, match="may not be called"):
        energy_by_group(modes.strain_energy, {"rest": [1]})


def uff(hz: float, damping: float, values: dict[int, list[float]], kind: int = 2, data: int = 2) -> str:
    """Dataset 55 with three translations at each node."""
    lines = ["    -1", "    55", *["NONE"] * 5]
    head = [hz, 1.0, damping, 0.0] if kind == 2 else [*poles(hz, damping), 0.0, 0.0, 0.0, 0.0]
    lines += [f"{1:10d}{kind:10d}{2:10d}{8:10d}{data:10d}{3:10d}", f"{2:10d}{len(head):10d}{0:10d}{1:10d}"]
    lines.append("".join(f"{v:13.5e}" for v in head))
    for node, numbers in values.items():
        lines += [f"{node:10d}", "".join(f"{v:13.5e}" for v in numbers)]
    return "\n".join([*lines, "    -1"]) + "\n"


def poles(hz: float, damping: float) -> list[float]:
    w = 2 * np.pi * hz
    return [-damping * w, w * np.sqrt(1 - damping**2)]


@pytest.mark.parametrize("kind", ["csv", "uff", "complex"])
def test_measured_modes_are_recognized(kind, modes, tmp_path):
    """Computed modes in another order and size: MAC is a permutation, and so is what the files say."""
    rows = [modes.grids.dof_of(g, 1) for g in (1, 2, 3)]
    order, scale = [2, 0, 1], [3.0, -0.5, 7.0]
    shapes = modes.shapes[np.ix_(rows, order)] * scale
    hz = modes.frequencies_hz[order]
    path = tmp_path / ("test.csv" if kind == "csv" else "test.unv")
    if kind == "csv":
        lines = ["grid,component," + ",".join(f"{f:.9g}" for f in hz)]
        lines += [f"{g},1," + ",".join(f"{v:.9g}" for v in shapes[g - 1]) for g in (1, 2, 3)]
        path.write_text("\n".join(lines))
    elif kind == "uff":
        text = [uff(f, 0.01, {g: [shapes[g - 1, k], 0.0, 0.0] for g in (1, 2, 3)}) for k, f in enumerate(hz)]
        path.write_text("    -1\n   151\nheader\n    -1\n" + "".join(text))
    else:
        turned = shapes * np.exp(0.7j)
        text = ""
        for k, f in enumerate(hz):
            numbers = {g: [turned[g - 1, k].real, turned[g - 1, k].imag, 0, 0, 0, 0] for g in (1, 2, 3)}
            text += uff(f, 0.01, numbers, kind=3, data=5)
        path.write_text(text)
    measured = read_measured(path)
    np.testing.assert_allclose(measured.frequencies_hz, hz, rtol=2e-5)
    if kind != "csv":
        np.testing.assert_allclose(measured.damping, 0.01, rtol=2e-4)
    found = measured.mac(modes)
    wanted = np.zeros((3, 3))
    wanted[order, [0, 1, 2]] = 1.0
    A = modes.shapes[rows]
    likeness = (A.T @ A) ** 2 / np.outer((A**2).sum(axis=0), (A**2).sum(axis=0))
    np.testing.assert_allclose(found, likeness[:, order], atol=1e-4)
    np.testing.assert_allclose(found[wanted == 1.0], 1.0, atol=1e-8)


def test_files_that_hold_no_modes_are_refused(modes, tmp_path):
    path = tmp_path / "frf.unv"
    path.write_text("    -1\n    58\nfunction\n    -1\n")
    with pytest.raises(FileError, match="no modes in this file"):
        read_measured(path)
    path.write_text(
        uff(1.0, 0.0, {1: [1.0, 0.0, 0.0]}).replace(f"{1:10d}{2:10d}{2:10d}", f"{1:10d}{2:10d}{'x':>10s}")
    )
    with pytest.raises(FileError, match="dataset 55 cannot be read"):
        read_measured(path)
    path = tmp_path / "short.csv"
    path.write_text("grid,component,1.0\n1,1\n")
    with pytest.raises(FileError, match="as many numbers in each row"):
        read_measured(path)
    path.write_text("grid,component,1.0\n9,1,2.0\n")
    with pytest.raises(InputError, match="grid 9 component 1"):
        read_measured(path).mac(modes)


@pytest.mark.parametrize("row", ["1.7,3,1.0", "nan,3,1.0", "1,3,nan", "1,3.5,1.0"])
def test_measured_modes_of_places_that_are_none(tmp_path, row):
    path = tmp_path / "measured.csv"
    path.write_text(f"grid,component,5.0\n2,3,1.0\n{row}\n")
    with pytest.raises(FileError, match=rf"measured modes cannot be read.*got {row}"):
        read_measured(path)
