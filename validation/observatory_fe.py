"""A deployable telescope of our own with the numbers of the NESC report, App. G: mass properties, actuators, sensors.

An octagonal bus of plates carries a tower with the backplane of a segmented mirror 15 m across (a lattice of beams,
120 segments on flexures), a tripod with the secondary mirror, and eight booms of a sunshade. Grid 125 is the boresight
node at the origin, and the printed grid numbers are kept for thrusters, wheels and IMU. A ballast in the bus closes
the sums: mass, centre of mass and inertia about grid 125 are those of Table G1. Flexures are chosen so that 206
elastic modes lie below 15 Hz: 212 with the rigid ones, as the report has. A rotor's mass and transverse inertia are
in the deck, its spin inertia is not: it turns on its bearing.
"""

from __future__ import annotations

from functools import cache

import numpy as np

MASS = 34711.3  # kg, Table G1
COM = np.array([0.014, -3.544, 1.467])  # m from grid 125
INERTIA = np.array(
    [[2009236.4, 6892.5, -27454.2], [6892.5, 987582.1, 293419.1], [-27454.2, 293419.1, 1892977.8]]
)  # kg m2 about grid 125
CUTOFF_HZ, FLEXIBLE = 15.0, 206
BORESIGHT, IMU, SECONDARY = 125, 130010, 4
WHEELS = (170010, 170011, 170012, 170013)
THRUSTER_NODES = (123529, 123654, 123780, 123906, 124032, 124157, 123377, 123403)  # two thrusters at each
WHEEL_AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], np.full(3, 1 / np.sqrt(3.0))], dtype=float)
SPIN_INERTIA, VISCOUS = 20.0, 1e-3  # kg m2, N m s of the bearing
ROTOR_MASS, TRANSVERSE = 60.0, 11.0  # kg, kg m2
THRUSTERS = np.array(
    [
        [-0.7071, 0.5, 0.5], [0.7071, -0.5, 0.5], [-0.1464, 0.5, 0.8536], [0.8536, -0.5, -0.1464],
        [0.5, 0.5, 0.7071], [0.5, -0.5, -0.7071], [0.8536, 0.5, 0.1464], [-0.1464, -0.5, -0.8536],
        [0.7071, 0.5, -0.5], [-0.7071, -0.5, -0.5], [0.1464, 0.5, -0.8536], [-0.8536, -0.5, 0.1464],
        [-0.5, 0.5, -0.7071], [-0.5, -0.5, 0.7071], [-0.8536, 0.5, -0.1464], [0.1464, -0.5, 0.8536],
    ]
)  # fmt: skip

BUS = np.array([0.0, -7.0, 2.6])  # centre of the bus, its axis along y
RADIUS, HEIGHT = 3.0, 2.4
AROUND, UP, INWARD = 32, 4, 3  # elements of the bus
RINGS, PITCH = 6, 1.25  # of the mirror
SEGMENT_MASS, SEGMENT_INERTIA = 48.0, (5.0, 5.0, 9.0)
BOOMS, BOOM_LENGTH, BOOM_ELEMENTS = 8, 22.3, 12
FLEXURE = 2.0e5  # N/m, scale of the segments' flexures

PROPERTIES = """MAT1,1,7.0+10,,0.33,2700.
MAT1,2,1.1+11,,0.3,1700.
MAT1,3,7.0+8,2.8+8,,55.
PSHELL,1,1,4.-3,1,900.,3,100.,12.
PBEAM,2,2,6.0-3,2.4-5,2.4-5,,4.0-5
PBEAM,3,2,3.0-2,1.6-3,1.6-3,,3.0-3
PBEAM,4,2,2.4-3,1.4-5,1.2-5,,1.6-5
PBEAM,5,2,5.0-3,1.5-5,1.9-5,,3.0-5"""


