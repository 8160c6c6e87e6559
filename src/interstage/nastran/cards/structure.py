"""Cards of grids, coordinate systems, parts, rigid elements, constraints and sets."""

from __future__ import annotations

from interstage.nastran.cards.spec import CardSpec, alike, described

CARDS = [
    # geometry
    *described(
        "CP, CD, PS",
        "SEID ignored; fluid points (CD = -1) refused",
        CardSpec("GRID", "model", fields=8, reals="3-5", components="7"),
    ),
    *described(
        "defaults of CP, CD, PS",
        "",
        CardSpec("GRDSET", "model", fields=8, components="7"),
    ),
    *described(
        "all; points that only scalar elements name are made too",
        "",
        CardSpec("SPOINT", "model"),
    ),
    *described(
        "one or two a card, through grids in other systems",
        "",
        *alike("CORD1R CORD1C CORD1S", "model", fields=8),
    ),
    *described(
        "nested in any order",
        "",
        *alike("CORD2R CORD2C CORD2S", "model", fields=11, reals="3-11"),
    ),
    *described(
        "overrides the mean normal of a grid",
        "",
        CardSpec("SNORM", "model", fields=5, reals="3-5"),
    ),
    *described(
        "property, orientation, OFFT",
        "",
        *alike("BAROR BEAMOR", "model", fields=8, reals="6-7"),
    ),
    # parts
    *described(
        (
            "PRIMARY, REPEAT (a part once more, at the place that SELOC gives), MIRROR (its image in the "
            "plane that SEMPLN gives, loads included), EXTERNAL (its section holds boundary GRID, SPOINT and "
            "DMIG KAAX, MAAX, BAAX, K4AAX, as EXTSEOUT(DMIGPCH) writes them), EXTOP2 and EXTOP4 with UNITNO "
            "([external superelements](#external-superelements)), METHOD, TOL"
        ),
        (
            "other types and matrices in a NASTRAN database (MATDB) refused; loads (PAX, PX) not applied, "
            "with a note"
        ),
        CardSpec("SEBULK", "model", reals="5"),
    ),
    *described(
        "pairs and THRU ranges of grids or scalar points, TOL, LOC",
        "",
        CardSpec("SECONCT", "model", reals="3"),
    ),
    *described(
        "which grids of a part may be joined to another, or to ALL",
        "",
        *alike("SEBNDRY SEEXCLD", "model"),
    ),
    *described(
        "three grids of the part onto three of the residual structure",
        "POINT entries",
        CardSpec("SELOC", "model", fields=7),
    ),
    *described(
        "degrees of freedom of the matrices of an external superelement",
        "no effect in the main bulk data",
        CardSpec("EXTRN", "model", components="2/2"),
    ),
    *described(
        (
            "a copy of a part (PSID) at points of the residual structure, one for each point that others "
            "share with the part, in ascending order of those; turned as displacement axes (CD) of the "
            "points are"
        ),
        ("images and external superelements (PSID 0), superelements that GRID cards name (SEID): refused"),
        CardSpec("CSUPER", "model"),
    ),
    *described(
        (
            "PLANE through three grids of the residual structure; axes of grids of the image are those of "
            "the part, mirrored, z the other way"
        ),
        "with SELOC, and as a component (`--part`): refused",
        CardSpec("SEMPLN", "model", fields=5),
    ),
    # constraints and sets
    *described(
        "all; enforced values in statics",
        "",
        CardSpec("SPC", "model", fields=7, reals="4,7", components="3,6"),
        CardSpec("SPC1", "model", components="2"),
    ),
    *described(
        "sets of SPC, SPC1, MPC",
        "an SPCADD or MPCADD that names another",
        *alike("SPCADD MPCADD", "model"),
    ),
    *described(
        "all",
        "",
        CardSpec("MPC", "model", reals="4/8,7/8", components="3/8,6/8"),
    ),
    *described(
        "exact elimination",
        "ALPHA ignored; RJOINT of grids apart refused",
        CardSpec("RBE2", "rigid", components="3"),
        CardSpec("RBAR", "rigid", fields=9, reals="8", components="4-7"),
        CardSpec("RBE1", "rigid", components="3+"),
        CardSpec("RROD", "rigid", fields=7, reals="6"),
        CardSpec("RJOINT", "rigid", fields=4, components="3"),
        *alike("RTRPLT CRIGD1 CRIGD2", "rigid"),
    ),
    *described(
        "weights, components, UM",
        "ALPHA ignored",
        CardSpec("RBE3", "rigid", reals="5", components="4+"),
    ),
    *described(
        (
            "GRID, and ELEM where grids of the shell lie on edges of the solid or end there: the line "
            "through the solid stays straight, and the shell moves and turns with it; mid-edge grids move "
            "and turn with the face"
        ),
        "the turn about that line is left to the shell",
        CardSpec("RSSCON", "rigid"),
    ),
    *described(
        "Guyan reduction for modes, direct responses and complex modes",
        "no effect in statics",
        CardSpec("ASET", "model", components="2/2"),
        CardSpec("ASET1", "model", components="1"),
        CardSpec("OMIT", "model", components="2/2"),
        CardSpec("OMIT1", "model", components="1"),
    ),
    *described(
        (
            "members of the a-set; interface of [components](theory/components.md), whose modes hold BSET "
            "and let CSET move, as the Guide says"
        ),
        "",
        CardSpec("BSET", "model", components="2/2"),
        CardSpec("BSET1", "model", components="1"),
        CardSpec("CSET", "model", components="2/2"),
        CardSpec("CSET1", "model", components="1"),
        CardSpec("BNDFIX", "model", components="2/2"),
        CardSpec("BNDFIX1", "model", components="1"),
        CardSpec("BNDFREE", "model", components="2/2"),
        CardSpec("BNDFRE1", "model", components="1"),
    ),
    *described(
        "places of modal coordinates: modes are those of the whole model",
        "",
        CardSpec("QSET", "model", components="2/2"),
        CardSpec("QSET1", "model", components="1"),
    ),
    *described(
        (
            "members of the a-set; interface of components; held in statics; with PARAM INREL -1 where "
            "inertia relief holds the structure"
        ),
        "",
        CardSpec("SUPORT", "model", components="2/2"),
        CardSpec("SUPORT1", "model", components="3/2"),
    ),
    *described(
        "read and kept",
        "no solution uses them",
        CardSpec("USET", "model", components="3/2"),
        CardSpec("USET1", "model", components="2"),
    ),
    *described(
        (
            "real, symmetric in value, by K2GG, M2GG, B2GG, K42GG, and loads by P2G; "
            "`interstage.fem.from_deck.dmig_text.write_dmig` writes matrices so"
        ),
        "complex or unsymmetric: refused; others than those named ignored",
        CardSpec("DMIG", "model", reals="7/4,8/4"),
    ),
]
