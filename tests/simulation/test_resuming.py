"""A checkpoint alone brings a run back in a new process, bit for bit; what it cannot bring back it says."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import flight_laws as laws
import numpy as np
import pytest
from device_library import Counter, Drag, Lag, NoisyGyro

import interstage as ist
from interstage.errors import FileError, InputError
from interstage.simulation.plant.serialization import (
    Describer,
    NoName,
    Program,
    Restorer,
    code_of,
    fingerprint,
    name_of,
)

HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(ist.__file__).parents[1]), str(HERE)])}


def digest(log):
    return hashlib.sha256(laws.numbers(log).tobytes()).hexdigest()


def python(*arguments, **more):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], env=ENVIRONMENT, capture_output=True, text=True, **more
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def whole():
    flight = laws.made()
    return ist.simulate(flight, laws.begun(flight), until=1, step="4 ms")


def test_another_process_needs_the_checkpoint_and_the_names_of_modules(tmp_path, whole):
    """It has neither built the assembly nor imported what it is made of."""
    flight = laws.made()
    ist.simulate(flight, laws.begun(flight), until=1, step="4 ms", log=tmp_path / "a.h5", checkpoint="0.4 s")
    code = (
        "import sys, hashlib, interstage as ist\n"
        "log = ist.resume(sys.argv[1], modules=['flight_laws'])\n"
        "import flight_laws\n"
        "print(hashlib.sha256(flight_laws.numbers(log).tobytes()).hexdigest(), log.t[0], len(log.t))\n"
    )
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("a.h5", "a.ckpt.h5"):  # the log is found beside its checkpoint
        (tmp_path / name).rename(moved / name)
    given = ist.resume(moved / "a.ckpt.h5", laws.made())  # its places are numbered otherwise
    assert digest(given) == digest(whole)
    found, first, rows = python("-c", code, moved / "a.ckpt.h5")
    assert found == digest(whole) and float(first) == 0.0 and int(rows) == len(whole.t)


SCRIPT = """
import sys, hashlib
import numpy as np
import interstage as ist
from device_library import NoisyGyro, Thruster

GAINS = np.array([[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]])

class Pointing:
    def __init__(self, target):
        self.target, self.bias = target, np.zeros(3)
    def __call__(self, t, rate):
        self.bias = self.bias + 1e-3 * (rate - self.bias)
        return {"throttle": 0.01 * self.target[0] + GAINS[2] @ (rate - self.bias)}

def build():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    sc = ist.Assembly("observatory", vehicle=mb.compile())
    sc.add("gyro", NoisyGyro(at="bus"), every="10 ms").add("jet", Thruster(at=("bus", [0, 0.3, 0])))
    sc.add("fsw", Pointing([0.999, 0, 0.0436, 0]), every="100 ms", out={"throttle": "1"})
    return sc.wire({"gyro.rate": "fsw.rate", "fsw.throttle": "jet.throttle"})

def show(log):
    print(hashlib.sha256(log.q.tobytes() + log["gyro.rate"].tobytes() + log["fsw.throttle"].tobytes()).hexdigest())

what, path, until = sys.argv[1], sys.argv[2], float(sys.argv[3])
if what == "resume":
    show(ist.resume(path + ".ckpt.h5"))
else:
    flight = build()
    x = flight.vehicle.state(v=[0.1, 0.2, -0.3, 0, 0, 0])
    files = {} if what == "whole" else {"log": path + ".h5", "checkpoint": "2 s"}
    show(ist.simulate(flight, x, until=until, step="5 ms", **files))
