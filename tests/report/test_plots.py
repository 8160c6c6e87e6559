"""Figures show what they are given: curves, differences, critical points, poles, sweeps; wrong input is refused."""

import subprocess
import sys

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.report import plots

F = np.geomspace(0.1, 100.0, 400)


def second_order(hz: float, damping: float, gain: float = 1.0) -> np.ndarray:
    s, w = 2j * np.pi * F, 2 * np.pi * hz
    return gain * w**2 / (s**2 + 2 * damping * w * s + w**2)


class FakeModel:
    """Looks like a linear model: two inputs, two outputs."""

    inputs = ("force", "torque")
    outputs = ("rate", "angle")

    def frequency_response(self, f_hz):
        one = second_order(3.0, 0.01)
        return np.stack([np.stack([one, 2 * one], -1), np.stack([3 * one, 4 * one], -1)], axis=1)

    def poles(self):
        return 2 * np.pi * np.array([-0.03 + 3j, -0.03 - 3j])


def curves(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata()) == len(F)]


def test_bode_draws_gain_phase_and_the_difference_in_decibels():
    figure = plots.bode(F, {"a": second_order(3, 0.01), "b": second_order(3, 0.01, 1.01)}, tolerance_db=0.1)
    gain, phase, difference = figure.axes
    assert [line.get_label() for line in curves(gain)] == ["a", "b"]
    np.testing.assert_allclose(curves(gain)[0].get_ydata(), 20 * np.log10(np.abs(second_order(3, 0.01))))
    assert len(curves(phase)) == 2
    np.testing.assert_allclose(curves(difference)[0].get_ydata(), 20 * np.log10(1.01), rtol=1e-9)
    low, high = difference.get_ylim()
    assert low < -0.1 and high > 0.1  # the tolerance band is in view
    assert difference.get_xlabel() == "frequency, Hz"


def test_bode_of_one_curve_has_no_difference_panel_and_phase_is_optional():
    assert len(plots.bode(F, {"a": second_order(3, 0.01)}).axes) == 2
    assert len(plots.bode(F, {"a": second_order(3, 0.01)}, phase=False).axes) == 1


def test_phases_a_turn_apart_are_drawn_together():
    figure = plots.bode(F, {"a": -np.ones(len(F)) + 1e-9j, "b": -np.ones(len(F)) - 1e-9j})
    first, second = (line.get_ydata() for line in curves(figure.axes[1]))
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_models_are_evaluated_by_name_and_number():
    model = FakeModel()
    np.testing.assert_allclose(plots.trace(model, F, "torque", "angle"), 4 * second_order(3.0, 0.01))
    np.testing.assert_allclose(plots.trace(model, F, 1, 0), 2 * second_order(3.0, 0.01))
    with pytest.raises(InputError, match="force, torque"):
        plots.trace(model, F, "thrust", 0)
    with pytest.raises(InputError, match="no output 7"):
        plots.trace(model, F, 0, 7)


def test_nichols_marks_critical_points_and_frequencies():
    loop = second_order(1.0, 0.05, 5.0) / (1 + 1j * F / 10)
    axes = plots.nichols(F, {"loop": loop}, marks_hz=(1.0,)).axes[0]
    crosses = [line for line in axes.get_lines() if line.get_marker() == "+"]
    assert [float(line.get_xdata()[0]) for line in crosses] == [-180.0]
    assert [text.get_text() for text in axes.texts] == ["1 Hz"]
    phase = curves(axes)[0].get_xdata()
    assert phase[0] > -5.0 and phase[-1] < -200.0


def test_phase_of_an_open_loop_lies_where_its_margin_is():
    """K (1 + T s) / (s^2 - a^2) has the phase atan(w T) - 180; a lag takes it on below without a jump of a turn."""
    w = 2 * np.pi * F
    lead = np.rad2deg(np.arctan(0.4 * w)) - 180.0
    loop = 30.0 * (1 + 0.4j * w) / ((1j * w) ** 2 - 2.0)
    np.testing.assert_allclose(plots.open_loop_phase(loop), lead, atol=1e-10)  # deg, rounding
    late = plots.open_loop_phase(loop * np.exp(-0.05j * w))
    np.testing.assert_allclose(late, lead - np.rad2deg(0.05 * w), atol=1e-9)
    # an integrator more begins above zero as numpy has it: 360 lower here
    assert np.angle(loop / (1j * w), deg=True)[0] > 90.0
    np.testing.assert_allclose(plots.open_loop_phase(loop / (1j * w)), lead - 90.0, atol=1e-10)


def test_pole_map_shows_the_upper_half_plane_in_hertz():
    axes = plots.pole_map({"model": FakeModel(), "more": [-0.1 + 6j]}, zeros={"model": [2j]}).axes[0]
    marks = [line for line in axes.get_lines() if line.get_marker() == "x"]
    np.testing.assert_allclose(marks[0].get_ydata(), [3.0])
    np.testing.assert_allclose(marks[1].get_ydata(), [6 / (2 * np.pi)])
    assert sum(line.get_marker() == "o" for line in axes.get_lines()) == 1


