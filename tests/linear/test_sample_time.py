"""Models know their sample time and their notes, whatever is done with them and in every file."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.linear.model import SampledModel

DT = 0.05
SECOND = ist.LinearModel([[0.0, 1.0], [-4.0, -0.4]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]], name="swing")


def sampled(**others) -> ist.LinearModel:
    rng = np.random.default_rng(3)
    A = np.array([[0.5, 0.2, 0.0], [-0.2, 0.5, 0.1], [0.0, 0.0, 0.9]])
    B, C, D = (rng.normal(size=shape) for shape in ((3, 2), (2, 3), (2, 2)))
    return ist.LinearModel(A, B, C, D, dt=DT, **others)


def test_a_model_has_a_sample_time_or_none():
    assert SECOND.dt is None and sampled().dt == DT and SECOND.discretize("20 ms").dt == 0.02
    assert isinstance(sampled(), SampledModel) and not isinstance(SECOND, SampledModel)
    old = SampledModel([[0.5]], [[1.0]], [[1.0]], [[0.0]])
    assert type(old) is ist.LinearModel and old.dt == 1.0
    assert f"every {DT:g} s" in repr(sampled()) and "every" not in repr(SECOND)
    for wrong in (0, -1.0, np.nan, np.inf, True, "soon"):
        with pytest.raises(InputError, match="dt of a linear model must be a time above zero"):
            ist.LinearModel([[0.5]], [[1.0]], [[1.0]], [[0.0]], dt=wrong)


@pytest.mark.parametrize("kind", ["h5", "mat", "npz"])
@pytest.mark.parametrize("dt", [None, DT, 1.0 / 3.0])
def test_files_keep_sample_time_and_notes(tmp_path, kind, dt):
    model = sampled(notes=("holds below 3 Hz", "µ: a second note"))
    model = ist.LinearModel(model.A, model.B, model.C, model.D, dt=dt, notes=model.notes)
    path = tmp_path / f"model.{kind}"
    model.save(path)
    for back in (ist.LinearModel.load(path), ist.load(path)):
        assert back.dt == dt and back.notes == model.notes
        assert all(np.array_equal(getattr(back, letter), getattr(model, letter)) for letter in "ABCD")
        assert "note     holds below 3 Hz" in str(back)


def test_a_script_for_matlab_has_the_sample_time(tmp_path):
    for model, want in ((sampled(), f"Ts = {DT!r};"), (SECOND, "Ts = 0.0;")):
        model.save(tmp_path / "model.m")
        text = (tmp_path / "model.m").read_text()
        assert want in text and "ss(A, B, C, D, Ts," in text


def test_what_is_made_of_a_model_keeps_sample_time_and_notes():
    model = sampled(notes=("a note",))
    made = [model.select(["u1"], ["y2"]), model.series(model), model.feedback(0.1 * np.eye(2))]
    made += [model.feedback(ist.LinearModel(np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((2, 0)), np.eye(2)))]
    for one in made:
        assert one.dt == DT and one.notes == ("a note",)
    other = ist.LinearModel(model.A, model.B, model.C, model.D, dt=2 * DT)
    gains = ist.LinearModel(np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((2, 0)), np.eye(2), dt=2 * DT)
    for wrong in (other, gains, SECOND.series(SECOND)):
        with pytest.raises(InputError, match=r"different times|do not fit"):
            model.series(wrong)
    same = ist.LinearModel(model.A, model.B, model.C, model.D, dt=3 * (DT / 3))
    assert model.series(same).dt == DT


def test_time_response_of_a_sampled_model_takes_times_or_none():
    model, rng = sampled(), np.random.default_rng(5)
    u, x0 = rng.normal(size=(20, 2)), rng.normal(size=3)
    x, want = x0, []
    for row in u:
        want.append(model.C @ x + model.D @ row)
        x = model.A @ x + model.B @ row
    t = 1.7 + DT * np.arange(20)
    for found in (
        model.time_response(u, x0),
        model.time_response(u=u, x0=x0),
        model.time_response(t, u, x0),
        model.time_response(t=t, u=u, x0=x0),
    ):
        assert found == pytest.approx(np.array(want), abs=1e-12)
    assert model.time_response(t, [1.0, 0.0])[0] == pytest.approx(model.D[:, 0])
    with pytest.raises(InputError, match="its sample time apart"):
        model.time_response(0.5 * t, u)
    one = model.select(["u1"])
    with pytest.raises(InputError, match="it cannot be told"):
        one.time_response(DT * np.arange(3), [1.0, 0.0, 0.0])
    assert one.time_response(u=DT * np.arange(3), x0=[1.0, 0.0, 0.0])[0] == pytest.approx(one.C[:, 0])
    with pytest.raises(InputError, match="needs times"):
        SECOND.time_response(u=u)
