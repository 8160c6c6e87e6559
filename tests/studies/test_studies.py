"""Studies against closed forms: covariance, levels, indices of sensitivity, a device with dispersed parameters."""

from __future__ import annotations

import numpy as np
import pytest
import studied
from scipy import stats

import interstage as ist
from interstage.errors import InputError
from interstage.studies import Row
from interstage.studies.job import set_numbers
from interstage.studies.outputs import taken
from interstage.studies.statistics import level, rank_correlations, sobol

A = {"a": stats.norm(1.0, 0.2)}
JOINT = {("a", "b", "c"): stats.multivariate_normal(studied.MEAN, studied.COVARIANCE)}


def test_a_linear_study_has_the_covariance_of_theory():
    study = ist.monte_carlo(studied.linear, JOINT, 4096, sampling="sobol", workers=0)
    exact = studied.GAINS @ studied.COVARIANCE @ studied.GAINS.T
    found = np.cov(study["pair"].T)
    # by chance 4096 runs would be 2 % off; spread points are ten times better
    assert found == pytest.approx(exact, rel=0.01)
    assert study["pair"].mean(axis=0) == pytest.approx(studied.GAINS @ studied.MEAN, abs=2e-3)


def test_levels_of_a_gaussian_output():
    study = ist.monte_carlo(studied.linear, JOINT, 3000, seed=4, workers=0)
    sigma = np.sqrt((studied.GAINS @ studied.COVARIANCE @ studied.GAINS.T)[0, 0])
    mean = (studied.GAINS @ studied.MEAN)[0]
    for percent in (5.0, 50.0, 95.0, 99.865):
        true = mean + sigma * stats.norm.ppf(percent / 100)
        found = study.percentile("y1", percent, confidence=0.999)
        assert found.low <= true <= found.high
        assert found.low <= found.value <= found.high


def test_bounds_of_levels_hold_as_often_as_they_say():
    """2000 samples of 60: the 90 % interval of the 80 % level holds in 90 % or more (it is conservative)."""
    rng = np.random.default_rng(1)
    true = stats.expon.ppf(0.8)
    found = [level("y", rng.exponential(size=60), 80.0, 0.9) for _ in range(2000)]
    share = np.mean([one.low <= true <= one.high for one in found])
    assert 0.88 < share < 0.97


def test_runs_that_bounds_need():
    """59 runs for the one-sided 95/95 level of Wilks: here two-sided at 90 %, whose upper tail is the same 5 %."""
    few, enough = (level("y", np.arange(n, dtype=float), 95.0, 0.9) for n in (58, 59))
    assert few.high == np.inf and enough.high == 58.0
    assert few.runs_needed == enough.runs_needed == 59
    assert "to no bound at 90 % confidence, 58 runs; both bounds need 59)" in str(few)


def test_indices_of_the_ishigami_function():
    angles = {name: stats.uniform(-np.pi, 2 * np.pi) for name in "xyz"}
    study = ist.monte_carlo(studied.ishigami, angles, 5 * 2048, sampling="saltelli", workers=0)
    found = study.sensitivity("f")
    v1, v2, v13 = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 49 / 8, 0.01 * np.pi**8 * 8 / 225
    v = v1 + v2 + v13
    assert found.first == pytest.approx([v1 / v, v2 / v, 0.0], abs=0.02)
    assert found.total == pytest.approx([(v1 + v13) / v, v2 / v, v13 / v], abs=0.02)
    second = stats.sobol_indices(
        func=lambda p: studied.ishigami(dict(zip("xyz", p)))["f"][None],
        n=2048,
        dists=list(angles.values()),
        rng=np.random.default_rng(3),
    )
    assert found.total == pytest.approx(second.total_order.ravel(), abs=0.03)
    assert str(found).splitlines()[1].startswith("x")


