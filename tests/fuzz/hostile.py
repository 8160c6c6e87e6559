"""Feed hostile files to every reader: whatever they hold, only errors of one sentence may come out.

    python tests/fuzz/hostile.py [INPUTS] [SEED] [TARGET ...]     mutations, on all cores
    python tests/fuzz/hostile.py --atheris TARGET [RUNS]          guided by coverage, where atheris is installed

Bytes are changed in files that version 0.1.0 wrote, which have no checksums. Files of today are changed by the HDF5
library, which writes right checksums over wrong things: other shapes, kinds, sizes and values, things that are missing.
"""

from __future__ import annotations

import copy
import gc
import json
import os
import random
import shutil
import struct
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import h5py
import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "nastran")]
sys.path += [str(TESTS / "staged_vehicle"), str(TESTS.parent)]

import fuzz_reader  # noqa: E402

import interstage as ist  # noqa: E402
from interstage import devices as dev  # noqa: E402
from interstage.errors import InterstageError  # noqa: E402
from interstage.fem import lumped_beam  # noqa: E402
from interstage.fem.measured import read_measured  # noqa: E402
from interstage.nastran.op2 import read_op2  # noqa: E402
from interstage.nastran.op4 import read_op4  # noqa: E402
from interstage.staged_vehicle import PropellantTank  # noqa: E402
from op2_writer import Form, matrix_block, op2_file  # noqa: E402
from op4_writer import binary_op4, text_op4  # noqa: E402

ARCHIVE = TESTS / "migration" / "interstage-0.1.0.zip"
SECONDS, WAITING = 20.0, 300.0  # of the processor, and on the clock: an input that takes longer hangs
READING = tuple(
    f"interstage.{room}"
    for room in ("nastran", "exchange", "hdf5", "files", "growing", "output", "component", "linear", "mass")
) + ("interstage.report.meshes", "interstage.simulation.log.log_file", "interstage.simulation.log.hdf5")
JSON = 8  # of the changes in a tree, the one inside a text
TOLD: tuple[Any, ...] = (
    None, True, 0, -1, 3, 1e308, 10**400, 0.5, "", "x", "1/0", "nan", "1e999 s", "a" * 300, [], {}, [[]], [1, "x"],
    {"object": 0}, {"object": -1}, {"same": 0}, {"array": "x"}, {"float": "nan"}, {"system": 7}, {"list": 3},
    {"function": "builtins:print", "source": None, "attributes": {}}, {"class": "interstage.multibody:System"},
    {"method": "save", "of": {"object": 0}}, {"tuple": [1, 2]}, {"dict": [[[], 1]]}, {"path": "/"},
)  # fmt: skip
LENGTHS = (0, 1, 2, 3, 7, 1000, 2**31 - 1)


@dataclass(frozen=True)
class Target:
    """A reader, the good files to begin with, and how they are changed."""

    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]
    structured: bool = False


@cache
def _archive() -> dict[str, bytes]:
    with zipfile.ZipFile(ARCHIVE) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def _of_old(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [_archive()[name] for name in names]


def _matrix() -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.normal(size=(9, 6)) * (rng.random((9, 6)) < 0.6)


def _op2() -> list[bytes]:
    return [op2_file([matrix_block("KAA", _matrix())], Form(o, w)) for o in "<>" for w in (4, 8)]


def _op4() -> list[bytes]:
    packed = [binary_op4("KAA", _matrix(), strings=kind) for kind in ("dense", "small", "big")]
    return [*packed, text_op4("KAA", _matrix(), strings="big", wide=True).encode()]


def _read_op2(path: Path) -> None:
    found = read_op2(path)
    found.matrices(), found.interface()


def _robot(name: str) -> Callable[[], list[bytes]]:
    return lambda: [(TESTS / "exchange" / "robots" / name).read_bytes()]


def _read_mjcf(path: Path) -> None:
    shutil.copy(TESTS / "exchange" / "robots" / "crane_defaults.xml", path.parent)
    ist.from_mjcf(path)


CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
TRIANGLES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def _stl() -> list[bytes]:
    rows = [struct.pack("<12fH", 0, 0, 0, *(x for k in t for x in CORNERS[k]), 0) for t in TRIANGLES]
    lines = ["solid a", *(f"vertex {x} {y} {z}" for t in TRIANGLES for x, y, z in (CORNERS[k] for k in t))]
    return [bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows), "\n".join(lines).encode()]


