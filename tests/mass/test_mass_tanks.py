"""Fill laws against integrals over thin discs, tanks in trees, and JSON files of trees."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mass_cases import brute_force, close, plate

from interstage.errors import FileError, InertiaError, InputError
from interstage.mass import (
    CylinderFill,
    FillTable,
    MassBody,
    Orientation,
    SolidGrain,
    SphereFill,
    Tank,
)
from interstage.mass.json_file import from_dict, to_dict


def discs(heights, radii2, inner2, density):
    """Mass, height of the centre of mass, and moments along and across, of stacked rings (Gauss points)."""
    t, w = heights
    dm = density * np.pi * (radii2 - inner2) * w
    m = dm.sum()
    z = (dm * t).sum() / m
    r2 = radii2 + inner2
    return m, z, 0.5 * (dm * r2).sum(), (dm * (0.25 * r2 + (t - z) ** 2)).sum()


def gauss(a, b, n=12):
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * w


@pytest.mark.parametrize("fraction", [1e-9, 1e-3, 0.2, 0.5, 0.8, 1 - 1e-9, 1.0])
def test_sphere_holds_a_cap_of_liquid(fraction):
    law = SphereFill(radius=1.5, density=800.0, center=(1.0, 2.0, 3.0), axis="-x")
    mass = fraction * law.capacity
    h = law.level(mass)
    t = gauss(0.0, h)
    m, z, along, across = discs(t, t[0] * (3.0 - t[0]), 0.0, 800.0)
    assert m == pytest.approx(mass, rel=1e-13)
    com, inertia = law.properties(mass)
    close(com, [1.0 + 1.5 - z, 2.0, 3.0], 1e-12)
    close(inertia, np.diag([along, across, across]), 1e-12 * max(along, across))
    if fraction == 1.0:
        close(inertia / (0.4 * mass * 1.5**2), np.eye(3), 1e-13)


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 1.0])
def test_cylinder_and_grain(fraction):
    law = CylinderFill(radius=0.7, length=3.0, density=1000.0, bottom=(0, 0, -1.0), axis="z")
    mass = fraction * law.capacity
    com, inertia = law.properties(mass)
    close(com, [0, 0, -1 + 1.5 * fraction])
    if fraction:
        _, _, along, across = discs(gauss(0, law.level(mass)), 0.49, 0.0, 1000.0)
        close(inertia / mass, np.diag([across, across, along]) / mass)
    for burning in ("bore", "end"):
        grain = SolidGrain(0.7, 0.3, 3.0, 1700.0, axis="y", burning=burning)
        mass = fraction * grain.capacity
        com, inertia = grain.properties(mass)
        h = 3.0 if burning == "bore" else 3.0 * fraction
        inner2 = 0.09 if burning == "end" else 0.49 - fraction * 0.4
        close(com, [0, 0.5 * h, 0])
        if fraction:
            m, _, along, across = discs(gauss(0, h), 0.49, inner2, 1700.0)
            assert m == pytest.approx(mass, rel=1e-13)
            close(inertia / mass, np.diag([across, along, across]) / mass)


def test_table_law_goes_through_its_rows():
    law = CylinderFill(1.0, 2.0, 10.0)
    masses = np.linspace(0, law.capacity, 9)
    rows = [law.properties(m) for m in masses]
    table = FillTable(masses, [c for c, _ in rows], [i for _, i in rows])
    for m, (com, inertia) in zip(masses, rows):
        got = table.properties(m)
        close(got[0], com)
        close(got[1], inertia)
    assert table.properties(0.5 * (masses[3] + masses[4]))[0][2] == pytest.approx(
        0.5 * (rows[3][0][2] + rows[4][0][2])
    )
    with pytest.raises(InputError, match="fill table"):
        FillTable([1.0, 1.0], [[0, 0, 0]] * 2, [np.eye(3)] * 2)


def test_tank_burns_in_a_tree():
    hull = plate("hull")
    tank = Tank(
        "tank",
        SphereFill(0.5, 1000.0),
        fill=0.9,
        dry_mass=20.0,
        dry_position=[0, 0, 0.1],
        dry_inertia=[2, 2, 2],
    )
    tank.attach_to(hull, offset=[0, 0, -2])
    for _ in range(5):
        start = hull.composite.mass
        taken = tank.burn(100.0)
        close(start - hull.composite.mass, taken, 1e-9)
        _, com, inertia = brute_force(hull)
        close(hull.composite.position, com, 1e-12)
        close(hull.composite.inertia, inertia, 1e-9)
    assert tank.burn(1e9) == pytest.approx(0.0, abs=1e-9) and tank.contents == 0.0
    close(tank.core.mass, 20.0)
    close(tank.core.inertia, 2 * np.eye(3))
    with pytest.raises(InertiaError, match="do not fit into the tank"):
        tank.set_contents(1e4)
    with pytest.raises(InputError, match="set_contents or burn"):
        tank.set_core(mass=1.0)
    with pytest.raises(InputError, match="radius of a fill law must be positive"):
        SphereFill(-1.0, 1000.0)
    with pytest.raises(InputError, match="not a direction"):
        SphereFill(1.0, 1000.0, axis="up")


def vehicle():
    root = MassBody(
        "bus", 10.0, [0.1, 0.2, 0.3], [5, 6, 7], orientation=Orientation.euler("xyz", [0.1, 0.2, 0.3])
    )
    root.add_point("dock", [1, 0, 0], Orientation.eigen_rotation([0, 1, 0], 0.4))
    tank = Tank(
        "tank",
        CylinderFill(0.4, 1.0, 900.0, (0, 0, 0.1), "-z"),
        fill=0.3,
        dry_mass=4.0,
        dry_inertia=[1, 1, 1],
    )
    tank.attach_to(root, offset=[0, 1, 0], orientation=Orientation.eigen_rotation([1, 1, 0], 0.7))
    panel = plate("panel")
    panel.add_point("root", [0.5, 0, 0])
    panel.attach_to(tank, point="root", parent_point=tank.add_point("lug", [0, 0, 1]))
    return root


def test_a_file_gives_the_same_tree_again(tmp_path):
    root = vehicle()
    root.save(tmp_path / "tree.json")
    again = MassBody.load(tmp_path / "tree.json")
    assert [b.name for b in again.walk()] == ["bus", "tank", "panel"]
    for a, b in zip(root.walk(), again.walk()):
        assert type(a) is type(b) and list(a.points) == list(b.points)
        close(a.composite.position, b.composite.position, 1e-14)
        close(a.composite.inertia, b.composite.inertia, 1e-12)
        close(a.structure_point.T_parent_this, b.structure_point.T_parent_this, 1e-15)
    again.children[0].burn(10.0)
    root.children[0].burn(10.0)
    close(root.composite.inertia, again.composite.inertia, 1e-12)
    assert json.loads((tmp_path / "tree.json").read_text())["units"] == {"mass": "kg", "length": "m"}
    part = from_dict(to_dict(root.children[0]))  # a branch is a tree
    assert part.parent is None and part.name == "tank"


def test_units_of_a_file_are_converted_when_read():
    root = vehicle()
    data = json.loads(json.dumps(to_dict(root, "lbm", "in")))  # numbers were pounds and inches
    si = from_dict(data)
    close(si.composite.mass, 0.45359237 * root.composite.mass, 1e-12)
    close(si.composite.position, 0.0254 * root.composite.position, 1e-14)
    back = from_dict(data, "lbm", "in")
    close(back.composite.inertia, root.composite.inertia, 1e-10)
    si.children[0].burn(0.45359237)
    root.children[0].burn(1.0)
    close(si.composite.inertia, 0.45359237 * 0.0254**2 * root.composite.inertia, 1e-14)


def test_damaged_files_are_sentences(tmp_path):
    path = tmp_path / "bad.json"
    with pytest.raises(FileError, match="no such file"):
        MassBody.load(path)
    path.write_text("{")
    with pytest.raises(FileError, match="not a JSON file"):
        MassBody.load(path)
    good = to_dict(vehicle())
    for change, match in (
        (lambda d: d.update(format="x"), "not a mass tree"),
        (lambda d: d.update(version=2), "newer version"),
        (lambda d: d["units"].update(mass="stone"), "unknown unit of mass.*kg"),
        (lambda d: d["bodies"][1].pop("core"), "body 1 has a bad or missing entry"),
        (lambda d: d["bodies"][1].update(parent=2), "not in order"),
        (lambda d: d["bodies"][2].update(kind="magic"), "unknown kind of body 'magic'"),
        (lambda d: d["bodies"][1]["tank"].update(law="os.system"), "unknown fill law"),
        (lambda d: d["bodies"][0]["core"].update(inertia=[1, 1, 9]), "triangle inequality"),
        (lambda d: d.update(bodies=[]), "without bodies"),
        (lambda d: d.update(bodies=7), "bad or missing entry"),
    ):
        data = json.loads(json.dumps(good))
        change(data)
        path.write_text(json.dumps(data))
        with pytest.raises(FileError, match=match) as caught:
            MassBody.load(path)
        assert "bad.json" in str(caught.value)


def test_only_known_kinds_are_written():
    class Odd(MassBody):
        pass

    with pytest.raises(InputError, match="Odd cannot be written"):
        to_dict(Odd("odd"))


def test_a_tank_takes_its_capacity_and_no_more():
    """What rounding adds is cut off; what is more than rounding is refused and changes nothing."""
    tank = Tank("lox", CylinderFill(radius=0.5, length=2.0, density=1000.0), fill=0.5)
    full = tank.law.capacity
    tank.set_contents(full * (1.0 + 4e-13))
    assert tank.contents == full and tank.fill == 1.0
    tank.set_contents(-4e-13 * full)
    assert tank.contents == 0.0
    tank.set_contents(0.25 * full)
    for wrong in (full * (1.0 + 1e-9), -1e-9 * full):
        with pytest.raises(InertiaError):
            tank.set_contents(wrong)
        assert tank.contents == 0.25 * full
