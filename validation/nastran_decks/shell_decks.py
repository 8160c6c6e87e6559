"""Decks of shells and solids: the model facts of published runs, in our own text."""

from __future__ import annotations

from validation.nastran_decks.cards import deck, grids, lattice, listed, quads


def one_of_each(kind: str, cd: int | str = "") -> str:
    """A tower with one of each common element, three units above and three below its brick.

    kind: "statics" (a pull at the top grid 13) or "modes"; cd 12 puts every grid into a tilted cylindrical system.
    """
    points = {}
    for first, z in ((1, 0), (14, -1), (18, -2), (22, -3)):
        points |= {first + k: (x, y, z) for k, (x, y) in enumerate(((0, 0), (0, 1), (1, 1), (1, 0)))}
    # grids 1 to 4 run 1, 4, 3, 2 around the square
    points[2], points[4] = points[4], points[2]
    points |= {5: (1, 1, 1), 6: (0, 1, 1), 7: (0, 0, 1), 8: (1, 0, 1)}
    points |= {9: (1, 1, 2), 10: (0, 1, 2), 11: (1, 0, 2), 12: (0, 0, 2), 13: (0.5, 0.5, 3)}
    case = ["SPC = 1", "LOAD = 1"] if kind == "statics" else ["SPC = 1", "METHOD = 1"]
    return deck(
        101 if kind == "statics" else 103,
        case,
        ["PARAM,AUTOSPC,NO", "EIGRL,1,,,3", "FORCE,1,13,0,10000.,0.,0.,1."],
        ["SPC1,1,123456,22,23,24,25", "SPC1,1,456,5,THRU,13"],
        ["CORD2C,12,0,1.,2.,3.,0.,0.,1.", ",0.,1.,0."],
        grids(points, "", cd),
        ["CHEXA,1,2,2,3,4,1,8,5", ",6,7"],
        ["CPENTA,2,2,6,8,5,10,11,9", "CPENTA,3,2,6,7,8,10,12,11"],
        ["CTETRA,4,2,10,11,9,13", "CTETRA,5,2,10,12,11,13"],
        ["CQUAD4,6,4,4,1,14,15", "CQUAD4,7,4,3,2,17,16"],
        ["CTRIA3,8,4,4,3,16", "CTRIA3,9,4,16,15,4", "CTRIA3,10,4,1,2,17", "CTRIA3,11,4,17,14,1"],
        ["CBEAM,12,5,18,22,0.,1.,0.", "CBAR,13,1,19,23,0.,1.,0.", "CROD,14,3,20,24", "CROD,15,3,21,25"],
        ["CQUAD4,16,6,14,15,19,18", "CQUAD4,17,7,17,16,20,21"],
        ["CTRIA3,18,6,18,14,17", "CTRIA3,19,6,18,17,21", "CTRIA3,20,7,19,15,16", "CTRIA3,21,7,19,16,20"],
        "PBAR,1,1,.25,.0052083,.0052083,.0088021",
        ["PSOLID,2,1", "PROD,3,1,.1,.0088021", "PSHELL,4,1,.25,1,,1"],
        # the second station is rounded to one digit less than the first
        ["PBEAM,5,1,.25,.0052083,.0052083,,.0087949", ","],
        [",YES,1.,.25,.005208,.005208,0.,.0087949,0.", ",", ",.850116,.850116"],
        ["PCOMP,6", ",1,.1", ",1,.2", ",1,.3", ",1,.4"],
        ["PCOMP,7", ",1,.1,,,1,.2", ",1,.3,,,1,.4", ",1,.5"],
        "MAT1,1,2.9+7,1.1+7,.32,.283",
    )