def _obj() -> list[bytes]:
    lines = [
        *(f"v {x} {y} {z}" for x, y, z in CORNERS),
        *(f"f {a + 1}/1 {b + 1} {c - 4}" for a, b, c in TRIANGLES),
    ]
    return ["\n".join(lines).encode()]


def _read_obj(path: Path) -> None:
    ist.read_mesh(shutil.copy(path, path.with_suffix(".obj")))


@cache
def _fmu() -> list[bytes]:
    model = ist.LinearModel(-np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))
    with tempfile.TemporaryDirectory() as folder:
        return [Path(ist.export_fmu(model, Path(folder) / "model.fmu").path).read_bytes()]


def _read_fmu(path: Path) -> None:
    ist.FMUDevice(shutil.copy(path, path.with_suffix(".fmu")))


def _with_suffix(read: Callable[[Path], object], suffix: str) -> Callable[[Path], object]:
    """Return a reader that tells kinds apart by the ends of names."""

    def renamed(path: Path) -> None:
        read(shutil.copy(path, path.with_suffix(suffix)))

    return renamed


def _uff() -> list[bytes]:
    """Universal files of one mode at two nodes: real, and complex with a pole."""
    found = []
    for analysis, data, head in ((2, 2, (3.0, 1.0, 0.01, 0.0)), (3, 5, (-0.1, 20.0, 1.0, 0.0))):
        numbers = (1.0, -2.0, 0.5) if data == 2 else (1.0, 0.1, -2.0, 0.2, 0.5, 0.0)
        written = "".join(f"{x:13.5e}" for x in numbers[:6])
        lines = ["    -1", "    55", *["NONE"] * 5, f"{1:10d}{analysis:10d}{2:10d}{8:10d}{data:10d}{3:10d}"]
        lines += [f"{2:10d}{4:10d}{0:10d}{0:10d}", "".join(f"{x:13.5e}" for x in head)]
        lines += [f"{1:10d}", written, f"{2:10d}", written, "    -1"]
        found.append("\n".join(lines).encode())
    return found


def _drawn_back(t: float, angle: float) -> float:
    """Return the torque that brings a panel back; a law that the files of a run name."""
    return -2.0 * angle


class Hinge(ist.Device):
    """Measure the angle of a hinge, and turn it as commanded."""

    joint = ist.JointRef("rad")
    command, torque = ist.In("N*m"), joint.force()
    q, angle, lagged = joint.coordinate(), ist.Out("rad"), ist.ContinuousState("rad")

    def outputs(d, t):
        """Pass on what lags behind."""
        d.torque = d.command
        d.angle = d.lagged

    def rates(d, t):
        """Follow the angle."""
        d.laggeddot = (d.q - d.lagged) / 0.1


