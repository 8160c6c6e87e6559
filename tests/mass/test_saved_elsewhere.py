"""What is saved is all there when another process loads it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError
from interstage.mass import CylinderFill, MassBody, Tank
from interstage.multibody.dynbody import DynBody

LOOK = """
import sys, numpy as np
from interstage.mass import MassBody
stack = MassBody.load(sys.argv[1])
part = next(b for b in stack.walk() if b.name == "upper")
tank = next(b for b in stack.walk() if b.name == "oxygen")
m, u = stack.state("tip"), part.state()
stack.step(0.25, {"tip": [0, 0, 0, 1, 2, 3]})
np.savez(sys.argv[2], kind=type(stack).__name__, q=stack.q, v=stack.v, position=m.position, velocity=m.velocity,
         quaternion=m.quaternion, rate=m.rate, upper=u.position, contents=tank.contents, level=tank.level,
         mass=stack.composite.mass, inertia=stack.composite.inertia, energy=stack.energy(), momentum=stack.momentum())
"""


def stack():
    """Return a moving stack of two dynamic parts, a tank that is half empty, and points."""
    lower = DynBody("lower", mass=100.0, position=[0, 0, 1], inertia=[40, 45, 20], gravity=[0, 0, -9.8])
    upper = DynBody("upper", mass=30.0, inertia=[4, 5, 6], gravity=[0, 0, -9.8])
    upper.attach_to(
        lower, offset=[0.1, 0, 3.0], orientation=ist.Rotation.from_rotation_vector([0.1, 0.2, 0.3])
    )
    tank = Tank("oxygen", CylinderFill(radius=0.5, length=2.0, density=1141.0), dry_mass=12.0)
    tank.attach_to(lower, offset=[0, 0, 0.4])
    tank.burn(0.4 * tank.law.capacity)
    lower.add_point("tip", [0.3, -0.2, 2.0])
    lower.set_state(
        [10, -20, 30], [1, 2, -3], ist.Rotation.from_rotation_vector([0.4, -0.2, 1.0]), [0.1, 0.2, -0.3]
    )
    for _ in range(3):
        lower.step(0.1)
    return lower


def test_a_moving_tree_goes_on_in_another_process(tmp_path):
    """Position, velocity, attitude, rate, contents and points are the same to the last bit, and so is a step on."""
    body = stack()
    path, out = tmp_path / "stack.json", tmp_path / "seen.npz"
    body.save(path)
    done = subprocess.run(
        [sys.executable, "-c", LOOK, path, out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = np.load(out)
    assert seen["kind"] == "DynBody"
    tip, upper = body.state("tip"), next(b for b in body.walk() if b.name == "upper").state()
    for name in ("position", "velocity", "quaternion", "rate"):
        np.testing.assert_array_equal(seen[name], getattr(tip, name))
    np.testing.assert_array_equal(seen["upper"], upper.position)
    body.step(0.25, {"tip": [0, 0, 0, 1, 2, 3]})
    np.testing.assert_array_equal(seen["q"], body.q)
    np.testing.assert_array_equal(seen["v"], body.v)
    assert seen["energy"] == body.energy()
    assert seen["mass"] == body.composite.mass
    np.testing.assert_array_equal(seen["inertia"], body.composite.inertia)
    tank = next(b for b in body.walk() if b.name == "oxygen")
    assert (seen["contents"], seen["level"]) == (tank.contents, tank.level)


def test_units_and_parts_of_a_moving_tree(tmp_path):
    """A tree in inches moves as the same tree in metres; a part saved alone has its own motion; a still one none."""
    body = stack()
    path = tmp_path / "stack.json"
    body.save(path)
    inches = MassBody.load(path, mass_unit="lbm", length_unit="in")
    for name, factor in (("position", 0.0254), ("velocity", 0.0254), ("rate", 1.0), ("quaternion", 1.0)):
        np.testing.assert_allclose(
            factor * getattr(inches.state("tip"), name),
            getattr(body.state("tip"), name),
            rtol=1e-13,
            atol=1e-13,
        )
    body.step(0.2)
    inches.step(0.2)
    np.testing.assert_allclose(0.0254 * inches.state().position, body.state().position, rtol=1e-12)
    part = next(b for b in body.walk() if b.name == "upper")
    part.save(path)
    alone, now = MassBody.load(path).state(), part.state()
    for name in ("position", "velocity", "rate"):
        np.testing.assert_allclose(getattr(alone, name), getattr(now, name), rtol=1e-13, atol=1e-13)
    DynBody("still", mass=1.0, inertia=[1, 1, 1]).save(path)
    still = MassBody.load(path)
    still.attach_to(body, offset=[0, 0, 5])  # has no motion of its own: takes that of the tree
    np.testing.assert_allclose(still.state().rate, body.state().rate, rtol=1e-12)


def test_a_core_that_was_taken_unchecked_loads_again(tmp_path):
    """Published data that no body can have are saved as such, and nothing else passes unchecked."""
    path = tmp_path / "odd.json"
    odd = MassBody("odd", mass=2.0, inertia=[1.0, 1.0, 5.0], check=False)
    odd.save(path)
    np.testing.assert_array_equal(MassBody.load(path).core.inertia, odd.core.inertia)
    text = path.read_text()
    path.write_text(text.replace('"unchecked": true', '"unchecked": false'))
    with pytest.raises(FileError, match="inertia"):
        MassBody.load(path)


def test_a_damaged_motion_is_refused(tmp_path):
    path = tmp_path / "stack.json"
    stack().save(path)
    text = path.read_text()
    damages = (
        ('"rate"', '"rat"'),
        ('"quaternion": [', '"quaternion": [1.0,'),
        ('"gravity": [', '"gravity": [9,'),
    )
    for old, new in damages:
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(FileError):
            MassBody.load(path)
