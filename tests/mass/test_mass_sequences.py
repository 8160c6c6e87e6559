"""Any sequence of attach, detach, reattach and burn keeps composites equal to a sum over parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from mass_cases import brute_force

from interstage.errors import ModelError
from interstage.mass import CylinderFill, MassBody, Tank, relative_state
from interstage.spatial import Rotation

N = 6
number = st.floats(-2.0, 2.0, allow_nan=False)
vector = st.tuples(number, number, number)
turn = vector.map(Rotation.from_rotation_vector)
body = st.integers(0, N - 1)
how = st.one_of(
    st.tuples(st.just("points"), body, body),
    st.tuples(st.just("offset"), vector, turn),
)
operation = st.one_of(
    st.tuples(st.just("attach"), body, body, how),
    st.tuples(st.just("detach"), body),
    st.tuples(st.just("reattach"), body, st.one_of(st.none(), body), how),
    st.tuples(st.just("burn"), body, st.floats(0.0, 0.9)),
    st.tuples(st.just("set"), body, vector, st.floats(0.1, 10.0)),
    st.tuples(st.just("ask"), body),
)


def make(turns, places):
    bodies: list[MassBody] = [
        MassBody(f"b{k}", 1.0 + k, places[k], [2.0, 2.5, 3.0], orientation=turns[k]) for k in range(N - 1)
    ]
    bodies.append(Tank("tank", CylinderFill(0.5, 2.0, 3.0, bottom=places[-1], axis="y"), dry_mass=0.5))
    for k, part in enumerate(bodies):
        part.add_point("p", places[k - 1], turns[k - 1])
    return bodies


def keywords(choice):
    if choice[0] == "points":
        return {"point": "p", "parent_point": "p"}
    return {"offset": choice[1], "orientation": choice[2]}


def apply(bodies, op):
    """Apply an operation; one against the rules must leave everything as it was."""
    kind, part = op[0], bodies[op[1]]
    if kind == "attach":
        part.attach_to(bodies[op[2]], **keywords(op[3]))
    elif kind == "detach":
        part.detach()
    elif kind == "reattach":
        part.reattach(None if op[2] is None else bodies[op[2]], **keywords(op[3]))
    elif kind == "burn":
        part.burn(op[2] * (part.contents if isinstance(part, Tank) else part.core.mass))
    elif kind == "set" and not isinstance(part, Tank):
        part.set_core(mass=op[3], position=op[2], inertia=[op[3]] * 3)
    else:
        assert part.composite.mass > 0


def check(bodies):
    for part in bodies:
        mass, com, inertia = brute_force(part)
        total = part.composite
        scale = np.abs(inertia).max() + mass * (1.0 + com @ com)
        assert abs(total.mass - mass) <= 1e-12 * mass
        assert np.abs(total.position - com).max() <= 1e-12 * (1.0 + np.abs(com).max()) * 10
        assert np.abs(total.inertia_struct - inertia).max() <= 1e-12 * scale


@settings(max_examples=120, deadline=None)
@given(
    st.lists(turn, min_size=N, max_size=N),
    st.lists(vector, min_size=N, max_size=N),
    st.lists(operation, min_size=1, max_size=25),
)
def test_composites_equal_the_sum_over_parts(turns, places, operations):
    bodies = make(turns, places)
    for op in operations:
        try:
            apply(bodies, op)
        except ModelError:
            check(bodies)
        for part in bodies:  # both ends of every link agree
            assert part.parent is None or part in part.parent.children
    check(bodies)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(turn, min_size=N, max_size=N), st.lists(vector, min_size=N, max_size=N), body, body, vector, turn
)
def test_attaching_a_part_of_a_tree_puts_that_part_where_it_was_asked(turns, places, i, j, offset, rotation):
    bodies = make(turns, places)
    for k in range(1, N):
        bodies[k].attach_to(bodies[k // 2], offset=places[k], orientation=turns[k])
    target = MassBody("target", 1.0)
    target.add_point("dock", offset, rotation)
    bodies[i].attach_to(target, point="p", parent_point="dock")
    assert bodies[0].parent is target and target.children == [bodies[0]]
    seen = relative_state(bodies[i].point("p"), target.point("dock"))
    np.testing.assert_allclose(seen.position, 0, atol=1e-12)
    np.testing.assert_allclose(seen.T_parent_this, np.diag([-1, -1, 1]), atol=1e-12)
    bodies[0].detach()
    bodies[j].attach_to(target, offset=offset, T_parent_child=rotation.matrix.T)
    seen = relative_state(bodies[j], target)
    np.testing.assert_allclose(seen.position, offset, atol=1e-12)
    np.testing.assert_allclose(seen.T_parent_this, rotation.matrix.T, atol=1e-12)
