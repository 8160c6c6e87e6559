"""Sets of linear models: poles that are followed, margins over the set against closed forms, files, refusals."""

from __future__ import annotations

import json

import device_library
import numpy as np
import pytest
from device_library import Rail, Ruler

import interstage as ist
from interstage.errors import FileError, InputError

GAINS = [0.5, 1.5, 3.0, 8.0]


def three_lags(k):
    """k/(s(s + 1)(s + 2)): gain margin 6/k at √2 rad/s."""
    return ist.LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[k, 0, 0]], [[0]])


def test_margins_over_a_set_are_those_of_the_closed_form(tmp_path):
    models = ist.LinearModelSet([three_lags(k) for k in GAINS], GAINS, over="gain")
    m = models.margins()
    assert m.stable.tolist() == [True, True, True, False]  # 8 > 6
    assert m.gain_up_db[:3] == pytest.approx(20 * np.log10(6 / np.array(GAINS[:3])), abs=1e-9)
    assert np.isnan(m.gain_db[3]) and m.worst("phase_deg") == 3 and m[:3].worst("phase_deg") == 2
    for k, one in enumerate(models):
        assert m[k].rows == one.margins().rows
    assert "UNSTABLE" in str(m).splitlines()[4] and str(m).splitlines()[0].split()[0] == "gain"
    m.save(tmp_path / "m.json")
    told = json.loads((tmp_path / "m.json").read_text())
    assert told["values"] == GAINS and told["margins"][3]["worst"]["gain_db"] is None


def test_regions_over_a_set_have_no_margin_where_nothing_crosses():
    models = ist.LinearModelSet([three_lags(k) for k in (0.5, 3.0)])
    high = models.margins({"low": (0.0, 0.1), "high": (0.1, 10.0)}).region("high")
    assert np.isinf(high.phase_deg[0]) and np.isfinite(high.phase_deg[1])  # crossover at 0.037 and 0.154 Hz
    with pytest.raises(InputError, match="there is no crossing in a region 'middle'"):
        models.margins({"low": (0.0, 0.1)}).region("middle")


