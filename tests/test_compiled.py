"""The door to numba's internals: versions, records and calls by address, callbacks, cache on disk, no side effects."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

import interstage
from interstage import jit
from interstage.multibody import Multibody, Revolute
from interstage.spatial import Rotation

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(interstage.__file__).parent
by_address = pytest.mark.skipif(not jit.COMPILED, reason="records by address are not in use in this job")


def python(code: str, **environment: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_pin_is_the_range_the_code_states():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (numba,) = [line for line in listed if line.startswith("numba")]
    assert numba == "numba>={},<{}".format(*jit.NUMBA_RANGE)


OTHERS = {"0.61.0": True, "0.68.1": True, "0.60.0": False, "0.69.0rc1": False, "1.0.0": False}
OTHER = f"""
import sys
import numba

for version in {list(OTHERS)}:
    numba.__version__ = version
    for name in [name for name in sys.modules if name.startswith("interstage")]:
        del sys.modules[name]
    from interstage import jit
    print(version, jit.COMPILED, "interstage.compiled" in sys.modules)
"""


@by_address
def test_other_versions_of_numba_are_used_without_their_internals():
    expected = [f"{version} {used} {used}" for version, used in OTHERS.items()]
    assert python(OTHER).splitlines() == expected


def test_only_the_door_knows_numba():
    """numba-cuda is a package of its own, in a version of its own: what GPUs need of it is behind a door of its own."""
    knows = {
        path.relative_to(SOURCES)
        for path in SOURCES.rglob("*.py")
        if re.search(r"^\s*(import|from) (numba|llvmlite)\b", path.read_text(), re.MULTILINE)
    }
    on_gpu = {path.name for path in knows if path.parts[:2] == ("batch", "gpu")}
    assert {path.parts[0] for path in knows} == {"jit.py", "compiled", "batch"}
    assert len(on_gpu) == sum(path.parts[0] == "batch" for path in knows) and on_gpu == {"emit.py", "fly.py"}
    inner = r"numba\.(core|np|cpython|experimental|typed)|llvmlite|\._cache\b"
    assert not re.search(inner, (SOURCES / "jit.py").read_text())


@by_address
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_calls_through_addresses(dtype):
    from interstage.compiled import address, caller

    def add_scaled(n, s, x, y):
        for k in range(n):
            y[k] += s * x[k]

    call = caller("nsxx")

    @jit.kernel(cache=False)
    def many(addresses, s, x, y):
        for k in range(len(addresses)):
            call(addresses[k], len(x), s, x, y)

    place = address(add_scaled, "nsxx", dtype)
    assert place != 0 and place == address(add_scaled, "nsxx", dtype)
    x, y = np.arange(3).astype(dtype), np.ones(3, dtype)
    many(np.array([place, place]), dtype(0.5), x, y)
    np.testing.assert_allclose(y, 1.0 + x)


@by_address
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_records_of_numbers_and_vectors_are_read_and_written(dtype):
    from interstage.compiled import Record, address, caller

    spring = Record("Spring", [("gain", "f", 0), ("travel", "w", 3), ("force", "w", 0)], arrays=False)

    def law(d, t):
        d.force = -d.gain * (d.travel[0] + d.travel[2]) * t

    call = caller([spring, "d"])
    at = spring.reference("spring_at", like=True)

    @jit.kernel(cache=False)
    def run(place, row, t, like):
        call(place, at(row, like), t)

    gain, travel, force = np.array([2.0]), np.array([1.0, 5.0, 3.0], dtype), np.zeros(1, dtype)
    row = np.array([a.ctypes.data for a in (gain, travel, force)])
    run(address(law, [spring, "d"], dtype), row.ctypes.data, 0.5, travel)
    assert force[0] == -4.0


@by_address
def test_what_a_python_function_raises_reaches_the_caller():
    from interstage.compiled import WELL, address, called, caller, taken_error

    seen = []

    def note(t):
        seen.append(t)
        if t == 2.0:
            raise ValueError("two is refused")

    call = caller("nd", "int64")

    @jit.kernel(cache=False)
    def count(place, row):
        for k in range(5):
            if call(place, row, float(k)) != WELL:
                return k
        return -1

    assert count(address(called, "nd", np.dtype(float), "int64"), id(note)) == 2
    assert seen == [0.0, 1.0, 2.0]
    error = taken_error()
    assert (
        isinstance(error, ValueError) and str(error) == "two is refused" and error.__traceback__ is not None
    )
    assert taken_error() is None


@by_address
def test_what_compiled_code_raises_is_kept_for_the_thread_that_called():
    from interstage.compiled import WELL, address, caller, taken_error

    def refuses(t):
        if t > 1.0:
            raise ValueError("too late")

    call, place = caller("d", "int64"), address(refuses, "d", np.dtype(float), "status")

    @jit.kernel(cache=False)
    def ask(where, t):
        return call(where, t)

    assert ask(place, 0.5) == WELL and taken_error() is None
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask, place, 2.0).result() == 0
        assert taken_error() is None
        assert str(pool.submit(taken_error).result()) == "too late"


@by_address
def test_whole_numbers_by_zero_and_indices_beyond_are_errors_where_they_are_checked():
    from interstage.compiled import WELL, address, caller, taken_error

    def divides(x, k):
        x[0] = 7 // k + 7 % k

    def infinite(x, k):
        x[0] = 1.0 / x[1]

    def writes(x, k):
        x[k] = 3.0

    call = caller("xn", "int64")

    @jit.kernel(cache=False)
    def ask(where, x, k):
        return call(where, x, k)

    def outcome(function, x, k):
        found = ask(address(function, "xn", x.dtype, "status", checked=True), x, k)
        error = taken_error()
        return type(error).__name__ if found != WELL else "well"

    x = np.zeros(4)[:3]
    assert outcome(divides, x, 2) == "well" and x[0] == 4.0
    assert outcome(divides, x, 0) == "ZeroDivisionError"
    assert outcome(infinite, x, 0) == "well" and x[0] == np.inf
    assert [outcome(writes, x, k) for k in (2, -3, 3, -4)] == ["well", "well", "IndexError", "IndexError"]
    assert x.base[3] == 0.0


@by_address
def test_a_stage_without_a_slot_is_refused_when_a_vehicle_is_compiled(monkeypatch):
    from interstage.errors import InputError
    from interstage.multibody import address_table, kernel_interface
    from interstage.multibody.kernels import entry

    mb = Multibody("one")
    mb.add_body("a", mass=1.0, com=[0.0, 0.0, 0.0], inertia=[1.0, 1.0, 1.0])
    system = mb.compile()

    @address_table.stage("x")
    def forgotten(tree, work, q):
        q[0] = 1.0

    @jit.kernel(cache=False)
    def enter(slots, q, v):
        forgotten(entry.tree_of(slots), entry.work_of(slots, q), q)

    with system.engine.borrow(np.float64) as scratch, pytest.raises(InputError, match="forgotten"):
        scratch.ready(enter)
    monkeypatch.setitem(kernel_interface.QUICK, "forward", enter)
    with pytest.raises(InputError, match="forgotten"):
        mb.compile()


@by_address
def test_no_slot_of_a_stage_is_ever_empty():
    from interstage.compiled import stages_of
    from interstage.multibody.address_table import IN_USE, STAGES
    from interstage.multibody.kernels import entry

    mb = Multibody("one")
    mb.add_body("a", mass=1.0, com=[0.0, 0.0, 0.0], inertia=[1.0, 1.0, 1.0])
    with mb.compile().engine.borrow(np.float64) as scratch:
        slots = scratch.handle.view(np.int64)[IN_USE - len(STAGES) : IN_USE]
        assert (slots != 0).all()
    # what an algorithm calls is read from its code, through other stages too
    called = {s.__name__ for s in stages_of(entry.enter_mass_matrix_of)}
    always = {"kinematics", "joint_frame", "body_terms", "ground_drag", "composite", "mass_columns"}
    flexible = {"port_motions", "flexible_terms", "shifted_inertia", "changed_inertia", "turning_nodes"}
    assert called == always | flexible | {"thin_pairs", "spin_stiffness"}


IMPORTS = """
import os, sys, numpy, threading, warnings, atexit, signal
sys.dont_write_bytecode = True
import numba, matplotlib.pyplot, scipy.sparse.linalg, scipy.optimize, h5py, typer, rich  # theirs is not ours
numba.njit(lambda a: a[0])(numpy.zeros(1))
from numba.core import event
from numba.core.typing.templates import builtin_registry as typing
from numba.core.imputils import builtin_registry as lowering
import pkgutil, importlib, interstage

