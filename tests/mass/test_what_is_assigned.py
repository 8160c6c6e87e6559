"""Attributes of mass bodies and points that look as if they could be assigned: they can, or say how it is done."""

import numpy as np
import pytest

from interstage.errors import InputError
from interstage.mass import MassBody, relative_state
from interstage.multibody.dynbody import DynBody


def test_points_stay_where_they_are():
    """What hangs on a point would not follow it: it is refused, and everybody sees the point where it was."""
    a, b = MassBody("a", 1.0, inertia=[1, 1, 1]), MassBody("b", 1.0, inertia=[1, 1, 1])
    tip = b.add_point("tip", [1, 0, 0])
    b.attach_to(a, offset=[1, 0, 0])
    for name, value in (("position", np.array([2.0, 0, 0])), ("T_parent_this", np.eye(3)), ("name", "top")):
        with pytest.raises(InputError, match=f"the {name} of a point cannot be changed .*add another point"):
            setattr(tip, name, value)
    np.testing.assert_array_equal(relative_state(tip, a).position, [2, 0, 0])
    np.testing.assert_array_equal(b.point("tip").position, [1, 0, 0])


@pytest.mark.parametrize(
    "name, hint",
    [("mass", "set_core"), ("position", "set_core"), ("inertia", "set_core"), ("parent", "attach_to")],
)
def test_names_of_arguments_are_no_attributes(name, hint):
    body = MassBody("b", 2.0, inertia=[1, 1, 1])
    with pytest.raises(InputError, match=f"the {name} of a body cannot be assigned .*{hint}"):
        setattr(body, name, 5.0)
    assert body.composite.mass == 2.0


def test_properties_are_copies_that_cannot_be_written():
    body = MassBody("b", 2.0, inertia=[1, 1, 1])
    for one in (body.core, body.composite):
        for array in (one.position, one.inertia, one.T_parent_this):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


def test_motion_is_that_of_the_root():
    """q and v of a root move it; of a part they are refused, until it has left again."""
    cart, load = DynBody("cart", 3.0, inertia=[1, 1, 1]), DynBody("load", 1.0, inertia=[1, 1, 1])
    cart.v[3] = 2.0  # by hand: it counts as much as by set_state
    load.set_state(velocity=[-2.0, 0, 0])
    load.attach_to(cart, offset=[0, 0, 0])
    np.testing.assert_allclose(cart.state().velocity, [1.0, 0, 0])
    with pytest.raises(ValueError, match="read-only"):
        load.v[3] = 7.0
    with pytest.raises(InputError, match="set_state"):
        cart.velocity = [0, 0, 0]
    with pytest.raises(InputError, match="gravity of a body"):
        cart.gravity = [0, 0, -9.81]
    load.detach()
    load.v[3] = 7.0
    np.testing.assert_allclose(load.state().velocity, [7.0, 0, 0])