"""


def test_a_script_that_was_killed_goes_on_from_its_checkpoint(tmp_path):
    """Code of the script itself: its classes are found in the script that runs. Killed twice at whatever instant."""
    script, path = tmp_path / "slew.py", tmp_path / "slew"
    script.write_text(SCRIPT)
    checkpoint = tmp_path / "slew.ckpt.h5"
    for what in ("run", "resume"):
        process = subprocess.Popen(
            [sys.executable, str(script), what, str(path), "60"], env=ENVIRONMENT, stdout=subprocess.DEVNULL
        )
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        deadline = time.time() + 60
        while time.time() < deadline and process.poll() is None:
            time.sleep(0.01)
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns > before:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = ist.load(f"{path}.h5")
        kept = ist.load(checkpoint)
        assert len(left.t) >= kept.rows[0] > 0 and left.t[0] == 0.0 and np.isfinite(left["gyro.rate"]).all()
    words = r"of the script 'slew' is not in the script that runs.*resume\(path, assembly\)"
    with pytest.raises(InputError, match=words):
        ist.resume(checkpoint)
    assert python(script, "resume", path, 60) == python(script, "whole", path, 60)


def test_code_that_has_changed_is_refused(tmp_path, monkeypatch):
    flight = ist.Assembly("x").add("lag", Lag()).add("law", laws.plain, every="1/4 s", out={"z": "N"})
    flight.wire({"lag.y": "law.y", "law.z": "lag.u"})
    log = ist.simulate(flight, None, until=2, step="0.05 s", log=tmp_path / "a.h5", checkpoint="0.6 s")
    again = ist.resume(tmp_path / "a.ckpt.h5")
    assert np.array_equal(again["lag.y"], log["lag.y"])
    monkeypatch.setattr(laws, "GAIN", 2.0 * laws.GAIN)
    with pytest.raises(InputError, match=r"flight_laws:plain' has changed.*resume\(path, assembly\)"):
        ist.resume(tmp_path / "a.ckpt.h5")


def test_what_has_no_name_is_refused_and_the_assembly_given(tmp_path):
    gain = 2.0

    def inside(t, n):
        return gain * n

    for k, (law, words) in enumerate(
        [
            (lambda t, n: 2.0 * n, "a lambda has no name"),
            (inside, "'inside' is defined inside a function"),
        ]
    ):

        def build(law=law):
            flight = (
                ist.Assembly("x")
                .add("c", Counter(), every="1/4 s")
                .add("law", law, every="1/4 s", out={"y": "1"})
            )
            return flight.wire({"c.n": "law.n"})

        log = ist.simulate(
            build(), None, until=2, step="0.05 s", log=tmp_path / f"{k}.h5", checkpoint="0.6 s"
        )
        with pytest.raises(
            InputError, match=rf"cannot be made again from its file: {words}.*resume\(path, assembly\)"
        ):
            ist.resume(tmp_path / f"{k}.ckpt.h5")
        again = ist.resume(tmp_path / f"{k}.ckpt.h5", build())
        assert np.array_equal(again["law.y"], log["law.y"])


class Held:
    def __init__(self):
        self.file = None

    def __call__(self, t, n):
        self.file = open  # no number, array, word or object of these
        return n


def test_memory_that_cannot_be_kept_is_refused(tmp_path):
    flight = (
        ist.Assembly("x").add("c", Counter(), every="1/4 s").add("law", Held(), every="1/4 s", out={"y": "1"})
    )
    flight.wire({"c.n": "law.n"})
    with pytest.raises(InputError, match=r"what a law remembers cannot be kept.*law\.file"):
        ist.simulate(flight, None, until=2, step="0.05 s", log=tmp_path / "a.h5", checkpoint="0.6 s")


def test_a_log_of_another_run_is_refused(tmp_path):
    flight = ist.Assembly("x").add("lag", Lag(u=1.0))
    ist.simulate(flight, None, until=2, step="0.05 s", log=tmp_path / "a.h5", checkpoint="1.5 s")
    ist.simulate(flight, None, until=0.5, step="0.05 s", log=tmp_path / "a.h5")
    with pytest.raises(FileError, match="the log does not belong to the checkpoint"):
        ist.resume(tmp_path / "a.ckpt.h5")


# objects as text and arrays -------------------------------------------------------------------------


def back(value):
    describer = Describer()
    text = describer.text(value, "x")
    return Restorer(describer.arrays.__getitem__, describer.systems).value(text)


def test_values_come_back_as_they_were():
    law = laws.Pointing()
    for t in range(7):
        law(0.1 * t, np.array([0.1, 0.2, 0.3 * t]))
    value = {
        "law": law, "again": law, "nan": float("nan"), "inf": -np.inf, "set": {1, 2}, "bytes": np.zeros((2, 0)),
        "f": laws.plain, "method": law.slowly, "class": laws.Filter, "complex": 1 + 2j, (1, "a"): np.array(3.0),
    }  # fmt: skip
    found = back(value)
    assert found["law"] is found["again"] and found["method"].__self__ is found["law"]
    assert found["law"].seen is found["law"].same and found["law"].seen == law.seen
    assert np.array_equal(found["law"].filter.y, law.filter.y) and found["law"].mode == "fine"
    assert type(found["law"].table[3]) is np.float32 and found["law"].table["gain"] == (1.0, 2.5)
    assert np.isnan(found["nan"]) and found["inf"] == -np.inf and found["set"] == {1, 2}
    assert found["f"] is laws.plain and found["class"] is laws.Filter and found["complex"] == 1 + 2j
    assert found[1, "a"].shape == () and found["bytes"].shape == (2, 0)
    rate = np.array([0.3, 0.1, 0.2])
    assert found["law"](1.0, rate) == law(1.0, rate)


@pytest.mark.parametrize("value", [open, np, object(), iter([]), np.array([None]), Exception("x")])
def test_values_that_are_no_numbers_words_or_objects_of_these_are_refused(value):
    with pytest.raises(NoName):
        back([value])


def test_names_lead_back_to_code_or_say_why_not():
    assert code_of(name_of(laws.Filter)) is laws.Filter and code_of(name_of(laws.plain)) is laws.plain
    with pytest.raises(NoName, match=r"module 'no_such_module' is not imported; import it first, or name it"):
        code_of("no_such_module:law")
    with pytest.raises(InputError, match=r"the module cannot be imported \(modules, 'no_such_module'\)"):
        Program(["no_such_module"])
    with pytest.raises(NoName, match="there is no 'law' in module 'json'"):
        code_of("json:law")
    with pytest.raises(NoName, match="in the script that runs"):
        code_of("__main__(ascent):law")


def test_a_fingerprint_sees_numbers_and_functions_that_code_names(monkeypatch):
    before = fingerprint(laws.plain), fingerprint(laws.Pointing)
    monkeypatch.setattr(laws, "GAIN", laws.GAIN.copy())
    assert fingerprint(laws.plain) == before[0]  # the same numbers
    monkeypatch.setattr(laws, "GAIN", laws.GAIN * (1 + 1e-15))
    assert fingerprint(laws.plain) != before[0] and fingerprint(laws.Pointing) != before[1]


def test_several_vehicles_come_back(tmp_path):
    def bus(name):
        mb = ist.Multibody(name)
        mb.add_body("bus", mass=10.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
        return mb.compile()

    flight = ist.Assembly("two", vehicle=bus("target"), seed=3).add("chaser", bus("chaser"))
    flight.add("gyro", NoisyGyro(at="chaser.bus"), every="10 ms").add("drag", Drag(at="bus"))
    x = flight.state()
    x.v[:] = 0.1 * np.arange(12)
    log = ist.simulate(flight, x, until=1, step="5 ms", log=tmp_path / "a.h5", checkpoint="0.4 s")
    again = ist.resume(tmp_path / "a.ckpt.h5")
    assert digest(again) == digest(log) and again.system.bodies == ["bus", "chaser.bus"]


@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_solvers_of_scipy_go_on_bit_for_bit(tmp_path, method):
    flight = ist.Assembly("x").add("lag", Lag()).add("law", laws.plain, every="1/4 s", out={"z": "N"})
    flight.wire({"lag.y": "law.y", "law.z": "lag.u"})
    log = ist.simulate(flight, None, until=2, method=method, log=tmp_path / "a.h5", checkpoint="0.5 s")
    assert digest(ist.resume(tmp_path / "a.ckpt.h5")) == digest(log)


RUN = """
import sys, hashlib
import flight_laws as laws, interstage as ist
from device_library import Lag

law = getattr(laws, sys.argv[1])
flight = ist.Assembly("x").add("lag", Lag(x=1.0))
flight.add("law", law() if isinstance(law, type) else law, every="1/4 s", out={"z": "N"})
flight.wire({"lag.y": "law.y", "law.z": "lag.u"})
print(hashlib.sha256(laws.numbers(ist.simulate(
    flight, None, until=2, step="0.05 s", log=sys.argv[2], checkpoint="0.6 s")).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("law", ["Slotted", "remembering"])
def test_memory_in_slots_and_in_defaults_of_arguments_comes_back(tmp_path, law):
    (said,) = python("-c", RUN, law, tmp_path / "a.h5")
    again = "import sys, hashlib, flight_laws, interstage as ist; log = ist.resume(sys.argv[1])\n"
    again += "print(hashlib.sha256(flight_laws.numbers(log).tobytes()).hexdigest())"
    assert python("-c", again, tmp_path / "a.ckpt.h5") == [said]


def test_an_attribute_is_no_name_of_the_module(monkeypatch):
    before = fingerprint(laws.Seen)
    monkeypatch.setattr(laws, "GAIN", laws.GAIN * 2.0)
    assert fingerprint(laws.Seen) == before
