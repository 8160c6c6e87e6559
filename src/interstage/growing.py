"""HDF5 files that are still written, or whose writer was killed, seen as finished ones.

A writer in SWMR mode marks its file in the superblock and keeps the rest readable at any time. The library's own mode
for such files tries a damaged header a hundred times and sleeps twice as long each time: it hangs. Here the mark is
taken off, and the end of the file put in, in what the library is shown; the file itself is not touched, and damage is
found at once.

A writer holds room on the disk for what it will write (`Room`): the library does not survive a disk that fills up
under it.

Superblock of version 3: signature (8), version, sizes of addresses and lengths, marks, base, extension, end of file and
root (8 each), checksum (4). Source: HDF5 File Format Specification 3.0, II.A; Jenkins, lookup3.c.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from pathlib import Path

from interstage.reading import ANY_SIZE, plain_file

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SIZE = 48
_MARKS, _END, _SUM = 11, 28, 44
_WORD = 0xFFFFFFFF


class Finished(io.RawIOBase):
    """A file as its writer would have finished it: read only, for h5py's driver of file objects."""

    def __init__(self, path: Path, head: bytes):
        super().__init__()
        self.file = open(path, "rb")  # noqa: SIM115  closed with this object
        self.head, self.at = head, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.at = self.file.seek(offset, whence)
        return self.at

    def tell(self) -> int:
        return self.at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        view = memoryview(buffer).cast("B")
        self.file.seek(self.at)
        count = self.file.readinto(view)
        if self.at < SIZE:
            part = self.head[self.at : self.at + count]
            view[: len(part)] = part
        self.at += count
        return count

    def close(self) -> None:
        self.file.close()
        super().close()


def finished(path: Path) -> Finished | None:
    """Return a marked file as a finished one, None where it has no mark and is opened as any other."""
    head = _marked_head(path)
    if head is None:
        return None
    if lookup3(bytes(head[:_SUM])) != int.from_bytes(head[_SUM:], "little"):
        return None  # damaged: the library says so
    head[_MARKS] = 0
    head[_END : _END + 8] = path.stat().st_size.to_bytes(8, "little")
    head[_SUM:] = lookup3(bytes(head[:_SUM])).to_bytes(4, "little")
    return Finished(path, bytes(head))


class Room:
    """Bytes on the disk that a growing file has to itself, beyond what is in it."""

    STEP = 1 << 18  # bytes that are taken at once, at least

    def __init__(self, path: Path):
        self.path = path
        self.file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0))
        self.end = os.fstat(self.file).st_size

    def hold(self, end: int, ahead: bool = True) -> None:
        """Take room up to an end, and some more for later where there is any; OSError where there is none."""
        # the library may have cut what it does not know of
        self.end = min(self.end, os.fstat(self.file).st_size)
        if end <= self.end:
            return
        if ahead and end < self.end + self.STEP:
            try:
                return self._take(self.end + self.STEP)
            except OSError:
                pass  # what is needed may be there
        self._take(end)

    def _take(self, end: int) -> None:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self.file, self.end, end - self.end)
        else:  # nothing is written over: what is in the file ends before
            at = max(self.end, os.fstat(self.file).st_size)
            os.lseek(self.file, at, os.SEEK_SET)
            while at < end:
                at += os.write(self.file, bytes(min(1 << 20, end - at)))
        self.end = end

    def give_back(self) -> None:
        """Give back what a finished file does not need."""
        os.lseek(self.file, 0, os.SEEK_SET)
        head = os.read(self.file, SIZE)
        end = int.from_bytes(head[_END : _END + 8], "little")
        if len(head) == SIZE and head[:9] == SIGNATURE + b"\x03" and SIZE < end < self.end:
            with suppress(OSError):
                os.ftruncate(self.file, end)
        os.close(self.file)


def is_marked(path: Path) -> bool:
    """Return whether a writer has marked a file as its own, which it takes back when it is finished."""
    return _marked_head(path) is not None


def _marked_head(path: Path) -> bytearray | None:
    with plain_file(path, "HDF5 file", ANY_SIZE) as f:
        head = bytearray(f.read(SIZE))
    marked = len(head) == SIZE and head[:8] == SIGNATURE and head[8] == 3 and head[_MARKS]
    return head if marked else None


def lookup3(data: bytes) -> int:
    """Return the checksum of the library's headers.

    >>> hex(lookup3(b"Four score and seven years ago"))  # of lookup3.c itself
    '0x17770551'
    """
    a = b = c = (0xDEADBEEF + len(data)) & _WORD
    last = max((len(data) - 1) // 12 * 12, 0)
    for k in range(0, last, 12):
        a, b, c = (x + y & _WORD for x, y in zip((a, b, c), _words(data[k : k + 12])))
        for turn in (4, 6, 8, 16, 19, 4):
            a = (a - c & _WORD) ^ _rotated(c, turn)
            a, b, c = b, c + b & _WORD, a
    if not data:
        return c
    a, b, c = (x + y & _WORD for x, y in zip((a, b, c), _words(data[last:].ljust(12, b"\0"))))
    for turn in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - _rotated(b, turn) & _WORD
        a, b, c = b, c, a
    return b


def _words(data: bytes) -> tuple[int, int, int]:
    return tuple(int.from_bytes(data[k : k + 4], "little") for k in (0, 4, 8))  # type: ignore[return-value]


def _rotated(x: int, turn: int) -> int:
    return (x << turn | x >> 32 - turn) & _WORD
