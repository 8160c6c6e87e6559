"""Decks for the tests of components, as text."""

SIMPLE_BEAM = "\n".join(
    [
        "SOL 103",
        "CEND",
        "ECHO = NONE",
        "DISP = ALL",
        "METHOD = 1",
        "BEGIN BULK",
        "PARAM,AUTOSPC,NO",
        "PARAM,POST,-1",
        "PARAM,COUPMASS,-1",
        "PARAM,MAXRATIO,1.0+8",
        "PARAM,GRDPNT,11",
        "PARAM,WTMASS,1.0",
        "EIGRL,1,0.0,,10,,,,MASS",
        "QSET1,0,1001,THRU,1100",
        "SPOINT,1001,THRU,1100",
        *[f"GRID,{i + 1},0,{float(i)},0.0,0.0,0" for i in range(10)],
        "GRID,11,0,4.5,0.0,0.0,0",
        "MAT1,1,200.00+7,,.29,8000.0,3.61-6,21.85",
        "PBEAM,50002,1,1.5625-2,2.0345-5,2.0345-5,0.,3.4383-5,0.",
        ",6.25-2,6.25-2,6.25-2,-6.25-2,-6.25-2,-6.25-2,-6.25-2,6.25-2",
        ",.83333,.83333",
        *[f"CBEAM,{11 + i},50002,{i + 1},{i + 2},0.,1.,0." for i in range(9)],
        "ENDDATA",
        "",
    ]
)


def boom(extra: list[str], coupled: int = 1, n: int = 6) -> str:
    """An L-shaped boom of bars, grids 1..n along x, then three up; `extra` cards are added."""
    places = [(0.5 * i, 0.0, 0.0) for i in range(n)] + [
        (0.5 * (n - 1), 0.3 * (k + 1), 0.2 * k) for k in range(3)
    ]
    return "\n".join(
        [
            "SOL 103",
            "CEND",
            "METHOD = 1",
            "BEGIN BULK",
            f"PARAM,COUPMASS,{coupled}",
            "EIGRL,1,,,8",
            *[f"GRID,{i + 1},,{x},{y},{z}" for i, (x, y, z) in enumerate(places)],
            *[f"CBAR,{i},1,{i},{i + 1},.3,.2,1." for i in range(1, n + 3)],
            "PBAR,1,1,1.-3,2.-7,2.-7,4.-7",
            "MAT1,1,7.+10,,.3,2700.",
            *extra,
            "ENDDATA",
            "",
        ]
    )