@cache
def flown() -> dict[str, bytes]:
    """Return the log and the last checkpoint of a run of today that loses its panel."""
    mb = ist.Multibody("bus and panel")
    mb.add_body("bus", mass=100.0, inertia=[20.0, 30.0, 40.0], joint=ist.Free())
    mb.add_body(
        "panel", mass=5.0, com=[1, 0, 0], inertia=[0.1, 2, 2], parent="bus", at=[0.5, 0, 0],
        joint=ist.Revolute("z", stiffness=40.0, damping=0.5),
    )  # fmt: skip
    mb.add_body("boom", mass=1.0, inertia=[0.1, 2, 2], parent="bus", joint=ist.Revolute("x", stiffness=9.0))
    flight = ist.Assembly("quiet", vehicle=mb.compile()).add("hinge", Hinge(joint="panel"))
    flight.add("law", _drawn_back, every="20 ms", out={"torque": "N*m"}, inputs={"angle": "rad"})
    flight.wire({"hinge.angle": "law.angle", "law.torque": "hinge.command"})
    x = flight.vehicle.state()
    x["bus"].v[:3] = [0.02, -0.01, 0.05]
    x["panel"].q[0] = 0.1
    events = [
        ist.Event(at=0.15, name="note"),
        ist.Event(at=0.2, action=[ist.Detach("boom"), ist.RemoveBody("boom")], name="lost"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.h5"
        ist.simulate(
            flight, x, until=0.3, step="10 ms", log=path, checkpoint="0.1 s", events=events, progress=False
        )
        return {one.name: one.read_bytes() for one in Path(folder).iterdir()}


def _of_today(name: str) -> Callable[[], list[bytes]]:
    return lambda: [flown()[name]]


def read_log(path: Path) -> None:
    """Load a log and ask for all that it holds."""
    log = ist.load(path)
    str(log), log.tree, log.blocks
    for one in log.written():
        one.at(one.t)
    for k in (0, len(log) // 2, -1):
        str(log.point(k))
    for of in (log.energy, log.momentum, log.position("bus")):
        np.asarray(of)


def _numbers(path: Path) -> dict[str, bytes | str]:
    """Return what a log says, in full."""
    log = ist.load(path)
    found: dict[str, bytes | str] = {
        one.name: one.t.tobytes() + one.values.tobytes() for one in log.written()
    }
    found |= {f"phase {k}": p.t.tobytes() + p.q.tobytes() + p.v.tobytes() for k, p in enumerate(log.phases)}
    info = {key: one for key, one in log.info.items() if key != "file"}
    return found | {"tree": log.tree, "events": str([str(one) for one in log.events]), "info": str(info)}


@cache
def _undamaged() -> dict[str, bytes | str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile"
        path.write_bytes(flown()["hostile.h5"])
        return _numbers(path)


def _read_damaged(path: Path) -> None:
    """Load a log whose bytes were changed: it is refused, or says what was written, to the last bit."""
    read_log(path)
    assert _numbers(path) == _undamaged(), "damage was not noticed"


def _resume(path: Path) -> None:
    """Go on from a checkpoint beside its log."""
    (path.parent / "hostile.h5").write_bytes(flown()["hostile.h5"])
    ist.resume(path)


def _resume_log(path: Path) -> None:
    """Go on from a checkpoint whose log was changed."""
    whole = path.with_name("hostile.ckpt.h5")
    whole.write_bytes(flown()["hostile.ckpt.h5"])
    shutil.copy(path, path.with_name("hostile.h5"))
    ist.resume(whole)


@cache
def _staged() -> tuple[dict[str, bytes], ist.Assembly, list[ist.Event]]:
    """Return the files of a run whose burning stack is cut in two, broken thereafter, and what goes on with it."""
    from vehicle_models import launcher

    few: dict[str, Any] = {"levels": 2, "error": 1.0}
    v = launcher()
    shapes = v.shapes(n_modes=3, burning=["grain"], **few)
    after = v.without("first").shapes(n_modes=2, **few)
    system = v.multibody(shapes, propellant={"grain": 30e3}, damping=0.01).compile()
    flight = ist.Assembly("ascent", vehicle=system).add("grain", PropellantTank(of="grain"))
    foot = ("launcher", shapes.node_id("first", 1))
    flight.add("srm", dev.Engine(body=foot, thrust=3e4, flow=1200.0, level=1.0))
    flight.wire({"srm.mass_flow": "grain.flow"})
    events = [v.staging("separation", when=0.05, shapes=after, damping=0.02)]
    return _files(flight, system.state(), events, step="1 ms", method="ros2"), flight, events


@cache
def _held_down() -> dict[str, bytes]:
    """Return the files of a run of a flexible column that was trimmed on its stand and let go."""
    K, M, nodes = lumped_beam(8.0, 3, EA=1e7, GJ=1e5, EI=1e6, mass=[100.0, 100.0, 100.0, 10.0, 10.0, 10.0])
    column = ist.Component.from_matrices(K, M, nodes, n_modes=6, aset={1: 123456})
    mb = ist.Multibody("stand", gravity=[-9.81, 0.0, 0.0])
    mb.add_body("column", component=column, node=1, joint=ist.Free())
    made = ist.Assembly("pad", vehicle=mb.compile())
    made.add("engine", dev.Engine(body=("column", 2), thrust=3e3, lag="0.2 s"))
    return _files(made, ist.trim(made, "hold-down", set={"engine.throttle": 0.8}), [], step="1 ms")


def _files(flight: ist.Assembly, x: Any, events: list[ist.Event], **given: Any) -> dict[str, bytes]:
    """Return the log and the last checkpoint of a run of 80 ms, by their ends."""
    given |= {"until": 0.08, "checkpoint": "0.06 s", "log_step": "10 ms", "progress": False}
    with tempfile.TemporaryDirectory() as folder:
        ist.simulate(flight, x, events=events, log=Path(folder) / "run.h5", **given)
        return {one.name.partition(".")[2]: one.read_bytes() for one in Path(folder).iterdir()}


def _beside(path: Path, name: str, files: dict[str, bytes]) -> Path:
    """Put a changed file beside the other of its run; return the checkpoint."""
    for end, data in files.items():
        path.with_name(f"run.{end}").write_bytes(path.read_bytes() if end == name else data)
    return path.with_name("run.ckpt.h5")


def _resume_staged(path: Path) -> None:
    """Go on from a log that was changed, with the vehicle and the staging of the program."""
    files, flight, events = _staged()
    ist.resume(_beside(path, "h5", files), flight, events)


def _resume_held_down(path: Path) -> None:
    """Go on from a changed checkpoint of what was held down."""
    ist.resume(_beside(path, "ckpt.h5", _held_down()))


AIR = b"""altitude (km),density,pressure,temperature
0,1.225,101325,288.15
11,0.3639,22632,216.65
"""
COURSE = b"time,x,y,z\n0,0,0,0\n1.0,10,0,5\n2.5,20,1,9\n"
MEASURED = b"grid,component,3.5,7.25\n1,1,0.5,-0.25\n1,2,0.0,1e-3\n7,3,1.0,2.0\n"

HDF5 = ("component.h5", "multibody.h5", "linear.h5", "log.h5", "flight.h5", "flight.ckpt.h5", "study.h5")
TARGETS = {
    **{
        f"bytes of {name}": Target(ist.load, _of_old(name))
        for name in (*HDF5, "linear.mat", "linear.npz", "mass.json")
    },
    **{f"tree of {name}": Target(ist.load, _of_old(name), structured=True) for name in HDF5},
    "bytes of today's log": Target(_read_damaged, _of_today("hostile.h5")),
    "tree of today's log": Target(read_log, _of_today("hostile.h5"), structured=True),
    "tree of today's checkpoint": Target(_resume, _of_today("hostile.ckpt.h5"), structured=True),
    "a run that goes on in today's log": Target(_resume_log, _of_today("hostile.h5"), structured=True),
    "tree of a staged vehicle's log": Target(_resume_staged, lambda: [_staged()[0]["h5"]], structured=True),
    "tree of a checkpoint after hold-down": Target(
        _resume_held_down, lambda: [_held_down()["ckpt.h5"]], structured=True
    ),
    "op2": Target(_read_op2, _op2),
    "op4": Target(read_op4, _op4),
    "urdf": Target(ist.from_urdf, _robot("arm.urdf")),
    "mjcf": Target(_read_mjcf, _robot("crane.xml")),
    "stl": Target(ist.read_mesh, _stl),
    "obj": Target(_read_obj, _obj),
    "fmu": Target(_read_fmu, _fmu),
    "table": Target(_with_suffix(dev.ReferenceTrajectory, ".csv"), lambda: [COURSE]),
    "air": Target(_with_suffix(dev.Atmosphere, ".csv"), lambda: [AIR]),
    "gravity field": Target(
        _with_suffix(lambda path: dev.Earth(gravity=path), ".gfc"),
        lambda: [(TESTS / "devices" / "small_field.gfc").read_bytes()],
    ),
    "measured": Target(_with_suffix(read_measured, ".csv"), lambda: [MEASURED]),
    "universal file": Target(_with_suffix(read_measured, ".uff"), _uff),
}


def changed_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip, overwrite and copy bytes, or cut: what disks and adversaries do."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 4, 16))):
        at, what = rng.randrange(len(out)), rng.randrange(4)
        if what == 0:
            out[at] = rng.randrange(256)
        elif what == 1:
            out[at] ^= 1 << rng.randrange(8)
        elif what == 2:
            out[at : at + 8] = rng.choice((b"\xff" * 8, b"\0" * 8, (2**31).to_bytes(8, "little")))
        else:
            other = rng.randrange(len(out))
            out[at : at + 16] = out[other : other + 16]
    return bytes(out[: rng.randrange(len(out))] if rng.random() < 0.1 else out)


def changed_tree(path: Path, rng: random.Random) -> None:
    """Put something else in the place of datasets of an HDF5 file, or take groups away."""
    with h5py.File(path, "r+") as f:
        if rng.random() < 0.9:  # else what is taken away is seen by this alone
            f.attrs.pop("CONTENTS", None)
        names: list[str] = []
        f.visit(names.append)
        for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2, 5)))):
            if name in f:
                _change(f, name, rng)


