"""Decks of simple structures: a beam, a plate, a cylinder, as text to look at, save and change.

Units are SI (N, kg, m, s). Each deck says in its comments what its grids are. Grids at which other bodies are attached
have small ids; those of the mesh begin at 101.

    text = beam_deck(12.0, diameter=0.2, wall=0.003)
    deck = deck_from_text(text)

`Component.beam`, `Component.plate`, `Component.cylinder` and `Stage.cylinder` build models from these decks.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from interstage.errors import FidelityWarning, InputError, caller_level, did_you_mean, shown
from interstage.nastran.card_text import Field, card

ON_AXIS = 10  # grid 10 + k is on the axis of a cylinder, at ring k
_MAX_AROUND = 99
LENGTHS = ("length", "width", "height", "diameter", "radius", "thickness", "wall", "frames")
SMALLEST, LARGEST = 1e-6, 1e5  # m: other sizes are in other units


@dataclass(frozen=True)
class Material:
    """An isotropic material: Young's modulus `E` (Pa), Poisson's ratio `nu`, density `rho` (kg/m³)."""

    E: float
    nu: float
    rho: float

    def card(self, mid: int = 1, rho: float | None = None) -> str:
        """Return its MAT1 entry."""
        return card("MAT1", mid, self.E, None, self.nu, self.rho if rho is None else rho)


MATERIALS = {
    "aluminum": Material(71.7e9, 0.33, 2810.0),  # 7075-T6
    "steel": Material(200e9, 0.29, 7850.0),
    "titanium": Material(113.8e9, 0.342, 4430.0),  # Ti-6Al-4V
    "carbon": Material(70e9, 0.3, 1600.0),  # quasi-isotropic carbon-epoxy laminate
}


def material_of(given: str | Material | Sequence[float]) -> Material:
    """Return a material by name, or from (E, nu, rho).

    >>> material_of("steel").rho
    7850.0
    """
    if isinstance(given, Material):
        found = given
    elif isinstance(given, str):
        if given not in MATERIALS:
            raise InputError(
                f"unknown material {given!r}",
                hint=f"{did_you_mean(given, MATERIALS)}; or give (E in Pa, Poisson's ratio, density in kg/m^3)",
            )
        return MATERIALS[given]
    else:
        try:
            E, nu, rho = (float(number) for number in given)
        except (TypeError, ValueError, RuntimeWarning):
            raise InputError(
                "material must be a name or three numbers",
                expected="E in Pa, Poisson's ratio, density in kg/m^3",
                got=shown(given),
            ) from None
        found = Material(E, nu, rho)
    _positive("material", E=found.E, rho=found.rho)
    if not -1.0 < found.nu < 0.5:
        raise InputError("material: Poisson's ratio must lie between -1 and 0.5", got=f"{found.nu:g}")
    return found


def beam_deck(
    length: float,
    *,
    diameter: float | None = None,
    width: float | None = None,
    height: float | None = None,
    wall: float | None = None,
    EI: float | Sequence[float] | None = None,
    EA: float | None = None,
    GJ: float | None = None,
    mass_per_length: float | None = None,
    material: str | Material | Sequence[float] = "aluminum",
    elements: int = 20,
) -> str:
    """Return the deck of a straight beam along +x; grids 1 to elements + 1, the first one at the origin.

    The cross section is one of

    - `diameter`: a solid rod, or a tube with `wall`
    - `width` along y and `height` along z: a solid bar, or a box with `wall`
    - `EI`, `EA`, `GJ` and `mass_per_length`: a beam without shear flexibility (Euler and Bernoulli)

    Parameters
    ----------
    length : m
    diameter, width, height, wall : outer dimensions and wall thickness, m
    EI : bending stiffness, N·m²; a pair gives bending in the x-y plane and in the x-z plane
    EA, GJ : axial stiffness, N, and torsional stiffness, N·m²
    mass_per_length : kg/m
    material : "aluminum", "steel", "titanium", "carbon", or (E, nu, rho)
    elements : number of CBEAM elements
    """
    (length,) = _positive("beam", length=length)
    _counts("beam", elements=elements)
    made = material_of(material)
    for name, size in (("diameter", diameter), ("width", width), ("height", height)):
        if size is not None:
            _slender("beam", name, size, "length", length, 0.5, 1.0)
    stiff = {"EI": EI, "EA": EA, "GJ": GJ, "mass_per_length": mass_per_length}
    sizes = {"diameter": diameter, "width": width, "height": height, "wall": wall}
    if any(value is not None for value in stiff.values()):
        section = _stiffness_section(made, stiff, sizes)
    else:
        section = [made.card(), _shaped_section(sizes)]
    xs = np.linspace(0.0, length, elements + 1)
    lines = [
        f"$ beam along x, {length:g} m; grid 1 is at the origin, grid {elements + 1} at the tip",
        card("PARAM", "COUPMASS", 1),
        *section,
        *(card("GRID", k + 1, None, float(x), 0.0, 0.0) for k, x in enumerate(xs)),
        *(card("CBEAM", k + 1, 1, k + 1, k + 2, 0.0, 1.0, 0.0) for k in range(elements)),
    ]
    return _deck("BEAM", lines)


def _shaped_section(sizes: dict[str, float | None]) -> str:
    """Return the PBEAML entry of a section given by its dimensions."""
    given = {name: value for name, value in sizes.items() if value is not None}
    given = dict(zip(given, _positive("beam", **given)))
    wall = given.get("wall")
    if set(given) - {"wall"} == {"diameter"}:
        radius = 0.5 * given["diameter"]
        if wall is not None and wall >= radius:
            raise InputError("beam: wall must be less than half of the diameter", got=f"{wall:g} m")
        kind, dims = ("ROD", [radius]) if wall is None else ("TUBE", [radius, radius - wall])
    elif set(given) - {"wall"} == {"width", "height"}:
        w, h = given["width"], given["height"]
        if wall is not None and wall >= 0.5 * min(w, h):
            raise InputError("beam: wall must be less than half of width and height", got=f"{wall:g} m")
        kind, dims = ("BAR", [w, h]) if wall is None else ("BOX", [w, h, wall, wall])
        # dimension 1 lies along z of the element, dimension 2 along y, which is y of the beam
        dims[:2] = [h, w]
    else:
        raise InputError(
            "beam needs one cross section",
            expected="diameter, or width and height, each with or without wall, or EI, EA, GJ and mass_per_length",
            got=", ".join(given) or "none",
        )
    return card("PBEAML", 1, 1, None, kind, None, None, None, None, *dims)


def _stiffness_section(
    material: Material, stiff: dict[str, float | Sequence[float] | None], sizes: dict[str, float | None]
) -> list[str]:
    """Return MAT1 and PBEAM of a section given by its stiffness."""
    missing = [name for name, value in stiff.items() if value is None]
    extra = [name for name, value in sizes.items() if value is not None]
    if missing or extra:
        raise InputError(
            "beam: a cross section by its stiffness needs EI, EA, GJ and mass_per_length, and no dimensions",
            got=", ".join([f"no {name}" for name in missing] + extra),
        )
    EI = np.atleast_1d(np.asarray(stiff["EI"], dtype=float))
    if EI.shape not in ((1,), (2,)):
        raise InputError("beam: EI must be one number or two", got=shown(stiff["EI"]))
    EI_xy, EI_xz = EI[0], EI[-1]
    rest = {name: float(stiff[name]) for name in ("EA", "GJ", "mass_per_length")}  # type: ignore[arg-type]
    _positive("beam", EI=min(EI_xy, EI_xz), **rest)
    A = rest["EA"] / material.E
    G = material.E / (2.0 * (1.0 + material.nu))
    values: list[Field] = [A, EI_xy / material.E, EI_xz / material.E, None, rest["GJ"] / G]
    blank: list[Field] = [None] * 9  # nonstructural mass, and stress points at end A
    return [
        "$ density times area is the mass per length; K1 = K2 = 0: no shear flexibility",
        material.card(rho=rest["mass_per_length"] / A),
        card("PBEAM", 1, 1, *values, *blank, 0.0, 0.0),
    ]


def plate_deck(
    length: float,
    width: float,
    thickness: float,
    *,
    material: str | Material | Sequence[float] = "aluminum",
    elements: tuple[int, int] = (12, 8),
    root: str = "edge",
    extra_mass_per_area: float = 0.0,
) -> str:
    """Return the deck of a flat plate in the x-y plane, x from 0 to `length`, y from -width/2 to width/2.

    Grid 1 is at the origin, in the middle of the edge x = 0 (the root). Grids of the mesh are 101, 102, ... along y at
    x = 0, then 201, ... and so on; where there are more than 98 elements along y, 1001, 2001, ...

    Parameters
    ----------
    length, width, thickness : m
    material : as in `beam_deck`
    elements : number of CQUAD4 along x and y
    root : "edge": the whole edge x = 0 moves rigidly with grid 1; "center": only its middle does, with an even number
        of elements along y; "free": there is no grid 1
    extra_mass_per_area : nonstructural mass, as of solar cells, kg/m²
    """
    length, width, thickness = _positive("plate", length=length, width=width, thickness=thickness)
    _slender("plate", "thickness", thickness, "shorter side", min(length, width), 0.2, 0.5)
    nx, ny = _two_counts("plate", elements)
    made = material_of(material)
    if (
        not isinstance(extra_mass_per_area, int | float | np.integer | np.floating)
        or not 0.0 <= extra_mass_per_area < np.inf
    ):
        raise InputError(
            "plate: extra_mass_per_area must not be negative", got=f"{extra_mass_per_area} kg/m^2"
        )
    if root not in ("edge", "center", "free"):
        raise InputError("plate: unknown root", expected="'edge', 'center' or 'free'", got=shown(root))
    if root == "center" and ny % 2:
        raise InputError(
            "plate: root='center' needs an even number of elements along y",
            got=str(ny),
            hint="with an odd number no grid lies in the middle of the edge",
        )
    stride = 10 ** max(2, len(str(ny + 1)))
    lines = [
        f"$ plate {length:g} m x {width:g} m, {thickness:g} m thick",
        f"$ grids along y: {stride + 1}, {stride + 2}, ... at x = 0, then {2 * stride + 1}, ...",
        made.card(),
        card("PSHELL", 1, 1, thickness, 1, None, 1, None, float(extra_mass_per_area) or None),
    ]
    for i, x in enumerate(np.linspace(0.0, length, nx + 1)):
        for j, y in enumerate(np.linspace(-0.5 * width, 0.5 * width, ny + 1)):
            lines.append(card("GRID", stride * (i + 1) + j + 1, None, float(x), float(y), 0.0))
    for i in range(nx):
        for j in range(ny):
            a = stride * (i + 1) + j + 1
            lines.append(card("CQUAD4", i * ny + j + 1, 1, a, a + stride, a + stride + 1, a + 1))
    edge = [stride + j + 1 for j in range(ny + 1)]
    if root != "free":
        lines += [
            "$ root: grid 1",
            card("GRID", 1, None, 0.0, 0.0, 0.0),
            card("RBE2", nx * ny + 1, 1, 123456, *(edge if root == "edge" else [edge[ny // 2]])),
        ]
    return _deck("PLATE", lines)


def cylinder_deck(
    length: float,
    radius: float,
    thickness: float,
    *,
    material: str | Material | Sequence[float] = "aluminum",
    elements: tuple[int, int] = (16, 24),
    stations: Sequence[float] = (),
    frames: float = 0.0,
    axis: bool = False,
) -> str:
    """Return the deck of a thin cylinder along +x, from x = 0 to `length`, with rigid rings at its ends.

    Grid 1 is the center of the end x = 0, grid 2 that of the end x = `length`. Ring k has the grids 100 k + 1,
    100 k + 2, ... around it.

    Parameters
    ----------
    length, radius, thickness : m; the radius is that of the middle of the wall
    material : as in `beam_deck`
    elements : number of CQUAD4 along and n around (6 to 99); the wall is a polygon, whose mass is n/π sin(π/n) of a
        circle's
    stations : x at which there must be a ring, m
    frames : side of the square bars that stiffen every ring between the ends, m; 0 for none. Without frames the lowest
        modes are those of the wall, which ovals while the axis stays at rest
    axis : put a grid 10 + k on the axis at each ring k between the ends, which follows the mean motion of its ring
        (RBE3): places for tanks, equipment and sensors
    """
    length, radius, thickness = _positive("cylinder", length=length, radius=radius, thickness=thickness)
    _slender("cylinder", "thickness", thickness, "radius", radius, 0.2, 1.0)
    along, around = _two_counts("cylinder", elements)
    if not 6 <= around <= _MAX_AROUND:
        raise InputError("cylinder: elements around must be 6 to 99", got=str(around))
    made = material_of(material)
    xs = ring_stations(length, along, stations)
    if axis and len(xs) > 80:
        raise InputError("cylinder: grids on the axis are there for at most 80 rings", got=str(len(xs)))
    lines = [
        f"$ cylinder along x, {length:g} m, radius {radius:g} m, wall {thickness:g} m",
        "$ grid 1: center of the end x = 0; grid 2: center of the other end; ring k: grids 100 k + 1, 2, ...",
        made.card(),
        card("PSHELL", 1, 1, thickness, 1, None, 1),
        "$ cylindrical system about the axis: radius, angle from +y toward +z, x",
        card("CORD2C", 1, 0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    ]
    for k, x in enumerate(xs, start=1):
        lines += [
            card("GRID", 100 * k + j + 1, 1, radius, 360.0 * j / around, float(x), 0) for j in range(around)
        ]
    eid = 0
    for k in range(1, len(xs)):
        for j in range(around):
            a, b = 100 * k + j + 1, 100 * k + (j + 1) % around + 1
            eid += 1
            lines.append(card("CQUAD4", eid, 1, a, b, b + 100, a + 100))
    if frames:
        _positive("cylinder", frames=frames)
        lines.append(card("PBARL", 2, 1, None, "BAR", None, None, None, None, float(frames), float(frames)))
        for k in range(2, len(xs)):
            for j in range(around):
                angle = 2.0 * np.pi * (j + 0.5) / around
                outward = (0.0, float(np.cos(angle)), float(np.sin(angle)))
                eid += 1
                lines.append(
                    card("CBAR", eid, 2, 100 * k + j + 1, 100 * k + (j + 1) % around + 1, *outward, width=8)
                )
    for grid, x, k in ((1, 0.0, 1), (2, length, len(xs))):
        eid += 1
        ring = [100 * k + j + 1 for j in range(around)]
        lines += [card("GRID", grid, None, x, 0.0, 0.0), card("RBE2", eid, grid, 123456, *ring)]
    if axis:
        lines.append("$ axis: grid 10 + k follows the mean motion of ring k")
        for k in range(2, len(xs)):
            eid += 1
            ring = [100 * k + j + 1 for j in range(around)]
            lines += [
                card("GRID", ON_AXIS + k, None, float(xs[k - 1]), 0.0, 0.0),
                card("RBE3", eid, None, ON_AXIS + k, 123456, 1.0, 123, *ring),
            ]
    return _deck("CYLINDER", lines)


def ring_stations(length: float, along: int, stations: Sequence[float] = ()) -> np.ndarray:
    """Return x of the rings of a cylinder: its ends, the stations asked for, and rings evenly spread between those.

    >>> ring_stations(4.0, 4, [0.5]).tolist()
    [0.0, 0.5, 1.375, 2.25, 3.125, 4.0]
    """
    wanted = np.unique(np.asarray([*stations], dtype=float))
    if wanted.size and not (np.isfinite(wanted).all() and wanted[0] >= 0.0 and wanted[-1] <= length):
        raise InputError(
            "cylinder: stations must lie on the cylinder", expected=f"0 to {length:g} m", got=shown(stations)
        )
    ends = [0.0, *(float(x) for x in wanted if 1e-9 * length < x < (1.0 - 1e-9) * length), float(length)]
    spacing = length / along
    parts = [
        np.linspace(a, b, max(1, int(np.ceil((b - a) / spacing - 1e-9))) + 1)[:-1] for a, b in pairwise(ends)
    ]
    return np.concatenate([*parts, [float(length)]])


def _deck(title: str, bulk: Sequence[str]) -> str:
    head = ["$ Units: N, kg, m, s", "SOL 103", "CEND", f"TITLE = {title}", "METHOD = 1", "BEGIN BULK"]
    request = [card("EIGRL", 1, None, None, 20), card("PARAM", "GRDPNT", 0)]
    return "\n".join([*head, *request, *bulk, "ENDDATA", ""])


def _positive(what: str, **sizes: float) -> list[float]:
    """Return sizes as real numbers; refuse one that is not positive."""
    for name, value in sizes.items():
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not (number and 0.0 < value < np.inf):
            raise InputError(f"{what}: {name} must be a positive number", got=shown(value))
        if name in LENGTHS and not SMALLEST <= value <= LARGEST:
            raise InputError(
                f"{what}: {name} is in m", expected=f"{SMALLEST:g} to {LARGEST:g} m", got=f"{value:g}"
            )
    return [float(value) for value in sizes.values()]


def _slender(what: str, name: str, size: float, across: str, other: float, fair: float, most: float) -> None:
    """Refuse a body that is too thick for the theory it is built by, and warn of one that is nearly so."""
    if (
        not (isinstance(size, int | float | np.integer | np.floating) and np.isfinite(size))
        or size <= fair * other
    ):
        return
    said = f"{what}: the {name}, {size:g} m, is {size / other:.2g} times the {across}"
    if size > most * other:
        raise InputError(
            f"{said}: that is no {what}", expected=f"at most {most:g} times, and thin below {fair:g}"
        )
    warnings.warn(
        f"{said}: frequencies of so thick a {what} are approximate; below {fair:g} they are good",
        FidelityWarning,
        stacklevel=caller_level(),
    )


def _counts(what: str, **numbers: int) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{what}: {name} must be a positive integer", got=shown(value))


def _two_counts(what: str, elements: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(elements, Sequence) or len(elements) != 2:
        raise InputError(f"{what}: elements must be two integers", got=shown(elements))
    _counts(what, elements=elements[0])
    _counts(what, elements=elements[1])
    return int(elements[0]), int(elements[1])
