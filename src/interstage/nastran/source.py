"""Read the text of a deck: the main file and everything it INCLUDEs, as one buffer of lines.

The buffer is cut nowhere else: sections are found in it later, so an INCLUDE may stand in any section and
may even hold the BEGIN BULK line. Each line remembers the file it came from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from interstage.errors import DeckError, FileError
from interstage.reading import read_bytes

MAX_INCLUDES = 20_000
MAX_DEPTH = 50
MAX_BYTES = 4 << 30
MAX_REPEATED = (
    64 << 20
)  # bytes of files that are included again: some hundred kB on disk could fill any memory

# a symbol that NASTRAN would replace by a folder; one letter is a drive
_LOGICAL = re.compile(r"^[A-Za-z][A-Za-z0-9_]+:(?=[^/])")

# Control characters become blanks (tabs are expanded before) and letters upper case, in one pass.
_CLEAN = bytes(10 if c == 10 else 32 if c < 32 or c == 127 else c for c in range(256)).upper()


NO_END = "the deck has no ENDDATA"


class Text:
    """Lines of a deck in reading order, each with its file and line number.

    Attributes
    ----------
    data : bytes of all lines, each ended by a newline
    clean : the same in upper case, tabs expanded to columns of eight, control characters blank
    files : names of the files, as shown in messages
    notes : sentences about what NASTRAN takes with a word, and so does the reader
    root, allow_outside : folder of the main file (None for a string), and whether files may lie outside its tree
    """

    def __init__(self, root: Path | None = None, allow_outside: bool = False) -> None:
        self.root, self.allow_outside = root, allow_outside
        self.data = self.clean = b""
        self.files: list[str] = []
        self.notes: list[str] = []
        self._pieces: list[bytes] = []
        self._clean_pieces: list[bytes] = []
        self._first: list[int] = []
        self._file: list[int] = []
        self._line: list[int] = []
        self._count = 0
        self._ends: np.ndarray | None = None

    def add(self, piece: bytes, clean_piece: bytes, file: int, line: int) -> None:
        """Append `piece`, whose first line is line `line` (from 1) of file number `file`."""
        if not piece:
            return
        if not piece.endswith(b"\n"):
            piece, clean_piece = piece + b"\n", clean_piece + b"\n"
        self._pieces.append(piece)
        self._clean_pieces.append(clean_piece)
        self._first.append(self._count)
        self._file.append(file)
        self._line.append(line)
        self._count += piece.count(b"\n")

    def close(self) -> None:
        """Join the pieces into `data`."""
        self.data = b"".join(self._pieces)
        self.clean = b"".join(self._clean_pieces)
        if b"\t" in self.data:
            self.clean = self.data.expandtabs(8).translate(_CLEAN)
        self._pieces, self._clean_pieces = [], []

    def __len__(self) -> int:
        return self._count

    def place(self, line: int) -> tuple[str, int]:
        """File name and line number there (from 1) of line `line` (from 0) of the buffer."""
        k = max(bisect_right(self._first, line) - 1, 0)
        if not self._first:
            return (self.files[0] if self.files else "deck"), 1
        return self.files[self._file[k]], self._line[k] + line - self._first[k]

    def buffer_lines(self, file: str, number: int) -> list[int]:
        """Lines (from 0) of the buffer that come from line `number` (from 1) of a file, several if it is read twice."""
        ends = [*self._first[1:], self._count]
        spots = zip(self._first, ends, self._file, self._line)
        at = [(a + number - line, a, b) for a, b, f, line in spots if self.files[f] == file]
        return [k for k, a, b in at if a <= k < b]

    def line(self, line: int) -> str:
        """Line `line` (from 0) as written, for messages."""
        if self._ends is None:
            self._ends = np.flatnonzero(np.frombuffer(self.data, np.uint8) == 10)
        if not 0 <= line < len(self._ends):
            return ""
        start = int(self._ends[line - 1]) + 1 if line else 0
        return printable(self.data[start : int(self._ends[line])])

    def note(self, lines: Sequence[int], what: str) -> None:
        """Note `what` about lines (from 0) of the buffer, in one sentence for all of them."""
        file, number = self.place(lines[0])
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        self.notes.append(f"{what} ({file}, line {number}{more})")

    def error(self, line: int, what: str, **parts: str | None) -> DeckError:
        """Make (not raise) the error `what` about line `line` (from 0) of the buffer."""
        file, number = self.place(line)
        return DeckError(what, file=file, line=number, image=self.line(line), **parts)


def printable(raw: bytes, limit: int = 100) -> str:
    """Show bytes of a deck in a message: no control characters, no endless lines."""
    text = raw[: limit + 1].decode("utf-8", "replace").expandtabs(8)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= limit else text[:limit] + "..."


def keyword_lines(upper: bytes, *words: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Find the lines whose first word is one of `words`: (line start, end of the word, word), in order."""
    upcoming = {word: upper.find(word) for word in words}
    while True:
        live = [(at, word) for word, at in upcoming.items() if at >= 0]
        if not live:
            return
        at, word = min(live)
        start = upper.rfind(b"\n", 0, at) + 1
        stop = at + len(word)
        follows = upper[stop : stop + 1]
        if not upper[start:at].strip() and not (follows.isalnum() or follows == b"_"):
            yield start, stop, word
        upcoming[word] = upper.find(word, stop)