def _change(f: h5py.File, name: str, rng: random.Random) -> None:
    item = f[name]
    shape = item.shape if isinstance(item, h5py.Dataset) else ()
    value = item[()] if isinstance(item, h5py.Dataset) and item.size < 10_000 else 0.0
    del f[name]
    told = _json(value)
    what = JSON if told is not None and rng.random() < 0.7 else rng.randrange(8)
    if what == 0:
        return
    if what == JSON:
        f[name] = np.bytes_(json.dumps(_changed_json(told, rng)).encode())
        return
    if what == 1:
        f[name] = np.zeros(tuple(rng.choice((0, 1, n, n + 1)) for n in shape))
    elif what == 2:
        f[name] = rng.choice(
            (np.nan, np.inf, -1, 2**62, 1e308, np.bytes_(b"x" * 40), np.bytes_(b"\xff\0\xfe"))
        )
    elif what == 3:
        f.create_dataset(name, tuple(rng.choice(LENGTHS) for _ in shape) or (3,), "f8", chunks=True)
    elif what == 4 and isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.size:
        value.flat[rng.randrange(value.size)] = rng.choice((0, 1, 255)) if value.dtype.kind == "u" else -7
        f[name] = value
    elif what == 5 and isinstance(value, bytes | np.bytes_):
        f[name] = np.bytes_(changed_bytes(bytes(value), rng) if value else b"{")
    elif what == 6:
        f.create_group(name)
    else:
        f[name] = rng.choice((np.array([b"a", b""]), np.array(3), np.zeros((2, 2, 2)), h5py.Empty("f8")))


