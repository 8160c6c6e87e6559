"""Decks of bars, beams, bushes and rods: the model facts of published runs, in our own text."""

from __future__ import annotations

from itertools import pairwise

from validation.nastran_decks.cards import chain, deck, grids, listed


def bar_beam_bush_plate() -> str:
    """A cantilever of bars with a coincident bush in its middle, a plate at its side and a beam at its end."""
    along = {1: 0, 4: 1, 5: 2, 6: 3, 7: 4, 8: 5, 9: 6, 3: 6, 10: 7, 11: 8, 12: 9, 2: 10, 26: 11, 24: 12}
    points = {i: (x, 0.0, 0.0) for i, x in along.items()}
    points |= {
        16: (8, -1, 0),
        19: (9, -1, 0),
        22: (10, -1, 0),
        13: (8, -2, 0),
        20: (9, -2, 0),
        14: (10, -2, 0),
    }
    return deck(
        111,
        ["SPC = 1", "METHOD = 1"],
        ["PARAM,K6ROT,100.", "PARAM,WTMASS,.00259", "PARAM,GRDPNT,0", "EIGRL,1,20.,2000.", "SPC1,1,123456,1"],
        grids(points),
        chain("CBAR", 1, 1, [1, 4, 5, 6, 7, 8, 9]),
        "CBUSH,11,2,9,3,1.,0.,0.,0",
        chain("CBAR", 7, 1, [3, 10, 11, 12, 2]),
        ["CQUAD4,12,3,11,16,19,12", "CQUAD4,13,3,16,13,20,19"],
        ["CQUAD4,14,3,12,19,22,2", "CQUAD4,15,3,19,20,14,22"],
        chain("CBEAM", 16, 4, [2, 26, 24]),
        # bar 0.2 x 0.1, bush, plate 0.05 thick, beam 0.4 x 0.1: unit weight 0.1
        ["PBAR,1,1,.02,6.6667-5,1.6667-5,4.5794-5", ",", ",.84993,.8507"],
        "PBUSH,2,K,1.+6,1.+6,1.+6,1.+9,1.+9,1.+9",
        "PSHELL,3,1,.05,1,,1",
        ["PBEAM,4,1,.04,5.3333-4,3.3333-5,,1.1258-4", ",", ",YESA,1.", ",.8498575,.85231"],
        "MAT1,1,1.+7,3846154.,.3,.1",
    )


def beam_frame_conm2_free() -> str:
    """A free frame of beams in space with five heavy points, each with rotary inertia."""
    points = {i: (x, 0.0, 0.0) for i, x in zip(range(1, 9), (0, 1, 2, 3, 5, 6, 7, 8), strict=True)}
    points |= {21: (2.0, 1.5, 1.5), 22: (2.1, -1.0, -0.5)}
    masses = [
        line
        for eid, gid in ((10, 1), (11, 22), (12, 5), (13, 8), (14, 21))
        for line in (f"CONM2,{eid},{gid},0,10.", ",20.,0.,22.,0.,0.,23.")
    ]
    return deck(
        103,
        ["METHOD = 1"],
        ["PARAM,WTMASS,.00259", "PARAM,GRDPNT,0", "EIGRL,1,,,18"],
        grids(points),
        chain("CBEAM", 1, 1, [1, 2, 3, 4]),
        ["CBEAM,4,1,3,22,0.,1.,0.", "CBEAM,5,1,3,21,0.,1.,0."],
        chain("CBEAM", 6, 1, [4, 5, 6, 7, 8]),
        ["PBEAM,1,1,.0153938,4.622-4,4.622-4,,9.2421-4", ",", ",YESA,1.", ",.5309534,.5309534"],
        "MAT1,1,2.9+7,,.32,.29",
        masses,
    )


