"""Two copies of one component, locked at 0 and at 45 degrees: the same file gives the modes of both structures.

python examples/two_beams.py

Draws the first two modes in the plane of the bend into two_beams.png.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from interstage.component import Component
from interstage.multibody import Free, Locked, Multibody, System
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure
from interstage.spatial import Rotation

ELEMENTS, LENGTH = 10, 1.0
EA, GJ, EI, MASS_PER_LENGTH = 5e6, 700.0, 1000.0, 2.5


def beam_matrices() -> tuple[np.ndarray, np.ndarray, dict[int, list[float]]]:
    """Return stiffness, consistent mass and nodes of a beam along x: any finite-element code will do."""
    L, n = LENGTH / ELEMENTS, ELEMENTS + 1
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    for dofs, s in (((0, 6), EA / L), ((3, 9), GJ / L)):
        k[np.ix_(dofs, dofs)] += s * np.array([[1, -1], [-1, 1]])
    for dofs, inertia in (((0, 6), MASS_PER_LENGTH), ((3, 9), 1e-3)):
        m[np.ix_(dofs, dofs)] += inertia * L / 6 * np.array([[2, 1], [1, 2]])
    bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]])
    bend = EI / L**3 * np.vstack([bend, [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]])
    move = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]])
    move = np.vstack([move, [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]])
    flip = np.diag([1.0, -1.0, 1.0, -1.0])
    for dofs, sign in (((1, 5, 7, 11), np.eye(4)), ((2, 4, 8, 10), flip)):
        k[np.ix_(dofs, dofs)] += sign @ bend @ sign
        m[np.ix_(dofs, dofs)] += sign @ move @ sign * MASS_PER_LENGTH * L / 420
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for e in range(ELEMENTS):
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += k
        M[at, at] += m
    return K, M, {i + 1: [i * L, 0.0, 0.0] for i in range(n)}


def both_as_one_structure(angle_deg: float) -> np.ndarray:
    """Return the frequencies (Hz) of one finite-element model of both beams."""
    K, M, _ = beam_matrices()
    n = len(K)
    T = np.kron(np.eye(n // 3), Rotation.from_axis_angle([0, 0, 1], angle_deg, degrees=True).matrix)
    whole_K, whole_M = np.zeros((2 * n - 6, 2 * n - 6)), np.zeros((2 * n - 6, 2 * n - 6))
    for part, whole in ((K, whole_K), (M, whole_M)):
        whole[:n, :n] += part
        whole[n - 6 :, n - 6 :] += T @ part @ T.T
    return np.sqrt(np.abs(eigh(whole_K, whole_M, eigvals_only=True))) / (2 * np.pi)


def draw(assemblies: dict[float, System]) -> None:
    """Draw the first two modes that bend in the plane of both beams, at both angles."""
    figure = new_figure(7.5, 3.6)
    for axes, (angle_deg, system) in zip(figure.subplots(1, 2), assemblies.items()):
        x, modes, drawn = system.state(), system.modes(), 0
        lines = {name: system.positions(x, name) for name in system.bodies}
        for k in range(6, 12):
            moves = {name: system.jacobians(x, name)[:, 3:] @ modes.shapes[:, k] for name in system.bodies}
            size = max(np.abs(move).max(axis=0)[:2].max() for move in moves.values())
            if drawn == 2 or size < 0.5 * max(np.abs(move).max() for move in moves.values()):
                continue
            drawn += 1
            color, label = (BLUE, ORANGE)[drawn - 1], f"{modes.frequencies_hz[k]:.2f} Hz"
            for name, move in moves.items():
                bent = lines[name] + 0.25 / size * move
                axes.plot(bent[:, 0], bent[:, 1], color=color, marker=".", ms=4, label=label)
                label = None
        for line in lines.values():
            axes.plot(line[:, 0], line[:, 1], color=GREY, lw=0.8, ls="--")
        axes.set(aspect="equal", xlim=(-0.1, 2.1), ylim=(-0.4, 1.2))
        dress(axes, "x, m", "y, m", f"second beam at {angle_deg:.0f} degrees", legend=True)
    figure.savefig("two_beams.png", dpi=110, bbox_inches="tight")


def main() -> None:
    """Compare the first elastic modes of assembly and structure."""
    assemblies = {}
    K, M, nodes = beam_matrices()
    beam = Component.from_matrices(K, M, nodes, n_modes=6 * ELEMENTS, aset={1: 123456}, name="beam")
    print("angle   mode   assembled Hz   one structure Hz")
    for angle_deg in (0.0, 45.0):
        R_PC = Rotation.from_axis_angle([0, 0, 1], angle_deg, degrees=True)
        mb = Multibody("two beams")
        mb.add_body("first", component=beam, node=1, joint=Free())
        mb.add_body(
            "second", component=beam, node=1, parent="first", at=ELEMENTS + 1, rotation=R_PC, joint=Locked()
        )
        assemblies[angle_deg] = mb.compile()
        modes = assemblies[angle_deg].modes()
        reference = both_as_one_structure(angle_deg)
        for k in range(6, 12):
            print(f"{angle_deg:5.0f}  {k + 1:5d}   {modes.frequencies_hz[k]:12.6f}   {reference[k]:16.6f}")
        assert np.abs(modes.frequencies_hz[6:12] - reference[6:12]).max() < 1e-6
    draw(assemblies)


if __name__ == "__main__":
    main()
