"""Every device of the shelf: one text in three ways, exact slopes, a row on the shelf page, words for what it is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from device_examples import EXAMPLES

import interstage as ist
from device_texts import alone, assert_slopes_agree, assert_texts_agree, places_of, vehicle_for_devices
from interstage import devices as dev
from interstage.jit import COMPILED
from interstage.simulation.plant.serialization import Describer, Restorer

ROOT = Path(__file__).resolve().parents[2]
CLASSES = {
    name: cls
    for name in dev.__all__
    if isinstance(cls := getattr(dev, name), type) and issubclass(cls, ist.Device)
}
CASES = [(name, k) for name in CLASSES for k in range(len(EXAMPLES.get(name, [{}])))]


@pytest.fixture(scope="module")
def vehicle():
    return vehicle_for_devices()


def made(name, k, vehicle):
    cls = CLASSES[name]
    device = cls(**{**places_of(cls), **EXAMPLES.get(name, [{}])[k]})
    return alone(device, vehicle, np.random.default_rng(1))


@pytest.mark.kernels
@pytest.mark.parametrize(("name", "k"), CASES, ids=lambda x: str(x))
def test_interpreted_compiled_and_complex_texts_agree(name, k, vehicle):
    assert_texts_agree(made(name, k, vehicle))


@pytest.mark.skipif(not COMPILED, reason="the texts are compared above")
@pytest.mark.parametrize(("name", "k"), CASES, ids=lambda x: str(x))
def test_complex_steps_are_slopes(name, k, vehicle):
    assert_slopes_agree(made(name, k, vehicle))


@pytest.mark.parametrize("name", CLASSES)
def test_a_device_says_what_it_is(name):
    """A module with an equation, a class with a sentence and a word for every parameter that has no plain name."""
    cls = CLASSES[name]
    module = sys.modules[cls.__module__]
    assert "=" in module.__doc__ and cls.__doc__.strip().splitlines()[0].endswith(".")
    assert cls.__module__.startswith("interstage.devices.")


def test_examples_are_of_devices():
    assert set(EXAMPLES) <= set(CLASSES)


def test_the_shelf_page_has_a_row_for_every_device():
    page = (ROOT / "docs" / "shelf.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|$", page, re.MULTILINE)
    listed = {row[0]: row[1:] for row in rows}
    assert set(listed) >= set(CLASSES), f"docs/shelf.md has no row of {sorted(set(CLASSES) - set(listed))}"
    for name, cells in listed.items():
        assert name in dev.__all__, f"docs/shelf.md has a row of '{name}', which is not on the shelf"
        assert all(cell.strip() for cell in cells), f"docs/shelf.md: the row of {name} has an empty cell"


def test_every_device_is_in_a_picture_of_the_gallery():
    """Each name of the shelf is used in an example that draws; an accelerometer is what an IMU has."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]
    drawn = "".join(text for text in texts if ".savefig(" in text)
    within = {"Accelerometer": "IMU"}
    missing = [name for name in dev.__all__ if f"dev.{within.get(name, name)}(" not in drawn]
    assert missing == []


def test_the_shelf_is_opened_when_it_is_asked_for():
    code = "import sys; from interstage import devices; print([m for m in sys.modules if 'interstage.' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['interstage._renamed', 'interstage.lazy', 'interstage.devices']"
    with pytest.raises(AttributeError, match=r"module 'interstage.devices' has no attribute 'Wheel'"):
        dev.Wheel  # noqa: B018


@pytest.mark.parametrize(("name", "k"), CASES, ids=lambda x: str(x))
def test_a_device_comes_back_from_the_file_of_a_flight(name, k):
    """By the name of its class and its values: what `resume` makes again is what was added."""
    cls = CLASSES[name]
    device = cls(**{**places_of(cls), **EXAMPLES.get(name, [{}])[k]})
    describer = Describer()
    text = describer.text(device)
    back = Restorer(describer.arrays.__getitem__, describer.systems).value(text)
    assert (
        type(back) is cls
        and repr(back) == repr(device)
        and (back.every, back.offset) == (device.every, device.offset)
    )
    for field in cls.fields:
        np.testing.assert_array_equal(back.value_of(field), device.value_of(field))