def beam_modes() -> str:
    """Nine bars and a beam in a row, round sections of the library, a mass at the tip and one grid left loose."""
    points = {i: (i - 1.0, 0.0, 0.0) for i in range(1, 12)} | {12: (5.49607, 0.0, 0.0)}
    return deck(
        103,
        ["SPC = 1", "METHOD = 1"],
        ["PARAM,AUTOSPC,YES", "PARAM,GRDPNT,0", "EIGRL,1,,,10,,,,MAX", "SPC1,1,123456,1"],
        grids(points),
        chain("CBAR", 1, 1, list(range(1, 11))),
        chain("CBEAM", 10, 3, [10, 11]),
        ["CONM2,21,11,0,2.59-3", ",2.59-3,0.,2.59-3,0.,0.,2.59-3"],
        ["PBARL,1,2,,ROD", ",1.0,0.0", "PBEAML,3,2,,ROD", ",1.0,0.0"],
        "MAT1,2,3.+7,1.1628+7,.29,7.4851-4",
    )


def cbush_bar_mass() -> str:
    """Five bars on a bush of no length and great stiffness, ten kilograms at the tip (mm, kg, mN)."""
    along = {9: 0.0, 1: 0.0, 4: 20.0, 5: 40.0, 6: 60.0, 7: 80.0, 3: 100.0}
    # the version decides whether lumped bars have rotary inertia
    return "$ for Simcenter Nastran version 2022.1\n" + deck(
        103,
        ["SPC = 2", "METHOD = 100"],
        ["EIGRL,100,.1,2000.", "SPC1,2,123456,9", "CORD2R,1,0,0.,0.,0.,0.,0.,1.", ",1.,0.,0."],
        grids({i: (x, 0.0, 0.0) for i, x in along.items()}),
        chain("CBAR", 2, 1, [1, 4, 5, 6, 7, 3]),
        ["CBUSH,8,2,9,1,,,,1", "CONM2,7,3,0,10."],
        ["PBARL,1,2,,ROD", ",10.,0.", "PBUSH,2,K" + ",1.+12" * 6],
        "MAT1,2,7.1019+7,,.33,2.7957-6",
    )


def buckling_column_statics() -> str:
    """A pinned round column of 420 beams under a unit push: the static part of a buckling run (mm, N, MPa)."""
    # the version decides about the shear factor of a round section
    return "$pyNastran: version=msc\n" + deck(
        101,
        ["SPC = 1", "LOAD = 4"],
        "GRDSET,,,,,,,345",
        grids({1 + k: (float(k), 0.0, 0.0) for k in range(421)}),
        chain("CBEAM", 1, 1, list(range(1, 422)), "0.,0.,1."),
        ["PBEAML,1,1,,ROD", ",10.,0.", "MAT1,1,207000.,,.3,7.8-4"],
        ["SPC1,1,12,1", "SPC1,1,2,421", "FORCE,4,421,0,1.,-1.,0.,0."],
    )


def static_cbeam_offset() -> str:
    """A cantilever of ten beams off their grids, neutral axis off the shear centre, a force at the tip."""
    along = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.00000047683716, 8.00000095367432, 9.00000095367432, 10.0]
    beams = [
        line
        for k in range(1, 11)
        for line in (f"CBEAM,{k},1,{k},{k + 1},0.,0.,1.", ",,,0.,.438,0.,0.,.438,0.")
    ]
    return deck(
        101,
        ["SPC = 1", "LOAD = 1"],
        grids({k + 1: (x, 0.0, 0.0) for k, x in enumerate(along)}),
        beams,
        ["PBEAM,1,1,1.84375,27.7245,.488696,0.,.00960286", ","],
        [",.728814,.254237,,,,,10.9761,10.9761", ",,,,,0.,.754758,0.,.754758"],
        ["MAT1,1,2.+6,,.3,7.8-4", "SPC1,1,123456,1", "FORCE,1,11,0,1000.,0.,0.,-1."],
    )