def test_sweep_draws_a_line_for_each_mode_and_refuses_what_does_not_fit():
    angles = np.linspace(0, 90, 7)
    hz = np.column_stack([1 + angles / 90, 3 - angles / 90])
    figure = plots.frequency_sweep(angles, hz, reference_hz=hz, damping_ratio=0.01 * hz)
    assert len(figure.axes) == 2
    assert len(figure.axes[0].get_lines()) == 4
    with pytest.raises(InputError, match="7 rows"):
        plots.frequency_sweep(angles, hz[:3])


def test_frequency_errors_show_sizes_above_a_floor():
    figure = plots.frequency_errors([1.0, 2.0, 3.0], {"a": [1e-3, -1e-5, 0.0]}, limit=1e-4)
    np.testing.assert_allclose(figure.axes[1].get_lines()[0].get_ydata(), [1e-3, 1e-5, 1e-12])


def test_mac_writes_numbers_and_refuses_other_matrices():
    figure = plots.mac(np.array([[1.0, 0.01], [0.3, 0.9]]), rows_hz=[1.0, 2.0])
    assert sorted(text.get_text() for text in figure.axes[0].texts) == ["0.30", "0.90", "1.00"]
    with pytest.raises(InputError, match="0 to 1"):
        plots.mac(np.array([[2.0]]))


def test_wrong_frequencies_and_responses_are_refused():
    with pytest.raises(InputError, match="shape"):
        plots.bode(F, {"a": np.ones(3)})
    with pytest.raises(InputError, match="positive"):
        plots.bode([0.0, 1.0], {"a": np.ones(2)})
    with pytest.raises(InputError, match=r"nothing to draw.*got ndarray"):
        plots.bode(F, np.ones((len(F), 2)))
    with pytest.raises(InputError, match="nothing to draw"):
        plots.bode(F, {})


@pytest.mark.parametrize(
    "figure",
    [
        plots.bode(F, {"a": second_order(3, 0.01)}),
        plots.nichols(F, {"a": second_order(3, 0.1)}),
        plots.pole_map({"a": [-1 + 5j]}),
        plots.mac(np.eye(20)),
    ],
)
def test_figures_can_be_saved(figure, tmp_path):
    path = tmp_path / "figure.png"
    figure.savefig(path)
    assert path.read_bytes()[:4] == b"\x89PNG"


def test_matplotlib_is_not_imported_before_a_figure_is_asked_for():
    code = "import interstage.report, sys; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("kind", ["bode", "nyquist", "nichols"])
def test_loops_are_drawn_with_their_crossings(kind):
    """Marks lie where the loop has a gain of one or a phase of -180 deg."""
    loop = ist.LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[2, 0, 0]], [[0]])
    m, figure = loop.margins(), plots.loop_figure(loop, kind)
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    points = np.concatenate([np.column_stack(line.get_data()) for line in marks])
    phase, gain = (next(row for row in m.rows if row.kind == kind) for kind in ("phase", "gain"))
    angle = np.radians(phase.value - 180.0)
    factor = 10 ** (-gain.value / 20)
    expected = {
        "bode": [(phase.frequency_hz, 0.0), (gain.frequency_hz, -gain.value)],
        "nichols": [(phase.value - 180.0, 0.0), (-180.0, -gain.value)],
        "nyquist": [(np.cos(angle), np.sin(angle)), (-factor, 0.0)],
    }[kind]
    assert points == pytest.approx(np.array(expected), abs=2e-2)


def test_a_loop_is_drawn_as_something_known():
    with pytest.raises(InputError, match="unknown kind"):
        plots.loop_figure(ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), "polar")


def test_a_jitter_budget_is_drawn_with_its_units():
    """A density and a cumulative rms for every output; the last point is the rms of the band."""
    lin = ist.LinearModel(
        [[0, 1], [-4.0, -0.4]],
        [[0], [1]],
        np.eye(2),
        np.zeros((2, 1)),
        outputs=["x", "v"],
        output_units=["m", "m/s"],
    )
    budget = ist.jitter(lin, {"u1": 1e-3}, band=(0.01, 10.0))
    top, low = budget.figure(np.geomspace(0.01, 10.0, 50)).axes
    assert [line.get_label() for line in low.lines] == ["x, m", "v, m/s"]
    ends = [line.get_ydata()[-1] for line in low.lines]
    np.testing.assert_allclose(ends, budget.rms, rtol=1e-8)
    np.testing.assert_allclose(top.lines[1].get_ydata(), budget.psd(np.geomspace(0.01, 10.0, 50))[:, 1])