def static_chexa_pload4() -> str:
    """One brick on its base; a unit pressure on each face, named by each pair of opposite corners."""
    points = {
        21 + k + 4 * n: (x, y, 2.0 * n)
        for n in range(2)
        for k, (x, y) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1)))
    }
    faces = (
        (21, 23, 22, 24),
        (28, 26, 27, 25),
        (21, 28, 24, 25),
        (26, 23, 27, 22),
        (25, 22, 21, 26),
        (23, 28, 24, 27),
    )
    pairs = [pair for a, b, c, d in faces for pair in ((a, b), (b, a), (c, d), (d, c))]
    case = ["SPC = 42"]
    for k in range(1, 25):
        case += [f"SUBCASE {k}", f"  LOAD = {k}"]
    return deck(
        101,
        case,
        grids(points),
        ["CHEXA,9,1,21,22,23,24,25,26", ",27,28", "PSOLID,1,1", "MAT1,1,3.+7,,.3"],
        [f"PLOAD4,{k},9,1.,,,,{a},{b}" for k, (a, b) in enumerate(pairs, 1)],
        ["SPC1,42,123456,21,THRU,24", "SPC1,42,456,25,THRU,28"],
    )


def static_rbe2_solid() -> str:
    """Two blocks of 64 bricks, the lower one on the ground, joined by a bar between rigid faces, under gravity.

    The lower block is 0 <= z <= 0.2 m, the upper one 0.3 <= z <= 0.5 m; grid = 1 + i + 5 j + 25 k (+ 200 above). The
    run had inner grids up to 2e-5 m off this lattice, which moves the answer less than that run's round-off.
    """
    points, bricks = {}, []
    for block, floor in enumerate((0.0, 0.3)):
        at = 1 + 200 * block
        points |= {
            at + i + 5 * j + 25 * k: (round(0.05 * i, 3), round(0.05 * j, 3), round(floor + 0.05 * k, 3))
            for i in range(5)
            for j in range(5)
            for k in range(5)
        }
        for n, (i, j, k) in enumerate((i, j, k) for k in range(4) for j in range(4) for i in range(4)):
            a = at + i + 5 * j + 25 * k
            bricks += [
                f"CHEXA,{1 + n + 64 * block},1,{a},{a + 1},{a + 6},{a + 5},{a + 25},{a + 26}",
                f",{a + 31},{a + 30}",
            ]
    top, bottom = range(101, 126), range(201, 226)
    rim = [301 + i + 5 * j for j in range(5) for i in range(5) if i in (0, 4) or j in (0, 4)]
    return deck(
        101,
        ["SPC = 6", "LOAD = 1"],
        ["PARAM,AUTOSPC,YES", "GRAV,1,,9.80665,0.,0.,-1."],
        grids(points | {400: (0.1, 0.1, 0.2), 401: (0.1, 0.1, 0.3)}),
        bricks,
        "CBAR,129,2,400,401,1.,0.,0.",
        listed("RBE2,132,400,123456", top) + listed("RBE2,133,401,123456", bottom),
        listed("SPC1,6,123456", range(1, 26)) + listed("SPC1,6,12", rim),
        ["PBARL,2,3,,ROD", ",.005", "PSOLID,1,3", "MAT1,3,6.9+10,,.33,2700."],
    )


def plate_free_cquad4() -> str:
    """A free plate of 20 by 10 quads, thicker than they are long."""
    return deck(
        103,
        ["METHOD = 1"],
        ["EIGRL,1,,,10"],
        grids(lattice(20, 10, 0.1, 0.1)),
        quads(20, 10, 1),
        ["PSHELL,1,1,.125,1,,1", "MAT1,1,2.9+7,,.32,7.3315-4"],
    )


def buckling_plate_statics() -> str:
    """A square plate of 50 by 50 quads under compression along x: the static part of a buckling run (mm, N, MPa)."""
    points = {1 + j + 51 * i: (5.0 * i, 5.0 * j, 0.0) for i in range(51) for j in range(51)}
    plates = [
        f"CQUAD4,{1 + j + 50 * i},1,{a},{a + 51},{a + 52},{a + 1}"
        for i in range(50)
        for j in range(50)
        for a in [1 + j + 51 * i]
    ]
    edges = [1 + j + 51 * i for i in range(51) for j in range(51) if i and (i == 50 or j in (0, 50))]
    return deck(
        101,
        ["SPC = 1", "LOAD = 5"],
        grids(points),
        plates,
        listed("SPC1,1,13", range(1, 52)) + listed("SPC1,1,3", edges) + ["SPC1,1,2,27"],
        [f"FORCE,5,{g},0,{'.01' if g in (2551, 2601) else '.02'},-1.,0.,0." for g in range(2551, 2602)],
        ["PSHELL,1,1,6.,1,,1", "MAT1,1,3105.,,.3"],
    )


