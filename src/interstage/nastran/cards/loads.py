"""Cards of solutions, dynamic requests and loads."""

from __future__ import annotations

from interstage.nastran.cards.spec import CardSpec, alike, described

CARDS = [
    # solutions, parameters and loads
    *described(
        "V1, V2, ND, NORM = MASS or MAX",
        "solver settings ignored",
        CardSpec("EIGRL", "model", reals="2-3,7"),
    ),
    *described(
        (
            "F1, F2, ND, NORM = MASS or MAX; any METHOD; FEER: the ND modes nearest to F1. SOL 11 and 12 use "
            "ND modes from F1 on, also above F2"
        ),
        "NORM = POINT is taken as MASS",
        CardSpec("EIGR", "model", reals="3-4"),
    ),
    *described(
        "L1, L2, NDP",
        "solver settings ignored",
        CardSpec("EIGB", "model", reals="3-4"),
    ),
    *described(
        "all; those of one set add up",
        "",
        *alike("FREQ FREQ5", "dynamic"),
        *alike("FREQ1 FREQ2", "dynamic", fields=4),
        CardSpec("FREQ3", "dynamic", fields=6),
        CardSpec("FREQ4", "dynamic", fields=5),
    ),
    *described(
        "runs of steps, NO",
        "",
        CardSpec("TSTEP", "dynamic"),
    ),
    *described(
        (
            "forces: EXCITEID of DAREA, LSEQ, any static load or temperatures; enforced motion: TYPE DISP, "
            "VELO, ACCE with SPCD; DELAY and DPHASE as numbers or cards"
        ),
        "SPCD on free degrees of freedom is left out with a note; US0 and VS0 of enforced motion refused",
        *alike("TLOAD1 RLOAD1 RLOAD2", "dynamic", fields=8),
        CardSpec("TLOAD2", "dynamic", fields=12),
    ),
    *described(
        "all",
        "",
        *alike("DELAY DPHASE", "dynamic", fields=7),
    ),
    *described(
        "all, cross spectra between subcases too; LOG axes",
        "",
        CardSpec("RANDPS", "dynamic", fields=6),
        CardSpec("RANDT1", "dynamic", fields=4),
        *alike("TABRND1 TABRNDG", "dynamic"),
    ),
    *described(
        "unit loads of residual vectors of modal responses",
        "",
        *alike("RVDOF RVDOF1", "dynamic"),
    ),
    *described(
        "tables of frequency (K, B, GE) in frequency responses",
        "tables of force (KN) have no part in linear solutions",
        *alike("PBUSHT PELAST PDAMPT", "dynamic"),
    ),
    *described(
        "all; an LSEQ set without LOADSET is taken with a note if it is the only one",
        "",
        CardSpec("DLOAD", "dynamic"),
        CardSpec("DAREA", "dynamic", fields=7),
        CardSpec("LSEQ", "dynamic", fields=4),
        CardSpec("TIC", "dynamic", fields=5),
    ),
    *described(
        ("METHOD (all are solved one way), NORM, G, C, ND0, regions and shifts; in complex modes"),
        "E, block sizes ignored",
        CardSpec("EIGC", "dynamic"),
    ),
    *described(
        "all, in complex modes",
        "refused in responses if TFL selects them",
        *alike("TF EPOINT", "dynamic"),
    ),
    *described(
        "all, LOG axes of TABLED1; EXTRAP 1 holds the values at the ends; without ENDT with a warning, Nastran refuses "
        "them",
        "",
        *alike("TABLED1 TABLED2 TABLED3 TABLED4", "dynamic"),
    ),
    *described(
        "G, CRIT, Q",
        "",
        CardSpec("TABDMP1", "dynamic"),
    ),
    *described(
        "see below",
        "",
        CardSpec("PARAM", "model"),
    ),
    *described(
        "any CID",
        "",
        *alike("FORCE MOMENT", "load", fields=7, reals="4-7"),
    ),
    *described(
        "all; buckling and modes under preload count that they follow their grids",
        "",
        *alike("FORCE1 MOMENT1", "load", fields=5, reals="3"),
        *alike("FORCE2 MOMENT2", "load", fields=7, reals="3"),
    ),
    *described(
        "all; on a grid along its first axis",
        "",
        CardSpec("SLOAD", "load", fields=7, reals="3,5,7"),
    ),
    *described(
        "pressure on grids, on shells",
        "",
        CardSpec("PLOAD", "load", fields=6, reals="2"),
        CardSpec("PLOAD2", "load", reals="2"),
    ),
    *described(
        "shells and faces of solids, corner values, direction in CID, THRU",
        "loads along edges (SORL, LDIR) refused",
        CardSpec("PLOAD4", "load", fields=14, reals="3-6,10-12"),
    ),
    *described(
        "on sides of CTRIAX6, THETA",
        "",
        CardSpec("PLOADX1", "load", fields=7, reals="3-4,7"),
        CardSpec("PLOADX", "load", reals="2-3"),
    ),
    *described(
        (
            "on CBAR and CBEAM, all types and scales; forces and moments of bars count it; on the whole of a "
            "CBEND in basic axes"
        ),
        "section forces of CBEND leave out what acts between its ends, with a note",
        CardSpec("PLOAD1", "load", fields=8, reals="5-8"),
    ),
    *described(
        (
            "[thermal loads](theory/thermal.md): mean and gradient of shells, ends and gradients of bars, "
            "interpolated between the grids of solids"
        ),
        "temperatures at points of sections",
        CardSpec("TEMP", "load", fields=7, reals="3,5,7"),
        CardSpec("TEMPD", "load", fields=8, reals="2,4,6,8"),
        CardSpec("TEMPP1", "load", reals="3-6"),
        CardSpec("TEMPRB", "load", reals="3-16"),
    ),
    *described(
        "any CID",
        "",
        CardSpec("GRAV", "load", fields=7, reals="3-6"),
    ),
    *described(
        "A, RACC, axis in CID, METHOD 1 and 2 alike",
        "IDRF refused",
        CardSpec("RFORCE", "load", fields=11, reals="4-7,9"),
    ),
    *described(
        "combinations of combinations too",
        "",
        CardSpec("LOAD", "load", reals="2,3/2"),
    ),
    *described(
        "on degrees of freedom of the SPC set; others are left out with a note, as in Nastran",
        "",
        CardSpec("SPCD", "load", fields=7, reals="4,7", components="3,6"),
    ),
]