def ten_bar() -> str:
    """The plane truss of ten rods with coupled mass and a lump at each free joint."""
    points = {
        5: (0, 0, 0),
        3: (360, 0, 0),
        1: (720, 0, 0),
        6: (0, 0, -360),
        4: (360, 0, -360),
        2: (720, 0, -360),
    }
    ends = [(5, 3), (3, 1), (6, 4), (4, 2), (3, 4), (1, 2), (5, 4), (6, 3), (3, 2), (4, 1)]
    lumps = [
        f"CMASS2,{11 + 3 * k + c},2.588,{g},{c + 1}" for k, g in enumerate((3, 4, 1, 2)) for c in range(3)
    ]
    return deck(
        103,
        ["SPC = 1", "METHOD = 1"],
        ["PARAM,COUPMASS,1", "PARAM,AUTOSPC,NO", "EIGRL,1,,,10"],
        grids(points),
        [f"CROD,{k},1,{a},{b}" for k, (a, b) in enumerate(ends, 1)],
        lumps,
        ["PROD,1,501,9.5318,25000.", "MAT1,501,1.+7,,.33,2.59-4"],
        ["SPC1,1,123456,5,6", "SPC1,1,2456,1,2,3,4"],
    )


def truss(modes: str) -> str:
    """A boom of five bays of tubes on a hub, held at four grids (mm, kg, mN); `modes` is the EIGRL card.

    Corner lines along x start at grids 3, 11, 19 and 27; the hub runs from grid 33 to 34.
    """
    corners = {3: (0.0, 300.0), 11: (300.0, 300.0), 19: (300.0, 0.0), 27: (0.0, 0.0)}
    points = {first + k: (600.0 + 300.0 * k, y, z) for first, (y, z) in corners.items() for k in range(6)}
    points |= {33: (630.0, 150.0, 150.0), 34: (870.0, 150.0, 150.0)}
    cards = [card + ("10" if card.startswith("GRID,11,") else "") for card in grids(points)]
    bars = []
    for first, (begin, other) in zip((3, 9, 15, 21), ((4, 13), (12, 5), (20, 29), (28, 21)), strict=True):
        bars += chain("CBAR", first, 100, list(range(begin, begin + 5)), str(other))
    rings = ((28, 4, 12, "150.,150.,300."), (36, 20, 28, "150.,150.,0."))
    rings += ((44, 4, 28, "150.,0.,150."), (52, 12, 20, "150.,300.,150."))
    bars += [f"CBAR,{eid + k},100,{a + k},{b + k},{v}" for eid, a, b, v in rings for k in range(5)]
    across = {60: (4, 20, 28), 61: (13, 29, 21), 62: (6, 22, 30), 63: (15, 31, 23), 64: (8, 24, 32)}
    across |= {67: (5, 12, 13), 68: (5, 14, 13), 69: (7, 14, 15), 70: (7, 16, 15)}
    across |= {73: (13, 20, 21), 74: (13, 22, 21), 75: (15, 22, 23), 76: (15, 24, 23)}
    across |= {79: (21, 28, 20), 80: (21, 30, 22), 81: (23, 30, 22), 82: (23, 32, 24)}
    across |= {85: (4, 29, 5), 86: (6, 29, 5), 87: (6, 31, 7), 88: (8, 31, 7)}
    bars += [f"CBAR,{eid},100,{a},{b},{v}" for eid, (a, b, v) in across.items()]
    bars += ["CBAR,89,101,33,34,150.,330.,150."]
    bars += [f"CBAR,{90 + k},101,{g},33,870.,150.,150." for k, g in enumerate((3, 11, 19, 27))]
    bars += [f"CBAR,{94 + k},101,{g},34,1200.,150.,150." for k, g in enumerate((4, 12, 20, 28))]
    return deck(
        103,
        ["METHOD = 1", "EXTSEOUT(EXTID=102)"],
        ["PARAM,COUPMASS,1", modes, "BSET1,123456,3,11,19,27"],
        ["SPOINT,2995001,THRU,2995060", "QSET1,0,2995001,THRU,2995060"],
        ["CORD2R,10,0,0.,0.,0.,1.,0.,0.", ",0.,1.,0."],
        cards,
        bars,
        ["PBAR,100,300,12.566,12.566,12.566,25.133", "PBAR,101,300,201.06,3217.,3217.,6434."],
        "MAT1,300,6.894+7,2.62+7,,2.74-6",
    )


