"""Corners of linear models that users reach: poles on the axis, zeros with feed-through, loops, trims, files."""

from __future__ import annotations

import control
import h5py
import numpy as np
import pytest
import scipy.io
from multibody_models import beam
from scipy.linalg import block_diag
from scipy.optimize import linear_sum_assignment

import interstage as ist
from interstage.linear.chart import Chart
from interstage.linear.interface import Interface
from interstage.linear.vehicle_plant import VehiclePlant, locked_velocities
from interstage.multibody.loads import Loads


def plain(**options):
    return ist.LinearModel(-np.eye(2), np.eye(2), np.eye(2), np.zeros((2, 2)), **options)


@pytest.mark.parametrize("n, m, feed", [(6, 1, 1.0), (7, 2, 1.0), (8, 3, 0.5), (9, 2, 0.0)])
def test_zeros_with_a_feed_through_are_those_of_python_control(n, m, feed):
    """Two eigenproblems of the same pencil: round-off times the condition of a random matrix."""
    rng = np.random.default_rng(n)
    A, B, C = rng.normal(size=(n, n)), rng.normal(size=(n, m)), rng.normal(size=(m, n))
    D = feed * rng.normal(size=(m, m))
    if m == 2:
        D[1] = 0.0  # part of the outputs only
    found = np.asarray(ist.LinearModel(A, B, C, D).zeros())
    exact = control.ss(A, B, C, D).zeros()
    exact = exact[np.isfinite(exact) & (np.abs(exact) < 1e8)]
    assert len(found) == len(exact) > 0
    gap = np.abs(found[:, None] - exact)
    assert gap[linear_sum_assignment(gap)].max() < 1e-9


@pytest.mark.parametrize("form", ["auto", "modal", "schur"])
def test_response_at_a_pole_is_infinite_only_where_the_pole_is_seen(form):
    w = 2 * np.pi
    A = block_diag([[0, 1], [-w * w, 0]], [[-1.0]], [[0, 1], [0, 0]])
    B = np.array([[0, 0], [1, 0], [0, 1.0], [0, 0], [1, 0]])
    C = np.array([[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1.0]])
    lin = ist.LinearModel(A, B, C, np.zeros((3, 2)))
    still = lin.frequency_response(0.0, form=form)[0]
    assert still[0, 0] == pytest.approx(1 / w**2, rel=1e-10) and still[1, 1] == pytest.approx(1.0, rel=1e-10)
    assert np.isinf(still[2, 0]) and still[2, 1] == 0.0
    turning = lin.frequency_response([1.0], form=form)[0]
    assert abs(turning[0, 0]) > 1e12
    assert turning[1, 1] == pytest.approx(1 / (1 + 1j * w), rel=1e-10)
    assert turning[2, 0] == pytest.approx(1 / (1j * w), rel=1e-10)


