"""A uniform beam of bars, as a deck, and its units."""

from __future__ import annotations

import numpy as np

from interstage.nastran import deck_from_text

LENGTH, AREA, INERTIA, YOUNG, RHO, BARS = 10.0, 1e-2, 1e-6, 7e10, 2700.0, 40
UNIT = np.sqrt(YOUNG * INERTIA / (RHO * AREA * LENGTH**4))  # of the frequencies of a uniform beam
PULL = YOUNG * INERTIA / LENGTH**2


def straight(
    coupled=False, n=BARS, wide=1.0, length=LENGTH, section=(AREA, INERTIA), density=RHO, case="", more=""
):
    """A uniform beam along x, `wide` times as stiff in the xz plane; a little rotary inertia at its grids.

    case, more : further lines of case control and bulk data
    """
    area, inertia = section
    bulk = "".join(f"GRID,{i + 1},,{length * i / n:.8f},0.,0.\n" for i in range(n + 1))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(n))
    bulk += f"PBAR,1,1,{area},{inertia},{wide * inertia},{2 * inertia}\nMAT1,1,{YOUNG},,0.3,{density}\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,0.\n,1.e-3,,1.e-6,,,1.e-6\n" for i in range(1, n + 2))
    return deck_from_text(
        f"SOL 103\nCEND\n{case}BEGIN BULK\n{bulk}{more}{'PARAM,COUPMASS,1' if coupled else ''}\nENDDATA\n"
    )
