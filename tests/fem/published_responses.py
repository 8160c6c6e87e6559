"""More decks of our own that restate published runs, statics and responses, as folders that `reference_cases` judges.

The runs are real ones of NX and MSC Nastran, published with pyNastran, and of NASTRAN-95, published by NASA. Figures,
and what is judged at which tolerance, stand in `published/<case>.json` with their source: of long tables some grids and
some frequencies or times, the largest values among them. `PUBLISHED` says where the same is among the published files.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from published_runs import figures, one_of_each

from validation.nastran_decks.cards import chain, deck, grids, listed


def welded_shells() -> str:
    """Two sheets of 3 x 3 plates, one above the other, sheared through a spot weld between their middle plates."""
    x, y = (0.0, 0.6, 1.3, 2.0), (0.0, 0.3, 0.6, 1.0)
    numbers = [
        [101, 1011, 1012, 102],
        [1015, 1016, 1017, 1018],
        [1019, 1020, 1021, 1022],
        [104, 1014, 1013, 103],
    ]
    plates = {  # column and row of a plate -> its number in the lower and in the upper sheet
        (0, 0): (2, 12), (1, 0): (3, 13), (2, 0): (4, 14), (0, 1): (5, 15), (1, 1): (10, 11), (2, 1): (6, 16),
        (0, 2): (7, 17), (1, 2): (8, 18), (2, 2): (9, 19),
    }  # fmt: skip
    points, cards = {300: (1.0, 0.5, 0.5)}, []
    for sheet in (0, 1):
        ids = [[n + (10 if n < 1000 else 100) * sheet for n in row] for row in numbers]
        points |= {ids[j][i]: (x[i], y[j], 0.1 * sheet) for j in range(4) for i in range(4)}
        for (i, j), eid in plates.items():
            corners = ids[j][i], ids[j][i + 1], ids[j + 1][i + 1], ids[j + 1][i]
            cards.append(f"CQUAD4,{eid[sheet]},10,{','.join(map(str, corners))}")
    return deck(
        101,
        ["SPC = 600", "SET 77 = 2,10,30", "FORCE = 77", "STRESS = 77", "SUBCASE 1", "LOAD = 1"],
        grids(points),
        cards,
        ["PSHELL,10,10,.1,10", "MAT1,10,1.+7,,.3,1.-4", "SPC1,600,123456,101,104,1015,1019"],
        ["LOAD,1,1.,100.,301", *(f"FORCE,301,{g},0,.5,1.,0.,0." for g in (112, 113, 1118, 1122))],
        ["PWELD,30,10,.1", "CWELD,30,30,300,ELPAT", ",11,10"],
    )


def heated_laminate() -> str:
    """One plate of three plies 0/90/0, warmer by a degree, pulled, and both in combinations (SUBCOM)."""
    case = ["FORCE = ALL", "STRESS = ALL", "SUBCASE 10", "TEMP(LOAD) = 11", "SUBCASE 20", "LOAD = 20"]
    case += ["SUBCOM 30", "SUBSEQ = -200.,3400.", "TEMP(LOAD) = 31", "SUBCOM 40", "SUBSEQ = 5320."]
    held = {1: (0, 0, 123456), 2: (1, 0, 6), 3: (1, 1, 6), 4: (0, 1, 16)}
    return deck(
        101,
        case,
        [f"GRID,{g},,{x}.,{y}.,0.,,{ps}" for g, (x, y, ps) in held.items()],
        ["CQUAD4,101,101,1,2,3,4,0.", "TEMPD,11,1.", "TEMPD,31,-200."],
        ["FORCE,20,2,,.5,12.", "FORCE,20,3,,.5,12."],
        ["MAT8,1,7.8+6,2.6+6,.25,1.25+6,4.+3,20.+3,6.+3", ",3.5-6,11.4-6,0.,150.+3,150.+3,4.+3,20.+3,6.+3"],
        ["PCOMP,101,,,1.+10,HILL,0.", ",1,1.,0.,YES,1,10.,90.,YES", ",1,1.,0.,YES"],
    )


def prism_turned_inside_out() -> str:
    """A CPENTA numbered left-handed, without bubbles (IN = 2), under forces and a pressure on a side."""
    corners = {6801: (0.1, 0.1), 6802: (0.1, -0.1), 6803: (-0.1, 0.0)}
    points = {g + 3 * k: (*xy, 2.0 * k - 1.0) for k in (0, 1) for g, xy in corners.items()}
    return deck(
        101,
        ["SPC = 1", "STRESS(CORNER) = ALL", "SUBCASE 1", "LOAD = 1"],
        [f"GRID,{g},,{x},{y},{z},,456" for g, (x, y, z) in points.items()],
        ["CPENTA,6801,6801,6801,6802,6803,6804,6805,6806", "PSOLID,6801,2,0,2", "MAT1,2,1.+7,,.3"],
        ["SPC1,1,123,6801,6802,6803", *(f"FORCE,1,{g},0,.3333,0.,0.,1." for g in (6804, 6805, 6806))],
        "PLOAD4,1,6801,110.,,,,6801,6805",
    )


def loose_tower(motion: bool = True) -> str:
    """The tower of `one_of_each` held at its shells, with springs, a rod and a panel below, and next to no load.

    motion : with a prescribed motion of a dof that no SPC holds, which Nastran passes over
    """
    text = one_of_each("").replace("SOL 101", "SOL 105").replace("SPC = 1\nLOAD = 1\n", "SPC = 123456\n")
    text = text.replace("BEGIN BULK", "SUBCASE 1\nLOAD = 10000\nSUBCASE 2\nMETHOD = 42\nBEGIN BULK")
    lines = [
        line for line in text.splitlines() if not line.startswith(("FORCE,", "SPC1,", "EIGRL", "ENDDATA"))
    ]
    lines += [
        "EIGB,42,INV,0.,100.,20",
        "FORCE,10000,13,0,.00001,0.,0.,1.",
        *["SPCD,10000,13,1,-.01"] * motion,
    ]
    lines += ["SPC1,123456,123456,18,19,20,21", "SPC1,123456,456,5,THRU,13", "SPC1,123456,123456,22,THRU,25"]
    lines += ["CELAS1,22,8,21,1,25,1", "CELAS2,23,10.,21,1,25,1", "PELAS,8,10.", "CSHEAR,28,9,17,16,20,21"]
    lines += ["PSHEAR,9,1,.1", "CDAMP2,26,10.,20,1,24,1", "CONROD,27,18,22,1,1.,2.", "ENDDATA", ""]
    return "\n".join(lines)


def trusses_and_matrices() -> str:
    """The same truss of three panels of rods, tubes, CONRODs and bars; two GENELs; DMIGs as stiffness and as load."""
    joints = {1: (0, 0), 2: (180, 0), 3: (180, 240), 4: (360, 0), 5: (360, 240), 6: (540, 0)}
    ends = ((1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5), (5, 6), (4, 6))
    kinds = (1, 2, 3, 1, 1, 3, 3, 2, 1)  # of section
    areas = {1: 2.54, 2: 6.77, 3: 3.68}
    turned = {3: (0, 0), 4: (300, 0), 5: (108, 144)}  # in system 2

    def points(first: int, more: str, systems: dict[int, int]) -> list[str]:
        """Joints of a truss; those of `systems` {joint: its cd} are given in system 2, more: the field behind cd."""
        out = []
        for k, (x, y) in joints.items():
            cd = systems.get(k, "")
            cp, (x, y) = (2, turned[k]) if k in systems and k in turned else ("", (x, y))
            out.append(f"GRID,{first + k},{cp},{x}.,{y}.,0.,{cd}{more}")
        return out

    def members(name: str, first: int, more: str = "") -> list[str]:
        return [
            f"{name},{first + k},{first + kind},{first + a},{first + b}{more}"
            for k, (kind, (a, b)) in enumerate(zip(kinds, ends), 1)
        ]

    lines = [*points(0, "", {3: 2, 4: 2, 5: "", 6: 2}), *points(30, "", {}), *points(40, "", {})]
    lines += [*points(60, ",345", {3: 2, 4: 2, 5: 2}), "CORD2R,2,,180.,240.,0.,180.,240.,100.", ",360.,0.,0."]
    lines += [*members("CROD", 0), *members("CTUBE", 30), *members("CBAR", 60, ",0.,0.,1.")]
    lines = [line + "\n,6,6" if line.startswith("CBAR,64,") else line for line in lines]
    lines += [
        f"CONROD,{40 + k},{40 + a},{40 + b},51,{areas[kind]}"
        for k, (kind, (a, b)) in enumerate(zip(kinds, ends), 1)
    ]
    lines += [
        "PROD,1,51,7.97",
        "PROD,2,51,21.16",
        "PROD,3,51,11.77",
        "MAT1,51,30.+3",
        "MAT1,53,30.+3",
        "MAT1,54,30.+3",
    ]
    lines += [f"PTUBE,{30 + k},53,{diameter},1." for k, diameter in areas.items()]
    lines += ["PBAR,61,54,7.97,,16.6", "PBAR,62,54,21.16,,195.3", "PBAR,63,54,11.77,,44.1"]
    for first, matrix in ((1001, "K"), (101, "Z")):
        cut = [f"{first + 1},{c}" for c in range(1, 7)], [f"{first},{c}" for c in range(1, 7)]
        lines += [f"GRID,{first},,0.,0.,0.,,123456", f"GRID,{first + 1},,1.,0.,0."]
        lines += [f"GENEL,{first},,{','.join(cut[0][:3])}", f",{','.join(cut[0][3:])}"]
        lines += [f",UD,,{','.join(cut[1][:3])}", f",{','.join(cut[1][3:])}"]
        size = [k if matrix == "K" else 1.0 / k for k in range(1, 7)]
        words = [f"{size[i]:.7f}" if i == j else "0." for i in range(6) for j in range(i, 6)]
        words = [matrix, *words, *[""] * (-(1 + len(words)) % 8)]
        if matrix == "Z":  # rigid motion of the far end, a meter along x
            arm = np.eye(6)
            arm[1, 5], arm[2, 4] = 1.0, -1.0
            words += ["S", *(f"{v:g}." for v in arm.ravel())]
        lines += ["," + ",".join(words[k : k + 8]) for k in range(0, len(words), 8)]
    lines += [
        "GRID,10000,,,,,,456",
        "GRID,10001,,,,,,3",
        "DMIG,MATK,0,6,2,0",
        "DMIG,MATK,10000,3,,10000,3,1.D6",
    ]
    lines += [",10001,3,-1.D6", "DMIG,MATK,10001,3,,10001,3,1.D6", "DMIG,MATLOAD,0,9,1,0"]
    lines += ["DMIG,MATLOAD,1,,,10000,3,1000.", "PLOAD1,1,66,FZE,FR,.3,0.,.6,10."]
    lines += [f"{name},1,{g},0,1.,1.,1.,1." for g in (102, 1002) for name in ("FORCE", "MOMENT")]
    lines += ["FORCE,1,2,0,120.,0.,-1.,0.", "FORCE,1,4,2,150.,1.,0.,0.", "FORCE1,1,4,150.,5,2"]
    lines += [
        "MOMENT,1,62,,1000.,0.,0.,1.",
        "MOMENT,1,64,,1000.,0.,0.,1.",
        "SPCD,300,44,2,18.",
        "LOAD,300,1.,1.,1",
    ]
    lines += ["SPCADD,400,401,402,1", "SPC1,1,2,1,6", "SPC,1,1,1,0.", "SPC,402,44,2,0."]
    lines += [f"SPC,{s},{g + 1},12,0.,{g + 6},2,0." for s, g in ((1, 30), (401, 40), (1, 60))]
    case = ["SPC = 400", "SUBCASE 1", "P2G = MATLOAD", "K2GG = MATK", "LOAD = 300"]
    return deck(101, case, "GRDSET,,,,,,,3456", lines)


def bush_of_tables() -> str:
    """A CBUSH whose stiffness, damping and loss factor are tables of frequency, at 10, 15 and 20 Hz; random loads."""
    forces = [f"FORCE,85,11,,{s}.,{v}" for s, v in ((10000, "1."), (1000, ",1."), (100, ",,1."))]
    moments = [f"MOMENT,85,11,,{s}.,{v}" for s, v in ((7000, "1."), (700, ",1."), (70, ",,1."))]
    tables = {101: 700.0, 103: 30.0, 107: 2.0}
    return deck(
        108,
        ["DLOAD = 185", "DISP = ALL", "FORCE(RALL) = ALL", "FREQ = 120", "RANDOM = 100"],
        ["GRID,11,,10.,0.,0.", "GRID,112,,-10.,0.,0.,,123456", "GRID,21,,-10.,10.,0.,,123456"],
        ["CBUSH,123,456,112,11,21", ",1.", "PBUSH,456,K,101.,202.,303.,404.,505.,606.", ",,GE,.07"],
        [
            ",,B,.131,.132,.133",
            ",,RCV,1.",
            "PBUSHT,456,K,101,101,101,101,101,101",
            ",,B,103,103,103",
            ",,GE,107",
        ],
        [
            *forces,
            *moments,
            "RLOAD1,185,85,,,581",
            "TABLED1,581",
            ",1.,1.,10000.,1.,ENDT",
            "FREQ1,120,10.,5.,2",
        ],
        [line for t, v in tables.items() for line in (f"TABLED1,{t}", f",10.,{v},20.,{v},ENDT")],
        ["RANDPS,100,1,1,4.,,1", "RANDPS,10,2,2,8.,,1", "RANDT1,100,4,0.,.4", "TABRNDG,1,1,.2,6."],
    )


def phases_and_delays() -> str:
    """A beam of ten cells, the first two a GENEL: sets of loads, a DELAY, and a DPHASE, by four modes."""
    case = [
        "SPC = 11",
        "METHOD = 2",
        "FREQUENCY = 508",
        "RANDOM = 11",
        "SDAMPING = 11",
        "DISP = ALL",
        "ACCE = ALL",
    ]
    case += [f"SUBCASE {k}\nDLOAD = {load}" for k, load in enumerate((506, 507, 510), 1)]
    genel = ["GENEL,1101,,2,1,2,3,2,5", ",3,1,3,3,3,5", ",UD,,1,1,1,3,1,5"]
    genel += [",Z,.89044935-8,0.,0.,.89044935-8,0.,0.,3.08928-6", ",-2.31696-6,0.,7.7232005-6,-2.31696-6"]
    genel[-1] += ",2.31696-6,0.,-6.950884-6,2.31696-6"
    genel += [",1.7808987-8,0.,0.,24.714241-6,-9.26784-6,4.6339203-6", ",S,1.,0.,0.,0.,1.,-2.,0."]
    genel += [",0.,1.,1.,0.,0.,0.,1.,-4.", ",0.,0.,1."]
    masses = {11: (1, "5.34604-3"), 12: (2, "1.069208-2"), 13: (3, "5.34604-3")}
    return deck(
        11,
        case,
        ["GRDSET,,,,,,,246", *grids({k + 1: (2.0 * k, 0, 0) for k in range(11)})],
        [f"CBAR,{k},1,{k},{k + 1},20.,0.,1." for k in range(3, 11)],
        ["PBAR,1,1,21.18922,.083,.083", "MAT1,1,10.4+6,4.+6,,.2523-3", *genel],
        [f"CONM2,{k},{g},,{m}" for k, (g, m) in masses.items()],
        ["DAREA,2,5,5,-100.", "DAREA,2,6,3,50.,5,3,50.", "DAREA,2,7,3,50.,7,5,100.", "DAREA,3,6,3,100."],
        ["DAREA,510,6,3,1.", "DELAY,1,6,3,.5555-2", "DPHASE,1,6,3,30.", "DPHASE,5102,6,3,-30."],
        ["DLOAD,506,1.,1.,5,1.,6", "DLOAD,507,1.,1.,5,1.,7", "DLOAD,510,2.,1.,5101,1.,5102"],
        ["RLOAD1,5101,510,,,5101", "RLOAD1,5102,510,,5102,,5102"],
        ["RLOAD2,5,2,,,1", "RLOAD2,6,3,,1,1,2", "RLOAD2,7,3,1,,1", "FREQ1,508,0.,5.,40"],
        ["TABLED1,1", ",0.,1.,100.,1.,ENDT", "TABLED1,2", ",0.,30.,100.,30.,ENDT"],
        ["TABLED1,5101", ",0.,75.,100.,75.,ENDT", "TABLED1,5102", ",0.,50.,100.,50.,ENDT"],
        ["EIGR,2,INV,40.,1000.,3,5", ",MASS", "PARAM,LMODES,4", "SPC,11,1,13,,11,3"],
        ["TABDMP1,11", ",0.,0.,50.,.02,ENDT", "RANDPS,11,1,1,.5,,11", "RANDPS,11,1,3,.5,,11"],
        ["RANDPS,11,2,2,1.,,11", "RANDPS,11,3,3,.5,,11", "RANDT1,11,100,0.,.1"],
        ["TABRND1,11", ",-1.,0.,0.,100.,100.,100.,100.,0.", ",101.,0.,ENDT"],
    )


def shaken_base() -> str:
    """A cantilever of rods with a mass at its tip on a CBUSH whose base is shaken at random; residual vectors."""
    case = [
        "FREQUENCY = 100",
        "METHOD = 100",
        "SDAMPING = 100",
        "ACCELERATION(PSDF) = ALL",
        "FORCE(PSDF) = ALL",
    ]
    case += ["SUBCASE 1", "SPC = 2", "ANALYSIS = MODES", "SUBCASE 2", "SPC = 102", "DLOAD = 302"]
    case += ["SUBCASE 3", "SPC = 2", "ANALYSIS = RANDOM", "RANDOM = 103"]
    stations = {1: 0.0, 4: 20.0, 5: 40.0, 6: 60.0, 7: 80.0, 3: 100.0, 9: 0.0}
    spectrum = [",20.,.01,50.,.015,700.,.015,800.,.03", ",925.,.03,2000.,.00644,ENDT"]
    named = "$ for Simcenter Nastran version 2022.1\n"  # whose lumped beams have rotary inertia
    return named + deck(
        111,
        case,
        grids({g: (x, 0, 0) for g, x in stations.items()}),
        chain("CBAR", 2, 1, (1, 4, 5, 6, 7, 3)),
        ["PBARL,1,2,,ROD", ",10.,0.", "MAT1,2,7.1019+7,,.33,2.7957-6,,,.02", "CONM2,7,3,0,10."],
        ["CBUSH,8,2,9,1,,,,1", "PBUSH,2,K,1.+12,1.+12,1.+12,1.+12,1.+12,1.+12"],
        ["CORD2R,1,0,0.,0.,0.,0.,0.,1.", ",1.,0.,0.", "PARAM,K6ROT,100.", "PARAM,KDAMP,1"],
        ["SPC,2,9,123456,0.", "SPC1,1,2,9", "SPCADD,102,1,2", "SPCD,5,9,2,1.", "DLOAD,302,1.,1.,4"],
        ["RLOAD1,4,5,,,5,,ACCE", "TABLED1,5", ",10.,1.,2000.,1.,ENDT", "EIGRL,100,.1,2000."],
        [
            "FREQ3,100,20.,2000.,LINEAR,10,1.",
            "FREQ2,100,20.,2000.,100",
            "TABDMP1,100,G",
            ",0.,.02,1.+10,.02,ENDT",
        ],
        ["RANDPS,103,2,2,1.,0.,1", "TABRND1,1,LOG,LOG", *spectrum],
    )


def free_beam_in_steps() -> str:
    """A free beam of a hundred bars with a mass at one end, pushed at the other; reduced, by six modes, in steps."""
    kept = {1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 101}
    return deck(
        112,
        ["DLOAD = 516", "SDAMPING = 15", "TSTEP = 516", "METHOD = 2", "DISPLACEMENT = ALL"],
        ["GRDSET,,,,,,,1246", *grids({k + 1: (round(0.2 * k, 1), 0, 0) for k in range(101)})],
        chain("CBAR", 1, 17, range(1, 102), "10.,0.,100."),
        ["PBAR,17,1,1.,.083,.083", "MAT1,1,10.4+6,4.+6,,.2523-3", "CONM2,20,1,,10.", ",,,1666.66"],
        listed("OMIT1,53", (k for k in range(1, 102) if k not in kept)),
        ["SUPORT,1,3,1,5", "DAREA,1,101,3,100.", "TLOAD2,516,1,,,0.,.1,60.", "TSTEP,516,104,.001388,1"],
        [
            "EIGR,2,INV,0.,1500.,5,6",
            ",MASS",
            "PARAM,LMODES,6",
            "TABDMP1,15",
            ",10.,.01,100.,.1,3000.,.1,ENDT",
        ],
    )


def random_force() -> str:
    """Four bars and two shells with a large mass, a force of white noise from 20 to 2000 Hz, and residual vectors."""
    points = {1: (0, 0), 2: (0, 1), 3: (0, 2), 4: (0, 3), 5: (0, 4), 6: (1, 2), 7: (1, 3)}
    return deck(
        111,
        [
            "SPC = 1",
            "FREQUENCY = 2",
            "METHOD = 1",
            "SDAMPING = 3",
            "RANDOM = 200",
            "DLOAD = 1",
            "DISP(PSDF) = ALL",
        ],
        grids({g: (x, y, 0) for g, (x, y) in points.items()}),
        [
            *chain("CBAR", 1, 1, range(1, 6), "1.,0.,0."),
            "CQUAD4,5,3,3,6,7,4",
            "CTRIA3,6,3,5,4,7",
            "CONM2,10,1,0,10000.",
        ],
        ["PBAR,1,1,.01445,1.74-5,1.74-5,2.9382-5", ",", ",.8501176,.8501176,0.", "PSHELL,3,1,.1,1,,1"],
        [
            "MAT1,1,2000000.,,.33,.098",
            "SPC1,1,456,1",
            "PARAM,AUTOSPC,YES",
            "PARAM,K6ROT,100.",
            "PARAM,WTMASS,.00259",
        ],
        ["RLOAD2,101,102,,,1,,LOAD", "FORCE,102,1,0,1.,1.+4,0.,0.", "DLOAD,1,1.,1.,101", "EIGRL,1,,,3"],
        [
            "TABLED2,1,0.",
            ",0.,1.,10000.,1.,ENDT",
            "FREQ1,2,20.,10.",
            "TABDMP1,3,G",
            ",0.,.01,10000.,.01,ENDT",
        ],
        ["RANDPS,200,1,1,1.,0.,1", "TABRND1,1,LOG,LOG", ",20.,.1,2000.,.1,ENDT"],
    )


def string_of_500(solution: int = 11) -> str:
    """A string of 500 cells, two springs and two masses a card; pulled evenly, or with dampers on ground (110)."""
    springs = [
        f"CELAS3,{k},101,{k if k > 1 else 0},{k + 1},{k + 1},101,{k + 1},{(k + 2) % 501}"
        for k in range(1, 500, 2)
    ]

    def pairs(name: str, first: int, pid: int) -> list[str]:
        cards = [f"{name},{first + 2},{pid},2,0"]
        two = "{0},{3},{1},{2},0,{4},{1},{5},0"
        return cards + [two.format(name, pid, k, first + k, first + k + 1, k + 1) for k in range(3, 500, 2)]

    if solution == 110:
        case, end = ["CMETHOD = 1"], ["EIGC,1,FEER,MAX", ",-1.,12.", "PARAM,G,.05", "PDAMP,401,6.283185"]
        end += [*pairs("CDAMP3", 60000, 401), "PELAS,101,1.+7,.05,10."]
    else:
        case, end = ["METHOD = 10", "FREQ = 11", "DLOAD = 11", "DISPLACEMENT = ALL"], ["PELAS,101,1.+7"]
        end += [f"DAREA,11,{k},,1.,{k + 1},,1." for k in range(2, 500, 2)] + [
            "DAREA,11,500,,1.",
            "RLOAD1,11,11,,,1",
        ]
        end += ["EIGR,10,FEER,10.5,,,20", ",MAX", "FREQ2,11,.1,10.,15", "PARAM,LMODES,20", "PARAM,MODACC,1"]
        end += ["TABLED1,1", ",-10.,310.022767,100.,310.022767,ENDT"]
    return deck(solution, case, springs, pairs("CMASS3", 40000, 301), "PMASS,301,10.", end)


def actuator() -> str:
    """Three masses, of which an actuator moves the third beside the second: transfer functions on extra points."""
    return deck(
        110,
        ["AUTOSPC = NO", "MPC = 100", "TFL = 101", "METHOD = 301", "CMETHOD = 302"],
        ["SPOINT,1001", "EPOINT,2001", *(f"GRID,{k},,{k}.,0.,0.,,23456" for k in (1, 2, 3))],
        ["CELAS2,21,1.,1,1", "CELAS2,22,1.5,1,1,2,1", "CONM2,11,1,,1.", "CONM2,12,2,,2.", "CONM2,13,3,,.4"],
        ["EIGR,301,LAN,,,,3", ",MAX", "EIGC,302,HESS,MAX,,,,8"],
        ["TF,101,2001,,1.,.1,0.", "TF,101,1001,,100.,0.,0.", ",2001,,-100.,0.,0."],
        ["MPC,100,1001,,1.,3,1,-1.", ",,2,1,1."],
    )


def loaded_rods() -> str:
    """A cantilever of nine CBARs and a CBEAM, each a ROD of MSC's library under PLOAD1, and a mass at its tip."""
    return deck(
        101,
        ["SPC = 1", "LOAD = 10"],
        grids({k + 1: (k, 0, 0) for k in range(11)}),
        chain("CBAR", 1, 1, range(1, 11), "0.,1.,0."),
        ["CBEAM,10,3,10,11,0.,1.,0.", "PBARL,1,2,MSCBML0,ROD", ",.3,0.", "PBEAML,3,2,MSCBML0,ROD", ",.3,0."],
        ["MAT1,2,3.+7,1.1628+7,.29,7.4851-4", "CONM2,21,11,0,2.59-3", ",2.59-3,,2.59-3,,,2.59-3"],
        [f"PLOAD1,10,{k},FZ,LE,0.,1.,1.,1." for k in range(1, 11)],
        ["SPC,1,1,123456,0.", "PARAM,K6ROT,100."],
    )