def test_acceleration_of_a_free_vehicle_at_zero_frequency():
    """A steady push accelerates: 1/m at frequency zero, where the rigid-body poles are; its position runs away."""
    mb = ist.Multibody("free")
    mb.add_body("bus", mass=4.0, inertia=[1, 2, 3.0], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["bus"].quaternion[:] = np.array([1.0, 2.0, -1.0, 0.5]) / 2.5
    outputs = [ist.NodeAcceleration("bus", axis="x"), ist.NodePosition("bus", axis="x")]
    gain = ist.linearize(system, x, [ist.NodeForce("bus", axis="x")], outputs).frequency_response(0.0)
    assert gain[0, 0, 0] == pytest.approx(0.25, rel=1e-10)
    assert np.isinf(gain[0, 1, 0])


def pinned(moving=True):
    """Return a free body that a closure holds at a point of the ground, turned away from the world's axes."""
    mb = ist.Multibody("pinned", gravity=[0.3, -0.2, -2.0])
    mb.add_body("b", mass=2.0, com=[0.1, 0, 0.05], inertia=[0.3, 0.4, 0.5], joint=ist.Free())
    arm = {"mass": 1.0, "com": [0.3, 0, 0.05], "inertia": [0.1, 0.1, 0.15]}
    mb.add_body("arm", **arm, joint=ist.Revolute("y", damping=0.1), parent="b", at=[0.2, 0.1, 0])
    mb.close("pin", ("b", [0.5, 0.2, -0.1]), (None, [1.0, 2.0, 3.0]), joint=ist.Ball())
    system = mb.compile()
    x, rng = system.state(), np.random.default_rng(1)
    q = rng.normal(size=4)
    x["b"].quaternion[:] = q / np.linalg.norm(q)
    x["arm"].q[:] = 0.3
    if moving:
        x.v[:] = rng.normal(size=system.nv)
    return system, system.assemble(x)


@pytest.mark.parametrize("axes", ["parent", "body"])
def test_small_motions_of_a_free_body_in_a_loop_stay_on_the_closures(axes):
    """Steps along the independent coordinates leave closures and their rates as they are, to second order."""
    from interstage.linear.chart import independent_coordinates

    system, x = pinned()
    chart = Chart(system, x, axes)
    _, T = independent_coordinates(
        VehiclePlant(system, x, Loads.of(system), Interface(system, [], []), chart), locked_velocities(system)
    )
    assert T.shape == (2 * system.nv, 2 * (system.nv - 3))
    for column in T.T:
        step = 1e-30j * column
        y = chart.state(step[: system.nv], step[system.nv :])
        slope = np.concatenate([system.closure_error(y), system.closure_rate(y)]).imag / 1e-30
        assert np.abs(slope).max() < 1e-12 * np.abs(column).max()


def test_a_free_body_on_a_pin_has_the_poles_of_a_ball_joint():
    """The same pendulum once in a loop with a free joint, once on a ball joint: six poles alike, at rest."""
    mb = ist.Multibody("loop", gravity=[0, 0, -9.81])
    body = {"mass": 2.0, "com": [0.1, 0.2, -0.5], "inertia": [0.3, 0.4, 0.5]}
    mb.add_body("b", **body, joint=ist.Free())
    mb.close("pin", ("b", [0, 0, 0]), (None, [1.0, 2.0, 3.0]), joint=ist.Ball())
    tree = ist.Multibody("tree", gravity=[0, 0, -9.81])
    tree.add_body("b", **body, joint=ist.Ball())
    down = np.array([0.1, 0.2, -0.5]) / np.linalg.norm([0.1, 0.2, -0.5])
    axis = np.cross(down, [0, 0, -1.0])
    q = np.concatenate([[1.0 + down @ [0, 0, -1.0]], axis])
    q /= np.linalg.norm(q)  # hanging, turned off the world's axes
    found = []
    for description in (mb, tree):
        system = description.compile()
        x = system.state()
        x["b"].quaternion[:] = q
        if system.n_closure:
            x["b"].position[:] = [1.0, 2.0, 3.0]
        found.append(np.sort(np.abs(np.asarray(ist.linearize(system, x).poles()))))
    assert found[0][2:] == pytest.approx(found[1][2:], rel=1e-9)
    assert found[0][:2] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_quaternions_of_any_length_give_one_model():
    mb = ist.Multibody("spin", gravity=[0, 0, -2.0])
    mb.add_body("b", mass=2.0, com=[0.1, 0, 0.05], inertia=[0.3, 0.4, 0.5], joint=ist.Free())
    system = mb.compile()
    unit, long = system.state(), system.state()
    q = np.array([1.0, 0.2, 0.3, -0.4])
    unit["b"].quaternion[:], long["b"].quaternion[:] = q / np.linalg.norm(q), 3.0 * q
    unit.v[:] = long.v[:] = np.arange(6.0)
    outputs = [ist.NodeAttitude("b"), ist.JointAngle("b")]
    a, b = (ist.linearize(system, x, [], outputs) for x in (unit, long))
    assert np.abs(a.A - b.A).max() < 1e-14 and np.abs(a.C - b.C).max() < 1e-14
    long["b"].quaternion[:] = 0.0
    with pytest.raises(ist.InterstageError, match="no direction"):
        ist.linearize(system, long)


def test_a_steady_state_may_be_trimmed_again_and_copied_with_its_loads():
    mb = ist.Multibody("cantilever", gravity=[0, 0, -9.81])
    joint = ist.Revolute("y", stiffness=5e4)
    mb.add_body("b", component=beam(4, n_modes=6, length=3.0, width=0.1), node=1, joint=joint)
    system = mb.compile()
    force = {("b", 5, "node"): [0, 0, 0, -300.0, 0, 0]}
    x0 = ist.trim(system, system.state(), forces=force)
    again = ist.trim(system, x0, forces=force)
    assert np.abs(again.q - x0.q).max() < 1e-12
    exact = ist.linearize(system, x0).A
    assert np.array_equal(ist.linearize(system, x0.copy()).A, exact)
    assert np.abs(ist.linearize(system, system.state(x0.q, x0.v)).A - exact).max() > 1.0  # without the force
    assert type(x0.copy(complex)) is not type(x0)


def test_a_fall_is_steady_for_what_falls():
    """Round-off is all that accelerates a joint in free fall: there is nothing to solve, and no failure."""
    mb = ist.Multibody("fall", gravity=[0, 0, -2.0])
    mb.add_body("a", mass=2.0, com=[0.1, 0, 0.05], inertia=[3, 4, 5.0], joint=ist.Free())
    mb.add_body("b", mass=1.3, com=[0.7, 0.1, 0.3], inertia=[0.1] * 3, parent="a", joint=ist.Revolute("y"))
    system = mb.compile()
    report = ist.trim(system, system.state(), unknowns="b.angle").report
    assert report.accelerating == {"a.vz": pytest.approx(-2.0)}


def test_joint_force_and_acceleration_beside_each_other():
    """On a prescribed joint a force does nothing: zeros and a warning."""
    mb = ist.Multibody("engine")
    mb.add_body("core", mass=10.0, inertia=[1, 5, 5.0], joint=ist.Free())
    joint = ist.Revolute("z", prescribed=True)
    mb.add_body("engine", mass=2.0, com=[-0.3, 0, 0], inertia=[0.1] * 3, parent="core", joint=joint)
    system = mb.compile()
    inputs = [ist.JointForce("engine"), ist.NodeForce("core", axis="y"), ist.JointAcceleration("engine")]
    for method in ("complex-step", "central-2"):
        with pytest.warns(UserWarning, match="drive takes"):
            lin = ist.linearize(system, system.state(), inputs, [ist.NodeRate("core")], method=method)
        assert not lin.B[:, 0].any() and not lin.D[:, 0].any()
        assert lin.B[lin.states.index("engine.angle_rate"), 2] == pytest.approx(1.0, rel=1e-9)
    system.set_joint_mode("engine", "locked")
    with pytest.raises(ist.InterstageError, match="locked"):
        ist.linearize(system, system.state(), ist.JointForce("engine"))


def test_truncation_keeps_a_pole_at_zero():
    """A free joint with a damper has a single pole at zero, which leaves no static gain behind."""
    A = block_diag([[0, 1], [0, -0.5]], [[0, 1], [-100.0, -0.2]])
    lin = ist.LinearModel(A, [[0], [1.0], [0], [1]], [[1.0, 0, 1, 0]], [[0.0]])
    small = lin.truncate(modes=[1])
    assert np.abs(small.poles()) == pytest.approx([0.0, 0.5], abs=1e-12)
    s = 2j * np.pi * 1e-3
    wanted = 1 / (s * (s + 0.5)) + 0.01
    assert small.frequency_response(1e-3)[0, 0, 0] == pytest.approx(wanted, rel=1e-9)
    assert lin.truncate(0).n_states == 1


def test_undamped_modes_are_ranked_by_what_they_couple():
    w = 2 * np.pi * np.array([1.0, 2.0, 3.0, 4.0])
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.diag(w**2), np.zeros((4, 4))]])
    B, C = np.zeros((8, 1)), np.zeros((1, 8))
    B[4:, 0] = C[0, 4:] = [0.1, 0.0, 3.0, 0.5]
    gains = ist.LinearModel(A, B, C, [[0.0]]).modal_gains()
    assert gains.ranked().tolist() == gains.ranked("gain").tolist() == [2, 3, 0, 1]
    assert gains.gains[1, 0, 0] == 0.0 and np.isinf(gains.gains[2, 0, 0])


