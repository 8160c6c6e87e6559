"""Which devices were asked beyond the ends of their tables, and whether those that have a date agree."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.system.assembly import Part
from interstage.system.device import Device
from interstage.system.tapes import Tapes

SHARE = 0.01  # of the largest of a run, below which what is held beyond a table does not matter
SAME_S, DAY = 1e-3, 86400.0  # epochs this near are one


def warn_beyond(tapes: Tapes) -> None:
    """Say once of each table how far beyond its ends it was asked (`Device.ends`), and what is held there."""
    for part in tapes.plan.parts:
        what = part.what
        if not isinstance(what, Device):
            continue
        for name, words in what.ends.items():
            far = float(tapes.array(f"{part.path}.{name}").real)
            of = what.share_of.get(name)
            if far > (0.0 if of is None else SHARE * float(tapes.array(f"{part.path}.{of}").real)):
                measured = f"{far:.4g} {what.fields[name].unit}"
                how = f"at up to {measured}" if of else f"by up to {measured}"
                warnings.warn(
                    f"'{part.path}' ({type(what).__name__}) was used beyond its table, {how}: {words}",
                    FidelityWarning,
                    stacklevel=caller_level(),
                )


def check_epochs(parts: Sequence[Part]) -> None:
    """Refuse devices whose t = 0 is on different dates, and a dated sky over a site whose Earth has no date.

    A device with a date has `epoch`, its text (or None), and `date`, two parts of a Julian date
    """
    dated: list[tuple[str, Any]] = [(p.path, p.what) for p in parts if hasattr(p.what, "epoch")]
    known = [(path, one) for path, one in dated if one.epoch is not None]
    for path, one in known[1:]:
        first, other = known[0]
        apart = abs(other.date[0] - one.date[0] + (other.date[1] - one.date[1])) * DAY
        if apart > SAME_S:
            raise InputError(
                f"'{first}' and '{path}' have different epochs",
                got=f"{other.epoch} and {one.epoch}, {apart:.6g} s apart",
                hint="t = 0 is one date: give both the same",
            )
    for path, one in dated:
        if known and one.epoch is None and getattr(one, "on_ground", False):
            raise InputError(
                f"'{path}' stands at a site, but has no epoch: how '{known[0][0]}' is turned above it is not known",
                hint=f"give it epoch={known[0][1].epoch!r}",
            )