def text_from_string(text: str, name: str = "text") -> Text:
    """Make the buffer from a string; INCLUDE has no folder to start from and is refused."""
    reader = _Reader(None, False)
    reader.text.files.append(name)
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
    reader.expand(data, 0, None, ())
    reader.text.close()
    return reader.text


def text_from_file(path: str | Path, allow_outside: bool = False) -> Text:
    """Read a deck with its INCLUDEs; files outside the folder tree of the main file need `allow_outside`."""
    try:
        main = Path(path).resolve()
        regular, folder, there = main.is_file(), main.is_dir(), main.exists()
    except (OSError, RuntimeError, ValueError, TypeError) as fault:
        raise DeckError("the deck's name cannot be a file name", got=repr(path)) from fault
    if folder:
        raise DeckError("the deck is a folder", file=str(path), hint="name the main file in it")
    if there and not regular:
        raise DeckError("the deck is a pipe or a device", file=str(path), hint="write it to a file first")
    if not regular:
        raise DeckError("the deck was not found", file=str(path), hint="check the path")
    reader = _Reader(main.parent, allow_outside)
    reader.text.files.append(str(path))
    reader.expand(reader.load(main, None), 0, main, (main,))
    reader.text.close()
    if not reader.ended and next(keyword_lines(reader.text.clean, b"BEGIN"), None) is not None:
        reader.text.notes.append(f"warning: {NO_END} ({path}); the file may have been cut off")
    return reader.text


class _Reader:
    """State of one reading: the text so far, the folder tree that may be read, and what was spent."""

    def __init__(self, root: Path | None, allow_outside: bool):
        self.root, self.allow_outside = root, allow_outside
        self.text = Text(root, allow_outside)
        self.includes = self.bytes = self.repeated = 0
        self.known: set[Path] = set()
        self.ended = False

    def load(self, path: Path, where: dict | None) -> bytes:
        """Bytes of a file with line ends made plain newlines."""
        where = where or {"file": str(path)}
        try:
            data = read_bytes(path, "deck", max(MAX_BYTES - self.bytes, 0))
        except FileError as fault:
            if fault.what.endswith("too large"):
                raise DeckError("the deck with its INCLUDE files is larger than 4 GB", **where) from None
            raise DeckError("the file cannot be read", got=fault.got, **where) from fault
        self.bytes += len(data)
        if path in self.known:
            self.repeated += len(data)
        self.known.add(path)
        if self.repeated > max(MAX_REPEATED, self.bytes - self.repeated):
            raise DeckError(
                "the INCLUDEs of the same files repeat more than is believed",
                expected=f"at most {MAX_REPEATED >> 20} MiB again, or as much as all files have",
                **where,
            )
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data

    def expand(
        self, data: bytes, file: int, path: Path | None, chain: tuple[Path, ...], executive: bool = False
    ) -> None:
        """Append the lines of one file, with its INCLUDEs in their places, up to ENDDATA.

        `executive` : the file is named by one of the executive section, so that it ends before CEND.
        """
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        upper = data.translate(_CLEAN)
        done, line = 0, 1
        cend = next(keyword_lines(upper, b"CEND"), (-1,))[0]
        for start, stop, word in keyword_lines(upper, b"INCLUDE", b"ENDDATA"):
            if self.ended:
                return
            if start < done:  # inside the name of an INCLUDE that was continued over lines
                continue
            if word == b"ENDDATA":
                self.text.add(data[done:start], upper[done:start], file, line)
                self.ended = True
                return
            self.text.add(data[done:start], upper[done:start], file, line)
            line += data.count(b"\n", done, start)
            where = {
                "file": self.text.files[file],
                "line": line,
                "image": printable(data[start:].split(b"\n", 1)[0]),
            }
            name, end = _include_name(data, stop, where)
            self._include(name, path, chain, where, executive or start < cend)
            line += data.count(b"\n", start, end)
            done = end
        if not self.ended:
            self.text.add(data[done:], upper[done:], file, line)

    def _include(
        self, name: str, path: Path | None, chain: tuple[Path, ...], where: dict, executive: bool
    ) -> None:
        """Read the INCLUDE file `name` named by the file `path`; before CEND only if it holds SOL or CEND."""
        if path is None or self.root is None:
            raise DeckError("INCLUDE cannot be followed in a deck that is not a file", **where)
        self.includes += 1
        if self.includes > MAX_INCLUDES or len(chain) > MAX_DEPTH:
            raise DeckError(
                "too many INCLUDEs", expected=f"at most {MAX_INCLUDES}, nested {MAX_DEPTH} deep", **where
            )
        try:
            folders = (path.parent, self.root)
            target = locate(name, folders, self.root, self.allow_outside, where, "INCLUDE")
        except DeckError:
            if not executive:
                raise
            self._skip(name, where)
            return
        if target in chain:
            loop = " -> ".join(p.name for p in (*chain[chain.index(target) :], target))
            raise DeckError("the INCLUDE files form a loop", got=loop, **where)
        data = self.load(target, where)
        if executive and next(keyword_lines(data.translate(_CLEAN), b"SOL", b"CEND"), None) is None:
            self._skip(name, where)
            return
        self.text.files.append(name)
        self.expand(data, len(self.text.files) - 1, target, (*chain, target), executive)

    def _skip(self, name: str, where: dict) -> None:
        """Note a file of the executive section that holds no model."""
        self.text.notes.append(
            f"INCLUDE {name!r} before CEND is not read: file management and DMAP do not concern the model "
            f"({where['file']}, line {where['line']})"
        )


