"""The same text interpreted, compiled, and complex: one set of numbers; and what a pass costs."""

from __future__ import annotations

import inspect
import time

import device_library
import numpy as np
import pytest

import interstage as ist
from device_texts import alone, assert_texts_agree, places_of, vehicle_for_devices
from interstage.errors import InputError
from interstage.jit import COMPILED, kernel
from interstage.simulation.plant.coupled_arrays import call
from interstage.simulation.plant.plan import planned
from interstage.simulation.plant.vehicle_interface import view_of
from interstage.simulation.run.coupled_system import ClosedLoop

CLASSES = [
    cls for _, cls in inspect.getmembers(device_library, inspect.isclass) if issubclass(cls, ist.Device)
]
SIZES = {"StateSpace": {"A": -np.eye(2), "B": np.ones((2, 3)), "C": np.array([[1.0, 2.0]])}}


@pytest.fixture(scope="module")
def vehicle():
    return vehicle_for_devices()


@pytest.mark.kernels
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_interpreted_compiled_and_complex_texts_agree(cls, vehicle):
    device = cls(**places_of(cls), **SIZES.get(cls.__name__, {}))
    assert_texts_agree(alone(device, vehicle, np.random.default_rng(1)))


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
        with pytest.raises(InputError, match=r"Texts.outputs cannot be compiled: .* \(device 'words', "):
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