def filters():  # but the one by which our own modules refuse to drop imaginary parts
    return [one for one in warnings.filters if getattr(one[3], "pattern", "") != r"interstage\\."]

def world():
    return (
        dict(os.environ), filters(), threading.active_count(), atexit._ncallbacks(), os.getcwd(),
        {k: list(v) for k, v in event._registered.items() if v}, signal.getsignal(signal.SIGINT),
        len(typing.functions), len(typing.globals), len(typing.attributes),
        len(lowering.functions), len(lowering.getattrs), len(lowering.setattrs), sys.excepthook, sys.path[:],
    )

before = world()
for found in pkgutil.walk_packages(interstage.__path__, "interstage."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
after = world()
print([k for k, (a, b) in enumerate(zip(before, after)) if a != b], len(os.listdir(os.environ["NUMBA_CACHE_DIR"])))
"""


def test_importing_every_module_has_no_side_effect(tmp_path):
    copy = tmp_path / "src" / "interstage"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    cache.mkdir()
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    said = python(IMPORTS, PYTHONPATH=str(copy.parent), NUMBA_CACHE_DIR=str(cache))
    assert said.split() == ["[]", "0"]
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == before


@by_address
def test_the_cache_on_disk_sees_edits_in_called_files(tmp_path):
    files = {
        "lower.py": "from interstage.jit import kernel\nHALF = 0.5\n@kernel\ndef f(x):\n    return x + 1.0\n",
        "middle.py": "import lower\nfrom interstage.jit import kernel\n@kernel\ndef g(x):\n    return 2 * lower.f(x)\n",
        "upper.py": "from interstage.jit import kernel\nfrom middle import g\nfrom lower import HALF\n"
        "@kernel\ndef h(x):\n    return g(x) + HALF\nprint(h(1.0), sum(h.stats.cache_hits.values()))\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    cache, path = str(tmp_path / "cache"), os.pathsep.join([str(tmp_path), str(SOURCES.parent)])

    def run() -> list[float]:
        said = python("import upper", PYTHONPATH=path, NUMBA_CACHE_DIR=cache, PYTHONDONTWRITEBYTECODE="1")
        return [float(word) for word in said.split()]

    assert run() == [4.5, 0]
    assert run() == [4.5, 1]
    (tmp_path / "lower.py").write_text(files["lower.py"].replace("x + 1.0", "x + 3.0"))
    assert run() == [8.5, 0]
    (tmp_path / "lower.py").write_text(files["lower.py"].replace("HALF = 0.5", "HALF = 0.25"))
    assert run() == [4.25, 0]
    assert run() == [4.25, 1]
    # an index of other sources may name types that are no more
    for index in Path(cache).rglob("*.nbi"):
        version = pickle.dumps(pickle.loads(index.read_bytes()[12:]))
        held = version + b"cinterstage.compiled\nGone\n."
        index.write_bytes(struct.pack("<QL", len(held), crc32(held)) + held)
    (tmp_path / "lower.py").write_text(files["lower.py"])
    assert run() == [4.5, 0]
    assert run() == [4.5, 1]


PARTS = """
from interstage.jit import kernel

@kernel
def pick(x, k):
    if k > 2:
        raise ValueError("there are three")
    return x[k] * x[k]

@kernel
def total(x):
    return pick(x, 0) + pick(x, 1) + pick(x, 2)

@kernel
def beyond(x):
    return pick(x, 0) + pick(x, 5)
"""
CALLS = """
import gc, numpy, kernels
from numba import types
asks = types.BaseFunction.get_call_type
x = numpy.array([1.0, 2.0, 4.0])
print(kernels.total(x), len(kernels.pick.signatures))
print(kernels.total(x + 1j * x).imag)
try:
    kernels.beyond(x)
except ValueError as error:
    print(str(error).split()[-1])
print(kernels.pick(x, 2), len(kernels.pick.signatures))
print(gc.isenabled(), types.BaseFunction.get_call_type is asks)
"""


@by_address
def test_arrays_that_kernels_make_live_as_long_as_they_are_used():
    """numba's own ledger is the truth: as many arrays are freed as are made, whoever makes, cuts or returns them."""
    from numba.core.runtime import rtsys

    ledger = import_module("numba.core.runtime._nrt_python")

    @jit.kernel(cache=False)
    def total(x):  # makes none: nothing is counted
        s = 0.0
        for value in x[1:].reshape(len(x) - 1):
            s += value
        return s

    @jit.kernel(cache=False)
    def half(x):
        return x[: len(x) // 2]

    @jit.kernel(cache=False)
    def both(x):
        y = 2.0 * x
        z = half(y)
        return z, total(x) + total(y) + total(half(x + y)) + len([x, y])

    x = np.arange(1000.0)
    both(x)
    ledger.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    kept, found = both(x)
    np.full(1000, np.nan)  # takes the place of what was freed too early
    assert np.array_equal(kept, 2.0 * x[:500]) and found == 3.0 * x.sum() + 3.0 * x[1:500].sum() + 2
    del kept
    after = rtsys.get_allocation_stats()
    ledger.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


@by_address
def test_what_only_kernels_call_is_linked_into_them_and_nothing_else(tmp_path):
    (tmp_path / "kernels.py").write_text(PARTS)
    cache, path = tmp_path / "cache", os.pathsep.join([str(tmp_path), str(SOURCES.parent)])
    for _ in range(2):  # compiled, then from disk
        said = python(CALLS, PYTHONPATH=path, NUMBA_CACHE_DIR=str(cache))
        assert said.split() == ["21.0", "0", "42.0", "three", "16.0", "1", "True", "True"]
    kept = sorted(file.name.split("-")[0] for file in cache.rglob("*.nbc"))
    assert kept == ["kernels.beyond", "kernels.pick", "kernels.total", "kernels.total"]


DOOR = """
import sys
from pathlib import Path

def stamp():
    for name in [name for name in sys.modules if name.startswith("interstage")]:
        del sys.modules[name]
    from interstage.compiled import print_of_sources
    return print_of_sources(stamp)

found = [stamp(), stamp()]
files = sorted(Path(sys.modules["interstage.compiled"].__file__).parent.glob("*.py"))
for file in files:
    file.write_text(file.read_text() + "# edited")
    found.append(stamp())
print(len(files), len(found), len(set(found)))
"""


@by_address
def test_the_cache_on_disk_sees_edits_in_every_file_of_the_door(tmp_path):
    shutil.copytree(SOURCES, tmp_path / "interstage", ignore=shutil.ignore_patterns("__pycache__"))
    files, stamps, distinct = map(int, python(DOOR, PYTHONPATH=str(tmp_path)).split())
    assert files > 1
    assert (stamps, distinct) == (files + 2, files + 1)


PLAIN = """
import gc
import sys
gc.disable()  # the compiler makes millions of small objects that stay
import numpy as np
import test_compiled
from interstage import jit
from interstage.multibody.arrays import make_work
from interstage.multibody.compile import build_tree, flexible_bodies
from interstage.multibody.kernels.kinematics import kinematics, poses, turned
from interstage.multibody.settings import RuntimeSettings
from interstage.spatial import Rotation

assert not jit.COMPILED and "interstage.compiled" not in sys.modules
print(*Rotation.from_rotation_vector([0.1, 0.2, 0.3]).matrix.ravel())
model = test_compiled.arm()
flexes, owner = flexible_bodies(model, {})
tree = build_tree(model, flexes, owner, [])
work = make_work(tree, RuntimeSettings.of(model, flexes, tree).arrays())
work.Rw[-1] = np.eye(3).ravel()
# the loop over the bodies by Python, which saves most of the compiling; what it calls is compiled
kinematics.py_func(tree, work, test_compiled.ANGLES, test_compiled.ANGLES)
poses(tree, work)  # tuples of arrays, compiled by plain numba
assert poses.signatures and turned.signatures
print(*work.pw[2])
"""
ANGLES = np.array([0.3, -0.4, 0.5])


def arm() -> Multibody:
    """Return a rigid arm of three bodies."""
    mb = Multibody("arm")
    for k in range(3):
        place = {"parent": f"b{k - 1}" if k else None, "at": [1.0, 0.0, 0.0], "joint": Revolute("zyx"[k])}
        mb.add_body(f"b{k}", mass=1.0, com=[0.4, 0.1, 0.0], inertia=[0.1, 0.2, 0.25], **place)
    return mb


def test_plain_numba_needs_no_internals_and_finds_the_same(tmp_path):
    path = os.pathsep.join([str(SOURCES.parent), str(Path(__file__).parent)])
    # without optimization the compiler needs half the time, and what it finds is the same
    plain = {"INTERSTAGE_PLAIN": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    said = python(PLAIN, PYTHONPATH=path, **plain)
    found = [float(word) for word in said.split()]
    expected = Rotation.from_rotation_vector([0.1, 0.2, 0.3]).matrix.ravel()
    np.testing.assert_allclose(found[:9], expected, rtol=1e-15)
    system = arm().compile()
    place = system.position(system.state(ANGLES), "b2")
    np.testing.assert_allclose(found[9:], place, rtol=1e-14)


KEPT = """
import os
import sys
from pathlib import Path

def ran():
    sys.modules.pop("kept", None)
    import kept
    print(kept.twice(4.0), sum(kept.twice.stats.cache_hits.values()))

ran()
for path in map(Path, filter(None, os.environ.get("DAMAGED", "").split(os.pathsep))):
    good = path.read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 4
    for bad in (b"", good[: len(good) // 2], bytes(flipped)):
        path.write_bytes(bad)
        ran()
    ran()
"""


@by_address
def test_damaged_files_of_the_cache_are_compiled_anew(tmp_path):
    """Cut, emptied, with one bit flipped, of numba's own form, or code of another time under a new index."""
    (tmp_path / "kept.py").write_text(
        "from interstage.jit import kernel\n\n@kernel\ndef twice(x):\n    return 2.0 * x\n"
    )
    cache = tmp_path / "cache"
    environment = {
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": os.pathsep.join([str(SOURCES.parent), str(tmp_path)]),
    }

    def ran(**more):
        lines = python(KEPT, **environment, **more).splitlines()
        return [(float(value), int(hits)) for value, hits in map(str.split, lines)]

    assert ran() == [(8.0, 0)] and ran() == [(8.0, 1)]
    files = sorted(p for p in cache.rglob("kept.twice*") if p.suffix in (".nbi", ".nbc"))
    assert len(files) == 2
    anew = [(8.0, 0)] * 3  # emptied, cut, a bit flipped; then what was compiled anew is on disk
    assert ran(DAMAGED=os.pathsep.join(map(str, files))) == [(8.0, 1), *anew, (8.0, 1), *anew, (8.0, 1)]
    index, code = sorted(files, key=lambda p: p.suffix, reverse=True)
    old = code.read_bytes()
    (tmp_path / "kept.py").write_text(
        "from interstage.jit import kernel\n\n@kernel\ndef twice(x):\n    return 3.0 * x\n"
    )
    assert ran() == [(12.0, 0)]
    code.write_bytes(old)  # a writer that was killed between index and code
    assert ran() == [(12.0, 0)] and index.exists()


@by_address
def test_files_of_the_cache_under_the_names_of_others_are_not_believed(tmp_path):
    """Index and code of one kernel in the place of those of another from the same file, with the same arguments."""
    half = "from interstage.jit import kernel\n\n@kernel\ndef {}(x):\n    return {} * x\n"
    (tmp_path / "kept.py").write_text(half.format("twice", 2.0) + half.format("thrice", 3.0))
    path = os.pathsep.join([str(SOURCES.parent), str(tmp_path)])
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    both = "import kept\nprint(kept.twice(4.0), kept.thrice(4.0))"
    assert python(both, **environment).split() == ["8.0", "12.0"]
    index, code = (
        {p.name.split("-")[0]: p for p in (tmp_path / "cache").rglob(f"*.{end}")} for end in ("nbi", "nbc")
    )
    good = {p: p.read_bytes() for p in (*index.values(), *code.values())}
    for to, source in ((index, index), (index, code), (code, code), (code, index)):
        to["kept.twice"].write_bytes(good[source["kept.thrice"]])
        assert python(both, **environment).split() == ["8.0", "12.0"]
        for p, data in good.items():
            p.write_bytes(data)