def test_rank_correlations_find_what_matters():
    study = ist.monte_carlo(studied.linear, JOINT, 400, workers=0)
    rank = study.sensitivity("y1").rank
    assert rank == pytest.approx(
        [stats.spearmanr(study["y1"], study[name]).statistic for name in "abc"], abs=1e-12
    )


def test_a_device_with_dispersed_parameters():
    """x = 1 - exp(-t / tau) of a lag: RK4 at a tenth of tau is good to 2e-6."""
    asked = {"lag.tau": stats.uniform(0.4, 0.3), "lag.weights": stats.norm(2.0, 0.1)}
    flight = {"x": None, "until": 1.0, "step": 0.05}
    outputs = ["final lag.x", "max lag.y", "lag.y"]
    study = ist.monte_carlo(studied.lag(), asked, 6, 1, outputs, flight=flight, workers=0)
    x = 1 - np.exp(-1.0 / study["lag.tau"])
    assert study["final lag.x"] == pytest.approx(x, abs=2e-6)
    assert study["max lag.y"] == pytest.approx(study["lag.weights"] * x, abs=5e-6)
    t = study.times("lag.y")
    history = study["lag.weights"][:, None] * (1 - np.exp(-t / study["lag.tau"][:, None]))
    assert study["lag.y"] == pytest.approx(history, abs=5e-6)


def test_noise_belongs_to_the_run():
    flight = {"x": None, "until": 1.0, "step": 0.1}
    study = ist.monte_carlo(
        studied.lag(sigma=1.0),
        {"lag.tau": stats.uniform(0.4, 0.3)},
        5,
        1,
        ["lag.seen"],
        flight=flight,
        workers=0,
    )
    assert len({one.tobytes() for one in study["lag.seen"]}) == 5
    alone = studied.lag(sigma=1.0, tau=study["lag.tau"][3])
    alone.seed = study.row(3).seed
    log = ist.simulate(alone, None, until=1.0, step=0.1)
    assert np.array_equal(log["lag.seen"], study["lag.seen"][3])


def test_states_at_the_start_are_dispersed_by_name():
    """A free pendulum of small swing: the angle after a time is a cosine of what it was at first."""
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("bob", mass=1.0, com=[0, 0, -1.0], inertia=[0, 0, 0], joint=ist.Revolute("y"))
    system = mb.compile()
    flight = ist.Assembly("swing", vehicle=system)
    asked = {"q.bob.angle": stats.uniform(1e-5, 1e-5), "v.bob.angle": stats.norm(0.0, 1e-5)}
    arguments = {"x": system.state(), "until": 0.5, "step": "5 ms"}
    study = ist.monte_carlo(flight, asked, 4, 1, {"angle": last_angle}, flight=arguments, workers=0)
    w = np.sqrt(9.81)
    exact = study["q.bob.angle"] * np.cos(0.5 * w) + study["v.bob.angle"] / w * np.sin(0.5 * w)
    assert study["angle"] == pytest.approx(exact, rel=1e-7)
    assert system.state().q[0] == 0.0


def last_angle(log):
    """Return the angle at the end."""
    return log["bob"].q[-1, 0]