def _json(value: object) -> Any:
    """Return the table or list that a text holds, None for all others."""
    if not isinstance(value, bytes | np.bytes_) or value[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(bytes(value))
    except ValueError:
        return None


def _changed_json(told: Any, rng: random.Random) -> Any:
    """Put something else in the place of values of a text, take keys away, or exchange two values."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        spots = list(_spots(told))
        if not spots:
            break
        holder, key = rng.choice(spots)
        what = rng.randrange(4)
        if what == 0:
            del holder[key]
        elif what == 1:
            other, at = rng.choice(spots)
            with suppress(KeyError, IndexError):
                holder[key] = copy.deepcopy(other[at])
        elif what == 2 and isinstance(holder, dict):
            holder[rng.choice(("", "t", "object", "array", "__class__", "x"))] = holder.pop(key)
        else:
            holder[key] = rng.choice(TOLD)
    return told


def _spots(told: Any) -> Iterator[tuple[Any, Any]]:
    """Return every (table or list, key or number) inside a value."""
    keys = list(told) if isinstance(told, dict) else range(len(told)) if isinstance(told, list) else ()
    for key in keys:
        yield told, key
        yield from _spots(told[key])


def attack(target: Target, path: Path, rng: random.Random) -> str:
    """Make one input and read it; returns what came of it, and raises what must not come."""
    data = rng.choice(target.seeds())
    path.write_bytes(data if target.structured else changed_bytes(data, rng))
    if target.structured:
        changed_tree(path, rng)
    return outcome(target, path)


def outcome(target: Target, path: Path) -> str:
    begin = time.process_time(), time.perf_counter()
    try:
        target.read(path)
        found = "read"
    except InterstageError as fault:
        assert str(fault) and "\n" not in str(fault), f"no sentence: {fault}"
        found = "refused"
    took = time.process_time() - begin[0], time.perf_counter() - begin[1]
    assert took[0] < SECONDS and took[1] < WAITING, "it took too long"
    return found


def fuzz(name: str, inputs: int, seed: int, keep: Path | None = None) -> Counter[str]:
    """Try a target; an input that brings anything else than a sentence is kept in a folder, and raised."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile"
        for k in range(inputs):
            try:
                found[attack(TARGETS[name], path, random.Random(f"{name} {seed} {k}"))] += 1
            except Exception as error:
                if keep is not None:
                    kept = keep / f"{name.replace(' ', '_')}-{seed}-{k}"
                    kept.write_bytes(path.read_bytes())
                raise AssertionError(
                    f"{name}, seed {seed}, input {k}: {type(error).__name__}: {error}"
                ) from error
    return found


def _some(job: tuple[str, int, int, Path]) -> tuple[str, Counter[str]]:
    name, inputs, seed, keep = job
    if name == "decks":
        return name, fuzz_reader.fuzz(inputs, seed, models=True)
    return name, fuzz(name, inputs, seed, keep)


def main(inputs: int, seed: int, names: list[str]) -> None:
    keep, names = Path("fuzz-found"), names or ["decks", *TARGETS]
    keep.mkdir(exist_ok=True)
    block = 2000
    jobs = [
        (name, block, seed + 1000 * k, keep)
        for k in range(max(1, inputs // block // len(names)))
        for name in names
    ]
    total: dict[str, Counter[str]] = {}
    begin = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, found in pool.map(_some, jobs):
            total.setdefault(name, Counter()).update(found)
    for name, found in total.items():
        print(f"{name}: {dict(found)}")
    print(
        f"{block * len(jobs)} inputs in {time.perf_counter() - begin:.0f} s; nothing but sentences came out"
    )


def guided(name: str, runs: int) -> None:
    """Let atheris look for inputs that reach new code."""
    import atheris

    # of all functions of all packages it would take minutes: those that read, and no kernels
    for function in [f for f in gc.get_objects() if isinstance(f, FunctionType)]:
        if str(function.__module__).startswith(READING) and "kernels" not in function.__module__:
            atheris.instrument_func(function)
    target = None if name == "decks" else TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        corpus, path = Path(folder) / "corpus", Path(folder) / "hostile"
        corpus.mkdir()
        seeds = [text.encode() for text in fuzz_reader.SEEDS] if target is None else target.seeds()
        for k, data in enumerate(seeds):
            (corpus / str(k)).write_bytes(data)

        def one(data: bytes) -> None:
            if target is None:
                fuzz_reader.exercise(data)
            else:
                path.write_bytes(data)
                outcome(target, path)

        atheris.Setup([sys.argv[0], f"-runs={runs}", "-max_len=65536", str(corpus)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    if "--atheris" in sys.argv:
        at = sys.argv.index("--atheris")
        guided(sys.argv[at + 1], int((sys.argv[at + 2 :] or ["100000"])[0]))
    else:
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000,
            int(sys.argv[2]) if len(sys.argv) > 2 else 0,
            sys.argv[3:],
        )
