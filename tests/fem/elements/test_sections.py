"""Standard cross sections against closed formulas and against brute-force integration."""

import numpy as np
import pytest

from interstage.fem.elements.sections import SHAPES, SectionError, section, thin_wall

SAMPLES = {
    "ROD": [1.5],
    "TUBE": [1.5, 1.2],
    "TUBE2": [1.5, 0.3],
    "I": [10.0, 4.0, 6.0, 0.3, 0.5, 0.4],
    "CHAN": [4.0, 8.0, 0.3, 0.5],
    "T": [4.0, 5.0, 0.3, 0.2],
    "BOX": [4.0, 6.0, 0.3, 0.2],
    "BAR": [2.0, 1.0],
    "CROSS": [4.0, 0.3, 5.0, 0.2],
    "H": [4.0, 0.6, 5.0, 0.3],
    "T1": [4.0, 5.0, 0.3, 0.2],
    "I1": [4.0, 0.3, 7.0, 8.0],
    "CHAN1": [4.0, 0.3, 7.0, 8.0],
    "Z": [3.0, 0.3, 7.0, 8.0],
    "CHAN2": [0.3, 0.4, 5.0, 6.0],
    "T2": [4.0, 5.0, 0.3, 0.2],
    "BOX1": [4.0, 6.0, 0.3, 0.2, 0.1, 0.4],
    "HEXA": [1.0, 5.0, 3.0],
    "HAT": [4.0, 0.2, 5.0, 2.0],
    "HAT1": [8.0, 4.0, 4.0, 0.2, 0.3],
    "DBOX": [8.0, 4.0, 3.0, 0.1, 0.2, 0.3, 0.15, 0.2, 0.25, 0.3],
    "L": [4.0, 5.0, 0.3, 0.2],
}  # fmt: skip


def inside(kind, d, y, z):
    """Which points lie in the shape as the Quick Reference Guide draws it, y up and z to the right."""
    ay, az = np.abs(y), np.abs(z)
    if kind == "I":
        h, a, b, tw, ta, tb = d
        return ((y < ta) & (az < a / 2)) | ((y > h - tb) & (az < b / 2)) | (az < tw / 2), (0, h), (-5, 5)
    if kind == "CHAN":
        w, h, tw, tf = d
        return (z < tw) | (ay > h / 2 - tf), (-h / 2, h / 2), (0, w)
    if kind == "T":
        w, h, tf, tw = d
        return (y > h - tf) | (az < tw / 2), (0, h), (-w / 2, w / 2)
    if kind == "CROSS":
        arms, tv, h, th = d
        return (az < tv / 2) | (ay < th / 2), (-h / 2, h / 2), (-(arms + tv) / 2, (arms + tv) / 2)
    if kind == "H":
        web, flanges, h, tw = d
        return (az > web / 2) | (ay < tw / 2), (-h / 2, h / 2), (-(web + flanges) / 2, (web + flanges) / 2)
    if kind == "Z":
        bf, tw, hw, h = d
        upper = (y > hw / 2) & (z < tw / 2)
        lower = (y < -hw / 2) & (z > -tw / 2)
        return upper | lower | (az < tw / 2), (-h / 2, h / 2), (-bf - tw / 2, bf + tw / 2)
    if kind == "HAT":
        h, t, top, flange = d
        hat = (az < top / 2) & ((y > h - t) | (az > top / 2 - t))
        return hat | ((y < t) & (az > top / 2 - t)), (0, h), (-top / 2 - flange, top / 2 + flange)
    if kind == "HEXA":
        dd, w, h = d
        return az < w / 2 - dd * ay / (h / 2), (-h / 2, h / 2), (-w / 2, w / 2)
    w, h, t, b, left, right = d  # BOX1
    return (y > h - t) | (y < b) | (z < left) | (z > w - right), (0, h), (0, w)


