"""A file does not choose code: looking at a checkpoint makes nothing, resuming it revives the program's own alone."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import flight_laws as laws
import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import FileError, InputError, InterstageError
from interstage.hdf5 import put_text
from interstage.simulation.plant.serialization import REVIVED, NoName, Program, Restorer, fingerprint

SOURCES = Path(ist.__file__).parent


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Return a checkpoint of a flight with a law, beside its log."""
    from device_library import Lag

    flight = ist.Assembly("x").add("lag", Lag()).add("law", laws.plain, every="1/4 s", out={"z": "N"})
    flight.wire({"lag.y": "law.y", "law.z": "lag.u"})
    path = tmp_path_factory.mktemp("run") / "a.h5"
    ist.simulate(flight, None, until=2, step="0.05 s", log=path, checkpoint="0.6 s")
    return path.with_suffix(".ckpt.h5")


def described(objects, value):
    return json.dumps({"value": value, "objects": objects})


def shell(marker):
    """Return objects that run a command when they are thrown away: a closer whose file is a thread's `run`."""
    target = {
        "function": "subprocess:getoutput",
        "source": fingerprint(subprocess.getoutput),
        "attributes": {},
    }
    thread = {"_target": target, "_args": {"tuple": [f"echo ran > {marker}"]}, "_kwargs": {"dict": []}}
    closer = {"file": {"object": 1}, "close_called": False, "delete": False, "name": "x"}
    return [
        {"class": "tempfile:_TemporaryFileCloser", "attributes": closer},
        {"class": "argparse:Namespace", "attributes": {"close": {"method": "run", "of": {"object": 2}}}},
        {"class": "threading:Thread", "attributes": thread},
    ]


def put(path, group, text):
    with h5py.File(path, "r+") as f:
        if group in f:
            del f[group]
        put_text(f, f"{group}/TEXT", text)
        f[group].create_group("ARRAYS")


@pytest.mark.parametrize("group", ["EVENTS", "LOADS", "LAWS"])
def test_commands_in_a_checkpoint_do_not_run(group, checkpoint, tmp_path):
    bad, marker = tmp_path / "core.ckpt.h5", tmp_path / "marker"
    bad.write_bytes(checkpoint.read_bytes())
    (tmp_path / "a.h5").write_bytes(checkpoint.with_name("a.h5").read_bytes())
    put(bad, group, described(shell(marker), {"list": [{"object": 0}]}))
    found = ist.load(bad)
    assert found.t == pytest.approx(1.8) and found.events == []
    assert CliRunner().invoke(app, ["info", str(bad)]).exit_code == 0
    with pytest.raises(InterstageError, match="not of the program that resumes"):
        ist.resume(bad)
    del found
    assert not marker.exists()


def refused(value, objects=(), **more):
    with pytest.raises((NoName, FileError)) as caught:
        Restorer(dict[str, np.ndarray]().__getitem__, [], Program(**more)).value(
            described(list(objects), value)
        )
    return str(caught.value)


class Closing:
    """Would run when it is thrown away."""

    def __del__(self):
        raise AssertionError


class Careful:
    """Has a property that must not run, and a method that may be named."""

    ran = False

    @property
    def level(self):
        return 1.0

    @level.setter
    def level(self, value):
        Careful.ran = True

    def law(self, t):
        return t


HERE = __name__
CAREFUL = {"class": f"{HERE}:Careful", "attributes": {}}


def test_only_code_of_the_program_is_revived():
    assert "function of module 'subprocess'" in refused(
        {"function": "subprocess:getoutput", "source": fingerprint(subprocess.getoutput), "attributes": {}}
    )
    # by the name under which a module of the program knows it
    assert "function of module 'subprocess'" in refused(
        {"function": f"{HERE}:subprocess.getoutput", "source": "", "attributes": {}}
    )
    assert "class of module 'threading'" in refused({"class": "threading:Thread"})
    assert "class of module 'h5py._hl.files'" in refused({"class": "h5py:File"})  # an installed package
    inner = "interstage.output:write_text"
    assert "function of module 'interstage.output'" in refused(
        {"function": inner, "source": "", "attributes": {}}
    )
    sys.modules.pop("turtledemo", None)
    assert "'turtledemo' is not imported" in refused({"class": "turtledemo:x"})
    assert "turtledemo" not in sys.modules
    assert "__del__" in refused({"object": 0}, [{"class": f"{HERE}:Closing", "attributes": {}}])
    assert tempfile and threading  # they are imported here: that is not enough