def locate(
    name: str, folders: tuple[Path, ...], root: Path, allow_outside: bool, where: dict, what: str
) -> Path:
    """Find a file that a deck names, in the first of `folders` that has it; below `root` unless `allow_outside`.

    what : the statement that names it, for messages
    """
    for spelling in _spellings(name):
        for folder in folders:
            try:
                target = (folder / spelling).resolve()
                found = target.is_file()
                inside = allow_outside or target.is_relative_to(root)
            except (OSError, RuntimeError, ValueError):
                continue
            if not inside:
                raise DeckError(
                    f"the {what} leaves the folder tree of the main deck",
                    got=repr(name),
                    hint="move the file below the main deck, or allow files outside (allow_outside=True)",
                    **where,
                )
            if found:
                return target
    raise DeckError(
        f"the {what} file was not found",
        got=repr(name),
        hint=f"names are relative to the file with the {what}; check spelling and letter case",
        **where,
    )


def _spellings(name: str) -> list[str]:
    """Ways to look for a file: as written, with slashes, and without a logical folder (`MODELS:wing.bdf`)."""
    plain = name.replace("\\", "/")
    return list(dict.fromkeys((name, plain, _LOGICAL.sub("", plain))))


def _include_name(data: bytes, stop: int, where: dict) -> tuple[str, int]:
    """Read the file name after INCLUDE; returns it with the start of the next line.

    A quoted name may run over several lines; blanks at the ends of the lines do not belong to it.
    """
    rest = data[stop : stop + 4096]
    blanks = b" \t=,"
    if not rest.split(b"\n", 1)[0].strip(blanks):
        blanks += b"\n"  # the name is on the next line
    skipped = len(rest) - len(rest.lstrip(blanks))
    start = stop + skipped
    quote = data[start : start + 1]
    if quote in (b"'", b'"'):
        close = data.find(quote, start + 1, start + 4096)
        if close < 0:
            raise DeckError("the file name of INCLUDE has no closing quote", **where)
        raw = b"".join(part.strip() for part in data[start + 1 : close].split(b"\n"))
        end = data.find(b"\n", close)
    else:
        end = data.find(b"\n", start)
        raw = data[start : end if end >= 0 else len(data)].split(b"$", 1)[0].strip().rstrip(b",")
    if not raw or b"\0" in raw:
        raise DeckError("INCLUDE without a file name", **where)
    return raw.decode("utf-8", "surrogateescape"), (end + 1 if end >= 0 else len(data))