def glider() -> str:
    """A free glider: tapered tubes for the fuselage, box spars, ribs of rigid bars, 85 kg in the nose (SI)."""
    points = {i: (1.0 + 0.5 * (i - 1), 0.0, 0.0) for i in range(1, 12)}
    points |= {12 + k: (0.25 * k, 0.0, 0.0) for k in range(4)}
    points |= {18 + k: (1.0, -0.5 * (k + 1), 0.0) for k in range(15)}
    points |= {34 + k: (1.0, 0.5 * (k + 1), 0.0) for k in range(15)}
    points |= {50 + k: (6.0, 0.0, 0.5 * (k + 1)) for k in range(3)}
    points |= {54: (6.0, -0.5, 1.5), 55: (6.0, -1.0, 1.5), 57: (6.0, 0.5, 1.5), 58: (6.0, 1.0, 1.5)}
    points |= {first + k: (x, 7.5 - k, 0.0) for first, x in ((101, 1.5), (117, 0.75)) for k in range(16)}
    radii = {1: (0.2, 0.4), 2: (0.4, 0.6), 3: (0.6, 0.6), 4: (0.6, 0.6)}  # walls 5 mm, then 2 mm
    tail = [0.6, 0.5, 0.3, 0.11, 0.108571, 0.107143, 0.105714, 0.104286, 0.102857, 0.101429, 0.1]
    radii |= {8 + k: pair for k, pair in enumerate(pairwise(tail))}
    tubes = []
    for pid, (a, b) in radii.items():
        wall = 0.005 if pid < 8 else 0.002
        tubes += [f"PBEAML,{pid},1,,TUBE", f",{a},{a - wall:.6f},,YES,1.,{b},{b - wall:.6f}"]
    boxes = {5: ".6,.2,.0025,.0025", 6: ".05,.5,.001,.001", 7: ".5,.05,.001,.001"}
    spars = []
    for pid, size in boxes.items():
        d1, *rest = size.split(",")
        spars += [f"PBEAML,{pid},1,,BOX", f",{size},,YES,1.,{d1}", "," + ",".join(rest)]
    up = "0.,0.,1."
    beams = [
        f"CBEAM,{11 + k},{1 + k},{a},{b},{up}"
        for k, (a, b) in enumerate(((12, 13), (13, 14), (14, 15), (15, 1)))
    ]
    beams += [f"CBEAM,{k},{7 + k},{k},{k + 1},{up}" for k in range(1, 11)]
    beams += chain("CBEAM", 15, 5, [1, *range(18, 33)], up) + chain("CBEAM", 30, 5, [1, *range(34, 49)], up)
    beams += chain("CBEAM", 45, 6, [11, 50, 51, 52], "-1.,0.,0.")
    beams += chain("CBEAM", 48, 7, [52, 54, 55], up) + chain("CBEAM", 50, 7, [52, 57, 58], up)
    held = [48, 46, 44, 42, 40, 38, 36, 34, 18, 20, 22, 24, 26, 28, 30, 32]
    ribs = [
        f"RBAR,{130 + 2 * k + n},{first + k},{grid},,123456,123456"
        for k, grid in enumerate(held)
        for n, first in enumerate((101, 117))
    ]
    return deck(
        103,
        ["METHOD = 20"],
        ["EIGRL,20,,60."],
        grids(points),
        tubes,
        spars,
        beams,
        ribs,
        ["CONM2,129,12,0,85.", "MAT1,1,7.+10,,.3,2700."],
    )


