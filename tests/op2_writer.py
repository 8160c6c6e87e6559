"""Write OUTPUT2 files as NASTRAN does, in either byte order and with words of 4 or 8 bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Form:
    """Byte order, bytes of a word, and the longest string of a matrix column."""

    order: str = "<"
    word: int = 4
    longest: int = 1000

    def record(self, body: bytes) -> bytes:
        mark = struct.pack(self.order + "i", len(body))
        return mark + body + mark

    def ints(self, *values: int) -> bytes:
        return np.array(values, f"{self.order}i{self.word}").tobytes()

    def keys(self, *values: int) -> bytes:
        return b"".join(self.record(self.ints(v)) for v in values)

    def text(self, text: str, words: int) -> bytes:
        text = text.ljust(4 * words)
        return b"".join(text[4 * k : 4 * k + 4].ljust(self.word).encode() for k in range(words))

    def reals(self, values, double: bool) -> bytes:
        values = np.ascontiguousarray(values)
        if np.iscomplexobj(values):
            values = values.view(float)
        size = 8 if double or self.word == 8 else 4
        return values.astype(f"{self.order}f{size}").tobytes()


@dataclass
class BlockText:
    """What `op2_file` writes: records of (kind, parts), each part already bytes."""

    name: str
    trailer: tuple[int, ...]
    columns: np.ndarray | None = None
    double: bool = True
    tables: list = field(default_factory=list)


def matrix_block(name: str, matrix: np.ndarray, double: bool = True) -> BlockText:
    rows, columns = matrix.shape
    kind = (2 if double else 1) + (2 if np.iscomplexobj(matrix) else 0)
    return BlockText(name, (101, columns, rows, 2, kind, rows, 0), matrix, double)


def table_block(name: str, records: list) -> BlockText:
    """Records as functions of the Form that give bytes."""
    return BlockText(name, (101, 0, 0, 0, 0, 0, 0), tables=records)


def modes_block(
    code: int = 7, form_code: int = 1, width: int = 8, count: int = 20, grids: tuple[int, ...] = ()
) -> BlockText:
    """Two modes of displacements at `grids`, 1 ... count where none are named, with numbers that tell their place."""
    grids = grids or tuple(range(1, count + 1))

    def ident(mode):
        def make(form):
            words = form.ints(21, code, 0, 1, mode) + form.reals([100.0 * mode], False)
            return words + form.ints(0, 0, form_code, width) + form.ints(*[0] * 136)

        return make

    def data(mode):
        def make(form):
            rows = (
                form.ints(10 * grid + 1, 1) + form.reals(mode * 100 + i + np.arange(6) / 8, False)
                for i, grid in enumerate(grids)
            )
            return b"".join(rows)

        return make

    return table_block("OUGV1", [make(mode) for mode in (1, 2) for make in (ident, data)])


def op2_file(
    blocks: list[BlockText], form: Form | None = None, label: str | None = "TEST", msc: str = ""
) -> bytes:
    """A whole file; msc: version of MSC Nastran 2014 or later, which puts six words more behind label and names."""
    form = form or Form()
    out = b""

    def more(name: str) -> bytes:
        return form.keys(6) + form.record(form.text(f"{msc:8}0   \0\0\0\0{name:8}", 6)) if msc else b""

    if label is not None:
        out += form.keys(3) + form.record(form.ints(1, 2, 3))
        out += form.keys(7) + form.record(form.text("NASTRAN FORT TAPE ID CODE - ", 7))
        out += form.keys(2) + form.record(form.text(label, 2)) + more("") + form.keys(-1, 0)
    for block in blocks:
        name = form.text(block.name, 2)
        if msc and form.word == 8:
            name = block.name.ljust(16).encode()  # MSC fills the word of 8 bytes with 8 characters
        out += form.keys(2) + form.record(name) + more(block.name) + form.keys(-1, 7)
        out += form.record(form.ints(*block.trailer))
        out += form.keys(-2, 1, 0, 2) + form.record(form.text(block.name, 2))
        number = 3
        for body in _bodies(block, form):
            out += form.keys(-number, 1, 0 if block.columns is None else 1) + body
            number += 1
        out += form.keys(-number, 1, 0, 0)
    return out + form.keys(0)


def _bodies(block: BlockText, form: Form):
    if block.columns is None:
        for make in block.tables:
            body = make(form)
            half = len(body) // form.word // 2 * form.word
            # a long record comes in parts
            parts = [body] if len(body) < 100 * form.word else [body[:half], body[half:]]
            yield b"".join(form.keys(len(p) // form.word) + form.record(p) for p in parts)
        return
    for column in block.columns.T:
        body, filled = b"", np.flatnonzero(column)
        for run in np.split(filled, np.flatnonzero(np.diff(filled) > 1) + 1) if len(filled) else []:
            for k in range(0, len(run), form.longest):
                part = run[k : k + form.longest]
                values = form.reals(column[part], block.double)
                body += form.keys(len(values) // form.word)
                body += form.record(form.ints(int(part[0]) + 1) + values)
        yield body