class Deck:
    """Cards of the observatory, and the lumped masses among them."""

    def __init__(self, properties: str = PROPERTIES) -> None:
        self.lines = ["SOL 103", "CEND", "BEGIN BULK", properties]
        self.at: dict[int, np.ndarray] = {}
        self.element = 0
        self.rotors: list[str] = []

    def grid(self, number: int, place) -> int:
        """Add a grid."""
        self.at[number] = np.asarray(place, dtype=float)
        x, y, z = self.at[number]
        self.lines.append(f"GRID*,{number},0,{x:.15e},{y:.15e}\n*,{z:.15e},0")
        return number

    def beam(self, prop: int, a: int, b: int, up=(0.0, 1.0, 0.0)) -> None:
        """Add a beam; `up` is turned away where it lies along the beam."""
        along = self.at[b] - self.at[a]
        if np.linalg.norm(np.cross(along, up)) < 0.1 * np.linalg.norm(along):
            up = (0.0, 0.0, 1.0)
        self.element += 1
        self.lines.append(f"CBEAM,{self.element},{prop},{a},{b},{up[0]},{up[1]},{up[2]}")

    def plate(self, *corners: int) -> None:
        """Add a quadrilateral or a triangle."""
        self.element += 1
        kind = "CQUAD4" if len(corners) == 4 else "CTRIA3"
        self.lines.append(f"{kind},{self.element},1,{','.join(map(str, corners))}")

    def rigid(self, master: int, *slaves: int) -> None:
        """Tie grids to a master."""
        self.element += 1
        self.lines.append(f"RBE2,{self.element},{master},123456,{','.join(map(str, slaves))}")

    def mass(self, grid: int, mass: float, inertia, offset=(0.0, 0.0, 0.0)) -> None:
        """Add a lumped mass; inertia (3,) or (3, 3) about its own centre."""
        J = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
        x, y, z = offset
        self.element += 1
        # the card holds I21, I31, I32 as positive sums of products: entries of the tensor with the other sign
        self.lines.append(
            f"CONM2*,{self.element},{grid},0,{mass:.15e}\n*,{x:.15e},{y:.15e},{z:.15e},\n"
            f"*,{J[0, 0]:.15e},{-J[1, 0]:.15e},{J[1, 1]:.15e},{-J[2, 0]:.15e}\n"
            f"*,{-J[2, 1]:.15e},{J[2, 2]:.15e}"
        )

    def rotor(self, grid: int, mass: float, inertia) -> None:
        """Add the lumped mass of a wheel."""
        self.mass(grid, mass, inertia)
        self.rotors.append(self.lines[-1])

    def text(self, rotors: bool = True) -> str:
        """Return the deck; without its rotors where they are bodies of their own, on isolators."""
        lines = self.lines if rotors else [line for line in self.lines if line not in self.rotors]
        return "\n".join([*lines, "ENDDATA"])