def test_a_study_prints_and_answers():
    study = ist.monte_carlo(studied.sometimes_fails, A, 20, workers=0)
    assert list(study.errors) == [2, 7, 12, 17]
    assert "this run does not like its numbers (studied.py, line" in study.errors[2]
    assert np.isnan(study["y"][2]) and np.isfinite(study["y"][3])
    assert "20 runs, seed 0, random points, 4 failed" in str(study)
    worst = study.worst("y", 3)
    assert [row["a"] for row in worst] == sorted(study["y"][np.isfinite(study["y"])])[::-1][:3]
    assert study.worst("y", 1, largest=False)[0]["a"] == np.nanmin(study["y"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"build": 3}, "nothing to run"),
        ({"outputs": "y"}, "outputs cannot be read"),
        ({"outputs": [3]}, "outputs are not all names"),
        ({"outputs": {"y": 3}}, "this is no output .'y'"),
        ({"flight": {}}, "flight= is for assemblies"),
        ({"workers": -1}, "workers is no number of processes"),
        ({"build": studied.lag(), "outputs": ["lag.x"]}, "how long the assembly flies"),
        ({"build": studied.lag(), "flight": {"until": 1.0}}, "what to keep"),
        (
            {"build": studied.lag(), "flight": {"until": 1.0, "log": "x"}, "outputs": ["lag.x"]},
            "takes no log=",
        ),
        ({"build": lambda row: 1.0, "workers": 1}, "cannot travel to other processes.*workers=0 runs here"),
        ({"cluster": 7}, "this is no cluster"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(ist.InterstageError, match=words):
        ist.monte_carlo(**({"build": studied.linear, "dispersions": A, "runs": 3} | change))


@pytest.mark.parametrize(
    ("build", "outputs", "words"),
    [
        (lambda row: 1.0, None, "not said what to keep"),
        (lambda row: 1.0, ["y"], "cannot be read from what a run returned"),
        (lambda row: {"y": 1.0}, ["z"], "the run returned no 'z'; known: y"),
        (lambda row: {"y": "much"}, ["y"], "output 'y' is no number"),
        (lambda row: {"y": "1.5"}, ["y"], "output 'y' is no number"),
        (lambda row: {"y": None}, ["y"], "output 'y' is no number"),
        (lambda row: {"y": 1.0 + 2.0j}, ["y"], "output 'y' is no number"),
        (lambda row: {"y": [[1.0], [1.0, 2.0]]}, ["y"], "output 'y' is no number"),
        (lambda row: exit(3), None, "SystemExit: 3"),
        (lambda row: {"y": []}, ["y"], "output 'y' is empty"),
    ],
)
def test_runs_that_give_nothing_say_so(build, outputs, words):
    study = ist.monte_carlo(build, A, 1, outputs=outputs, workers=0)
    assert words in study.errors[0]


def test_names_that_are_not_there():
    flight = {"x": None, "until": 1.0}
    with pytest.raises(
        ist.InterstageError, match=r"nothing called 'lag\.taw' to disperse; did you mean lag\.tau"
    ):
        ist.monte_carlo(studied.lag(), {"lag.taw": A["a"]}, 1, 0, ["lag.x"], flight=flight, workers=0)
    study = ist.monte_carlo(studied.linear, JOINT, 2, workers=0)
    with pytest.raises(ist.InterstageError, match="no output 'y3'; known: y1, y2, pair"):
        study["y3"]


def test_outputs_of_devices_are_not_dispersed():
    flight = {"x": None, "until": 1.0}
    with pytest.raises(ist.InterstageError, match=r"'lag\.seen' is an output: its device writes it"):
        ist.monte_carlo(studied.lag(), {"lag.seen": A["a"]}, 1, 0, ["lag.x"], flight=flight, workers=0)


def test_infinite_outputs_count_and_failures_are_named():
    def beyond(row):
        if row["a"] < -1.0:
            raise ValueError("below")
        return {"y": np.inf if row["a"] > 1.0 else row["a"]}

    study = ist.monte_carlo(beyond, {"a": stats.norm()}, 400, seed=3, workers=0)
    found = study.percentile("y", 95)
    # some 16 % of runs are infinite: no level of 95 % is finite
    assert found.value == np.inf and found.left_out == len(study.errors) > 0
    assert f"{found.left_out} without a number left out" in str(found)
    assert study["y"][study.worst("y", 1)[0].number] == np.inf
    assert "runs in which it is infinite" in str(study)


def test_names_of_times_are_reserved_where_there_are_some():
    study = ist.monte_carlo(lambda row: {"time of impact": 3.0}, A, 2, workers=0)
    assert study.names == ["time of impact"]
    with pytest.raises(ist.InterstageError, match="is no history"):
        study.times("time of impact")


def test_a_wrong_word_before_a_signal_is_answered_with_the_words_there_are():
    log = ist.simulate(studied.lag(), None, until=0.5)
    with pytest.raises(InputError, match=r"'largest' no way to reduce one.*final, max, min, peak, mean, rms"):
        taken(log, {"y": "largest lag.y"})


def test_dispersed_attitudes_have_unit_length():
    mb = ist.Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    flight = {"x": system.state()}
    set_numbers(ist.Assembly("spin", vehicle=system), Row(0, 1, {"q.top.quaternion1": 0.5}), flight)
    assert flight["x"].q[:4] == pytest.approx(np.array([1.0, 0.5, 0, 0]) / np.sqrt(1.25), rel=1e-15)


def test_what_never_changes_depends_on_nothing():
    columns = np.random.default_rng(1).random((20, 2))
    assert rank_correlations(np.full(20, 3.0), columns).tolist() == [0.0, 0.0]
    first, total, *_ = sobol(np.full(16, 3.0), 2)
    assert first.tolist() == total.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("final lag.z", r"no port or state 'lag\.z'"),
        ("lag.yy", r"no port or state 'lag\.yy' in the log.*lag\.y"),
        ("largest lag.y", "'largest' no way to reduce one"),
        ("final lag.y[3]", r"'lag\.y' has no \[3\]"),
    ],
)
def test_misspelt_signals_of_assemblies_are_refused_before_a_run(output, words):
    with pytest.raises(InputError, match=words):
        ist.monte_carlo(
            studied.lag(),
            {"lag.tau": A["a"]},
            1,
            0,
            {"y": output},
            flight={"x": None, "until": 1.0},
            workers=0,
        )


