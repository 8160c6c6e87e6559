"""HDF5 files: written whole, and read as files that nobody vouches for.

Everything that is read from an HDF5 file goes through `opened` and its `Group`. Nothing outside the file is followed
(external links, raw external storage, virtual datasets; soft links neither), a size is believed only where the file
has the bytes for it, groups that hold each other are refused, and every fault is one sentence (FileError).

Every number that is written lies under a checksum of the HDF5 library itself, which any reader tests: headers have one
since version 1.8 of the format, small datasets lie in their headers, larger ones in chunks with Fletcher's sum. The
attribute CONTENTS of the root says how many groups and datasets there are, and has a sum of their names: a file out of
which another program took something is refused, not read as one that never had it. Files of 0.1.0 have none.

Names of groups and datasets may hold any text: `/`, `%`, a lone `.` are written as %2F, %25, %2E.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import FileError, InputError, InterstageError
from interstage.growing import finished
from interstage.interrupts import dropped_interrupts_heard
from interstage.output import as_path, is_file, is_folder, utf8, write_bytes

CONTENTS = "CONTENTS"  # attribute of the root
HEAP = b"GCOL\x01\0\0\0"  # what heaps of texts of variable length begin with
COMPRESSION_LIMIT = 100  # largest ratio of declared to stored bytes that is believed where much is declared
PACKED = 1 << 24  # bytes of a compressed dataset up to which the largest ratio of zlib, 1032, is believed
SMALL = 1 << 16  # bytes of a dataset that need no proof
IN_HEADER = 60_000  # bytes of a dataset that are written into its header, which holds 64 kB
CHUNK = 1 << 20  # bytes of a chunk of a larger one
DEEPEST = 32  # groups inside groups
MOST_TEXTS = 1_000_000
_LINKS = h5py.h5p.create(h5py.h5p.LINK_CREATE)
_LINKS.set_create_intermediate_group(True)
_LINKS.set_char_encoding(h5py.h5t.CSET_UTF8)
_FILTERS = {1, 2, 3, 4, 5, 6, 32000}  # those of the HDF5 library itself, and lzf
_PLAIN = {2, 3}  # filters that do not make data smaller: shuffle and Fletcher's sum
_COMPACT = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
_COMPACT.set_layout(h5py.h5d.COMPACT)


# writing --------------------------------------------------------------------------------------------------


def write_hdf5(path: str | os.PathLike, fill: Callable[[h5py.File], None], what: str) -> Path:
    """Write an HDF5 file, whole or not at all: `fill(file)` puts everything in.

    The file is made in memory first: the library does not survive a disk that fills up under it.
    """
    return write_bytes(path, file_image(fill, what), what)


@dropped_interrupts_heard()  # h5py drops one that falls into its callbacks
def file_image(fill: Callable[[h5py.File], None], what: str) -> bytes:
    """Return the bytes of an HDF5 file in which `fill(file)` puts everything.

    The format is that of HDF5 1.8, of 2008: readers as old as that understand it, and it has checksums.
    """
    memory = {"driver": "core", "backing_store": False, "block_size": 1 << 22}
    with h5py.File(f"{what} {secrets.token_hex(8)}", "w", libver=("v108", "v108"), **memory) as f:
        fill(f)
        seal(f)
        f.flush()
        return f.id.get_file_image()


def seal(f: h5py.File) -> None:
    """Note in a file which groups and datasets it has, when the last one is made."""
    put_attribute(f, CONTENTS, _contents(f.id))


def _contents(gid: Any) -> str:
    """Return how many groups and datasets there are below a group, and a sum of their names."""
    names: list[bytes] = []
    gid.links.visit(names.append)
    return f"{len(names)} {hashlib.sha256(bytes(0).join(b'%d %b' % (len(n), n) for n in sorted(names))).hexdigest()}"


def put_array(group: h5py.Group, name: str, value: ArrayLike) -> None:
    """Write numbers or bytes; the low-level calls are several times quicker than `group[name] = value`."""
    array = np.asarray(value, order="C")
    kind = _kind(array.dtype)
    made = h5py.h5d.create(group.id, name.encode(), kind, _space(array.shape), creation_of(array), _LINKS)
    if array.size:
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, array, kind)


@lru_cache(maxsize=256)
def _kind(dtype: np.dtype) -> Any:
    """Return the type of HDF5 for numbers or bytes; to make it and a space takes as long as to write a few numbers."""
    return h5py.h5t.py_create(dtype, logical=True)


@lru_cache(maxsize=256)
def _space(shape: tuple[int, ...]) -> Any:
    """Return the space of HDF5 for a shape."""
    return h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)


def creation_of(array: np.ndarray) -> h5py.h5p.PropDCID:
    """Return how a dataset is laid down so that a checksum guards it: in its header, or in chunks with sums.

    Cost: a fifth of the time to write many small datasets or to write or read a large one; no bytes.
    """
    if array.nbytes <= IN_HEADER:
        return _COMPACT
    chunks: list[int] = []
    left = CHUNK
    for length in reversed(array.shape):  # whole rows, as many as fit
        item = array.itemsize if not chunks else 1
        chunks.append(max(1, min(length, left // item)))
        left //= chunks[-1] * item
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_chunk(tuple(reversed(chunks)))
    made.set_fletcher32()
    return made


def put_text(group: h5py.Group, name: str, text: str) -> None:
    """Write a scalar string of fixed length, which every HDF5 reader understands."""
    data = encoded(text, name)
    array = np.array(data, dtype=f"S{max(len(data), 1)}")
    put_array(group, name, array if array.nbytes <= IN_HEADER else array[None])  # chunks need an axis


def put_texts(group: h5py.Group, name: str, texts: Sequence[str]) -> None:
    """Write a list of strings of one fixed length."""
    data = [encoded(text, name) for text in texts]
    width = max((len(part) for part in data), default=1)
    put_array(group, name, np.array(data, dtype=f"S{max(width, 1)}"))


def put_attribute(made: h5py.Dataset | h5py.Group, name: str, text: str) -> None:
    """Write a text as an attribute, of fixed length where it fits into a header: no heap has to be read for it."""
    data = encoded(text, name)
    if len(data) > IN_HEADER:
        made.attrs[name] = text
        return
    array = np.array(data, dtype=f"S{max(len(data), 1)}")
    kind = _kind(array.dtype)
    h5py.h5a.create(made.id, name.encode(), kind, _space(())).write(array, kind)


def encoded(text: str, where: str) -> bytes:
    """Return text as UTF-8; what no file gives back as it was is refused."""
    data = utf8(text)
    if data is None:
        raise InputError("a text has characters that are no Unicode", where=where, got=ascii(text))
    if b"\0" in data:
        raise InputError("a text cannot hold the character NUL", where=where, got=ascii(text))
    return data


def link_name(name: str) -> str:
    """Return a name as that of a group or dataset: a path has `/` and `.` of its own.

    >>> link_name("tank/LOX 90%"), plain_name("tank%2FLOX 90%25")
    ('tank%2FLOX 90%25', 'tank/LOX 90%')
    """
    name = encoded(str(name), "name").decode("utf-8")
    if not name:
        raise InputError("a name cannot be empty", where="HDF5 file")
    name = name.replace("%", "%25").replace("/", "%2F")
    return name if name.strip(".") else name.replace(".", "%2E")


def plain_name(link: str) -> str:
    """Return the name that `link_name` wrote."""
    return re.sub("%(25|2F|2E)", lambda found: bytes.fromhex(found[1]).decode(), link)


# reading --------------------------------------------------------------------------------------------------


class FileFault(Exception):
    """A fault in the file, said in one clause."""


@contextmanager
def opened(
    path: str | os.PathLike, what: str, hint: str | None = None, growing: bool = False
) -> Iterator[Group]:
    """Open a file that nobody vouches for; whatever goes wrong inside is a FileError on "the `what`".

    growing : it may still be written, or its writer may have been killed
    """
    path = as_path(path, what)
    if is_folder(path):
        raise FileError(f"a folder is not a {what}", where=str(path))
    if not is_file(path):
        raise FileError(f"there is no such {what}", where=str(path))
    try:
        with ExitStack() as stack:
            seen = finished(path) if growing else None
            source = path if seen is None else stack.enter_context(seen)
            stack.enter_context(dropped_interrupts_heard())
            f = stack.enter_context(h5py.File(source, "r"))
            _check_contents(f.id)
            yield Group(f.id, "", Budget(path.stat().st_size, path))
    except FileFault as fault:
        raise FileError(str(fault), where=str(path), hint=hint) from None
    except FileError:
        raise
    except MemoryError:
        raise FileError(f"the {what} asks for more memory than there is", where=str(path)) from None
    except InterstageError as error:
        raise FileError(f"the {what} does not hold together: {error}", where=str(path)) from None
    except RecursionError:
        raise FileError(f"the {what} is nested too deeply", where=str(path)) from None
    except Exception as error:
        # the HDF5 library reports damage by many types of exceptions, all of which mean the same to the user
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileError(
            f"this is no readable {what}: it is damaged, truncated or of another kind",
            where=str(path),
            got=first[:160],
            hint=hint,
        ) from None


def _check_contents(gid: Any) -> None:
    """Refuse a file out of which another program took groups or datasets; what it put in besides is not looked at."""
    if not h5py.h5a.exists(gid, CONTENTS.encode()):
        return
    noted = h5py.h5a.open(gid, CONTENTS.encode())
    if noted.shape != () or noted.dtype.kind != "S" or noted.dtype.itemsize > 200:
        raise FileFault(f"the attribute {CONTENTS} of the file is damaged")
    value = np.zeros((), dtype=noted.dtype)
    noted.read(value)
    written, here = value.item().decode(errors="replace"), _contents(gid)
    before, now = written.partition(" ")[0], here.partition(" ")[0]
    if not before.isdigit() or len(before) > 9:
        raise FileFault(f"the attribute {CONTENTS} of the file is damaged")
    if int(now) < int(before):
        raise FileFault(
            f"another program took groups or datasets out of the file: {now} of {before} are there"
        )
    if now == before and written != here:
        raise FileFault("another program gave groups or datasets of the file other names")


class Budget:
    """Bytes that may still be read from one file: many names for one dataset do not make a file large."""

    def __init__(self, size: int, path: Path):
        self.size, self.left = size, (1 << 26) + COMPRESSION_LIMIT * size
        self._path: Path | None = path  # until its heaps were looked at

    def check_heaps(self) -> None:
        """Refuse a heap of texts with free space of no length: the HDF5 library would never reach its end."""
        if self._path is None:
            return
        with open(self._path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
            steps, at = len(data) // 16, data.find(HEAP)
            while at >= 0:
                end, k = min(len(data), at + int.from_bytes(data[at + 8 : at + 16], "little")), at + 16
                while k + 16 <= end:
                    number, length = (
                        int.from_bytes(data[i:j], "little") for i, j in ((k, k + 2), (k + 8, k + 16))
                    )
                    steps -= 1  # heaps that lie over one another are none
                    if steps < 0 or (number == 0 and length < 16):
                        raise FileFault("a heap of texts is damaged")
                    k += length if number == 0 else 16 + (length + 7) // 8 * 8
                at = data.find(HEAP, at + len(HEAP))
        self._path = None

    def take(self, count: int, label: str) -> None:
        self.left -= count
        if self.left < 0:
            raise FileFault(f"'{label}' declares more than the file can hold")


class Group:
    """Checked access to one group; names are as the file has them, one step at a time."""

    def __init__(self, gid: Any, label: str, budget: Budget, above: tuple = ()):
        self.gid, self.label, self.budget = gid, label, budget
        self.above = (*above, _address(gid))
        if len(self.above) > DEEPEST:
            raise FileFault(f"'{label}' is nested too deeply")

    def has(self, name: str) -> bool:
        return self.gid.links.exists(name.encode())

    def names(self) -> list[str]:
        return [link.decode("utf-8", errors="surrogateescape") for link in self.gid]

    def child(self, name: str) -> Group:
        item = self._item(name)
        if not isinstance(item, h5py.h5g.GroupID):
            raise FileFault(f"'{self.label}{name}' is a dataset where a group belongs")
        if _address(item) in self.above:
            raise FileFault(f"'{self.label}{name}' holds itself")
        return Group(item, f"{self.label}{name}/", self.budget, self.above)

    def is_dataset(self, name: str) -> bool:
        return self.has(name) and isinstance(self._item(name), h5py.h5d.DatasetID)

    def _item(self, name: str) -> Any:
        link = name.encode("utf-8", errors="surrogateescape")
        if b"/" in link or not self.gid.links.exists(link):
            raise FileFault(f"'{self.label}{name}' is missing")
        if self.gid.links.get_info(link).type != h5py.h5l.TYPE_HARD:
            raise FileFault(f"'{self.label}{name}' is a link to elsewhere, which is not followed")
        return h5py.h5o.open(self.gid, link)

    def dataset(self, name: str) -> h5py.Dataset:
        """Return a dataset whose bytes are in this file, in the size that it declares."""
        item = self._item(name)
        label = f"{self.label}{name}"
        if not isinstance(item, h5py.h5d.DatasetID):
            raise FileFault(f"'{label}' is a group where a dataset belongs")
        plist = item.get_create_plist()
        layout = plist.get_layout()
        if layout == h5py.h5d.VIRTUAL or plist.get_external_count():
            raise FileFault(f"'{label}' keeps its data in another file, which is not followed")
        if item.get_space().get_simple_extent_type() == h5py.h5s.NULL:
            raise FileFault(f"'{label}' is empty")
        filters = {plist.get_filter(k)[0] for k in range(plist.get_nfilters())}
        if not filters <= _FILTERS:
            raise FileFault(f"'{label}' is compressed by a method that is not known")
        width = item.get_type().get_size()
        chunk = _product(plist.get_chunk()) * width if layout == h5py.h5d.CHUNKED else 0
        size, limit = _product(item.shape) * width, _believed(item.get_storage_size(), filters <= _PLAIN)
        # a writer that was killed leaves a chunk or two that did not come to the disk
        if size and (chunk > limit or size > limit + 2 * chunk):
            raise FileFault(f"'{label}' declares a shape {item.shape} for which the file has no data")
        self.budget.take(size, label)
        return h5py.Dataset(item)

    def array(
        self, name: str, shape: Sequence[int | None], kind: str = "f", finite: bool = True
    ) -> np.ndarray:
        """Read numbers of a checked shape (None: any length); kind 'f' or 'i'."""
        item = self.dataset(name)
        if item.dtype.kind not in ("fiu" if kind == "f" else "iu"):
            raise FileFault(f"'{self.label}{name}' holds {item.dtype} where numbers belong")
        if len(item.shape) != len(shape) or any(w is not None and w != g for w, g in zip(shape, item.shape)):
            wanted = tuple("any" if w is None else w for w in shape)
            raise FileFault(f"'{self.label}{name}' has shape {item.shape} where {wanted} belongs")
        found = item[()]
        if kind == "i" and found.dtype.kind == "u" and found.size and int(found.max()) >= 2**63:
            raise FileFault(f"'{self.label}{name}' holds integers that are too large")
        with np.errstate(over="ignore"):
            value = np.asarray(found, dtype=float if kind == "f" else np.int64)
        if finite and kind == "f" and not np.all(np.isfinite(value)):
            raise FileFault(f"'{self.label}{name}' holds values that are not finite")
        return value

    def rows(self, names: Sequence[object], shape: tuple[int, ...]) -> np.ndarray:
        """Read many datasets of one shape into (len(names), *shape), quicker than one by one."""
        out = np.empty((len(names), *shape))
        self.budget.take(out.nbytes, self.label)
        for k, name in enumerate(names):
            link = str(name).encode()
            if not self.gid.links.exists(link) or self.gid.links.get_info(link).type != h5py.h5l.TYPE_HARD:
                self._item(str(name))
            item = h5py.h5o.open(self.gid, link)
            if not isinstance(item, h5py.h5d.DatasetID) or not self._plain(item, shape):
                out[k] = self.array(str(name), shape)
                continue
            item.read(h5py.h5s.ALL, h5py.h5s.ALL, out[k])
        if not np.isfinite(out).all():
            bad = np.flatnonzero(~np.isfinite(out.reshape(len(names), -1)).all(axis=1))[0]
            raise FileFault(f"'{self.label}{names[bad]}' holds values that are not finite")
        return out

    @staticmethod
    def _plain(item: Any, shape: tuple[int, ...]) -> bool:
        """Tell whether a dataset is a plain block of reals of that shape, which needs no further check."""
        plist = item.get_create_plist()
        return (
            item.shape == shape
            and plist.get_layout() in (h5py.h5d.CONTIGUOUS, h5py.h5d.COMPACT)
            and not plist.get_external_count()
            and isinstance(item.get_type(), h5py.h5t.TypeFloatID)
            and item.get_storage_size() >= _product(shape) * item.get_type().get_size()
        )

    def number(self, name: str) -> float:
        item = self.dataset(name)
        if item.shape not in ((), (1,), (1, 1)) or item.dtype.kind not in "fiu":
            raise FileFault(f"'{self.label}{name}' is not one number")
        value = float(np.ravel(item[()])[0])
        if not np.isfinite(value):
            raise FileFault(f"'{self.label}{name}' is not finite")
        return value

    def integer(self, name: str) -> int:
        value = self.number(name)
        if value != int(value) or abs(value) > 2**53:
            raise FileFault(f"'{self.label}{name}' is {value:g} where a whole number belongs")
        return int(value)

    def text(self, name: str) -> str:
        item = self.dataset(name)
        if item.shape not in ((), (1,)):
            raise FileFault(f"'{self.label}{name}' is not one string")
        return self._texts(item, name)[0]

    def texts(self, name: str) -> list[str]:
        return self._texts(self.dataset(name), name)

    def fixed_texts(self, name: str, width: int) -> np.ndarray:
        """Read texts of a fixed number of bytes as they lie in the file (n,)."""
        item = self.dataset(name)
        if item.dtype != np.dtype(f"S{width}") or len(item.shape) != 1:
            raise FileFault(f"'{self.label}{name}' does not hold texts of {width} bytes")
        return np.asarray(item[()])

    def attribute(self, name: str, key: str) -> str:
        """Return the text that a dataset has as an attribute."""
        item = self.dataset(name)
        dtype = item.attrs.get_id(key).dtype if key in item.attrs else np.dtype(float)
        if h5py.check_string_dtype(dtype) is None:
            raise FileFault(f"'{self.label}{name}' has no text '{key}'")
        if dtype.kind != "S":  # of variable length, in a heap
            self.budget.check_heaps()
        found = item.attrs[key]
        return found.decode("utf-8", errors="replace") if isinstance(found, bytes) else str(found)

    def _texts(self, item: h5py.Dataset, name: str) -> list[str]:
        """Strings of fixed or variable length, one after the other."""
        label = f"{self.label}{name}"
        if h5py.check_string_dtype(item.dtype) is None:
            raise FileFault(f"'{label}' is not a string")
        if item.size > MOST_TEXTS:
            raise FileFault(f"'{label}' has too many strings")
        if item.dtype.kind == "S":
            found = np.ravel(item[()]).tolist()
        else:
            # strings of variable length: any number of them can share the bytes of one
            self.budget.check_heaps()
            found, left = [], self.budget.size
            for place in np.ndindex(item.shape):
                found.append(item[place])
                left -= len(found[-1])
                if left < 0:
                    raise FileFault(f"'{label}' declares more than the file can hold")
        words = [t.decode("utf-8", errors="replace") if isinstance(t, bytes) else str(t) for t in found]
        if any("\0" in word for word in words):
            raise FileFault(f"'{label}' holds the character NUL")
        return words

    def tree(self, seen: set | None = None) -> dict[str, Any]:
        """Read all there is: groups as dictionaries, texts, lists of texts, numbers and arrays."""
        seen = {_address(self.gid)} if seen is None else seen
        out: dict[str, Any] = {}
        for link in self.names():
            item = self._item(link)
            if isinstance(item, h5py.h5g.GroupID):
                if _address(item) in seen:
                    raise FileFault(
                        f"'{self.label}{link}' is a group that the file has under another name too"
                    )
                seen.add(_address(item))
                out[plain_name(link)] = self.child(link).tree(seen)
            else:
                out[plain_name(link)] = self._value(link)
        return out

    def _value(self, name: str) -> Any:
        item = self.dataset(name)
        if h5py.check_string_dtype(item.dtype) is not None:
            words = self._texts(item, name)
            return words if item.shape else words[0]
        if item.dtype.kind not in "biufc":
            raise FileFault(f"'{self.label}{name}' holds {item.dtype} where numbers or texts belong")
        value = item[()]
        return value if value.ndim else value.item()


def _believed(stored: int, plain: bool) -> int:
    """Return how many bytes a dataset may declare that has so many in the file."""
    if plain:
        return max(SMALL, stored)
    return max(SMALL, COMPRESSION_LIMIT * stored, min(PACKED, 1100 * stored))


def _address(gid: Any) -> tuple[int, int]:
    found = h5py.h5o.get_info(gid)
    return found.fileno, found.addr


def _product(shape: Sequence[int]) -> int:
    """Number of elements, in integers that do not overflow."""
    out = 1
    for length in shape:
        out *= int(length)
    return out
