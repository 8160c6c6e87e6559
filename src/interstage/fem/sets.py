"""NASTRAN's displacement sets as index arrays.

    g = m + n,  n = s + f,  f = o + a,  a = q + r + l,  t = a - q,  b and c parts of t

Set cards name dofs of the a-set; when any of ASET, BSET, CSET or QSET is given the other free dofs are
omitted (o-set), when only OMIT is given the others are analysed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from interstage.errors import ModelError


def _none() -> np.ndarray:
    return np.zeros(0, dtype=np.int64)


@dataclass
class SetCards:
    """Dofs (g-set numbers) named by set cards: ASET, BSET, CSET, QSET, OMIT, SUPORT and user sets (USET)."""

    a: np.ndarray = field(default_factory=_none)
    b: np.ndarray = field(default_factory=_none)
    c: np.ndarray = field(default_factory=_none)
    q: np.ndarray = field(default_factory=_none)
    o: np.ndarray = field(default_factory=_none)
    r: np.ndarray = field(default_factory=_none)
    user: dict[str, np.ndarray] = field(default_factory=dict)

    def analysed(self) -> np.ndarray:
        """Dofs named as members of the a-set, sorted."""
        return np.unique(np.concatenate([self.a, self.b, self.c, self.q])).astype(np.int64)

    def exempt(self) -> np.ndarray:
        """Dofs that the user placed in a set himself, so that AUTOSPC leaves them alone."""
        return np.unique(np.concatenate([self.analysed(), self.r])).astype(np.int64)

    def held(self) -> np.ndarray:
        """Dofs of the a-set that component modes hold (Quick Reference Guide, BSET and CSET).

        Without BSET and CSET all of them; with BSET alone those; with CSET all that it does not name.
        """
        named = self.b if len(self.b) and not len(self.c) else np.union1d(self.a, self.b)
        return np.setdiff1d(named, np.union1d(self.c, self.q)).astype(np.int64)

    def reduces(self) -> bool:
        """Say whether the cards leave dofs to be omitted."""
        return bool(len(self.analysed()) or len(self.o))


@dataclass(frozen=True)
class Sets:
    """Sorted g-set dofs of each set."""

    g: np.ndarray
    m: np.ndarray
    n: np.ndarray
    s: np.ndarray
    f: np.ndarray
    o: np.ndarray
    a: np.ndarray
    q: np.ndarray
    r: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @property
    def t(self) -> np.ndarray:
        """Physical dofs of the a-set."""
        return np.setdiff1d(self.a, self.q)

    @property
    def l(self) -> np.ndarray:  # noqa: E743
        """Dofs of the a-set that are neither supported nor generalized."""
        return np.setdiff1d(self.t, self.r)

    def within(self, part: str, whole: str) -> np.ndarray:
        """Positions of one set's dofs in another that contains it: `sets.within("f", "n")`."""
        return np.searchsorted(getattr(self, whole), getattr(self, part))


def make_sets(n_dof: int, m: np.ndarray, s: np.ndarray, cards: SetCards | None = None, describe=str) -> Sets:
    """Place every dof in its sets; a dof in two sets that exclude each other is a ModelError."""
    cards = cards or SetCards()
    g = np.arange(n_dof)
    m, s = np.unique(m).astype(np.int64), np.unique(s).astype(np.int64)
    named = cards.analysed()
    pairs = [
        ("a rigid element or MPC makes it dependent", m, "it is constrained (SPC, PS)", s),
        ("a rigid element or MPC makes it dependent", m, "it is in ASET, BSET, CSET or QSET", named),
        ("it is constrained (SPC, PS)", s, "it is in ASET, BSET, CSET or QSET", named),
        ("a rigid element or MPC makes it dependent", m, "it is in OMIT", cards.o),
        ("it is in OMIT", cards.o, "it is in ASET, BSET, CSET or QSET", named),
        ("a rigid element or MPC makes it dependent", m, "it is in SUPORT", cards.r),
        ("it is constrained (SPC, PS)", s, "it is in SUPORT", cards.r),
    ]
    for one, first, two, second in pairs:
        both = np.intersect1d(first, second)
        if len(both):
            more = f" (and {len(both) - 1} other dofs)" if len(both) > 1 else ""
            raise ModelError(
                f"{describe(int(both[0]))} is in two sets that exclude each other{more}",
                got=f"{one}, and {two}",
                hint="remove it from one of them",
            )
    n = np.setdiff1d(g, m, assume_unique=True)
    f = np.setdiff1d(n, s, assume_unique=True)
    if len(named):
        a = np.intersect1d(f, np.union1d(named, cards.r))
    else:
        a = np.setdiff1d(f, cards.o)
    o = np.setdiff1d(f, a, assume_unique=True)
    b, c = np.union1d(cards.a, cards.b), np.unique(cards.c)
    inside = [np.intersect1d(a, part) for part in (cards.q, cards.r, b, c)]
    q, r, b, c = (part.astype(np.int64) for part in inside)
    return Sets(g, m, n, s, f, o, a, q, r, b, c)
