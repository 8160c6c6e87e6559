"""Descriptions of vehicles as files: what is read compiles to the same arrays, to the last bit."""

from __future__ import annotations

import json
from dataclasses import fields

import h5py
import numpy as np
import pytest
from multibody_models import JOINTS, beam, random_state, random_tree
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import FileError
from interstage.hdf5 import opened
from interstage.multibody.model import BodySpec
from interstage.multibody.model_file import put_system, system_in
from interstage.multibody.model_file import read_model as read


def same_arrays(a, b):
    """Assert that two compiled systems have the same constants and settings, bit for bit."""
    for name in a.tree._fields:
        x, y = np.asarray(getattr(a.tree, name)), np.asarray(getattr(b.tree, name))
        assert x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), name
    assert a.settings == b.settings and a.model.name == b.model.name and a.units == b.units


@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_compiles_to_the_same_bits(tmp_path, seed):
    rng = np.random.default_rng(seed)
    parts = [beam(), beam(5, 6, bend=0.2, name="bent")]
    mb = random_tree(rng, 12, [*JOINTS, ist.Slot("y"), ist.Ball(stiffness=2.0, rest=[0.8, 0.6, 0, 0])], parts)
    mb.save(tmp_path / "tree.h5")
    back = ist.Multibody.load(tmp_path / "tree.h5")
    a, b = mb.compile(), back.compile()
    same_arrays(a, b)
    x = random_state(a, rng)
    y = b.state(x.q, x.v)
    np.testing.assert_array_equal(a.forward_dynamics(x), b.forward_dynamics(y))
    assert len({id(s.component) for s in back.specs if s.component}) == len(
        {id(s.component) for s in mb.specs if s.component}
    )


def whole():
    """Return a vehicle with everything that can be said of one."""
    R = ist.Rotation.from_axis_angle([1, 2, 3], 0.4)
    boom = beam(name="boom")
    mb = ist.Multibody("observatory/1 %", gravity=[0.0, 0.1, -9.81], units="SI")
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free(), rotation=R)
    mb.add_body(
        "boom", component=boom.with_changes(units={"mass": "kg", "length": "m", "time": "s"}), node=1,
        parent="bus", at=[1 / 3, 0, 0], rotation=R, joint=ist.Revolute([0.1, 0.2, 1.0], stiffness=1e3, damping=0.1),
        damping=[0.01, 0.02, 0.03], n_modes=3, order=1, stiffening=False,
    )  # fmt: skip
    mb.add_body(
        "tip", mass=1.0, inertia=[0.1] * 3, parent="boom", at=4, joint=ist.Ball(stiffness=3.0, rest=R)
    )
    mb.add_body(
        "dish", mass=0.5, inertia=[0.1] * 3, parent="bus", port=[0, 0, 0.1],
        joint=ist.Universal(([1, 0, 0], "y"), prescribed=True),
    )  # fmt: skip
    mb.close("strut", ("boom", 5), ("bus", [0.3, 0.2, 0.1]), joint=ist.Cylindrical("x"), rotation=R)
    mb.close("anchor", ("tip", [0, 0, 0]), ("ground", [9.0, 0, 0]))
    return mb


def test_everything_that_can_be_said_of_a_vehicle_is_kept(tmp_path):
    mb, path = whole(), tmp_path / "whole.h5"
    mb.save(path)
    back = ist.load(path)
    assert isinstance(back, ist.Multibody) and str(back) == str(mb) and back.units == mb.units
    same_arrays(mb.compile(), back.compile())
    for spec, other in zip(mb.specs, back.specs):
        for field in fields(BodySpec):
            a, b = getattr(spec, field.name), getattr(other, field.name)
            if field.name in ("component", "inertia", "joint"):
                assert type(a) is type(b)
            else:
                assert np.array_equal(a, b) if a is not None else b is None, field.name
    assert back.specs[3].joint.prescribed and back.closures[0].joint == mb.closures[0].joint
    again = tmp_path / "again.h5"
    back.save(again)
    same_arrays(mb.compile(), read(again).compile())


def test_settings_of_a_compiled_system_and_its_places_travel_too(tmp_path):
    system = whole().compile()
    system.position(system.state(), "boom", 6)
    system.set_mass("bus", 20.0, [0.1, 0.0, 0.0], [2.0, 3.0, 4.0])
    system.open_closure("strut")
    system.stabilize("baumgarte", 7.0)
    with h5py.File(tmp_path / "s.h5", "w") as f:
        put_system(f, system)
    with opened(tmp_path / "s.h5", "file") as group:
        back = system_in(group, tmp_path / "s.h5")
    assert back.settings == system.settings and back.site_rows == system.site_rows and back.n_closure == 3
    same_arrays(system, back)


def test_the_command_line_shows_a_vehicle(tmp_path):
    path = tmp_path / "whole.h5"
    whole().save(path)
    said = CliRunner().invoke(app, ["info", str(path)])
    assert said.exit_code == 0 and "4 bodies" in said.output and "closure 'strut'" in said.output
    found = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).output)
    assert found["kind"] == "multibody" and [b["modes"] for b in found["bodies"]] == [0, 3, 0, 0]


def _changed(path, name, value):
    with h5py.File(path, "a") as f:
        f.attrs.pop("CONTENTS", None)  # as in files of 0.1.0
        del f[name]
        if value is not None:
            f[name] = value


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("BODIES/1/COMPONENT", 7, "is 7, and there are 1"),
        ("BODIES/1/NAME", np.bytes_("bus"), "two bodies 'bus'"),
        ("BODIES/2/PARENT", np.bytes_("mast"), "there is no body 'mast'"),
        ("BODIES/2/AT", 99, "99"),
        ("BODIES/0/ROTATION", np.full((3, 3), 2.0), "not a rotation"),
        ("BODIES/0/JOINT", np.bytes_('{"joint": "Elbow"}'), "no joint that is known"),
        ("BODIES/0/JOINT", np.bytes_('{"joint": "Free", "__class__": 1}'), "no joint that is known"),
        ("COMPONENTS/0/GAMMA", np.zeros((2, 3, 2)), "has shape"),
        ("GRAVITY", None, "'GRAVITY' is missing"),
        ("SCHEMA_VERSION", 9, "newer version"),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, name, value, words):
    path = tmp_path / "bad.h5"
    whole().save(path)
    _changed(path, name, value)
    with pytest.raises(FileError, match=words) as caught:
        ist.Multibody.load(path)
    assert "\n" not in str(caught.value)