def plate_mixed_pcomp() -> str:
    """A cantilever plate: an unsymmetric laminate, and a strip of plain shell at its loaded edge."""
    cards = []
    for card in quads(5, 5, 2)[:-1]:
        eid = int(card.split(",")[1])
        cards.append(card.replace(f"CQUAD4,{eid},2", f"CQUAD4,{eid},1") if eid % 5 == 0 else card)
    return deck(
        101,
        ["SPC = 1", "LOAD = 1"],
        grids(lattice(5, 5, 2.0, 2.0)),
        cards,
        ["CTRIA3,26,1,29,30,36", "CTRIA3,27,1,29,36,35", "PSHELL,1,1,.3,1,,1", "PCOMP,2"],
        [",2,.1999993,0.,YES,2,.1999993,45.,YES", ",2,.1999993,-45.,YES,2,.1999994,90.,YES"],
        [",2,.037,45.,YES,2,.037,0.,YES"],
        ["MAT1,1,7.+7,,.3,.01", "MAT8,2,1.25+7,9750000.,.28,1.11+7,,,.024"],
        ["SPC1,1,123456,1,7,13,19,25,31"],
        [f"FORCE,1,{g},0,100.,0.,0.,1." for g in range(6, 37, 6)],
    )


def gpsc_spacecraft() -> str:
    """A small spacecraft: a box of panels and bars on four feet, a dish on a tripod, a boom, three lumps."""
    e, h = 3.8e-6, 39.52
    dish = {1: (60, 0, 0), 2: (60, 17.5, 0), 7: (60, 342.5, 0), 10: (60, 35, 0), 15: (60, 325, 0)}
    dish |= {3: (58.628, 12.569, 12.758), 4: (58.628, 347.43, -12.758), 5: (58.628, 12.569, -12.758)}
    dish |= {9: (58.628, 347.43, 12.758), 6: (57.223, 0, 18.042), 8: (57.223, 360, -18.042)}
    dish |= {11: (54.844, 26.341, 24.335), 12: (54.844, 333.66, -24.335), 13: (54.844, 26.341, -24.335)}
    dish |= {17: (54.844, 333.66, 24.335), 14: (49.149, 0, 34.415), 16: (49.149, 360, -34.415), 18: (0, 0, 0)}
    box = {}
    for z, corners in (
        (48, (19, 20, 21, 22)),
        (30, (25, 26, 28, 31)),
        (12, (35, 36, 39, 41)),
        (0, (44, 45, 48, 49)),
    ):
        box |= dict(zip(corners, ((h, h, z), (-h, h, z), (h, -h, z), (-h, -h, z)), strict=True))
    for z, sides in ((48, (23, 24, 27, 29)), (30, (33, 34, 37, 38)), (12, (42, 43, 46, 47))):
        box |= dict(zip(sides, ((e, h, z), (h, -e, z), (-h, e, z), (-e, -h, z)), strict=True))
    box |= {30: (-e, -51.52, 30), 40: (-e, -63.52, 30), 32: (0, 0, 48), 50: (0, 0, 12)}
    ring = [6, 3, 2, 5, 8, 4, 7, 9]
    rim = [14, 11, 10, 13, 16, 12, 15, 17]
    tria = [(3, 6), (2, 3), (5, 2), (8, 5), (4, 8), (7, 4), (9, 7), (6, 9)]
    cards = [f"CTRIA3,{k},13,{a},{b},1" for k, (a, b) in enumerate(tria, 1)]
    for k in range(8):
        n = (k + 1) % 8
        cards.append(f"CQUAD4,{9 + k},13,{ring[k]},{ring[n]},{rim[n]},{rim[k]}")
    panels = {24: (50, 47, 41, 46), 25: (50, 46, 36, 42), 28: (50, 43, 39, 47), 29: (50, 42, 35, 43)}
    sides = {34: (37, 46, 41, 31), 35: (37, 26, 36, 46), 38: (38, 31, 41, 47), 39: (33, 42, 36, 26)}
    sides |= {41: (38, 47, 39, 28), 42: (33, 25, 35, 42), 44: (34, 28, 39, 43), 45: (34, 43, 35, 25)}
    sides |= {50: (37, 31, 22, 27), 51: (37, 27, 20, 26), 54: (38, 29, 22, 31), 55: (33, 26, 20, 23)}
    sides |= {57: (38, 28, 21, 29), 58: (33, 23, 19, 25), 60: (34, 24, 21, 28), 61: (34, 25, 19, 24)}
    roof = {66: (32, 27, 22, 29), 67: (32, 23, 20, 27), 70: (32, 29, 21, 24), 71: (32, 24, 19, 23)}
    for pid, plates in ((10, panels), (11, sides), (12, roof)):
        cards += [f"CQUAD4,{eid},{pid}," + ",".join(map(str, nodes)) for eid, nodes in plates.items()]
    # element and its two grids
    posts = (
        "17 41 49, 18 36 45, 19 39 48, 20 35 44, 33 31 41, 36 26 36, 43 28 39, 46 25 35, 49 22 31, 52 "
        "20 26, 59 21 28, 62 19 25"
    )
    floor = (
        "21 46 41, 22 36 46, 23 41 47, 26 42 36, 27 47 39, 30 35 42, 31 39 43, 32 43 35, 47 30 40, 48 "
        "38 30, 87 47 50, 88 43 50, 89 42 50, 90 46 50"
    )
    edge = "63 27 22, 64 20 27, 65 22 29, 68 23 20, 69 29 21, 72 19 23, 73 21 24, 74 24 19"
    struts = (
        "37 41 30, 40 30 39, 53 22 30, 56 21 30, 75 22 15, 76 15 21, 77 21 14, 78 14 19, 79 19 10, 80 "
        "10 20, 81 20 16, 82 16 22, 83 15 18, 84 14 18, 85 10 18, 86 16 18"
    )
    for pid, v, bars in (
        (5, "1.,0.,0.", posts),
        (2, "0.,0.,1.", floor),
        (3, "0.,0.,1.", edge),
        (4, "0.,0.,1.", struts),
    ):
        for bar in bars.split(", "):
            eid, a, b = bar.split()
            cards.append(f"CBAR,{eid},{pid},{a},{b},{v}")
    return deck(
        103,
        ["SPC = 10", "METHOD = 70"],
        [
            "PARAM,WTMASS,.00259",
            "PARAM,AUTOSPC,YES",
            "PARAM,GRDPNT,0",
            "EIGRL,70,1.,70.",
            "SPC1,10,123456,44,45,48,49",
        ],
        ["CORD2R,10,,0.,0.,0.,0.,0.,1.", ",1.,0.,0.", "CORD2C,20,0,0.,0.,120.,1.,0.,120.", ",0.,0.,119."],
        grids(dish, 20, 10) + grids(box, 10, 10) + grids({99: (0, 0, 0)}, 10),
        cards,
        [
            "PBAR,2,1,4.,1.33,1.33,2.667",
            "PBAR,3,1,1.,.0833,.0833,.1667",
            "PBAR,4,1,.7654,.04662,.04662,.09324",
        ],
        ["PBAR,5,1,9.,6.75,6.75,12.5", "PSHELL,10,1,1.,1,,1,.8333333,.5", "PSHELL,11,1,.25,1,,1,.8333333"],
        ["PSHELL,12,1,.25,1,,1,.8333333", "PSHELL,13,1,.5,1,,1,.8333333", "MAT1,1,1.+7,3846153.75,.3,.1"],
        ["CONM2,1001,18,0,200.", "CONM2,1002,42,0,425.", "CONM2,1003,40,0,250."],
        ["RBE3,99,,99,123456,1.,123,44,45", ",48,49"],
    )
