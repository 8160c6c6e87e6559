"""Tell files apart by what they hold, and load any of ours: `load(path)`.

A kind of file is one row of `KINDS`; its room has the format, and a class with `save(path)` and `load(path)`. Names of
files are not trusted: a kind is told by the bytes at the front, then by FORMAT, or by entries that files of other
tools have too.
"""

from __future__ import annotations

import stat
import zipfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import h5py

from interstage.calls import named_arguments
from interstage.errors import FileError, shown
from interstage.growing import is_marked
from interstage.hdf5 import opened
from interstage.output import as_path, found_at, is_file, is_folder, read_json, reason

if TYPE_CHECKING:
    from interstage.component import Component
    from interstage.linear import LinearModel, LinearModelSet
    from interstage.mass import MassBody
    from interstage.multibody import Multibody
    from interstage.simulation import Log
    from interstage.simulation.run.checkpoint import Checkpoint
    from interstage.studies import Study


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    name, words : as in "log", "simulation log";  door : module and class whose `load(path)` reads it
    made_by : call that writes it;  containers : what it may be packed in
    format : what its FORMAT says;  older : what it said in files of earlier versions
    marks : entries that tell it where there is no FORMAT
    """

    name: str
    words: str
    door: str
    made_by: str
    containers: tuple[str, ...] = ("hdf5",)
    format: str = ""
    marks: tuple[str, ...] = ()
    older: tuple[str, ...] = ()

    def load(self, path: str | Path) -> object:
        """Read a file of this kind."""
        module, _, name = self.door.partition(":")
        return getattr(import_module(module), name).load(path)


COMPONENT = FileKind(
    "component",
    "component file",
    "interstage.component:Component",
    "component.save(path)",
    marks=("ModalSolution", "RigidBody"),
)
LINEAR = FileKind(
    "linear",
    "linear-model file",
    "interstage.linear:LinearModel",
    "lin.save(path)",
    ("hdf5", "mat", "zip"),
    "interstage linear model",
    tuple("ABCD"),
)
LINEAR_SET = FileKind(
    "linear set",
    "set of linear models",
    "interstage.linear:LinearModelSet",
    "models.save(path)",
    format="interstage linear models",
)
MULTIBODY = FileKind(
    "multibody",
    "multibody file",
    "interstage.multibody:Multibody",
    "mb.save(path)",
    format="interstage multibody",
)
LOG = FileKind(
    "log",
    "simulation log",
    "interstage.simulation:Log",
    "simulate(…, log=path), log.save(path)",
    format="interstage flight",
    older=("interstage-log",),
)
CHECKPOINT = FileKind(
    "checkpoint",
    "checkpoint",
    "interstage.simulation.run.checkpoint:Checkpoint",
    "simulate(assembly, …, checkpoint=…)",
    format="interstage checkpoint",
)
MASS_TREE = FileKind(
    "mass tree",
    "mass tree",
    "interstage.mass:MassBody",
    "body.save(path)",
    ("json",),
    "interstage mass tree",
)
STUDY = FileKind(
    "study",
    "summary of a study",
    "interstage.studies:Study",
    "monte_carlo(…, folder=…)",
    format="interstage study",
)
KINDS = (COMPONENT, MULTIBODY, LINEAR, LINEAR_SET, LOG, CHECKPOINT, MASS_TREE, STUDY)
EXPECTED = ", ".join(f"a {kind.words} ({kind.made_by})" for kind in KINDS)

# first bytes of files that people confuse with ours
_FOREIGN = (
    (b"\x89PNG", "a PNG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x80\x02", "a Python pickle, which is never read"),
    (b"\x80\x03", "a Python pickle, which is never read"),
    (b"\x80\x04", "a Python pickle, which is never read"),
    (b"\x80\x05", "a Python pickle, which is never read"),
    (b"\x04\0\0\0\x03\0\0\0\x04\0\0\0", "a NASTRAN op2 file"),
    (b"\x93NUMPY", "one numpy array"),
    (b"<", "a page of HTML or XML"),
)
_DECK = ("BEGIN BULK", "CEND", "\nGRID", "\nSOL ", "\nCORD", "\nINCLUDE", "\nENDDATA")


@named_arguments
def load(
    path: str | Path,
) -> Component | Multibody | LinearModel | LinearModelSet | Log | Checkpoint | MassBody | Study:
    """Read any file that Interstage writes: component, vehicle, linear model, simulation log, mass tree, study.

    What it is, is told by its content; a folder is that of a study. The classes have the same door with options of
    their own: `Component.load`, `Multibody.load`, `LinearModel.load`, `Log.load`, `MassBody.load`.
    """
    return file_kind(path).load(path)  # type: ignore[return-value]


def file_kind(path: str | Path) -> FileKind:
    """Return the kind of a file; one that is none of ours is one sentence."""
    kind, words = _look(as_path(path))
    if kind is None:
        raise FileError(f"this is {words}", where=str(path), expected=EXPECTED)
    return kind


def expect(path: str | Path, kind: FileKind) -> str:
    """Return what a file is packed in; refuse one that is surely of another kind, in words."""
    path = as_path(path, kind.words)
    packed, words = container(path)
    if packed in kind.containers:
        try:
            found, words = _look(path)
        except FileError:  # damaged: its own reader says where
            return packed
        if found is kind or found is None:
            return packed
        hint = f"{found.door.partition(':')[2]}.load reads it, and ist.load any file"
    else:
        hint = None
    raise FileError(f"this is {words}, not a {kind.words}", where=str(path), hint=hint)


def check_version(version: float, known: int, kind: FileKind, path: str | Path) -> None:
    """Refuse a schema version that is newer than the known one, or none."""
    if version > known:
        raise FileError(
            f"the {kind.words} is from a newer version",
            where=str(path),
            expected=f"schema version {known}",
            got=f"{version:g}",
            hint="update Interstage",
        )
    if version < 1 or version != int(version):
        raise FileError(
            f"the {kind.words} has an unknown schema version",
            where=str(path),
            expected=f"1 to {known}" if known > 1 else "1",
            got=f"{version:g}",
        )


def container(path: Path) -> tuple[str, str]:
    """Return what a file is packed in ("hdf5", "mat", "zip", "json" or "") and words for what it is."""
    try:
        found = found_at(path)
        if found is None:
            raise FileError("there is no such file", where=str(path))
        if stat.S_ISDIR(found.st_mode):
            return "", "a folder"
        if not stat.S_ISREG(found.st_mode):
            return "", "no file, but a device or pipe"
        with open(path, "rb") as f:
            head = f.read(1 << 14)
    except OSError as error:
        raise FileError("the file cannot be read", where=shown(str(path)), got=reason(error)) from None
    if not head:
        return "", "an empty file"
    if head[:6] == b"MATLAB" or head[124:128] in (b"\0\x01IM", b"\x01\0MI"):
        return "mat", "a MATLAB file"
    if h5py.is_hdf5(path):
        return "hdf5", "an HDF5 file of another kind"
    if head[:4] == b"PK\x03\x04":
        return "zip", "a zip archive"
    if head.lstrip()[:1] in (b"{", b"["):
        return "json", "a JSON file of another kind"
    return "", _foreign(head)


def _foreign(head: bytes) -> str:
    """Say what a file is that is packed in nothing of ours."""
    for start, words in _FOREIGN:
        if head.startswith(start):
            return words
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        text = "" if error.start < len(head) - 4 else head[: error.start].decode("utf-8")
    if not text or any(ord(c) < 9 for c in text):
        return "a binary file of another kind"
    if any(word in "\n" + text.upper() for word in _DECK):
        return "a NASTRAN deck, which 'interstage check', ist.read_deck and ist.Component.from_deck read"
    return "a text file"


def is_deck(path: Path) -> bool:
    """Say whether a file looks like a NASTRAN deck."""
    return is_file(path) and container(path)[1].startswith("a NASTRAN deck")


def _look(path: Path) -> tuple[FileKind | None, str]:
    """Return the kind of a file, or None, and words for what it is."""
    packed, words = container(path)
    found: FileKind | None = None
    if is_folder(path):
        found = STUDY if is_study_folder(path) else None
    elif packed == "mat":
        found = LINEAR
    elif packed == "hdf5":
        found, words = _in_hdf5(path)
    elif packed == "zip":
        found, words = _in_zip(path)
    elif packed == "json":
        data = read_json(path)
        says = data.get("format") if isinstance(data, dict) else None
        found = next((k for k in KINDS if "json" in k.containers and k.format == says), None)
    return found, words if found is None else f"a {found.words}"


def is_study_folder(path: Path) -> bool:
    """Return whether a path is the folder of a study: it has the table of runs, or their summary."""
    return is_folder(path) and any(is_file(path / name) for name in ("design.h5", "summary.h5"))


def _in_hdf5(path: Path) -> tuple[FileKind | None, str]:
    if _unfinished(path):
        return LOG, ""
    with opened(path, "HDF5 file") as f:
        says = f.text("FORMAT") if f.is_dataset("FORMAT") else None
        for kind in KINDS:
            if "hdf5" in kind.containers and says is not None and says in (kind.format, *kind.older):
                return kind, ""
        if all(f.is_dataset(name) for name in LINEAR.marks):
            return LINEAR, ""
        if any(f.has(name) for name in COMPONENT.marks):
            return COMPONENT, ""
        names = f.names()
    shown = ", ".join(repr(name) for name in names[:6]) + (", ..." if len(names) > 6 else "")
    return None, f"an HDF5 file of another kind, with {shown}" if names else "an HDF5 file with nothing in it"


def _unfinished(path: Path) -> bool:
    """Return whether a file is a log that its writer has not finished."""
    if not is_marked(path):
        return False
    try:
        with opened(path, LOG.words, growing=True) as f:
            return f.text("FORMAT") == LOG.format
    except FileError:
        return False


def _in_zip(path: Path) -> tuple[FileKind | None, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except Exception as error:  # damage shows in many types of exceptions
        return None, f"a damaged zip archive ({reason(error)})"
    ours = all(f"{letter}.npy" in names for letter in LINEAR.marks)
    return (LINEAR if ours else None), "a zip archive of other things"
