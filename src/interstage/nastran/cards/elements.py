"""Cards of elements and masses."""

from __future__ import annotations

from interstage.nastran.cards.spec import CardSpec, ResultCodes, Topology, described

QUADRILATERAL = Topology(4, ((0, 1), (1, 2), (2, 3), (3, 0)))
TRIANGLE = Topology(3, ((0, 1), (1, 2), (2, 0)))
TETRAHEDRON = Topology(
    4,
    ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
)
PYRAMID = Topology(
    5,
    ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)),
    ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
)
WEDGE = Topology(
    6,
    ((0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)),
    ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
)
HEXAHEDRON = Topology(
    8,
    ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)),
    ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
)
_SHELL_PROPERTIES = ("PSHELL", "PCOMP", "PCOMPG")
_SOLID_PROPERTIES = ("PSOLID", "PCOMPS")

CARDS = [
    # line elements
    *described(
        "stretch, twist, mass",
        "",
        CardSpec(
            "CROD",
            "element",
            fields=8,
            family="line",
            grids="3-4",
            properties=("PROD",),
            two_a_card=True,
            distributed_mass=True,
            results=ResultCodes(1, force_words=3, stress_words=5),
        ),
        CardSpec(
            "CONROD",
            "element",
            fields=8,
            family="line",
            grids="2-3",
            reals="5-8",
            not_negative="5-6",
            distributed_mass=True,
            results=ResultCodes(10, force_words=3, stress_words=5),
        ),
        CardSpec(
            "CTUBE",
            "element",
            fields=8,
            family="line",
            grids="3-4",
            properties=("PTUBE",),
            two_a_card=True,
            distributed_mass=True,
            results=ResultCodes(3, force_words=3, stress_words=5),
        ),
    ),
    *described(
        "orientation by vector or G0, offsets, pin flags, OFFT",
        "p-elements (BIT) refused",
        CardSpec(
            "CBAR",
            "element",
            fields=16,
            family="line",
            grids="3-4",
            oriented=True,
            properties=("PBAR", "PBARL"),
            defaults="BAROR",
            reals="6-7,11-16",
            components="9-10",
            distributed_mass=True,
            results=ResultCodes(34, force_words=9, stress_words=16),
        ),
    ),
    *described(
        "the same, taper, stations, shear center, non-structural mass offsets",
        "warping (SA, SB with CW) and BIT refused",
        CardSpec(
            "CBEAM",
            "element",
            fields=18,
            family="line",
            grids="3-4",
            oriented=True,
            properties=("PBEAM", "PBEAML", "PBCOMP"),
            defaults="BEAMOR",
            reals="6-7,11-16",
            components="9-10",
            distributed_mass=True,
            results=ResultCodes(2, force_words=100, stress_words=111),
        ),
    ),
    *described(
        (
            "an arc of a circle by GEOM 1 to 4: [exact flexibility](theory/line_elements.md#curved-beams) of "
            "the arc, also with a consistent mass"
        ),
        "temperature gradients refused",
        CardSpec(
            "CBEND",
            "element",
            fields=8,
            family="line",
            grids="3-4",
            oriented=True,
            properties=("PBEND",),
            reals="6-7",
        ),
    ),
    *described(
        ("the parabola through three grids, or straight with two; offsets; exact flexibility of the curve"),
        "twist (TWA, ...) and warping (SA, ...) refused; loads of PLOAD1 refused",
        CardSpec(
            "CBEAM3",
            "element",
            fields=23,
            family="line",
            grids="3-5",
            properties=("PBEAM3", "PBEAML"),
            reals="7-20",
        ),
    ),
    *described(
        "coincident or apart, CID, orientation, S, OCID, ground",
        "",
        CardSpec(
            "CBUSH",
            "element",
            fields=13,
            family="connector",
            grids="3-4",
            oriented=True,
            properties=("PBUSH",),
            reals="6-7,9,11-13",
            results=ResultCodes(102, force_words=7, stress_words=7),
        ),
    ),
    *described(
        "along the line of its grids, or x of CID for grids at one place and ground",
        "CID aside from the line of grids apart refused",
        CardSpec(
            "CBUSH1D",
            "element",
            family="connector",
            grids="3-4",
            properties=("PBUSH1D",),
            results=ResultCodes(40),
        ),
    ),
    *described(
        (
            "ELEMID, GRIDID (patches by their corners), ALIGN, PARTPAT, ELPAT; from a point to a patch: "
            "[welds and fasteners](theory/line_elements.md#welds-and-fasteners)"
        ),
        "GA and GB stay without stiffness where they are given",
        CardSpec("CWELD", "element", family="connector", properties=("PWELD",)),
    ),
    *described(
        "PROP, ELEM, by GS, GA and GB, or XS, YS, ZS",
        "",
        CardSpec("CFAST", "element", family="connector", properties=("PFAST",), reals="9-11"),
    ),
    *described(
        "linear, in its first state: closed (KA, KT) or open (KB) by U0, as a note says",
        "contact",
        CardSpec(
            "CGAP",
            "element",
            fields=8,
            family="connector",
            grids="3-4",
            oriented=True,
            properties=("PGAP",),
            reals="6-7",
        ),
    ),
    *described(
        "`B_gg` only",
        "",
        CardSpec(
            "CVISC", "element", fields=8, family="line", grids="3-4", properties=("PVISC",), two_a_card=True
        ),
    ),
    # scalar elements and masses
    *described(
        "grids, scalar points, ground; GE into `K4_gg`; stress coefficient",
        "",
        CardSpec(
            "CELAS1",
            "element",
            fields=6,
            family="scalar",
            grids="3,5",
            properties=("PELAS",),
            results=ResultCodes(11, force_words=2, stress_words=2),
        ),
        CardSpec(
            "CELAS2",
            "element",
            fields=8,
            family="scalar",
            grids="3,5",
            reals="2,7-8",
            results=ResultCodes(12, force_words=2, stress_words=2),
        ),
        CardSpec(
            "CELAS3",
            "element",
            fields=8,
            family="scalar",
            grids="3,4",
            properties=("PELAS",),
            two_a_card=True,
            results=ResultCodes(13, force_words=2, stress_words=2),
        ),
        CardSpec(
            "CELAS4",
            "element",
            fields=8,
            family="scalar",
            grids="3,4",
            two_a_card=True,
            reals="2",
            results=ResultCodes(14, force_words=2),
        ),
    ),
    *described(
        "`B_gg` only",
        "",
        CardSpec("CDAMP1", "element", fields=6, family="scalar", grids="3,5", properties=("PDAMP",)),
        CardSpec("CDAMP2", "element", fields=6, family="scalar", grids="3,5", reals="2"),
        CardSpec(
            "CDAMP3",
            "element",
            fields=8,
            family="scalar",
            grids="3,4",
            properties=("PDAMP",),
            two_a_card=True,
        ),
        CardSpec("CDAMP4", "element", fields=8, family="scalar", grids="3,4", two_a_card=True, reals="2"),
    ),
    *described(
        "grids, scalar points, ground; times WTMASS",
        "",
        CardSpec("CMASS1", "mass", fields=6, family="scalar", grids="3,5", properties=("PMASS",)),
        CardSpec("CMASS2", "mass", fields=6, family="scalar", grids="3,5", reals="2"),
        CardSpec(
            "CMASS3", "mass", fields=8, family="scalar", grids="3,4", properties=("PMASS",), two_a_card=True
        ),
        CardSpec("CMASS4", "mass", fields=8, family="scalar", grids="3,4", two_a_card=True, reals="2"),
    ),
    *described(
        "full 6x6 matrix in CID",
        "",
        CardSpec("CONM1", "mass", fields=24, family="point", grids="2", reals="4-24"),
    ),
    *described(
        "offset and inertia in CID, or CID = -1",
        "",
        CardSpec("CONM2", "mass", fields=14, family="point", grids="2", reals="4-7,9-14", named={"M": 4}),
    ),
    *described(
        "K or Z, UD, S (that of a rigid body if blank)",
        "no output",
        CardSpec("GENEL", "element", family="general"),
    ),
    *described(
        "on shells, bars, beams, rods and tubes by property or element, if NSM selects them",
        "CSHEAR; one NSML over plates and lines refused",
        CardSpec("NSM", "model", reals="4/2"),
        CardSpec("NSM1", "model", reals="3"),
        CardSpec("NSML", "model", reals="4/2"),
        CardSpec("NSML1", "model", reals="3"),
        CardSpec("NSMADD", "model"),
    ),
    # shells
    *described(
        (
            "THETA or MCID (normal to the element: along side 1-2, with a note), ZOFFS, corner thicknesses "
            "with TFLAG, shell normals"
        ),
        "",
        CardSpec(
            "CQUAD4",
            "element",
            fields=14,
            family="shell",
            grids="3-6",
            properties=_SHELL_PROPERTIES,
            reals="8,11-14",
            distributed_mass=True,
            topology=QUADRILATERAL,
            results=ResultCodes(33, force_words=9, stress_words=17, corner=144, ply=95),
        ),
        CardSpec(
            "CTRIA3",
            "element",
            fields=13,
            family="shell",
            grids="3-5",
            properties=_SHELL_PROPERTIES,
            reals="7,11-13",
            distributed_mass=True,
            topology=TRIANGLE,
            results=ResultCodes(74, force_words=9, stress_words=17, ply=97),
        ),
    ),
    *described(
        "the same; formulation of the literature",
        "",
        CardSpec(
            "CQUADR",
            "element",
            fields=14,
            family="shell",
            grids="3-6",
            properties=_SHELL_PROPERTIES,
            reals="8,11-14",
            distributed_mass=True,
            topology=QUADRILATERAL,
            results=ResultCodes(82, force_words=9, center=228, stress_words=17, corner=82, ply=232),
        ),
        CardSpec(
            "CTRIAR",
            "element",
            fields=13,
            family="shell",
            grids="3-5",
            properties=_SHELL_PROPERTIES,
            reals="7,11-13",
            distributed_mass=True,
            topology=TRIANGLE,
            results=ResultCodes(70, force_words=9, center=227, stress_words=17, corner=70, ply=233),
        ),
    ),
    *described(
        (
            "curved, any mid-side node may be missing; flat CQUAD8 as Nastran's, else formulation of the "
            "literature; no K6ROT"
        ),
        "shell normals (SNORM)",
        CardSpec(
            "CQUAD8",
            "element",
            fields=17,
            family="shell",
            grids="3-10",
            properties=_SHELL_PROPERTIES,
            reals="11-14,16",
            distributed_mass=True,
            topology=QUADRILATERAL,
            results=ResultCodes(64, corner=64, ply=96),
        ),
        CardSpec(
            "CTRIA6",
            "element",
            fields=14,
            family="shell",
            grids="3-8",
            properties=_SHELL_PROPERTIES,
            reals="10-13",
            distributed_mass=True,
            topology=TRIANGLE,
            results=ResultCodes(75, corner=75, ply=98),
        ),
    ),
    *described(
        "with PSHEAR F1, F2",
        "",
        CardSpec(
            "CSHEAR",
            "element",
            fields=6,
            family="panel",
            grids="3-6",
            properties=("PSHEAR",),
            topology=QUADRILATERAL,
            results=ResultCodes(4, stress_words=4),
        ),
    ),
    # solids
    *described(
        "8 to 20 nodes",
        "",
        CardSpec(
            "CHEXA",
            "element",
            family="solid",
            grids="3-22",
            properties=_SOLID_PROPERTIES,
            topology=HEXAHEDRON,
            results=ResultCodes(67, corner=67),
        ),
    ),
    *described(
        "6 to 15 nodes, numbered either way round (left-handed with a note)",
        "",
        CardSpec(
            "CPENTA",
            "element",
            family="solid",
            grids="3-17",
            properties=_SOLID_PROPERTIES,
            topology=WEDGE,
            results=ResultCodes(68, corner=68),
        ),
    ),
    *described(
        "4 to 10 nodes",
        "",
        CardSpec(
            "CTETRA",
            "element",
            family="solid",
            grids="3-12",
            properties=_SOLID_PROPERTIES,
            topology=TETRAHEDRON,
            results=ResultCodes(39, corner=39),
        ),
    ),
    *described(
        "5 to 13 nodes",
        "",
        CardSpec(
            "CPYRAM",
            "element",
            family="solid",
            grids="3-15",
            properties=_SOLID_PROPERTIES,
            topology=PYRAMID,
            results=ResultCodes(255, corner=255),
        ),
    ),
    *described(
        (
            "[rings](theory/solid_elements.md#rings) of three to six grids in the xz plane, MAT1 and MAT3, "
            "THETA from x towards z, the G of MAT1; matrices and loads are those of the whole ring, mass properties "
            "and resultants those of rings about the z axis"
        ),
        "materials that expand unlike along the radius and around it; preload",
        CardSpec("CTRIAX6", "element", fields=9, family="ring", grids="3-8", reals="9", topology=TRIANGLE),
    ),
]