def test_labels_for_python_control_stay_different():
    labels = plain(inputs=["a.b", "a_b"], outputs=["p q", "p.q"]).to_control().input_labels
    assert labels == ["a_b", "a_b_2"]


@pytest.mark.parametrize("ending", ["h5", "mat", "npz"])
def test_models_without_groups_and_with_lists_come_back(tmp_path, ending):
    extras = {"list": [1, 2, 3], "texts": ["p", "q"], "nothing": {}}
    plain(extras=extras).save(tmp_path / f"m.{ending}")
    back = ist.LinearModel.load(tmp_path / f"m.{ending}")
    assert back.state_index == {} and back.extras["nothing"] == {} and back.extras["texts"] == ["p", "q"]
    assert back.extras["list"].tolist() == [1, 2, 3]
    with pytest.raises(ist.InterstageError, match="cannot go into"):
        plain(extras={"thing": {"inner": object()}}).save(tmp_path / f"n.{ending}")
    assert not (tmp_path / f"n.{ending}").exists()


@pytest.mark.parametrize(
    "entry",
    [("D", "text"), ("state_index", 3), ("SCHEMA_VERSION", "two"), ("rigid_body_mass_properties", 1.0)],
)
def test_files_of_another_layout_are_told(tmp_path, entry):
    with h5py.File(tmp_path / "m.h5", "w") as f:
        for letter in "ABCD":
            f[letter] = np.eye(2)
        if entry[0] in f:
            del f[entry[0]]
        f[entry[0]] = entry[1]
    with pytest.raises(ist.InterstageError, match=r"m\.h5"):
        ist.LinearModel.load(tmp_path / "m.h5")


