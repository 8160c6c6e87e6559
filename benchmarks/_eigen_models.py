"""Structures with hard spectra, as decks: multiplicities, massless motions, soft mounts, rigid bodies."""

from __future__ import annotations

import numpy as np

HEAD = ["SOL 103", "CEND", "SPC = 1", "METHOD = 1", "BEGIN BULK", "PARAM,COUPMASS,-1"]
METAL = ["MAT1,1,7.+10,,.33,2700."]


def _text(lines: list[str], request: str) -> str:
    held = ["GRID,999999", "SPC1,1,123456,999999", "ENDDATA"]
    return "\n".join([*HEAD, f"EIGRL,1,{request}", *METAL, *lines, *held]) + "\n"


def plate(nx: int = 21, ny: int = 19, request: str = ",,10", mount: float = 0.0) -> str:
    """Free plate 1 x 0.9 m, 6 mm; with `mount` its corners stand on springs of that stiffness in T1 to T3."""
    lines = ["PSHELL,1,1,.006,1,,1"]
    for j, y in enumerate(np.linspace(0.0, 0.9, ny)):
        for i, x in enumerate(np.linspace(0.0, 1.0, nx)):
            lines.append(f"GRID,{j * nx + i + 1},,{x:.8f},{y:.8f},0.")
    for j in range(ny - 1):
        for i in range(nx - 1):
            a = j * nx + i + 1
            lines.append(f"CQUAD4,{a},1,{a},{a + 1},{a + nx + 1},{a + nx}")
    corners = [1, nx, nx * (ny - 1) + 1, nx * ny] if mount else []
    places = [(grid, c) for grid in corners for c in (1, 2, 3)]
    lines += [f"CELAS2,{90000 + i},{mount:.6E},{grid},{c}" for i, (grid, c) in enumerate(places)]
    return _text(lines, request)


def cantilevers(count: int, elements: int = 10, request: str = ",,20", hub: bool = False) -> str:
    """Identical square cantilevers round a hub grid that is held, or is a free heavy body."""
    lines = ["PBAR,1,1,1.-4,8.333-10,8.333-10,1.406-9", "GRID,1,,0.,0.,0."]
    lines += ["CONM2,900001,1,,1.+6", ",1.+6,0.,1.+6,0.,0.,1.+6"] if hub else ["SPC1,1,123456,1"]
    at = 2
    for k in range(count):
        angle = 2 * np.pi * k / count
        before = 1
        for s in np.linspace(0.0, 1.0, elements + 1)[1:]:
            lines.append(f"GRID,{at},,{s * np.cos(angle):.10f},{s * np.sin(angle):.10f},0.")
            lines.append(f"CBAR,{at},1,{before},{at},0.,0.,1.")
            before, at = at, at + 1
    return _text(lines, request)


def stick(bars: int = 1000, masses: int = 60, request: str = ",,10", way=(1.0, 0.0, 0.0)) -> str:
    """Free straight stick of massless bars with point masses: its spin has neither stiffness nor mass."""
    lines = ["MAT1,2,7.+10,,.33,0.", "PBAR,1,2,1.-3,8.333-8,8.333-8,1.406-7"]
    along = np.asarray(way) / np.linalg.norm(way)
    for i in range(bars + 1):
        x, y, z = 10.0 * i / bars * along
        lines.append(f"GRID,{i + 1},,{x:.12f},{y:.12f},{z:.12f}")
    lines += [f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,0.,1." for i in range(bars)]
    places = np.unique(np.round(np.linspace(0, bars, masses)).astype(int))
    lines += [f"CONM2,{80000 + i},{i + 1},,2.5" for i in places]
    return _text(lines, request)


def layered(copies: int = 12, request: str = ",,30") -> str:
    """Heavy hub on very soft mounts with slender and with stocky identical appendages (12 decades of eigenvalues)."""
    lines = ["PBAR,1,1,1.-4,8.333-10,8.333-10,1.406-9", "PBAR,2,1,1.-2,8.333-5,8.333-5,1.406-4"]
    lines += ["GRID,1,,0.,0.,0.", "CONM2,900001,1,,50.", ",5.,0.,5.,0.,0.,5."]
    lines += [f"CELAS2,{90000 + c},{1e-3 if c < 4 else 1e-4:.1E},1,{c}" for c in range(1, 7)]
    at = 2
    for k in range(copies):
        angle = 2 * np.pi * k / copies
        before = 1
        for s in np.linspace(0.0, 1.0, 9)[1:]:
            lines.append(f"GRID,{at},,{s * np.cos(angle):.10f},{s * np.sin(angle):.10f},0.")
            lines.append(f"CBAR,{at},{1 + k % 2},{before},{at},0.,0.,1.")
            before, at = at, at + 1
    return _text(lines, request)


def spacecraft(n: int = 12, panels: int = 2, request: str = ",,20", extra: tuple[str, ...] = ()) -> str:
    """Free box of shells with wings of shells on both sides and a dish mass; grid 1 is a corner of the box."""
    lines = ["PSHELL,1,1,.004,1,,1", "PSHELL,2,1,.002,1,,1"]
    ids: dict[tuple[int, int, int], int] = {}
    h = 1.2 / n

    def grid(i: int, j: int, k: int) -> int:
        if (i, j, k) not in ids:
            ids[i, j, k] = len(ids) + 1
            lines.append(f"GRID,{ids[i, j, k]},,{i * h:.9f},{j * h:.9f},{k * h:.9f}")
        return ids[i, j, k]

    def quad(corners, property_id: int) -> None:
        quad.count += 1
        lines.append(f"CQUAD4,{quad.count},{property_id}," + ",".join(str(grid(*c)) for c in corners))

    quad.count = 0
    for a in range(n):
        for b in range(n):
            for side in (0, n):
                quad([(a, b, side), (a + 1, b, side), (a + 1, b + 1, side), (a, b + 1, side)], 1)
                quad([(a, side, b), (a + 1, side, b), (a + 1, side, b + 1), (a, side, b + 1)], 1)
                quad([(side, a, b), (side, a + 1, b), (side, a + 1, b + 1), (side, a, b + 1)], 1)
    half = n // 2
    for reach in range(panels * n):
        for a in range(n):
            for y in (n + reach, -reach - 1):
                quad([(a, y, half), (a + 1, y, half), (a + 1, y + 1, half), (a, y + 1, half)], 2)
    lines.append(f"CONM2,900001,{grid(half, half, n)},,40.")
    return _text([*lines, *extra], request)
