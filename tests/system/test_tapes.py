"""The same text interpreted, compiled, and complex: one set of numbers; and what a pass costs."""

from __future__ import annotations

import inspect
import time

import device_library
import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.jit import COMPILED, kernel
from interstage.system.closed_loop import ClosedLoop, view_of
from interstage.system.loop_arrays import call
from interstage.system.plan import planned
from interstage.system.ports import Hinge, In, Look

CLASSES = [
    cls for _, cls in inspect.getmembers(device_library, inspect.isclass) if issubclass(cls, ist.Device)
]
SIZES = {"StateSpace": {"A": -np.eye(2), "B": np.ones((2, 3)), "C": np.array([[1.0, 2.0]])}}


@pytest.fixture(scope="module")
def vehicle():
    return device_library.bus_and("arm", 2.0, [1, 0, 0], [0.1, 0.3, 0.3])


def assembly_of(cls, vehicle, rng):
    places = {n: "arm" if isinstance(p, Hinge) else ("bus", [0.2, 0.3, -0.1]) for n, p in cls.places.items()}
    device = cls(**places, **SIZES.get(cls.__name__, {}))
    for name, field in cls.fields.items():
        if isinstance(field, In) and not isinstance(field, Look):
            device.set(**{name: rng.normal(size=device.shape_of(name))})
    made = ist.Assembly("one", vehicle=vehicle, seed=3)
    return made.add("it", device, every="10 ms" if "sample" in cls.functions else None)


def numbers_of(made, kind, interpret, rng):
    plan = planned(made)
    plan.check_closed()
    system = view_of(plan)
    loop = ClosedLoop(plan, system, kind, interpret=interpret)
    q, v = system.state().q, rng.normal(size=system.nv)
    q[4:] = rng.normal(size=len(q) - 4)
    q, v = q.astype(kind), v.astype(kind)
    loop.tapes.vectors["z"][:] = rng.normal(size=len(loop.tapes.vectors["z"]))
    qdot, vdot = np.empty_like(q), np.empty_like(v)
    for tick in (0, 1):
        loop.loop.sample_next[:] = tick
        assert loop.sample(q, v, tick) == 0
    assert loop.right_side(q, v, 0.3, qdot, vdot) == 0
    loop.release()
    return np.concatenate([*(loop.tapes.vectors[k].astype(complex) for k in "szZwn"), qdot, vdot])


@pytest.mark.kernels
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_interpreted_compiled_and_complex_texts_agree(cls, vehicle):
    made = assembly_of(cls, vehicle, np.random.default_rng(1))
    found = [
        numbers_of(made, kind, interpret, np.random.default_rng(2))
        for kind, interpret in ((float, True), (float, False), (complex, False))
    ]
    assert np.abs(found[0]).max() > 0.0 and np.isfinite(found[0]).all()
    assert found[1] == pytest.approx(found[0], rel=1e-13, abs=1e-13)
    assert found[2] == pytest.approx(found[0], rel=1e-13, abs=1e-13)


@pytest.mark.kernels
def test_a_complex_step_is_the_derivative():
    made = ist.Assembly("gain").add("g", device_library.Gain(u=0.7, k=3.0))
    plan = planned(made)
    loop = ClosedLoop(plan, view_of(plan), complex)
    loop.tapes.array("g.u")[...] += 1e-30j
    none = np.zeros(0, complex)
    loop.right_side(none, none.copy(), 0.0, none.copy(), none.copy())
    assert loop.tapes.array("g.y").imag / 1e-30 == pytest.approx(3.0, rel=1e-15)
    loop.release()


def test_a_text_that_cannot_be_compiled_is_named(vehicle):
    class Texts(ist.Device):
        y = ist.Out()

        def outputs(d, t):
            d.y = {"a": [str(t)]}["a"][0].no_such_name

    plan = planned(ist.Assembly("x").add("words", Texts()))
    if COMPILED:
        with pytest.raises(InputError, match=r"Texts.outputs cannot be compiled \(device 'words'\)"):
            ClosedLoop(plan, view_of(plan))


@kernel
def passes(addresses, rows, n):
    for _ in range(n):
        for k in range(len(addresses)):
            call(addresses[k], rows[k], 0.1)


@pytest.mark.skipif(not COMPILED, reason="nothing is called by address")
def test_sixteen_devices_take_less_than_a_third_of_a_microsecond():
    made = ist.Assembly("many")
    for k in range(8):
        made.add(f"servo{k}", device_library.Servo(command=[0.1, 0.2], limit=1e3))
        made.add(f"gain{k}", device_library.Gain(u=1.0, b=0.0))
    plan = planned(made)
    loop = ClosedLoop(plan, view_of(plan))
    tape = loop.tapes.tape(plan.before)
    passes(*tape, 10)
    best = np.inf
    for _ in range(5):
        begin = time.thread_time()
        passes(*tape, 10_000)
        best = min(best, time.thread_time() - begin)
    loop.release()
    assert best / 10_000 < 1.0e-6  # 0.2 µs where nobody disturbs