def plies_of_two_kinds() -> str:
    """A strip of plates and triangles whose laminate is a PCOMP or a PCOMPG, shaken by a force at its end."""
    points = {1: (10, 0), 2: (10, 2), 3: (8, 2), 4: (8, 0), 5: (6, 2), 6: (6, 0)}
    points |= {7: (4, 2), 8: (4, 0), 9: (2, 2), 10: (2, 0), 11: (0, 2), 12: (0, 0)}
    plies = {11: (0.033, 25.0), 12: (0.033, 10.0), 13: (0.034, 15.0)}
    same = [f"4,{t},{angle},YES" for t, angle in plies.values()]
    named = [f",{label},4,{t},{angle},YES" for label, (t, angle) in plies.items()]
    return deck(
        111,
        [
            "SUBCASE 1",
            "METHOD = 10",
            "FREQUENCY = 100",
            "SPC = 1",
            "DLOAD = 500",
            "STRESS = ALL",
            "FORCE = ALL",
        ],
        grids({g: (x, y, 0) for g, (x, y) in points.items()}),
        ["CQUADR,3,5,6,5,7,8", "CQUADR,4,4,8,7,9,10", "CQUADR,5,1,10,9,11,12", "CTRIAR,8,4,10,9,12"],
        [
            "CTRIAR,9,5,9,11,12",
            "CTRIA3,1,4,2,3,4",
            "CTRIA3,2,5,4,3,5",
            "CTRIA6,6,4,4,5,6",
            "CTRIA6,7,5,2,4,1",
        ],
        ["MAT1,1,210000.,,.33,7.89-6", "MAT2,3,200000.,5000.,,120000.,,,7.89-6"],
        ["MAT8,4,3.+7,7.5+5,.25,3.75+5,4.+5,4.+5,.1", ",,,,1.5+3,1.+3,6.+1,1.7+2", ",1.+2"],
        [
            "PSHELL,1,4,.1,4,,3",
            "PCOMP,4,,,2500.",
            f",{same[0]},{same[1]}",
            f",{same[2]}",
            "PCOMPG,5,,,2500.",
            *named,
        ],
        ["SPC1,1,123456,11,12", "EIGRL,10,10.,,4", "RLOAD2,500,600,,,310,320", "DAREA,600,1,1,30."],
        [
            "TABLED1,310",
            ",0.,1.,100.,10.,ENDT",
            "TABLED1,320",
            ",0.,1.,100.,150.,ENDT",
            "FREQ1,100,20.,20.,2",
        ],
    )


