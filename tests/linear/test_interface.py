"""Inputs and outputs of linear models that were asked for before: what is kept of them, and what is looked at anew."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.errors import InputError


@pytest.fixture
def system():
    mb = ist.Multibody("pair")
    mb.add_body("bus", mass=3.0, inertia=[1.0, 2.0, 3.0])
    mb.add_body("arm", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="bus", joint=ist.Revolute("z"))
    mb.add_body("boom", component=beam(), node=1, parent="bus", at=[1, 0, 0], joint=ist.Revolute("y"))
    return mb.compile()


def test_models_of_one_interface_share_nothing_that_changes(system):
    ask = [ist.JointForce("arm")], [ist.JointAngle("arm"), ist.NodeRate("boom", 3)]
    first = ist.linearize(system, system.state(), *ask)
    kept = copy.deepcopy(first)
    first.states[0] = first.inputs[0] = first.outputs[0] = "mine"
    for index in (first.state_index, first.input_index, first.output_index):
        next(iter(index.values()))[:] = -7
        index["mine"] = np.zeros(1)
    second = ist.linearize(system, system.state(), *ask)
    assert (second.states, second.inputs, second.outputs) == (kept.states, kept.inputs, kept.outputs)
    for which in ("state_index", "input_index", "output_index"):
        found, truth = getattr(second, which), getattr(kept, which)
        assert list(found) == list(truth)
        assert all(np.array_equal(found[k], truth[k]) for k in truth)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda lin: pickle.loads(pickle.dumps(lin))])
def test_copies_have_index_maps_that_nobody_looked_at(system, how):
    ask = [ist.JointForce("arm")], [ist.JointAngle("arm"), ist.NodeRate("boom", 3)]
    looked_at, bare = (ist.linearize(system, system.state(), *ask) for _ in range(2))
    for which in ("state_index", "input_index", "output_index"):
        found, truth = getattr(how(bare), which), getattr(looked_at, which)
        assert list(found) == list(truth)
        assert all(np.array_equal(found[k], truth[k]) for k in truth)
    with pytest.raises(AttributeError, match="no attribute 'inputs_index'"):
        _ = how(bare).inputs_index


def test_other_matrices_take_index_maps_as_they_are(system):
    lin = ist.linearize(system, system.state(), ist.JointForce("arm"), ist.JointAngle("arm"))
    lin.state_index["mine"] = np.array([0, 1])
    other = lin.with_matrices(2.0 * lin.A, lin.B, lin.C, lin.D)
    lin.state_index["mine"][:] = 7
    del lin.input_index["arm.joint_force"]
    assert other.state_index["mine"].tolist() == [0, 1]
    assert other.input_index["arm.joint_force"].tolist() == [0]
    assert other.with_matrices(lin.A, lin.B, lin.C, lin.D).state_index["mine"].tolist() == [0, 1]


def test_outputs_of_other_kinds_or_axes_are_others(system):
    x = system.state()
    turned = ist.linearize(system, x, ist.JointForce("arm"), ist.JointAngle("arm"))
    rate = ist.linearize(system, x, ist.JointForce("arm"), ist.JointRate("arm"))
    assert turned.outputs != rate.outputs
    assert turned.C.argmax() + system.nv == rate.C.argmax()


def test_joints_that_are_switched_are_looked_at_anew(system):
    x, drive = system.state(), ist.JointForce("arm")
    assert ist.linearize(system, x, drive).n_states == 2 * system.nv
    system.set_joint_mode("arm", "prescribed")
    for _ in range(2):
        with pytest.warns(UserWarning, match="prescribed"):
            ist.linearize(system, x, drive)
    system.set_joint_mode("arm", "locked")
    with pytest.raises(InputError, match="locked"):
        ist.linearize(system, x, drive)
    assert ist.linearize(system, x, ist.JointForce("boom")).n_states == 2 * system.nv - 2


def test_places_are_known_to_copies_made_before(system):
    other, outputs = copy.copy(system), [ist.NodeRate("boom", 4), ist.NodePosition("bus", (0.1, 0.2, 0.3))]
    one = ist.linearize(system, system.state(), ist.NodeForce("boom", 4), outputs)
    two = ist.linearize(other, other.state(), ist.NodeForce("boom", 4), outputs)
    assert np.array_equal(one.C, two.C) and np.array_equal(one.B, two.B)


def test_lists_in_axes_are_read_each_time(system):
    axis = [1.0, 0.0, 0.0]
    force, x = ist.NodeForce("bus", None, axis), system.state()
    along_x = ist.linearize(system, x, force).B
    axis[:] = [0.0, 1.0, 0.0]
    assert not np.allclose(ist.linearize(system, x, force).B, along_x)