def rbe3(case: str) -> str:
    """An RBE3 among grids in systems nested in one another, on a string of bars.

    case: rbe3_1 or rbe3_3 (dependent grid in one or another system), and the same with a UM list.
    """
    systems = {
        "CORD2C,1,0": (0, 0, 0, 0, 0, 1, 1, 0, 0),
        "CORD2R,2,0": (0, 0, 0, 1, 0, 0, 0, 1, 0),
        "CORD2S,7,1": (4, 9.97, 12, 0.456, -450, -13, 21.5, -1, -81),
        "CORD2C,8,7": (9.97, 12, 0.456, -450, -13, 21.5, -1, -81, 4),
        "CORD2R,9,8": (12, 0.456, -450, -13, 21.5, -1, -81, 4, 9.97),
        "CORD2R,10,9": (12, 0.456, -450, -13, 21.5, -1, -81, 4, 9.97),
        "CORD2C,11,7": (19.97, 22, 0.456, -450, -13, 21.5, -1, -81, 4),
        "CORD2S,12,7": (4, 99.7, 12, 0.888, -450, -13, 21.5, -11, -811),
    }
    cards = []
    for head, values in systems.items():
        text = [str(float(value)) for value in values]
        cards += [",".join([head, *text[:6]]), "," + ",".join(text[6:])]
    cards += grids({100: (25, 0, 0)}, 1, 1) + grids({200: (25, 120, 0)}, 1, 7) + grids({300: (25, 240, 0)}, 1)
    cards += grids({400: (0, 0, 0)}, 2, 2) + grids({1: (5, 5, 5)}, 7, 8) + grids({2: (6, 6, 6)}, 8, 7)
    cards += grids({3: (0, 0, 0)}, 9, 9)
    for first, place, cd in ((101, (3, 4, 5), 10), (111, (3, 54, 5), 11), (121, (31, -4, 15), 12)):
        for k in range(3):
            cards += grids({first + k: place}, 10 + k, cd)
    home = 7 if case == "rbe3_3" else 12
    cards += grids({124: (31, 4, -165)}, home, home)
    if case == "rbe3_um_3":
        cards += ["RBE3,1,,124,123456,2.6,123,100", ",1.8,456,200", ",UM,124,152346"]
    else:
        cards += ["RBE3,1,,124,123456,2.3,123,100,2.5", ",123,200,12.,23,300,.5,34,400"]
        cards += [",.4,456,1,2,3,5.5,136,101", ",102,103,4.2,123456,111,112,113,.05", ",25,121,122,123"]
    if case == "rbe3_um_1":
        cards += [",UM,100,2,111,2346,122,5"]
    row = [100, 200, 300, 400, 1, 2, 3, 101, 102, 103, 111, 112, 113, 121, 122, 123]
    return deck(
        103,
        [],
        cards,
        chain("CBAR", 1, 100, row, "1.,0.,0."),
        ["PBAR,100,300,12.566,12.566,12.566,25.133", "MAT1,300,6.894+7,2.62+7,,2.74-6"],
    )


def rbe2_springs_plate() -> str:
    """A plate of 84 quads on one rigid element, free to plunge and to pitch on two springs (SI)."""
    across = (0.0, 0.333, 0.667, 1.0)
    points = {
        1 + j + 29 * i: (x, round(10.0 * j / 28.0, 3), 0.0) for i, x in enumerate(across) for j in range(29)
    }
    plates = [
        f"CQUAD4,{1 + j + 28 * i},1,{a},{a + 1},{a + 30},{a + 29}"
        for i in range(3)
        for j in range(28)
        for a in [1 + j + 29 * i]
    ]
    return deck(
        103,
        ["SPC = 10", "METHOD = 1"],
        ["EIGRL,1,,,20", "SPC1,10,1246,117"],
        grids(points | {117: (0.0, 0.0, 0.0)}),
        plates,
        listed("RBE2,1,117,123456", range(1, 117)),
        ["CELAS2,100,1.+5,117,3", "CELAS2,101,1.+5,117,5"],
        ["PSHELL,1,1,.01,1,,1", "MAT1,1,6.89+10,,.3,2800."],
    )