def test_sums_of_signals_are_outputs():
    flight = {"x": None, "until": 0.5}
    outputs = ["lag.y - lag.x", "final lag.y + lag.x"]
    study = ist.monte_carlo(studied.lag(), {"lag.tau": A["a"]}, 2, 0, outputs, flight=flight, workers=0)
    # the weight of the lag is one: y is x
    assert not study["lag.y - lag.x"].any()
    assert study["final lag.y + lag.x"] == pytest.approx(2 * (1 - np.exp(-0.5 / study["lag.tau"])), abs=1e-6)


def test_units_of_an_assembly_are_shown_and_kept(tmp_path):
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("bob", mass=1.0, com=[0, 0, -1.0], inertia=[0, 0, 0], joint=ist.Revolute("y"))
    system = mb.compile()
    flight = ist.Assembly("swing", vehicle=system).add("spring", studied.Spring(joint="bob"))
    asked = {
        "spring.k": stats.norm(2.0, 0.1),
        "q.bob.angle": stats.norm(0.0, 0.1),
        "v.bob.angle": stats.norm(),
    }
    arguments = {"x": system.state(), "until": 0.1}
    outputs = {"peak": "peak spring.torque", "spring.rate": "spring.rate", "own": last_angle}
    study = ist.monte_carlo(flight, asked, 2, 1, outputs, tmp_path, flight=arguments, workers=0)
    units = {"spring.k": "N m/rad", "q.bob.angle": "rad", "v.bob.angle": "rad/s"}
    units |= {"peak": "N*m", "spring.rate": "rad/s"}
    assert study.units == ist.Study.load(tmp_path).units == units
    assert "peak, N*m" in str(study) and "spring.rate, rad/s  array" in str(study)
    text = study.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "peak, N*m" in text and "spring.k, N m/rad" in text and "q.bob.angle, rad" in text


def test_outputs_of_uneven_size_are_in_the_digest(tmp_path):
    def build(factor):
        return lambda row: {"y": factor * np.arange(2.0 + row.number)}

    first, same, other = (
        ist.monte_carlo(build(k), A, 3, folder=tmp_path / name, workers=0)
        for k, name in ((1.0, "first"), (1.0, "same"), (2.0, "other"))
    )
    assert list(first.uneven) == ["y"]
    assert first.digest == same.digest == ist.Study.load(tmp_path / "first").digest != other.digest
