"""Write files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from interstage.errors import FileError


def write_text(path: str | Path, text: str, what: str = "file") -> Path:
    """Write a text file; an existing file is replaced only by a complete one.

    A missing or unwritable folder, a full disk and the like are one sentence (FileError); nothing is left behind.
    """

    def fill(part: str) -> None:
        with open(part, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())

    return write_whole(path, fill, what)


def write_whole(path: str | Path, fill: Callable[[str], None], what: str = "file") -> Path:
    """Call `fill(part)` to write a neighbouring part file and put it in the place of `path` once it is complete."""
    path = Path(path)
    if path.is_dir():
        raise FileError(f"the {what} cannot be written", where=str(path), got="a folder of that name")
    if not path.absolute().parent.is_dir():
        raise FileError(
            f"the folder for the {what} does not exist", where=str(path.parent), hint="make it first"
        )
    part = None
    try:
        handle, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.absolute().parent)
        os.close(handle)
        fill(part)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except OSError as error:
        reason = error.strerror or str(error).splitlines()[0]
        raise FileError(f"the {what} cannot be written", where=str(path), got=reason) from None
    finally:
        if part is not None and os.path.exists(part):
            os.unlink(part)
    return path


def make_folder(path: str | Path) -> Path:
    """Make a folder with its parents; what stands in the way is one sentence."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            "the folder cannot be made", where=str(path), got=error.strerror or str(error)
        ) from None
    if not os.access(path, os.W_OK):
        raise FileError("the folder cannot be written to", where=str(path), hint="choose another with --out")
    return path


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
