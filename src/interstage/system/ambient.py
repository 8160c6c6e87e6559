"""What surrounds all devices (altitude, air density, the sun) reaches those that ask for it without a wire.

An output that says `ambient="air density"` is wired to every input that says the same, unless the input is wired or was
given a value. Of several outputs of one kind an input takes that of its own group, or of the nearest group around it:
two spacecraft with an atmosphere each do not mix them. Two that are equally near are a question for a wire. What the
one `Earth` of several vehicles says is said at each of them (`local_ambient`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from interstage.errors import InputError
from interstage.system.law import Law
from interstage.system.ports import In, Out
from interstage.system.wires import Piece
from interstage.units import check_unit

if TYPE_CHECKING:
    from interstage.system.assembly import Port


def ambient_pieces(ports: Mapping[str, Port], wired: Sequence[Piece]) -> list[Piece]:
    """Return the wires that nobody has to draw; see the module."""
    givers: dict[str, list[Port]] = {}
    for port in ports.values():
        if isinstance(port.field, Out) and port.field.ambient is not None:
            givers.setdefault(port.field.ambient, []).append(port)
    taken = {piece.target for piece in wired}
    found = []
    for name, port in ports.items():
        if not isinstance(port.field, In) or port.field.ambient not in givers or name in taken:
            continue
        if isinstance(port.part.what, Law) or port.part.what.is_set(port.field.name):
            continue
        sources = _nearest(givers[port.field.ambient], name)
        if len(sources) > 1:
            raise InputError(
                f"'{name}' is {port.field.ambient}, and several devices say it",
                got=", ".join(source.name for source in sources),
                hint="wire one",
            )
        where = f"from '{sources[0].name}' to '{name}'"
        if sources[0].size != port.size:
            raise InputError(
                "the sizes do not fit", where=where, expected=str(port.size), got=str(sources[0].size)
            )
        factor = check_unit(sources[0].field.unit, port.field.unit, where)
        found.append(Piece(sources[0].name, 0, name, 0, int(port.size or 1), factor, ambient=True))
    return found


def _nearest(sources: list[Port], name: str) -> list[Port]:
    """Return the outputs in the innermost of the groups that an input is in; all where none is in such a group."""
    groups = {source.name: source.part.path.rpartition(".")[0] for source in sources}
    around = [s for s in sources if not groups[s.name] or name.startswith(groups[s.name] + ".")]
    deepest = max((len(groups[s.name]) for s in around), default=0)
    return [s for s in around if len(groups[s.name]) == deepest] or sources
