"""Read files that nobody vouches for, within bounds that are checked before memory is taken.

What is no plain file (a folder, a pipe, a device) is refused without waiting for it, and so is a file that is larger
than its kind can be. The size is that of the open file: another one put in its place meanwhile changes nothing.
"""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from interstage.errors import FileError
from interstage.output import as_path, reason

MIB = 1 << 20
MOST = 1024 * MIB  # bytes of a file without a bound of its own
LARGE = 16 * MOST  # of results of a solver
ANY_SIZE = 1 << 62  # of what is not read into memory
MOST_TABLE = 256 * MIB  # of tables and gravity fields, as text

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def plain_file(path: object, what: str, most: int = MOST) -> BinaryIO:
    """Open a plain file of at most so many bytes for reading; anything else is one sentence.

    A pipe is not waited for: nobody may ever write into it.
    """
    file = as_path(path, what)
    try:
        # without blocking: opening a pipe waits for a writer otherwise
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise FileError(f"the {what} cannot be read", where=str(file), got=reason(error)) from None
    status = os.fstat(handle)
    kind = next((words for test, words in _KINDS if test(status.st_mode)), None)
    if kind is not None or status.st_size > most:
        os.close(handle)
        if kind is not None:
            raise FileError(f"the {what} cannot be read", where=str(file), expected="a plain file", got=kind)
        raise FileError(
            f"the {what} is too large",
            where=str(file),
            expected=f"at most {most / MIB:g} MiB",
            got=f"{status.st_size / MIB:.4g} MiB",
        )
    return open(handle, "rb")


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number, in digits 0 to 9 and not too many: one that `int` and arrays take.

    >>> is_whole("12"), is_whole("²"), is_whole("-1"), is_whole("9" * 19)
    (True, False, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) < 19


def csv_rows(lines: Iterable[str], what: str, path: object) -> list[list[str]]:
    """Return the cells of the lines of a CSV file."""
    try:
        return list(csv.reader(lines))
    except csv.Error as error:  # a cell of more than 131,072 letters
        raise FileError(f"the {what} cannot be read", where=str(path), got=str(error)) from None


def check_plain(path: object, what: str, most: int = MOST) -> Path:
    """Return a path that another library will open; refuse what is no plain file, or is too large."""
    plain_file(path, what, most).close()
    return as_path(path, what)


def read_bytes(path: object, what: str, most: int = MOST) -> bytes:
    """Return the content of a plain file of at most so many bytes."""
    try:
        with plain_file(path, what, most) as f:
            data = f.read(min(most, os.fstat(f.fileno()).st_size) + 1)
    except (OSError, MemoryError) as error:
        raise FileError(f"the {what} cannot be read", where=str(path), got=reason(error)) from None
    if len(data) > most:  # it has grown since
        raise FileError(f"the {what} is too large", where=str(path), expected=f"at most {most / MIB:g} MiB")
    return data


def read_text(
    path: object, what: str, most: int = MOST_TABLE, encoding: str = "utf-8-sig", errors: str = "strict"
) -> str:
    """Return the text of a plain file of at most so many bytes."""
    try:
        return read_bytes(path, what, most).decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise FileError(f"the {what} is not a text", where=str(path), got=str(error)) from None
