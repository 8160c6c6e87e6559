"""CBAR: beam theory, rigid motion, offsets, pins, product of inertia, mass."""

import numpy as np
import pytest

from interstage.fem.elements.bar import BarBlock, BarSection, LineGeometry
from interstage.fem.elements.line_common import frames, rigid_arm

E, G, A, I1, I2, J = 2.0e5, 7.7e4, 3.0, 5.0, 2.0, 4.0
ALL = slice(0, 1)


def make(a, b, v, w_a=(0, 0, 0), w_b=(0, 0, 0), pins=(), K=(0.0, 0.0), I12=0.0, inertia=(I1, I2), **more):
    w_a, w_b = np.array([w_a], dtype=float), np.array([w_b], dtype=float)
    axis = np.array([b], dtype=float) + w_b - np.array([a], dtype=float) - w_a
    R, bad = frames(axis, np.array([v], dtype=float))
    assert not bad.any()
    flags = np.zeros((1, 12), dtype=bool)
    flags[0, list(pins)] = True
    section = BarSection(*(np.array([float(x)]) for x in (E, G, A, *inertia, I12, J, *K, 0.6 * A)))
    geometry = LineGeometry(R, np.linalg.norm(axis, axis=1), w_a, w_b, flags)
    return BarBlock([1], [[0, 1]], geometry, section, **more)


def tip(bar, force):
    """Displacement of end B with end A held."""
    return np.linalg.solve(bar.stiffness(ALL)[0][6:, 6:], force)


def test_cantilever_deflections():
    L, P = 4.0, 10.0
    bar = make((0, 0, 0), (L, 0, 0), (0, 1, 0), K=(0.8, 0.5))
    for axis, inertia, K in ((1, I1, 0.8), (2, I2, 0.5)):
        load = np.zeros(6)
        load[axis] = P
        expected = P * L**3 / (3 * E * inertia) + P * L / (K * A * G)
        assert np.isclose(tip(bar, load)[axis], expected, rtol=1e-13)
    load = np.array([P, 0, 0, P, 0, 0])
    np.testing.assert_allclose(tip(bar, load)[[0, 3]], [P * L / (E * A), P * L / (G * J)], rtol=1e-13)


def test_rigid_motion_is_free_of_force():
    rng = np.random.default_rng(3)
    a, b, v, w_a, w_b = rng.normal(size=(5, 3))
    bar = make(a, b, v, w_a, w_b, K=(0.9, 0.4), I12=0.3)
    k = bar.stiffness(ALL)[0]
    motion = np.concatenate([rigid_arm(a[None])[0], rigid_arm(b[None])[0]])
    assert np.abs(k @ motion).max() < 1e-12 * np.abs(k).max()
    assert np.linalg.matrix_rank(k, tol=1e-9 * np.abs(k).max()) == 6
    np.testing.assert_array_equal(k, k.T)


def test_product_of_inertia_is_a_turned_section():
    """A section with I12 is the principal section turned about the axis."""
    angle = 0.4
    c, s = np.cos(angle), np.sin(angle)
    # y, z components of a section whose principal axes are turned from y towards z by `angle`
    i1, i2 = I1 * c * c + I2 * s * s, I1 * s * s + I2 * c * c
    i12 = (I1 - I2) * s * c
    turned = make((0, 0, 0), (3, 0, 0), (0, 1, 0), inertia=(i1, i2), I12=i12, K=(0.7, 0.7))
    principal = make((0, 0, 0), (3, 0, 0), (0, c, s))
    np.testing.assert_allclose(
        turned.stiffness(ALL), principal.stiffness(ALL), atol=1e-11 * principal.stiffness(ALL).max()
    )


def test_pins_release_and_condense():
    bar = make((0, 0, 0), (2, 0, 0), (0, 1, 0), pins=(5, 11))
    k = bar.stiffness(ALL)[0]
    assert np.abs(k[[5, 11]]).max() == 0.0
    # pinned at both ends, plane 1 carries nothing; plane 2 is a full beam
    assert np.abs(k[[1, 7]]).max() < 1e-10 * np.abs(k).max()
    assert np.isclose(k[2, 2], 12 * E * I2 / 8.0)
    one = make((0, 0, 0), (2, 0, 0), (0, 1, 0), pins=(11,)).stiffness(ALL)[0]
    assert np.isclose(one[7, 7], 3 * E * I1 / 8.0)
    # twist released at both ends leaves no torsion and does not divide by zero
    both = make((0, 0, 0), (2, 0, 0), (0, 1, 0), pins=(3, 9)).stiffness(ALL)[0]
    assert np.abs(both[[3, 9]]).max() == 0.0