DECKS = {
    "actuator": actuator,
    "bush_of_tables": bush_of_tables,
    "dampers_on_a_string": lambda: string_of_500(110),
    "free_beam_in_steps": free_beam_in_steps,
    "heated_laminate": heated_laminate,
    "loaded_rods": loaded_rods,
    "loose_tower": loose_tower,
    "loose_tower_buckles": lambda: loose_tower(motion=False),
    "phases_and_delays": phases_and_delays,
    "plies_of_two_kinds": plies_of_two_kinds,
    "prism_turned_inside_out": prism_turned_inside_out,
    "random_force": random_force,
    "shaken_base": shaken_base,
    "string_of_500": string_of_500,
    "trusses_and_matrices": trusses_and_matrices,
    "welded_shells": welded_shells,
}
PUBLISHED = {
    "actuator": "responses/actuator_transfer_function/deck.bdf",
    "bush_of_tables": "responses/bush_tables_of_frequency/deck.bdf",
    "dampers_on_a_string": "responses/two_dampers_per_card_complex_modes/deck.bdf",
    "free_beam_in_steps": "responses/modal_transient_rigid_format_12/deck.bdf",
    "heated_laminate": "nastran/thermal_ply_stresses/deck.bdf",
    "loaded_rods": "nastran/pload1_cbar_cbeam/deck.bdf",
    "loose_tower": "nastran/spcd_on_free_dof/deck_held.bdf",
    "loose_tower_buckles": "nastran/eigb_range_without_factor/deck_held.bdf",
    "phases_and_delays": "responses/dphase_delay_random_beam/deck.bdf",
    "plies_of_two_kinds": "responses/pcompg_ply_labels/deck.bdf",
    "prism_turned_inside_out": "nastran/left_handed_cpenta/deck_island.bdf",
    "random_force": "responses/residual_vectors_random_load/deck.bdf",
    "shaken_base": "responses/enforced_base_random_cbush_bar/deck.bdf",
    "string_of_500": "responses/two_elements_per_card_string/deck.bdf",
    "trusses_and_matrices": "nastran/p2g_k2gg_dmig/deck.bdf",
    "welded_shells": "nastran/cweld_gridid/deck.bdf",
}


def as_array(values: list | dict) -> np.ndarray:
    """Numbers of a file; complex ones stand as {"re": ..., "im": ...}."""
    if isinstance(values, dict):
        return np.array(values["re"]) + 1j * np.array(values["im"])
    return np.array(values)


def as_folder(case: str, folder: Path) -> Path:
    """Write deck, figures and what is judged into a folder, in the form of the published files."""
    stated = figures(case)
    (folder / "deck.bdf").write_text(DECKS[case](), encoding="utf-8")
    kept = {key: value for key, value in stated.items() if key not in ("tables", "source", "solver")}
    (folder / "reference.json").write_text(json.dumps(kept))
    for name, table in stated.get("tables", {}).items():
        np.savez(folder / f"{name}.npz", **{key: as_array(values) for key, values in table.items()})
    return folder
