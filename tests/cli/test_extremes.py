"""Extremes of element results: hand-calculated rods in two properties, in text and JSON."""

from __future__ import annotations

import json

import pytest

from interstage.cli.main import main

RODS = """SOL 101
CEND
SPC = 1
LOAD = 1
BEGIN BULK
GRID,1,,0.,0.,0.,,23456
GRID,2,,1.,0.,0.,,23456
GRID,3,,2.,0.,0.,,23456
GRID,4,,3.,0.,0.,,23456
CROD,11,1,1,2
CROD,12,2,2,3
CROD,13,2,3,4
CONROD,14,3,4,1,.5
PROD,1,1,2.
PROD,2,1,.5
MAT1,1,1.+7,,.3
SPC1,1,1,1,4
FORCE,1,2,,{0},1.,0.,0.
ENDDATA
"""


@pytest.fixture
def command(tmp_path, capsys):
    def run(text, *options):
        path = tmp_path / "a.bdf"
        path.write_text(text)
        with pytest.raises(SystemExit) as stop:
            main(["static", str(path), *options])
        assert stop.value.code == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rods_in_two_properties(command, sign):
    text = RODS.format(sign * 900.0)
    # areas: 2 to the left of grid 2; to its right .5, then .5 beside .5, together 1 / (1/.5 + 1/1) = 1/3
    right, left = -sign * 900.0 / 7.0, sign * 900.0 * 6.0 / 7.0
    found = json.loads(command(text, "--forces", "--stresses", "--json"))["subcases"]["1"]["extremes"]
    forces, stresses = found["forces"], found["stresses"]
    both = {11: left, 12: right, 13: right / 2.0}
    low, high = min(both, key=both.get), max(both, key=both.get)
    axial = forces["CROD"]["all"]["axial"]
    assert (axial["min_at"], axial["max_at"]) == (low, high)
    assert [axial["min"], axial["max"]] == pytest.approx([both[low], both[high]])
    second = stresses["CROD"]["2"]["axial"]
    assert sorted([second["min"], second["max"]]) == pytest.approx(sorted([right / 0.5, right]))
    assert {second["min_at"], second["max_at"]} == {12, 13} and second["max_at"] == (12 if sign < 0 else 13)
    assert set(forces["CROD"]) == {"all", "1", "2"} and set(forces["CONROD"]) == {"all"}
    assert set(stresses["CROD"]["all"]) == {"axial", "torsion"}  # no margins


def test_text_and_what_is_not_asked_for(command):
    text = RODS.format(900.0)
    out = " ".join(command(text, "--forces").split())
    assert "extremes of forces of CROD: axial -128.6 at 12 to 771.4 at 11" in out
    assert "extremes of forces of CROD, property 2: axial -128.6 at 12 to -64.29 at 13" in out
    assert "extremes of forces of CONROD, property" not in out
    assert "extremes" not in json.loads(command(text, "--json"))["subcases"]["1"]
