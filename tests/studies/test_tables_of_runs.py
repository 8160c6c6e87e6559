"""The table of a study: distributions, correlations, derived numbers, kinds of points, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import interstage as ist
from interstage.studies import Design
from interstage.studies.design import draw, seed_of

NORMAL = stats.norm(2.0, 0.5)


@pytest.mark.parametrize("sampling", ["random", "latin", "sobol"])
def test_columns_follow_their_distributions(sampling):
    asked = {"n": NORMAL, "u": stats.uniform(-1, 4), "t": stats.triang(0.3), "k": stats.poisson(4.0)}
    design = draw(asked, 4000, seed=5, sampling=sampling)
    for name in ("n", "u", "t"):
        # Kolmogorov and Smirnov: 4000 points of the right distribution are below 0.0258 in 99 % of cases
        assert stats.kstest(design.column(name), asked[name].cdf).statistic < 0.0258
    assert design.column("k").mean() == pytest.approx(4.0, abs=4 * 2.0 / np.sqrt(4000))
    assert (design.column("k") == np.rint(design.column("k"))).all()


def test_points_that_fill_space_estimate_means_better():
    """The mean of 1024 normal numbers: error 1/32 sigma by chance, far less where points are spread."""
    asked = {"n": NORMAL}
    errors = {
        kind: abs(draw(asked, 1024, seed=1, sampling=kind).column("n").mean() - 2.0)
        for kind in ("latin", "sobol")
    }
    assert max(errors.values()) < 0.5 / 32 / 20


def test_correlated_sets_have_their_covariance():
    cov = np.array([[4.0, 1.2, 0.0], [1.2, 1.0, -0.3], [0.0, -0.3, 0.25]])
    joint = stats.multivariate_normal([1.0, 2.0, 3.0], cov)
    design = draw({("a", "b", "c"): joint, "d": NORMAL}, 8192, seed=2, sampling="sobol")
    # Sobol points are far better than chance: 1 % of the largest entry
    assert np.cov(design.values[:, :3].T) == pytest.approx(cov, abs=0.04)
    assert design.values[:, :3].mean(axis=0) == pytest.approx([1, 2, 3], abs=0.01)
    assert abs(np.corrcoef(design.column("a"), design.column("d"))[0, 1]) < 0.02


def test_singular_covariances_are_drawn_on_their_plane():
    joint = stats.multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 4.0]], allow_singular=True)
    design = draw({("a", "b"): joint}, 50)
    # the root of a singular matrix is good to the root of rounding
    assert design.column("b") == pytest.approx(2 * design.column("a"), abs=1e-7)


def test_derived_numbers_are_functions_of_those_before():
    asked = {"m": NORMAL, "r": lambda row: 3 * row["m"], "s": lambda row: row["r"] + row.number}
    design = draw(asked, 20)
    assert np.array_equal(design.column("s"), 3 * design.column("m") + np.arange(20))
    assert design.drawn == ("m",)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**63 - 1), st.integers(1, 30), st.integers(0, 30))
def test_more_random_runs_change_none(seed, runs, more):
    asked = {"a": NORMAL, "b": stats.expon()}
    few, many = draw(asked, runs, seed), draw(asked, runs + more, seed)
    assert np.array_equal(few.values, many.values[:runs])
    assert few.row(0).seed == many.row(0).seed == seed_of(seed, 0)


def test_every_run_has_a_seed_of_its_own():
    seeds = {seed_of(study, run) for study in (0, 1) for run in range(5000)}
    assert len(seeds) == 10000 and max(seeds) < 2**63


def test_other_seeds_are_other_tables():
    assert not np.array_equal(draw({"a": NORMAL}, 10, 1).values, draw({"a": NORMAL}, 10, 2).values)


def test_saltelli_exchanges_one_column_at_a_time():
    design = draw({"a": NORMAL, "b": NORMAL}, 32, sampling="saltelli")
    a, b, ab, ba = design.values.reshape(4, 8, 2)
    assert np.array_equal(ab, np.stack([b[:, 0], a[:, 1]], axis=1))
    assert np.array_equal(ba, np.stack([a[:, 0], b[:, 1]], axis=1))


def test_files_of_tables(tmp_path):
    design = draw({"a": NORMAL, "b": lambda row: 1.0}, 7, seed=2**62 + 1)
    back = Design.load(design.save(tmp_path / "design.h5"))
    assert back.digest == design.digest and back.words == ("norm(2, 0.5)", "a function of the row")


def test_rows_print_and_refuse():
    row = draw({"mass": NORMAL}, 3).row(2)
    assert repr(row).startswith("Row(2: mass=")
    with pytest.raises(ist.InterstageError, match="did you mean mass"):
        row["mas"]


@pytest.mark.parametrize(
    ("asked", "more", "words"),
    [
        ({"a": 3.0}, {}, "this is no dispersion .dispersion of 'a'.*frozen distribution"),
        ({"a": stats.norm}, {}, "this is no dispersion"),
        ({"a": stats.norm([0.0, 1.0], 1.0)}, {}, "more than one distribution"),
        ({3: NORMAL}, {}, "not a name"),
        ([NORMAL], {}, "not given by name"),
        ({("a", "b"): NORMAL}, {}, "needs a joint distribution"),
        ({("a", "b"): stats.multivariate_normal([1.0], [[1.0]])}, {}, "expected 2 means, got 1"),
        ({"a": NORMAL, ("b", "a"): stats.multivariate_normal([1, 1])}, {}, "'a' is dispersed twice"),
        ({"a": lambda row: row["b"]}, {}, "'a' cannot be derived .run 0.*named? 'b'|'a' cannot be derived"),
        ({"a": lambda row: float("nan")}, {}, "not finite .'a', run 0"),
        ({"a": NORMAL}, {"runs": 0}, "runs is no number of runs"),
        ({"a": NORMAL}, {"runs": 2.5}, "runs is no number of runs"),
        ({"a": NORMAL}, {"seed": -1}, "seed is no seed"),
        ({"a": NORMAL}, {"sampling": "halton"}, "there is no sampling 'halton'"),
        (
            {"a": NORMAL},
            {"sampling": "saltelli", "runs": 10},
            "multiple of the 1 quantities . 2.*9 runs would do",
        ),
        ({("a", "b"): stats.multivariate_normal([1, 1])}, {"sampling": "saltelli"}, "independent quantities"),
    ],
)
def test_what_is_refused(asked, more, words):
    with pytest.raises(ist.InterstageError, match=words):
        draw(asked, **({"runs": 12} | more))
