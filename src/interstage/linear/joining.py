"""Join linear models, sample them, and follow them in time.

    series      y = second(first(u))
    feedback    y = plant(u),  u = r - law(y)           (sign = -1)
    discretize  F = exp(A T), G = ∫ exp(A s) ds B       ("zoh": inputs held; "foh", "tustin")
    response    outputs for inputs that are straight lines between times, or held: exact, by matrix exponentials

A law may be a matrix of gains. Inputs and outputs keep their names; so do states, with the name of the model before
them where both have one of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.linalg import expm

from interstage.errors import InputError, SolverError
from interstage.simulation.plant.clock import Period, period_of
from interstage.units import unit

if TYPE_CHECKING:
    from interstage.linear.model import Chosen, LinearModel

SAME_TIME = 1e-12  # part of a sample time by which another may differ: rounding of sums and quotients
METHODS = {"zoh": "zoh", "foh": "foh", "tustin": "bilinear"}


def discretize(model: LinearModel, dt: Period, method: str = "zoh") -> LinearModel:
    """Return the model from one sample to the next, `dt` seconds (or as "10 ms") later."""
    if model.dt is not None:
        raise InputError("the model is sampled already", where="discretize", got=f"every {model.dt:g} s")
    if method not in METHODS:
        raise InputError("unknown method", where="discretize", expected=", ".join(METHODS), got=repr(method))
    if isinstance(dt, int | float | np.floating) and not (np.isfinite(dt) and dt > 0):
        raise InputError("a sample time is above zero", where="discretize", expected="seconds", got=repr(dt))
    seconds = float(dt) if isinstance(dt, float | np.floating) else float(period_of(dt, "discretize, dt"))
    A, B, C, D, _ = scipy.signal.cont2discrete((model.A, model.B, model.C, model.D), seconds, METHODS[method])
    return replace(model, A=A, B=B, C=C, D=D, dt=seconds)


def series(first: LinearModel, second: LinearModel) -> LinearModel:
    """Return the model of `first` whose outputs are the inputs of `second`, in their order."""
    dt = _common_dt(first, second)
    _check_wires(first.outputs, first.output_units, second.inputs, second.input_units, "series")
    A = np.block([[first.A, np.zeros((len(first.A), len(second.A)))], [second.B @ first.C, second.A]])
    B, C = np.vstack([first.B, second.B @ first.D]), np.hstack([second.D @ first.C, second.C])
    named = {
        "inputs": first.inputs,
        "outputs": second.outputs,
        "input_units": first.input_units,
        "output_units": second.output_units,
        "input_index": first.input_index,
        "output_index": second.output_index,
    }
    return _model(
        A, B, C, second.D @ first.D, _state_names(first, second), named, f"{second.name}({first.name})", dt,
        (*first.notes, *second.notes),
    )  # fmt: skip


def feedback(
    plant: LinearModel,
    law: LinearModel | ArrayLike,
    sign: int = -1,
    inputs: Chosen = None,
    outputs: Chosen = None,
) -> LinearModel:
    """Return the closed loop from the plant's inputs to its outputs; u = r + sign law(y).

    inputs, outputs : of the plant that the law drives and sees, in its order; default all
    """
    if sign not in (-1, 1):
        raise InputError("a sign is 1 or -1", where="feedback", got=repr(sign))
    i, o = plant.input_places(inputs), plant.output_places(outputs)
    law = _as_model(law, len(i), len(o))
    dt = _common_dt(plant, law)
    seen = [plant.outputs[k] for k in o], [plant.output_units[k] for k in o]
    _check_wires(*seen, law.inputs, law.input_units, "feedback")
    _check_wires(
        law.outputs,
        law.output_units,
        [plant.inputs[k] for k in i],
        [plant.input_units[k] for k in i],
        "feedback",
    )
    drive, see = np.eye(len(plant.inputs))[:, i], np.eye(len(plant.outputs))[o]
    B2, C2, D2 = law.B @ see, sign * drive @ law.C, sign * drive @ law.D @ see
    loop = np.eye(len(plant.C)) - plant.D @ D2
    if len(loop) and np.linalg.cond(loop) > 1e14:
        raise SolverError("the loop has no solution: its gain without states is one", where="feedback")
    # y = E (C1 x1 + D1 C2 x2 + D1 r), u = r + C2 x2 + D2 y
    C = np.linalg.solve(loop, np.hstack([plant.C, plant.D @ C2]))
    D = np.linalg.solve(loop, plant.D)
    of_x = np.hstack([np.zeros((len(plant.inputs), len(plant.A))), C2]) + D2 @ C
    of_r = np.eye(len(plant.inputs)) + D2 @ D
    A = np.vstack([plant.B @ of_x, B2 @ C])
    A[: len(plant.A), : len(plant.A)] += plant.A
    A[len(plant.A) :, len(plant.A) :] += law.A
    named = {
        what: getattr(plant, what)
        for what in ("inputs", "outputs", "input_units", "output_units", "input_index", "output_index")
    }
    return _model(
        A, np.vstack([plant.B @ of_r, B2 @ D]), C, D, _state_names(plant, law), named, plant.name, dt,
        (*plant.notes, *law.notes),
    )  # fmt: skip


def response(
    model: LinearModel,
    t: ArrayLike | None,
    u: ArrayLike = 0.0,
    x0: ArrayLike | None = None,
    held: bool = False,
) -> np.ndarray:
    """Return outputs (nt, ny) at times t (nt,), which increase.

    u : (nt, nu), (nt,) of one input, or numbers (nu,) that stay; straight lines between times, or held
    x0 : (n,) at the first time, default zero
    """
    if t is None:
        raise InputError("a model in continuous time needs times", where="time_response", expected="t=")
    times = np.asarray(t, dtype=float)
    if times.ndim != 1 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise InputError("times must increase", where="time_response")
    given, x = _inputs_of(model, u, len(times)), _start_of(model, x0)
    n, nu = model.B.shape
    steps: dict[float, np.ndarray] = {}
    y = np.empty((len(times), len(model.C)))
    for k in range(len(times)):
        y[k] = model.C @ x + model.D @ given[k]
        if k + 1 == len(times):
            break
        h = float(times[k + 1] - times[k])
        key = float(f"{h:.12g}")
        if key not in steps:
            whole = np.zeros((n + 2 * nu, n + 2 * nu))
            whole[:n, :n], whole[:n, n : n + nu] = model.A, model.B
            whole[n : n + nu, n + nu :] = np.eye(nu) / h
            steps[key] = expm(h * whole)[:n]
        slope = np.zeros(nu) if held else given[k + 1] - given[k]
        x = steps[key] @ np.concatenate([x, given[k], slope])
    return y


def rows_of_samples(
    model: LinearModel, t: ArrayLike | None, u: ArrayLike | None, x0: ArrayLike | None
) -> tuple[ArrayLike, ArrayLike | None]:
    """Return inputs, a row for each sample, and the state at the start, of (t, u, x0), (u) or (u, x0)."""
    assert model.dt is not None
    if t is None:
        if u is None:
            raise InputError("a sampled model needs inputs", where="time_response", expected="u=")
        return u, x0
    first = np.asarray(t, dtype=float)
    steps = np.diff(first) if first.ndim == 1 else np.zeros(0)
    times = first.ndim == 1 and bool((np.abs(steps - model.dt) <= 1e-6 * model.dt).all())
    if u is None:
        return first, x0
    start = x0 is None and np.shape(u) == (len(model.A),)
    rows = first.ndim == 2 or len(model.inputs) == 1
    if times and not (start and rows and len(first)):
        return _inputs_of(model, u, len(first)), x0
    if start and rows and not times:
        return first, u
    if times:
        raise InputError(
            "it cannot be told whether times and inputs or inputs and a state at the start are given",
            where="time_response",
            hint="write time_response(t, u, x0=…) or time_response(u=…, x0=…)",
        )
    raise InputError(
        "times of a sampled model must be its sample time apart",
        where="time_response",
        expected=f"steps of {model.dt:g} s",
        hint="leave t out: time_response(u=…) has a row for each sample",
    )


def sampled_response(model: LinearModel, u: ArrayLike, x0: ArrayLike | None = None) -> np.ndarray:
    """Return outputs (nt, ny) of a sampled model for inputs (nt, nu), or (nt,) of one input."""
    rows = np.asarray(u, dtype=float)
    if rows.ndim not in (1, 2):
        raise InputError(
            "inputs are rows, one for each sample", where="time_response", got=f"shape {rows.shape}"
        )
    given, x = _inputs_of(model, rows, len(rows)), _start_of(model, x0)
    y = np.empty((len(given), len(model.C)))
    for k, now in enumerate(given):
        y[k] = model.C @ x + model.D @ now
        x = model.A @ x + model.B @ now
    return y


# ------------------------------------------------------------------------------------------------------


def _inputs_of(model: LinearModel, u: ArrayLike, count: int) -> np.ndarray:
    """Return inputs (count, nu), finite."""
    array, nu = np.asarray(u, dtype=float), len(model.inputs)
    if array.shape == (count,) and nu == 1:
        array = array[:, None]
    try:
        given = np.broadcast_to(array, (count, nu))
    except ValueError:
        raise InputError(
            "inputs do not fit", where="time_response", expected=f"{count} x {nu}", got=f"shape {array.shape}"
        ) from None
    if not np.isfinite(given).all():
        raise InputError("inputs are not finite", where="time_response")
    return given


def _start_of(model: LinearModel, x0: ArrayLike | None) -> np.ndarray:
    """Return the state at the start (n,)."""
    x = np.zeros(len(model.A)) if x0 is None else np.array(x0, dtype=float)
    if x.shape != (len(model.A),) or not np.isfinite(x).all():
        raise InputError(
            "the state does not fit",
            where="time_response",
            expected=f"{len(model.A)} numbers",
            got=f"shape {x.shape}",
        )
    return x


def _as_model(law: LinearModel | ArrayLike, nu: int, ny: int) -> LinearModel:
    """Return a law as a model; a matrix of gains (nu, ny) has no states."""
    from interstage.linear.model import LinearModel

    if isinstance(law, LinearModel):
        return law
    K = np.atleast_2d(np.asarray(law, dtype=float))
    if K.shape != (nu, ny):
        raise InputError(
            "the gains do not fit", where="feedback", expected=f"{nu} x {ny}", got=f"shape {K.shape}"
        )
    return LinearModel(np.zeros((0, 0)), np.zeros((0, ny)), np.zeros((nu, 0)), K, name="gains")


def _common_dt(a: LinearModel, b: LinearModel) -> float | None:
    """Return the sample time of two models, None in continuous time; gains without a sample time go with any."""
    times = [m.dt for m in (a, b) if len(m.A) or m.dt is not None] or [None]
    one, two = times[0], times[-1]
    alike = one is two or (one is not None and two is not None and abs(one - two) <= SAME_TIME * one)
    if not alike:
        words = ["in continuous time" if dt is None else f"every {dt:g} s" for dt in times]
        raise InputError(
            "models of different times are not joined", got=" and ".join(sorted(words)), hint="discretize"
        )
    return one


def _check_wires(
    outs: Sequence[str], out_units: Sequence[str], ins: Sequence[str], in_units: Sequence[str], where: str
) -> None:
    """Refuse wires that do not fit in number or unit; what has no unit goes with everything."""
    if len(outs) != len(ins):
        raise InputError(
            "numbers of signals do not fit", where=where, expected=f"{len(ins)}", got=f"{len(outs)}"
        )
    for a, have, b, want in zip(outs, out_units, ins, in_units):
        if have and want and unit(have) != unit(want):
            raise InputError(f"the units do not fit ({where}, from '{a}' to '{b}')", expected=want, got=have)


def _state_names(a: LinearModel, b: LinearModel) -> list[str]:
    """Return names of the states of two models."""
    if not set(a.states) & set(b.states):
        return [*a.states, *b.states]
    one, two = (a.name, b.name) if a.name != b.name else (f"{a.name} 1", f"{b.name} 2")
    return [f"{one}.{s}" for s in a.states] + [f"{two}.{s}" for s in b.states]


def _model(
    A,
    B,
    C,
    D,
    states: list[str],
    named: Mapping[str, object],
    name: str,
    dt: float | None,
    notes: Sequence[str],
) -> LinearModel:
    from interstage.linear.model import LinearModel

    once = tuple(dict.fromkeys(notes))
    return LinearModel(A, B, C, D, states, name=name, dt=dt, notes=once, **named)  # type: ignore[arg-type]