def oscillators(*poles, dt=None):
    """A model with pole pairs (Hz, damping) in the order given."""
    blocks = []
    for hz, damping in poles:
        s = 2 * np.pi * hz * complex(-damping, np.sqrt(1 - damping**2))
        s = s if dt is None else np.exp(s * dt)
        blocks.append([[s.real, s.imag], [-s.imag, s.real]])
    n = 2 * len(blocks)
    A = np.zeros((n, n))
    for k, block in enumerate(blocks):
        A[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = block
    return ist.LinearModel(A, np.ones((n, 1)), np.ones((1, n)), [[0.0]], dt=dt)


@pytest.mark.parametrize("dt", [None, 0.02])
def test_poles_are_followed_through_a_crossing_and_through_staging(dt):
    """One mode rises from 1 to 2 Hz past another of 1.5 Hz with other damping; the third model lacks one of 4 Hz."""
    steps = np.linspace(1.0, 2.0, 21)
    models = [oscillators((hz, 0.01), (1.5, 0.1), (4.0, 0.02), dt=dt) for hz in steps]
    models[10:] = [oscillators((1.5, 0.1), (hz, 0.01), dt=dt) for hz in steps[10:]]
    poles = ist.LinearModelSet(models, steps).poles()
    hz, damping = poles.frequency_hz, poles.damping
    rising = [k for k in range(6) if hz[0, k] == pytest.approx(1.0)]
    assert len(rising) == 2
    for k in rising:
        assert hz[:, k] == pytest.approx(steps) and damping[:, k] == pytest.approx(0.01)
    gone = [k for k in range(6) if hz[0, k] == pytest.approx(4.0)]
    assert np.isnan(hz[10:, gone]).all() and np.isfinite(hz[:10, gone]).all()
    assert set(poles.verdicts) == {"stable"}


@pytest.fixture(scope="module")
def cart():
    return device_library.cart(2.0)


def test_open_loop_at_several_points_is_a_set(cart):
    flight = ist.Assembly("pd", vehicle=cart).add("rail", Rail(joint="cart"))
    flight.add("sensor", Ruler(joint="cart"), every=0.1)
    flight.add("law", lambda t, x, v: -3.0 * x - 2.0 * v, every=0.1, out={"u": "N"})
    flight.wire({"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "rail.command"})
    points = [cart.state(), cart.state(q=[0.5])]
    loops = ist.open_loop(flight, points, at="rail.command", name="pushed")
    one = ist.open_loop(flight, points[1], at="rail.command")
    assert (
        isinstance(loops, ist.LinearModelSet) and loops.dt == 0.1 and loops[1].name == loops.name == "pushed"
    )
    np.testing.assert_array_equal(loops[1].A, one.A)
    assert loops.margins()[1].rows == one.margins().rows
    plants = ist.linearize(cart, points, inputs=[ist.JointForce("cart")], outputs=[ist.JointAngle("cart")])
    assert isinstance(plants, ist.LinearModelSet) and len(plants) == 2
    with pytest.raises(InputError, match="x0 must be an operating point, or a list"):
        ist.linearize(cart, [cart.state(), 3.0])  # type: ignore[list-item]


def test_sets_are_joined_with_one_model_or_one_for_each():
    models = ist.LinearModelSet([three_lags(k) for k in GAINS[:2]], [10.0, 20.0])
    half = ist.LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), [[0.5]])
    f = [0.1, 0.3]
    both = models.series(half).frequency_response(f)
    assert both == pytest.approx(0.5 * models.frequency_response(f))
    each = models.series([half, half.series(half)])
    assert each.values.tolist() == [10.0, 20.0]
    assert each.frequency_response(f)[1] == pytest.approx(0.25 * models.frequency_response(f)[1])
    L = models.frequency_response(f)
    assert models.feedback([[1.0]]).frequency_response(f) == pytest.approx(L / (1 + L))
    with pytest.raises(InputError, match="series: there must be one model for each of the set"):
        models.series([half])


def test_a_set_in_a_file_comes_back_whole(tmp_path):
    models = ist.LinearModelSet([three_lags(1.0), oscillators((1.0, 0.1))], [1.0, 2.0], "run", "two")
    path = tmp_path / "two.h5"
    models.save(path)
    back = ist.LinearModelSet.load(path)
    assert (back.name, back.over, back.values.tolist()) == ("two", "run", [1.0, 2.0])
    for a, b in zip(models, back):
        for letter in "ABCD":
            np.testing.assert_array_equal(getattr(a, letter), getattr(b, letter))
        assert a.states == b.states
    with pytest.raises(InputError, match="must go into an HDF5 file"):
        models.save(tmp_path / "two.mat")
    with pytest.raises(FileError, match="this is a set of linear models, not a linear-model file"):
        ist.LinearModel.load(path)


def test_models_that_do_not_belong_together_are_refused():
    one = three_lags(1.0)
    with pytest.raises(InputError, match=r"same inputs.*expected u1, got push"):
        ist.LinearModelSet([one, ist.LinearModel(one.A, one.B, one.C, one.D, inputs=["push"])])
    with pytest.raises(InputError, match=r"same sample time.*got every 0.1 s"):
        ist.LinearModelSet([one, one.discretize(0.1)])
    with pytest.raises(InputError, match="values must be a finite number for each model"):
        ist.LinearModelSet([one], [1.0, 2.0])


def test_a_picture_and_a_page(tmp_path):
    from typer.testing import CliRunner

    from interstage.cli.main import app
    from interstage.report.sources import report_file

    models = ist.LinearModelSet([three_lags(k) for k in GAINS], GAINS, over="gain")
    axes = models.plot().axes
    assert len(axes) == 4
    drawn = axes[2].lines[0].get_ydata()
    assert drawn[:3] == pytest.approx(models.margins().gain_db[:3]) and np.isnan(drawn[3])
    models.save(tmp_path / "models.h5")
    page = report_file(tmp_path / "models.h5").html()
    assert "Worst margins" in page and f"{20 * np.log10(6 / 3):.4g}" in page
    said = CliRunner().invoke(app, ["info", str(tmp_path / "models.h5"), "--json"])
    told = json.loads(said.stdout)
    assert told["models"] == 4 and told["values"] == GAINS and told["poles"] == ["marginal"] * 4
