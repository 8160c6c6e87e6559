"""CBEAM: taper, stations, shear relief, neutral axis and non-structural mass."""

import numpy as np
import pytest

from interstage.fem.elements.bar import LineGeometry
from interstage.fem.elements.beam import BeamBlock, BeamSection
from interstage.fem.elements.line_common import rigid_arm

E, G, RHO, L = 2.0e5, 8.0e4, 1.5, 3.0
ALL = slice(0, 1)


def section(x=(0.0, 1.0), A=(2.0, 2.0), I1=(4.0, 4.0), I2=(1.0, 1.0), I12=None, J=None, nsm=None, **more):
    zero = np.zeros(len(x))
    J = np.full(len(x), 3.0) if J is None else np.array(J, dtype=float)
    values = [np.array(v, dtype=float) for v in (x, A, I1, I2)]
    values += [zero if I12 is None else np.array(I12, dtype=float), J]
    values.append(zero if nsm is None else np.array(nsm, dtype=float))
    more = {"K1": 0.0, "K2": 0.0} | more
    return BeamSection(*values, E, G, RHO, **more)


def beam(s, length=L, rotary=False):
    geometry = LineGeometry(
        np.eye(3)[None], np.array([length]), np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 12), dtype=bool)
    )
    return BeamBlock([1], [[0, 1]], geometry, [s], [0], rotary=rotary)


def condensed_chain(make_section, n):
    """Stiffness of n beams in a row, condensed to the end dofs."""
    size = 6 * (n + 1)
    K = np.zeros((size, size))
    for e in range(n):
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += beam(make_section(e / n, (e + 1) / n), L / n).stiffness(ALL)[0]
    ends = np.r_[0:6, size - 6 : size]
    inside = np.arange(6, size - 6)
    if not len(inside):
        return K
    return K[np.ix_(ends, ends)] - K[np.ix_(ends, inside)] @ np.linalg.solve(
        K[np.ix_(inside, inside)], K[np.ix_(inside, ends)]
    )


def linear(values):
    return lambda a, b: [np.interp(a, [0, 1], values), np.interp(b, [0, 1], values)]


def test_taper_converges_with_the_sixth_power_of_the_length():
    """Three Gauss points a beam, NASTRAN's rule: pieces of a tapered beam converge to the exact one."""
    A, I1, I2, I12, J = (linear(v) for v in ((2, 1), (4, 2), (1, 1.6), (0.5, 0.2), (3, 1.5)))

    def piece(a, b):
        return section(A=A(a, b), I1=I1(a, b), I2=I2(a, b), I12=I12(a, b), J=J(a, b), K1=0.8, K2=0.5)

    exact = condensed_chain(piece, 32)
    error = [np.abs(condensed_chain(piece, n) - exact).max() / np.abs(exact).max() for n in (1, 2, 4)]
    assert error[-1] < 1e-6
    order = np.log2(np.array(error[:-1]) / error[1:])
    assert np.all(order > 5.0), order


@pytest.mark.parametrize("pieces, error", [(1, -0.2524), (64, -4.3e-5)])
def test_strong_taper_against_the_closed_form(pieces, error):
    """Rotation under an end moment, exactly L ln(I_A/I_B) / E(I_A - I_B): three points see too little of 1 to 100."""
    I1 = linear((100.0, 1.0))
    k = condensed_chain(lambda a, b: section(I1=I1(a, b)), pieces)[6:, 6:]
    u = np.linalg.solve(k, [0, 0, 0, 0, 0, 7.0])
    assert np.isclose(u[5] / (7.0 * L * np.log(100.0) / (E * 99.0)) - 1.0, error, rtol=1e-2)


def test_stations_between_the_ends():
    """A beam with a station at 0.3 equals two beams that meet there."""
    x = (0.0, 0.3, 1.0)
    whole = section(x=x, A=(2, 1, 1.5), I1=(4, 2, 3), I2=(1, 2, 1), J=(3, 1, 2), K1=0.7, K2=0.9)
    first = section(A=(2, 1), I1=(4, 2), I2=(1, 2), J=(3, 1), K1=0.7, K2=0.9)
    second = section(A=(1, 1.5), I1=(2, 3), I2=(2, 1), J=(1, 2), K1=0.7, K2=0.9)
    K = np.zeros((18, 18))
    K[:12, :12] += beam(first, 0.3 * L).stiffness(ALL)[0]
    K[6:, 6:] += beam(second, 0.7 * L).stiffness(ALL)[0]
    e, i = np.r_[0:6, 12:18], np.arange(6, 12)
    expected = K[np.ix_(e, e)] - K[np.ix_(e, i)] @ np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, e)])
    np.testing.assert_allclose(beam(whole).stiffness(ALL)[0], expected, atol=1e-11 * np.abs(expected).max())
    for coupled in (False, True):
        m = beam(whole).mass(ALL, coupled)[0]
        motion = np.concatenate([np.eye(6), rigid_arm(np.array([[L, 0, 0]]))[0]])
        mass = RHO * L * (0.3 * 1.5 + 0.7 * 1.25)
        np.testing.assert_allclose(np.diag(motion.T @ m @ motion)[:3], mass, rtol=1e-14)