def _bus(deck: Deck) -> None:
    """Add the bus: eight faces, two decks; deck centres are grids 1 (top) and 2 (bottom)."""
    angles = 2.0 * np.pi * (np.arange(AROUND) + 0.5 * AROUND / 8) / AROUND
    # the flat faces of an octagon: the distance from the axis grows towards the edges
    reach = RADIUS * np.cos(np.pi / 8) / np.cos((angles + np.pi / 8) % (np.pi / 4) - np.pi / 8)
    rim = np.column_stack([reach * np.sin(angles), np.zeros(AROUND), reach * np.cos(angles)])
    special = {(UP // 2, 2 + 4 * k): node for k, node in enumerate(THRUSTER_NODES)}

    def wall(i: int, j: int) -> int:
        return special.get((i, j % AROUND), 1000 + 100 * i + j % AROUND)

    for i in range(UP + 1):
        for j in range(AROUND):
            deck.grid(wall(i, j), BUS + rim[j] + [0.0, HEIGHT * (i / UP - 0.5), 0.0])
    for i in range(UP):
        for j in range(AROUND):
            deck.plate(wall(i, j), wall(i, j + 1), wall(i + 1, j + 1), wall(i + 1, j))
    for centre, level, base in ((1, UP, 2000), (2, 0, 3000)):
        middle = BUS + [0.0, HEIGHT * (level / UP - 0.5), 0.0]
        deck.grid(centre, middle)

        def ring(r: int, j: int, base=base, level=level) -> int:
            return wall(level, j) if r == INWARD else base + 100 * r + j % AROUND

        for r in range(1, INWARD):
            for j in range(AROUND):
                deck.grid(ring(r, j), middle + rim[j] * r / INWARD)
        for j in range(AROUND):
            deck.plate(centre, ring(1, j), ring(1, j + 1))
            for r in range(1, INWARD):
                deck.plate(ring(r, j), ring(r + 1, j), ring(r + 1, j + 1), ring(r, j + 1))
    # a stiff spine between the decks, and equipment on the bottom deck
    deck.beam(3, 2, 1)
    deck.grid(IMU, BUS + [0.9, 0.3, -0.6])
    deck.rigid(2000 + 100 + 5, IMU)
    for k, wheel in enumerate(WHEELS):
        foot = 3000 + 200 + 3 + 8 * k
        deck.grid(wheel, deck.at[foot] + [0.0, 0.25, 0.0])
        deck.rigid(foot, wheel)
        deck.rotor(wheel, ROTOR_MASS, rotor_inertia(k))


def rotor_inertia(k: int, transverse: float = TRANSVERSE) -> np.ndarray:
    """Return what of a rotor moves with the structure (3, 3): its transverse inertia, body axes."""
    return transverse * (np.eye(3) - np.outer(WHEEL_AXES[k], WHEEL_AXES[k]))


def _mirror(deck: Deck, flexure: float) -> None:
    """Add tower, backplane, segments on flexures, tripod and secondary mirror; grid 10000 is the lattice's centre."""
    lattice = {}
    for a in range(-RINGS, RINGS + 1):
        for b in range(-RINGS, RINGS + 1):
            if max(abs(a), abs(b), abs(a + b)) <= RINGS:
                place = PITCH * np.array([a + 0.5 * b, 0.5 * np.sqrt(3.0) * b])
                lattice[a, b] = deck.grid(10000 + len(lattice), [*place, -0.02 * (place @ place) + 0.8])
    for (a, b), node in lattice.items():
        for step in ((1, 0), (0, 1), (1, -1)):
            other = lattice.get((a + step[0], b + step[1]))
            if other is not None:
                deck.beam(2, node, other, (0.0, 0.0, 1.0))
    corners = [(RINGS, 0), (-RINGS, 0), (0, RINGS), (0, -RINGS), (RINGS, -RINGS), (-RINGS, RINGS)]
    deck.grid(BORESIGHT, [0.0, 0.0, 0.0])
    deck.rigid(lattice[0, 0], BORESIGHT)
    for k, (key, node) in enumerate(lattice.items()):
        if key in corners or key == (0, 0):
            continue
        segment = deck.grid(node + 1000, deck.at[node] + [0.0, 0.0, 0.15])
        deck.mass(segment, SEGMENT_MASS, SEGMENT_INERTIA)
        # no two flexures alike: the modes of segments are spread over a few hertz
        axial = flexure * (1.0 + 0.9 * ((k * 37) % 120) / 120)
        side, tip, twist = 6.0 * axial, 1.5 * axial, 3.0 * axial
        prop = 5000 + k
        deck.lines.append(f"PBUSH,{prop},K,{side:.6e},{side:.6e},{axial:.6e},{tip:.6e},{tip:.6e},{twist:.6e}")
        deck.element += 1
        deck.lines.append(f"CBUSH,{deck.element},{prop},{node},{segment},,,,0")
    top = deck.grid(3, [0.0, -3.0, 1.6])
    deck.beam(3, 1, top)
    for key in ((0, 0), (1, -2), (-1, 0), (2, -3), (1, -3)):
        deck.beam(3, top, lattice[key])
    mirror = deck.grid(SECONDARY, [0.0, 0.0, 13.0])
    deck.mass(mirror, 420.0, (90.0, 90.0, 60.0))
    for leg, key in enumerate(((4, -2), (-2, -2), (-2, 4))):
        previous, foot = lattice[key], deck.at[lattice[key]]
        for step in range(1, 6):
            here = deck.grid(20000 + 100 * leg + step, foot + (deck.at[mirror] - foot) * step / 6)
            deck.beam(5, previous, here)
            previous = here
        deck.beam(5, previous, mirror)
    instruments = deck.grid(5, [0.0, -1.2, -2.4])
    for key in ((1, 0), (-1, 0), (0, -2)):
        deck.beam(3, instruments, lattice[key])
    deck.mass(instruments, 4300.0, (6000.0, 5200.0, 4700.0))


def _sunshade(deck: Deck) -> None:
    """Add booms from the corners of the bus, each a little different."""
    for k in range(BOOMS):
        previous = 1000 + 4 * k
        angle = np.arctan2(*(deck.at[previous] - BUS)[[0, 2]])
        length = BOOM_LENGTH * (1.0 + 0.012 * k)
        for step in range(1, BOOM_ELEMENTS + 1):
            s = length * step / BOOM_ELEMENTS
            place = deck.at[1000 + 4 * k] + [s * np.sin(angle), -0.12 * s, s * np.cos(angle)]
            here = deck.grid(30000 + 100 * k + step, place)
            deck.beam(4, previous, here)
            deck.mass(here, 4.0, (0.3, 0.3, 0.3))
            previous = here
        deck.mass(previous, 12.0 + 1.3 * k, (1.5, 1.5, 1.5))


def _ballast(deck: Deck) -> None:
    """Close the sums at the spine of the bus."""
    from interstage import FEModel
    from interstage.nastran import deck_from_text

    node = deck.grid(6, BUS)
    deck.beam(3, 2, node)
    deck.beam(3, node, 1)
    have = FEModel.from_deck(deck_from_text(deck.text())).mass_properties(grdpnt=BORESIGHT)
    mass = MASS - have.mass
    place = (MASS * COM - have.mass * have.cg) / mass
    about = INERTIA - have.inertia_about_reference
    about -= mass * ((place @ place) * np.eye(3) - np.outer(place, place))
    deck.mass(node, mass, 0.5 * (about + about.T), place - BUS)


@cache
def observatory_deck(flexure: float = FLEXURE, rotors: bool = True) -> str:
    """Return the deck, with the lumped masses of its rotors or without."""
    deck = Deck()
    _bus(deck)
    _mirror(deck, flexure)
    _sunshade(deck)
    _ballast(deck)
    return deck.text(rotors)