@pytest.mark.parametrize("kind", ["I", "CHAN", "T", "CROSS", "H", "Z", "HAT", "HEXA", "BOX1"])
def test_area_moments_against_brute_force(kind):
    d = SAMPLES[kind]
    _, ylim, zlim = inside(kind, d, np.zeros(1), np.zeros(1))
    n = 2000
    y = ylim[0] + (np.arange(n) + 0.5) / n * (ylim[1] - ylim[0])
    z = zlim[0] + (np.arange(n) + 0.5) / n * (zlim[1] - zlim[0])
    Y, Z = np.meshgrid(y, z, indexing="ij")
    mask = inside(kind, d, Y, Z)[0]
    da = (y[1] - y[0]) * (z[1] - z[0])
    A = mask.sum() * da
    yc, zc = Y[mask].mean(), Z[mask].mean()
    I1, I2 = ((Y[mask] - yc) ** 2).sum() * da, ((Z[mask] - zc) ** 2).sum() * da
    I12 = ((Y[mask] - yc) * (Z[mask] - zc)).sum() * da
    s = section(kind, d)
    # the grid resolves walls to about a percent
    np.testing.assert_allclose([s.A, s.I1, s.I2], [A, I1, I2], rtol=1.5e-2)
    assert abs(s.I12 - I12) < 1.5e-2 * (s.I1 + s.I2)


def test_channel_formulas():
    """Closed formulas of the NX Nastran Element Library Reference."""
    w, h_all, tw, tf = SAMPLES["CHAN"]
    s = section("CHAN", SAMPLES["CHAN"])
    b, h, bf, hw = w - tw / 2, h_all - tf, w - tw, h_all - 2 * tf
    A = 2 * tf * bf + (h + tf) * tw
    zc = bf * tf * (bf + tw) / A
    zs = b**2 * tf / (2 * b * tf + h * tw / 3)
    np.testing.assert_allclose(s.A, A, rtol=1e-14)
    np.testing.assert_allclose(
        s.I1, h**2 * tf * bf / 2 + bf * tf**3 / 6 + (h + tf) ** 3 * tw / 12, rtol=1e-14
    )
    np.testing.assert_allclose(
        s.I2,
        (h + tf) * tw**3 / 12 + bf**3 * tf / 6 + 0.5 * (bf + tw) ** 2 * bf * tf - zc**2 * A,
        rtol=1e-13,
    )
    np.testing.assert_allclose(s.J, (2 * b * tf**3 + h * tw**3) / 3, rtol=1e-14)
    np.testing.assert_allclose([s.K1, s.K2], [tw * hw / A, 2 * tf * bf / A], rtol=1e-14)
    np.testing.assert_allclose(s.neutral_axis, [0.0, zc + zs], rtol=1e-13)


def test_i_and_box_formulas():
    h, a, b, tw, ta, tb = SAMPLES["I"]
    s = section("I", SAMPLES["I"])
    hf = h - (ta + tb) / 2
    hw = h - ta - tb
    yc = (0.5 * hw * (hw + ta) * tw + hf * tb * b) / s.A
    ys = tb * hf * b**3 / (tb * b**3 + ta * a**3)
    np.testing.assert_allclose(s.neutral_axis, [yc - ys, 0.0], rtol=1e-12)
    np.testing.assert_allclose(s.J, (tb**3 * b + ta**3 * a + tw**3 * hf) / 3, rtol=1e-13)
    w, h, t1, t2 = SAMPLES["BOX"]
    s = section("BOX", SAMPLES["BOX"])
    J = 2 * t2 * t1 * (w - t2) ** 2 * (h - t1) ** 2 / (w * t2 + h * t1 - t2**2 - t1**2)
    np.testing.assert_allclose(s.J, J, rtol=1e-13)
    assert s.neutral_axis == (0.0, 0.0) and s.I12 == 0.0


def test_round_sections():
    rod, tube, tube2 = (section(kind, SAMPLES[kind]) for kind in ("ROD", "TUBE", "TUBE2"))
    assert np.isclose(rod.J, np.pi * 1.5**4 / 2) and rod.K1 == 0.9
    assert np.isclose(tube.I1, np.pi * (1.5**4 - 1.2**4) / 4) and tube.K2 == 0.5
    np.testing.assert_allclose(tube2.J, tube.J, rtol=1e-12)
    assert pytest.approx(rod.A) == section("TUBE", [1.5, 0.0]).A


