"""Write files whole or not at all, and JSON that every reader takes: used by every room that writes.

A file is written beside its target, brought to the disk and renamed over it, so that readers see the old file or the
new one and never a part. A link is followed: what it points at is written, the link stays; one that leads to the file
of another user, or that another user left in a folder where everybody writes, is refused. What is no file (a folder,
a device, a pipe) is refused, and so is a file that its owner protected. The file beside the target has a name
that nobody can foresee, is made by its writer alone, and gets owner, group and permissions of the file that it
replaces, as far as the system lets us: root leaves the files of others theirs, and where a group cannot be given, it
may do no more than everybody (access lists are not kept). What a killed writer left behind is removed by the next one
of the same user, some minutes later.
"""

from __future__ import annotations

import errno
import glob
import json
import math
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from interstage.errors import FileError, InputError, SolverError
from interstage.interrupts import dropped_interrupts_heard

LEFT_BEHIND = 600.0  # seconds since a part file was written to, after which nobody goes on with it
_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "the file is larger than the system allows",
    errno.EIO: "the disk failed",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
}
MOST_JSON = 256 << 20  # bytes
_KINDS = (
    (stat.S_ISDIR, "a folder of that name"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def write_text(path: str | os.PathLike, text: str, what: str = "file") -> Path:
    """Write a text file in UTF-8, whole or not at all; returns the path."""
    data = utf8(text)
    return write_bytes(path, text.encode("utf-8", "backslashreplace") if data is None else data, what)


def write_svg(path: str | os.PathLike, picture: str) -> Path:
    """Write a diagram, whole or not at all; a name that means another kind of picture is refused."""
    target = as_path(path, "diagram")
    if target.suffix.lower() not in ("", ".svg"):
        raise FileError(
            "a diagram is written as SVG",
            where=str(target),
            expected=f"a name as '{target.stem}.svg'",
            hint="browsers show it, and Inkscape or rsvg-convert make PNG or PDF of it",
        )
    return write_text(target, picture, "diagram")


def as_path(path: object, what: str = "file") -> Path:
    """Return a path, or say that it is none.

    >>> as_path("a/b.h5", "log").name
    'b.h5'
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"the {what} has no path", expected="text or a Path", got=repr(path)[:60])
    return Path(path)


def found_at(path: str | os.PathLike) -> os.stat_result | None:
    """Return what the system tells of a path, links followed; None where nothing is there.

    What cannot be looked at is one sentence: a name that is too long or has a NUL in it, a folder that is closed to us.
    """
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise FileError("the file cannot be read", where=_short(path), got=reason(error)) from None


def is_file(path: str | os.PathLike) -> bool:
    """Return whether a path leads to a plain file; what cannot be looked at is one sentence."""
    found = found_at(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def is_folder(path: str | os.PathLike) -> bool:
    """Return whether a path leads to a folder; what cannot be looked at is one sentence."""
    found = found_at(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _short(path: str | os.PathLike) -> str:
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]}...{text[-60:]}"


def utf8(text: str) -> bytes | None:
    """Return text in UTF-8, or None where it is no Unicode.

    Paths of a system in another locale come as bytes in disguise; where those are UTF-8 they are taken as such.
    """
    try:
        data = text.encode("utf-8", errors="surrogateescape")
        data.decode("utf-8")
    except UnicodeError:
        return None
    return data


def write_bytes(path: str | os.PathLike, data: bytes, what: str = "file") -> Path:
    """Write bytes, whole or not at all; returns the path."""

    def fill(part: str) -> None:
        with open(part, "wb") as f:
            f.write(data)

    return write_whole(path, fill, what)


def write_whole(path: str | os.PathLike, fill: Callable[[str], None], what: str = "file") -> Path:
    """Call `fill(part)` to write a neighbouring part file and put it in the place of `path` once it is complete.

    A missing folder, a full disk and the like are one sentence (FileError); nothing is left behind.
    """
    with whole_file(path, what) as part:
        fill(str(part))
    return Path(path)


@contextmanager
def whole_file(path: str | os.PathLike, what: str = "file") -> Iterator[Path]:
    """Give a part file beside the target to write to; it takes the target's place when all went well."""
    target, replaced = checked_target(path, what)
    part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
    _clear_parts(target)
    try:
        # created here with the permissions that the umask leaves, or those of the file that is replaced
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if replaced is None else 0o600)
        made = os.fstat(handle)
        os.close(handle)
        with dropped_interrupts_heard():  # libraries drop one that falls into their callbacks
            yield part
        with open(part, "rb+") as written:
            if not os.path.samestat(made, os.fstat(written.fileno())):
                raise FileError(f"the {what} was exchanged while it was written", where=str(path))
            os.fsync(written.fileno())
            if replaced is not None:
                _make_alike(written.fileno(), part, replaced)
        os.replace(part, target)
    except OSError as error:
        raise FileError(f"the {what} cannot be written", where=str(path), got=reason(error)) from None
    finally:
        with suppress(OSError):
            part.unlink()


def _make_alike(handle: int, part: Path, replaced: os.stat_result) -> None:
    """Give an open file owner, group and permissions of the one whose place it takes, as far as we may.

    By its handle: nobody can put another file in its place meanwhile, which root would give away.
    """
    mode, made = stat.S_IMODE(replaced.st_mode), os.fstat(handle)
    if not hasattr(os, "fchown") or not hasattr(os, "fchmod"):  # a system without owners
        os.chmod(part, mode)
        return
    if (made.st_uid, made.st_gid) != (replaced.st_uid, replaced.st_gid):
        for owner in (replaced.st_uid, -1):  # root gives both, others at most a group of their own
            with suppress(OSError):
                os.fchown(handle, owner, replaced.st_gid)
                break
        else:  # a group that we cannot give may do what everybody may
            mode = (mode & ~0o070) | ((mode & 0o007) << 3)
    os.fchmod(handle, mode)


def _clear_parts(target: Path) -> None:
    """Remove part files of a target that writers of this user left behind when they were killed."""
    for left in target.parent.glob(f".{glob.escape(target.name[:40])}.*.part"):
        with suppress(OSError):
            found = left.lstat()
            own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if own and stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > LEFT_BEHIND:
                left.unlink()


def checked_target(
    path: str | os.PathLike, what: str = "file", source: str | os.PathLike | None = None
) -> tuple[Path, os.stat_result | None]:
    """Return the file that a path means, links followed, and what is known of it (None: there is none yet).

    Refuses what cannot be written before anything is computed for it, and so the file it is made from (`source`).
    """

    path = as_path(path, what)

    def refused(got: str, hint: str | None = None) -> FileError:
        return FileError(f"the {what} cannot be written", where=str(path), got=got, hint=hint)

    try:
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise refused("a link that leads to itself")
        if (planted := _planted_link(path)) is not None:
            raise refused(f"the link {planted}, which another user made", "give another name")
        if not target.parent.is_dir():
            raise FileError(
                f"the folder for the {what} does not exist", where=str(target.parent), hint="make it first"
            )
        try:
            found = target.stat()
        except FileNotFoundError:
            return target, None
    except (OSError, ValueError) as error:
        raise refused(reason(error)) from None
    for is_kind, words in _KINDS:
        if is_kind(found.st_mode):
            raise refused(words, "give the name of a file")
    if source is not None and os.path.exists(source) and os.path.samefile(target, source):
        raise FileError(
            f"the {what} would replace the file it is made from", where=str(path), hint="choose another -o"
        )
    if path.is_symlink() and _is_foreign(found):
        raise refused(f"a link to {target}, a file of another user", "give the name of the file itself")
    if not os.access(target, os.W_OK):
        raise refused("a write-protected file", "give another name or allow writing")
    return target, found


def _is_foreign(found: os.stat_result) -> bool:
    """Return whether something belongs to another user; no system without users has such."""
    return hasattr(os, "getuid") and found.st_uid != os.getuid()


def _planted_link(path: Path, depth: int = 40) -> Path | None:
    """Return a link on the way to a file that another user left in a folder where everybody writes (sticky)."""
    for step in (Path(os.path.abspath(path)), *Path(os.path.abspath(path)).parents):
        if depth and step.is_symlink():
            link, folder = step.lstat(), step.parent.stat()
            shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
            if shared and _is_foreign(link) and link.st_uid != folder.st_uid:
                return step
            return _planted_link(step.parent / os.readlink(step), depth - 1)
    return None


def make_folder(path: str | os.PathLike) -> Path:
    """Make a folder with its parents; what stands in the way is one sentence."""
    path = as_path(path, "folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError("the folder cannot be made", where=str(path), got=reason(error)) from None
    if not os.access(path, os.W_OK):
        raise FileError("the folder cannot be written to", where=str(path), hint="choose another")
    return path


def reason(error: Exception) -> str:
    """Say in a few words why the system refused.

    >>> reason(OSError(28, "No space left on device"))
    'the disk is full'
    """
    number = getattr(error, "errno", None) or 0
    lines = str(error).splitlines() or [type(error).__name__]
    return _REASONS.get(number) or getattr(error, "strerror", None) or lines[0]


def json_text(data: Any, *, where: str = "result", gaps: bool = False, indent: int | None = None) -> str:
    """Return data as JSON that every reader takes: arrays as lists, no NaN and no Infinity.

    A number that is not finite is refused (SolverError) and named; with `gaps` it becomes null, as in a curve with
    a gap. Other objects are refused (InputError).

    >>> json_text({"f": [1.0, float("nan")]}, gaps=True)
    '{"f":[1.0,null]}'
    """
    style: dict[str, Any] = {"allow_nan": False, "indent": indent}
    style["separators"] = (",", ":") if gaps and indent is None else None
    try:
        return json.dumps(data, default=_listed, **style)
    except (TypeError, ValueError):
        # slower, and names what is wrong or makes it null
        return json.dumps(_plain(data, where, gaps), **style)


def _listed(value: Any) -> Any:
    """An array or a number of numpy as plain numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(type(value).__name__)


def check_finite(values: Any, where: str) -> None:
    """Refuse results that are not finite (SolverError), so that no command ends well with them."""
    import numpy as np

    values = np.asarray(values)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise _not_finite(f"{where}[{bad[0]}]" if values.ndim else where, values.ravel()[bad[0]])


def _not_finite(where: str, value: Any) -> SolverError:
    return SolverError(
        "a result is not finite",
        where=where,
        expected="numbers",
        got=f"{value}",
        hint="check the model's data",
    )


def _plain(data: Any, where: str, gaps: bool) -> Any:
    """Turn data into what JSON knows, checking every number."""
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, float):
        if not math.isfinite(data):
            if gaps:
                return None
            raise _not_finite(where, data)
        return data
    if data is None or isinstance(data, bool | int | str):
        return data
    if isinstance(data, Mapping):
        return {str(key): _plain(value, f"{where}.{key}", gaps) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value, f"{where}[{k}]", gaps) for k, value in enumerate(data)]
    raise InputError("this cannot be written as JSON", where=where, got=type(data).__name__)


def check_unpacked(size: int, path: str | os.PathLike, least: int = 1 << 30) -> None:
    """Refuse a packed file that would unpack to far more than it is (FileError).

    least : bytes that any file may unpack to
    """
    if size > unpack_limit(path, least):
        raise FileError(
            "the file unpacks to more than is believed",
            where=str(path),
            expected=f"up to {unpack_limit(path, least) / 1e9:.3g} GB",
            got=f"{size / 1e9:.3g} GB",
        )


def unpack_limit(path: str | os.PathLike, least: int = 1 << 30) -> int:
    """Bytes that a packed file may unpack to: `least` (a GB), or a hundred times its own size."""
    return max(least, 100 * os.path.getsize(path))


def read_json(path: str | os.PathLike, what: str = "JSON file") -> Any:
    """Read a JSON file that nobody vouches for: NaN, Infinity and bad text are one sentence."""
    path = as_path(path, what)
    found = found_at(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise FileError(f"cannot read the file: it is no {what}", where=str(path))
    try:
        if found is not None and found.st_size > MOST_JSON:
            raise FileError(
                f"the {what} is too large", where=str(path), expected=f"at most {MOST_JSON >> 20} MiB"
            )
        return parse_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the file: {reason(error)}", where=str(path)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else reason(error)
        raise FileError("not a JSON file", where=str(path), got=words) from None


def parse_json(text: str) -> Any:
    """Read JSON text; NaN, Infinity and numbers beyond double precision are a ValueError."""

    def number(word: str) -> float:
        value = float(word)
        if not math.isfinite(value):
            raise ValueError(f"{word} is no finite number")
        return value

    def whole(word: str) -> int:
        if len(word) > 300 and not math.isfinite(float(word)):
            raise ValueError(f"a number of {len(word)} digits is beyond double precision")
        return int(word)

    return json.loads(text, parse_constant=number, parse_float=number, parse_int=whole)
