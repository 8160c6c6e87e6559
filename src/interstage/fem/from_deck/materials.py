"""Materials of a deck: MAT1 (isotropic), MAT2 and MAT8 (plane), MAT3 (axisymmetric), MAT9 (solid)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.errors import DeckError
from interstage.nastran import CardTable, Deck
from interstage.nastran.cards import OTHER_MATERIALS


@dataclass(frozen=True)
class Isotropic:
    """MAT1 data as arrays, one row an element. G is the G of the card, which may disagree with E and nu."""

    E: np.ndarray
    G: np.ndarray
    nu: np.ndarray
    rho: np.ndarray
    ge: np.ndarray
    alpha: np.ndarray
    tref: np.ndarray


@dataclass(frozen=True)
class Plane:
    """A plane material: `stress = Q @ [exx, eyy, gxy]`, `[tau_xz, tau_yz] = G2 @ [gxz, gyz]`, material axes.

    `G2` is None where the card gives no transverse shear moduli (MAT2, or MAT8 with blank G1Z, G2Z).
    """

    Q: np.ndarray
    G2: np.ndarray | None
    rho: float
    ge: float
    alpha: np.ndarray  # (3,) strains of unit temperature, engineering shear
    tref: float


@dataclass(frozen=True)
class Solid:
    """A solid material: `stress = C @ strain`, order xx yy zz xy yz zx, engineering shear strains."""

    C: np.ndarray
    rho: float
    ge: float
    isotropic: bool
    alpha: np.ndarray  # (6,) strains of unit temperature
    tref: float


def implausible_notes(deck: Deck) -> list[str]:
    """A sentence on MAT1 whose NU lies outside 0 to 0.5, of which Nastran warns."""
    table = deck.cards("MAT1")
    rows = [table.row(i) for i in range(len(table))]
    # a word there is told where the material is used
    given = [row[3] if len(row) > 3 and isinstance(row[3], float | int) else 0.0 for row in rows]
    nu = np.array(given, dtype=float)
    bad = np.flatnonzero((nu < 0.0) | (nu > 0.5))
    if not len(bad):
        return []
    more = f", and {len(bad) - 1} others" if len(bad) > 1 else ""
    i = int(bad[0])
    return [
        f"warning: {table.label(i)} has NU = {nu[i]:g}{more}: isotropic materials have 0 to 0.5, and Nastran warns of "
        f"others ({table.where(i)})"
    ]


_KINDS = ("MAT1", "MAT2", "MAT3", "MAT8", "MAT9")


class Materials:
    """Look-up of the materials of a deck by id."""

    def __init__(self, deck: Deck):
        self._place: dict[int, tuple[CardTable, int]] = {}
        for name in _KINDS:
            table = deck.cards(name)
            for i, mid in enumerate(table.integer(1)):
                if int(mid) in self._place:
                    raise table.error(i, f"material {mid} is defined twice")
                self._place[int(mid)] = (table, i)
        # kept for messages only: the readers accept none of them
        for name in sorted(OTHER_MATERIALS):
            table = deck.cards(name)
            for i, row in enumerate(table.rows()):
                if row and isinstance(row[0], int):
                    self._place.setdefault(row[0], (table, i))
        self._isotropic: dict[int, tuple] = {}

    def kind(self, mid: int) -> str | None:
        """Card name of a material, or None if there is none with this id."""
        place = self._place.get(int(mid))
        return place[0].name if place else None

    def isotropic(self, mid: np.ndarray, table: CardTable) -> Isotropic:
        """MAT1 values for an array of material ids; `table` is the card that refers to them, row by row."""
        mid = np.asarray(mid, dtype=np.int64)
        ids, inverse = np.unique(mid, return_inverse=True)
        for one in ids:
            if self.kind(one) != "MAT1":
                i = int(np.argmax(mid == one))
                found = self.kind(one)
                raise table.error(
                    i,
                    f"{table.name} needs a MAT1 with id {one}",
                    got="no such material" if found is None else found,
                )
        values = np.array([self._mat1(int(one)) for one in ids]).reshape(-1, 7)
        return Isotropic(*values[inverse].T)

    def plane(self, mid: int) -> Plane:
        """Plane-stress stiffness of a MAT1, MAT2 or MAT8."""
        kind = self._require(mid, ("MAT1", "MAT2", "MAT8"))
        if kind == "MAT1":
            E, G, nu, rho, ge, alpha, tref = self._mat1(mid)
            if not -1.0 < nu < 1.0:
                table, i = self._place[int(mid)]
                raise table.error(i, "a shell needs -1 < NU < 1", got=f"NU = {nu:g}")
            c = E / (1.0 - nu * nu)
            Q = np.array([[c, nu * c, 0.0], [nu * c, c, 0.0], [0.0, 0.0, E / (2.0 * (1.0 + nu))]])
            return Plane(Q, np.diag([G, G]), rho, ge, np.array([alpha, alpha, 0.0]), tref)
        table, i = self._place[int(mid)]
        row = _numbers(table, i, 20)
        if kind == "MAT2":
            g = row[1:7]
            Q = np.array([[g[0], g[1], g[2]], [g[1], g[3], g[4]], [g[2], g[4], g[5]]])
            return Plane(Q, None, row[7], row[12], np.array(row[8:11]), row[11])
        E1, E2, nu12, G12, G1z, G2z, rho = row[1:8]
        if E1 <= 0.0 or E2 <= 0.0:
            raise table.error(i, "MAT8 needs E1 > 0 and E2 > 0")
        nu21 = nu12 * E2 / E1
        d = 1.0 - nu12 * nu21
        if d <= 0.0:
            raise table.error(i, "MAT8 is not positive definite", expected="1 - NU12^2 E2/E1 > 0")
        Q = np.array([[E1 / d, nu12 * E2 / d, 0.0], [nu12 * E2 / d, E2 / d, 0.0], [0.0, 0.0, G12]])
        # the Quick Reference Guide: a blank G1Z or G2Z means no transverse shear flexibility
        G2 = np.diag([G1z, G2z]) if G1z > 0.0 and G2z > 0.0 else None
        return Plane(Q, G2, rho, row[16], np.array([row[8], row[9], 0.0]), row[10])

    def solid(self, mid: int) -> Solid:
        """Stiffness of a MAT1 or MAT9 (its card order is xx yy zz xy yz zx)."""
        if self._require(mid, ("MAT1", "MAT9")) == "MAT1":
            E, _, nu, rho, ge, alpha, tref = self._mat1(mid)
            if not -1.0 < nu < 0.5:
                table, i = self._place[int(mid)]
                raise table.error(i, "a solid needs -1 < NU < 0.5", got=f"NU = {nu:g}")
            shear = E / (2.0 * (1.0 + nu))
            lame = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
            C = np.diag([2.0 * shear] * 3 + [shear] * 3)
            C[:3, :3] += lame
            return Solid(C, rho, ge, True, np.array([alpha] * 3 + [0.0] * 3), tref)
        table, i = self._place[int(mid)]
        row = _numbers(table, i, 32)
        C = np.zeros((6, 6))
        C[np.triu_indices(6)] = row[1:22]
        C = C + np.triu(C, 1).T
        return Solid(C, row[22], row[30], False, np.array(row[23:29]), row[29])

    def axisymmetric(self, mid: int) -> Solid:
        """Stiffness of a MAT1 or MAT3, whose axes x, θ, z are here x, y, z; its shears beside zx have no part.

        NUij is the strain along j of a stress along i: the compliances are -NUXTH/EX, -NUTHZ/ETH and -NUZX/EZ.
        A MAT1 has the G of its card, as rings of Nastran do and its other solids do not.
        """
        if self._require(mid, ("MAT1", "MAT3")) == "MAT1":
            solid = self.solid(mid)
            C = solid.C.copy()
            C[3:, 3:] = self._mat1(mid)[1] * np.eye(3)
            return replace(solid, C=C)
        table, i = self._place[int(mid)]
        row = _numbers(table, i, 16)
        EX, ETH, EZ, NUXTH, NUTHZ, NUZX, rho = row[1:8]
        GZX, AX, ATH, AZ, tref, ge = row[10:16]
        if min(EX, ETH, EZ, GZX) <= 0.0:
            raise table.error(i, "MAT3 needs positive EX, ETH, EZ and GZX")
        S = np.diag([1.0 / EX, 1.0 / ETH, 1.0 / EZ])
        S[0, 1] = S[1, 0] = -NUXTH / EX
        S[1, 2] = S[2, 1] = -NUTHZ / ETH
        S[2, 0] = S[0, 2] = -NUZX / EZ
        if np.linalg.eigvalsh(S)[0] <= 0.0:
            raise table.error(i, "MAT3 is not positive definite", hint="its Poisson's ratios are too large")
        C = np.diag([0.0] * 3 + [GZX] * 3)
        C[:3, :3] = np.linalg.inv(S)
        return Solid(C, rho, ge, False, np.array([AX, ATH, AZ, 0.0, 0.0, 0.0]), tref)

    def _require(self, mid: int, kinds: tuple[str, ...]) -> str:
        kind = self.kind(mid)
        if kind not in kinds:
            raise DeckError(
                f"material {mid} is needed as {' or '.join(kinds)}",
                got="no such material" if kind is None else kind,
            )
        return kind

    def _mat1(self, mid: int) -> tuple[float, ...]:
        """E, G, nu, rho, ge, alpha, tref of a MAT1, completed by E = 2(1 + nu)G.

        Rules of the Quick Reference Guide: of E, G, NU any two give the third; E and NU both blank make
        both zero; G and NU both blank make both zero; all three given are used as they stand.
        """
        mid = int(mid)
        if mid in self._isotropic:
            return self._isotropic[mid]
        table, i = self._place[mid]
        values = _numbers(table, i, 8)
        E, G, nu = (None if blank else value for blank, value in zip(_blanks(table, i, 4)[1:], values[1:4]))
        if E is None and G is None:
            raise table.error(i, "MAT1 needs E or G")
        if E is None and nu is None:
            E = nu = 0.0
        elif G is None and nu is None:
            G = nu = 0.0
        elif E is None:
            E = 2.0 * (1.0 + nu) * G
        elif G is None:
            if nu == -1.0:
                raise table.error(i, "MAT1 with NU = -1 needs G")
            G = E / (2.0 * (1.0 + nu))
        elif nu is None:
            nu = 0.0 if G == 0.0 else E / (2.0 * G) - 1.0
        self._isotropic[mid] = (E, G, nu, values[4], values[7], values[5], values[6])
        return self._isotropic[mid]


def _numbers(table: CardTable, i: int, n: int) -> list[float]:
    """The first n fields of card i, blanks as zero; a word is a DeckError."""
    row = table.row(i)[:n]
    for value in row:
        if isinstance(value, str):
            raise table.error(i, f"{table.label(i)} has a word where a number belongs", got=value)
    return [0.0 if value is None else float(value) for value in row] + [0.0] * (n - len(row))


def _blanks(table: CardTable, i: int, n: int) -> list[bool]:
    row = table.row(i)[:n]
    return [value is None for value in row] + [True] * (n - len(row))
