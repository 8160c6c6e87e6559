"""External superelements: parts that are given by matrices which another run (EXTSEOUT) reduced them to.

The section of such a part (BEGIN SUPER) holds its boundary grids, its modal scalar points and EXTRN, which names the
degrees of freedom of the matrices. The matrices are DMIG KAAX, MAAX, BAAX and K4AAX of the section (SEBULK EXTERNAL,
as EXTSEOUT(DMIGPCH) writes them), or those of an op2 or op4 file that ASSIGN names (SEBULK EXTOP2, EXTOP4).
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from interstage.errors import DeckError, InterstageError
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import point_dofs
from interstage.nastran import Deck
from interstage.nastran.assigned import AssignedFile
from interstage.nastran.deck import GivenMatrix
from interstage.nastran.external_files import read_reduced

EXTERNAL = ("EXTERNAL", "EXTOP2", "EXTOP4")
UNSYMMETRIC = 1e-6  # of the largest value of a matrix

# matrices of DMIG by the beginning of their names, and where they go
_DMIG = {"k2gg": "KAA", "m2gg": "MAA", "b2gg": "BAA", "k42gg": "K4AA"}


def with_matrices(main: Deck, number: int, i: int) -> Deck:
    """The deck of an external part with its matrices.

    main : the deck with the SEBULK cards, of which row `i` names the part
    """
    row = [*main.cards("SEBULK").row(i), *[None] * 8]
    if row[1] == "EXTERNAL":
        return _punched(main.parts[number], number)
    return _filed(main, number, i, _file(main, i, row[1] == "EXTOP2", row[6]))


def _punched(deck: Deck, number: int) -> Deck:
    """The deck of a part whose case control adds its DMIG KAAX, MAAX, BAAX and K4AAX."""
    there = sorted({str(row[0]) for row in deck.cards("DMIG").rows() if row})
    names = {kind: [one for one in there if one.startswith(start)] for kind, start in _DMIG.items()}
    if not names["k2gg"]:
        raise DeckError(
            f"part {number} is EXTERNAL and has no stiffness",
            file=deck.name,
            expected="DMIG KAAX in its section",
            got=", ".join(there) or "no DMIG",
            hint="EXTSEOUT(DMIGPCH) writes it; matrices in a NASTRAN database (MATDB) cannot be read: write them with "
            "MATOP4, and name the file with ASSIGN INPUTT4 and SEBULK EXTOP4",
        )
    if any(one.startswith("PA") for one in there):
        deck.notes.append(_unloaded("DMIG PAX", number))
    out = copy(deck)
    cases = [copy(one) for one in deck.case.subcases]
    for case in cases:
        for kind, found in names.items():
            setattr(case, kind, found)
    out.case = replace(deck.case, subcases=cases)
    return out


def _unloaded(what: str, number: int) -> str:
    return f"warning: loads ({what}) of the external part {number} are not applied"


def _file(main: Deck, i: int, op2: bool, unit: object) -> AssignedFile:
    """The file of a SEBULK EXTOP2 or EXTOP4: that of its UNITNO, or the only one."""
    table = main.cards("SEBULK")
    word = "INPUTT2" if op2 else "INPUTT4"
    files = {number: one for number, one in main.assigned.items() if one.op2 == op2}
    if unit is None and len(files) == 1:
        return next(iter(files.values()))
    if not isinstance(unit, int) or unit not in files:
        raise table.error(
            i,
            f"the matrices of superelement {table.row(i)[0]} have no file",
            expected=f"ASSIGN {word} = 'file', UNIT = n above SOL, and n in field 8 (UNITNO)",
            got=f"UNITNO {'blank' if unit is None else unit}, units of {word}: {', '.join(map(str, files)) or 'none'}",
        )
    return files[unit]


def _filed(main: Deck, number: int, i: int, file: AssignedFile) -> Deck:
    """The deck of a part with the matrices of an op2 or op4 file."""
    deck = main.parts[number]
    path = file.path()
    try:
        matrices, loaded = read_reduced(path, file.op2)
    except InterstageError as error:
        raise main.cards("SEBULK").error(i, f"superelement {number}: {error}") from error
    dofs = boundary_dofs(deck, number)
    size = len(matrices["K"])
    if size != len(dofs):
        raise DeckError(
            f"the matrices of superelement {number} do not fit its section",
            file=deck.name,
            expected=f"{len(dofs)} rows, one for each degree of freedom of EXTRN",
            got=f"{size} in {path.name}",
        )
    for kind, matrix in matrices.items():
        if np.abs(matrix - matrix.T).max() > UNSYMMETRIC * np.abs(matrix).max():
            raise DeckError(f"matrix {kind} of superelement {number} is not symmetric", file=path.name)
    out = copy(deck)
    if loaded:
        out.notes.append(_unloaded(f"PX in {path.name}", number))
    out.given = [
        GivenMatrix(kind, f"{kind} of {path.name}", dofs, 0.5 * (matrix + matrix.T))
        for kind, matrix in matrices.items()
    ]
    return out


def boundary_dofs(deck: Deck, number: int) -> np.ndarray:
    """G-set dofs (n,) of the rows of an external part: those that EXTRN names.

    Rows follow the numbers of points, grids and scalar points together, as NASTRAN sorts them and the g-set has them.
    """
    ctx, table = Context(deck), deck.cards("EXTRN")
    found: list[np.ndarray] = []
    for i in range(len(table)):
        row = table.row(i)
        for point, components in zip(row[::2], [*row[1::2], None]):
            if point is not None:
                found.append(point_dofs(ctx, table, i, point, components))
    if not found:
        raise DeckError(
            f"external superelement {number} does not say which degrees of freedom it has",
            file=deck.name,
            expected="EXTRN in its section",
            hint="INCLUDE the punch file of its EXTSEOUT run (EXTBULK)",
        )
    return np.unique(np.concatenate(found))
