"""Files that nobody vouches for: nothing outside is followed, sizes are not believed, every fault is one sentence."""

from __future__ import annotations

import dataclasses
import random
import time
import tracemalloc
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.sparse
from hostile import changed_bytes
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.component.component import ChildBody
from interstage.errors import FileError, InputError
from interstage.hdf5 import (
    FileFault,
    link_name,
    opened,
    plain_name,
    put_array,
    put_text,
    put_texts,
    write_hdf5,
)
from interstage.linear.model import LinearModel
from interstage.report.sources import report_file


def lazily(path):
    """All shapes, left in the file at first."""
    return np.asarray(ist.Component.load(path, lazy=True).gamma)


# a loader, the dataset that is attacked, a group above one that it reads
LOADERS = {
    "component": (ist.Component.load, "RigidBody/inertia", "RigidBody"),
    "shapes": (lazily, "ModalSolution/TransModeShape/2", "ModalSolution/TransModeShape"),
    "linear": (ist.LinearModel.load, "A", "state_index"),
    "log": (ist.Log.load, "STEPS", "VEHICLE/BODIES"),
    "older log": (ist.Log.load, "PHASES/0/Q", "PHASES/0/BODIES"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One good file for each loader."""
    folder = tmp_path_factory.mktemp("good")
    nodes = {k: (float(k), 0.0, 0.0) for k in (1, 2, 3)}
    K = np.diag(np.arange(1.0, 19.0))
    ist.Component.from_matrices(K, np.eye(18), nodes, n_modes=4, aset={1: 123456}, name="body").save(
        folder / "component.h5"
    )
    (folder / "shapes.h5").write_bytes((folder / "component.h5").read_bytes())
    LinearModel(
        A=-np.eye(3),
        B=np.ones((3, 1)),
        C=np.ones((1, 3)),
        D=np.zeros((1, 1)),
        state_index={"q": np.arange(3)},
    ).save(folder / "linear.h5")
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    log = ist.simulate(system, system.state(), 0.05, 0.01)
    log.save(folder / "log.h5", {"height": (np.cos(log["arm"].q[:, 0]), "m")})
    with zipfile.ZipFile(Path(__file__).parent / "migration" / "interstage-0.1.0.zip") as archive:
        (folder / "older log.h5").write_bytes(archive.read("log.h5"))
    # what an attack would like to read
    with h5py.File(folder / "secret.h5", "w") as f:
        f["x"] = np.eye(3)
    (folder / "secret.raw").write_bytes(np.eye(20).tobytes())
    return folder


@pytest.fixture(params=LOADERS)
def attacked(request, made, tmp_path):
    """A copy of a file, its loader, the dataset to attack and a group."""
    load, dataset, group = LOADERS[request.param]
    path = tmp_path / "attacked.h5"
    path.write_bytes((made / f"{request.param}.h5").read_bytes())
    load(path)
    return load, path, dataset, group


def one_sentence(load, path, words=""):
    begin = time.perf_counter()
    with pytest.raises(FileError) as caught:
        load(path)
    text = str(caught.value)
    assert path.name in text and "\n" not in text and words in text, text
    assert time.perf_counter() - begin < 20.0
    return text


def replaced(path, name, make):
    """Put another thing in the place of a dataset; `make(group, name, shape)`."""
    with h5py.File(path, "r+") as f:
        above, _, last = name.rpartition("/")
        group = f[above] if above else f
        shape = group[last].shape
        del group[last]
        make(group, last, shape)


def _external_link(group, name, shape):
    group[name] = h5py.ExternalLink("secret.h5", "/x")


def _soft_link(group, name, shape):
    group.file["elsewhere"] = np.zeros(shape)
    group[name] = h5py.SoftLink("/elsewhere")


def _soft_then_external(group, name, shape):
    group.file["door"] = h5py.ExternalLink("secret.h5", "/")
    group[name] = h5py.SoftLink("/door/x")


def _external_storage(group, name, shape):
    group.create_dataset(name, shape, "f8", external=[("secret.raw", 0, 8 * int(np.prod(shape)))])


def _virtual(group, name, shape):
    layout = h5py.VirtualLayout(shape, "f8")
    layout[...] = h5py.VirtualSource("secret.h5", "x", shape)
    group.create_virtual_dataset(name, layout)


def _absurd(group, name, shape):
    group.create_dataset(name, tuple(10**6 for _ in shape), "f8", chunks=tuple(100 for _ in shape))


def _absurd_chunk(group, name, shape):
    group.create_dataset(
        name,
        shape,
        "f8",
        chunks=tuple(2000 for _ in shape),
        maxshape=tuple(None for _ in shape),
        compression=1,
    )


def _not_finite(group, name, shape):
    group[name] = np.full(shape, np.nan)


def _complex(group, name, shape):
    group[name] = np.full(shape, 1.0 + 2.0j)


def _text(group, name, shape):
    group[name] = np.full(shape, b"text")


def _compound(group, name, shape):
    group[name] = np.zeros(shape, dtype=[("a", "f8"), ("b", "i4")])


def _reference(group, name, shape):
    group.create_dataset(name, shape, h5py.ref_dtype)


def _empty(group, name, shape):
    group[name] = h5py.Empty("f8")


def _group(group, name, shape):
    group.create_group(name)


def _flat(group, name, shape):
    group[name] = 3.0


@pytest.mark.parametrize(
    "attack",
    [
        _external_link,
        _soft_link,
        _soft_then_external,
        _external_storage,
        _virtual,
        _absurd,
        _absurd_chunk,
        _complex,
        _text,
        _compound,
        _reference,
        _empty,
        _group,
        _flat,
    ],
)
def test_every_loader_refuses(attacked, made, attack, monkeypatch):
    load, path, dataset, _ = attacked
    monkeypatch.chdir(made)
    for name in ("secret.h5", "secret.raw"):
        (path.parent / name).write_bytes((made / name).read_bytes())
    replaced(path, dataset, attack)
    tracemalloc.start()
    one_sentence(load, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    for command in ("info", "report"):
        done = CliRunner().invoke(app, [command, str(path)])
        lazy = dataset.startswith("ModalSolution") and command == "info"
        assert lazy or (done.exit_code != 0 and isinstance(done.exception, FileError)), done.exception


@pytest.mark.parametrize("kind", ["component", "shapes", "linear"])
def test_values_that_are_not_finite_are_refused(made, tmp_path, kind):
    load, dataset, _ = LOADERS[kind]
    path = tmp_path / "a.h5"
    path.write_bytes((made / f"{kind}.h5").read_bytes())
    replaced(path, dataset, _not_finite)
    assert "finite" in one_sentence(load, path)


def test_a_log_that_went_astray_can_be_looked_at(made, tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes((made / "older log.h5").read_bytes())
    replaced(path, "PHASES/0/Q", lambda g, n, s: g.create_dataset(n, data=np.full(s, np.inf)))
    assert np.isinf(ist.Log.load(path).phases[0].q).all()
    assert "NaN" not in report_file(path).html().split("<script", 1)[0]


def test_groups_from_elsewhere_are_refused(attacked, made):
    load, path, _, group = attacked
    with h5py.File(path, "r+") as f:
        f.move(group, "moved")
        f[group] = h5py.ExternalLink(str(path), "/moved")
    one_sentence(load, path, "link to elsewhere")


def test_groups_that_hold_themselves_are_refused(attacked):
    load, path, _, group = attacked
    with h5py.File(path, "r+") as f:
        for name in {group, *f}:
            if isinstance(f[name], h5py.Group):
                f[name]["again"] = f[name]
                f[name]["root"] = f["/"]
    try:
        load(path)
    except FileError as error:
        assert "\n" not in str(error)


def test_nested_hard_links_do_not_hang(made, tmp_path):
    """Thirty groups, each with ten names for the next: 10^30 ways down in a small file."""
    path = tmp_path / "nested.h5"
    path.write_bytes((made / "linear.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        group = f.create_group("extra")
        for _ in range(30):
            below = group.create_group("n0")
            for k in range(1, 10):
                group[f"n{k}"] = below
            group = below
    assert path.stat().st_size < 100_000
    one_sentence(ist.LinearModel.load, path)
    begin = time.perf_counter()
    assert CliRunner().invoke(app, ["info", str(path)]).exit_code != 0
    assert time.perf_counter() - begin < 20.0
    with h5py.File(path, "r+") as f:
        del f["extra"]
        group = f.create_group("extra")
        for _ in range(400):
            group = group.create_group("deeper")
    one_sentence(ist.LinearModel.load, path, "nested too deeply")


def test_many_names_for_one_dataset_do_not_fill_the_memory(made, tmp_path):
    """A packed dataset of 12 MB under two hundred names."""
    path = tmp_path / "many.h5"
    path.write_bytes((made / "linear.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        f.create_dataset("x0", data=np.zeros((1000, 1500)), compression=9, chunks=(1000, 750))
        for k in range(1, 200):
            f[f"x{k}"] = f["x0"]
    assert path.stat().st_size < 120_000
    one_sentence(ist.LinearModel.load, path, "more than the file can hold")


def test_a_log_that_claims_1e8_rows_takes_no_memory(made, tmp_path):
    """Rows that are not in the file, and rows of zeros that unpack a thousandfold: 800 MB each."""
    claims = {
        "declared": {"shape": (10**8,), "dtype": "f8", "chunks": (1 << 17,)},
        "packed": {"shape": (10**8,), "dtype": "f8", "chunks": (1 << 17,), "compression": 9, "shuffle": True},
    }
    for words, claim in claims.items():
        path = tmp_path / f"{words}.h5"
        path.write_bytes((made / "older log.h5").read_bytes())
        with h5py.File(path, "r+") as f:
            del f["PHASES/0/TIME"]
            rows = f.create_dataset("PHASES/0/TIME", **claim)
            if words == "declared":
                rows[: 1 << 18] = 0.0
            else:  # one packed chunk for all: written as it is, without 1e8 zeros in this test
                rows[: 1 << 17] = 0.0
                packed = rows.id.read_direct_chunk((0,))[1]
                for k in range(1 << 17, 10**8, 1 << 17):
                    rows.id.write_direct_chunk((k,), packed)
        assert path.stat().st_size < 3e6
        tracemalloc.start()
        one_sentence(ist.Log.load, path, "for which the file has no data")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 5e6


def test_every_dataset_lies_under_a_checksum(made):
    """In a header of the format of 1.8, or in chunks with Fletcher's sum; tables of a log have sums of their rows."""
    for kind in LOADERS.keys() - {"older log"}:
        with h5py.File(made / f"{kind}.h5") as f:
            assert f.id.get_create_plist().get_version()[0] >= 2
            rows = {
                name for name in f if isinstance(f[name], h5py.Dataset) and f[name].maxshape[:1] == (None,)
            }
            rows = rows - {"INFO"} if kind == "log" else set()

            def guarded(name, item, rows=rows):
                if isinstance(item, h5py.Dataset) and name not in rows:
                    how = item.id.get_create_plist()
                    assert how.get_layout() == h5py.h5d.COMPACT or item.fletcher32, name

            f.visititems(guarded)


def equal(a, b):
    """Whether two things that were loaded hold the same numbers."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=True)
    if dataclasses.is_dataclass(a):
        return all(equal(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, LinearModel):
        return equal(vars(a), vars(b))
    if isinstance(a, ist.Log):
        parts = [[log.t, log.q, log.v, *(log[name] for name in log.names()), str(log)] for log in (a, b)]
        return equal(*parts)
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if scipy.sparse.issparse(a):
        return (a != b).nnz == 0
    return a is b or a == b


@pytest.mark.parametrize("kind", sorted(LOADERS.keys() - {"older log"}))
def test_flipped_bytes_are_noticed(made, tmp_path, kind):
    """400 flipped bytes, and one alone: refused, or in a gap that holds nothing."""
    load = LOADERS[kind][0]
    data, rng, path = (made / f"{kind}.h5").read_bytes(), random.Random(kind), tmp_path / "flipped.h5"
    truth = load(made / f"{kind}.h5")
    for count in [400] * 10 + [1] * 60:
        damaged = bytearray(data)
        for _ in range(count):
            damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            found = load(path)
        except FileError:
            continue
        assert count == 1 and equal(found, truth)


def test_flipped_bytes_of_large_arrays_are_noticed(tmp_path):
    path = write_hdf5(
        tmp_path / "a.h5", lambda f: put_array(f, "x", np.random.default_rng(1).random((300, 400))), "a"
    )
    data = bytearray(path.read_bytes())
    with opened(path, "a") as f:
        f.array("x", (300, 400))
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileError, match="damaged"), opened(path, "a") as f:
        f.array("x", (300, 400))


@pytest.mark.parametrize("kind", ["attribute", "dataset"])
def test_a_heap_without_an_end_is_refused(tmp_path, kind):
    """The HDF5 library (1.14) reads free space of no length in a heap of texts for ever."""
    path = tmp_path / "heap.h5"
    with h5py.File(path, "w") as f:
        f["x"] = ["a", "bc"]
        f["x"].attrs["names"] = "one\ntwo"

    def read():
        with opened(path, "thing") as f:
            return f.attribute("x", "names") if kind == "attribute" else f.texts("x")

    assert read() == ("one\ntwo" if kind == "attribute" else ["a", "bc"])
    data = bytearray(path.read_bytes())
    at = data.index(b"GCOL") + 16
    while data[at : at + 2] != b"\0\0":  # pieces that are used come before what is free
        at += 16 + (int.from_bytes(data[at + 8 : at + 16], "little") + 7) // 8 * 8
    data[at + 8 : at + 16] = bytes(8)
    path.write_bytes(data)
    with pytest.raises(FileError, match="heap of texts is damaged"):
        read()


def test_strings_that_share_their_bytes_are_counted(made, tmp_path):
    path = tmp_path / "texts.h5"
    path.write_bytes((made / "linear.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        f.create_dataset("names", (5000,), h5py.string_dtype())
        f["names"][0] = "x" * 1_000_000
        raw = f["names"].id
        where = raw.get_offset()
    data = bytearray(path.read_bytes())
    data[where : where + 16 * 5000] = data[where : where + 16] * 5000
    path.write_bytes(data)
    one_sentence(ist.LinearModel.load, path, "more than the file can hold")


@pytest.mark.parametrize("info", ["[1]", "3", "{" * 100_000, "[" * 100_000, '{"a": NaN}', '"' + "x" * 10, ""])
def test_the_record_of_a_run_is_checked(made, tmp_path, info):
    path = tmp_path / "a.h5"
    path.write_bytes((made / "older log.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        del f["INFO"]
        f["INFO"] = np.bytes_(info or b"\0")
    one_sentence(ist.Log.load, path)
    path.write_bytes((made / "log.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        del f["INFO"]
        f["INFO"] = np.frombuffer((info or "\0").encode(), np.uint8)
    one_sentence(ist.Log.load, path)


def test_names_come_back_as_they_were(made, tmp_path):
    names = [
        "a/b",
        "50%",
        "%2F",
        ".",
        "..",
        "[bold]x[/bold]",
        "[/red]",
        ":smile:",
        "é²🚀",
        " a ",
        "a\tb",
        "a|b",
    ]
    model = LinearModel(
        A=-np.eye(2),
        B=np.ones((2, 1)),
        C=np.ones((1, 2)),
        D=np.zeros((1, 1)),
        states=["a/b", "c"],
        state_index={name: np.array([0]) for name in names},
        extras={"x/y": {name: np.array([1.0, 2.0]) for name in names}},
        name="[bold]a/b",
    )
    for kind in ("h5", "npz", "mat"):
        model.save(tmp_path / f"m.{kind}")
        back = ist.LinearModel.load(tmp_path / f"m.{kind}")
        assert sorted(back.state_index) == sorted(names) and back.name == "[bold]a/b"
        assert back.states == ["a/b", "c"] and sorted(back.extras["x/y"]) == sorted(names)
        shown = CliRunner().invoke(app, ["info", str(tmp_path / f"m.{kind}")])
        assert shown.exit_code == 0 and "[bold]a/b" in shown.output and ":smile:" in shown.output
        assert "[bold]a/b" in report_file(tmp_path / f"m.{kind}").html()

    component = ist.Component.load(made / "component.h5")
    child = ChildBody("tank/LOX[/red]", 1.0, np.zeros(3), np.eye(3), 2, np.zeros(3))
    component = component.with_changes(
        name="[bold]bus/1", child_bodies=[child], provenance={"deck/file": "a"}, notes=["[/bold] note"]
    )
    component.save(tmp_path / "c.h5")
    back = ist.Component.load(tmp_path / "c.h5")
    assert back.name == "[bold]bus/1" and back.child_bodies[0].name == "tank/LOX[/red]"
    assert back.provenance["deck/file"] == "a"
    shown = CliRunner().invoke(app, ["info", str(tmp_path / "c.h5")])
    assert shown.exit_code == 0
    assert all(word in shown.output for word in ("[bold]bus/1", "tank/LOX[/red]", "[/bold] note"))
    report_file(tmp_path / "c.h5").html()

    for bad in ("nul\0", "a\0b", "\udc80"):
        with pytest.raises(InputError):
            component.with_changes(name=bad).save(tmp_path / "c.h5")
        with pytest.raises(InputError):
            LinearModel(**{k: getattr(model, k) for k in "ABCD"}, name=bad).save(tmp_path / "m.npz")


def test_names_of_logs_come_back(tmp_path):
    mb = ist.Multibody("[bold]veh/icle", gravity=[0, 0, -9.81])
    mb.add_body("a/rm[/red]", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    log = ist.simulate(system, system.state(), 0.03, 0.01)
    short = ist.simulate(system, system.state(), 0.03, 0.01, events=[ist.Event(at=0.0, action="stop")])
    for one in (log, short):
        one.save(tmp_path / "l.h5", {"sig/nal": (np.full(len(one.t), np.nan), "m/s")})
        back = ist.Log.load(tmp_path / "l.h5")
        assert back.system.bodies == ["a/rm[/red]"] and back.name == "[bold]veh/icle"
        assert back.names() == ["sig/nal"] and np.array_equal(back.t, one.t)
        page = report_file(tmp_path / "l.h5").html()
        assert "a/rm[/red]" in page
        for option in ([], ["--json"]):
            shown = CliRunner().invoke(app, ["info", *option, str(tmp_path / "l.h5")])
            assert shown.exit_code == 0 and "a/rm[/red]" in shown.output


@given(st.text(min_size=1).filter(lambda t: ("\0" not in t and t.isprintable()) or t == "%2F"))
def test_link_names_are_reversible(name):
    link = link_name(name)
    assert "/" not in link and link not in (".", "..") and plain_name(link) == name


def test_the_reader_reads_what_the_writer_wrote(tmp_path):
    def fill(f):
        put_text(f, "one", "é")
        put_texts(f, "many", ["a", "", "ccc"])
        f["big"] = np.arange(5, dtype=">f4")
        f["whole"] = np.uint64(7)
        f["huge"] = np.array([2**64 - 1], dtype=np.uint64)
        f.create_dataset("packed", data=np.zeros((300, 300)), compression="gzip", shuffle=True)

    path = write_hdf5(tmp_path / "a.h5", fill, "thing")
    with opened(path, "thing") as f:
        assert f.text("one") == "é" and f.texts("many") == ["a", "", "ccc"] and f.integer("whole") == 7
        assert f.array("big", (None,)).tolist() == [0, 1, 2, 3, 4]
        assert f.array("packed", (300, None)).shape == (300, 300)
        with pytest.raises(FileFault, match="too large"):
            f.array("huge", (1,), "i")
    for bad, words in ((tmp_path, "folder"), (tmp_path / "no.h5", "no such thing")):
        with pytest.raises(FileError, match=words), opened(bad, "thing"):
            pass


@pytest.mark.parametrize("kind", ["component", "linear", "log"])
def test_what_another_program_takes_out_of_a_file_is_missed(made, tmp_path, kind):
    """Also what a file may lack: it would be read as one that never had it."""
    load, path = LOADERS[kind][0], tmp_path / "less.h5"
    whole = (made / f"{kind}.h5").read_bytes()
    path.write_bytes(whole)
    names: list[str] = []
    with h5py.File(path, "r+") as f:
        f.visit(names.append)
        f["REMARK"] = 1.0  # what is put in is not looked at
    load(path)
    for name in names:
        path.write_bytes(whole)
        with h5py.File(path, "r+") as f:
            del f[name]
        one_sentence(load, path, f" of {len(names)} are there")
    path.write_bytes(whole)
    with h5py.File(path, "r+") as f:
        f.move(names[-1], f"{names[-1]}x")
    one_sentence(load, path, "other names")


@pytest.mark.parametrize("kind", LOADERS)
def test_mutated_files_give_typed_errors(made, tmp_path, kind):
    """A file read after such damage is read, or refused in one sentence."""
    load = LOADERS[kind][0]
    data, rng, path = (made / f"{kind}.h5").read_bytes(), random.Random(kind), tmp_path / "fuzz.h5"
    refused = 0
    for _ in range(80):
        path.write_bytes(changed_bytes(data, rng))
        try:
            load(path)
        except FileError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 5


@pytest.mark.parametrize(("many", "long"), [(3, 4), (60, 4), (120, 40)])
def test_logs_of_many_ports_are_written_and_read(many, long, tmp_path):
    """Texts on devices and columns beyond the 64 kB that a header of HDF5 holds."""
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=1.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    system = mb.compile()
    made = ist.Assembly("many", vehicle=system)
    names = [f"law{k:04d}_" + "of_a_long_name_" * long for k in range(many)]
    for name in names:
        made.add(name, lambda t: 0.5, out={"u": "N"}, every="10 ms")
    log = ist.simulate(made, system.state(), until=0.02, step=0.01, log=tmp_path / "many.h5")
    again = ist.load(tmp_path / "many.h5")
    assert list(again.names()) == list(log.names()) and np.array_equal(again.q, log.q)
    assert again[names[-1] + ".u"].tolist() == [0.5] * 3


def test_a_long_text_comes_back(tmp_path):
    text = "µ" * 40_000
    write_hdf5(tmp_path / "text.h5", lambda f: put_text(f, "TEXT", text), "text")
    with opened(tmp_path / "text.h5", "text") as f:
        assert f.text("TEXT") == text
