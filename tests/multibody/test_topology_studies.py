"""Quick parts of the study of separation: a lumped mass against finite elements, docking against dense equations."""

import numpy as np
import pytest

separation = pytest.importorskip("validation.separation")


@pytest.mark.parametrize("part", ["lumped_rows", "docking_rows"])
def test_part_of_the_study_holds(part):
    rows = getattr(separation, part)()
    assert rows
    assert [row for row in rows if not row.passed] == []


def test_states_of_the_study_do_not_depend_on_the_signs_of_modes(monkeypatch):
    """Another machine's eigensolver gives modes other signs; the docking is the same one."""
    from interstage.component import component_modes

    def lost() -> float:
        (row,) = (row for row in separation.docking_rows() if row.quantity == "energy lost, J")
        return float(row.ours)

    def flipped(*arguments):
        values, shapes = solve(*arguments)
        return values, shapes * (-1.0) ** np.arange(len(values))

    solve, here = component_modes.rayleigh_ritz, lost()
    monkeypatch.setattr(component_modes, "rayleigh_ritz", flipped)
    assert lost() == pytest.approx(here, rel=1e-7)  # seven printed digits
