"""Numbers of the 3-D view and of the SVG figures."""

import base64
import re

import numpy as np
import pytest

from interstage.errors import InputError, ModelError
from interstage.report.decks import deck_report
from interstage.report.drawings import gains_svg, mac_matrix, mac_svg, poles_svg
from interstage.report.scene import (
    ElementPart,
    Scene,
    SceneMode,
    part_of_elements,
    rigid_displacement,
    triangles_and_edges,
)


def values(packed):
    return np.frombuffer(base64.b64decode(packed["d"]), dtype="<" + packed["t"])


def test_points_and_shapes_survive_sixteen_bits():
    """Positions within 2e-5 of the size, shapes within 2e-5 of their largest motion (half a step of 1/32767)."""
    rng = np.random.default_rng(3)
    points, u = rng.uniform(-7.0, 43.0, (200, 3)), rng.normal(size=(200, 3))
    figure = Scene(points, [ElementPart("p", dots=np.arange(200))], [SceneMode("1 Hz", u)]).figure()
    size = np.linalg.norm(np.ptp(points, axis=0))
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    again = center + values(figure["points"]).reshape(-1, 3) * figure["scale"] * size / 2.0
    assert np.abs(again - points).max() < 2e-5 * size
    largest = np.linalg.norm(u, axis=1).max()
    shape = values(figure["modes"][0]["shape"]).reshape(-1, 3) / 32767.0 * largest
    assert np.abs(shape - u).max() < 2e-5 * largest
    box = figure["box"]
    assert np.linalg.norm(np.subtract(box["high"], box["low"])) == pytest.approx(2.0)


def test_quads_have_four_edges_each_once():
    triangles, edges = triangles_and_edges(np.array([[0, 1, 4, 3], [1, 2, 5, 4]]))
    assert len(triangles) == 4 and len(edges) == 7


def test_skin_of_solids_leaves_inner_faces_out():
    """Two cubes side by side show 10 of their 12 faces: 20 triangles."""
    cubes = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 9, 2, 5, 10, 11, 6]])
    part = part_of_elements("solids", [("CHEXA", cubes)])
    assert len(part.triangles) == 20
    wedge = part_of_elements("wedge", [("CPENTA", np.arange(6)[None])])
    assert len(wedge.triangles) == 2 + 3 * 2


def test_lines_leave_grounded_springs_out():
    part = part_of_elements("springs", [("CBUSH", np.array([[0, 1], [2, -1], [3, 3]]))])
    assert part.lines.tolist() == [[0, 1]]


def test_a_deck_of_scalar_points_has_nothing_to_draw(tmp_path):
    (tmp_path / "sdof.bdf").write_text(
        "SOL 103\nCEND\nBEGIN BULK\nSPOINT,1\nCELAS2,1,9.,1,0\nCMASS2,2,1.,1,0\nEIGRL,1,,,1\nENDDATA\n"
    )
    with pytest.raises(ModelError, match="no grids: there is nothing to draw"):
        deck_report(tmp_path / "sdof.bdf")


def test_rigid_displacement_is_a_small_turn():
    u = rigid_displacement(np.array([1.0, 0, 0]), np.array([0, 0, 0.1, 0, 2.0, 0]), np.array([[3.0, 0, 0]]))
    assert u == pytest.approx(np.array([[0.0, 2.2, 0.0]]))


def test_shapes_must_fit():
    with pytest.raises(InputError, match="does not fit the points"):
        Scene(np.zeros((3, 3)) + np.arange(3)[:, None], [], [SceneMode("", np.zeros((2, 3)))]).figure()
    with pytest.raises(InputError, match="at least one shape"):
        Scene(np.ones((3, 3)), [], []).figure()


def test_mac_of_mass_orthogonal_shapes_is_the_identity():
    """Modes of a chain of unequal masses: M-weighted MAC is I, sign and scale do not matter, plain MAC is not I."""
    m = np.array([1.0, 3.0, 0.5, 2.0])
    K = 2.0 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1)
    _, y = np.linalg.eigh(K / np.sqrt(np.outer(m, m)))
    shapes = y / np.sqrt(m)[:, None]
    assert mac_matrix(shapes, -3.0 * shapes, m) == pytest.approx(np.eye(4), abs=1e-12)
    assert np.abs(mac_matrix(shapes, shapes) - np.eye(4)).max() > 1e-3
    with pytest.raises(InputError, match="different grids"):
        mac_matrix(shapes, shapes[:3])


def test_mac_drawing_has_a_square_for_each_pair():
    svg = mac_svg(np.eye(3), ["1", "2", "3"], ["1", "2", "3"], "ours", "theirs")
    assert svg.count('class="cell"') == 9
    assert len(re.findall(r'fill-opacity="1\.000"', svg)) == 3


def test_pole_map_draws_each_oscillation_once():
    w, z = np.array([3.0, 20.0]), np.array([0.01, -0.02])
    up = -z * w + 1j * w * np.sqrt(1 - z**2)
    svg = poles_svg(np.concatenate([up, up.conj(), [-5.0, 0.0]]))
    tips = re.findall(r'data-tip="([^"]*)"', svg)
    assert tips == ["0.4775 Hz, damping 1 %", "3.183 Hz, damping -2 %"]
    assert poles_svg(np.zeros(0)).startswith("<svg")


def test_gains_are_shaded_by_column_in_decibels():
    """20 dB less is a third of 60 dB lighter; 60 dB and more are blank; without damping a mode is darkest."""
    gains = np.array([[10.0, 0.0, np.inf], [1.0, 5e-3, 2.0], [1e-3, 5e-6, 0.0]])
    svg = gains_svg(gains, ["1 Hz", "2 Hz", "3 Hz"], ["a", "b", "c"], ["m/N"] * 3)
    shades = [float(x) for x in re.findall(r'fill-opacity="([^"]*)"', svg)]
    third = 2.0 / 3.0
    assert shades == pytest.approx([1, 0, 1, third, 1, 1, 0, 0, 0], abs=5e-4)
    tips = re.findall(r'data-tip="([^"]*)"', svg)
    assert tips[0] == "1 Hz\na\npeak gain 10 m/N, 0.0 dB" and tips[2] == "1 Hz\nc\nno damping"
    assert gains_svg(np.zeros((0, 0)), [], [], []).startswith("<svg")


def test_names_in_drawings_are_escaped_and_cut():
    name = '<script>"&' + 60 * "x"
    svg = gains_svg(np.ones((1, 1)), [name], [name], ["<b>"])
    assert "<script" not in svg and "<b>" not in svg
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert sum("…" in label for label in labels) == 2
    assert f"{60 * 'x'}" in re.findall(r'data-tip="([^"]*)"', svg)[0]


def test_rings_and_chains_of_grids_are_drawn():
    ring = part_of_elements("rings", [("CTRIAX6", np.array([[0, 1, 2, 3, 4, 5]]))])
    assert ring.triangles.tolist() == [[0, 1, 2]] and ring.lines is None
    beam = part_of_elements("beams", [("CBEAM3", np.array([[0, 1, 2]])), ("CBEND", np.array([[3, 4]]))])
    assert sorted(beam.lines.tolist()) == [[0, 1], [1, 2], [3, 4]]
