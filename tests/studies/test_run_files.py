"""Noise of runs belongs to the run, and files of runs to their study: what another study wrote is refused."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import studied
from scipy import stats

import interstage as ist
from interstage.cli.info import info
from interstage.errors import FileError
from interstage.studies.job import Outcome

A = {"a": stats.norm(1.0, 0.2)}
FLIGHT = {"until": 0.4, "step": 0.1}
OUTSIDE = studied.lag(sigma=1.0)  # made once, flown by every run


def flown(assembly):
    """Return the noise that one flight sees."""
    return {"seen": ist.simulate(assembly, None, progress=False, **FLIGHT)["lag.seen"]}


def made_here(row):
    """Make the assembly in the run."""
    return flown(studied.lag(sigma=1.0))


def made_outside(row):
    """Fly an assembly that is made before the runs."""
    return flown(OUTSIDE)


def seeded(row):
    """Give the assembly the seed of the run, as the default does."""
    made = studied.lag(sigma=1.0)
    made.seed = row.seed
    return flown(made)


def fixed(row):
    """Ask for the same noise in every run."""
    made = studied.lag(sigma=1.0)
    made.seed = 5
    return flown(made)


def of_an_output(log):
    """Fly once more while outputs are taken."""
    return flown(studied.lag(sigma=1.0))["seen"]


def test_every_run_has_noise_of_its_own_in_every_form(tmp_path):
    one, two = (
        ist.monte_carlo(build, A, 5, 3, workers=0, progress=False) for build in (made_here, made_outside)
    )
    assert len({run.tobytes() for run in one["seen"]}) == 5
    # the default is the seed of the run, which the other ways to say it give too
    assert np.array_equal(one["seen"], two["seen"])
    assert np.array_equal(one["seen"], ist.monte_carlo(seeded, A, 5, 3, workers=0)["seen"])
    asked = {"lag.weights": stats.norm(1.0, 0.2)}
    study = ist.monte_carlo(
        studied.lag(sigma=1.0), asked, 5, 3, ["lag.seen"], flight={"x": None} | FLIGHT, workers=0
    )
    assert np.array_equal(one["seen"], study["lag.seen"])
    late = ist.monte_carlo(studied.linear_one, A, 5, 3, {"seen": of_an_output}, workers=0)
    assert np.array_equal(one["seen"], late["seen"])
    # a seed that is given is kept, and outside of studies noise is that of seed 0
    same = ist.monte_carlo(fixed, A, 3, 3, workers=0)["seen"]
    assert len({run.tobytes() for run in same}) == 1
    alone = studied.lag(sigma=1.0)
    alone.seed = 0
    assert np.array_equal(flown(studied.lag(sigma=1.0))["seen"], flown(alone)["seen"])


def test_noise_is_the_same_to_the_bit_on_repetition(tmp_path):
    here = ist.monte_carlo(made_here, A, 4, 3, workers=0, folder=tmp_path / "a")
    for k in (1, 3):
        (tmp_path / "a" / "runs" / f"run_{k:06d}.h5").unlink()
    resumed = ist.monte_carlo(made_here, A, 4, 3, workers=2, folder=tmp_path / "a")
    assert resumed.digest == here.digest
    assert np.array_equal(here.repeat(2)["seen"], here["seen"][2])


def test_a_log_of_a_run_has_its_noise():
    study = ist.monte_carlo(studied.noisy_flight, A, 3, 3, ["lag.seen"], workers=0)
    assert np.array_equal(study.log(1)["lag.seen"], study["lag.seen"][1])


def test_a_resumed_flight_keeps_the_noise_of_its_run(tmp_path):
    """A checkpoint has the seed of the run: resumed outside of the study it draws the same noise."""
    study = ist.monte_carlo(studied.checkpointed(str(tmp_path)), A, 2, 3, ["lag.seen"], workers=0)
    assert not study.errors
    log = ist.resume(tmp_path / "run1.ckpt.h5", until=0.8)
    n = study["lag.seen"].shape[1]
    assert np.array_equal(log["lag.seen"][:n], study["lag.seen"][1])
    # the later samples too: those of an assembly with that seed
    whole = studied.lag(sigma=1.0)
    whole.seed = study.row(1).seed
    assert np.array_equal(log["lag.seen"], ist.simulate(whole, None, until=0.8, step=0.1)["lag.seen"])


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True, 2**63, [1]])
def test_seeds_that_are_not_whole_numbers(seed):
    with pytest.raises(ist.InterstageError, match="seed must be a non-negative integer"):
        ist.Assembly("a", seed=seed)


# files --------------------------------------------------------------------------------------------


def two(row):
    """Twice the number."""
    return {"y": 2.0 * row["a"], "b": row["a"] ** 2}


def three(row):
    """Three times the number."""
    return {"y": 3.0 * row["a"], "b": row["a"] ** 2}


@pytest.fixture
def folder(tmp_path):
    """A study of six runs."""
    ist.monte_carlo(two, A, 6, seed=1, folder=tmp_path / "mine", workers=0)
    return tmp_path / "mine"


OTHERS = {
    "another seed": (two, A, {"seed": 2}),
    "another build": (three, A, {"seed": 1}),
    "another distribution": (two, {"a": stats.norm(5.0, 0.2)}, {"seed": 1}),
    "other outputs": (two, A, {"seed": 1, "outputs": ["y"]}),
    "other points": (two, A, {"seed": 1, "sampling": "latin"}),
}


@pytest.mark.parametrize("other", OTHERS)
def test_run_files_of_another_study_are_refused(folder, tmp_path, other):
    build, dispersions, how = OTHERS[other]
    ist.monte_carlo(build, dispersions, 6, folder=tmp_path / "other", workers=0, **how)
    shutil.copy(tmp_path / "other/runs/run_000004.h5", folder / "runs/run_000004.h5")
    with pytest.raises(FileError, match=r"belongs to another study .*run_000004.h5.*the run is done again"):
        ist.monte_carlo(two, A, 6, seed=1, folder=folder, workers=0)
    (folder / "runs/run_000004.h5").unlink()
    study = ist.monte_carlo(two, A, 6, seed=1, folder=folder, workers=0)
    assert np.array_equal(study["y"], 2.0 * study["a"])


@pytest.mark.parametrize(
    ("outputs", "study"),
    [({"y": np.array(1.0)}, True), ({}, True), ({"y": np.array(1.0), "b": np.array(1.0)}, False)],
)
def test_run_files_that_were_changed_are_refused(folder, outputs, study):
    path = folder / "runs/run_000003.h5"
    there = Outcome.load(path)
    Outcome(3, outputs, "", 1.0, there.study if study else "").save(path)
    if study:  # what a lacking output would need: a digest that is not that of the contents
        import h5py

        with h5py.File(path, "r+") as f:
            del f["DIGEST"]
            f["DIGEST"] = there.digest
    with pytest.raises(FileError, match=r"was changed after it was written|did not record its study"):
        ist.monte_carlo(two, A, 6, seed=1, folder=folder, workers=0)


def test_runs_without_a_table_are_refused(folder):
    (folder / "design.h5").unlink()
    with pytest.raises(FileError, match=r"has runs but no design.h5"):
        ist.monte_carlo(three, {"a": stats.norm(5, 1)}, 6, seed=7, folder=folder, workers=0)


def test_a_summary_of_another_study_is_refused(folder, tmp_path):
    ist.monte_carlo(two, A, 6, seed=2, folder=tmp_path / "other", workers=0)
    shutil.copy(tmp_path / "other/summary.h5", folder / "summary.h5")
    for path in (folder, folder / "summary.h5"):
        with pytest.raises(FileError, match="different studies"):
            ist.load(path)
    shutil.copy(folder / "summary.h5", folder / "theirs.h5")
    assert (
        ist.load(folder / "theirs.h5").folder is None
    )  # so that no log of this study is taken for one of theirs
    ist.monte_carlo(two, A, 6, seed=1, folder=folder, workers=0)
    assert ist.load(folder).design.seed == 1


def test_a_folder_with_more_runs_than_its_summary_says_so(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("interstage.studies.study.Study.save", lambda self, path: path)
        ist.monte_carlo(two, A, 8, seed=1, folder=folder, workers=0)
    with pytest.warns(UserWarning, match="summary has 6 of the 8 runs"):
        assert len(ist.load(folder)) == 6


def test_the_command_shows_the_folder_of_a_study(folder, capsys):
    info(folder, as_json=False)
    assert "6 runs, seed 1, random points" in capsys.readouterr().out
    (folder / "summary.h5").unlink()
    (folder / "runs/run_000002.h5").unlink()
    with pytest.raises(FileError, match=r"has not ended .*got 5 of 6 runs done"):
        ist.load(folder)
    info(folder, as_json=False)
    said = capsys.readouterr().out
    assert "5 of 6 runs done" in said and "a: norm(1, 0.2)" in said
    info(folder, as_json=True)
    assert '"done": 5' in capsys.readouterr().out
    with pytest.raises(FileError, match="this is a folder"):
        info(folder / "runs", as_json=False)


def sometimes_nan(row):
    """NaN in runs of even numbers, and an array that has one in run 1; run 3 fails."""
    if row.number == 3:
        raise ValueError("no")
    pair = [1.0, np.nan if row.number == 1 else 0.0]
    return {"z": np.nan if row.number % 2 == 0 else 1.0, "pair": pair, "none": np.nan}


def test_runs_that_are_not_numbers_are_counted():
    study = ist.monte_carlo(sometimes_nan, A, 6, workers=0)
    said = str(study)
    assert study.without("z") == [0, 2, 4] and study.without("pair") == [1]
    assert "and 3 runs in which it is NaN" in said
    assert "none" in said and "and 5 runs in which it is NaN" in said
    assert "array (2,) a run, NaN in 1 of the runs" in said