def test_equivalent_shapes_agree():
    i1, i = section("I1", [4.0, 0.3, 7.0, 8.0]), section("I", [8.0, 4.3, 4.3, 0.3, 0.5, 0.5])
    assert i1 == i
    chan1, chan = section("CHAN1", [4.0, 0.3, 7.0, 8.0]), section("CHAN", [4.3, 8.0, 0.3, 0.5])
    assert chan1 == chan
    t, t1 = section("T", [4.0, 5.3, 0.3, 0.2]), section("T1", [4.0, 5.0, 0.3, 0.2])
    assert (t.I1, t.I2, t.K1) == (t1.I2, t1.I1, t1.K2) and t.neutral_axis[0] == t1.neutral_axis[1] < 0.0
    hat1 = section("HAT1", [4.0, 4.0, 4.0, 0.2, 0.2])
    box = section("BOX", [4.0, 4.0, 0.2, 0.2])
    np.testing.assert_allclose([hat1.A, hat1.I1, hat1.I2, hat1.J], [box.A, box.I1, box.I2, box.J], rtol=1e-13)
    dbox = section("DBOX", [8.0, 4.0, 4.0, 0.1, 1e-9, 0.1, 0.2, 0.2, 0.2, 0.2])
    one = section("BOX", [8.0, 4.0, 0.2, 0.1])
    np.testing.assert_allclose([dbox.A, dbox.I1, dbox.I2, dbox.J], [one.A, one.I1, one.I2, one.J], rtol=1e-6)


def test_shear_centre_of_an_angle_is_its_corner():
    b, h, t1, t2 = SAMPLES["L"]
    s = section("L", SAMPLES["L"])
    y = (b * t1 * t1 / 2 + (h - t1) * t2 * (t1 + (h - t1) / 2)) / s.A
    assert np.isclose(s.neutral_axis[0], y - t1 / 2)
    assert s.I12 < 0.0


def test_split_tube_has_its_shear_centre_outside():
    """Thin circular tube with a slit: shear centre at twice the radius from the centre (Timoshenko)."""
    n, r, t = 400, 1.0, 0.01
    angle = np.linspace(0.0, 2 * np.pi, n + 1)
    points = [(r * np.sin(a), r * np.cos(a)) for a in angle]
    J, ys, zs = thin_wall(points, [(i, i + 1, t) for i in range(n)])
    assert np.isclose(zs, -2.0 * r, rtol=1e-3) and abs(ys) < 1e-9
    assert np.isclose(J, 2 * np.pi * r * t**3 / 3, rtol=1e-3)
    J, ys, zs = thin_wall(points[:-1], [(i, (i + 1) % n, t) for i in range(n)])
    assert np.isclose(J, 2 * np.pi * r**3 * t, rtol=1e-3) and abs(ys) + abs(zs) < 1e-9


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_every_shape_is_physical_and_scales(kind):
    s, big = section(kind, SAMPLES[kind]), section(kind, [2.0 * d for d in SAMPLES[kind]])
    assert s.A > 0 and s.I1 > 0 and s.I2 > 0 and s.J > 0 and s.I1 * s.I2 > s.I12**2
    assert 0 < s.K1 <= 1 and 0 < s.K2 <= 1
    assert s.J < s.I1 + s.I2 + 1e-12 * s.I1
    np.testing.assert_allclose(
        [big.A, big.I1, big.I2, big.J, big.K1], [4 * s.A, 16 * s.I1, 16 * s.I2, 16 * s.J, s.K1], rtol=1e-9
    )
    np.testing.assert_allclose(big.neutral_axis, 2.0 * np.array(s.neutral_axis), rtol=1e-9)


@pytest.mark.parametrize(
    "kind, dims",
    [
        ("ROD", [0.0]),
        ("TUBE", [1.0, 1.0]),
        ("I", [1.0, 4, 4, 0.3, 0.5, 0.5]),
        ("BOX", [1.0, 1.0, 0.5, 0.1]),
        ("HAT", [4.0, 0.2, 0.3, 1.0]),
        ("CHAN", [4.0, 8.0, 0.3]),
    ],
)
def test_impossible_dimensions_are_refused(kind, dims):
    with pytest.raises(SectionError):
        section(kind, dims)