def test_shear_relief_of_a_tapered_beam():
    """The flanges of a tapering beam carry S M / L: shear deflection of the tip ∫(1 - S(1-ξ))² P L/KAG dξ."""
    S, P, K = 0.6, 5.0, 0.8
    rigid = 1e12
    s = section(I1=(rigid, rigid), I2=(rigid, rigid), K1=K, S1=S)
    u = np.linalg.solve(beam(s).stiffness(ALL)[0][6:, 6:], [0, P, 0, 0, 0, 0])
    expected = P * L / (K * 2.0 * G) * (1 - S + S * S / 3)
    assert np.isclose(u[1], expected, rtol=1e-6)


def test_neutral_axis_offset_couples_pull_and_bending():
    """A pull at the shear centre of a beam whose neutral axis lies at (y, z) bends it as P y, P z."""
    y, z, P = 0.3, -0.2, 6.0
    s = section(neutral_axis=np.array([[y, z], [y, z]]))
    u = np.linalg.solve(beam(s).stiffness(ALL)[0][6:, 6:], [P, 0, 0, 0, 0, 0])
    assert np.isclose(u[5], P * y * L / (E * 4.0), rtol=1e-12)
    assert np.isclose(u[4], -P * z * L / (E * 1.0), rtol=1e-12)
    assert np.isclose(u[0], P * L / E * (1 / 2.0 + y**2 / 4.0 + z**2 / 1.0), rtol=1e-12)
    # a pull at the neutral axis only stretches
    moment = rigid_arm(np.array([[0, y, z]]))[0].T @ np.array([P, 0, 0, 0, 0, 0])
    u = np.linalg.solve(beam(s).stiffness(ALL)[0][6:, 6:], moment)
    assert np.abs(u[3:]).max() < 1e-12 * abs(u[0])


def test_rigid_motion_is_free_of_force():
    s = section(
        A=(2, 1), I1=(4, 2), I2=(1, 2), I12=(0.2, 0.5), K1=0.8, K2=0.6, S1=0.3, S2=-0.1,
        neutral_axis=np.array([[0.1, 0.2], [-0.3, 0.4]]),
    )  # fmt: skip
    k = beam(s).stiffness(ALL)[0]
    motion = np.concatenate([np.eye(6), rigid_arm(np.array([[L, 0, 0]]))[0]])
    assert np.abs(k @ motion).max() < 1e-11 * np.abs(k).max()
    assert np.linalg.eigvalsh(k).min() > -1e-10 * np.abs(k).max()


def test_lumped_mass_of_a_tapered_beam():
    s = section(A=(2.0, 1.0), I1=(4, 2), I2=(1, 0.5), nsm=(0.4, 0.1), nsi=np.array([0.3, 0.6]))
    d = np.diag(beam(s).mass(ALL, False)[0])
    m_a = L * (RHO * (2 / 3 + 1 / 6) + 0.4 / 3 + 0.1 / 6)
    m_b = L * (RHO * (2 / 6 + 1 / 3) + 0.4 / 6 + 0.1 / 3)
    twist_a = L * (RHO * (5 / 3 + 2.5 / 6) + 0.3 / 3 + 0.6 / 6)
    twist_b = L * (RHO * (5 / 6 + 2.5 / 3) + 0.3 / 6 + 0.6 / 3)
    np.testing.assert_allclose(d, [m_a] * 3 + [twist_a, 0, 0] + [m_b] * 3 + [twist_b, 0, 0], atol=1e-14)
    rotary = np.diag(beam(s, rotary=True).mass(ALL, False)[0]) - d
    half = RHO * L / 2
    np.testing.assert_allclose(rotary, [0, 0, 0, 0, half * 1, half * 4] * 2, atol=1e-14)


@pytest.mark.parametrize("coupled", [False, True])
def test_offset_of_non_structural_mass(coupled):
    """First and second moments of mass about the shear centre follow the offset."""
    y, z, nsm = 0.2, -0.5, 0.4
    s = section(nsm=(nsm, nsm), nsm_offset=np.array([[y, z], [y, z]]))
    motion = np.concatenate([np.eye(6), rigid_arm(np.array([[L, 0, 0]]))[0]])
    total = motion.T @ beam(s).mass(ALL, coupled)[0] @ motion
    assert np.isclose(total[0, 4], nsm * L * z) and np.isclose(total[0, 5], -nsm * L * y)
    twist = RHO * L * 5.0 + nsm * L * (y * y + z * z)
    assert np.isclose(total[3, 3], twist)


def test_coupled_mass_of_a_uniform_beam_is_that_of_a_bar():
    from interstage.fem.elements.bar import coupled_mass

    m = beam(section()).mass(ALL, True)[0]
    bar = coupled_mass(np.array([RHO * 2.0 * L]), np.array([L]))[0]
    torsion = np.zeros((12, 12))
    torsion[np.ix_([3, 9], [3, 9])] = RHO * 5.0 * L * np.array([[2, 1], [1, 2]]) / 6
    np.testing.assert_allclose(m, bar + torsion, atol=1e-13)