def test_names_of_matlab_character_arrays(tmp_path):
    matrices = {"A": -np.eye(2), "B": np.ones((2, 1)), "C": np.ones((1, 2)), "D": 0.0}
    names = {"state_names": np.array(["ab", "c"]), "input_names": "torque"}
    scipy.io.savemat(tmp_path / "m.mat", matrices | names)
    lin = ist.LinearModel.load(tmp_path / "m.mat")
    assert lin.states == ["ab", "c"] and lin.inputs == ["torque"]


def test_wrong_words_get_a_sentence():
    system, x = pinned(moving=False)
    lin = plain()

    class Few:
        frequencies_hz, shapes = np.ones(1), np.ones((2, 1))

    class Many:
        frequencies_hz, shapes = np.ones(2), np.eye(2)

    def seen(function):
        return ist.linearize(system, x, [], ist.CustomOutput("e", function))

    for bad, words in (
        (lambda: lin.frequency_response("1 Hz"), "finite numbers"),
        (lambda: lin.frequency_response([1j]), "finite numbers"),
        (lambda: lin.frequency_response([1.0], inputs=0.5), "no input 0.5"),
        (lambda: lin.truncate(1.5), "number of modes"),
        (lambda: lin.truncate(modes="a"), "no such mode"),
        (lambda: plain(input_index={"u": np.array([2])}), "not there"),
        (lambda: ist.LinearModel([[1j]], [[1.0]], [[1.0]], [[0.0]]), "real numbers"),
        (lambda: ist.LinearModel([[1, 2], [1]], [[1.0]], [[1.0]], [[0.0]]), "finite numbers"),
        (lambda: ist.track_modes([Many(), Few()]), "too few"),
        (lambda: ist.linearize(system, x, forces=[1, 2]), "forces cannot be read"),
        (lambda: ist.linearize(system, x, accelerations=3.0), "accelerations cannot be read"),
        (lambda: ist.linearize(system, x, independent=["z"]), "no coordinate 'z'"),
        (lambda: ist.linearize(system, x, method="central-2", step="a"), "positive"),
        (lambda: seen(lambda s, x, vdot: "text"), "finite real numbers"),
        (lambda: seen(lambda s, x, vdot: None), "finite real numbers"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            bad()


def test_wrong_words_to_kane_get_a_sentence():
    mb = ist.Multibody("arm")
    mb.add_body("a", mass=1.0, com=[0, 0, 1.0], inertia=[0.1] * 3, joint=ist.Revolute("x"))
    kane = ist.Kane(mb)
    for bad, words in (
        (lambda: kane.accelerations([0.0], [0.0], forces=[1]), "forces cannot be read"),
        (lambda: kane.accelerations([0.0], [0.0], forces={("a",): np.zeros(6)}), "not a place"),
        (
            lambda: kane.accelerations([0.0], [0.0], forces={("a", None, "node", 1): np.zeros(6)}),
            "not a place",
        ),
        (lambda: ist.Kane(mb, like=mb), "not a compiled system"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            bad()


def test_pictures_of_poles_on_the_axis_and_of_one_mode():
    from interstage.report import plots

    w = 2 * np.pi
    held, free = (
        ist.LinearModel([[0, 1], [-w * w, -c]], [[0], [1.0]], [[1.0, 0]], [[0.0]]) for c in (0.05, 0.0)
    )
    figure = plots.bode([0.5, 1.0, 2.0], {"damped": held, "undamped": free})
    low, high = figure.axes[-1].get_ylim()
    assert np.isfinite([low, high]).all()
    assert len(plots.frequency_sweep([0, 1, 2], [1.0, 2.0, 3.0]).axes) == 1
    with pytest.raises(ist.InterstageError, match="nothing to draw"):
        plots.bode([1.0, 2.0], [held])
    with pytest.raises(ist.InterstageError, match="0 to 1"):
        plots.mac(np.zeros((0, 0)))


def test_a_wheel_beside_a_loop_keeps_its_spin():
    """Joints of the loop are trimmed; the spin of a wheel is part of the operating point."""
    mb = ist.Multibody("bars", gravity=[0, -1.0, 0])
    mb.add_body("wheel", mass=1.0, inertia=[0.1, 0.1, 0.2], joint=ist.Revolute("z"))
    bar = {"mass": 1.0, "inertia": [0.1] * 3}
    mb.add_body("crank", **bar, com=[0.2, 0, 0], joint=ist.Revolute("z", stiffness=5.0))
    mb.add_body("coupler", **bar, com=[0.5, 0, 0], parent="crank", at=[0.4, 0, 0], joint=ist.Revolute("z"))
    mb.add_body("rocker", **bar, com=[0.3, 0, 0], at=[1.0, 0, 0], joint=ist.Revolute("z"))
    mb.close("pin", ("coupler", [1.0, 0, 0]), ("rocker", [0.7, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["crank"].q[:], x["coupler"].q[:], x["rocker"].q[:], x["wheel"].v[:] = 1.0, -0.6, 1.5, 100.0
    x = system.assemble(x, fixed=["wheel", "crank"])
    system.drop_redundant(x)
    x0 = ist.trim(system, x)
    assert x0.report.unknowns == ["crank.angle", "coupler.angle", "rocker.angle"]
    assert x0["wheel"].v[0] == 100.0 and not x0.report.accelerating