OUTSIDE = ("interstage.exchange.fmu_device:FMUDevice", "interstage.simulation.run.real_time:UDP")


def test_classes_that_act_outside_of_the_model_are_not_revived():
    """A unit whose folder and description are those of the file would load a binary of the file's choice."""
    assert ist.FMUDevice and ist.UDP  # they are imported here: that is not enough
    for name in (*OUTSIDE, "interstage.system.run.real_time:UDP", "interstage.growing:Room"):
        assert "not of the program that resumes" in refused(
            {"object": 0}, [{"class": name, "attributes": {}}]
        )
    module = OUTSIDE[0].partition(":")[0]
    named = Restorer({}.__getitem__, [], Program([module])).value(described([], {"class": OUTSIDE[0]}))
    assert named is ist.FMUDevice


def test_modules_of_the_package_that_act_outside_are_none_of_those_revived():
    """What a file may name of the package opens no socket, starts no program and loads no library."""
    reached = {"socket", "subprocess", "ctypes", "tempfile", "shutil", "multiprocessing", "fmpy"}
    for path in sorted(SOURCES.rglob("*.py")):
        module = ".".join(("interstage", *path.relative_to(SOURCES).with_suffix("").parts))
        if not any(module == one or module.startswith(f"{one}.") for one in REVIVED):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not reached & {name.partition(".")[0] for name in names}, module
    assert all((SOURCES.parent / one.replace(".", "/")).with_suffix(".py").exists() or
               (SOURCES.parent / one.replace(".", "/")).is_dir() for one in REVIVED)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("NOW", 0, -(2**40)), ("NOW", 5, 2**40), ("NEXT", 0, -(2**40)), ("NEXT", 0, 2**62),
        ("PACE", 0, -1e300), ("PACE", 0, np.nan), ("PACE", 0, np.inf), ("PACE", 6, -3.0), ("ROWS", 0, -1),
        ("ROWS", 2, -(2**40)),
    ],
)  # fmt: skip
def test_ticks_that_no_run_has_are_refused(name, at, value, checkpoint, tmp_path):
    """They would be gone through one by one, or lead beyond the rows."""
    bad = tmp_path / "a.ckpt.h5"
    bad.write_bytes(checkpoint.read_bytes())
    (tmp_path / "a.h5").write_bytes(checkpoint.with_name("a.h5").read_bytes())
    with h5py.File(bad, "r+") as f:
        numbers = f[name][()]
        numbers[at] = value
        del f[name]
        f[name] = numbers
    with pytest.raises(FileError):
        ist.resume(bad)


@pytest.mark.parametrize(
    "options", ["[]", "{}", '{"": 1}', '{"until": "2 s", "x": null}', '{"until": "2 s", "interpret": true}']
)
def test_options_that_no_run_has_are_refused(options, checkpoint, tmp_path):
    bad = tmp_path / "a.ckpt.h5"
    bad.write_bytes(checkpoint.read_bytes())
    (tmp_path / "a.h5").write_bytes(checkpoint.with_name("a.h5").read_bytes())
    with h5py.File(bad, "r+") as f:
        del f["OPTIONS"]
        put_text(f, "OPTIONS", options)
    for door in (ist.load, ist.resume):
        with pytest.raises(FileError, match="not how a run is made"):
            door(bad)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("joint_mode", 7, "joint_mode must be from 0 to 2"),
        ("joint_mode", -7, "joint_mode must be from 0 to 2"),
    ],
)
def test_settings_that_no_vehicle_has_are_refused(name, value, words):
    mb = ist.Multibody("m")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z"))
    settings = mb.compile().settings.copy()
    settings.check_values()
    getattr(settings, name)[:] = value
    with pytest.raises(InputError, match=words):
        settings.check_values()