def test_no_bending_stiffness_without_inertia():
    k = make((0, 0, 0), (2, 0, 0), (0, 1, 0), inertia=(0.0, I2)).stiffness(ALL)[0]
    assert np.abs(k[[1, 5, 7, 11]]).max() == 0.0
    assert np.isclose(k[2, 2], 12 * E * I2 / 8.0)


def test_offset_moves_stiffness_and_mass_to_the_grid():
    arm = np.array([0.0, 0.5, -0.2])
    plain = make((0, *arm[1:]), (2, *arm[1:]), (0, 1, 0))
    moved = make((0, 0, 0), (2, 0, 0), (0, 1, 0), w_a=arm, w_b=arm)
    T = np.kron(np.eye(2), rigid_arm(arm[None])[0])
    for found, expected in (
        (moved.stiffness(ALL)[0], plain.stiffness(ALL)[0]),
        (moved.mass(ALL, False)[0], plain.mass(ALL, False)[0]),
        (moved.mass(ALL, True)[0], plain.mass(ALL, True)[0]),
    ):
        np.testing.assert_allclose(found, T.T @ expected @ T, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("coupled", [False, True])
def test_mass_under_rigid_motion(coupled):
    bar = make((0, 0, 0), (3, 0, 0), (0, 1, 0))
    m = bar.mass(ALL, coupled)[0]
    motion = np.concatenate([np.eye(6), rigid_arm(np.array([[3.0, 0, 0]]))[0]])
    total = motion.T @ m @ motion
    mass = 0.6 * A * 3.0
    np.testing.assert_allclose(np.diag(total)[:3], mass, rtol=1e-14)
    # about end A: lumped m L²/2, consistent m L²/3; nothing about the axis
    np.testing.assert_allclose(
        np.diag(total)[3:], [0, *[mass * 9.0 / (3.0 if coupled else 2.0)] * 2], atol=1e-13
    )


def test_coupled_mass_is_the_hermite_matrix():
    m = make((0, 0, 0), (3, 0, 0), (0, 1, 0)).mass(ALL, True)[0] / (0.6 * A * 3.0)
    L = 3.0
    expected = (
        np.array(
            [
                [156, 22 * L, 54, -13 * L],
                [22 * L, 4 * L * L, 13 * L, -3 * L * L],
                [54, 13 * L, 156, -22 * L],
                [-13 * L, -3 * L * L, -22 * L, 4 * L * L],
            ]
        )
        / 420.0
    )
    np.testing.assert_allclose(m[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])], expected, rtol=1e-14)
    sign = np.diag([1.0, -1.0, 1.0, -1.0])
    np.testing.assert_allclose(m[np.ix_([2, 4, 8, 10], [2, 4, 8, 10])], sign @ expected @ sign, rtol=1e-14)
    np.testing.assert_allclose([m[0, 0], m[0, 6]], [5 / 12, 1 / 12], rtol=1e-14)


def test_rotary_inertia_is_an_option_of_lumped_mass():
    bar = make((0, 0, 0), (3, 0, 0), (0, 1, 0), rotary=np.array([[0.2, 0.3]]))
    extra = bar.mass(ALL, False)[0] - make((0, 0, 0), (3, 0, 0), (0, 1, 0)).mass(ALL, False)[0]
    np.testing.assert_allclose(np.diag(extra), [0, 0, 0, 0, 0.3, 0.45] * 2, atol=1e-15)
    assert bar.mass(ALL, True)[0, 4, 4] == make((0, 0, 0), (3, 0, 0), (0, 1, 0)).mass(ALL, True)[0, 4, 4]


def test_many_bars_at_once_are_the_same_as_one_by_one():
    rng = np.random.default_rng(5)
    bars = [make(*rng.normal(size=(3, 3)), K=(0.8, 0.0)) for _ in range(4)]
    geometry = LineGeometry(
        *(
            np.concatenate([getattr(b.geometry, f) for b in bars])
            for f in ("R", "length", "w_a", "w_b", "pins")
        )
    )
    fields = BarSection.__dataclass_fields__
    section = BarSection(*(np.concatenate([getattr(b.section, f) for b in bars]) for f in fields))
    block = BarBlock([1, 2, 3, 4], np.zeros((4, 2), dtype=int), geometry, section)
    np.testing.assert_array_equal(block.stiffness(slice(1, 3))[0], bars[1].stiffness(ALL)[0])
    np.testing.assert_array_equal(block.mass(slice(2, 4), True)[1], bars[3].mass(ALL, True)[0])
