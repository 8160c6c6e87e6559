"""Cards of properties and materials."""

from __future__ import annotations

from interstage.nastran.cards.spec import CardSpec, described

_PLIES = {f"{word}{k}": first + 4 * k for word, first in (("T", 6), ("THETA", 7)) for k in range(1, 50)}
_DIMENSIONS = {f"DIM{k}": 8 + k for k in range(1, 13)}

CARDS = [
    # line elements
    *described(
        "A, J, C (torsional stress), NSM",
        "",
        CardSpec("PROD", "property", fields=6, reals="3-6", not_negative="3-4", named={"A": 3, "J": 4}),
    ),
    *described(
        "OD, T, NSM",
        "OD2 that differs refused",
        CardSpec("PTUBE", "property", fields=6, reals="3-6", named={"OD": 3, "T": 4}),
    ),
    *described(
        "A, I1, I2, I12, J, K1, K2, NSM, stress points; blank K1, K2: no shear flexibility",
        "",
        CardSpec(
            "PBAR",
            "property",
            fields=19,
            ids_with="PBAR",
            reals="3-7,9-19",
            named={"A": 3, "I1": 4, "I2": 5, "J": 6},
        ),
    ),
    *described(
        "all section types but L, NSM",
        "",
        CardSpec("PBARL", "property", ids_with="PBAR", reals="9+", named=_DIMENSIONS),
    ),
    *described(
        (
            "stations, stress points, K1, K2 (blank: 1.0), S1, S2, NSI, M1 to N2; blanks filled as the Quick "
            "Reference Guide says"
        ),
        "CW only with SA, SB: refused",
        CardSpec(
            "PBEAM",
            "property",
            ids_with="PBEAM",
            reals="3+",
            named={"A": 3, "A(A)": 3, "I1(A)": 4, "I2(A)": 5, "J(A)": 7},
        ),
    ),
    *described(
        "all section types, stations",
        "",
        CardSpec("PBEAML", "property", ids_with="PBEAM", reals="9+", named=_DIMENSIONS),
    ),
    *described(
        "A to NSM, K1 to N2; with SECTION 1 to 5 lumped areas of several materials (J in MID)",
        "stresses are those of the axial force in MID",
        CardSpec("PBCOMP", "property", ids_with="PBEAM", reals="3-14,17/8,18/8,19/8"),
    ),
    *described(
        ("A to DELTAN (blank: I1/(A R)), stress points with Winkler's distribution; pipes with FSI 1 and 2"),
        "FSI 3 and above refused",
        CardSpec("PBEND", "property", reals="4-22"),
    ),
    *described(
        "stations A, B, C, stress points, KY, KZ (blank: 1.0)",
        "offsets of the neutral axis and of mass, mass inertias, warping: refused",
        CardSpec("PBEAM3", "property", reals="3+"),
    ),
    *described(
        "lines K, B, GE, M, T (expansion along x, COINL), RCV",
        "",
        CardSpec("PBUSH", "property", reals="2+"),
    ),
    *described(
        "K, C, M, SA, SE",
        "nonlinear springs and dampers (SHOCKA, SPRING, DAMPER, GENER) refused",
        CardSpec("PBUSH1D", "property", reals="2-7"),
    ),
    *described(
        "MID, D, TYPE (SPOT), LDMIN, LDMAX",
        "MSET without effect: constraints are part of the element",
        CardSpec("PWELD", "property", reals="3,9-10"),
    ),
    *described(
        "D, MCID, MFLAG, KT1 to KR3, MASS, GE; KT1 to KT3 are given",
        "negative values",
        CardSpec("PFAST", "property", reals="2,5-12"),
    ),
    *described(
        "U0, KA, KB, KT (MU1 KA if blank)",
        "friction",
        CardSpec("PGAP", "property", fields=11, reals="2-11"),
    ),
    *described(
        "one or two a card",
        "",
        CardSpec("PVISC", "property", fields=8, ids=(1, 5), reals="2-3,6-7"),
    ),
    # scalar elements and masses
    *described(
        "one or two a card",
        "",
        CardSpec("PELAS", "property", fields=8, ids=(1, 5), reals="2-4,6-8", named={"K1": 2}),
    ),
    *described(
        "one to four a card",
        "",
        CardSpec("PDAMP", "property", fields=8, ids=(1, 3, 5, 7), reals="2,4,6,8"),
    ),
    *described(
        "one to four a card",
        "",
        CardSpec("PMASS", "property", fields=8, ids=(1, 3, 5, 7), reals="2,4,6,8", named={"M1": 2}),
    ),
    # shells
    *described(
        (
            "MID1 to MID4, T, 12I/T³, TS/T, NSM; MID2 = -1 plane strain; MID3 blank: no shear flexibility; "
            "Z1, Z2 in stresses"
        ),
        "GE and density are those of MID1",
        CardSpec("PSHELL", "property", fields=11, ids_with="PSHELL", reals="3,5,7-10", named={"T": 3}),
    ),
    *described(
        "plies, Z0, NSM, GE, LAM = SYM (PCOMP), MEM, BEND, SMEAR, SMCORE",
        (
            "SB, FT, output flags ignored; with temperatures, ply stresses leave out what plies of unlike "
            "expansion do to each other; corner thicknesses do not count"
        ),
        CardSpec("PCOMP", "property", ids_with="PSHELL", reals="2-4,6-7,10/4,11/4", named=_PLIES),
        CardSpec("PCOMPG", "property", ids_with="PSHELL", reals="2-4,6-7,11/8,12/8"),
    ),
    *described(
        "T, NSM, F1, F2",
        "",
        CardSpec("PSHEAR", "property", fields=6, reals="3-6", named={"T": 3}),
    ),
    # solids
    *described(
        (
            "MID, CORDM (-1: element axes), ISOP = FULL with IN = TWO or THREE; IN = TWO and THREE of "
            "CHEXA and CPENTA without mid-edge grids: reduced shear without bubble functions"
        ),
        "other integration: default, with a note; FCTN other than SMECH refused",
        CardSpec("PSOLID", "property", fields=8, ids_with="PSOLID"),
    ),
    *described(
        (
            "CHEXA of eight grids: plies of MAT1 and MAT9 with their angles, CORDM, PSDIR, GE; each ply is "
            "integrated on its own, stiffness and mass"
        ),
        "other solids, temperatures and mid-edge grids refused; no stresses",
        CardSpec("PCOMPS", "property", ids_with="PSOLID", reals="6-7,11/8,12/8"),
    ),
    # materials
    *described(
        "E, G, NU by the rules of the Guide (NU outside 0 to 0.5: a warning, as in Nastran), RHO, GE, A, TREF",
        "stress limits ignored, as with all materials",
        CardSpec(
            "MAT1",
            "material",
            fields=12,
            reals="2-11",
            not_negative="2-3",
            named={"E": 2, "G": 3, "NU": 4, "RHO": 5},
        ),
    ),
    *described(
        "plane anisotropic, RHO, GE, A1 to A3, TREF; as MID3: transverse shear",
        "",
        CardSpec("MAT2", "material", reals="2-16"),
    ),
    *described(
        "of CTRIAX6: EX to GZX, RHO, GE, AX, ATH, AZ, TREF",
        "",
        CardSpec("MAT3", "material", fields=16, reals="2-8,11-16", not_negative="2-4,11"),
    ),
    *described(
        ("plane orthotropic, RHO, GE, A1, A2, TREF; blank G1Z or G2Z: no transverse shear flexibility"),
        "",
        CardSpec("MAT8", "material", reals="2-19", not_negative="2-3,5-7"),
    ),
    *described(
        "solid anisotropic, RHO, GE, A1 to A6, TREF",
        "",
        CardSpec("MAT9", "material", reals="2-31", not_negative="2,8,13,17,20,22"),
    ),
]