@pytest.mark.parametrize(
    "value", ["a", ["a", "b"], {"dict": []}, {"list": [1, "x"]}, {"tuple": [1, 2]}, {"fraction": "1/3"}]
)
def test_values_of_devices_that_are_no_numbers_are_refused(value, checkpoint, tmp_path):
    """A file gives them as they are: no setter has seen them."""
    log, bad = tmp_path / "a.h5", tmp_path / "a.ckpt.h5"
    bad.write_bytes(checkpoint.read_bytes())
    log.write_bytes(checkpoint.with_name("a.h5").read_bytes())
    with h5py.File(log, "r+") as f:
        told = json.loads(bytes(f["ASSEMBLY/TEXT"][()]))
        lag = next(one for one in told["objects"] if one.get("class") == "device_library:Lag")
        lag["attributes"]["_values"] = {"dict": [["tau", value]]}
        del f["ASSEMBLY/TEXT"]
        put_text(f, "ASSEMBLY/TEXT", json.dumps(told))
    with pytest.raises(InterstageError):
        ist.resume(bad)


def test_a_module_that_is_named_is_believed():
    text = described([], {"class": "threading:Thread"})
    assert Restorer({}.__getitem__, [], Program(["threading"])).value(text) is threading.Thread
    assert Restorer({}.__getitem__, [], Program("threading")).value(text) is threading.Thread


def test_no_property_runs_and_nothing_but_methods_is_bound():
    made = Restorer({}.__getitem__, []).value(
        described([{**CAREFUL, "attributes": {"level": 3.0}}], {"object": 0})
    )
    assert isinstance(made, Careful) and not Careful.ran and vars(made) == {"level": 3.0}
    method = described([CAREFUL], {"method": "law", "of": {"object": 0}})
    assert Restorer({}.__getitem__, []).value(method)(2.0) == 2.0
    for what in (
        {"method": "level", "of": {"object": 0}},
        {"method": "format", "of": "{0.__class__}"},
        {"method": "__subclasses__", "of": {"class": f"{HERE}:Careful"}},
        {"number": ["V1000000000000", 1]},
        {"fraction": "1e999999999"},
    ):
        refused(what, [CAREFUL])
    for name in ("__class__", "__dict__"):
        refused({"object": 0}, [{**CAREFUL, "attributes": {name: 1}}])
    refused(
        json.loads('{"list":[' * 2000 + "1" + "]}" * 2000) if sys.getrecursionlimit() > 10**5 else {"same": 1}
    )


def test_what_is_no_event_is_refused(checkpoint, tmp_path):
    bad = tmp_path / "a.ckpt.h5"
    bad.write_bytes(checkpoint.read_bytes())
    (tmp_path / "a.h5").write_bytes(checkpoint.with_name("a.h5").read_bytes())
    put(bad, "EVENTS", described([], {"list": [1, 2]}))
    with pytest.raises(FileError, match="no events"):
        ist.resume(bad)
    put(bad, "EVENTS", "[" * 100_000)
    with pytest.raises(InterstageError):
        ist.resume(bad)
    with pytest.raises(InterstageError):
        ist.load(bad)


def test_a_module_that_is_not_imported_is_named_in_the_refusal(checkpoint, monkeypatch):
    monkeypatch.delitem(sys.modules, "flight_laws")
    with pytest.raises(InputError, match=r"'flight_laws' is not imported.*modules=\['flight_laws'\]"):
        ist.resume(checkpoint)


# where text could choose code: each is a table of ours, a tool of developers, or `Program`
CHOSEN = {
    "lazy.py": "names of this package",
    "_renamed.py": "modules in MODULES",
    "files.py": "classes in KINDS",
    "mass/json_file.py": "modules in HOMES",
    "simulation/plant/serialization.py": "Program",
    "cli/source_tools.py": "folders of a checkout",
    "cli/bench.py": "files of a checkout",
    "cli/validate.py": "files of a checkout",
}
PICKLED = {
    "studies/workers.py",
    "studies/job.py",
    "studies/drive.py",
    "compiled/disk.py",  # numba's cache of kernels, which is code
}  # own processes


def test_no_other_place_lets_text_choose_code():
    """No `eval`, `exec` or `compile`; modules by constant names but in the list; pickles between own processes."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            plain = isinstance(node.func, ast.Name)
            if plain and called in ("eval", "exec", "compile", "__import__"):
                found.setdefault(name, []).append(called)
            constant = bool(node.args) and isinstance(node.args[0], ast.Constant)
            if called == "import_module" and not constant and name not in CHOSEN:
                found.setdefault(name, []).append(called)
            owner = getattr(getattr(node.func, "value", None), "id", "")
            if owner in ("pickle", "cloudpickle", "marshal", "dill", "runpy") and name not in PICKLED:
                found.setdefault(name, []).append(f"{owner}.{called}")
    assert found == {}
