"""Quick parts of the study of separation: a lumped mass against finite elements, docking against dense equations."""

import pytest

separation = pytest.importorskip("validation.separation")


@pytest.mark.parametrize("part", ["lumped_rows", "docking_rows"])
def test_part_of_the_study_holds(part):
    rows = getattr(separation, part)()
    assert rows
    assert [row for row in rows if not row.passed] == []
